//! Branching bisimilarity, and its divergence-preserving kind.
//!
//! The signature of a state holds what the state or any state that it reaches by
//! inert steps can do (Blom & van de Pol 2009): pairs of label and block, without
//! hidden steps within the block. As there are no hidden cycles left
//! ([`super::silent`]) signatures are taken along hidden steps from their ends
//! up. The set of a state is mostly that of one of its inert successors: it is
//! told so by two numbers, a sum and the state that the set was first met at.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;
use hyades_formats::Lts;
use rayon::prelude::*;

use super::refinable::Refinable;
use super::refine::{Blocks, Signed, Signer, fill_by_task, refine};
use super::rows::{Rows, Sources};
use super::signature::{Mixer, Summer, element};
use super::silent::Silent;
use super::{Partition, slices, verify};
use crate::parallel::Scatter;

/// The coarsest branching bisimulation; with `divergence`, the coarsest that
/// preserves divergence. The states of an LTS are first contracted; the result
/// is the contracted LTS and the partition of its nodes.
///
/// O(m log n) time for m transitions and n states.
pub(super) fn partition(lts: &Lts, divergence: bool) -> (Silent, Partition) {
    with_mixers(Silent::new(lts, divergence), Mixer::new)
}

pub(super) fn with_mixers(silent: Silent, mixer: impl Fn(u64) -> Mixer) -> (Silent, Partition) {
    let rows = silent.rows();
    let mut signer = Branching::new(rows);
    let (mut class, mut count) = (vec![0; rows.states()], 1);
    for attempt in 0.. {
        (class, count) = refine(&mut signer, class, count, mixer(attempt));
        if verify::branching(rows, &class, count) {
            break;
        }
    }
    drop(signer);
    (silent, Partition { class, count })
}

/// Rows are searched for an element up to this length.
const LONG: usize = 64;

/// Elements of sets kept, in multiples of m + n.
const UNION_SIZE_FACTOR: usize = 4;

/// Elements looked at to make sets, in multiples of m + n.
const UNION_WORK_FACTOR: usize = 30;

/// Nodes of one level are signed in parallel from this number on.
const LARGE_LEVEL: usize = 1 << 12;

struct Branching<'a> {
    rows: Rows<'a>,
    tasks: Vec<Range<usize>>,
    /// The number of hidden transitions of each node, which come first.
    hidden: Vec<u32>,
    /// The nodes with hidden transitions, by level: the length of the longest
    /// hidden path. Level k ends where level k + 1 starts.
    by_level: Vec<u32>,
    level_starts: Vec<usize>,
    /// The sources of hidden transitions; made when first needed.
    sources: Option<Sources>,
    /// The sum of each node's signature.
    sums: Vec<u64>,
    /// Where each node's set is found, see [`Branching::set_contains`].
    origin: Vec<u32>,
    /// Sets that are nobody's row, each ascending.
    unions: Vec<Box<[u64]>>,
    /// The number of the union with a sum.
    union_of: HashMap<u64, u32, FixedState>,
    /// Elements in `unions`.
    union_size: usize,
    /// Elements that went into `unions`, duplicates counted.
    united: usize,
}

impl<'a> Branching<'a> {
    fn new(rows: Rows<'a>) -> Self {
        let n = rows.states();
        let tasks = rows.tasks();
        let mut hidden = vec![0; n];
        fill_by_task(&mut hidden, &tasks, |(): &mut (), s| {
            rows.row(s).0.iter().take_while(|l| l.is_hidden()).count() as u32
        });
        // Hidden transitions lead to smaller numbers, so levels are known in
        // the order of the numbers.
        let mut level = vec![0u32; n];
        let mut level_starts = vec![0usize];
        for s in 0..n {
            let (_, targets) = rows.row(s as u32);
            let below = targets[..hidden[s] as usize]
                .iter()
                .map(|t| level[t.index()])
                .max();
            if let Some(below) = below {
                level[s] = below + 1;
                if level_starts.len() == level[s] as usize {
                    level_starts.push(0);
                }
                level_starts[level[s] as usize] += 1;
            }
        }
        // From the sizes to the starts; the last one is where the last level
        // ends.
        for k in 1..level_starts.len() {
            level_starts[k] += level_starts[k - 1];
        }
        let mut next = level_starts.clone();
        let mut by_level = vec![0; level_starts[level_starts.len() - 1]];
        for s in (0..n).filter(|&s| level[s] > 0) {
            let place = &mut next[level[s] as usize - 1];
            by_level[*place] = s as u32;
            *place += 1;
        }
        Self {
            rows,
            tasks,
            hidden,
            by_level,
            level_starts,
            sources: None,
            sums: vec![0; n],
            origin: vec![0; n],
            unions: Vec::new(),
            union_of: HashMap::default(),
            union_size: 0,
            united: 0,
        }
    }

