//! Partitions and quotients for every relation.

use std::fmt;

use hyades_base::parallel;
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};
use hyades_lts::{Numbering, reachable_states, restricted};

use super::engine::Engine;
use super::inclusion::{HiddenSteps, determinized_quotient};
use super::kin::rooted::{Unrooted, rooted_quotient};
use super::kin::sharp;
use super::quotient::{Classes, Quotient};
use super::rounds::{RoundCallback, Rounds, untold};
use super::simulation;
use super::tau_scc::TauContraction;
use super::weak::{self, Weak};
use super::{Criterion, Partition, Relation, branching, either, first_members, strong, tau_scc};

/// The coarsest partition of the states into equivalent ones; `None` for relations that
/// are decided for one pair of states at a time: simulations, those of traces and what is
/// observed along them, the rooted ones and isomorphism.
///
/// By strong, branching and divergence-preserving branching bisimilarity, on which the
/// others begin where they can, O(m log n) time for m transitions and n states, in parallel on most inputs;
/// the partition does not depend on the number of threads.
///
/// * [`Relation::Strong`]: 4 bytes a transition and 32 a state at the peak,
///   besides the input.
/// * [`Relation::Branching`], [`Relation::DivBranching`]: about 24 bytes a transition and
///   60 a state.
///
/// Inputs on which splitting by signatures would take too long are finished by a
/// method with a worst-case bound. It holds up to 20 bytes a transition and 60 a
/// state more, for the others up to 70 and 90.
pub fn partition<'a>(lts: &Lts, criterion: impl Into<Criterion<'a>>) -> Option<Partition> {
    partition_observed(lts, criterion, &mut untold)
}

/// As [`partition`], and tells how far it has come after each round.
pub fn partition_observed<'a>(
    lts: &Lts,
    criterion: impl Into<Criterion<'a>>,
    observer: &mut RoundCallback<'_>,
) -> Option<Partition> {
    let criterion = criterion.into();
    match Engine::of(criterion.relation) {
        Engine::Refinement(refinement) => {
            Some(refinement.partition(lts, criterion, &mut Rounds::new(observer)))
        }
        Engine::Isomorphism | Engine::Rooted(_) | Engine::Simulation(_) | Engine::Inclusion(_) => {
            None
        }
    }
}

/// As [`partition`], by strong bisimilarity.
pub fn strong_partition(lts: &Lts) -> Partition {
    strong::partition(lts, &mut Rounds::new(&mut untold))
}

/// A minimal LTS, and what its states stand for.
#[derive(Debug)]
pub struct Minimized {
    /// The quotient.
    pub lts: Lts,
    /// For each state of the input the state of the quotient that stands for
    /// it; [`Minimized::NO_CLASS`] for an unreachable state that was left out, for one whose
    /// class cannot be reached in the quotient any more (by tau*.a and simulations), and by
    /// relations of traces for all: there states stand for sets.
    pub class: Vec<u32>,
    /// How many states of the input were taken into account.
    pub states: usize,
}

impl Minimized {
    /// No state of the quotient.
    pub const NO_CLASS: u32 = u32::MAX;
}

/// Why an LTS is not minimized.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MinimizeError {
    /// No LTS stands for all that are equivalent by this relation.
    NoQuotient(Relation),
    /// States that cannot be reached are kept by partition refinement only, and not by
    /// this relation.
    Unreachable(Relation),
    /// The quotient, or what it is made of, is too large.
    TooLarge(TooLarge),
}

impl fmt::Display for MinimizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoQuotient(Relation::Isomorphism) => {
                write!(
                    f,
                    "isomorphism merges no states: there is nothing to minimize"
                )
            }
            Self::NoQuotient(relation) => write!(
                f,
                "there is no smallest LTS by {relation}; what implies it and has one: {}",
                either(relation.next_with_quotient())
            ),
            Self::Unreachable(relation) => write!(
                f,
                "states that cannot be reached are kept by strong, divbranching and branching \
                 only, not by {relation}"
            ),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MinimizeError {}

