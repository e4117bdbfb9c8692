//! The search for violations.

use std::ops::ControlFlow;

use hyades_explore::{
    self, Answer, Erased, ExploreError, Limits, Model, Outcome, ProgressCallback, Questions, Sink,
    Trace, explore,
};
use hyades_formats::{LabelTable, Rows};

use super::Specification;
use super::counterexample::Counterexample;
use super::product::{Identity, Product, Representatives, VIOLATION, Violations};
use super::walk::{End, Reason, Walk};

/// What is promised of a counterexample.
///
/// The steps of a counterexample are those that lead to the violation: to the
/// forbidden label and with it, to the state that refuses too much, or to the first
/// state of a cycle of hidden steps. Steps around the cycle do not count. Of several
/// that are equally short it is the one that a breadth-first search in the order of
/// the implementation's transitions meets first; a divergence comes after all
/// others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shortest {
    /// No other one has fewer steps, hidden ones counted. The search is shared by
    /// all threads.
    #[default]
    Steps,
    /// No other one has fewer visible labels, the forbidden one counted; the number
    /// of hidden steps is whatever the search meets first. The search is made by one
    /// thread.
    Events,
}

/// How to search. By default to the end and for the fewest steps.
#[derive(Default)]
pub struct RefineOptions<'a> {
    /// Which counterexample is wanted.
    pub shortest: Shortest,
    /// When to give up; states are pairs of a node and a state.
    pub limits: Limits,
    /// Called every now and then; `Break` ends the search.
    pub progress: Option<&'a mut ProgressCallback<'a>>,
}

hyades_base::opaque!(RefineOptions<'_>: shortest, limits);

/// The result of [`refine`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// Whether the implementation refines the specification.
    pub verdict: RefinementVerdict,
    /// Pairs of a node and a state that were found. All that there are, if the
    /// refinement holds.
    pub pairs: u64,
    /// Transitions of pairs that were found, duplicates counted.
    pub transitions: u64,
    /// Bytes held by the search at its peak, without the specification and the
    /// implementation.
    pub memory: u64,
}

impl AsRef<Refinement> for Refinement {
    fn as_ref(&self) -> &Refinement {
        self
    }
}

/// Whether an implementation refines a specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefinementVerdict {
    /// It does.
    Holds,
    /// It does not, as this shows.
    Fails(Box<Counterexample>),
    /// No violation was seen, but not everything was looked at.
    Unknown(Reason),
}

/// Decides whether `model` refines `specification`, in the semantics that the
/// specification was made for.
///
/// Labels are matched by their texts. Each pair of a node and a state that a trace
/// of both leads to is looked at once, breadth-first; the search ends with the first
/// violation. The result does not depend on the number of threads.
///
/// Time: one call of the model a pair, and a binary search in a row of the
/// specification a transition. Memory: as [`explore()`] with a
/// question, where a pair has the bits of the state and as many as nodes need. In
/// the failures-divergences semantics hidden steps are kept as well, 4 bytes each, and
/// with [`Shortest::Steps`], if there is another violation than a divergence, the pairs
/// that are nearer and what their hidden steps lead to are searched for a nearer
/// divergence, by one thread. [`Shortest::Events`]: some 40 bytes a pair of up to 64
/// bits.
///
/// # Errors
/// If the model fails, or there are too many pairs or labels.
pub fn refine<M: Model>(
    specification: &Specification,
    model: &M,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    refine_erased(specification, model.erased(), search)
}

/// Compiled here, once for all models.
fn refine_erased(
    specification: &Specification,
    model: Erased<'_>,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    search_by(specification, model, &Identity, search)
}

/// As [`refine`], of pairs only those that stand for themselves.
///
/// # Errors
/// As [`refine`], and if there is no representative.
pub fn refine_by<M: Model, R: Representatives>(
    specification: &Specification,
    model: &M,
    representatives: &R,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    search_by(specification, model.erased(), representatives, search)
}

fn search_by<R: Representatives>(
    specification: &Specification,
    model: Erased<'_>,
    representatives: &R,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    let product = Product::new(specification, &model, representatives, Violations::Mark)?;
    match search.shortest {
        Shortest::Steps if specification.is_part() => {
            // The part has one with the fewest visible labels, and not all others.
            let mut found = by_events(&product, search)?;
            if let RefinementVerdict::Fails(shown) = &mut found.verdict {
                shown.is_shortest = false;
            }
            Ok(found)
        }
        Shortest::Steps => by_steps(&product, search),
        Shortest::Events => by_events(&product, search),
    }
}

