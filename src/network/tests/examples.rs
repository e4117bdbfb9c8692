//! The worked examples, and models with known sizes.

use hyades_explore::{ExploreOptions, explore};
use hyades_formats::{self as formats, Format, ReadOptions, Source, read_lts};
use hyades_testing::Random;

use super::super::{Disk, Include, Options, expanded, from_text};
use super::isomorphism::isomorphic;
use super::{components, explored, network, read};
use crate::NetworkModel;

const EXAMPLES: &str = include_str!("../../../testdata/networks/examples.txt");

/// Name, expression and result of each example.
fn examples() -> Vec<(&'static str, &'static str, &'static str)> {
    let blocks = EXAMPLES
        .split("\n\n")
        .map(str::trim)
        .filter(|b| !b.is_empty());
    blocks
        .map(|block| {
            let (head, result) = block.split_once('\n').expect("a head and a result");
            let (name, expression) = head.split_once(' ').expect("a name and an expression");
            (name, expression, result)
        })
        .collect()
}

fn check(name: &str, text: &str, options: &Options, files: &super::Memory, expected: &str) {
    let network = network(text, options, files);
    let source = Source::from_bytes("expected", expected.into(), Some(Format::Aut)).unwrap();
    let options = ReadOptions {
        hidden: network.parameters().hidden.clone(),
        ..ReadOptions::default()
    };
    let expected = read_lts(source, &options, &mut |d| panic!("{d}")).unwrap();
    let found = explored(&NetworkModel::new(network));
    assert!(
        isomorphic(&found, &expected),
        "{name} {text}\n{:?}",
        super::rows(&found)
    );
}

#[test]
fn worked_examples() {
    let examples = examples();
    assert_eq!(examples.len(), 41);
    for (name, text, expected) in examples {
        check(name, text, &Options::default(), &components(), expected);
    }
}

#[test]
fn inclusion_is_textual_or_in_parentheses() {
    let mut files = components();
    files.add("a.exp", "hide C in \"ab.aut\"");
    let text = "\"a.exp\" |[B]| \"bc.aut\"";
    let result = |name| examples().into_iter().find(|e| e.0 == name).unwrap().2;
    check("E40", text, &Options::default(), &files, result("E40"));
    let options = Options {
        include: Include::Paren,
        ..Options::default()
    };
    check("E41", text, &options, &files, result("E41"));
    check(
        "E41",
        "(\"a.exp\") |[B]| bc",
        &Options::default(),
        &files,
        result("E41"),
    );
}

/// A network that is included as it reads by itself has files of its own directory.
#[test]
fn included_networks_have_files_of_their_own() {
    let mut files = components();
    files.add("sub/ab.aut", "des (0,1,2)\n(0,OWN,1)\n");
    files.add("sub/h.hid", "hide\nOWN\n");
    files.add("sub/m.exp", "hide using h.hid in ab.aut end hide ||| ab");
    files.add("sub/n/k.exp", "ab");
    files.add("sub/l.exp", "\"n/k.exp\"");
    for (include, text, labels) in [
        (Include::Own, "\"sub/m.exp\" ||| bc", "B,C,OWN,i"),
        // Another one within starts where the network starts that the text names.
        (Include::Own, "\"sub/l.exp\" ||| bc", "B,C,OWN"),
        (Include::Text, "\"sub/n/k.exp\" ||| bc", "A,B,B,C"),
    ] {
        let options = Options {
            include,
            ..Options::default()
        };
        let expanded = expanded("net.exp", text, &options, &files, &mut |d| panic!("{d}"));
        let expanded = String::from_utf8(expanded.unwrap()).unwrap();
        assert!(!expanded.contains(".exp"), "{expanded}");
        for (text, options) in [(text, &options), (&expanded, &Options::default())] {
            let found = explored(&NetworkModel::new(network(text, options, &files)));
            let mut seen: Vec<&str> = found
                .table()
                .visible()
                .filter(|(label, _)| found.labels().contains(label))
                .map(|(_, text)| std::str::from_utf8(text).unwrap())
                .collect();
            if found.labels().iter().any(|label| label.is_hidden()) {
                seen.push("i");
            }
            seen.sort_unstable();
            let mut labels: Vec<&str> = labels.split(',').collect();
            labels.dedup();
            assert_eq!(seen, labels, "{text}");
        }
    }
}

