//! What questions are answered with.

use std::sync::Arc;

use hyades::formats::Lts;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::lts::PyLts;
use crate::texts;

/// An answer: whether something holds, and why. True and false as its `holds`; what is not
/// known is false.
#[pyclass(frozen, module = "hyades", name = "Verdict")]
#[derive(Default)]
pub struct PyVerdict {
    pub holds: Option<bool>,
    pub name: String,
    pub reason: Option<String>,
    pub formula: Option<String>,
    pub trace: Option<Vec<Vec<u8>>>,
    pub cycle: Option<usize>,
    pub evidence: Option<Arc<Lts>>,
    pub states: u64,
}

#[pymethods]
impl PyVerdict {
    /// Whether it holds; `None` if that is not known.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.holds
    }

    /// What was asked: the name of a relation, a semantics, a property or a question.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// Why, in words.
    #[getter]
    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// A formula that holds in the first system and not in the second, or the other way
    /// round, as `reason` says.
    #[getter]
    fn formula(&self) -> Option<&str> {
        self.formula.as_deref()
    }

    /// The labels of a trace that shows it.
    #[getter]
    fn trace<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyString>>>> {
        let trace = self.trace.as_ref();
        trace.map(|trace| texts::texts(py, trace)).transpose()
    }

    /// After how many steps the rest of the trace is a cycle.
    #[getter]
    fn cycle(&self) -> Option<usize> {
        self.cycle
    }

    /// An LTS that shows it.
    #[getter]
    fn evidence(&self) -> Option<PyLts> {
        self.evidence.as_ref().map(|lts| Arc::clone(lts).into())
    }

    /// How many states, or pairs of them, were looked at; 0 where they are not counted.
    #[getter]
    fn states(&self) -> u64 {
        self.states
    }

    fn __bool__(&self) -> bool {
        self.holds == Some(true)
    }

    fn __repr__(&self) -> String {
        let word = match self.holds {
            Some(true) => "TRUE",
            Some(false) => "FALSE",
            None => "UNKNOWN",
        };
        let Self { name, reason, .. } = self;
        match reason {
            Some(reason) => format!("<{name}: {word}, {reason}>"),
            None => format!("<{name}: {word}>"),
        }
    }
}
