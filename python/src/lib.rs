//! Hyades for Python: the compiled part of the package `hyades`. It takes arguments, gives
//! Python's lock back while the library works, and makes exceptions of errors; all else is
//! the library's. What users see is described in `lib/hyades/_native.pyi` and
//! docs/python.md.

mod advice;
mod arrow;
mod check;
mod columns;
mod conformance;
mod equivalence;
mod errors;
mod lts;
mod numbers;
mod reachability;
mod refinement;
mod source;
mod sources;
mod texts;
mod verdicts;
mod work;

use pyo3::prelude::*;

/// An LTS from a file, bytes or an open file; of a network (`.exp`) its state space.
///
/// The format is told by the content, then by the ending of the name; the compression by
/// the content. `hidden` are the labels that count as hidden, at least one, in place of
/// those of the format; `dialect` is `cadp` or `mcrl2`; `mode` is `strict` or `lenient`.
/// With `mealy` it is a Mealy machine: labels are `input/output`, without blanks around `/`;
/// with `moore` a Moore machine, which in DOT has its outputs in the labels of nodes, and whose
/// initial output is the label `/output` of the only transition of its initial state.
#[pyfunction]
#[pyo3(signature = (source, format = None, hidden = None, *, dialect = None, mode = None, mealy = false, moore = false))]
#[allow(clippy::too_many_arguments, reason = "they have names in Python")]
fn read(
    source: &Bound<'_, PyAny>,
    format: Option<&str>,
    hidden: Option<&Bound<'_, PyAny>>,
    dialect: Option<&str>,
    mode: Option<&str>,
    mealy: bool,
    moore: bool,
) -> PyResult<lts::PyLts> {
    let reading = source::Reading::of(format, hidden, dialect, mode, mealy, moore)?;
    Ok(source::lts_of(source, &reading)?.into())
}

#[pymodule]
mod _native {
    #[pymodule_export]
    use super::check::check_all;
    #[pymodule_export]
    use super::columns::{Column, Numbers};
    #[pymodule_export]
    use super::conformance::_suite;
    #[pymodule_export]
    use super::equivalence::{_minimize, _spectrum, equiv, evaluate, relations};
    #[pymodule_export]
    use super::errors::{FormatWarning, LimitError, ModelError, ParseError, WriteError};
    #[pymodule_export]
    use super::lts::{PyLts, Transitions};
    #[pymodule_export]
    use super::reachability::{Reached, reach};
    #[pymodule_export]
    use super::read;
    #[pymodule_export]
    use super::refinement::refine;
    #[pymodule_export]
    use super::verdicts::PyVerdict;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::work::loaded();
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        let features: &[&str] = match cfg!(feature = "columns") {
            true => &["columns"],
            false => &[],
        };
        module.add("features", features)
    }
}
