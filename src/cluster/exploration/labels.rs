//! Labels, which each worker numbers for itself as it meets them, and what they are called in
//! the end: as one process would have numbered them.

use std::collections::BTreeMap;

use hyades_explore::ExploreError;
use hyades_formats::{LabelId, LabelTable};

use crate::Error;
use crate::wire::{Cursor, put_bytes, put_varint};
use crate::worker::{Worker, exchange, gather};

/// Where a label occurs: the number of a source, and the place of a transition in its row.
pub(super) type Use = (u64, u32);

/// The label does not occur.
const NONE: Use = (u64::MAX, u32::MAX);

/// For each label of a worker, where it occurs first.
#[derive(Default)]
pub(super) struct FirstUses {
    uses: Vec<Use>,
}

impl FirstUses {
    /// Takes notice of all labels below this number.
    pub fn prepare(&mut self, labels: usize) {
        self.uses.resize(labels, NONE);
    }

    /// A label occurs there; whether that is for the first time. Sources come in ascending
    /// order.
    #[inline]
    pub fn note(&mut self, label: LabelId, source: u64, place: u32) -> bool {
        let first = &mut self.uses[label.index()];
        let is_new = *first == NONE;
        if is_new {
            *first = (source, place);
        }
        is_new
    }
}

/// The labels of all workers.
pub(super) struct Merged {
    /// Those known beforehand, then the others in the order of their first uses.
    pub table: LabelTable,
    /// The numbers in the table of the labels of this worker, of those that occur.
    pub of_own: Vec<u32>,
    /// For each label of the table, where it occurs first at all, if it does.
    uses: Vec<Use>,
}

impl Merged {
    /// Brings together the labels of all workers that occur in the first `rows` rows.
    /// `known` are those that all of them have had from the beginning, under the same
    /// numbers.
    ///
    /// A label goes to the owner of its text, once from each worker; then all are told to all.
    ///
    /// # Errors
    /// If another worker is lost, or there are too many labels.
    pub fn new(
        worker: &mut dyn Worker,
        known: &LabelTable,
        own: &LabelTable,
        uses: &FirstUses,
        rows: u64,
    ) -> Result<Self, Error> {
        let peers = worker.peers();
        let mut owned: BTreeMap<(bool, Vec<u8>), Use> = BTreeMap::new();
        exchange(
            worker,
            |outbox| {
                let used = (0u32..).zip(&uses.uses);
                for (label, &(source, place)) in used.filter(|(_, first)| first.0 < rows) {
                    let label = LabelId::new(label);
                    outbox.record(owner(own.text(label), peers), |packet| {
                        put(packet, label.is_hidden(), own.text(label), (source, place));
                    })?;
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let (is_hidden, text, first) = take(records)?;
                    let held = owned.entry((is_hidden, text.to_vec())).or_insert(first);
                    *held = first.min(*held);
                }
                Ok(())
            },
        )?;
        let mut told = Vec::new();
        for ((is_hidden, text), first) in owned {
            put(&mut told, is_hidden, &text, first);
        }
        let told = gather(worker, &told)?;
        let mut merged = Self {
            table: known.clone(),
            of_own: Vec::new(),
            uses: vec![NONE; known.len()],
        };
        let mut late: Vec<(Use, &[u8])> = Vec::new();
        for part in &told {
            let mut records = Cursor::new(part);
            while !records.is_empty() {
                let (is_hidden, text, first) = take(&mut records)?;
                let label = match is_hidden {
                    true => Some(LabelId::HIDDEN),
                    false => known.find(text),
                };
                match label {
                    Some(label) => merged.uses[label.index()] = first,
                    None => late.push((first, text)),
                }
            }
        }
        late.sort_unstable();
        for (first, text) in late {
            let interned = merged.table.intern(text);
            interned.map_err(|error| Error::Explore(ExploreError::TooLarge(error)))?;
            merged.uses.push(first);
        }
        let number = |label: u32| match (label as usize) < known.len() {
            true => label,
            // What does not occur is called by no row.
            false => merged
                .table
                .find(own.text(LabelId::new(label)))
                .map_or(u32::MAX, LabelId::get),
        };
        merged.of_own = (0..own.len() as u32).map(number).collect();
        Ok(merged)
    }

    /// For each label of the table whether it occurs.
    pub fn used(&self) -> Vec<bool> {
        self.uses.iter().map(|first| *first != NONE).collect()
    }

    /// Where a label of the table occurs first, if it does.
    pub fn first_use(&self, label: LabelId) -> Option<Use> {
        Some(self.uses[label.index()]).filter(|first| *first != NONE)
    }
}

/// Who brings together what is told of a label.
fn owner(text: &[u8], peers: usize) -> usize {
    ((u64::from(crc32c::crc32c(text)) * peers as u64) >> 32) as usize
}

fn put(packet: &mut Vec<u8>, is_hidden: bool, text: &[u8], (source, place): Use) {
    packet.push(is_hidden.into());
    put_bytes(packet, text);
    put_varint(packet, source);
    put_varint(packet, place.into());
}

fn take<'a>(records: &mut Cursor<'a>) -> Result<(bool, &'a [u8], Use), Error> {
    let is_hidden = records.u8()? != 0;
    let text = records.bytes()?;
    let source = records.varint()?;
    let place = u32::try_from(records.varint()?).map_err(|_| Error::Packet)?;
    Ok((is_hidden, text, (source, place)))
}
