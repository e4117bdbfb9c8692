//! The ways of edges through layers.

use super::{Layers, place::GAP};
use crate::graph::{At, Graph, Placement, Size, TEXT_GAP, Way, loop_way};

/// Around the whole.
const MARGIN: f64 = 20.0;
/// How far to the side edges go at most where they leave a node, for each step downwards.
const FLATTEST: f64 = 1.5;
/// How much higher all rows together may get, unless the picture is wide, on account of edges
/// that go far to the side. Where there are many rows, each gets less.
const HIGH: f64 = 1_200.0;

/// Makes coordinates of columns: rows get as high as what stands in them, and are further
/// apart where edges between them go far to the side.
pub fn placement(graph: &Graph, layers: &Layers, xs: &[f64]) -> Placement {
    let items = || layers.items.iter().zip(xs);
    let left = items()
        .map(|(item, x)| x - item.left)
        .fold(f64::INFINITY, f64::min);
    let right = items().map(|(item, x)| x + item.right).fold(left, f64::max);
    let shift = MARGIN - left;
    let (rows, height) = row_places(layers, xs, right - left);
    let at = |item: usize| At::new(xs[item] + shift, rows[layers.items[item].layer].middle);
    let nodes: Vec<At> = (0..graph.nodes.len()).map(at).collect();
    let mut edges = Vec::with_capacity(graph.edges.len());
    for ((arc, chain), text) in graph.edges.iter().zip(&layers.chains).zip(&layers.texts) {
        let source = nodes[arc.source];
        if arc.source == arc.target {
            edges.push(loop_way(source, graph.nodes[arc.source], arc.text));
            continue;
        }
        let mut points = vec![at(chain[0])];
        let lower = at(chain[chain.len() - 1]);
        let towards = chain.get(1).map_or(lower, |&item| at(item));
        points.extend(beside_loop(
            graph, &rows, layers, chain[0], points[0], towards, 1.0,
        ));
        for &item in &chain[1..chain.len() - 1] {
            let row = &rows[layers.items[item].layer];
            let point = at(item);
            if row.height > 24.0 {
                points.push(At::new(point.x, row.middle - row.height / 2.0));
                points.push(At::new(point.x, row.middle + row.height / 2.0));
            } else {
                points.push(point);
            }
        }
        let node = chain[chain.len() - 1];
        let from = points[points.len() - 1];
        points.extend(beside_loop(graph, &rows, layers, node, lower, from, -1.0));
        points.push(lower);
        let last = points.len() - 1;
        let ends = [(0, 1, chain[0]), (last, last - 1, chain[chain.len() - 1])];
        let mut flat = [None; 2];
        for (number, (end, next, node)) in ends.into_iter().enumerate() {
            let (from, to) = (points[end], points[next]);
            // Edges leave steeply, so that they do not lie on neighbours of the node.
            let far = (to.y - from.y).abs() * FLATTEST;
            let side = (to.x - from.x).clamp(-far, far);
            let is_flat = (to.x - from.x).abs() > far;
            flat[number] = is_flat.then(|| side / (to.y - from.y));
            points[end] = graph.leave(node, from, At::new(from.x + side, to.y));
        }
        let mut path = smooth(&points, flat);
        if chain[0] != arc.source {
            path.reverse();
        }
        let text_at = text.map(|item| {
            let At { x, y } = at(item);
            At::new(x + TEXT_GAP + arc.text.width / 2.0, y)
        });
        edges.push(Way { path, text_at });
    }
    Placement {
        nodes,
        edges,
        size: Size {
            width: right - left + 2.0 * MARGIN,
            height: height + MARGIN,
        },
    }
}

/// Where an edge leaves the row of a node that has something beside it which is higher than
/// itself, the text of a loop: above (`side` is -1) or below (1) the node, and not at its side.
fn beside_loop(
    graph: &Graph,
    rows: &[Row],
    layers: &Layers,
    node: usize,
    from: At,
    to: At,
    side: f64,
) -> Option<At> {
    let item = &layers.items[node];
    let row = &rows[item.layer];
    let Size { width, height } = graph.nodes[node];
    let is_beside = item.height > height + 4.0;
    is_beside.then(|| {
        let y = row.middle + side * row.height / 2.0;
        let x = (to.x - from.x) * (y - from.y) / (to.y - from.y);
        At::new(from.x + x.clamp(-width / 2.0, width / 2.0), y)
    })
}

struct Row {
    middle: f64,
    height: f64,
}

fn row_places(layers: &Layers, xs: &[f64], width: f64) -> (Vec<Row>, f64) {
    // There is an arrow above the initial state.
    let mut y = MARGIN + GAP;
    let most = (HIGH.max(0.45 * width) / layers.rows.len() as f64).clamp(10.0, 56.0);
    let mut rows = Vec::with_capacity(layers.rows.len());
    for row in &layers.rows {
        let heights = row.iter().map(|&item| layers.items[item].height);
        let height = heights.fold(0.0, f64::max);
        rows.push(Row {
            middle: y + height / 2.0,
            height,
        });
        let edges = row
            .iter()
            .flat_map(|&item| layers.below[item].iter().map(move |&b| (item, b)));
        let far = edges
            .map(|(a, b)| (xs[a] - xs[b]).abs())
            .fold(0.0, f64::max);
        y += height + 14.0 + (far / 7.0).min(most);
    }
    let last = rows.last().map_or(0.0, |row| row.middle + row.height / 2.0);
    (rows, last)
}

/// A smooth curve through points of which each is below the one before: x as a function of y
/// that is monotone between points (F. N. Fritsch and R. E. Carlson 1980), as Bézier pieces.
/// An end that would be too flat has the slope that is given, that of its arrow.
fn smooth(points: &[At], flat: [Option<f64>; 2]) -> Vec<At> {
    let count = points.len();
    if count == 2 && flat == [None; 2] {
        return points.to_vec();
    }
    let slope = |k: usize| {
        let dy = (points[k + 1].y - points[k].y).max(1e-6);
        (points[k + 1].x - points[k].x) / dy
    };
    let mut slopes = vec![0.0; count];
    slopes[0] = flat[0].unwrap_or_else(|| slope(0));
    slopes[count - 1] = flat[1].unwrap_or_else(|| slope(count - 2));
    for (k, at) in slopes.iter_mut().enumerate().take(count - 1).skip(1) {
        let (before, after) = (slope(k - 1), slope(k));
        if before * after > 0.0 {
            *at = 2.0 * before * after / (before + after);
        }
    }
    let mut path = vec![points[0]];
    for k in 0..count - 1 {
        let (from, to) = (points[k], points[k + 1]);
        let third = (to.y - from.y) / 3.0;
        path.push(At::new(from.x + slopes[k] * third, from.y + third));
        path.push(At::new(to.x - slopes[k + 1] * third, to.y - third));
        path.push(to);
    }
    path
}
