//! `svl`: scripts of verification.

use crate::util;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::Value;
use util::{Run, Scratch, finish, json, mortal, wait};

/// A scratch directory with the systems and scripts of `testdata/svl`.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/svl");
    for entry in fs::read_dir(from).expect("the scripts") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name").to_owned();
        scratch.write(
            name.to_str().expect("ASCII"),
            fs::read(&path).expect("a file"),
        );
    }
    scratch
}

/// Runs a script of these lines.
fn script(scratch: &Scratch, text: &str, options: &[&str]) -> Run {
    scratch.write("x.svl", text);
    scratch.run("svl", &[options, &["x.svl"]].concat())
}

/// The lines that are verdicts.
fn verdicts(run: &Run) -> Vec<String> {
    let lines = run.text().lines().map(str::trim);
    let words = lines.map(|line| line.split(',').next().unwrap_or_default());
    words
        .filter(|word| *word == "TRUE" || *word == "FALSE")
        .map(str::to_owned)
        .collect()
}

/// Properties: the line of each, and what the next PASS or FAIL says.
fn properties(run: &Run) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in run.text().lines().map(str::trim) {
        if let Some(head) = line.strip_prefix("property ") {
            found.push((head.to_owned(), String::new()));
        } else if line.starts_with("PASS (") || line.starts_with("FAIL (") {
            found.last_mut().expect("a property").1 = line[..4].to_owned();
        }
    }
    found
}

fn strings(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.map(|text| text.as_str().expect("a text").to_owned())
        .collect()
}

