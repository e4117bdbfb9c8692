//! The program for a shell that a script has become, while it runs.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{self, ExitStatus};

use hyades_formats::diagnostic::printable_path;
use hyades_svl::syntax::Place;
use hyades_svl::{SyntaxError, Translation, encoded};
use nix::sys::signal::Signal;

use hyades_cli_core::attended::run_attended;
use hyades_cli_core::cleanup::Unfinished;
use hyades_cli_core::{Failure, pass_on_closed_output};

/// The directory that the shell is told to put all into that it has to know until the end.
const FOLDER: &str = "SVL_WORK";

/// How the shell has ended that ran the script, for one that only ends it.
const ENDED: &str = "SVL_END";

/// What is in the directory from when the script begins until it is ended.
const BEGUN: &str = "record";

/// The program in a directory of its own, which is removed here with all that is in it.
pub struct Program {
    folder: PathBuf,
    path: PathBuf,
    // In the order in which they may be removed.
    _file: Unfinished,
    _folder: Unfinished,
}

impl Drop for Program {
    fn drop(&mut self) {
        // What stays is told by those that watch over it.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Program {
    pub fn new(translation: &Translation) -> Result<Self, Failure> {
        let mut number = 0u32;
        let (folder, unfinished) = loop {
            let name = format!("svl-{}-{number}", process::id());
            let folder = std::env::temp_dir().join(name);
            match Unfinished::create_directory(&folder) {
                Ok(unfinished) => break (folder, unfinished),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(Failure::writing(&printable_path(&folder), &e)),
            }
        };
        let path = folder.join("script.sh");
        let written = fs::set_permissions(&folder, Permissions::from_mode(0o700))
            .and_then(|()| Unfinished::create_file(&path, 0o600))
            .and_then(|(unfinished, mut file)| {
                file.write_all(&encoded(translation.text()))?;
                Ok(unfinished)
            });
        match written {
            Ok(file) => Ok(Self {
                folder,
                path,
                _file: file,
                _folder: unfinished,
            }),
            Err(e) => Err(Failure::writing(&printable_path(&path), &e)),
        }
    }

    /// Lets a shell look at lines for it before anything runs.
    pub fn check(&self, translation: &Translation) -> Result<Result<(), SyntaxError>, Failure> {
        let checked = process::Command::new("sh")
            .arg("-n")
            .arg(&self.path)
            .output();
        let checked = checked.map_err(|e| cannot_run(&e))?;
        if checked.status.success() {
            return Ok(Ok(()));
        }
        let said = String::from_utf8_lossy(&checked.stderr).into_owned();
        Ok(Err(shell_error(&said, &self.path, translation)))
    }

    /// Runs it with these options of the shell and arguments. How it has ended.
    pub fn run(&self, options: &str, arguments: &[OsString]) -> Result<ExitStatus, Failure> {
        let ended = self.shell(|shell| {
            shell
                .args(options.split_whitespace())
                .arg(&self.path)
                .args(arguments);
        })?;
        // Lines of the script may say what is done at the end, or let another program take the
        // place of the shell.
        if !self.folder.join(BEGUN).exists() {
            return Ok(ended);
        }
        let how = match (ended.code(), ended.signal()) {
            (Some(code), _) => code.to_string(),
            (None, signal) => {
                let signal = signal.and_then(|signal| Signal::try_from(signal).ok());
                let name = signal.map_or("unknown", Signal::as_str);
                name.trim_start_matches("SIG").to_owned()
            }
        };
        let end = self.shell(|shell| {
            shell.arg(&self.path).env(ENDED, &how);
        })?;
        Ok(match ended.code() {
            Some(_) => end,
            None => ended,
        })
    }

    fn shell(&self, with: impl FnOnce(&mut process::Command)) -> Result<ExitStatus, Failure> {
        let mut shell = process::Command::new("sh");
        with(&mut shell);
        shell.env(FOLDER, &self.folder);
        pass_on_closed_output(&mut shell);
        run_attended(&mut shell).map_err(|e| cannot_run(&e))
    }
}

fn cannot_run(error: &io::Error) -> Failure {
    Failure::error(format!("cannot run sh, a Bourne shell: {error}"))
}

/// What a shell says of a program, as an error of the script.
fn shell_error(said: &str, program: &Path, translation: &Translation) -> SyntaxError {
    let first = said.lines().next().unwrap_or_default();
    let rest = first
        .split_once(&*program.to_string_lossy())
        .map_or(first, |(_, rest)| rest);
    let digits = |c: char| c.is_ascii_digit();
    let number = rest.split(|c| !digits(c)).find(|part| !part.is_empty());
    let line = number.and_then(|number| number.parse().ok());
    let what = match number {
        Some(number) => rest.split_once(number).map_or(rest, |(_, what)| what),
        None => rest,
    };
    let what = what.trim_start_matches([':', ' ']);
    let line = line.and_then(|line| translation.line_of_script(line));
    let text = match line {
        Some(_) => format!("the shell finds an error in the lines with `%` here: {what}"),
        None => format!(
            "the shell finds an error in the lines with `%`, of which one may not be ended: {what}"
        ),
    };
    SyntaxError {
        place: Place {
            line: line.unwrap_or(1),
            column: 1,
        },
        text,
    }
}
