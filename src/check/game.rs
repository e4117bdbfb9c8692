//! The game that decides a formula, made on demand.
//!
//! A position is a state, a node of the formula and values of the variables that are
//! live there. Positions are made breadth-first by the number of transitions, what is
//! won is propagated backwards at once (Andersen 1994; Mateescu 2006), and now and
//! then what has been made is solved with all that has not been made lost for the one
//! player and then for the other, so that the work ends soon after the verdict stands.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::ops::{ControlFlow, Range};

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use hyades_base::interned::Interned;
use hyades_explore::{ExploreError, Limit};
use hyades_formats::LabelId;

use crate::along::{self, Along};
use crate::binding::Binding;
use crate::data::{self, EvaluationError, Scope};
use crate::decide::Verdict;
use crate::graph::{ActionId, Graph, Node, NodeId};
use crate::matching::{Bound, Extended, LabelText, matches};
use crate::parity::{self, Moves, NONE, Player};
use crate::states::{Expansion, States};
use crate::syntax::{Modality, Place, Quantifier, Value, VariableId};

/// Why a formula has no verdict.
#[derive(Clone, PartialEq, Debug)]
pub enum CheckError {
    /// The model failed.
    Explore(ExploreError),
    /// An expression has no value.
    Evaluation(EvaluationError),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::Explore(error) => error.fmt(f),
            CheckError::Evaluation(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CheckError {}

impl From<ExploreError> for CheckError {
    fn from(error: ExploreError) -> Self {
        CheckError::Explore(error)
    }
}

impl From<EvaluationError> for CheckError {
    fn from(error: EvaluationError) -> Self {
        CheckError::Evaluation(error)
    }
}

/// A position of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position {
    pub state: u32,
    pub node: NodeId,
    /// The values of the live variables of the node, interned.
    env: u32,
}

/// Where a move leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    /// It is decided at once.
    Won(Player),
    To(u32),
}

/// A move, and the transition that it takes if it takes one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// The number of a transition of [`States`].
    pub transition: Option<usize>,
    pub target: Target,
}

/// How many positions have been made before what there is is solved for the first time.
const FIRST_TRY: usize = if cfg!(test) { 8 } else { 1 << 14 };

/// How many positions there may be.
const MOST_POSITIONS: usize = u32::MAX as usize / 2;

/// Why the making of positions stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stop {
    Limit(Limit),
    /// There are too many instances of fixpoints.
    Instances,
    Interrupted,
}

impl From<Stop> for Verdict {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Limit(limit) => Verdict::Limit(limit),
            Stop::Instances => Verdict::Instances,
            Stop::Interrupted => Verdict::Interrupted,
        }
    }
}

/// Told now and then how many states and positions there are; `Break` ends the work.
pub(crate) type GoesOn<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

/// See [`Game::run_beside`].
pub(crate) type Beside<'a> = dyn FnMut(usize, u64, &mut GoesOn<'_>) -> ControlFlow<()> + 'a;

/// Transitions, by source, label and target.
pub(crate) type Transitions = HashSet<(u32, LabelId, u32)>;

/// An action, a label, and the number of the value that the action reads.
type MatchKey = (u32, u32, u32);

/// What a match has bound, if it is one.
type Matched = Option<Box<[(VariableId, Value)]>>;

