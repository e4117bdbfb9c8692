//! Strong bisimilarity in O(m log n) time whatever the input.
//!
//! The method is that of Paige & Tarjan 1987, for several labels in the manner
//! of Valmari 2009 ("Bisimilarity minimization in O(m log n) time"):
//!
//! * States are kept block after block, and neighbouring blocks form
//!   *constellations*. Blocks are stable under constellations: where one state
//!   of a block can do `a` into a constellation, all can.
//! * A constellation of several blocks is a debt. To pay it, all its blocks but
//!   the largest are taken out, one after another, to be constellations of
//!   their own: a state is taken out log2 n times at the most.
//! * A *cell* holds the transitions with one source and one label into one
//!   constellation. The transitions into what is taken out are counted by cell.
//!   Where a cell has more, the state has a transition into the rest as well,
//!   so that each block falls into three: states with transitions into what is
//!   taken out only, into both, or into the rest only.

use super::{Refined, Spot};
use crate::rounds::{Rounds, SPLITTERS};
use crate::rows::Rows;

/// In `Engine::hits`: the state is alone in its block, which never splits.
const ALONE: u32 = u32::MAX;

/// In `Spot::block`: the state has been split off by itself. There is no [`Block`] for it, so
/// that there are n/2 at the most.
const SINGLE: u32 = u32::MAX;

/// Refines the blocks to the coarsest strong bisimulation within them.
///
/// O(m log n); 20 bytes a transition and 46 a state at the most.
pub(in super::super) fn refine(
    rows: Rows<'_>,
    block: Vec<u32>,
    count: u32,
    rounds: &mut Rounds<'_>,
) -> Refined {
    let mut engine = Engine::new(rows, block, count);
    engine.split_by_labels();
    engine.pay(rounds);
    let Engine {
        incoming,
        sizes,
        spots,
        blocks,
        singles,
        steps,
        ..
    } = engine;
    // Before there is a column more.
    drop((incoming, sizes));
    let mut count = blocks.len() as u32;
    let block = spots.iter().map(|spot| match spot.block {
        SINGLE => {
            count += 1;
            count - 1
        }
        block => block,
    });
    let block = block.collect();
    debug_assert_eq!(count, blocks.len() as u32 + singles);
    Refined {
        block,
        count,
        steps,
    }
}

/// A range of `Engine::elements`.
struct Block {
    begin: u32,
    end: u32,
    /// How many states at the front have transitions into what is taken out
    /// only.
    front: u32,
    /// How many states at the end have transitions into the rest as well.
    back: u32,
    /// Whether the block is a constellation.
    sole: bool,
}

impl Block {
    fn new(begin: u32, end: u32) -> Self {
        Self {
            begin,
            end,
            front: 0,
            back: 0,
            sole: false,
        }
    }
}

/// A transition, among those with the same target.
#[derive(Clone, Copy)]
struct Incoming {
    source: u32,
    label: u32,
    cell: u32,
}

struct Engine {
    /// Transitions by target.
    incoming: Vec<Incoming>,
    /// Where the transitions of each target start.
    starts: Vec<u32>,
    /// The number of transitions in each cell.
    sizes: Vec<u32>,
    elements: Vec<u32>,
    spots: Vec<Spot>,
    /// By state: transitions counted, then the new cell; [`ALONE`] for good.
    hits: Vec<u32>,
    blocks: Vec<Block>,
    /// How many states are [`SINGLE`].
    singles: u32,
    /// Ranges of `elements`: constellations of several blocks.
    debts: Vec<(u32, u32)>,
    /// By label: transitions counted, then where its next one is put.
    counts: Vec<u32>,
    /// Elementary steps taken so far.
    steps: u64,
    // Reused from splitter to splitter.
    labels: Vec<u32>,
    by_label: Vec<u32>,
    touched: Vec<(u32, u32)>,
    touched_blocks: Vec<u32>,
}

