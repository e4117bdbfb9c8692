//! Families built from random transitions.

use hyades_base::draw;
use hyades_explore::{Limit, Limits};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId, TooLarge};

use super::{GenerateError, check_states, state_count};

/// What numbers are drawn for: each has a stream of its own.
mod stream {
    pub const SOURCE: u64 = 0;
    pub const TARGET: u64 = 1;
    pub const LABEL: u64 = 2;
    pub const HIDDEN: u64 = 3;
    pub const COPY: u64 = 4;
    pub const STUTTER: u64 = 5;
    pub const BEHIND: u64 = 6;
    pub const OMITTED: u64 = 7;
}

/// The least that a label takes in a table: its end, two characters and its place in the
/// index.
const LABEL_BYTES: u64 = 8 + 2 + 4;

/// A table of the labels `prefix0`, `prefix1`, …, which get the numbers 1, 2, ….
///
/// # Errors
/// If there are more than a table or the limits allow.
pub(super) fn numbered_labels(
    prefix: &str,
    count: u64,
    limits: Limits,
) -> Result<LabelTable, GenerateError> {
    // The hidden action has a number too.
    if count >= LabelId::MAX_COUNT {
        return Err(GenerateError::TooLarge(TooLarge {
            what: "labels",
            limit: LabelId::MAX_COUNT,
        }));
    }
    if limits
        .max_memory
        .is_some_and(|most| LABEL_BYTES * count > most)
    {
        return Err(GenerateError::LimitReached(Limit::Memory));
    }
    let mut table = LabelTable::new();
    for k in 0..count {
        table.intern(format!("{prefix}{k}").as_bytes())?;
    }
    Ok(table)
}

/// The LTS of the transitions `transition(0) .. transition(m − 1)`, whose rows
/// keep this order. Each transition is asked for twice: to count, and to place. The table
/// of labels is made only if the limits allow so many states.
fn placed(
    states: u64,
    transitions: u64,
    table: impl FnOnce() -> Result<LabelTable, GenerateError>,
    limits: Limits,
    transition: impl Fn(u64) -> (u64, u64, u64),
) -> Result<Lts, GenerateError> {
    let n = state_count(states)?;
    if transitions > Lts::MAX_TRANSITIONS {
        return Err(GenerateError::TooLarge(TooLarge {
            what: "transitions",
            limit: Lts::MAX_TRANSITIONS,
        }));
    }
    check_states(states, limits)?;
    let table = table()?;
    let memory = 8 * (states + 1) + 8 * transitions + table.heap_bytes() as u64;
    if limits.max_memory.is_some_and(|most| memory > most) {
        return Err(GenerateError::LimitReached(Limit::Memory));
    }
    let mut left = vec![0u32; n as usize];
    for e in 0..transitions {
        let left = &mut left[transition(e).0 as usize];
        *left = left
            .checked_add(1)
            .ok_or(GenerateError::TooLarge(TooLarge {
                what: "transitions of one state",
                limit: Lts::MAX_DEGREE,
            }))?;
    }
    let offsets = Offsets::from_lengths(left.iter().map(|&degree| degree as usize));
    let mut labels = filled(transitions, LabelId::HIDDEN)?;
    let mut targets = filled(transitions, StateId::default())?;
    // The rows are filled from behind.
    for e in (0..transitions).rev() {
        let (source, label, target) = transition(e);
        let left = &mut left[source as usize];
        *left -= 1;
        let place = offsets.row(source as usize).start + *left as usize;
        labels[place] = LabelId::new(label as u32);
        targets[place] = StateId::new(target as u32);
    }
    Ok(Lts::from_parts(LtsParts {
        initial: StateId::new(0),
        offsets,
        labels,
        targets,
        table,
    }))
}

/// A column of so many equal items, if the machine has room for it.
fn filled<T: Clone>(length: u64, item: T) -> Result<Vec<T>, GenerateError> {
    let mut column = Vec::new();
    column
        .try_reserve_exact(length as usize)
        .map_err(|_| GenerateError::LimitReached(Limit::Memory))?;
    column.resize(length as usize, item);
    Ok(column)
}

