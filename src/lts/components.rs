//! Strongly connected components.

use hyades_formats::{LabelId, Lts, OffsetsRef, StateId};

/// The strongly connected components of a graph over the states of an LTS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of every state, below [`count`](Components::count).
    /// Numbers are in reverse topological order: a step from one component to
    /// another leads to a lower number.
    pub of: Vec<u32>,
    /// How many there are.
    pub count: u32,
}

impl Components {
    /// The number of states of every component. O(states).
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![0; self.count as usize];
        for &c in &self.of {
            sizes[c as usize] += 1;
        }
        sizes
    }
}

/// The strongly connected components of all transitions of `lts`.
///
/// O(states + transitions) time; 8 bytes a state, and 12 for every state on the
/// longest path that the depth-first search takes. Tarjan's algorithm in the
/// space-efficient form of D. J. Pearce, "A space-efficient algorithm for
/// finding strongly connected components", Inf. Process. Lett. 116 (2016).
pub fn components(lts: &Lts) -> Components {
    strongly_connected(lts.offsets(), lts.targets(), |_| true)
}

/// The strongly connected components of the hidden transitions of `lts`; cost
/// as of [`components`].
pub fn tau_components(lts: &Lts) -> Components {
    components_by(lts, LabelId::is_hidden)
}

/// The strongly connected components of the transitions of `lts` whose labels
/// `follows` admits; cost as of [`components`].
pub fn components_by(lts: &Lts, follows: impl Fn(LabelId) -> bool) -> Components {
    let labels = lts.labels();
    strongly_connected(lts.offsets(), lts.targets(), |k| follows(labels[k]))
}

/// As [`components`], of the rows of hidden transitions only.
pub fn hidden_components<'a>(
    offsets: impl Into<OffsetsRef<'a>>,
    targets: &[StateId],
) -> Components {
    strongly_connected(offsets.into(), targets, |_| true)
}

/// The lowest state on a cycle of the transitions that `admits` keeps, of whose
/// graph `components` are: one with another in its component, or a self-loop.
pub fn first_on_cycle<'a>(
    components: &Components,
    offsets: impl Into<OffsetsRef<'a>>,
    targets: &[StateId],
    admits: impl Fn(usize) -> bool,
) -> Option<StateId> {
    let offsets = offsets.into();
    let sizes = components.sizes();
    (0..components.of.len()).map(StateId::from_index).find(|s| {
        let mut row = offsets.row(s.index());
        sizes[components.of[s.index()] as usize] > 1 || row.any(|k| targets[k] == *s && admits(k))
    })
}

/// A state that the search has entered and not left.
struct Frame {
    state: u32,
    /// The next transition of its row to look at.
    next: u32,
    /// The number of the state in order of entry among those not yet in a
    /// component.
    entry: u32,
}

