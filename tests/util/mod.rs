//! Running the real binaries in a scratch directory, as a user would.

#![allow(dead_code)] // every test file uses a part of this

use std::fmt::Debug;
use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{SigHandler, Signal, signal};

/// A Mealy machine of two states that `a` tells apart.
pub const TOGGLE: &str = "\
des (0, 4, 2)
(0, \"a/0\", 1)
(0, \"b/0\", 0)
(1, \"a/1\", 0)
(1, \"b/0\", 1)
";

/// All commands but the umbrella.
pub const COMMANDS: [&str; 14] = [
    "check",
    "describe",
    "draw",
    "equiv",
    "generate",
    "kernel",
    "minimize",
    "reach",
    "reduce",
    "refine",
    "relabel",
    "svl",
    "transcode",
    "wmethod",
];

/// The modes of commands that have them.
pub const MODES: [(&str, &str); 9] = [
    ("kernel", "derive"),
    ("kernel", "check"),
    ("kernel", "find-symmetry"),
    ("kernel", "find-order"),
    ("wmethod", "derive"),
    ("wmethod", "check"),
    ("wmethod", "reduce"),
    ("wmethod", "mutants"),
    ("wmethod", "run"),
];

/// Commands with one INPUT.
pub const FILTERS: [&str; 6] = [
    "describe",
    "minimize",
    "reach",
    "reduce",
    "relabel",
    "transcode",
];

/// Two coins for a coffee, one for a tea; states 6 and 7 are unreachable.
pub const VENDING: &str = include_str!("../../testdata/vending.aut");

/// The path of a command.
pub fn binary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_hyades")).with_file_name(name)
}

/// A directory of its own, removed at the end.
pub struct Scratch {
    dir: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a scratch directory"),
        }
    }

    /// A scratch directory with `vending.aut` in it.
    pub fn with_vending() -> Self {
        let scratch = Self::new();
        scratch.write("vending.aut", VENDING);
        scratch
    }

    /// A scratch directory with `vending.aut`, random transitions in order, in no order and in
    /// parts, and copies of a small LTS.
    pub fn with_systems() -> Self {
        let scratch = Self::with_vending();
        for script in [
            "generate random 3000 9000 --alphabet 3 -o random.aut",
            "generate lift 300 4 -o lift.aut",
            "transcode random.aut --parts 3 -o random.plts",
            "{ head -n 1 random.aut; tail -n +2 random.aut | sort; } > unsorted.aut",
        ] {
            scratch.shell(script).ok();
        }
        scratch
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), content).expect("a file in the scratch directory");
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.dir.path())
            .expect("the scratch directory")
            .map(|e| e.expect("a name").file_name().into_string().expect("ASCII"))
            .collect();
        names.sort();
        names
    }

    /// The command, to run here. It is called as its launcher calls it, which takes as long
    /// to start as a small command to run; those of scripts come by launchers.
    pub fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary("hyades"));
        command
            .arg0(name)
            .args(arguments)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command with nothing on standard input.
    pub fn run(&self, name: &str, arguments: &[&str]) -> Run {
        finish(self.command(name, arguments))
    }

    /// Runs the command with this on standard input, through a pipe.
    pub fn feed(&self, name: &str, arguments: &[&str], input: impl AsRef<[u8]>) -> Run {
        let mut command = self.command(name, arguments);
        command.stdin(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        let input = input.as_ref().to_owned();
        // The command may answer before it has read everything.
        let feeder = thread::spawn(move || {
            let _ = pipe.write_all(&input);
        });
        let run = wait(child, format!("{command:?}"));
        feeder.join().expect("feeding does not panic");
        run
    }

    /// Runs a pipeline or script, with the commands in PATH.
    pub fn shell(&self, script: &str) -> Run {
        let mut command = Command::new("bash");
        let bin = binary("hyades");
        let mut path = bin.parent().expect("a directory").as_os_str().to_owned();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        command
            .args(["-c", script])
            .env("PATH", path)
            .current_dir(self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        finish(command)
    }
}

/// Runs a prepared command to its end.
pub fn finish(mut command: Command) -> Run {
    let what = format!("{command:?}");
    let child = command.spawn().unwrap_or_else(|e| panic!("{what}: {e}"));
    wait(child, what)
}

/// Waits for a child whose outputs are piped.
pub fn wait(child: Child, what: String) -> Run {
    let output = child.wait_with_output().expect("outputs can be read");
    Run {
        what,
        status: output.status,
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What a command did.
pub struct Run {
    what: String,
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// Its standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("the output is text")
    }

    /// It ended with this exit status.
    #[track_caller]
    pub fn status(self, code: i32) -> Self {
        assert_eq!(
            self.status.code(),
            Some(code),
            "{}\n{}\n{}",
            self.what,
            self.stderr,
            String::from_utf8_lossy(&self.stdout)
        );
        self
    }

    /// It ended well and had nothing to say on standard error.
    #[track_caller]
    pub fn ok(self) -> Self {
        let run = self.status(0);
        assert_eq!(run.stderr, "", "{}", run.what);
        run
    }

    /// It was ended by this signal.
    #[track_caller]
    pub fn signal(self, number: i32) -> Self {
        assert_eq!(
            self.status.signal(),
            Some(number),
            "{}: {}\n{}",
            self.what,
            self.status,
            self.stderr
        );
        self
    }

    /// It said this on standard error.
    #[track_caller]
    pub fn says(self, part: &str) -> Self {
        assert!(
            self.stderr.contains(part),
            "{}\nsays: {}\nbut not: {part}",
            self.what,
            self.stderr
        );
        self
    }

    /// It said nothing on standard error.
    #[track_caller]
    pub fn silent(self) -> Self {
        assert_eq!(self.stderr, "", "{}", self.what);
        self
    }

    /// It printed exactly this.
    #[track_caller]
    pub fn prints(self, text: &str) -> Self {
        assert_eq!(self.text(), text, "{}", self.what);
        self
    }
}

/// Compares texts that are equal but for the order of lines.
#[track_caller]
pub fn same_lines(a: &str, b: &str) {
    let sorted = |text: &str| {
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(a), sorted(b));
}

/// A JSON file as a value.
pub fn json(text: impl AsRef<str> + Debug) -> serde_json::Value {
    serde_json::from_str(text.as_ref()).unwrap_or_else(|e| panic!("{text:?}: {e}"))
}

/// The command, ready to be killed: signals have their usual effect, whatever whoever
/// runs the tests ignores, and leave no memory image.
pub fn mortal(mut command: Command) -> Command {
    // SAFETY: the calls may be made between fork and exec.
    unsafe {
        command.pre_exec(|| {
            for one in Signal::iterator() {
                // Two of them cannot be set.
                let _ = signal(one, SigHandler::SigDfl);
            }
            Ok(setrlimit(Resource::RLIMIT_CORE, 0, 0)?)
        });
    }
    command
}
