//! What commands explore: every kind of state space goes through one door.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use hyades_channels::{System, SystemModel};
use hyades_explore::{Emit, Model, ModelError};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, LabelTable, Lts};
use hyades_network::por::ReducedModel;
use hyades_network::symmetry::SymmetricModel;
use hyades_network::{Network, NetworkModel};
use hyades_plugin::{Plugin, is_plugin};

use super::networks::EXPRESSION;
use super::options::{DialectOption, FilterOptions, ReadOptions, first_given};
use super::run::Session;
use super::size::show_size;
use super::state_symmetry::StateSymmetryOptions;
use super::stats::FileStats;
use super::status::Failure;

/// How an input is understood that is a model rather than an LTS.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Models")]
pub struct ModelOptions {
    /// Explore this network instead of an INPUT
    #[arg(
        long,
        value_name = "EXPR",
        conflicts_with = "input",
        allow_hyphen_values = true
    )]
    expression: Option<String>,

    #[command(flatten)]
    plugin: PluginOptions,
}

/// What there is to say to a model plugin.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Models")]
pub struct PluginOptions {
    /// Give TEXT to the model plugin (.so), which knows what it means
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    model_argument: Option<OsString>,

    /// Ask the model plugin everything twice, and end with an error if it does
    /// not keep to its contract
    #[arg(long)]
    check_model: bool,

    #[command(flatten)]
    symmetry: StateSymmetryOptions,
}

impl PluginOptions {
    /// Whether states are explored up to symmetry.
    pub fn symmetry(&self) -> &StateSymmetryOptions {
        &self.symmetry
    }

    /// The first option that only plugins know.
    fn of_plugins(&self) -> Option<&'static str> {
        first_given([
            (self.model_argument.is_some(), "--model-argument"),
            (self.check_model, "--check-model"),
            (self.symmetry.is_of_plugin(), "--symmetry model"),
        ])
    }

    /// # Errors
    /// If there is an option that only plugins know, and `input` is none.
    fn refuse_of_plugins(&self, input: &str) -> Result<(), Failure> {
        match self.of_plugins() {
            None => Ok(()),
            Some(option) => Err(Failure::error(format!(
                "{option} is for model plugins (.so), and {input} is none"
            ))),
        }
    }
}

impl ModelOptions {
    /// Whether states are explored up to symmetry.
    pub fn symmetry(&self) -> &StateSymmetryOptions {
        &self.plugin.symmetry
    }

    /// What the model is called in messages.
    pub fn name(&self, input: &Path) -> String {
        match self.expression {
            Some(_) => EXPRESSION.into(),
            None => printable_path(input),
        }
    }
}

/// What a command that explores is given.
pub enum Given {
    /// A network, of which there may be more to make than a model.
    Network(Box<Network>),
    /// A system of machines, which can be explored in several ways, and the
    /// files of its components.
    System(Box<System>, Vec<PathBuf>),
    /// Anything else.
    Model(AnyModel),
}

impl Given {
    /// The files it consists of, beside the one that names them.
    pub fn files(&self) -> Vec<&Path> {
        match self {
            Given::Network(network) => {
                let components = network.files().iter().map(|file| &*file.path);
                components
                    .chain(network.rule_files().iter().map(|file| &**file))
                    .collect()
            }
            Given::System(_, files) => files.iter().map(|file| &**file).collect(),
            Given::Model(_) => Vec::new(),
        }
    }
}

