//! What every engine must satisfy, on thousands of random systems.
//!
//! To have another engine tested, add it to [`ENGINES`]: a name, the relations
//! it computes, a function for the coarsest partition, and one for the
//! quotient of the reachable part. All properties below then apply to it.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::union::disjoint_union;
use hyades_testing::{Random, Shape, aut, check, random_lts, unfolded};

use super::k_bisimilarity;
use super::properties::tidy;
use super::rounds::{Rounds, untold};
use super::signature::{Mixer, element};
use super::tau_scc::TauContraction;
use super::{
    Kept, Minimized, Partition, Relation, Round, bounded, branching, minimize, minimize_observed,
    naive, partition_observed, strong,
};

/// The quotient by one of [`naive::REFINED`], which all have one.
fn least(lts: Lts, relation: Relation) -> Minimized {
    minimize(lts, relation).expect("there is one")
}

/// The same with the classes of all states.
fn least_of_all(lts: Lts, relation: Relation) -> Minimized {
    minimize_observed(lts, relation, Kept::All, &mut |_| ()).expect("there is one")
}

struct Engine {
    name: &'static str,
    relations: &'static [Relation],
    /// The coarsest partition of all states, reachable or not.
    partition: fn(&Lts, Relation) -> Partition,
    /// The quotient of the reachable part.
    quotient: fn(&Lts, Relation) -> Lts,
}

const ENGINES: &[Engine] = &[
    Engine {
        name: "naive",
        relations: &naive::REFINED,
        partition: naive::partition,
        quotient: naive_quotient,
    },
    // What the commands run.
    Engine {
        name: "refinement",
        relations: &naive::REFINED,
        partition: |lts, relation| super::partition(lts, relation).expect("there is one"),
        quotient: |lts, relation| least(lts.clone(), relation).lts,
    },
    // What that leaves hard inputs to, here from the start.
    Engine {
        name: "bounded",
        relations: &naive::REFINED,
        partition: bounded::tests::partition,
        quotient: |lts, relation| {
            let partition = bounded::tests::partition(lts, relation);
            quotient_by(lts, &partition, relation)
        },
    },
    // What formulas are found by. It makes no quotients of its own.
    Engine {
        name: "levels",
        relations: &[Relation::Strong],
        partition: |lts, _| k_bisimilarity::partition(&tidy(lts)),
        quotient: |lts, _| {
            let partition = k_bisimilarity::partition(&tidy(lts));
            quotient_by(lts, &partition, Relation::Strong)
        },
    },
];

/// The engines that are fast enough for systems of thousands of states.
fn fast_engines() -> impl Iterator<Item = &'static Engine> {
    ENGINES.iter().filter(|engine| engine.name != "naive")
}

/// A transition between classes.
type Step = (u32, LabelId, u32);

/// The transitions that the quotient of the reachable part has, by definition:
/// those of all members of a class, without inert ones; and a hidden loop where
/// a class diverges and the relation sees it.
fn quotient_steps(lts: &Lts, partition: &Partition, relation: Relation) -> BTreeSet<Step> {
    let divergent = naive::divergent_states(lts, partition);
    let mut steps = BTreeSet::new();
    for s in reachable(lts) {
        let class = partition.class(s);
        if relation == Relation::DivBranching && divergent[s.index()] {
            steps.insert((class, LabelId::HIDDEN, class));
        }
        for (a, t) in lts.outgoing(s) {
            let inert = a.is_hidden() && partition.class(t) == class;
            if relation == Relation::Strong || !inert {
                steps.insert((class, a, partition.class(t)));
            }
        }
    }
    steps
}

fn reachable(lts: &Lts) -> Vec<StateId> {
    let mut seen = vec![false; lts.states()];
    seen[lts.initial().index()] = true;
    let mut found = vec![lts.initial()];
    let mut next = 0;
    while next < found.len() {
        for (_, t) in lts.outgoing(found[next]) {
            if !std::mem::replace(&mut seen[t.index()], true) {
                found.push(t);
            }
        }
        next += 1;
    }
    found
}

fn naive_quotient(lts: &Lts, relation: Relation) -> Lts {
    quotient_by(lts, &naive::partition(lts, relation), relation)
}

