//! Reports, byte by byte.

use std::io::Write;
use std::num::NonZeroU32;
use std::time::Duration;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::*;

/// Tells a report of four tests, one of each kind, with symbols that need care.
fn tell(report: &mut dyn Report, planned: Option<u64>, failed: Option<&str>) {
    let long: Vec<String> = (0..30).map(|k| format!("i{k}")).collect();
    let long: Symbols = long.iter().collect();
    let same: Symbols = (0..30).map(|_| "o").collect();
    let odd = symbols(&["<a&b>", "# TODO \\", "\u{ffff}\u{1}", ""]);
    let answers = symbols(&["]]>", "\"", "x", "y"]);
    let difference = |position, found| Difference { position, found };
    let found = Seen::Output(b"\xff<\x02".as_slice().into());
    let verdicts = [
        TestVerdict::Pass,
        TestVerdict::Fail(difference(3, found)),
        TestVerdict::Flaky(Some(difference(
            20,
            Seen::Timeout(Duration::from_millis(1500)),
        ))),
        TestVerdict::Error("it is <gone>".into()),
    ];
    report.begin(planned).unwrap();
    for (number, verdict) in (1..).zip(&verdicts) {
        let (inputs, expected) = match number {
            3 => (&long, &same),
            _ => (&odd, &answers),
        };
        let result = TestResult {
            number: number * 10,
            inputs,
            expected,
            verdict,
            runs: if number == 3 { 5 } else { 1 },
            passed: if number == 3 {
                2
            } else {
                u32::from(number == 1)
            },
            elapsed: Duration::from_micros(1_234_567),
        };
        report.test(&result).unwrap();
    }
    let summary = Summary {
        tests: 4,
        passed: 1,
        failed: 1,
        flaky: 1,
        errors: 1,
        symbols: 99,
        resets: 8,
        elapsed: Duration::from_millis(5000),
        shortest: Some((20, odd)),
        stopped: failed.map(str::to_owned),
    };
    report.end(&summary, failed).unwrap();
}

fn written(make: impl FnOnce(&mut dyn Write)) -> String {
    let mut text = Vec::new();
    make(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn tap() {
    let text = written(|output| tell(&mut Tap::new(output), None, None));
    let expected = r#"TAP version 13
ok 1 - <a&b> "\# TODO \\\\" "￿\\u0001" ""
"#;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[..2],
        expected.lines().collect::<Vec<_>>()[..2],
        "{text}"
    );
    assert_eq!(
        lines[2..12],
        [
            lines[1].replacen("ok 1", "not ok 2", 1).as_str(),
            "  ---",
            r#"  message: "input 4, \"\": expected y, found \"\\xFF<\\u0002\"""#,
            r#"  severity: "fail""#,
            "  test: 20",
            "  position: 4",
            r#"  found: "\\xFF<\u0002""#,
            r##"  inputs: ["<a&b>","# TODO \\","￿\u0001",""]"##,
            r#"  expected: ["]]>","\"","x","y"]"#,
            "  ...",
        ]
    );
    assert!(lines[12].starts_with("not ok 3 - i0 i1 "), "{}", lines[12]);
    assert!(lines[12].ends_with(" i15 … (30 inputs)"), "{}", lines[12]);
    assert!(text.contains(
        "  message: \"not deterministic: 2 of 5 runs passed; input 21, i20: expected o, found no \
         output in 1.5s\"\n  severity: \"flaky\"\n  test: 30\n  runs: {\"passed\":2,\"all\":5}\n  \
         position: 21\n  found: null\n"
    ));
    assert!(text.contains("\n  message: \"it is <gone>\"\n  severity: \"error\"\n"));
    assert!(text.ends_with(
        "\n1..4\n# 4 tests: 1 passed, 1 failed, 1 not deterministic, 1 could not be executed; 99 \
         inputs, 8 resets\n"
    ));
    let text = written(|output| tell(&mut Tap::new(output), Some(4), None));
    assert!(text.starts_with("TAP version 13\n1..4\nok 1 - "));
    assert_eq!(text.matches("1..4").count(), 1);
    for planned in [None, Some(9)] {
        let text = written(|output| tell(&mut Tap::new(output), planned, Some("no power")));
        // Who reads it wants a plan, and a failure.
        let (begin, end) = match planned {
            Some(_) => ("TAP version 13\n1..9\n", ""),
            None => ("TAP version 13\nok 1", "1..5\n"),
        };
        let end = format!("\nnot ok 5 - the system under test\n{end}Bail out! no power\n#");
        assert!(text.starts_with(begin) && text.contains(&end), "{text}");
    }
}

#[test]
fn json_lines() {
    let text = written(|output| tell(&mut JsonReport::new(output), None, Some("no power")));
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        text.lines().next().unwrap(),
        r##"{"test":10,"verdict":"pass","in":["<a&b>","# TODO \\","￿\u0001",""],"out":["]]>","\"","x","y"],"runs":1,"passed":1,"seconds":1.234567}"##
    );
    assert_eq!(lines[1]["verdict"], "fail");
    assert_eq!(lines[1]["position"], 4);
    assert_eq!(lines[1]["found"], "\\xFF<\u{2}");
    assert_eq!(lines[2]["verdict"], "flaky");
    assert_eq!(lines[2]["found"], serde_json::Value::Null);
    assert_eq!(lines[3]["verdict"], "error");
    assert_eq!(lines[3]["message"], "it is <gone>");
    let last = &lines[4];
    for (key, count) in [
        ("tests", 4),
        ("failed", 1),
        ("flaky", 1),
        ("symbols", 99),
        ("resets", 8),
    ] {
        assert_eq!(last[key], count, "{key}");
    }
    assert_eq!(last["shortest"]["test"], 20);
    assert_eq!(last["failure"], "no power");
}

