//! Machines whose inputs and outputs are steps of their own.

use std::fmt;

use hyades_formats::{LabelId, LabelTable, Lts, StateId, label};

use super::machine::{InputId, Machine, MachineError, OutputId};
use super::text::legible;

/// Which labels are inputs and which are outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Steps {
    /// `?input` and `!output`.
    Marks,
    /// By the gates of the labels.
    Gates {
        /// Gates of inputs.
        inputs: Vec<Vec<u8>>,
        /// Gates of outputs.
        outputs: Vec<Vec<u8>>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Input,
    Output,
}

/// Why an LTS of steps is no Mealy machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepsError {
    /// A label is neither an input nor an output; `None` for the hidden action.
    Label(StateId, Option<Box<[u8]>>),
    /// A state has inputs and outputs.
    Mixed(StateId),
    /// A state has several outputs.
    Choice(StateId),
    /// Outputs follow one another without end.
    Endless(StateId),
    /// The first step is an output.
    OutputFirst(StateId),
    /// As for machines.
    Machine(MachineError),
}

impl fmt::Display for StepsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepsError::Label(state, None) => write!(
                f,
                "state {state} has a hidden transition; expected inputs and outputs"
            ),
            StepsError::Label(state, Some(label)) => write!(
                f,
                "state {state} has a transition `{}`, which is neither an input nor an output",
                legible(label)
            ),
            StepsError::Mixed(state) => write!(
                f,
                "state {state} has inputs and outputs; expected one or the other, as a Mealy \
                 machine answers each input before the next"
            ),
            StepsError::Choice(state) => write!(
                f,
                "state {state} has several outputs; expected a deterministic machine"
            ),
            StepsError::Endless(state) => write!(
                f,
                "outputs follow one another without end from state {state}; expected an input in \
                 between"
            ),
            StepsError::OutputFirst(state) => write!(
                f,
                "the initial state {state} has an output; expected an input first"
            ),
            StepsError::Machine(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StepsError {}

impl<E: Into<MachineError>> From<E> for StepsError {
    fn from(error: E) -> Self {
        Self::Machine(error.into())
    }
}

impl Steps {
    fn direction(&self, text: &[u8]) -> Option<Direction> {
        match self {
            Steps::Marks => match text.first()? {
                b'?' => Some(Direction::Input),
                b'!' => Some(Direction::Output),
                _ => None,
            },
            Steps::Gates { inputs, outputs } => {
                let gate = label::gate(text);
                let has = |gates: &[Vec<u8>]| gates.iter().any(|g| g == gate);
                match (has(inputs), has(outputs)) {
                    (true, _) => Some(Direction::Input),
                    (_, true) => Some(Direction::Output),
                    _ => None,
                }
            }
        }
    }

    /// The text of a step: without its mark.
    fn text<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        match self {
            Steps::Marks => &text[1..],
            Steps::Gates { .. } => text,
        }
    }

    /// The machine that takes an input and all outputs that follow in one step;
    /// several outputs are joined by a blank, none is the empty output. Only states
    /// that wait for inputs remain; what cannot be reached is not looked at.
    /// O(transitions, and the lengths of sequences of outputs).
    ///
    /// # Errors
    /// If inputs and outputs do not take turns, or the machine is not
    /// deterministic.
    pub fn fold(&self, lts: &Lts) -> Result<Machine, StepsError> {
        let mut number = vec![u32::MAX; lts.states()];
        let mut found = vec![lts.initial()];
        number[lts.initial().index()] = 0;
        if self.of_state(lts, lts.initial())? == Some(Direction::Output) {
            return Err(StepsError::OutputFirst(lts.initial()));
        }
        let (mut inputs, mut outputs) = (LabelTable::new(), LabelTable::new());
        let mut steps = Vec::new();
        let mut next = 0;
        while let Some(&state) = found.get(next) {
            for (label, target) in lts.outgoing(state) {
                let input = inputs.intern(self.text(lts.table().text(label)))?;
                let (output, target) = self.outputs_from(lts, target)?;
                let output = outputs.intern(&output)?;
                if number[target.index()] == u32::MAX {
                    number[target.index()] = found.len() as u32;
                    found.push(target);
                    self.of_state(lts, target)?;
                }
                steps.push((next, input, output, number[target.index()]));
            }
            next += 1;
        }
        let mut machine = Machine::new(inputs, outputs, found.len()).named(lts, found);
        // Number 0 of a table is the hidden action.
        let of = |label: LabelId| label.get() - 1;
        for (source, input, output, target) in steps {
            machine.add(
                StateId::from_index(source),
                InputId::new(of(input)),
                OutputId::new(of(output)),
                StateId::new(target),
            )?;
        }
        Ok(machine)
    }

    /// The direction of a state's transitions; `None` if it has none.
    fn of_state(&self, lts: &Lts, state: StateId) -> Result<Option<Direction>, StepsError> {
        let mut all = None;
        for (label, _) in lts.outgoing(state) {
            if label.is_hidden() {
                return Err(StepsError::Label(state, None));
            }
            let text = lts.table().text(label);
            let direction = self.direction(text);
            let direction = direction.ok_or_else(|| StepsError::Label(state, Some(text.into())))?;
            if all.is_some_and(|all| all != direction) {
                return Err(StepsError::Mixed(state));
            }
            all = Some(direction);
        }
        Ok(all)
    }

    /// The outputs from a state on, and the state that waits for an input.
    fn outputs_from(&self, lts: &Lts, state: StateId) -> Result<(Vec<u8>, StateId), StepsError> {
        let mut texts: Vec<&[u8]> = Vec::new();
        let mut at = state;
        while self.of_state(lts, at)? == Some(Direction::Output) {
            if texts.len() > lts.states() {
                return Err(StepsError::Endless(state));
            }
            let mut row = lts.outgoing(at);
            let (label, target) = row.next().expect("the state has outputs");
            if row.any(|other| other != (label, target)) {
                return Err(StepsError::Choice(at));
            }
            texts.push(self.text(lts.table().text(label)));
            at = target;
        }
        Ok((texts.join(&b' '), at))
    }
}
