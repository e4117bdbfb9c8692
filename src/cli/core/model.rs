//! What commands explore: every kind of state space goes through one door.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use hyades_formats::Format;
use hyades_formats::diagnostic::printable_path;
use hyades_plugin::{Plugin, is_plugin};

use super::any_model::{AnyModel, Given};
use super::choices::first_given;
use super::network_options::EXPRESSION;
use super::options::{DialectOption, FilterOptions, ReadOptions};
use super::session::Session;
use super::size::show_size;
use super::state_symmetry::StateSymmetryOptions;
use super::stats::FileStats;
use super::status::Failure;

/// How an input is understood that is a model rather than an LTS.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Models")]
pub struct ModelOptions {
    /// Explore this network instead of an INPUT
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
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

    /// Whether the model is an expression on the command line.
    pub fn is_expression(&self) -> bool {
        self.expression.is_some()
    }

    /// Whether the model is an LTS in a file, and nothing that is computed.
    ///
    /// # Errors
    /// If the options do not say.
    #[cfg(feature = "cluster")]
    pub fn is_lts(&self, filter: &FilterOptions) -> Result<bool, Failure> {
        let (path, read) = (&*filter.input.input, &filter.read);
        let from = read.from()?;
        let is_computed = self.is_expression()
            || read.is_model()
            || from.is_none() && is_plugin(path)
            || matches!(
                from.or_else(|| Format::from_path(path)),
                Some(Format::Exp | Format::Toml)
            );
        Ok(!is_computed)
    }

    /// What the model is called in messages.
    pub fn name(&self, input: &Path) -> String {
        match self.expression {
            Some(_) => EXPRESSION.into(),
            None => printable_path(input),
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
            let input = &filter.input.input;
            if input != Path::new("-") {
                return Err(Failure::error(format!(
                    "--expression is a network, and {} another input: give one of them",
                    printable_path(input)
                )));
            }
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
            let mut read = filter.read.network(&filter.dialect, None);
            read.limits = self.limits_of_reading();
            let network = self.read_expression(text, &read)?;
            let network = self.hide_gates(network, &filter.read)?;
            return Ok(Given::Network(Box::new(network)));
        }
        let FilterOptions { read, dialect, .. } = filter;
        self.read_given(&filter.input.input, read, dialect, &options.plugin)
    }

    /// The text of a network with the texts that it includes.
    ///
    /// # Errors
    /// If it cannot be read, or the input is no network.
    pub fn expand(
        &mut self,
        filter: &FilterOptions,
        options: &ModelOptions,
    ) -> Result<Vec<u8>, Failure> {
        let path = &*filter.input.input;
        let expression = options.expression.as_deref();
        let format = filter.read.from()?.or_else(|| Format::from_path(path));
        if expression.is_none() && format != Some(Format::Exp) {
            return Err(Failure::error(format!(
                "--self-contained is for networks (.exp), and {} is none",
                printable_path(path)
            )));
        }
        let own = expression.is_none().then_some(path);
        let read = filter.read.network(&filter.dialect, own);
        self.expand_network(path, expression, &read)
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
            let mut options = read.network(dialect, Some(path));
            options.limits = self.limits_of_reading();
            let network = self.read_network(path, &options)?;
            let network = self.hide_gates(network, read)?;
            return Ok(Given::Network(Box::new(network)));
        }
        if format == Some(Format::Toml) {
            let mut options = read.get(dialect);
            options.tau.clear();
            let (system, files) = self.read_system(path, &options)?;
            self.tell_unused_gates(None);
            self.spare(files.iter().map(|file| file.to_path_buf()));
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
