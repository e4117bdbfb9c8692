//! A system as a model to be explored.

mod code;
mod layout;
mod semantics;

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use hyades_explore::{Emit, Erased, Limit, Model, ModelError};
use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use self::code::{Code, bursts};
use self::layout::{Field, Operation, Slot};
use super::event::{ChannelId, ComponentId, MessageId, Transition};
use super::system::System;

pub use self::semantics::{Beyond, Semantics};

/// The states of a system: one state of each component, and what is in each link
/// channel. Channels to and from the environment never hinder a transition.
///
/// A transition is enabled if its receptions on each link channel, in their order,
/// are a prefix of what the channel holds; then its transmissions are appended.
/// Transmissions are never blocked.
///
/// The label of transition `t` of [`SystemModel::transitions`] has the number
/// `t + 1`, so that each tells which component made which step.
///
/// # Layout
/// A component with `n` states takes `⌈log2 n⌉` bits. A link channel with `m` messages
/// takes `b = ⌈log2 m⌉` (at least 1) bits for each message it may hold and one more:
/// above the messages, the head lowest, there is a bit that is 1. Up to 64 bits, it
/// lies within one word; longer ones begin at a word.
#[derive(Debug)]
pub struct SystemModel<'s> {
    system: Cow<'s, System>,
    members: Vec<ComponentId>,
    /// For each member.
    fields: Vec<Field>,
    /// For each channel, if it links two members.
    slots: Vec<Option<Slot>>,
    /// The places of the channels that have slots.
    linked: Vec<usize>,
    bits: usize,
    code: Code,
    semantics: Semantics,
    /// Whether labels tell events only, for an LTS. Then going beyond the bound ends
    /// the exploration, and what is overfilled is remembered.
    by_events: bool,
    is_overfilled: Vec<AtomicBool>,
}

/// A state of a system, for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SystemState {
    /// The state of each member.
    pub components: Vec<StateId>,
    /// What is in each of the [linked channels](SystemModel::linked), the head first.
    pub channels: Vec<Vec<MessageId>>,
}

impl<'s> SystemModel<'s> {
    /// The model of a system.
    ///
    /// # Errors
    /// If states would be too long, or there are too many transitions.
    pub fn new(system: &'s System, semantics: Semantics) -> Result<Self, ModelError> {
        Self::of_members(system, &system.components().collect::<Vec<_>>(), semantics)
    }

