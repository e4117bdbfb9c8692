//! What users name: files, bytes, LTSs, models.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades::channels::{self, SystemModel};
use hyades::explore::{Erased, ExploreOptions, Goal, Model, ModelError, Progress, reach};
use hyades::formats::mealy::{InitialOutput, ReadMealy};
use hyades::formats::options::{Dialect, StateOutputs};
use hyades::formats::{
    self as formats, Diagnostic, FileError, Format, Lts, Mode, ReadError, ReadOptions, Source,
};
use hyades::lts::Numbering;
use hyades::network::{self, Disk, NetworkModel};
use hyades::plugin::{Plugin, is_plugin};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::errors::{self, Fault, value};
use crate::lts::PyLts;
use crate::texts;
use crate::work::{Watch, work};

/// Where bytes come from.
pub enum Input {
    /// A file.
    Path(PathBuf),
    /// Bytes at hand, and the name of the file that they are of, or what they are called.
    Bytes(PathBuf, Vec<u8>),
}

impl Input {
    /// What a user has given: a path, bytes, or a file that is open.
    ///
    /// # Errors
    /// If it is none of these, or the file cannot be read.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyByteArray>() {
            return Ok(Input::Bytes("<bytes>".into(), given.extract()?));
        }
        if given.is_instance_of::<PyMemoryView>() {
            let bytes = given.call_method0("tobytes")?;
            return Ok(Input::Bytes("<bytes>".into(), bytes.extract()?));
        }
        if given.is_instance_of::<PyString>() || given.hasattr("__fspath__")? {
            return Ok(Input::Path(path(given)?));
        }
        if !given.hasattr("read")? {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "expected a path, bytes or an open file, found {kind}"
            )));
        }
        // Of a descriptor it is a number.
        let name = given.getattr("name").and_then(|name| path(&name));
        let name = name.unwrap_or_else(|_| "<file>".into());
        let read = given.call_method0("read")?;
        Ok(Input::Bytes(name, texts::bytes(&read)?))
    }

    /// Its name.
    fn path(&self) -> &Path {
        match self {
            Input::Path(path) | Input::Bytes(path, _) => path,
        }
    }

    /// What goes wrong with it, by its name.
    fn named(&self, fault: Fault) -> Fault {
        match self {
            Input::Path(path) => fault.of_path(path),
            Input::Bytes(..) => fault,
        }
    }

    fn open(&self, format: Option<Format>) -> Result<Source, ReadError> {
        match self {
            Input::Path(path) => Source::open(path, format),
            Input::Bytes(path, bytes) => Source::from_bytes_of(path, bytes.clone(), format),
        }
    }
}

/// How files are read.
#[derive(Clone, Default)]
pub struct Reading {
    /// The format, if it is said.
    pub format: Option<Format>,
    /// Options of readers.
    pub options: ReadOptions,
}

impl Reading {
    /// What a user says of reading.
    ///
    /// # Errors
    /// If a name is none that there is, or the labels that are hidden are none.
    pub fn of(
        format: Option<&str>,
        hidden: Option<&Bound<'_, PyAny>>,
        dialect: Option<&str>,
        mode: Option<&str>,
        mealy: bool,
        moore: bool,
    ) -> PyResult<Self> {
        let format = format.map(str::parse).transpose().map_err(value)?;
        let dialect: Option<Dialect> = dialect.map(str::parse).transpose().map_err(value)?;
        let mode = match mode {
            None => Mode::Default,
            Some("strict") => Mode::Strict,
            Some("lenient") => Mode::Lenient,
            Some(other) => {
                return Err(PyValueError::new_err(format!(
                    "unknown mode `{other}`: expected strict or lenient"
                )));
            }
        };
        let hidden = names(hidden)?;
        if hidden.as_ref().is_some_and(Vec::is_empty) {
            return Err(PyValueError::new_err(
                "hidden: expected labels, or None for those that are hidden in the format, found \
                 an empty list; to have no label hidden, name one that does not occur",
            ));
        }
        let initial = match (mealy, moore) {
            (true, true) => {
                return Err(PyValueError::new_err(
                    "mealy and moore: expected one of them, found both",
                ));
            }
            (false, true) => InitialOutput::Needed,
            (_, false) => InitialOutput::None,
        };
        let mut options = ReadOptions {
            hidden: hidden.unwrap_or_default(),
            dialect,
            mode,
            mealy: (mealy || moore).then(|| ReadMealy {
                initial,
                ..ReadMealy::default()
            }),
            ..ReadOptions::default()
        };
        if moore {
            options.dot.outputs = StateOutputs::Moore;
        }
        Ok(Self { format, options })
    }

