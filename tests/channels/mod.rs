//! `reach` and `reduce` on systems of communicating machines, run as a user runs them.

mod refusals;

use crate::util::Scratch;

const M: &str = include_str!("../../testdata/channels/M1.aut");
const N: &str = include_str!("../../testdata/channels/N1.aut");
const X25: &str = include_str!("../../testdata/channels/x25_v1.toml");
const INRES: &str = include_str!("../../testdata/channels/inres.toml");

/// X.25 with these capacities.
fn x25(capacity: u32) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("M1.aut", M);
    scratch.write("N1.aut", N);
    let text = X25.replace("capacity = 6", &format!("capacity = {capacity}"));
    scratch.write("x25.toml", text);
    scratch
}

/// The value of a line `name: value` of a report.
fn line<'a>(report: &'a str, name: &str) -> &'a str {
    let mut lines = report.lines();
    let found = lines.find_map(|line| line.strip_prefix(&format!("{name}: ")));
    found.unwrap_or_else(|| panic!("no {name} in {report}"))
}

#[test]
fn reports() {
    let scratch = x25(6);
    let report = scratch.run("reach", &["--analysis", "x25.toml"]).ok();
    let report = report.text();
    for (name, value) in [
        ("states", "111"),
        ("transitions", "241"),
        ("complete", "TRUE"),
        ("explored beyond overfilled channels", "TRUE"),
        ("dead states", "0"),
        ("overfilled channels", "0"),
        ("unreachable component states", "0"),
        ("unexecuted component transitions", "0"),
    ] {
        assert_eq!(line(report, name), value);
    }
    let scratch = x25(4);
    let run = scratch.run(
        "reach",
        &["--analysis", "--fail-on", "overfilled", "x25.toml"],
    );
    let run = run.status(1);
    assert_eq!(line(run.text(), "overfilled channels"), "1");
    assert!(
        run.text()
            .contains("\noverfilled: channel NM, of capacity 4, after 9 steps\n")
    );
    let json = scratch
        .run("reach", &["--analysis", "--json", "x25.toml"])
        .ok();
    let json: serde_json::Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["overfilled"][0]["channel"], "NM");
    let trace = json["overfilled"][0]["trace"].as_array().unwrap();
    assert_eq!(trace.len(), 9);
    assert_eq!(trace[8]["channels"]["NM"].as_array().unwrap().len(), 5);
    // Capacity 5 is enough; with less channels are overfilled.
    for (capacity, overflowing) in [(5, "0"), (4, "1"), (3, "2")] {
        let report = x25(capacity).run("reach", &["--analysis", "x25.toml"]).ok();
        assert_eq!(line(report.text(), "overfilled channels"), overflowing);
    }
}

#[test]
fn state_spaces() {
    let scratch = x25(6);
    let whole = scratch.run("reach", &["x25.toml"]).ok();
    assert!(whole.text().starts_with("des (0, 241, 111)\n"));
    // A message of two channels is told with its channel.
    assert!(whole.text().contains("\"-MN:g\"") && whole.text().contains("\"-a\""));
    let beside = ["--analysis", "x25.toml", "-o", "x25.aut"];
    scratch.run("reach", &beside).ok();
    assert_eq!(scratch.read("x25.aut"), whole.text());
    let few = [
        "--analysis",
        "--maximal-progress",
        "x25.toml",
        "-o",
        "few.aut",
    ];
    scratch.run("reach", &few).ok();
    assert!(scratch.read("few.aut").starts_with("des (0, 222, 110)\n"));
    let answer = scratch
        .run("reach", &["--deadlock", "--find", "-a", "x25.toml"])
        .ok();
    assert!(
        answer.text().starts_with("deadlock: FALSE\nfind: TRUE\n"),
        "{}",
        answer.text()
    );
    // What is overfilled is no deadlock, but nothing is known beyond.
    let scratch = x25(3);
    let answer = scratch.run("reach", &["--deadlock", "x25.toml"]).status(3);
    assert_eq!(answer.text(), "deadlock: UNKNOWN\n");
    assert!(
        answer.stderr.contains("overfilled: channel MN, NM"),
        "{}",
        answer.stderr
    );
}

