//! Branching bisimilarity, and its divergence-preserving kind.
//!
//! Signatures are *inductive* (after Blom & van de Pol 2009, and Wimmer et al.
//! 2006): they are taken along inert steps from their ends up, which there are,
//! since no hidden cycles are left ([`super::tau_scc`]). The set of a state holds
//! the pairs (label, block) of what it can do itself, inert steps left out, and
//! the sets of its inert successors, each as one element. If all of that, but for
//! one successor's set as an element, is in that set, the state takes it over as
//! its own signature: it can do nothing that the successor could not.
//!
//! No state's set is larger than its row, and none but large ones are stored: a
//! signature is told by a sum and by the *origin*, a state whose own set it is.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use foldhash::fast::FixedState;
use hyades_base::bits::Bits;
use hyades_base::parallel::{self, Scatter};
use hyades_formats::{LabelTable, Lts, LtsParts};
use rayon::prelude::*;

use super::refinable::Refinable;
use super::refine::{Blocks, Signed, Signer, Start, WORK_FACTOR, refine_until};
use super::rounds::Rounds;
use super::rows::{Rows, Sources};
use super::signature::{Deterministic, Mixer, Summer, element};
use super::tau_scc::TauContraction;
use super::{Partition, bounded, verify};

/// The coarsest branching bisimulation; with `divergence`, the coarsest that
/// preserves divergence. The states of an LTS are first contracted; the result
/// is the contracted LTS and the partition of its nodes.
///
/// O(m log n) time for m transitions and n states.
pub(super) fn partition(
    lts: &Lts,
    divergence: bool,
    rounds: &mut Rounds<'_>,
) -> (TauContraction, Partition) {
    with_mixers(TauContraction::new(lts, divergence), Mixer::new, rounds)
}

/// As [`partition`], of an LTS of which nothing but the labels is needed beside: the
/// contracted one takes its place in memory.
pub(super) fn contracted_partition(
    lts: Lts,
    divergence: bool,
    rounds: &mut Rounds<'_>,
) -> (TauContraction, Partition, LabelTable) {
    let silent = TauContraction::new(&lts, divergence);
    let LtsParts { table, .. } = lts.into_parts();
    let (silent, by_node) = with_mixers(silent, Mixer::new, rounds);
    (silent, by_node, table)
}

/// The partition of nodes, beginning with these blocks, of which the settled ones are taken
/// for what they are.
pub(super) fn partition_from(
    silent: &TauContraction,
    block: Vec<u32>,
    settled: u32,
    rounds: &mut Rounds<'_>,
) -> Partition {
    refined(silent, Start { block, settled }, Mixer::new, rounds)
}