fn quotient_by(lts: &Lts, partition: &Partition, relation: Relation) -> Lts {
    let initial = partition.class(lts.initial());
    // Classes that are reached get new numbers in the order of the old.
    let steps = quotient_steps(lts, partition, relation);
    let mut classes: Vec<u32> = steps.iter().flat_map(|s| [s.0, s.2]).collect();
    classes.push(initial);
    classes.sort_unstable();
    classes.dedup();
    let state = |class: u32| {
        let before = classes.partition_point(|&c| c < class);
        StateId::from_index(before)
    };
    let mut b = LtsBuilder::with_table(classes.len() as u64, lts.table().clone());
    for (s, a, t) in steps {
        b.add(state(s), a, state(t));
    }
    b.build(state(initial)).unwrap()
}

fn with_threads<T: Send>(threads: usize, run: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
        .install(run)
}

/// Runs a property for each engine, relation and number of threads.
fn for_all(
    engines: impl Iterator<Item = &'static Engine>,
    property: impl Fn(&Engine, Relation) -> Result<(), String> + Sync,
) -> Result<(), String> {
    for engine in engines {
        for &relation in engine.relations {
            property(engine, relation)
                .map_err(|error| format!("{}, {relation}: {error}", engine.name))?;
        }
    }
    Ok(())
}

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

fn ensure_same(found: &Partition, expected: &Partition) -> Result<(), String> {
    let (found, expected) = (found.normalized(), expected.normalized());
    ensure(found == expected, || {
        format!("{:?}, not {:?}", found.classes(), expected.classes())
    })
}

/// At times the system itself, at times one with several equivalent states for
/// each.
fn blown_up(lts: &Lts, random: &mut Random) -> Lts {
    let shapes = [Shape::Copies, Shape::Stutter, Shape::DivergentStutter];
    match random.between(0, 3) {
        0 => lts.clone(),
        k => unfolded(lts, shapes[k - 1], 3, random).0,
    }
}

#[test]
fn partitions_are_those_of_the_definitions() {
    check(80, 15, |lts, random| {
        let lts = blown_up(lts, random);
        for_all(ENGINES.iter(), |engine, relation| {
            ensure_same(
                &(engine.partition)(&lts, relation),
                &naive::partition(&lts, relation),
            )
        })
    });
}

/// Collisions of hashes are found and mended: with a handful of values most
/// first attempts are wrong.
#[test]
fn colliding_hashes_do_not_show() {
    check(60, 10, |lts, random| {
        let lts = blown_up(lts, random);
        let mask = [0x3, 0x10_0000_0001, 0x3f][random.between(0, 2)];
        let mixer = |attempt| Mixer::masked(attempt, mask);
        let mut nobody = untold;
        let rounds = &mut Rounds::new(&mut nobody);
        let found = strong::with_mixers((&lts).into(), mixer, rounds);
        ensure_same(&found, &naive::partition(&lts, Relation::Strong))?;
        for relation in [Relation::Branching, Relation::DivBranching] {
            let silent = TauContraction::new(&lts, relation == Relation::DivBranching);
            let (silent, by_node) = branching::with_mixers(silent, mixer, rounds);
            let found = bounded::tests::by_state(&silent, by_node.classes());
            ensure_same(&found, &naive::partition(&lts, relation))?;
        }
        Ok(())
    });
}

