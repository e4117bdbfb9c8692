//! Reading an LTS: chains of states that begin in state 0.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::cursor::Cursor;
use super::labels::HIDDEN;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError};
use crate::lts::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use crate::options::{Mode, ReadOptions};
use crate::source::Source;

/// Reads the simple form of SEQ as an LTS: state 0 is where all sequences
/// begin, every label leads to a new state, in the order of the file.
///
/// Of the options `seq`, `mode` and `hidden` have an effect; `i` is hidden if `hidden` says
/// nothing, as it is written in every dialect. O(bytes) time.
///
/// # Errors
/// If the source cannot be read or has errors. If it has patterns, which stand
/// for many sequences. If there is no sequence of the number asked for. If there is
/// none at all but text, unless that looks like comments (`***`, `#`, `--`): an empty
/// file is the empty sequence.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    read_with_ends(source, options, sink).map(|(lts, _)| lts)
}

/// Where a sequence ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct End {
    /// The last state: 0 if there is no label.
    pub state: StateId,
    /// Whether it is followed by `<deadlock>`.
    pub deadlock: bool,
}

/// As [`read`], with the ends of all sequences that were read, in the order of the file.
///
/// # Errors
/// As [`read`].
pub fn read_with_ends(
    source: Source,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<(Lts, Vec<End>), ReadError> {
    let file = Arc::clone(&source.name);
    let text = source.into_whole()?;
    let mut log = Log::new();
    let lts = Reader::new(&text, options, &mut log).lts();
    log.finish_reading(&file, lts.map_err(Failure::from), sink)
}

struct Reader<'a> {
    cursor: Cursor<'a>,
    hidden: Vec<Vec<u8>>,
    seqno: u64,
    lts: LtsBuilder,
    /// How many sequences have begun.
    sequences: u64,
    /// Whether there was anything but comments.
    elements: bool,
    /// The first comment that does not look like one.
    stray: Option<(Position, String)>,
    mode: Mode,
    /// The last state, and the number of the next one.
    state: u64,
    next: u64,
    progress: Progress,
    /// Where the sequences that are wanted end, as far as they are read.
    ends: Vec<End>,
}

/// How far a sequence has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Empty,
    Begun,
    /// With `<deadlock>`, after which nothing may come.
    Ended,
}

impl<'a> Deref for Reader<'a> {
    type Target = Cursor<'a>;

    fn deref(&self) -> &Cursor<'a> {
        &self.cursor
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cursor
    }
}

impl<'a> Reader<'a> {
    fn new(text: &'a [u8], options: &ReadOptions, log: &'a mut Log) -> Self {
        Self {
            cursor: Cursor::new(text, options.mode, log),
            hidden: options.hidden_or(HIDDEN),
            seqno: options.seq.seqno,
            lts: LtsBuilder::new(1),
            sequences: 0,
            elements: false,
            stray: None,
            mode: options.mode,
            state: 0,
            next: 1,
            progress: Progress::Empty,
            ends: Vec::new(),
        }
    }

    fn lts(mut self) -> Result<(Lts, Vec<End>), TooLarge> {
        while self.at < self.text.len() {
            self.line()?;
        }
        if !self.elements {
            self.refuse_stray();
        }
        let found = self.sequences.max(1);
        if self.seqno > found && self.log.errors() == 0 {
            let seqno = self.seqno;
            self.log.add(Severity::Error, "seq-seqno", None, || {
                format!("there is no sequence {seqno}: the last one is {found}")
            });
        }
        Ok((self.lts.build(StateId::new(0))?, self.ends))
    }