    /// Reads an LTS, or the state space of a network, as long as nobody wants an end; and
    /// what there is to warn of.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(&self, input: &Input, watch: &Watch) -> Result<(Lts, Vec<Diagnostic>), Fault> {
        let mut found = Vec::new();
        let mut sink = |diagnostic| found.push(diagnostic);
        let read = self.read_told(input, watch, &mut sink);
        match read {
            Ok(Some(lts)) => Ok((lts, found)),
            // What Python says of it goes before that.
            Ok(None) => Err(Fault::Limit("the user has ended the exploration".into())),
            Err(error) => Err(Fault::File(FileError {
                diagnostics: found,
                cause: formats::FileErrorCause::Read(error),
            })),
        }
    }

    /// None if the user wants an end.
    fn read_told(
        &self,
        input: &Input,
        watch: &Watch,
        sink: &mut formats::Sink<'_>,
    ) -> Result<Option<Lts>, ReadError> {
        let source = input.open(self.format)?;
        if source.format() != Format::Exp {
            return formats::read_lts(source, &self.options, sink).map(Some);
        }
        let network = network::read(source, &self.network(input), &Disk, sink)?;
        let file = Arc::clone(network.name());
        let mut progress = |_: &Progress| watch.flow();
        let options = ExploreOptions {
            progress: Some(&mut progress),
            ..ExploreOptions::default()
        };
        let goal = Goal::Lts(Numbering::BreadthFirst);
        match reach(NetworkModel::new(network), options, goal, |_| ()) {
            Ok((lts, _)) => Ok(lts),
            Err(error) => Err(network::read_error(file, error)),
        }
    }

    /// How networks are read; their components are beside them.
    fn network(&self, input: &Input) -> network::Options {
        let folder = input.path().parent();
        network::Options {
            read: self.options.clone(),
            base: folder.map(PathBuf::from).unwrap_or_default(),
            ..network::Options::default()
        }
    }

    /// The same for Mealy machines, as `wmethod` reads them.
    pub fn of_machines() -> Self {
        let mut reading = Self::default();
        reading.options.mealy = Some(ReadMealy {
            initial: InitialOutput::Possible,
            ..ReadMealy::default()
        });
        reading.options.dot.outputs = StateOutputs::Shown;
        reading
    }
}

/// One name, or several.
pub fn names(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<Vec<u8>>>> {
    let Some(given) = given else {
        return Ok(None);
    };
    if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() {
        return Ok(Some(vec![texts::bytes(given)?]));
    }
    let all: PyResult<Vec<Vec<u8>>> = given.try_iter()?.map(|one| texts::bytes(&one?)).collect();
    Ok(Some(all?))
}

/// The LTS that a user gives: itself, or where it is to be read from.
///
/// # Errors
/// If it cannot be read.
pub fn lts_of(given: &Bound<'_, PyAny>, reading: &Reading) -> PyResult<Arc<Lts>> {
    if let Ok(lts) = given.cast::<PyLts>() {
        return Ok(Arc::clone(&lts.get().lts));
    }
    let input = Input::of(given)?;
    let py = given.py();
    let (lts, found) = work(py, |watch| {
        let read = reading.read(&input, watch);
        read.map_err(|fault| input.named(fault))
    })?;
    errors::warn(py, &found)?;
    Ok(Arc::new(lts))
}

/// What a user gives to be explored, before it is read.
pub enum Unread {
    /// An LTS.
    Lts(Arc<Lts>),
    /// Where something is read from.
    Input(Input),
}

impl Unread {
    /// # Errors
    /// If it is neither, or an open file cannot be read.
    pub fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match given.cast::<PyLts>() {
            Ok(lts) => Unread::Lts(Arc::clone(&lts.get().lts)),
            Err(_) => Unread::Input(Input::of(given)?),
        })
    }

    /// Reads it, as [`Subject::of`] does; and what there is to warn of.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn read(
        self,
        reading: &Reading,
        argument: Option<&str>,
        watch: &Watch,
    ) -> Result<(Subject, Vec<Diagnostic>), Fault> {
        match self {
            Unread::Lts(lts) => {
                refuse(argument)?;
                Ok((Subject::Lts(lts), Vec::new()))
            }
            Unread::Input(input) => {
                let read = Subject::read(&input, reading, argument, watch);
                read.map_err(|fault| input.named(fault))
            }
        }
    }
}

