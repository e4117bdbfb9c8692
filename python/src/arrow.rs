//! LTSs as Arrow streams, without copies of labels and targets, and tables as LTSs.

use std::collections::HashMap;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{
    Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, RecordBatchIterator,
    RecordBatchReader, StringArray, UInt32Array,
};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use hyades::formats::columns::hidden_labels;
use hyades::formats::{LabelId, Lts, LtsBuilder, StateId};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{Fault, value};
use crate::lts::{has_room, not_sparse};
use crate::sources::Sources;
use crate::texts::hidden_name;
use crate::work::work;

/// The names of the columns, as in docs/tables.md.
const COLUMNS: [&str; 3] = ["src", "label", "dst"];

/// The texts of the dictionary; the hidden action is the first.
fn dictionary(lts: &Lts, hidden: &str) -> Result<ArrayRef, Fault> {
    let table = lts.table();
    let visible = table.visible().map(|(_, text)| text);
    let texts: Vec<&[u8]> = std::iter::once(hidden.as_bytes()).chain(visible).collect();
    let bytes: usize = texts.iter().map(|text| text.len()).sum();
    if i32::try_from(bytes).is_err() || i32::try_from(texts.len()).is_err() {
        return Err(Fault::Limit(
            "the labels are more than 2 GiB, which a column of Arrow cannot hold".into(),
        ));
    }
    let utf8: Result<Vec<&str>, _> = texts.iter().map(|t| std::str::from_utf8(t)).collect();
    Ok(match utf8 {
        Ok(texts) => Arc::new(StringArray::from(texts)),
        Err(_) => Arc::new(BinaryArray::from(texts)),
    })
}

fn schema(lts: &Lts, texts: &DataType, hidden: &str) -> SchemaRef {
    let label = DataType::Dictionary(Box::new(DataType::Int32), Box::new(texts.clone()));
    let fields = vec![
        Field::new(COLUMNS[0], DataType::UInt32, false),
        Field::new(COLUMNS[1], label, false),
        Field::new(COLUMNS[2], DataType::UInt32, false),
    ];
    let metadata = [
        ("lts.version", "1".to_owned()),
        ("lts.states", lts.states().to_string()),
        ("lts.transitions", lts.transitions().to_string()),
        ("lts.initial", lts.initial().to_string()),
        ("lts.hidden", format!("[\"{hidden}\"]")),
        (
            "lts.producer",
            concat!("hyades ", env!("CARGO_PKG_VERSION")).to_owned(),
        ),
    ];
    let metadata: HashMap<String, String> = metadata
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    Arc::new(Schema::new(fields).with_metadata(metadata))
}

/// A column as a buffer, which keeps what the column is of.
fn buffer<O, T>(owner: &Arc<O>, column: fn(&O) -> &[T]) -> Buffer
where
    O: RefUnwindSafe + Send + Sync + 'static,
{
    let values = column(owner);
    let start = NonNull::from(values).cast::<u8>();
    // SAFETY: the column stays where it is as long as its owner, which nothing changes and
    // which the buffer holds on to.
    unsafe {
        Buffer::from_custom_allocation(start, size_of_val(values), Arc::new(Arc::clone(owner)))
    }
}

/// The transitions as one batch.
fn batch(lts: &Arc<Lts>) -> Result<RecordBatch, Fault> {
    let hidden = hidden_name(lts.table());
    let texts = dictionary(lts, &hidden)?;
    let schema = schema(lts, texts.data_type(), &hidden);
    let len = lts.transitions();
    // Numbers of labels are below 2^31: they read the same with and without a sign.
    let keys = ScalarBuffer::<i32>::new(buffer(lts, Lts::labels), 0, len);
    let keys = Int32Array::new(keys, None);
    // SAFETY: a label of a transition has a place in the table of labels, and so among the
    // texts, which begin with that of the hidden action.
    let labels = unsafe { DictionaryArray::<Int32Type>::new_unchecked(keys, texts) };
    let targets = ScalarBuffer::<u32>::new(buffer(lts, Lts::targets), 0, len);
    let own = Arc::new(Sources::of(lts).map_err(|error| Fault::Limit(error.to_string()))?);
    let sources = ScalarBuffer::<u32>::new(buffer(&own, Sources::get), 0, len);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt32Array::new(sources, None)),
        Arc::new(labels),
        Arc::new(UInt32Array::new(targets, None)),
    ];
    RecordBatch::try_new(schema, columns).map_err(value)
}

