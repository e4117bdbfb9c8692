//! Pairs of small systems for relations between systems.

use hyades_formats::{LabelTable, Lts, LtsBuilder, StateId};

use super::{Random, Shape, Sketch, unfold, uniform};

/// The most states that a system of a random pair has.
const MOST: usize = 8;

/// Two systems of at most 8 states each, over the hidden label and up to two visible
/// ones, to be compared by their initial states.
///
/// One is mostly made from the other by up to three changes, so that pairs are common
/// that are related in one way and not in another: unfolding, hidden steps before,
/// after or beside others, steps around hidden ones, a transition more or less,
/// merged states, states with a part of the steps of another. Some have unreachable
/// states, an initial state other than 0, or duplicate transitions. Labels are
/// numbered in any order, and some are not used.
pub fn random_pair(random: &mut Random) -> (Lts, Lts) {
    let first = small(random);
    let second = match random.chance(10) {
        true => small(random),
        false => {
            let mut second = first.clone();
            for _ in 0..random.between(1, 3) {
                change(&mut second, random);
            }
            second
        }
    };
    let (first, second) = (finished(first, random), finished(second, random));
    match random.chance(50) {
        true => (first, second),
        false => (second, first),
    }
}

/// Both systems side by side, and their initial states; that of the first is initial.
/// Labels are matched by text.
///
/// # Panics
/// If the states or labels are too many for one system.
pub fn union(first: &Lts, second: &Lts) -> (Lts, StateId, StateId) {
    let shift = first.states();
    let mut builder = LtsBuilder::new((shift + second.states()) as u64);
    for (lts, shift) in [(first, 0), (second, shift)] {
        for (source, label, target) in lts.iter() {
            let label = match label.is_hidden() {
                true => label,
                false => {
                    let text = lts.table().text(label);
                    builder.table_mut().intern(text).expect("few labels")
                }
            };
            let [source, target] = [source, target].map(|s| StateId::from_index(s.index() + shift));
            builder.add(source, label, target);
        }
    }
    let second = StateId::from_index(second.initial().index() + shift);
    let union = builder.build(first.initial()).expect("few states");
    (union, first.initial(), second)
}

/// Up to 5 states, most of them reachable from the initial state 0; half of the systems
/// have no cycles but loops.
fn small(random: &mut Random) -> Sketch {
    let size = random.between(1, 5);
    let hidden = 20 * random.between(0, 3);
    let mut s = uniform(size, 2, hidden, 2 * size, random);
    let acyclic = random.chance(50);
    for t in &mut s.transitions {
        if acyclic && t.0 > t.2 {
            (t.0, t.2) = (t.2, t.0);
        }
    }
    for state in 1..size {
        if random.chance(80) {
            let label = if random.chance(hidden) {
                0
            } else {
                random.between(1, 2)
            };
            s.add(random.between(0, state - 1), label, state);
        }
    }
    s
}

/// Changes a system in one of many ways; not if it would have too many states, or if
/// it has nothing to change.
fn change(s: &mut Sketch, random: &mut Random) {
    let states = s.states as usize;
    let step = match s.transitions.len() {
        0 => None,
        n => Some(random.between(0, n - 1)),
    };
    match (random.between(0, 11), step) {
        (0, _) => unfolded(s, Shape::Copies, random),
        (1, _) => unfolded(s, Shape::Stutter, random),
        (2, _) => unfolded(s, Shape::DivergentStutter, random),
        (3, Some(step)) if states < MOST => hide_beside(s, step, random),
        (4, _) => {
            let state = s.any_state(random);
            s.add(state, 0, state);
        }
        (5, Some(step)) => drop(s.transitions.remove(step)),
        (6, _) => {
            let (source, target) = (s.any_state(random), s.any_state(random));
            s.add(source, random.between(0, 2), target);
        }
        (7, _) => merge(s, random),
        (8 | 9, Some(step)) => shorten(s, step),
        (10, Some(step)) if states < MOST => add_brother(s, step, random),
        (11, Some(step)) if states < MOST => choose_early(s, step, random),
        (_, _) => {}
    }
}

/// Up to two copies of each state.
fn unfolded(s: &mut Sketch, shape: Shape, random: &mut Random) {
    if 2 * s.states as usize <= MOST {
        *s = unfold(s, shape, 2, random).0;
    }
}

/// Puts a hidden step before or after a step.
fn hide_beside(s: &mut Sketch, step: usize, random: &mut Random) {
    let (source, label, target) = s.transitions[step];
    let middle = s.states;
    s.states += 1;
    let (first, second) = match random.chance(50) {
        true => (0, label),
        false => (label, 0),
    };
    s.transitions[step] = (source, first, middle);
    s.transitions.push((middle, second, target));
}