/// Something that can be explored.
pub enum Subject {
    /// An LTS.
    Lts(Arc<Lts>),
    /// Components that move together.
    Network(Box<NetworkModel>),
    /// Machines that exchange messages.
    System(Box<SystemModel<'static>>),
    /// Code from a shared object.
    Plugin(Plugin),
}

impl Subject {
    /// What a user gives: an LTS, or the file of a model: a network (`.exp`), a system of
    /// machines (`.toml`), a plugin (`.so`, with its argument), or an LTS.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(
        given: &Bound<'_, PyAny>,
        reading: &Reading,
        argument: Option<&str>,
    ) -> PyResult<Self> {
        let (py, given) = (given.py(), Unread::of(given)?);
        let (subject, found) = work(py, |watch| given.read(reading, argument, watch))?;
        errors::warn(py, &found)?;
        Ok(subject)
    }

    fn read(
        input: &Input,
        reading: &Reading,
        argument: Option<&str>,
        watch: &Watch,
    ) -> Result<(Self, Vec<Diagnostic>), Fault> {
        let by_name = Format::from_path(input.path());
        if let (Input::Path(path), None) = (input, reading.format)
            && is_plugin(path)
        {
            // The system's own message is about libraries.
            let opened = std::fs::File::open(path);
            opened.map_err(|error| Fault::System(path.clone(), error))?;
            let plugin = Plugin::open(path, argument.map(AsRef::as_ref));
            let named = |error: ModelError| Fault::Model(format!("{}: {error}", path.display()));
            return Ok((Subject::Plugin(plugin.map_err(named)?), Vec::new()));
        }
        refuse(argument)?;
        let mut found = Vec::new();
        let mut sink = |diagnostic| found.push(diagnostic);
        let subject = match reading.format.or(by_name) {
            Some(Format::Exp) => {
                let read = FileError::reading(|told| {
                    let source = input.open(Some(Format::Exp))?;
                    let mut both = |diagnostic: Diagnostic| {
                        sink(diagnostic.clone());
                        told(diagnostic);
                    };
                    network::read(source, &reading.network(input), &Disk, &mut both)
                });
                Subject::Network(Box::new(NetworkModel::new(read?)))
            }
            Some(Format::Toml) => {
                let Input::Path(path) = input else {
                    return Err(Fault::Value(
                        "a system of machines is read from a file: give its name, which ends in .toml"
                            .into(),
                    ));
                };
                let system = channels::read_system(path, &reading.options, &mut sink)?;
                let model = SystemModel::owning(system, channels::Semantics::default())?;
                Subject::System(Box::new(model.by_events()?))
            }
            _ => {
                let (lts, told) = reading.read(input, watch)?;
                return Ok((Subject::Lts(Arc::new(lts)), told));
            }
        };
        Ok((subject, found))
    }

    /// For who does the same with all of them.
    pub fn erased(&self) -> Erased<'_> {
        match self {
            Subject::Lts(lts) => lts.erased(),
            Subject::Network(network) => network.erased(),
            Subject::System(system) => system.erased(),
            Subject::Plugin(plugin) => plugin.erased(),
        }
    }

    /// To be called after an exploration.
    ///
    /// # Errors
    /// If something went wrong in a plugin.
    pub fn finish(&self) -> Result<(), ModelError> {
        match self {
            Subject::Plugin(plugin) => plugin.finish(),
            Subject::Lts(_) | Subject::Network(_) | Subject::System(_) => Ok(()),
        }
    }
}

/// Refuses an argument for what is no plugin.
fn refuse(argument: Option<&str>) -> Result<(), Fault> {
    match argument {
        None => Ok(()),
        Some(_) => Err(Fault::Value("argument is for model plugins (.so)".into())),
    }
}

/// The name of a file.
///
/// # Errors
/// If it is none, or has a zero in it.
pub fn path(given: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path: PathBuf = given.extract()?;
    match path.as_os_str().as_encoded_bytes().contains(&0) {
        true => Err(PyValueError::new_err("embedded null byte")),
        false => Ok(path),
    }
}
