//! Random expressions, compiled and explored, against their naive value.

pub mod maker;

use std::collections::BTreeSet;

use hyades_formats::{LabelId, StateId};
use hyades_testing::Random;

use super::super::rules::{Limits, RuleSet};
use super::super::{Memory, Network, NetworkModel, Options};
use super::expression::{Net, text};
use super::naive::{Customs, Explicit, Name, Tuple, above, value};
use super::{network, read, tuples};
use maker::Maker;

/// Whether all orders of priority in it make sense.
pub fn sensible(net: &Net, leaves: &[Explicit], customs: &Customs) -> bool {
    let one = |net: &Net| sensible(net, leaves, customs);
    match net {
        Net::Leaf(_) => true,
        Net::Par { operands, .. } => operands.iter().all(|o| one(&o.1)),
        Net::Vectors { operands, .. } => operands.iter().all(one),
        Net::Infix(_, _, nets) | Net::Alphabets(_, nets) => nets.iter().all(one),
        Net::Relabel { operand, .. } | Net::Restrict(_, operand) | Net::NewForOld(_, operand) => {
            sensible(operand, leaves, customs)
        }
        Net::Prio {
            mode,
            chains,
            operand,
        } => {
            if !sensible(operand, leaves, customs) {
                return false;
            }
            // More labels than the operand has, so that those which only rules
            // know of are among them.
            let mut labels: BTreeSet<Name> = [None].into();
            let own = value(operand, leaves, customs).transitions;
            labels.extend(own.into_iter().map(|t| t.1));
            above(*mode, chains, &labels).is_some()
        }
    }
}

/// The reachable part.
pub fn reachable(all: &Explicit, initial: Tuple) -> super::Tuples {
    let mut seen: BTreeSet<Tuple> = [initial.clone()].into();
    let mut open = vec![initial.clone()];
    let mut transitions = BTreeSet::new();
    while let Some(state) = open.pop() {
        for transition in all.transitions.iter().filter(|t| t.0 == state) {
            transitions.insert(transition.clone());
            if seen.insert(transition.2.clone()) {
                open.push(transition.2.clone());
            }
        }
    }
    (initial, transitions)
}

/// The steps that explain a transition are transitions of components, and lead
/// from one state to the other.
fn check_steps(network: &Network, source: &Tuple, label: &Name, target: &Tuple) {
    let label = label.as_ref().map_or(LabelId::HIDDEN, |text| {
        let label = network.labels().find(text.as_bytes());
        label.expect("a label of the whole")
    });
    let steps = network.explain(source, label, target);
    assert!(!steps.is_empty());
    let mut state = source.clone();
    for step in steps {
        let k = step.component as usize;
        assert_eq!(state[k], step.source, "each component once");
        assert_eq!(target[k], step.target);
        let row = network.file_of(k).lts.outgoing(StateId::new(step.source));
        let mut found = row.filter(|&(l, t)| (l, t.get()) == (step.label, step.target));
        assert!(found.next().is_some(), "a transition of the component");
        state[k] = step.target;
    }
    assert_eq!(&state, target);
}

/// A random expression and its components.
pub struct Sample {
    customs: Customs,
    leaves: Vec<Explicit>,
    /// As it is meant.
    net: Net,
    /// What goes before the expression.
    pub head: String,
    /// The expression as it is written.
    pub body: String,
    pub files: Memory,
    pub options: Options,
}

/// The sample of a seed; `None` if there is none that makes sense.
pub fn sample(seed: u64) -> Option<Sample> {
    let mut maker = Maker::new(Random::new(seed));
    let keep_case = maker.random.chance(30);
    maker.customs.upper_case &= !keep_case;
    let mut files = Memory::default();
    let leaves: Vec<Explicit> = (0..3).map(|_| maker.leaf(&mut files)).collect();
    let count = maker.random.between(1, 5);
    let written = maker.net(count);
    let customs = maker.customs;
    let net = written.rewritten(&|text| customs.meant(text));
    if !sensible(&net, &leaves, &customs) {
        return None;
    }
    let comm = customs
        .communications
        .iter()
        .map(|[a, b, c]| format!("{a} | {b} = {c}"));
    let comm = match customs.communications.is_empty() {
        true => String::new(),
        false => format!("comm {} end comm", comm.collect::<Vec<_>>().join(", ")),
    };
    let head = format!("{} {comm}", customs.name);
    let body = text(&written);
    let mut options = Options::default();
    options.customs.keep_case = keep_case;
    let (_, said) = read(&format!("{head} {body}"), &options, &files);
    if said.iter().any(|s| s.contains("[exp-prio]")) {
        // A label that only prevented transitions have is above itself.
        return None;
    }
    Some(Sample {
        customs,
        leaves,
        net,
        head,
        body,
        files,
        options,
    })
}

fn check(seed: u64) -> bool {
    let Some(sample) = sample(seed) else {
        return false;
    };
    let Sample {
        customs,
        leaves,
        net,
        head,
        body,
        files,
        options,
    } = sample;
    let text = format!("{head} {body}");
    let network = network(&text, &options, &files);
    let initial: Tuple = (0..network.components().len())
        .map(|k| network.file_of(k).lts.initial().get())
        .collect();
    let expected = reachable(&value(&net, &leaves, &customs), initial);
    for (source, label, target) in &expected.1 {
        check_steps(&network, source, label, target);
    }
    // Evaluated in each state rather than made rules of, and in wide states.
    let mut evaluated = network.clone();
    let limits = Limits {
        of_event: 0,
        ..Limits::of(&network.events)
    };
    evaluated.rules = RuleSet::new(&network.events, &network.roots, &limits);
    // Labels with more than one rule are evaluated as a whole.
    let mut whole = network.clone();
    let limits = Limits {
        of_label: 1,
        ..Limits::of(&network.events)
    };
    whole.rules = RuleSet::new(&network.events, &network.roots, &limits);
    let models = [
        NetworkModel::new(whole),
        NetworkModel::new(network.clone()),
        NetworkModel::with_bits(network, 70),
        NetworkModel::new(evaluated.clone()),
        NetworkModel::with_bits(evaluated, 130),
    ];
    for (k, model) in models.iter().enumerate() {
        assert_eq!(
            tuples(model),
            expected,
            "seed {seed}, model {k}: {text}\n{files:?}"
        );
    }
    true
}

#[test]
fn random_expressions_have_their_naive_value() {
    let done = (0..1500).filter(|&seed| check(seed)).count();
    assert!(done > 1000, "{done}");
}
