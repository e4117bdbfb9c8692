//! The models of Romijn and Springintveld, *Exploiting Symmetry in Protocol
//! Testing*, CWI report SEN-R9918: explores each and holds its size against the
//! published one. `--help` tells how to run it.

use std::process::ExitCode;
use std::time::Instant;

use hyades::explore::Limits;
use hyades::formats::Lts;
use hyades::generate::family;

const HELP: &str = "\
Measures the models of report SEN-R9918, and compares with what is published.

Usage: cargo bench --bench kernel -- [OPTIONS]

The report, in Markdown, goes to standard output; a figure that is not the
published one ends the program with status 101.

Options:
  --model NAME     only this family (repeatable)
";

/// A row of the report's tables 1 to 3.
struct Row {
    family: &'static str,
    n: u64,
    /// States and transitions of the model.
    model: (usize, usize),
}

const fn row(family: &'static str, n: u64, states: usize, transitions: usize) -> Row {
    Row {
        family,
        n,
        model: (states, transitions),
    }
}

const ROWS: &[Row] = &[
    row("chatbox", 3, 512, 12_288),
    row("chatbox", 4, 65_536, 2_621_440),
    row("chatbox-fixed", 3, 64, 1_152),
    row("chatbox-fixed", 4, 4_096, 131_072),
    row("train", 7, 286_725, 4_300_874),
    row("train", 8, 1_310_725, 22_282_324),
    row("train-mealy", 4, 2_808, 24_312),
    row("train-mealy", 5, 13_950, 148_650),
    row("train-mealy", 6, 72_036, 912_276),
    row("train-mealy", 7, 336_042, 4_927_734),
    row("train-mealy", 8, 1_563_696, 26_060_592),
    row("ring", 3, 224_152, 1_710_534),
];

fn model(row: &Row) -> Lts {
    let family = family(row.family).expect("the families are there");
    let lts = family.generate(&[row.n], Limits::default());
    lts.expect("they fit in memory")
}

fn main() -> ExitCode {
    let mut models = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        match (option.as_str(), arguments.next()) {
            // Cargo's own.
            ("--bench", None) => {}
            ("--help", _) => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            ("--model", Some(name)) => models.push(name),
            _ => {
                eprintln!("kernel: {option}: no such option, or no value; --help lists them");
                return ExitCode::FAILURE;
            }
        }
    }
    hyades::cli::memory::install("kernel");
    println!("| model | n | states | transitions | exploring s |");
    println!("|---|--:|--:|--:|--:|");
    let wanted = |row: &&Row| models.is_empty() || models.iter().any(|name| name == row.family);
    for row in ROWS.iter().filter(wanted) {
        let start = Instant::now();
        let lts = model(row);
        let seconds = start.elapsed().as_secs_f64();
        let (family, n) = (row.family, row.n);
        let (states, transitions) = (lts.states(), lts.transitions());
        assert_eq!((states, transitions), row.model, "{family} {n}");
        println!("| {family} | {n} | {states} | {transitions} | {seconds:.3} |");
    }
    ExitCode::SUCCESS
}
