//! `reach` on model plugins: shared objects that are built here from C.

use crate::util;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use util::{Run, Scratch, json};

/// Builds a plugin from a file of the repository.
fn build(scratch: &Scratch, source: &str, name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let object = scratch.path(name);
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC",
    ])
    .arg("-I")
    .arg(root.join("include"))
    .arg(root.join(source))
    .arg("-o")
    .arg(&object);
    let built = cc.output().expect("a C compiler, as for the dependencies");
    assert!(
        built.status.success(),
        "{cc:?}\n{}",
        String::from_utf8_lossy(&built.stderr)
    );
    object
}

fn hanoi() -> Scratch {
    let scratch = Scratch::new();
    build(&scratch, "examples/c/hanoi.c", "hanoi.so");
    scratch
}

fn reach(scratch: &Scratch, arguments: &str) -> Run {
    let arguments: Vec<_> = arguments.split_whitespace().collect();
    scratch.run("reach", &arguments)
}

#[test]
fn hanoi_has_its_known_size() {
    let scratch = hanoi();
    for disks in 1..=8 {
        let states = 3usize.pow(disks);
        let run = reach(&scratch, &format!("hanoi.so --model-argument {disks}")).ok();
        let header = format!("des (0, {}, {states})\n", 3 * (states - 1) + 2);
        assert!(run.text().starts_with(&header), "{disks}: {header}");

        let find = format!("hanoi.so --model-argument {disks} --find SOLVED --check-model");
        let whole = reach(&scratch, &find).ok();
        // A line for the verdict, and one for each step.
        assert_eq!(whole.text().lines().count(), 1 + 2usize.pow(disks));
        let quotient = reach(&scratch, &format!("{find} --symmetry model")).ok();
        assert_eq!(whole.text(), quotient.text());
    }
}

/// Formulas are decided on the fly, by automata and by games.
#[test]
fn formulas_of_plugins() {
    let scratch = hanoi();
    let check = |formula: &str, more: &[&str]| {
        let model = [
            "hanoi.so",
            "--model-argument",
            "4",
            "--check-model",
            "-f",
            formula,
        ];
        scratch.run("check", &[&model[..], more].concat())
    };
    let run = check("SOME (\"SOLVED\")", &["--diag"]).ok();
    assert_eq!(run.text().lines().count(), 1 + 2usize.pow(4));
    check(
        "exists n:Nat among { 1 ... 2 }. < { SOLVED !n } > true",
        &[],
    )
    .status(1)
    .prints("FALSE\n");
    check("DEADLOCK_FREE", &["--max-states", "5"])
        .status(3)
        .prints("UNKNOWN\n");
    let symmetric = ["--symmetry", "model"];
    check("DEADLOCK_FREE", &symmetric).ok().prints("TRUE\n");
    // A representative may move labels.
    check("INEVITABLE (\"SOLVED\")", &symmetric)
        .status(2)
        .says("formula 1: `not \"SOLVED\"` is about labels, which --symmetry model may exchange")
        .prints("");
    scratch.write("solved.seq", "\"SOLVED\"\n");
    scratch
        .run(
            "reach",
            &[
                "--find-sequence",
                "solved.seq",
                "hanoi.so",
                "--symmetry",
                "model",
            ],
        )
        .status(2)
        .says("--find-sequence and --symmetry cannot be had at once");
    scratch
        .run("refine", &["hanoi.so", "hanoi.so", "--symmetry", "model"])
        .status(2)
        .says("--symmetry model may exchange labels, which refinement compares");
}

/// A plugin says itself what is symmetric.
#[test]
fn types_of_values_are_for_networks() {
    let scratch = hanoi();
    for which in ["auto", "Peg=A,B", "net.sym"] {
        reach(&scratch, &format!("hanoi.so --symmetry {which}"))
            .status(2)
            .says("--symmetry with types or auto is for networks (.exp), and hanoi.so is none")
            .prints("");
    }
    reach(
        &scratch,
        "hanoi.so --symmetry model --representatives exact",
    )
    .status(2)
    .says("--representatives is for networks: a model plugin chooses its own")
    .prints("");
}

