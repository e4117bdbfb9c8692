//! Strongly connected components.

use std::collections::HashSet;

use hyades_formats::{LabelId, Lts, OffsetsRef, StateId};

use super::reachable::{StateSet, reachable_by};

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
/// finding strongly connected components", Inf. Process. Lett. 116 (2016), around a
/// [core](component_core) where there is one.
pub fn components(lts: &Lts) -> Components {
    components_by(lts, |_| true)
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
    let core = component_core(lts, &follows, LEAST, PART);
    strongly_connected(lts.offsets(), lts.targets(), core, |k| follows(labels[k]))
}

/// Small systems have cores in tests.
const LEAST: usize = if cfg!(test) { 3 } else { LEAST_WITH_CORE };
const PART: usize = if cfg!(test) { 16 } else { CORE_PART };

/// As [`components`], of the rows of hidden transitions only.
pub fn hidden_components<'a>(
    offsets: impl Into<OffsetsRef<'a>>,
    targets: &[StateId],
) -> Components {
    strongly_connected(offsets.into(), targets, None, |_| true)
}

/// Systems of fewer states are searched without a core: their numbers fit the caches.
pub const LEAST_WITH_CORE: usize = 1 << 19;

/// A core has at least this part of all states: what it takes to find it is to be less than
/// what it saves.
pub const CORE_PART: usize = 4;

/// Several states of one component of the transitions whose labels `follows` admits, most of
/// a very large one if there is such: at least one of `part` states, of at least `least`. Or
/// none.
///
/// A depth-first search waits for the memory at each state. Where a state on a cycle
/// reaches many states, these are found much faster in the order of their numbers, and so is
/// which of them lead back (Fleischer, Hendrickson, Pinar: On identifying strongly connected
/// components in parallel, IPDPS 2000): by going through those that are not known to, as long
/// as that finds enough of them. A walk tells where to begin, and whether it is worth while:
/// in a component of k states it meets itself after about √k steps.
///
/// O(states + transitions), and O(√states · degree) where there is none.
pub fn component_core(
    lts: &Lts,
    follows: impl Fn(LabelId) -> bool,
    least: usize,
    part: usize,
) -> Option<StateSet> {
    let n = lts.states();
    if n < least || lts.transitions() > u32::MAX as usize {
        return None;
    }
    let pivot = (0..4).find_map(|k| cycle_of(lts, &follows, k * (n / 4)))?;
    let reached = reachable_by(lts, pivot, &follows);
    if reached.count < n / part {
        return None;
    }
    let mut core = StateSet::new(n);
    core.insert(pivot.index());
    let mut rest: Vec<u32> = reached.iter().rev().map(|s| s as u32).collect();
    loop {
        let before = core.count;
        rest.retain(|&s| {
            let mut row = lts.outgoing(StateId::new(s));
            let leads_back = row.any(|(l, t)| follows(l) && core.contains(t.index()));
            if leads_back {
                core.insert(s as usize);
            }
            !leads_back
        });
        let found = core.count - before;
        if rest.is_empty() || (found < before && 8 * found < rest.len()) {
            break;
        }
    }
    // One state alone is none.
    (core.count >= 2.max(n / part)).then_some(core)
}

