//! Networks, explored by the real binaries.

use crate::util;

#[path = "../src/network/tests/isomorphism.rs"]
mod isomorphism;

use std::fs;
use std::path::PathBuf;

use hyades::formats::{Format, Lts, ReadOptions, Source, read_lts};
use isomorphism::isomorphic;
use util::{Run, Scratch, json};

fn testdata() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("testdata/networks")
}

/// A scratch directory with the components of the worked examples.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    for entry in fs::read_dir(testdata()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "aut") {
            let name = path.file_name().unwrap().to_str().unwrap();
            scratch.write(name, fs::read(&path).unwrap());
        }
    }
    scratch
}

fn lts(text: &str, hidden: &str) -> Lts {
    let source = Source::from_bytes("text", text.into(), Some(Format::Aut)).unwrap();
    let options = ReadOptions {
        hidden: vec![hidden.into()],
        ..ReadOptions::default()
    };
    read_lts(source, &options, &mut |d| panic!("{d}")).unwrap()
}

#[test]
fn worked_examples() {
    let scratch = scratch();
    let examples = fs::read_to_string(testdata().join("examples.txt")).unwrap();
    let mut count = 0;
    for block in examples
        .split("\n\n")
        .map(str::trim)
        .filter(|b| !b.is_empty())
    {
        let (head, expected) = block.split_once('\n').unwrap();
        let (name, expression) = head.split_once(' ').unwrap();
        // The output calls hidden `i` whatever the language.
        let hidden = if expression.starts_with("cc") || expression.starts_with("csp") {
            "t"
        } else {
            "i"
        };
        let expected = lts(expected, hidden);
        let from_file = {
            scratch.write("net.exp", expression);
            scratch.run("reach", &["net.exp"]).status(0)
        };
        let from_argument = scratch
            .run("reach", &["--expression", expression])
            .status(0);
        for run in [from_file, from_argument] {
            assert!(
                isomorphic(&lts(run.text(), "i"), &expected),
                "{name} {}",
                run.text()
            );
        }
        count += 1;
    }
    assert_eq!(count, 41);
}

#[test]
fn other_commands_read_networks_too() {
    let scratch = scratch();
    scratch.write("net.exp", "hide B in \"ab.aut\" |[B]| \"bc.aut\"\n");
    scratch.run("describe", &["net.exp"]).ok();
    let reached = scratch.run("reach", &["net.exp"]).ok();
    scratch
        .run("transcode", &["net.exp"])
        .ok()
        .prints(reached.text());
    scratch
        .shell("minimize -e branching net.exp | equiv -e branching - net.exp")
        .ok()
        .prints("TRUE\n");
    // Rules and components are looked for beside the network.
    fs::create_dir(scratch.path("sub")).unwrap();
    scratch.shell("mv *.aut net.exp sub/");
    scratch
        .run("relabel", &["--hide-label", "A", "sub/net.exp"])
        .ok();
    scratch
        .run("reach", &["sub/net.exp"])
        .ok()
        .prints(reached.text());
    scratch
        .run(
            "reach",
            &["--base-dir", "sub", "--expression", "hide B in ab |[B]| bc"],
        )
        .ok();
    scratch
        .run("reach", &["--base-dir", "", "--expression", "ab"])
        .status(2)
        .says("a value is required for '--base-dir <DIR>'");
    scratch
        .shell("cd sub && cat net.exp | reach --from exp")
        .ok()
        .prints(reached.text());
}

#[test]
fn traces_tell_what_components_do() {
    let scratch = scratch();
    scratch
        .run("reach", &["--deadlock", "--expression", "s |[S]| r"])
        .status(0)
        .says("[exp-alphabet]");
    scratch
        .run(
            "reach",
            &[
                "--find",
                "T.*",
                "--expression",
                "par using S * R -> T in s || r || r end par",
            ],
        )
        .status(2)
        .says("a vector with 2 elements for 3 operands");
    scratch
        .run(
            "reach",
            &[
                "--find",
                "T.*",
                "--expression",
                "par using S * R * _ -> T in s || r || r end par",
            ],
        )
        .ok()
        .prints("find: TRUE\n\"T !1\"\n*** s \"S !1\", 0 to 2\n*** r#1 \"R !1\", 0 to 1\n");
    // They are comments, so that the trace can be read again.
    scratch
        .shell(
            "reach --deadlock --expression 'hide B in ax ||| (ax ||| bx)' \
             | transcode --from seq | describe --json",
        )
        .ok();
    scratch
        .run(
            "reach",
            &["--deadlock", "--traces", "trc", "--expression", "ax ||| bx"],
        )
        .ok()
        .prints("deadlock: TRUE\nA\nB\nexit\n");
    scratch
        .run("reach", &["--livelock", "--expression", "hide A, B in ab"])
        .ok()
        .prints(
            "livelock: TRUE\n*** from here on a cycle\n\"i\"\n*** ab \"A\", 0 to 1\n\"i\"\n\
             *** ab \"B\", 1 to 0\n",
        );
}

