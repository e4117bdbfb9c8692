//! Reading KISS2.

use std::sync::Arc;

use memchr::memchr;

use super::{is_any_state, is_bits, is_cube};
use crate::diagnostic::{Log, Position, Severity, Sink, counted, excerpt, there_are};
use crate::error::{Failure, ReadError};
use crate::fault::{Fault, Stop};
use crate::lts::{LabelId, LabelTable, Lts, StateId, TooLarge};
use crate::mealy::{MealySyntax, Origin, ReadMealy, machine};
use crate::options::{Mode, ReadOptions};
use crate::rows::Collector;
use crate::source::Source;
use crate::state_labels::{Parameter, StateLabels};
use crate::tolerance::{tolerated, without_mark};

/// Reads an LTS in KISS2, whose labels are `input/output`, or a Mealy machine if
/// `options.mealy` says so. All diagnostics go to `sink`, errors included.
///
/// The reset state, or without one the present state of the first row, has number 0; the
/// others follow in the order of their first appearance. Transitions keep the order of the rows
/// within each source, those of a row that of their inputs. Names of states are kept as state
/// labels, unless they are `s0`, `s1` and so on in this order. Nothing is hidden but what
/// `options.hidden` names.
///
/// O(bytes + transitions) time; memory beyond the input: 64 bytes a row, 12 a transition (28 of
/// a machine), and names and labels.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds more than an
/// [`Lts`] can. An input may have 16 times `-`, so that no short file makes very many
/// transitions.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let file = source.into_whole()?;
    let mut log = Log::new();
    let lts = Reader::new(options, &mut log).run(&file);
    log.finish_reading(&name, lts, sink)
}

/// An input that consists of bits stands for at most 2 to the power of so many.
const MOST_DASHES: usize = 16;

/// The transitions that rows stand for besides one each may take so many bytes: 64 for each, and
/// the text of its label.
const MOST_EXPANDED: u64 = 1 << 30;

/// The place of a state that has no name: see [`is_any_state`].
const ANY: u32 = u32::MAX;

/// A word, and where it begins in its line, from 0.
#[derive(Clone, Copy)]
struct Word<'t> {
    at: usize,
    text: &'t [u8],
}

struct Row<'t> {
    /// The line, from 1.
    line: u64,
    input: Word<'t>,
    present: u32,
    next: u32,
    output: Word<'t>,
}

impl Row<'_> {
    fn position(&self, word: Word<'_>) -> Option<Position> {
        Some(Position::new(self.line, word.at as u64 + 1))
    }
}

/// What a file says that there is so much of.
type Announced = Option<(u64, Position)>;

struct Reader<'a, 't> {
    options: &'a ReadOptions,
    log: &'a mut Log,
    /// The line that is read, from 1.
    line: u64,
    inputs: Announced,
    outputs: Announced,
    terms: Announced,
    states: Announced,
    reset: Option<(u32, Position)>,
    /// State `k` has label `k + 1`.
    names: LabelTable,
    rows: Vec<Row<'t>>,
    ended: bool,
}

impl<'a, 't> Reader<'a, 't> {
    fn new(options: &'a ReadOptions, log: &'a mut Log) -> Self {
        Self {
            options,
            log,
            line: 0,
            inputs: None,
            outputs: None,
            terms: None,
            states: None,
            reset: None,
            names: LabelTable::new(),
            rows: Vec::new(),
            ended: false,
        }
    }

    fn run(mut self, file: &'t [u8]) -> Result<Lts, Failure> {
        let text = without_mark(file, "kiss2-bom", self.options.mode, self.log);
        let mut from = file.len() - text.len();
        for line in text.split(|&b| b == b'\n') {
            self.line += 1;
            let words = words(line, from);
            from = 0;
            if let ([first, ..], true) = (&words[..], self.ended) {
                let at = self.position(*first);
                self.log
                    .add(Severity::Warning, "kiss2-after-end", Some(at), || {
                        "what follows the end `.e` is not read".into()
                    });
                break;
            }
            match self.line(&words) {
                Ok(()) => {}
                Err(Stop::TooLarge(error)) => return Err(error.into()),
                Err(Stop::Fault(fault)) => {
                    let at = Position::new(self.line, fault.at as u64 + 1);
                    self.log
                        .add(Severity::Error, fault.code, Some(at), || fault.text);
                }
            }
        }
        self.finish()
    }

