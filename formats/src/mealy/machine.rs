//! Reading an LTS as a Mealy machine.

use std::rc::Rc;
use std::sync::Arc;

use super::labels::{MealyError, MealySyntax};
use super::moore::Start;
use crate::diagnostic::{Log, Position, Severity, Sink, excerpt};
use crate::error::{Failure, ReadError};
use crate::lts::{LabelId, LabelTable, Lts, LtsBuilder, StateId, TooLarge};

/// How an LTS is read as a Mealy machine.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadMealy {
    /// How labels are split.
    pub syntax: MealySyntax,
    /// Make two steps of each transition, `?input` and `!output`, by way of a
    /// state of their own; one step if the output is empty.
    pub io_steps: bool,
    /// Whether it is a Moore machine.
    pub initial: InitialOutput,
    /// It is a part of a machine, such as traces: it is not told that inputs are missing, and
    /// several transitions of a state may have the same input.
    pub is_part: bool,
    /// What else to do where no label is a pair, for the message; perhaps nothing.
    pub otherwise: &'static str,
}

/// Whether a machine tells an output before the first input, as Moore machines
/// do (see [`Start`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InitialOutput {
    /// No: a label without an input is an error.
    #[default]
    None,
    /// It may.
    Possible,
    /// It has to.
    Needed,
}

/// Labels of several pairs may make so many transitions more than there were,
/// as a short file could make very many.
const MOST_EXTRA: usize = 1 << 24;

/// Where an LTS comes from, for messages.
pub(crate) struct Origin<'a> {
    /// Where the transition stands that is in this place of the columns.
    pub position: &'a dyn Fn(usize) -> Option<Position>,
    /// What the file calls a state.
    pub state: &'a dyn Fn(StateId) -> String,
    /// Whether a state may have several transitions with one input, as in a part of a machine.
    pub choice: bool,
}

/// The LTS as a Mealy machine: labels are split, which may give several
/// transitions, and become `input/output`; duplicates are dropped. States keep
/// their numbers; those that `io_steps` adds follow. State labels are kept. The
/// initial output of a Moore machine remains as it is, in one step.
///
/// What is wrong goes into the log: labels that are no pairs, states with
/// two different transitions for an input, and that there is no initial output
/// (errors), and that there are states
/// without a transition for some input (a warning). If there are errors, what
/// is given back is of no use.
///
/// O(transitions + labels) time, with `choice` O(row · log row) for each row.
///
/// # Errors
/// If there are more transitions or states than an LTS can hold.
pub(crate) fn machine(
    lts: &Lts,
    options: &ReadMealy,
    origin: &Origin<'_>,
    log: &mut Log,
) -> Result<Lts, TooLarge> {
    let start = match options.initial {
        InitialOutput::None => None,
        InitialOutput::Possible | InitialOutput::Needed => Start::of(lts, &options.syntax),
    };
    if start.is_none() && options.initial == InitialOutput::Needed {
        log.add(Severity::Error, "moore-initial-output", None, || {
            "no Moore machine: expected one transition from the initial state, with the label \
             `/OUTPUT`, and none to it"
                .into()
        });
    }
    if let Some(k) = unpaired(lts, &options.syntax) {
        log.add(Severity::Error, "mealy-label", (origin.position)(k), || {
            options.refuse(&excerpt(lts.table().text(lts.labels()[k])), "")
        });
        return build(lts, None, &[], &[], false);
    }
    let mut pairs = Pairs::new(options, origin, lts.table());
    let mut rows = Rows {
        transitions: Vec::with_capacity(lts.transitions()),
        start: 0,
        last: Vec::new(),
        degrees: vec![0; lts.states()],
    };
    let mut extra = 0;
    let is_start = |state| start.as_ref().is_some_and(|start| start.state == state);
    'rows: for state in (0..lts.states()).map(StateId::from_index) {
        if is_start(state) {
            continue;
        }
        for k in lts.row(state) {
            let of_label = pairs.of(lts.labels()[k], k, log)?;
            extra += of_label.len().saturating_sub(1);
            if extra > MOST_EXTRA {
                log.add(Severity::Error, "mealy-label", (origin.position)(k), || {
                    format!("labels of several pairs make more than {MOST_EXTRA} transitions")
                });
                break 'rows;
            }
            for &pair in of_label.iter() {
                let transition = (state, pair, lts.targets()[k]);
                rows.add(transition, k, &pairs, log);
            }
        }
        rows.end(&pairs);
    }
    if log.errors() == 0 {
        let start = start.as_ref().map(|start| start.state);
        if !options.is_part {
            rows.tell_missing(&pairs, start, log);
        }
    }
    let first = match &start {
        None => None,
        Some(start) => {
            let label = match options.io_steps {
                true => Ok([b"!", &start.output[..]].concat()),
                false => options.syntax.join_initial(&start.output),
            };
            if let Err(error) = &label {
                let at = (origin.position)(lts.row(start.state).start);
                log.add(Severity::Error, "mealy-label", at, || {
                    format!("initial output {}: {error}", excerpt(&start.output))
                });
            }
            label.ok().map(|label| (start, label))
        }
    };
    build(lts, first, &rows.transitions, &pairs.all, options.io_steps)
}