/// What is printed without inclusions means the same.
#[test]
fn expanded_texts_mean_the_same() {
    let mut files = components();
    let mut said = |d: formats::Diagnostic| panic!("{d}");
    for (k, (name, text, expected)) in examples().into_iter().enumerate() {
        let file = format!("e{k}.exp");
        files.add(file.as_str(), text);
        let included = format!("(\"{file}\")");
        // A text with a language is included in one with the same only.
        let has_header = text.contains("behaviour");
        let texts = [text, &included];
        for text in &texts[..if has_header { 1 } else { 2 }] {
            let options = Options::default();
            let expanded = expanded("net.exp", *text, &options, &files, &mut said).unwrap();
            let expanded = String::from_utf8(expanded).unwrap();
            check(name, &expanded, &options, &files, expected);
        }
    }
}

#[test]
fn models_with_known_sizes() {
    for (name, states, transitions) in [
        ("database_4", 109, 224),
        ("liststack_2_2_2", 1512, 2794),
        ("peterson_3", 716, 2085),
        ("phils_3", 79, 162),
    ] {
        let base = format!("{}/testdata/networks/{name}", hyades_testing::ROOT);
        let text = std::fs::read(format!("{base}/net.exp")).unwrap();
        let options = Options {
            base: base.into(),
            ..Options::default()
        };
        let network = from_text("net.exp", text, &options, &Disk, &mut |d| panic!("{d}")).unwrap();
        let model = NetworkModel::new(network);
        let found = explore(&model, ExploreOptions::default(), &mut ()).unwrap();
        assert_eq!(
            (found.states, found.transitions),
            (states, transitions),
            "{name}"
        );
    }
}

#[test]
fn offers_in_gate_mode_are_warned_of() {
    let text = examples().into_iter().find(|e| e.0 == "E35").unwrap().1;
    let (_, said) = read(text, &Options::default(), &components());
    assert!(said[0].contains("[rule-offers]"), "{said:?}");
}

/// Texts with bytes changed, left out, doubled and exchanged are read, or refused
/// with a reason, and what is read can be explored.
#[test]
fn damaged_texts_are_read_or_refused() {
    let mut files = components();
    files.add("x.exp", "hide A in \"ab.aut\"");
    let mut random = Random::new(1);
    let mut texts: Vec<&str> = examples().into_iter().map(|e| e.1).collect();
    texts.push("\"x.exp\" ||| par A, B#2 -> \"x.exp\" || C -> bc || ab end par");
    let symbols = b"\"()[]{}|\\/_#*,<>-=!? \nAi";
    let (mut read_well, mut refused) = (0, 0);
    for round in 0..3000 {
        let mut text = texts[round % texts.len()].as_bytes().to_vec();
        for _ in 0..random.between(1, 3) {
            let at = random.between(0, text.len() - 1);
            match random.between(0, 3) {
                0 => drop(text.remove(at)),
                1 => text[at] = symbols[random.between(0, symbols.len() - 1)],
                2 => text.insert(at, symbols[random.between(0, symbols.len() - 1)]),
                _ => {
                    let other = random.between(0, text.len() - 1);
                    text.swap(at, other);
                }
            }
        }
        let mut errors = 0;
        let mut sink = |d: hyades_formats::Diagnostic| {
            errors += usize::from(d.severity == hyades_formats::Severity::Error);
        };
        let network = from_text("net.exp", text, &Options::default(), &files, &mut sink);
        match network {
            Ok(network) => {
                explored(&NetworkModel::new(network));
                read_well += 1;
                assert_eq!(errors, 0);
            }
            Err(_) => {
                refused += 1;
                assert!(errors > 0);
            }
        }
    }
    assert!(read_well > 100 && refused > 1000, "{read_well} {refused}");
}
