//! An LTS that the processes of a run read and write together: each its part.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use hyades_cluster::Error;
use hyades_cluster::checkpoint::Checkpoints;
use hyades_cluster::exploration::{self, KeepRows, KeptRows, explore};
use hyades_cluster::meter::{Kind, Meter};
use hyades_cluster::options::{Observer, Round};
use hyades_cluster::output::each_row;
use hyades_cluster::quotient::Parts;
use hyades_cluster::read::Input;
use hyades_cluster::saved::Snapshot;
use hyades_cluster::wire::{Cursor, hash};
use hyades_cluster::worker::{Worker, gather, sum};
use hyades_explore::{
    AutSink, ExploreOptions, Limit, Limits, LtsSink, Model, Outcome, ProgressCallback, Sink,
};
use hyades_formats::aut::StreamWriter;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::options::Codec;
use hyades_formats::plts::MANIFEST;
use hyades_formats::{self as formats, Format, LabelId, LabelTable, StateId, WriteError};
use hyades_network::{Disk, Network, NetworkModel, limit_error, read_error};
use serde_json::{Map, Value};

use super::cluster::{Membership, cluster_failure};
use super::excerpt::know_file;
use super::external::{available, hidden};
use super::input::open_input;
use super::memory;
use super::options::{DialectOption, LtsOutput, ReadOptions};
use super::progress::Unit;
use super::say::say;
use super::session::Session;
use super::size::show_size;
use super::stats::{FileStats, Size};
use super::status::{Failure, read_failure};
use super::tau::Gates;

/// Who is told how far it has come.
pub struct Rounds<'a> {
    /// Shows the number of the round and of the classes.
    shown: &'a mut dyn FnMut(&hyades_equivalence::Round),
    /// The command's name, if each round is told.
    told: Option<&'static str>,
    before: (Instant, u64),
    /// What saves the state of the run, and what has gone wrong meanwhile.
    checkpoints: Option<&'a mut Checkpoints>,
    trouble: Option<Error>,
}

impl<'a> Rounds<'a> {
    /// Each round is shown; it is told as well if there is the name of a command.
    pub fn new(
        shown: &'a mut dyn FnMut(&hyades_equivalence::Round),
        told: Option<&'static str>,
        meter: &Meter<'_>,
    ) -> Self {
        Self {
            shown,
            told,
            before: (Instant::now(), meter.all_sent()),
            checkpoints: None,
            trouble: None,
        }
    }

    /// The state of the run is saved from time to time.
    pub fn saving(mut self, checkpoints: Option<&'a mut Checkpoints>) -> Self {
        self.checkpoints = checkpoints;
        self
    }
}

impl Observer for Rounds<'_> {
    fn is_due(&mut self) -> bool {
        // What has gone wrong is told by saving.
        self.trouble.is_some() || self.checkpoints.as_ref().is_some_and(|it| it.is_due())
    }

    fn save(&mut self, snapshot: &Snapshot<'_>) -> Result<(), Error> {
        match (self.trouble.take(), &mut self.checkpoints) {
            (Some(error), _) => Err(error),
            (None, Some(checkpoints)) => checkpoints.save(snapshot),
            (None, None) => Ok(()),
        }
    }

    fn round(&mut self, round: &Round) {
        if let Some(checkpoints) = &mut self.checkpoints
            && let Err(error) = checkpoints.seal()
        {
            self.trouble = Some(error);
        }
        (self.shown)(&hyades_equivalence::Round {
            number: round.number,
            classes: round.blocks as usize,
        });
        let Some(name) = self.told else {
            return;
        };
        let now = (Instant::now(), round.sent);
        say(format_args!(
            "{name}: round {} ({}): {} classes, {} not alone, {} sent by process 0 in {:.3} s",
            round.number,
            round.phase.name(),
            round.blocks,
            counted(round.live, "state"),
            show_size(now.1 - self.before.1),
            (now.0 - self.before.0).as_secs_f64()
        ));
        self.before = now;
    }
}

/// The figure that has the bytes that a worker has sent, by what for.
pub fn kinds(meter: &Meter<'_>) -> Map<String, Value> {
    let kinds = Kind::ALL.into_iter();
    let kinds: Map<_, _> = kinds
        .map(|kind| (kind.name().to_owned(), Value::from(meter.sent(kind))))
        .collect();
    Map::from_iter([("bytes_by_kind".to_owned(), kinds.into())])
}

/// In which form an LTS of which each process has a part is written: all know what the first
/// one has been asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As one file, by the first process, which needs all of it before it writes.
    Whole,
    /// As one file, by the first process, row by row.
    Rows,
    /// As a partitioned LTS, whose blocks are compressed like that.
    Parts(Codec),
}

