//! The weak game (Bisping & Jansen, "One energy game for the spectrum between branching
//! bisimilarity and weak trace semantics", 2024).
//!
//! Entries of a budget, counted from 1: 1 observations, 2 branching conjunctions,
//! 3 unstable ones, 4 stable ones, 5 immediate ones, 6 the height of positive branches,
//! 7 that of negative ones, 8 negations.

use super::Choices;
use super::arena::{Kind, NO_STEP, Position, Rules, Standing};
use super::budget::Update;
use super::graph::{EMPTY, HIDDEN, Sets};

/// The rules, for the classes of divergence-preserving branching bisimilarity.
pub(super) struct Weak<'s, 'g> {
    pub(super) sets: &'s mut Sets<'g>,
    pub(super) choices: Choices,
}

/// Entries, counted from 0.
const OBSERVATIONS: usize = 0;
const BRANCHING: usize = 1;
const UNSTABLE: usize = 2;
const STABLE: usize = 3;
const IMMEDIATE: usize = 4;
const POSITIVE: usize = 5;

impl Weak<'_, '_> {
    /// Whether conjunctions with positive branches of any height can be had behind hidden
    /// steps, so that nothing but them is needed where there are more states than one can
    /// reach by hidden steps: what distinguishes from all distinguishes from each, and from
    /// what that one reaches.
    fn is_narrow(&self, position: &Position) -> bool {
        self.choices == Choices::Priced && position.budget.is_unbounded(&[UNSTABLE, POSITIVE])
    }

    fn immediate(&mut self, position: &Position, moves: &mut Vec<(Position, Update)>) {
        let &Position { state, left, .. } = position;
        let several = self.sets.get(left).len() > 1;
        let is_narrow = self.is_narrow(position) && position.budget.is_unbounded(&[IMMEDIATE]);
        if !(several && is_narrow) {
            let closure = self.sets.closure(left);
            let delayed = Position::new(Kind::Delayed, state, closure);
            moves.push((delayed, Update::Free));
        }
        if !position.budget.lacks(UNSTABLE) {
            let conjunction = Position::new(Kind::Conjunction, state, left);
            moves.push((conjunction, Update::Immediate));
        }
    }

    fn delayed(
        &mut self,
        position: &Position,
        room: usize,
        moves: &mut Vec<(Position, Update)>,
    ) -> bool {
        let &Position {
            state,
            left,
            budget,
            ..
        } = position;
        let graph = self.sets.graph;
        for &(_, target) in graph.steps_with(state, HIDDEN) {
            if target != state {
                moves.push((Position::new(Kind::Delayed, target, left), Update::Free));
            }
        }
        if !budget.lacks(UNSTABLE) {
            let conjunction = Position::new(Kind::Conjunction, state, left);
            moves.push((conjunction, Update::Free));
        }
        if self.is_narrow(position) && !self.sets.is_generated(left) {
            return true;
        }
        for &(label, target) in graph.steps(state).iter().filter(|step| step.0 != HIDDEN) {
            let post = self.sets.post(left, label);
            moves.push((
                Position::new(Kind::Immediate, target, post),
                Update::Observe,
            ));
        }
        if !budget.lacks(STABLE) && graph.is_stable(state) {
            let stable = self.sets.stable(left);
            moves.push((Position::new(Kind::Stable, state, stable), Update::Free));
        }
        if [BRANCHING, UNSTABLE, OBSERVATIONS, POSITIVE].map(|k| budget.lacks(k)) != [false; 4] {
            return true;
        }
        let mut all = self.branching(position, (HIDDEN, state), NO_STEP, room, moves);
        for step in graph.row(state) {
            all &= self.branching(position, graph.step(step), step as u32, room, moves);
        }
        all
    }