pub(super) fn with_mixers(
    silent: TauContraction,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> (TauContraction, Partition) {
    let start = Start::new(silent.rows().states());
    let partition = refined(&silent, start, mixer, rounds);
    (silent, partition)
}

fn refined(
    silent: &TauContraction,
    start: Start,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let rows = silent.rows();
    let mut signer = Branching::new(rows);
    let is_stable = |class: &[u32], count| verify::branching(rows, class, count);
    refine_until(&mut signer, start, mixer, is_stable, rounds)
}

/// Nodes of one level are signed in parallel from this number on.
const LARGE_LEVEL: usize = 1 << 10;

/// Sets of up to this size are searched element by element, larger ones are
/// sorted and kept.
const LONG: usize = if cfg!(test) { 3 } else { 64 };

/// The bit that tells a set as an element from a pair of label and block.
const SET: u64 = 1 << 63;

/// What is known of a node's signature.
#[derive(Clone, Copy)]
struct Signature {
    sum: u64,
    /// The node whose own set it is.
    origin: u32,
    /// 0 if the set has no sets as elements; else one more than the greatest
    /// rank of these. A set can be an element of sets of greater rank only.
    rank: u32,
}

/// The signature of a node that has not been signed.
const UNSIGNED: Signature = Signature {
    sum: 0,
    origin: 0,
    rank: 0,
};

/// No node.
const NOBODY: u32 = u32::MAX;

/// A node's own set, in no order; a long one is in `Branching::long_sets`
/// instead.
#[derive(Default)]
struct Gathered {
    of: u32,
    is_long: bool,
    elements: Vec<u64>,
}

/// What signing a node needs, reused from node to node.
#[derive(Default)]
struct Scratch {
    summer: Summer,
    /// The node's own set; sets as elements of it but once if they come from nodes in a row.
    own: Vec<u64>,
    set: Gathered,
    other: Gathered,
}

/// Nodes that are to be signed.
#[derive(Default)]
struct Nodes {
    /// Those without hidden transitions; nothing stands for all there are.
    plain: Option<Vec<u32>>,
    /// Those with hidden transitions, by level: the length of the longest hidden path.
    by_level: Vec<u32>,
    /// Where each level ends among these; level 0 has none of them.
    ends: Vec<usize>,
    /// The nodes with more transitions than [`LONG`], each after its level, by level.
    long: Vec<(u32, u32)>,
}

impl Nodes {
    /// The nodes of a level from 1 on.
    fn level(&self, level: usize) -> &[u32] {
        &self.by_level[self.ends[level - 1]..self.ends[level]]
    }

    /// Those of all nodes that are in a list; `hidden` tells how many hidden transitions a
    /// node has. O(nodes).
    fn of_all(all: &Self, listed: &[u32], hidden: &[u32]) -> Self {
        let mut is_listed = Bits::new(hidden.len());
        for &s in listed {
            is_listed.insert(s);
        }
        let listed = listed.iter().copied();
        let mut nodes = Self {
            plain: Some(listed.filter(|&s| hidden[s as usize] == 0).collect()),
            ..Self::default()
        };
        for level in 0..all.ends.len() {
            if level > 0 {
                let of_level = all.level(level).iter().copied();
                let listed = of_level.filter(|&s| is_listed.contains(s));
                nodes.by_level.extend(listed);
            }
            nodes.ends.push(nodes.by_level.len());
        }
        let long = all.long.iter().copied();
        nodes.long = long.filter(|&(_, s)| is_listed.contains(s)).collect();
        nodes
    }
}

struct Branching<'a> {
    rows: Rows<'a>,
    tasks: Vec<Range<usize>>,
    deterministic: Deterministic,
    /// The number of hidden transitions of each node, which come first.
    hidden: Vec<u32>,
    all: Nodes,
    /// The active ones, once not all are, and how many that is.
    active: Option<(usize, Nodes)>,
    /// The sources of hidden transitions; made when first needed.
    sources: Option<Sources>,
    signatures: Vec<Signature>,
    /// The own set of each long node that is an origin, ascending.
    long_sets: HashMap<u32, Vec<u64>, FixedState>,
    /// Elements compared.
    work: AtomicU64,
    /// Whether two sets with one sum were found to differ, or might.
    collided: AtomicBool,
    /// Whether elements have no bit to spare: signatures would always collide.
    is_crowded: bool,
}

impl<'a> Branching<'a> {
    fn new(rows: Rows<'a>) -> Self {
        let n = rows.states();
        let tasks = rows.tasks();
        let mut hidden = Vec::new();
        parallel::map_ranges_into(&mut hidden, &tasks, |(), s| {
            rows.row(s as u32)
                .0
                .iter()
                .take_while(|l| l.is_hidden())
                .count() as u32
        });
        // Hidden transitions lead to smaller numbers, so levels are known in
        // the order of the numbers.
        let mut level = vec![0u32; n];
        let mut ends = vec![0usize];
        for s in 0..n {
            let (_, targets) = rows.row(s as u32);
            let below = targets[..hidden[s] as usize]
                .iter()
                .map(|t| level[t.index()])
                .max();
            if let Some(below) = below {
                level[s] = below + 1;
                if ends.len() == level[s] as usize {
                    ends.push(0);
                }
                ends[level[s] as usize] += 1;
            }
        }
        let mut long: Vec<(u32, u32)> = (0..n)
            .filter(|&s| rows.degree(s as u32) > LONG)
            .map(|s| (level[s], s as u32))
            .collect();
        long.sort_unstable();
        // From the sizes to the ends.
        for k in 1..ends.len() {
            ends[k] += ends[k - 1];
        }
        let mut next = ends.clone();
        let mut by_level = vec![0; ends[ends.len() - 1]];
        for s in (0..n).filter(|&s| level[s] > 0) {
            let place = &mut next[level[s] as usize - 1];
            by_level[*place] = s as u32;
            *place += 1;
        }
        Self {
            rows,
            tasks,
            deterministic: Deterministic::new(rows),
            hidden,
            all: Nodes {
                plain: None,
                by_level,
                ends,
                long,
            },
            active: None,
            sources: None,
            signatures: vec![UNSIGNED; n],
            long_sets: HashMap::default(),
            work: AtomicU64::new(0),
            collided: AtomicBool::new(false),
            // Pairs of label and block must leave the bit `SET` free.
            is_crowded: rows.labels.iter().any(|l| l.get() >> 31 != 0),
        }
    }

