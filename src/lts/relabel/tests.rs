use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use hyades_formats::{Diagnostic, LabelId, LtsBuilder, Parameter, Sink, StateId, StateLabels};
use proptest::prelude::*;

use super::*;

fn rules(action: Action, matching: Matching, lines: &[&str]) -> Rules {
    let lines = lines.iter().map(|line| line.as_bytes());
    Rules::from_lines(action, matching, Scope::Matching, lines, &mut |d| {
        panic!("{d}")
    })
    .unwrap()
}

/// What becomes of a label, in words.
fn fate(rules: &Rules, label: &str) -> String {
    match rules.apply(label.as_bytes()) {
        Outcome::Label(text) => String::from_utf8(text.into_owned()).unwrap(),
        Outcome::Hidden => "(hidden)".into(),
        Outcome::Cut => "(cut)".into(),
    }
}

#[test]
fn modes_of_hiding() {
    for (matching, pattern, hidden) in [
        (Matching::Total, "G", vec!["G"]),
        (Matching::Total, "G !1", vec!["G !1"]),
        (
            Matching::Total,
            "G.*",
            vec!["G", "G !1", "G !12", "G(1)", "GO"],
        ),
        (Matching::Gate, "G", vec!["G", "G !1", "G !12", "G(1)"]),
        (
            Matching::Gate,
            "G.*",
            vec!["G", "G !1", "G !12", "G(1)", "GO"],
        ),
        (Matching::Partial, "1", vec!["G !1", "G !12", "G(1)"]),
        (Matching::Partial, r"\<1\>", vec!["G !1", "G(1)"]),
        (Matching::Partial, "^H", vec!["H"]),
        (Matching::Partial, "O$", vec!["GO"]),
    ] {
        let rules = rules(Action::Hide, matching, &[pattern]);
        let labels = ["G", "G !1", "G !12", "G(1)", "GO", "H"];
        let found: Vec<_> = labels
            .into_iter()
            .filter(|label| fate(&rules, label) == "(hidden)")
            .collect();
        assert_eq!(found, hidden, "{matching} {pattern}");
    }
}