fn entries(value: &Value) -> Vec<(String, Value)> {
    let all = value.as_object().into_iter().flatten();
    all.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// States and transitions of a file.
fn size(scratch: &Scratch, file: &str) -> (u64, u64) {
    let told = json(scratch.run("describe", &["--json", file]).ok().text());
    (
        told["states"].as_u64().expect("a number"),
        told["transitions"].as_u64().expect("a number"),
    )
}

fn check(expected: &Value) {
    let scratch = scratch();
    let name = expected["script"].as_str().expect("a name");
    let run = scratch.run("svl", &[name]);
    let status = expected["status"].as_i64().expect("a number");
    let run = run.status(i32::try_from(status).expect("a status"));
    assert_eq!(verdicts(&run), strings(&expected["verdicts"]), "{name}");
    for (file, sizes) in entries(&expected["files"]) {
        assert!(scratch.path(&file).exists(), "{name}: {file}");
        if let Some(sizes) = sizes.as_array() {
            let (states, transitions) = size(&scratch, &file);
            let sizes: Vec<_> = sizes.iter().filter_map(Value::as_u64).collect();
            assert_eq!(sizes, [states, transitions], "{name}: {file}");
        }
    }
    for file in strings(&expected["absent"]) {
        assert!(!scratch.path(&file).exists(), "{name}: {file}");
    }
    for (file, content) in entries(&expected["content"]) {
        assert_eq!(
            scratch.read(&file),
            content.as_str().expect("a text"),
            "{name}"
        );
    }
    for (file, labels) in entries(&expected["labels"]) {
        let run = scratch.shell(&format!(
            "hyades transcode --to tsv '{file}' | tail -n +2 | cut -f 2 | sort -u"
        ));
        let mut found: Vec<&str> = run.text().lines().collect();
        found.sort_unstable();
        let mut wanted = strings(&labels);
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{name}: {file}");
    }
    for (file, length) in entries(&expected["sequences"]) {
        let labels = scratch
            .read(&file)
            .lines()
            .filter(|l| l.starts_with('"'))
            .count();
        assert_eq!(Some(labels as u64), length.as_u64(), "{name}: {file}");
    }
    let expected_properties = expected["properties"].as_array().into_iter().flatten();
    let expected_properties: Vec<(String, String)> = expected_properties
        .map(|property| {
            let arguments = strings(&property[1]).join(", ");
            let name = property[0].as_str().expect("a name");
            let head = match arguments.is_empty() {
                true => name.to_owned(),
                false => format!("{name} ({arguments})"),
            };
            (head, property[2].as_str().expect("a verdict").to_owned())
        })
        .collect();
    let found = properties(&run);
    assert_eq!(found.len(), expected_properties.len(), "{name}");
    for ((head, verdict), (wanted, wanted_verdict)) in found.iter().zip(&expected_properties) {
        assert!(head.starts_with(wanted), "{name}: {head}");
        assert_eq!(verdict, wanted_verdict, "{name}: {head}");
    }
    for equivalent in expected["equivalent"].as_array().into_iter().flatten() {
        let words = strings(equivalent);
        let equal = ["-e", &words[0], &words[1], &words[2]];
        scratch.run("equiv", &equal).status(0);
    }
    if let Some(message) = expected["message"].as_str() {
        let place = format!("{name}:{}:", expected["line"]);
        let run = run.says(&place).says(message);
        assert_eq!(run.text(), "", "{name}");
    }
    let left: Vec<String> = scratch.names();
    let left = left.iter().filter(|name| name.starts_with("svl"));
    assert_eq!(left.count(), 0, "{name} leaves temporary files");
}

/// All scripts with known outcome.
#[test]
fn scripts_with_known_outcome() {
    let expected = json(include_str!("../testdata/svl/expected.json"));
    let scripts = expected["scripts"].as_array().expect("scripts");
    assert_eq!(scripts.len(), 10);
    scripts.iter().for_each(check);
}

/// Whatever a file is called: nothing in its name is run.
#[test]
fn names_are_names() {
    let scratch = scratch();
    let buffer = scratch.read("buffer.aut");
    for name in [
        "a`touch x`.aut",
        "a$(touch x).aut",
        "a;touch x;.aut",
        "a'b.aut",
        "a b.aut",
        "-a.aut",
        "a&b.aut",
        "*.aut",
        "a$.aut",
    ] {
        scratch.write(name, &buffer);
        let text = format!(
            "\"{name}.bcg\" = strong reduction of \"{name}\" |[GET]| \"buffer.aut\";\n\
             \"{name}\" |= < true > true; expected TRUE;\n\
             \"d-{name}.seq\" = deadlock of \"{name}\" ||| hide PUT in \"{name}\";\n"
        );
        script(&scratch, &text, &[]).status(0);
        assert!(scratch.path(&format!("{name}.bcg")).exists(), "{name}");
        assert!(!scratch.path("x").exists(), "{name}");
    }
    // The same in values of variables, in which quotes and backslashes count for nothing.
    for name in ["a`touch x`", "a\"b", "a\\\"b", "$(touch x)"] {
        scratch.write(&format!("{name}.aut"), &buffer);
        scratch.write(
            "v.svl",
            "\"out.bcg\" = strong reduction of \"$N.aut\" ||| gate hide all but \"GET\" in \"$N.aut\";\n\
             check P (\"$N\"); property P (X) \"of $X\" is \"$X.aut\" |= < true > true; \
             expected TRUE; end property",
        );
        let define = format!("N={name}");
        scratch.run("svl", &["-v", &define, "v.svl"]).status(0);
        assert!(!scratch.path("x").exists(), "{name}");
    }
}

#[test]
fn lines_for_the_shell() {
    let scratch = scratch();
    let text = "% f () {\n\
                \"$1_min.aut\" = strong reduction of \"$1.aut\";\n\
                % }\n\
                % for N in buffer late ; do\n\
                % f $N\n\
                % done\n\
                % if test -f late_min.aut ; then\n\
                livelock of \"late_min.aut\" result FOUND; -- a comment\n\
                % else echo '(* ' \n\
                % exit 7\n\
                % fi\n\
                % if [ \"$FOUND\" = FALSE ]; then echo \"none: $1 $2\" > none.txt; fi\n\
                % E=\"$2\"\n\
                \"last.$E\" = \"late.aut\" ||| \"early.aut\";\n";
    // A comment does not begin in a line for the shell.
    scratch.write("x.svl", text);
    let run = scratch.run("svl", &["x", "one", "exp"]).status(0);
    assert!(
        run.text()
            .contains("\"buffer_min.aut\": 3 states, 4 transitions\n")
    );
    assert_eq!(verdicts(&run), ["FALSE"]);
    assert_eq!(scratch.read("none.txt"), "none: one exp\n");
    assert!(scratch.read("last.exp").contains("|||"));
    scratch.run("svl", &["x", "one", "aut"]).status(0);
    assert_eq!(size(&scratch, "last.aut"), (20, 31));
    // The status of the script's own.
    script(&scratch, "% exit 7\n", &[]).status(7);
    // A shell that does not understand a line says so before anything runs.
    let run = script(
        &scratch,
        "\"o.aut\" = \"late.aut\";\n% for N in 1 2\n% done\n",
        &[],
    );
    run.status(2)
        .says("x.svl:3:1: error: the shell finds an error");
    assert!(!scratch.path("o.aut").exists());
    script(&scratch, "% if true; then\n", &[])
        .status(2)
        .says("x.svl:");
}

#[test]
fn gates_are_in_upper_case_unless_told() {
    let scratch = scratch();
    scratch.write("l.aut", "des (0, 2, 3)\n(0, put, 1)\n(1, PUT, 2)\n");
    let text = "\"o.aut\" = hide put in \"l.aut\";";
    script(&scratch, text, &[]).status(0);
    assert!(scratch.read("o.aut").contains("(0, put, 1)"));
    for option in ["-case", "--keep-case"] {
        script(&scratch, text, &[option]).status(0);
        assert!(scratch.read("o.aut").contains("(1, PUT, 2)"), "{option}");
    }
}

#[test]
fn all_relations_serve() {
    let scratch = scratch();
    for relation in [
        "strong",
        "branching",
        "divbranching",
        "observational",
        "tau*.a",
        "safety",
        "trace",
        "weak trace",
        "tau-divergence",
        "tau-compression",
        "tau-confluence",
        "rooted-branching",
        "rooted-weak",
        "dpweak",
        "ready-sim",
        "sim",
    ] {
        let text = format!(
            "\"o.aut\" = {relation} reduction of \"lossy.aut\";\n\
             weak trace comparison \"o.aut\" == \"lossy.aut\"; expected TRUE;\n"
        );
        script(&scratch, &text, &[]).status(0);
        script(
            &scratch,
            &text.replace("tion of", "tion with bcg_min of"),
            &[],
        )
        .status(0);
    }
    for relation in ["sharp", "divsharp"] {
        let text = format!(
            "\"o.aut\" = root leaf {relation} reduction hold \"PUT\", GET of \"lossy.aut\" ||| \
             \"quiet.aut\";"
        );
        script(&scratch, &text, &[]).status(0);
    }
    // These depend on labels that are held.
    for (text, wanted) in [
        (
            "\"o.aut\" = sharp reduction of \"late.aut\";",
            "x.svl:1:11: error: sharp depends on",
        ),
        (
            "\"o.aut\" = leaf divsharp reduction of \"late.aut\" ||| \"late.aut\";",
            "x.svl:1:16: error: divsharp depends on",
        ),
        (
            "sharp comparison \"late.aut\" == \"late.aut\";",
            "x.svl:1:1: error: sharp depends on which labels are strong, and a comparison",
        ),
        (
            "\"o.aut\" = branching reduction hold A of \"late.aut\";",
            "x.svl:1:11: error: found `hold` with branching",
        ),
        (
            "\"o.aut\" = tau-confluence reduction hold A of \"late.aut\";",
            "x.svl:1:11: error: found `hold` with tau-confluence",
        ),
        (
            "% DEFAULT_REDUCTION_RELATION=sharp\n\"o.aut\" = reduction of \"late.aut\";",
            "x.svl:2: error: sharp depends on",
        ),
        (
            "\"o.aut\" = reduction hold A of \"late.aut\";",
            "x.svl:1: error: found `hold` with strong",
        ),
        (
            "% DEFAULT_COMPARISON_RELATION=divsharp\ncomparison \"late.aut\" == \"late.aut\";",
            "x.svl:2: error: divsharp depends on",
        ),
    ] {
        let run = script(&scratch, text, &[]).status(2).says(wanted);
        assert!(!run.stderr.contains("--strong-labels"), "{}", run.stderr);
    }
    for relation in [
        "eta",
        "failures",
        "weak-failures",
        "revivals",
        "coupled-sim",
        "2-nested-sim",
    ] {
        let text = format!("{relation} comparison \"late.aut\" == \"late.aut\"; expected TRUE;");
        script(&scratch, &text, &[]).status(0);
        let text = format!("\"o.aut\" = {relation} reduction of \"late.aut\";");
        let run = script(&scratch, &text, &[]).status(2);
        assert!(
            run.stderr
                .contains("x.svl:1:11: error: there is no smallest"),
            "{}",
            run.stderr
        );
    }
    scratch.write(
        "r.aut",
        "des (0, 2, 2)\n(0, \"rate 1\", 1)\n(0, \"rate 2\", 1)\n",
    );
    script(
        &scratch,
        "\"o.aut\" = stochastic branching reduction of \"r.aut\";",
        &[],
    )
    .status(0);
    assert!(scratch.read("o.aut").contains("rate 3"));
    // Variables choose.
    let text = "% DEFAULT_REDUCTION_RELATION=\"weak trace\"\n\
                % DEFAULT_COMPARISON_RELATION=trace ;\n\
                \"o.aut\" = reduction of \"lossy.aut\";\n\
                comparison \"early.aut\" == \"late.aut\"; expected TRUE;\n";
    script(&scratch, text, &[]).status(0);
    let text = "% DEFAULT_REDUCTION_RELATION=odd\n\"o.aut\" = reduction of \"lossy.aut\";\n";
    let run = script(&scratch, text, &[]).status(2);
    let run = run.says("x.svl:2: error: DEFAULT_REDUCTION_RELATION: unknown relation `odd`; there");
    assert!(run.stderr.contains("strong, ") && run.stderr.contains("tau-divergence"));
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    for strategy in ["leaf", "smart"] {
        let text = format!(
            "% DEFAULT_REDUCTION_RELATION=odd\n\
             \"o.aut\" = {strategy} reduction of \"late.aut\" ||| \"late.aut\";\n"
        );
        let run = script(&scratch, &text, &[]).status(2);
        run.says("DEFAULT_REDUCTION_RELATION: unknown relation `odd`");
    }
    let text = "% DEFAULT_COMPARISON_RELATION=odd\ncomparison \"late.aut\" == \"late.aut\";\n";
    let run = script(&scratch, text, &[]).status(2);
    run.says("x.svl:2: error: DEFAULT_COMPARISON_RELATION: unknown relation `odd`");
}

/// Properties that check themselves are told before anything runs; where a line for the shell
/// decides, they may.
#[test]
fn properties_within_themselves() {
    let scratch = scratch();
    let text = "property A is\n\"o.aut\" = \"late.aut\";\ncheck B (1);\nend property\n\
                property B (N) is\nproperty C is check D; end property\nend property\n\
                property D is\ncheck B (2);\nend property\n\
                property E (N) is check E (\"$N\"); end property\n\
                property F (N) is check F (\"$N\"); end property\n\
                check E (1);\n";
    let run = script(&scratch, text, &[]).status(2);
    assert_eq!(run.text(), "");
    let run = run.says("x.svl:9:1: error: the property `B` is checked within itself");
    let run = run.says("x.svl:11:19: error: the property `E` is checked within itself");
    assert_eq!(run.stderr.lines().count(), 2, "{}", run.stderr);
    let text = "property A (N) is\n% if [ \"$N\" -gt 0 ]; then\n% M=$((N - 1))\n\
                check A (\"$M\");\n% fi\n\
                livelock of \"late.aut\"; expected FALSE;\nend property\n\
                check A (3);\n";
    let run = script(&scratch, text, &[]).status(0);
    assert_eq!(properties(&run).len(), 4);
    let text = "property A is\n% echo deeper\ncheck A;\ncheck A;\nend property\n";
    for option in ["-silent", "-ignore"] {
        let run = script(&scratch, text, &[option]).status(2);
        run.says("x.svl:1: error: 200 properties are checked within one another");
    }
}

/// Beside a network are the files that it names, and no others.
#[test]
fn networks_leave_what_they_consist_of() {
    for behaviour in [
        "(smart branching reduction of (\"late.aut\" ||| \"early.aut\")) ||| \"late.aut\"",
        "smart branching reduction of hide A in \"late.aut\" ||| \"early.aut\" end hide",
        "(root leaf branching reduction of (\"late.aut\" ||| \"early.aut\")) ||| \"late.aut\"",
        "(generation of (\"late.aut\" ||| (strong reduction of \"early.aut\"))) ||| \"late.aut\"",
    ] {
        for target in ["out", "sub/out"] {
            let scratch = scratch();
            fs::create_dir(scratch.path("sub")).expect("a folder");
            let before = files(&scratch);
            script(&scratch, &format!("\"{target}.exp\" = {behaviour};\n"), &[]).status(0);
            let named = scratch.run("reach", &["--depend", &format!("{target}.exp")]);
            let named: Vec<&str> = named.text().lines().collect();
            let made = files(&scratch).into_iter().filter(|f| !before.contains(f));
            for file in made.filter(|file| !file.starts_with("x.")) {
                let is_named = named.iter().any(|name| name.ends_with(&file));
                assert!(is_named, "{behaviour}: {file} is not among {named:?}");
            }
            let file = format!("{target}.exp");
            scratch.run("reach", &[&file, "-o", "all.aut"]).status(0);
        }
    }
}

/// The files of a folder and of `sub` in it.
fn files(scratch: &Scratch) -> Vec<String> {
    let mut all = Vec::new();
    for folder in ["", "sub/"] {
        for entry in fs::read_dir(scratch.path(folder)).expect("a folder") {
            let entry = entry.expect("a file");
            if entry.file_type().expect("a type").is_file() {
                let name = entry.file_name().into_string().expect("ASCII");
                all.push(format!("{folder}{name}"));
            }
        }
    }
    all
}

#[test]
fn what_is_known_not_to_work_is_told_first() {
    let scratch = scratch();
    let text = "\"o.aut\" = \"late.aut\";\n\
                odd comparison \"late.aut\" == \"late.aut\";\n\
                observational comparison \"late.aut\" <= \"late.aut\";\n\
                \"p.aut\" = leaf tau*.a reduction of \"late.aut\" ||| \"late.aut\";\n\
                divsharp comparison \"late.aut\" >= \"late.aut\";\n\
                verify \"f.xtl\" in \"late.aut\";\n\
                verify \"f.mcl\" with xtl in \"late.aut\";\n\
                \"x.lotos\" = \"late.aut\";\n\
                stochastic strong comparison \"late.aut\" == \"late.aut\";\n\
                tau-confluence comparison \"late.aut\" == \"late.aut\";\n\
                \"q.aut\" = node branching reduction of prio A > B in \"late.aut\" ||| \"late.aut\" end prio;\n";
    let run = script(&scratch, text, &[]).status(2);
    assert_eq!(run.text(), "");
    assert!(!scratch.path("o.aut").exists());
    let lines: Vec<&str> = run.stderr.lines().collect();
    let place = |line: &&str| line.split(':').nth(1).map(str::to_owned);
    let places: Vec<_> = lines.iter().filter_map(place).collect();
    assert_eq!(
        places,
        ["2", "4", "5", "6", "7", "8", "9", "10", "11"],
        "{}",
        run.stderr
    );
    // The rest is run if errors are to be ignored.
    let text = "\"o.aut\" = \"late.aut\";\n\"p.aut\" = generation of \"p.lnt\";\n\
                \"q.aut\" = \"o.aut\";\n";
    for option in ["-ignore", "--keep-going"] {
        script(&scratch, text, &[option])
            .status(2)
            .says("lnt.open p.lnt generator p.bcg");
        assert!(scratch.path("q.aut").exists());
        fs::remove_file(scratch.path("q.aut")).unwrap();
    }
    script(&scratch, text, &[])
        .status(2)
        .says("x.svl:2:25: error");
    assert!(!scratch.path("q.aut").exists());
    // What is known and not supported counts as that.
    let text = "\"a.aut\" = \"late.aut\";\n\
                \"b.aut\" = refined abstraction \"early.aut\" of \"late.aut\";\n\
                \"c.aut\" = generation of \"m.lotos\";\n\
                \"d.exp\" = \"early.aut\" ||| fifo 20000 [A, B];\n\
                deadlock of abstraction \"early.aut\", \"late.aut\" of \"late.aut\";\n\
                \"e.aut\" = \"early.aut\";\n";
    let run = script(&scratch, text, &[]).status(2);
    for place in ["2:11", "3:25", "4:27", "5:13"] {
        assert!(run.stderr.contains(&format!("x.svl:{place}: error")));
    }
    assert!(!scratch.path("a.aut").exists());
    let run = script(&scratch, text, &["-ignore"]).status(2);
    for line in [2, 4, 5] {
        assert!(run.stderr.contains(&format!("svl: x.svl:{line}: error")));
    }
    for (name, is_made) in [
        ("a.aut", true),
        ("b.aut", false),
        ("c.aut", false),
        ("d.exp", false),
        ("e.aut", true),
    ] {
        assert_eq!(scratch.path(name).exists(), is_made, "{name}");
    }
    let text = "% include \"other.svl\"\n\"a.aut\" = \"late.aut\";\n% echo after\n";
    fs::remove_file(scratch.path("a.aut")).unwrap();
    for options in [&[][..], &["-ignore"]] {
        let run = script(&scratch, text, options).status(2);
        let run = run.says("x.svl:1:1: error: `include \"other.svl\"` is not supported: put");
        assert_eq!(run.text().contains("after"), !options.is_empty());
    }
    assert!(scratch.path("a.aut").exists());
    // With what is found when parts are spelt out.
    let chain = " || \"late.aut\"".repeat(200);
    let text = format!(
        "verify \"f.xtl\" in \"late.aut\";\n\
         \"a.aut\" = node strong reduction of \"late.aut\"{chain};\n"
    );
    script(&scratch, &text, &[])
        .status(2)
        .says("x.svl:1:1: error")
        .says("x.svl:2:11: error");
}

/// Formulas too, unless what is not known yet may make sense of them.
#[test]
fn malformed_formulas_are_told_first() {
    let scratch = scratch();
    fs::write(scratch.path("bad.mcl"), "true\nand or").unwrap();
    let first = "\"o.aut\" = \"late.aut\";\n";
    for (statement, told) in [
        (
            "\"late.aut\" |= [true* <true> true;",
            "x.svl:2:22: error: found `<`",
        ),
        (
            "\"late.aut\" |=\n  <true> X;",
            "x.svl:3:10: error: unknown variable X",
        ),
        (
            "\"late.aut\" |= true and\n  MINE (\"COIN\");",
            "x.svl:3:3: error: MINE is no function",
        ),
        (
            "property P is \"late.aut\" |= <; expected TRUE; end property",
            "x.svl:2:30: error",
        ),
        (
            "verify \"bad.mcl\" in \"late.aut\";",
            "x.svl:2:1: error: bad.mcl:2:5: ",
        ),
    ] {
        let run = script(&scratch, &format!("{first}{statement}\n"), &[]).status(2);
        assert!(run.stderr.contains(told), "{statement}: {}", run.stderr);
        assert!(!scratch.path("o.aut").exists(), "{statement}");
    }
    for text in [
        // Of a library that comes first, or is included.
        "% DEFAULT_MCL_LIBRARIES=mine.mcl\n\"late.aut\" |= MINE (\"COIN\");\n",
        "\"late.aut\" |= library \"mine.mcl\" end_library MINE (\"COIN\");\n",
        // A line writes the file.
        "% echo true > bad.mcl\nverify \"bad.mcl\" in \"late.aut\";\n",
    ] {
        let mine = "macro MINE (A) = <A> true end_macro\n";
        fs::write(scratch.path("mine.mcl"), mine).unwrap();
        let run = script(&scratch, &format!("{first}{text}"), &[]).status(0);
        assert_eq!(verdicts(&run), ["TRUE"], "{text}");
    }
}

#[test]
fn sources_that_have_to_be_compiled() {
    let scratch = scratch();
    let text = "% DEFAULT_PROCESS_FILE=\"m.lnt\" ;\n\
                \"o.aut\" = strong reduction of AGENT [a, B] (1) ||| AGENT [A, b] (2) ||| DIR [A];\n\
                \"r.aut\" = generation of \"r.lotos\" : \"P [A, B] (3)\";\n\
                \"s.aut\" = \"MAIN [A]\";\n";
    let run = script(&scratch, text, &[]).status(2);
    for part in [
        "x.svl:2:31: error",
        "x.svl:2:52",
        "x.svl:2:73",
        "x.svl:3:25",
        "x.svl:4:11",
        "m:AGENT(1).bcg",
        "m:AGENT(2).bcg",
        "m:DIR.bcg",
        "r:P.bcg",
        "m:MAIN.bcg",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let late = scratch.read("late.aut");
    for name in [
        "m:AGENT(1).aut",
        "m:AGENT(2).aut",
        "m:DIR[A].aut",
        "r:P(3).aut",
    ] {
        scratch.write(name, &late);
    }
    script(&scratch, text, &["--lts", "MAIN=buffer.aut"])
        .status(0)
        .says("note: \"buffer.aut\" takes the place of \"m.lnt\" MAIN [A]");
    assert_eq!(size(&scratch, "s.aut"), (3, 4));
    // One for several instances would be wrong.
    fs::rename(scratch.path("m:AGENT(1).aut"), scratch.path("m:AGENT.aut")).unwrap();
    script(&scratch, text, &["--lts", "MAIN=buffer.aut"])
        .status(2)
        .says("m:AGENT(1).bcg");
    // What an earlier run has written is no source of this one.
    scratch.write("whole.bcg", &late);
    for text in [
        "\"whole.bcg\" = generation of \"any.lnt\" : \"Main\";",
        "\"whole.bcg\" = \"any.lnt\";",
        "% N=any\n\"whole.bcg\" = \"$N.lnt\";",
    ] {
        script(&scratch, text, &[]).status(2).says("any.lnt");
    }
    // What is told to be run can be copied, also where the values of variables tell it.
    let process = "P [A] (1 of Nat, \\\"it's\\\")";
    for (text, result) in [
        (
            format!("\"x.bcg\" = \"my m.lnt\":\"{process}\";"),
            "my m:P.bcg",
        ),
        (
            format!("% M='my m'\n\"x.bcg\" = \"$M.lnt\":\"{process}\";"),
            "my m:P[A](1ofNat,\"it's\").bcg",
        ),
    ] {
        let run = script(&scratch, &text, &[]).status(2);
        let (_, rest) = run.stderr.split_once("run `lnt.open ").expect("a command");
        let (words, _) = rest.split_once('`').expect("its end");
        scratch
            .shell(&format!("printf '%s\\n' {words}"))
            .prints(&format!(
                "-root\nP [A] (1 of Nat, \"it's\")\nmy m.lnt\ngenerator\n{result}\n"
            ));
    }
    // It may be made by the script.
    let text = "% cp late.aut later.aut\n\"o.aut\" = \"later.lnt\";\n";
    script(&scratch, text, &[])
        .status(0)
        .says("takes the place of \"later.lnt\"");
}

#[test]
fn incremental_runs_make_again_what_would_differ() {
    let scratch = scratch();
    let text = "\"a.bcg\" = branching reduction of hide using \"k.hid\" in \"buffer2.aut\";\n\
                \"b.aut\" = \"a.bcg\" ||| \"net.exp\";\n\
                \"d.seq\" = deadlock of \"late.aut\"; expected TRUE;\n\
                verify \"f.mcl\" in \"b.aut\"; expected TRUE;\n\
                \"late.aut\" |= < true > true; expected TRUE;\n";
    scratch.write("k.hid", "hide\nGET\n");
    scratch.write("net.exp", "late");
    scratch.write("f.mcl", "library l.mcl end_library OFTEN");
    scratch.write("l.mcl", "macro OFTEN = < true > true end_macro");
    let fresh = |run: &Run| run.text().matches(": as it was").count();
    let run = |options: &[&str]| script(&scratch, text, options).status(0);
    let commands = || scratch.read("x.log").matches("   $ hyades").count();
    let first = run(&["--incremental"]);
    assert_eq!((fresh(&first), commands()), (0, 5));
    let second = run(&["-i"]);
    assert_eq!((fresh(&second), commands()), (2, 0));
    assert_eq!(verdicts(&second), ["TRUE", "TRUE", "TRUE"]);
    // CADP's behaviour makes all again.
    assert_eq!((fresh(&run(&[])), commands()), (0, 5));
    assert_eq!(commands(), 5);
    // What changes is made again, and what depends on it; also if it was made by hand.
    let after = |change: &dyn Fn(), count: usize| {
        run(&["-i"]);
        change();
        run(&["-i"]);
        assert_eq!(commands(), count);
    };
    after(&|| drop(scratch.write("k.hid", "hide\nPUT\n")), 3);
    after(&|| drop(scratch.write("b.aut", "des (0, 0, 1)\n")), 1);
    after(&|| fs::remove_file(scratch.path("d.seq")).unwrap(), 1);
    after(
        &|| drop(scratch.write("late.aut", "des (0, 1, 2)\n(0, A, 1)\n")),
        4,
    );
    after(
        &|| drop(scratch.write("l.mcl", "macro OFTEN = < \"A\" > true end_macro")),
        1,
    );
    // What is touched and not changed is not.
    after(&|| drop(scratch.write("f.mcl", scratch.read("f.mcl"))), 0);
    // Another option, or another value.
    run(&["-i"]);
    run(&["-i", "--max-states", "1000"]);
    assert_eq!(commands(), 5);
}

#[test]
fn clean_and_sweep() {
    let scratch = scratch();
    let before = scratch.names();
    let text = "\"a.bcg\" = branching reduction of \"late.aut\" ||| \"late.aut\";\n\
                \"n.exp\" = (strong reduction of \"late.aut\") ||| \"late.aut\";\n\
                \"d.seq\" = deadlock of \"a.bcg\";\n";
    scratch.write("x.svl", text);
    let with_script = scratch.names();
    scratch
        .run("svl", &["-debug", "--incremental", "x.svl"])
        .status(0);
    let made = scratch.names();
    for name in [
        "a.bcg",
        "n.exp",
        "n_1.bcg",
        "d.seq",
        "x.log",
        "x.made",
        "svl001_a.exp",
    ] {
        assert!(made.contains(&name.to_owned()), "{name} of {made:?}");
    }
    scratch.run("svl", &["-sweep", "x"]).ok();
    assert!(!scratch.names().contains(&"svl001_a.exp".to_owned()));
    assert!(scratch.names().contains(&"a.bcg".to_owned()));
    scratch.run("svl", &["-clean", "x"]).ok();
    assert_eq!(scratch.names(), with_script);
    // There is nothing left to do.
    scratch.run("svl", &["--clean", "x.svl"]).ok();
    // A log is not believed about what lies elsewhere.
    let other = Scratch::new();
    other.write("kept.txt", "kept");
    let line = format!("file: {}\n", other.path("kept.txt").display());
    scratch.write("x.log", line);
    scratch
        .run("svl", &["--clean", "x"])
        .status(0)
        .says("is left");
    assert_eq!(other.read("kept.txt"), "kept");
    fs::remove_file(scratch.path("x.svl")).unwrap();
    assert_eq!(scratch.names(), before);
}

#[test]
fn links_are_replaced_not_followed() {
    let scratch = scratch();
    let late = scratch.read("late.aut");
    let link = |target: &str| {
        let _ = fs::remove_file(scratch.path("link.aut"));
        symlink(target, scratch.path("link.aut")).unwrap();
    };
    let is_link = || fs::read_link(scratch.path("link.aut")).is_ok();
    for statement in [
        // Of another file, of the one it points to, and of itself.
        "\"link.aut\" = generation of \"buffer.aut\";\n",
        "\"link.aut\" = strong reduction of \"late.aut\";\n",
        "\"link.aut\" = strong reduction of \"link.aut\";\n",
    ] {
        link("late.aut");
        script(&scratch, statement, &[]).ok();
        assert!(!is_link(), "{statement}");
        assert_ne!(scratch.read("link.aut"), late, "{statement}");
        assert_eq!(scratch.read("late.aut"), late, "{statement}");
        let names = scratch.names();
        assert!(!names.iter().any(|name| name.contains(".tmp")), "{names:?}");
    }
    // One that points nowhere makes nothing there.
    link("none.aut");
    script(
        &scratch,
        "\"link.aut\" = generation of \"late.aut\";\n",
        &[],
    )
    .ok();
    assert!(!is_link() && !scratch.path("none.aut").exists());
}

#[test]
fn hostile_scripts() {
    let scratch = scratch();
    script(&scratch, "", &[]).ok();
    script(&scratch, "(* nothing *) -- at all", &[]).ok();
    for (text, place) in [
        ("\"a", "1:1: error: the text is not closed"),
        ("(* a", "1:1: error: the comment is not closed"),
        (
            "property P is",
            "1:14: error: found the end of the script, expected `end property`",
        ),
        ("\"a.aut\" |= {", "1:12: error: the brace is not closed"),
        (
            "\"a.aut\" |= ",
            "1:12: error: found the end of the script, expected a formula",
        ),
        ("check P;", "1:1: error: there is no property `P`"),
        (
            "property P (A) is end property check P;",
            "1:32: error: found 0 arguments",
        ),
        (
            "expected TRUE;",
            "1:1: error: `expected` belongs behind a verification",
        ),
        (
            "\"a.aut\" = \"b.aut\" % x",
            "1:19: error: a line for the shell",
        ),
        (
            "\"a.aut\" = hide end in \"b.aut\";",
            "1:16: error: found `end`",
        ),
        (
            "\"a.aut\" = x;",
            "1:11: error: found `x`, expected a behaviour",
        ),
        ("\u{1}", "1:1: error: unexpected character"),
    ] {
        let run = script(&scratch, text, &[]).status(2);
        assert!(run.stderr.contains(place), "{text}: {}", run.stderr);
    }
    scratch.write("x.svl", [0xff, 0, 1, 0xc3]);
    scratch.run("svl", &["x.svl"]).status(2).says("UTF-8");
    scratch.write(
        "x.svl",
        b"-- caf\xe9\n(* \xe9 *)\n\"a.aut\" = \"late.aut\";\n",
    );
    scratch.run("svl", &["x.svl"]).status(0);
    // No depth is too much for the stack.
    for open in [
        "(",
        "generation of ",
        "hide A in ",
        "strong reduction of ",
        "leaf reduction of ",
    ] {
        let text = format!("\"a.aut\" = {}\"late.aut\";", open.repeat(100_000));
        script(&scratch, &text, &[])
            .status(2)
            .says("levels are nested");
    }
    let text = format!("{} check Q;", "property P is ".repeat(100_000));
    script(&scratch, &text, &[]).status(2);
    let long = format!(
        "\"a.exp\" = \"late.aut\"{};",
        " ||| \"late.aut\"".repeat(20_000)
    );
    script(&scratch, &long, &[]).status(0);
    assert_eq!(scratch.read("a.exp").matches("late.aut").count(), 20_001);
    fs::create_dir(scratch.path("d.svl")).unwrap();
    scratch.run("svl", &["d.svl"]).status(2);
    scratch.run("svl", &["nowhere"]).status(2).says("nowhere");
    let text = "\"a.aut\" = \"nowhere.aut\";\n\"b.aut\" = \"late.aut\";\n";
    scratch.write("a.aut", "old");
    let run = script(&scratch, text, &[]).status(2);
    assert!(run.stderr.contains("x.svl:1: error"), "{}", run.stderr);
    // What could not be made is not there as it was, unless it is what was to be made
    // from.
    assert!(!scratch.path("a.aut").exists());
    assert!(!scratch.path("b.aut").exists());
    scratch.write("c.aut", "no system");
    script(&scratch, "\"c.aut\" = strong reduction of \"c.aut\";", &[]).status(2);
    assert_eq!(scratch.read("c.aut"), "no system");
    script(
        &scratch,
        "\"late.aut\" = strong reduction of \"late.aut\";",
        &[],
    )
    .status(0);
    assert_eq!(size(&scratch, "late.aut"), (3, 3));
    script(
        &scratch,
        "\"a.aut\" = \"late.aut\";",
        &["--stats", "s.json"],
    )
    .status(2);
    script(&scratch, "\"a.aut\" = \"late.aut\";", &["-o", "o"]).status(2);
    script(&scratch, "% f=1\n", &["-v", "1x=2"]).status(2);
    script(&scratch, "% f=1\n", &["--define", "1x=2"])
        .status(2)
        .says("no name of a variable");
}

#[test]
fn ends() {
    let scratch = scratch();
    // A limit, an expectation, both with an error.
    let text = "\"o.aut\" = \"buffer3.aut\" ||| \"buffer3.aut\";\n";
    script(&scratch, text, &["--max-states", "10"])
        .status(3)
        .says("x.svl:1: error: a limit");
    let text = "deadlock of \"late.aut\"; expected FALSE;\n\"o.aut\" = \"late.aut\";\n";
    let run = script(&scratch, text, &[]).status(1);
    assert!(
        run.text().contains("TRUE\nFAIL: expected FALSE\n"),
        "{}",
        run.text()
    );
    assert!(scratch.path("o.aut").exists());
    script(
        &scratch,
        &format!("{text}\"p.aut\" = \"no.aut\";"),
        &["-ignore"],
    )
    .status(2);
    let text = "deadlock of \"late.aut\"; result R expected \"$W\";\n% echo \"$R\" > r.txt\n";
    script(&scratch, text, &["-v", "W=TRUE"]).status(0);
    assert_eq!(scratch.read("r.txt"), "TRUE\n");
    script(&scratch, text, &[])
        .status(2)
        .says("expected TRUE or FALSE");
    for option in ["-silent", "-q", "--quiet"] {
        script(&scratch, text, &[option, "-D", "W=TRUE"])
            .status(0)
            .prints("TRUE\n");
    }
    let text = "% GENERATOR_OPTIONS=\"-hide x.hid\"\n\"o.aut\" = \"late.aut\";\n";
    script(&scratch, text, &[])
        .status(2)
        .says("GENERATOR_OPTIONS has the option -hide");
    for variable in [
        "BCG_CMP_OPTIONS",
        "BCG_LABELS_OPTIONS",
        "EVALUATOR3_OPTIONS",
        "EVALUATOR4_OPTIONS",
        "EXHIBITOR_OPTIONS",
        "FSP_OPEN_OPTIONS",
        "LOTOS_OPEN_OPTIONS",
        "SEQ_OPEN_OPTIONS",
        "TERMINATOR_OPTIONS",
    ] {
        let text = format!("% {variable}='-stat\t-rename  t.ren'\n\"o.aut\" = \"late.aut\";\n");
        script(&scratch, &text, &[])
            .status(2)
            .says(&format!("{variable} has the option -rename"));
    }
    script(
        &scratch,
        "% CAESAR_OPTIONS=\"-more cat\" CADP_TIME=memtime\n\"o.aut\" = \"late.aut\";\n",
        &[],
    )
    .status(0);
}

/// What fails within a statement and is no error does not end a script that says `set -e`.
#[test]
fn errexit_and_nounset_end_nothing_but_lines() {
    let text = "% set -eu\n\
                \"q.aut\" = \"buffer.aut\";\n\
                \"r.aut\" = hide PUT in \"q.aut\";\n\
                \"n.exp\" = (strong reduction of \"buffer.aut\") |[GET]| \"buffer2.aut\" -|| \"buffer.aut\";\n\
                \"s.bcg\" = smart branching reduction of \"buffer.aut\" ||| hide GET in \"late.aut\";\n\
                \"t.bcg\" = partial tau*.a reduction of \"late.aut\";\n\
                \"u.bcg\" = sharp reduction hold TAU of abstraction \"early.aut\" sync \"A.*\" of \"late.aut\";\n\
                \"d.bcg\" = strong comparison \"early.aut\" == \"late.aut\"; expected FALSE;\n\
                comparison \"early.aut\" <= \"late.aut\";\n\
                \"l.seq\" = livelock of \"early.aut\"; result R expected FALSE;\n\
                deadlock of \"early.aut\";\n\
                % echo \"$R\"\n\
                \"early.aut\" |= < true > true;\n\
                property P (N) \"of $N\" is\n\
                \"$N.aut\" |= < \"NEVER\" > true;\n\
                expected TRUE;\n\
                property Q is livelock of \"early.aut\"; end property\n\
                end property\n\
                check P (early);\n\
                % echo \"in pipes\" | while read -r LINE; do\n\
                \"q.aut\" = \"n.exp\";\n\
                % done\n\
                % f () {\n\
                \"q.aut\" = stop;\n\
                % }\n\
                % X=$(f)\n\
                % echo \"$X\"\n\
                % echo after\n";
    let run = |text: &str, shell: &str, options: &[&str]| {
        let scratch = scratch();
        scratch.write("x.svl", text);
        let printed = scratch.run("svl", &[options, &["--script", "x.svl"]].concat());
        scratch.write("x.sh", printed.ok().text());
        // The second run knows what the first one has made.
        scratch.shell(&format!("{shell} x.sh")).status(1);
        let run = scratch.shell(&format!("{shell} x.sh")).status(1);
        assert!(run.text().contains("\nafter\n"), "{shell}: {}", run.text());
        run.text().to_owned()
    };
    let plain = text.replacen("% set -eu\n", "", 1);
    for (options, shells) in [
        (&[][..], &["sh", "bash --posix -e"][..]),
        (&["--incremental"], &["sh -eu"]),
    ] {
        let expected = run(&plain, "sh", options);
        for shell in shells {
            assert_eq!(run(text, shell, options), expected, "{shell}");
        }
    }
    let scratch = scratch();
    scratch.write("x.svl", &plain);
    for _ in 0..2 {
        scratch.run("svl", &["-sh", "-eu", "x.svl"]).status(1);
    }
    // A shell that only reads the program leaves it to be removed.
    fs::create_dir(scratch.path("tmp")).unwrap();
    for options in ["-n", "-eu", "--bogus"] {
        let mut command = scratch.command("svl", &["-sh", options, "x.svl"]);
        command.env("TMPDIR", scratch.path("tmp"));
        let run = util::finish(command);
        assert_eq!(run.status.success(), options == "-n", "{options}");
        let left = fs::read_dir(scratch.path("tmp")).unwrap().count();
        assert_eq!(left, 0, "{options}");
    }
    // Verdicts that nobody can get are an error.
    scratch
        .shell("svl x.svl >&-")
        .says("cannot write to standard output");
    // A line of the shell ends it all the same.
    let text = "% set -e\n\"q.aut\" = \"buffer.aut\";\n% false\n% echo after\n";
    let run = script(&scratch, text, &[]).status(1);
    assert!(!run.text().contains("after"));
}

#[test]
fn pipes_and_interrupts() {
    let scratch = scratch();
    let lines = "\"o.aut\" = \"late.aut\";\n".repeat(20);
    scratch.write("x.svl", lines);
    let run = scratch
        .shell("svl x | head -n 1; echo ${PIPESTATUS[0]}")
        .status(0);
    assert!(run.text().ends_with("\n141\n"), "{}", run.text());
    assert_eq!(run.stderr, "");
    // An interrupted run leaves nothing half done, and no command running.
    let many = ["\"buffer3.aut\""; 9].join(" ||| ");
    let text = format!("\"late.bcg\" = \"late.aut\";\n\"o.aut\" = strong reduction of {many};\n");
    scratch.write("x.svl", text);
    fs::remove_file(scratch.path("o.aut")).unwrap();
    fs::create_dir(scratch.path("tmp")).unwrap();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        let mut command = mortal(scratch.command("svl", &["x.svl"]));
        let child = command.env("TMPDIR", scratch.path("tmp")).spawn().unwrap();
        let running = || {
            let log = fs::read_to_string(scratch.path("x.log")).unwrap_or_default();
            log.contains("$ hyades minimize") && !log.contains("end: signal")
        };
        while !running() {
            thread::sleep(Duration::from_millis(10));
        }
        kill(Pid::from_raw(child.id().try_into().unwrap()), signal).unwrap();
        wait(child, format!("{signal}")).signal(signal as i32);
        let left = scratch.names();
        let left = left
            .iter()
            .filter(|n| n.starts_with("svl") || n.contains("o.aut"));
        let left: Vec<_> = left.collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
        assert_eq!(
            fs::read_dir(scratch.path("tmp")).unwrap().count(),
            0,
            "{signal}"
        );
        assert!(scratch.path("late.bcg").exists());
        fs::remove_file(scratch.path("x.log")).unwrap();
    }
}

/// A pipe that is closed early ends what writes to it, and neither the rest of the script nor
/// what is behind it; `return` ends what a property checks.
#[test]
fn pipes_closed_early_and_returns() {
    let scratch = scratch();
    let true_ = "\"early.aut\" |= < true > true;\n";
    scratch.write(
        "x.svl",
        format!(
            "% {{\n{}% }} | grep -q TRUE && echo some\n\"p.aut\" = \"early.aut\";\n% echo END\n",
            true_.repeat(4)
        ),
    );
    let run = scratch.run("svl", &["x"]).status(0);
    assert!(
        run.text().starts_with("some\n") && run.text().ends_with("END\n"),
        "{}",
        run.text()
    );
    assert!(scratch.path("p.aut").exists());
    scratch.write(
        "x.svl",
        format!(
            "% f () {{\n{}% }}\n% f | grep -q TRUE\n% V=$(f | tail -n 1)\n% echo \"V=$V\"\n",
            true_.repeat(3)
        ),
    );
    let run = scratch.run("svl", &["x"]).status(0);
    assert!(run.text().ends_with("V=TRUE\n"), "{}", run.text());
    scratch.write(
        "x.svl",
        "property P is\n\"early.aut\" |= false; expected TRUE;\n% return 0\nend property\n\
         property Q is \"early.aut\" |= true; expected TRUE; end property\n",
    );
    let run = scratch.run("svl", &["-q", "x"]).status(1);
    assert!(run.text().contains("\nproperty Q\n"), "{}", run.text());
    assert!(
        run.text().ends_with("properties: 2, PASS 1, FAIL 1\n"),
        "{}",
        run.text()
    );
}

/// What has failed is known when nobody reads what is said of it, and leaves no files.
#[test]
fn what_fails_in_a_closed_pipe_is_known() {
    let scratch = scratch();
    scratch.write("junk.aut", "junk");
    scratch.write("sys.aut", scratch.read("early.aut"));
    let wrong = "\"sys.aut\" = strong reduction of \"junk.aut\";\n";
    let after = "\"sys.aut\" |= < true > true; expected TRUE;\n";
    scratch.write(
        "x.svl",
        format!("% {{\n{wrong}% }} 2>&1 | head -n 1\n{after}"),
    );
    scratch.run("svl", &["x"]).status(2);
    assert!(!scratch.path("sys.aut").exists());
    let expected = "\"early.aut\" |= < true > true; expected TRUE;\n\
        \"early.aut\" |= < true > true; expected FALSE;\n";
    let of = |items: &str| format!("property P is\n{items}end property\n% echo END\n");
    scratch.write("x.svl", of(&format!("% {{\n{expected}% }} | head -n 1\n")));
    let run = scratch.run("svl", &["-q", "x"]).status(1);
    assert!(run.text().contains("FAIL (1 of 2)"), "{}", run.text());
    let made = "\"o.aut\" = strong reduction of hide GET in (\"buffer3.aut\" ||| \"early.aut\");\n";
    scratch.write("x.svl", format!("% {{\n{made}% }} | head -n 1\n"));
    scratch.run("svl", &["x"]).status(0);
    assert!(!scratch.names().iter().any(|name| name.starts_with("svl0")));
    // A condition that does not hold is no error of the shell.
    let text = of(&format!("{after}% [ -f nofile ] && echo yes\n")).replace("sys.aut", "early.aut");
    scratch.write("x.svl", format!("% set -e\n{text}"));
    let run = scratch.run("svl", &["-q", "x"]).status(0);
    assert!(run.text().contains("END\n"), "{}", run.text());
}

/// Interrupted from the keyboard, which reaches all processes, also what runs in pipes and
/// parentheses ends.
#[test]
fn interrupts_in_subshells() {
    let many = ["\"buffer3.aut\""; 9].join(" ||| ");
    let around = [
        ("(", ")"),
        ("{", "} | cat"),
        ("( {", "} | cat )"),
        // Ignored there.
        ("(", ") &\n% wait"),
    ];
    for (before, after) in around {
        let scratch = scratch();
        scratch.write(
            "x.svl",
            format!("% {before}\n\"o.aut\" = strong reduction of {many};\n% {after}\n"),
        );
        let mut command = mortal(scratch.command("svl", &["x.svl"]));
        let child = command.process_group(0).spawn().unwrap();
        let group = Pid::from_raw(child.id().try_into().unwrap());
        let log = || fs::read_to_string(scratch.path("x.log")).unwrap_or_default();
        while !log().contains("$ hyades minimize") {
            thread::sleep(Duration::from_millis(10));
        }
        killpg(group, Signal::SIGINT).unwrap();
        wait(child, before.to_owned()).signal(Signal::SIGINT as i32);
        // The group is that of all that the script has started.
        let commands = fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let stat = fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
            let (name, rest) = stat.rsplit_once(") ")?;
            let fields: Vec<&str> = rest.split(' ').collect();
            let is_running = fields[0] != "Z" && fields[2] == group.to_string();
            (is_running && name.contains("(hyades")).then(|| name.to_owned())
        });
        assert_eq!(commands.collect::<Vec<_>>(), [""; 0], "{before}");
        let names = scratch.names();
        assert!(
            !names.iter().any(|n| n == "o.aut" || n.starts_with("svl")),
            "{names:?}"
        );
    }
}

