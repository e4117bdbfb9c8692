//! The third layer: records, which make the LTS.

use std::sync::Arc;

use super::decode::{Decoder, Fault, Packet};
use super::header::{MAGIC, PREVIOUS_VERSION, UNKNOWN_SORT, VERSION};
use super::number::MOST_BITS;
use super::print::{self, Allowance, Printer, Text, Unprintable};
use super::states::{Odd, Vectors};
use super::terms::{Kind, TermId};
use crate::diagnostic::{Log, Severity, Sink, counted, excerpt};
use crate::error::{Failure, ReadError};
use crate::lts::{LabelId, LabelTable, Lts, StateId, TooLarge};
use crate::options::{Mode, ReadOptions};
use crate::rows::Collector;
use crate::source::{Progress, Source, Whole};
use crate::sparse::{Told, check_sparse};
use crate::state_labels::Parameter;

/// Reads an LTS, its state labels included.
///
/// The hidden action is the empty multi-action; labels that `options.hidden` names
/// are hidden, too. `options.dialect` has no effect.
///
/// O(bytes) time, plus what writing out each label and value of a parameter
/// once takes; at most 12 bytes a transition and 4 a state, and those of shared
/// terms.
///
/// # Errors
/// If the source cannot be read or is not in order.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let progress = source.progress();
    let whole = source.into_whole()?;
    // what came as a stream has been counted while it came
    let mapped = matches!(whole, Whole::Mapped(_));
    read_bytes(&name, &whole, mapped.then_some(&*progress), options, sink)
}

/// Reads an LTS from bytes at hand; see [`read()`].
///
/// # Errors
/// If it is not in order.
pub(crate) fn read_bytes(
    name: &Arc<str>,
    bytes: &[u8],
    progress: Option<&Progress>,
    options: &ReadOptions,
    sink: &mut Sink<'_>,
) -> Result<Lts, ReadError> {
    let mut log = Log::new();
    let result =
        header(bytes, &mut log).and_then(|()| Reader::new(bytes, options, &mut log).lts(progress));
    let result = result.map_err(|stop| match stop {
        Stop::Fault(fault) => {
            log.add(Severity::Error, fault.code, None, || fault.to_string());
            Failure::Refused
        }
        Stop::Failure(failure) => failure,
    });
    log.finish_reading(name, result, sink)
}

/// Why reading ends early.
pub(super) enum Stop {
    Fault(Fault),
    Failure(Failure),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

impl<E: Into<Failure>> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failure(error.into())
    }
}

/// Looks at what the file says that it is.
fn header(bytes: &[u8], log: &mut Log) -> Result<(), Stop> {
    let Some(rest) = bytes.strip_prefix(&MAGIC) else {
        return Err(Stop::Fault(Fault {
            code: "lts-magic",
            bit: 0,
            text: format!(
                "expected the bytes 00 8B AF, with which .lts files of mCRL2 begin, found {}",
                excerpt(&bytes[..bytes.len().min(3)])
            ),
        }));
    };
    let Some(&version) = rest.first_chunk() else {
        return Err(Stop::Fault(Fault {
            code: "lts-truncated",
            bit: 8 * bytes.len() as u64,
            text: "the file ends before it tells its version".into(),
        }));
    };
    match u16::from_be_bytes(version) {
        VERSION => Ok(()),
        PREVIOUS_VERSION => {
            log.add(Severity::Warning, "lts-version", None, || {
                format!(
                    "version {PREVIOUS_VERSION:#06x} of the format, \
                     read like {VERSION:#06x}, which is the current one"
                )
            });
            Ok(())
        }
        other => Err(Stop::Fault(Fault {
            code: "lts-version",
            bit: 24,
            text: format!(
                "version {other:#06x} of the format: only {VERSION:#06x} and \
                 {PREVIOUS_VERSION:#06x} can be read; make the file again with a \
                 current mCRL2, or have the one that made it write AUT or FSM"
            ),
        })),
    }
}

/// After so many records the progress is told.
const RECORDS: u32 = 1 << 14;

/// No label yet, in [`Reader::known`].
const UNKNOWN: u32 = u32::MAX;