/// Where a walk meets itself, if not too soon, nor too late, for a large component.
fn cycle_of(lts: &Lts, follows: impl Fn(LabelId) -> bool, start: usize) -> Option<StateId> {
    let root = lts.states().isqrt();
    let mut met = HashSet::new();
    let mut state = StateId::new(start as u32);
    while met.len() < 2 * root {
        if !met.insert(state) {
            return (met.len() >= root / 2).then_some(state);
        }
        let followed = || lts.outgoing(state).filter(|&(l, _)| follows(l));
        // Some other way each time.
        let choice = met.len() % followed().count().max(1);
        (_, state) = followed().nth(choice)?;
    }
    None
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

/// A state that the search has entered and not left; of the core, the one whose row is looked
/// at.
struct Frame {
    state: u32,
    /// The next transition of its row to look at.
    next: u32,
    /// The number of the state in order of entry among those not yet in a
    /// component.
    entry: u32,
}

/// The states of the core, of which it is known that they are of one component, are entered
/// and left at once; the lowest one of them stands for all.
fn strongly_connected(
    offsets: OffsetsRef<'_>,
    targets: &[StateId],
    core: Option<StateSet>,
    admits: impl Fn(usize) -> bool,
) -> Components {
    let n = offsets.rows();
    let in_core = |state: usize| core.as_ref().is_some_and(|core| core.contains(state));
    let members = || core.iter().flat_map(StateSet::iter);
    let lowest_of_core = members().next().unwrap_or_default();
    let stands_for = |state: usize| match in_core(state) {
        true => lowest_of_core,
        false => state,
    };
    // A state, or all of the core.
    let set = |mark: &mut [u32], state: usize, number: u32| match in_core(state) {
        true => members().for_each(|s| mark[s] = number),
        false => mark[state] = number,
    };
    // 0: not yet seen. Seen, but not in a component: the least entry number
    // known to be reachable from here (of the core, from the state that stands for it; of the
    // others, that of the core). In a component: a number that counts
    // down from n, and is larger than all entry numbers in use, since those
    // are at most the number of states that are in no component.
    let mut mark = vec![0u32; n];
    let mut component = n as u32;
    let mut entry = 1;
    let mut frames: Vec<Frame> = Vec::new();
    // States that were left, but whose component is not complete.
    let mut waiting: Vec<u32> = Vec::new();
    for root in 0..n {
        if mark[root] != 0 {
            continue;
        }
        let mut unseen = Some(root);
        loop {
            if let Some(state) = unseen.take() {
                let state = stands_for(state);
                set(&mut mark, state, entry);
                frames.push(Frame {
                    state: state as u32,
                    next: 0,
                    entry,
                });
                entry += 1;
            }
            let Some(frame) = frames.last_mut() else {
                break;
            };
            let v = stands_for(frame.state as usize);
            let mut lowest = mark[v];
            'rows: loop {
                let row = offsets.row(frame.state as usize);
                while (frame.next as usize) < row.len() {
                    let k = row.start + frame.next as usize;
                    frame.next += 1;
                    if !admits(k) {
                        continue;
                    }
                    let w = targets[k].index();
                    if mark[w] == 0 {
                        unseen = Some(w);
                        break 'rows;
                    }
                    lowest = lowest.min(mark[w]);
                }
                let more = match in_core(v) {
                    true => (frame.state as usize + 1..n).find(|&s| in_core(s)),
                    false => None,
                };
                let Some(more) = more else {
                    break;
                };
                frame.state = more as u32;
                frame.next = 0;
            }
            mark[v] = lowest;
            if unseen.is_some() {
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
                    set(&mut mark, w as usize, component);
                    entry -= 1;
                }
                set(&mut mark, v, component);
                component -= 1;
            } else {
                waiting.push(v as u32);
                // The root of the component is still being visited, so there
                // is a frame below.
                if let Some(parent) = frames.last() {
                    let p = stands_for(parent.state as usize);
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
            members: u16,
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
            // Any states of one component may be the core.
            let whole = strongly_connected(lts.offsets(), lts.targets(), None, |_| true);
            check(&whole, n, &all);
            for component in 0..whole.count {
                let mut core = StateSet::new(n);
                for s in (0..n).filter(|&s| whole.of[s] == component && members >> s & 1 == 1) {
                    core.insert(s);
                }
                let around = strongly_connected(lts.offsets(), lts.targets(), Some(core), |_| true);
                check(&around, n, &all);
            }
            if let Some(core) = component_core(&lts, LabelId::is_hidden, 1, 16) {
                let of: Vec<u32> = core.iter().map(|s| taus.of[s]).collect();
                prop_assert!(of.len() > 1 && of.iter().all(|&c| c == of[0]));
            }
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
