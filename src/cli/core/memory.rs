//! The limit on memory, and the end of a process that has no memory left:
//! one line and exit status 3, whoever wanted the memory.
//!
//! The limit is the kernel's (`RLIMIT_DATA`), so that it holds for libraries in
//! C as well. What fails then:
//!
//! - an allocation of Rust code. The standard library would tell in three lines
//!   and abort, or, with `RUST_BACKTRACE`, wait for itself for ever.
//!   [`Allocator`] ends the process instead;
//! - an allocation of a library in C, which returns an error;
//! - what panics or aborts because of such a thing: [`is_exhausted`] tells that
//!   from a mistake of ours.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU64, Ordering};

use hyades_base::parallel;

use super::arena::Arena;
use super::cleanup;
use super::status::Failure;

/// The system's allocator. In a process that [runs a command](super::run::run), an
/// allocation that fails ends the process, and a large one gets large pages, by the arena
/// unless memory is limited; otherwise it is the system's in every respect.
///
/// It is the global one by the feature `allocator`, which is on by default.
pub struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Memory for columns, which commands take from here.
static ARENA: Arena = Arena::new();

/// Whether it is in use.
static USES_ARENA: AtomicBool = AtomicBool::new(false);

/// Takes the memory of columns from the arena from now on, and that of what is small in larger
/// steps. To be called before threads start. Not where memory is limited: the limit is the
/// kernel's, which would count what is free there.
pub fn use_arena() {
    USES_ARENA.store(true, Ordering::Relaxed);
    // By itself, glibc's allocator lets what a thread has of it grow by a few pages at a time, for
    // each of which the system stops the other threads.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes two numbers; what the allocator holds stays as it is.
    unsafe {
        libc::mallopt(libc::M_TOP_PAD, 1 << 20);
    }
}

/// Whether memory of this layout is to come from the arena.
#[inline]
fn is_for_arena(layout: Layout) -> bool {
    Arena::takes(layout) && USES_ARENA.load(Ordering::Relaxed)
}

/// Columns of this size that grow are the system's: the kernel moves them without copying.
const MOVED: usize = 1 << 20;

// SAFETY: every call is passed on to the system's allocator, whose results are
// returned as they are, or to the arena, whose blocks lie apart and have the size asked for.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_for_arena(layout)
            && let Some((block, _)) = ARENA.alloc(layout.size())
        {
            return block;
        }
        // SAFETY: the caller's promises are those that `System` asks for; so
        // below.
        got(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_for_arena(layout)
            && let Some((block, dirty)) = ARENA.alloc(layout.size())
        {
            // SAFETY: no more than the block, and no more than is asked for.
            unsafe { block.write_bytes(0, dirty.min(layout.size())) };
            return block;
        }
        // SAFETY: see above.
        got(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if ARENA.resize(old, layout.size(), size) {
            return old;
        }
        // SAFETY: the size is not 0, and the caller promises that it is no more than can be.
        let new = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let is_ours = ARENA.is_within(old);
        if is_ours || size < MOVED && is_for_arena(new) {
            // SAFETY: the new block holds as much, and the old one is given back as it was
            // asked for.
            unsafe {
                let block = match size < MOVED {
                    true => self.alloc(new),
                    false => got(System.alloc(new), size),
                };
                if !block.is_null() {
                    ptr::copy_nonoverlapping(old, block, layout.size().min(size));
                    self.dealloc(old, layout);
                }
                return block;
            }
        }
        // SAFETY: see above.
        got(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        if !ARENA.free(old, layout.size()) {
            // SAFETY: see above.
            unsafe { System.dealloc(old, layout) }
        }
    }
}

/// Allocations of this size on are worth pages of 2 MiB.
const LARGE: usize = 4 << 20;

#[inline]
fn got(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        refused(size);
    } else if size >= LARGE {
        advise(memory, size);
    }
    memory
}

