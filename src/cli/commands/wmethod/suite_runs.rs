//! `wmethod run`: options and what is written.

use std::ffi::OsString;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::ControlFlow;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ValueEnum;
use hyades_conformance::Machine;
use hyades_conformance::run::{
    Acknowledgement, Address, Flaky, JUnit, JsonReport, MachineSystem, Order, Outcome, Program,
    Protocol, Query, Report, Reset, RunError, RunOptions, Server, Silence, Stop, Summary,
    SystemUnderTest, Tap, kill_programs, run_suite,
};
use hyades_formats::diagnostic::{excerpt, printable_path};

use crate::machines::MachineInput;
use crate::suites::SuiteSource;
use hyades_cli_core::answer::JsonOption;
use hyades_cli_core::cleanup;
use hyades_cli_core::options::TextOption;
use hyades_cli_core::session::{RunOptions as CommandOptions, Session};
use hyades_cli_core::status::{Failure, Status};

/// `wmethod run`: against what a suite is run, and how.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running suites")]
pub struct Run {
    #[command(flatten)]
    system: SystemOptions,

    /// Write the results as tap (13), junit (XML) or json (an object a line)
    #[arg(
        long,
        value_name = "FORM",
        default_value = "tap",
        conflicts_with = "json"
    )]
    report: ReportForm,

    #[command(flatten)]
    protocol: ProtocolOptions,

    /// Run each test N times; if that does not give the same every time, the system
    /// is not deterministic, and the test fails
    #[arg(long, value_name = "N", default_value = "1")]
    repeat: NonZeroU32,

    /// With --repeat: the test passes if it does in more than half of the runs
    #[arg(long, requires = "repeat")]
    majority: bool,

    /// Stop after N tests that did not pass
    #[arg(long, value_name = "N")]
    stop_after: Option<NonZeroU64>,

    /// Run the tests as they come, the shortest first, or in an order drawn from
    /// --order-seed
    #[arg(long = "test-order", value_name = "ORDER", default_value = "given")]
    order: OrderName,

    /// The seed of a random order [default: 0]
    #[arg(long, value_name = "NUMBER", requires = "order")]
    order_seed: Option<u64>,

    #[command(flatten)]
    suite: SuiteSource,
    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    json: JsonOption,
    #[command(flatten)]
    input: MachineInput,
    #[command(flatten)]
    pub run: CommandOptions,
}

/// What is tested; one of these.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running suites")]
#[group(required = true, multiple = false)]
struct SystemOptions {
    /// Run the suite against the program that the shell starts for COMMAND: it gets
    /// an input a line and writes an output a line
    #[arg(long, value_name = "COMMAND")]
    command: Option<OsString>,

    /// Run the suite against the machine in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "ProtocolOptions")]
    against: Option<PathBuf>,

    /// Run the suite against a server: HOST:PORT, or unix:PATH
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    connect: Option<Address>,
}

/// How a program or a server is talked to.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Running suites")]
struct ProtocolOptions {
    /// Before each test, send this line
    #[arg(
        long,
        value_name = "LINE",
        default_value = "RESET",
        conflicts_with = "restart"
    )]
    reset: OsString,

    /// After the line of --reset, wait for this one, whatever comes before; `*` is any
    /// line
    #[arg(long, value_name = "LINE", conflicts_with = "restart")]
    reset_ack: Option<OsString>,

    /// Start the program, or connect, anew for each test, instead of sending the line
    /// of --reset
    #[arg(long)]
    restart: bool,

    /// Wait for this line when the program has started, or the connection is made; `*`
    /// is any line
    #[arg(long, value_name = "LINE")]
    ready: Option<OsString>,

    /// Wait no longer than TIME for an answer (500ms, 2s); a test without one fails
    /// [default: no limit]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// With --timeout: where no answer comes, TEXT is the output, instead of failing
    #[arg(long, value_name = "TEXT", requires = "timeout")]
    timeout_output: Option<OsString>,

    /// Send each test as one line of inputs, which is answered by one line of
    /// outputs and needs no reset
    #[arg(long, conflicts_with_all = ["reset", "reset_ack"])]
    query: bool,

    /// With --query: TEXT stands between inputs
    #[arg(long, value_name = "TEXT", requires = "query", default_value = " ")]
    between_inputs: OsString,

    /// With --query: TEXT stands between outputs
    #[arg(long, value_name = "TEXT", requires = "query", default_value = " ")]
    between_outputs: OsString,
}

