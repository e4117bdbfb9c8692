//! Columns of numbers that NumPy looks at in place.

use std::ops::Range;
use std::sync::Arc;

use hyades::formats::Lts;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PySlice};

use crate::sources::Sources;

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

/// Numbers of 32 bits without signs, which NumPy looks at in place: `numpy.asarray` makes
/// an array of them that cannot be written to.
#[pyclass(frozen, sequence, module = "hyades", name = "Column")]
pub struct Column(pub Data);

impl Column {
    fn own(numbers: Vec<u32>) -> Self {
        Column(Data::Own(Arc::new(numbers)))
    }

    fn numbers(&self) -> impl DoubleEndedIterator<Item = u32> + ExactSizeIterator {
        (0..self.__len__()).map(|k| self.0.get(k))
    }

    /// A number that columns can have.
    fn number(value: &Bound<'_, PyAny>) -> Option<u32> {
        value.extract().ok()
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.0.place().1
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, len) = (index.py(), self.__len__());
        if let Ok(slice) = index.cast::<PySlice>() {
            let found = slice.indices(len as isize)?;
            let places = (0..found.slicelength as isize).map(|k| found.start + k * found.step);
            // They are within the column.
            let numbers = places.map(|at| self.0.get(at as usize)).collect();
            return Column::own(numbers).into_bound_py_any(py);
        }
        let index: isize = index.extract()?;
        let from_start = match index < 0 {
            true => index + len as isize,
            false => index,
        };
        match usize::try_from(from_start) {
            Ok(at) if at < len => self.0.get(at).into_bound_py_any(py),
            _ => Err(PyIndexError::new_err(format!(
                "index {index} of a column of {len}"
            ))),
        }
    }

    fn __iter__(&self) -> Numbers {
        Numbers {
            column: self.0.clone(),
            places: 0..self.__len__(),
            backwards: false,
        }
    }

    fn __reversed__(&self) -> Numbers {
        Numbers {
            backwards: true,
            ..self.__iter__()
        }
    }

    fn __contains__(&self, value: &Bound<'_, PyAny>) -> bool {
        Self::number(value).is_some_and(|number| self.numbers().any(|other| other == number))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = other.py();
        match other.cast::<Column>() {
            Ok(other) => self.numbers().eq(other.get().numbers()).into_py_any(py),
            Err(_) => Ok(py.NotImplemented()),
        }
    }

    /// The first place of a number, from `start` on and before `stop`.
    #[pyo3(
        signature = (value, start = 0, stop = isize::MAX),
        text_signature = "($self, value, start=0, stop=sys.maxsize)"
    )]
    fn index(&self, value: &Bound<'_, PyAny>, start: isize, stop: isize) -> PyResult<usize> {
        let number = Self::number(value);
        let found = PySlice::new(value.py(), start, stop, 1).indices(self.__len__() as isize)?;
        // They are within the column.
        let mut places = found.start as usize..found.stop as usize;
        let place = places.find(|&at| Some(self.0.get(at)) == number);
        place.ok_or_else(|| PyValueError::new_err(format!("{value} is not in the column")))
    }

    /// How often a number occurs.
    fn count(&self, value: &Bound<'_, PyAny>) -> usize {
        let number = Self::number(value);
        self.numbers()
            .filter(|&other| Some(other) == number)
            .count()
    }

    /// The numbers as a list.
    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.numbers())
    }

    fn __repr__(&self) -> String {
        format!("<Column of {} numbers>", self.__len__())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes: Vec<u8> = slf.get().numbers().flat_map(u32::to_le_bytes).collect();
        let make = slf.get_type().getattr("_from_bytes")?;
        Ok((make, (PyBytes::new(slf.py(), &bytes),)))
    }

    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        numbers_of(bytes)
            .map(Column::own)
            .ok_or_else(|| PyValueError::new_err("not the bytes of a column"))
    }

    /// An array of NumPy: the numbers in place, unless another type or a copy is asked
    /// for.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("hyades._desk")?
            .call_method1("to_array", (slf, dtype, copy))
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

/// The numbers of a column, one after the other.
#[pyclass(module = "hyades")]
pub struct Numbers {
    column: Data,
    places: Range<usize>,
    backwards: bool,
}

#[pymethods]
impl Numbers {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&mut self) -> Option<u32> {
        let place = match self.backwards {
            true => self.places.next_back(),
            false => self.places.next(),
        };
        place.map(|at| self.column.get(at))
    }
}

/// The numbers of a pickle, of 4 bytes each; `None` if some are left over.
pub fn numbers_of(bytes: &[u8]) -> Option<Vec<u32>> {
    let (numbers, rest) = bytes.as_chunks::<4>();
    let numbers = numbers.iter().map(|number| u32::from_le_bytes(*number));
    rest.is_empty().then(|| numbers.collect())
}