#[test]
fn modes_of_renaming() {
    for (matching, rule, label, expected) in [
        (Matching::Total, "G -> H", "G !1", "G !1"),
        (
            Matching::Total,
            r"G !\(.*\) -> PUT !\1 !\1",
            "G !2",
            "PUT !2 !2",
        ),
        (Matching::Gate, "G -> G !0", "G !1", "G !0 !1"),
        (Matching::Gate, r"\(.\)\(.\) -> \2\1", "GO(1)", "OG(1)"),
        (Matching::Single, "1 -> X", "G !1 !1", "G !X !1"),
        (Matching::Multiple, "1 -> X", "G !1 !1", "G !X !X"),
        (Matching::Multiple, "b* -> X", "abc", "XaXcX"),
        (Matching::Multiple, "x* -> -", "", "-"),
        (Matching::Multiple, "^a -> X", "aaa", "Xaa"),
        (Matching::Multiple, r"\<a -> X", "aa a", "Xa X"),
        (Matching::Single, "x* -> -", "abc", "-abc"),
        (Matching::Single, r#"" !.*" -> """#, "G !1 !2", "G"),
        (Matching::Single, r"a*\(ab\)* -> <\1>", "xaab", "<>xaab"),
        (
            Matching::Single,
            r"aa*\(b\)* -> <&\1\\\&>",
            "xaab",
            r"x<&b\&>",
        ),
    ] {
        let rules = rules(Action::Rename, matching, &[rule]);
        assert_eq!(fate(&rules, label), expected, "{matching} {rule}");
    }
}

#[test]
fn the_first_rule_counts_and_no_other() {
    let swap = rules(Action::Rename, Matching::Total, &["A -> B", "B -> A"]);
    assert_eq!([fate(&swap, "A"), fate(&swap, "B")], ["B", "A"]);
    let order = ["A.* -> X", "AB -> Y", "C -> Z", "C* -> W", "C -> V"];
    let order = rules(Action::Rename, Matching::Total, &order);
    assert_eq!(fate(&order, "AB"), "X");
    assert_eq!(fate(&order, "C"), "Z");
    assert_eq!(fate(&order, "CC"), "W");
}

fn read(action: Action, matching: Matching, text: &str) -> (Option<Rules>, Vec<String>) {
    let file: Arc<str> = "f".into();
    let mut said = Vec::new();
    let mut sink = |d: Diagnostic| said.push(d.to_string());
    let rules = Rules::read(&file, text.as_bytes(), action, matching, &mut sink);
    (rules.ok(), said)
}

#[test]
fn rule_files_as_cadp_has_them() {
    let text = "\r\n \t hide\tall   but \r\n\n  \" G\"  \r\nH.*\n\"a\"b\"\n\\\"c\n";
    let (rules, said) = read(Action::Hide, Matching::Total, text);
    assert_eq!(said, [""; 0]);
    let rules = rules.unwrap();
    assert_eq!(rules.len(), 4);
    for kept in [" G", "H !1", "a\"b", "\"c"] {
        assert_eq!(fate(&rules, kept), kept);
    }
    assert_eq!(fate(&rules, "G"), "(hidden)");

    let text = "rename\nA->B\n\"C -> D\" -> \"E -> F\"\n  \"X \"->\" Y\"\nZ -> \"\"\n\"Q\" -> R";
    let (rules, said) = read(Action::Rename, Matching::Total, text);
    assert_eq!(said, [""; 0]);
    let rules = rules.unwrap();
    for (label, new) in [
        ("A", "B"),
        ("C -> D", "E -> F"),
        ("X ", " Y"),
        ("Z", ""),
        ("Q", "R"),
    ] {
        assert_eq!(fate(&rules, label), new);
    }

    let (rules, _) = read(Action::Cut, Matching::Gate, "cut\nG");
    assert_eq!(fate(&rules.unwrap(), "G !1"), "(cut)");
    let (rules, _) = read(Action::Hide, Matching::Total, "hide all but");
    assert_eq!(fate(&rules.unwrap(), "G !1"), "(hidden)");
    let (rules, _) = read(Action::Hide, Matching::Total, "hide");
    assert_eq!(fate(&rules.unwrap(), "G !1"), "G !1");
}

#[test]
fn every_mistake_in_a_file_has_its_place() {
    use Action::{Cut, Hide, Rename};
    for (action, text, at, what) in [
        (Hide, "", "f:1:1", "rule-header"),
        (Hide, "\n\n", "f:1:1", "rule-header"),
        (Hide, "\n  cut\nG", "f:2:3", "rule-header"),
        (Hide, "Hide\nG", "f:1:1", "rule-header"),
        (Hide, "hide all\nG", "f:1:1", "rule-header"),
        (Cut, "cut but all\nG", "f:1:1", "rule-header"),
        (Rename, "rename all but\n", "f:1:1", "rule-header"),
        (Hide, "hide\nG\n a[b", "f:3:3", "rule-syntax"),
        (Hide, "hide\n \"a[b\"", "f:2:4", "rule-syntax"),
        (Hide, "hide\n \"ab", "f:2:2", "rule-syntax"),
        (Hide, "hide\n\\(a\\)\\1", "f:2:6", "rule-syntax"),
        (Rename, "rename\nA B", "f:2:1", "rule-syntax"),
        (Rename, "rename\n \"A -> B", "f:2:2", "rule-syntax"),
        (Rename, "rename\n-> B", "f:2:1", "rule-syntax"),
        (Rename, "rename\nA ->", "f:2:3", "rule-syntax"),
        (Rename, "rename\nA -> B -> C", "f:2:8", "rule-syntax"),
        (Rename, "rename\nA -> \"B", "f:2:6", "rule-syntax"),
        (Rename, "rename\nA -> B\\1", "f:2:7", "rule-syntax"),
        (Rename, "rename\nA -> B\\x", "f:2:7", "rule-syntax"),
        (Rename, "rename\nA -> B\\", "f:2:7", "rule-syntax"),
    ] {
        let (rules, said) = read(action, Matching::Total, text);
        assert!(rules.is_none(), "{text}");
        assert_eq!(said.len(), 1, "{text}: {said:?}");
        let start = format!("{at}: error: ");
        let end = format!("[{what}]");
        assert!(
            said[0].starts_with(&start) && said[0].ends_with(&end),
            "{text}: {said:?}"
        );
    }
    // A byte order mark is skipped; places count it.
    let mark = "\u{feff}";
    let (rules, said) = read(Action::Hide, Matching::Total, &format!("{mark}hide\nG"));
    assert_eq!(fate(&rules.unwrap(), "G"), "(hidden)");
    let warning = "f:1:1: warning: byte order mark: save the file without [rule-bom]";
    assert_eq!(said, [warning]);
    let (_, said) = read(Action::Hide, Matching::Total, &format!("{mark} cut\nG"));
    assert_eq!(said[0], warning);
    assert!(said[1].starts_with("f:1:5: error: found `cut`"), "{said:?}");
    // All mistakes of a file are told.
    let (_, said) = read(Action::Hide, Matching::Total, "hide\na[\nb\nc[");
    assert_eq!(said.len(), 2);
    let mut said = Vec::new();
    let lines = [&b"A"[..], b"B["];
    let mut sink = |d: Diagnostic| said.push(d.to_string());
    Rules::from_lines(
        Action::Cut,
        Matching::Total,
        Scope::Matching,
        lines,
        &mut sink,
    )
    .unwrap_err();
    assert_eq!(
        said,
        ["error: cut `B[`, column 2: '[' without ']' [rule-syntax]"]
    );
}

#[test]
fn patterns_that_no_gate_can_match_are_told() {
    let text = "hide\nG !1\nG\n\\(H.*(\\)\\{1,\\}\n[ !]\n[ !A]\nI!*";
    let (_, said) = read(Action::Hide, Matching::Gate, text);
    let places: Vec<_> = said.iter().map(|s| &s[..5]).collect();
    assert_eq!(places, ["f:2:1", "f:4:1", "f:5:1"], "{said:?}");
    assert!(said[0].contains("hide `G !1`") && said[0].ends_with("[rule-offers]"));
    let (_, said) = read(Action::Hide, Matching::Total, text);
    assert_eq!(said, [""; 0]);
}

/// An LTS of these transitions; no text is the hidden action.
fn lts(transitions: &[(u32, Option<&str>, u32)]) -> hyades_formats::Lts {
    let mut builder = LtsBuilder::new(1);
    for &(s, label, t) in transitions {
        let label = match label {
            None => LabelId::HIDDEN,
            Some(text) => builder.table_mut().intern(text.as_bytes()).unwrap(),
        };
        builder.add(StateId::new(s), label, StateId::new(t));
    }
    builder.build(StateId::new(0)).unwrap()
}

fn transitions(lts: &hyades_formats::Lts) -> Vec<(u32, Option<String>, u32)> {
    let text = |l: LabelId| match l.is_hidden() {
        true => None,
        false => Some(String::from_utf8(lts.table().text(l).to_vec()).unwrap()),
    };
    lts.iter()
        .map(|(s, l, t)| (s.get(), text(l), t.get()))
        .collect()
}

fn run(lts: hyades_formats::Lts, steps: &[RelabelStep]) -> Relabelled {
    relabel(lts, steps, &|text| text == b"i", None).unwrap()
}

#[test]
fn states_and_what_is_known_of_them_stay() {
    let mut known = StateLabels::new(vec![Parameter::default()]);
    (0..4).for_each(|_| known.push([]));
    let before = [
        (0, Some("A"), 1),
        (1, None, 2),
        (1, Some("B"), 3),
        (3, Some("A"), 3),
    ];
    let cut = RelabelStep::Rules(rules(Action::Cut, Matching::Total, &[".*"]), None);
    let hide = RelabelStep::Rules(rules(Action::Hide, Matching::Total, &["A"]), None);
    let lts = lts(&before).with_state_labels(known.clone());
    let done = run(lts, &[hide, cut]);
    assert_eq!((done.hidden, done.cut), (2, 1));
    assert_eq!(done.lts.state_labels(), Some(&known));
    assert_eq!(done.lts.states(), 4);
    assert!(done.lts.table().is_empty());
    let left = [(0, None, 1), (1, None, 2), (3, None, 3)];
    assert_eq!(transitions(&done.lts), left);
}

#[test]
fn renaming_to_the_hidden_action_hides() {
    let before = [(0, Some("A"), 1), (1, Some("i"), 2), (2, Some("B"), 3)];
    let rename = rules(Action::Rename, Matching::Total, &["A -> i", "B -> tau"]);
    let done = run(lts(&before), &[RelabelStep::Rules(rename, None)]);
    // A visible `i` that no rule has made stays visible.
    let after = [
        (0, None, 1),
        (1, Some("i".into()), 2),
        (2, Some("tau".into()), 3),
    ];
    assert_eq!(transitions(&done.lts), after);
    assert_eq!((done.hidden, done.cut), (1, 0));
}

#[test]
fn scrambled_labels_are_numbered_by_first_use() {
    let mut builder = LtsBuilder::new(1);
    for text in ["Z", "unused", "B", "A"] {
        builder.table_mut().intern(text.as_bytes()).unwrap();
    }
    for (s, text, t) in [(1, "A", 0), (0, "B", 1), (1, "Z", 1), (1, "B", 2)] {
        builder.add_text(s, text.as_bytes(), t).unwrap();
    }
    builder.add(StateId::new(2), LabelId::HIDDEN, StateId::new(0));
    let lts = builder.build(StateId::new(0)).unwrap();
    let merge = rules(Action::Rename, Matching::Total, &["Z -> A"]);
    let scramble = RelabelStep::Scramble(Scramble::new(b"%%L%d!").unwrap());
    let done = run(lts.clone(), &[RelabelStep::Rules(merge, None), scramble]);
    let texts: Vec<_> = transitions(&done.lts).into_iter().map(|t| t.1).collect();
    let text = |text: &str| Some(text.to_string());
    assert_eq!(
        texts,
        [text("%L0!"), text("%L1!"), text("%L1!"), text("%L0!"), None]
    );
    for bad in ["L", "%d%d", "%s", "L%", "%5d"] {
        assert!(Scramble::new(bad.as_bytes()).is_err(), "{bad}");
    }
}

#[test]
fn rules_that_match_nothing_are_told() {
    let before = [(0, Some("A !1"), 1), (1, Some("B"), 2), (1, None, 0)];
    let lines = ["B", "B", "C", "A.*", "A !1", "A !.", "i", "D.*"];
    let hide = rules(Action::Hide, Matching::Total, &lines);
    let again = rules(Action::Cut, Matching::Gate, &["A"]);
    let steps = [
        RelabelStep::Rules(hide, Some("f".into())),
        RelabelStep::Rules(again, None),
    ];
    for unused in [false, true] {
        let mut said = Vec::new();
        let mut sink = |d: Diagnostic| said.push(d.to_string());
        let unused_to: Option<&mut Sink<'_>> = if unused { Some(&mut sink) } else { None };
        relabel(lts(&before), &steps, &|_| false, unused_to).unwrap();
        let expected = [
            "f: warning: hide `C`: no label matches [rule-unused]",
            "f: warning: hide `i`: no label matches [rule-unused]",
            "f: warning: hide `D.*`: no label matches [rule-unused]",
            "warning: cut `A`: no label matches [rule-unused]",
        ];
        assert_eq!(said, expected[..if unused { 4 } else { 0 }]);
    }
}

#[test]
fn what_was_meant_by_rules_that_match_nothing_is_told() {
    let before = [
        (0, Some("COIN !1"), 1),
        (0, Some("COIN !2"), 1),
        (1, Some("TEA"), 0),
    ];
    for (matching, pattern, expected) in [
        (
            Matching::Total,
            "COIN",
            "no label matches: it has to match a whole label, and 2 labels contain it, as \
             `COIN !1`: write 'COIN.*', or match gates only",
        ),
        (
            Matching::Gate,
            "COI",
            "whole gate, and 1 gate contains it, as `COIN`: write 'COI.*'",
        ),
        (
            Matching::Partial,
            "COIN|TEA",
            "no label matches: `|` stands for itself",
        ),
        (
            Matching::Partial,
            "MILK",
            "hide `MILK`: no label matches [rule-unused]",
        ),
    ] {
        let step = RelabelStep::Rules(rules(Action::Hide, matching, &[pattern]), None);
        let mut said = String::new();
        let mut sink = |d: Diagnostic| said.push_str(&d.to_string());
        relabel(lts(&before), &[step], &|_| false, Some(&mut sink)).unwrap();
        assert!(said.contains(expected), "{pattern}: {said}");
    }
}

/// Many rows, so that they are dealt with in several parts.
/// What is left of a label, by eye: split it at `|` outside parentheses, up to a time;
/// if that makes several actions, those with such a name go, else the gate counts.
fn without_gates(label: &str, names: &[&str]) -> Option<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0);
    let (untimed, time) = label.split_at(label.find(" @ ").unwrap_or(label.len()));
    for c in untimed.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        match c {
            '|' if depth == 0 => parts.push(String::new()),
            c => parts.last_mut().unwrap().push(c),
        }
    }
    let name = |part: &str| part.split(['(', ' ', '!']).next().unwrap().to_owned();
    let is_action = |part: &String| {
        let arguments = &part[name(part).len()..];
        let starts = part.starts_with(|c: char| c.is_ascii_lowercase());
        starts && (arguments.is_empty() || arguments.ends_with(')')) && !part.contains([' ', '!'])
    };
    if parts.len() < 2 || !parts.iter().all(is_action) {
        return (!names.contains(&&*name(label))).then(|| label.to_owned());
    }
    parts.retain(|part| !names.contains(&&*name(part)));
    (!parts.is_empty()).then(|| parts.join("|") + time)
}

