//! `describe`, run as a user runs it.

use crate::util;

use util::{Scratch, VENDING, json};

#[test]
fn lines_and_json_have_the_same_names_and_values() {
    let scratch = Scratch::with_vending();
    let text = scratch.run("describe", &["vending.aut"]).ok();
    let object = scratch.run("describe", &["--json", "vending.aut"]).ok();
    let object = json(object.text());
    let pairs: Vec<(&str, &str)> = text
        .text()
        .lines()
        .map(|line| line.split_once(": ").expect("name: value"))
        .collect();
    let names: Vec<&str> = object
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(pairs.iter().map(|p| p.0).collect::<Vec<_>>(), names);
    for (name, value) in pairs {
        assert_eq!(object[name], json(value), "{name}");
    }
    let expected = [
        ("states", 8),
        ("initial", 0),
        ("transitions", 10),
        ("labels", 5),
        ("visible_labels", 4),
        ("hidden_transitions", 3),
        ("deadlocks", 2),
        ("unreachable_states", 2),
        ("min_out_degree", 0),
        ("max_out_degree", 3),
        ("duplicate_transitions", 0),
    ];
    for (name, value) in expected {
        assert_eq!(object[name], value, "{name}");
    }
    assert_eq!(object["avg_out_degree"], 1.25);
    assert_eq!(object["deterministic"], true);
    assert_eq!(object["hidden_cycle"], true);
}

#[test]
fn labels_are_counted() {
    let scratch = Scratch::with_vending();
    let run = scratch.run("describe", &["--labels", "vending.aut"]).ok();
    let lines: Vec<_> = run
        .text()
        .lines()
        .filter(|l| l.contains("label: "))
        .collect();
    assert_eq!(
        lines,
        [
            "hidden_label: 3 i",
            "label: 3 COIN !1",
            "label: 2 TEA",
            "label: 1 COFFEE",
            "label: 1 REFUND !2",
        ]
    );
    let run = scratch
        .run("describe", &["--labels", "--json", "vending.aut"])
        .ok();
    let object = json(run.text());
    assert_eq!(object["label"][1]["text"], "COIN !1");
    assert_eq!(object["label"][1]["transitions"], 3);
    assert_eq!(object["label"].as_array().unwrap().len(), 5);
    assert_eq!(object["label"][0]["hidden"], true);
    assert_eq!(object["label"][1]["hidden"], false);
}

#[test]
fn a_visible_label_is_told_from_the_hidden_one() {
    let scratch = Scratch::new();
    let both = "des (0,3,2)\n(0,i,1)\n(0,tau,1)\n(1,i,0)\n";
    let run = scratch
        .feed("describe", &["--labels", "--hidden", "tau"], both)
        .ok();
    assert!(
        run.text().ends_with("\nhidden_label: 1 i\nlabel: 2 i\n"),
        "{}",
        run.text()
    );
    let run = scratch
        .feed("describe", &["--labels", "--json", "--hidden", "tau"], both)
        .ok();
    assert_eq!(
        json(run.text())["label"],
        serde_json::json!([
            { "text": "i", "hidden": true, "transitions": 1 },
            { "text": "i", "hidden": false, "transitions": 2 },
        ])
    );
}

