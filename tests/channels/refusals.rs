//! What is wrong or makes no sense is refused, and says why.

use super::{INRES, M, X25, x25};
use crate::util::{self, Scratch};

/// What is wrong is told with its place.
#[test]
fn errors() {
    let wrong = |component: &str, system: (&str, &str), expected: &[&str]| {
        let scratch = x25(6);
        scratch.write("M1.aut", component);
        scratch.write("x25.toml", X25.replace(system.0, system.1));
        for command in ["reach", "reduce"] {
            let run = scratch.run(command, &["x25.toml"]).status(2);
            assert!(run.text().is_empty());
            for expected in expected {
                assert!(run.stderr.contains(expected), "{expected}: {}", run.stderr);
            }
        }
    };
    let same = ("", "");
    let label = |new: &str| M.replacen("\"+c\"", new, 1);
    wrong(
        &label("\"+x\""),
        same,
        &[
            "M1.aut:2:6: error: ",
            "component M",
            "no channel has a message `x`",
        ],
    );
    wrong(
        &label("\"c\""),
        same,
        &["M1.aut:2:6: error: ", "`c` has no sign"],
    );
    wrong(
        &label("\"-a +c -c\""),
        same,
        &["M1.aut:2:12: error: ", "on channel NM, N transmits, not M"],
    );
    wrong(
        &label("\"-a +\""),
        same,
        &["M1.aut:2:9: error: ", "`+` names no message"],
    );
    wrong(
        &label("i"),
        same,
        &["M1.aut:2:6: error: ", "hidden; expected events"],
    );
    wrong(
        M,
        ("to = \"N\"", "to = \"Q\""),
        &["x25.toml:16:6: error: ", "there is no component Q"],
    );
    wrong(
        M,
        ("capacity = 6", "capacity = -1"),
        &["x25.toml:17:12: error: ", "capacity -1"],
    );
    for (found, shown) in [
        ("1.5", "1.5"),
        ("inf", "inf"),
        ("\"6\"", "\"6\""),
        ("4294967296", "4294967296"),
        ("99999999999999999999", "99999999999999999999"),
        ("[6]", "an array of 1"),
        ("1979-05-27", "a table or a date"),
        ("true", "true"),
    ] {
        wrong(
            M,
            ("capacity = 6", &format!("capacity = {found}")),
            &[
                "x25.toml:17:12: error: channel MN: capacity ",
                &format!(" {shown}; expected a whole number from 0 to 4294967295"),
            ],
        );
    }
    wrong(
        M,
        ("capacity", "size"),
        &["x25.toml:17:1: error: ", "unknown field `size`"],
    );
    wrong(
        M,
        ("name = \"NM\"", "name = \"MN\""),
        &["x25.toml:21:8: error: ", "for the second time"],
    );
    wrong(
        M,
        ("name = \"N\"", "name = \"M\""),
        &["x25.toml:10:8: error: ", "for the second time"],
    );
    wrong(
        M,
        ("from = \"M\"", "from = [\"M\", \"N\"]"),
        &[
            "x25.toml:15:8: error: channel MN: `from` names 2 components",
            "expected the one that transmits: write a channel for each of them",
        ],
    );
    wrong(
        M,
        ("to = \"N\"", "to = [\"M\", \"N\"]"),
        &["x25.toml:16:6: error: ", "expected the one that receives"],
    );
    for (old, new, expected) in [
        (
            "to = \"N\"",
            "to = 1",
            "x25.toml:16:6: error: channel MN: `to` is 1; expected a string",
        ),
        (
            "name = \"MN\"",
            "name = 1",
            "x25.toml:14:8: error: `name` of a channel is 1; expected a string",
        ),
        (
            "file = \"N1.aut\"",
            "aut = 1",
            "x25.toml:11:7: error: component N: `aut` is 1; expected a string",
        ),
        (
            "messages = [\"a\", \"d\", \"e\", \"g\"]",
            "messages = \"a\"",
            "x25.toml:18:12: error: channel MN: `messages` is \"a\"; expected an array",
        ),
        (
            "\"a\"",
            "3",
            "x25.toml:18:13: error: channel MN: one of `messages` is 3; expected a string",
        ),
    ] {
        wrong(M, (old, new), &[expected]);
    }
    wrong(M, ("\"a\"", "\"a b\""), &["x25.toml:18:", "has a blank"]);
    wrong(
        M,
        ("\"a\"", "\"a\\u0007\""),
        &["x25.toml:18:", "has the control character U+0007 in it"],
    );
    // One table where there may be several.
    let scratch = Scratch::new();
    scratch.write(
        "p.toml",
        "format = \"csm-system-1\"\n[component]\nname = \"P\"\naut = \"\"\n",
    );
    let run = scratch.run("reach", &["p.toml"]).status(2);
    let run = run.says("p.toml:2:1: error: invalid type: map, expected tables");
    run.says("double brackets");
    wrong(
        M,
        ("csm-system-1", "csm"),
        &["x25.toml:2:10: error: ", "expected \"csm-system-1\""],
    );
    wrong(
        M,
        ("M1.aut", "none.aut"),
        &["cannot read none.aut", "names it as component M"],
    );
    // A private channel whose contents are no function of the state.
    let scratch = Scratch::new();
    scratch.write(
        "p.toml",
        "format = \"csm-system-1\"\n[[component]]\nname = \"P\"\naut = '''\n\
         des (0, 2, 2)\n(0, \"-x\", 1)\n(1, \"-x\", 0)\n'''\n\
         [[channel]]\nname = \"own\"\nfrom = \"P\"\nto = \"P\"\nmessages = [\"x\"]\n",
    );
    let run = scratch.run("reach", &["p.toml"]).status(2);
    run.says("p.toml:7:6: error: component P: transition (1, \"-x\", 0) leaves `x x`");
}