proptest! {
    #[test]
    fn gates_are_hidden_like_by_eye(
        labels in prop::collection::vec(
            prop_oneof![
                "[a-c][1-2]?(\\([a-c0-2|]{1,3}\\))?(\\|[a-c](\\([a-c]\\))?){0,3}( @ [1-9])?",
                "[a-c] ![a-c|]{1,2}",
                "[a-c|]{1,4}",
            ],
            1..6,
        ),
        names in prop::collection::vec(prop::sample::select(vec!["a", "b", "c", "a1", "x"]), 1..3),
    ) {
        let mut system = LtsBuilder::new(1);
        for label in &labels {
            system.add_text(0, label.as_bytes(), 0).unwrap();
        }
        let system = system.build(StateId::new(0)).unwrap();
        let rules = Rules::of_gates(names.iter().map(|name| name.as_bytes())).unwrap();
        let steps = [RelabelStep::Rules(rules, None)];
        let done = relabel(system, &steps, &|_| false, None).unwrap();
        let shown = done.lts.labels().iter().map(|&label| match label.is_hidden() {
            true => None,
            false => Some(String::from_utf8(done.lts.table().text(label).to_vec()).unwrap()),
        });
        let expected = labels.iter().map(|label| without_gates(label, &names));
        prop_assert!(shown.eq(expected), "{labels:?} without {names:?}");
        let RelabelStep::Rules(rules, _) = &steps[0] else { unreachable!() };
        let unused: Vec<_> = rules.unused_texts().collect();
        for name in names {
            let occurs = labels.iter().any(|l| without_gates(l, &[name]).as_ref() != Some(l));
            prop_assert_eq!(occurs, !unused.contains(&name.as_bytes()), "{} of {:?}", name, labels);
        }
    }
}

