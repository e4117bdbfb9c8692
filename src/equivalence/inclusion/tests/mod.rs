//! Against the definitions, on models with known answers, and traps.

mod families;
mod replay;
mod traps;

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId};
use hyades_testing::naive::spectrum;
use hyades_testing::{ROOT, Random, check, mutated, random_pair, shuffled, union};
use serde_json::Value;

use super::*;
use crate::compare::Side;
use replay::Replay;

/// The name that a notion has in the models and oracles.
fn name(notion: LinearNotion) -> &'static str {
    match notion {
        LinearNotion::Trace => "trace",
        LinearNotion::CompletedTrace => "completed-trace",
        LinearNotion::Failures => "failures",
        LinearNotion::Revivals => "revivals",
        LinearNotion::Readiness => "readiness",
        LinearNotion::FailureTrace => "failure-trace",
        LinearNotion::ReadyTrace => "ready-trace",
        LinearNotion::ImpossibleFuturesStrong => "impossible-futures-strong",
        LinearNotion::PossibleFutures => "possible-futures",
        LinearNotion::WeakTrace => "weaktrace",
        LinearNotion::WeakFailures => "weak-failures",
        LinearNotion::FailuresDivergence => "failures-divergence",
        LinearNotion::ImpossibleFutures => "impossible-futures",
    }
}

const UNLIMITED: Limit = Limit {
    pairs: usize::MAX,
    bytes: usize::MAX,
    comparisons: usize::MAX,
};

/// The reason why `p` is not below `q`, if it is not.
fn reason(lts: &Lts, p: StateId, q: StateId, notion: LinearNotion) -> Option<Reason> {
    let [early, never] =
        [0, usize::MAX].map(
            |large| match decide(lts, [p, q], notion, UNLIMITED, large) {
                Verdict::Below => None,
                Verdict::Not(reason) => Some(*reason),
                Verdict::Unknown => panic!("there is no limit"),
            },
        );
    assert_eq!(early, never, "simulations make no difference");
    early
}

/// Checks what bisimulation up to congruence finds of the traces of two states.
fn judge_included(
    lts: &Lts,
    p: StateId,
    q: StateId,
    notion: LinearNotion,
    expected: Option<usize>,
) -> Result<(), String> {
    let Some(hidden) = notion.of_traces() else {
        return Ok(());
    };
    let found = included(lts, p, q, hidden, UNLIMITED);
    let is_right = match (&found, expected) {
        (Verdict::Below, None) => true,
        (Verdict::Not(reason), Some(length)) => {
            let replay = Replay::new(lts, reason);
            reason.steps.len() == length && replay.shows(p) && !replay.shows(q)
        }
        _ => false,
    };
    match is_right {
        true => Ok(()),
        false => Err(format!(
            "{notion:?} of {p} in {q}: {found:?} for {expected:?}"
        )),
    }
}

/// Checks the verdict on two states, and that the reason, if there is one, is a shortest
/// one, tells the states apart and has nothing to spare, and that its formula does so too.
fn judge(lts: &Lts, p: StateId, q: StateId, notion: LinearNotion) -> Result<Option<usize>, String> {
    let found = reason(lts, p, q, notion);
    let expected = spectrum::least_length(name(notion), lts, p, q).unwrap();
    let length = found.as_ref().map(|reason| reason.steps.len());
    judge_included(lts, p, q, notion, expected)?;
    let about = |what: &str| {
        let formula = found.as_ref().map(|r| r.formula(lts.table()).unwrap());
        let formula = formula.map_or_else(String::new, |f| f.to_string());
        format!(
            "{} of {p} and {q}: {what}: {found:?}, {formula}",
            name(notion)
        )
    };
    if length != expected {
        return Err(about(&format!("expected {expected:?}")));
    }
    let Some(reason) = &found else {
        return Ok(None);
    };
    if !Replay::new(lts, reason).shows(p) {
        return Err(about("not shown by the first"));
    }
    if Replay::new(lts, reason).shows(q) {
        return Err(about("shown by the second"));
    }
    if let Some(less) = replay::weaker(reason)
        .iter()
        .find(|less| !Replay::new(lts, less).shows(q))
    {
        return Err(about(&format!("{less:?} is enough")));
    }
    if reason.skips_hidden != notion.is_weak() {
        return Err(about("wrong kind"));
    }
    if notion == LinearNotion::FailuresDivergence && replay::diverges_on_the_way(lts, q, reason) {
        return Err(about("the second diverges before"));
    }
    let formula = reason.formula(lts.table()).unwrap();
    if !formula.holds(lts, p) || formula.holds(lts, q) {
        return Err(about("wrong formula"));
    }
    let path = reason.to_path(lts.table()).unwrap();
    let loops = usize::from(matches!(reason.end, End::Divergence));
    assert_eq!(path.transitions(), length.unwrap_or(0) + loops);
    Ok(length)
}

