//! Streams made by hand: how terms read, and what is refused.

use std::collections::HashMap;

use super::bits::BitWriter;
use super::terms::{TermId, tag, width};
use super::{MAGIC, PREVIOUS_VERSION, VERSION};
use crate::{Format, Lts, Mode, ReadError, ReadOptions, Severity, Source, read_lts};

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

/// How data reads, and whether this is approximate.
fn data(make: impl FnOnce(&mut Stream) -> TermId) -> Result<(String, bool), String> {
    let mut stream = Stream::new();
    let argument = make(&mut stream);
    let action = stream.action("a", &[argument]);
    stream.transition(0, &[action], 1);
    let (lts, seen) = read(stream.ended(), &ReadOptions::default());
    let Some(lts) = lts else {
        return Err(seen.concat());
    };
    let (_, text) = lts.table().visible().next().unwrap();
    let text = text.strip_prefix(b"a(").and_then(|t| t.strip_suffix(b")"));
    let approximate = seen.iter().any(|s| s.contains("[lts-approximate]"));
    assert_eq!(seen.len(), usize::from(approximate), "{seen:?}");
    Ok((
        String::from_utf8(text.unwrap().into()).unwrap(),
        approximate,
    ))
}

#[track_caller]
fn reads(text: &str, make: impl FnOnce(&mut Stream) -> TermId) {
    assert_eq!(data(make), Ok((text.into(), false)));
}

#[track_caller]
fn nearly_reads(text: &str, make: impl FnOnce(&mut Stream) -> TermId) {
    assert_eq!(data(make), Ok((text.into(), true)));
}

/// A number by machine words, the highest first.
fn words(s: &mut Stream, first: &str, words: &[u64]) -> TermId {
    let word = s.word(words[0]);
    let mut number = s.call(first, &[word]);
    for &word in &words[1..] {
        let word = s.word(word);
        number = s.call("@concat_digit", &[number, word]);
    }
    number
}

/// A positive number by bits, the lowest first, without the highest.
fn bits(s: &mut Stream, bits: &[bool]) -> TermId {
    let mut number = s.op("@c1");
    for &bit in bits.iter().rev() {
        let bit = s.op(if bit { "true" } else { "false" });
        number = s.call("@cDub", &[bit, number]);
    }
    number
}

#[test]
fn constants() {
    for name in ["true", "d1", "e", "[]", "{}", "{:}"] {
        reads(name, |s| s.op(name));
    }
    reads("0", |s| s.op("@c0"));
    reads("1", |s| s.op("@c1"));
    reads("x", |s| s.variable("x", "Nat"));
    // in memory there is an index
    reads("d1", |s| {
        let name = s.term("d1", &[]);
        let sort = s.sort("D");
        let index = s.word(7);
        s.term("OpId", &[name, sort, index])
    });
}

#[test]
fn numbers_by_machine_words() {
    reads("7", |s| words(s, "@most_significant_digit", &[7]));
    reads("0", |s| words(s, "@most_significant_digitNat", &[0]));
    reads("18446744073709551615", |s| {
        words(s, "@most_significant_digitNat", &[u64::MAX])
    });
    reads("18446744073709551619", |s| {
        words(s, "@most_significant_digitNat", &[1, 3])
    });
    reads("340282366920938463463374607431768211456", |s| {
        words(s, "@most_significant_digit", &[1, 0, 0])
    });
}

#[test]
fn numbers_by_bits() {
    reads("6", |s| bits(s, &[false, true]));
    reads("2", |s| bits(s, &[false]));
    reads("13", |s| {
        let n = bits(s, &[true, false, true]);
        s.call("@cNat", &[n])
    });
    reads("18446744073709551616", |s| bits(s, &[false; 64]));
    reads("18446744073709551617", |s| {
        bits(s, &[&[true][..], &[false; 63]].concat())
    });
    nearly_reads("@cDub(b, 1)", |s| {
        let b = s.variable("b", "Bool");
        let one = s.op("@c1");
        s.call("@cDub", &[b, one])
    });
}

