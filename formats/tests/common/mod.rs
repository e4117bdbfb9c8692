//! What the tests of readers and writers share.
#![allow(dead_code, reason = "not every test file uses all of it")]

use hyades_formats::*;
use proptest::prelude::*;

/// The outcome of reading AUT.
pub fn read_as(text: &[u8], options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Aut, text, options)
}

/// The outcome of reading: the LTS if there is one, and the diagnostics as
/// `error code line:column` (notes left out).
pub fn read_format(
    format: Format,
    text: &[u8],
    options: &ReadOptions,
) -> (Option<Lts>, Vec<String>) {
    let source = Source::from_bytes("f", text.to_vec(), Some(format)).unwrap();
    read_source(source, options)
}

/// The same for bytes that arrive bit by bit.
pub fn read_stream(
    format: Format,
    text: &[u8],
    options: &ReadOptions,
) -> (Option<Lts>, Vec<String>) {
    let reader = Box::new(std::io::Cursor::new(text.to_vec()));
    let source = Source::from_reader("f", reader, Some(format)).unwrap();
    read_source(source, options)
}

fn read_source(source: Source, options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    let mut seen = Vec::new();
    let lts = read_lts(source, options, &mut |d: Diagnostic| {
        if d.severity > Severity::Note {
            seen.push(match d.position {
                Some(at) => format!("{} {} {}:{}", d.severity, d.code, at.line, at.column),
                None => format!("{} {}: {}", d.severity, d.code, d.text),
            });
        }
    });
    match &lts {
        Ok(_) => assert!(!seen.iter().any(|s| s.starts_with("error"))),
        Err(ReadError::Refused { errors, .. }) => assert!(*errors > 0),
        Err(e) => panic!("{e}"),
    }
    (lts.ok(), seen)
}

/// Options with a mode.
pub fn mode(mode: Mode) -> ReadOptions {
    ReadOptions {
        mode,
        ..ReadOptions::default()
    }
}

/// What writing in AUT gives.
pub fn written(lts: &Lts, options: &WriteOptions) -> Vec<u8> {
    written_as(Format::Aut, lts, options)
}

/// What writing gives.
pub fn written_as(format: Format, lts: &Lts, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_lts(lts, format, &mut out, options, &mut |d| {
        assert!(d.severity < Severity::Error, "{d}")
    })
    .unwrap();
    out
}

/// What writing gives: bytes, or else the codes of the errors.
pub fn written_in(
    format: Format,
    lts: &Lts,
    options: &WriteOptions,
) -> Result<Vec<u8>, Vec<&'static str>> {
    let mut out = Vec::new();
    let mut codes = Vec::new();
    let outcome = write_lts(lts, format, &mut out, options, &mut |d| {
        if d.severity == Severity::Error {
            codes.push(d.code);
        }
    });
    assert_eq!(outcome.is_err(), !codes.is_empty());
    match codes.is_empty() {
        true => Ok(out),
        false => {
            assert!(out.is_empty(), "nothing is written that has errors");
            Err(codes)
        }
    }
}

/// The transitions as `source label target`, the hidden action as `<hidden>`.
pub fn rows(lts: &Lts) -> Vec<String> {
    let rows = transitions(lts).into_iter();
    rows.map(|(s, l, t)| format!("{s} {} {t}", String::from_utf8_lossy(&l)))
        .collect()
}

/// What is known of each state: vectors of texts of values.
pub fn known(lts: &Lts) -> Vec<Vec<Vec<String>>> {
    let labels = lts.state_labels().expect("state labels");
    let text = |k, &value: &u32| String::from_utf8_lossy(labels.text(k, value)).into_owned();
    let vector = |v: &[u32]| {
        v.iter()
            .enumerate()
            .map(|(k, value)| text(k, value))
            .collect()
    };
    (0..labels.states())
        .map(|state| labels.vectors(state).map(vector).collect())
        .collect()
}

/// Why an LTS is not written: the codes of all errors.
pub fn refused(format: Format, lts: &Lts, options: &WriteOptions) -> Vec<String> {
    let mut out = Vec::new();
    let mut codes = Vec::new();
    let written = write_lts(lts, format, &mut out, options, &mut |d| {
        codes.push(d.code.to_owned())
    });
    assert!(matches!(written, Err(WriteError::Refused { .. })));
    assert!(out.is_empty(), "something has been written");
    codes
}

