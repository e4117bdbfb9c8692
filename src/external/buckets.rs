//! Signatures of states, put into buckets by their keys, and equal ones found in each.

use std::fs::File;
use std::io::Seek;

use hyades_base::signature::Key;

use crate::Error;
use crate::chunks::{damaged, read_chunk, write_chunk};
use crate::scratch::Disk;

/// Bytes of a key with its state.
const RECORD: usize = 20;
/// Bytes of memory for each record of a bucket in which equal keys are found.
const GROUPED: u64 = 48;
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
        let threads = rayon::current_num_threads() as u64;
        let records = (memory / threads / GROUPED).max(1);
        let count = states.div_ceil(records).next_power_of_two().min(MOST);
        Self {
            disk,
            bits: count.trailing_zeros(),
            buckets: (0..count).map(|_| Bucket::default()).collect(),
            most: ((memory / 2 / count) as usize).max(RECORD),
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

    /// The records of a bucket.
    pub fn groups(&self, number: usize) -> Result<Groups, Error> {
        let bucket = &self.buckets[number];
        let mut bytes = Vec::with_capacity(bucket.written + bucket.bytes.len());
        if let Some((name, _)) = &bucket.file {
            let mut chunk = Vec::new();
            let mut file = self.disk.open(name)?;
            loop {
                let read = read_chunk(&mut file, &mut chunk);
                let read = read.map_err(|error| self.disk.failed(name, error))?;
                self.disk.count_read(read as u64);
                if read == 0 {
                    break;
                }
                bytes.extend_from_slice(&chunk);
            }
            if bytes.len() != bucket.written {
                let error = damaged("it has another length than was written");
                return Err(self.disk.failed(name, error));
            }
        }
        bytes.extend_from_slice(&bucket.bytes);
        Ok(Groups::of(bytes))
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