#[test]
fn integers_and_reals() {
    let seven = |s: &mut Stream| words(s, "@most_significant_digit", &[7]);
    reads("7", |s| {
        let n = words(s, "@most_significant_digitNat", &[7]);
        s.call("@cInt", &[n])
    });
    reads("-7", |s| {
        let n = seven(s);
        s.call("@cNeg", &[n])
    });
    let real = |s: &mut Stream, below: TermId| {
        let n = seven(s);
        let above = s.call("@cNeg", &[n]);
        s.call("@cReal", &[above, below])
    };
    reads("-7", |s| {
        let one = s.op("@c1");
        real(s, one)
    });
    reads("-7", |s| {
        let one = words(s, "@most_significant_digit", &[1]);
        real(s, one)
    });
    reads("-7 / 3", |s| {
        let three = bits(s, &[true]);
        real(s, three)
    });
    for cast in [
        "Pos2Nat", "Pos2Int", "Pos2Real", "Nat2Int", "Nat2Real", "Int2Real",
    ] {
        reads("7", |s| {
            let n = seven(s);
            s.call(cast, &[n])
        });
    }
    // mCRL2 writes those that go down
    reads("Nat2Pos(7)", |s| {
        let n = seven(s);
        s.call("Nat2Pos", &[n])
    });
}

#[test]
fn lists_sets_and_bags() {
    let build = |s: &mut Stream, cons: &str, empty: &str| {
        let mut list = s.op(empty);
        for name in ["c", "b", "a"] {
            let element = s.op(name);
            let pair = if cons == "<|" {
                [list, element]
            } else {
                [element, list]
            };
            list = s.call(cons, &pair);
        }
        list
    };
    reads("[a, b, c]", |s| build(s, "|>", "[]"));
    reads("[c, b, a]", |s| build(s, "<|", "[]"));
    reads("{a, b, c}", |s| build(s, "@fset_cons", "{}"));
    reads("{a, b, c}", |s| build(s, "@fset_insert", "{}"));
    for (outside, text) in [("@false_", "{a, b, c}"), ("@true_", "!{a, b, c}")] {
        reads(text, |s| {
            let outside = s.op(outside);
            let elements = build(s, "@fset_cons", "{}");
            s.call("@set", &[outside, elements])
        });
    }
    reads("{a, b, c}", |s| {
        let elements = build(s, "@fset_cons", "{}");
        s.call("@setfset", &[elements])
    });
    reads("{}", |s| {
        let (outside, elements) = (s.op("@false_"), s.op("{}"));
        s.call("@set", &[outside, elements])
    });
    for name in ["@fbag_cons", "@fbag_insert", "@fbag_cinsert"] {
        let bag = |s: &mut Stream| {
            let empty = s.op("{:}");
            let (b, two) = (s.op("b"), bits(s, &[false]));
            let inner = s.call(name, &[b, two, empty]);
            let (a, one) = (s.op("a"), s.op("@c1"));
            s.call(name, &[a, one, inner])
        };
        reads("{a: 1, b: 2}", bag);
        reads("{a: 1, b: 2}", |s| {
            let bag = bag(s);
            s.call("@bagfbag", &[bag])
        });
        reads("{a: 1, b: 2}", |s| {
            let outside = s.op("@zero_");
            let bag = bag(s);
            s.call("@bag", &[outside, bag])
        });
    }
    reads("[{a, b, c}, [a, b, c]]", |s| {
        let empty = s.op("[]");
        let inner = build(s, "|>", "[]");
        let last = s.call("|>", &[inner, empty]);
        let inner = build(s, "@fset_cons", "{}");
        s.call("|>", &[inner, last])
    });
    // not all elements are known
    nearly_reads("|>(a, |>(b, |>(c, l)))", |s| build(s, "|>", "l"));
    nearly_reads("@fset_cons(a, @fset_cons(b, @fset_cons(c, [])))", |s| {
        build(s, "@fset_cons", "[]")
    });
}

