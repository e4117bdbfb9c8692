//! Outputs appear whole or not at all, and where users expect them.

use crate::util;

use std::fs::{self, Permissions};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, geteuid, mkfifo};
use util::{Scratch, VENDING, finish, mortal, wait};

#[test]
fn an_output_may_be_the_input() {
    let scratch = Scratch::with_vending();
    scratch
        .run("reach", &["vending.aut", "-o", "vending.aut"])
        .ok();
    assert!(scratch.read("vending.aut").starts_with("des (0, 8, 6)\n"));
    // A file that is large enough to be mapped.
    scratch
        .run("generate", &["chain", "60000", "-o", "c.aut"])
        .ok();
    let before = scratch.read("c.aut");
    assert!(before.len() > 1 << 19);
    scratch.run("transcode", &["c.aut", "-o", "c.aut"]).ok();
    assert_eq!(scratch.read("c.aut"), before);
    assert_eq!(scratch.names(), ["c.aut", "vending.aut"]);
}

#[test]
fn an_output_is_not_lost_where_there_is_no_standard_output() {
    let scratch = Scratch::with_vending();
    for command in [
        "transcode vending.aut",
        "reach vending.aut",
        "minimize vending.aut",
        "describe vending.aut",
        "equiv vending.aut vending.aut",
        "generate chain 3",
    ] {
        scratch
            .shell(&format!("{command} >&-"))
            .status(2)
            .says("standard output: Bad file descriptor");
    }
    scratch.shell("minimize vending.aut -o m.aut >&-").ok();
    scratch.shell("minimize vending.aut >/dev/null").ok();
    assert_eq!(scratch.names(), ["m.aut", "vending.aut"]);
}

/// Whether an output that is called by its descriptor is lost is told, if only by the
/// status.
#[test]
fn an_output_is_not_lost_where_there_is_no_standard_error() {
    let scratch = Scratch::with_vending();
    for command in [
        "transcode vending.aut -o /dev/stderr",
        "transcode vending.aut -o /dev/fd/2",
        "transcode vending.aut -o x --stats /dev/stderr",
        "minimize vending.aut -o x --classes /dev/stderr",
        "describe vending.aut -o /proc/self/fd/2",
        "reach vending.aut --deadlock --state-space x --stats /dev/fd/2",
    ] {
        let with = |end: &str| scratch.shell(&format!("{command} {end}"));
        with("2>&-").status(2).prints("");
        assert_eq!(scratch.names(), ["vending.aut"], "{command}");
        with("2>/dev/null").status(0);
        let _ = fs::remove_file(scratch.path("x"));
    }
    scratch
        .shell("transcode vending.aut -o /dev/fd/0 <&-")
        .status(2)
        .says("cannot write /dev/fd/0: Bad file descriptor");
}

#[test]
fn bad_input_leaves_no_output_and_keeps_the_old_one() {
    let scratch = Scratch::new();
    scratch.write("bad.aut", "des (0, 1, 1)\n(0, a, 7)\n");
    scratch.write("old.aut", "precious");
    for command in ["transcode", "reach", "minimize"] {
        scratch
            .run(command, &["bad.aut", "-o", "new.aut", "--stats", "s.json"])
            .status(2)
            .prints("");
        scratch
            .run(command, &["bad.aut", "-o", "old.aut"])
            .status(2);
    }
    assert_eq!(scratch.names(), ["bad.aut", "old.aut"]);
    assert_eq!(scratch.read("old.aut"), "precious");
}

#[test]
fn nothing_appears_unless_everything_could_be_written() {
    let scratch = Scratch::with_vending();
    for (command, option) in [
        ("minimize", "--stats"),
        ("minimize", "--classes"),
        ("reach", "--stats"),
        ("transcode", "--stats"),
        ("describe", "--stats"),
    ] {
        scratch
            .run(
                command,
                &["vending.aut", "-o", "o.aut", option, "/dev/full"],
            )
            .status(2)
            .says("cannot write /dev/full");
        assert_eq!(scratch.names(), ["vending.aut"], "{command} {option}");
    }
}

