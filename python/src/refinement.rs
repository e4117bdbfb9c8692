//! Refinement in the semantics of CSP.

use std::borrow::Cow;
use std::sync::Arc;

use hyades::explore::{ExploreOptions, Goal, Limits, Progress, reach};
use hyades::formats::{LabelTable, Lts, LtsBuilder, StateId};
use hyades::lts::Numbering;
use hyades::refinement::{
    Counterexample, Inclusion, RefineOptions, RefinementVerdict, Semantics, Specification,
    SpecificationError, Violation, refine_by_antichains, worthwhile_nodes,
};
use pyo3::prelude::*;

use crate::errors::{Fault, value};
use crate::numbers::{self, Number};
use crate::source::{Reading, Subject};
use crate::texts::hidden_name;
use crate::verdicts::PyVerdict;
use crate::work::{Watch, work};

/// Whether an implementation does nothing that its specification forbids, in the
/// semantics `T`, `F` or `FD`. Both may be models, as in `reach`; `argument` is for the
/// implementation.
#[pyfunction]
#[pyo3(signature = (
    specification, implementation, model = "FD", *, max_states = None, max_memory = None,
    argument = None
))]
pub fn refine(
    specification: &Bound<'_, PyAny>,
    implementation: &Bound<'_, PyAny>,
    model: &str,
    max_states: Option<Number>,
    max_memory: Option<Number>,
    argument: Option<&str>,
) -> PyResult<PyVerdict> {
    let max_states = numbers::given(max_states, "max_states")?;
    let max_memory = numbers::given(max_memory, "max_memory")?;
    let semantics: Semantics = model.parse().map_err(value)?;
    let reading = Reading::default();
    let specification = Subject::of(specification, &reading, None)?;
    let py = implementation.py();
    let implementation = Subject::of(implementation, &reading, argument)?;
    let limits = Limits {
        max_states,
        max_memory,
    };
    work(py, |watch| {
        let question = Question {
            semantics,
            limits,
            watch,
        };
        question.answer(&specification, &implementation)
    })
}

struct Question<'a> {
    semantics: Semantics,
    limits: Limits,
    watch: &'a Watch,
}

/// What to search beside.
enum Beside {
    Specification(Box<Specification>),
    Holds,
}

impl Question<'_> {
    fn answer(
        &self,
        specification: &Subject,
        implementation: &Subject,
    ) -> Result<PyVerdict, Fault> {
        let mut told = PyVerdict {
            name: format!("refinement in {}", self.semantics).into(),
            ..PyVerdict::default()
        };
        let lts = state_space(specification, self.limits, self.watch)?;
        let normal = match self.beside(&lts, implementation)? {
            Beside::Specification(normal) => normal,
            Beside::Holds => {
                told.holds = Some(true);
                return Ok(told);
            }
        };
        let mut progress = |_: &Progress| self.watch.flow();
        let options = RefineOptions {
            limits: self.limits,
            progress: Some(&mut progress),
            ..RefineOptions::default()
        };
        let found = hyades::refinement::refine(&normal, &implementation.erased(), options)?;
        implementation.finish()?;
        told.states = found.pairs;
        match found.verdict {
            RefinementVerdict::Holds => told.holds = Some(true),
            RefinementVerdict::Unknown(_) => {
                told.reason =
                    Some(format!("a limit was reached after {} pairs", found.pairs).into());
            }
            RefinementVerdict::Fails(shown) => {
                told.holds = Some(false);
                explain(&mut told, &shown)?;
            }
        }
        Ok(told)
    }

    /// The normal form of the specification; or, if that is much larger than it, what
    /// antichains find, if they do.
    fn beside(&self, lts: &Lts, implementation: &Subject) -> Result<Beside, Fault> {
        let normal = |most| match Specification::new(lts, self.semantics, most) {
            Ok(normal) => Ok(Some(Beside::Specification(Box::new(normal)))),
            Err(SpecificationError::TooManyNodes(_)) => Ok(None),
            Err(SpecificationError::TooLarge(error)) => Err(Fault::from(error)),
        };
        if let Some(small) = normal(Some(worthwhile_nodes(lts)))? {
            return Ok(small);
        }
        let other = state_space(implementation, self.limits, self.watch)?;
        match refine_by_antichains(lts, &other, self.semantics, self.limits) {
            Ok(Inclusion::Holds) => return Ok(Beside::Holds),
            Ok(Inclusion::Fails(part)) => return Ok(Beside::Specification(part)),
            Ok(Inclusion::Unknown) => {}
            Err(error) => return Err(Fault::Limit(error.to_string())),
        }
        let large = normal(None)?;
        large.ok_or_else(|| Fault::Limit("the normal form is too large".into()))
    }
}

/// The whole state space of something that can be explored.
///
/// # Errors
/// If a limit is reached, or the model fails.
pub fn state_space<'m>(
    subject: &'m Subject,
    limits: Limits,
    watch: &Watch,
) -> Result<Cow<'m, Lts>, Fault> {
    if let Subject::Lts(lts) = subject {
        return Ok(Cow::Borrowed(lts));
    }
    let mut progress = |_: &Progress| watch.flow();
    let options = ExploreOptions {
        limits,
        progress: Some(&mut progress),
        ..ExploreOptions::default()
    };
    let goal = Goal::Lts(Numbering::BreadthFirst);
    let (lts, states) = reach(subject.erased(), options, goal, |found| found.states)?;
    subject.finish()?;
    let lts = lts.ok_or_else(|| {
        let states = states.unwrap_or_default();
        Fault::Limit(format!("a limit was reached after {states} states"))
    })?;
    Ok(Cow::Owned(lts))
}

/// The run of the implementation that shows it.
fn explain(told: &mut PyVerdict, shown: &Counterexample) -> Result<(), Fault> {
    let (_, labels) = shown.walk();
    let mut table = LabelTable::new();
    for label in labels.iter().flatten() {
        table.intern(label)?;
    }
    let hidden = hidden_name(&table);
    let text = |label: &Option<&[u8]>| label.map_or(hidden.clone().into_bytes(), <[u8]>::to_vec);
    told.trace = Some(labels.iter().map(text).collect());
    let mut builder = LtsBuilder::with_table(1, table);
    for (source, label) in (0..).zip(&labels) {
        match label {
            Some(text) => builder.add_text(source, text, source + 1)?,
            None => {
                let hidden = hyades::formats::LabelId::HIDDEN;
                builder.add(StateId::new(source), hidden, StateId::new(source + 1));
            }
        }
    }
    told.evidence = Some(Arc::new(builder.build(StateId::new(0))?));
    told.reason = Some(match &shown.violation {
        Violation::Trace => "a trace of the implementation, not of the specification".into(),
        Violation::Refusal { accepted } => {
            let accepted: Vec<&[u8]> = accepted.iter().map(|text| &**text).collect();
            let accepted = match accepted.is_empty() {
                true => b"nothing".to_vec(),
                false => [b"only ", &*accepted.join(&b' ')].concat(),
            };
            [b"after the trace the implementation accepts ", &*accepted].concat()
        }
        Violation::Divergence { .. } => {
            told.cycle = Some(shown.steps.len());
            "the implementation diverges where the specification does not".into()
        }
    });
    Ok(())
}
