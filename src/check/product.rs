//! Formulas that ask for a path, on the fly: the product of a model and the automaton
//! of the formula, explored as models are, breadth-first and by all threads.
//!
//! These are the formulas without data that one player decides alone: `<R>f` and its
//! like hold if some path leads to where `f` does, `[R]f` and its like do not hold if
//! some path leads to where `f` does not; `f` may speak of the transitions of one state.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

use hyades_explore::{
    Answer, Emit, Erased, ExploreError, ExploreOptions, Limits, MAX_BITS, Model, ModelError,
    Outcome, ProgressCallback, Questions, explore, words,
};
use hyades_formats::{LabelId, LabelTable};

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

/// What can be done at a node of the search without a transition.
#[derive(Clone, Debug, Default)]
struct Entry {
    /// Where transitions of an action lead.
    steps: Vec<(ActionId, NodeId)>,
    /// Where the search ends, and the node for that.
    ends: Vec<(Local, NodeId)>,
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
    known: Vec<u64>,
    /// What an action has failed with on a label that was not known.
    failure: OnceLock<EvaluationError>,
}

impl<'a> Product<'a> {
    /// The product, if the formula asks for a path.
    ///
    /// # Errors
    /// If an action has no value.
    pub fn new(graph: &'a Graph<'a>, model: Erased<'a>) -> Result<Option<Self>, EvaluationError> {
        if !graph.is_data_free() || graph.actions.len() > MOST_ACTIONS {
            return Ok(None);
        }
        let joined = Joined::new(model.bits(), graph.nodes.len() as u32);
        if joined.bits() > MAX_BITS {
            return Ok(None);
        }
        for player in [Player::Prover, Player::Refuter] {
            let mut product = Product {
                graph,
                model,
                player,
                entries: vec![None; graph.nodes.len()],
                joined,
                known: Vec::new(),
                failure: OnceLock::new(),
            };
            if product.is_search() {
                let table = model.labels();
                for label in (0..table.len() as u32).map(LabelId::new) {
                    let text: &[u8] = if label.is_hidden() {
                        b""
                    } else {
                        table.text(label)
                    };
                    let bits = product.matching(LabelText::new(text, label.is_hidden()))?;
                    product.known.push(bits);
                }
                return Ok(Some(product));
            }
        }
        Ok(None)
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

    fn matching(&self, label: LabelText<'_>) -> Result<u64, EvaluationError> {
        let mut bits = 0;
        for (k, action) in self.graph.actions.iter().enumerate() {
            let is_match = matches(&action.formula, label, &Nothing, &mut Bound::new())?;
            bits |= u64::from(is_match) << k;
        }
        Ok(bits)
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
        let found = explore(self, options, &mut ());
        if let Some(failure) = self.failure.get() {
            return Err(failure.clone().into());
        }
        let found = found?;
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
            failure: None,
        };
        let result = self.model.successors(scratch, own, &mut emit);
        if let Some(error) = emit.failure {
            return Err(error.into());
        }
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
    /// The targets, one behind the other.
    targets: Vec<u64>,
    /// New labels of this state.
    labels: Vec<(LabelId, u64)>,
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
    failure: Option<EvaluationError>,
}

impl Emit for Matching<'_, '_, '_> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let next = LabelId::new((self.product.known.len() + self.row.labels.len()) as u32);
        let label = self.emit.as_mut().map_or(next, |emit| emit.label(text));
        match self.product.matching(LabelText::new(text, false)) {
            Ok(bits) => self.row.labels.push((label, bits)),
            Err(error) => self.failure = Some(error),
        }
        label
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let known = self.product.known.get(label.index()).copied();
        let own = || {
            self.row
                .labels
                .iter()
                .rev()
                .find(|(l, _)| *l == label)
                .map(|(_, bits)| *bits)
        };
        let bits = known.or_else(own).unwrap_or(0);
        self.row.transitions.push((label, bits));
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
        row.targets.clear();
        row.labels.clear();
        {
            let mut matching = Matching {
                product: self,
                row: &mut *row,
                emit: Some(&mut emit),
                failure: None,
            };
            self.model.successors(scratch, &own, &mut matching)?;
            if let Some(error) = matching.failure {
                let text = error.to_string();
                // One of them is told; which one is of no importance.
                self.failure.get_or_init(|| error);
                return Err(ModelError::new(text));
            }
        }
        let entry = self.entry(node);
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
