//! Invariants of states and values that no symmetry changes.
//!
//! This is colour refinement (Weisfeiler & Leman 1968) on states, labels and
//! values together. A colour is a hash of nothing but colours and of what
//! symmetries keep, in sums where order must not matter; so a symmetry takes
//! everything to something of the same colour. Collisions of hashes make colours
//! coarser, which costs time only.
//!
//! Rounds over all states are fast where few are needed. Where states differ by what
//! is far away, as in a long chain, as many would be needed as it is long; then the
//! partition into colours is refined block by block, by the blocks that are new
//! ([`stable`]). So it is where the initial state may go to several others, as far as
//! what follows tells.

use hyades_base::grouped::Grouped;
use hyades_base::parallel;
use hyades_equivalence::Refinable;
use rayon::prelude::*;

use super::alphabet::System;

/// Rounds of refinement over all states, at most; with more of them to come, states are
/// refined block by block.
const ROUNDS: usize = 40;

/// After so many rounds, one that finds less than one colour more for so many is taken for a
/// sign that many more would come.
const FIRST_ROUNDS: usize = 8;
const SLOW: usize = 8;

/// How often values may be refined by states after that and states by values again.
const MORE: usize = 10;

/// Colours: equal for what a symmetry may exchange.
pub(super) struct Colours {
    /// By state.
    pub state: Vec<u64>,
    /// By value.
    pub value: Vec<u64>,
    /// By label, from its transitions.
    pub label: Vec<u64>,
}

/// A hash of two hashes.
#[inline]
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let mut x = (a ^ b.rotate_left(29)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30))
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        .wrapping_add(b);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The hash of a label, of its shape and of what `value` makes of its values.
/// Which of its values are equal counts too.
pub(super) fn label_hash(system: &System, label: u32, value: impl Fn(u32) -> u64) -> u64 {
    let arguments = system.alphabet.arguments(label);
    let start = mix(system.alphabet.shape(label).into(), 1);
    arguments.iter().fold(start, |hash, v| {
        let first = arguments.iter().position(|w| w == v).expect("it occurs");
        mix(mix(hash, value(*v)), first as u64)
    })
}

/// Refines colours until they are stable; if states and values keep telling each other
/// apart, for a number of rounds. Values that are not `movable` have a colour of their
/// own from the start. When all values have one there is nothing to permute, and the
/// colours of states are not refined any more.
///
/// O(transitions) a round in parallel, and O(transitions · log² states) for each time
/// that these are not enough; 24 bytes a state at the peak, and then 8 a transition and
/// 32 a state.
pub(super) fn colours(system: &System, movable: &[bool]) -> Colours {
    let fixed = |(v, &movable): (usize, &bool)| if movable { 0 } else { v as u64 + 1 };
    let mut value: Vec<u64> = movable.iter().enumerate().map(fixed).collect();
    let mut state = vec![0; system.states()];
    let mut values = distinct(&value);
    let mut rounds = ROUNDS;
    let mut more = MORE;
    let mut arriving = None;
    loop {
        let label: Vec<u64> = (0..system.alphabet.len() as u32)
            .map(|label| label_hash(system, label, |v| value[v as usize]))
            .collect();
        if values == value.len() {
            return Colours {
                state,
                value,
                label,
            };
        }
        let mut states = 0;
        let mut is_stable = false;
        while rounds > 0 && !is_stable {
            rounds -= 1;
            state = next_round(system, &label, &state);
            let now = distinct(&state);
            let before = std::mem::replace(&mut states, now);
            is_stable = now == before;
            let is_slow = now.saturating_sub(before) * SLOW < before;
            if !is_stable && is_slow && ROUNDS - rounds >= FIRST_ROUNDS {
                rounds = 0;
            }
        }
        // What comes before a state counts too, if there are several places where the
        // initial one could go.
        let is_alone = || {
            let initial = state[system.initial as usize];
            state.iter().filter(|&&colour| colour == initial).count() == 1
        };
        if more > 0 && (!is_stable || !is_alone()) {
            more -= 1;
            let arriving = arriving.get_or_insert_with(|| incoming(system));
            state = stable(system, arriving, &label, &state);
            is_stable = true;
        }
        let label = refine_values(system, &label, &state, &mut value);
        let now = distinct(&value);
        if now == std::mem::replace(&mut values, now) || !is_stable {
            return Colours {
                state,
                value,
                label,
            };
        }
    }
}

