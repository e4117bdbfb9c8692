//! A system as a model to be explored.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use super::event::{Channel, ChannelId, ComponentId, Direction, MessageId};
use super::machine::{Transition, messages_of};
use super::system::System;
use crate::explore::{Emit, Limit, Model, ModelError};

/// What happens beyond an overfilled link channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Beyond {
    /// States with an overfilled channel are counted, but the search does not go on
    /// from them.
    #[default]
    Stop,
    /// The search goes on as from all others.
    Expand,
}

/// How a system is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Semantics {
    /// What happens beyond an overfilled link channel.
    pub beyond: Beyond,
    /// From states in which a link channel holds more messages the search does not go
    /// on, whatever the capacity; `None` is [the usual bound](Semantics::bound).
    pub channel_bound: Option<u32>,
    /// In maximal progress (Algorithm 1), the component that moves only where it must.
    pub restrained: Option<ComponentId>,
}

impl Default for Semantics {
    fn default() -> Self {
        Self {
            beyond: Beyond::Stop,
            channel_bound: None,
            restrained: None,
        }
    }
}

impl Semantics {
    /// So many messages each channel may hold at least if nothing else is said.
    pub const LEAST_BOUND: u32 = 16;

    /// Not more than so many if nothing else is said, as states have room for all.
    pub const MOST_BOUND: u32 = 256;

    /// How many messages a channel may hold where the search goes on. If nothing is
    /// said, one more than the capacity, but within [`Semantics::LEAST_BOUND`] and
    /// [`Semantics::MOST_BOUND`].
    pub fn bound(&self, channel: &Channel) -> u32 {
        let more = channel.capacity.map_or(0, |most| most.saturating_add(1));
        let usual = more.clamp(Self::LEAST_BOUND, Self::MOST_BOUND);
        self.channel_bound.unwrap_or(usual)
    }
}

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

/// The steps of all members.
#[derive(Default)]
struct Code {
    initial: Vec<u64>,
    transitions: Vec<(ComponentId, Transition)>,
    /// Of each member, where the steps of each state begin, and their end.
    rows: Vec<Vec<u32>>,
    steps: Vec<StepCode>,
    receptions: Vec<Operation>,
    transmissions: Vec<Operation>,
    labels: LabelTable,
}

/// Where the state of a component is: bits of one word.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: usize,
    shift: u32,
    mask: u64,
}

impl Field {
    #[inline]
    fn get(self, words: &[u64]) -> usize {
        (words[self.word] >> self.shift & self.mask) as usize
    }
}

/// Where the contents of a channel are.
#[derive(Clone, Copy, Debug)]
struct Slot {
    word: usize,
    shift: u32,
    /// How many bits, the one above the messages included.
    width: usize,
    /// Bits of a message.
    each: u32,
    /// From states with more messages the search does not go on.
    most: usize,
    /// With more messages it is overfilled.
    capacity: Option<u32>,
}

impl Slot {
    fn is_wide(&self) -> bool {
        self.width > 64
    }

    /// How many words.
    fn words(&self) -> usize {
        self.width.div_ceil(64)
    }

    #[inline]
    fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.width.min(64))
    }

    /// The contents of a channel within a word.
    #[inline]
    fn get(&self, words: &[u64]) -> u64 {
        words[self.word] >> self.shift & self.mask()
    }

    /// How many messages it holds.
    #[inline]
    fn len(&self, words: &[u64]) -> usize {
        let highest = if self.is_wide() {
            let limbs = &words[self.word..][..self.words()];
            let top = limbs.iter().rposition(|&limb| limb != 0);
            // There is always the bit above the messages.
            let top = top.expect("a channel has its highest bit");
            64 * top + 63 - limbs[top].leading_zeros() as usize
        } else {
            63 - self.get(words).leading_zeros() as usize
        };
        highest / self.each as usize
    }
}

/// A transition of a member.
#[derive(Clone, Copy, Debug)]
struct StepCode {
    label: LabelId,
    /// What changes in the word of the component.
    flip: u64,
    /// The end of its operations; they begin where those of the step before end.
    receptions: u32,
    transmissions: u32,
}

/// Receptions from a channel, or transmissions to it.
#[derive(Clone, Debug)]
struct Operation {
    slot: Slot,
    /// How many bits.
    bits: usize,
    /// The messages, the first lowest.
    pattern: Vec<u64>,
    /// The same, if they fit.
    word: u64,
}