#[test]
fn printed_scripts() {
    let scratch = scratch();
    let text =
        "\"o.aut\" = root leaf branching reduction of hide a in \"late.aut\" ||| \"early.aut\";\n";
    for option in ["-expand", "--expand", "--spell-out"] {
        script(&scratch, text, &[option]).ok().prints(
            "\"o.aut\" = branching reduction of hide \"A\" in (branching reduction of \
             \"late.aut\") ||| (branching reduction of \"early.aut\") end hide;\n",
        );
    }
    scratch.write("x.svl", text);
    scratch
        .run("svl", &["-expand", "x", "-output", "y.svl"])
        .ok();
    scratch.run("svl", &["y.svl"]).status(0);
    let expanded = scratch.read("o.aut");
    for option in ["-script", "--script"] {
        let program = script(&scratch, text, &[option]).ok();
        scratch.write("p.sh", program.text());
        fs::remove_file(scratch.path("o.aut")).unwrap();
        scratch.shell("sh p.sh").status(0);
        assert_eq!(scratch.read("o.aut"), expanded);
    }
    // Other shells do the same.
    for shell in ["bash", "bash --posix", "dash", "busybox sh"] {
        let run = scratch.shell(&format!("{shell} -c true && {shell} p.sh"));
        assert!(
            matches!(run.status.code(), Some(0 | 127)),
            "{shell}: {}",
            run.stderr
        );
    }
    assert!(
        scratch
            .read("x.log")
            .contains("   $ hyades minimize -e branching")
    );
    scratch.run("svl", &["-help"]).ok();
    scratch.run("svl", &["-version"]).ok();
    // The only script need not be named.
    let other = Scratch::new();
    other.run("svl", &[]).status(2).says("which script");
    other.write("only.svl", "% echo here\n");
    other.run("svl", &[]).ok().prints("here\n");
    other.write("two.svl", "");
    other.run("svl", &[]).status(2).says("which script");
    // From standard input, and with options for the shell.
    other
        .feed("svl", &["-"], "% echo \"$1\"\n")
        .ok()
        .prints("\n");
    other
        .run("svl", &["-sh", "-u", "only.svl"])
        .ok()
        .prints("here\n");
}

