//! What records mean, and what is refused.

use super::super::header::PREVIOUS_VERSION;
use super::*;
use crate::Mode;

fn labels(lts: &Lts) -> Vec<(u32, String, u32)> {
    let text = |l: crate::LabelId| match l.is_hidden() {
        true => "<hidden>".to_owned(),
        false => String::from_utf8_lossy(lts.table().text(l)).into_owned(),
    };
    lts.iter()
        .map(|(s, l, t)| (s.get(), text(l), t.get()))
        .collect()
}

#[test]
fn multi_actions_are_sorted_by_name() {
    let mut s = Stream::new();
    let (x, y) = (s.op("x"), s.op("y"));
    let (c, a) = (s.action("c", &[x, y]), s.action("a", &[]));
    let (b2, b1) = (s.action("b", &[y]), s.action("b", &[x]));
    s.transition(0, &[c, b2, a, b1], 1);
    s.transition(1, &[], 0);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(seen.is_empty(), "{seen:?}");
    let expected = [
        (0, "a|b(x)|b(y)|c(x, y)".to_owned(), 1),
        (1, "<hidden>".into(), 0),
    ];
    assert_eq!(labels(&lts.unwrap()), expected);
}

#[test]
fn terms_that_read_alike_become_one_label() {
    let mut s = Stream::new();
    let one = s.op("@c1");
    let (a, same) = (s.action("a", &[one]), s.action("a", &[one]));
    let cast = s.call("Pos2Nat", &[one]);
    let other = s.action("a", &[cast]);
    let opaque = s.action("a(1)", &[]);
    for actions in [a, same, other, opaque, other, a] {
        s.transition(0, &[actions], 0);
    }
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    let lts = lts.unwrap();
    assert_eq!((lts.transitions(), lts.table().len()), (6, 2));
    // the list of `other` is written twice, and so counts twice
    let alike = seen.iter().filter(|s| s.contains("[lts-equal-texts]"));
    assert_eq!(alike.count(), 3, "{seen:?}");
}

#[test]
fn what_is_hidden() {
    let mut s = Stream::new();
    for name in ["i", "tau", "a"] {
        let action = s.action(name, &[]);
        s.transition(0, &[action], 0);
    }
    s.transition(0, &[], 0);
    let stream = s.ended();
    let texts = |options: &ReadOptions| -> Vec<String> {
        let lts = read(stream.clone(), options).0.unwrap();
        labels(&lts).into_iter().map(|(_, text, _)| text).collect()
    };
    let usual = ["i", "tau", "a", "<hidden>"];
    assert_eq!(texts(&ReadOptions::default()), usual);
    let cadp = ReadOptions {
        dialect: Some(crate::Dialect::Cadp),
        ..ReadOptions::default()
    };
    assert_eq!(texts(&cadp), usual);
    let more = ReadOptions {
        hidden: vec![b"a".to_vec(), b"tau".to_vec()],
        ..ReadOptions::default()
    };
    assert_eq!(texts(&more), ["i", "<hidden>", "<hidden>", "<hidden>"]);
}

#[test]
fn timed_and_probabilistic_systems_are_refused() {
    let mut s = Stream::new();
    let (a, time) = (s.action("a", &[]), s.op("@c1"));
    s.timed_transition(0, &[a], time, 1);
    refused(
        s.ended(),
        "a time: timed systems are not supported [lts-timed]",
    );
    let mut s = Stream::new();
    let (a, time) = (s.action("a", &[]), s.variable("t", "Real"));
    s.timed_transition(0, &[a], time, 1);
    refused(s.ended(), "[lts-timed]");
    let mut s = Stream::new();
    s.output("probabilistic_transition", &[]);
    refused(
        s.ended(),
        "probabilistic systems are not supported [lts-probabilistic]",
    );
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(2);
    refused(s.end(), "[lts-probabilistic]");
}

#[test]
fn another_sign_for_no_time() {
    let mut s = Stream::new();
    let (a, time) = (
        s.action("a", &[]),
        s.variable("@undefined_real", "@no_value@"),
    );
    s.timed_transition(0, &[a], time, 1);
    s.timed_transition(1, &[a], time, 0);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert_eq!(lts.unwrap().table().len(), 2);
    assert!(
        seen.len() == 1 && seen[0].ends_with("[lts-untimed]"),
        "{seen:?}"
    );
}

