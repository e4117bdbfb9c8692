//! SEQ and `.trc`: as LTSs and as traces.

use crate::common;

use common::*;
use hyades_formats::seq::{ReadSeq, Sequence, WriteSeq, write_traces};
use hyades_formats::*;
use proptest::prelude::*;

fn seq(text: &[u8]) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Seq, text, &ReadOptions::default())
}

fn trc(text: &[u8]) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Trc, text, &ReadOptions::default())
}

#[track_caller]
fn is(found: (Option<Lts>, Vec<String>), states: u64, transitions: &[(u32, &str, u32)]) {
    let (found, seen) = found;
    assert_eq!(seen, [""; 0]);
    let transitions: Vec<_> = transitions
        .iter()
        .map(|&(s, l, t)| (s, l.as_bytes(), t))
        .collect();
    assert_same(&found.unwrap(), &lts(0, states, &transitions));
}

#[track_caller]
fn is_refused(found: (Option<Lts>, Vec<String>), expected: &[&str]) {
    assert!(found.0.is_none());
    assert_eq!(found.1, expected);
}

#[test]
fn sequences_are_chains_from_state_0() {
    is(seq(b""), 1, &[]);
    is(seq(b"*** only a comment"), 1, &[]);
    is(seq(b"<deadlock>\n"), 1, &[]);
    is(seq(b"\"a\""), 2, &[(0, "a", 1)]);
    let text = b"\"PUSH !1\"\n\"i\"\n[]\n\"a\"\n\"PUSH !1\"\n<deadlock>\n[]\n\"\"\n[]\n";
    is(
        seq(text),
        6,
        &[
            (0, "PUSH !1", 1),
            (0, "a", 3),
            (0, "", 5),
            (1, "HIDDEN", 2),
            (3, "PUSH !1", 4),
        ],
    );
    // blanks and ends of lines
    let text = b" \t\"a\"\t \r\n\r\n  [] \r\n\t<deadlock> \r\n[]\n\"a\rb\"\r";
    is(seq(text), 3, &[(0, "a", 1), (0, "a\rb", 2)]);
}

#[test]
fn sequences_have_ends() {
    let text = b"\"a\"\n<deadlock>\n[]\n\"b\"\n\"c\"\n[]\n<deadlock>\n[]\n\"d\"\n<deadlock>\n";
    let all = [
        (1, true, "a"),
        (3, false, "bc"),
        (0, true, ""),
        (4, true, "d"),
    ];
    for (seqno, expected) in [
        (0, &all[..]),
        (1, &[(1, true, "a")]),
        (2, &[(2, false, "bc")]),
        (3, &[(0, true, "")]),
        (4, &[(1, true, "d")]),
    ] {
        let options = ReadOptions {
            seq: ReadSeq { seqno },
            ..ReadOptions::default()
        };
        let source = Source::from_bytes("t", text.to_vec(), Some(Format::Seq)).unwrap();
        let (lts, ends) = read_with_ends(source, &options, &mut |d| panic!("{d}")).unwrap();
        let text = |&label: &LabelId| String::from_utf8_lossy(lts.table().text(label));
        let sequences = Sequence::all(&lts, &ends).into_iter().zip(&ends);
        let found = sequences.map(|(sequence, end)| {
            assert_eq!(sequence.deadlock, end.deadlock);
            let labels: String = sequence.labels.iter().map(text).collect();
            (end.state.get(), end.deadlock, labels)
        });
        let expected = expected
            .iter()
            .map(|&(state, deadlock, labels)| (state, deadlock, labels.to_owned()));
        assert!(found.eq(expected), "{seqno}");
    }
}

