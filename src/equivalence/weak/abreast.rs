//! Rounds of refinement that follow many blocks, or many nodes, along steps at once, and
//! keep no sets.
//!
//! Where hidden steps lead from most nodes to most others, and nodes differ, there are as
//! many different sets as nodes, and each is large: kept, they take the square of the number
//! of nodes. Here they are not. Of each block that is new, a bit goes backwards to all nodes
//! with a way to it, 256 blocks at a time, one label after the other; what a node has seen
//! pass by is summed. Blocks that have not been split since need not be looked at again:
//! nodes that are still together agree on them. So all rounds together follow no more than
//! two bits for each block. Or, if fewer nodes than new blocks are left that share their
//! blocks, bits of these nodes go forwards, and each block sees which ones come.
//!
//! O(n m / 256) steps for each label for n nodes and m transitions, and no more than there
//! are ways for; 64 bytes a node and thread.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

use hyades_base::parallel;
use hyades_formats::LabelId;

use super::agenda::Agenda;
use super::lanes::{Field, FoldKeys, IN_USE, LANES, Lanes, Order, Patience};
use super::steps::{Backwards, Needs, Steps};
use crate::rounds::Rounds;
use crate::signature::Mixer;
use crate::{Partition, Refinable, element};

/// Refines a partition until all nodes of a block have one signature, as
/// [`Closures`](super::closures::Closures) has it. Hidden transitions must lead to smaller
/// numbers. The result does not depend on the number of threads.
///
/// Gives the partition back, as far as it has come, if rounds in which few bits go at once
/// have taken all patience.
pub(super) fn refine(
    steps: &Steps<'_>,
    backwards: &Backwards,
    partition: Refinable,
    patience: &Patience,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Result<Partition, Box<Refinable>> {
    let n = steps.rows.states();
    let endless = Patience::without_end();
    let mut this = Abreast {
        steps,
        backwards,
        needs: Needs::new(steps, backwards),
        partition,
        sums: (0..n).map(|_| AtomicU64::new(0)).collect(),
        workers: Vec::new(),
    };
    let mut shared = n;
    for v in 0..n as u32 {
        if this.partition.is_alone(v) {
            this.needs.settle(steps, v, |_| ());
            shared -= 1;
        }
    }
    let mut attempt = 0;
    let mut fresh = this.all_blocks();
    while shared > 0 {
        if fresh.is_empty() {
            if this.is_stable(shared) {
                break;
            }
            // Different sets had one sum.
            attempt += 1;
            fresh = this.all_blocks();
        }
        let patience = match fresh.len().min(shared) < FEW {
            true => patience,
            false => &endless,
        };
        let changed = this.sign(&fresh, shared, mixer(attempt), patience);
        if patience.is_over() {
            return Err(Box::new(this.partition));
        }
        shared -= this.split(&changed, &mut fresh);
        rounds.end(this.partition.count());
    }
    let (class, count) = this.partition.into_blocks();
    Ok(Partition { class, count })
}

/// Fewer bits than this at once are few.
const FEW: usize = LANES / 8;

struct Abreast<'a> {
    steps: &'a Steps<'a>,
    backwards: &'a Backwards,
    needs: Needs,
    partition: Refinable,
    /// What each node that shares its block has seen in this round.
    sums: Vec<AtomicU64>,
    workers: Vec<Worker>,
}

/// What a thread works with.
struct Worker {
    reach: Field,
    moves: Field,
    by_label: ByLabel,
    sources: Agenda,
    /// Blocks, and nodes in them.
    among: Vec<(u32, u32)>,
    /// The nodes whose sums have changed.
    changed: Vec<u32>,
}

impl Worker {
    fn new(nodes: usize) -> Self {
        Self {
            reach: Field::new(nodes),
            moves: Field::new(nodes),
            by_label: ByLabel::default(),
            sources: Agenda::new(nodes),
            among: Vec::new(),
            changed: Vec::new(),
        }
    }
}

