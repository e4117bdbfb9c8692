//! TSV: round trips, every diagnostic, the same outcome however a file is cut.

use crate::common;

use common::*;
use hyades_formats::*;
use proptest::prelude::*;

fn read(text: &str) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Tsv, text.as_bytes(), &ReadOptions::default())
}

#[track_caller]
fn rejects(text: &str, expected: &[&str]) {
    assert_rejected(Format::Tsv, text, expected);
}

#[track_caller]
fn gives(text: &str, initial: u32, states: usize, expected: &[(u32, &str, u32)]) {
    assert_read(Format::Tsv, text, (initial, states), expected);
}

#[test]
fn with_and_without_header() {
    gives(
        "# lts states=4 transitions=2 initial=3\n0\tPUSH !1\t1\n1\ti\t2\n",
        3,
        4,
        &[(0, "PUSH !1", 1), (1, "<hidden>", 2)],
    );
    gives("0\ta b\t1\n7\t\t2\n", 0, 8, &[(0, "a b", 1), (7, "", 2)]);
    // any order, some left out, other blanks, CR LF
    gives(
        "# lts  initial=1\tstates=2 \r\n0\ta\t1\r\n",
        1,
        2,
        &[(0, "a", 1)],
    );
    gives("# lts\n0\ta\t1\n", 0, 2, &[(0, "a", 1)]);
    gives("# lts states=3 transitions=0 initial=2\n", 2, 3, &[]);
    gives("# lts initial=5\n", 5, 6, &[]);
    gives(
        "# lts\n\n1\ta\t0\n\n\n0\tb\t1\n",
        0,
        2,
        &[(0, "b", 1), (1, "a", 0)],
    );
    // bytes are bytes
    gives(
        "0\t\"q\" \\n,\u{e4}\u{0}#\t1\n",
        0,
        2,
        &[(0, "\"q\" \\n,\u{e4}\u{0}#", 1)],
    );
    gives("0000000000\ta\t00000000001\n", 0, 2, &[(0, "a", 1)]);
}

#[test]
fn bad_headers() {
    rejects("", &["error tsv-empty 1:1"]);
    rejects("\n\n", &["error tsv-empty 1:1"]);
    rejects("# lts states=0\n", &["error tsv-no-states 1:14"]);
    rejects(
        "# lts states=2 initial=2\n",
        &["error tsv-state-range 1:24"],
    );
    rejects("# lts states=2 initial=x\n", &["error tsv-number 1:24"]);
    rejects("# lts states=-2\n", &["error tsv-number 1:14"]);
    rejects("# lts states=\n", &["error tsv-number 1:14"]);
    rejects("# lts states=4294967295\n", &["error tsv-number 1:14"]);
    rejects(
        "# lts states=99999999999999999999\n",
        &["error tsv-number 1:14"],
    );
    rejects("# lts states=1 states=1\n", &["error tsv-header 1:16"]);
    rejects("# lts edges=1\n", &["error tsv-header 1:7"]);
    rejects("# lts states 1\n", &["error tsv-header 1:7"]);
    rejects("# ltsstates=1\n", &["error tsv-header 1:6"]);
}

#[test]
fn cut_off() {
    rejects("0\ta\t1", &["error tsv-no-newline 1:6"]);
    rejects("# lts", &["error tsv-no-newline 1:6"]);
    rejects("# lts states=8", &["error tsv-no-newline 1:15"]);
    rejects(
        "# lts states=13 transitions=1 initial=0\n0\ta\t1",
        &["error tsv-no-newline 2:6"],
    );
    for (text, seen) in [
        ("0\ta\t1", "warning tsv-no-newline 1:6"),
        ("# lts states=8", "warning tsv-no-newline 1:15"),
    ] {
        let (lts, warnings) = read_format(Format::Tsv, text.as_bytes(), &mode(Mode::Lenient));
        assert!(lts.is_some());
        assert_eq!(warnings, [seen]);
    }
}

