//! The labelled transition system in memory.

pub use crate::ids::{LabelId, StateId, TooLarge};
use crate::state_labels::StateLabels;
pub use crate::table::LabelTable;
pub use hyades_base::offsets::{Offsets, OffsetsRef};
use hyades_base::parallel;

/// A labelled transition system: states `0 .. states()`, one of them initial,
/// and transitions in compressed rows by source.
///
/// Row `s` is a range of the parallel columns `labels` and `targets`, which
/// [`Offsets`] tell: 8 bytes a transition and 4 a state. Within a row the order
/// means nothing to algorithms, but is kept (readers keep the file's order).
/// Equal transitions may occur more than once.
///
/// Invariants: `states() ≥ 1`; the initial state, all targets and all labels
/// are in range; at most [`StateId::MAX_COUNT`] states, 2^48 transitions, and
/// 2^32 − 1 transitions of one state.
#[derive(Clone, Debug)]
pub struct Lts {
    initial: StateId,
    offsets: Offsets,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
    table: LabelTable,
    state_labels: Option<Box<StateLabels>>,
}

/// The columns of an [`Lts`], taken apart by [`Lts::into_parts`].
#[derive(Debug)]
pub struct LtsParts {
    /// The initial state.
    pub initial: StateId,
    /// A row for each state; see [`Lts`].
    pub offsets: Offsets,
    /// The labels of the transitions.
    pub labels: Vec<LabelId>,
    /// The targets of the transitions.
    pub targets: Vec<StateId>,
    /// The texts of the labels.
    pub table: LabelTable,
}

impl Lts {
    /// The largest usable number of transitions, 2^48.
    pub const MAX_TRANSITIONS: u64 = 1 << 48;

    /// The largest usable number of transitions of one state, 2^32 − 1.
    pub const MAX_DEGREE: u64 = u32::MAX as u64;

    /// The offsets of the rows of all states, from what they are modulo 2^32 and the
    /// number of transitions.
    ///
    /// # Errors
    /// If a state has more than [`Lts::MAX_DEGREE`] transitions, or has them by offsets that
    /// do not ascend from 0 to that number.
    pub fn offsets_from_wrapping(low: Vec<u32>, transitions: usize) -> Result<Offsets, TooLarge> {
        Offsets::from_wrapping(low, transitions).ok_or(TooLarge {
            what: "transitions of one state",
            limit: Lts::MAX_DEGREE,
        })
    }

