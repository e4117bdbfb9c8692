//! Commands under CADP's names, run as its users run them.

use crate::util;

use std::fs;
use std::os::unix::fs::symlink;

use util::{Run, Scratch, VENDING};

const TOOLS: [&str; 5] = ["bcg_cmp", "bcg_info", "bcg_io", "bcg_labels", "bcg_min"];

/// A scratch directory with `vending.aut` and a directory of links.
fn prepared() -> Scratch {
    let scratch = Scratch::with_vending();
    scratch.run("hyades", &["install-links", "links"]).ok();
    scratch
}

/// Runs a script with the links first in PATH.
fn shell(scratch: &Scratch, script: &str) -> Run {
    scratch.shell(&format!("PATH=$PWD/links:$PATH\n{script}"))
}

#[test]
fn links_are_installed_and_replaced() {
    let scratch = Scratch::new();
    let run = scratch.run("hyades", &["install-links", "a/b"]).ok();
    assert!(run.text().contains("PATH="), "{}", run.text());
    let target = |name: &str| fs::read_link(scratch.path("a/b").join(name)).unwrap();
    for tool in TOOLS {
        let program = fs::canonicalize(util::binary("hyades")).unwrap();
        assert_eq!(target(tool), program);
    }
    // An older link of ours is replaced, nothing else is.
    fs::remove_file(scratch.path("a/b/bcg_io")).unwrap();
    symlink("/gone/hyades", scratch.path("a/b/bcg_io")).unwrap();
    scratch.run("hyades", &["install-links", "a/b"]).ok();
    assert_ne!(target("bcg_io").to_str(), Some("/gone/hyades"));
    fs::remove_file(scratch.path("a/b/bcg_io")).unwrap();
    fs::remove_file(scratch.path("a/b/bcg_cmp")).unwrap();
    scratch.write("a/b/bcg_io", "#!/bin/sh\n");
    scratch
        .run("hyades", &["install-links", "a/b"])
        .status(2)
        .says("a/b/bcg_io is there already");
    assert!(!scratch.path("a/b/bcg_cmp").exists());
    assert_eq!(scratch.read("a/b/bcg_io"), "#!/bin/sh\n");
    scratch.write("file", "");
    scratch.run("hyades", &["install-links", "file"]).status(2);
    scratch
        .run("hyades", &["install-links"])
        .status(2)
        .says("usage");
}

