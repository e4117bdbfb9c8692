//! `generate`, run as a user runs it.

use crate::util;

use util::{Scratch, json};

#[test]
fn a_chain_is_written() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "3"])
        .ok()
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, a, 2)\n");
}

/// A value for each parameter without a default, with which members are small.
fn small_values(family: &hyades::generate::Family, value: u64) -> Vec<u64> {
    let value = match family.name {
        "ring" | "liststack" => 2,
        "chatbox" | "chatbox-fixed" | "peterson" | "philosophers" => 3,
        "train" | "train-mealy" | "database" | "fifo" | "bag" => 4,
        _ => value,
    };
    let required = family.parameters.iter().filter(|p| p.default.is_none());
    required.map(|p| value.clamp(p.least, p.most)).collect()
}

/// Whether members are systems of machines, not LTSs.
fn is_system(family: &hyades::generate::Family) -> bool {
    let values = family.values(&small_values(family, 4), &[]).unwrap();
    family.system(&values).unwrap().is_some()
}

/// What is written is what the library makes, and its state space is that of `reach`.
#[test]
fn systems() {
    let scratch = Scratch::new();
    let family = hyades::generate::family("channels").unwrap();
    for seed in 1..20 {
        let values = family.values(&[], &[("seed", seed)]).unwrap();
        let run = scratch.run("generate", &["channels", "--seed", &seed.to_string()]);
        let text = run.ok().text().to_owned();
        assert_eq!(text, family.system(&values).unwrap().unwrap().to_text());
        let lts = family.generate(&values, Default::default()).unwrap();
        let reached = scratch.feed("reach", &["--from", "toml"], &text);
        let is_overfilled = reached.stderr.contains("overfilled");
        let reached = reached.status(if is_overfilled { 3 } else { 0 });
        let header = format!("des (0, {}, {})\n", lts.transitions(), lts.states());
        assert!(reached.text().starts_with(&header));
    }
}

/// The state space is written where the format of an LTS is named.
#[test]
fn systems_are_explored_on_demand() {
    let scratch = Scratch::new();
    let text = scratch.run("generate", &["channels"]).ok().stdout;
    for (name, more) in [
        ("plain", &[][..]),
        ("system.toml", &[]),
        ("a.b.c", &["--to", "toml"]),
    ] {
        let arguments = [&["channels", "-o", name], more].concat();
        scratch.run("generate", &arguments).ok();
        assert_eq!(scratch.read(name).as_bytes(), text, "{name}");
    }
    let run = scratch.run("generate", &["channels", "--to", "toml"]).ok();
    assert_eq!(run.stdout, text);
    let family = hyades::generate::family("channels").unwrap();
    let values = family.values(&[], &[]).unwrap();
    let lts = family.generate(&values, Default::default()).unwrap();
    let header = format!("des (0, {}, {})\n", lts.transitions(), lts.states());
    let run = scratch.run("generate", &["channels", "--to", "aut"]).ok();
    assert!(run.text().starts_with(&header));
    let arguments = ["channels", "-o", "g.aut", "--stats", "s.json"];
    scratch.run("generate", &arguments).ok();
    assert_eq!(scratch.read("g.aut"), run.text());
    assert_eq!(json(scratch.read("s.json"))["capacity"], 3);
    let names = scratch.names();
    for wrong in ["g.gz", "g.exp", "g.xyz"] {
        let run = scratch.run("generate", &["channels", "-o", wrong]);
        run.status(2).prints("");
    }
    assert_eq!(scratch.names(), names);
}

/// The help of a family tells what its parameters may be.
#[test]
fn limits_of_parameters_are_told() {
    let run = Scratch::new().run("generate", &["channels", "--help"]).ok();
    for limits in [
        "machine (1 to 1000)",
        "channels (0 to 1000)",
        "percent (0 to 100)",
    ] {
        assert!(run.text().contains(limits), "{}", run.text());
    }
}