#[test]
fn large_systems_are_relabelled_in_parts() {
    let n = 90_000u32;
    let mut builder = LtsBuilder::new(n.into());
    let labels: Vec<_> = (0..7)
        .map(|k| {
            builder
                .table_mut()
                .intern(format!("L{k}").as_bytes())
                .unwrap()
        })
        .collect();
    for s in 0..n {
        for k in 0..(s % 5) {
            let label = labels[((s + k) % 7) as usize];
            builder.add(StateId::new(s), label, StateId::new((s * 7 + k) % n));
        }
    }
    let lts = builder.build(StateId::new(5)).unwrap();
    let steps = [
        RelabelStep::Rules(rules(Action::Cut, Matching::Total, &["L[135]"]), None),
        RelabelStep::Rules(rules(Action::Hide, Matching::Total, &["L0"]), None),
        RelabelStep::Rules(
            rules(Action::Rename, Matching::Total, &[r"L\(.\) -> M\1"]),
            None,
        ),
    ];
    let expected: Vec<_> = transitions(&lts)
        .into_iter()
        .filter_map(|(s, label, t)| match label.as_deref().unwrap() {
            "L1" | "L3" | "L5" => None,
            "L0" => Some((s, None, t)),
            other => Some((s, Some(other.replace('L', "M")), t)),
        })
        .collect();
    let before = lts.transitions();
    let done = run(lts, &steps);
    assert_eq!(done.lts.initial(), StateId::new(5));
    assert_eq!(done.lts.states(), n as usize);
    assert_eq!(done.cut as usize, before - expected.len());
    assert_eq!(transitions(&done.lts), expected);
}

