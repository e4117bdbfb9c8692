//! Shortest traces: breadth-first parents, and hidden cycles.

use std::collections::VecDeque;

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};
use hyades_lts::{first_on_cycle, hidden_components};

use super::store::{Store, push_peak};

/// A path from the initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The labels of its steps.
    pub labels: Vec<LabelId>,
    /// The states it visits, by their numbers in order of discovery: the
    /// initial state and the target of every step.
    pub states: Vec<StateId>,
    /// The same states as the model packs them.
    pub packed: Vec<Box<[u64]>>,
    /// If the path ends in a cycle: where in `states` the cycle starts. It ends
    /// in the last state, which is the same.
    pub cycle: Option<usize>,
}

impl Trace {
    /// Adds a step.
    pub(super) fn push(&mut self, label: LabelId, target: u32, store: &impl Store) {
        self.labels.push(label);
        self.states.push(StateId::new(target));
        self.packed.push(packed(target, store));
    }

    /// Adds hidden steps through `cycle`, which starts where the trace ends.
    pub(super) fn close_cycle(&mut self, cycle: &[u32], store: &impl Store) {
        self.cycle = Some(self.states.len() - 1);
        for &target in cycle[1..].iter().chain(&cycle[..1]) {
            self.push(LabelId::HIDDEN, target, store);
        }
    }
}

/// What becomes of the cycle that a trace ends in, in [`traces_to_lts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycle {
    /// Its last step leads back to where it starts.
    Closed,
    /// It is gone around once, as a chain has no cycles.
    Unrolled,
}

/// Traces as an LTS: each a chain of states of its own that begins in the initial
/// state. `labels` are those of the traces. Time and memory linear in the steps and
/// labels.
///
/// # Errors
/// If there are more steps than an LTS can hold.
pub fn traces_to_lts<'t>(
    traces: impl IntoIterator<Item = &'t Trace>,
    labels: &LabelTable,
    cycle: Cycle,
) -> Result<Lts, TooLarge> {
    let mut builder = LtsBuilder::with_table(1, labels.clone());
    let mut last = 0;
    for trace in traces {
        let mut states = vec![StateId::new(0)];
        for (k, &label) in trace.labels.iter().enumerate() {
            let closed = trace.cycle.filter(|_| cycle == Cycle::Closed);
            let target = match closed {
                Some(start) if k + 1 == trace.labels.len() => states[start],
                _ => {
                    last += 1;
                    StateId::new(last)
                }
            };
            builder.add(states[k], label, target);
            states.push(target);
        }
    }
    builder.build(StateId::new(0))
}

fn packed(state: u32, store: &impl Store) -> Box<[u64]> {
    let mut packed = vec![0; store.words()].into_boxed_slice();
    store.read(state, &mut packed);
    packed
}

/// For every state, the step by which it was discovered. 8 bytes a state.
pub(super) struct Parents {
    sources: Vec<u32>,
    labels: Vec<LabelId>,
}

impl Parents {
    /// The initial state, which was discovered by none.
    pub(super) fn new() -> Self {
        Self {
            sources: vec![0],
            labels: vec![LabelId::HIDDEN],
        }
    }

    /// How many states there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.sources.len()
    }

    /// The next state was discovered by this step.
    #[inline]
    pub(super) fn push(&mut self, source: u32, label: LabelId) {
        self.sources.push(source);
        self.labels.push(label);
    }

    /// The distance of the state from the initial one.
    pub(super) fn distance(&self, state: u32) -> u32 {
        let next = |&at: &u32| (at != 0).then(|| self.sources[at as usize]);
        std::iter::successors(Some(state), next).count() as u32 - 1
    }

    /// A shortest path to the state.
    pub(super) fn path_to(&self, state: u32, store: &impl Store) -> Trace {
        let mut steps = Vec::new();
        let mut at = state;
        while at != 0 {
            steps.push(at);
            at = self.sources[at as usize];
        }
        let mut trace = Trace {
            labels: Vec::with_capacity(steps.len()),
            states: vec![StateId::new(0)],
            packed: vec![packed(0, store)],
            cycle: None,
        };
        for &at in steps.iter().rev() {
            trace.push(self.labels[at as usize], at, store);
        }
        trace
    }

    /// Bytes held at the peak of pushing so many more.
    pub(super) fn peak(&self, more: usize) -> usize {
        push_peak(&self.sources, more) + push_peak(&self.labels, more)
    }
}

