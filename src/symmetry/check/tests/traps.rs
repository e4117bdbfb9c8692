//! Specifications on which a decision might go wrong.

use hyades_formats::{LabelId, LtsBuilder, StateId};
use hyades_lts::tokens::TokenSyntax;

use std::collections::{BTreeSet, HashSet};

use super::*;
use crate::pattern::{Order, TemplateCopy, Transformation};
use crate::template::{EdgeNumbers, Template};

fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(1);
    for &(source, label, target) in transitions {
        builder.add_text(source, label.as_bytes(), target).unwrap();
    }
    builder.build(StateId::new(0)).unwrap()
}

/// One copy of the template for each value that becomes of `x`.
fn case(
    specification: &[(u32, &str, u32)],
    template: &[(u32, &str, u32)],
    values: &[&str],
) -> Case {
    let syntax = TokenSyntax::default();
    let copies = values.iter().map(|value| TemplateCopy {
        transformation: Transformation::new([(b"x"[..].into(), value.as_bytes().into())]).unwrap(),
        initial: 0,
    });
    let pattern = Pattern {
        template: Template::new(&lts(template), &syntax, EdgeNumbers::None).unwrap(),
        copies: copies.collect(),
        order: Order::default(),
        syntax,
    };
    let lts = lts(specification);
    let ranks = pattern.order.ranks(&lts, &pattern.syntax);
    Case {
        lts,
        pattern,
        ranks,
    }
}

fn verdict(case: &Case, condition: Condition) -> ConditionVerdict {
    let (report, kernel) = case.report(&CheckLimits::default());
    let naive = Naive::new(&case.lts, &case.pattern, &case.ranks);
    for (_, verdict) in report.iter() {
        if let ConditionVerdict::Violated(violation) = verdict {
            replay::check(&naive, kernel.as_ref(), violation);
        }
    }
    report.verdict(condition).clone()
}

fn words(case: &Case, trace: &[LabelId]) -> String {
    let table = case.lts.table();
    let texts = trace
        .iter()
        .map(|&l| String::from_utf8_lossy(table.text(l)).into_owned());
    texts.collect::<Vec<_>>().join(", ")
}

const REMEMBERS: [(u32, &str, u32); 4] = [(0, "a", 1), (0, "b", 2), (1, "c", 1), (2, "c", 2)];

#[test]
fn a_component_may_be_entered_with_several_vectors() {
    let case = case(&[(0, "a", 1), (0, "b", 1), (1, "c", 1)], &REMEMBERS, &["0"]);
    assert_eq!(
        verdict(&case, Condition::LoopPreserving),
        ConditionVerdict::Holds
    );
}

/// The second way in meets what the first one has visited.
#[test]
fn vectors_that_meet_later_have_changed() {
    let case = case(
        &[(0, "a", 1), (0, "b", 1), (1, "c", 2), (2, "c", 1)],
        &[(0, "a", 1), (0, "b", 2), (1, "c", 1), (2, "c", 1)],
        &["0"],
    );
    let ConditionVerdict::Violated(violation) = verdict(&case, Condition::LoopPreserving) else {
        panic!("holds");
    };
    let Violation::LoopPreserving {
        before,
        around,
        states,
        shortest,
        ..
    } = violation
    else {
        panic!("{violation:?}");
    };
    assert_eq!(words(&case, &before), "b");
    assert_eq!(words(&case, &around), "c, c");
    assert_eq!((states, shortest), ([2, 1], true));
}

/// The edge that a copy took last changes with a refused request; its state
/// does not.
#[test]
fn loops_keep_states_and_not_edges() {
    let chatbox = [
        (0, "JOIN x OK", 1),
        (1, "JOIN x REFUSED", 1),
        (1, "LEAVE x", 0),
    ];
    let specification = [
        (0, "JOIN 0 OK", 1),
        (1, "JOIN 0 REFUSED", 1),
        (1, "LEAVE 0", 0),
    ];
    let case = case(&specification, &chatbox, &["0"]);
    for condition in Condition::ALL {
        assert_eq!(
            verdict(&case, condition),
            ConditionVerdict::Holds,
            "{condition:?}"
        );
    }
}

