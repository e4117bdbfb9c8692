//! The games of the linear notions between all states of one LTS.
//!
//! A position is a state p and a set Q of states; the attacker takes a step of p, and the
//! set becomes that of the targets of all such steps. For failure and ready traces only
//! states remain in it whose menus (labels of steps) fit that of p, before each step and at
//! the end.
//!
//! Positions are looked at in waves, from those of one state each, as far as it is not known
//! who wins where they were reached from: the attacker from p wins against Q if she does so
//! at once or by a step, the defender if p is below a state of Q by a simulation preorder
//! that implies the relation. Sets of Q are shared by all p, which are bits of rows.

use hyades_base::ascending::is_subset;
use hyades_base::interned::Interned;

use super::graph::{Cut, Graph};
use super::matrix::{Incoming, Matrix, ones, or, states_with_equal, states_with_more};
use crate::Relation;

/// A graph whose states that are below each other by a simulation preorder are one, and
/// which has no steps to states that are below the targets of others.
pub(super) struct Reduced {
    graph: Graph,
    /// Row p has the states that p is below.
    above: Matrix,
    /// Row q has the states that are below q.
    below: Matrix,
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
        let graph = Graph::from_rows(rows);
        let above = preorder.selected(&states);
        Self {
            graph,
            below: above.transposed(),
            above,
            place,
            states,
            weight,
        }
    }
}

/// No restriction on the menu of the state.
const ANY_MENU: u32 = u32::MAX;

/// The steps of a label that the attacker takes from states with a menu, or any.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    menu: u32,
    label: u32,
}

/// The linear relations of the strong game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Linear {
    Trace,
    Failures,
    Revivals,
    Readiness,
    FailureTrace,
    ReadyTrace,
    ImpossibleFutures,
    PossibleFutures,
}

impl Linear {
    pub(super) const fn relation(self) -> Relation {
        match self {
            Linear::Trace => Relation::Trace,
            Linear::Failures => Relation::Failures,
            Linear::Revivals => Relation::Revivals,
            Linear::Readiness => Relation::Readiness,
            Linear::FailureTrace => Relation::FailureTrace,
            Linear::ReadyTrace => Relation::ReadyTrace,
            Linear::ImpossibleFutures => Relation::ImpossibleFuturesStrong,
            Linear::PossibleFutures => Relation::PossibleFutures,
        }
    }

    /// How the states of a set that remain are chosen by the menu of the attacker's state.
    const fn cut(self) -> Option<Cut> {
        match self {
            Linear::FailureTrace => Some(Cut::Fewer),
            Linear::ReadyTrace => Some(Cut::Equal),
            Linear::Trace
            | Linear::Failures
            | Linear::Revivals
            | Linear::Readiness
            | Linear::ImpossibleFutures
            | Linear::PossibleFutures => None,
        }
    }
}

/// The game of a relation, as far as it has been played.
struct SetGame<'r> {
    reduced: &'r Reduced,
    relation: Linear,
    cut: Option<Cut>,
    /// Row q has the states from which the attacker does not win at once if q is in the set,
    /// where she otherwise does.
    goods: Option<Matrix>,
    incoming: Incoming,
    /// The states with each menu, and with steps of each label.
    by_menu: Matrix,
    by_label: Matrix,

    /// Those of one state each have the numbers of the states.
    sets: Interned<u32>,
    /// For each set the states from which the attacker is known to win.
    won: Matrix,
    /// Those of which that has not been told to the sets that lead there.
    fresh: Matrix,
    /// The states with which it has been reached, and not decided then.
    open: Matrix,
    /// Those of which no step has been looked at.
    pending: Matrix,
    /// For each set the moves that were looked at, with the sets they lead to, ascending.
    steps: Vec<Vec<(Move, u32)>>,
    /// The same backwards.
    into: Vec<Vec<(Move, u32)>>,
    scratch: Scratch,
}

/// Room for one set's moves.
struct Scratch {
    /// For each label the targets of steps.
    targets: Matrix,
    labels: Vec<u32>,
    kept: Vec<u32>,
}