/// An LTS with these transitions, the label `HIDDEN` being the hidden action.
pub fn lts(initial: u32, states: u64, transitions: &[(u32, &[u8], u32)]) -> Lts {
    let mut builder = LtsBuilder::new(states);
    for &(source, label, target) in transitions {
        let label = match label {
            b"HIDDEN" => LabelId::HIDDEN,
            text => builder.table_mut().intern(text).unwrap(),
        };
        builder.add(StateId::new(source), label, StateId::new(target));
    }
    builder.build(StateId::new(initial)).unwrap()
}

/// Random systems with such labels: hidden transitions, duplicates, unreachable
/// states and any initial state.
pub fn systems(label: impl Strategy<Value = Vec<u8>> + 'static) -> impl Strategy<Value = Lts> {
    let label = prop_oneof![1 => Just(b"HIDDEN".to_vec()), 4 => label];
    let transition = (0u32..12, label, 0u32..12);
    let transitions = prop::collection::vec(transition, 0..40);
    (0u32..12, 12u64..15, transitions, any::<bool>()).prop_map(
        |(initial, states, mut all, twice)| {
            if twice {
                all.extend_from_within(..all.len() / 2);
            }
            let all: Vec<_> = all.iter().map(|(s, l, t)| (*s, &l[..], *t)).collect();
            lts(initial, states, &all)
        },
    )
}

/// Asserts that two systems are the same but for the numbers of labels.
#[track_caller]
pub fn assert_same(a: &Lts, b: &Lts) {
    assert_eq!((a.initial(), a.states()), (b.initial(), b.states()));
    assert_eq!(transitions(a), transitions(b));
}

/// The transitions, the hidden action shown as `<hidden>`.
pub fn transitions(lts: &Lts) -> Vec<(u32, Vec<u8>, u32)> {
    let text = |l: LabelId| {
        if l.is_hidden() {
            b"<hidden>".to_vec()
        } else {
            lts.table().text(l).to_vec()
        }
    };
    lts.iter()
        .map(|(s, l, t)| (s.get(), text(l), t.get()))
        .collect()
}

/// Asserts that this is refused under default options, with these diagnostics.
#[track_caller]
pub fn assert_rejected(format: Format, text: &str, expected: &[&str]) {
    let (lts, seen) = read_format(format, text.as_bytes(), &ReadOptions::default());
    assert!(lts.is_none(), "{text:?}");
    assert_eq!(seen, expected, "{text:?}");
}

/// Asserts that this is read without a word under default options: the initial
/// state, how many states there are, and the transitions.
#[track_caller]
pub fn assert_read(
    format: Format,
    text: &str,
    (initial, states): (u32, usize),
    expected: &[(u32, &str, u32)],
) {
    let (lts, seen) = read_format(format, text.as_bytes(), &ReadOptions::default());
    assert_eq!(seen, [""; 0], "{text:?}");
    let lts = lts.unwrap();
    assert_eq!((lts.initial().get(), lts.states()), (initial, states));
    let expected: Vec<_> = expected
        .iter()
        .map(|&(s, l, t)| (s, l.as_bytes().to_vec(), t))
        .collect();
    assert_eq!(transitions(&lts), expected, "{text:?}");
}

/// Asserts that neither where a file is cut into chunks nor whether it is
/// streamed makes a difference. In the first reading, chunks are too short for
/// the scanner.
#[track_caller]
pub fn assert_same_however_cut(format: Format, text: &[u8], options: &ReadOptions) {
    let with = |chunk| ReadOptions {
        chunk,
        ..options.clone()
    };
    let (exact, seen) = read_format(format, text, &with(1));
    for chunk in [7, 60, 1 << 20] {
        for read in [read_format, read_stream] {
            let (other, told) = read(format, text, &with(chunk));
            assert_eq!(told, seen);
            match (&exact, &other) {
                (Some(a), Some(b)) => assert_same(a, b),
                (a, b) => assert_eq!(a.is_some(), b.is_some()),
            }
        }
    }
}
