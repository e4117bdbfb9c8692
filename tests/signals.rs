//! Whatever ends a process, and whenever: what it leaves behind is whole.

#![cfg(target_os = "linux")]

#[path = "util/tracer.rs"]
mod tracer;
use crate::util;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::sys::stat::Mode;
use nix::sys::wait::WaitStatus;
use nix::unistd::mkfifo;
use tracer::{Tracer, trace};
use util::{Scratch, TOGGLE, finish, mortal, wait};

/// What is in a folder: paths, and what regular files hold and links lead to;
/// directories are empty.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            let kind = entry.file_type().unwrap();
            let content = if kind.is_dir() {
                folders.push(path);
                Vec::new()
            } else if kind.is_symlink() {
                let target = fs::read_link(path).unwrap();
                target.into_os_string().into_encoded_bytes()
            } else if kind.is_file() {
                fs::read(path).unwrap()
            } else {
                Vec::new()
            };
            found.insert(name, content);
        }
    }
    found
}

/// The command with standard streams that lead nowhere, as the program that has all, so
/// that a tracer need not follow from one program to the next.
fn quiet(scratch: &Scratch, name: &str, arguments: &[&str]) -> Command {
    let all: Vec<&str> = std::iter::once(&name).chain(arguments).copied().collect();
    let mut command = mortal(scratch.command("hyades", &all));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Signals that are sent to processes, or by their timers.
const SENT: [Signal; 13] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGTERM,
    Signal::SIGALRM,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGIO,
    Signal::SIGSEGV,
    Signal::SIGBUS,
    Signal::SIGABRT,
];