impl Form {
    /// That of the output that the first process has.
    ///
    /// # Errors
    /// If another process is lost.
    pub fn of_first(worker: &mut dyn Worker, output: Option<&LtsOutput>) -> Result<Self, Failure> {
        let form = match output {
            Some(output) if output.format == Format::Plts => {
                output.check_parts_distributed()?;
                Form::Parts(output.options.columns.codec.unwrap_or(Codec::Zstd))
            }
            Some(output) if output.is_sequential() => Form::Rows,
            Some(_) | None => Form::Whole,
        };
        let own = match form {
            Form::Whole => 0,
            Form::Rows => 1,
            Form::Parts(Codec::None) => 2,
            Form::Parts(Codec::Zstd) => 3,
            Form::Parts(Codec::Lz4) => {
                return Err(Failure::error(
                    "a partitioned LTS is compressed by zstd or none, not lz4",
                ));
            }
        };
        let told = gather(worker, &[own]).map_err(cluster_failure)?;
        match told.first().map(Vec::as_slice) {
            Some([0]) => Ok(Form::Whole),
            Some([1]) => Ok(Form::Rows),
            Some([2]) => Ok(Form::Parts(Codec::None)),
            Some([3]) => Ok(Form::Parts(Codec::Zstd)),
            Some(_) | None => Err(cluster_failure(Error::Packet)),
        }
    }
}

/// What all processes know of an LTS that they write.
pub struct Announcement<'t> {
    /// How many states all have.
    pub states: u64,
    /// How many transitions.
    pub transitions: u64,
    /// The initial state.
    pub initial: u64,
    /// The labels.
    pub table: &'t LabelTable,
    /// For each label whether it occurs, at any process: these are written.
    pub used: &'t [bool],
}

impl Announcement<'_> {
    /// The labels that occur, in their order.
    pub(super) fn labels(&self) -> Vec<LabelId> {
        let used = (0..).zip(self.used).filter(|(_, used)| **used);
        used.map(|(label, _)| LabelId::new(label)).collect()
    }
}

/// Refuses what not every process can read for itself: standard input and pipes.
///
/// # Errors
/// If one of these files is such.
pub fn check_regular<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let is_shared = |path: &&Path| {
        let kind = fs::metadata(path).map(|data| data.file_type());
        *path == Path::new("-") || kind.is_ok_and(|kind| !kind.is_file() && !kind.is_dir())
    };
    let name = |path: &Path| match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => printable_path(path),
    };
    match files.into_iter().find(is_shared) {
        None => Ok(()),
        Some(path) => Err(Failure::error(format!(
            "the processes of a cluster read regular files, each for itself, not {}: name one",
            name(path)
        ))),
    }
}

/// Refuses files, and the hash of a text, that are not the same at one process as at another.
/// Of partitioned LTSs the manifests are compared, which have sums of the parts.
///
/// # Errors
/// If there are such, or another process is lost.
pub fn check_same(worker: &mut dyn Worker, files: &[&Path], text: u64) -> Result<(), Failure> {
    let contents = files.iter().map(|path| {
        let read = match path.is_dir() {
            true => fs::read(path.join(MANIFEST)),
            false => fs::read(path),
        };
        let read = read.map(|bytes| hash(&bytes[..]));
        read.map_err(|error| Failure::reading(&printable_path(path), &error))
    });
    let contents: Vec<u64> = contents.collect::<Result<_, _>>()?;
    // The text last, so that what it names is told by its name.
    let own: Vec<u8> = contents
        .into_iter()
        .chain([text])
        .flat_map(u64::to_le_bytes)
        .collect();
    let all = gather(worker, &own).map_err(cluster_failure)?;
    let Some((other, told)) = all.iter().enumerate().find(|(_, told)| **told != own) else {
        return Ok(());
    };
    let words = own.chunks(8).zip(told.chunks(8));
    let equal = words.take_while(|(own, told)| own == told).count();
    let what = match files.get(equal) {
        Some(path) if own.len() == told.len() => printable_path(path),
        Some(_) | None => "the text of the input, or what it includes,".into(),
    };
    Err(Failure::error(format!(
        "{what} is not the same for process {} as for process {other}: all need the same files",
        worker.index()
    )))
}

/// Where this process may keep as much as the output of the first one holds: beside that, if
/// this host has the directory too, or where temporary files are.
///
/// # Errors
/// If another process is lost.
pub fn room_distributed(
    worker: &mut dyn Worker,
    output: Option<&LtsOutput>,
) -> Result<PathBuf, Failure> {
    let usual = std::env::temp_dir();
    let own = output.map(|output| output.destination.room());
    // Each host has its own directory of temporary files.
    let own = own.filter(|own| *own != usual);
    let own = own.and_then(|own| std::path::absolute(own).ok());
    let own = own.unwrap_or_default();
    let all = gather(worker, own.as_os_str().as_bytes()).map_err(cluster_failure)?;
    let told = all.into_iter().next().unwrap_or_default();
    let told = PathBuf::from(OsString::from_vec(told));
    Ok(if told.is_dir() { told } else { usual })
}