/// Two equivalent nodes meet two inert successors in different orders, whose sets have one sum
/// but are not the same: which of these comes first does not show.
#[test]
fn sums_of_inert_successors_that_collide_do_not_show() {
    const MASK: u64 = 0x7;
    let mixer = |attempt| Mixer::masked(attempt, MASK);
    let mut collisions = 0;
    for b in 1..80 {
        let mut builder = LtsBuilder::new(8);
        let labels: Vec<LabelId> = (0..=b)
            .map(|l| {
                builder
                    .table_mut()
                    .intern(format!("l{l}").as_bytes())
                    .unwrap()
            })
            .collect();
        let (a, b) = (labels[0], labels[b]);
        let mut add = |s, l, t| builder.add(StateId::new(s), l, StateId::new(t));
        add(0, LabelId::HIDDEN, 1);
        add(0, LabelId::HIDDEN, 2);
        // The same with the targets the other way round.
        for (s, first, second) in [(1, 3, 4), (2, 6, 5)] {
            add(s, LabelId::HIDDEN, first);
            add(s, LabelId::HIDDEN, second);
            add(s, a, 7);
        }
        for (s, label) in [(3, a), (4, b), (5, a), (6, b)] {
            add(s, label, 7);
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let value = |label: LabelId| mixer(0).value(element(label.get(), 0));
        collisions += usize::from(value(a) == value(b));
        let mut nobody = untold;
        let silent = TauContraction::new(&lts, false);
        let rounds = &mut Rounds::new(&mut nobody);
        let (silent, by_node) = branching::with_mixers(silent, mixer, rounds);
        let found = bounded::tests::by_state(&silent, by_node.classes());
        ensure_same(&found, &naive::partition(&lts, Relation::Branching)).unwrap();
    }
    assert!(collisions > 2, "{collisions}");
}

/// Rounds are counted, and classes only ever become more, up to those of the result.
#[test]
fn rounds_are_told() {
    check(100, 30, |lts, _| {
        for relation in naive::REFINED {
            let mut rounds: Vec<Round> = Vec::new();
            let found = partition_observed(lts, relation, &mut |&round| rounds.push(round))
                .expect("there is one");
            if !rounds.iter().zip(1..).all(|(round, k)| round.number == k) {
                return Err(format!("{rounds:?}"));
            }
            let classes: Vec<_> = rounds.iter().map(|round| round.classes).collect();
            if !classes.is_sorted() || classes.last().is_some_and(|&last| last > found.count()) {
                return Err(format!("{classes:?} of {}", found.count()));
            }
        }
        Ok(())
    });
}

/// A cycle of which one step differs: each round finds one more class at each end.
#[test]
fn each_engine_tells_its_rounds() {
    let n = 1000;
    let mut builder = LtsBuilder::new(n);
    for s in 0..n as u32 {
        let label: &[u8] = if s == 0 { b"b" } else { b"a" };
        builder.add_text(s, label, (s + 1) % n as u32).unwrap();
        // Hidden, but not inert, so that no relation goes without its engine.
        builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(0));
    }
    let lts = builder.build(StateId::new(0)).unwrap();
    for relation in naive::REFINED {
        let mut rounds: Vec<Round> = Vec::new();
        let minimal = minimize_observed(lts.clone(), relation, Kept::Reachable, &mut |&r| {
            rounds.push(r)
        })
        .expect("there is one");
        let last = rounds.last().expect("a round");
        assert_eq!(last.classes, minimal.lts.states(), "{relation}");
        assert!(rounds.len() > 2, "{relation}: {rounds:?}");
    }
    let mut rounds: Vec<Round> = Vec::new();
    let mut callback = |&round: &Round| rounds.push(round);
    let counted = &mut Rounds::new(&mut callback);
    let refined = bounded::refine_strong((&lts).into(), vec![0; n as usize], 1, counted);
    assert!(rounds.len() > 2 && rounds.iter().all(|r| r.classes <= refined.count as usize));
    let mut rounds: Vec<Round> = Vec::new();
    let mut callback = |&round: &Round| rounds.push(round);
    let silent = TauContraction::new(&lts, false);
    let nodes = silent.rows().states();
    let counted = &mut Rounds::new(&mut callback);
    let refined = bounded::refine_branching(silent.rows(), vec![0; nodes], 1, counted);
    assert!(rounds.len() > 2 && rounds.iter().all(|r| r.classes <= refined.count as usize));
}

