//! The numbers of a quotient that stays on disk: those that it gets in memory.

use std::ops::Range;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use hyades_base::bits::Bits;
use hyades_formats::plts::Block;
use hyades_formats::{self as formats, LabelId, LabelTable, Passed, StateId};
use rayon::prelude::*;

use crate::Error;
use crate::budget::Budget;
use crate::input::{Duplicates, spooled};
use crate::refinement::NONE;
use crate::scratch::Disk;
use crate::store::{Rows, Store};

/// A minimal LTS on disk. Its initial state is 0.
pub struct OnDisk<'a> {
    rows: Store<'a>,
    table: LabelTable,
    /// The rank of each label.
    ranks: Vec<u32>,
    /// The labels that occur, ascending.
    labels: Vec<LabelId>,
    /// For each state of the input that which stands for it, as in
    /// [`Minimized`](hyades_equivalence::Minimized).
    pub class: Vec<u32>,
    /// How many states of the input were taken into account.
    pub considered: usize,
}

hyades_base::opaque!(OnDisk<'_>);

/// The rows of classes on disk, each of whose states is met from the initial one.
pub(crate) struct Classes<'a> {
    pub rows: Store<'a>,
    pub table: LabelTable,
    pub initial: u32,
}

impl<'a> OnDisk<'a> {
    /// Numbers classes. 25 bytes a class, and a pass over the rows for each of the levels
    /// of a breadth-first search, but for those of few states.
    pub(crate) fn new(
        disk: &'a Disk<'a>,
        classes: Classes<'_>,
        mut class: Vec<u32>,
        considered: usize,
        budget: Budget,
    ) -> Result<Self, Error> {
        let Classes {
            rows,
            table,
            initial,
        } = classes;
        let ranks = table.ranks();
        let needed = 4 * class.len() as u64 + 25 * rows.states();
        budget.check("the numbers of the minimal LTS", needed)?;
        let number = breadth_first(&rows, initial, &ranks)?;
        let mut occurs = vec![false; table.len()];
        let passed = Passed {
            states: rows.states(),
            initial: StateId::new(0),
            table,
        };
        let budget = budget.less(needed);
        let numbered = spooled(disk, budget, Duplicates::Kept, |receiver| {
            let renumbered = |part: Rows| {
                let mut steps = Vec::with_capacity(part.targets.len());
                for (state, labels, targets) in part.iter() {
                    let source = number[state as usize];
                    let row = labels.iter().zip(targets);
                    steps.extend(
                        row.map(|(&label, &target)| [source, label, number[target as usize]]),
                    );
                }
                steps
            };
            rows.pass(
                |_| true,
                renumbered,
                |steps| {
                    for &[_, label, _] in &steps {
                        occurs[label as usize] = true;
                    }
                    let taken = receiver.take(&steps);
                    taken.map_err(|error| disk.failed("", error))
                },
            )?;
            Ok(passed)
        })?;
        for class in class.iter_mut().filter(|class| **class != NONE) {
            *class = number[*class as usize];
        }
        Ok(Self {
            rows: numbered.rows,
            table: numbered.table,
            ranks,
            labels: (0..)
                .map(LabelId::new)
                .zip(occurs)
                .filter_map(|(label, occurs)| occurs.then_some(label))
                .collect(),
            class,
            considered,
        })
    }

    /// The number of states.
    pub fn states(&self) -> u64 {
        self.rows.states()
    }

    /// The number of transitions.
    pub fn transitions(&self) -> u64 {
        self.rows.transitions()
    }

    /// The labels.
    pub fn table(&self) -> &LabelTable {
        &self.table
    }

    /// The labels that occur, ascending.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// Whether a visible label with this text occurs.
    pub fn uses(&self, text: &[u8]) -> bool {
        let label = self.table.find(text);
        label.is_some_and(|label| self.labels.binary_search(&label).is_ok())
    }

