//! Programs, most of which do not behave.

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::*;

const A_MOMENT: Option<Duration> = Some(Duration::from_millis(150));

fn program(script: &str, protocol: Protocol) -> Remote<Program> {
    Program::shell(script).speaking(protocol)
}

fn unacknowledged(timeout: Option<Duration>) -> Protocol {
    Protocol {
        timeout,
        ..Protocol::default()
    }
}

fn restarting(timeout: Option<Duration>) -> Protocol {
    Protocol {
        reset: Reset::Restart,
        timeout,
        ..Protocol::default()
    }
}

fn strings(texts: &[&str]) -> Result<Vec<String>, String> {
    Ok(texts.iter().map(ToString::to_string).collect())
}

/// What the shell cannot run is not started again and again, one that has answered is.
#[test]
fn a_program_that_the_shell_does_not_run() {
    for protocol in [unacknowledged(None), acknowledged(), restarting(None)] {
        for (script, why) in [
            ("./nowhere --option", "it is not found"),
            ("/dev/null", "it cannot be executed"),
        ] {
            let mut system = program(script, protocol.clone());
            let error = observed(&mut system, &["a"]).unwrap_err();
            let start = format!("cannot start `{script}`: {why}, says the shell");
            assert!(error.starts_with(&start), "{error}");
        }
    }
    let mut system = program("read reset; echo OK; exit 127", acknowledged());
    let error = observed(&mut system, &["a"]).unwrap_err();
    assert_eq!(error, "the program has ended (exit status: 127)");
}

#[test]
fn a_program_that_behaves() {
    let mut system = program(TOGGLE, acknowledged());
    for _ in 0..20 {
        assert_eq!(
            observed(&mut system, &["a", "a", "b", "a"]),
            strings(&["0", "1", "0", "0"])
        );
        assert_eq!(observed(&mut system, &["a"]), strings(&["0"]));
        assert_eq!(observed(&mut system, &[]), strings(&[]));
    }
    // Restarted, it needs no reset.
    let mut system = program(TOGGLE, restarting(None));
    for _ in 0..3 {
        assert_eq!(
            observed(&mut system, &["a", "a", "a"]),
            strings(&["0", "1", "0"])
        );
    }
    // With any acknowledgement.
    let mut protocol = acknowledged();
    protocol.reset = Reset::Line {
        text: b"RESET".as_slice().into(),
        acknowledgement: Acknowledgement::Any,
    };
    let mut system = program(TOGGLE, protocol);
    assert_eq!(observed(&mut system, &["a", "a"]), strings(&["0", "1"]));
    assert_eq!(observed(&mut system, &["a", "a"]), strings(&["0", "1"]));
}

#[test]
fn lines_end_as_they_like() {
    let mut system = program(
        "read -r x; printf '1\\r\\n'; read -r x; printf last",
        restarting(None),
    );
    assert_eq!(observed(&mut system, &["x", "y"]), strings(&["1", "last"]));
    // An empty line is an output.
    let mut system = program("read -r x; echo; read -r x; echo ' y '", restarting(None));
    assert_eq!(
        observed(&mut system, &["x", "y"]),
        strings(&["\"\"", "\" y \""])
    );
}

#[test]
fn programs_that_tell_when_they_are_ready() {
    let script = "echo '* version 3'; echo ready; while read -r x; do echo $x; done";
    let mut protocol = restarting(None);
    protocol.ready = Acknowledgement::Line(b"ready".as_slice().into());
    let mut system = program(script, protocol.clone());
    assert_eq!(observed(&mut system, &["x"]), strings(&["x"]));
    protocol.start_timeout = A_MOMENT;
    let mut system = program("echo not yet; exec sleep 1000", protocol.clone());
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "found nothing in time, expected `ready` to tell that the system is ready"
    );
    // One that says anything but that.
    protocol.start_timeout = None;
    protocol.max_line = 1000;
    let mut system = program("yes", protocol);
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "found lines such as `y`, expected `ready` to tell that the system is ready"
    );
}

#[test]
fn programs_that_cannot_be_started() {
    let mut system = Program::new(Command::new("no such program")).speaking(restarting(None));
    let error = system.reset().unwrap_err();
    assert!(matches!(error, SystemError::Start { .. }));
    assert!(
        error
            .to_string()
            .starts_with("cannot start \"no such program\": "),
        "{error}"
    );
}

#[test]
fn programs_that_were_not_reset() {
    let mut system = program(TOGGLE, acknowledged());
    let error = system.step(b"a").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the system does not run: it must be reset first"
    );
    system.reset().unwrap();
    assert_eq!(system.step(b"a").unwrap(), Observation::Output(b"0"));
}

