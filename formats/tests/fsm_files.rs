//! FSM files: what is read, what is refused, what is written.

use crate::common;

use common::{known, read_format, rows, written_in};
use hyades_formats::fsm::{LabelColumns, ReadFsm, WriteFsm};
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;

const EXAMPLE: &str = "n(2) Nat \"0\" \"1\"\n---\n0\n1\n1\n---\n\
                       1 2 \"inc\"\n2 3 \"tau\"\n3 1 \"dec(1, true)\"\n";

fn read_with(text: &str, options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    read_format(Format::Fsm, text.as_bytes(), options)
}

fn read(text: &str) -> (Option<Lts>, Vec<String>) {
    read_with(text, &ReadOptions::default())
}

fn columns(label_columns: LabelColumns) -> ReadOptions {
    ReadOptions {
        fsm: ReadFsm {
            label_columns: Some(label_columns),
        },
        ..ReadOptions::default()
    }
}

/// The LTS of a file about which there is nothing to say.
#[track_caller]
fn clean(text: &str) -> Lts {
    let (lts, told) = read(text);
    assert_eq!(told, [""; 0], "{text}");
    lts.unwrap()
}

#[test]
fn example() {
    let lts = clean(EXAMPLE);
    assert_eq!(rows(&lts), ["0 inc 1", "1 <hidden> 2", "2 dec(1, true) 0"]);
    assert_eq!((lts.states(), lts.initial().get()), (3, 0));
    assert_eq!(known(&lts), [[["0"]], [["1"]], [["1"]]]);
    let parameter = &lts.state_labels().unwrap().parameters()[0];
    assert_eq!(
        (&parameter.name[..], &parameter.sort[..]),
        (&b"n"[..], &b"Nat"[..])
    );
    let written = written_in(Format::Fsm, &lts, &WriteOptions::default());
    assert_eq!(written, Ok(EXAMPLE.as_bytes().to_vec()));
    let aut = written_in(
        Format::Aut,
        &lts,
        &WriteOptions {
            dialect: Some(Dialect::Mcrl2),
            quote: Quote::Always,
            ..WriteOptions::default()
        },
    );
    let expected = "des (0, 3, 3)\n(0, \"inc\", 1)\n(1, \"tau\", 2)\n(2, \"dec(1, true)\", 0)\n";
    assert_eq!(aut, Ok(expected.as_bytes().to_vec()));
}

#[test]
fn transition_lines() {
    for (line, expected) in [
        (" 1   2   \"a b\" ", "0 a b 1"),
        ("01 2 \"a\"", "0 a 1"),
        ("\t1\t2\t\"a\"\r", "0 a 1"),
        ("1 2 \"f(x)|g\"", "0 f(x)|g 1"),
        ("1 2 \"tau\"", "0 <hidden> 1"),
        ("1 2 \"---\"", "0 --- 1"),
    ] {
        let lts = clean(&format!("---\n---\n{line}\n"));
        assert_eq!(rows(&lts), [expected], "{line}");
    }
    for (line, expected) in [
        ("1 0 \"a\"", "error fsm-state-number 3:3"),
        ("0 1 \"a\"", "error fsm-state-number 3:1"),
        ("1 5000000000 \"a\"", "error fsm-state-number 3:3"),
        ("99999999999999999999 1 \"a\"", "error fsm-state-number 3:1"),
        ("1 2 a", "error fsm-label 3:5"),
        ("1 2 \"a\" b", "error fsm-label 3:9"),
        (" 1 2 \"a\"b\"", "error fsm-transition 3:9"),
        ("1 2\"a\"", "error fsm-transition 3:4"),
        ("----", "error fsm-transition 3:1"),
        ("1 2 \"a\" \"b\"", "error fsm-label-columns 3:5"),
        ("1 2 3", "error fsm-label 3:5"),
        ("1 2 \"a\" 3", "error fsm-label 3:9"),
        ("1 [2 1/2 3 1/2] \"a\"", "error fsm-probabilistic 3:3"),
    ] {
        let (lts, told) = read(&format!("---\n---\n{line}\n1 1 \"ok\"\n"));
        assert!(lts.is_none());
        assert_eq!(told, [expected], "{line}");
    }
    let (lts, told) = read("---\n---\n1 2 \"\"\n");
    assert_eq!(rows(&lts.unwrap()), ["0  1"]);
    assert_eq!(told, ["warning fsm-empty-label 3:5"]);
}

