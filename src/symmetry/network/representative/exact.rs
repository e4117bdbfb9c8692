//! The least state of an orbit, and how many permutations keep it.
//!
//! Values are singled out one after the other, in all ways that differ, as long as
//! there is a cell with values that are not interchangeable in the state; what
//! remains are cells in which any order gives the same state.

use super::super::action::Action;
use super::colouring::{Cells, Colouring};

/// Memory for the search.
pub(super) struct Exact {
    saved: Vec<Cells>,
    /// For each value, a value that is interchangeable with it: the same for all
    /// of a class.
    class: Vec<u16>,
    /// The identity, of which two values are exchanged now and then.
    swap: Vec<u16>,
    candidate: Vec<u32>,
    best: Vec<u32>,
    /// The permutation that gives the best.
    image: Vec<u16>,
    /// How many permutations give it.
    weight: u128,
}

impl Exact {
    pub fn new(action: &Action, components: usize) -> Self {
        let count = action.values();
        Self {
            saved: Vec::new(),
            class: vec![0; count],
            swap: (0..count as u16).collect(),
            candidate: vec![0; components],
            best: vec![0; components],
            image: vec![0; count],
            weight: 0,
        }
    }

    /// Replaces a state by the least one of its orbit, and the permutation by one
    /// that does that. Returns how many permutations keep the state.
    ///
    /// O(leaves of the search · rounds of refinement · edges); one leaf for most
    /// states.
    pub fn least(
        &mut self,
        action: &Action,
        colouring: &mut Colouring,
        state: &mut [u32],
        image: &mut [u16],
    ) -> u128 {
        colouring.load(action, state);
        colouring.refine(action);
        self.weight = 0;
        self.find_classes(action, colouring, state);
        self.search(action, colouring, state, 0, 1);
        state.copy_from_slice(&self.best[..state.len()]);
        image.copy_from_slice(&self.image);
        self.weight
    }

    /// The classes of interchangeable values within the cells.
    fn find_classes(&mut self, action: &Action, colouring: &Colouring, state: &[u32]) {
        let mut firsts: Vec<u16> = Vec::new();
        for cell in colouring.cells() {
            self.class[usize::from(cell[0])] = cell[0];
            firsts.clear();
            firsts.push(cell[0]);
            for &v in &cell[1..] {
                let swap = &mut self.swap;
                let known = firsts.iter().find(|&&first| {
                    swap.swap(usize::from(first), usize::from(v));
                    let keeps = keeps(action, swap, state);
                    swap.swap(usize::from(first), usize::from(v));
                    keeps
                });
                self.class[usize::from(v)] = *known.unwrap_or(&v);
                if known.is_none() {
                    firsts.push(v);
                }
            }
        }
    }

    /// Goes through the refined cells and all below; `weight` permutations are
    /// like each one that is found.
    fn search(
        &mut self,
        action: &Action,
        colouring: &mut Colouring,
        state: &[u32],
        depth: usize,
        weight: u128,
    ) {
        let children = self.children(colouring);
        if children.is_empty() {
            self.leaf(action, colouring, state, weight);
            return;
        }
        if self.saved.len() == depth {
            self.saved.push(Cells::default());
        }
        colouring.save(&mut self.saved[depth]);
        for (k, (v, size)) in children.into_iter().enumerate() {
            if k > 0 {
                colouring.restore(&self.saved[depth]);
            }
            colouring.single_out(v);
            colouring.refine(action);
            let weight = weight.saturating_mul(size);
            self.search(action, colouring, state, depth + 1, weight);
        }
    }

    /// Of the first cell with values that are not interchangeable, one of each
    /// class, and how many of the class are in the cell. Nothing if there is none.
    fn children(&self, colouring: &Colouring) -> Vec<(u16, u128)> {
        let of = |v: u16| self.class[usize::from(v)];
        let mut children: Vec<(u16, u128)> = Vec::new();
        let mut cells = colouring.cells();
        let mixed = cells.find(|cell| cell.iter().any(|&v| of(v) != of(cell[0])));
        for &v in mixed.into_iter().flatten() {
            match children.iter_mut().find(|child| of(child.0) == of(v)) {
                Some(child) => child.1 += 1,
                None => children.push((v, 1)),
            }
        }
        children
    }

    fn leaf(&mut self, action: &Action, colouring: &Colouring, state: &[u32], weight: u128) {
        let orders = colouring.cells().flat_map(|cell| 2..=cell.len() as u128);
        let weight = orders.fold(weight, u128::saturating_mul);
        for &x in state {
            let image = action.apply(colouring.places(), x);
            self.candidate[action.component(image) as usize] = image;
        }
        let candidate = &self.candidate[..state.len()];
        if self.weight == 0 || *candidate < self.best[..state.len()] {
            self.best[..state.len()].copy_from_slice(candidate);
            self.image.copy_from_slice(colouring.places());
            self.weight = weight;
        } else if *candidate == self.best[..state.len()] {
            self.weight = self.weight.saturating_add(weight);
        }
    }
}

/// Whether a permutation keeps a state.
fn keeps(action: &Action, image: &[u16], state: &[u32]) -> bool {
    state.iter().all(|&x| {
        let y = action.apply(image, x);
        state[action.component(y) as usize] == y
    })
}