impl From<TooLarge> for MinimizeError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// The quotient of an LTS: its smallest equivalent by the relation. By
/// [`Relation::RootedBranching`] and [`Relation::RootedWeak`] it has a new initial state where
/// the quotient without a root would not be equivalent, even if a hidden loop would do, too.
/// By [`Relation::Sharp`] without a [`Criterion`] that names strong labels it is that by
/// [`Relation::Branching`].
///
/// States that cannot be reached are left out. The quotient's states are numbered
/// breadth-first from the initial one, labels in the order of their bytes, and,
/// where transitions of one label differ, in the order of the least states of their
/// targets' classes. Transitions are sorted by (source, label bytes, target) and
/// occur once. The quotient by a branching relation has no
/// hidden step within a class and no hidden self-loop, but that by
/// [`Relation::DivBranching`] has one where there is divergence.
///
/// Takes as long as [`partition`] and holds, beyond the input, either what that
/// holds or 8 bytes a state and 8 a transition of the quotient; the input is
/// freed before the quotient gets its final form, and by branching relations once
/// it is contracted.
///
/// # Errors
/// If there is no quotient by the relation, or if it is too large.
pub fn minimize<'a>(
    lts: Lts,
    criterion: impl Into<Criterion<'a>>,
) -> Result<Minimized, MinimizeError> {
    minimize_observed(lts, criterion, Kept::Reachable, &mut untold)
}

/// Refuses more transitions than 32-bit numbers tell.
pub(crate) fn narrow(transitions: usize) -> Result<(), TooLarge> {
    match u32::try_from(transitions) {
        Ok(_) => Ok(()),
        Err(_) => Err(TooLarge {
            what: "transitions (only strong, divbranching and branching minimize more)",
            limit: u32::MAX.into(),
        }),
    }
}

/// As [`minimize`], by strong bisimilarity.
pub fn strong_quotient(lts: Lts) -> Minimized {
    quotient_of(lts, Kept::Reachable, |lts| {
        Ok::<_, std::convert::Infallible>(by_strong(lts, &mut Rounds::new(&mut untold)))
    })
    .unwrap_or_else(|never| match never {})
}

/// The states whose classes a quotient has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kept {
    /// Those that can be reached, as [`minimize`] has it.
    Reachable,
    /// All: classes of states that cannot be reached come behind the others.
    All,
}

/// As [`minimize`], with these states, and tells how far it has come after each round of
/// refinement.
///
/// # Errors
/// As [`minimize`]; and if states that cannot be reached are to be kept by a relation that
/// does not do so ([`Relation::keeps_unreachable`]), whatever labels there are.
pub fn minimize_observed<'a>(
    lts: Lts,
    criterion: impl Into<Criterion<'a>>,
    kept: Kept,
    observer: &mut RoundCallback<'_>,
) -> Result<Minimized, MinimizeError> {
    let criterion = criterion.into();
    let rounds = &mut Rounds::new(observer);
    let hides = lts.labels().iter().any(|l| l.is_hidden());
    let quotient = Quotienting::of(criterion.relation, hides)
        .ok_or(MinimizeError::NoQuotient(criterion.relation))?;
    if kept == Kept::All && !criterion.relation.keeps_unreachable() {
        return Err(MinimizeError::Unreachable(criterion.relation));
    }
    if !quotient.keeps_unreachable() {
        // Only partition refinement tells transitions by wider numbers.
        narrow(lts.transitions())?;
    }
    quotient_of(lts, kept, |lts| quotient.of_all(lts, criterion, rounds))
}

/// The quotient of all states, reachable or not, by strong, branching or
/// divergence-preserving branching bisimilarity.
///
/// # Panics
/// If it is another relation.
pub(crate) fn minimize_all(lts: Lts, relation: Relation) -> Minimized {
    minimize_observed(lts, relation, Kept::All, &mut untold)
        .expect("these relations have quotients, which are no larger")
}

/// The quotient of the part that is kept, by what makes one of all states of an LTS.
pub(crate) fn quotient_of<E>(
    lts: Lts,
    kept: Kept,
    quotient: impl FnOnce(Lts) -> Result<(Lts, Vec<u32>), E>,
) -> Result<Minimized, E> {
    let all = lts.states();
    let seen = match kept {
        Kept::Reachable => Some(reachable_states(&lts)).filter(|seen| seen.count < all),
        Kept::All => None,
    };
    let Some(seen) = seen else {
        let (lts, class) = quotient(lts)?;
        return Ok(Minimized {
            lts,
            class,
            states: all,
        });
    };
    let lts = restricted(lts, &seen, Numbering::Ascending);
    let (lts, classes) = quotient(lts)?;
    let mut classes = classes.into_iter();
    let mut next = |s| match seen.contains(s) {
        true => classes.next().expect("a class for every reachable state"),
        false => Minimized::NO_CLASS,
    };
    let class = (0..all).map(&mut next).collect();
    let states = seen.count;
    Ok(Minimized { lts, class, states })
}

