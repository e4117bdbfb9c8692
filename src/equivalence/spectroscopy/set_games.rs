//! The games of the linear notions between all states of one LTS.
//!
//! A position is a state p and a set Q of states; the attacker takes a step of p, and the
//! set becomes that of the targets of all such steps. For failure and ready traces only
//! states remain in it whose menus (labels of steps) fit that of p, before each step and at
//! the end.

use hyades_base::interned::Interned;

use super::graph::{Cut, Graph, is_subset};
use super::matrix::{Incoming, Matrix, ones, states_with_equal, states_with_more};
use crate::Relation;

/// A graph whose states that are below each other by a simulation preorder are one, and
/// which has no steps to states that are below the targets of others.
pub(super) struct Reduced {
    graph: Graph,
    /// Row p has the states that p is below.
    above: Matrix,
    /// For each state of the graph before the one that stands for it.
    pub(super) place: Vec<u32>,
    /// For each state one of those that it stands for.
    pub(super) states: Vec<u32>,
    /// How many states it stands for.
    pub(super) weight: Vec<u64>,
}

impl Reduced {
    /// Row p of the preorder has the states that p is below. O(n² + m · d) for d steps of a
    /// label from one state.
    pub(super) fn new(graph: &Graph, preorder: &Matrix) -> Self {
        let (mut states, mut place, mut weight) = (Vec::new(), Vec::new(), Vec::new());
        for s in 0..graph.states() as u32 {
            let mut before = ones(preorder.row(s)).take_while(|&t| t < s);
            let known = before.find(|&t| preorder.get(t, s));
            let number = match known {
                Some(first) => place[first as usize],
                None => {
                    states.push(s);
                    weight.push(0);
                    states.len() as u32 - 1
                }
            };
            place.push(number);
            weight[number as usize] += 1;
        }
        let rows = states.iter().map(|&s| {
            let steps = graph.steps(s);
            let is_needed = move |&(label, t): &(u32, u32)| {
                let others = graph.steps_with(s, label).iter();
                let is_less = |u| preorder.get(t, u) && !preorder.get(u, t);
                !others.map(|step| step.1).any(is_less)
            };
            let needed = steps.iter().filter(move |step| is_needed(step));
            needed.map(|&(label, t)| (label, place[t as usize]))
        });
        Self {
            graph: Graph::from_rows(rows),
            above: preorder.selected(&states),
            place,
            states,
            weight,
        }
    }
}

/// No restriction on the menu of the state.
const ANY_MENU: u32 = u32::MAX;

/// A step from a set, by a state with a menu or any.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SetStep {
    target: u32,
    source: u32,
    label: u32,
    menu: u32,
}

/// The sets that are met, from those of one state each, which have the numbers of the
/// states.
pub(super) struct SetGame<'r> {
    reduced: &'r Reduced,
    sets: Interned<u32>,
    cut: Option<Cut>,
    /// Ascending.
    steps: Vec<SetStep>,
    /// Where the steps to each set begin.
    starts: Vec<usize>,
    incoming: Incoming,
    /// The states with each menu.
    by_menu: Matrix,
}

impl<'r> SetGame<'r> {
    /// Finds the sets; nothing if there are more than `limit`. The states that remain for
    /// the menu of the attacker's state are chosen by `cut`.
    pub(super) fn new(reduced: &'r Reduced, cut: Option<Cut>, limit: usize) -> Option<Self> {
        let mut sets = Interned::default();
        for s in 0..reduced.graph.states() as u32 {
            sets.intern(&[s]);
        }
        let mut game = Self {
            reduced,
            sets,
            cut,
            steps: Vec::new(),
            starts: Vec::new(),
            incoming: Incoming::new(&reduced.graph),
            by_menu: states_with_equal(&reduced.graph),
        };
        let menus = game.menus();
        let mut next = 0;
        let mut kept = Vec::new();
        while next < game.sets.len() as u32 {
            if game.sets.len() > limit {
                return None;
            }
            let source = next;
            next += 1;
            for &menu in &menus {
                game.remaining(source, menu, &mut kept);
                game.add_steps(source, menu, &kept);
            }
        }
        game.steps.sort_unstable();
        let starts = 0..=game.sets.len() as u32;
        let start = |set| game.steps.partition_point(|step| step.target < set);
        game.starts = starts.map(start).collect();
        Some(game)
    }

