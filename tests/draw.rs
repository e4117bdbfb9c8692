//! `draw`, run as a user runs it.

use crate::util;

use util::{Scratch, VENDING, json};

/// Labels that mean something in pictures.
const HOSTILE: &str = "des (0,5,4)\n(0,\"</script><script>x\",1)\n(0,\"]]>\",2)\n\
    (1,\"a & 'b' <c>\",0)\n(2,i,3)\n(2,\"<!--\",2)\n";

#[test]
fn formats_by_option_and_ending() {
    let scratch = Scratch::with_vending();
    let svg = scratch.run("draw", &["vending.aut"]).ok();
    assert!(svg.text().starts_with("<svg ") || svg.text().starts_with("<?xml"));
    for (ending, begins) in [
        ("svg", svg.text()),
        ("dot", "digraph"),
        ("html", "<!doctype html>"),
    ] {
        let file = format!("p.{ending}");
        scratch
            .run("draw", &["vending.aut", "-o", &file])
            .ok()
            .prints("");
        let option = scratch.run("draw", &["vending.aut", "--to", ending]).ok();
        assert_eq!(scratch.read(&file), option.text());
        assert!(option.text().starts_with(begins), "{ending}");
    }
    scratch
        .run("draw", &["vending.aut", "-o", "p.png"])
        .status(2);
    scratch
        .run("draw", &["vending.aut", "-o", "p.aut"])
        .status(2)
        .says("transcode");
    scratch
        .run("draw", &["vending.aut", "--to", "png"])
        .status(2);
    assert_eq!(scratch.names(), ["p.dot", "p.html", "p.svg", "vending.aut"]);
}

/// Where labels have no room, that is told, and so is what is not folded.
#[test]
fn what_is_left_out_is_told() {
    let scratch = Scratch::new();
    let mut text = "des (0, 90, 10)\n".to_owned();
    for (source, target) in (0..10).flat_map(|s| (0..10).map(move |t| (s, t))) {
        if source != target {
            text += &format!("({source}, \"a long label {source} {target}\", {target})\n");
        }
    }
    scratch.write("k.aut", text);
    let run = scratch.run("draw", &["k.aut", "--layout", "force", "--to", "json"]);
    let run = run
        .status(0)
        .says("have no room, and stand in tooltips only");
    let scene = json(run.text());
    let edges = scene["edges"].as_array().expect("edges");
    let left = edges
        .iter()
        .filter(|edge| edge["text_at"].is_null())
        .count();
    run.says(&format!("the labels of {left} edges have no room"));
    // Five loops have room.
    scratch.write(
        "loops.aut",
        "des (0, 5, 5)\n".to_owned()
            + &(0..5)
                .map(|s| format!("({s}, \"a loop\", {s})\n"))
                .collect::<String>(),
    );
    let run = scratch
        .run("draw", &["loops.aut", "--layout", "force"])
        .ok();
    assert_eq!(run.text().matches(">a loop<").count(), 5);
    scratch.write("c.txt", "0: 0\n1: 1 2 3 4\n");
    let words = [
        "loops.aut",
        "--classes",
        "c.txt",
        "--fold",
        "--layout",
        "clusters",
    ];
    scratch
        .run("draw", &words)
        .status(0)
        .says("classes are not folded");
}

/// What has no room at an edge stands in tooltips; nothing has no room for nothing.
#[test]
fn tooltips_have_all_labels() {
    let scratch = Scratch::new();
    let labels = ["a", "b", "c", "d", "e", "f", "g"];
    let lines = labels.map(|label| format!("(0, {label}, 1)\n"));
    let long = "(1, \"a label that is far too long for three lines of twenty-four letters each, and \
                goes on\", 0)\n";
    let text = format!("des (0, 9, 3)\n{}{long}(1, \"\", 2)\n", lines.concat());
    scratch.write("n.aut", text);
    for to in ["svg", "dot"] {
        let run = scratch.run("draw", &["n.aut", "--to", to]).ok();
        assert!(run.text().contains("a, b, c, d, e, f, g"), "{}", run.text());
        assert!(run.text().contains("each, and goes on"), "{}", run.text());
    }
    // A picture does not take the place of what it shows.
    scratch.run("transcode", &["n.aut", "-o", "n.dot"]).ok();
    let before = scratch.read("n.dot");
    let run = scratch.run("draw", &["n.dot", "-o", "n.dot"]).status(2);
    run.says("n.dot would replace n.dot");
    assert_eq!(scratch.read("n.dot"), before);
}

