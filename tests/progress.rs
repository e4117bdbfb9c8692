//! A progress bar for people, never for pipes and files.

mod util;

use std::fs::File;
use std::io::Read;
use std::thread;

use nix::pty::openpty;
use util::{Scratch, wait};

/// What the command draws on a terminal that is its standard error.
fn drawn(scratch: &Scratch, command: &str, arguments: &[&str]) -> String {
    let terminal = openpty(None, None).expect("a pseudo-terminal");
    let mut command_line = scratch.command(command, arguments);
    command_line.stderr(terminal.slave).env("TERM", "xterm");
    let child = command_line.spawn().expect("the command starts");
    // Holds the last copy of the terminal's other end.
    drop(command_line);
    let mut screen = File::from(terminal.master);
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        // A terminal whose other end is closed ends with an error on Linux.
        let _ = screen.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    wait(child, command.to_owned()).status(0);
    reader.join().expect("reading does not panic")
}

#[test]
fn a_terminal_shows_progress() {
    let scratch = Scratch::with_vending();
    let screen = drawn(&scratch, "transcode", &["vending.aut", "-o", "copy.aut"]);
    assert!(screen.contains("reading vending.aut"), "{screen:?}");
    assert!(screen.contains("writing copy.aut"), "{screen:?}");
    // The line is cleared at the end.
    assert!(screen.contains("\x1b[2K"), "{screen:?}");
    assert!(!screen.trim_end().ends_with("copy.aut"), "{screen:?}");
    let screen = drawn(&scratch, "reach", &["vending.aut", "--deadlock"]);
    assert!(screen.contains("searching"), "{screen:?}");
}

#[test]
fn quiet_means_no_progress() {
    let scratch = Scratch::with_vending();
    assert_eq!(drawn(&scratch, "transcode", &["-q", "vending.aut"]), "");
}

#[test]
fn a_pipe_gets_none() {
    let scratch = Scratch::with_vending();
    // `ok` looks for silence.
    scratch.run("transcode", &["vending.aut"]).ok();
    scratch.run("reach", &["vending.aut", "--deadlock"]).ok();
    scratch.run("minimize", &["vending.aut"]).ok();
}