/// The first transition with a visible label, if no label has a separator.
fn unpaired(lts: &Lts, syntax: &MealySyntax) -> Option<usize> {
    let has_none = |label: LabelId| {
        label.is_hidden() || syntax.split(lts.table().text(label)) == Err(MealyError::NoSeparator)
    };
    let mut all = (0..lts.table().len() as u32).map(LabelId::new);
    let first = lts.labels().iter().position(|label| !label.is_hidden())?;
    all.all(has_none).then_some(first)
}

impl ReadMealy {
    /// Says of a file without pairs, of which this is a label, what is expected.
    pub(crate) fn refuse(&self, label: &str, or: &str) -> String {
        let separator = self.syntax.separator.as_deref().unwrap_or(b"/");
        let pair = excerpt(&[b"INPUT", separator, b"OUTPUT"].concat());
        format!(
            "label {label}: no separator between input and output, as in no label of the file; \
             expected {pair} for a Mealy machine, or another separator by --sep{or}{}",
            self.otherwise
        )
    }
}

/// An LTS that was read from a format in which places are not known, as a Mealy
/// machine.
///
/// # Errors
/// If it is none, or there is more than an LTS can hold.
pub(crate) fn machine_of(
    lts: &Lts,
    options: &ReadMealy,
    file: Arc<str>,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let mut log = Log::new();
    let origin = Origin {
        position: &|_| None,
        state: &|state| state.to_string(),
        choice: false,
    };
    let made = machine(lts, options, &origin, &mut log);
    log.finish_reading(&file, made.map_err(Failure::from), sink)
}

/// A pair of input and output that occurs.
struct Step {
    /// The number of the input among the inputs.
    input: u32,
    input_text: Vec<u8>,
    output_text: Vec<u8>,
    /// The label in memory; of two steps, a text that no other pair has.
    label: Vec<u8>,
}

/// What labels stand for.
struct Pairs<'a> {
    options: &'a ReadMealy,
    origin: &'a Origin<'a>,
    table: &'a LabelTable,
    /// The pairs of each label, once it has occurred.
    of: Vec<Option<Rc<[u32]>>>,
    all: Vec<Step>,
    /// Labels of pairs, to find them again.
    labels: LabelTable,
    inputs: LabelTable,
    empty_output: bool,
}

impl<'a> Pairs<'a> {
    fn new(options: &'a ReadMealy, origin: &'a Origin<'a>, table: &'a LabelTable) -> Self {
        Self {
            options,
            origin,
            table,
            of: vec![None; table.len()],
            all: Vec::new(),
            labels: LabelTable::new(),
            inputs: LabelTable::new(),
            empty_output: false,
        }
    }

