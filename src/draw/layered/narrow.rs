//! Places in layers for pictures that would get too wide.

use super::Layers;
use super::place::GAP;

/// How many times as wide as its widest layer a picture may be.
const WIDEST: f64 = 1.5;
/// Sweeps over all layers, downwards and upwards in turn.
const SWEEPS: usize = 24;

/// The places `xs` if they are not much wider than the widest layer has to be. Otherwise, the
/// orders of the rows kept, places within that width that make edges short: each layer in
/// turn moves as near to the middles of its neighbours as its order lets it, by isotonic
/// regression (R. E. Barlow et al. 1972). Edges of several layers count more within, so that
/// they get straight. O(items + edges) a sweep.
pub fn columns(layers: &Layers, xs: Vec<f64>) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = layers.rows.iter().map(|row| offsets(layers, row)).collect();
    let room = |(row, offsets): (&Vec<usize>, &Vec<f64>)| match (row.first(), row.last()) {
        (Some(&first), Some(&last)) => {
            let inner = offsets.last().copied().unwrap_or(0.0);
            layers.items[first].left + inner + layers.items[last].right
        }
        _ => 0.0,
    };
    let widest = layers.rows.iter().zip(&rows).map(room).fold(0.0, f64::max);
    let items = || layers.items.iter().zip(&xs);
    let left = items()
        .map(|(i, x)| x - i.left)
        .fold(f64::INFINITY, f64::min);
    let right = items().map(|(i, x)| x + i.right).fold(left, f64::max);
    if right - left <= WIDEST * widest {
        return xs;
    }
    // The places that are given, in a width that is right.
    let scale = widest / (right - left);
    let mut xs: Vec<f64> = xs.iter().map(|x| (x - left) * scale).collect();
    let count = layers.rows.len();
    for sweep in 0..SWEEPS {
        let is_last = sweep + 2 >= SWEEPS;
        for step in 0..count {
            let (number, sides) = match sweep % 2 {
                0 => (step, [true, is_last]),
                _ => (count - 1 - step, [is_last, true]),
            };
            let row = &layers.rows[number];
            let wishes = row.iter().map(|&item| wish(layers, &xs, item, sides));
            let wishes: Vec<(f64, f64)> = wishes.collect();
            place(layers, row, &rows[number], &wishes, widest, &mut xs);
        }
    }
    xs
}

/// How far each item of a row is from the first one at least.
fn offsets(layers: &Layers, row: &[usize]) -> Vec<f64> {
    let mut at = 0.0;
    let mut offsets = Vec::with_capacity(row.len());
    for (k, &item) in row.iter().enumerate() {
        if let Some(before) = k.checked_sub(1) {
            at += layers.items[row[before]].right + layers.items[item].left + GAP;
        }
        offsets.push(at);
    }
    offsets
}

/// Where an item would best be, and how much that counts: the middle of its neighbours above,
/// below or both. One without neighbours there stays, if it can.
fn wish(layers: &Layers, xs: &[f64], item: usize, [above, below]: [bool; 2]) -> (f64, f64) {
    let weight = |other: usize| match (layers.items[item].is_node, layers.items[other].is_node) {
        (true, true) => 1.0,
        (true, false) | (false, true) => 2.0,
        (false, false) => 8.0,
    };
    let above = layers.above[item].iter().filter(|_| above);
    let those = above.chain(layers.below[item].iter().filter(|_| below));
    let (mut sum, mut weights) = (0.0, 0.0);
    for &other in those {
        sum += xs[other] * weight(other);
        weights += weight(other);
    }
    match weights > 0.0 {
        true => (sum / weights, weights),
        false => (xs[item], 0.1),
    }
}

/// Places a row as near to its wishes as its order and the width allow: neighbours that would
/// pass one another form a block with the mean of their wishes.
fn place(
    layers: &Layers,
    row: &[usize],
    offsets: &[f64],
    wishes: &[(f64, f64)],
    width: f64,
    xs: &mut [f64],
) {
    let (Some(&first), Some(&last)) = (row.first(), row.last()) else {
        return;
    };
    let low = layers.items[first].left;
    let inner = offsets.last().copied().unwrap_or(0.0);
    let high = (width - layers.items[last].right - inner).max(low);
    // The mean, the weight and the number of items of each block.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for (&(wish, weight), offset) in wishes.iter().zip(offsets) {
        let mut block = (wish - offset, weight, 1);
        while let Some(&before) = blocks.last().filter(|before| before.0 >= block.0) {
            let weight = before.1 + block.1;
            let mean = (before.0 * before.1 + block.0 * block.1) / weight;
            block = (mean, weight, before.2 + block.2);
            blocks.pop();
        }
        blocks.push(block);
    }
    let means = blocks
        .iter()
        .flat_map(|&(mean, _, count)| std::iter::repeat_n(mean, count));
    for ((&item, offset), mean) in row.iter().zip(offsets).zip(means) {
        xs[item] = mean.clamp(low, high) + offset;
    }
}
