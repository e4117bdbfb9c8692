//! Lumping: the quotients of Markov chains and of LTSs with rates or probabilities.
//!
//! Four forms of labels can have a meaning: `rate R` and `LABEL; rate R` with R > 0, the rate
//! of an exponentially distributed delay, and `prob P` and `LABEL; prob P` with 0 < P ≤ 1, a
//! probability. LABEL has no `;`. All other labels, `rate` without a number among them, are
//! ordinary ones. Transitions with a meaning are counted as often as they occur: two times
//! `rate 1` to the same state is as good as once `rate 2`.
//!
//! **Strong.** The sum γ(p, a, C) of the numbers of p's transitions of the form a (a kind, with
//! a LABEL or without) into each class C is the same for all states p of a class; ordinary
//! labels are as in strong bisimilarity. This is lumpability of Markov chains (Kemeny & Snell,
//! *Finite Markov Chains*, 1976; Buchholz, "Exact and ordinary lumpability in finite Markov
//! chains", 1994) and strong Markovian bisimilarity of interactive Markov chains (Hermanns,
//! *Interactive Markov Chains*, 2002).
//!
//! **Branching, divbranching.** Nothing is waited for where a hidden step is possible (maximal
//! progress): transitions with a rate are left out of states with a hidden step first. Then
//! related states are (divergence-preserving) branching bisimilar by their ordinary steps,
//! and where γ(p) is not zero everywhere, hidden steps lead from q through related states to
//! a q' with γ(p) = γ(q'). An LTS that is equivalent and in this form need not exist if
//! different probabilities are found on one hidden cycle: that is an error.
//!
//! A delay by a rate without a LABEL after which nothing has changed is not seen. Such
//! transitions from a state to itself are left out, unless [`Lumping::keep_self`] says
//! otherwise: of the input, and of the quotient, which is lumped again until there is nothing
//! to leave out. Sums into the own class count like all others before that.
//!
//! Numbers are decimal and are added and compared exactly, of any size that a `double` has.
//! With an epsilon, sums are compared after each is rounded to the nearest multiple of it: what
//! differs by epsilon or more is told apart, what differs by less mostly not, and sums that
//! round to zero are left out. What is written is a sum of one state of the class, not
//! rounded.
//!
//! The quotient has one transition of each form between two states, with the sum, written
//! exactly and as short as `%g` writes it.

mod decimal;
mod error;
mod exact;
mod label;
mod weights;

#[cfg(test)]
mod definition;
#[cfg(test)]
mod tests;

use hyades_formats::{Lts, LtsParts, StateId};
use hyades_lts::reachable_states;

use super::kin::closure::HiddenSteps;
use super::rounds::{RoundCallback, Rounds, untold};
use super::{Kept, Minimized, Relation, branching, by_strong, contracted_quotient, quotient_of};
use decimal::{Amount, Decimal, Number};
use exact::Exact;
use weights::Labels;

pub use error::LumpError;
pub use label::{Kind, Weighted, lacks_number, weight};

/// What ordinary steps are related by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LumpingRelation {
    /// Strong bisimilarity.
    Strong,
    /// Branching bisimilarity.
    Branching,
    /// Divergence-preserving branching bisimilarity.
    DivBranching,
}

impl LumpingRelation {
    /// What it is on LTSs without rates and probabilities.
    pub const fn without_weights(self) -> Relation {
        match self {
            LumpingRelation::Strong => Relation::Strong,
            LumpingRelation::Branching => Relation::Branching,
            LumpingRelation::DivBranching => Relation::DivBranching,
        }
    }

    const fn hidden_steps(self) -> HiddenSteps {
        match self {
            LumpingRelation::Strong => HiddenSteps::Counted,
            LumpingRelation::Branching => HiddenSteps::Inert,
            LumpingRelation::DivBranching => HiddenSteps::InertAndDivergence,
        }
    }
}

/// Which labels have a meaning, and how their sums are compared.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lumping {
    /// `rate R` and `LABEL; rate R` are rates.
    pub rates: bool,
    /// `prob P` and `LABEL; prob P` are probabilities.
    pub probabilities: bool,
    /// Transitions from a state to itself that are a rate without a LABEL are kept.
    pub keep_self: bool,
    /// Sums are compared as multiples of it; exactly, if there is none. More than 0, and
    /// finite.
    pub epsilon: Option<f64>,
}

impl Lumping {
    const fn reads(&self, kind: Kind) -> bool {
        match kind {
            Kind::Rate => self.rates,
            Kind::Probability => self.probabilities,
        }
    }
}

/// What [`lump`] has found.
#[derive(Debug)]
pub struct Lumped {
    /// The quotient.
    pub minimal: Minimized,
    /// How many transitions with a rate were left out because of a hidden step of the same
    /// state.
    pub preempted: u64,
    /// How many transitions that are a rate without a LABEL from a state to itself were left
    /// out besides, of the LTS and of quotients: none if [`Lumping::keep_self`] says so.
    pub self_loops: u64,
}

