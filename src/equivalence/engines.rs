//! The engines against the definitions, on thousands of random systems.

use hyades_formats::{LabelId, Lts, StateId};

use super::signature::Mixer;
use super::silent::Silent;
use super::{
    Minimized, Partition, Relation, branching, minimize, naive, partition, slices, strong,
};
use crate::testing::{Random, Shape, check, unfolded};

fn same(got: &Partition, expected: &Partition, what: &str) -> Result<(), String> {
    let (got, expected) = (got.normalized(), expected.normalized());
    if got == expected {
        Ok(())
    } else {
        Err(format!(
            "{what}: {:?} instead of {:?}",
            got.classes(),
            expected.classes()
        ))
    }
}

/// A system with states to merge.
fn blown_up(lts: &Lts, random: &mut Random) -> Lts {
    let shapes = [Shape::Copies, Shape::Stutter, Shape::DivergentStutter];
    match random.between(0, 3) {
        0 => lts.clone(),
        k => unfolded(lts, shapes[k - 1], 3, random).0,
    }
}

#[test]
fn partitions_are_those_of_the_definitions() {
    for relation in Relation::ALL {
        check(150, 12, |lts, random| {
            let lts = blown_up(lts, random);
            same(
                &partition(&lts, relation),
                &naive::partition(&lts, relation),
                relation.name(),
            )
        });
    }
}

#[test]
fn the_bounded_method_agrees_with_the_definitions() {
    check(150, 12, |lts, random| {
        let lts = blown_up(lts, random);
        let start = vec![0; lts.states()];
        let (class, _) = slices::refine_strong((&lts).into(), start, 1);
        same(
            &Partition::new(class),
            &naive::partition(&lts, Relation::Strong),
            "strong",
        )?;
        for relation in [Relation::Branching, Relation::DivBranching] {
            let silent = Silent::new(&lts, relation == Relation::DivBranching);
            let start = vec![0; silent.rows().states()];
            let (class, _) = slices::refine_branching(silent.rows(), start, 1);
            let class = silent.node.iter().map(|&v| class[v as usize]).collect();
            same(
                &Partition::new(class),
                &naive::partition(&lts, relation),
                relation.name(),
            )?;
        }
        Ok(())
    });
}

#[test]
fn the_bounded_method_goes_on_from_any_coarser_partition() {
    check(60, 12, |lts, random| {
        let lts = blown_up(lts, random);
        for relation in [Relation::Branching, Relation::DivBranching] {
            let silent = Silent::new(&lts, relation == Relation::DivBranching);
            let expected = naive::partition(&lts, relation);
            // Some of the final classes taken together.
            let merged: Vec<u32> = (0..expected.count())
                .map(|_| random.between(0, 2) as u32)
                .collect();
            let mut start = vec![0; silent.rows().states()];
            for (&v, &c) in silent.node.iter().zip(expected.classes()) {
                start[v as usize] = merged[c as usize];
            }
            let start = dense(start);
            let (class, _) = slices::refine_branching(
                silent.rows(),
                start.classes().to_vec(),
                start.count() as u32,
            );
            let class = silent.node.iter().map(|&v| class[v as usize]).collect();
            same(&Partition::new(class), &expected, relation.name())?;
        }
        Ok(())
    });
}

/// Numbers without gaps.
fn dense(class: Vec<u32>) -> Partition {
    let mut used: Vec<u32> = class.clone();
    used.sort_unstable();
    used.dedup();
    let rank = |c: &u32| used.binary_search(c).expect("it is used") as u32;
    Partition::new(class.iter().map(rank).collect())
}

/// Collisions of hashes are found and mended: with a handful of values most
/// first attempts are wrong.
#[test]
fn colliding_hashes_do_not_show() {
    check(60, 10, |lts, random| {
        let lts = blown_up(lts, random);
        let mask = [0x3, 0x10_0000_0001, 0x3f][random.between(0, 2)];
        let mixer = |attempt| Mixer::masked(attempt, mask);
        let got = strong::with_mixers((&lts).into(), mixer);
        same(&got, &naive::partition(&lts, Relation::Strong), "strong")?;
        for relation in [Relation::Branching, Relation::DivBranching] {
            let silent = Silent::new(&lts, relation == Relation::DivBranching);
            let (silent, got) = branching::with_mixers(silent, mixer);
            let class = silent
                .node
                .iter()
                .map(|&v| got.classes()[v as usize])
                .collect();
            same(
                &Partition::new(class),
                &naive::partition(&lts, relation),
                relation.name(),
            )?;
        }
        Ok(())
    });
}

