//! The steps of a system as operations on bits.

use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use super::super::event::{ChannelId, ComponentId, Direction, Event, Transition};
use super::super::machine::messages_of;
use super::super::system::System;
use super::layout::{Field, Operation, Slot};

/// The steps of all members.
#[derive(Default, Debug)]
pub(super) struct Code {
    pub(super) initial: Vec<u64>,
    pub(super) transitions: Vec<(ComponentId, Transition)>,
    /// Of each member, where the steps of each state begin, and their end.
    pub(super) rows: Vec<Vec<u32>>,
    pub(super) steps: Vec<StepCode>,
    pub(super) receptions: Vec<Operation>,
    pub(super) transmissions: Vec<Operation>,
    pub(super) labels: LabelTable,
}

/// A transition of a member.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepCode {
    pub(super) label: LabelId,
    /// What changes in the word of the component.
    pub(super) flip: u64,
    /// The end of its operations; they begin where those of the step before end.
    pub(super) receptions: u32,
    pub(super) transmissions: u32,
}

impl Code {
    pub(super) fn new(
        system: &System,
        members: &[ComponentId],
        fields: &[Field],
        slots: &[Option<Slot>],
        bits: usize,
    ) -> Result<Self, TooLarge> {
        let mut code = Self {
            initial: vec![0; hyades_explore::words(bits)],
            ..Self::default()
        };
        for slot in slots.iter().flatten() {
            code.initial[slot.word] |= 1 << slot.shift;
        }
        for (&id, &field) in members.iter().zip(fields) {
            let machine = system.machine(id);
            let vocabulary = system.vocabulary(id);
            code.initial[field.word] |= u64::from(machine.initial().get()) << field.shift;
            let mut row = vec![code.steps.len() as u32];
            for state in (0..machine.states()).map(StateId::from_index) {
                for transition in machine.outgoing(state) {
                    let label = vocabulary.show(&transition.label);
                    let (from, to) = (transition.source.get(), transition.target.get());
                    let text = format!("{}: {from} {label} {to}", system.component_name(id));
                    let label = code.labels.intern(text.as_bytes())?;
                    code.add(id, field, slots, transition, label);
                }
                row.push(code.steps.len() as u32);
            }
            code.rows.push(row);
        }
        Ok(code)
    }

    pub(super) fn add(
        &mut self,
        id: ComponentId,
        field: Field,
        slots: &[Option<Slot>],
        transition: Transition,
        label: LabelId,
    ) {
        let events = &transition.label;
        for channel in channels_of(events) {
            let Some(slot) = slots[channel.index()] else {
                continue;
            };
            for (direction, operations) in [
                (Direction::Reception, &mut self.receptions),
                (Direction::Transmission, &mut self.transmissions),
            ] {
                let operation = Operation::new(slot, messages_of(events, channel, direction));
                if operation.bits > 0 {
                    operations.push(operation);
                }
            }
        }
        let flip = transition.source.get() ^ transition.target.get();
        self.steps.push(StepCode {
            label,
            flip: u64::from(flip) << field.shift,
            receptions: self.receptions.len() as u32,
            transmissions: self.transmissions.len() as u32,
        });
        self.transitions.push((id, transition));
    }
}

/// The channels of a label, ascending.
pub(super) fn channels_of(label: &[Event]) -> Vec<ChannelId> {
    let mut channels: Vec<ChannelId> = label.iter().map(|event| event.channel).collect();
    channels.sort_unstable();
    channels.dedup();
    channels
}

/// For each channel of a system, how many messages a transition of one of these
/// components transmits to it at most.
pub(super) fn bursts(system: &System, members: &[ComponentId]) -> Vec<usize> {
    let mut bursts = vec![0; system.channels().len()];
    for &id in members {
        for transition in system.machine(id).transitions() {
            for channel in channels_of(&transition.label) {
                let sent = messages_of(&transition.label, channel, Direction::Transmission);
                let burst = &mut bursts[channel.index()];
                *burst = sent.count().max(*burst);
            }
        }
    }
    bursts
}
