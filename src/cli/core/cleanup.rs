//! Unfinished files never outlive the process: not after a signal, not after a
//! panic, not when memory runs out.
//!
//! An output is written under a temporary name first. [`Unfinished`] keeps that
//! name in a list which a signal handler may walk: nodes are leaked (there are
//! as many as outputs, a handful, or the files of a folder), linked by one atomic
//! store, and never unlinked, so that a handler sees a whole list at any moment.
//!
//! Whether there is a file of ours under a name changes in a system call, and only
//! its result tells: a file that is being created may be there already, or be
//! somebody else's, which the call refuses to replace. So nobody decides meanwhile.
//! A call that creates, renames or removes is made within a `Change`, during which
//! the thread takes no signal, and for the end of which whoever is to remove all
//! files waits, in whatever thread he is. Once he has begun, no change begins any
//! more: what is seen when the process ends is there as a whole, or not at all.

use std::ffi::CString;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicUsize, Ordering};

use hyades_formats::diagnostic::printable_path;
use hyades_formats::mapped;

use super::memory;
use super::say::say_warning;
use super::status::reason;

struct Node {
    path: CString,
    /// Whether it is a directory, which is removed after what was made in it later.
    is_directory: bool,
    /// Whether there is a file of that name, and it is ours. Changes within a
    /// `Change` only.
    live: AtomicBool,
    next: AtomicPtr<Node>,
}

/// The last node added; every other one follows by `next`.
static LIST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

/// How many threads are within a `Change`.
static CHANGES: AtomicUsize = AtomicUsize::new(0);

/// Whether everything is being removed, as the process is about to end.
static ENDING: AtomicU8 = AtomicU8::new(NOT);
const NOT: u8 = 0;
const REMOVING: u8 = 1;
const REMOVED: u8 = 2;

/// What a command wants to be done when the process ends.
static AT_END: OnceLock<fn()> = OnceLock::new();

/// Lets this be done once when the process ends, however it ends, before unfinished
/// files are removed; it has to do only what a signal handler may. One per process: the
/// first.
pub fn at_end(work: fn()) {
    let _ = AT_END.set(work);
}

/// While this lives, the thread takes no signals.
struct Blocked(libc::sigset_t);

impl Blocked {
    fn new() -> Self {
        let mut before = MaybeUninit::uninit();
        // SAFETY: both sets are valid for the calls, and each is filled by one before
        // it is read; with valid arguments neither fails.
        unsafe {
            let mut all = MaybeUninit::uninit();
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            Self(before.assume_init())
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the set is what the system has told.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, ptr::null_mut()) };
    }
}

/// A stretch of code in which names begin or cease to be ours. It makes system calls
/// and stores atomics, and neither allocates nor panics.
struct Change {
    _blocked: Blocked,
}

impl Change {
    /// Begins a change, or waits for the end of the process if that has begun.
    fn begin() -> Self {
        let blocked = Blocked::new();
        CHANGES.fetch_add(1, Ordering::SeqCst);
        if ENDING.load(Ordering::SeqCst) == NOT {
            // Whoever sets `ENDING` from now on sees us.
            return Self { _blocked: blocked };
        }
        CHANGES.fetch_sub(1, Ordering::SeqCst);
        drop(blocked);
        wait_for_the_end()
    }
}

