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

/// How an exploration has ended, and in which words.
const ENDS: [(Ended, &str); 4] = [
    (Ended::Complete, "complete"),
    (Ended::Answered, "answered"),
    (Ended::Limit, "a limit was reached"),
    (Ended::Stopped, "stopped"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ended {
    Complete,
    Answered,
    Limit,
    Stopped,
}

impl Ended {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Complete => Ended::Complete,
            Outcome::Answered => Ended::Answered,
            Outcome::LimitReached(_) => Ended::Limit,
            Outcome::Stopped => Ended::Stopped,
        }
    }

    fn words(self) -> &'static str {
        let mut all = ENDS.iter();
        all.find(|(end, _)| *end == self).expect("all are there").1
    }
}

/// What was reached, and the answers to what was asked.
#[pyclass(frozen, module = "hyades", name = "Reached")]
pub struct Reached {
    lts: Option<Arc<Lts>>,
    ended: Ended,
    /// How many states were reached.
    #[pyo3(get)]
    states: u64,
    /// How many transitions they have.
    #[pyo3(get)]
    transitions: u64,
    /// Whether there is a deadlock; `None` if that was not asked.
    #[pyo3(get)]
    deadlock: Option<Py<PyVerdict>>,
    /// Whether there is a cycle of hidden transitions; `None` if that was not asked.
    #[pyo3(get)]
    livelock: Option<Py<PyVerdict>>,
    /// For each pattern whether a transition with such a label was reached.
    #[pyo3(get)]
    find: Vec<Py<PyVerdict>>,
}

/// What a pickle is made of.
type Pickled = (
    Option<PyLts>,
    &'static str,
    u64,
    u64,
    Option<Py<PyVerdict>>,
    Option<Py<PyVerdict>>,
    Vec<Py<PyVerdict>>,
);

#[pymethods]
impl Reached {
    /// The state space. Raises LimitError if a limit was reached.
    #[getter]
    fn lts(&self) -> PyResult<PyLts> {
        match (&self.lts, self.ended) {
            (Some(lts), _) => Ok(Arc::clone(lts).into()),
            (None, Ended::Complete | Ended::Answered) => Err(Fault::Value(
                "only answers were asked for: reach(…, space=True) makes the state space".into(),
            )
            .into()),
            (None, Ended::Limit | Ended::Stopped) => Err(LimitError::new_err(format!(
                "a limit was reached after {} states",
                self.states
            ))),
        }
    }

    /// Whether everything that can be reached was looked at.
    #[getter]
    fn complete(&self) -> bool {
        self.ended == Ended::Complete
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let (py, this) = (slf.py(), slf.get());
        let verdict = |verdict: &Py<PyVerdict>| verdict.clone_ref(py);
        let parts = (
            this.lts.as_ref().map(|lts| Arc::clone(lts).into()),
            this.ended.words(),
            this.states,
            this.transitions,
            this.deadlock.as_ref().map(verdict),
            this.livelock.as_ref().map(verdict),
            this.find.iter().map(verdict).collect(),
        );
        Ok((slf.get_type().getattr("_from_parts")?, parts))
    }

    #[staticmethod]
    fn _from_parts(
        lts: Option<Bound<'_, PyLts>>,
        ended: &str,
        states: u64,
        transitions: u64,
        deadlock: Option<Py<PyVerdict>>,
        livelock: Option<Py<PyVerdict>>,
        find: Vec<Py<PyVerdict>>,
    ) -> PyResult<Self> {
        let mut ends = ENDS.iter();
        let ended = ends.find(|(_, words)| *words == ended);
        let ended = ended.ok_or_else(|| value("not the parts of what was reached"))?;
        Ok(Self {
            lts: lts.map(|lts| Arc::clone(&lts.get().lts)),
            ended: ended.0,
            states,
            transitions,
            deadlock,
            livelock,
            find,
        })
    }

    fn __repr__(&self) -> String {
        let how = self.ended.words();
        let Self {
            states,
            transitions,
            ..
        } = self;
        format!("<Reached: {states} states, {transitions} transitions, {how}>")
    }
}

/// Explores an LTS, a network (`.exp`), a system of machines (`.toml`) or a model plugin
/// (`.so`, with its argument), and answers questions. Without `space` it ends when all are
/// answered. `find` are patterns of whole labels; the hidden action of an LTS reads as its
/// `hidden`, that of other models as `i`. A plugin is code that runs in this process: name
/// only files that you trust.
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
    let mut next = |name: Vec<u8>| -> PyResult<Option<Py<PyVerdict>>> {
        let verdict = answers.next().map(|mut answer| {
            answer.name = name;
            Py::new(py, answer)
        });
        verdict.transpose()
    };
    Ok(Reached {
        lts: lts.map(Arc::new),
        ended: Ended::of(found.outcome),
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
                Ok(next([b"find ", &**pattern].concat())?.expect("each question has an answer"))
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
