//! What is known of each relation: a row for each.

use super::relation::{Distributed, Relation};

/// What [`Relation`] tells of one: each has a method of this name, which says what it is.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub implied: &'static [Relation],
    pub is_preorder: bool,
    pub one_direction: Option<Relation>,
    pub minimized_first: Option<Relation>,
    pub is_congruence: bool,
    pub distributed: Option<Distributed>,
    pub without_divergence: Option<Relation>,
}

/// Of a symmetric relation, that nothing else is known.
const SYMMETRIC: Facts = Facts {
    implied: &[],
    is_preorder: false,
    one_direction: None,
    minimized_first: None,
    is_congruence: false,
    distributed: None,
    without_divergence: None,
};

/// Of a preorder, that nothing else is known.
const PREORDER: Facts = Facts {
    is_preorder: true,
    ..SYMMETRIC
};

impl Relation {
    pub(super) const fn facts(self) -> Facts {
        use Relation::*;
        match self {
            Isomorphism => Facts {
                implied: &[Strong],
                is_congruence: true,
                ..SYMMETRIC
            },
            Strong => Facts {
                implied: &[DivSharp, RootedBranching, TwoNestedSim],
                one_direction: Some(Sim),
                is_congruence: true,
                distributed: Some(Distributed::Strong),
                ..SYMMETRIC
            },
            DivSharp => Facts {
                implied: &[Sharp, DivBranching],
                minimized_first: Some(Strong),
                without_divergence: Some(Sharp),
                ..SYMMETRIC
            },
            // A congruence only if no strong label is hidden; so is divsharp.
            Sharp => Facts {
                implied: &[Branching],
                minimized_first: Some(Strong),
                ..SYMMETRIC
            },
            RootedBranching => Facts {
                implied: &[Branching, RootedWeak],
                minimized_first: Some(Branching),
                is_congruence: true,
                ..SYMMETRIC
            },
            DivBranching => Facts {
                implied: &[SrBranching, DpWeak],
                is_congruence: true,
                distributed: Some(Distributed::Branching { divergence: true }),
                without_divergence: Some(Branching),
                ..SYMMETRIC
            },
            SrBranching => Facts {
                implied: &[Branching, WeakFailures],
                is_congruence: true,
                ..SYMMETRIC
            },
            Branching => Facts {
                implied: &[Eta, Delay],
                one_direction: Some(BranchingSim),
                is_congruence: true,
                distributed: Some(Distributed::Branching { divergence: false }),
                ..SYMMETRIC
            },
            Eta => Facts {
                implied: &[Observational, BranchingSim],
                one_direction: Some(BranchingSim),
                is_congruence: true,
                ..SYMMETRIC
            },
            // Weak simulation, and simulation after tau*.a, are the same, and hidden steps behind
            // the visible one change nothing; so for observational and tau*.a.
            Delay => Facts {
                implied: &[Observational, TauStarA],
                one_direction: Some(Safety),
                is_congruence: true,
                ..SYMMETRIC
            },
            RootedWeak => Facts {
                implied: &[Observational],
                minimized_first: Some(Branching),
                is_congruence: true,
                ..SYMMETRIC
            },
            DpWeak => Facts {
                implied: &[Observational, WeakFailures, FailuresDivergence],
                minimized_first: Some(DivBranching),
                is_congruence: true,
                without_divergence: Some(Observational),
                ..SYMMETRIC
            },
            Observational => Facts {
                implied: &[CoupledSim],
                one_direction: Some(Safety),
                minimized_first: Some(Branching),
                is_congruence: true,
                ..SYMMETRIC
            },
            // No congruence: a choice by hidden steps in one component goes unseen by it until
            // another component moves.
            TauStarA => Facts {
                implied: &[Safety],
                one_direction: Some(Safety),
                minimized_first: Some(Branching),
                ..SYMMETRIC
            },
            TwoNestedSim => Facts {
                implied: &[ReadySim, PossibleFutures],
                is_congruence: true,
                ..PREORDER
            },
            ReadySim => Facts {
                implied: &[Sim, ReadyTrace],
                minimized_first: Some(Strong),
                is_congruence: true,
                ..PREORDER
            },
            Sim => Facts {
                implied: &[Trace, BranchingSim],
                minimized_first: Some(Strong),
                is_congruence: true,
                ..PREORDER
            },
            PossibleFutures => Facts {
                implied: &[Readiness, ImpossibleFuturesStrong],
                ..PREORDER
            },
            ImpossibleFuturesStrong => Facts {
                implied: &[Failures, ImpossibleFutures],
                ..PREORDER
            },
            ReadyTrace => Facts {
                implied: &[FailureTrace, Readiness],
                ..PREORDER
            },
            FailureTrace => Facts {
                implied: &[Revivals],
                ..PREORDER
            },
            Readiness => Facts {
                implied: &[Revivals],
                ..PREORDER
            },
            Revivals => Facts {
                implied: &[Failures],
                ..PREORDER
            },
            // Endless hidden steps after a trace are a divergence, as states are finitely many.
            Failures => Facts {
                implied: &[CompletedTrace, WeakFailures, FailuresDivergence],
                ..PREORDER
            },
            CompletedTrace => Facts {
                implied: &[Trace],
                ..PREORDER
            },
            Trace => Facts {
                implied: &[WeakTrace],
                minimized_first: Some(Strong),
                is_congruence: true,
                ..PREORDER
            },
            CoupledSim => Facts {
                implied: &[Contrasim, Safety],
                ..PREORDER
            },
            Contrasim => Facts {
                implied: &[ImpossibleFutures],
                ..PREORDER
            },
            BranchingSim => Facts {
                implied: &[Safety],
                is_congruence: true,
                ..PREORDER
            },
            Safety => Facts {
                implied: &[WeakTrace],
                minimized_first: Some(TauStarA),
                is_congruence: true,
                ..PREORDER
            },
            ImpossibleFutures => Facts {
                implied: &[WeakTrace],
                ..PREORDER
            },
            WeakFailures => Facts {
                implied: &[WeakTrace],
                ..PREORDER
            },
            FailuresDivergence => Facts {
                implied: &[],
                ..PREORDER
            },
            WeakTrace => Facts {
                implied: &[],
                minimized_first: Some(Branching),
                is_congruence: true,
                ..PREORDER
            },
        }
    }
}
