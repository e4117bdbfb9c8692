//! Properties on random systems, against the definitions.

use std::cell::Cell;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::union::disjoint_union;
use hyades_testing::naive::spectrum;
use hyades_testing::{Random, Shape, check, lts, mutated, same, shuffled, unfolded};

use super::rooted::{Unrooted, rooted_quotient, rooted_related};
use super::{eta, sharp, stability};
use crate::isomorphism::isomorphic;
use crate::rounds::untold;
use crate::{Kept, Minimized, Partition, Relation, minimize, minimize_observed};

/// The partition by one of the definitions, where these labels are strong.
pub(crate) fn by_definition(name: &str, lts: &Lts, strong: &[bool]) -> Partition {
    let is_strong = |label: LabelId| strong.get(label.index()) == Some(&true);
    let related = spectrum::pairs(name, lts, &is_strong).expect("a known name");
    let class: Vec<usize> = related
        .iter()
        .map(|row| row.iter().position(|&related| related).expect("itself"))
        .collect();
    for (s, row) in related.iter().enumerate() {
        for (t, &related) in row.iter().enumerate() {
            assert_eq!(related, class[s] == class[t], "an equivalence");
        }
    }
    let mut first: Vec<usize> = class.clone();
    first.sort_unstable();
    first.dedup();
    let number = |c: &usize| first.binary_search(c).expect("one of them") as u32;
    Partition::new(class.iter().map(number).collect())
}

fn partition(lts: &Lts, relation: Relation) -> Partition {
    crate::partition(lts, relation).unwrap()
}

/// The quotient of all states.
fn minimize_all(lts: Lts, relation: Relation) -> Minimized {
    minimize_observed(lts, relation, Kept::All, &mut untold).unwrap()
}

fn ensure(condition: bool, message: impl Fn() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message()) }
}

fn ensure_same(what: &str, found: &Partition, expected: &Partition) -> Result<(), String> {
    let (found, expected) = (found.normalized(), expected.normalized());
    ensure(found == expected, || {
        format!(
            "{what}: {:?}, not {:?}",
            found.classes(),
            expected.classes()
        )
    })
}

/// At times the system itself, at times one with several equivalent states for each.
fn blown_up(lts: &Lts, random: &mut Random) -> Lts {
    let shapes = [Shape::Copies, Shape::Stutter, Shape::DivergentStutter];
    match random.between(0, 3) {
        0 => lts.clone(),
        k => unfolded(lts, shapes[k - 1], 3, random).0,
    }
}

/// Any visible labels.
fn any_strong(lts: &Lts, random: &mut Random) -> Vec<bool> {
    let percent = [0, 30, 50, 80, 100][random.between(0, 4)];
    let strong = |k: usize| k > 0 && random.chance(percent);
    (0..lts.table().len()).map(strong).collect()
}

/// A system that is often equivalent to the given one.
fn partner(lts: &Lts, random: &mut Random) -> Lts {
    let other = match random.chance(30) {
        true => shuffled(lts, random),
        false => blown_up(lts, random),
    };
    match random.chance(60) {
        true => mutated(&other, random),
        false => other,
    }
}

#[test]
fn partitions_are_those_of_the_definitions() {
    check(60, 9, |lts, random| {
        let lts = &blown_up(lts, random);
        ensure_same(
            "eta",
            &eta::partition(lts, &mut untold),
            &by_definition("eta", lts, &[]),
        )?;
        let sr = stability::partition(lts, &mut untold);
        ensure_same(
            "sr-branching",
            &sr,
            &by_definition("sr-branching", lts, &[]),
        )
    });
}

#[test]
fn sharp_partitions_are_those_of_the_definitions() {
    // Where states on one hidden cycle are told apart.
    let parted = Cell::new(0);
    check(80, 12, |lts, random| {
        let lts = &blown_up(lts, random);
        let strong = any_strong(lts, random);
        let found = sharp::partition(lts, &strong, false, &mut untold);
        ensure_same("sharp", &found, &by_definition("sharp", lts, &strong))?;
        let found = sharp::partition(lts, &strong, true, &mut untold);
        ensure_same("divsharp", &found, &by_definition("divsharp", lts, &strong))?;
        let cycles = hyades_lts::tau_components(lts).of;
        let is_parted =
            |s: usize, t: usize| cycles[s] == cycles[t] && found.classes()[s] != found.classes()[t];
        if (0..lts.states()).any(|s| (0..s).any(|t| is_parted(s, t))) {
            parted.set(parted.get() + 1);
        }
        Ok(())
    });
    assert!(parted.get() > 50, "hidden cycles with different states");
}