/// A pattern in pieces: a byte or any, repeated or not, in a group or not.
type Pieces = Vec<(Option<u8>, bool, bool)>;

fn print(pieces: &Pieces) -> String {
    let one = |&(byte, star, group): &(Option<u8>, bool, bool)| {
        let byte = byte.map_or(".".to_string(), |b| char::from(b).to_string());
        let star = if star { "*" } else { "" };
        match group {
            true => format!(r"\({byte}{star}\)"),
            false => format!("{byte}{star}"),
        }
    };
    pieces.iter().map(one).collect()
}

/// What each piece takes if they match all of a text: by trying, the longest
/// first.
fn fits(pieces: &[(Option<u8>, bool, bool)], text: &[u8]) -> Option<Vec<usize>> {
    let Some((&(byte, star, _), rest)) = pieces.split_first() else {
        return text.is_empty().then(Vec::new);
    };
    let run = text
        .iter()
        .take_while(|b| byte.is_none_or(|own| own == **b));
    let most = if star {
        run.count()
    } else {
        run.count().min(1)
    };
    let least = usize::from(!star);
    for taken in (least..=most).rev() {
        if let Some(mut lengths) = fits(rest, &text[taken..]) {
            lengths.insert(0, taken);
            return Some(lengths);
        }
    }
    None
}

