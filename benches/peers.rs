//! Measures `transcode`, `minimize` and `reduce` side by side with the tools that
//! do the same work: `ltsconvert` (mCRL2), `merc-lts` (merc), `boa`, and
//! `ltsmin-convert` and `ltsmin-reduce` (LTSmin). `--help` tells how to run it,
//! BENCHMARKS.md holds the last figures.

mod measure;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use measure::{Run, Sampling, aut_header, run};

const HELP: &str = "\
Compares transcode, minimize and reduce with other tools on the same AUT files.

Usage: cargo bench --bench peers -- [OPTIONS] INPUT...

INPUT is an uncompressed AUT file whose hidden label is i, or a directory: all
its files *.aut. The other tools are looked for on PATH; those that are not
there are left out, with a note. Every tool runs on every input once unmeasured
in time but watched for memory (which also warms the page cache), then N times
for time, in turns A B C A B C. The report, in Markdown, goes to standard
output.

Options:
  --tasks LIST     of identity,strong,branching,divbranching,weak,sim,ready-sim,
                   tau-compression
                   (default: all)
  --runs N         timed runs of each tool (default: 3)
  --seconds S      no further timed run of a tool on an input once its timed
                   runs there took S seconds together (default: 60)
  --limit S        a run is ended after S seconds (default: 60)
  --threads N      threads of our tools (default: 2)
  --discard        write to /dev/null: no counts are compared
  --scratch DIR    where outputs go (default: the system's temporary directory)
  --raw FILE       also write every single run, tab-separated
";

/// A piece of work that several tools can do, from an AUT file to an AUT file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Task {
    Identity,
    Strong,
    Branching,
    DivBranching,
    Weak,
    Simulation,
    ReadySimulation,
    TauCompression,
}

impl Task {
    const ALL: [Task; 8] = [
        Task::Identity,
        Task::Strong,
        Task::Branching,
        Task::DivBranching,
        Task::Weak,
        Task::Simulation,
        Task::ReadySimulation,
        Task::TauCompression,
    ];

    fn name(self) -> &'static str {
        match self {
            Task::Identity => "identity",
            Task::Strong => "strong",
            Task::Branching => "branching",
            Task::DivBranching => "divbranching",
            Task::Weak => "weak",
            Task::Simulation => "sim",
            Task::ReadySimulation => "ready-sim",
            Task::TauCompression => "tau-compression",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Task::Identity => "Reading and writing",
            Task::Strong => "Strong bisimulation",
            Task::Branching => "Branching bisimulation",
            Task::DivBranching => "Divergence-preserving branching bisimulation",
            Task::Weak => "Weak bisimulation",
            Task::Simulation => "Simulation equivalence",
            Task::ReadySimulation => "Ready simulation equivalence",
            Task::TauCompression => "Hidden cycles made one state",
        }
    }

    /// The most memory of its own our tool may take, in bytes a transition and
    /// bytes a state, where a bound is promised.
    fn promised_memory(self) -> Option<(u64, u64)> {
        match self {
            Task::Identity => Some((12, 0)),
            Task::Strong => Some((24, 32)),
            Task::Branching
            | Task::DivBranching
            | Task::Weak
            | Task::Simulation
            | Task::ReadySimulation
            | Task::TauCompression => None,
        }
    }
}

/// The tools, ours first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tool {
    Hyades,
    MercLts,
    Boa,
    Ltsconvert,
    Ltsmin,
}

impl Tool {
    const ALL: [Tool; 5] = [
        Tool::Hyades,
        Tool::MercLts,
        Tool::Boa,
        Tool::Ltsconvert,
        Tool::Ltsmin,
    ];

