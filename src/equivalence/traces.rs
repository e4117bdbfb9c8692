//! Traces that one state has and another has not.

use hyades_base::discovered::Discovered;
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts, StateId};

/// A sequence of labels that one of two states can go through and the other
/// cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OneSided {
    /// Whether it is the first state that can.
    pub(super) first: bool,
    pub(super) labels: Vec<LabelId>,
}

/// Whether hidden steps are part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hidden {
    /// They count as all others.
    Counted,
    /// They may be taken at any time and are left out.
    Skipped,
}

/// Whether no state has two steps with the same label, or a hidden step that is skipped.
/// Each row ascends by label.
pub(super) fn is_deterministic(lts: &Lts, hidden: Hidden) -> bool {
    let is_seen = |label: LabelId| hidden == Hidden::Counted || !label.is_hidden();
    (0..lts.states()).map(StateId::from_index).all(|state| {
        let mut last = None;
        let mut steps = lts.outgoing(state);
        steps.all(|(label, _)| is_seen(label) && last.replace(label) != Some(label))
    })
}

/// A shortest trace that only one of two states has; `None` if there is none,
/// or if finding out takes more than about `limit` steps.
///
/// Searches the pairs of the sets of states that a trace may lead to from the
/// one and from the other, breadth-first. If both are the same set there is no
/// difference to be found behind them. Traces are closed under prefixes, so
/// that the first trace with an empty set is a shortest one.
pub(super) fn one_sided(
    lts: &Lts,
    first: StateId,
    second: StateId,
    hidden: Hidden,
    limit: usize,
) -> Option<OneSided> {
    let mut search = Search::new(lts, hidden);
    let mut start = |state| {
        let mut set = vec![state];
        search.close(&mut set);
        search.intern(&set)
    };
    let pair = (start(first), start(second));
    let mut found = Discovered::default();
    found.add(pair, None, LabelId::HIDDEN);
    let mut next = 0;
    while next < found.len() {
        let (left, right) = *found.get(next);
        let (lefts, rights) = (search.steps(left), search.steps(right));
        if let Some((first, label)) = only_one(&lefts, &rights) {
            let labels = found.steps(next).copied().chain([label]).collect();
            return Some(OneSided { first, labels });
        }
        for ((label, mut left), (_, mut right)) in lefts.into_iter().zip(rights) {
            search.close(&mut left);
            search.close(&mut right);
            let pair = (search.intern(&left), search.intern(&right));
            if pair.0 != pair.1 {
                found.add(pair, Some(next), label);
            }
            if search.work > limit {
                return None;
            }
        }
        if search.work > limit {
            return None;
        }
        next += 1;
    }
    None
}

/// The first label that only one of two sets has steps with, both in the order of labels,
/// and whether it is the first set.
fn only_one(
    lefts: &[(LabelId, Vec<StateId>)],
    rights: &[(LabelId, Vec<StateId>)],
) -> Option<(bool, LabelId)> {
    let same = lefts.iter().zip(rights);
    let same = same.take_while(|(left, right)| left.0 == right.0).count();
    match (lefts.get(same), rights.get(same)) {
        (None, None) => None,
        (Some(left), right) if right.is_none_or(|right| left.0 < right.0) => Some((true, left.0)),
        (_, right) => right.map(|right| (false, right.0)),
    }
}

struct Search<'a> {
    lts: &'a Lts,
    hidden: Hidden,
    /// The sets met so far.
    sets: Interned<StateId>,
    work: usize,
    /// Scratch for [`Search::close`].
    seen: Vec<bool>,
}

impl<'a> Search<'a> {
    fn new(lts: &'a Lts, hidden: Hidden) -> Self {
        Self {
            lts,
            hidden,
            sets: Interned::default(),
            work: 0,
            seen: vec![false; lts.states()],
        }
    }

    /// The number of an ascending set.
    fn intern(&mut self, set: &[StateId]) -> u32 {
        self.work += set.len();
        self.sets.intern(set).0
    }

    /// The sets that the steps of a set lead to, not closed, ascending by label.
    fn steps(&mut self, set: u32) -> Vec<(LabelId, Vec<StateId>)> {
        let mut steps: Vec<(LabelId, StateId)> = Vec::new();
        for &s in self.sets.get(set) {
            steps.extend(
                self.lts
                    .outgoing(s)
                    .filter(|(a, _)| self.hidden == Hidden::Counted || !a.is_hidden()),
            );
        }
        self.work += steps.len();
        steps.sort_unstable();
        steps.dedup();
        let of_labels = steps.chunk_by(|a, b| a.0 == b.0);
        let set = |of_label: &[(LabelId, StateId)]| {
            let targets = of_label.iter().map(|step| step.1).collect();
            (of_label[0].0, targets)
        };
        of_labels.map(set).collect()
    }

    /// Adds what can be reached by hidden steps, if they are skipped.
    fn close(&mut self, set: &mut Vec<StateId>) {
        if self.hidden == Hidden::Counted {
            return;
        }
        set.iter().for_each(|s| self.seen[s.index()] = true);
        let mut next = 0;
        while next < set.len() {
            for (a, t) in self.lts.outgoing(set[next]) {
                self.work += 1;
                if a.is_hidden() && !self.seen[t.index()] {
                    self.seen[t.index()] = true;
                    set.push(t);
                }
            }
            next += 1;
        }
        set.iter().for_each(|s| self.seen[s.index()] = false);
        set.sort_unstable();
    }
}

/// Whether a state can go through these labels. The oracle of the search:
/// follows the set of states that each prefix may lead to.
pub(super) fn has_trace(lts: &Lts, state: StateId, labels: &[LabelId], hidden: Hidden) -> bool {
    let mut search = Search::new(lts, hidden);
    let mut set = vec![state];
    search.close(&mut set);
    for &label in labels {
        let mut next: Vec<StateId> = set
            .iter()
            .flat_map(|&s| lts.outgoing(s))
            .filter(|step| step.0 == label)
            .map(|step| step.1)
            .collect();
        next.sort_unstable();
        next.dedup();
        search.close(&mut next);
        set = next;
    }
    !set.is_empty()
}

#[cfg(test)]
mod tests {
    use hyades_testing::lts;

    use super::*;
    use crate::compare::Preferred;

    /// Where no formula can have less depth than a trace, none is looked for.
    #[test]
    fn a_trace_is_the_reason_where_steps_are_deterministic() {
        let chain = lts(&[(0, "a", 1), (0, "b", 0), (1, "a", 2)]);
        let hidden = lts(&[(0, "a", 1), (0, "i", 0), (1, "a", 2)]);
        let choice = lts(&[(0, "b", 1), (1, "a", 0), (1, "a", 2)]);
        for (lts, counted, skipped) in [
            (&chain, true, true),
            (&hidden, true, false),
            (&choice, false, false),
        ] {
            for (kind, wanted) in [(Hidden::Counted, counted), (Hidden::Skipped, skipped)] {
                assert_eq!(is_deterministic(lts, kind), wanted, "{kind:?} of {lts:?}");
                let least = match wanted {
                    true => Preferred::Trace,
                    false => Preferred::Least,
                };
                assert_eq!(Preferred::Least.among(lts, kind), least);
                assert_eq!(Preferred::Formula.among(lts, kind), Preferred::Formula);
            }
        }
    }
}
