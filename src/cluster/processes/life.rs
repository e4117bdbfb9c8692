//! Signs of life: a thread for each other process reads them, one thread gives them. Whoever
//! fails says why, and whoever ends because of that says it to the others first, so that all
//! processes know the same cause.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use super::spawn;
use crate::Error;

/// After so much time there is another sign of life.
pub const BEAT: Duration = Duration::from_millis(500);

/// Nobody waits longer than this until something has been said to a process that may be lost.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// So many bytes of a cause are told at the most.
const LONGEST_CAUSE: usize = 1 << 12;

/// What is said on these sockets: a sign of life,
const ALIVE: u8 = 0;
/// that all is done,
const GOODBYE: u8 = 1;
/// or why the sender ends: the process that has failed (4 bytes), its exit status (0 if it is
/// lost), the number of bytes of the cause (4 bytes), and these.
const FAILED: u8 = 2;

/// What has ended a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The process that it is about.
    pub process: usize,
    /// The exit status that it ends with; none if it is lost.
    pub status: Option<u8>,
    /// What is known of the cause.
    pub cause: String,
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let Failure {
            process,
            status,
            cause,
        } = failure;
        match status {
            None => Error::Lost { process, cause },
            Some(status) => Error::Failed {
                process,
                status,
                cause,
            },
        }
    }
}

impl Failure {
    pub(super) fn lost(process: usize, cause: String) -> Self {
        Self {
            process,
            status: None,
            cause,
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut end = self.cause.len().min(LONGEST_CAUSE);
        while !self.cause.is_char_boundary(end) {
            end -= 1;
        }
        let mut bytes = vec![FAILED];
        bytes.extend_from_slice(&(self.process as u32).to_le_bytes());
        bytes.push(self.status.unwrap_or(0));
        bytes.extend_from_slice(&(end as u32).to_le_bytes());
        bytes.extend_from_slice(&self.cause.as_bytes()[..end]);
        bytes
    }

    /// Reads what stands behind [`FAILED`].
    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 9];
        from.read_exact(&mut head)?;
        let [a, b, c, d, status, e, f, g, h] = head;
        let length = u32::from_le_bytes([e, f, g, h]) as usize;
        if length > LONGEST_CAUSE {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut cause = vec![0; length];
        from.read_exact(&mut cause)?;
        Ok(Self {
            process: u32::from_le_bytes([a, b, c, d]) as usize,
            status: (status != 0).then_some(status),
            cause: String::from_utf8_lossy(&cause).into_owned(),
        })
    }
}

/// What is known of the other processes.
pub(super) struct Life {
    index: usize,
    lost_after: Duration,
    /// A socket for each other process.
    sockets: Vec<Option<Line>>,
    /// What is said if there is no memory to make it.
    out_of_memory: Vec<u8>,
    state: Mutex<State>,
    changed: Condvar,
    /// Whether there is a failure: to be asked often.
    has_failed: AtomicBool,
    on_failure: Box<dyn Fn(&Failure) + Send + Sync>,
    /// The thread that works, which may be waiting for packets.
    worker: Thread,
}

/// The socket to another process.
struct Line {
    /// Shared with the thread that reads.
    stream: Arc<TcpStream>,
    /// Held while something is said.
    saying: Mutex<()>,
}

impl Line {
    fn say(&self, bytes: &[u8]) {
        // Who cannot be reached is found to be lost by the thread that reads.
        let _ = (&*self.stream).write_all(bytes);
    }

    fn saying(&self) -> MutexGuard<'_, ()> {
        self.saying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Default)]
struct State {
    /// What has ended the run, when `on_failure` has been told.
    failure: Option<Failure>,
    /// Whether somebody is about to tell what has ended the run.
    is_failing: bool,
    /// Whether this process has said that all is done.
    is_done: bool,
    /// Whether the others have.
    are_done: Vec<bool>,
}

/// Says why nothing comes of a run to those that have been reached already.
pub(super) fn tell_early<'s>(sockets: impl Iterator<Item = &'s mut TcpStream>, failure: &Failure) {
    let bytes = failure.bytes();
    for socket in sockets {
        let _ = socket.set_write_timeout(Some(LAST_WORDS));
        // Who does not hear it is told by the end of the socket.
        let _ = socket.write_all(&bytes);
    }
}

/// Gives a sign of life on a socket that no thread has so far.
pub(super) fn give_sign(socket: &mut TcpStream) {
    // Who cannot be reached is found to be lost by who listens.
    let _ = socket.write_all(&[ALIVE]);
}

