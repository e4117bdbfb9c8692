//! Families given by a successor function on numbers.

use hyades_base::draw;
use hyades_explore::{Limits, Numbered};
use hyades_formats::{LabelId, LabelTable};

use super::random::numbered_labels;
use super::{GenerateError, Member, check_states, state_count};

const HIDDEN: LabelId = LabelId::HIDDEN;
const FIRST: LabelId = LabelId::new(1);
const SECOND: LabelId = LabelId::new(2);
const THIRD: LabelId = LabelId::new(3);

/// Where a successor function puts its transitions.
pub(super) type Put<'a> = &'a mut dyn FnMut(LabelId, u32);

/// A successor function on numbers; of one type, so that there is one explorer
/// for all families.
type Successors = Box<dyn Fn(u32, Put) + Sync>;

/// The LTS with so many states and transitions, all reachable, initial state 0,
/// and these labels and transitions. The table of labels is made only if the limits
/// allow so many states.
pub(super) fn family(
    limits: Limits,
    states: u64,
    transitions: u64,
    labels: impl FnOnce() -> Result<LabelTable, GenerateError>,
    successors: impl Fn(u32, Put) + Sync + 'static,
) -> Result<Member, GenerateError> {
    let number = state_count(states)?;
    check_states(states, limits)?;
    let model = Numbered {
        states: number,
        initial: 0,
        labels: labels()?,
        successors: Box::new(successors) as Successors,
    };
    Ok(Member::new(model, states, transitions))
}

fn table(texts: &[&str]) -> Result<LabelTable, GenerateError> {
    let mut table = LabelTable::new();
    for text in texts {
        table.intern(text.as_bytes())?;
    }
    Ok(table)
}

/// The label `a…` with this number, of tables by [`numbered_labels`].
pub(super) fn a(number: u64) -> LabelId {
    LabelId::new(1 + number as u32)
}

/// n states, n − 1 transitions.
pub(super) fn chain(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    family(
        limits,
        values[0],
        values[0] - 1,
        || table(&["a"]),
        move |s, put| {
            if s + 1 < n {
                put(FIRST, s + 1);
            }
        },
    )
}

/// n states, n − 1 transitions.
pub(super) fn tau_chain(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    family(
        limits,
        values[0],
        values[0] - 1,
        || table(&["a"]),
        move |s, put| {
            if s + 1 < n {
                put(if s + 2 < n { HIDDEN } else { FIRST }, s + 1);
            }
        },
    )
}

/// n + 1 states, 2n − 1 transitions: n visible ones to state n. With one label
/// all states of the path are branching bisimilar, with more none are.
pub(super) fn tau_chain_visible(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    let labels = values[1];
    let states = u64::from(n) + 1;
    family(
        limits,
        states,
        2 * values[0] - 1,
        || numbered_labels("a", labels, limits),
        move |s, put| {
            if s + 1 < n {
                put(HIDDEN, s + 1);
            }
            if s < n {
                put(a(u64::from(s) % labels), n);
            }
        },
    )
}

/// w·h states, 2w·h − w − h transitions; state y·w + x is at (x, y).
pub(super) fn grid(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let states = values[0].saturating_mul(values[1]);
    let (w, n) = (state_count(values[0])?, state_count(states)?);
    family(
        limits,
        states,
        2 * states - values[0] - values[1],
        || table(&["right", "down"]),
        move |s, put| {
            if (s + 1) % w != 0 {
                put(FIRST, s + 1);
            }
            if s < n - w {
                put(SECOND, s + w);
            }
        },
    )
}

/// w·h states, 2w·h transitions. If marked, the step to the right from the
/// initial state has a label of its own.
pub(super) fn torus(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let states = values[0].saturating_mul(values[1]);
    let (w, n) = (state_count(values[0])?, state_count(states)?);
    let marked = values[2] != 0;
    let texts: &[&str] = if marked {
        &["right", "down", "mark"]
    } else {
        &["right", "down"]
    };
    family(
        limits,
        states,
        2 * states,
        || table(texts),
        move |s, put| {
            let right = if marked && s == 0 { THIRD } else { FIRST };
            put(right, if (s + 1) % w == 0 { s + 1 - w } else { s + 1 });
            put(SECOND, if s >= n - w { s - (n - w) } else { s + w });
        },
    )
}

