//! Networks beside specifications up to symmetry: as without it.

use std::collections::BTreeSet;

use crate::symmetry::tests::brute::Collect;
use crate::symmetry::tests::{of_files, read};
use crate::symmetry::{Strategy, SymmetryError, Types};
use crate::{Memory, Network, NetworkModel};
use hyades_explore::{Model, words};
use hyades_formats::{LabelId, Lts};

use super::Kind;
use super::normal;
use super::*;

pub const BOTH: [Shortest; 2] = [Shortest::Steps, Shortest::Events];

pub fn search(shortest: Shortest) -> RefineOptions<'static> {
    RefineOptions {
        shortest,
        ..RefineOptions::default()
    }
}

/// The specification beside a network among the test data.
fn beside(name: &str) -> Lts {
    let base = hyades_testing::ROOT;
    let path = format!("{base}/testdata/networks/{name}/spec.aut");
    Lts::read(path).unwrap()
}

pub fn symmetric<'a>(
    spec: &'a Specification,
    network: &'a Network,
    types: &Types,
    strategy: Strategy,
) -> SymmetricRefinement<'a> {
    SymmetricRefinement::new(spec, network, types, strategy).unwrap()
}

/// What is promised to be least.
pub fn length(shown: &Counterexample, shortest: Shortest) -> usize {
    match shortest {
        Shortest::Steps => shown.steps.len(),
        Shortest::Events => shown.visible_trace().len(),
    }
}

/// A label, `None` for the hidden one, and a target.
type Transition = (Option<Box<[u8]>>, Box<[u64]>);

/// The transitions of a state of a network, as texts.
fn steps(model: &NetworkModel, state: &[u64]) -> BTreeSet<Transition> {
    let mut found = Collect::default();
    model
        .successors(&mut model.scratch(), state, &mut found)
        .unwrap();
    let labels = model.labels();
    let text = |l: LabelId| (!l.is_hidden()).then(|| Box::from(labels.text(l)));
    let steps = found
        .0
        .into_iter()
        .map(|(l, target)| (text(l), target.into()));
    steps.collect()
}

/// Panics unless this shows that the network, as it is, does not refine `spec`.
pub fn check(spec: &Specification, network: &Network, shown: &Counterexample) {
    let model = NetworkModel::new(network.clone());
    let mut start = vec![0; words(model.bits())];
    model.initial(&mut start).unwrap();
    assert_eq!(shown.initial.node, spec.initial());
    assert_eq!(&shown.initial.state[..], &start);
    let follow = |from: &Pair, step: &CounterexampleStep| -> Pair {
        assert!(from.node != spec.forbidden() && !spec.diverges(from.node));
        let Pair { node, state } = &step.target;
        assert!(steps(&model, &from.state).contains(&(step.label.clone(), state.clone())));
        let next = match &step.label {
            None => Some(from.node),
            Some(text) => spec.label(text).and_then(|l| spec.successor(from.node, l)),
        };
        assert_eq!(*node, next.unwrap_or(spec.forbidden()));
        step.target.clone()
    };
    let last = shown
        .steps
        .iter()
        .fold(shown.initial.clone(), |at, step| follow(&at, step));
    match &shown.violation {
        Violation::Trace => assert_eq!(last.node, spec.forbidden()),
        Violation::Refusal { accepted } => {
            assert_ne!(spec.semantics(), Semantics::Traces);
            assert!(last.node != spec.forbidden() && !spec.diverges(last.node));
            let offered = steps(&model, &last.state).into_iter().map(|step| step.0);
            // A stable state: all are visible.
            let offered: Option<BTreeSet<Box<[u8]>>> = offered.collect();
            let offered = offered.expect("a stable state");
            assert!(offered.iter().eq(accepted));
            for acceptance in spec.minimal_acceptances(last.node) {
                let text = |&l: &LabelId| spec.table().text(l);
                assert!(!acceptance.iter().all(|l| offered.contains(text(l))));
            }
        }
        Violation::Divergence { cycle } => {
            assert_eq!(spec.semantics(), Semantics::FailuresDivergences);
            assert!(!spec.diverges(last.node) && !cycle.is_empty());
            assert!(cycle.iter().all(|step| step.label.is_none()));
            let end = cycle
                .iter()
                .fold(last.clone(), |at, step| follow(&at, step));
            assert_eq!(end, last);
        }
    }
}