    /// Tells the rows, some at a time, in their order; transitions are sorted as those of
    /// a minimal LTS are.
    ///
    /// # Errors
    /// If they cannot be read, and those of who is told.
    pub fn each<E: From<Error>>(
        &self,
        mut tell: impl FnMut(formats::Rows<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut block = Block::default();
        for number in 0..self.rows.blocks() {
            let rows = self.rows.read(number, &mut block)?;
            let mut ends: Vec<u32> = Vec::with_capacity(rows.degrees.len());
            let (mut labels, mut targets) = (Vec::new(), Vec::new());
            let mut row: Vec<(u32, u32, u32)> = Vec::new();
            for (_, row_labels, row_targets) in rows.iter() {
                row.clear();
                let steps = row_labels.iter().zip(row_targets);
                row.extend(steps.map(|(&l, &t)| (self.ranks[l as usize], t, l)));
                row.sort_unstable();
                labels.extend(row.iter().map(|step| LabelId::new(step.2)));
                targets.extend(row.iter().map(|step| StateId::new(step.1)));
                ends.push(targets.len() as u32);
            }
            tell(formats::Rows {
                first: StateId::new(rows.first),
                ends: (&ends).into(),
                labels: &labels,
                targets: &targets,
            })?;
        }
        Ok(())
    }
}

/// Sorts classes by their keys and numbers. Keys are parents, which are in a range, and ranks,
/// of which there are so many. With 8 bytes more for each of them, if these have room for all
/// three: keys lie far apart.
fn sort_by_key(
    classes: &mut [u32],
    key_of: impl Fn(u32) -> u64 + Sync,
    parents: Range<u64>,
    ranks: usize,
) {
    let bits = |count: u64| u64::BITS - count.leading_zeros();
    let last = classes.iter().max().map_or(0, |&last| u64::from(last));
    let (rank_bits, class_bits) = (bits(ranks as u64), bits(last));
    if bits(parents.end - parents.start) + rank_bits + class_bits > u64::BITS {
        classes.par_sort_unstable_by_key(|&class| (key_of(class), class));
        return;
    }
    let packed = |&class: &u32| {
        let key = key_of(class);
        let (parent, rank) = ((key >> 32) - parents.start, key & u64::from(u32::MAX));
        (parent << rank_bits | rank) << class_bits | u64::from(class)
    };
    let mut keys: Vec<u64> = classes.par_iter().map(packed).collect();
    keys.par_sort_unstable();
    let class_of = |key: &u64| (key & ((1 << class_bits) - 1)) as u32;
    classes
        .par_iter_mut()
        .zip(&keys)
        .for_each(|(class, key)| *class = class_of(key));
}

/// Rows of single states, for which the block that was read last is kept.
struct Looked<'a, 'd> {
    rows: &'a Store<'d>,
    block: Block,
    part: Rows,
    /// Where the rows of the part begin, and the last one ends.
    starts: Vec<usize>,
}

impl<'a, 'd> Looked<'a, 'd> {
    fn new(rows: &'a Store<'d>) -> Self {
        Self {
            rows,
            block: Block::default(),
            part: Rows::default(),
            starts: vec![0],
        }
    }

    /// The labels and targets of a state.
    fn row(&mut self, state: u32) -> Result<(&[u32], &[u32]), Error> {
        let place = |part: &Rows| {
            let place = state.checked_sub(part.first)? as usize;
            (place < part.degrees.len()).then_some(place)
        };
        if place(&self.part).is_none() {
            let (mut least, mut most) = (0, self.rows.blocks());
            while least < most {
                let middle = usize::midpoint(least, most);
                match self.rows.states_of_block(middle).end <= u64::from(state) {
                    true => least = middle + 1,
                    false => most = middle,
                }
            }
            self.part = self.rows.read(least, &mut self.block)?;
            self.starts.clear();
            self.starts.push(0);
            let mut end = 0;
            self.starts.extend(self.part.degrees.iter().map(|&degree| {
                end += degree as usize;
                end
            }));
        }
        let place = place(&self.part).expect("the block that has been looked for has the state");
        let row = self.starts[place]..self.starts[place + 1];
        Ok((&self.part.labels[row.clone()], &self.part.targets[row]))
    }
}

/// The rows of so few states are read one by one.
const FEW: usize = 16;

/// The number of each class in a breadth-first search: successors in the order of the rank
/// of the label and the class.
fn breadth_first(rows: &Store<'_>, initial: u32, ranks: &[u32]) -> Result<Vec<u32>, Error> {
    const NO_KEY: u64 = u64::MAX;
    let count = rows.states() as usize;
    let mut number = vec![NONE; count];
    // Of the classes of the next level: the number of the first one that leads there, and
    // the rank of the label.
    let key: Vec<AtomicU64> = std::iter::repeat_with(|| AtomicU64::new(NO_KEY))
        .take(count)
        .collect();
    let mut level = Bits::new(count);
    let mut met: Vec<u32> = Vec::new();
    number[initial as usize] = 0;
    level.insert(initial);
    let mut next = 1;
    let mut last = vec![initial];
    let mut looked = Looked::new(rows);
    while !last.is_empty() {
        let (level_now, number_now) = (&level, &number);
        // Adds those that nobody else has met.
        let meet = |state: u32, labels: &[u32], targets: &[u32], found: &mut Vec<u32>| {
            let own = u64::from(number_now[state as usize]) << 32;
            for (&label, &target) in labels.iter().zip(targets) {
                if number_now[target as usize] != NONE {
                    continue;
                }
                let candidate = own | u64::from(ranks[label as usize]);
                // The least one stays, whoever comes first.
                let before = key[target as usize].fetch_min(candidate, Relaxed);
                if before == NO_KEY {
                    found.push(target);
                }
            }
        };
        if last.len() <= FEW {
            for &state in &last {
                let (labels, targets) = looked.row(state)?;
                meet(state, labels, targets, &mut met);
            }
        } else {
            rows.pass(
                |states: Range<u64>| level_now.meets(states),
                |part| {
                    let mut found: Vec<u32> = Vec::new();
                    for (state, labels, targets) in part.iter() {
                        if level_now.contains(state) {
                            meet(state, labels, targets, &mut found);
                        }
                    }
                    found
                },
                |found| {
                    met.extend(found);
                    Ok(())
                },
            )?;
        }
        let key_of = |class: u32| key[class as usize].load(Relaxed);
        let first = u64::from(next) - last.len() as u64;
        sort_by_key(&mut met, key_of, first..u64::from(next), ranks.len());
        last.iter().for_each(|&class| level.remove(class));
        for &class in &met {
            number[class as usize] = next;
            next += 1;
            level.insert(class);
        }
        std::mem::swap(&mut last, &mut met);
        met.clear();
    }
    Ok(number)
}
