//! Deterministic Mealy machines.

mod transform;

use std::fmt;
use std::sync::Arc;

use hyades_formats::mealy::Start;
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};
use hyades_lts::state_name;

use super::pairing::{Pairing, PairingError};
use super::text::legible;

pub use transform::MissingTarget;

/// The number of an input of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputId(u32);

/// The number of an output of a machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct OutputId(u32);

macro_rules! number {
    ($name:ident) => {
        impl $name {
            /// The one with this number.
            pub fn new(number: u32) -> Self {
                Self(number)
            }

            /// Its number, from 0.
            pub fn get(self) -> u32 {
                self.0
            }

            /// Its number, as an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

number!(InputId);
number!(OutputId);

/// What stands in a machine's tables where there is no transition.
pub(super) const NONE: u32 = u32::MAX;

/// A deterministic Mealy machine, perhaps partial: each state has at most one
/// transition for each input. 8 bytes a pair of state and input.
#[derive(Clone, Debug)]
pub struct Machine {
    inputs: LabelTable,
    outputs: LabelTable,
    /// How many inputs there are.
    width: usize,
    initial: StateId,
    /// For states and inputs the state that follows, or [`NONE`].
    targets: Vec<u32>,
    /// For states and inputs the output, or [`NONE`].
    answers: Vec<u32>,
    /// What the states are called in the LTS that the machine was made of.
    names: Vec<StateId>,
    /// Of these, what else they are called there, if that is known.
    labels: Arc<[Option<String>]>,
    /// What a Moore machine tells before the first input.
    initial_output: Option<Box<[u8]>>,
}

/// Why an LTS is no Mealy machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MachineError {
    /// A label is no pair of input and output.
    Label {
        /// The label's text, `None` for the hidden action.
        label: Option<Box<[u8]>>,
        /// What is wrong with it.
        error: PairingError,
    },
    /// A state has different transitions for an input.
    Nondeterministic {
        /// The state.
        state: StateId,
        /// The input.
        input: Box<[u8]>,
        /// Output and target of one.
        one: (Box<[u8]>, StateId),
        /// Output and target of the other.
        other: (Box<[u8]>, StateId),
    },
    /// There is more than can be numbered.
    TooLarge(TooLarge),
}

impl fmt::Display for MachineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = legible;
        match self {
            MachineError::Label { label: None, .. } => {
                f.write_str("the hidden action is no pair of input and output")
            }
            MachineError::Label {
                label: Some(label),
                error,
            } => write!(f, "label `{}`: {error}", text(label)),
            MachineError::Nondeterministic {
                state,
                input,
                one,
                other,
            } => write!(
                f,
                "state {state} has two transitions with input `{}`: output `{}` to state {}, and \
                 output `{}` to state {}; expected a deterministic machine",
                text(input),
                text(&one.0),
                one.1,
                text(&other.0),
                other.1
            ),
            MachineError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MachineError {}

impl From<TooLarge> for MachineError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// What some states of an LTS are called, one after the other; nothing if none has a name.
fn shown_states(lts: &Lts, is_shown: impl Fn(StateId) -> bool) -> Arc<[Option<String>]> {
    let labels = lts.state_labels();
    let shown = labels.into_iter().flat_map(|labels| {
        let states = (0..labels.states()).map(StateId::from_index);
        let states = states.filter(|&state| is_shown(state));
        states.map(|state| state_name(labels, state.index()))
    });
    shown.collect()
}

impl Machine {
    /// A machine of so many states without transitions, which starts in state 0.
    ///
    /// # Panics
    /// If there is no state.
    pub fn new(inputs: LabelTable, outputs: LabelTable, states: usize) -> Self {
        assert!(states > 0, "a machine has a state that it starts in");
        let width = inputs_of(&inputs);
        let entries = states * width;
        Self {
            width,
            inputs,
            outputs,
            initial: StateId::new(0),
            targets: vec![NONE; entries],
            answers: vec![NONE; entries],
            names: (0..states).map(StateId::from_index).collect(),
            labels: Arc::new([]),
            initial_output: None,
        }
    }

    /// The machine that an LTS is if its labels are pairs. Inputs and outputs are
    /// numbered in the order in which the rows have them; states keep their
    /// numbers. O(states · inputs + transitions).
    ///
    /// A Moore machine ([`Start`]) has an initial output, and the state of the LTS
    /// that tells it is none of the machine: states with greater numbers have one
    /// less.
    ///
    /// # Errors
    /// If a label is no pair, or a state has two different transitions for an
    /// input.
    pub fn from_lts(lts: &Lts, pairing: &Pairing) -> Result<Self, MachineError> {
        let start = match pairing {
            Pairing::Slash(syntax) => Start::of(lts, syntax),
            Pairing::Offers(_) => None,
        };
        let is_start = |state| start.as_ref().is_some_and(|start| start.state == state);
        let number = |state: StateId| match &start {
            Some(start) if start.state < state => StateId::from_index(state.index() - 1),
            _ => state,
        };
        let (mut inputs, mut outputs) = (LabelTable::new(), LabelTable::new());
        let mut pairs: Vec<Option<Vec<(u32, u32)>>> = vec![None; lts.table().len()];
        for (source, label, _) in lts.iter() {
            if pairs[label.index()].is_some() || is_start(source) {
                continue;
            }
            let text = (!label.is_hidden()).then(|| lts.table().text(label));
            let split = text
                .ok_or(PairingError::Hidden)
                .and_then(|t| pairing.split(t));
            let split = split.map_err(|error| MachineError::Label {
                label: text.map(Into::into),
                error,
            })?;
            let mut numbers = Vec::with_capacity(split.len());
            for (input, output) in split {
                // Number 0 of a table is the hidden action.
                let input = inputs.intern(&input)?.get() - 1;
                numbers.push((input, outputs.intern(&output)?.get() - 1));
            }
            pairs[label.index()] = Some(numbers);
        }
        let states = lts.states() - usize::from(start.is_some());
        let mut machine = Self::new(inputs, outputs, states);
        machine.initial = number(start.as_ref().map_or(lts.initial(), |start| start.initial));
        for (source, label, target) in lts.iter() {
            if is_start(source) {
                continue;
            }
            let (source, target) = (number(source), number(target));
            for &(input, output) in pairs[label.index()].iter().flatten() {
                let (input, output) = (InputId(input), OutputId(output));
                machine.add(source, input, output, target)?;
            }
        }
        machine.labels = shown_states(lts, |state| !is_start(state));
        machine.initial_output = start.map(|start| start.output.into());
        Ok(machine)
    }

    /// The same machine with this output before the first input.
    pub fn with_initial_output(mut self, output: Option<&[u8]>) -> Self {
        self.initial_output = output.map(Into::into);
        self
    }

    /// What a Moore machine tells before the first input; `None` for Mealy machines.
    pub fn initial_output(&self) -> Option<&[u8]> {
        self.initial_output.as_deref()
    }

    /// Adds a transition.
    ///
    /// # Errors
    /// If there is another for this state and input.
    ///
    /// # Panics
    /// If the machine has no such state, input, output or target.
    pub fn add(
        &mut self,
        state: StateId,
        input: InputId,
        output: OutputId,
        target: StateId,
    ) -> Result<(), MachineError> {
        match self.step(state, input) {
            None => {
                self.set(state, input, output, target);
                Ok(())
            }
            Some(same) if same == (output, target) => Ok(()),
            Some((before, there)) => Err(MachineError::Nondeterministic {
                state: self.name(state),
                input: self.input_text(input).into(),
                one: (self.output_text(before).into(), self.name(there)),
                other: (self.output_text(output).into(), self.name(target)),
            }),
        }
    }

    /// Replaces the transition of a state and input, or adds it.
    ///
    /// # Panics
    /// If the machine has no such state, input, output or target.
    pub fn set(&mut self, state: StateId, input: InputId, output: OutputId, target: StateId) {
        let at = self.at(state, input);
        self.check_state(target);
        let outputs = self.outputs();
        assert!(
            output.index() < outputs,
            "output {} of a machine of {outputs} outputs",
            output.get()
        );
        self.targets[at] = target.get();
        self.answers[at] = output.get();
    }

    /// The same machine from another state on.
    ///
    /// # Panics
    /// If the machine has no such state.
    pub fn starting_in(mut self, initial: StateId) -> Self {
        self.check_state(initial);
        self.initial = initial;
        self
    }

    /// The same machine, whose states are these of an LTS.
    pub(super) fn named(mut self, lts: &Lts, names: Vec<StateId>) -> Self {
        assert_eq!(names.len(), self.names.len());
        self.names = names;
        self.labels = shown_states(lts, |_| true);
        self
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.names.len()
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> usize {
        self.width
    }

    /// How many outputs there are.
    pub fn outputs(&self) -> usize {
        inputs_of(&self.outputs)
    }

    /// The initial state.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// All inputs.
    pub fn input_ids(&self) -> impl DoubleEndedIterator<Item = InputId> + use<> {
        (0..self.inputs() as u32).map(InputId)
    }

    /// All outputs.
    pub fn output_ids(&self) -> impl DoubleEndedIterator<Item = OutputId> + use<> {
        (0..self.outputs() as u32).map(OutputId)
    }

    /// All states.
    pub fn state_ids(&self) -> impl DoubleEndedIterator<Item = StateId> + use<> {
        (0..self.states()).map(StateId::from_index)
    }

    /// What a state is called in the LTS that the machine was made of.
    pub fn name(&self, state: StateId) -> StateId {
        self.names[state.index()]
    }

    /// The same as readers see it: the label of the state there, or its number.
    pub fn shown_name(&self, state: StateId) -> String {
        let name = self.name(state);
        let label = self.labels.get(name.index()).cloned().flatten();
        label.unwrap_or_else(|| name.to_string())
    }

    /// The text of an input.
    pub fn input_text(&self, input: InputId) -> &[u8] {
        self.inputs.text(LabelId::new(input.0 + 1))
    }

    /// The text of an output.
    pub fn output_text(&self, output: OutputId) -> &[u8] {
        self.outputs.text(LabelId::new(output.0 + 1))
    }

    /// The input with a text.
    pub fn find_input(&self, text: &[u8]) -> Option<InputId> {
        self.inputs.find(text).map(|label| InputId(label.get() - 1))
    }

    /// The texts of inputs: the input of number `k` is label `k + 1`.
    pub(super) fn input_table(&self) -> &LabelTable {
        &self.inputs
    }

    /// The texts of outputs, likewise.
    pub(super) fn output_table(&self) -> &LabelTable {
        &self.outputs
    }

    #[inline]
    fn check_state(&self, state: StateId) {
        let states = self.states();
        assert!(
            state.index() < states,
            "state {state} of a machine of {states} states"
        );
    }

    #[inline]
    fn at(&self, state: StateId, input: InputId) -> usize {
        self.check_state(state);
        let inputs = self.inputs();
        assert!(
            input.index() < inputs,
            "input {} of a machine of {inputs} inputs",
            input.get()
        );
        state.index() * inputs + input.index()
    }

    /// What an input does in a state: output and the state that follows.
    ///
    /// # Panics
    /// If the machine has no such state or input.
    pub fn step(&self, state: StateId, input: InputId) -> Option<(OutputId, StateId)> {
        let at = self.at(state, input);
        let target = self.targets[at];
        (target != NONE).then(|| (OutputId(self.answers[at]), StateId::new(target)))
    }

    /// The states that follow a state, input by input; [`NONE`] for none.
    pub(super) fn targets_of(&self, state: u32) -> &[u32] {
        let inputs = self.inputs();
        &self.targets[state as usize * inputs..][..inputs]
    }

    /// The outputs of a state, input by input; [`NONE`] for none.
    pub(super) fn answers_of(&self, state: u32) -> &[u32] {
        let inputs = self.inputs();
        &self.answers[state as usize * inputs..][..inputs]
    }

    /// The state that follows, or [`NONE`].
    pub(super) fn target(&self, state: u32, input: u32) -> u32 {
        self.targets[state as usize * self.inputs() + input as usize]
    }

    /// The output, or [`NONE`].
    pub(super) fn answer(&self, state: u32, input: u32) -> u32 {
        self.answers[state as usize * self.inputs() + input as usize]
    }

    /// The outputs of a word from a state on, and where it leads; `None` where a
    /// transition is missing.
    ///
    /// # Panics
    /// As [`Machine::step`], where the word comes to that.
    pub fn run(&self, state: StateId, word: &[InputId]) -> Option<(Vec<OutputId>, StateId)> {
        let mut at = state;
        let mut outputs = Vec::with_capacity(word.len());
        for &input in word {
            let (output, target) = self.step(at, input)?;
            outputs.push(output);
            at = target;
        }
        Some((outputs, at))
    }

    /// The first pair of state and input without a transition, and how many such
    /// pairs there are.
    pub fn missing(&self) -> Option<(StateId, InputId, usize)> {
        let first = self.targets.iter().position(|&target| target == NONE)?;
        let count = self
            .targets
            .iter()
            .filter(|&&target| target == NONE)
            .count();
        let (state, input) = (first / self.inputs(), first % self.inputs());
        Some((StateId::from_index(state), InputId(input as u32), count))
    }

    /// Whether every state has a transition for every input.
    pub fn is_complete(&self) -> bool {
        self.missing().is_none()
    }

    /// The label of a transition with this input and output.
    ///
    /// # Errors
    /// If it would not be split back into this pair.
    pub fn label(
        &self,
        input: InputId,
        output: OutputId,
        pairing: &Pairing,
    ) -> Result<Vec<u8>, MachineError> {
        let (input, output) = (self.input_text(input), self.output_text(output));
        let joined = pairing.join(input, output);
        joined.map_err(|error| MachineError::Label {
            label: Some([input, b"/", output].concat().into()),
            error,
        })
    }

    /// The machine as an LTS with labels `input/output`; one with an initial output
    /// as [`Start`] tells it, state `k` having number `k + 1`.
    ///
    /// # Errors
    /// If a label would not be split back into its pair, or there are too many.
    pub fn to_lts(&self, pairing: &Pairing) -> Result<Lts, MachineError> {
        let before = usize::from(self.initial_output.is_some());
        let number = |state: StateId| StateId::from_index(state.index() + before);
        let mut builder = LtsBuilder::new((self.states() + before) as u64);
        if let Some(output) = &self.initial_output {
            let text = pairing.join_initial(output);
            let text = text.map_err(|error| MachineError::Label {
                label: Some([b"/", &output[..]].concat().into()),
                error,
            })?;
            let label = builder.table_mut().intern(&text)?;
            builder.add(StateId::new(0), label, number(self.initial));
        }
        for state in self.state_ids() {
            for input in self.input_ids() {
                let Some((output, target)) = self.step(state, input) else {
                    continue;
                };
                let text = self.label(input, output, pairing)?;
                let label = builder.table_mut().intern(&text)?;
                builder.add(number(state), label, number(target));
            }
        }
        let initial = match before {
            0 => self.initial,
            _ => StateId::new(0),
        };
        Ok(builder.build(initial)?)
    }
}

fn inputs_of(table: &LabelTable) -> usize {
    table.len() - 1
}
