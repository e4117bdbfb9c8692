//! An order of the states of a network in which no cycle of hidden transitions
//! goes up all the time.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hyades_formats::{LabelId, Lts, StateId};

use super::super::NetworkModel;
use super::stubborn::Dependence;
use crate::lts::hidden_components;

/// The order. It is about transitions by hidden rules; let a component's *quiet*
/// transitions be those that it takes part in such rules by.
///
/// A step goes up if a component leaves a strongly connected component of its
/// quiet transitions, to which it cannot come back by quiet ones. Otherwise
/// states are compared as tuples of numbers: of the components that the step
/// moves, the first in a fixed order of components must go to a higher number.
/// Numbers are such that few quiet transitions go down: only those that close a
/// cycle in a depth-first search.
///
/// A cycle of quiet steps leaves no strongly connected component, and so would
/// have to go up in the order of tuples all the way around.
#[derive(Default)]
pub(super) struct Order {
    places: Vec<Arc<Places>>,
    /// For each component, its place among them when tuples are compared.
    priority: Vec<u32>,
}

/// Where the states of a component are in the order.
#[derive(Default)]
struct Places {
    /// The strongly connected component.
    component: Vec<u32>,
    /// The number within the order of tuples.
    number: Vec<u32>,
    /// Quiet transitions that do not go up, and all of them.
    downward: u64,
    quiet: u64,
}

impl Order {
    pub fn new(model: &NetworkModel, dependence: &Dependence) -> Self {
        let network = model.network();
        let rules = &network.rules().rules;
        let mut known: HashMap<(usize, Rc<[bool]>), Arc<Places>> = HashMap::new();
        let places: Vec<Arc<Places>> = (0..network.components().len())
            .map(|k| {
                let lts = &network.file_of(k).lts;
                let quiet: Rc<[bool]> = (0..lts.table().len() as u32)
                    .map(|label| {
                        let mut own = dependence.of(k).rules(LabelId::new(label)).iter();
                        own.any(|&rule| rules[rule as usize].label.is_hidden())
                    })
                    .collect();
                let key = (network.components()[k].file, Rc::clone(&quiet));
                let places = known.entry(key);
                Arc::clone(places.or_insert_with(|| Arc::new(Places::new(lts, &quiet))))
            })
            .collect();
        // Those that seldom go down come first.
        let mut order: Vec<usize> = (0..places.len()).collect();
        order.sort_by(|&a, &b| {
            let share = |k: usize| (places[k].downward, places[k].quiet.max(1));
            let ((down, all), (other_down, other_all)) = (share(a), share(b));
            let (left, right) = (down * other_all, other_down * all);
            left.cmp(&right).then(a.cmp(&b))
        });
        let mut priority = vec![0; places.len()];
        for (rank, k) in (0..).zip(order) {
            priority[k] = rank;
        }
        Self { places, priority }
    }

    /// Whether a hidden rule with these parts, which is enabled in these states
    /// of the components, has a transition that goes up.
    pub fn goes_up(&self, model: &NetworkModel, states: &[u32], parts: &[(u32, LabelId)]) -> bool {
        let targets = |&(k, label): &(u32, LabelId)| {
            let own = states[k as usize];
            (
                &*self.places[k as usize],
                own,
                model.transitions_of(k).targets(own, label),
            )
        };
        let leaves = |part| {
            let (places, own, targets) = targets(part);
            targets.iter().any(|&to| places.leaves(own, to))
        };
        if parts.iter().any(leaves) {
            return true;
        }
        // In the order of their priorities, beginning with the least.
        let mut done = None;
        loop {
            let left = parts.iter().filter(|part| {
                let own = self.priority[part.0 as usize];
                done.is_none_or(|done| own > done)
            });
            let Some(part) = left.min_by_key(|part| self.priority[part.0 as usize]) else {
                return false;
            };
            let (places, own, targets) = targets(part);
            let highest = targets.iter().map(|&to| places.number[to as usize]).max();
            let own = places.number[own as usize];
            if highest.is_some_and(|highest| highest > own) {
                return true;
            }
            if !targets.iter().any(|&to| places.number[to as usize] == own) {
                return false;
            }
            done = Some(self.priority[part.0 as usize]);
        }
    }

