//! Rows of a table, and the columns of states among them.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;

use super::names::{COLUMNS, Names, Rules};
use crate::diagnostic::{Log, Severity, counted};
use crate::lts::StateId;
use crate::rows::Batch;

/// Whether a column of this type can hold states.
pub(super) fn is_state(kind: &DataType) -> bool {
    kind.is_integer()
}

/// Consecutive rows of a table.
#[derive(Default)]
pub(super) struct Piece {
    /// Rows before it.
    base: u64,
    /// Rows met.
    pub seen: u64,
    pub rows: Batch,
    /// One more than the largest state.
    pub states: u64,
    pub log: Log,
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
            DataType::Int8 => self.converted::<Int8Type>(name, array, rules),
            DataType::Int16 => self.converted::<Int16Type>(name, array, rules),
            DataType::Int32 => self.converted::<Int32Type>(name, array, rules),
            DataType::Int64 => self.converted::<Int64Type>(name, array, rules),
            DataType::UInt8 => self.converted::<UInt8Type>(name, array, rules),
            DataType::UInt16 => self.converted::<UInt16Type>(name, array, rules),
            DataType::UInt32 => self.converted::<UInt32Type>(name, array, rules),
            DataType::UInt64 => self.converted::<UInt64Type>(name, array, rules),
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
                        format!(
                            "{place}: state {value} of a table of {}: enlarged",
                            counted(states, "state")
                        )
                    });
            }
            states => {
                let states = states.unwrap_or(StateId::MAX_COUNT);
                self.log
                    .add(Severity::Error, "columns-state-range", None, || {
                        format!(
                            "{place}: state {value} of a table of {} \
                         (0 is the first): correct the metadata, or use --grow",
                            counted(states, "state")
                        )
                    });
            }
        }
    }
}
