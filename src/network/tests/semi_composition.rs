//! Semi-compositions against their definition.

use std::collections::{BTreeMap, BTreeSet};

use hyades_explore::{ExploreError, LtsSink};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_testing::Random;

use super::super::{Memory, NetworkModel, Options};
use super::expression::{Net, text};
use super::isomorphism::isomorphic;
use super::naive::{Customs, Explicit, Name, Tuple, par, value};
use super::random::maker::Maker;
use super::random::{reachable, sensible};
use super::{components, explored, network, read};

/// Which labels are synchronised on.
type Shared<'a> = &'a dyn Fn(&str) -> bool;

type Edges = BTreeSet<(Tuple, Name, Tuple)>;

/// An LTS with these transitions, states in the order of their tuples.
fn lts(initial: &Tuple, edges: &Edges) -> Lts {
    let mut states: BTreeSet<&Tuple> = edges.iter().flat_map(|(s, _, t)| [s, t]).collect();
    states.insert(initial);
    let number: BTreeMap<&Tuple, u32> = states.into_iter().zip(0..).collect();
    let mut builder = LtsBuilder::new(number.len() as u64);
    for (source, label, target) in edges {
        let (source, target) = (number[source], number[target]);
        match label {
            None => builder.add(StateId::new(source), LabelId::HIDDEN, StateId::new(target)),
            Some(label) => builder.add_text(source, label.as_bytes(), target).unwrap(),
        }
    }
    builder.build(StateId::new(number[initial])).unwrap()
}

/// The definition: transitions of B that take part in what can be reached in the
/// product; and with a guess a loop for each label that a state is left without.
fn semi(
    [b, i]: [&Explicit; 2],
    [b0, i0]: [&Tuple; 2],
    shared: Shared<'_>,
    is_guess: bool,
) -> Edges {
    let is_shared = |label: &Name| label.as_deref().is_some_and(shared);
    let mut kept: Edges = BTreeSet::new();
    let mut seen = BTreeSet::from([(b0.clone(), i0.clone())]);
    loop {
        let before = (seen.len(), kept.len());
        for (x, y) in seen.clone() {
            let mine = b.transitions.iter().filter(|t| t.0 == x);
            let theirs: Vec<_> = i.transitions.iter().filter(|t| t.0 == y).collect();
            for edge @ (_, label, to) in mine {
                if !is_shared(label) {
                    seen.insert((to.clone(), y.clone()));
                    kept.insert(edge.clone());
                }
                for other in theirs.iter().filter(|t| is_shared(label) && t.1 == *label) {
                    seen.insert((to.clone(), other.2.clone()));
                    kept.insert(edge.clone());
                }
            }
            for other in theirs.iter().filter(|t| !is_shared(&t.1)) {
                seen.insert((x.clone(), other.2.clone()));
            }
        }
        if before == (seen.len(), kept.len()) {
            break;
        }
    }
    if is_guess {
        let states: BTreeSet<Tuple> = seen.into_iter().map(|(x, _)| x).collect();
        for edge in b.transitions.iter().filter(|t| states.contains(&t.0)) {
            if let (false, (source, Some(label), _)) = (kept.contains(edge), edge) {
                let fail = Some(format!("fail: {label}"));
                kept.insert((source.clone(), fail, source.clone()));
            }
        }
    }
    kept
}

struct Sample {
    customs: Customs,
    leaves: Vec<Explicit>,
    files: Memory,
    /// The behaviour, its interface, an environment.
    nets: [Net; 3],
    gates: Vec<String>,
}

impl Sample {
    fn new(seed: u64) -> Option<Self> {
        let mut maker = Maker::new(Random::new(seed));
        let mut files = Memory::default();
        let leaves: Vec<Explicit> = (0..3).map(|_| maker.leaf(&mut files)).collect();
        let nets = [(); 3].map(|()| {
            let count = maker.random.between(1, 3);
            maker.net(count)
        });
        let count = maker.random.between(0, 2);
        let gates = ["A", "B", "C"]
            .into_iter()
            .filter(|_| maker.random.chance(60));
        let gates: Vec<String> = gates.take(count + 1).map(String::from).collect();
        let customs = maker.customs;
        let meant = nets
            .each_ref()
            .map(|n| n.rewritten(&|text| customs.meant(text)));
        let is_fine = |net: &Net| sensible(net, &leaves, &customs) && !text(net).contains("prio");
        meant.iter().all(is_fine).then_some(Self {
            customs,
            leaves,
            files,
            nets,
            gates,
        })
    }