#[test]
fn where_nothing_can_be_written() {
    let scratch = scratch();
    let text = "deadlock of \"late.aut\"; expected TRUE;\n";
    scratch.write("x.svl", text);
    let folder = scratch.path("");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let run = scratch.run("svl", &["x.svl"]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    // Who may write everywhere has a log all the same.
    run.status(0);
    let mut command = mortal(scratch.command("svl", &["x.svl"]));
    command.stdout(Stdio::from(
        fs::File::options().write(true).open("/dev/full").unwrap(),
    ));
    assert_ne!(finish(command).status.code(), Some(0));
}

#[test]
fn behaviours_in_a_word() {
    let scratch = scratch();
    let text = "\"stop.aut\" = stop;\n\
                \"chaos.aut\" = chaos [A, \"B !1\"];\n\
                \"fifo.aut\" = strong reduction of fifo 2 [\"PUT !1\", \"GET !1\", \"PUT !2\", \"GET !2\"];\n\
                \"bag.aut\" = bag 2 [\"PUT !1\", \"GET !1\", \"PUT !2\", \"GET !2\"] || chaos [\"PUT !1\", \"GET !1\", \"PUT !2\", \"GET !2\"];\n\
                strong comparison \"fifo.aut\" == \"buffer2.aut\"; expected TRUE;\n\
                comparison \"chaos.aut\" ||| stop == \"chaos.aut\"; expected TRUE;\n";
    script(&scratch, text, &[]).status(0);
    assert_eq!(size(&scratch, "stop.aut"), (1, 0));
    assert_eq!(size(&scratch, "chaos.aut"), (1, 2));
    assert_eq!(size(&scratch, "bag.aut"), (6, 12));
    script(&scratch, "\"b.aut\" = fifo 20 [A, B, C, D];", &[])
        .status(2)
        .says("more than 10000");
}

#[test]
fn interfaces() {
    let scratch = scratch();
    // By patterns, by a file of them, and as guesses.
    scratch.write("g.sync", "sync\nPUT\n");
    let text = "\"a.aut\" = abstraction \"client.aut\" sync \"P.T\" of \"buffer2.aut\";\n\
                \"b.aut\" = abstraction \"client.aut\" sync using \"g.sync\" of \"buffer2.aut\";\n\
                \"c.aut\" = abstraction \"client.aut\" sync put of \"buffer2.aut\";\n\
                \"d.aut\" = abstraction \"client.aut\" sync all but GET of \"buffer2.aut\";\n\
                strong comparison \"a.aut\" == \"b.aut\"; expected TRUE;\n\
                strong comparison \"a.aut\" == \"c.aut\"; expected TRUE;\n\
                strong comparison \"a.aut\" == \"d.aut\"; expected TRUE;\n\
                \"e.aut\" = user abstraction \"client.aut\" of \"buffer2.aut\";\n\
                \"f.aut\" = \"buffer2.aut\" -||? \"client.aut\";\n\
                strong comparison \"e.aut\" == \"f.aut\"; expected TRUE;\n\
                \"g.aut\" = \"buffer2.aut\" -|| \"client.aut\" -|[PUT]| \"client.aut\" ||| stop;\n";
    let text = text.replace("sync using", "using");
    script(&scratch, &text, &[]).status(0);
    assert_eq!(size(&scratch, "a.aut"), (3, 4));
    assert!(scratch.read("e.aut").contains("fail: PUT !2"));
    // A guess that is wrong is found out.
    let text = "\"h.aut\" = (\"buffer2.aut\" -||? \"client.aut\") |[PUT]| \"buffer.aut\";\n";
    script(&scratch, text, &[])
        .status(2)
        .says("it forbids `PUT !2`");
}

#[test]
fn networks_in_other_directories_mean_the_same() {
    let scratch = scratch();
    std::fs::create_dir(scratch.path("sub")).expect("a directory");
    // Another file of this name, which is not meant.
    scratch.write("sub/buffer.aut", "des (0,0,1)\n");
    scratch.write("h.hid", "hide\nPUT\n");
    let text = "\"sub/x.exp\" = hide using \"h.hid\" in \"buffer.aut\" ||| (strong reduction of \"client.aut\") end hide;\n\
                \"a.aut\" = generation of hide using \"h.hid\" in \"buffer.aut\" ||| \"client.aut\" end hide;\n\
                \"b.aut\" = generation of \"sub/x.exp\";\n\
                strong comparison \"a.aut\" == \"b.aut\"; expected TRUE;\n\
                \"c.aut\" = generation of \"sub/x.exp\" ||| stop;\n\
                strong comparison \"a.aut\" == \"c.aut\"; expected TRUE;\n";
    script(&scratch, text, &[]).status(0);
}

#[test]
fn default_relations_of_parts_are_congruences() {
    let scratch = scratch();
    scratch.write("p.aut", "des (0,3,4)\n(0,i,1)\n(1,A,2)\n(0,B,3)\n");
    scratch.write("q.aut", "des (0,1,2)\n(0,C,1)\n");
    for strategy in ["leaf", "root leaf", "node", "smart"] {
        let text = format!(
            "% DEFAULT_REDUCTION_RELATION=\"tau*.a\"\n\
             \"l.aut\" = {strategy} reduction of \"p.aut\" ||| \"q.aut\";\n"
        );
        script(&scratch, &text, &[]).status(2).says("congruence");
        let text = text.replace("tau*.a", "branching");
        script(&scratch, &text, &[]).status(0);
        let text = text.replace(
            "of \"p.aut\" ||| \"q.aut\"",
            "of prio A > C in \"p.aut\" ||| \"q.aut\" end prio",
        );
        script(&scratch, &text, &[])
            .status(2)
            .says("for priorities");
    }
    // Without a strategy all relations are right.
    let text = "% DEFAULT_REDUCTION_RELATION=\"tau*.a\"\n\
                \"f.aut\" = reduction of \"p.aut\" ||| \"q.aut\";\n";
    script(&scratch, text, &[]).status(0);
}

#[test]
fn smart_reductions_of_what_is_no_network() {
    let scratch = scratch();
    let text = "\"a.aut\" = smart branching reduction of \"buffer2.aut\";\n\
                \"b.aut\" = branching reduction of \"buffer2.aut\";\n\
                strong comparison \"a.aut\" == \"b.aut\"; expected TRUE;\n\
                \"c.aut\" = smart branching reduction of stop;\n\
                \"d.aut\" = smart branching reduction of generation of \"buffer.aut\" ||| \"client.aut\";\n";
    script(&scratch, text, &[]).status(0);
    assert_eq!(size(&scratch, "c.aut"), (1, 0));
}

#[test]
fn here_documents_end() {
    let scratch = scratch();
    let text = "% cat > x.txt <<EOF\n% hi\n% EOF\n\
                deadlock of \"buffer.aut\"; expected FALSE;\n";
    let run = script(&scratch, text, &[]).status(0);
    assert!(run.text().contains("FALSE"), "{}", run.text());
    assert_eq!(scratch.read("x.txt"), "hi\n");
    let text = "deadlock of \"buffer.aut\"; expected TRUE;\n% cat > y.txt <<EOF\n\
                deadlock of \"buffer.aut\"; expected TRUE;\n";
    script(&scratch, text, &[]).status(2).says("here-document");
    // A line that ends the script does not hide what has failed.
    let text = "deadlock of \"buffer.aut\"; expected TRUE;\n% exit\n";
    script(&scratch, text, &[]).status(1);
}

#[test]
fn diagnostics_do_not_replace_components() {
    let scratch = scratch();
    let client = scratch.read("client.aut");
    let text = "\"sub.exp\" = \"client.aut\" ||| \"buffer.aut\";\n\
                \"client.aut\" = deadlock of \"sub.exp\";\n";
    script(&scratch, text, &[]).status(2).says("client.aut");
    assert_eq!(scratch.read("client.aut"), client);
    // Nor is a source that was reduced in its place taken for something made.
    let text = "\"client.aut\" = strong reduction of \"client.aut\";\n";
    script(&scratch, text, &[]).status(0);
    script(&scratch, text, &["--clean"]).status(0);
    assert!(scratch.names().contains(&"client.aut".to_owned()));
}

/// What statements in pipes and parentheses meet counts as everywhere else.
#[test]
fn subshells_count() {
    let scratch = scratch();
    let many = "property P (M) is\n\"$M.aut\" |= [true*] <true> true; expected TRUE;\nend property\n\
                % printf 'early\\nbuffer\\n' | while read F\n% do\ncheck P (\"$F\");\n% done\n";
    let run = script(&scratch, many, &[]).status(1);
    assert!(run.text().contains("FAIL (1 of 1)"), "{}", run.text());
    let all = "properties: 2, PASS 1, FAIL 1";
    assert!(run.text().contains(all), "{}", run.text());

    let inside = "property P is\n% (\n\"early.aut\" |= false; expected TRUE;\n% )\nend property\n";
    let run = script(&scratch, inside, &[]).status(1);
    assert!(run.text().contains("FAIL (1 of 1)"), "{}", run.text());
    let all = "properties: 1, PASS 0, FAIL 1";
    assert!(run.text().contains(all), "{}", run.text());

    let wrong = "% echo x | while read Y\n% do\n\"o.aut\" = generation of \"nope.aut\";\n% done\n\
                 \"late.aut\" |= true;\n";
    let run = script(&scratch, wrong, &[]).status(2);
    assert!(!run.text().contains("TRUE"), "{}", run.text());
}

/// What statements that run at the same time find out by the way is their own.
#[test]
fn subshells_run_side_by_side() {
    let scratch = scratch();
    let all = ["PUT !1", "PUT !2", "GET !1", "GET !2"];
    let loops = |labels: &[&str]| {
        let lines = labels.iter().map(|label| format!("(0, \"{label}\", 0)\n"));
        let count = labels.len();
        format!("des (0, {count}, 1)\n{}", lines.collect::<String>())
    };
    scratch.write("u.aut", loops(&all));
    scratch.write("put.aut", loops(&["PUT !1"]));
    scratch.write("get.aut", loops(&["GET !1"]));
    let text = "property P (M) is\n\"$M.aut\" |= [true*] <true> true; expected TRUE;\n\
                end property\n\
                % for I in 1 2 3 4 5 6\n% do\n\
                % (\n\"s$I.aut\" = u.aut -|| put.aut;\ncheck P (early);\n% ) &\n\
                % (\n\"t$I.aut\" = u.aut -|| get.aut;\ncheck P (buffer);\n% ) &\n\
                % done\n% wait\n\
                % {\n\"s7.aut\" = u.aut -|| put.aut;\n% } | {\n\
                \"t7.aut\" = u.aut -|| get.aut;\n% cat\n% }\n";
    let run = script(&scratch, text, &[]).status(1);
    for (letter, label) in [("s", "PUT !2"), ("t", "GET !2")] {
        for number in 1..8 {
            let name = format!("{letter}{number}.aut");
            let made = scratch.read(&name);
            let has = |label: &str| made.contains(&format!("\"{label}\""));
            let found: Vec<&str> = all.into_iter().filter(|label| has(label)).collect();
            let expected: Vec<&str> = all.into_iter().filter(|l| *l != label).collect();
            assert_eq!(found, expected, "{name}");
            let line = format!("\"{name}\": 1 state, 3 transitions");
            assert!(run.text().contains(&line), "{name}: {}", run.text());
        }
    }
    for verdict in ["PASS (1 of 1)", "FAIL (1 of 1)"] {
        let count = run.text().matches(verdict).count();
        assert_eq!(count, 6, "{}", run.text());
    }
}

/// Inputs are spared by whatever name they are called.
#[test]
fn inputs_are_spared_under_other_names() {
    for text in [
        "\"./early.aut\" = deadlock of \"early.aut\";",
        "\"early.aut\" = deadlock of \"./early.aut\";",
        "\"link.aut\" = deadlock of \"early.aut\";",
        "\"./early.aut\" = \"early.aut\" ||| \"nope.aut\";",
        "\"./l.mcl\" = verify \"u.mcl\" in \"early.aut\";",
    ] {
        let scratch = scratch();
        scratch.write("l.mcl", "macro P () = false end_macro\n");
        scratch.write("u.mcl", "library l.mcl end_library\nP ()\n");
        std::os::unix::fs::symlink("early.aut", scratch.path("link.aut")).expect("a link");
        let before = [scratch.read("early.aut"), scratch.read("l.mcl")];
        script(&scratch, text, &[]).status(2);
        let after = [scratch.read("early.aut"), scratch.read("l.mcl")];
        assert_eq!(after, before, "{text}");
    }
}

/// What a system of machines or a compressed network consists of is spared, whatever the
/// input ends in, and so is what could never be made.
#[test]
fn inputs_are_spared_whatever_they_are_called() {
    for (text, status) in [
        ("\"M1.aut\" = deadlock of \"x25_v1.toml\";", 2),
        ("\"M1.aut\" = \"x25_v1.toml\" |= [true*] <true> true;", 2),
        ("\"N1.aut\" = \"bad.toml\" |= true;", 2),
        (
            "\"M1.aut\" = generation of (\"x25_v1.toml\" ||| \"nope.aut\");",
            2,
        ),
        ("\"early.aut\" = deadlock of \"n.exp.gz\";", 2),
        ("\"early.aut\" = deadlock of \"lost.exp\";", 2),
        ("\"lib.aut\" = verify \"f.txt\" in \"early.aut\";", 2),
        (
            "% DEFAULT_MCL_LIBRARIES=lib.aut\n\"./lib.aut\" = \"early.aut\" |= P ();",
            2,
        ),
        ("\"x.svl\" = \"early.aut\";", 2),
        ("\"x.svl\" = deadlock of \"early.aut\";", 2),
        ("% F=x.svl\n\"$F\" = \"early.aut\";", 2),
        ("% F=x\n\"$F.svl\" = \"early.aut\";", 2),
        ("\"x25_v1.toml\" = generation of \"early.aut\";", 2),
        ("\"n.exp\" = deadlock of \"early.aut\";", 2),
    ] {
        let scratch = scratch();
        for name in ["M1.aut", "N1.aut", "x25_v1.toml"] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/channels");
            scratch.write(name, fs::read(path.join(name)).expect("a file"));
        }
        let system = scratch.read("x25_v1.toml");
        scratch.write(
            "bad.toml",
            system.replace("N1.aut", "nope.aut") + "[[wrong]]\n",
        );
        scratch.write("n.exp", "\"early.aut\" ||| \"late.aut\"");
        scratch.write("lost.exp", "\"nope.aut\" ||| \"early.aut\"");
        scratch.shell("gzip -k n.exp").status(0);
        scratch.write("lib.aut", "macro P () = false end_macro\n");
        scratch.write("f.txt", "library lib.aut end_library\nP ()\n");
        scratch.write("x.svl", text);
        let contents = || {
            let names = scratch.names().into_iter();
            let names = names.filter(|name| !name.ends_with(".log"));
            names
                .map(|name| (fs::read(scratch.path(&name)).expect("a file"), name))
                .collect::<Vec<_>>()
        };
        let before = contents();
        scratch
            .run("svl", &["--keep-going", "x.svl"])
            .status(status);
        assert!(contents() == before, "{text}");
    }
    // Where a source is not found, those that have not been looked for are not known yet.
    for (text, is_spared) in [
        ("% A=a\n\"late.aut\" = \"$A.lnt\" ||| \"late.aut\";", true),
        (
            "% A=a\n% B=late\n\"late.aut\" = \"$A.lnt\" ||| \"$B.aut\";",
            true,
        ),
        (
            "% A=a\n% B=early\n\"late.aut\" = \"$B.aut\" ||| \"$A.lnt\";",
            false,
        ),
        ("% A=a\n\"late.aut\" = \"$A.lnt\" ||| \"early.aut\";", false),
    ] {
        let scratch = scratch();
        script(&scratch, text, &[])
            .status(2)
            .says("which Hyades does not compile");
        assert_eq!(scratch.path("late.aut").exists(), is_spared, "{text}");
    }
    // What is no part of the input goes, if nothing is made in its place.
    let scratch = scratch();
    scratch.write("n.exp", "\"early.aut\" ||| \"nope.aut\"");
    script(&scratch, "\"late.aut\" = deadlock of \"n.exp\";", &[]).status(2);
    assert!(!scratch.path("late.aut").exists());
}