    /// The successors of a node by inert steps.
    fn inert<'b>(&'b self, s: u32, block: &'b [u32]) -> impl Iterator<Item = u32> + Clone + 'b {
        let (_, targets) = self.rows.row(s);
        targets[..self.hidden[s as usize] as usize]
            .iter()
            .map(|t| t.get())
            .filter(move |&t| block[t as usize] == block[s as usize])
    }

    /// What a node itself can do, inert steps left out.
    fn own<'b>(&self, s: u32, block: &'b [u32]) -> impl Iterator<Item = u64> + use<'a, 'b> {
        let inert = element(0, block[s as usize]);
        let (labels, targets) = self.rows.row(s);
        labels
            .iter()
            .zip(targets)
            .map(|(l, t)| element(l.get(), block[t.index()]))
            .filter(move |&e| e != inert)
    }

    /// Whether a set has an element. Sets are named by numbers: from 0 upwards
    /// by a node whose own transitions make the set, from `u32::MAX` downwards by
    /// one of `unions`. (The two cannot meet: a union belongs to a node that has
    /// inert steps, and so is not an origin.)
    fn set_contains(&self, origin: u32, block: &[u32], element: u64) -> bool {
        match self.union(origin) {
            Some(set) => set.binary_search(&element).is_ok(),
            None => self.own(origin, block).any(|e| e == element),
        }
    }

    fn union(&self, origin: u32) -> Option<&[u64]> {
        self.unions
            .get((u32::MAX - origin) as usize)
            .map(|set| &**set)
    }

    /// The sum and origin of a node's signature, if it is its own set or that of
    /// its inert successors; these must have been signed.
    fn sign(
        &self,
        summer: &mut Summer,
        block: &[u32],
        mixer: Mixer,
        s: u32,
        signed: impl Fn(u32) -> (u64, u32),
    ) -> Option<(u64, u32)> {
        let mut inert = self.inert(s, block);
        let Some(first) = inert.next() else {
            return Some((
                summer.sum(mixer, self.rows.degree(s), self.own(s, block)),
                s,
            ));
        };
        let (sum, origin) = signed(first);
        // Sets are compared by their elements: were it by sums, a collision
        // could part equivalent states.
        let shared = self.own_fits(s, origin, block)
            && inert.all(|t| {
                let (other, from) = signed(t);
                from == origin || other == sum && self.set_fits(from, origin, block)
            });
        shared.then_some((sum, origin))
    }

    /// Whether a set has all that a node itself can do. May say no where it
    /// would take too long.
    fn own_fits(&self, s: u32, origin: u32, block: &[u32]) -> bool {
        let long = self.union(origin).is_none()
            && self.rows.degree(s).min(self.rows.degree(origin)) > LONG;
        !long
            && self
                .own(s, block)
                .all(|e| self.set_contains(origin, block, e))
    }

    /// Whether a set is part of another, likewise.
    fn set_fits(&self, part: u32, whole: u32, block: &[u32]) -> bool {
        // Different unions are different sets, but for collisions.
        self.union(part).is_none() && self.own_fits(part, whole, block)
    }

    /// Signs a node by the union of its own set and those of its inert
    /// successors. Returns the number of elements that were looked at.
    fn unite(&mut self, block: &[u32], mixer: Mixer, s: u32) -> usize {
        let mut origins: Vec<u32> = self
            .inert(s, block)
            .map(|t| self.origin[t as usize])
            .collect();
        origins.sort_unstable();
        origins.dedup();
        let mut union: Vec<u64> = self.own(s, block).collect();
        for origin in origins {
            match self.union(origin) {
                Some(set) => union.extend_from_slice(set),
                None => union.extend(self.own(origin, block)),
            }
        }
        let work = union.len();
        self.united += work;
        union.sort_unstable();
        union.dedup();
        let sum = union
            .iter()
            .fold(0, |sum: u64, &e| sum.wrapping_add(mixer.value(e)));
        self.sums[s as usize] = sum;
        let known = self.union_of.get(&sum).copied();
        let known = known.filter(|&known| self.union(known) == Some(&union));
        self.origin[s as usize] = known.unwrap_or_else(|| {
            self.union_size += union.len();
            self.unions.push(union.into_boxed_slice());
            let new = u32::MAX - (self.unions.len() as u32 - 1);
            self.union_of.insert(sum, new);
            new
        });
        work
    }

    /// Whether sets have become too many or too large to go on.
    fn is_overburdened(&self) -> bool {
        let size = self.rows.targets.len() + self.rows.states();
        self.union_size > UNION_SIZE_FACTOR * size || self.united > UNION_WORK_FACTOR * size
    }

    /// Signs the nodes of one level. Those whose set is a union are not signed
    /// but returned.
    fn sign_level(&mut self, level: Range<usize>, block: &[u32], mixer: Mixer) -> Vec<u32> {
        let mut sums = std::mem::take(&mut self.sums);
        let mut origins = std::mem::take(&mut self.origin);
        let this = &*self;
        let united = {
            let sums = Scatter::new(&mut sums);
            let origins = Scatter::new(&mut origins);
            let sign_part = |part: &[u32]| {
                let mut summer = Summer::default();
                let mut united = Vec::new();
                for &s in part {
                    // SAFETY: hidden transitions lead to lower levels, which
                    // nobody writes to now.
                    let signed =
                        |t: u32| unsafe { (sums.read(t as usize), origins.read(t as usize)) };
                    match this.sign(&mut summer, block, mixer, s, signed) {
                        // SAFETY: a node is on one level, once.
                        Some((sum, origin)) => unsafe {
                            sums.write(s as usize, sum);
                            origins.write(s as usize, origin);
                        },
                        None => united.push(s),
                    }
                }
                united
            };
            let level = &this.by_level[level];
            if level.len() < LARGE_LEVEL {
                sign_part(level)
            } else {
                level
                    .par_chunks(LARGE_LEVEL / 4)
                    .map(sign_part)
                    .collect::<Vec<_>>()
                    .concat()
            }
        };
        self.sums = sums;
        self.origin = origins;
        united
    }
}

