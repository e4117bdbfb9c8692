//! Chains against dense linear algebra, and against formulas.

mod formulas;
mod naive;

use std::fmt::Write as _;

use hyades_formats::{Lts, StateId};
use hyades_testing::{Random, from_aut};

use super::solve::Ways;
use super::steady::solved;
use super::{Chain, ChainError, Settings, SolveError, steady, transient};
use naive::Naive;

/// Iteration alone.
const ITERATION: Ways = Ways {
    direct: 1,
    looked_at: 0,
};

/// Elimination for large components alone.
const SPARSE: Ways = Ways {
    direct: 1,
    looked_at: u64::MAX,
};

/// An LTS from transitions.
fn lts(states: usize, transitions: &[(usize, String, usize)]) -> Lts {
    let mut text = format!("des (0, {}, {states})\n", transitions.len());
    for (source, label, target) in transitions {
        writeln!(text, "({source}, {label:?}, {target})").unwrap();
    }
    from_aut(&text.replace("\"i\"", "i"))
}

fn chain(states: usize, transitions: &[(usize, &str, usize)]) -> Result<Chain, ChainError> {
    let own = |&(s, label, t): &(usize, &str, usize)| (s, label.to_owned(), t);
    Chain::new(&lts(
        states,
        &transitions.iter().map(own).collect::<Vec<_>>(),
    ))
}

fn near(found: &[f64], expected: &[f64], error: f64) -> Result<(), String> {
    let is_near = |(a, b): (&f64, &f64)| (a - b).abs() <= error;
    match found.len() == expected.len() && found.iter().zip(expected).all(is_near) {
        true => Ok(()),
        false => Err(format!("{found:?} is not {expected:?}")),
    }
}

/// A random system of tangible and vanishing states, with labels, self-loops, duplicates,
/// deadlocks, cycles of vanishing states and parts that are never left.
fn random_system(random: &mut Random) -> (usize, Vec<(usize, String, usize)>) {
    let n = random.between(1, 7);
    let vanishing = random.between(0, 60);
    let sparse = random.chance(50);
    let mut transitions = Vec::new();
    for s in 0..n {
        let target = |random: &mut Random| match random.chance(30) {
            true => s,
            false => random.between(0, n - 1),
        };
        let kind = match random.chance(vanishing) {
            true if random.chance(20) => {
                let t = target(random);
                transitions.push((s, "i".to_owned(), t));
                continue;
            }
            true => "prob",
            false => "rate",
        };
        let most = if sparse { 2 } else { 4 };
        for _ in 0..random.between(0, most) {
            let number = random.between(1, 10) as f64 / 10.0;
            let number = if kind == "rate" { 4.0 * number } else { number };
            let label = match random.between(0, 3) {
                0 => format!("A; {kind} {number}"),
                1 => format!("B !1; {kind} {number}"),
                _ => format!("{kind} {number}"),
            };
            let t = target(random);
            transitions.push((s, label, t));
            if random.chance(10) {
                transitions.push((s, "rate 3".to_owned(), target(random)));
            }
        }
    }
    (n, transitions)
}

fn on_random_systems(
    count: u64,
    property: impl Fn(&Chain, &Naive, &mut Random) -> Result<(), String>,
) {
    let mut chains = 0;
    for seed in 0..count {
        let mut random = Random::new(seed);
        let (n, transitions) = random_system(&mut random);
        let system = lts(n, &transitions);
        let naive = Naive::new(n, &transitions);
        let result = match (Chain::new(&system), &naive) {
            (Err(ChainError::Timeless { state }), Err(states)) => {
                match states.contains(&state.index()) {
                    true => Ok(()),
                    false => Err(format!("{state} is not one of {states:?}")),
                }
            }
            (Ok(chain), Ok(naive)) => {
                chains += 1;
                property(&chain, naive, &mut random)
            }
            (found, _) => Err(format!("{:?}", found.map(|_| "a chain"))),
        };
        if let Err(why) = result {
            panic!("seed {seed}: {transitions:?}: {why}");
        }
    }
    assert!(chains > count / 2, "{chains} of {count} are chains");
}

