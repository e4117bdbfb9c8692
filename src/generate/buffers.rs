//! Buffers of messages, and what allows everything.

use hyades_base::buffer::{Buffer, Discipline, Event};
use hyades_explore::{Limit, Limits};
use hyades_formats::{LabelId, LabelTable, StateId, TooLarge};

use super::random::numbered_labels;
use super::structured::{Put, a, family};
use super::{GenerateError, Member};

/// One state with a loop for each label, as often as it is listed.
///
/// # Errors
/// If there are more labels than a table can hold.
pub fn chaos_of(labels: &[Vec<u8>]) -> Result<Member, GenerateError> {
    let (table, ids) = interned(labels)?;
    let loops = move |_, put: Put<'_>| ids.iter().for_each(|&id| put(id, 0));
    family(
        Limits::default(),
        1,
        labels.len() as u64,
        || Ok(table),
        loops,
    )
}

/// A buffer of so many places; labels by pairs, one for each kind of message: the one by which
/// it is put in, and the one by which it is taken out.
///
/// # Errors
/// If it has more states than the limits allow, or more labels than a table can hold.
///
/// # Panics
/// If the number of labels is odd.
pub fn buffer_of(
    discipline: Discipline,
    places: u64,
    labels: &[Vec<u8>],
    limits: Limits,
) -> Result<Member, GenerateError> {
    assert!(labels.len().is_multiple_of(2), "labels come in pairs");
    let kinds = kinds(labels.len() as u64 / 2)?;
    let buffer = buffer(discipline, places, kinds, limits)?;
    let (table, ids) = interned(labels)?;
    member(buffer, table, move |event| match event {
        Event::Put(kind) => ids[2 * kind as usize],
        Event::Get(kind) => ids[2 * kind as usize + 1],
    })
}

/// One state, n transitions.
pub(super) fn chaos(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    let labels = values[0];
    let table = || numbered_labels("a", labels, limits);
    family(limits, 1, labels, table, move |_, put| {
        (0..labels).for_each(|k| put(a(k), 0));
    })
}

/// (n^(p + 1) − 1) / (n − 1) states for p places and n kinds of messages, p + 1 for n = 1;
/// 2n transitions for each that is not full.
pub(super) fn fifo(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    numbered(Discipline::Fifo, values, limits)
}

/// (n + p)! / (n! p!) states for p places and n kinds of messages; 2n transitions for each
/// that is not full.
pub(super) fn bag(values: &[u64], limits: Limits) -> Result<Member, GenerateError> {
    numbered(Discipline::Bag, values, limits)
}

/// A buffer with labels `PUT !k` and `GET !k`.
fn numbered(
    discipline: Discipline,
    values: &[u64],
    limits: Limits,
) -> Result<Member, GenerateError> {
    let kinds = kinds(values[1])?;
    let buffer = buffer(discipline, values[0], kinds, limits)?;
    let mut table = numbered_labels("PUT !", kinds.into(), limits)?;
    for kind in 0..kinds {
        table.intern(format!("GET !{kind}").as_bytes())?;
    }
    member(buffer, table, move |event| match event {
        Event::Put(kind) => LabelId::new(1 + kind),
        Event::Get(kind) => LabelId::new(1 + kinds + kind),
    })
}

/// A number of kinds of messages, two labels for each.
fn kinds(count: u64) -> Result<u32, GenerateError> {
    // The hidden action has a number too.
    if 2 * count >= LabelId::MAX_COUNT {
        return Err(GenerateError::TooLarge(TooLarge {
            what: "labels",
            limit: LabelId::MAX_COUNT,
        }));
    }
    Ok(count as u32)
}

fn buffer(
    discipline: Discipline,
    places: u64,
    kinds: u32,
    limits: Limits,
) -> Result<Buffer, GenerateError> {
    let most = limits.max_states.unwrap_or(StateId::MAX_COUNT);
    let is_limited = most < StateId::MAX_COUNT;
    let buffer = Buffer::new(discipline, places, kinds, most.min(StateId::MAX_COUNT));
    buffer.ok_or(match is_limited {
        true => GenerateError::LimitReached(Limit::States),
        false => GenerateError::TooLarge(TooLarge {
            what: "states",
            limit: StateId::MAX_COUNT,
        }),
    })
}

fn member(
    buffer: Buffer,
    table: LabelTable,
    label: impl Fn(Event) -> LabelId + Sync + 'static,
) -> Result<Member, GenerateError> {
    // Each state has less than 2^33 transitions.
    let transitions = u64::try_from(buffer.transitions()).unwrap_or(u64::MAX);
    let states = buffer.states();
    family(
        Limits::default(),
        states,
        transitions,
        || Ok(table),
        move |state, put| {
            buffer.successors(u64::from(state), |event, target| {
                put(label(event), target as u32)
            });
        },
    )
}

/// A table of these labels, and which is which.
fn interned(labels: &[Vec<u8>]) -> Result<(LabelTable, Vec<LabelId>), GenerateError> {
    let mut table = LabelTable::new();
    let ids = labels
        .iter()
        .map(|text| table.intern(text))
        .collect::<Result<_, _>>()?;
    Ok((table, ids))
}
