//! Paths in an LTS.

use hyades_base::bits::Bits;
use hyades_formats::{LabelId, Lts, StateId};

/// The labels of an LTS that is one path from its initial state on, to a state without
/// transitions; `None` if it is none. What cannot be reached does not count.
///
/// O(length of the path).
pub fn chain(lts: &Lts) -> Option<Vec<LabelId>> {
    let mut labels = Vec::new();
    let mut state = lts.initial();
    loop {
        let mut row = lts.outgoing(state);
        let Some((label, target)) = row.next() else {
            return Some(labels);
        };
        // Where as many steps have been taken as there are, one was taken twice.
        if row.next().is_some() || labels.len() == lts.transitions() {
            return None;
        }
        labels.push(label);
        state = target;
    }
}

/// The same of a path that may also end in a cycle: once around it. What cannot be reached
/// does not count.
///
/// O(states + transitions of the path).
pub fn lasso(lts: &Lts) -> Option<Vec<LabelId>> {
    let mut labels = Vec::new();
    let mut seen = Bits::new(lts.states());
    let mut state = lts.initial();
    while seen.insert(state.get()) {
        let mut row = lts.outgoing(state);
        let Some((label, target)) = row.next() else {
            break;
        };
        if row.next().is_some() {
            return None;
        }
        labels.push(label);
        state = target;
    }
    Some(labels)
}

/// The labels of a shortest path from the initial state to `state`; `None` if
/// it cannot be reached.
///
/// O(states + transitions) time, 12 bytes a state. Of several shortest paths it
/// is the one that a breadth-first search in the order of rows finds first.
///
/// # Panics
/// If there is no such state.
pub fn shortest_path(lts: &Lts, state: StateId) -> Option<Vec<LabelId>> {
    const NONE: u32 = u32::MAX;
    assert!(state.index() < lts.states(), "no such state");
    // The step by which each state was found.
    let mut found = vec![(NONE, LabelId::HIDDEN); lts.states()];
    let mut order = vec![lts.initial()];
    found[lts.initial().index()].0 = lts.initial().get();
    let mut next = 0;
    while found[state.index()].0 == NONE {
        let source = *order.get(next)?;
        next += 1;
        for (label, target) in lts.outgoing(source) {
            let step = &mut found[target.index()];
            if step.0 == NONE {
                *step = (source.get(), label);
                order.push(target);
            }
        }
    }
    let mut path = Vec::new();
    let mut at = state;
    while at != lts.initial() {
        let (source, label) = found[at.index()];
        path.push(label);
        at = StateId::new(source);
    }
    path.reverse();
    Some(path)
}

#[cfg(test)]
mod tests {
    use hyades_testing::any_lts;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chains() {
        let of = |steps: &[(u32, &str, u32)]| {
            let lts = hyades_testing::lts(steps);
            let labels = chain(&lts)?;
            let text = |label| String::from_utf8_lossy(lts.table().text(label)).into_owned();
            Some(labels.into_iter().map(text).collect::<Vec<_>>().concat())
        };
        assert_eq!(of(&[]).as_deref(), Some(""));
        assert_eq!(of(&[(0, "a", 2), (2, "b", 1)]).as_deref(), Some("ab"));
        // What cannot be reached does not count.
        assert_eq!(of(&[(0, "a", 1), (2, "b", 2)]).as_deref(), Some("a"));
        assert_eq!(of(&[(0, "a", 0)]), None);
        assert_eq!(of(&[(0, "a", 1), (1, "b", 0)]), None);
        assert_eq!(of(&[(0, "a", 0), (1, "b", 2)]), None);
        assert_eq!(of(&[(0, "a", 1), (0, "a", 1)]), None);
        assert_eq!(of(&[(0, "a", 1), (0, "b", 2)]), None);
    }

    /// The states that paths with these labels may end in.
    fn ends(lts: &Lts, path: &[LabelId]) -> Vec<StateId> {
        path.iter().fold(vec![lts.initial()], |states, label| {
            let steps = states.iter().flat_map(|&s| lts.outgoing(s));
            steps
                .filter(|step| step.0 == *label)
                .map(|step| step.1)
                .collect()
        })
    }

    /// The states within so many steps.
    fn within(lts: &Lts, steps: usize) -> Vec<bool> {
        let mut seen = vec![false; lts.states()];
        seen[lts.initial().index()] = true;
        for _ in 0..steps {
            let before = seen.clone();
            for (s, _, t) in lts.iter() {
                seen[t.index()] |= before[s.index()];
            }
        }
        seen
    }

    proptest! {
        #[test]
        fn paths_are_shortest(lts in any_lts()) {
            for state in (0..lts.states()).map(StateId::from_index) {
                match shortest_path(&lts, state) {
                    None => prop_assert!(!within(&lts, lts.states())[state.index()]),
                    Some(path) => {
                        prop_assert!(ends(&lts, &path).contains(&state));
                        let shorter = path.len().checked_sub(1);
                        prop_assert!(shorter.is_none_or(|n| !within(&lts, n)[state.index()]));
                    }
                }
            }
        }
    }
}