proptest! {
    /// What is written is read again, but for what no line tells: an empty sequence without
    /// a deadlock.
    #[test]
    fn sequences_are_read_as_they_were_written(
        given in prop::collection::vec((prop::collection::vec(0..4u32, 0..5), any::<bool>()), 0..6),
    ) {
        let mut table = LabelTable::new();
        for text in ["a", "b", "<deadlock>"] {
            table.intern(text.as_bytes()).unwrap();
        }
        let given: Vec<Sequence> = given
            .into_iter()
            .map(|(labels, deadlock)| Sequence {
                deadlock: deadlock || labels.is_empty(),
                labels: labels.into_iter().map(LabelId::new).collect(),
            })
            .collect();
        let mut text = Vec::new();
        let options = WriteOptions::default();
        write_traces(&given, &table, &mut text, &options, &mut |d| panic!("{d}")).unwrap();
        let source = Source::from_bytes("t", text, Some(Format::Seq)).unwrap();
        let options = ReadOptions::default();
        let (lts, ends) = read_with_ends(source, &options, &mut |d| panic!("{d}")).unwrap();
        let of = |table: &LabelTable, sequences: &[Sequence]| -> Vec<(Vec<Vec<u8>>, bool)> {
            let text = |label: &LabelId| match label.is_hidden() {
                true => b"hidden".to_vec(),
                false => table.text(*label).to_vec(),
            };
            let sequences = sequences.iter();
            sequences.map(|s| (s.labels.iter().map(text).collect(), s.deadlock)).collect()
        };
        prop_assert_eq!(of(lts.table(), &Sequence::all(&lts, &ends)), of(&table, &given));
    }
}

#[test]
fn text_without_a_sequence_is_no_seq() {
    for (text, at) in [
        (&b"junk"[..], "1:1"),
        (b"*** a trace\n\n  des (0, 1, 2)\n", "3:3"),
        (b"\0\xff\x80", "1:1"),
        (b"deadlock: FALSE\n", "1:1"),
        (b"# x\nx # y\n# z\n", "2:1"),
    ] {
        let error = format!("error seq-nothing {at}");
        is_refused(seq(text), &[&error]);
        for strict in [Mode::Strict, Mode::Lenient] {
            let (system, seen) = read_format(Format::Seq, text, &mode(strict));
            let severity = if strict == Mode::Strict {
                "error"
            } else {
                "warning"
            };
            assert_eq!(seen, [format!("{severity} seq-nothing {at}")]);
            assert_eq!(system.is_some(), strict == Mode::Lenient);
        }
    }
    // comments that look like some, and any text beside a sequence
    for text in [
        &b""[..],
        b"\n \n",
        b"*** none\n# none\n--- none\n",
        b"\x01 junk \x02",
        b"deadlock: TRUE\n<deadlock>\n",
    ] {
        is(seq(text), 1, &[]);
    }
    is(seq(b"junk\n\"a\"\n"), 2, &[(0, "a", 1)]);
}

#[test]
fn comments_of_seq() {
    let text = b"*** sequence 1 \"x\"\n# y\n--- z\n\x01 over\n\"several\" lines \x02\"a\"\n\
                 \x01state 3\x02 \"b\" \x01state 4\x02\n\x01alone\x02\ntext\n";
    is(seq(text), 3, &[(0, "a", 1), (1, "b", 2)]);
    // a label may have these bytes
    is(
        seq(b"\"a\x01b\x02\"\n\"\x01\"\n"),
        3,
        &[(0, "a\x01b\x02", 1), (1, "\x01", 2)],
    );
    // a comment within a comment line may go on
    is(
        seq(b"text \x01 more\n\"no label\"\n\x02 text\n\"a\"\n"),
        2,
        &[(0, "a", 1)],
    );
    is_refused(seq(b"\"a\"\n\x01 text\n"), &["error seq-comment 2:1"]);
    is_refused(seq(b"\x01 c \x02 text\n"), &["error seq-syntax 1:7"]);
    is_refused(seq(b"\x01 c\n \x02 text\n"), &["error seq-syntax 2:4"]);
}

#[test]
fn one_sequence_of_many() {
    let text = b"[]\n\"a\"\n[]\n[]\n\"b\"\n\"c\"\n[]\n<deadlock>\n";
    let read = |seqno| {
        read_format(
            Format::Seq,
            text,
            &ReadOptions {
                seq: ReadSeq { seqno },
                ..ReadOptions::default()
            },
        )
    };
    let states = |seqno| {
        read(seqno)
            .0
            .map(|system| (system.states(), system.table().len()))
    };
    assert_eq!(states(0), Some((4, 4)));
    assert_eq!(states(1), Some((2, 2)));
    assert_eq!(states(2), Some((3, 3)));
    assert_eq!(states(3), Some((1, 1)));
    assert_eq!(states(4), None);
    let warnings = ["warning seq-empty 1:1", "warning seq-empty 4:1"];
    assert_eq!(read(3).1, warnings);
    let told = "error seq-seqno: there is no sequence 4: the last one is 3";
    assert_eq!(read(4).1, [&warnings[..], &[told]].concat());
    let first = ReadOptions {
        seq: ReadSeq { seqno: 1 },
        ..ReadOptions::default()
    };
    is(read_format(Format::Seq, b"", &first), 1, &[]);
}

