//! The greatest simulation as a matrix of bits, one row of simulators a node.
//!
//! After M. R. Henzinger, T. A. Henzinger, P. W. Kopke, "Computing simulations on finite
//! and infinite graphs", FOCS 1995, in the form in which a node is looked at again when its
//! simulators became fewer: whoever simulates a predecessor by a label must have a step
//! with that label to a simulator of the node. Counters, which would take much more
//! memory than the matrix itself, are not kept: what a lost simulator is to others is
//! found from the steps of these, or all at once from the simulators that are left,
//! whichever is less work.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use hyades_base::parallel;
use hyades_formats::LabelId;

use super::bits::{self, Row};
use super::preorder::{Incoming, Preorder, label, node};
use crate::Rows;

/// How many labels are worked on together.
const LABELS: usize = 32;

/// No label of those that are worked on.
const NO_SLOT: u8 = u8::MAX;

/// A lost simulator costs about so many times the work of one that is left.
const LOST_COST: usize = 3;

/// The greatest simulation within a relation, whose rows hold for each node what may
/// simulate it, itself included: they are rows of the identity or more.
///
/// n²/8 bytes for n nodes, and up to as much again while rows wait; O(n m d) time for m
/// steps, of which up to d of a node have the same label. The result does not depend on
/// the number of threads: it is the greatest fixpoint, in whatever order it is reached.
pub(super) fn greatest(rows: Rows<'_>, labels: usize, start: Vec<Row>) -> Preorder {
    let n = rows.states();
    let position = finishing_order(rows);
    let mut by_position = vec![0; n];
    for (s, &k) in position.iter().enumerate() {
        by_position[k as usize] = s as u32;
    }
    let waiting = (0..n as u32).map(Reverse).collect();
    let fresh = |bits| {
        Mutex::new(Simulators {
            bits,
            before: Before::Nothing,
            waits: true,
        })
    };
    let engine = Engine {
        rows,
        labels,
        incoming: Incoming::new(rows),
        simulators: start.into_iter().map(fresh).collect(),
        position,
        by_position,
        queue: Mutex::new(Queue { waiting, busy: 0 }),
        changed: Condvar::new(),
    };
    let workers = parallel::threads();
    parallel::tasks(workers, 1, &|_| engine.work());
    let bits = |simulators: Mutex<Simulators>| {
        let inner = simulators.into_inner();
        inner.unwrap_or_else(PoisonError::into_inner).bits
    };
    Preorder {
        block: (0..n as u32).collect(),
        above: engine.simulators.into_iter().map(bits).collect(),
    }
}

/// The simulators of a node.
struct Simulators {
    bits: Row,
    /// What was there when the node was looked at last.
    before: Before,
    /// Whether the node waits to be looked at.
    waits: bool,
}

/// What a row held when its predecessors heard of it last.
enum Before {
    /// They never have.
    Nothing,
    /// The same as now.
    Same,
    Row(Row),
}

/// The nodes that wait, by position, and how many are being looked at.
struct Queue {
    waiting: BinaryHeap<Reverse<u32>>,
    busy: usize,
}

struct Engine<'a> {
    rows: Rows<'a>,
    labels: usize,
    incoming: Incoming,
    simulators: Vec<Mutex<Simulators>>,
    /// The place of each node in the order in which they are best looked at.
    position: Vec<u32>,
    by_position: Vec<u32>,
    queue: Mutex<Queue>,
    /// There may be something to do, or it is all done.
    changed: Condvar,
}