/// The files of a folder, sorted, with their texts.
fn folder(path: &std::path::Path) -> Vec<(String, String)> {
    let names = std::fs::read_dir(path).expect("a folder").map(|entry| {
        let name = entry.expect("a name").file_name();
        name.into_string().expect("ASCII")
    });
    let mut files: Vec<_> = names
        .map(|name| {
            let text = std::fs::read_to_string(path.join(&name)).expect("a text");
            (name, text)
        })
        .collect();
    files.sort();
    files
}

/// All files are in the folder, and `reach` explores what `generate` does.
#[test]
fn networks_are_written_into_a_folder() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        if !family.is_network() {
            continue;
        }
        let positional = small_values(family, 4);
        let texts: Vec<String> = positional.iter().map(u64::to_string).collect();
        let mut arguments = vec![family.name];
        arguments.extend(texts.iter().map(String::as_str));
        let values = family.values(&positional, &[]).unwrap();
        let mut expected = family.network(&values).unwrap().unwrap().files;
        expected.sort();
        let written = [&arguments[..], &["-o", family.name, "--stats", "s.json"]].concat();
        scratch.run("generate", &written).ok();
        assert!(
            folder(&scratch.path(family.name)) == expected,
            "{}",
            family.name
        );
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["family"], family.name);
        assert_eq!(stats["outputs"][0]["path"], family.name);
        assert_eq!(stats["outputs"][0]["format"], "exp");
        let bytes: usize = expected.iter().map(|(_, text)| text.len()).sum();
        assert_eq!(stats["outputs"][0]["bytes"], bytes);
        let net = format!("{}/net.exp", family.name);
        let reached = scratch.run("reach", &[&net]).ok();
        let explored = [&arguments[..], &["--to", "aut"]].concat();
        let explored = scratch.run("generate", &explored).ok();
        assert!(reached.stdout == explored.stdout, "{}", family.name);
        let file = [&arguments[..], &["-o", "lts.aut"]].concat();
        scratch.run("generate", &file).ok();
        assert!(scratch.read("lts.aut").as_bytes() == explored.stdout);
    }
}

#[test]
fn a_folder_that_is_in_use_is_left_alone() {
    let scratch = Scratch::new();
    let peterson = |more: &[&str]| {
        let arguments = [&["peterson", "2"], more].concat();
        scratch.run("generate", &arguments)
    };
    peterson(&[]).status(2).says("several files").prints("");
    peterson(&["-o", "-"]).status(2).says("several files");
    peterson(&["-o", "net.exp"]).status(2).says("several files");
    peterson(&["-o", "net.gz"]).status(2).says("not compressed");
    peterson(&["-o", "no/where"]).status(2).says("No such file");
    peterson(&["-o", "."]).status(2).says("current directory");
    peterson(&["-o", "net", "--canonical"])
        .status(2)
        .says("--canonical");
    peterson(&["-o", "net", "--stats", "net"])
        .status(2)
        .says("same place");
    peterson(&["-o", "/dev/null"]).status(2).says("/dev/null");
    assert_eq!(scratch.names(), [""; 0]);
    scratch.write("file", "1\n");
    peterson(&["-o", "file"]).status(2).says("file");
    std::os::unix::fs::symlink("nothing", scratch.path("link")).unwrap();
    // It stays, and what it names is made.
    peterson(&["-o", "link"]).ok();
    assert!(scratch.read("nothing/net.exp").contains("proc_P1.aut"));
    std::fs::create_dir(scratch.path("full")).unwrap();
    scratch.write("full/net.exp", "mine\n");
    peterson(&["-o", "full"]).status(2).says("not empty");
    assert_eq!(scratch.read("full/net.exp"), "mine\n");
    assert_eq!(scratch.names(), ["file", "full", "link", "nothing"]);
    // An empty one keeps its permissions.
    use std::os::unix::fs::PermissionsExt;
    let empty = scratch.path("empty");
    std::fs::create_dir(&empty).unwrap();
    std::fs::set_permissions(&empty, std::fs::Permissions::from_mode(0o700)).unwrap();
    peterson(&["-o", "empty/"]).ok();
    let mode = std::fs::metadata(&empty).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    assert!(scratch.read("empty/net.exp").contains("proc_P1.aut"));
    let names = ["empty", "file", "full", "link", "nothing"];
    assert_eq!(scratch.names(), names);
}