    /// The program for this task, nothing if the tool has none.
    fn program(self, task: Task) -> Option<&'static str> {
        match (self, task) {
            (Tool::Hyades, Task::Identity) => Some(env!("CARGO_BIN_EXE_transcode")),
            (Tool::Hyades, Task::TauCompression) => Some(env!("CARGO_BIN_EXE_reduce")),
            (Tool::Hyades, _) => Some(env!("CARGO_BIN_EXE_minimize")),
            (Tool::MercLts, Task::Strong | Task::Branching | Task::Weak) => Some("merc-lts"),
            (Tool::Boa, Task::Strong) => Some("boa"),
            (Tool::Ltsconvert, _) => Some("ltsconvert"),
            (Tool::Ltsmin, Task::Identity) => Some("ltsmin-convert"),
            (
                Tool::Ltsmin,
                Task::TauCompression | Task::Weak | Task::Simulation | Task::ReadySimulation,
            ) => None,
            (Tool::Ltsmin, _) => Some("ltsmin-reduce"),
            _ => None,
        }
    }

    fn title(self, task: Task) -> &'static str {
        match (self, task) {
            (Tool::Hyades, Task::Identity) => "transcode",
            (Tool::Hyades, Task::TauCompression) => "reduce",
            (Tool::Hyades, _) => "minimize",
            (Tool::Boa, _) => "boa (refinement only)",
            (tool, task) => tool.program(task).unwrap_or(""),
        }
    }

    /// The command for one run. `input` is what [`Tool::prepare`] gave. Our
    /// tools write to standard output when `discard` is set, as an output file
    /// of theirs replaces what was there, also a link to /dev/null.
    fn command(
        self,
        task: Task,
        options: &Options,
        input: &Path,
        output: &Path,
    ) -> Option<Command> {
        let mut command = Command::new(self.program(task)?);
        match self {
            Tool::Hyades => {
                match task {
                    Task::Identity => &mut command,
                    Task::TauCompression => command.args(["-r", task.name()]),
                    _ => command.args(["-e", task.name()]),
                };
                command.arg("-j").arg(options.threads.to_string());
                command.arg("-q").arg(input);
                if !options.discard {
                    command.arg("-o").arg(output);
                }
            }
            Tool::MercLts => {
                command.arg("reduce").arg(match task {
                    Task::Strong => "strong-bisim",
                    Task::Weak => "weak-bisim",
                    _ => "branching-bisim",
                });
                command.arg(input).arg(output).args(["--tau", "i"]);
            }
            Tool::Boa => {
                command.arg("nlogn").arg(input);
            }
            Tool::Ltsconvert => {
                match task {
                    // Without this it leaves out what cannot be reached.
                    Task::Identity => command.arg("--no-reach"),
                    Task::Strong => command.args(["--equivalence=bisim", "--tau=i"]),
                    Task::Branching => command.args(["--equivalence=branching-bisim", "--tau=i"]),
                    Task::DivBranching => {
                        command.args(["--equivalence=dpbranching-bisim", "--tau=i"])
                    }
                    Task::Weak => command.args(["--equivalence=weak-bisim", "--tau=i"]),
                    Task::Simulation => command.args(["--equivalence=sim", "--tau=i"]),
                    Task::ReadySimulation => command.args(["--equivalence=ready-sim", "--tau=i"]),
                    Task::TauCompression => command.args(["--equivalence=tau-scc", "--tau=i"]),
                };
                command.arg(input).arg(output);
            }
            Tool::Ltsmin => {
                match task {
                    Task::Identity => command.arg("--copy"),
                    Task::Strong => command.arg("--strong"),
                    Task::Branching => command.arg("--branching"),
                    Task::DivBranching => command.args(["--branching", "--divergence"]),
                    Task::Weak
                    | Task::Simulation
                    | Task::ReadySimulation
                    | Task::TauCompression => return None,
                };
                command.arg(input).arg(output);
            }
        }
        Some(command)
    }

    /// What the tool is given for `input`: the file itself, but for boa, which
    /// reads a form of its own that it makes from AUT files with a header in
    /// one certain spelling.
    fn prepare(self, input: &Path, scratch: &Path) -> io::Result<PathBuf> {
        if self != Tool::Boa {
            return Ok(input.to_owned());
        }
        let spelt = scratch.join("boa.aut");
        let binary = scratch.join("boa.boa");
        let [initial, transitions, states] = aut_header(input)?;
        let mut text = BufReader::new(File::open(input)?);
        text.skip_until(b'\n')?;
        let mut out = File::create(&spelt)?;
        writeln!(out, "des ({initial}, {transitions}, {states})")?;
        io::copy(&mut text, &mut out)?;
        drop(out);
        if binary.exists() {
            fs::remove_file(&binary)?;
        }
        let converted = Command::new("boa").arg("convert").arg(&spelt).output()?;
        fs::remove_file(&spelt)?;
        if !converted.status.success() {
            return Err(io::Error::other(format!(
                "boa convert: {}",
                converted.status
            )));
        }
        Ok(binary)
    }

    /// The size of the result of a run.
    fn result(self, stdout: &Path, output: &Path) -> io::Result<Size> {
        if self == Tool::Boa {
            let text = fs::read_to_string(stdout)?;
            let states = text
                .lines()
                .find_map(|line| line.strip_prefix("n_states_min: ")?.trim().parse().ok());
            return match states {
                Some(states) => Ok(Size {
                    states,
                    transitions: None,
                }),
                None => Err(io::Error::other("boa told no number of blocks")),
            };
        }
        size_of_aut(output)
    }
}