    /// The menus that make a difference.
    fn menus(&self) -> Vec<u32> {
        match self.cut {
            None => vec![ANY_MENU],
            Some(_) => (0..self.reduced.graph.menus().len() as u32).collect(),
        }
    }

    /// The states of a set that remain for a menu.
    fn remaining(&self, set: u32, menu: u32, kept: &mut Vec<u32>) {
        let graph = &self.reduced.graph;
        let fits = |q: &u32| {
            let (this, other) = (graph.menu(*q), menu);
            match self.cut {
                None => true,
                Some(Cut::Equal) => this == other,
                Some(Cut::Fewer) => is_subset(graph.menus().get(this), graph.menus().get(other)),
                Some(Cut::More) => is_subset(graph.menus().get(other), graph.menus().get(this)),
            }
        };
        kept.clear();
        kept.extend(self.sets.get(set).iter().copied().filter(fits));
    }

    /// Adds the steps from these states of a set by the attacker's steps from states with a
    /// menu.
    fn add_steps(&mut self, source: u32, menu: u32, kept: &[u32]) {
        let graph = &self.reduced.graph;
        let mut labels = labels_of(graph, kept);
        if menu != ANY_MENU {
            let menu = graph.menus().get(menu);
            labels.retain(|label| menu.binary_search(label).is_ok());
        }
        for label in labels {
            let steps = kept.iter().flat_map(|&q| graph.steps_with(q, label));
            let mut targets: Vec<u32> = steps.map(|step| step.1).collect();
            targets.sort_unstable();
            targets.dedup();
            // The others do no more than one of these; none is below itself by another one,
            // as no two states are below each other.
            let all = targets.clone();
            targets.retain(|&t| !all.iter().any(|&u| u != t && self.reduced.above.get(t, u)));
            let (target, _) = self.sets.intern(&targets);
            self.steps.push(SetStep {
                target,
                source,
                label,
                menu,
            });
        }
    }

    /// Plays with the price of a relation: row p of the result has the states that p is
    /// below. For possible and impossible futures it takes the preorder of traces, in the
    /// same form.
    ///
    /// O(s · m · n) time for s sets, and s · n/4 bytes.
    ///
    /// # Panics
    /// If the traces are missing, or the relation is no linear one of the strong game.
    pub(super) fn play(&self, relation: Relation, traces: Option<&Matrix>) -> Matrix {
        let won = self.spread(self.won_at_once(relation, traces));
        let states = self.reduced.graph.states();
        let mut above = Matrix::new(states, states);
        for q in 0..states as u32 {
            for p in (0..states as u32).filter(|&p| !won.get(q, p)) {
                above.set(p, q);
            }
        }
        above
    }

    /// For each set the states from which the attacker wins before the next step.
    fn won_at_once(&self, relation: Relation, traces: Option<&Matrix>) -> Matrix {
        let graph = &self.reduced.graph;
        let states = graph.states();
        let goods = match relation {
            Relation::Trace
            | Relation::Revivals
            | Relation::FailureTrace
            | Relation::ReadyTrace => None,
            Relation::Failures => {
                let more = states_with_more(graph);
                Some(more.rows((0..states as u32).map(|q| graph.menu(q))))
            }
            Relation::Readiness => {
                Some(self.by_menu.rows((0..states as u32).map(|q| graph.menu(q))))
            }
            Relation::ImpossibleFuturesStrong => {
                Some(traces.expect("the preorder of traces").clone())
            }
            Relation::PossibleFutures => {
                let traces = traces.expect("the preorder of traces");
                Some(traces.transposed().and(traces))
            }
            _ => unreachable!("{relation} is no linear relation of the strong game"),
        };
        let with_label = states_by_label(graph);
        let mut won = Matrix::new(self.sets.len(), states);
        for set in 0..self.sets.len() as u32 {
            if let Some(goods) = &goods {
                for &q in self.sets.get(set) {
                    or(won.row_mut(set), goods.row(q));
                }
                won.negate(set);
            }
            self.add_menus_won(set, relation, &mut won);
            if self.cut.is_none() {
                // Steps that no state of the set can take.
                let labels = labels_of(graph, self.sets.get(set));
                for label in 0..with_label.1 {
                    if labels.binary_search(&label).is_err() {
                        or(won.row_mut(set), with_label.0.row(label));
                    }
                }
            }
        }
        won
    }