/// What must hold of a quotient, by the definition.
fn check_quotient(lts: &Lts, relation: Relation, keep: bool) -> Result<(), String> {
    let Minimized {
        lts: quotient,
        class,
        ..
    } = minimize(lts.clone(), relation, keep);
    let definition = naive::partition(lts, relation);
    let mut reached = vec![keep; lts.states()];
    let mut queue = vec![lts.initial()];
    reached[lts.initial().index()] = true;
    while let Some(s) = queue.pop() {
        for (_, t) in lts.outgoing(s) {
            if !std::mem::replace(&mut reached[t.index()], true) {
                queue.push(t);
            }
        }
    }
    let mut counted: Vec<u32> = Vec::new();
    for s in 0..lts.states() {
        if !reached[s] {
            if class[s] != Minimized::NO_CLASS {
                return Err(format!("state {s} is not reachable and has a class"));
            }
            continue;
        }
        counted.push(definition.classes()[s]);
        for t in 0..s {
            let together = definition.classes()[s] == definition.classes()[t];
            if reached[t] && together != (class[s] == class[t]) {
                return Err(format!("states {t} and {s}: equivalent {together}"));
            }
        }
    }
    counted.sort_unstable();
    counted.dedup();
    if counted.len() != quotient.states() {
        return Err(format!(
            "{} classes, {} states",
            counted.len(),
            quotient.states()
        ));
    }
    if quotient.initial() != StateId::new(0) || class[lts.initial().index()] != 0 {
        return Err("the initial state is not 0".into());
    }
    // Each state is equivalent to its class.
    let union = crate::lts::union::disjoint_union(lts.clone(), quotient.clone())
        .map_err(|e| e.to_string())?;
    let both = naive::partition(&union.lts, relation);
    let shift = lts.states();
    for s in (0..lts.states()).filter(|&s| reached[s]) {
        if both.classes()[s] != both.classes()[shift + class[s] as usize] {
            return Err(format!("state {s} is not equivalent to its class"));
        }
    }
    let ranks = quotient.table().ranks();
    let mut last = None;
    let mut discovered = 0;
    for (s, l, t) in quotient.iter() {
        let key = (s, ranks[l.index()], t);
        if last.is_some_and(|last| last >= key) {
            return Err("transitions out of order".into());
        }
        last = Some(key);
        if relation == Relation::Branching && l.is_hidden() && s == t {
            return Err(format!("hidden self-loop at {s}"));
        }
        if !keep && t.get() > discovered {
            if t.get() != discovered + 1 {
                return Err("numbers are not breadth-first".into());
            }
            discovered = t.get();
        }
    }
    Ok(())
}

#[test]
fn quotients_are_equivalent_minimal_and_canonical() {
    for relation in Relation::ALL {
        check(60, 9, |lts, random| {
            let lts = blown_up(lts, random);
            check_quotient(&lts, relation, false)?;
            check_quotient(&lts, relation, true)
        });
    }
}

#[test]
fn quotients_do_not_depend_on_threads() {
    let pools: Vec<_> = [1, 2, 7]
        .map(|n| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(n)
                .build()
                .expect("threads")
        })
        .into();
    for relation in Relation::ALL {
        let mut random = Random::new(1);
        // Large enough for several tasks.
        let mut b = hyades_formats::LtsBuilder::new(30_000);
        for l in [b"a".as_slice(), b"b", b"c"] {
            b.table_mut().intern(l).expect("few labels");
        }
        for s in 0..30_000u32 {
            for _ in 0..random.between(0, 5) {
                let near = (s as usize + random.between(0, 40)) % 30_000;
                let label = LabelId::new(random.between(0, 3) as u32);
                b.add(
                    StateId::new(s / 2 * 2),
                    label,
                    StateId::new(near as u32 / 3 * 3),
                );
            }
        }
        let lts = b.build(StateId::new(0)).expect("small");
        let run = || {
            let Minimized { lts, class, .. } = minimize(lts.clone(), relation, true);
            (
                lts.offsets().to_vec(),
                lts.labels().to_vec(),
                lts.targets().to_vec(),
                class,
            )
        };
        let results: Vec<_> = pools.iter().map(|pool| pool.install(run)).collect();
        assert!(results[0].0.len() > 100 && results[0].0.len() < 30_000);
        assert!(results.windows(2).all(|w| w[0] == w[1]), "{relation}");
    }
}