#[test]
fn what_is_hidden_in_traces() {
    let read = |format, text: &[u8], tau: &[&str], dialect| {
        let options = ReadOptions {
            hidden: tau.iter().map(|&t| t.into()).collect(),
            dialect,
            ..ReadOptions::default()
        };
        let system = read_format(format, text, &options).0.unwrap();
        let labels = transitions(&system).into_iter().map(|(_, l, _)| l);
        String::from_utf8(labels.collect::<Vec<_>>().join(&b' ')).unwrap()
    };
    let text = b"\"i\"\n\"tau\"\n\"a\"\n";
    assert_eq!(read(Format::Seq, text, &[], None), "<hidden> tau a");
    assert_eq!(
        read(Format::Seq, text, &[], Some(Dialect::Mcrl2)),
        "<hidden> tau a"
    );
    assert_eq!(
        read(Format::Seq, text, &["a", "tau"], None),
        "i <hidden> <hidden>"
    );
    let text = b"i\ntau\na\n";
    assert_eq!(read(Format::Trc, text, &[], None), "i <hidden> a");
    assert_eq!(
        read(Format::Trc, text, &[], Some(Dialect::Cadp)),
        "i <hidden> a"
    );
    assert_eq!(read(Format::Trc, text, &["a"], None), "i tau <hidden>");
}

#[test]
fn mistakes_in_seq() {
    for (text, expected) in [
        (&b"\"a\n\"b\"\n"[..], "error seq-quote 1:1"),
        (b"\"a\"\n \"b", "error seq-quote 2:2"),
        (b"\"a\" b\n", "error seq-text 1:5"),
        (b"\"a\" \"b\"\n", "error seq-text 1:5"),
        (b"<deadlock> b\n", "error seq-text 1:12"),
        (b"\"a\"\n[] b\n", "error seq-separator 2:4"),
        (b"\"a\" *\n", "error seq-pattern 1:5"),
        (b"\"a\" +\n", "error seq-pattern 1:5"),
        (b"\"a\" | \"b\"\n", "error seq-pattern 1:5"),
        (b"\"a\" & \"b\"\n", "error seq-pattern 1:5"),
        (b"\"a\"^\"b\"\n", "error seq-pattern 1:4"),
        (b"[PUSH.*]\n", "error seq-pattern 1:1"),
        (b"[ ]\n", "error seq-pattern 1:1"),
        (b"(\"a\")\n", "error seq-pattern 1:1"),
        (b"~ \"a\"\n", "error seq-pattern 1:1"),
        (b"<any>*\n", "error seq-pattern 1:1"),
        (b"<while> \"a\"\n", "error seq-pattern 1:1"),
        (b"\t<until> \"a\"\n", "error seq-pattern 1:2"),
        (b"<dead>\n", "error seq-syntax 1:1"),
        (b"<\n", "error seq-syntax 1:1"),
        (b"<deadlock>\n\"a\"\n", "error seq-deadlock 2:1"),
        (b"<deadlock>\n<deadlock>\n", "error seq-deadlock 2:1"),
    ] {
        is_refused(seq(text), &[expected]);
    }
    is_refused(
        seq(b"\"a\" b\n\"c\n[x]\n"),
        &[
            "error seq-text 1:5",
            "error seq-quote 2:1",
            "error seq-pattern 3:1",
        ],
    );
    let (system, seen) = seq(b"\xef\xbb\xbf\"a\"\n");
    assert_eq!(seen, ["warning seq-bom 1:1"]);
    assert_eq!(system.unwrap().states(), 2);
}

