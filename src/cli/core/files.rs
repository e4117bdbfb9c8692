//! Reading and writing LTSs on behalf of a command: diagnostics to standard
//! error, progress, measuring.

use std::cell::Cell;
use std::convert::identity;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use hyades_base::text::line_and_column;
use hyades_equivalence::formula::Action;
use hyades_explore::{AutSink, SequencePattern};
use hyades_formats::aut::{Spool, StreamWriter};
use hyades_formats::bcg::{self, Inspection, LabelFields};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::plts::{Files, Manifest, Parts};
use hyades_formats::seq::Sequence;
use hyades_formats::{
    self as formats, Compressor, Diagnostic, Dialect, Format, LabelId, LabelTable, Lts, ReadError,
    Severity, Source, StateId, TraceForm, WriteError,
};
use hyades_generate::Member;
use hyades_network::{Disk, state_space_within};

use super::excerpt::know_file;
use super::folders::{Folder, UnfinishedFolder};
use super::input::{open_beside, open_input};
use super::memory;
use super::options::{DialectOption, LtsOutput, ReadOptions};
use super::output::{Destination, Output};
use super::progress::{Progress, Unit};
use super::say::say_diagnostic;
use super::session::{Phase, Session, Verbosity};
use super::size::show_size;
use super::stats::{FileStats, Size, show_lts};
use super::status::Failure;
use super::status::{read_failure, write_failure};
use super::streamed::end_stream;
use super::tau::Gates;

/// Whether a visible label with this text occurs.
pub fn uses(lts: &Lts, text: &[u8]) -> bool {
    let label = lts.table().find(text);
    label.is_some_and(|label| lts.labels().contains(&label))
}