/// Without strong labels it is branching bisimilarity, state by state and number by number;
/// without hidden steps strong bisimilarity. More strong labels tell more apart.
#[test]
fn sharp_lies_between_strong_and_branching() {
    check(60, 30, |lts, random| {
        let lts = &blown_up(lts, random);
        let none = vec![false; lts.table().len()];
        let some = any_strong(lts, random);
        let all: Vec<bool> = (0..none.len()).map(|k| k > 0).collect();
        for (divergence, relation) in [(false, Relation::Branching), (true, Relation::DivBranching)]
        {
            let classes = |strong: &[bool]| sharp::partition(lts, strong, divergence, &mut untold);
            let weakest = partition(lts, relation);
            ensure_same("no strong label", &classes(&none), &weakest)?;
            let strongest = partition(lts, Relation::Strong);
            let order = [weakest, classes(&some), classes(&all), strongest];
            for pair in order.windows(2) {
                for s in 0..lts.states() {
                    for t in 0..s {
                        let same = |p: &Partition| p.classes()[s] == p.classes()[t];
                        ensure(!same(&pair[1]) || same(&pair[0]), || {
                            format!("{s} and {t}, divergence: {divergence}")
                        })?;
                    }
                }
            }
            let (quotient, class) = sharp::quotient(lts.clone(), &none, divergence, &mut untold);
            let expected = minimize_all(lts.clone(), relation);
            ensure(same(&quotient, &expected.lts), || "quotient".into())?;
            ensure(class == expected.class, || "classes".into())?;
        }
        Ok(())
    });
}

#[test]
fn sharp_quotients_are_equivalent_minimal_and_canonical() {
    check(60, 25, |lts, random| {
        let lts = &blown_up(lts, random);
        let strong = any_strong(lts, random);
        for divergence in [false, true] {
            let classes = |lts: &Lts| sharp::partition(lts, &strong, divergence, &mut untold);
            let quotient =
                |lts: &Lts| sharp::quotient(lts.clone(), &strong, divergence, &mut untold);
            let (small, class) = quotient(lts);
            ensure(small.states() == classes(lts).count(), || "states".into())?;
            let union = disjoint_union(small.clone(), lts.clone()).unwrap();
            let both = classes(&union.lts);
            for (s, &c) in class.iter().enumerate() {
                let there = small.states() + s;
                ensure(both.classes()[there] == both.classes()[c as usize], || {
                    format!("{s} is not equivalent to its class {c}")
                })?;
            }
            let again = quotient(&small).0;
            ensure(same(&again, &small), || "not a fixpoint".into())?;
            let first = minimize_all(lts.clone(), Relation::Strong).lts;
            let via_strong = quotient(&first).0;
            let sizes = |lts: &Lts| (lts.states(), lts.transitions());
            ensure(sizes(&via_strong) == sizes(&small), || {
                "by strong first".into()
            })?;
        }
        Ok(())
    });
}

/// Sets are thrown away on the way, hidden cycles and paths are long, and nothing recurses.
#[test]
fn long_hidden_cycles_and_paths_are_parted_step_by_step() {
    let n = 20_000u32;
    let mut b = LtsBuilder::new(u64::from(n));
    let labels = [&b"a"[..], b"b"].map(|text| b.table_mut().intern(text).unwrap());
    for s in 0..n {
        b.add(StateId::new(s), LabelId::HIDDEN, StateId::new((s + 1) % n));
    }
    b.add(StateId::new(0), labels[0], StateId::new(0));
    let lts = b.build(StateId::new(0)).unwrap();
    let count = |strong| sharp::partition(&lts, strong, true, &mut untold).count();
    // All states can come to the only `a`, but just one has it at once.
    assert_eq!(count(&[false, false, false]), 1);
    assert_eq!(count(&[false, true, false]), 2);
    let short = 300;
    let mut b = LtsBuilder::with_table(u64::from(short), lts.table().clone());
    for s in 1..short {
        b.add(StateId::new(s - 1), LabelId::HIDDEN, StateId::new(s));
        b.add(StateId::new(s - 1), labels[1], StateId::new(s));
    }
    let path = b.build(StateId::new(0)).unwrap();
    let count = sharp::partition(&path, &[false, false, true], true, &mut untold).count();
    assert_eq!(count, short as usize);
    assert_eq!(eta::partition(&path, &mut untold).count(), 300);
    assert_eq!(stability::partition(&path, &mut untold).count(), 300);
}

