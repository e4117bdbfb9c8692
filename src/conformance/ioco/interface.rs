//! What a tester sees of a system: inputs, outputs, and that nothing comes.

use hyades_formats::{LabelId, LabelTable, Lts, StateId, TooLarge};
use hyades_lts::components_by;

/// Who an action is by, seen from the system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    /// By the environment: a tester stimulates the system.
    Input,
    /// By the system: a tester observes it.
    Output,
}

/// What happens between a system and a tester; named as the system sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Event {
    /// The system takes an input.
    Input(LabelId),
    /// The system gives an output.
    Output(LabelId),
    /// No output comes, however long one waits; δ on paper.
    Quiescence,
}

impl Event {
    /// Whether a tester observes it, instead of doing it.
    pub fn is_observed(self) -> bool {
        match self {
            Event::Input(_) => false,
            Event::Output(_) | Event::Quiescence => true,
        }
    }
}

/// The actions of a system: what its labels are for a tester, and which are inputs. They
/// are numbered by their texts, so that what is done in their order does not depend on the
/// order of labels.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The action that each label of the system is, perhaps the hidden one.
    seen: Vec<LabelId>,
    actions: LabelTable,
    /// The direction of each action but the hidden one, whose entry means nothing.
    directions: Vec<Direction>,
}

impl Interface {
    /// All visible labels are actions of their own, and those are inputs of which
    /// `is_input` holds. O(labels · log(labels)).
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn new(labels: &LabelTable, is_input: impl Fn(&[u8]) -> bool) -> Result<Self, TooLarge> {
        let seen: Vec<LabelId> = (0..labels.len() as u32).map(LabelId::new).collect();
        Self::relabelled(&seen, labels, is_input)
    }

    /// As [`Interface::new`] after relabelling: label `k` of the system is `seen[k]` of
    /// `labels`.
    ///
    /// # Errors
    /// As there.
    pub fn relabelled(
        seen: &[LabelId],
        labels: &LabelTable,
        is_input: impl Fn(&[u8]) -> bool,
    ) -> Result<Self, TooLarge> {
        let mut sorted: Vec<(LabelId, &[u8])> = labels.visible().collect();
        sorted.sort_unstable_by_key(|&(_, text)| text);
        let mut actions = LabelTable::new();
        let mut numbers = vec![LabelId::HIDDEN; labels.len()];
        for (label, text) in sorted {
            numbers[label.index()] = actions.intern(text)?;
        }
        let direction = |text: &[u8]| match is_input(text) {
            true => Direction::Input,
            false => Direction::Output,
        };
        let hidden = std::iter::once(Direction::Output);
        let visible = actions.visible().map(|(_, text)| direction(text));
        let directions = hidden.chain(visible).collect();
        Ok(Self {
            seen: seen.iter().map(|label| numbers[label.index()]).collect(),
            actions,
            directions,
        })
    }

    /// The action that a label of the system is.
    pub fn action(&self, label: LabelId) -> LabelId {
        self.seen[label.index()]
    }

    /// The event that a label of the system is, if it is visible.
    pub fn event(&self, label: LabelId) -> Option<Event> {
        let action = self.action(label);
        if action.is_hidden() {
            return None;
        }
        Some(match self.directions[action.index()] {
            Direction::Input => Event::Input(action),
            Direction::Output => Event::Output(action),
        })
    }

    /// The texts of the actions.
    pub fn actions(&self) -> &LabelTable {
        &self.actions
    }
}

/// Why a state is quiescent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Lock {
    /// It has no transition.
    Deadlock,
    /// It has only inputs.
    OutputLock,
    /// It is on a cycle of hidden transitions.
    Livelock,
}

impl Lock {
    /// All of them.
    pub const ALL: [Lock; 3] = [Lock::Deadlock, Lock::OutputLock, Lock::Livelock];

    /// As it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Lock::Deadlock => "DEADLOCK",
            Lock::OutputLock => "OUTPUTLOCK",
            Lock::Livelock => "LIVELOCK",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Lock::Deadlock => 1,
            Lock::OutputLock => 2,
            Lock::Livelock => 4,
        }
    }
}

/// A set of reasons for quiescence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Locks(u8);

impl Locks {
    /// Whether there is none: what they are about is not quiescent.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this is one of them.
    pub fn contains(self, lock: Lock) -> bool {
        self.0 & lock.bit() != 0
    }

    /// The same with one more.
    #[must_use]
    pub fn with(self, lock: Lock) -> Self {
        Self(self.0 | lock.bit())
    }

    /// All of both.
    #[must_use]
    pub fn or(self, others: Locks) -> Self {
        Self(self.0 | others.0)
    }
}

/// Why each state of a system is quiescent, if it is. Labels count by what they are for
/// a tester: hidden ones are internal. O(states + transitions).
pub fn locks(lts: &Lts, interface: &Interface) -> Vec<Locks> {
    let is_hidden = |label| interface.action(label).is_hidden();
    let components = components_by(lts, is_hidden);
    let sizes = components.sizes();
    let of_state = |k: usize| {
        let state = StateId::from_index(k);
        let mut row = lts.outgoing(state);
        let locks = Locks::default();
        if row.len() == 0 {
            return locks.with(Lock::Deadlock);
        }
        if row.all(|(label, _)| matches!(interface.event(label), Some(Event::Input(_)))) {
            return locks.with(Lock::OutputLock);
        }
        let mut row = lts.outgoing(state);
        let is_looping = row.any(|(label, target)| target == state && is_hidden(label));
        match is_looping || sizes[components.of[k] as usize] > 1 {
            true => locks.with(Lock::Livelock),
            false => locks,
        }
    };
    (0..lts.states()).map(of_state).collect()
}
