//! Networks with fewer interleavings, and composed component by component, by
//! the real binary.

use crate::util;

use util::{Run, Scratch, json};

/// Where the networks are.
fn network(name: &str) -> String {
    format!(
        "{}/testdata/networks/{name}/net.exp",
        env!("CARGO_MANIFEST_DIR")
    )
}

/// Three philosophers without a butler, who may all sit down at once.
fn stubborn_philosophers(scratch: &Scratch) -> &'static str {
    for k in 0..3 {
        let next = (k + 1) % 3;
        let before = (k + 2) % 3;
        scratch.write(
            &format!("phil{k}.aut"),
            format!(
                "des (0,5,5)\n(0,\"GET !{k} !{k}\",1)\n(1,\"GET !{k} !{next}\",2)\n\
                 (2,\"EAT !{k}\",3)\n(3,\"PUT !{k} !{k}\",4)\n(4,\"PUT !{k} !{next}\",0)\n"
            ),
        );
        scratch.write(
            &format!("fork{k}.aut"),
            format!(
                "des (0,4,3)\n(0,\"GET !{k} !{k}\",1)\n(1,\"PUT !{k} !{k}\",0)\n\
                 (0,\"GET !{before} !{k}\",2)\n(2,\"PUT !{before} !{k}\",0)\n"
            ),
        );
    }
    scratch.write(
        "net.exp",
        "gate hide GET, PUT in (phil0 ||| phil1 ||| phil2) |[GET, PUT]| \
         (fork0 ||| fork1 ||| fork2) end hide\n",
    );
    "net.exp"
}

/// The figure of `--stats`.
fn figure(scratch: &Scratch, options: &[&str], name: &str) -> u64 {
    let all = [
        options,
        &["--stats", "stats.json", "--max-states", "1000000"],
    ]
    .concat();
    scratch
        .run("reach", &[&all[..], &["-o", "out.aut"]].concat())
        .ok();
    let stats = json(scratch.read("stats.json"));
    stats[name].as_u64().unwrap_or_else(|| panic!("{stats}"))
}

#[test]
fn results_are_equivalent_and_smaller() {
    let scratch = Scratch::new();
    for name in ["phils_3", "peterson_3", "liststack_2_2_2", "database_4"] {
        let net = network(name);
        scratch.run("reach", &[&net, "-o", "full.aut"]).ok();
        let full = figure(&scratch, &[&net], "states_found");
        for (options, relation) in [
            (&["--por", "branching"][..], "divbranching"),
            (&["--compositional", "-e", "strong"][..], "strong"),
            (
                &["--compositional", "-e", "divbranching"][..],
                "divbranching",
            ),
            (&["--compositional", "-e", "branching"][..], "branching"),
        ] {
            let all = [options, &[&net]].concat();
            let states = figure(&scratch, &all, "states_found");
            assert!(states <= full, "{name} {options:?}");
            scratch
                .run("equiv", &["-e", relation, "full.aut", "out.aut"])
                .ok()
                .prints("TRUE\n");
        }
        for kind in ["deadlock", "weaktrace"] {
            let states = figure(&scratch, &["--por", kind, &net], "states_found");
            assert!(states < full, "{name} {kind}");
        }
    }
}

#[test]
fn both_reductions_go_together() {
    let scratch = Scratch::new();
    let net = network("peterson_3");
    let both = [
        "--compositional",
        "-e",
        "divbranching",
        "--por",
        "branching",
    ];
    let all = [&both[..], &["--max-product", "20", &net]].concat();
    scratch
        .run("reach", &[&all[..], &["-o", "both.aut"]].concat())
        .ok();
    scratch.run("reach", &[&net, "-o", "full.aut"]).ok();
    scratch
        .run("equiv", &["-e", "divbranching", "full.aut", "both.aut"])
        .ok()
        .prints("TRUE\n");
}

