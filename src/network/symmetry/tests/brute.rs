//! Random networks against definitions, over all permutations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use hyades_equivalence::{Relation, compare::compare};
use hyades_explore::{
    Answer, Emit, ExploreOptions, Limits, LtsSink, Model, Questions, Trace, explore, words,
};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::{Numbering, reachable};
use hyades_testing::Random;
use hyades_testing::naive;

use super::super::action::neighbours;
use super::super::*;
use super::random::{permutations, sample};
use crate::{Network, NetworkModel};

/// A label with two texts exchanged: labels are a gate and values with ` !` before
/// each.
fn exchanged(label: &str, [v, w]: [&str; 2]) -> String {
    let mut tokens = label.split(" !");
    let gate = tokens.next().unwrap().to_owned();
    tokens.fold(gate, |text, token| {
        let token = match token {
            _ if token == v => w,
            _ if token == w => v,
            _ => token,
        };
        text + " !" + token
    })
}

fn text(lts: &Lts, label: LabelId) -> Option<String> {
    let text = || String::from_utf8(lts.table().text(label).to_vec()).unwrap();
    (!label.is_hidden()).then(text)
}

/// Whether one LTS with labels mapped is strongly bisimilar to another one.
fn is_image(first: &Lts, map: impl Fn(&str) -> String, second: &Lts) -> bool {
    let shift = first.states() as u32;
    let mut builder = LtsBuilder::new((first.states() + second.states()) as u64);
    for (s, l, t) in first.iter() {
        match text(first, l) {
            None => builder.add(s, l, t),
            Some(l) => builder
                .add_text(s.get(), map(&l).as_bytes(), t.get())
                .unwrap(),
        }
    }
    for (s, l, t) in second.iter() {
        let [s, t] = [s, t].map(|state| state.get() + shift);
        match text(second, l) {
            None => builder.add(StateId::new(s), l, StateId::new(t)),
            Some(l) => builder.add_text(s, l.as_bytes(), t).unwrap(),
        }
    }
    let both = builder.build(StateId::new(0)).unwrap();
    let classes = naive::strong(&both);
    let other = StateId::new(shift + second.initial().get());
    classes[first.initial().index()] == classes[other.index()]
}

type Parts = BTreeSet<(usize, Option<String>)>;

/// The components without labels of no rule that has all its labels, and without what is
/// then out of reach, again and again until nothing changes.
fn cut(network: &Network, components: Vec<Lts>) -> Vec<Lts> {
    let mut used = BTreeSet::new();
    for rule in &network.rules().rules {
        let mut parts = rule.parts.iter();
        if parts.all(|&(c, l)| components[c as usize].labels().contains(&l)) {
            used.extend(rule.parts.iter().copied());
        }
    }
    let before: usize = components.iter().map(|lts| lts.labels().len()).sum();
    let next = (0u32..).zip(&components).map(|(c, lts)| {
        let mut builder = LtsBuilder::with_table(lts.states() as u64, lts.table().clone());
        for (s, l, t) in lts.iter().filter(|&(_, l, _)| used.contains(&(c, l))) {
            builder.add(s, l, t);
        }
        reachable(builder.build(lts.initial()).unwrap(), Numbering::Ascending)
    });
    let next: Vec<Lts> = next.collect();
    match next.iter().map(|lts| lts.labels().len()).sum::<usize>() < before {
        true => cut(network, next),
        false => next,
    }
}

