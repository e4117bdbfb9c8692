//! Small pairs with known answers.

use hyades_formats::Lts;
use serde_json::Value;

use super::super::*;
use super::naive::{Kind, check};
use super::{aut, find, normal};
use crate::explore::{Search as Exploring, explore};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/refine/");

fn read(name: &str) -> Lts {
    aut(&std::fs::read_to_string(format!("{FOLDER}{name}.aut")).unwrap())
}

/// All pairs that there are, whether they are violations or not.
fn pairs(specification: &Specification, implementation: &Lts) -> u64 {
    let all = Violations::Ignore;
    let product = Product::new(specification, implementation, &Themselves, all).unwrap();
    let found = explore(&product, Exploring::default(), &mut ()).unwrap();
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
                let Verdict::Fails(shown) = &found.verdict else {
                    assert_eq!(found.verdict, Verdict::Holds);
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
