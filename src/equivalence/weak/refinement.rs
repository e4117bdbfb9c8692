//! Rounds of refinement by signatures that are closed along hidden steps.

use hyades_lts::StateSet;

use super::Weak;
use super::abreast;
use super::agenda::Agenda;
use super::closures::Closures;
use super::founded;
use super::lanes::Patience;
use super::steps::{Backwards, Needs, Part, Steps};
use super::tries::EMPTY;
use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{Partition, Refinable, Rows};

/// Visits of nodes by few bits at once, for each node and transition, before it is tried to
/// keep sets.
const PATIENCE: u64 = 16;

/// The coarsest partition whose blocks hold nodes of one signature each, as [`Closures`]
/// has it. Hidden transitions must lead to smaller numbers.
///
/// The partition stays as it is during a round. R is found anew for the nodes that changed
/// their blocks, and above where it changes, and then M in the same way. A node's key
/// cannot change otherwise, so that a block's other nodes still have the one they have had,
/// all the same. The largest part of a block keeps its number, and thus most sets theirs.
///
/// Before that, blocks are refined without keeping sets, as long as many of them are followed
/// at once, and after it if sets have too little in common ([`abreast`]). Nodes from which
/// every path ends need no rounds ([`founded`]).
pub(super) fn refine(
    rows: Rows<'_>,
    kind: Weak,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let steps = Steps::new(rows, kind);
    let backwards = Backwards::new(rows);
    let n = rows.states();
    let partition = Refinable::new(vec![0; n], &[n as u32]);
    let (patience, endless) = (steps.patience(PATIENCE), Patience::without_end());
    let abreast = |partition, patience, rounds: &mut Rounds<'_>| {
        abreast::refine(&steps, &backwards, partition, patience, &mixer, rounds)
    };
    let by_sets =
        |partition, rounds: &mut Rounds<'_>| by_sets(&steps, &backwards, partition, &mixer, rounds);
    abreast(partition, &patience, rounds)
        .or_else(|left| founded::refine(&steps, &backwards, *left, rounds))
        .or_else(|left| by_sets(*left, rounds))
        .or_else(|left| abreast(*left, &endless, rounds))
        .unwrap_or_else(|_| unreachable!("there is no end to patience"))
}

/// Keeps sets; gives the partition back, as far as it has come, if they take too much.
pub(super) fn by_sets(
    steps: &Steps<'_>,
    backwards: &Backwards,
    mut partition: Refinable,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Result<Partition, Box<Refinable>> {
    let mut attempt = 0;
    loop {
        let mut refinement = Refinement::new(steps, backwards, partition, mixer(attempt));
        let is_done = refinement.run(rounds);
        let is_stable = is_done.then(|| refinement.is_stable());
        partition = refinement.partition;
        match is_stable {
            Some(true) => {
                let (class, count) = partition.into_blocks();
                return Ok(Partition { class, count });
            }
            // Different sets had one sum.
            Some(false) => attempt += 1,
            None => return Err(Box::new(partition)),
        }
    }
}

struct Refinement<'a> {
    closures: Closures<'a>,
    partition: Refinable,
    backwards: &'a Backwards,
    needs: Needs,
    /// Nodes that changed their blocks.
    moved: Vec<u32>,
    agenda: Agenda,
}

impl<'a> Refinement<'a> {
    fn new(
        steps: &'a Steps<'a>,
        backwards: &'a Backwards,
        partition: Refinable,
        mixer: Mixer,
    ) -> Self {
        let n = steps.rows.states() as u32;
        let mut this = Self {
            closures: Closures::new(steps, mixer),
            partition,
            backwards,
            needs: Needs::new(steps, backwards),
            moved: (0..n).collect(),
            agenda: Agenda::new(n as usize),
        };
        for v in 0..n {
            if this.partition.is_alone(v) {
                this.settle(v);
            }
        }
        this
    }