/// Labels of components are written as those of the trace, or as in formulas.
#[test]
fn steps_of_components_have_the_labels_of_traces() {
    let scratch = scratch();
    let labels = ["'B", "\u{e9}", "a\\b"];
    for (k, label) in labels.into_iter().enumerate() {
        let name = format!("l{k}.aut");
        scratch.write(&name, format!("des (0, 1, 2)\n(0, \"{label}\", 1)\n"));
        let net = format!("\"{name}\" ||| \"{name}\"");
        let found = scratch
            .run("reach", &["-q", "--find", ".*", "--expression", &net])
            .ok();
        let step = format!(" \"{label}\", 0 to 1\n");
        let text = found.text();
        assert!(text.contains(&format!("\n\"{label}\"\n*** ")), "{text}");
        assert!(text.ends_with(&step), "{text}");
    }
    scratch.write("q.aut", "des (0, 1, 2)\n(0, \"q\"q\", 1)\n");
    scratch
        .run(
            "reach",
            &["-q", "--find", "q.*", "--expression", "q ||| ab"],
        )
        .ok()
        .prints(
            "find: TRUE\n*** SEQ cannot express these labels; they stand as in formulas:\n\
             *** \"q\\\"q\"\n***     q \"q\\\"q\", 0 to 1\n",
        );
}

#[test]
fn statistics_tell_the_size_of_a_network() {
    let scratch = scratch();
    let size = |scratch: &Scratch| json(scratch.read("s.json"))["inputs"][0]["bytes"].clone();
    let net = "ab ||| ab";
    scratch.write("n.exp", net);
    let options = ["--stats", "s.json", "--deadlock"];
    scratch.run("reach", &[&options[..], &["n.exp"]].concat());
    assert_eq!(size(&scratch), net.len());
    scratch.run("reach", &[&options[..], &["--expression", net]].concat());
    assert_eq!(size(&scratch), net.len());
}

#[test]
fn what_is_no_network_or_no_file_is_told() {
    let scratch = scratch();
    let fails = |arguments: &[&str], text: &str| {
        let run = scratch.run("reach", arguments).status(2).says(text);
        run.prints("")
    };
    fails(&["ab.aut", "--to", "exp"], "`reach --flat`");
    fails(
        &["--expression", "ab", "--from", "bcg"],
        "--from bcg is for an INPUT",
    );
    scratch
        .run("reach", &["--expression", "ab", "--from", "exp"])
        .ok();
    fails(
        &["--expression", "hide using \"no.hid\" in ab end hide"],
        "directory [exp-rules]",
    );
    fails(&["--expression", "\"no.exp\""], "directory [exp-include]");
    scratch.write("plugin", b"\x7fELF and so on");
    let text = "a shared object, not an LTS: only `check`, `reach` and `refine` load models";
    scratch.run("describe", &["plugin"]).status(2).says(text);
    scratch.shell("cat plugin | reach -").status(2).says(text);
}

/// A component that is none of the machines that are asked for is told of once.
#[test]
fn options_about_machines_hold_for_components() {
    let scratch = Scratch::new();
    scratch.write("plain.aut", "des (0, 1, 2)\n(0, SIT, 1)\n");
    scratch.write("other.aut", "des (0, 1, 2)\n(0, STAND, 1)\n");
    scratch.write("turn.aut", "des (0, 1, 1)\n(0, \"a/x\", 0)\n");
    scratch.write("two.exp", "\"plain.aut\" ||| \"other.aut\"\n");
    scratch.write("turns.exp", "\"turn.aut\" ||| \"turn.aut\"\n");
    for (option, kind) in [("--mealy", "Mealy"), ("--moore", "Moore")] {
        for command in ["describe", "draw", "reach"] {
            let expected = format!(
                "two.exp:1:1: error: the component cannot be used: plain.aut: expected a {kind} \
                 machine in the format aut, as options about machines hold for each component"
            );
            let run = scratch.run(command, &[option, "two.exp"]).status(2);
            let run = run.prints("").says(&expected);
            let errors = run.stderr.matches("error: ").count();
            assert_eq!(errors, 1, "{command} {option}: {}", run.stderr);
        }
    }
    let run = scratch.run("reach", &["-q", "--mealy", "turns.exp"]).ok();
    assert!(run.text().starts_with("des (0, 1, 1)"), "{}", run.text());
}