#[test]
fn quotients_are_those_of_the_definitions() {
    check(100, 16, |lts, _| {
        for_all(ENGINES.iter(), |engine, relation| {
            let quotient = (engine.quotient)(lts, relation);
            let error = |text: &str| format!("{text}\nquotient: {}", aut(&quotient));
            let union = disjoint_union(lts.clone(), quotient.clone()).unwrap();
            let partition = naive::partition(&union.lts, relation);
            let first = partition.class(union.lts.initial());
            ensure(first == partition.class(union.second), || {
                error("the quotient is not equivalent")
            })?;
            let of_quotient = &partition.classes()[lts.states()..];
            let distinct: BTreeSet<_> = of_quotient.iter().collect();
            ensure(distinct.len() == quotient.states(), || {
                error("the quotient has equivalent states")
            })?;
            // The same classes, too: each state of the quotient is reachable.
            let found: Vec<Step> = quotient
                .iter()
                .map(|(s, a, t)| {
                    let label = match a {
                        LabelId::HIDDEN => a,
                        _ => lts.table().find(quotient.table().text(a)).unwrap(),
                    };
                    (of_quotient[s.index()], label, of_quotient[t.index()])
                })
                .collect();
            let expected = quotient_steps(&union.lts, &partition, relation);
            let mut classes: BTreeSet<_> = expected.iter().flat_map(|s| [s.0, s.2]).collect();
            classes.insert(first);
            ensure(classes.len() == quotient.states(), || {
                error("the quotient has unreachable states")
            })?;
            ensure(found.len() == expected.len(), || {
                error(&format!(
                    "{} transitions, not {}",
                    found.len(),
                    expected.len()
                ))
            })?;
            ensure(
                found.iter().copied().collect::<BTreeSet<_>>() == expected,
                || error("other transitions"),
            )
        })
    });
}

/// What else is said of `minimize`: the order of the quotient, and the classes.
#[test]
fn quotients_by_minimize_are_in_order_and_stand_for_the_states() {
    let check_quotient = |lts: &Lts, relation: Relation, keep: bool| {
        let Minimized {
            lts: quotient,
            class,
            ..
        } = match keep {
            true => least_of_all(lts.clone(), relation),
            false => least(lts.clone(), relation),
        };
        let mut kept = vec![keep; lts.states()];
        reachable(lts).iter().for_each(|s| kept[s.index()] = true);
        let union = disjoint_union(lts.clone(), quotient.clone()).unwrap();
        let partition = naive::partition(&union.lts, relation);
        let (of_states, of_quotient) = partition.classes().split_at(lts.states());
        let distinct: BTreeSet<_> = of_quotient.iter().collect();
        ensure(distinct.len() == quotient.states(), || {
            "the quotient has equivalent states".into()
        })?;
        for (s, &c) in class.iter().enumerate() {
            ensure((c != Minimized::NO_CLASS) == kept[s], || {
                format!("state {s} has a class, or lacks one")
            })?;
            ensure(!kept[s] || of_states[s] == of_quotient[c as usize], || {
                format!("state {s} is not equivalent to its class")
            })?;
        }
        ensure(
            quotient.initial().get() == 0 && class[lts.initial().index()] == 0,
            || "the initial state is not 0".into(),
        )?;
        let ranks = quotient.table().ranks();
        let order: Vec<_> = quotient
            .iter()
            .map(|(s, l, t)| (s, ranks[l.index()], t))
            .collect();
        ensure(order.windows(2).all(|pair| pair[0] < pair[1]), || {
            "transitions out of order".into()
        })?;
        let mut found = 0;
        for (_, _, t) in quotient.iter() {
            ensure(keep || t.get() <= found + 1, || {
                "numbers are not breadth-first".into()
            })?;
            found = found.max(t.get());
        }
        // A quotient is its own quotient.
        let own = least(quotient.clone(), relation);
        ensure(keep || own.lts.iter().eq(quotient.iter()), || {
            "the quotient has another quotient".into()
        })?;
        ensure(
            keep || own.class.iter().copied().eq(0..quotient.states() as u32),
            || "the quotient's states stand for others".into(),
        )
    };
    for relation in naive::REFINED {
        check(60, 9, |lts, random| {
            let lts = blown_up(lts, random);
            check_quotient(&lts, relation, false)?;
            check_quotient(&lts, relation, true)
        });
    }
}

