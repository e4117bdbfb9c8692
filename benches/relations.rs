//! Measures comparisons by many relations: inclusion of traces where the subset
//! construction explodes, all relations between two systems, and all pairs of states of one.
//! `--help` tells how to run it; BENCHMARKS.md holds the last figures.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use hyades::equivalence::Relation;
use hyades::equivalence::inclusion::{
    HiddenSteps, Limit, LinearNotion, Verdict, below, determinize,
};
use hyades::equivalence::spectroscopy::all_pairs;
use hyades::formats::{Lts, LtsBuilder, StateId};

const HELP: &str = "\
Measures comparisons by many relations.

Usage: cargo bench --bench relations -- inclusion
       cargo bench --bench relations -- pairs MOST FILE...

inclusion: families of systems of which a deterministic one is exponentially larger;
whether one member is below another one by traces and by failures, beside the subset
construction, which is given up after 4,000,000 states.

pairs: for each LTS, how many of its states are below each other by each relation of the
strong spectrum, the time, and the peak memory of the process so far. Relations that take
more than MOST sets of states are left out.
";

/// The subset construction is given up beyond this.
const MOST_STATES: u64 = 4_000_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match arguments.split_first() {
        Some((mode, [])) if mode == "inclusion" => inclusion(),
        Some((mode, [most, files @ ..])) if mode == "pairs" && most.parse::<usize>().is_ok() => {
            let most = most.parse().unwrap_or(usize::MAX);
            for file in files.iter().map(PathBuf::from) {
                if let Err(error) = pairs(&file, most) {
                    eprintln!("relations: {error}");
                    return ExitCode::FAILURE;
                }
            }
        }
        // Also how `cargo test --all-targets` calls it.
        None => print!("{HELP}"),
        Some(_) => {
            print!("{HELP}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

/// Steps of a system that begins in state 0.
type Steps = Vec<(u32, &'static str, u32)>;

fn states(steps: &Steps) -> u32 {
    let most = steps.iter().map(|step| step.0.max(step.2)).max();
    most.map_or(1, |most| most + 1)
}

/// The disjoint union of systems, which begins in the first.
fn union(systems: &[&Steps]) -> Lts {
    let mut builder = LtsBuilder::new(systems.iter().map(|steps| u64::from(states(steps))).sum());
    let mut shift = 0;
    for steps in systems {
        for &(s, label, t) in *steps {
            let added = builder.add_text(s + shift, label.as_bytes(), t + shift);
            added.expect("a few labels and transitions");
        }
        shift += states(steps);
    }
    let lts = builder.build(StateId::new(0));
    lts.expect("a few transitions")
}

/// Letters in any order, and then `c` if the k-th letter from the last was an `a`.
fn last_letter(k: u32) -> Steps {
    let mut steps = vec![(0, "a", 0), (0, "b", 0), (0, "a", 1)];
    steps.extend((1..k).flat_map(|at| ["a", "b"].map(|letter| (at, letter, at + 1))));
    steps.push((k, "c", k + 1));
    steps
}

/// Random steps by two letters between n states, `percent` of n by each, from a fixed seed.
fn random(n: u32, percent: u32, seed: u64) -> Steps {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |range: Range<u32>| {
        // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        range.start + (bits as u32) % (range.end - range.start)
    };
    let mut steps = Vec::new();
    for letter in ["a", "b"] {
        for _ in 0..n * percent / 100 {
            steps.push((next(0..n), letter, next(0..n)));
        }
    }
    steps
}

fn inclusion() {
    println!(
        "| systems | states | below by traces | time | below by failures | time | \
         subset construction of the second | time |\n|---|--:|---|--:|---|--:|---|--:|"
    );
    let words = || vec![(0, "a", 0), (0, "b", 0)];
    let longer = |k: u32| [last_letter(k), vec![(k + 1, "d", 0)]].concat();
    for k in [10, 20, 40, 80, 160] {
        let k_th = format!("the {k}th letter from the last");
        measure(&format!("all words, {k_th}"), &words(), &last_letter(k));
        let name = format!("{k_th} and one step more, {k_th}");
        measure(&name, &longer(k), &last_letter(k));
    }
    for (n, percent) in [(50, 130), (100, 130), (200, 130), (100, 160), (200, 160)] {
        let first = random(n, percent, 1);
        let second = [first.clone(), random(n, 10, 2)].concat();
        let name = format!("random, {n} states, {percent} % steps; with a tenth more");
        measure(&name, &first, &second);
    }
}

/// Prints a row.
fn measure(name: &str, first: &Steps, second: &Steps) {
    let lts = union(&[first, second]);
    let begin = StateId::new(states(first));
    let mut row = format!("| {name} | {} |", lts.states());
    for notion in [LinearNotion::Trace, LinearNotion::Failures] {
        let start = Instant::now();
        let limit = Limit {
            pairs: 50_000_000,
            ..Limit::default()
        };
        let verdict = below(&lts, lts.initial(), begin, notion, limit);
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match verdict {
            Verdict::Below => "yes".to_owned(),
            Verdict::Not(reason) => format!("no, after {} steps", reason.steps.len()),
            Verdict::Unknown => "unknown".to_owned(),
        };
        row += &format!(" {verdict} | {seconds:.3} s |");
    }
    let start = Instant::now();
    let states = determinize(&union(&[second]), HiddenSteps::Counted, None, MOST_STATES);
    let seconds = start.elapsed().as_secs_f64();
    let states = match states {
        Ok(lts) => lts.states().to_string(),
        Err(_) => format!("more than {MOST_STATES}"),
    };
    println!("{row} {states} | {seconds:.3} s |");
}

/// Prints a table for one LTS.
fn pairs(file: &Path, most: usize) -> Result<(), Box<dyn std::error::Error>> {
    let lts = Lts::read(file)?;
    let start = Instant::now();
    let counts = all_pairs(&lts, most);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}: {} states, {} transitions, {} classes of strong bisimilarity: {seconds:.2} s, {}\n\n\
         | relation | pairs | classes |\n|---|--:|--:|",
        file.display(),
        lts.states(),
        lts.transitions(),
        counts.classes,
        peak()
    );
    for notion in &counts.notions {
        println!(
            "| {} | {} | {} |",
            notion.relation, notion.below, notion.classes
        );
    }
    let told = |relation: &Relation| counts.notions.iter().any(|n| n.relation == *relation);
    let asked = hyades::equivalence::spectroscopy::Game::Strong.relations();
    let missing: Vec<_> = asked
        .iter()
        .filter(|r| !told(r))
        .map(|r| r.name())
        .collect();
    match missing.is_empty() {
        true => println!(),
        false => println!("\nNot told of: {}.\n", missing.join(", ")),
    }
    Ok(())
}

/// The most memory that was resident.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(
        || "memory unknown".to_owned(),
        |kb| format!("peak {}", kb.trim()),
    )
}
