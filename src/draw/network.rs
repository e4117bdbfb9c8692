//! Diagrams of networks: components, and where they do something together.

use std::collections::BTreeSet;
use std::convert::Infallible;

use crate::force::force;
use crate::lts::{graph, place};
use crate::pieces;
use crate::scene::{Edge, Kind, Layout, Marks, Node, Point, Scene, Shape, StandsFor};
use crate::text::{self, wrapped};

/// A network, as far as its picture tells of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagram {
    /// Its name.
    pub title: String,
    /// What is written in the box of each component, a line each.
    pub components: Vec<Vec<String>>,
    /// Where components do something, alone or together.
    pub joints: Vec<Joint>,
    /// What the reader should know, a sentence each.
    pub told: Vec<String>,
}

/// Gates that the same components take part in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Joint {
    /// The components, ascending.
    pub components: Vec<u32>,
    /// Whether what happens there is hidden.
    pub hidden: bool,
    /// The gates.
    pub gates: Vec<String>,
}

/// How many gates are written at a joint; all of them stand in [`Node::full`].
const MOST_GATES: usize = 7;

impl Diagram {
    /// The scene: boxes for components, ellipses for joints, lines between them.
    pub fn scene(&self) -> Scene {
        let components = self.components.iter().enumerate();
        let mut nodes: Vec<Node> = components
            .map(|(number, lines)| {
                let shown = lines.iter().flat_map(|line| wrapped(line)).collect();
                let stands_for = StandsFor::Component(number as u32);
                node(stands_for, shown, lines, Shape::Box)
            })
            .collect();
        let mut edges = Vec::new();
        for (number, joint) in self.joints.iter().enumerate() {
            let place = nodes.len() as u32;
            // One more line than there is room for would say no more than the gate.
            let written = match joint.gates.len() {
                count @ 0..=MOST_GATES => count,
                _ => MOST_GATES - 1,
            };
            let gates = joint.gates[..written].iter();
            let mut lines: Vec<String> = gates.flat_map(|gate| wrapped(gate)).collect();
            if written < joint.gates.len() {
                lines.push(format!("+{} more", joint.gates.len() - written));
            }
            let stands_for = StandsFor::Gate(number as u32);
            let mut node = node(stands_for, lines, &joint.gates, Shape::Ellipse);
            node.marks.hidden = joint.hidden;
            nodes.push(node);
            edges.extend(joint.components.iter().map(|&component| Edge {
                source: component,
                target: place,
                transitions: 1,
                hidden: joint.hidden,
                plain: true,
                ..Edge::default()
            }));
        }
        let mut scene = Scene {
            title: self.title.clone(),
            kind: Kind::Network,
            layout: Layout::Force,
            told: self.told.clone(),
            states: self.components.len() as u64,
            transitions: {
                let gates = self.joints.iter().flat_map(|joint| &joint.gates);
                gates.collect::<BTreeSet<_>>().len() as u64
            },
            nodes,
            edges,
            ..Scene::default()
        };
        let placed = pieces::placed(&graph(&scene, 0, false), |piece| {
            Ok::<_, Infallible>(force(piece))
        });
        let Ok(placement) = placed;
        place(&mut scene, &placement);
        scene
    }
}

/// A node of the size that its lines take, which say all of `full` or a part.
fn node(stands_for: StandsFor, lines: Vec<String>, full: &[String], shape: Shape) -> Node {
    let size = text::size(lines.iter().map(String::as_str));
    let round = |size: f64| (size * 10.0).round() as f32 / 10.0;
    let (wide, high) = match shape {
        Shape::Box => (size.width + 20.0, size.height + 16.0),
        Shape::Ellipse | Shape::Dot => (size.width * 1.2 + 14.0, size.height * 1.2 + 8.0),
    };
    Node {
        stands_for,
        at: Point::default(),
        width: round(wide),
        height: round(high),
        shape,
        full: match lines == full {
            true => Vec::new(),
            false => full.to_vec(),
        },
        lines,
        marks: Marks::default(),
        class: None,
    }
}
