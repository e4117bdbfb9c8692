//! Streams made by hand.

mod data;
mod records;

use std::collections::HashMap;

use super::bits::BitWriter;
use super::decode::{tag, width};
use super::header::{MAGIC, VERSION};
use super::terms::TermId;
use crate::{Format, Lts, ReadError, ReadOptions, Severity, Source, read_lts};

/// Writes a stream packet by packet, without any cleverness.
struct Stream {
    bits: BitWriter,
    symbols: HashMap<(String, usize), u64>,
    shared: usize,
}

impl Stream {
    fn of_version(version: u16) -> Self {
        let mut bits = BitWriter::default();
        for byte in MAGIC.into_iter().chain(version.to_be_bytes()) {
            bits.bits(u64::from(byte), 8);
        }
        Self {
            bits,
            symbols: HashMap::new(),
            shared: 0,
        }
    }

    /// With all that comes before the records.
    fn new() -> Self {
        let mut stream = Self::of_version(VERSION);
        stream.preamble(&[]);
        stream
    }

    fn preamble(&mut self, parameters: &[TermId]) {
        self.output("labelled_transition_system", &[]);
        for _ in 0..5 {
            self.number(0);
        }
        match parameters {
            [] => self.output("<empty_list>", &[]),
            [first, rest @ ..] => {
                let rest = self.list(rest);
                self.output("<list_constructor>", &[*first, rest]);
            }
        }
        self.output("<empty_list>", &[]);
    }

    fn symbol(&mut self, name: &str, arity: usize) -> (u64, u32) {
        let next = self.symbols.len() as u64 + 1;
        let key = (name.to_owned(), arity);
        let symbol = match self.symbols.get(&key) {
            Some(&symbol) => symbol,
            None => {
                self.bits.bits(tag::SYMBOL, 2);
                self.bits.string(name.as_bytes());
                self.bits.varint(arity as u64);
                self.symbols.insert(key, next);
                next
            }
        };
        (symbol, width(self.symbols.len() + 1))
    }

    fn packet(&mut self, kind: u64, name: &str, arguments: &[TermId]) {
        let (symbol, symbol_width) = self.symbol(name, arguments.len());
        self.bits.bits(kind, 2);
        self.bits.bits(symbol, symbol_width);
        for &argument in arguments {
            self.bits.bits(u64::from(argument), width(self.shared));
        }
    }

    fn term(&mut self, name: &str, arguments: &[TermId]) -> TermId {
        self.packet(tag::SHARED, name, arguments);
        self.shared += 1;
        self.shared as TermId - 1
    }

    fn word(&mut self, value: u64) -> TermId {
        let id = self.term("<aterm_int>", &[]);
        self.bits.varint(value);
        id
    }

    fn output(&mut self, name: &str, arguments: &[TermId]) {
        self.packet(tag::OUTPUT, name, arguments);
    }

    fn number(&mut self, value: u64) {
        self.bits.bits(tag::NUMBER, 2);
        self.bits.varint(value);
    }

    fn list(&mut self, elements: &[TermId]) -> TermId {
        let mut list = self.term("<empty_list>", &[]);
        for &element in elements.iter().rev() {
            list = self.term("<list_constructor>", &[element, list]);
        }
        list
    }

    fn sort(&mut self, name: &str) -> TermId {
        let name = self.term(name, &[]);
        self.term("SortId", &[name])
    }

    /// A constant or function of data; its sort is never looked at.
    fn op(&mut self, name: &str) -> TermId {
        let name = self.term(name, &[]);
        let sort = self.sort("S");
        self.term("OpIdNoIndex", &[name, sort])
    }

    fn call(&mut self, name: &str, arguments: &[TermId]) -> TermId {
        let function = self.op(name);
        self.term("DataAppl", &[&[function][..], arguments].concat())
    }

    fn variable(&mut self, name: &str, sort: &str) -> TermId {
        let name = self.term(name, &[]);
        let sort = self.sort(sort);
        self.term("DataVarId", &[name, sort])
    }

    fn action(&mut self, name: &str, arguments: &[TermId]) -> TermId {
        let name = self.term(name, &[]);
        let sorts = self.list(&[]);
        let label = self.term("ActId", &[name, sorts]);
        let arguments = self.list(arguments);
        self.term("Action", &[label, arguments])
    }

    fn timed_transition(&mut self, source: u64, actions: &[TermId], time: TermId, target: u64) {
        let actions = self.list(actions);
        self.output("transition", &[]);
        self.number(source);
        self.output("TimedMultAct", &[actions, time]);
        self.number(target);
    }

    fn transition(&mut self, source: u64, actions: &[TermId], target: u64) {
        let time = self.variable("@undefined_real", "Real");
        self.timed_transition(source, actions, time, target);
    }

    fn state_label(&mut self, vectors: &[TermId]) {
        match vectors {
            [] => self.output("<empty_list>", &[]),
            [first, rest @ ..] => {
                let rest = self.list(rest);
                self.output("<list_constructor>", &[*first, rest]);
            }
        }
    }

    /// With the initial state and the end.
    fn ended(mut self) -> Vec<u8> {
        self.output("initial_state", &[]);
        self.number(1);
        self.number(0);
        self.end()
    }

    fn end(mut self) -> Vec<u8> {
        self.bits.bits(tag::SHARED, 2);
        self.bits.bits(0, width(self.symbols.len() + 1));
        self.bits.pad();
        self.bits.bytes().to_vec()
    }
}

fn read(bytes: Vec<u8>, options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    let mut seen = Vec::new();
    let source = Source::from_bytes("f", bytes, Some(Format::Lts)).unwrap();
    let lts = read_lts(source, options, &mut |d| {
        assert_eq!(d.file.as_deref(), Some("f"));
        seen.push((d.severity, format!("{} [{}]", d.text, d.code)));
    });
    let errors = seen.iter().any(|(s, _)| *s == Severity::Error);
    match &lts {
        Ok(_) => assert!(!errors, "{seen:?}"),
        Err(ReadError::Refused { .. }) => assert!(errors),
        Err(ReadError::TooLarge { .. }) => {}
        Err(e) => panic!("{e}"),
    }
    (lts.ok(), seen.into_iter().map(|(_, text)| text).collect())
}

#[track_caller]
fn refused(stream: Vec<u8>, part: &str) {
    let (lts, seen) = read(stream, &ReadOptions::default());
    assert!(
        lts.is_none() && seen.iter().any(|s| s.contains(part)),
        "{seen:?}"
    );
}
