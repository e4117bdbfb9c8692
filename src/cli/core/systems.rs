//! Systems of communicating machines on behalf of commands: reading them, and how they
//! are explored.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_channels::{Beyond, Origin, Place, Semantics, System, SystemFile, SystemModel};
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_formats::{
    self as formats, Diagnostic, Format, JointSize, Lts, Position, Severity, Source,
};
use hyades_symmetry::pattern::BadEdge;

use super::any_model::{AnyModel, Given};
use super::choices::first_given;
use super::patterns::line_of;
use super::session::Session;
use super::size::show_size;
use super::stats::FileStats;
use super::status::{Failure, read_failure};
use super::texts::{read_again, read_input, utf8};

/// How systems are explored.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Systems of machines")]
pub struct ExploreSystemOptions {
    /// Go on from states in which a channel is overfilled as from all others
    #[arg(long)]
    beyond_overfilled: bool,

    /// Do not go on from states in which a channel that links two components holds
    /// more than N messages; there is no verdict then [default: one more than the
    /// capacity of the channel, but from 16 to 256; 16 if it has none]
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
    pub fn model(&self, given: Given) -> Result<Given, Failure> {
        let Given::System(system, _) = given else {
            return Ok(given);
        };
        let model = SystemModel::owning(*system, self.get());
        let model = model.map_err(|error| Failure::error(error.to_string()))?;
        let model = model.by_events();
        let model = model.map_err(|error| Failure::error(error.to_string()))?;
        Ok(Given::Model(AnyModel::System(Box::new(model))))
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
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = SystemFile::from_text(text).map_err(|error| {
            let position = match &error.place {
                Place::File(line, column) => Some(Position::new(*line as u64, *column as u64)),
                Place::Component { .. } | Place::Nowhere => None,
            };
            self.told_of_system(Arc::clone(&name), position, error.text)
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut files = Vec::new();
        self.tell_no_gates(!options.tau.is_empty(), "the parts of a system of machines");
        let mut behaviours: Vec<Lts> = Vec::new();
        let mut size = JointSize::default();
        for (k, origin) in file.origins().enumerate() {
            let component = &file.names()[k];
            let behaviour = match origin {
                Origin::File(other) => {
                    let other = beside(folder, other);
                    let (lts, _) =
                        self.read_named(&other, options)
                            .map_err(|failure| match failure {
                                Failure::Error(text) => Failure::error(format!(
                                    "{text}: {name} names it as component {component}"
                                )),
                                failure => failure,
                            })?;
                    files.push(other);
                    lts
                }
                Origin::Text(text) => {
                    let shown = self.shown();
                    let mut told = |mut diagnostic: Diagnostic| {
                        diagnostic.file = Some(Arc::clone(&name));
                        diagnostic.position = position_in(&file, k, diagnostic.position);
                        diagnostic.text = format!("component {component}: {}", diagnostic.text);
                        shown(&diagnostic);
                    };
                    let place = format!("{name}, component {component}");
                    let source = Source::from_bytes(place, text.into(), Some(Format::Aut));
                    let source = source.map_err(read_failure)?;
                    formats::read_lts(source, options, &mut told).map_err(read_failure)?
                }
            };
            if let Some((severity, text)) = size.add(&behaviour, options.mode) {
                self.report(&Diagnostic {
                    severity,
                    code: "system",
                    file: Some(Arc::clone(&name)),
                    position: position_in(&file, k, None),
                    text,
                });
                if severity == Severity::Error {
                    return Err(Failure::Reported);
                }
            }
            behaviours.push(behaviour);
        }
        let system = file.system(&behaviours).map_err(|error| {
            let (place, position) = place_of_error(&name, folder, &file, &error.place);
            self.told_of_system(place, position, error.text)
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

    /// Tells an error in a system.
    fn told_of_system(&self, file: Arc<str>, position: Option<Position>, text: String) -> Failure {
        self.report(&Diagnostic {
            severity: Severity::Error,
            code: "system",
            file: Some(file),
            position,
            text,
        });
        Failure::Reported
    }
}

/// The file that a system in this folder names; `-` is one like others.
fn beside(folder: &Path, file: &str) -> PathBuf {
    match folder.join(file) {
        path if path == Path::new("-") => Path::new(".").join(path),
        path => path,
    }
}

/// The file and the position of an error: in the file that a component is in, if it is
/// in one, otherwise in the system file, which is called `name`.
fn place_of_error(
    name: &Arc<str>,
    folder: &Path,
    file: &SystemFile,
    place: &Place,
) -> (Arc<str>, Option<Position>) {
    let (component, transition, offset) = match place {
        Place::File(line, column) => {
            let position = Position::new(*line as u64, *column as u64);
            return (Arc::clone(name), Some(position));
        }
        Place::Nowhere => return (Arc::clone(name), None),
        Place::Component {
            component,
            transition,
            offset,
        } => (*component, transition, offset),
    };
    let find = |text: &[u8]| {
        let (source, label, target) = transition.clone()?;
        let edge = BadEdge {
            source,
            label,
            target,
        };
        let (line, column) = line_of(text, &edge)?;
        Some(Position::new(line as u64, (column + 1 + offset) as u64))
    };
    match file.origins().nth(component) {
        Some(Origin::File(other)) => {
            let other = beside(folder, other);
            let text = read_again(&other);
            (printable_path(other).into(), find(&text))
        }
        Some(Origin::Text(text)) => {
            let within = find(text.as_bytes());
            (Arc::clone(name), position_in(file, component, within))
        }
        None => (Arc::clone(name), None),
    }
}

/// Where in a system file a position in the text of a component is, or else the text.
fn position_in(file: &SystemFile, component: usize, within: Option<Position>) -> Option<Position> {
    let within = within.map(|at| (at.line as usize, at.column as usize));
    match file.place_of(component, within) {
        Place::File(line, column) => Some(Position::new(line as u64, column as u64)),
        Place::Component { .. } | Place::Nowhere => None,
    }
}

/// An option makes sense for systems only, and the input is none.
pub fn not_a_system(option: &str, input: &str) -> Failure {
    Failure::error(format!(
        "{option} is for systems of machines (.toml), and {input} is none"
    ))
}
