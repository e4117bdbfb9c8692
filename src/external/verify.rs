//! The check of a partition in the end, by exact signatures instead of hashes.

use std::ops::Range;

use hyades_base::bits::Bits;

use crate::Error;
use crate::refinement::{Kind, NONE, Refinement};
use crate::signature::{element, sign};

impl Refinement<'_, '_> {
    /// Compares the signatures of the states of each block with that of its first state;
    /// whether all agree. If not, there is another hash from now on; by strong
    /// bisimilarity those that differ get a block of their own.
    ///
    /// By branching bisimilarity a state with a hidden transition within its block needs
    /// to have nothing that the first one lacks. The first one has none, as these
    /// lead to smaller numbers.
    ///
    /// As many blocks are looked at together, and as many signatures are kept, as there is
    /// memory for; the rows are read until all blocks have had their turn.
    pub fn verify(&mut self) -> Result<bool, Error> {
        let blocks = self.live_blocks as usize;
        let room = self.rest()? / 4;
        let mut done = Bits::new(blocks);
        let mut differing = Bits::new(self.block.len());
        let together = ((room / 2 / PLACE) as usize).max(1);
        let mut least = 0;
        while done.count() < blocks as u64 {
            while done.contains(least) {
                least += 1;
            }
            let window = least..(least as usize + together).min(blocks) as u32;
            let mut first = Signatures::new(window.clone(), (room / 2 / 8) as usize);
            let is_looked_at = |number: u32| window.contains(&number) && !done.contains(number);
            let (live, block) = (&self.live, &self.block[..]);
            let is_branching = matches!(self.kind, Kind::Branching(_));
            self.live_rows().pass(
                |states| live.meets(states),
                |rows| {
                    let (mut all, mut ends) = (Vec::new(), Vec::new());
                    let mut set = Vec::new();
                    for (state, labels, targets) in rows.iter() {
                        if live.contains(state) && is_looked_at(block[state as usize]) {
                            sign(labels, targets, block, &mut set);
                            all.extend_from_slice(&set);
                            ends.push((state, all.len()));
                        }
                    }
                    (all, ends)
                },
                |(all, ends)| {
                    let mut start = 0;
                    for (state, end) in ends {
                        let own = block[state as usize];
                        let inert = is_branching.then_some(element(0, own));
                        if !first.agrees(own, &all[start..end], inert) {
                            differing.insert(state);
                        }
                        start = end;
                    }
                    Ok(())
                },
            )?;
            for number in window {
                if first.has(number) {
                    done.insert(number);
                }
            }
        }
        if differing.count() == 0 {
            return Ok(true);
        }
        self.attempt += 1;
        // States with hidden transitions to those that differ may have to go with them.
        if matches!(self.kind, Kind::Branching(_)) {
            return Ok(false);
        }
        let mut number = vec![NONE; blocks];
        for state in differing.iter() {
            let block = &mut self.block[state as usize];
            let number = &mut number[*block as usize];
            if *number == NONE {
                *number = self.live_blocks;
                self.live_blocks += 1;
            }
            *block = *number;
        }
        Ok(false)
    }
}

/// Bytes of the place of a signature.
const PLACE: u64 = 16;

/// The signatures of the first states of some blocks.
struct Signatures {
    /// The first of these blocks.
    least: u32,
    /// Where that of each block is; nowhere if the length is [`NONE`].
    places: Vec<(u64, u32)>,
    elements: Vec<u64>,
    most: usize,
    is_full: bool,
}

impl Signatures {
    fn new(blocks: Range<u32>, most: usize) -> Self {
        Self {
            least: blocks.start,
            places: vec![(0, NONE); blocks.len()],
            elements: Vec::new(),
            most,
            is_full: false,
        }
    }

    fn has(&self, block: u32) -> bool {
        self.places[(block - self.least) as usize].1 != NONE
    }

    /// Whether a signature agrees with that of its block, as far as that is known; it is
    /// taken for it if there is none and there is room. With the element `inert` it needs
    /// to be but a part of it.
    fn agrees(&mut self, block: u32, signature: &[u64], inert: Option<u64>) -> bool {
        let place = &mut self.places[(block - self.least) as usize];
        if place.1 != NONE {
            let start = place.0 as usize;
            let first = &self.elements[start..start + place.1 as usize];
            return match inert.filter(|inert| signature.binary_search(inert).is_ok()) {
                None => first == signature,
                Some(inert) => {
                    let mut others = signature.iter().filter(|&&element| element != inert);
                    others.all(|element| first.binary_search(element).is_ok())
                }
            };
        }
        let end = self.elements.len() + signature.len();
        // One fits always.
        self.is_full |= end > self.most && !self.elements.is_empty();
        if !self.is_full {
            *place = (self.elements.len() as u64, signature.len() as u32);
            self.elements.extend_from_slice(signature);
        }
        true
    }
}