/// Values of `--report`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum ReportForm {
    Tap,
    Junit,
    #[value(alias = "jsonl")]
    Json,
}

/// Values of `--test-order`.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum OrderName {
    Given,
    Shortest,
    Random,
}

/// A time with its unit: `500ms`, `2s`, `1.5s`, `1m`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time: expected a number and ms, s or m, as in 500ms");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" => 60.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let time = Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())?;
    match time.is_zero() {
        true => Err("no answer comes in no time: expected more, or no --timeout to wait for as long as it takes".into()),
        false => Ok(time),
    }
}

impl Run {
    /// Runs a suite and writes the results.
    ///
    /// # Errors
    /// If an input cannot be read, there is no suite or no system, or the output
    /// refuses.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        let system = &self.system;
        let others: Vec<&Path> = self
            .suite
            .files()
            .chain(system.against.as_deref())
            .collect();
        self.input.check_files(session, &destination, &others)?;
        let (machine, derived) = self.suite.get(session, &self.input, &destination)?;
        let machine = &machine;
        let name = printable_path(self.input.path());
        let other = match &system.against {
            Some(path) => Some(self.input.read(session, path)?),
            None => None,
        };
        match (&other, machine.initial_output()) {
            (Some(other), _) => check_kinds(machine, other)?,
            (None, Some(output)) if !self.protocol.waits_for(output) => session.note(format_args!(
                "the initial output is not compared: a system that writes {} after a reset is \
                 asked for it by --reset-ack",
                excerpt(output)
            )),
            (None, _) => {}
        }
        cleanup::at_end(kill_programs);
        let mut system: Box<dyn SystemUnderTest + '_> =
            match (&other, &system.command, &system.connect) {
                (Some(other), ..) => Box::new(MachineSystem::new(other)),
                (_, Some(command), _) => {
                    Box::new(Program::shell(command).speaking(self.protocol.get()))
                }
                (_, _, Some(address)) => {
                    Box::new(Server::new(address.clone()).speaking(self.protocol.get()))
                }
                (None, None, None) => unreachable!("one of the options is required"),
            };
        let options = RunOptions {
            repeat: self.repeat,
            flaky: match self.majority {
                true => Flaky::Majority,
                false => Flaky::Report,
            },
            stop_after: self.stop_after,
            ..RunOptions::default()
        };
        let order = match self.order {
            OrderName::Given => Order::AsGiven,
            OrderName::Shortest => Order::ShortestFirst,
            OrderName::Random => Order::Random(self.order_seed.unwrap_or(0)),
        };
        if self.order_seed.is_some() && self.order != OrderName::Random {
            return Err(Failure::error("--order-seed is for --test-order random"));
        }
        let mut ended: Option<Result<Summary, RunError>> = None;
        let is_one_object = self.json.is_wanted();
        let format = match self.report {
            _ if is_one_object => "json",
            ReportForm::Tap => "tap",
            ReportForm::Junit => "junit",
            ReportForm::Json => "json",
        };
        session.write_by(&destination, format, |out| {
            // Whoever watches sees each result when it is there.
            let mut watched = Watched(out);
            let out: &mut dyn Write = match other {
                Some(_) => watched.0,
                None => &mut watched,
            };
            let mut report: Box<dyn Report + '_> = match self.report {
                _ if is_one_object => Box::new(JsonReport::one_object(out)),
                ReportForm::Tap => Box::new(Tap::new(out)),
                ReportForm::Junit => Box::new(JUnit::new(out, &name)),
                ReportForm::Json => Box::new(JsonReport::new(out)),
            };
            let tests = |tell: &mut dyn FnMut(&[_]) -> ControlFlow<Stop>| {
                let told = derived.each_test(machine, |test| match tell(test) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(stop) => Err(stop),
                });
                match told {
                    Ok(_) => ControlFlow::Continue(()),
                    Err(stop) => ControlFlow::Break(stop),
                }
            };
            match run_suite(machine, tests, order, &mut *system, options, &mut *report) {
                Err(RunError::Report(error)) => Err(error),
                result => {
                    ended = Some(result);
                    Ok(())
                }
            }
        })?;
        let summary = match ended {
            Some(Ok(summary)) => summary,
            Some(Err(error)) => return Err(Failure::error(error.to_string())),
            None => unreachable!("the report was written"),
        };
        session.note(&summary);
        session.add_figure("tests_run", summary.tests);
        session.add_figure("tests_passed", summary.passed);
        session.add_figure("tests_failed", summary.failed);
        session.add_figure("tests_not_deterministic", summary.flaky);
        session.add_figure("tests_not_executed", summary.errors);
        Ok(match summary.outcome() {
            Outcome::Pass => Status::Holds,
            Outcome::Fail => Status::Fails,
            Outcome::Error => Status::Trouble,
        })
    }
}

