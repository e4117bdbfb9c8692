//! Small pairs with known answers.

use hyades_explore::{ExploreOptions, Model, explore};
use hyades_formats::{Lts, Source};
use hyades_network::{Disk, NetworkModel, Options};
use serde_json::Value;

use super::super::*;
use super::naive::{Kind, check};
use super::{aut, find, normal};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/refine/");

fn read(name: &str) -> Lts {
    aut(&std::fs::read_to_string(format!("{FOLDER}{name}.aut")).unwrap())
}

/// All pairs that there are, whether they are violations or not.
fn pairs(specification: &Specification, implementation: &Lts) -> u64 {
    let all = Violations::Ignore;
    let product = Product::new(specification, implementation, &Identity, all).unwrap();
    let found = explore(&product, ExploreOptions::default(), &mut ()).unwrap();
    found.states
}

#[test]
fn examples_are_as_expected() {
    let text = std::fs::read_to_string(format!("{FOLDER}expected.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let mut count = 0;
    for example in all.as_array().unwrap() {
        let name = |side: &str| example[side].as_str().unwrap();
        let (spec, model) = (read(name("spec")), read(name("impl")));
        for semantics in Semantics::ALL {
            let expected = &example[semantics.name()];
            let what = format!("{} {} {semantics}", name("spec"), name("impl"));
            for shortest in [Shortest::Steps, Shortest::Events] {
                let found = find(&spec, &model, semantics, shortest);
                let RefinementVerdict::Fails(shown) = &found.verdict else {
                    assert_eq!(found.verdict, RefinementVerdict::Holds);
                    assert_eq!(expected["holds"], true, "{what}");
                    assert_eq!(expected["product_states"], found.pairs, "{what}");
                    continue;
                };
                assert_eq!(expected["holds"], false, "{what}");
                check(&spec, &model, semantics, shown);
                let kind = match Kind::of(&shown.violation) {
                    Kind::Trace => "trace",
                    Kind::Refusal => "refusal",
                    Kind::Divergence => "divergence",
                };
                if shortest == Shortest::Events {
                    assert_eq!(expected["kind"], kind, "{what}");
                    let events = shown.visible_trace().len();
                    assert_eq!(expected["min_trace_len"], events, "{what}");
                }
            }
            let all = pairs(&normal(&spec, semantics), &model);
            assert_eq!(expected["product_states"], all, "{what}");
            count += 1;
        }
    }
    assert_eq!(count, 3 * all.as_array().unwrap().len());
    assert!(count >= 90);
}

/// A network of testdata and its specification.
fn network(name: &str) -> (NetworkModel, Lts) {
    let folder = format!("{}/testdata/networks/{name}", hyades_testing::ROOT);
    let source = Source::open(format!("{folder}/net.exp").as_ref(), None).unwrap();
    let text = std::fs::read_to_string(format!("{folder}/spec.aut")).unwrap();
    let options = Options {
        base: folder.into(),
        ..Options::default()
    };
    let network = hyades_network::read(source, &options, &Disk, &mut |d| panic!("{d}"));
    (NetworkModel::new(network.unwrap()), aut(&text))
}

#[test]
fn networks_are_refined_as_they_are_explored() {
    // For each semantics the number of pairs, or the number of steps to a refusal
    // after the empty trace.
    for (name, pairs, refusal) in [
        ("database_4", 109, None),
        ("liststack_2_2_2", 1512, Some(4)),
        ("peterson_3", 716, Some(15)),
    ] {
        let (model, spec) = network(name);
        for semantics in Semantics::ALL {
            let refusal = refusal.filter(|_| semantics != Semantics::Traces);
            let found =
                refine(&normal(&spec, semantics), &model, RefineOptions::default()).unwrap();
            match (found.verdict, refusal) {
                (RefinementVerdict::Holds, None) => {
                    assert_eq!(found.pairs, pairs, "{name} {semantics}")
                }
                (RefinementVerdict::Fails(shown), Some(steps)) => {
                    assert_eq!(shown.steps.len(), steps, "{name} {semantics}");
                    assert!(shown.visible_trace().is_empty());
                    assert!(matches!(shown.violation, Violation::Refusal { .. }));
                    let (pairs, labels) = shown.walk();
                    for (at, label) in labels.iter().enumerate() {
                        let (from, to) = (&pairs[at].state, &pairs[at + 1].state);
                        assert!(!model.explain(from, *label, to).is_empty());
                    }
                }
                other => panic!("{name} {semantics}: {other:?}"),
            }
        }
    }
}
