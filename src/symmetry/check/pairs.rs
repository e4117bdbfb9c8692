//! Pairs of nodes, in the order in which a breadth-first search finds them.

use std::hash::BuildHasher;
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hyades_explore::{Progress, ProgressCallback};

use super::Reason;

/// Pairs of numbers, each once, with the pair by which it was found.
#[derive(Default)]
pub(super) struct Pairs {
    pairs: Vec<(u32, u32)>,
    parents: Vec<u32>,
    index: HashTable<u32>,
    hasher: RandomState,
}

/// The parent of a pair with which a search begins.
const NONE: u32 = u32::MAX;

impl Pairs {
    /// How many pairs were found.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The pair with this number.
    pub fn get(&self, number: usize) -> (u32, u32) {
        self.pairs[number]
    }

    /// Adds a pair found from another one. False if it is known.
    pub fn add(&mut self, pair: (u32, u32), parent: Option<usize>) -> bool {
        let Self {
            pairs,
            parents,
            index,
            hasher,
        } = self;
        let hash = hasher.hash_one(pair);
        let is_same = |&k: &u32| pairs[k as usize] == pair;
        if index.find(hash, is_same).is_some() {
            return false;
        }
        let number = pairs.len() as u32;
        pairs.push(pair);
        parents.push(parent.map_or(NONE, |parent| parent as u32));
        index.insert_unique(hash, number, |&k| hasher.hash_one(pairs[k as usize]));
        true
    }

    /// The numbers of the pairs from which this one was found, the first one
    /// first and this one last.
    pub fn way(&self, number: usize) -> Vec<usize> {
        let mut way = vec![number];
        let mut at = number;
        while self.parents[at] != NONE {
            at = self.parents[at] as usize;
            way.push(at);
        }
        way.reverse();
        way
    }
}

/// How many pairs may be found, and who is told.
pub(super) struct Budget<'a, 'b> {
    most: u64,
    found: u64,
    /// The length of the traces that are being looked at.
    pub length: u32,
    progress: &'a mut ProgressCallback<'b>,
}

impl<'a, 'b> Budget<'a, 'b> {
    /// At most so many pairs, and no more than can be numbered.
    pub fn new(most: u64, progress: &'a mut ProgressCallback<'b>) -> Self {
        Self {
            most: most.min(u64::from(NONE)),
            found: 0,
            length: 0,
            progress,
        }
    }

    /// How many pairs were found.
    pub fn found(&self) -> u64 {
        self.found
    }

    /// One pair more.
    ///
    /// # Errors
    /// If it is one too many, or nobody wants to go on.
    pub fn find(&mut self) -> Result<(), Reason> {
        if self.found == self.most {
            return Err(Reason::Pairs {
                pairs: self.found,
                length: self.length,
            });
        }
        self.found += 1;
        if self.found.is_multiple_of(1 << 14) {
            let now = Progress {
                states: self.found,
                explored: self.found,
                transitions: 0,
                level: self.length,
            };
            if (self.progress)(&now) == ControlFlow::Break(()) {
                return Err(Reason::Stopped);
            }
        }
        Ok(())
    }
}
