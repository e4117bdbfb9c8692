//! The models of Romijn and Springintveld, *Exploiting Symmetry in Protocol
//! Testing*, CWI report SEN-R9918, and their kernels: sizes against the published
//! ones, time and memory. `--help` tells how to run it.

// What samples memory is unused here.
#[allow(dead_code)]
mod measure;

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use measure::{Outcome, Run, Sampling};

const HELP: &str = "\
Generates the models of report SEN-R9918 and makes their kernels, from a file in
BCG and from one in AUT.

Usage: cargo bench --bench kernel -- [OPTIONS]

The report, in Markdown, goes to standard output: sizes, the least seconds of
three runs, reading and writing included, and the peak memory, files that are
mapped included. A size that is not the known one ends the program with status
101.

Options:
  --model NAME     only this family (repeatable)
  --large          larger members too: chatbox-fixed 5, train 9 and 10 (up to 550
                   million transitions, 6 GB of memory and 2 GB in the folder for
                   temporary files; from BCG only)
";

/// A member of a family.
struct Row {
    family: &'static str,
    n: u32,
    /// States and transitions of the model.
    model: (u64, u64),
    /// States and transitions of its kernel, as published or, where that cannot
    /// be reproduced (chatbox 4, ring) and for large ones, as they have always
    /// been here; `None` if nobody has told them.
    kernel: Option<(u64, u64)>,
    /// Whether this takes long.
    large: bool,
}

const fn row(family: &'static str, n: u32, model: (u64, u64), kernel: Option<(u64, u64)>) -> Row {
    Row {
        family,
        n,
        model,
        kernel,
        large: false,
    }
}

const fn large(family: &'static str, n: u32, model: (u64, u64), kernel: Option<(u64, u64)>) -> Row {
    Row {
        large: true,
        ..row(family, n, model, kernel)
    }
}

const ROWS: &[Row] = &[
    row("chatbox", 3, (512, 12_288), Some((213, 3_722))),
    row("chatbox", 4, (65_536, 2_621_440), Some((11_636, 285_810))),
    row("chatbox-fixed", 3, (64, 1_152), Some((10, 84))),
    row("chatbox-fixed", 4, (4_096, 131_072), Some((112, 1_296))),
    row("train", 7, (286_725, 4_300_874), Some((12_685, 79_594))),
    row("train", 8, (1_310_725, 22_282_324), Some((30_945, 195_404))),
    row("train-mealy", 4, (2_808, 24_312), Some((1_548, 8_752))),
    row("train-mealy", 5, (13_950, 148_650), Some((5_193, 30_255))),
    row("train-mealy", 6, (72_036, 912_276), Some((16_959, 100_647))),
    row(
        "train-mealy",
        7,
        (336_042, 4_927_734),
        Some((49_941, 300_655)),
    ),
    row(
        "train-mealy",
        8,
        (1_563_696, 26_060_592),
        Some((146_394, 887_208)),
    ),
    row("ring", 3, (224_152, 1_710_534), Some((224_016, 1_629_539))),
    // Sizes by the formulas that tests hold against smaller ones.
    large("chatbox-fixed", 5, (1 << 20, 50 << 20), Some((119, 1_614))),
    large("train", 9, train(9), None),
    large("train", 10, train(10), Some((169_225, 1_076_944))),
];

const fn train(n: u64) -> (u64, u64) {
    let turns = 1 << (2 * n);
    (
        5 * n * turns / 2 + 5,
        5 * n * (2 * n + 1) * turns / 2 + 10 * n + 4,
    )
}

/// Runs a command that has to succeed.
fn run(command: &mut Command, folder: &Path) -> Run {
    let null = File::options()
        .write(true)
        .open("/dev/null")
        .expect("a sink");
    let stderr = folder.join("stderr");
    let day = Duration::from_secs(24 * 3600);
    let run = measure::run(command, null, &stderr, day, Sampling::Off).expect("the command runs");
    let said = fs::read_to_string(&stderr).unwrap_or_default();
    assert_eq!(run.outcome, Outcome::Done, "{command:?}: {said}");
    run
}

/// States and transitions in one part of a file of statistics.
fn size(stats: &serde_json::Value, part: &str) -> (u64, u64) {
    let figures = stats[part].as_array().and_then(|all| all.last());
    let figure = |name| figures.and_then(|f| f[name].as_u64()).expect("a number");
    (figure("states"), figure("transitions"))
}

/// The kernel of a file: its sizes, the least time, the largest memory.
fn kernel(input: &Path, pattern: &Path, folder: &Path) -> ([(u64, u64); 2], f64, u64) {
    let stats = folder.join("stats.json");
    let mut runs = Vec::new();
    for _ in 0..3 {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kernel"));
        command.arg("-q").arg("--pattern").arg(pattern).arg(input);
        command
            .arg("--stats")
            .arg(&stats)
            .arg("-o")
            .arg(folder.join("kernel.aut"));
        runs.push(run(&mut command, folder));
    }
    let text = fs::read_to_string(&stats).expect("the statistics");
    let stats = serde_json::from_str(&text).expect("JSON");
    let seconds = runs.iter().map(|run| run.wall.as_secs_f64());
    (
        [size(&stats, "inputs"), size(&stats, "outputs")],
        seconds.fold(f64::INFINITY, f64::min),
        runs.iter().map(|run| run.resident).max().unwrap_or(0),
    )
}

fn main() -> ExitCode {
    let mut models = Vec::new();
    let mut with_large = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        match option.as_str() {
            // Cargo's own.
            "--bench" => {}
            "--help" => {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--large" => with_large = true,
            "--model" => models.extend(arguments.next()),
            _ => {
                eprintln!("kernel: {option}: no such option; --help lists them");
                return ExitCode::FAILURE;
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let patterns = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kernel");
    println!(
        "| model | n | states | transitions | kernel: states | transitions | BCG s | MB | AUT s | MB |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    );
    for row in ROWS {
        let (family, n) = (row.family, row.n);
        if row.large && !with_large || !models.is_empty() && !models.iter().any(|m| m == family) {
            continue;
        }
        let pattern = patterns.join(format!("{family}{n}.pattern.toml"));
        let mut cells = String::new();
        let mut sizes = Vec::new();
        for format in ["bcg", "aut"] {
            if row.large && format == "aut" {
                continue;
            }
            let input = folder.join(format!("model.{format}"));
            let mut generate = Command::new(env!("CARGO_BIN_EXE_generate"));
            generate
                .args([family, &n.to_string(), "-q", "-o"])
                .arg(&input);
            run(&mut generate, folder);
            let (found, seconds, bytes) = kernel(&input, &pattern, folder);
            cells.push_str(&format!(" {seconds:.3} | {} |", bytes / 1_000_000));
            sizes = found.to_vec();
            assert_eq!(found[0], row.model, "{family} {n}");
            assert_eq!(found[1], row.kernel.unwrap_or(found[1]), "{family} {n}");
            fs::remove_file(&input).expect("it was there");
        }
        let [(states, transitions), (kept, taken)] = sizes[..] else {
            unreachable!("each is the model's and the kernel's")
        };
        println!("| {family} | {n} | {states} | {transitions} | {kept} | {taken} |{cells}");
    }
    ExitCode::SUCCESS
}