    /// Refines until no key changes any more, or until sets take too much; tells whether
    /// they do not.
    fn run(&mut self, rounds: &mut Rounds<'_>) -> bool {
        let n = self.closures.steps.rows.states();
        let mut changed = Vec::new();
        while !self.moved.is_empty() && self.partition.count() < n {
            changed.clear();
            if !self.find_reach(&mut changed) || !self.find_moves(&mut changed) {
                return false;
            }
            self.split(&changed);
            self.closures.tidy();
            rounds.end(self.partition.count());
        }
        true
    }

    /// Finds R anew where it may have changed, and lists where it has. Ends early where sets
    /// take too much, and tells whether they do not.
    fn find_reach(&mut self, changed: &mut Vec<u32>) -> bool {
        if !self.closures.steps.kind.answers_hidden() {
            return true;
        }
        for &v in &self.moved {
            if self.needs.reach(v) {
                self.agenda.insert(v);
            }
        }
        while let Some(v) = self.agenda.pop() {
            let found = self.closures.reach_of(v, self.partition.blocks());
            if self.closures.is_crowded() {
                return false;
            }
            let before = std::mem::replace(&mut self.closures.reach[v as usize], found);
            if before != found {
                changed.push(v);
                for &s in self.backwards.above.of(v) {
                    if self.needs.reach(s) {
                        self.agenda.insert(s);
                    }
                }
            }
        }
        true
    }

    /// Finds M anew where it may have changed, and lists where it has. Expects a list of
    /// where R has changed. Ends early as [`Self::find_reach`] does.
    fn find_moves(&mut self, changed: &mut Vec<u32>) -> bool {
        let Self {
            closures,
            partition,
            backwards,
            needs,
            agenda,
            ..
        } = self;
        let causes = match closures.steps.kind.goes_on() {
            true => &*changed,
            false => &self.moved,
        };
        for &v in causes {
            for &s in backwards.before.of(v) {
                if needs.moves(s) {
                    agenda.insert(s);
                }
            }
        }
        while let Some(v) = agenda.pop() {
            let block = partition.blocks();
            let sum = if closures.silent.contains(v as usize) {
                let found = closures.moves_of(v, block);
                if closures.is_crowded() {
                    return false;
                }
                if std::mem::replace(&mut closures.moves[v as usize], found) == found {
                    continue;
                }
                for &s in backwards.above.of(v) {
                    if needs.moves(s) {
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
        true
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
        for v in split_by(partition, changed, |v| closures.key(v), moved) {
            self.settle(v);
        }
    }

    /// A node is alone in its block from now on: nothing will tell it apart.
    fn settle(&mut self, v: u32) {
        let closures = &mut self.closures;
        self.needs.settle(closures.steps, v, |part| match part {
            Part::Reach(v) => closures.reach[v as usize] = EMPTY,
            Part::Moves(v) => closures.moves[v as usize] = EMPTY,
        });
    }

    /// One more round of all that is needed, which compares sets instead of sums: whether
    /// all nodes of each block have the same.
    fn is_stable(&mut self) -> bool {
        let n = self.closures.steps.rows.states();
        let Self {
            closures,
            partition,
            needs,
            ..
        } = self;
        let block = partition.blocks();
        for v in 0..n as u32 {
            if needs.reach(v) {
                closures.reach[v as usize] = closures.reach_of(v, block);
            }
        }
        for v in 0..n as u32 {
            if needs.moves(v) && closures.silent.contains(v as usize) {
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

/// Splits the blocks of these nodes by the keys of all, and lists the nodes that leave theirs
/// in the place of others; the nodes that are alone in their blocks from now on.
pub(super) fn split_by(
    partition: &mut Refinable,
    changed: &[u32],
    key: impl Fn(u32) -> u64,
    moved: &mut Vec<u32>,
) -> Vec<u32> {
    for &v in changed {
        partition.mark(v);
    }
    moved.clear();
    let mut alone = Vec::new();
    let mut keyed = Vec::new();
    for b in partition.take_touched() {
        keyed.clear();
        keyed.extend(partition.marked(b).iter().map(|&v| (key(v), v)));
        let rest = partition.unmarked(b).map(&key);
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
    alone
}
