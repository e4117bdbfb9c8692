//! Numbering the distinct values of a column of keys, in parallel.

use std::mem::MaybeUninit;

use crate::parallel::Scatter;
use crate::{fill, parallel};

/// What rows are grouped by: numbers whose high and low bits are well spread.
pub trait Key: Copy + Eq + Default + Send + Sync {
    /// The highest 64 bits.
    fn high(self) -> u64;

    /// The lowest bits.
    fn low(self) -> usize;

    /// A number in the place of a key.
    fn hold(number: u64) -> Self;

    /// The number that is in the place of a key.
    fn held(self) -> u64;
}

impl Key for u64 {
    #[inline]
    fn high(self) -> u64 {
        self
    }

    #[inline]
    fn low(self) -> usize {
        self as usize
    }

    #[inline]
    fn hold(number: u64) -> Self {
        number
    }

    #[inline]
    fn held(self) -> u64 {
        self
    }
}

impl Key for u128 {
    #[inline]
    fn high(self) -> u64 {
        (self >> 64) as u64
    }

    #[inline]
    fn low(self) -> usize {
        self as usize
    }

    #[inline]
    fn hold(number: u64) -> Self {
        number.into()
    }

    #[inline]
    fn held(self) -> u64 {
        self as u64
    }
}

/// The groups of equal keys among a column, and the memory that finding them
/// takes, to be used again.
#[derive(Default, Debug)]
pub struct Groups<K> {
    /// The group of each row.
    pub of: Vec<u32>,
    /// The number of rows of each group.
    pub sizes: Vec<u32>,
    /// The first row of each group.
    pub first: Vec<u32>,
    /// The keys, sorted by bucket; then what is known of their rows.
    sorted: Vec<K>,
    table: Table<K>,
}

/// Rows of one bucket should fit a core's second-level cache.
const BUCKET_ROWS: usize = 1 << 14;
const MAX_BUCKETS: usize = 1 << 11;
/// So many groups are looked up in a table that fits a core's second-level cache.
const MAX_FEW: usize = 1 << 14;
/// And there are to be so many rows for each of them, so that groups of parts of the rows are
/// soon put together.
const ROWS_OF_FEW: usize = 32;
/// So many slots of a table are doubled when they grow, fewer are quadrupled.
const LARGE: usize = 1 << 16;
/// Marks a free slot of a table; group numbers stay below.
const FREE: u32 = u32::MAX;
/// Beside the group of a row: it is the first one of its group.
const IS_FIRST: u64 = 1 << 32;

impl<K: Key> Groups<K> {
    /// [`Groups::of`], [`Groups::sizes`] and [`Groups::first`], without the memory that finding
    /// them took.
    pub fn into_columns(self) -> [Vec<u32>; 3] {
        [self.of, self.sizes, self.first]
    }

    /// Groups equal keys, below 2^32 of them. Expects keys whose high and low bits are well
    /// spread.
    ///
    /// The numbering of the groups depends on the keys, and on how many groups there were the
    /// last time, but not on threads.
    /// Expected O(n) time; the size of the keys and 4 bytes a row besides the keys at the
    /// peak.
    pub fn find(&mut self, keys: &[K]) {
        let n = keys.len();
        let buckets = (n / BUCKET_ROWS).next_power_of_two().min(MAX_BUCKETS);
        let few = (n / ROWS_OF_FEW).min(MAX_FEW);
        if buckets == 1 {
            self.find_alone(keys);
        } else if self.sizes.len() > few || !self.find_few(keys, few) {
            self.find_by_bucket(keys, buckets);
        }
    }