/// Whatever it is called, a file is read once; names tell components apart as before.
#[test]
fn a_file_of_many_names_is_one() {
    let scratch = scratch();
    scratch
        .shell("ln -s ab.aut soft.aut; ln ab.aut hard.aut; cp ab.aut copy.aut; ln ab.aut ab.seq")
        .ok();
    let names = "\"ab.aut\" ||| \"./ab.aut\" ||| \"././ab.aut\" ||| soft.aut ||| hard.aut ||| ab";
    let info = scratch
        .run("reach", &["--info", "--expression", names])
        .ok();
    assert!(info.text().starts_with("components: 6\nfiles: 1\n"));
    for name in ["ab#1", "ab#4", "soft", "hard"] {
        let line = format!("component {name}: ab.aut, 2 states");
        assert!(info.text().contains(&line), "{}", info.text());
    }
    scratch
        .run("reach", &["--depend", "--expression", names])
        .ok()
        .prints("ab.aut\n./ab.aut\n././ab.aut\nsoft.aut\nhard.aut\nab.aut\n");
    let same = scratch.run(
        "reach",
        &["--expression", "ab ||| ab ||| ab ||| ab ||| ab ||| ab"],
    );
    let expected = same.ok().text().to_owned();
    scratch
        .run("reach", &["--expression", names])
        .ok()
        .prints(&expected);
    let copies = scratch.run("reach", &["--info", "--expression", "ab ||| copy.aut"]);
    assert!(copies.ok().text().contains("\nfiles: 2\n"));
    // What is wrong is told once; another ending is another format.
    scratch.write("bad.aut", "des (0, 1, 2)\n(0, a)\n");
    let run = scratch.run("reach", &["--expression", "bad.aut ||| \"./bad.aut\""]);
    let run = run.status(2);
    assert_eq!(run.stderr.matches("expected").count(), 1, "{}", run.stderr);
    scratch
        .run("reach", &["--expression", "ab.aut ||| \"ab.seq\""])
        .status(2)
        .says("ab.seq:2:1: error: ");
    // No output replaces it, by none of its names.
    scratch
        .run("reach", &["--expression", names, "-o", "hard.aut"])
        .status(2)
        .says("would replace");
}

#[test]
fn limits_tell_how_far_it_came() {
    let scratch = scratch();
    let net = ["ab"; 12].join(" ||| ");
    scratch
        .run("reach", &["--max-states", "1000", "--expression", &net])
        .status(3)
        .says("gave up after 1000 states");
    scratch
        .run(
            "reach",
            &["--deadlock", "--max-states", "1000", "--expression", &net],
        )
        .status(3)
        .prints("deadlock: UNKNOWN\n");
}

#[test]
fn what_there_is_to_know_without_exploring() {
    let scratch = scratch();
    let run =
        |option: &str, net: &str| -> Run { scratch.run("reach", &[option, "--expression", net]) };
    run("--labels", "hide B in ab |[B]| bc")
        .ok()
        .prints("i\nA\nC\n");
    run("--depend", "ab ||| ab ||| bc.aut")
        .ok()
        .prints("ab.aut\nbc.aut\n");
    scratch.write("a.hid", "hide\nA\n");
    run(
        "--depend",
        "(hide using \"a\" in ab end hide) ||| (hide using \"a.hid\" in ab end hide)",
    )
    .ok()
    .prints("ab.aut\na.hid\n");
    for option in ["--deadlock", "--find=A", "--por=deadlock", "--tau-star"] {
        scratch
            .run("reach", &["--labels", option, "--expression", "ab"])
            .status(2)
            .says("cannot be used with");
    }
    run("--info", "ab ||| ab ||| it").ok().prints(
        "components: 3\nfiles: 2\nlanguage: none\nhidden: i\nlabels: 2\nrules: 6\n\
         evaluated choices: 0\nbits of a state: 4\n\
         component ab#1: ab.aut, 2 states, 2 transitions, 2 labels\n\
         component ab#2: ab.aut, 2 states, 2 transitions, 2 labels\n\
         component it: it.aut, 3 states, 2 transitions, 1 label\n",
    );
    run("--flat", "hide B in ab |[B]| bc").ok().prints(
        "label par using\n  \"B\" * \"B\" -> \"i\",\n  \"A\" * _ -> \"A\",\n  _ * \"C\" -> \"C\"\n\
         in\n  \"ab\"\n  || \"bc\"\nend par\n",
    );
    run("--flat", "prio A > B in u end prio")
        .status(2)
        .says("priorities")
        .prints("");
    scratch
        .run("reach", &["--labels", "ab.aut"])
        .status(2)
        .says("for networks")
        .prints("");
    scratch
        .run("reach", &["--expression", "ab", "ab.aut"])
        .status(2)
        .prints("");
}