impl Operation {
    fn new(slot: Slot, messages: impl Iterator<Item = MessageId>) -> Self {
        let each = slot.each as usize;
        let mut pattern = Vec::new();
        let mut bits = 0;
        for message in messages {
            put(&mut pattern, bits, message.index() as u64, each);
            bits += each;
        }
        Self {
            slot,
            bits,
            word: pattern.first().copied().unwrap_or(0),
            pattern,
        }
    }

    /// Whether the channel has these messages at its head.
    #[inline]
    fn is_enabled(&self, words: &[u64]) -> bool {
        if self.slot.is_wide() {
            return self.common(words) == Some(self.bits);
        }
        let contents = self.slot.get(words);
        // More bits than the channel has are received by nobody.
        self.bits < self.slot.width
            && contents >> self.bits != 0
            && (contents ^ self.word) & ((1 << self.bits) - 1) == 0
    }

    /// Whether the channel has a proper prefix of these messages, and nothing else.
    fn would_be_enabled(&self, words: &[u64]) -> bool {
        let held = self.slot.len(words) * self.slot.each as usize;
        held < self.bits && self.common(words) == Some(held)
    }

    /// How many bits of messages and contents are the same until one of them ends;
    /// `None` if they differ before.
    fn common(&self, words: &[u64]) -> Option<usize> {
        let held = self.slot.len(words) * self.slot.each as usize;
        let both = held.min(self.bits);
        let same = |at: usize| {
            let many = (both - at).min(64);
            let own = take(&self.pattern, at, many);
            own == self.slot.take(words, at, many)
        };
        (0..both).step_by(64).all(same).then_some(both)
    }

    /// Removes these messages, which must be at the head.
    #[inline]
    fn receive(&self, words: &mut [u64]) {
        let slot = &self.slot;
        if slot.is_wide() {
            let limbs = &mut words[slot.word..][..slot.words()];
            shift_down(limbs, self.bits);
        } else {
            let contents = slot.get(words);
            words[slot.word] ^= (contents ^ contents >> self.bits) << slot.shift;
        }
    }

    /// Appends these messages, for which there must be room.
    #[inline]
    fn transmit(&self, words: &mut [u64]) {
        let slot = &self.slot;
        if slot.is_wide() {
            let end = slot.len(words) * slot.each as usize;
            let limbs = &mut words[slot.word..][..slot.words()];
            limbs[end / 64] ^= 1 << (end % 64);
            for at in (0..self.bits).step_by(64) {
                let many = (self.bits - at).min(64);
                let bits = take(&self.pattern, at, many);
                or(limbs, end + at, bits);
            }
            or(limbs, end + self.bits, 1);
        } else {
            let contents = slot.get(words);
            let end = 63 - contents.leading_zeros();
            // The highest bit moves up over the messages.
            let change = (1 ^ self.word ^ 1 << self.bits) << end;
            words[slot.word] ^= change << slot.shift;
        }
    }
}

/// So many bits, at most 64, from here on; what is beyond the end is 0.
fn take(limbs: &[u64], at: usize, many: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    let limb = |k: usize| limbs.get(k).copied().unwrap_or(0);
    let low = limb(word) >> shift;
    let high = if shift == 0 {
        0
    } else {
        limb(word + 1) << (64 - shift)
    };
    match many {
        0 => 0,
        many => (low | high) & u64::MAX >> (64 - many),
    }
}

/// Sets bits from here on.
fn or(limbs: &mut [u64], at: usize, bits: u64) {
    let (word, shift) = (at / 64, at % 64);
    limbs[word] |= bits << shift;
    if shift > 0 && bits >> (64 - shift) != 0 {
        limbs[word + 1] |= bits >> (64 - shift);
    }
}

/// Appends bits to a pattern that has `at` bits so far.
fn put(pattern: &mut Vec<u64>, at: usize, value: u64, bits: usize) {
    pattern.resize((at + bits).div_ceil(64), 0);
    or(pattern, at, value);
}

/// Drops the lowest bits.
fn shift_down(limbs: &mut [u64], bits: usize) {
    for k in 0..limbs.len() {
        limbs[k] = take(limbs, 64 * k + bits, 64);
    }
}

impl Slot {
    /// So many bits of the contents, from here on.
    fn take(&self, words: &[u64], at: usize, many: usize) -> u64 {
        match self.is_wide() {
            true => take(&words[self.word..][..self.words()], at, many),
            false => take(&[self.get(words)], at, many),
        }
    }
}

/// A state of a system, for people.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SystemState {
    /// The state of each member.
    pub components: Vec<StateId>,
    /// What is in each of the [linked channels](SystemModel::linked), the head first.
    pub channels: Vec<Vec<MessageId>>,
}

