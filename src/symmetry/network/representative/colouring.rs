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
    /// The values, cell after cell.
    pub order: Vec<u16>,
    /// Where in the order each value is.
    pub place: Vec<u16>,
    /// For each place, where its cell starts.
    start: Vec<u16>,
    /// For the start of each cell, where it ends.
    end: Vec<u16>,
    /// Random bits for the cell of each value.
    colour: Vec<u64>,
    /// How many cells there are.
    cells: usize,
    /// What each value sees.
    sums: Vec<u64>,
    /// Components with edges: random bits for the orbit, and the edges.
    components: Vec<(u64, u32, u32)>,
    edges: Vec<(u32, u64)>,
    keys: Vec<u64>,
    types: Vec<(u16, u16)>,
}

/// Cells that can be gone back to.
#[derive(Default)]
pub(super) struct Saved {
    order: Vec<u16>,
    place: Vec<u16>,
    start: Vec<u16>,
    end: Vec<u16>,
    colour: Vec<u64>,
    cells: usize,
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = (a ^ b).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    product ^ (product >> 32)
}

impl Colouring {
    pub fn new(action: &Action) -> Self {
        let count = action.values();
        let types = action.ranges.iter();
        Self {
            order: vec![0; count],
            place: vec![0; count],
            start: vec![0; count],
            end: vec![0; count],
            colour: vec![0; count],
            cells: 0,
            sums: vec![0; count],
            components: Vec::new(),
            edges: Vec::new(),
            keys: (0..count as u64).map(|place| mixed(!place)).collect(),
            types: types.map(|r| (r.start as u16, r.end as u16)).collect(),
        }
    }

    /// Starts with a cell for each type and the graph of this state.
    #[inline]
    pub fn load(&mut self, action: &Action, state: &[u32]) {
        for &(start, end) in &self.types {
            for v in start..end {
                let at = usize::from(v);
                self.order[at] = v;
                self.place[at] = v;
                self.start[at] = start;
                self.colour[at] = self.keys[usize::from(start)];
            }
            self.end[usize::from(start)] = end;
        }
        self.cells = self.types.len();
        self.components.clear();
        self.edges.clear();
        for &x in state {
            let edges = action.edges(x);
            if !edges.is_empty() {
                let from = self.edges.len() as u32;
                self.edges.extend(edges.iter().map(|e| (e.value, e.key)));
                let to = self.edges.len() as u32;
                self.components
                    .push((mixed(u64::from(action.orbit(x))), from, to));
            }
        }
    }

    /// Splits cells until nothing changes.
    pub fn refine(&mut self) {
        while self.cells < self.order.len() && self.round() {}
    }

    /// Splits each cell by what its values see; whether any has been split.
    #[inline]
    fn round(&mut self) -> bool {
        self.sums.fill(0);
        for &(orbit, from, to) in &self.components {
            let edges = &self.edges[from as usize..to as usize];
            let mut seen = orbit;
            for &(value, key) in edges {
                seen = seen.wrapping_add(fold(self.colour[value as usize], key));
            }
            for &(value, key) in edges {
                let sum = &mut self.sums[value as usize];
                *sum = sum.wrapping_add(fold(seen, key));
            }
        }
        let before = self.cells;
        let mut from = 0;
        while from < self.order.len() {
            let to = usize::from(self.end[from]);
            if to - from > 1 {
                self.split(from, to);
            }
            from = to;
        }
        self.cells > before
    }

    /// Sorts a cell by what its values see, and cuts it where that differs.
    #[inline]
    fn split(&mut self, from: usize, to: usize) {
        let (order, sums) = (&mut self.order[from..to], &self.sums);
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
        for at in from..to {
            let v = usize::from(self.order[at]);
            self.place[v] = at as u16;
            if at > from && self.sums[v] != self.sums[usize::from(self.order[at - 1])] {
                self.end[start] = at as u16;
                start = at;
                self.cells += 1;
            }
            self.start[at] = start as u16;
            self.colour[v] = self.keys[start];
        }
        self.end[start] = to as u16;
    }

    /// Makes a cell of a value that is not alone, in front of the rest of its cell.
    pub fn single_out(&mut self, v: u16) {
        let at = usize::from(self.place[usize::from(v)]);
        let from = usize::from(self.start[at]);
        let to = usize::from(self.end[from]);
        let other = self.order[from];
        self.order.swap(from, at);
        self.place[usize::from(other)] = at as u16;
        self.place[usize::from(v)] = from as u16;
        self.end[from] = from as u16 + 1;
        self.end[from + 1] = to as u16;
        for at in from + 1..to {
            self.start[at] = from as u16 + 1;
            self.colour[usize::from(self.order[at])] = self.keys[from + 1];
        }
        self.cells += 1;
    }

    /// Whether each value is in a cell of its own.
    pub fn is_discrete(&self) -> bool {
        self.cells == self.order.len()
    }

    /// The cells, in their order.
    pub fn cells(&self) -> impl Iterator<Item = &[u16]> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let to = usize::from(*self.end.get(from)?);
            let cell = &self.order[from..to];
            from = to;
            Some(cell)
        })
    }

    /// A smallest cell in which the choice of a value may split others: a value of
    /// it has a role beside another value that is not alone. `None` if in the
    /// cells that are left any order is as good as another.
    #[inline]
    pub fn linked_cell(&mut self) -> Option<&[u16]> {
        if self.is_discrete() {
            return None;
        }
        let is_open = |this: &Self, value: u32| {
            let start = this.start[usize::from(this.place[value as usize])];
            this.end[usize::from(start)] - start > 1
        };
        let mut best: Option<(u16, u16)> = None;
        for k in 0..self.components.len() {
            let (_, from, to) = self.components[k];
            let edges = &self.edges[from as usize..to as usize];
            let open = edges.iter().filter(|edge| is_open(self, edge.0));
            if open.clone().count() < 2 {
                continue;
            }
            for &(value, _) in open {
                let start = self.start[usize::from(self.place[value as usize])];
                let size = self.end[usize::from(start)] - start;
                best = Some(best.map_or((size, start), |b| b.min((size, start))));
            }
        }
        let (size, start) = best?;
        Some(&self.order[usize::from(start)..usize::from(start + size)])
    }

    /// Keeps the cells.
    pub fn save(&self, saved: &mut Saved) {
        saved.order.clone_from(&self.order);
        saved.place.clone_from(&self.place);
        saved.start.clone_from(&self.start);
        saved.end.clone_from(&self.end);
        saved.colour.clone_from(&self.colour);
        saved.cells = self.cells;
    }

    /// Goes back to cells that were kept.
    pub fn restore(&mut self, saved: &Saved) {
        self.order.clone_from(&saved.order);
        self.place.clone_from(&saved.place);
        self.start.clone_from(&saved.start);
        self.end.clone_from(&saved.end);
        self.colour.clone_from(&saved.colour);
        self.cells = saved.cells;
    }
}
