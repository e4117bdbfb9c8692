//! Colour refinement on the graph of components and values.
//!
//! A component is joined with the values that have a role in its state, by edges
//! labelled with the role. Values are in cells, those of each type by themselves;
//! what a component sees is the sum of random bits of the cells of its values, and
//! what a value sees is the sum of what its components see. Cells are split by
//! that until nothing changes. Should two sums be equal by accident, a cell is
//! larger than need be, and a representative may not be unique; it is one of the
//! orbit whatever the sums are.

use super::super::action::{Action, mixed};

/// Cells of values, in their order, and the graph that splits them.
pub(super) struct Colouring {
    cells: Cells,
    /// A cell for each type.
    initial: Cells,
    /// What each value sees.
    sums: Vec<u64>,
    /// Random bits for the cell that starts at each place.
    keys: Vec<u64>,
}

/// An ordered partition of the values, and the components that can still split it.
#[derive(Clone, Default)]
pub(super) struct Cells {
    /// The values, cell after cell.
    order: Vec<u16>,
    /// Where in the order each value is.
    place: Vec<u16>,
    /// For each place, where its cell starts.
    start: Vec<u16>,
    /// For the start of each cell, where it ends.
    end: Vec<u16>,
    /// Random bits for the cell of each value.
    colour: Vec<u64>,
    /// Whether each value is in a cell of its own.
    alone: Vec<bool>,
    /// How many cells there are.
    count: usize,
    /// Components of which the state has several values: random bits for the
    /// control state, and the edges. Those that see no value in a cell with others
    /// may be missing.
    components: Vec<(u64, u32, u32)>,
}

impl Cells {
    fn copy_from(&mut self, other: &Self) {
        self.order.clone_from(&other.order);
        self.place.clone_from(&other.place);
        self.start.clone_from(&other.start);
        self.end.clone_from(&other.end);
        self.colour.clone_from(&other.colour);
        self.alone.clone_from(&other.alone);
        self.components.clone_from(&other.components);
        self.count = other.count;
    }
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = (a ^ b).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    product ^ (product >> 32)
}

impl Colouring {
    pub fn new(action: &Action) -> Self {
        let count = action.values();
        let keys: Vec<u64> = (0..count as u64).map(|place| mixed(!place)).collect();
        let mut initial = Cells {
            order: (0..count as u16).collect(),
            place: (0..count as u16).collect(),
            start: vec![0; count],
            end: vec![0; count],
            colour: vec![0; count],
            alone: vec![false; count],
            count: action.ranges.len(),
            components: Vec::new(),
        };
        for range in &action.ranges {
            initial.end[range.start] = range.end as u16;
            for v in range.clone() {
                initial.start[v] = range.start as u16;
                initial.colour[v] = keys[range.start];
                initial.alone[v] = range.len() == 1;
            }
        }
        Self {
            cells: initial.clone(),
            initial,
            sums: vec![0; count],
            keys,
        }
    }

    /// The image of each value by the permutation that puts the values in the order
    /// of their cells.
    pub fn places(&self) -> &[u16] {
        &self.cells.place
    }

    /// Starts with the cells of values of one type that have the same roles as
    /// often in the same control states.
    #[inline]
    pub fn load(&mut self, action: &Action, state: &[u32]) {
        self.cells.copy_from(&self.initial);
        self.sums.fill(0);
        for &x in state {
            let (orbit, from, to) = action.joined(x);
            for edge in &action.edges[from as usize..to as usize] {
                let sum = &mut self.sums[edge.value as usize];
                *sum = sum.wrapping_add(edge.key);
            }
            // With one value only, a component has nothing else to say.
            if to - from > 1 {
                self.cells.components.push((orbit, from, to));
            }
        }
        self.split_all();
    }

    /// Splits cells until nothing changes.
    pub fn refine(&mut self, action: &Action) {
        while !self.is_discrete() && self.round(action) {}
    }

    /// Splits each cell by what its values see; whether any has been split.
    #[inline]
    fn round(&mut self, action: &Action) -> bool {
        self.sums.fill(0);
        let cells = &mut self.cells;
        let mut k = 0;
        while let Some(&(orbit, from, to)) = cells.components.get(k) {
            let edges = &action.edges[from as usize..to as usize];
            let mut seen = orbit;
            let mut all_alone = true;
            for edge in edges {
                seen = seen.wrapping_add(fold(cells.colour[edge.value as usize], edge.key));
                all_alone &= cells.alone[edge.value as usize];
            }
            if all_alone {
                cells.components.swap_remove(k);
                continue;
            }
            for edge in edges {
                let sum = &mut self.sums[edge.value as usize];
                *sum = sum.wrapping_add(fold(seen, edge.key));
            }
            k += 1;
        }
        let before = self.cells.count;
        self.split_all();
        self.cells.count > before
    }