/// The probabilities of all states of the LTS.
fn of_all(chain: &Chain, probabilities: &[f64], states: usize) -> Vec<f64> {
    let mut all = vec![0.0; states];
    for (state, p) in chain.states().iter().zip(probabilities) {
        all[state.index()] = *p;
    }
    all
}

#[test]
fn long_runs_are_those_of_dense_matrices() {
    on_random_systems(3000, |chain, naive, _| {
        let expected = naive.long_run();
        // By elimination, by iteration, and by elimination where it is cheapest.
        for ways in [Ways::default(), ITERATION, SPARSE] {
            let found = solved(chain, &Settings::default(), ways, &mut |_| {});
            let found = found.map_err(|e| e.to_string())?;
            let all = of_all(chain, &found.probabilities, naive.states);
            near(&all, &expected, 1e-8)?;
            let mass: f64 = found.bottoms.iter().map(|(_, p)| p).sum();
            near(&[mass], &[1.0], 1e-12)?;
            let names: Vec<&[u8]> = chain.labels().iter().map(|name| &name[..]).collect();
            let throughputs = chain.throughputs(&found.probabilities);
            near(&throughputs, &naive.throughputs(&expected, &names), 1e-7)?;
        }
        Ok(())
    });
}

#[test]
fn instants_are_those_of_matrix_exponentials() {
    on_random_systems(2000, |chain, naive, random| {
        let instants = [
            0.001,
            0.7,
            random.between(1, 300) as f64 / 10.0,
            0.7,
            1000.0,
        ];
        let settings = Settings {
            epsilon: [1e-3, 1e-6, 1e-10][random.between(0, 2)],
        };
        let found = transient(chain, &instants, &settings, &mut |_| {});
        let found = found.map_err(|e| e.to_string())?;
        for (instant, distribution) in instants.iter().zip(&found.distributions) {
            let all = of_all(chain, distribution, naive.states);
            let expected = naive.at(*instant);
            let error: f64 = all.iter().zip(&expected).map(|(a, b)| (a - b).abs()).sum();
            if error > settings.epsilon + 1e-11 {
                return Err(format!("at {instant}: {all:?} is not {expected:?}"));
            }
        }
        Ok(())
    });
}

/// A chain of many states, of which several threads would take parts.
fn large(n: usize) -> Chain {
    let mut random = Random::new(7);
    let mut transitions = Vec::new();
    for s in 0..n {
        transitions.push((s, "rate 1".to_owned(), (s + 1) % n));
        for _ in 0..2 {
            let rate = random.between(1, 30) as f64 / 7.0;
            transitions.push((s, format!("A; rate {rate}"), random.between(0, n - 1)));
        }
    }
    Chain::new(&lts(n, &transitions)).unwrap()
}

#[test]
fn iteration_and_elimination_agree_on_large_chains() {
    let chain = large(300);
    let settings = Settings::default();
    let by = |ways: Ways| solved(&chain, &settings, ways, &mut |_| {}).unwrap();
    let direct = Ways {
        direct: 1000,
        ..Ways::default()
    };
    let (iterated, eliminated, sparse) = (by(ITERATION), by(direct), by(SPARSE));
    assert!(iterated.sweeps > 0 && eliminated.sweeps == 0 && sparse.sweeps == 0);
    near(&iterated.probabilities, &eliminated.probabilities, 1e-10).unwrap();
    near(&sparse.probabilities, &eliminated.probabilities, 1e-13).unwrap();
    // It is about there after a long time, and steps end before.
    let late = transient(&chain, &[1e6], &settings, &mut |_| {}).unwrap();
    near(&late.distributions[0], &eliminated.probabilities, 1e-10).unwrap();
    assert!(late.is_steady && late.steps < 10_000);
}