impl Drop for Change {
    fn drop(&mut self) {
        CHANGES.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Another thread is about to end the process. If it does not within ten seconds, as
/// after a fault that did not come again, it is ended here.
fn wait_for_the_end() -> ! {
    for _ in 0..10_000 {
        wait_a_little();
    }
    // SAFETY: async-signal-safe calls.
    unsafe {
        libc::signal(libc::SIGABRT, libc::SIG_DFL);
        libc::abort()
    }
}

/// Waits for the end of the process if another thread, in which a signal has come, is
/// about to end it. Unfinished files are gone then: what fails fails for that reason.
pub(super) fn give_way() {
    if ENDING.load(Ordering::SeqCst) != NOT {
        wait_for_the_end()
    }
}

/// Waits for a millisecond, as a signal handler may.
fn wait_a_little() {
    // SAFETY: polls no descriptors.
    unsafe { libc::poll(ptr::null_mut(), 0, 1) };
}

/// Repeats a call that is interrupted; -1 is an error.
fn called(mut call: impl FnMut() -> libc::c_int) -> io::Result<libc::c_int> {
    loop {
        match call() {
            -1 => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => {}
                error => return Err(error),
            },
            result => return Ok(result),
        }
    }
}

fn c_path(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// A file, a link or a directory that is removed when this is dropped, and also when
/// the process is ended by a signal, unless it was [given its
/// name](Unfinished::appear).
pub struct Unfinished {
    node: &'static Node,
}

impl Unfinished {
    /// Creates a file to be written, with these permissions as far as the umask
    /// allows.
    ///
    /// # Errors
    /// If it cannot be created, or exists.
    pub fn create_file(path: &Path, mode: u32) -> io::Result<(Self, File)> {
        #[cfg(not(target_os = "linux"))]
        use libc::open;
        #[cfg(target_os = "linux")]
        use libc::open64 as open;
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let (this, descriptor) = Self::watch(path, false, |path| {
            // SAFETY: `path` ends with NUL.
            unsafe { open(path, flags, mode as libc::c_uint) }
        })?;
        // SAFETY: it is new, so that nobody else owns it.
        let file = unsafe { OwnedFd::from_raw_fd(descriptor) };
        Ok((this, file.into()))
    }

    /// Creates a directory. Files that are created in it have to be dropped before.
    ///
    /// # Errors
    /// If it cannot be created, or exists.
    pub fn create_directory(path: &Path) -> io::Result<Self> {
        // SAFETY: `path` ends with NUL.
        let (this, _) = Self::watch(path, true, |path| unsafe { libc::mkdir(path, 0o777) })?;
        Ok(this)
    }

    /// A directory or a file that another process has made or is going to make: it goes with
    /// the last process that has to do with it, even if the other one is killed. Files have to
    /// be dropped before their directory.
    ///
    /// # Errors
    /// If its name has a NUL.
    #[cfg(any(feature = "cluster", test))]
    pub fn of_others(path: &Path, is_directory: bool) -> io::Result<Self> {
        let (this, _) = Self::watch(path, is_directory, |_| 0)?;
        Ok(this)
    }

    /// Creates a symbolic link to `target`.
    ///
    /// # Errors
    /// If it cannot be created, or exists.
    pub fn create_link(path: &Path, target: &Path) -> io::Result<Self> {
        let target = c_path(target)?;
        // SAFETY: both end with NUL.
        let (this, _) = Self::watch(path, false, |path| unsafe {
            libc::symlink(target.as_ptr(), path)
        })?;
        Ok(this)
    }

    /// Watches over what a system call creates at this path.
    fn watch(
        path: &Path,
        is_directory: bool,
        create: impl Fn(*const libc::c_char) -> libc::c_int,
    ) -> io::Result<(Self, libc::c_int)> {
        let node = Self::listed(path, is_directory)?;
        let change = Change::begin();
        let made = called(|| create(node.path.as_ptr()));
        node.live.store(made.is_ok(), Ordering::Relaxed);
        drop(change);
        made.map(|made| (Self { node }, made))
    }

    /// A new node of the list, which is not live yet.
    fn listed(path: &Path, is_directory: bool) -> io::Result<&'static Node> {
        let path = c_path(path)?;
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
                Ok(_) => return Ok(node),
                Err(now) => first = now,
            }
        }
    }

    /// Gives it its name, where it replaces what may be replaced.
    ///
    /// # Errors
    /// If the system refuses that. It is removed then.
    pub fn appear(self, place: &Path) -> io::Result<()> {
        self.appear_with(Vec::new(), place)
    }

    /// Gives a directory its name, with the files that were created in it.
    ///
    /// # Errors
    /// If the system refuses that. All are removed then.
    pub fn appear_with(self, files: Vec<Unfinished>, place: &Path) -> io::Result<()> {
        let place = c_path(place)?;
        let change = Change::begin();
        // SAFETY: both end with NUL.
        let renamed = called(|| unsafe { libc::rename(self.node.path.as_ptr(), place.as_ptr()) });
        if renamed.is_ok() {
            for unfinished in files.iter().chain([&self]) {
                unfinished.node.live.store(false, Ordering::Relaxed);
            }
        }
        drop(change);
        // The files before the directory.
        drop(files);
        drop(self);
        renamed.map(|_| ())
    }

    /// Gives a directory its name, with the files that were created in it, where another
    /// one is that has these files: both change places at once, if the system can do that,
    /// and then the other one is removed. What else is in that one stays under the
    /// temporary name.
    ///
    /// # Errors
    /// If the system refuses that. What was created is removed then.
    pub fn exchange_with(
        self,
        files: Vec<Unfinished>,
        place: &Path,
        names: &[String],
    ) -> io::Result<()> {
        let place = c_path(place)?;
        let temporary = Path::new(std::ffi::OsStr::from_bytes(self.node.path.as_bytes()));
        let others: io::Result<Vec<_>> = names
            .iter()
            .map(|name| Self::foresee(&temporary.join(name)))
            .collect();
        let others = others?;
        let change = Change::begin();
        let exchanged = exchange(&self.node.path, &place);
        if exchanged.is_ok() {
            for (unfinished, live) in files
                .iter()
                .map(|file| (file, false))
                .chain(others.iter().map(|file| (file, true)))
            {
                unfinished.node.live.store(live, Ordering::Relaxed);
            }
        }
        drop(change);
        drop(files);
        drop(others);
        drop(self);
        exchanged
    }

    /// Removes it if it is there. A directory that is not empty stays: what is in it is told,
    /// or is of others.
    fn remove(&self) -> io::Result<()> {
        let change = Change::begin();
        let removed = remove(self.node);
        drop(change);
        removed.or_else(|error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty => Ok(()),
            _ => Err(error),
        })
    }

    /// Watches over a file that is going to have this path, but is not there yet.
    fn foresee(path: &Path) -> io::Result<Self> {
        Ok(Self {
            node: Self::listed(path, false)?,
        })
    }
}

