//! Formulas that ask for a path, on the fly: the product of a model and the automaton
//! of the formula, explored as models are, breadth-first and by all threads.
//!
//! These are the formulas without data that one player decides alone: `<R>f` and its
//! like hold if some path leads to where `f` does, `[R]f` and its like do not hold if
//! some path leads to where `f` does not; `f` may speak of the transitions of one state.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use hyades_equivalence::strong_partition;
use hyades_explore::{
    Answer, Emit, Erased, ExploreError, ExploreOptions, Limits, MAX_BITS, Model, ModelError,
    Outcome, ProgressCallback, Questions, explore, words,
};
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

use crate::data::EvaluationError;
use crate::decide::Verdict;
use crate::evidence::{End, Step, Way};
use crate::game::CheckError;
use crate::graph::{ActionId, Graph, Node, NodeId};
use crate::joined::Joined;
use crate::matching::{Bound, LabelText, matches};
use crate::parity::Player;
use crate::sets::Nothing;
use crate::syntax::Modality;

/// Most action formulas: their matches are bits of a word.
const MOST_ACTIONS: usize = 64;

/// Most entries of all nodes: what can be skipped is in all entries before it.
const MOST_ENTRIES: usize = 1 << 20;

/// A node where the search may end, as the transitions of one state decide it.
#[derive(Clone, Debug)]
enum Local {
    Constant(bool),
    All(Vec<Local>),
    One(Vec<Local>),
    /// Whether there is a transition of this action is as said.
    Has(ActionId, bool),
}

impl Local {
    /// The actions that it reads, as bits.
    fn actions(&self) -> u64 {
        match self {
            Local::Constant(_) => 0,
            Local::All(parts) | Local::One(parts) => {
                parts.iter().fold(0, |all, part| all | part.actions())
            }
            Local::Has(action, _) => 1 << action.0,
        }
    }
}

/// What can be done at a node of the search without a transition.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Where transitions of an action lead.
    steps: Vec<(ActionId, NodeId)>,
    /// Where the search ends, and the node for that.
    ends: Vec<(Local, NodeId)>,
    /// The actions of both, as bits.
    actions: u64,
}

/// The actions that match a label.
#[derive(Clone, Debug, Default)]
struct Matched {
    /// As bits.
    actions: u64,
    /// Those that have no value for it, and why.
    failed: Vec<(ActionId, EvaluationError)>,
}

impl Matched {
    /// Why one of these actions has no value.
    fn failure(&self, actions: u64) -> Option<&EvaluationError> {
        let is_one = |(action, _): &&(ActionId, _)| actions >> action.0 & 1 != 0;
        self.failed.iter().find(is_one).map(|(_, error)| error)
    }
}

pub(crate) struct Product<'a> {
    graph: &'a Graph<'a>,
    model: Erased<'a>,
    /// Who searches.
    player: Player,
    /// Of each node that a search may be at.
    entries: Vec<Option<Entry>>,
    /// How a state of the model and a node are packed.
    joined: Joined,
    /// Which actions match each label that is known beforehand.
    known: Vec<Matched>,
    /// What actions have failed with, by what is told of it.
    failures: Mutex<HashMap<String, EvaluationError>>,
}

impl<'a> Product<'a> {
    /// The product, if the formula asks for a path.
    pub fn new(graph: &'a Graph<'a>, model: Erased<'a>) -> Option<Self> {
        if !graph.is_data_free() || graph.actions.len() > MOST_ACTIONS {
            return None;
        }
        let joined = Joined::new(model.bits(), graph.nodes.len() as u32);
        if joined.bits() > MAX_BITS {
            return None;
        }
        for player in [Player::Prover, Player::Refuter] {
            let mut product = Product {
                graph,
                model,
                player,
                entries: vec![None; graph.nodes.len()],
                joined,
                known: Vec::new(),
                failures: Mutex::default(),
            };
            if product.is_search() {
                product.merge();
                let table = model.labels();
                for label in (0..table.len() as u32).map(LabelId::new) {
                    let own = product.matched(LabelText::of(&table, label));
                    product.known.push(own);
                }
                return Some(product);
            }
        }
        None
    }

