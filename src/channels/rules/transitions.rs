//! Θ2, Θ5 and Θ6: transitions go, or become simpler.

use hyades_formats::StateId;

use super::super::contents::Contents;
use super::super::event::{ChannelId, Event, Label, Transition};
use super::super::machine::Machine;
use super::walks::{Counting, by_pass, overfilling_walk};
use super::{Change, Refusal};

fn check_present(machine: &Machine, transition: &Transition) -> Result<(), Refusal> {
    match machine.contains(transition) {
        true => Ok(()),
        false => Err(Refusal::Missing),
    }
}

fn deletion(transition: &Transition) -> Change {
    Change {
        removed: vec![transition.clone()],
        added: Vec::new(),
    }
}

/// Section 3.3.
pub(super) fn theta2(
    machine: &Machine,
    transition: &Transition,
    seen: &mut Vec<StateId>,
) -> Result<Change, Refusal> {
    check_present(machine, transition)?;
    if let [_] = *transition.label {
        // Only a transition with this event could do as well: this one.
        return Err(Refusal::NoByPass);
    }
    match by_pass(machine, transition, Counting::All, seen) {
        Some(_) => Ok(deletion(transition)),
        None => Err(Refusal::NoByPass),
    }
}

/// Section 3.6.
pub(super) fn theta5(
    machine: &Machine,
    contents: &Contents,
    transition: &Transition,
    seen: &mut Vec<StateId>,
) -> Result<Change, Refusal> {
    check_present(machine, transition)?;
    if !contents.has(transition.source) {
        return Err(Refusal::Unreachable);
    }
    if by_pass(machine, transition, Counting::Shared, seen).is_none() {
        return Err(Refusal::NoByPass);
    }
    let Transition { source, label, .. } = transition;
    for channel in contents.overflowing(machine, *source, label) {
        check_overfill(machine, contents, transition, channel, seen)?;
    }
    Ok(deletion(transition))
}

/// Section 3.7. The transmission comes first: with the reception first, which the
/// formal criterion of section 2.5 admits, leaving both out can overfill what was not
/// overfilled before.
pub(super) fn theta6(
    machine: &Machine,
    contents: &Contents,
    transition: &Transition,
    [first, second]: [usize; 2],
    seen: &mut Vec<StateId>,
) -> Result<Change, Refusal> {
    check_present(machine, transition)?;
    if !contents.has(transition.source) {
        return Err(Refusal::Unreachable);
    }
    let Transition {
        source,
        label,
        target,
    } = transition;
    if !is_pair(label, first, second) || !machine.channel(label[first].channel).is_private() {
        return Err(Refusal::NoPair);
    }
    let rest = label.iter().enumerate();
    let rest = rest.filter(|(k, _)| ![first, second].contains(k));
    let rest: Label = rest.map(|(_, &event)| event).collect();
    if rest.is_empty() || !contents.fits(*source, &rest, *target) {
        return Err(Refusal::NoPair);
    }
    let channel = label[first].channel;
    let overfills = |label: &[Event]| {
        contents
            .overflowing(machine, *source, label)
            .contains(&channel)
    };
    if overfills(label) && !overfills(&rest) {
        check_overfill(machine, contents, transition, channel, seen)?;
    }
    Ok(Change {
        removed: vec![transition.clone()],
        added: vec![Transition::new(*source, rest, *target)],
    })
}

/// A private channel that a transition overfills is overfilled by another walk
/// whenever the transition can be executed, or is before.
fn check_overfill(
    machine: &Machine,
    contents: &Contents,
    transition: &Transition,
    channel: ChannelId,
    seen: &mut Vec<StateId>,
) -> Result<(), Refusal> {
    let held = contents.len(transition.source, channel).unwrap_or(0);
    let is_before = machine.channel(channel).overflows_with(held);
    match is_before || overfilling_walk(machine, contents, transition, channel, seen).is_some() {
        true => Ok(()),
        false => Err(Refusal::NoOtherOverfill(channel)),
    }
}

/// Whether these places of a label have a transmission and then a reception of the
/// same message of the same channel.
fn is_pair(label: &[Event], first: usize, second: usize) -> bool {
    first < second
        && second < label.len()
        && label[first].is_transmission()
        && label[second].is_reception()
        && label[first].channel == label[second].channel
        && label[first].message == label[second].message
}

/// All such places of private channels, ascending.
pub(super) fn pairs<'a>(
    machine: &'a Machine,
    transition: &'a Transition,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    let label = &transition.label;
    let is_private = |&k: &usize| !machine.is_shared(label[k]);
    let places: Vec<usize> = (0..label.len()).filter(is_private).collect();
    let pairs = (0..places.len()).flat_map(move |k| {
        let first = places[k];
        let later = places[k + 1..].to_vec();
        later.into_iter().map(move |second| (first, second))
    });
    pairs.filter(move |&(first, second)| is_pair(label, first, second))
}
