//! What commands do at a terminal, and never in pipes and files: progress bars, colours,
//! lines of texts that errors are about, and no floods.

use crate::util;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use nix::pty::openpty;
use util::{Run, Scratch, VENDING, wait};

/// A terminal that somebody looks at.
struct Screen {
    keyboard: File,
    parts: Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl Screen {
    /// A terminal, and its end for a command.
    fn new() -> (Self, OwnedFd) {
        let terminal = openpty(None, None).expect("a pseudo-terminal");
        let keyboard = File::from(terminal.master);
        let mut screen = keyboard.try_clone().expect("a second handle");
        let (sender, parts) = channel();
        thread::spawn(move || {
            let mut block = [0; 4096];
            // A terminal whose other end is closed ends with an error on Linux.
            while let Ok(n @ 1..) = screen.read(&mut block) {
                let _ = sender.send(block[..n].to_vec());
            }
        });
        let seen = Vec::new();
        let this = Self {
            keyboard,
            parts,
            seen,
        };
        (this, terminal.slave)
    }

    /// Waits until this is to be seen.
    fn wait_for(&mut self, text: &str) {
        while !String::from_utf8_lossy(&self.seen).contains(text) {
            let part = self.parts.recv();
            let part = part.unwrap_or_else(|_| panic!("no `{text}` in {:?}", self.text()));
            self.seen.extend(part);
        }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.seen).into_owned()
    }

    /// All that was to be seen, when nobody writes any more. Lines end as in files.
    fn end(mut self) -> String {
        self.seen.extend(self.parts.iter().flatten());
        self.text().replace("\r\n", "\n")
    }
}

/// A command of which no variable says what is to be coloured.
fn plain(scratch: &Scratch, command: &str, arguments: &[&str]) -> Command {
    let mut command = scratch.command(command, arguments);
    command.env("TERM", "xterm");
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(name);
    }
    command
}

/// Starts a command whose standard error is a terminal.
fn start(mut command: Command) -> (Child, Screen) {
    let (screen, terminal) = Screen::new();
    command.stderr(terminal);
    // The command that is dropped here holds the last copy of the terminal's other end.
    (command.spawn().expect("the command starts"), screen)
}

/// What a command that ends with this status says to a terminal.
fn said(command: Command, status: i32) -> String {
    let what = format!("{command:?}");
    let (child, screen) = start(command);
    wait(child, what).status(status);
    screen.end()
}

/// Runs a command whose standard output is a terminal, and tells what is seen there.
fn seen(scratch: &Scratch, command: &str, arguments: &[&str]) -> (Run, String) {
    let (screen, terminal) = Screen::new();
    let mut command = plain(scratch, command, arguments);
    command.stdout(terminal);
    let what = format!("{command:?}");
    let child = command.spawn().expect("the command starts");
    drop(command);
    (wait(child, what), screen.end())
}

/// A verdict comes with its reason where somebody reads it, and alone in a pipe.
#[test]
fn reasons_of_verdicts_are_for_a_terminal() {
    let scratch = Scratch::new();
    scratch.write("chain.aut", path(2));
    let arguments = ["chain.aut", "-f", "[ true* ] < true > true"];
    let (run, screen) = seen(&scratch, "check", &arguments);
    run.status(1);
    assert!(screen.starts_with("FALSE\n\""), "{screen}");
    assert!(
        screen.ends_with("<deadlock>\n*** here fails: < true > true\n"),
        "{screen}"
    );
    scratch.run("check", &arguments).status(1).prints("FALSE\n");
}