/// The state space of a network, explored by all processes. Rows that have no room are kept in
/// the directory `room` until all states are known.
fn explored(
    worker: &mut dyn Worker,
    network: Network,
    limits: Limits,
    room: PathBuf,
    progress: &mut ProgressCallback<'_>,
) -> Result<Input, Failure> {
    let file = Arc::clone(network.name());
    let model = NetworkModel::new(network);
    let search = ExploreOptions {
        limits,
        progress: Some(progress),
        ..ExploreOptions::default()
    };
    let options = exploration::Options {
        rows: Some(KeepRows::new(room)),
        ..exploration::Options::default()
    };
    let found = explore(worker, model.erased(), search, &options).map_err(|error| match error {
        Error::Explore(error) => read_failure(read_error(Arc::clone(&file), error)),
        error => cluster_failure(error),
    })?;
    if let Outcome::LimitReached(limit) = found.exploration.outcome {
        if limit == Limit::Memory {
            memory::spend_reserve();
        }
        return Err(read_failure(limit_error(file, limit, &limits)));
    }
    let rows = found
        .rows
        .expect("nothing else ends it before all rows are known");
    let labels = found.exploration.labels.into_owned();
    rows.into_input(worker, labels).map_err(cluster_failure)
}

impl Session {
    /// Reads an LTS, or explores a network, of which this process has the rows of some states:
    /// phase `read`. `output` is what the first process writes.
    ///
    /// # Errors
    /// If it cannot be read, or another process is lost.
    pub fn read_distributed(
        &mut self,
        worker: &mut dyn Worker,
        path: &Path,
        (read, dialect): (&ReadOptions, &DialectOption),
        output: Option<&LtsOutput>,
    ) -> Result<(Input, Format), Failure> {
        know_file(path);
        let gates = Gates::new(read, dialect)?;
        let from = read.from()?;
        let mut network = read.network(dialect, Some(path));
        let limits = self.limits_of_reading();
        network.limits = limits;
        let read = read.get(dialect);
        let mut besides = Vec::new();
        let shown = self.shown();
        let mut figures = FileStats {
            path: printable_path(path),
            ..FileStats::default()
        };
        let mut given = std::mem::take(&mut self.given);
        let (input, format) = self.phase("read", |phase| {
            let name = printable_path(path);
            let bar = phase.progress(format_args!("reading {name}"), Unit::None, None);
            let source = open_input(path, from).map_err(read_failure)?;
            let format = source.format();
            figures.bytes = source.progress().total().unwrap_or(0);
            figures.format = format.name().into();
            given.begin_input(format).iter().for_each(shown);
            let mut sink = |d: formats::Diagnostic| shown(&d);
            let mut input = match format {
                Format::Exp => {
                    let network = hyades_network::read(source, &network, &Disk, &mut sink);
                    let network = network.map_err(read_failure)?;
                    besides.extend(network.paths().map(Path::to_owned));
                    let files = std::iter::once(path).chain(besides.iter().map(PathBuf::as_path));
                    let files: Vec<&Path> = files.collect();
                    check_same(worker, &files, network.text_hash())?;
                    let room = room_distributed(worker, output)?;
                    explored(worker, network, limits, room, &mut bar.explored())?
                }
                format => {
                    drop(source);
                    let read =
                        hyades_cluster::read::read(worker, path, Some(format), &read, &mut sink);
                    read.map_err(cluster_failure)?
                }
            };
            if gates.rules().is_some() {
                let relabelled = input.relabel(&|table| hidden(table, &gates, format, &name));
                relabelled.map_err(read_failure)?;
            }
            let transitions = sum(worker, input.transitions()).map_err(cluster_failure)?;
            let states = input.ranges.states();
            figures.states = Some(states);
            figures.transitions = Some(transitions);
            phase.summary(|| {
                format!(
                    "{name}, {}, {}, {}",
                    show_size(figures.bytes),
                    counted(states, "state"),
                    counted(transitions, "transition")
                )
            });
            Ok((input, format))
        })?;
        self.given = given;
        self.spare(besides);
        if let Some(rules) = gates.rules() {
            self.tell_unused_gates(Some(rules));
        }
        self.add_input(|| figures);
        Ok((input, format))
    }

