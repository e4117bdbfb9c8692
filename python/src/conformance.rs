//! Test suites of Mealy and Moore machines.

use std::ops::ControlFlow;

use hyades::conformance::{
    DeriveError, DeriveOptions, InputId, Machine, MachineError, Method, MethodError, OutputId,
    Pairing, StatePartition, derive_moore,
};
use hyades::formats::diagnostic::excerpt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::errors::{Fault, value};
use crate::numbers::{self, Number};
use crate::source::{Reading, lts_of};
use crate::texts;
use crate::work::work;

fn machine_fault(error: MachineError) -> Fault {
    match error {
        MachineError::TooLarge(error) => error.into(),
        MachineError::Label { .. } | MachineError::Nondeterministic { .. } => value(error),
    }
}

fn derive_fault(error: DeriveError, machine: &Machine) -> Fault {
    match error {
        DeriveError::TooLarge(error) => error.into(),
        error if error.is_limit() => Fault::Limit(error.to_string()),
        DeriveError::Method(MethodError::Partial(state, input)) => {
            let input = excerpt(machine.input_text(input));
            let others = Method::ALL.iter().filter(|method| !method.needs_complete());
            let others: Vec<&str> = others.map(|method| method.name()).collect();
            Fault::Value(format!(
                "state {state} has no transition for input {input}: expected a transition for \
                 each input, or a method that needs none ({})",
                others.join(", ")
            ))
        }
        DeriveError::TooManyExtra(_)
        | DeriveError::TooManyWords
        | DeriveError::Steps(_)
        | DeriveError::Sequence(_)
        | DeriveError::Method(
            MethodError::Alike(..) | MethodError::Unreachable(_) | MethodError::TooLarge(_),
        ) => value(error),
    }
}

/// A test: its inputs and what the specification answers.
type Test = (Vec<InputId>, Vec<OutputId>);
type Words<'py> = Bound<'py, PyList>;
/// Tests, what the suite is good for, and the output before the first input, if there is one.
type Told<'py> = (
    Vec<(Words<'py>, Words<'py>)>,
    String,
    Option<Bound<'py, PyString>>,
);

/// After so many tests it is looked at whether the user wants an end.
const SOME: usize = 1000;

/// The tests of a suite, each with its inputs and outputs; what the suite is good for; and
/// what a Moore machine tells before the first input.
#[pyfunction]
#[pyo3(signature = (machine, method, extra, tests, seed, max_tests))]
pub fn _suite<'py>(
    machine: &Bound<'py, PyAny>,
    method: &str,
    extra: Number,
    tests: Number,
    seed: Number,
    max_tests: Option<Number>,
) -> PyResult<Told<'py>> {
    let py = machine.py();
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let extra = size(extra.get("extra", u64::MAX)?);
    let (tests, seed) = (tests.get("tests", u64::MAX)?, seed.get("seed", u64::MAX)?);
    let max_tests = numbers::given(max_tests, "max_tests")?.map(size);
    let method = Method::from_name(method).ok_or_else(|| {
        let names: Vec<&str> = Method::ALL.iter().map(|method| method.name()).collect();
        Fault::Value(format!(
            "unknown method `{method}`: expected one of {}",
            names.join(", ")
        ))
    })?;
    let lts = lts_of(machine, &Reading::of_machines())?;
    let (tests, claim, machine) = work(py, |watch| {
        let machine = Machine::from_lts(&lts, &Pairing::default()).map_err(machine_fault)?;
        let mut machine = machine.reachable_part();
        if machine.is_complete() {
            let partition = StatePartition::new(&machine);
            machine = machine.quotient(&partition);
        }
        let options = DeriveOptions {
            extra,
            tests,
            seed,
            ..DeriveOptions::default()
        };
        let derived = derive_moore(&machine, method, &options);
        let derived = derived.map_err(|error| derive_fault(error, &machine))?;
        let mut tests: Vec<Test> = Vec::new();
        let flow = derived.suite.each_test(&machine, |test: &[InputId]| {
            if max_tests.is_some_and(|most| tests.len() >= most) {
                return ControlFlow::Break(());
            }
            let run = machine.run(machine.initial(), test);
            let outputs = run.map(|run| run.0).unwrap_or_default();
            tests.push((test.to_vec(), outputs));
            watch.flow()
        });
        let claim = match flow {
            ControlFlow::Continue(()) => derived.claim.to_string(),
            // A part of a suite claims nothing.
            ControlFlow::Break(()) => hyades::conformance::Guarantee::Nothing.to_string(),
        };
        Ok((tests, claim, machine))
    })?;
    // Tests share the texts of symbols.
    let inputs = machine.input_ids().map(|id| machine.input_text(id));
    let inputs = inputs.map(|symbol| texts::text(py, symbol));
    let outputs = machine.output_ids().map(|id| machine.output_text(id));
    let outputs = outputs.map(|symbol| texts::text(py, symbol));
    let inputs = inputs.collect::<PyResult<Vec<_>>>()?;
    let outputs = outputs.collect::<PyResult<Vec<_>>>()?;
    let words = |(k, (input, output)): (usize, &Test)| -> PyResult<_> {
        if k % SOME == 0 {
            py.check_signals()?;
        }
        Ok((
            PyList::new(py, input.iter().map(|id| &inputs[id.index()]))?,
            PyList::new(py, output.iter().map(|id| &outputs[id.index()]))?,
        ))
    };
    let tests: PyResult<Vec<_>> = tests.iter().enumerate().map(words).collect();
    let initial = machine.initial_output();
    let initial = initial.map(|output| texts::text(py, output));
    Ok((tests?, claim, initial.transpose()?))
}
