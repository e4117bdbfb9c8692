//! Sizes of quotients that are known: from other tools for real systems, from
//! their construction for families. A quotient that is too fine is equivalent
//! all the same; only its size shows.

use std::path::Path;

use hyades::equivalence::{Relation, minimize, strong_quotient};
use hyades::explore::Limits;
use hyades::formats::{Lts, ReadOptions, Source, read_lts};
use hyades::generate::family;

fn read(name: &str) -> Lts {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("testdata/quotients")
        .join(name);
    let source = Source::open(&path, None).unwrap();
    read_lts(source, &ReadOptions::default(), &mut |_| {}).unwrap()
}

fn generated(name: &str, values: &[u64]) -> Lts {
    let family = family(name).unwrap_or_else(|| panic!("no family {name}"));
    let values = family.values(values, &[]).unwrap();
    family.generate(&values, Limits::default()).unwrap()
}

/// States and transitions of the quotients by strong, branching and
/// divergence-preserving branching bisimilarity.
#[track_caller]
fn expect(what: &str, lts: &Lts, expected: [(usize, usize); 3]) {
    let relations = [
        Relation::Strong,
        Relation::Branching,
        Relation::DivBranching,
    ];
    let found = relations.map(|relation| {
        let quotient = minimize(lts.clone(), relation).unwrap().lts;
        (quotient.states(), quotient.transitions())
    });
    assert_eq!(found, expected, "{what}");
}

#[test]
fn real_systems() {
    let of = |name| read(&format!("{name}.aut.xz"));
    expect("brp68", &of("brp68"), [(1108, 1327), (5, 7), (5, 7)]);
    expect(
        "lift3init",
        &of("lift3init"),
        [(6897, 29214), (5572, 25154), (5696, 25658)],
    );
    expect(
        "onebit",
        &of("onebit"),
        [(9216, 57576), (49, 217), (49, 266)],
    );
}

#[test]
fn families_without_hidden_steps() {
    let same = |what, lts: Lts, size| expect(what, &lts, [size; 3]);
    same("chain", generated("chain", &[1000]), (1000, 999));
    same(
        "grid",
        generated("grid", &[30, 20]),
        (600, 2 * 600 - 30 - 20),
    );
    same("torus", generated("torus", &[30, 20]), (1, 2));
    same("debruijn", generated("debruijn", &[12]), (13, 27));
    same("debruijn", generated("debruijn", &[16]), (17, 35));
}

#[test]
fn families_with_hidden_steps() {
    let chain = generated("tau-chain", &[1000]);
    expect("tau-chain", &chain, [(1000, 999), (2, 1), (2, 1)]);
    // A hub and two kinds of leaves.
    let star = generated("tau-star", &[1000]);
    expect("tau-star", &star, [(3, 4), (3, 4), (3, 4)]);
    // One component with exits by seven labels; the strong quotient depends on
    // the random chords.
    for (family, values, branching, divergent) in [
        ("tau-cycle", [20_000].as_slice(), (2, 7), (2, 8)),
        ("tau-scc", &[20, 200], (1, 5), (1, 6)),
    ] {
        let lts = generated(family, values);
        let strong = strong_quotient(lts.clone()).lts;
        let strong = (strong.states(), strong.transitions());
        expect(family, &lts, [strong, branching, divergent]);
    }
}
