//! What is written is read back; what is wrong is told, with its place.

use std::ops::ControlFlow;
use std::sync::Arc;

use hyades_formats::{LabelTable, ReadError, StateId};
use hyades_testing::Random;

use super::*;
use crate::tree::{NodeId, TestTree};
use crate::{InputId, Machine, OutputId, Pairing};

mod properties;

const FORMS: [SuiteForm; 3] = [SuiteForm::Text, SuiteForm::JsonLines, SuiteForm::Pairs];

fn table(symbols: &[&[u8]]) -> LabelTable {
    let mut table = LabelTable::new();
    for symbol in symbols {
        table.intern(symbol).unwrap();
    }
    table
}

/// A machine of three states with these symbols.
fn machine(inputs: &[&[u8]], outputs: &[&[u8]], seed: u64) -> Machine {
    let mut random = Random::new(seed);
    let mut machine = Machine::new(table(inputs), table(outputs), 3);
    for state in machine.state_ids() {
        for input in machine.input_ids() {
            let output = OutputId::new(random.between(0, machine.outputs() - 1) as u32);
            machine.set(
                state,
                input,
                output,
                StateId::from_index(random.between(0, 2)),
            );
        }
    }
    machine
}

fn coffee() -> Machine {
    machine(
        &[b"coin", b"tea", b"a cup of coffee"],
        &[b"ok", b"", b"="],
        1,
    )
}

