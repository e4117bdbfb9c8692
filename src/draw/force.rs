//! Layouts by forces: edges pull their ends together, nodes push one another away.
//!
//! The start is the plane in which distances to some nodes are seen best (U. Brandes and
//! C. Pich, Eigensolver methods for progressive multidimensional scaling of large data,
//! 2006); then forces (T. Fruchterman and E. Reingold 1991), those of far nodes summed up in
//! a tree of squares (J. Barnes and P. Hut 1986).

use crate::graph::{Arc, At, Graph, LOOP_WIDTH, Placement, Size, TEXT_GAP, Way, loop_way};

mod pivots;
mod squares;
mod texts;

/// Rounds of forces.
const ROUNDS: usize = 120;
/// Up to how many pairs of a node and an edge it is seen to that no edge runs behind a node.
const MOST_PAIRS: usize = 400_000;
/// Around the whole.
const MARGIN: f64 = 24.0;

/// Places a graph by forces: about O(n log n) a round for n nodes. It works alone, so that it
/// is the same for every number of threads.
pub fn force(graph: &Graph) -> Placement {
    let count = graph.nodes.len();
    let length = ideal_length(graph);
    let mut at = pivots::start(graph, length);
    let mut step = length * (count as f64).sqrt().clamp(2.0, 30.0) / 10.0;
    for _ in 0..ROUNDS {
        let mut moves = squares::repulsion(&at, length * length);
        for arc in graph.edges.iter().filter(|arc| arc.source != arc.target) {
            let (a, b) = (at[arc.source], at[arc.target]);
            let pull = a.distance(b) / length;
            let (dx, dy) = ((b.x - a.x) * pull, (b.y - a.y) * pull);
            moves[arc.source].x += dx;
            moves[arc.source].y += dy;
            moves[arc.target].x -= dx;
            moves[arc.target].y -= dy;
        }
        for (at, wish) in at.iter_mut().zip(moves) {
            let far = At::default().distance(wish);
            if far > 0.0 && far.is_finite() {
                let part = far.min(step) / far;
                at.x += wish.x * part;
                at.y += wish.y * part;
            }
        }
        step *= 0.965;
    }
    if count <= 500 {
        draw_together(graph, &mut at, length);
        spread(graph, &mut at);
    }
    finish(graph, at)
}

/// How long edges should be, on the whole: with room for nodes and texts.
fn ideal_length(graph: &Graph) -> f64 {
    let mean = |sizes: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = sizes.fold((0.0, 0), |(sum, count), size| (sum + size, count + 1));
        if count == 0 {
            0.0
        } else {
            sum / f64::from(count)
        }
    };
    let nodes = mean(&mut graph.nodes.iter().map(|size| size.width));
    let texts = mean(&mut graph.edges.iter().map(|arc| arc.text.width));
    nodes * 1.8 + texts * 0.9 + 14.0
}

/// Makes the whole smaller where edges are longer than they should be: nodes with few edges
/// are pushed away by all others.
fn draw_together(graph: &Graph, at: &mut [At], length: f64) {
    let (mut sum, mut count) = (0.0, 0.0);
    for arc in graph.edges.iter().filter(|arc| arc.source != arc.target) {
        sum += at[arc.source].distance(at[arc.target]);
        count += 1.0;
    }
    if count == 0.0 || sum <= count * length {
        return;
    }
    let part = (count * length / sum).max(0.4);
    for at in at {
        *at = At::new(at.x * part, at.y * part);
    }
}

/// Pushes nodes apart that lie on one another. Where they have no room, they get more.
fn spread(graph: &Graph, at: &mut [At]) {
    for _ in 0..MOST_WIDENED {
        if is_spread(graph, at) {
            return;
        }
        for at in at.iter_mut() {
            (at.x, at.y) = (at.x * 1.1, at.y * 1.1);
        }
    }
}

/// Distances grow by a tenth so many times at the most: by 17 in all.
const MOST_WIDENED: usize = 30;

/// Pushes nodes apart that lie on one another, in some rounds. Whether none does any more.
fn is_spread(graph: &Graph, at: &mut [At]) -> bool {
    for _ in 0..60 {
        let mut moved = false;
        for a in 0..at.len() {
            for b in 0..a {
                let gap = 6.0;
                let wide = f64::midpoint(graph.nodes[a].width, graph.nodes[b].width) + gap;
                let high = f64::midpoint(graph.nodes[a].height, graph.nodes[b].height) + gap;
                let (dx, dy) = (at[a].x - at[b].x, at[a].y - at[b].y);
                let (over_x, over_y) = (wide - dx.abs(), high - dy.abs());
                if over_x <= 0.0 || over_y <= 0.0 {
                    continue;
                }
                moved = true;
                if over_x / wide < over_y / high {
                    let shift = over_x / 2.0 * if dx < 0.0 { -1.0 } else { 1.0 };
                    at[a].x += shift;
                    at[b].x -= shift;
                } else {
                    let shift = over_y / 2.0 * if dy < 0.0 { -1.0 } else { 1.0 };
                    at[a].y += shift;
                    at[b].y -= shift;
                }
            }
        }
        if !moved {
            return true;
        }
    }
    false
}