impl Code {
    fn new(
        system: &System,
        members: &[ComponentId],
        fields: &[Field],
        slots: &[Option<Slot>],
        bits: usize,
    ) -> Result<Self, TooLarge> {
        let mut code = Self {
            initial: vec![0; crate::explore::words(bits)],
            ..Self::default()
        };
        for slot in slots.iter().flatten() {
            code.initial[slot.word] |= 1 << slot.shift;
        }
        for (&id, &field) in members.iter().zip(fields) {
            let machine = system.machine(id);
            code.initial[field.word] |= u64::from(machine.initial().get()) << field.shift;
            let mut row = vec![code.steps.len() as u32];
            for state in (0..machine.states()).map(StateId::from_index) {
                for transition in machine.outgoing(state) {
                    code.add(system, id, field, slots, transition)?;
                }
                row.push(code.steps.len() as u32);
            }
            code.rows.push(row);
        }
        Ok(code)
    }

    fn add(
        &mut self,
        system: &System,
        id: ComponentId,
        field: Field,
        slots: &[Option<Slot>],
        transition: Transition,
    ) -> Result<(), TooLarge> {
        let Transition {
            source,
            label,
            target,
        } = &transition;
        for (k, slot) in slots.iter().enumerate() {
            let Some(slot) = *slot else { continue };
            let channel = ChannelId::new(k);
            for (direction, operations) in [
                (Direction::Reception, &mut self.receptions),
                (Direction::Transmission, &mut self.transmissions),
            ] {
                let operation = Operation::new(slot, messages_of(label, channel, direction));
                if operation.bits > 0 {
                    operations.push(operation);
                }
            }
        }
        let shown = system.show_label(id, label);
        let name = system.component_name(id);
        let text = format!("{name}: {} {shown} {}", source.get(), target.get());
        self.steps.push(StepCode {
            label: self.labels.intern(text.as_bytes())?,
            flip: u64::from(source.get() ^ target.get()) << field.shift,
            receptions: self.receptions.len() as u32,
            transmissions: self.transmissions.len() as u32,
        });
        self.transitions.push((id, transition));
        Ok(())
    }
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
        let has_member = |id: Option<ComponentId>| id.is_some_and(|id| members.contains(&id));
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
        let mut slots: Vec<Option<Slot>> = vec![None; channels.len()];
        let mut wide = Vec::new();
        for &k in &linked {
            let channel = &channels[k];
            let bound = semantics.bound(channel);
            let most = match (semantics.beyond, channel.capacity) {
                (Beyond::Stop, Some(capacity)) => capacity.min(bound),
                _ => bound,
            } as usize;
            let each = (channel.messages.len() as u64)
                .next_power_of_two()
                .trailing_zeros();
            let each = each.max(1);
            let id = ChannelId::new(k);
            let from = system.machine(channel.from.expect("a link has a sender"));
            let burst = from
                .transitions()
                .map(|t| messages_of(&t.label, id, Direction::Transmission).count())
                .max();
            let width = (most + burst.unwrap_or(0))
                .checked_mul(each as usize)
                .and_then(|bits| bits.checked_add(1))
                .filter(|&bits| bits <= crate::explore::MAX_BITS)
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
    /// [`Limit::Channels`](crate::explore::Limit::Channels).
    ///
    /// # Errors
    /// If there are too many.
    pub fn by_events(mut self) -> Result<Self, TooLarge> {
        let (table, labels) = super::findings::labels_of(&self)?;
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
    pub fn overfilled<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = ChannelId> + 'a {
        let slots = self.linked_slots();
        let slots = slots.filter(|(_, slot)| {
            let most = slot.capacity.map_or(usize::MAX, |most| most as usize);
            slot.len(words) > most
        });
        slots.map(|(channel, _)| channel)
    }

    /// The channels that hold more than the bound, so that the search does not go on
    /// from a state; none if it does not anyway, as some channel is overfilled there.
    pub fn cut_off<'a>(&'a self, words: &'a [u64]) -> impl Iterator<Item = ChannelId> + 'a {
        let stops = self.semantics.beyond == Beyond::Stop;
        let ends_anyway = stops && self.overfilled(words).next().is_some();
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
        if let Some(channel) = self.cut_off(words).next() {
            let name = &self.system.channel(channel).name;
            let text = format!("channel {name} holds more messages than the bound");
            return Err(ModelError::limit(Limit::Channels, text));
        }
        for channel in self.overfilled(words) {
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

    fn is_cut_off(&self, state: &[u64]) -> bool {
        !self.is_expanded(state)
    }

    fn was_cut_off(&self) -> bool {
        self.seen_overfilled().next().is_some()
    }

    fn explain(&self, _: &[u64], _: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        vec![self.show_state(&self.decode(target))]
    }
}