/// The quotient of all states by strong bisimilarity, and the state for each state.
pub(crate) fn by_strong(mut lts: Lts, rounds: &mut Rounds<'_>) -> (Lts, Vec<u32>) {
    let ranks = lts.table().ranks();
    let partition = strong::partition(&lts, rounds).normalized();
    if partition.count() == lts.states() && is_canonical(&lts, &ranks) {
        lts.take_state_labels();
        return (lts, partition.class);
    }
    let quotient = merged(&lts, partition, &ranks, &[lts.initial()], true);
    let LtsParts { table, .. } = lts.into_parts();
    quotient.into_lts(table)
}

/// The quotient by classes of strongly bisimilar states, which are numbered in the order of
/// their first members; see [`Quotient::new`].
fn merged(
    lts: &Lts,
    partition: Partition,
    ranks: &[u32],
    roots: &[StateId],
    all: bool,
) -> Quotient {
    let classes = Classes {
        rows: lts.into(),
        representative: first_members(&partition.class, partition.count),
        class: partition.class,
        ranks,
        drop_inert: false,
        divergence: None,
    };
    let roots: Vec<u32> = roots.iter().map(|root| root.get()).collect();
    Quotient::new(classes, &roots, all)
}

/// The quotient of what two states reach by classes of strongly bisimilar states, which are
/// numbered in the order of their first members. The quotient is numbered as by [`minimize`]
/// from the first of the two, followed by what only the second one reaches, numbered from
/// that. With the states for the two.
pub(crate) fn strong_quotient_from(
    lts: &Lts,
    partition: Partition,
    roots: [StateId; 2],
) -> (Lts, [StateId; 2]) {
    let ranks = lts.table().ranks();
    let quotient = merged(lts, partition, &ranks, &roots, false);
    let (quotient, state) = quotient.into_lts(lts.table().clone());
    (
        quotient,
        roots.map(|root| StateId::new(state[root.index()])),
    )
}

/// As [`strong_quotient_from`], by strong, branching or divergence-preserving branching
/// bisimilarity.
///
/// # Panics
/// If it is another relation.
pub(crate) fn minimize_from(
    lts: Lts,
    relation: Relation,
    roots: [StateId; 2],
) -> (Lts, [StateId; 2]) {
    let observer = &mut untold;
    let rounds = &mut Rounds::new(observer);
    let hides = lts.labels().iter().any(|l| l.is_hidden());
    let divergence = match Quotienting::of(relation, hides) {
        Some(Quotienting::Strong) => {
            let partition = strong::partition(&lts, rounds).normalized();
            return strong_quotient_from(&lts, partition, roots);
        }
        Some(Quotienting::Branching { divergence }) => divergence,
        Some(
            Quotienting::Sharp { .. }
            | Quotienting::Rooted(_)
            | Quotienting::Weak(_)
            | Quotienting::Simulation { .. }
            | Quotienting::Safety
            | Quotienting::Deterministic(_),
        )
        | None => panic!("{relation} is no relation of these"),
    };
    let (silent, by_node, table) = branching::contracted_partition(lts, divergence, rounds);
    let (quotient, state) = contracted_quotient(silent, by_node, &roots, table, false);
    (
        quotient,
        roots.map(|root| StateId::new(state[root.index()])),
    )
}

/// The quotient of an LTS whose states are all different: what [`minimize`] makes of one
/// that has these states as its classes, numbered by their least members, and the rows of
/// their representatives. With the state of it for each of them.
///
/// 8 bytes a transition and 16 a state, besides the LTS or what is made of it.
pub fn numbered(mut lts: Lts) -> (Lts, Vec<u32>) {
    let ranks = lts.table().ranks();
    let class: Vec<u32> = (0..lts.states() as u32).collect();
    if is_canonical(&lts, &ranks) {
        lts.take_state_labels();
        return (lts, class);
    }
    let discrete = Partition {
        count: class.len() as u32,
        class,
    };
    let quotient = merged(&lts, discrete, &ranks, &[lts.initial()], true);
    let LtsParts { table, .. } = lts.into_parts();
    quotient.into_lts(table)
}