/// The leftmost longest part that matches, by trying all parts.
fn first_part(pieces: &Pieces, text: &[u8], from: usize) -> Option<Range<usize>> {
    (from..=text.len()).find_map(|start| {
        let ends = (start..=text.len()).rev();
        let mut spans = ends.map(|end| start..end);
        spans.find(|span| fits(pieces, &text[span.clone()]).is_some())
    })
}

/// The right side `<\1\2…>` for a match.
fn replaced(pieces: &Pieces, text: &[u8]) -> Vec<u8> {
    let lengths = fits(pieces, text).expect("it matches");
    let (mut at, mut out) = (0, b"<".to_vec());
    for (length, (_, _, group)) in lengths.into_iter().zip(pieces) {
        if *group {
            out.extend_from_slice(&text[at..at + length]);
        }
        at += length;
    }
    out.push(b'>');
    out
}

/// What the definition says of a label; `None` if the rule does not match.
fn naive<'a>(
    pieces: &Pieces,
    action: Action,
    matching: Matching,
    label: &'a [u8],
) -> Option<Outcome<'a>> {
    let stop = |b: &u8| b"!?( \t".contains(b);
    let gate = label.iter().position(stop).unwrap_or(label.len());
    let found = match matching {
        Matching::Total => fits(pieces, label).is_some(),
        Matching::Gate => fits(pieces, &label[..gate]).is_some(),
        _ => first_part(pieces, label, 0).is_some(),
    };
    if !found {
        return None;
    }
    let mut out = Vec::new();
    let mut at = 0;
    match (action, matching) {
        (Action::Hide, _) => return Some(Outcome::Hidden),
        (Action::Cut, _) => return Some(Outcome::Cut),
        (_, Matching::Total) => (out, at) = (replaced(pieces, label), label.len()),
        (_, Matching::Gate) => (out, at) = (replaced(pieces, &label[..gate]), gate),
        (_, matching) => {
            let mut last = None;
            while at <= label.len() {
                let part = first_part(pieces, label, at).filter(|part| part.start == at);
                match part {
                    Some(part) if !(part.is_empty() && last == Some(at)) => {
                        out.extend(replaced(pieces, &label[part.clone()]));
                        at = part.end;
                        last = Some(at);
                        if matching == Matching::Single {
                            break;
                        }
                        if part.is_empty() {
                            out.extend(label.get(at));
                            at += 1;
                        }
                    }
                    _ => {
                        out.extend(label.get(at));
                        at += 1;
                    }
                }
            }
        }
    }
    out.extend_from_slice(label.get(at..).unwrap_or_default());
    Some(Outcome::Label(Cow::Owned(out)))
}