/// What is found is shown as it stands in the file, numbers of any size too.
#[test]
fn messages_show_what_stands_there() {
    let large = "99999999999999999999";
    for (text, expected) in [
        (
            format!("n({large}) \"x\"\n---\n---\n"),
            format!("parameter `n` is to have `{large}` values, but there is 1"),
        ),
        (
            format!("n({large}) \"x\"\n---\n{large}\n---\n"),
            format!("value `{large}` of a parameter of which 1 are given"),
        ),
        (
            format!("n(1) \"x\"\n---\n{large}\n---\n"),
            format!("value `{large}` of a parameter with 1 value, the first being 0"),
        ),
        (
            "---\n---\n---\n1 2\n".into(),
            "expected the end of the line behind the number of the initial state, found `2`".into(),
        ),
        (
            "---\n---\n1 2 \"a\"bc\"d\n".into(),
            "expected a blank or the end of the line after a label, in which there are no \
             quotes, found `bc\"d`"
                .into(),
        ),
    ] {
        let source = Source::from_bytes("f", text.clone().into_bytes(), Some(Format::Fsm)).unwrap();
        let mut told = Vec::new();
        let _ = read_lts(source, &ReadOptions::default(), &mut |d| told.push(d.text));
        assert!(told.contains(&expected), "{text}: {told:?}");
    }
}

#[test]
fn too_many_states_for_an_lts() {
    for number in ["4294967295", "99999999999999999999"] {
        let (lts, told) = read(&format!("---\n---\n1 {number} \"a\"\n"));
        assert!(lts.is_none());
        assert_eq!(told, ["error fsm-state-number 3:3"]);
    }
}

#[test]
fn numbers_without_states_cost_no_memory() {
    let text = "---\n---\n1 16777217 \"a\"\n";
    for text in [
        text,
        "---\n---\n1 4000000000 \"a\"\n",
        "---\n---\n1 2 \"a\"\n---\n4000000000\n",
    ] {
        let (lts, told) = read(text);
        assert!(lts.is_none());
        assert!(told[0].starts_with("error fsm-sparse: "), "{told:?}");
    }
    let lenient = ReadOptions {
        mode: Mode::Lenient,
        ..ReadOptions::default()
    };
    let (lts, told) = read_with(text, &lenient);
    assert_eq!(lts.unwrap().states(), 1 << 24 | 1);
    assert!(told[0].starts_with("warning fsm-sparse: "), "{told:?}");
}

#[test]
fn chunks_make_no_difference() {
    let mut text = String::from("n(1) \"x\"\n---\n0\n---\n");
    for k in 1..20_000 {
        text += &format!("{} {} \"l {}\"\n", k * 7 % 19_999 + 1, k, k % 3_000);
        if k == 12_345 {
            text += " 1 2 \"\"\n";
        }
    }
    text += "---\n 5 \n";
    let (whole, told) = read(&text);
    let whole = whole.unwrap();
    assert_eq!(told, ["warning fsm-empty-label 12350:6"]);
    assert_eq!((whole.states(), whole.initial().get()), (19_999, 4));
    for chunk in [1, 1_000] {
        let options = ReadOptions {
            chunk,
            ..ReadOptions::default()
        };
        let (lts, again) = read_with(&text, &options);
        assert_eq!(again, told);
        assert_eq!(rows(&lts.unwrap()), rows(&whole));
    }
    // what comes after the transitions is told by its line
    let told = read(&(text + "---\n")).1;
    assert_eq!(
        told,
        [
            "warning fsm-empty-label 12350:6",
            "error fsm-section 20007:1"
        ]
    );
}

