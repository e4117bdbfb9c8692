//! Rounds of refinement by signatures that are closed along hidden steps.

use hyades_lts::StateSet;

use super::Weak;
use super::agenda::Agenda;
use super::closures::Closures;
use super::tries::EMPTY;
use crate::rounds::Rounds;
use crate::rows::Sources;
use crate::signature::Mixer;
use crate::{Partition, Refinable, Rows};

/// The coarsest partition whose blocks hold nodes of one signature each, as [`Closures`]
/// has it. Hidden transitions must lead to smaller numbers.
///
/// The partition stays as it is during a round. R is found anew for the nodes that changed
/// their blocks, and above where it changes, and then M in the same way. A node's key
/// cannot change otherwise, so that a block's other nodes still have the one they have had,
/// all the same. The largest part of a block keeps its number, and thus most sets theirs.
pub(super) fn refine(
    rows: Rows<'_>,
    kind: Weak,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let mut blocks = (vec![0; rows.states()], vec![rows.states() as u32]);
    let mut attempt = 0;
    loop {
        let (block, sizes) = &blocks;
        let partition = Refinable::new(block.clone(), sizes);
        let mut refinement = Refinement::new(rows, kind, partition, mixer(attempt));
        refinement.run(rounds);
        let is_stable = refinement.is_stable();
        let partition = refinement.partition;
        let sizes = partition.sizes().collect();
        let (class, count) = partition.into_blocks();
        if is_stable {
            return Partition { class, count };
        }
        // Different sets had one sum.
        blocks = (class, sizes);
        attempt += 1;
    }
}

struct Refinement<'a> {
    closures: Closures<'a>,
    partition: Refinable,
    /// The sources of hidden transitions.
    above: Sources,
    /// The sources of visible ones.
    before: Sources,
    /// How many nodes need R of a node, itself included unless it is alone in its block.
    reach_needed: Vec<u32>,
    /// The same of M.
    moves_needed: Vec<u32>,
    /// Nodes that changed their blocks.
    moved: Vec<u32>,
    agenda: Agenda,
}

/// What of a node is no longer needed.
enum Needless {
    Reach(u32),
    Moves(u32),
}

impl<'a> Refinement<'a> {
    fn new(rows: Rows<'a>, kind: Weak, partition: Refinable, mixer: Mixer) -> Self {
        let n = rows.states();
        let above = Sources::new(rows, |label| label.is_hidden());
        let before = Sources::new(rows, |label| !label.is_hidden());
        let counts = |v: u32| {
            let (hidden, visible) = (above.of(v).len() as u32, before.of(v).len() as u32);
            let behind = if kind.goes_on() { visible } else { 0 };
            let reach = match kind.answers_hidden() {
                true => 1 + hidden + behind,
                false => 0,
            };
            (reach, 1 + hidden)
        };
        let (reach_needed, moves_needed) = (0..n as u32).map(counts).unzip();
        let mut this = Self {
            closures: Closures::new(rows, kind, mixer),
            partition,
            above,
            before,
            reach_needed,
            moves_needed,
            moved: (0..n as u32).collect(),
            agenda: Agenda::new(n),
        };
        let alone = |&v: &u32| this.partition.is_alone(v);
        let alone: Vec<u32> = this.moved.iter().copied().filter(alone).collect();
        alone.into_iter().for_each(|v| this.settle(v));
        this
    }

    /// Refines until no key changes any more.
    fn run(&mut self, rounds: &mut Rounds<'_>) {
        let n = self.closures.rows.states();
        let mut changed = Vec::new();
        while !self.moved.is_empty() && self.partition.count() < n {
            changed.clear();
            self.find_reach(&mut changed);
            self.find_moves(&mut changed);
            self.split(&changed);
            self.closures.tidy();
            rounds.end(self.partition.count());
        }
    }

    /// Finds R anew where it may have changed, and lists where it has.
    fn find_reach(&mut self, changed: &mut Vec<u32>) {
        if !self.closures.kind.answers_hidden() {
            return;
        }
        for &v in &self.moved {
            if self.reach_needed[v as usize] > 0 {
                self.agenda.insert(v);
            }
        }
        while let Some(v) = self.agenda.pop() {
            let found = self.closures.reach_of(v, self.partition.blocks());
            let before = std::mem::replace(&mut self.closures.reach[v as usize], found);
            if before != found {
                changed.push(v);
                for &s in self.above.of(v) {
                    if self.reach_needed[s as usize] > 0 {
                        self.agenda.insert(s);
                    }
                }
            }
        }
    }

