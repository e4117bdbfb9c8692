//! What a layout is given, and what it says.

use crate::scene::Point;

/// Boxes and edges to be placed.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// The sizes of the nodes, width and height.
    pub nodes: Vec<Size>,
    /// The edges: at most one from one node to another one; loops are allowed.
    pub edges: Vec<Arc>,
    /// The node to start from.
    pub root: usize,
    /// Which nodes are rectangles; the others, and all if there is no entry, are ellipses.
    pub boxes: Vec<bool>,
}

impl Graph {
    /// Where the way from the middle of a node to `towards` leaves it.
    pub fn leave(&self, node: usize, middle: At, towards: At) -> At {
        match self.boxes.get(node) {
            Some(true) => leave_box(middle, self.nodes[node], towards),
            Some(false) | None => leave_ellipse(middle, self.nodes[node], towards),
        }
    }
}

/// The size of a box.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Size {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// An edge to be placed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Arc {
    /// The node that it leaves.
    pub source: usize,
    /// The node that it enters.
    pub target: usize,
    /// The size of its text; zero for none.
    pub text: Size,
}

/// Where nodes and edges are; all coordinates are finite and not negative.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// The middles of the nodes.
    pub nodes: Vec<At>,
    /// The ways of the edges, in the order of [`Graph::edges`].
    pub edges: Vec<Way>,
    /// The size of the whole.
    pub size: Size,
}

/// A point, exactly.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct At {
    /// To the right.
    pub x: f64,
    /// Downwards.
    pub y: f64,
}

/// The way of an edge.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Way {
    /// As [`crate::scene::Edge::path`]: two points, or 1 + 3k.
    pub path: Vec<At>,
    /// The middle of the text, if there is one.
    pub text_at: Option<At>,
}

impl At {
    /// A point.
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// How far it is to another point.
    pub fn distance(self, other: Self) -> f64 {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        (dx * dx + dy * dy).sqrt()
    }

    /// The point a part of the way to another one.
    pub fn towards(self, other: Self, part: f64) -> Self {
        Self::new(
            self.x + (other.x - self.x) * part,
            self.y + (other.y - self.y) * part,
        )
    }

    /// Rounded to tenths, as pictures have it.
    pub fn rounded(self) -> Point {
        let round = |value: f64| ((value * 10.0).round() / 10.0) as f32;
        Point {
            x: round(self.x),
            y: round(self.y),
        }
    }
}

/// Where the way from the middle of an ellipse of some size to `towards` leaves it.
pub fn leave_ellipse(middle: At, size: Size, towards: At) -> At {
    let (dx, dy) = (towards.x - middle.x, towards.y - middle.y);
    let (a, b) = (size.width / 2.0, size.height / 2.0);
    if a <= 0.0 || b <= 0.0 {
        return middle;
    }
    let far = ((dx / a).powi(2) + (dy / b).powi(2)).sqrt();
    if far <= 1.0 {
        return At::new(middle.x, middle.y + b);
    }
    At::new(middle.x + dx / far, middle.y + dy / far)
}

/// The same of a rectangle.
fn leave_box(middle: At, size: Size, towards: At) -> At {
    let (dx, dy) = (towards.x - middle.x, towards.y - middle.y);
    let far = f64::max(
        2.0 * dx.abs() / size.width.max(1e-6),
        2.0 * dy.abs() / size.height.max(1e-6),
    );
    if far <= 1.0 {
        return At::new(middle.x, middle.y + size.height / 2.0);
    }
    At::new(middle.x + dx / far, middle.y + dy / far)
}

/// The way of a loop to the right of a node, with `text` beside it.
pub fn loop_way(middle: At, size: Size, text: Size) -> Way {
    let (a, b) = (size.width / 2.0, size.height / 2.0);
    // Points of the ellipse at 30 degrees above and below its right end.
    let (x, y) = (middle.x + a * 0.866, b * 0.5);
    let out = middle.x + a + LOOP_WIDTH * 1.25;
    let path = vec![
        At::new(x, middle.y - y),
        At::new(out, middle.y - b * 1.1),
        At::new(out, middle.y + b * 1.1),
        At::new(x, middle.y + y),
    ];
    let at = At::new(
        middle.x + a + LOOP_WIDTH + TEXT_GAP + text.width / 2.0,
        middle.y,
    );
    Way {
        path,
        text_at: (text.width > 0.0).then_some(at),
    }
}

/// How far a loop reaches from its node.
pub const LOOP_WIDTH: f64 = 20.0;
/// Between an edge and its text.
pub const TEXT_GAP: f64 = 3.0;
