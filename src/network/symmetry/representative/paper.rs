//! Representatives by an order of the components (Gibson-Robinson & Lowe 2019,
//! Definitions 36 to 40).
//!
//! The control state of a component is its orbit, its variables are the roles that
//! only one value has. Cells of components are split by how often a value of
//! theirs is that of a variable of a component in each cell, then, where nothing
//! changes any more, by taking out the first component of the first cell that has
//! several. Values are numbered in the order in which components have them.

use super::super::action::{Action, Edge};

/// Memory for the ordering.
pub(super) struct Paper {
    /// Components, cell after cell.
    order: Vec<u32>,
    /// The cell of each component: the place where it starts.
    cell: Vec<u32>,
    /// For each value, the components and variables that have it.
    buckets: Vec<Vec<(u32, u32)>>,
    /// For each component, the n-value: its variable, the cell and the variable of
    /// each match, sorted.
    matches: Vec<Vec<(u32, u32, u32)>>,
    is_numbered: Vec<bool>,
}

impl Paper {
    pub fn new(action: &Action, components: usize) -> Self {
        Self {
            order: Vec::new(),
            cell: vec![0; components],
            buckets: vec![Vec::new(); action.values()],
            matches: vec![Vec::new(); components],
            is_numbered: vec![false; action.values()],
        }
    }

    /// The permutation to a representative of a state.
    pub fn permutation(&mut self, action: &Action, state: &[u32], image: &mut [u16]) {
        self.order.clear();
        self.order.extend(0..state.len() as u32);
        self.order.sort_by_key(|&c| action.orbit(state[c as usize]));
        self.cut(|this, a, b| {
            let _ = this;
            action.orbit(state[a as usize]) == action.orbit(state[b as usize])
        });
        for bucket in &mut self.buckets {
            bucket.clear();
        }
        for (c, &x) in (0..).zip(state) {
            for edge in variables(action, x) {
                self.buckets[edge.value as usize].push((c, edge.role));
            }
        }
        loop {
            while self.refine(action, state) {}
            // The first cell with several components loses its first one.
            let same = |pair: &[u32]| self.cell[pair[0] as usize] == self.cell[pair[1] as usize];
            let Some(first) = self.order.windows(2).position(same) else {
                break;
            };
            let start = self.cell[self.order[first] as usize];
            for &c in &self.order[first + 1..] {
                if self.cell[c as usize] == start {
                    self.cell[c as usize] = start + 1;
                }
            }
        }
        self.number_values(action, state, image);
    }

    /// Splits cells by n-values; whether any has been split.
    fn refine(&mut self, action: &Action, state: &[u32]) -> bool {
        for (c, &x) in state.iter().enumerate() {
            self.matches[c].clear();
            for edge in variables(action, x) {
                for &(other, role) in &self.buckets[edge.value as usize] {
                    let cell = self.cell[other as usize];
                    self.matches[c].push((edge.role, cell, role));
                }
            }
            self.matches[c].sort_unstable();
        }
        let key = |&c: &u32| (self.cell[c as usize], &self.matches[c as usize]);
        self.order.sort_by(|a, b| key(a).cmp(&key(b)));
        let before: u64 = self.cell.iter().map(|&c| u64::from(c)).sum();
        self.cut(|this, a, b| {
            let (a, b) = (a as usize, b as usize);
            this.cell[a] == this.cell[b] && this.matches[a] == this.matches[b]
        });
        self.cell.iter().map(|&c| u64::from(c)).sum::<u64>() > before
    }

    /// Makes cells of neighbours that belong together.
    fn cut(&mut self, same: impl Fn(&Self, u32, u32) -> bool) {
        let mut starts = Vec::with_capacity(self.order.len());
        for (at, &c) in (0u32..).zip(&self.order) {
            let start = match at {
                0 => 0,
                _ if same(self, self.order[at as usize - 1], c) => starts[at as usize - 1],
                _ => at,
            };
            starts.push(start);
        }
        for (&c, start) in self.order.iter().zip(starts) {
            self.cell[c as usize] = start;
        }
    }

    /// Values in the order in which components have them, then the others.
    fn number_values(&mut self, action: &Action, state: &[u32], image: &mut [u16]) {
        self.is_numbered.fill(false);
        for range in &action.ranges {
            let mut next = range.start;
            let mut number = |v: usize, is_numbered: &mut [bool]| {
                if range.contains(&v) && !std::mem::replace(&mut is_numbered[v], true) {
                    image[v] = next as u16;
                    next += 1;
                }
            };
            for &c in &self.order {
                for edge in variables(action, state[c as usize]) {
                    number(edge.value as usize, &mut self.is_numbered);
                }
            }
            for v in range.clone() {
                number(v, &mut self.is_numbered);
            }
        }
    }
}

/// The variables of a located state, in an order of their own.
fn variables(action: &Action, x: u32) -> impl Iterator<Item = Edge> {
    let singles = action.roles[action.orbit(x) as usize];
    (0..singles).map(move |role| {
        let found = action.edges(x).iter().find(|edge| edge.role == role);
        *found.expect("each role has a value")
    })
}
