//! The quotient by a partition, with the rows on disk.

use hyades_equivalence::{Minimized, numbered};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, Offsets, StateId};

use crate::Error;
use crate::bits::{Bits, Ranked};
use crate::budget::Budget;
use crate::store::Store;
use crate::strong::{NONE, columns};

/// A stable partition of the states that can be reached.
pub(crate) struct Stable<'a> {
    /// The block of each of them.
    pub block: Vec<u32>,
    pub reached: &'a Bits,
    /// Those that may share their blocks, which are numbered from 0 on.
    pub live: Bits,
    pub live_blocks: u32,
}

impl Stable<'_> {
    /// The quotient: the row of a class is that of its first state. In memory: 16 bytes a
    /// transition.
    pub fn quotient(
        self,
        rows: &Store<'_>,
        table: LabelTable,
        initial: u32,
        budget: Budget,
    ) -> Result<Minimized, Error> {
        let states = self.reached.count() as usize;
        let (class, first) = self.classes();
        let (mut labels, mut targets) = (Vec::new(), Vec::new());
        let mut offsets = Offsets::with_capacity(first.bits().count() as usize);
        let fixed = columns(class.len() as u64) + 24 * first.bits().count();
        rows.pass(
            |states| first.bits().meets(states),
            |rows| {
                let mut elements: Vec<u64> = Vec::new();
                let mut lengths = Vec::new();
                let mut set = Vec::new();
                for (state, labels, targets) in rows.iter() {
                    if first.bits().contains(state) {
                        crate::signature::sign(labels, targets, &class, &mut set);
                        elements.extend_from_slice(&set);
                        lengths.push(set.len());
                    }
                }
                (elements, lengths)
            },
            |(elements, lengths)| {
                for length in lengths {
                    offsets.push(offsets.end() + length);
                }
                let needed = fixed + 16 * offsets.end() as u64;
                budget.check("the minimal LTS", needed)?;
                labels.extend(elements.iter().map(|e| LabelId::new((e >> 32) as u32)));
                targets.extend(elements.iter().map(|&e| StateId::new(e as u32)));
                Ok(())
            },
        )?;
        drop(first);
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(class[initial as usize]),
            offsets,
            labels,
            targets,
            table,
        });
        let (lts, number) = numbered(lts);
        let mut class = class;
        for class in class.iter_mut().filter(|class| **class != NONE) {
            *class = number[*class as usize];
        }
        Ok(Minimized { lts, class, states })
    }

    /// The class of each state, numbered by their first states, and these; [`NONE`] for
    /// states that cannot be reached.
    fn classes(self) -> (Vec<u32>, Ranked) {
        let Self {
            mut block,
            reached,
            live,
            live_blocks,
        } = self;
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
        (block, firsts)
    }
}
