//! Partition refinement in O(m log n) time whatever the input, for strong and
//! branching bisimilarity.
//!
//! The method is that of Paige & Tarjan 1987, carried over to branching
//! bisimilarity by Groote, Jansen, Keiren & Wijs 2017 ("An O(m log n) algorithm
//! for computing stuttering equivalence and branching bisimulation"). The
//! engines by signatures are several times faster on most inputs, and hand over
//! to this one on the others.
//!
//! * Blocks are grouped into *constellations*. The partition is kept stable
//!   under constellations: where one state of a block can do `a` into a
//!   constellation, possibly after inert steps, all states of the block can.
//!   A constellation of several blocks is a debt. To pay it, a block of at most
//!   half its states is taken out and becomes a constellation of its own.
//! * A *slice* holds the transitions of one block with one label into one
//!   constellation. A *cell* holds those of one state within a slice.
//! * Hidden transitions within a block are *inert* and are in no slice. A state
//!   without any is a *bottom* state. Every state reaches a bottom state by inert
//!   steps, so a block is stable if all its bottom states have all its slices,
//!   and a count of bottom states with a slice tells whether they do.
//! * A block splits into R, the states from which a slice is reached by inert
//!   steps, and U, the others. Both are searched for by turns, and the search
//!   that is done first ends the other, so the cost is that of the smaller.
//! * By a split a state may lose its last inert step. Such a *fresh* bottom
//!   state may lack any slice of its block; it is looked at for each.
//!
//! Hidden transitions into another block of the own constellation are under no
//! promise of stability yet: they wait, in one slice a block, until the
//! constellation is taken apart.

use hyades_formats::LabelId;

use super::rows::Rows;

/// No transition, cell, slice or block.
const NONE: u32 = u32::MAX;

/// Refines the blocks to the coarsest strong bisimulation within them.
pub(super) fn refine_strong(rows: Rows<'_>, block: Vec<u32>, count: u32) -> (Vec<u32>, u32) {
    Engine::new(rows, block, count, false).run()
}

/// Refines the blocks to the coarsest branching bisimulation within them. There
/// must be no cycle of hidden transitions (a hidden self-loop is one too).
pub(super) fn refine_branching(rows: Rows<'_>, block: Vec<u32>, count: u32) -> (Vec<u32>, u32) {
    Engine::new(rows, block, count, true).run()
}

/// A block: a range of `Engine::elements`, in three regions one after another:
/// bottom states, fresh bottom states, and other states.
struct Block {
    begin: u32,
    fresh: u32,
    others: u32,
    end: u32,
    constellation: u32,
    /// The first of its slices, a doubly linked list.
    slices: u32,
    /// The slice of hidden transitions into the own constellation.
    waiting: u32,
    /// Whether the block is on the list of blocks with fresh states.
    listed: bool,
}

impl Block {
    fn size(&self) -> u32 {
        self.end - self.begin
    }

    fn bottoms(&self) -> u32 {
        self.others - self.begin
    }
}

#[derive(Clone)]
struct Slice {
    /// The first of its transitions, a doubly linked list.
    first: u32,
    size: u32,
    /// How many bottom states have a transition in it.
    bottoms: u32,
    block: u32,
    label: LabelId,
    next: u32,
    previous: u32,
    /// While a block is taken out of its constellation: the slice for what goes
    /// into that block.
    small: u32,
    /// While a block splits: the slice for what starts in the new part, and
    /// there the slice that it was in before.
    twin: u32,
    /// Where the pair of this (small) slice stands among the pairs.
    pair: u32,
    /// When the slice was last visited, see `Engine::tick`.
    stamp: u32,
}

#[derive(Clone)]
struct Cell {
    slice: u32,
    size: u32,
    /// While a block is taken out: the cell for what goes into that block.
    small: u32,
    /// Of a small cell: whether nothing is left in the cell it was taken from.
    took_all: bool,
    /// When the cell was last visited, see `Engine::tick`.
    stamp: u32,
}

/// A slice into the block that was taken out, and the slice that it came from,
/// unless stability under both together was not known.
#[derive(Clone, Copy)]
struct Pair {
    small: u32,
    rest: u32,
}

struct Constellation {
    blocks: Vec<u32>,
    listed: bool,
}

/// What the search for one side of a split knows.
#[derive(Default)]
struct Side {
    states: Vec<u32>,
    /// How many of `states` have been searched from.
    done: usize,
    finished: bool,
}