#[test]
fn representatives_are_bisimilar_to_the_whole() {
    let scratch = hanoi();
    let arguments = "--model-argument 5 --check-model -j 2";
    reach(&scratch, &format!("hanoi.so {arguments} -o whole.aut")).ok();
    let symmetric = format!("hanoi.so {arguments} --symmetry model -o orbits.aut");
    reach(&scratch, &symmetric).ok();
    let header = |name: &str| scratch.read(name).lines().next().unwrap().to_owned();
    assert_eq!(header("whole.aut"), "des (0, 728, 243)");
    assert!(header("orbits.aut").ends_with(", 122)"));
    scratch
        .run("equiv", &["whole.aut", "orbits.aut"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn plugins_are_told_by_their_name() {
    let scratch = hanoi();
    let first = |run: Run| run.text().lines().next().unwrap().to_owned();
    let absolute = scratch.path("hanoi.so").display().to_string();
    assert_eq!(first(reach(&scratch, &absolute).ok()), "des (0, 80, 27)");
    fs::copy(scratch.path("hanoi.so"), scratch.path("hanoi")).unwrap();
    let named = reach(&scratch, "--from model hanoi").ok();
    assert_eq!(first(named), "des (0, 80, 27)");
    scratch
        .run(
            "refine",
            &["--from", "model", "--semantics", "T", "hanoi", "hanoi"],
        )
        .ok()
        .prints("TRUE\n");
    scratch.write("text.so", "des (0, 0, 1)\n");
    reach(&scratch, "text.so")
        .status(2)
        .says("reach: error: text.so: cannot be loaded: ");
    reach(&scratch, "--from aut text.so")
        .ok()
        .prints("des (0, 0, 1)\n");
    reach(&scratch, "none.so")
        .status(2)
        .says("cannot read none.so: No such file or directory");
    fs::create_dir(scratch.path("directory.so")).unwrap();
    reach(&scratch, "directory.so").status(2).says("irectory");
    // An object that is cut off is refused, wherever, unless all that is needed
    // is there.
    let whole = fs::read(scratch.path("hanoi.so")).unwrap();
    let mut refused = 0;
    for length in (4..whole.len()).step_by(193) {
        scratch.write("cut.so", &whole[..length]);
        let run = reach(&scratch, "cut.so");
        if run.status.success() {
            run.ok();
        } else {
            run.status(2).says("cut.so: cannot be loaded: ");
            refused += 1;
        }
    }
    assert!(refused > 20);
    // Nothing is waited for, nor read without end.
    let special = "mkfifo pipe.so && ln -s /dev/zero zero.so && ln -s /dev/null null.so";
    scratch.shell(special).ok();
    for file in ["pipe.so", "zero.so", "null.so"] {
        reach(&scratch, file)
            .status(2)
            .says(&format!("{file}: cannot be loaded: it is no regular file"));
    }
    // The table of segments may be said to be anywhere.
    let mut far = whole.clone();
    for at in [0x20, 0x28] {
        far[at..at + 8].copy_from_slice(&(u64::MAX - 64).to_ne_bytes());
    }
    scratch.write("far.so", far);
    reach(&scratch, "far.so")
        .status(2)
        .says("far.so: cannot be loaded: the file is cut off");
    // A program is no plugin.
    fs::copy(util::binary("reach"), scratch.path("program.so")).unwrap();
    reach(&scratch, "program.so")
        .status(2)
        .says("program.so: cannot be loaded: ");
}

/// Whatever a file holds that is read as data, nothing of it is run.
#[test]
fn a_data_file_runs_no_code() {
    let scratch = Scratch::with_vending();
    // It leaves a mark as soon as it is loaded.
    let source = r#"
        #include <fcntl.h>
        __attribute__((constructor)) static void loaded(void) { creat("mark", 0600); }
    "#;
    let source = scratch.write("loaded.c", source);
    build(&scratch, source.to_str().unwrap(), "loaded.so");
    reach(&scratch, "loaded.so")
        .status(2)
        .says("loaded.so: no model");
    assert!(scratch.path("mark").exists(), "the test would show nothing");
    fs::remove_file(scratch.path("mark")).unwrap();
    let told = "a shared object, not an LTS: only `check`, `reach` and `refine` load models, and only if \
                the name ends in .so or with --from model, as that runs their code";
    for name in ["loaded", "loaded.aut", "loaded.exe", "loaded.so.bcg"] {
        fs::copy(scratch.path("loaded.so"), scratch.path(name)).unwrap();
    }
    scratch.shell("gzip -k < loaded.so > loaded.gz").ok();
    let nothing_ran = |what: &str| assert!(!scratch.path("mark").exists(), "{what}");
    for file in [
        "loaded",
        "loaded.aut",
        "loaded.exe",
        "loaded.so.bcg",
        "loaded.gz",
    ] {
        for command in util::FILTERS {
            scratch
                .run(command, &[file])
                .status(2)
                .says(told)
                .prints("");
            nothing_ran(command);
        }
        for command in ["equiv", "refine"] {
            for files in [[file, "vending.aut"], ["vending.aut", file]] {
                scratch.run(command, &files).status(2).says(told).prints("");
                nothing_ran(command);
            }
        }
        scratch.run("hyades", &["reach", file]).status(2).says(told);
        nothing_ran("hyades");
    }
    // Only those that explore load anything, and standard input is no name.
    for command in ["transcode", "minimize", "describe", "relabel"] {
        scratch.run(command, &["loaded.so"]).status(2).says(told);
        let run = scratch.run(command, &["--from", "model", "loaded.so"]);
        run.status(2)
            .says("only `check`, `reach` and `refine` load models");
        nothing_ran(command);
    }
    for command in [
        "reach < loaded.so",
        "reach /dev/stdin < loaded.so",
        "cat loaded.so | reach",
        "refine /dev/stdin vending.aut < loaded.so",
        "hyades reach /dev/stdin < loaded.so",
    ] {
        scratch.shell(command).status(2).says(told);
        nothing_ran(command);
    }
    let run = scratch.shell("reach --from model < loaded.so");
    run.status(2).says("a model is loaded from a file");
    let run = scratch.run("reach", &["--from", "model", "--expression", "vending"]);
    run.status(2).says("--from model is for an INPUT");
    // Nor do texts, whatever their names tell, and those on the side.
    for name in ["loaded.exp", "loaded.toml", "loaded.seq", "loaded.so.1"] {
        fs::copy(scratch.path("loaded.so"), scratch.path(name)).unwrap();
        for command in ["reach", "refine"] {
            let files = [name, "vending.aut"];
            let count = if command == "reach" { 1 } else { 2 };
            let run = scratch.run(command, &files[..count]);
            run.status(2).says(&format!("{name}: {told}")).prints("");
            nothing_ran(name);
        }
        scratch.run("reduce", &[name]).status(2).says(told);
    }
    for from in ["aut", "exp", "bcg", "dot"] {
        let run = scratch.run("describe", &["--from", from, "loaded.exe"]);
        run.status(2).says(told);
    }
    let text = "loaded: a shared object; expected a text";
    scratch.write("mealy.aut", "des (0, 1, 1)\n(0, \"a/0\", 0)\n");
    for line in [
        "relabel --hide loaded vending.aut",
        "relabel --rename loaded vending.aut",
        "kernel --pattern loaded vending.aut",
        "wmethod --suite loaded mealy.aut",
        "reach --symmetry loaded --expression '\"vending.aut\"'",
    ] {
        scratch.shell(line).status(2).says(text);
        nothing_ran(line);
    }
    // A packed one cannot be loaded as it is.
    scratch.shell("gzip -k < loaded.so > loaded.so.gz").ok();
    reach(&scratch, "loaded.so.gz")
        .status(2)
        .says(told)
        .says("; it is gzip data: unpack it first");
    reach(&scratch, "--from model loaded.so.gz")
        .status(2)
        .says("loaded.so.gz: cannot be loaded: it is gzip data: unpack it first");
    nothing_ran("packed");
    // Nor does what a file names as its components, and there is no way to have it.
    let told = "a shared object, not an LTS or a text: a file that another one names is never \
                loaded, as that would run its code";
    for component in ["loaded", "loaded.so", "loaded.aut", "./loaded.so"] {
        scratch.write("net.exp", format!("\"{component}\" ||| \"vending.aut\"\n"));
        scratch.run("reach", &["net.exp"]).status(2).says(told);
        nothing_ran(component);
        let system = format!(
            "format = \"csm-system-1\"\n[[component]]\nname = \"M\"\nfile = \"{component}\"\n"
        );
        scratch.write("net.toml", system);
        scratch.run("reach", &["net.toml"]).status(2).says(told);
        nothing_ran(component);
    }
    scratch.write(
        "net.exp",
        "hide using \"loaded\" in \"vending.aut\" end hide\n",
    );
    scratch.run("reach", &["net.exp"]).status(2).says(told);
}

#[test]
fn options_of_plugins_need_a_plugin() {
    let scratch = Scratch::with_vending();
    for option in ["--model-argument x", "--check-model", "--symmetry model"] {
        reach(&scratch, &format!("vending.aut {option}"))
            .status(2)
            .says(&format!(
                "{} is for model plugins (.so), and vending.aut is none",
                option.trim_end_matches(" x")
            ));
    }
    build(&scratch, "examples/c/hanoi.c", "hanoi.so");
    reach(&scratch, "hanoi.so --livelock --init s --grow")
        .status(0)
        .says("--init has no effect: it is for reading dot, not a model plugin")
        .says("--grow has no effect");
    reach(&scratch, "hanoi.so --livelock --strict")
        .status(0)
        .says("--strict has no effect: it is for reading aut, fsm,");
    for option in ["--hidden SOLVED", "--lenient"] {
        let name = option.trim_end_matches(" SOLVED");
        reach(&scratch, &format!("hanoi.so --livelock {option}"))
            .status(0)
            .says(&format!(
                "{name} has no effect: it is for reading files, and hanoi.so is a model plugin"
            ))
            .prints("livelock: FALSE\n");
    }
    reach(&scratch, "vending.aut --symmetry network")
        .status(2)
        .says("--symmetry with types or auto is for networks (.exp), and vending.aut is none");
}

#[test]
fn objects_that_are_no_models() {
    let scratch = Scratch::new();
    scratch.write("empty.c", "int nothing;\n");
    build(&scratch, scratch.path("empty.c").to_str().unwrap(), "a.so");
    reach(&scratch, "a.so")
        .status(2)
        .says("a.so: no model: it does not export hyades_model_open (see hyades_model.h)");
    scratch.write(
        "missing.c",
        "void gone(void);\nvoid hyades_model_open(void) { gone(); }\n",
    );
    build(
        &scratch,
        scratch.path("missing.c").to_str().unwrap(),
        "b.so",
    );
    reach(&scratch, "b.so")
        .status(2)
        .says("b.so: cannot be loaded: undefined symbol: gone");
}

#[test]
fn questions_limits_and_outputs() {
    let scratch = hanoi();
    reach(&scratch, "hanoi.so --deadlock --livelock --find NONE")
        .ok()
        .prints("deadlock: FALSE\nlivelock: FALSE\nfind: FALSE\n");
    reach(
        &scratch,
        "hanoi.so --find SOLVED --fail-on found --traces trc",
    )
    .status(1)
    .prints("find: TRUE\nMOVE !0\nMOVE !1\nMOVE !0\nMOVE !2\nMOVE !0\nMOVE !1\nMOVE !0\nSOLVED\n");
    reach(
        &scratch,
        "hanoi.so --deadlock --max-states 10 --model-argument 20",
    )
    .status(3)
    .says("gave up after 10 states")
    .prints("deadlock: UNKNOWN\n");
    reach(
        &scratch,
        "hanoi.so --deadlock --max-memory 40M --model-argument 20 -j 1",
    )
    .status(3)
    .says(" states (--max-memory): ");
    reach(&scratch, "hanoi.so --numbering kept")
        .status(2)
        .says("the states of this model have no numbers: --numbering breadth-first");
    reach(
        &scratch,
        "hanoi.so --deadlock --state-space h.bcg --stats m.json",
    )
    .ok();
    let stats = json(scratch.read("m.json"));
    assert_eq!(stats["inputs"][0]["path"], "hanoi.so");
    assert_eq!(stats["inputs"][0]["format"], "model");
    assert_eq!(stats["states_found"], 27);
    assert_eq!(stats["outputs"][1]["transitions"], 80);
    reach(&scratch, "hanoi.so -o h.aut").ok();
    scratch
        .run("equiv", &["h.aut", "h.bcg"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn the_output_does_not_depend_on_threads() {
    let scratch = hanoi();
    let whole = reach(&scratch, "hanoi.so --model-argument 9 -j 1").ok();
    for threads in [2, 3, 8] {
        let arguments = format!("hanoi.so --model-argument 9 -j {threads} --check-model");
        reach(&scratch, &arguments).ok().prints(whole.text());
    }
}

/// What the plugin does wrong, and what is said about it.
const MISTAKES: [(&str, &str); 62] = [
    ("no-table", "hyades_model_open fails: it gives no reason"),
    ("no-table-at-length", "hyades_model_open fails: xxxx"),
    (
        "version",
        "no model: it is made for version 3 of hyades_model.h, but this is version 2",
    ),
    ("flags", "no model: its flags 0x6 have no meaning"),
    ("reserved", "no model: its field reserved is not 0"),
    (
        "hidden-range",
        "no model: its hidden_label is 2, but there are 2 labels (HYADES_NO_LABEL if none is hidden)",
    ),
    (
        "no-labels",
        "no model: it has 2 labels, but its field labels is null",
    ),
    ("null-label", "no model: label 0 is a null pointer"),
    (
        "long-label",
        "no model: label 1 has more than 1048576 bytes",
    ),
    ("same-labels", "no model: labels 0 and 1 are both `STEP`"),
    (
        "no-size",
        "no model: its state_size is 0; a state has 1 to 1048576 bytes",
    ),
    (
        "huge-size",
        "no model: its state_size is 18446744073709551615;",
    ),
    (
        "size-of-numbers",
        "no model: its states are numbers of 4 bytes (field numbers), but its state_size is 8",
    ),
    ("no-initial", "no model: its function initial is null"),
    ("no-successors", "no model: its function successors is null"),
    ("no-create", "no model: its function create_scratch is null"),
    (
        "no-destroy",
        "no model: its function destroy_scratch is null",
    ),
    (
        "no-was",
        "no model: its function was_truncated is null, and is_truncated is not",
    ),
    (
        "no-symmetry",
        "it has no symmetry: its function representative is null",
    ),
    ("no-scratch", "create_scratch fails: no room"),
    ("initial-fails", "initial fails: nothing to begin with"),
    (
        "initial-beyond",
        "initial writes beyond the 4 bytes of a state",
    ),
    (
        "initial-before",
        "initial writes before the 4 bytes of a state",
    ),
    (
        "initial-far-before",
        "initial writes before the 4 bytes of a state",
    ),
    (
        "initial-far-beyond",
        "initial writes beyond the 4 bytes of a state",
    ),
    (
        "initial-range",
        "initial gives number 10, but there are 10 only",
    ),
    (
        "initial-random",
        "initial gives another state when it is asked again",
    ),
    (
        "fails",
        "successors fails: state \\x1B[7m5 is \\xFF not to my taste\n",
    ),
    ("fails-silently", "successors fails: it gives no reason"),
    ("fails-at-length", "successors fails: xxxx"),
    ("fails-late", "successors fails: too late"),
    (
        "label-range",
        "successors: a transition has label 2, but the table has 2 labels, and 0 were introduced",
    ),
    (
        "label-huge",
        "a transition has label 2147483648, but the table has 2 labels",
    ),
    ("label-none", "a transition has no label (HYADES_NO_LABEL)"),
    (
        "label-null",
        "a label introduced on the fly is a null pointer",
    ),
    (
        "label-long",
        "a label introduced on the fly has more than 1048576 bytes",
    ),
    (
        "label-over",
        "a transition has label 6, but the table has 2 labels, and 0 were introduced in this call",
    ),
    (
        "target-null",
        "the target of a transition is a null pointer",
    ),
    (
        "target-small",
        "the target of a transition has 3 bytes, but a state has 4",
    ),
    (
        "target-empty",
        "the target of a transition has 0 bytes, but a state has 4",
    ),
    (
        "target-large",
        "the target of a transition has 5 bytes, but a state has 4",
    ),
    (
        "target-huge",
        "the target of a transition has 18446744073709551615 bytes",
    ),
    (
        "target-range",
        "the target of a transition is number 10, but there are 10 only",
    ),
    (
        "call-made-up",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "call-zero",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "call-over",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "call-thread",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "calls-at-the-end",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "writes-state",
        "successors writes on the state that it is asked about",
    ),
    (
        "writes-beyond",
        "successors writes on the state that it is asked about",
    ),
    (
        "writes-before",
        "successors writes on the state that it is asked about",
    ),
    (
        "random-target",
        "successors is no function of the state: asked twice, it gives different answers",
    ),
    ("random-label", "successors is no function of the state"),
    ("random-text", "successors is no function of the state"),
    ("random-number", "successors is no function of the state"),
    ("orbit-fails", "representative fails: 5 is alone"),
    (
        "orbit-before",
        "representative writes before the 4 bytes of a state",
    ),
    (
        "orbit-beyond",
        "representative writes beyond the 4 bytes of a state",
    ),
    (
        "orbit-writes-state",
        "representative writes on the state that it is asked about",
    ),
    (
        "orbit-calls",
        "a callback was called for a call of successors that is over, or",
    ),
    (
        "orbit-range",
        "representative gives number 10, but there are 10 only",
    ),
    ("orbit-random", "representative is no function of the state"),
];

#[test]
fn mistakes_are_told() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/misbehave.c", "bad.so");
    for (mode, said) in MISTAKES {
        let symmetry = mode.starts_with("orbit") || mode == "no-symmetry";
        let checked = mode.contains("random");
        let mut arguments = vec!["bad.so", "--model-argument", mode, "-o", "out.aut"];
        if symmetry {
            arguments.extend(["--symmetry", "model"]);
        }
        if checked {
            arguments.push("--check-model");
        }
        for threads in ["1", "2"] {
            arguments.extend(["-j", threads]);
            let run = scratch.run("reach", &arguments).status(2).prints("");
            let head = "reach: error: bad.so: ";
            assert!(
                run.stderr.starts_with(head) && run.stderr.lines().count() == 1,
                "{mode}: {}",
                run.stderr
            );
            run.says(said);
            assert_eq!(scratch.names(), ["bad.so"], "{mode}");
            arguments.truncate(arguments.len() - 2);
        }
    }
    reach(&scratch, "bad.so")
        .status(2)
        .says("hyades_model_open fails: it has an argument");
    for threads in ["1", "2"] {
        let question = "bad.so --model-argument exits --fail-on deadlock -j";
        reach(&scratch, &format!("{question} {threads}"))
            .status(2)
            .prints("")
            .says("error: the model plugin has called exit");
    }
}

#[test]
fn representatives_are_checked_if_that_is_asked() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/misbehave.c", "bad.so");
    for (mode, said) in [
        ("orbit-not-idempotent", "representative is not idempotent"),
        (
            "orbit-no-automorphism",
            "representative is no automorphism: a state has 2 different transitions, 1 hidden, \
             and its representative 1 different transitions, 0 hidden",
        ),
    ] {
        let arguments = format!("bad.so --model-argument {mode} --symmetry model --deadlock");
        reach(&scratch, &arguments).ok();
        reach(&scratch, &format!("{arguments} --check-model"))
            .status(2)
            .says(said);
    }
}

#[test]
fn what_looks_odd_and_is_not() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/misbehave.c", "odd.so");
    let right = reach(&scratch, "odd.so --model-argument nothing").ok();
    assert!(right.text().starts_with("des (0, 15, 10)\n"));
    let one = "odd.so --model-argument one-thread --check-model -j 2";
    reach(&scratch, one).ok().prints(right.text());
    reach(&scratch, "odd.so --model-argument target-unaligned").ok();
    reach(&scratch, "odd.so --model-argument reports --deadlock")
        .status(0)
        .says("0 left, closed\n")
        .prints("deadlock: FALSE\n");
    // An argument may look like an option, or be empty.
    reach(&scratch, "odd.so --model-argument --deadlock").ok();
    scratch
        .run("reach", &["odd.so", "--model-argument", ""])
        .ok();
}

/// What a model leaves out is no deadlock and refutes nothing; a limit of its own is no error.
#[test]
fn what_a_plugin_leaves_out() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/bounded.c", "cut.so");
    let deadlock = reach(&scratch, "cut.so --deadlock").status(3);
    deadlock.prints("deadlock: UNKNOWN\n");
    for more in ["", "--hide-label UP"] {
        let run = reach(&scratch, &format!("cut.so {more}")).status(0);
        run.says("reach: the model leaves states out");
    }
    let formula = |formula: &str, more: &[&str]| {
        let arguments = [&["cut.so", "-f", formula][..], more].concat();
        scratch.run("check", &arguments)
    };
    let twice = "< \"UP\" . \"UP\" > true";
    formula(twice, &[]).ok().prints("TRUE\n");
    for open in ["DEADLOCK_FREE", "< true* . \"DOWN\" > true"] {
        let run = formula(open, &[]).status(3).prints("UNKNOWN\n");
        run.says("the model leaves states out");
    }

    for question in ["--deadlock", "--find DOWN"] {
        let arguments = format!("cut.so --model-argument limit {question}");
        reach(&scratch, &arguments)
            .status(3)
            .says("gave up after 4 states (a limit of the model: no further than 3): 3 of them");
    }
    let limit = ["--model-argument", "limit"];
    formula(twice, &limit).ok().prints("TRUE\n");
    formula("DEADLOCK_FREE", &limit)
        .status(3)
        .says("(a limit of the model)");
}

#[test]
fn what_a_plugin_says_of_a_step() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/bounded.c", "told.so");
    for (argument, room) in [("less", 0), ("all", 5000)] {
        let arguments = format!("told.so --model-argument {argument} --find UP");
        let blank = " ".repeat(room);
        let told = format!("find: TRUE\n\"UP\"\n*** UP{blank}\n*** to 1\\x1B[7m\n");
        reach(&scratch, &arguments).status(0).prints(&told);
    }
}

/// Their table is shorter, and no status of theirs is that of a limit.
#[test]
fn plugins_of_the_first_version() {
    let scratch = Scratch::new();
    build(&scratch, "tests/plugins/bounded.c", "old.so");
    reach(&scratch, "old.so --model-argument old --deadlock")
        .ok()
        .prints("deadlock: TRUE\n\"UP\"\n\"UP\"\n\"UP\"\n<deadlock>\n");
    reach(&scratch, "old.so --model-argument old-limit --deadlock")
        .status(2)
        .says("successors fails: no further than 3");
}
