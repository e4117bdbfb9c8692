//! What is drawn, with places, texts and marks: the data that every output is made from.

use serde::Serialize;

/// A drawing: nodes, edges, and what they are called. Everything is in its final place; an
/// output only says it in its own language.
///
/// Places are in units of about a pixel, x to the right and y downwards, from (0, 0) to
/// ([`Scene::width`], [`Scene::height`]); they are finite and rounded to tenths.
///
/// As JSON ([`Scene::json`]) the names of the fields are the keys; points are pairs
/// `[x, y]`; what is empty, false, none or 0 by a rule that says so is left out.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Scene {
    /// What is drawn, in a few words: the name of the input.
    pub title: String,
    /// What kind of system it is.
    pub kind: Kind,
    /// How the nodes were placed.
    pub layout: Layout,
    /// What the reader of the picture should know of it, a sentence each: that states were
    /// grouped, that something was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<String>,
    /// How many states the system has (components, for a network).
    pub states: u64,
    /// How many transitions the system has (gates, for a network).
    pub transitions: u64,
    /// The width of the drawing.
    pub width: f32,
    /// The height of the drawing.
    pub height: f32,
    /// The texts of the labels; edges, rows and steps have places in this table.
    pub labels: Vec<Label>,
    /// The nodes. Where each state has its own node, node k is not state k in general:
    /// [`Node::stands_for`] says.
    pub nodes: Vec<Node>,
    /// The edges, at most one from one node to another one.
    pub edges: Vec<Edge>,
    /// The classes that states are grouped by, if there are any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<Class>,
    /// Traces to be replayed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traces: Vec<Trace>,
    /// All transitions, for stepping through the system, unless there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<Rows>,
}

/// What kind of system is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A labelled transition system: a node a state.
    #[default]
    Lts,
    /// A Mealy machine: a node a state, `in / out` at edges.
    Mealy,
    /// A Moore machine: a node a state with its output in it, inputs at edges.
    Moore,
    /// A system of which a node stands for many states.
    Clusters,
    /// A network: a node a component, and one for each gate.
    Network,
}

/// How nodes are placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// In layers from top to bottom, by the distance from the initial state.
    #[default]
    Layered,
    /// By forces: edges pull, nodes push.
    Force,
    /// Groups of states by rank, a tree of discs.
    Clusters,
}

/// A label.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Label {
    /// Its text; bytes that cannot be shown are written `\xNN`, no bytes `""`.
    pub text: String,
    /// Whether it is the hidden action. Only its place in the table says so: a visible
    /// label may have the same text.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// Its bytes, where they are not those of `text`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Vec<u8>>,
}

/// A point of the drawing.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
#[serde(into = "[f32; 2]")]
pub struct Point {
    /// To the right.
    pub x: f32,
    /// Downwards.
    pub y: f32,
}

impl From<Point> for [f32; 2] {
    fn from(point: Point) -> Self {
        [point.x, point.y]
    }
}

/// A node.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    /// What it stands for.
    #[serde(flatten)]
    pub stands_for: StandsFor,
    /// Where its middle is.
    pub at: Point,
    /// How wide it is.
    pub width: f32,
    /// How high it is.
    pub height: f32,
    /// What is drawn.
    pub shape: Shape,
    /// What is written in it (beside it, where it is a dot), a line each; none where there
    /// is no room.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// What would be written if there were room for all of it, if there is not: a name of a
    /// state, lines of a component or gates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub full: Vec<String>,
    /// What is special about it.
    #[serde(flatten)]
    pub marks: Marks,
    /// Its class, a place in [`Scene::classes`]; of many states, the class of most of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<u32>,
}

/// What a node stands for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StandsFor {
    /// A state, by its number in the input.
    State(u32),
    /// Many states.
    Cluster(Cluster),
    /// A component of a network, by its place.
    Component(u32),
    /// Where components of a network take part in an event together.
    Gate(u32),
}

/// States that are drawn as one node.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Cluster {
    /// How many there are.
    pub size: u64,
    /// One of them: the smallest number.
    pub least: u32,
    /// Their distance from the initial state, where they are those of a rank or of ranks
    /// that follow one another: the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// How many states are in groups below it that are not drawn, and counted in `size`.
    #[serde(skip_serializing_if = "is_none")]
    pub below: u64,
    /// How many of them are deadlocks.
    pub deadlocks: u64,
    /// How many transitions stay inside.
    pub inner: u64,
}

/// How a node is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// A circle or an ellipse that fills the node's box.
    Ellipse,
    /// A rectangle with round corners. A state that is drawn so is a deadlock.
    Box,
    /// A dot: too small for text inside.
    Dot,
}

/// What is special about a node. In JSON, only what is true stands beside the other
/// fields of the node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Marks {
    /// The initial state is it, or in it.
    #[serde(skip_serializing_if = "is_false")]
    pub initial: bool,
    /// A state without a transition is it, or in it.
    #[serde(skip_serializing_if = "is_false")]
    pub deadlock: bool,
    /// An accepting state of an automaton is it.
    #[serde(skip_serializing_if = "is_false")]
    pub accepting: bool,
    /// On a trace or a part of the evidence that was asked for.
    #[serde(skip_serializing_if = "is_false")]
    pub highlighted: bool,
    /// Where a difference between two systems shows.
    #[serde(skip_serializing_if = "is_false")]
    pub differs: bool,
    /// Of a network: what happens here is hidden.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
}

