//! Exact sizes and shapes of all families.

mod covered;
mod literal;
mod networks;
mod published;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::ControlFlow;

use hyades_explore::{Answer, ExploreOptions, Questions, Stream, explore};
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::{Numbering, components, facts, label_counts, reachable, tau_components};

use super::*;

fn member(name: &str, positional: &[u64]) -> Lts {
    let family = family(name).expect(name);
    let values = family.values(positional, &[]).expect(name);
    family.generate(&values, Limits::default()).expect(name)
}

fn sizes(name: &str, positional: &[u64]) -> (u64, u64) {
    let lts = member(name, positional);
    (lts.states() as u64, lts.transitions() as u64)
}

/// All transitions as (source, label, target), hidden as `i`.
fn listed(lts: &Lts) -> Vec<(u32, String, u32)> {
    lts.iter()
        .map(|(s, l, t)| {
            let text = match l {
                LabelId::HIDDEN => "i".into(),
                l => String::from_utf8(lts.table().text(l).to_vec()).unwrap(),
            };
            (s.get(), text, t.get())
        })
        .collect()
}

fn list(transitions: &[(u32, &str, u32)]) -> Vec<(u32, String, u32)> {
    transitions
        .iter()
        .map(|&(s, l, t)| (s, l.to_string(), t))
        .collect()
}

#[test]
fn sizes_follow_the_formulae() {
    for n in [1, 2, 3, 10, 1000] {
        assert_eq!(sizes("chain", &[n]), (n, n - 1));
        assert_eq!(sizes("tau-chain", &[n]), (n, n - 1));
        assert_eq!(sizes("tau-chain-visible", &[n]), (n + 1, 2 * n - 1));
        assert_eq!(sizes("tau-cycle", &[n]), (n + 1, 2 * n + n.div_ceil(1000)));
        assert_eq!(sizes("tau-nested", &[n]), (2 * n + 1, 3 * n));
        assert_eq!(sizes("tau-star", &[n]), (n + 1, 2 * n));
        assert_eq!(sizes("hub", &[n]), (n + 1, n));
        assert_eq!(sizes("funnel", &[n]), (n + 1, 3 * n));
        assert_eq!(sizes("ladder", &[n]), (2 * n, 3 * n - 1));
        assert_eq!(sizes("tau-ladder", &[n]), (2 * n, 3 * n - 1));
        assert_eq!(sizes("comb", &[n]), (2 * n, 2 * n - 1));
        assert_eq!(sizes("complete", &[n]), (n, n * (n - 1)));
        assert_eq!(sizes("many-labels", &[n]), (2 * n, 10 * n));
        for k in [1, 2, 7] {
            assert_eq!(sizes("grid", &[n, k]), (n * k, 2 * n * k - n - k));
            assert_eq!(sizes("torus", &[k, n]), (n * k, 2 * n * k));
            assert_eq!(sizes("torus", &[k, n, 1]), (n * k, 2 * n * k));
            assert_eq!(sizes("tau-scc", &[k, n]), (n * k, 3 * n * k + k - 1));
            let star = (n + k, n * k + k - 1 + n);
            assert_eq!(sizes("star", &[k, n]), star);
            assert_eq!(sizes("regular", &[n, k]), (n, n * k));
            assert_eq!(sizes("mealy", &[n, k]), (n, n * k));
            assert_eq!(sizes("lift", &[n, k, 3]), (n * k, 3 * n * k));
            assert_eq!(sizes("random", &[n, k * n]), (n, k * n));
        }
    }
    // (N^(P + 1) - 1) / (N - 1), and (N + P)! / (N! P!)
    assert_eq!(sizes("fifo", &[4, 3]), (121, 240));
    assert_eq!(sizes("fifo", &[9, 1]), (10, 18));
    assert_eq!(sizes("bag", &[4, 3]), (35, 120));
    assert_eq!(sizes("bag", &[9, 1]), (10, 18));
    assert_eq!(sizes("bag", &[0, 5]), (1, 0));
    assert_eq!(sizes("chaos", &[5]), (1, 5));
    for depth in 0..8 {
        let count = (2 << depth) - 1;
        assert_eq!(sizes("tree", &[depth]), (count, count - 1 + (1 << depth)));
        assert_eq!(sizes("tau-tree", &[depth]), sizes("tree", &[depth]));
        assert_eq!(sizes("debruijn", &[depth]), (1 << depth, (2 << depth) + 1));
    }
}