/// The same in components whose text is in the system file, however it is quoted.
#[test]
fn errors_in_the_text_of_a_component() {
    let scratch = Scratch::new();
    let told = |aut: &str, expected: &str| {
        let text = format!(
            "format = \"csm-system-1\"\n[[component]]\nname = \"P\"\naut = {aut}\n\
             [[channel]]\nname = \"c\"\nfrom = \"P\"\nmessages = [\"x\"]\n"
        );
        scratch.write("p.toml", text);
        for command in ["reach", "reduce"] {
            scratch.run(command, &["p.toml"]).status(2).says(expected);
        }
    };
    told(
        "'''\ndes (0, 2, 2)\n(0, \"-x\", 1)\n(1, \"-x  +y\", 0)\n'''",
        "p.toml:7:10: error: component P, transition (1, \"-x  +y\", 0): `+y`",
    );
    // On the line of the quotes.
    told(
        "'''des (0, 1, 1)\n(0, \"x\", 0)\n'''",
        "p.toml:5:6: error: component P, transition",
    );
    // All on one line, with escapes.
    told(
        r#""des (0, 1, 1)\n(0, \"y\", 0)\n""#,
        "p.toml:4:29: error: component P, transition",
    );
    // What is no AUT.
    told("'''\ndes (0, 1, 1)\n(0, \"-x\" 0)\n'''", "p.toml:6:");
    told("'''\ndes (0, 1, 1)\n(0, i, 0)'''", "p.toml:6:6: error: ");
    told("'''\ndes (0, 1, 1)\n'''", "p.toml:6:1: error: ");
    told("\"\"", "p.toml:4:");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = x25(6);
    scratch.write("v.aut", util::VENDING);
    let refused = |command: &str, args: &[&str], text: &str| {
        let run = scratch.run(command, args).status(2);
        assert!(run.stderr.contains(text), "{args:?}: {}", run.stderr);
    };
    refused(
        "reach",
        &["--analysis", "v.aut"],
        "--analysis is for systems of machines",
    );
    refused(
        "reach",
        &["--fail-on", "overfilled", "x25.toml"],
        "needs --analysis",
    );
    refused(
        "reach",
        &["--analysis", "--livelock", "x25.toml"],
        "no other questions",
    );
    refused(
        "reach",
        &["--analysis", "--tau-star", "x25.toml"],
        "--tau-star, which leaves hidden ones out, does not go with it",
    );
    refused(
        "reduce",
        &["x25.toml", "-o", "y.xyz"],
        "the ending .xyz tells no format",
    );
    let named = ["x25.toml", "--to", "toml", "-o", "y.xyz"];
    scratch.run("reduce", &named).ok();
    refused(
        "reduce",
        &["--rules", "theta1", "v.aut"],
        "--rules is for systems of machines",
    );
    refused(
        "reduce",
        &["--rules", "theta7", "x25.toml"],
        "no rule theta7",
    );
    refused(
        "reduce",
        &["--component", "Q", "x25.toml"],
        "no component `Q`",
    );
    refused(
        "reduce",
        &["--compose", "M,N", "x25.toml"],
        "expected NAME=A,B",
    );
    refused(
        "reduce",
        &["--compose", "P=M", "x25.toml"],
        "two components at least",
    );
    refused("minimize", &["x25.toml"], "a system of machines is no LTS");
    scratch.write("three.toml", INRES);
    let args = ["--analysis", "--maximal-progress", "three.toml"];
    refused("reach", &args, "two components");
}

