//! Writing AUT while the LTS is still being explored.

use std::io::{Seek, SeekFrom, Write};

use hyades_base::parallel;

use super::spell::Speller;
use super::spool::Spool;
use super::write::{STYLE, write_header};
use crate::consecutive::Rows;
use crate::diagnostic::{Log, Sink, counted};
use crate::error::WriteError;
use crate::lines::{BLOCK, Lines, Pieces, format_rows, write_rows};
use crate::lts::{LabelId, LabelTable, StateId};
use crate::options::WriteOptions;
use crate::pipeline::Text;
use crate::spelling;

/// The header has room for three numbers of 20 digits.
const HEADER: usize = 70;
/// Lines are written when there are so many bytes of them.
const FLUSH: usize = 1 << 20;

/// An output that can be gone back in.
trait Patchable: Write + Seek {}
impl<T: Write + Seek> Patchable for T {}

enum Output<'a> {
    /// The header is padded, and patched at the end; it is at this position.
    Patched(&'a mut dyn Patchable, u64),
    /// The header stands aside.
    Spooled(&'a mut Spool),
    /// The header, which is written, announces an initial state and how many
    /// transitions and states there are.
    Announced(&'a mut dyn Write, (StateId, u64, u64)),
}

impl Output<'_> {
    fn lines(&mut self) -> &mut dyn Write {
        match self {
            Output::Patched(output, _) => output,
            Output::Spooled(spool) => spool,
            Output::Announced(output, _) => output,
        }
    }
}

/// Writes an LTS while its transitions are found, so that it need not be in
/// memory.
///
/// Where the numbers of states and transitions are known beforehand, or where a
/// [`Spool`] keeps the lines until they are, the file is the same as that of an
/// LTS in memory. A file that can be gone back in can do without the spool: a
/// header `des (0, ?, ?)` is written first, padded to 70 columns, and patched by
/// [`StreamWriter::finish`]; what was not finished is refused by readers.
///
/// Transitions are written in the order in which they come, whatever
/// `canonical` says. The bytes do not depend on the number of threads, which is
/// that of the current rayon pool.
pub struct StreamWriter<'a> {
    output: Output<'a>,
    options: &'a WriteOptions,
    speller: Speller<'a>,
    /// Those of the labels that have come.
    pieces: Pieces,
    /// Which labels have come.
    used: Vec<bool>,
    /// What has not been written.
    lines: Lines,
    transitions: u64,
}