/// Where groups do not show that some states cannot be reached, it is told.
#[test]
fn what_cannot_be_reached_is_told() {
    let scratch = Scratch::new();
    scratch.write("two.aut", "des (0,3,5)\n(0,a,1)\n(2,b,3)\n(3,b,4)\n");
    scratch.write("c.txt", "0: 0 1\n1: 2 3 4\n");
    let told = "3 states cannot be reached from the initial one";
    for options in [
        &["--layout", "clusters"][..],
        &["--classes", "c.txt", "--fold"],
    ] {
        let run = scratch.run("draw", &[&["two.aut"], options].concat());
        assert!(
            run.status(0).says(told).text().contains(told),
            "{options:?}"
        );
    }
    let run = scratch.run("draw", &["two.aut"]).ok();
    assert!(!run.text().contains("cannot be reached"));
    scratch.write("all.aut", "des (0,1,2)\n(0,a,1)\n");
    let run = scratch
        .run("draw", &["all.aut", "--layout", "clusters"])
        .status(0);
    assert!(!run.text().contains("cannot be reached"));
}

#[test]
fn all_states_and_transitions_are_there() {
    let scratch = Scratch::with_vending();
    let run = scratch.run("draw", &["vending.aut", "--to", "json"]).ok();
    let scene = json(run.text());
    let nodes = scene["nodes"].as_array().expect("nodes");
    let mut states: Vec<u64> = nodes
        .iter()
        .map(|n| n["state"].as_u64().expect("a state"))
        .collect();
    states.sort_unstable();
    assert_eq!(states, (0..8).collect::<Vec<_>>());
    let marked = |mark: &str| {
        let marked = nodes.iter().filter(|node| node[mark] == true);
        marked
            .map(|node| node["state"].as_u64().expect("a state"))
            .collect::<Vec<_>>()
    };
    assert_eq!(marked("initial"), [0]);
    let mut deadlocks = marked("deadlock");
    deadlocks.sort_unstable();
    assert_eq!(deadlocks, [4, 5]);
    // The picture for people has the texts of all of them.
    let svg = scratch.run("draw", &["vending.aut"]).ok();
    for text in ["COIN !1", "TEA", "COFFEE", "REFUND !2"] {
        assert!(svg.text().contains(text), "{text}");
    }
}

#[test]
fn texts_do_no_harm() {
    let scratch = Scratch::new();
    scratch.write("h.aut", HOSTILE);
    let svg = scratch.run("draw", &["h.aut"]).ok();
    assert!(!svg.text().contains("<script"));
    assert!(svg.text().contains("&lt;/script&gt;"));
    let page = scratch.run("draw", &["h.aut", "--to", "html"]).ok();
    assert_eq!(
        page.text().matches("<script").count(),
        page.text().matches("</script>").count()
    );
    assert!(!page.text().contains("</script><script>x"));
    for word in ["http://", "https://"] {
        let rest = page.text().replace("http://www.w3.org/", "");
        assert!(!rest.contains(word), "{word}");
    }
}

#[test]
fn the_same_bytes_for_every_number_of_threads() {
    let scratch = Scratch::new();
    for (name, size) in [
        ("layers", ["60", "120"]),
        ("forces", ["900", "2000"]),
        ("groups", ["9000", "12000"]),
    ] {
        let system = scratch.run("generate", &["random", size[0], size[1]]).ok();
        scratch.write("r.aut", system.text());
        let one = scratch.run("draw", &["-q", "-j", "1", "r.aut"]).ok();
        let two = scratch.run("draw", &["-q", "-j", "2", "r.aut"]).ok();
        assert_eq!(one.text(), two.text(), "{name}");
        assert!(
            !one.text().contains("NaN") && !one.text().contains("inf"),
            "{name}"
        );
    }
}

