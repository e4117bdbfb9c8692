//! All verdicts against those by the definitions.

mod models;
mod oracle;
mod random;
mod replay;
mod traps;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hyades_explore::Progress;
use hyades_formats::Lts;
use hyades_testing::Random;

use super::parts::merged;
use super::*;
use crate::kernel::{KernelNumbers, kernel};
use crate::pattern::Pattern;
use crate::tests::naive::Naive;
use crate::tests::random::ranks;
use oracle::Lengths;

fn silent(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A specification with its pattern and the order of its labels.
struct Case {
    lts: Lts,
    pattern: Pattern,
    ranks: Vec<u32>,
}

impl Case {
    fn random(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let pattern = random::pattern(&mut random);
        let lts = random::specification(&pattern, &mut random);
        let ranks = ranks(&lts, &mut random);
        Self {
            lts,
            pattern,
            ranks,
        }
    }

    fn copies(&self) -> Instances {
        Instances::new(&self.pattern, &self.lts).expect("different values stay different")
    }

    /// The report, and the kernel with the specification's labels.
    fn report(&self, limits: &CheckLimits) -> (Report, Option<Lts>) {
        let copies = self.copies();
        let found = KernelNumbers::Found;
        let kernel = kernel(&self.lts, &copies, &self.ranks, found, &mut silent).ok();
        let subject = Subject {
            specification: &self.lts,
            copies: &copies,
            kernel: kernel.as_ref(),
            other: None,
        };
        let report = check(&subject, limits, &mut silent, &mut |_| {}).expect("few nodes");
        let part = kernel.map(|kernel| merged(&kernel, &self.lts, &copies).expect("few states"));
        (report, part)
    }
}

/// So long are the words that the oracle looks at.
fn bound(naive: &Naive<'_>) -> usize {
    match naive.alphabet.len() {
        0..=2 => 6,
        3 => 5,
        4 => 4,
        _ => 3,
    }
}

/// What a verdict on something says of its shortest violation.
fn agrees(verdict: &ConditionVerdict, shortest: Option<usize>, bound: usize) -> bool {
    match verdict {
        ConditionVerdict::Holds => shortest.is_none(),
        ConditionVerdict::Violated(violation) => {
            let length = replay::length(violation);
            shortest == (length <= bound).then_some(length)
        }
        ConditionVerdict::Unknown(_) => false,
    }
}

fn compare(case: &Case, seen: &mut BTreeMap<String, u32>) {
    let (report, kernel) = case.report(&CheckLimits::default());
    let naive = Naive::new(&case.lts, &case.pattern, &case.ranks);
    let bound = bound(&naive);
    let lengths = oracle::lengths(&naive, kernel.as_ref(), bound);
    let mut expect = |condition: Condition, shortest: Option<usize>| {
        let verdict = report.verdict(condition);
        assert!(
            agrees(verdict, shortest, bound),
            "{}: {verdict:?}, expected {shortest:?}",
            condition.name()
        );
        let kind = match verdict {
            ConditionVerdict::Violated(Violation::Symmetric(asymmetry)) => {
                let kind = format!("{asymmetry:?}");
                kind.split(' ').next().expect("a word").to_owned()
            }
            ConditionVerdict::Violated(_) => "violated".into(),
            _ => "holds".into(),
        };
        *seen
            .entry(format!("{} {kind}", condition.name()))
            .or_default() += 1;
    };
    let Lengths {
        deterministic,
        covered,
        loop_preserving,
        persistent,
        closed,
        adequate,
        prefix_closed,
        loop_respecting,
    } = lengths;
    expect(Condition::Deterministic, deterministic);
    expect(Condition::Covered, covered);
    let unknown = |condition, reason| {
        assert_eq!(
            *report.verdict(condition),
            ConditionVerdict::Unknown(reason)
        );
    };
    let is_covered = matches!(report.verdict(Condition::Covered), ConditionVerdict::Holds);
    let is_deterministic = matches!(
        report.verdict(Condition::Deterministic),
        ConditionVerdict::Holds
    );
    if !is_covered {
        for condition in &Condition::ALL[2..] {
            unknown(*condition, Reason::Uncovered);
        }
    } else {
        expect(Condition::LoopPreserving, loop_preserving);
        expect(Condition::Adequate, adequate);
    }
    if is_covered && !is_deterministic {
        unknown(Condition::Persistent, Reason::Nondeterministic);
        unknown(Condition::Closed, Reason::Nondeterministic);
        unknown(Condition::Symmetric, Reason::Nondeterministic);
    } else if is_covered {
        expect(Condition::Persistent, persistent);
        expect(Condition::Closed, closed);
        let shortest = match report.verdict(Condition::Symmetric) {
            ConditionVerdict::Violated(Violation::Symmetric(Asymmetry::NotClosed { .. })) => closed,
            ConditionVerdict::Violated(Violation::Symmetric(Asymmetry::NotPrefixClosed {
                ..
            })) => prefix_closed,
            _ => closed.or(prefix_closed).or(loop_respecting),
        };
        expect(Condition::Symmetric, shortest);
        // Theorem 6.13.
        let holds = |condition| *report.verdict(condition) == ConditionVerdict::Holds;
        if Condition::ALL[..5].iter().copied().all(holds) {
            assert!(holds(Condition::Adequate) && holds(Condition::Symmetric));
        }
    }
    for (_, verdict) in report.iter() {
        if let ConditionVerdict::Violated(violation) = verdict {
            replay::check(&naive, kernel.as_ref(), violation);
        }
    }
}

/// Less is known with limits, and nothing else.
fn compare_limited(case: &Case, all: &Report, kernel: Option<&Lts>, limits: &CheckLimits) {
    let (report, _) = case.report(limits);
    let naive = Naive::new(&case.lts, &case.pattern, &case.ranks);
    for (condition, verdict) in report.iter() {
        match (verdict, all.verdict(condition)) {
            (ConditionVerdict::Holds, ConditionVerdict::Holds)
            | (ConditionVerdict::Unknown(_), _) => {}
            (ConditionVerdict::Violated(found), ConditionVerdict::Violated(shortest)) => {
                replay::check(&naive, kernel, found);
                let claims = !matches!(
                    found,
                    Violation::LoopPreserving {
                        shortest: false,
                        ..
                    }
                );
                // Another reason may be found why it is no symmetry.
                if claims && condition != Condition::Symmetric {
                    assert_eq!(replay::length(found), replay::length(shortest));
                }
            }
            // Of what is covered this is a violation, whatever else is not.
            (ConditionVerdict::Violated(found), ConditionVerdict::Unknown(Reason::Uncovered)) => {
                replay::check(&naive, kernel, found);
            }
            (found, known) => panic!("{}: {found:?}, not {known:?}", condition.name()),
        }
    }
}

#[test]
fn limits_make_no_difference_but_that_less_is_known() {
    let mut longer = 0;
    for seed in 0..500 {
        let case = Case::random(seed);
        let (all, kernel) = case.report(&CheckLimits::default());
        for most in [1, 2, 4, 9] {
            let mut limits = CheckLimits::default();
            limits.nodes.max_states = Some(most);
            compare_limited(&case, &all, kernel.as_ref(), &limits);
            let limits = CheckLimits {
                pairs: most,
                ..CheckLimits::default()
            };
            compare_limited(&case, &all, kernel.as_ref(), &limits);
            let (report, _) = case.report(&limits);
            let is_shortest = match report.verdict(Condition::LoopPreserving) {
                ConditionVerdict::Violated(Violation::LoopPreserving { shortest, .. }) => *shortest,
                _ => true,
            };
            longer += u32::from(!is_shortest);
        }
    }
    assert!(longer > 5, "{longer}");
}

/// Verdicts, lengths of shortest violations, and what shows them.
#[test]
fn verdicts_are_those_of_the_definitions() {
    let mut seen = BTreeMap::new();
    for seed in 0..500 {
        let case = Case::random(seed);
        let run = AssertUnwindSafe(|| compare(&case, &mut seen));
        if catch_unwind(run).is_err() {
            let shown = random::shown(&case.lts, &case.pattern, &case.ranks);
            panic!("seed {seed}\n{shown}");
        }
    }
    for condition in Condition::ALL {
        let name = condition.name();
        assert!(seen[&format!("{name} holds")] > 20, "{name}: {seen:?}");
    }
    for kind in [
        "deterministic violated",
        "covered violated",
        "loop_preserving violated",
        "persistent violated",
        "closed violated",
        "adequate violated",
        "symmetric NotClosed",
        "symmetric NotPrefixClosed",
        "symmetric NotLoopRespecting",
    ] {
        assert!(
            seen.get(kind).is_some_and(|&count| count > 5),
            "{kind}: {seen:?}"
        );
    }
}
