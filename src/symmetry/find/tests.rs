//! Symmetries against trying out all permutations.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

use super::*;
use crate::equivalence::naive;
use crate::lts::union::disjoint_union;
use crate::lts::{Numbering, reachable};
use crate::testing::Random;

type Permutation = Vec<u32>;

/// All permutations of `0 .. n`.
fn permutations(n: usize) -> Vec<Permutation> {
    (0..n as u32).fold(vec![vec![]], |shorter, k| {
        let longer = |p: Permutation| {
            (0..=p.len()).map(move |place| {
                let mut p = p.clone();
                p.insert(place, k);
                p
            })
        };
        shorter.into_iter().flat_map(longer).collect()
    })
}

/// The LTS with the values behind the gate renamed.
fn renamed(lts: &Lts, values: &[Box<[u8]>], image: &[u32]) -> Lts {
    let syntax = TokenSyntax::default();
    let mut b = LtsBuilder::new(lts.states() as u64);
    for (s, l, t) in lts.iter() {
        if l.is_hidden() {
            b.add(s, l, t);
            continue;
        }
        let mut gate = true;
        let text = syntax.replace(lts.table().text(l), |token| {
            if std::mem::replace(&mut gate, false) {
                return token;
            }
            let value = values.iter().position(|v| **v == *token).unwrap();
            &values[image[value] as usize]
        });
        b.add_text(s.get(), &text, t.get()).unwrap();
    }
    b.build(lts.initial()).unwrap()
}

/// The values, and all symmetries, each with whether it keeps the initial state.
struct Oracle {
    values: Vec<Box<[u8]>>,
    symmetries: BTreeSet<(Permutation, bool)>,
}

fn oracle(lts: &Lts, options: &FindOptions) -> Oracle {
    let lts = reachable(lts.clone(), Numbering::BreadthFirst);
    let syntax = TokenSyntax::default();
    let labels = lts.labels().iter().filter(|l| !l.is_hidden());
    let tokens = labels.flat_map(|l| syntax.tokens(lts.table().text(*l)).skip(1));
    // Values of the tests are single characters.
    let values: BTreeSet<&[u8]> = tokens.collect();
    let values: Vec<Box<[u8]>> = values.into_iter().map(Box::from).collect();
    let mut symmetries = BTreeSet::new();
    for image in permutations(values.len()) {
        let moves = |(v, w): (usize, &u32)| v as u32 != *w && options.fixed.contains(&values[v]);
        if image.iter().enumerate().any(moves) {
            continue;
        }
        let union = disjoint_union(renamed(&lts, &values, &image), lts.clone()).unwrap();
        let partition = naive::partition(&union.lts, Relation::Strong);
        let class = partition.class(union.lts.initial());
        let keeps = partition.class(union.second) == class;
        let originals = (lts.states()..2 * lts.states()).map(StateId::from_index);
        let moves = originals.into_iter().any(|s| partition.class(s) == class);
        if keeps || moves && !options.fix_initial {
            symmetries.insert((image, keeps));
        }
    }
    Oracle { values, symmetries }
}

