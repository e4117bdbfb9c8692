//! Measures the explorer on models whose components take steps independently of
//! each other: states a second, bytes a state, and how both change with the
//! number of states. `--help` tells how to run it.

use std::borrow::Cow;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::process::{Command, ExitCode};
use std::time::Instant;

use hyades::explore::{
    AutSink, Emit, ExploreOptions, LtsSink, Model, ModelError, Questions, explore,
};
use hyades::formats::aut::StreamWriter;
use hyades::formats::{LabelId, LabelTable, StateId, WriteOptions};
use hyades_base::parallel;

const HELP: &str = "\
Measures how fast state spaces are explored.

Usage: cargo bench --bench explore -- [OPTIONS]

Every figure is the best of some runs, each in a process of its own. The
report, in Markdown, goes to standard output. Bytes a state are those beyond
the states' own bits: by the explorer's own account, and by the peak of the
process' memory.

Options:
  --largest N      at about 10^5, 10^6, … states up to N (default: 10^7)
  --model NAME     only this model (repeatable)
  --task NAME      only this task (repeatable): count, deadlock, lts, stream
  --threads N      only this number of threads (repeatable; default: 1 and 2)
  --runs N         runs for each figure (default: 3)
";

/// Rings: components that go round, each by itself. A state is where each
/// component is.
struct Rings {
    /// The bits of a component, and how many places it has.
    width: u32,
    places: u64,
    components: u32,
    labels: LabelTable,
}

impl Rings {
    fn new(places: u64, components: u32) -> Self {
        let mut labels = LabelTable::new();
        for component in 0..components {
            let text = format!("STEP !{component}");
            labels.intern(text.as_bytes()).expect("a few labels");
        }
        Self {
            width: u64::BITS - (places - 1).leading_zeros(),
            places,
            components,
            labels,
        }
    }

    fn states(&self) -> u64 {
        self.places.pow(self.components)
    }
}

impl Model for Rings {
    type Scratch = Vec<u64>;

    fn scratch(&self) -> Vec<u64> {
        Vec::new()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(&self.labels)
    }

    fn bits(&self) -> usize {
        // Components do not lie across words.
        let per_word = 64 / self.width;
        let (words, rest) = (self.components / per_word, self.components % per_word);
        if rest == 0 {
            64 * (words as usize - 1) + (per_word * self.width) as usize
        } else {
            64 * words as usize + (rest * self.width) as usize
        }
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    #[inline]
    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Vec<u64>,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        scratch.clear();
        scratch.extend_from_slice(state);
        let per_word = 64 / self.width;
        let mask = (1 << self.width) - 1;
        for component in 0..self.components {
            let (word, shift) = (
                (component / per_word) as usize,
                component % per_word * self.width,
            );
            let old = state[word];
            let at = old >> shift & mask;
            let next = if at + 1 == self.places { 0 } else { at + 1 };
            scratch[word] = old ^ (at ^ next) << shift;
            emit.transition(LabelId::new(1 + component), scratch);
            scratch[word] = old;
        }
        Ok(())
    }
}

/// A model of about so many states.
fn model(name: &str, states: u64) -> Rings {
    let places = match name {
        // One word; about as many transitions a state as it has components.
        "rings-10" => 10,
        // One word, many transitions.
        "rings-4" => 4,
        // Two words: wide components of which few places are used.
        _ => 2,
    };
    let components = (states as f64).ln() / (places as f64).ln();
    Rings::new(places, components.round() as u32)
}

const MODELS: &[&str] = &["rings-10", "rings-4", "rings-2"];
const TASKS: &[&str] = &["count", "deadlock", "lts", "stream"];

/// What a run in a process of its own tells.
#[derive(Clone, Copy, Debug)]
struct Figures {
    states: u64,
    transitions: u64,
    bits: usize,
    seconds: f64,
    /// Of all threads together, in user mode and in the system.
    processor: f64,
    /// By the explorer's account, and what the process held more at its peak
    /// than before.
    accounted: u64,
    resident: u64,
}

/// Runs one task in this process and prints figures.
fn run(name: &str, task: &str, states: u64) -> Figures {
    let model = model(name, states);
    let before = resident("VmRSS");
    let busy = processor_seconds();
    let start = Instant::now();
    let questions = Questions {
        deadlock: task == "deadlock",
        ..Questions::default()
    };
    let search = ExploreOptions {
        questions,
        ..ExploreOptions::default()
    };
    let failed = "these models do not fail";
    let found = match task {
        "lts" => {
            let mut sink = LtsSink::new();
            let found = explore(&model, search, &mut sink).expect(failed);
            let lts = sink
                .finish(found.labels.clone().into_owned())
                .expect("they are small");
            assert_eq!(lts.transitions() as u64, found.transitions);
            found
        }
        "stream" => {
            let mut output = BufWriter::new(fs::File::create("/dev/null").expect("it is there"));
            let options = WriteOptions::default();
            let transitions = model.states() * u64::from(model.components);
            let writer = StreamWriter::announcing(
                &mut output,
                &options,
                StateId::new(0),
                transitions,
                model.states(),
            )
            .expect("it takes all");
            let mut ignore = |_| {};
            let mut sink = AutSink::new(writer, &mut ignore);
            let found = explore(&model, search, &mut sink).expect(failed);
            let writer = sink.into_writer().expect("it takes all");
            writer
                .finish(StateId::new(0), found.states)
                .expect("as announced");
            found
        }
        _ => explore(&model, search, &mut ()).expect(failed),
    };
    let seconds = start.elapsed().as_secs_f64();
    let processor = processor_seconds() - busy;
    assert_eq!(found.states, model.states());
    Figures {
        states: found.states,
        transitions: found.transitions,
        bits: model.bits(),
        seconds,
        processor,
        accounted: found.memory,
        resident: resident("VmHWM").saturating_sub(before),
    }
}