/// Nodes with steps, label by label.
#[derive(Default)]
pub(super) struct ByLabel {
    /// Of each label: nodes, and where in the row of each the label begins.
    lists: Vec<Vec<(u32, u32)>>,
    /// The labels with nodes.
    used: Vec<u32>,
}

impl ByLabel {
    pub(super) fn push(&mut self, label: LabelId, v: u32, at: usize) {
        let label = label.index();
        if self.lists.len() <= label {
            self.lists.resize_with(label + 1, Vec::new);
        }
        if self.lists[label].is_empty() {
            self.used.push(label as u32);
        }
        self.lists[label].push((v, at as u32));
    }

    /// Adds nodes with all labels of their visible steps.
    fn push_all(&mut self, steps: &Steps<'_>, nodes: impl Iterator<Item = u32>) {
        for s in nodes {
            let hidden = steps.hidden[s as usize] as usize;
            let mut last = None;
            for (at, (label, _)) in (hidden..).zip(steps.visible(s)) {
                if last.replace(label) != Some(label) {
                    self.push(label, s, at);
                }
            }
        }
    }

    /// Visits each label with its nodes, and forgets them.
    pub(super) fn drain(&mut self, mut visit: impl FnMut(LabelId, &[(u32, u32)])) {
        for label in self.used.drain(..) {
            let list = &mut self.lists[label as usize];
            visit(LabelId::new(label), list);
            list.clear();
        }
    }

    /// Takes the nodes of one label out.
    pub(super) fn take(&mut self, label: LabelId) -> Vec<(u32, u32)> {
        let list = self.lists.get_mut(label.index());
        list.map(std::mem::take).unwrap_or_default()
    }
}

/// The targets of the steps of a node with one label, of which the first is at this place.
pub(super) fn targets_at<'a>(
    steps: &Steps<'a>,
    (v, at): (u32, u32),
) -> impl Iterator<Item = u32> + Clone + use<'a> {
    let (labels, targets) = steps.rows.row(v);
    let (labels, targets) = (&labels[at as usize..], &targets[at as usize..]);
    let label = labels[0];
    let same = labels
        .iter()
        .zip(targets)
        .take_while(move |&(&l, _)| l == label);
    same.map(|(_, t)| t.get())
}

/// Follows lanes backwards over a visible step, and then over hidden ones: from where
/// `reach` has them, label by label. `found` sees what came of it. Ends early when there is
/// no patience left.
pub(super) fn backwards_over_visible(
    steps: &Steps<'_>,
    backwards: &Backwards,
    fields: (&Field, &mut Field),
    (sources, by_label): (&mut Agenda, &mut ByLabel),
    patience: &Patience,
    is_wanted: impl Fn(LabelId, u32) -> bool,
    mut found: impl FnMut(LabelId, &Field),
) {
    let (reach, moves) = fields;
    patience.spend(reach);
    for &t in reach.touched() {
        backwards
            .before
            .of(t)
            .iter()
            .for_each(|&s| sources.insert(s));
    }
    while let Some(s) = sources.pop() {
        let hidden = steps.hidden[s as usize] as usize;
        let mut last = None;
        for (at, (label, t)) in (hidden..).zip(steps.visible(s)) {
            if last != Some(label) && is_wanted(label, s) && !reach.get(t).is_empty() {
                by_label.push(label, s, at);
                last = Some(label);
            }
        }
    }
    moves.begin(Order::Ascending);
    by_label.drain(|label, list| {
        if patience.is_over() {
            return;
        }
        for &(s, at) in list {
            let mut lanes = Lanes::NONE;
            targets_at(steps, (s, at)).for_each(|t| lanes.add(reach.get(t)));
            moves.add(s, &lanes);
        }
        let above = |v| backwards.above.of(v).iter().copied();
        moves.spread(|v| above(v).filter(|&s| is_wanted(label, s)));
        patience.spend(moves);
        found(label, moves);
        moves.clear();
    });
}

