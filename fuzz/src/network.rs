//! Networks: see the README.

use hyades::explore::{ExploreOptions, Limits, Outcome, explore};
use hyades::formats::ReadError;
use hyades::network::{Memory, NetworkModel, Options, from_text};

const LIMIT: u64 = 1000;

/// Checks one input.
pub fn check(input: &[u8]) {
    // A network, and a text that it may include.
    let (text, included) = match input.iter().position(|&b| b == 0) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &b"hide A in a"[..]),
    };
    let mut files = Memory::default();
    files.add("a.aut", "des (0,3,2)\n(0,A,1)\n(1,\"B !1\",0)\n(1,i,1)\n");
    files.add(
        "b.aut",
        "des (0,4,3)\n(0,A,1)\n(0,\"'A\",2)\n(1,\"B !1\",0)\n(2,exit,2)\n",
    );
    files.add("r.hid", "hide\nA\n");
    files.add("x.exp", included);
    let options = Options {
        // Of what semi-compositions explore.
        limits: Limits {
            max_states: Some(LIMIT),
            ..Limits::default()
        },
        ..Options::default()
    };
    let mut errors = 0;
    let read = from_text("net.exp", text, &options, &files, &mut |d| {
        errors += u64::from(d.severity == hyades_formats::Severity::Error);
        assert!(!d.text.is_empty());
    });
    let network = match read {
        Ok(network) => network,
        Err(ReadError::Limit { .. }) => return,
        Err(_) => return assert!(errors > 0, "no reason"),
    };
    assert_eq!(errors, 0);
    // A vector for all components each: more than a few take too long.
    if network.components().len() > 50 {
        return;
    }
    let flat = network.flat().map(|flat| {
        let mut text = Vec::new();
        flat.write(&mut text).expect("memory takes everything");
        text
    });
    let search = || ExploreOptions {
        limits: Limits {
            max_states: Some(LIMIT),
            ..Limits::default()
        },
        ..ExploreOptions::default()
    };
    let model = NetworkModel::new(network);
    let Ok(found) = explore(&model, search(), &mut ()) else {
        return;
    };
    // The vectors mean the same.
    if let (Ok(flat), Outcome::Complete) = (flat, found.outcome) {
        let mut options = options;
        options.customs.hidden = model.network().parameters().hidden.clone();
        let network = from_text("flat.exp", flat, &options, &files, &mut |_| ());
        let model = NetworkModel::new(network.expect("what is written can be read"));
        let again = explore(&model, search(), &mut ()).expect("as before");
        assert_eq!(
            (again.states, again.transitions),
            (found.states, found.transitions)
        );
    }
}
