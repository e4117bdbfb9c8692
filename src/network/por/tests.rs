//! Reductions against the full state space.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use hyades_equivalence::{Relation, compare::compare};
use hyades_explore::{Answer, Emit, ExploreOptions, Model, Questions, explore, words};
use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::Random;

use super::super::tests::random::sample;
use super::super::tests::{explored, network};
use super::super::{Memory, Network, NetworkModel, Options};
use super::{ReducedModel, Reduction};

/// All transitions from one state.
struct Collect(Vec<(LabelId, Vec<u64>)>);

impl Emit for Collect {
    fn label(&mut self, _: &[u8]) -> LabelId {
        unreachable!("all labels are known")
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.0.push((label, target.to_vec()));
    }
}

fn successors<M: Model>(model: &M, scratch: &mut M::Scratch, state: &[u64]) -> Collect {
    let mut found = Collect(Vec::new());
    model
        .successors(scratch, state, &mut found)
        .expect("successors");
    found
}

/// The reachable states without transitions, and how many states there are.
fn deadlocks(model: &impl Model) -> (BTreeSet<Vec<u64>>, usize) {
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial).expect("an initial state");
    let mut seen: HashSet<_> = [initial.clone()].into();
    let mut open = vec![initial];
    let mut deadlocks = BTreeSet::new();
    let mut scratch = model.scratch();
    while let Some(state) = open.pop() {
        let found = successors(model, &mut scratch, &state).0;
        if found.is_empty() {
            deadlocks.insert(state);
        }
        for (_, target) in found {
            if seen.insert(target.clone()) {
                open.push(target);
            }
        }
    }
    (deadlocks, seen.len())
}

/// States that hidden steps lead to from these, themselves included.
fn closure(lts: &Lts, mut states: BTreeSet<StateId>) -> BTreeSet<StateId> {
    let mut open: Vec<_> = states.iter().copied().collect();
    while let Some(state) = open.pop() {
        for (label, target) in lts.outgoing(state) {
            if label.is_hidden() && states.insert(target) {
                open.push(target);
            }
        }
    }
    states
}