    /// Adds the branching conjunctions with a step. For a set of states behind the branch
    /// all that do not lead out of it are left to the branch.
    fn branching(
        &mut self,
        position: &Position,
        (label, target): (u32, u32),
        step: u32,
        room: usize,
        moves: &mut Vec<(Position, Update)>,
    ) -> bool {
        let &Position { state, left, .. } = position;
        let states = self.sets.get(left).to_vec();
        // Where the branch leads from each state.
        let behind: Vec<u32> = states
            .iter()
            .map(|&q| {
                let single = self.sets.singleton(q);
                let post = self.sets.post(single, label);
                match label {
                    HIDDEN => self.sets.union(post, single),
                    _ => post,
                }
            })
            .collect();
        let mut branches = behind.clone();
        branches.sort_unstable();
        branches.dedup();
        // What the branch would not distinguish from.
        branches.retain(|&set| !self.sets.contains(set, target));
        let mut all = true;
        if self.choices == Choices::All {
            all = self.unions(&mut branches, room);
        }
        for right in branches {
            let is_out = |&(_, set): &(&u32, &u32)| !self.sets.is_subset(*set, right);
            let rest = states.iter().zip(&behind).filter(is_out);
            let rest = rest.map(|(&q, _)| q).collect();
            let rest = self.sets.intern(rest);
            let target = Position::new(Kind::Branching, state, rest);
            let target = Position {
                step,
                right,
                ..target
            };
            moves.push((target, Update::Free));
        }
        all
    }

    /// Closes some sets under union; gives up, and says false, when there are more than
    /// so many.
    fn unions(&mut self, sets: &mut Vec<u32>, room: usize) -> bool {
        let generators = sets.clone();
        sets.clear();
        for generator in generators {
            for k in 0..sets.len() {
                let union = self.sets.union(sets[k], generator);
                sets.push(union);
            }
            sets.push(generator);
            sets.sort_unstable();
            sets.dedup();
            if sets.len() > room {
                return false;
            }
        }
        true
    }
}

impl Rules for Weak<'_, '_> {
    fn standing(&mut self, position: &Position) -> Standing {
        let &Position {
            kind, state, left, ..
        } = position;
        let is_lost = match kind {
            Kind::Clause => state == left,
            Kind::Immediate
            | Kind::Delayed
            | Kind::Conjunction
            | Kind::Stable
            | Kind::Branching => self.sets.contains(left, state),
        };
        if is_lost {
            return Standing::Lost;
        }
        // Sets get smaller by observations, and where only stable states count.
        let is_stuck = [OBSERVATIONS, STABLE].map(|k| position.budget.lacks(k)) == [true; 2];
        match kind {
            Kind::Immediate | Kind::Delayed | Kind::Conjunction if left == EMPTY => Standing::Won,
            Kind::Immediate | Kind::Delayed | Kind::Clause if is_stuck => Standing::Lost,
            _ => Standing::Open,
        }
    }

    fn moves(
        &mut self,
        position: &Position,
        room: usize,
        moves: &mut Vec<(Position, Update)>,
    ) -> bool {
        let &Position {
            kind,
            state,
            step,
            left,
            right,
            ..
        } = position;
        let clause = |&q: &u32| Position::new(Kind::Clause, state, q);
        match kind {
            Kind::Immediate => self.immediate(position, moves),
            Kind::Delayed => return self.delayed(position, room, moves),
            Kind::Clause => {
                for (state, other, update) in [
                    (state, left, Update::WeakPositive),
                    (left, state, Update::WeakNegative),
                ] {
                    let single = self.sets.singleton(other);
                    let closure = self.sets.closure(single);
                    moves.push((Position::new(Kind::Delayed, state, closure), update));
                }
            }
            Kind::Conjunction => {
                let clauses = self.sets.get(left).iter().map(clause);
                moves.extend(clauses.map(|clause| (clause, Update::WeakClause)));
            }
            Kind::Stable => {
                let clauses = self.sets.get(left).iter().map(clause);
                moves.extend(clauses.map(|clause| (clause, Update::StableClause)));
                if left == EMPTY {
                    // Stability itself is worth a clause.
                    let end = Position::new(Kind::Conjunction, state, EMPTY);
                    moves.push((end, Update::StableClause));
                }
            }
            Kind::Branching => {
                let clauses = self.sets.get(left).iter().map(clause);
                moves.extend(clauses.map(|clause| (clause, Update::BranchingClause)));
                let target = match step {
                    NO_STEP => state,
                    _ => self.sets.graph.step(step as usize).1,
                };
                let branch = Position::new(Kind::Immediate, target, right);
                moves.push((branch, Update::Branch));
            }
        }
        true
    }
}
