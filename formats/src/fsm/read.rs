//! Reading FSM.

use std::str::FromStr;
use std::sync::Arc;

use memchr::memchr;

use super::line::{self, Fault, TransitionLine, is_blank, natural, probabilistic};
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::ReadError;
use crate::format::UnknownName;
use crate::lts::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use crate::options::ReadOptions;
use crate::source::Source;
use crate::state_labels::{Parameter, StateLabels};

/// What becomes of transitions with several labels, as LTSmin writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LabelColumns {
    /// They are errors.
    #[default]
    One,
    /// Their labels are joined by blanks.
    Join,
    /// The first label counts.
    First,
    /// All transitions have two labels, an input and an output.
    Io,
}

impl FromStr for LabelColumns {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        match name {
            "join" => Ok(LabelColumns::Join),
            "first" => Ok(LabelColumns::First),
            "io" => Ok(LabelColumns::Io),
            _ => Err(UnknownName {
                kind: "use of label columns",
                name: name.into(),
                known: "join, first, io".into(),
            }),
        }
    }
}

/// What a reader of FSM goes by, besides what holds for all formats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadFsm {
    /// What becomes of transitions with several labels.
    pub label_columns: LabelColumns,
}

/// Reads an LTS in FSM. All diagnostics go to `sink`, errors included.
///
/// State numbers become smaller by one. Transitions keep the order of the file
/// within each source. Parameters and state vectors are kept as state labels;
/// parameters without values are dropped.
///
/// O(bytes) time; memory beyond the input: at most 20 bytes a transition and 8
/// a state, and the labels.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let file = source.into_whole()?;
    let mut reader = Reader::new(options);
    let outcome = reader.run(&file);
    let errors = reader.log.errors();
    reader.log.drain_into(Some(&name), sink);
    match outcome {
        Err(error) => Err(ReadError::TooLarge { file: name, error }),
        Ok(()) if errors > 0 => Err(ReadError::Refused { file: name, errors }),
        Ok(()) => reader
            .finish()
            .map_err(|error| ReadError::TooLarge { file: name, error }),
    }
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
    cardinality: u64,
    values: usize,
}

struct Reader<'a> {
    options: &'a ReadOptions,
    log: Log,
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
    hidden: Vec<Vec<u8>>,
    transitions: LtsBuilder,
    initial: Option<StateId>,
}

impl<'a> Reader<'a> {
    fn new(options: &'a ReadOptions) -> Self {
        Self {
            options,
            log: Log::new(),
            section: Section::Parameters,
            line: 0,
            columns: Vec::new(),
            columns_unsure: false,
            parameters: Vec::new(),
            state_labels: None,
            states: 0,
            vector: Vec::new(),
            hidden: options.hidden("tau"),
            transitions: LtsBuilder::new(1),
            initial: None,
        }
    }