#[test]
fn sections() {
    // as few as there may be
    let lts = clean("---\n---");
    assert_eq!((lts.states(), lts.transitions()), (1, 0));
    let lts = clean("\n --- \n\n\t---\r\n\n1 2 \"a\"\n\n---\n\n");
    assert_eq!((lts.states(), lts.initial().get()), (2, 0));
    let lts = clean("---\n---\n1 2 \"a\"\n---\n 03 \n");
    assert_eq!((lts.states(), lts.initial().get()), (3, 2));
    let (lts, told) = read("\u{feff}n(1) \"x\"\n---\n0\n0\n0\n---\n1 2 \"a\"");
    assert_eq!(told, ["warning fsm-bom 1:1"]);
    let lts = lts.unwrap();
    assert_eq!(lts.states(), 3);
    assert_eq!(known(&lts).len(), 3);
    for (text, expected) in [
        ("", "error fsm-truncated 1:1"),
        ("---\n", "error fsm-truncated 2:1"),
        ("n(1) \"x\"\n---\n0\n0", "error fsm-truncated 5:1"),
        ("---\n---\n---\n---\n", "error fsm-section 4:1"),
        ("---\n---\n---\n1\n2\n", "error fsm-initial 5:1"),
        ("---\n---\n---\nx\n", "error fsm-initial 4:1"),
        ("---\n---\n---\n 1 \t2\n", "error fsm-initial 4:5"),
        ("---\n---\n---\n5000000000\n", "error fsm-state-number 4:1"),
        ("---\n---\n---\n 0\n", "error fsm-state-number 4:2"),
        (
            "---\n---\n---\n[1 1/2 2 1/2]\n",
            "error fsm-probabilistic 4:1",
        ),
        ("----\n---\n---\n", "error fsm-parameter 1:1"),
        ("---\n----\n---\n", "error fsm-state 2:1"),
        ("1 2 \"a\"\n---\n---\n", "error fsm-parameter 1:1"),
    ] {
        let (lts, told) = read(text);
        assert!(lts.is_none());
        assert_eq!(told, [expected], "{text:?}");
    }
}

#[test]
fn parameters_and_vectors() {
    let text = "b(2)Bool \"F\" \"T\"\nc(0) Nat\nd(2)  \"x\" \"y z\"\n---\n1 7 0\n 00\t0 1\n---\n1 3 \"a\"\n";
    let lts = clean(text);
    // the third state has no vector, the second parameter no values
    assert_eq!(known(&lts)[..2], [[["T", "x"]], [["F", "y z"]]]);
    assert_eq!(known(&lts)[2], [[""; 0]; 0]);
    // states alone
    assert_eq!(clean("n(1) \"x\"\n---\n0\n---\n").states(), 1);
    // parameters alone
    assert!(clean("n(1) \"x\"\n---\n---\n").state_labels().is_none());
    assert!(clean("n(0)\n---\n9\n---\n").state_labels().is_none());
    for (text, expected) in [
        (
            "n(2) \"x\"\n---\n0\n---\n",
            &["warning fsm-cardinality 1:1"][..],
        ),
        (
            "n(0) \"x\"\n---\n0\n---\n",
            &["warning fsm-cardinality 1:1"],
        ),
        (
            "n(99999999999999999999)\n---\n---\n",
            &["warning fsm-cardinality 1:1"],
        ),
        (
            "n(2) \"x\"\n---\n0\n 1\n---\n",
            &["warning fsm-cardinality 1:1", "error fsm-value 4:2"],
        ),
        (
            "n(1) \"x\" \"y\"\n---\n1\n---\n",
            &["warning fsm-cardinality 1:1", "error fsm-value 3:1"],
        ),
        (
            "n(1) \"x\"\nm(1) \"y\"\n---\n0 1\n---\n",
            &["error fsm-value 4:3"],
        ),
        ("n(1) \"x\"\n---\n0 0\n---\n", &["error fsm-state 3:1"]),
        (
            "n(1) \"x\"\nm(1) \"y\"\n---\n0\n---\n",
            &["error fsm-state 4:1"],
        ),
        // as automatalib has it
        ("---\n0\n1 1\n---\n", &["warning fsm-state 2:1"]),
        ("---\nx\n---\n", &["error fsm-state 2:1"]),
        ("n(1) \"x\"\n---\n0 x\n---\n", &["error fsm-state 3:3"]),
        ("n(1) \"x\"\n---\n-1\n---\n", &["error fsm-state 3:1"]),
        (
            "n(1) \"x\"\n---\n1 2 \"a\"\n---\n",
            &["error fsm-value 3:1"],
        ),
        // how many values states have is unknown then
        ("n(1 \"x\"\n---\n0\n---\n", &["error fsm-parameter 1:5"]),
    ] {
        assert_eq!(read(text).1, expected, "{text:?}");
    }
}

