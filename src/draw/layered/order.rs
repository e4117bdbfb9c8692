//! In which order the items of a layer stand, so that edges cross seldom.

use super::Layers;

/// Rounds without a gain until we stop, and rounds at most.
const PATIENCE: usize = 6;
const MOST_ROUNDS: usize = 40;

/// Orders each row: by the middles of the neighbours above and below, in turn, and by
/// exchanging neighbours; what crosses least is kept.
pub fn order(layers: &mut Layers) {
    start(layers);
    let mut places = places(layers);
    let mut best = layers.rows.clone();
    let mut least = crossings(layers, &places);
    let mut without_gain = 0;
    for round in 0..MOST_ROUNDS {
        if least == 0 || without_gain == PATIENCE {
            break;
        }
        sweep(layers, &mut places, round % 2 == 0);
        exchange(layers, &mut places);
        let now = crossings(layers, &places);
        if now < least {
            least = now;
            best.clone_from(&layers.rows);
            without_gain = 0;
        } else {
            without_gain += 1;
        }
    }
    layers.rows = best;
}

/// In the order of a search from the topmost items, depth first: what belongs together
/// stands together.
fn start(layers: &mut Layers) {
    let mut seen = vec![false; layers.items.len()];
    let mut tops: Vec<usize> = (0..layers.items.len()).collect();
    tops.sort_by_key(|&item| (layers.items[item].layer, item));
    let mut stack = Vec::new();
    for top in tops {
        stack.push(top);
        while let Some(item) = stack.pop() {
            if std::mem::replace(&mut seen[item], true) {
                continue;
            }
            layers.rows[layers.items[item].layer].push(item);
            stack.extend(layers.below[item].iter().rev().filter(|&&b| !seen[b]));
        }
    }
}

/// The place of each item in its row.
pub fn places(layers: &Layers) -> Vec<usize> {
    let mut places = vec![0; layers.items.len()];
    for row in &layers.rows {
        for (place, &item) in row.iter().enumerate() {
            places[item] = place;
        }
    }
    places
}

fn sweep(layers: &mut Layers, places: &mut [usize], downwards: bool) {
    let count = layers.rows.len();
    for step in 1..count {
        let row = if downwards { step } else { count - 1 - step };
        let beside = if downwards {
            &layers.above
        } else {
            &layers.below
        };
        let items = &mut layers.rows[row];
        // Those without neighbours keep their places, the others are sorted around them.
        let mean = |item: usize| {
            let sum: usize = beside[item].iter().map(|&other| places[other]).sum();
            sum as f64 / beside[item].len() as f64
        };
        let (free, mut bound): (Vec<_>, Vec<_>) =
            (0..items.len()).partition(|&place| beside[items[place]].is_empty());
        let mut sorted: Vec<usize> = bound.iter().map(|&place| items[place]).collect();
        sorted.sort_by(|&a, &b| mean(a).total_cmp(&mean(b)));
        bound.sort_unstable();
        let mut new = vec![0; items.len()];
        for (place, item) in bound.into_iter().zip(sorted) {
            new[place] = item;
        }
        for place in free {
            new[place] = items[place];
        }
        *items = new;
        for (place, &item) in items.iter().enumerate() {
            places[item] = place;
        }
    }
}

/// Exchanges neighbours in rows as long as that takes crossings away.
fn exchange(layers: &mut Layers, places: &mut [usize]) {
    for _ in 0..4 {
        let mut gained = false;
        for row in &mut layers.rows {
            for left in 1..row.len() {
                let (a, b) = (row[left - 1], row[left]);
                let cost = |a: usize, b: usize| {
                    crossings_of(&layers.above[a], &layers.above[b], places)
                        + crossings_of(&layers.below[a], &layers.below[b], places)
                };
                if cost(b, a) < cost(a, b) {
                    row.swap(left - 1, left);
                    (places[a], places[b]) = (left, left - 1);
                    gained = true;
                }
            }
        }
        if !gained {
            return;
        }
    }
}

/// How often the edges of two items cross if the first stands left of the second.
fn crossings_of(left: &[usize], right: &[usize], places: &[usize]) -> usize {
    let pairs = left.iter().flat_map(|l| right.iter().map(move |r| (l, r)));
    pairs.filter(|&(&l, &r)| places[l] > places[r]).count()
}

/// How often edges cross: in each gap between rows, the inversions, counted with a tree of
/// sums (Barth, Jünger and Mutzel 2002).
pub fn crossings(layers: &Layers, places: &[usize]) -> u64 {
    let mut sum = 0;
    for (row, below) in layers.rows.iter().zip(layers.rows.iter().skip(1)) {
        let mut tree = vec![0u64; below.len() + 1];
        let mut all = 0;
        for &item in row {
            let mut targets: Vec<_> = layers.below[item].iter().map(|&b| places[b]).collect();
            targets.sort_unstable();
            for &target in &targets {
                let mut at = target + 1;
                let mut not_right = 0;
                while at > 0 {
                    not_right += tree[at];
                    at &= at - 1;
                }
                sum += all - not_right;
            }
            for &target in &targets {
                let mut at = target + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
                all += 1;
            }
        }
    }
    sum
}