    /// The text of a network.
    fn text(&self, body: &str) -> String {
        let comm = self.customs.communications.iter();
        let comm: Vec<String> = comm.map(|[a, b, c]| format!("{a} | {b} = {c}")).collect();
        let comm = match comm.is_empty() {
            true => String::new(),
            false => format!("comm {} end comm", comm.join(", ")),
        };
        format!("{} {comm} {body}", self.customs.name)
    }

    /// The reachable part of the value of one of the networks, and its initial state.
    fn value(&self, which: usize) -> (Tuple, Explicit) {
        let net = self.nets[which].rewritten(&|text| self.customs.meant(text));
        let value = value(&net, &self.leaves, &self.customs);
        let options = Options::default();
        let network = network(&self.text(&text(&self.nets[which])), &options, &self.files);
        let initial: Tuple = (0..network.components().len())
            .map(|k| network.file_of(k).lts.initial().get())
            .collect();
        let is_leaf = matches!(net, Net::Leaf(_));
        let transitions = match is_leaf {
            // All labels of a file count, wherever they are.
            true => value.transitions.clone(),
            false => reachable(&value, initial.clone()).1,
        };
        let mut states = value.states;
        states.retain(|s| *s == initial || transitions.iter().any(|t| t.0 == *s || t.2 == *s));
        (
            initial,
            Explicit {
                states,
                transitions,
            },
        )
    }

    fn is_termination(&self, label: &str) -> bool {
        let gate = label.split([' ', '!', '(', '?']).next();
        self.customs.termination.is_some_and(|t| gate == Some(t))
    }

    fn is_named(&self, label: &str) -> bool {
        let gate = label.split([' ', '!', '(', '?']).next().unwrap();
        self.gates.iter().any(|g| g == gate)
    }
}