/// Labels are changed before what there is to know is told, as they are where the
/// network is explored.
#[test]
fn what_is_known_follows_options_for_labels() {
    let scratch = scratch();
    let options = [
        "--hide-label",
        "A",
        "--rename-label",
        "C -> D",
        "--expression",
        "ab |[B]| bc",
    ];
    let run = |option: &str| scratch.run("reach", &[&[option], &options[..]].concat());
    run("--labels").ok().prints("i\nB\nD\n");
    run("--flat").ok().prints(
        "label par using\n  \"A\" * _ -> \"i\",\n  \"B\" * \"B\" -> \"B\",\n  _ * \"C\" -> \"D\"\n\
         in\n  \"ab\"\n  || \"bc\"\nend par\n",
    );
    let info = run("--info").ok();
    assert!(
        info.text().contains("labels: 2\nrules: 3\n"),
        "{}",
        info.text()
    );
    run("--depend").status(2).prints("").says("names files");
    scratch
        .run(
            "reach",
            &["--labels", "--cut-label", "A", "--expression", "ab"],
        )
        .ok()
        .prints("B\n");
}

#[test]
fn files_of_unknown_formats_are_told_how_to_go_on() {
    let scratch = scratch();
    scratch.write("what", "hello\n");
    let run = scratch
        .run("reach", &["--expression", "what"])
        .status(2)
        .prints("");
    assert!(!run.stderr.contains("--from"), "{}", run.stderr);
    run.says("give it the ending of its format (aut, bcg,");
    // Without a name, a network that begins with a quote looks like a trace.
    scratch.write("net", "\"ab.aut\" |[B]| \"bc.aut\"\n");
    let expected = scratch.run("reach", &["--expression", "ab |[B]| bc"]).ok();
    for command in ["reach --from exp", "transcode --from exp"] {
        scratch
            .shell(&format!("{command} < net"))
            .ok()
            .prints(expected.text());
    }
    for command in ["reach < net", "reach net", "minimize < net"] {
        scratch
            .shell(command)
            .status(2)
            .prints("")
            .says("a network of LTSs is read with --from exp");
    }
    scratch
        .shell("echo 'hide B in ab' | reach")
        .status(2)
        .says("a network of LTSs is read with --from exp");
}

#[test]
fn flat_networks_are_the_same() {
    let scratch = scratch();
    scratch.write("t.aut", "des (0, 2, 2)\n(0, t, 1)\n(1, low, 0)\n");
    scratch.write("I.aut", "des (0, 1, 2)\n(0, I, 1)\n");
    for net in [
        "hide B in ab |[B]| bc",
        "par P#2 in p || p || p end par",
        "mcrl behaviour comm S | R = T end comm s || r",
        "ab || bc",
        "csp behaviour ab \\ {B}",
        "ccs behaviour t ||| \"I.aut\"",
        "rename A -> \"\\\"\\\\\\\\\" in total rename B -> \"x y\" in ab end rename end rename",
    ] {
        scratch.write("net.exp", net);
        scratch.shell("reach --nocheck net.exp > one.aut").status(0);
        scratch
            .shell("reach --flat --nocheck net.exp > flat.exp")
            .status(0);
        scratch
            .run("reach", &["flat.exp", "-o", "two.aut"])
            .status(0);
        let [one, two] = ["one.aut", "two.aut"].map(|name| lts(&scratch.read(name), "i"));
        assert!(
            isomorphic(&one, &two),
            "{net}\n{}",
            scratch.read("flat.exp")
        );
    }
}