#[test]
fn labels_neither_forge_lines_nor_drive_terminals() {
    let scratch = Scratch::new();
    let label = "a\nlabel: 7 b\u{1b}[2J\u{9b}é\t";
    let text = serde_json::to_string(label).expect("a text");
    scratch.write("odd.jsonl", format!("{{\"lts\":1}}\n[0,{text},1]\n"));
    let run = scratch.run("describe", &["--labels", "odd.jsonl"]).ok();
    let shown = "\nlabel: 1 a\\x0Alabel: 7 b\\x1B[2J\\xC2\\x9Bé\\t\n";
    assert!(run.text().ends_with(shown), "{}", run.text());
    let run = scratch
        .run("describe", &["--labels", "--json", "odd.jsonl"])
        .ok();
    assert_eq!(json(run.text())["label"][0]["text"], label);
    // Traces: in comments, written as in formulas.
    let esc = "des (0, 2, 3)\n(0, a, 1)\n(1, \"b\u{1b}[2J\", 2)\n";
    scratch.write("esc.aut", esc);
    scratch.write("a.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    scratch
        .run("reach", &["--deadlock", "esc.aut"])
        .status(0)
        .says("label `b\\x1B[2J` has control characters")
        .prints(
            "deadlock: TRUE\n*** SEQ cannot express these labels; they stand as in formulas:\n\
             *** \"a\"\n*** \"b\\x1B[2J\"\n",
        );
    for command in ["equiv", "refine"] {
        for options in [&[][..], &["--traces", "trc"]] {
            let run = scratch
                .run(command, &[options, &["a.aut", "esc.aut"]].concat())
                .status(1);
            assert!(!run.text().contains('\u{1b}'), "{}", run.text());
            assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
        }
        // A file has what can be read again.
        scratch
            .run(command, &["a.aut", "esc.aut", "-o", "w.seq"])
            .status(1);
    }
    scratch
        .run("transcode", &["w.seq"])
        .status(2)
        .says("[aut-unprintable]");
    scratch
        .run("transcode", &["w.seq", "--to", "jsonl"])
        .ok()
        .prints(
            "{\"lts\":1,\"states\":3,\"transitions\":2,\"initial\":0,\"hidden\":[\"i\"]}\n\
             [0,\"a\",1]\n[1,\"b\\u001b[2J\",2]\n",
        );
    scratch
        .run("transcode", &["esc.aut", "-o", "e.seq"])
        .status(0);
    scratch
        .run("equiv", &["esc.aut", "e.seq"])
        .status(0)
        .prints("TRUE\n");
    // Labels of networks.
    scratch.write("n.exp", "esc.aut ||| a.aut");
    scratch
        .run("reach", &["--labels", "n.exp"])
        .status(0)
        .prints("a\nb\\x1B[2J\n");
    // What reads like an escape looks different from one, and nothing turns around
    // what follows.
    let texts = ["a\nb", "a\\x0Ab", "a\\b", "a\u{202e}b"];
    let lines = texts.map(|text| format!("[0,{},1]\n", serde_json::json!(text)));
    scratch.write("like.jsonl", "{\"lts\":1}\n".to_owned() + &lines.concat());
    let run = scratch.run("describe", &["--labels", "like.jsonl"]).ok();
    let shown = run.text().lines().rev().take(4).collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            "label: 1 a\\xE2\\x80\\xAEb",
            "label: 1 a\\b",
            "label: 1 a\\\\x0Ab",
            "label: 1 a\\x0Ab"
        ]
    );
}

#[test]
fn labels_that_are_no_text_in_json() {
    let scratch = Scratch::new();
    scratch.write("b.aut", b"des (0, 2, 1)\n(0, a\xff, 0)\n(0, a\xfe, 0)\n");
    let run = scratch
        .run("describe", &["-q", "--labels", "--json", "b.aut"])
        .ok();
    assert_eq!(
        json(run.text())["label"],
        serde_json::json!([
            { "text": "a\\xFF", "bytes": [97, 255], "hidden": false, "transitions": 1 },
            { "text": "a\\xFE", "bytes": [97, 254], "hidden": false, "transitions": 1 },
        ])
    );
}

#[test]
fn names_of_files_neither_forge_lines_nor_drive_terminals() {
    let scratch = Scratch::new();
    scratch.write("a.aut", "des (0, 1, 2)\n(0, a, 1)\n");
    let odd = "b\nTRUE\u{1b}[2J.aut";
    scratch.write(odd, "des (0, 1, 2)\n(0, b, 1)\n");
    for (command, relation) in [("equiv", "strong"), ("equiv", "branching"), ("refine", "")] {
        let options: &[&str] = match command {
            "equiv" => &["-e", relation],
            _ => &[],
        };
        let run = scratch
            .run(command, &[options, &["a.aut", odd]].concat())
            .status(1);
        assert!(!run.text().contains("\nTRUE"), "{}", run.text());
        assert!(!run.text().contains('\u{1b}'), "{}", run.text());
    }
    let run = scratch.run("equiv", &[odd, "a.aut"]).status(1);
    assert!(
        run.text().contains("b\\x0ATRUE\\x1B[2J.aut"),
        "{}",
        run.text()
    );
    let run = scratch
        .run("describe", &["none\nhyades: error: all is lost.aut"])
        .status(2);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    scratch.write("bad\n1.aut", "des (0, 1, 2)\n(0, a 1)\n");
    let run = scratch.run("describe", &["bad\n1.aut"]).status(2);
    assert!(run.stderr.contains("bad\\x0A1.aut:2:"), "{}", run.stderr);
}