/// Standard input has no name that tells the format.
#[test]
fn systems_on_standard_input_are_named() {
    let scratch = x25(6);
    for command in ["reach", "reduce", "minimize"] {
        let run = scratch.feed(command, &[], scratch.read("x25.toml"));
        run.status(2).says("--from toml").prints("");
    }
}

/// Options that would change nothing.
#[test]
fn options_without_effect_are_refused() {
    let scratch = x25(6);
    scratch.write("v.aut", util::VENDING);
    let refused = |command: &str, args: &[&str], text: &str| {
        let run = scratch.run(command, args).status(2);
        assert!(run.stderr.contains(text), "{args:?}: {}", run.stderr);
    };
    for option in [
        &["--remaining", "2"][..],
        &["--longest-label", "3"],
        &["--beyond-overfilled"],
        &["--channel-bound", "3"],
        &["--strategy", "algorithm2"],
    ] {
        let name = option[0];
        let args = [option, &["v.aut"]].concat();
        let text = format!("{name} is for systems of machines (.toml), and v.aut is none");
        refused("reduce", &args, &text);
        if ["--beyond-overfilled", "--channel-bound"].contains(&name) {
            refused("reach", &args, &text);
        }
    }
    let reduce = |args: &[&str], text: &str| {
        refused("reduce", &[args, &["x25.toml"]].concat(), text);
    };
    reduce(&["-r", "tau-star"], "-r tau-star is for LTSs");
    reduce(&["--merge", "--may-grow"], "--may-grow is for theta3");
    reduce(
        &["--rules", "theta4", "--may-grow"],
        "--may-grow is for theta3",
    );
    reduce(
        &["--rules", "theta3", "--remaining", "2"],
        "--remaining is for theta4",
    );
    reduce(
        &["--rules", "theta2,theta5", "--longest-label", "2"],
        "--longest-label is for theta1, theta3, theta4",
    );
    reduce(
        &["--renumber", "--strategy", "algorithm2"],
        "--strategy is for rules",
    );
    reduce(
        &["--renumber", "--component", "M"],
        "--component is for --rules",
    );
    reduce(
        &["--channel-bound", "3"],
        "--channel-bound is for exploring",
    );
    reduce(&["--max-states", "3"], "--max-states is for exploring");
    reduce(
        &["--compose", "P=M,N", "--beyond-overfilled"],
        "--beyond-overfilled is for exploring",
    );
    let state = ["--component", "M", "--state", "2"];
    reduce(&state, "--rules <RULES>");
    let once = [&state[..], &["--rules", "theta3", "--may-grow"]].concat();
    reduce(&once, "with --state each is applied once");
    let prove = ["--prove", "x25.toml", "--channel-bound", "3"];
    reduce(&prove, "cannot be used with");
}

