//! The quotient by a partition, with the rows on disk.

use hyades_base::bits::{Bits, Ranked};
use hyades_equivalence::{Minimized, numbered};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, Passed, StateId};

use crate::budget::Budget;
use crate::input::{Duplicates, spooled};
use crate::numbering::{Classes, OnDisk};
use crate::refinement::{NONE, columns, reserve};
use crate::scratch::Disk;
use crate::signature::element;
use crate::store::{Rows, Store};
use crate::{Error, Minimal};

/// A stable partition of the states that can be reached, or of nodes that stand for
/// several.
pub(crate) struct Stable<'a> {
    /// The block of each of them.
    pub block: Vec<u32>,
    pub reached: &'a Bits,
    /// Those that may share their blocks, which are numbered from 0 on.
    pub live: Bits,
    pub live_blocks: u32,
}

/// What a quotient is made from.
pub(crate) struct Making<'a> {
    pub disk: &'a Disk<'a>,
    pub budget: Budget,
    /// Whether it may stay on disk.
    pub may_stay: bool,
    /// Whether it may be in memory.
    pub fits: bool,
    /// Its labels.
    pub table: LabelTable,
    /// The initial state of the input.
    pub initial: u32,
}

/// The rows of classes.
struct ClassRows {
    classes: Vec<u32>,
    lengths: Vec<u32>,
    elements: Vec<u64>,
}

/// What becomes of a transition: its label, the class of its target, and that of its source.
type Select<'s> = &'s (dyn Fn(u32, u32, u32) -> Option<u64> + Sync);

impl Stable<'_> {
    /// The quotient: the row of a class is that of its first state. In memory: 18 bytes a
    /// transition, if it does not stay on disk.
    pub fn quotient<'a>(self, rows: &Store<'_>, making: Making<'a>) -> Result<Minimal<'a>, Error> {
        let states = self.reached.count() as usize;
        let (class, first) = self.classes(making.budget)?;
        let initial = class[making.initial as usize];
        let found = FoundRows {
            rows,
            class: &class,
            first: &first,
            select: &|label, to, _| Some(element(label, to)),
        };
        let (lts, number) = match found.fitting(&making)? {
            Ok(found) => {
                drop(first);
                numbered(found.into_lts(making.table, initial))
            }
            Err(needed) => {
                let classes = found.on_disk(making.needing(needed)?, initial)?;
                drop(first);
                let (disk, budget) = (making.disk, making.budget);
                let found = OnDisk::new(disk, classes, class, states, budget)?;
                return Ok(Minimal::OnDisk(found));
            }
        };
        let mut class = class;
        for class in class.iter_mut().filter(|class| **class != NONE) {
            *class = number[*class as usize];
        }
        Ok(Minimal::InMemory(Minimized { lts, class, states }))
    }

    /// The same of nodes, of which `node` tells that of each state: classes are numbered by
    /// their first states, hidden transitions within a class are left out, and self-loops
    /// with the label `divergence` become hidden ones.
    pub fn contracted_quotient<'a>(
        self,
        rows: &Store<'_>,
        (mut node, divergence): (Vec<u32>, Option<u32>),
        making: Making<'a>,
    ) -> Result<Minimal<'a>, Error> {
        const HIDDEN: u32 = 0;
        let (mut class, first) = self.classes(making.budget)?;
        // Classes are numbered by their first nodes so far.
        let mut number = vec![NONE; first.bits().count() as usize];
        let (mut next, mut states) = (0, 0);
        for &v in node.iter().filter(|&&v| v != NONE) {
            states += 1;
            let number = &mut number[class[v as usize] as usize];
            if *number == NONE {
                *number = next;
                next += 1;
            }
        }
        class
            .iter_mut()
            .for_each(|class| *class = number[*class as usize]);
        drop(number);
        let initial = class[node[making.initial as usize] as usize];
        let found = FoundRows {
            rows,
            class: &class,
            first: &first,
            // The first node of a class has no hidden transition within it.
            select: &|label, to, own| match label {
                HIDDEN if to == own => None,
                label if Some(label) == divergence => Some(element(HIDDEN, own)),
                label => Some(element(label, to)),
            },
        };
        let of_state = |node: &mut Vec<u32>, number: &dyn Fn(u32) -> u32| {
            for place in node.iter_mut().filter(|v| **v != NONE) {
                *place = number(*place);
            }
        };
        match found.fitting(&making)? {
            Ok(found) => {
                drop(first);
                let (lts, number) = numbered(found.in_order().into_lts(making.table, initial));
                of_state(&mut node, &|v| number[class[v as usize] as usize]);
                Ok(Minimal::InMemory(Minimized {
                    lts,
                    class: node,
                    states,
                }))
            }
            Err(needed) => {
                let classes = found.on_disk(making.needing(needed)?, initial)?;
                of_state(&mut node, &|v| class[v as usize]);
                drop((first, class));
                let (disk, budget) = (making.disk, making.budget);
                let found = OnDisk::new(disk, classes, node, states, budget)?;
                Ok(Minimal::OnDisk(found))
            }
        }
    }

    /// The class of each state, numbered by their first states, and these; [`NONE`] for
    /// states that cannot be reached.
    fn classes(self, budget: Budget) -> Result<(Vec<u32>, Ranked), Error> {
        let Self {
            mut block,
            reached,
            live,
            live_blocks,
        } = self;
        let needed = columns(block.len() as u64) + 4 * u64::from(live_blocks);
        budget.check("the classes", needed)?;
        let mut first = vec![NONE; live_blocks as usize];
        let mut firsts = Bits::new(block.len());
        for state in reached.iter() {
            if !live.contains(state) {
                firsts.insert(state);
                continue;
            }
            let first = &mut first[block[state as usize] as usize];
            if *first == NONE {
                *first = state;
                firsts.insert(state);
            }
        }
        let firsts = Ranked::new(firsts);
        for state in 0..block.len() as u32 {
            let class = &mut block[state as usize];
            *class = match (reached.contains(state), live.contains(state)) {
                (false, _) => NONE,
                (true, false) => firsts.rank(state),
                (true, true) => firsts.rank(first[*class as usize]),
            };
        }
        Ok((block, firsts))
    }
}

