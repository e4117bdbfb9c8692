//! Representatives by sorting values that components are indexed by (Bošnački,
//! Dams & Holenderski, *Symmetric Spin*, 2002; Gibson-Robinson & Lowe 2019,
//! section 7.6).
//!
//! A type is an index if there is a component for each of its values that
//! permutations map as the values. Values of other types stay as they are.

use super::super::action::Action;

/// A type with a component for each of its values, one or more times.
struct Family {
    /// The first value.
    first: usize,
    /// For each value, its components.
    components: Vec<Vec<u32>>,
}

/// Memory for the sorting.
pub(super) struct Families {
    families: Vec<Family>,
    /// Ties: places with values whose components are in the same control states.
    ties: Vec<std::ops::Range<usize>>,
    /// The values in their order.
    order: Vec<u16>,
    image: Vec<u16>,
    candidate: Vec<u32>,
    best: Vec<u32>,
}

/// The most orders of ties that are tried in a state.
const MOST_ORDERS: u64 = 10_000_000;

impl Families {
    pub fn new(action: &Action, components: usize) -> Self {
        let moving = action.moving().iter();
        Self {
            families: moving
                .filter_map(|&k| family(action, k, components))
                .collect(),
            ties: Vec::new(),
            order: Vec::new(),
            image: vec![0; action.values()],
            candidate: vec![0; components],
            best: vec![0; components],
        }
    }

    /// The permutation that sorts the values by the control states of their
    /// components; with `all`, among those that do the one with the least result.
    ///
    /// # Errors
    /// If there are too many orders to be tried.
    pub fn permutation(
        &mut self,
        action: &Action,
        state: &[u32],
        image: &mut [u16],
        all: bool,
    ) -> Result<(), String> {
        let count = action.values() as u16;
        self.order.clear();
        self.order.extend(0..count);
        self.ties.clear();
        for Family { first, components } in &self.families {
            let key = |v: &u16| {
                let own = &components[usize::from(*v) - first];
                own.iter().map(|&c| action.orbit(state[c as usize]))
            };
            let values = &mut self.order[*first..first + components.len()];
            values.sort_by(|a, b| key(a).cmp(key(b)));
            let mut from = *first;
            for tie in values.chunk_by(|a, b| key(a).eq(key(b))) {
                if tie.len() > 1 {
                    self.ties.push(from..from + tie.len());
                }
                from += tie.len();
            }
        }
        if !all {
            place(&self.order, image);
            return Ok(());
        }
        let sizes = self.ties.iter().flat_map(|tie| 2..=tie.len() as u64);
        if sizes.fold(1, u64::saturating_mul) > MOST_ORDERS {
            return Err(format!(
                "a state has more than {MOST_ORDERS} orders of values to be tried: choose another \
                 strategy for representatives than segmented"
            ));
        }
        let mut is_first = true;
        loop {
            place(&self.order, &mut self.image);
            for &x in state {
                let y = action.apply(&self.image, x);
                self.candidate[action.component(y) as usize] = y;
            }
            let candidate = &self.candidate[..state.len()];
            if is_first || *candidate < self.best[..state.len()] {
                self.best[..state.len()].copy_from_slice(candidate);
                image.copy_from_slice(&self.image);
            }
            is_first = false;
            // As an odometer: each tie goes through its orders.
            let order = &mut self.order;
            let more = self
                .ties
                .iter()
                .any(|tie| next_order(&mut order[tie.clone()]));
            if !more {
                return Ok(());
            }
        }
    }
}

fn place(order: &[u16], image: &mut [u16]) {
    for (at, &v) in (0..).zip(order) {
        image[usize::from(v)] = at;
    }
}

/// The next order of these, or the first one, with `false`, after the last.
fn next_order(values: &mut [u16]) -> bool {
    let Some(at) = values.windows(2).rposition(|pair| pair[0] < pair[1]) else {
        values.sort_unstable();
        return false;
    };
    let larger = values.iter().rposition(|&v| v > values[at]);
    // The one behind it is larger.
    values.swap(at, larger.unwrap_or(at + 1));
    values[at + 1..].reverse();
    true
}

/// The components of each value of a type, if it is an index.
fn family(action: &Action, number: usize, components: usize) -> Option<Family> {
    let range = action.ranges[number].clone();
    if range.len() < 2 {
        return None;
    }
    // Where a component goes, whatever its state.
    let moved = |v: usize, c: u32| action.component(action.exchange(v, action.first[c as usize]));
    let is_kept_by_others = |c: u32| {
        let others = action.moving().iter().filter(|&&k| k != number);
        let mut exchanges = others.flat_map(|&k| {
            let other = &action.ranges[k];
            other.start..other.end - 1
        });
        exchanges.all(|v| moved(v, c) == c)
    };
    let mut own: Vec<Vec<u32>> = vec![Vec::new(); range.len()];
    for c in 0..components as u32 {
        // The first value's component is moved by the exchange with the second
        // one, and by none of the others; the walk then meets the others' in turn.
        let later = (range.start + 1..range.end - 1).all(|v| moved(v, c) == c);
        if !later || moved(range.start, c) == c || !is_kept_by_others(c) {
            continue;
        }
        let mut list = vec![c];
        for v in range.start..range.end - 1 {
            list.push(moved(v, list[list.len() - 1]));
        }
        let distinct = (1..list.len()).all(|k| !list[..k].contains(&list[k]));
        // With two values, each of two components fits the first one: take it once.
        let is_new = !own.iter().any(|known| known.contains(&c));
        if distinct && is_new && list.iter().all(|&c| is_kept_by_others(c)) {
            for (known, c) in own.iter_mut().zip(list) {
                known.push(c);
            }
        }
    }
    (!own[0].is_empty()).then_some(Family {
        first: range.start,
        components: own,
    })
}
