//! Suites against machines, programs and servers that behave, and that do not.

mod machines;
mod programs;
mod reports;
mod servers;

use std::ops::ControlFlow;

use hyades_formats::{LabelTable, StateId};

use super::*;
use crate::suite_file::Symbols;
use crate::{InputId, Machine, OutputId};

pub(super) fn symbols(texts: &[&str]) -> Symbols {
    texts.iter().collect()
}

/// What a system does in a test, as texts, or why it cannot be executed.
pub(super) fn observed(
    system: &mut dyn SystemUnderTest,
    inputs: &[&str],
) -> Result<Vec<String>, String> {
    let mut seen = Vec::new();
    let executed = system.execute(&symbols(inputs), &mut |observation| {
        seen.push(Seen::from(observation).to_string());
        ControlFlow::Continue(())
    });
    executed.map(|()| seen).map_err(|error| error.to_string())
}

/// A machine with two states: `a` goes round, and tells which state it was in; `b`
/// stays, and says so.
pub(super) fn toggle() -> Machine {
    let mut inputs = LabelTable::new();
    let mut outputs = LabelTable::new();
    for (table, texts) in [(&mut inputs, ["a", "b"]), (&mut outputs, ["0", "1"])] {
        for text in texts {
            table.intern(text.as_bytes()).unwrap();
        }
    }
    let mut machine = Machine::new(inputs, outputs, 2);
    for state in 0..2 {
        let (a, b) = (InputId::new(0), InputId::new(1));
        let (here, there) = (StateId::new(state), StateId::new(1 - state));
        machine.set(here, a, OutputId::new(state), there);
        machine.set(here, b, OutputId::new(0), here);
    }
    machine
}

/// [`toggle`] for the shell, with `RESET` acknowledged by `OK`.
pub(super) const TOGGLE: &str = "
s=0
while read -r line; do
    case $line in
    RESET) s=0; echo OK ;;
    a) echo $s; s=$((1 - s)) ;;
    b) echo 0 ;;
    esac
done";

/// `RESET`, and `OK` in return.
pub(super) fn acknowledged() -> Protocol {
    Protocol {
        reset: Reset::Line {
            text: b"RESET".as_slice().into(),
            acknowledgement: Acknowledgement::Line(b"OK".as_slice().into()),
        },
        ..Protocol::default()
    }
}
