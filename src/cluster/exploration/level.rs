//! How the states that a level discovers get their numbers: in the order of the transitions
//! that discover them, as if one process had gone through all rows in the order of their
//! sources.
//!
//! The first transition to a state is the least of those that its owner is told of: its key
//! is (number of the source, place in the row). The sources of a level are divided into
//! intervals, one for each worker. Owners send the keys of their new states, sorted, to who
//! is in charge of the interval; who ranks them and answers in the same order. Keys and
//! answers ascend, so that differences are sent: some 4 bytes for each new state.

use rayon::slice::ParallelSliceMut;

use crate::Error;
use crate::ranges::Ranges;
use crate::wire::{Cursor, put_varint};
use crate::worker::Outbox;

/// The states at one distance from the initial one, which have their numbers.
pub(super) struct Level {
    /// Their distance.
    pub index: u32,
    /// The number of the first of them.
    pub first: u64,
    /// How many there are at all workers.
    pub states: u64,
    /// The own ones, by their numbers at this worker, in the order of their numbers.
    pub own: Vec<u32>,
}

impl Level {
    /// The number that follows those of this level.
    pub fn end(&self) -> u64 {
        self.first + self.states
    }

    /// How keys of transitions of this level are made.
    pub fn keys(&self) -> Keys {
        let bits = 64 - self.states.saturating_sub(1).leading_zeros();
        Keys {
            first: self.first,
            shift: 64 - bits.max(32),
        }
    }
}

/// Makes numbers of 64 bits, in their order, of transitions of a level.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    first: u64,
    shift: u32,
}

impl Keys {
    /// The key of a transition. Levels have less than 2^40 states, so that there are keys for
    /// 2^24 transitions of a state, and for 2^32 if the level has no more than 2^32 states.
    #[inline]
    pub fn of(self, source: u64, place: u32) -> Result<u64, Error> {
        let place = u64::from(place);
        match place >> self.shift {
            0 => Ok((source - self.first) << self.shift | place),
            _ => Err(Error::Room {
                what: "transitions of a state",
                limit: 1 << self.shift,
            }),
        }
    }

    /// The number of the source.
    #[inline]
    pub fn source(self, key: u64) -> u64 {
        self.first + (key >> self.shift)
    }

    /// Appends a key, of which the one before is known.
    pub fn put(self, packet: &mut Vec<u8>, key: u64, before: u64) {
        let mask = (1 << self.shift) - 1;
        put_varint(packet, (key >> self.shift) - (before >> self.shift));
        put_varint(packet, key & mask);
    }

    /// Reads a key, of which the one before is known.
    #[inline]
    pub fn take(self, records: &mut Cursor<'_>, before: u64) -> Result<u64, Error> {
        let rank = (before >> self.shift).checked_add(records.varint()?);
        let place = records.varint()?;
        match rank {
            Some(rank) if rank >> (64 - self.shift) == 0 && place >> self.shift == 0 => {
                Ok(rank << self.shift | place)
            }
            _ => Err(Error::Packet),
        }
    }
}

/// The states that are new at this worker.
pub(super) struct NewStates {
    keys: Keys,
    /// Who is in charge of which sources, counted from the first of the level on.
    intervals: Ranges,
    /// The new states in the order of their keys, by their places, and the keys.
    sorted: Vec<(u64, u32)>,
    /// How many have been sent to each worker.
    sent: Vec<usize>,
}

impl NewStates {
    /// New states that have these keys.
    pub fn new(level: &Level, keys: &[u64], peers: usize) -> Self {
        let mut sorted: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        sorted.par_sort_unstable();
        Self {
            keys: level.keys(),
            intervals: Ranges::even(level.states, peers),
            sorted,
            sent: vec![0; peers],
        }
    }

    /// Sends the keys; each packet begins with `tag`.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn send(&mut self, outbox: &mut Outbox<'_, '_>, tag: u8) -> Result<(), Error> {
        let mut before = 0;
        let mut to = 0;
        for &(key, _) in &self.sorted {
            let source = self.keys.source(key) - self.keys.first;
            while source >= self.intervals.of(to).end {
                to += 1;
            }
            outbox.record(to, |packet| {
                if packet.is_empty() {
                    packet.push(tag);
                    before = 0;
                }
                self.keys.put(packet, key, before);
                before = key;
            })?;
            self.sent[to] += 1;
        }
        Ok(())
    }

    /// The new states in the order of their numbers, by their places, with their numbers and
    /// those of the sources of the transitions that discover them. `ranks` is what the workers
    /// have answered, and `counts` how many states they have ranked.
    ///
    /// # Errors
    /// If too few or too many have been answered.
    pub fn numbered(
        self,
        end: u64,
        ranks: &[Vec<u64>],
        counts: &[u64],
    ) -> Result<impl Iterator<Item = (u32, u64, u64)>, Error> {
        if ranks
            .iter()
            .zip(&self.sent)
            .any(|(ranks, &sent)| ranks.len() != sent)
        {
            return Err(Error::Packet);
        }
        let mut base = end;
        let mut numbers = Vec::with_capacity(self.sorted.len());
        for (ranks, count) in ranks.iter().zip(counts) {
            numbers.extend(ranks.iter().map(|rank| base + rank));
            base += count;
        }
        let Self { keys, sorted, .. } = self;
        Ok(sorted
            .into_iter()
            .zip(numbers)
            .map(move |((key, place), number)| (place, number, keys.source(key))))
    }
}

/// Ranks the keys that workers have sent, for the interval of this worker.
pub(super) struct Ranking {
    keys: Keys,
    received: Vec<(u64, u32)>,
}

impl Ranking {
    pub fn new(level: &Level) -> Self {
        Self {
            keys: level.keys(),
            received: Vec::new(),
        }
    }

    /// Takes a packet behind its tag.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn receive(&mut self, from: usize, records: &mut Cursor<'_>) -> Result<(), Error> {
        let mut before = 0;
        while !records.is_empty() {
            before = self.keys.take(records, before)?;
            self.received.push((before, from as u32));
        }
        Ok(())
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.received.len() as u64
    }

    /// Answers the ranks, in the order in which each worker has sent keys.
    ///
    /// # Errors
    /// If another worker is lost.
    pub fn answer(&mut self, outbox: &mut Outbox<'_, '_>, tag: u8) -> Result<(), Error> {
        // Those of one worker ascend already, and no two are equal.
        self.received.par_sort_unstable();
        let mut before = Vec::new();
        for (rank, &(_, from)) in (0u64..).zip(&self.received) {
            let from = from as usize;
            if before.len() <= from {
                before.resize(from + 1, 0);
            }
            outbox.record(from, |packet| {
                if packet.is_empty() {
                    packet.push(tag);
                    before[from] = 0;
                }
                put_varint(packet, rank - before[from]);
                before[from] = rank;
            })?;
        }
        Ok(())
    }

    /// Takes a packet of an answer behind its tag.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn take_ranks(ranks: &mut Vec<u64>, records: &mut Cursor<'_>) -> Result<(), Error> {
        let mut before = 0u64;
        while !records.is_empty() {
            before = before.checked_add(records.varint()?).ok_or(Error::Packet)?;
            ranks.push(before);
        }
        Ok(())
    }
}
