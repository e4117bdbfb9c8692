//! Branching bisimilarity, and its divergence-preserving kind.
//!
//! The signature of a state holds what the state or any state that it reaches by
//! inert steps can do (Blom & van de Pol 2009): pairs of label and block, without
//! hidden steps within the block. As there are no hidden cycles left
//! ([`super::silent`]) signatures are taken along hidden steps from their ends
//! up. The set of a state is mostly that of one of its inert successors: it is
//! told so by two numbers, a sum and the state that the set was first met at.

use std::ops::Range;

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

/// Nodes of one level are signed in parallel from this number on.
const LARGE_LEVEL: usize = 1 << 12;

struct Branching<'a> {
    rows: Rows<'a>,
    tasks: Vec<Range<usize>>,
    /// The number of hidden transitions of each node, which come first.
    hidden: Vec<u32>,
    /// The nodes with hidden transitions, by level: the length of the longest
    /// hidden path.
    levels: Vec<Vec<u32>>,
    /// The sources of hidden transitions; made when first needed.
    sources: Option<Sources>,
    /// The sum of each node's signature.
    sums: Vec<u64>,
    /// Where each node's set is found, see [`Branching::set_contains`].
    origin: Vec<u32>,
    /// Sets that are nobody's row, each ascending.
    unions: Vec<Box<[u64]>>,
    /// Elements in `unions`.
    union_size: usize,
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
        let mut levels: Vec<Vec<u32>> = Vec::new();
        for s in 0..n {
            if hidden[s] > 0 {
                let (_, targets) = rows.row(s as u32);
                let below = targets[..hidden[s] as usize]
                    .iter()
                    .map(|t| level[t.index()])
                    .max();
                let this = below.map_or(0, |l| l + 1);
                level[s] = this;
                if levels.len() < this as usize {
                    levels.push(Vec::new());
                }
                levels[this as usize - 1].push(s as u32);
            }
        }
        Self {
            rows,
            tasks,
            hidden,
            levels,
            sources: None,
            sums: vec![0; n],
            origin: vec![0; n],
            unions: Vec::new(),
            union_size: 0,
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
        let shared = inert.all(|t| signed(t).0 == sum)
            && self
                .own(s, block)
                .all(|e| self.set_contains(origin, block, e));
        shared.then_some((sum, origin))
    }

    /// Signs a node by the union of its own set and those of its inert
    /// successors. Returns the size of the union.
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
        union.sort_unstable();
        union.dedup();
        self.sums[s as usize] = union
            .iter()
            .fold(0, |sum: u64, &e| sum.wrapping_add(mixer.value(e)));
        self.origin[s as usize] = u32::MAX - self.unions.len() as u32;
        self.union_size += union.len();
        self.unions.push(union.into_boxed_slice());
        work
    }
}

impl Signer for Branching<'_> {
    fn rows(&self) -> Rows<'_> {
        self.rows
    }

    fn sign_all(&mut self, block: &[u32], _: usize, mixer: Mixer) -> Vec<u64> {
        self.unions.clear();
        self.union_size = 0;
        let n = block.len();
        let mut sums = std::mem::take(&mut self.sums);
        let this = &*self;
        fill_by_task(&mut sums, &self.tasks, |summer: &mut Summer, s| {
            if this.hidden[s as usize] > 0 {
                return 0;
            }
            summer.sum(mixer, this.rows.degree(s), this.own(s, block))
        });
        self.sums = sums;
        (0..n as u32)
            .zip(&mut self.origin)
            .for_each(|(s, origin)| *origin = s);
        let levels = std::mem::take(&mut self.levels);
        for level in &levels {
            let mut sums = std::mem::take(&mut self.sums);
            let mut origins = std::mem::take(&mut self.origin);
            let this = &*self;
            let united: Vec<u32> = {
                let sums = Scatter::new(&mut sums);
                let origins = Scatter::new(&mut origins);
                let sign = |summer: &mut Summer, &s: &u32| {
                    // SAFETY: hidden transitions lead to lower levels, which
                    // nobody writes to now.
                    let signed =
                        |t: u32| unsafe { (sums.read(t as usize), origins.read(t as usize)) };
                    match this.sign(summer, block, mixer, s, signed) {
                        Some((sum, origin)) => {
                            // SAFETY: a node is on one level, once.
                            unsafe {
                                sums.write(s as usize, sum);
                                origins.write(s as usize, origin);
                            }
                            None
                        }
                        None => Some(s),
                    }
                };
                if level.len() < LARGE_LEVEL {
                    let mut summer = Summer::default();
                    level.iter().filter_map(|s| sign(&mut summer, s)).collect()
                } else {
                    let sign_part = |part: &[u32]| {
                        let mut summer = Summer::default();
                        part.iter()
                            .filter_map(|s| sign(&mut summer, s))
                            .collect::<Vec<u32>>()
                    };
                    level
                        .par_chunks(LARGE_LEVEL / 4)
                        .map(sign_part)
                        .collect::<Vec<_>>()
                        .concat()
                }
            };
            self.sums = sums;
            self.origin = origins;
            for s in united {
                self.unite(block, mixer, s);
            }
        }
        self.levels = levels;
        self.sums.clone()
    }

    fn spread(&mut self, partition: &mut Refinable, moved: &[u32], mut marked: Vec<u32>) {
        // A renumbered node may have left inert successors behind.
        for &s in moved {
            if self.hidden[s as usize] > 0 && !partition.is_alone(s) && partition.mark(s) {
                marked.push(s);
            }
        }
        if self.levels.is_empty() {
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

    fn sign_marked(&mut self, p: &Refinable, touched: &[u32], mixer: Mixer) -> Signed {
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
                None => work += self.unite(p.blocks(), mixer, s) as u64,
            }
        }
        // Sets that nobody refers to are kept: they must not become too many.
        if self.union_size > 4 * (self.rows.targets.len() + self.rows.states()) {
            work = u64::MAX / 2;
        }
        let sum = |s: u32| self.sums[s as usize];
        Signed {
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
        }
    }

    fn refine_bounded(&self, block: Vec<u32>, count: u32) -> Blocks {
        slices::refine_branching(self.rows, block, count)
    }
}
