//! Elimination of the states of a large component, those that have the fewest rates first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::solve::{Component, normalize};

/// So many new rates take some 200 MB.
const MOST_NEW: usize = 10_000_000;

/// What is left of a chain when some of its states have been eliminated.
struct Rest {
    /// The rates of each state to others that are left.
    rates: Vec<Vec<(u32, f64)>>,
    /// The states that lead to each one.
    before: Vec<Vec<u32>>,
}

impl Rest {
    /// Nothing if what comes back after leaving the component has too many places.
    fn new(component: &Component) -> Option<Self> {
        let n = component.inner.len();
        let places = |numbers: &[f64]| numbers.iter().filter(|&&x| x > 0.0).count();
        if places(&component.leaks).saturating_mul(places(&component.back)) > 8 * n {
            return None;
        }
        let mut own = Self {
            rates: vec![Vec::new(); n],
            before: vec![Vec::new(); n],
        };
        let back: Vec<(u32, f64)> = (0u32..)
            .zip(component.back.iter().copied())
            .filter(|back| back.1 > 0.0)
            .collect();
        let mut place = vec![u32::MAX; n];
        for state in 0..n {
            let leak = component.leaks[state];
            let again = back.iter().filter(|_| leak > 0.0);
            let again = again.map(|&(to, p)| (to, p * leak));
            let rates = component.rates.row(state).chain(again);
            own.add(state, rates, &mut place);
        }
        Some(own)
    }

    /// Adds rates of a state; how many new ones. `place` is scratch: the greatest number for each state.
    fn add(
        &mut self,
        state: usize,
        more: impl Iterator<Item = (u32, f64)>,
        place: &mut [u32],
    ) -> usize {
        let row = &mut self.rates[state];
        let before = row.len();
        for (k, &(to, _)) in (0..).zip(row.iter()) {
            place[to as usize] = k;
        }
        for (to, rate) in more.filter(|&(to, _)| to as usize != state) {
            match place[to as usize] {
                u32::MAX => {
                    place[to as usize] = row.len() as u32;
                    row.push((to, rate));
                    self.before[to as usize].push(state as u32);
                }
                known => row[known as usize].1 += rate,
            }
        }
        for &(to, _) in row.iter() {
            place[to as usize] = u32::MAX;
        }
        row.len() - before
    }

    /// How many rates there may be when a state is gone.
    fn cost(&self, state: u32) -> u64 {
        let (before, after) = (&self.before[state as usize], &self.rates[state as usize]);
        before.len() as u64 * after.len() as u64
    }
}

/// The long-run probabilities of a component by the elimination of one state after the other, as
/// [`Component::solve`] does for small ones, without subtractions; of those that are left always
/// the one is next that makes the fewest new rates (H. M. Markowitz, "The elimination form of
/// the inverse and its application to linear programming", Management Science 3, 1957), and of
/// several the first. Nothing if products of rates are out of the range of numbers, or if
/// more than `most` rates have to be looked at, or there would be too many new ones.
///
/// A chain of n states takes O(n log n), a grid about n^1.5.
pub(crate) fn eliminated(component: &Component, most: u64) -> Option<Vec<f64>> {
    let n = component.inner.len();
    let mut rest = Rest::new(component)?;
    let mut place = vec![u32::MAX; n];
    let mut queue: BinaryHeap<_> = (0..n as u32)
        .map(|state| Reverse((rest.cost(state), state)))
        .collect();
    let mut is_gone = vec![false; n];
    let mut gone = Vec::with_capacity(n - 1);
    // From which states, how often for each time there, each that is gone was met.
    let mut shares: Vec<(u32, f64)> = Vec::new();
    let (mut work, mut new) = (0, 0);
    while gone.len() + 1 < n {
        let Reverse((cost, state)) = queue.pop().expect("all that are left are in it");
        // An older cost of it may be there, too.
        if is_gone[state as usize] || cost != rest.cost(state) {
            continue;
        }
        let after = std::mem::take(&mut rest.rates[state as usize]);
        let before = std::mem::take(&mut rest.before[state as usize]);
        let leaving: f64 = after.iter().map(|&(_, rate)| rate).sum();
        if leaving == 0.0 {
            return None;
        }
        for &from in &before {
            let row = &mut rest.rates[from as usize];
            let met = row.iter().position(|&(to, _)| to == state);
            let (_, rate) = row.swap_remove(met.expect("it leads here"));
            let share = rate / leaving;
            shares.push((from, share));
            work += (row.len() + after.len()) as u64;
            let more = after.iter().map(|&(to, rate)| (to, share * rate));
            new += rest.add(from as usize, more, &mut place);
        }
        for &(to, _) in &after {
            rest.before[to as usize].retain(|&from| from != state);
            work += rest.before[to as usize].len() as u64;
        }
        if work > most || new > MOST_NEW {
            return None;
        }
        is_gone[state as usize] = true;
        gone.push((state, shares.len()));
        let near = before.into_iter().chain(after.iter().map(|&(to, _)| to));
        queue.extend(near.map(|state| Reverse((rest.cost(state), state))));
    }
    let last = is_gone.iter().position(|gone| !gone)?;
    let mut found = vec![0.0; n];
    found[last] = 1.0;
    while let Some((state, end)) = gone.pop() {
        let start = gone.last().map_or(0, |&(_, end)| end);
        let own: f64 = shares[start..end]
            .iter()
            .map(|&(from, share)| found[from as usize] * share)
            .sum();
        found[state as usize] = own;
        // Far from the last state numbers may be of another size.
        if own > 1e100 {
            found.iter_mut().for_each(|p| *p /= own);
        }
    }
    normalize(&mut found);
    found.iter().all(|p| p.is_finite()).then_some(found)
}