#[test]
fn labels_are_those_that_occur_whoever_counts() {
    let scratch = Scratch::new();
    // `b` is unreachable, `i` does not occur.
    scratch.write("one.aut", "des (0,2,3)\n(0,a,1)\n(2,b,1)\n");
    for (file, labels, told) in [
        ("one.aut", 2, "2 transitions, 2 labels"),
        ("reached.aut", 1, "1 transition, 1 label"),
    ] {
        let run = scratch.run("describe", &["--json", "--stats", "s.json", file]);
        assert_eq!(json(run.ok().text())["labels"], labels);
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["inputs"][0]["labels"], labels);
        let options = ["-v", "--stats", "s.json", "-o", "reached.aut"];
        let mut run = scratch.command("reach", &options);
        let run = util::finish({
            run.arg(file);
            run
        });
        run.status(0).says(told).says("1 transition, 1 label");
        let stats = json(scratch.read("s.json"));
        assert_eq!(stats["inputs"][0]["labels"], labels);
        assert_eq!(stats["outputs"][0]["labels"], 1);
    }
}

#[test]
fn writes_to_a_file_and_reads_a_pipe() {
    let scratch = Scratch::new();
    scratch
        .feed(
            "describe",
            &["--json", "-o", "d.json", "--stats", "s.json"],
            VENDING,
        )
        .ok()
        .prints("");
    assert_eq!(json(scratch.read("d.json"))["states"], 8);
    let stats = json(scratch.read("s.json"));
    assert_eq!(stats["outputs"][0]["format"], "json");
    assert_eq!(stats["inputs"][0]["path"], "-");
    assert_eq!(stats["inputs"][0]["bytes"], VENDING.len());
}

#[test]
fn a_single_state_is_described() {
    let scratch = Scratch::new();
    let run = scratch.feed("describe", &["--json"], "des (0,0,1)").ok();
    let object = json(run.text());
    assert_eq!(object["states"], 1);
    assert_eq!(object["deadlocks"], 1);
    assert_eq!(object["labels"], 0);
    assert_eq!(object["hidden_cycle"], false);
}

