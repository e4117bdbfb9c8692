//! Random systems.

use hyades_testing::Random;

use super::*;

/// A label: a gate, which may look like a value, with up to two of the first
/// values behind it; `None` is the hidden one.
fn any_label(values: usize, random: &mut Random) -> Option<Vec<String>> {
    let value = |random: &mut Random| VALUES[random.between(0, values - 1)].to_owned();
    let gate = ["g", "0"][random.between(0, 1)].to_owned();
    match random.between(0, 9) {
        0 => None,
        1 => Some(vec![gate]),
        2..7 => Some(vec![gate, value(random)]),
        _ => Some(vec![gate, value(random), value(random)]),
    }
}

/// Transitions as (source, label, target).
type Edges = Vec<(u32, Option<Vec<String>>, u32)>;

fn any_edges(states: u32, values: usize, random: &mut Random) -> Edges {
    let count = random.between(0, 2 * states as usize + 2);
    let state = |random: &mut Random| random.between(0, states as usize - 1) as u32;
    let mut edges: Edges = (0..count)
        .map(|_| (state(random), any_label(values, random), state(random)))
        .collect();
    if random.chance(50) {
        edges.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        edges.dedup_by(|a, b| (a.0, &a.1) == (b.0, &b.1));
    }
    edges
}

fn mapped(label: &Option<Vec<String>>, image: &[u32]) -> Option<Vec<String>> {
    let value = |v: &String| {
        let v = VALUES.iter().position(|w| w == v).unwrap();
        VALUES[image[v] as usize].to_owned()
    };
    let tokens = label.as_ref()?;
    let rest = tokens[1..].iter().map(value);
    Some(tokens[..1].iter().cloned().chain(rest).collect())
}

/// Copies of some transitions for all powers of a permutation, so that it is a
/// symmetry: hidden steps or steps round about lead from one to the next, or
/// hidden steps from one more state lead to all.
fn symmetric(states: u32, edges: &Edges, random: &mut Random) -> (u32, Edges) {
    let all = permutations(VALUES.len());
    let generator = &all[random.between(0, all.len() - 1)];
    let mut image: Permutation = (0..VALUES.len() as u32).collect();
    let mut copied = Edges::new();
    let mut copies = 0;
    loop {
        let state = |s: &u32| copies * states + s;
        copied.extend(
            edges
                .iter()
                .map(|(s, l, t)| (state(s), mapped(l, &image), state(t))),
        );
        copies += 1;
        image = image.iter().map(|&v| generator[v as usize]).collect();
        if image.is_sorted() {
            break;
        }
    }
    let first = (0..copies).map(|c| c * states);
    let starts = match random.between(0, 2) {
        0 => {
            let start = copies * states;
            copied.extend(first.map(|s| (start, None, s)));
            return (start, copied);
        }
        1 => None,
        _ => Some(vec!["next".to_owned()]),
    };
    let next = |s: u32| (s + states) % (copies * states);
    copied.extend(first.map(|s| (s, starts.clone(), next(s))));
    (
        random.between(0, copies as usize - 1) as u32 * states,
        copied,
    )
}

/// An LTS of these transitions, its states numbered at random, some transitions
/// doubled and some states bisimilar or unreachable.
fn built(initial: u32, edges: &Edges, random: &mut Random) -> Lts {
    let states = edges
        .iter()
        .map(|e| e.0.max(e.2))
        .max()
        .unwrap_or(0)
        .max(initial)
        + 1;
    let twin = random.between(0, states as usize - 1) as u32;
    let mut number: Vec<u32> = (0..=states + 1).collect();
    for k in 1..number.len() {
        number.swap(k, random.between(0, k));
    }
    let mut b = LtsBuilder::new(number.len() as u64);
    let mut add = |s: u32, label: &Option<Vec<String>>, t: u32| {
        let (s, t) = (number[s as usize], number[t as usize]);
        match label {
            None => b.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t)),
            Some(tokens) => b.add_text(s, tokens.join(" !").as_bytes(), t).unwrap(),
        }
    };
    for (s, label, t) in edges {
        add(*s, label, *t);
        let to = if *t == twin && random.chance(50) {
            states
        } else {
            *t
        };
        if random.chance(30) {
            add(*s, label, to);
        }
        if *s == twin {
            add(states, label, *t);
        }
        if random.chance(10) {
            add(states + 1, label, *t);
        }
    }
    b.build(StateId::new(number[initial as usize])).unwrap()
}

fn options(random: &mut Random) -> FindOptions {
    let mut options = FindOptions {
        fix_initial: random.chance(30),
        ..FindOptions::default()
    };
    if random.chance(20) {
        options
            .fixed
            .push(Box::from(VALUES[random.between(0, 4)].as_bytes()));
    }
    options
}

#[test]
fn random_systems_have_the_symmetries_that_trying_all_finds() {
    let mut nontrivial = 0;
    for seed in 0..600 {
        let mut random = Random::new(seed);
        let states = random.between(1, if seed % 2 == 0 { 2 } else { 7 }) as u32;
        let values = random.between(1, 4);
        let edges = any_edges(states, values, &mut random);
        let lts = built(0, &edges, &mut random);
        let found = check(&lts, &options(&mut random));
        nontrivial += u32::from(!found.order().is_one());
    }
    assert!(nontrivial >= 5, "{nontrivial}");
}

#[test]
fn systems_symmetric_by_construction_have_the_symmetries_that_trying_all_finds() {
    let [mut moving, mut other, mut tied, mut circles] = [0; 4];
    for seed in 0..250 {
        let mut random = Random::new(1000 + seed);
        let states = random.between(1, 3) as u32;
        let edges = any_edges(states, 5, &mut random);
        let (initial, edges) = symmetric(states, &edges, &mut random);
        let lts = built(initial, &edges, &mut random);
        let found = check(&lts, &options(&mut random));
        moving += u32::from(found.order() != found.order_fixing_initial());
        let classes = found.classes();
        other += u32::from(classes.iter().any(|c| matches!(c.action, Action::Other(_))));
        circles += u32::from(classes.iter().any(|c| c.action == Action::Rotations));
        tied += u32::from(classes.iter().any(|c| !c.independent));
    }
    // All kinds have been met.
    let met = [moving, other, tied, circles];
    assert!(met.iter().all(|&count| count > 0), "{met:?}");
}
