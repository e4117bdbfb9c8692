//! Why two states are not related by a bisimilarity: formulas of little depth.
//!
//! States part in synchronous *rounds*: in round 0 there is one class; in
//! round k+1 two states of a class part if one of them has an *observation*
//! that the other has not, where observations speak of the classes of round k.
//! Where no round parts anything, the classes are those of the relation. An
//! observation is a formula once there are formulas that tell its classes from
//! others (Cleaveland 1990; by rounds, for the sake of depth, as in Martens &
//! Groote 2023; with until for branching bisimilarity as Korver 1991):
//!
//! * hidden steps and a step `a` into a class C, by any way ([`Kind`] says
//!   which hidden steps may be behind it): `<<a>>f` and the like, where f holds
//!   in C and fails in all classes that the other state reaches so. Formulas of
//!   these observations alone are constant in the classes of each round, and so
//!   the round in which two states part is the least depth of a formula that
//!   tells them apart.
//! * the same by hidden steps within the class B of the state: `<g U a>f`, where
//!   g holds in B and fails in the classes that the other state enters when it
//!   leaves B. Not all formulas of depth k are constant in the classes of round
//!   k then: one may hold on a way through several classes, say. So the depth is
//!   the least for observations within a class or by any way. To part states by
//!   some set of classes that is held on the way would be to look for a path of
//!   the one whose classes none of the other keeps to, which is much like
//!   finding paths that avoid pairs of nodes, and that is NP-complete (Gabow,
//!   Maheshwari & Osterweil 1976). On small random systems it parts no states
//!   earlier, as a test shows.
//! * hidden steps within B for ever, `div g`; or to a state without hidden
//!   steps.
//!
//! The verdict is not made here: that no formula is found says nothing.

mod assemble;
mod observations;
mod rounds;
mod search;
#[cfg(test)]
mod tests;

use hyades_formats::{LabelId, Lts, StateId};

use super::formula::Formula;
use observations::System;

/// The relations that have reasons of this form, and which observations they
/// allow.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    /// `<<a>>f`, `<<i>>f`.
    Observational,
    /// The same, and `div f`.
    DpWeak,
    /// `<<i>><a>f`, `<<i>>f`.
    Delay,
    /// `<<i>><a>f` for visible `a`.
    TauStarA,
    /// `<<a>>f`, `<<i>>f`, `<f U a><<i>>g`.
    Eta,
    /// `<f U a>g`, `<<i>>f`.
    Branching,
    /// The same, and `<f U i>(f && !<i>true)`.
    SrBranching,
    /// Those of branching bisimilarity, and `div f`.
    DivBranching,
    /// `<a>f` for the labels that are marked, by [`LabelId`], and those of
    /// branching bisimilarity for the others. The hidden one is not marked.
    Sharp(&'a [bool]),
    /// The same, and `div f`.
    DivSharp(&'a [bool]),
    /// `<a>f` first, and then those of branching bisimilarity.
    RootedBranching,
    /// `<<a>>f` or `<i><<i>>f` first, and then those of observational
    /// equivalence.
    RootedWeak,
}

/// What formulas of a kind are made of.
#[derive(Clone, Copy)]
struct Semantics<'a> {
    /// Whether a label counts only for the first step.
    at_once: &'a [bool],
    /// Whether any number of hidden steps may be behind a step.
    closed: bool,
    /// Whether hidden steps are observed, and not only what is behind them.
    hidden: bool,
    /// Whether steps behind hidden steps within the class are.
    within: bool,
    /// Whether states without hidden steps are.
    stability: bool,
    /// Whether it is seen that hidden steps can go on for ever.
    divergence: bool,
}