/// What is written is a system or a report, not an LTS.
#[test]
fn options_about_ltss_are_refused() {
    let scratch = x25(6);
    let refused = |command: &str, args: &[&str], text: &str| {
        let run = scratch.run(command, &[args, &["x25.toml"]].concat());
        let run = run.status(2);
        assert!(run.stderr.contains(text), "{args:?}: {}", run.stderr);
    };
    for option in [
        &["--compress", "gzip"][..],
        &["--level", "3"],
        &["--canonical"],
        &["--quote", "always"],
        &["--ascii"],
        &["--lossy"],
        &["--visible-i", "x"],
        &["--keep-order"],
        &["--parse-labels"],
        &["--comment", "x"],
        &["--seq-states"],
        &["--initial-section"],
        &["--codec", "zstd"],
        &["--arrow-form", "file"],
        &["--to", "bcg"],
    ] {
        let text = format!("what is written is a system of machines: {} is", option[0]);
        refused("reduce", option, &text);
        let report = [option, &["--analysis"]].concat();
        let text = format!("{} is for the state space, which --analysis", option[0]);
        refused("reach", &report, &text);
    }
    for (option, text) in [
        (&["--por", "deadlock"][..], "--por is for networks (.exp)"),
        (
            &["--compositional", "-e", "strong"],
            "--compositional is for networks (.exp)",
        ),
        (&["--numbering", "kept"], "have no numbers"),
        (&["--traces", "seq"], "--traces is for the answers"),
    ] {
        refused("reach", &[option, &["--analysis"]].concat(), text);
        let beside = [option, &["--analysis", "-o", "x.aut"]].concat();
        refused("reach", &beside, text);
    }
    for name in ["z.bcg", "z.aut", "z.exp"] {
        let text = "what is written is a system of machines: name a .toml file";
        refused("reduce", &["-o", name], text);
    }
    refused("reduce", &["-o", "z.toml.gz"], "which is not compressed");
    let text = "what is written is a log, which is not compressed";
    refused("reduce", &["--log", "l.gz"], text);
    for name in ["z.bcg", "z.aut", "z.exp", "z.toml.gz", "l.gz", "x.aut"] {
        assert!(!scratch.path(name).exists(), "{name}");
    }
    // With a name for the state space, they say how it is written.
    let beside = [
        "--analysis",
        "--canonical",
        "-o",
        "x.aut.gz",
        "--level",
        "1",
    ];
    let run = scratch.run("reach", &[&beside[..], &["x25.toml"]].concat());
    run.ok();
    assert!(scratch.path("x.aut.gz").exists());
}

/// Files that a system consists of are not replaced.
#[test]
fn components_are_spared() {
    let scratch = x25(6);
    scratch
        .run("reach", &["x25.toml", "-o", "M1.aut"])
        .says("reach: error: M1.aut would replace a part of x25.toml\n");
    for arguments in [
        &["reach", "x25.toml", "-o", "M1.aut"][..],
        &["reach", "--analysis", "x25.toml", "-o", "M1.aut"],
        &["reduce", "x25.toml", "--log", "M1.aut", "-o", "new.toml"],
    ] {
        let run = scratch.run(arguments[0], &arguments[1..]).status(2);
        assert!(run.stderr.contains("would replace"), "{}", run.stderr);
    }
    // Through links, and by what is not the first output.
    std::os::unix::fs::symlink("M1.aut", scratch.path("link.aut")).unwrap();
    std::os::unix::fs::symlink("M1.aut", scratch.path("component.toml")).unwrap();
    std::os::unix::fs::symlink("x25.toml", scratch.path("link.toml")).unwrap();
    std::os::unix::fs::symlink("x25.toml", scratch.path("system.aut")).unwrap();
    std::os::unix::fs::symlink("x25.toml", scratch.path("system.toml")).unwrap();
    scratch.write("empty.log", "");
    scratch.write("steps.toml", "");
    let prove = ["reduce", "x25.toml", "--prove", "x25.toml"];
    for arguments in [
        &["reach", "x25.toml", "-o", "link.aut"][..],
        &["reach", "--analysis", "x25.toml", "-o", "link.aut"],
        &["reach", "x25.toml", "-o", "system.aut"],
        &["reach", "--analysis", "x25.toml", "-o", "system.aut"],
        &["reach", "system.toml", "-o", "system.aut"],
        &["reach", "x25.toml", "--to", "aut", "-o", "x25.toml"],
        &["reach", "x25.toml", "--stats", "M1.aut"],
        &["reach", "--analysis", "x25.toml", "--stats", "link.aut"],
        &["reduce", "x25.toml", "-o", "component.toml"],
        &["reduce", "x25.toml", "--stats", "link.aut"],
        &["reduce", "x25.toml", "--log", "link.toml"],
        &["reduce", "link.toml", "--log", "x25.toml"],
        &[
            "reduce",
            "x25.toml",
            "--apply",
            "steps.toml",
            "-o",
            "steps.toml",
        ],
        &[&prove[..], &["-o", "x25.toml"]].concat(),
        &[&prove[..], &["-o", "link.toml"]].concat(),
        &[&prove[..], &["-o", "link.aut"]].concat(),
        &[&prove[..], &["--stats", "link.aut"]].concat(),
    ] {
        let run = scratch.run(arguments[0], &arguments[1..]).status(2);
        assert!(
            run.stderr.contains("would replace"),
            "{arguments:?}: {}",
            run.stderr
        );
    }
    assert_eq!(scratch.read("M1.aut"), M);
    assert!(scratch.read("x25.toml").starts_with("# X.25"));
}

