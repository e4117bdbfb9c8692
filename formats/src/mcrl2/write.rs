//! Writing.

use std::hash::BuildHasher;
use std::io::Write;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::bits::BitWriter;
use super::decode::{tag, width};
use super::header::{MAGIC, UNKNOWN_SORT, VERSION};
use super::terms::{SymbolId, TermId, Terms};
use crate::blocks::{Exchange, lost_states};
use crate::canonical::arranged;
use crate::diagnostic::{Log, Severity, Sink, counted, excerpt};
use crate::error::WriteError;
use crate::lts::{Lts, StateId};
use crate::options::{MAX_LINE, WriteOptions};
use crate::spelling;
use crate::state_labels::{Parameter, StateLabels};
use crate::written::WrittenSize;

/// So many bytes are written at a time.
const BLOCK: usize = 1 << 18;

/// Writes an LTS, its state labels included: in its own order, or in canonical
/// form.
///
/// Labels become opaque actions, whose names are their texts; the hidden action
/// is the empty multi-action. Values of parameters become constants. Of the
/// options, `canonical`, `keep_initial` and `visible_i` have an effect.
///
/// mCRL2 counts states by transitions: an initial state that none of them mentions
/// changes places with state 0, unless `options.keep_initial`, and there is a warning
/// if mCRL2 will not know of the last states.
///
/// O(bytes) time; memory grows with labels and state labels only.
///
/// # Errors
/// If the output refuses. If a visible label reads `tau`, like the hidden
/// action in mCRL2, or holds a NUL, at which mCRL2 would cut it off, or is
/// longer than readers accept: then nothing has been written.
pub fn write(
    lts: &Lts,
    output: &mut dyn Write,
    options: &WriteOptions,
    sink: &mut Sink<'_>,
) -> Result<WrittenSize, WriteError> {
    let mut log = Log::new();
    let check = |text: &[u8], log: &mut Log| {
        if text.contains(&0) {
            log.add(Severity::Error, "lts-nul", None, || {
                format!(
                    "label {} holds a NUL, at which mCRL2 cuts texts off",
                    excerpt(text)
                )
            });
        }
        check_length("label", text, log);
    };
    let texts = spelling::spell(lts, b"tau", false, options, &mut log, check);
    let parameters = lts.state_labels().map_or(&[][..], StateLabels::parameters);
    for value in parameters.iter().flat_map(|p| &p.values) {
        check_length("value", value, &mut log);
    }
    let lts = &*arranged(lts, &texts, options);
    let exchange = Exchange::if_unmentioned(lts, options.keep_initial);
    let lost = lost_states(lts, exchange);
    if lost > 0 {
        // only where it keeps its number
        let with_initial = exchange.of(lts.initial()).index() + lost >= lts.states();
        log.add(Severity::Warning, "lts-lost-states", None, || {
            format!(
                "mCRL2, which counts states by transitions, loses {} above the last one that a \
                 transition mentions{}",
                counted(lost, "state"),
                match with_initial {
                    true => ", the initial state among them: leave --keep-initial out",
                    false => "",
                }
            )
        });
    }
    log.finish_writing(sink)?;

    let mut writer = Writer::new(output);
    let state_labels = lts.state_labels();
    writer.preamble(state_labels)?;
    writer.transitions(lts, exchange, &texts)?;
    match state_labels {
        Some(labels) => writer.state_labels(labels, exchange)?,
        // Readers who count labels of states, too, lose none.
        None if lost > 0 => writer.empty_state_labels(lts.states())?,
        None => {}
    }
    writer.initial_state(exchange.of(lts.initial()))?;
    writer.finish()?;
    Ok(WrittenSize::of(lts))
}

/// The longest text that is written; readers count a few steps of work besides
/// its bytes.
const LONGEST: usize = MAX_LINE - 1024;

/// Complains about a text that could not be read again.
fn check_length(what: &str, text: &[u8], log: &mut Log) {
    if text.len() > LONGEST {
        log.add(Severity::Error, "lts-label-length", None, || {
            format!(
                "{what} {} has more than {LONGEST} bytes, and could not be read again",
                excerpt(text)
            )
        });
    }
}

/// The terms of a file, each of them once.
struct Pool {
    terms: Terms,
    /// All symbols but the one for the end, by name and arity.
    symbols: HashTable<SymbolId>,
    /// The terms that may be asked for again, by symbol and arguments.
    ids: HashTable<TermId>,
    hasher: RandomState,
}