/// Of commands that are typed, one that fails ends nothing.
#[test]
fn stepping_goes_on_after_errors() {
    let scratch = Scratch::new();
    scratch.write("quote.aut", "des (0, 1, 2)\n(0, \"q\"x\", 1)\n");
    scratch.write("broken.aut", "des (0, 1, 2)\n(0, a, 5)\n");
    let (mut screen, terminal) = Screen::new();
    let mut command = plain(&scratch, "reach", &["--simulate", "quote.aut"]);
    let other = || terminal.try_clone().expect("a second handle");
    command.stdin(other()).stdout(other()).stderr(other());
    let what = format!("{command:?}");
    let child = command.spawn().expect("the command starts");
    drop((command, terminal));
    let lines = "0\nsave q.seq\nload broken.aut\nload none.aut\n7\nsave q.trc\nquit\n";
    screen.keyboard.write_all(lines.as_bytes()).unwrap();
    wait(child, what).status(0);
    let seen = screen.end();
    for part in [
        "`help` lists the commands\n",
        "holds a quote, which SEQ cannot express",
        "state 5",
        "none.aut: No such file",
        "no transition is enabled",
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert_eq!(scratch.read("q.trc"), "q\"x\n");
}

/// A chain of states without any order that would be found at once.
fn cycle(states: usize) -> String {
    let mut text = format!("des (0, {}, {states})\n", 2 * states);
    for s in 0..states {
        let label = if s % 1000 == 0 { "b" } else { "a" };
        let far = s.wrapping_mul(7919) % states;
        text.push_str(&format!("({s}, {label}, {})\n", (s + 1) % states));
        text.push_str(&format!("({s}, i, {far})\n"));
    }
    text
}

#[test]
fn work_that_takes_its_time_shows_progress() {
    let scratch = Scratch::new();
    let mut command = plain(&scratch, "transcode", &["-o", "copy.aut"]);
    command.stdin(Stdio::piped());
    let (mut child, mut screen) = start(command);
    let mut input = child.stdin.take().expect("a pipe");
    // As long as nothing is shown, the rest is not there.
    let text = path(10_000);
    let (first, rest) = text.as_bytes().split_at(10_000);
    input.write_all(first).unwrap();
    screen.wait_for("reading <stdin>");
    input.write_all(rest).unwrap();
    drop(input);
    wait(child, "transcode".into()).status(0);
    let screen = screen.end();
    // The line is cleared at the end.
    assert!(screen.contains("\x1b[2K"), "{screen:?}");
    assert!(!screen.trim_end().ends_with("left"), "{screen:?}");
}

#[test]
fn a_moment_shows_none() {
    let scratch = Scratch::with_vending();
    let copy = || {
        said(
            plain(&scratch, "transcode", &["vending.aut", "-o", "x.aut"]),
            0,
        )
    };
    // One copy in a hundred takes less than half a second on any machine.
    assert!((0..100).any(|_| copy().is_empty()));
}

#[test]
fn minimizing_shows_rounds_and_classes() {
    let scratch = Scratch::new();
    let mut size = 1 << 18;
    let minimize = &["big.aut", "-o", "x.aut"][..];
    for (command, arguments) in [("minimize", minimize), ("equiv", &["big.aut", "big.aut"])] {
        loop {
            scratch.write("big.aut", cycle(size));
            let screen = said(plain(&scratch, command, arguments), 0);
            if screen.contains(": round ") && screen.contains(" classes") {
                break;
            }
            // Too fast.
            size *= 2;
            assert!(size <= 1 << 23, "{command}: {screen}");
        }
        let mut quiet = plain(&scratch, command, arguments);
        quiet.arg("-q");
        assert_eq!(said(quiet, 0), "");
    }
}

#[test]
fn a_pipe_gets_no_progress() {
    let scratch = Scratch::with_vending();
    // `ok` looks for silence.
    scratch.run("transcode", &["vending.aut"]).ok();
    scratch.run("reach", &["vending.aut", "--deadlock"]).ok();
    scratch.run("minimize", &["vending.aut"]).ok();
}

/// A path of so many transitions.
fn path(transitions: usize) -> String {
    let mut text = format!("des (0, {transitions}, {})\n", transitions + 1);
    for s in 0..transitions {
        text.push_str(&format!("({s}, a, {})\n", s + 1));
    }
    text
}

#[test]
fn nothing_floods_a_terminal() {
    let scratch = Scratch::new();
    let text = path(1000);
    let input = scratch.write("long.aut", &text);
    let beginning: String = text.split_inclusive('\n').take(200).collect();
    for quiet in [&[][..], &["-q"]] {
        let arguments = [&["long.aut"], quiet].concat();
        let (run, screen) = seen(&scratch, "transcode", &arguments);
        let run = run.status(0).says("transcode: 200 of 1001 lines are shown");
        run.says("-o FILE").says("| less").says("| cat");
        assert_eq!(screen, beginning);
        // Nothing is left out anywhere else.
        scratch.run("transcode", &arguments).ok().prints(&text);
    }
    scratch
        .run("transcode", &["long.aut", "-o", "copy.aut"])
        .ok();
    assert_eq!(scratch.read("copy.aut"), text);
    // As much as there is room for.
    scratch.write("short.aut", path(199));
    let (run, screen) = seen(&scratch, "transcode", &["short.aut"]);
    run.ok();
    assert_eq!(screen, path(199));
    // Other outputs, too: those written on the fly, lists, traces, long lines.
    let (run, screen) = seen(&scratch, "reach", &["long.aut"]);
    run.status(0).says("200 of 1001 lines");
    assert_eq!(screen.lines().count(), 200);
    let arguments = ["long.aut", "-o", "x.aut", "--classes", "-"];
    let (run, screen) = seen(&scratch, "minimize", &arguments);
    run.status(0).says("200 of 1001 lines");
    assert_eq!(screen.lines().last(), Some("199: 199"));
    let (run, screen) = seen(&scratch, "reach", &["long.aut", "--deadlock"]);
    run.ok();
    assert!(screen.starts_with("deadlock: "), "{screen}");
    // But answers are whole: there may be a verdict at the end.
    assert_eq!(screen.lines().count(), 1002);
    assert_eq!(screen.lines().last(), Some("<deadlock>"));
    scratch.write("loops.aut", {
        let loops: String = (0..50_000).map(|s| format!("({s}, a, {s})\n")).collect();
        format!("des (0, 50000, 50000)\n{loops}")
    });
    let all = [
        "loops.aut",
        "--keep-unreachable",
        "-o",
        "x.aut",
        "--classes",
        "-",
    ];
    let (run, screen) = seen(&scratch, "minimize", &all);
    run.status(0)
        .says("minimize: 65536 of 288893 bytes are shown");
    assert!(screen.len() <= (1 << 16) + 1 && screen.starts_with("0: 0 1 2"));
    drop(input);
}

#[test]
fn data_is_not_for_a_terminal() {
    let scratch = Scratch::with_vending();
    for (option, name) in [("--to=bcg", "bcg"), ("--compress=gzip", "gzip")] {
        let (run, screen) = seen(&scratch, "transcode", &["vending.aut", option]);
        let message = format!("{name} data is not for a terminal: give -o a file");
        run.status(2).says(&message);
        assert_eq!(screen, "");
    }
}

#[test]
fn who_waits_for_a_keyboard_says_so() {
    let scratch = Scratch::with_vending();
    let typed = |command: &str, arguments: &[&str]| {
        let (mut screen, terminal) = Screen::new();
        let mut command = plain(&scratch, command, arguments);
        command.stdin(terminal);
        let what = format!("{command:?}");
        let child = command.spawn().expect("the command starts");
        drop(command);
        screen.keyboard.write_all(b"des (0, 0, 1)\n\x04").unwrap();
        wait(child, what).status(0)
    };
    for command in ["minimize", "describe", "reach"] {
        let said = typed(command, &[]).stderr;
        let expected = format!("{command}: reads an LTS from standard input");
        assert!(said.contains(&expected), "{said}");
        assert!(
            said.contains("Ctrl-D") && said.contains("give INPUT"),
            "{said}"
        );
        typed(command, &["-q"]).silent();
        // It is no news where a file is named, or a pipe is read.
        typed(command, &["vending.aut"]).silent();
        scratch.feed(command, &[], VENDING).silent();
    }
}

#[test]
fn errors_have_the_colours_of_usage_errors() {
    let scratch = Scratch::new();
    scratch.write("doubtful.aut", "des (0, 1, 2)\n(0, a b, 1)\n");
    let error = "\x1b[1m\x1b[31merror:\x1b[0m ";
    let missing = || plain(&scratch, "transcode", &["missing.aut"]);
    let usage = said(plain(&scratch, "transcode", &["--nonsense"]), 2);
    assert!(
        usage.starts_with(&format!("transcode: {error}")),
        "{usage:?}"
    );
    let screen = said(missing(), 2);
    assert!(
        screen.starts_with(&format!("transcode: {error}cannot read missing.aut")),
        "{screen:?}"
    );
    let doubtful = || plain(&scratch, "transcode", &["doubtful.aut"]);
    let screen = said(doubtful(), 0);
    let warning = "doubtful.aut:2:5: \x1b[33mwarning:\x1b[0m ";
    assert!(screen.starts_with(warning), "{screen:?}");
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0"), ("TERM", "dumb")] {
        let mut command = missing();
        command.env(name, value);
        let screen = said(command, 2);
        assert!(
            screen.starts_with("transcode: error: cannot"),
            "{name}: {screen:?}"
        );
    }
    // Not in pipes, unless one asks for it.
    let run = util::finish(missing()).status(2);
    assert!(run.stderr.starts_with("transcode: error: cannot"));
    let mut forced = missing();
    forced.env("CLICOLOR_FORCE", "1");
    util::finish(forced).status(2).says(error);
    // What a file says is no colour.
    scratch.write("bad.aut", "des (0, 1, 2)\n(0, \"a\" \x1b[31m, 1)\n");
    let screen = said(plain(&scratch, "transcode", &["bad.aut"]), 2);
    assert_eq!(screen.matches('\x1b').count(), 3, "{screen:?}");
    assert!(screen.contains("\\x1B[31m"), "{screen:?}");
}

