//! What there is to say about an LTS at a glance.

use hyades_base::parallel;
use hyades_formats::{Lts, StateId};
use serde::Serialize;

use super::distributions::levels;
use super::{components, first_on_cycle, tau_components};

/// Sizes and properties of an LTS, unreachable states included; the fields are
/// in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Facts {
    /// States.
    pub states: u64,
    /// The initial state.
    pub initial: u64,
    /// Transitions, duplicates counted.
    pub transitions: u64,
    /// Labels that occur on transitions, the hidden one included.
    pub labels: u64,
    /// Visible labels that occur on transitions.
    pub visible_labels: u64,
    /// Transitions with the hidden label.
    pub hidden_transitions: u64,
    /// States without outgoing transitions.
    pub deadlocks: u64,
    /// States that cannot be reached from the initial state.
    pub unreachable_states: u64,
    /// The least number of outgoing transitions of a state.
    pub min_out_degree: u64,
    /// Transitions by states.
    pub avg_out_degree: f64,
    /// The largest number of outgoing transitions of a state.
    pub max_out_degree: u64,
    /// The largest number of incoming transitions of a state.
    pub max_in_degree: u64,
    /// Whether no state has transitions with one label, hidden included, to two
    /// different states.
    pub deterministic: bool,
    /// Transitions equal to an earlier one: how many fewer there would be
    /// without duplicates.
    pub duplicate_transitions: u64,
    /// Strongly connected components.
    pub components: u64,
    /// States of the largest strongly connected component.
    pub largest_component: u64,
    /// Whether there is a cycle of hidden transitions, self-loops included.
    pub hidden_cycle: bool,
    /// The largest distance of a reachable state from the initial state.
    pub depth: u64,
}

/// What rows tell without each other.
#[derive(Clone, Copy)]
struct RowFacts {
    deadlocks: u64,
    min: u64,
    max: u64,
    duplicates: u64,
    deterministic: bool,
}

/// The facts about `lts`.
///
/// O(states + transitions · log(largest out-degree)) time, in parallel where
/// the parts are independent; at the most about 40 bytes a state beyond the
/// LTS, and 8 for every transition of the largest row.
pub fn facts(lts: &Lts) -> Facts {
    let size = lts.states() + lts.transitions();
    let ((rows, (counts, max_in)), ((depth, reached), ((count, largest), hidden_cycle))) =
        parallel::join(
            size,
            || (row_facts(lts), (label_counts(lts), max_in_degree(lts))),
            || parallel::join(size, || distances(lts), || cycles(lts)),
        );
    let labels = counts.iter().filter(|&&count| count > 0).count() as u64;
    Facts {
        states: lts.states() as u64,
        initial: lts.initial().get().into(),
        transitions: lts.transitions() as u64,
        labels,
        visible_labels: labels - u64::from(counts[0] > 0),
        hidden_transitions: counts[0],
        deadlocks: rows.deadlocks,
        unreachable_states: lts.states() as u64 - reached,
        min_out_degree: rows.min,
        avg_out_degree: lts.transitions() as f64 / lts.states() as f64,
        max_out_degree: rows.max,
        max_in_degree: max_in,
        deterministic: rows.deterministic,
        duplicate_transitions: rows.duplicates,
        components: count,
        largest_component: largest,
        hidden_cycle,
        depth,
    }
}

/// How many transitions have each label, by the label's number.
/// O(transitions + labels).
pub fn label_counts(lts: &Lts) -> Vec<u64> {
    let mut counts = vec![0; lts.table().len()];
    for label in lts.labels() {
        counts[label.index()] += 1;
    }
    counts
}

fn row_facts(lts: &Lts) -> RowFacts {
    const CHUNK: usize = 1 << 14;
    let n = lts.states();
    let of_chunks = parallel::map(n.div_ceil(CHUNK), 1, |chunk| {
        let mut sorted: Vec<u64> = Vec::new();
        let mut facts = RowFacts {
            deadlocks: 0,
            min: u64::MAX,
            max: 0,
            duplicates: 0,
            deterministic: true,
        };
        for s in chunk * CHUNK..((chunk + 1) * CHUNK).min(n) {
            let row = lts.outgoing(StateId::from_index(s));
            let degree = row.len() as u64;
            facts.deadlocks += u64::from(degree == 0);
            facts.min = facts.min.min(degree);
            facts.max = facts.max.max(degree);
            if degree < 2 {
                continue;
            }
            sorted.clear();
            sorted.extend(row.map(|(l, t)| u64::from(l.get()) << 32 | u64::from(t.get())));
            sorted.sort_unstable();
            for pair in sorted.windows(2) {
                if pair[0] == pair[1] {
                    facts.duplicates += 1;
                } else if pair[0] >> 32 == pair[1] >> 32 {
                    facts.deterministic = false;
                }
            }
        }
        facts
    });
    of_chunks
        .into_iter()
        .reduce(|a, b| RowFacts {
            deadlocks: a.deadlocks + b.deadlocks,
            min: a.min.min(b.min),
            max: a.max.max(b.max),
            duplicates: a.duplicates + b.duplicates,
            deterministic: a.deterministic && b.deterministic,
        })
        .expect("an LTS has a state, so there is a chunk")
}

