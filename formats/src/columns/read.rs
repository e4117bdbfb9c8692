//! From tables to an LTS.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int32Type, Int64Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, RecordBatch,
    StringArray, StringViewArray,
};
use arrow_data::ArrayData;
use arrow_schema::{DataType, Schema};

use super::table::COLUMNS;
use super::{arrow, parquet};
use crate::diagnostic::{Log, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError};
use crate::format::Format;
use crate::lts::{LabelId, LabelTable, Lts, StateId, TooLarge};
use crate::options::{Mode, ReadOptions};
use crate::rows::{Batch, Columns};
use crate::source::{Content, Source};

pub(super) fn read(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let progress = source.progress();
    let format = source.format();
    let mut log = Log::new();
    let mut collector = Collector::new(options, format, &mut log);
    // streams count by themselves
    let counted = !matches!(source.content, Content::Stream(_));
    let progress = counted.then_some(&*progress);
    let outcome = match format {
        Format::Parquet => parquet::read(source.into_whole()?, progress, &mut collector),
        _ => arrow::read(source, progress, &mut collector)?,
    };
    let outcome = outcome.and_then(|()| collector.finish());
    let errors = log.errors();
    log.drain_into(Some(&name), sink);
    outcome.map_err(|failure| failure.about(name, errors))
}

/// What all parts of a table are read by.
pub(super) struct Rules {
    hidden: Vec<Vec<u8>>,
    /// The announced number of states, if known.
    states: Option<u64>,
    /// Whether further states are tolerated.
    grow: bool,
}

/// Makes an LTS of the parts of a table.
pub(super) struct Collector<'a> {
    options: &'a ReadOptions,
    format: Format,
    log: &'a mut Log,
    rules: Rules,
    initial: u64,
    transitions: Option<u64>,
    want_hint: bool,
    /// With the final numbers of all labels seen.
    names: Names,
    columns: Columns,
    /// Rows seen.
    rows: u64,
    /// One more than the largest state seen.
    states: u64,
}

impl<'a> Collector<'a> {
    fn new(options: &'a ReadOptions, format: Format, log: &'a mut Log) -> Self {
        Self {
            options,
            format,
            log,
            rules: Rules {
                hidden: options.hidden_unless(None),
                states: None,
                grow: options.grow && options.mode != Mode::Strict,
            },
            initial: 0,
            transitions: None,
            want_hint: options.tau.is_empty()
                && options.dialect.is_none()
                && options.mode != Mode::Strict,
            names: Names::default(),
            columns: Columns::default(),
            rows: 0,
            states: 0,
        }
    }

    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    fn refuse(&mut self, code: &'static str, text: impl FnOnce() -> String) -> Failure {
        self.log.add(Severity::Error, code, None, text);
        Failure::Refused
    }

    /// The file is not what its format says; complains.
    pub fn damaged(&mut self, text: &str) -> Failure {
        let format = self.format;
        self.refuse("columns-damaged", || {
            format!("not readable as {format} (is the file truncated or damaged?): {text}")
        })
    }