#[test]
fn a_large_specification_is_told_to_be_left_out() {
    let scratch = Scratch::new();
    let stack = |name: &str, more: &[&str]| {
        let arguments = [&["liststack", "3", "1", "2", "-o", name], more].concat();
        scratch.run("generate", &arguments)
    };
    stack("with", &["--spec-states", "15"]).ok();
    assert!(scratch.path("with/spec.aut").exists());
    let run = stack("without", &["--spec-states", "14"]);
    run.status(0).says("no spec.aut").says("15 states");
    assert!(!scratch.path("without/spec.aut").exists());
    stack("quiet", &["-q", "--spec-states", "14"]).ok();
}

#[test]
fn every_family_has_a_help_and_a_small_member_that_can_be_read() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        let help = scratch.run("generate", &[family.name, "--help"]).ok();
        assert!(help.text().contains("Exit status:"), "{}", family.name);
        for parameter in family.parameters {
            assert!(
                help.text().to_lowercase().contains(parameter.name),
                "{} {}",
                family.name,
                parameter.name
            );
        }
        let values: Vec<String> = small_values(family, 4).iter().map(u64::to_string).collect();
        let mut arguments = vec![family.name];
        arguments.extend(values.iter().map(String::as_str));
        if family.is_network() {
            arguments.extend(["--to", "aut"]);
        }
        let member = scratch.run("generate", &arguments).ok();
        let reader: &[&str] = match is_system(family) {
            true => &["reach", "--from", "toml", "--analysis"],
            false => &["describe", "--strict"],
        };
        scratch
            .feed(reader[0], &reader[1..], &member.stdout)
            .status(0);
        let again = scratch.run("generate", &arguments).ok();
        assert_eq!(member.stdout, again.stdout, "{}", family.name);
    }
}

/// In the order in which they stand in the usage, each with what it is.
#[test]
fn parameters_are_told_in_their_order() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        let run = scratch.run("generate", &["help", family.name]).ok();
        let (_, list) = run.text().split_once("\nParameters:\n").unwrap();
        let mut from = 0;
        for parameter in family.parameters {
            let name = match parameter.default {
                None => format!("<{}>", parameter.name.to_uppercase()),
                Some(_) => format!("--{} ", parameter.name),
            };
            let place = list[from..].find(&name);
            from += place.unwrap_or_else(|| panic!("{}: {name}\n{list}", family.name));
            assert!(list[from..].contains(parameter.help), "{}", family.name);
        }
    }
    let run = scratch.run("generate", &["help", "hub"]).ok();
    assert!(run.text().contains("transitions of the one state"));
}

/// Members that go from the explorer to the file look like those that come from
/// memory, wherever they go.
#[test]
fn streamed_files_are_the_same_as_others() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        if is_system(family) {
            continue;
        }
        let positional = small_values(family, 9);
        let texts: Vec<String> = positional.iter().map(u64::to_string).collect();
        let mut arguments = vec![family.name];
        arguments.extend(texts.iter().map(String::as_str));
        arguments.extend(["--quote", "always", "--stats", "s.json"]);
        if family.is_network() {
            arguments.extend(["--to", "aut"]);
        }
        let values = family.values(&positional, &[]).unwrap();
        let lts = family.generate(&values, Default::default()).unwrap();
        let mut expected = Vec::new();
        let options = hyades::formats::WriteOptions {
            quote: hyades::formats::Quote::Always,
            ..Default::default()
        };
        hyades::formats::aut::write(&lts, &mut expected, &options, &mut |_| ()).unwrap();
        let run = scratch.run("generate", &arguments).ok();
        assert!(run.stdout == expected, "{}", family.name);
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["phases"][0]["name"], "generate");
        assert_eq!(stats["outputs"][0]["states"], lts.states());
        assert_eq!(stats["outputs"][0]["transitions"], lts.transitions());
        assert_eq!(
            stats["outputs"][0]["labels"],
            lts.count_labels(),
            "{}",
            family.name
        );
        arguments.extend(["-o", "m.aut.gz"]);
        scratch.run("generate", &arguments).ok();
        let run = scratch
            .run("transcode", &["m.aut.gz", "--quote", "always"])
            .ok();
        assert!(run.stdout == expected, "{}", family.name);
    }
}