/// The largest parameter with which a family's members are small.
fn small(name: &str) -> u64 {
    match name {
        "tree" | "tau-tree" | "debruijn" | "dining" | "train" | "train-mealy" => 4,
        "liststack" => 2,
        "chatbox" | "ring" | "peterson" | "philosophers" => 3,
        "chatbox-fixed" | "database" | "fifo" | "bag" => 4,
        _ => 100,
    }
}

#[test]
fn all_states_are_reachable() {
    for family in families() {
        // Of the copies of a lifted state, some may not be; all others are.
        let small = match family.name {
            "lift" | "random" => continue,
            name => small(name).min(30),
        };
        let positional: Vec<u64> = family
            .parameters
            .iter()
            .filter(|p| p.default.is_none())
            .map(|_| small)
            .collect();
        let lts = member(family.name, &positional);
        assert_eq!(facts(&lts).unreachable_states, 0, "{}", family.name);
    }
    assert_eq!(facts(&member("random", &[50, 49])).unreachable_states, 0);
    assert_eq!(facts(&member("random", &[50, 10])).unreachable_states, 39);
}

#[test]
fn members_depend_on_the_seed_only() {
    for family in families() {
        let Some(seed) = family.parameters.iter().position(|p| p.name == "seed") else {
            continue;
        };
        let mut values: Vec<u64> = family
            .parameters
            .iter()
            .map(|p| p.default.unwrap_or(5))
            .collect();
        let make = |values: &[u64]| listed(&family.generate(values, Limits::default()).unwrap());
        let first = make(&values);
        assert_eq!(first, make(&values), "{}", family.name);
        values[seed] = 12;
        assert_ne!(first, make(&values), "{}", family.name);
    }
    // Members must stay what they are: measurements refer to them.
    assert_eq!(
        listed(&member("random", &[4, 7, 2])),
        list(&[
            (0, "a0", 1),
            (0, "a0", 2),
            (1, "a1", 3),
            (1, "a1", 3),
            (1, "a1", 1),
            (2, "i", 0),
            (3, "i", 1)
        ])
    );
    assert_eq!(
        listed(&member("tree", &[2])),
        list(&[
            (0, "a", 1),
            (0, "b", 2),
            (1, "a", 3),
            (1, "b", 4),
            (2, "a", 5),
            (2, "b", 6),
            (3, "b", 0),
            (4, "a", 0),
            (5, "b", 0),
            (6, "a", 0)
        ])
    );
}

#[test]
fn small_members() {
    assert_eq!(
        listed(&member("chain", &[3])),
        list(&[(0, "a", 1), (1, "a", 2)])
    );
    assert_eq!(
        listed(&member("tau-chain", &[4])),
        list(&[(0, "i", 1), (1, "i", 2), (2, "a", 3)])
    );
    // Breadth first: (0, 0), then right, then down.
    assert_eq!(
        listed(&member("grid", &[2, 2])),
        list(&[
            (0, "right", 1),
            (0, "down", 2),
            (1, "down", 3),
            (2, "right", 3)
        ])
    );
    assert_eq!(
        listed(&member("torus", &[2, 1, 1])),
        list(&[
            (0, "mark", 1),
            (0, "down", 0),
            (1, "right", 0),
            (1, "down", 1)
        ])
    );
    assert_eq!(
        listed(&member("debruijn", &[2])),
        list(&[
            (0, "s", 0),
            (0, "s", 1),
            (0, "z", 0),
            (1, "s", 2),
            (1, "s", 3),
            (2, "s", 0),
            (2, "s", 1),
            (3, "s", 2),
            (3, "s", 3)
        ])
    );
    assert_eq!(
        listed(&member("comb", &[2])),
        list(&[(0, "a", 1), (0, "b", 2), (1, "b", 3)])
    );
    assert_eq!(
        listed(&member("ladder", &[2])),
        list(&[
            (0, "a", 1),
            (0, "b", 2),
            (1, "b", 3),
            (2, "a", 3),
            (3, "c", 0)
        ])
    );
    assert_eq!(
        listed(&member("tau-nested", &[2])),
        list(&[
            (0, "i", 1),
            (1, "i", 2),
            (2, "i", 3),
            (2, "i", 1),
            (3, "i", 0),
            (3, "a", 4)
        ])
    );
    assert_eq!(
        listed(&member("tau-star", &[3])),
        list(&[
            (0, "i", 1),
            (0, "i", 2),
            (0, "i", 3),
            (1, "a0", 0),
            (2, "a1", 0),
            (3, "a0", 0)
        ])
    );
    assert_eq!(
        listed(&member("fifo", &[2, 1])),
        list(&[
            (0, "PUT !0", 1),
            (1, "PUT !0", 2),
            (1, "GET !0", 0),
            (2, "GET !0", 1)
        ])
    );
    assert_eq!(
        listed(&member("bag", &[1, 2])),
        list(&[
            (0, "PUT !0", 1),
            (0, "PUT !1", 2),
            (1, "GET !0", 0),
            (2, "GET !1", 0)
        ])
    );
    assert_eq!(
        listed(&member("tau-chain-visible", &[3])),
        list(&[
            (0, "i", 1),
            (0, "a0", 2),
            (1, "i", 3),
            (1, "a1", 2),
            (3, "a0", 2)
        ])
    );
}