/// A channel that is overfilled by the first message, which is received beyond only.
const FULL: &str = r#"format = "csm-system-1"
[[component]]
name = "P"
aut = '''
des (0, 1, 1)
(0, "-x", 0)
'''
[[component]]
name = "Q"
aut = '''
des (0, 2, 1)
(0, "+x", 0)
(0, "+y", 0)
'''
[[channel]]
name = "c"
from = "P"
to = "Q"
capacity = 0
messages = ["x", "y"]
"#;

/// What is never executed beyond overfilled channels is so whenever a log is applied.
#[test]
fn logs_tell_how_far_it_was_explored() {
    let scratch = Scratch::new();
    // One message that is transmitted.
    let once = FULL.replace(
        "des (0, 1, 1)\n(0, \"-x\", 0)",
        "des (0, 1, 2)\n(0, \"-x\", 1)",
    );
    scratch.write("s.toml", once);
    let stopped = ["--unexecuted", "--log", "u.log", "s.toml"];
    scratch.run("reduce", &stopped).status(3);
    let beyond = [&["--beyond-overfilled"], &stopped[..]].concat();
    let text = scratch.run("reduce", &beyond).ok().text().to_owned();
    assert!(!text.contains("+y"), "{text}");
    let log = scratch.read("u.log");
    assert_eq!(crate::util::json(&log)["beyond_overfilled"], true);
    let again = ["--apply", "u.log", "--log", "again.log", "s.toml"];
    scratch.run("reduce", &again).ok().prints(&text);
    assert_eq!(scratch.read("again.log"), log);
    // One of before, which does not say so.
    scratch.write("old.log", log.replace(",\"beyond_overfilled\":true", ""));
    let old = ["--apply", "old.log", "s.toml"];
    scratch.run("reduce", &old).status(3).prints("");
}

/// Where nothing is explored beyond overfilled channels, no dead state is no answer, and
/// the state space has states that look dead.
#[test]
fn what_ends_at_overfilled_channels_is_open() {
    let scratch = Scratch::new();
    scratch.write("s.toml", FULL);
    scratch.run("reach", &["--analysis", "s.toml"]).ok();
    let deadlock = ["--analysis", "--fail-on", "deadlock", "s.toml"];
    let run = scratch.run("reach", &deadlock).status(3);
    assert_eq!(line(run.text(), "dead states"), "0");
    run.says("no dead state is known");
    let both = [&["--fail-on", "overfilled"], &deadlock[..]].concat();
    scratch.run("reach", &both).status(1);
    let space = "des (0, 1, 2)\n(0, \"-x\", 1)\n";
    for more in [&[][..], &["--rename-label=-x -> -x"]] {
        let args = [&["s.toml"], more].concat();
        let run = scratch.run("reach", &args).status(3);
        run.prints(space)
            .says("overfilled: channel c;")
            .says("they need not be dead");
    }
    scratch
        .run("reach", &["--analysis", "s.toml", "-o", "s.aut"])
        .status(3)
        .says("they need not be dead");
    assert_eq!(scratch.read("s.aut"), space);
    // Formats that are written while the states are found, and when all are there.
    for output in ["o.bcg", "o.dot", "o.tsv", "o.plts", "o.aut.gz"] {
        let run = scratch.run("reach", &["s.toml", "-o", output]).status(3);
        run.says("they need not be dead");
        scratch.run("transcode", &[output]).prints(space);
    }
    let found = ["--find", "-x", "s.toml"];
    scratch.run("reach", &found).status(0);
    let found = [&found[..], &["--state-space", "f.aut"]].concat();
    scratch.run("reach", &found).status(3);
    assert_eq!(scratch.read("f.aut"), space);
    let beyond = ["--beyond-overfilled", "--channel-bound", "3", "s.toml"];
    scratch.run("reach", &beyond).status(3).prints("");
}