#[test]
fn functions() {
    reads("f(a, 1)", |s| {
        let (a, one) = (s.op("a"), s.op("@c1"));
        s.call("f", &[a, one])
    });
    reads("f(a)(b)", |s| {
        let (a, b) = (s.op("a"), s.op("b"));
        let f = s.call("f", &[a]);
        s.term("DataAppl", &[f, b])
    });
    reads("f[a -> 1]", |s| {
        let (f, a, one) = (s.op("f"), s.op("a"), s.op("@c1"));
        s.call("@func_update", &[f, a, one])
    });
    for operator in ["+", "div", "in", "&&", "!", "@monus"] {
        nearly_reads(&format!("{operator}(a, b)"), |s| {
            let (a, b) = (s.op("a"), s.op("b"));
            s.call(operator, &[a, b])
        });
    }
    let lambda = |s: &mut Stream, kind: &str| {
        let kind = s.term(kind, &[]);
        let x = s.variable("x", "Nat");
        let y = s.variable("y", "Bool");
        let variables = s.list(&[x, y]);
        s.term("Binder", &[kind, variables, x])
    };
    nearly_reads("lambda x: Nat, y: Bool. x", |s| lambda(s, "Lambda"));
    nearly_reads("forall x: Nat, y: Bool. x", |s| lambda(s, "Forall"));
    nearly_reads("{ x: Nat, y: Bool | x }", |s| lambda(s, "SetComp"));
    nearly_reads("(lambda x: Nat, y: Bool. x)(a)", |s| {
        let (f, a) = (lambda(s, "Lambda"), s.op("a"));
        s.term("DataAppl", &[f, a])
    });
    nearly_reads("Whr(x, [y, 3])", |s| {
        let (x, y, three) = (s.term("x", &[]), s.term("y", &[]), s.word(3));
        let list = s.list(&[y, three]);
        s.term("Whr", &[x, list])
    });
}

#[test]
fn what_is_no_data_is_refused() {
    for make in [
        (|s| s.term("Foo", &[])) as fn(&mut Stream) -> TermId,
        |s| s.list(&[]),
        |s| s.sort("Nat"),
        |s| {
            let (a, b) = (s.op("a"), s.term("Foo", &[]));
            s.term("DataAppl", &[a, b])
        },
        |s| {
            let kind = s.term("Mu", &[]);
            let (list, x) = (s.list(&[]), s.op("x"));
            s.term("Binder", &[kind, list, x])
        },
    ] {
        let text = data(make).unwrap_err();
        assert!(text.contains("[lts-term]"), "{text}");
    }
}

fn labels(lts: &Lts) -> Vec<(u32, String, u32)> {
    let text = |l: crate::LabelId| match l.is_hidden() {
        true => "<hidden>".to_owned(),
        false => String::from_utf8_lossy(lts.table().text(l)).into_owned(),
    };
    lts.iter()
        .map(|(s, l, t)| (s.get(), text(l), t.get()))
        .collect()
}

#[test]
fn multi_actions_are_sorted_by_name() {
    let mut s = Stream::new();
    let (x, y) = (s.op("x"), s.op("y"));
    let (c, a) = (s.action("c", &[x, y]), s.action("a", &[]));
    let (b2, b1) = (s.action("b", &[y]), s.action("b", &[x]));
    s.transition(0, &[c, b2, a, b1], 1);
    s.transition(1, &[], 0);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(seen.is_empty(), "{seen:?}");
    let expected = [
        (0, "a|b(x)|b(y)|c(x, y)".to_owned(), 1),
        (1, "<hidden>".into(), 0),
    ];
    assert_eq!(labels(&lts.unwrap()), expected);
}

#[test]
fn terms_that_read_alike_become_one_label() {
    let mut s = Stream::new();
    let one = s.op("@c1");
    let (a, same) = (s.action("a", &[one]), s.action("a", &[one]));
    let cast = s.call("Pos2Nat", &[one]);
    let other = s.action("a", &[cast]);
    let opaque = s.action("a(1)", &[]);
    for actions in [a, same, other, opaque, other, a] {
        s.transition(0, &[actions], 0);
    }
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    let lts = lts.unwrap();
    assert_eq!((lts.transitions(), lts.table().len()), (6, 2));
    // the list of `other` is written twice, and so counts twice
    let alike = seen.iter().filter(|s| s.contains("[lts-equal-texts]"));
    assert_eq!(alike.count(), 3, "{seen:?}");
}

