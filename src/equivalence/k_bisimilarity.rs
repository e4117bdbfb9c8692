//! k-step bisimilarity for k = 0, 1, 2, … until two given states part.

use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, Lts, StateId};
use rayon::prelude::*;

use super::levels::Levels;

/// The rounds of k-step bisimilarity up to the one in which `first` and `second`
/// part; `None` if they never do (they are bisimilar).
///
/// All states are 0-step bisimilar; two states are k+1-step bisimilar if each
/// step of one can be answered by the other with the same label so that the
/// targets are k-step bisimilar. The level of two states is the first k for
/// which they are not k-step bisimilar: no formula of a lesser depth tells them
/// apart, and some formula of that depth does.
///
/// The rows of `lts` must be sorted and without duplicates.
///
/// This is partition refinement in synchronous rounds, where a round looks at
/// the steps into classes that are new only: of the parts of a class, the
/// largest keeps its number and is not looked at, since what has a step into it
/// follows from counting (Paige & Tarjan 1987; synchronous as by Smetsers,
/// Moerman & Jansen 2016 for automata). O(m log n) steps and comparisons of
/// sorting for n states and m transitions, however many rounds there are; 24
/// bytes a transition.
pub(super) fn until_parted(lts: &Lts, first: StateId, second: StateId) -> Option<Levels> {
    let mut refinement = Refinement::new(lts);
    while refinement.class_of[first.index()] == refinement.class_of[second.index()] {
        if !refinement.round() {
            return None;
        }
    }
    let Refinement {
        order,
        position,
        boundary,
        ..
    } = refinement;
    Some(Levels::new(&order, position, &boundary))
}

/// The partition that the rounds end with: strong bisimilarity.
#[cfg(test)]
pub(super) fn partition(lts: &Lts) -> super::Partition {
    let mut refinement = Refinement::new(lts);
    while refinement.round() {}
    super::Partition::new(refinement.class_of)
}

/// The state of the refinement between two rounds.
struct Refinement<'a> {
    lts: &'a Lts,
    round: u32,
    /// The source of each transition.
    source: Vec<u32>,
    /// The transitions by target.
    incoming: Grouped<u32>,
    /// For each transition the counter of those with the same source, label and
    /// class of the target. Not kept for sources that are alone in their class:
    /// nothing can part them any more.
    counter: Vec<u32>,
    count: Vec<u32>,
    unused_counters: Vec<u32>,
    /// For each counter the new class that took from it last, and the counter
    /// for that class.
    heir: Vec<(u32, u32)>,

    class_of: Vec<u32>,
    /// The positions `start .. end` of each class.
    extent: Vec<(u32, u32)>,
    order: Vec<u32>,
    position: Vec<u32>,
    /// The round in which a boundary before each position appeared, or
    /// `u32::MAX`.
    boundary: Vec<u32>,
    /// The new classes of the last round, each with that which it was part of.
    fresh: Vec<(u32, u32)>,

    /// What changed for a state: its class, itself, and a label and a class
    /// that it now can reach (a new class) or no longer can (an old one).
    changes: Vec<[u32; 4]>,
    /// Counters that were taken from, with source, label and class.
    drained: Vec<(u32, [u32; 4])>,
}

/// A class that no state is in: stamps counters that nothing was taken from.
const NO_CLASS: u32 = u32::MAX;

impl<'a> Refinement<'a> {
    fn new(lts: &'a Lts) -> Self {
        let n = lts.states();
        let m = lts.transitions();
        let mut source = vec![0; m];
        let mut counter = vec![0; m];
        let mut count = Vec::new();
        let mut changes = Vec::new();
        for s in 0..n {
            let mut previous = None;
            for e in lts.row(StateId::from_index(s)) {
                let label = lts.labels()[e];
                if previous != Some(label) {
                    previous = Some(label);
                    count.push(0);
                    changes.push([0, s as u32, label.get(), 0]);
                }
                source[e] = s as u32;
                counter[e] = count.len() as u32 - 1;
                count[counter[e] as usize] += 1;
            }
        }
        let places = (0..).zip(lts.targets());
        let incoming = Grouped::new(n, places.map(|(e, target)| (target.get(), e)));
        Self {
            lts,
            round: 0,
            source,
            incoming,
            counter,
            heir: vec![(NO_CLASS, 0); count.len()],
            count,
            unused_counters: Vec::new(),
            class_of: vec![0; n],
            extent: vec![(0, n as u32)],
            order: (0..n as u32).collect(),
            position: (0..n as u32).collect(),
            boundary: vec![u32::MAX; n],
            fresh: Vec::new(),
            changes,
            drained: Vec::new(),
        }
    }