/// 2^(d + 1) − 1 states, 3 · 2^d − 2 transitions; state s has the children
/// 2s + 1 and 2s + 2.
pub(super) fn tree(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    binary_tree(values, limits, [FIRST, SECOND])
}

/// As [`tree`].
pub(super) fn tau_tree(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    binary_tree(values, limits, [HIDDEN, HIDDEN])
}

fn binary_tree(
    values: &[u64],
    limits: Limits,
    branches: [LabelId; 2],
) -> Result<Member, GenerateError> {
    let (depth, seed) = (values[0], values[1]);
    let inner = (1u32 << depth) - 1;
    let states = (2 << depth) - 1;
    family(
        limits,
        states,
        (3 << depth) - 2,
        || table(&["a", "b"]),
        move |s, put| {
            if s < inner {
                put(branches[0], 2 * s + 1);
                put(branches[1], 2 * s + 2);
            } else {
                put(a(draw(seed, 0, s.into(), 2)), 0);
            }
        },
    )
}

/// k·n states, 3k·n + k − 1 transitions: for each state a hidden step to the
/// next of its component, a hidden one to any of its component, and a visible one
/// to any state; from the last state of each component a hidden step to the next
/// component.
pub(super) fn tau_scc(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let &[components, size, labels, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let states = components.saturating_mul(size);
    state_count(states)?;
    family(
        limits,
        states,
        3 * states + components - 1,
        || numbered_labels("a", labels, limits),
        move |s, put| {
            let s = u64::from(s);
            let base = s - s % size;
            let last = s + 1 == base + size;
            put(HIDDEN, if last { base } else { s + 1 } as u32);
            put(HIDDEN, (base + draw(seed, 0, s, size)) as u32);
            let target = draw(seed, 1, s, states) as u32;
            put(a(draw(seed, 2, s, labels)), target);
            if last && s + 1 < states {
                put(HIDDEN, (s + 1) as u32);
            }
        },
    )
}

/// n + 1 states, 2n + ⌈n / every⌉ transitions; the exits lead to state n.
pub(super) fn tau_cycle(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let &[n, every, labels, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    family(
        limits,
        n + 1,
        2 * n + n.div_ceil(every),
        || numbered_labels("a", labels, limits),
        move |s, put| {
            let s = u64::from(s);
            if s == n {
                return;
            }
            put(HIDDEN, ((s + 1) % n) as u32);
            put(HIDDEN, draw(seed, 0, s, n) as u32);
            if (s + 1) % every == 0 || s + 1 == n {
                put(a(s / every % labels), n as u32);
            }
        },
    )
}

/// 2n + 1 states, 3n transitions: a hidden path of 2n states, hidden steps back
/// from state 2n − 1 − k to state k for k < n, and a visible step from its end.
/// All states of the path are in one hidden component.
pub(super) fn tau_nested(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let states = 2 * values[0] + 1;
    let path = state_count(states)? - 1;
    family(
        limits,
        states,
        3 * values[0],
        || table(&["a"]),
        move |s, put| {
            if s + 1 < path {
                put(HIDDEN, s + 1);
            }
            if s >= path / 2 && s < path {
                put(HIDDEN, path - 1 - s);
            }
            if s + 1 == path {
                put(FIRST, path);
            }
        },
    )
}

/// n + 1 states, 2n transitions.
pub(super) fn tau_star(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    let labels = values[1];
    let states = u64::from(n) + 1;
    family(
        limits,
        states,
        2 * values[0],
        || numbered_labels("a", labels, limits),
        move |s, put| {
            if s == 0 {
                (1..=n).for_each(|leaf| put(HIDDEN, leaf));
            } else {
                put(a(u64::from(s - 1) % labels), 0);
            }
        },
    )
}

/// hubs + leaves states, hubs · leaves + hubs − 1 + leaves transitions: from each
/// hub a step `next` to the next and a random label to each leaf; from each leaf
/// a label, taken in turn, to a random hub.
pub(super) fn star(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let &[hubs, leaves, labels, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    let names = || {
        let mut names = numbered_labels("a", labels, limits)?;
        names.intern(b"next")?;
        Ok(names)
    };
    let next = a(labels);
    let transitions = hubs
        .saturating_mul(leaves)
        .saturating_add(hubs - 1 + leaves);
    family(limits, hubs + leaves, transitions, names, move |s, put| {
        let s = u64::from(s);
        if s >= hubs {
            put(a((s - hubs) % labels), draw(seed, 0, s, hubs) as u32);
            return;
        }
        if s + 1 < hubs {
            put(next, (s + 1) as u32);
        }
        for leaf in 0..leaves {
            let label = draw(seed, 1, s * leaves + leaf, labels);
            put(a(label), (hubs + leaf) as u32);
        }
    })
}

/// n + 1 states, n transitions.
pub(super) fn hub(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    family(
        limits,
        u64::from(n) + 1,
        values[0],
        || table(&["a"]),
        move |s, put| {
            if s == 0 {
                (1..=n).for_each(|leaf| put(FIRST, leaf));
            }
        },
    )
}

/// n + 1 states, 3n transitions.
pub(super) fn funnel(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let &[n, labels, seed] = values else {
        unreachable!("the number of values has been checked")
    };
    family(
        limits,
        n + 1,
        3 * n,
        || numbered_labels("a", labels, limits),
        move |s, put| {
            if s == 0 {
                (1..=n).for_each(|t| put(a(t % labels), t as u32));
            } else {
                let s = u64::from(s);
                put(a(draw(seed, 0, s, labels)), 0);
                let target = draw(seed, 2, s, n + 1) as u32;
                put(a(draw(seed, 1, s, labels)), target);
            }
        },
    )
}

/// 2n states, 3n − 1 transitions: rails 0 to n − 1 and n to 2n − 1, rungs from
/// the first rail to the second, and a step back from the end of the second.
pub(super) fn ladder(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    rails(values, limits, FIRST)
}

/// As [`ladder`].
pub(super) fn tau_ladder(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    rails(values, limits, HIDDEN)
}

fn rails(values: &[u64], limits: Limits, rail: LabelId) -> Result<Member, GenerateError> {
    let states = 2 * values[0];
    let n = state_count(states)? / 2;
    family(
        limits,
        states,
        3 * values[0] - 1,
        || table(&["a", "b", "c"]),
        move |s, put| {
            if s + 1 != n && s + 1 != 2 * n {
                put(rail, s + 1);
            }
            if s < n {
                put(SECOND, s + n);
            }
            if s + 1 == 2 * n {
                put(THIRD, 0);
            }
        },
    )
}

/// 2n states, 2n − 1 transitions; the tooth of state s is n + s.
pub(super) fn comb(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let states = 2 * values[0];
    let n = state_count(states)? / 2;
    family(
        limits,
        states,
        2 * values[0] - 1,
        || table(&["a", "b"]),
        move |s, put| {
            if s + 1 < n {
                put(FIRST, s + 1);
            }
            if s < n {
                put(SECOND, s + n);
            }
        },
    )
}

/// n states, n(n − 1) transitions.
pub(super) fn complete(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let n = state_count(values[0])?;
    let labels = values[1];
    family(
        limits,
        values[0],
        values[0] * (values[0] - 1),
        || numbered_labels("a", labels, limits),
        move |s, put| {
            for t in (0..n).filter(|&t| t != s) {
                put(a((u64::from(s) + u64::from(t)) % labels), t);
            }
        },
    )
}

/// 2^k states, 2^(k + 1) + 1 transitions: from state s to 2s and 2s + 1 modulo
/// 2^k, and one of its own at state 0. The quotient has k + 1 states.
pub(super) fn debruijn(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let states = 1u64 << values[0];
    let mask = (states - 1) as u32;
    family(
        limits,
        states,
        2 * states + 1,
        || table(&["s", "z"]),
        move |s, put| {
            put(FIRST, (s << 1) & mask);
            put(FIRST, (s << 1 | 1) & mask);
            if s == 0 {
                put(SECOND, 0);
            }
        },
    )
}
