//! Systems that are talked to line by line.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use hyades_formats::diagnostic::excerpt;

use super::lines::{Lines, Received};
use super::protocol::{Acknowledgement, Protocol, Query, Reset, Silence};
use super::{Observation, SystemError, SystemUnderTest};
use crate::suite_file::Symbols;

/// How a system is reached.
pub trait Transport {
    /// Starts it, or connects to it, after ending whatever there was before.
    ///
    /// # Errors
    /// If that does not succeed.
    fn open(&mut self, protocol: &Protocol) -> Result<Lines, SystemError>;

    /// Ends it. Its lines have been dropped.
    fn close(&mut self);

    /// Ends it at once, as it does not behave.
    fn abandon(&mut self);

    /// Ends it after it has closed the connection, and tells what is known: that it cannot be
    /// started, or has ended. `has_answered` tells whether a line has ever come from it.
    fn ended(&mut self, has_answered: bool) -> SystemError;
}

/// A system that speaks a [`Protocol`]. It is started when it is first reset, and
/// anew after each error.
#[derive(Debug)]
pub struct Remote<T: Transport> {
    // Dropped first, so that the system sees its input end.
    lines: Option<Lines>,
    transport: T,
    protocol: Protocol,
    /// What is sent.
    line: Vec<u8>,
    /// What has come.
    answer: Vec<u8>,
    /// Whether a line has ever come.
    has_answered: bool,
}

impl<T: Transport> Remote<T> {
    /// A system that is not started yet.
    pub fn new(transport: T, protocol: Protocol) -> Self {
        Self {
            lines: None,
            transport,
            protocol,
            line: Vec::new(),
            answer: Vec::new(),
            has_answered: false,
        }
    }

    fn start(&mut self) -> Result<(), SystemError> {
        let deadline = deadline(self.protocol.start_timeout);
        self.lines = Some(self.transport.open(&self.protocol)?);
        self.line.clear();
        let ready = self.protocol.ready.clone();
        self.acknowledge(&ready, "that the system is ready", deadline)
    }

    /// Drops the connection, as the system does not behave.
    fn abandon(&mut self) {
        self.lines = None;
        self.transport.abandon();
    }

    fn fail<R>(&mut self, error: SystemError) -> Result<R, SystemError> {
        self.abandon();
        Err(error)
    }

    /// Sends `line`; `answer` is what comes then, if something is awaited.
    fn talk(&mut self, awaits: bool, deadline: Option<Instant>) -> Result<bool, SystemError> {
        let Some(lines) = &mut self.lines else {
            return Err(not_reset());
        };
        let answer = awaits.then_some(&mut self.answer);
        let received = match lines.talk(&self.line, answer, deadline) {
            Ok(received) => received,
            Err(error) => return self.fail(SystemError::Io(error)),
        };
        match received {
            Received::Line => {
                self.has_answered |= awaits;
                Ok(true)
            }
            Received::Timeout => Ok(false),
            Received::End => {
                self.lines = None;
                Err(self.transport.ended(self.has_answered))
            }
            Received::TooLong => self.fail(SystemError::LongLine(self.protocol.max_line)),
            Received::Flood => {
                self.check_silent()?;
                unreachable!("there is something that was not asked for")
            }
        }
    }

    /// Nothing may have come since the last answer.
    fn check_silent(&mut self) -> Result<(), SystemError> {
        let Some(lines) = &mut self.lines else {
            return Err(not_reset());
        };
        match lines.unasked() {
            Ok(None) => Ok(()),
            Ok(Some(text)) => {
                let error = SystemError::Unasked(text.into());
                self.fail(error)
            }
            Err(error) => self.fail(SystemError::Io(error)),
        }
    }

    /// Sends `line`, and waits for what acknowledges it.
    fn acknowledge(
        &mut self,
        expected: &Acknowledgement,
        what: &str,
        deadline: Option<Instant>,
    ) -> Result<(), SystemError> {
        // Lines that are skipped count, so that a flood of them has an end.
        let mut skipped = 0;
        loop {
            let awaits = *expected != Acknowledgement::None;
            let talked = self.talk(awaits, deadline)?;
            self.line.clear();
            let found = match expected {
                _ if !talked => "nothing in time".to_owned(),
                Acknowledgement::Line(line) if **line != *self.answer => {
                    skipped += self.answer.len() + 1;
                    if skipped <= self.protocol.max_line {
                        continue;
                    }
                    format!("lines such as {}", excerpt(&self.answer))
                }
                Acknowledgement::None | Acknowledgement::Any | Acknowledgement::Line(_) => {
                    return Ok(());
                }
            };
            let expected = match expected {
                Acknowledgement::Line(line) => format!("{} to tell {what}", excerpt(line)),
                Acknowledgement::Any => format!("a line to tell {what}"),
                Acknowledgement::None => "the system to read what it is sent".into(),
            };
            return self.fail(SystemError::Acknowledgement { expected, found });
        }
    }