/// Checks the verdict on the equality of traces.
fn judge_equality(lts: &Lts, p: StateId, q: StateId, hidden: HiddenSteps) -> Result<(), String> {
    let notion = match hidden {
        HiddenSteps::Counted => "trace",
        HiddenSteps::Skipped => "weaktrace",
    };
    let lengths = [(p, q), (q, p)].map(|(p, q)| spectrum::least_length(notion, lts, p, q).unwrap());
    let least = lengths.into_iter().flatten().min();
    let found = equivalent(lts, p, q, hidden, UNLIMITED);
    let (side, reason) = match &found {
        Equality::Equal if least.is_none() => return Ok(()),
        Equality::Different(side, reason) if Some(reason.steps.len()) == least => (side, reason),
        _ => return Err(format!("{notion} of {p} and {q}: {found:?} for {least:?}")),
    };
    let replay = Replay::new(lts, reason);
    let shown = (replay.shows(p), Replay::new(lts, reason).shows(q));
    if shown != (*side == Side::First, *side == Side::Second) {
        return Err(format!("{notion} of {p} and {q}: wrong side: {found:?}"));
    }
    Ok(())
}

#[test]
fn random_pairs_are_judged_as_defined() {
    let mut not = [0; LinearNotion::ALL.len()];
    for seed in 0..1000 {
        let (a, b) = random_pair(&mut Random::new(seed));
        let (lts, p, q) = union(&a, &b);
        for (p, q) in [(p, q), (q, p)] {
            for (k, notion) in LinearNotion::ALL.into_iter().enumerate() {
                let found = judge(&lts, p, q, notion);
                let found = found.unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                not[k] += usize::from(found.is_some());
            }
            for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
                judge_equality(&lts, p, q, hidden).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            }
        }
    }
    // Both verdicts occur often.
    assert!(not.iter().all(|&k| (200..1800).contains(&k)), "{not:?}");
}

#[test]
fn systems_of_all_shapes_are_judged_as_defined() {
    check(25, 9, |lts, random| {
        let other = match random.chance(70) {
            true => mutated(&shuffled(lts, random), random),
            false => shuffled(lts, random),
        };
        let (lts, p, q) = union(lts, &other);
        let reached = 2 * lts.states();
        if reached > 60 {
            return Ok(());
        }
        for (p, q) in [(p, q), (q, p)] {
            for notion in LinearNotion::ALL {
                judge(&lts, p, q, notion)?;
            }
            for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
                judge_equality(&lts, p, q, hidden)?;
            }
        }
        Ok(())
    });
}

/// A file of the models.
fn model(file: &str) -> Lts {
    let path = format!("{ROOT}/testdata/spectrum/{file}");
    Lts::read(std::path::Path::new(&path)).unwrap()
}

fn expected() -> Value {
    let text = std::fs::read_to_string(format!("{ROOT}/testdata/spectrum/expected.json"));
    serde_json::from_str(&text.unwrap()).unwrap()
}