/// Plays for a relation: row p of the result has the states that p
/// is below. Nothing if there are more than `limit` sets. For possible and impossible futures
/// it takes the preorder of traces, in the same form.
///
/// O(s · m) positions with their steps for s sets, in each wave again as long as they are not
/// decided; n/2 bytes a set.
///
/// # Panics
/// If the traces are missing.
pub(super) fn play(
    reduced: &Reduced,
    relation: Linear,
    traces: Option<&Matrix>,
    limit: usize,
) -> Option<Matrix> {
    let mut game = SetGame::new(reduced, relation, traces);
    let states = reduced.graph.states() as u32;
    loop {
        let wave = game.undecided();
        if wave.is_empty() {
            break;
        }
        for (set, mask) in wave {
            game.expand(set, &mask);
            if game.sets.len() > limit {
                return None;
            }
        }
        game.spread();
    }
    let mut above = Matrix::new(states as usize, states as usize);
    for q in 0..states {
        for p in (0..states).filter(|&p| !game.won.get(q, p)) {
            above.set(p, q);
        }
    }
    Some(above)
}

impl<'r> SetGame<'r> {
    fn new(reduced: &'r Reduced, relation: Linear, traces: Option<&Matrix>) -> Self {
        let graph = &reduced.graph;
        let states = graph.states();
        let by_menu = states_with_equal(graph);
        let by_label = states_by_label(graph);
        let menus = (0..states as u32).map(|q| graph.menu(q));
        let goods = match relation {
            Linear::Trace | Linear::Revivals | Linear::FailureTrace | Linear::ReadyTrace => None,
            Linear::Failures => Some(states_with_more(graph).rows(menus)),
            Linear::Readiness => Some(by_menu.rows(menus)),
            Linear::ImpossibleFutures => Some(traces.expect("the preorder of traces").clone()),
            Linear::PossibleFutures => {
                let traces = traces.expect("the preorder of traces");
                Some(traces.transposed().and(traces))
            }
        };
        let rows = || Matrix::new(0, states);
        let mut game = Self {
            reduced,
            relation,
            cut: relation.cut(),
            goods,
            incoming: Incoming::new(graph),
            scratch: Scratch {
                targets: Matrix::new(by_label.len(), states),
                labels: Vec::new(),
                kept: Vec::new(),
            },
            by_menu,
            by_label,
            sets: Interned::default(),
            won: rows(),
            fresh: rows(),
            open: rows(),
            pending: rows(),
            steps: Vec::new(),
            into: Vec::new(),
        };
        let mut every = Matrix::new(1, states);
        every.negate(0);
        let all = every.row(0);
        for s in 0..states as u32 {
            let set = game.set(&[s]);
            game.reach(set, all);
        }
        game
    }

    /// The number of a set, with what the attacker wins at once if it is a new one.
    fn set(&mut self, states: &[u32]) -> u32 {
        let (set, is_new) = self.sets.intern(states);
        if is_new {
            for rows in [
                &mut self.won,
                &mut self.fresh,
                &mut self.open,
                &mut self.pending,
            ] {
                rows.push();
            }
            self.steps.push(Vec::new());
            self.into.push(Vec::new());
            self.win_at_once(set);
        }
        set
    }