/// What a tool says of its result; boa counts states only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Size {
    states: u64,
    transitions: Option<u64>,
}

impl Size {
    /// Whether both can be the size of one LTS.
    fn agrees(self, other: Size) -> bool {
        self.states == other.states
            && match (self.transitions, other.transitions) {
                (Some(mine), Some(theirs)) => mine == theirs,
                _ => true,
            }
    }

    fn show(self) -> String {
        match self.transitions {
            Some(transitions) => format!("{} / {transitions}", self.states),
            None => self.states.to_string(),
        }
    }
}

fn size_of_aut(path: &Path) -> io::Result<Size> {
    let [_, transitions, states] = aut_header(path)?;
    Ok(Size {
        states,
        transitions: Some(transitions),
    })
}

struct Options {
    tasks: Vec<Task>,
    runs: usize,
    seconds: Duration,
    limit: Duration,
    threads: usize,
    discard: bool,
    scratch: PathBuf,
    raw: Option<PathBuf>,
    inputs: Vec<PathBuf>,
}

impl Options {
    /// Reads the command line; an error is a sentence for the user.
    fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Options, String> {
        let mut options = Options {
            tasks: Task::ALL.to_vec(),
            runs: 3,
            seconds: Duration::from_secs(60),
            limit: Duration::from_secs(60),
            threads: 2,
            discard: false,
            scratch: std::env::temp_dir(),
            raw: None,
            inputs: Vec::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || {
                arguments
                    .next()
                    .ok_or(format!("{} needs a value", argument.display()))
            };
            match argument.to_str() {
                // cargo bench adds this one.
                Some("--bench") => {}
                Some("--tasks") => {
                    let list = value()?.to_string_lossy().into_owned();
                    options.tasks = list.split(',').map(task).collect::<Result<_, _>>()?;
                }
                Some("--runs") => options.runs = number(&value()?)?,
                Some("--threads") => options.threads = number(&value()?)?,
                Some("--seconds") => options.seconds = seconds(&value()?)?,
                Some("--limit") => options.limit = seconds(&value()?)?,
                Some("--discard") => options.discard = true,
                Some("--scratch") => options.scratch = value()?.into(),
                Some("--raw") => options.raw = Some(value()?.into()),
                Some(option) if option.starts_with("--") => {
                    return Err(format!("unknown option {option}"));
                }
                _ => options.inputs.extend(aut_files(Path::new(&argument))?),
            }
        }
        Ok(options)
    }
}

fn task(name: &str) -> Result<Task, String> {
    Task::ALL
        .into_iter()
        .find(|task| task.name() == name)
        .ok_or(format!("no task {name}"))
}

fn number(text: &OsString) -> Result<usize, String> {
    match text.to_str().and_then(|text| text.parse().ok()) {
        Some(number) if number > 0 => Ok(number),
        _ => Err(format!("not a positive number: {}", text.display())),
    }
}

fn seconds(text: &OsString) -> Result<Duration, String> {
    text.to_str()
        .and_then(|text| text.parse().ok())
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or(format!("not a number of seconds: {}", text.display()))
}

/// The file itself, or the AUT files of a directory in the order of their
/// names.
fn aut_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "aut"))
        .collect();
    files.sort();
    Ok(files)
}

