//! The fast path against the grammar, on lines of all kinds.

use proptest::prelude::*;

use super::read::Aut;
use super::{grammar, scan};
use crate::diagnostic::{Log, Position};
use crate::lines::{Part, Recents, Rules, nth_transition_line, parse, parse_slowly};
use crate::lts::LabelTable;
use crate::options::{Escapes, Mode};

/// The scanner looks at some bytes around a line.
const PAD: &[u8] = b"(0, \"a line of more than 32 bytes\", 0)\n";

/// Everything that can be told of a part.
fn show(mut part: Part) -> String {
    let mut log = String::new();
    std::mem::replace(&mut part.log, Log::new())
        .drain_into(None, &mut |d| log += &format!("{d}\n"));
    format!(
        "{:?}\n{:?}\n{log}{} lines, {} of transitions, ended {}, descends {}, hidden {}, \
         hint {:?}, {} states",
        part.rows.transitions,
        part.new,
        part.lines,
        part.transition_lines,
        part.ended,
        part.rows.descends,
        part.hidden,
        part.hint,
        part.states
    )
}

/// A line that is in order, or nearly so.
fn near_line() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![
        8 => (0u32..12).prop_map(|n| n.to_string()),
        4 => any::<u32>().prop_map(|n| n.to_string()),
        1 => any::<u64>().prop_map(|n| n.to_string()),
        1 => "0{0,12}[0-9]{1,3}",
        1 => "[0-9]{0,2}[-+x./a ][0-9]{0,2}",
    ];
    let label = prop_oneof![
        6 => "\"[a-c!]{0,4}\"".prop_map(String::into_bytes),
        3 => "[a-ci][a-c0-9_]{0,3}".prop_map(String::into_bytes),
        2 => Just(b"i".to_vec()),
        1 => Just(b"\"tau\"".to_vec()),
        1 => "\"[a-c, ]{0,40}\"".prop_map(String::into_bytes),
        1 => "\"?[a-c,()\"0-9 #\\\\]{0,12}\"?".prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..6),
    ];
    let blank = prop_oneof![6 => Just(""), 3 => Just(" "), 1 => "[ \t\x0b]{2}".prop_map(|_| "\t ")];
    let end = prop_oneof![12 => Just(""), 3 => Just("\r"), 1 => Just(";"), 1 => Just(" ")];
    (number.clone(), blank.clone(), label, blank, number, end).prop_map(|(s, a, l, b, t, end)| {
        [
            b"(",
            s.as_bytes(),
            b",",
            a.as_bytes(),
            &l,
            b",",
            b.as_bytes(),
            t.as_bytes(),
            b")",
            end.as_bytes(),
        ]
        .concat()
    })
}

/// A line with a few bytes changed, removed or put in; or hardly anything.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let nothing = "[ \t\r]{0,3}| {29,32}".prop_map(String::into_bytes);
    prop_oneof![15 => changed_line(), 1 => nothing]
}

fn changed_line() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![
        3 => prop::sample::select(b"(),\" \t\r\n\x04\0i09a!-+/.#\\".to_vec()),
        1 => any::<u8>(),
    ];
    let change = (any::<prop::sample::Index>(), 0..3, byte);
    (
        near_line(),
        prop_oneof![3 => Just(0usize), 2 => Just(1), 1 => Just(3)],
        prop::collection::vec(change, 3),
    )
        .prop_map(|(mut line, n, changes)| {
            for (at, kind, byte) in changes.into_iter().take(n) {
                let at = at.index(line.len() + 1);
                match kind {
                    0 => line.insert(at, byte),
                    1 if at < line.len() => line[at] = byte,
                    _ if at < line.len() => drop(line.remove(at)),
                    _ => {}
                }
            }
            line
        })
}

fn syntax(k: u8) -> Aut {
    Aut {
        escapes: if k & 16 != 0 {
            Escapes::Ltsmin
        } else {
            Escapes::None
        },
    }
}