/// Commands that create, rename and remove files, folders and links.
fn changing() -> [(&'static str, &'static [&'static str]); 6] {
    [
        ("generate", &["liststack", "2", "1", "1", "-o", "net"]),
        (
            "minimize",
            &["vending.aut", "-o", "small.aut", "--classes", "classes"],
        ),
        // The quotient is removed again.
        (
            "minimize",
            &["vending.aut", "-o", "small.aut", "--stats", "/dev/full"],
        ),
        (
            "minimize",
            &["vending.aut", "--external", "files", "-o", "small.aut"],
        ),
        ("install-links", &["links"]),
        (
            "wmethod",
            &[
                "mutants",
                "-m",
                "tour",
                "--survivors",
                "alive",
                "-o",
                "told",
                "toggle.aut",
            ],
        ),
    ]
}

fn scratch() -> Scratch {
    let scratch = Scratch::with_vending();
    scratch.write("toggle.aut", TOGGLE);
    scratch
}

/// A signal that comes immediately before or after a system call that creates,
/// renames or removes something, in each such call.
#[test]
fn a_signal_at_a_system_call_leaves_nothing_behind() {
    for (name, arguments) in changing() {
        let before = scratch();
        let old = tree(&before.path("."));
        let mut count = 0;
        trace(quiet(&before, name, arguments), |_, call| {
            count += usize::from(call.change().is_some());
        });
        let whole = tree(&before.path("."));
        assert!(count >= 4, "{name} {arguments:?}");
        for place in 0..count {
            let signal = SENT[place % SENT.len()];
            let scratch = scratch();
            let mut seen = 0;
            let mut at = String::new();
            let status = trace(quiet(&scratch, name, arguments), |tracer, call| {
                if let Some(change) = call.change() {
                    if seen == place {
                        at = format!("{signal} at {change} {:?}", call.result);
                        tracer.send(call.thread, signal);
                    }
                    seen += 1;
                }
            });
            assert!(
                matches!(status, WaitStatus::Signaled(_, ended, _) if ended == signal),
                "{name} {arguments:?}: {at}: {status:?}"
            );
            for (path, content) in tree(&scratch.path(".")) {
                let known = old.get(&path).or_else(|| whole.get(&path));
                assert!(
                    known == Some(&content),
                    "{name} {arguments:?}: {at} left {path}"
                );
            }
        }
    }
}

/// The signal comes to another thread, while the one that creates or renames stands
/// between the system call and what it does next.
#[test]
fn a_signal_in_another_thread_waits_for_a_change() {
    for (name, arguments) in changing() {
        let arguments = [arguments, &["-j", "2"]].concat();
        if name == "install-links" {
            // It has no other threads.
            continue;
        }
        let before = scratch();
        let old = tree(&before.path("."));
        let mut count = 0;
        let alone = trace(quiet(&before, name, &arguments), |_, call| {
            count += usize::from(call.change().is_some() && call.result.is_some());
        });
        let WaitStatus::Exited(_, code) = alone else {
            panic!("{alone:?}");
        };
        let whole = tree(&before.path("."));
        for place in 0..count {
            let signal = SENT[place % SENT.len()];
            let scratch = scratch();
            let mut seen = 0;
            let mut other = None;
            let mut calls = 0;
            let status = trace(
                quiet(&scratch, name, &arguments),
                |tracer: &mut Tracer, call| {
                    if Some(call.thread) == other {
                        calls += 1;
                        // It has had the time to ask more than once.
                        if calls == 30 {
                            tracer.release();
                        }
                    }
                    if call.change().is_some() && call.result.is_some() && other.is_none() {
                        if seen == place {
                            let others = tracer.others().into_iter();
                            let mut others = others.filter(|&other| other != call.thread);
                            let thread = others.next().expect("there are two others");
                            tracer.hold(call.thread);
                            tracer.send(thread, signal);
                            other = Some(thread);
                        }
                        seen += 1;
                    }
                },
            );
            // The first thread may come to its own end before the other one has sent
            // the signal again.
            let is_ended = match status {
                WaitStatus::Signaled(_, ended, _) => ended == signal,
                WaitStatus::Exited(_, own) => own == code,
                _ => false,
            };
            assert!(is_ended, "{name} {arguments:?} {place}: {status:?}");
            for (path, content) in tree(&scratch.path(".")) {
                let known = old.get(&path).or_else(|| whole.get(&path));
                assert!(
                    known == Some(&content),
                    "{name} {arguments:?}: {signal} at {place} left {path}"
                );
            }
        }
    }
}

/// The name that a command wants to use is taken by somebody else just then.
#[test]
fn a_file_of_somebody_else_is_not_removed() {
    for signal in [Signal::SIGTERM, Signal::SIGUSR1] {
        let scratch = scratch();
        let mut theirs = None;
        let command = quiet(&scratch, "transcode", &["vending.aut", "-o", "o.aut"]);
        let status = trace(command, |tracer, call| {
            if call.change() != Some("create") {
                return;
            }
            match (&theirs, call.result) {
                (None, None) => {
                    let path = PathBuf::from(call.text(1));
                    fs::write(&path, "theirs").unwrap();
                    theirs = Some(path);
                }
                (Some(_), Some(result)) => {
                    assert_eq!(result, -i64::from(libc::EEXIST));
                    tracer.send(call.thread, signal);
                }
                _ => {}
            }
        });
        assert!(matches!(status, WaitStatus::Signaled(_, ended, _) if ended == signal));
        assert_eq!(fs::read(theirs.unwrap()).unwrap(), b"theirs");
        assert_eq!(scratch.names().len(), 3);
    }
}

/// Every signal that ends a process, by its number.
#[test]
fn all_signals_leave_nothing_behind() {
    let harmless = [
        libc::SIGCHLD,
        libc::SIGCONT,
        libc::SIGPIPE,
        libc::SIGSTOP,
        libc::SIGTSTP,
        libc::SIGTTIN,
        libc::SIGTTOU,
        libc::SIGURG,
        libc::SIGWINCH,
    ];
    let all = (1..32).chain(libc::SIGRTMIN()..=libc::SIGRTMAX());
    for signal in all.filter(|signal| !harmless.contains(signal)) {
        let scratch = Scratch::with_vending();
        mkfifo(&scratch.path("fifo"), Mode::S_IRWXU).unwrap();
        let arguments = ["vending.aut", "-o", "small.aut", "--classes", "fifo"];
        let child = mortal(scratch.command("minimize", &arguments))
            .spawn()
            .unwrap();
        // The quotient is written, then the classes wait for a reader.
        while scratch.names().len() < 3 {
            thread::sleep(Duration::from_millis(2));
        }
        // SAFETY: a call with numbers only.
        unsafe { libc::kill(child.id() as i32, signal) };
        wait(child, format!("signal {signal}"))
            .signal(signal)
            .silent();
        let left = scratch.names();
        if signal == libc::SIGKILL {
            assert!(is_temporary(&left[0], "small.aut"), "{left:?}");
        } else {
            assert_eq!(left, ["fifo", "vending.aut"], "signal {signal}");
        }
    }
}

/// Whether this is `.NAME.RANDOM.tmp`.
fn is_temporary(name: &str, of: &str) -> bool {
    let random = name
        .strip_prefix(&format!(".{of}."))
        .and_then(|rest| rest.strip_suffix(".tmp"));
    random.is_some_and(|random| random.len() == 16 && u64::from_str_radix(random, 16).is_ok())
}

/// Files are on the disk before they get their names, and their names at the end.
#[test]
fn outputs_are_synced_unless_one_asks_not_to() {
    for (arguments, is_synced) in [
        (
            &["minimize", "vending.aut", "-o", "o.aut", "--stats", "s"][..],
            true,
        ),
        (
            &[
                "minimize",
                "vending.aut",
                "-o",
                "o.aut",
                "--stats",
                "s",
                "--no-sync",
            ],
            false,
        ),
        (&["generate", "liststack", "2", "1", "1", "-o", "o"], true),
        (
            &[
                "generate",
                "liststack",
                "2",
                "1",
                "1",
                "-o",
                "o",
                "--no-sync",
            ],
            false,
        ),
    ] {
        let scratch = Scratch::with_vending();
        let mut calls = Vec::new();
        let mut files = BTreeMap::new();
        let status = trace(quiet(&scratch, arguments[0], &arguments[1..]), |_, call| {
            let Some(result) = call.result else { return };
            match call.change() {
                Some("rename") => calls.push("rename".to_owned()),
                Some("create") => {
                    files.insert(result as u64, call.text(1));
                    calls.push(format!("create {}", call.text(1)));
                }
                _ if call.number == libc::SYS_openat && result >= 0 => {
                    files.insert(result as u64, call.text(1));
                }
                _ if call.number == libc::SYS_fsync => {
                    assert_eq!(result, 0);
                    calls.push(format!("sync {}", files[&call.arguments[0]]));
                }
                _ => {}
            }
        });
        assert!(matches!(status, WaitStatus::Exited(_, 0)), "{status:?}");
        let position = |wanted: &str| calls.iter().position(|call| call == wanted);
        let rename = position("rename").unwrap();
        let created = calls.iter().filter_map(|call| call.strip_prefix("create "));
        let created: Vec<&str> = created.collect();
        assert!(created.len() >= 2, "{calls:?}");
        for file in created {
            let synced = position(&format!("sync {file}"));
            assert_eq!(synced.is_some_and(|at| at < rename), is_synced, "{calls:?}");
        }
        let last = calls.last().unwrap();
        let folder = fs::canonicalize(scratch.path(".")).unwrap();
        match is_synced {
            true => assert_eq!(*last, format!("sync {}", folder.display())),
            false => assert_eq!(*last, "rename"),
        }
    }
}

/// Many files are on the disk before their folder appears, but not waited for one by
/// one.
#[test]
fn large_folders_are_synced_at_once() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["mealy", "4", "2", "-o", "mealy.aut"])
        .ok();
    let arguments = ["mutants", "mealy.aut", "-m", "tour", "--survivors", "s"];
    let mut calls = Vec::new();
    let status = trace(quiet(&scratch, "wmethod", &arguments), |_, call| {
        if call.result.is_none() {
            return;
        }
        calls.extend(match call.number {
            libc::SYS_syncfs => Some("syncfs"),
            libc::SYS_fsync => Some("fsync"),
            _ => call.change(),
        });
    });
    assert!(matches!(status, WaitStatus::Exited(_, 1)), "{status:?}");
    let files = fs::read_dir(scratch.path("s")).unwrap().count();
    assert!(files > 16, "{files}");
    let made = calls.iter().filter(|call| **call == "create").count();
    assert_eq!(made, files);
    assert_eq!(calls[calls.len() - 3..], ["syncfs", "rename", "fsync"]);
}