/// An output may take the place of the input on purpose; statistics hardly do.
#[test]
fn side_outputs_do_not_replace_the_input() {
    let scratch = Scratch::with_vending();
    symlink("vending.aut", scratch.path("link")).unwrap();
    for arguments in [
        &["transcode", "vending.aut", "--stats", "vending.aut"][..],
        &["transcode", "./vending.aut", "--stats", "link"],
        &["describe", "link", "--stats", "vending.aut", "-o", "d"],
        &[
            "minimize",
            "vending.aut",
            "--classes",
            "vending.aut",
            "-o",
            "q",
        ],
        &["equiv", "-", "vending.aut", "--stats", "vending.aut"],
    ] {
        scratch
            .run(arguments[0], &arguments[1..])
            .status(2)
            .says("would replace the input")
            .prints("");
        assert_eq!(scratch.read("vending.aut"), VENDING, "{arguments:?}");
    }
    scratch
        .shell("reach --stats vending.aut < vending.aut")
        .status(2)
        .says("would replace the input");
    assert_eq!(scratch.read("vending.aut"), VENDING);
    assert_eq!(scratch.names(), ["link", "vending.aut"]);
}

#[test]
fn an_output_that_is_refused_while_writing_does_not_appear() {
    let scratch = Scratch::with_vending();
    scratch
        .run(
            "transcode",
            &["vending.aut", "--hidden", "TEA", "-o", "x.aut"],
        )
        .status(2)
        .says("--visible-i");
    assert_eq!(scratch.names(), ["vending.aut"]);
}

#[test]
fn permissions_follow_the_umask_or_the_old_file() {
    let scratch = Scratch::with_vending();
    let mode = |name: &str| fs::metadata(scratch.path(name)).unwrap().mode() & 0o777;
    scratch
        .shell("umask 027; transcode vending.aut -o new.aut; umask 0; transcode vending.aut -o open.aut")
        .ok();
    assert_eq!((mode("new.aut"), mode("open.aut")), (0o640, 0o666));
    fs::set_permissions(scratch.path("new.aut"), Permissions::from_mode(0o604)).unwrap();
    scratch
        .run("transcode", &["vending.aut", "-o", "new.aut"])
        .ok();
    assert_eq!(mode("new.aut"), 0o604);
}

#[test]
fn links_stay_links() {
    let scratch = Scratch::with_vending();
    fs::create_dir(scratch.path("sub")).unwrap();
    fs::write(scratch.path("sub/target"), "old").unwrap();
    symlink("sub/target", scratch.path("link")).unwrap();
    symlink("sub/fresh", scratch.path("dangling")).unwrap();
    for link in ["link", "dangling"] {
        scratch.run("transcode", &["vending.aut", "-o", link]).ok();
        assert!(
            fs::symlink_metadata(scratch.path(link))
                .unwrap()
                .is_symlink()
        );
        assert_eq!(scratch.read(link), VENDING);
    }
    assert_eq!(scratch.names(), ["dangling", "link", "sub", "vending.aut"]);
    // So do links to folders, there or not.
    symlink("sub/parts", scratch.path("parts.plts")).unwrap();
    for _ in 0..2 {
        scratch
            .run("transcode", &["vending.aut", "-o", "parts.plts"])
            .ok();
        let link = fs::symlink_metadata(scratch.path("parts.plts"));
        assert!(link.unwrap().is_symlink());
        assert!(scratch.path("sub/parts/manifest.json").exists());
    }
    // Where a link leads that cannot be written is told.
    for name in ["l.aut", "l.plts"] {
        symlink("none/x", scratch.path(name)).unwrap();
        scratch
            .run("transcode", &["vending.aut", "-o", name])
            .status(2)
            .says(&format!(
                "cannot write {name}, a symbolic link to none/x: No such file or directory"
            ));
    }
}