    /// Puts inputs into `line`.
    fn set_line(&mut self, inputs: &[&[u8]], between: &[u8]) -> Result<(), SystemError> {
        for &input in inputs {
            let why = if input.contains(&b'\n') {
                "it has a line break"
            } else if !between.is_empty() && contains(input, between) {
                "it contains what stands between inputs"
            } else if !between.is_empty() && input.is_empty() {
                "it is empty"
            } else {
                continue;
            };
            let input = input.into();
            return Err(SystemError::Unsendable { input, why });
        }
        self.line.clear();
        for (k, input) in inputs.iter().enumerate() {
            if k > 0 {
                self.line.extend_from_slice(between);
            }
            self.line.extend_from_slice(input);
        }
        if let Reset::Line { text, .. } = &self.protocol.reset
            && **text == *self.line
        {
            let (input, why) = (self.line[..].into(), "the line would ask for a reset");
            return Err(SystemError::Unsendable { input, why });
        }
        self.line.push(b'\n');
        Ok(())
    }

    /// Executes a whole test, after a reset.
    fn query(
        &mut self,
        query: &Query,
        inputs: &Symbols,
        observe: &mut dyn FnMut(Observation<'_>) -> ControlFlow<()>,
    ) -> Result<(), SystemError> {
        if inputs.is_empty() {
            return Ok(());
        }
        let all: Vec<&[u8]> = inputs.iter().collect();
        self.set_line(&all, &query.between_inputs)?;
        self.check_silent()?;
        if !self.talk(true, deadline(self.protocol.timeout))? {
            let time = self.protocol.timeout.unwrap_or_default();
            return self.fail(SystemError::NoAnswer(time));
        }
        let outputs = split(&self.answer, &query.between_outputs);
        for output in outputs.iter().take(inputs.len()) {
            if observe(Observation::Output(output)).is_break() {
                return Ok(());
            }
        }
        let (found, expected) = (outputs.len(), inputs.len());
        match found == expected {
            true => Ok(()),
            false => self.fail(SystemError::AnswerCount { found, expected }),
        }
    }
}

impl<T: Transport> SystemUnderTest for Remote<T> {
    fn reset(&mut self) -> Result<(), SystemError> {
        let reset = self.protocol.reset.clone();
        if reset == Reset::Restart && self.lines.take().is_some() {
            self.transport.close();
        }
        let started = self.lines.is_none();
        if started {
            self.start()?;
        }
        let Reset::Line {
            text,
            acknowledgement,
        } = reset
        else {
            return Ok(());
        };
        let skips = matches!(acknowledgement, Acknowledgement::Line(_));
        if !started && !skips {
            self.check_silent()?;
        }
        self.line.clear();
        self.line.extend_from_slice(&text);
        self.line.push(b'\n');
        let deadline = deadline(self.protocol.timeout);
        self.acknowledge(&acknowledgement, "that it is reset", deadline)
    }

    fn step(&mut self, input: &[u8]) -> Result<Observation<'_>, SystemError> {
        self.set_line(&[input], b"")?;
        self.check_silent()?;
        if self.talk(true, deadline(self.protocol.timeout))? {
            return Ok(Observation::Output(&self.answer));
        }
        if let Silence::Fail = self.protocol.silence {
            self.abandon();
        }
        Ok(match &self.protocol.silence {
            Silence::Output(output) => Observation::Output(output),
            Silence::Fail => Observation::Timeout(self.protocol.timeout.unwrap_or_default()),
        })
    }

    fn execute(
        &mut self,
        inputs: &Symbols,
        observe: &mut dyn FnMut(Observation<'_>) -> ControlFlow<()>,
    ) -> Result<(), SystemError> {
        self.reset()?;
        if let Some(query) = self.protocol.query.clone() {
            return self.query(&query, inputs, observe);
        }
        for input in inputs.iter() {
            if observe(self.step(input)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl<T: Transport> Drop for Remote<T> {
    fn drop(&mut self) {
        self.lines = None;
        self.transport.close();
    }
}

fn not_reset() -> SystemError {
    SystemError::Ended("the system does not run: it must be reset first".into())
}

fn deadline(time: Option<Duration>) -> Option<Instant> {
    // So far away that it cannot be told is no deadline.
    time.and_then(|time| Instant::now().checked_add(time))
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// The pieces of a text between separators.
fn split<'a>(mut text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    if separator.is_empty() {
        return vec![text];
    }
    while let Some(at) = text
        .windows(separator.len())
        .position(|window| window == separator)
    {
        pieces.push(&text[..at]);
        text = &text[at + separator.len()..];
    }
    pieces.push(text);
    pieces
}