    /// The groups where they may be many: rows are sorted by bucket first, so that what is
    /// looked up is near by.
    fn find_by_bucket(&mut self, keys: &[K], buckets: usize) {
        let n = keys.len();
        let Self {
            of,
            sizes,
            first,
            sorted,
            ..
        } = self;
        let shift = 64 - buckets.trailing_zeros();
        let bucket_of = move |key: K| (key.high() >> shift) as usize;

        // Keys sorted by bucket, stably: count by part, then place.
        let part_len = n.div_ceil(parallel::threads_for(n, 1 << 10).min(16));
        let mut places: Vec<Vec<u32>> = parallel::map_chunks(keys, part_len, |part| {
            let mut counts = vec![0u32; buckets];
            for &key in part {
                counts[bucket_of(key)] += 1;
            }
            counts
        });
        let mut bounds = vec![0u32; buckets + 1];
        let mut total = 0;
        for bucket in 0..buckets {
            for part in &mut places {
                total += std::mem::replace(&mut part[bucket], total);
            }
            bounds[bucket + 1] = total;
        }
        let room = parallel::room(sorted, n);
        parallel::for_each_mut(&mut places, 1, |p, places| {
            for &key in parallel::chunk(keys, part_len, p) {
                let place = &mut places[bucket_of(key)];
                // SAFETY: the counts gave each (bucket, part) a range of its own.
                unsafe { room.write(*place as usize, MaybeUninit::new(key)) }
                *place += 1;
            }
        });
        // SAFETY: the ranges cover all places, and each got as many keys as were counted.
        unsafe { sorted.set_len(n) }

        // Distinct keys within each bucket, numbered by first appearance. What is found
        // takes the places of the keys.
        let keys_of = Scatter::new(sorted);
        let found: Vec<Vec<u32>> =
            parallel::map_with(buckets, 1, |table: &mut Table<K>, bucket| {
                let range = bounds[bucket] as usize..bounds[bucket + 1] as usize;
                table.reset(range.len());
                let mut sizes = Vec::new();
                // SAFETY: buckets do not overlap.
                for place in unsafe { keys_of.part(range) } {
                    let group = table.find_or_insert(*place);
                    let mut number = u64::from(group);
                    if group as usize == sizes.len() {
                        sizes.push(0);
                        number |= IS_FIRST;
                    }
                    sizes[group as usize] += 1;
                    *place = K::hold(number);
                }
                sizes
            });
        let lens: Vec<usize> = found.iter().map(Vec::len).collect();
        sizes.clear();
        fill::append(sizes, &lens, |bucket| found[bucket].iter().copied());
        drop(found);

        // The rows come in their order once more. Where a part has ended, the next begins.
        let mut bases = Vec::with_capacity(buckets);
        let mut base = 0;
        for len in lens {
            bases.push(base);
            base += len as u32;
        }
        places.rotate_right(1);
        places[0].copy_from_slice(&bounds[..buckets]);
        let (group_of, first_of) = (parallel::room(of, n), parallel::room(first, sizes.len()));
        parallel::for_each_mut(&mut places, 1, |p, places| {
            for (row, &key) in (p * part_len..).zip(parallel::chunk(keys, part_len, p)) {
                let bucket = bucket_of(key);
                let place = &mut places[bucket];
                let number = sorted[*place as usize].held();
                *place += 1;
                let group = bases[bucket] + number as u32;
                // SAFETY: each row is in one part, and one row is the first of a group.
                unsafe {
                    group_of.write(row, MaybeUninit::new(group));
                    if number & IS_FIRST != 0 {
                        first_of.write(group as usize, MaybeUninit::new(row as u32));
                    }
                }
            }
        });
        // SAFETY: all rows are in some part, and each group has a first row.
        unsafe {
            of.set_len(n);
            first.set_len(sizes.len());
        }
    }

    /// The groups if there are at most `few`, which is told: those of parts of the rows, which
    /// are then put together.
    fn find_few(&mut self, keys: &[K], few: usize) -> bool {
        let Self {
            of,
            sizes,
            first,
            table,
            ..
        } = self;
        let n = keys.len();
        let tasks = match parallel::threads_for(n, BUCKET_ROWS) {
            1 => 1,
            threads => 2 * threads,
        };
        let part_len = n.div_ceil(tasks).max(BUCKET_ROWS);
        let group_of = parallel::room(of, n);
        let parts = parallel::map(n.div_ceil(part_len), 1, |p| {
            let (mut table, mut sizes, mut first) = (Table::default(), Vec::new(), Vec::new());
            table.reset(few);
            let rows = p * part_len..;
            for (row, &key) in rows.zip(parallel::chunk(keys, part_len, p)) {
                let group = table.count_in(key, row as u32, &mut sizes, &mut first);
                if group as usize == few {
                    return None;
                }
                // SAFETY: each row is in one part.
                unsafe { group_of.write(row, MaybeUninit::new(group)) }
            }
            Some((table.keys, sizes, first))
        });
        let Some(parts) = parts.into_iter().collect::<Option<Vec<_>>>() else {
            return false;
        };
        // SAFETY: all rows are in some part, and no part has ended early.
        unsafe { of.set_len(n) }

        sizes.clear();
        first.clear();
        table.reset(few);
        let mut numbers = Vec::with_capacity(parts.len());
        for (keys, part_sizes, part_first) in parts {
            let groups = keys.into_iter().zip(part_sizes).zip(part_first);
            let number = groups.map(|((key, size), row)| {
                let group = table.count_in(key, row, sizes, first);
                sizes[group as usize] += size - 1;
                group
            });
            numbers.push(number.collect::<Vec<u32>>());
        }
        if sizes.len() > few {
            return false;
        }
        let mut parts: Vec<&mut [u32]> = of.chunks_mut(part_len).collect();
        // Those of the first part are numbered as they were.
        parallel::for_each_mut(&mut parts[1..], 1, |p, part| {
            let numbers = &numbers[p + 1];
            part.iter_mut()
                .for_each(|group| *group = numbers[*group as usize]);
        });
        true
    }

    /// The groups of so few rows that nothing need be sorted, nor is worth several threads.
    fn find_alone(&mut self, keys: &[K]) {
        let Self {
            of,
            sizes,
            first,
            table,
            ..
        } = self;
        table.reset(keys.len());
        of.clear();
        sizes.clear();
        first.clear();
        let rows = keys.iter().zip(0..);
        of.extend(rows.map(|(&key, row)| table.count_in(key, row, sizes, first)));
    }
}

