//! Quotients: one state for each class, numbered in a way that shows nothing of
//! how the classes were found.

use std::ops::Range;

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId};
use rayon::prelude::*;

use super::rows::{Rows, TASK};
use super::signature::element;
use crate::parallel::even_ranges;

/// Classes whose transitions one thread looks up together.
const BATCH: usize = 64;

/// Classes that are ready to be searched, from which number on several threads
/// do that.
const MANY: usize = 1 << 11;

/// What a quotient is made from. Nodes are states, or what stands for several
/// states that are known to be equivalent.
pub(super) struct Classes<'a> {
    /// The outgoing transitions of the nodes.
    pub(super) rows: Rows<'a>,
    /// The class of each node.
    pub(super) class: &'a [u32],
    /// A node of each class whose transitions are those of the class.
    pub(super) representative: &'a [u32],
    /// The rank of each label of the LTS ([`LabelTable::ranks`]).
    pub(super) ranks: &'a [u32],
    /// Whether hidden transitions within a class are left out.
    pub(super) drop_inert: bool,
    /// The label of self-loops that stand for divergence, and become hidden.
    pub(super) divergence: Option<LabelId>,
}

impl Classes<'_> {
    /// Gathers the transitions of some classes as elements of the label and the
    /// target's class.
    ///
    /// Done step by step for all of them: within a step, what is looked up in
    /// memory is independent, so that the processor waits for many at once.
    fn gather(&self, classes: &[u32], gathered: &mut Gathered) {
        let Gathered {
            bounds,
            elements,
            ends,
        } = gathered;
        bounds.clear();
        bounds.extend(
            classes
                .iter()
                .map(|&class| self.rows.bounds(self.representative[class as usize])),
        );
        elements.clear();
        ends.clear();
        for bounds in bounds {
            let labels = &self.rows.labels[bounds.clone()];
            let targets = &self.rows.targets[bounds.clone()];
            elements.extend(
                labels
                    .iter()
                    .zip(targets)
                    .map(|(l, t)| element(l.get(), t.get())),
            );
            ends.push(elements.len());
        }
        for e in elements {
            let (label, target) = parts(*e);
            *e = element(label, self.class[target as usize]);
        }
    }

    /// The rank that a transition of a class, as gathered, has in the quotient;
    /// nothing if it is left out.
    #[inline]
    fn rank(&self, class: u32, label: u32, target: u32) -> Option<u32> {
        if self.divergence.is_some_and(|l| l.get() == label) {
            return Some(self.ranks[0]);
        }
        let is_inert = self.drop_inert && label == LabelId::HIDDEN.get() && target == class;
        (!is_inert).then(|| self.ranks[label as usize])
    }

    /// The classes in breadth-first order from `initial`, each class's
    /// successors in the order of (rank of the label, class). With `all`, classes
    /// that are not reached follow, in their own order, each at once with what it
    /// reaches. O(m log d) time for degrees up to d; 8 bytes a class.
    fn breadth_first(&self, initial: u32, all: bool) -> Numbers {
        let count = self.representative.len();
        let mut number = vec![u32::MAX; count];
        let mut order = Vec::with_capacity(count);
        let mut next = 0;
        let (mut gathered, mut found) = (Gathered::default(), Vec::new());
        let mut unseen = if all { 0..count as u32 } else { 0..0 };
        let mut root = Some(initial);
        while let Some(start) = root {
            if number[start as usize] == u32::MAX {
                number[start as usize] = order.len() as u32;
                order.push(start);
            }
            while next < order.len() {
                let ready = &order[next..];
                if ready.len() < MANY {
                    let batch = &ready[..ready.len().min(BATCH)];
                    next += batch.len();
                    self.find(batch, &number, &mut gathered, &mut found);
                    assign(&found, &mut number, &mut order);
                } else {
                    let batch = &ready[..ready.len().min(TASK)];
                    next += batch.len();
                    let found: Vec<Vec<u32>> = batch
                        .par_chunks(BATCH)
                        .map_init(Gathered::default, |gathered, batch| {
                            let mut found = Vec::new();
                            self.find(batch, &number, gathered, &mut found);
                            found
                        })
                        .collect();
                    for found in found {
                        assign(&found, &mut number, &mut order);
                    }
                }
            }
            root = unseen.next();
        }
        Numbers { order, number }
    }

    /// The targets without a number of the transitions of these classes, class
    /// after class, in the order of (rank of the label, target).
    fn find(&self, classes: &[u32], number: &[u32], gathered: &mut Gathered, found: &mut Vec<u32>) {
        found.clear();
        self.gather(classes, gathered);
        let mut row = Vec::new();
        for (&class, elements) in classes.iter().zip(gathered.rows()) {
            row.clear();
            for &e in elements {
                let (label, target) = parts(e);
                if number[target as usize] == u32::MAX
                    && let Some(rank) = self.rank(class, label, target)
                {
                    row.push(element(rank, target));
                }
            }
            row.sort_unstable();
            found.extend(row.iter().map(|&e| parts(e).1));
        }
    }

    /// The transitions of the quotient by these numbers, sorted by (source, rank
    /// of the label, target) and each once. O(m log d) time, parallel; 8 bytes a
    /// transition and 4 a class.
    fn parts(&self, numbers: &Numbers) -> Vec<Part> {
        let Numbers { order, number } = numbers;
        let mut by_rank = vec![LabelId::HIDDEN; self.ranks.len()];
        for (label, &rank) in self.ranks.iter().enumerate() {
            by_rank[rank as usize] = LabelId::new(label as u32);
        }
        let mut ends = Vec::with_capacity(order.len() + 1);
        let mut total = 0;
        ends.push(0);
        for &class in order {
            total += self.rows.degree(self.representative[class as usize]) as u32;
            ends.push(total);
        }
        let part = |gathered: &mut Gathered, task: Range<usize>| {
            let length = (ends[task.end] - ends[task.start]) as usize;
            let mut part = Part {
                degrees: Vec::with_capacity(task.len()),
                labels: Vec::with_capacity(length),
                targets: Vec::with_capacity(length),
            };
            let mut row = Vec::new();
            for batch in order[task].chunks(BATCH) {
                self.gather(batch, gathered);
                for (&class, elements) in batch.iter().zip(gathered.rows()) {
                    row.clear();
                    for &e in elements {
                        let (label, target) = parts(e);
                        if let Some(rank) = self.rank(class, label, target) {
                            row.push(element(rank, number[target as usize]));
                        }
                    }
                    row.sort_unstable();
                    row.dedup();
                    part.degrees.push(row.len() as u32);
                    part.labels
                        .extend(row.iter().map(|&e| by_rank[parts(e).0 as usize]));
                    part.targets
                        .extend(row.iter().map(|&e| StateId::new(parts(e).1)));
                }
            }
            part
        };
        even_ranges(&ends, TASK)
            .into_par_iter()
            .map_init(Gathered::default, part)
            .collect()
    }
}

