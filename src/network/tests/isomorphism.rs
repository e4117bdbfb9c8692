//! Whether two small systems are the same but for the numbers of states.

use hyades_formats::{Lts, StateId};

/// Whether there is a bijection of states that keeps the initial state and all
/// transitions, their numbers included. Tries all ways to extend a partial one,
/// which is fast where few states look alike.
pub fn isomorphic(one: &Lts, other: &Lts) -> bool {
    if (one.states(), one.transitions()) != (other.states(), other.transitions()) {
        return false;
    }
    let mut image = vec![None; one.states()];
    let mut used = vec![false; one.states()];
    image[one.initial().index()] = Some(other.initial());
    used[other.initial().index()] = true;
    extends(one, other, &mut image, &mut used)
}

fn extends(one: &Lts, other: &Lts, image: &mut Vec<Option<StateId>>, used: &mut Vec<bool>) -> bool {
    if !agree(one, other, image) {
        return false;
    }
    let Some(state) = image.iter().position(Option::is_none) else {
        return true;
    };
    for candidate in (0..other.states() as u32).map(StateId::new) {
        if used[candidate.index()] {
            continue;
        }
        image[state] = Some(candidate);
        used[candidate.index()] = true;
        if extends(one, other, image, used) {
            return true;
        }
        image[state] = None;
        used[candidate.index()] = false;
    }
    false
}

/// Whether transitions between states that have an image are the same as those
/// between the images, and states have rows of equal labels.
fn agree(one: &Lts, other: &Lts, image: &[Option<StateId>]) -> bool {
    let inverse = |state: StateId| image.iter().position(|&i| i == Some(state));
    image.iter().enumerate().all(|(state, &mapped)| {
        let Some(mapped) = mapped else {
            return true;
        };
        let mut row: Vec<_> = one
            .outgoing(StateId::new(state as u32))
            .map(|(l, t)| (l.is_hidden(), one.table().text(l), image[t.index()]))
            .collect();
        let mut mirror: Vec<_> = other
            .outgoing(mapped)
            .map(|(l, t)| (l.is_hidden(), other.table().text(l), inverse(t).map(|_| t)))
            .collect();
        row.sort_unstable();
        mirror.sort_unstable();
        row == mirror
    })
}
