//! Systems of communicating machines: how fast they are explored, and the random
//! experiment of Kapus-Kolar 2010, section 5.4.
//!
//! `cargo bench --bench channels [-- --systems N]`

use std::time::Instant;

use hyades::channels::{
    MaximalProgress, Reducer, Rule, RuleLimits, Semantics, Strategy, System, SystemModel,
};
use hyades::explore::{ExploreOptions, Limits, Outcome, explore};
use hyades::generate::family;
use rayon::prelude::*;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| arguments.iter().position(|a| a == name);
    let value = |name: &str| option(name).and_then(|k| arguments.get(k + 1)?.parse().ok());
    let systems: u64 = value("--systems").unwrap_or(10_000);
    exploring();
    for (name, each, messages) in [
        ("one transmission a state, receptions drawn together", 0, 1),
        ("each reception drawn, 1 message each way", 1, 1),
        ("each reception drawn, 2 messages each way", 1, 2),
    ] {
        let systems = if each == 0 { systems } else { systems / 10 };
        experiment(name, systems, each, messages);
    }
}

fn system(named: &[(&str, u64)]) -> System {
    let family = family("channels").expect("there is such a family");
    let values = family
        .values(&[], named)
        .expect("values within their ranges");
    let system = family.system(&values).expect("values within their ranges");
    system.expect("a family of systems")
}

/// States a second of two-party systems, by one thread and by all.
fn exploring() {
    println!("states      transitions  bits  1 thread      all threads");
    for (states, capacity, messages, seed) in [
        (7, 12, 1, 3),
        (20, 10, 2, 1),
        (50, 10, 2, 2),
        (200, 8, 2, 1),
        (50, 40, 1, 2),
    ] {
        let system = system(&[
            ("states", states),
            ("capacity", capacity),
            ("messages", messages),
            ("receiving", 100),
            ("seed", seed),
        ]);
        let semantics = Semantics {
            channel_bound: Some(1000),
            ..Semantics::default()
        };
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().expect("threads").install(|| {
                let model = SystemModel::new(&system, semantics).expect("states are short");
                let start = Instant::now();
                let search = ExploreOptions {
                    limits: Limits {
                        max_states: Some(20_000_000),
                        ..Limits::default()
                    },
                    ..ExploreOptions::default()
                };
                let found = explore(&model, search, &mut ()).expect("few states");
                let time = start.elapsed().as_secs_f64();
                (found.states, found.transitions, time)
            })
        };
        let best = |threads: usize| {
            let times = (0..3).map(|_| run(threads).2);
            times.fold(f64::INFINITY, f64::min)
        };
        let model = SystemModel::new(&system, semantics).expect("states are short");
        let bits = hyades::explore::Model::bits(&model);
        let (found, transitions, _) = run(1);
        let rate = |time: f64| found as f64 / time / 1e6;
        println!(
            "{:<11} {:<12} {bits:<5} {:.2} million/s  {:.2} million/s",
            found,
            transitions,
            rate(best(1)),
            rate(best(rayon::current_num_threads()))
        );
    }
}

/// What remains of a system, in states and transitions of Algorithm 1.
fn size(system: &System) -> (f64, f64) {
    let progress = MaximalProgress::new(system, Semantics::default()).expect("a pair");
    let found = progress
        .analyse(Limits::default(), None, None)
        .expect("few states");
    assert_eq!(found.outcome, Outcome::Complete);
    (found.states as f64, found.transitions as f64)
}

fn reduced(system: &System, rules: &[Rule]) -> System {
    let mut system = system.clone();
    for id in system.components() {
        let limits = RuleLimits::default();
        Reducer::new(&mut system, id).exhaust(rules, &limits, Strategy::RuleByRule);
    }
    system
}

/// States and transitions: of a system, and with what by the rules.
type Sizes = [(f64, f64); 3];

fn experiment(name: &str, systems: u64, each: u64, messages: u64) {
    let theta12 = [Rule::Theta2, Rule::Theta1];
    let theta1234 = [Rule::Theta2, Rule::Theta1, Rule::Theta3, Rule::Theta4];
    let sizes: Vec<Sizes> = (1..=systems)
        .into_par_iter()
        .map(|seed| {
            let system = system(&[("each", each), ("messages", messages), ("seed", seed)]);
            let by = |rules: &[Rule]| size(&reduced(&system, rules));
            [size(&system), by(&theta12), by(&theta1234)]
        })
        .collect();
    let mean = |of: &dyn Fn(&Sizes) -> f64| sizes.iter().map(of).sum::<f64>() / systems as f64;
    let best = |of: &dyn Fn(&Sizes) -> f64| sizes.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    println!("\n{name}: {systems} systems");
    println!(
        "  mean states {:.0}, transitions {:.0}",
        mean(&|s| s[0].0),
        mean(&|s| s[0].1)
    );
    for (k, rules) in [(1, "theta1, theta2"), (2, "theta1 to theta4")] {
        let less = |old: f64, new: f64| {
            if old > 0.0 {
                100.0 * (1.0 - new / old)
            } else {
                0.0
            }
        };
        let states = |s: &Sizes| less(s[0].0, s[k].0);
        let transitions = |s: &Sizes| less(s[0].1, s[k].1);
        println!(
            "  {rules:<16}: {:.1}/{:.1} % less states/transitions on average, {:.1}/{:.1} % at best",
            mean(&states),
            mean(&transitions),
            best(&states),
            best(&transitions)
        );
    }
    let more = |of: fn(&(f64, f64)) -> f64| {
        best(&move |s| 100.0 * (of(&s[1]) - of(&s[2])) / of(&s[0]).max(1.0))
    };
    println!(
        "  theta3 and theta4 alone: up to {:.0}/{:.0} % of the original",
        more(|size| size.0),
        more(|size| size.1)
    );
}