/// What is tolerated with a warning is an error in strict mode, and all else stays.
#[test]
fn strict() {
    let strict = ReadOptions {
        mode: Mode::Strict,
        ..ReadOptions::default()
    };
    for (text, told) in [
        ("\u{feff}---\n---\n1 1 \"a\"\n", "fsm-bom 1:1"),
        ("n(2) \"x\"\n---\n0\n---\n", "fsm-cardinality 1:1"),
        ("---\n0\n1\n---\n1 2 \"a\"\n", "fsm-state 2:1"),
        ("---\n---\n1 1 \"\"\n", "fsm-empty-label 3:5"),
        ("---\n---\n1 12 \"a\"\n---\n1", "fsm-no-newline 5:2"),
        ("---\n---\n1 12 \"a\"\n---\n 1 ", "fsm-no-newline 5:3"),
    ] {
        let (lts, seen) = read(text);
        assert_eq!(seen, [format!("warning {told}")]);
        assert!(lts.is_some());
        let (lts, seen) = read_with(text, &strict);
        assert_eq!(seen, [format!("error {told}")]);
        assert!(lts.is_none());
    }
    for text in [
        EXAMPLE,
        "---\n---\n1 1 \"a\"",
        "---\n---\n1 1 \"a\"\n---",
        "---\n---\n1 1 \"a\"\n---\n1\n",
    ] {
        assert_eq!(read_with(text, &strict).1, [""; 0], "{text}");
    }
}

#[test]
fn label_columns() {
    let two = "---\n---\n1 2 \"a\" \"b c\"\n";
    let one = "---\n---\n1 2 \"a\"\n";
    let three = "---\n---\n1 2 \"a\" \"b\" \"c\"\n";
    for (text, how, expected) in [
        (two, LabelColumns::Join, "0 a b c 1"),
        (three, LabelColumns::Join, "0 a b c 1"),
        (one, LabelColumns::Join, "0 a 1"),
        (two, LabelColumns::First, "0 a 1"),
        (one, LabelColumns::First, "0 a 1"),
        (two, LabelColumns::Io, "0 a/b c 1"),
    ] {
        let (lts, told) = read_with(text, &columns(how));
        assert_eq!(told, [""; 0]);
        assert_eq!(rows(&lts.unwrap()), [expected]);
    }
    // of a machine there is one thing to make of two
    let machine = ReadOptions {
        mealy: Some(ReadMealy::default()),
        ..ReadOptions::default()
    };
    assert_eq!(rows(&read_with(two, &machine).0.unwrap()), ["0 a/b c 1"]);
    assert_eq!(
        read_with(three, &machine).1,
        ["error fsm-label-columns 3:5"]
    );
    for (text, code) in [
        (one, "fsm-label-columns"),
        (three, "fsm-label-columns"),
        ("---\n---\n1 2 \"\" \"b\"\n", "fsm-label"),
        ("---\n---\n1 2 \"a / b\" \"c\"\n", "fsm-label"),
    ] {
        let told = read_with(text, &columns(LabelColumns::Io)).1;
        assert_eq!(told, [format!("error {code} 3:5")]);
    }
    // as a machine, split again by the same syntax
    for separator in [None, Some(b"#".to_vec())] {
        let machine = ReadOptions {
            mealy: Some(ReadMealy {
                syntax: MealySyntax {
                    separator,
                    ..MealySyntax::default()
                },
                io_steps: false,
                ..ReadMealy::default()
            }),
            ..columns(LabelColumns::Io)
        };
        let (lts, told) = read_with("---\n---\n1 1 \"a\" \"b/c\"\n", &machine);
        assert_eq!(told, [""; 0]);
        assert_eq!(rows(&lts.unwrap()), ["0 a/b/c 0"]);
    }
}

