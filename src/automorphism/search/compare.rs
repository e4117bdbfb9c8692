//! Values compared by all labels that they occur in.

use super::super::colours::{label_hash, mix};
use super::partial::{Partial, Refuted};
use super::{NONE, Search};

/// How many rounds values are compared for.
const ROUNDS: usize = 16;

impl Search<'_> {
    /// Compares the values without images and those that are no images by the
    /// labels that they occur in: colour refinement, with what is known. Says
    /// whether this decided anything.
    ///
    /// O(labels · their length) for each of a few rounds.
    pub(super) fn compare_values(&mut self) -> Result<bool, Refuted> {
        if self.values.is_total() {
            return Ok(false);
        }
        let Partial {
            image, preimage, ..
        } = &self.values;
        let known: Vec<u32> = preimage
            .iter()
            .map(|&v| if v == NONE { NONE } else { 0 })
            .collect();
        let mut left = self.refined(image, |v| image[v as usize]);
        let mut right = self.refined(&known, |w| w);
        if left.len() != right.len() {
            return Err(Refuted);
        }
        left.sort_unstable();
        right.sort_unstable();
        if left.iter().zip(&right).any(|(a, b)| a.0 != b.0) {
            return Err(Refuted);
        }
        let mut from = 0;
        let mut decided = false;
        for run in left.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, v)] = run {
                self.decide(*v, right[from].1)?;
                decided = true;
            }
            from += run.len();
        }
        Ok(decided)
    }

    /// Colours of the values of which no image is known (`known` has [`NONE`]).
    fn refined(&self, known: &[u32], image: impl Fn(u32) -> u32) -> Vec<(u64, u32)> {
        let alphabet = &self.system.alphabet;
        let open: Vec<u32> = (0..known.len() as u32)
            .filter(|&v| known[v as usize] == NONE)
            .collect();
        let mut colour: Vec<u64> = (0..known.len() as u32)
            .map(|v| match known[v as usize] {
                NONE => mix(self.colours.value[v as usize], 2),
                _ => mix(image(v).into(), 3),
            })
            .collect();
        let mut distinct = 0;
        for _ in 0..ROUNDS {
            let next: Vec<u64> = open
                .iter()
                .map(|&v| {
                    let labels = alphabet.labels_of(v).iter();
                    let sum = labels.fold(0u64, |sum, &label| {
                        let hash = label_hash(self.system, label, |w| colour[w as usize]);
                        let places = alphabet.arguments(label).iter().enumerate();
                        let places = places.filter(|(_, w)| **w == v);
                        let at = places.fold(hash, |hash, (place, _)| mix(hash, place as u64));
                        sum.wrapping_add(mix(at, self.colours.label[label as usize]))
                    });
                    mix(colour[v as usize], sum)
                })
                .collect();
            for (&v, &next) in open.iter().zip(&next) {
                colour[v as usize] = next;
            }
            let mut sorted = next;
            sorted.sort_unstable();
            sorted.dedup();
            if sorted.len() == std::mem::replace(&mut distinct, sorted.len()) {
                break;
            }
        }
        open.into_iter().map(|v| (colour[v as usize], v)).collect()
    }
}
