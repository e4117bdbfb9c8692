//! Which of the standard streams the process was started with.
//!
//! Rust's start-up opens `/dev/null` in the place of those that are closed, so that
//! no file gets their numbers. Reading one of them would look like an empty input,
//! and what is written to one would be lost without a word: so this is found out
//! before.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Whether standard input was closed, and this is one of its names.
pub(crate) fn is_closed_input(path: &std::path::Path) -> bool {
    let names = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];
    was_closed(0) && names.iter().any(|name| path.as_os_str() == *name)
}

/// What is wrong with a standard input that there is none of.
pub fn closed_input() -> io::Error {
    io::Error::other("standard input is closed")
}