    #[inline]
    fn split_all(&mut self) {
        let mut from = 0;
        while from < self.sums.len() {
            let to = usize::from(self.cells.end[from]);
            if to - from > 1 {
                self.split(from, to);
            }
            from = to;
        }
    }

    /// Sorts a cell by what its values see, and cuts it where that differs.
    #[inline]
    fn split(&mut self, from: usize, to: usize) {
        let cells = &mut self.cells;
        let (order, sums) = (&mut cells.order[from..to], &self.sums);
        let sum = |v: u16| sums[usize::from(v)];
        let first = sum(order[0]);
        if order[1..].iter().all(|&v| sum(v) == first) {
            return;
        }
        if order.len() > 20 {
            order.sort_by_key(|&v| sum(v));
        } else {
            for k in 1..order.len() {
                let (v, mut at) = (order[k], k);
                while at > 0 && sum(order[at - 1]) > sum(v) {
                    order[at] = order[at - 1];
                    at -= 1;
                }
                order[at] = v;
            }
        }
        let mut start = from;
        let mut last = first;
        for at in from..to {
            let v = usize::from(cells.order[at]);
            cells.place[v] = at as u16;
            if at > from && self.sums[v] != last {
                cells.end[start] = at as u16;
                cells.alone[usize::from(cells.order[start])] = at - start == 1;
                start = at;
                cells.count += 1;
            }
            last = self.sums[v];
            cells.start[at] = start as u16;
            cells.colour[v] = self.keys[start];
        }
        cells.end[start] = to as u16;
        cells.alone[usize::from(cells.order[start])] = to - start == 1;
    }

    /// Makes a cell of a value that is not alone, in front of the rest of its cell.
    pub fn single_out(&mut self, v: u16) {
        let cells = &mut self.cells;
        let at = usize::from(cells.place[usize::from(v)]);
        let from = usize::from(cells.start[at]);
        let to = usize::from(cells.end[from]);
        let other = cells.order[from];
        cells.order.swap(from, at);
        cells.place[usize::from(other)] = at as u16;
        cells.place[usize::from(v)] = from as u16;
        cells.end[from] = from as u16 + 1;
        cells.end[from + 1] = to as u16;
        for at in from + 1..to {
            cells.start[at] = from as u16 + 1;
            cells.colour[usize::from(cells.order[at])] = self.keys[from + 1];
        }
        cells.alone[usize::from(v)] = true;
        cells.alone[usize::from(cells.order[from + 1])] = to - from == 2;
        cells.count += 1;
    }

    /// Whether each value is in a cell of its own.
    pub fn is_discrete(&self) -> bool {
        self.cells.count == self.sums.len()
    }

    /// The cells, in their order.
    pub fn cells(&self) -> impl Iterator<Item = &[u16]> {
        let cells = &self.cells;
        let mut from = 0;
        std::iter::from_fn(move || {
            let to = usize::from(*cells.end.get(from)?);
            let cell = &cells.order[from..to];
            from = to;
            Some(cell)
        })
    }

    /// A smallest cell in which the choice of a value may split others: a value of
    /// it has a role beside another value that is not alone. `None` if in the
    /// cells that are left any order is as good as another.
    #[inline]
    pub fn linked_cell(&self, action: &Action) -> Option<&[u16]> {
        if self.is_discrete() {
            return None;
        }
        let cells = &self.cells;
        let mut best: Option<(u16, u16)> = None;
        for &(_, from, to) in &cells.components {
            let edges = action.edges[from as usize..to as usize].iter();
            let mut open = edges
                .filter(|edge| !cells.alone[edge.value as usize])
                .peekable();
            let first = open.next();
            if open.peek().is_none() {
                continue;
            }
            for edge in first.into_iter().chain(open) {
                let start = cells.start[usize::from(cells.place[edge.value as usize])];
                let size = cells.end[usize::from(start)] - start;
                best = Some(best.map_or((size, start), |b| b.min((size, start))));
            }
        }
        let (size, start) = best?;
        Some(&cells.order[usize::from(start)..usize::from(start + size)])
    }

    /// Keeps the cells.
    pub fn save(&self, saved: &mut Cells) {
        saved.copy_from(&self.cells);
    }

    /// Goes back to cells that were kept.
    pub fn restore(&mut self, saved: &Cells) {
        self.cells.copy_from(saved);
    }
}