impl Making<'_> {
    /// Refuses what needs so much memory unless it may stay on disk.
    fn needing(&self, needed: u64) -> Result<&Self, Error> {
        match self.may_stay {
            true => Ok(self),
            false => Err(Error::Memory {
                what: "the minimal LTS, which is in memory".into(),
                needed,
            }),
        }
    }
}

/// The rows of the first states of classes, of whose transitions some become elements.
struct FoundRows<'f> {
    rows: &'f Store<'f>,
    class: &'f [u32],
    first: &'f Ranked,
    select: Select<'f>,
}

impl FoundRows<'_> {
    /// Goes through them.
    fn pass(&self, collect: impl FnMut(ClassRows) -> Result<(), Error>) -> Result<(), Error> {
        let Self {
            rows,
            class,
            first,
            select,
        } = *self;
        let work = |rows: Rows| {
            let mut part = ClassRows {
                classes: Vec::new(),
                lengths: Vec::new(),
                elements: Vec::new(),
            };
            let mut set: Vec<u64> = Vec::new();
            for (state, labels, targets) in rows.iter() {
                if !first.bits().contains(state) {
                    continue;
                }
                let own = class[state as usize];
                set.clear();
                let steps = labels.iter().zip(targets);
                set.extend(
                    steps
                        .filter_map(|(&label, &target)| select(label, class[target as usize], own)),
                );
                set.sort_unstable();
                set.dedup();
                part.classes.push(own);
                part.lengths.push(set.len() as u32);
                part.elements.extend_from_slice(&set);
            }
            part
        };
        rows.pass(|states| first.bits().meets(states), work, collect)
    }

    /// They in memory, or how much of it would be needed.
    fn fitting(&self, making: &Making<'_>) -> Result<Result<ClassRows, u64>, Error> {
        let count = self.first.bits().count();
        let fixed = columns(self.class.len() as u64) + 32 * count;
        let mut found = ClassRows {
            classes: Vec::new(),
            lengths: Vec::new(),
            elements: Vec::new(),
        };
        let (mut transitions, mut needed) = (0, fixed);
        let mut fits = making.fits && making.budget.fits(needed);
        if fits {
            found.classes.reserve_exact(count as usize);
            found.lengths.reserve_exact(count as usize);
        }
        self.pass(|part| {
            transitions += part.elements.len() as u64;
            needed = fixed + 18 * transitions;
            fits &= making.budget.fits(needed);
            if !fits {
                found.elements = Vec::new();
                return Ok(());
            }
            found.classes.extend(part.classes);
            found.lengths.extend(part.lengths);
            reserve(&mut found.elements, part.elements.len());
            found.elements.extend(part.elements);
            Ok(())
        })?;
        Ok(match fits {
            true => Ok(found),
            false => Err(needed),
        })
    }

    /// They on disk.
    fn on_disk<'a>(&self, making: &Making<'a>, initial: u32) -> Result<Classes<'a>, Error> {
        let passed = Passed {
            states: self.first.bits().count(),
            initial: StateId::new(initial),
            table: making.table.clone(),
        };
        let budget = making.budget.less(columns(self.class.len() as u64));
        let found = spooled(making.disk, budget, Duplicates::Kept, |receiver| {
            let mut steps: Vec<[u32; 3]> = Vec::new();
            self.pass(|part| {
                steps.clear();
                let mut elements = part.elements.iter();
                for (&class, &length) in part.classes.iter().zip(&part.lengths) {
                    let row = elements.by_ref().take(length as usize);
                    steps.extend(row.map(|&e| [class, (e >> 32) as u32, e as u32]));
                }
                let taken = receiver.take(&steps);
                taken.map_err(|error| making.disk.failed("", error))
            })?;
            Ok(passed)
        })?;
        Ok(Classes {
            rows: found.rows,
            table: found.table,
            initial,
        })
    }
}

impl ClassRows {
    /// The same in the order of the classes.
    fn in_order(self) -> Self {
        let Self {
            classes,
            lengths,
            elements: found,
        } = self;
        let count = classes.len();
        let mut places = vec![(0, 0); count];
        let mut start = 0;
        // Each column is given up before the next one is made.
        for (class, length) in classes.into_iter().zip(lengths) {
            places[class as usize] = (start, length);
            start += length as usize;
        }
        let mut elements = Vec::with_capacity(found.len());
        for &(start, length) in &places {
            elements.extend_from_slice(&found[start..start + length as usize]);
        }
        drop(found);
        Self {
            classes: (0..count as u32).collect(),
            lengths: places.into_iter().map(|place| place.1).collect(),
            elements,
        }
    }

    /// As an LTS, whose states are the classes; they are in order.
    fn into_lts(self, table: LabelTable, initial: u32) -> Lts {
        debug_assert!(self.classes.is_sorted());
        let lengths = self.lengths.into_iter().map(|length| length as usize);
        let label = |&element: &u64| LabelId::new((element >> 32) as u32);
        let target = |&element: &u64| StateId::new(element as u32);
        Lts::from_parts(LtsParts {
            initial: StateId::new(initial),
            offsets: Offsets::from_lengths(lengths),
            labels: self.elements.iter().map(label).collect(),
            targets: self.elements.iter().map(target).collect(),
            table,
        })
    }
}
