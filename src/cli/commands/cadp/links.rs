//! `hyades install-links`: a directory that makes scripts use our commands.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_formats::diagnostic::printable_path;

use super::TOOLS;
use hyades_cli_core::Failure;
use hyades_cli_core::output::replace_link;

const USAGE: &str = "usage: hyades install-links DIRECTORY";

/// Makes links to this program under the names of CADP's commands in a
/// directory, which is made if it is not there. A link of ours is replaced,
/// anything else is left alone: then nothing is done. The text to print; with
/// `-h` or `--help` it is help, and nothing else happens.
///
/// # Errors
/// If the arguments are not one directory, if there is something in the way, or
/// if a link cannot be made.
pub fn install_links(arguments: &[OsString]) -> Result<String, Failure> {
    if arguments
        .iter()
        .any(|word| word == "-h" || word == "--help")
    {
        return Ok(format!(
            "Make links to this program in DIRECTORY, which need not be there yet, under\n\
             the names {}:\n\
             scripts that run with DIRECTORY first in PATH use Hyades for them. Links to\n\
             Hyades are replaced, anything else with one of the names is left alone.\n\n\
             {USAGE}\n",
            TOOLS.map(|tool| tool.name).join(", ")
        ));
    }
    if let Some(option) = arguments.iter().find(|w| w.as_bytes().starts_with(b"-")) {
        return Err(Failure::error(format!(
            "unexpected option {} (for a directory of that name: ./{0})\n{USAGE}",
            printable_path(option)
        )));
    }
    let [directory] = arguments else {
        return Err(Failure::error(USAGE));
    };
    if directory.is_empty() {
        // As a path it would mean the working directory.
        return Err(Failure::error(format!(
            "the name of the directory is empty (for the working directory: .)\n{USAGE}"
        )));
    }
    let directory = Path::new(directory);
    let program = std::env::current_exe()
        .and_then(fs::canonicalize)
        .map_err(|e| Failure::error(format!("cannot find this program: {e}")))?;
    fs::create_dir_all(directory).map_err(|e| Failure::writing(&printable_path(directory), &e))?;
    for tool in &TOOLS {
        let link = directory.join(tool.name);
        if !is_free(&link, &program) {
            return Err(Failure::error(format!(
                "{} is there already, and no link to Hyades: remove it, or name another directory",
                printable_path(&link)
            )));
        }
    }
    for tool in &TOOLS {
        replace_link(&program, &directory.join(tool.name))
            .map_err(|e| Failure::writing(&printable_path(directory.join(tool.name)), &e))?;
    }
    Ok(format!(
        "Scripts that run with this use Hyades for {}:\nPATH={}:$PATH\n",
        TOOLS.map(|tool| tool.name).join(", "),
        quoted(
            &fs::canonicalize(directory)
                .unwrap_or_else(|_| directory.to_owned())
                .to_string_lossy()
        )
    ))
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Whether there is nothing at a place, or a link of ours: one to this program,
/// or to another (perhaps gone) of its name.
fn is_free(place: &Path, program: &Path) -> bool {
    match fs::symlink_metadata(place) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(_) => fs::read_link(place)
            .is_ok_and(|target| target == program || target.file_name() == Some("hyades".as_ref())),
    }
}