#[test]
fn random_semi_compositions_are_what_the_definition_says() {
    let mut count = 0;
    for seed in 0..1500 {
        let Some(sample) = Sample::new(seed) else {
            continue;
        };
        let [b, i] = [0, 1].map(|k| format!("({})", text(&sample.nets[k])));
        let [(b0, behaviour), (i0, interface)] = [0, 1].map(|k| sample.value(k));
        let (_, reached) = reachable(&interface, i0.clone());
        let labels: BTreeSet<&str> = reached.iter().filter_map(|t| t.1.as_deref()).collect();
        for (is_guess, mark) in [(false, ""), (true, "?")] {
            let gates = sample.gates.join(", ");
            let by_gates = |l: &str| sample.is_termination(l) || sample.is_named(l);
            let by_labels = |l: &str| sample.is_termination(l) || labels.contains(l);
            let forms: [(String, Shared<'_>); 2] = [
                (format!("{b} -|[{gates}]| {mark} {i}"), &by_gates),
                (format!("{b} -|| {mark}{i}"), &by_labels),
            ];
            for (body, shared) in forms {
                let expected = semi([&behaviour, &interface], [&b0, &i0], shared, is_guess);
                let network = network(&sample.text(&body), &Options::default(), &sample.files);
                assert_eq!(network.components().len(), 1);
                let found = explored(&NetworkModel::new(network));
                assert!(
                    isomorphic(&found, &lts(&b0, &expected)),
                    "seed {seed}: {body}\n{:?}\n{expected:?}\n{:?}",
                    found.iter().collect::<Vec<_>>(),
                    sample.files,
                );
                count += 1;
            }
        }
    }
    assert!(count > 900, "{count}");
}

/// What a guess cuts, composed with an environment that wants it or not, by gates of
/// which some have been shared with the interface.
#[test]
fn random_guesses_are_wrong_if_the_environment_does_what_they_forbid() {
    let mut count = [0; 2];
    for seed in 0..2500 {
        let Some(sample) = Sample::new(seed) else {
            continue;
        };
        let [(b0, behaviour), (i0, interface), (e0, environment)] =
            [0, 1, 2].map(|k| sample.value(k));
        let shared = |l: &str| sample.is_termination(l) || sample.is_named(l);
        let cut = semi([&behaviour, &interface], [&b0, &i0], &shared, true);
        // Sometimes a gate is not shared with the environment yet.
        let outer =
            &sample.gates[..sample.gates.len() - seed as usize % 2 % (sample.gates.len() + 1)];
        let is_outer = |l: &str| {
            let gate = l.split([' ', '!', '(', '?']).next().unwrap();
            sample.is_termination(l) || outer.iter().any(|g| g == gate)
        };
        let states = [b0.clone()]
            .into_iter()
            .chain(cut.iter().map(|t| t.2.clone()));
        let states: BTreeSet<Tuple> = states.chain(cut.iter().map(|t| t.0.clone())).collect();
        let fails: Vec<_> = cut
            .iter()
            .filter_map(|(s, l, _)| Some((s, l.as_deref()?.strip_prefix("fail: ")?)))
            .collect();
        let real: Edges = cut
            .iter()
            .filter(|t| !t.1.as_deref().is_some_and(|l| l.starts_with("fail: ")))
            .cloned()
            .collect();
        let part = Explicit {
            states: states.into_iter().collect(),
            transitions: real,
        };
        let global = Some(outer.iter().map(|g| (g.clone(), None)).collect());
        let none = [Vec::new(), Vec::new()];
        let product = par(
            false,
            &global,
            &none,
            &[part, environment.clone()],
            &sample.customs,
        );
        let start: Tuple = [&b0[..], &e0].concat();
        let (_, mut expected) = reachable(&product, start.clone());
        let mut reached: BTreeSet<Tuple> = expected.iter().map(|t| t.2.clone()).collect();
        reached.insert(start.clone());
        let mut is_wrong = false;
        for state in &reached {
            let (mine, theirs) = state.split_at(b0.len());
            for (_, label) in fails.iter().filter(|(s, _)| s[..] == *mine) {
                let mut theirs = environment.transitions.iter().filter(|t| t.0 == theirs);
                match is_outer(label) {
                    true => is_wrong |= theirs.any(|t| t.1.as_deref() == Some(*label)),
                    false => {
                        let fail = Some(format!("fail: {label}"));
                        expected.insert((state.clone(), fail, state.clone()));
                    }
                }
            }
        }
        let body = format!(
            "(({}) -|[{}]| ? ({})) |[{}]| ({})",
            text(&sample.nets[0]),
            sample.gates.join(", "),
            text(&sample.nets[1]),
            outer.join(", "),
            text(&sample.nets[2]),
        );
        let network = network(&sample.text(&body), &Options::default(), &sample.files);
        let model = NetworkModel::new(network);
        let result = hyades_explore::explore(&model, Default::default(), &mut ());
        count[usize::from(is_wrong)] += 1;
        match (is_wrong, result) {
            (true, Err(error)) => {
                let error = error.to_string();
                assert!(error.contains("is wrong: it forbids"), "{error}");
            }
            (false, Ok(_)) => assert!(
                isomorphic(&explored(&model), &lts(&start, &expected)),
                "seed {seed}: {body}\n{:?}",
                sample.files
            ),
            (_, result) => panic!("seed {seed}: {body}: {result:?}\n{:?}", sample.files),
        }
    }
    assert!(count.iter().all(|&n| n > 20), "{count:?}");
}

/// A guess that was cut is no proof that there is nothing: what it may have been able to do is
/// not cut in silence from what it restricts in turn.
#[test]
fn random_guesses_are_interfaces_in_turn() {
    let mut count = [0; 3];
    for seed in 0..3000 {
        let Some(sample) = Sample::new(seed) else {
            continue;
        };
        let [p, q, r] = [0, 1, 2].map(|k| format!("({})", text(&sample.nets[k])));
        let e = if seed % 2 == 0 { &q } else { &r };
        let gates = sample.gates.join(", ");
        let guess = format!("({p} -|[{gates}]| ? {q})");
        let found = [
            format!("{r} |[{gates}]| ({p} |[{gates}]| {e})"),
            format!("({r} -|[{gates}]| {guess}) |[{gates}]| ({guess} |[{gates}]| {e})"),
        ]
        .map(|body| {
            let network = network(&sample.text(&body), &Options::default(), &sample.files);
            let mut sink = LtsSink::new();
            let model = NetworkModel::new(network);
            let found = hyades_explore::explore(&model, Default::default(), &mut sink)?;
            let lts = sink.finish(found.labels.into_owned());
            Ok::<Lts, ExploreError>(lts.expect("few transitions"))
        });
        let [whole, restricted] = found;
        let whole = whole.unwrap();
        count[2] += usize::from(whole.transitions() > 3);
        match restricted {
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains("is wrong: it forbids"), "{error}");
                count[1] += 1;
            }
            Ok(lts) => {
                // Loops of which nobody takes part.
                let fails = |label: LabelId| {
                    !label.is_hidden() && lts.table().text(label).starts_with(b"fail: ")
                };
                let mut builder = LtsBuilder::with_table(1, lts.table().clone());
                for (source, label, target) in lts.iter().filter(|&(_, l, _)| !fails(l)) {
                    builder.add(source, label, target);
                }
                let lts = builder.build(lts.initial()).unwrap();
                assert!(isomorphic(&whole, &lts), "seed {seed}: {p} {q} {r} {gates}");
                count[0] += 1;
            }
        }
    }
    assert!(count.iter().all(|&n| n > 20), "{count:?}");
}