/// The search for fewest steps.
fn by_steps<R: Representatives>(
    product: &Product<'_, R>,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    let RefineOptions {
        limits,
        mut progress,
        ..
    } = search;
    let divergences = product.specification().semantics().counts_divergences();
    let find = hyades_explore::ExploreOptions {
        limits,
        questions: Questions {
            livelock: divergences,
            find: vec![Box::new(|label, _| label == VIOLATION)],
            ..Questions::default()
        },
        stop_when_answered: true,
        progress: match &mut progress {
            Some(progress) => Some(&mut **progress),
            None => None,
        },
    };
    let mut until = UntilViolation::default();
    let found = match divergences {
        // The question about livelocks is answered in the end only.
        true => explore(product, find, &mut until)?,
        false => explore(product, find, &mut ())?,
    };
    let violation = found.find.first();
    let mut memory = found.memory;
    let verdict = if let Some(Answer::Yes(trace)) = violation {
        // The last step is the mark.
        let steps = trace.labels.len() - 1;
        let mut is_shortest = true;
        let mut nearer = None;
        if divergences {
            let mut walk = Walk::new(product, limits, progress)?;
            match walk.nearer_cycle(steps)? {
                End::Found(trace) => {
                    let trace = Counterexample::of(product, &trace, walk.labels(), true)?;
                    nearer = Some(trace);
                }
                End::Complete => {}
                End::Unknown(_) => is_shortest = false,
            }
            memory = memory.max(walk.memory());
        }
        let found = match nearer {
            Some(nearer) => nearer,
            None => {
                let trace = without_mark(trace);
                Counterexample::of(product, &trace, &found.labels, is_shortest)?
            }
        };
        RefinementVerdict::Fails(Box::new(found))
    } else {
        match (&found.livelock, violation) {
            (Some(Answer::Yes(trace)), _) => {
                let is_shortest = found.outcome == Outcome::Complete;
                let found = Counterexample::of(product, trace, &found.labels, is_shortest)?;
                RefinementVerdict::Fails(Box::new(found))
            }
            (None | Some(Answer::No), Some(Answer::No)) => RefinementVerdict::Holds,
            _ => RefinementVerdict::Unknown(reason(found.outcome)),
        }
    };
    let marks = match divergences {
        true => until.marks,
        false => u64::from(matches!(verdict, RefinementVerdict::Fails(_))),
    };
    Ok(Refinement {
        verdict,
        pairs: found.states,
        transitions: found.transitions - marks,
        memory,
    })
}

/// The trace without its last step, which marks a violation.
fn without_mark(trace: &Trace) -> Trace {
    let mut trace = trace.clone();
    trace.labels.pop();
    trace.states.pop();
    trace.packed.pop();
    trace
}

/// Why an exploration without a violation tells nothing.
fn reason(outcome: Outcome) -> Reason {
    match outcome {
        Outcome::LimitReached(limit) => Reason::Limit(limit),
        Outcome::Stopped => Reason::Stopped,
        Outcome::Complete | Outcome::Answered => Reason::Truncated,
    }
}

/// A sink that ends the exploration once violations are seen.
#[derive(Default)]
struct UntilViolation {
    marks: u64,
}

impl Sink for UntilViolation {
    fn take(&mut self, rows: &[Rows<'_>], _: &LabelTable) -> ControlFlow<()> {
        let labels = rows.iter().flat_map(|rows| rows.labels);
        self.marks += labels.filter(|&&label| label == VIOLATION).count() as u64;
        match self.marks {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }

    fn is_idle(&self) -> bool {
        true
    }
}

/// The search for fewest visible labels.
fn by_events<R: Representatives>(
    product: &Product<'_, R>,
    search: RefineOptions<'_>,
) -> Result<Refinement, ExploreError> {
    let RefineOptions {
        limits, progress, ..
    } = search;
    let divergences = product.specification().semantics().counts_divergences();
    let mut walk = Walk::new(product, limits, progress)?;
    let verdict = match walk.fewest_events(divergences)? {
        End::Found(trace) => {
            let found = Counterexample::of(product, &trace, walk.labels(), true)?;
            RefinementVerdict::Fails(Box::new(found))
        }
        End::Complete if product.was_truncated() => RefinementVerdict::Unknown(Reason::Truncated),
        End::Complete => RefinementVerdict::Holds,
        End::Unknown(reason) => RefinementVerdict::Unknown(reason),
    };
    Ok(Refinement {
        verdict,
        pairs: walk.pairs(),
        transitions: walk.transitions(),
        memory: walk.memory(),
    })
}