#[test]
fn versions() {
    let mut s = Stream::of_version(PREVIOUS_VERSION);
    s.preamble(&[]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_some() && seen[0].contains("0x8307"), "{seen:?}");
    for version in [0x8306, 0x8309, 0x8304] {
        let stream = Stream::of_version(version).end();
        refused(
            stream,
            &format!("{version:#06x} of the format: only 0x8308 and 0x8307"),
        );
    }
    refused(b"des (0,0,1)".to_vec(), "[lts-magic]");
    refused(b"\x00\x8b\xaf\x83".to_vec(), "[lts-truncated]");
    refused(Vec::new(), "[lts-magic]");
}

#[test]
fn records_in_any_order() {
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(1);
    s.number(5);
    let a = s.action("a", &[]);
    s.transition(3, &[a], 2);
    s.transition(0, &[], 3);
    let (lts, seen) = read(s.end(), &ReadOptions::default());
    let lts = lts.unwrap();
    assert!(seen.is_empty());
    assert_eq!((lts.initial().get(), lts.states()), (5, 6));
    assert_eq!(
        labels(&lts),
        [(0, "<hidden>".into(), 3), (3, "a".into(), 2)]
    );
}

#[test]
fn numbers_without_states_cost_no_memory() {
    let mut s = Stream::new();
    s.transition(4_000_000_000, &[], 0);
    let told = "4000000001 states by their numbers, but 1 transition: is the file damaged?";
    refused(s.ended(), told);
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(1);
    s.number(4_000_000_000);
    refused(s.end(), "[lts-sparse]");
}

#[test]
fn records_that_are_none() {
    refused(Stream::of_version(VERSION).end(), "expected the mark");
    let mut s = Stream::new();
    s.output("foo", &[]);
    refused(
        s.ended(),
        "expected a transition, a state label or the end, found the term `foo`",
    );
    let mut s = Stream::new();
    s.number(3);
    refused(s.ended(), "found the number 3");
    let mut s = Stream::new();
    s.output("transition", &[]);
    refused(s.ended(), "expected the number of a state");
    let mut s = Stream::new();
    s.output("transition", &[]);
    s.number(0);
    s.number(0);
    refused(s.ended(), "expected a multi-action");
    let mut s = Stream::new();
    let foo = s.term("foo", &[]);
    s.transition(0, &[foo], 0);
    refused(s.ended(), "expected an action, found `foo`");
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(0);
    refused(s.ended(), "an initial state that is none");
    let mut s = Stream::new();
    s.output("initial_state", &[]);
    s.number(1);
    s.number(4);
    refused(s.ended(), "a second initial state");
    refused(
        Stream::new().end(),
        "no initial state; --lenient takes state 0 [lts-no-initial]",
    );
    let lenient = ReadOptions {
        mode: Mode::Lenient,
        ..ReadOptions::default()
    };
    let (lts, seen) = read(Stream::new().end(), &lenient);
    assert!(lts.is_some() && seen[0].contains("[lts-no-initial]"));
}

#[test]
fn specifications_are_skipped() {
    let mut s = Stream::of_version(VERSION);
    s.output("labelled_transition_system", &[]);
    let term = s.sort("D");
    for count in 0..5 {
        s.number(count);
        for _ in 0..count {
            s.output("Anything", &[term]);
        }
    }
    let label = s.action("unused", &[]);
    s.output("<empty_list>", &[]);
    let rest = s.list(&[]);
    s.output("<list_constructor>", &[label, rest]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_some() && seen.is_empty(), "{seen:?}");
    // counts that lie
    let mut s = Stream::of_version(VERSION);
    s.output("labelled_transition_system", &[]);
    s.number(u64::MAX);
    refused(
        s.end(),
        "expected 18446744073709551615 sorts, found the end",
    );
}

