//! The search for words that separate states against its definition.

use std::collections::{BTreeMap, BTreeSet};

use hyades_testing::Random;

use super::super::super::tests::{machine, words};
use super::super::super::{InputId, Machine, OutputId};
use super::super::beam::Beam;
use super::super::candidates::{Candidates, Extended};
use super::super::gains::Gains;
use super::super::state_set::{StateSet, contains};
use super::super::successor_tree::SuccessorTree;
use super::*;

/// A machine that is partial, or whose transitions lead to few states, or have one answer,
/// now and then.
fn some_machine(random: &mut Random, most: usize) -> Machine {
    let (states, inputs) = (random.between(1, most), random.between(1, 3));
    let outputs = random.between(1, 4);
    let full = machine(random, states, inputs, outputs);
    let (names, answers) = (full.input_table(), full.output_table());
    let mut changed = Machine::new(names.clone(), answers.clone(), states);
    let (kept, merged) = (random.between(70, 140), random.between(0, 90));
    let (few, quiet) = (random.between(1, 8), random.between(0, 95));
    for state in full.state_ids() {
        for input in full.input_ids() {
            if !random.chance(kept.min(100)) {
                continue;
            }
            let (output, target) = full.step(state, input).expect("it is complete");
            let output = match random.chance(quiet) {
                true => OutputId::new(0),
                false => output,
            };
            let target = match random.chance(merged) {
                true => StateId::from_index(target.index() % few),
                false => target,
            };
            changed.set(state, input, output, target);
        }
    }
    changed
}

/// The states that a word separates from one: of which some prefix has another answer.
fn separated(machine: &Machine, state: StateId, word: &[InputId]) -> BTreeSet<u32> {
    let differ = |other: StateId| {
        (1..=word.len()).any(|end| {
            let of = |state| machine.run(state, &word[..end]).map(|run| run.0);
            of(state).is_some() && of(other).is_some() && of(state) != of(other)
        })
    };
    let others = machine.state_ids().filter(|&other| differ(other));
    others.map(StateId::get).collect()
}

fn members(set: &[u64], machine: &Machine) -> BTreeSet<u32> {
    let states = machine.state_ids().map(StateId::get);
    states.filter(|&state| contains(set, state)).collect()
}

#[test]
fn successor_trees_tell_what_words_do() {
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let machine = some_machine(&mut random, 70);
        let mut tree = SuccessorTree::new(&machine);
        let short = SuccessorTree::of_length(&machine, 2);
        for word in (0..4).flat_map(|length| words(&machine, length)) {
            for state in machine.state_ids() {
                let Some((answers, at)) = machine.run(state, &word) else {
                    continue;
                };
                let mut group = state.get();
                for &input in &word {
                    group = tree.next(group, input.get());
                }
                let alike: Vec<StateId> = machine
                    .state_ids()
                    .filter_map(|other| {
                        let (of_other, at) = machine.run(other, &word)?;
                        (of_other == answers).then_some(at)
                    })
                    .collect();
                let separated = separated(&machine, state, &word);
                let node = tree.node(group);
                assert_eq!(tree.group(group).at, at.get(), "seed {seed}: {word:?}");
                let merged = alike.iter().filter(|&&other| other == at).count();
                assert_eq!(tree.group(group).size as usize, merged);
                assert_eq!(node.states as usize, alike.len());
                let stuck = machine.states() - separated.len() - alike.len();
                assert_eq!(node.stuck as usize, stuck, "seed {seed}: {word:?}");
                assert_eq!(members(tree.set(node.separated), &machine), separated);
                let plain: Vec<u32> = word.iter().map(|input| input.get()).collect();
                let early = members(short.separated_by(state.get(), &plain), &machine);
                assert!(early.is_subset(&separated), "seed {seed}: {word:?}");
                assert!(word.len() > 1 || early == separated, "seed {seed}");
            }
        }
    }
}

/// Of many states few words are in the tree, rather than that it takes much memory.
#[test]
fn trees_of_short_words_are_small() {
    for (states, inputs) in [(300, 4), (3000, 20), (20_000, 2)] {
        let machine = machine(&mut Random::new(0), states, inputs, 4);
        let tree = SuccessorTree::of_length(&machine, 9);
        assert!(tree.size() < 1 << 22, "{states}: {}", tree.size());
    }
}

/// However states come together.
#[test]
fn groups_are_the_same_if_their_states_are() {
    let full = machine(&mut Random::new(0), 4, 3, 1);
    let mut merging = full.clone();
    let targets = [[0, 1, 2, 1], [0, 1, 1, 3], [0, 1, 1, 1]];
    for (input, targets) in full.input_ids().zip(targets) {
        for (state, target) in full.state_ids().zip(targets) {
            merging.set(state, input, OutputId::new(0), StateId::new(target));
        }
    }
    let mut tree = SuccessorTree::new(&merging);
    let after = |tree: &mut SuccessorTree, word: [u32; 2]| {
        word.iter().fold(0, |group, &input| tree.next(group, input))
    };
    let [one, other, third] = [[0, 2], [1, 2], [0, 0]].map(|word| after(&mut tree, word));
    assert!(tree.is_same_beside(one, other));
    assert!(!tree.is_same_beside(one, third));
}