    fn run(&mut self, file: &[u8]) -> Result<(), TooLarge> {
        let mark = match file.starts_with(b"\xef\xbb\xbf") {
            true => 3,
            false => 0,
        };
        let mut rest = &file[mark..];
        while !rest.is_empty() {
            self.line += 1;
            let (line, next) = match memchr(b'\n', rest) {
                Some(end) => (&rest[..end], &rest[end + 1..]),
                None => (rest, &[][..]),
            };
            rest = next;
            let start = line.iter().take_while(|&&b| is_blank(b)).count();
            let end = line.iter().rev().take_while(|&&b| is_blank(b)).count();
            // all blank if they overlap
            let Some(text) = line.get(start..line.len() - end).filter(|t| !t.is_empty()) else {
                continue;
            };
            if let Err(fault) = self.line(text)? {
                let column = start + fault.at + if self.line == 1 { mark } else { 0 };
                let at = Position::new(self.line, column as u64 + 1);
                self.log
                    .add(Severity::Error, fault.code, Some(at), || fault.text.into());
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
        Ok(())
    }

    /// Reads a line without the blanks around it.
    fn line(&mut self, text: &[u8]) -> Result<Result<(), Fault>, TooLarge> {
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
                    return Ok(Err(fault(
                        0,
                        "fsm-section",
                        "a fifth section: parameters, states, transitions and the initial state \
                         are all there is",
                    )));
                }
            };
            return Ok(Ok(()));
        }
        Ok(match self.section {
            Section::Parameters => self.parameter(text),
            Section::States => self.state(text),
            Section::Transitions => match line::transition(text) {
                Ok(transition) => return self.transition(&transition),
                Err(fault) => Err(fault),
            },
            Section::Initial => self.initial(text),
        })
    }

    fn warn(&mut self, code: &'static str, at: usize, text: impl FnOnce() -> String) {
        let at = Position::new(self.line, at as u64 + 1);
        self.log.add(Severity::Warning, code, Some(at), text);
    }

    fn parameter(&mut self, text: &[u8]) -> Result<(), Fault> {
        let parameter = line::parameter(text).inspect_err(|_| self.columns_unsure = true)?;
        let (count, cardinality) = (parameter.values.len(), parameter.cardinality);
        if cardinality != count as u64 {
            self.warn("fsm-cardinality", 0, || {
                format!(
                    "parameter {} is to have {cardinality} values, but there are {count}",
                    excerpt(parameter.name)
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
                return Err(fault(
                    at,
                    "fsm-state",
                    "expected a state, numbers of values of the parameters, or `---` before the \
                     transitions",
                ));
            }
            if let Some(column) = self.columns.get(count)
                && column.cardinality > 0
            {
                let index = natural(index);
                let text = if index >= column.cardinality {
                    format!(
                        "value {index} of a parameter with {} values, the first being 0",
                        column.cardinality
                    )
                } else if index >= column.values as u64 {
                    format!(
                        "value {index} of a parameter of which {} are given",
                        column.values
                    )
                } else {
                    self.vector.push(index as u32);
                    String::new()
                };
                if !text.is_empty() {
                    return Err(Fault {
                        at,
                        code: "fsm-value",
                        text: text.into(),
                    });
                }
            }
            count += 1;
            at += len;
            at += text[at..].iter().take_while(|&&b| is_blank(b)).count();
        }
        if count != self.columns.len() && !self.columns_unsure {
            return Err(Fault {
                at: 0,
                code: "fsm-state",
                text: format!("{count} values for {} parameters", self.columns.len()).into(),
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

    fn transition(&mut self, read: &TransitionLine<'_>) -> Result<Result<(), Fault>, TooLarge> {
        let source = match state(read.source, 0)? {
            Ok(source) => source,
            Err(fault) => return Ok(Err(fault)),
        };
        let target = match state(read.target, read.target_at)? {
            Ok(target) => target,
            Err(fault) => return Ok(Err(fault)),
        };
        let joined;
        let label = if read.more.is_empty() && self.options.fsm.label_columns != LabelColumns::Io {
            read.label
        } else {
            joined = match self.join(read) {
                Ok(joined) => joined,
                Err(fault) => return Ok(Err(fault)),
            };
            &joined
        };
        if label.is_empty() {
            self.warn("fsm-empty-label", read.label_at, || {
                "an empty label, which mCRL2 does not accept".into()
            });
        }
        let label = match self.hidden.iter().any(|hidden| hidden == label) {
            true => LabelId::HIDDEN,
            false => self.transitions.table_mut().intern(label)?,
        };
        self.transitions.add(source, label, target);
        Ok(Ok(()))
    }

    /// The label of a transition that has several of them.
    fn join(&self, read: &TransitionLine<'_>) -> Result<Vec<u8>, Fault> {
        let refuse = |code, text: String| {
            Err(Fault {
                at: read.label_at,
                code,
                text: text.into(),
            })
        };
        match (self.options.fsm.label_columns, &read.more[..]) {
            (LabelColumns::First, _) => Ok(read.label.to_vec()),
            (LabelColumns::Join, more) => Ok([&[read.label], more].concat().join(&b' ')),
            (LabelColumns::One, more) => refuse(
                "fsm-label-columns",
                format!(
                    "a transition with {} labels: tell what to make of them with --label-columns",
                    more.len() + 1
                ),
            ),
            (LabelColumns::Io, [output]) => {
                let joined = match &self.options.mealy {
                    // to be split by the same syntax
                    Some(mealy) if mealy.syntax.separator.is_some() => {
                        mealy.syntax.written(read.label, output)
                    }
                    Some(mealy) => mealy.syntax.join(read.label, output),
                    None => crate::mealy::MealySyntax::default().join(read.label, output),
                };
                joined.or_else(|error| refuse("fsm-label", error.to_string()))
            }
            (LabelColumns::Io, more) => refuse(
                "fsm-label-columns",
                format!(
                    "a transition with {}, not an input and an output",
                    match more.len() {
                        0 => "1 label".into(),
                        n => format!("{} labels", n + 1),
                    }
                ),
            ),
        }
    }

    fn initial(&mut self, text: &[u8]) -> Result<(), Fault> {
        if text.starts_with(b"[") {
            return Err(probabilistic(0));
        }
        if !text.iter().all(u8::is_ascii_digit) {
            return Err(fault(
                0,
                "fsm-initial",
                "expected the number of the initial state",
            ));
        }
        if self.initial.is_some() {
            return Err(fault(0, "fsm-initial", "a second initial state"));
        }
        match state(natural(text), 0) {
            Ok(initial) => self.initial = Some(initial?),
            Err(error) => {
                return Err(Fault {
                    at: 0,
                    code: "fsm-initial",
                    text: error.to_string().into(),
                });
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Lts, TooLarge> {
        let mut transitions = self.transitions;
        transitions.add_states(self.states);
        let lts = transitions.build(self.initial.unwrap_or_default())?;
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

fn fault(at: usize, code: &'static str, text: &'static str) -> Fault {
    Fault {
        at,
        code,
        text: text.into(),
    }
}

/// The state with a number of the file, which counts from 1.
fn state(number: u64, at: usize) -> Result<Result<StateId, Fault>, TooLarge> {
    match number {
        0 => Ok(Err(fault(
            at,
            "fsm-state-number",
            "state number 0: states are numbered from 1",
        ))),
        _ if number <= StateId::MAX_COUNT => Ok(Ok(StateId::new(number as u32 - 1))),
        _ => Err(TooLarge {
            what: "states",
            limit: StateId::MAX_COUNT,
        }),
    }
}