#[test]
fn models_have_their_verdicts_and_lengths() {
    let mut judged = 0;
    for pair in expected()["pairs"].as_array().unwrap() {
        let [a, b] = ["a", "b"].map(|side| model(pair[side].as_str().unwrap()));
        let (lts, p, q) = union(&a, &b);
        for notion in LinearNotion::ALL {
            let notion_name = name(notion);
            let verdicts = &pair["verdicts"][notion_name];
            let lengths = &pair["least_reasons"][format!("{notion_name}_length")];
            for (k, (p, q)) in [(p, q), (q, p)].into_iter().enumerate() {
                let about = format!("{} of {}, {k}", notion_name, pair["name"]);
                let length = judge(&lts, p, q, notion).unwrap_or_else(|e| panic!("{about}: {e}"));
                assert_eq!(verdicts[k].as_bool(), Some(length.is_none()), "{about}");
                if !lengths.is_null() {
                    assert_eq!(lengths[k].as_u64(), length.map(|l| l as u64), "{about}");
                    judged += 1;
                }
            }
        }
        for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
            judge_equality(&lts, p, q, hidden).unwrap();
        }
    }
    assert_eq!(judged, 67 * 2 * 5);
}

#[test]
fn models_have_their_deterministic_quotients() {
    for size in expected()["sizes"].as_array().unwrap() {
        let lts = model(size["file"].as_str().unwrap());
        for (notion, hidden) in [
            ("trace", HiddenSteps::Counted),
            ("weaktrace", HiddenSteps::Skipped),
        ] {
            let quotient = determinized_quotient(&lts, hidden, 1 << 20).unwrap();
            let expected = &size["quotients"][notion];
            let expected = [0, 1].map(|k| expected[k].as_u64().unwrap() as usize);
            let about = format!("{notion} of {}", size["file"]);
            assert_eq!(
                [quotient.states(), quotient.transitions()],
                expected,
                "{about}"
            );
            let before = determinize(&lts, hidden, None, 1 << 20).unwrap().states() as u64;
            let error = determinize(&lts, hidden, None, before - 1).unwrap_err();
            assert_eq!((error.what, error.limit), ("states", before - 1), "{about}");
            assert!(determinize(&lts, hidden, None, before).is_ok());
        }
    }
}

#[test]
fn deterministic_quotients_have_the_traces_and_are_canonical() {
    check(30, 8, |lts, random| {
        for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
            let (notion, name) = match hidden {
                HiddenSteps::Counted => (LinearNotion::Trace, "trace"),
                HiddenSteps::Skipped => (LinearNotion::WeakTrace, "weaktrace"),
            };
            let quotient = determinized_quotient(lts, hidden, 1 << 16).unwrap();
            let mut steps: Vec<_> = quotient.iter().map(|(s, l, _)| (s, l)).collect();
            steps.sort_unstable();
            if steps.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(format!("{name}: two steps with one label"));
            }
            if hidden == HiddenSteps::Skipped && steps.iter().any(|(_, l)| l.is_hidden()) {
                return Err(format!("{name}: a hidden step"));
            }
            let (both, p, q) = union(lts, &quotient);
            for (p, q) in [(p, q), (q, p)] {
                if reason(&both, p, q, notion).is_some() {
                    return Err(format!("{name}: other traces"));
                }
            }
            let expected = spectrum::quotient_size(name, lts, &|_| false);
            if expected.is_some_and(|e| e != (quotient.states(), quotient.transitions())) {
                return Err(format!("{name}: {expected:?}"));
            }
            let again = determinized_quotient(&shuffled(lts, random), hidden, 1 << 16).unwrap();
            if !hyades_testing::same(&quotient, &again) {
                return Err(format!("{name}: not canonical"));
            }
        }
        Ok(())
    });
}