impl Pool {
    fn new() -> Self {
        Self {
            terms: Terms::new(),
            symbols: HashTable::new(),
            ids: HashTable::new(),
            hasher: RandomState::default(),
        }
    }

    /// The function symbol of this name and arity, and whether it is new.
    fn symbol(&mut self, name: &[u8], arity: usize) -> (SymbolId, bool) {
        let Self { terms, hasher, .. } = self;
        let hash = |name: &[u8], arity: usize| hasher.hash_one((name, arity));
        let same = |&s: &SymbolId| terms.arity(s) == arity && terms.name(s) == name;
        let hashed = hash(name, arity);
        if let Some(&symbol) = self.symbols.find(hashed, same) {
            return (symbol, false);
        }
        let symbol = terms.add_symbol(name, arity);
        self.symbols
            .insert_unique(hashed, symbol, |&s| hash(terms.name(s), terms.arity(s)));
        (symbol, true)
    }

    /// The term of a function symbol and arguments.
    fn term(&mut self, name: &[u8], arguments: &[TermId]) -> TermId {
        let (symbol, _) = self.symbol(name, arguments.len());
        self.term_of(symbol, arguments)
    }

    fn term_of(&mut self, symbol: SymbolId, arguments: &[TermId]) -> TermId {
        let terms = &mut self.terms;
        let hash =
            |symbol: SymbolId, arguments: &[TermId]| self.hasher.hash_one((symbol, arguments));
        let same = |&id: &TermId| {
            let term = terms.term(id);
            term.symbol == symbol && term.arguments == arguments
        };
        let hashed = hash(symbol, arguments);
        if let Some(&id) = self.ids.find(hashed, same) {
            return id;
        }
        let id = terms.add(symbol, arguments);
        self.ids.insert_unique(hashed, id, |&id| {
            let term = terms.term(id);
            hash(term.symbol, term.arguments)
        });
        id
    }

    /// A list of terms.
    fn list(&mut self, elements: impl DoubleEndedIterator<Item = TermId>) -> TermId {
        let mut list = self.term(b"<empty_list>", &[]);
        for element in elements.rev() {
            list = self.term(b"<list_constructor>", &[element, list]);
        }
        list
    }

    /// A sort of which the name is known; none if it is empty.
    fn sort(&mut self, name: &[u8]) -> TermId {
        if name.is_empty() {
            return self.term(UNKNOWN_SORT, &[]);
        }
        let name = self.term(name, &[]);
        self.term(b"SortId", &[name])
    }

    /// A balanced tree of terms.
    fn tree(&mut self, leaves: &[TermId]) -> TermId {
        match leaves {
            [] => self.term(b"@empty@", &[]),
            [leaf] => self.term(b"@single_node@", &[*leaf]),
            _ => self.node(leaves),
        }
    }

    /// A part of a balanced tree. Its depth is the logarithm of its leaves.
    fn node(&mut self, leaves: &[TermId]) -> TermId {
        if let [leaf] = leaves {
            return *leaf;
        }
        let (left, right) = leaves.split_at(leaves.len().div_ceil(2));
        let branches = [self.node(left), self.node(right)];
        self.term(b"@node@", &branches)
    }
}

/// Makes multi-actions of one action, or of none, without time.
struct MultiActions {
    empty: TermId,
    /// The sign that there is no time.
    time: TermId,
    /// The symbols of multi-actions and the terms in them.
    symbol: SymbolId,
    action: SymbolId,
    action_id: SymbolId,
    cons: SymbolId,
}

impl MultiActions {
    fn new(pool: &mut Pool) -> Self {
        let name = pool.term(b"@undefined_real", &[]);
        let sort = pool.sort(b"Real");
        Self {
            empty: pool.list(std::iter::empty()),
            time: pool.term(b"DataVarId", &[name, sort]),
            symbol: pool.symbol(b"TimedMultAct", 2).0,
            action: pool.symbol(b"Action", 2).0,
            action_id: pool.symbol(b"ActId", 2).0,
            cons: pool.symbol(b"<list_constructor>", 2).0,
        }
    }