/// One program with links is all there has to be.
#[test]
fn links_of_our_own_names() {
    let scratch = Scratch::with_vending();
    let run = scratch
        .run("hyades", &["install-links", "--own", "bin"])
        .ok();
    assert!(run.text().contains("minimize, "), "{}", run.text());
    let mut names: Vec<_> = fs::read_dir(scratch.path("bin"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, util::COMMANDS);
    let own = scratch.run("minimize", &["vending.aut"]).ok();
    scratch
        .shell("PATH=$PWD/bin; minimize vending.aut")
        .ok()
        .prints(own.text());
}

/// The line that is printed is for a shell, whatever the name of the directory.
#[test]
fn links_in_a_directory_with_an_odd_name() {
    let scratch = Scratch::new();
    for name in ["a b'c", "$HOME \"x\"", "plain", "é;&"] {
        let run = scratch.run("hyades", &["install-links", name]).ok();
        let (_, line) = run.text().split_once('\n').expect("two lines");
        let script = format!("{line}command -v bcg_min");
        let link = fs::canonicalize(scratch.path(name))
            .unwrap()
            .join("bcg_min");
        scratch
            .shell(&script)
            .ok()
            .prints(&format!("{}\n", link.display()));
    }
    let plain = scratch.run("hyades", &["install-links", "plain"]).ok();
    assert!(!plain.text().contains('\''), "{}", plain.text());
}

#[test]
fn options_are_no_directories() {
    let scratch = Scratch::new();
    for help in [&["-h"][..], &["--help"], &["links", "--help"]] {
        let run = scratch.run("hyades", &[&["install-links"], help].concat());
        let run = run.ok();
        assert!(
            run.text()
                .contains("usage: hyades install-links [--cadp|--refusing] DIRECTORY")
        );
        assert!(run.text().contains("bcg_min"));
    }
    for option in ["-x", "--links", "-", "--"] {
        scratch
            .run("hyades", &["install-links", option])
            .status(2)
            .says(&format!("unexpected option {option} "))
            .says("usage: hyades install-links [--cadp|--refusing] DIRECTORY")
            .prints("");
    }
    scratch
        .run("hyades", &["install-links", "--own", "x", "--refusing"])
        .status(2)
        .says("--own and --refusing exclude each other")
        .prints("");
    assert!(scratch.names().is_empty());
    for words in [["--refusing", "all"], ["all", "--refusing"]] {
        scratch
            .run("hyades", &[&["install-links"][..], &words].concat())
            .ok();
        assert!(scratch.path("all/xtl").exists());
        fs::remove_dir_all(scratch.path("all")).unwrap();
    }
    scratch.run("hyades", &["install-links", "./-x"]).ok();
    assert!(scratch.path("-x/bcg_min").exists());
}

/// A script whose variable is not set makes no links where it happens to run.
#[test]
fn an_empty_name_is_no_directory() {
    let scratch = Scratch::new();
    scratch
        .run("hyades", &["install-links", ""])
        .status(2)
        .says("the name of the directory is empty (for the working directory: .)")
        .says("usage: hyades install-links [--cadp|--refusing] DIRECTORY")
        .prints("");
    assert!(scratch.names().is_empty());
    scratch.run("hyades", &["install-links", "."]).ok();
    assert!(scratch.path("bcg_min").exists());
}

#[test]
fn the_version_is_asked_for_on_the_fly() {
    let scratch = prepared();
    scratch.write("tea.hide", "hide\nTEA\n");
    shell(
        &scratch,
        "bcg_io -version vending.aut v.bcg && bcg_min -version -strong v.bcg m.bcg &&
         bcg_labels -create -version -hide tea.hide v.bcg l.bcg && bcg_min -branching -version v n",
    )
    .ok()
    .prints("");
    assert!(
        ["m.bcg", "l.bcg", "n.bcg"]
            .iter()
            .all(|name| scratch.path(name).exists())
    );
    shell(
        &scratch,
        "bcg_cmp -version v m && bcg_info -version -size m",
    )
    .ok()
    .prints("TRUE\n5 states, 8 transitions, 5 labels\n");
}

/// The fields of labels, as they are in a file.
#[test]
fn labels_keep_their_structure() {
    let scratch = prepared();
    let shapes = |name: &str| {
        let run = shell(
            &scratch,
            &format!("hyades describe {name} | grep bcg_label_shapes"),
        );
        run.ok().text().to_owned()
    };
    shell(
        &scratch,
        "bcg_io -unparse vending.aut raw.bcg; bcg_io vending.aut v.bcg",
    )
    .ok();
    assert_ne!(shapes("raw.bcg"), shapes("v.bcg"));
    shell(&scratch, "bcg_min v m && cp v.bcg w.bcg && bcg_min w").ok();
    assert_eq!(shapes("m.bcg"), shapes("v.bcg"));
    assert_eq!(shapes("w.bcg"), shapes("v.bcg"));
    shell(&scratch, "bcg_min raw n && bcg_min vending.aut o").ok();
    assert_eq!(shapes("n.bcg"), shapes("raw.bcg"));
    assert_eq!(shapes("o.bcg"), shapes("v.bcg"));
    // raw ones are parsed only by who is asked to
    scratch.write("none.hide", "hide\nNONE\n");
    shell(
        &scratch,
        "bcg_io raw p && bcg_labels -hide none raw q && bcg_io -unparse v r",
    )
    .ok();
    assert_eq!(shapes("p.bcg"), shapes("v.bcg"));
    assert_eq!(shapes("q.bcg"), shapes("v.bcg"));
    assert_eq!(shapes("r.bcg"), shapes("raw.bcg"));
}

/// Types of values that texts do not tell, such as strings without quotes.
#[test]
fn labels_of_other_programs_keep_their_structure() {
    let scratch = prepared();
    scratch.write("none.hide", "hide\nNONE\n");
    let shapes = |name: &str| {
        let run = scratch.run("describe", &["--json", name]).ok();
        let facts = util::json(run.text().to_owned());
        let shapes = facts["bcg_label_shapes"].as_array().expect("a list");
        let mut shapes: Vec<_> = shapes.iter().map(|shape| shape.to_string()).collect();
        shapes.sort();
        shapes
    };
    for sample in ["abp", "test_1_strong", "test_2_obe"] {
        let path = format!("{}/testdata/bcg/{sample}.bcg", env!("CARGO_MANIFEST_DIR"));
        fs::copy(path, scratch.path("in.bcg")).unwrap();
        shell(
            &scratch,
            "bcg_min in min && bcg_io in io && bcg_labels -hide none in labels",
        )
        .ok();
        let before = shapes("in.bcg");
        assert_eq!(shapes("min.bcg"), before, "{sample}");
        if sample != "abp" {
            assert!(before.iter().any(|shape| shape.contains("natural")));
            assert_eq!(shapes("io.bcg"), before, "{sample}");
            assert_eq!(shapes("labels.bcg"), before, "{sample}");
        }
    }
}

#[test]
fn names_and_usage() {
    let scratch = prepared();
    let list = scratch.run("hyades", &[]).ok();
    let version = scratch.run("hyades", &["--version"]).ok();
    let version = version.text().strip_prefix("hyades ").unwrap();
    for tool in TOOLS {
        assert!(list.text().contains(&format!(" {tool}")), "{tool}");
        for option in ["-version", "--version"] {
            let text = format!("{tool} of Hyades {version}");
            shell(&scratch, &format!("{tool} {option}"))
                .ok()
                .prints(&text);
            scratch.run("hyades", &[tool, option]).ok().prints(&text);
        }
        let help = shell(&scratch, &format!("{tool} -help")).ok();
        assert!(help.text().starts_with(&format!("usage: {tool} ")));
        for bad in ["-nonsense x.bcg", "", "a b c d"] {
            shell(&scratch, &format!("{tool} {bad}"))
                .status(1)
                .says(&format!("{tool}: error: "))
                .says(&format!("usage: {tool} "))
                .prints("");
        }
        shell(
            &scratch,
            &format!("{tool} -cc -O2 -tmp /tmp -create -update -remove"),
        )
        .status(1)
        .says("file name");
        let second = if tool == "bcg_info" {
            ""
        } else {
            "missing.aut"
        };
        shell(&scratch, &format!("{tool} missing.aut {second}"))
            .status(1)
            .says("missing.aut");
        shell(&scratch, &format!("HYADES_OPTIONS=--nonsense {tool} x"))
            .status(1)
            .says("in HYADES_OPTIONS: unexpected argument '--nonsense' found; it may hold options");
    }
    assert_eq!(scratch.names(), ["links", "vending.aut"]);
}

/// A script with nothing in it that knows of Hyades.
#[test]
fn an_existing_script_runs_unchanged() {
    let scratch = prepared();
    scratch.write("machine.aut", VENDING);
    scratch.write("check.sh", include_str!("cadp_script.sh"));
    shell(&scratch, "sh check.sh").ok().prints(
        "\
== generation
8 states, 10 transitions, 5 labels
== gates
COFFEE COIN REFUND TEA i\x20
money comes back
== service
4 states, 5 transitions, 4 labels
1 deadlock state: 3
4
== verification
PASS: reduction
FAIL: specification
\"PAY !1\"
\"PAY !1\"
des (0, 2, 3)
(0, \"PAY !1\", 1)
(1, \"PAY !1\", 2)
== clean
no unreachable state
5
",
    );
    assert_eq!(scratch.read("classes.txt"), "0: 0\n1: 1 3\n2: 2\n3: 4 5\n");
}

#[test]
fn converts_by_names_options_and_streams() {
    let scratch = prepared();
    shell(&scratch, "bcg_io vending.aut copy.aut").ok();
    assert_eq!(scratch.read("copy.aut"), VENDING);
    shell(&scratch, "bcg_io vending.aut -aut -")
        .ok()
        .prints(VENDING);
    shell(&scratch, "bcg_io -aut - -aldebaran - < vending.aut")
        .ok()
        .prints(VENDING);
    shell(
        &scratch,
        "cp vending.aut odd; bcg_io -parse -aut odd -unparse -short 8 -aut even",
    )
    .ok();
    assert_eq!(scratch.read("even"), VENDING);
    fs::create_dir(scratch.path("dir")).unwrap();
    shell(
        &scratch,
        "cp vending.aut dir/v.x.aut; bcg_io dir/v.x.aut .aut.gz && zcat dir/v.x.aut.gz",
    )
    .ok()
    .prints(VENDING);
    for (bad, says) in [
        ("vending.aut -", "-aut"),
        ("vending.aut -fc2 x.fc2", "the format -fc2 is not supported"),
        ("vending.aut -aut -bcg x", "two formats"),
        ("vending.aut x.aut -aut", "before a file name"),
        (".aut .bcg", "endings"),
        ("vending.aut -exp x", "unknown option `-exp`"),
        ("vending.aut no/x.aut", "No such file"),
    ] {
        shell(&scratch, &format!("bcg_io {bad}"))
            .status(1)
            .says(says)
            .prints("");
    }
    scratch.write("bad.aut", "des (0, 1, 1)\n(0, a, 1)\n");
    shell(&scratch, "bcg_io bad.aut x.aut")
        .status(1)
        .says("bad.aut:2");
    assert!(!scratch.path("x.aut").exists());
}

#[test]
fn directories_and_empty_names_get_no_ending() {
    let scratch = prepared();
    fs::create_dir(scratch.path("sub")).unwrap();
    let before = scratch.names();
    for command in [
        "bcg_io",
        "bcg_io -bcg",
        "bcg_min",
        "bcg_labels -scramble L%d",
    ] {
        for (name, says) in [
            (".", "Is a directory"),
            ("..", "Is a directory"),
            ("sub/", "Is a directory"),
            ("sub/.", "Is a directory"),
            ("''", "empty name"),
        ] {
            // the format stands before the name that it is about
            let script = match command {
                "bcg_io -bcg" => format!("bcg_io vending.aut -bcg {name}"),
                _ => format!("{command} vending.aut {name}"),
            };
            shell(&scratch, &script).status(1).says(says).prints("");
        }
        shell(&scratch, &format!("{command} '' out.aut"))
            .status(1)
            .prints("");
    }
    assert_eq!(scratch.names(), before);
    assert_eq!(fs::read_dir(scratch.path("sub")).unwrap().count(), 0);
    // that there is a directory of this name is no matter to a file with an ending
    shell(&scratch, "bcg_io vending.aut sub").ok();
    assert!(scratch.path("sub.bcg").exists());
}

#[test]
fn a_name_is_not_taken_for_another_format() {
    let scratch = prepared();
    shell(&scratch, "bcg_io vending.aut v.bcg").ok();
    let before = scratch.names();
    for ending in [
        "ascii",
        "auto",
        "cwb",
        "etmcc",
        "fc2",
        "gml",
        "lotos",
        "mec",
        "pipn",
        "scan",
        "squiggles",
        "tra",
        "vcg",
        "VCG",
        "viscope",
        "xesar",
        "vcg.gz",
    ] {
        let format = ending.trim_end_matches(".gz").to_lowercase();
        let says = format!("x.{ending}: the format {format} is not supported");
        for command in ["bcg_io v.bcg", "bcg_min v", "bcg_labels -scramble L%d v"] {
            shell(&scratch, &format!("{command} x.{ending}"))
                .status(1)
                .says(&says)
                .prints("");
        }
        shell(&scratch, &format!("bcg_io x.{ending} y.aut"))
            .status(1)
            .says(&says);
        shell(&scratch, &format!("bcg_io v.bcg .{ending}"))
            .status(1)
            .says(&format!("the format {format} is not supported"));
        shell(&scratch, &format!("bcg_cmp -diag x.{ending} v v"))
            .status(1)
            .says(&says)
            .prints("");
    }
    for (name, ending) in [
        ("x.xyz", ".xyz"),
        ("my.model", ".model"),
        ("x.xyz.gz", ".xyz"),
        ("x.gz", ".gz"),
        (".xyz", ".xyz"),
    ] {
        shell(&scratch, &format!("bcg_io v.bcg {name}"))
            .status(1)
            .says(&format!("{name}: the ending {ending} tells no format"))
            .says("-bcg")
            .prints("");
    }
    assert_eq!(scratch.names(), before);
    // What writes nothing but BCG has no doubt.
    shell(&scratch, "bcg_min v my.model && bcg_info -size my.model")
        .ok()
        .prints("5 states, 8 transitions, 5 labels\n");
    assert!(scratch.path("my.model.bcg").exists());
    // An option settles it.
    shell(&scratch, "bcg_io v.bcg -aut x.vcg").ok();
    assert!(scratch.read("x.vcg").starts_with("des (0, 10, 8)"));
    shell(&scratch, "bcg_io -aut x.vcg -aut -").ok();
}

#[test]
fn json_is_a_format() {
    let scratch = prepared();
    shell(
        &scratch,
        "bcg_io vending.aut v.json && bcg_io v.json -aut -",
    )
    .ok()
    .prints(VENDING);
    assert!(scratch.read("v.json").starts_with("{\"lts\":"));
    shell(
        &scratch,
        "bcg_io vending.aut .json && bcg_io vending.json -json -",
    )
    .ok()
    .prints(&scratch.read("v.json"));
    scratch.write("bad.json", "nonsense\n");
    shell(&scratch, "bcg_io bad.json x.aut")
        .status(1)
        .says("bad.json:1");
    assert!(!scratch.path("x.aut").exists());
}

#[test]
fn the_ending_of_bcg_may_be_omitted() {
    let scratch = prepared();
    shell(&scratch, "bcg_io vending.aut -bcg v").ok();
    assert_eq!(scratch.names(), ["links", "v.bcg", "vending.aut"]);
    let size = "8 states, 10 transitions, 5 labels\n";
    shell(&scratch, "bcg_io -bcg v y.aut && bcg_info -size y.aut")
        .ok()
        .prints(size);
    shell(&scratch, "bcg_io v y.aut && bcg_info -size y.aut")
        .ok()
        .prints(size);
    shell(&scratch, "bcg_io -bcg v -bcg w.v && bcg_info -size w.v.bcg")
        .ok()
        .prints(size);
    shell(&scratch, "bcg_io -bcg w.v -bcg w.bcg && bcg_info -size w")
        .ok()
        .prints(size);
    // A file of that very name, a stream, a device.
    shell(
        &scratch,
        "mv w.bcg odd; bcg_io -bcg odd -bcg - > o.bcg; bcg_info -size o; bcg_io -bcg - -bcg /dev/null < o.bcg",
    )
    .ok()
    .prints(size);
    shell(&scratch, "bcg_io -bcg none y.aut")
        .status(1)
        .says("none");
}

#[test]
fn tells_what_scripts_ask() {
    let scratch = prepared();
    let info = |options: &str| {
        let run = shell(&scratch, &format!("bcg_info {options} vending.aut")).ok();
        run.text().to_owned()
    };
    assert_eq!(info("-size"), "8 states, 10 transitions, 5 labels\n");
    assert_eq!(
        info("-labels"),
        "list of labels:\ni\nCOIN !1\nTEA\nCOFFEE\nREFUND !2\n"
    );
    assert_eq!(info("-hidden"), "3 transitions with a hidden label\n");
    assert_eq!(
        info("-branching"),
        "branching factor: average 1.25, minimum 0, maximum 3\n"
    );
    assert_eq!(info("-deadlock"), "2 deadlock states: 4 5\n");
    assert_eq!(info("-line -deadlock"), "2 deadlock states:\n4\n5\n");
    assert_eq!(info("-unreachable"), "2 unreachable states: 6 7\n");
    assert_eq!(info("-nondeterministic -"), "no nondeterministic state\n");
    assert_eq!(info("-nondeterministic TEA"), "no nondeterministic state\n");
    assert_eq!(
        info("-path 4 -size"),
        "*** sequence 1 (length 3)\n\"COIN !1\"\n\"COIN !1\"\n\"i\"\n<deadlock>\n\
         8 states, 10 transitions, 5 labels\n"
    );
    assert_eq!(
        info(""),
        "vending.aut:\n\t8 states\n\t10 transitions\n\t5 labels\n\tinitial state: 0\n\
         \t3 transitions with a hidden label\n\
         \tbranching factor: average 1.25, minimum 0, maximum 3\n\
         \t2 deadlock states\n\t2 unreachable states\n\tdeterministic\n"
    );
    for (bad, says) in [
        ("-path 6", "state 6 cannot be reached"),
        ("-path 8", "no state 8"),
        ("-path x", "-path x"),
        ("-nondeterministic BEER", "no label BEER"),
        ("-order", "-order is not supported"),
    ] {
        shell(&scratch, &format!("bcg_info {bad} vending.aut"))
            .status(1)
            .says(says)
            .prints("");
    }
    scratch.write(
        "flat.aut",
        "des (0, 4, 9)\n(0, A, 1)\n(0, A, 2)\n(0, A, 1)\n(8, B, 8)\n",
    );
    let flat = |options: &str| {
        let run = shell(&scratch, &format!("bcg_info {options} flat.aut")).ok();
        run.text().to_owned()
    };
    assert_eq!(flat("-hidden"), "no transition with a hidden label\n");
    assert_eq!(flat("-deadlock"), "7 deadlock states: 1 ... 7\n");
    assert_eq!(
        flat("-verbose -deadlock"),
        "7 deadlock states: 1 2 3 4 5 6 7\n"
    );
    assert_eq!(flat("-nondeterministic A"), "1 nondeterministic state: 0\n");
    assert_eq!(flat("-nondeterministic B"), "no nondeterministic state\n");
    assert!(flat("").ends_with("\tnondeterministic\n"));
}

#[test]
fn relabels_as_it_is_told() {
    let scratch = prepared();
    scratch.write("tea.hide", "hide\nTEA\n");
    scratch.write("coin.ren", "rename\nCOIN -> CASH\nBEER -> WATER\n");
    scratch.write("rest.cut", "cut all but\nCASH.*\n");
    shell(&scratch, "bcg_labels -hide tea vending.aut out.aut").ok();
    assert_eq!(scratch.read("out.aut"), VENDING.replace("TEA", "i"));
    shell(
        &scratch,
        "bcg_labels -rename -gate coin.ren -cut rest.cut vending.aut out.aut",
    )
    .ok();
    assert_eq!(
        scratch.read("out.aut"),
        "des (0, 6, 8)\n(0, \"CASH !1\", 1)\n(1, \"CASH !1\", 2)\n(1, i, 3)\n(2, i, 4)\n(3, i, 1)\n(6, \"CASH !1\", 7)\n"
    );
    shell(
        &scratch,
        "bcg_labels -warning -rename -gate coin.ren vending.aut out.aut",
    )
    .status(0)
    .says("BEER -> WATER`: no label matches");
    // INPUT is replaced if there is no OUTPUT.
    shell(
        &scratch,
        "cp vending.aut v.aut; bcg_labels -scramble 'L%d' v.aut",
    )
    .ok();
    assert!(scratch.read("v.aut").contains("(1, L1, 0)"));
    for (bad, says) in [
        ("-hide -single tea.hide", "-hide does not go with -single"),
        ("-rename tea.hide", "tea.hide:1:1"),
        ("-scramble L -hide tea.hide", "no %d"),
        ("-scramble L%d -hide tea.hide", "-scramble stands alone"),
        ("-hide none.hide", "none.hide"),
    ] {
        shell(&scratch, &format!("bcg_labels {bad} vending.aut new.aut"))
            .status(1)
            .says(says);
        assert!(!scratch.path("new.aut").exists());
    }
}

#[test]
fn minimizes_and_compares() {
    let scratch = prepared();
    shell(
        &scratch,
        "bcg_min -branching -class - vending.aut min.aut; bcg_cmp -branching vending.aut min.aut",
    )
    .ok()
    .prints("0: 0\n1: 1 3\n2: 2\n3: 4 5\nTRUE\n");
    shell(&scratch, "bcg_cmp vending.aut min.aut")
        .ok()
        .prints("FALSE\n");
    shell(
        &scratch,
        "cp vending.aut v.aut; bcg_min v.aut; bcg_cmp -strong -normal vending.aut v.aut; bcg_info -size v.aut",
    )
    .ok()
    .prints("TRUE\n5 states, 8 transitions, 5 labels\n");
    shell(&scratch, "bcg_cmp -diag -bfs d.aut vending.aut min.aut")
        .ok()
        .prints("FALSE\n\"COIN !1\"\n\"i\"\n");
    assert_eq!(
        scratch.read("d.aut"),
        "des (0, 2, 3)\n(0, \"COIN !1\", 1)\n(1, i, 2)\n"
    );
    scratch.write("late.aut", include_str!("../testdata/late.aut"));
    scratch.write("early.aut", include_str!("../testdata/early.aut"));
    // What tells them apart is no trace: both have the sequence of its steps.
    for relation in ["-strong", "-branching", "-observational"] {
        let line = format!("bcg_cmp {relation} -diag e.aut late.aut early.aut");
        shell(&scratch, &line)
            .status(0)
            .prints("FALSE\n")
            .says("e.aut has a sequence that by itself does not tell the two apart: ")
            .says(" holds in the first only\n");
    }
    assert_eq!(
        scratch.read("e.aut"),
        "des (0, 2, 3)\n(0, COIN, 1)\n(1, COFFEE, 2)\n"
    );
    shell(&scratch, "bcg_cmp -diag f.aut -class c vending.aut v.aut")
        .ok()
        .prints("TRUE\n");
    assert!(!scratch.path("f.aut").exists());
    assert_eq!(
        scratch.read("c"),
        "0: 0 | 0\n1: 1 | 1\n2: 2 | 2\n3: 3 | 3\n4: 4 5 | 4\n5: 6 |\n6: 7 |\n"
    );
    shell(&scratch, "bcg_cmp -class - vending.aut v.aut")
        .ok()
        .prints(&format!("TRUE\n{}", scratch.read("c")));
    shell(&scratch, "bcg_cmp -class - -diag g.aut vending.aut min.aut")
        .ok()
        .prints(
            "FALSE\n\"COIN !1\"\n\"i\"\n0: 0 |\n1: 1 |\n2: 2 |\n3: 3 |\n4: 4 5 | 3\n5: 6 |\n6: 7 |\n7: | 0\n8: | 1\n9: | 2\n",
        );
    assert_eq!(scratch.read("g.aut"), scratch.read("d.aut"));
    shell(
        &scratch,
        "bcg_cmp -class - -class c -diag c.aut v.aut v.aut",
    )
    .ok();
    shell(&scratch, "bcg_cmp -class h.aut -diag h.aut v.aut v.aut")
        .status(1)
        .says("two outputs to the same place")
        .prints("");
    for place in ["-", "-bfs -", "/dev/stdout"] {
        shell(&scratch, &format!("bcg_cmp -diag {place} vending.aut min.aut"))
            .status(1)
            .says("bcg_cmp: error: -diag needs the name of a file: standard output is for the verdict\nusage: ")
            .prints("");
    }
    assert!(!scratch.path("-.bcg").exists());
    for call in ["bcg_min -format", "bcg_cmp -prob", "bcg_cmp -rate"] {
        let (_, option) = call.split_once(' ').unwrap();
        shell(&scratch, &format!("{call} v.aut v.aut"))
            .status(1)
            .says(option)
            .says("is not supported")
            .prints("");
    }
}

/// A cache whose hits take no time, and where a part cannot be reached, of labels that are refused
/// elsewhere.
const CACHE: &str = "des (1, 8, 5)\n\
    (1, \"CALL !1; rate 2\", 3)\n(3, \"HIT; prob 0.6\", 1)\n(3, \"MISS; prob 0.2\", 2)\n\
    (2, \"LOAD; rate 0.75\", 4)\n(2, \"rate 0.25\", 1)\n(4, i, 1)\n(0, X, 0)\n(0, \"rate 0\", 1)\n";

#[test]
fn probabilities_in_the_long_run() {
    let scratch = prepared();
    scratch.write("cache.aut", CACHE);
    shell(&scratch, "bcg_io cache.aut cache.bcg").ok();
    // By numbers of the input, which is what else there would be nothing to do with.
    shell(&scratch, "bcg_steady cache.aut")
        .status(0)
        .prints("1 0.666666667\n2 0.333333333\n")
        .says("the probabilities of 1 state are not 1 together");
    shell(
        &scratch,
        "export HYADES_OPTIONS=-q; bcg_steady -tmp . -epsilon 1e-9 -thr t.txt -red r.txt -mat m.txt -log l.txt cache K=3 && \
         bcg_steady -thr -append t.txt cache K=4 && cat t.txt r.txt m.txt l.txt",
    )
    .ok()
    .prints(
        "K \"CALL !1\" \"HIT\" \"LOAD\" \"MISS\"\n3 1.33333333 1 0.25 0.333333333\n\
         4 1.33333333 1 0.25 0.333333333\n\
         0 0 -0.5\n0 2 1\n2 0 0.5\n2 2 -1\n\
         0 1 0.6\n0 2 0.25\n0 3 1\n1 0 2\n2 1 0.2\n3 2 0.75\n\
         states: 5\ntangible_states: 2\nvanishing_states: 2\nrates: 2\nrates_left_out: 0\n\
         epsilon: 1e-09\nbottom_components: 1\nsweeps: 0\nerror: 0\n\
         bottom_component: 2 states, probability 1\n",
    );
    // Names of columns are those of before.
    shell(&scratch, "bcg_steady -thr -append t.txt cache L=3")
        .status(1)
        .says("t.txt has other columns: expected `L \"CALL");
}

#[test]
fn probabilities_at_instants() {
    let scratch = prepared();
    scratch.write(
        "up.aut",
        "des (0, 2, 2)\n(0, \"BREAK; rate 1\", 1)\n(1, \"rate 3\", 0)\n",
    );
    shell(
        &scratch,
        "bcg_transient -sol - up.aut 0.5 1000; bcg_transient -thr - up.aut 0.5; \
         bcg_transient -thr - up.aut N=1 time=here X=y 1e3 0.5",
    )
    .ok()
    .prints(
        "0.5 0 0.783833821\n0.5 1 0.216166179\n1000 0 0.75\n1000 1 0.25\n\
         time \"BREAK\"\n0.5 0.783833821\n\
         N time X \"BREAK\"\n1 1000 y 0.75\n1 0.5 y 0.783833821\n",
    );
    shell(
        &scratch,
        "bcg_transient -red - -log l up.aut 2; head -n 4 l",
    )
    .ok()
    .prints(
        "0 0 -1\n0 1 1\n1 0 3\n1 1 -3\n\
             states: 2\ntangible_states: 2\nvanishing_states: 0\nrates: 2\n",
    );
}

#[test]
fn what_is_no_markov_chain_is_refused() {
    let scratch = prepared();
    scratch.write("up.aut", "des (0, 1, 2)\n(0, \"rate 1\", 1)\n");
    scratch.write("i.aut", "des (0, 2, 2)\n(0, i, 0)\n(0, i, 1)\n");
    for (call, says) in [
        (
            "bcg_steady vending.aut",
            "the label `COIN !1` of state 0 has neither",
        ),
        (
            "bcg_steady i.aut",
            "i.aut: state 0 has a choice between hidden transitions",
        ),
        (
            "bcg_steady -epsilon 2 up.aut",
            "epsilon must be more than 0",
        ),
        ("bcg_steady -epsilon x up.aut", "-epsilon needs a number"),
        ("bcg_steady -format %f up.aut", "unknown option `-format`"),
        ("bcg_steady up.aut 3", "3 is not PARAMETER=VALUE"),
        ("bcg_steady up.aut =3", "are not empty"),
        (
            "bcg_steady up.aut A=1 A=2",
            "the parameter A has two values",
        ),
        ("bcg_steady -sol up.aut up.aut", "would replace up.aut"),
        (
            "bcg_steady -sol x -log x up.aut",
            "two outputs to the same place",
        ),
        (
            "bcg_steady -thr -append - up.aut",
            "-append does not go with standard output",
        ),
        ("bcg_steady", "a file name is missing"),
        ("bcg_transient up.aut", "there is no instant"),
        ("bcg_transient up.aut 0", "the instant 0 is not more than 0"),
        ("bcg_transient up.aut x", "x is no instant"),
        ("bcg_transient up.aut time=1 1", "time=here is where"),
        ("bcg_transient up.aut 1e99", "is too late for rates up to"),
    ] {
        shell(&scratch, call).status(1).says(says);
    }
    assert!(!scratch.path("x").exists());
}

#[test]
fn weak_and_sharp_relations_and_rates() {
    let scratch = prepared();
    scratch.write("eager.aut", "des (0,2,3)\n(0,i,1)\n(1,a,2)\n");
    scratch.write("plain.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    scratch.write("strong.txt", "hide\na\n");
    for (relation, verdict) in [
        ("-observational", "TRUE\n"),
        ("-branching", "TRUE\n"),
        ("-sharp strong.txt", "FALSE"),
        ("-sharp -total strong.txt", "FALSE"),
        ("-divsharp -gate strong.txt", "FALSE"),
    ] {
        let run = shell(&scratch, &format!("bcg_cmp {relation} eager.aut plain.aut"));
        let run = run.status(0);
        assert!(
            run.text().starts_with(verdict),
            "{relation}: {}",
            run.text()
        );
    }
    shell(
        &scratch,
        "bcg_min -observational eager.aut - | transcode | cmp - plain.aut; \
         bcg_min -sharp -total strong.txt eager.aut - | transcode | head -n 1",
    )
    .prints("des (0, 2, 3)\n");
    let chain =
        "des (0,4,4)\n(0,\"rate 2\",1)\n(0,\"rate 1\",2)\n(1,\"rate 5\",3)\n(2,\"rate 5\",3)\n";
    scratch.write("chain.aut", chain);
    shell(&scratch, "bcg_min -rate chain.aut - | transcode")
        .ok()
        .prints("des (0, 2, 3)\n(0, \"rate 3\", 1)\n(1, \"rate 5\", 2)\n");
}

#[test]
fn a_minus_is_a_standard_stream() {
    let scratch = prepared();
    shell(&scratch, "bcg_min - min.aut < vending.aut").ok();
    shell(
        &scratch,
        "bcg_min vending.aut - | transcode | cmp - min.aut",
    )
    .ok();
    shell(&scratch, "bcg_min - < vending.aut | bcg_cmp - vending.aut")
        .ok()
        .prints("TRUE\n");
    shell(&scratch, "bcg_cmp - - < vending.aut")
        .status(1)
        .says("only one input can be standard input")
        .prints("");
    assert_eq!(scratch.names(), ["links", "min.aut", "vending.aut"]);
    shell(&scratch, "bcg_io vending.aut x.gz")
        .status(1)
        .says("the ending .gz tells no format");
}

#[test]
fn options_about_running_come_by_the_environment() {
    let scratch = prepared();
    shell(
        &scratch,
        "HYADES_OPTIONS='-v -j 2 --stats s.json' bcg_min -short 4 -compress vending.aut m.aut",
    )
    .status(0)
    .says("bcg_min: minimize: ")
    .says("-short has no effect");
    assert_eq!(util::json(scratch.read("s.json"))["command"], "bcg_min");
    shell(&scratch, "bcg_io vending.aut -aut - > /dev/full")
        .status(1)
        .says("No space");
}

/// Messages advise what our own commands have.
#[test]
fn options_of_ours_are_told_to_be_such() {
    let scratch = prepared();
    scratch.write("tau.aut", "des (0, 3, 2)\n(0, tau, 1)\n(1, a, 0)\n");
    scratch.write("f.mcl", "< true* > true\n");
    let note = |tool: &str, option: &str| {
        format!(
            "{tool}: note: only Hyades' own commands, such as hyades transcode, reach, check, have \
             {option}\n"
        )
    };
    for (line, tool, status) in [
        ("bcg_info -size tau.aut", "bcg_info", 1),
        ("bcg_open tau.aut evaluator4 f.mcl", "evaluator4", 1),
    ] {
        let run = shell(&scratch, line)
            .status(status)
            .says("use --lenient to read it all the same [aut-count]\n");
        assert!(
            run.stderr.ends_with(&note(tool, "--lenient")),
            "{}",
            run.stderr
        );
    }
    // Each once, behind the first message with it.
    scratch.write("tau.aut", "des (0, 2, 2)\n(0, tau, 1)\n(1, a, 0)\n");
    let run = shell(&scratch, "bcg_cmp tau.aut tau.aut")
        .status(0)
        .says(&format!(
            "use --tau tau [aut-tau-hint]\n{}",
            note("bcg_cmp", "--tau")
        ));
    assert_eq!(run.stderr.matches("note:").count(), 1, "{}", run.stderr);
    // But not where a command is told, nor of what has been given.
    for line in [
        "bcg_info --lenient tau.aut",
        "bcg_open tau.aut evaluator4 --diag f.mcl",
        "HYADES_OPTIONS='--lenient' bcg_info tau.aut",
    ] {
        let run = shell(&scratch, line).status(1);
        assert!(!run.stderr.contains("note: only"), "{line}: {}", run.stderr);
    }
    // Our own commands have them.
    let run = scratch.run("describe", &["tau.aut"]);
    assert!(!run.stderr.contains("note:"), "{}", run.stderr);
}

/// The sizes are those that combinatorics tells, and the labels those that were given.
#[test]
fn makes_buffers() {
    let scratch = prepared();
    scratch.write("labels.txt", "  IN !A\nOUT !A\n\nIN !B\r\nOUT !B");
    for (line, size) in [
        (
            "bcg_graph -chaos -labels 5 'L !%d' b",
            "1 states, 5 transitions, 5 labels",
        ),
        (
            "bcg_graph -chaos labels.txt b.bcg",
            "1 states, 4 transitions, 4 labels",
        ),
        (
            "bcg_graph -fifo 3 -labels 2 'PUT !%d' 'GET !%d' b",
            "15 states, 28 transitions, 4 labels",
        ),
        (
            "bcg_graph -fifo 2 labels.txt -monitor -verbose b",
            "7 states, 12 transitions, 4 labels",
        ),
        (
            "bcg_graph -short 16 -bag 3 -labels 4 'P%d' 'G%d' b",
            "35 states, 120 transitions, 8 labels",
        ),
        (
            "bcg_graph -bag 4 b < labels.txt",
            "15 states, 40 transitions, 4 labels",
        ),
        (
            "bcg_graph -bag 0 labels.txt b",
            "1 states, 0 transitions, 0 labels",
        ),
        (
            "bcg_graph -fifo 7 /dev/null b",
            "1 states, 0 transitions, 0 labels",
        ),
    ] {
        shell(&scratch, line).ok();
        let run = shell(&scratch, "bcg_info -size b").ok();
        assert!(run.text().contains(size), "{line}: {}", run.text());
        std::fs::remove_file(scratch.path("b.bcg")).expect("a graph");
    }
    shell(&scratch, "bcg_graph -fifo 1 labels.txt b.aut").ok();
    scratch.write(
        "wanted.aut",
        "des (0, 4, 3)\n(0, \"IN !A\", 1)\n(0, \"IN !B\", 2)\n(1, \"OUT !A\", 0)\n(2, \"OUT !B\", 0)\n",
    );
    shell(
        &scratch,
        "bcg_cmp b.aut wanted.aut && bcg_graph -fifo 2 labels.txt f",
    )
    .ok();
    // The same as what a script and `generate` make.
    scratch.write(
        "s.svl",
        "\"g.bcg\" = fifo 2 [\"IN !A\", \"OUT !A\", \"IN !B\", \"OUT !B\"];\n",
    );
    let run = shell(
        &scratch,
        "svl s > log && bcg_cmp f.bcg g.bcg && bcg_graph -bag 3 -labels 3 'PUT !%d' 'GET !%d' h && \
         hyades generate bag 3 3 | hyades equiv -e isomorphism - h.bcg",
    );
    assert_eq!(run.ok().text(), "TRUE\nTRUE\n");
    for (line, about) in [
        ("bcg_graph x", "-chaos, -bag or -fifo is missing"),
        (
            "bcg_graph -fifo two labels.txt x",
            "found two behind -fifo, expected a number",
        ),
        ("bcg_graph -labels 2 L%d -chaos x", "-labels stands behind"),
        ("bcg_graph -chaos -labels 2 L x", "no %d"),
        (
            "bcg_graph -chaos -labels 99999999999 L%d x",
            "found 99999999999 labels",
        ),
        ("bcg_graph -chaos -fifo 2 x", "-fifo is too much"),
        (
            "bcg_graph -chaos -labels 1 L%d labels.txt x",
            "too many file names",
        ),
        ("bcg_graph -fifo 40 labels.txt x", "too many states"),
        (
            "echo A | bcg_graph -fifo 1 x",
            "found 1 label, expected two for each message",
        ),
        ("bcg_graph -chaos labels.txt x.vcg", "the format vcg"),
    ] {
        shell(&scratch, line).status(1).says(about);
    }
    assert!(!scratch.path("x.bcg").exists());
}

/// A picture beside the input, or where it is told; nothing for what has no name.
#[test]
fn draws_beside_the_input() {
    let scratch = prepared();
    shell(&scratch, "bcg_io vending.aut vending.bcg").ok();
    for (line, file, start) in [
        ("bcg_draw vending", "vending.svg", "<svg"),
        ("bcg_draw vending.bcg", "vending.svg", "<svg"),
        ("bcg_draw vending out.html", "out.html", "<!doctype html>"),
        ("bcg_draw - out.dot < vending.bcg", "out.dot", "digraph"),
    ] {
        shell(&scratch, line).ok();
        let text = scratch.read(file);
        assert!(
            text.contains(start),
            "{line}: {}",
            &text[..60.min(text.len())]
        );
        std::fs::remove_file(scratch.path(file)).expect("a picture");
    }
    for (line, about) in [
        ("bcg_draw - < vending.bcg", "standard input needs an OUTPUT"),
        ("bcg_draw vending out.png", "ends in .svg, .html or .dot"),
        ("bcg_draw -ps vending", "-ps"),
    ] {
        shell(&scratch, line).status(1).says(about);
    }
    assert!(!scratch.path("-.svg").exists());
}