    /// Finds M anew where it may have changed, and lists where it has. Expects a list of
    /// where R has changed.
    fn find_moves(&mut self, changed: &mut Vec<u32>) {
        let Self {
            closures,
            partition,
            above,
            before,
            moves_needed,
            agenda,
            ..
        } = self;
        let causes = match closures.kind.goes_on() {
            true => &*changed,
            false => &self.moved,
        };
        for &v in causes {
            for &s in before.of(v) {
                if moves_needed[s as usize] > 0 {
                    agenda.insert(s);
                }
            }
        }
        while let Some(v) = agenda.pop() {
            let block = partition.blocks();
            let sum = if closures.silent.contains(v as usize) {
                let found = closures.moves_of(v, block);
                if std::mem::replace(&mut closures.moves[v as usize], found) == found {
                    continue;
                }
                for &s in above.of(v) {
                    if moves_needed[s as usize] > 0 {
                        agenda.insert(s);
                    }
                }
                closures.maps.sum(found)
            } else {
                closures.sum_of(v, block)
            };
            if std::mem::replace(&mut closures.sums[v as usize], sum) != sum {
                changed.push(v);
            }
        }
    }

    /// Splits the blocks of nodes whose keys have changed, and lists the nodes that leave
    /// theirs.
    fn split(&mut self, changed: &[u32]) {
        let Self {
            closures,
            partition,
            moved,
            ..
        } = self;
        for &v in changed {
            partition.mark(v);
        }
        moved.clear();
        let mut alone = Vec::new();
        let mut keyed = Vec::new();
        for b in partition.take_touched() {
            keyed.clear();
            keyed.extend(partition.marked(b).iter().map(|&v| (closures.key(v), v)));
            let rest = partition.unmarked(b).map(|v| closures.key(v));
            let from = moved.len();
            partition.split(b, &mut keyed, rest, moved);
            if from < moved.len() {
                let new = moved[from..].iter().copied();
                alone.extend(new.filter(|&v| partition.is_alone(v)));
                if let &[last] = partition.members(b) {
                    alone.push(last);
                }
            }
        }
        alone.into_iter().for_each(|v| self.settle(v));
    }

    /// A node is alone in its block from now on: nothing will tell it apart.
    fn settle(&mut self, v: u32) {
        let mut open = vec![Needless::Moves(v)];
        if self.closures.kind.answers_hidden() {
            open.push(Needless::Reach(v));
        }
        let closures = &mut self.closures;
        while let Some(next) = open.pop() {
            match next {
                Needless::Reach(v) => {
                    let count = &mut self.reach_needed[v as usize];
                    *count -= 1;
                    if *count == 0 {
                        closures.reach[v as usize] = EMPTY;
                        open.extend(closures.below(v).map(Needless::Reach));
                    }
                }
                Needless::Moves(v) => {
                    let count = &mut self.moves_needed[v as usize];
                    *count -= 1;
                    if *count == 0 {
                        closures.moves[v as usize] = EMPTY;
                        open.extend(closures.below(v).map(Needless::Moves));
                        if closures.kind.goes_on() {
                            let targets = closures.visible(v).map(|(_, t)| t);
                            open.extend(targets.map(Needless::Reach));
                        }
                    }
                }
            }
        }
    }

    /// One more round of all that is needed, which compares sets instead of sums: whether
    /// all nodes of each block have the same.
    fn is_stable(&mut self) -> bool {
        let n = self.closures.rows.states();
        let Self {
            closures,
            partition,
            reach_needed,
            moves_needed,
            ..
        } = self;
        let block = partition.blocks();
        for v in 0..n as u32 {
            if reach_needed[v as usize] > 0 {
                closures.reach[v as usize] = closures.reach_of(v, block);
            }
        }
        for v in 0..n as u32 {
            if moves_needed[v as usize] > 0 && closures.silent.contains(v as usize) {
                closures.moves[v as usize] = closures.moves_of(v, block);
            }
        }
        let (mut first, mut other) = (Vec::new(), Vec::new());
        let mut seen = StateSet::new(partition.count());
        for v in 0..n as u32 {
            let b = block[v as usize];
            if partition.is_alone(v) || !seen.insert(b as usize) {
                continue;
            }
            closures.exactly(v, block, &mut first);
            for &w in partition.members(b) {
                closures.exactly(w, block, &mut other);
                if first != other {
                    return false;
                }
            }
        }
        true
    }
}
