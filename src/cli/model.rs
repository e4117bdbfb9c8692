//! What commands explore: every kind of state space goes through one door.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;

use clap::ValueEnum;
use hyades_formats::Lts;

use super::options::FilterOptions;
use super::run::Session;
use super::size::show_size;
use super::stats::FileStats;
use super::status::Failure;
use crate::explore::Model;
use crate::plugin::{Plugin, is_plugin};

/// How an input is understood that is a model rather than an LTS.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Models")]
pub struct ModelOptions {
    /// Give TEXT to the model plugin (.so), which knows what it means
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    model_argument: Option<OsString>,

    /// Ask the model plugin everything twice, and end with an error if it does
    /// not keep to its contract
    #[arg(long)]
    check_model: bool,

    /// Explore one state for all states that a symmetry maps to one another
    #[arg(long, value_name = "KIND")]
    symmetry: Option<Symmetry>,
}

/// Values of `--symmetry`.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Symmetry {
    /// What the model plugin itself says.
    Model,
}

impl ModelOptions {
    /// The first option that only plugins know.
    fn of_plugins(&self) -> Option<&'static str> {
        [
            (self.model_argument.is_some(), "--model-argument"),
            (self.check_model, "--check-model"),
            (self.symmetry.is_some(), "--symmetry model"),
        ]
        .into_iter()
        .find_map(|(given, name)| given.then_some(name))
    }
}

/// A state space, in whatever way it is given.
pub enum AnyModel {
    /// Read from a file.
    Lts(Lts),
    /// Computed by a shared object.
    Plugin(Plugin),
}

impl AnyModel {
    /// How many states there are, if that is known beforehand.
    pub fn states(&self) -> Option<u64> {
        match self {
            AnyModel::Lts(lts) => Some(lts.states() as u64),
            AnyModel::Plugin(_) => None,
        }
    }

    /// Whether states have numbers before they are explored.
    pub fn has_numbers(&self) -> bool {
        match self {
            AnyModel::Lts(_) => true,
            AnyModel::Plugin(plugin) => plugin.numbers().is_some(),
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
    ) -> Result<AnyModel, Failure> {
        let path = &filter.input.input;
        let plugin = path.as_os_str() != "-"
            && filter.read.from().is_none()
            // Whoever reads it tells what is the matter.
            && is_plugin(path).unwrap_or(false);
        if plugin {
            if let Some(option) = filter.read.about_files() {
                self.note(format_args!(
                    "{option} has no effect: it is for reading files, and {} is a model plugin",
                    path.display()
                ));
            }
            return self.load(path, options).map(AnyModel::Plugin);
        }
        if let Some(option) = options.of_plugins() {
            return Err(Failure::error(format!(
                "{option} is for model plugins (.so), and {} is none",
                path.display()
            )));
        }
        filter.read(self).map(AnyModel::Lts)
    }

    fn load(&mut self, path: &Path, options: &ModelOptions) -> Result<Plugin, Failure> {
        let name = path.display();
        let (plugin, bytes) = self.phase("read", |phase| {
            // The system's own message is about libraries.
            let meta = File::open(path).and_then(|file| file.metadata());
            let bytes = meta
                .map_err(|e| Failure::reading(&name.to_string(), &e))?
                .len();
            let argument = options.model_argument.as_deref();
            let plugin = Plugin::open(path, argument)
                .and_then(|plugin| match options.symmetry {
                    Some(Symmetry::Model) => plugin.by_orbits(),
                    None => Ok(plugin),
                })
                .map_err(|why| Failure::error(format!("{name}: {why}")))?;
            phase.summary(|| format!("{name}, {}, a model", show_size(bytes)));
            Ok((plugin, bytes))
        })?;
        self.add_input(|| FileStats {
            path: name.to_string(),
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