/// A way through a state that is not related does not count, and hidden cycles must not be
/// contracted.
#[test]
fn ways_through_unrelated_states_do_not_count_for_sharp() {
    // 0 can do `b` behind 1 only, which can do `a` at once.
    let l = lts(&[
        (0, "i", 1),
        (1, "i", 0),
        (1, "a", 3),
        (1, "b", 3),
        (2, "b", 3),
    ]);
    let mut strong = vec![false; 3];
    strong[l.table().find(b"a").unwrap().index()] = true;
    for divergence in [false, true] {
        let found = sharp::partition(&l, &strong, divergence, &mut untold);
        let class = |s| found.class(StateId::new(s));
        assert_eq!(found.count(), 4);
        assert!(class(0) != class(1) && class(0) != class(2));
    }
}

/// Divergence and stability, told apart as branching, sr-branching and divbranching do.
#[test]
fn stability_is_weaker_than_divergence() {
    // 0 is a livelock, 1 a deadlock; 2 can go on for ever or come to rest as 1; 3 is as 0.
    let l = lts(&[(0, "i", 0), (2, "i", 2), (2, "i", 1), (3, "i", 0)]);
    let count = |relation| partition(&l, relation).count();
    assert_eq!(count(Relation::Branching), 1);
    assert_eq!(count(Relation::DivBranching), 3);
    let found = stability::partition(&l, &mut untold).normalized();
    assert_eq!(found.classes(), [0, 1, 1, 0]);
}

#[test]
fn roots_are_those_of_the_definition() {
    let counts = [const { Cell::new(0) }; 2];
    check(60, 9, |first, random| {
        let second = partner(first, random);
        let union = disjoint_union(first.clone(), second).unwrap();
        let lts = &union.lts;
        for (unrooted, partition) in [
            (Unrooted::Branching, partition(lts, Relation::Branching)),
            (Unrooted::Weak, by_definition("observational", lts, &[])),
        ] {
            let name = match unrooted {
                Unrooted::Branching => "rooted-branching",
                Unrooted::Weak => "rooted-weak",
            };
            let expected = spectrum::pairs(name, lts, &|_| false).expect("a known name");
            let n = lts.states();
            let pairs = [
                (lts.initial().index(), union.second.index()),
                (random.between(0, n - 1), random.between(0, n - 1)),
            ];
            for (p, q) in pairs {
                let [left, right] = [p, q].map(StateId::from_index);
                let found = rooted_related(lts, left, right, &partition, unrooted);
                ensure(found == expected[p][q], || {
                    format!("{unrooted:?}: {p} and {q}")
                })?;
                if p != q {
                    let count = &counts[usize::from(found)];
                    count.set(count.get() + 1);
                }
            }
        }
        Ok(())
    });
    assert!(counts.iter().all(|count| count.get() > 200), "{counts:?}");
}

/// The state of its own quotient by a partition for each state, and that quotient.
fn weak_quotient(lts: &Lts) -> Minimized {
    // A branching quotient of which weakly equivalent states are merged, steps and all, is
    // weakly equivalent, though not the smallest.
    let partition = by_definition("observational", lts, &[]).normalized();
    let mut b = LtsBuilder::with_table(partition.count() as u64, lts.table().clone());
    let mut steps: Vec<_> = lts
        .iter()
        .map(|(s, a, t)| (partition.class(s), a, partition.class(t)))
        .filter(|&(s, a, t)| !a.is_hidden() || s != t)
        .collect();
    steps.sort_unstable();
    steps.dedup();
    for (s, a, t) in steps {
        b.add(StateId::new(s), a, StateId::new(t));
    }
    let initial = StateId::new(partition.class(lts.initial()));
    Minimized {
        lts: b.build(initial).unwrap(),
        states: lts.states(),
        class: partition.into_classes(),
    }
}

