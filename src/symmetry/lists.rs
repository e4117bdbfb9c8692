//! Lists of numbers, numbered.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Lists of numbers, each once and with a number of its own, in the order in
/// which they came.
#[derive(Default)]
pub(super) struct Lists {
    /// All lists, one after the other, and where each ends.
    members: Vec<u32>,
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl Lists {
    /// How many lists there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The list with this number.
    pub fn get(&self, number: u32) -> &[u32] {
        list(&self.members, &self.ends, number)
    }

    /// All lists by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// The number of a list that is known.
    pub fn find(&self, wanted: &[u32]) -> Option<u32> {
        let hash = self.hasher.hash_one(wanted);
        let found = self.index.find(hash, |&k| self.get(k) == wanted);
        found.copied()
    }

    /// The number of a list; a new one if it is not known.
    pub fn intern(&mut self, wanted: &[u32]) -> u32 {
        let Self {
            members,
            ends,
            index,
            hasher,
        } = self;
        let hash = hasher.hash_one(wanted);
        if let Some(&known) = index.find(hash, |&k| list(members, ends, k) == wanted) {
            return known;
        }
        let number = ends.len() as u32;
        members.extend_from_slice(wanted);
        ends.push(members.len());
        index.insert_unique(hash, number, |&k| hasher.hash_one(list(members, ends, k)));
        number
    }
}

fn list<'a>(members: &'a [u32], ends: &[usize], number: u32) -> &'a [u32] {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    &members[start..ends[number]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_numbered_as_they_come() {
        let mut lists = Lists::default();
        let all: [&[u32]; 5] = [&[], &[0], &[0, 0], &[1, 0], &[0, 1]];
        for _ in 0..2 {
            for (k, list) in (0..).zip(all) {
                assert_eq!(lists.intern(list), k);
            }
        }
        assert_eq!(lists.len(), 5);
        assert!(lists.iter().eq(all));
        assert_eq!(lists.find(&[1, 0]), Some(3));
        assert_eq!(lists.find(&[1]), None);
        for k in 0..1000 {
            assert_eq!(lists.intern(&[7, k]), 5 + k);
        }
        assert_eq!(lists.get(1004), [7, 999]);
    }
}