impl Engine {
    fn new(rows: Rows<'_>, block: Vec<u32>, count: u32) -> Self {
        let n = rows.states();
        let label_count = rows.labels.iter().map(|l| l.index() + 1).max().unwrap_or(0);
        let starts = rows.incoming_starts();
        let unset = Incoming {
            source: 0,
            label: 0,
            cell: 0,
        };
        let mut incoming = vec![unset; rows.targets.len()];
        let mut sizes: Vec<u32> = Vec::new();
        let mut next = starts.clone();
        // The state that last had a transition with this label, and its cell.
        let mut last = vec![(u32::MAX, 0); label_count];
        for source in 0..n as u32 {
            let (labels, targets) = rows.row(source);
            for (l, t) in labels.iter().zip(targets) {
                let last = &mut last[l.index()];
                if last.0 != source {
                    *last = (source, sizes.len() as u32);
                    sizes.push(0);
                }
                sizes[last.1 as usize] += 1;
                let place = &mut next[t.index()];
                incoming[*place as usize] = Incoming {
                    source,
                    label: l.get(),
                    cell: last.1,
                };
                *place += 1;
            }
        }
        drop((last, next));

        // The size of each block, then its number here.
        let mut number = vec![0u32; count as usize];
        for &b in &block {
            number[b as usize] += 1;
        }
        let mut blocks: Vec<Block> = Vec::new();
        let mut total = 0;
        for number in &mut number {
            let size = std::mem::replace(number, SINGLE);
            if size > 1 {
                *number = blocks.len() as u32;
                blocks.push(Block {
                    sole: count == 1,
                    ..Block::new(total, total)
                });
                total += size;
            }
        }
        let singles = n as u32 - total;
        let mut next_single = total;
        let mut elements = vec![0; n];
        let mut hits = vec![0; n];
        let spots = block.iter().enumerate().map(|(s, &b)| {
            let block = number[b as usize];
            let next = match block {
                SINGLE => {
                    hits[s] = ALONE;
                    &mut next_single
                }
                block => &mut blocks[block as usize].end,
            };
            let place = *next;
            *next += 1;
            elements[place as usize] = s as u32;
            Spot { block, place }
        });
        let spots = spots.collect();
        Self {
            incoming,
            starts,
            sizes,
            elements,
            spots,
            hits,
            blocks,
            singles,
            debts: if count > 1 {
                vec![(0, n as u32)]
            } else {
                vec![]
            },
            counts: vec![0; label_count],
            steps: (n + rows.targets.len()) as u64,
            labels: Vec::new(),
            by_label: Vec::new(),
            touched: Vec::new(),
            touched_blocks: Vec::new(),
        }
    }

    /// Makes the blocks stable under all states as one constellation.
    fn split_by_labels(&mut self) {
        self.split_by(0, self.elements.len() as u32);
    }

    fn pay(&mut self, rounds: &mut Rounds<'_>) {
        let mut parts: Vec<(u32, u32)> = Vec::new();
        let mut splitters = 0u64;
        while let Some((begin, end)) = self.debts.pop() {
            parts.clear();
            let mut place = begin;
            while place < end {
                let part = match self.spots[self.elements[place as usize] as usize].block {
                    SINGLE => (place, place + 1),
                    block => {
                        let block = &mut self.blocks[block as usize];
                        block.sole = true;
                        (block.begin, block.end)
                    }
                };
                parts.push(part);
                place = part.1;
            }
            let largest = (0..parts.len())
                .max_by_key(|&k| parts[k].1 - parts[k].0)
                .expect("a constellation has a block");
            // A part stays a range of the same states when its blocks split.
            for (k, &(begin, end)) in parts.iter().enumerate() {
                if k != largest {
                    self.split_by(begin, end);
                    splitters += 1;
                    if splitters.is_multiple_of(SPLITTERS) {
                        rounds.end(self.blocks.len() + self.singles as usize);
                    }
                }
            }
            self.steps += parts.len() as u64;
        }
    }

    /// Makes all blocks stable under the states in a range of places, as a
    /// constellation that is taken out of another.
    fn split_by(&mut self, begin: u32, end: u32) {
        // Splitting changes the order of states, so transitions come first.
        for place in begin..end {
            for e in self.row(place) {
                let label = self.incoming[e].label;
                let count = &mut self.counts[label as usize];
                if *count == 0 {
                    self.labels.push(label);
                }
                *count += 1;
            }
        }
        let mut total = 0;
        for &label in &self.labels {
            let count = &mut self.counts[label as usize];
            total += std::mem::replace(count, total);
        }
        self.by_label.resize(total as usize, 0);
        for place in begin..end {
            for e in self.row(place) {
                let next = &mut self.counts[self.incoming[e].label as usize];
                self.by_label[*next as usize] = e as u32;
                *next += 1;
            }
        }
        self.steps += u64::from(end - begin) + u64::from(total);

        let labels = std::mem::take(&mut self.labels);
        let by_label = std::mem::take(&mut self.by_label);
        let mut begin = 0;
        for &label in &labels {
            let end = std::mem::take(&mut self.counts[label as usize]) as usize;
            self.split_by_transitions(&by_label[begin..end]);
            begin = end;
        }
        (self.labels, self.by_label) = (labels, by_label);
        self.labels.clear();
    }

