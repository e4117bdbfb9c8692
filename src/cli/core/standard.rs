//! Which of the standard streams the process was started with.
//!
//! Rust's start-up opens `/dev/null` in the place of those that are closed, so that
//! no file gets their numbers. Reading one of them would look like an empty input,
//! and what is written to one would be lost without a word: so this is found out
//! before.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use hyades_formats::ReadError;
use hyades_formats::diagnostic::printable_path;

/// Whether standard input, output and error were closed.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

#[cfg(target_os = "linux")]
#[used]
// SAFETY: what is in this section is called before `main`, as C functions
// without arguments may be.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: asks for a flag; a number that is no descriptor is an error.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
    }
    look
};

/// Whether the process was started without this descriptor, one of the three
/// standard streams (`2>&-` in a shell); never for others. Known on Linux only:
/// elsewhere none is taken to be closed.
pub fn was_closed(descriptor: i32) -> bool {
    let place = usize::try_from(descriptor).ok();
    let closed = place.and_then(|place| CLOSED.get(place));
    closed.is_some_and(|closed| closed.load(Ordering::Relaxed))
}

/// Lets a process that is going to be started find no standard output, if this one has found
/// none.
pub fn pass_on_closed_output(command: &mut Command) {
    if was_closed(libc::STDOUT_FILENO) {
        let close = || {
            // SAFETY: a file is closed that nobody else in the new process knows of.
            unsafe { libc::close(libc::STDOUT_FILENO) };
            Ok(())
        };
        // SAFETY: a single system call, which a process may make between fork and exec.
        unsafe { command.pre_exec(close) };
    }
}

/// Refuses an input that is named by its path, if that is one of the names of standard input
/// and there is none.
pub(crate) fn check_input(path: &Path) -> Result<(), ReadError> {
    let names = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    match was_closed(0) && names.iter().any(|name| path.as_os_str() == *name) {
        true => Err(ReadError::Io {
            file: printable_path(path).into(),
            error: closed_input(),
        }),
        false => Ok(()),
    }
}

/// What is wrong with a standard input that there is none of.
pub fn closed_input() -> io::Error {
    io::Error::other("standard input is closed")
}