/// Moves everything to positive coordinates, with ways for edges and places for texts.
fn finish(graph: &Graph, mut at: Vec<At>) -> Placement {
    let (mut low, mut high) = (At::new(f64::MAX, f64::MAX), At::new(f64::MIN, f64::MIN));
    for (at, size) in at.iter().zip(&graph.nodes) {
        low = At::new(low.x.min(at.x - size.width), low.y.min(at.y - size.height));
        high = At::new(
            high.x.max(at.x + size.width),
            high.y.max(at.y + size.height),
        );
    }
    for arc in graph.edges.iter().filter(|arc| arc.source == arc.target) {
        let (at, size) = (at[arc.source], graph.nodes[arc.source]);
        let wide = size.width / 2.0 + LOOP_WIDTH + TEXT_GAP + arc.text.width;
        high.x = high.x.max(at.x + wide);
    }
    for at in &mut at {
        *at = At::new(at.x - low.x + MARGIN, at.y - low.y + MARGIN);
    }
    let mut edges: Vec<Way> = ways(graph, &at);
    texts::place(graph, &at, &mut edges);
    let mut placement = Placement {
        size: Size {
            width: high.x - low.x + 2.0 * MARGIN,
            height: high.y - low.y + 2.0 * MARGIN,
        },
        nodes: at,
        edges,
    };
    make_room(graph, &mut placement);
    placement
}

/// Makes the picture larger where edges or their texts lie outside of it.
fn make_room(graph: &Graph, placement: &mut Placement) {
    let (mut low, mut high) = (At::default(), At::default());
    (high.x, high.y) = (placement.size.width, placement.size.height);
    for (arc, way) in graph.edges.iter().zip(&placement.edges) {
        for at in &way.path {
            low = At::new(low.x.min(at.x - 4.0), low.y.min(at.y - 4.0));
            high = At::new(high.x.max(at.x + 4.0), high.y.max(at.y + 4.0));
        }
        let Some(at) = way.text_at else { continue };
        let (a, b) = (arc.text.width / 2.0 + 4.0, arc.text.height / 2.0 + 4.0);
        low = At::new(low.x.min(at.x - a), low.y.min(at.y - b));
        high = At::new(high.x.max(at.x + a), high.y.max(at.y + b));
    }
    let ways = placement.edges.iter_mut();
    let points = ways.flat_map(|way| way.path.iter_mut().chain(&mut way.text_at));
    for at in points.chain(&mut placement.nodes) {
        *at = At::new(at.x - low.x, at.y - low.y);
    }
    (placement.size.width, placement.size.height) = (high.x - low.x, high.y - low.y);
}

/// How far the middles of edges are moved to lead around nodes: each is tried, to either side.
const BENDS: [f64; 4] = [24.0, 48.0, 80.0, 120.0];

/// Straight lines, and bent ones where there is an edge in the other direction too, or where a
/// bend leads around nodes that are in the way, if there are not too many of them.
fn ways(graph: &Graph, at: &[At]) -> Vec<Way> {
    let mut ends: Vec<(usize, usize)> = graph.edges.iter().map(|a| (a.source, a.target)).collect();
    ends.sort_unstable();
    let way = |arc: &Arc| {
        let (from, to) = (at[arc.source], at[arc.target]);
        if arc.source == arc.target {
            return loop_way(from, graph.nodes[arc.source], arc.text);
        }
        // Both of two that lead back and forth bend to their own side.
        let is_double = ends.binary_search(&(arc.target, arc.source)).is_ok();
        let least = (from.distance(to) * 0.18).min(BENDS[0]);
        let usual = path(graph, at, arc, if is_double { least } else { 0.0 });
        let path = match is_free(graph, at, arc, &usual) {
            true => usual,
            false => {
                let bends = BENDS.into_iter().flat_map(|bend| [bend, -bend]);
                let bends = bends.filter(|&bend| !is_double || bend > least);
                let mut paths = bends.map(|bend| path(graph, at, arc, bend));
                let around = paths.find(|path| is_free(graph, at, arc, path));
                around.unwrap_or(usual)
            }
        };
        Way {
            path,
            text_at: None,
        }
    };
    graph.edges.iter().map(way).collect()
}