#[test]
fn bad_lines() {
    rejects("src\tlabel\tdst\n", &["error tsv-number 1:1"]);
    rejects("0\ta\n", &["error tsv-columns 1:4"]);
    rejects("0 a 1\n", &["error tsv-columns 1:1"]);
    rejects("# a comment\n", &["error tsv-columns 1:1"]);
    rejects("0\ta\tb\t1\n", &["error tsv-columns 1:6"]);
    rejects("0\ta\t\n", &["error tsv-number 1:5"]);
    rejects("\ta\t0\n", &["error tsv-number 1:1"]);
    rejects("0\ta\t1 \n", &["error tsv-number 1:5"]);
    rejects("0\ta\t+1\n", &["error tsv-number 1:5"]);
    rejects("0\ta\t4294967294\n", &["error tsv-number 1:5"]);
    rejects("0\ta\rb\t1\n", &["error tsv-label 1:4"]);
    rejects(
        "\u{feff}0\ta\n",
        &["warning tsv-bom 1:1", "error tsv-columns 1:4"],
    );
    rejects(
        "# lts states=2\n0\ta\t1\n2\ta\t3\n",
        &["error tsv-state-range 3:1", "error tsv-state-range 3:5"],
    );
    rejects("# lts transitions=2\n0\ta\t1\n", &["error tsv-count 3:1"]);
    rejects(
        "# lts transitions=1\n0\ta\t1\n\n0\tb\t1\n",
        &["error tsv-count 4:1"],
    );
}

#[test]
fn tolerated() {
    let (lts, seen) = read("\u{feff}0\ta\t1\n");
    assert!(lts.is_some());
    assert_eq!(seen, ["warning tsv-bom 1:1"]);
    let (lts, seen) = read("\n0\ta\t1\n");
    assert!(lts.is_some());
    assert_eq!(seen, ["warning tsv-blank-before-header 1:1"]);
    let (lts, seen) = read("0\ttau\t1\n");
    assert!(lts.is_some());
    assert_eq!(seen, ["warning tsv-tau-hint 1:3"]);
    let strict = mode(Mode::Strict);
    let text = "\u{feff}0\ta\t1\n".as_bytes();
    assert_eq!(
        read_format(Format::Tsv, text, &strict).1,
        ["error tsv-bom 1:1"]
    );
    let (lts, seen) = read_format(Format::Tsv, b"0\ta\t1\n\n", &mode(Mode::Strict));
    assert!(lts.is_some());
    assert_eq!(seen, ["warning tsv-blank-line 2:1"]);
    let text = b"# lts states=2 transitions=5\n0\ta\t1\n";
    let (lts, seen) = read_format(Format::Tsv, text, &mode(Mode::Lenient));
    assert_eq!(lts.unwrap().transitions(), 1);
    assert_eq!(seen, ["warning tsv-count 3:1"]);
    let grow = ReadOptions {
        grow: true,
        ..ReadOptions::default()
    };
    let (lts, seen) = read_format(Format::Tsv, b"# lts states=2\n0\ta\t4\n", &grow);
    assert_eq!(lts.unwrap().states(), 5);
    assert_eq!(seen, ["warning tsv-state-range 2:5"]);
    let short = ReadOptions {
        max_line: 6,
        ..ReadOptions::default()
    };
    for text in ["0\tabc\t1\n", "# lts states=1\n"] {
        let (_, seen) = read_format(Format::Tsv, text.as_bytes(), &short);
        assert_eq!(seen, ["error tsv-line-length 1:1"]);
    }
}

#[test]
fn written_form() {
    let system = lts(
        2,
        4,
        &[
            (2, b"x\"y", 0),
            (0, b"HIDDEN", 3),
            (2, b"a", 1),
            (2, b"a", 1),
        ],
    );
    let plain = WriteOptions::default();
    assert_eq!(
        written_as(Format::Tsv, &system, &plain),
        b"# lts states=4 transitions=4 initial=2\n0\ti\t3\n2\tx\"y\t0\n2\ta\t1\n2\ta\t1\n"
    );
    let canonical = WriteOptions {
        canonical: true,
        ..plain
    };
    assert_eq!(
        written_as(Format::Tsv, &system, &canonical),
        b"# lts states=4 transitions=3 initial=0\n0\ta\t1\n0\tx\"y\t2\n2\ti\t3\n"
    );
}

