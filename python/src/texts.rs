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

/// A formula that a comparison shows, with the bytes of labels that `\xHH` and `\t` stand for:
/// so `check` reads them too.
pub fn formula(shown: &str) -> Vec<u8> {
    let mut text = Vec::with_capacity(shown.len());
    let mut rest = shown.as_bytes();
    while let [byte, behind @ ..] = rest {
        // There are backslashes in labels only, each with what it is for.
        rest = match (byte, behind) {
            (b'\\', [b'x', high, low, behind @ ..]) => {
                let digit = |c: &u8| char::from(*c).to_digit(16).unwrap_or_default() as u8;
                text.push(16 * digit(high) + digit(low));
                behind
            }
            (b'\\', [b't', behind @ ..]) => {
                text.push(b'\t');
                behind
            }
            (b'\\', [other, behind @ ..]) => {
                text.extend([b'\\', *other]);
                behind
            }
            _ => {
                text.push(*byte);
                behind
            }
        };
    }
    text
}

/// The same the other way round: a formula for who takes text only, of text with bytes that
/// are none.
pub fn formula_of(text: &[u8]) -> String {
    let mut shown = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        shown.push_str(chunk.valid());
        let bytes = chunk.invalid().iter();
        shown.extend(bytes.map(|byte| format!("\\x{byte:02X}")));
    }
    shown
}