/// Which bottom states may be in U.
#[derive(Clone, Copy, PartialEq)]
enum Lacking {
    /// Any: all states with a transition in the slice are marked beforehand.
    Any,
    /// Those whose small cell took all, and fresh ones.
    TookAll(u32),
    /// Fresh ones only.
    Fresh,
}

const UNSEEN: u8 = 0;
const IN_R: u8 = 1;
const IN_U: u8 = 2;

struct Engine<'a> {
    rows: Rows<'a>,
    silent: bool,
    // By transition.
    source: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    cell: Vec<u32>,
    /// Incoming transitions by target, the hidden ones first.
    incoming: Vec<u32>,
    incoming_start: Vec<u32>,
    incoming_visible: Vec<u32>,
    // By state.
    elements: Vec<u32>,
    place: Vec<u32>,
    block_of: Vec<u32>,
    /// The number of inert outgoing transitions.
    inert: Vec<u32>,
    /// The cell in the block's waiting slice.
    waiting_cell: Vec<u32>,
    /// Which side of the present split a state is on.
    side: Vec<u8>,
    /// Inert transitions not yet known to lead to U.
    open: Vec<u32>,

    blocks: Vec<Block>,
    slices: Vec<Slice>,
    cells: Vec<Cell>,
    free_slices: Vec<u32>,
    free_cells: Vec<u32>,
    /// Freed, but perhaps still referred to until the present step is over.
    dead_slices: Vec<u32>,
    dead_cells: Vec<u32>,
    constellations: Vec<Constellation>,
    /// Constellations of more than one block.
    debts: Vec<u32>,
    /// Blocks with fresh states.
    unstable: Vec<u32>,
    pairs: Vec<Pair>,
    now: u32,
}

impl<'a> Engine<'a> {
    fn new(rows: Rows<'a>, block: Vec<u32>, count: u32, silent: bool) -> Self {
        let n = rows.states();
        let m = rows.targets.len();
        let mut engine = Self {
            rows,
            silent,
            source: Vec::with_capacity(m),
            next: vec![NONE; m],
            previous: vec![NONE; m],
            cell: vec![NONE; m],
            incoming: vec![0; m],
            incoming_start: vec![0; n + 1],
            incoming_visible: vec![0; n],
            elements: vec![0; n],
            place: vec![0; n],
            block_of: block,
            inert: vec![0; n],
            waiting_cell: vec![NONE; if silent { n } else { 0 }],
            side: vec![UNSEEN; n],
            open: vec![0; if silent { n } else { 0 }],
            blocks: Vec::new(),
            slices: Vec::new(),
            cells: Vec::new(),
            free_slices: Vec::new(),
            free_cells: Vec::new(),
            dead_slices: Vec::new(),
            dead_cells: Vec::new(),
            constellations: vec![Constellation {
                blocks: (0..count).collect(),
                listed: count > 1,
            }],
            debts: if count > 1 { vec![0] } else { vec![] },
            unstable: Vec::new(),
            pairs: Vec::new(),
            now: 0,
        };
        engine.index_transitions();
        engine.place_states(count);
        engine.fill_slices();
        engine
    }

    fn index_transitions(&mut self) {
        let rows = self.rows;
        let n = rows.states();
        for s in 0..n as u32 {
            self.source.extend(std::iter::repeat_n(s, rows.degree(s)));
        }
        for t in rows.targets {
            self.incoming_start[t.index() + 1] += 1;
        }
        for t in 0..n {
            self.incoming_start[t + 1] += self.incoming_start[t];
        }
        let mut next = self.incoming_start.clone();
        for hidden in [true, false] {
            for (e, t) in rows.targets.iter().enumerate() {
                if rows.labels[e].is_hidden() == hidden {
                    self.incoming[next[t.index()] as usize] = e as u32;
                    next[t.index()] += 1;
                }
            }
            if hidden {
                self.incoming_visible.copy_from_slice(&next[..n]);
            }
        }
    }

