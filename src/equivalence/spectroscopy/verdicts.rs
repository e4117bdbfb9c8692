//! Verdicts of all relations of a game.

use hyades_formats::StateId;

use super::graph::Sets;
use super::{Spectroscopy, price};
use crate::Relation;

/// Whether one state is below another one, for several relations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdicts {
    /// Whether the first is below the second, and the second below the first; nothing where
    /// that is not known.
    verdicts: Vec<(Relation, [Option<bool>; 2])>,
}

impl Verdicts {
    /// The verdicts, in the order of [`Game::relations`](super::Game::relations).
    pub fn iter(&self) -> impl Iterator<Item = (Relation, [Option<bool>; 2])> + '_ {
        self.verdicts.iter().copied()
    }

    /// Whether the first state is below the second, and the second below the first;
    /// nothing where that is not known.
    pub fn get(&self, relation: Relation) -> [Option<bool>; 2] {
        let found = self.iter().find(|verdict| verdict.0 == relation);
        found.map_or([None; 2], |verdict| verdict.1)
    }

    /// Whether the states are equivalent: below each other.
    pub fn is_equivalent(&self, relation: Relation) -> Option<bool> {
        match self.get(relation) {
            [Some(false), _] | [_, Some(false)] => Some(false),
            [Some(true), Some(true)] => Some(true),
            _ => None,
        }
    }

    /// These, and others behind them.
    pub(crate) fn and(mut self, others: Verdicts) -> Verdicts {
        self.verdicts.extend(others.verdicts);
        self
    }
}

/// How many positions are made for a relation at first.
const AT_FIRST: usize = 1 << 12;

impl Spectroscopy {
    /// Verdicts of the relations that the game knows, making at most so many positions for
    /// each. Each verdict settles those of relations that it implies: first the coarse
    /// ones are searched for a short while, as most differences show soon, then those that
    /// are open from the finest on, whose games are polynomial.
    ///
    /// As [`Spectroscopy::is_below`] for each relation that is not settled.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn verdicts(&self, p: StateId, q: StateId, limit: usize) -> Verdicts {
        let relations = self.game.relations();
        let [p, q] = [p, q].map(|state| self.class[state.index()]);
        let mut sets = Sets::new(&self.graph);
        let directions = [(p, q), (q, p)].map(|(p, q)| {
            let mut known = vec![None; relations.len()];
            let coarse_first = (0..relations.len()).rev().map(|k| (k, AT_FIRST.min(limit)));
            let fine_first = (0..relations.len()).map(|k| (k, limit));
            for (k, limit) in coarse_first.chain(fine_first) {
                if known[k].is_some() {
                    continue;
                }
                let is_below = self.is_class_below(p, q, relations[k], limit, &mut sets);
                if let Some(is_below) = is_below {
                    self.settle(&mut known, k, is_below);
                }
            }
            known
        });
        let verdict = |(k, &relation)| (relation, directions.each_ref().map(|known| known[k]));
        Verdicts {
            verdicts: relations.iter().enumerate().map(verdict).collect(),
        }
    }

    /// Notes a verdict and those that follow from it: a greater price allows more.
    fn settle(&self, known: &mut [Option<bool>], k: usize, is_below: bool) {
        let budget = |k: usize| price(self.game.relations()[k]).map(|price| price.budget);
        let Some(this) = budget(k) else {
            return;
        };
        for (other, known) in known.iter_mut().enumerate() {
            let Some(other) = budget(other) else {
                continue;
            };
            let follows = match is_below {
                true => other.is_at_most(this),
                false => this.is_at_most(other),
            };
            if follows {
                *known = Some(is_below);
            }
        }
    }
}
