//! Sequences that are kept once each.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Different sequences, numbered in the order in which they came.
#[derive(Debug)]
pub struct Interned<T> {
    items: Vec<T>,
    /// Where each sequence ends in `items`.
    ends: Vec<usize>,
    /// The numbers, by what they stand for.
    index: HashTable<u32>,
    hasher: RandomState,
}

impl<T> Default for Interned<T> {
    /// Nothing yet.
    fn default() -> Self {
        Self {
            items: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
        }
    }
}

impl<T: Copy + Eq + Hash> Interned<T> {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The sequence with this number.
    pub fn get(&self, number: u32) -> &[T] {
        sequence(&self.items, &self.ends, number)
    }

    /// All sequences, by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// The number of a sequence that is known.
    pub fn find(&self, wanted: &[T]) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        let found = self.index.find(hash, |&k| self.get(k) == wanted);
        found.copied()
    }

    /// The number of a sequence and whether it is new.
    pub fn intern(&mut self, new: &[T]) -> (u32, bool) {
        let Self {
            items,
            ends,
            index,
            hasher,
        } = self;
        let hash = hasher.hash_one(new);
        if let Some(&number) = index.find(hash, |&k| sequence(items, ends, k) == new) {
            return (number, false);
        }
        let number = ends.len() as u32;
        items.extend_from_slice(new);
        ends.push(items.len());
        let hash_of = |&k: &u32| hasher.hash_one(sequence(items, ends, k));
        index.insert_unique(hash, number, hash_of);
        (number, true)
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> usize {
        // A byte and a number for each slot of the index.
        self.items.capacity() * size_of::<T>()
            + self.ends.capacity() * size_of::<usize>()
            + self.index.capacity() * 8 / 7 * 5
    }
}

fn sequence<'i, T>(items: &'i [T], ends: &[usize], number: u32) -> &'i [T] {
    let number = number as usize;
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &items[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbered_as_they_come() {
        let mut lists = Interned::default();
        let all: [&[u32]; 5] = [&[], &[0], &[0, 0], &[1, 0], &[0, 1]];
        for round in 0..2 {
            for (k, list) in (0..).zip(all) {
                assert_eq!(lists.intern(list), (k, round == 0));
            }
        }
        assert_eq!(lists.len(), 5);
        assert!(lists.iter().eq(all));
        assert_eq!(lists.find(&[1, 0]), Some(3));
        assert_eq!(lists.find(&[1]), None);
        for k in 0..1000 {
            assert_eq!(lists.intern(&[7, k]), (5 + k, true));
        }
        assert_eq!(lists.get(1004), [7, 999]);
    }
}
