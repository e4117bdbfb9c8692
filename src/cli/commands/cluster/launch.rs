//! Processes of a run on this host.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hyades_cli_core::cluster::{cluster_failure, new_run_id};
use hyades_cli_core::{Failure, Session, Status, cleanup, pass_on_closed_output};
use hyades_cluster::processes::not_started;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{CheckpointOptions, MOST, RUN_ID, Run};

/// How often it is looked for processes that have ended.
const LOOK: Duration = Duration::from_millis(5);

/// When one has failed the others have so long to end by themselves, and then again so long
/// until they are killed.
const GRACE: Duration = Duration::from_secs(2);

/// So many different lines are known again.
const KNOWN_LINES: usize = 1000;

/// The processes that have been started and not been waited for, for signal handlers.
static STARTED: [AtomicI32; MOST as usize] = [const { AtomicI32::new(0) }; MOST as usize];

/// Ends what has been started; a signal handler may call it.
fn end_all() {
    for process in &STARTED {
        let process = process.load(Ordering::Relaxed);
        if process > 0 {
            end(process, Signal::SIGTERM);
        }
    }
}

/// Sends a signal to a process, also if it is stopped.
fn end(process: i32, signal: Signal) {
    // It may have ended meanwhile.
    let _ = kill(Pid::from_raw(process), signal);
    let _ = kill(Pid::from_raw(process), Signal::SIGCONT);
}

/// Starts the processes, and waits for them.
pub(super) fn launch(session: &mut Session, run: &Run) -> Result<Status, Failure> {
    let (options, checkpoints) = (&run.shared, &run.checkpoints);
    let words = &run.words.command;
    let count = usize::from(options.processes);
    let failed = |what: &str, error: io::Error| Failure::error(format!("{what}: {error}"));
    let program = std::env::current_exe()
        .map_err(|error| failed("cannot find the program that this is", error))?;
    let listeners: io::Result<Vec<TcpListener>> = (0..count)
        .map(|_| TcpListener::bind("127.0.0.1:0"))
        .collect();
    let listeners = listeners.map_err(|error| failed("cannot listen at 127.0.0.1", error))?;
    let ports: io::Result<Vec<String>> = listeners
        .iter()
        .map(|listener| Ok(listener.local_addr()?.port().to_string()))
        .collect();
    let ports = ports.map_err(|error| failed("cannot listen at 127.0.0.1", error))?;
    let threads = options.process_threads.map_or_else(
        || {
            thread::available_parallelism()
                .map_or(1, usize::from)
                .div_ceil(count)
        },
        usize::from,
    );
    let run_id = format!("{:016x}", new_run_id());
    cleanup::at_end(end_all);
    let shown = Arc::new(Mutex::new(Shown::default()));
    let mut processes = Vec::new();
    for (index, listener) in listeners.into_iter().enumerate() {
        let mut command = Command::new(&program);
        command
            .arg0("hyades")
            .args(["cluster", "join"])
            .args(["--processes", &count.to_string()])
            .args(["--process", &index.to_string()])
            .args(["--process-threads", &threads.to_string()])
            .args(["--lost-after", &options.lost_after.to_string()])
            .args(["--start-within", &options.start_within.to_string()])
            .args(["--local", &ports.join(",")])
            // Should this one be ended before it knows the number of what it starts.
            .args(["--parent", &std::process::id().to_string()])
            .args([
                "--checkpoint-every",
                &checkpoints.checkpoint_every.to_string(),
            ])
            .args(checkpoints.words())
            .arg("--")
            .args(words)
            .env(RUN_ID, &run_id)
            .stdin(Stdio::from(OwnedFd::from(listener)));
        match index {
            0 => pass_on_closed_output(&mut command),
            _ => drop(command.stdout(Stdio::null())),
        }
        if count > 1 {
            command.stderr(Stdio::piped());
        }
        let not_begun = |what: &str, error: io::Error| {
            end_all();
            cluster_failure(not_started(what, &error))
        };
        let child = command.spawn();
        let mut child =
            child.map_err(|error| not_begun(&format!("process {index} does not start"), error))?;
        STARTED[index].store(child.id() as i32, Ordering::Relaxed);
        let reader = child.stderr.take().map(|stderr| {
            let shown = Arc::clone(&shown);
            thread::Builder::new().spawn(move || pass_on(index, stderr, &shown))
        });
        let reader = reader.transpose().map_err(|error| {
            let what = format!("a thread for process {index} does not start");
            not_begun(&what, error)
        })?;
        processes.push(Started {
            child,
            reader,
            ended: None,
        });
    }
    let first = wait(&mut processes);
    for reader in processes.iter_mut().filter_map(|it| it.reader.take()) {
        // It ends with the last one that has the pipe.
        let _ = reader.join();
    }
    result(session, first)
}