    /// Puts the states into blocks; all bottom states are fresh.
    fn place_states(&mut self, count: u32) {
        for e in 0..self.rows.targets.len() as u32 {
            if self.is_inert(e) {
                self.inert[self.source[e as usize] as usize] += 1;
            }
        }
        let mut bottoms = vec![0u32; count as usize];
        let mut sizes = vec![0u32; count as usize];
        for (s, &b) in self.block_of.iter().enumerate() {
            sizes[b as usize] += 1;
            bottoms[b as usize] += u32::from(self.inert[s] == 0);
        }
        let mut begin = 0;
        for (&size, &bottoms) in sizes.iter().zip(&bottoms) {
            self.blocks.push(Block {
                begin,
                fresh: begin,
                others: begin + bottoms,
                end: begin + size,
                constellation: 0,
                slices: NONE,
                waiting: NONE,
                listed: true,
            });
            begin += size;
        }
        self.unstable = (0..count).collect();
        let mut next: Vec<(u32, u32)> = self.blocks.iter().map(|b| (b.begin, b.others)).collect();
        for s in 0..self.block_of.len() {
            let (bottom, other) = &mut next[self.block_of[s] as usize];
            let place = if self.inert[s] == 0 { bottom } else { other };
            self.elements[*place as usize] = s as u32;
            self.place[s] = *place;
            *place += 1;
        }
    }

    /// Puts every transition that is not inert into a slice and a cell.
    fn fill_slices(&mut self) {
        // By block, then by label: the slice of a label, if its block is the
        // one being worked on.
        let labels = self
            .rows
            .labels
            .iter()
            .map(|l| l.index() + 1)
            .max()
            .unwrap_or(0);
        let mut slice_of: Vec<(u32, u32)> = vec![(NONE, NONE); labels];
        let mut cell_of: Vec<(u32, u32)> = vec![(NONE, NONE); labels];
        for b in 0..self.blocks.len() as u32 {
            for k in self.blocks[b as usize].begin..self.blocks[b as usize].end {
                let s = self.elements[k as usize];
                let range = self.out(s);
                for e in range {
                    if self.is_inert(e) {
                        continue;
                    }
                    let label = self.rows.labels[e as usize];
                    if slice_of[label.index()].0 != b {
                        let slice = self.new_slice(b, label);
                        slice_of[label.index()] = (b, slice);
                        if self.silent && label.is_hidden() {
                            self.blocks[b as usize].waiting = slice;
                        }
                    }
                    let slice = slice_of[label.index()].1;
                    if cell_of[label.index()].0 != s {
                        let cell = self.new_cell(s, slice);
                        cell_of[label.index()] = (s, cell);
                        if self.silent && label.is_hidden() {
                            self.waiting_cell[s as usize] = cell;
                        }
                    }
                    self.link(e, slice, cell_of[label.index()].1);
                }
            }
        }
    }

    fn run(mut self) -> (Vec<u32>, u32) {
        self.stabilise();
        while let Some(k) = self.debts.pop() {
            let constellation = &mut self.constellations[k as usize];
            constellation.listed = false;
            let blocks = &mut constellation.blocks;
            if blocks.len() < 2 {
                continue;
            }
            // The smaller one of two blocks has at most half the states.
            let last = blocks.len() - 1;
            if self.blocks[blocks[last] as usize].size()
                > self.blocks[blocks[last - 1] as usize].size()
            {
                blocks.swap(last, last - 1);
            }
            let block = blocks.pop().expect("there are two");
            self.list_debt(k);
            self.take_out(block, k);
            self.split_pairs();
            self.stabilise();
        }
        (self.block_of, self.blocks.len() as u32)
    }

    // Transitions, cells, slices.

    fn out(&self, state: u32) -> std::ops::Range<u32> {
        self.rows.offsets[state as usize]..self.rows.offsets[state as usize + 1]
    }

    fn target(&self, e: u32) -> u32 {
        self.rows.targets[e as usize].get()
    }

    fn is_inert(&self, e: u32) -> bool {
        self.silent
            && self.rows.labels[e as usize].is_hidden()
            && self.block_of[self.source[e as usize] as usize]
                == self.block_of[self.target(e) as usize]
    }

    fn is_bottom(&self, state: u32) -> bool {
        self.inert[state as usize] == 0
    }

    fn new_slice(&mut self, block: u32, label: LabelId) -> u32 {
        let first_of_block = self.blocks[block as usize].slices;
        let slice = Slice {
            first: NONE,
            size: 0,
            bottoms: 0,
            block,
            label,
            next: first_of_block,
            previous: NONE,
            small: NONE,
            twin: NONE,
            pair: NONE,
            stamp: self.now,
        };
        let id = match self.free_slices.pop() {
            Some(id) => {
                self.slices[id as usize] = slice;
                id
            }
            None => {
                self.slices.push(slice);
                self.slices.len() as u32 - 1
            }
        };
        if first_of_block != NONE {
            self.slices[first_of_block as usize].previous = id;
        }
        self.blocks[block as usize].slices = id;
        id
    }