#[test]
fn unbounded_channels_end_with_an_answer() {
    let scratch = Scratch::new();
    let component = |name: &str, label: &str| {
        format!(
            "[[component]]\nname = \"{name}\"\naut = '''\ndes (0,1,1)\n(0, \"{label}\", 0)\n'''\n"
        )
    };
    let text = format!(
        "format = \"csm-system-1\"\n{}{}[[channel]]\nname = \"c\"\nfrom = \"P\"\nto = \"Q\"\n\
         messages = [\"x\"]\n",
        component("P", "-x"),
        component("Q", "+x")
    );
    scratch.write("u.toml", text);
    let run = scratch
        .run("reach", &["--analysis", "--channel-bound", "3", "u.toml"])
        .status(3);
    assert_eq!(line(run.text(), "complete"), "FALSE");
    assert_eq!(
        line(run.text(), "beyond the bound"),
        "channel c holds more than 3 messages after 4 steps"
    );
    let run = scratch.run("reach", &["u.toml", "-o", "u.aut"]).status(3);
    assert!(run.stderr.contains("--channel-bound"), "{}", run.stderr);
    assert_eq!(scratch.names(), ["u.toml"]);
    let run = scratch.run("reach", &["--deadlock", "u.toml"]).status(3);
    assert_eq!(run.text(), "deadlock: UNKNOWN\n");
    scratch.run("reduce", &["--verify", "u.toml"]).status(3);
}

/// A channel may be told to hold more than the least of the usual bounds.
#[test]
fn usual_bounds_follow_capacities() {
    let scratch = Scratch::new();
    let transmissions: String = (0..30)
        .map(|k| format!("({k}, \"-x\", {})\n", k + 1))
        .collect();
    let text = |capacity: u32| {
        format!(
            "format = \"csm-system-1\"\n\
             [[component]]\nname = \"P\"\naut = '''\ndes (0, 30, 31)\n{transmissions}'''\n\
             [[component]]\nname = \"Q\"\naut = '''\ndes (0, 1, 1)\n(0, \"+x\", 0)\n'''\n\
             [[channel]]\nname = \"c\"\nfrom = \"P\"\nto = \"Q\"\ncapacity = {capacity}\n\
             messages = [\"x\"]\n"
        )
    };
    for (capacity, overflowing) in [(30, "0"), (29, "1")] {
        scratch.write("s.toml", text(capacity));
        for more in [&[][..], &["--beyond-overfilled"]] {
            let args = [more, &["--analysis", "s.toml"]].concat();
            let run = scratch.run("reach", &args).ok();
            assert_eq!(line(run.text(), "overfilled channels"), overflowing);
        }
    }
    let args = ["--analysis", "--channel-bound", "20", "s.toml"];
    let run = scratch.run("reach", &args).status(3);
    assert_eq!(
        line(run.text(), "beyond the bound"),
        "channel c holds more than 20 messages after 21 steps"
    );
}

/// Figures 2 and 8 of the paper, and the log.
#[test]
fn reductions() {
    let scratch = x25(6);
    let size = |args: &[&str]| {
        let mut all = args.to_vec();
        all.extend(["x25.toml", "-o", "new.toml", "--verify", "--log", "new.log"]);
        scratch.run("reduce", &all).ok();
        let report = scratch.run("reach", &["--analysis", "new.toml"]).ok();
        let report = report.text();
        (
            line(report, "states").to_owned(),
            line(report, "transitions").to_owned(),
        )
    };
    let sizes = |states: &str, transitions: &str| (states.to_owned(), transitions.to_owned());
    assert_eq!(size(&["--rules", "theta1,theta2"]), sizes("104", "229"));
    assert_eq!(
        size(&["--strategy", "rule-by-rule", "--rules", "theta2,theta1"]),
        sizes("104", "229")
    );
    assert_eq!(
        size(&["--rules", "theta2,theta1,theta3,theta4"]),
        sizes("90", "188")
    );
    assert_eq!(size(&[]), sizes("90", "188"));
    let applied = scratch
        .run("reduce", &["--apply", "new.log", "x25.toml"])
        .ok();
    assert_eq!(applied.text(), scratch.read("new.toml"));
    // A step that is not possible is told with its line.
    let log = scratch.read("new.log");
    scratch.write("twice.log", format!("{log}{log}"));
    let run = scratch
        .run("reduce", &["--apply", "twice.log", "x25.toml"])
        .status(2);
    let line = log.lines().count() + 1;
    assert!(
        run.stderr.contains(&format!("twice.log:{line}: ")),
        "{}",
        run.stderr
    );
    let run = scratch.run(
        "reduce",
        &[
            "--rules",
            "theta1",
            "--component",
            "M",
            "--state",
            "5",
            "x25.toml",
        ],
    );
    assert!(
        run.status(2)
            .stderr
            .contains("theta1 at state 5 of M: a transition leads from 5 to itself")
    );
    // One system, one file: a pipe.
    let first = scratch.run("reduce", &["x25.toml"]).ok();
    let second = scratch
        .feed("reduce", &["--from", "toml", "--renumber"], first.text())
        .ok();
    let last = scratch
        .feed("reach", &["--from", "toml", "--analysis"], second.text())
        .ok();
    assert_eq!(self::line(last.text(), "states"), "90");
}

