//! States from which no path goes on for ever, classified from the ends of the
//! paths up, without any refinement: the well-founded part of Dovier, Piazza &
//! Policriti 2004 ("An efficient algorithm for computing bisimulation
//! equivalence"). Long chains and grids, which refinement takes apart layer by
//! layer, are done in one pass.

use super::refine::Start;
use super::rows::{Rows, Sources};
use super::signature::{Mixer, Summer};

/// Not classified.
const UNKNOWN: u32 = u32::MAX;

/// What a pass over all states must classify to be worth while: one in this
/// many.
const WORTH: usize = 8;

/// Classifies the states from which every path ends, as far as the mixer can
/// tell: they are settled. All others share one block. Nothing if a first glance
/// shows few such states. O(m) expected time; at most 4 bytes a transition and 24
/// a state.
pub(super) fn classify(rows: Rows<'_>, mixer: Mixer) -> Option<Start> {
    let n = rows.states();
    let mut pass = Pass {
        rows,
        mixer,
        block: vec![UNKNOWN; n],
        summer: Summer::default(),
        table: Table::new(),
    };
    // Transitions mostly lead to higher numbers, so that passes downwards
    // settle most of what there is.
    let mut settled = 0;
    loop {
        let before = settled;
        for s in (0..n as u32).rev() {
            if pass.block[s as usize] == UNKNOWN && pass.is_ready(s) {
                pass.settle(s);
                settled += 1;
            }
        }
        if before == 0 && settled < n.div_ceil(WORTH) {
            return None;
        }
        if settled == n || settled == before {
            break;
        }
        if settled - before < n / WORTH {
            pass.finish();
            break;
        }
    }
    let settled = pass.table.sums.len() as u32;
    let mut block = pass.block;
    block
        .iter_mut()
        .filter(|b| **b == UNKNOWN)
        .for_each(|b| *b = settled);
    Some(Start { block, settled })
}

struct Pass<'a> {
    rows: Rows<'a>,
    mixer: Mixer,
    block: Vec<u32>,
    summer: Summer,
    table: Table,
}

impl Pass<'_> {
    /// Whether all successors are classified.
    fn is_ready(&self, s: u32) -> bool {
        let (_, targets) = self.rows.row(s);
        targets.iter().all(|t| self.block[t.index()] != UNKNOWN)
    }

    fn settle(&mut self, s: u32) {
        let elements = self.rows.elements(s, &self.block);
        let sum = self.summer.sum(self.mixer, self.rows.degree(s), elements);
        self.block[s as usize] = self.table.find_or_insert(sum);
    }

    /// Classifies what is left, by backward rows (Kahn 1962).
    fn finish(&mut self) {
        let rows = self.rows;
        let n = rows.states() as u32;
        let sources = Sources::new(rows, |_| true);
        let mut ready: Vec<u32> = (0..n)
            .filter(|&s| self.block[s as usize] == UNKNOWN && self.is_ready(s))
            .collect();
        let mut waits_for: Vec<u32> = (0..n)
            .map(|s| {
                let (_, targets) = rows.row(s);
                let unknown = targets.iter().filter(|t| self.block[t.index()] == UNKNOWN);
                unknown.count() as u32
            })
            .collect();
        while let Some(t) = ready.pop() {
            self.settle(t);
            for &s in sources.of(t) {
                let waits_for = &mut waits_for[s as usize];
                *waits_for -= 1;
                if *waits_for == 0 {
                    ready.push(s);
                }
            }
        }
    }
}

/// Numbers for sums, in order of insertion; open addressing.
struct Table {
    slots: Vec<u32>,
    sums: Vec<u64>,
}

impl Table {
    fn new() -> Self {
        Self {
            slots: vec![UNKNOWN; 64],
            sums: Vec::new(),
        }
    }

    fn find_or_insert(&mut self, sum: u64) -> u32 {
        if 2 * self.sums.len() >= self.slots.len() {
            self.grow();
        }
        let slot = self.slot(sum);
        if self.slots[slot] == UNKNOWN {
            self.slots[slot] = self.sums.len() as u32;
            self.sums.push(sum);
        }
        self.slots[slot]
    }

    /// The slot that holds a sum or that it belongs in.
    fn slot(&self, sum: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = sum as usize & mask;
        while self.slots[slot] != UNKNOWN && self.sums[self.slots[slot] as usize] != sum {
            slot = (slot + 1) & mask;
        }
        slot
    }

    #[cold]
    fn grow(&mut self) {
        let size = 2 * self.slots.len();
        self.slots.clear();
        self.slots.resize(size, UNKNOWN);
        for (number, &sum) in self.sums.iter().enumerate() {
            let slot = self.slot(sum);
            self.slots[slot] = number as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hyades_formats::Lts;
    use hyades_testing::{check, shuffled};

    use super::*;
    use crate::{Relation, naive};

    /// For each state whether all paths from it end, by the definition.
    fn founded(lts: &Lts) -> Vec<bool> {
        let rows = Rows::from(lts);
        let mut founded = vec![false; lts.states()];
        for _ in 0..lts.states() {
            for s in 0..lts.states() as u32 {
                founded[s as usize] = rows.row(s).1.iter().all(|t| founded[t.index()]);
            }
        }
        founded
    }

    #[test]
    fn settled_blocks_are_the_classes_of_the_states_without_an_infinite_path() {
        let some = Cell::new(0);
        check(100, 16, |lts, random| {
            let lts = if random.chance(50) {
                shuffled(lts, random)
            } else {
                lts.clone()
            };
            let Some(start) = classify((&lts).into(), Mixer::new(0)) else {
                return Ok(());
            };
            some.set(some.get() + 1);
            let expected = founded(&lts);
            let classes = naive::partition(&lts, Relation::Strong);
            let mut block_of = vec![None; classes.count()];
            let mut class_of = vec![None; start.settled as usize];
            for (s, &b) in start.block.iter().enumerate() {
                if (b < start.settled) != expected[s] || b > start.settled {
                    return Err(format!("state {s} is in block {b} of {}", start.settled));
                }
                if expected[s] {
                    let class = classes.classes()[s];
                    if *block_of[class as usize].get_or_insert(b) != b
                        || *class_of[b as usize].get_or_insert(class) != class
                    {
                        return Err(format!("block {b} is not class {class} at state {s}"));
                    }
                }
            }
            Ok(())
        });
        assert!(some.get() > 100, "few systems had states to classify");
    }
}