/// What a thread computes in.
struct Scratch {
    /// The place of each label among those that are worked on.
    slot: Vec<u8>,
    /// For each place a set of nodes.
    found: Vec<Row>,
    now: Row,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Only who panics poisons a lock, and then there is no result.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine<'_> {
    /// Looks at nodes until none waits.
    fn work(&self) {
        let mut scratch = Scratch {
            slot: vec![NO_SLOT; self.labels],
            found: Vec::new(),
            now: bits::empty(self.rows.states()),
        };
        let mut queue = locked(&self.queue);
        loop {
            if let Some(Reverse(k)) = queue.waiting.pop() {
                queue.busy += 1;
                drop(queue);
                let lost = self.look_at(self.by_position[k as usize], &mut scratch);
                queue = locked(&self.queue);
                queue.busy -= 1;
                queue.waiting.extend(lost.into_iter().map(Reverse));
                self.changed.notify_all();
            } else if queue.busy == 0 {
                return;
            } else {
                let woken = self.changed.wait(queue);
                queue = woken.unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Tells the predecessors of a node which simulators it has, and gives back the
    /// positions of those that have to be looked at on that account.
    fn look_at(&self, p: u32, scratch: &mut Scratch) -> Vec<u32> {
        let before = {
            let mut simulators = locked(&self.simulators[p as usize]);
            scratch.now.copy_from_slice(&simulators.bits);
            simulators.waits = false;
            std::mem::replace(&mut simulators.before, Before::Same)
        };
        let before = match before {
            Before::Nothing => None,
            Before::Same => return Vec::new(),
            Before::Row(row) => {
                let lost = bits::count_without(&row, &scratch.now);
                (lost * LOST_COST < bits::count(&scratch.now)).then_some(row)
            }
        };
        let mut losers = Vec::new();
        let mut into: &[u64] = self.incoming.of(p);
        while !into.is_empty() {
            // The elements of the first labels.
            let (mut end, mut used) = (0, 0);
            while end < into.len() {
                let slot = &mut scratch.slot[label(into[end]) as usize];
                if *slot == NO_SLOT {
                    if used == LABELS {
                        break;
                    }
                    *slot = used as u8;
                    used += 1;
                }
                end += 1;
            }
            let (batch, rest) = into.split_at(end);
            into = rest;
            let words = bits::words(self.rows.states());
            scratch
                .found
                .iter_mut()
                .take(used)
                .for_each(|row| row.fill(0));
            scratch
                .found
                .resize_with(used.max(scratch.found.len()), || {
                    vec![0; words].into_boxed_slice()
                });
            match &before {
                Some(before) => self.find_lost(before, scratch),
                None => self.find_left(scratch),
            }
            for &e in batch {
                let found = &scratch.found[scratch.slot[label(e) as usize] as usize];
                let removed = |old: u64, found: u64| match before {
                    Some(_) => old & !found,
                    None => old & found,
                };
                if self.restrict(node(e), |k, old| removed(old, found[k])) {
                    losers.push(self.position[node(e) as usize]);
                }
            }
            batch
                .iter()
                .for_each(|&e| scratch.slot[label(e) as usize] = NO_SLOT);
        }
        losers
    }

    /// For each label that is worked on, the nodes with a step to a simulator.
    fn find_left(&self, scratch: &mut Scratch) {
        let Scratch { slot, found, now } = scratch;
        for q in bits::members(now) {
            for &e in self.incoming.of(q as u32) {
                let slot = slot[label(e) as usize];
                if slot != NO_SLOT {
                    bits::insert(&mut found[slot as usize], node(e) as usize);
                }
            }
        }
    }

    /// For each label that is worked on, the nodes with a step to one that was a simulator
    /// before, but with none to one that is.
    fn find_lost(&self, before: &Row, scratch: &mut Scratch) {
        let Scratch { slot, found, now } = scratch;
        bits::for_each_without(before, now, |q| {
            for &e in self.incoming.of(q as u32) {
                let slot = slot[label(e) as usize];
                if slot == NO_SLOT || bits::contains(&found[slot as usize], node(e) as usize) {
                    continue;
                }
                let targets = self.rows.successors(node(e), LabelId::new(label(e)));
                if !targets.iter().any(|t| bits::contains(now, t.index())) {
                    bits::insert(&mut found[slot as usize], node(e) as usize);
                }
            }
        });
    }

    /// Changes the words of a row of simulators; whether the node has to be looked at
    /// for that and does not wait already.
    fn restrict(&self, p: u32, changed: impl Fn(usize, u64) -> u64) -> bool {
        let mut simulators = locked(&self.simulators[p as usize]);
        let Simulators {
            bits,
            before,
            waits,
        } = &mut *simulators;
        let differs = |(k, &old): (usize, &u64)| changed(k, old) != old;
        let Some(first) = bits.iter().enumerate().position(differs) else {
            return false;
        };
        if matches!(before, Before::Same) {
            *before = Before::Row(bits.clone());
        }
        for (k, word) in bits.iter_mut().enumerate().skip(first) {
            *word = changed(k, *word);
        }
        !std::mem::replace(waits, true)
    }
}

/// The place of each node in an order in which a node comes behind those that it leads
/// to, as far as there are no cycles. O(n + m), without recursion.
fn finishing_order(rows: Rows<'_>) -> Vec<u32> {
    let n = rows.states();
    let mut position = vec![u32::MAX; n];
    let mut seen = vec![false; n];
    let mut next = 0;
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..n as u32 {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        path.push((root, rows.bounds(root).start));
        while let Some((s, edge)) = path.last_mut() {
            if *edge == rows.bounds(*s).end {
                position[*s as usize] = next;
                next += 1;
                path.pop();
                continue;
            }
            let target = rows.targets[*edge].get();
            *edge += 1;
            if !std::mem::replace(&mut seen[target as usize], true) {
                path.push((target, rows.bounds(target).start));
            }
        }
    }
    position
}