/// The label of transition `e`: hidden (0) with a probability of `tau` percent,
/// else one of 1 to `labels`.
fn label(seed: u64, e: u64, labels: u64, tau: u64) -> u64 {
    if draw(seed, stream::HIDDEN, e, 100) < tau {
        0
    } else {
        1 + draw(seed, stream::LABEL, e, labels)
    }
}

/// Transition `e < states − 1` leads to state `e + 1` from a lower one, so all
/// states are reachable if there are so many transitions; all others are
/// uniform.
fn source_and_target(seed: u64, e: u64, states: u64) -> (u64, u64) {
    if e + 1 < states {
        (draw(seed, stream::SOURCE, e, e + 1), e + 1)
    } else {
        (
            draw(seed, stream::SOURCE, e, states),
            draw(seed, stream::TARGET, e, states),
        )
    }
}

pub(super) fn random(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    let &[states, transitions, labels, tau, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let table = || numbered_labels("a", labels, limits);
    placed(states, transitions, table, limits, |e| {
        let (source, target) = source_and_target(seed, e, states);
        (source, label(seed, e, labels, tau), target)
    })
}

/// The first transition of state `s` leads to state `s + 1`, of the last to 0.
pub(super) fn regular(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    let &[states, degree, labels, tau, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let table = || numbered_labels("a", labels, limits);
    placed(states, states.saturating_mul(degree), table, limits, |e| {
        let source = e / degree;
        let target = if e % degree == 0 {
            (source + 1) % states
        } else {
            draw(seed, stream::TARGET, e, states)
        };
        (source, label(seed, e, labels, tau), target)
    })
}

/// Transition `e` is that of state `e / inputs` with input `e % inputs`. The first
/// ones lead to the states 1, 2, … in turn, so that all can be reached; where the
/// others lead, and what is answered, is random.
pub(super) fn mealy(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    let &[states, inputs, outputs, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let table = || {
        let mut table = LabelTable::new();
        for input in 0..inputs {
            for output in 0..outputs {
                table.intern(format!("i{input}/o{output}").as_bytes())?;
            }
        }
        Ok(table)
    };
    placed(states, states.saturating_mul(inputs), table, limits, |e| {
        let target = match e + 1 < states {
            true => e + 1,
            false => draw(seed, stream::TARGET, e, states),
        };
        let output = draw(seed, stream::LABEL, e, outputs);
        (e / inputs, 1 + e % inputs * outputs + output, target)
    })
}

pub(super) fn many_labels(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    let &[labels, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let table = || numbered_labels("l", labels, limits);
    let states = 2 * labels;
    placed(states, 10 * labels, table, limits, |e| {
        let (source, target) = source_and_target(seed, e, states);
        let label = if e < labels {
            e
        } else {
            draw(seed, stream::LABEL, e, labels)
        };
        (source, 1 + label, target)
    })
}

/// State `s` of the small LTS has the copies `s · copies ..`, and `degree`
/// transitions, the first to `s + 1` (of the last state, to 0), the others
/// random. Copy 0 has all of them, each to some copy of its target. So have the
/// other copies, but those that stutter: they have a hidden step to a lower copy
/// of the same state instead of one of the transitions. Since the lowest copies
/// are reached by hidden steps and can do everything, all copies of a state are branching
/// bisimilar; without stutter they are strongly bisimilar. The quotient is that
/// of the small LTS, which is the member with one copy.
pub(super) fn lift(values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
    let &[states, copies, degree, labels, stutter, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let table = || numbered_labels("a", labels, limits);
    let lifted = states.saturating_mul(copies);
    let transitions = lifted.saturating_mul(degree);
    placed(lifted, transitions, table, limits, |e| {
        let source = e / degree;
        let (base, copy) = (source / copies, source % copies);
        let stutters = copy > 0 && draw(seed, stream::STUTTER, source, 100) < stutter;
        if stutters && draw(seed, stream::OMITTED, source, degree) == e % degree {
            let behind = draw(seed, stream::BEHIND, source, copy);
            return (source, 0, base * copies + behind);
        }
        // The transition of the small LTS.
        let small = base * degree + e % degree;
        let target = if e % degree == 0 {
            (base + 1) % states
        } else {
            draw(seed, stream::TARGET, small, states)
        };
        let label = 1 + draw(seed, stream::LABEL, small, labels);
        let copy = draw(seed, stream::COPY, e, copies);
        (source, label, target * copies + copy)
    })
}