#[test]
fn options_of_languages() {
    let scratch = scratch();
    scratch.write("low.aut", "des (0, 2, 3)\n(0, a, 1)\n(1, \"tau\", 2)\n");
    let run = |options: &[&str]| scratch.run("reach", options);
    // Upper case, unless --case.
    run(&["--expression", "lotos behaviour hide a in low end hide"])
        .status(0)
        .says("--case")
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, tau, 2)\n");
    run(&[
        "--case",
        "--expression",
        "lotos behaviour hide a in low end hide",
    ])
    .ok()
    .prints("des (0, 2, 3)\n(0, i, 1)\n(1, tau, 2)\n");
    for hidden in [
        &["--language", "mcrl"][..],
        &["--hidden", "tau"],
        &["--hidden", "x", "--hidden", "tau"],
    ] {
        let run = run(&[hidden, &["--expression", "low"]].concat()).ok();
        assert!(run.text().contains("(1, i, 2)"), "{}", run.text());
    }
    run(&["--language", "csp", "--expression", "lotos behaviour ab"])
        .status(0)
        .says("[exp-language]");
    run(&["--termination", "", "--expression", "ax ||| bx"]).ok();
    let synchronised = run(&["--termination", "B", "--expression", "ab ||| ab"]).ok();
    assert!(
        synchronised.text().starts_with("des (0, 5, 4)\n"),
        "{}",
        synchronised.text()
    );
    scratch.write("co.aut", "des (0, 1, 2)\n(0, co_A, 1)\n");
    let met = run(&[
        "--coaction",
        "co_",
        "--case",
        "--expression",
        "ccs behaviour (ab | co) \\ A",
    ])
    .ok();
    assert_eq!(met.text(), "des (0, 2, 3)\n(0, i, 1)\n(1, B, 2)\n");
    run(&["--language", "pascal", "--expression", "ab"])
        .status(2)
        .says("lotos");
}

#[test]
fn errors_have_a_place_and_leave_no_output() {
    let scratch = scratch();
    for (text, said) in [
        ("", "net.exp:1:1: error: found the end"),
        ("ab |[B]| ", "net.exp:1:10: error: found the end"),
        ("ab |||\n  |||", "net.exp:2:3: error: found `|||`"),
        (
            "ab.aut bc.aut",
            "net.exp:1:8: error: found `bc.aut`, expected an operator or the end",
        ),
        (
            "nowhere",
            "net.exp:1:1: error: there is no component nowhere",
        ),
        ("\"no.aut\"", "cannot read the component no.aut"),
        ("\"no.fc2\"", "convert it first"),
        ("\"net.exp\"", "included within itself"),
        ("\"no.exp\"", "cannot include"),
        ("hide using f in ab end hide", "cannot read the rules f"),
        (
            "total hide \"a\\\\{\" in ab end hide",
            "net.exp:1:12: error: ",
        ),
    ] {
        scratch.write("net.exp", text);
        for command in ["reach", "minimize", "describe"] {
            let run = scratch
                .run(command, &["net.exp", "-o", "out"])
                .status(2)
                .prints("");
            assert!(run.stderr.contains(said), "{text}: {}", run.stderr);
            assert!(!run.stderr.contains("internal"), "{text}: {}", run.stderr);
            assert!(!scratch.path("out").exists());
        }
    }
}

#[test]
fn hostile_networks_end_well() {
    let scratch = scratch();
    // Nesting needs no stack.
    let deep = format!("{}ab{}", "(".repeat(200_000), ")".repeat(200_000));
    scratch.write("net.exp", deep);
    scratch.run("reach", &["net.exp"]).ok();
    let hides = "hide A in ".repeat(20_000) + "ab";
    scratch.write("net.exp", hides);
    scratch.run("reach", &["--nocheck", "net.exp"]).ok();
    // Texts that include the next one twice.
    for k in 0..60 {
        let next = k + 1;
        scratch.write(
            &format!("x{k}.exp"),
            format!("\"x{next}.exp\" ||| \"x{next}.exp\""),
        );
    }
    scratch.write("x60.exp", "ab ||| bc".to_owned() + &" ".repeat(1 << 20));
    scratch
        .run("reach", &["x0.exp"])
        .status(2)
        .says("longer than 64 MiB")
        .says("(here: x0.exp > x1.exp > x2.exp > … > x58.exp > x59.exp)");
    scratch.write("x60.exp", "ab");
    scratch
        .run("reach", &["x0.exp"])
        .status(2)
        .says("included more than 65536 times")
        .says("(here: x0.exp > x1.exp > x2.exp > … > x5");
    // 137846528820 ways to choose 20 of 40.
    let many = ["p"; 40].join(" || ");
    let net = format!("par P#20 in {many} end par");
    scratch.run("reach", &["--info", "--expression", &net]).ok();
    scratch
        .run("reach", &["--expression", &net])
        .status(2)
        .says("137846528820 transitions");
    // Where only a few can take part at a time, all is well.
    let net = format!("par P#20 in {} || {many} end par", ["q"; 3].join(" || "));
    scratch.write("q.aut", "des (0, 1, 2)\n(0, P, 1)\n");
    let net = net.replace("|| p", "|| cut P in p end cut");
    scratch
        .run("reach", &["--nocheck", "--expression", &net])
        .ok()
        .prints("des (0, 0, 1)\n");
    // A large interface.
    let gates: Vec<String> = (0..100_000).map(|k| format!("G{k}")).collect();
    scratch.write(
        "net.exp",
        format!("par {} in ab || bc end par", gates.join(", ")),
    );
    scratch.run("reach", &["-q", "net.exp"]).ok();
}

