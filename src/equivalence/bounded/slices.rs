//! Branching bisimilarity in O(m log n) time whatever the input.
//!
//! The method is that of Paige & Tarjan 1987, carried over to branching
//! bisimilarity by Groote, Jansen, Keiren & Wijs 2017 ("An O(m log n) algorithm
//! for computing stuttering equivalence and branching bisimulation"). The
//! engine by signatures is several times faster on most inputs, and hands over
//! to this one on the others.
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

use std::ops::Range;

use super::{Refined, Spot};
use crate::equivalence::rows::Rows;

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
/// O(m log n); 50 bytes a transition and 40 a state at the most.
pub(in super::super) fn refine(rows: Rows<'_>, block: Vec<u32>, count: u32) -> Refined {
    let mut engine = Engine::new(rows, block, count);
    engine.run();
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

impl<'a> Engine<'a> {
    fn new(rows: Rows<'a>, block: Vec<u32>, count: u32) -> Self {
        let n = rows.states();
        let m = rows.targets.len();
        let starts = rows.incoming_starts();
        let mut visible = starts[..n].to_vec();
        for (l, t) in rows.labels.iter().zip(rows.targets) {
            visible[t.index()] += u32::from(l.is_hidden());
        }
        let mut source = vec![0; m];
        let mut outgoing = Vec::with_capacity(m);
        let (mut hidden_next, mut visible_next) = (starts.clone(), visible.clone());
        for s in 0..n as u32 {
            let (labels, targets) = rows.row(s);
            for (l, t) in labels.iter().zip(targets) {
                let next = match l.is_hidden() {
                    true => &mut hidden_next[t.index()],
                    false => &mut visible_next[t.index()],
                };
                source[*next as usize] = s;
                outgoing.push(*next);
                *next += 1;
            }
        }
        drop((hidden_next, visible_next));
        let unset = Seat {
            cell: ALONE,
            slot: 0,
        };
        let mut engine = Self {
            rows,
            source,
            seats: vec![unset; m],
            starts,
            visible,
            outgoing,
            slots: vec![0; m],
            elements: vec![0; n],
            spots: block
                .iter()
                .map(|&block| Spot { block, place: 0 })
                .collect(),
            inert: vec![0; n],
            marks: vec![0; n],
            blocks: Vec::new(),
            slices: Vec::new(),
            cells: Vec::new(),
            free_slices: Vec::new(),
            free_cells: Vec::new(),
            dead_slices: Vec::new(),
            constellations: vec![Constellation {
                begin: 0,
                end: n as u32,
                listed: count > 1,
            }],
            debts: if count > 1 { vec![0] } else { vec![] },
            unstable: Vec::new(),
            pairs: Vec::new(),
            steps: (n + m) as u64,
            r: Side::default(),
            u: Side::default(),
            counted: Vec::new(),
            regions: Default::default(),
            partners: Vec::new(),
            lost: Vec::new(),
            taken: Vec::new(),
            taken_cells: Vec::new(),
        };
        drop(block);
        engine.place_states(count);
        engine.fill_slices();
        engine
    }

    fn place_states(&mut self, count: u32) {
        let n = self.spots.len();
        for t in 0..n {
            for e in self.hidden_into(t as u32) {
                let s = self.source[e] as usize;
                self.inert[s] += u32::from(self.spots[s].block == self.spots[t].block);
            }
        }
        let mut bottoms = vec![0u32; count as usize];
        let mut sizes = vec![0u32; count as usize];
        for (spot, &inert) in self.spots.iter().zip(&self.inert) {
            sizes[spot.block as usize] += 1;
            bottoms[spot.block as usize] += u32::from(inert == 0);
        }
        let mut begin = 0;
        for (&size, &bottoms) in sizes.iter().zip(&bottoms) {
            let others = begin + bottoms;
            self.blocks.push(Block {
                bounds: [begin, others, others, others, begin + size],
                constellation: 0,
                lists: [NONE; 2],
                todo: 0,
                inner: NONE,
                listed: false,
            });
            begin += size;
        }
        let mut next: Vec<(u32, u32)> = self
            .blocks
            .iter()
            .map(|b| (b.bounds[0], b.bounds[3]))
            .collect();
        for s in 0..n {
            let (bottom, other) = &mut next[self.spots[s].block as usize];
            let place = if self.inert[s] == 0 { bottom } else { other };
            self.elements[*place as usize] = s as u32;
            self.spots[s].place = *place;
            *place += 1;
        }
    }

    /// Puts the transitions into slices and cells; no block is known to be
    /// stable under any slice.
    fn fill_slices(&mut self) {
        let rows = self.rows;
        let label_count = rows.labels.iter().map(|l| l.index() + 1).max().unwrap_or(0);
        // By label: how many transitions there are, then the next slot.
        let mut next = vec![0u32; label_count];
        let mut slice_of = vec![NONE; label_count];
        // The state that last had a transition with this label, and its cell.
        let mut last = vec![(NONE, 0); label_count];
        let mut labels: Vec<u32> = Vec::new();
        let mut slot = 0;
        for b in 0..self.blocks.len() as u32 {
            let block = &self.blocks[b as usize];
            if block.size() == 1 {
                continue;
            }
            let places = block.begin()..block.end();
            let (mut inert, mut hidden) = (0, 0);
            for place in places.clone() {
                let s = self.elements[place as usize];
                inert += self.inert[s as usize];
                for l in rows.row(s).0 {
                    if l.is_hidden() {
                        hidden += 1;
                    } else {
                        if next[l.index()] == 0 {
                            labels.push(l.get());
                        }
                        next[l.index()] += 1;
                    }
                }
            }
            let mut inert_next = slot;
            let mut waiting_next = slot + inert;
            if hidden > 0 {
                let inner = self.new_slice(b, slot);
                self.slices[inner as usize].middle = slot + inert;
                slot += hidden;
                self.slices[inner as usize].end = slot;
                self.blocks[b as usize].inner = inner;
            }
            for &label in &labels {
                let slice = self.new_slice(b, slot);
                self.link(slice, 0);
                self.push_pair(slice, NONE);
                slice_of[label as usize] = slice;
                let next = &mut next[label as usize];
                slot += std::mem::replace(next, slot);
                self.slices[slice as usize].end = slot;
            }
            for place in places {
                let s = self.elements[place as usize];
                for k in self.out(s) {
                    let e = self.outgoing[k];
                    let label = rows.labels[k];
                    let (slot, cell) = if label.is_hidden() {
                        let target = rows.targets[k].index();
                        let is_inert = self.spots[target].block == b;
                        let next = if is_inert {
                            &mut inert_next
                        } else {
                            &mut waiting_next
                        };
                        (next, INNER)
                    } else {
                        let last = &mut last[label.index()];
                        if last.0 != s {
                            *last = (s, self.cells.len() as u32);
                            self.cells.push(Cell {
                                slice: slice_of[label.index()],
                                size: 0,
                                taken: 0,
                            });
                        }
                        self.cells[last.1 as usize].size += 1;
                        (&mut next[label.index()], last.1)
                    };
                    self.seats[e as usize] = Seat { cell, slot: *slot };
                    self.slots[*slot as usize] = e;
                    *slot += 1;
                }
            }
            for label in labels.drain(..) {
                next[label as usize] = 0;
            }
        }
    }

    fn run(&mut self) {
        self.split_pairs();
        self.stabilise();
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
        }
    }

    // Transitions, cells, slices.

    /// The transitions of a state, in the order of rows.
    fn out(&self, state: u32) -> Range<usize> {
        self.rows.offsets[state as usize] as usize..self.rows.offsets[state as usize + 1] as usize
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

    fn is_inner(&self, slice: u32) -> bool {
        self.blocks[self.slices[slice as usize].block as usize].inner == slice
    }

    /// An empty slice at this slot, in no list.
    fn new_slice(&mut self, block: u32, slot: u32) -> u32 {
        let slice = Slice {
            begin: slot,
            middle: slot,
            end: slot,
            block,
            next: NONE,
            previous: NONE,
            list: 0,
            partner: NONE,
            pair: NONE,
        };
        match self.free_slices.pop() {
            Some(id) => {
                self.slices[id as usize] = slice;
                id
            }
            None => {
                self.slices.push(slice);
                self.slices.len() as u32 - 1
            }
        }
    }

    fn new_cell(&mut self, slice: u32, size: u32) -> u32 {
        let cell = Cell {
            slice,
            size,
            taken: 0,
        };
        match self.free_cells.pop() {
            Some(id) => {
                self.cells[id as usize] = cell;
                id
            }
            None => {
                self.cells.push(cell);
                self.cells.len() as u32 - 1
            }
        }
    }

    /// Puts a slice into one of its block's lists.
    fn link(&mut self, slice: u32, list: u8) {
        let block = self.slices[slice as usize].block;
        let first = &mut self.blocks[block as usize].lists[usize::from(list)];
        let next = std::mem::replace(first, slice);
        if next != NONE {
            self.slices[next as usize].previous = slice;
        }
        let s = &mut self.slices[slice as usize];
        (s.next, s.previous, s.list) = (next, NONE, list);
    }

    fn unlink(&mut self, slice: u32) {
        let Slice {
            next,
            previous,
            list,
            block,
            ..
        } = self.slices[slice as usize];
        if next != NONE {
            self.slices[next as usize].previous = previous;
        }
        if previous != NONE {
            self.slices[previous as usize].next = next;
        } else {
            self.blocks[block as usize].lists[usize::from(list)] = next;
        }
    }

    /// Takes an empty slice from its block.
    fn kill(&mut self, slice: u32) {
        if self.is_inner(slice) {
            let block = self.slices[slice as usize].block;
            self.blocks[block as usize].inner = NONE;
        } else {
            self.unlink(slice);
        }
        self.dead_slices.push(slice);
    }

    fn swap_slots(&mut self, here: u32, there: u32) {
        if here == there {
            return;
        }
        let (e, f) = (self.slots[here as usize], self.slots[there as usize]);
        self.slots[here as usize] = f;
        self.slots[there as usize] = e;
        self.seats[e as usize].slot = there;
        self.seats[f as usize].slot = here;
    }

    /// Moves a transition to the first region of its slice.
    fn move_to_front(&mut self, e: u32, slice: u32) {
        let s = &mut self.slices[slice as usize];
        let here = self.seats[e as usize].slot;
        debug_assert!(here >= s.middle && here < s.end);
        let there = s.middle;
        s.middle += 1;
        self.swap_slots(here, there);
    }

    /// Moves a transition of a slice's first region to the second.
    fn move_to_back(&mut self, e: u32, slice: u32) {
        let s = &mut self.slices[slice as usize];
        let here = self.seats[e as usize].slot;
        debug_assert!(here >= s.begin && here < s.middle);
        s.middle -= 1;
        let there = s.middle;
        self.swap_slots(here, there);
    }

    /// Takes a transition out of a slice. Its slot is the one behind the slice.
    /// Tells whether it was in the first region.
    fn remove(&mut self, e: u32, slice: u32) -> bool {
        let was_front = self.seats[e as usize].slot < self.slices[slice as usize].middle;
        if was_front {
            self.move_to_back(e, slice);
        }
        let s = &mut self.slices[slice as usize];
        s.end -= 1;
        let there = s.end;
        self.swap_slots(self.seats[e as usize].slot, there);
        was_front
    }

    /// Moves a transition from a slice into the same region of the slice that
    /// starts right behind it.
    fn transfer(&mut self, e: u32, from: u32, to: u32) {
        let was_front = self.remove(e, from);
        let to = &mut self.slices[to as usize];
        to.begin -= 1;
        let here = to.begin;
        debug_assert_eq!(here, self.seats[e as usize].slot);
        if !was_front {
            to.middle -= 1;
            let there = to.middle;
            self.swap_slots(here, there);
        }
    }

    /// The slice beside one that is being divided, in `block`.
    fn partner(&mut self, slice: u32, block: u32) -> u32 {
        let Slice {
            partner, end, list, ..
        } = self.slices[slice as usize];
        if partner != NONE {
            return partner;
        }
        let partner = self.new_slice(block, end);
        self.slices[slice as usize].partner = partner;
        self.slices[partner as usize].partner = slice;
        self.slices[partner as usize].list = list;
        self.partners.push(partner);
        partner
    }

    /// Ends the division of slices; those that nothing is left of are no more.
    fn part_from_partners(&mut self) {
        let mut partners = std::mem::take(&mut self.partners);
        for partner in partners.drain(..) {
            let slice = std::mem::replace(&mut self.slices[partner as usize].partner, NONE);
            self.slices[slice as usize].partner = NONE;
            if self.slices[slice as usize].is_empty() {
                self.kill(slice);
            }
        }
        self.partners = partners;
    }

    /// What was freed may be used again.
    fn collect(&mut self) {
        self.free_slices.append(&mut self.dead_slices);
    }

    fn list_debt(&mut self, constellation: u32) {
        let c = &mut self.constellations[constellation as usize];
        if !c.listed {
            c.listed = true;
            self.debts.push(constellation);
        }
    }

    fn list_unstable(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        if !b.fresh().is_empty() && !b.listed {
            b.listed = true;
            self.unstable.push(block);
        }
    }

    // Taking a block out of its constellation.

    /// Makes a block that was taken from its constellation one of its own:
    /// divides all slices into that constellation and pairs the halves.
    fn take_out(&mut self, block: u32) {
        let new = self.constellations.len() as u32;
        let b = &mut self.blocks[block as usize];
        b.constellation = new;
        let places = b.begin()..b.end();
        self.constellations.push(Constellation {
            begin: places.start,
            end: places.end,
            listed: false,
        });
        self.release_waiting(block);
        let mut taken = std::mem::take(&mut self.taken);
        let mut cells = std::mem::take(&mut self.taken_cells);
        for cell in cells.drain(..) {
            self.cells[cell as usize].taken = 0;
        }
        self.steps += u64::from(places.end - places.start);
        for place in places {
            for e in self.all_into(self.elements[place as usize]) {
                self.steps += 1;
                match self.seats[e].cell {
                    ALONE => {}
                    INNER => {
                        if self.spots[self.source[e] as usize].block != block {
                            taken.push(e as u32);
                        }
                    }
                    cell => {
                        let c = &mut self.cells[cell as usize];
                        if c.taken == 0 {
                            cells.push(cell);
                        }
                        c.taken += 1;
                        taken.push(e as u32);
                    }
                }
            }
        }
        for &cell in &cells {
            let Cell { slice, size, taken } = self.cells[cell as usize];
            let small = self.small(slice);
            if size == taken {
                self.cells[cell as usize].slice = small;
                self.cells[cell as usize].taken = ALL;
            } else {
                let new = self.new_cell(small, taken);
                self.cells[cell as usize].size -= taken;
                self.cells[cell as usize].taken = new;
            }
        }
        let mut waited = false;
        for &e in &taken {
            let small = match self.seats[e as usize].cell {
                INNER => {
                    waited = true;
                    let source = self.source[e as usize];
                    let inner = self.blocks[self.spots[source as usize].block as usize].inner;
                    let small = self.small(inner);
                    self.put_into_cell(e, small);
                    small
                }
                mut cell => {
                    let taken = self.cells[cell as usize].taken;
                    if taken != ALL {
                        cell = taken;
                        self.seats[e as usize].cell = cell;
                    }
                    self.cells[cell as usize].slice
                }
            };
            let slice = self.slices[small as usize].partner;
            self.transfer(e, slice, small);
        }
        if waited {
            for &e in &taken {
                self.marks[self.source[e as usize] as usize] = 0;
            }
        }
        taken.clear();
        (self.taken, self.taken_cells) = (taken, cells);
        // Waiting transitions were under no promise of stability.
        for k in 0..self.partners.len() {
            let small = self.partners[k];
            let slice = self.slices[small as usize].partner;
            let stable = !self.is_inner(slice) && !self.slices[slice as usize].is_empty();
            self.push_pair(small, if stable { slice } else { NONE });
        }
        self.part_from_partners();
    }

    /// The slice for what leads from a slice into the block taken out.
    fn small(&mut self, slice: u32) -> u32 {
        let Slice {
            partner,
            block,
            list,
            ..
        } = self.slices[slice as usize];
        if partner != NONE {
            return partner;
        }
        let small = self.partner(slice, block);
        self.link(small, list);
        small
    }

    /// Makes a slice of the waiting transitions of a block: they lead into
    /// another constellation now.
    fn release_waiting(&mut self, block: u32) {
        let inner = self.blocks[block as usize].inner;
        if inner == NONE {
            return;
        }
        let Slice { middle, end, .. } = self.slices[inner as usize];
        if middle == end {
            return;
        }
        let slice = self.new_slice(block, middle);
        self.slices[slice as usize].end = end;
        self.slices[inner as usize].end = middle;
        if self.slices[inner as usize].is_empty() {
            self.kill(inner);
        }
        self.link(slice, 0);
        self.push_pair(slice, NONE);
        for slot in middle..end {
            self.put_into_cell(self.slots[slot as usize], slice);
        }
        for slot in middle..end {
            let source = self.source_at(slot);
            self.marks[source as usize] = 0;
        }
        self.steps += u64::from(end - middle);
    }

    /// Puts an inner transition into the cell of its source in a new slice. The
    /// cell is marked on the source.
    fn put_into_cell(&mut self, e: u32, slice: u32) {
        let source = self.source[e as usize] as usize;
        if self.marks[source] == 0 {
            self.marks[source] = self.new_cell(slice, 0) + 1;
        }
        let cell = self.marks[source] - 1;
        self.cells[cell as usize].size += 1;
        self.seats[e as usize].cell = cell;
    }

    fn push_pair(&mut self, small: u32, rest: u32) {
        self.slices[small as usize].pair = self.pairs.len() as u32;
        self.pairs.push(Pair { small, rest });
    }

    /// Splits blocks until they are stable under all pairs, but for fresh
    /// states. Splitting a block adds pairs for its new part.
    fn split_pairs(&mut self) {
        let mut k = 0;
        while k < self.pairs.len() {
            let Pair { small, rest } = self.pairs[k];
            k += 1;
            self.split_by_small(small);
            // If the split moved the slice to a new block, its pair there comes
            // later.
            if rest != NONE
                && !self.slices[small as usize].is_empty()
                && !self.slices[rest as usize].is_empty()
            {
                self.split_by_rest(small, rest);
            }
        }
        for k in 0..self.pairs.len() {
            let small = self.pairs[k].small;
            self.slices[small as usize].pair = NONE;
        }
        self.pairs.clear();
        self.collect();
    }

    fn split_by_small(&mut self, small: u32) {
        let slice = &self.slices[small as usize];
        let block = slice.block;
        let slots = slice.range();
        let bottoms = self.blocks[block as usize].bottoms();
        self.steps += slots.len() as u64;
        for slot in slots {
            self.join_r(self.source_at(slot));
        }
        let having = |s: &&u32| bottoms.contains(&self.spots[**s as usize].place);
        if self.r.states.iter().filter(having).count() < bottoms.len() && !self.r.states.is_empty()
        {
            self.split(small, Entries::Marked, bottoms);
        } else {
            self.unmark();
        }
    }

    /// Splits a block of which all bottom states that are not fresh have a
    /// transition in the small slice, and so do those without inert steps to
    /// others.
    fn split_by_rest(&mut self, small: u32, rest: u32) {
        let Slice {
            begin,
            middle,
            end,
            block,
            ..
        } = self.slices[rest as usize];
        let fresh = self.blocks[block as usize].fresh();
        for slot in begin..middle {
            self.join_r(self.source_at(slot));
        }
        let some_fresh_lack = self.r.states.len() < fresh.len();
        let slots = self.slices[small as usize].range();
        self.steps += slots.len() as u64 + u64::from(middle - begin);
        for slot in slots {
            let e = self.slots[slot as usize] as usize;
            let s = self.source[e];
            if self.cells[self.seats[e].cell as usize].taken == ALL && self.inert[s as usize] == 0 {
                self.join_u(s);
            }
        }
        if some_fresh_lack || !self.u.states.is_empty() {
            self.split(rest, Entries::Slots(middle, end), fresh);
        } else {
            self.unmark();
        }
    }

    // Fresh bottom states.

    /// Splits blocks until all fresh states have all slices of their blocks.
    fn stabilise(&mut self) {
        while let Some(&b) = self.unstable.last() {
            let block = &self.blocks[b as usize];
            let fresh = block.fresh();
            if fresh.is_empty() || block.size() == 1 {
                self.blocks[b as usize].listed = false;
                self.unstable.pop();
                continue;
            }
            let slice = block.lists[usize::from(block.todo)];
            if slice == NONE {
                self.next_round(b);
                continue;
            }
            self.unlink(slice);
            let done = 1 - self.blocks[b as usize].todo;
            self.link(slice, done);
            let Slice {
                begin, middle, end, ..
            } = self.slices[slice as usize];
            for slot in begin..middle {
                self.join_r(self.source_at(slot));
            }
            self.steps += u64::from(middle - begin) + 1;
            if self.r.states.len() < fresh.len() {
                self.split(slice, Entries::Slots(middle, end), fresh);
                self.collect();
            } else {
                self.unmark();
            }
        }
    }

    /// The states that the round was for are fresh no more.
    fn next_round(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        let places = b.bounds[1]..b.bounds[2];
        b.bounds[1] = b.bounds[2];
        b.bounds[2] = b.bounds[3];
        b.todo = 1 - b.todo;
        for place in places {
            for k in self.out(self.elements[place as usize]) {
                let e = self.outgoing[k];
                let cell = self.seats[e as usize].cell;
                if cell != INNER {
                    self.move_to_back(e, self.cells[cell as usize].slice);
                }
                self.steps += 1;
            }
        }
        self.steps += 1;
    }

    /// A state has lost its last inert step.
    fn make_bottom(&mut self, state: u32) {
        let Spot { block, place: here } = self.spots[state as usize];
        let b = &mut self.blocks[block as usize];
        let there = b.bounds[3];
        b.bounds[3] += 1;
        self.fill(here, there);
        self.elements[there as usize] = state;
        self.spots[state as usize].place = there;
        for k in self.out(state) {
            let e = self.outgoing[k];
            let cell = self.seats[e as usize].cell;
            if cell != INNER && cell != ALONE {
                self.move_to_front(e, self.cells[cell as usize].slice);
            }
            self.steps += 1;
        }
    }

    // Splitting a block.

    fn join_r(&mut self, state: u32) {
        let mark = &mut self.marks[state as usize];
        debug_assert_ne!(*mark, IN_U);
        if *mark != IN_R {
            *mark = IN_R;
            self.r.states.push(state);
        }
    }

    fn join_u(&mut self, state: u32) {
        let mark = &mut self.marks[state as usize];
        debug_assert_ne!(*mark, IN_R);
        if *mark != IN_U {
            *mark = IN_U;
            self.u.states.push(state);
        }
    }

    /// Takes off all marks.
    fn unmark(&mut self) {
        let marked = [&self.r.states, &self.u.states, &self.counted];
        for &s in marked.into_iter().flatten() {
            self.marks[s as usize] = 0;
        }
        self.r.clear();
        self.u.clear();
        self.counted.clear();
    }

    /// Splits the block of a slice into the states that reach the slice by
    /// inert steps, and the others. There must be some of both.
    ///
    /// Some states of R are marked already, and all bottom states among them;
    /// all bottom states of U are marked or in `candidates`.
    fn split(&mut self, slice: u32, entries: Entries, mut candidates: Range<u32>) {
        let block = self.slices[slice as usize].block;
        let half = self.blocks[block as usize].size() as usize / 2;
        let (mut entry, entries_end) = match entries {
            Entries::Marked => (0, 0),
            Entries::Slots(begin, end) => (begin, end),
        };
        // Transitions of the state that has to be looked through before it
        // joins U.
        let mut checked = 0..0;
        let mut checking = NONE;
        let moved_is_u = loop {
            self.steps += 2;
            // A turn for R.
            if self.r.states.len() <= half {
                if entry < entries_end {
                    self.join_r(self.source_at(entry));
                    entry += 1;
                } else if let Some(e) = self.r.incoming.next() {
                    let s = self.source[e];
                    if self.spots[s as usize].block == block {
                        self.join_r(s);
                    }
                } else if let Some(&t) = self.r.states.get(self.r.done) {
                    self.r.done += 1;
                    self.r.incoming = self.hidden_into(t);
                } else {
                    break false;
                }
            }
            // A turn for U.
            if self.u.states.len() <= half {
                if checking != NONE {
                    if let Some(k) = checked.next() {
                        let cell = self.seats[self.outgoing[k] as usize].cell;
                        if cell != INNER && self.cells[cell as usize].slice == slice {
                            // It has no inert step within R, and will be fresh.
                            checking = NONE;
                        }
                    } else {
                        self.join_u(checking);
                        checking = NONE;
                    }
                } else if let Some(place) = candidates.next() {
                    let s = self.elements[place as usize];
                    if self.marks[s as usize] != IN_R {
                        self.join_u(s);
                    }
                } else if let Some(e) = self.u.incoming.next() {
                    let s = self.source[e];
                    if self.spots[s as usize].block == block && self.leads_to_u(s) {
                        match entries {
                            Entries::Marked => self.join_u(s),
                            Entries::Slots(..) => (checking, checked) = (s, self.out(s)),
                        }
                    }
                } else if let Some(&t) = self.u.states.get(self.u.done) {
                    self.u.done += 1;
                    self.u.incoming = self.hidden_into(t);
                } else {
                    break true;
                }
            }
        };
        let side = if moved_is_u { &mut self.u } else { &mut self.r };
        let moved = std::mem::take(&mut side.states);
        for &s in &moved {
            self.marks[s as usize] = 0;
        }
        self.unmark();
        debug_assert!(!moved.is_empty() && moved.len() <= half);
        self.divide_block(block, &moved, moved_is_u);
        // Its memory is used again.
        let side = if moved_is_u { &mut self.u } else { &mut self.r };
        side.states = moved;
        side.clear();
        #[cfg(test)]
        self.validate();
    }

    /// Notes that one more inert step of a state leads to U; whether all do. A
    /// state of R is not looked at.
    fn leads_to_u(&mut self, state: u32) -> bool {
        let mark = &mut self.marks[state as usize];
        if *mark == IN_R {
            return false;
        }
        if *mark == 0 {
            *mark = self.inert[state as usize];
            self.counted.push(state);
        }
        *mark -= 1;
        *mark == 0
    }

    /// Makes `moved` a new block. If these states are U, states that stay may
    /// have inert steps into it; otherwise it may have some to those.
    fn divide_block(&mut self, old: u32, moved: &[u32], moved_is_u: bool) {
        let new = self.blocks.len() as u32;
        self.move_states(old, new, moved);
        let mut lost = std::mem::take(&mut self.lost);
        let is_alone = moved.len() == 1;
        for &s in moved {
            for k in self.out(s) {
                self.steps += 1;
                let e = self.outgoing[k];
                let cell = self.seats[e as usize].cell;
                // The step was inert, but not if it is the new block that stays.
                let is_lost =
                    cell == INNER && self.spots[self.rows.targets[k].index()].block == old;
                if is_lost {
                    debug_assert!(!moved_is_u);
                    lost.push(s);
                }
                if is_alone {
                    self.leave(e, old);
                } else {
                    let twin = self.move_to_twin(e, cell, old, new);
                    if is_lost {
                        self.move_to_back(e, twin);
                    }
                }
            }
        }
        if moved_is_u {
            for &t in moved {
                for e in self.hidden_into(t) {
                    self.steps += 1;
                    let s = self.source[e];
                    if self.spots[s as usize].block == old {
                        self.move_to_back(e as u32, self.blocks[old as usize].inner);
                        lost.push(s);
                    }
                }
            }
        }
        for s in lost.drain(..) {
            self.inert[s as usize] -= 1;
            if self.inert[s as usize] == 0 {
                self.make_bottom(s);
            }
        }
        self.lost = lost;
        for k in 0..self.partners.len() {
            let twin = self.partners[k];
            let slice = self.slices[twin as usize].partner;
            let pair = self.slices[slice as usize].pair;
            if pair != NONE {
                let rest = match self.pairs[pair as usize].rest {
                    NONE => NONE,
                    rest => self.slices[rest as usize].partner,
                };
                self.push_pair(twin, rest);
            }
        }
        self.part_from_partners();
        let b = &self.blocks[old as usize];
        let constellation = b.constellation;
        if b.size() == 1 {
            for k in self.out(self.elements[b.begin() as usize]) {
                self.steps += 1;
                self.leave(self.outgoing[k], old);
            }
        }
        self.list_debt(constellation);
        self.list_unstable(old);
        self.list_unstable(new);
    }

    /// Takes a transition, whose source is alone now, from its slice of the old
    /// block.
    fn leave(&mut self, e: u32, old: u32) {
        let cell = std::mem::replace(&mut self.seats[e as usize].cell, ALONE);
        let slice = match cell {
            INNER => self.blocks[old as usize].inner,
            cell => {
                let c = &mut self.cells[cell as usize];
                c.size -= 1;
                if c.size == 0 {
                    self.free_cells.push(cell);
                }
                c.slice
            }
        };
        self.remove(e, slice);
        if self.slices[slice as usize].is_empty() {
            self.kill(slice);
        }
    }

    /// Moves a transition, whose source is in the new block, out of its slice of
    /// the old one, into the slice of the new block that it is returned. Its
    /// cell goes with the first of the cell's transitions.
    fn move_to_twin(&mut self, e: u32, cell: u32, old: u32, new: u32) -> u32 {
        let slice = match cell {
            INNER => self.blocks[old as usize].inner,
            cell => self.cells[cell as usize].slice,
        };
        if self.slices[slice as usize].block == new {
            let from = self.slices[slice as usize].partner;
            self.transfer(e, from, slice);
            return slice;
        }
        let is_first = self.slices[slice as usize].partner == NONE;
        let twin = self.partner(slice, new);
        if cell == INNER {
            self.blocks[new as usize].inner = twin;
        } else {
            if is_first {
                self.link(twin, self.slices[twin as usize].list);
            }
            self.cells[cell as usize].slice = twin;
        }
        self.transfer(e, slice, twin);
        twin
    }

    /// Moves states to the end of their block's range and gives them that part
    /// of it.
    fn move_states(&mut self, old: u32, new: u32, moved: &[u32]) {
        for &s in moved {
            let mut hole = self.spots[s as usize].place;
            let b = &mut self.blocks[old as usize];
            let region = (0..REGIONS)
                .find(|&k| hole < b.bounds[k + 1])
                .expect("a state is within its block");
            self.regions[region].push(s);
            // The hole goes from region to region, to the end of each.
            for k in region + 1..=REGIONS {
                let b = &mut self.blocks[old as usize];
                b.bounds[k] -= 1;
                let last = b.bounds[k];
                self.fill(hole, last);
                hole = last;
            }
        }
        let Block {
            bounds,
            constellation,
            todo,
            ..
        } = self.blocks[old as usize];
        let mut place = bounds[REGIONS];
        let mut bounds = [place; REGIONS + 1];
        for k in 0..REGIONS {
            for s in self.regions[k].drain(..) {
                self.elements[place as usize] = s;
                self.spots[s as usize] = Spot { block: new, place };
                place += 1;
            }
            bounds[k + 1] = place;
        }
        self.blocks.push(Block {
            bounds,
            constellation,
            lists: [NONE; 2],
            todo,
            inner: NONE,
            listed: false,
        });
        self.steps += moved.len() as u64;
    }

    /// Copies an element into a place whose own element is moved elsewhere.
    fn fill(&mut self, hole: u32, from: u32) {
        // What stands in a hole is out of date.
        if hole == from {
            return;
        }
        let s = self.elements[from as usize];
        self.elements[hole as usize] = s;
        self.spots[s as usize].place = hole;
    }

    /// Asserts all that ties the columns together.
    #[cfg(test)]
    fn validate(&self) {
        // It takes far longer than a split.
        if self.source.len() > 300 {
            return;
        }
        assert!(self.marks.iter().all(|&mark| mark == 0));
        for (b, block) in self.blocks.iter().enumerate() {
            assert!(block.bounds.is_sorted());
            let mut sizes = std::collections::BTreeMap::<(u32, bool), u32>::new();
            for place in block.begin()..block.end() {
                let s = self.elements[place as usize];
                let Spot {
                    block: of,
                    place: at,
                } = self.spots[s as usize];
                assert_eq!((of, at), (b as u32, place));
                let mut inert = 0;
                for k in self.out(s) {
                    let e = self.outgoing[k] as usize;
                    assert_eq!(self.source[e], s);
                    let Seat { cell, slot } = self.seats[e];
                    assert_eq!(cell == ALONE, block.size() == 1);
                    if cell == ALONE {
                        continue;
                    }
                    assert_eq!(self.slots[slot as usize], e as u32);
                    let target = self.spots[self.rows.targets[k].index()].block as usize;
                    let within = self.blocks[target].constellation == block.constellation;
                    let hidden = self.rows.labels[k].is_hidden();
                    assert_eq!(cell == INNER, hidden && within);
                    let (slice, is_front) = if cell == INNER {
                        inert += u32::from(target == b);
                        (block.inner, target == b)
                    } else {
                        (
                            self.cells[cell as usize].slice,
                            block.fresh().contains(&place),
                        )
                    };
                    let range = &self.slices[slice as usize];
                    assert_eq!(range.block as usize, b);
                    assert!(range.range().contains(&slot));
                    assert_eq!(slot < range.middle, is_front);
                    *sizes.entry((slice, is_front)).or_default() += 1;
                }
                assert_eq!(self.inert[s as usize], inert);
                assert_eq!(place < block.bounds[3], inert == 0);
            }
            let mut slices = vec![];
            if block.inner != NONE {
                slices.push(block.inner);
            }
            for list in block.lists {
                let next = |&s: &u32| Some(self.slices[s as usize].next).filter(|&s| s != NONE);
                slices.extend(std::iter::successors(
                    Some(list).filter(|&s| s != NONE),
                    next,
                ));
            }
            let listed: u32 = slices
                .iter()
                .map(|&s| self.slices[s as usize].range().len() as u32)
                .sum();
            assert_eq!(listed, sizes.values().sum::<u32>());
            for s in slices {
                let Slice {
                    begin, middle, end, ..
                } = self.slices[s as usize];
                assert!(begin < end && begin <= middle && middle <= end);
                let size = |front| sizes.get(&(s, front)).copied().unwrap_or(0);
                assert_eq!((middle - begin, end - middle), (size(true), size(false)));
            }
        }
    }
}
