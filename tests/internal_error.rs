//! A mistake of ours ends with a clear message, status 2, and no output.
//!
//! No command is known to panic, so a command that does is made here: this test
//! runs itself.

use crate::util;

use std::process::Command;

use clap::Parser;
use hyades::cli::core::{self as cli, Failure, RunOptions, Session, Status, WriteOptions};
use util::{Scratch, finish};

/// Panics in the middle of writing. It has a version of its own, as a filter from outside.
#[derive(Parser)]
#[command(version = "7.0")]
struct Fails {
    #[command(flatten)]
    write: WriteOptions,
    #[command(flatten)]
    dialect: cli::DialectOption,
    #[command(flatten)]
    run: RunOptions,
    #[arg(long)]
    how: String,
}

impl cli::Command for Fails {
    const NAME: &'static str = "fails";
    const BRIEF: &'static str = "";

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let output = self.write.get(&self.dialect)?;
        session.write_by(&output.destination, "text", |out| {
            out.write_all(&[b'x'; 1 << 20])?;
            match self.how.as_str() {
                "here" => panic!("three is not {}", 4),
                "thread" => rayon::join(|| (), || panic!("in a thread")),
                "memory" => {
                    let much = vec![1u8; 1 << 30];
                    return out.write_all(&much);
                }
                how => unreachable!("{how}"),
            };
            Ok(())
        })?;
        Ok(Status::Holds)
    }
}

/// Not a test of its own: what the other tests run.
#[test]
fn child() {
    if let Ok(how) = std::env::var("HYADES_TEST_FAILS") {
        let arguments = [
            "fails",
            "-o",
            "out",
            "--stats",
            "stats",
            "--max-memory",
            "500M",
            "--how",
            &how,
        ];
        cli::run::run::<Fails>("fails", arguments.map(Into::into).to_vec());
    }
}

fn fail(scratch: &Scratch, how: &str) -> util::Run {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command
        .args(["--exact", "internal_error::child", "--nocapture"])
        .env("HYADES_TEST_FAILS", how)
        .env_remove("RUST_BACKTRACE")
        .current_dir(scratch.path(""))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    finish(command)
}

#[test]
fn a_panic_is_told_and_leaves_nothing() {
    let scratch = Scratch::new();
    let run = fail(&scratch, "here").status(2);
    run.says("fails: internal error: three is not 4 (tests/internal_error.rs:")
        .says("fails: this is a mistake in fails 7.0, please report");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn a_panic_of_another_thread_is_told_once() {
    let scratch = Scratch::new();
    let run = fail(&scratch, "thread").status(2);
    assert_eq!(run.stderr.matches("internal error").count(), 1);
    run.says("in a thread");
    assert_eq!(scratch.names(), [""; 0]);
}

#[test]
fn an_allocation_that_fails_leaves_nothing() {
    let scratch = Scratch::new();
    fail(&scratch, "memory")
        .status(3)
        .says("fails: out of memory: cannot allocate 1073741824 bytes (--max-memory 524288000)\n");
    assert_eq!(scratch.names(), [""; 0]);
}