/// What a network names is read only if it is a regular file of bounded size, and no
/// line of it is to be seen in a message.
#[test]
fn files_that_networks_name() {
    let scratch = scratch();
    let fails = |network: &str, text: &str| {
        scratch.write("net.exp", network);
        let run = scratch.run("reach", &["net.exp"]).status(2).prints("");
        assert!(!run.stderr.contains("SECRET"), "{network}: {}", run.stderr);
        run.says(text)
    };
    scratch.shell("mkfifo pipe.aut pipe.hid").ok();
    let regular = "no regular file, which a file has to be that another one names";
    for network in [
        "hide using \"/dev/zero\" in ab end hide",
        "hide using \"pipe.hid\" in ab end hide",
        "\"pipe.aut\"",
        "\"/dev/stdin\" ||| ab",
        "\"pipe.exp\"",
    ] {
        if network.contains("exp") {
            scratch.shell("mkfifo pipe.exp").ok();
        }
        match network.contains("stdin") {
            true => fails(network, "there is no component /dev/stdin"),
            false => fails(network, regular),
        };
    }
    // An empty page of zeros each, but too many.
    scratch.shell("truncate -s 65M long.hid long.exp").ok();
    let long = "more than 67108864 bytes";
    fails("hide using \"long.hid\" in ab end hide", long);
    fails("\"long.exp\"", long);
    // It claims to be regular and empty, and has no end to speak of: it is not read.
    if std::fs::File::open("/proc/self/pagemap").is_ok() {
        let pages = "hide using \"/proc/self/pagemap\" in ab end hide";
        fails(pages, "/proc/self/pagemap:1:1: error: ");
    }
    scratch
        .shell("{ echo hide; yes SECRET | head -c 70000000; } | gzip > bomb.hid")
        .ok();
    fails("hide using \"bomb.hid\" in ab end hide", long);

    let hidden = "what is there is not shown, as another file names this one";
    // What a format says of its first bytes is a part of it, too.
    std::fs::create_dir(scratch.path("parts.plts")).unwrap();
    scratch.write("parts.plts/manifest.json", "{\"HUSH\": 1}");
    scratch.write("secret.bcg", "HUSH, this is no BCG\n");
    for name in ["parts.plts", "secret.bcg"] {
        scratch.write("named.exp", format!("\"{name}\"\n"));
        let run = scratch.run("reach", &["named.exp"]).status(2);
        let run = run.says(hidden);
        assert!(!run.stderr.contains("HUSH"), "{}", run.stderr);
        assert!(!run.stderr.contains("48 55 53"), "{}", run.stderr);
    }
    let lines = "SECRET:SECRET:0:0\n\"SECRET\n[SECRET\n(SECRET)\n";
    for (name, network) in [
        ("s.hid", "hide using \"s.hid\" in ab end hide"),
        ("s.ren", "rename using \"s.ren\" in ab end rename"),
        ("s.cut", "cut using \"s.cut\" in ab end cut"),
        ("s.exp", "\"s.exp\" ||| ab"),
        ("s.aut", "\"s.aut\" ||| ab"),
        ("s.tsv", "\"s.tsv\" ||| ab"),
        ("s.jsonl", "\"s.jsonl\" ||| ab"),
        ("s.fsm", "\"s.fsm\" ||| ab"),
        ("s.dot", "\"s.dot\" ||| ab"),
    ] {
        scratch.write(name, lines);
        let run = fails(network, &format!("{name}:1:"));
        assert!(
            run.stderr.contains(hidden) || !run.stderr.contains('`'),
            "{name}: {}",
            run.stderr
        );
    }
    for (name, text) in [
        ("s.hid", "hide SECRET\n"),
        ("s.hid", "hide\n[SECRET\n"),
        ("s.aut", "des (0, 1, 2)\n(0, SECRET\n"),
        ("s.aut", "des (0, 1, 2) SECRET\n(0, \"SECRET, 1)\n"),
        ("s.exp", "\"ab.aut\" SECRET SECRET\n"),
        ("s.dot", "digraph { SECRET -> SECRET [label=SECRET; }\n"),
    ] {
        scratch.write(name, text);
        let network = match name {
            "s.hid" => "hide using \"s.hid\" in ab end hide".to_owned(),
            _ => format!("\"{name}\" ||| ab"),
        };
        fails(&network, &format!("{name}:"));
    }
    // Warnings do not quote either, but tell the place.
    scratch.write("s.hid", "hide\nSECRET\nA\n");
    scratch.write("net.exp", "hide using \"s.hid\" in ab end hide");
    let run = scratch.run("reach", &["net.exp"]).status(0);
    let run = run.says("s.hid:2:1: warning: no label matches [rule-unused]");
    assert!(!run.stderr.contains("SECRET"));
    // What may be done about outputs of states is told without them.
    scratch.write(
        "m.dot",
        "digraph { SECRET [label=\"SECRET / x\"]; q [shape=doublecircle label=\"q / y\"]; \
         SECRET -> q [label=a]; __start0 -> SECRET }",
    );
    scratch.write("net.exp", "\"m.dot\" ||| ab");
    let run = scratch
        .run("reach", &["net.exp"])
        .status(2)
        .says("not shown, as another file names this one: read a Moore machine with --moore, or")
        .says("read a finite automaton with --dfa, where accepting states get a self-loop, or");
    assert!(!run.stderr.contains("SECRET"), "{}", run.stderr);
    scratch
        .run(
            "reach",
            &["--ignore-outputs", "--expression", "\"m.dot\" ||| ab"],
        )
        .ok();
    scratch.write("s.aut", "des (0, 1, 2)\n(0, SECRET(1), 1)\n");
    scratch.write("net.exp", "s ||| ab");
    let run = scratch.run("reach", &["net.exp"]).status(0);
    let run = run.says("s.aut:2:5: warning: doubtful as an LTS in the format aut");
    assert!(!run.stderr.contains("SECRET"));
    // That a rule fits no gate is told without it.
    scratch.write("o.hid", "hide\n\"SECRET !1\"\n");
    scratch.write("net.exp", "hide using \"o.hid\" in ab end hide");
    let run = scratch.run("reach", &["net.exp"]).status(0);
    let run = run.says("o.hid:2:2: warning: a gate ends before the first blank");
    assert!(!run.stderr.contains("SECRET") && !run.stderr.contains("doubtful"));
    // Who names a file on the command line is shown what is wrong with it, also within an
    // expression.
    for expression in ["s ||| ab", "hide using \"o.hid\" in ab end hide"] {
        scratch
            .run("reach", &["--expression", expression])
            .status(0)
            .says("SECRET");
    }
    scratch.write("s.hid", "SECRET\n");
    scratch
        .run("relabel", &["--hide", "s.hid", "ab.aut"])
        .status(2)
        .says("found `SECRET`, expected the line `hide`");
}

