//! Pieces of a graph that no edge connects: each is placed by itself.

use crate::graph::{Arc, At, Graph, Placement, Size};

/// Places each piece by `layout`, and these beside and below one another, that of the root
/// first, then the higher ones; the picture is about as wide as it is high, unless a piece is
/// wider. O(n log n + p^2) for n nodes and edges in p pieces, but for `layout`.
///
/// # Errors
/// The first of `layout`.
pub fn placed<E>(
    graph: &Graph,
    mut layout: impl FnMut(&Graph) -> Result<Placement, E>,
) -> Result<Placement, E> {
    let pieces = pieces(graph);
    if pieces.len() <= 1 {
        return layout(graph);
    }
    let mut placed = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let placement = layout(&piece.of(graph))?;
        placed.push((piece, placement));
    }
    placed[1..].sort_by(|(_, a), (_, b)| b.size.height.total_cmp(&a.size.height));
    let area: f64 = placed
        .iter()
        .map(|(_, p)| p.size.width * p.size.height)
        .sum();
    let widest = placed.iter().map(|(_, p)| p.size.width).fold(0.0, f64::max);
    let most = widest.max(area.sqrt() * WIDE);
    let mut whole = Placement {
        nodes: vec![At::default(); graph.nodes.len()],
        edges: vec![Default::default(); graph.edges.len()],
        size: Size::default(),
    };
    let mut skyline = Skyline::new(most);
    for (piece, placement) in placed {
        let corner = skyline.add(placement.size);
        let shifted = |at: At| At::new(at.x + corner.x, at.y + corner.y);
        for (node, at) in piece.nodes.into_iter().zip(placement.nodes) {
            whole.nodes[node] = shifted(at);
        }
        for (edge, mut way) in piece.edges.into_iter().zip(placement.edges) {
            for at in way.path.iter_mut().chain(&mut way.text_at) {
                *at = shifted(*at);
            }
            whole.edges[edge] = way;
        }
        let Size { width, height } = placement.size;
        whole.size.width = whole.size.width.max(corner.x + width);
        whole.size.height = whole.size.height.max(corner.y + height);
    }
    Ok(whole)
}

/// How much wider than high the picture is, on the whole.
const WIDE: f64 = 1.3;

/// The lower border of what stands there: from each x on, to the next one, how far it reaches.
struct Skyline {
    steps: Vec<At>,
    width: f64,
}

impl Skyline {
    fn new(width: f64) -> Self {
        Self {
            steps: vec![At::default()],
            width,
        }
    }

    /// Puts a box as high as it can stand, and there as far to the left; its corner. No box is
    /// wider than all. O(steps^2).
    fn add(&mut self, size: Size) -> At {
        let lowest = |first: usize| {
            let right = self.steps[first].x + size.width;
            let below = self.steps[first..].iter().take_while(|step| step.x < right);
            below.map(|step| step.y).fold(0.0, f64::max)
        };
        let fits = |&first: &usize| first == 0 || self.steps[first].x + size.width <= self.width;
        let corners = (0..self.steps.len()).filter(fits);
        let corners = corners.map(|first| At::new(self.steps[first].x, lowest(first)));
        let corner = corners.reduce(|best, next| if next.y < best.y { next } else { best });
        let corner = corner.unwrap_or_default();
        let right = corner.x + size.width;
        let behind = self.steps.iter().rfind(|step| step.x <= right);
        let behind = behind.map_or(0.0, |step| step.y);
        self.steps
            .retain(|step| step.x < corner.x || step.x > right);
        let place = self.steps.partition_point(|step| step.x < corner.x);
        let own = At::new(corner.x, corner.y + size.height);
        self.steps
            .splice(place..place, [own, At::new(right, behind)]);
        corner
    }
}

/// Some nodes and all their edges, ascending.
#[derive(Default)]
struct Piece {
    nodes: Vec<usize>,
    edges: Vec<usize>,
}

