//! Quotients: one state for each class, numbered in a way that shows nothing of
//! how the classes were found.

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId};
use rayon::prelude::*;

use super::rows::{Rows, TASK};
use crate::parallel::{Scatter, even_ranges};

/// Classes that the breadth-first search looks at together.
const BATCH: usize = 64;

/// What a quotient is made from. Nodes are states, or what stands for several
/// states that are known to be equivalent.
pub(super) struct Classes<'a> {
    /// The outgoing transitions of the nodes.
    pub(super) rows: Rows<'a>,
    /// The class of each node.
    pub(super) class: &'a [u32],
    /// A node of each class whose transitions are those of the class.
    pub(super) representative: &'a [u32],
    /// Whether hidden transitions within a class are left out.
    pub(super) drop_inert: bool,
    /// The label of self-loops that stand for divergence, and become hidden.
    pub(super) divergence: Option<LabelId>,
}

/// The transitions between classes, before the classes are numbered.
pub(super) struct Edges {
    /// (rank of the label, class of the target), ascending within a class; a
    /// class's entries start at its offset, and a gap may follow them.
    entries: Vec<u64>,
    offsets: Vec<u32>,
    lengths: Vec<u32>,
}

impl Edges {
    /// O(m log d), parallel; 8 bytes a transition of a representative and 8 a
    /// class.
    pub(super) fn new(classes: &Classes<'_>, table: &LabelTable) -> Self {
        let Classes {
            rows,
            class,
            representative,
            drop_inert,
            divergence,
        } = *classes;
        let ranks = table.ranks();
        let count = representative.len();
        let mut offsets = Vec::with_capacity(count + 1);
        let mut total = 0u32;
        for &r in representative {
            offsets.push(total);
            total += rows.degree(r) as u32;
        }
        offsets.push(total);
        let mut entries = vec![0u64; total as usize];
        let mut lengths = vec![0u32; count];
        let mut parts = Vec::new();
        let (mut tail, mut lengths_tail) = (entries.as_mut_slice(), lengths.as_mut_slice());
        for task in even_ranges(&offsets, TASK) {
            let size = (offsets[task.end] - offsets[task.start]) as usize;
            let (part, rest) = tail.split_at_mut(size);
            let (part_lengths, rest_lengths) = lengths_tail.split_at_mut(task.len());
            (tail, lengths_tail) = (rest, rest_lengths);
            parts.push((task, part, part_lengths));
        }
        parts.into_par_iter().for_each(|(task, part, lengths)| {
            let base = offsets[task.start];
            for c in task.clone() {
                let from = (offsets[c] - base) as usize;
                let row = &mut part[from..(offsets[c + 1] - base) as usize];
                let mut used = 0;
                let (labels, targets) = rows.row(representative[c]);
                for (&l, &t) in labels.iter().zip(targets) {
                    let target = class[t.index()];
                    if divergence == Some(l) {
                        row[used] = u64::from(ranks[0]) << 32 | u64::from(target);
                        used += 1;
                    } else if !(drop_inert && l.is_hidden() && target as usize == c) {
                        row[used] = u64::from(ranks[l.index()]) << 32 | u64::from(target);
                        used += 1;
                    }
                }
                row[..used].sort_unstable();
                let mut kept = 0;
                for k in 0..used {
                    if k == 0 || row[k] != row[kept - 1] {
                        row[kept] = row[k];
                        kept += 1;
                    }
                }
                lengths[c - task.start] = kept as u32;
            }
        });
        Self {
            entries,
            offsets,
            lengths,
        }
    }

    fn row(&self, class: u32) -> &[u64] {
        let start = self.offsets[class as usize] as usize;
        &self.entries[start..start + self.lengths[class as usize] as usize]
    }

    /// The classes in breadth-first order from `initial`, each class's
    /// successors in the order of its entries. With `all`, classes that are not
    /// reached follow, in their own order, each at once with what it reaches.
    fn breadth_first(&self, initial: u32, all: bool) -> (Vec<u32>, Vec<u32>) {
        let count = self.lengths.len();
        let mut number = vec![u32::MAX; count];
        let mut order = Vec::with_capacity(count);
        let mut next = 0;
        let mut targets = Vec::new();
        let mut unseen = if all { 0..count as u32 } else { 0..0 };
        let mut root = Some(initial);
        while let Some(start) = root {
            if number[start as usize] == u32::MAX {
                number[start as usize] = order.len() as u32;
                order.push(start);
            }
            // By batches: what a batch looks up in memory is independent, so
            // that the processor does not wait for one thing after another.
            while next < order.len() {
                let end = order.len().min(next + BATCH);
                targets.clear();
                for &class in &order[next..end] {
                    targets.extend(self.row(class).iter().map(|&entry| entry as u32));
                }
                targets.retain(|&class| number[class as usize] == u32::MAX);
                for &class in &targets {
                    let number = &mut number[class as usize];
                    if *number == u32::MAX {
                        *number = order.len() as u32;
                        order.push(class);
                    }
                }
                next = end;
            }
            root = unseen.next();
        }
        (order, number)
    }

    /// The quotient with this initial class, and the state of each class
    /// (`u32::MAX` for a class left out because it is not reached).
    ///
    /// States are numbered breadth-first from the initial one, labels in the
    /// order of their bytes, targets of one label in the order of the classes;
    /// transitions are sorted by (source, label bytes, target).
    pub(super) fn into_lts(self, initial: u32, all: bool, table: LabelTable) -> (Lts, Vec<u32>) {
        let (order, number) = self.breadth_first(initial, all);
        let mut offsets = Vec::with_capacity(order.len() + 1);
        let mut total = 0;
        for &c in &order {
            offsets.push(total);
            total += self.lengths[c as usize];
        }
        offsets.push(total);
        let mut by_rank = vec![LabelId::HIDDEN; table.len()];
        for (label, rank) in table.ranks().into_iter().enumerate() {
            by_rank[rank as usize] = LabelId::new(label as u32);
        }
        let mut labels = vec![LabelId::HIDDEN; total as usize];
        let mut targets = vec![StateId::default(); total as usize];
        {
            let labels = Scatter::new(&mut labels);
            let targets = Scatter::new(&mut targets);
            even_ranges(&offsets, TASK)
                .into_par_iter()
                .for_each_init(Vec::new, |row, task| {
                    for state in task {
                        row.clear();
                        row.extend(self.row(order[state]).iter().map(|&entry| {
                            entry >> 32 << 32 | u64::from(number[entry as u32 as usize])
                        }));
                        // Labels ascend already.
                        for same in row.chunk_by_mut(|x, y| x >> 32 == y >> 32) {
                            same.sort_unstable();
                        }
                        for (k, &entry) in row.iter().enumerate() {
                            let place = offsets[state] as usize + k;
                            // SAFETY: every state has a range of its own.
                            unsafe {
                                labels.write(place, by_rank[(entry >> 32) as usize]);
                                targets.write(place, StateId::new(entry as u32));
                            }
                        }
                    }
                });
        }
        let initial = StateId::new(number[initial as usize]);
        (
            Lts::from_parts(LtsParts {
                initial,
                offsets,
                labels,
                targets,
                table,
            }),
            number,
        )
    }
}