/// A mapped input becomes shorter while it is read: the command has something to say
/// about the beginning of the file, and cannot go on before somebody listens.
#[test]
fn an_input_that_is_shortened_is_told() {
    let scratch = Scratch::new();
    let mut text = String::from("des (0, 400000, 400001)\n(0, a, 1) junk\n");
    for k in 1..400_000 {
        text += &format!("({k}, step, {})\n", k + 1);
    }
    scratch.write("long.aut", &text);
    let path = scratch.path("long.aut");
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    // SAFETY: a call with numbers only.
    let size = unsafe {
        use std::os::fd::AsRawFd;
        libc::fcntl(writer.as_raw_fd(), libc::F_GETPIPE_SZ)
    };
    writer.write_all(&vec![b'.'; size as usize]).unwrap();
    let arguments = [
        "long.aut",
        "--lenient",
        "-j",
        "1",
        "-o",
        "o.bcg",
        "--stats",
        "s",
    ];
    let mut command = mortal(scratch.command("transcode", &arguments));
    command.stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let maps = format!("/proc/{}/maps", child.id());
    let real = fs::canonicalize(&path).unwrap();
    while !fs::read_to_string(&maps)
        .unwrap()
        .contains(real.to_str().unwrap())
    {
        assert!(child.try_wait().unwrap().is_none());
        thread::yield_now();
    }
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(0)
        .unwrap();
    let mut said = Vec::new();
    reader.read_to_end(&mut said).unwrap();
    let said = String::from_utf8(said[size as usize..].to_vec()).unwrap();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(2), "{status:?} {said}");
    assert!(
        said.ends_with(
            "transcode: error: cannot read long.aut: it was shortened by another program \
             meanwhile, or its disk failed\n"
        ),
        "{said}"
    );
    assert_eq!(scratch.names(), ["long.aut"]);
}

