//! Branching bisimilarity in O(m log n) time whatever the input.
//!
//! The method is that of Paige & Tarjan 1987, carried over to branching
//! bisimilarity by Groote, Jansen, Keiren & Wijs 2017 ("An O(m log n) algorithm
//! for computing stuttering equivalence and branching bisimulation").
//!
//! * Blocks are ranges of states, and neighbouring blocks form *constellations*.
//!   The partition is kept stable under constellations: where one state of a
//!   block can do `a` into a constellation, possibly after inert steps, all
//!   states of the block can. A constellation of several blocks is a debt. To
//!   pay it, a block of at most half its states is taken out and becomes a
//!   constellation of its own.
//! * A *slice* holds the transitions of one block with one label into one
//!   constellation. A *cell* holds those of one state within a slice.
//! * Hidden transitions within a block are *inert*. A state without any is a
//!   *bottom* state. Every state reaches a bottom state by inert steps, so a
//!   block is stable if all its bottom states have all its slices.
//! * Hidden transitions into another block of the own constellation are under no
//!   promise of stability yet: they *wait* until the constellation is taken
//!   apart. Inert and waiting ones of a block make up its *inner* slice; they
//!   have no cells.
//! * A block splits into R, the states from which a slice is reached by inert
//!   steps, and U, the others. Both are searched for by turns, one transition at
//!   a time, and the search that is done first ends the other, so the cost is
//!   that of the smaller.
//! * By a split a state may lose its last inert step. Such a *fresh* bottom
//!   state may lack any slice of its block, so all of these are gone through.
//!   States that become fresh meanwhile take part in the rest of the round and
//!   in one more.
//!
//! Slices are ranges of one column and are divided in place: what leaves a slice
//! goes to its end, and the range is cut there. A state alone in its block needs
//! no slices; its transitions leave theirs and are not looked at again.

mod divide;
mod fresh;
mod pairs;
mod search;
mod start;
mod storage;
#[cfg(test)]
mod validate;

use std::ops::Range;

use super::{Refined, Spot};
use crate::rounds::{Rounds, SPLITTERS};
use crate::rows::Rows;

/// No slice, pair or list entry.
const NONE: u32 = u32::MAX;

/// In place of a cell: the transition is in the inner slice of its block.
const INNER: u32 = u32::MAX;

/// In place of a cell: the source is alone in its block.
const ALONE: u32 = u32::MAX - 1;

/// Of a cell: all its transitions lead into the block that was taken out.
const ALL: u32 = u32::MAX;

/// Marks of a state during a split. Others are the number of its inert steps not
/// yet known to lead to U, or 0.
const IN_R: u32 = u32::MAX;
const IN_U: u32 = u32::MAX - 1;

/// Refines the blocks to the coarsest branching bisimulation within them. There
/// must be no cycle of hidden transitions (a hidden self-loop is one too).
///
/// O(m log n). About 40 bytes a transition and 60 a state; where most slices have
/// a single transition, up to 70 and 90.
pub(in super::super) fn refine(
    rows: Rows<'_>,
    block: Vec<u32>,
    count: u32,
    rounds: &mut Rounds<'_>,
) -> Refined {
    let mut engine = Engine::new(rows, block, count);
    engine.run(rounds);
    Refined {
        block: engine.spots.iter().map(|spot| spot.block).collect(),
        count: engine.blocks.len() as u32,
        steps: engine.steps,
    }
}

/// Regions of a block: bottom states, fresh ones that the present round is for,
/// fresh ones that it is not for, and other states.
const REGIONS: usize = 4;

/// A range of `Engine::elements`, in regions one after another.
struct Block {
    /// Where the regions start, and the end.
    bounds: [u32; REGIONS + 1],
    constellation: u32,
    /// The first slice of two lists: those to be gone through in the present
    /// round for fresh states, and those that have been. Inner slices are in
    /// neither.
    lists: [u32; 2],
    /// Which list is the first of these.
    todo: u8,
    inner: u32,
    /// Whether the block is on the list of blocks with fresh states.
    listed: bool,
}

impl Block {
    fn begin(&self) -> u32 {
        self.bounds[0]
    }

    fn end(&self) -> u32 {
        self.bounds[REGIONS]
    }

    fn size(&self) -> u32 {
        self.end() - self.begin()
    }

    /// The places of all bottom states.
    fn bottoms(&self) -> Range<u32> {
        self.bounds[0]..self.bounds[3]
    }

    fn fresh(&self) -> Range<u32> {
        self.bounds[1]..self.bounds[3]
    }
}

/// Where a transition is.
#[derive(Clone, Copy)]
struct Seat {
    cell: u32,
    /// `slots[slot]` is the transition.
    slot: u32,
}

/// A range of `Engine::slots`, in two regions.
#[derive(Clone)]
struct Slice {
    begin: u32,
    /// Before it are the transitions of fresh states; in an inner slice, the
    /// inert ones.
    middle: u32,
    end: u32,
    block: u32,
    /// Neighbours in one of the block's lists, and in which.
    next: u32,
    previous: u32,
    list: u8,
    /// While the slice is divided: the slice beside it, for what is taken from
    /// it; and the reverse.
    partner: u32,
    /// Where the pair of this (small) slice stands among the pairs.
    pair: u32,
}

