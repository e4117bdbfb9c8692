//! What is known of the models of report SEN-R9918.

use std::path::PathBuf;

use hyades_explore::Limits;
use hyades_formats::{ReadOptions, Source, read_lts};
use hyades_generate::family;

use super::*;
use crate::pattern::PatternFile;

fn model(name: &str, n: u64) -> Case {
    let family = family(name).expect("there is such a family");
    let lts = family.generate(&[n], Limits::default()).expect("it fits");
    let folder: PathBuf = [hyades_testing::ROOT, "testdata", "kernel"]
        .iter()
        .collect();
    let file = folder.join(format!("{name}{n}.pattern.toml"));
    let file = PatternFile::from_text(&std::fs::read_to_string(file).unwrap()).unwrap();
    let template = Source::open(&folder.join(file.template()), None).unwrap();
    let template = read_lts(template, &ReadOptions::default(), &mut |_| ()).unwrap();
    let pattern = file.pattern(&template).unwrap();
    let ranks = pattern.order.ranks(&lts, &pattern.syntax);
    Case {
        lts,
        pattern,
        ranks,
    }
}

/// The lengths of the shortest violations of `persistent`, `closed` and
/// `adequate`; all that is violated is checked by the definitions.
fn figures(case: &Case, report: &Report, kernel: &Lts) -> [Option<usize>; 3] {
    let naive = Naive::new(&case.lts, &case.pattern, &case.ranks);
    for (_, verdict) in report.iter() {
        if let ConditionVerdict::Violated(violation) = verdict {
            replay::check(&naive, Some(kernel), violation);
        }
    }
    for condition in &Condition::ALL[..3] {
        assert_eq!(*report.verdict(*condition), ConditionVerdict::Holds);
    }
    // None of them is closed.
    let ConditionVerdict::Violated(Violation::Closed { trace, other }) =
        report.verdict(Condition::Closed)
    else {
        panic!("closed");
    };
    let (trace, other) = (trace.clone(), other.clone());
    let asymmetry = Violation::Symmetric(Asymmetry::NotClosed { trace, other });
    let symmetric = report.verdict(Condition::Symmetric);
    assert_eq!(*symmetric, ConditionVerdict::Violated(asymmetry));
    [
        Condition::Persistent,
        Condition::Closed,
        Condition::Adequate,
    ]
    .map(|condition| match report.verdict(condition) {
        ConditionVerdict::Holds => None,
        ConditionVerdict::Violated(violation) => Some(replay::length(violation)),
        ConditionVerdict::Unknown(reason) => panic!("{}: {reason}", condition.name()),
    })
}

fn checked(name: &str, n: u64) -> ([Option<usize>; 3], Figures) {
    let case = model(name, n);
    let (report, kernel) = case.report(&CheckLimits::default());
    let kernel = kernel.expect("it is covered");
    (figures(&case, &report, &kernel), report.figures)
}

#[test]
fn chatboxes() {
    for n in [2, 3] {
        let ([persistent, _, adequate], figures) = checked("chatbox", n);
        assert_eq!((persistent, adequate), (None, None), "{n}");
        if n == 3 {
            assert_eq!((figures.nodes, figures.adequacy_pairs), (512, 2258));
        }
    }
    let ([persistent, _, adequate], _) = checked("chatbox", 4);
    assert!(persistent.is_some() && adequate.is_some());
}

#[test]
fn chatboxes_without_joining() {
    let ([persistent, ..], _) = checked("chatbox-fixed", 3);
    assert_eq!(persistent, None);
    let ([persistent, _, adequate], _) = checked("chatbox-fixed", 4);
    assert_eq!(persistent, Some(3));
    assert!(adequate.is_some());
}

#[test]
fn trains() {
    for (n, lengths) in [(3, [2, 3]), (4, [2, 2]), (5, [2, 2])] {
        let ([persistent, closed, adequate], figures) = checked("train", n);
        assert_eq!([persistent, closed], lengths.map(Some), "{n}");
        assert!(adequate.is_some());
        // The copies follow the specification.
        assert_eq!(figures.nodes, 5 * n * (1 << (2 * n)) / 2 + 5);
    }
    for n in [4, 5] {
        let ([persistent, closed, adequate], _) = checked("train-mealy", n);
        assert_eq!([persistent, closed], [Some(4); 2], "{n}");
        assert!(adequate.is_some());
    }
}

/// Where no pair of nodes is looked at, the trains seem closed.
#[test]
fn no_train_is_open_at_one_node() {
    let case = model("train", 4);
    let copies = case.copies();
    let product = Product::new(&case.lts, &copies, None);
    let reached = reach(&product, Limits::default(), &mut silent).unwrap();
    let mut colours = Interned::default();
    let (packed, parts) = (&reached.packed, reached.parts);
    let graph = Graph::new(&copies, packed, parts, reached.expanded, &mut colours);
    let alphabet = Alphabet::new(&case.lts, &copies, &colours);
    assert_eq!(alphabet.first_refused(&graph), None);
    assert!(!determinacy::is_determinate(&graph));
}

/// Verdicts do not change with limits; they only become unknown.
#[test]
fn limits_are_told() {
    let case = model("chatbox", 3);
    let (all, _) = case.report(&CheckLimits::default());
    for pairs in [0, 1, 2, 10, 100, 1000, 2257, 2258, 1 << 20] {
        let limits = CheckLimits {
            pairs,
            ..CheckLimits::default()
        };
        let (report, _) = case.report(&limits);
        for (condition, verdict) in report.iter() {
            match verdict {
                ConditionVerdict::Unknown(Reason::Pairs { pairs: found, .. }) => {
                    assert_eq!(*found, pairs);
                    assert!(condition >= Condition::Persistent);
                }
                verdict => assert_eq!(verdict, all.verdict(condition)),
            }
        }
        let adequate = report.verdict(Condition::Adequate);
        assert_eq!(
            *adequate == ConditionVerdict::Holds,
            pairs >= 2258,
            "{pairs}"
        );
    }
    let mut unknown = 0;
    for nodes in [1, 2, 10, 100, 511, 512] {
        let limits = CheckLimits {
            nodes: Limits {
                max_states: Some(nodes),
                ..Limits::default()
            },
            ..CheckLimits::default()
        };
        let (report, _) = case.report(&limits);
        for (condition, verdict) in report.iter() {
            if let ConditionVerdict::Unknown(Reason::Nodes(found)) = verdict {
                unknown += 1;
                assert_eq!(*found, nodes);
            } else {
                assert_eq!(verdict, all.verdict(condition));
            }
        }
        let covered = report.verdict(Condition::Covered);
        assert_eq!(*covered == ConditionVerdict::Holds, nodes == 512);
    }
    assert!(unknown > 10);
}

#[test]
fn threads_make_no_difference() {
    let case = model("train", 5);
    let reports = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let report = pool
            .expect("threads")
            .install(|| case.report(&CheckLimits::default()));
        report.0
    });
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
}