    /// Puts an LTS together from its columns.
    ///
    /// # Panics
    /// If an invariant of [`Lts`] does not hold. O(states + transitions).
    pub fn from_parts(parts: LtsParts) -> Self {
        let LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table,
        } = parts;
        let n = offsets.rows();
        assert!(
            n >= 1 && (n as u64) <= StateId::MAX_COUNT,
            "number of states"
        );
        assert!(initial.index() < n, "initial state in range");
        assert_eq!(labels.len(), targets.len());
        assert_eq!(offsets.end(), targets.len());
        assert!(offsets.ascend(), "offsets ascend");
        assert!(
            are_below(&labels, |l| l.get(), table.len()),
            "labels in range"
        );
        assert!(are_below(&targets, |t| t.get(), n), "targets in range");
        Self {
            initial,
            offsets,
            labels,
            targets,
            table,
            state_labels: None,
        }
    }

    /// Puts an LTS together from columns of which the invariants hold by
    /// construction, without a look at each transition.
    pub(crate) fn from_trusted_parts(parts: LtsParts) -> Self {
        if cfg!(debug_assertions) {
            return Self::from_parts(parts);
        }
        let LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table,
        } = parts;
        Self {
            initial,
            offsets,
            labels,
            targets,
            table,
            state_labels: None,
        }
    }

    /// Adds what is known of the states.
    ///
    /// # Panics
    /// If not every state is described.
    pub fn with_state_labels(mut self, labels: StateLabels) -> Self {
        assert_eq!(labels.states(), self.states(), "one description a state");
        self.state_labels = Some(Box::new(labels));
        self
    }

    /// What is known of the states, if the file had anything to say of them.
    pub fn state_labels(&self) -> Option<&StateLabels> {
        self.state_labels.as_deref()
    }

    /// Takes out what is known of the states, for operations that let them stay
    /// as they are.
    pub fn take_state_labels(&mut self) -> Option<StateLabels> {
        self.state_labels.take().map(|labels| *labels)
    }

    /// Takes the LTS apart, so that an algorithm can reuse or free a column.
    /// What is known of the states is dropped.
    pub fn into_parts(self) -> LtsParts {
        let Self {
            initial,
            offsets,
            labels,
            targets,
            table,
            state_labels: _,
        } = self;
        LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table,
        }
    }

    /// The initial state.
    #[inline]
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The number of states, at least 1.
    #[inline]
    pub fn states(&self) -> usize {
        self.offsets.rows()
    }

    /// The number of transitions, duplicates counted.
    #[inline]
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// The texts of the labels.
    #[inline]
    pub fn table(&self) -> &LabelTable {
        &self.table
    }

    /// Where each row starts; one more entry than there are states.
    #[inline]
    pub fn offsets(&self) -> OffsetsRef<'_> {
        self.offsets.view()
    }

    /// The labels of all transitions, row after row.
    #[inline]
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// Whether each label of the table occurs in a transition. O(transitions + labels).
    pub fn used_labels(&self) -> Vec<bool> {
        let mut used = vec![false; self.table.len()];
        for label in &self.labels {
            used[label.index()] = true;
        }
        used
    }

    /// How many labels occur on transitions, the hidden one included.
    /// O(transitions + labels) at worst; ends as soon as each label of the table has been
    /// seen.
    pub fn count_labels(&self) -> usize {
        let all = self.table.len();
        let mut seen = vec![false; all];
        let mut missing = all;
        for label in &self.labels {
            if !std::mem::replace(&mut seen[label.index()], true) {
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        all - missing
    }

    /// The targets of all transitions, row after row.
    #[inline]
    pub fn targets(&self) -> &[StateId] {
        &self.targets
    }

    /// The range of the outgoing transitions of `state` in the columns.
    #[inline]
    pub fn row(&self, state: StateId) -> std::ops::Range<usize> {
        self.offsets.row(state.index())
    }

    /// The outgoing transitions of `state`, in their order.
    #[inline(always)]
    pub fn outgoing(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = (LabelId, StateId)> + '_ {
        let row = self.row(state);
        self.labels[row.clone()]
            .iter()
            .copied()
            .zip(self.targets[row].iter().copied())
    }

    /// All transitions as (source, label, target), row after row.
    pub fn iter(&self) -> impl Iterator<Item = (StateId, LabelId, StateId)> + '_ {
        (0..self.states() as u32)
            .map(StateId::new)
            .flat_map(move |s| self.outgoing(s).map(move |(l, t)| (s, l, t)))
    }

    /// Bytes of memory that the LTS holds on to.
    pub fn heap_bytes(&self) -> usize {
        4 * (self.labels.capacity() + self.targets.capacity())
            + self.offsets.heap_bytes()
            + self.table.heap_bytes()
            + self.state_labels.as_ref().map_or(0, |l| l.heap_bytes())
    }
}

/// Builds an [`Lts`] from transitions in any order; for tests, generators and
/// small formats. Transitions of one source keep the order they were added in.
///
/// Holds 12 bytes a transition, and 20 at the peak of [`LtsBuilder::build`].
#[derive(Clone, Debug, Default)]
pub struct LtsBuilder {
    transitions: Vec<(StateId, LabelId, StateId)>,
    table: LabelTable,
    states: u64,
}

impl LtsBuilder {
    /// A builder for an LTS with at least `states` states (0 counts as 1).
    pub fn new(states: u64) -> Self {
        Self {
            transitions: Vec::new(),
            table: LabelTable::new(),
            states: states.max(1),
        }
    }

