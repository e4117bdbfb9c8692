//! Positions of a game and the moves between them, as far as they have been explored.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::budget::{Budget, Update};

/// Where the game stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// The attacker claims that `state` does what no state of `left` does; in the weak game
    /// without hidden steps before it.
    Immediate,
    /// The same after hidden steps of the state, `left` being closed under them.
    Delayed,
    /// The attacker claims that the states `state` and `left` differ.
    Clause,
    /// The defender chooses a state of `left`, or goes on with all of `right`.
    Conjunction,
    /// The defender chooses a state of `left`, where all states are stable.
    Stable,
    /// The defender chooses a state of `left`, or goes on with `right` behind the step
    /// `step`.
    Branching,
}

impl Kind {
    /// Whether it is the attacker's turn.
    pub(super) fn is_attackers(self) -> bool {
        match self {
            Kind::Immediate | Kind::Delayed | Kind::Clause => true,
            Kind::Conjunction | Kind::Stable | Kind::Branching => false,
        }
    }
}

/// No step.
pub(super) const NO_STEP: u32 = u32::MAX;

/// A position of a game, with what is left of the price that the attacker may pay.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Position {
    pub(super) kind: Kind,
    pub(super) budget: Budget,
    pub(super) state: u32,
    /// The number of a step of the state; [`NO_STEP`] for none.
    pub(super) step: u32,
    /// The number of a set of states; in a clause a state.
    pub(super) left: u32,
    /// The number of a set of states.
    pub(super) right: u32,
}

impl Position {
    /// A position with a state and what it is compared with, and all budget.
    pub(super) fn new(kind: Kind, state: u32, left: u32) -> Self {
        Self {
            kind,
            budget: Budget::EVERYTHING,
            state,
            step: NO_STEP,
            left,
            right: 0,
        }
    }
}

/// What is known of a position at sight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    /// The attacker wins without a payment.
    Won,
    /// The attacker cannot win.
    Lost,
    /// It takes moves to know.
    Open,
}

/// The rules of a game.
pub(super) trait Rules {
    /// What is known at sight.
    fn standing(&mut self, position: &Position) -> Standing;

    /// Adds the moves from a position whose standing is open, without regard to what is
    /// left of the price: targets, whose budgets do not count, and updates. Of more than
    /// `room` moves some may be left out at a position of the attacker: then false.
    fn moves(
        &mut self,
        position: &Position,
        room: usize,
        moves: &mut Vec<(Position, Update)>,
    ) -> bool;
}

/// No edge.
pub(super) const NO_EDGE: u32 = u32::MAX;

/// A move.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) source: u32,
    pub(super) target: u32,
    /// Another one with this target, or [`NO_EDGE`].
    next: u32,
}

/// What exploring a position has shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Explored {
    /// Its moves, this many.
    Moves(u32),
    /// The defender has a move that the attacker cannot pay, or cannot win after.
    Lost,
    /// There is no room for its moves.
    OutOfRoom,
}

/// Positions and moves, numbered in the order in which they were found.
///
/// 28 bytes a position and 5 or more for its index, 13 bytes a move.
pub(super) struct Arena {
    positions: Vec<Position>,
    index: HashTable<u32>,
    hasher: RandomState,
    /// Where the moves of each position begin and end in `edges`.
    rows: Vec<(u32, u32)>,
    edges: Vec<Edge>,
    updates: Vec<Update>,
    /// The last edge found to each position.
    incoming: Vec<u32>,
    /// Moves under construction.
    moves: Vec<(Position, Update)>,
    limit: usize,
    /// Whether moves have been left out.
    is_cut: bool,
}

impl Arena {
    /// Room for so many positions.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            positions: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::default(),
            rows: Vec::new(),
            edges: Vec::new(),
            updates: Vec::new(),
            incoming: Vec::new(),
            moves: Vec::new(),
            limit: limit.min(NO_EDGE as usize),
            is_cut: false,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn position(&self, number: u32) -> &Position {
        &self.positions[number as usize]
    }

    /// Whether moves have been left out, so that the attacker may win more.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The number of a position.
    pub(super) fn intern(&mut self, position: Position) -> u32 {
        let Self {
            positions,
            index,
            hasher,
            ..
        } = self;
        let hash = hasher.hash_one(position);
        if let Some(&known) = index.find(hash, |&k| positions[k as usize] == position) {
            return known;
        }
        let number = positions.len() as u32;
        positions.push(position);
        index.insert_unique(hash, number, |&k| hasher.hash_one(positions[k as usize]));
        self.rows.push((0, 0));
        self.incoming.push(NO_EDGE);
        number
    }

    /// Finds the moves from a position that the attacker can pay, and that she can win
    /// after.
    pub(super) fn explore(&mut self, number: u32, rules: &mut impl Rules) -> Explored {
        let position = self.positions[number as usize];
        let is_attackers = position.kind.is_attackers();
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        let room = self.limit.saturating_sub(self.len());
        let is_whole = rules.moves(&position, room, &mut moves);
        self.is_cut |= !is_whole;
        let mut is_lost = false;
        moves.retain_mut(|(target, update)| {
            let budget = update.after(position.budget);
            target.budget = budget.unwrap_or_default();
            let keeps = budget.is_some() && rules.standing(target) != Standing::Lost;
            is_lost |= !keeps && !is_attackers;
            keeps
        });
        let explored = if is_lost {
            Explored::Lost
        } else if moves.len() > room || self.edges.len() + moves.len() >= NO_EDGE as usize {
            self.is_cut = true;
            Explored::OutOfRoom
        } else {
            let start = self.edges.len() as u32;
            for &(target, update) in &moves {
                let target = self.intern(target);
                let edge = self.edges.len() as u32;
                let next = std::mem::replace(&mut self.incoming[target as usize], edge);
                self.edges.push(Edge {
                    source: number,
                    target,
                    next,
                });
                self.updates.push(update);
            }
            self.rows[number as usize] = (start, self.edges.len() as u32);
            Explored::Moves(moves.len() as u32)
        };
        self.moves = moves;
        explored
    }

    /// The numbers of the moves from a position.
    pub(super) fn outgoing(&self, number: u32) -> std::ops::Range<u32> {
        let (start, end) = self.rows[number as usize];
        start..end
    }

    /// The numbers of the moves to a position.
    pub(super) fn incoming(&self, number: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.incoming[number as usize];
        let edge = |edge: u32| (edge != NO_EDGE).then_some(edge);
        std::iter::successors(edge(first), move |&k| edge(self.edges[k as usize].next))
    }

    pub(super) fn edge(&self, number: u32) -> Edge {
        self.edges[number as usize]
    }

    pub(super) fn update(&self, edge: u32) -> Update {
        self.updates[edge as usize]
    }
}
