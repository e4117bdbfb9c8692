//! The umbrella, run as a user runs it.

use crate::util;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use util::{COMMANDS, Scratch, VENDING, binary, finish};

#[test]
fn alone_it_lists_all_commands() {
    let scratch = Scratch::new();
    let twice = [&["help", "-h"][..], &["help", "--help"], &["help", "help"]];
    for arguments in [&[][..], &["help"], &["--help"], &["-h"]]
        .into_iter()
        .chain(twice)
    {
        let run = scratch.run("hyades", arguments).ok();
        for command in COMMANDS {
            assert!(run.text().contains(&format!("\n  {command} ")), "{command}");
        }
        assert!(run.text().contains("Exit status:") && run.text().contains("Example:"));
        assert!(run.text().lines().count() <= 40, "{}", run.text());
        for line in run.text().lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}

/// The command's own file finds the program that has it beside itself or by PATH, and a
/// link with the command's name to that program does without the file.
#[test]
fn commands_are_names_of_one_program() {
    let scratch = Scratch::with_vending();
    let run = |program: &Path, path: &Path| {
        let mut command = Command::new(program);
        command
            .args(["--deadlock", "vending.aut"])
            .current_dir(scratch.path(""))
            .env("PATH", path)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        finish(command)
    };
    let [here, elsewhere] = ["here", "elsewhere"].map(|name| {
        fs::create_dir(scratch.path(name)).unwrap();
        scratch.path(name)
    });
    let own = scratch.run("reach", &["--deadlock", "vending.aut"]);
    let program = binary("hyades");
    let link = here.join("reach");
    symlink(&program, &link).unwrap();
    run(&link, &elsewhere).prints(own.text()).status(0);
    fs::remove_file(&link).unwrap();

    fs::copy(binary("reach"), &link).unwrap();
    let alone = run(&link, &elsewhere).status(2).prints("");
    alone.says("reach: error: hyades, the program that has this command, is not installed");
    // One that is this very file would run itself for ever.
    let beside = here.join("hyades");
    fs::hard_link(&link, &beside).unwrap();
    run(&link, &here).status(2).says("is not installed");
    fs::remove_file(&beside).unwrap();
    symlink(&link, &beside).unwrap();
    run(&link, &here).status(2).says("is not installed");
    fs::remove_file(&beside).unwrap();
    fs::write(&beside, "no program").unwrap();
    run(&link, &elsewhere).status(2).says("cannot run hyades");
    fs::remove_file(&beside).unwrap();
    symlink(&program, elsewhere.join("hyades")).unwrap();
    run(&link, &elsewhere).prints(own.text()).status(0);
    fs::remove_file(elsewhere.join("hyades")).unwrap();
    symlink(&program, &beside).unwrap();
    run(&link, &elsewhere).prints(own.text()).status(0);
    // A link elsewhere to the file finds what is beside the file.
    symlink(&link, elsewhere.join("reach")).unwrap();
    run(&elsewhere.join("reach"), &scratch.path(""))
        .prints(own.text())
        .status(0);
}

#[test]
fn it_runs_every_command() {
    let scratch = Scratch::with_vending();
    for command in COMMANDS {
        let own = scratch.run(command, &["--help"]).ok();
        for arguments in [[command, "--help"], ["help", command]] {
            let run = scratch.run("hyades", &arguments).ok();
            let usage = ["Usage: ", "       "].map(|gap| format!("{gap}{command} "));
            let expected = usage.iter().fold(own.text().to_owned(), |text, usage| {
                text.replace(usage, &usage.replace(command, &format!("hyades {command}")))
            });
            assert_eq!(run.text(), expected);
        }
    }
    for (name, alias) in [
        ("transcode", "convert"),
        ("equiv", "compare"),
        ("describe", "info"),
    ] {
        let own = scratch.run(
            name,
            &["vending.aut", "vending.aut"][..1 + usize::from(name == "equiv")],
        );
        let mut arguments = vec![alias, "vending.aut"];
        if name == "equiv" {
            arguments.push("vending.aut");
        }
        scratch
            .run("hyades", &arguments)
            .ok()
            .prints(own.ok().text());
    }
    let family = scratch.run("hyades", &["help", "generate", "dining"]).ok();
    assert!(family.text().contains("generate dining [OPTIONS] <N>"));
    scratch
        .run("hyades", &["reach", "missing.aut"])
        .status(2)
        .says("reach: error: ");
    scratch
        .feed("hyades", &["reach", "--fail-on", "deadlock"], VENDING)
        .status(1);
}

#[test]
fn other_names_run_programs_from_path() {
    let scratch = Scratch::new();
    let plugin = scratch.write("hyades-frob", "#!/bin/sh\necho \"frob:$*\"\ncat\nexit 7\n");
    fs::set_permissions(&plugin, Permissions::from_mode(0o755)).unwrap();
    let with_path = |arguments: &[&str]| {
        let mut command = scratch.command("hyades", arguments);
        let path = format!(
            "{}:{}",
            scratch.path("").display(),
            std::env::var("PATH").unwrap()
        );
        command.env("PATH", path);
        finish(command)
    };
    with_path(&["frob", "-x", "a b"])
        .status(7)
        .prints("frob:-x a b\n");
    with_path(&["help", "frob"])
        .status(7)
        .prints("frob:--help\n");
    // What cannot be run is not listed.
    scratch.write("hyades-notes", "what frob is for\n");
    fs::create_dir(scratch.path("hyades-folder")).unwrap();
    symlink("hyades-frob", scratch.path("hyades-linked")).unwrap();
    symlink("missing", scratch.path("hyades-dangling")).unwrap();
    for hidden in ["hyades-", "hyades-check"] {
        symlink("hyades-frob", scratch.path(hidden)).unwrap();
    }
    for arguments in [&[][..], &["help"]] {
        let list = with_path(arguments).ok();
        let (_, found) = list.text().split_once("\nFound by PATH:\n").unwrap();
        let (found, _) = found.split_once("\n\n").unwrap();
        let names: Vec<&str> = found.lines().map(str::trim).collect();
        for (name, is_listed) in [
            ("frob", true),
            ("linked", true),
            ("notes", false),
            ("folder", false),
            ("dangling", false),
        ] {
            assert_eq!(names.contains(&name), is_listed, "{name}: {names:?}");
        }
    }
}

#[test]
fn unknown_names_are_errors() {
    let scratch = Scratch::new();
    scratch
        .run("hyades", &["frobnicate"])
        .status(2)
        .says("frobnicate")
        .prints("");
    scratch.run("hyades", &["help", "frobnicate"]).status(2);
    for (subject, page) in [
        ("mcl", "check"),
        ("mcf", "check"),
        ("networks", "exp"),
        ("channels", "toml"),
        ("traces", "seq"),
        ("suites", "wmethod"),
        ("symmetry", "kernel"),
    ] {
        let run = scratch.run("hyades", &["help", subject]).status(2);
        run.says(&format!("hyades help {page} is about it"));
        scratch.run("hyades", &["help", page]).ok();
    }
    scratch
        .run("hyades", &["symmetry", "--help"])
        .status(2)
        .says("kernel find-symmetry finds symmetries");
    scratch
        .run("hyades", &["--frobnicate"])
        .status(2)
        .prints("");
    scratch.run("hyades", &["../bin/sh"]).status(2);
    scratch.run("hyades", &[""]).status(2);
}
