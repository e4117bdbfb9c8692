//! Where the items of layers stand, from left to right.

use super::Layers;
use super::order::places;

/// Between items of a layer.
pub const GAP: f64 = 14.0;

/// The x of each item, at which its edges pass, in the orders of the rows: blocks of items
/// one above the other, aligned towards each of the four corners, and of these four the
/// middle (U. Brandes and B. Köpf, Fast and simple horizontal coordinate assignment,
/// 2001). Blocks are placed by longest paths, which needs none of the paper's classes.
pub fn columns(layers: &Layers) -> Vec<f64> {
    let places = places(layers);
    let marked = conflicts(layers, &places);
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(4);
    for from_top in [true, false] {
        for from_left in [true, false] {
            let blocks = align(layers, &places, &marked, from_top, from_left);
            all.push(compact(layers, &blocks, from_left));
        }
    }
    // All take their places beside the narrowest one, at its left or right end.
    let ends = |xs: &[f64]| {
        let items = layers.items.iter().zip(xs);
        items.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (i, x)| {
            [low.min(x - i.left), high.max(x + i.right)]
        })
    };
    let extents: Vec<[f64; 2]> = all.iter().map(|xs| ends(xs)).collect();
    let narrowest = extents
        .iter()
        .min_by(|a, b| (a[1] - a[0]).total_cmp(&(b[1] - b[0])));
    let [low, high] = *narrowest.expect("there are four");
    for (number, xs) in all.iter_mut().enumerate() {
        let from_left = number % 2 == 0;
        let shift = if from_left {
            low - extents[number][0]
        } else {
            high - extents[number][1]
        };
        xs.iter_mut().for_each(|x| *x += shift);
    }
    (0..layers.items.len())
        .map(|item| {
            let mut four = [0, 1, 2, 3].map(|number| all[number][item]);
            four.sort_by(f64::total_cmp);
            f64::midpoint(four[1], four[2])
        })
        .collect()
}

/// For each item, which of its neighbours above (by their places in `above`) it must not be
/// aligned with: an edge there crosses the inner part of a longer one, which is to be
/// straight.
fn conflicts(layers: &Layers, places: &[usize]) -> Vec<Vec<bool>> {
    let none = layers.above.iter().map(|above| vec![false; above.len()]);
    let mut marked: Vec<Vec<bool>> = none.collect();
    let inner_above = |item: usize| {
        let is_inner = |&&other: &&usize| !layers.items[other].is_node;
        let is_part = !layers.items[item].is_node;
        layers.above[item].iter().find(is_inner).filter(|_| is_part)
    };
    for row in layers.rows.iter().skip(1) {
        // The nearest inner parts to the left and to the right.
        let mut low = 0;
        let mut done = 0;
        for (place, &item) in row.iter().enumerate() {
            let inner = inner_above(item);
            if inner.is_none() && place + 1 < row.len() {
                continue;
            }
            let high = inner.map_or(usize::MAX, |&other| places[other]);
            for &left in &row[done..=place] {
                for (number, &other) in layers.above[left].iter().enumerate() {
                    let is_inner = !layers.items[other].is_node && !layers.items[left].is_node;
                    let at = places[other];
                    marked[left][number] = !is_inner && (at < low || at > high);
                }
            }
            done = place + 1;
            low = low.max(inner.map_or(low, |&other| places[other]));
        }
    }
    marked
}

/// The first item of the block of each item.
fn align(
    layers: &Layers,
    places: &[usize],
    marked: &[Vec<bool>],
    from_top: bool,
    from_left: bool,
) -> Vec<usize> {
    let items = layers.items.len();
    let mut root: Vec<usize> = (0..items).collect();
    // Whether an item has one that is aligned with it on the other side already.
    let mut taken = vec![false; items];
    let count = layers.rows.len();
    for step in 1..count {
        let number = if from_top { step } else { count - 1 - step };
        let row = &layers.rows[number];
        // The place of the last alignment in the row before.
        let mut last = None;
        for step in 0..row.len() {
            let item = row[if from_left {
                step
            } else {
                row.len() - 1 - step
            }];
            let beside = if from_top {
                &layers.above[item]
            } else {
                &layers.below[item]
            };
            if beside.is_empty() {
                continue;
            }
            let mut beside: Vec<usize> = beside.clone();
            beside.sort_by_key(|&other| places[other]);
            let middle = beside.len() / 2;
            let mut medians = vec![beside[(beside.len() - 1) / 2], beside[middle]];
            if !from_left {
                medians.reverse();
            }
            medians.dedup();
            for other in medians {
                let at = places[other];
                let is_free = last.is_none_or(|last| if from_left { at > last } else { at < last });
                let (lower, upper) = if from_top {
                    (item, other)
                } else {
                    (other, item)
                };
                let is_marked = layers.above[lower].iter().position(|&o| o == upper);
                let is_marked = is_marked.is_some_and(|number| marked[lower][number]);
                if !taken[other] && is_free && !is_marked {
                    taken[other] = true;
                    root[item] = root[other];
                    last = Some(at);
                    break;
                }
            }
        }
    }
    root
}

/// Places blocks as far to the left (or right) as their order lets them, and then each as far
/// back as it can without pushing another one, where it has neighbours on that side.
fn compact(layers: &Layers, root: &[usize], from_left: bool) -> Vec<f64> {
    let items = layers.items.len();
    // To the right of each block, at what distance: a graph without cycles.
    let mut next: Vec<Vec<(usize, f64)>> = vec![Vec::new(); items];
    let mut before = vec![0usize; items];
    for row in &layers.rows {
        for pair in row.windows(2) {
            let distance = layers.items[pair[0]].right + layers.items[pair[1]].left + GAP;
            next[root[pair[0]]].push((root[pair[1]], distance));
            before[root[pair[1]]] += 1;
        }
    }
    let mut order: Vec<usize> = (0..items)
        .filter(|&item| root[item] == item && before[item] == 0)
        .collect();
    let mut at = 0;
    while let Some(&block) = order.get(at) {
        at += 1;
        for &(right, _) in &next[block] {
            before[right] -= 1;
            if before[right] == 0 {
                order.push(right);
            }
        }
    }
    let mut left_most = vec![0.0f64; items];
    for &block in &order {
        for &(right, distance) in &next[block] {
            left_most[right] = left_most[right].max(left_most[block] + distance);
        }
    }
    let width = order.iter().map(|&b| left_most[b]).fold(0.0, f64::max);
    let mut right_most = vec![width; items];
    for &block in order.iter().rev() {
        for &(right, distance) in &next[block] {
            right_most[block] = right_most[block].min(right_most[right] - distance);
        }
    }
    let mut xs = if from_left { left_most } else { right_most };
    if from_left {
        for &block in order.iter().rev() {
            let room = next[block]
                .iter()
                .map(|&(right, distance)| xs[right] - distance);
            let room = room.fold(f64::INFINITY, f64::min);
            if room.is_finite() {
                xs[block] = room.max(xs[block]);
            }
        }
    } else {
        let mut room = vec![f64::NEG_INFINITY; items];
        for &block in &order {
            if room[block].is_finite() {
                xs[block] = room[block].min(xs[block]);
            }
            for &(right, distance) in &next[block] {
                room[right] = room[right].max(xs[block] + distance);
            }
        }
    }
    (0..items).map(|item| xs[root[item]]).collect()
}