pub(crate) struct Game<'g, 'm> {
    pub graph: &'g Graph<'g>,
    pub states: States<'m>,
    values: Vec<Value>,
    value_index: HashMap<Value, u32>,
    envs: Interned<u32>,
    positions: Vec<Position>,
    index: HashTable<u32>,
    hasher: RandomState,
    /// Of each position, where its moves are among `targets`; those not made are `None`.
    moves: Vec<Option<(usize, u32)>>,
    targets: Vec<u32>,
    /// Moves to each position, linked: the latest one, then the one before.
    latest: Vec<u32>,
    earlier: Vec<u32>,
    sources: Vec<u32>,
    /// How many moves are not lost for the owner.
    open: Vec<u32>,
    pub winner: Vec<Option<Player>>,
    pub choice: Vec<u32>,
    /// Of each position, in which run it was last come to, and then left for where its moves
    /// lead; and how many runs there have been.
    visits: Vec<Visit>,
    runs: u32,
    /// Of quantified nodes: how labels bind their variables, if they do.
    bindings: HashMap<NodeId, Option<Binding>>,
    matched: HashMap<MatchKey, Matched>,
    /// Of actions without data: whether they match each label.
    matched_labels: Vec<Vec<Option<bool>>>,
    pub max_memory: u64,
    /// How many positions are fixpoints with values, and how many of them there may be.
    instances: u64,
    pub max_instances: u64,
    /// Whether a verdict is looked for before all is made.
    pub is_hasty: bool,
    /// Why there is something that was not looked at, if there is: the first limit that
    /// forbade it, or that the model does not tell it.
    pub left_out: Option<Verdict>,
    /// If a player may only use some transitions.
    pub allowed: Option<(Player, Allowed<'g>)>,
}

/// Transitions that a player may use.
pub(crate) enum Allowed<'g> {
    /// These.
    These(Transitions),
    /// Those that a part has: the states are those of a system along it.
    Along(&'g Along<'g>),
}

/// Numbers of runs, which begin with 1.
#[derive(Clone, Copy, Default)]
struct Visit {
    come: u32,
    left: u32,
}

/// The values of a position.
struct Values<'a> {
    names: &'a [VariableId],
    values: &'a [u32],
    all: &'a [Value],
}

impl Scope for Values<'_> {
    fn value(&self, variable: VariableId) -> &Value {
        let place = self.names.binary_search(&variable);
        let place = place.expect("a variable that is read is live");
        &self.all[self.values[place] as usize]
    }
}

impl<'g, 'm> Game<'g, 'm> {
    /// The game of a formula, without positions.
    pub fn new(graph: &'g Graph<'g>, states: States<'m>) -> Self {
        let mut envs = Interned::default();
        envs.intern(&[]);
        Game {
            graph,
            states,
            values: Vec::new(),
            value_index: HashMap::new(),
            envs,
            positions: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
            moves: Vec::new(),
            targets: Vec::new(),
            latest: Vec::new(),
            earlier: Vec::new(),
            sources: Vec::new(),
            open: Vec::new(),
            winner: Vec::new(),
            choice: Vec::new(),
            visits: Vec::new(),
            runs: 0,
            bindings: HashMap::new(),
            matched: HashMap::new(),
            matched_labels: vec![Vec::new(); graph.actions.len()],
            max_memory: u64::MAX,
            instances: 0,
            max_instances: u64::MAX,
            is_hasty: true,
            left_out: None,
            allowed: None,
        }
    }

    pub fn position(&self, position: u32) -> Position {
        self.positions[position as usize]
    }

    /// The values of the variables that matter at a position.
    pub fn values_of(&self, position: u32) -> Vec<(VariableId, Value)> {
        let Position { node, env, .. } = self.position(position);
        let names = self.graph.live[node.index()].iter();
        let values = self.envs.get(env).iter();
        let value = |value: &u32| self.values[*value as usize].clone();
        names.copied().zip(values.map(value)).collect()
    }