struct Reader<'a> {
    bytes: &'a [u8],
    decoder: Decoder<'a>,
    options: &'a ReadOptions,
    log: &'a mut Log,
    allowance: Allowance,
    transitions: Collector,
    table: LabelTable,
    /// The label of each list of actions that has been met, by its term.
    known: Vec<u32>,
    /// The first list of actions of each visible label.
    actions: Vec<TermId>,
    /// A time that has been found to be none.
    untimed: Option<TermId>,
    /// Whether it has been said that texts are approximate.
    approximate: bool,
    initial: Option<StateId>,
    vectors: Vectors,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], options: &'a ReadOptions, log: &'a mut Log) -> Self {
        Self {
            bytes,
            decoder: Decoder::new(bytes, MAGIC.len() + size_of_val(&VERSION)),
            options,
            log,
            allowance: Allowance::new(options.max_line, bytes.len()),
            transitions: Collector::default(),
            table: LabelTable::new(),
            known: Vec::new(),
            // the hidden action has no list of its own
            actions: vec![TermId::MAX],
            untimed: None,
            approximate: false,
            initial: None,
            vectors: Vectors::default(),
        }
    }

    fn lts(mut self, progress: Option<&Progress>) -> Result<Lts, Stop> {
        self.preamble()?;
        let mut told = 0;
        let mut records: u32 = 0;
        loop {
            match self.decoder.next()? {
                Packet::Term(Kind::Transition) => self.transition()?,
                Packet::Term(Kind::InitialState) => self.initial_state()?,
                Packet::Term(Kind::Cons | Kind::EmptyList) => self.state_label()?,
                Packet::Term(Kind::ProbabilisticTransition) => {
                    return Err(self.probabilistic("a probabilistic transition"));
                }
                Packet::End => break,
                found => {
                    return Err(self.unexpected("a transition, a state label or the end", found));
                }
            }
            records += 1;
            if let Some(progress) = progress
                && records.is_multiple_of(RECORDS)
            {
                progress.consume(self.decoder.bytes() - told);
                told = self.decoder.bytes();
            }
        }
        self.check_end()?;
        self.finish()
    }

    /// Looks at what comes behind the end: zeros up to the next multiple of 64 bits,
    /// or eight bytes of them where the end is at one, as mCRL2 writes them, or fewer.
    fn check_end(&mut self) -> Result<(), Stop> {
        let bit = self.decoder.position();
        let padded = (bit / 64 + 1) * 8;
        let rest = &self.bytes[self.bytes.len().min(bit.div_ceil(8) as usize)..];
        // the bits of the last byte that the end leaves over
        let left = self.bytes[..self.bytes.len() - rest.len()].last();
        let left = left.map_or(0, |byte| byte & ((0xff >> ((bit + 7) % 8)) >> 1));
        if left == 0 && rest.iter().all(|&b| b == 0) && self.bytes.len() as u64 <= padded {
            return Ok(());
        }
        let fault = Fault {
            code: "lts-trailing",
            bit: bit.div_ceil(8) * 8,
            text: format!(
                "expected the end of the file, found {} behind it, which {} not just the \
                 zeros that fill up 64 bits (are these two files, one behind the other?); \
                 --lenient ignores them",
                counted(rest.len(), "byte"),
                if rest.len() == 1 { "is" } else { "are" }
            ),
        };
        match self.options.mode {
            Mode::Default | Mode::Strict => Err(fault.into()),
            Mode::Lenient => {
                let text = format!(
                    "{} behind the end {} ignored",
                    counted(rest.len(), "byte"),
                    if rest.len() == 1 { "is" } else { "are" }
                );
                self.log.add(Severity::Warning, fault.code, None, || text);
                Ok(())
            }
        }
    }

    fn unexpected(&self, expected: &str, found: Packet) -> Stop {
        let found = match found {
            Packet::Term(_) => {
                let symbol = self.decoder.output().symbol;
                format!("the term {}", excerpt(self.decoder.terms().name(symbol)))
            }
            Packet::Number(n) => format!("the number {n}"),
            Packet::End => "the end".into(),
        };
        let text = format!("expected {expected}, found {found}");
        Stop::Fault(Fault::syntax(self.decoder.at(), text))
    }

    fn probabilistic(&self, what: &str) -> Stop {
        Stop::Fault(Fault {
            code: "lts-probabilistic",
            bit: self.decoder.at(),
            text: format!("{what}: probabilistic systems are not supported"),
        })
    }

    fn number(&mut self, what: &str) -> Result<u64, Stop> {
        match self.decoder.next()? {
            Packet::Number(n) => Ok(n),
            found => Err(self.unexpected(what, found)),
        }
    }

    #[inline]
    fn state(&mut self) -> Result<StateId, Stop> {
        let n = self.number("the number of a state")?;
        if n >= StateId::MAX_COUNT {
            return Err(TooLarge {
                what: "states",
                limit: StateId::MAX_COUNT,
            }
            .into());
        }
        Ok(StateId::new(n as u32))
    }

    /// All that comes before the records.
    fn preamble(&mut self) -> Result<(), Stop> {
        match self.decoder.next()? {
            Packet::Term(Kind::Lts) => {}
            found => {
                return Err(self.unexpected("the mark of a labelled transition system", found));
            }
        }
        for part in ["sorts", "aliases", "constructors", "mappings", "equations"] {
            let count = self.number(&format!("the number of {part}"))?;
            for _ in 0..count {
                match self.decoder.next()? {
                    Packet::Term(_) => {}
                    found => return Err(self.unexpected(&format!("{count} {part}"), found)),
                }
            }
        }
        self.list("the list of process parameters")?;
        let parameters = self.parameters()?;
        self.vectors.declare(parameters);
        self.list("the list of actions")
    }

    /// The next output is a list.
    fn list(&mut self, what: &str) -> Result<(), Stop> {
        match self.decoder.next()? {
            Packet::Term(Kind::Cons | Kind::EmptyList) => Ok(()),
            found => Err(self.unexpected(what, found)),
        }
    }

    /// The parameters in the list that was delivered last.
    fn parameters(&mut self) -> Result<Vec<Parameter>, Stop> {
        let terms = self.decoder.terms();
        let mut parameters = Vec::new();
        for id in terms.list(self.decoder.output()) {
            let variable = terms.term(id);
            let (Kind::Variable, &[name, sort]) = (variable.kind, variable.arguments) else {
                let text = format!(
                    "expected a process parameter, found {}",
                    excerpt(terms.text(id))
                );
                return Err(Stop::Fault(Fault::syntax(self.decoder.at(), text)));
            };
            let sort = match terms.text(sort) {
                UNKNOWN_SORT => Vec::new(),
                // to us it is a comment
                _ => match Printer::new(terms, &mut self.allowance).sort(sort) {
                    Ok(text) => text.bytes,
                    Err(error @ Unprintable::AllTooLong) => {
                        return Err(self.unprintable("sort", &error).into());
                    }
                    Err(_) => Vec::new(),
                },
            };
            let name = terms.text(name);
            if let Err(error) = self.allowance.spend(name.len()) {
                return Err(self.unprintable("name", &error).into());
            }
            parameters.push(Parameter {
                name: name.to_vec(),
                sort,
                values: Vec::new(),
            });
        }
        Ok(parameters)
    }

    #[inline]
    fn transition(&mut self) -> Result<(), Stop> {
        let source = self.state()?;
        let label = self.label()?;
        let target = self.state()?;
        self.transitions.add(source.get(), label, target.get())?;
        Ok(())
    }

    /// A multi-action, as a label.
    #[inline]
    fn label(&mut self) -> Result<LabelId, Stop> {
        let found = self.decoder.next()?;
        let (Packet::Term(Kind::MultiAction), &[actions, time]) =
            (found, self.decoder.output().arguments)
        else {
            return Err(self.unexpected("a multi-action", found));
        };
        if self.untimed == Some(time)
            && let Some(&label) = self.known.get(actions as usize)
            && label != UNKNOWN
        {
            return Ok(LabelId::new(label));
        }
        self.new_label(actions, time)
    }

    /// A multi-action that has not been met before in this form.
    #[cold]
    fn new_label(&mut self, actions: TermId, time: TermId) -> Result<LabelId, Stop> {
        let terms = self.decoder.terms();
        if print::is_untimed(terms, time) {
            if self.untimed.is_none() && !print::is_real(terms, time) {
                self.log.add(Severity::Warning, "lts-untimed", None, || {
                    "multi-actions without time have a sign for it that mCRL2 takes for a time"
                        .into()
                });
            }
            self.untimed = Some(time);
        }
        let printer = Printer::new(terms, &mut self.allowance);
        let label = match printer.multi_action(actions, time) {
            Ok(text) => self.intern(actions, text)?,
            Err(error) => {
                self.complain("label", &error)?;
                LabelId::HIDDEN
            }
        };
        if self.known.len() < self.decoder.terms().len() {
            self.known.resize(self.decoder.terms().len(), UNKNOWN);
        }
        self.known[actions as usize] = label.get();
        Ok(label)
    }

    /// The label for a list of actions that reads like this.
    fn intern(&mut self, actions: TermId, text: Text) -> Result<LabelId, Stop> {
        let terms = self.decoder.terms();
        if terms.kind(actions) == Kind::EmptyList || self.options.hidden.contains(&text.bytes) {
            return Ok(LabelId::HIDDEN);
        }
        let label = self.table.intern(&text.bytes)?;
        match self.actions.get(label.index()) {
            None => self.actions.push(actions),
            Some(&first) if terms.same(first, actions) => {}
            Some(_) => self
                .log
                .add(Severity::Warning, "lts-equal-texts", None, || {
                    format!(
                        "different actions that both read {} become one label",
                        excerpt(&text.bytes)
                    )
                }),
        }
        self.tell_approximate(&text);
        Ok(label)
    }

    /// Says once that a text is not what mCRL2 would write.
    fn tell_approximate(&mut self, text: &Text) {
        if text.approximate && !self.approximate {
            self.approximate = true;
            self.log
                .add(Severity::Warning, "lts-approximate", None, || {
                    format!(
                        "operators are written like functions, as in {}; mCRL2 writes them \
                         differently",
                        excerpt(&text.bytes)
                    )
                });
        }
    }

    /// Says why something cannot be written out; reading goes on, unless there
    /// would be too much to write out.
    fn complain(&mut self, what: &str, error: &Unprintable) -> Result<(), Stop> {
        let fault = self.unprintable(what, error);
        if matches!(error, Unprintable::TooLong | Unprintable::AllTooLong) {
            return Err(fault.into());
        }
        self.log
            .add(Severity::Error, fault.code, None, || fault.to_string());
        Ok(())
    }

    /// Why something cannot be written out.
    fn unprintable(&self, what: &str, error: &Unprintable) -> Fault {
        let longest = self.options.max_line;
        let advice = "have mCRL2 write AUT or FSM (ltsconvert)";
        let (code, text) = match error {
            Unprintable::Timed => (
                "lts-timed",
                "an action with a time: timed systems are not supported".into(),
            ),
            Unprintable::Kind { expected, found } => (
                "lts-term",
                format!("a {what} that cannot be written out: expected {expected}, found {found}"),
            ),
            Unprintable::TooLong => (
                "lts-label-length",
                format!(
                    "a {what} of more than {longest} bytes, which is the limit, or that takes \
                     as many steps to write out: use shorter data"
                ),
            ),
            Unprintable::AllTooLong => (
                "lts-size",
                format!(
                    "the labels and state vectors up to this {what} would be more than {} bytes \
                     long, or take as many steps to write out, which is the limit for a file of \
                     {}: they are made of terms that occur again and again; {advice}",
                    Allowance::total(longest, self.bytes.len()),
                    counted(self.bytes.len(), "byte")
                ),
            ),
            Unprintable::LargeNumber => (
                "lts-number",
                format!(
                    "a {what} with a number of more than {MOST_BITS} bits, which is the limit: \
                     {advice}"
                ),
            ),
        };
        Fault {
            code,
            bit: self.decoder.at() / 8 * 8,
            text,
        }
    }

    fn initial_state(&mut self) -> Result<(), Stop> {
        match self.number("a number of states")? {
            1 => {}
            0 => {
                let text = "an initial state that is none";
                return Err(Stop::Fault(Fault::syntax(self.decoder.at(), text)));
            }
            _ => return Err(self.probabilistic("several initial states")),
        }
        let state = self.state()?;
        if self.initial.is_some_and(|other| other != state) {
            let text = "a second initial state";
            return Err(Stop::Fault(Fault::syntax(self.decoder.at(), text)));
        }
        self.initial = Some(state);
        Ok(())
    }

    /// The output delivered last describes the next state.
    fn state_label(&mut self) -> Result<(), Stop> {
        match self.vectors.push(&self.decoder, &mut self.allowance) {
            Ok(Some(text)) => self.tell_approximate(&text),
            Ok(None) => {}
            Err(Odd::Value(error)) => self.complain("value of a parameter", &error)?,
            Err(Odd::Vector(text)) => {
                return Err(Stop::Fault(Fault {
                    code: "lts-state-label",
                    bit: self.decoder.at(),
                    text,
                }));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Lts, Stop> {
        let initial = match self.initial {
            Some(state) => state,
            None => {
                let severity = match self.options.mode {
                    Mode::Lenient => Severity::Warning,
                    Mode::Default | Mode::Strict => Severity::Error,
                };
                self.log.add(severity, "lts-no-initial", None, || {
                    let advice = match severity {
                        Severity::Error => "; --lenient takes state 0",
                        Severity::Note | Severity::Warning => ": state 0 is taken",
                    };
                    format!("the file tells no initial state{advice}")
                });
                StateId::new(0)
            }
        };
        if self.log.errors() > 0 {
            return Err(Failure::Refused.into());
        }
        let named = self.transitions.states().max(u64::from(initial.get()) + 1);
        let described = self.vectors.states();
        let items = self.transitions.len() + described;
        let (told, mode) = (Told::ByNumbers { described }, self.options.mode);
        check_sparse(named, told, items, "lts-sparse", mode, self.log)?;
        let lts = self.transitions.finish(described, initial, self.table)?;
        Ok(match self.vectors.finish(lts.states()) {
            Some(labels) => lts.with_state_labels(labels),
            None => lts,
        })
    }
}
