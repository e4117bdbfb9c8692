//! What compiling costs, by what it makes.

use std::fmt::Write as _;

use hyades_explore::{
    Emit, ExploreOptions, Limit, Limits, Model, Outcome, Relabelled, TauStar, explore, words,
};
use hyades_formats::LabelId;
use hyades_lts::relabel::{Action, Matching, Rules, Scope};

use super::super::por::{ReducedModel, Reduction};
use super::super::rules::Limits as RuleLimits;
use super::super::{Memory, Network, NetworkModel, Options};
use super::network;

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
            let limit = RuleLimits::of(network.events());
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

/// Two at a time communicate, and what comes of it with a third one: about n^3
/// ways from the initial state, more than become rules.
fn communicating(count: usize) -> NetworkModel {
    let operands: Vec<&str> = ["ab.aut", "bc.aut"]
        .into_iter()
        .cycle()
        .take(count)
        .collect();
    let text = format!(
        "mcrl behaviour comm A | B = C, B | C = D, A | C = E end comm {}",
        operands.join(" || ")
    );
    let network = network(&text, &Options::default(), &super::components());
    assert!(!network.rules().rest.is_empty());
    NetworkModel::new(network)
}

/// Takes transitions as long as there are fewer than so many, and says that there
/// is no room for more targets than so many.
struct Collect {
    found: Vec<(LabelId, Vec<u64>)>,
    done: usize,
    most: usize,
}

impl Emit for Collect {
    fn label(&mut self, _: &[u8]) -> LabelId {
        unreachable!("all labels are known")
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.found.push((label, target.to_vec()));
    }

    fn is_done(&self) -> bool {
        self.found.len() >= self.done
    }

    fn most_targets(&self) -> usize {
        self.most
    }
}

/// The transitions of the initial state.
fn collected(model: &impl Model, done: usize, most: usize) -> Vec<(LabelId, Vec<u64>)> {
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial).expect("an initial state");
    let found = Vec::new();
    let mut collect = Collect { found, done, most };
    model
        .successors(&mut model.scratch(), &initial, &mut collect)
        .expect("successors");
    collect.found
}

#[test]
fn many_ways_come_in_the_same_order_however_little_memory_there_is() {
    let model = communicating(120);
    let all = collected(&model, usize::MAX, usize::MAX);
    assert!(all.len() > 100_000);
    let model = model.with_room(1 << 22);
    assert!(collected(&model, usize::MAX, usize::MAX) == all);
    assert!(collected(&model, 50_000, usize::MAX)[..50_000] == all[..50_000]);
}

#[test]
fn no_more_ways_than_states_there_may_be() {
    let model = communicating(120);
    let found = collected(&model, usize::MAX, 300);
    assert!(
        found.len() > 300 && found.len() < 1 << 14,
        "{}",
        found.len()
    );
    let relabelled = |action| {
        let rules = Rules::new(action, Matching::Total, Scope::Matching);
        Relabelled::new(&model, vec![rules], &[b"i".to_vec()]).expect("few labels")
    };
    // Where labels are cut, it could be any of them.
    for action in [Action::Hide, Action::Cut] {
        let found = collected(&relabelled(action), usize::MAX, 300);
        assert!(
            found.len() > 300 && found.len() < 1 << 14,
            "{}",
            found.len()
        );
    }
    let ends = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("threads").install(|| {
            let limits = Limits {
                max_states: Some(300),
                ..Limits::default()
            };
            let search = ExploreOptions {
                limits,
                ..ExploreOptions::default()
            };
            let found = explore(&model, search, &mut ()).expect("a limit is no error");
            assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
            (found.states, found.explored, found.transitions)
        })
    });
    assert_eq!(ends[0].0, 300);
    assert_eq!(ends[0], ends[1]);
}

/// One rule that fires in 2^40 ways.
#[test]
fn a_limit_ends_a_rule_of_many_ways() {
    let mut files = Memory::default();
    files.add("two.aut", "des (0,2,3)\n(0,A,1)\n(0,A,2)\n");
    let par = format!("par A in {} end par", ["two.aut"; 40].join(" || "));
    for text in [par.clone(), format!("hide A in {par} end hide")] {
        let model = NetworkModel::new(network(&text, &Options::default(), &files));
        let search = || ExploreOptions {
            limits: Limits {
                max_states: Some(300),
                ..Limits::default()
            },
            ..ExploreOptions::default()
        };
        let found = explore(&model, search(), &mut ()).expect("a limit is no error");
        assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
        assert_eq!((found.states, found.transitions), (300, 299));
        let reduced = ReducedModel::new(model, Reduction::Branching);
        let found = explore(&reduced, search(), &mut ()).expect("a limit is no error");
        assert_eq!(found.outcome, Outcome::LimitReached(Limit::States));
        let reduced = Relabelled::new(reduced, Vec::new(), &[b"i".to_vec()]).expect("few labels");
        let apart = TauStar::new(reduced).with_max_states(Some(300));
        let found = explore(&apart, search(), &mut ()).expect("a limit is no error");
        assert!(matches!(found.outcome, Outcome::LimitReached(_)));
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