    /// Fills the entries; whether the player decides alone, and there is something to
    /// search for.
    fn is_search(&mut self) -> bool {
        let mut open = vec![self.graph.root];
        let mut has_steps = false;
        let mut size = 0;
        while let Some(node) = open.pop() {
            if self.entries[node.index()].is_some() {
                continue;
            }
            let mut entry = Entry::default();
            if !self.enter(node, &mut entry) {
                return false;
            }
            entry.actions = entry
                .steps
                .iter()
                .map(|(action, _)| 1 << action.0)
                .chain(entry.ends.iter().map(|(local, _)| local.actions()))
                .fold(0, |all, own| all | own);
            has_steps |= !entry.steps.is_empty();
            size += entry.steps.len() + entry.ends.len();
            if size > MOST_ENTRIES {
                return false;
            }
            open.extend(entry.steps.iter().map(|(_, after)| *after));
            self.entries[node.index()] = Some(entry);
        }
        has_steps
    }

    /// Makes one of the nodes from which the search goes on alike: of `R{n}` there may be many,
    /// each with steps to all others.
    fn merge(&mut self) {
        let Ok(automaton) = self.automaton() else {
            // As it is, it is searched, too.
            return;
        };
        let partition = strong_partition(&automaton);
        let root = self.graph.root;
        let class = |node: NodeId| partition.class(StateId::new(node.0));
        let mut first = HashMap::from([(class(root), root)]);
        let mut same = Vec::with_capacity(self.entries.len());
        for (k, entry) in self.entries.iter().enumerate() {
            let node = NodeId(k as u32);
            same.push(match entry {
                Some(_) => *first.entry(class(node)).or_insert(node),
                None => node,
            });
        }
        for (k, entry) in self.entries.iter_mut().enumerate() {
            if same[k].index() != k {
                *entry = None;
            }
            let mut seen = HashSet::new();
            if let Some(Entry { steps, .. }) = entry {
                for (_, after) in steps.iter_mut() {
                    *after = same[after.index()];
                }
                steps.retain(|step| seen.insert(*step));
            }
        }
    }

    /// The nodes that the search may be at, with its steps, and steps to one more state where
    /// it may end.
    fn automaton(&self) -> Result<Lts, TooLarge> {
        let end = self.entries.len() as u32;
        let mut automaton = LtsBuilder::new(u64::from(end) + 1);
        for (k, entry) in self.entries.iter().enumerate() {
            if let Some(Entry { steps, ends, .. }) = entry {
                for (action, after) in steps {
                    let label = format!("action {}", action.0);
                    automaton.add_text(k as u32, label.as_bytes(), after.0)?;
                }
                for (_, node) in ends {
                    automaton.add_text(k as u32, format!("end {}", node.0).as_bytes(), end)?;
                }
            }
        }
        automaton.build(StateId::new(self.graph.root.0))
    }