/// Labels are actions of the specification only if transitions have them, be it
/// out of reach.
#[test]
fn the_alphabet_is_what_occurs() {
    let template = [(0, "a x", 0)];
    let mut some = case(&[(0, "a 0", 0)], &template, &["0", "1"]);
    assert_eq!(verdict(&some, Condition::Closed), ConditionVerdict::Holds);
    let mut parts = some.lts.into_parts();
    parts.table.intern(b"a 1").unwrap();
    some.lts = Lts::from_parts(parts);
    some.ranks.push(9);
    assert_eq!(verdict(&some, Condition::Closed), ConditionVerdict::Holds);
    let beyond = case(&[(0, "a 0", 0), (1, "a 1", 1)], &template, &["0", "1"]);
    assert!(matches!(
        verdict(&beyond, Condition::Closed),
        ConditionVerdict::Violated(_)
    ));
}

/// One copy twice is not one copy once: multisets, not sets.
#[test]
fn edges_are_counted() {
    let template = [(0, "a", 0), (0, "b x", 0)];
    let transitions = [(0, "b 0", 1), (0, "a", 0)];
    let twice = case(&transitions, &template, &["0", "1"]);
    let mut colours = Interned::default();
    let copies = twice.copies();
    let product = Product::new(&twice.lts, &copies, None);
    let reached = reach(&product, Limits::default(), &mut silent).unwrap();
    Graph::new(
        &copies,
        &reached.packed,
        reached.parts,
        reached.expanded,
        &mut colours,
    );
    let mut lengths: Vec<usize> = colours.iter().map(<[u32]>::len).collect();
    lengths.sort_unstable();
    assert_eq!(lengths, [1, 2]);
}

#[test]
fn equal_transitions_are_deterministic() {
    let template = [(0, "a x", 0)];
    let twice = case(&[(0, "a 0", 0), (0, "a 0", 0)], &template, &["0"]);
    assert_eq!(
        verdict(&twice, Condition::Deterministic),
        ConditionVerdict::Holds
    );
    assert_eq!(
        verdict(&twice, Condition::Symmetric),
        ConditionVerdict::Holds
    );
    let out_of_reach = [(0, "a 0", 0), (1, "a 0", 0), (1, "a 0", 1)];
    let case = case(&out_of_reach, &template, &["0"]);
    assert_eq!(
        verdict(&case, Condition::Deterministic),
        ConditionVerdict::Holds
    );
}

