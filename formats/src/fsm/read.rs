//! Reading FSM.

use std::sync::Arc;

use memchr::{memchr, memchr_iter};

use super::line::{self, expected, is_blank, natural, probabilistic, shown_number, trim};
use super::transitions::TransitionLines;
use crate::diagnostic::{Log, Position, Severity, Sink, counted, excerpt};
use crate::error::{Failure, ReadError};
use crate::fault::Fault;
use crate::lines::{Body, read_body};
use crate::lts::{Lts, StateId};
use crate::options::ReadOptions;
use crate::source::{Progress, Source, Whole};
use crate::sparse::{Told, check_sparse};
use crate::state_labels::{Parameter, StateLabels};
use crate::tolerance::{tolerated, without_mark};

/// Reads an LTS in FSM. All diagnostics go to `sink`, errors included.
///
/// State numbers become smaller by one. Transitions keep the order of the file
/// within each source. Parameters and state vectors are kept as state labels;
/// parameters without values are dropped.
///
/// Transition lines are read in parallel; the result does not depend on the
/// number of threads. O(bytes) time; memory beyond the input: at most 12 bytes a
/// transition and 4 a state, and the labels.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let progress = source.progress();
    let file = source.into_whole()?;
    // what came as a stream has been counted while it came
    let progress = match file {
        Whole::Mapped(_) => progress,
        Whole::Bytes(_) => Arc::new(Progress::default()),
    };
    let mut log = Log::new();
    let lts = Reader::new(options, &mut log).run(&file, &progress);
    log.finish_reading(&name, lts, sink)
}

/// What a part of the file is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Parameters,
    States,
    Transitions,
    Initial,
}

/// A parameter as states refer to it.
struct Column {
    /// `u64::MAX` stands for any more.
    cardinality: u64,
    values: usize,
}

struct Reader<'a> {
    options: &'a ReadOptions,
    log: &'a mut Log,
    section: Section,
    /// The line that is read, from 1.
    line: u64,
    /// All parameters, dropped ones too.
    columns: Vec<Column>,
    /// Whether a line that was to be a parameter was none.
    columns_unsure: bool,
    parameters: Vec<Parameter>,
    state_labels: Option<StateLabels>,
    /// State lines read so far.
    states: u64,
    vector: Vec<u32>,
    body: Option<Body>,
    initial: Option<StateId>,
}

impl<'a> Reader<'a> {
    fn new(options: &'a ReadOptions, log: &'a mut Log) -> Self {
        Self {
            options,
            log,
            section: Section::Parameters,
            line: 0,
            columns: Vec::new(),
            columns_unsure: false,
            parameters: Vec::new(),
            state_labels: None,
            states: 0,
            vector: Vec::new(),
            body: None,
            initial: None,
        }
    }

    fn run(mut self, file: &[u8], progress: &Progress) -> Result<Lts, Failure> {
        let mut rest = without_mark(file, "fsm-bom", self.options.mode, self.log);
        let mark = file.len() - rest.len();
        while !rest.is_empty() {
            if self.section == Section::Transitions && self.body.is_none() {
                rest = self.transitions(rest, progress)?;
                continue;
            }
            self.line += 1;
            let end = memchr(b'\n', rest);
            let (line, next) = match end {
                Some(end) => (&rest[..end], &rest[end + 1..]),
                None => (rest, &[][..]),
            };
            progress.consume((rest.len() - next.len()) as u64);
            rest = next;
            let (start, text) = trim(line);
            if text.is_empty() {
                continue;
            }
            if let Err(fault) = self.line(text) {
                let column = start + fault.at + if self.line == 1 { mark } else { 0 };
                let at = Position::new(self.line, column as u64 + 1);
                self.log
                    .add(Severity::Error, fault.code, Some(at), || fault.text);
            } else if end.is_none() && self.initial.is_some() {
                self.tolerate("fsm-no-newline", start + text.len(), || {
                    "the last line has no end, so that the number of the initial state may be cut \
                     off: end it with a line feed"
                        .into()
                });
            }
        }
        if matches!(self.section, Section::Parameters | Section::States) {
            let at = Position::new(self.line + 1, 1);
            self.log
                .add(Severity::Error, "fsm-truncated", Some(at), || {
                    "the file ends before the transitions: expected two lines `---` \
                 (is the file truncated?)"
                        .into()
                });
        }
        self.finish()
    }