#[test]
fn odd_systems_are_drawn() {
    let scratch = Scratch::new();
    let chain: String = (0..400).map(|s| format!("({s},a,{})\n", s + 1)).collect();
    for text in [
        "des (0,0,1)\n".to_owned(),
        "des (0,1,1)\n(0,a,0)\n".into(),
        "des (1,2,3)\n(0,i,0)\n(0,i,0)\n".into(),
        format!("des (0,400,401)\n{chain}"),
    ] {
        for layout in ["layered", "force", "clusters"] {
            let options = ["-q", "--layout", layout];
            let run = scratch.feed("draw", &options, &*text).ok();
            assert!(run.text().trim_end().ends_with("</svg>"), "{layout}");
        }
    }
}

#[test]
fn what_was_found_is_marked() {
    let scratch = Scratch::with_vending();
    scratch.write("late.aut", include_str!("../testdata/late.aut"));
    scratch.write("early.aut", include_str!("../testdata/early.aut"));
    scratch
        .run("equiv", &["late.aut", "early.aut", "-o", "d.aut"])
        .status(1);
    scratch
        .run(
            "check",
            &["-f", "[true*]<true>true", "vending.aut", "-o", "e.seq"],
        )
        .status(1);
    for (options, file) in [
        (["--difference", "d.aut"], "late.aut"),
        (["--trace", "e.seq"], "vending.aut"),
        (["--evidence", "e.seq"], "vending.aut"),
    ] {
        let plain = scratch.run("draw", &[file]).ok();
        for format in ["svg", "dot", "html"] {
            scratch
                .run("draw", &[options[0], options[1], file, "--to", format])
                .status(0);
        }
        let marked = scratch
            .run("draw", &[options[0], options[1], file])
            .status(0);
        assert_ne!(marked.text(), plain.text(), "{options:?}");
    }
    let run = scratch
        .run(
            "minimize",
            &["-e", "branching", "--classes", "c.txt", "vending.aut"],
        )
        .ok();
    assert!(run.text().starts_with("des "));
    for fold in [
        &["--classes", "c.txt"][..],
        &["--classes", "c.txt", "--fold"],
    ] {
        let options = [fold, &["vending.aut"]].concat();
        scratch.run("draw", &options).status(0);
    }
    for relation in ["sharp", "divsharp"] {
        let says = format!("minimize -e {relation} --strong-labels FILE");
        let words = ["-e", relation, "vending.aut"];
        let run = scratch.run("draw", &words).status(2);
        run.says(&says).prints("");
    }
    let quotient = scratch
        .run("draw", &["-e", "branching", "vending.aut", "--to", "json"])
        .ok();
    assert_eq!(
        json(quotient.text())["nodes"].as_array().map(Vec::len),
        Some(4)
    );
}

#[test]
fn machines_and_networks() {
    let scratch = Scratch::new();
    scratch.write("toggle.aut", util::TOGGLE);
    let run = scratch.run("draw", &["--mealy", "toggle.aut"]).ok();
    assert!(run.text().contains("a / 0"), "{}", run.text());
    scratch.write("buffer.aut", "des (0,2,2)\n(0,IN,1)\n(1,OUT,0)\n");
    scratch.write("net.exp", "\"buffer.aut\" |[OUT]| \"buffer.aut\"\n");
    let run = scratch.run("draw", &["net.exp"]).ok();
    for text in ["buffer", "OUT"] {
        assert!(run.text().contains(text), "{text}");
    }
    scratch
        .run("draw", &["--layout", "force", "net.exp"])
        .status(2)
        .says("reach");
    scratch.write("t.seq", "\"a/0\"\n");
    scratch
        .run("draw", &["--moore", "--trace", "t.seq", "toggle.aut"])
        .status(2);
}

