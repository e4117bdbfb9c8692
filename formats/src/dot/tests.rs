//! Simple lines against the grammar.

use proptest::prelude::*;

use super::graph::Graph;
use super::parse::{parse, parse_with};
use super::simple::{self, Limits};
use crate::fault::Stop;
use crate::lts::LabelId;
use crate::mealy::ReadMealy;
use crate::options::ReadOptions;

/// All that a graph says, or where and why it cannot be read.
fn shown(graph: Result<Graph, Stop>) -> Vec<String> {
    let graph = match graph {
        Ok(graph) => graph,
        Err(Stop::Fault(fault)) => return vec![format!("{fault:?}")],
        Err(Stop::TooLarge(error)) => return vec![error.to_string()],
    };
    let nodes = (0..graph.nodes.len() as u32).map(|node| {
        let said = &graph.nodes[node as usize];
        format!(
            "{} {:?} {} {} {}",
            graph.names.text(node).escape_ascii(),
            graph
                .shown(node)
                .map(|text| text.escape_ascii().to_string()),
            said.attributes.flags,
            said.subgraph,
            said.chosen
        )
    });
    let edges = graph.edges.iter().enumerate().map(|(k, edge)| {
        let label = match edge.label {
            0 => "none".into(),
            label => graph
                .texts
                .text(LabelId::new(label))
                .escape_ascii()
                .to_string(),
        };
        format!(
            "{} {} {label} {:?}",
            edge.source,
            edge.target,
            graph.places.get(k)
        )
    });
    let rest = format!("{} {} {}", graph.strict, graph.modal, graph.subgraphs.len());
    nodes.chain(edges).chain([rest]).collect()
}

/// With simple lines of so many bytes, and parts of so many.
fn within(line: usize, part: usize, file: &[u8], options: &ReadOptions) -> Vec<String> {
    let entities = options.dot.entities;
    let limits = Limits {
        line,
        part,
        entities,
    };
    shown(parse_with(file, options, limits))
}

fn slowly(file: &[u8], options: &ReadOptions) -> Vec<String> {
    within(0, usize::MAX, file, options)
}

/// Lines that are simple, or nearly so.
fn line() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "s0",
        "s1",
        "s12",
        "q1",
        "7",
        "007",
        "s01",
        "0",
        "\"s1\"",
        "\"a b\"",
        "\"\\\"\"",
        "start",
        "edge",
        "Node",
        "a_b",
        "s1:n",
        "s4294967295",
        "s99999999999",
        "é",
        "-1",
        "s1.5",
        "__start0",
        "subgraph",
        "<s1>",
        "\"s\" + \"1\"",
        "s3x",
    ]);
    let blank = prop::sample::select(vec!["", " ", "  ", "\t"]);
    let label = prop::sample::select(vec![
        "a",
        "",
        "a / 1",
        "i",
        "x\\ny",
        "say \\\"hi\\\"",
        "\"",
        "&amp;",
        "0",
        "1",
        "12",
        "s0",
        "a\nb",
        "a\rb",
        "a long label, of more than sixteen bytes",
        "]; s0 -> s1 [",
        "#",
        "// x",
        "é",
    ]);
    let close = prop::sample::select(vec![
        "\"];",
        "\"]",
        "\" ];",
        "\", color=red];",
        "\"] // c",
        "\"][xlabel=\"z\"];",
        "\"];;",
        "\"]; s5;",
        "\"",
    ]);
    let open = prop::sample::select(vec![
        "[label=\"",
        "[shape=\"circle\" label=\"",
        "[shape=\"doublecircle\" label=\"",
        "[xlabel=\"",
        "[ label=\"",
        "[",
    ]);
    let end = prop::sample::select(vec![
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        " ",
        "\n# x\n",
        "\n\n[label=z]\n",
    ]);
    let other = prop::sample::select(vec![
        "s0;",
        "s1",
        "s0 -> s1 -> s2 [label=c];",
        "node [shape=doublecircle];",
        "edge [label=d];",
        "{",
        "}",
        "subgraph c {",
        "s1 -> {s0 s12} [label=\"e\"]",
        "/*",
        "*/",
        "s1 ->",
        "->",
        "rankdir=LR;",
        "s0 -> s1 [label=x modality=MAY]",
        "s0 -> s1",
    ]);
    let edge = (
        blank.clone(),
        name.clone(),
        blank.clone(),
        name.clone(),
        blank.clone(),
    )
        .prop_map(|(a, s, b, t, c)| format!("{a}{s}{b}->{c}{t}{b}"));
    let node = (blank, name).prop_map(|(a, s)| format!("{a}{s} "));
    let statement = (prop_oneof![3 => edge, 1 => node], open, label, close)
        .prop_map(|(what, open, label, close)| format!("{what}{open}{label}{close}"));
    // mostly ordinary, so that files are not refused at once
    let ordinary = (0..4u32, 0..20u32, 0..3u32).prop_map(|(s, t, l)| match l {
        0 => format!("s{t} [shape=\"circle\" label=\"{t}\"];"),
        _ => format!("\ts{s} -> s{t} [label=\"l{l}\"];"),
    });
    let text = prop_oneof![6 => ordinary, 3 => statement, 1 => other.prop_map(String::from)];
    (text, end).prop_map(|(text, end)| text + end)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn simple_lines_are_what_the_grammar_says(
        lines in prop::collection::vec(line(), 0..12),
        entities in any::<bool>(),
        mealy in any::<bool>(),
    ) {
        let mut options = ReadOptions {
            mealy: mealy.then(ReadMealy::default),
            ..ReadOptions::default()
        };
        options.dot.entities = entities;
        options.dot.automaton = Some(b"c".to_vec());
        let file = format!("digraph g {{\n{}\n}}\n", lines.concat());
        let slow = slowly(file.as_bytes(), &options);
        for part in [1, 30, usize::MAX] {
            let fast = within(1 << 12, part, file.as_bytes(), &options);
            prop_assert_eq!(&fast, &slow, "{}", file);
        }
    }
}