/// Nodes that share their blocks, each with a lane: those of one block beside each other.
#[derive(Default)]
struct Lineup {
    nodes: Vec<u32>,
    /// Where the lanes of each group of nodes of one block start; the first one stands for
    /// the block.
    starts: Vec<u32>,
}

impl Lineup {
    /// All nodes that share their blocks. Where those of one block are in several lineups,
    /// the one that stands for it is in each.
    fn of_all(partition: &Refinable) -> Vec<Self> {
        let mut lineups = vec![Self::default()];
        for b in 0..partition.count() as u32 {
            let &[first, ref rest @ ..] = partition.members(b) else {
                continue;
            };
            let mut rest = rest;
            while !rest.is_empty() {
                if lineups
                    .last()
                    .is_none_or(|last| last.nodes.len() + 2 > IN_USE)
                {
                    lineups.push(Self::default());
                }
                let Some(last) = lineups.last_mut() else {
                    break;
                };
                last.starts.push(last.nodes.len() as u32);
                last.nodes.push(first);
                let room = IN_USE - last.nodes.len();
                let (now, later) = rest.split_at(room.min(rest.len()));
                last.nodes.extend(now);
                rest = later;
            }
        }
        lineups
    }

    /// The lanes of all but the first of each group.
    fn others(&self) -> Lanes {
        let mut lanes = Lanes::NONE;
        (0..self.nodes.len()).for_each(|lane| lanes.insert(lane));
        self.starts
            .iter()
            .fold(lanes, |lanes, &start| lanes.without(start as usize))
    }

    /// The lanes of the group of one.
    fn group(&self, lane: usize) -> std::ops::Range<usize> {
        let after = self.starts.partition_point(|&start| start as usize <= lane);
        let end = self.starts.get(after).map(|&start| start as usize);
        self.starts[after - 1] as usize..end.unwrap_or(self.nodes.len())
    }
}

