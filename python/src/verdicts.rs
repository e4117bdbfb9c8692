//! What questions are answered with.

use std::sync::Arc;

use hyades::formats::Lts;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::lts::PyLts;
use crate::texts;

/// An answer; true and false as `holds`. What is not known is false.
#[pyclass(frozen, module = "hyades", name = "Verdict")]
#[derive(Default)]
pub struct PyVerdict {
    pub holds: Option<bool>,
    pub name: Vec<u8>,
    pub reason: Option<Vec<u8>>,
    pub formula: Option<Vec<u8>>,
    pub trace: Option<Vec<Vec<u8>>>,
    pub cycle: Option<usize>,
    pub evidence: Option<Arc<Lts>>,
    pub states: u64,
}

/// What a pickle is made of.
type Pickled<'py> = (
    Option<bool>,
    Bound<'py, PyBytes>,
    Option<Bound<'py, PyBytes>>,
    Option<Bound<'py, PyBytes>>,
    Option<Vec<Bound<'py, PyBytes>>>,
    Option<usize>,
    Option<PyLts>,
    u64,
);

#[pymethods]
impl PyVerdict {
    /// Whether it holds; `None` if that is not known.
    #[getter]
    fn holds(&self) -> Option<bool> {
        self.holds
    }

    /// What was asked: the name of a relation, a semantics, a property or a question.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        texts::text(py, &self.name)
    }

    /// Why, in words.
    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let reason = self.reason.as_ref();
        reason.map(|reason| texts::text(py, reason)).transpose()
    }

    /// A formula that tells two systems apart: that holds in the system that `reason`
    /// names first, or of a trace in the first of the two. `evaluate` decides it, and
    /// `check` where it is MCL: without hidden steps, `!`, `&&` and names.
    #[getter]
    fn formula<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let formula = self.formula.as_ref();
        formula.map(|formula| texts::text(py, formula)).transpose()
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

    /// How many states, or pairs of them, were looked at; 0 if they are not counted.
    #[getter]
    fn states(&self) -> u64 {
        self.states
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (py, this) = (slf.py(), slf.get());
        let bytes = |text: &Vec<u8>| PyBytes::new(py, text);
        let parts = (
            this.holds,
            bytes(&this.name),
            this.reason.as_ref().map(bytes),
            this.formula.as_ref().map(bytes),
            this.trace
                .as_ref()
                .map(|trace| trace.iter().map(bytes).collect()),
            this.cycle,
            this.evidence(),
            this.states,
        );
        Ok((slf.get_type().getattr("_from_parts")?, parts))
    }

    #[staticmethod]
    #[allow(clippy::too_many_arguments, reason = "as many as there are attributes")]
    fn _from_parts(
        holds: Option<bool>,
        name: Vec<u8>,
        reason: Option<Vec<u8>>,
        formula: Option<Vec<u8>>,
        trace: Option<Vec<Vec<u8>>>,
        cycle: Option<usize>,
        evidence: Option<Bound<'_, PyLts>>,
        states: u64,
    ) -> Self {
        Self {
            holds,
            name,
            reason,
            formula,
            trace,
            cycle,
            evidence: evidence.map(|lts| Arc::clone(&lts.get().lts)),
            states,
        }
    }

    fn __bool__(&self) -> bool {
        self.holds == Some(true)
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let word = match self.holds {
            Some(true) => "TRUE",
            Some(false) => "FALSE",
            None => "UNKNOWN",
        };
        let mut text = [b"<", &*self.name, b": ", word.as_bytes()].concat();
        if let Some(reason) = &self.reason {
            text.extend([b", ", &**reason].concat());
        }
        text.push(b'>');
        texts::text(py, &text)
    }
}