/// The capsule of a stream of the transitions.
///
/// # Errors
/// If there are too many labels.
pub fn stream<'py>(py: Python<'py>, lts: &Arc<Lts>) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = work(py, |_| batch(lts))?;
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// The capsule of the schema.
///
/// # Errors
/// If there are too many labels.
pub fn schema_capsule<'py>(py: Python<'py>, lts: &Arc<Lts>) -> PyResult<Bound<'py, PyCapsule>> {
    let hidden = hidden_name(lts.table());
    let texts = dictionary(lts, &hidden)?;
    let schema = schema(lts, texts.data_type(), &hidden);
    let schema = FFI_ArrowSchema::try_from(&*schema).map_err(value)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// What is said of a table beside its columns.
pub struct Given {
    /// The initial state.
    pub initial: Option<u32>,
    /// The least number of states.
    pub states: Option<u64>,
    /// The labels that are hidden.
    pub hidden: Option<Vec<Vec<u8>>>,
}

/// The LTS that a stream of tables is.
///
/// # Errors
/// If `data` is no stream, or its columns are not those of an LTS.
pub fn from_stream(data: &Bound<'_, PyAny>, given: Given) -> PyResult<Lts> {
    let capsule = data.call_method0("__arrow_c_stream__").map_err(|error| {
        match error.is_instance_of::<pyo3::exceptions::PyAttributeError>(data.py()) {
            true => PyTypeError::new_err(
                "expected a table with Arrow's stream protocol, such as one of pyarrow, Polars, \
                 pandas or DuckDB",
            ),
            false => error,
        }
    })?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let place = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: the capsule has this name, so that it holds a stream; what is taken out leaves
    // an empty one behind, as the protocol has it.
    let stream = unsafe { RecordBatchStreamReader::from_raw(place.as_ptr().cast()) };
    let stream = stream.map_err(value)?;
    let schema = RecordBatchReader::schema(&stream);
    let is_null = |field: &FieldRef| *field.data_type() == DataType::Null;
    // Polars has columns of that type in an empty frame, and Arrow cannot read them from it.
    if schema.fields().iter().any(is_null) && data.len().is_ok_and(|rows| rows == 0) {
        let none = RecordBatchIterator::new([], schema);
        return work(data.py(), |_| from_batches(none, given));
    }
    work(data.py(), |_| from_batches(stream, given))
}

fn from_batches(stream: impl RecordBatchReader, given: Given) -> Result<Lts, Fault> {
    let schema = stream.schema();
    let number = |key: &str| -> Result<Option<u64>, Fault> {
        let Some(text) = schema.metadata().get(key) else {
            return Ok(None);
        };
        let number = text.parse();
        let number = number.map_err(|_| Fault::Value(format!("{key}: `{text}` is no number")))?;
        Ok(Some(number))
    };
    let places: Result<Vec<usize>, Fault> = COLUMNS
        .iter()
        .map(|name| {
            let columns = schema.fields().iter().map(|field| field.name());
            let known = || {
                let names: Vec<&str> = columns.clone().map(String::as_str).collect();
                names.join(", ")
            };
            let mut found = columns.clone().enumerate().filter(|(_, n)| n == name);
            match (found.next(), found.next()) {
                (Some((place, _)), None) => Ok(place),
                (None, _) => Err(Fault::Value(format!(
                    "no column `{name}`: expected src, label and dst, found {}",
                    known()
                ))),
                (Some(_), Some(_)) => Err(Fault::Value(format!("two columns `{name}`"))),
            }
        })
        .collect();
    let places = places?;
    let hidden = match given.hidden {
        Some(hidden) => hidden,
        None => told_hidden(schema.metadata().get("lts.hidden"))?,
    };
    let states = given.states.or(number("lts.states")?).unwrap_or(1);
    if states > StateId::MAX_COUNT {
        return Err(Fault::Limit(format!(
            "{states} states are more than fit: at most {}",
            StateId::MAX_COUNT
        )));
    }
    let mut builder = LtsBuilder::new(states);
    let mut count = states;
    let mut transitions = 0;
    for batch in stream {
        let batch = batch.map_err(value)?;
        let column = |k: usize| batch.column(places[k]);
        let src = numbers(column(0), COLUMNS[0])?;
        let dst = numbers(column(2), COLUMNS[2])?;
        let labels = labels(column(1), &hidden, &mut builder)?;
        transitions += src.len() as u64;
        for ((&src, &label), &dst) in src.iter().zip(&labels).zip(&dst) {
            builder.add(StateId::new(src), label, StateId::new(dst));
            count = count.max(u64::from(src.max(dst)) + 1);
        }
    }
    let initial = match (given.initial, number("lts.initial")?) {
        (Some(initial), _) => initial,
        (None, Some(initial)) => u32::try_from(initial)
            .map_err(|_| Fault::Value(format!("lts.initial: {initial} is no state")))?,
        (None, None) => 0,
    };
    if u64::from(initial) >= StateId::MAX_COUNT {
        return Err(Fault::Value(format!(
            "the initial state {initial} does not fit"
        )));
    }
    let count = count.max(u64::from(initial) + 1);
    if count > states {
        not_sparse(count, transitions)?;
    }
    has_room(count)?;
    Ok(builder.build(StateId::new(initial))?)
}

