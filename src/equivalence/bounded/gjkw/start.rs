//! The columns as refinement starts.

use super::*;

impl<'a> Engine<'a> {
    pub(super) fn new(rows: Rows<'a>, block: Vec<u32>, count: u32) -> Self {
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

    pub(super) fn place_states(&mut self, count: u32) {
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
    pub(super) fn fill_slices(&mut self) {
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
}