/// What has been said on a socket before anybody listens: why the run has failed, if it has.
pub(super) fn overheard(other: usize, socket: &mut TcpStream) -> Option<Failure> {
    let heard = hear(other, socket).unwrap_or_else(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::TimedOut => None,
        _ => Some(Failure::lost(
            other,
            format!("its connection broke: {error}"),
        )),
    });
    let _ = socket.set_nonblocking(false);
    heard
}

fn hear(other: usize, socket: &mut TcpStream) -> io::Result<Option<Failure>> {
    socket.set_nonblocking(true)?;
    let mut said = [0];
    loop {
        match (socket.peek(&mut said)?, said) {
            (0, _) => return Ok(Some(Failure::lost(other, CLOSED.into()))),
            (_, [ALIVE]) => socket.read_exact(&mut said)?,
            (_, [FAILED]) => {
                socket.read_exact(&mut said)?;
                socket.set_nonblocking(false)?;
                socket.set_read_timeout(Some(BEAT))?;
                return Failure::read(socket).map(Some);
            }
            // Whoever listens is told.
            (_, [_]) => return Ok(None),
        }
    }
}

/// What is told of a process whose socket is at its end.
const CLOSED: &str = "its connection was closed: it has ended, or was killed";

impl Life {
    /// Begins to give signs of life, and to await them.
    pub(super) fn start(
        index: usize,
        sockets: Vec<Option<TcpStream>>,
        lost_after: Duration,
        on_failure: Box<dyn Fn(&Failure) + Send + Sync>,
    ) -> Result<Arc<Self>, Error> {
        let failed = |error: io::Error| Error::Start {
            cause: format!("the sockets of signs of life: {error}"),
        };
        for socket in sockets.iter().flatten() {
            socket.set_read_timeout(Some(BEAT)).map_err(failed)?;
            socket.set_write_timeout(Some(LAST_WORDS)).map_err(failed)?;
        }
        let line = |socket: TcpStream| Line {
            stream: Arc::new(socket),
            saying: Mutex::default(),
        };
        let out_of_memory = Failure {
            process: index,
            status: Some(3),
            cause: "it has not enough memory".into(),
        };
        let life = Arc::new(Self {
            index,
            lost_after,
            state: Mutex::new(State {
                are_done: sockets.iter().map(Option::is_none).collect(),
                ..State::default()
            }),
            sockets: sockets.into_iter().map(|it| it.map(line)).collect(),
            out_of_memory: out_of_memory.bytes(),
            changed: Condvar::new(),
            has_failed: AtomicBool::new(false),
            on_failure,
            worker: thread::current(),
        });
        for (other, line) in life.sockets.iter().enumerate() {
            if let Some(line) = line {
                let (life, socket) = (Arc::clone(&life), Arc::clone(&line.stream));
                spawn("cluster:life", move || life.watch(other, &socket))?;
            }
        }
        let giving = Arc::clone(&life);
        spawn("cluster:life", move || giving.give())?;
        Ok(life)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says this to all others.
    fn say(&self, bytes: &[u8]) {
        for line in self.sockets.iter().flatten() {
            let _saying = line.saying();
            line.say(bytes);
        }
    }

    /// This process ends as it has not enough memory: tells all others. Allocates nothing and
    /// takes no lock; what other threads say at the same time is a byte, before or behind.
    pub(super) fn tell_out_of_memory(&self) {
        for line in self.sockets.iter().flatten() {
            line.say(&self.out_of_memory);
        }
    }

    /// Gives signs of life until all is done.
    fn give(&self) {
        loop {
            let state = self.state();
            let waited = self
                .changed
                .wait_timeout_while(state, BEAT, |state| !state.is_done && !state.is_failing);
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.is_done || state.is_failing {
                return;
            }
            drop(state);
            for line in self.sockets.iter().flatten() {
                let _saying = line.saying();
                // Behind the goodbye there is nothing.
                if !self.state().is_done {
                    line.say(&[ALIVE]);
                }
            }
        }
    }

    /// Awaits signs of life of another process until it is done.
    fn watch(&self, other: usize, mut socket: &TcpStream) {
        let lost = |cause: String| Failure::lost(other, cause);
        // Counted in pieces: if this process is stopped itself, that is one of them.
        let mut silent = Duration::ZERO;
        let failure = loop {
            let mut said = [0];
            match socket.read(&mut said) {
                Ok(0) => break lost(CLOSED.into()),
                Ok(_) => silent = Duration::ZERO,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => continue,
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        silent += BEAT;
                        if silent < self.lost_after {
                            continue;
                        }
                        let seconds = self.lost_after.as_secs_f64();
                        break lost(format!("it has given no sign of life for {seconds} s"));
                    }
                    _ => break lost(format!("its connection broke: {error}")),
                },
            }
            match said[0] {
                ALIVE => {}
                GOODBYE => {
                    self.state().are_done[other] = true;
                    self.changed.notify_all();
                    return;
                }
                FAILED => match Failure::read(&mut socket) {
                    Ok(failure) => break failure,
                    Err(error) => break lost(format!("its last words were cut off: {error}")),
                },
                _ => break lost("it has said what no process of a run says".into()),
            }
        };
        self.fail(failure);
    }

    /// The run has failed: tells all others, and who is to know in this process. The first
    /// failure counts. Returns when it is known in this process.
    pub(super) fn fail(&self, failure: Failure) {
        let mut state = self.state();
        if state.is_failing {
            while state.failure.is_none() {
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(PoisonError::into_inner);
            }
            return;
        }
        state.is_failing = true;
        drop(state);
        self.changed.notify_all();
        self.say(&failure.bytes());
        (self.on_failure)(&failure);
        self.state().failure = Some(failure);
        self.has_failed.store(true, Ordering::Release);
        self.changed.notify_all();
        self.worker.unpark();
    }

    /// This process fails: tells all others, but nobody here.
    pub(super) fn tell(&self, status: u8, cause: &str) {
        let failure = Failure {
            process: self.index,
            status: Some(status),
            cause: cause.into(),
        };
        let mut state = self.state();
        if state.is_failing {
            return;
        }
        state.is_failing = true;
        state.failure = Some(failure.clone());
        drop(state);
        self.has_failed.store(true, Ordering::Release);
        self.changed.notify_all();
        self.say(&failure.bytes());
    }

    /// Whether the run goes on.
    #[inline]
    pub(super) fn check(&self) -> Result<(), Error> {
        match self.has_failed.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(self.failure()),
        }
    }

    fn failure(&self) -> Error {
        match self.state().failure.clone() {
            Some(failure) => failure.into(),
            None => unreachable!("set before it is told that there is one"),
        }
    }

    /// A connection for packets broke: another process is lost, and the cause may be told
    /// soon. What has ended the run.
    pub(super) fn broken(&self, process: usize, cause: &str) -> Error {
        let state = self.state();
        let waited = self
            .changed
            .wait_timeout_while(state, LAST_WORDS, |state| !state.is_failing);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        self.fail(Failure::lost(process, cause.into()));
        self.failure()
    }

    /// Says that all is done, and waits until the others say so.
    pub(super) fn leave(&self) -> Result<(), Error> {
        let mut state = self.state();
        if !state.is_failing {
            state.is_done = true;
            drop(state);
            self.changed.notify_all();
            self.say(&[GOODBYE]);
            state = self.state();
        }
        while !state.are_done.iter().all(|&is_done| is_done) {
            if state.failure.is_some() {
                drop(state);
                return Err(self.failure());
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        Ok(())
    }

    /// Closes all sockets, so that threads that read end.
    pub(super) fn close(&self) {
        for line in self.sockets.iter().flatten() {
            let _ = line.stream.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_are_read_as_they_are_written() {
        for (status, cause) in [
            (None, String::new()),
            (Some(2), "line 3: nothing".into()),
            (Some(3), "é".repeat(LONGEST_CAUSE)),
        ] {
            let failure = Failure {
                process: 70_000,
                status,
                cause,
            };
            let bytes = failure.bytes();
            assert_eq!(bytes[0], FAILED);
            let read = Failure::read(&mut &bytes[1..]).unwrap();
            assert_eq!((read.process, read.status), (70_000, status));
            assert!(failure.cause.starts_with(&read.cause));
            assert_eq!(read.cause.len(), failure.cause.len().min(LONGEST_CAUSE));
            for end in 1..bytes.len().min(12) {
                assert!(Failure::read(&mut &bytes[1..end]).is_err());
            }
        }
        let long = [0, 0, 0, 0, 0, 255, 255, 255, 255];
        let error = Failure::read(&mut &long[..]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
    }
}