impl Abreast<'_> {
    /// Runs so many tasks, in as many threads as there are; each has a worker to itself.
    fn each(
        &self,
        workers: &mut Vec<Worker>,
        tasks: usize,
        work: impl Fn(&mut Worker, usize) + Sync,
    ) {
        let threads = parallel::threads().min(tasks);
        while workers.len() < threads {
            workers.push(Worker::new(self.sums.len()));
        }
        let next = AtomicUsize::new(0);
        parallel::for_each_mut(&mut workers[..threads], 1, |_, worker| {
            loop {
                let task = next.fetch_add(1, Relaxed);
                if task >= tasks {
                    break;
                }
                work(worker, task);
            }
        });
    }

    /// Sums up what the nodes that share their blocks see of the fresh ones, and lists those
    /// that see any. Nodes of one block that see the same have the same sum.
    fn sign(
        &mut self,
        fresh: &[u32],
        shared: usize,
        mixer: Mixer,
        patience: &Patience,
    ) -> Vec<u32> {
        let mut workers = std::mem::take(&mut self.workers);
        let this = &*self;
        if shared < fresh.len() {
            let lineups = Lineup::of_all(&this.partition);
            this.each(&mut workers, lineups.len(), |worker, k| {
                this.forwards(&lineups[k], worker, patience, |label, block, v, changed| {
                    let e = element(label.get(), block);
                    if this.sums[v as usize].fetch_add(mixer.value(e), Relaxed) == 0 {
                        changed.push(v);
                    }
                });
            });
        } else {
            let keys = FoldKeys::new(|k| mixer.value(!k));
            let parts = fresh.len().div_ceil(IN_USE);
            this.each(&mut workers, parts, |worker, k| {
                let blocks = parallel::chunk(fresh, IN_USE, k);
                this.backwards(blocks, worker, patience, |label, field, changed| {
                    let place = mixer.value(element(label.get(), k as u32));
                    for &v in field.touched() {
                        if !this.partition.is_alone(v) {
                            let value = mixer.value(field.get(v).folded(&keys) ^ place);
                            if this.sums[v as usize].fetch_add(value, Relaxed) == 0 {
                                changed.push(v);
                            }
                        }
                    }
                });
            });
        }
        let mut changed = Vec::new();
        for worker in &mut workers {
            changed.append(&mut worker.changed);
        }
        // Blocks are split in this order.
        changed.sort_unstable();
        changed.dedup();
        self.workers = workers;
        changed
    }

    /// Follows blocks backwards. `found` sees, for each label, which nodes have a way to
    /// which of them, and may list nodes.
    fn backwards(
        &self,
        blocks: &[u32],
        worker: &mut Worker,
        patience: &Patience,
        mut found: impl FnMut(LabelId, &Field, &mut Vec<u32>),
    ) {
        let Self {
            steps,
            backwards,
            needs,
            partition,
            ..
        } = self;
        let Worker {
            reach,
            moves,
            by_label,
            sources,
            changed,
            ..
        } = worker;
        let begin = |reach: &mut Field| {
            reach.begin(Order::Ascending);
            for (lane, &b) in blocks.iter().enumerate() {
                partition
                    .members(b)
                    .iter()
                    .for_each(|&v| reach.insert(v, lane));
            }
        };
        let spread = |reach: &mut Field| {
            let above = |v| backwards.above.of(v).iter().copied();
            reach.spread(|v| above(v).filter(|&s| needs.reach(s)));
        };
        begin(reach);
        if steps.kind.goes_on() {
            spread(reach);
            found(LabelId::HIDDEN, reach, changed);
        } else {
            reach.stay();
        }
        backwards_over_visible(
            steps,
            backwards,
            (&*reach, moves),
            (sources, by_label),
            patience,
            |_, s| needs.moves(s),
            |label, moves| found(label, moves, changed),
        );
        reach.clear();
        if steps.kind.answers_hidden() && !steps.kind.goes_on() {
            begin(reach);
            spread(reach);
            found(LabelId::HIDDEN, reach, changed);
            reach.clear();
        }
    }

    /// Follows nodes forwards. `differs` sees, for each label and block, which of them have
    /// a way to it and the one that stands for their block has none, or the other way round.
    fn forwards(
        &self,
        lineup: &Lineup,
        worker: &mut Worker,
        patience: &Patience,
        mut differs: impl FnMut(LabelId, u32, u32, &mut Vec<u32>),
    ) {
        let Self {
            steps, partition, ..
        } = self;
        let Worker {
            reach,
            moves,
            by_label,
            among,
            changed,
            ..
        } = worker;
        let others = lineup.others();
        let mut see = |label: LabelId, block: u32, lanes: &Lanes| {
            let mut done = 0;
            for lane in lanes.steps(&others).iter() {
                if lane < done {
                    continue;
                }
                let group = lineup.group(lane);
                done = group.end;
                let first = lanes.contains(group.start);
                for lane in group.filter(|&lane| lanes.contains(lane) != first) {
                    differs(label, block, lineup.nodes[lane], changed);
                }
            }
        };
        let mut found = |label: LabelId, field: &Field| {
            among.clear();
            for &v in field.touched() {
                let b = partition.blocks()[v as usize];
                match partition.is_alone(v) {
                    true => see(label, b, field.get(v)),
                    false => among.push((b, v)),
                }
            }
            among.sort_unstable();
            for block in among.chunk_by(|x, y| x.0 == y.0) {
                let mut lanes = Lanes::NONE;
                block.iter().for_each(|&(_, v)| lanes.add(field.get(v)));
                see(label, block[0].0, &lanes);
            }
        };
        reach.begin(Order::Descending);
        for (lane, &v) in lineup.nodes.iter().enumerate() {
            reach.insert(v, lane);
        }
        reach.spread(|v| steps.below(v));
        patience.spend(reach);
        if steps.kind.answers_hidden() {
            found(LabelId::HIDDEN, reach);
        }
        by_label.push_all(steps, reach.touched().iter().copied());
        moves.begin(Order::Descending);
        by_label.drain(|label, list| {
            if patience.is_over() {
                return;
            }
            for &(s, at) in list {
                let lanes = *reach.get(s);
                targets_at(steps, (s, at)).for_each(|t| moves.add(t, &lanes));
            }
            match steps.kind.goes_on() {
                true => moves.spread(|v| steps.below(v)),
                false => moves.stay(),
            }
            patience.spend(moves);
            found(label, moves);
            moves.clear();
        });
        reach.clear();
    }

    /// Splits the blocks of the nodes whose sums are not 0. `fresh` are the parts of blocks
    /// that were split; how many nodes are alone from now on is told.
    fn split(&mut self, changed: &[u32], fresh: &mut Vec<u32>) -> usize {
        let Self {
            steps,
            needs,
            partition,
            sums,
            ..
        } = self;
        for &v in changed {
            partition.mark(v);
        }
        fresh.clear();
        let (mut moved, mut keyed) = (Vec::new(), Vec::new());
        let before = partition.count() as u32;
        for b in partition.take_touched() {
            keyed.clear();
            let key = |&v: &u32| (sums[v as usize].load(Relaxed), v);
            keyed.extend(partition.marked(b).iter().map(key));
            let rest = partition.unmarked(b).map(|_| 0);
            let from = moved.len();
            partition.split(b, &mut keyed, rest, &mut moved);
            if from < moved.len() {
                fresh.push(b);
            }
        }
        for &v in changed {
            *sums[v as usize].get_mut() = 0;
        }
        fresh.extend(before..partition.count() as u32);
        let mut alone = 0;
        for &b in &*fresh {
            if let &[v] = partition.members(b) {
                needs.settle(steps, v, |_| ());
                alone += 1;
            }
        }
        self.put_in_order(fresh);
        alone
    }

    fn all_blocks(&self) -> Vec<u32> {
        let mut blocks: Vec<u32> = (0..self.partition.count() as u32).collect();
        self.put_in_order(&mut blocks);
        blocks
    }

    /// Puts blocks beside each other that are reached from the same nodes, more or less.
    fn put_in_order(&self, blocks: &mut [u32]) {
        blocks.sort_unstable_by_key(|&b| self.partition.members(b).first().copied());
    }

    /// Whether all nodes of each block have the same signature, which is found out without
    /// sums.
    fn is_stable(&mut self, shared: usize) -> bool {
        let mut workers = std::mem::take(&mut self.workers);
        let this = &*self;
        let differ = AtomicBool::new(false);
        let endless = &Patience::without_end();
        let blocks = this.partition.count();
        if shared < blocks {
            let lineups = Lineup::of_all(&this.partition);
            this.each(&mut workers, lineups.len(), |worker, k| {
                if !differ.load(Relaxed) {
                    this.forwards(&lineups[k], worker, endless, |_, _, _, _| {
                        differ.store(true, Relaxed);
                    });
                }
            });
        } else {
            let all: Vec<u32> = (0..blocks as u32).collect();
            this.each(&mut workers, blocks.div_ceil(IN_USE), |worker, k| {
                if differ.load(Relaxed) {
                    return;
                }
                let blocks = parallel::chunk(&all, IN_USE, k);
                this.backwards(blocks, worker, endless, |_, field, _| {
                    let same = field
                        .touched()
                        .iter()
                        .all(|&v| this.sees_the_same(field, v));
                    if !same {
                        differ.store(true, Relaxed);
                    }
                });
            });
        }
        self.workers = workers;
        !differ.into_inner()
    }

    /// Whether a node with lanes has the same as the first one of its block, and all have
    /// the same if it is that.
    fn sees_the_same(&self, field: &Field, v: u32) -> bool {
        let members = self.partition.members(self.partition.blocks()[v as usize]);
        let lanes = field.get(v);
        if members[0] != v {
            return field.get(members[0]) == lanes;
        }
        members.iter().all(|&w| field.get(w) == lanes)
    }
}

const _: () = assert!(IN_USE >= 2 && IN_USE <= LANES);
