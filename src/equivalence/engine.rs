//! Which engine decides a relation.

use hyades_formats::{LabelId, LabelTable, Lts};

use super::distinguish;
use super::inclusion::LinearNotion;
use super::kin::rooted::Unrooted;
use super::kin::{eta, sharp, stability};
use super::rounds::Rounds;
use super::simulation;
use super::weak::{self, Weak};
use super::{Criterion, Partition, Relation, branching, strong};

/// What decides a relation.
#[derive(Clone, Copy)]
pub(crate) enum Engine {
    /// Search for a mapping.
    Isomorphism,
    /// Partition refinement.
    Refinement(Refinement),
    /// The first steps, between classes of this partition.
    Rooted(Unrooted),
    /// A greatest simulation, or a game.
    Simulation(simulation::Kind),
    /// A search of pairs of a state and a set of states.
    Inclusion(LinearNotion),
}

impl Engine {
    /// Whether it takes exponential time at the worst.
    pub(crate) const fn is_exponential(self) -> bool {
        match self {
            Engine::Inclusion(_) | Engine::Simulation(simulation::Kind::Contrasim) => true,
            Engine::Isomorphism
            | Engine::Refinement(_)
            | Engine::Rooted(_)
            | Engine::Simulation(
                simulation::Kind::Sim
                | simulation::Kind::ReadySim
                | simulation::Kind::TwoNestedSim
                | simulation::Kind::Safety
                | simulation::Kind::BranchingSim
                | simulation::Kind::CoupledSim,
            ) => false,
        }
    }
}

/// An engine that makes a partition.
#[derive(Clone, Copy)]
pub(crate) enum Refinement {
    Strong,
    Branching { divergence: bool },
    Sharp { divergence: bool },
    Stability,
    Eta,
    Weak(Weak),
}

impl Engine {
    /// The engine for a relation.
    pub(crate) const fn of(relation: Relation) -> Self {
        let divergence = relation.without_divergence().is_some();
        Engine::Refinement(match relation {
            Relation::Isomorphism => return Engine::Isomorphism,
            Relation::Strong => Refinement::Strong,
            Relation::Sharp | Relation::DivSharp => Refinement::Sharp { divergence },
            Relation::RootedBranching => return Engine::Rooted(Unrooted::Branching),
            Relation::Branching | Relation::DivBranching => Refinement::Branching { divergence },
            Relation::SrBranching => Refinement::Stability,
            Relation::Eta => Refinement::Eta,
            Relation::Delay => Refinement::Weak(Weak::Delay),
            Relation::RootedWeak => return Engine::Rooted(Unrooted::Weak),
            Relation::DpWeak => Refinement::Weak(Weak::DivObservational),
            Relation::Observational => Refinement::Weak(Weak::Observational),
            Relation::TauStarA => Refinement::Weak(Weak::TauStarA),
            Relation::TwoNestedSim => return Engine::Simulation(simulation::Kind::TwoNestedSim),
            Relation::ReadySim => return Engine::Simulation(simulation::Kind::ReadySim),
            Relation::Sim => return Engine::Simulation(simulation::Kind::Sim),
            Relation::CoupledSim => return Engine::Simulation(simulation::Kind::CoupledSim),
            Relation::Contrasim => return Engine::Simulation(simulation::Kind::Contrasim),
            Relation::BranchingSim => return Engine::Simulation(simulation::Kind::BranchingSim),
            Relation::Safety => return Engine::Simulation(simulation::Kind::Safety),
            Relation::PossibleFutures => return Engine::Inclusion(LinearNotion::PossibleFutures),
            Relation::ImpossibleFuturesStrong => {
                return Engine::Inclusion(LinearNotion::ImpossibleFuturesStrong);
            }
            Relation::ReadyTrace => return Engine::Inclusion(LinearNotion::ReadyTrace),
            Relation::FailureTrace => return Engine::Inclusion(LinearNotion::FailureTrace),
            Relation::Readiness => return Engine::Inclusion(LinearNotion::Readiness),
            Relation::Revivals => return Engine::Inclusion(LinearNotion::Revivals),
            Relation::Failures => return Engine::Inclusion(LinearNotion::Failures),
            Relation::CompletedTrace => return Engine::Inclusion(LinearNotion::CompletedTrace),
            Relation::Trace => return Engine::Inclusion(LinearNotion::Trace),
            Relation::ImpossibleFutures => {
                return Engine::Inclusion(LinearNotion::ImpossibleFutures);
            }
            Relation::WeakFailures => return Engine::Inclusion(LinearNotion::WeakFailures),
            Relation::FailuresDivergence => {
                return Engine::Inclusion(LinearNotion::FailuresDivergence);
            }
            Relation::WeakTrace => return Engine::Inclusion(LinearNotion::WeakTrace),
        })
    }
}

impl Refinement {
    /// The coarsest partition of all states; `is_strong` is that of a [`Criterion`].
    pub(crate) fn partition(
        self,
        lts: &Lts,
        criterion: Criterion<'_>,
        rounds: &mut Rounds<'_>,
    ) -> Partition {
        // Where nothing is hidden, all of them are strong bisimilarity.
        if lts.labels().iter().all(|label| !label.is_hidden()) {
            return strong::partition(lts, rounds);
        }
        match self {
            Refinement::Strong => strong::partition(lts, rounds),
            Refinement::Branching { divergence } => {
                let (silent, partition) = branching::partition(lts, divergence, rounds);
                let class = silent.node.iter();
                Partition {
                    class: class.map(|&v| partition.class[v as usize]).collect(),
                    count: partition.count,
                }
            }
            Refinement::Sharp { divergence } => {
                let marked = criterion.marked(lts.table());
                sharp::partition_in_rounds(lts, &marked, divergence, rounds)
            }
            Refinement::Stability => stability::partition_in_rounds(lts, rounds),
            Refinement::Eta => eta::partition_in_rounds(lts, rounds),
            Refinement::Weak(kind) => weak::partition(lts, kind, rounds),
        }
    }

    /// What formulas tell states of different classes apart; for strong bisimilarity they
    /// are found by [`witness`](super::witness).
    pub(crate) const fn distinguished_by(self, marked: &[bool]) -> Option<distinguish::Kind<'_>> {
        Some(match self {
            Refinement::Strong => return None,
            Refinement::Branching { divergence: false } => distinguish::Kind::Branching,
            Refinement::Branching { divergence: true } => distinguish::Kind::DivBranching,
            Refinement::Sharp { divergence: false } => distinguish::Kind::Sharp(marked),
            Refinement::Sharp { divergence: true } => distinguish::Kind::DivSharp(marked),
            Refinement::Stability => distinguish::Kind::SrBranching,
            Refinement::Eta => distinguish::Kind::Eta,
            Refinement::Weak(Weak::Observational) => distinguish::Kind::Observational,
            Refinement::Weak(Weak::DivObservational) => distinguish::Kind::DpWeak,
            Refinement::Weak(Weak::Delay) => distinguish::Kind::Delay,
            Refinement::Weak(Weak::TauStarA) => distinguish::Kind::TauStarA,
        })
    }
}

impl Criterion<'_> {
    /// Which labels of a table are strong; the hidden one never is.
    pub(crate) fn marked(&self, table: &LabelTable) -> Vec<bool> {
        let mut marked = vec![false; table.len()];
        for (label, text) in table.visible() {
            marked[label.index()] = (self.is_strong)(text);
        }
        debug_assert!(!marked[LabelId::HIDDEN.index()]);
        marked
    }
}