impl CheckpointOptions {
    /// The directories, for each process.
    fn words(&self) -> Vec<OsString> {
        let given = [
            ("--checkpoint", &self.checkpoint),
            ("--resume", &self.resume),
        ];
        let given = given.into_iter().filter_map(|(option, directory)| {
            let directory = directory.as_ref()?;
            Some([option.into(), directory.clone().into_os_string()])
        });
        given.flatten().collect()
    }
}

/// A process.
struct Started {
    child: Child,
    reader: Option<thread::JoinHandle<()>>,
    ended: Option<ExitStatus>,
}

/// Waits until all have ended. How the first one ended that ended badly, or else how all did.
fn wait(processes: &mut [Started]) -> (usize, ExitStatus) {
    let mut first: Option<(usize, ExitStatus)> = None;
    let mut bad_since: Option<Instant> = None;
    let mut warned = 0;
    loop {
        let mut just_ended = Vec::new();
        for (index, process) in processes.iter_mut().enumerate() {
            if process.ended.is_none()
                && let Ok(Some(status)) = process.child.try_wait()
            {
                STARTED[index].store(0, Ordering::Relaxed);
                process.ended = Some(status);
                just_ended.push((index, status));
            }
        }
        // A process that a signal has ended is the cause of what others end with.
        just_ended.sort_by_key(|(_, status)| status.signal().is_none());
        for (index, status) in just_ended {
            let is_good = matches!(status.code(), Some(0 | 1));
            if !is_good && bad_since.is_none() {
                first = Some((index, status));
                bad_since = Some(Instant::now());
            }
            first.get_or_insert((index, status));
        }
        if let (Some(first), true) = (first, processes.iter().all(|it| it.ended.is_some())) {
            return first;
        }
        if let Some(since) = bad_since
            && warned < 2
            && since.elapsed() > GRACE * (warned + 1)
        {
            let signal = [Signal::SIGTERM, Signal::SIGKILL][warned as usize];
            for process in processes.iter().filter(|it| it.ended.is_none()) {
                end(process.child.id() as i32, signal);
            }
            warned += 1;
        }
        thread::sleep(LOOK);
    }
}

/// What the end of the first process that ended badly means.
fn result(session: &Session, (index, status): (usize, ExitStatus)) -> Result<Status, Failure> {
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(Status::Holds),
        (Some(1), _) => Ok(Status::Fails),
        (Some(3), _) => {
            session.said_why();
            Ok(Status::NoVerdict)
        }
        (Some(code), _) if code == 128 + Signal::SIGPIPE as i32 => Err(Failure::BrokenPipe),
        (_, Some(signal)) if signal == Signal::SIGPIPE as i32 => Err(Failure::BrokenPipe),
        (_, Some(signal)) => {
            let name = Signal::try_from(signal).map_or("", Signal::as_str);
            session.tell_why(format_args!(
                "no verdict: process {index} was ended by signal {signal} ({name})"
            ));
            Ok(Status::NoVerdict)
        }
        (_, None) => Err(Failure::Reported),
    }
}

/// Lines that have been shown, and how often each process has said them.
#[derive(Default)]
struct Shown(HashMap<Vec<u8>, HashMap<usize, u32>>);

impl Shown {
    /// Whether a line is to be shown: what several processes say is shown once.
    fn is_new(&mut self, index: usize, line: &[u8]) -> bool {
        let is_known = self.0.contains_key(line);
        if !is_known && self.0.len() >= KNOWN_LINES {
            return true;
        }
        let counts = self.0.entry(line.to_vec()).or_default();
        let most = counts.values().copied().max().unwrap_or(0);
        let own = counts.entry(index).or_default();
        *own += 1;
        *own > most
    }
}

/// Shows what a process says, line by line.
fn pass_on(index: usize, from: impl Read, shown: &Mutex<Shown>) {
    let mut lines = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        if !shown.is_new(index, &line) {
            continue;
        }
        let mut text = match index {
            0 => Vec::new(),
            _ => format!("process {index}: ").into_bytes(),
        };
        text.extend_from_slice(&line);
        if !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        // If nobody hears it, it goes on all the same.
        let _ = io::stderr().lock().write_all(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::Shown;

    #[test]
    fn what_several_say_is_shown_once() {
        let mut shown = Shown::default();
        let mut is_new = |index, line: &str| shown.is_new(index, line.as_bytes());
        assert!(is_new(1, "a"));
        assert!(!is_new(0, "a"));
        assert!(!is_new(2, "a"));
        // Said again by one, and then by another one again.
        assert!(is_new(0, "a"));
        assert!(!is_new(1, "a"));
        assert!(is_new(2, "b"));
        for n in 0..2 * super::KNOWN_LINES {
            assert!(is_new(0, &format!("line {n}")));
        }
        // What is not known any more is shown.
        assert!(is_new(1, &format!("line {}", 2 * super::KNOWN_LINES - 1)));
        assert!(!is_new(1, "line 7"));
    }
}
