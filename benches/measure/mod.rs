//! Runs a command once and tells what it cost: wall time, processor time and
//! peak memory.
//!
//! Linux only: `wait4` gives the processor time and the peak resident set of
//! exactly one child, and `/proc/PID/statm` tells resident pages of its own
//! (anonymous) from resident pages of mapped files.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often a [`Sampling::Memory`] run looks at the memory of the child.
const SAMPLE_EVERY: Duration = Duration::from_micros(200);

/// Whether the child's memory is looked at while it runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sampling {
    /// The child runs undisturbed: for times.
    Off,
    /// Every 200 µs the child's own (not file-mapped) pages are counted: for
    /// memory. The reader takes some percent of a processor.
    Memory,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Exit status 0.
    Done,
    /// Another exit status.
    Status(i32),
    /// Ended by a signal other than ours.
    Signal(i32),
    /// The child said that its stack overflowed, and aborted.
    StackOverflow,
    /// Ended by us after this time.
    GaveUp(Duration),
}

impl Outcome {
    /// What a table shows in place of figures, nothing for [`Outcome::Done`].
    pub fn note(&self) -> Option<String> {
        match self {
            Outcome::Done => None,
            Outcome::Status(code) => Some(format!("exit status {code}")),
            Outcome::Signal(libc::SIGSEGV) => Some("segmentation fault".into()),
            Outcome::Signal(number) => Some(format!("killed by signal {number}")),
            Outcome::StackOverflow => Some("stack overflow".into()),
            Outcome::GaveUp(limit) => Some(format!("gave up at {} s", limit.as_secs_f64())),
        }
    }
}

/// What one run cost.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// From just before the start of the process to its end.
    pub wall: Duration,
    /// User and system time of all its threads.
    pub processor: Duration,
    /// Peak resident set in bytes, mapped files included. Never less than the
    /// resident set of this program, which the child shares before it turns
    /// into the command: a few megabytes.
    pub resident: u64,
    /// Largest sampled number of bytes resident and not mapped from a file,
    /// under [`Sampling::Memory`].
    pub anonymous: Option<u64>,
}

/// Runs `command` to its end or to `limit`, with no input, standard output
/// into `stdout`, standard error into the file `stderr`.
///
/// # Errors
/// If the command cannot be started or waited for.
pub fn run(
    command: &mut Command,
    stdout: File,
    stderr: &Path,
    limit: Duration,
    sampling: Sampling,
) -> io::Result<Run> {
    command
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(File::create(stderr)?);
    let start = Instant::now();
    let child = command.spawn()?;
    let pid = child.id();
    let (ended, end_seen) = mpsc::channel::<()>();
    // The child is not reaped before this thread is joined, so `pid` cannot
    // have become another process's number when the thread uses it.
    let watcher = std::thread::spawn(move || watch(pid, start, limit, sampling, &end_seen));
    let waited = wait_without_reaping(pid);
    let wall = start.elapsed();
    drop(ended);
    let watched = watcher.join().expect("the watcher does not panic");
    waited?;
    let (status, usage) = reap(pid)?;

    let outcome = if watched.gave_up {
        Outcome::GaveUp(limit)
    } else if libc::WIFSIGNALED(status) {
        match libc::WTERMSIG(status) {
            libc::SIGABRT if mentions_stack_overflow(stderr)? => Outcome::StackOverflow,
            number => Outcome::Signal(number),
        }
    } else {
        match libc::WEXITSTATUS(status) {
            0 => Outcome::Done,
            code => Outcome::Status(code),
        }
    };
    Ok(Run {
        outcome,
        wall,
        processor: duration(usage.ru_utime) + duration(usage.ru_stime),
        resident: usage.ru_maxrss as u64 * 1024,
        anonymous: (sampling == Sampling::Memory).then_some(watched.anonymous),
    })
}

/// What the thread beside a running child found.
struct Watched {
    gave_up: bool,
    anonymous: u64,
}