fn rules(k: u8, hidden: &[Vec<u8>]) -> Rules<'_> {
    Rules {
        mode: [Mode::Default, Mode::Strict, Mode::Lenient][usize::from(k % 3)],
        grow: k & 8 != 0,
        max_line: if k & 32 != 0 { 30 } else { 1 << 20 },
        hidden,
        want_hint: k & 64 != 0,
        states: (k & 128 != 0).then_some(10),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn scanner_and_grammar_agree(
        lines in prop::collection::vec(line(), 0..20),
        k in any::<u8>(),
        last in any::<bool>(),
    ) {
        let mut text = lines.join(&b'\n');
        if last {
            text.push(b'\n');
        }
        let hidden = [b"i".to_vec(), b"b".to_vec()];
        let rules = rules(k, &hidden[..1 + usize::from(k & 4 != 0)]);
        let mut table = LabelTable::new();
        table.intern(b"a").unwrap();
        table.intern(b"tau!").unwrap();
        let fast = parse(&syntax(k), &text, &table, &rules, &Recents::default());
        if !fast.ended {
            let nth = |n| nth_transition_line::<Aut>(&text, n, rules.max_line);
            let counted: Vec<u64> = (0..fast.transition_lines).map_while(nth).collect();
            prop_assert_eq!(counted.len() as u64, fast.transition_lines);
            prop_assert!(counted.is_sorted_by(|a, b| a < b));
            prop_assert_eq!(nth(fast.transition_lines), None);
        }
        let slow = show(parse_slowly(&syntax(k), &text, &table, &rules));
        prop_assert_eq!(show(fast), slow);
    }

    #[test]
    fn what_is_known_of_labels_serves_for_further_parts(
        labels in prop::collection::vec(
            // Of one beginning and one end, mostly.
            (0..50_usize, 0..50_usize, b'a'..=b'c').prop_map(|(len, place, byte)| {
                let mut label = vec![b'a'; len];
                if let Some(place) = label.get_mut(place) {
                    *place = byte;
                }
                String::from_utf8(label).unwrap()
            }),
            1..30,
        ),
        parts in prop::collection::vec(
            prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..40),
            1..12,
        ),
    ) {
        let hidden = [labels[0].clone().into_bytes()];
        let (rules, recents) = (rules(0, &hidden), Recents::default());
        let mut table = LabelTable::new();
        // The parts of a batch are parsed with the same table.
        for batch in parts.chunks(2) {
            let mut new = Vec::new();
            for part in batch {
                let line = |(label, quoted): &(prop::sample::Index, bool)| {
                    let label = label.get(&labels);
                    match *quoted || label.is_empty() {
                        true => format!("(0, \"{label}\", 1)\n"),
                        false => format!("(0,{label},1)\n"),
                    }
                };
                let text: String = part.iter().map(line).collect();
                // More for the scanner, which gives up close to the end of the text.
                let text = text + &"(0, last, 1)\n".repeat(8);
                let fast = parse(&syntax(0), text.as_bytes(), &table, &rules, &recents);
                let slow = parse_slowly(&syntax(0), text.as_bytes(), &table, &rules);
                new.push(slow.new.clone());
                prop_assert_eq!(show(fast), show(slow));
            }
            for new in &new {
                table.intern_all(new).unwrap();
            }
        }
    }

    #[test]
    fn a_scanned_line_is_what_the_grammar_says(line in line()) {
        let text = [PAD, &line[..], b"\n", PAD].concat();
        if let Some(found) = scan::line(&text, PAD.len()) {
            let label = &text[found.label.0..found.label.1];
            if scan::is_usual(&text, found.label, found.quoted) {
                let line = &text[PAD.len()..];
                let end = memchr::memchr(b'\n', line).unwrap();
                prop_assert_eq!(found.next, PAD.len() + end + 1);
                let stripped = grammar::strip_end(&line[..end], true).unwrap();
                let t = grammar::transition(stripped).unwrap();
                prop_assert_eq!(t.source.value, u64::from(found.source));
                prop_assert_eq!(t.target.value, u64::from(found.target));
                prop_assert_eq!((t.label, t.quoted), (label, found.quoted));
            }
        }
    }
}

#[test]
fn the_scanner_takes_usual_lines() {
    for line in [
        "(0,a,1)\n",
        "(0, a, 1)\r\n",
        "(123456789, \"PUSH !1\", 987654321)\n",
        "(12345678, i, 12345678)\n",
        "(0, \"\", 00000001)\n",
        "(0,\"exactly 16 bytes\",7)\n",
        "(0,\"a label of more than thirty-two bytes, (so, there)\",7)\n",
    ] {
        let text = [PAD, line.as_bytes(), PAD].concat();
        let found = scan::line(&text, PAD.len()).expect(line);
        assert_eq!(found.next, PAD.len() + line.len());
        assert!(scan::is_usual(&text, found.label, found.quoted), "{line}");
    }
}

#[test]
fn usual_labels_are_those_of_the_grammar() {
    let usual = |label: &[u8], quoted: bool| {
        let text = [PAD, label, PAD].concat();
        scan::is_usual(&text, (PAD.len(), PAD.len() + label.len()), quoted)
    };
    for len in [1, 7, 8, 9, 17] {
        for place in [0, len / 2, len - 1] {
            for byte in 0..=u8::MAX {
                let mut label = vec![b'x'; len];
                label[place] = byte;
                let printable = matches!(byte, b' '..=b'~') && byte != b'"';
                assert_eq!(usual(&label, true), printable, "{label:?}");
                assert_eq!(
                    usual(&label, false),
                    grammar::is_unquoted(&label),
                    "{label:?}"
                );
            }
        }
    }
    assert!(usual(b"", true) && !usual(b"", false));
}

#[test]
fn many_labels_are_numbered_in_the_order_of_their_lines() {
    let hidden = [b"i".to_vec()];
    let mut lines: Vec<String> = (0..9_000)
        .map(|k| match k {
            // the hint tells where this one is
            4_321 => "(1, \"tau\", 2)\n".into(),
            _ if k % 97 == 0 => format!("(0 , l{k}, 7)\n"),
            _ if k % 89 == 0 => "(3, i, 4)\n".into(),
            _ => format!("({k}, \"l {}\", 0)\n", k * k % 5_003),
        })
        .collect();
    lines.push("(0, a, 1)".into());
    let text = lines.concat();
    let rules = Rules {
        states: Some(10_000),
        want_hint: true,
        ..rules(0, &hidden)
    };
    for known in [0, 100, 5_000] {
        let mut table = LabelTable::new();
        for k in 0..known {
            table.intern(format!("l {k}").as_bytes()).unwrap();
        }
        let fast = parse(
            &syntax(0),
            text.as_bytes(),
            &table,
            &rules,
            &Recents::default(),
        );
        let slow = parse_slowly(&syntax(0), text.as_bytes(), &table, &rules);
        assert_eq!(fast.hint, Some((Position::new(4_322, 5), b"tau".to_vec())));
        assert!(show(fast) == show(slow));
    }
}
