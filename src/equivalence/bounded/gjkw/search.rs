//! The search for the two sides of a split.

use super::*;

impl Engine<'_> {
    pub(super) fn join_r(&mut self, state: u32) {
        let mark = &mut self.marks[state as usize];
        debug_assert_ne!(*mark, IN_U);
        if *mark != IN_R {
            *mark = IN_R;
            self.r.states.push(state);
        }
    }

    pub(super) fn join_u(&mut self, state: u32) {
        let mark = &mut self.marks[state as usize];
        debug_assert_ne!(*mark, IN_R);
        if *mark != IN_U {
            *mark = IN_U;
            self.u.states.push(state);
        }
    }

    /// Takes off all marks.
    pub(super) fn unmark(&mut self) {
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
    pub(super) fn split(&mut self, slice: u32, entries: Entries, mut candidates: Range<u32>) {
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
    pub(super) fn leads_to_u(&mut self, state: u32) -> bool {
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
}
