//! Reduced networks against the full state space.

use hyades_equivalence::{Relation, compare::compare};

use super::super::por::tests::wide;
use super::super::tests::random::sample;
use super::super::tests::{explored, network};
use super::super::{Network, NetworkModel};
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