/// Regions are of states that there are.
#[test]
fn regions_name_states() {
    let scratch = x25(6);
    let make = ["--component", "M", "--state", "2", "--rules", "theta3"];
    let make = [&make[..], &["x25.toml", "-o", "new.toml"]].concat();
    scratch.run("reduce", &make).ok();
    let prove = ["x25.toml", "--prove", "new.toml", "--region", "region.toml"];
    for (region, expected) in [
        (
            "[old]\nstates = [0, 7, 80]\n",
            "region.toml: [old] states: there are no states 7, 80 of component M",
        ),
        (
            "[old]\nentries = [7]\n",
            "region.toml: [old] entries: there is no state 7 of component M",
        ),
        // What was deleted.
        (
            "[new]\nexits = [2]\n",
            "region.toml: [new] exits: there is no state 2 of component M",
        ),
    ] {
        scratch.write("region.toml", region);
        scratch.run("reduce", &prove).status(2).says(expected);
    }
    scratch.write("region.toml", "[old]\nstates = [0, 2, 4, 5, 6]\n");
    scratch.run("reduce", &prove).ok();
}

/// The place of a mistake is told of compressed components too.
#[test]
fn components_may_be_compressed_but_no_pipes() {
    let scratch = Scratch::new();
    let system = |file: &str| {
        format!(
            "format = \"csm-system-1\"\n[[component]]\nname = \"A\"\nfile = \"{file}\"\n\
             [[component]]\nname = \"B\"\naut = \"\"\"des (0,1,1)\n(0,+x,0)\n\"\"\"\n\
             [[channel]]\nname = \"c\"\nfrom = \"A\"\nto = \"B\"\nmessages = [\"x\"]\n"
        )
    };
    scratch.write("A.aut", "des (0, 2, 2)\n(0, \"-x\", 1)\n(1, \"-y\", 0)\n");
    scratch.shell("gzip -k A.aut && mkfifo pipe").ok();
    for (file, place) in [("A.aut", "A.aut:3:6: "), ("A.aut.gz", "A.aut.gz:3:6: ")] {
        scratch.write("s.toml", system(file));
        scratch.run("reach", &["s.toml"]).status(2).says(place);
    }
    // Nobody waits for a pipe that a system names.
    scratch.write("s.toml", system("pipe"));
    let run = scratch.run("reach", &["s.toml"]).status(2).prints("");
    run.says("pipe: no regular file, which a file has to be that another one names");
    // Of what is no LTS nothing is to be seen.
    for text in ["des (0, 1, 2)\n(0, SECRET, \n", "SECRET:x\n"] {
        scratch.write("S.aut", text);
        scratch.write("s.toml", system("S.aut"));
        let run = scratch.run("reach", &["s.toml"]).status(2).prints("");
        assert!(!run.stderr.contains("SECRET"), "{}", run.stderr);
        run.says("S.aut:");
    }
}

/// Standard input can be read once.
#[test]
fn standard_input_is_read_once() {
    let scratch = x25(6);
    // A component in the file - is not there.
    scratch.write("dash.toml", X25.replace("M1.aut", "-"));
    let run = scratch.run("reach", &["dash.toml"]).status(2).prints("");
    run.says("./-: No such file");
    for args in [
        [
            "x25.toml", "--prove", "-", "--region", "-", "--from", "toml",
        ],
        [
            "-", "--prove", "x25.toml", "--region", "-", "--from", "toml",
        ],
        [
            "-", "--prove", "-", "--region", "x25.toml", "--from", "toml",
        ],
    ] {
        let run = scratch.run("reduce", &args).status(2).prints("");
        run.says("only one of INPUT, --prove and --region can be standard input");
    }
}
