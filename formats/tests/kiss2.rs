//! KISS2 files: what is read, what is refused, what is written.

use std::collections::BTreeSet;

use crate::common;

use common::{known, lts, read_format, rows, transitions, written_in};
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;
use proptest::prelude::*;

fn read_with(text: &str, options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Kiss2, text.as_bytes(), options)
}

fn read(text: &str) -> (Option<Lts>, Vec<String>) {
    read_with(text, &ReadOptions::default())
}

/// The LTS of a file about which there is nothing to say.
#[track_caller]
fn clean(text: &str) -> Lts {
    let (lts, told) = read(text);
    assert_eq!(told, [""; 0], "{text}");
    lts.unwrap()
}

fn as_mealy() -> ReadOptions {
    ReadOptions {
        mealy: Some(ReadMealy::default()),
        ..ReadOptions::default()
    }
}

fn written(lts: &Lts) -> Result<String, Vec<&'static str>> {
    let text = written_in(Format::Kiss2, lts, &WriteOptions::default());
    text.map(|text| String::from_utf8(text).unwrap())
}

/// The names of states, one a state.
fn names(lts: &Lts) -> Vec<String> {
    known(lts)
        .into_iter()
        .map(|state| state.concat().concat())
        .collect()
}

#[test]
fn rows_stand_for_all_their_inputs() {
    let text = ".i 2\n.o 1\n.p 4\n.s 3\n.r b\n\
                -- a c - # any\n\t1-  b  a 1\r\n\n0- b b 0\n# no row\n00 c b 0\n.e\n";
    let lts = clean(text);
    assert_eq!(names(&lts), ["b", "a", "c"]);
    assert_eq!(lts.initial().get(), 0);
    let expected = [
        "0 10/1 1", "0 11/1 1", "0 00/0 0", "0 01/0 0", "1 00/- 2", "1 01/- 2", "1 10/- 2",
        "1 11/- 2", "2 00/0 0",
    ];
    assert_eq!(rows(&lts), expected);
    // a reset state may come last, and counts may be left out
    let text = ".i 2\n.o 1\n-- a c -\n1- b a 1\n0- b b 0\n00 c b 0\n.r b";
    assert_eq!(rows(&clean(text)), expected);
}

#[test]
fn states_are_numbered_as_they_appear() {
    let lts = clean(".i 1\n.o 1\n0 s0 s1 0\n1 s0 s2 0\n0 s2 s0 1\n.end\n");
    assert_eq!(rows(&lts), ["0 0/0 1", "0 1/0 2", "2 0/1 0"]);
    assert!(lts.state_labels().is_none());
    let lts = clean(".i 1\n.o 1\n0 s1 s0 0\n");
    assert_eq!(names(&lts), ["s1", "s0"]);
    let lts = clean(".i 1\n.o 1\n.r only\n.s 1\n.p 0\n");
    assert_eq!((lts.states(), lts.transitions()), (1, 0));
    // `*` and `-` are any present state; the first that is named is initial
    let lts = clean(".i 1\n.o 1\n1 * off 0\n0 - on 1\n0 on off 1\n");
    assert_eq!(names(&lts), ["on", "off"]);
    assert_eq!(
        rows(&lts),
        ["0 1/0 1", "0 0/1 0", "0 0/1 1", "1 1/0 1", "1 0/1 0"]
    );
    // what comes next is not said
    let (lts, told) = read(".i 1\n.o 1\n.p 2\n.s 1\n0 s0 s0 1\n1 s0 * -\n");
    assert_eq!(told, ["warning kiss2-next 6:6"]);
    assert_eq!(rows(&lts.unwrap()), ["0 0/1 0"]);
}

