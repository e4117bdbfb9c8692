//! Quotients: one state for each class, numbered in a way that shows nothing of
//! how the classes were found.

use std::ops::Range;

use hyades_base::parallel::{self, even_ranges};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId};
use hyades_lts::StateSet;

use super::rows::{Rows, TASK};
use super::signature::element;

/// Classes whose transitions one thread looks up together.
const BATCH: usize = 64;

/// Classes that are ready to be searched, from which number on several threads
/// do that.
const MANY: usize = 1 << 11;

/// What a quotient is made from. Nodes are states, or what stands for several
/// states that are known to be equivalent.
pub(crate) struct Classes<'a> {
    /// The outgoing transitions of the nodes.
    pub(crate) rows: Rows<'a>,
    /// The class of each node.
    pub(crate) class: Vec<u32>,
    /// A node of each class whose transitions are those of the class.
    pub(crate) representative: Vec<u32>,
    /// The rank of each label of the LTS ([`LabelTable::ranks`]).
    pub(crate) ranks: &'a [u32],
    /// Whether hidden transitions within a class are left out.
    pub(crate) drop_inert: bool,
    /// The label of self-loops that stand for divergence, and become hidden.
    pub(crate) divergence: Option<LabelId>,
}

impl Classes<'_> {
    /// The rank that the label of a transition has in the quotient; nothing if
    /// the transition is left out.
    #[inline]
    fn rank(&self, label: u32, is_loop: bool) -> Option<u32> {
        if self.divergence.is_some_and(|l| l.get() == label) {
            return Some(self.ranks[0]);
        }
        let is_inert = self.drop_inert && label == LabelId::HIDDEN.get() && is_loop;
        (!is_inert).then(|| self.ranks[label as usize])
    }

    /// The classes in breadth-first order from `initial`, each class's
    /// successors in the order of (rank of the label, class). With `all`, classes
    /// that are not reached follow, in their own order, each at once with what it
    /// reaches. O(m log d) time for degrees up to d; 8 bytes a class.
    fn breadth_first(&self, initial: u32, all: bool) -> Numbers {
        let count = self.representative.len();
        let same = |class: usize| class == self.representative[class] as usize;
        let is_identity = count == self.class.len() && parallel::all(count, 1 << 14, same);
        let mut numbers = Numbers {
            is_identity,
            order: Vec::with_capacity(count),
            number: vec![NONE; count],
            seen: StateSet::new(self.class.len()),
        };
        let representative = |class: u32| match is_identity {
            true => class,
            false => self.representative[class as usize],
        };
        let mut next = 0;
        let (mut gathered, mut found) = (Gathered::default(), Vec::new());
        let mut unseen = if all { 0..count as u32 } else { 0..0 };
        let mut root = Some(initial);
        while let Some(start) = root {
            numbers.add(start, representative);
            while next < numbers.order.len() {
                let ready = &numbers.order[next..];
                if ready.len() < MANY {
                    let batch = &ready[..ready.len().min(BATCH)];
                    next += batch.len();
                    self.find(batch, &numbers, &mut gathered, &mut found);
                    for &class in &found {
                        numbers.add(class, representative);
                    }
                } else {
                    let batch = &ready[..ready.len().min(TASK)];
                    next += batch.len();
                    let batches: Vec<&[u32]> = batch.chunks(BATCH).collect();
                    let found: Vec<Vec<u32>> =
                        parallel::map_with(batches.len(), 1, |gathered: &mut Gathered, k| {
                            let mut found = Vec::new();
                            self.find(batches[k], &numbers, gathered, &mut found);
                            found
                        });
                    for &class in found.iter().flatten() {
                        numbers.add(class, representative);
                    }
                }
            }
            root = unseen.next();
        }
        numbers
    }

    /// The targets without a number of the transitions of these classes, class
    /// after class, in the order of (rank of the label, target).
    fn find(
        &self,
        classes: &[u32],
        numbers: &Numbers,
        gathered: &mut Gathered,
        found: &mut Vec<u32>,
    ) {
        found.clear();
        gathered.fill(self, classes, |t| !numbers.seen.contains(t.index()));
        if !numbers.is_identity {
            gathered.map(&self.class);
        }
        let mut row = Vec::new();
        for (&class, elements) in classes.iter().zip(gathered.rows()) {
            row.clear();
            for &e in elements {
                let (label, target) = parts(e);
                if (numbers.is_identity || numbers.number[target as usize] == NONE)
                    && let Some(rank) = self.rank(label, target == class)
                {
                    row.push(element(rank, target));
                }
            }
            row.sort_unstable();
            found.extend(row.iter().map(|&e| parts(e).1));
        }
    }

    /// The transitions of the classes in this order, sorted by (source, rank of
    /// the label, target) and each once. The classes of the nodes must have
    /// become places in that order. O(m log d) time, parallel; 8 bytes a
    /// transition and 4 a class.
    fn parts(&self, order: &[u32]) -> Vec<Part> {
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
            for start in task.clone().step_by(BATCH) {
                let batch = start..task.end.min(start + BATCH);
                gathered.fill(self, &order[batch.clone()], |_| true);
                gathered.map(&self.class);
                for (source, elements) in batch.zip(gathered.rows()) {
                    row.clear();
                    for &e in elements {
                        let (label, target) = parts(e);
                        if let Some(rank) = self.rank(label, target as usize == source) {
                            row.push(element(rank, target));
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
        let ranges = even_ranges(&ends, TASK);
        parallel::map_with(ranges.len(), 1, |gathered, k| {
            part(gathered, ranges[k].clone())
        })
    }
}

/// No number.
const NONE: u32 = u32::MAX;

/// The order of the classes that were met, and the place of each in it.
struct Numbers {
    order: Vec<u32>,
    /// [`NONE`] for a class that was not met.
    number: Vec<u32>,
    /// The representatives of the classes that were met: asked first, since this
    /// takes little memory.
    seen: StateSet,
    /// Whether each node is a class by itself, of the same number: then nothing
    /// else need be asked.
    is_identity: bool,
}

impl Numbers {
    /// Numbers a class that has no number yet.
    #[inline]
    fn add(&mut self, class: u32, representative: impl Fn(u32) -> u32) {
        let number = &mut self.number[class as usize];
        if *number == NONE {
            *number = self.order.len() as u32;
            self.order.push(class);
            self.seen.insert(representative(class) as usize);
        }
    }
}

/// Transitions of some classes, class after class, as elements.
///
/// They are looked up step by step for all of them: within a step, what is read
/// from memory is independent, so that the processor waits for many at once.
#[derive(Default)]
struct Gathered {
    /// Where each class's row is.
    bounds: Vec<Range<usize>>,
    elements: Vec<u64>,
    /// Where each class's elements end.
    ends: Vec<usize>,
}

impl Gathered {
    /// Fills in the labels and target nodes of those transitions whose target is
    /// wanted.
    fn fill(&mut self, from: &Classes<'_>, classes: &[u32], is_wanted: impl Fn(StateId) -> bool) {
        let Classes {
            rows,
            representative,
            ..
        } = from;
        self.bounds.clear();
        let bounds = |&class: &u32| rows.bounds(representative[class as usize]);
        self.bounds.extend(classes.iter().map(bounds));
        self.elements.clear();
        self.ends.clear();
        for bounds in &self.bounds {
            let labels = &rows.labels[bounds.clone()];
            let targets = &rows.targets[bounds.clone()];
            for (label, &target) in labels.iter().zip(targets) {
                if is_wanted(target) {
                    self.elements.push(element(label.get(), target.get()));
                }
            }
            self.ends.push(self.elements.len());
        }
    }

    /// Replaces target nodes by what a column says of them.
    fn map(&mut self, column: &[u32]) {
        for e in &mut self.elements {
            let (label, target) = parts(*e);
            *e = element(label, column[target as usize]);
        }
    }

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

/// The transitions of some consecutive states.
struct Part {
    degrees: Vec<u32>,
    labels: Vec<LabelId>,
    targets: Vec<StateId>,
}

/// A quotient that needs the LTS no more.
pub(crate) struct Quotient {
    initial: StateId,
    parts: Vec<Part>,
    /// The state for each node; `u32::MAX` for a node whose class is left out
    /// because it is not reached.
    pub(crate) state: Vec<u32>,
}

impl Quotient {
    /// The quotient with the class of this node as the initial one; with `all`,
    /// unreachable classes are kept.
    ///
    /// States are numbered breadth-first from the initial one, labels in the
    /// order of their bytes, targets of one label in the order of the classes;
    /// transitions are sorted by (source, label bytes, target).
    pub(crate) fn new(mut classes: Classes<'_>, initial: u32, all: bool) -> Self {
        let root = classes.class[initial as usize];
        let Numbers { order, number, .. } = classes.breadth_first(root, all);
        parallel::for_each_mut(&mut classes.class, 1 << 14, |_, class| {
            *class = number[*class as usize];
        });
        drop(number);
        Self {
            initial: StateId::new(classes.class[initial as usize]),
            parts: classes.parts(&order),
            state: classes.class,
        }
    }

    /// The LTS, and the state for each node. 8 bytes a transition and 4 a state
    /// besides what there is.
    pub(crate) fn into_lts(self, table: LabelTable) -> (Lts, Vec<u32>) {
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
        parallel::for_each_mut(&mut copies, 1, |_, (part, labels, targets)| {
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
        (Lts::from_parts(parts), self.state)
    }
}