/// Users, an initiator and a responder.
#[test]
fn inres() {
    let scratch = Scratch::new();
    scratch.write("inres.toml", INRES);
    let report = scratch.run("reach", &["--analysis", "inres.toml"]).ok();
    assert_eq!(line(report.text(), "dead states"), "0");
    assert_eq!(line(report.text(), "overfilled channels"), "0");
    let narrow = INRES.replace("\"i1\", \"i2\"", "\"i1\",\"i2\"");
    let narrow = narrow.replace(
        "capacity = 2\nmessages = [\"i1\"",
        "capacity = 1\nmessages = [\"i1\"",
    );
    scratch.write("narrow.toml", narrow);
    let report = scratch.run("reach", &["--analysis", "narrow.toml"]).ok();
    assert!(
        report
            .text()
            .contains("overfilled: channel IR, of capacity 1, after 24 steps")
    );
    // Piece by piece.
    let rules = "theta6,theta5,theta2,theta1,theta3,theta4";
    let states = |file: &str| {
        let report = scratch.run("reach", &["--analysis", file]).ok();
        line(report.text(), "states").parse::<u32>().unwrap()
    };
    let compose = [
        "--compose",
        "P=I,R",
        "--verify",
        "inres.toml",
        "-o",
        "a.toml",
    ];
    scratch.run("reduce", &compose).ok();
    assert_eq!(states("a.toml"), states("inres.toml"));
    let reduce = [
        "--rules",
        rules,
        "--merge",
        "--unexecuted",
        "--verify",
        "a.toml",
        "-o",
        "b.toml",
    ];
    scratch.run("reduce", &reduce).ok();
    assert!(2 * states("b.toml") < states("a.toml"));
}

#[test]
fn proofs() {
    let scratch = x25(6);
    let make = |args: &[&str], name: &str| {
        let mut all = args.to_vec();
        all.extend(["x25.toml", "-o", name]);
        scratch.run("reduce", &all).ok();
    };
    make(
        &["--component", "M", "--state", "2", "--rules", "theta3"],
        "good.toml",
    );
    let run = scratch
        .run("reduce", &["x25.toml", "--prove", "good.toml"])
        .ok();
    assert_eq!(line(run.text(), "dead states"), "TRUE");
    // One transition less is another protocol.
    scratch.write(
        "M1.aut",
        M.replace("des (0, 21, 7)", "des (0, 20, 7)")
            .replace("(0, \"+f\", 6)\n", ""),
    );
    make(&["--rules", "theta6"], "bad.toml");
    scratch.write("M1.aut", M);
    // What suffices fails, by which nothing is refuted.
    let run = scratch
        .run("reduce", &["x25.toml", "--prove", "bad.toml"])
        .status(3);
    assert!(run.text().contains("fails"), "{}", run.text());
    assert!(!run.text().contains("FALSE"), "{}", run.text());
    run.says("refutes nothing");
    // Each system may take its own place.
    let run = scratch
        .run("reduce", &["x25.toml", "--prove", "x25.toml"])
        .ok();
    let answers: Vec<&str> = run.text().lines().collect();
    assert_eq!(answers.len(), 6);
    assert!(answers.iter().all(|line| line.ends_with(": TRUE")));
    scratch.write("region.toml", "");
    let region = ["x25.toml", "--prove", "x25.toml", "--region", "region.toml"];
    let run = scratch.run("reduce", &region).status(0);
    run.says("--region has no effect");
}