#[test]
fn rooted_quotients_are_rooted_equivalent() {
    // How often a state was put in front.
    let counts = [const { Cell::new(0) }; 2];
    check(60, 9, |lts, random| {
        let lts = &blown_up(lts, random);
        for unrooted in [Unrooted::Branching, Unrooted::Weak] {
            let Minimized {
                lts: plain, class, ..
            } = match unrooted {
                Unrooted::Branching => minimize(lts.clone(), Relation::Branching).unwrap(),
                Unrooted::Weak => weak_quotient(&hyades_lts::reachable(
                    lts.clone(),
                    hyades_lts::Numbering::Ascending,
                )),
            };
            let input = match unrooted {
                Unrooted::Branching => lts.clone(),
                Unrooted::Weak => {
                    hyades_lts::reachable(lts.clone(), hyades_lts::Numbering::Ascending)
                }
            };
            let states = plain.states();
            let (rooted, class) = rooted_quotient(&input, plain.clone(), class, unrooted);
            let is_new = !same(&rooted, &plain);
            counts[usize::from(is_new)].set(counts[usize::from(is_new)].get() + 1);
            ensure(rooted.states() <= states + usize::from(is_new), || {
                "states".into()
            })?;
            let union = disjoint_union(rooted.clone(), input.clone()).unwrap();
            let partition = match unrooted {
                Unrooted::Branching => partition(&union.lts, Relation::Branching),
                Unrooted::Weak => by_definition("observational", &union.lts, &[]),
            };
            let initial = union.lts.initial();
            ensure(
                rooted_related(&union.lts, initial, union.second, &partition, unrooted),
                || format!("{unrooted:?}: not rooted equivalent"),
            )?;
            for (s, &c) in class.iter().enumerate() {
                let there = rooted.states() + s;
                let of = partition.classes();
                ensure(
                    c == Minimized::NO_CLASS || of[there] == of[c as usize],
                    || format!("{unrooted:?}: {s} is not equivalent to its class {c}"),
                )?;
            }
        }
        Ok(())
    });
    assert!(counts.iter().all(|count| count.get() > 100), "{counts:?}");
}

/// The same by the laws of observation congruence: another numbering, several strongly
/// equivalent states for each, and some of the steps that others make up for.
fn congruent(lts: &Lts, random: &mut Random) -> Lts {
    let lts = match random.chance(50) {
        true => unfolded(lts, Shape::Copies, 2, random).0,
        false => lts.clone(),
    };
    let hidden = |from: Vec<StateId>| {
        let mut found = from;
        let mut next = 0;
        while next < found.len() {
            for (a, t) in lts.outgoing(found[next]) {
                if a.is_hidden() && !found.contains(&t) {
                    found.push(t);
                }
            }
            next += 1;
        }
        found
    };
    let mut b = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    lts.iter().for_each(|(s, a, t)| b.add(s, a, t));
    for s in (0..lts.states()).map(StateId::from_index) {
        for before in hidden(vec![s]) {
            for (a, t) in lts.outgoing(before) {
                for t in hidden(vec![t]) {
                    if random.chance(20) {
                        b.add(s, a, t);
                    }
                }
            }
        }
    }
    shuffled(&b.build(lts.initial()).unwrap(), random)
}

/// The LTS without the transition at this place.
fn without(lts: &Lts, place: usize) -> Lts {
    let mut b = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
    let rest = lts.iter().enumerate().filter(|&(k, _)| k != place);
    rest.for_each(|(_, (s, a, t))| b.add(s, a, t));
    b.build(lts.initial()).unwrap()
}