const PAD: &str = "\n                                        ";

#[test]
fn usual_lines_are_simple() {
    for line in [
        "s0 -> s1 [label=\"a / 1\"];\n",
        "s0->s1[label=\"a\"]\n}",
        "\"s0\" -> \"s1\" [label=\"\"];\r\n",
        "first -> 2 [label=\"a label of more than thirty-two bytes, (so, there)\"];\n",
        "é -> s123456789\t[label=\"a\"]\n  s0",
    ] {
        let text = format!("{line}{PAD}");
        assert!(simple::edge(text.as_bytes(), 0).is_some(), "{line}");
    }
    for line in [
        "s0 [shape=\"circle\" label=\"0\"];\n",
        "s12 [label=\"s12\"];\n",
        "7 [label=\"7\"]\ns1",
    ] {
        let text = format!("{line}{PAD}");
        assert!(simple::node(text.as_bytes(), 0).is_some(), "{line}");
    }
    // attributes may go on
    let text = format!("s0 -> s1 [label=\"a\"]\n[color=red]{PAD}");
    assert!(simple::edge(text.as_bytes(), 0).is_none());
}

#[test]
fn parts_are_put_together() {
    let mut file = String::from("digraph {\n");
    for state in 0..3_000 {
        file += &format!("s{state} [label=\"{state}\"];\n");
    }
    for k in 0..40_000 {
        let (source, target) = (k / 14, k * 7919 % 3_000);
        file += &format!("s{source} -> s{target} [label=\"l{}\"];\n", k * k % 4_999);
        if k % 9_000 == 8_999 {
            file += "# a directive\n edge [color=red]\n s1 -> q [label=q]";
        }
    }
    file += "}";
    let options = ReadOptions::default();
    let slow = slowly(file.as_bytes(), &options);
    assert_eq!(slow.len(), 3_001 + 40_004 + 1);
    for part in [100, 10_000, 100_000] {
        assert!(within(1 << 12, part, file.as_bytes(), &options) == slow);
    }
}

#[test]
fn a_file_on_one_line_has_all_its_edges() {
    let statements = "s0 -> s1 [label=\"a\"]; ".repeat(200_000);
    let file = format!("digraph {{ {statements} }}");
    let graph = parse(file.as_bytes(), &ReadOptions::default());
    assert_eq!(graph.ok().unwrap().edges.len(), 200_000);
}