#[test]
fn special_files_stay_what_they_are() {
    let scratch = Scratch::with_vending();
    scratch
        .run("transcode", &["vending.aut", "-o", "/dev/null"])
        .ok()
        .prints("");
    assert!(
        fs::metadata("/dev/null")
            .unwrap()
            .file_type()
            .is_char_device()
    );
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        scratch
            .run("transcode", &["vending.aut", "-o", name])
            .ok()
            .prints(VENDING);
    }
    scratch
        .shell("transcode vending.aut -o /dev/stdout > there.aut && cat there.aut")
        .ok()
        .prints(VENDING);
    scratch
        .shell("transcode vending.aut -o >(cat > got); wait $!; cat got")
        .ok()
        .prints(VENDING);
    mkfifo(&scratch.path("fifo"), Mode::S_IRWXU).unwrap();
    scratch
        .shell("transcode vending.aut -o fifo & cat fifo; wait $!")
        .ok()
        .prints(VENDING);
    assert!(
        fs::metadata(scratch.path("fifo"))
            .unwrap()
            .file_type()
            .is_fifo()
    );
}

#[test]
fn a_full_disk_is_an_error() {
    let scratch = Scratch::with_vending();
    for command in ["transcode", "describe", "reach", "minimize"] {
        scratch
            .run(command, &["vending.aut", "-o", "/dev/full"])
            .status(2)
            .says("No space left on device");
        scratch
            .shell(&format!("{command} vending.aut > /dev/full"))
            .status(2)
            .says("standard output: No space left on device");
    }
    scratch
        .run(
            "reach",
            &["--deadlock", "vending.aut", "--stats", "/dev/full"],
        )
        .status(2)
        .says("No space left on device");
    scratch.shell("hyades > /dev/full").status(2);
    scratch.shell("transcode --help > /dev/full").status(2);
}

#[test]
fn impossible_places_are_refused_before_the_work() {
    let scratch = Scratch::with_vending();
    fs::create_dir(scratch.path("directory")).unwrap();
    for (place, reason) in [
        ("none/x.aut", "No such file or directory"),
        ("vending.aut/x.aut", "Not a directory"),
        ("directory", "directory"),
        ("new/", "directory"),
    ] {
        // The input is never opened: it does not exist either.
        scratch
            .run("transcode", &["missing.aut", "-o", place])
            .status(2)
            .says(reason)
            .says("cannot write");
        scratch
            .run("transcode", &["missing.aut", "--stats", place])
            .status(2)
            .says("cannot write");
    }
    assert_eq!(scratch.names(), ["directory", "vending.aut"]);
}

