//! Runs every command on inputs of shapes and sizes that are known to break
//! tools like these, and tells what it takes. `--help` tells how.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

// What compares tools is unused here.
#[allow(dead_code)]
mod measure;

use measure::{Outcome, Sampling, aut_header, run};

const HELP: &str = "\
Measures every command on hostile inputs.

Usage: cargo bench --bench hostile -- [--limit S] SCALE

SCALE 1 stands for 10^7 states or transitions, 10^6 labels and labels of a
megabyte; 0.01 is a quick look. Each run is watched for its memory, is ended
after S seconds (default: 300), and uses as many threads as there are
processors. The report, in Markdown, goes to standard output; the exit status
is 1 if a run fails.
";

/// An input: a name, and the arguments of `generate` at a scale.
type Input = (&'static str, fn(f64) -> String);

const INPUTS: &[Input] = &[
    ("a hidden chain", |x| format!("tau-chain {}", x * 1e7)),
    ("a hidden cycle", |x| format!("tau-cycle {}", x * 1e7)),
    ("a star", |x| format!("star 1 {}", x * 1e6)),
    ("a state with all transitions", |x| {
        format!("hub {}", x * 1e7)
    }),
    ("as many labels", |x| format!("many-labels {}", x * 1e6)),
    ("hidden cycles in cycles", |x| {
        format!("tau-nested {}", x * 5e6)
    }),
    ("a complete graph", |x| {
        format!("complete {} --alphabet 3", (x * 1e7).sqrt().floor())
    }),
    ("a visible chain", |x| format!("chain {}", x * 1e7)),
    ("large labels", |_| String::new()),
];

/// The commands: a name, and the arguments, where `@` is the input.
const COMMANDS: &[(&str, &str, &[&str])] = &[
    ("transcode", env!("CARGO_BIN_EXE_transcode"), &["@"]),
    ("describe", env!("CARGO_BIN_EXE_describe"), &["@"]),
    ("reach", env!("CARGO_BIN_EXE_reach"), &["@"]),
    (
        "reach --deadlock",
        env!("CARGO_BIN_EXE_reach"),
        &["--deadlock", "@"],
    ),
    (
        "reach --livelock",
        env!("CARGO_BIN_EXE_reach"),
        &["--livelock", "@"],
    ),
    (
        "minimize strong",
        env!("CARGO_BIN_EXE_minimize"),
        &["-e", "strong", "@"],
    ),
    (
        "minimize branching",
        env!("CARGO_BIN_EXE_minimize"),
        &["-e", "branching", "@"],
    ),
    (
        "minimize divbranching",
        env!("CARGO_BIN_EXE_minimize"),
        &["-e", "divbranching", "@"],
    ),
    (
        "equiv strong",
        env!("CARGO_BIN_EXE_equiv"),
        &["-e", "strong", "@", "@"],
    ),
    (
        "equiv branching",
        env!("CARGO_BIN_EXE_equiv"),
        &["-e", "branching", "@", "@"],
    ),
];

fn main() -> ExitCode {
    let mut scale = None;
    let mut limit = Duration::from_secs(300);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let number = match argument.as_str() {
            // cargo bench adds this one.
            "--bench" => continue,
            "--limit" => arguments.next().and_then(|text| text.parse().ok()),
            text => text.parse::<f64>().ok(),
        };
        match (argument.as_str(), number) {
            ("--limit", Some(seconds)) => limit = Duration::from_secs_f64(seconds),
            (_, Some(number)) if number > 0.0 => scale = Some(number),
            _ => {
                print!("{HELP}");
                return ExitCode::from(2);
            }
        }
    }
    // Also how `cargo test --all-targets` calls it.
    let Some(scale) = scale else {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    };
    match measure_all(scale, limit) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("hostile: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a row for each input; whether every run came to its end.
fn measure_all(scale: f64, limit: Duration) -> io::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let input = scratch.path().join("in.aut");
    let mut heading = String::from("| input | states | transitions |");
    let mut rule = String::from("|---|---|---|");
    for (name, _, _) in COMMANDS {
        let _ = write!(heading, " {name} |");
        rule.push_str("---|");
    }
    println!("{heading}\n{rule}");
    let mut good = true;
    for (name, arguments) in INPUTS {
        let arguments = arguments(scale);
        write_input(&arguments, scale, &input)?;
        let [_, transitions, states] = aut_header(&input)?;
        let mut row = format!("| {name} (`{arguments}`) | {states} | {transitions} |");
        if arguments.is_empty() {
            row = format!("| {name} | {states} | {transitions} |");
        }
        for (_, program, arguments) in COMMANDS {
            let mut command = Command::new(program);
            command.arg("-q");
            for argument in *arguments {
                match *argument {
                    "@" => command.arg(&input),
                    other => command.arg(other),
                };
            }
            let run = run(
                &mut command,
                File::create("/dev/null")?,
                &scratch.path().join("stderr"),
                limit,
                Sampling::Memory,
            )?;
            let cell = match run.outcome.note() {
                None => format!(
                    "{:.2} s, {} MB",
                    run.wall.as_secs_f64(),
                    run.anonymous.unwrap_or(0) / 1_000_000
                ),
                Some(note) => note,
            };
            good &= run.outcome == Outcome::Done;
            let _ = write!(row, " {cell} |");
        }
        println!("{row}");
    }
    Ok(good)
}

/// Writes the input that `generate` makes of the arguments; without arguments
/// one with labels of a megabyte (times the scale).
fn write_input(arguments: &str, scale: f64, path: &Path) -> io::Result<()> {
    if arguments.is_empty() {
        let mut file = BufWriter::new(File::create(path)?);
        writeln!(file, "des (0, 100, 100)")?;
        for k in 0..100 {
            let label = format!("{k}").repeat((scale * 5e5) as usize + 1);
            writeln!(file, "({k}, \"{label}\", {})", (k + 1) % 100)?;
        }
        return file.flush();
    }
    let status = Command::new(env!("CARGO_BIN_EXE_generate"))
        .args(arguments.split(' '))
        .arg("-q")
        .arg("-o")
        .arg(path)
        .status()?;
    match status.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("generate {arguments}: {status}"))),
    }
}
