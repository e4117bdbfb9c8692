//! Systems from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_formats::aut::place_of;
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{
    self as formats, Diagnostic, FileError, Format, JointSize, Lts, MOST_NAMED, Position,
    ReadError, ReadOptions, Severity, Sink, Source,
};

use super::file::{Origin, Place, SystemFile};
use super::system::System;

/// The code of diagnostics about systems.
const CODE: &str = "system";

/// Why there is no system.
#[derive(Debug)]
pub enum Unread<E> {
    /// The file of a component could not be read.
    File(E),
    /// The text of a component could not be read.
    Text(ReadError),
    /// The system is malformed; the diagnostics have been handed over.
    Refused,
}

/// A system that is being read.
#[derive(Debug)]
pub struct SystemSource<'a> {
    /// What it is called.
    pub name: Arc<str>,
    /// Where the files of its components are.
    pub folder: &'a Path,
    /// How these are read.
    pub options: &'a ReadOptions,
}

/// Reads a system and its components from files. Diagnostics go to `sink`.
///
/// # Errors
/// If a file cannot be read or has errors, or the components do not fit the system.
pub fn read_system(
    path: &Path,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<System, FileError> {
    FileError::reading(|told| {
        let mut both = |diagnostic: Diagnostic| {
            sink(diagnostic.clone());
            told(diagnostic);
        };
        let source = Source::open(path, Some(Format::Toml))?;
        let name: Arc<str> = source.name().into();
        let refused = |file: &Arc<str>| ReadError::Refused {
            file: Arc::clone(file),
            errors: 1,
        };
        let text = String::from_utf8(source.into_bytes()?).map_err(|error| {
            let at = Position::of(error.as_bytes(), error.utf8_error().valid_up_to());
            both(Diagnostic {
                severity: Severity::Error,
                code: CODE,
                file: Some(Arc::clone(&name)),
                position: Some(at),
                text: "bytes that are no UTF-8; expected TOML".into(),
            });
            refused(&name)
        })?;
        let system = SystemSource {
            name: Arc::clone(&name),
            folder: path.parent().unwrap_or(Path::new("")),
            options,
        };
        // Two sinks at a time are not to be had: what components say is handed over after.
        let mut of_components = Vec::new();
        let mut component = |_: &str, file: &Path| {
            let source = Source::open_named(file, None)?;
            let expected = format!("an LTS in the format {}", source.format());
            formats::read_lts(source, options, &mut |d| {
                of_components.push(d.discreet(&expected));
            })
        };
        let read = system.read(&text, &mut component, &mut both);
        of_components.into_iter().for_each(&mut both);
        match read {
            Ok((system, _)) => Ok(system),
            Err(Unread::File(error) | Unread::Text(error)) => Err(error),
            Err(Unread::Refused) => Err(refused(&name)),
        }
    })
}

impl SystemSource<'_> {
    /// The system that a text is, and the files of its components, each of which
    /// `component` reads when it is told the name of the component and of the file.
    /// Diagnostics of the text go to `sink`.
    ///
    /// # Errors
    /// If a component cannot be read, or the system is malformed.
    pub fn read<E>(
        &self,
        text: &str,
        component: &mut dyn FnMut(&str, &Path) -> Result<Lts, E>,
        sink: &mut Sink<'_>,
    ) -> Result<(System, Vec<PathBuf>), Unread<E>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file = SystemFile::from_text(text).map_err(|error| {
            let position = match &error.place {
                Place::File(line, column) => Some(at(*line, *column)),
                Place::Component { .. } | Place::Nowhere => None,
            };
            sink(wrong(Arc::clone(&self.name), position, error.text));
            Unread::Refused
        })?;
        let mut files = Vec::new();
        let mut behaviours: Vec<Lts> = Vec::new();
        let mut size = JointSize::default();
        for (k, origin) in file.origins().enumerate() {
            let name = &file.names()[k];
            let behaviour = match origin {
                Origin::File(other) => {
                    let other = beside(self.folder, other);
                    let lts = component(name, &other).map_err(Unread::File)?;
                    files.push(other);
                    lts
                }
                Origin::Text(text) => {
                    let lts = self.behaviour(&file, (k, name), text, sink);
                    lts.map_err(Unread::Text)?
                }
            };
            if let Some((severity, text)) = size.add(&behaviour, self.options.mode) {
                sink(Diagnostic {
                    severity,
                    ..wrong(Arc::clone(&self.name), position_in(&file, k, None), text)
                });
                if severity == Severity::Error {
                    return Err(Unread::Refused);
                }
            }
            behaviours.push(behaviour);
        }
        let system = file.system(&behaviours).map_err(|error| {
            let (place, position) = self.place_of_error(&file, &error.place);
            sink(wrong(place, position, error.text));
            Unread::Refused
        })?;
        Ok((system, files))
    }

    /// The behaviour of a component that stands in the system file.
    fn behaviour(
        &self,
        file: &SystemFile,
        (k, component): (usize, &str),
        text: &str,
        sink: &mut Sink<'_>,
    ) -> Result<Lts, ReadError> {
        let name = &self.name;
        let mut told = |mut diagnostic: Diagnostic| {
            diagnostic.file = Some(Arc::clone(name));
            diagnostic.position = position_in(file, k, diagnostic.position);
            diagnostic.text = format!("component {component}: {}", diagnostic.text);
            sink(diagnostic);
        };
        let place = format!("{name}, component {component}");
        let source = Source::from_bytes(place, text.into(), Some(Format::Aut))?;
        formats::read_lts(source, self.options, &mut told)
    }

    /// The file and the position of an error: in the file that a component is in, if it is
    /// in one, otherwise in the system file.
    fn place_of_error(&self, file: &SystemFile, place: &Place) -> (Arc<str>, Option<Position>) {
        let name = &self.name;
        let (component, transition, offset) = match place {
            Place::File(line, column) => return (Arc::clone(name), Some(at(*line, *column))),
            Place::Nowhere => return (Arc::clone(name), None),
            Place::Component {
                component,
                transition,
                offset,
            } => (*component, transition, offset),
        };
        let find = |text: &[u8]| {
            let (source, label, target) = transition.as_ref()?;
            let (line, column) = place_of(text, *source, label, *target)?;
            // Behind the quote that the label begins with.
            Some(at(line, column + 1 + offset))
        };
        match file.origins().nth(component) {
            Some(Origin::File(other)) => {
                let other = beside(self.folder, other);
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
}

fn at(line: usize, column: usize) -> Position {
    Position::new(line as u64, column as u64)
}

/// An error in a system.
fn wrong(file: Arc<str>, position: Option<Position>, text: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: CODE,
        file: Some(file),
        position,
        text,
    }
}

/// The file that a system in this folder names; `-` is one like others.
fn beside(folder: &Path, file: &str) -> PathBuf {
    match folder.join(file) {
        path if path == Path::new("-") => Path::new(".").join(path),
        path => path,
    }
}

/// What is in a file that was read before, for places in it to be told; nothing if it has
/// changed, or is longer than what is named in files should be.
fn read_again(path: &Path) -> Vec<u8> {
    let source = Source::open_named(path, Some(Format::Aut));
    let read = source.and_then(|source| source.into_bytes_up_to(MOST_NAMED));
    read.unwrap_or_default()
}

/// Where in a system file a position in the text of a component is, or else the text.
fn position_in(file: &SystemFile, component: usize, within: Option<Position>) -> Option<Position> {
    let within = within.map(|at| (at.line as usize, at.column as usize));
    match file.place_of(component, within) {
        Place::File(line, column) => Some(at(line, column)),
        Place::Component { .. } | Place::Nowhere => None,
    }
}
