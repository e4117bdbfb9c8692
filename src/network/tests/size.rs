//! What compiling costs, by what it makes.

use std::fmt::Write as _;

use super::super::rules::Limits;
use super::super::{Memory, Network, NetworkModel, Options};
use super::network;
use crate::explore::{Emit, Model, words};
use hyades_formats::LabelId;

fn parts(network: &Network) -> usize {
    let rules = network.rules().rules.iter();
    rules.map(|rule| rule.parts.len() + rule.guards.len()).sum()
}

/// How many transitions the initial state has.
fn degree(network: Network) -> usize {
    struct Count(usize);
    impl Emit for Count {
        fn label(&mut self, _: &[u8]) -> LabelId {
            unreachable!("all labels are known")
        }
        fn transition(&mut self, _: LabelId, _: &[u64]) {
            self.0 += 1;
        }
    }
    let model = NetworkModel::new(network);
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial).expect("an initial state");
    let mut count = Count(0);
    model
        .successors(&mut model.scratch(), &initial, &mut count)
        .expect("successors");
    count.0
}

/// Pairs of many that can meet are not listed one by one.
#[test]
fn chains_of_communication_grow_with_the_text() {
    let mut files = Memory::default();
    files.add("ca.aut", "des (0,2,2)\n(0,A,1)\n(0,\"'A\",1)\n");
    files.add("ab.aut", "des (0,2,2)\n(0,A,1)\n(0,B,1)\n");
    for n in [2, 100, 3000] {
        let ccs = format!("ccs behaviour {}", vec!["\"ca.aut\""; n].join(" | "));
        let mcrl = format!(
            "mcrl behaviour comm A | B = C end comm {}",
            vec!["\"ab.aut\""; n].join(" || ")
        );
        for text in [ccs, mcrl] {
            let network = network(&text, &Options::default(), &files);
            assert!(network.events().len() <= 10 * n);
            let limit = Limits::of(network.events());
            assert!(parts(&network) as u64 <= 2 * limit.of_label);
            if n == 100 {
                assert!(network.rules().rest.is_empty());
                assert_eq!(network.rules().rules.len(), 2 * n + n * (n - 1));
            }
            // Each alone, and each one with each other one; for CCS hidden, where
            // all lead to the same states by twos.
            if n <= 100 {
                let pairs = n * (n - 1) / 2;
                assert_eq!(degree(network), 2 * n + pairs);
            }
        }
    }
}

/// `par` within `par`, and everything that takes part in one label.
#[test]
fn deep_nesting_is_linear() {
    let mut files = Memory::default();
    files.add("a.aut", "des (0,2,2)\n(0,A,1)\n(1,B,0)\n");
    let n = 40_000;
    let mut text = String::new();
    for _ in 1..n {
        text.push_str("par A in a.aut || ");
    }
    text.push_str("a.aut");
    text.push_str(&" end par".repeat(n - 1));
    let nested = network(&text, &Options::default(), &files);
    assert_eq!(nested.rules().rules.len(), 1 + n);
    assert_eq!(parts(&nested), 2 * n);
    let (source, target) = (vec![0; n], vec![1; n]);
    let label = nested.labels().find(b"A").expect("a label");
    assert_eq!(nested.explain(&source, label, &target).len(), n);
    assert_eq!(degree(nested), 1);
}

/// Operands with labels of their own.
#[test]
fn chains_with_many_labels() {
    let mut files = Memory::default();
    let mut text = String::from("ccs behaviour ");
    let n = 2000;
    for k in 0..n {
        files.add(
            format!("c{k}.aut"),
            format!("des (0,2,2)\n(0,A{k},1)\n(1,\"'A{}\",0)\n", (k + 1) % n),
        );
        let operator = if k > 0 { " | " } else { "" };
        write!(text, "{operator}c{k}.aut").expect("a string");
    }
    let network = network(&text, &Options::default(), &files);
    assert_eq!(network.rules().rules.len(), 3 * n);
    assert!(network.rules().rest.is_empty());
}