    /// A node's own set, in the order of its row. Inert successors must have been signed.
    #[inline(always)] // The innermost loop.
    fn set<'b>(
        &'b self,
        s: u32,
        block: &'b [u32],
        signed: &'b impl Fn(u32) -> Signature,
    ) -> impl Iterator<Item = u64> + 'b {
        let inert = element(0, block[s as usize]);
        let (labels, targets) = self.rows.row(s);
        labels.iter().zip(targets).map(move |(l, t)| {
            let e = element(l.get(), block[t.index()]);
            if e == inert {
                signed(t.get()).sum | SET
            } else {
                e
            }
        })
    }

    /// Puts a node's own set in order for [`Branching::is_part`].
    fn gather(
        &self,
        s: u32,
        block: &[u32],
        signed: &impl Fn(u32) -> Signature,
        set: &mut Gathered,
    ) {
        if set.of != s {
            set.of = s;
            set.elements.clear();
            set.is_long = self.rows.degree(s) > LONG && self.long_sets.contains_key(&s);
            if !set.is_long {
                set.elements.extend(self.set(s, block, signed));
            }
        }
    }

    /// Whether all elements are in a set.
    fn is_part(&self, mut part: impl Iterator<Item = u64>, whole: &Gathered) -> bool {
        if !whole.is_long {
            return part.all(|e| whole.elements.contains(&e));
        }
        let set = &self.long_sets[&whole.of];
        part.all(|e| {
            self.work.fetch_add(1, Relaxed);
            set.binary_search(&e).is_ok()
        })
    }

    /// Sorts the own sets of long nodes that were signed.
    fn keep_long(&mut self, nodes: impl Iterator<Item = u32>, block: &[u32]) {
        for s in nodes {
            if self.signatures[s as usize].origin == s {
                let mut set = self.long_sets.remove(&s).unwrap_or_default();
                set.clear();
                set.extend(self.set(s, block, &|t| self.signatures[t as usize]));
                set.sort_unstable();
                set.dedup();
                self.long_sets.insert(s, set);
            }
        }
    }

    /// Signs a node whose inert successors have been signed.
    fn sign(
        &self,
        scratch: &mut Scratch,
        block: &[u32],
        mixer: Mixer,
        s: u32,
        signed: impl Fn(u32) -> Signature,
    ) -> Signature {
        let Scratch {
            summer,
            own,
            set,
            other,
        } = scratch;
        // What was gathered for another node may be out of date.
        (set.of, other.of) = (NOBODY, NOBODY);
        own.clear();
        // Only a successor of the greatest rank can have the sets of all others
        // as elements.
        let mut best: Option<Signature> = None;
        let mut is_only = true;
        let inert = element(0, block[s as usize]);
        let (labels, targets) = self.rows.row(s);
        for (l, t) in labels.iter().zip(targets) {
            let e = element(l.get(), block[t.index()]);
            if e != inert {
                own.push(e);
                continue;
            }
            let this = signed(t.get());
            match best {
                Some(best) if this.rank < best.rank => {}
                Some(best) if this.rank == best.rank && this.sum == best.sum => {
                    // What follows must not depend on which origin is taken.
                    if !self.are_equal(this.origin, best.origin, block, &signed, set, other) {
                        self.collided.store(true, Relaxed);
                    }
                    continue;
                }
                Some(best) if this.rank == best.rank => is_only = false,
                _ => (best, is_only) = (Some(this), true),
            }
            own.push(this.sum | SET);
        }
        if let Some(best) = best
            && is_only
        {
            let itself = best.sum | SET;
            let mut others = own.iter().copied().filter(|&e| e != itself).peekable();
            if others.peek().is_none() {
                return best;
            }
            self.gather(best.origin, block, &signed, set);
            if self.is_part(others, set) {
                return best;
            }
        }
        // A node whose labels differ has one hidden step at most, so one set as an element
        // at most.
        let deterministic = self.deterministic.states();
        let sum = deterministic.sum(self.rows, summer, mixer, s, own.iter().copied());
        Signature {
            sum,
            origin: s,
            rank: best.map_or(0, |best| best.rank + 1),
        }
    }

    /// Whether two nodes have the same own set.
    fn are_equal(
        &self,
        a: u32,
        b: u32,
        block: &[u32],
        signed: &impl Fn(u32) -> Signature,
        set: &mut Gathered,
        other: &mut Gathered,
    ) -> bool {
        if a == b {
            return true;
        }
        // Mostly their elements are in the same order. Looks at long sets are counted.
        let in_order = || self.set(a, block, signed).eq(self.set(b, block, signed));
        if self.rows.degree(a) <= LONG && in_order() {
            return true;
        }
        self.gather(a, block, signed, set);
        self.gather(b, block, signed, other);
        self.is_part(self.set(b, block, signed), set)
            && self.is_part(self.set(a, block, signed), other)
    }

    /// Signs nodes; false if the refinement is lost.
    fn sign_nodes(&mut self, nodes: &Nodes, block: &[u32], mixer: Mixer) -> bool {
        self.sign_plain(nodes.plain.as_deref(), block, mixer);
        let mut long = nodes.long.iter().peekable();
        for level in 0..nodes.ends.len() {
            if level > 0 {
                self.sign_level(nodes.level(level), block, mixer);
            }
            if nodes.by_level.is_empty() {
                continue;
            }
            let of_level = std::iter::from_fn(|| long.next_if(|&&(l, _)| l as usize == level));
            self.keep_long(of_level.map(|&(_, s)| s), block);
            if self.is_lost() {
                return false;
            }
        }
        true
    }

    /// Signs these nodes without hidden transitions, or all of them.
    fn sign_plain(&mut self, nodes: Option<&[u32]>, block: &[u32], mixer: Mixer) {
        let mut signatures = mem::take(&mut self.signatures);
        let (rows, deterministic) = (self.rows, self.deterministic.states());
        let sign = move |summer: &mut Summer, s: u32| {
            let elements = rows.elements(s, block);
            let sum = deterministic.sum(rows, summer, mixer, s, elements);
            Signature {
                sum,
                origin: s,
                rank: 0,
            }
        };
        match nodes {
            None => {
                let hidden = &self.hidden[..];
                let sign = move |summer: &mut Summer, s: usize| match hidden[s] {
                    0 => sign(summer, s as u32),
                    _ => UNSIGNED,
                };
                parallel::map_ranges_into(&mut signatures, &self.tasks, sign);
            }
            Some(nodes) => {
                let signatures = Scatter::new(&mut signatures);
                parallel::tasks(nodes.len(), 1 << 10, &|task| {
                    let mut summer = Summer::default();
                    for &s in &nodes[task] {
                        // SAFETY: no node is listed twice.
                        unsafe { signatures.write(s as usize, sign(&mut summer, s)) }
                    }
                });
            }
        }
        self.signatures = signatures;
    }

    /// Signs the nodes of one level.
    fn sign_level(&mut self, level: &[u32], block: &[u32], mixer: Mixer) {
        let mut signatures = mem::take(&mut self.signatures);
        let this = &*self;
        let scatter = Scatter::new(&mut signatures);
        let sign_part = |part: &[u32]| {
            let mut scratch = Scratch::default();
            for &s in part {
                // SAFETY: hidden transitions lead to lower levels, which nobody
                // writes to now.
                let signed = |t: u32| unsafe { scatter.read(t as usize) };
                let signature = this.sign(&mut scratch, block, mixer, s, signed);
                // SAFETY: a node is on one level, once.
                unsafe { scatter.write(s as usize, signature) }
            }
        };
        if level.len() < LARGE_LEVEL {
            sign_part(level);
        } else {
            parallel::tasks(level.len(), LARGE_LEVEL / 4, &|task| {
                sign_part(&level[task])
            });
        }
        self.signatures = signatures;
    }

    /// Whether the refinement must be left to the bounded method.
    fn is_lost(&self) -> bool {
        let size = self.rows.targets.len() + self.rows.states();
        let has_worked = self.work.load(Relaxed) > WORK_FACTOR * size as u64;
        self.is_crowded || self.collided.load(Relaxed) || self.rows.is_narrow() && has_worked
    }
}