    fn position(&self, word: Word<'_>) -> Position {
        Position::new(self.line, word.at as u64 + 1)
    }

    fn line(&mut self, words: &[Word<'t>]) -> Result<(), Stop> {
        match *words {
            [] => Ok(()),
            [first, ..] if first.text.starts_with(b".") => self.directive(first, &words[1..]),
            [input, present, next, output] => {
                let next_at = next;
                let (present, next) = (self.state(present)?, self.state(next)?);
                if next == ANY {
                    let at = Some(self.position(next_at));
                    self.log.add(Severity::Warning, "kiss2-next", at, || {
                        format!(
                            "next state {}: the row, which leaves open what follows, is left out",
                            excerpt(next_at.text)
                        )
                    });
                }
                self.rows.push(Row {
                    line: self.line,
                    input,
                    present,
                    next,
                    output,
                });
                Ok(())
            }
            _ => {
                let last = words[words.len() - 1];
                let end = last.at + last.text.len();
                Err(Stop::Fault(Fault::new(
                    words.get(4).map_or(end, |word| word.at),
                    "kiss2-row",
                    format!(
                        "expected input, present state, next state and output, found {}",
                        counted(words.len(), "field")
                    ),
                )))
            }
        }
    }

    fn state(&mut self, word: Word<'_>) -> Result<u32, TooLarge> {
        match is_any_state(word.text) {
            true => Ok(ANY),
            false => Ok(self.names.intern(word.text)?.get() - 1),
        }
    }

    fn directive(&mut self, first: Word<'t>, rest: &[Word<'t>]) -> Result<(), Stop> {
        let at = self.position(first);
        let fault = |text: String| Err(Stop::Fault(Fault::new(first.at, "kiss2-directive", text)));
        let announced = match first.text {
            b".i" => &mut self.inputs,
            b".o" => &mut self.outputs,
            b".p" => &mut self.terms,
            b".s" => &mut self.states,
            b".r" => {
                let &[name] = rest else {
                    return fault("expected `.r` and the name of a state".into());
                };
                if is_any_state(name.text) {
                    return fault(format!("reset state {} names none", excerpt(name.text)));
                }
                if self.reset.is_some() {
                    return fault("`.r` a second time".into());
                }
                self.reset = Some((self.state(name)?, at));
                return Ok(());
            }
            b".e" | b".end" => {
                self.ended = true;
                return Ok(());
            }
            unknown => {
                let severity = tolerated(self.options.mode);
                self.log.add(severity, "kiss2-directive", Some(at), || {
                    format!(
                        "unknown directive {}, which is left out: known are .i, .o, .p, .s, .r, \
                         .e and .end",
                        excerpt(unknown)
                    )
                });
                return Ok(());
            }
        };
        let name = excerpt(first.text);
        let number = match rest {
            [number] => natural(number.text),
            _ => None,
        };
        let Some(number) = number else {
            return fault(format!("expected {name} and a number in decimal digits"));
        };
        if announced.is_some() {
            return fault(format!("{name} a second time"));
        }
        *announced = Some((number, at));
        Ok(())
    }

    /// How bad a wrong count is, and what to do.
    fn miscount(&self) -> (Severity, &'static str) {
        match self.options.mode {
            Mode::Lenient => (Severity::Warning, ""),
            Mode::Default | Mode::Strict => {
                (Severity::Error, "; use --lenient to read it all the same")
            }
        }
    }

    /// Compares what is announced with what there is.
    fn check_count(&mut self, announced: Announced, seen: usize, directive: &str, noun: &str) {
        let (severity, advice) = self.miscount();
        if let Some((number, at)) = announced
            && number != seen as u64
        {
            self.log.add(severity, "kiss2-count", Some(at), || {
                format!(
                    "`{directive}` announces {}, but {}{advice}",
                    counted(number, noun),
                    there_are(seen, noun)
                )
            });
        }
    }

