//! Pruning: what leads nowhere is left out.
//!
//! A transition stays if what is wanted may or must still happen from its target on, as
//! formulas of CTL or the modal μ-calculus say it (R. Mateescu, P. Poizat, G. Salaün, "Adaptation
//! of service protocols using process algebra and on-the-fly reduction techniques", IEEE Trans.
//! Software Eng. 38, 2012). This is what CADP's `scrutator` does.

use hyades_formats::{LabelId, Lts, LtsParts, Offsets, StateId};
use hyades_lts::{Numbering, StateSet, reachable};

use super::Sources;

/// Which transitions stay. An action is a transition that [`prune`] is told to be one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pruning {
    /// Those to a state from which not all paths end in a deadlock: `νX. ⟨true⟩ X`.
    NoDeadlock,
    /// Actions, and those to a state from which one can be reached:
    /// `μX. ⟨action⟩ true ∨ ⟨true⟩ X`.
    Potential,
    /// Actions, and those to a state from which there is one on each path, be it infinite or to a
    /// deadlock: `μX. ⟨true⟩ true ∧ [¬action] X`.
    Inevitable,
}

/// The LTS with only the transitions that stay, and only the states that can be reached by
/// these, numbered breadth-first. The initial state stays whatever can happen. For
/// [`Pruning::NoDeadlock`], `is_action` does not matter.
///
/// O(states + transitions); 4 bytes a transition and 8 a state beyond the LTS.
pub fn prune(lts: Lts, pruning: Pruning, is_action: &(dyn Fn(LabelId) -> bool + Sync)) -> Lts {
    let (wanted, actions_stay) = match pruning {
        // Where all paths end in deadlocks, no transition is an action.
        Pruning::NoDeadlock => {
            let ending = inevitable(&lts, &|_| false, true);
            let mut others = StateSet::new(lts.states());
            for state in (0..lts.states()).filter(|&state| !ending.contains(state)) {
                others.insert(state);
            }
            (others, false)
        }
        Pruning::Potential => (potential(&lts, is_action), true),
        Pruning::Inevitable => (inevitable(&lts, is_action, false), true),
    };
    let stays = |label, target: StateId| {
        wanted.contains(target.index()) || actions_stay && is_action(label)
    };
    reachable(restricted_to(lts, stays), Numbering::BreadthFirst)
}

/// The states from which an action can be reached.
fn potential(lts: &Lts, is_action: &dyn Fn(LabelId) -> bool) -> StateSet {
    let sources = Sources::of_lts(lts, |_| true);
    let mut found = StateSet::new(lts.states());
    let mut open: Vec<u32> = Vec::new();
    for state in 0..lts.states() {
        let row = lts.row(StateId::from_index(state));
        if lts.labels()[row].iter().any(|&label| is_action(label)) {
            found.insert(state);
            open.push(state as u32);
        }
    }
    while let Some(target) = open.pop() {
        for &source in sources.of(target) {
            if found.insert(source as usize) {
                open.push(source);
            }
        }
    }
    found
}

/// The states from which there is an action on each path, or, if `deadlocks` count, from which
/// each path without one ends in a deadlock.
fn inevitable(
    lts: &Lts,
    is_action: &(dyn Fn(LabelId) -> bool + Sync),
    deadlocks: bool,
) -> StateSet {
    let sources = Sources::of_lts(lts, |label| !is_action(label));
    let mut found = StateSet::new(lts.states());
    let mut open: Vec<u32> = Vec::new();
    // How many transitions that are no actions lead to states that have not been found.
    let mut left: Vec<u32> = Vec::with_capacity(lts.states());
    for state in 0..lts.states() {
        let labels = &lts.labels()[lts.row(StateId::from_index(state))];
        // No row is longer ([`Lts::MAX_DEGREE`]).
        let others = labels.iter().filter(|&&label| !is_action(label)).count() as u32;
        left.push(others);
        if others == 0 && (deadlocks || !labels.is_empty()) {
            found.insert(state);
            open.push(state as u32);
        }
    }
    while let Some(target) = open.pop() {
        for &source in sources.of(target) {
            let left = &mut left[source as usize];
            *left -= 1;
            if *left == 0 {
                found.insert(source as usize);
                open.push(source);
            }
        }
    }
    found
}

/// The LTS with only the transitions that stay, in place.
fn restricted_to(lts: Lts, stays: impl Fn(LabelId, StateId) -> bool) -> Lts {
    let LtsParts {
        initial,
        offsets,
        mut labels,
        mut targets,
        table,
    } = lts.into_parts();
    let mut ends = Offsets::with_capacity(offsets.rows());
    let mut end = 0;
    for state in 0..offsets.rows() {
        for k in offsets.row(state) {
            let (label, target) = (labels[k], targets[k]);
            if stays(label, target) {
                labels[end] = label;
                targets[end] = target;
                end += 1;
            }
        }
        ends.push(end);
    }
    labels.truncate(end);
    targets.truncate(end);
    Lts::from_parts(LtsParts {
        initial,
        offsets: ends,
        labels,
        targets,
        table,
    })
}

