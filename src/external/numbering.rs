//! The numbers of a quotient that stays on disk: those that it gets in memory.

use std::ops::Range;

use hyades_formats::plts::Block;
use hyades_formats::{self as formats, LabelId, LabelTable, Passed, StateId};
use rayon::slice::ParallelSliceMut;

use crate::Error;
use crate::bits::Bits;
use crate::budget::Budget;
use crate::input::spooled;
use crate::refinement::NONE;
use crate::scratch::Disk;
use crate::store::{Rows, Store};

/// A minimal LTS on disk. Its initial state is 0.
pub struct OnDisk<'a> {
    rows: Store<'a>,
    table: LabelTable,
    /// The rank of each label.
    ranks: Vec<u32>,
    /// For each state of the input that which stands for it, as in
    /// [`Minimized`](hyades_equivalence::Minimized).
    pub class: Vec<u32>,
    /// How many states of the input were taken into account.
    pub considered: usize,
}

/// The rows of classes on disk, each of whose states is met from the initial one.
pub(crate) struct Classes<'a> {
    pub rows: Store<'a>,
    pub table: LabelTable,
    pub initial: u32,
}

impl<'a> OnDisk<'a> {
    /// Numbers classes. 16 bytes a class, and a pass over the rows for each of the levels
    /// of a breadth-first search.
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
        let needed = 4 * class.len() as u64 + 17 * rows.states();
        budget.check("the numbers of the minimal LTS", needed)?;
        let number = breadth_first(&rows, initial, &ranks)?;
        let passed = Passed {
            states: rows.states(),
            initial: StateId::new(0),
            table,
        };
        let budget = budget.less(needed);
        let numbered = spooled(disk, budget, |receiver| {
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
                    receiver
                        .take(&steps)
                        .map_err(|error| disk.failed("", error))
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

/// The number of each class in a breadth-first search: successors in the order of the rank
/// of the label and the class.
fn breadth_first(rows: &Store<'_>, initial: u32, ranks: &[u32]) -> Result<Vec<u32>, Error> {
    let count = rows.states() as usize;
    let mut number = vec![NONE; count];
    // Of the classes of the next level: the number of the first one that leads there, and
    // the rank of the label.
    let mut key = vec![u64::MAX; count];
    let mut level = Bits::new(count);
    let mut met: Vec<u32> = Vec::new();
    number[initial as usize] = 0;
    level.insert(initial);
    let mut next = 1;
    let mut last = vec![initial];
    while !last.is_empty() {
        let (level_now, number_now) = (&level, &number);
        rows.pass(
            |states: Range<u64>| level_now.meets(states),
            |part| {
                let mut found: Vec<(u32, u64)> = Vec::new();
                for (state, labels, targets) in part.iter() {
                    if !level_now.contains(state) {
                        continue;
                    }
                    let own = u64::from(number_now[state as usize]) << 32;
                    let steps = labels.iter().zip(targets);
                    let new = steps.filter(|&(_, &t)| number_now[t as usize] == NONE);
                    found.extend(new.map(|(&l, &t)| (t, own | u64::from(ranks[l as usize]))));
                }
                found
            },
            |found| {
                for (target, candidate) in found {
                    let key = &mut key[target as usize];
                    if *key == u64::MAX {
                        met.push(target);
                    }
                    *key = candidate.min(*key);
                }
                Ok(())
            },
        )?;
        met.par_sort_unstable_by_key(|&class| (key[class as usize], class));
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