impl ProtocolOptions {
    /// Whether a system has to write this, and nothing else, before the first input.
    fn waits_for(&self, output: &[u8]) -> bool {
        let line = self.reset_ack.as_ref();
        line.is_some_and(|line| line != "*" && line.as_bytes() == output)
    }

    fn get(&self) -> Protocol {
        let bytes = |text: &OsString| -> Box<[u8]> { text.clone().into_vec().into() };
        let acknowledgement = |line: &Option<OsString>| match line {
            None => Acknowledgement::None,
            Some(any) if any == "*" => Acknowledgement::Any,
            Some(line) => Acknowledgement::Line(bytes(line)),
        };
        Protocol {
            reset: match (self.restart, self.query) {
                (true, _) => Reset::Restart,
                (false, true) => Reset::None,
                (false, false) => Reset::Line {
                    text: bytes(&self.reset),
                    acknowledgement: acknowledgement(&self.reset_ack),
                },
            },
            ready: acknowledgement(&self.ready),
            start_timeout: self.timeout,
            timeout: self.timeout,
            silence: match &self.timeout_output {
                Some(output) => Silence::Output(bytes(output)),
                None => Silence::Fail,
            },
            query: self.query.then(|| Query {
                between_inputs: bytes(&self.between_inputs),
                between_outputs: bytes(&self.between_outputs),
            }),
            ..Protocol::default()
        }
    }
}

/// Refuses a machine of another kind than the specification, as to initial outputs.
///
/// # Errors
/// If only one of them is a Moore machine.
fn check_kinds(machine: &Machine, other: &Machine) -> Result<(), Failure> {
    let (this, that) = match (machine.initial_output(), other.initial_output()) {
        (None, None) | (Some(_), Some(_)) => return Ok(()),
        (Some(_), None) => ("a Moore machine", "the other is not"),
        (None, Some(_)) => ("no Moore machine", "the other is one"),
    };
    Err(Failure::error(format!(
        "the specification is {this}, with an output before the first input; {that}"
    )))
}

/// Passes on what is written, line by line.
struct Watched<'a>(&'a mut dyn Write);

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        if bytes[..written].contains(&b'\n') {
            self.0.flush()?;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// `HOST:PORT` or `unix:PATH`.
fn address(text: &str) -> Result<Address, String> {
    let is_port = |port: &str| port.parse::<u16>().is_ok_and(|port| port > 0);
    match (text.strip_prefix("unix:"), text.rsplit_once(':')) {
        (Some(path), _) if !path.is_empty() => Ok(Address::Unix(path.into())),
        (None, Some((host, port))) if !host.is_empty() && is_port(port) => {
            Ok(Address::Tcp(text.into()))
        }
        _ => Err("expected HOST:PORT, as in localhost:7777, or unix:PATH".into()),
    }
}