#[test]
fn shapes() {
    let torus = facts(&member("torus", &[30, 20]));
    assert!(torus.deterministic && torus.components == 1);
    assert_eq!((torus.min_out_degree, torus.max_in_degree), (2, 2));
    assert_eq!(torus.depth, 29 + 19);

    let grid = facts(&member("grid", &[30, 20]));
    assert_eq!((grid.deadlocks, grid.depth), (1, 29 + 19));
    assert_eq!(grid.components, 600);

    let tree = facts(&member("tree", &[9]));
    assert_eq!((tree.depth, tree.components, tree.deadlocks), (9, 1, 0));
    assert!(tree.deterministic);

    let hidden = tau_components(&member("tau-scc", &[12, 30]));
    assert_eq!(hidden.sizes(), [30; 12]);
    let hidden = tau_components(&member("tau-cycle", &[300, 50]));
    assert_eq!(hidden.count, 2);
    let cycle = member("tau-cycle", &[300, 50]);
    assert_eq!(facts(&cycle).deadlocks, 1);
    assert_eq!(facts(&cycle).visible_labels, 6);
    let nested = tau_components(&member("tau-nested", &[40]));
    assert_eq!(nested.count, 2);

    let star = facts(&member("star", &[4, 500]));
    assert_eq!((star.max_out_degree, star.visible_labels), (501, 51));
    let funnel = facts(&member("funnel", &[500]));
    assert_eq!((funnel.max_out_degree, funnel.min_out_degree), (500, 2));
    assert!(funnel.max_in_degree >= 500);
    let hub = facts(&member("hub", &[500]));
    assert_eq!((hub.max_out_degree, hub.deadlocks), (500, 500));
    let complete = facts(&member("complete", &[20]));
    assert_eq!((complete.min_out_degree, complete.max_in_degree), (19, 19));
    assert_eq!(complete.duplicate_transitions, 0);
    let ladder = facts(&member("ladder", &[50]));
    assert!(ladder.deterministic && ladder.components == 1);
    assert_eq!(facts(&member("tau-ladder", &[50])).hidden_transitions, 98);
    assert_eq!(facts(&member("tau-tree", &[5])).hidden_transitions, 62);

    let many = member("many-labels", &[300]);
    assert!(label_counts(&many)[1..].iter().all(|&count| count > 0));
    assert_eq!(facts(&many).hidden_transitions, 0);
    let regular = facts(&member("regular", &[200, 7, 3, 50]));
    assert_eq!((regular.min_out_degree, regular.max_out_degree), (7, 7));
    assert!((600..800).contains(&regular.hidden_transitions));
    assert_eq!(regular.visible_labels, 3);
    assert_eq!(components(&member("regular", &[200, 1])).count, 1);
    let mealy = facts(&member("mealy", &[300, 5, 3]));
    assert_eq!((mealy.unreachable_states, mealy.deterministic), (0, true));
    assert_eq!((mealy.visible_labels, mealy.duplicate_transitions), (15, 0));
}

/// The members that notes on other tools mention have these sizes.
#[test]
#[ignore = "takes a few seconds when optimised"]
fn large_members() {
    for (name, values, expected) in [
        ("tree", &[18][..], (524_287, 786_430)),
        ("grid", &[700, 700], (490_000, 978_600)),
        ("torus", &[1000, 1000], (1_000_000, 2_000_000)),
        ("tau-scc", &[1000, 1000], (1_000_000, 3_000_999)),
        ("tau-cycle", &[1_000_000], (1_000_001, 2_001_000)),
        ("regular", &[65_537, 40, 72], (65_537, 2_621_480)),
        ("lift", &[20_000, 200], (4_000_000, 20_000_000)),
        ("random", &[1_000_000, 5_000_000], (1_000_000, 5_000_000)),
        ("many-labels", &[100_000], (200_000, 1_000_000)),
        ("chain", &[1_000_001], (1_000_001, 1_000_000)),
        ("tau-chain", &[1_000_000], (1_000_000, 999_999)),
        ("star", &[10, 100_000], (100_010, 1_100_009)),
        ("funnel", &[399_999], (400_000, 1_199_997)),
        ("ladder", &[20_003], (40_006, 60_008)),
        ("debruijn", &[16], (65_536, 131_073)),
    ] {
        assert_eq!(sizes(name, values), expected, "{name}");
    }
}