#[test]
fn what_is_hidden() {
    let mut s = Stream::new();
    for name in ["i", "tau", "a"] {
        let action = s.action(name, &[]);
        s.transition(0, &[action], 0);
    }
    s.transition(0, &[], 0);
    let stream = s.ended();
    let texts = |options: &ReadOptions| -> Vec<String> {
        let lts = read(stream.clone(), options).0.unwrap();
        labels(&lts).into_iter().map(|(_, text, _)| text).collect()
    };
    let usual = ["i", "tau", "a", "<hidden>"];
    assert_eq!(texts(&ReadOptions::default()), usual);
    let cadp = ReadOptions {
        dialect: Some(crate::Dialect::Cadp),
        ..ReadOptions::default()
    };
    assert_eq!(texts(&cadp), usual);
    let more = ReadOptions {
        tau: vec![b"a".to_vec(), b"tau".to_vec()],
        ..ReadOptions::default()
    };
    assert_eq!(texts(&more), ["i", "<hidden>", "<hidden>", "<hidden>"]);
}

#[test]
fn timed_and_probabilistic_systems_are_refused() {
    let mut s = Stream::new();
    let (a, time) = (s.action("a", &[]), s.op("@c1"));
    s.timed_transition(0, &[a], time, 1);
    refused(
        s.ended(),
        "a time: timed systems are not supported [lts-timed]",
    );
    let mut s = Stream::new();
    let (a, time) = (s.action("a", &[]), s.variable("t", "Real"));
    s.timed_transition(0, &[a], time, 1);
    refused(s.ended(), "[lts-timed]");
    let mut s = Stream::new();
    s.output("probabilistic_transition", &[]);
    refused(
        s.ended(),
        "probabilistic systems are not supported [lts-probabilistic]",
    );
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(2);
    refused(s.end(), "[lts-probabilistic]");
}

#[test]
fn another_sign_for_no_time() {
    let mut s = Stream::new();
    let (a, time) = (
        s.action("a", &[]),
        s.variable("@undefined_real", "@no_value@"),
    );
    s.timed_transition(0, &[a], time, 1);
    s.timed_transition(1, &[a], time, 0);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert_eq!(lts.unwrap().table().len(), 2);
    assert!(
        seen.len() == 1 && seen[0].ends_with("[lts-untimed]"),
        "{seen:?}"
    );
}

#[test]
fn versions() {
    let mut s = Stream::of_version(PREVIOUS_VERSION);
    s.preamble(&[]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_some() && seen[0].contains("0x8307"), "{seen:?}");
    for version in [0x8306, 0x8309, 0x8304] {
        let stream = Stream::of_version(version).end();
        refused(
            stream,
            &format!("{version:#06x} of the format: only 0x8308 and 0x8307"),
        );
    }
    refused(b"des (0,0,1)".to_vec(), "[lts-magic]");
    refused(b"\x00\x8b\xaf\x83".to_vec(), "[lts-truncated]");
    refused(Vec::new(), "[lts-magic]");
}

#[test]
fn records_in_any_order() {
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(1);
    s.number(5);
    let a = s.action("a", &[]);
    s.transition(3, &[a], 2);
    s.transition(0, &[], 3);
    let (lts, seen) = read(s.end(), &ReadOptions::default());
    let lts = lts.unwrap();
    assert!(seen.is_empty());
    assert_eq!((lts.initial().get(), lts.states()), (5, 6));
    assert_eq!(
        labels(&lts),
        [(0, "<hidden>".into(), 3), (3, "a".into(), 2)]
    );
}