#[cfg(test)]
mod tests {
    use hyades_testing::{check, lts, same};

    use super::*;

    type Step = (StateId, LabelId, StateId);

    /// The states where a formula holds, by rounds until nothing changes, from all or none on.
    fn fixpoint(lts: &Lts, greatest: bool, holds: impl Fn(&[Step], &[bool]) -> bool) -> Vec<bool> {
        let mut set = vec![greatest; lts.states()];
        loop {
            let next: Vec<bool> = (0..lts.states())
                .map(|s| {
                    let row: Vec<Step> = lts.iter().filter(|step| step.0.index() == s).collect();
                    holds(&row, &set)
                })
                .collect();
            if next == set {
                return set;
            }
            set = next;
        }
    }

    fn naive(lts: &Lts, pruning: Pruning, is_action: &dyn Fn(LabelId) -> bool) -> Lts {
        let to = |step: &Step, set: &[bool]| set[step.2.index()];
        let wanted = match pruning {
            Pruning::NoDeadlock => fixpoint(lts, true, |row, x| row.iter().any(|e| to(e, x))),
            Pruning::Potential => fixpoint(lts, false, |row, x| {
                row.iter().any(|e| is_action(e.1) || to(e, x))
            }),
            Pruning::Inevitable => fixpoint(lts, false, |row, x| {
                !row.is_empty() && row.iter().all(|e| is_action(e.1) || to(e, x))
            }),
        };
        let is_about_actions = pruning != Pruning::NoDeadlock;
        let mut builder = hyades_formats::LtsBuilder::new(lts.states() as u64);
        for (_, text) in lts.table().visible() {
            builder.table_mut().intern(text).unwrap();
        }
        for step in lts.iter() {
            if to(&step, &wanted) || is_about_actions && is_action(step.1) {
                builder.add(step.0, step.1, step.2);
            }
        }
        reachable(
            builder.build(lts.initial()).unwrap(),
            Numbering::BreadthFirst,
        )
    }

    #[test]
    fn prunings_agree_with_their_fixpoints() {
        check(300, 12, |lts, random| {
            let labels = lts.table().len();
            let chosen: Vec<bool> = (0..labels).map(|_| random.chance(30)).collect();
            let is_action = |label: LabelId| chosen[label.index()];
            for pruning in [Pruning::NoDeadlock, Pruning::Potential, Pruning::Inevitable] {
                let found = prune(lts.clone(), pruning, &is_action);
                let expected = naive(lts, pruning, &is_action);
                if !same(&found, &expected) {
                    return Err(format!("{pruning:?}: {found:?} is not {expected:?}"));
                }
            }
            Ok(())
        });
    }

    /// What [`Pruning::NoDeadlock`] leaves has no deadlock, but for an initial state from which
    /// all paths end, which has no transition then.
    #[test]
    fn nothing_ends_afterwards() {
        check(300, 12, |lts, _| {
            let found = prune(lts.clone(), Pruning::NoDeadlock, &|_| false);
            let ends = |s| found.row(StateId::from_index(s)).is_empty();
            let count = (0..found.states()).filter(|&s| ends(s)).count();
            match count == 0 || (found.states(), found.transitions()) == (1, 0) {
                true => Ok(()),
                false => Err(format!("{count} states end: {found:?}")),
            }
        });
    }

    #[test]
    fn cycles_may_be_gone_round_for_ever() {
        // 0 may loop, go to 1, which has to do `b`, or to the deadlock 3.
        let steps = [(0, "a", 0), (0, "a", 1), (1, "b", 2), (0, "c", 3)];
        let all = lts(&steps);
        let b = all
            .iter()
            .find(|e| all.table().text(e.1) == b"b")
            .unwrap()
            .1;
        let sizes = |pruning| {
            let found = prune(all.clone(), pruning, &|label| label == b);
            (found.states(), found.transitions())
        };
        assert_eq!(sizes(Pruning::NoDeadlock), (1, 1));
        assert_eq!(sizes(Pruning::Potential), (3, 3));
        // A path that loops for ever has no `b`.
        assert_eq!(sizes(Pruning::Inevitable), (3, 2));
    }

    #[test]
    fn depth_does_not_matter() {
        let n = 300_000;
        let mut builder = hyades_formats::LtsBuilder::new(n);
        for s in 0..n as u32 - 1 {
            builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(s + 1));
        }
        let chain = builder.build(StateId::new(0)).unwrap();
        let pruned = prune(chain, Pruning::NoDeadlock, &|_| false);
        assert_eq!((pruned.states(), pruned.transitions()), (1, 0));
    }
}