    /// Keeps the first comment that begins with nothing that comments usually begin
    /// with.
    fn note_stray(&mut self, start: usize) {
        let rest = &self.text[start..];
        let usual = [&b"***"[..], b"#", b"--"];
        if self.stray.is_some() || usual.iter().any(|sign| rest.starts_with(sign)) {
            return;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = rest[..end].trim_ascii_end();
        self.stray = self.position(start).map(|at| (at, excerpt(line)));
    }

    /// Refuses a text that holds nothing but comments which are likely to be none.
    fn refuse_stray(&mut self) {
        let Some((at, found)) = self.stray.take() else {
            return;
        };
        let (severity, advice) = match self.mode {
            Mode::Lenient => (Severity::Warning, ""),
            Mode::Default | Mode::Strict => (
                Severity::Error,
                "; --lenient takes it for the empty sequence",
            ),
        };
        self.log.add(severity, "seq-nothing", Some(at), || {
            format!(
                "expected a label between quotes, <deadlock> or [], found {found}: other lines \
                 are comments, and there is no sequence among them{advice}"
            )
        });
    }

    fn pattern(&mut self, at: usize) {
        // So do operators of networks begin, behind a component between quotes.
        let hint = match self.text.get(at) {
            Some(b'|' | b'[' | b'\\') => " (a network of LTSs is read with --from exp)",
            _ => "",
        };
        self.error("seq-pattern", at, || {
            format!(
                "a pattern, not a trace: only quoted labels, <deadlock> and [] can be read as \
                 an LTS; reach --find-sequence FILE searches for what a pattern describes{hint}"
            )
        });
    }

    /// Reads a line, which longer comments may make several.
    fn line(&mut self) -> Result<(), TooLarge> {
        let commented = self.skip_blanks();
        let start = self.at;
        if self.is_end() {
            self.skip_line();
            return Ok(());
        }
        let rest = self.rest();
        let errors = self.log.errors();
        match rest[0] {
            b'"' => {
                if let Some(text) = self.quoted() {
                    self.label(start, text)?;
                }
            }
            b'[' if rest.starts_with(b"[]") => {
                self.at += 2;
                self.separator(start);
            }
            b'<' => {
                let len = rest.iter().position(|&b| b == b'>').map_or(1, |k| k + 1);
                match &rest[..len] {
                    word @ b"<deadlock>" => {
                        self.at += word.len();
                        self.deadlock(start);
                    }
                    b"<any>" | b"<while>" | b"<until>" => self.pattern(start),
                    _ => self.error("seq-syntax", start, || "expected <deadlock>".into()),
                }
            }
            b'[' | b'(' | b'~' => self.pattern(start),
            byte if commented => self.error("seq-syntax", start, || {
                format!(
                    "expected a quoted label after a comment, found {}",
                    excerpt(&[byte])
                )
            }),
            // any other line is a comment
            _ => {
                self.note_stray(start);
                self.skip_line();
                return Ok(());
            }
        }
        self.elements = true;
        if self.log.errors() == errors {
            self.skip_blanks();
            if !self.is_end() {
                self.text_after(start);
            }
        }
        self.skip_line();
        Ok(())
    }

    /// Complains about what stands behind an element that began at `start`.
    fn text_after(&mut self, start: usize) {
        let at = self.at;
        let found = self.text[at];
        match self.text[start] {
            b'"' if b"*+&|^".contains(&found) => self.pattern(at),
            b'"' => self.error("seq-text", at, || {
                format!(
                    "expected the end of the line after the label, found {}",
                    excerpt(&[found])
                )
            }),
            b'[' => self.error("seq-separator", at, || {
                "[] must stand alone on its line".into()
            }),
            _ => self.error("seq-text", at, || {
                "<deadlock> must stand alone on its line".into()
            }),
        }
    }

    /// An element of a sequence begins at `start`; tells whether the sequence
    /// is wanted.
    fn element(&mut self, start: usize) -> bool {
        if self.progress == Progress::Empty {
            self.sequences += 1;
        }
        let wanted = self.seqno == 0 || self.seqno == self.sequences;
        match self.progress {
            Progress::Empty if wanted => self.ends.push(End {
                state: StateId::new(0),
                deadlock: false,
            }),
            Progress::Empty | Progress::Begun => {}
            Progress::Ended => self.error("seq-deadlock", start, || {
                "a sequence does not go on after <deadlock>; [] begins the next one".into()
            }),
        }
        wanted
    }

    fn label(&mut self, start: usize, text: &[u8]) -> Result<(), TooLarge> {
        let wanted = self.element(start);
        self.progress = Progress::Begun;
        if !wanted {
            return Ok(());
        }
        if self.next >= StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            });
        }
        let label = match self.hidden.iter().any(|h| h == text) {
            true => LabelId::HIDDEN,
            false => self.lts.table_mut().intern(text)?,
        };
        let state = |n: u64| StateId::new(n as u32);
        self.lts.add(state(self.state), label, state(self.next));
        if let Some(end) = self.ends.last_mut() {
            end.state = state(self.next);
        }
        self.state = self.next;
        self.next += 1;
        Ok(())
    }

    fn deadlock(&mut self, start: usize) {
        if self.element(start)
            && let Some(end) = self.ends.last_mut()
        {
            end.deadlock = true;
        }
        self.progress = Progress::Ended;
    }

    fn separator(&mut self, start: usize) {
        if self.progress == Progress::Empty {
            self.tolerate("seq-empty", start, "no sequence before []: leave [] out");
        }
        self.progress = Progress::Empty;
        self.state = 0;
    }
}