#[test]
fn several_inputs_are_the_columns_of_a_table() {
    let scratch = Scratch::with_vending();
    scratch.write(
        "one.aut",
        "des (0,3,3)\n(0,\"COIN !1\",1)\n(0,\"ü\",1)\n(2,i,1)\n",
    );
    let run = scratch
        .run("describe", &["--labels", "vending.aut", "one.aut"])
        .status(0);
    let lines: Vec<&str> = run.text().lines().collect();
    assert!(
        lines[0].trim_start().starts_with("vending.aut"),
        "{}",
        lines[0]
    );
    assert!(lines[0].ends_with("  one.aut"), "{}", lines[0]);
    let width = lines[0].chars().count();
    for line in &lines {
        assert_eq!(line.chars().count(), width, "{line}");
    }
    let value = |name: &str| -> Vec<String> {
        let line = lines
            .iter()
            .find(|line| line.starts_with(&format!("{name} ")));
        let line = line.unwrap_or_else(|| panic!("{name}"));
        line[name.len()..]
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(value("states"), ["8", "3"]);
    assert_eq!(value("unreachable_states"), ["2", "1"]);
    assert_eq!(value("hidden_label i"), ["3", "1"]);
    assert_eq!(value("label COIN !1"), ["3", "1"]);
    assert_eq!(value("label ü"), ["0", "1"]);
    // Each by itself, under the name that the user gives it.
    let run = scratch
        .run("describe", &["--json", "vending.aut", "./one.aut"])
        .status(0);
    let files = &json(run.text())["files"];
    for (k, name) in ["vending.aut", "./one.aut"].into_iter().enumerate() {
        let alone = scratch.run("describe", &["--json", name]).status(0);
        let mut alone = json(alone.text());
        alone["file"] = name.into();
        assert_eq!(files[k], alone);
    }
    assert_eq!(files.as_array().map(Vec::len), Some(2));
}

#[test]
fn several_inputs_are_kept() {
    let scratch = Scratch::with_vending();
    scratch.write("one.aut", "des (0,0,1)\n");
    for wrong in [
        vec!["-o", "one.aut", "vending.aut", "one.aut"],
        vec!["-o", "vending.aut", "vending.aut", "one.aut"],
        vec!["--html", "p.html", "-o", "p.html", "vending.aut"],
        vec!["--html", "vending.aut", "one.aut"],
        vec!["-", "-"],
        vec!["vending.aut", "none.aut"],
    ] {
        scratch.run("describe", &wrong).status(2).prints("");
        assert_eq!(scratch.read("vending.aut"), VENDING, "{wrong:?}");
        assert_eq!(scratch.names(), ["one.aut", "vending.aut"], "{wrong:?}");
    }
    let run = scratch
        .feed("describe", &["vending.aut", "-"], "des (0,0,1)")
        .ok();
    assert!(
        run.text()
            .lines()
            .next()
            .is_some_and(|line| line.ends_with("<stdin>"))
    );
}

/// The texts of a page, without elements; whether each that is opened is closed.
fn texts(page: &str) -> String {
    let mut open = Vec::new();
    let mut texts = String::new();
    let mut rest = page;
    while let Some((text, tail)) = rest.split_once('<') {
        texts += text;
        let (tag, tail) = tail.split_once('>').expect("an end of a tag");
        rest = tail;
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next();
        let name = name.expect("a name").to_owned();
        match () {
            () if tag.starts_with('!') || tag.ends_with('/') || name == "meta" => {}
            () if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            () => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    texts + rest
}

#[test]
fn a_page_shows_what_there_is() {
    let scratch = Scratch::with_vending();
    let hostile = "des (0,4,3)\n(0,\"</td><script>x</script>\",1)\n(0,\"& \\\"\",1)\n\
                   (1,\"]]> <!--\",0)\n(1,i,2)\n";
    scratch.write("hostile.aut", hostile);
    let run = scratch
        .run("describe", &["--html", "p.html", "vending.aut"])
        .ok();
    assert!(run.text().starts_with("states: 8\n"));
    let page = scratch.read("p.html");
    let shown = texts(&page);
    for text in [
        "Sizes",
        "unreachable states",
        "COIN",
        "Rounds of refinement",
        "hidden",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    // Alone on standard output, the same bytes for every number of threads.
    for threads in ["1", "2"] {
        let options = ["-j", threads, "--html", "-", "vending.aut"];
        scratch.run("describe", &options).ok().prints(&page);
    }
    let run = scratch
        .run("describe", &["--html", "-", "hostile.aut", "vending.aut"])
        .ok();
    let shown = texts(run.text());
    assert!(!run.text().contains("<script"));
    assert!(shown.contains("&lt;/td&gt;&lt;script&gt;x"), "{shown}");
    assert!(shown.contains("hostile.aut: labels") && shown.contains("vending.aut: labels"));
    // Nothing is to be fetched from elsewhere.
    for word in ["http:", "https:", "src=", "@import", "url("] {
        let page = run.text().replace("http://www.w3.org/2000/svg", "");
        assert!(!page.contains(word), "{word}");
    }
}

#[test]
fn pages_of_odd_systems() {
    let scratch = Scratch::new();
    for (name, text) in [
        ("empty", "des (0,0,1)\n".to_owned()),
        ("loop", "des (0,1,1)\n(0,a,0)\n".into()),
        ("chain", {
            let lines: String = (0..3000).map(|s| format!("({s},a,{})\n", s + 1)).collect();
            format!("des (0,3000,3001)\n{lines}")
        }),
        ("labels", {
            let lines: String = (0..900).map(|s| format!("(0,l{s},{})\n", s % 3)).collect();
            format!("des (0,900,3)\n{lines}")
        }),
    ] {
        let run = scratch.feed("describe", &["--html", "-"], text).ok();
        let shown = texts(run.text());
        assert!(shown.contains("&lt;stdin&gt;"), "{name}");
        assert_eq!(
            shown.contains("400 labels more, each with no more"),
            name == "labels",
            "{name}"
        );
    }
    scratch
        .feed("describe", &["--html", "p.html"], "des (0,1,")
        .status(2);
    assert!(scratch.names().is_empty());
}