    /// As [`SystemModel::new`], with the system in it.
    ///
    /// # Errors
    /// If states would be too long, or there are too many transitions.
    pub fn owning(
        system: System,
        semantics: Semantics,
    ) -> Result<SystemModel<'static>, ModelError> {
        let members: Vec<_> = system.components().collect();
        SystemModel::with(Cow::Owned(system), &members, semantics)
    }

    /// The model of some components of a system. Channels that link them with others
    /// are treated as channels to and from the environment.
    ///
    /// # Errors
    /// If states would be too long, or there are too many transitions.
    pub fn of_members(
        system: &'s System,
        members: &[ComponentId],
        semantics: Semantics,
    ) -> Result<Self, ModelError> {
        Self::with(Cow::Borrowed(system), members, semantics)
    }

    fn with(
        system: Cow<'s, System>,
        members: &[ComponentId],
        semantics: Semantics,
    ) -> Result<Self, ModelError> {
        let channels = system.channels();
        let mut is_member = vec![false; system.names().len()];
        members.iter().for_each(|id| is_member[id.index()] = true);
        let has_member = |id: Option<ComponentId>| id.is_some_and(|id| is_member[id.index()]);
        let linked = (0..channels.len()).filter(|&k| {
            channels[k].is_link() && has_member(channels[k].from) && has_member(channels[k].to)
        });
        let linked: Vec<usize> = linked.collect();
        // The narrow fields, one behind the other, none across two words.
        let mut free = (0, 0);
        let mut room = |width: usize| {
            if free.1 + width > 64 {
                free = (free.0 + 1, 0);
            }
            let place = (free.0, free.1 as u32);
            free.1 += width;
            place
        };
        let fields: Vec<Field> = members
            .iter()
            .map(|&id| {
                let states = system.machine(id).states() as u64;
                let width = states.next_power_of_two().trailing_zeros();
                let (word, shift) = room(width as usize);
                Field {
                    word,
                    // A field without bits may lie behind the word.
                    shift: shift % 64,
                    mask: (1 << width) - 1,
                }
            })
            .collect();
        let bursts = bursts(&system, members);
        let mut slots: Vec<Option<Slot>> = vec![None; channels.len()];
        let mut wide = Vec::new();
        for &k in &linked {
            let channel = &channels[k];
            let bound = semantics.bound(channel);
            let most = match (semantics.beyond, channel.capacity) {
                (Beyond::Stop, Some(capacity)) => capacity.min(bound),
                (Beyond::Stop, None) | (Beyond::Expand, _) => bound,
            } as usize;
            let each = (channel.messages.len() as u64)
                .next_power_of_two()
                .trailing_zeros();
            let each = each.max(1);
            let width = (most + bursts[k])
                .checked_mul(each as usize)
                .and_then(|bits| bits.checked_add(1))
                .filter(|&bits| bits <= hyades_explore::MAX_BITS)
                .ok_or_else(|| {
                    ModelError::new(format!(
                        "channel {} may hold {most} messages, more than a state has room for",
                        channel.name
                    ))
                })?;
            let slot = Slot {
                word: 0,
                shift: 0,
                width,
                each,
                most,
                capacity: channel.capacity,
            };
            if slot.is_wide() {
                wide.push(k);
            } else {
                let (word, shift) = room(width);
                slots[k] = Some(Slot {
                    word,
                    shift,
                    ..slot
                });
                continue;
            }
            slots[k] = Some(slot);
        }
        let mut bits = 64 * free.0 + free.1;
        for k in wide {
            let slot = slots[k].as_mut().expect("it has been given one");
            slot.word = bits.div_ceil(64);
            bits = 64 * slot.word + slot.width;
        }
        let code = Code::new(&system, members, &fields, &slots, bits);
        let is_overfilled = channels.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self {
            code: code.map_err(|error| ModelError::new(error.to_string()))?,
            system,
            members: members.to_vec(),
            fields,
            slots,
            linked,
            bits,
            semantics,
            by_events: false,
            is_overfilled,
        })
    }

    /// The same model with the labels that the system has as one component, instead of
    /// one for each transition, for exploring it as any other model. Where a channel
    /// comes to hold more than the bound, that ends with
    /// [`Limit::Channels`](hyades_explore::Limit::Channels).
    ///
    /// # Errors
    /// If there are too many.
    pub fn by_events(mut self) -> Result<Self, TooLarge> {
        let (table, labels) = labels_of(&self)?;
        for (step, label) in self.code.steps.iter_mut().zip(labels) {
            step.label = label;
        }
        self.code.labels = table;
        self.by_events = true;
        Ok(self)
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// How it is explored.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The transitions of all members, one after the other.
    pub fn transitions(&self) -> &[(ComponentId, Transition)] {
        &self.code.transitions
    }

    /// The components whose states make up those of the model.
    pub fn members(&self) -> &[ComponentId] {
        &self.members
    }

    /// The channels whose contents are part of a state.
    pub fn linked(&self) -> impl ExactSizeIterator<Item = ChannelId> + '_ {
        self.linked.iter().copied().map(ChannelId::new)
    }

    fn linked_slots(&self) -> impl Iterator<Item = (ChannelId, Slot)> + '_ {
        let slots = self.linked.iter().map(|&k| (k, self.slots[k]));
        slots.map(|(k, slot)| {
            (
                ChannelId::new(k),
                slot.expect("a linked channel has a slot"),
            )
        })
    }

    /// The channels that hold more than their capacity in a state.
    pub fn overflowing<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = ChannelId> + 'a {
        let slots = self.linked_slots();
        let slots = slots.filter(|(_, slot)| {
            let most = slot.capacity.map_or(usize::MAX, |most| most as usize);
            slot.len(words) > most
        });
        slots.map(|(channel, _)| channel)
    }

    /// The channels that hold more than the bound, so that the search does not go on
    /// from a state; none if it does not anyway, as some channel is overfilled there.
    pub fn truncated<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = ChannelId> + 'a {
        let stops = self.semantics.beyond == Beyond::Stop;
        let ends_anyway = stops && self.overflowing(words).next().is_some();
        let slots = self.linked_slots();
        let slots = slots.filter(move |(_, slot)| !ends_anyway && slot.len(words) > slot.most);
        slots.map(|(channel, _)| channel)
    }

    /// Whether the search goes on from a state.
    #[inline]
    fn is_expanded(&self, words: &[u64]) -> bool {
        self.linked.iter().all(|&k| {
            let slot = self.slots[k].as_ref();
            slot.is_none_or(|slot| slot.len(words) <= slot.most)
        })
    }

    /// What a state is.
    pub fn decode(&self, words: &[u64]) -> SystemState {
        let components = self.fields.iter();
        let components = components.map(|field| StateId::from_index(field.get(words)));
        let channels = self.linked_slots().map(|(_, slot)| {
            let each = slot.each as usize;
            let message = |k| MessageId::new(slot.take(words, k * each, each) as usize);
            (0..slot.len(words)).map(message).collect()
        });
        SystemState {
            components: components.collect(),
            channels: channels.collect(),
        }
    }

    /// What there is of a state from which the search does not go on.
    #[cold]
    fn end(&self, words: &[u64]) -> Result<(), ModelError> {
        if !self.by_events {
            return Ok(());
        }
        if let Some(channel) = self.truncated(words).next() {
            let name = &self.system.channel(channel).name;
            let text = format!("channel {name} holds more messages than the bound");
            return Err(ModelError::limit(Limit::Channels, text));
        }
        for channel in self.overflowing(words) {
            self.is_overfilled[channel.index()].store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The channels that were found overfilled while a model [by events] was explored,
    /// ascending.
    ///
    /// [by events]: SystemModel::by_events
    pub fn seen_overfilled(&self) -> impl Iterator<Item = &super::Channel> + '_ {
        let seen = self.is_overfilled.iter().zip(self.system.channels().iter());
        let seen = seen.filter(|(seen, _)| seen.load(Ordering::Relaxed));
        seen.map(|(_, channel)| channel)
    }

    /// Takes a step that is enabled.
    #[inline]
    fn take_step(&self, field: Field, step: usize, words: &mut [u64]) {
        words[field.word] ^= self.code.steps[step].flip;
        for operation in self.receptions_of(step) {
            operation.receive(words);
        }
        for operation in self.transmissions_of(step) {
            operation.transmit(words);
        }
    }

    /// The states after each of some transitions, one after the other from the initial
    /// state on.
    ///
    /// # Panics
    /// If one is not enabled.
    pub fn states_of(&self, way: &[u32]) -> Vec<SystemState> {
        let mut words = self.code.initial.clone();
        let mut states = Vec::with_capacity(way.len());
        for &step in way {
            let step = step as usize;
            let (id, transition) = &self.code.transitions[step];
            let member = self.members.iter().position(|other| other == id);
            let field = self.fields[member.expect("it is of a member")];
            let is_there = field.get(&words) == transition.source.index();
            assert!(is_there && self.is_enabled(step, &words), "no way");
            self.take_step(field, step, &mut words);
            states.push(self.decode(&words));
        }
        states
    }

    /// A state in words: `M 3, N 0, MN: a b, NM: -`.
    pub fn show_state(&self, state: &SystemState) -> String {
        let queues = self.linked().zip(&state.channels).map(|(channel, queue)| {
            let name = &self.system.channel(channel).name;
            format!("{name}: {}", self.system.show_queue(channel, queue))
        });
        let members = self.members.iter().zip(&state.components);
        let states = members.map(|(&id, state)| self.system.show_state(id, *state));
        states.chain(queues).collect::<Vec<_>>().join(", ")
    }

    /// The steps that a member has in a state, whether enabled or not.
    #[inline]
    fn steps_of(&self, member: usize, words: &[u64]) -> std::ops::Range<usize> {
        let row = &self.code.rows[member];
        let state = self.fields[member].get(words);
        row[state] as usize..row[state + 1] as usize
    }

    #[inline]
    fn receptions_of(&self, step: usize) -> &[Operation] {
        let first = step
            .checked_sub(1)
            .map_or(0, |before| self.code.steps[before].receptions);
        &self.code.receptions[first as usize..self.code.steps[step].receptions as usize]
    }

    #[inline]
    fn transmissions_of(&self, step: usize) -> &[Operation] {
        let first = step
            .checked_sub(1)
            .map_or(0, |before| self.code.steps[before].transmissions);
        &self.code.transmissions[first as usize..self.code.steps[step].transmissions as usize]
    }

    #[inline]
    fn is_enabled(&self, step: usize, words: &[u64]) -> bool {
        self.receptions_of(step)
            .iter()
            .all(|op| op.is_enabled(words))
    }

    /// Whether the restrained component may move in a state (Algorithm 1): if another
    /// waits for it to go on with what it has begun to transmit, or none other can
    /// move.
    fn may_move(&self, restrained: ComponentId, words: &[u64]) -> bool {
        let others = (0..self.members.len()).filter(|&k| self.members[k] != restrained);
        let mut steps = others.flat_map(|member| self.steps_of(member, words));
        let waits = |step| {
            self.receptions_of(step)
                .iter()
                .any(|op| op.would_be_enabled(words))
        };
        let mut can_move = false;
        let awaited = steps.any(|step| {
            can_move |= self.is_enabled(step, words);
            waits(step)
        });
        awaited || !can_move
    }
}

