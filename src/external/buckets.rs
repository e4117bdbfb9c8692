//! Signatures of states, put into buckets by their keys, and equal ones found in each.
//!
//! A bucket is read into memory if it fits its share. As equal keys are in one bucket, one
//! may have nearly all states, though, of few keys: then the records are read twice, and
//! only the keys are in memory, each once. Should they not fit either, those with the same
//! further bits are looked at together, part by part.

use std::fs::File;
use std::io::Seek;

use hyades_base::parallel;
use hyades_base::signature::Key;

use crate::Error;
use crate::chunks::{Chunks, write_chunk};
use crate::scratch::Disk;

/// Bytes of a key with its state.
const RECORD: usize = 20;
/// Bytes of memory for each record of a bucket in which equal keys are found.
const GROUPED: u64 = 48;
/// Bytes of memory for each key that is kept once, while tables grow.
const KEY: u64 = 64;
/// So many keys are looked at together at least.
const LEAST_KEYS: usize = 256;
/// Parts of a bucket are told apart by no more bits than that: equal hashes, which tests
/// have, are not.
const MOST_BITS: u32 = 24;
/// There are so many buckets at the most: each may be an open file.
const MOST: u64 = 256;

/// Keys with their states, by the upper bits of the keys. Each bucket is a file, but for
/// what is still in memory.
pub(crate) struct Buckets<'a> {
    disk: &'a Disk<'a>,
    /// There are two to this power.
    bits: u32,
    buckets: Vec<Bucket>,
    /// A bucket has so many bytes in memory.
    most: usize,
    /// Equal keys are found in so many bytes of memory for each thread.
    share: u64,
    /// Of a bucket that does not fit that, so many keys are looked at together.
    keys: usize,
    buffer: Vec<u8>,
}

#[derive(Default)]
struct Bucket {
    bytes: Vec<u8>,
    /// Its file, if there is one; empty between rounds.
    file: Option<(String, File)>,
    /// How many bytes of records the file has.
    written: usize,
}

/// States with equal keys.
#[derive(Default)]
pub(crate) struct Groups {
    bytes: Vec<u8>,
    /// The group of each record.
    of: Vec<u32>,
    /// How many records each group has.
    pub sizes: Vec<u32>,
}

impl<'a> Buckets<'a> {
    /// For so many states and so much memory, half of it while they are filled.
    pub fn new(disk: &'a Disk<'a>, states: u64, memory: u64) -> Self {
        let threads = parallel::threads() as u64;
        let records = (memory / threads / GROUPED).max(1);
        let count = states.div_ceil(records).next_power_of_two().min(MOST);
        Self {
            disk,
            bits: count.trailing_zeros(),
            buckets: (0..count).map(|_| Bucket::default()).collect(),
            most: ((memory / 2 / count) as usize).max(RECORD),
            share: memory / threads,
            // The other half is still full.
            keys: ((memory / 2 / KEY) as usize).max(LEAST_KEYS),
            buffer: Vec::new(),
        }
    }

    pub fn count(&self) -> usize {
        self.buckets.len()
    }

    /// Adds a state with its key.
    #[inline]
    pub fn push(&mut self, key: Key, state: u32) -> Result<(), Error> {
        let number = (key >> (127 - self.bits) >> 1) as usize;
        let bucket = &mut self.buckets[number];
        if bucket.bytes.len() + RECORD > self.most {
            self.spill(number)?;
        }
        let bytes = &mut self.buckets[number].bytes;
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.extend_from_slice(&state.to_le_bytes());
        Ok(())
    }

    #[cold]
    fn spill(&mut self, number: usize) -> Result<(), Error> {
        let bucket = &mut self.buckets[number];
        let (name, file) = match &mut bucket.file {
            Some(file) => file,
            None => {
                let name = self.disk.new_name("keys");
                let file = self.disk.create(&name)?;
                bucket.file.insert((name, file))
            }
        };
        let written = write_chunk(file, &bucket.bytes, &mut self.buffer);
        written.map_err(|error| self.disk.failed(name, error))?;
        self.disk.count_written(self.buffer.len() as u64);
        bucket.written += bucket.bytes.len();
        bucket.bytes.clear();
        Ok(())
    }

    /// All is in the buckets: gives back memory that is not needed until they are emptied.
    pub fn settle(&mut self) {
        self.buffer = Vec::new();
    }

    /// Whether the records of a bucket fit memory, beside those of others.
    pub fn fits(&self, number: usize) -> bool {
        let bucket = &self.buckets[number];
        let records = (bucket.written + bucket.bytes.len()) / RECORD;
        records as u64 * GROUPED <= self.share
    }