    /// A label as action formulas see it.
    pub fn label(&self, label: LabelId) -> LabelText<'_> {
        text_of(&self.states, label)
    }

    /// About how many bytes are held.
    pub fn bytes(&self) -> u64 {
        let position = size_of::<Position>() + size_of::<Option<(usize, u32)>>() + 4 * 6;
        let bytes = self.positions.capacity() * position
            + self.targets.capacity() * 12
            + self.envs.bytes()
            + self.states.bytes();
        bytes as u64
    }

    /// Who moves at a node.
    pub fn owner_of(node: &Node) -> Player {
        match node {
            Node::And(_)
            | Node::Quantified(Quantifier::Forall, ..)
            | Node::Modal(Modality::Box, ..) => Player::Refuter,
            Node::Or(_)
            | Node::Quantified(Quantifier::Exists, ..)
            | Node::Modal(Modality::Diamond, ..)
            // There is one move at most.
            | Node::Constant(_)
            | Node::Condition(..)
            | Node::Guard(..)
            | Node::Assign(..)
            | Node::Fixpoint(..) => Player::Prover,
        }
    }

    fn owner(&self, position: u32) -> Player {
        let Position { state, node, .. } = self.position(position);
        match self.places(state) {
            Some(player) => player,
            None => Self::owner_of(self.graph.node(node)),
        }
    }

    /// The player who says where in a part a state is, if it is not said.
    fn places(&self, state: u32) -> Option<Player> {
        let Some((player, Allowed::Along(along))) = &self.allowed else {
            return None;
        };
        let words = self.states.words(state)?;
        matches!(along.place(words), along::Place::Open(_)).then_some(*player)
    }

    /// Whether the owner of a position may take a transition.
    fn may_take(&self, owner: Player, source: u32, label: LabelId, target: u32) -> bool {
        match &self.allowed {
            None => true,
            Some((player, Allowed::These(these))) => {
                *player != owner || these.contains(&(source, label, target))
            }
            Some((player, Allowed::Along(along))) => {
                let place = self.states.words(target).map(|words| along.place(words));
                match place {
                    Some(along::Place::At(_)) => *player == owner,
                    Some(along::Place::Apart | along::Place::Open(_)) => *player != owner,
                    None => unreachable!("a system along a part is a model"),
                }
            }
        }
    }

    /// The moves by which it is said where in a part a state is.
    fn placing(
        &mut self,
        position: Position,
    ) -> Result<Result<Vec<Move>, Option<Limit>>, CheckError> {
        let row = match row(&mut self.states, &mut self.left_out, position.state)? {
            Ok(row) => row,
            Err(limit) => return Ok(Err(limit)),
        };
        let moves = row.map(|number| {
            let values = self.envs.get(position.env).iter();
            let values = values.map(|&value| self.values[value as usize].clone());
            let resolved = Resolved::Node(position.node, values.collect());
            let (_, state) = self.states.transition(number);
            let target = self.make(state, resolved);
            Move {
                transition: None,
                target,
            }
        });
        Ok(Ok(moves.collect()))
    }

    /// The first position: the formula at the initial state.
    pub fn start(&mut self) -> Result<Target, CheckError> {
        let state = self.states.initial();
        let nothing = Values {
            names: &[],
            values: &[],
            all: &[],
        };
        let target = resolve(self.graph, self.graph.root, &nothing, &[])?;
        Ok(self.make(state, target))
    }

    /// The position for what a move leads to, new or not.
    fn make(&mut self, state: u32, target: Resolved) -> Target {
        let (node, values) = match target {
            Resolved::Won(player) => return Target::Won(player),
            Resolved::Node(node, values) => (node, values),
        };
        let mut env = Vec::with_capacity(values.len());
        for value in values {
            let next = self.values.len() as u32;
            let number = match self.value_index.get(&value) {
                Some(&known) => known,
                None => {
                    self.values.push(value.clone());
                    self.value_index.insert(value, next);
                    next
                }
            };
            env.push(number);
        }
        let env = match env.is_empty() {
            true => 0,
            false => self.envs.intern(&env).0,
        };
        let position = Position { state, node, env };
        let hash = self.hasher.hash_one(position);
        let positions = &self.positions;
        if let Some(&known) = self
            .index
            .find(hash, |&k| positions[k as usize] == position)
        {
            return Target::To(known);
        }
        let new = self.positions.len() as u32;
        if env != 0 && matches!(self.graph.node(node), Node::Fixpoint(..)) {
            self.instances += 1;
        }
        self.positions.push(position);
        let (positions, hasher) = (&self.positions, &self.hasher);
        self.index
            .insert_unique(hash, new, |&k| hasher.hash_one(positions[k as usize]));
        self.moves.push(None);
        self.latest.push(NONE);
        self.open.push(0);
        self.winner.push(None);
        self.choice.push(NONE);
        self.visits.push(Visit::default());
        Target::To(new)
    }

    /// The moves from a position, in a fixed order; positions are made for their
    /// targets. `None` if the model does not tell all transitions.
    pub fn moves_from(
        &mut self,
        number: u32,
    ) -> Result<Result<Vec<Move>, Option<Limit>>, CheckError> {
        let position = self.position(number);
        if self.places(position.state).is_some() {
            return self.placing(position);
        }
        let graph = self.graph;
        let node = graph.node(position.node);
        let mut found: Vec<(Option<usize>, u32, Resolved)> = Vec::new();
        let values = Values {
            names: &graph.live[position.node.index()],
            values: self.envs.get(position.env),
            all: &self.values,
        };
        let owner = Self::owner_of(node);
        match node {
            Node::And(nodes) | Node::Or(nodes) => {
                for &node in nodes {
                    let target = resolve(graph, node, &values, &[])?;
                    let is_end = matches!(target, Resolved::Won(player) if player == owner);
                    found.push((None, position.state, target));
                    if is_end {
                        break;
                    }
                }
            }
            Node::Fixpoint(_, node) => {
                found.push((None, position.state, resolve(graph, *node, &values, &[])?));
            }
            Node::Quantified(_, variable, domain, node) => {
                let own = self
                    .bindings
                    .entry(position.node)
                    .or_insert_with(|| Binding::of(graph, position.node));
                let places = match own {
                    Some(own) => places_at(own, graph, &mut self.states, position.state)?,
                    None => None,
                };
                let domain = match (own, places) {
                    (Some(own), Some(places)) => {
                        let value = |place| own.values[place as usize].clone();
                        places.into_iter().map(value).collect()
                    }
                    (Some(own), None) => own.values.clone(),
                    (None, _) => data::domain(domain, &values)?,
                };
                for value in domain {
                    let bound = [(*variable, value)];
                    let target = resolve(graph, *node, &values, &bound)?;
                    let is_end = matches!(target, Resolved::Won(player) if player == owner);
                    found.push((None, position.state, target));
                    if is_end {
                        break;
                    }
                }
            }
            Node::Modal(_, action, after) => {
                let row = match row(&mut self.states, &mut self.left_out, position.state)? {
                    Ok(row) => row,
                    Err(limit) => return Ok(Err(limit)),
                };
                let own = &graph.actions[action.index()];
                let is_simple = own.reads.is_empty() && own.binds.is_empty();
                for number in row {
                    let (label, target) = self.states.transition(number);
                    if !self.may_take(owner, position.state, label, target) {
                        continue;
                    }
                    let bound: Bound = if is_simple {
                        let known = &mut self.matched_labels[action.index()];
                        if known.len() <= label.index() {
                            known.resize(label.index() + 1, None);
                        }
                        let is_match = match known[label.index()] {
                            Some(is_match) => is_match,
                            None => {
                                let text = text_of(&self.states, label);
                                let is_match =
                                    matches(&own.formula, text, &values, &mut Bound::new())?;
                                known[label.index()] = Some(is_match);
                                is_match
                            }
                        };
                        if !is_match {
                            continue;
                        }
                        Bound::new()
                    } else {
                        let key = self.match_key(*action, label, &values);
                        let known = match key.and_then(|key| self.matched.get(&key)) {
                            Some(known) => known.clone(),
                            None => {
                                let mut bound = Bound::new();
                                let text = text_of(&self.states, label);
                                let is_match = matches(&own.formula, text, &values, &mut bound)?;
                                let result = is_match.then(|| bound.into_boxed_slice());
                                if let Some(key) = key {
                                    self.matched.insert(key, result.clone());
                                }
                                result
                            }
                        };
                        match known {
                            Some(bound) => bound.into_vec(),
                            None => continue,
                        }
                    };
                    let resolved = resolve(graph, *after, &values, &bound)?;
                    let is_end = matches!(resolved, Resolved::Won(player) if player == owner);
                    found.push((Some(number), target, resolved));
                    if is_end {
                        break;
                    }
                }
            }
            Node::Constant(_) | Node::Condition(..) | Node::Guard(..) | Node::Assign(..) => {
                unreachable!("what is decided or goes on at once is no position")
            }
        }
        let moves = found.into_iter().map(|(transition, state, resolved)| Move {
            transition,
            target: self.make(state, resolved),
        });
        Ok(Ok(moves.collect()))
    }

    /// What the result of matching depends on: only actions that read at most one
    /// variable are remembered.
    fn match_key(
        &self,
        action: ActionId,
        label: LabelId,
        values: &Values<'_>,
    ) -> Option<(u32, u32, u32)> {
        let value = match *self.graph.actions[action.index()].reads {
            [] => NONE,
            [variable] => {
                let place = values.names.binary_search(&variable).ok()?;
                values.values[place]
            }
            _ => return None,
        };
        Some((action.0, label.get(), value))
    }

    /// Makes the moves from a position, and propagates what they decide.
    fn expand(&mut self, position: u32) -> Result<Option<Limit>, CheckError> {
        let moves = match self.moves_from(position)? {
            Ok(moves) => moves,
            Err(limit) => return Ok(limit),
        };
        let owner = self.owner(position);
        let start = self.targets.len();
        let mut won = None;
        let mut open = 0;
        for Move { target, .. } in moves {
            match target {
                Target::Won(player) if player == owner => won = Some(NONE),
                Target::Won(_) => {}
                Target::To(target) => {
                    let edge = self.targets.len() as u32;
                    self.targets.push(target);
                    self.sources.push(position);
                    self.earlier.push(self.latest[target as usize]);
                    self.latest[target as usize] = edge;
                    match self.winner[target as usize] {
                        Some(player) if player == owner => won = won.or(Some(target)),
                        Some(_) => {}
                        None => open += 1,
                    }
                }
            }
        }
        let len = self.targets.len() - start;
        self.moves[position as usize] = Some((start, len as u32));
        self.open[position as usize] = open;
        if let Some(choice) = won {
            self.choice[position as usize] = choice;
            self.decide(position, owner);
        } else if open == 0 {
            self.decide(position, owner.other());
        }
        Ok(None)
    }

    /// A position is won, and what follows from it.
    fn decide(&mut self, position: u32, player: Player) {
        self.winner[position as usize] = Some(player);
        let mut queue = vec![position];
        while let Some(after) = queue.pop() {
            let mut edge = self.latest[after as usize];
            while edge != NONE {
                let source = self.sources[edge as usize];
                let s = source as usize;
                if self.winner[s].is_none() {
                    if self.owner(source) == player {
                        self.choice[s] = after;
                        self.winner[s] = Some(player);
                        queue.push(source);
                    } else {
                        self.open[s] -= 1;
                        if self.open[s] == 0 {
                            self.winner[s] = Some(player);
                            queue.push(source);
                        }
                    }
                }
                edge = self.earlier[edge as usize];
            }
        }
    }

    /// Makes positions until `root` is decided, or all that it needs are made, or
    /// something stops it; breadth-first by the number of transitions. `goes_on` is told
    /// now and then how many states and positions there are.
    ///
    /// Without a stop, `root` may be undecided all the same: where the model has states
    /// that it does not go on from.
    pub fn run(&mut self, root: u32, goes_on: &mut GoesOn<'_>) -> Result<Option<Stop>, CheckError> {
        self.run_beside(root, goes_on, &mut |_, _, _| ControlFlow::Continue(()))
    }

    /// As [`Game::run`]; what has been made and does not decide `root` is told to `beside`,
    /// with how many states are known and how many bytes are held, and what tells how far it
    /// has come. `Break` interrupts it.
    pub fn run_beside(
        &mut self,
        root: u32,
        goes_on: &mut GoesOn<'_>,
        beside: &mut Beside<'_>,
    ) -> Result<Option<Stop>, CheckError> {
        let stop = self.run_on(root, goes_on, beside)?;
        self.left_out = self.left_out.or(stop.map(Verdict::from));
        Ok(stop)
    }

    fn run_on(
        &mut self,
        root: u32,
        goes_on: &mut GoesOn<'_>,
        beside: &mut Beside<'_>,
    ) -> Result<Option<Stop>, CheckError> {
        self.runs += 1;
        self.visits[root as usize].come = self.runs;
        let (mut near, mut far) = (VecDeque::from([root]), VecDeque::new());
        let mut visited = vec![root];
        let mut next_try = FIRST_TRY;
        let mut turns = 0u32;
        while self.winner[root as usize].is_none() {
            let Some(position) = near.pop_front() else {
                if far.is_empty() {
                    break;
                }
                std::mem::swap(&mut near, &mut far);
                continue;
            };
            if self.winner[position as usize].is_some() {
                continue;
            }
            if self.moves[position as usize].is_none()
                && let Some(limit) = self.expand(position)?
            {
                self.try_to_decide(&visited);
                return Ok(Some(Stop::Limit(limit)));
            }
            let is_step = matches!(
                self.graph.node(self.position(position).node),
                Node::Modal(..)
            );
            if let Some((start, len)) = self.moves[position as usize] {
                self.visits[position as usize].left = self.runs;
                for k in start..start + len as usize {
                    let target = self.targets[k];
                    let come = &mut self.visits[target as usize].come;
                    if std::mem::replace(come, self.runs) < self.runs {
                        visited.push(target);
                        match is_step {
                            true => far.push_back(target),
                            false => near.push_back(target),
                        }
                    }
                }
            }
            if self.instances > self.max_instances && self.winner[root as usize].is_none() {
                self.try_to_decide(&visited);
                return Ok(Some(Stop::Instances));
            }
            turns += 1;
            if turns.is_multiple_of(1024) {
                if self.bytes() > self.max_memory || self.positions.len() >= MOST_POSITIONS {
                    self.try_to_decide(&visited);
                    return Ok(Some(Stop::Limit(Limit::Memory)));
                }
                if goes_on(self.states.known(), self.positions.len()).is_break() {
                    return Ok(Some(Stop::Interrupted));
                }
            }
            if self.is_hasty && visited.len() >= next_try {
                next_try = 3 * visited.len();
                self.try_to_decide(&visited);
                if self.winner[root as usize].is_none() {
                    let (states, bytes) = (self.states.known(), self.bytes());
                    if beside(states, bytes, goes_on).is_break() {
                        return Ok(Some(Stop::Interrupted));
                    }
                }
            }
        }
        if self.winner[root as usize].is_none() {
            self.try_to_decide(&visited);
        }
        Ok(None)
    }

    /// Solves what this run has made of these positions, which are those that it has come to:
    /// one that it has not left is lost for the one player, then for the other.
    fn try_to_decide(&mut self, visited: &[u32]) {
        let is_unmade = |p: &u32| {
            self.visits[*p as usize].left < self.runs && self.winner[*p as usize].is_none()
        };
        let unmade: Vec<u32> = visited.iter().copied().filter(is_unmade).collect();
        for player in [Player::Prover, Player::Refuter] {
            let (mut winner, mut choice) = (self.winner.clone(), self.choice.clone());
            for &position in &unmade {
                winner[position as usize] = Some(player.other());
            }
            parity::solve(&*self, visited, &mut winner, &mut choice);
            for &position in visited {
                let p = position as usize;
                if self.winner[p].is_none() && (unmade.is_empty() || winner[p] == Some(player)) {
                    self.winner[p] = winner[p];
                    self.choice[p] = choice[p];
                }
            }
            if unmade.is_empty() {
                break;
            }
        }
        // How many moves are not lost has changed.
        for &position in visited {
            if let Some((start, len)) = self.moves[position as usize] {
                let targets = &self.targets[start..start + len as usize];
                let open = targets
                    .iter()
                    .filter(|&&t| self.winner[t as usize].is_none());
                self.open[position as usize] = open.count() as u32;
            }
        }
    }
}

