//! Taking a block out of its constellation, and the splits that calls for.

use super::*;

impl Engine<'_> {
    /// Makes a block that was taken from its constellation one of its own:
    /// divides all slices into that constellation and pairs the halves.
    pub(super) fn take_out(&mut self, block: u32) {
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
    pub(super) fn small(&mut self, slice: u32) -> u32 {
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
    pub(super) fn release_waiting(&mut self, block: u32) {
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
    pub(super) fn put_into_cell(&mut self, e: u32, slice: u32) {
        let source = self.source[e as usize] as usize;
        if self.marks[source] == 0 {
            self.marks[source] = self.new_cell(slice, 0) + 1;
        }
        let cell = self.marks[source] - 1;
        self.cells[cell as usize].size += 1;
        self.seats[e as usize].cell = cell;
    }

    pub(super) fn push_pair(&mut self, small: u32, rest: u32) {
        self.slices[small as usize].pair = self.pairs.len() as u32;
        self.pairs.push(Pair { small, rest });
    }

    /// Splits blocks until they are stable under all pairs, but for fresh
    /// states. Splitting a block adds pairs for its new part.
    pub(super) fn split_pairs(&mut self) {
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

    pub(super) fn split_by_small(&mut self, small: u32) {
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
    pub(super) fn split_by_rest(&mut self, small: u32, rest: u32) {
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
}