    /// Whether the fields of a side consist of bits; complains if these are not as many as is
    /// announced, or as symbols are.
    fn check_side(&mut self, side: Side, symbols: usize) -> bool {
        let announced = match side {
            Side::Inputs => self.inputs,
            Side::Outputs => self.outputs,
        };
        let (severity, advice) = self.miscount();
        let (directive, noun) = (side.directive(), side.noun());
        if announced.is_none() && !self.rows.is_empty() {
            self.log.add(severity, "kiss2-directive", None, || {
                format!("no `{directive}` says how many {noun}s there are{advice}")
            });
        }
        let fields = self.rows.iter().map(|row| (row, side.of(row)));
        if !fields.clone().all(|(_, field)| is_bits(field.text)) {
            // some tools announce one, which is no bit, and some how many symbols there are
            if let Some((number, at)) = announced
                && number != 1
                && number != symbols as u64
            {
                self.log
                    .add(Severity::Warning, "kiss2-count", Some(at), || {
                        format!(
                            "`{directive}` announces {}, but {} of them as symbols",
                            counted(number, noun),
                            there_are(symbols, "value")
                        )
                    });
            }
            return false;
        }
        let first = self.rows.first().map(|row| side.of(row).text.len() as u64);
        let (width, says) = match (announced, first) {
            (Some((number, _)), _) => (number, format!("`{directive}` announces")),
            (None, Some(width)) => (width, "the first row has".into()),
            (None, None) => return true,
        };
        for (row, field) in fields {
            let seen = field.text.len() as u64;
            if seen != width {
                self.log
                    .add(severity, "kiss2-width", row.position(field), || {
                        format!(
                            "{noun} {} of {}, where {says} {width}{advice}",
                            excerpt(field.text),
                            counted(seen, "bit")
                        )
                    });
            }
        }
        true
    }

    /// The initial state; says which rule gives it.
    fn initial(&mut self) -> Option<u32> {
        if let Some((reset, at)) = self.reset {
            let is_named = |row: &Row<'_>| row.present == reset || row.next == reset;
            if !self.rows.is_empty() && !self.rows.iter().any(is_named) {
                let name = excerpt(self.names.text(LabelId::new(reset + 1)));
                self.log
                    .add(Severity::Warning, "kiss2-initial", Some(at), || {
                        format!("no row names the reset state {name}: is it misspelt?")
                    });
            }
            return Some(reset);
        }
        let first = self.rows.iter().find(|row| row.present != ANY);
        let (state, line) = match first {
            Some(row) => (row.present, row.line),
            None => {
                let row = self.rows.iter().find(|row| row.next != ANY);
                match row {
                    Some(row) => (row.next, row.line),
                    None => {
                        self.log.add(Severity::Error, "kiss2-empty", None, || {
                            "no states: expected rows `INPUT STATE NEXT OUTPUT` that name some, \
                             or a reset state `.r STATE`"
                                .into()
                        });
                        return None;
                    }
                }
            }
        };
        let at = Some(Position::new(line, 1));
        let name = excerpt(self.names.text(LabelId::new(state + 1)));
        self.log.add(Severity::Note, "kiss2-initial", at, || {
            format!("no reset state `.r`: state {name}, which a row names first, is initial")
        });
        Some(state)
    }

    /// What inputs stand for; complains about the widths of fields.
    fn inputs(&mut self) -> Result<Inputs, TooLarge> {
        let (mut symbols, mut outputs) = (LabelTable::new(), LabelTable::new());
        for row in &self.rows {
            if row.input.text != b"-" {
                symbols.intern(row.input.text)?;
            }
            outputs.intern(row.output.text)?;
        }
        let of_bits = self.check_side(Side::Inputs, symbols.len() - 1);
        self.check_side(Side::Outputs, outputs.len() - 1);
        let syntax = self.options.mealy.as_ref().map(|mealy| &mealy.syntax);
        let syntax = syntax.cloned().unwrap_or_default();
        let bytes = symbols.visible().map(|(_, symbol)| symbol.len() as u64);
        let all = Measure {
            count: symbols.len() as u64 - 1,
            bytes: bytes.sum(),
        };
        Ok(Inputs {
            of_bits,
            symbols,
            all,
            syntax,
        })
    }

