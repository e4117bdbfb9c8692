//! Machines made of others: completed, reachable, minimal.

use std::collections::VecDeque;
use std::sync::Arc;

use hyades_formats::{StateId, TooLarge};

use super::super::partition::StatePartition;
use super::{Machine, NONE, OutputId};

/// Where missing transitions lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MissingTarget {
    /// Back to where they start.
    Source,
    /// To a state of its own, which answers everything so.
    Sink,
}

impl Machine {
    /// Gives each missing transition an output and a target.
    ///
    /// # Errors
    /// If there are too many outputs or states.
    pub fn completed(&self, output: &[u8], target: MissingTarget) -> Result<Self, TooLarge> {
        let mut machine = self.clone();
        if machine.is_complete() {
            return Ok(machine);
        }
        let output = OutputId(machine.outputs.intern(output)?.get() - 1);
        let sink = match target {
            MissingTarget::Source => None,
            MissingTarget::Sink => {
                let sink = machine.states();
                if sink as u64 >= StateId::MAX_COUNT {
                    return Err(TooLarge {
                        what: "states",
                        limit: StateId::MAX_COUNT,
                    });
                }
                machine.names.push(StateId::from_index(sink));
                for table in [&mut machine.targets, &mut machine.answers] {
                    table.resize(table.len() + self.width, NONE);
                }
                Some(StateId::from_index(sink))
            }
        };
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                if machine.step(state, input).is_none() {
                    machine.set(state, input, output, sink.unwrap_or(state));
                }
            }
        }
        Ok(machine)
    }

    /// Lets a Moore machine stay where it has no transition, with the output of the
    /// state once more. `None` if transitions lead to a state with different outputs,
    /// or it is no Moore machine, or there are too many outputs.
    pub fn completed_as_moore(&self) -> Option<Self> {
        let mut machine = self.clone();
        let initial = machine.outputs.intern(self.initial_output()?).ok()?.get() - 1;
        let mut of = vec![NONE; machine.states()];
        of[self.initial.index()] = initial;
        for (&target, &answer) in self.targets.iter().zip(&self.answers) {
            if target == NONE {
                continue;
            }
            match &mut of[target as usize] {
                output if *output == NONE => *output = answer,
                output if *output == answer => {}
                _ => return None,
            }
        }
        for state in machine.state_ids() {
            for input in machine.input_ids() {
                let output = of[state.index()];
                if machine.step(state, input).is_none() && output != NONE {
                    machine.set(state, input, OutputId(output), state);
                }
            }
        }
        Some(machine)
    }

    /// The states that cannot be reached, ascending.
    pub fn unreachable(&self) -> Vec<StateId> {
        let mut reached = vec![false; self.states()];
        for state in self.breadth_first() {
            reached[state.index()] = true;
        }
        self.state_ids().filter(|s| !reached[s.index()]).collect()
    }

    /// The reachable states, in the order in which a breadth-first search finds
    /// them.
    pub(in super::super) fn breadth_first(&self) -> Vec<StateId> {
        let mut seen = vec![false; self.states()];
        seen[self.initial.index()] = true;
        let mut found = vec![self.initial];
        let mut queue = VecDeque::from([self.initial]);
        while let Some(state) = queue.pop_front() {
            for &target in self.targets_of(state.get()) {
                if target != NONE && !std::mem::replace(&mut seen[target as usize], true) {
                    found.push(StateId::new(target));
                    queue.push_back(StateId::new(target));
                }
            }
        }
        found
    }

    /// The reachable part, its states numbered breadth first.
    pub fn reachable_part(&self) -> Self {
        self.restricted(&self.breadth_first())
    }

    /// The reachable part with its states numbered breadth first; of equivalent
    /// states only the first found remains. The machine must be complete: in a
    /// partial one states are not merged.
    pub fn minimized(&self) -> Self {
        let part = self.reachable_part();
        match part.is_complete() {
            true => part.quotient(&StatePartition::new(&part)),
            false => part,
        }
    }

    /// The same for a complete machine whose classes of equivalent states are
    /// known.
    pub fn quotient(&self, partition: &StatePartition) -> Self {
        let mut first = vec![NONE; partition.len()];
        for state in self.breadth_first() {
            let of_class = &mut first[partition.class(state) as usize];
            if *of_class == NONE {
                *of_class = state.get();
            }
        }
        let first_of = |state: StateId| first[partition.class(state) as usize];
        let mut merged = self.clone();
        for target in &mut merged.targets {
            *target = first_of(StateId::new(*target));
        }
        merged.reachable_part()
    }

    /// The part of these states, which are closed under transitions and contain
    /// the initial one, numbered in this order.
    fn restricted(&self, states: &[StateId]) -> Self {
        let mut number = vec![NONE; self.states()];
        for (k, state) in states.iter().enumerate() {
            number[state.index()] = k as u32;
        }
        let mut part = Self::new(self.inputs.clone(), self.outputs.clone(), states.len());
        part.initial = StateId::new(number[self.initial.index()]);
        part.initial_output = self.initial_output.clone();
        part.labels = Arc::clone(&self.labels);
        let inputs = self.inputs();
        for (k, state) in states.iter().enumerate() {
            part.names[k] = self.names[state.index()];
            let row = k * inputs..(k + 1) * inputs;
            part.answers[row.clone()].copy_from_slice(self.answers_of(state.get()));
            for (new, &old) in part.targets[row]
                .iter_mut()
                .zip(self.targets_of(state.get()))
            {
                if old != NONE {
                    *new = number[old as usize];
                }
            }
        }
        part
    }
}