#[test]
fn states_bear_their_names() {
    let scratch = Scratch::new();
    let dot = "digraph g { __start0 [label=\"\", shape=none]; __start0 -> s0;\n\
        s0 [label=\"idle\"]; s1 [label=\"waiting for the answer of the other side\"];\n\
        s0 -> s1 [label=\"a / x\"]; s1 -> s0 [label=\"a / y\"]; }\n";
    scratch.write("m.dot", dot);
    for options in [&["m.dot"][..], &["--mealy", "m.dot"]] {
        let svg = scratch.run("draw", options).ok();
        assert!(svg.text().contains(">idle<"), "{}", svg.text());
        assert!(svg.text().contains(">waiting for the answer<"));
        let whole = "state 1: waiting for the answer of the other side";
        assert!(svg.text().contains(whole));
    }
    let fsm = "n(2) Nat \"0\" \"7\"\n---\n0\n1\n---\n1 2 \"up\"\n";
    scratch.write("c.fsm", fsm);
    let svg = scratch.run("draw", &["c.fsm"]).ok();
    assert!(svg.text().contains(">n=0<") && svg.text().contains(">n=7<"));
    let dfa = "digraph g { __start0 [label=\"\", shape=none]; __start0 -> q0;\n\
        q0 [label=\"even\"]; q1 [label=\"odd\", shape=doublecircle];\n\
        q0 -> q1 [label=\"a\"]; q1 -> q0 [label=\"a\"]; }\n";
    scratch.write("d.dot", dfa);
    let svg = scratch.run("draw", &["--dfa", "d.dot"]).ok();
    assert!(svg.text().contains(">even<") && svg.text().contains(">odd<"));
    assert!(svg.text().contains("double circles: accepting states"));
    let moore = dot
        .replace("idle", "idle / on")
        .replace("side", "side / off");
    let moore = moore.replace("a / x", "a").replace("a / y", "a");
    scratch.write("o.dot", moore);
    let svg = scratch.run("draw", &["--moore", "o.dot"]).ok();
    assert!(svg.text().contains(">idle / on<"), "{}", svg.text());
}

#[test]
fn bad_input_leaves_nothing() {
    let scratch = Scratch::with_vending();
    scratch.write("bad.aut", "des (0,1,");
    for wrong in [
        vec!["bad.aut", "-o", "p.svg"],
        vec!["none.aut", "-o", "p.svg"],
        vec!["vending.aut", "-o", "none/p.svg"],
        vec!["vending.aut", "--trace", "none.seq", "-o", "p.svg"],
        vec!["vending.aut", "--classes", "bad.aut", "-o", "p.svg"],
        vec!["vending.aut", "--layout", "round"],
        vec!["-", "--trace", "-"],
    ] {
        scratch.run("draw", &wrong).status(2).prints("");
        assert_eq!(scratch.names(), ["bad.aut", "vending.aut"], "{wrong:?}");
    }
    scratch.feed("draw", &["-o", "p.svg"], "").status(2);
    assert_eq!(scratch.read("vending.aut"), VENDING);
}

/// A trace may ask for a deadlock at its end, which is told where there is none.
#[test]
fn traces_end_in_deadlocks() {
    let scratch = Scratch::with_vending();
    scratch.write("end.seq", "\"COIN !1\"\n\"COIN !1\"\n\"i\"\n<deadlock>\n");
    scratch.write("on.seq", "\"COIN !1\"\n<deadlock>\n");
    scratch.write("two.seq", "\"COIN !1\"\n\"TEA\"\n<deadlock>\n");
    scratch.write("none.seq", "\"MONEY\"\n<deadlock>\n");
    let traces = |file: &str| {
        let options = ["--trace", file, "vending.aut", "--to", "json"];
        let run = scratch.run("draw", &options).status(0);
        let scene = json(run.text());
        let marked = scene["nodes"].as_array().expect("nodes").iter();
        let marked = marked.filter(|node| node["highlighted"] == true).count();
        (scene["traces"][0].clone(), marked, run.stderr)
    };
    let (trace, marked, said) = traces("end.seq");
    assert_eq!(
        (&trace["possible"], &trace["deadlock"]),
        (&true.into(), &true.into())
    );
    assert!(marked >= 4 && !said.contains("possible"), "{marked} {said}");
    let (trace, _, said) = traces("on.seq");
    assert_eq!(trace["possible"], false);
    assert!(
        said.contains("on.seq: after 1 step there is no <deadlock>"),
        "{said}"
    );
    let (_, _, said) = traces("two.seq");
    assert!(
        said.contains("two.seq: after 2 steps there is no <deadlock>"),
        "{said}"
    );
    let (_, _, said) = traces("none.seq");
    assert!(
        said.contains("none.seq: step 1, `MONEY`, is not possible"),
        "{said}"
    );
}

