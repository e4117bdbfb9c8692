//! Rounds of refinement by what eta-bisimilarity sees, with sets that are kept.
//!
//! R is as in [`Closures`]. M maps each label to the blocks that a step by it leads to, and
//! hidden ones after that, from the node itself or from where hidden steps inside its block
//! lead to. Of the hidden label it has the node's own block too, since staying answers a
//! hidden step to that.
//!
//! Bits that go along steps side by side ([`abreast`](super::abreast)) would not do:
//! what hidden steps are inside a block changes when that splits, so that nodes may differ
//! by blocks that do not.

use hyades_lts::StateSet;

use super::Weak;
use super::agenda::Agenda;
use super::closures::Closures;
use super::refinement::split_by;
use super::steps::{Backwards, Steps};
use super::tries::EMPTY;
use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{Partition, Refinable, Rows};

/// The coarsest refinement of the start of which the nodes of each block have the same M.
/// Hidden transitions come first in a row, and lead to smaller numbers.
///
/// The partition stays as it is during a round. R is found anew for the nodes that changed
/// their blocks, and above where it changes, and then M in the same way. Equal maps have
/// equal numbers, so that nothing has to be verified afterwards. The largest part of a block
/// keeps its number.
///
/// O(m + n) unions of sets a round, but for nodes only whose sets may change, and about 32
/// bytes for each part of a set that is in no other.
pub(crate) fn refine(rows: Rows<'_>, start: Partition, rounds: &mut Rounds<'_>) -> Partition {
    let n = rows.states();
    let mut sizes = vec![0u32; start.count()];
    start.class.iter().for_each(|&c| sizes[c as usize] += 1);
    let partition = Refinable::new(start.class, &sizes);
    let steps = Steps::new(rows, Weak::Observational);
    let mut needed = StateSet::new(n);
    for v in (0..n as u32).rev() {
        if !partition.is_alone(v) {
            needed.insert(v as usize);
            rows.row(v).1.iter().for_each(|t| {
                needed.insert(t.index());
            });
        }
    }
    // Those that hidden steps lead to have smaller numbers.
    for v in (0..n as u32).rev() {
        if needed.contains(v as usize) {
            steps.below(v).for_each(|t| {
                needed.insert(t as usize);
            });
        }
    }
    let refinement = Refinement {
        closures: Closures::new(&steps, Mixer::new(0)),
        partition,
        backwards: Backwards::new(rows),
        needed,
        moved: (0..n as u32).collect(),
        agenda: Agenda::new(n),
    };
    refinement.run(rounds)
}

struct Refinement<'a> {
    closures: Closures<'a>,
    partition: Refinable,
    backwards: Backwards,
    /// The nodes of which R may be of use.
    needed: StateSet,
    /// Nodes that changed their blocks.
    moved: Vec<u32>,
    agenda: Agenda,
}

impl Refinement<'_> {
    fn run(mut self, rounds: &mut Rounds<'_>) -> Partition {
        let n = self.closures.steps.rows.states();
        let mut changed = Vec::new();
        while !self.moved.is_empty() && self.partition.count() < n {
            changed.clear();
            self.find_reach(&mut changed);
            self.find_moves(&mut changed);
            self.split(&changed);
            self.closures.tidy();
            rounds.end(self.partition.count());
        }
        let (class, count) = self.partition.into_blocks();
        Partition { class, count }
    }

    /// Finds R anew where it may have changed, and lists where it has.
    fn find_reach(&mut self, changed: &mut Vec<u32>) {
        for &v in &self.moved {
            if self.needed.contains(v as usize) {
                self.agenda.insert(v);
            }
        }
        while let Some(v) = self.agenda.pop() {
            let found = self.closures.reach_of(v, self.partition.blocks());
            if std::mem::replace(&mut self.closures.reach[v as usize], found) != found {
                changed.push(v);
                for &s in self.backwards.above.of(v) {
                    if self.needed.contains(s as usize) {
                        self.agenda.insert(s);
                    }
                }
            }
        }
    }

    /// Finds M anew where it may have changed, and lists where it has, in the place of where
    /// R has changed.
    fn find_moves(&mut self, changed: &mut Vec<u32>) {
        let Self {
            closures,
            partition,
            backwards,
            moved,
            agenda,
            ..
        } = self;
        // Where a node has changed its block, so has R.
        for &v in &*changed {
            for s in backwards.all(v) {
                if !partition.is_alone(s) {
                    agenda.insert(s);
                }
            }
        }
        for &v in &*moved {
            if !partition.is_alone(v) {
                agenda.insert(v);
            }
        }
        changed.clear();
        let block = partition.blocks();
        while let Some(v) = agenda.pop() {
            let found = closures.moves_inside(v, block);
            if std::mem::replace(&mut closures.moves[v as usize], found) != found {
                changed.push(v);
                for &s in backwards.above.of(v) {
                    if block[s as usize] == block[v as usize] {
                        agenda.insert(s);
                    }
                }
            }
        }
    }

    /// Splits the blocks of nodes of which M has changed, and lists the nodes that leave
    /// theirs.
    fn split(&mut self, changed: &[u32]) {
        let Self {
            closures,
            partition,
            moved,
            ..
        } = self;
        let key = |v: u32| u64::from(closures.moves[v as usize]);
        // What a lone node does is not asked for any more.
        for v in split_by(partition, changed, key, moved) {
            closures.moves[v as usize] = EMPTY;
        }
    }
}