    /// Adds the states that win at once because of their menus.
    fn add_menus_won(&self, set: u32, relation: Relation, won: &mut Matrix) {
        let graph = &self.reduced.graph;
        let mut kept = Vec::new();
        for menu in 0..graph.menus().len() as u32 {
            let all = graph.menus().get(menu);
            let is_won = match relation {
                Relation::Revivals => {
                    let fits = |q: &u32| is_subset(graph.menus().get(graph.menu(*q)), all);
                    kept.clear();
                    kept.extend(self.sets.get(set).iter().copied().filter(fits));
                    kept.is_empty() || labels_of(graph, &kept) != all
                }
                Relation::FailureTrace | Relation::ReadyTrace => {
                    self.remaining(set, menu, &mut kept);
                    kept.is_empty() || !is_subset(all, &labels_of(graph, &kept))
                }
                _ => return,
            };
            if is_won {
                or(won.row_mut(set), self.by_menu.row(menu));
            }
        }
    }

    /// Adds what the attacker wins by steps to what she wins at once.
    fn spread(&self, mut won: Matrix) -> Matrix {
        let graph = &self.reduced.graph;
        // What has not been looked at.
        let mut fresh = won.clone();
        let mut queue: std::collections::VecDeque<u32> = (0..self.sets.len() as u32).collect();
        let mut is_queued = vec![true; self.sets.len()];
        let mut states = Vec::new();
        while let Some(set) = queue.pop_front() {
            is_queued[set as usize] = false;
            states.clear();
            states.extend(ones(fresh.row(set)));
            fresh.row_mut(set).fill(0);
            if states.is_empty() {
                continue;
            }
            let (start, end) = (self.starts[set as usize], self.starts[set as usize + 1]);
            for step in &self.steps[start..end] {
                let mut is_new = false;
                for &target in &states {
                    for &(_, p) in self.incoming.with(target, step.label) {
                        let fits = step.menu == ANY_MENU || graph.menu(p) == step.menu;
                        if fits && !won.get(step.source, p) {
                            won.set(step.source, p);
                            fresh.set(step.source, p);
                            is_new = true;
                        }
                    }
                }
                if is_new && !std::mem::replace(&mut is_queued[step.source as usize], true) {
                    queue.push_back(step.source);
                }
            }
        }
        won
    }
}

/// The labels of the steps of some states, ascending.
fn labels_of(graph: &Graph, states: &[u32]) -> Vec<u32> {
    let menus = states.iter().map(|&q| graph.menus().get(graph.menu(q)));
    let mut labels = menus.flatten().copied().collect::<Vec<u32>>();
    labels.sort_unstable();
    labels.dedup();
    labels
}

/// The states that have a step of each label, and the number of labels.
fn states_by_label(graph: &Graph) -> (Matrix, u32) {
    let all: Vec<u32> = (0..graph.states() as u32).collect();
    let labels = labels_of(graph, &all).last().map_or(0, |&last| last + 1);
    let mut with_label = Matrix::new(labels as usize, graph.states());
    for s in all {
        for &(label, _) in graph.steps(s) {
            with_label.set(label, s);
        }
    }
    (with_label, labels)
}

fn or(words: &mut [u64], others: &[u64]) {
    for (word, other) in words.iter_mut().zip(others) {
        *word |= other;
    }
}