impl Model for SystemModel<'_> {
    /// The target of a step.
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        vec![0; self.code.initial.len()]
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.code.labels)
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&self.code.initial);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        target: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        if !self.is_expanded(state) {
            return self.end(state);
        }
        let resting = self
            .semantics
            .restrained
            .filter(|&id| !self.may_move(id, state));
        for (member, field) in self.fields.iter().enumerate() {
            if resting == Some(self.members[member]) {
                continue;
            }
            for step in self.steps_of(member, state) {
                if self.is_enabled(step, state) {
                    target.copy_from_slice(state);
                    self.take_step(*field, step, target);
                    emit.transition(self.code.steps[step].label, target);
                }
            }
        }
        Ok(())
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        !self.is_expanded(state)
    }

    fn was_truncated(&self) -> bool {
        self.seen_overfilled().next().is_some()
    }

    fn explain(&self, _: &[u64], _: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        vec![self.show_state(&self.decode(target))]
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}

/// The labels of the LTS that is the whole system as one component, and for each of
/// [`SystemModel::transitions`] which it has.
///
/// # Errors
/// If there are too many labels.
pub fn labels_of(model: &SystemModel<'_>) -> Result<(LabelTable, Vec<LabelId>), TooLarge> {
    let mut table = LabelTable::new();
    let vocabulary = model.system().vocabulary_of(model.members());
    let labels = model.transitions().iter();
    let labels = labels.map(|(_, t)| table.intern(vocabulary.show(&t.label).as_bytes()));
    let labels = labels.collect::<Result<_, _>>()?;
    Ok((table, labels))
}