#[test]
fn models_refine_as_without_symmetry() {
    let mut kinds = BTreeSet::new();
    for (name, orbits, steps) in [
        ("database_4", 11, None),
        ("liststack_2_2_2", 210, Some(4)),
        ("liststack_3_2_2", 458, Some(4)),
        ("peterson_3", 141, Some(15)),
    ] {
        let (network, types) = read(name);
        let model = NetworkModel::new(network.clone());
        for semantics in Semantics::ALL {
            let spec = normal(&beside(name), semantics);
            let plain = BOTH.map(|shortest| refine(&spec, &model, search(shortest)).unwrap());
            for strategy in Strategy::ALL {
                let refinement = symmetric(&spec, &network, &types, strategy);
                for (shortest, plain) in BOTH.into_iter().zip(&plain) {
                    let what = format!("{name}, {semantics}, {strategy}, {shortest:?}");
                    let replayed = refinement.refine(search(shortest)).unwrap();
                    let found = &replayed.found;
                    match (&plain.verdict, &found.verdict) {
                        (RefinementVerdict::Holds, RefinementVerdict::Holds) => {
                            assert!(replayed.model.is_none());
                            assert!(steps.is_none() || semantics == Semantics::Traces, "{what}");
                            match strategy {
                                Strategy::Exact | Strategy::Refine => {
                                    assert_eq!(found.pairs, orbits, "{what}");
                                }
                                _ => assert!((orbits..=plain.pairs).contains(&found.pairs)),
                            }
                        }
                        (RefinementVerdict::Fails(a), RefinementVerdict::Fails(b)) => {
                            assert!(replayed.model.is_some() && b.is_shortest, "{what}");
                            assert_eq!(length(b, shortest), length(a, shortest), "{what}");
                            if shortest == Shortest::Steps {
                                assert_eq!(Some(b.steps.len()), steps, "{what}");
                            }
                            let kind = Kind::of(&b.violation);
                            assert_eq!(kind, Kind::of(&a.violation), "{what}");
                            kinds.insert((name, kind));
                            check(&spec, &network, b);
                        }
                        other => panic!("{what}: {other:?}"),
                    }
                }
            }
        }
    }
    let refusals = ["liststack_2_2_2", "liststack_3_2_2", "peterson_3"];
    assert!(
        kinds
            .into_iter()
            .eq(refusals.map(|name| (name, Kind::Refusal)))
    );
}

#[test]
fn specifications_that_single_out_a_value_are_refused() {
    let (network, types) = read("database_4");
    let lts = hyades_testing::lts(&[(0, "UPDATE !M1", 0)]);
    let model = NetworkModel::new(network.clone());
    for semantics in Semantics::ALL {
        let spec = normal(&lts, semantics);
        let error = SymmetricRefinement::new(&spec, &network, &types, Strategy::Refine)
            .expect_err("no symmetry");
        assert_eq!(
            error.to_string(),
            "with M0 and M1 exchanged, the specification is not the same: its label `UPDATE !M1` \
             becomes `UPDATE !M0`, which it does not have"
        );
        // The other values are symmetric all the same.
        let types = find_types_beside(&spec, &network).unwrap();
        assert_eq!(types.to_string(), "type M = M0 M2 M3\n");
        let refinement = symmetric(&spec, &network, &types, Strategy::Exact);
        let found = refinement.refine(search(Shortest::Steps)).unwrap().found;
        let plain = refine(&spec, &model, search(Shortest::Steps)).unwrap();
        let (RefinementVerdict::Fails(a), RefinementVerdict::Fails(b)) =
            (&plain.verdict, &found.verdict)
        else {
            panic!("the first update of M0 is forbidden, or refused");
        };
        assert_eq!(a.steps.len(), b.steps.len());
        check(&spec, &network, b);
    }
}

