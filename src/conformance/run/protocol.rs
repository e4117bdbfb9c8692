//! How to talk to a system line by line.

use std::time::Duration;

/// A line protocol: each input is a line, and so is each output. Symbols stand as
/// they are; a carriage return at the end of a line is dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Protocol {
    /// How a test begins in the initial state.
    pub reset: Reset,
    /// What the system says when it has started.
    pub ready: Acknowledgement,
    /// How long to wait for it to start, and be ready.
    pub start_timeout: Option<Duration>,
    /// How long to wait for an answer to an input or a reset; without, for ever.
    pub timeout: Option<Duration>,
    /// What it means if there is none.
    pub silence: Silence,
    /// Send tests whole, instead of input by input.
    pub query: Option<Query>,
    /// The longest line that the system may write, in bytes.
    pub max_line: usize,
}

impl Default for Protocol {
    /// `RESET` before each test, which is not acknowledged; no limits but on lines,
    /// of 1 MiB.
    fn default() -> Self {
        Self {
            reset: Reset::Line {
                text: b"RESET".as_slice().into(),
                acknowledgement: Acknowledgement::None,
            },
            ready: Acknowledgement::None,
            start_timeout: None,
            timeout: None,
            silence: Silence::Fail,
            query: None,
            max_line: 1 << 20,
        }
    }
}

/// How a system comes back to its initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// It is asked to.
    Line {
        /// The line to send. No input may read so.
        text: Box<[u8]>,
        /// What it answers. With [`Acknowledgement::Line`], other lines before are
        /// skipped: answers that came too late.
        acknowledgement: Acknowledgement,
    },
    /// It is started anew, or connected to anew, for each test.
    Restart,
    /// Each [`Query`] begins there by itself.
    None,
}

/// What a system says when it has done something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Acknowledgement {
    /// Nothing.
    None,
    /// Some line.
    Any,
    /// This line.
    Line(Box<[u8]>),
}

/// What it means if a system does not answer an input in time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Silence {
    /// The test fails, and the system is started anew.
    Fail,
    /// That is its output.
    Output(Box<[u8]>),
}

/// A whole test in one line, and its outputs in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What stands between inputs; not empty.
    pub between_inputs: Box<[u8]>,
    /// What stands between outputs; not empty.
    pub between_outputs: Box<[u8]>,
}

impl Default for Query {
    /// Blanks.
    fn default() -> Self {
        Self {
            between_inputs: b" ".as_slice().into(),
            between_outputs: b" ".as_slice().into(),
        }
    }
}