#[test]
fn one_json_object() {
    let value = |failed| -> serde_json::Value {
        let text = written(|output| tell(&mut JsonReport::one_object(output), None, failed));
        serde_json::from_str(&text).unwrap()
    };
    let text = written(|output| tell(&mut JsonReport::new(output), None, None));
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut one = value(None);
    assert_eq!(one["verdict"], "fail");
    assert_eq!(value(Some("no power"))["verdict"], "error");
    let object = one.as_object_mut().unwrap();
    object.remove("verdict");
    let results = object.remove("results").unwrap();
    assert_eq!(results.as_array().unwrap()[..], lines[..4]);
    assert_eq!(one, lines[4]);
}

/// Name, attributes and text.
type Element = (String, Vec<(String, String)>, String);

/// The elements of a text, as a reader of XML finds them.
fn elements(xml: &str) -> Vec<Element> {
    let mut reader = Reader::from_str(xml);
    let mut elements: Vec<Element> = Vec::new();
    let mut open = 0;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(e) | Event::Empty(e) => {
                let name = e.name().as_ref().to_owned();
                let attributes = e.attributes().map(|a| {
                    let a = a.unwrap();
                    let key = a.key.as_ref().to_owned();
                    let value = a.value;
                    (
                        key,
                        quick_xml::escape::unescape(&value).unwrap().into_owned(),
                    )
                });
                elements.push((name, attributes.collect(), String::new()));
                open += 1;
            }
            Event::Text(text) => {
                if let Some(last) = elements.last_mut() {
                    last.2.push_str(&text);
                }
            }
            Event::GeneralRef(name) => {
                let text = quick_xml::escape::unescape(&format!("&{};", &*name))
                    .unwrap()
                    .into_owned();
                elements.last_mut().unwrap().2.push_str(&text);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    assert!(open > 0);
    elements
}

#[test]
fn junit() {
    let text = written(|output| tell(&mut JUnit::new(output, "a & b\u{0}"), None, None));
    assert!(
        text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites "),
        "{text}"
    );
    let elements = elements(&text);
    let names: Vec<&str> = elements.iter().map(|e| &*e.0).collect();
    assert_eq!(
        names,
        [
            "testsuites",
            "testsuite",
            "testcase",
            "testcase",
            "failure",
            "testcase",
            "failure",
            "testcase",
            "error",
            "system-out",
        ]
    );
    let attribute = |element: usize, key: &str| {
        let mut attributes = elements[element].1.iter();
        attributes
            .find(|a| a.0 == key)
            .map(|a| a.1.as_str())
            .unwrap_or_default()
    };
    for (key, value) in [
        ("tests", "4"),
        ("failures", "2"),
        ("errors", "1"),
        ("time", "5.000"),
    ] {
        assert_eq!(attribute(0, key), value);
        assert_eq!(attribute(1, key), value);
    }
    assert_eq!(attribute(1, "name"), "a & b\u{fffd}");
    assert_eq!(attribute(2, "classname"), "a & b\u{fffd}");
    assert_eq!(
        attribute(2, "name"),
        "test 10: <a&b> \"# TODO \\\\\" \"\u{fffd}\\u0001\" \"\""
    );
    assert_eq!(attribute(2, "time"), "1.235");
    assert_eq!(attribute(4, "type"), "difference");
    assert_eq!(
        attribute(4, "message"),
        "input 4, \"\": expected y, found \"\\xFF<\\u0002\""
    );
    assert_eq!(
        elements[4].2.trim_end(),
        "<a&b> => ]]>\n\"# TODO \\\\\" => \"\\\"\"\n\"\u{fffd}\\u0001\" => x\n\"\" => expected y, \
         found \"\\xFF<\\u0002\""
    );
    assert_eq!(attribute(6, "type"), "nondeterminism");
    let context = elements[6].2.trim_end();
    assert!(
        context.starts_with("… 15 inputs, answered as expected\ni15 => o\n"),
        "{context}"
    );
    assert!(
        context.ends_with("\ni20 => expected o, found no output in 1.5s"),
        "{context}"
    );
    assert_eq!(context.lines().count(), 7);
    assert_eq!(attribute(8, "message"), "it is <gone>");
    // Without a system there is an error at least.
    let mut text = Vec::new();
    let mut report = JUnit::new(&mut text, "s");
    report.begin(None).unwrap();
    report
        .end(&Summary::default(), Some("cannot start it"))
        .unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains(
            "<testsuite name=\"s\" skipped=\"0\" tests=\"1\" failures=\"0\" errors=\"1\""
        )
    );
    assert!(text.contains("message=\"cannot start it\""), "{text}");
}

