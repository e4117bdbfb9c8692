//! Networks beside specifications.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use hyades_explore::{Model, words};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

use super::super::*;
use super::read;

fn specification(name: &str) -> Lts {
    let path = format!("{}/testdata/networks/{name}/spec.aut", hyades_testing::ROOT);
    Lts::read(path).unwrap()
}

fn plain(lts: &Lts) -> Specification<'_> {
    Specification {
        lts,
        acceptances: &[],
        marked: &[],
    }
}

/// A pair of states with the labels and pairs that it leads to; `None` if the
/// specification does not allow a label.
type Steps = BTreeSet<(LabelId, Option<(u32, Vec<u64>)>)>;

/// Pairs that are reachable, with representatives or without.
fn pairs(model: &SymmetricModel<'_>, lts: &Lts, reduce: bool) -> BTreeMap<(u32, Vec<u64>), Steps> {
    let unreduced = model.unreduced();
    let mut scratch = model.scratch();
    let mut replace = |pair: &mut (u32, Vec<u64>)| {
        if reduce {
            model
                .representative_pair(&mut scratch, &mut pair.0, &mut pair.1)
                .unwrap();
        }
    };
    let mut initial = (lts.initial().get(), vec![0; words(model.bits())]);
    unreduced.initial(&mut initial.1).unwrap();
    replace(&mut initial);
    let mut open = vec![initial];
    let mut found = BTreeMap::new();
    let labels = unreduced.labels();
    let mut own_scratch = unreduced.scratch();
    while let Some(pair) = open.pop() {
        if found.contains_key(&pair) {
            continue;
        }
        let mut next = super::brute::Collect::default();
        unreduced
            .successors(&mut own_scratch, &pair.1, &mut next)
            .unwrap();
        let mut steps = Steps::new();
        for (label, target) in next.0 {
            let node = StateId::new(pair.0);
            let step = || {
                let own = lts.table().find(labels.text(label))?;
                lts.outgoing(node)
                    .find(|step| step.0 == own)
                    .map(|step| step.1)
            };
            let node = if label.is_hidden() {
                Some(node)
            } else {
                step()
            };
            let target = node.map(|node| {
                let mut target = (node.get(), target);
                replace(&mut target);
                open.push(target.clone());
                target
            });
            steps.insert((label, target));
        }
        found.insert(pair, steps);
    }
    found
}

#[test]
fn pairs_are_reduced_together() {
    for (name, whole, orbits) in [
        ("database_4", 109, Some(11)),
        ("liststack_2_2_2", 1512, None),
        ("liststack_3_2_2", 9432, None),
        ("peterson_3", 716, None),
    ] {
        let (network, types) = read(name);
        let lts = specification(name);
        let symmetry = Symmetry::with_specification(&network, &types, &plain(&lts)).unwrap();
        let model = SymmetricModel::new(&symmetry, Strategy::Exact);
        let all = pairs(&model, &lts, false);
        assert_eq!(all.len(), whole, "{name}");
        let exact = pairs(&model, &lts, true);
        if let Some(orbits) = orbits {
            assert_eq!(exact.len(), orbits, "{name}");
        }
        // The representatives of all pairs are those that are reached.
        let mut scratch = model.scratch();
        let representatives = all.keys().cloned().map(|(mut node, mut state)| {
            model
                .representative_pair(&mut scratch, &mut node, &mut state)
                .unwrap();
            (node, state)
        });
        let representatives: HashSet<_> = representatives.collect();
        assert_eq!(representatives, exact.keys().cloned().collect(), "{name}");
        let refined = pairs(
            &SymmetricModel::new(&symmetry, Strategy::Refine),
            &lts,
            true,
        );
        assert_eq!(refined.len(), exact.len(), "{name}");
        // Whatever the specification forbids is forbidden up to symmetry.
        let forbids = |pairs: &BTreeMap<_, Steps>| {
            pairs
                .values()
                .any(|steps| steps.iter().any(|step| step.1.is_none()))
        };
        assert!(!forbids(&all) && !forbids(&exact), "{name}");
    }
}