/// The copies of a state of the small LTS have its visible transitions, to some
/// copy of the same target, or a hidden step to a lower copy that has.
#[test]
fn lifted_states_are_copies() {
    let (states, copies, degree) = (12, 5, 3);
    let small = member("lift", &[states, 1, degree, 4, 100]);
    for stutter in [0, 60, 100] {
        let lifted = member("lift", &[states, copies, degree, 4, stutter]);
        let mut hidden = 0;
        for s in 0..states as u32 {
            let own: BTreeSet<_> = small.outgoing(StateId::new(s)).collect();
            assert!(own.iter().all(|(label, _)| !label.is_hidden()));
            for copy in 0..copies as u32 {
                let source = s * copies as u32 + copy;
                let mut visible = BTreeSet::new();
                let mut behind = 0;
                for (label, target) in lifted.outgoing(StateId::new(source)) {
                    let base = StateId::new(target.get() / copies as u32);
                    if label.is_hidden() {
                        assert!(base.get() == s && target.get() < source);
                        behind += 1;
                    } else {
                        visible.insert((label, base));
                    }
                }
                assert!(visible.is_subset(&own));
                assert!(behind <= 1 && (behind == 1 || visible == own));
                hidden += behind;
            }
        }
        match stutter {
            0 => assert_eq!(hidden, 0),
            100 => assert_eq!(hidden, states * (copies - 1)),
            _ => assert!((10..40).contains(&hidden), "{hidden}"),
        }
    }
}

/// The same philosophers, with forks as a set and a map from states to numbers.
fn naive_dining(n: usize) -> (usize, usize) {
    let mut number = HashMap::from([(vec![0u8; n], 0)]);
    let mut queue = VecDeque::from([vec![0u8; n]]);
    let mut transitions = 0;
    while let Some(state) = queue.pop_front() {
        let mut taken = BTreeSet::new();
        for (p, &step) in state.iter().enumerate() {
            if step == 1 || step == 2 {
                assert!(taken.insert(p));
            }
            if step == 2 || step == 3 {
                assert!(taken.insert((p + 1) % n));
            }
        }
        for p in 0..n {
            let wanted = [Some(p), Some((p + 1) % n), None, None][state[p] as usize];
            if wanted.is_some_and(|fork| taken.contains(&fork)) {
                continue;
            }
            let mut next = state.clone();
            next[p] = (next[p] + 1) % 4;
            transitions += 1;
            let fresh = number.len();
            if number.insert(next.clone(), fresh).is_none() {
                queue.push_back(next);
            }
        }
    }
    (number.len(), transitions)
}

#[test]
fn dining_philosophers() {
    for n in 2..=7 {
        let lts = member("dining", &[n as u64]);
        assert_eq!((lts.states(), lts.transitions()), naive_dining(n));
        let search = ExploreOptions {
            questions: Questions {
                deadlock: true,
                livelock: true,
                ..Questions::default()
            },
            ..ExploreOptions::default()
        };
        let model = Dining::new(n);
        let found = explore(&model, search, &mut ()).unwrap();
        // All take their left forks.
        let Some(Answer::Yes(trace)) = found.deadlock else {
            panic!("there is a deadlock")
        };
        assert_eq!(trace.labels.len(), n);
        for (p, &label) in trace.labels.iter().enumerate() {
            let text = format!("TAKE !{p} !{p}");
            assert_eq!(found.labels.text(label), text.as_bytes());
        }
        assert_eq!(found.livelock, Some(Answer::No));
        let facts = facts(&lts);
        assert_eq!(facts.deadlocks, 1);
        assert!(facts.deterministic);
    }
}

#[test]
fn structured_families_are_numbered_breadth_first() {
    for name in ["torus", "tau-scc", "star"] {
        let lts = member(name, &[7, 9]);
        let again = reachable(lts.clone(), Numbering::BreadthFirst);
        assert_eq!(listed(&lts), listed(&again));
    }
}

