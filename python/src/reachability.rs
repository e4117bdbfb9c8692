//! State spaces, and questions on the way.

use std::sync::Arc;

use hyades::explore::{
    Answer, Cycle, Exploration, ExploreOptions, Goal, Limits, Outcome, Progress, Questions,
    reach as search, traces_to_lts,
};
use hyades::formats::Lts;
use hyades::lts::Numbering;
use hyades::lts::pattern::LabelPattern;
use pyo3::prelude::*;

use crate::errors::{Fault, LimitError, value};
use crate::lts::PyLts;
use crate::numbers::{self, Number};
use crate::source::{Reading, Subject, names};
use crate::texts;
use crate::verdicts::PyVerdict;
use crate::work::work;

/// What was reached, and the answers to what was asked.
#[pyclass(frozen, module = "hyades", name = "Reached")]
pub struct Reached {
    lts: Option<Arc<Lts>>,
    outcome: Outcome,
    #[pyo3(get)]
    states: u64,
    #[pyo3(get)]
    transitions: u64,
    #[pyo3(get)]
    deadlock: Option<Py<PyVerdict>>,
    #[pyo3(get)]
    livelock: Option<Py<PyVerdict>>,
    #[pyo3(get)]
    find: Vec<Py<PyVerdict>>,
}

#[pymethods]
impl Reached {
    /// The reachable state space.
    #[getter]
    fn lts(&self) -> PyResult<PyLts> {
        match (&self.lts, self.outcome) {
            (Some(lts), _) => Ok(Arc::clone(lts).into()),
            (None, Outcome::Complete | Outcome::Answered) => Err(Fault::Value(
                "only answers were asked for: reach(…, space=True) makes the state space".into(),
            )
            .into()),
            (None, Outcome::LimitReached(_) | Outcome::Stopped) => Err(LimitError::new_err(
                format!("a limit was reached after {} states", self.states),
            )),
        }
    }

    /// Whether everything that can be reached was looked at.
    #[getter]
    fn complete(&self) -> bool {
        self.outcome == Outcome::Complete
    }

    fn __repr__(&self) -> String {
        let how = match self.outcome {
            Outcome::Complete => "complete",
            Outcome::Answered => "answered",
            Outcome::LimitReached(_) => "a limit was reached",
            Outcome::Stopped => "stopped",
        };
        let Self {
            states,
            transitions,
            ..
        } = self;
        format!("<Reached: {states} states, {transitions} transitions, {how}>")
    }
}

/// Explores something, and answers questions.
#[pyfunction]
#[pyo3(signature = (
    model, *, deadlock = false, livelock = false, find = None, space = true, max_states = None,
    max_memory = None, argument = None
))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn reach(
    model: &Bound<'_, PyAny>,
    deadlock: bool,
    livelock: bool,
    find: Option<&Bound<'_, PyAny>>,
    space: bool,
    max_states: Option<Number>,
    max_memory: Option<Number>,
    argument: Option<&str>,
) -> PyResult<Reached> {
    let py = model.py();
    let max_states = numbers::given(max_states, "max_states")?;
    let max_memory = numbers::given(max_memory, "max_memory")?;
    let patterns = names(find)?.unwrap_or_default();
    let find: Result<Vec<LabelPattern>, Fault> = patterns
        .iter()
        .map(|pattern| LabelPattern::whole(pattern).map_err(value))
        .collect();
    let find = find?;
    let subject = Subject::of(model, &Reading::default(), argument)?;
    let (lts, found) = work(py, |watch| {
        let mut progress = |_: &Progress| watch.flow();
        let hidden = match &subject {
            Subject::Lts(lts) => texts::hidden_name(lts.table()),
            Subject::Network(_) | Subject::System(_) | Subject::Plugin(_) => "i".into(),
        };
        let predicates = find.iter().map(|pattern| {
            let hidden = hidden.as_bytes();
            let predicate: hyades::explore::LabelPredicate<'_> = Box::new(move |label, text| {
                pattern.is_match(if label.is_hidden() { hidden } else { text })
            });
            predicate
        });
        let options = ExploreOptions {
            questions: Questions {
                deadlock,
                livelock,
                find: predicates.collect(),
            },
            limits: Limits {
                // Counted where there is no other reason to explore an LTS.
                max_states: max_states.or(Some(u64::from(u32::MAX))),
                max_memory,
            },
            stop_when_answered: !space,
            progress: Some(&mut progress),
        };
        let goal = match space {
            true => Goal::Lts(Numbering::BreadthFirst),
            false => Goal::Answers,
        };
        let look = |found: &Exploration<'_>| Found::of(found);
        let (lts, found) = match &subject {
            Subject::Lts(lts) if space => search((**lts).clone(), options, goal, look)?,
            subject => search(subject.erased(), options, goal, look)?,
        };
        subject.finish()?;
        let found = found.expect("there is a limit, so that it was explored")?;
        Ok((lts, found))
    })?;
    let mut answers = found.answers.into_iter();
    let mut next = |name: String| -> PyResult<Option<Py<PyVerdict>>> {
        let verdict = answers.next().map(|mut answer| {
            answer.name = name;
            Py::new(py, answer)
        });
        verdict.transpose()
    };
    Ok(Reached {
        lts: lts.map(Arc::new),
        outcome: found.outcome,
        states: found.states,
        transitions: found.transitions,
        deadlock: if deadlock {
            next("deadlock".into())?
        } else {
            None
        },
        livelock: if livelock {
            next("livelock".into())?
        } else {
            None
        },
        find: {
            let all = patterns.iter().map(|pattern| {
                let name = format!("find {}", String::from_utf8_lossy(pattern));
                Ok(next(name)?.expect("each question has an answer"))
            });
            all.collect::<PyResult<_>>()?
        },
    })
}

/// What there is to say of an exploration.
struct Found {
    outcome: Outcome,
    states: u64,
    transitions: u64,
    answers: Vec<PyVerdict>,
}

impl Found {
    fn of(found: &Exploration<'_>) -> Result<Self, Fault> {
        let all = found
            .deadlock
            .iter()
            .chain(&found.livelock)
            .chain(&found.find);
        let answers = all.map(|answer| match answer {
            Answer::No => Ok(PyVerdict {
                holds: Some(false),
                ..PyVerdict::default()
            }),
            Answer::Unknown => Ok(PyVerdict {
                reason: Some("a limit was reached".into()),
                ..PyVerdict::default()
            }),
            Answer::Yes(trace) => Ok(PyVerdict {
                holds: Some(true),
                trace: Some(texts::shown(&trace.labels, &found.labels)),
                cycle: trace.cycle,
                evidence: Some(Arc::new(traces_to_lts(
                    [trace],
                    &found.labels,
                    Cycle::Closed,
                )?)),
                ..PyVerdict::default()
            }),
        });
        Ok(Self {
            outcome: found.outcome,
            states: found.states,
            transitions: found.transitions,
            answers: answers.collect::<Result<_, Fault>>()?,
        })
    }
}
