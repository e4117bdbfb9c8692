//! Relations between states as matrices of bits, and the greatest simulations among them.

use hyades_base::ascending::is_subset;
use hyades_base::bits;
use std::collections::VecDeque;

use super::graph::Graph;

/// A matrix of bits.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Matrix {
    words: usize,
    columns: usize,
    bits: Vec<u64>,
}

/// The numbers of the bits that are set.
pub(super) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    bits::ones(words.iter().copied())
}

impl Matrix {
    /// All bits zero.
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        let words = columns.div_ceil(64);
        Self {
            words,
            columns,
            bits: vec![0; rows * words],
        }
    }

    pub(super) fn row(&self, row: u32) -> &[u64] {
        &self.bits[row as usize * self.words..][..self.words]
    }

    pub(super) fn row_mut(&mut self, row: u32) -> &mut [u64] {
        &mut self.bits[row as usize * self.words..][..self.words]
    }

    #[inline]
    pub(super) fn get(&self, row: u32, column: u32) -> bool {
        self.bits[row as usize * self.words + column as usize / 64] >> (column % 64) & 1 == 1
    }

    #[inline]
    pub(super) fn set(&mut self, row: u32, column: u32) {
        self.bits[row as usize * self.words + column as usize / 64] |= 1 << (column % 64);
    }

    #[inline]
    fn clear(&mut self, row: u32, column: u32) {
        self.bits[row as usize * self.words + column as usize / 64] &= !(1 << (column % 64));
    }

    /// How many rows there are; none of no columns.
    pub(super) fn len(&self) -> usize {
        self.bits.len().checked_div(self.words).unwrap_or(0)
    }

    /// Adds a row of zeros.
    pub(super) fn push(&mut self) {
        self.bits.resize(self.bits.len() + self.words, 0);
    }

    /// Complements a row.
    pub(super) fn negate(&mut self, row: u32) {
        let columns = self.columns;
        for (k, word) in self.row_mut(row).iter_mut().enumerate() {
            let used = match columns - 64 * k {
                0..64 => !(u64::MAX << (columns - 64 * k)),
                _ => u64::MAX,
            };
            *word = !*word & used;
        }
    }

    /// These rows, in this order.
    pub(super) fn rows(&self, rows: impl Iterator<Item = u32>) -> Matrix {
        let bits: Vec<u64> = rows.flat_map(|row| self.row(row).iter().copied()).collect();
        Matrix { bits, ..*self }
    }

    /// The rows and columns of these numbers, in this order.
    pub(super) fn selected(&self, numbers: &[u32]) -> Matrix {
        let mut selected = Matrix::new(numbers.len(), numbers.len());
        for (row, &p) in (0..).zip(numbers) {
            for (column, &q) in (0..).zip(numbers) {
                if self.get(p, q) {
                    selected.set(row, column);
                }
            }
        }
        selected
    }

    /// The bits that are set in both of two matrices of one size.
    pub(super) fn and(mut self, other: &Matrix) -> Matrix {
        for (word, other) in self.bits.iter_mut().zip(&other.bits) {
            *word &= other;
        }
        self
    }

    /// Rows and columns exchanged. O(bits that are set).
    pub(super) fn transposed(&self) -> Matrix {
        let mut transposed = Matrix::new(self.columns, self.len());
        for row in 0..self.len() as u32 {
            for column in ones(self.row(row)) {
                transposed.set(column, row);
            }
        }
        transposed
    }
}

/// Adds the bits of other words.
pub(super) fn or(words: &mut [u64], others: &[u64]) {
    for (word, other) in words.iter_mut().zip(others) {
        *word |= other;
    }
}

/// For each menu of a graph the states whose menus have all its labels.
/// O(menus² · labels) and a bit for each menu and state.
pub(super) fn states_with_more(graph: &Graph) -> Matrix {
    let menus = graph.menus();
    let mut by_menu = vec![Vec::new(); menus.len()];
    for s in 0..graph.states() as u32 {
        by_menu[graph.menu(s) as usize].push(s);
    }
    let mut more = Matrix::new(menus.len(), graph.states());
    for small in 0..menus.len() as u32 {
        for large in 0..menus.len() as u32 {
            if is_subset(menus.get(small), menus.get(large)) {
                by_menu[large as usize]
                    .iter()
                    .for_each(|&s| more.set(small, s));
            }
        }
    }
    more
}