    /// Collects what can be done at a node; false if another player would choose, or
    /// the search could go on for ever and win.
    fn enter(&self, node: NodeId, entry: &mut Entry) -> bool {
        let mut visited = HashSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if entry.steps.len() + entry.ends.len() > MOST_ENTRIES {
                return false;
            }
            let is_own = |prover: bool| (self.player == Player::Prover) == prover;
            let operands: &[NodeId] = match self.graph.node(node) {
                // To go on for ever has to be lost.
                Node::Fixpoint(sign, body) if is_own(*sign == crate::syntax::Sign::Mu) => {
                    std::slice::from_ref(body)
                }
                Node::Or(operands) if is_own(true) => operands,
                Node::And(operands) if is_own(false) => operands,
                Node::Modal(modality, action, after)
                    if is_own(*modality == Modality::Diamond) && self.local(node, 0).is_none() =>
                {
                    entry.steps.push((*action, *after));
                    continue;
                }
                _ => match self.local(node, 0) {
                    Some(local) => {
                        entry.ends.push((local, node));
                        continue;
                    }
                    None => return false,
                },
            };
            let new = operands
                .iter()
                .rev()
                .filter(|operand| visited.insert(**operand));
            open.extend(new);
        }
        true
    }

    /// A node that the transitions of one state decide, and the player does not search
    /// further for: the other one's.
    fn local(&self, node: NodeId, depth: usize) -> Option<Local> {
        if depth > 8 {
            return None;
        }
        let all = |nodes: &[NodeId]| {
            nodes
                .iter()
                .map(|&node| self.local(node, depth + 1))
                .collect::<Option<Vec<_>>>()
        };
        match self.graph.node(node) {
            Node::Constant(value) => Some(Local::Constant(*value)),
            Node::And(nodes) => Some(Local::All(all(nodes)?)),
            Node::Or(nodes) => Some(Local::One(all(nodes)?)),
            Node::Modal(modality, action, after) => {
                let Node::Constant(value) = self.graph.node(*after) else {
                    return None;
                };
                // A transition of the player's own belongs to the path.
                let is_diamond = *modality == Modality::Diamond;
                if is_diamond == (self.player == Player::Prover) {
                    return None;
                }
                match (is_diamond, value) {
                    (true, true) => Some(Local::Has(*action, true)),
                    (true, false) => Some(Local::Constant(false)),
                    (false, true) => Some(Local::Constant(true)),
                    (false, false) => Some(Local::Has(*action, false)),
                }
            }
            Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Quantified(..)
            | Node::Fixpoint(..) => None,
        }
    }

    fn matched(&self, label: LabelText<'_>) -> Matched {
        let mut matched = Matched::default();
        for (k, action) in self.graph.actions.iter().enumerate() {
            match matches(&action.formula, label, &Nothing, &mut Bound::new()) {
                Ok(is_match) => matched.actions |= u64::from(is_match) << k,
                Err(error) => matched.failed.push((ActionId(k as u32), error)),
            }
        }
        matched
    }

    /// The actions that match a label: one that is known beforehand, or one of these.
    fn matched_by<'s>(
        &'s self,
        label: LabelId,
        new: &'s [(LabelId, Matched)],
    ) -> Option<&'s Matched> {
        let new = || new.iter().rev().find(|(own, _)| *own == label);
        let known = self.known.get(label.index());
        known.or_else(|| new().map(|(_, own)| own))
    }

    /// Whether a local node is as the searching player wants it, where these actions
    /// have transitions.
    fn is_won(&self, local: &Local, has: u64) -> bool {
        fn holds(local: &Local, has: u64) -> bool {
            match local {
                Local::Constant(value) => *value,
                Local::All(parts) => parts.iter().all(|part| holds(part, has)),
                Local::One(parts) => parts.iter().any(|part| holds(part, has)),
                Local::Has(action, wanted) => (has >> action.0 & 1 != 0) == *wanted,
            }
        }
        holds(local, has) == (self.player == Player::Prover)
    }

    /// Splits a state into that of the model and the node.
    fn split(&self, state: &[u64]) -> (Vec<u64>, NodeId) {
        let (own, node) = self.joined.split(state);
        (own, NodeId(node))
    }

    fn join(&self, own: &[u64], node: NodeId, both: &mut [u64]) {
        self.joined.join(own, node.0, both);
    }

    fn entry(&self, node: NodeId) -> &Entry {
        self.entries[node.index()]
            .as_ref()
            .expect("a node that the search may be at")
    }

    /// Searches.
    ///
    /// # Errors
    /// If the model fails.
    pub fn decide(
        &self,
        limits: Limits,
        progress: Option<&mut ProgressCallback<'_>>,
    ) -> Result<Found, CheckError> {
        let mut progress = progress;
        let mut callback = |p: &hyades_explore::Progress| match &mut progress {
            Some(progress) => progress(p),
            None => std::ops::ControlFlow::Continue(()),
        };
        let options = ExploreOptions {
            limits,
            questions: Questions {
                deadlock: true,
                ..Questions::default()
            },
            stop_when_answered: true,
            progress: Some(&mut callback),
        };
        let found = explore(self, options, &mut ()).map_err(|error| {
            // Other threads may have failed elsewhere: the error of the exploration counts.
            let failures = self
                .failures
                .lock()
                .expect("no thread panics with the lock");
            match failures.get(&error.to_string()) {
                Some(failure) => CheckError::Evaluation(failure.clone()),
                None => CheckError::Explore(error),
            }
        })?;
        let (won, lost) = match self.player {
            Player::Prover => (Verdict::True, Verdict::False),
            Player::Refuter => (Verdict::False, Verdict::True),
        };
        let mut way = None;
        let verdict = match (&found.deadlock, found.outcome) {
            (Some(Answer::Yes(trace)), _) => {
                way = Some(self.way(trace)?);
                won
            }
            (Some(Answer::No), _) => lost,
            (_, Outcome::LimitReached(limit)) => Verdict::Limit(limit),
            (_, Outcome::Stopped) => Verdict::Interrupted,
            (_, Outcome::Complete | Outcome::Answered) => Verdict::Truncated,
        };
        Ok(Found {
            verdict,
            way,
            labels: found.labels.into_owned(),
            states: found.states as usize,
            transitions: found.transitions as usize,
        })
    }

    /// The way that a trace of the product shows, and what the model says on it.
    fn way(&self, trace: &hyades_explore::Trace) -> Result<(Way, Vec<Packed>), CheckError> {
        let steps =
            trace.labels.iter().enumerate().map(|(k, &label)| {
                Step::new(trace.states[k].get(), label, trace.states[k + 1].get())
            });
        let last = trace.packed.last().expect("a trace has an initial state");
        let (own, node) = self.split(last);
        let mut row = Row::default();
        self.row(&mut self.model.scratch(), &own, &mut row)?;
        let has = row.actions();
        let entry = self.entry(node);
        let mut ends = entry
            .ends
            .iter()
            .filter(|(local, _)| self.is_won(local, has));
        let constant = |local: &Local| matches!(local, Local::Constant(_));
        let end = match ends
            .clone()
            .find(|(local, _)| constant(local))
            .or_else(|| ends.next())
        {
            Some((local, node)) if !constant(local) => {
                let deadlock = row.transitions.is_empty();
                let winner = self.player;
                self.graph.decided(*node, Vec::new(), winner, deadlock)
            }
            _ => End::Whole,
        };
        let packed = trace.packed.iter().map(|state| self.split(state).0.into());
        Ok((
            Way {
                steps: steps.collect(),
                notes: Vec::new(),
                end,
            },
            packed.collect(),
        ))
    }

    /// The transitions of a state of the model, and which actions match each.
    fn row(
        &self,
        scratch: &mut <Erased<'a> as Model>::Scratch,
        own: &[u64],
        row: &mut Row,
    ) -> Result<(), CheckError> {
        let mut emit = Matching {
            product: self,
            row,
            emit: None,
        };
        let result = self.model.successors(scratch, own, &mut emit);
        result.map_err(|error| ExploreError::from(error).into())
    }
}

