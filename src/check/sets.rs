//! Formulas without data on an LTS in memory: the set of states of each node of the
//! formula, components of the formula one after the other.
//!
//! A component with fixpoints of one sign is computed by marking positions from those
//! that need no others on, backwards along the transitions, with a counter where all
//! of several must be marked (Arnold, Crubillé 1988; Cleaveland, Steffen 1993): each
//! transition is looked at once for each modality. What is marked is what holds, of
//! least fixpoints, and what does not hold, of greatest ones. A component with both
//! signs is a parity game. O(|formula| · (states + transitions)) without alternation.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use hyades_base::bits::SharedBits;
use hyades_base::parallel;
use hyades_equivalence::Sources;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::hidden_components;

use crate::data::Scope;
use crate::game::Game;
use crate::graph::{ActionId, Graph, Node, NodeId};
use crate::label_set::{LabelSet, Labels};
use crate::parity::{self, Moves, NONE, Player};
use crate::syntax::{Modality, Sign, Value, VariableId};

/// No variables.
pub(crate) struct Nothing;

impl Scope for Nothing {
    fn value(&self, _: VariableId) -> &Value {
        unreachable!("a formula without data reads no variables")
    }
}

/// Why there are no sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unsolved {
    /// An action has no value for a label: whether that matters is known where a transition
    /// with it is met.
    NoValue,
    /// Somebody wants an end.
    Interrupted,
}

/// The states of an LTS where each node of a formula without data holds; but for the
/// root, only as long as they are needed unless `all` are wanted. Whether it goes on is asked
/// for each action and each component of nodes.
pub(crate) fn sets(
    graph: &Graph<'_>,
    lts: &Lts,
    all: bool,
    goes_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Vec<Option<SharedBits>>, Unsolved> {
    debug_assert!(graph.is_data_free());
    let mut goes_on = || match goes_on() {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Unsolved::Interrupted),
    };
    let table = Labels::new(lts.table());
    let mut labels: Vec<LabelSet> = Vec::with_capacity(graph.actions.len());
    for action in &graph.actions {
        goes_on()?;
        let matched = table.matched(&action.formula);
        labels.push(matched.map_err(|_| Unsolved::NoValue)?);
    }
    let is_about_few = |node: &&Node| match node {
        Node::Modal(_, action, _) => labels[action.index()].few().is_some(),
        _ => false,
    };
    let is_worthwhile = graph.nodes.iter().filter(is_about_few).count() >= WORTHWHILE;
    let mut solver = Solver {
        graph,
        lts,
        by_label: is_worthwhile.then(|| ByLabel::new(lts, &labels)),
        labels,
        sets: (0..graph.nodes.len()).map(|_| None).collect(),
        uses: vec![0; graph.nodes.len()],
        all,
        sources: None,
    };
    let components = components(graph);
    for node in components.iter().flatten() {
        for after in graph.node(*node).successors() {
            solver.uses[after.index()] += 1;
        }
    }
    solver.uses[graph.root.index()] += 1;
    for component in components {
        goes_on()?;
        solver.solve(&component);
        for &node in &component {
            for after in graph.node(node).successors() {
                let uses = &mut solver.uses[after.index()];
                *uses -= 1;
                if *uses == 0 && !all {
                    solver.sets[after.index()] = None;
                }
            }
        }
    }
    Ok(solver.sets)
}

/// The components of what the root of a formula needs, those that need no others first;
/// nodes ascend.
fn components(graph: &Graph<'_>) -> Vec<Vec<NodeId>> {
    let mut offsets = vec![0];
    let mut targets = Vec::new();
    for node in &graph.nodes {
        targets.extend(node.successors().iter().map(|after| StateId::new(after.0)));
        offsets.push(targets.len() as u32);
    }
    let found = hidden_components(&offsets, &targets);
    let mut is_needed = vec![false; graph.nodes.len()];
    is_needed[graph.root.index()] = true;
    let mut open = vec![graph.root];
    while let Some(node) = open.pop() {
        for &after in graph.node(node).successors() {
            if !std::mem::replace(&mut is_needed[after.index()], true) {
                open.push(after);
            }
        }
    }
    let mut components = vec![Vec::new(); found.count as usize];
    for (node, &component) in found
        .of
        .iter()
        .enumerate()
        .filter(|(node, _)| is_needed[*node])
    {
        components[component as usize].push(NodeId(node as u32));
    }
    components.retain(|component| !component.is_empty());
    components
}