#[test]
fn strict() {
    let strict = ReadOptions {
        mode: Mode::Strict,
        ..ReadOptions::default()
    };
    for (format, text, told) in [
        (Format::Seq, "\u{feff}\"a\"\n", "error seq-bom 1:1"),
        (Format::Seq, "\"a\"\n[]\n[]\n", "error seq-empty 3:1"),
        (Format::Trc, "\u{feff}a\n", "error trc-bom 1:1"),
        (Format::Trc, "a;;b\n", "error trc-empty 1:3"),
    ] {
        let (system, seen) = read_format(format, text.as_bytes(), &strict);
        assert_eq!(seen, [told]);
        assert!(system.is_none());
    }
    for (format, text) in [
        (Format::Seq, "\"a\"\n[]\n\"b\"\n"),
        (Format::Trc, "a;b\n"),
        (Format::Trc, ""),
    ] {
        let (_, seen) = read_format(format, text.as_bytes(), &strict);
        assert_eq!(seen, [""; 0]);
    }
}

#[test]
fn lts_to_seq() {
    let plain = |system: &Lts| {
        String::from_utf8(written_as(Format::Seq, system, &WriteOptions::default())).unwrap()
    };
    assert_eq!(plain(&lts(0, 1, &[])), "");
    // chains that come together, an initial state that is not 0
    let system = lts(
        3,
        5,
        &[
            (3, b"b", 1),
            (3, b"a", 2),
            (1, b"HIDDEN", 4),
            (2, b"c d", 4),
            (3, b"b", 1),
        ],
    );
    assert_eq!(
        plain(&lts(
            3,
            5,
            &[
                (3, b"b", 1),
                (3, b"a", 2),
                (1, b"HIDDEN", 4),
                (2, b"c d", 4),
                (4, b"e", 0)
            ]
        )),
        "\"b\"\n\"i\"\n\"e\"\n[]\n\"a\"\n\"c d\"\n\"e\"\n"
    );
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    // state 0 cannot be reached, which is told
    let mut codes = Vec::new();
    let mut out = Vec::new();
    write_lts(&system, Format::Seq, &mut out, &canonical, &mut |d| {
        codes.push(d.code)
    })
    .unwrap();
    assert_eq!(codes, ["chain-unreachable"]);
    assert_eq!(out, b"\"a\"\n\"c d\"\n[]\n\"b\"\n\"i\"\n");
    let numbered = WriteOptions {
        seq: WriteSeq { states: true },
        ..WriteOptions::default()
    };
    let system = lts(1, 3, &[(1, b"a", 0), (0, b"b", 2)]);
    let text = written_as(Format::Seq, &system, &numbered);
    assert_eq!(
        text,
        b"\x01state 1\x02\"a\"\n\x01state 0\x02\"b\"\x01state 2\x02\n"
    );
    is(seq(&text), 3, &[(0, "a", 1), (1, "b", 2)]);
}

#[test]
fn what_traces_cannot_express() {
    let default = WriteOptions::default();
    let both = |system: Lts, expected: [&[&str]; 2]| {
        for (format, expected) in [Format::Seq, Format::Trc].into_iter().zip(expected) {
            assert_eq!(refused(format, &system, &default), expected);
        }
    };
    let branching = lts(0, 4, &[(0, b"a", 1), (1, b"b", 2), (1, b"c", 3)]);
    both(branching, [&["chain-branching"], &["chain-branching"]]);
    for cycle in [
        &[(0, &b"a"[..], 0)][..],
        &[(0, b"a", 1), (1, b"b", 0)],
        &[(0, b"a", 1), (1, b"b", 2), (2, b"b", 1)],
        &[(0, b"a", 1), (1, b"b", 1)],
    ] {
        both(lts(0, 1, cycle), [&["chain-cycle"], &["chain-cycle"]]);
    }
    // what cannot be reached may have any form
    let elsewhere = lts(0, 2, &[(1, b"a", 1), (1, b"b", 0)]);
    assert_eq!(written_as(Format::Seq, &elsewhere, &default), b"");
    let one = |label: &[u8]| lts(0, 1, &[(0, label, 1)]);
    both(one(b"a\nb"), [&["seq-label"], &["trc-label"]]);
    assert_eq!(refused(Format::Seq, &one(b"a\"b"), &default), ["seq-label"]);
    assert_eq!(
        refused(Format::Seq, &one(b"i"), &default),
        ["label-like-hidden"]
    );
    assert_eq!(
        refused(Format::Trc, &one(b"tau"), &default),
        ["label-like-hidden"]
    );
    for label in [
        &b""[..],
        b"a ",
        b"a\t",
        b"a\r",
        b"\0a",
        b"a;b",
        b"\xef\xbb\xbfa",
        b"mCRL2Trace",
        b"\x1f\x8b",
        b"BZh91AY&SY",
    ] {
        assert_eq!(
            refused(Format::Trc, &one(label), &default),
            ["trc-label"],
            "{label:?}"
        );
    }
    let two = lts(0, 3, &[(0, b"a;b", 1), (1, b" i", 2)]);
    let text = written_as(Format::Trc, &two, &default);
    assert_eq!(text, b"a;b\n i\n");
    assert_same(&trc(&text).0.unwrap(), &two);
    let fork = lts(0, 3, &[(0, b"a", 1), (0, b"b", 2)]);
    assert_eq!(refused(Format::Trc, &fork, &default), ["chain-branching"]);
}

