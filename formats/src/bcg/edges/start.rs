//! How to write the first edges so that the age rules never differ.
//!
//! The rules differ where a long form has to choose between a register that was
//! never used and one that was used by one of the first edges. So the search is
//! for registers to code the first edges by, until that cannot happen any more.
//! They need not be the nearest.

use super::encode::{Form, REGISTERS, distance};
use super::order::Edge;
use super::registers::{RULES, Registers};

/// So many partial starts are kept.
const BEAM: usize = 64;

/// A way to write some edges.
#[derive(Clone)]
struct Candidate {
    registers: Registers,
    bases: Vec<u8>,
    bits: u32,
}

impl Candidate {
    /// How many registers are in the way of the rules' agreement.
    fn in_the_way(&self) -> usize {
        let used = &self.registers.used;
        let unused = used.iter().rposition(|&used| used == 0);
        unused.map_or(0, |last| {
            let early = |&&used: &&u32| used > 0 && used as usize <= last.max(1);
            used.iter().filter(early).count()
        })
    }

    /// All ways to write one more edge that leave the rules in agreement.
    fn extend(&self, edge: &Edge, number: u32, candidates: &mut Vec<Candidate>) {
        let mut far = None;
        for base in 0..REGISTERS {
            let distance = distance(self.registers.contents[base], edge.target);
            if !Form::of(distance).is_long() {
                let mut next = self.followed_by(base, distance);
                next.registers.put(base, edge.target, number);
                candidates.push(next);
            } else {
                // which base a long form has makes no difference later
                let key = (distance.unsigned_abs(), base, distance);
                far = Some(far.map_or(key, |other: (u64, usize, i64)| other.min(key)));
            }
        }
        let oldest = RULES.map(|rule| self.registers.oldest(rule));
        if let Some((_, base, distance)) = far
            && oldest.iter().all(|&register| register == oldest[0])
        {
            let mut next = self.followed_by(base, distance);
            next.registers.put(oldest[0], edge.target, number);
            candidates.push(next);
        }
    }

    fn followed_by(&self, base: usize, distance: i64) -> Self {
        let mut next = self.clone();
        next.bases.push(base as u8);
        next.bits += Form::of(distance).bits();
        next
    }
}

/// Registers to code the first edges by, so that the rules agree on all that
/// comes after them, if a search among the likely ones finds any; or on all of
/// these edges, if there are no others.
pub(super) fn find(edges: &[Edge]) -> Option<Vec<u8>> {
    let mut candidates = vec![Candidate {
        registers: Registers::new(REGISTERS),
        bases: Vec::new(),
        bits: 0,
    }];
    for (edge, number) in edges.iter().zip(0..) {
        let mut next = Vec::new();
        for candidate in &candidates {
            if candidate.registers.is_settled() {
                return Some(candidate.bases.clone());
            }
            candidate.extend(edge, number, &mut next);
        }
        next.sort_by_key(|candidate| (candidate.in_the_way(), candidate.bits));
        next.truncate(BEAM);
        candidates = next;
    }
    candidates.into_iter().next().map(|c| c.bases)
}
