//! Moore machines: Mealy machines that tell an output before the first input, and
//! whose outputs are those of the states that transitions lead to.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use hyades_formats::{StateId, TooLarge};

use super::derive::{Derivation, DeriveError, DeriveOptions, Method, Suite, derive};
use super::guarantee::Guarantee;
use super::machine::{InputId, Machine, OutputId};
use super::tree::{NodeId, TestTree};

/// The suite of a method for a machine, which must be minimal, and complete if the
/// method needs that: as [`derive()`], and for a complete Moore machine one that is
/// complete for Moore machines with the same initial output too.
///
/// A Moore machine can have more states than the smallest Mealy machine that answers
/// alike: states with the same transitions may have different outputs. For
/// implementations with so many states a suite for the Mealy machine may not do. So
/// tests are added that are derived for the Moore machine with an input which gives
/// the output of the state and stays there, and from which that input is then taken
/// out: a Moore machine has told its answer before. The first answer that it would give
/// is the initial output: who compares that beside the tests needs no premise.
///
/// # Errors
/// As for [`derive()`].
pub fn derive_moore(
    machine: &Machine,
    method: Method,
    options: &DeriveOptions,
) -> Result<Derivation, DeriveError> {
    let derivation = derive(machine, method, options)?;
    let (true, Some(asking)) = (machine.is_complete(), asking(machine)?) else {
        return Ok(derivation);
    };
    if asking.states() == machine.states() {
        return Ok(derivation);
    }
    // what the method does not find for this machine is no matter for the other
    let Ok(more) = derive(&asking, method, options) else {
        return Ok(derivation);
    };
    let mut tree = TestTree::new(machine);
    let add = |tree: &mut TestTree, test: &[InputId]| {
        tree.insert(machine, NodeId::ROOT, test);
        ControlFlow::<()>::Continue(())
    };
    let _ = derivation
        .suite
        .each_test(machine, |test| add(&mut tree, test));
    let _ = more.suite.each_test(&asking, |test| {
        let real = test
            .iter()
            .copied()
            .filter(|i| i.index() < machine.inputs());
        add(&mut tree, &real.collect::<Vec<_>>())
    });
    Ok(Derivation {
        suite: Suite::Tree(tree),
        claim: match (derivation.claim, more.claim) {
            (Guarantee::Complete(mealy), Guarantee::Complete(moore)) => {
                Guarantee::Moore { mealy, moore }
            }
            (claim, _) => claim,
        },
        without: derivation.without,
    })
}

/// The states of the least Moore machine that answers as a minimal machine with an
/// initial output does: `None` if it has none. O(states · inputs).
///
/// # Errors
/// If there are too many states.
pub fn moore_states(machine: &Machine) -> Result<Option<usize>, TooLarge> {
    Ok(pairs(machine)?.map(|pairs| pairs.len()))
}

/// A state and the output with which it is reached; `None` for that of the initial
/// state if no transition has it.
type Reached = (StateId, Option<OutputId>);

/// The reachable pairs, the initial one first; `None` for a machine without an
/// initial output.
fn pairs(machine: &Machine) -> Result<Option<Vec<Reached>>, TooLarge> {
    let Some(initial) = machine.initial_output() else {
        return Ok(None);
    };
    let initial = machine
        .output_ids()
        .find(|&o| machine.output_text(o) == initial);
    let mut found = vec![(machine.initial(), initial)];
    let mut known: HashSet<Reached> = found.iter().copied().collect();
    let mut next = 0;
    while let Some(&(state, _)) = found.get(next) {
        next += 1;
        for input in machine.input_ids() {
            if let Some((output, target)) = machine.step(state, input) {
                let pair = (target, Some(output));
                if known.insert(pair) {
                    found.push(pair);
                }
            }
        }
        if found.len() as u64 > StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            });
        }
    }
    Ok(Some(found))
}

/// The least Moore machine that answers as a minimal machine with an initial output
/// does, with one more input, the last, which gives the output of the state and
/// stays there.
fn asking(machine: &Machine) -> Result<Option<Machine>, TooLarge> {
    let Some(pairs) = pairs(machine)? else {
        return Ok(None);
    };
    let mut inputs = machine.input_table().clone();
    let mut name = b"output".to_vec();
    while inputs.find(&name).is_some() {
        name.push(b'\'');
    }
    let ask = InputId::new(inputs.intern(&name)?.get() - 1);
    let mut outputs = machine.output_table().clone();
    let initial = machine.initial_output().unwrap_or_default();
    let initial = OutputId::new(outputs.intern(initial)?.get() - 1);
    let mut numbers = HashMap::new();
    for (number, &pair) in pairs.iter().enumerate() {
        numbers.insert(pair, StateId::from_index(number));
    }
    let mut made = Machine::new(inputs, outputs, pairs.len());
    for (number, &(state, output)) in pairs.iter().enumerate() {
        let from = StateId::from_index(number);
        made.set(from, ask, output.unwrap_or(initial), from);
        for input in machine.input_ids() {
            if let Some((output, target)) = machine.step(state, input) {
                made.set(from, input, output, numbers[&(target, Some(output))]);
            }
        }
    }
    Ok(Some(made))
}
