//! Invariants of states and values that no symmetry changes.
//!
//! This is colour refinement (Weisfeiler & Leman 1968) on states, labels and
//! values together. A colour is a hash of nothing but colours and of what
//! symmetries keep, in sums where order must not matter; so a symmetry takes
//! everything to something of the same colour. Collisions of hashes make colours
//! coarser, which costs time only.

use rayon::prelude::*;

use super::alphabet::System;

/// Rounds of refinement over the states; more of them would tell apart only
/// states with a difference that far away.
const ROUNDS: usize = 40;

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

/// Refines colours until they are stable, or for [`ROUNDS`] rounds. Values that
/// are not `movable` have a colour of their own from the start.
///
/// O(transitions) a round in parallel; 24 bytes a state at the peak.
pub(super) fn colours(system: &System, movable: &[bool]) -> Colours {
    let fixed = |(v, &movable): (usize, &bool)| if movable { 0 } else { v as u64 + 1 };
    let mut value: Vec<u64> = movable.iter().enumerate().map(fixed).collect();
    let mut state = vec![0; system.states()];
    let mut values = distinct(&value);
    let mut rounds = ROUNDS;
    loop {
        let label: Vec<u64> = (0..system.alphabet.len() as u32)
            .map(|label| label_hash(system, label, |v| value[v as usize]))
            .collect();
        let mut states = 0;
        while rounds > 0 {
            rounds -= 1;
            state = next_round(system, &label, &state);
            let now = distinct(&state);
            if now == std::mem::replace(&mut states, now) {
                break;
            }
        }
        let label = refine_values(system, &label, &state, &mut value);
        let now = distinct(&value);
        if now == std::mem::replace(&mut values, now) || rounds == 0 {
            return Colours {
                state,
                value,
                label,
            };
        }
    }
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
    let parts = rayon::current_num_threads();
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