/// Transitions of some classes, class after class.
#[derive(Default)]
struct Gathered {
    /// Where each class's row is.
    bounds: Vec<Range<usize>>,
    elements: Vec<u64>,
    /// Where each class's elements end.
    ends: Vec<usize>,
}

impl Gathered {
    fn rows(&self) -> impl Iterator<Item = &[u64]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let row = &self.elements[start..end];
            start = end;
            row
        })
    }
}

/// The parts of an [`element`].
#[inline]
const fn parts(element: u64) -> (u32, u32) {
    ((element >> 32) as u32, element as u32)
}

/// The order of the classes that are kept, and the number of each class in it:
/// `u32::MAX` if it is left out.
struct Numbers {
    order: Vec<u32>,
    number: Vec<u32>,
}

/// Numbers those of the classes found that have no number, in this order.
fn assign(found: &[u32], number: &mut [u32], order: &mut Vec<u32>) {
    for &class in found {
        let number = &mut number[class as usize];
        if *number == u32::MAX {
            *number = order.len() as u32;
            order.push(class);
        }
    }
}

/// The transitions of some consecutive states.
struct Part {
    degrees: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

/// A quotient that needs the LTS no more.
pub(super) struct Quotient {
    initial: StateId,
    parts: Vec<Part>,
    /// The state of each class; `u32::MAX` for a class left out because it is
    /// not reached.
    pub(super) number: Vec<u32>,
}

impl Quotient {
    /// The quotient with this initial class; with `all`, unreachable classes are
    /// kept.
    ///
    /// States are numbered breadth-first from the initial one, labels in the
    /// order of their bytes, targets of one label in the order of the classes;
    /// transitions are sorted by (source, label bytes, target).
    pub(super) fn new(classes: &Classes<'_>, initial: u32, all: bool) -> Self {
        let numbers = classes.breadth_first(initial, all);
        Self {
            initial: StateId::new(numbers.number[initial as usize]),
            parts: classes.parts(&numbers),
            number: numbers.number,
        }
    }

    /// The LTS, and the state of each class. 8 bytes a transition and 4 a state
    /// besides what there is.
    pub(super) fn into_lts(self, table: LabelTable) -> (Lts, Vec<u32>) {
        let states = self
            .parts
            .iter()
            .map(|part| part.degrees.len())
            .sum::<usize>();
        let mut offsets = Vec::with_capacity(states + 1);
        let mut total = 0u32;
        offsets.push(0);
        for part in &self.parts {
            offsets.extend(part.degrees.iter().map(|degree| {
                total += degree;
                total
            }));
        }
        let mut labels = vec![LabelId::HIDDEN; total as usize];
        let mut targets = vec![StateId::default(); total as usize];
        let (mut labels_rest, mut targets_rest) = (&mut labels[..], &mut targets[..]);
        let mut copies = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            let here = labels_rest.split_at_mut(part.labels.len());
            let there = targets_rest.split_at_mut(part.targets.len());
            copies.push((part, here.0, there.0));
            (labels_rest, targets_rest) = (here.1, there.1);
        }
        copies.into_par_iter().for_each(|(part, labels, targets)| {
            labels.copy_from_slice(&part.labels);
            targets.copy_from_slice(&part.targets);
        });
        let parts = LtsParts {
            initial: self.initial,
            offsets,
            labels,
            targets,
            table,
        };
        (Lts::from_parts(parts), self.number)
    }
}