#[test]
fn fields_may_be_symbols() {
    let lts = clean(".i 2\n.o 3\ncoin/1 s0 s1 ok\n10 s0 s1 1-\n- s1 s0 no/-\n");
    assert_eq!(
        rows(&lts),
        [
            "0 coin/1 / ok 1",
            "0 10/1- 1",
            "1 coin/1 / no/- 0",
            "1 10/no/- 0"
        ]
    );
    // one variable of any number of values
    clean(".i 1\n.o 1\na s0 s0 x\nb s0 s0 y\nc s0 s0 x\n");
    let (lts, told) = read(".i 2\n.o 3\na s0 s0 x\nb s0 s0 y\nc s0 s0 x\n");
    assert_eq!(told, ["warning kiss2-count 1:1", "warning kiss2-count 2:1"]);
    assert!(lts.is_some());
    let options = ReadOptions {
        mealy: Some(ReadMealy {
            syntax: MealySyntax {
                separator: Some(b"#".to_vec()),
                alternatives: Some(b"|".to_vec()),
                ..MealySyntax::default()
            },
            ..ReadMealy::default()
        }),
        ..ReadOptions::default()
    };
    let (lts, told) = read_with(".i 1\n.o 1\na|b s0 s0 x\n", &options);
    assert_eq!(told, [""; 0]);
    assert_eq!(rows(&lts.unwrap()), ["0 a/x 0", "0 b/x 0"]);
}

#[test]
fn what_is_wrong() {
    let wide = "-".repeat(17);
    let states: String = (0..1100)
        .map(|k| format!("00000000000000 q{k} q0 1\n"))
        .collect();
    for (text, expected) in [
        ("0 s0 s1\n", "error kiss2-row 3:8"),
        ("0 s0 s1 1 1\n", "error kiss2-row 3:11"),
        ("0 s0 s1 # 1\n", "error kiss2-row 3:8"),
        ("00 s0 s1 1\n", "error kiss2-width 3:1"),
        ("0 s0 s1 1\n1 s0 s1 10\n", "error kiss2-width 4:9"),
        (".p 2\n0 s0 s1 1\n", "error kiss2-count 3:1"),
        (".s 3\n0 s0 s1 1\n", "error kiss2-count 3:1"),
        (".s x\n0 s0 s1 1\n", "error kiss2-directive 3:1"),
        (
            ".s 99999999999999999999\n0 s0 s1 1\n",
            "error kiss2-directive 3:1",
        ),
        (".s 2 2\n0 s0 s1 1\n", "error kiss2-directive 3:1"),
        (".i 1\n0 s0 s1 1\n", "error kiss2-directive 3:1"),
        (".r s0\n.r s0\n0 s0 s1 1\n", "error kiss2-directive 4:1"),
        (".r\n0 s0 s1 1\n", "error kiss2-directive 3:1"),
        (".r *\n0 s0 s1 1\n", "error kiss2-directive 3:1"),
        ("-0 s0 s1 1\na s0 s1 1\n", "error kiss2-input 3:1"),
        (
            "",
            "error kiss2-empty: no states: expected rows `INPUT STATE NEXT OUTPUT` that name \
              some, or a reset state `.r STATE`",
        ),
        (".e\n0 s0 s1 1\n", "warning kiss2-after-end 4:1"),
    ] {
        let (lts, told) = read(&format!(".i 1\n.o 1\n{text}"));
        assert_eq!(told[0], expected, "{text}");
        assert!(lts.is_none(), "{text}");
    }
    let (_, told) = read("des (0, 0, 1)\n");
    let missing = "error kiss2-directive: no `.i` says how many inputs there are; use --lenient to \
                   read it all the same";
    assert_eq!(told[0], missing);
    let (_, told) = read(&format!(".i 17\n.o 1\n{wide} s0 s1 1\n"));
    assert_eq!(told, ["error kiss2-input 3:1"]);
    let (_, told) = read(&format!(".o 1\n.i 14\n-------------- * q0 1\n{states}"));
    assert_eq!(told, ["error kiss2-size 3:1"]);
    let lenient = common::mode(Mode::Lenient);
    for text in [
        ".i 2\n.o 1\n0 s0 s1 1\n",
        ".i 1\n0 s0 s1 1\n",
        ".o 1\n0 s0 s1 1\n",
        ".i 1\n.o 1\n.p 2\n0 s0 s1 1\n",
        ".i 1\n.o 1\n.s 1\n0 s0 s1 1\n",
    ] {
        let (lts, told) = read_with(text, &lenient);
        assert!(
            told.len() == 1 && told[0].starts_with("warning"),
            "{told:?}"
        );
        assert_eq!(lts.unwrap().transitions(), 1);
    }
}