    /// How much memory each process of a run may use: the least that one of them has, if
    /// those on this host share it.
    ///
    /// # Errors
    /// If another process is lost.
    pub fn memory_distributed(
        &self,
        worker: &mut dyn Worker,
        membership: &Membership,
    ) -> Result<u64, Failure> {
        let sharing = match membership.is_local {
            true => worker.peers() as u64,
            false => 1,
        };
        let own = memory::rest().unwrap_or_else(|| available() / sharing);
        let all = gather(worker, &own.to_le_bytes()).map_err(cluster_failure)?;
        let all: Result<Vec<u64>, Error> = all.iter().map(|one| Cursor::new(one).u64()).collect();
        let all = all.map_err(cluster_failure)?;
        Ok(all.into_iter().min().unwrap_or(own))
    }

    /// Writes an LTS in parts of which this process has one: as a partitioned one, each its part,
    /// or as a file, which the first process writes: phase `write`. It appears at the end of the
    /// session of the first process. For another format than AUT that process has all of it.
    ///
    /// # Errors
    /// If it cannot be written, or another process is lost.
    pub fn write_parts_distributed(
        &mut self,
        worker: &mut dyn Worker,
        output: Option<&LtsOutput>,
        form: Form,
        parts: &Parts,
        sizes: (u64, u64),
    ) -> Result<(), Failure> {
        let used = parts.rows.used_labels(worker, parts.table.len());
        let used = used.map_err(cluster_failure)?;
        let what = Announcement {
            states: sizes.0,
            transitions: sizes.1,
            initial: 0,
            table: &parts.table,
            used: &used,
        };
        let codec = match form {
            Form::Whole | Form::Rows => {
                return self.write_whole(output, &what, |sink| {
                    each_row(worker, parts, |rows| {
                        match sink.take(&[rows], &parts.table) {
                            ControlFlow::Continue(()) => Ok(()),
                            // The sink knows why.
                            ControlFlow::Break(()) => Err(Error::Packet),
                        }
                    })
                });
            }
            Form::Parts(codec) => codec,
        };
        let folder = output.and_then(|output| output.folder.as_ref());
        let own = parts.ranges.of(worker.index());
        self.write_distributed(worker, folder, &what, codec, own, |_, write| {
            let mut row = Vec::new();
            for state in 0..parts.rows.states() {
                let (labels, targets) = parts.rows.row(state);
                row.clear();
                row.extend(labels.iter().copied().zip(targets.iter().copied()));
                write(&row)?;
            }
            Ok(())
        })
    }

    /// Writes a state space of which each process has the rows of its own states as a file, which
    /// the first process writes: phase `write`. It appears at the end of its session.
    ///
    /// # Errors
    /// If it cannot be written, or another process is lost.
    pub fn write_explored(
        &mut self,
        worker: &mut dyn Worker,
        output: Option<&LtsOutput>,
        rows: &mut KeptRows,
        what: &Announcement<'_>,
    ) -> Result<(), Failure> {
        self.write_whole(output, what, |sink| {
            rows.deliver_to(worker, 0, what.table, sink).map(drop)
        })
    }

    /// Writes an LTS as one file, which the first process writes: phase `write`. `pass` brings
    /// the rows of all processes to the sink of that one, the only one that has an output.
    fn write_whole(
        &mut self,
        output: Option<&LtsOutput>,
        what: &Announcement<'_>,
        pass: impl FnOnce(&mut dyn Sink) -> Result<(), Error>,
    ) -> Result<(), Failure> {
        let Some(output) = output else {
            return self.phase("write", |_| pass(&mut ()).map_err(cluster_failure));
        };
        if !output.is_sequential() {
            let mut sink = LtsSink::new();
            let passed = pass(&mut sink);
            // A sink that has not taken all may have ended it.
            sink.check()?;
            passed.map_err(cluster_failure)?;
            return self.write(output, &sink.finish(what.table.clone())?);
        }
        let labels = what.labels();
        let size = || Size {
            states: what.states,
            transitions: what.transitions,
            labels: labels.len() as u64,
        };
        let options = self.write_options(output, |text| {
            let label = what.table.find(text);
            label.is_some_and(|label| what.used[label.index()])
        });
        let initial = StateId::new(what.initial as u32);
        let sizes = (initial, what.transitions, what.states);
        let mut lost = None;
        let written = self.write_lts("write", output, size, |out, diagnostics| {
            let known = (&labels[..], what.table);
            let writer = StreamWriter::announcing_labels(out, &options, sizes, known, diagnostics)?;
            let mut sink = AutSink::new(writer, diagnostics);
            let passed = pass(&mut sink);
            let writer = sink.into_writer()?;
            match passed {
                Ok(()) => writer.finish(initial, what.states),
                Err(error) => {
                    lost = Some(error);
                    Err(WriteError::Io(io::ErrorKind::Other.into()))
                }
            }
        });
        match lost {
            Some(error) => Err(cluster_failure(error)),
            None => written,
        }
    }
}
