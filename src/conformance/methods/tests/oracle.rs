//! A search for machines that pass a suite and are not as specified.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::super::super::machine::{InputId, Machine, NONE};
use super::super::super::tree::TestTree;

/// What a search for a machine that passes a suite finds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Completeness {
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
    ) -> Option<Completeness> {
        if self.budget == 0 {
            return Some(Completeness::Unknown);
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
        (!self.conforms()).then(|| Completeness::Refuted(self.targets.clone()))
    }

    /// Whether a machine that passes answers as specified whatever is specified.
    fn conforms(&self) -> bool {
        let inputs = self.spec.inputs();
        let mut stack = vec![(self.spec.initial().get(), 0u32)];
        let mut seen: BTreeSet<(u32, u32)> = stack.iter().copied().collect();
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

pub(super) fn decide(spec: &Machine, tree: &TestTree, most: usize) -> Completeness {
    let mut tests = Vec::new();
    let _ = tree.each_test(|word| {
        tests.push(word.to_vec());
        ControlFlow::<()>::Continue(())
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
        budget: 10_000,
    };
    let start = spec.initial().get();
    oracle
        .search(0, 0, 0, start)
        .unwrap_or(Completeness::Complete)
}
