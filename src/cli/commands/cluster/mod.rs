//! `cluster`: a command that several processes run together.

mod launch;

use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Duration;

use clap::{ArgAction, Parser};
use hyades_cli_core::cluster::{Membership, enter, read_hosts};
use hyades_cli_core::{Asks, Command, Epilogue, Failure, RunOptions, Session, Status};

/// So many processes at the most.
const MOST: i64 = 1024;

const EPILOGUE: Epilogue = Epilogue {
    example: "hyades cluster run -n 4 -- minimize -e branching big.aut -o small.aut",
    asks: Asks::OfCommand,
    open: "a process was lost, a limit (--max-states, --max-memory) was reached",
};

/// Run a command by several processes, on this host or on many
///
/// Each process has a part of the states, none has all. What comes out is what the command
/// writes alone, byte for byte; but -o NAME.plts has a part of each process, with the same
/// content. COMMAND is minimize, equiv or reach with its own options; those that do not go
/// with several processes are refused. Its input is a file that each
/// process can read. If a process fails or is lost, all end within seconds, and no output
/// appears.
#[derive(Parser)]
#[command(
    name = "cluster",
    after_help = EPILOGUE.text(),
    subcommand_help_heading = "Modes",
    subcommand_value_name = "MODE"
)]
pub struct Cluster {
    #[command(subcommand)]
    mode: Option<Mode>,
    #[arg(skip)]
    run: RunOptions,
}

#[derive(clap::Subcommand)]
enum Mode {
    /// Start processes on this host, and wait for them
    ///
    /// They talk over the loopback interface. The first one writes to standard output; what
    /// the others say on standard error is marked with their numbers, and what several say is
    /// shown once. The exit status is that of the first one that fails, or of all.
    #[command(after_help = RUN.text())]
    Run(Run),

    /// Be one of the processes, on one of the hosts
    ///
    /// To be started once on each host, with the same options but for the number of the
    /// process. The processes trust whoever knows the number of the run: hosts and network
    /// have to be your own.
    #[command(after_help = JOIN.text(), disable_help_flag = true)]
    Join(Join),
}

const RUN: Epilogue = Epilogue {
    example: "hyades cluster run -n 4 -- minimize -e branching big.aut -o small.aut",
    asks: Asks::OfCommand,
    open: "a process was lost, a limit (--max-states, --max-memory) was reached",
};

const JOIN: Epilogue = Epilogue {
    example: "hyades cluster join -n 4 -p 2 -h hosts -- minimize big.plts -o small.aut",
    asks: Asks::OfCommand,
    open: "a process was lost, a limit (--max-states, --max-memory) was reached",
};

/// What both modes have.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Processes")]
struct Shared {
    /// How many processes there are, 1024 at most
    #[arg(short = 'n', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST))]
    processes: u16,

    /// Use N threads in each process, as -j of COMMAND [default: the processors of the
    /// host, shared among the processes that cluster run starts]
    #[arg(short = 'w', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    process_threads: Option<u16>,

    /// Give up a process that gives no sign of life for SECONDS, 2 at least
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_lost_after)]
    lost_after: f64,

    /// Give up if not all processes have come together after SECONDS
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = parse_seconds)]
    start_within: f64,
}

/// Checkpoints.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Checkpoints")]
struct CheckpointOptions {
    /// Save the state of minimize or equiv in DIR between rounds of the first -e, from time to
    /// time; the directory is on a file system that all processes share. It goes when the run
    /// ends well
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,

    /// Save it after SECONDS, at the end of the round
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = parse_seconds)]
    checkpoint_every: f64,

    /// Go on from the last checkpoint in DIR, of a run with the same input; it may have had
    /// another number of processes
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

/// The command that is run.
#[derive(clap::Args, Clone, Debug)]
struct Words {
    /// The command: minimize, equiv or reach, with its arguments
    #[arg(value_name = "COMMAND", last = true, required = true, num_args = 1.., help_heading = "Processes")]
    command: Vec<OsString>,
}

#[derive(clap::Args, Clone, Debug)]
struct Run {
    #[command(flatten)]
    shared: Shared,
    #[command(flatten)]
    checkpoints: CheckpointOptions,
    #[command(flatten)]
    words: Words,
}

#[derive(clap::Args, Clone, Debug)]
struct Join {
    #[command(flatten)]
    shared: Shared,

    /// The number of this process, from 0 on
    #[arg(short = 'p', long, value_name = "INDEX", help_heading = "Processes")]
    process: u16,

    /// A file with the address of each process, HOST:PORT, one a line in the order of
    /// their numbers
    #[arg(
        short = 'h',
        long,
        value_name = "FILE",
        help_heading = "Processes",
        required_unless_present = "local"
    )]
    hostfile: Option<PathBuf>,

    /// What only processes of this run know, 16 hexadecimal digits at most [default: the
    /// variable HYADES_RUN_ID, or a number made from the addresses]
    #[arg(long, value_name = "HEX", help_heading = "Processes", value_parser = parse_run_id)]
    run_id: Option<u64>,

    /// The ports of all processes, at the loopback interface: standard input is the socket
    /// at which this one listens
    #[arg(
        long,
        value_name = "PORTS",
        hide = true,
        value_delimiter = ',',
        conflicts_with = "hostfile"
    )]
    local: Vec<u16>,

    /// The process that has started this one at the loopback interface
    #[arg(long, value_name = "PID", hide = true, requires = "local")]
    parent: Option<i32>,

    #[command(flatten)]
    checkpoints: CheckpointOptions,

    /// Print help
    #[arg(long, action = ArgAction::HelpLong, help_heading = "Running")]
    help: Option<bool>,

    #[command(flatten)]
    words: Words,
}