fn max_in_degree(lts: &Lts) -> u64 {
    let mut degrees = vec![0u32; lts.states()];
    for t in lts.targets() {
        degrees[t.index()] += 1;
    }
    degrees.into_iter().max().unwrap_or(0).into()
}

/// The largest distance from the initial state, and how many states there are
/// at any distance.
fn distances(lts: &Lts) -> (u64, u64) {
    let levels = levels(lts);
    (levels.len() as u64 - 1, levels.iter().sum())
}

/// The number of components and the size of the largest, and whether there is
/// a hidden cycle.
fn cycles(lts: &Lts) -> ((u64, u64), bool) {
    let all = components(lts);
    let largest = all.sizes().into_iter().max().unwrap_or(0);
    let sizes = (all.count.into(), largest.into());
    drop(all);
    let labels = lts.labels();
    let hidden = |k: usize| labels[k].is_hidden();
    let cycle = first_on_cycle(&tau_components(lts), lts.offsets(), lts.targets(), hidden);
    (sizes, cycle.is_some())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hyades_testing::any_lts;
    use proptest::prelude::*;

    use super::*;

    /// The same, each by its definition.
    fn naive(lts: &Lts) -> Facts {
        let n = lts.states();
        let all: Vec<_> = lts.iter().collect();
        let distinct: BTreeSet<_> = all.iter().collect();
        // Lengths of shortest paths, in transitions.
        let mut length = vec![vec![usize::MAX; n]; n];
        let mut hidden = vec![vec![false; n]; n];
        for (s, row) in length.iter_mut().enumerate() {
            row[s] = 0;
        }
        for &(s, l, t) in &all {
            let short = &mut length[s.index()][t.index()];
            *short = (*short).min(1);
            hidden[s.index()][t.index()] |= l.is_hidden();
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let through = length[i][k].saturating_add(length[k][j]);
                    length[i][j] = length[i][j].min(through);
                    hidden[i][j] |= hidden[i][k] && hidden[k][j];
                }
            }
        }
        let mutual = |s: usize| {
            (0..n)
                .filter(|&t| length[s][t] < usize::MAX && length[t][s] < usize::MAX)
                .collect::<BTreeSet<_>>()
        };
        let components: BTreeSet<_> = (0..n).map(mutual).collect();
        let out = |s: usize| all.iter().filter(|e| e.0.index() == s).count() as u64;
        let into = |s: usize| all.iter().filter(|e| e.2.index() == s).count() as u64;
        let labels: BTreeSet<_> = all.iter().map(|e| e.1).collect();
        let from = &length[lts.initial().index()];
        Facts {
            states: n as u64,
            initial: lts.initial().get().into(),
            transitions: all.len() as u64,
            labels: labels.len() as u64,
            visible_labels: labels.iter().filter(|l| !l.is_hidden()).count() as u64,
            hidden_transitions: all.iter().filter(|e| e.1.is_hidden()).count() as u64,
            deadlocks: (0..n).filter(|&s| out(s) == 0).count() as u64,
            unreachable_states: from.iter().filter(|&&d| d == usize::MAX).count() as u64,
            min_out_degree: (0..n).map(out).min().unwrap(),
            avg_out_degree: all.len() as f64 / n as f64,
            max_out_degree: (0..n).map(out).max().unwrap(),
            max_in_degree: (0..n).map(into).max().unwrap(),
            deterministic: !all
                .iter()
                .any(|a| all.iter().any(|b| (a.0, a.1) == (b.0, b.1) && a.2 != b.2)),
            duplicate_transitions: (all.len() - distinct.len()) as u64,
            components: components.len() as u64,
            largest_component: components.iter().map(BTreeSet::len).max().unwrap() as u64,
            hidden_cycle: (0..n).any(|s| hidden[s][s]),
            depth: *from.iter().filter(|&&d| d < usize::MAX).max().unwrap() as u64,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn facts_agree_with_their_definitions(lts in any_lts()) {
            prop_assert_eq!(facts(&lts), naive(&lts));
            let counts = label_counts(&lts);
            prop_assert_eq!(counts.iter().sum::<u64>(), lts.transitions() as u64);
        }
    }
}