impl Moves for Game<'_, '_> {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn successors(&self, position: u32) -> &[u32] {
        match self.moves[position as usize] {
            Some((start, len)) => &self.targets[start..start + len as usize],
            None => &[],
        }
    }

    fn owner(&self, position: u32) -> Player {
        Game::owner(self, position)
    }

    fn priority(&self, position: u32) -> u32 {
        self.graph.priority(self.position(position).node)
    }
}

/// The places of the values that can matter at a state, unless all can, or its
/// transitions are not known.
fn places_at(
    binding: &Binding,
    graph: &Graph<'_>,
    states: &mut States<'_>,
    state: u32,
) -> Result<Option<Vec<u32>>, ExploreError> {
    let Expansion::Row(start, end) = states.expand(state)? else {
        return Ok(None);
    };
    let mut labels: Vec<LabelId> = (start..end).map(|k| states.transition(k).0).collect();
    labels.sort_unstable();
    labels.dedup();
    let texts = labels.into_iter().map(|label| text_of(states, label));
    Ok(binding.places(graph, texts))
}

/// The transitions of a state, by their numbers, unless the model does not tell all; why
/// not is the first entry of `left_out` then.
pub(crate) fn row(
    states: &mut States<'_>,
    left_out: &mut Option<Verdict>,
    state: u32,
) -> Result<Result<Range<usize>, Option<Limit>>, ExploreError> {
    let limit = match states.expand(state)? {
        Expansion::Row(start, end) => return Ok(Ok(start..end)),
        Expansion::Truncated => None,
        Expansion::Limit(limit) => Some(limit),
    };
    left_out.get_or_insert(limit.map_or(Verdict::Truncated, Verdict::Limit));
    Ok(Err(limit))
}

