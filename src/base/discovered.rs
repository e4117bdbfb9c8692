//! What a search has found.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::RandomState;
use hashbrown::HashTable;

/// Places that a search has found, each once, numbered in the order in which they were
/// found, and the step by which each was: for a breadth-first search, a shortest way to
/// each of them.
///
/// Besides the places and the steps, 4 bytes a place and some 6 of an index.
#[derive(Debug)]
pub struct Discovered<P, S = ()> {
    places: Vec<P>,
    /// The place before, and the step from there; a place where a search begins is its
    /// own.
    steps: Vec<(u32, S)>,
    index: HashTable<u32>,
    hasher: RandomState,
}

impl<P, S> Default for Discovered<P, S> {
    /// Nothing yet.
    fn default() -> Self {
        Self {
            places: Vec::new(),
            steps: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
        }
    }
}

impl<P: Eq + Hash, S> Discovered<P, S> {
    /// How many places were found, at most 2^32.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether none was.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The place with this number.
    pub fn get(&self, number: usize) -> &P {
        &self.places[number]
    }

    /// All places, in their order.
    pub fn into_places(self) -> Vec<P> {
        self.places
    }

    /// Whether a place was found.
    pub fn contains(&self, place: &P) -> bool {
        let hash = self.hasher.hash_one(place);
        let is_same = |&k: &u32| self.places[k as usize] == *place;
        self.index.find(hash, is_same).is_some()
    }

    /// Adds a place that this step leads to from another one; from none where a search
    /// begins, and then the step is never looked at. False if the place is known.
    pub fn add(&mut self, place: P, before: Option<usize>, step: S) -> bool {
        let Self {
            places,
            steps,
            index,
            hasher,
        } = self;
        let hash = hasher.hash_one(&place);
        let is_same = |&k: &u32| places[k as usize] == place;
        if index.find(hash, is_same).is_some() {
            return false;
        }
        let number = places.len() as u32;
        places.push(place);
        steps.push((before.map_or(number, |before| before as u32), step));
        index.insert_unique(hash, number, |&k| hasher.hash_one(&places[k as usize]));
        true
    }

    /// The numbers of the places on the way to this one, from where the search began.
    pub fn way(&self, number: usize) -> Vec<usize> {
        let before = |&at: &usize| {
            let before = self.steps[at].0 as usize;
            (before != at).then_some(before)
        };
        let mut way: Vec<usize> = std::iter::successors(Some(number), before).collect();
        way.reverse();
        way
    }

    /// The steps of that way.
    pub fn steps(&self, number: usize) -> impl Iterator<Item = &S> {
        let way = self.way(number).into_iter().skip(1);
        way.map(|at| &self.steps[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_lead_from_where_the_search_began() {
        let mut found = Discovered::default();
        assert!(found.add("a", None, '-') && found.add("b", None, '-'));
        assert!(found.add("c", Some(1), 'x') && found.add("d", Some(2), 'y'));
        assert!(!found.add("c", Some(0), 'z') && !found.add("d", None, '-'));
        assert!(found.contains(&"d") && !found.contains(&"e"));
        assert_eq!((found.len(), *found.get(3)), (4, "d"));
        assert_eq!(found.way(3), [1, 2, 3]);
        assert_eq!(found.way(0), [0]);
        assert!(found.steps(3).eq(&['x', 'y']));
        assert_eq!(found.steps(1).count(), 0);
        assert_eq!(found.into_places(), ["a", "b", "c", "d"]);
    }
}