#[test]
fn values_are_checked() {
    let random = family("random").unwrap();
    assert_eq!(
        random.values(&[5, 6], &[("seed", 9), ("tau-percentage", 0)]),
        Ok(vec![5, 6, 20, 0, 9])
    );
    for (positional, named) in [
        (&[5][..], &[][..]),
        (&[5, 6, 7, 8, 9, 10], &[]),
        (&[0, 6], &[]),
        (&[5, 6, 7, 101], &[]),
        (&[5, 6], &[("states", 7)]),
        (&[5, 6], &[("size", 7)]),
        (&[5, 6], &[("tau-percentage", 7), ("tau-percentage", 7)]),
    ] {
        assert!(matches!(
            random.values(positional, named),
            Err(GenerateError::Values(_))
        ));
    }
    assert!(random.generate(&[1, 2], Limits::default()).is_err());
    assert!(family("chains").is_none());
    let names: BTreeSet<_> = families().iter().map(|family| family.name).collect();
    assert_eq!(names.len(), families().len());
}

#[test]
fn large_values_are_refused_and_limits_kept() {
    let states = Limits {
        max_states: Some(1000),
        max_memory: None,
    };
    let memory = Limits {
        max_states: None,
        max_memory: Some(100_000),
    };
    for (name, values) in [
        ("random", &[5000, 100_000][..]),
        ("regular", &[5000, 20]),
        ("lift", &[500, 20]),
        ("grid", &[200, 200]),
        ("chain", &[100_000]),
        ("dining", &[12]),
        ("star", &[2, 100_000]),
        ("random", &[5000, 1, (1 << 32) - 3]),
        ("regular", &[5000, 1, (1 << 32) - 3]),
        ("lift", &[500, 20, 1, (1 << 32) - 3]),
        ("many-labels", &[1 << 28]),
        ("tau-star", &[5000, (1 << 32) - 3]),
        ("star", &[2, 5000, (1 << 32) - 3]),
        ("complete", &[2000, (1 << 32) - 3]),
    ] {
        let family = family(name).unwrap();
        let values = family.values(values, &[]).unwrap();
        for (limits, limit) in [(states, Limit::States), (memory, Limit::Memory)] {
            let error = family.generate(&values, limits).unwrap_err();
            assert_eq!(error, GenerateError::LimitReached(limit), "{name}");
        }
    }
    for (name, values) in [
        ("grid", &[1 << 20, 1 << 20][..]),
        ("torus", &[1 << 32, 1 << 32]),
        ("chain", &[1 << 32]),
        ("tau-scc", &[1 << 32, 1 << 32]),
        ("lift", &[1 << 32, 1 << 32]),
        ("ladder", &[1 << 32]),
        ("regular", &[1 << 31, 1 << 31]),
        ("star", &[1 << 32, 1 << 32]),
    ] {
        let family = family(name).unwrap();
        let values = family.values(values, &[]).unwrap();
        assert!(
            matches!(
                family.generate(&values, Limits::default()),
                Err(GenerateError::TooLarge(_))
            ),
            "{name}"
        );
    }
}

/// The size is known before, and nothing else differs.
#[test]
fn streams_are_what_is_generated() {
    let mut streams = 0;
    for family in families() {
        let lists: Vec<Vec<u64>> = family
            .parameters
            .iter()
            .map(|p| match p.default {
                Some(default) => vec![default, p.least.max(1).min(p.most), p.most.min(3)],
                None => (p.least..=7.min(p.most).min(small(family.name))).collect(),
            })
            .collect();
        let mut values = vec![Vec::new()];
        for list in &lists {
            values = values
                .iter()
                .flat_map(|head| list.iter().map(|&v| [&head[..], &[v]].concat()))
                .collect();
        }
        for values in values {
            let Some(member) = family.stream(&values, None).unwrap() else {
                break;
            };
            streams += 1;
            let lts = family.generate(&values, Limits::default()).unwrap();
            let what = format!("{} {values:?}", family.name);
            assert_eq!(member.states(), lts.states() as u64, "{what}");
            assert_eq!(member.transitions(), lts.transitions() as u64, "{what}");
            assert!(
                member.labels().visible().eq(lts.table().visible()),
                "{what}"
            );
            let mut steps = Vec::new();
            assert!(member.explore(&mut Stream(|s, l, t| {
                steps.push((s, l, t));
                ControlFlow::Continue(())
            })));
            assert!(lts.iter().eq(steps), "{what}");
            let least = member.states();
            assert!(family.stream(&values, Some(least)).is_ok());
            assert!(family.stream(&values, Some(least - 1)).is_err());
        }
    }
    assert!(streams > 1000, "{streams}");
}