#[test]
fn the_seed_decides() {
    let scratch = Scratch::new();
    let member = |seed: &str| {
        let arguments = [
            "random",
            "50",
            "200",
            "--seed",
            seed,
            "--tau-percentage",
            "0",
        ];
        scratch.run("generate", &arguments).ok().stdout
    };
    assert_eq!(member("5"), member("5"));
    assert_ne!(member("5"), member("6"));
    assert!(!String::from_utf8(member("5")).unwrap().contains(", i, "));
}

#[test]
fn parameters_are_checked() {
    let scratch = Scratch::new();
    for (arguments, reason) in [
        (&["chain"][..], "N"),
        (&["chain", "x"], "x"),
        (&["chain", "0"], "0"),
        (&["chain", "3", "4"], "4"),
        (&["random", "5", "5", "--tau-percentage", "101"], "101"),
        (&["nonsense"], "nonsense"),
        (&["chatbox", "1"], "2..=5"),
        (&["chatbox-fixed", "7"], "2..=6"),
        (&["train", "2"], "3..=11"),
        (&["train-mealy", "12"], "3..=11"),
        (&["ring", "5"], "2..=4"),
        (&["liststack", "3", "2"], "D"),
        (&["peterson", "1"], "2..=32"),
        (&["philosophers", "3", "--seated", "2"], "0..=1"),
    ] {
        scratch
            .run("generate", arguments)
            .status(2)
            .says(reason)
            .prints("");
    }
}

#[test]
fn statistics_tell_the_parameters() {
    let scratch = Scratch::new();
    scratch
        .run(
            "generate",
            &["dining", "3", "-o", "d.aut.xz", "--stats", "s.json"],
        )
        .ok();
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["family"], "dining");
    assert_eq!(stats["phases"][0]["name"], "generate");
    let states = &stats["outputs"][0]["states"];
    let run = scratch.run("describe", &["--json", "d.aut.xz"]).ok();
    assert_eq!(json(run.text())["states"], *states);
}

/// Published sizes, as a user finds them.
#[test]
fn models_of_the_report_have_their_sizes() {
    let scratch = Scratch::new();
    for (arguments, head) in [
        ("chatbox 3", "des (0, 12288, 512)"),
        ("chatbox-fixed 3", "des (0, 1152, 64)"),
        ("train 3", "des (0, 3394, 485)"),
        ("train-mealy 4", "des (0, 24312, 2808)"),
        ("ring 2", "des (0, 10724, 2220)"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let member = scratch.run("generate", &arguments).ok();
        assert_eq!(member.text().lines().next(), Some(head));
    }
}

#[test]
fn labels_are_those_of_the_report() {
    let scratch = Scratch::new();
    for (arguments, labels) in [
        (
            &["chatbox", "2"][..],
            &[
                "JOIN !0 !OK",
                "LEAVE !1 !NO_OUTPUT",
                "DREQ !0 !1 !MES !DIND",
            ][..],
        ),
        (
            &["train", "3"],
            &["REQUEST(CALL,0)", "CLOSEDOOR(2)", "MOVELEFT(1)"],
        ),
        (
            &["train-mealy", "3"],
            &["WAIT(DOORCLOSED(0))", "REQUEST(SEND,2,MOVERIGHT(2))"],
        ),
        (&["ring", "2"], &["REC_CLAIM(0,1,F)", "SND_TOKEN(1)"]),
    ] {
        let member = scratch.run("generate", arguments).ok();
        for label in labels {
            let quoted = format!(", \"{label}\", ");
            assert!(member.text().contains(&quoted), "{label}");
        }
    }
}
