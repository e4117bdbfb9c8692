//! Quotients: one state for each class, numbered in a way that shows nothing of
//! how the classes were found.

use std::ops::Range;
use std::sync::Mutex;

use hyades_base::bits::SharedBits;
use hyades_base::fetch::prefetch;
use hyades_base::parallel;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId, fill};

use super::rows::{Rows, TASK, TransitionColumns};
use super::signature::element;

/// Classes whose transitions one thread looks up together.
const BATCH: usize = 64;

/// Classes that are ready to be searched, from which number on several threads
/// do that.
const MANY: usize = 1 << 12;

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

    /// The classes in breadth-first order from the first of `roots`, each class's
    /// successors in the order of (rank of the label, class), then what only the next one
    /// reaches, and so on; and their transitions. With `all`, classes that are not reached
    /// follow, in their own order, each at once with what it reaches. O(m log d) time for
    /// degrees up to d; 8 bytes a transition and 8 a class.
    fn breadth_first(&self, roots: impl Iterator<Item = u32>, all: bool) -> (Numbers, Vec<Part>) {
        let count = self.representative.len();
        let same = |class: usize| class == self.representative[class] as usize;
        let is_identity = count == self.class.len() && parallel::all(count, 1 << 14, same);
        let met = Met {
            is_identity,
            bits: SharedBits::new(count),
        };
        let mut numbers = Numbers {
            order: Vec::with_capacity(count),
            number: parallel::map(count, 1 << 14, |_| NONE),
        };
        let mut parts: Vec<Part> = Vec::new();
        let mut next = 0;
        let (mut gathered, mut found) = (Gathered::default(), Vec::new());
        // What the last classes that several threads searched have found, to be numbered
        // while these search the next ones.
        let mut waiting: Vec<Vec<u32>> = Vec::new();
        let unseen = if all { 0..count as u32 } else { 0..0 };
        for start in roots.chain(unseen) {
            numbers.add(start, &met);
            loop {
                if numbers.order.len() - next < MANY {
                    numbers.add_all(&mut waiting, &met);
                }
                let ready = &numbers.order[next..];
                if ready.is_empty() {
                    break;
                }
                if ready.len() < MANY {
                    let batch = &ready[..ready.len().min(BATCH)];
                    next += batch.len();
                    let part = self.room_for(batch, &mut parts);
                    found.clear();
                    self.find(batch, &met, &mut gathered, part, &mut found);
                    found.iter().for_each(|&class| numbers.add(class, &met));
                } else {
                    let batch = ready[..ready.len().min(TASK)].to_vec();
                    next += batch.len();
                    parts.last_mut().into_iter().for_each(Part::shrink);
                    let batches: Vec<&[u32]> = batch.chunks(MANY / 2).collect();
                    let find = |gathered: &mut Gathered, k: usize| {
                        let mut part = Part {
                            lengths: Vec::with_capacity(batches[k].len()),
                            elements: Vec::with_capacity(self.transitions(batches[k])),
                        };
                        let mut found = Vec::new();
                        for batch in batches[k].chunks(BATCH) {
                            self.find(batch, &met, gathered, &mut part, &mut found);
                        }
                        (part, found)
                    };
                    let (_, found) = parallel::join(
                        batch.len(),
                        || numbers.add_all(&mut waiting, &met),
                        || parallel::map_with(batches.len(), 1, find),
                    );
                    for (part, found) in found {
                        parts.push(part);
                        waiting.push(found);
                    }
                }
            }
        }
        (numbers, parts)
    }

    /// How many transitions the representatives of these classes have.
    fn transitions(&self, classes: &[u32]) -> usize {
        let degree = |&class: &u32| self.rows.degree(self.representative[class as usize]);
        classes.iter().map(degree).sum()
    }

    /// The last part, if there is room for the transitions of these classes in it, or a new
    /// one: parts do not grow.
    fn room_for<'p>(&self, classes: &[u32], parts: &'p mut Vec<Part>) -> &'p mut Part {
        let wanted = self.transitions(classes);
        let room = |part: &Part| part.elements.capacity() - part.elements.len();
        if parts.last().is_none_or(|part| room(part) < wanted) {
            parts.last_mut().into_iter().for_each(Part::shrink);
            let most = self.rows.targets.len().min(TASK).max(wanted);
            parts.push(Part {
                lengths: Vec::with_capacity(most.min(self.representative.len())),
                elements: Vec::with_capacity(most),
            });
        }
        parts.last_mut().expect("there is one")
    }

    /// Adds the transitions of these classes, class after class, to a part, and the targets
    /// that were not met, for each class in the order of (rank of the label, target).
    fn find(
        &self,
        classes: &[u32],
        met: &Met,
        gathered: &mut Gathered,
        part: &mut Part,
        found: &mut Vec<u32>,
    ) {
        gathered.fill(self, classes);
        if !met.is_identity {
            gathered.map(&self.class);
        }
        let Gathered {
            elements,
            ends,
            unseen,
            ..
        } = gathered;
        let mut begin = 0;
        for (&class, &end) in classes.iter().zip(&*ends) {
            let start = part.elements.len();
            unseen.clear();
            for &e in &elements[begin..end] {
                let (label, target) = parts(e);
                if let Some(rank) = self.rank(label, target == class) {
                    let e = element(rank, target);
                    part.elements.push(e);
                    if !met.bits.contains(target as usize) {
                        unseen.push(e);
                    }
                }
            }
            part.lengths.push((part.elements.len() - start) as u32);
            begin = end;
            unseen.sort_unstable();
            found.extend(unseen.iter().map(|&e| parts(e).1));
        }
    }
}

