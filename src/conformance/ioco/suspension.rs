//! The suspension automaton: what a tester knows after what it has seen.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, StateId};

use super::interface::{Event, Interface, Locks, locks};
use super::purpose::TestPurpose;

/// A state of a system with one of a purpose, or 0 without a purpose.
pub type Pair = (u32, u32);

/// A system, perhaps in product with a purpose, of which sets of states are built that
/// are reached by the same suspension trace. Sets are sorted and have each state once,
/// and with a state what hidden transitions lead to from it.
pub struct Suspension<'a> {
    lts: &'a Lts,
    interface: &'a Interface,
    purpose: Option<&'a TestPurpose>,
    /// Why states are quiescent; nothing if quiescence is not observed.
    locks: Vec<Locks>,
}

/// What may happen to a set, and the set behind it.
pub struct Step {
    pub event: Event,
    /// Why it may be quiescence.
    pub locks: Locks,
    pub set: Vec<Pair>,
}

impl<'a> Suspension<'a> {
    /// The automaton of a system and a purpose. O(states + transitions) of the system.
    pub fn new(
        lts: &'a Lts,
        interface: &'a Interface,
        purpose: Option<&'a TestPurpose>,
        observes_quiescence: bool,
    ) -> Self {
        let locks = match observes_quiescence {
            true => locks(lts, interface),
            false => vec![Locks::default(); lts.states()],
        };
        Self {
            lts,
            interface,
            purpose,
            locks,
        }
    }

    /// The set that it begins with.
    pub fn initial(&self) -> Vec<Pair> {
        let purpose = self.purpose.map_or(0, TestPurpose::initial);
        self.closed(vec![(self.lts.initial().get(), purpose)])
    }

    /// The steps of a set, in the order of events: inputs, outputs, quiescence, actions
    /// by their numbers. The sets may have a state for each pair of a state of the
    /// system and one of the purpose.
    pub fn steps(&self, set: &[Pair]) -> Vec<Step> {
        let mut behind: BTreeMap<Event, Vec<Pair>> = BTreeMap::new();
        let mut all = Locks::default();
        for &pair in set {
            for (label, target) in self.lts.outgoing(StateId::new(pair.0)) {
                let Some(event) = self.interface.event(label) else {
                    continue;
                };
                let targets = behind.entry(event).or_default();
                self.purpose_step(pair.1, label, |p| targets.push((target.get(), p)));
            }
            let locks = self.locks[pair.0 as usize];
            if !locks.is_empty() {
                all = all.or(locks);
                behind.entry(Event::Quiescence).or_default().push(pair);
            }
        }
        let step = |(event, set)| Step {
            event,
            locks: match event {
                Event::Quiescence => all,
                Event::Input(_) | Event::Output(_) => Locks::default(),
            },
            set: self.closed(set),
        };
        behind.into_iter().map(step).collect()
    }

    fn purpose_step(&self, state: u32, label: LabelId, to: impl FnMut(u32)) {
        let mut to = to;
        match self.purpose {
            Some(purpose) => purpose.step(state, label, to),
            None => to(state),
        }
    }

    /// A set with all that hidden transitions lead to, sorted and each state once.
    fn closed(&self, mut set: Vec<Pair>) -> Vec<Pair> {
        set.sort_unstable();
        set.dedup();
        let mut seen: BTreeSet<Pair> = set.iter().copied().collect();
        let mut next = 0;
        while let Some(&(state, purpose)) = set.get(next) {
            next += 1;
            for (label, target) in self.lts.outgoing(StateId::new(state)) {
                if !self.interface.action(label).is_hidden() {
                    continue;
                }
                self.purpose_step(purpose, label, |p| {
                    let pair = (target.get(), p);
                    if seen.insert(pair) {
                        set.push(pair);
                    }
                });
            }
        }
        set.sort_unstable();
        set
    }
}