/// The quotient of an LTS with rates or probabilities, as described for the [module](self).
///
/// States that cannot be reached are left out. States are numbered and transitions sorted
/// as by [`crate::minimize`]. Without labels that have a meaning this is [`crate::minimize`].
///
/// O(n log n) signatures for each transition into a state at most, of n states, each in
/// O(d log d) for d transitions and the sets that are united along hidden steps; about 20
/// bytes a transition and 100 a state, and the different signatures.
///
/// # Errors
/// See [`LumpError`].
pub fn lump(
    lts: Lts,
    relation: LumpingRelation,
    lumping: &Lumping,
    observer: &mut RoundCallback<'_>,
) -> Result<Lumped, LumpError> {
    let epsilon = lumping.epsilon.map(decimal_epsilon).transpose()?;
    let seen = reachable_states(&lts);
    let all = lts.states();
    let original = |s: StateId| {
        let mut reachable = (0..all).filter(|&s| seen.contains(s));
        reachable.nth(s.index()).map_or(s, StateId::from_index)
    };
    let (mut preempted, mut self_loops) = (0, 0);
    // Labels of unreachable transitions have no meaning either.
    let minimal = quotient_of(lts, Kept::Reachable, |lts| {
        let first = lump_once(lts, relation, lumping, epsilon.as_ref(), observer)
            .map_err(|error| in_terms_of(error, original))?;
        let found = until_nothing_is_lost(first, relation, lumping, epsilon.as_ref())?;
        (preempted, self_loops) = (found.preempted, found.self_loops);
        Ok::<_, LumpError>((found.lts, found.class))
    })?;
    Ok(Lumped {
        minimal,
        preempted,
        self_loops,
    })
}

/// A quotient of which unobserved delays within a class were left out.
struct Pass {
    lts: Lts,
    /// The state for each state; [`Minimized::NO_CLASS`] if it is not reached any more.
    class: Vec<u32>,
    /// How many transitions with a rate were left out because of a hidden step.
    preempted: u64,
    /// How many unobserved delays from a state to itself were left out, of the LTS and of the
    /// quotient.
    self_loops: u64,
    /// Whether delays were left out that had become self-loops.
    has_lost: bool,
}

/// Lumps quotients as long as delays are left out of them.
fn until_nothing_is_lost(
    mut found: Pass,
    relation: LumpingRelation,
    lumping: &Lumping,
    epsilon: Option<&Decimal>,
) -> Result<Pass, LumpError> {
    while found.has_lost {
        let next = lump_once(found.lts, relation, lumping, epsilon, &mut untold)?;
        for class in &mut found.class {
            if *class != Minimized::NO_CLASS {
                *class = next.class[*class as usize];
            }
        }
        found = Pass {
            class: found.class,
            preempted: found.preempted + next.preempted,
            self_loops: found.self_loops + next.self_loops,
            ..next
        };
    }
    Ok(found)
}

/// Lumps an LTS all of whose states can be reached.
fn lump_once(
    lts: Lts,
    relation: LumpingRelation,
    lumping: &Lumping,
    epsilon: Option<&Decimal>,
    observer: &mut RoundCallback<'_>,
) -> Result<Pass, LumpError> {
    let labels = Labels::new(&lts, lumping)?;
    if labels.is_empty() {
        let (lts, class) = ordinary_quotient(lts, relation, observer);
        return Ok(Pass {
            lts,
            class,
            preempted: 0,
            self_loops: 0,
            has_lost: false,
        });
    }
    let (digits, places) = labels.digits(lts.transitions(), epsilon);
    let exact = Exact {
        lts: &lts,
        labels: &labels,
        places,
        epsilon,
        keep_self: lumping.keep_self,
    };
    let rounds = &mut Rounds::new(observer);
    match digits <= Amount::<2>::DIGITS {
        true => exact.quotient::<2>(relation, rounds),
        // Enough for all sums of numbers in range.
        false => exact.quotient::<64>(relation, rounds),
    }
}

/// The quotient of an LTS without weights.
fn ordinary_quotient(
    lts: Lts,
    relation: LumpingRelation,
    observer: &mut RoundCallback<'_>,
) -> (Lts, Vec<u32>) {
    let rounds = &mut Rounds::new(observer);
    let divergence = match relation {
        LumpingRelation::Strong => return by_strong(lts, rounds),
        LumpingRelation::Branching => false,
        LumpingRelation::DivBranching => true,
    };
    let (silent, by_node) = branching::partition(&lts, divergence, rounds);
    let initial = lts.initial();
    let LtsParts { table, .. } = lts.into_parts();
    contracted_quotient(silent, by_node, &[initial], table, true)
}

/// The error with the numbers that states had before unreachable ones were left out.
fn in_terms_of(error: LumpError, original: impl Fn(StateId) -> StateId) -> LumpError {
    match error {
        LumpError::SumAboveOne { state, sum } => LumpError::SumAboveOne {
            state: original(state),
            sum,
        },
        LumpError::Ambiguous { states } => LumpError::Ambiguous {
            states: states.map(original),
        },
        LumpError::NotPositive { .. }
        | LumpError::AboveOne { .. }
        | LumpError::OutOfRange { .. }
        | LumpError::Epsilon
        | LumpError::TooLarge(_) => error,
    }
}

/// The decimal number that epsilon is written as, in its shortest form.
fn decimal_epsilon(epsilon: f64) -> Result<Decimal, LumpError> {
    match Number::parse(format!("{epsilon:e}").as_bytes()) {
        Some(Number::Positive(number)) => Ok(number),
        Some(Number::NotPositive | Number::OutOfRange) | None => Err(LumpError::Epsilon),
    }
}