    /// One round; returns whether anything parted.
    fn round(&mut self) -> bool {
        self.round += 1;
        // The changes of the first round, the labels that a state has at all,
        // are there from the beginning.
        if self.round > 1 {
            self.find_changes();
        }
        self.split();
        !self.fresh.is_empty()
    }

    /// Turns the new classes of the last round into changes of the states with
    /// steps into them.
    fn find_changes(&mut self) {
        for (fresh, old) in std::mem::take(&mut self.fresh) {
            let (start, end) = self.extent[fresh as usize];
            for t in &self.order[start as usize..end as usize] {
                for &e in self.incoming.of(*t) {
                    let e = e as usize;
                    let s = self.source[e];
                    let class = self.class_of[s as usize];
                    let (start, end) = self.extent[class as usize];
                    if end - start == 1 {
                        continue;
                    }
                    let label = LabelId::get(self.lts.labels()[e]);
                    let taken_from = self.counter[e];
                    if self.heir[taken_from as usize].0 != fresh {
                        let heir = match self.unused_counters.pop() {
                            Some(counter) => {
                                self.count[counter as usize] = 0;
                                counter
                            }
                            None => {
                                self.count.push(0);
                                self.heir.push((NO_CLASS, 0));
                                self.count.len() as u32 - 1
                            }
                        };
                        self.heir[taken_from as usize] = (fresh, heir);
                        self.changes.push([class, s, label, fresh]);
                        self.drained.push((taken_from, [class, s, label, old]));
                    }
                    let heir = self.heir[taken_from as usize].1;
                    self.counter[e] = heir;
                    self.count[heir as usize] += 1;
                    self.count[taken_from as usize] -= 1;
                }
            }
        }
        for (counter, change) in self.drained.drain(..) {
            let count = &mut self.count[counter as usize];
            if *count == 0 {
                // Listed once for each heir, but to be freed once.
                *count = u32::MAX;
                self.unused_counters.push(counter);
                self.changes.push(change);
            }
        }
    }

    /// Splits the classes by the changes of their states.
    fn split(&mut self) {
        let mut changes = std::mem::take(&mut self.changes);
        changes.par_sort_unstable();
        let mut changed: Vec<&[[u32; 4]]> = Vec::new();
        for of_class in changes.chunk_by(|a, b| a[0] == b[0]) {
            changed.clear();
            changed.extend(of_class.chunk_by(|a, b| a[1] == b[1]));
            let key = |change: &[u32; 4]| [change[2], change[3]];
            changed.par_sort_by(|a, b| a.iter().map(key).cmp(b.iter().map(key)));
            let (start, end) = self.extent[of_class[0][0] as usize];
            for (&at, state) in changed.iter().zip(start..) {
                let there = at[0][1];
                let (here, from) = (self.order[state as usize], self.position[there as usize]);
                self.order.swap(state as usize, from as usize);
                self.position[there as usize] = state;
                self.position[here as usize] = from;
            }
            let mut parts: Vec<(u32, u32)> = Vec::new();
            let mut next = start;
            for part in changed.chunk_by(|a, b| a.iter().map(key).eq(b.iter().map(key))) {
                parts.push((next, next + part.len() as u32));
                next += part.len() as u32;
            }
            if next < end {
                parts.push((next, end));
            }
            self.part(of_class[0][0], &parts);
        }
        changes.clear();
        self.changes = changes;
    }

    /// Makes classes of the parts of a class, the largest of which keeps its
    /// number.
    fn part(&mut self, class: u32, parts: &[(u32, u32)]) {
        let largest = (0..parts.len())
            .max_by_key(|&p| (parts[p].1 - parts[p].0, std::cmp::Reverse(p)))
            .expect("a class that changes has a part");
        self.extent[class as usize] = parts[largest];
        for (p, &(start, end)) in parts.iter().enumerate() {
            if p > 0 {
                self.boundary[start as usize] = self.round;
            }
            if p != largest {
                let fresh = self.extent.len() as u32;
                self.extent.push((start, end));
                for &s in &self.order[start as usize..end as usize] {
                    self.class_of[s as usize] = fresh;
                }
                self.fresh.push((fresh, class));
            }
        }
    }
}