#[test]
fn records_that_are_none() {
    refused(Stream::of_version(VERSION).end(), "expected the mark");
    let mut s = Stream::new();
    s.output("foo", &[]);
    refused(
        s.ended(),
        "expected a transition, a state label or the end, found the term `foo`",
    );
    let mut s = Stream::new();
    s.number(3);
    refused(s.ended(), "found the number 3");
    let mut s = Stream::new();
    s.output("transition", &[]);
    refused(s.ended(), "expected the number of a state");
    let mut s = Stream::new();
    s.output("transition", &[]);
    s.number(0);
    s.number(0);
    refused(s.ended(), "expected a multi-action");
    let mut s = Stream::new();
    let foo = s.term("foo", &[]);
    s.transition(0, &[foo], 0);
    refused(s.ended(), "expected an action, found `foo`");
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(0);
    refused(s.ended(), "an initial state that is none");
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(1);
    s.number(4);
    refused(s.ended(), "a second initial state");
    refused(
        Stream::new().end(),
        "no initial state; --lenient takes state 0 [lts-no-initial]",
    );
    let lenient = ReadOptions {
        mode: Mode::Lenient,
        ..ReadOptions::default()
    };
    let (lts, seen) = read(Stream::new().end(), &lenient);
    assert!(lts.is_some() && seen[0].contains("[lts-no-initial]"));
}

#[test]
fn specifications_are_skipped() {
    let mut s = Stream::of_version(VERSION);
    s.output("labelled_transition_system", &[]);
    let term = s.sort("D");
    for count in 0..5 {
        s.number(count);
        for _ in 0..count {
            s.output("Anything", &[term]);
        }
    }
    let label = s.action("unused", &[]);
    s.output("<empty_list>", &[]);
    let rest = s.list(&[]);
    s.output("<list_constructor>", &[label, rest]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_some() && seen.is_empty(), "{seen:?}");
    // counts that lie
    let mut s = Stream::of_version(VERSION);
    s.output("labelled_transition_system", &[]);
    s.number(u64::MAX);
    refused(
        s.end(),
        "expected 18446744073709551615 sorts, found the end",
    );
}

