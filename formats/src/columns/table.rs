//! The table of an LTS, for writing.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BinaryArray, DictionaryArray, Int32Array, RecordBatch, StringArray, UInt32Array,
};
use arrow_schema::{ArrowError, DataType, Field, Metadata, Schema, SchemaRef};

use super::names::COLUMNS;
use crate::lts::Lts;

/// A table of the transitions of an LTS.
pub(super) struct Table<'a> {
    lts: &'a Lts,
    /// The place of each label that occurs among the texts.
    keys: Vec<i32>,
    texts: ArrayRef,
    pub schema: SchemaRef,
    /// The metadata, in a fixed order.
    pub metadata: Vec<(String, String)>,
}

impl<'a> Table<'a> {
    pub fn new(lts: &'a Lts, texts: &[&[u8]], sorted: bool) -> Self {
        let hidden = format!("[\"{}\"]", texts[0].escape_ascii());
        let used = lts.used_labels();
        let mut order: Vec<usize> = (0..texts.len()).filter(|&k| used[k]).collect();
        if sorted {
            // so that equal systems give equal files
            order.sort_by_key(|&k| texts[k]);
        }
        let mut keys = vec![0; texts.len()];
        for (place, &label) in order.iter().enumerate() {
            keys[label] = place as i32;
        }
        let values: Vec<&[u8]> = order.iter().map(|&k| texts[k]).collect();
        let all: Result<Vec<&str>, _> = values.iter().map(|t| std::str::from_utf8(t)).collect();
        let texts: ArrayRef = match all {
            Ok(texts) => Arc::new(StringArray::from(texts)),
            Err(_) => Arc::new(BinaryArray::from(values)),
        };
        let mut metadata = vec![
            ("lts.version", "1".to_owned()),
            ("lts.states", lts.states().to_string()),
            ("lts.transitions", lts.transitions().to_string()),
            ("lts.initial", lts.initial().to_string()),
            ("lts.hidden", hidden),
        ];
        if sorted {
            metadata.push(("lts.sorted", COLUMNS.join(",")));
        }
        let producer = concat!("hyades ", env!("CARGO_PKG_VERSION"));
        metadata.push(("lts.producer", producer.to_owned()));
        let metadata: Vec<(String, String)> = metadata
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect();
        // signed keys: pandas takes no others
        let label = DataType::Dictionary(
            Box::new(DataType::Int32),
            Box::new(texts.data_type().clone()),
        );
        let fields = vec![
            Field::new(COLUMNS[0], DataType::UInt32, false),
            Field::new(COLUMNS[1], label, false),
            Field::new(COLUMNS[2], DataType::UInt32, false),
        ];
        let schema = Schema::new(fields).with_metadata(Metadata::from_iter(metadata.clone()));
        Self {
            lts,
            keys,
            texts,
            schema: Arc::new(schema),
            metadata,
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.lts.transitions()
    }

    /// The rows cut into ranges of `size`, the last of them shorter.
    pub fn ranges(&self, size: usize) -> impl Iterator<Item = Range<usize>> {
        let rows = self.rows();
        (0..rows)
            .step_by(size)
            .map(move |start| start..rows.min(start + size))
    }

    /// The columns of a range of the rows.
    pub fn columns(&self, range: &Range<usize>) -> Result<Vec<ArrayRef>, ArrowError> {
        let labels = &self.lts.labels()[range.clone()];
        let keys: Int32Array = labels.iter().map(|l| self.keys[l.index()]).collect();
        let targets = &self.lts.targets()[range.clone()];
        let targets: Vec<u32> = targets.iter().map(|t| t.get()).collect();
        let labels = DictionaryArray::<Int32Type>::try_new(keys, Arc::clone(&self.texts))?;
        Ok(vec![
            Arc::new(UInt32Array::from(self.sources(range))),
            Arc::new(labels),
            Arc::new(UInt32Array::from(targets)),
        ])
    }

    /// A range of the rows.
    pub fn batch(&self, range: &Range<usize>) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(Arc::clone(&self.schema), self.columns(range)?)
    }

    /// The sources of a range of the transitions, which is not empty.
    fn sources(&self, range: &Range<usize>) -> Vec<u32> {
        let offsets = self.lts.offsets();
        let mut sources = Vec::with_capacity(range.len());
        let mut state = offsets.partition_point(|o| o <= range.start) - 1;
        let mut at = range.start;
        while at < range.end {
            let end = offsets.get(state + 1).min(range.end);
            sources.extend(std::iter::repeat_n(state as u32, end - at));
            at = end;
            state += 1;
        }
        sources
    }
}
