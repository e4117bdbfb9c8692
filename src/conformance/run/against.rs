//! Machines under test.

use hyades_formats::StateId;

use super::{Observation, SystemError, SystemUnderTest};
use crate::machine::Machine;

/// A machine as a system. Inputs are told by their texts; where it has no
/// transition, it stays where it is and shows [`Observation::Undefined`].
#[derive(Debug)]
pub struct MachineSystem<'a> {
    machine: &'a Machine,
    state: StateId,
}

impl<'a> MachineSystem<'a> {
    /// The system in its initial state.
    pub fn new(machine: &'a Machine) -> Self {
        Self {
            machine,
            state: machine.initial(),
        }
    }
}

impl SystemUnderTest for MachineSystem<'_> {
    fn reset(&mut self) -> Result<(), SystemError> {
        self.state = self.machine.initial();
        Ok(())
    }

    fn initial_output(&self) -> Option<&[u8]> {
        self.machine.initial_output()
    }

    fn step(&mut self, input: &[u8]) -> Result<Observation<'_>, SystemError> {
        let input = self.machine.find_input(input);
        let step = input.and_then(|input| self.machine.step(self.state, input));
        let Some((output, target)) = step else {
            return Ok(Observation::Undefined);
        };
        self.state = target;
        Ok(Observation::Output(self.machine.output_text(output)))
    }
}