/// One of two states takes the steps of both and from both.
fn merge(s: &mut Sketch, random: &mut Random) {
    let (kept, gone) = (s.any_state(random) as u32, s.any_state(random) as u32);
    for t in &mut s.transitions {
        for end in [&mut t.0, &mut t.2] {
            if *end == gone {
                *end = kept;
            }
        }
    }
    if s.initial == gone {
        s.initial = kept;
    }
}

/// For a hidden step and another before or behind it: the latter from, or to, the
/// other end of the hidden one, too.
fn shorten(s: &mut Sketch, step: usize) {
    let (source, label, target) = s.transitions[step];
    let (mut before, mut behind) = (Vec::new(), Vec::new());
    for &(s1, l1, t1) in &s.transitions {
        if label == 0 && s1 == target {
            behind.push((source, l1, t1));
        }
        if label == 0 && t1 == source {
            before.push((s1, l1, target));
        }
    }
    let new = behind.pop().or(before.pop());
    s.transitions.extend(new);
}

/// The source also has a step to a state with some of the steps of the target.
fn add_brother(s: &mut Sketch, step: usize, random: &mut Random) {
    let (source, label, target) = s.transitions[step];
    let brother = s.states;
    s.states += 1;
    let steps: Vec<_> = s
        .transitions
        .iter()
        .filter(|t| t.0 == target)
        .copied()
        .collect();
    for (_, label, target) in steps {
        if random.chance(60) {
            s.transitions.push((brother, label, target));
        }
    }
    s.transitions.push((source, label, brother));
}

/// The source has two such steps instead; each step of the target is left to one of
/// two states.
fn choose_early(s: &mut Sketch, step: usize, random: &mut Random) {
    let (source, label, target) = s.transitions[step];
    let twin = s.states;
    s.states += 1;
    for t in &mut s.transitions {
        if t.0 == target && random.chance(50) {
            t.0 = twin;
        }
    }
    s.transitions.push((source, label, twin));
}

/// With what does not matter: unreachable states, duplicates, another order, other
/// numbers of labels.
fn finished(mut s: Sketch, random: &mut Random) -> Lts {
    if random.chance(20) && (s.states as usize) < MOST {
        let extra = s.states as usize;
        s.states += 1;
        for _ in 0..random.between(0, 2) {
            let target = s.any_state(random);
            s.add(extra, random.between(0, 2), target);
        }
    }
    if !s.transitions.is_empty() && random.chance(10) {
        let again = random.between(0, s.transitions.len() - 1);
        s.transitions.push(s.transitions[again]);
    }
    let mut texts: Vec<(u32, &[u8])> = vec![(1, b"a"), (2, b"b")];
    if random.chance(50) {
        texts.reverse();
    }
    let spare = random.chance(30);
    texts.retain(|text| spare || s.transitions.iter().any(|t| t.1 == text.0));
    s.table = LabelTable::new();
    let mut numbers = [0; 3];
    for (old, text) in texts {
        numbers[old as usize] = s.table.intern(text).expect("few labels").get();
    }
    for t in &mut s.transitions {
        t.1 = numbers[t.1 as usize];
    }
    let lts = s.build();
    match random.chance(50) {
        true => super::shuffled(&lts, random),
        false => lts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aut;

    #[test]
    fn pairs_are_small_and_of_all_kinds() {
        let mut random = Random::new(1);
        let mut initial = 0;
        let mut renumbered = 0;
        for _ in 0..500 {
            let (a, b) = random_pair(&mut random);
            assert!(a.states() <= MOST && b.states() <= MOST);
            initial += usize::from(a.initial().get() != 0);
            renumbered += usize::from(a.table().find(b"a") != b.table().find(b"a"));
        }
        assert!(initial > 50 && renumbered > 50, "{initial}, {renumbered}");
    }

    #[test]
    fn a_union_matches_labels_by_text() {
        let a = crate::from_aut("des (1, 2, 2)\n(1, \"a\", 0)\n(0, i, 0)\n");
        let b = crate::from_aut("des (0, 2, 2)\n(0, \"b\", 1)\n(1, \"a\", 1)\n");
        let (union, p, q) = union(&a, &b);
        assert_eq!((p, q), (StateId::new(1), StateId::new(2)));
        let text = "des (1, 4, 4)\n(0, i, 0)\n(1, \"a\", 0)\n(2, \"b\", 3)\n(3, \"a\", 3)\n";
        assert_eq!(aut(&union), text);
    }
}