/// Lets two directories change places: at once, where the system can do that. System calls
/// only, as it is part of a [`Change`].
fn exchange(new: &CString, place: &CString) -> io::Result<()> {
    let (new, place) = (new.as_ptr(), place.as_ptr());
    #[cfg(target_os = "linux")]
    {
        // SAFETY: both end with NUL.
        let exchanged = called(|| unsafe {
            let number = libc::SYS_renameat2;
            let here = libc::AT_FDCWD;
            libc::syscall(number, here, new, here, place, libc::RENAME_EXCHANGE) as libc::c_int
        });
        match exchanged {
            Ok(_) => return Ok(()),
            // The file system, or an old kernel, does not know how.
            Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) => {}
            Err(error) => return Err(error),
        }
    }
    exchange_in_steps(new, place)
}

/// The same by a third name: for a moment there is nothing under the name.
fn exchange_in_steps(new: *const libc::c_char, place: *const libc::c_char) -> io::Result<()> {
    // `NEW.old`, in memory that needs no allocation.
    let mut third = [0; libc::PATH_MAX as usize];
    // SAFETY: `new` ends with NUL.
    let length = unsafe { libc::strlen(new) };
    if length + 5 > third.len() {
        return Err(io::Error::from_raw_os_error(libc::ENAMETOOLONG));
    }
    // SAFETY: so many bytes are there.
    let bytes = unsafe { std::slice::from_raw_parts(new, length) };
    third[..length].copy_from_slice(bytes);
    for (to, from) in third[length..].iter_mut().zip(b".old") {
        *to = *from as libc::c_char;
    }
    let old = third.as_ptr();
    // SAFETY: all end with NUL.
    let rename = |from, to| called(|| unsafe { libc::rename(from, to) });
    rename(place, old)?;
    if let Err(error) = rename(new, place) {
        let _ = rename(old, place);
        return Err(error);
    }
    // If this fails, the old one stays under its third name.
    let _ = rename(old, new);
    Ok(())
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if self.node.live.load(Ordering::Relaxed)
            && let Err(error) = self.remove()
        {
            let path = Path::new(std::ffi::OsStr::from_bytes(self.node.path.as_bytes()));
            let error = reason(&error);
            say_warning(&format!(
                "{} stays: {error}: remove it",
                printable_path(path)
            ));
        }
    }
}