    fn row(&self, place: u32) -> std::ops::Range<usize> {
        let state = self.elements[place as usize] as usize;
        self.starts[state] as usize..self.starts[state + 1] as usize
    }

    /// Gives these transitions, all those with one label into what is taken
    /// out, cells of their own, and splits the blocks of their sources.
    fn split_by_transitions(&mut self, transitions: &[u32]) {
        let mut touched = std::mem::take(&mut self.touched);
        for &e in transitions {
            let Incoming { source, cell, .. } = self.incoming[e as usize];
            let hits = &mut self.hits[source as usize];
            if *hits == ALONE {
                continue;
            }
            if *hits == 0 {
                touched.push((source, cell));
            }
            *hits += 1;
        }
        let mut some_have_both = false;
        for &(state, cell) in &touched {
            let hits = self.hits[state as usize];
            let size = &mut self.sizes[cell as usize];
            if *size == hits {
                // No transition is left for the rest: the cell stays as it is.
                self.hits[state as usize] = 0;
                self.mark_front(state);
            } else {
                *size -= hits;
                // Not 0: there has been a cell before.
                self.hits[state as usize] = self.sizes.len() as u32;
                self.sizes.push(hits);
                self.mark_back(state);
                some_have_both = true;
            }
        }
        if some_have_both {
            for &e in transitions {
                let Incoming { source, cell, .. } = &mut self.incoming[e as usize];
                let new = self.hits[*source as usize];
                if new != 0 && new != ALONE {
                    *cell = new;
                }
            }
            for &(state, _) in &touched {
                self.hits[state as usize] = 0;
            }
        }
        self.steps += touched.len() as u64;
        touched.clear();
        self.touched = touched;
        while let Some(block) = self.touched_blocks.pop() {
            self.split(block);
        }
    }

    fn mark_front(&mut self, state: u32) {
        let Spot { block, place } = self.spots[state as usize];
        let b = &mut self.blocks[block as usize];
        if b.front + b.back == 0 {
            self.touched_blocks.push(block);
        }
        let to = b.begin + b.front;
        b.front += 1;
        self.swap(state, place, to);
    }

    fn mark_back(&mut self, state: u32) {
        let Spot { block, place } = self.spots[state as usize];
        let b = &mut self.blocks[block as usize];
        if b.front + b.back == 0 {
            self.touched_blocks.push(block);
        }
        b.back += 1;
        let to = b.end - b.back;
        self.swap(state, place, to);
    }

    fn swap(&mut self, state: u32, here: u32, there: u32) {
        let other = self.elements[there as usize];
        self.elements[here as usize] = other;
        self.elements[there as usize] = state;
        self.spots[other as usize].place = here;
        self.spots[state as usize].place = there;
    }

    /// Splits a block at its marks and takes them off. The largest part keeps
    /// the number.
    fn split(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        let (begin, end) = (b.begin, b.end);
        let middle = (begin + b.front, end - b.back);
        (b.front, b.back) = (0, 0);
        let mut parts = [(begin, middle.0), middle, (middle.1, end)];
        parts.sort_by_key(|part| std::cmp::Reverse(part.1 - part.0));
        if parts[1].0 == parts[1].1 {
            return;
        }
        if std::mem::replace(&mut b.sole, false) {
            self.debts.push((begin, end));
        }
        (b.begin, b.end) = parts[0];
        if b.end - b.begin == 1 {
            self.hits[self.elements[b.begin as usize] as usize] = ALONE;
        }
        for (begin, end) in parts.into_iter().skip(1).filter(|part| part.0 < part.1) {
            let states = &self.elements[begin as usize..end as usize];
            if let &[state] = states {
                self.singles += 1;
                self.spots[state as usize].block = SINGLE;
                self.hits[state as usize] = ALONE;
            } else {
                let new = self.blocks.len() as u32;
                self.blocks.push(Block::new(begin, end));
                for &state in states {
                    self.spots[state as usize].block = new;
                }
            }
            self.steps += u64::from(end - begin);
        }
    }
}