fn patterns() -> impl Strategy<Value = Pieces> {
    let byte = prop::option::weighted(0.8, prop::sample::select(b"AABi !".as_slice()));
    prop::collection::vec((byte, any::<bool>(), any::<bool>()), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn relabelling_agrees_with_its_definition(
        steps in prop::collection::vec(
            (0..3usize, 0..4usize, any::<bool>(), prop::collection::vec(patterns(), 1..3)), 0..4),
        transitions_before in prop::collection::vec(
            (0u32..5, prop::option::weighted(0.9, "[ABi !]{0,6}"), 0u32..5), 0..12),
    ) {
        let before: Vec<_> =
            transitions_before.iter().map(|(s, l, t)| (*s, l.as_deref(), *t)).collect();
        let lts = lts(&before);
        let mut expected: Vec<_> = transitions(&lts);
        let mut all = Vec::new();
        for (action, mode, all_but, patterns) in steps {
            let scope = if all_but { Scope::AllBut } else { Scope::Matching };
            let action = [Action::Hide, Action::Cut, Action::Rename][action];
            let matching = action.modes()[mode % action.modes().len()];
            let line = |pieces: &Pieces| {
                let groups = pieces.iter().filter(|p| p.2).count();
                let right: String = (1..=groups).map(|k| format!(r"\{k}")).collect();
                match action {
                    Action::Rename => format!("\"{}\" -> \"<{right}>\"", print(pieces)),
                    _ => format!("\"{}\"", print(pieces)),
                }
            };
            // At the start, `*` would be an ordinary character.
            let lines: Vec<_> = patterns.iter().map(line).collect();
            let lines = lines.iter().map(|line| line.as_bytes());
            let rules = Rules::from_lines(action, matching, scope, lines, &mut |_| ()).unwrap();
            all.push(RelabelStep::Rules(rules, None));
            expected.retain_mut(|(_, label, _)| {
                let Some(text) = label.clone() else {
                    return true;
                };
                let found = patterns
                    .iter()
                    .find_map(|p| naive(p, action, matching, text.as_bytes()));
                let outcome = match (action, found, all_but) {
                    (Action::Hide, None, true) => Some(Outcome::Hidden),
                    (Action::Cut, None, true) => Some(Outcome::Cut),
                    (Action::Hide | Action::Cut, Some(_), true) => None,
                    (_, found, _) => found,
                };
                match outcome {
                    None => {}
                    Some(Outcome::Cut) => return false,
                    Some(Outcome::Hidden) => *label = None,
                    Some(Outcome::Label(new)) => {
                        let new = String::from_utf8(new.into_owned()).unwrap();
                        *label = (new != "i").then_some(new);
                    }
                }
                true
            });
        }
        let done = run(lts, &all);
        prop_assert_eq!(transitions(&done.lts), expected);
    }

    #[test]
    fn any_file_is_accepted_or_refused(
        header in prop::sample::select(vec!["hide", "cut", "rename", "hide all but", "x"]),
        text in prop::collection::vec(
            prop_oneof![prop::sample::select(b"\\()[]*\"-> \n\rA1{},".as_slice()), any::<u8>()], 0..60),
        action in 0..3usize,
    ) {
        let action = [Action::Hide, Action::Cut, Action::Rename][action];
        let text = [header.as_bytes(), b"\n", &text].concat();
        for &matching in action.modes() {
            let mut errors = 0;
            let mut sink = |_: Diagnostic| errors += 1;
            if let Ok(rules) = Rules::read(&"f".into(), &text, action, matching, &mut sink) {
                rules.apply(b"A !1 \"x\"");
            } else {
                prop_assert!(errors > 0);
            }
        }
    }
}