/// They are related to the input by the definition, have no step too many, are the same for
/// inputs that are related, and are their own quotients.
#[test]
fn rooted_quotients_are_minimal_and_canonical() {
    let in_front = Cell::new(0);
    check(60, 7, |lts, random| {
        for (relation, name) in [
            (Relation::RootedBranching, "rooted-branching"),
            (Relation::RootedWeak, "rooted-weak"),
        ] {
            let are_related = |first: &Lts, second: &Lts| {
                let union = disjoint_union(first.clone(), second.clone()).unwrap();
                let pairs = spectrum::pairs(name, &union.lts, &|_| false).expect("a known name");
                pairs[union.lts.initial().index()][union.second.index()]
            };
            let small = |lts: &Lts| minimize(lts.clone(), relation).unwrap().lts;
            let are_isomorphic = |first: &Lts, second: &Lts| {
                let union = disjoint_union(first.clone(), second.clone()).unwrap();
                isomorphic(&union.lts, union.lts.initial(), union.second) == Some(true)
            };
            let found = small(lts);
            ensure(are_related(lts, &found), || format!("{name}: not related"))?;
            for place in 0..found.transitions() {
                ensure(!are_related(&found, &without(&found, place)), || {
                    format!("{name}: transition {place} is too much")
                })?;
            }
            ensure(same(&small(&found), &found), || {
                format!("{name}: not a fixpoint")
            })?;
            let other = match relation {
                Relation::RootedWeak => congruent(lts, random),
                _ => shuffled(&unfolded(lts, Shape::Copies, 2, random).0, random),
            };
            let other = small(&other);
            ensure(are_isomorphic(&other, &found), || {
                format!("{name}: another one for a related LTS")
            })?;
            let unrooted = match relation {
                Relation::RootedWeak => Relation::Observational,
                _ => Relation::Branching,
            };
            if found.states() > minimize(lts.clone(), unrooted).unwrap().lts.states() {
                in_front.set(in_front.get() + 1);
            }
        }
        Ok(())
    });
    assert!(in_front.get() > 200, "{in_front:?}");
}

/// Milner's second law: τ.p + p = τ.p.
#[test]
fn the_root_of_observation_congruence_has_no_step_too_many() {
    let redundant = lts(&[(0, "i", 1), (0, "a", 2), (1, "a", 2)]);
    let expected = lts(&[(0, "i", 1), (1, "a", 2)]);
    for input in [redundant, expected.clone()] {
        let Minimized { lts, class, .. } = minimize(input, Relation::RootedWeak).unwrap();
        assert!(
            same(&lts, &expected),
            "{:?}",
            lts.iter().collect::<Vec<_>>()
        );
        assert_eq!(class, [0, 1, 2]);
    }
}

/// No root condition by default; one hidden step for one in rooted branching bisimilarity, at
/// least one in observation congruence.
#[test]
fn roots_tell_hidden_first_steps_apart() {
    // 0 = τ.a, 2 = a, 4 = τ.τ.a
    let l = lts(&[
        (0, "i", 1),
        (1, "a", 7),
        (2, "a", 7),
        (4, "i", 5),
        (5, "i", 6),
        (6, "a", 7),
    ]);
    let partition = partition(&l, Relation::Branching);
    assert_eq!(
        partition.class(StateId::new(0)),
        partition.class(StateId::new(2))
    );
    for unrooted in [Unrooted::Branching, Unrooted::Weak] {
        let related = |p, q| {
            let [p, q] = [p, q].map(StateId::new);
            rooted_related(&l, p, q, &partition, unrooted)
        };
        assert!(!related(0, 2) && !related(2, 0));
        assert!(related(0, 4) && related(4, 0));
        assert!(related(1, 2));
    }
}

/// In time that does not grow with the number of labels times that of the steps.
#[test]
fn roots_may_have_many_labels() {
    const LABELS: u32 = 50_000;
    // 0 has a step by each label, then 1 a hidden one; 4 the same steps, 5 = τ.4.
    let mut b = LtsBuilder::new(6);
    for k in 0..LABELS {
        let label = b.table_mut().intern(format!("a{k}").as_bytes()).unwrap();
        for s in [0, 4] {
            b.add(StateId::new(s), label, StateId::new(1));
        }
    }
    for (s, t) in [(1, 2), (5, 4)] {
        b.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t));
    }
    let l = b.build(StateId::new(0)).unwrap();
    let weak = partition(&l, Relation::Observational);
    let related = |p, q| {
        let [p, q] = [p, q].map(StateId::new);
        rooted_related(&l, p, q, &weak, Unrooted::Weak)
    };
    assert!(related(0, 4));
    assert!(!related(4, 5) && !related(0, 1));
    let quotient = minimize(l.clone(), Relation::RootedWeak).unwrap().lts;
    assert_eq!(quotient.transitions(), LABELS as usize);
}

#[test]
#[should_panic(expected = "the hidden label is weak")]
fn the_hidden_label_is_not_strong() {
    let l = lts(&[(0, "i", 1)]);
    sharp::partition(&l, &[true], false, &mut untold);
}
