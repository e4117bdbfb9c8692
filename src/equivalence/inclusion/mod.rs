//! Linear-time preorders: whether all that one state shows along a trace another
//! state shows too.
//!
//! One search decides all of them. It goes through pairs of a state p and the set Q of
//! the states that the other side may be in after the same trace, breadth first, and
//! looks at each pair for what p shows and no state of Q does. All notions are
//! monotone: if (p, Q) shows a difference, so does (p, Q′) for each part Q′ of Q. So
//! that of all pairs with one p only those with ⊆-minimal sets are kept (an
//! *antichain*), which can save exponentially many of them; the subset construction is
//! made for neither side as a whole.
//!
//! Before the search, states that are bisimilar in a sense that the notion respects are
//! merged. A pair is also left where p is in Q, and, in large searches, where some state
//! of Q simulates p. Sources:
//!
//! * M. De Wulf, L. Doyen, T. A. Henzinger and J.-F. Raskin, *Antichains: a new
//!   algorithm for checking universality of finite automata*, CAV 2006;
//! * P. A. Abdulla, Y.-F. Chen, L. Holík, R. Mayr and T. Vojnar, *When simulation meets
//!   antichains*, TACAS 2010;
//! * M. Laveaux, J. F. Groote and T. A. C. Willemse, *Correct and efficient antichain
//!   algorithms for refinement checking*, LMCS 17(1), 2021.
//!
//! Equality of traces, and as another way their inclusion, is decided by bisimulation
//! up to congruence, see `congruence`.

mod congruence;
mod determinize;
mod explain;
mod futures;
mod reason;
mod search;
mod sets;
mod simulation;
mod system;
mod walk;

#[cfg(test)]
mod tests;

use hyades_formats::{Lts, StateId};

use super::Relation;
pub use congruence::{Equality, equivalent, included};
pub use determinize::{HiddenSteps, determinize, determinized_quotient};
pub(super) use reason::path;
pub use reason::{End, Menu, Reason, Seen, Step};
use search::Search;
use sets::Sets;
use system::System;

/// A linear-time preorder: what of a trace is seen.
///
/// Strong ones see hidden steps as all others; the weak ones are
/// [`LinearNotion::WeakTrace`] and those named after it.
///
/// The definitions speak of the pairs (p, Q) that are reached from the two states
/// compared, (p₀, {q₀}): p goes by a step, Q to all that steps with this label lead to
/// from its members. I(s) is the set of labels of the steps of s. In weak notions Q is
/// closed under hidden steps, and p moves by hidden steps with Q as it is. p₀ is below
/// q₀ if all pairs satisfy the condition given with each notion.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LinearNotion {
    /// Q ≠ ∅.
    Trace,
    /// Q ≠ ∅, and if I(p) = ∅, so is I(q) for some q in Q.
    CompletedTrace,
    /// Some q in Q has I(q) ⊆ I(p).
    Failures,
    /// As failures, and each a in I(p) is in I(q) ⊆ I(p) for some q in Q.
    Revivals,
    /// Some q in Q has I(q) = I(p).
    Readiness,
    /// Q ≠ ∅, where Q is cut to its members with I(q) ⊆ I(p) before each step and at the
    /// end.
    FailureTrace,
    /// Q ≠ ∅, where Q is cut to its members with I(q) = I(p) before each step and at the
    /// end.
    ReadyTrace,
    /// Some q in Q has no trace that p has not.
    ImpossibleFuturesStrong,
    /// Some q in Q has the same traces as p.
    PossibleFutures,
    /// Weak: Q ≠ ∅.
    WeakTrace,
    /// Weak: Q ≠ ∅, and if p has no hidden step, some q in Q without one has
    /// I(q) ⊆ I(p). Known as stable failures, or F.
    WeakFailures,
    /// Weak: if some q in Q is on a hidden cycle, anything is allowed from there on. Else
    /// p is not on one, and the condition of weak failures. Known as FD.
    FailuresDivergence,
    /// Weak: some q in Q has no visible trace that p has not.
    ImpossibleFutures,
}

impl LinearNotion {
    /// All notions, strong ones first.
    pub const ALL: [LinearNotion; 13] = [
        LinearNotion::Trace,
        LinearNotion::CompletedTrace,
        LinearNotion::Failures,
        LinearNotion::Revivals,
        LinearNotion::Readiness,
        LinearNotion::FailureTrace,
        LinearNotion::ReadyTrace,
        LinearNotion::ImpossibleFuturesStrong,
        LinearNotion::PossibleFutures,
        LinearNotion::WeakTrace,
        LinearNotion::WeakFailures,
        LinearNotion::FailuresDivergence,
        LinearNotion::ImpossibleFutures,
    ];

    /// Whether hidden steps are not part of a trace.
    pub const fn is_weak(self) -> bool {
        match self {
            LinearNotion::Trace
            | LinearNotion::CompletedTrace
            | LinearNotion::Failures
            | LinearNotion::Revivals
            | LinearNotion::Readiness
            | LinearNotion::FailureTrace
            | LinearNotion::ReadyTrace
            | LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures => false,
            LinearNotion::WeakTrace
            | LinearNotion::WeakFailures
            | LinearNotion::FailuresDivergence
            | LinearNotion::ImpossibleFutures => true,
        }
    }

