//! States without infinite paths, whose classes by strong bisimilarity are found at once: those
//! of the states that they lead to come first. A long path would take a round for each of its
//! states otherwise.

use std::ops::Range;

use hyades_base::bits::Bits;
use hyades_base::signature::Hasher;

use crate::Error;
use crate::store::Store;

/// A sweep has to settle this part of the states that are left, or they are left as they are:
/// they may be in an order in which each sweep settles but one.
const WORTHWHILE: u64 = 8;
/// The part of the blocks that tells whether there are enough of such states.
const SAMPLE: usize = 16;

/// Such states, with hashes of their classes: equal ones for states that are bisimilar.
pub(crate) struct Founded {
    pub states: Bits,
    pub hash: Vec<u64>,
}

/// Bytes of memory that it takes for so many states.
pub(crate) const fn needed(states: u64) -> u64 {
    8 * states + states / 8
}

impl Founded {
    /// Those that can be reached, in sweeps from the last state to the first one; nothing if
    /// they are few, or in an order in which it takes too many sweeps.
    pub fn find(rows: &Store<'_>, reached: &Bits, hasher: Hasher) -> Result<Option<Self>, Error> {
        let states = rows.states() as usize;
        let mut found = Self {
            states: Bits::new(states),
            hash: vec![0; states],
        };
        let blocks = rows.blocks();
        let sample = blocks - blocks.div_ceil(SAMPLE);
        let seen = found.sweep(rows, sample..blocks, reached, hasher)?;
        if found.states.count() < seen / SAMPLE as u64 {
            return Ok(None);
        }
        found.sweep(rows, 0..sample, reached, hasher)?;
        loop {
            let before = found.states.count();
            let left = reached.count() - before;
            if left > 0 {
                found.sweep(rows, 0..blocks, reached, hasher)?;
            }
            match found.states.count() - before {
                0 => return Ok(Some(found)),
                new if new < left / WORTHWHILE => return Ok(None),
                _ => {}
            }
        }
    }

    /// Settles states of these blocks; how many of them can be reached.
    fn sweep(
        &mut self,
        rows: &Store<'_>,
        blocks: Range<usize>,
        reached: &Bits,
        hasher: Hasher,
    ) -> Result<u64, Error> {
        let mut seen = 0;
        let mut set: Vec<u64> = Vec::new();
        rows.pass_back(
            blocks,
            |rows| rows,
            |rows| {
                for (state, labels, targets) in rows.descending() {
                    if !reached.contains(state) {
                        continue;
                    }
                    seen += 1;
                    let is_founded = |&target: &u32| self.states.contains(target);
                    if is_founded(&state) || !targets.iter().all(is_founded) {
                        continue;
                    }
                    let steps = labels.iter().zip(targets);
                    set.clear();
                    set.extend(steps.map(|(&label, &target)| {
                        hasher.key(label.into(), &[self.hash[target as usize]]) as u64
                    }));
                    set.sort_unstable();
                    set.dedup();
                    self.hash[state as usize] = hasher.key(0, &set) as u64;
                    self.states.insert(state);
                }
                Ok(())
            },
        )?;
        Ok(seen)
    }
}