    fn new_cell(&mut self, state: u32, slice: u32) -> u32 {
        let cell = Cell {
            slice,
            size: 0,
            small: NONE,
            took_all: false,
            stamp: self.now,
        };
        if self.is_bottom(state) {
            self.slices[slice as usize].bottoms += 1;
        }
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

    /// Puts a transition that is in no slice into one.
    fn link(&mut self, e: u32, slice: u32, cell: u32) {
        self.cell[e as usize] = cell;
        self.cells[cell as usize].size += 1;
        self.append(e, slice);
    }

    fn append(&mut self, e: u32, slice: u32) {
        let s = &mut self.slices[slice as usize];
        s.size += 1;
        let first = std::mem::replace(&mut s.first, e);
        self.next[e as usize] = first;
        self.previous[e as usize] = NONE;
        if first != NONE {
            self.previous[first as usize] = e;
        }
    }

    /// Takes a transition out of its slice's list; an empty slice leaves its
    /// block.
    fn remove(&mut self, e: u32, slice: u32) {
        let (next, previous) = (self.next[e as usize], self.previous[e as usize]);
        if next != NONE {
            self.previous[next as usize] = previous;
        }
        if previous != NONE {
            self.next[previous as usize] = next;
        } else {
            self.slices[slice as usize].first = next;
        }
        let s = &mut self.slices[slice as usize];
        s.size -= 1;
        if s.size > 0 {
            return;
        }
        let (next, previous, block) = (s.next, s.previous, s.block);
        if next != NONE {
            self.slices[next as usize].previous = previous;
        }
        let block = &mut self.blocks[block as usize];
        if block.waiting == slice {
            block.waiting = NONE;
        }
        if previous != NONE {
            self.slices[previous as usize].next = next;
        } else {
            block.slices = next;
        }
        self.dead_slices.push(slice);
    }

    /// The transitions of a slice.
    #[cfg(test)]
    fn transitions(&self, slice: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.slices[slice as usize].first;
        std::iter::successors((first != NONE).then_some(first), |&e| {
            let next = self.next[e as usize];
            (next != NONE).then_some(next)
        })
    }

    /// Whether a state has a transition in a slice. O(degree).
    fn has(&self, state: u32, slice: u32) -> bool {
        self.out(state).any(|e| {
            let cell = self.cell[e as usize];
            cell != NONE && self.cells[cell as usize].slice == slice
        })
    }

    /// What was freed may be used again.
    fn collect(&mut self) {
        self.free_slices.append(&mut self.dead_slices);
        self.free_cells.append(&mut self.dead_cells);
    }

    fn list_debt(&mut self, constellation: u32) {
        let c = &mut self.constellations[constellation as usize];
        if c.blocks.len() > 1 && !c.listed {
            c.listed = true;
            self.debts.push(constellation);
        }
    }

    fn list_unstable(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        if b.fresh < b.others && !b.listed {
            b.listed = true;
            self.unstable.push(block);
        }
    }

    // Taking a block out of its constellation.

    /// Makes a block that was taken from constellation `from` one of its own:
    /// divides all slices into `from` and pairs the halves.
    fn take_out(&mut self, block: u32, from: u32) {
        let new = self.constellations.len() as u32;
        self.constellations.push(Constellation {
            blocks: vec![block],
            listed: false,
        });
        self.blocks[block as usize].constellation = new;
        self.pairs.clear();
        // Its own waiting transitions lead into another constellation now.
        let waiting = std::mem::replace(&mut self.blocks[block as usize].waiting, NONE);
        if waiting != NONE {
            let mut e = self.slices[waiting as usize].first;
            while e != NONE {
                self.waiting_cell[self.source[e as usize] as usize] = NONE;
                e = self.next[e as usize];
            }
            self.push_pair(waiting, NONE);
        }
        let mut divided = Vec::new();
        let range = self.blocks[block as usize].begin..self.blocks[block as usize].end;
        for k in range {
            let t = self.elements[k as usize] as usize;
            for i in self.incoming_start[t]..self.incoming_start[t + 1] {
                let e = self.incoming[i as usize];
                if !self.is_inert(e) {
                    self.divide(e, from, &mut divided);
                }
            }
        }
        for cell in divided {
            self.cells[cell as usize].small = NONE;
        }
        for k in 0..self.pairs.len() {
            let rest = self.pairs[k].rest;
            if rest != NONE {
                self.slices[rest as usize].small = NONE;
            }
        }
        // Slices of waiting transitions were under no promise of stability.
        for k in 0..self.pairs.len() {
            let Pair { small, rest } = self.pairs[k];
            if rest != NONE && self.silent {
                let s = &self.slices[small as usize];
                if s.label.is_hidden() && self.blocks[s.block as usize].constellation == from {
                    self.pairs[k].rest = NONE;
                }
            }
        }
    }

    fn push_pair(&mut self, small: u32, rest: u32) {
        self.slices[small as usize].pair = self.pairs.len() as u32;
        self.pairs.push(Pair { small, rest });
    }

    /// Moves a transition into the block taken out from its slice into the
    /// small slice beside it.
    fn divide(&mut self, e: u32, from: u32, divided: &mut Vec<u32>) {
        let state = self.source[e as usize];
        let cell = self.cell[e as usize];
        let slice = self.cells[cell as usize].slice;
        let Slice {
            block,
            label,
            small,
            ..
        } = self.slices[slice as usize];
        let small = if small != NONE {
            small
        } else {
            let small = self.new_slice(block, label);
            self.slices[slice as usize].small = small;
            self.push_pair(small, slice);
            small
        };
        let small_cell = match self.cells[cell as usize].small {
            NONE => {
                let new = self.new_cell(state, small);
                self.cells[cell as usize].small = new;
                divided.push(cell);
                new
            }
            known => known,
        };
        self.remove(e, slice);
        self.link(e, small, small_cell);
        self.cells[cell as usize].size -= 1;
        if self.cells[cell as usize].size == 0 {
            self.cells[small_cell as usize].took_all = true;
            if self.is_bottom(state) {
                self.slices[slice as usize].bottoms -= 1;
            }
            if self.silent && label.is_hidden() && self.blocks[block as usize].constellation == from
            {
                self.waiting_cell[state as usize] = NONE;
            }
            self.dead_cells.push(cell);
        }
    }

    /// Splits blocks until they are stable under all pairs, but for fresh
    /// states. Splitting a block adds pairs for its new part.
    fn split_pairs(&mut self) {
        let mut k = 0;
        while k < self.pairs.len() {
            let Pair { small, rest } = self.pairs[k];
            let unstable = |engine: &Self, slice: u32| {
                let s = &engine.slices[slice as usize];
                s.size > 0 && s.bottoms < engine.blocks[s.block as usize].bottoms()
            };
            if unstable(self, small) {
                self.split(small, Lacking::Any);
            }
            // If the split moved the slice to a new block, its pair there comes
            // later.
            if rest != NONE && self.slices[small as usize].size > 0 && unstable(self, rest) {
                self.split(rest, Lacking::TookAll(small));
            }
            k += 1;
        }
        for k in 0..self.pairs.len() {
            let small = self.pairs[k].small;
            self.slices[small as usize].pair = NONE;
            let mut e = self.slices[small as usize].first;
            while e != NONE {
                let cell = self.cell[e as usize];
                self.cells[cell as usize].took_all = false;
                e = self.next[e as usize];
            }
        }
        self.pairs.clear();
        self.collect();
    }

    // Fresh bottom states.

    /// Splits blocks until all fresh states have all slices of their blocks.
    fn stabilise(&mut self) {
        while let Some(&b) = self.unstable.last() {
            let block = &self.blocks[b as usize];
            if block.fresh == block.others {
                self.blocks[b as usize].listed = false;
                self.unstable.pop();
                continue;
            }
            let state = self.elements[block.fresh as usize];
            let (mut slice, waiting) = (block.slices, block.waiting);
            self.tick();
            let mut missing = NONE;
            for e in self.out(state) {
                let cell = self.cell[e as usize];
                if cell != NONE {
                    let of = self.cells[cell as usize].slice;
                    self.slices[of as usize].stamp = self.now;
                }
            }
            while slice != NONE {
                if slice != waiting && self.slices[slice as usize].stamp != self.now {
                    missing = slice;
                    break;
                }
                slice = self.slices[slice as usize].next;
            }
            if missing == NONE {
                self.blocks[b as usize].fresh += 1;
            } else {
                self.split(missing, Lacking::Fresh);
                self.collect();
            }
        }
    }

    // Splitting a block.

    /// Splits the block of a slice into the states that reach the slice by
    /// inert steps, and the others. There must be some of both.
    fn split(&mut self, slice: u32, lacking: Lacking) {
        let block = self.slices[slice as usize].block;
        let half = self.blocks[block as usize].size() / 2;
        let mut r = Side::default();
        let mut u = Side::default();
        let mut entry = self.slices[slice as usize].first;
        if lacking == Lacking::Any {
            while entry != NONE {
                self.join(self.source[entry as usize], IN_R, &mut r);
                entry = self.next[entry as usize];
            }
        }
        let b = &self.blocks[block as usize];
        // Candidates for U: transitions of a small slice, then a range of
        // elements.
        let mut candidates = match lacking {
            Lacking::Any => b.begin..b.others,
            Lacking::TookAll(_) | Lacking::Fresh => b.fresh..b.others,
        };
        let mut candidate = match lacking {
            Lacking::TookAll(small) => self.slices[small as usize].first,
            _ => NONE,
        };
        let mut counted = Vec::new();
        let moved_side = loop {
            // A turn for R: one more transition of the slice, or state.
            if !r.finished && r.states.len() as u32 <= half {
                if entry != NONE {
                    self.join(self.source[entry as usize], IN_R, &mut r);
                    entry = self.next[entry as usize];
                } else if r.done < r.states.len() {
                    let t = r.states[r.done] as usize;
                    r.done += 1;
                    for i in self.incoming_start[t]..self.incoming_visible[t] {
                        let e = self.incoming[i as usize];
                        if self.is_inert(e) {
                            self.join(self.source[e as usize], IN_R, &mut r);
                        }
                    }
                } else {
                    r.finished = true;
                    break IN_R;
                }
            }
            // A turn for U: one more candidate, or state.
            if u.states.len() as u32 <= half {
                if candidate != NONE {
                    let s = self.source[candidate as usize];
                    let cell = self.cell[candidate as usize];
                    candidate = self.next[candidate as usize];
                    if self.cells[cell as usize].took_all && self.is_bottom(s) {
                        debug_assert!(!self.has(s, slice));
                        self.join(s, IN_U, &mut u);
                    }
                } else if let Some(k) = candidates.next() {
                    let s = self.elements[k as usize];
                    let has = match lacking {
                        Lacking::Any => self.side[s as usize] == IN_R,
                        _ => self.has(s, slice),
                    };
                    if !has {
                        self.join(s, IN_U, &mut u);
                    }
                } else if u.done < u.states.len() {
                    let t = u.states[u.done] as usize;
                    u.done += 1;
                    for i in self.incoming_start[t]..self.incoming_visible[t] {
                        let e = self.incoming[i as usize];
                        if self.is_inert(e) {
                            self.lead_to_u(
                                self.source[e as usize],
                                slice,
                                lacking,
                                &mut u,
                                &mut counted,
                            );
                        }
                    }
                } else {
                    u.finished = true;
                    break IN_U;
                }
            }
        };
        for s in counted {
            self.open[s as usize] = 0;
        }
        for &s in r.states.iter().chain(&u.states) {
            self.side[s as usize] = UNSEEN;
        }
        let moved = if moved_side == IN_R {
            r.states
        } else {
            u.states
        };
        debug_assert!(!moved.is_empty() && moved.len() as u32 <= half.max(1));
        self.divide_block(block, &moved, moved_side == IN_U);
        #[cfg(test)]
        self.validate();
    }

    fn join(&mut self, state: u32, side: u8, list: &mut Side) {
        if self.side[state as usize] == UNSEEN {
            self.side[state as usize] = side;
            list.states.push(state);
        }
        debug_assert_eq!(self.side[state as usize], side);
    }

    /// Notes that one more inert step of a state leads to U. If it was the last
    /// and the state has nothing in the slice, the state is in U.
    fn lead_to_u(
        &mut self,
        state: u32,
        slice: u32,
        lacking: Lacking,
        u: &mut Side,
        counted: &mut Vec<u32>,
    ) {
        if self.side[state as usize] == IN_R {
            return;
        }
        let open = &mut self.open[state as usize];
        if *open == 0 {
            *open = self.inert[state as usize];
            counted.push(state);
        }
        *open -= 1;
        if *open == 0 {
            // The count does not start anew: each inert step leads to U once.
            if lacking == Lacking::Any || !self.has(state, slice) {
                self.join(state, IN_U, u);
            }
        }
    }

    /// Makes `moved` a new block. If these states are U, states that stay may
    /// have inert steps into it; otherwise it may have some to those.
    fn divide_block(&mut self, old: u32, moved: &[u32], moved_is_u: bool) {
        let new = self.blocks.len() as u32;
        self.move_elements(old, new, moved);
        let mut twins = Vec::new();
        // The source of each transition that is inert no more.
        let mut lost = Vec::new();
        for &s in moved {
            for e in self.out(s) {
                if self.cell[e as usize] != NONE {
                    self.move_to_twin(e, new, &mut twins);
                } else if self.block_of[self.target(e) as usize] == old {
                    debug_assert!(!moved_is_u);
                    self.wait(e, new, &mut twins);
                    lost.push(s);
                }
            }
        }
        if moved_is_u && self.silent {
            for &t in moved {
                let t = t as usize;
                for i in self.incoming_start[t]..self.incoming_visible[t] {
                    let e = self.incoming[i as usize];
                    let s = self.source[e as usize];
                    if self.cell[e as usize] == NONE && self.block_of[s as usize] == old {
                        self.wait(e, old, &mut twins);
                        lost.push(s);
                    }
                }
            }
        }
        for s in lost {
            self.inert[s as usize] -= 1;
            if self.is_bottom(s) {
                self.make_bottom(s);
            }
        }
        for &twin in &twins {
            let slice = self.slices[twin as usize].twin;
            let pair = self.slices[slice as usize].pair;
            if pair != NONE {
                let rest = match self.pairs[pair as usize].rest {
                    NONE => NONE,
                    rest => self.slices[rest as usize].twin,
                };
                self.push_pair(twin, rest);
            }
        }
        for twin in twins {
            let slice = self.slices[twin as usize].twin;
            self.slices[slice as usize].twin = NONE;
            self.slices[twin as usize].twin = NONE;
        }
        let constellation = self.blocks[old as usize].constellation;
        self.constellations[constellation as usize].blocks.push(new);
        self.list_debt(constellation);
        self.list_unstable(old);
        self.list_unstable(new);
    }

    /// The slice of the new block for what was in `slice`.
    fn twin_of(&mut self, slice: u32, new: u32, twins: &mut Vec<u32>) -> u32 {
        let Slice {
            twin, block, label, ..
        } = self.slices[slice as usize];
        if twin != NONE {
            return twin;
        }
        let waits = self.blocks[block as usize].waiting == slice;
        let twin = if waits {
            self.waiting_slice(new)
        } else {
            self.new_slice(new, label)
        };
        self.slices[slice as usize].twin = twin;
        self.slices[twin as usize].twin = slice;
        twins.push(twin);
        twin
    }

    fn waiting_slice(&mut self, block: u32) -> u32 {
        if self.blocks[block as usize].waiting == NONE {
            self.blocks[block as usize].waiting = self.new_slice(block, LabelId::HIDDEN);
        }
        self.blocks[block as usize].waiting
    }

    /// Moves a transition whose source is in the new block out of its slice of
    /// the old block. Its cell goes with the first of the cell's transitions.
    fn move_to_twin(&mut self, e: u32, new: u32, twins: &mut Vec<u32>) {
        let cell = self.cell[e as usize];
        let slice = self.cells[cell as usize].slice;
        let (slice, twin) = if self.slices[slice as usize].block == new {
            (self.slices[slice as usize].twin, slice)
        } else {
            (
                slice,
                self.move_cell(self.source[e as usize], cell, new, twins),
            )
        };
        self.remove(e, slice);
        self.append(e, twin);
    }

    fn move_cell(&mut self, state: u32, cell: u32, new: u32, twins: &mut Vec<u32>) -> u32 {
        let slice = self.cells[cell as usize].slice;
        let twin = self.twin_of(slice, new, twins);
        self.cells[cell as usize].slice = twin;
        if self.is_bottom(state) {
            self.slices[slice as usize].bottoms -= 1;
            self.slices[twin as usize].bottoms += 1;
        }
        twin
    }

    /// Puts a transition that was inert into the waiting slice of its block.
    fn wait(&mut self, e: u32, block: u32, twins: &mut Vec<u32>) {
        let state = self.source[e as usize];
        let slice = match self.waiting_cell[state as usize] {
            NONE => {
                let slice = self.waiting_slice(block);
                self.waiting_cell[state as usize] = self.new_cell(state, slice);
                slice
            }
            cell if self.slices[self.cells[cell as usize].slice as usize].block != block => {
                self.move_cell(state, cell, block, twins)
            }
            cell => self.cells[cell as usize].slice,
        };
        self.link(e, slice, self.waiting_cell[state as usize]);
    }

    /// A state has lost its last inert step.
    fn make_bottom(&mut self, state: u32) {
        let b = &mut self.blocks[self.block_of[state as usize] as usize];
        let front = b.others;
        b.others += 1;
        let here = self.place[state as usize];
        self.fill(here, front);
        self.elements[front as usize] = state;
        self.place[state as usize] = front;
        self.tick();
        for e in self.out(state) {
            let cell = &mut self.cells[self.cell[e as usize] as usize];
            if cell.stamp != self.now {
                cell.stamp = self.now;
                self.slices[cell.slice as usize].bottoms += 1;
            }
        }
    }

    /// Makes all stamps old.
    fn tick(&mut self) {
        if self.now == u32::MAX {
            self.now = 0;
            self.cells.iter_mut().for_each(|c| c.stamp = 0);
            self.slices.iter_mut().for_each(|s| s.stamp = 0);
        }
        self.now += 1;
    }

    /// Moves states to the end of their block's range and gives them that part
    /// of it.
    fn move_elements(&mut self, old: u32, new: u32, moved: &[u32]) {
        let mut regions: [Vec<u32>; 3] = Default::default();
        for &s in moved {
            let mut hole = self.place[s as usize];
            let b = &mut self.blocks[old as usize];
            let region = if hole < b.fresh {
                0
            } else {
                1 + usize::from(hole >= b.others)
            };
            regions[region].push(s);
            // The hole goes from region to region, to the end of each.
            b.end -= 1;
            b.others -= u32::from(region < 2);
            b.fresh -= u32::from(region < 1);
            for last in [b.fresh, b.others, b.end].into_iter().skip(region) {
                self.fill(hole, last);
                hole = last;
            }
            self.block_of[s as usize] = new;
        }
        let Block {
            end: begin,
            constellation,
            ..
        } = self.blocks[old as usize];
        let mut place = begin;
        for &s in regions.iter().flatten() {
            self.elements[place as usize] = s;
            self.place[s as usize] = place;
            place += 1;
        }
        let fresh = begin + regions[0].len() as u32;
        self.blocks.push(Block {
            begin,
            fresh,
            others: fresh + regions[1].len() as u32,
            end: place,
            constellation,
            slices: NONE,
            waiting: NONE,
            listed: false,
        });
    }

    /// Asserts all that ties the columns together.
    #[cfg(test)]
    fn validate(&self) {
        for (b, block) in self.blocks.iter().enumerate() {
            let members = &self.elements[block.begin as usize..block.end as usize];
            for (k, &s) in members.iter().enumerate() {
                assert_eq!(self.block_of[s as usize], b as u32);
                assert_eq!(self.place[s as usize], block.begin + k as u32);
                let inert = self.out(s).filter(|&e| self.is_inert(e)).count() as u32;
                assert_eq!(self.inert[s as usize], inert);
                assert_eq!(self.place[s as usize] < block.others, inert == 0);
            }
            let mut slice = block.slices;
            while slice != NONE {
                let data = &self.slices[slice as usize];
                let mut bottoms: Vec<u32> = Vec::new();
                let mut size = 0;
                for e in self.transitions(slice) {
                    size += 1;
                    let s = self.source[e as usize];
                    assert_eq!(self.block_of[s as usize], b as u32, "source");
                    assert_eq!(self.rows.labels[e as usize], data.label);
                    assert_eq!(
                        self.cells[self.cell[e as usize] as usize].slice, slice,
                        "cell"
                    );
                    if self.is_bottom(s) {
                        bottoms.push(s);
                    }
                }
                bottoms.sort_unstable();
                bottoms.dedup();
                assert_eq!((data.block, data.size), (b as u32, size));
                assert_eq!(data.bottoms, bottoms.len() as u32, "bottoms");
                slice = data.next;
            }
        }
        for e in 0..self.source.len() as u32 {
            assert_eq!(self.is_inert(e), self.cell[e as usize] == NONE);
        }
    }

    /// Copies an element into a place whose own element is moved elsewhere.
    fn fill(&mut self, hole: u32, from: u32) {
        // What stands in a hole is out of date.
        if hole == from {
            return;
        }
        let s = self.elements[from as usize];
        self.elements[hole as usize] = s;
        self.place[s as usize] = hole;
    }
}