    /// Complains of inputs that stand for nothing, and of rows that stand for far too many
    /// transitions, given from how many states each leads.
    fn measure(&mut self, inputs: &Inputs, sources: impl Fn(&Row<'_>) -> u64) {
        let mut expanded = 0;
        for row in self.rows.iter().filter(|row| row.next != ANY) {
            let at = row.position(row.input);
            let many = match inputs.measure(row.input.text) {
                Ok(many) => many,
                Err(why) => {
                    self.log.add(Severity::Error, "kiss2-input", at, || why);
                    continue;
                }
            };
            let output = row.output.text.len() as u64 + 64;
            let one = row.input.text.len() as u64 + output;
            let all = sources(row).saturating_mul(many.bytes + many.count * output);
            expanded = u64::saturating_add(expanded, all - one);
            if expanded > MOST_EXPANDED {
                self.log.add(Severity::Error, "kiss2-size", at, || {
                    format!(
                        "rows that stand for several inputs or states make too many transitions: at \
                         most {} are read, and fewer with long labels",
                        MOST_EXPANDED / 64
                    )
                });
                break;
            }
        }
    }

    fn finish(mut self) -> Result<Lts, Failure> {
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let Some(initial) = self.initial() else {
            return Err(Failure::Refused);
        };
        let states = self.names.len() - 1;
        self.check_count(self.terms, self.rows.len(), ".p", "row");
        self.check_count(self.states, states, ".s", "state");
        let inputs = self.inputs()?;
        // the initial state goes to the front
        let number = |state: u32| match state {
            _ if state == initial => 0,
            _ => state + u32::from(state < initial),
        };
        let mut order = vec![initial];
        order.extend((0..states as u32).filter(|&state| state != initial));
        let mut table = LabelTable::new();
        let mut transitions = Collector::default();
        // the source of each transition, and its row
        let mut origins: Vec<(u32, usize)> = Vec::new();
        let sources_of = |row: &Row<'_>| match row.present {
            ANY => 0..states as u32,
            present => number(present)..number(present) + 1,
        };
        // before any row takes its memory
        self.measure(&inputs, |row| sources_of(row).len() as u64);
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        for (k, row) in self.rows.iter().enumerate() {
            if row.next == ANY {
                continue;
            }
            let labels = match self.labels(row, &inputs, &mut table)? {
                Ok(labels) => labels,
                Err(why) => {
                    let at = row.position(row.input);
                    self.log.add(Severity::Error, "mealy-label", at, || why);
                    continue;
                }
            };
            for source in sources_of(row) {
                for &label in &labels {
                    transitions.add(source, label, number(row.next))?;
                    if self.options.mealy.is_some() {
                        origins.push((source, k));
                    }
                }
            }
        }
        if self.log.errors() > 0 {
            return Err(Failure::Refused);
        }
        let lts = transitions.finish(states as u64, StateId::new(0), table)?;
        let name = |state: u32| self.names.text(LabelId::new(order[state as usize] + 1));
        let lts = match state_labels(states, name) {
            Some(labels) => lts.with_state_labels(labels),
            None => lts,
        };
        let Some(mealy) = &self.options.mealy else {
            return Ok(lts);
        };
        // rows keep the order of the file
        origins.sort_by_key(|&(source, _)| source);
        let mealy = ReadMealy {
            // labels are as they are in memory
            syntax: mealy.syntax.in_memory(),
            ..mealy.clone()
        };
        let origin = Origin {
            position: &|k| {
                let row = &self.rows[origins[k].1];
                row.position(row.input)
            },
            state: &|state| excerpt(name(state.get())),
            choice: false,
        };
        Ok(machine(&lts, &mealy, &origin, self.log)?)
    }

    /// The labels of a row; or why there is none for an input.
    fn labels(
        &self,
        row: &Row<'_>,
        inputs: &Inputs,
        table: &mut LabelTable,
    ) -> Result<Result<Vec<LabelId>, String>, TooLarge> {
        let output = row.output.text;
        let is_hidden =
            |label: &Vec<u8>| self.options.mealy.is_none() && self.options.hidden.contains(label);
        let mut labels = Vec::new();
        let mut failed = None;
        inputs.each(row.input.text, |input| {
            match inputs.syntax.join(input, output) {
                Ok(label) if is_hidden(&label) => labels.push(LabelId::HIDDEN),
                Ok(label) => labels.push(table.intern(&label)?),
                Err(error) => {
                    let (input, output) = (excerpt(input), excerpt(output));
                    failed = Some(format!("input {input} with output {output}: {error}"));
                }
            }
            Ok(())
        })?;
        Ok(match failed {
            Some(why) => Err(why),
            None => Ok(labels),
        })
    }
}

/// One of the two sides of labels.
#[derive(Clone, Copy)]
enum Side {
    Inputs,
    Outputs,
}