#[test]
fn hidden_labels() {
    let text = "---\n---\n1 1 \"tau\"\n1 1 \"i\"\n1 1 \"a\"\n";
    assert_eq!(rows(&clean(text)), ["0 <hidden> 0", "0 i 0", "0 a 0"]);
    let cadp = ReadOptions {
        dialect: Some(Dialect::Cadp),
        ..ReadOptions::default()
    };
    let (lts, _) = read_with(text, &cadp);
    assert_eq!(rows(&lts.unwrap()), ["0 tau 0", "0 <hidden> 0", "0 a 0"]);
    let named = ReadOptions {
        hidden: vec![b"a".to_vec()],
        ..ReadOptions::default()
    };
    let (lts, _) = read_with(text, &named);
    let lts = lts.unwrap();
    assert_eq!(rows(&lts), ["0 tau 0", "0 i 0", "0 <hidden> 0"]);
    assert_eq!(
        written_in(Format::Fsm, &lts, &WriteOptions::default()),
        Err(vec!["label-like-hidden"])
    );
    let renamed = WriteOptions {
        visible_i: Some(b"t".to_vec()),
        ..WriteOptions::default()
    };
    let expected = "---\n---\n1 1 \"t\"\n1 1 \"i\"\n1 1 \"tau\"\n";
    assert_eq!(written(&lts, &renamed), expected);
}

fn written(lts: &Lts, options: &WriteOptions) -> String {
    String::from_utf8(written_in(Format::Fsm, lts, options).unwrap()).unwrap()
}

/// An LTS with initial state 1.
fn system(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut lts = LtsBuilder::new(1);
    for &(source, label, target) in transitions {
        lts.add_text(source, label.as_bytes(), target).unwrap();
    }
    lts.build(StateId::new(1)).unwrap()
}

#[test]
fn the_initial_state_is_the_first() {
    let lts = system(&[(0, "b", 1), (1, "z", 2), (1, "a", 0), (2, "c", 0)]);
    let plain = WriteOptions::default;
    assert_eq!(
        written(&lts, &plain()),
        "---\n---\n1 3 \"z\"\n1 2 \"a\"\n2 1 \"b\"\n3 2 \"c\"\n"
    );
    let section = WriteOptions {
        fsm: WriteFsm {
            initial_section: true,
        },
        ..plain()
    };
    assert_eq!(
        written(&lts, &section),
        "---\n---\n1 2 \"b\"\n2 3 \"z\"\n2 1 \"a\"\n3 1 \"c\"\n---\n2\n"
    );
    let canonical = WriteOptions {
        canonical: true,
        ..plain()
    };
    assert_eq!(
        written(&lts, &canonical),
        "---\n---\n1 2 \"a\"\n1 3 \"z\"\n2 1 \"b\"\n3 2 \"c\"\n"
    );
    let kept = WriteOptions {
        keep_initial: true,
        ..canonical
    };
    assert_eq!(
        written(&lts, &kept),
        "---\n---\n1 2 \"b\"\n2 1 \"a\"\n2 3 \"z\"\n3 1 \"c\"\n---\n2\n"
    );
}

#[test]
fn labels_that_cannot_be_written() {
    for label in ["a\"b", "a\nb"] {
        let lts = system(&[(0, label, 1)]);
        assert_eq!(
            written_in(Format::Fsm, &lts, &WriteOptions::default()),
            Err(vec!["fsm-label"])
        );
    }
    for label in ["", " a ", "a\tb\r", "\u{e4}"] {
        let lts = system(&[(1, label, 1)]);
        let text = written(&lts, &WriteOptions::default());
        assert_eq!(rows(&read(&text).0.unwrap()), [format!("0 {label} 0")]);
    }
}

/// What writing says, errors or not.
fn said(lts: &Lts, options: &WriteOptions) -> Vec<String> {
    let mut said = Vec::new();
    let _ = write_lts(lts, Format::Fsm, &mut Vec::new(), options, &mut |d| {
        said.push(d.to_string());
    });
    said
}

