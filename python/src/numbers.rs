//! Numbers that users give.

use std::fmt::Display;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;

/// A whole number, which need not be one that there is room for.
pub struct Number(Result<u64, String>);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<u64>() {
            Ok(number) => Ok(Self(Ok(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                // Python writes no numbers of thousands of digits.
                let text = given.str().map(|text| text.to_string());
                Ok(Self(Err(text.unwrap_or_else(|_| "a longer number".into()))))
            }
            Err(error) => Err(error),
        }
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        Self(Ok(number))
    }
}

impl Number {
    /// The number, which an argument of this name has to be, from 0 to `most`.
    ///
    /// # Errors
    /// If it is not.
    pub fn get(self, name: impl Display, most: u64) -> PyResult<u64> {
        let found = match self.0 {
            Ok(number) if number <= most => return Ok(number),
            Ok(number) => number.to_string(),
            Err(text) => text,
        };
        Err(PyValueError::new_err(format!(
            "{name}: expected a number from 0 to {most}, found {found}"
        )))
    }

    /// The number, or how it reads if it is none of 64 bits.
    pub fn or_text(self) -> Result<u64, String> {
        self.0
    }
}

/// The number that is given, if one is.
///
/// # Errors
/// As [`Number::get`].
pub fn given(number: Option<Number>, name: &str) -> PyResult<Option<u64>> {
    number.map(|number| number.get(name, u64::MAX)).transpose()
}