/// A state space, in whatever way it is given.
pub enum AnyModel {
    /// Read from a file.
    Lts(Lts),
    /// Computed by a shared object.
    Plugin(Plugin),
    /// Components that move together.
    Network(Box<NetworkModel>),
    /// The same, with fewer interleavings.
    Reduced(Box<ReducedModel>),
    /// A network up to symmetry.
    Symmetric(Box<SymmetricModel<'static>>),
    /// Machines that exchange messages.
    System(Box<SystemModel<'static>>),
}

impl AnyModel {
    /// How many states there are, if that is known beforehand.
    pub fn states(&self) -> Option<u64> {
        match self {
            AnyModel::Lts(lts) => Some(lts.states() as u64),
            _ => None,
        }
    }

    /// Whether states have numbers before they are explored.
    pub fn has_numbers(&self) -> bool {
        match self {
            AnyModel::Lts(_) => true,
            AnyModel::Plugin(plugin) => plugin.numbers().is_some(),
            _ => false,
        }
    }
}

/// Memory of [`AnyModel`].
pub enum AnyScratch {
    /// An LTS needs none.
    Lts,
    /// A plugin's.
    Plugin(Box<<Plugin as Model>::Scratch>),
    /// A network's.
    Network(Box<<NetworkModel as Model>::Scratch>),
    /// A reduced network's.
    Reduced(Box<<ReducedModel as Model>::Scratch>),
    /// A network's up to symmetry.
    Symmetric(Box<<SymmetricModel<'static> as Model>::Scratch>),
    /// A system's.
    System(<SystemModel<'static> as Model>::Scratch),
}

/// For who changes a model on the fly, whatever it is. Who explores it as it is
/// looks what it is first, which is faster.
impl Model for AnyModel {
    type Scratch = AnyScratch;

    fn scratch(&self) -> AnyScratch {
        match self {
            AnyModel::Lts(_) => AnyScratch::Lts,
            AnyModel::Plugin(plugin) => AnyScratch::Plugin(Box::new(plugin.scratch())),
            AnyModel::Network(network) => AnyScratch::Network(Box::new(network.scratch())),
            AnyModel::Reduced(network) => AnyScratch::Reduced(Box::new(network.scratch())),
            AnyModel::Symmetric(network) => AnyScratch::Symmetric(Box::new(network.scratch())),
            AnyModel::System(system) => AnyScratch::System(system.scratch()),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        match self {
            AnyModel::Lts(lts) => Model::labels(lts),
            AnyModel::Plugin(plugin) => plugin.labels(),
            AnyModel::Network(network) => network.labels(),
            AnyModel::Reduced(network) => network.labels(),
            AnyModel::Symmetric(network) => network.labels(),
            AnyModel::System(system) => system.labels(),
        }
    }

    fn bits(&self) -> usize {
        match self {
            AnyModel::Lts(lts) => lts.bits(),
            AnyModel::Plugin(plugin) => plugin.bits(),
            AnyModel::Network(network) => network.bits(),
            AnyModel::Reduced(network) => network.bits(),
            AnyModel::Symmetric(network) => network.bits(),
            AnyModel::System(system) => system.bits(),
        }
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        match self {
            AnyModel::Lts(lts) => Model::initial(lts, state),
            AnyModel::Plugin(plugin) => plugin.initial(state),
            AnyModel::Network(network) => network.initial(state),
            AnyModel::Reduced(network) => network.initial(state),
            AnyModel::Symmetric(network) => network.initial(state),
            AnyModel::System(system) => system.initial(state),
        }
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut AnyScratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        match (self, scratch) {
            (AnyModel::Lts(lts), _) => lts.successors(&mut (), state, emit),
            (AnyModel::Plugin(plugin), AnyScratch::Plugin(scratch)) => {
                plugin.successors(scratch, state, emit)
            }
            (AnyModel::Network(network), AnyScratch::Network(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::Reduced(network), AnyScratch::Reduced(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::Symmetric(network), AnyScratch::Symmetric(scratch)) => {
                network.successors(scratch, state, emit)
            }
            (AnyModel::System(system), AnyScratch::System(scratch)) => {
                system.successors(scratch, state, emit)
            }
            _ => unreachable!("the memory is that of the model"),
        }
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        match self {
            AnyModel::System(system) => system.is_truncated(state),
            _ => false,
        }
    }

    fn was_truncated(&self) -> bool {
        match self {
            AnyModel::System(system) => system.was_truncated(),
            _ => false,
        }
    }

    fn numbers(&self) -> Option<u32> {
        match self {
            AnyModel::Lts(lts) => lts.numbers(),
            AnyModel::Plugin(plugin) => plugin.numbers(),
            AnyModel::Network(network) => network.numbers(),
            AnyModel::Reduced(network) => network.numbers(),
            AnyModel::Symmetric(network) => network.numbers(),
            AnyModel::System(system) => system.numbers(),
        }
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        match self {
            AnyModel::Lts(_) => Vec::new(),
            AnyModel::Plugin(plugin) => plugin.explain(source, label, target),
            AnyModel::Network(network) => network.explain(source, label, target),
            AnyModel::Reduced(network) => network.explain(source, label, target),
            AnyModel::Symmetric(network) => network.explain(source, label, target),
            AnyModel::System(system) => system.explain(source, label, target),
        }
    }
}

impl Session {
    /// Reads or loads the input of a command that explores: phase `read`.
    ///
    /// # Errors
    /// If it cannot be read or loaded, or if there are options that make no
    /// sense for it.
    pub fn read_model(
        &mut self,
        filter: &FilterOptions,
        options: &ModelOptions,
    ) -> Result<Given, Failure> {
        if let Some(text) = &options.expression {
            options.plugin.refuse_of_plugins("an expression")?;
            if filter.read.is_model() {
                return Err(Failure::error(
                    "--from model is for an INPUT, and --expression is a network (exp)",
                ));
            }
            if let Some(from) = filter.read.from()?.filter(|&from| from != Format::Exp) {
                return Err(Failure::error(format!(
                    "--from {from} is for an INPUT, and --expression is a network (exp)"
                )));
            }
            let read = filter.read.network(&filter.dialect, None);
            let network = self.read_expression(text, &read)?;
            let network = self.hide_gates(network, &filter.read)?;
            return Ok(Given::Network(Box::new(network)));
        }
        let FilterOptions { read, dialect, .. } = filter;
        self.read_given(&filter.input.input, read, dialect, &options.plugin)
    }

    /// As [`Session::read_model`], for an input at this path. What `--tau` says of a
    /// system or a plugin is left to whoever explores it, by
    /// [`ReadOptions::gate_rules`].
    ///
    /// # Errors
    /// As [`Session::read_model`].
    pub fn read_given(
        &mut self,
        path: &Path,
        read: &ReadOptions,
        dialect: &DialectOption,
        options: &PluginOptions,
    ) -> Result<Given, Failure> {
        let is_stdin = path.as_os_str() == "-";
        if is_stdin && read.is_model() {
            return Err(Failure::error(
                "--from model: a model is loaded from a file: give its name",
            ));
        }
        // Never by its content: a data file must not run code.
        if read.is_model() || read.from()?.is_none() && !is_stdin && is_plugin(path) {
            for warning in self.given.begin_model() {
                self.report(&warning);
            }
            if let Some(option) = read.about_files() {
                self.note(format_args!(
                    "{option} has no effect: it is for reading files, and {} is a model plugin",
                    printable_path(path)
                ));
            }
            let plugin = self.load(path, options)?;
            self.tell_unused_gates(None);
            return Ok(Given::Model(AnyModel::Plugin(plugin)));
        }
        options.refuse_of_plugins(&printable_path(path))?;
        let format = read.from()?.or_else(|| Format::from_path(path));
        if format == Some(Format::Exp) {
            let network = self.read_network(path, &read.network(dialect, Some(path)))?;
            let network = self.hide_gates(network, read)?;
            return Ok(Given::Network(Box::new(network)));
        }
        if format == Some(Format::Toml) {
            let mut options = read.get(dialect);
            options.tau.clear();
            let (system, files) = self.read_system(path, &options)?;
            self.tell_unused_gates(None);
            return Ok(Given::System(Box::new(system), files));
        }
        let lts = self.read(path, read, dialect)?;
        Ok(Given::Model(AnyModel::Lts(lts)))
    }

    fn load(&mut self, path: &Path, options: &PluginOptions) -> Result<Plugin, Failure> {
        let name = printable_path(path);
        let (plugin, bytes) = self.phase("read", |phase| {
            // The system's own message is about libraries.
            let bytes = size_of_file(path).map_err(|e| Failure::reading(&name, &e))?;
            let argument = options.model_argument.as_deref();
            let plugin = Plugin::open(path, argument)
                .and_then(|plugin| match options.symmetry.is_of_plugin() {
                    true => plugin.by_orbits(),
                    false => Ok(plugin),
                })
                .map_err(|why| Failure::error(format!("{name}: {why}")))?;
            phase.summary(|| format!("{name}, {}, a model", show_size(bytes)));
            Ok((plugin, bytes))
        })?;
        self.add_input(|| FileStats {
            path: name,
            format: "model".into(),
            bytes,
            ..FileStats::default()
        });
        Ok(match options.check_model {
            true => plugin.checked(),
            false => plugin,
        })
    }
}

/// The size of a file that can be read; 0 of one that is no regular file, which is not
/// opened, as that may wait.
///
/// # Errors
/// If it is not there, or cannot be read.
fn size_of_file(path: &Path) -> io::Result<u64> {
    match path.metadata()?.is_file() {
        true => Ok(File::open(path)?.metadata()?.len()),
        false => Ok(0),
    }
}
