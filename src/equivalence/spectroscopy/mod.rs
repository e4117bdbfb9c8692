//! Many relations at once, by games in which the attacker pays for what she says.
//!
//! The attacker claims that a state `p` has a property that a state `q` lacks, and builds
//! it move by move: an observation, a conjunction with a clause against each state that is
//! left, a negation. Each costs something of a budget, and each preorder of the
//! linear-time–branching-time spectrum is a price: `p` is below `q` if and only if the
//! attacker cannot win with it.
//!
//! * [`Game::Strong`]: 6 entries, hidden steps count as all others do (Bisping, "Process
//!   equivalence problems as energy games", CAV 2023).
//! * [`Game::Weak`]: 8 entries, from weak traces to stability-respecting branching
//!   bisimilarity (Bisping & Jansen, "One energy game for the spectrum between branching
//!   bisimilarity and weak trace semantics", 2024).
//!
//! [`Spectroscopy::budgets`] finds the least budgets with which the attacker wins,
//! [`Spectroscopy::verdicts`] what that means for the relations by one search for each of
//! them that is open, and [`Spectroscopy::formula`] the property. Positions are made
//! only as far as they can be reached from the two states; their number is exponential in
//! that of the states in the worst case, so that all have a limit.
//!
//! The preorders of the bisimulations in the weak game need not be symmetric: without
//! immediate conjunctions all formulas begin with hidden steps. As equivalences they take
//! both directions.

mod all_pairs;
mod arena;
mod attractor;
mod budget;
mod fronts;
mod graph;
mod matrix;
mod prices;
mod reason;
mod set_games;
mod strong;
#[cfg(test)]
mod tests;
mod verdicts;
mod weak;

use hyades_formats::{LabelTable, Lts, StateId, TooLarge};

use crate::formula::Formula;
use crate::{Relation, minimize_all};

pub use all_pairs::{NotionCount, PairCounts, all_pairs};
pub use budget::Budget;
pub use prices::{Price, price};
pub use verdicts::Verdicts;

use arena::{Kind, Position};
use attractor::{Search, Until};
use graph::{Graph, Sets};
use strong::Strong;
use weak::Weak;

/// One of the two games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Game {
    /// Hidden steps are seen.
    Strong,
    /// Hidden steps are not seen by themselves.
    Weak,
}

impl Game {
    /// How many entries budgets have.
    pub const fn entries(self) -> usize {
        match self {
            Game::Strong => 6,
            Game::Weak => 8,
        }
    }

    /// The relations that the game knows, from the finest to the coarsest: none implies one
    /// before it.
    pub const fn relations(self) -> &'static [Relation] {
        match self {
            Game::Strong => &[
                Relation::Strong,
                Relation::TwoNestedSim,
                Relation::ReadySim,
                Relation::Sim,
                Relation::PossibleFutures,
                Relation::ImpossibleFuturesStrong,
                Relation::ReadyTrace,
                Relation::FailureTrace,
                Relation::Readiness,
                Relation::Revivals,
                Relation::Failures,
                Relation::Trace,
            ],
            Game::Weak => &[
                Relation::SrBranching,
                Relation::Branching,
                Relation::Eta,
                Relation::Delay,
                Relation::Observational,
                Relation::BranchingSim,
                Relation::Safety,
                Relation::Contrasim,
                Relation::ImpossibleFutures,
                Relation::WeakFailures,
                Relation::WeakTrace,
            ],
        }
    }

    /// The relation that is finer than all others of the game and by which states are
    /// taken together beforehand.
    const fn preparation(self) -> Relation {
        match self {
            Game::Strong => Relation::Strong,
            Game::Weak => Relation::DivBranching,
        }
    }

    /// The position from which the attacker claims that `p` does what `q` does not.
    fn start(self, p: u32, q: u32, sets: &mut Sets<'_>) -> Position {
        match self {
            Game::Strong | Game::Weak => Position::new(Kind::Immediate, p, sets.singleton(q)),
        }
    }
}