/// No number.
const NONE: u32 = u32::MAX;

/// The order of the classes that were met, and the place of each in it.
struct Numbers {
    order: Vec<u32>,
    /// [`NONE`] for a class that was not met.
    number: Vec<u32>,
}

impl Numbers {
    /// Numbers a class, if it has no number yet.
    #[inline]
    fn add(&mut self, class: u32, met: &Met) {
        let number = &mut self.number[class as usize];
        if *number == NONE {
            *number = self.order.len() as u32;
            self.order.push(class);
            met.bits.insert_alone(class as usize);
        }
    }

    /// The same for classes that were found, in their order; nothing is left of them.
    fn add_all(&mut self, found: &mut Vec<Vec<u32>>, met: &Met) {
        for found in found.drain(..) {
            found.iter().for_each(|&class| self.add(class, met));
        }
    }
}

/// The classes that were met: asked before their numbers, since this takes little memory.
/// One thread may add some while others ask, which then take them for new until they are
/// to be numbered.
struct Met {
    /// Whether each node is a class by itself, of the same number: then nothing
    /// else need be asked.
    is_identity: bool,
    bits: SharedBits,
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
    /// The elements of a class whose targets have no number.
    unseen: Vec<u64>,
}

impl Gathered {
    /// Fills in the labels and target nodes.
    fn fill(&mut self, from: &Classes<'_>, classes: &[u32]) {
        let Classes {
            rows,
            representative,
            ..
        } = from;
        self.bounds.clear();
        for &class in classes {
            let bounds = rows.bounds(representative[class as usize]);
            prefetch(&rows.labels[bounds.clone()]);
            prefetch(&rows.targets[bounds.clone()]);
            self.bounds.push(bounds);
        }
        self.elements.clear();
        self.ends.clear();
        for bounds in &self.bounds {
            let labels = &rows.labels[bounds.clone()];
            let targets = &rows.targets[bounds.clone()];
            let steps = labels.iter().zip(targets);
            let elements = steps.map(|(label, target)| element(label.get(), target.get()));
            self.elements.extend(elements);
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
}

/// The parts of an [`element`].
#[inline]
const fn parts(element: u64) -> (u32, u32) {
    ((element >> 32) as u32, element as u32)
}

/// The transitions of some consecutive states, as elements of ranks of labels.
struct Part {
    lengths: Vec<u32>,
    elements: Vec<u64>,
}

impl Part {
    /// No transitions will be added.
    fn shrink(&mut self) {
        self.lengths.shrink_to_fit();
        self.elements.shrink_to_fit();
    }

    /// Makes numbers of the target classes, and sorts each row and leaves duplicates out.
    fn finish(&mut self, number: &[u32]) {
        for e in &mut self.elements {
            let (rank, target) = parts(*e);
            *e = element(rank, number[target as usize]);
        }
        let (mut start, mut kept) = (0, 0);
        for length in &mut self.lengths {
            let end = start + *length as usize;
            let row = &mut self.elements[start..end];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            let first = kept;
            for k in start..end {
                let e = self.elements[k];
                if kept == first || self.elements[kept - 1] != e {
                    self.elements[kept] = e;
                    kept += 1;
                }
            }
            *length = (kept - first) as u32;
            start = end;
        }
        self.elements.truncate(kept);
    }
}

/// A quotient that needs the LTS no more.
pub(crate) struct Quotient {
    initial: StateId,
    parts: Vec<Part>,
    /// The label of each rank.
    by_rank: Vec<LabelId>,
    /// The state for each node; `u32::MAX` for a node whose class is left out
    /// because it is not reached.
    pub(crate) state: Vec<u32>,
}

impl TransitionColumns {
    /// The LTS of what these rows reach, numbered and sorted as a [`Quotient`] in which each
    /// node is a class, and its state for each node.
    pub(crate) fn into_lts(self, initial: u32, table: LabelTable) -> (Lts, Vec<u32>) {
        let each: Vec<u32> = (0..self.rows().states() as u32).collect();
        let ranks = table.ranks();
        let classes = Classes {
            rows: self.rows(),
            representative: each.clone(),
            class: each,
            ranks: &ranks,
            drop_inert: false,
            divergence: None,
        };
        let quotient = Quotient::new(classes, &[initial], false);
        drop(self);
        quotient.into_lts(table)
    }
}

impl Quotient {
    /// The quotient of what these nodes reach, with the class of the first one as the initial
    /// state; with `all`, unreachable classes are kept.
    ///
    /// States are numbered breadth-first from the initial one, and then from the other
    /// roots, labels in the order of their bytes, targets of one label in the order of the
    /// classes; transitions are sorted by (source, label bytes, target).
    pub(crate) fn new(mut classes: Classes<'_>, roots: &[u32], all: bool) -> Self {
        let initial = roots[0];
        let starts = roots.iter().map(|&root| classes.class[root as usize]);
        let (Numbers { number, .. }, mut parts) = classes.breadth_first(starts, all);
        parallel::for_each_mut(&mut parts, 1, |_, part| part.finish(&number));
        parallel::for_each_mut(&mut classes.class, 1 << 14, |_, class| {
            *class = number[*class as usize];
        });
        let mut by_rank = vec![LabelId::HIDDEN; classes.ranks.len()];
        for (label, &rank) in classes.ranks.iter().enumerate() {
            by_rank[rank as usize] = LabelId::new(label as u32);
        }
        Self {
            initial: StateId::new(classes.class[initial as usize]),
            parts,
            by_rank,
            state: classes.class,
        }
    }

    /// The LTS, and the state for each node. 8 bytes a transition and 4 a state
    /// besides what there is.
    pub(crate) fn into_lts(self, table: LabelTable) -> (Lts, Vec<u32>) {
        let offsets = Offsets::of_parts(self.parts.iter().map(|part| &part.lengths[..]));
        let lens: Vec<usize> = self.parts.iter().map(|part| part.elements.len()).collect();
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        fill::append(&mut labels, &lens, |k| {
            let elements = self.parts[k].elements.iter();
            elements.map(|&e| self.by_rank[parts(e).0 as usize])
        });
        let elements = self.parts.into_iter().map(|part| part.elements);
        let elements: Vec<Mutex<Vec<u64>>> = elements.map(Mutex::new).collect();
        fill::append(&mut targets, &lens, |k| {
            // Freed as soon as they are copied.
            let elements = std::mem::take(&mut *elements[k].lock().expect("nobody panics here"));
            elements.into_iter().map(|e| StateId::new(parts(e).1))
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

#[cfg(test)]
mod tests {
    use hyades_formats::LtsBuilder;

    use super::*;

    /// Levels that are by turns too small and large enough for several threads leave
    /// nothing behind that is larger than what it holds.
    #[test]
    fn parts_are_as_large_as_what_they_hold() {
        let (levels, width) = (5, MANY as u32 + 10);
        let mut b = LtsBuilder::new(u64::from(levels * (width + 1) + 1));
        b.table_mut().intern(b"a").unwrap();
        for hub in (0..levels).map(|level| level * (width + 1)) {
            for leaf in hub + 1..=hub + width {
                b.add(StateId::new(hub), LabelId::new(1), StateId::new(leaf));
                let next = StateId::new(hub + width + 1);
                b.add(StateId::new(leaf), LabelId::new(1), next);
            }
        }
        let lts = b.build(StateId::new(0)).unwrap();
        let same: Vec<u32> = (0..lts.states() as u32).collect();
        let classes = Classes {
            rows: (&lts).into(),
            class: same.clone(),
            representative: same,
            ranks: &lts.table().ranks(),
            drop_inert: false,
            divergence: None,
        };
        let (_, parts) = classes.breadth_first([0].into_iter(), false);
        assert!(parts.len() >= 2 * levels as usize);
        // But for the last one, which is still filled.
        let room: usize = parts.iter().map(|part| part.elements.capacity()).sum();
        assert!(room <= lts.transitions() + TASK, "{room}");
    }
}