    /// Whether a state may have several transitions with one input.
    fn have_choice(&self) -> bool {
        self.origin.choice || self.options.is_part
    }

    /// The pairs that the label of transition `k` stands for; complains when it
    /// occurs first.
    fn of(&mut self, label: LabelId, k: usize, log: &mut Log) -> Result<Rc<[u32]>, TooLarge> {
        if let Some(pairs) = &self.of[label.index()] {
            return Ok(Rc::clone(pairs));
        }
        let pairs: Rc<[u32]> = self.split(label, k, log)?.into();
        self.of[label.index()] = Some(Rc::clone(&pairs));
        Ok(pairs)
    }

    fn split(&mut self, label: LabelId, k: usize, log: &mut Log) -> Result<Vec<u32>, TooLarge> {
        let syntax = &self.options.syntax;
        let at = || (self.origin.position)(k);
        let refuse = |text: String, log: &mut Log| {
            log.add(Severity::Error, "mealy-label", at(), || text);
            Ok(Vec::new())
        };
        if label.is_hidden() {
            return refuse(
                "the hidden action is no pair of input and output".into(),
                log,
            );
        }
        let text = self.table.text(label);
        let mixed = syntax.mixed_lines(text).map(|(wide, tight)| {
            format!(
                "line {wide} of label {} has ` / ` and line {tight} just `/`",
                excerpt(text)
            )
        });
        let pairs = match syntax.split(text) {
            Ok(pairs) => pairs,
            Err(error) => return refuse(format!("label {}: {error}", excerpt(text)), log),
        };
        let mut numbers = Vec::with_capacity(pairs.len());
        for (input, output) in pairs {
            // of two steps no label is made that must be split back
            let joined = match self.options.io_steps {
                true => Ok([&input.len().to_le_bytes(), &input[..], &output[..]].concat()),
                false => syntax.join(&input, &output),
            };
            let label = match joined {
                Ok(label) => label,
                Err(error) => {
                    let why = mixed.map(|mixed| {
                        format!(
                            "{mixed}: write the same in all lines if each is a pair, or split \
                             each at its first `/` with --sep /"
                        )
                    });
                    let why = why.unwrap_or_else(|| format!("label {}: {error}", excerpt(text)));
                    return refuse(why, log);
                }
            };
            if output.is_empty() && !std::mem::replace(&mut self.empty_output, true) {
                log.add(Severity::Warning, "mealy-empty-output", at(), || {
                    format!("label {} has an empty output", excerpt(text))
                });
            }
            // the hidden action has number 0 in a table
            let number = self.labels.intern(&label)?.get() - 1;
            if number as usize == self.all.len() {
                self.all.push(Step {
                    input: self.inputs.intern(&input)?.get() - 1,
                    input_text: input.into_owned(),
                    output_text: output.into_owned(),
                    label,
                });
            }
            numbers.push(number);
        }
        if let Some(mixed) = mixed {
            log.add(Severity::Warning, "mealy-lines", at(), || {
                format!(
                    "{mixed}: the first line counts as the input, the others as the output; if \
                     each line is a pair, write the same in all of them, or use --sep /"
                )
            });
        }
        Ok(numbers)
    }
}

/// The transitions found so far, row after row.
struct Rows {
    transitions: Vec<(StateId, u32, StateId)>,
    /// Where the row of the current state begins.
    start: usize,
    /// For each input the transition found last with it.
    last: Vec<Option<usize>>,
    /// The number of different inputs of each row.
    degrees: Vec<u32>,
}

