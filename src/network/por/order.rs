//! An order of the states of a network in which no cycle of hidden transitions
//! goes up all the time.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::hidden_components;

use super::super::NetworkModel;
use super::super::rules::Rule;
use super::dependence::Dependence;

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
    /// Quiet transitions that do not go to a higher number, and all of them.
    downward: u64,
    quiet: u64,
    /// For each label, whether all its transitions go to a higher number, or
    /// leave their strongly connected component.
    rises: Vec<bool>,
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
        let priority = priorities(rules, &places);
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

/// For each component its place in the order of components. Any would do; a good
/// one has, of the components that a hidden rule moves, one that goes up before
/// those that go down. So this is a topological order as far as there is one;
/// otherwise, and among those that could come next, those come first that seldom
/// go down. O(components² + parts of rules²).
fn priorities(rules: &[Rule], places: &[Arc<Places>]) -> Vec<u32> {
    let count = places.len();
    // For each component, those that should come after it, once for each rule.
    let mut later: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut waits = vec![0u32; count];
    for rule in rules.iter().filter(|rule| rule.label.is_hidden()) {
        let up = |&&(k, label): &&(u32, LabelId)| places[k as usize].rises[label.index()];
        let (up, down): (Vec<_>, Vec<_>) = rule.parts.iter().partition(up);
        for &(before, _) in &up {
            for &(after, _) in &down {
                later[before as usize].push(after);
                waits[after as usize] += 1;
            }
        }
    }
    let seldom = |&a: &usize, &b: &usize| {
        let (a, b): (&Places, &Places) = (&places[a], &places[b]);
        let (left, right) = (a.downward * b.quiet.max(1), b.downward * a.quiet.max(1));
        left.cmp(&right)
    };
    let mut priority = vec![u32::MAX; count];
    for rank in 0..count as u32 {
        let left = (0..count).filter(|&k| priority[k] == u32::MAX);
        let next = left.min_by(|a, b| waits[*a].cmp(&waits[*b]).then_with(|| seldom(a, b)));
        let next = next.expect("as many components as places in the order");
        priority[next] = rank;
        for &after in &later[next] {
            waits[after as usize] -= 1;
        }
    }
    priority
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
        let mut places = Self {
            component,
            number,
            downward,
            quiet: targets.len() as u64,
            rises: vec![true; lts.table().len()],
        };
        for (s, label, t) in lts.iter() {
            let up = places.leaves(s.get(), t.get())
                || places.number[t.index()] > places.number[s.index()];
            places.rises[label.index()] &= up;
        }
        places
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
    use hyades_testing;

    use super::*;

    #[test]
    fn no_cycle_goes_up_all_the_time() {
        hyades_testing::check(20, 30, |lts, _| {
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