hyades_base::opaque!(StreamWriter<'_>);

impl<'a> StreamWriter<'a> {
    /// Writes into an output that can be gone back in, from its current
    /// position on.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn patching<W: Write + Seek>(
        output: &'a mut W,
        options: &'a WriteOptions,
    ) -> Result<Self, WriteError> {
        let start = output.stream_position()?;
        writeln!(output, "{:HEADER$}", "des (0, ?, ?)")?;
        Ok(Self::new(Output::Patched(output, start), options))
    }

    /// Writes into a spool, which can be written to any output in the end.
    pub fn spooling(spool: &'a mut Spool, options: &'a WriteOptions) -> Self {
        Self::new(Output::Spooled(spool), options)
    }

    /// Writes into any output at once what has these sizes.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn announcing(
        output: &'a mut dyn Write,
        options: &'a WriteOptions,
        initial: StateId,
        transitions: u64,
        states: u64,
    ) -> Result<Self, WriteError> {
        write_header(output, initial, transitions, states)?;
        let sizes = (initial, transitions, states);
        Ok(Self::new(Output::Announced(output, sizes), options))
    }

    /// As [`StreamWriter::announcing`], where also all labels that are going to occur are
    /// known: they are looked at before anything is written.
    ///
    /// # Errors
    /// If the output refuses, or one of the labels cannot be written; in the latter case
    /// nothing has been written.
    pub fn announcing_labels(
        output: &'a mut dyn Write,
        options: &'a WriteOptions,
        (initial, transitions, states): (StateId, u64, u64),
        (labels, table): (&[LabelId], &LabelTable),
        sink: &mut Sink<'_>,
    ) -> Result<Self, WriteError> {
        let sizes = (initial, transitions, states);
        let mut writer = Self::new(Output::Announced(output, sizes), options);
        writer.used.resize(table.len(), false);
        writer.spell_labels(labels.to_vec(), table, sink)?;
        let output = writer.output.lines();
        write_header(output, initial, transitions, states)?;
        Ok(writer)
    }

    fn new(output: Output<'a>, options: &'a WriteOptions) -> Self {
        Self {
            output,
            options,
            speller: Speller::new(options),
            pieces: Pieces::new(STYLE),
            used: Vec::new(),
            lines: Lines::default(),
            transitions: 0,
        }
    }

    /// How many transitions have come.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// How many labels have come.
    pub fn labels(&self) -> u64 {
        self.used.iter().filter(|&&used| used).count() as u64
    }

    /// Writes transitions, those of each element directly after those of the one
    /// before it. The table must be the same each time, but may have grown.
    ///
    /// O(bytes) time. Memory: some blocks of lines for each thread.
    ///
    /// # Errors
    /// If the output refuses, or a label that occurs cannot be written.
    pub fn rows(
        &mut self,
        rows: &[Rows<'_>],
        table: &LabelTable,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        self.spell(rows, table, sink)?;
        let transitions: usize = rows.iter().map(|rows| rows.labels.len()).sum();
        self.transitions += transitions as u64;
        // Not worth waking up others. Long labels may make much of few.
        if transitions <= BLOCK && self.pieces.longest() <= FLUSH / BLOCK {
            for rows in rows {
                format_rows(rows, 0..rows.labels.len(), &self.pieces, &mut self.lines);
            }
            if self.lines.bytes().len() >= FLUSH {
                self.flush()?;
            }
        } else {
            self.flush()?;
            write_rows(rows, &self.pieces, self.output.lines())?;
        }
        Ok(())
    }

    /// Spells the labels that come for the first time. Labels of the table that
    /// do not occur are in nobody's way.
    fn spell(
        &mut self,
        rows: &[Rows<'_>],
        table: &LabelTable,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        self.used.resize(table.len(), false);
        let used = &self.used;
        let fresh = |rows: &Rows<'_>| {
            let mut labels = rows.labels.to_vec();
            labels.retain(|label| !used[label.index()]);
            labels
        };
        let labels = match rows {
            [rows] if rows.labels.iter().all(|label| used[label.index()]) => return Ok(()),
            [rows] => fresh(rows),
            _ => parallel::map_each(rows, fresh).concat(),
        };
        self.spell_labels(labels, table, sink)
    }

    fn spell_labels(
        &mut self,
        mut labels: Vec<LabelId>,
        table: &LabelTable,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        if labels.is_empty() {
            return Ok(());
        }
        let used = &self.used;
        labels.sort_unstable();
        labels.dedup();

        let mut log = Log::new();
        let hidden = super::spell::hidden(self.options);
        let mut text = Vec::new();
        // A label that comes later must not take a text that was given away.
        let given_away = |label: &LabelId| {
            let new = table.text(*label);
            !label.is_hidden()
                && self.options.visible_i.as_deref() == Some(new)
                && table.find(hidden).is_some_and(|l| used[l.index()])
        };
        if let Some(&label) = labels.iter().find(|label| given_away(label)) {
            spelling::refuse_taken(hidden, table.text(label), &mut log);
        }
        for label in &labels {
            self.used[label.index()] = true;
        }
        for label in labels {
            text.clear();
            if label.is_hidden() {
                self.speller.hidden(&mut text);
            } else {
                let known = |text: &[u8]| table.find(text).is_some_and(|l| self.used[l.index()]);
                self.speller
                    .visible(table.text(label), known, &mut log, &mut text);
            }
            self.pieces.set(label.index(), &text);
        }
        self.pieces.check_lines("aut-line-length", &mut log);
        log.finish_writing(sink)
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        self.output.lines().write_all(self.lines.bytes())?;
        self.lines.clear();
        Ok(())
    }

    /// Ends the file: an LTS with this initial state and so many states. What
    /// the output itself holds back is up to who has it.
    ///
    /// # Errors
    /// If the output refuses, or something else has been announced.
    pub fn finish(mut self, initial: StateId, states: u64) -> Result<(), WriteError> {
        self.flush()?;
        let header = format!("des ({initial}, {}, {states})", self.transitions);
        match self.output {
            Output::Patched(output, start) => {
                let end = output.stream_position()?;
                output.seek(SeekFrom::Start(start))?;
                output.write_all(format!("{header:HEADER$}").as_bytes())?;
                output.seek(SeekFrom::Start(end))?;
                output.flush()?;
            }
            Output::Spooled(spool) => spool.header = header,
            Output::Announced(_, announced) => {
                if announced != (initial, self.transitions, states) {
                    let (_, transitions, states) = announced;
                    return Err(WriteError::Format(format!(
                        "announced were {} and {}, but {header} came",
                        counted(transitions, "transition"),
                        counted(states, "state")
                    )));
                }
            }
        }
        Ok(())
    }
}