/// What a command that fails says to a terminal without colours.
fn complaint(scratch: &Scratch, command: &str, arguments: &[&str]) -> String {
    let mut command = plain(scratch, command, arguments);
    command.env("NO_COLOR", "1");
    said(command, 2)
}

#[test]
fn errors_show_the_line() {
    let scratch = Scratch::new();
    let bad = "des (0, 2, 2)\n(0, \"a\", 1)\n(0,\t\"b\" é, 1)\n";
    scratch.write("bad.aut", bad);
    scratch.shell("gzip -k bad.aut").ok();
    for name in ["bad.aut", "bad.aut.gz"] {
        let screen = complaint(&scratch, "describe", &[name]);
        let (message, line) = screen.split_once('\n').unwrap();
        assert!(
            message.starts_with(&format!("{name}:3:9: error: ")),
            "{screen}"
        );
        assert_eq!(line, "    3 | (0,    \"b\" é, 1)\n      |            ^\n");
        // In a pipe the message stands alone.
        let run = scratch.run("describe", &[name]).status(2);
        assert_eq!(run.stderr, format!("{message}\n"));
    }
    // Nothing is read again that can be read but once.
    let mut command = plain(&scratch, "describe", &[]);
    command.env("NO_COLOR", "1").stdin(Stdio::piped());
    let (mut child, screen) = start(command);
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(bad.as_bytes()).unwrap();
    drop(input);
    wait(child, "describe".into()).status(2);
    let screen = screen.end();
    assert!(screen.starts_with("<stdin>:3:9: error: "), "{screen}");
    assert_eq!(screen.lines().count(), 1, "{screen}");
}

