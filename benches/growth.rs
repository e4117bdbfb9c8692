//! Measures how the time of `minimize` grows with the size of its input, on
//! families that are known to make partition refinement quadratic. `--help`
//! tells how to run it.

// Times only: what tells of memory is unused here.
#[allow(dead_code)]
mod measure;

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use measure::{Outcome, Run, Sampling, aut_header, run};

const HELP: &str = "\
Measures how the processor time of minimize grows with its input.

Usage: cargo bench --bench growth -- [OPTIONS] LARGEST

Every family is written at about 10^4, 10^5, … transitions up to LARGEST and
minimized under every relation; the fastest of some runs counts. The time for
an LTS of one transition is subtracted; then the exponent is the slope of the
straight line nearest to the logarithms of times and sizes. The report, in
Markdown, goes to standard output; the exit status is 1 if an exponent is
above 1.2 or a run fails.

Options:
  --family NAME    only this family (repeatable)
  --relation NAME  only this relation (repeatable; default: strong, branching
                   and divbranching)
  --threads N      threads of minimize (default: 2)
  --limit S        a run is ended after S seconds (default: 120)
  --list           print the names of the families
";

/// Exponents above this are reported as too large.
const TOLERATED: f64 = 1.2;

/// Differences to the start-up time below this are noise, not figures.
const LEAST_TIME: f64 = 0.003;

/// A family of growing inputs.
struct Family {
    name: &'static str,
    member: Member,
}

/// Where a member of about `n` transitions comes from.
enum Member {
    /// The arguments of `generate`, separated by blanks.
    Generated(fn(n: u64) -> String),
    /// From here: the transitions, handed out one by one. State 0 is initial,
    /// all states are reachable.
    Special(fn(n: u64, out: &mut Sink)),
}

/// Takes source, label and target; `i` is the hidden label.
type Sink<'a> = dyn FnMut(u64, &str, u64) + 'a;

const fn generated(name: &'static str, arguments: fn(u64) -> String) -> Family {
    Family {
        name,
        member: Member::Generated(arguments),
    }
}

const fn special(name: &'static str, transitions: fn(u64, &mut Sink)) -> Family {
    Family {
        name,
        member: Member::Special(transitions),
    }
}

const FAMILIES: &[Family] = &[
    generated("chain", |n| format!("chain {n}")),
    generated("ladder", |n| format!("ladder {}", n / 3)),
    generated("comb", |n| format!("comb {}", n / 2)),
    generated("tree", |n| format!("tree {}", n.ilog2() - 1)),
    generated("grid", |n| format!("grid {0} {0}", (n / 2).isqrt())),
    generated("torus marked", |n| {
        format!("torus {0} {0} --marked 1", (n / 2).isqrt())
    }),
    generated("debruijn", |n| format!("debruijn {}", n.ilog2() - 1)),
    generated("star", |n| format!("star 10 {}", n / 11)),
    generated("hub", |n| format!("hub {n}")),
    generated("funnel", |n| format!("funnel {}", n / 3)),
    generated("complete", |n| {
        format!("complete {} --alphabet 3", n.isqrt())
    }),
    generated("many-labels", |n| format!("many-labels {}", n / 10)),
    generated("random", |n| format!("random {} {n}", n / 4)),
    generated("lift", |n| format!("lift {} 100", n / 600)),
    generated("tau-chain", |n| format!("tau-chain {n}")),
    generated("tau-chain-visible", |n| {
        format!("tau-chain-visible {}", n / 2)
    }),
    generated("tau-cycle", |n| format!("tau-cycle {}", n / 2)),
    generated("tau-ladder", |n| format!("tau-ladder {}", n / 3)),
    generated("tau-tree", |n| format!("tau-tree {}", n.ilog2() - 1)),
    generated("tau-scc", |n| format!("tau-scc {0} {0}", (n / 3).isqrt())),
    generated("tau-nested", |n| format!("tau-nested {}", n / 2)),
    generated("tau-star", |n| format!("tau-star {}", n / 2)),
    // One state with steps to all states of a path, which are told apart one
    // at a time: who looks at all its steps each time is quadratic.
    special("hub to a path", |n, out| {
        for k in 1..=n / 2 {
            out(0, "a", k);
            out(k, "b", k % (n / 2) + 1);
        }
        out(n / 2, "c", 0);
    }),
    // The same by hidden steps.
    special("tau-hub to a path", |n, out| {
        for k in 1..=n / 2 {
            out(0, "i", k);
            out(k, "b", k % (n / 2) + 1);
        }
        out(n / 2, "c", 0);
    }),
    // One state with steps from all states of a path.
    special("path to a hub", |n, out| {
        for k in 1..=n / 2 {
            out(k, ["b", "c"][usize::from(k % 10 == 0)], 0);
            out(k, "a", k + 1);
        }
        out(0, "a", 1);
    }),
    // One state with nearly all transitions, to few states.
    special("wide", |n, out| {
        let targets = n / 10;
        for k in 0..n - targets {
            out(0, &format!("a{}", scramble(k) % 50), 1 + k % targets);
        }
        (1..targets).for_each(|k| out(k, "b", k + 1));
    }),
    // A hidden path beside a visible one, a step across at each state: no
    // hidden step is inert, and the states are told apart one at a time.
    special("tau-chain by a path", |n, out| {
        for k in 0..n / 3 {
            out(2 * k, "i", 2 * k + 2);
            out(2 * k, "a", 2 * k + 1);
            out(2 * k + 1, "a", 2 * k + 3);
        }
    }),
    // Long hidden paths side by side from one state, each with one visible
    // step at a place of its own.
    special("tau-brush", |n, out| {
        let length = n.isqrt();
        for path in 0..n / (length + 1) {
            let state = |k| 1 + path * length + k;
            out(0, "i", state(0));
            (1..length).for_each(|k| out(state(k - 1), "i", state(k)));
            out(state(path % length), "a", state(0));
        }
    }),
];