/// So many modalities about few labels are worth a look at all transitions for their labels.
const WORTHWHILE: usize = if cfg!(test) { 2 } else { 64 };

/// Transitions by their labels: those with a label of a set of few.
struct ByLabel {
    /// Of each label, where its transitions end; they begin where those of the one before end.
    ends: Vec<usize>,
    /// Sources and targets.
    transitions: Vec<(u32, u32)>,
}

impl ByLabel {
    /// O(states + transitions + labels).
    fn new(lts: &Lts, sets: &[LabelSet]) -> Self {
        let mut is_wanted = vec![false; lts.table().len()];
        for label in sets.iter().filter_map(LabelSet::few).flatten() {
            is_wanted[label.index()] = true;
        }
        let mut ends = vec![0; is_wanted.len()];
        for label in Lts::labels(lts) {
            ends[label.index()] += usize::from(is_wanted[label.index()]);
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut transitions = vec![(0, 0); total];
        for source in (0..lts.states()).map(StateId::from_index) {
            for (label, target) in lts.outgoing(source) {
                if is_wanted[label.index()] {
                    let end = &mut ends[label.index()];
                    transitions[*end] = (source.get(), target.get());
                    *end += 1;
                }
            }
        }
        Self { ends, transitions }
    }

    /// The transitions of a label.
    fn of(&self, label: LabelId) -> &[(u32, u32)] {
        let before = label.index().checked_sub(1);
        let start = before.map_or(0, |before| self.ends[before]);
        &self.transitions[start..self.ends[label.index()]]
    }
}

struct Solver<'a> {
    graph: &'a Graph<'a>,
    lts: &'a Lts,
    /// Of each action: the labels that it matches.
    labels: Vec<LabelSet>,
    /// The transitions of few labels, if many modalities are about few.
    by_label: Option<ByLabel>,
    /// What is known, and still needed.
    sets: Vec<Option<SharedBits>>,
    /// How many nodes need each set.
    uses: Vec<u32>,
    /// Whether the sets of all nodes are wanted, and all states in them.
    all: bool,
    /// What was needed last, by the labels.
    sources: Option<(LabelSet, Arc<Sources>)>,
}

/// A node of a component, as marking sees it.
enum Rule {
    /// Marked if one of its operands is.
    Any,
    /// Marked if all operands are: those outside where there is a bit; of those
    /// inside, so many are not marked yet, if they are more than one.
    All(SharedBits, Option<Vec<AtomicU32>>),
    /// Marked if a transition leads to a state where the operand is.
    Some(Arc<Sources>),
    /// Marked if all transitions do: so many are left.
    Every(Arc<Sources>, Vec<AtomicU32>),
}

/// A node of the component and a state.
type Marked = (u32, u32);

/// How many marked positions one task goes on from.
const TASK: usize = 1 << 12;

/// Goes on from positions until there are no new ones; `step` adds those that it finds from
/// some of them.
fn spread(mut new: Vec<Marked>, step: impl Fn(&[Marked], &mut Vec<Marked>) + Sync) {
    let mut found: Vec<Marked> = Vec::new();
    while !new.is_empty() {
        if new.len() <= TASK {
            // On a long path there is one at a time.
            step(&new, &mut found);
        } else {
            let parts = parallel::map_chunks(&new, TASK, |part| {
                let mut found = Vec::new();
                step(part, &mut found);
                found
            });
            found = parts.concat();
        }
        std::mem::swap(&mut new, &mut found);
        found.clear();
    }
}