#[test]
fn plain_traces() {
    is(trc(b""), 1, &[]);
    is(trc(b" \r\n\n"), 1, &[]);
    let text = b"a(1, true)\r\n\na|b \t\ntau\n  c";
    is(
        trc(text),
        5,
        &[
            (0, "a(1, true)", 1),
            (1, "a|b", 2),
            (2, "HIDDEN", 3),
            (3, "  c", 4),
        ],
    );
    is(
        trc(b"a;tau ;b(1)\n\n"),
        4,
        &[(0, "a", 1), (1, "HIDDEN", 2), (2, "b(1)", 3)],
    );
    is(trc(b"a;b\nc\n"), 3, &[(0, "a;b", 1), (1, "c", 2)]);
    let (system, seen) = trc(b"\n a;;b;\n");
    assert_eq!(seen, ["warning trc-empty 2:4", "warning trc-empty 2:7"]);
    assert_eq!(system.unwrap().states(), 3);
    let (system, seen) = trc(b"\xef\xbb\xbfa\n");
    assert_eq!(seen, ["warning trc-bom 1:1"]);
    assert_same(&system.unwrap(), &lts(0, 2, &[(0, b"a", 1)]));
    // What commands tell beside traces.
    for (answer, place) in [
        ("deadlock: TRUE\na\n", "1:1"),
        ("FALSE\n*** trace of x\na\n", "1:1"),
        ("a\n*** from here on a cycle\n", "2:1"),
        ("a\nUNKNOWN\n", "2:1"),
    ] {
        let (system, seen) = trc(answer.as_bytes());
        assert_eq!(seen, [format!("warning trc-answer {place}")], "{answer}");
        assert_eq!(system.unwrap().states(), answer.lines().count() + 1);
    }
    for label in ["isTRUE", "a(TRUE)", "b TRUE", "***", "TRUE: a"] {
        let (_, seen) = trc(format!("{label}\n").as_bytes());
        assert_eq!(seen, [""; 0], "{label}");
    }
}

#[test]
fn binary_traces() {
    let binary = |system: &Lts| written_as(Format::Lts, system, &WriteOptions::default());
    let chain = lts(2, 4, &[(2, b"a", 0), (0, b"HIDDEN", 3), (3, b"b", 1)]);
    let (system, seen) = trc(&binary(&chain));
    assert_eq!(seen, [""; 0]);
    assert_same(&system.unwrap(), &chain);
    is_refused(
        trc(&binary(&lts(0, 3, &[(0, b"a", 1), (0, b"a", 2)]))),
        &[
            "error chain-branching: the initial state 0 has 2 transitions, of which a trace cannot have several",
        ],
    );
    is_refused(
        trc(&binary(&lts(0, 1, &[(0, b"a", 0)]))),
        &["error chain-cycle: state 0 lies on a cycle: a trace has finite sequences only"],
    );
    let (system, seen) = trc(&binary(&lts(0, 2, &[(1, b"a", 0), (1, b"b", 0)])));
    assert!(
        system.is_none() && seen.iter().any(|s| s.contains("trc-branching")),
        "{seen:?}"
    );
    let mut labels = StateLabels::new(vec![Parameter {
        values: vec![b"0".to_vec()],
        ..Parameter::default()
    }]);
    labels.push([&[0][..]]);
    labels.push([&[0][..], &[0]]);
    let merged = lts(0, 2, &[(0, b"a", 1)]).with_state_labels(labels);
    is_refused(
        trc(&binary(&merged)),
        &["error trc-state-label: state 1 has several labels, which states of a trace have not"],
    );
    let ancient = Source::from_bytes("f", b"mCRL2Trace...".to_vec(), Some(Format::Trc));
    assert!(ancient.is_err());
}