/// The labels that a table says are hidden.
fn told_hidden(told: Option<&String>) -> Result<Vec<Vec<u8>>, Fault> {
    let Some(told) = told else {
        return Ok(vec![b"i".to_vec()]);
    };
    hidden_labels(told).ok_or_else(|| {
        Fault::Value(format!(
            "lts.hidden: expected a JSON array of labels, found {told}"
        ))
    })
}

/// A column of states.
fn numbers(array: &ArrayRef, name: &str) -> Result<Vec<u32>, Fault> {
    if array.null_count() > 0 {
        return Err(Fault::Value(format!("column {name}: a row has no value")));
    }
    macro_rules! of {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>().values().iter();
            let one = |&number| match u32::try_from(number) {
                Ok(number) if u64::from(number) < StateId::MAX_COUNT => Ok(number),
                _ => Err(Fault::Value(format!("column {name}: {number} is no state"))),
            };
            values.map(one).collect()
        }};
    }
    match array.data_type() {
        DataType::UInt32 => of!(UInt32Type),
        DataType::Int64 => of!(Int64Type),
        DataType::UInt64 => of!(UInt64Type),
        DataType::Int32 => of!(Int32Type),
        DataType::Int16 => of!(Int16Type),
        DataType::UInt16 => of!(UInt16Type),
        DataType::Int8 => of!(Int8Type),
        DataType::UInt8 => of!(UInt8Type),
        other => Err(Fault::Value(format!(
            "column {name}: expected integers, found {other}"
        ))),
    }
}

/// A column of labels.
fn labels(
    array: &ArrayRef,
    hidden: &[Vec<u8>],
    builder: &mut LtsBuilder,
) -> Result<Vec<LabelId>, Fault> {
    // Rows may lack a value in the dictionary, too.
    if array.logical_null_count() > 0 {
        return Err(Fault::Value("column label: a row has no value".into()));
    }
    let mut number = |text: &[u8]| -> Result<LabelId, Fault> {
        match hidden.iter().any(|name| name == text) {
            true => Ok(LabelId::HIDDEN),
            false => Ok(builder.table_mut().intern(text)?),
        }
    };
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        let mut all = Vec::with_capacity(array.len());
        each_text(array, &mut |_, text| {
            all.push(number(text)?);
            Ok(())
        })?;
        return Ok(all);
    };
    let keys = match array.is_empty() {
        true => Vec::new(),
        false => dictionary.normalized_keys(),
    };
    // Texts that no row has are no labels.
    let mut used = vec![false; dictionary.values().len()];
    keys.iter().for_each(|&key| used[key] = true);
    let mut known = vec![LabelId::HIDDEN; used.len()];
    each_text(dictionary.values(), &mut |k, text| {
        if used[k] {
            known[k] = number(text)?;
        }
        Ok(())
    })?;
    Ok(keys.into_iter().map(|key| known[key]).collect())
}

/// Is told the place of a text, and the text.
type TellText<'a> = dyn FnMut(usize, &[u8]) -> Result<(), Fault> + 'a;

/// Tells each text of an array, with its place.
fn each_text(array: &ArrayRef, tell: &mut TellText<'_>) -> Result<(), Fault> {
    macro_rules! of {
        ($array:expr) => {{
            let array = $array;
            for k in 0..array.len() {
                tell(k, array.value(k).as_ref())?;
            }
        }};
    }
    match array.data_type() {
        DataType::Utf8 => of!(array.as_string::<i32>()),
        DataType::LargeUtf8 => of!(array.as_string::<i64>()),
        DataType::Utf8View => of!(array.as_string_view()),
        DataType::Binary => of!(array.as_binary::<i32>()),
        DataType::LargeBinary => of!(array.as_binary::<i64>()),
        DataType::BinaryView => of!(array.as_binary_view()),
        other => {
            return Err(Fault::Value(format!(
                "column label: expected texts, found {other}"
            )));
        }
    }
    Ok(())
}