/// Samples the child and kills it at the limit; returns when `end_seen` hangs
/// up.
fn watch(
    pid: u32,
    start: Instant,
    limit: Duration,
    sampling: Sampling,
    end_seen: &mpsc::Receiver<()>,
) -> Watched {
    let mut watched = Watched {
        gave_up: false,
        anonymous: 0,
    };
    let mut pages = match sampling {
        Sampling::Off => None,
        Sampling::Memory => File::open(format!("/proc/{pid}/statm")).ok(),
    };
    loop {
        let left = limit.saturating_sub(start.elapsed());
        let pause = match &pages {
            Some(_) => SAMPLE_EVERY.min(left),
            None => left,
        };
        match end_seen.recv_timeout(pause) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return watched,
        }
        if let Some(file) = &mut pages {
            watched.anonymous = watched.anonymous.max(anonymous_bytes(file).unwrap_or(0));
        }
        if start.elapsed() >= limit {
            watched.gave_up = true;
            // SAFETY: a plain system call; `pid` is our child, not yet reaped.
            unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
            let _ = end_seen.recv();
            return watched;
        }
    }
}

/// Resident pages less those of mapped files, from an open `/proc/PID/statm`
/// (fields: size, resident, shared, …, in pages).
fn anonymous_bytes(statm: &mut File) -> Option<u64> {
    let mut text = [0; 128];
    statm.seek(SeekFrom::Start(0)).ok()?;
    let length = statm.read(&mut text).ok()?;
    let mut fields = std::str::from_utf8(&text[..length]).ok()?.split(' ');
    let resident: u64 = fields.nth(1)?.parse().ok()?;
    let shared: u64 = fields.next()?.parse().ok()?;
    // SAFETY: a plain system call without pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    Some(resident.saturating_sub(shared) * page)
}

fn wait_without_reaping(pid: u32) -> io::Result<()> {
    let mut info = MaybeUninit::<libc::siginfo_t>::uninit();
    loop {
        // SAFETY: `info` is large enough for what the call writes, and is not
        // read.
        let result = unsafe {
            libc::waitid(
                libc::P_PID,
                pid,
                info.as_mut_ptr(),
                libc::WEXITED | libc::WNOWAIT,
            )
        };
        match result {
            0 => return Ok(()),
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
}

fn reap(pid: u32) -> io::Result<(libc::c_int, libc::rusage)> {
    let mut status = 0;
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: both pointers are valid for writing; the child has ended, so the
    // call does not block.
    let result = unsafe { libc::wait4(pid as libc::pid_t, &mut status, 0, usage.as_mut_ptr()) };
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: zeroed to begin with and filled by the call; all bit patterns of
    // its integers are valid.
    Ok((status, unsafe { usage.assume_init() }))
}

fn duration(time: libc::timeval) -> Duration {
    Duration::from_secs(time.tv_sec as u64) + Duration::from_micros(time.tv_usec as u64)
}

fn mentions_stack_overflow(stderr: &Path) -> io::Result<bool> {
    let text = fs::read(stderr)?;
    Ok(String::from_utf8_lossy(&text).contains("overflowed its stack"))
}

/// The numbers in the first line of an AUT file: initial state, transitions,
/// states.
///
/// # Errors
/// If the file cannot be read or does not begin with an AUT header.
pub fn aut_header(path: &Path) -> io::Result<[u64; 3]> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?.take(4096)).read_until(b'\n', &mut line)?;
    header_numbers(&String::from_utf8_lossy(&line))
        .ok_or_else(|| io::Error::other(format!("{}: no AUT header", path.display())))
}

fn header_numbers(line: &str) -> Option<[u64; 3]> {
    let inner = line.trim_start().strip_prefix("des")?.trim_start();
    let (inner, _) = inner.strip_prefix('(')?.split_once(')')?;
    let numbers: Vec<u64> = inner
        .split(',')
        .map(|number| number.trim().parse().ok())
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}
