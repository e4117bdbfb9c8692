//! Reduced networks against the full state space.

use hyades_equivalence::{Relation, compare::compare};

use super::super::por::tests::wide;
use super::super::tests::random::sample;
use super::super::tests::{explored, network};
use super::super::{Memory, Network, NetworkModel};
use super::{Options, ReductionStep, reduce};

fn reduced(network: Network, options: Options) -> (Network, Vec<ReductionStep>) {
    let mut steps = Vec::new();
    let network = reduce(network, options, &mut |step| steps.push(step.clone()));
    (network.expect("few states"), steps)
}

#[track_caller]
fn check(network: Network, context: &str) {
    let lts = explored(&NetworkModel::new(network.clone()));
    let usable = |r: &Relation| r.is_congruence() && r.has_quotient();
    for relation in Relation::ALL.into_iter().filter(usable) {
        for max_states in [1, 20, 1 << 20] {
            let options = Options {
                relation,
                max_states,
            };
            let (own, steps) = reduced(network.clone(), options);
            assert!(own.components().len() <= network.components().len());
            let own = explored(&NetworkModel::new(own));
            let verdict = compare(lts.clone(), own, relation).expect("small");
            assert!(
                verdict.holds(),
                "{relation}, {max_states}: {verdict:?}\n{steps:?}\n{context}"
            );
        }
    }
}

#[test]
fn random_expressions_stay_equivalent() {
    for seed in 0..300 {
        let Some(sample) = sample(seed) else {
            continue;
        };
        let (head, body) = (&sample.head, &sample.body);
        for text in [
            format!("{head} {body}"),
            format!("{head} gate hide \"A\", \"'A\" in {body} end hide"),
        ] {
            let context = format!("seed {seed}: {text}\n{:?}", sample.files);
            check(network(&text, &sample.options, &sample.files), &context);
        }
    }
}

#[test]
fn wide_networks_stay_equivalent() {
    let options = super::super::Options {
        check: false,
        ..Default::default()
    };
    for seed in 0..300 {
        let (text, files) = wide(seed);
        let context = format!("seed {seed}: {text}\n{files:?}");
        check(network(&text, &options, &files), &context);
    }
}

/// A product of parts that are deterministic may have a deterministic equivalent that is much
/// larger: no part is made larger than it is, and what comes of it is small.
#[test]
fn parts_that_would_grow_are_left_as_they_are() {
    let mut files = Memory::default();
    for (name, text) in [
        (
            "c0.aut",
            "des (0, 6, 2)\n(0, A, 1)\n(0, \"C !1\", 1)\n(0, \"C !2\", 0)\n(1, B, 0)\n\
             (1, D, 1)\n(1, i, 1)\n",
        ),
        (
            "c1.aut",
            "des (0, 4, 4)\n(0, B, 2)\n(0, \"C !2\", 2)\n(0, i, 2)\n(3, A, 2)\n",
        ),
        (
            "c2.aut",
            "des (0, 4, 2)\n(0, A, 1)\n(1, B, 1)\n(1, \"C !1\", 1)\n(1, \"C !2\", 0)\n",
        ),
    ] {
        files.add(name.to_owned(), text);
    }
    let text = "par B#2 in (c1.aut |[C,D,B]| c0.aut) || (c0.aut |[D]| c2.aut) || c2.aut end par";
    let options = super::super::Options {
        check: false,
        ..Default::default()
    };
    let network = network(text, &options, &files);
    for relation in [Relation::Trace, Relation::WeakTrace] {
        let (_, steps) = reduced(network.clone(), Options::new(relation));
        let mut finer = 0;
        for step in steps {
            if let ReductionStep::Reduced {
                product,
                relation: used,
                result,
                ..
            } = step
            {
                assert!(result.states <= product.states, "{result:?} of {product:?}");
                finer += usize::from(used != relation);
            }
        }
        assert!(finer > 0);
    }
}