/// The hidden transitions of the states explored, in rows by source.
pub(super) struct HiddenSteps {
    offsets: Vec<u32>,
    targets: Vec<StateId>,
}

impl HiddenSteps {
    /// The largest usable number.
    pub(super) const MAX: u64 = u32::MAX as u64;

    pub(super) fn new() -> Self {
        Self {
            offsets: vec![0],
            targets: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn push(&mut self, target: u32) {
        self.targets.push(StateId::new(target));
    }

    /// Whether no more transitions can be told apart.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.targets.len() as u64 == Self::MAX
    }

    pub(super) fn end_of_state(&mut self) {
        self.offsets.push(self.targets.len() as u32);
    }

    /// Bytes held at the peak of adding so many rows and transitions.
    pub(super) fn peak(&self, rows: usize, transitions: usize) -> usize {
        push_peak(&self.offsets, rows) + push_peak(&self.targets, transitions)
    }

    /// The states of a shortest hidden cycle through the lowest-numbered state
    /// that is on one, starting there; that state is one of the nearest to the
    /// initial state, as numbers ascend with distance. `states` is how many
    /// states there are. O(states + hidden transitions).
    pub(super) fn nearest_cycle(mut self, states: usize) -> Option<Vec<u32>> {
        self.offsets.resize(states + 1, self.targets.len() as u32);
        let row = |s: u32| {
            let (from, to) = (self.offsets[s as usize], self.offsets[s as usize + 1]);
            &self.targets[from as usize..to as usize]
        };
        let components = hidden_components(&self.offsets, &self.targets);
        let start = first_on_cycle(&components, &self.offsets, &self.targets, |_| true)?.get();

        // Breadth first within the component, until a step leads back.
        const NONE: u32 = u32::MAX;
        let mut parent = vec![NONE; states];
        let mut queue = VecDeque::from([start]);
        while let Some(s) = queue.pop_front() {
            for t in row(s) {
                if t.get() == start {
                    let mut cycle = vec![s];
                    let mut at = s;
                    while at != start {
                        at = parent[at as usize];
                        cycle.push(at);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                let same = components.of[t.index()] == components.of[start as usize];
                if same && parent[t.index()] == NONE {
                    parent[t.index()] = s;
                    queue.push_back(t.get());
                }
            }
        }
        unreachable!("a state of a component with a cycle can be left and reached again")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_are_chains_from_one_state() {
        let mut labels = LabelTable::new();
        let a = labels.intern(b"a").expect("one label");
        let trace = |labels: &[LabelId], cycle| Trace {
            labels: labels.to_vec(),
            states: Vec::new(),
            packed: Vec::new(),
            cycle,
        };
        let hidden = LabelId::HIDDEN;
        let traces = [
            trace(&[a, hidden, hidden], Some(1)),
            trace(&[], None),
            trace(&[hidden], None),
        ];
        let steps = |cycle| {
            let lts = traces_to_lts(&traces, &labels, cycle).expect("a few steps");
            let numbers = lts.iter().map(|(s, l, t)| (s.get(), l, t.get()));
            (lts.states(), numbers.collect::<Vec<_>>())
        };
        let closed = [(0, a, 1), (0, hidden, 3), (1, hidden, 2), (2, hidden, 1)];
        assert_eq!(steps(Cycle::Closed), (4, closed.to_vec()));
        let unrolled = [(0, a, 1), (0, hidden, 4), (1, hidden, 2), (2, hidden, 3)];
        assert_eq!(steps(Cycle::Unrolled), (5, unrolled.to_vec()));
    }
}