    /// Takes in the metadata of the table.
    pub fn announce<'b>(
        &mut self,
        pairs: impl Iterator<Item = (&'b str, &'b str)>,
    ) -> Result<(), Failure> {
        for (key, value) in pairs {
            let malformed = |this: &mut Self, expected: &str| {
                this.refuse("columns-metadata", || {
                    let found = excerpt(value.as_bytes());
                    format!("metadata {key}: expected {expected}, found {found}")
                })
            };
            let number = |this: &mut Self, least: u64, most: u64| match value.parse::<u64>() {
                Ok(n) if (least..=most).contains(&n) => Ok(n),
                _ => Err(malformed(this, &format!("a number from {least} to {most}"))),
            };
            match key {
                "lts.version" if value != "1" => return Err(malformed(self, "version 1")),
                "lts.states" => self.rules.states = Some(number(self, 1, StateId::MAX_COUNT)?),
                "lts.transitions" => self.transitions = Some(number(self, 0, u64::MAX)?),
                "lts.initial" => self.initial = number(self, 0, StateId::MAX_COUNT - 1)?,
                "lts.hidden" => {
                    let Ok(names) = serde_json::from_str::<Vec<String>>(value) else {
                        return Err(malformed(self, "a JSON array of labels"));
                    };
                    let names: Vec<_> = names.into_iter().map(String::into_bytes).collect();
                    self.rules.hidden = self.options.hidden_unless(Some(&names));
                    self.want_hint = false;
                }
                _ => {}
            }
        }
        if let Some(states) = self.rules.states.filter(|&n| self.initial >= n) {
            let initial = self.initial;
            return Err(self.refuse("columns-state-range", || {
                format!("initial state {initial} of a table of {states} states (0 is the first)")
            }));
        }
        Ok(())
    }

    /// Where the three columns are, which must have fitting types.
    pub fn layout(&mut self, schema: &Schema) -> Result<[usize; 3], Failure> {
        let fields = schema.fields();
        let mut layout = [0; 3];
        for (place, name) in layout.iter_mut().zip(COLUMNS) {
            let found: Vec<usize> = (0..fields.len())
                .filter(|&k| fields[k].name() == name)
                .collect();
            let [index] = found[..] else {
                return Err(self.refuse("columns-schema", || {
                    let names: Vec<&str> = fields.iter().map(|f| f.name().as_str()).collect();
                    format!(
                        "expected one column `{name}`, found {}: the columns are {}",
                        found.len(),
                        excerpt(names.join(", ").as_bytes())
                    )
                }));
            };
            let kind = fields[index].data_type();
            let (fits, expected) = match name {
                "label" => (is_text(kind), "texts or bytes, plain or by dictionary"),
                _ => (is_state(kind), "int32, int64, uint32 or uint64"),
            };
            if !fits {
                return Err(self.refuse("columns-schema", || {
                    format!("column `{name}` is of type {kind}, expected {expected}")
                }));
            }
            *place = index;
        }
        Ok(layout)
    }

    /// Makes room for so many rows as a file of so many bytes claims to have.
    pub fn reserve(&mut self, rows: u64, bytes: u64) {
        // compression knows no limit, but what is claimed may be a lie
        let likely = rows.min(bytes.saturating_mul(16)).min(Lts::MAX_TRANSITIONS);
        let states = self.rules.states.unwrap_or(0);
        self.columns.reserve(likely as usize, states);
    }

    /// Appends some rows.
    pub fn append_batch(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let mut from = 0;
        while from < batch.num_rows() {
            let len = (batch.num_rows() - from).min(PIECE);
            let mut piece = Piece::starting(self.rows);
            piece.append(&batch.slice(from, len), &mut self.names, &self.rules);
            self.take(&mut piece);
            if self.log.errors() == 0 {
                // the numbers of labels are final
                let none = [Vec::new()];
                self.columns.append(&[piece.rows], &none, u32::MAX)?;
            }
            from += len;
        }
        self.check_labels()
    }

    /// Appends parts with label numbers of their own.
    pub fn append_parts(&mut self, parts: Vec<(Piece, Names)>) -> Result<(), Failure> {
        let mut rows = Vec::with_capacity(parts.len());
        let mut maps = Vec::with_capacity(parts.len());
        for (mut piece, names) in parts {
            self.take(&mut piece);
            self.names.hidden |= names.hidden;
            self.names.too_many |= names.too_many;
            maps.push(self.names.table.intern_all(&names.table)?);
            rows.push(piece.rows);
        }
        if self.log.errors() == 0 {
            self.columns.append(&rows, &maps, 1)?;
        }
        self.check_labels()
    }

    /// Takes over all but the rows of a piece.
    fn take(&mut self, piece: &mut Piece) {
        self.log.append(std::mem::take(&mut piece.log), 0);
        self.rows += piece.seen;
        self.states = self.states.max(piece.states);
    }

    fn check_labels(&self) -> Result<(), Failure> {
        match self.names.too_many {
            false => Ok(()),
            true => Err(Failure::TooLarge(TooLarge {
                what: "labels",
                limit: LabelId::MAX_COUNT,
            })),
        }
    }

    fn finish(self) -> Result<Lts, Failure> {
        let rows = self.rows;
        if let Some(expected) = self.transitions.filter(|&n| n != rows) {
            let (severity, advice) = match self.options.mode {
                Mode::Lenient => (Severity::Warning, ""),
                _ => (Severity::Error, "; use --lenient to read it all the same"),
            };
            self.log.add(severity, "columns-count", None, || {
                format!("metadata announces {expected} transitions, but there are {rows}{advice}")
            });
        }
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let table = self.names.table;
        if self.want_hint && !self.names.hidden {
            let names = ["tau", "τ"].into_iter();
            for name in names.filter(|n| table.find(n.as_bytes()).is_some()) {
                self.log
                    .add(Severity::Warning, "columns-tau-hint", None, || {
                        format!("label `{name}` counts as visible; to hide it, use --tau {name}")
                    });
            }
        }
        let states = self.rules.states.unwrap_or(0);
        let states = states.max(self.states).max(self.initial + 1);
        let initial = StateId::new(self.initial as u32);
        self.columns.finish(states, initial, table)
    }
}

