//! Symmetries against trying out all permutations.

mod known;
mod random;

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::union::disjoint_union;
use hyades_lts::{Numbering, reachable};
use hyades_testing::naive;

use super::*;

const VALUES: [&str; 5] = ["0", "1", "2", "a", "b"];

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
        let classes = naive::strong(&union.lts);
        let class = classes[union.lts.initial().index()];
        let keeps = classes[union.second.index()] == class;
        let moves = classes[lts.states()..2 * lts.states()].contains(&class);
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