impl Side {
    fn noun(self) -> &'static str {
        match self {
            Side::Inputs => "input",
            Side::Outputs => "output",
        }
    }

    fn directive(self) -> &'static str {
        match self {
            Side::Inputs => ".i",
            Side::Outputs => ".o",
        }
    }

    fn of<'t>(self, row: &Row<'t>) -> Word<'t> {
        match self {
            Side::Inputs => row.input,
            Side::Outputs => row.output,
        }
    }
}

/// How many inputs a field stands for, and the bytes of all of them.
#[derive(Clone, Copy)]
struct Measure {
    count: u64,
    bytes: u64,
}

/// What fields of inputs stand for.
struct Inputs {
    /// Whether all consist of bits.
    of_bits: bool,
    /// All inputs, if they are symbols.
    symbols: LabelTable,
    /// How much these are.
    all: Measure,
    syntax: MealySyntax,
}

impl Inputs {
    /// How much a field stands for.
    ///
    /// # Errors
    /// If that is too much, or not known; why.
    fn measure(&self, field: &[u8]) -> Result<Measure, String> {
        let of_one = Measure {
            count: 1,
            bytes: field.len() as u64,
        };
        if !self.of_bits {
            return match field {
                b"-" => Ok(self.all),
                _ if is_cube(field) => Err(format!(
                    "input {} stands for several by its bits, but other inputs of the file are \
                     symbols",
                    excerpt(field)
                )),
                _ => Ok(of_one),
            };
        }
        let dashes = field.iter().filter(|&&b| b == b'-').count();
        match dashes {
            ..=MOST_DASHES => Ok(Measure {
                count: of_one.count << dashes,
                bytes: of_one.bytes << dashes,
            }),
            _ => Err(format!(
                "input {} stands for 2^{dashes} inputs: at most 2^{MOST_DASHES} of a row are read, \
                 each as a transition",
                excerpt(field)
            )),
        }
    }

    /// Calls `take` with each input that a field stands for, those of bits ascending.
    fn each(
        &self,
        field: &[u8],
        mut take: impl FnMut(&[u8]) -> Result<(), TooLarge>,
    ) -> Result<(), TooLarge> {
        if !self.of_bits {
            let mut of_symbol = |symbol| {
                self.syntax
                    .inputs(symbol)
                    .into_iter()
                    .try_for_each(&mut take)
            };
            return match field {
                b"-" => self
                    .symbols
                    .visible()
                    .try_for_each(|(_, symbol)| of_symbol(symbol)),
                _ => of_symbol(field),
            };
        }
        let dashes = field.iter().enumerate().rev().filter(|(_, b)| **b == b'-');
        let dashes: Vec<usize> = dashes.map(|(at, _)| at).collect();
        let mut input = field.to_vec();
        for value in 0..1u32 << dashes.len() {
            for (bit, &at) in dashes.iter().enumerate() {
                input[at] = b'0' + (value >> bit & 1) as u8;
            }
            take(&input)?;
        }
        Ok(())
    }
}

/// The words of a line, its comment left out; it begins `from` bytes before the text.
fn words(line: &[u8], from: usize) -> Vec<Word<'_>> {
    let line = &line[..memchr(b'#', line).unwrap_or(line.len())];
    let mut words = Vec::new();
    let mut at = from;
    for text in line.split(u8::is_ascii_whitespace) {
        if !text.is_empty() {
            words.push(Word { at, text });
        }
        at += text.len() + 1;
    }
    words
}

/// A number in decimal digits.
fn natural(text: &[u8]) -> Option<u64> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// What states are called, as their only parameter, unless that tells no more than their
/// numbers.
fn state_labels<'n>(states: usize, name: impl Fn(u32) -> &'n [u8]) -> Option<StateLabels> {
    let numbers = 0..states as u32;
    if numbers
        .clone()
        .all(|state| name(state) == format!("s{state}").as_bytes())
    {
        return None;
    }
    let mut labels = StateLabels::new(vec![Parameter {
        // as of DOT: the name stands for itself
        name: b"label".to_vec(),
        sort: Vec::new(),
        values: numbers.clone().map(|state| name(state).to_vec()).collect(),
    }]);
    for state in numbers {
        labels.push([&[state][..]]);
    }
    Some(labels)
}
