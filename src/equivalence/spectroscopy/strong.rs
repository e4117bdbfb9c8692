//! The strong game (Bisping, "Process equivalence problems as energy games", CAV 2023).
//!
//! Entries of a budget, counted from 1: 1 observations, 2 conjunctions, 3 the deepest
//! positive branch of a conjunction, 4 its other positive branches, 5 its negative
//! branches, 6 negations. A conjunction is paid when it is answered, so that a trace needs
//! none.

use super::Choices;
use super::arena::{Kind, Position, Rules, Standing};
use super::budget::Update;
use super::graph::{Cut, EMPTY, Sets};

/// The rules, for the classes of strong bisimilarity.
pub(super) struct Strong<'s, 'g> {
    pub(super) sets: &'s mut Sets<'g>,
    pub(super) choices: Choices,
}

/// Entries, counted from 0.
const OBSERVATIONS: usize = 0;
const CONJUNCTIONS: usize = 1;
const DEEPEST: usize = 2;
const OTHERS: usize = 3;

impl Strong<'_, '_> {
    /// The sets that may be left to the deepest positive branch, each once.
    fn branches(&mut self, position: &Position, room: usize) -> (Vec<u32>, bool) {
        let all = position.left;
        if self.choices == Choices::All {
            return self.subsets(all, room);
        }
        let mut branches = vec![EMPTY];
        if !position.budget.lacks(DEEPEST) && !self.is_narrow(position) {
            let menu = self.sets.graph.menu(position.state);
            branches.extend(Cut::ALL.map(|cut| self.sets.cut(all, menu, cut)));
            branches.sort_unstable();
            branches.dedup();
        }
        (branches, true)
    }

    /// All subsets of a set, if there are at most so many.
    fn subsets(&mut self, set: u32, room: usize) -> (Vec<u32>, bool) {
        let states = self.sets.get(set).to_vec();
        let count = 1u64.checked_shl(states.len() as u32).unwrap_or(u64::MAX);
        let some = count.min(room as u64 + 1);
        let subset = |mask: u64| {
            let chosen = |k: &usize| mask >> k & 1 == 1;
            let chosen = (0..states.len().min(64)).filter(chosen);
            self.sets.intern(chosen.map(|k| states[k]).collect())
        };
        ((0..some).map(subset).collect(), some == count)
    }

    /// Whether conjunctions of any positive branches can be had as often as wanted, so that
    /// nothing but them is needed where there are several states: what distinguishes from
    /// all distinguishes from each.
    fn is_narrow(&self, position: &Position) -> bool {
        let needed = [CONJUNCTIONS, DEEPEST, OTHERS];
        self.choices == Choices::Priced && position.budget.is_unbounded(&needed)
    }
}

impl Rules for Strong<'_, '_> {
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
        match kind {
            Kind::Immediate if left == EMPTY => Standing::Won,
            // No set gets smaller without an observation.
            Kind::Immediate | Kind::Clause if position.budget.lacks(OBSERVATIONS) => Standing::Lost,
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
            left,
            right,
            ..
        } = position;
        match kind {
            Kind::Immediate => {
                let several = self.sets.get(left).len() > 1;
                if !(several && self.is_narrow(position)) {
                    for &(label, target) in self.sets.graph.steps(state) {
                        let post = self.sets.post(left, label);
                        let target = Position::new(Kind::Immediate, target, post);
                        moves.push((target, Update::Observe));
                    }
                }
                if position.budget.lacks(CONJUNCTIONS) {
                    return true;
                }
                let (branches, all) = self.branches(position, room);
                for right in branches {
                    let rest = self.sets.without(left, right);
                    // It would only cost to go on with all of them.
                    if rest != EMPTY {
                        let target = Position::new(Kind::Conjunction, state, rest);
                        moves.push((Position { right, ..target }, Update::Free));
                    }
                }
                all
            }
            Kind::Clause => {
                for (state, other, update) in [
                    (state, left, Update::Positive),
                    (left, state, Update::Negative),
                ] {
                    let single = self.sets.singleton(other);
                    moves.push((Position::new(Kind::Immediate, state, single), update));
                }
                true
            }
            Kind::Conjunction => {
                for &q in self.sets.get(left) {
                    moves.push((Position::new(Kind::Clause, state, q), Update::Clause));
                }
                if right != EMPTY {
                    let branch = Position::new(Kind::Immediate, state, right);
                    moves.push((branch, Update::DeepBranch));
                }
                true
            }
            // The weak game's.
            Kind::Delayed | Kind::Stable | Kind::Branching => true,
        }
    }
}
