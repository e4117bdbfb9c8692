//! What a graph says, as far as an LTS can be made of it.

use super::names::Names;
use crate::lts::LabelTable;

/// A graph.
#[derive(Default)]
pub(super) struct Graph {
    /// Whether parallel edges count as one.
    pub strict: bool,
    /// The names of the nodes.
    pub names: Names,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// Where the statements begin that edges come from.
    pub places: EdgePlaces,
    /// All labels, of nodes and edges.
    pub texts: LabelTable,
    /// Where each label stands first in the file.
    pub first: Vec<usize>,
    /// The names of subgraphs.
    pub subgraphs: LabelTable,
    /// Whether edges say which ones may be left out in an implementation.
    pub modal: bool,
    /// Whether it has the attribute `center`, with which mCRL2 begins.
    pub centred: bool,
}

impl Graph {
    /// Adds an edge of a statement that begins at `at` in the file.
    #[inline]
    pub fn add(&mut self, edge: Edge, at: usize) {
        if self.places.all || edge.label == 0 {
            self.places.known.push((self.edges.len(), at));
        }
        self.edges.push(edge);
    }

    /// The text of a label of a node, none if it has none or an empty one.
    pub fn shown(&self, node: u32) -> Option<&[u8]> {
        match self.nodes[node as usize].attributes.shown() {
            0 => None,
            label => Some(self.text(label, node)),
        }
        .filter(|text| !text.is_empty())
    }

    /// The text of this label of a node.
    pub fn text(&self, label: u32, node: u32) -> &[u8] {
        let name = self.names.text(node);
        match label {
            Attributes::NAME => name,
            Attributes::NUMBER => number_of(name),
            label => self.texts.text(crate::lts::LabelId::new(label)),
        }
    }
}

/// What comes after the first letter of a name, or the name if it begins with
/// none.
pub(super) fn number_of(name: &[u8]) -> &[u8] {
    match name {
        [first, rest @ ..] if first.is_ascii_alphabetic() => rest,
        _ => name,
    }
}

/// A node.
#[derive(Clone, Copy, Default)]
pub(super) struct Node {
    pub attributes: Attributes,
    /// The outermost named subgraph where it appears first, or 0.
    pub subgraph: u32,
    /// Whether it appears in the subgraph that was asked for.
    pub chosen: bool,
    /// The last set of nodes that it was found in.
    pub mark: u32,
}

/// An edge; the label is a number in [`Graph::texts`], 0 standing for none.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub source: u32,
    pub target: u32,
    pub label: u32,
}

/// Where edges come from in the file: all of them, or those without a label.
#[derive(Default)]
pub(super) struct EdgePlaces {
    /// Whether all are wanted.
    all: bool,
    /// Numbers of edges in ascending order, and where their statements begin.
    known: Vec<(usize, usize)>,
}

impl EdgePlaces {
    /// Of all edges, or of those without a label.
    pub fn new(all: bool) -> Self {
        Self {
            all,
            known: Vec::new(),
        }
    }

    /// Whether all edges are to have a place.
    pub fn is_of_all(&self) -> bool {
        self.all
    }

    /// Where the statement begins of which the edge with this number comes, if
    /// it is known.
    pub fn get(&self, edge: usize) -> Option<usize> {
        let place = self.known.binary_search_by_key(&edge, |&(edge, _)| edge);
        place.ok().map(|place| self.known[place].1)
    }
}

/// Attributes of nodes or edges. Labels are numbers in [`Graph::texts`], 0
/// standing for none, [`Attributes::NAME`] and [`Attributes::NUMBER`] for a text
/// that is the node's own name or a part of it.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes {
    pub label: u32,
    pub xlabel: u32,
    /// What `output` says.
    pub output: u32,
    /// What is said, of the flags below.
    pub flags: u16,
    /// About which of them something is said.
    said: u16,
}

impl Attributes {
    /// The label of a node that shows its name; no table has so many texts.
    pub const NAME: u32 = u32::MAX;
    /// The label of a node that shows what follows the first letter of its name.
    pub const NUMBER: u32 = u32::MAX - 1;

    /// `shape` is none, point or plaintext.
    pub const SHAPELESS: u16 = 1;
    /// `shape` is doublecircle, doubleoctagon or tripleoctagon.
    pub const ACCEPTING: u16 = 2;
    /// `style` has invis.
    pub const INVISIBLE: u16 = 4;
    /// `initial` is true.
    pub const INITIAL: u16 = 8;
    /// `peripheries` is 2 or more.
    pub const TWICE: u16 = 16;
    /// `color` is red.
    pub const RED: u16 = 32;
    /// `shape` is record or Mrecord.
    pub const RECORD: u16 = 64;
    /// The label is a table of several cells.
    pub const TABLE: u16 = 128;
    /// `shape` is point, which shows no label.
    pub const POINT: u16 = 256;
    /// All that `shape` says.
    pub const SHAPE: u16 = Self::SHAPELESS | Self::ACCEPTING | Self::RECORD | Self::POINT;

    /// Whether a flag is set.
    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Says of `about` that just these flags are set.
    pub fn say(&mut self, about: u16, flags: u16) {
        self.flags = self.flags & !about | flags;
        self.said |= about;
    }

    /// Says of a flag whether it is set.
    pub fn say_if(&mut self, flag: u16, is_set: bool) {
        self.say(flag, if is_set { flag } else { 0 });
    }

    /// Adds what is said later on.
    pub fn merge(&mut self, later: &Attributes) {
        if later.label != 0 {
            self.label = later.label;
        }
        if later.xlabel != 0 {
            self.xlabel = later.xlabel;
        }
        if later.output != 0 {
            self.output = later.output;
        }
        self.say(later.said, later.flags);
    }

    /// The label, or what stands in for it.
    pub fn shown(&self) -> u32 {
        match self.label {
            0 => self.xlabel,
            label => label,
        }
    }
}
