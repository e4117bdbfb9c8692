//! Lines to and from another process, with limits on time and length.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Instant;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// What came of waiting for a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Received {
    /// A line.
    Line,
    /// Nothing in time.
    Timeout,
    /// The other side has closed the connection, or one half of it.
    End,
    /// A line that is too long.
    TooLong,
    /// The other side writes and writes, and does not read.
    Flood,
}

/// Both directions of a connection. Neither ever blocks for longer than asked, as
/// a system may stop reading while it writes.
#[derive(Debug)]
pub struct Lines {
    from: File,
    to: File,
    /// What has come and was not taken.
    buffer: Vec<u8>,
    max_line: usize,
    ended: bool,
}

impl Lines {
    /// A connection that reads from one descriptor and writes to another, with a
    /// limit on lines.
    ///
    /// # Errors
    /// If the descriptors cannot be set up for that.
    pub fn new(from: OwnedFd, to: OwnedFd, max_line: usize) -> io::Result<Self> {
        for fd in [&from, &to] {
            let flags = OFlag::from_bits_retain(fcntl(fd, FcntlArg::F_GETFL)?);
            fcntl(fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
        }
        Ok(Self {
            from: from.into(),
            to: to.into(),
            buffer: Vec::new(),
            max_line,
            ended: false,
        })
    }

    /// What has come by now without being taken, its first line only.
    pub(super) fn unasked(&mut self) -> io::Result<Option<&[u8]>> {
        if self.buffer.is_empty() {
            self.fill()?;
        }
        let first = self.buffer.split(|&b| b == b'\n').next();
        Ok(first.filter(|_| !self.buffer.is_empty()))
    }

    /// Sends all of `text`, then waits for a line, which is put into `line` without
    /// its end. Without a `line`, [`Received::Line`] means that all is sent.
    pub(super) fn talk(
        &mut self,
        mut text: &[u8],
        mut line: Option<&mut Vec<u8>>,
        deadline: Option<Instant>,
    ) -> io::Result<Received> {
        // So much of the buffer has no line end.
        let mut scanned = 0;
        loop {
            if !self.write(&mut text)? {
                return Ok(Received::End);
            }
            let has_room = self.buffer.len() <= self.max_line;
            if !text.is_empty() {
                if self.ended {
                    return Ok(Received::End);
                }
                if !has_room {
                    return Ok(Received::Flood);
                }
            } else {
                let Some(line) = line.as_deref_mut() else {
                    return Ok(Received::Line);
                };
                let end = self.buffer[scanned..].iter().position(|&b| b == b'\n');
                let end = end.map(|end| scanned + end);
                if end.map_or(!has_room, |end| end > self.max_line) {
                    return Ok(Received::TooLong);
                }
                // The last line may lack its end.
                let whole = self.ended && !self.buffer.is_empty();
                if let Some(end) = end.or(whole.then_some(self.buffer.len())) {
                    let text = &self.buffer[..end];
                    let text = text.strip_suffix(b"\r").unwrap_or(text);
                    line.clear();
                    line.extend_from_slice(text);
                    self.buffer.drain(..self.buffer.len().min(end + 1));
                    return Ok(Received::Line);
                }
                if self.ended {
                    return Ok(Received::End);
                }
                scanned = self.buffer.len();
            }
            if !self.fill()? && !self.wait(!text.is_empty(), deadline)? {
                return Ok(Received::Timeout);
            }
        }
    }

    /// Writes what can be written of `text`; `false` if nobody reads it.
    fn write(&mut self, text: &mut &[u8]) -> io::Result<bool> {
        while !text.is_empty() {
            match self.to.write(text) {
                Ok(0) => return Ok(false),
                Ok(sent) => *text = &text[sent..],
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => break,
                    ErrorKind::Interrupted => {}
                    kind if is_end(kind) => return Ok(false),
                    _ => return Err(error),
                },
            }
        }
        Ok(true)
    }

    /// Reads what is there; tells whether there was something, if only the end.
    fn fill(&mut self) -> io::Result<bool> {
        let mut part = [0; 1 << 14];
        while !self.ended {
            match self.from.read(&mut part) {
                Ok(length) => {
                    self.buffer.extend_from_slice(&part[..length]);
                    self.ended = length == 0;
                    return Ok(true);
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return Ok(false),
                    ErrorKind::Interrupted => {}
                    kind if is_end(kind) => {
                        self.ended = true;
                        return Ok(true);
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(false)
    }

    /// Waits until something can be read, or written if asked; `false` if the time
    /// is over.
    fn wait(&self, write: bool, deadline: Option<Instant>) -> io::Result<bool> {
        let mut fds = [
            PollFd::new(self.from.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.to.as_fd(), PollFlags::POLLOUT),
        ];
        let wanted = &mut fds[..1 + usize::from(write)];
        loop {
            let left = deadline.map(|end| end.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(false);
            }
            // Rounded up, so as not to spin for the last part of a millisecond.
            let timeout = left.map_or(PollTimeout::NONE, |left| {
                PollTimeout::try_from(left.as_millis() + 1).unwrap_or(PollTimeout::MAX)
            });
            match poll(wanted, timeout) {
                Ok(0) | Err(Errno::EINTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn is_end(kind: ErrorKind) -> bool {
    use ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected};
    matches!(
        kind,
        BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected
    )
}