/// A fixed scramble of 64-bit numbers (the finisher of SplitMix64).
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Writes a member of about `n` transitions; how many it has.
fn write_member(family: &Family, n: u64, path: &Path) -> io::Result<u64> {
    match family.member {
        Member::Generated(arguments) => {
            let arguments = arguments(n);
            let status = Command::new(env!("CARGO_BIN_EXE_generate"))
                .args(arguments.split(' '))
                .arg("-q")
                .arg("-o")
                .arg(path)
                .status()?;
            if !status.success() {
                let text = format!("generate {arguments}: {status}");
                return Err(io::Error::other(text));
            }
        }
        Member::Special(transitions) => {
            // The header holds counts: run through the member twice.
            let (mut count, mut states) = (0u64, 1);
            transitions(n, &mut |source, _, target| {
                count += 1;
                states = states.max(source + 1).max(target + 1);
            });
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "des (0, {count}, {states})")?;
            let mut result = Ok(());
            transitions(n, &mut |source, label, target| {
                if result.is_ok() {
                    result = writeln!(file, "({source}, \"{label}\", {target})");
                }
            });
            result?;
            file.flush()?;
        }
    }
    let [_, transitions, _] = aut_header(path)?;
    Ok(transitions)
}

struct Options {
    largest: u64,
    families: Vec<String>,
    relations: Vec<String>,
    threads: String,
    limit: Duration,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options {
            largest: 0,
            families: Vec::new(),
            relations: Vec::new(),
            threads: "2".into(),
            limit: Duration::from_secs(120),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                // cargo bench adds this one.
                "--bench" => {}
                "--family" => options.families.push(value()?),
                "--relation" => options.relations.push(value()?),
                "--threads" => options.threads = value()?,
                "--limit" => {
                    let seconds = value()?.parse().map_err(|_| "--limit: not a number")?;
                    options.limit = Duration::from_secs(seconds);
                }
                number => {
                    let largest: f64 = number.parse().map_err(|_| format!("what is {number}?"))?;
                    options.largest = largest as u64;
                }
            }
        }
        if options.relations.is_empty() {
            options.relations = ["strong", "branching", "divbranching"]
                .map(String::from)
                .to_vec();
        }
        let unknown = |name: &&String| !FAMILIES.iter().any(|family| family.name == **name);
        match options.families.iter().find(unknown) {
            Some(name) => Err(format!("no family {name}")),
            None => Ok(options),
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for family in FAMILIES {
            println!("{}", family.name);
        }
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments.into_iter()) {
        Ok(options) if options.largest >= 10_000 => options,
        // Also how `cargo test --all-targets` calls it.
        Ok(_) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            eprintln!("growth: {message}");
            print!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match measure_all(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("growth: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints all rows; whether no exponent is too large and no run
/// failed.
fn measure_all(options: &Options) -> io::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("in.aut");
    let sizes: Vec<u64> = std::iter::successors(Some(10_000), |n| Some(n * 10))
        .take_while(|n| *n <= options.largest)
        .collect();
    let mut heading = String::from("| family | relation |");
    let mut rule = String::from("|---|---|");
    for n in &sizes {
        let _ = write!(heading, " 10^{} |", n.ilog10());
        rule.push_str("---|");
    }
    println!("{heading} exponent |\n{rule}---|");

    std::fs::write(&input, "des (0, 1, 2)\n(0, \"a\", 1)\n")?;
    let mut good = true;
    let mut start_up = Vec::new();
    for relation in &options.relations {
        let run = fastest(&input, relation, scratch.path(), options)?;
        start_up.push(run.processor.as_secs_f64());
    }
    for family in FAMILIES {
        if !options.families.is_empty() && !options.families.iter().any(|name| name == family.name)
        {
            continue;
        }
        let mut points: Vec<Vec<(f64, Run)>> = vec![Vec::new(); options.relations.len()];
        for &n in &sizes {
            let transitions = write_member(family, n, &input)?;
            for (relation, points) in options.relations.iter().zip(&mut points) {
                let run = fastest(&input, relation, scratch.path(), options)?;
                points.push((transitions as f64, run));
            }
        }
        for ((relation, points), start_up) in options.relations.iter().zip(points).zip(&start_up) {
            let mut row = format!("| {} | {relation} |", family.name);
            let mut failed = false;
            let mut figures = Vec::new();
            for (transitions, run) in points {
                match run.outcome {
                    Outcome::Done => {
                        let time = run.processor.as_secs_f64() - start_up;
                        let _ = write!(row, " {time:.3} s |");
                        figures.push((transitions, time));
                    }
                    _ => {
                        failed = true;
                        let _ = write!(row, " {} |", run.outcome.note().unwrap_or_default());
                    }
                }
            }
            let exponent = exponent(&figures);
            let steep = exponent.is_some_and(|exponent| exponent > TOLERATED);
            good &= !failed && !steep;
            match exponent {
                Some(exponent) if steep => println!("{row} **{exponent:.2}** |"),
                Some(exponent) => println!("{row} {exponent:.2} |"),
                None => println!("{row} too fast to tell |"),
            }
            io::stdout().flush()?;
        }
    }
    println!("\nStart-up, subtracted: {start_up:.4?} s.");
    Ok(good)
}

/// The run with the least processor time: of five, of two if one takes over a
/// second. A failed run ends the series.
fn fastest(input: &Path, relation: &str, scratch: &Path, options: &Options) -> io::Result<Run> {
    let mut best: Option<Run> = None;
    for round in 0..5 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minimize"));
        command.args(["-q", "-j", &options.threads, "-e", relation]);
        command.arg(input);
        let run = run(
            &mut command,
            File::create("/dev/null")?,
            &scratch.join("stderr"),
            options.limit,
            Sampling::Off,
        )?;
        if run.outcome != Outcome::Done {
            return Ok(run);
        }
        let enough = round > 0 && run.wall > Duration::from_secs(1);
        if best
            .as_ref()
            .is_none_or(|best| run.processor < best.processor)
        {
            best = Some(run);
        }
        if enough {
            break;
        }
    }
    Ok(best.expect("there is at least one round"))
}

/// The slope of the line through (ln transitions, ln time) by least squares; nothing if
/// fewer than two times can be told from noise.
fn exponent(figures: &[(f64, f64)]) -> Option<f64> {
    let points: Vec<(f64, f64)> = figures
        .iter()
        .filter(|(_, time)| *time >= LEAST_TIME)
        .map(|(n, time)| (n.ln(), time.ln()))
        .collect();
    if points.len() < 2 {
        return None;
    }
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    Some(covariance / variance)
}