/// Which moves the attacker has among those of which there are exponentially many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choices {
    /// All: fronts have all least budgets.
    All,
    /// Few, which decide all relations that have a [`price`]; fronts may lack budgets.
    /// States are left to the deepest branch by the labels of their steps (strong), to a
    /// branching conjunction's branch one by one (weak).
    Named,
    /// As [`Choices::Named`], and of moves that are as good as others for a price only
    /// some.
    Priced,
}

/// The least budgets with which the attacker wins, in both directions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fronts {
    /// Which game.
    pub game: Game,
    /// To show that the first state is not below the second. No budget is at most another
    /// one.
    pub first: Vec<Budget>,
    /// To show that the second state is not below the first.
    pub second: Vec<Budget>,
    /// Whether there was room for all positions; if not, there may be more budgets, and
    /// lesser ones.
    pub complete: bool,
}

impl Fronts {
    /// Whether the first state is below the second one, and the second below the first;
    /// nothing if the relation has no price in this game, or if there was no room to know.
    /// With the fronts of [`Choices::All`] or [`Choices::Named`].
    pub fn verdict(&self, relation: Relation) -> [Option<bool>; 2] {
        [&self.first, &self.second].map(|front| {
            let price = price(relation).filter(|price| price.game == self.game)?;
            let is_won = front.iter().any(|least| least.is_at_most(price.budget));
            (is_won || self.complete).then_some(!is_won)
        })
    }
}

/// An LTS prepared for one of the games.
#[derive(Debug)]
pub struct Spectroscopy {
    game: Game,
    graph: Graph,
    table: LabelTable,
    /// By state of the LTS.
    class: Vec<u32>,
}

impl Spectroscopy {
    /// Takes states together by strong or, for the weak game, by divergence-preserving
    /// branching bisimilarity. As long as [`minimize`](crate::minimize), and 8 bytes a transition of the
    /// quotient.
    pub fn new(lts: &Lts, game: Game) -> Self {
        let relation = game.preparation();
        let minimized = minimize_all(lts.clone(), relation);
        Self {
            game,
            graph: Graph::new(&minimized.lts),
            table: minimized.lts.into_parts().table,
            class: minimized.class,
        }
    }