/// So many rows at the most become a piece.
const PIECE: usize = 1 << 20;

fn is_state(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64
    )
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(key, value) => {
            key.is_integer() && !value.is_nested() && is_text(value)
        }
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView => true,
        _ => false,
    }
}

/// The numbers of labels.
#[derive(Default)]
pub(super) struct Names {
    table: LabelTable,
    /// Whether a hidden label has been met.
    hidden: bool,
    /// Whether there are more labels than numbers.
    too_many: bool,
    /// The texts of the last dictionary, and their numbers as far as they have
    /// been asked for.
    dictionary: Option<ArrayData>,
    numbers: Vec<u32>,
}

/// A text of a dictionary that has no number yet.
const UNKNOWN: u32 = u32::MAX;

impl Names {
    fn number(&mut self, text: &[u8], rules: &Rules) -> u32 {
        if rules.hidden.iter().any(|name| name == text) {
            self.hidden = true;
            return LabelId::HIDDEN.get();
        }
        match self.table.intern(text) {
            Ok(label) => label.get(),
            Err(TooLarge { .. }) => {
                self.too_many = true;
                LabelId::HIDDEN.get()
            }
        }
    }

    /// The numbers of the labels of a column without nulls, which
    /// [`is_text`].
    fn numbers(&mut self, array: &dyn Array, rules: &Rules) -> Vec<u32> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            let texts = Texts::of(array);
            return (0..array.len())
                .map(|k| self.number(texts.get(k), rules))
                .collect();
        };
        if array.is_empty() {
            return Vec::new();
        }
        let values = dictionary.values();
        let data = values.to_data();
        if self
            .dictionary
            .as_ref()
            .is_none_or(|old| !old.ptr_eq(&data))
        {
            self.numbers.clear();
            self.numbers.resize(values.len(), UNKNOWN);
            self.dictionary = Some(data);
        }
        let texts = Texts::of(values);
        let mut number = |key: usize| {
            if self.numbers[key] == UNKNOWN {
                self.numbers[key] = self.number(texts.get(key), rules);
            }
            self.numbers[key]
        };
        match array.as_dictionary_opt::<Int32Type>() {
            Some(array) => {
                let keys = array.keys().values().iter();
                keys.map(|&key| number(key as usize)).collect()
            }
            None => {
                let keys = dictionary.normalized_keys();
                keys.into_iter().map(number).collect()
            }
        }
    }
}

/// An array of texts or bytes.
enum Texts<'a> {
    Utf8(&'a StringArray),
    LargeUtf8(&'a LargeStringArray),
    Utf8View(&'a StringViewArray),
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
}

impl<'a> Texts<'a> {
    /// # Panics
    /// If the array is of another type.
    fn of(array: &'a dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8 => Texts::Utf8(array.as_string()),
            DataType::LargeUtf8 => Texts::LargeUtf8(array.as_string()),
            DataType::Utf8View => Texts::Utf8View(array.as_string_view()),
            DataType::Binary => Texts::Binary(array.as_binary()),
            DataType::LargeBinary => Texts::LargeBinary(array.as_binary()),
            DataType::BinaryView => Texts::BinaryView(array.as_binary_view()),
            other => unreachable!("the layout has no column of {other} for labels"),
        }
    }

    #[inline]
    fn get(&self, k: usize) -> &'a [u8] {
        match self {
            Texts::Utf8(a) => a.value(k).as_bytes(),
            Texts::LargeUtf8(a) => a.value(k).as_bytes(),
            Texts::Utf8View(a) => a.value(k).as_bytes(),
            Texts::Binary(a) => a.value(k),
            Texts::LargeBinary(a) => a.value(k),
            Texts::BinaryView(a) => a.value(k),
        }
    }
}

/// Consecutive rows of a table.
#[derive(Default)]
pub(super) struct Piece {
    /// Rows before it.
    base: u64,
    /// Rows met.
    seen: u64,
    rows: Batch,
    /// One more than the largest state.
    states: u64,
    log: Log,
}

