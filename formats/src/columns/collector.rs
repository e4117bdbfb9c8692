//! Collecting the parts of a table.

use arrow_array::RecordBatch;
use arrow_schema::Schema;

use super::hidden_labels;
use super::names::{COLUMNS, Names, Rules, is_text};
use super::piece::{Piece, is_state};
use crate::diagnostic::{Log, Severity, counted, excerpt};
use crate::error::Failure;
use crate::format::Format;
use crate::lines::Told as LinesTold;
use crate::lts::{LabelId, Lts, StateId, TooLarge};
use crate::options::{Mode, ReadOptions};
use crate::rows::{Batch, Gather};
use crate::sparse::{Told, check_sparse};

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
    pub names: Names,
    gather: &'a mut dyn Gather,
    /// Rows seen.
    pub rows: u64,
    /// One more than the largest state seen.
    pub states: u64,
}

impl<'a> Collector<'a> {
    pub fn new(
        options: &'a ReadOptions,
        format: Format,
        gather: &'a mut dyn Gather,
        log: &'a mut Log,
    ) -> Self {
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
            want_hint: options.hidden.is_empty()
                && options.dialect.is_none()
                && options.mode != Mode::Strict,
            names: Names::default(),
            gather,
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

    /// A column is compressed in a way that is not built in; complains.
    pub fn foreign_codec(&mut self, column: &str, codec: &str, known: &str) -> Failure {
        self.refuse("columns-codec", || {
            format!(
                "column `{column}` is compressed by {codec}, which is not supported: \
                 write the table with one of {known}"
            )
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
                // no sign, which `parse` would take
                Ok(n) if (least..=most).contains(&n) && !value.starts_with('+') => Ok(n),
                _ => Err(malformed(this, &format!("a number from {least} to {most}"))),
            };
            match key {
                "lts.version" if value != "1" => return Err(malformed(self, "version 1")),
                "lts.states" => self.rules.states = Some(number(self, 1, StateId::MAX_COUNT)?),
                "lts.transitions" => self.transitions = Some(number(self, 0, u64::MAX)?),
                "lts.initial" => self.initial = number(self, 0, StateId::MAX_COUNT - 1)?,
                "lts.hidden" => {
                    let Some(names) = hidden_labels(value) else {
                        return Err(malformed(self, "a JSON array of labels"));
                    };
                    self.rules.hidden = self.options.hidden_unless(Some(&names));
                    self.want_hint = false;
                }
                _ => {}
            }
        }
        if let Some(states) = self.rules.states.filter(|&n| self.initial >= n) {
            let initial = self.initial;
            return Err(self.refuse("columns-state-range", || {
                format!(
                    "initial state {initial} of a table of {} (0 is the first)",
                    counted(states, "state")
                )
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
                _ => (is_state(kind), "integers"),
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
    ///
    /// # Errors
    /// If there is none.
    pub fn reserve(&mut self, rows: u64, bytes: u64) -> Result<(), Failure> {
        // compression knows no limit, but what is claimed may be a lie
        let likely = rows.min(bytes.saturating_mul(16)).min(Lts::MAX_TRANSITIONS);
        let states = self.rules.states.unwrap_or(0);
        self.gather.reserve(likely as usize, states)
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
                self.gather.gather(&[&piece.rows], &none, u32::MAX)?;
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
            let rows: Vec<&Batch> = rows.iter().collect();
            self.gather.gather(&rows, &maps, 1)?;
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

    /// What the table tells besides its transitions.
    ///
    /// # Errors
    /// If something is wrong with it, which is in the log.
    pub fn finish(self) -> Result<LinesTold, Failure> {
        let rows = self.rows;
        if let Some(expected) = self.transitions.filter(|&n| n != rows) {
            let (severity, advice) = match self.options.mode {
                Mode::Lenient => (Severity::Warning, ""),
                Mode::Default | Mode::Strict => {
                    (Severity::Error, "; use --lenient to read it all the same")
                }
            };
            self.log.add(severity, "columns-count", None, || {
                format!(
                    "metadata announces {}, but there {} {rows}{advice}",
                    counted(expected, "transition"),
                    if rows == 1 { "is" } else { "are" }
                )
            });
        }
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let table = self.names.table;
        if self.want_hint && !self.names.hidden {
            let names = ["tau", "τ"].into_iter();
            let names = names.filter(|n| self.options.stays_visible(n.as_bytes()));
            for name in names.filter(|n| table.find(n.as_bytes()).is_some()) {
                self.log
                    .add(Severity::Warning, "columns-tau-hint", None, || {
                        format!("label `{name}` counts as visible; to hide it, use --tau {name}")
                    });
            }
        }
        let announced = self.rules.states.unwrap_or(0);
        let named = self.states.max(self.initial + 1);
        let states = announced.max(named);
        let told = match named > announced {
            true => Told::ByNumbers { described: 0 },
            false => Told::Announced(None),
        };
        let mode = self.options.mode;
        check_sparse(states, told, rows, "columns-state-range", mode, self.log)?;
        Ok(LinesTold {
            states,
            initial: StateId::new(self.initial as u32),
            table,
        })
    }
}

/// So many rows at the most become a piece.
const PIECE: usize = 1 << 20;