/// Limits are no errors; names of compositions are names.
#[test]
fn compositions() {
    let scratch = x25(6);
    let bound = ["--compose", "S=M,N", "--channel-bound", "2", "x25.toml"];
    scratch.run("reduce", &bound).status(3);
    for name in ["", "a:b", "a b", "-a"] {
        let text = format!("{name}=M,N");
        let run = scratch.run("reduce", &[&format!("--compose={text}"), "x25.toml"]);
        assert!(run.status(2).stderr.contains("expected a name"));
    }
}

/// Eight states in all, and channels of capacity 0 and 3 that grow for ever: seen with a
/// small bound, while with that for the capacities there are more states than memory.
#[test]
fn compositions_that_grow_for_ever() {
    let mut text = String::from("format = \"csm-system-1\"\n");
    for (name, own, other) in [
        ("A", 'a', 'd'),
        ("B", 'b', 'a'),
        ("C", 'c', 'b'),
        ("D", 'd', 'c'),
    ] {
        text += &format!(
            "[[component]]\nname = \"{name}\"\naut = \"\"\"\ndes (0, 5, 2)\n(0, -{own}0, 1)\n\
             (0, -{own}1, 1)\n(1, +{other}0, 0)\n(1, +{other}1, 0)\n(1, -{own}0, 0)\n\"\"\"\n"
        );
    }
    for (k, (from, to)) in [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")]
        .into_iter()
        .enumerate()
    {
        let own = from.to_lowercase();
        text += &format!(
            "[[channel]]\nname = \"{from}{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
             capacity = {}\nmessages = [\"{own}0\", \"{own}1\"]\n",
            k % 2 * 3
        );
    }
    let scratch = Scratch::new();
    scratch.write("grows.toml", text);
    let compose = [
        "--compose",
        "S=A,B,C,D",
        "--max-states",
        "20000",
        "grows.toml",
    ];
    let run = scratch.run("reduce", &compose).status(3);
    assert!(
        run.stderr.contains("any number of messages"),
        "{}",
        run.stderr
    );
}

/// Each round adds a message, but no word is received again and again: no cycle shows
/// that there is no end, and the states are exponentially many in the bound.
#[test]
fn compositions_that_grow_without_a_cycle_are_given_up() {
    let names = ["a", "b", "c", "g", "h"];
    let answers = ["d", "e", "f", "m", "n"];
    let mut first = String::from("(1, \"-a\", 0)\n");
    for (name, answer) in names.iter().zip(answers) {
        first += &format!("(0, \"+{answer} -{name}\", 0)\n");
    }
    let mut second = String::new();
    for answer in &answers[1..] {
        second += &format!("(0, \"+a -d -{answer}\", 0)\n");
        for name in &names[1..] {
            second += &format!("(0, \"+{name} -{answer}\", 0)\n");
        }
    }
    let scratch = Scratch::new();
    let text = format!(
        "format = \"csm-system-1\"\n\
         [[component]]\nname = \"A\"\naut = '''\ndes (1, 6, 2)\n{first}'''\n\
         [[component]]\nname = \"B\"\naut = '''\ndes (0, 20, 1)\n{second}'''\n\
         [[channel]]\nname = \"AB\"\nfrom = \"A\"\nto = \"B\"\ncapacity = 0\nmessages = {names:?}\n\
         [[channel]]\nname = \"BA\"\nfrom = \"B\"\nto = \"A\"\ncapacity = 3\nmessages = {answers:?}\n"
    );
    scratch.write("grows.toml", text);
    scratch
        .run("reduce", &["--compose", "P=A,B", "grows.toml"])
        .status(3)
        .says("too many states, 1048576 being enough for most");
    scratch
        .run(
            "reduce",
            &["--compose", "P=A,B", "--max-states", "999", "grows.toml"],
        )
        .status(3)
        .says("too many states");
}

/// What leaves a state of theta4 need not be executed afterwards.
#[test]
fn unrolled_states_are_verified() {
    let scratch = Scratch::new();
    let text = "\
format = \"csm-system-1\"
[[component]]
name = \"P\"
aut = '''
des (0, 4, 3)
(0, \"+c\", 1)
(0, \"-a +z\", 1)
(1, \"-b\", 2)
(1, \"+d\", 2)
'''
[[component]]
name = \"Q\"
aut = '''
des (0, 2, 3)
(0, \"-c\", 1)
(1, \"-d\", 2)
'''
[[channel]]
name = \"PQ\"
from = \"P\"
to = \"Q\"
capacity = 3
messages = [\"a\", \"b\"]
[[channel]]
name = \"QP\"
from = \"Q\"
to = \"P\"
capacity = 3
messages = [\"c\", \"d\", \"z\"]
";
    scratch.write("s.toml", text);
    let one = [
        "--component",
        "P",
        "--state",
        "1",
        "--rules",
        "theta4",
        "--verify",
        "s.toml",
    ];
    scratch.run("reduce", &one).ok();
}

/// What a line of a log says about equivalent states is done, or is an error.
#[test]
fn merges_in_logs() {
    let scratch = Scratch::new();
    let system = "format = \"csm-system-1\"\n\
        [[component]]\nname = \"P\"\naut = '''\n\
        des (0, 3, 4)\n(0, \"-a\", 1)\n(0, \"-a\", 2)\n(0, \"-a\", 3)\n'''\n\
        [[component]]\nname = \"Q\"\naut = '''\ndes (0, 1, 2)\n(0, \"+a\", 1)\n'''\n\
        [[channel]]\nname = \"c\"\nfrom = \"P\"\nto = \"Q\"\nmessages = [\"a\"]\n";
    scratch.write("p.toml", system);
    let entry =
        |pairs: &str| format!("{{\"rule\":\"merge\",\"component\":\"P\",\"states\":{pairs}}}\n");
    let apply = |log: &str| {
        let args = ["--apply", "-", "--verify", "--log", "again.log", "p.toml"];
        scratch.feed("reduce", &args, log)
    };
    for (pairs, rest) in [
        ("[[1,2]]", "(0, \"-a\", 2)\n(0, \"-a\", 3)"),
        ("[[2,1]]", "(0, \"-a\", 1)\n(0, \"-a\", 3)"),
        ("[[1,3],[2,3]]", "(0, \"-a\", 3)"),
    ] {
        let run = apply(&entry(pairs)).ok();
        let is_there = run.text().contains(&format!(")\n{rest}\n'''"));
        assert!(is_there, "{pairs}: {}", run.text());
        assert_eq!(scratch.read("again.log"), entry(pairs));
    }
    for pairs in [
        "[[1,1]]",
        "[[1,2],[2,1]]",
        "[[1,2],[1,3]]",
        "[[0,1]]",
        "[[9,1]]",
    ] {
        let log = format!("{}{}", entry("[]"), entry(pairs));
        apply(&log).status(2).says("<stdin>:2: ").prints("");
    }
    // What --merge does can be done again, also after a byte order mark.
    let args = ["--merge", "--verify", "--log", "merge.log", "p.toml"];
    let merged = scratch.run("reduce", &args).ok();
    let log = scratch.read("merge.log");
    assert_eq!(log, entry("[[2,1],[3,1]]"));
    apply(&format!("\u{feff}{log}")).ok().prints(merged.text());
    let both = ["--apply", "-", "--from", "toml"];
    let run = scratch.feed("reduce", &both, &log).status(2);
    assert!(run.stderr.contains("only one of INPUT and --apply"));
    scratch.write("latin.log", [log.as_bytes(), b"\xe9\n"].concat());
    let latin = scratch.run("reduce", &["--apply", "latin.log", "p.toml"]);
    latin
        .status(2)
        .says("latin.log:2:1: bytes that are no UTF-8")
        .prints("");
}

/// What is done after new numbers were given is about these.
#[test]
fn renumbering_is_a_step() {
    let scratch = Scratch::new();
    let system = "format = \"csm-system-1\"\n\
        [[component]]\nname = \"A\"\naut = '''\n\
        des (0, 4, 4)\n(0, \"-m\", 2)\n(2, \"-n\", 1)\n(1, \"-m\", 3)\n(3, \"+k\", 0)\n'''\n\
        [[component]]\nname = \"B\"\naut = '''\n\
        des (0, 4, 4)\n(0, \"+m\", 1)\n(1, \"+n\", 2)\n(2, \"+m\", 3)\n(3, \"-k\", 0)\n'''\n\
        [[channel]]\nname = \"AB\"\nfrom = \"A\"\nto = \"B\"\nmessages = [\"m\", \"n\"]\n\
        [[channel]]\nname = \"BA\"\nfrom = \"B\"\nto = \"A\"\nmessages = [\"k\"]\n";
    scratch.write("m.toml", system);
    let reduce = |args: &str| {
        let args: Vec<&str> = args.split(' ').collect();
        scratch.run("reduce", &args).ok();
    };
    reduce("--component B --rules theta2 --renumber --log 1.log -o 1.toml m.toml");
    reduce("--component A --state 1 --rules theta1 --log 2.log -o 2.toml 1.toml");
    assert_eq!(scratch.read("1.log"), "{\"rule\":\"renumber\"}\n");
    assert_ne!(scratch.read("1.toml"), scratch.read("2.toml"));
    let log = scratch.read("1.log") + &scratch.read("2.log");
    let both = ["--apply", "-", "--verify", "m.toml"];
    let replayed = scratch.feed("reduce", &both, &log).ok();
    replayed.prints(&scratch.read("2.toml"));
}

/// What is not known of an exploration that came to no end is no difference.
#[test]
fn verifying_knows_its_limits() {
    let scratch = Scratch::new();
    let many = "-x ".repeat(17);
    let many = many.trim_end();
    let channel = |name: &str, capacity: &str, message: &str| {
        format!(
            "[[channel]]\nname = \"{name}\"\nfrom = \"A\"\nto = \"B\"\n{capacity}\
             messages = [\"{message}\"]\n"
        )
    };
    let system = format!(
        "format = \"csm-system-1\"\n[[component]]\nname = \"A\"\naut = '''\ndes (0, 3, 3)\n\
         (0, \"{many} -a -a\", 1)\n(0, \"{many}\", 2)\n(2, \"-a -a\", 1)\n'''\n\
         [[component]]\nname = \"B\"\naut = '''\ndes (0, 0, 1)\n'''\n{}{}",
        channel("X", "", "x"),
        channel("C", "capacity = 1\n", "a"),
    );
    scratch.write("s.toml", system);
    let verify = |more: &[&str]| {
        let args = [&["--rules", "theta2", "--verify", "s.toml"], more].concat();
        scratch.run("reduce", &args)
    };
    let open = verify(&[]).status(3);
    assert_eq!(
        open.stderr,
        "reduce: --verify: the systems could not be explored to their ends, so that it is not \
         known whether they differ\n"
    );
    let known = verify(&["--channel-bound", "20"]).status(0);
    known.says("executed transitions were not compared");
    verify(&["--channel-bound", "20", "--beyond-overfilled"]).ok();
    // So it is with what is never executed.
    let unexecuted = ["--unexecuted", "--channel-bound", "20", "s.toml"];
    let run = scratch.run("reduce", &unexecuted).status(3);
    run.says("channel C is overfilled").prints("");
    let all = [&unexecuted[..], &["--beyond-overfilled"]].concat();
    scratch.run("reduce", &all).ok();
}

/// Systems and logs may be compressed; lines that are no steps are told.
#[test]
fn systems_and_logs_are_texts() {
    let scratch = x25(6);
    let args = ["--log", "x.log", "x25.toml"];
    let plain = scratch.run("reduce", &args).ok();
    scratch.shell("gzip -k x.log x25.toml").ok();
    for file in ["x25.toml.gz", "x25.toml"] {
        let again = scratch.run("reduce", &["--apply", "x.log.gz", file]);
        again.ok().prints(plain.text());
    }
    for (line, what) in [
        (
            "[\"theta3\",\"M\",2]",
            "no object: expected an object such as",
        ),
        ("5", "no object: expected an object such as"),
        ("{\"rule\" 5}", "no JSON from column 9 on"),
        ("{\"rule\":\"theta9\"}", "unknown variant `theta9`"),
        (
            "{\"rule\":\"theta1\",\"component\":\"M\",\"component\":\"M\",\"state\":6}",
            "duplicate field `component`\n",
        ),
        (
            "{\"rule\":\"theta2\",\"rule\":\"theta1\",\"component\":\"M\",\"state\":6}",
            "duplicate field `rule`\n",
        ),
    ] {
        scratch.write("bad.log", format!("\n{line}\n"));
        let run = scratch.run("reduce", &["--apply", "bad.log", "x25.toml"]);
        run.status(2).says(&format!("bad.log:2: {what}")).prints("");
    }
}