/// As [`strong_partition`], beginning with these blocks, numbered without a gap, of which
/// no two have equivalent states. The blocks below number `settled` are refined no more:
/// those whose states are equivalent whatever their transitions are.
pub fn strong_partition_from(
    lts: &Lts,
    block: Vec<u32>,
    settled: u32,
    observer: &mut RoundCallback<'_>,
) -> Partition {
    strong::partition_from(lts, block, settled, &mut Rounds::new(observer))
}

/// The coarsest partition by branching bisimilarity of an LTS whose hidden transitions lead
/// to smaller numbers, beginning as [`strong_partition_from`]; transitions of states of settled
/// blocks lead to such states only. What diverges has a self-loop with a label of its own, if
/// that is to be told.
pub fn branching_partition_from(
    lts: Lts,
    block: Vec<u32>,
    settled: u32,
    observer: &mut RoundCallback<'_>,
) -> Partition {
    let states = lts.states() as u32;
    let no_label = LabelId::new(lts.table().len() as u32);
    let diverges = vec![false; lts.states()];
    let silent =
        TauContraction::with_nodes((&lts).into(), (0..states).collect(), &diverges, no_label);
    drop((lts, diverges));
    branching::partition_from(&silent, block, settled, &mut Rounds::new(observer))
}

/// Nodes of states that are branching bisimilar by their hidden transitions alone, and
/// whether each diverges, if that is to be told: one that does is not taken together with
/// others. Hidden transitions from a node to another one lead to smaller numbers.
/// O(states + transitions).
pub fn hidden_nodes(lts: &Lts, divergence: bool) -> (Vec<u32>, Vec<bool>) {
    tau_scc::nodes(lts, divergence)
}

/// Whether states and transitions are numbered and sorted as those of a quotient are, by
/// [`minimize`], and all states are reached. O(m), and less if the answer is no.
fn is_canonical(lts: &Lts, ranks: &[u32]) -> bool {
    if lts.initial().get() != 0 {
        return false;
    }
    // How many states the search has met.
    let mut met = 1;
    for s in 0..lts.states() as u32 {
        if s >= met {
            return false;
        }
        let mut last = None;
        for (label, target) in lts.outgoing(StateId::new(s)) {
            let this = Some((ranks[label.index()], target));
            if last >= this || target.get() > met {
                return false;
            }
            met += u32::from(target.get() == met);
            last = this;
        }
    }
    met == lts.states() as u32
}

