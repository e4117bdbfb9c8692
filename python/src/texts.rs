//! Labels as Python texts.

use hyades::formats::{LabelId, LabelTable};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// How the hidden action is shown beside these labels: as `i`, unless a visible label reads
/// so; then as `tau`, or as another text that no label has.
pub fn hidden_name(table: &LabelTable) -> String {
    let is_free = |name: &&str| table.find(name.as_bytes()).is_none();
    if let Some(name) = ["i", "tau", "\u{3c4}"].iter().copied().find(|n| is_free(n)) {
        return name.to_owned();
    }
    let numbered = (1..).map(|number: u64| format!("tau_{number}"));
    let mut free = numbered.filter(|name| is_free(&&**name));
    free.next().expect("there are more numbers than labels")
}

/// The text of a label; bytes that are no UTF-8 become what `os.fsdecode` makes of them.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => {
            let bytes = PyBytes::new(py, bytes);
            let decoded = bytes.call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(decoded.cast_into()?)
        }
    }
}

/// The bytes of a text, or bytes as they are.
///
/// # Errors
/// If it is neither.
pub fn bytes(text: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(text) = text.cast::<PyString>() {
        if let Ok(text) = text.to_cow() {
            return Ok(text.as_bytes().to_vec());
        }
        let encoded = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
        return encoded.extract();
    }
    if let Ok(bytes) = text.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().to_vec());
    }
    let kind = text.get_type().name()?;
    Err(pyo3::exceptions::PyTypeError::new_err(format!(
        "expected str or bytes, found {kind}"
    )))
}

/// Labels of a trace, as they are shown to a user.
pub fn shown(labels: &[LabelId], table: &LabelTable) -> Vec<Vec<u8>> {
    let hidden = hidden_name(table);
    let one = |&label: &LabelId| match label.is_hidden() {
        true => hidden.clone().into_bytes(),
        false => table.text(label).to_vec(),
    };
    labels.iter().map(one).collect()
}

/// Texts as a list of Python.
pub fn texts<'py>(py: Python<'py>, all: &[Vec<u8>]) -> PyResult<Vec<Bound<'py, PyString>>> {
    all.iter().map(|bytes| text(py, bytes)).collect()
}
