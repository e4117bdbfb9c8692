//! Dividing a block whose sides are known.

use super::*;

impl Engine<'_> {
    /// Makes `moved` a new block. If these states are U, states that stay may
    /// have inert steps into it; otherwise it may have some to those.
    pub(super) fn divide_block(&mut self, old: u32, moved: &[u32], moved_is_u: bool) {
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
    pub(super) fn leave(&mut self, e: u32, old: u32) {
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
    pub(super) fn move_to_twin(&mut self, e: u32, cell: u32, old: u32, new: u32) -> u32 {
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
    pub(super) fn move_states(&mut self, old: u32, new: u32, moved: &[u32]) {
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
    pub(super) fn fill(&mut self, hole: u32, from: u32) {
        // What stands in a hole is out of date.
        if hole == from {
            return;
        }
        let s = self.elements[from as usize];
        self.elements[hole as usize] = s;
        self.spots[s as usize].place = hole;
    }
}
