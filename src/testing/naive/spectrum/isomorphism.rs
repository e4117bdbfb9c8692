//! Isomorphism of what two states reach, by trying all ways to map one part on the
//! other.

use super::system::{Set, System, has, members, single};

/// Whether there is a one-to-one map from what p reaches to what q reaches that maps
/// p to q and steps to steps, both ways.
pub(super) fn isomorphic(system: &System, p: usize, q: usize) -> bool {
    let (order, image) = (reached(system, p), reached(system, q));
    if order.len() != image.len() {
        return false;
    }
    // The images of the first states in the order; `tried` is where the
    // search for the next one goes on.
    let mut chosen = vec![q];
    let mut tried = 0;
    if !fits(system, &order, &chosen) {
        return false;
    }
    while chosen.len() < order.len() {
        let next = (tried..image.len()).find(|&k| {
            let free = !chosen.contains(&image[k]);
            free && {
                chosen.push(image[k]);
                let fits = fits(system, &order, &chosen);
                chosen.pop();
                fits
            }
        });
        match next {
            Some(k) => {
                chosen.push(image[k]);
                tried = 0;
            }
            None if chosen.len() == 1 => return false,
            None => {
                let last = chosen.pop();
                let at = image.iter().position(|&s| Some(s) == last);
                tried = at.map_or(image.len(), |at| at + 1);
            }
        }
    }
    true
}

/// Whether the last chosen image has the same steps from and to all chosen ones as
/// its original has.
fn fits(system: &System, order: &[usize], chosen: &[usize]) -> bool {
    let last = chosen.len() - 1;
    let (s, t) = (order[last], chosen[last]);
    system.step.iter().all(|step| {
        (0..=last).all(|k| {
            has(step[s], order[k]) == has(step[t], chosen[k])
                && has(step[order[k]], s) == has(step[chosen[k]], t)
        })
    })
}

/// What a state reaches, breadth first.
fn reached(system: &System, root: usize) -> Vec<usize> {
    let mut order = vec![root];
    let mut seen: Set = single(root);
    let mut next = 0;
    while next < order.len() {
        for step in &system.step {
            for target in members(step[order[next]]) {
                if !has(seen, target) {
                    seen |= single(target);
                    order.push(target);
                }
            }
        }
        next += 1;
    }
    order
}