    /// Whether a component goes up by a quiet transition, the others being where
    /// they were.
    pub fn is_up(&self, component: usize, from: u32, to: u32) -> bool {
        let places = &self.places[component];
        places.leaves(from, to) || places.number[to as usize] > places.number[from as usize]
    }

    /// What tells whether two components have the same places.
    pub fn identity(&self, component: usize) -> usize {
        Arc::as_ptr(&self.places[component]) as usize
    }
}

impl Places {
    fn new(lts: &Lts, quiet: &[bool]) -> Self {
        let mut offsets = vec![0];
        let mut targets: Vec<StateId> = Vec::new();
        for s in 0..lts.states() {
            let row = lts.outgoing(StateId::from_index(s));
            let own = row.filter(|(label, _)| quiet[label.index()]);
            targets.extend(own.map(|(_, target)| target));
            offsets.push(targets.len() as u32);
        }
        let component = hidden_components(&offsets, &targets).of;
        let number = numbers(&offsets, &targets, lts.initial());
        let mut downward = 0;
        for s in 0..lts.states() {
            let row = &targets[offsets[s] as usize..offsets[s + 1] as usize];
            let down = row.iter().filter(|t| number[t.index()] <= number[s]);
            downward += down.count() as u64;
        }
        Self {
            component,
            number,
            downward,
            quiet: targets.len() as u64,
        }
    }

    fn leaves(&self, from: u32, to: u32) -> bool {
        self.component[from as usize] != self.component[to as usize]
    }
}

/// For each state of a graph its number in reverse postorder of a depth-first
/// search that starts in `initial`, and then in whatever has not been seen: steps
/// lead to higher numbers, except those that close a cycle of the search.
fn numbers(offsets: &[u32], targets: &[StateId], initial: StateId) -> Vec<u32> {
    let states = offsets.len() - 1;
    let mut number = vec![0; states];
    let mut seen = vec![false; states];
    let mut left = states as u32;
    // States on the path, with the next step to look at.
    let mut path: Vec<(usize, u32)> = Vec::new();
    for root in std::iter::once(initial.index()).chain(0..states) {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        path.push((root, offsets[root]));
        while let Some((state, next)) = path.last_mut() {
            if *next == offsets[*state + 1] {
                left -= 1;
                number[*state] = left;
                path.pop();
                continue;
            }
            let target = targets[*next as usize].index();
            *next += 1;
            if !std::mem::replace(&mut seen[target], true) {
                path.push((target, offsets[target]));
            }
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn no_cycle_goes_up_all_the_time() {
        testing::check(20, 30, |lts, _| {
            let quiet: Vec<bool> = (0..lts.table().len()).map(|l| l % 2 == 0).collect();
            let places = Places::new(lts, &quiet);
            let mut numbers = places.number.clone();
            numbers.sort_unstable();
            if !numbers.iter().copied().eq(0..lts.states() as u32) {
                return Err("a number twice".into());
            }
            for (s, _, t) in lts.iter().filter(|t| quiet[t.1.index()]) {
                let (a, b) = (places.component[s.index()], places.component[t.index()]);
                if a < b {
                    return Err("a step leads back to a component".into());
                }
            }
            // Without cycles, nothing goes down.
            let alone = |s: usize| {
                places
                    .component
                    .iter()
                    .filter(|c| **c as usize == s)
                    .count()
            };
            let acyclic = (0..lts.states()).all(|s| alone(s) <= 1)
                && lts.iter().all(|(s, l, t)| s != t || !quiet[l.index()]);
            if acyclic && places.downward > 0 {
                return Err("a step goes down without need".into());
            }
            Ok(())
        });
    }
}