impl<'a> Kind<'a> {
    fn semantics(self) -> Semantics<'a> {
        let branching = Semantics {
            at_once: &[],
            closed: false,
            hidden: true,
            within: true,
            stability: false,
            divergence: false,
        };
        let weak = Semantics {
            closed: true,
            within: false,
            ..branching
        };
        match self {
            Kind::Observational | Kind::RootedWeak => weak,
            Kind::DpWeak => Semantics {
                divergence: true,
                ..weak
            },
            Kind::Delay => Semantics {
                closed: false,
                ..weak
            },
            Kind::TauStarA => Semantics {
                closed: false,
                hidden: false,
                ..weak
            },
            Kind::Eta => Semantics {
                closed: true,
                ..branching
            },
            Kind::Branching | Kind::RootedBranching => branching,
            Kind::SrBranching => Semantics {
                stability: true,
                ..branching
            },
            Kind::DivBranching => Semantics {
                divergence: true,
                ..branching
            },
            Kind::Sharp(at_once) => Semantics {
                at_once,
                ..branching
            },
            Kind::DivSharp(at_once) => Semantics {
                at_once,
                divergence: true,
                ..branching
            },
        }
    }

    /// The first steps that count for a rooted relation: with hidden steps
    /// around them, or not.
    fn root(self) -> Option<Root> {
        match self {
            Kind::RootedBranching => Some(Root::Strong),
            Kind::RootedWeak => Some(Root::Weak),
            Kind::Observational
            | Kind::DpWeak
            | Kind::Delay
            | Kind::TauStarA
            | Kind::Eta
            | Kind::Branching
            | Kind::SrBranching
            | Kind::DivBranching
            | Kind::Sharp(_)
            | Kind::DivSharp(_) => None,
        }
    }

    /// The modality for hidden steps and a step with this label, by any way.
    fn by_any_way(self, label: LabelId) -> AnyWay {
        if label.is_hidden() {
            return AnyWay::Weak;
        }
        match self {
            Kind::Observational | Kind::DpWeak | Kind::Eta | Kind::RootedWeak => AnyWay::Weak,
            Kind::Delay | Kind::TauStarA => AnyWay::Delay,
            Kind::Branching
            | Kind::SrBranching
            | Kind::DivBranching
            | Kind::Sharp(_)
            | Kind::DivSharp(_)
            | Kind::RootedBranching => AnyWay::Until,
        }
    }
}

/// How the first step of a rooted relation is answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Root {
    /// By a step with the same label.
    Strong,
    /// By one with hidden steps around it.
    Weak,
}

/// How hidden steps and a step `a` are said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnyWay {
    /// `<<a>>f`
    Weak,
    /// `<<i>><a>f`
    Delay,
    /// `<true U a>f`
    Until,
}

/// Steps that are left: visits of states and transitions, and elements of sets
/// that are sorted.
struct Work(u64);

impl Work {
    /// Enough for some ten rounds over a hundred thousand transitions and sets of
    /// a hundred elements: some seconds.
    const LIMIT: u64 = 1 << 27;

    fn spend(&mut self, steps: usize) -> Option<()> {
        self.0 = self.0.checked_sub(steps as u64)?;
        Some(())
    }
}

/// A formula, and how deep it is.
pub(crate) struct Found {
    pub(crate) formula: Formula,
    /// In rounds: the one in which the states part, and one more for the first step of
    /// a rooted relation.
    pub(crate) depth: usize,
}

/// A formula of a depth below `depths` that holds in state `p` and not in state `q`; `None`
/// if there is none, or if it would take more than a fixed amount of work to find one.
///
/// Formulas are made of what [`Kind`] says, with conjunctions and negations;
/// related states satisfy the same. The depth in rounds is the least for the kinds
/// without until, and for the others as the [module](self) says; for rooted relations
/// it is that of the relation behind the first step, and one more. `<<i>><a>f`,
/// `<f U a><<i>>g`, `<f U i>(g && !<i>true)` and `<i><<i>>f`, two modalities each, are of
/// one round where the kind has them.
///
/// Conjuncts that others make superfluous are left out, unless the system is
/// too large to see that in reasonable time.
///
/// Work on a quotient by a relation that is not coarser: time is
/// O(rounds · (states + transitions) · sets), where sets are the classes that
/// states reach by hidden steps and one step (within a round, equal sets are
/// held once, by 8 bytes an element; beyond half a gigabyte it gives up), and
/// then O(states + transitions) for each pair of classes that the formula tells
/// apart.
pub(crate) fn reason(
    lts: &Lts,
    p: StateId,
    q: StateId,
    kind: Kind<'_>,
    depths: usize,
) -> Option<Found> {
    let mut work = Work(Work::LIMIT);
    reason_within(lts, p, q, kind, depths, &mut work, assemble::THOROUGH)
}

fn reason_within(
    lts: &Lts,
    p: StateId,
    q: StateId,
    kind: Kind<'_>,
    depths: usize,
    work: &mut Work,
    thorough: u64,
) -> Option<Found> {
    // Codes of observations are 32 bits wide.
    if lts.table().len() > u32::MAX as usize / 8 {
        return None;
    }
    let system = System::new(lts, kind, work)?;
    let mut rounds = rounds::Rounds::new(lts.states());
    let depth =
        |rounds: &rounds::Rounds| rounds.count() as usize + usize::from(kind.root().is_some());
    while !system.parted(&rounds, p, q, work)? {
        if depth(&rounds) + 1 >= depths || !rounds.advance(&system, work)? {
            return None;
        }
    }
    let depth = depth(&rounds);
    if depth >= depths {
        return None;
    }
    let levels = rounds.levels();
    let search = search::Search::run(&system, &levels, p, q, work)?;
    let formula = assemble::assemble(&system, &levels, &search, thorough);
    Some(Found { formula, depth })
}