#[test]
fn labels_that_cannot_be_written() {
    for label in ["a\tb", "a\nb", "a\rb"] {
        let system = lts(0, 1, &[(0, label.as_bytes(), 0)]);
        let codes = refused(Format::Tsv, &system, &WriteOptions::default());
        assert_eq!(codes, ["tsv-label"], "{label:?}");
    }
    let system = lts(0, 1, &[(0, b"i", 0)]);
    let codes = refused(Format::Tsv, &system, &WriteOptions::default());
    assert_eq!(codes, ["label-like-hidden"]);
    let renamed = WriteOptions {
        visible_i: Some(b"eye".to_vec()),
        ..WriteOptions::default()
    };
    let text = written_as(Format::Tsv, &system, &renamed);
    assert!(text.ends_with(b"0\teye\t0\n"));
}

fn label() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => "[a-c !\"#\\\\]{0,20}".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..40),
    ]
    .prop_map(|mut label| {
        label.retain(|b| !b"\t\n\r".contains(b));
        label
    })
    .prop_filter("`i` is hidden", |label| label != b"i")
}

/// Lines in order, nearly so, or not at all.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        6 => (0u32..12).prop_map(|n| n.to_string()),
        2 => (0u32..200_000).prop_map(|n| n.to_string()),
        // beyond what fits
        1 => prop::sample::select(vec!["4294967294".to_owned(), "12345678901".to_owned()]),
        1 => "0{0,9}[0-9]{0,2}[ -x]?",
    ];
    let label = prop_oneof![
        4 => "[a-ci]{0,3}",
        1 => "[a-c \t\r]{0,40}",
        1 => Just("tau".to_owned()),
    ];
    let end = prop_oneof![9 => Just(""), 2 => Just("\r"), 1 => Just("\r\r")];
    prop_oneof![
        9 => (number.clone(), label, number, end)
            .prop_map(|(s, l, t, e)| format!("{s}\t{l}\t{t}{e}").into_bytes()),
        1 => prop::collection::vec(prop::sample::select(b"0\t#a\r ".to_vec()), 0..6),
    ]
}

proptest! {
    #[test]
    fn systems_come_back(system in systems(label()), canonical in any::<bool>()) {
        let options = WriteOptions { canonical, ..WriteOptions::default() };
        let text = written_as(Format::Tsv, &system, &options);
        let (again, seen) = read_format(Format::Tsv, &text, &ReadOptions {
            hidden: vec![b"i".to_vec()],
            ..ReadOptions::default()
        });
        prop_assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        if canonical {
            prop_assert_eq!(written_as(Format::Tsv, &again, &options), text);
        } else {
            assert_same(&again, &system);
        }
    }

    #[test]
    fn however_it_is_cut(
        lines in prop::collection::vec(line(), 0..20),
        header in prop::option::of(0u32..15),
        grow in any::<bool>(),
        last in any::<bool>(),
    ) {
        let mut text = header.map_or(Vec::new(), |n| format!("# lts states={n}\n").into_bytes());
        text.extend(lines.join(&b'\n'));
        if last {
            text.push(b'\n');
        }
        let options = ReadOptions { grow, ..ReadOptions::default() };
        assert_same_however_cut(Format::Tsv, &text, &options);
    }
}

#[test]
fn numbers_without_states_cost_no_memory() {
    for text in ["0\ta\t4000000000\n", "# lts initial=4000000000\n"] {
        let (lts, seen) = read(text);
        assert!(lts.is_none());
        assert!(seen[0].starts_with("error tsv-state-range: "), "{seen:?}");
    }
    // who announces them may mean it, but is asked
    let text = "\n# lts transitions=1 states=20000000\n0\ta\t1\n";
    let (lts, seen) = read(text);
    assert!(lts.is_none());
    let asked = [
        "warning tsv-blank-before-header 1:1",
        "error tsv-state-range 2:28",
    ];
    assert_eq!(seen, asked);
    let lenient = ReadOptions {
        mode: Mode::Lenient,
        ..ReadOptions::default()
    };
    let (lts, seen) = read_format(Format::Tsv, text.as_bytes(), &lenient);
    assert_eq!(lts.unwrap().states(), 20_000_000);
    assert_eq!(seen[1], "warning tsv-state-range 2:28");
    gives("# lts states=16777216\n", 0, 1 << 24, &[]);
}