#[test]
fn states_that_get_lost_are_told() {
    let mut lts = LtsBuilder::new(7);
    lts.add_text(1, b"a", 3).unwrap();
    let lts = lts.build(StateId::new(1)).unwrap();
    let said_ = said(&lts, &WriteOptions::default());
    assert!(
        said_.len() == 1 && said_[0].contains("3 states above"),
        "{said_:?}"
    );
    let text = written(&lts, &WriteOptions::default());
    assert_eq!(clean(&text).states(), 4);
    // a section for the initial state mentions it
    let mut lts = LtsBuilder::new(3);
    lts.add_text(0, b"a", 0).unwrap();
    let lts = lts.build(StateId::new(2)).unwrap();
    let section = WriteOptions {
        fsm: WriteFsm {
            initial_section: true,
        },
        ..WriteOptions::default()
    };
    assert_eq!(said(&lts, &section), [""; 0]);
    assert_eq!(clean(&written(&lts, &section)).states(), 3);
}

#[test]
fn state_labels() {
    let parameter = |name: &str, sort: &str, values: &[&str]| Parameter {
        name: name.into(),
        sort: sort.into(),
        values: values.iter().map(|&v| v.into()).collect(),
    };
    let lts = || system(&[(0, "a", 1)]);
    let mut labels = StateLabels::new(vec![
        parameter("n", "List(Nat)", &["[]", "[1, 2]"]),
        parameter("_b'@1", "", &["T"]),
    ]);
    labels.push([&[1, 0][..]]);
    labels.push([&[0, 0][..]]);
    let text = written(&lts().with_state_labels(labels), &WriteOptions::default());
    assert_eq!(
        text,
        "n(2) List(Nat) \"[]\" \"[1, 2]\"\n_b'@1(1) \"T\"\n---\n0 0\n1 0\n---\n2 1 \"a\"\n"
    );
    assert_eq!(known(&clean(&text)), [[["[]", "T"]], [["[1, 2]", "T"]]]);
    // what cannot be expressed is left out, and that is said
    let without = "---\n---\n2 1 \"a\"\n";
    for (parameter, why) in [
        (
            parameter("1n", "", &["x"]),
            "`1n` is no name of a parameter",
        ),
        (parameter("", "", &["x"]), "parameter 1 has no name"),
        (parameter("n", "a|b", &["x"]), "cannot express sort `a|b`"),
        (parameter("n", "", &["x\""]), "holds a quote"),
        (parameter("n", "", &["x\n"]), "holds a quote"),
    ] {
        let mut labels = StateLabels::new(vec![parameter]);
        labels.push([&[0][..]]);
        labels.push([&[0][..]]);
        let lts = lts().with_state_labels(labels);
        assert_eq!(written(&lts, &WriteOptions::default()), without);
        let said = said(&lts, &WriteOptions::default());
        assert!(said[0].contains("[fsm-state-labels]"), "{said:?}");
        assert!(said[0].contains(why), "{said:?}");
    }
    for vectors in [&[][..], &[&[0][..], &[0]]] {
        let mut labels = StateLabels::new(vec![parameter("n", "", &["x"])]);
        labels.push(vectors.iter().copied());
        labels.push([&[0][..]]);
        let lts = lts().with_state_labels(labels);
        assert_eq!(written(&lts, &WriteOptions::default()), without);
    }
    let mut none = StateLabels::new(Vec::new());
    none.push([&[][..]]);
    none.push([&[][..]]);
    let lts = lts().with_state_labels(none);
    assert_eq!(written(&lts, &WriteOptions::default()), without);
    assert_eq!(said(&lts, &WriteOptions::default()), [""; 0]);
}

#[test]
fn any_cut_is_refused_or_read() {
    for len in 0..EXAMPLE.len() {
        let (lts, told) = read(&EXAMPLE[..len]);
        assert_eq!(
            lts.is_none(),
            told.iter().any(|t| t.starts_with("error")),
            "{len}"
        );
        // up to the second mark something must be wrong
        if len < 26 {
            assert!(lts.is_none(), "{len}");
        }
    }
}
