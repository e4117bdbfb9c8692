//! A scene as a text in DOT, for Graphviz and those who go on from there.

use std::fmt::Write as _;

use crate::scene::{Edge, Kind, Node, Scene, Shape, StandsFor, class_fill};
use crate::svg::{all_labels, lines_of};

/// The graph of a scene: texts, shapes and marks, but not the places, which Graphviz finds.
/// The same bytes every time.
pub fn dot(scene: &Scene) -> String {
    let mut dot = format!("digraph {} {{\n", quoted(&scene.title));
    dot += "  node [fontname=\"monospace\", fontsize=11, shape=ellipse];\n";
    dot += "  edge [fontname=\"monospace\", fontsize=11];\n";
    for text in &scene.told {
        let _ = writeln!(dot, "  // {}", text.replace(['\n', '\r'], " "));
    }
    for (place, node) in scene.nodes.iter().enumerate() {
        draw_node(&mut dot, scene, place, node);
    }
    for edge in &scene.edges {
        draw_edge(&mut dot, scene, edge);
    }
    dot += "}\n";
    dot
}

fn draw_node(dot: &mut String, scene: &Scene, place: usize, node: &Node) {
    let text = match (&node.stands_for, node.lines.is_empty()) {
        (StandsFor::State(_), true) if !node.full.is_empty() => node.full.join("\n"),
        (StandsFor::State(state), true) => state.to_string(),
        (StandsFor::Cluster(cluster), true) => cluster.size.to_string(),
        _ => node.lines.join("\n"),
    };
    let _ = write!(dot, "  {place} [label={}", quoted(&text));
    match node.shape {
        Shape::Box => dot.push_str(", shape=box"),
        Shape::Dot if node.marks.deadlock => dot.push_str(", shape=box"),
        Shape::Ellipse | Shape::Dot => {}
    }
    let marks = node.marks;
    let mut styles = Vec::new();
    if let Some(class) = node.class {
        styles.push("filled");
        let _ = write!(dot, ", fillcolor=\"{}\"", class_fill(class));
    }
    if marks.hidden {
        styles.push("dashed");
    }
    if marks.initial {
        styles.push("bold");
    }
    if !styles.is_empty() {
        let _ = write!(dot, ", style={}", quoted(&styles.join(",")));
    }
    match (marks.differs, marks.highlighted, marks.deadlock) {
        (true, _, _) => dot.push_str(", color=purple, penwidth=2"),
        (false, true, _) => dot.push_str(", color=orangered, penwidth=2"),
        (false, false, true) => dot.push_str(", color=red"),
        (false, false, false) => {}
    }
    if marks.accepting {
        dot.push_str(", peripheries=2");
    }
    dot.push_str("];\n");
    if marks.initial && scene.kind != Kind::Network {
        let _ = writeln!(dot, "  start [shape=none, label=\"\"]; start -> {place};");
    }
}

fn draw_edge(dot: &mut String, scene: &Scene, edge: &Edge) {
    let _ = write!(dot, "  {} -> {}", edge.source, edge.target);
    let mut attributes = Vec::new();
    let lines = lines_of(scene, edge);
    if !lines.is_empty() {
        attributes.push(format!("label={}", quoted(&lines.join("\n"))));
    }
    let all = all_labels(scene, edge);
    if lines.join(", ") != all && !edge.labels.is_empty() {
        let all = quoted(&all);
        attributes.push(format!("tooltip={all}, labeltooltip={all}"));
    }
    if edge.hidden {
        attributes.push("style=dashed".to_owned());
    }
    match (edge.differs, edge.highlighted) {
        (true, _) => attributes.push("color=purple, penwidth=2".to_owned()),
        (false, true) => attributes.push("color=orangered, penwidth=2".to_owned()),
        (false, false) => {}
    }
    if edge.plain {
        attributes.push("dir=none".to_owned());
    }
    if !attributes.is_empty() {
        let _ = write!(dot, " [{}]", attributes.join(", "));
    }
    dot.push_str(";\n");
}

/// A text in quotation marks, in which nothing means anything but itself.
fn quoted(text: &str) -> String {
    String::from_utf8(hyades_formats::dot::quoted(text.as_bytes())).expect("made of a text")
}
