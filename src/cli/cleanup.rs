//! Unfinished files never outlive the process: not after a signal, not after a
//! panic, not when memory runs out.
//!
//! An output is written under a temporary name first. [`Unfinished`] keeps that
//! name in a list which a signal handler may walk: nodes are leaked (there are
//! as many as outputs, a handful, or the files of a folder), linked by one atomic
//! store, and never unlinked, so that a handler sees a whole list at any moment.

use std::ffi::CString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use super::memory;
use crate::conformance::run::kill_programs;

struct Node {
    path: CString,
    /// Whether it is a directory, which is removed after what was made in it later.
    is_directory: bool,
    /// Whether a file of that name exists and is ours.
    live: AtomicBool,
    next: AtomicPtr<Node>,
}

/// The last node added; every other one follows by `next`.
static LIST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

/// A file or an empty directory that is removed when this is dropped, and also
/// when the process is ended by a signal, unless it was [kept](Unfinished::keep).
pub struct Unfinished {
    node: &'static Node,
}

impl Unfinished {
    /// Creates a file by `create` and watches over it. A signal between the two
    /// finds the name in the list already.
    ///
    /// # Errors
    /// What `create` failed with, or a path with a NUL byte.
    pub fn create<T>(path: &Path, create: impl FnOnce() -> io::Result<T>) -> io::Result<(Self, T)> {
        Self::watch(path, false, create)
    }

    /// Creates a directory. Files that are created in it by [`Unfinished::create`]
    /// have to be dropped before.
    ///
    /// # Errors
    /// If it cannot be created, or exists.
    pub fn create_directory(path: &Path) -> io::Result<Self> {
        let (unfinished, ()) = Self::watch(path, true, || std::fs::create_dir(path))?;
        Ok(unfinished)
    }

    fn watch<T>(
        path: &Path,
        is_directory: bool,
        create: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let node: &'static Node = Box::leak(Box::new(Node {
            path,
            is_directory,
            live: AtomicBool::new(false),
            next: AtomicPtr::new(ptr::null_mut()),
        }));
        let this = ptr::from_ref(node).cast_mut();
        let mut first = LIST.load(Ordering::Acquire);
        loop {
            node.next.store(first, Ordering::Relaxed);
            match LIST.compare_exchange(first, this, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                Err(now) => first = now,
            }
        }
        let made = create()?;
        node.live.store(true, Ordering::Release);
        Ok((Self { node }, made))
    }

    /// The file is finished and has its final name: nothing to remove.
    pub fn keep(self) {
        self.node.live.store(false, Ordering::Release);
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        remove(self.node);
    }
}

/// Removes the node's file if it is still there. Only atomics, `unlink` and
/// `rmdir`, so a signal handler may call it.
fn remove(node: &Node) {
    if node.live.swap(false, Ordering::AcqRel) {
        let path = node.path.as_ptr();
        // SAFETY: `path` is a NUL-terminated string that is never freed.
        unsafe {
            match node.is_directory {
                true => libc::rmdir(path),
                false => libc::unlink(path),
            }
        };
    }
}

/// Removes every unfinished file, the last one first, so that directories are empty
/// when it is their turn, and kills the programs under test.
pub fn remove_all() {
    kill_programs();
    let mut node = LIST.load(Ordering::Acquire);
    // SAFETY: the list holds null or leaked nodes, which are only ever shared.
    while let Some(here) = unsafe { node.as_ref() } {
        remove(here);
        node = here.next.load(Ordering::Relaxed);
    }
}

extern "C" fn on_signal(signal: libc::c_int) {
    kill_programs();
    remove_all();
    if signal == libc::SIGABRT && memory::is_exhausted() {
        memory::end("aborted");
    }
    // SAFETY: async-signal-safe. The handler was installed for one time
    // (SA_RESETHAND), and the signal is blocked until we return: it then has
    // its usual effect.
    unsafe { libc::raise(signal) };
}

/// From now on a signal that ends the process removes unfinished files first.
/// Signals that the process was started to ignore (`nohup`, background jobs)
/// stay ignored.
pub fn install() {
    for signal in [
        libc::SIGABRT,
        libc::SIGHUP,
        libc::SIGINT,
        libc::SIGQUIT,
        libc::SIGTERM,
        libc::SIGXCPU,
        libc::SIGXFSZ,
    ] {
        // SAFETY: both structures are valid for the calls, a zeroed `sigaction`
        // is a valid one, and `on_signal` is async-signal-safe.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &mut old) != 0
                || old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = on_signal as *const () as libc::sighandler_t;
            new.sa_flags = libc::SA_RESETHAND;
            libc::sigaction(signal, &new, ptr::null_mut());
        }
    }
}

/// Ends the process as the kernel ends one that writes to a pipe which nobody
/// reads: silently, by SIGPIPE. (Rust ignores that signal at start, which is
/// why writing returned an error and we could tidy up.)
pub fn die_of_broken_pipe() -> ! {
    remove_all();
    // SAFETY: resets a signal to its default effect and sends it to ourselves.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        libc::raise(libc::SIGPIPE);
    }
    // Only if the signal is blocked: the number that a shell would show.
    std::process::exit(128 + libc::SIGPIPE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn dropping_removes_and_keeping_keeps() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        let (dropped, _) = Unfinished::create(&a, || File::create(&a)).unwrap();
        let (kept, _) = Unfinished::create(&b, || File::create(&b)).unwrap();
        assert!(a.exists() && b.exists());
        drop(dropped);
        kept.keep();
        assert!(!a.exists() && b.exists());
    }

    #[test]
    fn a_failed_creation_removes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a");
        std::fs::write(&a, "someone else's").unwrap();
        assert!(Unfinished::create(&a, || File::create_new(&a)).is_err());
        assert!(a.exists());
    }
}
