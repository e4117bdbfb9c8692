//! The sample systems under test, in two languages, against their specification.

use crate::util;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyades::conformance::run::{
    Acknowledgement, Address, Order, Outcome, Program, Protocol, Reset, RunOptions, Server,
    Summary, SystemUnderTest, Tap, kill_programs, run_suite,
};
use hyades::conformance::{DeriveOptions, Machine, Method, Pairing, derive};
use hyades::formats::{ReadOptions, Source, read_lts};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/black_box");

fn specification() -> Machine {
    let source = Source::open(&Path::new(FOLDER).join("coffee.dot"), None).unwrap();
    let lts = read_lts(source, &ReadOptions::default(), &mut |_| ()).unwrap();
    Machine::from_lts(&lts, &Pairing::default()).unwrap()
}

/// Programs are killed all together: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program in Rust, and the script.
fn commands() -> [Command; 2] {
    let example = util::binary("hyades")
        .with_file_name("examples")
        .join("black_box");
    assert!(example.exists(), "it is missing: cargo build --examples");
    let mut script = Command::new("sh");
    script.arg(Path::new(FOLDER).join("coffee.sh"));
    [Command::new(example), script]
}

fn acknowledged() -> Protocol {
    Protocol {
        reset: Reset::Line {
            text: b"RESET".as_slice().into(),
            acknowledgement: Acknowledgement::Line(b"OK".as_slice().into()),
        },
        ..Protocol::default()
    }
}

/// Runs a suite that finds every fault of machines with up to one state more.
fn run(system: &mut dyn SystemUnderTest) -> (Summary, String) {
    let machine = specification();
    let options = DeriveOptions {
        extra: 1,
        ..DeriveOptions::default()
    };
    let suite = derive(&machine, Method::Hsi, &options).unwrap().suite;
    let mut text = Vec::new();
    let summary = run_suite(
        &machine,
        |tell| suite.each_test(&machine, tell),
        Order::ShortestFirst,
        system,
        RunOptions::default(),
        &mut Tap::new(&mut text),
    );
    (summary.unwrap(), String::from_utf8(text).unwrap())
}

#[test]
fn both_conform() {
    let _alone = alone();
    let restarting = Protocol {
        reset: Reset::Restart,
        timeout: Some(Duration::from_secs(1000)),
        ..Protocol::default()
    };
    for protocol in [acknowledged(), restarting] {
        for command in commands() {
            let (summary, tap) = run(&mut Program::new(command).speaking(protocol.clone()));
            assert_eq!(summary.outcome(), Outcome::Pass, "{tap}");
            assert!(summary.tests > 20, "{summary}");
            assert_eq!(summary.passed, summary.tests);
            assert!(tap.contains(&format!("\n1..{}\n", summary.tests)), "{tap}");
            assert!(!tap.contains("not ok"), "{tap}");
        }
    }
}

#[test]
fn their_fault_is_found() {
    let _alone = alone();
    for mut command in commands() {
        command.arg("--faulty");
        let (summary, tap) = run(&mut Program::new(command).speaking(acknowledged()));
        assert_eq!(summary.outcome(), Outcome::Fail, "{tap}");
        // The tea is for free, which the next input shows at the earliest.
        let (_, inputs) = summary.shortest.unwrap();
        let inputs: Vec<&[u8]> = inputs.iter().collect();
        assert_eq!(inputs[..3], [&b"coin"[..], b"coin", b"tea"], "{tap}");
        assert_eq!(inputs.len(), 4, "{tap}");
    }
}

/// What whoever is about to end the process does.
#[test]
fn programs_are_killed_all_together() {
    let _alone = alone();
    let mut systems = commands().map(|command| Program::new(command).speaking(acknowledged()));
    for system in &mut systems {
        system.reset().unwrap();
    }
    kill_programs();
    for system in &mut systems {
        let error = system.step(b"coin").unwrap_err().to_string();
        assert!(
            error.starts_with("the program has ended (signal: 9"),
            "{error}"
        );
        // It can be started again.
        system.reset().unwrap();
        system.step(b"coin").unwrap();
    }
}

/// Programs end with the process, but not with the thread that wanted them.
#[test]
fn programs_may_change_threads() {
    let _alone = alone();
    for command in commands() {
        let mut system = Program::new(command).speaking(acknowledged());
        let started = std::thread::spawn(move || {
            system.reset().unwrap();
            system
        });
        let mut system = started.join().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        for _ in 0..3 {
            system.step(b"coin").unwrap();
        }
    }
}

/// A server that is ended at the end.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn one_of_them_is_a_server_too() {
    let _alone = alone();
    for (faulty, outcome) in [(None, Outcome::Pass), (Some("--faulty"), Outcome::Fail)] {
        let [mut command, _] = commands();
        command.args(["--listen", "127.0.0.1:0"]).args(faulty);
        let child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut server = Listening(child);
        let mut address = String::new();
        let output = server.0.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut address).unwrap();
        let address = Address::Tcp(address.trim().into());
        let (summary, tap) = run(&mut Server::new(address).speaking(acknowledged()));
        assert_eq!(summary.outcome(), outcome, "{tap}");
    }
}