/// What a network consists of takes no name of another file.
#[test]
fn parts_of_networks_replace_nothing() {
    let scratch = scratch();
    scratch.write("q_2.bcg", "mine");
    let text = "\"q_1.bcg\" = generation of \"buffer.aut\";\n\
                \"q.exp\" = (branching reduction of \"buffer.aut\") ||| \"q_1.bcg\";\n\
                \"a.aut\" = generation of \"q.exp\";\n";
    for _ in 0..2 {
        script(&scratch, text, &[]).status(0);
        assert_eq!(scratch.read("q_2.bcg"), "mine");
        let network = scratch.read("q.exp");
        assert!(network.contains("q_3.bcg"), "{network}");
    }
    script(&scratch, "\"q.exp\" = \"q.exp\" ||| \"late.aut\";", &[])
        .status(2)
        .says("would include itself");
}

/// What inputs and formulas consist of counts, whatever they are called, and so does what
/// becomes of directories.
#[test]
fn incremental_runs_see_what_inputs_consist_of() {
    let scratch = scratch();
    for name in ["M1.aut", "N1.aut", "x25_v1.toml"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/channels");
        scratch.write(name, fs::read(path.join(name)).expect("a file"));
    }
    scratch.write("m.exp", "\"early.aut\" ||| \"late.aut\"\n");
    scratch.write("l.mcl", "macro P () = true end_macro\n");
    scratch.write("g.mcl", "library l.mcl end_library\nP ()\n");
    scratch.write("f.txt", "library l.mcl end_library\nP ()\n");
    scratch
        .shell("gzip m.exp && gzip g.mcl && hyades transcode quiet.aut -o v.plts")
        .status(0);
    let text = "deadlock of \"x25_v1.toml\";\n\
                \"v.plts\" |= < true > true;\n\
                deadlock of \"m.exp.gz\";\n\
                verify \"g.mcl.gz\" in \"buffer.aut\";\n\
                verify \"f.txt\" in \"buffer.aut\";\n\
                \"o.plts\" = \"buffer2.aut\";\n";
    let made = |expected: usize, why: &str| {
        script(&scratch, text, &["-i"]).status(0);
        let commands = scratch.read("x.log").matches("   $ hyades").count();
        assert_eq!(commands, expected, "{why}");
    };
    made(6, "all");
    made(0, "nothing");
    let edited = scratch.read("M1.aut").replace("des (0, ", "des(0,");
    scratch.write("M1.aut", edited);
    made(1, "M1.aut");
    scratch
        .shell("rm -r v.plts && hyades transcode buffer.aut -o v.plts")
        .status(0);
    made(1, "v.plts");
    scratch.write("early.aut", scratch.read("late.aut"));
    made(1, "m.exp.gz");
    scratch.write("l.mcl", "macro P () = false end_macro\n");
    made(2, "l.mcl");
    scratch.shell("rm -r o.plts").status(0);
    made(1, "no o.plts");
    scratch
        .shell("hyades transcode late.aut -o o.plts")
        .status(0);
    made(1, "another o.plts");
    made(0, "nothing has changed");
    // A component may be a directory, too.
    let text = "deadlock of \"early.aut\" ||| \"v.plts\";";
    let made = |expected: usize, why: &str| {
        script(&scratch, text, &["-i"]).status(0);
        let commands = scratch.read("x.log").matches("   $ hyades").count();
        assert_eq!(commands, expected, "{why}");
    };
    scratch.write("w.exp", "\"early.aut\" ||| \"v.plts\"\n");
    let text = "deadlock of \"w.exp\";";
    let network = |expected: usize, why: &str| {
        scratch.write("y.svl", text);
        scratch.run("svl", &["-i", "y.svl"]).status(0);
        let commands = scratch.read("y.log").matches("   $ hyades").count();
        assert_eq!(commands, expected, "{why}");
    };
    made(1, "all");
    network(1, "all");
    made(0, "nothing");
    network(0, "nothing");
    scratch
        .shell("rm -r v.plts && hyades transcode quiet.aut -o v.plts")
        .status(0);
    made(1, "a part of v.plts");
    network(1, "a part of v.plts");
}

/// Variables count where they are heeded.
#[test]
fn incremental_runs_know_which_variables_count() {
    let scratch = scratch();
    let text = "\"a.aut\" = branching reduction of \"buffer.aut\";\n\
                \"b.aut\" = total hide GET in \"buffer.aut\";\n\
                \"c.aut\" = reduction of \"buffer.aut\";\n\
                comparison \"a.aut\" == \"b.aut\";\n";
    let fresh = |options: &[&str]| {
        script(&scratch, text, options).status(0);
        4 - scratch.read("x.log").matches("as it was").count()
    };
    assert_eq!(fresh(&["-i"]), 4);
    assert_eq!(fresh(&["-i"]), 0);
    assert_eq!(fresh(&["-i", "-D", "DEFAULT_REDUCTION_RELATION=weak"]), 1);
    assert_eq!(fresh(&["-i", "-D", "DEFAULT_COMPARISON_RELATION=weak"]), 2);
}

/// Libraries by default and parts of networks are looked at, too.
#[test]
fn incremental_runs_see_libraries_and_parts() {
    let scratch = scratch();
    let text = "% DEFAULT_MCL_LIBRARIES=l.mcl\n\"early.aut\" |= P ();\n\
                \"q.exp\" = (branching reduction of \"buffer.aut\") ||| \"late.aut\";\n";
    for (formula, verdict) in [("false", "FALSE"), ("true", "TRUE"), ("false", "FALSE")] {
        scratch.write("l.mcl", format!("macro P () = {formula} end_macro\n"));
        for _ in 0..2 {
            let run = script(&scratch, text, &["-i"]).status(0);
            assert_eq!(verdicts(&run), [verdict], "{formula}");
        }
    }
    let part = fs::read(scratch.path("q_1.bcg")).expect("a part");
    scratch.write("q_1.bcg", "damaged");
    script(&scratch, text, &["-i"]).status(0);
    assert_eq!(fs::read(scratch.path("q_1.bcg")).expect("a part"), part);
}

/// A network of another directory is made of the files there, whether it is read as a file
/// or stands in an expression, and whether this is explored or written.
#[test]
fn networks_of_other_directories_have_files_of_their_own() {
    let scratch = scratch();
    fs::create_dir(scratch.path("sub")).expect("a directory");
    fs::create_dir(scratch.path("far")).expect("a directory");
    scratch.write("z.aut", "des (0, 1, 2)\n(0, HERE, 1)\n");
    scratch.write("r.hid", "hide\nMINE\n");
    scratch.write("sub/r.hid", "hide\nHIDDEN\n");
    scratch.write("sub/z.aut", "des (0, 2, 3)\n(0, MINE, 1)\n(1, HIDDEN, 2)\n");
    scratch.write(
        "sub/m.exp",
        "total hide using \"r.hid\" in \"z.aut\" end hide\n",
    );
    // In this directory, with names that start here.
    scratch.write("h.exp", "\"z.aut\"\n");
    let behaviours = [
        ("read", "\"sub/m.exp\""),
        ("composed", "\"sub/m.exp\" ||| stop"),
        (
            "renamed",
            "rename NONE -> OTHER in \"sub/m.exp\" end rename",
        ),
        ("variable", "\"$M\" ||| stop"),
        (
            "reduced",
            "leaf strong reduction of (\"sub/m.exp\" ||| stop)",
        ),
    ];
    let mut text = "% M=sub/m.exp\n".to_owned();
    for (name, behaviour) in behaviours {
        let statement = format!(
            "\"{name}.aut\" = strong reduction of {behaviour};\n\
             \"{name}.exp\" = ({behaviour}) ||| \"h.exp\";\n\
             \"far/{name}.exp\" = ({behaviour}) ||| \"h.exp\";\n"
        );
        text.push_str(&statement);
    }
    script(&scratch, &text, &[]).status(0);
    let labels = |file: &str| {
        let run = scratch.run("describe", &["--labels", file]).ok();
        let mut labels: Vec<String> = run.text().lines().map(str::to_owned).collect();
        labels.retain(|line| ["HERE", "MINE", "HIDDEN"].iter().any(|l| line.contains(l)));
        labels.len().to_string() + &labels.concat()
    };
    for (name, _) in behaviours {
        assert!(labels(&format!("{name}.aut")).starts_with("1"), "{name}");
        assert!(labels(&format!("{name}.aut")).contains("MINE"), "{name}");
        for file in [format!("{name}.exp"), format!("far/{name}.exp")] {
            scratch.run("reach", &["-q", &file, "-o", "all.aut"]).ok();
            let found = labels("all.aut");
            assert!(
                found.contains("MINE") && found.contains("HERE"),
                "{file}: {found}"
            );
            assert!(!found.contains("HIDDEN"), "{file}: {found}");
        }
    }
    // What it consists of is looked at.
    let text = "\"o.aut\" = generation of \"sub/m.exp\" ||| stop;\n";
    script(&scratch, text, &["-i"]).status(0);
    let made_again = |what: bool| {
        let run = script(&scratch, text, &["-i"]).status(0);
        assert_eq!(!run.text().contains("as it was"), what, "{}", run.text());
    };
    made_again(false);
    scratch.write("z.aut", "des (0, 0, 1)\n");
    made_again(false);
    scratch.write("sub/z.aut", "des (0, 1, 2)\n(0, OTHER, 1)\n");
    made_again(true);
    scratch.write("sub/r.hid", "hide\nOTHER\n");
    made_again(true);
    made_again(false);
}