#[test]
fn what_is_odd() {
    for (text, expected) in [
        ("\u{feff}.i 1\n.o 1\n0 s0 s1 1\n", "kiss2-bom 1:1"),
        (".i 1\n.o 1\n.ilb a\n0 s0 s1 1\n", "kiss2-directive 3:1"),
    ] {
        let (lts, told) = read(text);
        assert_eq!(told, [format!("warning {expected}")], "{text}");
        assert_eq!(rows(&lts.unwrap()), ["0 0/1 1"]);
        let (lts, told) = read_with(text, &common::mode(Mode::Strict));
        assert_eq!(told, [format!("error {expected}")], "{text}");
        assert!(lts.is_none());
    }
    let (_, told) = read("\u{feff}.i x\n");
    assert_eq!(told[1], "error kiss2-directive 1:4");
    let (_, told) = read(".i 1\n.o 1\n.r s\n0 s0 s1 1\n");
    assert_eq!(told, ["warning kiss2-initial 3:1"]);
}

#[test]
fn machines_are_deterministic() {
    let text = ".i 2\n.o 1\n-1 a b 1\n1- a b 1\n";
    let (lts, told) = read_with(text, &as_mealy());
    assert_eq!(
        told,
        [
            "warning mealy-incomplete: 3 of 6 pairs of state and input have no transition, \
          such as state `b` with input `01`"
        ]
    );
    assert_eq!(rows(&lts.unwrap()), ["0 01/1 1", "0 11/1 1", "0 10/1 1"]);
    // as an LTS, as it stands
    assert_eq!(clean(text).transitions(), 4);
    let (_, told) = read_with(".i 2\n.o 1\n-1 a b 1\n1- a a 1\n", &as_mealy());
    assert_eq!(told, ["error mealy-nondeterministic 4:1"]);
    let hidden = ReadOptions {
        hidden: vec![b"11/1".to_vec()],
        ..ReadOptions::default()
    };
    let (lts, _) = read_with(text, &hidden);
    assert_eq!(rows(&lts.unwrap())[1], "0 <hidden> 1");
}

#[test]
fn written_form() {
    let two = lts(
        1,
        2,
        &[(0, b"10/0-", 1), (1, b"00 / 11", 0), (1, b"01/11", 1)],
    );
    let expected = ".i 2\n.o 2\n.p 3\n.s 2\n.r s0\n00 s0 s1 11\n01 s0 s0 11\n10 s1 s0 0-\n.e\n";
    assert_eq!(written(&two).as_deref(), Ok(expected));
    let kept = WriteOptions {
        keep_initial: true,
        ..WriteOptions::default()
    };
    let text = written_in(Format::Kiss2, &two, &kept).unwrap();
    let expected = ".i 2\n.o 2\n.p 3\n.s 2\n.r s1\n10 s0 s1 0-\n00 s1 s0 11\n01 s1 s1 11\n.e\n";
    assert_eq!(text, expected.as_bytes());
    // symbols are counted, and sorted by input first
    let symbols = lts(0, 1, &[(0, b"b/x", 0), (0, b"a/y/z", 0), (0, b"a-b/x", 0)]);
    let canonical = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let text = written_in(Format::Kiss2, &symbols, &canonical).unwrap();
    let expected = ".i 3\n.o 2\n.p 3\n.s 1\n.r s0\na s0 s0 y/z\na-b s0 s0 x\nb s0 s0 x\n.e\n";
    assert_eq!(text, expected.as_bytes());
    let none = lts(0, 1, &[]);
    assert_eq!(
        written(&none).as_deref(),
        Ok(".i 0\n.o 0\n.p 0\n.s 1\n.r s0\n.e\n")
    );
    assert_eq!(clean(&written(&none).unwrap()).states(), 1);
}