/// A state of the model.
pub(crate) type Packed = Box<[u64]>;

/// What a search has found.
pub(crate) struct Found {
    pub verdict: Verdict,
    /// The way, and the states on it.
    pub way: Option<(Way, Vec<Packed>)>,
    pub labels: LabelTable,
    pub states: usize,
    pub transitions: usize,
}

/// The transitions of a state.
#[derive(Default)]
pub(crate) struct Row {
    /// The label, the actions that match it.
    transitions: Vec<(LabelId, u64)>,
    /// The labels for which an action has no value, in the order of the transitions.
    failed: Vec<LabelId>,
    /// The targets, one behind the other.
    targets: Vec<u64>,
    /// New labels of this state.
    labels: Vec<(LabelId, Matched)>,
    target: Vec<u64>,
}

impl Row {
    fn actions(&self) -> u64 {
        self.transitions.iter().fold(0, |bits, (_, own)| bits | own)
    }
}

/// Collects a row; new labels are those of `emit`.
struct Matching<'p, 'a, 'e> {
    product: &'p Product<'a>,
    row: &'e mut Row,
    emit: Option<&'e mut dyn Emit>,
}

impl Emit for Matching<'_, '_, '_> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let next = LabelId::new((self.product.known.len() + self.row.labels.len()) as u32);
        let label = self.emit.as_mut().map_or(next, |emit| emit.label(text));
        let own = self.product.matched(LabelText::new(text, false));
        self.row.labels.push((label, own));
        label
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let own = self.product.matched_by(label, &self.row.labels);
        let actions = own.map_or(0, |own| own.actions);
        if own.is_some_and(|own| !own.failed.is_empty()) {
            self.row.failed.push(label);
        }
        self.row.transitions.push((label, actions));
        self.row.targets.extend_from_slice(target);
    }
}