/// A label as action formulas see it.
pub(crate) fn text_of<'a>(states: &'a States<'_>, label: LabelId) -> LabelText<'a> {
    LabelText::of(states.labels(), label)
}

/// A node where there is something to decide, with the values of its live variables.
pub(crate) enum Resolved {
    Won(Player),
    Node(NodeId, Vec<Value>),
}

/// Follows conditions, guards and assignments from a node.
pub(crate) fn resolve(
    graph: &Graph<'_>,
    mut node: NodeId,
    scope: &dyn Scope,
    bound: &[(VariableId, Value)],
) -> Result<Resolved, EvaluationError> {
    let won = |holds: bool| match holds {
        true => Resolved::Won(Player::Prover),
        false => Resolved::Won(Player::Refuter),
    };
    let mut bound = std::borrow::Cow::Borrowed(bound);
    loop {
        let scope = Extended {
            outer: scope,
            bound: &bound,
        };
        match graph.node(node) {
            Node::Constant(value) => return Ok(won(*value)),
            Node::Condition(condition, wanted) => {
                return Ok(won(
                    data::condition(condition, &scope, Place::default())? == *wanted
                ));
            }
            Node::Guard(condition, [yes, no]) => {
                node = match data::condition(condition, &scope, Place::default())? {
                    true => *yes,
                    false => *no,
                };
            }
            Node::Assign(values, after) => {
                let new = values
                    .iter()
                    .map(|(variable, value)| Ok((*variable, data::evaluate(value, &scope)?)))
                    .collect::<Result<Vec<_>, EvaluationError>>()?;
                bound.to_mut().extend(new);
                node = *after;
            }
            Node::And(_)
            | Node::Or(_)
            | Node::Quantified(..)
            | Node::Modal(..)
            | Node::Fixpoint(..) => {
                let live = graph.live[node.index()].iter();
                let values = live.map(|&variable| scope.value(variable).clone());
                return Ok(Resolved::Node(node, values.collect()));
            }
        }
    }
}