#[test]
fn programs_that_end() {
    let mut system = program("read -r x; echo 1; exit 3", restarting(None));
    for _ in 0..3 {
        assert_eq!(observed(&mut system, &["x"]), strings(&["1"]));
        assert_eq!(
            observed(&mut system, &["x", "y"]).unwrap_err(),
            "the program has ended (exit status: 3)"
        );
    }
    let mut system = program("kill -9 $$", restarting(None));
    let error = observed(&mut system, &["x"]).unwrap_err();
    assert!(
        error.starts_with("the program has ended (signal: 9"),
        "{error}"
    );
    // The next test has a program again.
    let once = "[ -e \"$0\" ] || { : >\"$0\"; exit; }; while read -r x; do echo $x; done";
    let scratch = tempfile::tempdir().unwrap();
    let mut command = Command::new("sh");
    command.arg("-c").arg(once).arg(scratch.path().join("once"));
    let mut system = Program::new(command).speaking(restarting(None));
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "the program has ended (exit status: 0)"
    );
    assert_eq!(observed(&mut system, &["x"]), strings(&["x"]));
}

#[test]
fn programs_that_close_their_pipes() {
    let closed = "the program has closed its input or its output, and was killed";
    for closing in ["exec >&-", "exec >&- <&-"] {
        let mut system = Program::shell(format!("{closing}; exec sleep 1000"))
            .grace(Duration::from_millis(1))
            .speaking(restarting(None));
        assert_eq!(observed(&mut system, &["x"]).unwrap_err(), closed);
    }
    // It has closed its input for sure when it is ready. But whatever is started at the
    // same time holds the other end of the pipe for an instant: then silence follows.
    patiently(|time| {
        let mut protocol = restarting(Some(time));
        protocol.ready = Acknowledgement::Any;
        let mut system = Program::shell("exec <&-; echo; exec sleep 1000")
            .grace(Duration::from_millis(1))
            .speaking(protocol);
        observed(&mut system, &["x"]).is_err_and(|why| why == closed)
    });
}

/// Tries again with more time, as answers take longer on a machine that has much
/// else to do.
fn patiently(mut is_right: impl FnMut(Duration) -> bool) {
    let times = [150, 1500, 15_000, 150_000].map(Duration::from_millis);
    assert!(times.into_iter().any(&mut is_right));
}