/// The transitions of a system by their targets: their places among all of them, and
/// their sources.
type Incoming = Grouped<(u32, u32)>;

fn incoming(system: &System) -> Incoming {
    let of_source = |source: u32| {
        let row = system.row(source);
        row.map(move |k| (system.targets[k], (k as u32, source)))
    };
    let states = system.states();
    Grouped::new(states, (0..states as u32).flat_map(of_source))
}

/// The coarsest colours, not coarser than those given, with which states of one colour
/// have as many transitions with each colour of label to each colour of state, and as
/// many from each. Colours are numbers that mean nothing but which states have the same.
///
/// Refines block by block, as Hopcroft (1971) for automata and Cardon & Crochemore
/// (1982) for numbers of edges: of the parts of a block that was split all but the
/// largest are looked at again. O(transitions · log² states).
fn stable(system: &System, incoming: &Incoming, label: &[u64], state: &[u64]) -> Vec<u64> {
    let mut order: Vec<u32> = (0..state.len() as u32).collect();
    order.par_sort_unstable_by_key(|&s| state[s as usize]);
    let mut block = vec![0; state.len()];
    let mut sizes = Vec::new();
    for (number, same) in order
        .chunk_by(|&a, &b| state[a as usize] == state[b as usize])
        .enumerate()
    {
        same.iter().for_each(|&s| block[s as usize] = number as u32);
        sizes.push(same.len() as u32);
    }
    drop(order);
    let mut blocks = Refinable::new(block, &sizes);
    let mut open: Vec<u32> = (0..sizes.len() as u32).collect();
    // The states before a block and behind it, each with the colour of the label.
    let mut beside: [Vec<(u64, u32)>; 2] = Default::default();
    let mut count = vec![0u64; state.len()];
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    let mut moved = Vec::new();
    while let Some(splitter) = open.pop() {
        let [before, behind] = &mut beside;
        before.clear();
        behind.clear();
        for &state in blocks.members(splitter) {
            let edge = |k: usize, other: u32| (label[system.labels[k] as usize], other);
            let arriving = incoming.of(state).iter();
            let arriving = arriving.map(|&(k, source)| edge(k as usize, source));
            before.extend(arriving.filter(|&(_, other)| !blocks.is_alone(other)));
            let leaving = system.row(state).map(|k| edge(k, system.targets[k]));
            behind.extend(leaving.filter(|&(_, other)| !blocks.is_alone(other)));
        }
        for list in &mut beside {
            list.sort_unstable();
            for same in list.chunk_by(|a, b| a.0 == b.0) {
                for &(_, other) in same {
                    if blocks.mark(other) {
                        count[other as usize] = 0;
                    }
                    count[other as usize] += 1;
                }
                for touched in blocks.take_touched() {
                    keyed.clear();
                    let marked = blocks.marked(touched).iter();
                    keyed.extend(marked.map(|&s| (count[s as usize], s)));
                    let rest = blocks.unmarked(touched).map(|_| 0);
                    let first_new = blocks.count() as u32;
                    moved.clear();
                    blocks.split(touched, &mut keyed, rest, &mut moved);
                    open.extend(first_new..blocks.count() as u32);
                }
            }
        }
    }
    blocks.blocks().iter().map(|&b| b.into()).collect()
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.par_sort_unstable();
    sorted.chunk_by(|a, b| a == b).count()
}

/// A state's colour and those of its transitions.
fn next_round(system: &System, label: &[u64], state: &[u64]) -> Vec<u64> {
    let colour = |s: usize| {
        let row = system.row(s as u32);
        let edges = system.labels[row.clone()].iter().zip(&system.targets[row]);
        let sum = edges.fold(0u64, |sum, (&l, &t)| {
            sum.wrapping_add(mix(label[l as usize], state[t as usize]))
        });
        mix(state[s], sum)
    };
    let states = (0..system.states()).into_par_iter();
    states.with_min_len(1 << 12).map(colour).collect()
}

