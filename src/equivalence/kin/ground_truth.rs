//! The verdicts, sizes and class counts of `testdata/spectrum`, which were computed from the
//! definitions alone.

use std::fs;

use hyades_formats::{Lts, ReadOptions, Source, read_lts};
use hyades_lts::union::disjoint_union;
use hyades_lts::{Numbering, reachable};
use hyades_testing::ROOT;

use super::rooted::{Unrooted, rooted_related};
use super::tests::by_definition;
use super::{eta, sharp, stability};
use crate::rounds::untold;
use crate::{Partition, Relation, partition};

fn read(name: &str) -> String {
    fs::read_to_string(format!("{ROOT}/testdata/spectrum/{name}")).unwrap()
}

/// A system; that it does not begin in state 0 is no reason to worry.
fn system(name: &str) -> Lts {
    let source = Source::from_bytes(name, read(name).into(), None).unwrap();
    read_lts(source, &ReadOptions::default(), &mut |_| ()).unwrap()
}

/// What follows this key in a JSON text, up to the next comma or bracket.
fn value<'t>(text: &'t str, key: &str) -> &'t str {
    let start = format!("\"{key}\": ");
    let at = text.find(&start).unwrap_or_else(|| panic!("no {key}"));
    let rest = text[at + start.len()..].trim_start_matches(['[', '"']);
    rest.split([',', ']', '"', '}']).next().unwrap()
}

/// The parts of `expected.json` about pairs of systems and about sizes.
fn expected() -> [Vec<String>; 2] {
    let text = read("expected.json");
    let (pairs, sizes) = text.split_once("\"sizes_about\"").unwrap();
    let entries = |text: &str, key: &str| {
        let between = format!("{{\"{key}\"");
        let parts = text.split(&between).skip(1);
        parts.map(|part| format!("\"{key}\"{part}")).collect()
    };
    [entries(pairs, "name"), entries(sizes, "file")]
}

/// The labels of which `a` alone is strong.
fn strong(lts: &Lts) -> Vec<bool> {
    let a = lts.table().find(b"a");
    let is_strong = |k: usize| a.is_some_and(|a| a.index() == k);
    (0..lts.table().len()).map(is_strong).collect()
}

#[test]
fn verdicts() {
    let [pairs, _] = expected();
    assert_eq!(pairs.len(), 67);
    for pair in pairs {
        let [a, b] = ["a", "b"].map(|side| system(value(&pair, side)));
        let union = disjoint_union(a, b).unwrap();
        let (lts, sides) = (&union.lts, [union.lts.initial(), union.second]);
        let same = |p: &Partition| p.class(sides[0]) == p.class(sides[1]);
        let rooted = |p: &Partition, unrooted| {
            same(p) && rooted_related(lts, sides[0], sides[1], p, unrooted)
        };
        let found = [
            ("eta", same(&eta::partition(lts, &mut untold))),
            (
                "sr-branching",
                same(&stability::partition(lts, &mut untold)),
            ),
            (
                "sharp",
                same(&sharp::partition(lts, &strong(lts), false, &mut untold)),
            ),
            (
                "divsharp",
                same(&sharp::partition(lts, &strong(lts), true, &mut untold)),
            ),
            (
                "rooted-branching",
                rooted(
                    &partition(lts, Relation::Branching).unwrap(),
                    Unrooted::Branching,
                ),
            ),
            (
                "rooted-weak",
                rooted(&by_definition("observational", lts, &[]), Unrooted::Weak),
            ),
        ];
        for (relation, found) in found {
            let name = value(&pair, "name");
            assert_eq!(
                value(&pair, relation),
                found.to_string(),
                "{name}: {relation}"
            );
        }
    }
}

#[test]
fn sizes() {
    let [_, sizes] = expected();
    assert_eq!(sizes.len(), 15);
    for entry in sizes {
        let file = value(&entry, "file");
        let lts = reachable(system(file), Numbering::Ascending);
        for (relation, divergence) in [("sharp", false), ("divsharp", true)] {
            let strong = strong(&lts);
            let (small, _) = sharp::quotient(lts.clone(), &strong, divergence, &mut untold);
            let found = format!(
                "\"{relation}\": [{}, {}]",
                small.states(),
                small.transitions()
            );
            assert!(entry.contains(&found), "{file}: {found}");
        }
        for (relation, found) in [
            ("eta", eta::partition(&lts, &mut untold).count()),
            (
                "sr-branching",
                stability::partition(&lts, &mut untold).count(),
            ),
        ] {
            assert_eq!(
                value(&entry, relation),
                found.to_string(),
                "{file}: {relation}"
            );
        }
    }
}
