//! Columns of numbers that NumPy looks at in place.

use std::sync::Arc;

use hyades::formats::Lts;

use crate::sources::Sources;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// Where the numbers are.
#[derive(Clone)]
pub enum Data {
    /// In an LTS: where the row of each state starts, if that is a slice.
    Offsets(Arc<Lts>),
    /// In an LTS: the labels.
    Labels(Arc<Lts>),
    /// In an LTS: the targets.
    Targets(Arc<Lts>),
    /// The sources of the transitions.
    Sources(Arc<Sources>),
    /// Their own.
    Own(Arc<Vec<u32>>),
}

impl Data {
    /// Where they begin, and how many there are.
    fn place(&self) -> (*const u32, usize) {
        match self {
            Data::Offsets(lts) => {
                let offsets = lts.offsets().as_narrow().unwrap_or(&[]);
                (offsets.as_ptr(), offsets.len())
            }
            // One number each, in the representation of `u32`.
            Data::Labels(lts) => (lts.labels().as_ptr().cast(), lts.labels().len()),
            Data::Targets(lts) => (lts.targets().as_ptr().cast(), lts.targets().len()),
            Data::Sources(sources) => (sources.get().as_ptr(), sources.get().len()),
            Data::Own(numbers) => (numbers.as_ptr(), numbers.len()),
        }
    }

    fn get(&self, index: usize) -> u32 {
        match self {
            Data::Offsets(lts) => lts.offsets().get(index) as u32,
            Data::Labels(lts) => lts.labels()[index].get(),
            Data::Targets(lts) => lts.targets()[index].get(),
            Data::Sources(sources) => sources.get()[index],
            Data::Own(numbers) => numbers[index],
        }
    }
}

/// A column of 32-bit numbers without signs. `numpy.asarray` makes an array of it without
/// a copy, which cannot be written to.
#[pyclass(frozen, module = "hyades", name = "Column")]
pub struct Column(pub Data);

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.place().1
    }

    fn __getitem__(&self, index: isize) -> PyResult<u32> {
        let len = self.__len__();
        let from_start = match index < 0 {
            true => index + len as isize,
            false => index,
        };
        match usize::try_from(from_start) {
            Ok(at) if at < len => Ok(self.0.get(at)),
            _ => Err(PyIndexError::new_err(format!(
                "index {index} of a column of {len}"
            ))),
        }
    }

    /// The numbers as a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, (0..self.__len__()).map(|k| self.0.get(k)))
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} numbers>", self.__len__())
    }

    /// NumPy's protocol for arrays, version 3.
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (place, len) = self.0.place();
        let order = if cfg!(target_endian = "little") {
            "<u4"
        } else {
            ">u4"
        };
        let dict = PyDict::new(py);
        dict.set_item("version", 3)?;
        dict.set_item("shape", (len,))?;
        dict.set_item("typestr", order)?;
        // NumPy takes no null or dangling place of an empty array amiss, and reads nothing.
        dict.set_item("data", (place as usize, true))?;
        dict.set_item("strides", py.None())?;
        Ok(dict)
    }
}