struct Full;

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is full"))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn several_reports_and_outputs_that_refuse() {
    let machine = toggle();
    let run = |report: &mut dyn Report| {
        let options = RunOptions {
            repeat: NonZeroU32::new(2).unwrap(),
            ..RunOptions::default()
        };
        let a = InputId::new(0);
        let each = |tell: &mut dyn FnMut(&[InputId]) -> ControlFlow<Stop>| tell(&[a]);
        let mut system = MachineSystem::new(&machine);
        run_suite(&machine, each, Order::AsGiven, &mut system, options, report)
    };
    let (mut tap, mut junit) = (Vec::new(), Vec::new());
    let mut both: Vec<Box<dyn Report>> = vec![
        Box::new(Tap::new(&mut tap)),
        Box::new(JUnit::new(&mut junit, "s")),
    ];
    run(&mut both).unwrap();
    drop(both);
    assert!(tap.starts_with(b"TAP version 13\nok 1 - a\n1..1\n"));
    assert!(junit.ends_with(b"</testsuites>\n"));
    let (mut one, mut other, mut third) = (Full, Full, Full);
    let reports: [Box<dyn Report>; 3] = [
        Box::new(Tap::new(&mut one)),
        Box::new(JUnit::new(&mut other, "s")),
        Box::new(JsonReport::new(&mut third)),
    ];
    for mut report in reports {
        let error = run(&mut *report).unwrap_err();
        assert_eq!(error.to_string(), "the disk is full");
        assert!(matches!(error, RunError::Report(_)));
    }
}