/// Asks for large pages: columns are looked up in no order, and with small pages
/// the processor spends a good part of its time on finding out where these are.
#[cold]
fn advise(memory: *mut u8, size: usize) {
    #[cfg(target_os = "linux")]
    if COMMAND.get().is_some() {
        const PAGE: usize = 2 << 20;
        let before = memory.align_offset(PAGE);
        // SAFETY: whole pages within what has just been allocated; the advice
        // changes nothing of what they hold, and may be refused.
        unsafe {
            let start = memory.add(before);
            let length = (size - before) / PAGE * PAGE;
            libc::madvise(start.cast(), length, libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, size);
}

#[cold]
fn refused(size: usize) {
    if COMMAND.get().is_some() {
        end(format_args!("cannot allocate {size} bytes"));
    }
}

/// The command that runs, once it does.
static COMMAND: OnceLock<&'static str> = OnceLock::new();

/// The value of `--max-memory`, 0 without.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// The system's limit before ours, 0 if there is none of ours.
static BEFORE: AtomicU64 = AtomicU64::new(0);

/// The exit status of what ends the process at once, 0 for the usual one.
static STATUS: AtomicI32 = AtomicI32::new(0);

/// Lets a lack of memory, and whatever else ends the process at once, give this exit
/// status, for commands with other habits.
pub fn set_status(status: i32) {
    STATUS.store(status, Ordering::Relaxed);
}

/// Why there is no verdict, in an answer that is made of [last words](set_last_words).
pub const AT_ITS_END: &str = "out of memory";

/// What is written to standard output when a limit ends the process, or null.
static LAST_WORDS: AtomicPtr<Box<[u8]>> = AtomicPtr::new(ptr::null_mut());

/// Lets a process that ends by a limit write this to standard output first, unless
/// it is [forgotten](forget_last_words) before: what there is to say of questions
/// if nothing else comes.
pub fn set_last_words(text: Vec<u8>) {
    // Leaked, as another thread may be writing them when they are forgotten; once
    // a command.
    let words = Box::leak(Box::new(text.into_boxed_slice()));
    LAST_WORDS.store(words, Ordering::Release);
}

/// There is something better to say.
pub fn forget_last_words() {
    LAST_WORDS.store(ptr::null_mut(), Ordering::Release);
}

/// Writes the last words if there are any, once. Allocates nothing and takes no
/// lock, so that it works in the allocator and in a signal handler.
pub fn say_last_words() {
    let words = LAST_WORDS.swap(ptr::null_mut(), Ordering::AcqRel);
    // SAFETY: null, or what has been leaked and is only ever read.
    let Some(words) = (unsafe { words.as_ref() }) else {
        return;
    };
    let mut rest = &words[..];
    while !rest.is_empty() {
        // SAFETY: the bytes written are those of a live slice.
        match unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) } {
            written @ 1.. => rest = &rest[written as usize..],
            // Nobody reads them, or there is no room.
            _ if errno() != libc::EINTR => return,
            _ => {}
        }
    }
}

fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

/// From now on a lack of memory ends the process, in the name of this command.
pub fn install(command: &'static str) {
    COMMAND.get_or_init(|| command);
    free_at_once();
}

/// Makes the allocator give columns back to the system when they are freed.
///
/// By itself, glibc's learns from what is freed to keep blocks of up to 32 MiB
/// for later; kept blocks of other sizes would then stand beside new ones.
fn free_at_once() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes two numbers; what the allocator holds stays as it is.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
    }
}

/// Lets so many threads share what the allocator has ready for them if a limit asks for it. To be
/// called before they start.
///
/// By itself, glibc's has an arena for each of them, and what is freed in one is of no use to
/// another. That may take as much as is [set aside](Beside) of the limit.
pub(super) fn share_arenas(limit: u64, threads: usize) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// What an arena may come to.
        const ARENA: u64 = 8 << 20;
        let arenas = (limit / 16 / ARENA).max(1);
        if arenas < threads as u64 {
            // SAFETY: takes two numbers, the second of which is less than that of threads.
            unsafe {
                libc::mallopt(libc::M_ARENA_MAX, arenas as libc::c_int);
            }
        }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    let _ = (limit, threads);
}

/// Lets no more than `bytes` of private memory be allocated, stacks of threads
/// included.
///
/// # Errors
/// If the system refuses.
pub fn limit(bytes: u64) -> Result<(), Failure> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    LIMIT.store(bytes, Ordering::Relaxed);
    getrlimit(Resource::RLIMIT_DATA)
        .and_then(|(soft, hard)| {
            BEFORE.store(soft.min(hard), Ordering::Relaxed);
            // One that is set already may be narrowed only.
            let bytes = bytes.min(soft).min(hard);
            setrlimit(Resource::RLIMIT_DATA, bytes, hard)
        })
        .map_err(|e| Failure::error(format!("cannot limit the memory: {}", e.desc())))
}