    /// Reads transitions, up to the line after them if there is one; gives what
    /// follows.
    fn transitions<'t>(
        &mut self,
        text: &'t [u8],
        progress: &Progress,
    ) -> Result<&'t [u8], Failure> {
        let syntax = TransitionLines::new(self.options);
        let hidden = self.options.hidden("tau");
        let (options, log) = (self.options, &mut *self.log);
        let body = read_body(&syntax, text, self.line, options, &hidden, progress, log)?;
        // where the last of these lines ends
        let ends = body.lines.checked_sub(1);
        let end = ends.and_then(|last| memchr_iter(b'\n', text).nth(last as usize));
        if body.ended {
            self.section = Section::Initial;
        }
        self.line += body.lines;
        self.body = Some(body);
        Ok(end.map_or(&[][..], |end| &text[end + 1..]))
    }

    /// Reads a line without the blanks around it.
    fn line(&mut self, text: &[u8]) -> Result<(), Fault> {
        if text == b"---" {
            self.section = match self.section {
                Section::Parameters => {
                    if !self.parameters.is_empty() {
                        let parameters = std::mem::take(&mut self.parameters);
                        self.state_labels = Some(StateLabels::new(parameters));
                    }
                    Section::States
                }
                Section::States => Section::Transitions,
                Section::Transitions => Section::Initial,
                Section::Initial => {
                    return Err(Fault::new(
                        0,
                        "fsm-section",
                        "a fifth section: parameters, states, transitions and the initial state \
                         are all there is",
                    ));
                }
            };
            return Ok(());
        }
        match self.section {
            Section::Parameters => self.parameter(text),
            Section::States => self.state(text),
            Section::Transitions | Section::Initial => self.initial(text),
        }
    }

    /// Tells what is tolerated outside strict mode only.
    fn tolerate(&mut self, code: &'static str, at: usize, text: impl FnOnce() -> String) {
        let at = Position::new(self.line, at as u64 + 1);
        let severity = tolerated(self.options.mode);
        self.log.add(severity, code, Some(at), text);
    }

    fn parameter(&mut self, text: &[u8]) -> Result<(), Fault> {
        let parameter = line::parameter(text).inspect_err(|_| self.columns_unsure = true)?;
        let count = parameter.values.len();
        let cardinality = natural(parameter.cardinality);
        if cardinality != count as u64 {
            self.tolerate("fsm-cardinality", 0, || {
                format!(
                    "parameter {} is to have {}, but there {} {count}",
                    excerpt(parameter.name),
                    counted(shown_number(parameter.cardinality), "value"),
                    if count == 1 { "is" } else { "are" }
                )
            });
        }
        self.columns.push(Column {
            cardinality,
            values: count,
        });
        if cardinality > 0 {
            self.parameters.push(Parameter {
                name: parameter.name.to_vec(),
                sort: parameter.sort.to_vec(),
                values: parameter.values.iter().map(|&v| v.to_vec()).collect(),
            });
        }
        Ok(())
    }

    /// Reads a vector of indexes of values.
    fn state(&mut self, text: &[u8]) -> Result<(), Fault> {
        self.states += 1;
        self.vector.clear();
        let mut count = 0;
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let len = rest.iter().take_while(|&&b| !is_blank(b)).count();
            let index = &rest[..len];
            if !index.iter().all(u8::is_ascii_digit) {
                return Err(expected(
                    text,
                    at,
                    "fsm-state",
                    "a state, numbers of values of the parameters, or `---` before the transitions",
                ));
            }
            if let Some(column) = self.columns.get(count)
                && column.cardinality > 0
            {
                let (number, shown) = (natural(index), || shown_number(index));
                let text = if number >= column.cardinality && column.cardinality < u64::MAX {
                    format!(
                        "value {} of a parameter with {}, the first being 0",
                        shown(),
                        counted(column.cardinality, "value")
                    )
                } else if number >= column.values as u64 {
                    format!(
                        "value {} of a parameter of which {} are given",
                        shown(),
                        column.values
                    )
                } else {
                    self.vector.push(number as u32);
                    String::new()
                };
                if !text.is_empty() {
                    return Err(Fault {
                        at,
                        code: "fsm-value",
                        text,
                    });
                }
            }
            count += 1;
            at += len;
            at += text[at..].iter().take_while(|&&b| is_blank(b)).count();
        }
        if self.columns.is_empty() && !self.columns_unsure {
            // As in files that are written for automatalib.
            if self.states == 1 {
                self.tolerate("fsm-state", 0, || {
                    "states are described, but there are no parameters: what is said of them is \
                     left out"
                        .into()
                });
            }
        } else if count != self.columns.len() && !self.columns_unsure {
            return Err(Fault {
                at: 0,
                code: "fsm-state",
                text: format!(
                    "{} for {}",
                    counted(count, "value"),
                    counted(self.columns.len(), "parameter")
                ),
            });
        }
        // what comes after an error is of no use
        if let Some(labels) = &mut self.state_labels
            && self.vector.len() == labels.parameters().len()
        {
            labels.push([&self.vector[..]]);
        }
        Ok(())
    }

    fn initial(&mut self, text: &[u8]) -> Result<(), Fault> {
        if text.starts_with(b"[") {
            return Err(probabilistic(0));
        }
        let end = text.iter().position(|&b| is_blank(b));
        let (number, rest) = text.split_at(end.unwrap_or(text.len()));
        if !number.iter().all(u8::is_ascii_digit) {
            return Err(expected(
                text,
                0,
                "fsm-initial",
                "the number of the initial state",
            ));
        }
        if !rest.is_empty() {
            let blanks = rest.iter().take_while(|&&b| is_blank(b)).count();
            return Err(expected(
                text,
                number.len() + blanks,
                "fsm-initial",
                "the end of the line behind the number of the initial state",
            ));
        }
        if self.initial.is_some() {
            return Err(Fault::new(0, "fsm-initial", "a second initial state"));
        }
        self.initial = Some(line::state(natural(text), 0)?);
        Ok(())
    }

    fn finish(mut self) -> Result<Lts, Failure> {
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let body = self.body.take().unwrap_or_default();
        let initial = self.initial.unwrap_or_default();
        let states = body.states.max(u64::from(initial.get()) + 1);
        let described = self.states;
        let items = body.transition_lines + described;
        let (told, mode) = (Told::ByNumbers { described }, self.options.mode);
        check_sparse(states, told, items, "fsm-sparse", mode, self.log)?;
        let hint = body.hint.filter(|_| self.options.stays_visible(b"i"));
        if let (Some((at, _)), false) = (hint, body.hidden) {
            self.log.add(Severity::Note, "fsm-i-hint", Some(at), || {
                "label `i` counts as visible, and there is no `tau`; to hide it, use --tau i".into()
            });
        }
        let lts = body
            .columns
            .finish(states.max(self.states), initial, body.table)?;
        let Some(mut labels) = self.state_labels.filter(|l| l.states() > 0) else {
            return Ok(lts);
        };
        // nothing is known of states that are named by transitions alone
        while labels.states() < lts.states() {
            labels.push([]);
        }
        Ok(lts.with_state_labels(labels))
    }
}