/// A program under test does not live on when its tester is killed.
#[test]
fn programs_under_test_die_with_the_tester() {
    let scratch = scratch();
    // Who is alive then says so, and who is not lets go of the pipe at once.
    scratch.write("sut", "echo up >&2; sleep 20; echo survived >&2");
    let scripts = [
        "exec sh sut",
        "sh sut; true",
        "sh sut | cat",
        "trap '' HUP INT TERM PIPE; (sh sut) & cat >/dev/null",
    ];
    for signal in [Signal::SIGKILL, Signal::SIGTERM, Signal::SIGPROF] {
        for script in scripts {
            let mut command = mortal(scratch.command(
                "wmethod",
                &["run", "toggle.aut", "--timeout", "60m", "--command", script],
            ));
            let (mut reader, writer) = std::io::pipe().unwrap();
            command.stderr(writer).stdout(Stdio::null());
            let mut child = command.spawn().unwrap();
            drop(command);
            let mut up = [0; 3];
            reader.read_exact(&mut up).unwrap();
            assert_eq!(&up, b"up\n");
            nix::sys::signal::kill(nix::unistd::Pid::from_raw(child.id() as i32), signal).unwrap();
            assert_eq!(child.wait().unwrap().signal(), Some(signal as i32));
            let mut said = String::new();
            reader.read_to_string(&mut said).unwrap();
            assert_eq!(said, "", "{signal}: {script}");
        }
    }
}