#[test]
fn names_of_states_are_written_if_they_can_be() {
    let text = ".i 1\n.o 1\n.p 2\n.s 2\n.r idle\n0 idle b/1 0\n1 b/1 idle 1\n.e\n";
    assert_eq!(written(&clean(text)).as_deref(), Ok(text));
    let plain = text.replace("idle", "s0").replace("b/1", "s1");
    let labelled = |values: [&str; 2]| {
        let mut labels = StateLabels::new(vec![Parameter {
            name: b"n".to_vec(),
            sort: Vec::new(),
            values: values.map(|value| value.as_bytes().to_vec()).to_vec(),
        }]);
        labels.push([&[0][..]]);
        labels.push([&[1][..]]);
        clean(&plain).with_state_labels(labels)
    };
    let named = written(&labelled(["on", "off"])).unwrap();
    assert_eq!(named, text.replace("idle", "on").replace("b/1", "off"));
    for values in [
        ["on", "on"],
        ["on", "o n"],
        ["on", "*"],
        ["-", "on"],
        ["on", ""],
        ["#", "on"],
    ] {
        let lts = labelled(values);
        let mut told = Vec::new();
        let mut out = Vec::new();
        let options = WriteOptions::default();
        write_lts(&lts, Format::Kiss2, &mut out, &options, &mut |d| {
            told.push(d.code)
        })
        .unwrap();
        assert_eq!(told, ["kiss2-state-labels"], "{values:?}");
        assert_eq!(out, plain.as_bytes());
    }
}

#[test]
fn what_cannot_be_written() {
    for label in [
        &b"HIDDEN"[..],
        b"a",
        b"/x",
        b"a/",
        b"a b/x",
        b"a/x y",
        b"a#/x",
        b"a/#",
        b".i/x",
        b"-/x",
        b"0-/x",
        b"a\x0cb/x",
        b"a\nb / x",
    ] {
        let system = lts(0, 1, &[(0, label, 0)]);
        assert_eq!(
            written(&system),
            Err(vec!["kiss2-label"]),
            "{}",
            label.escape_ascii()
        );
    }
    for labels in [[&b"0/x"[..], b"10/x"], [b"a/0", b"b/100"]] {
        let system = lts(0, 1, &labels.map(|label| (0, label, 0)));
        assert_eq!(written(&system), Err(vec!["kiss2-label"]));
    }
    let mut told = Vec::new();
    let system = lts(0, 3, &[(0, b"0/0", 0)]);
    let options = WriteOptions::default();
    write_lts(
        &system,
        Format::Kiss2,
        &mut Vec::new(),
        &options,
        &mut |d| told.push(d.to_string()),
    )
    .unwrap();
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("loses 2 states") && told[0].ends_with("[kiss2-lost-states]"));
}

/// A row: its inputs, its states (none for any), its output.
type RowOf = (String, Option<usize>, usize, String);

const NAMES: [&str; 4] = ["s0", "b", "s1", "-x"];

/// The transitions that the rows stand for, by names, each once: all inputs are tried one by one.
fn naive(rows: &[RowOf], width: usize) -> BTreeSet<(String, String, String)> {
    let words = (0..1 << width).map(|k| format!("{:0width$b}", k + (1 << width))[1..].to_owned());
    let words: Vec<String> = words.collect();
    let mentioned = |name| rows.iter().any(|row| row.1 == Some(name) || row.2 == name);
    let mut found = BTreeSet::new();
    for (cube, present, next, output) in rows {
        let matches = |word: &&String| {
            let mut bits = cube.chars().zip(word.chars());
            bits.all(|(wanted, bit)| wanted == '-' || wanted == bit)
        };
        for word in words.iter().filter(matches) {
            for source in (0..NAMES.len()).filter(|&k| mentioned(k)) {
                if present.is_none_or(|present| present == source) {
                    let label = format!("{word}/{output}");
                    found.insert((NAMES[source].to_owned(), label, NAMES[*next].to_owned()));
                }
            }
        }
    }
    found
}