impl Solver<'_> {
    fn set(&self, node: NodeId) -> &SharedBits {
        self.sets[node.index()]
            .as_ref()
            .expect("operands are in components before")
    }

    fn solve(&mut self, component: &[NodeId]) {
        let signs = |sign| {
            component.iter().any(
                |&node| matches!(self.graph.node(node), Node::Fixpoint(own, _) if *own == sign),
            )
        };
        let is_cycle = match component {
            [node] => self.graph.node(*node).successors().contains(node),
            _ => true,
        };
        match (is_cycle, signs(Sign::Mu), signs(Sign::Nu)) {
            (false, ..) => {
                let set = self.once(component[0]);
                self.sets[component[0].index()] = Some(set);
            }
            (true, true, false) => self.mark(component, true),
            (true, false, true) => self.mark(component, false),
            (true, true, true) => self.play(component),
            (true, false, false) => unreachable!("each cycle has a fixpoint"),
        }
    }

    /// A node that does not need itself.
    fn once(&self, node: NodeId) -> SharedBits {
        let n = self.lts.states();
        match self.graph.node(node) {
            Node::Constant(false) => SharedBits::new(n),
            Node::Constant(true) => SharedBits::from_words(n, |_| u64::MAX),
            Node::And(operands) => {
                let sets: Vec<&SharedBits> = operands.iter().map(|&node| self.set(node)).collect();
                SharedBits::from_words(n, |k| {
                    sets.iter().fold(u64::MAX, |word, set| word & set.word(k))
                })
            }
            Node::Or(operands) => {
                let sets: Vec<&SharedBits> = operands.iter().map(|&node| self.set(node)).collect();
                SharedBits::from_words(n, |k| sets.iter().fold(0, |word, set| word | set.word(k)))
            }
            Node::Fixpoint(_, body) => {
                let set = self.set(*body);
                SharedBits::from_words(n, |k| set.word(k))
            }
            Node::Modal(modality, action, after) => {
                let (set, wanted) = (self.set(*after), *modality == Modality::Diamond);
                let labels = &self.labels[action.index()];
                if let (Some(by_label), Some(few)) = (&self.by_label, labels.few()) {
                    let found = SharedBits::new(n);
                    for (source, target) in few.iter().flat_map(|&label| by_label.of(label)) {
                        if set.contains(*target as usize) == wanted {
                            found.insert_alone(*source as usize);
                        }
                    }
                    return if wanted { found } else { found.complement() };
                }
                SharedBits::from_words(n, |k| {
                    (64 * k..n.min(64 * (k + 1))).fold(0, |word, s| {
                        let row = self.lts.row(StateId::from_index(s));
                        let mut steps = Lts::labels(self.lts)[row.clone()]
                            .iter()
                            .zip(&self.lts.targets()[row]);
                        let is_some = steps.any(|(label, target)| {
                            labels.contains(*label) && set.contains(target.index()) == wanted
                        });
                        word | u64::from(is_some == wanted) << (s % 64)
                    })
                })
            }
            Node::Condition(..) | Node::Guard(..) | Node::Assign(..) | Node::Quantified(..) => {
                unreachable!("the formula has no data")
            }
        }
    }

    fn sources(&mut self, action: ActionId) -> Arc<Sources> {
        let labels = &self.labels[action.index()];
        match &self.sources {
            Some((known, sources)) if known == labels => sources.clone(),
            _ => {
                let sources = Arc::new(Sources::of_lts(self.lts, |label| labels.contains(label)));
                self.sources = Some((labels.clone(), sources.clone()));
                sources
            }
        }
    }

    /// How a node of a component is marked; what is marked is what holds, or else what
    /// does not.
    fn rule(&mut self, node: NodeId, component: &[NodeId], holds: bool) -> Rule {
        let n = self.lts.states();
        match self.graph.node(node) {
            Node::Fixpoint(..) => Rule::Any,
            Node::And(operands) | Node::Or(operands) => {
                if matches!(self.graph.node(node), Node::Or(_)) == holds {
                    return Rule::Any;
                }
                let is_inside = |node: &NodeId| component.binary_search(node).is_ok();
                let outside = operands.iter().filter(|node| !is_inside(node));
                let outside: Vec<&SharedBits> = outside.map(|&node| self.set(node)).collect();
                let allowed = SharedBits::from_words(n, |k| {
                    outside.iter().fold(u64::MAX, |word, set| {
                        word & if holds { set.word(k) } else { !set.word(k) }
                    })
                });
                let inside = operands.iter().filter(|node| is_inside(node)).count() as u32;
                let open = (inside > 1).then(|| (0..n).map(|_| AtomicU32::new(inside)).collect());
                Rule::All(allowed, open)
            }
            Node::Modal(modality, action, _) => {
                let sources = self.sources(*action);
                if (*modality == Modality::Diamond) == holds {
                    return Rule::Some(sources);
                }
                let labels = &self.labels[action.index()];
                let open = parallel::map(n, 1 << 12, |s| {
                    let row = &Lts::labels(self.lts)[self.lts.row(StateId::from_index(s))];
                    AtomicU32::new(
                        row.iter().filter(|label| labels.contains(**label)).count() as u32
                    )
                });
                Rule::Every(sources, open)
            }
            Node::Constant(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..) => unreachable!("these are in no cycle without data"),
        }
    }

    /// Whether a position of a component is marked as soon as one that it leads to is.
    fn is_search(&self, component: &[NodeId], holds: bool) -> bool {
        component.iter().all(|&node| match self.graph.node(node) {
            Node::Fixpoint(..) => true,
            Node::Or(_) | Node::Modal(Modality::Diamond, ..) => holds,
            Node::And(_) | Node::Modal(Modality::Box, ..) => !holds,
            Node::Constant(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..) => false,
        })
    }

    /// Whether a component of which only the initial state matters is marked there:
    /// forwards, until something is found.
    fn search(&self, component: &[NodeId], holds: bool) -> bool {
        let n = self.lts.states();
        let visited: Vec<SharedBits> = component.iter().map(|_| SharedBits::new(n)).collect();
        let place = |node: NodeId| component.binary_search(&node).ok();
        let is_found = AtomicBool::new(false);
        let root = place(self.graph.root).expect("the component of the root") as u32;
        let initial = Lts::initial(self.lts).get();
        visited[root as usize].insert(initial as usize);
        spread(vec![(root, initial)], |part, found| {
            for &(k, state) in part {
                if is_found.load(Relaxed) {
                    break;
                }
                let mut visit = |node: NodeId, state: u32| {
                    let inside = place(node);
                    if inside.is_some_and(|k| visited[k].insert(state as usize)) {
                        found.extend(inside.map(|k| (k as u32, state)));
                    } else if inside.is_none() && self.set(node).contains(state as usize) == holds {
                        is_found.store(true, Relaxed);
                    }
                };
                match self.graph.node(component[k as usize]) {
                    Node::Modal(_, action, after) => {
                        let labels = &self.labels[action.index()];
                        for (label, target) in self.lts.outgoing(StateId::new(state)) {
                            if labels.contains(label) {
                                visit(*after, target.get());
                            }
                        }
                    }
                    node => node
                        .successors()
                        .iter()
                        .for_each(|&after| visit(after, state)),
                }
            }
        });
        is_found.into_inner()
    }

    /// A component with fixpoints of one sign.
    fn mark(&mut self, component: &[NodeId], holds: bool) {
        let n = self.lts.states();
        if !self.all && component.contains(&self.graph.root) && self.is_search(component, holds) {
            let set = SharedBits::new(n);
            if self.search(component, holds) == holds {
                set.insert(Lts::initial(self.lts).index());
            }
            self.sets[self.graph.root.index()] = Some(set);
            return;
        }
        let rules: Vec<Rule> = component
            .iter()
            .map(|&node| self.rule(node, component, holds))
            .collect();
        let marks: Vec<SharedBits> = component.iter().map(|_| SharedBits::new(n)).collect();
        // Who needs each node of the component.
        let mut users = vec![Vec::new(); component.len()];
        let mut new: Vec<Marked> = Vec::new();
        for (k, &node) in component.iter().enumerate() {
            let mut mark = |state: u32| {
                if marks[k].insert(state as usize) {
                    new.push((k as u32, state));
                }
            };
            for operand in self.graph.node(node).successors() {
                match component.binary_search(operand) {
                    Ok(inside) => users[inside].push(k as u32),
                    Err(_) if matches!(rules[k], Rule::Any) => match holds {
                        true => self.set(*operand).iter().for_each(&mut mark),
                        false => self.set(*operand).complement().iter().for_each(&mut mark),
                    },
                    Err(_) => {}
                }
            }
            if let Rule::Every(_, open) = &rules[k] {
                let is_free = |s: &usize| open[*s].load(Relaxed) == 0;
                (0..n).filter(is_free).for_each(|s| mark(s as u32));
            }
        }
        spread(new, |part, found| {
            for &(operand, state) in part {
                for &user in &users[operand as usize] {
                    let marks = &marks[user as usize];
                    let mut mark = |state: u32| {
                        if marks.insert(state as usize) {
                            found.push((user, state));
                        }
                    };
                    match &rules[user as usize] {
                        Rule::Any => mark(state),
                        Rule::All(allowed, open) => {
                            let is_last = open
                                .as_ref()
                                .is_none_or(|open| open[state as usize].fetch_sub(1, Relaxed) == 1);
                            if is_last && allowed.contains(state as usize) {
                                mark(state);
                            }
                        }
                        Rule::Some(sources) => {
                            sources.of(state).iter().for_each(|&source| mark(source));
                        }
                        Rule::Every(sources, open) => {
                            for &source in sources.of(state) {
                                if open[source as usize].fetch_sub(1, Relaxed) == 1 {
                                    mark(source);
                                }
                            }
                        }
                    }
                }
            }
        });
        for (&node, marks) in component.iter().zip(marks) {
            self.sets[node.index()] = Some(if holds { marks } else { marks.complement() });
        }
    }

    /// A component with fixpoints of both signs.
    fn play(&mut self, component: &[NodeId]) {
        let arena = Arena::new(self, component);
        let all: Vec<u32> = (0..arena.len() as u32).collect();
        let mut winner = arena.winner.clone();
        let mut choice = vec![NONE; arena.len()];
        parity::solve(&arena, &all, &mut winner, &mut choice);
        let n = self.lts.states();
        for (k, &node) in component.iter().enumerate() {
            let set = SharedBits::from_words(n, |word| {
                (64 * word..n.min(64 * (word + 1))).fold(0, |bits, s| {
                    let holds = winner[k * n + s] == Some(Player::Prover);
                    bits | u64::from(holds) << (s % 64)
                })
            });
            self.sets[node.index()] = Some(set);
        }
    }
}