/// A number from `0 .. below`, and the next seed (Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators").
fn drawn(seed: &mut u64, below: u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % below
}

/// The commands of the campaign; all write into `out`.
const CAMPAIGN: [(&str, &str); 20] = [
    ("generate", "random 20000 60000 -o out/g.aut"),
    ("generate", "liststack 3 2 2 -o out/net"),
    ("generate", "chain 60000 -o out/c.aut.gz --stats out/s.json"),
    ("transcode", "big.aut -o out/t.aut"),
    ("transcode", "big.aut -o out/t.aut.zst"),
    ("transcode", "few.aut -o out/t.aut.xz"),
    ("transcode", "big.aut -o out/t.aut.bz2"),
    ("transcode", "big.aut -o out/t.bcg --stats out/s.json"),
    ("transcode", "big.aut -o out/t.fsm"),
    ("transcode", "big.aut -o out/t.lts"),
    ("transcode", "big.aut -o out/t.jsonl.gz --no-sync"),
    (
        "reach",
        "--expression ring|||ring|||ring|||ring -o out/r.aut",
    ),
    (
        "minimize",
        "big.aut -e branching -o out/m.aut --classes out/m.txt --stats out/s.json",
    ),
    ("reduce", "big.aut -r tau-confluence -o out/r.bcg"),
    ("relabel", "big.aut --hide-label L.* -o out/h.aut"),
    ("kernel", "find-symmetry train.aut -o out/k.txt"),
    ("wmethod", "-k 1 machine.aut -o out/suite"),
    (
        "wmethod",
        "mutants small.aut -m tour --survivors out/alive -o out/told",
    ),
    ("describe", "big.aut -o out/d.txt --stats out/s.json"),
    ("hyades", "install-links out/bin"),
];

/// What a command of the campaign makes, or what there is of it: statistics, which
/// differ from run to run, only if they are whole.
fn made(scratch: &Scratch) -> BTreeMap<String, Vec<u8>> {
    let mut tree = tree(&scratch.path("out"));
    if let Some(stats) = tree.get_mut("s.json")
        && *stats != b"old"
    {
        serde_json::from_slice::<serde_json::Value>(stats).expect("whole statistics");
        *stats = b"new".to_vec();
    }
    tree
}