impl<'a> Model for Product<'a> {
    type Scratch = (<Erased<'a> as Model>::Scratch, Row);

    fn scratch(&self) -> Self::Scratch {
        (self.model.scratch(), Row::default())
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        self.joined.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        let mut own = vec![0; words(self.model.bits())];
        self.model.initial(&mut own)?;
        self.join(&own, self.graph.root, state);
        Ok(())
    }

    /// Where the search ends there are no transitions, and elsewhere there are some: the
    /// search is that for a deadlock.
    fn successors<E: Emit + ?Sized>(
        &self,
        (scratch, row): &mut Self::Scratch,
        state: &[u64],
        mut emit: &mut E,
    ) -> Result<(), ModelError> {
        let (own, node) = self.split(state);
        row.transitions.clear();
        row.failed.clear();
        row.targets.clear();
        row.labels.clear();
        let mut matching = Matching {
            product: self,
            row: &mut *row,
            emit: Some(&mut emit),
        };
        self.model.successors(scratch, &own, &mut matching)?;
        let entry = self.entry(node);
        let matched = |label: &LabelId| self.matched_by(*label, &row.labels);
        let mut failures = row.failed.iter().filter_map(matched);
        if let Some(failure) = failures.find_map(|own| own.failure(entry.actions)) {
            let text = failure.to_string();
            let mut failures = self
                .failures
                .lock()
                .expect("no thread panics with the lock");
            failures
                .entry(text.clone())
                .or_insert_with(|| failure.clone());
            return Err(ModelError::new(text));
        }
        let has = row.actions();
        if entry.ends.iter().any(|(local, _)| self.is_won(local, has)) {
            return Ok(());
        }
        let width = own.len();
        let mut moves = false;
        let mut target = std::mem::take(&mut row.target);
        target.resize(state.len(), 0);
        for (k, (label, bits)) in row.transitions.iter().enumerate() {
            for (action, after) in &entry.steps {
                if bits >> action.0 & 1 != 0 {
                    self.join(
                        &row.targets[k * width..(k + 1) * width],
                        *after,
                        &mut target,
                    );
                    emit.transition(*label, &target);
                    moves = true;
                }
            }
        }
        row.target = target;
        if !moves {
            // Stuck, and not where the search ends.
            emit.transition(LabelId::HIDDEN, state);
        }
        Ok(())
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        self.model.is_truncated(&self.split(state).0)
    }

    fn was_truncated(&self) -> bool {
        self.model.was_truncated()
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}