    /// Tells the records of a bucket, some at a time.
    fn each_chunk(
        &self,
        number: usize,
        mut tell: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let bucket = &self.buckets[number];
        if let Some((name, _)) = &bucket.file {
            let records = (bucket.written / RECORD) as u64;
            let mut chunks = Chunks::open(self.disk, name, records, RECORD)?;
            let mut chunk = Vec::new();
            while chunks.next_into(&mut chunk)? {
                tell(&chunk)?;
            }
        }
        tell(&bucket.bytes)
    }

    /// The records of a bucket.
    pub fn groups(&self, number: usize) -> Result<Groups, Error> {
        let bucket = &self.buckets[number];
        let mut bytes = Vec::with_capacity(bucket.written + bucket.bytes.len());
        self.each_chunk(number, |chunk| {
            bytes.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(Groups::of(bytes))
    }

    /// Goes through a bucket whose records do not fit memory: `assign` gives a number to a
    /// group of this size, and `place` is told of each state with the number and the size
    /// of its group. Two passes over the bucket for each part of the keys that fits.
    pub fn stream_groups(
        &self,
        number: usize,
        mut assign: impl FnMut(u32) -> u32,
        mut place: impl FnMut(u32, u32, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        // Parts that are left: their bits behind those of the bucket, and how many.
        let mut parts = vec![(0u128, 0u32)];
        while let Some((part, bits)) = parts.pop() {
            let is_in_part = |key: Key| (key << self.bits) >> (127 - bits) >> 1 == part;
            let mut keys = Keys::default();
            let mut is_full = false;
            self.each_chunk(number, |chunk| {
                for (key, _) in records(chunk) {
                    if is_full || !is_in_part(key) {
                        continue;
                    }
                    keys.count(key);
                    is_full = keys.entries.len() > self.keys && bits < MOST_BITS;
                }
                Ok(())
            })?;
            if is_full {
                parts.extend([(2 * part + 1, bits + 1), (2 * part, bits + 1)]);
                continue;
            }
            for entry in &mut keys.entries {
                entry.number = assign(entry.size);
            }
            self.each_chunk(number, |chunk| {
                for (key, state) in records(chunk) {
                    if is_in_part(key)
                        && let Some(entry) = keys.find(key)
                    {
                        place(state, entry.number, entry.size)?;
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Empties all buckets, for the next round.
    pub fn clear(&mut self) -> Result<(), Error> {
        for bucket in &mut self.buckets {
            bucket.bytes = Vec::new();
            if let Some((name, file)) = &mut bucket.file
                && bucket.written > 0
            {
                let emptied = file.set_len(0).and_then(|()| file.rewind());
                emptied.map_err(|error| self.disk.failed(name, error))?;
                bucket.written = 0;
            }
        }
        Ok(())
    }
}

impl Drop for Buckets<'_> {
    fn drop(&mut self) {
        let files = self
            .buckets
            .iter()
            .filter_map(|bucket| bucket.file.as_ref());
        files.for_each(|(name, _)| self.disk.remove(name));
    }
}

/// The keys and states of records.
fn records(bytes: &[u8]) -> impl Iterator<Item = (Key, u32)> + '_ {
    bytes.as_chunks::<RECORD>().0.iter().map(|record| {
        let (key, state) = record.split_at(16);
        let word = |bytes: &[u8]| {
            let mut whole = [0; 16];
            whole[..bytes.len()].copy_from_slice(bytes);
            u128::from_le_bytes(whole)
        };
        (word(key), word(state) as u32)
    })
}

/// Keys, each once; open addressing.
#[derive(Default)]
struct Keys {
    slots: Vec<u32>,
    entries: Vec<Entry>,
}

struct Entry {
    key: [u8; 16],
    /// How many states have it.
    size: u32,
    /// What stands for these.
    number: u32,
}

impl Keys {
    const EMPTY: u32 = u32::MAX;

    /// The slot of a key, or that where it belongs.
    fn slot(&self, key: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = key as usize & mask;
        loop {
            let entry = self.slots[slot];
            if entry == Self::EMPTY || self.entries[entry as usize].key == key.to_le_bytes() {
                return slot;
            }
            slot = (slot + 1) & mask;
        }
    }

    fn count(&mut self, key: Key) {
        if 2 * self.entries.len() >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(key);
        match self.slots[slot] {
            Self::EMPTY => {
                self.slots[slot] = self.entries.len() as u32;
                self.entries.push(Entry {
                    key: key.to_le_bytes(),
                    size: 1,
                    number: 0,
                });
            }
            entry => self.entries[entry as usize].size += 1,
        }
    }

    fn find(&self, key: Key) -> Option<&Entry> {
        // Without any key there is no slot.
        if self.entries.is_empty() {
            return None;
        }
        let entry = self.slots[self.slot(key)];
        self.entries.get(entry as usize)
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(64);
        self.slots.clear();
        self.slots.resize(size, Self::EMPTY);
        for k in 0..self.entries.len() {
            let slot = self.slot(Key::from_le_bytes(self.entries[k].key));
            self.slots[slot] = k as u32;
        }
    }
}

impl Groups {
    /// Finds equal keys among records. O(records) expected: keys are as good as random.
    fn of(bytes: Vec<u8>) -> Self {
        const EMPTY: u32 = u32::MAX;
        let records = bytes.as_chunks::<RECORD>().0;
        let count = records.len();
        let mask = (2 * count).next_power_of_two() - 1;
        let mut slots = vec![EMPTY; mask + 1];
        let mut of = Vec::with_capacity(count);
        // The first record of each group.
        let mut first: Vec<u32> = Vec::new();
        let mut sizes: Vec<u32> = Vec::new();
        for (k, record) in records.iter().enumerate() {
            let key = &record[..16];
            let mut slot = u64::from_le_bytes([
                key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7],
            ]) as usize
                & mask;
            let group = loop {
                match slots[slot] {
                    EMPTY => {
                        slots[slot] = first.len() as u32;
                        first.push(k as u32);
                        sizes.push(0);
                        break slots[slot];
                    }
                    group if records[first[group as usize] as usize][..16] == *key => break group,
                    _ => slot = (slot + 1) & mask,
                }
            };
            sizes[group as usize] += 1;
            of.push(group);
        }
        Self { bytes, of, sizes }
    }

    /// The states, each with its group.
    pub fn states(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let records = self.bytes.as_chunks::<RECORD>().0.iter();
        records.zip(&self.of).map(|(record, &group)| {
            let state = [record[16], record[17], record[18], record[19]];
            (u32::from_le_bytes(state), group)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};

    use super::*;
    use crate::TemporaryFolder;
    use hyades_testing::Random;

    /// The states of each key, by how they are found: in memory, or one after another.
    fn groups(states: &[(Key, u32)], memory: u64, streams: bool) -> (Vec<Vec<u32>>, usize) {
        let folder = tempfile::tempdir().unwrap();
        let scratch = TemporaryFolder::new(folder.path()).unwrap();
        let disk = Disk::new(&scratch);
        let mut buckets = Buckets::new(&disk, states.len() as u64, memory);
        for &(key, state) in states {
            buckets.push(key, state).unwrap();
        }
        buckets.settle();
        let (mut found, mut sizes) = (BTreeMap::<(usize, u32), Vec<u32>>::new(), HashMap::new());
        let (mut large, mut next) = (0, 0);
        for number in 0..buckets.count() {
            large += usize::from(!buckets.fits(number));
            if buckets.fits(number) && !streams {
                let groups = buckets.groups(number).unwrap();
                for (state, group) in groups.states() {
                    found.entry((number, group)).or_default().push(state);
                    sizes.insert((number, group), groups.sizes[group as usize]);
                }
                continue;
            }
            let assign = |_| {
                next += 1;
                next
            };
            let place = |state, group, size| {
                found.entry((number, group)).or_default().push(state);
                sizes.insert((number, group), size);
                Ok(())
            };
            buckets.stream_groups(number, assign, place).unwrap();
        }
        for (group, states) in &found {
            assert_eq!(states.len() as u32, sizes[group]);
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort();
        (found, large)
    }

    #[test]
    fn equal_keys_are_found_in_buckets_of_any_size() {
        let mut random = Random::new(17);
        let mut key = || {
            let mut word = || random.between(0, u32::MAX as usize) as u128;
            word() << 96 | word() << 64 | word() << 32 | word()
        };
        // All the same; few; one that most have; all different.
        let some: Vec<Key> = (0..5000).map(|_| key()).collect();
        let shapes: [&dyn Fn(u32) -> Key; 4] = [
            &|_| some[0],
            &|k| some[k as usize % 7],
            &|k| some[if k % 9 == 0 { k as usize } else { 1 }],
            &|k| some[k as usize],
        ];
        let mut large = 0;
        for shape in shapes {
            let states: Vec<(Key, u32)> = (0..5000).map(|k| (shape(k), k)).collect();
            let mut expected: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
            for &(key, state) in &states {
                expected.entry(key).or_default().push(state);
            }
            let mut expected: Vec<_> = expected.into_values().collect();
            expected.sort();
            for memory in [1 << 10, 30_000, 1 << 24] {
                for streams in [false, true] {
                    let (found, too_large) = groups(&states, memory, streams);
                    assert!(found == expected, "{memory}, {streams}");
                    large += too_large;
                }
            }
        }
        assert!(large > 10, "{large}");
    }

    #[test]
    fn a_bucket_of_equal_keys_takes_memory_for_one() {
        let mut keys = Keys::default();
        for _ in 0..100_000 {
            keys.count(7);
        }
        assert_eq!(keys.entries.len(), 1);
        assert!(keys.slots.len() <= 64);
        assert_eq!(keys.find(7).map(|entry| entry.size), Some(100_000));
        assert!(keys.find(8).is_none());
    }
}