impl Piece {
    /// The piece as a graph. The root is that of the whole, or the first node.
    fn of(&self, graph: &Graph) -> Graph {
        let place = |node: usize| self.nodes.binary_search(&node);
        let arcs = self.edges.iter().map(|&edge| {
            let Arc {
                source,
                target,
                text,
            } = graph.edges[edge];
            let end = |node: usize| place(node).expect("the ends of its edges are in a piece");
            Arc {
                source: end(source),
                target: end(target),
                text,
            }
        });
        let boxes = self.nodes.iter().filter_map(|&node| graph.boxes.get(node));
        Graph {
            nodes: self.nodes.iter().map(|&node| graph.nodes[node]).collect(),
            edges: arcs.collect(),
            root: place(graph.root).unwrap_or(0),
            boxes: boxes.copied().collect(),
        }
    }
}

/// The pieces, that of the root first, then by their first nodes.
fn pieces(graph: &Graph) -> Vec<Piece> {
    let count = graph.nodes.len();
    let mut beside = vec![Vec::new(); count];
    for arc in &graph.edges {
        beside[arc.source].push(arc.target);
        beside[arc.target].push(arc.source);
    }
    const UNKNOWN: usize = usize::MAX;
    let mut piece_of = vec![UNKNOWN; count];
    let mut pieces = 0;
    for start in std::iter::once(graph.root)
        .chain(0..count)
        .filter(|&n| n < count)
    {
        if piece_of[start] != UNKNOWN {
            continue;
        }
        piece_of[start] = pieces;
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for &other in &beside[node] {
                if piece_of[other] == UNKNOWN {
                    piece_of[other] = pieces;
                    open.push(other);
                }
            }
        }
        pieces += 1;
    }
    let mut found: Vec<Piece> = (0..pieces).map(|_| Piece::default()).collect();
    for (node, &piece) in piece_of.iter().enumerate() {
        found[piece].nodes.push(node);
    }
    for (edge, arc) in graph.edges.iter().enumerate() {
        found[piece_of[arc.source]].edges.push(edge);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::force::force;
    use hyades_testing::Random;

    /// Of random graphs: each piece stands as it does by itself, and none within another one.
    #[test]
    fn pieces_stand_apart() {
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let count = random.between(1, 14);
            let mut graph = Graph {
                nodes: vec![
                    Size {
                        width: 30.0,
                        height: 20.0
                    };
                    count
                ],
                root: random.between(0, count - 1),
                ..Graph::default()
            };
            for source in 0..count {
                for target in 0..count {
                    if random.chance(6) {
                        let text = Size {
                            width: 20.0,
                            height: 12.0,
                        };
                        graph.edges.push(Arc {
                            source,
                            target,
                            text,
                        });
                    }
                }
            }
            let whole = placed(&graph, |piece| Ok::<_, Infallible>(force(piece)));
            let Ok(whole) = whole;
            let mut boxes: Vec<[f64; 4]> = Vec::new();
            for piece in pieces(&graph) {
                let alone = force(&piece.of(&graph));
                let (first, origin) = (whole.nodes[piece.nodes[0]], alone.nodes[0]);
                let shift = At::new(first.x - origin.x, first.y - origin.y);
                for (&node, at) in piece.nodes.iter().zip(&alone.nodes) {
                    let found = whole.nodes[node];
                    let there = At::new(at.x + shift.x, at.y + shift.y);
                    assert!(found.distance(there) < 1e-6, "{seed}");
                }
                let Size { width, height } = alone.size;
                boxes.push([shift.x, shift.y, shift.x + width, shift.y + height]);
            }
            for (k, a) in boxes.iter().enumerate() {
                let inside = a[0] > -1e-6 && a[2] < whole.size.width + 1e-6;
                assert!(
                    inside && a[1] > -1e-6 && a[3] < whole.size.height + 1e-6,
                    "{seed}"
                );
                for b in &boxes[..k] {
                    let meet =
                        |low: usize, high: usize| a[high].min(b[high]) - a[low].max(b[low]) > 1e-6;
                    assert!(!(meet(0, 2) && meet(1, 3)), "{seed}");
                }
            }
        }
    }
}
