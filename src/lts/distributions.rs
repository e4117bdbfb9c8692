//! How what an LTS is made of is distributed: degrees, levels, sizes of components.

use hyades_base::parallel;
use hyades_formats::{Lts, StateId};
use rayon::slice::ParallelSliceMut;

use super::components;

/// How many there are of each size: pairs of a size and its number, by ascending sizes,
/// without sizes that do not occur.
pub type Histogram = Vec<(u64, u64)>;

/// Distributions of an LTS, unreachable states included where nothing else is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distributions {
    /// How many states have how many outgoing transitions.
    pub out_degrees: Histogram,
    /// How many states have how many incoming transitions.
    pub in_degrees: Histogram,
    /// How many reachable states there are at each distance from the initial state, from
    /// 0 on.
    pub levels: Vec<u64>,
    /// How many strongly connected components have how many states.
    pub components: Histogram,
}

/// The distributions of `lts`.
///
/// O((states + transitions) · log) time, the parts side by side; at the most about 40
/// bytes a state beyond the LTS.
pub fn distributions(lts: &Lts) -> Distributions {
    let size = lts.states() + lts.transitions();
    let ((out_degrees, in_degrees), (levels, components)) = parallel::join(
        size,
        || (out_degrees(lts), in_degrees(lts)),
        || parallel::join(size, || levels(lts), || histogram(components(lts).sizes())),
    );
    Distributions {
        out_degrees,
        in_degrees,
        levels,
        components,
    }
}

/// How often each size occurs. O(n log n), in parallel.
pub fn histogram(mut sizes: Vec<u32>) -> Histogram {
    sizes.par_sort_unstable();
    let runs = sizes.chunk_by(|a, b| a == b);
    runs.map(|run| (run[0].into(), run.len() as u64)).collect()
}

fn out_degrees(lts: &Lts) -> Histogram {
    let degree = |s| lts.row(StateId::from_index(s)).len() as u32;
    histogram(parallel::map(lts.states(), 1 << 12, degree))
}

fn in_degrees(lts: &Lts) -> Histogram {
    let mut degrees = vec![0; lts.states()];
    for t in lts.targets() {
        degrees[t.index()] += 1;
    }
    histogram(degrees)
}

/// The number of states at each distance from the initial state, of those that can be
/// reached; O(states + transitions).
pub(super) fn levels(lts: &Lts) -> Vec<u64> {
    let mut seen = vec![false; lts.states()];
    let mut order = vec![lts.initial()];
    seen[lts.initial().index()] = true;
    let mut levels = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let end = order.len();
        levels.push((end - start) as u64);
        for next in start..end {
            for &t in &lts.targets()[lts.row(order[next])] {
                if !seen[t.index()] {
                    seen[t.index()] = true;
                    order.push(t);
                }
            }
        }
        start = end;
    }
    levels
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hyades_testing::any_lts;
    use proptest::prelude::*;

    use super::*;
    use crate::facts;

    fn counted(sizes: impl Iterator<Item = usize>) -> Histogram {
        let mut counts = BTreeMap::new();
        for size in sizes {
            *counts.entry(size as u64).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    /// Which states can be reached from each, in how many transitions at least.
    fn lengths(lts: &Lts) -> Vec<Vec<usize>> {
        let n = lts.states();
        let mut length = vec![vec![usize::MAX; n]; n];
        for (s, row) in length.iter_mut().enumerate() {
            row[s] = 0;
        }
        for _ in 0..n {
            for (s, _, t) in lts.iter() {
                for row in &mut length {
                    let through = row[s.index()].saturating_add(1);
                    row[t.index()] = row[t.index()].min(through);
                }
            }
        }
        length
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn distributions_agree_with_their_definitions(lts in any_lts()) {
            let found = distributions(&lts);
            let n = lts.states();
            let all: Vec<_> = lts.iter().collect();
            let out = |s: usize| all.iter().filter(|e| e.0.index() == s).count();
            let into = |s: usize| all.iter().filter(|e| e.2.index() == s).count();
            prop_assert_eq!(&found.out_degrees, &counted((0..n).map(out)));
            prop_assert_eq!(&found.in_degrees, &counted((0..n).map(into)));

            let length = lengths(&lts);
            let from = &length[lts.initial().index()];
            let at = |d: usize| from.iter().filter(|&&other| other == d).count() as u64;
            let depth = facts(&lts).depth as usize;
            prop_assert_eq!(&found.levels, &(0..=depth).map(at).collect::<Vec<_>>());

            let both = |s: usize, t: usize| {
                length[s][t] < usize::MAX && length[t][s] < usize::MAX
            };
            let first = |s: usize| (0..s).all(|t| !both(s, t));
            let size = |s: usize| (0..n).filter(|&t| both(s, t)).count();
            let sizes = (0..n).filter(|&s| first(s)).map(size);
            prop_assert_eq!(&found.components, &counted(sizes));
        }
    }
}