/// An edge: all transitions from one node to another one.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Edge {
    /// The node that it leaves: a place in [`Scene::nodes`].
    pub source: u32,
    /// The node that it enters; for a loop, the source.
    pub target: u32,
    /// The labels that are written, places in [`Scene::labels`], in the order of the lines;
    /// each stands for one or more transitions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<u32>,
    /// The text, a line each, where these are not just the labels: where one is broken into
    /// lines or cut, or some are not written. None where there is no text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// How many further labels it has that are not written.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: u32,
    /// The first of those, at most [`Edge::MOST_FURTHER`], places in [`Scene::labels`]: for
    /// tooltips.
    #[serde(skip)]
    pub further: Vec<u32>,
    /// How many of its first lines are labels of transitions that are on a trace, in the
    /// evidence or in a difference.
    #[serde(skip_serializing_if = "is_zero")]
    pub marked_lines: u32,
    /// How many transitions it stands for.
    pub transitions: u64,
    /// Whether all its transitions are hidden steps: drawn dashed.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// On a trace or a part of the evidence that was asked for.
    #[serde(skip_serializing_if = "is_false")]
    pub highlighted: bool,
    /// Where a difference between two systems shows.
    #[serde(skip_serializing_if = "is_false")]
    pub differs: bool,
    /// Whether there is no arrow head (an edge of a network or of a tree of clusters).
    #[serde(skip_serializing_if = "is_false")]
    pub plain: bool,
    /// Where it runs: a start, and then cubic Bézier pieces of three points each (two
    /// controls, an end), so 1 + 3k points; or just two points, a straight line. The first
    /// and the last point lie on the outlines of the nodes.
    pub path: Vec<Point>,
    /// Where the middle of its text is, if text is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_at: Option<Point>,
}

impl Edge {
    /// So many labels that are not written stand in tooltips at most.
    pub const MOST_FURTHER: usize = 100;
}

/// A class of states.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Class {
    /// What it is called: its number in the file of classes.
    pub name: String,
    /// How many states are in it.
    pub size: u64,
}

/// A trace, and where it leads.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Trace {
    /// What it is called: the name of its file, and its number if the file has several.
    pub name: String,
    /// Its steps, in order, as far as they are possible and one more if there is one that
    /// is not.
    pub steps: Vec<Step>,
    /// Whether it asks for a state without transitions after them.
    #[serde(skip_serializing_if = "is_false")]
    pub deadlock: bool,
    /// Whether all steps are possible, one after the other, and it ends as it asks.
    pub possible: bool,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Step {
    /// Its label as in the trace.
    pub text: String,
    /// Its label in [`Scene::labels`], if it is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<u32>,
    /// The states that it leads to and from which the rest of the possible steps go on,
    /// ascending; the first step starts at the initial state. At most
    /// [`Step::MOST_STATES`] are listed.
    pub states: Vec<u32>,
}

impl Step {
    /// How many states a step lists at most.
    pub const MOST_STATES: usize = 100;
}

/// All transitions of a system, by source.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Rows {
    /// The initial state.
    pub initial: u32,
    /// The transitions of state s are those from `offsets[s]` to `offsets[s + 1]`, which is
    /// left out; one entry more than states.
    pub offsets: Vec<u32>,
    /// The labels of the transitions, places in [`Scene::labels`].
    pub labels: Vec<u32>,
    /// The targets of the transitions.
    pub targets: Vec<u32>,
    /// The node that each state is drawn by.
    pub nodes: Vec<u32>,
    /// The class of each state, where there are classes; `u32::MAX` for none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<u32>,
}

impl Scene {
    /// The scene as JSON, on one line: the same bytes every time. Texts are as JSON writes
    /// them: who puts it into HTML has to see to `</script>`.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("fields have names, and numbers are finite")
    }
}

// serde hands over references.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_false(value: &bool) -> bool {
    !*value
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_none(value: &u64) -> bool {
    *value == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The colour of the nodes of a class, by its number in [`Scene::classes`].
pub fn class_fill(class: u32) -> &'static str {
    CLASS_FILLS[class as usize % CLASS_FILLS.len()]
}

/// The colours of classes on a light ground, on which dark text can be read. Each is as far
/// from those before it as a colour of moderate strength can be (by CIEDE2000, and from the
/// ground and that of traces): any two of the first 12 by 13 or more.
pub const CLASS_FILLS: [&str; 24] = [
    "#c6def5", "#eea1bd", "#d9af7e", "#5bcbd2", "#afbd85", "#c4b6b6", "#e0cbfc", "#fceeb6",
    "#fcb6a8", "#8ccbaf", "#fce0cb", "#afbdb6", "#70c4ee", "#9afcee", "#a8b6ee", "#fcd9e0",
    "#c4eeb6", "#afeefc", "#cbc4a8", "#c4c4d9", "#d2b6cb", "#a1bdcb", "#eeeed9", "#fcc4a1",
];

/// The same on a dark ground, for light text.
pub const CLASS_FILLS_ON_DARK: [&str; 24] = [
    "#243c5c", "#8c543f", "#5b1c38", "#69622a", "#006977", "#705b7e", "#3f2a0e", "#5b5b5b",
    "#07705b", "#0e383f", "#934d62", "#541c15", "#313800", "#46315b", "#236293", "#3f3131",
    "#466938", "#3f3f31", "#69543f", "#3f5b54", "#694d4d", "#385462", "#4d5485", "#69381c",
];