#[test]
fn pairs_are_replayed() {
    let (network, types) = read("liststack_2_2_2");
    let lts = specification("liststack_2_2_2");
    let symmetry = Symmetry::with_specification(&network, &types, &plain(&lts)).unwrap();
    let model = SymmetricModel::new(&symmetry, Strategy::Refine);
    let reduced = pairs(&model, &lts, true);
    let mut random = hyades_testing::Random::new(1);
    for _ in 0..20 {
        let mut replay = Replay::with_specification(&model).unwrap();
        let mut scratch = model.scratch();
        let mut pair = (lts.initial().get(), vec![0; words(model.bits())]);
        model.unreduced().initial(&mut pair.1).unwrap();
        model
            .representative_pair(&mut scratch, &mut pair.0, &mut pair.1)
            .unwrap();
        // The specification's own state, along the labels of the network.
        let mut node = lts.initial();
        for _ in 0..40 {
            let steps = &reduced[&pair];
            let Some(nth) = steps.len().checked_sub(1) else {
                break;
            };
            let (label, target) = steps.iter().nth(random.between(0, nth)).unwrap();
            let target = target.clone().unwrap();
            let real = replay.step_pair(Some(*label), target.0, &target.1).unwrap();
            assert_eq!(real.is_hidden(), label.is_hidden());
            if !real.is_hidden() {
                let own = lts.table().find(network.labels().text(real)).unwrap();
                node = lts.outgoing(node).find(|step| step.0 == own).unwrap().1;
            }
            pair = target;
        }
        if let Some((label, _)) = reduced[&pair].first() {
            replay.step_by(*label).unwrap();
        }
    }
}

#[test]
fn specifications_have_to_be_symmetric() {
    let (network, types) = read("database_4");
    let mut builder = LtsBuilder::new(0);
    for value in 0..4 {
        let label = format!("UPDATE !M{value}");
        builder.add_text(0, label.as_bytes(), value % 2).unwrap();
    }
    let lts = builder.build(StateId::new(0)).unwrap();
    let error = Symmetry::with_specification(&network, &types, &plain(&lts))
        .err()
        .unwrap();
    assert!(
        matches!(error, SymmetryError::Specification { label: None, .. }),
        "{error}"
    );
    let mut builder = LtsBuilder::new(0);
    builder.add_text(0, b"UPDATE !M1", 0).unwrap();
    let lts = builder.build(StateId::new(0)).unwrap();
    let error = Symmetry::with_specification(&network, &types, &plain(&lts))
        .err()
        .unwrap();
    assert_eq!(
        error.to_string(),
        "with M0 and M1 exchanged, the specification is not the same: its label `UPDATE !M1` \
         becomes `UPDATE !M0`, which it does not have"
    );
    let found = find_types(&network, Some(&plain(&lts))).unwrap();
    assert_eq!(found.to_string(), "type M = M0 M2 M3\n");
}

/// Acceptances and marks count as transitions do.
#[test]
fn acceptances_and_marks_have_to_be_symmetric() {
    let (network, types) = read("database_4");
    let mut builder = LtsBuilder::new(0);
    for value in 0..4 {
        let label = format!("UPDATE !M{value}");
        builder.add_text(0, label.as_bytes(), value + 1).unwrap();
        builder.add_text(value + 1, label.as_bytes(), 0).unwrap();
    }
    let lts = builder.build(StateId::new(0)).unwrap();
    let label = |value: u32| {
        lts.table()
            .find(format!("UPDATE !M{value}").as_bytes())
            .unwrap()
    };
    // The initial state accepts any two of three or more; the others their own.
    let all: Vec<LabelId> = (0..4).map(label).collect();
    let pairs = (0..4).flat_map(|a| (a + 1..4).map(move |b| vec![label(a), label(b)]));
    let mut acceptances = vec![pairs.collect::<Vec<_>>()];
    acceptances.extend((0..4).map(|value| vec![vec![label(value)]]));
    let check = |acceptances: &[Vec<Vec<LabelId>>], marked: &[bool]| {
        let specification = Specification {
            lts: &lts,
            acceptances,
            marked,
        };
        Symmetry::with_specification(&network, &types, &specification).map(|_| ())
    };
    let marks = [false, true, true, true, true];
    check(&acceptances, &marks).unwrap();
    check(&[], &marks).unwrap();
    let wrong = |found: Result<(), SymmetryError>| {
        assert!(
            matches!(found, Err(SymmetryError::Specification { .. })),
            "{found:?}"
        );
    };
    wrong(check(&acceptances, &[false, true, false, true, true]));
    let mut fewer = acceptances.clone();
    fewer[0].pop();
    wrong(check(&fewer, &marks));
    let mut others = acceptances.clone();
    others[2] = vec![all];
    wrong(check(&others, &marks));
    others[2] = vec![vec![label(0)]];
    wrong(check(&others, &[]));
}
