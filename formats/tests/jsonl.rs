//! JSON Lines: round trips, every diagnostic, the same outcome however a file
//! is cut.

use crate::common;

use common::*;
use hyades_formats::*;
use proptest::prelude::*;

const HEAD: &str =
    "{\"lts\":1,\"states\":4,\"transitions\":null,\"initial\":0,\"hidden\":[\"i\"]}\n";

fn read(text: &str) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Jsonl, text.as_bytes(), &ReadOptions::default())
}

#[track_caller]
fn rejects(text: &str, expected: &[&str]) {
    assert_rejected(Format::Jsonl, text, expected);
}

#[track_caller]
fn gives(text: &str, initial: u32, states: usize, expected: &[(u32, &str, u32)]) {
    assert_read(Format::Jsonl, text, (initial, states), expected);
}

#[test]
fn headers() {
    gives(
        "{\"lts\":1,\"states\":4,\"transitions\":2,\"initial\":3,\"hidden\":[\"i\"]}\n\
         [0,\"PUSH !1\",1]\n[1,\"i\",2]\n",
        3,
        4,
        &[(0, "PUSH !1", 1), (1, "<hidden>", 2)],
    );
    gives(
        "{\"lts\":1,\"states\":null,\"transitions\":null,\"initial\":null}\n[7,\"i\",2]",
        0,
        8,
        &[(7, "<hidden>", 2)],
    );
    gives("{\"lts\":1}", 0, 1, &[]);
    // any order, blanks, keys of later versions
    gives(
        " { \"initial\" : 1 , \"lts\" : 1, \"by\": {\"a\": [null]} }\r\n [ 0 , \"a\" , 1 ]\r\n",
        1,
        2,
        &[(0, "a", 1)],
    );
    // the file tells what is hidden
    gives(
        "{\"lts\":1,\"hidden\":[\"tau\",\"x\"]}\n[0,\"tau\",0]\n[0,\"i\",0]\n[0,\"x\",0]\n",
        0,
        1,
        &[(0, "<hidden>", 0), (0, "i", 0), (0, "<hidden>", 0)],
    );
    gives(
        "{\"lts\":1,\"hidden\":[]}\n[0,\"i\",0]\n",
        0,
        1,
        &[(0, "i", 0)],
    );
    // and the user knows better
    let options = ReadOptions {
        hidden: vec![b"a".to_vec()],
        ..ReadOptions::default()
    };
    let text = format!("{HEAD}[0,\"a\",0]\n[0,\"i\",0]\n");
    let (lts, _) = read_format(Format::Jsonl, text.as_bytes(), &options);
    assert_eq!(
        transitions(&lts.unwrap()),
        [(0, b"<hidden>".to_vec(), 0), (0, b"i".to_vec(), 0)]
    );
}

#[test]
fn labels_have_escapes() {
    gives(
        &format!("{HEAD}[0,\"\",1]\n[0,\"\\\"\\\\\\/\\n\\u00e4\\ud83d\\ude00\u{e4}\",1]\n"),
        0,
        4,
        &[(0, "", 1), (0, "\"\\/\n\u{e4}\u{1f600}\u{e4}", 1)],
    );
    // the same label however it is written
    let (lts, _) = read(&format!("{HEAD}[0,\"a\",1]\n[0,\"\\u0061\",1]\n"));
    assert_eq!(lts.unwrap().table().len(), 2);
}