/// For each menu of a graph the states that have it.
pub(super) fn states_with_equal(graph: &Graph) -> Matrix {
    let mut equal = Matrix::new(graph.menus().len(), graph.states());
    for s in 0..graph.states() as u32 {
        equal.set(graph.menu(s), s);
    }
    equal
}

/// The transitions of a graph into its states.
pub(super) struct Incoming {
    offsets: Vec<u32>,
    /// Labels and sources, ascending for each state.
    steps: Vec<(u32, u32)>,
}

impl Incoming {
    pub(super) fn new(graph: &Graph) -> Self {
        let states = graph.states();
        let mut all = Vec::new();
        for s in 0..states as u32 {
            all.extend(graph.steps(s).iter().map(|&(label, t)| (t, label, s)));
        }
        all.sort_unstable();
        let mut offsets = vec![0; states + 1];
        for &(t, _, _) in &all {
            offsets[t as usize + 1] += 1;
        }
        for t in 0..states {
            offsets[t + 1] += offsets[t];
        }
        Self {
            offsets,
            steps: all.into_iter().map(|(_, label, s)| (label, s)).collect(),
        }
    }

    /// Labels and sources, ascending.
    pub(super) fn of(&self, state: u32) -> &[(u32, u32)] {
        let (start, end) = (
            self.offsets[state as usize],
            self.offsets[state as usize + 1],
        );
        &self.steps[start as usize..end as usize]
    }

    /// The sources of the steps with a label.
    pub(super) fn with(&self, state: u32, label: u32) -> &[(u32, u32)] {
        let steps = self.of(state);
        let start = steps.partition_point(|step| step.0 < label);
        let len = steps[start..].partition_point(|step| step.0 == label);
        &steps[start..start + len]
    }
}

/// The greatest simulation within a relation, which must relate states only to such that
/// have steps of all their labels: row p has the states that p is related to.
///
/// O(m · n · d) time at the most for m steps, n states and d steps of a label from one
/// state, as in Henzinger, Henzinger & Kopke 1995 but that it is looked anew among those d
/// steps, where they count; n²/8 bytes beside the relation.
pub(super) fn greatest_simulation(
    graph: &Graph,
    incoming: &Incoming,
    mut related: Matrix,
) -> Matrix {
    let states = graph.states();
    // What has been removed from each row and not been looked at.
    let mut removed = related.clone();
    (0..states as u32).for_each(|p| removed.negate(p));
    let mut is_queued = vec![true; states];
    let mut queue: VecDeque<u32> = (0..states as u32).collect();
    let mut gone = Vec::new();
    let mut candidates: Vec<u32> = Vec::new();
    while let Some(target) = queue.pop_front() {
        is_queued[target as usize] = false;
        gone.clear();
        gone.extend(ones(removed.row(target)));
        removed.row_mut(target).fill(0);
        for steps in incoming.of(target).chunk_by(|a, b| a.0 == b.0) {
            let label = steps[0].0;
            candidates.clear();
            for &q in &gone {
                candidates.extend(incoming.with(q, label).iter().map(|step| step.1));
            }
            for &q in &candidates {
                // No source of a step to the target is simulated by a state without such a
                // step.
                if !related_to_any(&related, target, graph.steps_with(q, label)) {
                    for &(_, p) in steps {
                        if related.get(p, q) {
                            related.clear(p, q);
                            removed.set(p, q);
                            if !std::mem::replace(&mut is_queued[p as usize], true) {
                                queue.push_back(p);
                            }
                        }
                    }
                }
            }
        }
    }
    related
}

fn related_to_any(related: &Matrix, state: u32, steps: &[(u32, u32)]) -> bool {
    steps.iter().any(|step| related.get(state, step.1))
}