#[test]
fn errors_show_the_line_whatever_the_text_is() {
    let scratch = Scratch::with_vending();
    scratch.write("net.exp", "\"vending.aut\" |[ |\n");
    scratch.write("trace.seq", "\"a\"\n\"b\n");
    scratch.write("bad.toml", "format = \"csm-system-1\"\nnonsense = 1\n");
    scratch.write("rules.hid", "hide\n\"a\n");
    let cases: [(&str, &[&str], &str, &str); 5] = [
        ("reach", &["net.exp"], "net.exp:", "\"vending.aut\" |[ |"),
        ("describe", &["trace.seq"], "trace.seq:2:", "\"b"),
        ("reach", &["bad.toml"], "bad.toml:2:", "nonsense = 1"),
        (
            "relabel",
            &["--hide", "rules.hid", "vending.aut"],
            "rules.hid:2:",
            "\"a",
        ),
        (
            "kernel",
            &["--pattern", "bad.toml", "vending.aut"],
            "bad.toml:",
            "",
        ),
    ];
    for (command, arguments, place, line) in cases {
        let screen = complaint(&scratch, command, arguments);
        assert!(screen.starts_with(place), "{screen}");
        let mut lines = screen.lines().skip(1);
        let shown = lines.next().unwrap_or_else(|| panic!("{screen}"));
        assert!(shown.contains(" | ") && shown.ends_with(line), "{screen}");
        let caret = lines.next().unwrap_or_else(|| panic!("{screen}"));
        assert!(
            caret.trim_start().starts_with("| ") && caret.ends_with('^'),
            "{screen}"
        );
    }
    // Nobody sees a line of a file that only another file names.
    scratch.write("secret.aut", "des (0, 1, 1)\npassword\n");
    scratch.write("net.exp", "\"secret.aut\"\n");
    let screen = complaint(&scratch, "reach", &["net.exp"]);
    assert!(screen.contains("secret.aut:2:"), "{screen}");
    assert!(!screen.contains("password"), "{screen}");
}