impl Session {
    /// Reads an LTS: phase `read`. Warnings and errors in the file go to
    /// standard error.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        dialect: &DialectOption,
    ) -> Result<Lts, Failure> {
        let (lts, _) = self.read_told(path, options, dialect)?;
        Ok(lts)
    }

    /// As [`Session::read`], for who wants to know in which format the input was.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_told(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        dialect: &DialectOption,
    ) -> Result<(Lts, Format), Failure> {
        self.read_hiding(path, options, dialect, formats::read_lts)
    }

    /// Reads an LTS, or a network by what it is the state space of, and hides what `options`
    /// say; `read` reads one that is no network.
    fn read_hiding(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        dialect: &DialectOption,
        read: impl FnOnce(
            Source,
            &formats::ReadOptions,
            &mut formats::Sink<'_>,
        ) -> Result<Lts, ReadError>,
    ) -> Result<(Lts, Format), Failure> {
        let mut network = options.network(dialect, Some(path));
        let limits = self.limits_of_reading();
        network.limits = limits;
        let gates = Gates::new(options, dialect)?;
        let mut besides = Vec::new();
        let read = |source: Source, options: &_, sink: &mut formats::Sink<'_>| {
            let (format, name) = (source.format(), source.name().to_owned());
            let lts = match format {
                Format::Exp => {
                    let network = hyades_network::read(source, &network, &Disk, sink)?;
                    besides.extend(network.paths().map(Path::to_owned));
                    state_space_within(network, limits)?
                }
                _ => read(source, options, sink)?,
            };
            gates.hide(lts, format, &name)
        };
        let read = self.read_by(path, options.from()?, &options.get(dialect), read)?;
        self.spare(besides);
        if let Some(rules) = gates.rules() {
            self.tell_unused_gates(Some(rules));
        }
        Ok(read)
    }

    /// As [`Session::read_told`], for who has options of another kind; not for
    /// networks.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_as(
        &mut self,
        path: &Path,
        from: Option<Format>,
        options: &formats::ReadOptions,
    ) -> Result<(Lts, Format), Failure> {
        self.read_by(path, from, options, formats::read_lts)
    }

    /// Reads a pattern of sequences, the one with this number, from 1.
    ///
    /// # Errors
    /// If it cannot be read, or a regular expression in it is none.
    pub fn read_sequence(&mut self, path: &Path, seqno: u64) -> Result<SequencePattern, Failure> {
        know_file(path);
        let source = open_input(path, Some(Format::Seq)).map_err(read_failure)?;
        self.sequence_of(source, seqno, |_| ())
    }

    /// As [`Session::read_sequence`], for a pattern at hand, which may be changed before
    /// it is compiled.
    ///
    /// # Errors
    /// As [`Session::read_sequence`].
    pub fn sequence_of(
        &mut self,
        source: Source,
        seqno: u64,
        change: impl FnOnce(&mut formats::seq::Pattern),
    ) -> Result<SequencePattern, Failure> {
        let shown = self.shown();
        let name = source.name().to_owned();
        let mut pattern =
            formats::seq::read_pattern(source, seqno, &mut |d| shown(&d)).map_err(read_failure)?;
        change(&mut pattern);
        SequencePattern::new(&pattern).map_err(|error| {
            let formats::Position { line, column, .. } = error.place;
            Failure::error(format!("{name}:{line}:{column}: {error}"))
        })
    }

    /// As [`Session::read_as`], for a file that another file names: a regular file,
    /// of which messages quote nothing.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_named(
        &mut self,
        path: &Path,
        options: &formats::ReadOptions,
    ) -> Result<(Lts, Format), Failure> {
        let read = |source: Source, options: &_, sink: &mut formats::Sink<'_>| {
            let expected = format!("an LTS in the format {}", source.format());
            formats::read_lts(source, options, &mut |d| sink(d.discreet(&expected)))
        };
        let open = || Source::open_named(path, None);
        self.read_source(path, open, options, read)
    }

    /// As [`Session::read`], and tells what a file in BCG is made of.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_inspected(
        &mut self,
        path: &Path,
        options: &ReadOptions,
        dialect: &DialectOption,
    ) -> Result<(Lts, Option<Inspection>), Failure> {
        let mut inspection = None;
        let (lts, _) = self.read_hiding(path, options, dialect, |source, options, sink| {
            if source.format() != Format::Bcg {
                return formats::read_lts(source, options, sink);
            }
            let (lts, found) = bcg::read_inspected(source, options, sink)?;
            inspection = Some(found);
            Ok(lts)
        })?;
        Ok((lts, inspection))
    }

    /// As [`Session::read_as`], and tells what fields labels have if the input is
    /// in BCG.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_with_fields(
        &mut self,
        path: &Path,
        from: Option<Format>,
        options: &formats::ReadOptions,
    ) -> Result<(Lts, Option<LabelFields>), Failure> {
        let mut fields = None;
        let read = |source: Source, options: &_, sink: &mut formats::Sink<'_>| {
            if source.format() != Format::Bcg {
                return formats::read_lts(source, options, sink);
            }
            let (lts, found) = bcg::read_with_fields(source, options, sink)?;
            fields = Some(found);
            Ok(lts)
        };
        let (lts, _) = self.read_by(path, from, options, read)?;
        Ok((lts, fields))
    }

    /// A file beside the input, and the sequences that it was made of, if it is SEQ.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read_trace(
        &mut self,
        path: &Path,
        options: &formats::ReadOptions,
    ) -> Result<(Lts, Vec<Sequence>), Failure> {
        let mut sequences = Vec::new();
        let read = |source: Source, options: &_, sink: &mut formats::Sink<'_>| {
            let (lts, ends) = formats::read_with_ends(source, options, sink)?;
            sequences = Sequence::all(&lts, &ends);
            Ok(lts)
        };
        let mut options = options.clone();
        if let Some(mealy) = &mut options.mealy {
            mealy.is_part = true;
        }
        self.tell_of_standard_input(path, "an LTS or a trace");
        know_file(path);
        let (lts, _) = self.read_source(path, || open_beside(path), &options, read)?;
        Ok((lts, sequences))
    }

    /// The manifest of an input that is a partitioned LTS; none of another one. Of the
    /// parts, only the sizes of the files are looked at.
    ///
    /// # Errors
    /// If it cannot be read, or a part is missing.
    pub fn read_manifest(
        &mut self,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Option<Manifest>, Failure> {
        let format = options.from()?;
        let is_other = format.is_some_and(|format| !format.is_folder());
        if is_other || path == Path::new("-") || !path.is_dir() {
            return Ok(None);
        }
        let manifest = self.phase("read", |_| {
            open_input(path, format)
                .and_then(|_| Parts::manifest_of(path))
                .map_err(read_failure)
        })?;
        let shown = self.shown();
        self.given.begin_input(Format::Plts).iter().for_each(shown);
        self.add_input(|| FileStats {
            path: printable_path(path),
            format: Format::Plts.name().into(),
            bytes: manifest.bytes(),
            ..FileStats::default()
        });
        Ok(Some(manifest))
    }

    pub(super) fn read_by(
        &mut self,
        path: &Path,
        from: Option<Format>,
        options: &formats::ReadOptions,
        read: impl FnOnce(
            Source,
            &formats::ReadOptions,
            &mut formats::Sink<'_>,
        ) -> Result<Lts, ReadError>,
    ) -> Result<(Lts, Format), Failure> {
        self.tell_of_standard_input(path, "an LTS");
        know_file(path);
        self.read_source(path, || open_input(path, from), options, read)
    }

    fn read_source(
        &mut self,
        path: &Path,
        open: impl FnOnce() -> Result<Source, ReadError>,
        options: &formats::ReadOptions,
        read: impl FnOnce(
            Source,
            &formats::ReadOptions,
            &mut formats::Sink<'_>,
        ) -> Result<Lts, ReadError>,
    ) -> Result<(Lts, Format), Failure> {
        let shown = self.shown();
        let mut figures = FileStats::default();
        let mut given = std::mem::take(&mut self.given);
        let (lts, format) = self.phase("read", |phase| {
            let source = open().map_err(read_failure)?;
            let (format, name) = (source.format(), source.name().to_owned());
            let end = source.progress();
            figures.format = format.name().into();
            phase.watch_reading(&source);
            given.begin_input(format).iter().for_each(shown);
            let lts = read(source, options, &mut |d| shown(&d)).map_err(read_failure)?;
            figures.bytes = end.total().unwrap_or_else(|| end.consumed());
            let size = show_size(figures.bytes);
            phase.summary(|| format!("{name}, {size}, {}", show_lts(&lts)));
            Ok((lts, format))
        })?;
        self.given = given;
        self.add_input(|| FileStats {
            path: printable_path(path),
            ..figures.with(Size::of(&lts))
        });
        Ok((lts, format))
    }

    /// Shows diagnostics on standard error: all with `-v`, errors only with `-q`. Those
    /// of no file are said by the command.
    pub fn shown(&self) -> impl Fn(&Diagnostic) + Copy + use<> {
        let least = match self.verbosity() {
            Verbosity::Quiet => Severity::Error,
            Verbosity::Normal => Severity::Warning,
            Verbosity::Verbose => Severity::Note,
        };
        let name = self.name;
        move |diagnostic| {
            if diagnostic.severity >= least {
                say_diagnostic(name, diagnostic);
            }
        }
    }

    /// Shows what there is to say about a file: all with `-v`, errors only with
    /// `-q`.
    pub fn report(&self, diagnostic: &Diagnostic) {
        self.shown()(diagnostic);
    }

    /// Writes an LTS: phase `write`. The output appears at the end of the
    /// session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, output: &LtsOutput, lts: &Lts) -> Result<(), Failure> {
        let options = self.write_options(output, |text| uses(lts, text));
        if let Some(folder) = &output.folder {
            return self.write_parts(folder, |files, sink| {
                let (size, bytes) = formats::write_folder(lts, files, &options, sink)?;
                Ok((Size::written(size, lts), bytes))
            });
        }
        let written = Cell::new(None);
        let size = || Size::written(written.get().expect("all of it is written"), lts);
        self.write_lts("write", output, size, |out, sink| {
            let size = formats::write_lts(lts, output.format, out, &options, sink)?;
            written.set(Some(size));
            Ok(())
        })
    }

    /// What a writer goes by if these visible labels occur: mCRL2's way where a label reads
    /// like the hidden action and all inputs are of mCRL2, which is told.
    pub(super) fn write_options(
        &self,
        output: &LtsOutput,
        uses: impl Fn(&[u8]) -> bool,
    ) -> formats::WriteOptions {
        let mut options = output.options.clone();
        if self.follows_mcrl2(output) && uses(b"i") && !uses(b"tau") {
            options.dialect = Some(Dialect::Mcrl2);
            self.note(format_args!(
                "{}: the hidden action is written as `tau`, as mCRL2 has it, for there is a \
                 visible label `i`: to be read with --dialect mcrl2 (--visible-i NAME writes the \
                 label otherwise, and the hidden action as `i`)",
                output.destination.name()
            ));
        }
        options
    }

    /// Whether an output follows mCRL2 if there is a visible label `i`: as all inputs
    /// are in formats of mCRL2, and nothing is said to the contrary.
    pub fn follows_mcrl2(&self, output: &LtsOutput) -> bool {
        let inputs = self.given.inputs();
        output.may_be_mcrl2() && !inputs.is_empty() && inputs.iter().all(|f| f.is_of_mcrl2())
    }

    /// Writes a member of a family while it is explored: phase `generate`. The
    /// output, in AUT, appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_member(&mut self, output: &LtsOutput, member: &Member) -> Result<(), Failure> {
        if memory::is_limited() && !output.destination.is_replaced() {
            return self.spool_member(output, member);
        }
        let labels = Cell::new(0);
        let size = || Size {
            states: member.states(),
            transitions: member.transitions(),
            labels: labels.get(),
        };
        self.write_lts("generate", output, size, |out, sink| {
            let (initial, states) = (StateId::new(0), member.states());
            let options = &output.options;
            let writer =
                StreamWriter::announcing(out, options, initial, member.transitions(), states)?;
            let mut sink = AutSink::new(writer, sink);
            member.explore(&mut sink);
            let writer = sink.into_writer()?;
            labels.set(writer.labels());
            writer.finish(initial, states)
        })
    }

    /// As [`Session::write_member`], for an output that cannot be taken back: nothing
    /// is written before all is explored, as the memory may come to its end before.
    fn spool_member(&mut self, output: &LtsOutput, member: &Member) -> Result<(), Failure> {
        let mut spool = Spool::new(output.destination.room());
        let mut diagnostics = self.diagnostics();
        let size = self.phase("generate", |phase| {
            let states = member.states();
            phase.progress("generating", Unit::States, Some(states));
            let writer = StreamWriter::spooling(&mut spool, &output.options);
            let mut sink = AutSink::new(writer, &mut diagnostics);
            member.explore(&mut sink);
            let size = end_stream(sink, Some(states), output)?;
            Ok(size.expect("all states are written"))
        })?;
        self.write_spooled(output, spool, size)
    }

    /// Writes what has been written to a spool, an LTS of this size: phase
    /// `write`. The output, in AUT, appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_spooled(
        &mut self,
        output: &LtsOutput,
        spool: Spool,
        size: Size,
    ) -> Result<(), Failure> {
        let write = |out: &mut dyn Write, _: &mut formats::Sink<'_>| Ok(spool.write_to(out)?);
        self.write_lts("write", output, || size, write)
    }

    /// Where to tell what there is to say about labels that are written to a
    /// [`Spool`].
    pub fn diagnostics(&self) -> impl FnMut(Diagnostic) + use<> {
        let shown = self.shown();
        move |diagnostic| shown(&diagnostic)
    }

    pub(super) fn write_lts(
        &mut self,
        phase: &'static str,
        output: &LtsOutput,
        size: impl Fn() -> Size,
        write: impl FnOnce(&mut dyn Write, &mut formats::Sink<'_>) -> Result<(), WriteError>,
    ) -> Result<(), Failure> {
        let shown = self.shown();
        self.given
            .begin_output(output.format)
            .iter()
            .for_each(shown);
        let is_synced = self.is_synced();
        let written = self.phase(phase, |phase| {
            let created = output.destination.create()?.shortened();
            let name = created.name().to_owned();
            let failed = |error: io::Error| Failure::writing(&name, &error);
            let watched = Watched {
                // On a terminal that shows the output a bar would be in the way.
                progress: if output.destination.is_terminal() {
                    Progress::hidden()
                } else {
                    let what = format_args!("writing {name}");
                    phase.progress(what, Unit::Bytes, None).clone()
                },
                output: created,
            };
            let mut compressor = Compressor::with_level(watched, output.compression, output.level)
                .map_err(failed)?;
            write(&mut compressor, &mut |d| shown(&d)).map_err(|e| write_failure(&name, e))?;
            let output = compressor.finish().map_err(failed)?.output;
            if is_synced {
                output.sync()?;
            }
            phase.summary(|| format!("{name}, {}, {}", show_size(output.bytes()), size()));
            Ok(output)
        })?;
        let figures = FileStats {
            path: path_name(&output.destination),
            format: output.format.name().into(),
            bytes: written.bytes(),
            ..FileStats::default()
        };
        self.tell_left_out(&written);
        self.add_output(written, || figures.with(size()));
        Ok(())
    }

    /// Writes a text: phase `write`. The output appears at the end of the
    /// session. A terminal gets all of it: there may be a verdict at its end.
    /// [Last words](memory::set_last_words) are in force until nothing but this is to be done
    /// for standard output.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_text(
        &mut self,
        destination: &Destination,
        format: &str,
        text: &[u8],
    ) -> Result<(), Failure> {
        // All of it is there: nothing has to be gathered.
        self.write_output(destination, format, 0, identity, |out| {
            if destination.is_stdout() {
                memory::forget_last_words();
            }
            out.write_all(text)
        })
    }

    /// Writes what `write` writes: phase `write`. The output appears at the end
    /// of the session. A terminal gets the beginning only.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_by(
        &mut self,
        destination: &Destination,
        format: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        self.write_output(destination, format, BLOCK, Output::shortened, write)
    }

    fn write_output(
        &mut self,
        destination: &Destination,
        format: &str,
        block: usize,
        shown: fn(Output) -> Output,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let is_synced = self.is_synced();
        let output = self.phase("write", |phase| {
            let output = shown(destination.create()?);
            let name = output.name().to_owned();
            let mut buffered = BufWriter::with_capacity(block, output);
            write(&mut buffered).map_err(|e| Failure::writing(&name, &e))?;
            let output = buffered
                .into_inner()
                .map_err(|e| Failure::writing(&name, e.error()))?;
            if is_synced {
                output.sync()?;
            }
            phase.summary(|| format!("{name}, {}", show_size(output.bytes())));
            Ok(output)
        })?;
        let figures = FileStats {
            path: path_name(destination),
            format: format.into(),
            bytes: output.bytes(),
            ..FileStats::default()
        };
        self.tell_left_out(&output);
        self.add_output(output, || figures);
        Ok(())
    }
}