impl Piece {
    /// The piece that begins after so many rows.
    pub fn starting(base: u64) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// Appends rows, or says what is wrong with them.
    pub fn append(&mut self, batch: &RecordBatch, names: &mut Names, rules: &Rules) {
        let errors = self.log.errors();
        let columns = COLUMNS.map(|name| batch.column_by_name(name));
        let [Some(source), Some(label), Some(target)] = columns else {
            unreachable!("the layout has all columns");
        };
        for (name, array) in COLUMNS.iter().zip([source, label, target]) {
            self.refuse_nulls(name, array);
        }
        if self.log.errors() == errors {
            let sources = self.states(COLUMNS[0], source, rules);
            let targets = self.states(COLUMNS[2], target, rules);
            if self.log.errors() == errors {
                let labels = names.numbers(label, rules);
                self.rows.transitions.reserve(labels.len());
                let states = sources.into_iter().zip(targets);
                for ((source, target), label) in states.zip(labels) {
                    self.rows.push(source, label, target);
                }
            }
        }
        self.seen += batch.num_rows() as u64;
    }

    fn refuse_nulls(&mut self, name: &str, array: &dyn Array) {
        let Some(nulls) = array.logical_nulls().filter(|n| n.null_count() > 0) else {
            return;
        };
        for row in (0..array.len()).filter(|&k| nulls.is_null(k)) {
            let row = self.base + self.seen + row as u64;
            self.log.add(Severity::Error, "columns-null", None, || {
                format!("row {row} (0 is the first): no value in column `{name}`")
            });
        }
    }

    /// The states of a column without nulls which [`is_state`]; those that are
    /// out of range are reported.
    fn states(&mut self, name: &str, array: &dyn Array, rules: &Rules) -> Vec<u32> {
        match array.data_type() {
            DataType::UInt32 => self.converted::<UInt32Type>(name, array, rules),
            DataType::Int32 => self.converted::<Int32Type>(name, array, rules),
            DataType::UInt64 => self.converted::<UInt64Type>(name, array, rules),
            DataType::Int64 => self.converted::<Int64Type>(name, array, rules),
            other => unreachable!("the layout has no column of {other} for states"),
        }
    }

    fn converted<T>(&mut self, name: &str, array: &dyn Array, rules: &Rules) -> Vec<u32>
    where
        T: ArrowPrimitiveType,
        T::Native: TryInto<u64> + std::fmt::Display,
    {
        let values = array.as_primitive::<T>().values();
        // what is negative is as bad as what is too large
        let number = |&value: &T::Native| value.try_into().unwrap_or(u64::MAX);
        let mut largest = 0;
        let states: Vec<u32> = values
            .iter()
            .map(|value| {
                let n = number(value);
                largest = largest.max(n);
                n as u32
            })
            .collect();
        let limit = rules.states.unwrap_or(StateId::MAX_COUNT);
        if !values.is_empty() && largest >= limit {
            for (row, value) in values
                .iter()
                .enumerate()
                .filter(|(_, v)| number(v) >= limit)
            {
                let row = self.base + self.seen + row as u64;
                self.report_state(name, row, value, number(value), rules);
            }
        }
        if !values.is_empty() {
            self.states = self.states.max(largest.saturating_add(1));
        }
        states
    }

    fn report_state(
        &mut self,
        name: &str,
        row: u64,
        value: impl std::fmt::Display,
        number: u64,
        rules: &Rules,
    ) {
        let place = format_args!("row {row} (0 is the first), column `{name}`");
        match rules.states {
            _ if number >= StateId::MAX_COUNT => {
                self.log.add(Severity::Error, "columns-number", None, || {
                    let last = StateId::MAX_COUNT - 1;
                    format!("{place}: {value} is no state: states are 0 to {last}")
                });
            }
            Some(states) if rules.grow => {
                self.log
                    .add(Severity::Warning, "columns-state-range", None, || {
                        format!("{place}: state {value} of a table of {states} states: enlarged")
                    });
            }
            states => {
                let states = states.unwrap_or(StateId::MAX_COUNT);
                self.log
                    .add(Severity::Error, "columns-state-range", None, || {
                        format!(
                            "{place}: state {value} of a table of {states} states \
                         (0 is the first): correct the metadata, or use --grow"
                        )
                    });
            }
        }
    }
}