#[test]
fn bad_headers() {
    rejects("", &["error jsonl-no-header 1:1"]);
    rejects("[0,\"a\",1]\n", &["error jsonl-no-header 1:1"]);
    rejects(" x\n", &["error jsonl-no-header 1:2"]);
    rejects("{}\n", &["error jsonl-header 1:2"]);
    rejects("{\"lts\":2}\n", &["error jsonl-header 1:8"]);
    for number in ["-1", "1.0", "\"1\"", "99999999999999999999", "[1]"] {
        for key in ["states", "transitions", "initial"] {
            rejects(
                &format!("{{\"lts\":1,\"{key}\": {number}}}\n"),
                &[&format!("error jsonl-number 1:{}", 14 + key.len())],
            );
        }
    }
    rejects("{\"lts\":null}\n", &["error jsonl-number 1:8"]);
    // a name that is a text there is no key
    rejects(
        "{\"lts\":1,\"hidden\":[\"states\"],\"states\":-1}\n",
        &["error jsonl-number 1:39"],
    );
    rejects(
        "{\"lts\":1,\"states\":1,\"states\":1}\n",
        &["error jsonl-header 1:28"],
    );
    rejects(
        "{\"lts\":1,\"states\":4294967295}\n",
        &["error jsonl-header 1:19"],
    );
    rejects(
        "{\"lts\":1,\"initial\":4294967294}\n",
        &["error jsonl-header 1:20"],
    );
    rejects(
        "{\"lts\":1,\"hidden\":\"i\"}\n",
        &["error jsonl-header 1:21"],
    );
    rejects("{\"lts\":1\n", &["error jsonl-header 1:8"]);
    rejects("{\"lts\":1} x\n", &["error jsonl-header 1:11"]);
    rejects(
        "{\"lts\":1,\"states\":0}\n",
        &["error jsonl-no-states 1:19"],
    );
    rejects(
        "{\"lts\":1,\"states\":2,\"initial\":2}\n",
        &["error jsonl-state-range 1:31"],
    );
    // however deep
    let deep = format!("{{\"lts\":1,\"x\":{}", "[".repeat(100_000));
    rejects(&deep, &["error jsonl-header 1:100013"]);
}

#[test]
fn bad_lines() {
    let bad = |line: &str, expected: &[&str]| {
        rejects(&format!("{HEAD}{line}"), expected);
    };
    bad("[0,\"a\"]\n", &["error jsonl-syntax 2:7"]);
    bad("[0,\"a\",1,2]\n", &["error jsonl-syntax 2:9"]);
    bad("[0,\"a\",1\n", &["error jsonl-syntax 2:8"]);
    bad("[0,\"a\",1]]\n", &["error jsonl-syntax 2:10"]);
    for number in [
        "00",
        "-1",
        "1.0",
        "1e0",
        "\"0\"",
        "null",
        "99999999999999999999",
    ] {
        bad(
            &format!("[{number},\"a\",1]\n"),
            &["error jsonl-number 2:2"],
        );
        bad(
            &format!("[0,\"a\", {number}]\n"),
            &["error jsonl-number 2:9"],
        );
    }
    bad("[0,a,1]\n", &["error jsonl-syntax 2:4"]);
    bad("[0,\"a\tb\",1]\n", &["error jsonl-syntax 2:6"]);
    for escape in ["\\ud800", "\\udc00", "\\ud800\\ud800", "\\u12", "\\x"] {
        bad(
            &format!("[0,\"a{escape}\",1]\n"),
            &["error jsonl-syntax 2:6"],
        );
    }
    bad("{\"src\":0}\n", &["error jsonl-syntax 2:1"]);
    bad("0\ta\t1\n", &["error jsonl-syntax 2:1"]);
    bad(
        "[4294967294,\"a\", 4294967294]\n",
        &["error jsonl-number 2:2", "error jsonl-number 2:18"],
    );
    bad(
        "[5, \"a\", 4]\n",
        &[
            "error jsonl-state-range 2:2",
            "error jsonl-state-range 2:10",
        ],
    );
    let text = [HEAD.as_bytes(), b"[0,\"a\xff\",1]\n"].concat();
    let (lts, seen) = read_format(Format::Jsonl, &text, &ReadOptions::default());
    assert!(lts.is_none());
    assert_eq!(seen, ["error jsonl-syntax 2:6"]);
    rejects(
        "{\"lts\":1,\"transitions\":2}\n[0,\"a\",1]\n",
        &["error jsonl-count 3:1"],
    );
    rejects(
        "{\"lts\":1,\"transitions\":0}\n \n[0,\"a\",1]\n",
        &["error jsonl-count 3:1"],
    );
}