/// Removes the node's file if it is still there. Only atomics, `unlink` and
/// `rmdir`, so a signal handler may call it.
fn remove(node: &Node) -> io::Result<()> {
    if !node.live.swap(false, Ordering::Relaxed) {
        return Ok(());
    }
    let path = node.path.as_ptr();
    // SAFETY: `path` is a NUL-terminated string that is never freed.
    let removed = unsafe {
        match node.is_directory {
            true => libc::rmdir(path),
            false => libc::unlink(path),
        }
    };
    match removed {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Removes every unfinished file, the last one first, so that directories are empty
/// when it is their turn, after what [`at_end`] asked for. For who is about to end the
/// process, also in a signal handler; not within a `Change`.
pub fn remove_all() {
    // A handler in this thread would wait for us for ever.
    let _blocked = Blocked::new();
    if ENDING
        .compare_exchange(NOT, REMOVING, Ordering::SeqCst, Ordering::SeqCst)
        .is_err()
    {
        // The other thread might not have come to all of them yet.
        while ENDING.load(Ordering::SeqCst) != REMOVED {
            wait_a_little();
        }
        return;
    }
    if let Some(work) = AT_END.get() {
        work();
    }
    while CHANGES.load(Ordering::SeqCst) > 0 {
        wait_a_little();
    }
    let mut node = LIST.load(Ordering::SeqCst);
    // SAFETY: the list holds null or leaked nodes, which are only ever shared.
    while let Some(here) = unsafe { node.as_ref() } {
        // A signal handler tells nothing.
        let _ = remove(here);
        node = here.next.load(Ordering::Relaxed);
    }
    ENDING.store(REMOVED, Ordering::SeqCst);
}

/// Ends the process at once with this exit status: no unfinished files, then `last_words`, a
/// line on standard error, and what is `told` to others. Allocates nothing and takes no lock,
/// so that it works in the allocator and in a signal handler. The first thread that calls it
/// ends the process.
pub(super) fn end(
    status: i32,
    last_words: impl FnOnce(),
    message: fmt::Arguments<'_>,
    told: impl FnOnce(),
) -> ! {
    end_after(status, || {
        last_words();
        let mut line = [0; 512];
        let mut text = Cursor::new(&mut line[..]);
        // A line that is too long is cut.
        let _ = text.write_fmt(message);
        let length = (text.position() as usize).min(line.len() - 1);
        line[length] = b'\n';
        // SAFETY: the bytes written are those of a live array, and the call is
        // async-signal-safe.
        unsafe { libc::write(2, line.as_ptr().cast(), length + 1) };
        told();
    })
}

/// Ends the process at once with this exit status: no unfinished files, then `last_words`.
/// The first thread that calls it ends the process.
pub(super) fn end_after(status: i32, last_words: impl FnOnce()) -> ! {
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::AcqRel) {
        wait_for_the_end()
    }
    remove_all();
    last_words();
    // SAFETY: an async-signal-safe call.
    unsafe { libc::_exit(status) }
}

/// The process that [`install`] was called in. Between fork and exec a child has the
/// same handlers, and must leave the files of its parent alone.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// More than there are signals.
const SIGNALS: usize = 128;

/// What was done about signals before, where that is not their default action.
static BEFORE: [AtomicPtr<libc::sigaction>; SIGNALS] =
    [const { AtomicPtr::new(ptr::null_mut()) }; SIGNALS];

/// What the processor complains about comes again when the handler returns.
fn is_fault(signal: libc::c_int) -> bool {
    let faults = [libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGSEGV];
    faults.contains(&signal)
}

extern "C" fn on_signal(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    _context: *mut libc::c_void,
) {
    // SAFETY: the system gives a valid pointer to handlers with `SA_SIGINFO`.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr()) };
    // Positive codes are the system's own, others those of `kill` and its kin.
    let is_met = is_fault(signal) && code > 0;
    // SAFETY: cannot fail.
    if unsafe { libc::getpid() } == OWNER.load(Ordering::Relaxed) {
        if signal == libc::SIGBUS && is_met {
            mapped::file_at(address.addr(), end_of_mapped);
        }
        remove_all();
        if signal == libc::SIGABRT && memory::is_exhausted() {
            memory::end("aborted");
        }
    }
    let before = BEFORE[signal as usize].load(Ordering::Acquire);
    // SAFETY: async-signal-safe calls; `before` is null or a leaked structure that
    // the system has filled. The signal is blocked until we return: then it has the
    // effect that it would have had without us.
    unsafe {
        match is_met && !before.is_null() {
            true => libc::sigaction(signal, before, ptr::null_mut()),
            // Of one that was sent, Rust's handler would make nothing.
            false => libc::signal(signal, libc::SIG_DFL) as libc::c_int,
        };
        if !is_met {
            libc::raise(signal);
        }
    }
}

/// A byte of a mapped file cannot be looked at.
fn end_of_mapped(name: &str) {
    let command = memory::command();
    end(
        memory::status_or(2),
        || (),
        format_args!(
            "{command}: error: cannot read {name}: it was shortened by another program \
             meanwhile, or its disk failed"
        ),
        || (),
    )
}

/// Whether a signal is one that ends the process unless something is done about it,
/// and that something can be done about. Not `SIGPIPE`, which Rust ignores: writing
/// returns an error then, and we tidy up.
fn ends_the_process(signal: libc::c_int) -> bool {
    #[cfg(target_os = "linux")]
    let others = [libc::SIGCHLD; 2];
    #[cfg(not(target_os = "linux"))]
    let others = [libc::SIGINFO, libc::SIGIO];
    let harmless = [
        libc::SIGCHLD,
        libc::SIGCONT,
        libc::SIGKILL,
        libc::SIGPIPE,
        libc::SIGSTOP,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
        libc::SIGURG,
        libc::SIGWINCH,
    ];
    !harmless.contains(&signal) && !others.contains(&signal)
}

/// From now on a signal that ends the process, whichever it is, removes unfinished
/// files first. Signals that the process was started to ignore (`nohup`, background
/// jobs) stay ignored, and those that something preloaded handles (a profiler) are
/// left to it.
pub fn install() {
    // SAFETY: cannot fail.
    OWNER.store(unsafe { libc::getpid() }, Ordering::Relaxed);
    #[cfg(target_os = "linux")]
    let last = libc::SIGRTMAX();
    #[cfg(not(target_os = "linux"))]
    let last = 31;
    for signal in (1..=last).filter(|&signal| ends_the_process(signal)) {
        // SAFETY: both structures are valid for the calls, a zeroed `sigaction`
        // is a valid one, and `on_signal` is async-signal-safe. Numbers that are no
        // signals, or the C library's own, are refused.
        unsafe {
            let mut old: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(signal, ptr::null(), &mut old) != 0
                || old.sa_sigaction == libc::SIG_IGN
            {
                continue;
            }
            if old.sa_sigaction != libc::SIG_DFL {
                // Rust's handler, which tells of stacks that overflow.
                if !is_fault(signal) {
                    continue;
                }
                let old = Box::leak(Box::new(old));
                BEFORE[signal as usize].store(old, Ordering::Release);
            }
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = on_signal as *const () as libc::sighandler_t;
            // On the stack for signals, as there may be no room on the usual one.
            new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            // No other signal in this thread meanwhile.
            libc::sigfillset(&mut new.sa_mask);
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
    use std::fs;

    #[test]
    fn dropping_removes_and_appearing_keeps() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b, c) = (
            dir.path().join("a"),
            dir.path().join("b"),
            dir.path().join("c"),
        );
        let (dropped, _) = Unfinished::create_file(&a, 0o600).unwrap();
        let (kept, _) = Unfinished::create_file(&b, 0o600).unwrap();
        let link = Unfinished::create_link(&c, &a).unwrap();
        assert!(a.exists() && b.exists() && fs::read_link(&c).unwrap() == a);
        drop(dropped);
        kept.appear(&dir.path().join("d")).unwrap();
        assert!(!a.exists() && !b.exists() && dir.path().join("d").exists());
        drop(link);
        assert!(fs::symlink_metadata(&c).is_err());
    }

    #[test]
    fn the_last_one_removes_a_shared_directory() {
        let dir = tempfile::tempdir().unwrap();
        let made = dir.path().join("made");
        let folder = Unfinished::create_directory(&made).unwrap();
        let shared = Unfinished::of_others(&made, true).unwrap();
        let (file, _) = Unfinished::create_file(&made.join("file"), 0o600).unwrap();
        drop(folder);
        assert!(made.exists());
        drop(file);
        drop(shared);
        assert!(!made.exists());
        // Files of one that is killed.
        let folder = Unfinished::create_directory(&made).unwrap();
        let theirs = [1, 2].map(|k| Unfinished::of_others(&made.join(format!("{k}")), false));
        fs::write(made.join("2"), "").unwrap();
        drop(theirs);
        drop(folder);
        assert!(!made.exists());
    }

    #[test]
    fn what_cannot_be_removed_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a");
        let (gone, _) = Unfinished::create_file(&a, 0o600).unwrap();
        fs::remove_file(&a).unwrap();
        gone.remove().unwrap();
        let folder = Unfinished::create_directory(&a).unwrap();
        fs::write(a.join("b"), "someone else's").unwrap();
        folder.remove().unwrap();
        fs::remove_dir_all(&a).unwrap();
        // A directory where there was a file.
        let (file, _) = Unfinished::create_file(&a, 0o600).unwrap();
        fs::remove_file(&a).unwrap();
        fs::create_dir(&a).unwrap();
        assert!(file.remove().is_err());
    }

    #[test]
    fn a_failed_creation_removes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let a = dir.path().join("a");
        fs::write(&a, "someone else's").unwrap();
        for failed in [
            Unfinished::create_file(&a, 0o600).map(|_| ()),
            Unfinished::create_directory(&a).map(|_| ()),
            Unfinished::create_link(&a, &a).map(|_| ()),
        ] {
            assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        }
        assert!(a.is_file());
    }

    #[test]
    fn a_directory_appears_with_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for place in ["new", "no/such"] {
            let folder = Unfinished::create_directory(&at("made")).unwrap();
            let (file, _) = Unfinished::create_file(&at("made/file"), 0o600).unwrap();
            let appeared = folder.appear_with(vec![file], &at(place));
            assert_eq!(appeared.is_ok(), place == "new");
            assert!(!at("made").exists());
        }
        assert!(at("new/file").exists());
    }
}