/// Each sequence of a file is a trace of its own, known by its number.
#[test]
fn sequences_are_traces() {
    let scratch = Scratch::with_vending();
    let words = ["-q", "--deadlock", "--find", "TEA", "vending.aut"];
    let found = scratch.run("reach", &words).ok().text().to_owned();
    scratch.write("two.seq", found + "[]\n\"COIN !1\"\n\"MILK\"\n");
    let words = ["--trace", "two.seq", "vending.aut", "--to", "json"];
    let run = scratch.run("draw", &words).status(0);
    let scene = json(run.text());
    let traces = scene["traces"].as_array().expect("traces").iter();
    let told: Vec<_> = traces
        .map(|trace| {
            let steps = trace["steps"].as_array().map(Vec::len);
            (&trace["name"], steps, &trace["possible"])
        })
        .collect();
    let [first, second, third] = [1, 2, 3].map(|k| format!("two.seq: sequence {k}").into());
    let (yes, no) = (true.into(), false.into());
    assert_eq!(
        told,
        [
            (&first, Some(3), &yes),
            (&second, Some(2), &yes),
            (&third, Some(2), &no)
        ]
    );
    let run = run.says("two.seq: sequence 3: step 2, `MILK`, is not possible");
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    // One that is chosen is the only one.
    let words = [&words[..], &["--seqno", "3"]].concat();
    let run = scratch.run("draw", &words).status(0);
    assert_eq!(json(run.text())["traces"][0]["name"], "two.seq");
    run.says("two.seq: step 2, `MILK`, is not possible");
    // Of many, few are told one by one.
    scratch.write("many.seq", "\"MILK\"\n[]\n".repeat(12));
    let words = ["--trace", "many.seq", "vending.aut", "--to", "json"];
    let run = scratch.run("draw", &words).status(0);
    let run = run
        .says("many.seq: sequence 10: step 1")
        .says("many.seq: 2 more of 12 sequences are not possible");
    assert_eq!(run.stderr.lines().count(), 11, "{}", run.stderr);
}

/// Several of them may begin in the same way.
#[test]
fn sequences_of_a_machine_are_replayed() {
    let scratch = Scratch::new();
    scratch.write("m.aut", "des (0,2,2)\n(0,\"a/0\",1)\n(1,\"a/1\",0)\n");
    scratch.write("two.seq", "\"a/0\"\n\"a/1\"\n[]\n\"a/0\"\n");
    let words = ["--mealy", "m.aut", "--trace", "two.seq", "--to", "json"];
    let run = scratch.run("draw", &words).status(0);
    assert_eq!(json(run.text())["traces"].as_array().unwrap().len(), 2);
    // Which of them is read is no question of the machine's format.
    let run = scratch.run("draw", &[&words[..], &["--seqno", "2"]].concat());
    let run = run.status(0);
    assert_eq!(json(run.text())["traces"].as_array().unwrap().len(), 1);
    assert_eq!(run.stderr, "");
}

/// Of a file beside the input, nothing but its name and content tells what it is.
#[test]
fn files_beside_the_input_are_told_what_they_have_to_be() {
    let scratch = Scratch::with_vending();
    scratch.write("steps", "COIN !1\nTEA\n");
    scratch.write("steps.trc", "COIN !1\nTEA\n");
    scratch.write("formula.mcf", "<true>true\n");
    let draw = |option, file| scratch.run("draw", &[option, file, "vending.aut", "-o", "x.svg"]);
    for option in ["--trace", "--evidence", "--difference"] {
        let run = draw(option, "steps").status(2);
        let run =
            run.says("steps: neither content nor ending tells the format: give it the ending");
        assert!(!run.stderr.contains("--from"), "{}", run.stderr);
        let says = "formula.mcf: formulas are not drawn: expected an LTS or a trace";
        draw(option, "formula.mcf").status(2).says(says);
    }
    draw("--trace", "steps.trc").status(0);
}

/// A layout that is advised is one that takes so many states.
#[test]
fn other_layouts_are_those_that_take_it() {
    let scratch = Scratch::new();
    let chain = |states: &str| {
        let words = ["chain", states, "-o", "chain.aut"];
        scratch.run("generate", &words).ok();
        let words = ["--layout", "layered", "chain.aut", "-o", "x.svg"];
        scratch.run("draw", &words).status(2)
    };
    chain("100000").says("too many states and edges for layers: --layout clusters");
}