/// The tests of a text, or its first error.
fn tests_of(text: &[u8], form: Option<SuiteForm>) -> Result<Vec<SuiteTest>, String> {
    let mut reader = SuiteReader::new(text, form);
    let mut tests = Vec::new();
    loop {
        match reader.next_test() {
            Ok(Some(test)) => tests.push(test.clone()),
            Ok(None) => return Ok(tests),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// What a text says of the tests, as lists.
fn lists(text: &str, form: Option<SuiteForm>) -> Vec<(Vec<String>, Option<Vec<String>>)> {
    let strings = |symbols: &Symbols| {
        let strings = symbols
            .iter()
            .map(|s| String::from_utf8_lossy(s).into_owned());
        strings.collect::<Vec<_>>()
    };
    let tests = tests_of(text.as_bytes(), form).unwrap();
    let tests = tests.iter();
    tests
        .map(|test| (strings(test.inputs()), test.outputs().map(strings)))
        .collect()
}

fn owned(symbols: &[&str]) -> Vec<String> {
    symbols.iter().map(|s| s.to_string()).collect()
}

#[test]
fn texts() {
    let text =
        "# a comment\na b\t c \r\n\n  \"x y\" \"\\u00e4\\n\" \"#\" \"=>\"\na => 0\n=>\n\"a\"";
    assert_eq!(
        lists(text, None),
        [
            (owned(&["a", "b", "c"]), None),
            (vec![], None),
            (owned(&["x y", "ä\n", "#", "=>"]), None),
            (owned(&["a"]), Some(owned(&["0"]))),
            (vec![], Some(vec![])),
            (owned(&["a"]), None),
        ]
    );
    assert_eq!(lists("", None), []);
    assert_eq!(lists("\n", None), [(vec![], None)]);
    assert_eq!(lists("#\n", None), []);
    // Bytes, in quotes or as they are.
    let bytes = |text: &[u8]| tests_of(text, None).unwrap()[0].inputs().clone();
    let symbols = [&b"\xff b"[..], b"\xC3\xa4\n\xfe", b"\\xFF"];
    assert_eq!(
        bytes(br#""\xFF b" "\xC3\xa4\n\xfe" "\\xFF""#),
        symbols.iter().collect()
    );
    assert_eq!(
        bytes(b"a\xff \"\xc3\xa4\""),
        [&b"a\xff"[..], "ä".as_bytes()].iter().collect()
    );
    // A byte order mark is none of the first symbol.
    assert_eq!(lists("\u{feff}a", None), [(owned(&["a"]), None)]);
}

#[test]
fn json_lines() {
    let text = "\n{\"in\":[\"a\", \"b c\"],\"out\":[\"0\",1]}\n{ \"id\": [{\"x\":[]}], \"in\" : [ ] }\n\
                \n# no test\n{\"out\":null,\"in\":[-1.5e3]}";
    let form = Some(SuiteForm::JsonLines);
    let expected = [
        (owned(&["a", "b c"]), Some(owned(&["0", "1"]))),
        (vec![], None),
        (owned(&["-1.5e3"]), None),
    ];
    assert_eq!(lists(text, form), expected);
    // Blank lines before the form is known may be tests.
    assert_eq!(lists(text, None)[1..], expected);
}

#[test]
fn pairs() {
    let text = "(coin/ok).(tea/a/b)\n\n(x/).(/y)\r\n(a(b)/c).((.)/)))\n";
    assert_eq!(
        lists(text, None),
        [
            (owned(&["coin", "tea"]), Some(owned(&["ok", "a/b"]))),
            (vec![], Some(vec![])),
            (owned(&["x", ""]), Some(owned(&["", "y"]))),
            (owned(&["a(b)", "(.)"]), Some(owned(&["c", "))"]))),
        ]
    );
}

/// Every mistake, with its place.
#[test]
fn mistakes() {
    let syntax = "[suite-syntax]";
    for (text, at, what, code) in [
        (
            "a\nb\"c\"",
            "2:2: ",
            "found `\"c\"`, expected no quotes",
            syntax,
        ),
        ("a b\\", "1:4: ", "found `\\`, expected no quotes", syntax),
        (
            "a #b",
            "1:3: ",
            "found `#b`, expected no symbol that begins so",
            syntax,
        ),
        ("a => 0 => 1", "1:8: ", "expected no second `=>`", syntax),
        (
            "a \"b",
            "1:4: ",
            "EOF while parsing a string, expected a JSON string",
            syntax,
        ),
        (
            "a \"\\x\"",
            "1:5: ",
            "invalid escape, expected a JSON string",
            syntax,
        ),
        ("\"b\"c", "1:4: ", "found `c`, expected a blank", syntax),
        (
            "\"\\xFFb\"c",
            "1:8: ",
            "found `c`, expected a blank",
            syntax,
        ),
        ("\"\\xFF", "1:6: ", "expected the closing quote", syntax),
        (
            "\"\\xFFab\\q\"",
            "1:9: ",
            "invalid escape, expected a JSON string",
            syntax,
        ),
        (
            "\"\\xFG\"",
            "1:3: ",
            "invalid escape, expected a JSON string",
            syntax,
        ),
        (
            "a b => 0",
            "1:1: ",
            "found 1 output for 2 inputs",
            "[suite-outputs]",
        ),
        (
            "{\"in\":[\"a\"],\"out\":[]}",
            "1:1: ",
            "found 0 outputs for 1 input",
            "[suite-outputs]",
        ),
        ("{}", "1:1: ", "found no \"in\"", syntax),
        (
            "{\"in\":[]",
            "1:9: ",
            "found the end of the line, expected `,` or `}`",
            syntax,
        ),
        (
            "{\"in\":[]} x",
            "1:11: ",
            "found `x`, expected the end",
            syntax,
        ),
        (
            "{\"in\":[],\"in\":[]}",
            "1:10: ",
            "found a second \"in\"",
            syntax,
        ),
        ("{\"in\":\"a\"}", "1:7: ", "expected an array", syntax),
        (
            "{\"in\":[\"a\" \"b\"]}",
            "1:12: ",
            "expected `,` or `]`",
            syntax,
        ),
        (
            "{\"in\":[true]}",
            "1:8: ",
            "found `true]}`, expected a string",
            syntax,
        ),
        ("{in:[]}", "1:2: ", "expected a name in quotes", syntax),
        ("{\"in\" []}", "1:7: ", "expected `:`", syntax),
        (
            "{\"x\":@,\"in\":[]}",
            "1:6: ",
            "expected value, expected a value",
            syntax,
        ),
        (
            "(a/0)\na",
            "2:1: ",
            "found `a`, expected `(input/output)`",
            syntax,
        ),
        ("(a/0)\n(a)", "2:2: ", "found `a)`, expected `/`", syntax),
        (
            "(a/0)\n(a/0).(b/1",
            "2:11: ",
            "found the end of the line, expected `)`",
            syntax,
        ),
        ("(a/0)\n(", "2:2: ", "expected `)`", syntax),
        (
            "(a/0).(a/0)(b/1).(a/0)",
            "1:12: ",
            "found `(b/1).(a/0)`, expected `.` between pairs",
            syntax,
        ),
        ("(a)(b/0)", "1:4: ", "expected `.` between pairs", syntax),
        (
            "\u{feff}a #b",
            "1:6: ",
            "expected no symbol that begins so",
            syntax,
        ),
    ] {
        let error = tests_of(text.as_bytes(), None).expect_err(text);
        assert!(error.starts_with(at), "{text}: {error}");
        assert!(error.contains(what), "{text}: {error}");
        assert!(error.ends_with(code), "{text}: {error}");
    }
}

#[test]
fn a_wrong_line_does_not_hide_the_next() {
    let long = format!("a \"\n{}\nc\n", "b ".repeat(MAX / 2 + 1));
    let mut reader = SuiteReader::new(long.as_bytes(), None);
    let mut told = Vec::new();
    loop {
        match reader.next_test() {
            Ok(None) => break,
            Ok(Some(test)) => told.push(format!("{} symbols", test.inputs().len())),
            Err(error) => told.push(error.to_string()),
        }
    }
    assert_eq!(told.len(), 3);
    assert!(told[0].starts_with("1:3: error: EOF"), "{}", told[0]);
    assert!(
        told[1].ends_with("[suite-line-length]") && told[1].starts_with("2:1:"),
        "{}",
        told[1]
    );
    assert_eq!(told[2], "1 symbols");
}

const MAX: usize = 64 << 20;

#[test]
fn what_is_wrong_for_a_machine() {
    let machine = coffee();
    let name: Arc<str> = "s".into();
    let read = |text: &str| {
        let (mut said, mut tests) = (Vec::new(), Vec::new());
        let result = read_suite(
            &name,
            text.as_bytes(),
            None,
            &machine,
            &mut |d| said.push(d.to_string()),
            &mut |word| tests.push(word.to_vec()),
        );
        (result, said, tests.len())
    };
    let (result, said, tests) = read("coin milk\ncoin\nsugar coin\n");
    assert!(matches!(result, Err(ReadError::Refused { errors: 2, .. })));
    assert_eq!(
        said,
        [
            "s:1:6: error: found input `milk`, expected one of the machine's: `coin`, `tea`, \
             `a cup of coffee` [suite-unknown-input]",
            "s:3:1: error: found input `sugar`, expected one of the machine's: `coin`, `tea`, \
             `a cup of coffee` [suite-unknown-input]",
        ]
    );
    assert_eq!(tests, 1);
    for text in ["coin,tea\n", "[coin, tea]\n"] {
        let (_, said, _) = read(text);
        assert!(
            said[0].contains("; inputs are separated by blanks"),
            "{said:?}"
        );
    }
    let (result, said, tests) = read("coin tea => x y\n");
    result.unwrap();
    let (answer, _) = machine.step(machine.initial(), InputId::new(0)).unwrap();
    let answer = String::from_utf8_lossy(machine.output_text(answer)).into_owned();
    assert_eq!(
        said,
        [format!(
            "s:1:1: warning: input 1 of the test, `coin`, expects output `x`, but the machine \
             answers `{answer}` [suite-output]"
        )]
    );
    assert_eq!(tests, 1);
    // A partial machine.
    let empty = Machine::new(table(&[b"a"]), table(&[]), 1);
    let mut said = Vec::new();
    let mut sink = |d: hyades_formats::Diagnostic| said.push(d.to_string());
    read_suite(&name, &b"a a"[..], None, &empty, &mut sink, &mut |_| ()).unwrap();
    assert_eq!(said.len(), 1);
    assert!(said[0].contains("no transition in state 0"), "{}", said[0]);
    let mut sink = |d: hyades_formats::Diagnostic| said.push(d.to_string());
    let empty = Machine::new(table(&[]), table(&[]), 1);
    read_suite(&name, &b"a"[..], None, &empty, &mut sink, &mut |_| ()).unwrap_err();
    assert!(said[1].contains("it has none"), "{}", said[1]);
}

struct Failing;

impl std::io::Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("unplugged"))
    }
}

#[test]
fn inputs_that_fail() {
    let input = std::io::BufReader::new(Failing);
    let mut sink = |d| panic!("{d}");
    let read = read_suite(&"s".into(), input, None, &coffee(), &mut sink, &mut |_| ());
    assert_eq!(read.unwrap_err().to_string(), "s: unplugged");
}

#[test]
fn forms_of_the_same_tests() {
    let machine = coffee();
    let written = |form, symbols| {
        let mut writer = SuiteWriter::new(&machine, form, symbols).unwrap();
        let mut text = Vec::new();
        for test in [&[][..], &[0, 2][..]] {
            let word: Vec<InputId> = test.iter().map(|&k| InputId::new(k)).collect();
            writer.write(&mut text, &word).unwrap();
        }
        String::from_utf8(text).unwrap()
    };
    assert_eq!(
        written(SuiteForm::Text, WrittenSymbols::Inputs),
        "\ncoin \"a cup of coffee\"\n"
    );
    let outputs = machine
        .run(machine.initial(), &[InputId::new(0), InputId::new(2)])
        .unwrap()
        .0;
    let texts: Vec<&str> = outputs
        .iter()
        .map(|&o| std::str::from_utf8(machine.output_text(o)).unwrap())
        .collect();
    let [one, other] = texts[..] else {
        panic!("two outputs")
    };
    let bare = |text: &str| {
        if text.is_empty() {
            "\"\"".into()
        } else {
            text.to_owned()
        }
    };
    assert_eq!(
        written(SuiteForm::Text, WrittenSymbols::InputsAndOutputs),
        format!(
            "=>\ncoin \"a cup of coffee\" => {} {}\n",
            bare(one),
            bare(other)
        )
    );
    assert_eq!(
        written(SuiteForm::JsonLines, WrittenSymbols::InputsAndOutputs),
        format!(
            "{{\"in\":[],\"out\":[]}}\n\
             {{\"in\":[\"coin\",\"a cup of coffee\"],\"out\":[\"{one}\",\"{other}\"]}}\n"
        )
    );
    assert_eq!(
        written(SuiteForm::Pairs, WrittenSymbols::Inputs),
        format!("\n(coin/{one}).(a cup of coffee/{other})\n")
    );
    for form in FORMS {
        assert_eq!(form.to_string().parse(), Ok(form));
    }
    assert!("aut".parse::<SuiteForm>().is_err());
}

#[test]
fn symbols_that_cannot_be_written() {
    for (symbol, form, told) in [
        (&b"\xff"[..], SuiteForm::JsonLines, "no UTF-8"),
        (b"a/b", SuiteForm::Pairs, "write another form"),
        (b"a).(b", SuiteForm::Pairs, "write another form"),
        (b"a)(b", SuiteForm::Pairs, "write another form"),
    ] {
        let machine = machine(&[symbol], &[b"0"], 0);
        let error = SuiteWriter::new(&machine, form, WrittenSymbols::Inputs)
            .err()
            .unwrap();
        assert!(error.to_string().contains(told), "{error}");
    }
    // A text can have all.
    let machine = machine(&[b"\xff"], &[b"\xff \xfe", b"\\xFE\n"], 0);
    assert!(SuiteWriter::new(&machine, SuiteForm::Text, WrittenSymbols::InputsAndOutputs).is_ok());
    assert_eq!(spelled(b"\xff \xfe"), "\"\\xFF \\xFE\"");
    assert_eq!(spelled(b"\\xFE\n"), "\"\\\\xFE\\n\"");
}

#[test]
fn a_tree_is_an_lts_whose_traces_are_the_tests() {
    for seed in 0..50 {
        let machine = machine(&[b"a", b"b"], &[b"0", b"1"], seed);
        let mut random = Random::new(seed);
        let mut tree = TestTree::new(&machine);
        for _ in 0..random.between(0, 8) {
            let length = random.between(0, 5);
            let word: Vec<InputId> = (0..length)
                .map(|_| InputId::new(random.between(0, 1) as u32))
                .collect();
            tree.insert(&machine, NodeId::ROOT, &word);
        }
        let pairing = Pairing::default();
        let lts = tree.to_lts(&machine, &pairing).unwrap();
        assert_eq!(lts.states(), tree.len());
        assert_eq!(lts.transitions(), tree.len() - 1);
        let found = Machine::from_lts(&lts, &pairing).unwrap();
        let _ = tree.each_test(|word| {
            let texts: Vec<&[u8]> = word.iter().map(|&i| machine.input_text(i)).collect();
            let same = texts.iter().map(|text| found.find_input(text).unwrap());
            let (outputs, end) = found
                .run(found.initial(), &same.collect::<Vec<_>>())
                .unwrap();
            let (expected, _) = machine.run(machine.initial(), word).unwrap();
            let text = |m: &Machine, o: &OutputId| m.output_text(*o).to_vec();
            let outputs: Vec<_> = outputs.iter().map(|o| text(&found, o)).collect();
            let expected: Vec<_> = expected.iter().map(|o| text(&machine, o)).collect();
            assert_eq!(outputs, expected, "seed {seed}");
            // It ends where the test does.
            assert!(
                found.input_ids().all(|i| found.step(end, i).is_none()),
                "seed {seed}"
            );
            ControlFlow::<()>::Continue(())
        });
    }
}