    /// A builder over labels that exist already.
    pub fn with_table(states: u64, table: LabelTable) -> Self {
        Self {
            transitions: Vec::new(),
            table,
            states: states.max(1),
        }
    }

    /// The labels, for interning.
    pub fn table_mut(&mut self) -> &mut LabelTable {
        &mut self.table
    }

    /// Makes sure that there are so many states.
    pub fn at_least(&mut self, states: u64) {
        self.states = self.states.max(states);
    }

    /// Adds a transition; states that it names exist from then on.
    pub fn add(&mut self, source: StateId, label: LabelId, target: StateId) {
        let last = source.max(target).get();
        self.states = self.states.max(u64::from(last) + 1);
        self.transitions.push((source, label, target));
    }

    /// Adds a transition with a visible label given as text.
    ///
    /// # Errors
    /// If there are too many labels.
    pub fn add_text(&mut self, source: u32, label: &[u8], target: u32) -> Result<(), TooLarge> {
        let label = self.table.intern(label)?;
        self.add(StateId::new(source), label, StateId::new(target));
        Ok(())
    }

    /// The LTS with all that was added and this initial state, which exists
    /// from then on.
    ///
    /// # Errors
    /// If there are more states or transitions than an [`Lts`] can hold.
    ///
    /// # Panics
    /// If a transition has a label that is none of the builder's.
    pub fn build(mut self, initial: StateId) -> Result<Lts, TooLarge> {
        self.states = self.states.max(u64::from(initial.get()) + 1);
        if self.states > StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            });
        }
        if self.transitions.len() as u64 > Lts::MAX_TRANSITIONS {
            return Err(TooLarge {
                what: "transitions",
                limit: Lts::MAX_TRANSITIONS,
            });
        }
        let m = self.transitions.len();
        let mut next = vec![0usize; self.states as usize];
        for (s, _, _) in &self.transitions {
            next[s.index()] += 1;
        }
        let offsets = Offsets::from_lengths(next.iter().copied());
        let mut labels = vec![LabelId::HIDDEN; m];
        let mut targets = vec![StateId::default(); m];
        for (s, place) in next.iter_mut().enumerate() {
            *place = offsets.row(s).start;
        }
        for &(s, l, t) in &self.transitions {
            let place = next[s.index()];
            next[s.index()] += 1;
            labels[place] = l;
            targets[place] = t;
        }
        Ok(Lts::from_parts(LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table: self.table,
        }))
    }
}

/// Whether the numbers of these are less than a bound, which is not 0.
fn are_below<T: Sync>(items: &[T], number: impl Fn(&T) -> u32 + Sync, bound: usize) -> bool {
    const PART: usize = 1 << 14;
    parallel::all(items.len().div_ceil(PART), 4, |k| {
        // Without branches, as fast as memory is read.
        let numbers = parallel::chunk(items, PART, k).iter().map(&number);
        (numbers.fold(0, u32::max) as usize) < bound
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builder_keeps_the_order_within_a_source() {
        let mut b = LtsBuilder::new(0);
        b.add_text(2, b"x", 0).unwrap();
        b.add_text(0, b"y", 1).unwrap();
        b.add_text(0, b"x", 2).unwrap();
        b.add_text(0, b"y", 1).unwrap();
        b.add(StateId::new(1), LabelId::HIDDEN, StateId::new(1));
        let lts = b.build(StateId::new(0)).unwrap();
        let all: Vec<_> = lts
            .iter()
            .map(|(s, l, t)| (s.get(), l.get(), t.get()))
            .collect();
        assert_eq!(all, [(0, 2, 1), (0, 1, 2), (0, 2, 1), (1, 0, 1), (2, 1, 0)]);
    }

    #[test]
    fn an_empty_lts_has_one_state() {
        let lts = LtsBuilder::new(0).build(StateId::new(0)).unwrap();
        assert_eq!((lts.states(), lts.transitions()), (1, 0));
    }
}
