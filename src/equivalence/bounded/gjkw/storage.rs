//! Slices and cells: how transitions are kept in them, and moved.

use super::*;

impl Engine<'_> {
    pub(super) fn is_inner(&self, slice: u32) -> bool {
        self.blocks[self.slices[slice as usize].block as usize].inner == slice
    }

    /// An empty slice at this slot, in no list.
    pub(super) fn new_slice(&mut self, block: u32, slot: u32) -> u32 {
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

    pub(super) fn new_cell(&mut self, slice: u32, size: u32) -> u32 {
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
    pub(super) fn link(&mut self, slice: u32, list: u8) {
        let block = self.slices[slice as usize].block;
        let first = &mut self.blocks[block as usize].lists[usize::from(list)];
        let next = std::mem::replace(first, slice);
        if next != NONE {
            self.slices[next as usize].previous = slice;
        }
        let s = &mut self.slices[slice as usize];
        (s.next, s.previous, s.list) = (next, NONE, list);
    }

    pub(super) fn unlink(&mut self, slice: u32) {
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
    pub(super) fn kill(&mut self, slice: u32) {
        if self.is_inner(slice) {
            let block = self.slices[slice as usize].block;
            self.blocks[block as usize].inner = NONE;
        } else {
            self.unlink(slice);
        }
        self.dead_slices.push(slice);
    }

    pub(super) fn swap_slots(&mut self, here: u32, there: u32) {
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
    pub(super) fn move_to_front(&mut self, e: u32, slice: u32) {
        let s = &mut self.slices[slice as usize];
        let here = self.seats[e as usize].slot;
        debug_assert!(here >= s.middle && here < s.end);
        let there = s.middle;
        s.middle += 1;
        self.swap_slots(here, there);
    }

    /// Moves a transition of a slice's first region to the second.
    pub(super) fn move_to_back(&mut self, e: u32, slice: u32) {
        let s = &mut self.slices[slice as usize];
        let here = self.seats[e as usize].slot;
        debug_assert!(here >= s.begin && here < s.middle);
        s.middle -= 1;
        let there = s.middle;
        self.swap_slots(here, there);
    }

    /// Takes a transition out of a slice. Its slot is the one behind the slice.
    /// Tells whether it was in the first region.
    pub(super) fn remove(&mut self, e: u32, slice: u32) -> bool {
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
    pub(super) fn transfer(&mut self, e: u32, from: u32, to: u32) {
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
    pub(super) fn partner(&mut self, slice: u32, block: u32) -> u32 {
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
    pub(super) fn part_from_partners(&mut self) {
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
    pub(super) fn collect(&mut self) {
        self.free_slices.append(&mut self.dead_slices);
    }
}