/// A kernel from elsewhere, whose sets of nodes have several elements.
#[test]
fn kernels_from_elsewhere() {
    let template = [(0, "a x", 0), (0, "b x", 0)];
    let specification = [(0, "a 0", 1), (0, "a 1", 2), (1, "a 0", 1), (2, "b 0", 2)];
    let case = case(&specification, &template, &["0", "1"]);
    let copies = case.copies();
    let ask = |other: &Lts| {
        let subject = Subject {
            specification: &case.lts,
            copies: &copies,
            kernel: None,
            other: Some(other),
        };
        let report = check(&subject, &CheckLimits::default(), &mut silent, &mut |_| {})?;
        Ok::<_, CheckError>(report.verdict(Condition::Adequate).clone())
    };
    assert_eq!(ask(&case.lts), Ok(ConditionVerdict::Holds));
    let Ok(ConditionVerdict::Violated(Violation::Adequate { trace, longest })) =
        ask(&lts(&[(0, "a 0", 1), (1, "a 0", 1)]))
    else {
        panic!("adequate");
    };
    assert_eq!(words(&case, &trace), "a 1, b 0");
    assert_eq!(words(&case, &longest), "a 0");
    let no_part = |transitions: &[_]| match ask(&lts(transitions)) {
        Err(CheckError::NoPart(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        no_part(&[(0, "c 0", 0)]),
        "the specification has no label `c 0`"
    );
    assert_eq!(
        no_part(&[(0, "a 0", 9)]),
        "it has 10 states, the specification has 3"
    );
}

/// The length of a shortest word of first letters of labels that one LTS has and another
/// has not, and how many pairs of a state and a set of states are looked at for it.
fn shortest(graph: &Lts, kernel: &Lts) -> (Option<usize>, usize) {
    let letter = |lts: &Lts, label: LabelId| lts.table().text(label)[0];
    let start = (graph.initial(), BTreeSet::from([kernel.initial()]));
    let mut known = HashSet::from([start.clone()]);
    let mut level = vec![start];
    for length in 1.. {
        let mut next = Vec::new();
        for (state, set) in &level {
            for (label, target) in graph.outgoing(*state) {
                let steps = set.iter().flat_map(|&s| kernel.outgoing(s));
                let same = steps.filter(|step| letter(kernel, step.0) == letter(graph, label));
                let targets: BTreeSet<StateId> = same.map(|step| step.1).collect();
                if targets.is_empty() {
                    return (Some(length), known.len());
                }
                if known.insert((target, targets.clone())) {
                    next.push((target, targets));
                }
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    (None, known.len())
}

/// What the subset construction without antichains says.
#[test]
fn adequacy_is_inclusion_of_languages() {
    const LABELS: [&str; 4] = ["a 0", "a 1", "b 0", "b 1"];
    // All states, and all labels, whether they are reached or not.
    let whole = LABELS.map(|label| (9, label, 9));
    let (mut violated, mut longer, mut fewer) = (0, 0, 0);
    for seed in 0..400 {
        let mut random = hyades_testing::Random::new(seed);
        let some = |states: usize, none: usize, random: &mut hyades_testing::Random| {
            let mut transitions = whole.to_vec();
            for state in 0..states as u32 {
                for letter in 0..2 {
                    if random.chance(none) {
                        continue;
                    }
                    for _ in 0..random.between(1, 2) {
                        let label = LABELS[2 * letter + random.between(0, 1)];
                        transitions.push((state, label, random.between(0, states - 1) as u32));
                    }
                }
            }
            transitions
        };
        let specification = some(4, 40, &mut random);
        let kernel = lts(&some(6, 20, &mut random));
        let template = [(0, "a x", 0), (0, "b x", 0)];
        let case = case(&specification, &template, &["0", "1"]);
        let (expected, pairs) = shortest(&case.lts, &kernel);
        let subject = Subject {
            specification: &case.lts,
            copies: &case.copies(),
            kernel: None,
            other: Some(&kernel),
        };
        let limits = CheckLimits::default();
        let report = check(&subject, &limits, &mut silent, &mut |_| {}).unwrap();
        match report.verdict(Condition::Adequate) {
            ConditionVerdict::Holds => {
                assert_eq!(expected, None, "seed {seed}");
                fewer += u32::from(report.figures.adequacy_pairs < pairs as u64);
            }
            ConditionVerdict::Violated(Violation::Adequate { trace, .. }) => {
                assert_eq!(expected, Some(trace.len()), "seed {seed}");
                violated += 1;
                longer += u32::from(trace.len() > 2);
            }
            other => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(
        violated > 50 && longer > 10 && fewer > 20,
        "{violated} {longer} {fewer}"
    );
}

/// A kernel of three states of which each colour leads to several: there are far more sets
/// of its nodes than ⊆-minimal ones.
#[test]
fn antichains_of_nodes_are_small() {
    let template = [
        (0, "1 a 0 0", 1),
        (0, "2 a 1 0", 1),
        (0, "3 a 1 1", 0),
        (0, "4 b", 1),
        (1, "5 a 0 0", 0),
        (1, "6 a 0 1", 0),
        (1, "7 a 1 0", 0),
        (1, "8 b", 0),
    ];
    let specification = [
        (0, "a !0 !0", 0),
        (0, "a !1 !0", 1),
        (0, "a !1 !2", 1),
        (0, "a !2 !1", 1),
        (0, "b", 0),
        (1, "a !0 !0", 1),
        (1, "a !0 !1", 2),
        (1, "a !0 !2", 0),
        (1, "a !1 !1", 2),
        (1, "a !2 !0", 2),
        (1, "a !2 !2", 1),
        (1, "b", 1),
        (2, "a !0 !1", 1),
        (2, "a !1 !0", 1),
        (2, "a !1 !1", 2),
        (2, "a !1 !2", 2),
        (2, "a !2 !0", 1),
        (2, "a !2 !1", 2),
        (2, "a !2 !2", 0),
        (2, "b", 1),
    ];
    let syntax = TokenSyntax::default();
    let values = [b"0", b"1", b"2"].map(|value| value[..].into());
    let copies = Transformation::permutations(&values).unwrap().into_iter();
    let pattern = Pattern {
        template: Template::new(&lts(&template), &syntax, EdgeNumbers::FirstTokens).unwrap(),
        copies: copies
            .map(|transformation| TemplateCopy {
                transformation,
                initial: 0,
            })
            .collect(),
        order: Order::default(),
        syntax,
    };
    let lts = lts(&specification);
    let ranks = pattern.order.ranks(&lts, &pattern.syntax);
    let case = Case {
        lts,
        pattern,
        ranks,
    };
    let limits = CheckLimits {
        pairs: 10_000,
        ..CheckLimits::default()
    };
    let (report, _) = case.report(&limits);
    assert_eq!(
        *report.verdict(Condition::Adequate),
        ConditionVerdict::Holds
    );
}

/// What is told meanwhile is what is said in the end, or nothing yet.
#[test]
fn verdicts_are_told_as_they_come() {
    let template = [(0, "a x", 0)];
    let case = case(&[(0, "a 0", 0), (0, "a 1", 1)], &template, &["0", "1"]);
    let copies = case.copies();
    let subject = Subject {
        specification: &case.lts,
        copies: &copies,
        kernel: None,
        other: None,
    };
    let mut told = Vec::new();
    let mut decided = |report: &Report| told.push(report.clone());
    let limits = CheckLimits::default();
    let report = check(&subject, &limits, &mut silent, &mut decided).unwrap();
    let unfinished = ConditionVerdict::Unknown(Reason::Unfinished);
    let mut known = 0;
    for before in &told {
        let is_known = |&(_, verdict): &(_, &ConditionVerdict)| *verdict != unfinished;
        let now = before.iter().filter(is_known).count();
        assert!(now > known);
        known = now;
        let mut both = before.iter().filter(is_known);
        assert!(both.all(|(condition, verdict)| report.verdict(condition) == verdict));
    }
    assert_eq!(known, 6);
}

/// The limit on memory holds for pairs: 8 bits and 8 bits later that are to be the same.
#[test]
fn pairs_take_no_more_memory_than_there_is() {
    let mut transitions = Vec::new();
    for level in 0..16 {
        let first = 1000 * level;
        for k in 0..1u32 << level.min(16 - level) {
            let ways = if level < 8 {
                [2 * k, 2 * k + 1]
            } else {
                [k / 2, k / 2]
            };
            for (label, target) in ["a 0", "a 1"].into_iter().zip(ways) {
                transitions.push((first + k, label, first + 1000 + target));
            }
        }
    }
    let template = [(0, "a x", 0), (0, "b x", 0)];
    transitions.extend([(16_000, "a 0", 16_001), (16_001, "b 0", 16_002)]);
    transitions.push((16_000, "a 1", 16_003));
    let wide = case(&transitions, &template, &["0", "1"]);
    for (memory, is_known) in [(None, true), (Some(1 << 20), false), (Some(1 << 26), true)] {
        let mut limits = CheckLimits::default();
        limits.nodes.max_memory = memory;
        let (report, _) = wide.report(&limits);
        assert_eq!(*report.verdict(Condition::Covered), ConditionVerdict::Holds);
        let verdict = report.verdict(Condition::Closed);
        match is_known {
            true => assert!(matches!(verdict, ConditionVerdict::Violated(_))),
            false => assert!(
                matches!(verdict, ConditionVerdict::Unknown(Reason::Pairs { .. })),
                "{verdict:?}"
            ),
        }
    }
}

#[test]
fn whoever_does_not_want_to_go_on_gets_no_verdict() {
    let transitions: Vec<(u32, &str, u32)> = (0..70_000).map(|k| (k, "a 0", k + 1)).collect();
    let case = case(&transitions, &[(0, "a x", 0)], &["0"]);
    let copies = case.copies();
    let subject = Subject {
        specification: &case.lts,
        copies: &copies,
        kernel: None,
        other: None,
    };
    let limits = CheckLimits::default();
    let report = check(
        &subject,
        &limits,
        &mut |_| ControlFlow::Break(()),
        &mut |_| {},
    )
    .unwrap();
    let stopped = ConditionVerdict::Unknown(Reason::Stopped);
    assert_eq!(*report.verdict(Condition::Covered), stopped);
}
