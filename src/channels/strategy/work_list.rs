//! Algorithm 2: which states are to be visited, and again.

use std::collections::{BTreeSet, HashSet};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::super::machine::Machine;
use super::attempt::Changed;
use super::pending::Candidate;

/// The variables of Algorithm 2 (section 5.4).
///
/// A state that has been visited is opened again if something is to be tried there and
/// it is near what was changed: an end of a transition that came or went, linked with
/// one, or so near before one that came that a walk as long as a label leads through
/// that.
#[derive(Default)]
pub(super) struct WorkList {
    pub(super) open: BTreeSet<StateId>,
    closed: BTreeSet<StateId>,
    /// Those of the closed states where something may have to be tried.
    stale: BTreeSet<StateId>,
}

impl WorkList {
    /// The next state to be visited.
    pub(super) fn next(&mut self) -> Option<StateId> {
        let state = self.open.pop_first()?;
        self.closed.insert(state);
        Some(state)
    }

    pub(super) fn is_known(&self, state: StateId) -> bool {
        self.open.contains(&state) || self.closed.contains(&state)
    }

    /// The visit of a state is over: nothing more can be done there. Opens the targets
    /// of what leaves it, if they are not known yet.
    pub(super) fn follow(&mut self, machine: &Machine, state: StateId) {
        self.stale.remove(&state);
        if self.is_known(state) {
            for transition in machine.outgoing(state) {
                if !self.is_known(transition.target) {
                    self.open.insert(transition.target);
                }
            }
        }
    }

    /// Something was changed while `state` is visited; rules, by their places, are
    /// applicable to these since.
    pub(super) fn see(
        &mut self,
        machine: &Machine,
        state: StateId,
        changed: &Changed,
        woken: &[(usize, Candidate)],
    ) {
        for (_, candidate) in woken {
            let near = candidate.entry_points(machine).into_iter();
            let closed = near.filter(|near| self.closed.contains(near));
            self.stale.extend(closed);
        }
        let ends = changed.ends();
        for &end in ends.iter().filter(|&&end| end != state) {
            self.reopen(end);
        }
        for near in ends.iter().flat_map(|&end| machine.neighbours(end)) {
            if near != state && self.stale.contains(&near) {
                self.reopen(near);
            }
        }
        self.reopen_before(machine, state, changed);
        for &end in &ends {
            if !machine.has_state(end) {
                self.open.remove(&end);
                self.closed.remove(&end);
                self.stale.remove(&end);
            }
        }
        for transition in changed.added() {
            if machine.contains(transition)
                && self.closed.contains(&transition.source)
                && !self.is_known(transition.target)
            {
                self.open.insert(transition.target);
            }
        }
    }

    fn reopen(&mut self, state: StateId) {
        if self.closed.remove(&state) {
            self.stale.remove(&state);
            self.open.insert(state);
        }
    }

    /// Opens stale states from where a walk to a transition that was added and this
    /// transition together are not longer than the longest label.
    fn reopen_before(&mut self, machine: &Machine, state: StateId, changed: &Changed) {
        let longest = machine.longest_label();
        // How long the walk may be, and its end.
        let ends = changed
            .added()
            .map(|t| (longest.saturating_sub(t.label.len()), t.source));
        let ends: BTreeSet<(usize, StateId)> = ends.collect();
        let mut left = self.stale.len() - usize::from(self.stale.contains(&state));
        let mut known: HashSet<StateId, RandomState> = HashSet::default();
        let mut level: Vec<StateId> = Vec::new();
        let most = ends.last().map_or(0, |&(most, _)| most);
        for rest in (0..=most).rev() {
            let more = ends.range((rest, StateId::new(0))..(rest + 1, StateId::new(0)));
            level.extend(more.map(|&(_, end)| end));
            let mut next = Vec::new();
            for at in std::mem::take(&mut level) {
                if left == 0 {
                    return;
                }
                if !known.insert(at) {
                    continue;
                }
                if at != state && self.stale.contains(&at) {
                    self.reopen(at);
                    left -= 1;
                }
                next.extend(machine.incoming(at).map(|t| t.source));
            }
            level = next;
        }
    }
}