/// What a word leaves of the states: those that it separates, where it leads from those that
/// more inputs may separate, and how many others there are.
#[derive(Clone, PartialEq)]
struct Left {
    at: StateId,
    separated: BTreeSet<u32>,
    rest: BTreeMap<StateId, StateId>,
    lost: usize,
}

impl Left {
    fn after(&self, machine: &Machine, input: InputId) -> Option<Self> {
        let (answer, at) = machine.step(self.at, input)?;
        let mut longer = Self {
            at,
            rest: BTreeMap::new(),
            ..self.clone()
        };
        for (&other, &from) in &self.rest {
            match machine.step(from, input) {
                Some((output, _)) if output != answer => {
                    longer.separated.insert(other.get());
                }
                Some((_, to)) if to != at => {
                    longer.rest.insert(other, to);
                }
                Some(_) | None => longer.lost += 1,
            }
        }
        Some(longer)
    }
}

/// Words, and what they separate, in the order in which the search is to find them.
fn found(machine: &Machine, state: StateId, width: usize) -> Vec<(Vec<u32>, BTreeSet<u32>)> {
    let others = machine.state_ids().filter(|&other| other != state);
    let mut layer = vec![(
        Vec::new(),
        Left {
            at: state,
            separated: BTreeSet::new(),
            rest: others.map(|other| (other, other)).collect(),
            lost: 0,
        },
    )];
    let mut all: Vec<(Vec<u32>, BTreeSet<u32>)> = Vec::new();
    let mut idle = 0;
    while idle < 3 && !layer.is_empty() {
        let mut steps = Vec::new();
        for (word, left) in &layer {
            for input in machine.input_ids() {
                if let Some(longer) = left.after(machine, input) {
                    let word: Vec<u32> = [&word[..], &[input.get()]].concat();
                    let is_more = longer.separated.len() > left.separated.len();
                    steps.push((word, longer, is_more));
                }
            }
        }
        steps.sort_by_key(|(_, left, _)| left.rest.len() + 2 * left.lost);
        layer.clear();
        let before = all.len();
        for (word, left, is_more) in steps {
            if is_more && all.iter().all(|(_, set)| *set != left.separated) {
                all.push((word.clone(), left.separated.clone()));
            }
            let same = |(_, other): &(_, Left)| other.at == left.at && other.rest == left.rest;
            if !left.rest.is_empty() && layer.len() < width && !layer.iter().any(same) {
                layer.push((word, left));
            }
        }
        idle = if all.len() > before { 0 } else { idle + 1 };
        if all.iter().any(|(_, set)| set.len() + 1 == machine.states()) {
            break;
        }
    }
    all
}

/// One after the other with one tree, and whatever was searched before.
#[test]
fn words_are_found_as_defined() {
    let mut words = 0;
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let machine = some_machine(&mut random, 70);
        let width = random.between(1, 5);
        let mut beam = Beam::new(&machine, width);
        for _ in 0..20 {
            let state = StateId::from_index(random.between(0, machine.states() - 1));
            beam.search(state.get());
            let numbers: Vec<(usize, u32, u32)> = beam.found().collect();
            let of_beam: Vec<(Vec<u32>, BTreeSet<u32>)> = numbers
                .iter()
                .map(|&(k, length, count)| {
                    let (mut word, mut set) = (Vec::new(), Vec::new());
                    assert_eq!(beam.append(k, &mut word, &mut set), count);
                    assert_eq!(word.len(), length as usize);
                    let set = members(&set, &machine);
                    assert_eq!(set.len(), count as usize);
                    (word, set)
                })
                .collect();
            words += of_beam.len();
            let expected = found(&machine, state, width);
            assert_eq!(of_beam, expected, "seed {seed}: state {state}");
        }
    }
    assert!(words > 10_000, "{words}");
}

#[test]
fn the_words_that_are_worth_most_are_counted() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let machine = some_machine(&mut random, 150);
        let word = |random: &mut Random| -> Vec<u32> {
            let length = random.between(1, 6);
            let input = |_| random.between(0, machine.inputs() - 1) as u32;
            (0..length).map(input).collect()
        };
        let mut searched = Candidates::new(machine.states());
        for _ in 0..random.between(1, 400) {
            searched.push(&machine, 0, &word(&mut random));
        }
        let mut candidates = Extended::new(&searched, machine.states());
        for _ in 0..random.between(0, 200) {
            candidates.push(&machine, 0, &word(&mut random));
        }
        let mut gains = Gains::default();
        gains.take(&candidates, machine.states());
        for _ in 0..20 {
            let some = random.between(0, 100);
            let states = machine.state_ids().map(StateId::get);
            let rest: Vec<u32> = states.filter(|_| random.chance(some)).collect();
            let set = StateSet::of(machine.states(), rest.iter().copied());
            assert_eq!(set.iter().collect::<Vec<u32>>(), rest);
            let anew = random.between(1, 12) as u64;
            let worth = |k: usize| {
                let candidate = candidates.get(k);
                let gain = rest
                    .iter()
                    .filter(|&&state| contains(candidate.separated, state));
                gain.count() as u64 * 10_000 / (anew + candidate.length())
            };
            let most = (0..candidates.len()).map(worth).max().unwrap_or(0);
            let first = (0..candidates.len()).find(|&k| worth(k) == most);
            let expected = first.filter(|_| most > 0);
            assert_eq!(gains.best(&set, anew), expected, "seed {seed}");
        }
    }
}