/// Two halves that are left once in 10^9 times: elimination knows how much time each has, and
/// iteration that it would not.
#[test]
fn nearly_decomposable_chains_are_not_iterated() {
    let half = 150;
    let mut transitions = Vec::new();
    for s in 0..2 * half {
        let start = s / half * half;
        for step in [1, 7, 31] {
            let to = start + (s - start + step) % half;
            transitions.push((s, format!("rate {step}"), to));
        }
    }
    transitions.push((0, "rate 1e-9".into(), half));
    transitions.push((half, "rate 3e-9".into(), 0));
    let chain = Chain::new(&lts(2 * half, &transitions)).unwrap();
    let by = |ways| solved(&chain, &Settings::default(), ways, &mut |_| {});
    let found = by(SPARSE).unwrap().probabilities;
    let first: f64 = found[..half].iter().sum();
    near(&[first], &[0.75], 1e-9).unwrap();
    near(&found, &by(Ways::default()).unwrap().probabilities, 1e-12).unwrap();
    assert_eq!(by(ITERATION).unwrap_err(), SolveError::NearlyDecomposable);
}

/// Parts between which steps are rare, but not very: sweeps alone would be millions.
#[test]
fn parts_that_are_seldom_left_are_balanced_as_wholes() {
    let (parts, size) = (3, 120);
    let mut random = Random::new(3);
    let mut transitions = Vec::new();
    for s in 0..parts * size {
        let start = s / size * size;
        transitions.push((s, "rate 1".to_owned(), start + (s + 1) % size));
        for _ in 0..3 {
            let rate = random.between(1, 30) as f64 / 7.0;
            transitions.push((
                s,
                format!("rate {rate}"),
                start + random.between(0, size - 1),
            ));
        }
    }
    for part in 0..parts {
        let to = (part + 1) % parts * size;
        transitions.push((part * size, format!("rate {}e-5", part + 1), to));
        // One that is taken back at once.
        transitions.push((part * size + 7, "rate 2e-5".into(), to + 7));
        transitions.push((to + 7, "rate 3e-5".into(), part * size + 7));
    }
    let chain = Chain::new(&lts(parts * size, &transitions)).unwrap();
    let by = |ways| solved(&chain, &Settings::default(), ways, &mut |_| {}).unwrap();
    let (iterated, exact) = (by(ITERATION), by(SPARSE));
    assert!(iterated.sweeps < 500, "{} sweeps", iterated.sweeps);
    near(&iterated.probabilities, &exact.probabilities, 1e-9).unwrap();
}

/// Changes are rounding before eight ratios of them are less than 1.
#[test]
fn a_hub_with_many_neighbours_is_solved() {
    let neighbours = 200_000;
    let (to, from) = (|s: usize| 1 + s % 7, |s: usize| 1 + s % 5);
    let transitions = (1..=neighbours).flat_map(|s| {
        [
            (0, format!("rate {}", to(s)), s),
            (s, format!("rate {}", from(s)), 0),
        ]
    });
    let chain = Chain::new(&lts(neighbours + 1, &transitions.collect::<Vec<_>>())).unwrap();
    let found = solved(&chain, &Settings::default(), ITERATION, &mut |_| {}).unwrap();
    assert!(found.sweeps < 1000, "{} sweeps", found.sweeps);
    assert!(found.error < 1e-11, "{}", found.error);
    let times = (1..=neighbours).map(|s| to(s) as f64 / from(s) as f64);
    let hub = 1.0 / (1.0 + times.clone().sum::<f64>());
    let expected = std::iter::once(hub).chain(times.map(|time| time * hub));
    let error = expected
        .zip(&found.probabilities)
        .map(|(a, b)| (a - b).abs());
    assert!(error.sum::<f64>() < 1e-11);
}

/// From the left end of a symmetric walk of which the steps take no time, with as many states
/// as would take long if each asked all others whether they lead to it.
#[test]
fn a_long_line_of_vanishing_states_is_eliminated() {
    let n = 40_000;
    let mut transitions = vec![(0, "rate 1".to_owned(), 1), (n + 1, "rate 1".to_owned(), n)];
    for s in 1..=n {
        transitions.push((s, "prob 0.5".to_owned(), s - 1));
        transitions.push((s, "prob 0.5".to_owned(), s + 1));
    }
    let chain = Chain::new(&lts(n + 2, &transitions)).unwrap();
    assert_eq!((chain.states().len(), chain.vanishing()), (2, n));
    let other_end = (n + 1) as f64;
    near(&[chain.exits()[0] * other_end], &[1.0], 1e-6).unwrap();
    near(&[chain.exits()[1] * other_end], &[1.0], 1e-6).unwrap();
}