#[test]
fn state_labels() {
    let mut s = Stream::of_version(VERSION);
    let element = s.sort("D");
    let container = s.term("SortList", &[]);
    let list = s.term("SortCons", &[container, element]);
    let domain = s.list(&[list, element]);
    let arrow = s.term("SortArrow", &[domain, element]);
    let domain = s.list(&[arrow]);
    let higher = s.term("SortArrow", &[domain, list]);
    let names = ["p", "q", "r"].map(|name| s.term(name, &[]));
    let parameters: Vec<_> = [list, higher, element]
        .iter()
        .zip(names)
        .map(|(&sort, name)| s.term("DataVarId", &[name, sort]))
        .collect();
    s.preamble(&parameters);
    let (a, b, one) = (s.op("a"), s.op("b"), s.op("@c1"));
    let pair = s.term("@node@", &[a, b]);
    let left = s.term("@node@", &[pair, one]);
    let pair = s.term("@node@", &[b, b]);
    let right = s.term("@node@", &[pair, one]);
    s.state_label(&[left]);
    s.state_label(&[]);
    s.transition(0, &[], 4);
    s.state_label(&[right, left]);
    let (lts, seen) = read(s.ended(), &ReadOptions::default());
    assert!(seen.is_empty(), "{seen:?}");
    let lts = lts.unwrap();
    let known = lts.state_labels().unwrap();
    let shown: Vec<String> = (0..lts.states())
        .map(|state| {
            let vectors = known.vectors(state).map(|vector| {
                let values = vector.iter().enumerate();
                let texts = values.map(|(k, &v)| String::from_utf8_lossy(known.text(k, v)));
                texts.collect::<Vec<_>>().join(",")
            });
            vectors.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(shown, ["a,b,1", "", "b,b,1 a,b,1", "", ""]);
    let told: Vec<_> = known
        .parameters()
        .iter()
        .map(|p| String::from_utf8([&p.name[..], b": ", &p.sort].concat()).unwrap())
        .collect();
    assert_eq!(
        told,
        ["p: List(D)", "q: (List(D) # D -> D) -> List(D)", "r: D"]
    );
}

#[test]
fn state_labels_without_parameters() {
    // as traces have them
    let mut s = Stream::new();
    let a = s.op("a");
    let single = s.term("@single_node@", &[a]);
    s.state_label(&[]);
    s.state_label(&[single]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    let known = lts.state_labels().unwrap();
    assert_eq!(known.parameters().len(), 1);
    assert_eq!((known.vectors(0).len(), known.vectors(1).len()), (0, 1));
    let mut s = Stream::new();
    let empty = s.term("@empty@", &[]);
    s.state_label(&[empty]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    assert_eq!(lts.state_labels().unwrap().vectors(0).len(), 1);
    // nothing is known of any state
    let mut s = Stream::new();
    s.state_label(&[]);
    s.state_label(&[]);
    let lts = read(s.ended(), &ReadOptions::default()).0.unwrap();
    assert!(lts.states() == 2 && lts.state_labels().is_none());
}

#[test]
fn state_labels_that_are_none() {
    let mut s = Stream::new();
    let (a, foo) = (s.op("a"), s.term("foo", &[]));
    let single = s.term("@single_node@", &[a]);
    let pair = s.term("@node@", &[a, a]);
    s.state_label(&[single]);
    s.state_label(&[pair]);
    refused(s.ended(), "more than 1 value [lts-state-label]");
    let mut s = Stream::new();
    let pair = s.term("foo", &[]);
    s.state_label(&[pair]);
    refused(
        s.ended(),
        "a value of a parameter that cannot be written out",
    );
    let mut s = Stream::new();
    s.output("<list_constructor>", &[]);
    refused(s.ended(), "[lts-syntax]");
    let _ = foo;
}

#[test]
fn deep_and_wide_terms() {
    // deeper than any stack
    let deep = |s: &mut Stream| {
        let mut term = s.op("a");
        let f = s.op("f");
        for _ in 0..300_000 {
            term = s.term("DataAppl", &[f, term]);
        }
        term
    };
    let (text, approximate) = data::rendered(deep).unwrap();
    assert!(!approximate && text.len() == 300_000 * 3 + 1);
    // written out, more than there are atoms
    let wide = |s: &mut Stream| {
        let mut term = s.op("a");
        let f = s.op("f");
        for _ in 0..300 {
            term = s.term("DataAppl", &[f, term, term]);
        }
        term
    };
    let options = ReadOptions {
        max_line: 10_000,
        ..ReadOptions::default()
    };
    let mut s = Stream::new();
    let wide = wide(&mut s);
    let action = s.action("a", &[wide]);
    s.transition(0, &[action], 1);
    let (lts, seen) = read(s.ended(), &options);
    assert!(lts.is_none() && seen[0].contains("a label of more than 10000 bytes"));
    // a state vector of 2^300 values
    let mut s = Stream::new();
    let mut tree = s.op("a");
    for _ in 0..300 {
        tree = s.term("@node@", &[tree, tree]);
    }
    s.state_label(&[tree]);
    refused(s.ended(), "a state vector of more than 65536 values");
}

/// What all that is written out may take together is in proportion to the file.
#[test]
fn terms_that_are_shared_too_much() {
    let options = ReadOptions {
        max_line: 100_000,
        ..ReadOptions::default()
    };
    // labels below the limit, each of which adds some bytes to the file
    let labels = |count: usize| {
        let mut s = Stream::new();
        let mut term = s.op("a");
        let f = s.op("f");
        for _ in 0..12 {
            term = s.term("DataAppl", &[f, term, term]);
        }
        for k in 0..count {
            let action = s.action(&format!("a{k}"), &[term]);
            s.transition(0, &[action], 1);
        }
        read(s.ended(), &options)
    };
    assert!(labels(3).0.is_some());
    let (lts, seen) = labels(1000);
    assert!(lts.is_none() && seen.len() == 1, "{seen:?}");
    let told = seen[0].contains("occur again and again") && seen[0].ends_with("[lts-size]");
    assert!(told, "{seen:?}");
    // vectors of 2^12 values, which the list of a state holds again and again
    let vectors = |count: usize, depth: usize| {
        let mut s = Stream::new();
        let mut tree = s.op("a");
        for _ in 0..depth {
            tree = s.term("@node@", &[tree, tree]);
        }
        for _ in 0..count {
            s.state_label(&vec![tree; count]);
        }
        read(s.ended(), &options)
    };
    assert!(vectors(3, 8).0.is_some());
    let (lts, seen) = vectors(100, 12);
    assert!(lts.is_none() && seen[0].ends_with("[lts-size]"), "{seen:?}");
    // vectors of 2^12 values each of which is new
    let mut s = Stream::new();
    for k in 0..20 {
        let mut tree = s.op(&format!("a{k}"));
        for _ in 0..12 {
            tree = s.term("@node@", &[tree, tree]);
        }
        s.state_label(&[tree]);
    }
    let (lts, seen) = read(s.ended(), &options);
    assert!(lts.is_none() && seen[0].ends_with("[lts-size]"), "{seen:?}");
    // parameters of one long name
    let mut s = Stream::of_version(VERSION);
    let x = s.variable(&"x".repeat(10_000), "Nat");
    s.preamble(&vec![x; 4000]);
    let (lts, seen) = read(s.ended(), &options);
    assert!(lts.is_none() && seen[0].ends_with("[lts-size]"), "{seen:?}");
}

/// Many labels are told to be too long by the first of them.
#[test]
fn a_label_that_is_too_long_ends_reading() {
    let mut s = Stream::new();
    let mut term = s.op("a");
    let f = s.op("f");
    for k in 0..300 {
        term = s.term("DataAppl", &[f, term, term]);
        let action = s.action(&format!("a{k}"), &[term]);
        s.transition(0, &[action], 1);
    }
    let options = ReadOptions {
        max_line: 1000,
        ..ReadOptions::default()
    };
    let (lts, seen) = read(s.ended(), &options);
    assert!(lts.is_none() && seen.len() == 1, "{seen:?}");
    assert!(seen[0].ends_with("[lts-label-length]"), "{seen:?}");
}

#[test]
fn damaged_streams() {
    // a symbol and an argument that are not there
    let mut s = Stream::new();
    s.bits.bits(tag::OUTPUT, 2);
    s.bits.bits(3, width(s.symbols.len() + 1));
    refused(s.end(), "the file is damaged [lts-syntax]");
    let mut s = Stream::new();
    s.term("a", &[]);
    s.packet(tag::SHARED, "f", &[1]);
    refused(s.end(), "argument 1 of 1 shared terms: the file is damaged");
    // the end and a number as terms
    let mut s = Stream::new();
    s.bits.bits(tag::OUTPUT, 2);
    s.bits.bits(0, width(s.symbols.len() + 1));
    refused(s.end(), "a symbol that no output may have");
    let mut s = Stream::new();
    s.output("<aterm_int>", &[]);
    refused(s.end(), "a symbol that no output may have");
    // an arity that lies
    let mut s = Stream::new();
    s.bits.bits(tag::SYMBOL, 2);
    s.bits.string(b"f");
    s.bits.varint(u64::MAX);
    let symbol = s.symbols.len() as u64 + 1;
    s.symbols.insert(("f".into(), 0), symbol);
    s.packet(tag::SHARED, "f", &[]);
    refused(s.end(), "[lts-truncated]");
    // a state that no LTS has
    let mut s = Stream::new();
    s.transition(u64::MAX, &[], 0);
    let (lts, _) = read(s.ended(), &ReadOptions::default());
    assert!(lts.is_none());
}