/// Where `program` is, if it is on PATH or a path itself.
fn on_path(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

/// The first line that `program --version` writes, on either stream.
fn version(program: &str) -> String {
    let Ok(output) = Command::new(program).arg("--version").output() else {
        return "?".into();
    };
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text)
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or("?")
        .to_owned()
}

/// The middle value (the lower of the two middle ones), nothing of nothing.
fn median<T: Ord + Copy>(mut values: Vec<T>) -> Option<T> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

/// All that was measured for one tool, task and input.
struct Figures {
    /// The run watched for memory; its time is no figure.
    watched: Run,
    /// The timed runs, none if the watched one failed.
    timed: Vec<Run>,
    size: Option<Size>,
    note: Option<String>,
}

impl Figures {
    fn wall(&self) -> Option<Duration> {
        median(self.timed.iter().map(|run| run.wall).collect())
    }

    fn processor(&self) -> Option<Duration> {
        median(self.timed.iter().map(|run| run.processor).collect())
    }

    /// Peak resident set, the largest of all runs.
    fn resident(&self) -> u64 {
        let runs = self.timed.iter().chain([&self.watched]);
        runs.map(|run| run.resident).max().unwrap_or(0)
    }

    fn anonymous(&self) -> u64 {
        self.watched.anonymous.unwrap_or(0)
    }
}