impl Signer for Branching<'_> {
    fn rows(&self) -> Rows<'_> {
        self.rows
    }

    fn sign_all(&mut self, block: &[u32], _: usize, mixer: Mixer) -> Option<Vec<u64>> {
        self.unions.clear();
        self.union_of.clear();
        self.union_size = 0;
        let mut sums = std::mem::take(&mut self.sums);
        let this = &*self;
        fill_by_task(&mut sums, &self.tasks, |summer: &mut Summer, s| {
            if this.hidden[s as usize] > 0 {
                return 0;
            }
            summer.sum(mixer, this.rows.degree(s), this.own(s, block))
        });
        self.sums = sums;
        (0..)
            .zip(&mut self.origin)
            .for_each(|(s, origin)| *origin = s);
        for level in 1..self.level_starts.len() {
            let range = self.level_starts[level - 1]..self.level_starts[level];
            for s in self.sign_level(range, block, mixer) {
                self.unite(block, mixer, s);
                if self.is_overburdened() {
                    return None;
                }
            }
        }
        Some(self.sums.clone())
    }

    fn spread(&mut self, partition: &mut Refinable, moved: &[u32], mut marked: Vec<u32>) {
        // A renumbered node may have left inert successors behind.
        for &s in moved {
            if self.hidden[s as usize] > 0 && !partition.is_alone(s) && partition.mark(s) {
                marked.push(s);
            }
        }
        if self.by_level.is_empty() {
            return;
        }
        let rows = self.rows;
        let sources = self
            .sources
            .get_or_insert_with(|| Sources::new(rows, |l| l.is_hidden()));
        while let Some(t) = marked.pop() {
            for &s in sources.of(t) {
                let blocks = partition.blocks();
                if blocks[s as usize] == blocks[t as usize] && partition.mark(s) {
                    marked.push(s);
                }
            }
        }
    }

    fn sign_marked(&mut self, p: &Refinable, touched: &[u32], mixer: Mixer) -> Option<Signed> {
        let mut states: Vec<u32> = touched.iter().flat_map(|&b| p.marked(b)).copied().collect();
        // Inert successors first.
        states.par_sort_unstable();
        let mut summer = Summer::default();
        let mut work = 0;
        for s in states {
            work += self.rows.degree(s) as u64 + 1;
            let signed = |t: u32| (self.sums[t as usize], self.origin[t as usize]);
            match self.sign(&mut summer, p.blocks(), mixer, s, signed) {
                Some((sum, origin)) => {
                    self.sums[s as usize] = sum;
                    self.origin[s as usize] = origin;
                }
                None => {
                    work += self.unite(p.blocks(), mixer, s) as u64;
                    if self.is_overburdened() {
                        return None;
                    }
                }
            }
        }
        let sum = |s: u32| self.sums[s as usize];
        Some(Signed {
            keyed: touched
                .iter()
                .flat_map(|&b| p.marked(b))
                .map(|&s| (sum(s), s))
                .collect(),
            rests: touched
                .iter()
                .map(|&b| p.members(b).get(p.marked(b).len()).map(|&s| sum(s)))
                .collect(),
            work,
        })
    }

    fn refine_bounded(&self, block: Vec<u32>, count: u32) -> Blocks {
        slices::refine_branching(self.rows, block, count)
    }
}