/// Parts may not be reduced by a relation with strong labels where something above them
/// makes strong labels of others.
#[test]
fn strong_labels_are_those_of_parts() {
    let scratch = scratch();
    scratch.write("b.aut", "des (0, 3, 3)\n(0, i, 1)\n(1, B, 2)\n(0, C, 2)\n");
    let reduction = |strategy: &str, hold: &str, of: &str| {
        let text = format!("\"o.aut\" = {strategy} sharp reduction hold {hold} of {of};\n");
        script(&scratch, &text, &[])
    };
    let renamed = |mode: &str, rule: &str| {
        format!("{mode} rename {rule} in (\"b.aut\" ||| \"client.aut\") end rename")
    };
    for strategy in ["leaf", "root leaf", "node"] {
        for (hold, of, label) in [
            ("A", renamed("", "B -> A"), "\"B\" becomes \"A\""),
            (
                "A",
                renamed("total", "B -> \"A !1\""),
                "\"B\" becomes \"A !1\"",
            ),
            ("A", renamed("", "\"[BC]\" -> A"), "\"[BC]\" becomes \"A\""),
            (
                "A",
                renamed("", "\"\\(.\\)\" -> \"\\1\\1\""),
                "is not known",
            ),
            ("AX", renamed("single", "B -> \"A\""), "\"B\" becomes \"A\""),
            ("\"A.*\"", renamed("", "B -> AB"), "\"B\" becomes \"AB\""),
            ("all but B", renamed("", "B -> A"), "\"B\" becomes \"A\""),
            ("A", renamed("", "using \"r.ren\""), "is not known"),
            ("using \"h.hid\"", renamed("", "B -> A"), "is not known"),
            (
                "A",
                "par using B * _ -> A in \"b.aut\" || \"client.aut\" end par".into(),
                "\"B\" becomes \"A\"",
            ),
        ] {
            let run = reduction(strategy, hold, &of).status(2);
            assert!(run.stderr.contains("x.svl:1:11: error: "), "{}", run.stderr);
            assert!(
                run.stderr.contains("sharp is not a congruence here"),
                "{}",
                run.stderr
            );
            assert!(run.stderr.contains(label), "{hold} {of}: {}", run.stderr);
        }
    }
    let size = |scratch: &Scratch| size(scratch, "o.aut");
    for (hold, of) in [
        ("A", renamed("", "B -> D")),
        ("A, B", renamed("", "B -> A")),
        ("B", renamed("", "B -> A")),
        ("\"[AB]\"", renamed("", "B -> A")),
        ("all but C", renamed("", "B -> A")),
        ("X", renamed("single", "B -> \"A\"")),
        (
            "A",
            "(rename B -> A in \"b.aut\" end rename) ||| \"client.aut\"".into(),
        ),
        (
            "A",
            "hide C in \"b.aut\" ||| \"client.aut\" end hide".into(),
        ),
        (
            "A, B",
            "par using B * _ -> A, C * _ -> C in \"b.aut\" || \"client.aut\" end par".into(),
        ),
    ] {
        reduction("", hold, &of).status(0);
        let whole = size(&scratch);
        for strategy in ["root leaf", "node"] {
            reduction(strategy, hold, &of).status(0);
            assert_eq!(size(&scratch), whole, "{strategy} {hold} {of}");
        }
    }
    // What is smart keeps the whole.
    reduction("smart", "A", &renamed("", "B -> A")).status(0);
}

/// As of other links; what is said on the command line goes before it.
#[test]
fn options_of_the_environment_are_heeded() {
    let scratch = scratch();
    scratch.write("x.svl", "\"o.aut\" = \"early.aut\" ||| \"late.aut\";\n");
    for (given, line, passed_on) in [
        ("-j 1", "", "--threads 1"),
        ("-j 1 --no-sync", "-j 2", "--threads 2 --no-sync"),
        ("-q", "-v", "--verbose"),
        ("--stats s.json", "", ""),
    ] {
        let script = format!("HYADES_OPTIONS='{given}' svl {line} --script x");
        let run = scratch.shell(&script).status(0);
        let expected = format!("\nsvl_options=\"{passed_on}\"\n");
        assert!(run.text().contains(&expected), "{script}: {}", run.text());
    }
    let run = scratch.shell("HYADES_OPTIONS=-q svl x").status(0);
    assert_eq!(run.text(), "");
    let run = scratch.shell("HYADES_OPTIONS='--max-memory 1' svl x");
    run.status(3).says("a limit was reached");
    let run = scratch.shell("HYADES_OPTIONS=--nonsense svl x").status(2);
    run.says("in HYADES_OPTIONS");
}

#[test]
fn results_and_expectations_are_said_in_any_order() {
    let scratch = scratch();
    for said in [
        "result R expected TRUE;",
        "expected TRUE result R;",
        "; result R; expected TRUE;",
        "; expected TRUE; result R;",
        "result R; expected TRUE;",
        "expected TRUE; result R;",
        "; result R expected TRUE;",
    ] {
        let text =
            format!("strong comparison \"late.aut\" == \"late.aut\" {said}\n% echo \"R=$R\"\n");
        let run = script(&scratch, &text, &["-q"]).status(0);
        assert_eq!(run.text(), "TRUE\nR=TRUE\n", "{said}");
        let text = text.replace("TRUE", "FALSE");
        let run = script(&scratch, &text, &["-q"]).status(1);
        assert!(
            run.text().contains("FAIL: expected FALSE"),
            "{said}: {}",
            run.text()
        );
        assert!(run.text().ends_with("R=TRUE\n"), "{said}: {}", run.text());
    }
    let twice = "livelock of \"late.aut\"; expected TRUE; expected FALSE;\n";
    let run = script(&scratch, twice, &[]).status(2);
    run.says("x.svl:1:40: error: `expected` is said already of the verification before it");
}

#[test]
fn names_of_formulas_may_begin_with_a_minus() {
    let scratch = scratch();
    scratch.write("-f.mcl", "[ true* ] < true > true\n");
    scratch.write("-l.mcl", "macro P () = < true > true end_macro\n");
    let text = "verify \"-f.mcl\" in \"buffer.aut\" expected TRUE;\n\
                \"o.aut\" = verify \"-f.mcl\" in \"buffer.aut\";\n\
                % DEFAULT_MCL_LIBRARIES=-l.mcl\n\
                \"buffer.aut\" |= P (); expected TRUE;\n";
    for options in [&[][..], &["-i"], &["-i"]] {
        script(&scratch, text, options).status(0);
    }
}

#[test]
fn evaluators_of_version_3_tell_what_they_do_not_read() {
    let scratch = scratch();
    scratch.write("f.mcl", "< true* . { PUT ?n:Nat where n >= 0 } > true\n");
    let told = |text: &str| {
        let run = script(&scratch, text, &[]).status(0);
        run.stderr
            .contains("is of version 4 of MCL, which evaluator3 of CADP does not read")
    };
    assert!(told(
        "verify \"f.mcl\" with evaluator3 in \"buffer.aut\";\n"
    ));
    assert!(told(
        "\"buffer.aut\" |= with evaluator3 < true {2} > true;\n"
    ));
    assert!(told(
        "% DEFAULT_VERIFY_TOOL=evaluator3\nverify \"f.mcl\" in \"buffer.aut\";\n"
    ));
    assert!(!told(
        "verify \"f.mcl\" with evaluator4 in \"buffer.aut\";\n"
    ));
    assert!(!told(
        "% DEFAULT_VERIFY_TOOL=xtl\nverify \"f.mcl\" with evaluator4 in \"buffer.aut\";\n"
    ));
    for text in [
        "verify \"f.mcl\" in \"buffer.aut\";\n",
        "\"buffer.aut\" |= < true > true;\n",
    ] {
        script(&scratch, text, &["-v", "DEFAULT_VERIFY_TOOL=xtl"])
            .status(2)
            .says("x.svl:1: error: DEFAULT_VERIFY_TOOL=xtl: XTL is not supported");
    }
    assert!(!told(
        "\"buffer.aut\" |= with evaluator3 < true . true > true;\n"
    ));
    assert!(!told(
        "\"buffer.aut\" |= with evaluator3 < true . true > true;\n\
         verify \"f.mcl\" in \"buffer.aut\";\n"
    ));
}