/// All that the generators generate, with what it does to the initial state.
fn generated(found: &Symmetries) -> BTreeSet<(Permutation, u32)> {
    let identity: Permutation = (0..found.values().len() as u32).collect();
    let start = (identity, found.system.initial);
    let mut members = BTreeSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some((image, initial)) = todo.pop() {
        for g in found.generators() {
            let image = image.iter().map(|&v| g.image(v)).collect();
            let next = (image, g.states.of(initial));
            if members.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    members
}

/// Finds the symmetries, and compares all that is said of them.
fn check(lts: &Lts, options: &FindOptions) -> Symmetries {
    let oracle = oracle(lts, options);
    let found = find_symmetry(lts.clone(), options).unwrap();
    assert_eq!(found.values(), oracle.values);
    let generated = generated(&found);
    let with_keeps: BTreeSet<_> = generated
        .iter()
        .map(|(g, s)| (g.clone(), *s == found.system.initial))
        .collect();
    assert_eq!(with_keeps, oracle.symmetries);
    assert_eq!(
        generated.len(),
        oracle.symmetries.len(),
        "one map of states for each"
    );
    let order = oracle.symmetries.len() as u64;
    assert_eq!(found.order().to_u64(), Some(order));
    let keeping = oracle.symmetries.iter().filter(|(_, keeps)| *keeps).count() as u64;
    assert_eq!(found.order_fixing_initial().to_u64(), Some(keeping));
    check_classes(&found, &oracle);
    found
}

fn check_classes(found: &Symmetries, oracle: &Oracle) {
    let images = || oracle.symmetries.iter().map(|(image, _)| image);
    let orbit = |v: usize| images().map(|image| image[v]).collect::<BTreeSet<u32>>();
    let orbits: BTreeSet<_> = (0..found.values().len())
        .map(orbit)
        .filter(|o| o.len() > 1)
        .collect();
    let members = |c: &ValueClass| c.members.iter().copied().collect::<BTreeSet<u32>>();
    assert_eq!(
        found.classes().iter().map(members).collect::<BTreeSet<_>>(),
        orbits
    );
    assert_eq!(found.classes().len(), orbits.len());
    for class in found.classes() {
        let on_class = |image: &Permutation| -> Permutation {
            class.members.iter().map(|&v| image[v as usize]).collect()
        };
        let ways: BTreeSet<Permutation> = images().map(on_class).collect();
        let inside = |image: &&Permutation| {
            let moved = (0..image.len() as u32).filter(|&v| image[v as usize] != v);
            moved.into_iter().all(|v| class.members.contains(&v))
        };
        let alone: BTreeSet<Permutation> = images().filter(inside).map(on_class).collect();
        assert_eq!(class.independent, alone == ways);
        let mut next = class.members.clone();
        next.rotate_left(1);
        let n = class.members.len();
        let is_circle = |way: &Permutation| {
            let step = |v: u32| way[class.members.iter().position(|&w| w == v).unwrap()];
            let mut at = step(class.members[0]);
            let mut steps = 1;
            while at != class.members[0] {
                at = step(at);
                steps += 1;
            }
            steps == n
        };
        match &class.action {
            Action::Permutations => assert_eq!(ways.len(), (1..=n).product::<usize>()),
            Action::Rotations => assert!(n > 2 && ways.len() == n && ways.contains(&next)),
            Action::Other(order) => {
                assert_eq!(order.to_u64(), Some(ways.len() as u64));
                assert!(ways.len() < (1..=n).product());
                assert!(ways.len() != n || !ways.iter().any(is_circle));
            }
        }
    }
}

const VALUES: [&str; 5] = ["0", "1", "2", "a", "b"];

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

#[test]
fn a_circle_that_may_be_turned_over_is_no_class_of_rotations() {
    let label = |k: usize, by: usize| format!("next !{} !{}", VALUES[k], VALUES[(k + by) % 5]);
    let labels = |steps: &[usize]| -> Vec<String> {
        let steps = steps.iter().flat_map(|&by| (0..5).map(move |k| (k, by)));
        steps.map(|(k, by)| label(k, by)).collect()
    };
    for (steps, action, order) in [
        (&[1][..], Action::Rotations, 5),
        (&[1, 4], Action::Other(Order::product([10])), 10),
        (&[1, 2, 3, 4], Action::Permutations, 120),
    ] {
        let labels = labels(steps);
        let lines: Vec<_> = labels.iter().map(|l| (0, l.as_str(), 0)).collect();
        let found = check(&aut(&lines), &FindOptions::default());
        assert_eq!(found.classes()[0].action, action);
        assert_eq!(found.order().to_u64(), Some(order));
    }
}

/// The LTS of these lines of AUT.
fn aut(lines: &[(u32, &str, u32)]) -> Lts {
    let mut b = LtsBuilder::new(1);
    for (s, label, t) in lines {
        b.add_text(*s, label.as_bytes(), *t).unwrap();
    }
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn the_recurrent_part_can_be_symmetric_by_itself() {
    // The start is with 1; from then on 0 and 1 take turns.
    let lines = [(0, "go !1", 1), (1, "on !0", 2), (2, "on !1", 1)];
    let mut options = FindOptions::default();
    assert!(check(&aut(&lines), &options).order().is_one());
    options.recurrent = true;
    let found = find_symmetry(aut(&lines), &options).unwrap();
    assert_eq!(found.order().to_u64(), Some(2));
    assert!(found.order_fixing_initial().is_one());
    let two_ends = aut(&[(0, "go !0", 1), (0, "go !1", 2)]);
    let error = find_symmetry(two_ends, &options).err();
    assert_eq!(error, Some(FindError::Parts(2)));
}

#[test]
fn what_is_between_tokens_and_the_gate_stay_as_they_are() {
    let options = FindOptions::default();
    let same = aut(&[(0, "0 !1", 0), (0, "0 !0", 0)]);
    assert_eq!(check(&same, &options).order().to_u64(), Some(2));
    let apart = aut(&[(0, "0 !1", 0), (0, "0 (0)", 0)]);
    assert!(check(&apart, &options).order().is_one());
}

/// The LTS of one state with these labels.
fn loops(labels: impl IntoIterator<Item = String>) -> Lts {
    let labels: Vec<String> = labels.into_iter().collect();
    aut(&labels
        .iter()
        .map(|l| (0, l.as_str(), 0))
        .collect::<Vec<_>>())
}

/// The order, and each class with its first value, how many there are, how they
/// are permuted, and whether that is independent.
fn summary(lts: Lts) -> (Order, Vec<(String, usize, Action, bool)>) {
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    let classes = found.classes().iter().map(|class| {
        let value = &found.values()[class.members[0] as usize];
        let value = String::from_utf8_lossy(value).into_owned();
        let size = class.members.len();
        (value, size, class.action.clone(), class.independent)
    });
    (found.order().clone(), classes.collect())
}

fn class(
    value: &str,
    size: usize,
    action: Action,
    independent: bool,
) -> (String, usize, Action, bool) {
    (value.into(), size, action, independent)
}

#[test]
fn a_large_class_is_found_by_few_searches() {
    let lts = loops((0..800).map(|k| format!("SEND !{k}")));
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert_eq!(*found.order(), Order::product(1..=800));
    assert_eq!(found.generators().len(), 799);
    // Each exchanges two values.
    assert!(found.generators().iter().all(|g| g.moves().count() == 2));
    let class = &found.classes()[0];
    assert_eq!(
        (&class.action, class.independent),
        (&Action::Permutations, true)
    );
    assert_eq!(*found.values()[class.members[10] as usize], *b"10");
}

#[test]
fn values_in_large_numbers_have_their_known_groups() {
    use Action::{Other, Permutations, Rotations};
    let n = 256;
    let all = || Order::product(1..=n);
    let size = n as usize;
    // Users with channels of their own.
    let pairs = loops((0..n).map(|k| format!("GO !u{k} !c{k}")));
    let tied = |value: &str| class(value, size, Permutations, false);
    assert_eq!(summary(pairs), (all(), vec![tied("c0"), tied("u0")]));
    // The same, with the channels behind a step.
    let steps = (0..n).flat_map(|k| {
        [
            (0, format!("GO !u{k}"), k + 1),
            (k + 1, format!("ON !c{k}"), 0),
        ]
    });
    let steps: Vec<_> = steps.collect();
    let steps: Vec<_> = steps.iter().map(|(s, l, t)| (*s, l.as_str(), *t)).collect();
    assert_eq!(summary(aut(&steps)), (all(), vec![tied("c0"), tied("u0")]));
    // A circle, one that may be turned over, and one beside values that are all
    // alike.
    let circle = |by: u32| (0..n).map(move |k| format!("NEXT !{k} !{}", (k + by) % n));
    let one = summary(loops(circle(1)));
    assert_eq!(
        one,
        (Order::product([n]), vec![class("0", size, Rotations, true)])
    );
    let both = summary(loops(circle(1).chain(circle(n - 1))));
    let order = Order::product([2 * n]);
    assert_eq!(
        both,
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    let beside = summary(loops(circle(1).chain((0..n).map(|k| format!("GO !x{k}")))));
    let expected = vec![
        class("0", size, Rotations, true),
        class("x0", size, Permutations, true),
    ];
    assert_eq!(beside, (Order::product((1..=n).chain([n])), expected));
    // Couples.
    let couples = summary(loops((0..n).map(|k| format!("WITH !{k} !{}", k ^ 1))));
    let order = Order::product((1..=n / 2).chain(vec![2; size / 2]));
    assert_eq!(
        couples,
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    // The corners of a cube of eight dimensions.
    let edges = (0..n).flat_map(|k| (0..8).map(move |b| format!("EDGE !{k} !{}", k ^ (1 << b))));
    let order = Order::product((1..=8).chain([n]));
    assert_eq!(
        summary(loops(edges)),
        (order.clone(), vec![class("0", size, Other(order), true)])
    );
    // Two circles of different length look the same from each of their values.
    let two = (0..n).map(|k| {
        let (start, length) = if k < 96 { (0, 96) } else { (96, n - 96) };
        format!("NEXT !{k} !{}", start + (k - start + 1) % length)
    });
    let expected = vec![
        class("0", 96, Rotations, true),
        class("96", size - 96, Rotations, true),
    ];
    assert_eq!(
        summary(loops(two)),
        (Order::product([96, n - 96]), expected)
    );
}

#[test]
fn a_regular_class_that_is_no_circle_is_told() {
    // Two independent exchanges, and the moves of a triangle, each on itself.
    for (labels, order) in [
        (
            &[
                "A !0 !1", "A !1 !0", "A !2 !3", "A !3 !2", "B !0 !2", "B !2 !0", "B !1 !3",
                "B !3 !1",
            ][..],
            4,
        ),
        (
            &[
                "R !0 !1", "R !1 !2", "R !2 !0", "R !3 !5", "R !5 !4", "R !4 !3", "S !0 !3",
                "S !3 !0", "S !1 !4", "S !4 !1", "S !2 !5", "S !5 !2",
            ],
            6,
        ),
    ] {
        let lts = loops(labels.iter().map(|l| l.to_string()));
        let order = Order::product([order]);
        let (found, classes) = summary(lts);
        assert_eq!(
            (&found, &classes[0].2),
            (&order, &Action::Other(order.clone()))
        );
    }
}

#[test]
fn choices_are_limited() {
    let circle = |by: usize| (0..9).map(move |k| format!("NEXT !{k} !{}", (k + by) % 9));
    let lts = || loops(circle(1).chain(circle(8)));
    let with = |choices| {
        let options = FindOptions {
            choices,
            ..FindOptions::default()
        };
        find_symmetry(lts(), &options).map(|found| found.order().to_u64())
    };
    assert_eq!(with(100), Ok(Some(18)));
    assert_eq!(with(0), Err(FindError::Choices(0)));
}

#[test]
fn long_chains_need_no_stack() {
    let mut b = LtsBuilder::new(1);
    for k in 0..100_000 {
        let label = format!("step !{}", k % 2);
        b.add_text(k, label.as_bytes(), k + 1).unwrap();
    }
    // The choice at the start is between two ends of one length.
    for (label, first) in [("go !x", 0), ("go !y", 1)] {
        b.add_text(200_000, label.as_bytes(), first).unwrap();
    }
    let lts = b.build(StateId::new(200_000)).unwrap();
    let found = find_symmetry(lts, &FindOptions::default()).unwrap();
    assert!(found.order().is_one());
}

#[test]
fn the_empty_system_has_the_identity_only() {
    let found = check(&aut(&[]), &FindOptions::default());
    assert!(found.order().is_one() && found.values().is_empty());
}
