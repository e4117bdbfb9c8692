//! Bottom states that were none before.

use super::*;

impl Engine<'_> {
    pub(super) fn list_unstable(&mut self, block: u32) {
        let b = &mut self.blocks[block as usize];
        if !b.fresh().is_empty() && !b.listed {
            b.listed = true;
            self.unstable.push(block);
        }
    }

    /// Splits blocks until all fresh states have all slices of their blocks.
    pub(super) fn stabilise(&mut self) {
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
    pub(super) fn next_round(&mut self, block: u32) {
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
    pub(super) fn make_bottom(&mut self, state: u32) {
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
}
