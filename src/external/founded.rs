//! States without infinite paths, whose classes by strong bisimilarity are found at once: those
//! of the states that they lead to come first. A long path would take a round for each of its
//! states otherwise.

use std::ops::Range;

use hyades_base::bits::Bits;
use hyades_base::signature::Hasher;

use crate::Error;
use crate::store::{Order, Store};

/// Two sweeps, in both orders, have to settle this part of the states that are left, or they
/// are left as they are: it may be that each sweep settles but one.
const WORTHWHILE: u64 = 8;
/// The part of the blocks, at either end, that tells whether there are enough of such states.
const SAMPLE: usize = 16;

/// Such states, with hashes of their classes: equal ones for states that are bisimilar.
pub(crate) struct Founded<'a> {
    pub states: Bits,
    /// The halves of the hashes. The upper ones are where blocks are going to be.
    high: &'a mut [u32],
    low: Vec<u32>,
}

/// Bytes of memory that it takes for so many states beside their blocks.
pub(crate) const fn needed(states: u64) -> u64 {
    4 * states + states / 8
}

impl<'a> Founded<'a> {
    /// The hash of the class of such a state.
    pub fn hash(&self, state: u32) -> u64 {
        let place = state as usize;
        u64::from(self.high[place]) << 32 | u64::from(self.low[place])
    }

    /// Those that can be reached, in sweeps from the last state to the first one and back;
    /// nothing if they are few, or in an order in which it takes too many sweeps.
    /// Uses the memory of blocks, one for each state.
    pub fn find(
        rows: &Store<'_>,
        reached: &Bits,
        hasher: Hasher,
        block: &'a mut [u32],
    ) -> Result<Option<Self>, Error> {
        let mut found = Self {
            states: Bits::new(block.len()),
            low: vec![0; block.len()],
            high: block,
        };
        let blocks = rows.blocks();
        let some = blocks.div_ceil(SAMPLE);
        // Most LTSs are numbered away from the initial state.
        let mut first = None;
        for (order, sample) in [
            (Order::Descending, blocks - some..blocks),
            (Order::Ascending, 0..some),
        ] {
            let before = found.states.count();
            let seen = found.sweep(rows, sample, order, reached, hasher)?;
            if found.states.count() - before > seen / SAMPLE as u64 {
                first = Some(order);
                break;
            }
        }
        let Some(first) = first else {
            return Ok(None);
        };
        let mut before = [found.states.count(); 2];
        for (k, order) in first.turns().enumerate() {
            found.sweep(rows, 0..blocks, order, reached, hasher)?;
            let now = found.states.count();
            // Without a new one there is none whose targets are all settled.
            if now == reached.count() || now == before[1] {
                break;
            }
            let left = reached.count() - before[0];
            if k > 1 && now - before[0] < left / WORTHWHILE {
                return Ok(None);
            }
            before = [before[1], now];
        }
        Ok(Some(found))
    }

    /// Settles states of these blocks; how many of them can be reached.
    fn sweep(
        &mut self,
        rows: &Store<'_>,
        blocks: Range<usize>,
        order: Order,
        reached: &Bits,
        hasher: Hasher,
    ) -> Result<u64, Error> {
        let mut seen = 0;
        let mut set: Vec<u64> = Vec::new();
        rows.pass_rows(blocks, order, |state, labels, targets| {
            if !reached.contains(state) {
                return;
            }
            seen += 1;
            let is_founded = |&target: &u32| self.states.contains(target);
            if is_founded(&state) || !targets.iter().all(is_founded) {
                return;
            }
            let steps = labels.iter().zip(targets);
            set.clear();
            set.extend(
                steps
                    .map(|(&label, &target)| hasher.key(label.into(), &[self.hash(target)]) as u64),
            );
            set.sort_unstable();
            set.dedup();
            let hash = hasher.key(0, &set) as u64;
            self.high[state as usize] = (hash >> 32) as u32;
            self.low[state as usize] = hash as u32;
            self.states.insert(state);
        })?;
        Ok(seen)
    }
}