/// Counts of one have no plural.
#[test]
fn one_orbit_is_one() {
    let scratch = Scratch::new();
    for k in 0..2 {
        let text = format!("des (0, 1, 1)\n(0, \"A !{k}\", 0)\n");
        scratch.write(&format!("z{k}.aut"), text);
    }
    let symmetric = ["-v", "--symmetry", "T=0,1", "--expression"];
    let run = scratch.run("reach", &[&symmetric[..], &["z0 ||| z1"]].concat());
    let run = run.status(0).says("2 states of components in 1 orbit");
    assert!(!run.stderr.contains("1 orbits"), "{}", run.stderr);
}

#[test]
fn semi_compositions_become_components() {
    let scratch = scratch();
    let expression = "(\"g1.aut\" -|[G]| \"g2.aut\") ||| p";
    let run = scratch.run("reach", &["--info", "--expression", expression]);
    let run = run.ok();
    assert!(
        run.text()
            .contains("component g1-||g2: g1.aut -|| g2.aut, 2 states"),
        "{}",
        run.text()
    );
    // Files that it is made of are named, and spared.
    scratch
        .run("reach", &["--depend", "--expression", expression])
        .ok()
        .prints("g1.aut\ng2.aut\np.aut\n");
    scratch
        .run("reach", &["--expression", expression, "-o", "g2.aut"])
        .status(2);
    scratch
        .run("reach", &["--flat", "--expression", expression])
        .status(2)
        .says("g1.aut -|| g2.aut is a semi-composition, which vectors cannot say");
    scratch
        .run(
            "reach",
            &["--max-states", "2", "--expression", "(ab ||| bc) -|[A]| ax"],
        )
        .status(3)
        .says("a semi-composition: gave up after 2 states (--max-states)");
    // The whole is what it would be without the restriction.
    scratch.write(
        "net.exp",
        "behaviour (\"g1.aut\" -|[G]|? \"g2.aut\") |[G]| \"g2.aut\"",
    );
    scratch
        .shell(
            "reach net.exp -o small.bcg && \
             reach --expression '\"g1.aut\" |[G]| \"g2.aut\"' | equiv small.bcg -",
        )
        .ok()
        .prints("TRUE\n");
}