impl Slice {
    fn is_empty(&self) -> bool {
        self.begin == self.end
    }

    fn range(&self) -> Range<u32> {
        self.begin..self.end
    }
}

struct Cell {
    slice: u32,
    size: u32,
    /// While a block is taken out: how many of the transitions lead there, then
    /// the cell for those, if not [`ALL`] do.
    taken: u32,
}

/// A slice into the block that was taken out, and the slice that it came from,
/// unless stability under both together was not known.
#[derive(Clone, Copy)]
struct Pair {
    small: u32,
    rest: u32,
}

/// A range of `Engine::elements`.
struct Constellation {
    begin: u32,
    end: u32,
    listed: bool,
}

/// The search for one side of a split.
#[derive(Default)]
struct Side {
    states: Vec<u32>,
    /// How many of `states` have been searched from, the last one perhaps only
    /// up to `incoming`.
    done: usize,
    /// Hidden transitions into that one, yet to be looked at.
    incoming: Range<usize>,
}

impl Side {
    fn clear(&mut self) {
        self.states.clear();
        self.done = 0;
        self.incoming = 0..0;
    }
}

/// How a search knows whether a state has a transition in the slice.
#[derive(Clone, Copy, PartialEq)]
enum Entries {
    /// All that have one are marked.
    Marked,
    /// These slots hold transitions of states that may not be marked.
    Slots(u32, u32),
}

struct Engine<'a> {
    rows: Rows<'a>,
    // By transition, in the order of targets, the hidden ones into a state first.
    source: Vec<u32>,
    seats: Vec<Seat>,
    /// Where the transitions into a state start, and the visible ones.
    starts: Vec<u32>,
    visible: Vec<u32>,
    /// The transitions in the order of rows.
    outgoing: Vec<u32>,
    /// The transitions, slice after slice.
    slots: Vec<u32>,
    // By state.
    elements: Vec<u32>,
    spots: Vec<Spot>,
    /// The number of inert outgoing transitions.
    inert: Vec<u32>,
    /// 0 but during a split, or while cells are made: then one more than the
    /// state's cell.
    marks: Vec<u32>,

    blocks: Vec<Block>,
    slices: Vec<Slice>,
    cells: Vec<Cell>,
    free_slices: Vec<u32>,
    free_cells: Vec<u32>,
    /// Freed, but perhaps still referred to until the present step is over.
    dead_slices: Vec<u32>,
    constellations: Vec<Constellation>,
    /// Constellations of more than one block.
    debts: Vec<u32>,
    /// Blocks with fresh states.
    unstable: Vec<u32>,
    pairs: Vec<Pair>,
    /// Elementary steps taken so far.
    steps: u64,

    // Reused from split to split.
    r: Side,
    u: Side,
    /// States whose inert steps to U are counted.
    counted: Vec<u32>,
    regions: [Vec<u32>; REGIONS],
    partners: Vec<u32>,
    /// The source of each transition that is inert no more.
    lost: Vec<u32>,
    taken: Vec<u32>,
    taken_cells: Vec<u32>,
}

impl Engine<'_> {
    fn run(&mut self, rounds: &mut Rounds<'_>) {
        self.split_pairs();
        self.stabilise();
        let mut splitters = 0u64;
        while let Some(&k) = self.debts.last() {
            let constellation = &mut self.constellations[k as usize];
            let block_at = |place: u32| self.spots[self.elements[place as usize] as usize].block;
            let first = block_at(constellation.begin);
            let last = block_at(constellation.end - 1);
            if first == last {
                constellation.listed = false;
                self.debts.pop();
                continue;
            }
            // The smaller one of two blocks has at most half the states.
            let block = if self.blocks[first as usize].size() < self.blocks[last as usize].size() {
                constellation.begin = self.blocks[first as usize].end();
                first
            } else {
                constellation.end = self.blocks[last as usize].begin();
                last
            };
            self.take_out(block);
            self.split_pairs();
            self.stabilise();
            splitters += 1;
            if splitters.is_multiple_of(SPLITTERS) {
                rounds.end(self.blocks.len());
            }
        }
    }

    /// The transitions of a state, in the order of rows.
    fn out(&self, state: u32) -> Range<usize> {
        self.rows.bounds(state)
    }

    fn all_into(&self, state: u32) -> Range<usize> {
        self.starts[state as usize] as usize..self.starts[state as usize + 1] as usize
    }

    fn hidden_into(&self, state: u32) -> Range<usize> {
        self.starts[state as usize] as usize..self.visible[state as usize] as usize
    }

    fn source_at(&self, slot: u32) -> u32 {
        self.source[self.slots[slot as usize] as usize]
    }

    fn list_debt(&mut self, constellation: u32) {
        let c = &mut self.constellations[constellation as usize];
        if !c.listed {
            c.listed = true;
            self.debts.push(constellation);
        }
    }
}
