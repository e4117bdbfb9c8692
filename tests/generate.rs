//! `generate`, run as a user runs it.

mod util;

use util::{Scratch, json};

#[test]
fn a_chain_is_written() {
    let scratch = Scratch::new();
    scratch
        .run("generate", &["chain", "3"])
        .ok()
        .prints("des (0, 2, 3)\n(0, a, 1)\n(1, a, 2)\n");
}

#[test]
fn every_family_has_a_help_and_a_small_member_that_can_be_read() {
    let scratch = Scratch::new();
    for family in hyades::generate::families() {
        let help = scratch.run("generate", &[family.name, "--help"]).ok();
        assert!(help.text().contains("Exit status:"), "{}", family.name);
        let mut arguments = vec![family.name];
        for parameter in family.parameters {
            assert!(
                help.text().to_lowercase().contains(parameter.name),
                "{} {}",
                family.name,
                parameter.name
            );
            if parameter.default.is_none() {
                arguments.push("4");
            }
        }
        let member = scratch.run("generate", &arguments).ok();
        scratch.feed("describe", &["--strict"], &member.stdout).ok();
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
        let required = family.parameters.iter().filter(|p| p.default.is_none());
        let positional: Vec<u64> = required.map(|p| 9.clamp(p.least, p.most)).collect();
        let texts: Vec<String> = positional.iter().map(u64::to_string).collect();
        let mut arguments = vec![family.name];
        arguments.extend(texts.iter().map(String::as_str));
        arguments.extend(["--quote", "always", "--stats", "s.json"]);
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
            hyades::lts::count_labels(&lts),
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
        let arguments = ["random", "50", "200", "--seed", seed, "--tau", "0"];
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
        (&["random", "5", "5", "--tau", "101"], "101"),
        (&["nonsense"], "nonsense"),
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