    /// The multi-action of an action with this name, or of none, and the list
    /// of actions in it.
    fn term(&mut self, pool: &mut Pool, text: Option<&[u8]>) -> (TermId, TermId) {
        let empty = self.empty;
        let Some(text) = text else {
            return (pool.term_of(self.symbol, &[empty, self.time]), empty);
        };
        let (name, is_new) = pool.symbol(text, 0);
        if !is_new {
            let name = pool.term_of(name, &[]);
            let id = pool.term_of(self.action_id, &[name, empty]);
            let action = pool.term_of(self.action, &[id, empty]);
            let actions = pool.term_of(self.cons, &[action, empty]);
            return (pool.term_of(self.symbol, &[actions, self.time]), actions);
        }
        // Terms over a new name are new, and nobody asks for them again, but for
        // the name itself, which may be that of a value.
        let name = pool.term_of(name, &[]);
        let terms = &mut pool.terms;
        let id = terms.add(self.action_id, &[name, empty]);
        let action = terms.add(self.action, &[id, empty]);
        let actions = terms.add(self.cons, &[action, empty]);
        (terms.add(self.symbol, &[actions, self.time]), actions)
    }
}

struct Writer<'a> {
    output: &'a mut dyn Write,
    bits: BitWriter,
    pool: Pool,
    /// The number that each symbol of the pool has in the file; 0 if none yet.
    symbol_numbers: Vec<u32>,
    symbols: usize,
    /// One more than the number that each term of the pool has in the file; 0
    /// if none yet.
    term_numbers: Vec<u32>,
    shared: usize,
}

impl<'a> Writer<'a> {
    fn new(output: &'a mut dyn Write) -> Self {
        let mut bits = BitWriter::default();
        for byte in MAGIC.into_iter().chain(VERSION.to_be_bytes()) {
            bits.bits(u64::from(byte), 8);
        }
        Self {
            output,
            bits,
            pool: Pool::new(),
            symbol_numbers: Vec::new(),
            // the one for the end
            symbols: 1,
            term_numbers: Vec::new(),
            shared: 0,
        }
    }

    fn number(&mut self, value: u64) {
        self.bits.bits(tag::NUMBER, 2);
        self.bits.varint(value);
    }

    /// Delivers a term. Its subterms are shared before, if they are not yet:
    /// the last argument first, as mCRL2 does it.
    fn term(&mut self, id: TermId) {
        let terms = self.pool.terms.len();
        self.term_numbers.resize(terms, 0);
        let mut stack = vec![(id, false)];
        while let Some((term, ready)) = stack.pop() {
            let delivered = stack.is_empty();
            if ready {
                let kind = if delivered { tag::OUTPUT } else { tag::SHARED };
                self.packet(kind, term);
                if !delivered {
                    self.shared += 1;
                    self.term_numbers[term as usize] = self.shared as u32;
                }
            } else if delivered || self.term_numbers[term as usize] == 0 {
                stack.push((term, true));
                let arguments = self.pool.terms.term(term).arguments.iter();
                stack.extend(
                    arguments
                        .filter(|&&a| self.term_numbers[a as usize] == 0)
                        .map(|&a| (a, false)),
                );
            }
        }
    }

    /// A term whose arguments have numbers.
    fn packet(&mut self, kind: u64, id: TermId) {
        let terms = &self.pool.terms;
        let term = terms.term(id);
        let symbol = term.symbol as usize;
        if self.symbol_numbers.len() <= symbol {
            self.symbol_numbers.resize(terms.symbols(), 0);
        }
        if self.symbol_numbers[symbol] == 0 {
            self.bits.bits(tag::SYMBOL, 2);
            self.bits.string(terms.name(term.symbol));
            self.bits.varint(term.arguments.len() as u64);
            self.symbol_numbers[symbol] = self.symbols as u32;
            self.symbols += 1;
        }
        self.bits.bits(kind, 2);
        let number = self.symbol_numbers[symbol];
        self.bits.bits(u64::from(number), width(self.symbols));
        for &argument in term.arguments {
            let number = self.term_numbers[argument as usize] - 1;
            self.bits.bits(u64::from(number), width(self.shared));
        }
    }

    /// Writes what has come together, if that is much.
    fn flush(&mut self, least: usize) -> Result<(), WriteError> {
        if self.bits.bytes().len() >= least {
            self.output.write_all(self.bits.bytes())?;
            self.bits.clear();
        }
        Ok(())
    }