/// Whether there is a limit of ours.
pub fn is_limited() -> bool {
    given() > 0
}

/// The limit of ours in bytes; 0 if there is none.
pub(super) fn given() -> u64 {
    LIMIT.load(Ordering::Relaxed)
}

/// Lets some more memory be allocated than [`limit`] said, but for what the system
/// itself does not allow: whoever has given up because of the limit needs a little
/// to tell how far it came.
pub fn spend_reserve() {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    const RESERVE: u64 = 16 << 20;
    let most = BEFORE.load(Ordering::Relaxed);
    if let (true, Some(used), Ok((soft, hard))) = (
        most > 0,
        of_status("VmData"),
        getrlimit(Resource::RLIMIT_DATA),
    ) {
        let bytes = used.saturating_add(RESERVE).min(most).max(soft);
        // If it is refused, what is told may be missing.
        let _ = setrlimit(Resource::RLIMIT_DATA, bytes, hard);
    }
}

/// The bytes that the system tells under this name of the process's memory, such
/// as `VmRSS`; Linux only.
pub fn of_status(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let told = |line: &str| {
        line.strip_prefix(name)?
            .strip_prefix(':')?
            .strip_suffix(" kB")?
            .trim()
            .parse()
            .ok()
    };
    status
        .lines()
        .find_map(told)
        .map(|kilobytes: u64| 1024 * kilobytes)
}

/// How much memory a table may take, as far as the limit goes and is known: what
/// is not in use yet, but for a reserve for what threads do at the same time.
pub fn rest() -> Option<u64> {
    match LIMIT.load(Ordering::Relaxed) {
        0 => None,
        limit => Some(Beside::now()?.rest(limit)),
    }
}

/// How many bytes of memory are available, as far as the system tells: in the machine, in the
/// control groups of the process, and within the limits that it was started with.
pub(super) fn available() -> Option<u64> {
    use nix::sys::resource::{Resource, getrlimit};
    let machine = || {
        let told = fs::read_to_string("/proc/meminfo").ok()?;
        let mut lines = told.lines();
        let line = lines.find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(1024 * kilobytes)
    };
    let groups = || {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        left_in_groups(Path::new("/sys/fs/cgroup"), &groups)
    };
    let limited = |resource, used| {
        let (soft, _) = getrlimit(resource).ok()?;
        let is_limited = soft != libc::RLIM_INFINITY;
        is_limited.then(|| soft.saturating_sub(of_status(used).unwrap_or(0)))
    };
    let all = [
        machine(),
        groups(),
        limited(Resource::RLIMIT_AS, "VmSize"),
        limited(Resource::RLIMIT_DATA, "VmData"),
    ];
    all.into_iter().flatten().min()
}

/// What the limits of control groups (version 2) leave of memory: the group of the process
/// and all that it is in. Files that are kept in memory are given up if need be.
fn left_in_groups(root: &Path, groups: &str) -> Option<u64> {
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let path = root.join(own);
    let within = path.ancestors().take_while(|path| path.starts_with(root));
    let left = |folder: &Path| {
        let text = |file: &str| fs::read_to_string(folder.join(file)).ok();
        // Without a limit it is the text `max`.
        let number = |file: &str| text(file)?.trim().parse::<u64>().ok();
        let limits = ["memory.max", "memory.high"].into_iter().filter_map(number);
        let limit = limits.min()?;
        let told = text("memory.stat").unwrap_or_default();
        let files = told
            .lines()
            .find_map(|line| line.strip_prefix("inactive_file ")?.parse().ok());
        let used = number("memory.current").unwrap_or(0);
        Some(limit.saturating_sub(used.saturating_sub(files.unwrap_or(0))))
    };
    within.filter_map(left).min()
}

/// What a process takes beside its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside {
    /// Bytes in use.
    used: u64,
    /// For what threads do at the same time, and a sixteenth of what is left besides.
    reserve: u64,
}

impl Beside {
    /// At this moment; nothing where the system does not tell.
    pub fn now() -> Option<Self> {
        let threads = parallel::threads() as u64;
        Some(Self {
            used: of_status("VmData")?,
            reserve: (4 + threads) * (1 << 20),
        })
    }