/// The transitions by names.
fn by_names(lts: &Lts) -> BTreeSet<(String, String, String)> {
    let names: Vec<String> = match lts.state_labels() {
        Some(_) => names(lts),
        None => (0..lts.states()).map(|k| format!("s{k}")).collect(),
    };
    let rows = transitions(lts).into_iter();
    let name = |state: u32| names[state as usize].clone();
    rows.map(|(s, l, t)| (name(s), String::from_utf8(l).unwrap(), name(t)))
        .collect()
}

fn machines() -> impl Strategy<Value = (usize, Vec<RowOf>)> {
    let row = |width: usize| {
        let state = 0..NAMES.len();
        let present = prop::option::weighted(0.9, state.clone());
        let bit = prop::sample::select(vec!['0', '1', '-', '-']);
        let bits = prop::collection::vec(bit, width);
        let input = bits.prop_map(|bits| bits.into_iter().collect::<String>());
        (input, present, state, "[01-]{2}")
    };
    (1usize..5).prop_flat_map(move |width| {
        let rows = prop::collection::vec(row(width), 1..8);
        (Just(width), rows)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Whatever stands between rows and fields, and however the machine goes on its way.
    #[test]
    fn machines_are_as_the_naive_reader_finds_them(
        (width, rows) in machines(),
        reset in prop::option::of(0usize..8),
        noise in prop::collection::vec("( |\t|\r|# .*|# [01] a b 1){0,2}", 8),
        gap in "[ \t]{1,3}",
    ) {
        let named = |row: &RowOf| row.1.unwrap_or(row.2);
        let reset = reset.map(|k| named(&rows[k % rows.len()]));
        let mut text = format!(".i {width}\n.o 2\n.p {}\n", rows.len());
        if let Some(reset) = reset {
            text += &format!(".r {}\n", NAMES[reset]);
        }
        for ((cube, present, next, output), noise) in rows.iter().zip(&noise) {
            let present = present.map_or("*", |name| NAMES[name]);
            let fields = [cube, present, NAMES[*next], output].join(&gap);
            text += &format!("{gap}{fields} {noise}\n");
        }
        let lts = clean(&text);
        prop_assert_eq!(by_names(&lts), naive(&rows, width));
        let first = rows.iter().find_map(|row| row.1).unwrap_or(rows[0].2);
        let initial = NAMES[reset.unwrap_or(first)];
        let state_names = lts.state_labels().map(|_| names(&lts));
        prop_assert_eq!(state_names.map_or("s0".to_owned(), |names| names[0].clone()), initial);
        // what is written names the same states and transitions
        let again = clean(&written(&lts).unwrap());
        prop_assert_eq!(by_names(&again), by_names(&lts));
        prop_assert_eq!(again.transitions(), lts.transitions());
        // and so does DOT, by whose names states can be told
        let dot = written_in(Format::Dot, &lts, &WriteOptions::default()).unwrap();
        let back = read_format(Format::Dot, &dot, &ReadOptions::default()).0.unwrap();
        prop_assert_eq!(by_names(&back), by_names(&lts));
    }

    /// No file makes the reader panic, and what it reads can be written and read again.
    #[test]
    fn any_file_is_read_or_refused(
        lines in prop::collection::vec(
            prop_oneof![
                "(\\.[iopsre]|\\.end|\\.x)( [0-9a-]{1,3}){0,2}",
                "[01-]{1,3}( [ab*-]){2} [01-]{1,2}",
                "([01a.#*/-]{1,3}[ \t]?){1,5}",
            ],
            0..8,
        ),
        mode in prop::sample::select(vec![Mode::Default, Mode::Strict, Mode::Lenient]),
        mealy: bool,
    ) {
        let options = ReadOptions {
            mode,
            mealy: mealy.then(ReadMealy::default),
            ..ReadOptions::default()
        };
        let (lts, _) = read_with(&lines.join("\n"), &options);
        let written = lts.as_ref().map(written);
        if let (Some(lts), Some(Ok(text))) = (lts, written) {
            let (again, told) = read(&text);
            prop_assert!(again.is_some(), "{:?}", told);
            prop_assert_eq!(again.unwrap().transitions(), lts.transitions());
        }
    }
}
