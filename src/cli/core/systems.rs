//! Systems of communicating machines on behalf of commands: reading them, and how they
//! are explored.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_channels::{Beyond, Semantics, System, SystemModel, SystemSource, Unread};
use hyades_formats::diagnostic::counted;
use hyades_formats::{self as formats, Format};

use super::any_model::{AnyModel, Explorable, Given};
use super::choices::first_given;
use super::session::Session;
use super::size::show_size;
use super::stats::FileStats;
use super::status::{Failure, read_failure};
use super::texts::{read_input, utf8};

/// How systems are explored.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Systems of machines")]
pub struct ExploreSystemOptions {
    /// Go on from states in which a channel is overfilled as from all others
    #[arg(long)]
    beyond_overfilled: bool,

    /// Do not go on from states in which a channel that links two components holds
    /// more than N messages, at most 1048576; there is no verdict then [default: one
    /// more than the capacity of the channel, but from 16 to 256; 16 if it has none]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    channel_bound: Option<u32>,
}

impl ExploreSystemOptions {
    /// How systems are explored.
    pub fn get(&self) -> Semantics {
        Semantics {
            beyond: match self.beyond_overfilled {
                true => Beyond::Expand,
                false => Beyond::Stop,
            },
            channel_bound: self.channel_bound,
            restrained: None,
        }
    }

    /// A system as a model like any other; other models as they are.
    ///
    /// # Errors
    /// If its states would be too long.
    pub fn model(&self, given: Given) -> Result<Explorable, Failure> {
        let system = match given {
            Given::System(system, _) => system,
            Given::Network(network) => return Ok(Explorable::Network(network)),
            Given::Model(model) => return Ok(Explorable::Model(model)),
        };
        let model = SystemModel::owning(*system, self.get());
        let model = model.map_err(|error| Failure::error(error.to_string()))?;
        let model = model.by_events();
        let model = model.map_err(|error| Failure::error(error.to_string()))?;
        Ok(Explorable::Model(AnyModel::System(Box::new(model))))
    }

    /// Refuses what is for systems only.
    ///
    /// # Errors
    /// If `given`, called `name`, is none, and there is such an option.
    pub fn check(&self, given: &Given, name: &str) -> Result<(), Failure> {
        match (given, first_given(self.given())) {
            (Given::System(..), _) | (_, None) => Ok(()),
            (_, Some(option)) => Err(not_a_system(option, name)),
        }
    }

    /// Whether the first is given, and the second.
    pub fn given(&self) -> [(bool, &'static str); 2] {
        [
            (self.beyond_overfilled, "--beyond-overfilled"),
            (self.channel_bound.is_some(), "--channel-bound"),
        ]
    }
}

impl Session {
    /// Reads a system and its components: phase `read`; the system, and the files of its
    /// components. `options` are for the latter.
    ///
    /// # Errors
    /// If a file cannot be read or has errors, which go to standard error.
    pub fn read_system(
        &mut self,
        path: &Path,
        options: &formats::ReadOptions,
    ) -> Result<(System, Vec<PathBuf>), Failure> {
        self.tell_of_standard_input(path, "a system of machines");
        let (name, bytes) = read_input(path, Format::Toml)?;
        let text = utf8(&name, &bytes, "TOML")?;
        self.tell_no_gates(!options.tau.is_empty(), "the parts of a system of machines");
        let source = SystemSource {
            name: Arc::clone(&name),
            folder: path.parent().unwrap_or(Path::new("")),
            options,
        };
        let shown = self.shown();
        let mut component = |component: &str, file: &Path| {
            let read = self.read_named(file, options);
            read.map(|(lts, _)| lts).map_err(|failure| match failure {
                Failure::Error(text) => {
                    Failure::error(format!("{text}: {name} names it as component {component}"))
                }
                failure => failure,
            })
        };
        let read = source.read(text, &mut component, &mut |diagnostic| shown(&diagnostic));
        let (system, files) = read.map_err(|unread| match unread {
            Unread::File(failure) => failure,
            Unread::Text(error) => read_failure(error),
            Unread::Refused => Failure::Reported,
        })?;
        self.add_input(|| FileStats {
            path: name.to_string(),
            format: Format::Toml.name().into(),
            bytes: bytes.len() as u64,
            ..FileStats::default()
        });
        self.detail(format_args!(
            "{name}, {}, {}, {}",
            show_size(bytes.len() as u64),
            counted(system.names().len(), "component"),
            counted(system.channels().len(), "channel")
        ));
        Ok((system, files))
    }
}

/// An option makes sense for systems only, and the input is none.
pub fn not_a_system(option: &str, input: &str) -> Failure {
    Failure::error(format!(
        "{option} is for systems of machines (.toml), and {input} is none"
    ))
}