    /// Reaches a set with these states: those that are not decided are open.
    fn reach(&mut self, set: u32, states: &[u64]) {
        let mut new = states.to_vec();
        for &q in self.sets.get(set) {
            without(&mut new, self.reduced.below.row(q));
        }
        without(&mut new, self.won.row(set));
        without(&mut new, self.open.row(set));
        or(self.open.row_mut(set), &new);
        or(self.pending.row_mut(set), &new);
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

    /// The states from which the attacker wins against a new set before the next step.
    fn win_at_once(&mut self, set: u32) {
        let graph = &self.reduced.graph;
        if let Some(goods) = &self.goods {
            for &q in self.sets.get(set) {
                or(self.won.row_mut(set), goods.row(q));
            }
            self.won.negate(set);
        }
        for menu in 0..graph.menus().len() as u32 {
            if self.wins_by_menu(set, menu) {
                or(self.won.row_mut(set), self.by_menu.row(menu));
            }
        }
        if self.cut.is_none() {
            // Steps that no state of the set can take.
            let labels = labels_of(graph, self.sets.get(set));
            for label in 0..self.by_label.len() as u32 {
                if labels.binary_search(&label).is_err() {
                    or(self.won.row_mut(set), self.by_label.row(label));
                }
            }
        }
    }

    /// Whether the attacker wins at once from states with this menu because of it.
    fn wins_by_menu(&self, set: u32, menu: u32) -> bool {
        let graph = &self.reduced.graph;
        let all = graph.menus().get(menu);
        let mut kept = Vec::new();
        match self.relation {
            Linear::Revivals => {
                let fits = |q: &u32| is_subset(graph.menus().get(graph.menu(*q)), all);
                kept.extend(self.sets.get(set).iter().copied().filter(fits));
                kept.is_empty() || labels_of(graph, &kept) != all
            }
            Linear::FailureTrace | Linear::ReadyTrace => {
                self.remaining(set, menu, &mut kept);
                kept.is_empty() || !is_subset(all, &labels_of(graph, &kept))
            }
            Linear::Trace
            | Linear::Failures
            | Linear::Readiness
            | Linear::ImpossibleFutures
            | Linear::PossibleFutures => false,
        }
    }

    /// Calls with each move from these states of the attacker and with the targets.
    fn each_move(&mut self, mask: &[u64], mut call: impl FnMut(&mut Self, Move, &[u64])) {
        let graph = &self.reduced.graph;
        let mut menus: Vec<u32> = match self.cut {
            None => vec![ANY_MENU],
            Some(_) => ones(mask).map(|p| graph.menu(p)).collect(),
        };
        menus.sort_unstable();
        menus.dedup();
        for menu in menus {
            let mut labels = std::mem::take(&mut self.scratch.labels);
            for p in ones(mask).filter(|&p| menu == ANY_MENU || graph.menu(p) == menu) {
                for &(label, target) in graph.steps(p) {
                    if self
                        .scratch
                        .targets
                        .row(label)
                        .iter()
                        .all(|&word| word == 0)
                    {
                        labels.push(label);
                    }
                    self.scratch.targets.set(label, target);
                }
            }
            labels.sort_unstable();
            for &label in &labels {
                let targets = self.scratch.targets.row(label).to_vec();
                self.scratch.targets.row_mut(label).fill(0);
                call(self, Move { menu, label }, &targets);
            }
            labels.clear();
            self.scratch.labels = labels;
        }
    }

    /// The set that a move leads to. Nothing if no state of the set can follow.
    fn follow(&mut self, set: u32, step: Move) -> Option<u32> {
        let known = self.steps[set as usize].binary_search_by_key(&step, |other| other.0);
        let at = match known {
            Ok(at) => return Some(self.steps[set as usize][at].1),
            Err(at) => at,
        };
        let graph = &self.reduced.graph;
        let mut kept = std::mem::take(&mut self.scratch.kept);
        self.remaining(set, step.menu, &mut kept);
        let steps = kept.iter().flat_map(|&q| graph.steps_with(q, step.label));
        let mut targets: Vec<u32> = steps.map(|step| step.1).collect();
        self.scratch.kept = kept;
        if targets.is_empty() {
            return None;
        }
        targets.sort_unstable();
        targets.dedup();
        // The others do no more than one of these; none is below itself by another one, as no
        // two states are below each other.
        let all = targets.clone();
        targets.retain(|&t| !all.iter().any(|&u| u != t && self.reduced.above.get(t, u)));
        let target = self.set(&targets);
        self.steps[set as usize].insert(at, (step, target));
        self.into[target as usize].push((step, set));
        Some(target)
    }

    /// The sets with the states of which steps have to be looked at: they are pending, and
    /// reached from positions of one state each that are not decided, through such.
    fn undecided(&mut self) -> Vec<(u32, Vec<u64>)> {
        let states = self.reduced.graph.states();
        let mut needed = Matrix::new(self.sets.len(), states);
        let mut new = Matrix::new(self.sets.len(), states);
        let mut queue: Vec<u32> = (0..states as u32).collect();
        for q in 0..states as u32 {
            let mut row = self.open.row(q).to_vec();
            without(&mut row, self.won.row(q));
            or(needed.row_mut(q), &row);
            or(new.row_mut(q), &row);
        }
        let mut next = 0;
        while next < queue.len() {
            let set = queue[next];
            next += 1;
            let mut mask = new.row(set).to_vec();
            new.row_mut(set).fill(0);
            without(&mut mask, self.pending.row(set));
            if mask.iter().all(|&word| word == 0) {
                continue;
            }
            self.each_move(&mask, |game, step, targets| {
                let Some(target) = game.follow(set, step) else {
                    return;
                };
                let mut row = targets.to_vec();
                within(&mut row, game.open.row(target));
                without(&mut row, game.won.row(target));
                without(&mut row, needed.row(target));
                if row.iter().any(|&word| word != 0) {
                    if new.row(target).iter().all(|&word| word == 0) {
                        queue.push(target);
                    }
                    or(needed.row_mut(target), &row);
                    or(new.row_mut(target), &row);
                }
            });
        }
        let wave = (0..self.sets.len() as u32).map(|set| {
            let mut mask = needed.row(set).to_vec();
            within(&mut mask, self.pending.row(set));
            (set, mask)
        });
        wave.filter(|(_, mask)| mask.iter().any(|&word| word != 0))
            .collect()
    }

    /// Looks at the steps of these states against a set.
    fn expand(&mut self, set: u32, mask: &[u64]) {
        without(self.pending.row_mut(set), mask);
        // What the attacker wins by one of the steps need not be gone on from by others.
        self.each_move(mask, |game, step, targets| {
            let Some(target) = game.follow(set, step) else {
                return;
            };
            let mut hit = targets.to_vec();
            within(&mut hit, game.won.row(target));
            for p in ones(&hit) {
                game.win_before(set, step, p);
            }
        });
        let mut mask = mask.to_vec();
        without(&mut mask, self.won.row(set));
        self.each_move(&mask, |game, step, targets| {
            if let Some(target) = game.follow(set, step) {
                game.reach(target, targets);
            }
        });
    }

    /// The attacker wins against a set from the states with this move to a state.
    fn win_before(&mut self, set: u32, step: Move, state: u32) {
        for &(_, p) in self.incoming.with(state, step.label) {
            let fits = step.menu == ANY_MENU || self.reduced.graph.menu(p) == step.menu;
            if fits && !self.won.get(set, p) {
                self.won.set(set, p);
                self.fresh.set(set, p);
            }
        }
    }

    /// Tells the sets that lead there what the attacker has been found to win.
    fn spread(&mut self) {
        let is_fresh = |game: &Self, set: u32| game.fresh.row(set).iter().any(|&word| word != 0);
        let all = 0..self.sets.len() as u32;
        let mut queue: Vec<u32> = all.filter(|&set| is_fresh(self, set)).collect();
        while let Some(set) = queue.pop() {
            let states: Vec<u32> = ones(self.fresh.row(set)).collect();
            self.fresh.row_mut(set).fill(0);
            for at in 0..self.into[set as usize].len() {
                let (step, source) = self.into[set as usize][at];
                let was_fresh = is_fresh(self, source);
                for &state in &states {
                    self.win_before(source, step, state);
                }
                if !was_fresh && is_fresh(self, source) {
                    queue.push(source);
                }
            }
        }
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

/// The states that have a step of each label.
fn states_by_label(graph: &Graph) -> Matrix {
    let all: Vec<u32> = (0..graph.states() as u32).collect();
    let labels = labels_of(graph, &all).last().map_or(0, |&last| last + 1);
    let mut with_label = Matrix::new(labels as usize, graph.states());
    for s in all {
        for &(label, _) in graph.steps(s) {
            with_label.set(label, s);
        }
    }
    with_label
}

/// Leaves out the bits of other words.
fn without(words: &mut [u64], others: &[u64]) {
    for (word, other) in words.iter_mut().zip(others) {
        *word &= !other;
    }
}

/// Leaves only the bits of other words.
fn within(words: &mut [u64], others: &[u64]) {
    for (word, other) in words.iter_mut().zip(others) {
        *word &= other;
    }
}