    /// What a limit leaves to tables.
    fn rest(self, limit: u64) -> u64 {
        let rest = limit.saturating_sub(self.used);
        rest.saturating_sub(rest / 16 + self.reserve)
    }

    /// A limit that leaves so much to tables.
    pub fn limit_for(self, tables: u64) -> u64 {
        let rest = tables.saturating_add(self.reserve);
        let rest = rest.saturating_add(rest / 15 + 1);
        rest.saturating_add(self.used)
    }
}

/// Whether there is so little memory left that not even a thread could be
/// started. May be called in a signal handler.
pub fn is_exhausted() -> bool {
    const ENOUGH: usize = 4 << 20;
    // SAFETY: a new mapping of our own, which nobody uses.
    unsafe {
        let memory = libc::mmap(
            ptr::null_mut(),
            ENOUGH,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        if memory == libc::MAP_FAILED {
            return true;
        }
        libc::munmap(memory, ENOUGH);
    }
    false
}

/// Ends the process because of a lack of memory, which `what` tells: one line, no
/// unfinished files, [last words](set_last_words), exit status 3 (or
/// [another](set_status)). Allocates nothing and waits for nothing, so that it
/// works in the allocator and in a signal handler.
pub fn end(what: impl std::fmt::Display) -> ! {
    let command = command();
    let status = status_or(3);
    match LIMIT.load(Ordering::Relaxed) {
        0 => cleanup::end(
            status,
            say_last_words,
            format_args!("{command}: out of memory: {what} (no --max-memory)"),
            tell_others,
        ),
        limit => cleanup::end(
            status,
            say_last_words,
            format_args!("{command}: out of memory: {what} (--max-memory {limit})"),
            tell_others,
        ),
    }
}

/// Who is told when [`end`] ends the process.
static OTHERS: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Lets others know when [`end`] ends the process, by what neither allocates nor waits for a
/// lock. The first one of a process counts.
#[cfg(feature = "cluster")]
pub(super) fn set_others(tell: impl Fn() + Send + Sync + 'static) {
    let _ = OTHERS.set(Box::new(tell));
}

fn tell_others() {
    if let Some(tell) = OTHERS.get() {
        tell();
    }
}

/// The exit status of what ends the process at once, which is usually this one.
pub(super) fn status_or(usual: i32) -> i32 {
    match STATUS.load(Ordering::Relaxed) {
        0 => usual,
        status => status,
    }
}

/// The command that runs.
pub(super) fn command() -> &'static str {
    COMMAND.get().copied().unwrap_or("hyades")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_leaves_what_it_is_for() {
        let beside = Beside {
            used: 12_345_678,
            reserve: 6 << 20,
        };
        for tables in [0, 1, 4096, 99_999_999, 123 << 30] {
            let limit = beside.limit_for(tables);
            let rest = beside.rest(limit);
            assert!(
                (tables..=tables + 2).contains(&rest),
                "{rest} instead of {tables}"
            );
        }
        assert_eq!(beside.rest(1000), 0);
        assert_eq!(beside.limit_for(u64::MAX), u64::MAX);
    }

    #[test]
    fn control_groups_limit_what_is_available() {
        let root = tempfile::tempdir().unwrap();
        let groups = "1:name=systemd:/other\n0::/a/b\n";
        let left = || left_in_groups(root.path(), groups);
        let write = |file: &str, text: &str| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert_eq!(left(), None);
        write("a/b/memory.max", "max\n");
        write("a/b/memory.high", "max\n");
        assert_eq!(left(), None);
        write("a/memory.max", "9000\n");
        assert_eq!(left(), Some(9000));
        write("a/memory.current", "4000\n");
        write("a/memory.stat", "anon 100\ninactive_file 1000\n");
        assert_eq!(left(), Some(6000));
        write("a/b/memory.high", "5000\n");
        assert_eq!(left(), Some(5000));
        write("a/b/memory.current", "7000\n");
        assert_eq!(left(), Some(0));
        // Others, and version 1, do not count.
        write("other/memory.max", "1\n");
        write("memory.max", "2\n");
        write("a/b/memory.current", "0\n");
        assert_eq!(left_in_groups(root.path(), "0::/a/b/c\n"), Some(2));
        assert_eq!(left_in_groups(root.path(), "3:memory:/other\n"), None);
    }
}