/// Whether two systems with the same labels have the same weak traces, by the
/// subset construction on both.
fn same_weak_traces(left: &Lts, right: &Lts) -> bool {
    let both = [left, right];
    let start = both.map(|lts| closure(lts, [lts.initial()].into()));
    let mut seen: HashSet<_> = [start.clone()].into();
    let mut open = vec![start];
    while let Some(sets) = open.pop() {
        for label in (1..left.table().len() as u32).map(LabelId::new) {
            let next = [0, 1].map(|side| {
                let lts = both[side];
                let states = sets[side].iter();
                let targets = states.flat_map(|&s| lts.outgoing(s).filter(|t| t.0 == label));
                closure(lts, targets.map(|t| t.1).collect())
            });
            if next[0].is_empty() != next[1].is_empty() {
                return false;
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    true
}

/// How many states the full and the reduced state spaces have, by reduction.
#[derive(Default, Debug)]
struct Sizes {
    full: usize,
    reduced: [usize; 3],
}

#[track_caller]
fn check(network: Network, context: &str, sizes: &mut Sizes) {
    let full = NetworkModel::new(network.clone());
    let lts = explored(&full);
    let (expected, states) = deadlocks(&full);
    sizes.full += states;
    for reduction in Reduction::ALL {
        let reduced = ReducedModel::new(NetworkModel::new(network.clone()), reduction);
        let context = || format!("{reduction}: {context}");
        let (found, states) = deadlocks(&reduced);
        sizes.reduced[reduction as usize] += states;
        assert_eq!(found, expected, "{}", context());
        let own = explored(&reduced);
        if reduction.preserves_labels() {
            assert!(same_weak_traces(&lts, &own), "{}", context());
        }
        if reduction == Reduction::Branching {
            let verdict = compare(lts.clone(), own, Relation::DivBranching).expect("small");
            assert!(verdict.holds(), "{verdict:?}\n{}", context());
        }
        is_part(&full, &reduced, &context());
    }
}

/// That each transition of the one is one of the other, and once.
#[track_caller]
fn is_part(full: &NetworkModel, reduced: &ReducedModel, context: &str) {
    let search = ExploreOptions {
        questions: Questions {
            deadlock: true,
            ..Questions::default()
        },
        ..ExploreOptions::default()
    };
    let mut scratch = (full.scratch(), reduced.scratch());
    let found = explore(reduced, search, &mut ()).expect("few states");
    let Some(Answer::Yes(trace)) = found.deadlock else {
        return;
    };
    for (step, label) in trace.packed.windows(2).zip(&trace.labels) {
        let own = successors(reduced, &mut scratch.1, &step[0]).0;
        let all = successors(full, &mut scratch.0, &step[0]).0;
        assert!(own.iter().all(|step| all.contains(step)), "{context}");
        assert_eq!(own.iter().collect::<HashSet<_>>().len(), own.len());
        assert!(own.contains(&(*label, step[1].to_vec())), "{context}");
    }
}

#[test]
fn random_expressions_keep_what_reductions_preserve() {
    let mut sizes = Sizes::default();
    for seed in 0..1000 {
        let Some(sample) = sample(seed) else {
            continue;
        };
        let (head, body) = (&sample.head, &sample.body);
        for text in [
            format!("{head} {body}"),
            format!("{head} gate hide \"A\", \"'A\" in {body} end hide"),
            format!("{head} gate hide \"B\", \"C\" in {body} end hide"),
        ] {
            let context = format!("seed {seed}: {text}\n{:?}", sample.files);
            let network = network(&text, &sample.options, &sample.files);
            check(network, &context, &mut sizes);
        }
    }
    assert!(
        sizes.reduced.iter().all(|&own| own < sizes.full),
        "{sizes:?}"
    );
}

/// A network of more and larger components, whose text is simple.
pub fn wide(seed: u64) -> (String, Memory) {
    const LABELS: [&str; 6] = ["A", "B", "C", "D", "E", "i"];
    let mut random = Random::new(seed);
    let mut files = Memory::default();
    let count = random.between(2, 5);
    let hidden = random.between(5, 50);
    let mut operands = Vec::new();
    for k in 0..count {
        let states = random.between(1, 4);
        let transitions = random.between(states - 1, 2 * states);
        let forward = random.chance(50);
        let mut lines = String::new();
        for _ in 0..transitions {
            let mut ends = [(); 2].map(|()| random.between(0, states - 1));
            if forward {
                ends.sort_unstable();
            }
            let label = match random.chance(hidden) {
                true => "i",
                false => LABELS[random.between(0, 5)],
            };
            writeln!(lines, "({},{label},{})", ends[0], ends[1]).expect("a string");
        }
        files.add(
            format!("f{k}.aut"),
            format!("des (0,{transitions},{states})\n{lines}"),
        );
        let shared: Vec<&str> = LABELS[..5]
            .iter()
            .copied()
            .filter(|_| random.chance(35))
            .collect();
        let arrow = if shared.is_empty() { "" } else { " -> " };
        operands.push(format!("{}{arrow}f{k}.aut", shared.join(", ")));
    }
    let all = ["A#2", "B#1", "E#2"];
    let global = match random.chance(25) {
        true => all[random.between(0, 2)],
        false => "",
    };
    let mut text = format!("par {global} in {} end par", operands.join(" || "));
    let prio = ["A > B", "all but D > D", "C > all but C", "B > C > E"];
    let with_prio = random.chance(25).then(|| prio[random.between(0, 3)]);
    let hide = ["A", "A, B, C", "C, D", "A, B, C, D, E"];
    let hide = hide[random.between(0, 3)];
    let inside = random.chance(50);
    if let (Some(prio), true) = (with_prio, inside) {
        text = format!("gate prio {prio} in {text} end prio");
    }
    if random.chance(80) {
        text = format!("gate hide {hide} in {text} end hide");
    }
    if let (Some(prio), false) = (with_prio, inside) {
        text = format!("gate prio {prio} in {text} end prio");
    }
    (text, files)
}

#[test]
fn wide_networks_keep_what_reductions_preserve() {
    let mut sizes = Sizes::default();
    let options = Options {
        check: false,
        ..Options::default()
    };
    for seed in 0..2000 {
        let (text, files) = wide(seed);
        let context = format!("seed {seed}: {text}\n{files:?}");
        check(network(&text, &options, &files), &context, &mut sizes);
    }
    let [deadlock, weak, branching] = sizes.reduced;
    assert!(2 * deadlock < sizes.full, "{sizes:?}");
    assert!(weak <= branching && branching < sizes.full, "{sizes:?}");
}

/// Networks in which some reduction would be wrong if it neglected one thing.
#[test]
fn traps_are_seen() {
    let mut files = Memory::default();
    for (name, transitions) in [
        ("a", "(0,A,1)"),
        ("b", "(0,B,1)"),
        ("d", "(0,D,1)"),
        ("ia", "(0,i,1)(1,A,2)"),
        ("down_up", "(0,C,2)(1,A,2)(2,B,1)"),
        ("up_down", "(0,C,1)(1,B,2)(2,A,1)"),
    ] {
        let lines = transitions.replace(")(", ")\n(");
        let count = lines.lines().count();
        let text = format!("des (0,{count},3)\n{lines}\n");
        files.add(format!("{name}.aut"), text);
    }
    let texts = [
        // After the hidden step, B is not possible any more.
        "gate cut A in gate prio A > B in b.aut ||| ia.aut end prio end cut",
        // After A alone, which is hidden, it cannot be together with B.
        "par using A * _ -> i, A * B -> D in a.aut || b.aut end par",
        // A hidden cycle, in which one of the components always goes up.
        "hide A, B in ((down_up.aut |[A, B, C]| up_down.aut) ||| d.aut)",
    ];
    for text in texts {
        let network = network(text, &Options::default(), &files);
        check(network, text, &mut Sizes::default());
    }
}

/// The states and transitions of a reduced state space.
fn counted(network: Network, reduction: Reduction) -> (u64, u64) {
    let model = ReducedModel::new(NetworkModel::new(network), reduction);
    let found = explore(&model, ExploreOptions::default(), &mut ()).expect("few states");
    (found.states, found.transitions)
}

/// So many components that do three hidden things and a visible one, in a
/// cycle.
fn independent(count: usize) -> Network {
    let mut files = Memory::default();
    files.add("f.aut", "des (0,4,4)\n(0,i,1)\n(1,i,2)\n(2,i,3)\n(3,A,0)\n");
    let text = vec!["f.aut"; count].join(" ||| ");
    network(&text, &Options::default(), &files)
}

/// Buffers of one place in a row, from the first to the last or the other way.
#[test]
fn hidden_moves_come_first() {
    let mut files = Memory::default();
    let count = 10;
    let name = |k: usize| match k {
        0 => "IN".to_owned(),
        k if k == count => "OUT".to_owned(),
        k => format!("M{k}"),
    };
    let mut operands: Vec<String> = (0..count)
        .map(|k| {
            let (from, to) = (name(k), name(k + 1));
            files.add(
                format!("f{k}.aut"),
                format!("des (0,2,2)\n(0,{from},1)\n(1,{to},0)\n"),
            );
            format!("{from}, {to} -> f{k}.aut")
        })
        .collect();
    let options = Options {
        check: false,
        ..Options::default()
    };
    for _ in 0..2 {
        operands.reverse();
        let all = operands.join(" || ");
        let text = format!("gate hide all but IN, OUT in par {all} end par end hide");
        let network = network(&text, &options, &files);
        assert_eq!(
            explored(&NetworkModel::new(network.clone())).states(),
            1 << count
        );
        check(network.clone(), &text, &mut Sizes::default());
        // How many places are full, and where the last that came in is.
        for reduction in [Reduction::WeakTrace, Reduction::Branching] {
            let (states, _) = counted(network.clone(), reduction);
            assert!(
                states <= 2 * (count * count) as u64,
                "{reduction}: {states}"
            );
        }
    }
}

#[test]
fn independent_components_add_up() {
    // Each deadlock is found, where there is none a cycle is.
    assert_eq!(counted(independent(8), Reduction::Deadlock), (4, 4));
    // Hidden steps first: then all visible ones in any order.
    // Up to where all have done what is hidden there are 25 states. From there
    // each does its visible step, and goes up again: 24 states, of which those
    // of the last component have been there.
    let expected = (46, 24 + 8 + 24 - 3);
    assert_eq!(counted(independent(8), Reduction::Branching), expected);
    assert_eq!(counted(independent(8), Reduction::WeakTrace), expected);
    let model = NetworkModel::new(independent(8));
    let full = explore(&model, ExploreOptions::default(), &mut ()).expect("few states");
    assert_eq!(full.states, 1 << 16);
}