/// Loops of a guess that was written to a file count when it is composed.
#[test]
fn guesses_are_checked_across_files() {
    let scratch = scratch();
    scratch
        .run(
            "reach",
            &["--expression", "g1 -|[G]|? g2", "-o", "part.bcg"],
        )
        .ok();
    scratch
        .run("reach", &["--expression", "\"part.bcg\" |[G]| g2"])
        .ok();
    scratch
        .run("reach", &["--expression", "\"part.bcg\" |[G]| g1"])
        .status(2)
        .says("the interface of part is wrong: it forbids `G !2`");
    // Nobody takes part yet.
    scratch
        .run(
            "reach",
            &["--find", "fail.*", "--expression", "\"part.bcg\" ||| p"],
        )
        .ok()
        .prints("find: TRUE\n\"fail: G !2\"\n*** part \"fail: G !2\", 0 to 0\n");
    // Hidden, nobody will.
    scratch
        .run("reach", &["--expression", "hide G in \"part.bcg\""])
        .status(2)
        .says("is wrong");
}

/// As generators of networks for fault trees write them: every label hidden but some,
/// vectors with comments, components renamed in place.
#[test]
fn networks_with_renamed_components_in_vectors() {
    let scratch = scratch();
    scratch.write(
        "c.aut",
        "des (0, 2, 3)\n(0, \"rate 0.5\", 1)\n(1, \"FAIL !1 !2\", 2)\n",
    );
    scratch.write("d.aut", "des (0, 1, 2)\n(0, \"FAIL !3\", 1)\n");
    scratch.write(
        "net.exp",
        "(* made *)\nhide\n\tDONE,\n\t\"rate 7\"\nin\nlabel par using\n\
         (*\t\"c.aut\" * \"d.aut\" -> x *)\n\t  \"rate 0.5\" * _ -> \"rate 0.5\",\n\
         \t  \"FAIL !1 !2\" * \"GOT !3\" -> DONE\nin\n\"c.aut\"\n||\n\
         total rename \"FAIL !3\" -> \"GOT !3\" in \"d.aut\" end rename\nend par\n",
    );
    scratch
        .run("reach", &["net.exp"])
        .status(0)
        .prints("des (0, 2, 3)\n(0, \"rate 0.5\", 1)\n(1, i, 2)\n");
}

/// A network with what it includes in one text, which means the same.
#[test]
fn networks_are_printed_with_what_they_include() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("sub")).unwrap();
    scratch.write("z.aut", "des (0, 1, 2)\n(0, HERE, 1)\n");
    scratch.write("sub/z.aut", "des (0, 1, 2)\n(0, \"A \\1\", 1)\n");
    scratch.write("sub/m.exp", "-- a comment\nhide \"H\\.\" in z.aut\n");
    let expression = "\"sub/m.exp\" ||| z";
    let run = |options: &[&str]| {
        let words = [
            &["--self-contained", "--nocheck"],
            options,
            &["--expression", expression],
        ];
        scratch.run("reach", &words.concat()).ok().text().to_owned()
    };
    assert_eq!(run(&[]), "hide \"H\\\\.\" in \"z.aut\" ||| \"z\"\n");
    assert_eq!(
        run(&["--include", "paren"]),
        "( hide \"H\\\\.\" in \"z.aut\" ) ||| \"z\"\n"
    );
    assert_eq!(
        run(&["--include", "own"]),
        "( hide \"H\\\\.\" in \"sub/z.aut\" ) ||| \"z\"\n"
    );
    let labels = [
        "--labels",
        "--nocheck",
        "--include",
        "own",
        "--expression",
        expression,
    ];
    scratch.run("reach", &labels).ok().prints("A \\1\nHERE\n");
    scratch
        .run("reach", &["--self-contained", "z.aut"])
        .status(2)
        .says("--self-contained is for networks (.exp), and z.aut is none");
    scratch
        .run(
            "reach",
            &["--self-contained", "--expression", "\"gone.exp\""],
        )
        .status(2)
        .says("cannot include: gone.exp");
}