    /// If nothing but traces is seen, whether hidden steps are.
    pub const fn of_traces(self) -> Option<HiddenSteps> {
        match self {
            LinearNotion::Trace => Some(HiddenSteps::Counted),
            LinearNotion::WeakTrace => Some(HiddenSteps::Skipped),
            LinearNotion::CompletedTrace
            | LinearNotion::Failures
            | LinearNotion::Revivals
            | LinearNotion::Readiness
            | LinearNotion::FailureTrace
            | LinearNotion::ReadyTrace
            | LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures
            | LinearNotion::WeakFailures
            | LinearNotion::FailuresDivergence
            | LinearNotion::ImpossibleFutures => None,
        }
    }

    /// The coarsest bisimilarity of this crate that implies the notion, both ways.
    /// Failures tell divergence from deadlock: they need more than branching
    /// bisimilarity.
    const fn finer(self) -> Relation {
        match self {
            LinearNotion::Trace
            | LinearNotion::CompletedTrace
            | LinearNotion::Failures
            | LinearNotion::Revivals
            | LinearNotion::Readiness
            | LinearNotion::FailureTrace
            | LinearNotion::ReadyTrace
            | LinearNotion::ImpossibleFuturesStrong
            | LinearNotion::PossibleFutures => Relation::Strong,
            LinearNotion::WeakFailures | LinearNotion::FailuresDivergence => Relation::DivBranching,
            LinearNotion::WeakTrace | LinearNotion::ImpossibleFutures => Relation::Branching,
        }
    }
}

/// When a search gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// After so many pairs of a state and a set of states.
    pub pairs: usize,
    /// After so many bytes that sets of states and pairs take, about.
    pub bytes: usize,
    /// After so many comparisons of members of sets, about: a pair may have to be compared
    /// with many others.
    pub comparisons: usize,
}

impl Default for Limit {
    /// 2^28 pairs, 8 GiB, 2^40 comparisons.
    fn default() -> Self {
        Self {
            pairs: 1 << 28,
            bytes: 8 << 30,
            comparisons: 1 << 40,
        }
    }
}

impl Limit {
    /// A search within this takes about a second at the most.
    pub(crate) const SOON: Limit = Limit {
        pairs: 1 << 18,
        bytes: 1 << 28,
        comparisons: 1 << 28,
    };

    /// The lower one of each.
    #[must_use]
    pub(crate) fn at_most(self, other: Limit) -> Limit {
        Limit {
            pairs: self.pairs.min(other.pairs),
            bytes: self.bytes.min(other.bytes),
            comparisons: self.comparisons.min(other.comparisons),
        }
    }

    /// Of each the part that a divisor leaves.
    #[must_use]
    pub(crate) fn part(self, divisor: usize) -> Limit {
        Limit {
            pairs: self.pairs / divisor,
            bytes: self.bytes / divisor,
            comparisons: self.comparisons / divisor,
        }
    }

    /// Limits for searches one after the other, each much longer than all before, the last
    /// one within this limit: what is found soon is found soon, and the time of the last
    /// one is most of that of all.
    pub(crate) fn stages(self) -> impl Iterator<Item = Limit> {
        self.stages_from(Self::SOON, LONGER)
    }

    /// Limits for two ways that take turns, the first one short: one of the two may need
    /// exponentially longer than the other. What the slower one takes in vain is a few
    /// times what the faster one takes.
    pub(crate) fn turns(self) -> impl Iterator<Item = Limit> {
        self.stages_from(Self::SOON.part(64), 4)
    }

    /// Limits from this one on, each so many times longer, the last one this.
    fn stages_from(self, first: Limit, longer: usize) -> impl Iterator<Item = Limit> {
        let next = move |stage: &Limit| {
            let next = Limit {
                pairs: stage.pairs.saturating_mul(longer),
                bytes: stage.bytes.saturating_mul(longer),
                comparisons: stage.comparisons.saturating_mul(longer),
            };
            let next = next.at_most(self);
            (next != *stage).then_some(next)
        };
        std::iter::successors(Some(first.at_most(self)), next)
    }
}

/// How much longer a search may be than the one before.
const LONGER: usize = 16;

/// What [`below`] finds.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The first state is below the second.
    Below,
    /// It is not: it shows this, which the second does not.
    Not(Box<Reason>),
    /// The limit was reached.
    Unknown,
}

/// Whether state `p` of an LTS, most often the disjoint union of two, is below state `q`,
/// and if not, a shortest reason.
///
/// PSPACE-complete. Merging bisimilar states takes O(m log n) time; then, for each pair
/// (p, Q) that is looked at, O(degree of p) look-ups of sets, each of which is computed
/// once, and a comparison with each set of the antichain of p. Memory: 4 bytes for a
/// member of each different set, and some 40 bytes a pair. Futures: for each of these
/// pairs up to |Q| searches of the same kind, whose results are kept for all.
///
/// The result does not depend on the number of threads or on how states are numbered,
/// but for the choice between states of different numbers after one trace.
pub fn below(lts: &Lts, p: StateId, q: StateId, notion: LinearNotion, limit: Limit) -> Verdict {
    decide(lts, [p, q], notion, limit, LARGE)
}

/// As [`below`]; a simulation is asked for after `large` pairs.
fn decide(
    lts: &Lts,
    states: [StateId; 2],
    notion: LinearNotion,
    limit: Limit,
    large: usize,
) -> Verdict {
    let (system, [p, q]) = System::new(lts, states, notion.finer(), notion.is_weak());
    let mut sets = Sets::new(&system);
    Search::new(&system, notion, limit, large).run(&mut sets, p, q)
}

/// After how many pairs it is worth to find a simulation.
const LARGE: usize = 1 << 10;