/// After a run that has failed before it came to them, files are still those that the script
/// has made, unless somebody has replaced them.
#[test]
fn what_earlier_runs_have_made_is_known_after_errors() {
    let scratch = scratch();
    let text = "\"n.exp\" = (strong reduction of \"buffer.aut\") ||| \"late.aut\";\n\
                \"o.aut\" = \"late.aut\";\n";
    let failing = format!("\"a.aut\" = \"missing.aut\";\n{text}");
    let of_network = || {
        let names = scratch.shell("ls | grep '^n'").text().to_owned();
        names.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    script(&scratch, text, &[]).status(0);
    assert_eq!(of_network(), ["n.exp", "n_1.bcg"]);
    script(&scratch, &failing, &[]).status(2);
    script(&scratch, &format!("% set -e\n% false\n{text}"), &[]).status(1);
    script(&scratch, &failing, &[]).status(2);
    script(&scratch, text, &[]).status(0);
    assert_eq!(of_network(), ["n.exp", "n_1.bcg"]);
    script(&scratch, &failing, &[]).status(2);
    scratch.run("svl", &["-clean", "x.svl"]).status(0);
    assert!(of_network().is_empty() && !scratch.path("o.aut").exists());
    script(&scratch, text, &[]).status(0);
    scratch
        .shell("touch -r late.aut early.aut; cp -p early.aut o.aut")
        .ok();
    script(&scratch, &failing, &[]).status(2);
    scratch.run("svl", &["-clean", "x.svl"]).status(0);
    assert!(of_network().is_empty());
    assert_eq!(scratch.read("o.aut"), scratch.read("early.aut"));
}

/// Lines for the shell, and what properties say of themselves, have the bytes that they have.
#[test]
fn bytes_that_are_no_characters_are_kept() {
    let scratch = scratch();
    let text = b"% printf '%s' '\xe9' > bytes\nproperty P \"caf\xe9\" is\n\
                 livelock of \"late.aut\"; expected FALSE;\nend property\n";
    scratch.write("x.svl", text);
    scratch.shell("svl x.svl > told").status(0);
    assert_eq!(fs::read(scratch.path("bytes")).unwrap(), b"\xe9");
    let told = fs::read(scratch.path("told")).unwrap();
    assert!(told.starts_with(b"property P: caf\xe9\n"));
    scratch
        .shell("svl --spell-out x.svl > y.svl && svl y.svl | cmp - told")
        .status(0);
}

/// What the user has put in the place of what was made is the user's.
#[test]
fn clean_leaves_what_has_been_replaced() {
    let scratch = scratch();
    let text = "\"a.aut\" = generation of \"early.aut\";\n\
                \"b.aut\" = generation of \"early.aut\";\n\
                \"c.aut\" = generation of \"early.aut\";\n\
                \"d.exp\" = \"a.aut\" ||| (strong reduction of \"late.aut\");\n";
    for options in [&[][..], &["-i"], &["-i"]] {
        script(&scratch, text, options).status(0);
        // Time passes in ticks.
        thread::sleep(Duration::from_millis(30));
        scratch.write("b.aut", "des (0, 0, 1)\n");
        scratch
            .shell("cp -p early.aut own.aut && mv own.aut c.aut")
            .status(0);
        let run = script(&scratch, text, &["--clean"]).status(0);
        assert!(run.stderr.contains("b.aut is left"), "{}", run.stderr);
        let names = scratch.names();
        let is_there = |name: &str| names.iter().any(|n| n == name);
        for (name, expected) in [
            ("a.aut", false),
            ("b.aut", true),
            ("c.aut", true),
            ("d.exp", false),
            ("d_1.bcg", false),
        ] {
            assert_eq!(is_there(name), expected, "{name}");
        }
    }
}

/// What an earlier statement has read, and none has made, is an input of the script: no
/// diagnostic replaces it, no error removes it, nor does --clean, by whatever name.
#[test]
fn inputs_of_earlier_statements_stay() {
    for (name, link) in [("early.aut", ""), ("other.aut", "ln early.aut other.aut; ")] {
        let scratch = scratch();
        scratch.shell(&format!("{link}true")).status(0);
        let early = scratch.read("early.aut");
        let question = format!(
            "\"o.aut\" = reduction of \"early.aut\";\n\"{name}\" = deadlock of \"o.aut\";\n"
        );
        for options in [&[][..], &["--keep-going"], &["-i"]] {
            let run = script(&scratch, &question, options).status(2);
            run.says(&format!(
                "x.svl:2: error: \"{name}\" is read, and the diagnostic"
            ));
            assert_eq!(scratch.read("early.aut"), early);
        }
        let fails = format!(
            "% cd .\n\"o.aut\" = reduction of \"early.aut\";\n\"{name}\" = \"o.aut\" ||| \"nope.aut\";\n"
        );
        script(&scratch, &fails, &[]).status(2);
        assert_eq!(scratch.read("early.aut"), early);
        // What replaces it when all is well is all that is left of it.
        let replaces = format!(
            "\"o.aut\" = strong reduction of \"early.aut\" ||| \"late.aut\";\n\"{name}\" = \"o.aut\";\n"
        );
        script(&scratch, &replaces, &[]).status(0);
        script(&scratch, &replaces, &["--clean"]).status(0);
        // A link is replaced, and what replaces it is made.
        assert_eq!(scratch.path(name).exists(), link.is_empty());
        assert!(scratch.path("early.aut").exists() && !scratch.path("o.aut").exists());
    }
}

/// What the script has made before is none of its inputs, however often it is run.
#[test]
fn what_was_made_before_is_made_again() {
    let scratch = scratch();
    let text = "\"d.aut\" = \"early.aut\";\n\
                \"o.aut\" = reduction of \"d.aut\";\n\
                \"d.aut\" = livelock of \"o.aut\";\n";
    for options in [&[][..], &["-i"], &[]] {
        script(&scratch, text, options).status(0);
        assert!(!scratch.path("d.aut").exists());
    }
}

/// Partitioned LTSs go as well, and diagnostics, however often the script was run.
#[test]
fn clean_removes_partitioned_systems_and_diagnostics() {
    let scratch = scratch();
    let text = "\"o.plts\" = \"early.aut\";\n\"d.seq\" = deadlock of \"late.aut\";\n";
    scratch.write("x.svl", text);
    let before = scratch.names();
    for runs in [&[&[][..]][..], &[&["-i"], &["-i"]]] {
        for options in runs {
            script(&scratch, text, options).status(0);
        }
        assert!(scratch.path("d.seq").exists());
        script(&scratch, text, &["--clean"]).status(0);
        assert_eq!(scratch.names(), before);
    }
    // What is in it beside is the user's.
    script(&scratch, text, &[]).status(0);
    thread::sleep(Duration::from_millis(30));
    scratch.write("o.plts/mine", "mine");
    let run = script(&scratch, text, &["--clean"]).status(0);
    assert!(run.stderr.contains("o.plts is left"), "{}", run.stderr);
    assert_eq!(scratch.read("o.plts/mine"), "mine");
    // The log stays until all is gone.
    let place = scratch.path("o.plts");
    scratch.write("x.log", format!("file: {}\n", place.display()));
    for _ in 0..2 {
        let run = script(&scratch, text, &["--clean"]).status(2);
        run.says("o.plts cannot be removed: ");
    }
    assert_eq!(scratch.read("o.plts/mine"), "mine");
    scratch.shell("rm o.plts/mine && touch x.log").status(0);
    script(&scratch, text, &["--clean"]).status(0);
    assert_eq!(scratch.names(), before);
}

/// Messages name what the user has written.
#[test]
fn places_that_are_not_there_are_named() {
    let scratch = scratch();
    let blocked = "\n\"o.aut\" = \"early.aut\" |[NOPE]| \"late.aut\";\n";
    let run = script(&scratch, blocked, &[]).status(0);
    run.says("x.svl:2: warning: `NOPE` is blocked");
    let run = script(&scratch, blocked, &["--keep-temporary"]).status(0);
    run.says("svl001_o.exp:2:3: warning: `NOPE` is blocked");
    let run = script(
        &scratch,
        "\"nix/m.exp\" = \"early.aut\" ||| \"late.aut\";\n",
        &[],
    );
    let run = run.status(2);
    let run = run.says("x.svl:1: error: cannot write nix/m.exp: there is no directory nix");
    assert!(!run.stderr.contains("tmp"), "{}", run.stderr);
    let run = script(&scratch, "\"a.aut\" = \"nix/m.exp\" ||| stop;\n", &[]).status(2);
    run.says("nix/m.exp");
}

/// What a system is made from, it may replace when it is whole.
#[test]
fn systems_replace_their_components() {
    let scratch = scratch();
    let other = "\"both.aut\" = \"early.aut\" ||| \"late.aut\";\n";
    script(&scratch, other, &[]).status(0);
    let own = "\"early.aut\" = \"early.aut\" ||| \"late.aut\";\n";
    let early = scratch.read("early.aut");
    script(&scratch, own, &[]).status(0);
    assert_eq!(scratch.read("early.aut"), scratch.read("both.aut"));
    // It is nothing that could be made again.
    script(&scratch, own, &["--clean"]).status(0);
    assert_eq!(scratch.read("early.aut"), scratch.read("both.aut"));
    scratch.write("early.aut", &early);
    let fails = "\"early.aut\" = \"early.aut\" ||| \"nope.aut\";\n";
    script(&scratch, fails, &[]).status(2);
    assert_eq!(scratch.read("early.aut"), early);
    let names = scratch.names();
    assert!(
        !names.iter().any(|name| name.starts_with("svl0")),
        "{names:?}"
    );
}

/// So it may when it is reduced, or is a network that is written elsewhere.
#[test]
fn reductions_replace_their_components() {
    let scratch = scratch();
    scratch.write("both.exp", "\"early.aut\" ||| \"late.aut\"\n");
    let early = scratch.read("early.aut");
    for of in [
        "strong reduction of (\"early.aut\" ||| \"late.aut\")",
        "leaf strong reduction of (\"early.aut\" ||| \"late.aut\")",
        "node branching reduction of (\"early.aut\" ||| \"late.aut\")",
        "smart branching reduction of (\"early.aut\" ||| \"late.aut\")",
        "tau-divergence reduction of (\"early.aut\" ||| \"late.aut\")",
        "total tau-compression reduction of \"both.exp\"",
        "partial tau*.a reduction of \"both.exp\"",
        "sharp reduction hold A of \"both.exp\"",
        "strong reduction of \"early.aut\"",
        "\"both.exp\"",
    ] {
        scratch.write("early.aut", &early);
        let other = format!("\"other.aut\" = {of};\n");
        script(&scratch, &other, &[]).status(0);
        let own = format!("\"early.aut\" = {of};\n");
        script(&scratch, &own, &[]).status(0);
        assert_eq!(scratch.read("early.aut"), scratch.read("other.aut"), "{of}");
    }
}

/// Neither a script that is printed, nor a log or record, replaces what is read.
#[test]
fn scripts_are_not_replaced() {
    let scratch = scratch();
    let text =
        "\"o.aut\" = hide using \"r.hid\" in \"early.aut\";\nverify \"p.mcl\" in \"late\";\n";
    scratch.write("r.hid", "hide\nA\n");
    scratch.write("p.mcl", "true\n");
    scratch
        .shell("ln early.aut link.aut; ln -s x.svl y.svl")
        .status(0);
    scratch
        .run("transcode", &["late.aut", "-o", "late.bcg"])
        .status(0);
    scratch.write("x.svl", text);
    for to in [
        "x.svl",
        "y.svl",
        "early.aut",
        "link.aut",
        "r.hid",
        "p.mcl",
        "late.bcg",
    ] {
        let before = fs::read(scratch.path(to)).unwrap();
        for option in ["--script", "--spell-out"] {
            scratch
                .run("svl", &[option, "-o", to, "x"])
                .status(2)
                .says(&format!("{to} would replace "));
            assert_eq!(fs::read(scratch.path(to)).unwrap(), before);
        }
    }
    scratch
        .run("svl", &["--script", "-o", "x.sh", "x"])
        .status(0);
    for name in ["x.log", "x.made"] {
        scratch.write(name, text);
        for option in ["-q", "-i", "--clean", "--sweep"] {
            scratch
                .run("svl", &[option, name])
                .status(2)
                .says(&format!("{name} would be replaced by the "));
            assert_eq!(scratch.read(name), text);
        }
        scratch.run("svl", &["--script", name]).status(0);
        fs::remove_file(scratch.path(name)).unwrap();
    }
    // A file that the script reads, under the name of its log.
    scratch.write("x.log", "hide\nA\n");
    scratch.write(
        "x.svl",
        "\"o.aut\" = hide using \"x.log\" in \"early.aut\";\n",
    );
    scratch
        .run("svl", &["x"])
        .status(2)
        .says("x.log would be replaced by the log");
    assert_eq!(scratch.read("x.log"), "hide\nA\n");
}

/// Options behind the script are arguments of it, which is told if it takes none.
#[test]
fn options_behind_a_script_are_told() {
    let scratch = scratch();
    scratch.write("x.svl", "\"o.aut\" = \"early.aut\";\n");
    for option in [
        "--clean",
        "-clean",
        "-i",
        "-v",
        "--threads=2",
        "-ignore",
        "--help",
        "-iq",
        "-j2",
    ] {
        scratch
            .run("svl", &["x", option])
            .status(0)
            .says(&format!("svl: {option} is an argument of the script"));
    }
    for argument in ["a", "-nothing", "--what", "-"] {
        let run = scratch.run("svl", &["x", argument]).status(0);
        assert_eq!(run.stderr, "", "{argument}");
    }
    for script in [
        "\"$1.aut\" = \"early.aut\";\n",
        "% for file; do echo \"$file\"; done\n",
        "% while getopts c: option; do :; done\n",
        "% . ./more.sh\n",
    ] {
        scratch.write("x.svl", script);
        scratch.write("more.sh", "");
        let run = scratch.run("svl", &["x", "o", "--clean"]).status(0);
        assert_eq!(run.stderr, "", "{script}");
    }
}

/// What is read under the name of the log stays.
#[test]
fn libraries_are_no_logs() {
    let scratch = scratch();
    let library = "macro M () = true end_macro\n";
    for script in [
        "\"early.aut\" |= library \"x.log\" end_library M ();\n",
        "verify \"f.mcl\" in \"early.aut\";\n",
        "% DEFAULT_MCL_LIBRARIES=\"x.log\"\n\"early.aut\" |= M ();\n",
    ] {
        scratch.write("x.log", library);
        scratch.write("f.mcl", "library \"x.log\" end_library M ()\n");
        scratch.write("x.svl", script);
        let run = scratch.run("svl", &["x"]).status(2);
        run.says("x.log would be replaced by the log of the script");
        assert_eq!(scratch.read("x.log"), library, "{script}");
    }
    // Nor is the script itself.
    fs::remove_file(scratch.path("x.log")).unwrap();
    let text = "\"o.aut\" = \"early.aut\";\n";
    scratch.write("svl.log", text);
    let run = scratch.shell("svl - < svl.log").status(2);
    run.says("svl.log: rename one of them");
    assert_eq!(scratch.read("svl.log"), text);
}

/// A limit holds for everything that is explored, also by what reduces and compares.
#[test]
fn limits_of_scripts() {
    let scratch = scratch();
    scratch.write("n.exp", "\"early.aut\" ||| \"late.aut\"\n");
    for statement in [
        "\"o.aut\" = generation of \"n.exp\";",
        "\"o.aut\" = strong reduction of \"n.exp\";",
        "\"o.aut\" = tau-confluence reduction of \"n.exp\";",
        "\"o.aut\" = weak trace reduction of \"early.aut\";",
        "strong comparison \"n.exp\" == \"n.exp\";",
        "deadlock of \"n.exp\";",
        "\"n.exp\" |= [ true* ] < true > true;",
    ] {
        scratch.write("x.svl", statement);
        scratch.run("svl", &["--max-states", "1", "x"]).status(3);
        scratch.run("svl", &["--max-states", "1000", "x"]).status(0);
    }
}

/// What replaces itself keeps its format, whose labels or states another one may not have.
#[test]
fn systems_replace_themselves_in_their_format() {
    let scratch = scratch();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for (name, file) in [("a.lts", "mcrl2/abp.lts"), ("a.fsm", "counter.fsm")] {
        let bytes = fs::read(from.join(file)).unwrap();
        scratch.write(name, &bytes);
        fs::hard_link(scratch.path(name), scratch.path(&format!("hard_{name}"))).unwrap();
        for of in [
            format!("strong reduction of \"{name}\""),
            format!("generation of \"{name}\""),
            format!("\"hard_{name}\""),
        ] {
            scratch.write(name, &bytes);
            script(&scratch, &format!("\"other_{name}\" = {of};\n"), &[]).status(0);
            script(&scratch, &format!("\"{name}\" = {of};\n"), &[]).status(0);
            let [own, other] = [name.to_owned(), format!("other_{name}")];
            let [own, other] = [own, other].map(|name| fs::read(scratch.path(&name)).unwrap());
            assert_eq!(own, other, "{of}");
        }
    }
}

/// Neither the log nor a printed script replaces what a network among the inputs, or what
/// stands for a source, consists of.
#[test]
fn components_are_not_replaced() {
    let scratch = scratch();
    scratch.write("n.exp", "hide using \"x.log\" in \"late.aut\" end hide\n");
    scratch.write("x.log", "hide\nA\n");
    script(&scratch, "\"o.aut\" = \"n.exp\";\n", &[])
        .status(2)
        .says("x.log would be replaced by the log");
    assert_eq!(scratch.read("x.log"), "hide\nA\n");
    let late = scratch.read("late.aut");
    script(
        &scratch,
        "\"o.aut\" = \"n.exp\";\n",
        &["--script", "-o", "late.aut"],
    )
    .status(2);
    let source = "\"o.aut\" = strong reduction of \"model.lnt\";\n";
    let given = ["--script", "--lts", "model.lnt=late.aut", "-o", "late.aut"];
    script(&scratch, source, &given).status(2);
    assert_eq!(scratch.read("late.aut"), late);
}

/// Names with line breaks are refused, as the log has a line for each file; a directory is
/// no network; a refused statement is not run.
#[test]
fn targets_that_cannot_be() {
    let scratch = scratch();
    let broken = "% N='a\n%b'\n\"$N.aut\" = \"early.aut\";\n";
    script(&scratch, broken, &[])
        .status(2)
        .says("has a line break");
    fs::create_dir(scratch.path("d.exp")).unwrap();
    script(
        &scratch,
        "\"d.exp\" = \"early.aut\" ||| \"late.aut\";\n",
        &[],
    )
    .status(2)
    .says("\"d.exp\" is a directory");
    assert_eq!(fs::read_dir(scratch.path("d.exp")).unwrap().count(), 0);
    scratch.write("x.svl", "\"o.aut\" = strong reduction of \"early.aut\";\n");
    let mut command = scratch.command("svl", &["--keep-going", "x"]);
    command.env("BCG_MIN_OPTIONS", "-total");
    finish(command).status(2).says("would change results");
    assert!(!scratch.path("o.aut").exists());
}

/// The ending of a script may be omitted, also where a program has the shorter name.
#[test]
fn the_ending_of_a_script_may_be_omitted() {
    let scratch = scratch();
    scratch.write("demo.svl", "% echo the script\n");
    scratch.run("svl", &["demo"]).ok().prints("the script\n");
    scratch.write("demo", "% echo the other file\n");
    scratch.run("svl", &["demo"]).ok().prints("the script\n");
    scratch.write("demo.svl.svl", "% echo none of these\n");
    scratch
        .run("svl", &["demo.svl"])
        .ok()
        .prints("the script\n");
    fs::remove_file(scratch.path("demo.svl")).expect("a file");
    scratch
        .run("svl", &["demo"])
        .ok()
        .prints("the other file\n");
    // Standard input is no file.
    scratch.write("-.svl", "% echo none of these\n");
    let run = scratch.feed("svl", &["-"], "% echo from standard input\n");
    run.ok().prints("from standard input\n");
}

/// What an interface cannot reach does not count, in a file as in a network.
#[test]
fn interfaces_are_what_they_can_reach() {
    let scratch = Scratch::new();
    scratch.write("ab.aut", "des (0, 2, 2)\n(0, A, 1)\n(1, B, 0)\n");
    scratch.write("far.aut", "des (0, 2, 3)\n(0, H, 1)\n(2, B, 2)\n");
    let text = "\"q.aut\" = \"ab.aut\" -|| \"far.aut\";\n\
                \"r.aut\" = \"ab.aut\" -|| (generation of \"far.aut\");\n\
                \"s.aut\" = abstraction \"far.aut\" of \"ab.aut\";\n";
    script(&scratch, text, &[]).status(0);
    for name in ["q.aut", "r.aut", "s.aut"] {
        let made = scratch.read(name);
        assert_eq!(made, "des (0, 2, 2)\n(0, A, 1)\n(1, B, 0)\n", "{name}");
    }
}

/// Names of files may have any bytes.
#[test]
fn files_with_any_names_are_known_to_be_made() {
    let scratch = Scratch::new();
    scratch.write("in.aut", "des (0, 1, 2)\n(0, A, 1)\n");
    let text = "% F=$(printf 'caf\\351')\n\"$F.bcg\" = \"in.aut\";\n\
                \"$F.seq\" = deadlock of \"$F.bcg\";\n\
                expected TRUE;\n";
    for _ in 0..2 {
        let run = script(&scratch, text, &[]).status(0);
        assert!(!run.stderr.contains("binary"), "{}", run.stderr);
    }
    assert_eq!(std::fs::read_dir(scratch.path(".")).unwrap().count(), 5);
    script(&scratch, text, &["--clean"]).status(0);
    assert_eq!(std::fs::read_dir(scratch.path(".")).unwrap().count(), 2);
}

/// Options in variables for CADP's tools are applied, have no effect, or are errors.
#[test]
fn options_of_tools_are_applied_or_refused() {
    let scratch = scratch();
    scratch.write(
        "r.aut",
        "des (0, 3, 2)\n(0, \"rate 1\", 0)\n(0, \"rate 2\", 1)\n(1, GO, 0)\n",
    );
    scratch.write(
        "e.aut",
        "des (0, 4, 3)\n(0, \"rate 1\", 1)\n(0, \"rate 1\", 2)\n(1, \"rate 2.04\", 0)\n\
         (2, \"rate 2\", 0)\n",
    );
    let reduced = |line: &str, file: &str, how: &str| {
        let text = format!("{line}\n\"o.aut\" = smart {how} reduction of \"{file}\";\n");
        script(&scratch, &text, &[]).status(0);
        size(&scratch, "o.aut")
    };
    let rates = "stochastic branching";
    assert_eq!(reduced("", "r.aut", rates), (2, 2));
    for line in [
        "% BCG_MIN_OPTIONS=\"-self\";",
        "% BCG_MIN_OPTIONS='-monitor -self -compress 3'",
    ] {
        assert_eq!(reduced(line, "r.aut", rates), (2, 3), "{line}");
        // There is nothing for it to keep.
        assert_eq!(reduced(line, "late.aut", "strong"), (3, 3), "{line}");
        assert_eq!(
            reduced(line, "r.aut", "probabilistic strong"),
            (2, 3),
            "{line}"
        );
    }
    assert_eq!(reduced("", "e.aut", rates).0, 3);
    // As good as one rate in all states.
    let line = "% BCG_MIN_OPTIONS='-epsilon 0.1'";
    assert_eq!(reduced(line, "e.aut", rates), (1, 0));
    // Of networks.
    scratch.write("t.aut", "des (0, 2, 3)\n(0, t, 1)\n(1, COIN, 2)\n");
    scratch.write("t.exp", "\"t.aut\" ||| \"t.aut\"\n");
    scratch.write("h.aut", "des (0, 2, 3)\n(0, i, 1)\n(1, COIN, 2)\n");
    let asked = |line: &str| {
        let text = format!(
            "{line}\n% IFS=,\n\"o.aut\" = generation of \"t.exp\";\n\
             strong comparison \"t.aut\" ||| stop == \"h.aut\";\n\
             \"t.exp\" |= < \"t\" > true;\n\
             strong comparison \"t.aut\" == \"h.aut\";\n\
             \"p.aut\" = branching reduction of \"t.exp\";\n"
        );
        let run = script(&scratch, &text, &[]).status(0);
        let told = json(scratch.run("describe", &["--json", "o.aut"]).ok().text());
        let hidden = told["hidden_transitions"].as_u64();
        (verdicts(&run).join(" "), hidden, size(&scratch, "p.aut").0)
    };
    assert_eq!(asked(""), ("FALSE TRUE FALSE".into(), Some(0), 6));
    for options in ["-hidden t", "-ccs", "-silent -hidden t -branching"] {
        let line = format!("% EXP_OPEN_OPTIONS='{options}'");
        assert_eq!(
            asked(&line),
            ("TRUE FALSE FALSE".into(), Some(6), 3),
            "{options}"
        );
    }
    for (options, refused) in [
        ("BISIMULATOR_OPTIONS=-smaller", "-smaller"),
        ("BCG_MIN_OPTIONS='-self -class x'", "-class"),
        ("BCG_MIN_OPTIONS=-rate", "-rate"),
        ("EXP_OPEN_OPTIONS='-hidden t -interface'", "-interface"),
        ("EVALUATOR4_OPTIONS='-bfs -diag'", "-diag"),
    ] {
        let name = options.split_once('=').expect("a value").0;
        script(&scratch, &format!("% {options}\n\"o.aut\" = stop;\n"), &[])
            .status(2)
            .says(&format!("{name} has the option {refused}, which"));
    }
    let text = "% BCG_MIN_OPTIONS=\"self\"\n\"o.aut\" = stop;\n";
    script(&scratch, text, &[])
        .status(2)
        .says("BCG_MIN_OPTIONS: found self, expected an option");
    let text = "% EXP_OPEN_OPTIONS='-case -hidden'\n\"o.aut\" = stop;\n";
    script(&scratch, text, &[])
        .status(2)
        .says("EXP_OPEN_OPTIONS: a value is missing after -hidden");
    // What is not called here may have any.
    let text = "% GENERATOR_OPTIONS='-monitor -uncompress' CAESAR_OPTIONS='-more \"cat *\"'\n\
                % TERMINATOR_OPTIONS='-stat' EVALUATOR_OPTIONS='-dfs -verbose'\n\
                \"o.aut\" = stop;\n";
    script(&scratch, text, &[]).ok();
    // They count for what need not be done again.
    let text = "% BCG_MIN_OPTIONS=$O\n\"o.aut\" = stochastic strong reduction of \"r.aut\";\n";
    for (options, transitions) in [("", 2), ("-self", 3)] {
        let define = format!("O={options}");
        script(&scratch, text, &["--incremental", "-D", &define]).status(0);
        assert_eq!(size(&scratch, "o.aut").1, transitions);
    }
}

/// How lines of the script let the shell read words and write files is theirs alone.
#[test]
fn lines_may_change_how_the_shell_reads_words() {
    let statements = "\"a.aut\" = branching reduction of hide PUT in \"buffer2.aut\" ||| \"late.aut\";\n\
        \"n.exp\" = (strong reduction of \"early.aut\") ||| \"late.aut\" -|| \"late.aut\";\n\
        \"s.bcg\" = smart branching reduction of \"n.exp\";\n\
        \"t.bcg\" = partial tau*.a reduction of \"late.aut\";\n\
        \"u.bcg\" = sharp reduction hold COIN of user abstraction \"early.aut\" sync \"A.*\" of \"late.aut\";\n\
        \"d.seq\" = deadlock of \"late.aut\"; expected TRUE;\n\
        \"c.bcg\" = comparison \"early.aut\" == \"late.aut\"; result R expected FALSE;\n\
        property P (N) \"of $N\" is\n\
        \"f.bcg\" = \"$N.aut\" |= with evaluator3 <true> false; expected FALSE;\n\
        end property\n\
        check P (early);\n";
    let of = |line: &str, shell: &[&str]| {
        let scratch = scratch();
        let text = format!("{line}\n{statements}% printf '=%s|%s=\\n' \"$-\" \"$IFS\"\n");
        let options = [&["--max-states", "1000", "-j", "1"], shell].concat();
        // The second run replaces what the first one has made.
        script(&scratch, &text, &options).ok();
        let run = script(&scratch, &text, &options).ok();
        let (before, rest) = run.text().split_once("\n=").expect("the last line");
        let (set, after) = rest.split_once("=\n").expect("its end");
        (
            format!("{before}\n{after}"),
            scratch.names(),
            set.to_owned(),
        )
    };
    let (text, names, _) = of("", &[]);
    for (line, last) in [
        ("% IFS=,", "|,"),
        ("% IFS=", "|"),
        ("% IFS=ash.0/-", "|ash.0/-"),
        ("% set -f", "f|"),
        ("% set -C", "C|"),
        ("% IFS=: ; set -fCeu", "|:"),
    ] {
        let run = of(line, &[]);
        assert_eq!((&run.0, &run.1), (&text, &names), "{line}");
        assert!(run.2.contains(last), "{line}: {}", run.2);
    }
    let run = of("", &["--sh", "-fC"]);
    assert_eq!((run.0, run.1), (text, names));
}

/// What lines say is done at the end, or lets another program take the place of the shell, is
/// done beside what is the script's own.
#[test]
fn the_end_is_that_of_the_script() {
    let scratch = scratch();
    fs::create_dir(scratch.path("tmp")).unwrap();
    let run = |text: &str| {
        scratch.write("x.svl", text);
        let mut command = scratch.command("svl", &["-q", "x.svl"]);
        command.env("TMPDIR", scratch.path("tmp"));
        let run = finish(command);
        let left = fs::read_dir(scratch.path("tmp")).unwrap().count();
        assert_eq!(left, 0, "{text}");
        let log = scratch.read("x.log");
        let ends = log.lines().filter(|line| line.starts_with("end: "));
        (run, ends.collect::<Vec<_>>().join("; "))
    };
    let failed = "property P is deadlock of \"late.aut\"; expected FALSE; end property\n\
                  \"o.aut\" = \"late.aut\";\n";
    let met = failed.replace("FALSE", "TRUE");
    let summary = |failed: u32| format!("properties: 1, PASS {}, FAIL {failed}\n", 1 - failed);
    for (lines, last, code) in [
        ("% trap 'echo bye' EXIT\n", "", None),
        ("% trap - EXIT\n", "", None),
        ("% trap 'echo bye; exit 0' EXIT\n", "", None),
        ("% trap 'echo bye' EXIT\n", "% exit 5\n", Some(5)),
        ("", "% exec echo bye\n", None),
        ("", "% exec sh -c 'exit 4'\n", Some(4)),
    ] {
        for (text, is_failed) in [(failed, 1), (&met[..], 0)] {
            let (run, ends) = run(&format!("{lines}{text}{last}"));
            let code = code.unwrap_or(is_failed);
            let run = run.status(code as i32);
            assert_eq!(ends, format!("end: status {code}"), "{lines}{last}");
            let summary = summary(is_failed);
            assert!(
                run.text().ends_with(&summary),
                "{lines}{last}: {}",
                run.text()
            );
            let said = lines.contains("bye") || last.contains("bye");
            assert_eq!(run.text().contains("bye\n"), said, "{lines}{last}");
        }
    }
    // What has been made can be removed.
    scratch.run("svl", &["-clean", "x.svl"]).ok();
    assert!(!scratch.path("o.aut").exists());
    let (ended, ends) = run("% trap '' EXIT\n% kill -KILL $$\n");
    ended.signal(Signal::SIGKILL as i32);
    assert_eq!(ends, "end: signal KILL");
    // What the command is told by a signal, the script is.
    let lines = "% trap 'T=1; echo told' USR1\n% kill -USR1 $PPID\n\
                 % while [ -z \"${T:-}\" ]; do sleep 0.02; done\n";
    let (told, ends) = run(lines);
    assert_eq!((told.ok().text(), &*ends), ("told\n", "end: status 0"));
    // The shell that runs the script ends with the command.
    let text = "% echo $$ > pid\n% while sleep 0.1; do :; done\n";
    scratch.write("x.svl", text);
    let mut child = scratch.command("svl", &["x.svl"]).spawn().unwrap();
    let pid = || fs::read_to_string(scratch.path("pid")).unwrap_or_default();
    while !pid().ends_with('\n') {
        thread::sleep(Duration::from_millis(10));
    }
    kill(
        Pid::from_raw(child.id().try_into().unwrap()),
        Signal::SIGKILL,
    )
    .unwrap();
    child.wait().unwrap();
    while scratch
        .read("x.log")
        .lines()
        .all(|line| line != "end: signal TERM")
    {
        thread::sleep(Duration::from_millis(10));
    }
}

/// Files that a script names from the root on are known to be made by it.
#[test]
fn clean_removes_files_with_full_names() {
    let scratch = scratch();
    let text = "\"$PWD/z.aut\" = \"late.aut\";\n\
                \"$PWD/n.exp\" = (strong reduction of \"late.aut\") ||| \"early.aut\";\n\
                \"$PWD/d.seq\" = deadlock of \"late.aut\"; expected TRUE;\n";
    let before = scratch.names();
    for options in [&[][..], &["--incremental"], &["--incremental"]] {
        script(&scratch, text, options).ok();
        let made = ["z.aut", "n.exp", "n_1.bcg", "d.seq"];
        assert!(made.iter().all(|name| scratch.path(name).exists()));
        assert!(!scratch.path("n_2.bcg").exists());
    }
    scratch.run("svl", &["-clean", "x.svl"]).ok();
    let mut left = scratch.names();
    left.retain(|name| name != "x.svl");
    assert_eq!(left, before);
}

/// What a statement has missed and a later one makes is what the script has made.
#[test]
fn clean_removes_what_was_missing_before() {
    let scratch = scratch();
    let text = "\"p.aut\" = \"q.aut\";\n\"q.aut\" = \"late.aut\";\n";
    script(&scratch, text, &["-ignore"]).status(2);
    assert!(scratch.path("q.aut").exists());
    scratch.run("svl", &["-clean", "x.svl"]).ok();
    assert!(!scratch.path("q.aut").exists());
}

/// A backslash keeps a `$` from being a variable, and is no part of the text then.
#[test]
fn a_dollar_behind_a_backslash_is_one() {
    let scratch = scratch();
    scratch.write("d.aut", "des (0, 1, 2)\n(0, \"B$x\", 1)\n");
    let text = "% x=1\n\"x\\$y.aut\" = \"d.aut\";\n\
                \"x\\$y.aut\" |= <\"B\\$x\"> true; expected TRUE;\n\
                \"o.aut\" = hide \"B\\$x\" in \"d.aut\";\n\
                property P \"costs \\$x and $x\" is \"o.aut\" |= <\"B\\$x\"> true; expected FALSE; end property\n";
    let run = script(&scratch, text, &[]).status(0);
    for line in [
        "svl: \"x$y.aut\" = \"d.aut\"",
        "svl: \"x$y.aut\" |= <\"B$x\"> true",
        "property P: costs $x and 1",
    ] {
        assert!(run.text().lines().any(|it| it == line), "{}", run.text());
    }
    assert!(scratch.path("x$y.aut").exists());
    assert!(scratch.read("x.log").contains("x.svl:2: \"x$y.aut\" ="));
}

/// Mistakes in operators whose labels are known are told before anything runs.
#[test]
fn operators_that_cannot_be_are_told_first() {
    let scratch = scratch();
    let first = "\"o.aut\" = \"late.aut\";\n";
    for (statement, told) in [
        ("\"p.aut\" = total hide \"A[\" in \"late.aut\";", "A["),
        ("\"p.aut\" = rename \"A\\(\" -> B in \"late.aut\";", "A"),
        (
            "\"p.aut\" = par using A * B -> C in \"late.aut\" || \"late.aut\" || \"late.aut\" end par;",
            "a vector with 2 elements for 3 operands",
        ),
        ("deadlock of prio A > A in \"late.aut\";", "A"),
        ("\"p.exp\" = \"late.aut\" |[i]| \"late.aut\";", "i"),
        (
            "\"p.aut\" = sharp reduction hold \"A[\" of \"late.aut\";",
            "A[",
        ),
    ] {
        let run = script(&scratch, &format!("{first}{statement}\n"), &[]).status(2);
        let run = run.says("x.svl:2:1: error").says(told);
        assert_eq!(run.text(), "", "{statement}");
        assert!(!scratch.path("o.aut").exists(), "{statement}");
    }
    // In another language `i` is a gate.
    let text = "% EXP_OPEN_OPTIONS=-ccs\n\"p.exp\" = \"late.aut\" |[i]| \"late.aut\";\n";
    script(&scratch, text, &[]).ok();
    // Of values nothing is known before.
    let text = "% X=COIN\n\"p.aut\" = total hide \"$X[\" in \"late.aut\";\n";
    let run = script(&scratch, text, &[]).status(2);
    assert!(run.text().starts_with("svl: \"p.aut\""), "{}", run.text());
}

/// Messages of commands are about what the script says and names.
#[test]
fn messages_are_about_the_script() {
    let scratch = scratch();
    // The place of a formula in the script.
    let text = "% X=COIN\n% X=$X\n\n\"late.aut\" |= < \"$X\" > true and\n\
                   not < \"FOO\" > true;\n";
    script(&scratch, text, &[])
        .status(0)
        .says("x.svl:5:7: warning: ");
    // Rules in files that it names, and how much more there is to say.
    scratch.write("k.hid", "hide\nFOO\n");
    let text = "\n\"o.aut\" = hide using \"k.hid\" in \"late.aut\";\n";
    script(&scratch, text, &[])
        .status(0)
        .says("hide `FOO`: no label matches");
    let labels: Vec<String> = (0..20).map(|n| format!("NO{n}")).collect();
    let text = format!(
        "\n\"o.aut\" = hide {} in \"late.aut\";\n",
        labels.join(", ")
    );
    let run = script(&scratch, &text, &[]).status(0);
    assert!(!run.stderr.contains("svl0"), "{}", run.stderr);
    assert!(
        run.stderr
            .lines()
            .all(|line| line.starts_with("x.svl:2: warning: "))
    );
    // Interfaces, which have no names where they are no files.
    scratch.write("one.aut", "des (0, 1, 2)\n(0, \"PUT !1\", 1)\n");
    for (interface, told) in [
        ("\"one.aut\"", "the interface one.aut is wrong"),
        ("(hide TEA in \"one.aut\")", "an interface is wrong"),
    ] {
        let text = format!(
            "\"o.aut\" = (user abstraction {interface} sync \"PU.*\" of (hide NO in \"buffer.aut\"))\n\
             |[PUT]| \"buffer.aut\";\n"
        );
        script(&scratch, &text, &[]).status(2).says(&format!(
            "reach: error: x.svl:1: {told}: it forbids `PUT !2`"
        ));
    }
    // A line that the shell rejects.
    let text = "% if true\n\"o.aut\" = \"late.aut\";\n";
    let run = script(&scratch, text, &["--script"]).status(2);
    assert_eq!(run.says("x.svl:1:1: error: the shell finds").text(), "");
}

/// A temporary file is known before it is there: whatever interrupts the script finds it.
#[test]
fn temporary_files_are_noted_before_they_are_made() {
    let scratch = scratch();
    let text = "\"o.aut\" = strong reduction of hide GET in \"buffer.aut\";\n";
    let run = script(&scratch, text, &["--sh", "-x"]).status(0);
    let at = |part: &str| run.stderr.find(part).expect(part);
    // The file is made by a shell that replaces none.
    assert!(at("temporary: ") < at("+ set -C\n"), "{}", run.stderr);
}