/// The empty label can be seen, and what it is read from the data.
#[test]
fn empty_labels_are_written() {
    let scratch = Scratch::new();
    scratch.write("e.aut", "des (0, 2, 2)\n(0, \"\", 1)\n(1, i, 0)\n");
    scratch.write("e.seq", "\"\"\n");
    let draw = |to: &str| {
        let words = ["-q", "e.aut", "--trace", "e.seq", "--to", to];
        scratch.run("draw", &words).ok().text().to_owned()
    };
    assert!(
        draw("svg").contains(">&quot;&quot;</text>"),
        "{}",
        draw("svg")
    );
    assert!(draw("dot").contains(r#"[label="\"\"""#), "{}", draw("dot"));
    let scene = json(draw("json"));
    let label = json(r#"{"text": "\"\"", "bytes": []}"#);
    assert_eq!(scene["labels"][0], label);
    assert_eq!(scene["traces"][0]["steps"][0]["text"], label["text"]);
}

#[test]
fn pictures_say_what_they_are_of() {
    let scratch = Scratch::with_vending();
    let dot = |options: &[&str]| {
        let run = scratch.run("draw", &[&["-q", "--to", "dot"], options].concat());
        run.ok().text().to_owned()
    };
    let quotient = dot(&["vending.aut", "-e", "branching"]);
    assert!(quotient.starts_with("digraph \"vending.aut, quotient by branching\""));
    // Graphviz reads entities, and what it reads is the label.
    scratch.write("and.aut", "des (0, 1, 2)\n(0, \"a&b\", 1)\n");
    assert!(dot(&["and.aut"]).contains("[label=\"a&amp;b\"]"));
    // A part of something else.
    scratch.write("other.aut", "des (0, 2, 2)\n(0, OTHER, 1)\n(0, OTHER, 0)\n");
    let words = ["vending.aut", "--evidence", "other.aut", "-o", "x.svg"];
    let run = scratch.run("draw", &words).status(0);
    run.says("other.aut: no transition from its initial state on is one of vending.aut");
}

/// Names of nodes that read like numbers, and are those of others here.
#[test]
fn names_are_those_of_the_file() {
    let scratch = Scratch::new();
    let mealy = |order: &str| {
        format!(
            "digraph g {{\n{order}s0 -> s1 [label=\"a/x\"];\ns1 -> s2 [label=\"b/y\"];\ns2 -> s0 [label=\"c/x\"];\n}}\n"
        )
    };
    scratch.write("plain.dot", mealy("s0; s1; s2;\n"));
    scratch.write(
        "other.dot",
        mealy("s0 [label=\"s0\"]; s2 [label=\"s2\"]; s1 [label=\"s1\"];\n"),
    );
    for (file, names) in [
        ("plain.dot", ["0", "1", "2"]),
        ("other.dot", ["s0", "s1", "s2"]),
    ] {
        let run = scratch
            .run("draw", &["-q", "--mealy", file, "--to", "json"])
            .ok();
        let scene = json(run.text());
        let name = |node: &serde_json::Value| {
            let node = &scene["nodes"][node.as_u64().unwrap() as usize];
            node["lines"][0].as_str().unwrap().to_owned()
        };
        let label = |edge: &serde_json::Value| {
            let label = edge["labels"][0].as_u64().unwrap() as usize;
            scene["labels"][label]["text"].as_str().unwrap().to_owned()
        };
        let edges = scene["edges"].as_array().unwrap().iter();
        let mut edges: Vec<[String; 3]> = edges
            .map(|edge| [name(&edge["source"]), label(edge), name(&edge["target"])])
            .collect();
        edges.sort();
        let [a, b, c] = names;
        let expected = [[a, "a / x", b], [b, "b / y", c], [c, "c / x", a]];
        assert_eq!(edges, expected, "{file}");
    }
}

/// Of labels at one edge those are marked that are in the part; and nothing is said of inputs
/// that a trace of a machine leaves out.
#[test]
fn labels_of_one_edge_are_marked_by_themselves() {
    let scratch = Scratch::new();
    scratch.write(
        "m.aut",
        "des (0, 3, 2)\n(0, \"b/x\", 1)\n(0, \"a/y\", 1)\n(1, \"a/x\", 0)\n",
    );
    scratch.write("t.aut", "des (0, 2, 3)\n(0, \"b/x\", 1)\n(1, \"a/x\", 2)\n");
    let words = ["--mealy", "m.aut", "--trace", "t.aut", "--to", "svg"];
    let run = scratch.run("draw", &words).status(0);
    assert!(!run.stderr.contains("t.aut"), "{}", run.stderr);
    let svg = run.text();
    let line = |text: &str| {
        svg.lines()
            .find(|l| l.contains(&format!(">{text}<")))
            .unwrap()
    };
    assert!(line("b / x").contains("#c2500a"), "{svg}");
    assert!(!line("a / y").contains("#c2500a"), "{svg}");
    assert!(line("a / x").contains("#c2500a"), "{svg}");
}

/// What colour each class has stands below, and the hidden action as the user calls it.
#[test]
fn classes_have_a_legend_and_hidden_steps_a_name() {
    let scratch = Scratch::new();
    let tau = "des (0, 3, 4)\n(0, a, 1)\n(0, tau, 2)\n(2, b, 3)\n";
    scratch.write("t.aut", tau);
    scratch.write("c.txt", "0: 0 2\n7: 1\n9: 3\n");
    let words = ["-q", "t.aut", "--dialect", "mcrl2", "--classes", "c.txt"];
    let svg = scratch.run("draw", &words).ok().text().to_owned();
    for line in [">class 0: 2 states<", ">class 7: 1 state<", ">tau<"] {
        assert!(svg.contains(line), "{line}: {svg}");
    }
    let fills = |color: &str| svg.matches(&format!("fill=\"{color}\"")).count();
    // Those of two states and the legend, and of one and the legend.
    assert_eq!([fills("#c6def5"), fills("#eea1bd")], [3, 2]);
    scratch.write("t.trc", "tau\nb\n");
    let words = [
        "-q",
        "t.aut",
        "--dialect",
        "mcrl2",
        "--trace",
        "t.trc",
        "--to",
        "json",
    ];
    let scene = scratch.run("draw", &words).ok().text().to_owned();
    assert!(
        scene.contains("\"text\":\"tau\"") && !scene.contains("\"text\":\"i\""),
        "{scene}"
    );
    let mut many = String::new();
    for class in 0..14 {
        many += &format!("{class}: {class}\n");
    }
    scratch.write("c.txt", many);
    let chain = ["chain", "14", "-o", "chain.aut"];
    scratch.run("generate", &chain).ok();
    let words = ["-q", "chain.aut", "--classes", "c.txt"];
    let svg = scratch.run("draw", &words).ok().text().to_owned();
    assert!(svg.contains(">and 2 more<"), "{svg}");
}

/// Of many classes a page has those that it shows.
#[test]
fn pages_of_groups_have_the_classes_that_they_show() {
    let scratch = Scratch::new();
    let generate = ["random", "100000", "200000", "-o", "r.aut"];
    scratch.run("generate", &generate).ok();
    let classes = ["r.aut", "--classes", "c", "-o", "m.aut"];
    scratch.run("minimize", &classes).ok();
    let words = ["-q", "r.aut", "--classes", "c", "-o", "r.html"];
    scratch.run("draw", &words).ok();
    assert!(scratch.read("r.html").len() < 500_000);
}

#[test]
fn formats_of_pictures_are_told_alone() {
    let scratch = Scratch::with_vending();
    let help = scratch.run("draw", &["--help"]).ok();
    let (_, of_to) = help.text().split_once("--to <FORMAT>").expect("an option");
    let (of_to, _) = of_to.split_once("\n\n").expect("others follow");
    for format in ["svg", "dot", "html", "json"] {
        assert!(of_to.contains(format), "{of_to}");
        scratch.run("draw", &["--to", format, "vending.aut"]).ok();
    }
    for format in ["aut", "bcg", "graphml"] {
        assert!(!of_to.contains(format), "{of_to}");
    }
}
