//! What inputs consist of: for scripts, which must not remove what they read, and make
//! again what has changed.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hyades_channels::{Origin, SystemFile};
use hyades_formats::diagnostic::printable_path;
use hyades_formats::{Format, ReadError, Source};
use hyades_network::{Disk, Files, Identity, Options};

/// The least LTS.
const EMPTY: &[u8] = b"des (0, 0, 1)\n";

/// The files that an input consists of, itself first: the texts, components and rules of a
/// network, the components of a system of machines, what is in the directory of a
/// partitioned LTS. No LTS is read. An input that is not there consists of itself.
///
/// O(length of the texts).
///
/// # Errors
/// What is wrong with an input of which not all that it names can be known; the files may
/// be more than those that have been found until then.
pub fn files(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    found.push(path.to_owned());
    if path.is_dir() {
        return parts(path, found);
    }
    if !path.exists() {
        return Ok(());
    }
    let first = found.len();
    let all = match Format::from_path(path) {
        Some(Format::Exp) => of_network(path, found),
        Some(Format::Toml) => of_system(path, found),
        Some(_) | None => return Ok(()),
    };
    let mut all = all.map_err(|error| error.to_string());
    // A component may be a partitioned LTS.
    let named = found[first..].to_vec();
    for folder in named.iter().filter(|path| path.is_dir()) {
        all = all.and(parts(folder, found));
    }
    all
}

/// What is in a directory.
fn parts(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut listed = listed.map_err(|e| format!("{}: {e}", printable_path(folder)))?;
    listed.sort();
    found.extend(listed);
    Ok(())
}

fn of_network(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    let source = Source::open(path, Some(Format::Exp))?;
    let name = source.name().to_owned();
    let text = source.into_bytes()?;
    let options = Options {
        base: path.parent().unwrap_or(Path::new("")).to_owned(),
        ..Options::default()
    };
    let named = Named::default();
    // What does not fit together may all the same be known by name.
    let read = hyades_network::from_text(&*name, text.clone(), &options, &named, &mut |_| {});
    found.append(&mut named.paths.into_inner());
    if read.is_err() {
        hyades_network::expanded(&name, text, &options, &Disk, &mut |_| {})?;
    }
    Ok(())
}

fn of_system(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), ReadError> {
    let source = Source::open(path, Some(Format::Toml))?;
    let file = source.name().into();
    let text = source.into_bytes()?;
    let text = String::from_utf8_lossy(&text);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let system = SystemFile::from_text(text).map_err(|error| ReadError::Format {
        file,
        text: error.text,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    found.extend(system.origins().filter_map(|origin| match origin {
        Origin::File(name) => Some(folder.join(name)),
        Origin::Text(_) => None,
    }));
    Ok(())
}

/// The files of the disk, where the names of those that are opened are kept, and LTSs are
/// empty.
#[derive(Default)]
struct Named {
    paths: RefCell<Vec<PathBuf>>,
}

impl Files for Named {
    fn open(&self, path: &Path, format: Option<Format>) -> Result<Source, ReadError> {
        self.paths.borrow_mut().push(path.to_owned());
        match format {
            Some(_) => Disk.open(path, format),
            // Only components tell their format themselves.
            None => Source::from_bytes(printable_path(path), EMPTY.to_vec(), Some(Format::Aut)),
        }
    }

    fn exists(&self, path: &Path) -> bool {
        Disk.exists(path)
    }

    fn identity(&self, path: &Path) -> Identity {
        // Each name counts, also of files that have several.
        Identity::Path(path.to_owned())
    }
}

/// The lines that tell the files of some inputs, and whether these are all.
pub fn lines(inputs: &[OsString]) -> (Vec<u8>, Result<(), String>) {
    let mut found = Vec::new();
    let mut all = Ok(());
    for input in inputs {
        all = files(Path::new(input), &mut found).and(all);
    }
    let mut text = Vec::new();
    for path in found {
        text.extend_from_slice(path.as_os_str().as_encoded_bytes());
        text.push(b'\n');
    }
    (text, all)
}