/// The game of a component: position `k · states + s` is its node `k` at the state `s`.
struct Arena<'a> {
    graph: &'a Graph<'a>,
    component: &'a [NodeId],
    states: usize,
    offsets: Vec<usize>,
    targets: Vec<u32>,
    /// What is decided by nodes outside, or by dead ends.
    winner: Vec<Option<Player>>,
}

impl<'a> Arena<'a> {
    fn new(solver: &'a Solver<'_>, component: &'a [NodeId]) -> Self {
        let (graph, n) = (solver.graph, solver.lts.states());
        let mut arena = Arena {
            graph,
            component,
            states: n,
            offsets: vec![0],
            targets: Vec::new(),
            winner: Vec::new(),
        };
        for &node in component {
            let owner = Game::owner_of(graph.node(node));
            for s in 0..n as u32 {
                let before = arena.targets.len();
                let mut won = false;
                let mut to = |node: &NodeId, state: u32| match component.binary_search(node) {
                    Ok(k) => arena.targets.push((k * n) as u32 + state),
                    Err(_) => {
                        let holds = solver.set(*node).contains(state as usize);
                        won |= holds == (owner == Player::Prover);
                    }
                };
                match graph.node(node) {
                    Node::Modal(_, action, after) => {
                        let labels = &solver.labels[action.index()];
                        for (label, target) in solver.lts.outgoing(StateId::new(s)) {
                            if labels.contains(label) {
                                to(after, target.get());
                            }
                        }
                    }
                    Node::Constant(_)
                    | Node::And(_)
                    | Node::Or(_)
                    | Node::Condition(..)
                    | Node::Guard(..)
                    | Node::Assign(..)
                    | Node::Quantified(..)
                    | Node::Fixpoint(..) => {
                        graph
                            .node(node)
                            .successors()
                            .iter()
                            .for_each(|after| to(after, s));
                    }
                }
                let is_stuck = arena.targets.len() == before;
                arena.winner.push(match (won, is_stuck) {
                    (true, _) => Some(owner),
                    (false, true) => Some(owner.other()),
                    (false, false) => None,
                });
                arena.offsets.push(arena.targets.len());
            }
        }
        arena
    }
}

impl Moves for Arena<'_> {
    fn len(&self) -> usize {
        self.winner.len()
    }

    fn successors(&self, position: u32) -> &[u32] {
        &self.targets[self.offsets[position as usize]..self.offsets[position as usize + 1]]
    }

    fn owner(&self, position: u32) -> Player {
        Game::owner_of(
            self.graph
                .node(self.component[position as usize / self.states]),
        )
    }

    fn priority(&self, position: u32) -> u32 {
        let node = self.component[position as usize / self.states];
        self.graph.priority(node)
    }
}
