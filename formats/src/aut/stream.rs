//! Writing AUT while the LTS is still being explored.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::spell::Speller;
use super::write::STYLE;
use crate::diagnostic::{Log, Sink};
use crate::error::WriteError;
use crate::lines::{Lines, Pieces, Start};
use crate::lts::{LabelId, LabelTable, StateId};
use crate::options::WriteOptions;

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
    /// Transitions go to an unnamed file first.
    Spooled(&'a mut dyn Write, File),
    /// The header, which is written, announces an initial state and how many
    /// transitions and states there are.
    Announced(&'a mut dyn Write, (StateId, u64, u64)),
}

/// Writes an LTS transition by transition, so that it need not be in memory.
///
/// Where the numbers of states and transitions are known beforehand, the file is
/// the same as that of an LTS in memory. Where they are not: into a file, a header `des (0, ?, ?)` is written first, padded to 70
/// columns, and patched by [`StreamWriter::finish`]: what was not finished is
/// refused by readers. Into a pipe, nothing is written before the end; the
/// transitions wait in an unnamed temporary file.
///
/// Transitions are written in the order in which they come, whatever
/// `canonical` says.
pub struct StreamWriter<'a> {
    output: Output<'a>,
    options: &'a WriteOptions,
    speller: Speller<'a>,
    pieces: Pieces,
    lines: Lines,
    /// The last source, and how its lines begin.
    source: StateId,
    start: Start,
    transitions: u64,
}

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

    /// Writes into any output, at the end.
    ///
    /// # Errors
    /// If no temporary file can be made.
    pub fn spooling(
        output: &'a mut dyn Write,
        options: &'a WriteOptions,
    ) -> Result<Self, WriteError> {
        let spool = tempfile::tempfile()?;
        Ok(Self::new(Output::Spooled(output, spool), options))
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
        writeln!(output, "des ({initial}, {transitions}, {states})")?;
        let sizes = (initial, transitions, states);
        Ok(Self::new(Output::Announced(output, sizes), options))
    }

    fn new(output: Output<'a>, options: &'a WriteOptions) -> Self {
        let speller = Speller::new(options);
        let mut pieces = Pieces::new(STYLE);
        let mut text = Vec::new();
        speller.hidden(&mut text);
        pieces.push(&text);
        Self {
            output,
            options,
            speller,
            pieces,
            lines: Lines::default(),
            source: StateId::new(0),
            start: Start::new(0, &STYLE),
            transitions: 0,
        }
    }

    /// How many transitions have come.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// Writes a transition. The table must be the same each time, but may have
    /// grown.
    ///
    /// # Errors
    /// If the output refuses, or a label of the table cannot be written.
    pub fn transition(
        &mut self,
        source: StateId,
        label: LabelId,
        target: StateId,
        table: &LabelTable,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        while self.pieces.len() <= label.index() {
            self.spell(LabelId::new(self.pieces.len() as u32), table, sink)?;
        }
        if source != self.source {
            (self.source, self.start) = (source, Start::new(source.get(), &STYLE));
        }
        self.lines
            .push(&self.start, label.get(), target.get(), &self.pieces);
        self.transitions += 1;
        if self.lines.bytes().len() >= FLUSH {
            self.flush()?;
        }
        Ok(())
    }

    fn spell(
        &mut self,
        label: LabelId,
        table: &LabelTable,
        sink: &mut Sink<'_>,
    ) -> Result<(), WriteError> {
        let mut text = Vec::new();
        let mut log = Log::new();
        let known = |text: &[u8]| table.find(text).is_some();
        self.speller
            .visible(table.text(label), known, &mut log, &mut text);
        // A label that comes later must not take a text that was given away.
        let renamed = self.options.visible_i.as_deref() == Some(table.text(label))
            && table.find(super::spell::hidden(self.options)).is_some();
        if renamed {
            log.add(crate::Severity::Error, "label-like-hidden", None, || {
                "the text for the visible label that reads like the hidden action is taken".into()
            });
        }
        self.pieces.push(&text);
        self.pieces.check_lines("aut-line-length", &mut log);
        log.finish_writing(sink)
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.output {
            Output::Patched(output, _) => output.write_all(self.lines.bytes())?,
            Output::Spooled(_, spool) => spool.write_all(self.lines.bytes())?,
            Output::Announced(output, _) => output.write_all(self.lines.bytes())?,
        }
        self.lines.clear();
        Ok(())
    }

    /// Ends the file: an LTS with this initial state and so many states.
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
            Output::Spooled(output, mut spool) => {
                writeln!(output, "{header}")?;
                spool.rewind()?;
                io::copy(&mut spool, output)?;
                output.flush()?;
            }
            Output::Announced(output, announced) => {
                if announced != (initial, self.transitions, states) {
                    let (_, transitions, states) = announced;
                    return Err(WriteError::Format(format!(
                        "{transitions} transitions and {states} states were announced, but {header} came"
                    )));
                }
                output.flush()?;
            }
        }
        Ok(())
    }
}