    /// The least budgets with which the attacker wins, making at most so many positions.
    ///
    /// Time and memory in proportion to the positions and moves, but that each may be
    /// looked at again for each change of a front; fronts that occur often are kept once.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn budgets(&self, p: StateId, q: StateId, choices: Choices, limit: usize) -> Fronts {
        let mut sets = Sets::new(&self.graph);
        let [p, q] = [p, q].map(|state| self.class[state.index()]);
        let roots = [(p, q), (q, p)].map(|(p, q)| self.game.start(p, q, &mut sets));
        let sets = &mut sets;
        let (mut fronts, complete) = match self.game {
            Game::Strong => fronts::fronts(&mut Strong { sets, choices }, &roots, limit),
            Game::Weak => fronts::fronts(&mut Weak { sets, choices }, &roots, limit),
        };
        let second = fronts.pop().unwrap_or_default();
        let first = fronts.pop().unwrap_or_default();
        Fronts {
            game: self.game,
            first,
            second,
            complete,
        }
    }

    /// Whether `p` is below `q` in the preorder of a relation; nothing if the relation has
    /// no price in this game, or if there was no room for so many positions to know.
    ///
    /// Time and memory in proportion to the positions and moves that are explored, which
    /// ends when the attacker has won.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn is_below(
        &self,
        p: StateId,
        q: StateId,
        relation: Relation,
        limit: usize,
    ) -> Option<bool> {
        let [p, q] = [p, q].map(|state| self.class[state.index()]);
        self.is_class_below(p, q, relation, limit, &mut Sets::new(&self.graph))
    }

    /// As [`Spectroscopy::is_below`], for classes.
    fn is_class_below(
        &self,
        p: u32,
        q: u32,
        relation: Relation,
        limit: usize,
        sets: &mut Sets<'_>,
    ) -> Option<bool> {
        let budget = self.budget(relation)?;
        let start = Position {
            budget,
            ..self.game.start(p, q, sets)
        };
        let choices = Choices::Priced;
        let is_won = match self.game {
            Game::Strong => {
                Search::new(&mut Strong { sets, choices }, limit).wins(start, Until::Decided)
            }
            Game::Weak => {
                Search::new(&mut Weak { sets, choices }, limit).wins(start, Until::Decided)
            }
        };
        is_won.map(|is_won| !is_won)
    }

    /// A formula that holds in `p` and not in `q`, and costs no more than the price of the
    /// relation; of least depth among those of which the game speaks, where conjuncts
    /// speak about one state each. Nothing if `p` is below `q`, if the relation has no
    /// price in this game, or if there was no room for so many positions to find one.
    ///
    /// As [`Spectroscopy::is_below`], up to the least depth at which the attacker wins.
    ///
    /// # Panics
    /// If there is no such state.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn formula(
        &self,
        p: StateId,
        q: StateId,
        relation: Relation,
        limit: usize,
    ) -> Result<Option<Formula>, TooLarge> {
        let Some(budget) = self.budget(relation) else {
            return Ok(None);
        };
        let mut sets = Sets::new(&self.graph);
        let [p, q] = [p, q].map(|state| self.class[state.index()]);
        let start = Position {
            budget,
            ..self.game.start(p, q, &mut sets)
        };
        let choices = Choices::Priced;
        let won = {
            let sets = &mut sets;
            match self.game {
                Game::Strong => Search::new(&mut Strong { sets, choices }, limit).win(start),
                Game::Weak => Search::new(&mut Weak { sets, choices }, limit).win(start),
            }
        };
        let Some((arena, strategy)) = won else {
            return Ok(None);
        };
        // The start is the first position.
        reason::formula(self.game, &arena, &strategy, 0, &mut sets, &self.table).map(Some)
    }

    /// What the attacker may pay for a relation; nothing if this game does not know it.
    fn budget(&self, relation: Relation) -> Option<Budget> {
        let price = price(relation).filter(|price| price.game == self.game)?;
        Some(price.budget)
    }
}

/// The least budgets with which the attacker wins the strong game between two states of an
/// LTS, making at most so many positions; see [`Spectroscopy::budgets`].
///
/// # Panics
/// If there is no such state.
pub fn strong_budgets(lts: &Lts, p: StateId, q: StateId, limit: usize) -> Fronts {
    Spectroscopy::new(lts, Game::Strong).budgets(p, q, Choices::All, limit)
}

/// The least budgets with which the attacker wins the weak game between two states of an
/// LTS, making at most so many positions; see [`Spectroscopy::budgets`].
///
/// # Panics
/// If there is no such state.
pub fn weak_budgets(lts: &Lts, p: StateId, q: StateId, limit: usize) -> Fronts {
    Spectroscopy::new(lts, Game::Weak).budgets(p, q, Choices::All, limit)
}

/// Verdicts of all relations with a [`price`], by both games between two states of an LTS,
/// making at most so many positions at a time; see [`Spectroscopy::verdicts`].
///
/// # Panics
/// If there is no such state.
pub fn verdicts(lts: &Lts, p: StateId, q: StateId, limit: usize) -> Verdicts {
    let strong = Spectroscopy::new(lts, Game::Strong).verdicts(p, q, limit);
    let weak = Spectroscopy::new(lts, Game::Weak).verdicts(p, q, limit);
    strong.and(weak)
}

/// A formula of a relation's fragment that holds in `p` and not in `q`; see
/// [`Spectroscopy::formula`].
///
/// # Panics
/// If there is no such state.
///
/// # Errors
/// None in practice: only for more labels than a table can hold.
pub fn formula(
    lts: &Lts,
    p: StateId,
    q: StateId,
    relation: Relation,
    limit: usize,
) -> Result<Option<Formula>, TooLarge> {
    match price(relation) {
        None => Ok(None),
        Some(price) => Spectroscopy::new(lts, price.game).formula(p, q, relation, limit),
    }
}
