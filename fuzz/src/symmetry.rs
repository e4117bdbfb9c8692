//! Symmetry of networks: see the README.

use hyades::explore::{Exploration, ExploreOptions, Limits, Model, Outcome, explore};
use hyades::network::symmetry::{Strategy, SymmetricModel, Symmetry, Types, find_types};
use hyades::network::{Memory, Network, Options, from_text};

const LIMIT: u64 = 1000;

/// What is explored, if that is all.
fn explored(model: &impl Model) -> Option<Exploration<'_>> {
    let search = ExploreOptions {
        limits: Limits {
            max_states: Some(LIMIT),
            ..Limits::default()
        },
        ..ExploreOptions::default()
    };
    let found = explore(model, search, &mut ()).ok()?;
    (found.outcome == Outcome::Complete).then_some(found)
}

/// A cell that user `me` of three writes a datum to, and gives away.
fn cell(me: u8) -> String {
    let next = (me + 1) % 3;
    format!(
        "des (0,5,3)\n(0,\"PUT !U{me} !A\",1)\n(0,\"PUT !U{me} !B\",2)\n(1,\"GET !U{me} !A\",0)\n\
         (2,\"GET !U{me} !B\",0)\n(0,\"PASS !U{me} !U{next}\",0)\n"
    )
}

fn network(text: &[u8]) -> Option<Network> {
    let mut files = Memory::default();
    for me in 0..3 {
        files.add(format!("c{me}.aut"), cell(me));
    }
    files.add(
        "lock.aut",
        "des (0,2,2)\n(0,\"PUT !U0 !A\",1)\n(1,\"GET !U0 !A\",0)\n",
    );
    from_text("net.exp", text, &Options::default(), &files, &mut |_| ()).ok()
}

/// Checks one input.
pub fn check(input: &[u8]) {
    // Types, and a network.
    let (types, text) = match input.iter().position(|&b| b == 0) {
        Some(end) => (&input[..end], &input[end + 1..]),
        None => (input, &b"\"c0.aut\" ||| \"c1.aut\" ||| \"c2.aut\""[..]),
    };
    let Ok(types) = str::from_utf8(types) else {
        return;
    };
    let types = [Types::parse(types), Types::parse_line(types)];
    for error in types.iter().filter_map(|types| types.as_ref().err()) {
        assert!(error.line > 0 && error.column > 0 && !error.text.is_empty());
    }
    let Some(network) = network(text) else {
        return;
    };
    if network.components().len() > 6 {
        return;
    }
    let found = find_types(&network, None).ok();
    if let Some(found) = &found {
        Symmetry::new(&network, found).expect("what is found is a symmetry");
    }
    for types in types.iter().flatten().chain(&found) {
        let Ok(symmetry) = Symmetry::new(&network, types) else {
            continue;
        };
        let minimal = SymmetricModel::new(&symmetry, Strategy::Exact);
        let unreduced = minimal.unreduced();
        let Some(whole) = explored(&unreduced) else {
            continue;
        };
        let (_, counts) = minimal
            .count(ExploreOptions::default())
            .expect("few states");
        let counts = counts.expect("few states");
        assert_eq!(counts.states, u128::from(whole.states));
        for strategy in Strategy::ALL {
            let model = SymmetricModel::new(&symmetry, strategy);
            let Some(reduced) = explored(&model) else {
                continue;
            };
            assert!(reduced.states <= whole.states);
            assert!(u128::from(reduced.states) >= counts.orbits);
        }
    }
}