impl Signer for Branching<'_> {
    fn rows(&self) -> Rows<'_> {
        self.rows
    }

    fn sign_all(
        &mut self,
        block: &[u32],
        _: usize,
        active: Option<&[u32]>,
        mixer: Mixer,
        sums: &mut Vec<u64>,
    ) -> bool {
        *self.collided.get_mut() = false;
        match active {
            None => self.active = None,
            // They only become fewer.
            Some(states) if self.active.as_ref().is_none_or(|&(n, _)| n != states.len()) => {
                // Not both at a time.
                self.active = None;
                let nodes = Nodes::of_all(&self.all, states, &self.hidden);
                self.active = Some((states.len(), nodes));
            }
            Some(_) => {}
        }
        let (all, some) = (mem::take(&mut self.all), mem::take(&mut self.active));
        // Of a node that is alone in its block nobody asks the signature: hidden transitions
        // to it are not inert.
        let nodes = some.as_ref().map_or(&all, |(_, nodes)| nodes);
        let is_signed = self.sign_nodes(nodes, block, mixer);
        (self.all, self.active) = (all, some);
        if !is_signed {
            return false;
        }
        let signatures = &self.signatures;
        match active {
            None => parallel::map_into(sums, signatures.len(), 1 << 14, |s| signatures[s].sum),
            Some(active) => parallel::map_into(sums, active.len(), 1 << 14, |k| {
                signatures[active[k] as usize].sum
            }),
        }
        true
    }

    fn spread(&mut self, partition: &mut Refinable, moved: &[u32], marked: &mut Vec<u32>) {
        // A renumbered node may have left inert successors behind.
        for &s in moved {
            if self.hidden[s as usize] > 0 && partition.mark(s) {
                marked.push(s);
            }
        }
        if self.all.by_level.is_empty() {
            return marked.clear();
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

    fn sign_marked(
        &mut self,
        p: &Refinable,
        touched: &[u32],
        mixer: Mixer,
        signed: &mut Signed,
    ) -> bool {
        let mut states: Vec<u32> = touched.iter().flat_map(|&b| p.marked(b)).copied().collect();
        // Inert successors first.
        states.par_sort_unstable();
        let mut scratch = Scratch::default();
        let mut work = 0;
        for s in states {
            let signed = |t: u32| self.signatures[t as usize];
            let signature = self.sign(&mut scratch, p.blocks(), mixer, s, signed);
            work += (self.rows.degree(s) + 1) as u64;
            if signature.origin != s {
                work += self.rows.degree(signature.origin).min(LONG) as u64;
            }
            self.signatures[s as usize] = signature;
            if self.rows.degree(s) > LONG {
                self.keep_long(std::iter::once(s), p.blocks());
            }
        }
        let sum = |s: u32| self.signatures[s as usize].sum;
        let Signed { keyed, rests, .. } = signed;
        keyed.clear();
        rests.clear();
        for &b in touched {
            keyed.extend(p.marked(b).iter().map(|&s| (sum(s), s)));
            rests.push(p.unmarked(b).map(sum));
        }
        signed.work = work;
        !self.is_lost()
    }

    fn refine_bounded(&self, block: Vec<u32>, count: u32, rounds: &mut Rounds<'_>) -> Blocks {
        let refined = bounded::refine_branching(self.rows, block, count, rounds);
        (refined.block, refined.count)
    }
}