/// How many bytes are written at a time.
const BLOCK: usize = 1 << 18;

/// The labels of a trace that its form cannot express, written as in formulas, as
/// comments.
pub fn trace_in_comments(labels: &[LabelId], table: &LabelTable) -> Vec<u8> {
    let mut text = String::new();
    for &label in labels {
        text.push_str(&format!("*** {}\n", Action { table, label }));
    }
    text.into_bytes()
}

/// An error in a file in TOML: file, line, column and what is wrong.
pub fn show_toml_error(name: &dyn fmt::Display, text: &str, error: &toml::de::Error) -> String {
    // What is expected may stand in a second line.
    let message = error.message().trim_end().replace('\n', "; ");
    match error.span() {
        Some(span) => {
            let (line, column) = line_and_column(text, span.start);
            format!("{name}:{line}:{column}: {message}")
        }
        None => format!("{name}: {message}"),
    }
}

/// What stands above [`trace_in_comments`].
pub fn why_comments(form: TraceForm) -> Vec<u8> {
    let name = form.name();
    format!("*** {name} cannot express these labels; they stand as in formulas:\n").into_bytes()
}

/// What the statistics call an output.
fn path_name(destination: &Destination) -> String {
    destination
        .path()
        .map_or_else(|| "-".into(), printable_path)
}