impl Rows {
    /// Adds a transition of the current row, unless it is there; it comes from
    /// transition `k` of the LTS.
    fn add(
        &mut self,
        (state, pair, target): (StateId, u32, StateId),
        k: usize,
        pairs: &Pairs<'_>,
        log: &mut Log,
    ) {
        let (all, origin) = (&pairs.all, pairs.origin);
        let step = &all[pair as usize];
        let input = step.input as usize;
        if input >= self.last.len() {
            self.last.resize(input + 1, None);
        }
        match self.last[input].filter(|&k| k >= self.start) {
            None => self.degrees[state.index()] += 1,
            Some(_) if pairs.have_choice() => {}
            Some(last) => {
                let (_, before, there) = self.transitions[last];
                if (before, there) != (pair, target) {
                    let position = (origin.position)(k);
                    log.add(Severity::Error, "mealy-nondeterministic", position, || {
                        let name = origin.state;
                        format!(
                            "state {} has two transitions with input {}: output {} to state {}, \
                             and output {} to state {}",
                            name(state),
                            excerpt(&step.input_text),
                            excerpt(&all[before as usize].output_text),
                            name(there),
                            excerpt(&step.output_text),
                            name(target)
                        )
                    });
                }
                return;
            }
        }
        self.last[input] = Some(self.transitions.len());
        self.transitions.push((state, pair, target));
    }

    /// Ends the current row; drops duplicates that have not been dropped yet.
    fn end(&mut self, pairs: &Pairs<'_>) {
        if pairs.have_choice() {
            let row = self.transitions.split_off(self.start);
            for &(_, pair, _) in &row {
                self.last[pairs.all[pair as usize].input as usize] = None;
            }
            let mut places: Vec<usize> = (0..row.len()).collect();
            places.sort_by_key(|&k| (row[k].1, row[k].2));
            places.dedup_by_key(|&mut k| (row[k].1, row[k].2));
            places.sort_unstable();
            self.transitions.extend(places.into_iter().map(|k| row[k]));
        }
        self.start = self.transitions.len();
    }

    /// Says so if a state has no transition for some input; `start` is no state of
    /// the machine.
    fn tell_missing(&self, pairs: &Pairs<'_>, start: Option<StateId>, log: &mut Log) {
        let inputs = pairs.inputs.len() - 1;
        let states = self.degrees.len() - usize::from(start.is_some());
        let all = states as u64 * inputs as u64;
        let missing = all - self.degrees.iter().map(|&d| u64::from(d)).sum::<u64>();
        let start = start.map(StateId::index);
        let mut degrees = self.degrees.iter().enumerate();
        let lacks = degrees.find(|&(state, &d)| (d as usize) < inputs && Some(state) != start);
        let Some((state, _)) = lacks else {
            return;
        };
        log.add(Severity::Warning, "mealy-incomplete", None, || {
            let mut has = vec![false; inputs];
            let row = self.transitions.iter().filter(|t| t.0.index() == state);
            row.for_each(|t| has[pairs.all[t.1 as usize].input as usize] = true);
            let input = has.iter().position(|&has| !has).unwrap_or_default();
            format!(
                "{missing} of {all} pairs of state and input have no transition, \
                 such as state {} with input {}",
                (pairs.origin.state)(StateId::from_index(state)),
                excerpt(pairs.inputs.text(LabelId::new(input as u32 + 1)))
            )
        });
    }
}