#[test]
fn a_directory_that_may_not_be_written_is_refused() {
    let scratch = Scratch::with_vending();
    let locked = scratch.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::write(locked.join("old.aut"), "old").unwrap();
    fs::set_permissions(&locked, Permissions::from_mode(0o555)).unwrap();
    fs::write(scratch.path("readonly.aut"), "old").unwrap();
    fs::set_permissions(scratch.path("readonly.aut"), Permissions::from_mode(0o444)).unwrap();
    scratch
        .run("transcode", &["vending.aut", "-o", "locked.plts"])
        .ok();
    let parts = scratch.path("locked.plts");
    fs::set_permissions(&parts, Permissions::from_mode(0o555)).unwrap();
    for place in [
        "locked/new.aut",
        "locked/old.aut",
        "readonly.aut",
        "locked.plts",
    ] {
        let mut command = scratch.command("transcode", &["vending.aut", "-o", place]);
        if geteuid().is_root() {
            // Nothing is forbidden to root: be someone else.
            open_to_all(&scratch);
            command.uid(65534).gid(65534);
        }
        finish(command).status(2).says("Permission denied");
    }
    for folder in [&locked, &parts] {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(
        scratch.names(),
        ["locked", "locked.plts", "readonly.aut", "vending.aut"]
    );
    assert_eq!(fs::read(locked.join("old.aut")).unwrap(), b"old");
    assert_eq!(scratch.read("readonly.aut"), "old");
}

#[test]
fn links_that_cannot_be_looked_at_are_told_as_such() {
    let scratch = Scratch::new();
    let links = scratch.path("links");
    fs::create_dir(&links).unwrap();
    fs::set_permissions(&links, Permissions::from_mode(0o644)).unwrap();
    let mut command = scratch.command("hyades", &["install-links", "links"]);
    if geteuid().is_root() {
        open_to_all(&scratch);
        command.uid(65534).gid(65534);
    }
    let run = finish(command).status(2);
    fs::set_permissions(&links, Permissions::from_mode(0o755)).unwrap();
    run.says("cannot read links/").says("Permission denied");
}

/// Lets everybody into the scratch directory.
fn open_to_all(scratch: &Scratch) {
    fs::set_permissions(scratch.path("."), Permissions::from_mode(0o777)).unwrap();
}

#[test]
fn an_open_file_is_written_from_where_it_stands() {
    let scratch = Scratch::with_vending();
    scratch.write("log", "before\n");
    scratch
        .shell(
            "{ minimize vending.aut -o /dev/fd/3 && echo after >&3; } 3>> log && \
             { minimize vending.aut -o x --classes /dev/stderr && echo after >&2; } 2>> log",
        )
        .ok();
    let log = scratch.read("log");
    let lines: Vec<_> = log.lines().collect();
    assert!(log.starts_with("before\ndes (0, "), "{log}");
    assert!(log.contains("\nafter\n0: "), "{log}");
    assert_eq!(lines.last(), Some(&"after"), "{log}");
    scratch
        .shell("transcode vending.aut -o /dev/fd/9")
        .status(2)
        .says("/dev/fd/9");
}

#[test]
fn two_outputs_to_one_place_are_refused() {
    let scratch = Scratch::with_vending();
    for arguments in [
        &["minimize", "-o", "x", "--classes", "./x"][..],
        &["minimize", "-o", "x", "--stats", "x"],
        &["transcode", "--stats", "-"],
    ] {
        let (command, rest) = arguments.split_first().unwrap();
        let run = scratch.run(command, &[rest, &["vending.aut"]].concat());
        run.status(2).says("same place").prints("");
    }
    scratch
        .run(
            "minimize",
            &["-o", "/dev/null", "--classes", "/dev/null", "vending.aut"],
        )
        .ok();
}

#[test]
fn a_signal_removes_what_is_unfinished() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let scratch = Scratch::with_vending();
        mkfifo(&scratch.path("fifo"), Mode::S_IRWXU).unwrap();
        // The quotient is written, then the classes wait for a reader.
        let command = scratch.command(
            "minimize",
            &["vending.aut", "-o", "small.aut", "--classes", "fifo"],
        );
        let child = mortal(command).spawn().unwrap();
        while scratch.names().len() < 3 {
            thread::sleep(Duration::from_millis(5));
        }
        assert!(!scratch.path("small.aut").exists());
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        wait(child, signal.to_string())
            .signal(signal as i32)
            .silent();
        assert_eq!(scratch.names(), ["fifo", "vending.aut"]);
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let scratch = Scratch::with_vending();
    mkfifo(&scratch.path("fifo"), Mode::S_IRWXU).unwrap();
    scratch
        .shell(
            "trap '' HUP; minimize vending.aut -o small.aut --classes fifo & \
             while kill -0 $! && ! ls -A | grep -q tmp; do sleep 0.01; done; \
             kill -HUP $!; cat fifo > classes; wait $!",
        )
        .ok();
    assert_eq!(
        scratch.names(),
        ["classes", "fifo", "small.aut", "vending.aut"]
    );
}

#[test]
fn a_file_size_limit_leaves_nothing_behind() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "100000", "-o", "c.aut"])
        .ok();
    scratch
        .shell("ulimit -f 64; exec transcode c.aut -o copy.aut")
        .signal(Signal::SIGXFSZ as i32);
    assert_eq!(scratch.names(), ["c.aut"]);
}