/// Bytes that this process has, or had, in memory.
fn resident(name: &str) -> u64 {
    hyades::cli::core::memory::of_status(name).unwrap_or(0)
}

fn processor_seconds() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("it always works");
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// The figures of a run in another process.
fn measure(name: &str, task: &str, states: u64, threads: usize) -> io::Result<Figures> {
    let output = Command::new(std::env::current_exe()?)
        .args(["--run", name, task])
        .args([states.to_string(), threads.to_string()])
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let numbers: Vec<f64> = text.split_whitespace().flat_map(str::parse).collect();
    let &[
        states,
        transitions,
        bits,
        seconds,
        processor,
        accounted,
        resident,
    ] = &numbers[..]
    else {
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(io::Error::other(format!("{name} {task}: {errors}")));
    };
    Ok(Figures {
        states: states as u64,
        transitions: transitions as u64,
        bits: bits as usize,
        seconds,
        processor,
        accounted: accounted as u64,
        resident: resident as u64,
    })
}

/// The options of `--help`.
struct Plan {
    largest: u64,
    models: Vec<String>,
    tasks: Vec<String>,
    threads: Vec<usize>,
    runs: usize,
}

impl Plan {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut plan = Self {
            largest: 10_000_000,
            models: Vec::new(),
            tasks: Vec::new(),
            threads: Vec::new(),
            runs: 3,
        };
        while let Some(option) = arguments.next() {
            if option == "--bench" {
                continue;
            }
            let value = arguments.next().ok_or(format!("{option} needs a value"))?;
            let bad = |_| format!("{option} {value}: no such number");
            match option.as_str() {
                "--largest" => {
                    plan.largest = value.parse::<f64>().map_err(|e| e.to_string())? as u64
                }
                "--model" => plan.models.push(value),
                "--task" => plan.tasks.push(value),
                "--threads" => plan.threads.push(value.parse().map_err(bad)?),
                "--runs" => plan.runs = value.parse().map_err(bad)?,
                _ => return Err(format!("{option}: no such option; --help lists them")),
            }
        }
        let all = |names: &[&str]| names.iter().map(|&name| name.into()).collect();
        if plan.models.is_empty() {
            plan.models = all(MODELS);
        }
        if plan.tasks.is_empty() {
            plan.tasks = all(TASKS);
        }
        if plan.threads.is_empty() {
            plan.threads = vec![1, 2];
        }
        Ok(plan)
    }
}

fn report(plan: &Plan, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "| model | task | states | transitions | bits | threads | s | CPU s | Mstates/s | \
         B/state accounted | B/state resident |"
    )?;
    writeln!(out, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")?;
    for name in &plan.models {
        for task in &plan.tasks {
            let mut states = 100_000;
            while states <= plan.largest {
                for &threads in &plan.threads {
                    let mut best: Option<Figures> = None;
                    for _ in 0..plan.runs {
                        let figures = measure(name, task, states, threads)?;
                        if best.is_none_or(|best| figures.seconds < best.seconds) {
                            best = Some(figures);
                        }
                    }
                    let Some(best) = best else { continue };
                    let own = best.bits as f64 / 8.0;
                    let per_state = |bytes: u64| bytes as f64 / best.states as f64 - own;
                    writeln!(
                        out,
                        "| {name} | {task} | {} | {} | {} | {threads} | {:.3} | {:.3} | {:.2} | {:.1} | {:.1} |",
                        best.states,
                        best.transitions,
                        best.bits,
                        best.seconds,
                        best.processor,
                        best.states as f64 / best.seconds / 1e6,
                        per_state(best.accounted),
                        per_state(best.resident),
                    )?;
                    out.flush()?;
                }
                states *= 10;
            }
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, task, states, threads, ..] = &arguments[..]
        && flag == "--run"
    {
        // As in the commands.
        let threads = threads.parse().expect("a number");
        hyades::cli::core::memory::install("explore");
        parallel::take_part(threads);
        parallel::start(threads).expect("a few threads");
        let Figures {
            states,
            transitions,
            bits,
            seconds,
            processor,
            accounted,
            resident,
        } = run(name, task, states.parse().expect("a number"));
        println!("{states} {transitions} {bits} {seconds} {processor} {accounted} {resident}");
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--help") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let result = Plan::parse(arguments.into_iter())
        .and_then(|plan| report(&plan, &mut io::stdout()).map_err(|e| e.to_string()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("explore: {text}");
            ExitCode::FAILURE
        }
    }
}