/// Acceptance is no step: a word is accepted if one of its runs is.
#[test]
fn languages_of_automata() {
    let mut counts = [0, 0];
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let n = random.between(1, 5);
        let mut table = LabelTable::new();
        let mut label = |text: &[u8]| table.intern(text).unwrap();
        let letters = [label(b"a"), label(b"b")];
        let accepting = label(b"accepting");
        let mut builder = LtsBuilder::with_table(n as u64, table);
        for state in (0..n).map(StateId::from_index) {
            if random.chance(30) {
                builder.add(state, accepting, state);
            }
            for _ in 0..random.between(0, 3) {
                let target = StateId::from_index(random.between(0, n - 1));
                builder.add(state, letters[random.between(0, 1)], target);
            }
        }
        let lts = builder.build(StateId::new(0)).unwrap();
        let all = determinize(&lts, HiddenSteps::Counted, Some(accepting), 1 << 16).unwrap();
        assert!(is_deterministic(&all));
        let accepts = |lts: &Lts, word: &[LabelId]| {
            let mut states = vec![lts.initial()];
            for &letter in word.iter().chain([&accepting]) {
                let after = states.iter().flat_map(|&state| lts.outgoing(state));
                let after = after.filter(|&(label, _)| label == letter);
                states = after.map(|(_, target)| target).collect();
            }
            !states.is_empty()
        };
        let words = (0..6).flat_map(|len| (0..1 << len).map(move |bits: usize| (len, bits)));
        for (len, bits) in words {
            let word: Vec<LabelId> = (0..len).map(|k| letters[bits >> k & 1]).collect();
            let expected = accepts(&lts, &word);
            assert_eq!(accepts(&all, &word), expected, "{lts:?} {word:?}");
            counts[usize::from(expected)] += 1;
        }
    }
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}

fn is_deterministic(lts: &Lts) -> bool {
    let mut steps: Vec<_> = lts.iter().map(|(s, l, _)| (s, l)).collect();
    steps.sort_unstable();
    steps.windows(2).all(|pair| pair[0] != pair[1])
}

#[test]
fn limits_leave_the_answer_open() {
    let (lts, p, q) = families::last_letter_pair(8);
    for notion in LinearNotion::ALL {
        let few = Limit {
            pairs: 2,
            ..UNLIMITED
        };
        let found = below(&lts, p, q, notion, few);
        assert!(matches!(found, Verdict::Unknown), "{notion:?}: {found:?}");
        let small = Limit {
            bytes: 100,
            ..UNLIMITED
        };
        let found = below(&lts, p, q, notion, small);
        assert!(matches!(found, Verdict::Unknown), "{notion:?}: {found:?}");
    }
    for hidden in [HiddenSteps::Counted, HiddenSteps::Skipped] {
        let few = Limit {
            pairs: 2,
            ..UNLIMITED
        };
        assert!(matches!(
            equivalent(&lts, p, q, hidden, few),
            Equality::Unknown
        ));
        let found = included(&lts, p, q, hidden, few);
        assert!(matches!(found, Verdict::Unknown), "{hidden:?}: {found:?}");
    }
}

/// Ties are broken by the order of labels, not by their numbers or those of states.
#[test]
fn reasons_do_not_depend_on_numbers() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let (a, b) = random_pair(&mut random);
        let texts = |a: &Lts, b: &Lts, notion| {
            let (lts, p, q) = union(a, b);
            let found = reason(&lts, p, q, notion)?;
            let text = |l| lts.table().text(l).to_vec();
            Some(found.labels().map(text).collect::<Vec<_>>())
        };
        let (c, d) = (shuffled(&a, &mut random), shuffled(&b, &mut random));
        for notion in [LinearNotion::Trace, LinearNotion::WeakTrace] {
            let first = texts(&a, &b, notion);
            assert_eq!(first, texts(&c, &d, notion), "seed {seed}");
        }
    }
}