#[test]
fn state_labels() {
    let mut s = Stream::of_version(VERSION);
    let element = s.sort("D");
    let container = s.term("SortList", &[]);
    let list = s.term("SortCons", &[container, element]);
    let domain = s.list(&[list, element]);
    let arrow = s.term("SortArrow", &[domain, element]);
    let domain = s.list(&[arrow]);
    let higher = s.term("SortArrow", &[domain, list]);
    let names = ["p", "q", "r"].map(|name| s.term(name, &[]));
    let parameters: Vec<_> = [list, higher, element]
        .iter()
        .zip(names)
        .map(|(&sort, name)| s.term("DataVarId", &[name, sort]))
        .collect();
    s.preamble(&parameters);
    let (a, b, one) = (s.op("a"), s.op("b"), s.op("@c1"));
    let pair = s.term("@node@", &[a, b]);
    let left = s.term("@node@", &[pair, one]);
    let pair = s.term("@node@", &[b, b]);
    let right = s.term("@node@", &[pair, one]);
    s.state_label(&[left]);
    s.state_label(&[]);
    s.transition(0, &[], 4);
    s.state_label(&[right, left]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(seen.is_empty(), "{seen:?}");
    let lts = lts.unwrap();
    let known = lts.state_labels().unwrap();
    let shown: Vec<String> = (0..lts.states())
        .map(|state| {
            let vectors = known.vectors(state).map(|vector| {
                let values = vector.iter().enumerate();
                let texts = values.map(|(k, &v)| String::from_utf8_lossy(known.text(k, v)));
                texts.collect::<Vec<_>>().join(",")
            });
            vectors.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(shown, ["a,b,1", "", "b,b,1 a,b,1", "", ""]);
    let told: Vec<_> = known
        .parameters()
        .iter()
        .map(|p| String::from_utf8([&p.name[..], b": ", &p.sort].concat()).unwrap())
        .collect();
    assert_eq!(
        told,
        ["p: List(D)", "q: (List(D) # D -> D) -> List(D)", "r: D"]
    );
}

#[test]
fn state_labels_without_parameters() {
    // as traces have them
    let mut s = Stream::new();
    let a = s.op("a");
    let single = s.term("@single_node@", &[a]);
    s.state_label(&[]);
    s.state_label(&[single]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    let known = lts.state_labels().unwrap();
    assert_eq!(known.parameters().len(), 1);
    assert_eq!((known.vectors(0).len(), known.vectors(1).len()), (0, 1));
    let mut s = Stream::new();
    let empty = s.term("@empty@", &[]);
    s.state_label(&[empty]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    assert_eq!(lts.state_labels().unwrap().vectors(0).len(), 1);
    // nothing is known of any state
    let mut s = Stream::new();
    s.state_label(&[]);
    s.state_label(&[]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    assert!(lts.states() == 2 && lts.state_labels().is_none());
}

#[test]
fn state_labels_that_are_none() {
    let mut s = Stream::new();
    let (a, foo) = (s.op("a"), s.term("foo", &[]));
    let single = s.term("@single_node@", &[a]);
    let pair = s.term("@node@", &[a, a]);
    s.state_label(&[single]);
    s.state_label(&[pair]);
    refused(s.ended(), "more than 1 values [lts-state-label]");
    let mut s = Stream::new();
    let pair = s.term("foo", &[]);
    s.state_label(&[pair]);
    refused(
        s.ended(),
        "a value of a parameter that cannot be written out",
    );
    let mut s = Stream::new();
    s.output("<list_constructor>", &[]);
    refused(s.ended(), "[lts-syntax]");
    let _ = foo;
}

#[test]
fn deep_and_wide_terms() {
    // deeper than any stack
    let deep = |s: &mut Stream| {
        let mut term = s.op("a");
        let f = s.op("f");
        for _ in 0..300_000 {
            term = s.term("DataAppl", &[f, term]);
        }
        term
    };
    let (text, approximate) = data(deep).unwrap();
    assert!(!approximate && text.len() == 300_000 * 3 + 1);
    // written out, more than there are atoms
    let wide = |s: &mut Stream| {
        let mut term = s.op("a");
        let f = s.op("f");
        for _ in 0..300 {
            term = s.term("DataAppl", &[f, term, term]);
        }
        term
    };
    let options = ReadOptions {
        max_line: 10_000,
        ..ReadOptions::default()
    };
    let mut s = Stream::new();
    let wide = wide(&mut s);
    let action = s.action("a", &[wide]);
    s.transition(0, &[action], 1);
    let (lts, seen) = read(s.ended(), &options);
    assert!(lts.is_none() && seen[0].contains("more than 10000 bytes [lts-label-length]"));
    // a state vector of 2^300 values
    let mut s = Stream::new();
    let mut tree = s.op("a");
    for _ in 0..300 {
        tree = s.term("@node@", &[tree, tree]);
    }
    s.state_label(&[tree]);
    refused(s.ended(), "a state vector of more than 65536 values");
    // a number of a million bits
    let mut s = Stream::new();
    let mut number = s.op("@c1");
    let (f, bit) = (s.op("@cDub"), s.op("true"));
    for _ in 0..1_000_000 {
        number = s.term("DataAppl", &[f, bit, number]);
    }
    let action = s.action("a", &[number]);
    s.transition(0, &[action], 1);
    refused(s.ended(), "[lts-label-length]");
}

#[test]
fn damaged_streams() {
    // a symbol and an argument that are not there
    let mut s = Stream::new();
    s.bits.bits(tag::OUTPUT, 2);
    s.bits.bits(3, width(s.symbols.len() + 1));
    refused(s.end(), "the file is damaged [lts-syntax]");
    let mut s = Stream::new();
    s.term("a", &[]);
    s.packet(tag::SHARED, "f", &[1]);
    refused(s.end(), "argument 1 of 1 shared terms: the file is damaged");
    // the end and a number as terms
    let mut s = Stream::new();
    s.bits.bits(tag::OUTPUT, 2);
    s.bits.bits(0, width(s.symbols.len() + 1));
    refused(s.end(), "a symbol that no output may have");
    let mut s = Stream::new();
    s.output("<aterm_int>", &[]);
    refused(s.end(), "a symbol that no output may have");
    // an arity that lies
    let mut s = Stream::new();
    s.bits.bits(tag::SYMBOL, 2);
    s.bits.string(b"f");
    s.bits.varint(u64::MAX);
    let symbol = s.symbols.len() as u64 + 1;
    s.symbols.insert(("f".into(), 0), symbol);
    s.packet(tag::SHARED, "f", &[]);
    refused(s.end(), "[lts-truncated]");
    // a state that no LTS has
    let mut s = Stream::new();
    s.transition(u64::MAX, &[], 0);
    let (lts, _) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_none());
}