/// An LTS of transitions that are pairs, or two steps each; `first` is how it
/// begins, and the label of that.
fn build(
    lts: &Lts,
    first: Option<(&Start, Vec<u8>)>,
    transitions: &[(StateId, u32, StateId)],
    all: &[Step],
    io_steps: bool,
) -> Result<Lts, TooLarge> {
    let mut states = lts.states() as u64;
    let mut built = LtsBuilder::new(states);
    if let Some((start, label)) = first {
        let label = built.table_mut().intern(&label)?;
        built.add(start.state, label, start.initial);
    }
    for &(source, pair, target) in transitions {
        let step = &all[pair as usize];
        if !io_steps {
            let label = built.table_mut().intern(&step.label)?;
            built.add(source, label, target);
            continue;
        }
        let input = built
            .table_mut()
            .intern(&[b"?", &step.input_text[..]].concat())?;
        if step.output_text.is_empty() {
            built.add(source, input, target);
            continue;
        }
        let output = built
            .table_mut()
            .intern(&[b"!", &step.output_text[..]].concat())?;
        if states == StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            });
        }
        let between = StateId::from_index(states as usize);
        states += 1;
        built.add(source, input, between);
        built.add(between, output, target);
    }
    let built = built.build(lts.initial())?;
    let Some(known) = lts.state_labels() else {
        return Ok(built);
    };
    let mut known = known.clone();
    while known.states() < built.states() {
        known.push([]);
    }
    Ok(built.with_state_labels(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The machine of transitions from the first state on, as text, and the
    /// codes of what there is to say.
    fn made(
        transitions: &[(u32, &str, u32)],
        options: &ReadMealy,
        choice: bool,
    ) -> (Vec<String>, Vec<String>) {
        let mut lts = LtsBuilder::new(1);
        for &(source, label, target) in transitions {
            let label = match label {
                "HIDDEN" => LabelId::HIDDEN,
                _ => lts.table_mut().intern(label.as_bytes()).unwrap(),
            };
            lts.add(StateId::new(source), label, StateId::new(target));
        }
        let lts = lts.build(StateId::new(0)).unwrap();
        let mut log = Log::new();
        let origin = Origin {
            position: &|k| Some(Position::new(k as u64 + 1, 1)),
            state: &|s| s.to_string(),
            choice,
        };
        let made = machine(&lts, options, &origin, &mut log).unwrap();
        let text = |l| String::from_utf8(made.table().text(l).to_vec()).unwrap();
        let rows = made.iter().map(|(s, l, t)| format!("{s} {} {t}", text(l)));
        let rows = rows.collect();
        let mut told = Vec::new();
        log.drain_into(None, &mut |d| {
            told.push(match d.position {
                Some(at) => format!("{} {} {}", d.severity, d.code, at.line),
                None => format!("{} {} {}", d.severity, d.code, d.text),
            });
        });
        (rows, told)
    }

    #[test]
    fn equal_transitions_merge_and_others_of_one_input_are_errors() {
        let plain = ReadMealy::default();
        let (rows, told) = made(
            &[
                (0, "a / 1", 1),
                (0, "a/1", 1),
                (0, "b/c / d", 0),
                (1, "a / 2\nb/c / d", 0),
            ],
            &plain,
            false,
        );
        assert_eq!(rows, ["0 a/1 1", "0 b/c / d 0", "1 a/2 0", "1 b/c / d 0"]);
        assert!(told.is_empty(), "{told:?}");
    }

    #[test]
    fn what_is_wrong() {
        let plain = ReadMealy::default();
        for (transitions, code) in [
            (
                &[(0, "a/1", 0), (0, "a/2", 0)][..],
                "mealy-nondeterministic 2",
            ),
            (&[(0, "a/1", 0), (0, "a/1", 1)], "mealy-nondeterministic 2"),
            (&[(0, "a/1", 0), (0, "a", 1)], "mealy-label 2"),
            (&[(0, "/1", 0), (0, "a/1", 0)], "mealy-label 1"),
            (&[(0, "HIDDEN", 0)], "mealy-label 1"),
        ] {
            let (_, told) = made(transitions, &plain, false);
            assert_eq!(told, [format!("error {code}")], "{transitions:?}");
        }
        let (rows, told) = made(&[(0, "a/", 1), (1, "a/", 0), (1, "b/", 0)], &plain, false);
        assert_eq!(rows, ["0 a/ 1", "1 a/ 0", "1 b/ 0"]);
        assert_eq!(told[0], "warning mealy-empty-output 1");
        assert_eq!(
            told[1..],
            [
                "warning mealy-incomplete 1 of 4 pairs of state and input have no transition, \
              such as state 0 with input `b`"
            ]
        );
    }

    #[test]
    fn outputs_before_the_first_input() {
        let moore = |io_steps| ReadMealy {
            io_steps,
            initial: InitialOutput::Needed,
            ..ReadMealy::default()
        };
        let transitions = [(0, " / x / y", 1), (1, "a / 1", 2), (2, "a / x / y", 1)];
        let (rows, told) = made(&transitions, &moore(false), false);
        assert_eq!(rows, ["0  / x / y 1", "1 a/1 2", "2 a / x / y 1"]);
        assert!(told.is_empty(), "{told:?}");
        let (rows, _) = made(&transitions, &moore(true), false);
        assert_eq!(rows[0], "0 !x / y 1");
        let (_, told) = made(&[(0, "/", 1), (1, "a/", 2)], &moore(false), false);
        assert_eq!(
            told[1..],
            [
                "warning mealy-incomplete 1 of 2 pairs of state and input have no transition, \
              such as state 2 with input `a`"
            ]
        );
        for none in [
            &[(0, "a/1", 1)][..],
            &[(0, "/1", 1), (0, "/2", 1)],
            &[(0, "/1", 0)],
            &[(0, "/1", 1), (1, "a/1", 0)],
            &[(0, "HIDDEN", 1)],
        ] {
            let (_, told) = made(none, &moore(false), false);
            assert!(
                told[0].starts_with("error moore-initial-output"),
                "{told:?}"
            );
        }
        let maybe = ReadMealy {
            initial: InitialOutput::Possible,
            ..ReadMealy::default()
        };
        assert_eq!(made(&[(0, "a/1", 0)], &maybe, false).0, ["0 a/1 0"]);
        assert_eq!(made(&transitions, &maybe, false).0[0], "0  / x / y 1");
        let (_, told) = made(&[(0, "/1", 0)], &maybe, false);
        assert_eq!(told, ["error mealy-label 1"]);
    }

    #[test]
    fn choice_is_allowed_where_it_is_expected() {
        let part = ReadMealy {
            is_part: true,
            ..ReadMealy::default()
        };
        for (options, choice) in [(&ReadMealy::default(), true), (&part, false)] {
            let (rows, told) = made(
                &[
                    (0, "a/2", 1),
                    (0, "a/1", 0),
                    (0, "a / 2", 1),
                    (0, "a/2", 0),
                    (1, "a/1", 1),
                ],
                options,
                choice,
            );
            assert_eq!(rows, ["0 a/2 1", "0 a/1 0", "0 a/2 0", "1 a/1 1"]);
            assert!(told.is_empty(), "{told:?}");
        }
    }

    #[test]
    fn two_steps_each() {
        let steps = ReadMealy {
            io_steps: true,
            ..ReadMealy::default()
        };
        let (rows, _) = made(
            &[
                (0, "a / 1", 1),
                (0, "b/", 0),
                (1, "a/x y", 0),
                (1, "b/1", 0),
            ],
            &steps,
            false,
        );
        assert_eq!(
            rows,
            [
                "0 ?a 2", "0 ?b 0", "1 ?a 3", "1 ?b 4", "2 !1 1", "3 !x y 0", "4 !1 0"
            ]
        );
    }

    #[test]
    fn two_steps_of_what_no_label_could_join() {
        let hash = MealySyntax {
            separator: Some(b"#".to_vec()),
            ..MealySyntax::default()
        };
        let transitions = [(0, "x / y#1", 1), (1, "x / y#1", 0), (1, "x # / y1", 1)];
        let options = |io_steps| ReadMealy {
            syntax: hash.clone(),
            io_steps,
            ..ReadMealy::default()
        };
        let (rows, _) = made(&transitions, &options(true), false);
        assert_eq!(
            rows,
            [
                "0 ?x / y 2",
                "1 ?x / y 3",
                "1 ?x 4",
                "2 !1 1",
                "3 !1 0",
                "4 !/ y1 1"
            ]
        );
        let (_, told) = made(&transitions[..1], &options(false), false);
        assert_eq!(told, ["error mealy-label 1"]);
    }
}