/// Tells the progress what goes through.
struct Watched {
    output: Output,
    progress: Progress,
}

impl Write for Watched {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.output.write(bytes)?;
        self.progress.add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

impl Session {
    /// Writes files, of which each has a name and a text, into a folder: phase `write`.
    /// It appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_folder(
        &mut self,
        folder: &Folder,
        format: &str,
        files: &[(String, String)],
    ) -> Result<(), Failure> {
        self.write_folder_by(format, || {
            let mut unfinished = folder.create()?;
            for (name, text) in files {
                unfinished.add(name, text.as_bytes())?;
            }
            Ok(unfinished)
        })
    }

    /// Writes a partitioned LTS: phase `write`; `write` tells its size, and how many bytes its
    /// files have. It appears at the end of the session.
    pub(super) fn write_parts(
        &mut self,
        folder: &Folder,
        write: impl FnOnce(&mut dyn Files, &mut formats::Sink<'_>) -> Result<(Size, u64), WriteError>,
    ) -> Result<(), Failure> {
        self.check_folder(folder)?;
        let (shown, is_synced) = (self.shown(), self.is_synced());
        let format = Format::Plts;
        self.given.begin_output(format).iter().for_each(shown);
        let (folder, size) = self.phase("write", |phase| {
            let name = folder.name();
            phase.progress(format_args!("writing {name}"), Unit::Bytes, None);
            let mut unfinished = folder.create()?;
            let written = write(&mut unfinished, &mut |d| shown(&d));
            let size;
            (size, unfinished.bytes) = written.map_err(|error| write_failure(name, error))?;
            if is_synced {
                unfinished.sync()?;
            }
            let bytes = show_size(unfinished.bytes);
            phase.summary(|| format!("{name}, {bytes}, {size}"));
            Ok((unfinished, size))
        })?;
        let figures = FileStats {
            path: folder.target.name.clone(),
            format: format.name().into(),
            bytes: folder.bytes,
            ..FileStats::default()
        };
        self.add_folder(folder, figures.with(size));
        Ok(())
    }

    /// Writes a folder of files in this format as `write` does: phase `write`. It
    /// appears at the end of the session.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_folder_by(
        &mut self,
        format: &str,
        write: impl FnOnce() -> Result<UnfinishedFolder, Failure>,
    ) -> Result<(), Failure> {
        let is_synced = self.is_synced();
        let folder = self.phase("write", |phase| {
            let folder = write()?;
            if is_synced {
                folder.sync()?;
            }
            phase.summary(|| {
                let (name, count) = (&folder.target.name, folder.files.len());
                format!(
                    "{name}, {}, {}",
                    counted(count, "file"),
                    show_size(folder.bytes)
                )
            });
            Ok(folder)
        })?;
        let figures = FileStats {
            path: folder.target.name.clone(),
            format: format.into(),
            bytes: folder.bytes,
            ..FileStats::default()
        };
        self.add_folder(folder, figures);
        Ok(())
    }
}

impl Phase {
    /// Shows how far an input has been read.
    pub(super) fn watch_reading(&mut self, source: &Source) {
        let position = source.progress();
        let what = format_args!("reading {}", source.name());
        self.progress(what, Unit::Bytes, position.total())
            .watch(move || position.consumed());
    }
}
