//! States from which no path goes on for ever, classified from the ends of the
//! paths up, without any refinement: the well-founded part of Dovier, Piazza &
//! Policriti 2004 ("An efficient algorithm for computing bisimulation
//! equivalence"). Long chains and grids, which refinement takes apart layer by
//! layer, are done in one pass.

use hyades_base::grouped::Grouped;
use hyades_base::groups::Table;
use hyades_base::parallel;
use hyades_lts::StateSet;

use super::refine::Start;
use super::rows::{Rows, Sources};
use super::signature::{Mixer, Summer};

/// Not classified, or of no rank.
const UNKNOWN: u32 = u32::MAX;

/// What a pass over all states must classify to be worth while: one in this
/// many.
const WORTH: usize = 8;

/// States of one rank are signed by several threads from twice this number on.
const MANY: usize = if cfg!(test) { 2 } else { 1 << 10 };

/// Classifies the states from which every path ends, as far as the mixer can
/// tell: they are settled. All others share one block. Nothing if a first glance
/// shows few such states.
///
/// Equivalent states have one rank, the length of the longest path: states are classified
/// rank by rank, among those of their own only, and one alone is not even signed. O(m)
/// expected time; 12 bytes a state, up to 40 more for each of the largest rank, and 4 a
/// transition if states come in no order.
pub(super) fn classify(rows: Rows<'_>, mixer: Mixer) -> Option<Start> {
    let Ranks {
        of: mut block,
        settled,
        count,
    } = Ranks::new(rows)?;
    // Those of rank 0, without transitions, are of the first block.
    let mut blocks = count.min(1);
    let above = count - blocks;
    let states = (0..)
        .zip(&block)
        .filter(|&(_, &rank)| rank != UNKNOWN && rank > 0);
    let by_rank = Grouped::new(above as usize, states.map(|(s, &rank)| (rank - 1, s)));
    debug_assert_eq!(
        by_rank.items().len() + block.iter().filter(|&&rank| rank == 0).count(),
        settled
    );
    let largest = (0..above).map(|rank| by_rank.places(rank).len()).max();
    let mut sums: Vec<u64> = Vec::with_capacity(largest.unwrap_or(0));
    let mut table = Table::default();
    for rank in 0..above {
        let states = by_rank.of(rank);
        if let &[alone] = states {
            block[alone as usize] = blocks;
            blocks += 1;
            continue;
        }
        parallel::map_with_into(&mut sums, states.len(), MANY, |summer: &mut Summer, k| {
            rows.fetch(|k| states.get(k).copied(), k, &block);
            let elements = rows.elements(states[k], &block);
            summer.sum(mixer, rows.degree(states[k]), elements)
        });
        table.reset(states.len());
        for (&s, &sum) in states.iter().zip(&sums) {
            block[s as usize] = blocks + table.find_or_insert(sum);
        }
        blocks += table.count() as u32;
    }
    if settled < block.len() {
        let unknown = block.iter_mut().filter(|block| **block == UNKNOWN);
        unknown.for_each(|block| *block = blocks);
    }
    Some(Start {
        block,
        settled: blocks,
    })
}

/// The lengths of the longest paths from states from which every path ends.
struct Ranks {
    /// By state.
    of: Vec<u32>,
    /// How many states have one.
    settled: usize,
    /// One more than the greatest.
    count: u32,
}

impl Ranks {
    /// Nothing if a first glance shows few states that have one.
    fn new(rows: Rows<'_>) -> Option<Self> {
        let n = rows.states();
        // Where every state goes on, no path ends.
        if parallel::all(n, 1 << 14, |s| rows.degree(s as u32) > 0) {
            return None;
        }
        // Transitions mostly lead to higher numbers, so that passes downwards
        // settle most of what there is.
        if !Self::first_glance(rows) {
            return None;
        }
        let mut ranks = Self {
            of: vec![UNKNOWN; n],
            settled: 0,
            count: 0,
        };
        loop {
            let before = ranks.settled;
            for s in (0..n as u32).rev() {
                if ranks.of[s as usize] == UNKNOWN {
                    ranks.settle(rows, s);
                }
            }
            let settled = ranks.settled;
            if settled == n || settled == before {
                return Some(ranks);
            }
            if settled - before < n / WORTH {
                ranks.finish(rows);
                return Some(ranks);
            }
        }
    }

    /// Whether the first pass settles enough states; until that is known it takes a bit for
    /// each.
    fn first_glance(rows: Rows<'_>) -> bool {
        let n = rows.states();
        let enough = n.div_ceil(WORTH);
        let mut settled = StateSet::new(n);
        for s in (0..n as u32).rev() {
            let targets = rows.row(s).1;
            if targets.iter().all(|t| settled.contains(t.index())) {
                settled.insert(s as usize);
                if settled.count == enough {
                    return true;
                }
            }
        }
        false
    }

    /// Ranks a state if all its successors have ranks.
    #[inline]
    fn settle(&mut self, rows: Rows<'_>, s: u32) {
        let mut rank = 0;
        for t in rows.row(s).1 {
            match self.of[t.index()] {
                UNKNOWN => return,
                below => rank = rank.max(below + 1),
            }
        }
        self.of[s as usize] = rank;
        self.settled += 1;
        self.count = self.count.max(rank + 1);
    }

    /// Ranks what is left, by backward rows (Kahn 1962).
    fn finish(&mut self, rows: Rows<'_>) {
        let n = rows.states() as u32;
        let sources = Sources::new(rows, |_| true);
        let unknown = |of: &[u32], s: u32| {
            let targets = rows.row(s).1.iter();
            targets.filter(|t| of[t.index()] == UNKNOWN).count() as u32
        };
        let mut waits_for: Vec<u32> = (0..n).map(|s| unknown(&self.of, s)).collect();
        let mut ready: Vec<u32> = (0..n)
            .filter(|&s| self.of[s as usize] == UNKNOWN && waits_for[s as usize] == 0)
            .collect();
        while let Some(t) = ready.pop() {
            self.settle(rows, t);
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
