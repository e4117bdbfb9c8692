//! What a formula of each notion may cost.

use super::Game;
use super::budget::Budget;
use crate::Relation;

/// A game and how much its attacker may pay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Price {
    /// Which of the games.
    pub game: Game,
    /// The entries; 2 stands for any number.
    pub budget: Budget,
}

/// Any number.
const ANY: u8 = 2;

const fn strong(entries: [u8; 6]) -> Option<Price> {
    Some(Price {
        game: Game::Strong,
        budget: Budget::new(&entries),
    })
}

const fn weak(entries: [u8; 8]) -> Option<Price> {
    Some(Price {
        game: Game::Weak,
        budget: Budget::new(&entries),
    })
}

/// What the formulas of a relation may cost: p is below q in the relation's preorder if the
/// attacker cannot win from p against q with that. Nothing for relations that neither game
/// knows.
///
/// Bisping 2023 (table of the strong spectrum), Bisping & Jansen 2024 (the weak one).
pub const fn price(relation: Relation) -> Option<Price> {
    match relation {
        Relation::Trace => strong([ANY, 0, 0, 0, 0, 0]),
        Relation::Failures => strong([ANY, 1, 0, 0, 1, 1]),
        Relation::Revivals => strong([ANY, 1, 1, 0, 1, 1]),
        Relation::Readiness => strong([ANY, 1, 1, 1, 1, 1]),
        Relation::FailureTrace => strong([ANY, ANY, ANY, 0, 1, 1]),
        Relation::ReadyTrace => strong([ANY, ANY, ANY, 1, 1, 1]),
        Relation::ImpossibleFuturesStrong => strong([ANY, 1, 0, 0, ANY, 1]),
        Relation::PossibleFutures => strong([ANY, 1, ANY, ANY, ANY, 1]),
        Relation::Sim => strong([ANY, ANY, ANY, ANY, 0, 0]),
        Relation::ReadySim => strong([ANY, ANY, ANY, ANY, 1, 1]),
        Relation::TwoNestedSim => strong([ANY, ANY, ANY, ANY, ANY, 1]),
        Relation::Strong => strong([ANY; 6]),
        Relation::WeakTrace => weak([ANY, 0, 0, 0, 0, 0, 0, 0]),
        Relation::WeakFailures => weak([ANY, 0, 0, 1, 0, 0, 1, 1]),
        Relation::ImpossibleFutures => weak([ANY, 0, 1, 0, 0, 0, ANY, 1]),
        Relation::Safety => weak([ANY, 0, ANY, 0, 0, ANY, 0, 0]),
        Relation::BranchingSim => weak([ANY, ANY, ANY, 0, 0, ANY, 0, 0]),
        Relation::Contrasim => weak([ANY, 0, ANY, 0, 0, 0, ANY, ANY]),
        Relation::Observational => weak([ANY, 0, ANY, 0, 0, ANY, ANY, ANY]),
        Relation::Delay => weak([ANY, 0, ANY, 0, ANY, ANY, ANY, ANY]),
        Relation::Eta => weak([ANY, ANY, ANY, 0, 0, ANY, ANY, ANY]),
        Relation::Branching => weak([ANY, ANY, ANY, 0, ANY, ANY, ANY, ANY]),
        Relation::SrBranching => weak([ANY; 8]),
        // Of divergence, roots, labels that are observed at once, hidden steps that are not
        // counted behind a choice, coupling and ends of traces the games know nothing.
        Relation::Isomorphism
        | Relation::DivSharp
        | Relation::Sharp
        | Relation::RootedBranching
        | Relation::DivBranching
        | Relation::RootedWeak
        | Relation::DpWeak
        | Relation::TauStarA
        | Relation::CompletedTrace
        | Relation::CoupledSim
        | Relation::FailuresDivergence => None,
    }
}