    /// All that comes before the records.
    fn preamble(&mut self, labels: Option<&StateLabels>) -> Result<(), WriteError> {
        let mark = self.pool.term(b"labelled_transition_system", &[]);
        self.term(mark);
        // sorts, aliases, constructors, mappings, equations
        for _ in 0..5 {
            self.number(0);
        }
        let parameters = labels.map_or(&[][..], StateLabels::parameters);
        let is_known = |p: &Parameter| !(p.name.is_empty() && p.sort.is_empty());
        let parameters = match parameters.iter().any(is_known) {
            true => parameters,
            false => &[],
        };
        let mut variables = Vec::new();
        for parameter in parameters {
            let name = self.pool.term(&parameter.name, &[]);
            let sort = self.pool.sort(&parameter.sort);
            variables.push(self.pool.term(b"DataVarId", &[name, sort]));
        }
        let parameters = self.pool.list(variables.into_iter());
        self.term(parameters);
        let actions = self.pool.list(std::iter::empty());
        self.term(actions);
        self.flush(BLOCK)
    }

    fn transitions(
        &mut self,
        lts: &Lts,
        exchange: Exchange,
        texts: &[&[u8]],
    ) -> Result<(), WriteError> {
        let mark = self.pool.term(b"transition", &[]);
        // one more than the number that the actions of each label have in the
        // file; 0 if they have none yet
        let mut known: Vec<u32> = vec![0; texts.len()];
        let mut multi_actions = MultiActions::new(&mut self.pool);
        let mut marked = false;
        let sources = (0..lts.states()).map(StateId::from_index);
        let all = sources.flat_map(|source| {
            let row = lts.outgoing(exchange.of(source));
            row.map(move |(label, target)| (source, label, exchange.of(target)))
        });
        for (source, label, target) in all {
            match std::mem::replace(&mut marked, true) {
                true => self.packet(tag::OUTPUT, mark),
                false => self.term(mark),
            }
            self.number(u64::from(source.get()));
            match known[label.index()] {
                0 => {
                    let text = Some(texts[label.index()]).filter(|_| !label.is_hidden());
                    let (term, actions) = multi_actions.term(&mut self.pool, text);
                    self.term(term);
                    known[label.index()] = self.term_numbers[actions as usize];
                }
                actions => {
                    self.bits.bits(tag::OUTPUT, 2);
                    let symbol = self.symbol_numbers[multi_actions.symbol as usize];
                    self.bits.bits(u64::from(symbol), width(self.symbols));
                    let time = self.term_numbers[multi_actions.time as usize];
                    for number in [actions, time] {
                        self.bits.bits(u64::from(number - 1), width(self.shared));
                    }
                }
            }
            self.number(u64::from(target.get()));
            self.flush(BLOCK)?;
        }
        Ok(())
    }

    fn state_labels(&mut self, labels: &StateLabels, exchange: Exchange) -> Result<(), WriteError> {
        let parameters = labels.parameters();
        let sorts: Vec<TermId> = parameters.iter().map(|p| self.pool.sort(&p.sort)).collect();
        // the constant of each value of each parameter
        let mut constants: Vec<Vec<Option<TermId>>> = parameters
            .iter()
            .map(|p| vec![None; p.values.len()])
            .collect();
        let mut leaves = Vec::new();
        let mut vectors = Vec::new();
        for state in 0..labels.states() {
            vectors.clear();
            let state = exchange.of(StateId::from_index(state));
            for vector in labels.vectors(state.index()) {
                leaves.clear();
                for (k, &value) in vector.iter().enumerate() {
                    let constant = &mut constants[k][value as usize];
                    leaves.push(*constant.get_or_insert_with(|| {
                        let name = self.pool.term(labels.text(k, value), &[]);
                        self.pool.term(b"OpIdNoIndex", &[name, sorts[k]])
                    }));
                }
                vectors.push(self.pool.tree(&leaves));
            }
            let list = self.pool.list(vectors.iter().copied());
            self.term(list);
            self.flush(BLOCK)?;
        }
        Ok(())
    }

    /// Labels of states of which nothing is known.
    fn empty_state_labels(&mut self, states: usize) -> Result<(), WriteError> {
        let empty = self.pool.list(std::iter::empty());
        for _ in 0..states {
            self.term(empty);
            self.flush(BLOCK)?;
        }
        Ok(())
    }

    fn initial_state(&mut self, state: StateId) -> Result<(), WriteError> {
        let mark = self.pool.term(b"initial_state", &[]);
        self.term(mark);
        self.number(1);
        self.number(u64::from(state.get()));
        self.flush(BLOCK)
    }

    fn finish(mut self) -> Result<(), WriteError> {
        self.bits.bits(tag::SHARED, 2);
        self.bits.bits(0, width(self.symbols));
        self.bits.pad();
        self.flush(0)
    }
}