/// What is wrong is told in words of the format, not in those of a parser.
#[test]
fn messages() {
    for (line, expected) in [
        (
            "[-1,\"a\",1]",
            "expected a state number, from 0, in plain digits, found `-1`",
        ),
        (
            "[0,\"a\",99999999999999999999]",
            "`99999999999999999999` is too large for a state: at most 4294967293",
        ),
        (
            "[0,\"a\",1,2]",
            "expected `]`, as a transition is a source, a label and a target, found `,`",
        ),
        (
            "[0,7,1]",
            "expected a label between double quotes, found `7`",
        ),
        (
            "[0,\"\\ud800\",1]",
            "an escape for one half of a pair of surrogates: expected both, such as \
             `\\ud83d\\ude00`, as labels are Unicode texts",
        ),
        (
            "[0,\"a\",1] x",
            "expected the end of the line behind the transition, found `x`",
        ),
    ] {
        let text = format!("{HEAD}{line}\n").into_bytes();
        let source = Source::from_bytes("f", text, Some(Format::Jsonl)).unwrap();
        let mut told = Vec::new();
        let _ = read_lts(source, &ReadOptions::default(), &mut |d| told.push(d.text));
        assert_eq!(told, [expected], "{line}");
    }
}

proptest! {
    /// Lines that are nearly transitions are read if they are in JSON, and told of in words
    /// of the format if not.
    #[test]
    fn odd_lines(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "[", "]", ",", " ", "0", "1", "-", ".", "\"", "a", "\\", "\\u", "d83d", "\\ude00",
                "[0,\"a\",1]", "[0,\"", "\",1]", "\u{e9}", "\t",
            ]),
            1..9,
        ),
    ) {
        let line = parts.concat();
        let transition = serde_json::from_str::<(u64, String, u64)>(&line);
        let text = format!("{HEAD}{line}\n").into_bytes();
        let source = Source::from_bytes("f", text, Some(Format::Jsonl)).unwrap();
        let mut told = Vec::new();
        let lts = read_lts(source, &ReadOptions::default(), &mut |d| told.push(d.text));
        let is_read = lts.is_ok_and(|lts| lts.transitions() == 1);
        let is_in_order = transition.is_ok_and(|(source, _, target)| source.max(target) < 4);
        prop_assert_eq!(is_read, is_in_order, "{}: {:?}", line, told);
        for text in told {
            prop_assert!(!text.contains("u64") && !text.contains("hex escape"), "{line}: {text}");
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    let system = lts(0, 3, &[(0, b"a", 1), (1, b"HIDDEN", 2), (2, b"\"x\"", 0)]);
    let text = written_as(Format::Jsonl, &system, &WriteOptions::default());
    for length in 0..text.len() - 1 {
        let (lts, seen) = read_format(Format::Jsonl, &text[..length], &ReadOptions::default());
        assert!(lts.is_none(), "{length} bytes");
        assert!(seen[0].starts_with("error jsonl-"), "{seen:?}");
    }
}

#[test]
fn tolerated() {
    let with = |before: &str, after: &str, options: &ReadOptions| {
        let text = format!("{before}{HEAD}{after}");
        let (lts, seen) = read_format(Format::Jsonl, text.as_bytes(), options);
        (lts.is_some(), seen)
    };
    let plain = ReadOptions::default();
    let strict = mode(Mode::Strict);
    let told = |ok: bool, text: &str| (ok, vec![text.to_owned()]);
    assert_eq!(
        with("\u{feff}", "", &plain),
        told(true, "warning jsonl-bom 1:1")
    );
    assert_eq!(
        with("\u{feff}", "", &strict),
        told(false, "error jsonl-bom 1:1")
    );
    let blank = "warning jsonl-blank-before-header 1:1";
    assert_eq!(with("\n", "", &plain), told(true, blank));
    let blank = "warning jsonl-blank-line 2:1";
    assert_eq!(with("", "\n[0,\"a\",1]\n", &strict), told(true, blank));
    let grow = ReadOptions {
        grow: true,
        ..ReadOptions::default()
    };
    let far = "warning jsonl-state-range 2:8";
    assert_eq!(with("", "[0,\"a\",4]\n", &grow), told(true, far));
    let short = ReadOptions {
        max_line: 10,
        ..ReadOptions::default()
    };
    assert_eq!(
        with("", "", &short),
        told(false, "error jsonl-line-length 1:1")
    );
    let text = "{\"lts\":1}\n[0,\"aaaa\",1]\n";
    let (_, seen) = read_format(Format::Jsonl, text.as_bytes(), &short);
    assert_eq!(seen, ["error jsonl-line-length 2:1"]);
    let text = "{\"lts\":1}\n[0, \"tau\",1]\n";
    let (_, seen) = read_format(Format::Jsonl, text.as_bytes(), &plain);
    assert_eq!(seen, ["warning jsonl-tau-hint 2:5"]);
}

#[test]
fn written_form() {
    let system = lts(
        2,
        4,
        &[
            (2, b"\"\\\n\r\t\x01\x7f\xc3\xa4", 0),
            (0, b"HIDDEN", 3),
            (2, b"a", 1),
        ],
    );
    assert_eq!(
        String::from_utf8(written_as(Format::Jsonl, &system, &WriteOptions::default())).unwrap(),
        "{\"lts\":1,\"states\":4,\"transitions\":3,\"initial\":2,\"hidden\":[\"i\"]}\n\
         [0,\"i\",3]\n[2,\"\\\"\\\\\\n\\r\\t\\u0001\u{7f}\u{e4}\",0]\n[2,\"a\",1]\n"
    );
    let bytes = lts(0, 1, &[(0, b"a\xff", 0)]);
    assert_eq!(
        refused(Format::Jsonl, &bytes, &WriteOptions::default()),
        ["jsonl-utf8"]
    );
    let visible = lts(0, 1, &[(0, b"i", 0)]);
    let codes = refused(Format::Jsonl, &visible, &WriteOptions::default());
    assert_eq!(codes, ["label-like-hidden"]);
}

/// Lines in order, nearly so, or not at all.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        6 => (0u32..12).prop_map(|n| n.to_string()),
        2 => (0u32..200_000).prop_map(|n| n.to_string()),
        // beyond what fits
        1 => prop::sample::select(vec!["4294967294".to_owned(), "12345678901".to_owned()]),
        1 => "0{0,2}[0-9]{0,2}[ -x]?",
    ];
    let label = prop_oneof![
        4 => "[a-ci]{0,3}".prop_map(String::into_bytes),
        1 => "[a-c,\\]\\[\"\\\\nu0\t]{0,40}".prop_map(String::into_bytes),
        1 => Just("\u{e4}tau".as_bytes().to_vec()),
        1 => Just(b"\xc3".to_vec()),
    ];
    let blank = prop_oneof![9 => Just(""), 1 => Just(" ")];
    let end = prop_oneof![9 => Just("\""), 2 => Just("\" "), 1 => Just("")];
    (number.clone(), blank, label, end, number, "\\]?\r?").prop_map(|(s, b, l, q, t, e)| {
        let start = format!("[{s},{b}\"");
        [
            start.as_bytes(),
            &l,
            q.as_bytes(),
            format!(",{t}{e}").as_bytes(),
        ]
        .concat()
    })
}

proptest! {
    #[test]
    fn systems_come_back(
        system in systems("\\PC{0,12}|[\\\\\"\\n\t\r\u{0}a]{0,5}".prop_map(String::into_bytes)
            .prop_filter("`i` is hidden", |label| label != b"i")),
        canonical in any::<bool>(),
    ) {
        let options = WriteOptions { canonical, ..WriteOptions::default() };
        let text = written_as(Format::Jsonl, &system, &options);
        let (again, seen) = read_format(Format::Jsonl, &text, &ReadOptions::default());
        prop_assert_eq!(seen, [""; 0]);
        let again = again.unwrap();
        if canonical {
            prop_assert_eq!(written_as(Format::Jsonl, &again, &options), text);
        } else {
            assert_same(&again, &system);
        }
    }

    #[test]
    fn however_it_is_cut(
        lines in prop::collection::vec(line(), 0..20),
        grow in any::<bool>(),
        last in any::<bool>(),
    ) {
        let mut text = HEAD.as_bytes().to_vec();
        text.extend(lines.join(&b'\n'));
        if last {
            text.push(b'\n');
        }
        let options = ReadOptions { grow, ..ReadOptions::default() };
        assert_same_however_cut(Format::Jsonl, &text, &options);
    }
}
