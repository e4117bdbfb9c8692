//! Machines that pass a suite and are not equivalent to the specification.

use hyades_formats::{LabelTable, StateId, TooLarge};

use crate::identifiers::Word;
use crate::machine::{InputId, Machine, NONE, OutputId};
use crate::shortest::difference;
use crate::tree::TestTree;

/// A complete machine that passes a suite, and what it does otherwise than the
/// specification.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The machine, minimal. Its inputs have the numbers that the specification
    /// gives them, and so have its outputs; it may have one more.
    pub machine: Machine,
    /// A shortest word that the machine answers otherwise than the specification,
    /// of these the first in the order of inputs.
    pub word: Word,
}

/// A machine whose transitions may be left open.
pub(super) struct Draft {
    /// For states and inputs where they lead, and what is answered; [`NONE`] if
    /// open.
    pub(super) targets: Vec<u32>,
    pub(super) answers: Vec<u32>,
    /// For each state one of the specification's that a test reaches there, or
    /// [`NONE`] if no test does.
    pub(super) holds: Vec<u32>,
    pub(super) initial: u32,
    /// Whether it is not equivalent to the specification however it is completed.
    pub(super) is_other: bool,
}

impl Draft {
    /// Completes the machine so that it does not become equivalent to the
    /// specification: what is open is done as the specification does it, but for
    /// the first open answer of a state that tests reach, unless there is no
    /// need.
    ///
    /// # Errors
    /// If there are too many outputs.
    pub(super) fn complete(
        self,
        specification: &Machine,
        tree: &TestTree,
    ) -> Result<Refutation, TooLarge> {
        let inputs = specification.inputs();
        let mut outputs = specification.output_table().clone();
        let mut is_other = self.is_other;
        // Where a state of the specification is found.
        let mut places = vec![NONE; specification.states()];
        for (state, &held) in self.holds.iter().enumerate().rev() {
            if held != NONE {
                places[held as usize] = state as u32;
            }
        }
        let mut transitions = Vec::with_capacity(self.targets.len());
        for (at, (&target, &answer)) in self.targets.iter().zip(&self.answers).enumerate() {
            let (state, input) = (at / inputs, (at % inputs) as u32);
            let held = match self.holds[state] {
                NONE => specification.initial().get(),
                held => held,
            };
            let meant = specification.answer(held, input);
            let answer = match answer {
                NONE if !is_other && self.holds[state] != NONE => {
                    is_other = true;
                    another(&mut outputs, meant)?
                }
                NONE => meant,
                answer => answer,
            };
            let target = match target {
                NONE => match places[specification.target(held, input) as usize] {
                    NONE => state as u32,
                    place => place,
                },
                target => target,
            };
            transitions.push((answer, target));
        }
        let table = specification.input_table().clone();
        let mut machine = Machine::new(table, outputs, self.holds.len())
            .with_initial_output(specification.initial_output());
        for (at, (answer, target)) in transitions.into_iter().enumerate() {
            let (state, input) = (at / inputs, (at % inputs) as u32);
            machine.set(
                StateId::from_index(state),
                InputId::new(input),
                OutputId::new(answer),
                StateId::new(target),
            );
        }
        let machine = machine.starting_in(StateId::new(self.initial)).minimized();
        assert!(
            passes(&machine, specification, tree),
            "the machine was made of what the tests answer"
        );
        let start = (specification.initial().get(), machine.initial().get());
        let word = difference(inputs, start, |(one, other), input| {
            let step =
                |machine: &Machine, at| (machine.answer(at, input), machine.target(at, input));
            Some([step(specification, one), step(&machine, other)])
        });
        let word =
            word.expect("a state with nodes of different states, or an answer that is another");
        Ok(Refutation { machine, word })
    }
}

/// An output other than this one.
fn another(outputs: &mut LabelTable, than: u32) -> Result<u32, TooLarge> {
    // Number 0 of a table is the hidden action.
    if outputs.len() > 2 {
        return Ok(u32::from(than == 0));
    }
    let mut text = b"other".to_vec();
    while outputs.find(&text).is_some() {
        text.push(b'\'');
    }
    Ok(outputs.intern(&text)?.get() - 1)
}

/// Whether a machine answers all tests of a suite as the specification does.
/// O(nodes).
fn passes(machine: &Machine, specification: &Machine, tree: &TestTree) -> bool {
    let mut states = Vec::with_capacity(tree.len());
    tree.nodes().all(|node| {
        let Some((parent, input)) = tree.parent(node) else {
            states.push(machine.initial());
            return true;
        };
        let step = machine.step(states[parent.index()], input);
        let expected = specification.step(tree.state(parent), input);
        states.extend(step.map(|step| step.1));
        step.map(|step| step.0) == expected.map(|step| step.0)
    })
}