/// The variable that has the number of a run.
const RUN_ID: &str = "HYADES_RUN_ID";

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("expected a number of seconds, 1000000 at most".into()),
    }
}

fn parse_lost_after(text: &str) -> Result<f64, String> {
    match parse_seconds(text) {
        Ok(seconds) if seconds >= 2.0 => Ok(seconds),
        _ => Err("expected a number of seconds from 2 to 1000000".into()),
    }
}

fn parse_run_id(text: &str) -> Result<u64, String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match u64::from_str_radix(text, 16) {
        Ok(number) if is_plain => Ok(number),
        _ => Err("expected 1 to 16 hexadecimal digits".into()),
    }
}

impl Command for Cluster {
    const NAME: &'static str = "cluster";
    const BRIEF: &'static str = include_str!("brief.txt");
    const MODE_BRIEFS: &'static [(&'static str, &'static str)] = &[
        ("run", include_str!("brief-run.txt")),
        ("join", include_str!("brief-join.txt")),
    ];

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        match self.mode {
            Some(Mode::Run(run)) => {
                run.words.check()?;
                launch::launch(session, &run)
            }
            // Whoever starts this runs the command in its place.
            Some(Mode::Join(_)) => unreachable!("see `Cluster::joined`"),
            None => Err(Failure::error(
                "a mode comes first: run or join, see hyades cluster -h",
            )),
        }
    }
}

impl Cluster {
    /// The commands that several processes can run together.
    pub const COMMANDS: [&str; 3] = ["equiv", "minimize", "reach"];

    /// The command that is to run in the place of this one, which is a process of a run from
    /// now on; none if this is not what the arguments say.
    ///
    /// # Errors
    /// If the options are wrong.
    pub fn joined(arguments: &[OsString]) -> Result<Option<Vec<OsString>>, Failure> {
        match Self::try_parse_from(arguments) {
            Ok(Self {
                mode: Some(Mode::Join(join)),
                ..
            }) => join.enter().map(Some),
            // Errors of usage are told where all commands tell them.
            Ok(_) | Err(_) => Ok(None),
        }
    }
}

impl Words {
    /// Refuses what several processes cannot run together.
    fn check(&self) -> Result<(), Failure> {
        let name = self.command[0].to_str().unwrap_or_default();
        match Cluster::COMMANDS.contains(&name) {
            true => Ok(()),
            false => Err(Failure::error(format!(
                "COMMAND is {}: several processes run {} together",
                hyades_formats::diagnostic::printable_path(&self.command[0]),
                Cluster::COMMANDS.join(", ")
            ))),
        }
    }
}

impl Join {
    fn enter(self) -> Result<Vec<OsString>, Failure> {
        self.words.check()?;
        let count = usize::from(self.shared.processes);
        let index = usize::from(self.process);
        if index >= count {
            return Err(Failure::error(format!(
                "process {index} (-p) of {count} (-n): the processes are numbered from 0 on"
            )));
        }
        let ((addresses, hosts), listener) = match &self.hostfile {
            Some(file) => (read_hosts(file, count)?, None),
            None => {
                #[cfg(target_os = "linux")]
                // If the one that has started this is killed, so is this.
                let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGTERM);
                let parent = nix::unistd::getppid().as_raw();
                if self.parent.is_some_and(|started| started != parent) {
                    return Err(Failure::error(
                        "hyades cluster run, which has started this process, has ended",
                    ));
                }
                let addresses = self.local.iter().map(|port| format!("127.0.0.1:{port}"));
                let socket = io::stdin().as_fd().try_clone_to_owned();
                let socket = socket.map_err(|error| Failure::reading("standard input", &error))?;
                // Whoever starts processes on this host gives them a number.
                ((addresses.collect(), 0), Some(TcpListener::from(socket)))
            }
        };
        let told = match std::env::var(RUN_ID) {
            Ok(text) => Some(
                parse_run_id(&text)
                    .map_err(|error| Failure::error(format!("the variable {RUN_ID}: {error}")))?,
            ),
            Err(_) => None,
        };
        let run = self.run_id.or(told).unwrap_or(hosts);
        let words = self.words.command;
        enter(Membership {
            addresses,
            index,
            listener: Mutex::new(listener),
            run,
            is_local: !self.local.is_empty(),
            words: words.clone(),
            threads: self.shared.process_threads,
            start_within: Duration::from_secs_f64(self.shared.start_within),
            lost_after: Duration::from_secs_f64(self.shared.lost_after),
            checkpoint: self.checkpoints.checkpoint.map(|directory| {
                let every = self.checkpoints.checkpoint_every;
                (directory, Duration::from_secs_f64(every))
            }),
            resume: self.checkpoints.resume,
        });
        Ok(words)
    }
}