/// A system of thousands of states, most of them with neighbours like theirs:
/// large enough for several tasks.
fn large_lts(states: u32, random: &mut Random) -> Lts {
    let mut b = LtsBuilder::new(states.into());
    for l in [b"a".as_slice(), b"b", b"c"] {
        b.table_mut().intern(l).unwrap();
    }
    for s in 0..states {
        for _ in 0..random.between(0, 5) {
            let near = (s + random.between(0, 40) as u32) % states;
            let label = LabelId::new(random.between(0, 3) as u32);
            b.add(StateId::new(s / 2 * 2), label, StateId::new(near / 3 * 3));
        }
    }
    b.build(StateId::new(0)).unwrap()
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let mut random = Random::new(1);
    let large = large_lts(30_000, &mut random);
    for relation in naive::REFINED {
        let run = |threads| {
            with_threads(threads, || {
                let Minimized { lts, class, .. } = least_of_all(large.clone(), relation);
                (aut(&lts), class)
            })
        };
        let expected = run(1);
        assert!(expected.1.iter().max() > Some(&100));
        for threads in [2, 7] {
            assert!(run(threads) == expected, "{relation}, {threads} threads");
        }
    }
    for shape in Shape::ALL {
        for size in [1, 7, 50] {
            // Large enough to be worth several threads, if an engine is fast.
            let small = random_lts(shape, size, &mut random);
            let copies = [Shape::Copies, Shape::Stutter][random.between(0, 1)];
            let (large, _) = unfolded(&small, copies, 100, &mut random);
            let result = for_all(fast_engines(), |engine, relation| {
                let run = |threads| {
                    with_threads(threads, || {
                        let partition = (engine.partition)(&large, relation);
                        (partition, aut(&(engine.quotient)(&large, relation)))
                    })
                };
                let expected = run(1);
                for threads in [2, 7] {
                    let found = run(threads);
                    ensure(found == expected, || format!("{threads} threads"))?;
                }
                Ok(())
            });
            result.unwrap_or_else(|error| panic!("{shape:?}, {size}: {error}"));
        }
    }
}

/// Systems of some thousand states are too large for the definitions, but not
/// if they are made by copying the states of a small one.
#[test]
fn copies_of_states_fall_into_the_classes_of_their_originals() {
    for (shape, finest) in [
        (Shape::Copies, Relation::Strong),
        (Shape::Stutter, Relation::DivBranching),
        (Shape::DivergentStutter, Relation::Branching),
    ] {
        let coarser = |relation: &Relation| {
            let rank = |r: Relation| naive::REFINED.iter().position(|&s| s == r);
            rank(*relation) >= rank(finest)
        };
        for small in Shape::ALL {
            for seed in 0..3 {
                let mut random = Random::new(seed);
                let original = random_lts(small, 20, &mut random);
                let (large, origin) = unfolded(&original, shape, 200, &mut random);
                let result = for_all(fast_engines(), |engine, relation| {
                    if !coarser(&relation) {
                        return Ok(());
                    }
                    let of_originals = naive::partition(&original, relation);
                    let class = origin.iter().map(|&s| of_originals.class(StateId::new(s)));
                    let expected = Partition::new(class.collect());
                    let found = (engine.partition)(&large, relation);
                    ensure(found.normalized() == expected.normalized(), || {
                        format!("{} classes, not {}", found.count(), expected.count())
                    })
                });
                result.unwrap_or_else(|error| panic!("{small:?}, {seed}, {shape:?}: {error}"));
            }
        }
    }
}

/// For strong bisimilarity there is a third way, good for large systems: the
/// refinement in rounds that formulas are found by.
#[test]
fn strong_partitions_of_large_systems_are_those_of_the_levels() {
    for shape in Shape::ALL {
        for seed in 0..5 {
            let mut random = Random::new(seed);
            let lts = random_lts(shape, 3000, &mut random);
            let expected = k_bisimilarity::partition(&tidy(&lts));
            let strong = |e: &&Engine| e.relations.contains(&Relation::Strong);
            for engine in fast_engines().filter(strong) {
                let found = (engine.partition)(&lts, Relation::Strong);
                assert!(
                    found.normalized() == expected.normalized(),
                    "{}, {shape:?}, seed {seed}: {} classes, not {}",
                    engine.name,
                    found.count(),
                    expected.count()
                );
            }
        }
    }
}
