//! Suites against all machines that pass them.

use hyades_formats::StateId;

use super::super::machine::{Machine, NONE};
use super::super::tests::{machine, minimal};
use super::super::tree::TestTree;
use super::super::{InputId, NodeId, OutputId};
use super::*;
use crate::testing::Random;

/// What a search for a machine that passes a suite finds.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Every machine of so many states that passes is as it should be.
    Complete,
    /// This one is not: for states and inputs the target.
    Refuted(Vec<u32>),
    /// There are too many.
    Unknown,
}

/// All ways to give a machine of at most `most` states the transitions that the
/// tests need, test by test: answers are as specified, targets any state met
/// before or the next one.
struct Oracle<'a> {
    spec: &'a Machine,
    tests: Vec<Vec<InputId>>,
    most: u32,
    targets: Vec<u32>,
    answers: Vec<u32>,
    used: u32,
    budget: u64,
}

impl Oracle<'_> {
    /// Goes on with a test after some inputs; the next test follows.
    fn search(
        &mut self,
        mut test: usize,
        mut done: usize,
        mut at: u32,
        mut spec: u32,
    ) -> Option<Verdict> {
        if self.budget == 0 {
            return Some(Verdict::Unknown);
        }
        self.budget -= 1;
        let inputs = self.spec.inputs();
        while test < self.tests.len() {
            while done < self.tests[test].len() {
                let input = self.tests[test][done];
                let answer = self.spec.answer(spec, input.get());
                let to = self.spec.target(spec, input.get());
                let place = at as usize * inputs + input.index();
                if self.targets[place] == NONE {
                    self.answers[place] = answer;
                    for target in 0..(self.used + 1).min(self.most) {
                        let used = self.used;
                        self.used = used.max(target + 1);
                        self.targets[place] = target;
                        let verdict = self.search(test, done + 1, target, to);
                        if verdict.is_some() {
                            return verdict;
                        }
                        self.used = used;
                    }
                    self.targets[place] = NONE;
                    return None;
                }
                if self.answers[place] != answer {
                    return None;
                }
                (at, spec) = (self.targets[place], to);
                done += 1;
            }
            (test, done, at, spec) = (test + 1, 0, 0, self.spec.initial().get());
        }
        (!self.conforms()).then(|| Verdict::Refuted(self.targets.clone()))
    }

    /// Whether a machine that passes answers as specified whatever is specified.
    fn conforms(&self) -> bool {
        let inputs = self.spec.inputs();
        let mut stack = vec![(self.spec.initial().get(), 0u32)];
        let mut seen: std::collections::BTreeSet<(u32, u32)> = stack.iter().copied().collect();
        while let Some((spec, at)) = stack.pop() {
            for input in 0..inputs as u32 {
                let to = self.spec.target(spec, input);
                if to == NONE {
                    continue;
                }
                let place = at as usize * inputs + input as usize;
                // What is not there may be anything.
                if self.targets[place] == NONE
                    || self.answers[place] != self.spec.answer(spec, input)
                {
                    return false;
                }
                if seen.insert((to, self.targets[place])) {
                    stack.push((to, self.targets[place]));
                }
            }
        }
        true
    }
}

fn decide(spec: &Machine, tree: &TestTree, most: usize) -> Verdict {
    let mut tests = Vec::new();
    let _ = tree.each_test(|word| {
        tests.push(word.to_vec());
        std::ops::ControlFlow::<()>::Continue(())
    });
    tests.sort_by_key(|test| std::cmp::Reverse(test.len()));
    let entries = most * spec.inputs();
    let mut oracle = Oracle {
        spec,
        tests,
        most: most as u32,
        targets: vec![NONE; entries],
        answers: vec![NONE; entries],
        used: 1,
        budget: 30_000,
    };
    let start = spec.initial().get();
    oracle.search(0, 0, 0, start).unwrap_or(Verdict::Complete)
}

type Derive = fn(&Machine, &Separators, usize) -> TestTree;

fn methods() -> Vec<(&'static str, Derive)> {
    vec![("h", |machine, separators, extra| {
        h(machine, separators, extra, 1 << 20).expect("a suite")
    })]
}

/// A partial machine whose states are reachable and pairwise separated, as made
/// by leaving out transitions.
fn partial(random: &mut Random) -> Option<Machine> {
    let full = minimal(random, 5);
    let (inputs, outputs) = full.tables();
    let mut partial = Machine::new(inputs.clone(), outputs.clone(), full.states());
    for state in full.state_ids() {
        for input in full.input_ids() {
            if random.chance(80) {
                let (output, target) = full.step(state, input)?;
                partial.set(state, input, output, target);
            }
        }
    }
    let fits =
        partial.unreachable().is_empty() && Separators::new(&partial).alike(&partial).is_none();
    fits.then_some(partial)
}

#[test]
fn the_oracle_knows_complete_suites_from_others() {
    // A machine of one input that answers 0 1 0 1 …
    let mut random = Random::new(0);
    let mut spec = machine(&mut random, 2, 1, 2);
    let (zero, one) = (StateId::new(0), StateId::new(1));
    spec.set(zero, InputId::new(0), OutputId::new(0), one);
    spec.set(one, InputId::new(0), OutputId::new(1), zero);
    let mut tree = TestTree::new(&spec);
    let word = |length| vec![InputId::new(0); length];
    tree.insert(&spec, NodeId::ROOT, &word(3));
    assert_eq!(decide(&spec, &tree, 2), Verdict::Complete);
    // Bernhard's lemma: three states that answer 0 1 0 0 1 0 …
    assert_eq!(decide(&spec, &tree, 3), Verdict::Refuted(vec![1, 2, 0]));
    tree.insert(&spec, NodeId::ROOT, &word(4));
    assert_eq!(decide(&spec, &tree, 3), Verdict::Complete);
}

#[test]
fn complete_methods_are_complete() {
    let mut decided = 0;
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let machine = minimal(&mut random, 5);
        let separators = Separators::new(&machine);
        for extra in 0..3 {
            for (name, derive) in methods() {
                let tree = derive(&machine, &separators, extra);
                let verdict = decide(&machine, &tree, machine.states() + extra);
                assert!(
                    !matches!(verdict, Verdict::Refuted(_)),
                    "{name} with {extra}, seed {seed}: {verdict:?}"
                );
                decided += usize::from(verdict == Verdict::Complete);
            }
        }
    }
    assert!(decided > 3000, "{decided}");
}

#[test]
fn partial_machines_have_complete_suites() {
    let (mut decided, mut partials) = (0, 0);
    for seed in 0..6000 {
        let mut random = Random::new(seed);
        let Some(machine) = partial(&mut random) else {
            continue;
        };
        partials += usize::from(!machine.is_complete());
        let separators = Separators::new(&machine);
        for extra in 0..2 {
            let tree = h(&machine, &separators, extra, 1 << 20).expect("a suite");
            let verdict = decide(&machine, &tree, machine.states() + extra);
            assert!(
                !matches!(verdict, Verdict::Refuted(_)),
                "{extra}, seed {seed}: {verdict:?}"
            );
            decided += usize::from(verdict == Verdict::Complete);
        }
    }
    assert!(decided > 1000 && partials > 500, "{decided} {partials}");
}