/// Kills commands at random moments. `HYADES_KILLS` tells how many, `HYADES_SEED` what
/// moments are drawn from:
///
/// ```sh
/// HYADES_KILLS=2500 cargo test --test commands -- --ignored --nocapture campaign
/// ```
///
/// Beside those 2500, a ninth as many by SIGKILL, which leaves temporary files.
#[test]
#[ignore = "takes minutes"]
fn campaign() {
    let number = |name: &str, usual: u64| {
        std::env::var(name).map_or(usual, |text| text.parse().expect("a number"))
    };
    let kills = number("HYADES_KILLS", 2500);
    let mut seed = number("HYADES_SEED", 1);
    let scratch = Scratch::new();
    scratch
        .shell(
            "generate random 20000 80000 --seed 3 -o big.aut && generate train 6 -o train.aut && \
         generate mealy 30 4 --output-symbols 3 -o machine.aut && generate mealy 6 3 -o small.aut && \
         generate random 3000 12000 -o few.aut && generate chain 12 -o ring.aut && mkdir out tmp",
        )
        .ok();
    let ready = |name: &str, arguments: &str| {
        let words: Vec<&str> = arguments.split(' ').collect();
        let mut command = quiet(&scratch, name, &words);
        command.env("TMPDIR", scratch.path("tmp"));
        command
    };
    let reset = |whole: &BTreeMap<String, Vec<u8>>, with_old: bool| {
        fs::remove_dir_all(scratch.path("out")).unwrap();
        fs::create_dir(scratch.path("out")).unwrap();
        for path in whole.keys().filter(|path| with_old && path.contains('.')) {
            if !path.contains('/') {
                fs::write(scratch.path("out").join(path), "old").unwrap();
            }
        }
    };
    let references = CAMPAIGN.map(|(name, arguments)| {
        reset(&BTreeMap::new(), false);
        let start = Instant::now();
        let run = finish(ready(name, arguments));
        assert!(
            matches!(run.status.code(), Some(0 | 1)),
            "{name} {arguments}"
        );
        (made(&scratch), start.elapsed())
    });
    let signals = &SENT[..9];
    let all = kills + kills / signals.len() as u64;
    // By signal: killed, had ended before, whole or old, absent, temporary files.
    let mut table: BTreeMap<&str, [u64; 5]> = BTreeMap::new();
    let mut faults = Vec::new();
    for kill in 0..all {
        let signal = match kill < kills {
            true => signals[(kill % signals.len() as u64) as usize],
            false => Signal::SIGKILL,
        };
        let which = drawn(&mut seed, CAMPAIGN.len() as u64) as usize;
        let ((name, arguments), (whole, time)) = (CAMPAIGN[which], &references[which]);
        reset(whole, kill % 2 == 0);
        let before = made(&scratch);
        let mut child = ready(name, arguments).spawn().unwrap();
        let moment = drawn(&mut seed, 1 + 11 * time.as_micros() as u64 / 10);
        thread::sleep(Duration::from_micros(moment));
        // It has not been waited for: nobody else has its number.
        // SAFETY: a call with numbers only.
        unsafe { libc::kill(child.id() as i32, signal as i32) };
        let status = child.wait().unwrap();
        let row = table.entry(signal.as_str()).or_default();
        match status.signal() {
            Some(by) if by == signal as i32 => row[0] += 1,
            None if matches!(status.code(), Some(0 | 1)) => row[1] += 1,
            _ => faults.push(format!("{name} {arguments}: {signal}: {status}")),
        }
        let mut wrong = |what: String| {
            faults.push(format!(
                "{name} {arguments}: {signal} after {moment} us: {what}"
            ));
        };
        let after = made(&scratch);
        for (path, content) in &after {
            let top = path.split('/').next().unwrap();
            if whole.get(path) == Some(content) || before.get(path) == Some(content) {
                row[2] += 1;
            } else if signal == Signal::SIGKILL && whole.keys().any(|of| is_temporary(top, of)) {
                row[4] += u64::from(top == path);
            } else if signal == Signal::SIGKILL && path.starts_with("bin/.") {
                row[4] += 1;
            } else {
                wrong(format!("{path} is torn or left behind"));
            }
        }
        row[3] += whole
            .keys()
            .filter(|path| !after.contains_key(*path))
            .count() as u64;
        // A folder is there as a whole.
        for folder in ["net", "alive"] {
            let of = |tree: &BTreeMap<String, Vec<u8>>| {
                tree.keys().filter(|path| path.starts_with(folder)).count()
            };
            if after.contains_key(folder) && of(&after) != of(whole) {
                wrong(format!("a part of {folder}"));
            }
        }
        for path in before.keys().filter(|path| !after.contains_key(*path)) {
            wrong(format!("{path} is gone"));
        }
        let spools = tree(&scratch.path("tmp"));
        if !spools.is_empty() {
            wrong(format!("left in TMPDIR: {:?}", spools.keys()));
            fs::remove_dir_all(scratch.path("tmp")).unwrap();
            fs::create_dir(scratch.path("tmp")).unwrap();
        }
    }
    println!(
        "{} commands, {kills} kills and {} by SIGKILL",
        CAMPAIGN.len(),
        all - kills
    );
    println!("signal      killed  ended before  whole or old  absent  temporary");
    for (signal, [killed, ended, whole, absent, temporary]) in table {
        println!("{signal:10}  {killed:6}  {ended:12}  {whole:12}  {absent:6}  {temporary:9}");
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
