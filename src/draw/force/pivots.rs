//! Where nodes start: by their distances to some of them.

use crate::graph::{At, Graph};

const MOST_PIVOTS: usize = 50;

/// A first place for each node, neighbours about `length` apart.
pub fn start(graph: &Graph, length: f64) -> Vec<At> {
    let count = graph.nodes.len();
    let mut beside = vec![Vec::new(); count];
    for arc in &graph.edges {
        beside[arc.source].push(arc.target);
        beside[arc.target].push(arc.source);
    }
    let columns = columns(&beside, graph.root);
    let [x, y] = axes(&columns, count);
    let place = |node: usize| {
        // Nodes with the same distances would never part.
        let (dx, dy) = jitter(node);
        At::new((x[node] + dx * 0.2) * length, (y[node] + dy * 0.2) * length)
    };
    (0..count).map(place).collect()
}

/// The squared distances to each of the pivots, centred in both directions. The pivots are
/// far from one another: each is farthest from those before.
fn columns(beside: &[Vec<usize>], root: usize) -> Vec<Vec<f64>> {
    let count = beside.len();
    let mut nearest = vec![usize::MAX; count];
    let mut columns = Vec::new();
    let mut pivot = root;
    for _ in 0..MOST_PIVOTS.min(count) {
        let distances = distances(beside, pivot);
        for (nearest, &distance) in nearest.iter_mut().zip(&distances) {
            *nearest = (*nearest).min(distance);
        }
        columns.push(
            distances
                .iter()
                .map(|&d| (d * d) as f64)
                .collect::<Vec<f64>>(),
        );
        pivot = (0..count)
            .max_by_key(|&n| (nearest[n], usize::MAX - n))
            .unwrap_or(0);
        if nearest[pivot] == 0 {
            break;
        }
    }
    let pivots = columns.len() as f64;
    let of_node = |node: usize| columns.iter().map(|c| c[node]).sum::<f64>() / pivots;
    let of_nodes: Vec<f64> = (0..count).map(of_node).collect();
    let all = of_nodes.iter().sum::<f64>() / count as f64;
    for column in &mut columns {
        let mean = column.iter().sum::<f64>() / count as f64;
        for (value, of_node) in column.iter_mut().zip(&of_nodes) {
            *value = -0.5 * (*value - mean - of_node + all);
        }
    }
    columns
}

/// How many edges each node is away, in any direction; those that cannot be reached are a
/// bit farther than all others.
fn distances(beside: &[Vec<usize>], from: usize) -> Vec<usize> {
    let mut distances = vec![usize::MAX; beside.len()];
    let mut queue = vec![from];
    distances[from] = 0;
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        for &other in &beside[node] {
            if distances[other] == usize::MAX {
                distances[other] = distances[node] + 1;
                queue.push(other);
            }
        }
    }
    let farthest = queue.last().map_or(0, |&node| distances[node]);
    for distance in &mut distances {
        *distance = (*distance).min(farthest + 2);
    }
    distances
}

/// The places along the two directions in which the columns differ most, in units of edges:
/// iterated powers of the matrix of their products.
fn axes(columns: &[Vec<f64>], count: usize) -> [Vec<f64>; 2] {
    let pivots = columns.len();
    let mut products = vec![vec![0.0; pivots]; pivots];
    for a in 0..pivots {
        for b in 0..=a {
            let sum: f64 = columns[a].iter().zip(&columns[b]).map(|(x, y)| x * y).sum();
            (products[a][b], products[b][a]) = (sum, sum);
        }
    }
    let mut found: Vec<Vec<f64>> = Vec::new();
    [0, 1].map(|axis| {
        let mut vector: Vec<f64> = (0..pivots).map(|k| 1.0 + jitter(k + 7 * axis).0).collect();
        for _ in 0..100 {
            let times = products.iter().map(|row| dot(row, &vector));
            let mut next: Vec<f64> = times.collect();
            for before in &found {
                let part = dot(&next, before);
                next.iter_mut()
                    .zip(before)
                    .for_each(|(n, b)| *n -= part * b);
            }
            let norm = dot(&next, &next).sqrt();
            if norm < 1e-12 {
                break;
            }
            next.iter_mut().for_each(|n| *n /= norm);
            vector = next;
        }
        let value = dot(
            &products.iter().map(|r| dot(r, &vector)).collect::<Vec<_>>(),
            &vector,
        );
        let mut places = vec![0.0; count];
        for (column, weight) in columns.iter().zip(&vector) {
            places
                .iter_mut()
                .zip(column)
                .for_each(|(p, c)| *p += c * weight);
        }
        // The product of two centred distances is a square: take its root in all.
        let variance = dot(&places, &places) / count as f64;
        let wanted = (value.max(0.0).sqrt() / (count as f64 * pivots as f64).sqrt()).max(0.0);
        let scale = if variance > 1e-12 {
            wanted.sqrt() / variance.sqrt()
        } else {
            0.0
        };
        places.iter_mut().for_each(|p| *p *= scale);
        found.push(vector);
        places
    })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Numbers between -0.5 and 0.5, the same for the same node.
fn jitter(node: usize) -> (f64, f64) {
    let mut bits = (node as u64)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= bits >> 29;
    bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^= bits >> 32;
    let part = |bits: u64| (bits & 0xffff) as f64 / 65_536.0 - 0.5;
    (part(bits), part(bits >> 16))
}