/// Whether the exchange of two values is a symmetry by definition: some bijection
/// of components maps each to its image, and rules to rules.
fn is_symmetry(network: &Network, values: [&str; 2]) -> bool {
    let files = network
        .components()
        .iter()
        .map(|c| network.files()[c.file].lts.clone());
    let components = cut(network, files.collect());
    let mut rules: BTreeSet<(Option<String>, Parts)> = BTreeSet::new();
    for rule in &network.rules().rules {
        let part = |&(c, l): &(u32, LabelId)| {
            let lts = &components[c as usize];
            let text = text(lts, l);
            // The table of what is reachable is that of the file.
            lts.labels().contains(&l).then_some((c as usize, text))
        };
        if let Some(parts) = rule.parts.iter().map(part).collect::<Option<Parts>>() {
            let output = (!rule.label.is_hidden())
                .then(|| String::from_utf8(network.labels().text(rule.label).to_vec()).unwrap());
            rules.insert((output, parts));
        }
    }
    let map = |label: &Option<String>| label.as_ref().map(|label| exchanged(label, values));
    let images: Vec<Vec<bool>> = components
        .iter()
        .map(|first| {
            let others = components.iter();
            others
                .map(|second| is_image(first, |l| exchanged(l, values), second))
                .collect()
        })
        .collect();
    let mut chosen: Vec<usize> = Vec::new();
    // All bijections, in the order of an odometer.
    fn extend(
        chosen: &mut Vec<usize>,
        images: &[Vec<bool>],
        fits: &dyn Fn(&[usize]) -> bool,
    ) -> bool {
        if chosen.len() == images.len() {
            return fits(chosen);
        }
        for target in 0..images.len() {
            if images[chosen.len()][target] && !chosen.contains(&target) {
                chosen.push(target);
                if extend(chosen, images, fits) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
    extend(&mut chosen, &images, &|chosen| {
        rules.iter().all(|(output, parts)| {
            let parts = parts.iter().map(|(c, label)| (chosen[*c], map(label)));
            rules.contains(&(map(output), parts.collect()))
        })
    })
}

fn is_symmetric(network: &Network, types: &Types) -> bool {
    neighbours(types)
        .iter()
        .all(|pair| is_symmetry(network, [0, 1].map(|k| types.value(usize::from(pair[k])))))
}

/// All transitions from one state.
#[derive(Default)]
pub struct Collect(pub BTreeSet<(LabelId, Vec<u64>)>);

impl Emit for Collect {
    fn label(&mut self, _: &[u8]) -> LabelId {
        unreachable!("all labels are known")
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        self.0.insert((label, target.to_vec()));
    }
}

fn successors<M: Model>(model: &M, state: &[u64]) -> BTreeSet<(LabelId, Vec<u64>)> {
    let mut found = Collect(BTreeSet::new());
    model
        .successors(&mut model.scratch(), state, &mut found)
        .unwrap();
    found.0
}

/// All reachable states with their transitions.
fn all<M: Model>(model: &M) -> BTreeMap<Vec<u64>, BTreeSet<(LabelId, Vec<u64>)>> {
    let mut initial = vec![0; words(model.bits())];
    model.initial(&mut initial).unwrap();
    let mut open = vec![initial];
    let mut found = BTreeMap::new();
    while let Some(state) = open.pop() {
        found.entry(state).or_insert_with_key(|state| {
            let next = successors(model, state);
            open.extend(next.iter().map(|(_, target)| target.clone()));
            next
        });
    }
    found
}

pub fn lts(model: &impl Model) -> Lts {
    let mut sink = LtsSink::new();
    let found = explore(model, ExploreOptions::default(), &mut sink).unwrap();
    sink.finish(found.labels.into_owned()).unwrap()
}

/// A state after the exchange of a value and the next one.
fn moved(symmetry: &Symmetry<'_>, value: usize, state: &[u64]) -> Vec<u64> {
    let mut located = Vec::new();
    symmetry.locate(state, &mut located);
    let mut image = located.clone();
    for &x in &located {
        let y = symmetry.action.exchange(value, x);
        image[symmetry.action.component(y) as usize] = y;
    }
    let mut packed = vec![0; state.len()];
    symmetry.pack(&image, &mut packed);
    packed
}

/// The orbit of each state, by exchanges only.
fn orbits(
    symmetry: &Symmetry<'_>,
    states: impl Iterator<Item = Vec<u64>>,
) -> HashMap<Vec<u64>, usize> {
    let mut orbit = HashMap::new();
    for (number, state) in states.enumerate() {
        let mut open = vec![state];
        while let Some(state) = open.pop() {
            if orbit.contains_key(&state) {
                continue;
            }
            for [v, _] in neighbours(symmetry.types()) {
                open.push(moved(symmetry, usize::from(v), &state));
            }
            orbit.insert(state, number);
        }
    }
    orbit
}

fn answers(model: &impl Model) -> (u64, [Option<Trace>; 3]) {
    let search = ExploreOptions {
        questions: Questions {
            deadlock: true,
            livelock: true,
            find: vec![Box::new(|_, text| text.starts_with(b"O1"))],
        },
        ..ExploreOptions::default()
    };
    let found = explore(model, search, &mut ()).unwrap();
    let answers = [
        found.deadlock,
        found.livelock,
        found.find.into_iter().next(),
    ];
    let traces = answers.map(|answer| match answer {
        Some(Answer::Yes(trace)) => Some(trace),
        Some(Answer::No) => None,
        other => panic!("no answer: {other:?}"),
    });
    (found.states, traces)
}

/// A replayed trace is one of the network as it was read.
fn check_replayed(network: &NetworkModel, replayed: &Trace) {
    let mut initial = vec![0; words(network.bits())];
    network.initial(&mut initial).unwrap();
    assert_eq!(*replayed.packed[0], *initial);
    for (k, label) in replayed.labels.iter().enumerate() {
        let next = successors(network, &replayed.packed[k]);
        assert!(next.contains(&(*label, replayed.packed[k + 1].to_vec())));
    }
    if let Some(start) = replayed.cycle {
        assert_eq!(replayed.packed[start], *replayed.packed.last().unwrap());
        assert!(
            replayed.labels[start..]
                .iter()
                .all(|label| label.is_hidden())
        );
        assert!(start < replayed.labels.len());
    }
}

/// Permutations do what their exchanges of neighbours do, and tables say what.
fn check_action(symmetry: &Symmetry<'_>, sizes: &[usize]) {
    let action = &symmetry.action;
    for p in permutations(sizes) {
        let mut image: Vec<u16> = Vec::new();
        for own in &p {
            let start = image.len();
            image.extend(own.iter().map(|&v| (start + v) as u16));
        }
        // By selection: put the value that goes to each place there.
        for x in 0..action.len() as u32 {
            let mut at = image.clone();
            let mut y = x;
            for place in 0..at.len() {
                let from = at.iter().position(|&v| usize::from(v) == place).unwrap();
                y = action.transposed(from, place, y);
                at.swap(from, place);
            }
            assert_eq!(action.apply(&image, x), y, "{p:?} of {x}");
            assert_eq!(action.apply_slowly(&image, x), y, "{p:?} of {x}");
        }
    }
}

/// Compares everything with definitions; how many orbits there are.
fn check_symmetric(network: &Network, types: &Types, context: &str) -> usize {
    let symmetry = Symmetry::new(network, types).unwrap_or_else(|e| panic!("{context}: {e}"));
    let types = symmetry.types();
    let sizes: Vec<usize> = types.types().iter().map(|t| t.values.len()).collect();
    let sizes = &sizes[..];
    check_action(&symmetry, sizes);
    let exact = SymmetricModel::new(&symmetry, Strategy::Exact);
    let unreduced = exact.unreduced();
    let original = NetworkModel::new(network.clone());
    let whole = lts(&unreduced);
    let same = compare(lts(&original), whole, Relation::Strong).unwrap();
    assert!(same.holds(), "{context}");
    let states = all(&unreduced);
    // What has no effect is in no label.
    for next in states.values() {
        for (label, _) in next.iter().filter(|(label, _)| !label.is_hidden()) {
            let text = std::str::from_utf8(network.labels().text(*label)).unwrap();
            for value in symmetry.unused().types.iter().flat_map(|t| &t.values) {
                assert_eq!(exchanged(text, [value, "other"]), text, "{context}");
            }
        }
    }
    // Exchanges are automorphisms.
    let label = |l: LabelId, pair| {
        let text = (!l.is_hidden()).then(|| std::str::from_utf8(network.labels().text(l)).unwrap());
        text.map(|text| exchanged(text, pair))
    };
    for [v, w] in neighbours(types) {
        let pair = [v, w].map(|v| types.value(usize::from(v)));
        for (state, next) in &states {
            let image = |state: &[u64]| moved(&symmetry, usize::from(v), state);
            let mapped = next
                .iter()
                .map(|(l, target)| (label(*l, pair), image(target)));
            let mapped: BTreeSet<_> = mapped.collect();
            let own = states[&image(state)].iter();
            let own: BTreeSet<_> = own.map(|(l, t)| (label(*l, ["", ""]), t.clone())).collect();
            assert_eq!(mapped, own, "{context}");
        }
    }
    let orbit = orbits(&symmetry, states.keys().cloned());
    let count = orbit.values().collect::<HashSet<_>>().len();
    let (found, counts) = exact.count(ExploreOptions::default()).unwrap();
    let counts = counts.unwrap();
    assert_eq!(found.states as usize, count, "{context}");
    assert_eq!(counts.states, states.len() as u128, "{context}");
    let transitions: usize = states.values().map(BTreeSet::len).sum();
    assert_eq!(counts.transitions, transitions as u128, "{context}");
    let (_, expected) = answers(&unreduced);
    for strategy in Strategy::ALL {
        let model = SymmetricModel::new(&symmetry, strategy);
        let reduced = all(&model);
        let hit: HashSet<usize> = reduced.keys().map(|state| orbit[state]).collect();
        assert_eq!(hit.len(), count, "{context} {strategy}");
        assert!(
            reduced.len() <= states.len() && reduced.len() >= count,
            "{context} {strategy}"
        );
        if strategy == Strategy::Exact {
            assert_eq!(reduced.len(), count, "{context}");
        }
        // A representative's transitions lead to orbits of its own transitions' targets.
        for (state, next) in &reduced {
            let own: BTreeSet<_> = states[state].iter().map(|(l, t)| (*l, orbit[t])).collect();
            let got: BTreeSet<_> = next.iter().map(|(l, t)| (*l, orbit[t])).collect();
            assert_eq!(own, got, "{context} {strategy}");
        }
        let (number, traces) = answers(&model);
        assert_eq!(number as usize, reduced.len(), "{context} {strategy}");
        for (k, (trace, expected)) in traces.iter().zip(&expected).enumerate() {
            let Some(trace) = trace else {
                assert!(expected.is_none(), "{context} {strategy}");
                continue;
            };
            let expected = expected
                .as_ref()
                .unwrap_or_else(|| panic!("{context} {strategy}"));
            let replayed = model.replay(trace).unwrap();
            check_replayed(&original, &replayed);
            if k != 1 {
                // Cycles may need more steps before they are closed.
                assert_eq!(
                    trace.labels.len(),
                    expected.labels.len(),
                    "{context} {strategy}"
                );
                assert_eq!(replayed.labels.len(), trace.labels.len());
            }
            let last = replayed.labels.last();
            match k {
                0 => assert!(successors(&original, replayed.packed.last().unwrap()).is_empty()),
                1 => assert!(replayed.cycle.is_some()),
                _ => assert!(network.labels().text(*last.unwrap()).starts_with(b"O1")),
            }
        }
    }
    check_representatives(&symmetry, &orbit, context);
    count
}

/// Exact representatives are the same for all states of an orbit, as least ones,
/// and keep as many permutations as there are.
fn check_representatives(
    symmetry: &Arc<Symmetry<'_>>,
    orbit: &HashMap<Vec<u64>, usize>,
    context: &str,
) {
    let model = SymmetricModel::new(symmetry, Strategy::Exact);
    let mut scratch = model.scratch();
    let mut of_orbit: HashMap<usize, Vec<u64>> = HashMap::new();
    let mut sizes: HashMap<usize, u128> = HashMap::new();
    for number in orbit.values() {
        *sizes.entry(*number).or_default() += 1;
    }
    for (state, number) in orbit {
        let mut located = Vec::new();
        symmetry.locate(state, &mut located);
        let kept = scratch.finder.least(&symmetry.action, &mut located);
        assert_eq!(symmetry.order().unwrap() / kept, sizes[number], "{context}");
        let size = scratch.finder.orbit(&symmetry.action);
        assert_eq!(size, Some(sizes[number]), "{context}");
        let mut packed = state.clone();
        model.representative(&mut scratch, &mut packed).unwrap();
        let known = of_orbit.entry(*number).or_insert_with(|| packed.clone());
        assert_eq!(*known, packed, "{context}");
    }
}

/// Networks with more states are left out.
const MOST: u64 = 400;

#[test]
fn symmetric_networks_are_reduced_to_their_orbits() {
    let (mut networks, mut states, mut orbits) = (0, 0, 0);
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let sample = sample(&mut random);
        let Some(network) = sample.network() else {
            continue;
        };
        let model = NetworkModel::new(network.clone());
        let search = ExploreOptions {
            limits: Limits {
                max_states: Some(MOST + 1),
                ..Limits::default()
            },
            ..ExploreOptions::default()
        };
        let found = explore(&model, search, &mut ());
        let found = found.unwrap().states;
        if found <= MOST {
            let context = format!("seed {seed}");
            orbits += check_symmetric(&network, &sample.types(), &context);
            networks += 1;
            states += found as usize;
        }
    }
    // The samples are worth it.
    println!("{networks} networks, {states} states, {orbits} orbits");
    assert!(networks > 150 && states > 2 * orbits && orbits > 1000);
}

#[test]
fn what_is_no_symmetry_is_refused() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let sample = sample(&mut random).mutated(&mut random);
        let Some(network) = sample.network() else {
            continue;
        };
        if network.components().len() > 7 {
            continue;
        }
        let types = sample.types();
        let expected = is_symmetric(&network, &types);
        let found = Symmetry::new(&network, &types);
        let reason = found.as_ref().err().map(ToString::to_string);
        assert_eq!(found.is_ok(), expected, "seed {seed}: {reason:?}");
        *(if expected { &mut yes } else { &mut no }) += 1;
    }
    assert!(yes > 20 && no > 40, "{yes} {no}");
}