#[test]
fn threads_do_not_matter() {
    let chain = large(500);
    let settings = Settings::default();
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| transient(&chain, &[0.1, 3.0], &settings, &mut |_| {}).unwrap())
    };
    assert_eq!(of(1).distributions, of(4).distributions);
}

#[test]
fn what_is_no_chain_is_refused() {
    let refused = |n, transitions: &[_]| chain(n, transitions).unwrap_err().to_string();
    for (transitions, says) in [
        (
            &[(0, "rate 1", 1), (1, "A", 0)][..],
            "the label `A` of state 1",
        ),
        (&[(0, "rate inf", 1)], "the label `rate inf` of state 0"),
        (&[(0, "rate 0", 1)], "not more than 0"),
        (&[(0, "prob 1.5", 1)], "more than 1"),
        (&[(0, "i", 0), (0, "i", 1)], "state 0 has a choice"),
        (&[(0, "i", 1), (0, "prob 1", 1)], "state 0 has a choice"),
        (
            &[(0, "rate 1", 1), (1, "i", 1)],
            "no time passes any more from state 1",
        ),
        (
            &[(0, "prob 1", 1), (1, "prob 1", 0)],
            "no time passes any more from state",
        ),
        (
            &[(0, "rate 1e308", 1), (0, "rate 1e308", 2)],
            "the rates of state 0 is out of range",
        ),
    ] {
        let found = refused(3, transitions);
        assert!(found.contains(says), "{transitions:?}: {found}");
    }
    // What cannot be reached, as by rates that are never first, does not matter.
    let unreachable = [(2, "A", 2), (2, "rate 0", 2)];
    let found = [&[(0, "i", 1), (0, "rate 1", 2)], &unreachable[..]].concat();
    let found = chain(3, &found).unwrap();
    assert_eq!(found.states(), [StateId::new(1)]);
    assert_eq!((found.vanishing(), found.preempted()), (1, 1));
}

#[test]
fn extreme_rates_give_numbers_or_an_error() {
    let rates = [
        (0, "rate 1e-200", 1),
        (1, "rate 1e-200", 2),
        (2, "rate 1e-200", 0),
        (1, "rate 1e200", 0),
        (2, "rate 1e200", 1),
    ];
    let leaking = [&rates[..], &[(2, "rate 1e-300", 3)]].concat();
    let solution = |n, rates: &[_], ways| {
        let chain = chain(n, rates).unwrap();
        solved(&chain, &Settings::default(), ways, &mut |_| {})
    };
    let found = solution(3, &rates, Ways::default()).unwrap();
    near(&found.probabilities, &[1.0, 0.0, 0.0], 1e-12).unwrap();
    for (n, rates, ways) in [
        (3, &rates[..], ITERATION),
        (4, &leaking, ITERATION),
        (4, &leaking, Ways::default()),
    ] {
        assert_eq!(solution(n, rates, ways).unwrap_err(), SolveError::Range);
    }
}

#[test]
fn settings_are_checked() {
    let chain = chain(2, &[(0, "rate 1", 1)]).unwrap();
    for epsilon in [0.0, -1.0, 1.0, f64::NAN, f64::INFINITY] {
        let settings = Settings { epsilon };
        assert_eq!(
            steady(&chain, &settings, &mut |_| {}).unwrap_err(),
            SolveError::Epsilon
        );
    }
    let settings = Settings::default();
    for instant in [0.0, -1.0, f64::INFINITY, f64::NAN, 1e13] {
        assert!(transient(&chain, &[instant], &settings, &mut |_| {}).is_err());
    }
}