/// Bunches of chains as they are read: states in the order of the file.
fn bunches(
    label: impl Strategy<Value = Vec<u8>> + 'static,
    most: usize,
) -> impl Strategy<Value = Lts> {
    let label = prop_oneof![1 => Just(b"HIDDEN".to_vec()), 4 => label];
    let chain = prop::collection::vec(label, 1..8);
    prop::collection::vec(chain, 0..most).prop_map(|chains| {
        let mut all = Vec::new();
        let mut next = 1;
        for chain in &chains {
            let mut state = 0;
            for label in chain {
                all.push((state, &label[..], next));
                state = next;
                next += 1;
            }
        }
        lts(0, next.into(), &all)
    })
}

fn label() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => "[a-c]{1,2}( ![0-9])?".prop_map(String::into_bytes),
        2 => prop::collection::vec(any::<u8>(), 0..6),
        1 => Just(b"a;b".to_vec()),
    ]
}

proptest! {
    #[test]
    fn bunches_come_back_from_seq(system in bunches(label(), 5), states in any::<bool>()) {
        let odd = |l: &[u8]| l == b"i" || l.iter().any(|b| matches!(b, b'"' | b'\n'));
        let options = WriteOptions { seq: WriteSeq { states }, ..WriteOptions::default() };
        if system.table().visible().any(|(_, l)| odd(l)) {
            refused(Format::Seq, &system, &options);
        } else {
            let text = written_as(Format::Seq, &system, &options);
            let (again, seen) = seq(&text);
            prop_assert_eq!(seen, [""; 0]);
            assert_same(&again.unwrap(), &system);
        }
    }

    #[test]
    fn chains_come_back_from_trc(system in bunches(label(), 2)) {
        let mut out = Vec::new();
        let options = WriteOptions::default();
        if write_lts(&system, Format::Trc, &mut out, &options, &mut |_| ()).is_ok() {
            let (again, mut seen) = trc(&out);
            seen.retain(|told| !told.starts_with("warning trc-answer"));
            prop_assert_eq!(seen, [""; 0]);
            assert_same(&again.unwrap(), &system);
        } else {
            let odd = |l: &[u8]| {
                l.is_empty() || l == b"tau" || l.contains(&0) || l.contains(&b'\n')
                    || l.contains(&b';') || l.ends_with(b" ") || l.ends_with(b"\t")
                    || l.ends_with(b"\r") || l.starts_with(b"\xef\xbb\xbf")
            };
            prop_assert!(system.table().visible().any(|(_, l)| odd(l)));
        }
    }

    #[test]
    fn anything_is_read_or_refused(
        pieces in prop::collection::vec(
            prop_oneof![
                3 => prop::sample::select(vec![
                    "\"", "\n", "[]", "<deadlock>", "\x01", "\x02", " ", "a", ";", "\r", "[", "*** ",
                ]).prop_map(|s| s.as_bytes().to_vec()),
                1 => prop::collection::vec(any::<u8>(), 0..3),
            ],
            0..40,
        ),
    ) {
        let text = pieces.concat();
        for format in [Format::Seq, Format::Trc] {
            if text.first() == Some(&0) {
                continue;
            }
            if let (Some(system), _) = read_format(format, &text, &ReadOptions::default()) {
                let options = WriteOptions {
                    visible_i: Some(b"visible".to_vec()),
                    ..WriteOptions::default()
                };
                let mut out = Vec::new();
                if write_lts(&system, format, &mut out, &options, &mut |_| ()).is_ok() {
                    let (again, mut seen) = read_format(format, &out, &ReadOptions::default());
                    seen.retain(|told| !told.starts_with("warning trc-answer"));
                    prop_assert_eq!(seen, [""; 0]);
                    assert_same(&again.unwrap(), &system);
                }
            }
        }
    }
}