/// The quotient of a contracted LTS by a partition of its nodes: the transitions
/// of a class are those of its least node, which has no hidden step within it.
/// With the state of the quotient for each of the states that were contracted.
/// Numbered and sorted as by [`minimize`] from the first of `roots`, and then from the
/// others; [`Minimized::NO_CLASS`] for states that are not reached from any of them, which
/// are left out unless `all`.
pub(crate) fn contracted_quotient(
    silent: TauContraction,
    by_node: Partition,
    roots: &[StateId],
    table: LabelTable,
    all: bool,
) -> (Lts, Vec<u32>) {
    let ranks = table.ranks();
    // Classes are numbered by their least states, not nodes.
    let mut number = vec![u32::MAX; by_node.count()];
    let mut next = 0;
    for &v in &silent.node {
        let number = &mut number[by_node.class[v as usize] as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
    }
    let mut class = by_node.class;
    class.iter_mut().for_each(|c| *c = number[*c as usize]);
    let classes = Classes {
        rows: silent.rows(),
        // The least node of a class has no hidden step within it.
        representative: first_members(&class, by_node.count),
        class,
        ranks: &ranks,
        drop_inert: true,
        divergence: Some(silent.divergence),
    };
    let nodes: Vec<u32> = roots.iter().map(|s| silent.node[s.index()]).collect();
    let quotient = Quotient::new(classes, &nodes, all);
    let mut node = silent.node;
    let (lts, state) = quotient.into_lts(table);
    parallel::for_each_mut(&mut node, 1 << 14, |_, v| *v = state[*v as usize]);
    (lts, node)
}

/// How a quotient is made.
#[derive(Clone, Copy)]
pub(crate) enum Quotienting {
    Strong,
    Branching { divergence: bool },
    Sharp { divergence: bool },
    Rooted(Unrooted),
    Weak(Weak),
    Simulation { ready: bool },
    Safety,
    Deterministic(HiddenSteps),
}

impl Relation {
    /// Whether the quotient may have classes of states that cannot be reached
    /// ([`Kept::All`]).
    pub const fn keeps_unreachable(self) -> bool {
        match Quotienting::of(self, true) {
            Some(quotient) => quotient.keeps_unreachable(),
            None => false,
        }
    }
}

impl Quotienting {
    /// How it is made for a relation on LTSs that may have hidden steps, or have none: then
    /// all bisimilarities are the strong one. `None` if there is no quotient.
    pub(crate) const fn of(relation: Relation, hides: bool) -> Option<Self> {
        let bisimilarity = match relation {
            Relation::Strong => Quotienting::Strong,
            Relation::Branching => Quotienting::Branching { divergence: false },
            Relation::DivBranching => Quotienting::Branching { divergence: true },
            Relation::Sharp => Quotienting::Sharp { divergence: false },
            Relation::DivSharp => Quotienting::Sharp { divergence: true },
            Relation::RootedBranching => Quotienting::Rooted(Unrooted::Branching),
            Relation::RootedWeak => Quotienting::Rooted(Unrooted::Weak),
            Relation::Observational => Quotienting::Weak(Weak::Observational),
            Relation::DpWeak => Quotienting::Weak(Weak::DivObservational),
            Relation::TauStarA => Quotienting::Weak(Weak::TauStarA),
            Relation::ReadySim => return Some(Quotienting::Simulation { ready: true }),
            Relation::Sim => return Some(Quotienting::Simulation { ready: false }),
            Relation::Safety => return Some(Quotienting::Safety),
            Relation::Trace => return Some(Quotienting::Deterministic(HiddenSteps::Counted)),
            Relation::WeakTrace => return Some(Quotienting::Deterministic(HiddenSteps::Skipped)),
            // Isomorphic systems have nothing to merge.
            Relation::Isomorphism
            | Relation::SrBranching
            | Relation::Eta
            | Relation::Delay
            | Relation::TwoNestedSim
            | Relation::PossibleFutures
            | Relation::ImpossibleFuturesStrong
            | Relation::ReadyTrace
            | Relation::FailureTrace
            | Relation::Readiness
            | Relation::Revivals
            | Relation::Failures
            | Relation::CompletedTrace
            | Relation::CoupledSim
            | Relation::Contrasim
            | Relation::BranchingSim
            | Relation::ImpossibleFutures
            | Relation::WeakFailures
            | Relation::FailuresDivergence => return None,
        };
        Some(if hides {
            bisimilarity
        } else {
            Quotienting::Strong
        })
    }

    /// Whether states that cannot be reached may have classes of their own.
    const fn keeps_unreachable(self) -> bool {
        match self {
            Quotienting::Strong | Quotienting::Branching { .. } => true,
            Quotienting::Sharp { .. }
            | Quotienting::Rooted(_)
            | Quotienting::Weak(_)
            | Quotienting::Simulation { .. }
            | Quotienting::Safety
            | Quotienting::Deterministic(_) => false,
        }
    }

    /// The quotient of all states of an LTS, with the state of it for each of them.
    fn of_all(
        self,
        lts: Lts,
        criterion: Criterion<'_>,
        rounds: &mut Rounds<'_>,
    ) -> Result<(Lts, Vec<u32>), MinimizeError> {
        Ok(match self {
            Quotienting::Strong => by_strong(lts, rounds),
            Quotienting::Branching { divergence } => {
                let initial = lts.initial();
                let (silent, by_node, table) =
                    branching::contracted_partition(lts, divergence, rounds);
                contracted_quotient(silent, by_node, &[initial], table, true)
            }
            Quotienting::Sharp { divergence } => {
                let marked = criterion.marked(lts.table());
                sharp::quotient_in_rounds(lts, &marked, divergence, rounds)
            }
            Quotienting::Rooted(unrooted) => {
                let without = match unrooted {
                    Unrooted::Branching => Quotienting::Branching { divergence: false },
                    Unrooted::Weak => Quotienting::Weak(Weak::Observational),
                };
                let (quotient, class) = without.of_all(lts.clone(), criterion, rounds)?;
                rooted_quotient(&lts, quotient, class, unrooted)
            }
            Quotienting::Weak(kind) => weak::quotient(lts, kind, rounds)?,
            Quotienting::Simulation { ready } => simulation::quotient(lts, ready, rounds)?,
            Quotienting::Safety => simulation::safety_quotient(lts, rounds)?,
            Quotienting::Deterministic(hidden) => {
                let quotient = determinized_quotient(&lts, hidden, criterion.max_states)?;
                (quotient, vec![Minimized::NO_CLASS; lts.states()])
            }
        })
    }
}