#[test]
fn traces_are_those_of_the_network() {
    let scratch = Scratch::new();
    let net = stubborn_philosophers(&scratch);
    scratch.run("reach", &[net, "-o", "full.aut"]).ok();
    for kind in ["deadlock", "weaktrace", "branching"] {
        let run = scratch
            .run("reach", &["--por", kind, "--deadlock", net])
            .ok();
        let text = run.text();
        assert!(text.starts_with("deadlock: TRUE\n\"i\"\n"), "{text}");
        assert!(text.ends_with("<deadlock>\n"), "{text}");
        // Each fork is taken from the left, which the comments show.
        for k in 0..3 {
            let step = format!("*** fork{k} \"GET !{k} !{k}\", 0 to 1\n");
            assert!(text.contains(&step), "{text}");
        }
    }
    let deadlock = |option: &[&str]| -> Run {
        scratch
            .run("reach", &[option, &["--deadlock", net]].concat())
            .ok()
    };
    for relation in ["strong", "divbranching"] {
        let run = deadlock(&["--compositional", "-e", relation]);
        assert!(run.text().starts_with("deadlock: TRUE\n"), "{}", run.text());
    }
    // A butler prevents it.
    let net = network("phils_3");
    for kind in ["deadlock", "weaktrace", "branching"] {
        let run = scratch.run("reach", &["--por", kind, "--deadlock", &net]);
        run.ok().prints("deadlock: FALSE\n");
    }
}

#[test]
fn what_a_reduction_would_change_is_not_answered() {
    let scratch = Scratch::new();
    let net = network("phils_3");
    for (options, text) in [
        ("--por deadlock --find SIT.*", "leaves out labels"),
        ("--por deadlock --livelock", "leaves out hidden cycles"),
        ("--por weaktrace --livelock", "for --livelock use branching"),
        ("--por deadlock --tau-star", "makes other deadlocks"),
        (
            "--por weaktrace --deadlock --cut-label EAT",
            "--cut makes other",
        ),
        ("--por branching --find .*", "explore without --por"),
        (
            "--compositional -e divbranching --find i",
            "matches hidden transitions",
        ),
        (
            "--compositional -e branching --deadlock",
            "use strong, divbranching",
        ),
        (
            "--compositional -e branching --livelock",
            "use strong, divbranching",
        ),
        ("--compositional -e tau*.a", "no congruence"),
        ("--compositional -e sharp", "use strong, which implies it"),
        ("-e branching", "by which --compositional minimises"),
        ("--compositional branching", "the relation is -e RELATION"),
        ("--por persistent", "deadlock, weaktrace, branching"),
        ("--max-product 10", "--compositional"),
    ] {
        let options: Vec<&str> = options.split(' ').chain([&net[..]]).collect();
        scratch.run("reach", &options).status(2).says(text);
    }
    scratch.write("one.aut", "des (0,1,1)\n(0,A,0)\n");
    scratch
        .run("reach", &["--por", "deadlock", "one.aut"])
        .status(2)
        .says("--por is for networks (.exp), and one.aut is none");
    // These are fine.
    for options in [
        "--por weaktrace --find SIT.*",
        "--por weaktrace --tau-star",
        "--por branching --livelock --deadlock --find SIT.*",
        "--compositional -e strong --find .* --deadlock --livelock",
        "--compositional -e divbranching --deadlock --livelock --find SIT.*",
    ] {
        let options: Vec<&str> = options.split(' ').chain([&net[..]]).collect();
        scratch.run("reach", &options).ok();
    }
}

#[test]
fn steps_are_told() {
    let scratch = Scratch::new();
    let net = network("phils_3");
    let told = ["-v", "--stats", "stats.json", "-o", "out.aut"];
    let run = |more: &[&str]| -> Run {
        let all = [
            &["--compositional", "-e", "divbranching"],
            more,
            &told,
            &[&net[..]],
        ]
        .concat();
        scratch.run("reach", &all).status(0)
    };
    run(&[])
        .says("phil_P0 (6) * fork_P0 (3): 10 states, 17 transitions, minimised (divbranching) 9")
        .says("7 components become 1, largest product 72 states");
    let stats = json(scratch.read("stats.json"));
    assert_eq!(stats["largest_product"], 72);
    let steps = stats["compositional"].as_array().unwrap();
    assert_eq!(steps.len(), 13, "{stats}");
    assert_eq!(steps[12]["result"]["states"], 7);
    run(&["--max-product", "30"]).says("more than 30 states, put off");
}

#[test]
fn threads_do_not_matter() {
    let scratch = Scratch::new();
    let net = network("liststack_2_2_2");
    for options in [
        "--por deadlock",
        "--por weaktrace",
        "--por branching",
        "--compositional -e strong",
        "--compositional -e branching",
    ] {
        let options: Vec<&str> = options.split(' ').chain([&net[..], "-j"]).collect();
        let one = scratch.run("reach", &[&options[..], &["1"]].concat()).ok();
        let more = scratch.run("reach", &[&options[..], &["5"]].concat()).ok();
        assert_eq!(one.text(), more.text(), "{options:?}");
    }
}
