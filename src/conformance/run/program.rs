//! Programs under test, over their standard input and output.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hyades_formats::diagnostic::excerpt;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use super::SystemError;
use super::groups::Watched;
use super::lines::Lines;
use super::protocol::Protocol;
use super::remote::{Remote, Transport};
use super::spawn::{dies_with_us, forget, spawn};

/// A program that is started as a child process, as often as need be.
///
/// The child is the leader of a process group of its own. When it is to end, its
/// standard input is closed; if it has not ended a little later, or did not behave,
/// the group is killed. It is always waited for. If this process ends before, the
/// group is killed, whatever ends us.
pub struct Program {
    command: Command,
    /// What the shell is given to run, if the command is the shell.
    shell: Option<Box<OsStr>>,
    grace: Duration,
    running: Option<Running>,
}

hyades_base::opaque!(Program);

struct Running {
    child: Child,
    watched: Watched,
}

impl Program {
    /// The program of a command, whose standard input and output are replaced by
    /// pipes.
    pub fn new(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        dies_with_us(&mut command);
        Self {
            command,
            shell: None,
            grace: Duration::from_millis(200),
            running: None,
        }
    }

    /// The program that the shell runs for this text (`sh -c`).
    pub fn shell(text: impl AsRef<OsStr>) -> Self {
        let text = text.as_ref();
        let mut command = Command::new("sh");
        command.arg("-c").arg(text);
        let mut program = Self::new(command);
        program.shell = Some(text.into());
        program
    }

    /// How long it may run after its standard input is closed; 200 ms unless told
    /// otherwise.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The system under test that speaks this protocol.
    pub fn speaking(self, protocol: Protocol) -> Remote<Self> {
        Remote::new(self, protocol)
    }

    /// Ends the child, if there is one; gives its status if it has ended by itself.
    fn end(&mut self, grace: Duration) -> Option<ExitStatus> {
        let Running { mut child, watched } = self.running.take()?;
        drop(child.stdin.take());
        drop(child.stdout.take());
        let group = Pid::from_raw(child.id() as i32);
        let ended = has_ended(group, grace);
        // What the child has started, and the child itself, which has not been waited
        // for yet: nobody else can have this number.
        let _ = killpg(group, Signal::SIGKILL);
        drop(watched);
        forget(child.id());
        let status = child.wait().ok();
        status.filter(|_| ended)
    }
}

/// Waits until a child has ended, without taking its status, but not longer than
/// that; tells whether it has.
fn has_ended(child: Pid, grace: Duration) -> bool {
    let deadline = Instant::now() + grace;
    let mut pause = Duration::from_micros(50);
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    while let Ok(WaitStatus::StillAlive) = waitid(Id::Pid(child), flags) {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        thread::sleep(pause.min(left));
        pause = (pause * 2).min(Duration::from_millis(5));
    }
    true
}

impl Transport for Program {
    fn open(&mut self, protocol: &Protocol) -> Result<Lines, SystemError> {
        self.end(Duration::ZERO);
        let mut child = spawn(&mut self.command).map_err(|error| SystemError::Start {
            what: format!("{:?}", self.command),
            error,
        })?;
        let (from, to) = (child.stdout.take(), child.stdin.take());
        let watched = Watched::new(child.id() as i32);
        self.running = Some(Running { child, watched });
        let (Some(from), Some(to)) = (from, to) else {
            unreachable!("both are piped");
        };
        Lines::new(OwnedFd::from(from), OwnedFd::from(to), protocol.max_line)
            .map_err(SystemError::Io)
    }

    fn close(&mut self) {
        self.end(self.grace);
    }

    fn abandon(&mut self) {
        self.end(Duration::ZERO);
    }

    fn ended(&mut self, has_answered: bool) -> SystemError {
        // A child that has closed its pipes is most likely about to end.
        let Some(status) = self.end(self.grace) else {
            let what = "the program has closed its input or its output, and was killed";
            return SystemError::Ended(what.into());
        };
        // What the shell says of what it cannot run (POSIX, Shell Command Language, 2.8.2).
        let why = match status.code() {
            Some(126) => Some("it cannot be executed"),
            Some(127) => Some("it is not found"),
            _ => None,
        };
        match (&self.shell, why) {
            (Some(text), Some(why)) if !has_answered => SystemError::Start {
                what: excerpt(text.as_bytes()),
                error: io::Error::other(format!("{why}, says the shell ({status})")),
            },
            _ => SystemError::Ended(format!("the program has ended ({status})")),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.end(self.grace);
    }
}