/// A value's colour, the places where it occurs in labels, and the transitions
/// with these labels. Gives what the transitions make of the labels' colours.
fn refine_values(system: &System, label: &[u64], state: &[u64], value: &mut [u64]) -> Vec<u64> {
    let mut sums = transition_sums(system, state);
    for (l, sum) in sums.iter_mut().enumerate() {
        *sum = mix(label[l], *sum);
    }
    let occurrences = (0..system.alphabet.len() as u32).flat_map(|l| {
        let arguments = system.alphabet.arguments(l).iter().enumerate();
        arguments.map(move |(place, &v)| (l, place, v))
    });
    let mut places = vec![0u64; value.len()];
    for (l, place, v) in occurrences {
        let sum = &mut places[v as usize];
        *sum = sum.wrapping_add(mix(sums[l as usize], place as u64));
    }
    for (value, places) in value.iter_mut().zip(places) {
        *value = mix(*value, places);
    }
    sums
}

/// For each label a hash of the colours that its transitions join.
fn transition_sums(system: &System, state: &[u64]) -> Vec<u64> {
    let labels = system.alphabet.len();
    let add = |mut sums: Vec<u64>, states: std::ops::Range<usize>| {
        for s in states {
            for k in system.row(s as u32) {
                let target = state[system.targets[k] as usize];
                let sum = &mut sums[system.labels[k] as usize];
                *sum = sum.wrapping_add(mix(state[s], target));
            }
        }
        sums
    };
    let parts = parallel::threads();
    let states = system.states();
    (0..parts)
        .into_par_iter()
        .map(|k| {
            add(
                vec![0; labels],
                states * k / parts..states * (k + 1) / parts,
            )
        })
        .reduce(
            || vec![0; labels],
            |mut a, b| {
                a.iter_mut()
                    .zip(b)
                    .for_each(|(a, b)| *a = a.wrapping_add(b));
                a
            },
        )
}

#[cfg(test)]
mod tests {
    use hyades_formats::StateId;
    use hyades_lts::tokens::TokenSyntax;
    use hyades_testing::{Random, Shape, random_lts};

    use super::*;

    /// Rounds until nothing changes, by what follows and by what comes before.
    fn naive(system: &System, label: &[u64], state: &[u64]) -> Vec<u64> {
        let mut state = state.to_vec();
        loop {
            let mut next = next_round(system, label, &state);
            for source in 0..system.states() as u32 {
                for k in system.row(source) {
                    let before = mix(label[system.labels[k] as usize], state[source as usize]);
                    let sum = &mut next[system.targets[k] as usize];
                    *sum = sum.wrapping_add(mix(before, 7));
                }
            }
            let next = next
                .into_iter()
                .map(|colour| mix(colour, 8))
                .collect::<Vec<_>>();
            if distinct(&next) == distinct(&state) {
                return state;
            }
            state = next;
        }
    }

    /// For each state the first one of its colour.
    fn normal(colours: &[u64]) -> Vec<usize> {
        let first = |c| colours.iter().position(|d| d == c).expect("itself");
        colours.iter().map(first).collect()
    }

    #[test]
    fn stable_colours_are_those_of_many_rounds() {
        let mut random = Random::new(21);
        let mut deep = 0;
        for case in 0..1500 {
            let shape = Shape::ALL[case % Shape::ALL.len()];
            let lts = random_lts(shape, 40, &mut random);
            let lts = hyades_lts::reachable(lts, hyades_lts::Numbering::BreadthFirst);
            let system = System::new(lts, &TokenSyntax::default());
            let classes = random.between(1, 3) as u64;
            let label: Vec<u64> = (0..system.alphabet.len() as u64)
                .map(|l| l % classes)
                .collect();
            let mut state: Vec<u64> = vec![0; system.states()];
            if random.chance(30) {
                state.iter_mut().for_each(|c| *c = random.bits() % 2);
            }
            let found = stable(&system, &incoming(&system), &label, &state);
            assert_eq!(
                normal(&found),
                normal(&naive(&system, &label, &state)),
                "{shape:?}"
            );
            deep += usize::from(distinct(&found) > 20);
        }
        assert!(deep > 100, "{deep}");
    }

    /// As many rounds as there are states would take hours.
    #[test]
    fn a_long_chain_is_no_danger() {
        const STATES: u32 = 1 << 18;
        let mut builder = hyades_formats::LtsBuilder::new(0);
        for s in 0..STATES {
            for user in [b"A !1", b"A !2"] {
                builder.add_text(s, user, s + 1).expect("few labels");
            }
        }
        let lts = builder.build(StateId::new(0)).expect("not too large");
        let system = System::new(lts, &TokenSyntax::default());
        let colours = colours(&system, &[true, true]);
        assert_eq!(distinct(&colours.state), STATES as usize + 1);
        assert_eq!(colours.value[0], colours.value[1]);
    }
}