/// What tells acceptances apart, or divergences, is not the same in T.
#[test]
fn acceptances_and_divergences_have_to_be_symmetric() {
    let (network, types) = read("database_4");
    let mut all = Vec::new();
    let labels: Vec<String> = (0..4).map(|m| format!("UPDATE !M{m}")).collect();
    for label in &labels {
        all.push((0, label.as_str(), 0));
    }
    let mut refusing = all.clone();
    // It may rest where M2 cannot be updated.
    refusing.push((0, "i", 1));
    for (m, label) in labels.iter().enumerate().filter(|(m, _)| *m != 2) {
        refusing.push((1, label, 0));
        assert!(m != 2);
    }
    let mut diverging = all.clone();
    // It diverges after an update of M2.
    diverging.retain(|step| step.1 != labels[2]);
    diverging.extend([(0, labels[2].as_str(), 2), (2, "i", 2)]);
    for (steps, refused) in [
        (&all, &[][..]),
        (
            &refusing,
            &[Semantics::Failures, Semantics::FailuresDivergences],
        ),
        (&diverging, &Semantics::ALL),
    ] {
        for semantics in Semantics::ALL {
            let spec = normal(&hyades_testing::lts(steps), semantics);
            let found = SymmetricRefinement::new(&spec, &network, &types, Strategy::Refine);
            match found {
                Ok(_) => assert!(!refused.contains(&semantics), "{semantics}"),
                Err(SymmetryError::Specification { exchanged, .. }) => {
                    assert!(refused.contains(&semantics), "{semantics}");
                    assert!(exchanged.contains(&"M2".into()), "{exchanged:?}");
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

/// A stack remembers what was pushed: its nodes are not symmetric, but as a whole it
/// is.
#[test]
fn nodes_need_not_be_symmetric() {
    let (network, types) = read("liststack_2_2_2");
    let spec = normal(&beside("liststack_2_2_2"), Semantics::Traces);
    let after = |text: &str| spec.successor(spec.initial(), spec.label(text.as_bytes())?);
    let [a, b] = ["PUSH !T0 !A", "PUSH !T0 !B"].map(|label| after(label).unwrap());
    assert_ne!(a, b);
    let refinement = symmetric(&spec, &network, &types, Strategy::Exact);
    let found = refinement.refine(search(Shortest::Steps)).unwrap().found;
    assert_eq!(
        (found.verdict, found.pairs),
        (RefinementVerdict::Holds, 210)
    );
}

/// So many ticks of a clock; then one of three users takes a token, which is handed on
/// by hidden steps, for ever and to anyone.
fn token(ticks: u32) -> (Network, Types) {
    let mut files = Memory::default();
    let users = ["U0", "U1", "U2"];
    let mut vectors = Vec::new();
    for user in users {
        let mut aut = String::from("des (0, 7, 3)\n");
        let others = users.iter().filter(|other| **other != user);
        aut += &format!("(0, \"TAKE !{user}\", 1)\n");
        for other in others {
            aut += &format!("(0, \"TAKE !{other}\", 2)\n");
            aut += &format!("(1, \"GIVE !{user} !{other}\", 2)\n");
            aut += &format!("(2, \"GIVE !{other} !{user}\", 1)\n");
            let row = users.map(|third| match third == user || third == *other {
                true => format!("\"GIVE !{user} !{other}\""),
                false => "_".into(),
            });
            vectors.push(format!("{} * _ -> \"i\"", row.join(" * ")));
        }
        let take = format!("\"TAKE !{user}\"");
        vectors.push(format!("{take} * {take} * {take} * \"GO\" -> {take}"));
        files.add(format!("{user}.aut"), aut);
    }
    vectors.push("_ * _ * _ * \"TICK\" -> \"TICK\"".into());
    let mut clock = format!("des (0, {0}, {0})\n({ticks}, \"GO\", {ticks})\n", ticks + 1);
    for tick in 0..ticks {
        clock += &format!("({tick}, \"TICK\", {})\n", tick + 1);
    }
    files.add("clock.aut", clock);
    let text = format!(
        "label par using {} in {} || \"clock.aut\" end par",
        vectors.join(",\n"),
        users.map(|user| format!("\"{user}.aut\"")).join(" || ")
    );
    let types = Types::parse("type User = U0 U1 U2\n").unwrap();
    (of_files(&text, &files), types)
}

#[test]
fn cycles_up_to_symmetry_are_gone_through_until_they_close() {
    for ticks in 0..4 {
        let (network, types) = token(ticks);
        let mut steps = vec![
            (ticks, "TAKE !U0", ticks + 1),
            (ticks, "TAKE !U1", ticks + 1),
            (ticks, "TAKE !U2", ticks + 1),
        ];
        steps.extend((0..ticks).map(|tick| (tick, "TICK", tick + 1)));
        let spec = normal(&hyades_testing::lts(&steps), Semantics::FailuresDivergences);
        for strategy in Strategy::ALL {
            let refinement = symmetric(&spec, &network, &types, strategy);
            for shortest in BOTH {
                let found = refinement.refine(search(shortest)).unwrap().found;
                let RefinementVerdict::Fails(shown) = &found.verdict else {
                    panic!("{strategy}: it diverges");
                };
                check(&spec, &network, shown);
                assert!(shown.is_shortest);
                let Violation::Divergence { cycle } = &shown.violation else {
                    panic!("{strategy}: {shown:?}");
                };
                // One step leads from the representative to itself, and to another
                // state.
                assert_eq!(shown.steps.len(), ticks as usize + 1, "{strategy}");
                assert!((2..=3).contains(&cycle.len()), "{strategy}");
                assert_ne!(cycle[0].target, *shown.last());
                if matches!(strategy, Strategy::Exact | Strategy::Refine) {
                    assert_eq!(found.pairs, u64::from(ticks) + 2);
                }
            }
        }
    }
}

/// A component that is not minimal: only behind its first hidden step is a cycle,
/// and it is longer than that of the minimal one.
#[test]
fn cycles_of_bisimilar_states_are_reached_first() {
    let mut files = Memory::default();
    files.add(
        "a.aut",
        "des (0,4,4)\n(0,\"A\",1)\n(1,i,2)\n(2,i,3)\n(3,i,2)\n",
    );
    let network = of_files("\"a.aut\"", &files);
    let spec = normal(
        &hyades_testing::lts(&[(0, "A", 1)]),
        Semantics::FailuresDivergences,
    );
    let refinement = symmetric(&spec, &network, &Types::default(), Strategy::Exact);
    for shortest in BOTH {
        let found = refinement.refine(search(shortest)).unwrap().found;
        let RefinementVerdict::Fails(shown) = &found.verdict else {
            panic!("it diverges");
        };
        check(&spec, &network, shown);
        let Violation::Divergence { cycle } = &shown.violation else {
            panic!("{shown:?}");
        };
        assert_eq!((shown.steps.len(), cycle.len()), (2, 2));
        assert!(!shown.is_shortest);
    }
}