/// One input with the figures of each tool that was there.
struct Row {
    name: String,
    size: Size,
    figures: BTreeMap<Tool, Figures>,
}

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let options = match Options::parse(arguments) {
        Ok(options) if !options.inputs.is_empty() => options,
        // Also how `cargo test --all-targets` calls it.
        Ok(_) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(message) => {
            if message.contains("--help") {
                print!("{HELP}");
                return ExitCode::SUCCESS;
            }
            eprintln!("peers: {message}");
            return ExitCode::from(2);
        }
    };
    match measure_all(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peers: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_all(options: &Options) -> io::Result<()> {
    print!("{}", describe_surroundings(options));
    let mut raw = match &options.raw {
        Some(path) => {
            let mut file = File::create(path)?;
            writeln!(
                file,
                "task\tinput\ttool\trun\toutcome\twall_s\tcpu_s\tresident_bytes\tanonymous_bytes"
            )?;
            Some(file)
        }
        None => None,
    };
    for &task in &options.tasks {
        let tools: Vec<Tool> = Tool::ALL
            .into_iter()
            .filter(|tool| tool.program(task).is_some_and(on_path))
            .collect();
        let mut rows = Vec::new();
        for input in &options.inputs {
            let scratch = tempfile::Builder::new()
                .prefix("peers")
                .tempdir_in(&options.scratch)?;
            let row = measure_row(task, &tools, input, scratch.path(), options)?;
            if let Some(raw) = &mut raw {
                write_raw(raw, task, &row)?;
            }
            eprintln!("{} {} done", task.name(), row.name);
            rows.push(row);
        }
        print!("{}", report(task, &tools, &rows, options));
        io::stdout().flush()?;
    }
    Ok(())
}

fn measure_row(
    task: Task,
    tools: &[Tool],
    input: &Path,
    scratch: &Path,
    options: &Options,
) -> io::Result<Row> {
    let output = scratch.join("out.aut");
    let stdout = scratch.join("stdout");
    let stderr = scratch.join("stderr");
    let once = |tool: Tool, prepared: &Path, sampling| -> io::Result<Run> {
        // Each run writes a file of its own, as truncating the last one would
        // cost time.
        let _ = fs::remove_file(&output);
        let stdout = if options.discard {
            std::os::unix::fs::symlink("/dev/null", &output)?;
            File::create("/dev/null")?
        } else {
            File::create(&stdout)?
        };
        let mut command = tool
            .command(task, options, prepared, &output)
            .expect("only tools with a program for the task are measured");
        run(&mut command, stdout, &stderr, options.limit, sampling)
    };

    let mut prepared = BTreeMap::new();
    let mut figures = BTreeMap::new();
    for &tool in tools {
        let path = match tool.prepare(input, scratch) {
            Ok(path) => path,
            Err(error) => {
                eprintln!("{}: {}: {error}", input.display(), tool.title(task));
                continue;
            }
        };
        let watched = once(tool, &path, Sampling::Memory)?;
        let mut note = watched.outcome.note();
        let mut size = None;
        if note.is_none() && !(options.discard) {
            match tool.result(&stdout, &output) {
                Ok(told) => size = Some(told),
                Err(_) => note = Some("no result".into()),
            }
        }
        prepared.insert(tool, path);
        figures.insert(
            tool,
            Figures {
                watched,
                timed: Vec::new(),
                size,
                note,
            },
        );
    }
    for round in 0..options.runs {
        for &tool in tools {
            let Some(so_far) = figures.get_mut(&tool) else {
                continue;
            };
            let spent: Duration = so_far.timed.iter().map(|run| run.wall).sum();
            if so_far.note.is_some() || (round > 0 && spent > options.seconds) {
                continue;
            }
            let run = once(tool, &prepared[&tool], Sampling::Off)?;
            so_far.note = run.outcome.note();
            so_far.timed.push(run);
        }
    }
    let name = input.file_stem().unwrap_or(input.as_os_str());
    Ok(Row {
        name: name.to_string_lossy().into_owned(),
        size: size_of_aut(input)?,
        figures,
    })
}

fn write_raw(out: &mut File, task: Task, row: &Row) -> io::Result<()> {
    for (tool, figures) in &row.figures {
        let runs = [&figures.watched].into_iter().chain(&figures.timed);
        for (number, run) in runs.enumerate() {
            writeln!(
                out,
                "{}\t{}\t{}\t{number}\t{}\t{:.6}\t{:.6}\t{}\t{}",
                task.name(),
                row.name,
                tool.title(task),
                run.outcome.note().unwrap_or("done".into()),
                run.wall.as_secs_f64(),
                run.processor.as_secs_f64(),
                run.resident,
                run.anonymous
                    .map_or(String::new(), |bytes| bytes.to_string()),
            )?;
        }
    }
    Ok(())
}

/// The machine, the tools and their versions, how the runs are made.
fn describe_surroundings(options: &Options) -> String {
    let mut text = String::new();
    let model = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, name)| name.trim());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let _ = writeln!(text, "Machine: {model}, {cores} processors.\n");
    let _ = writeln!(
        text,
        "Ours: hyades {}, {} threads.",
        env!("CARGO_PKG_VERSION"),
        options.threads
    );
    for program in [
        "merc-lts",
        "boa",
        "ltsconvert",
        "ltsmin-convert",
        "ltsmin-reduce",
    ] {
        let found = match on_path(program) {
            true => version(program),
            false => "not on PATH, left out".into(),
        };
        let _ = writeln!(text, "{program}: {found}.");
    }
    let _ = writeln!(
        text,
        "\nMedians of {} runs in turns, output to {}. A run is ended after {} s.",
        options.runs,
        match options.discard {
            true => "/dev/null",
            false => "a file",
        },
        options.limit.as_secs_f64()
    );
    text
}

/// The tables of one task: times, then memory, then the comparison.
fn report(task: Task, tools: &[Tool], rows: &[Row], options: &Options) -> String {
    let mut text = format!("\n## {}\n\n", task.title());
    text.push_str("Wall time, processor time, peak resident set.\n\n");
    let titles: Vec<&str> = tools.iter().map(|tool| tool.title(task)).collect();
    let _ = writeln!(
        text,
        "| input | states | transitions | result | {} |\n|---|---|---|---|{}",
        titles.join(" | "),
        "---|".repeat(tools.len())
    );
    for row in rows {
        let agreed = row.figures.values().find_map(|figures| figures.size);
        let cells: Vec<String> = tools
            .iter()
            .map(|tool| time_cell(row.figures.get(tool), agreed, options))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            row.name,
            row.size.states,
            row.size.transitions.unwrap_or(0),
            agreed.map_or(String::new(), Size::show),
            cells.join(" | ")
        );
    }
    text.push_str(&memory_table(task, tools, rows));
    text.push_str(&comparison(task, tools, rows));
    text
}