fn strongly_connected(
    offsets: OffsetsRef<'_>,
    targets: &[StateId],
    admits: impl Fn(usize) -> bool,
) -> Components {
    let n = offsets.rows();
    // 0: not yet seen. Seen, but not in a component: the least entry number
    // known to be reachable from here. In a component: a number that counts
    // down from n, and is larger than all entry numbers in use, since those
    // are at most the number of states that are in no component.
    let mut mark = vec![0u32; n];
    let mut component = n as u32;
    let mut entry = 1;
    let mut frames: Vec<Frame> = Vec::new();
    // States that were left, but whose component is not complete.
    let mut waiting: Vec<u32> = Vec::new();
    for root in 0..n as u32 {
        if mark[root as usize] != 0 {
            continue;
        }
        mark[root as usize] = entry;
        frames.push(Frame {
            state: root,
            next: 0,
            entry,
        });
        entry += 1;
        while let Some(frame) = frames.last_mut() {
            let v = frame.state as usize;
            let row = offsets.row(v);
            let mut lowest = mark[v];
            let mut unseen = None;
            while (frame.next as usize) < row.len() {
                let k = row.start + frame.next as usize;
                frame.next += 1;
                if !admits(k) {
                    continue;
                }
                let w = targets[k].index();
                if mark[w] == 0 {
                    unseen = Some(w);
                    break;
                }
                lowest = lowest.min(mark[w]);
            }
            mark[v] = lowest;
            if let Some(w) = unseen {
                mark[w] = entry;
                frames.push(Frame {
                    state: w as u32,
                    next: 0,
                    entry,
                });
                entry += 1;
                continue;
            }
            let own = frame.entry;
            frames.pop();
            if lowest == own {
                entry -= 1;
                while let Some(&w) = waiting.last()
                    && mark[w as usize] >= own
                {
                    waiting.pop();
                    mark[w as usize] = component;
                    entry -= 1;
                }
                mark[v] = component;
                component -= 1;
            } else {
                waiting.push(v as u32);
                // The root of the component is still being visited, so there
                // is a frame below.
                if let Some(parent) = frames.last() {
                    let p = parent.state as usize;
                    mark[p] = mark[p].min(lowest);
                }
            }
        }
    }
    let count = n as u32 - component;
    for m in &mut mark {
        *m = n as u32 - *m;
    }
    Components { of: mark, count }
}

#[cfg(test)]
mod tests {
    use hyades_formats::{LabelId, LtsBuilder};
    use proptest::prelude::*;

    use super::*;

    /// Reachability by Warshall's algorithm; state `s` reaches itself.
    fn closure(n: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; n]; n];
        for (s, row) in reach.iter_mut().enumerate() {
            row[s] = true;
        }
        for &(s, t) in edges {
            reach[s][t] = true;
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    reach[i][j] |= reach[i][k] && reach[k][j];
                }
            }
        }
        reach
    }

    fn check(components: &Components, n: usize, edges: &[(usize, usize)]) {
        let reach = closure(n, edges);
        for (s, from) in reach.iter().enumerate() {
            for (t, &reached) in from.iter().enumerate() {
                let (a, b) = (components.of[s], components.of[t]);
                assert_eq!(a == b, reached && reach[t][s], "{s} and {t}");
                assert!(!reached || a >= b, "{s} before {t}");
            }
        }
        let sizes = components.sizes();
        assert!(sizes.iter().all(|&size| size > 0));
        assert_eq!(sizes.iter().sum::<u32>() as usize, n);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn components_are_mutual_reachability(
            n in 1usize..12,
            edges in prop::collection::vec((0usize..12, any::<bool>(), 0usize..12), 0..30),
        ) {
            let mut builder = LtsBuilder::new(n as u64);
            let a = builder.table_mut().intern(b"a").unwrap();
            let mut all = Vec::new();
            let mut hidden = Vec::new();
            for (s, tau, t) in edges {
                let (s, t) = (s % n, t % n);
                builder.add(
                    StateId::from_index(s),
                    if tau { LabelId::HIDDEN } else { a },
                    StateId::from_index(t),
                );
                all.push((s, t));
                if tau {
                    hidden.push((s, t));
                }
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            check(&components(&lts), n, &all);
            let taus = tau_components(&lts);
            check(&taus, n, &hidden);
            let reach = closure(n, &hidden);
            let cyclic = (0..n).find(|&s| hidden.iter().any(|&(a, b)| a == s && reach[b][s]));
            let labels = lts.labels();
            let first = first_on_cycle(&taus, lts.offsets(), lts.targets(), |k| labels[k].is_hidden());
            prop_assert_eq!(first.map(StateId::index), cyclic);
        }
    }

    #[test]
    fn depth_does_not_matter() {
        let n = 1_000_000;
        let mut builder = LtsBuilder::new(n);
        for s in 0..n as u32 {
            builder.add(
                StateId::new(s),
                LabelId::HIDDEN,
                StateId::new((s + 1) % n as u32),
            );
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        assert_eq!(components(&lts).count, 1);
    }
}
