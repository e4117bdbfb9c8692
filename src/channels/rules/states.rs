//! Θ1, Θ3 and Θ4: walks through a state become transitions.

use hyades_formats::StateId;

use super::super::event::Transition;
use super::super::machine::Machine;
use super::{Change, Refusal};

/// Section 3.2.
pub(super) fn theta1(machine: &Machine, state: StateId) -> Result<Change, Refusal> {
    check_deletable(machine, state)?;
    let receives = |t: &Transition| t.label.iter().any(|event| event.is_reception());
    match machine.outgoing(state).find(receives) {
        Some(transition) => Err(Refusal::Receives(transition)),
        None => Ok(deletion(machine, state)),
    }
}

/// Section 3.4.
pub(super) fn theta3(machine: &Machine, state: StateId) -> Result<Change, Refusal> {
    check_deletable(machine, state)?;
    if machine.is_stable(state) {
        return Err(Refusal::Stable);
    }
    let entering: Vec<Transition> = machine.incoming(state).collect();
    check_initiative(machine, state, &entering)?;
    Ok(deletion(machine, state))
}

/// Section 3.5.
pub(super) fn theta4(
    machine: &Machine,
    state: StateId,
    entering: &[Transition],
) -> Result<Change, Refusal> {
    if entering.is_empty() {
        return Err(Refusal::Nothing);
    }
    for transition in entering {
        if transition.target != state || !machine.contains(transition) {
            return Err(Refusal::Missing);
        }
        if transition.is_loop() {
            return Err(Refusal::Loop(transition.clone()));
        }
    }
    if machine.is_stable(state) {
        return Err(match machine.outgoing(state).len() {
            0 => Refusal::Dead,
            _ => Refusal::Stable,
        });
    }
    check_initiative(machine, state, entering)?;
    Ok(Change {
        removed: entering.to_vec(),
        added: products(machine, state, entering),
    })
}

/// The transitions into a state that Θ4 may replace at once.
pub(super) fn eligible(machine: &Machine, state: StateId) -> Vec<Transition> {
    let passes = |t: &Transition| check_initiative(machine, state, std::slice::from_ref(t)).is_ok();
    machine
        .incoming(state)
        .filter(|t| !t.is_loop() && passes(t))
        .collect()
}

/// What Θ1 and Θ3 assume of the state both.
fn check_deletable(machine: &Machine, state: StateId) -> Result<(), Refusal> {
    if state == machine.initial() {
        return Err(Refusal::Initial);
    }
    if let Some(transition) = machine.outgoing(state).find(Transition::is_loop) {
        return Err(Refusal::Loop(transition));
    }
    match machine.outgoing(state).len() {
        0 => Err(Refusal::Dead),
        _ => Ok(()),
    }
}

/// No transition that transmits to others is followed by one that receives from them.
fn check_initiative(
    machine: &Machine,
    state: StateId,
    entering: &[Transition],
) -> Result<(), Refusal> {
    let Some(blocking) = machine
        .outgoing(state)
        .find(|t| machine.is_blocking(&t.label))
    else {
        return Ok(());
    };
    let transmits = |t: &&Transition| machine.has_shared_transmission(&t.label);
    match entering.iter().find(transmits) {
        Some(transmitting) => Err(Refusal::Initiative(transmitting.clone(), blocking)),
        None => Ok(()),
    }
}

fn products(machine: &Machine, state: StateId, entering: &[Transition]) -> Vec<Transition> {
    let leaving: Vec<Transition> = machine.outgoing(state).collect();
    let pairs = entering
        .iter()
        .flat_map(|t| leaving.iter().map(move |u| t.then(u)));
    pairs.collect()
}

fn deletion(machine: &Machine, state: StateId) -> Change {
    let entering: Vec<Transition> = machine.incoming(state).collect();
    let added = products(machine, state, &entering);
    let mut removed = entering;
    removed.extend(machine.outgoing(state));
    Change { removed, added }
}
