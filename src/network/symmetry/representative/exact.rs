//! The least state of an orbit, and how many permutations keep it.
//!
//! Values are singled out one after the other, in all ways that differ, as long as
//! there is a cell with values that are not interchangeable in the state; what
//! remains are cells in which any order gives the same state.

use std::collections::HashMap;

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
    /// How many leaves of the search give it. Automorphisms map these to each other,
    /// so that as many permutations are like each.
    leaves: u64,
    /// The sizes that were multiplied on the way to the leaf at hand, and to the best.
    path: Vec<u64>,
    best_path: Vec<u64>,
    /// The sizes of the best leaf's cells.
    cells: Vec<u64>,
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
            leaves: 0,
            path: Vec::new(),
            best_path: Vec::new(),
            cells: Vec::new(),
        }
    }

    /// Replaces a state by the least one of its orbit, and the permutation by one
    /// that does that. Returns how many permutations keep the state, or the largest
    /// number if it is that or more.
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
            let weight = weight.saturating_mul(size.into());
            self.path.push(size);
            self.search(action, colouring, state, depth + 1, weight);
            self.path.pop();
        }
    }

    /// Of the first cell with values that are not interchangeable, one of each
    /// class, and how many of the class are in the cell. Nothing if there is none.
    fn children(&self, colouring: &Colouring) -> Vec<(u16, u64)> {
        let of = |v: u16| self.class[usize::from(v)];
        let mut children: Vec<(u16, u64)> = Vec::new();
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
            self.leaves = 1;
            self.best_path.clone_from(&self.path);
            self.cells.clear();
            let sizes = colouring.cells().map(|cell| cell.len() as u64);
            self.cells.extend(sizes);
        } else if *candidate == self.best[..state.len()] {
            self.weight = self.weight.saturating_add(weight);
            self.leaves += 1;
        }
    }

    /// The size of the orbit of the last state: the number of all permutations divided
    /// by how many keep it, neither of which need be below 2^128. `None` if the size is
    /// not.
    ///
    /// O(values²) divisions at worst; what is equal above and below is left out before.
    pub fn orbit(&self, action: &Action) -> Option<u128> {
        let of_type = action
            .ranges
            .iter()
            .flat_map(|range| 2..=range.len() as u64);
        let in_cells = self.cells.iter().flat_map(|&size| 2..=size);
        let path = self.best_path.iter().copied();
        quotient(of_type.collect(), path.chain(in_cells).chain([self.leaves]))
    }
}

/// The product of numbers divided by that of others, of which it is a multiple; `None`
/// if that is 2^128 or more.
fn quotient(mut over: Vec<u64>, under: impl Iterator<Item = u64>) -> Option<u128> {
    let mut equal: HashMap<u64, usize> = HashMap::new();
    for &factor in &over {
        *equal.entry(factor).or_default() += 1;
    }
    let is_left = |divisor: &u64| match equal.get_mut(divisor) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let under: Vec<u64> = under.filter(|&n| n > 1).filter(is_left).collect();
    over.retain(|factor| match equal.get_mut(factor) {
        Some(count) if *count > 0 => {
            *count -= 1;
            *factor > 1
        }
        _ => false,
    });
    for mut divisor in under {
        for factor in &mut over {
            let common = gcd(*factor, divisor);
            *factor /= common;
            divisor /= common;
            if divisor == 1 {
                break;
            }
        }
        debug_assert_eq!(divisor, 1, "one product is a multiple of the other");
    }
    let mut factors = over.into_iter().map(u128::from);
    factors.try_fold(1, u128::checked_mul)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether a permutation keeps a state.
fn keeps(action: &Action, image: &[u16], state: &[u32]) -> bool {
    state.iter().all(|&x| {
        let y = action.apply(image, x);
        state[action.component(y) as usize] == y
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_exact() {
        let factorial = |n: u64| 1..=n;
        for n in 0..30u64 {
            for k in 0..=n {
                let under = factorial(k).chain(factorial(n - k));
                let mut expected = 1u128;
                for i in 0..k {
                    expected = expected * u128::from(n - i) / u128::from(i + 1);
                }
                assert_eq!(quotient(factorial(n).collect(), under), Some(expected));
            }
        }
        // 200! / 198!, both of which are beyond 2^128, and 200!.
        let all: Vec<u64> = factorial(200).collect();
        assert_eq!(quotient(all.clone(), factorial(198)), Some(200 * 199));
        assert_eq!(quotient(all, std::iter::empty()), None);
    }
}