fn time_cell(figures: Option<&Figures>, agreed: Option<Size>, options: &Options) -> String {
    let Some(figures) = figures else {
        return "not run".into();
    };
    if let Some(note) = &figures.note {
        return note.clone();
    }
    let (Some(wall), Some(processor)) = (figures.wall(), figures.processor()) else {
        return "no timed run".into();
    };
    let mut cell = format!(
        "{:.3} s, {:.3} s, {} MB",
        wall.as_secs_f64(),
        processor.as_secs_f64(),
        figures.resident() >> 20
    );
    if figures.timed.len() < options.runs {
        let _ = write!(cell, " ({} runs)", figures.timed.len());
    }
    if let (Some(size), Some(agreed)) = (figures.size, agreed)
        && !size.agrees(agreed)
    {
        let _ = write!(cell, " **≠ {}**", size.show());
    }
    cell
}

/// Memory of the tools' own, that is without mapped files, in bytes a
/// transition of the input.
fn memory_table(task: Task, tools: &[Tool], rows: &[Row]) -> String {
    let mut text = String::from(
        "\nPeak memory without mapped files, in bytes a transition of the input \
         (sampled every 200 µs).\n\n",
    );
    let titles: Vec<&str> = tools.iter().map(|tool| tool.title(task)).collect();
    let promise = task.promised_memory();
    let _ = writeln!(
        text,
        "| input | {} |{}\n|---|{}{}",
        titles.join(" | "),
        match promise {
            Some((transition, 0)) => format!(" ours against {transition} a transition |"),
            Some((transition, state)) =>
                format!(" ours against {transition} a transition and {state} a state |"),
            None => String::new(),
        },
        "---|".repeat(tools.len()),
        if promise.is_some() { "---|" } else { "" },
    );
    for row in rows {
        let transitions = row.size.transitions.unwrap_or(0).max(1);
        let _ = write!(text, "| {} |", row.name);
        for tool in tools {
            let cell = match row.figures.get(tool) {
                Some(figures) if figures.note.is_none() => {
                    format!("{:.1}", figures.anonymous() as f64 / transitions as f64)
                }
                _ => String::new(),
            };
            let _ = write!(text, " {cell} |");
        }
        if let (Some((a_transition, a_state)), Some(ours)) =
            (promise, row.figures.get(&Tool::Hyades))
        {
            let allowed = a_transition * transitions + a_state * row.size.states;
            let _ = write!(
                text,
                " {:.1} of {:.1} MB |",
                ours.anonymous() as f64 / 1e6,
                allowed as f64 / 1e6
            );
        }
        text.push('\n');
    }
    text
}

/// How many times our wall time each peer takes: least, middle and most, and
/// where a peer is faster.
fn comparison(task: Task, tools: &[Tool], rows: &[Row]) -> String {
    let mut text = String::from("\nWall time as a multiple of ours.\n\n");
    text.push_str("| peer | least | median | most | faster than ours on |\n");
    text.push_str("|---|---|---|---|---|\n");
    for tool in tools.iter().filter(|tool| **tool != Tool::Hyades) {
        let mut factors: Vec<(f64, &Row)> = rows
            .iter()
            .filter_map(|row| {
                let wall = |tool| {
                    let figures: &Figures = row.figures.get(tool)?;
                    match figures.note {
                        None => figures.wall(),
                        Some(_) => None,
                    }
                };
                let theirs = wall(tool)?.as_secs_f64();
                Some((theirs / wall(&Tool::Hyades)?.as_secs_f64(), row))
            })
            .collect();
        factors.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (Some(least), Some(most)) = (factors.first(), factors.last()) else {
            continue;
        };
        let faster: Vec<&str> = factors
            .iter()
            .filter(|(factor, _)| *factor < 1.0)
            .map(|(_, row)| row.name.as_str())
            .collect();
        let _ = writeln!(
            text,
            "| {} | {:.2} ({}) | {:.2} | {:.2} ({}) | {} |",
            tool.title(task),
            least.0,
            least.1.name,
            factors[factors.len() / 2].0,
            most.0,
            most.1.name,
            match faster.is_empty() {
                true => "none".into(),
                false => faster.join(", "),
            }
        );
    }
    text
}
