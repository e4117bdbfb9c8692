//! What an output may replace.

use std::fs;
use std::path::Path;

use super::manifest::MANIFEST;
use super::parts::Parts;
use crate::format::Compression;

/// What to say of an output with the name of a compressed file.
pub fn not_compressed(compression: Compression) -> String {
    format!(
        "a partitioned LTS is a directory, which {compression} does not compress: its blocks are \
         compressed, unless by --codec none"
    )
}

/// Looks whether a directory may be replaced by a partitioned LTS: it is empty, or is one
/// itself, with no other files. The names of its files.
///
/// # Errors
/// If not: what it is instead.
pub fn check_replaceable(place: &Path) -> Result<Vec<String>, String> {
    let failed = |error: std::io::Error| error.to_string();
    if !fs::metadata(place).map_err(failed)?.is_dir() {
        return Err("a partitioned LTS is a directory, but a file of this name is there".into());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(place).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        names.push(name.to_string_lossy().into_owned());
    }
    if names.is_empty() {
        return Ok(names);
    }
    let keep = "it is not replaced: name another one, or remove it first";
    if !names.iter().any(|name| name == MANIFEST) {
        return Err(format!(
            "the directory is not empty, and no partitioned LTS: {keep}"
        ));
    }
    let manifest = Parts::manifest_of(place).map_err(|error| {
        format!("the directory is not empty, and no whole partitioned LTS ({error}): {keep}")
    })?;
    names.sort_unstable();
    let is_known = |name: &&String| *name == MANIFEST || manifest.files().any(|file| file == *name);
    match names.iter().find(|name| !is_known(name)) {
        None => Ok(names),
        Some(other) => Err(format!(
            "the directory has {other:?} besides a partitioned LTS: {keep}"
        )),
    }
}