/// The path of an edge that goes so far to its left in the middle.
fn path(graph: &Graph, at: &[At], arc: &Arc, bend: f64) -> Vec<At> {
    let (from, to) = (at[arc.source], at[arc.target]);
    if bend == 0.0 {
        return vec![
            graph.leave(arc.source, from, to),
            graph.leave(arc.target, to, from),
        ];
    }
    let middle = from.towards(to, 0.5);
    let far = from.distance(to).max(1e-9);
    let side = At::new(
        middle.x + (to.y - from.y) / far * bend,
        middle.y - (to.x - from.x) / far * bend,
    );
    let start = graph.leave(arc.source, from, side);
    let end = graph.leave(arc.target, to, side);
    vec![
        start,
        start.towards(side, 2.0 / 3.0),
        end.towards(side, 2.0 / 3.0),
        end,
    ]
}

/// Whether a path runs behind no nodes but its ends; not looked at where there are too many.
fn is_free(graph: &Graph, at: &[At], arc: &Arc, path: &[At]) -> bool {
    if at.len() * graph.edges.len() > MOST_PAIRS {
        return true;
    }
    let reach = |of: fn(&At) -> f64| {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let values = path.iter().map(of);
        values.fold((low, high), |(low, high), x| (low.min(x), high.max(x)))
    };
    let ((left, right), (top, bottom)) = (reach(|at| at.x), reach(|at| at.y));
    let steps = (path[0].distance(path[path.len() - 1]) / 6.0)
        .ceil()
        .max(1.0);
    let points: Vec<At> = (0..=steps as usize)
        .map(|step| point(path, step as f64 / steps))
        .collect();
    let is_before = |node: usize| {
        let (middle, size) = (at[node], graph.nodes[node]);
        // With a little room around.
        let (a, b) = (size.width / 2.0 + 2.0, size.height / 2.0 + 2.0);
        let is_far = middle.x + a < left || middle.x - a > right;
        if is_far || middle.y + b < top || middle.y - b > bottom {
            return false;
        }
        let is_box = graph.boxes.get(node) == Some(&true);
        points.iter().any(|at| {
            let (x, y) = ((at.x - middle.x).abs() / a, (at.y - middle.y).abs() / b);
            (if is_box { x.max(y) } else { x.hypot(y) }) < 1.0
        })
    };
    let mut others = (0..at.len()).filter(|&node| node != arc.source && node != arc.target);
    !others.any(is_before)
}

/// The point of a path, a straight line or a single curve, after a part of it.
fn point(path: &[At], part: f64) -> At {
    match *path {
        [start, a, b, end] => {
            let (first, second, third) = (
                start.towards(a, part),
                a.towards(b, part),
                b.towards(end, part),
            );
            let (first, second) = (first.towards(second, part), second.towards(third, part));
            first.towards(second, part)
        }
        _ => path[0].towards(path[path.len() - 1], part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three nodes in a row: edges between the first and the last one run around the second.
    #[test]
    fn edges_bend_around_nodes() {
        let node = Size {
            width: 30.0,
            height: 30.0,
        };
        let at = [0.0, 100.0, 200.0].map(|x| At::new(x, 0.0));
        let arc = |(source, target)| Arc {
            source,
            target,
            ..Arc::default()
        };
        for boxes in [Vec::new(), vec![true; 3]] {
            for edges in [&[(0, 2)][..], &[(0, 2), (2, 0)], &[(0, 1), (1, 2)]] {
                let graph = Graph {
                    nodes: vec![node; 3],
                    edges: edges.iter().copied().map(arc).collect(),
                    root: 0,
                    boxes: boxes.clone(),
                };
                let ways = ways(&graph, &at);
                for (arc, way) in graph.edges.iter().zip(&ways) {
                    assert!(is_free(&graph, &at, arc, &way.path), "{edges:?}");
                    let straight = path(&graph, &at, arc, 0.0);
                    let may_stay = is_free(&graph, &at, arc, &straight);
                    assert_eq!(way.path == straight, may_stay, "{edges:?}");
                }
                // Each to its own side.
                if let [there, back] = &ways[..] {
                    let middle = |way: &Way| point(&way.path, 0.5).y;
                    let is_apart = (middle(there) - middle(back)).abs() > 30.0;
                    assert_eq!(is_apart, edges[1].0 == 2, "{edges:?}");
                }
            }
        }
    }
}