/// Numbers for keys, in the order in which these are first looked up; to be used again and
/// again. Open addressing; 16 to 32 bytes a key of 64 bits where there are many.
#[derive(Default, Debug)]
pub struct Table<K> {
    /// Numbers, at the places of their keys; [`FREE`] where there is none. Apart from the
    /// keys they take so little memory that most looks find them near by.
    slots: Vec<u32>,
    /// The key of each number.
    keys: Vec<K>,
}

impl<K: Key> Table<K> {
    /// Forgets all keys; about so many will be looked up. O(that), and no more than a little.
    pub fn reset(&mut self, count: usize) {
        // A small start keeps the table in the first-level cache while there
        // are few groups.
        self.slots.clear();
        self.slots
            .resize((2 * count).next_power_of_two().min(64), FREE);
        self.keys.clear();
    }

    /// How many keys have numbers.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// The number of a key, which is the next one if the key is new; below 2^32 − 1 of them.
    /// The table must have been reset before the first one. O(1) expected.
    #[inline(always)]
    pub fn find_or_insert(&mut self, key: K) -> u32 {
        let mask = self.slots.len() - 1;
        let mut slot = key.low() & mask;
        loop {
            let group = self.slots[slot];
            if group == FREE {
                break;
            }
            if self.keys[group as usize] == key {
                return group;
            }
            slot = (slot + 1) & mask;
        }
        let group = self.keys.len() as u32;
        self.slots[slot] = group;
        self.keys.push(key);
        // Where little memory is at stake, that most keys are found at their first place, as a
        // processor expects, matters more.
        let room = if self.slots.len() < LARGE { 4 } else { 2 };
        if room * self.keys.len() > self.slots.len() {
            self.grow();
        }
        group
    }

    /// The number of a row's key, and counts it in the size of its group; the row is the first
    /// one of a group that is new.
    #[inline(always)]
    fn count_in(&mut self, key: K, row: u32, sizes: &mut Vec<u32>, first: &mut Vec<u32>) -> u32 {
        let group = self.find_or_insert(key);
        if group as usize == sizes.len() {
            sizes.push(0);
            first.push(row);
        }
        sizes[group as usize] += 1;
        group
    }

    #[cold]
    fn grow(&mut self) {
        let size = match self.slots.len() < LARGE {
            true => 4 * self.slots.len(),
            false => 2 * self.slots.len(),
        };
        self.slots.clear();
        if self.slots.capacity() < size {
            // Not both at a time.
            self.slots = Vec::new();
        }
        self.slots.resize(size, FREE);
        for (group, &key) in self.keys.iter().enumerate() {
            let mut slot = key.low() & (size - 1);
            while self.slots[slot] != FREE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = group as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::hash::Hash;

    fn check(keys: &[u64]) {
        let wide: Vec<u128> = keys
            .iter()
            .map(|&key| u128::from(key) << 64 | u128::from(!key))
            .collect();
        check_column(&wide);
        check_column(keys);
    }

    fn check_column<K: Key + Hash>(keys: &[K]) {
        let mut groups = Groups::default();
        // Few rows after many, and many after few.
        for keys in [keys, &keys[keys.len() / 9 * 8..], keys] {
            groups.find(keys);
            check_groups(&groups, keys);
        }
    }

    fn check_groups<K: Key + Hash>(groups: &Groups<K>, keys: &[K]) {
        let mut by_key = HashMap::new();
        let mut sizes = vec![0; groups.sizes.len()];
        assert_eq!(groups.of.len(), keys.len());
        for (row, &key) in keys.iter().enumerate() {
            let g = groups.of[row];
            assert_eq!(*by_key.entry(key).or_insert(g), g);
            if sizes[g as usize] == 0 {
                assert_eq!(groups.first[g as usize] as usize, row);
            }
            sizes[g as usize] += 1;
        }
        assert_eq!(by_key.len(), sizes.len());
        assert_eq!(sizes, groups.sizes);
    }

    #[test]
    fn equal_keys_share_a_group() {
        check(&[]);
        check(&[5]);
        check(&[5, 5, 9, 5, 0, u64::MAX, 9]);
        let spread = |x: u64| x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let rows = 200_000;
        let few = (rows as usize / ROWS_OF_FEW) as u64;
        for modulus in [1, 2, 50, few, few + 1, 30_000, rows] {
            check(&(0..rows).map(|x| spread(x % modulus)).collect::<Vec<_>>());
            // Few in each part of the rows, and together few or many.
            let in_a_row = |x| spread(x * modulus / rows);
            check(&(0..rows).map(in_a_row).collect::<Vec<_>>());
        }
    }

    #[test]
    fn numbers_do_not_depend_on_threads() {
        let spread = |x: u64| x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let shapes: [fn(u64) -> u64; 4] = [|x| x % 777, |x| x / 100, |x| x / 20, |x| x];
        for shape in shapes {
            let keys: Vec<u64> = (0..100_000).map(|x| spread(shape(x))).collect();
            let group = || {
                let mut groups = Groups::default();
                groups.find(&keys);
                groups.of
            };
            let expected = group();
            for threads in [1, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                assert_eq!(pool.install(group), expected);
            }
        }
    }
}