#[test]
fn programs_that_say_nothing() {
    let script = "read -r x; echo 1; read -r x; exec sleep 1000";
    patiently(|time| {
        let mut system = program(script, restarting(Some(time)));
        let mut seen = Vec::new();
        let executed = system.execute(&symbols(&["x", "y", "z"]), &mut |observation| {
            seen.push(Seen::from(observation));
            match observation {
                Observation::Timeout(_) => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        executed.unwrap();
        seen == [Seen::Output(b"1".as_slice().into()), Seen::Timeout(time)]
    });
    // Silence may be an output: then the test goes on with the same program.
    let script = "while read -r x; do case $x in RESET) echo OK ;; s) ;; *) echo $x ;; esac; done";
    let mut protocol = acknowledged();
    protocol.silence = Silence::Output(b"TIMEOUT".as_slice().into());
    patiently(|time| {
        protocol.timeout = Some(time);
        let mut system = program(script, protocol.clone());
        let mut test = || observed(&mut system, &["a", "s", "b"]);
        let expected = strings(&["a", "TIMEOUT", "b"]);
        test() == expected && test() == expected
    });
    // Answers that come too late are skipped where a reset is acknowledged.
    let script = "while read -r x; do case $x in
        RESET) $late; late=; echo OK ;;
        s) late='echo late' ;;
        *) echo $x ;;
    esac; done";
    patiently(|time| {
        protocol.timeout = Some(time);
        let mut system = program(script, protocol.clone());
        let mut is = |input, output| observed(&mut system, &[input]) == strings(&[output]);
        is("s", "TIMEOUT") && is("a", "a") && is("s", "TIMEOUT") && is("a", "a")
    });
    // A reset that is not acknowledged.
    let mut protocol = acknowledged();
    protocol.timeout = A_MOMENT;
    let mut system = program("exec sleep 1000", protocol.clone());
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "found nothing in time, expected `OK` to tell that it is reset"
    );
    protocol.reset = Reset::Line {
        text: "R".repeat(1 << 20).into_bytes().into(),
        acknowledgement: Acknowledgement::None,
    };
    let mut system = program("exec sleep 1000", protocol);
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "found nothing in time, expected the system to read what it is sent"
    );
    // A program that does not read, and a line that fills the pipe.
    let long = "x".repeat(1 << 20);
    let mut system = program("exec sleep 1000", restarting(A_MOMENT));
    let mut seen = Vec::new();
    system
        .execute(&symbols(&[&long]), &mut |observation| {
            seen.push(Seen::from(observation));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(seen, [Seen::Timeout(Duration::from_millis(150))]);
}

#[test]
fn programs_that_say_too_much() {
    let mut limited = restarting(None);
    limited.max_line = 1000;
    // A line without an end.
    let mut system = program("read -r x; yes | tr -d '\\n'", limited.clone());
    assert_eq!(
        observed(&mut system, &["x"]).unwrap_err(),
        "the system writes a line of more than 1000 bytes"
    );
    // Lines without end: the first is taken for an answer.
    let mut system = program("read -r x; yes", limited.clone());
    for _ in 0..2 {
        assert_eq!(
            observed(&mut system, &["x", "x", "x"]).unwrap_err(),
            "the system writes `y` without being asked; expected one line for each input"
        );
    }
    // Lines without end, and nothing is read.
    let long = "x".repeat(1 << 20);
    let mut system = program("exec yes", limited.clone());
    let error = observed(&mut system, &[&long]).unwrap_err();
    assert!(error.contains("`y` without being asked"), "{error}");
    // Two lines for one input.
    let script = "while read -r x; do printf '1\\n2\\n'; done";
    let mut system = program(script, unacknowledged(None));
    let error = observed(&mut system, &["x", "x"]).unwrap_err();
    assert!(error.contains("without being asked"), "{error}");
    // Long lines below the limit are outputs.
    let script = "while read -r x; do echo $x$x; done";
    let mut system = program(script, restarting(None));
    let half = "y".repeat(300_000);
    assert_eq!(
        observed(&mut system, &[&half, "z"]),
        strings(&[&(half.clone() + &half), "zz"])
    );
}

#[test]
fn inputs_that_cannot_be_sent() {
    let mut system = program(TOGGLE, acknowledged());
    for (input, why) in [("a\nb", "line break"), ("RESET", "would ask for a reset")] {
        let error = observed(&mut system, &["a", input]).unwrap_err();
        assert!(error.contains(why), "{error}");
        assert_eq!(observed(&mut system, &["a", "a"]), strings(&["0", "1"]));
    }
}

#[test]
fn whole_tests() {
    let protocol = Protocol {
        reset: Reset::None,
        query: Some(Query {
            between_inputs: b", ".as_slice().into(),
            between_outputs: b";".as_slice().into(),
        }),
        ..Protocol::default()
    };
    let mut system = program(
        "while read -r x; do echo \"$x\" | sed 's/, /;/g'; done",
        protocol.clone(),
    );
    assert_eq!(
        observed(&mut system, &["a", "b c", "d"]),
        strings(&["a", "\"b c\"", "d"])
    );
    assert_eq!(observed(&mut system, &[]), strings(&[]));
    assert_eq!(observed(&mut system, &["a"]), strings(&["a"]));
    for (input, why) in [
        ("a, b", "what stands between"),
        ("", "empty"),
        ("a\n", "line break"),
    ] {
        let error = observed(&mut system, &["x", input]).unwrap_err();
        assert!(error.contains(why), "{error}");
    }
    let mut system = program("while read -r x; do echo '1;2;3'; done", protocol.clone());
    assert_eq!(
        observed(&mut system, &["a", "b"]).unwrap_err(),
        "the system answers with 3 outputs, expected 2, one for each input"
    );
    let mut late = protocol.clone();
    late.timeout = A_MOMENT;
    let mut system = program("exec sleep 1000", late);
    let error = observed(&mut system, &["a"]).unwrap_err();
    assert_eq!(error, "the system gives no answer in 150ms");
    // One process for each.
    let mut restarting = protocol;
    restarting.reset = Reset::Restart;
    let mut system = program("read -r x; echo $$", restarting);
    let first = observed(&mut system, &["a"]).unwrap();
    assert_ne!(observed(&mut system, &["a"]).unwrap(), first);
}

/// Whether a process runs, or has ended and nobody has waited for it.
fn state(pid: &str) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

#[test]
fn nothing_is_left_over() {
    if state("self").is_none() {
        return;
    }
    // A process that the program starts, and does not wait for.
    let script = "sleep 1000 & read -r x; echo $$; read -r x; echo $!; exec sleep 1000";
    for _ in 0..3 {
        let mut system = Program::shell(script)
            .grace(Duration::from_millis(1))
            .speaking(restarting(None));
        let numbers = observed(&mut system, &["x", "x"]).unwrap();
        let [child, grandchild] = &numbers[..] else {
            panic!("{numbers:?}")
        };
        assert!(state(child).is_some() && state(grandchild).is_some());
        system.reset().unwrap();
        assert_eq!(state(child), None, "it was waited for");
        // Whoever has inherited that one may not have waited for it yet.
        while !matches!(state(grandchild), None | Some('Z' | 'X')) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn programs_may_tidy_up() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("tidied");
    let mut command = Command::new("sh");
    let script = "while read -r x; do echo $x; done; echo done >\"$0\"";
    command.arg("-c").arg(script).arg(&file);
    let mut system = Program::new(command)
        .grace(Duration::from_secs(1000))
        .speaking(restarting(None));
    assert_eq!(observed(&mut system, &["x"]), strings(&["x"]));
    drop(system);
    assert_eq!(fs::read_to_string(file).unwrap(), "done\n");
}