fn compared(one: &str, other: &str) {
    let [one, other] = [one, other].map(|text| {
        let network = network(text, &Options::default(), &components());
        explored(&NetworkModel::new(network))
    });
    assert!(isomorphic(&one, &other));
}

#[test]
fn they_stand_wherever_operands_do() {
    compared("ab -|[A]| p", "gate cut A in ab end cut");
    compared("ab -|| ab", "ab");
    // What the interface cannot reach does not count.
    compared("ab -|| far", "ab");
    compared("ab -|| (total cut \"C\" in far end cut)", "ab");
    compared("(ab -|[B]| bc) ||| p", "ab ||| p");
    compared("par (ab -|[B]| bc) || p end par", "ab ||| p");
    compared("hide A in ab -|[B]| bc", "hide A in ab");
    compared("p ||| ab -|[B]| bc", "p ||| ab");
    // Right associative: bc is restricted by the product.
    compared("bc -|[B]| ab ||| p", "bc");
    compared("g1 -|| g2", "total cut \"G !3\" in g1 end cut");
    compared("g1 -|[G]| g2", "total cut \"G !2\" in g1 end cut");
    compared("(g1 -|[G]| g2) -|[G]| g2", "g1 -|[G]| g2");
    compared("(g1 -|[G]|? g2) -|[G]| g2", "g1 -|[G]| g2");
    compared("(g1 -|[G]|? g2) -|[G]|? g2", "g1 -|[G]|? g2");
}

#[test]
fn what_is_wrong_with_them_is_told() {
    let files = components();
    let said = |text: &str| read(text, &Options::default(), &files).1.join("\n");
    assert!(said("ab -|[i]| bc").contains("the hidden action never synchronises"));
    assert!(
        said("ab -|[X]| bc").contains("net.exp:1:7: warning: `X` is no label of the behaviour")
    );
    assert!(said("ab -|[A]| bc").contains("`A` is cut from the behaviour"));
    assert!(said("ab -|[A| bc").contains("expected `]|`"));
    assert!(said("par ab -|[A]| bc || p end par").contains("needs parentheses"));
    assert!(said("ab -|| nowhere").contains("there is no component nowhere"));
    let limits = hyades_explore::Limits {
        max_states: Some(2),
        ..Default::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    for text in ["(ab ||| bc) -|[X]| p", "p -|[X]| (ab ||| bc)"] {
        let result = super::super::from_text("n", text, &options, &files, &mut |_| ());
        let error = result.expect_err("a limit").to_string();
        assert!(error.contains("2 states (--max-states"), "{error}");
    }
    let guess = network("(g1 -|[G]|? g2) |[G]| g1", &Options::default(), &files);
    let guess = NetworkModel::new(guess);
    let error = hyades_explore::explore(&guess, Default::default(), &mut ());
    assert_eq!(
        error.err().map(|e| e.to_string()).as_deref(),
        Some(
            "the interface of g1#1-||g2 is wrong: it forbids `G !2` in a state where the \
             environment allows it; the interface, which `?` marks as a guess, has to allow more"
        )
    );
}

/// Reductions find what is wrong, too.
#[test]
fn wrong_guesses_are_found_whatever_the_way() {
    use super::super::compositional;
    use super::super::por::{ReducedModel, Reduction};
    let files = components();
    let wrong = "((g1 -|[G]|? g2) |[G]| g1) ||| ab";
    let right = "((g1 -|[G]|? g2) |[G]| g2) ||| ab";
    let in_turn = "(g1 -|[G]| (g1 -|[G]|? g2)) |[G]| ((g1 -|[G]|? g2) |[G]| g1)";
    for (text, is_wrong) in [(wrong, true), (right, false), (in_turn, true)] {
        let network = network(text, &Options::default(), &files);
        for reduction in [Reduction::WeakTrace, Reduction::Branching] {
            let model = ReducedModel::new(NetworkModel::new(network.clone()), reduction);
            let found = hyades_explore::explore(&model, Default::default(), &mut ());
            assert_eq!(found.is_err(), is_wrong, "{reduction:?}");
        }
        let small = compositional::reduce(
            network,
            compositional::Options::new(hyades_equivalence::Relation::Strong),
            &mut |_| (),
        )
        .unwrap();
        let small = NetworkModel::new(small);
        let found = hyades_explore::explore(&small, Default::default(), &mut ());
        assert_eq!(found.is_err(), is_wrong);
    }
}
