//! Random tests.

use std::ops::ControlFlow;

use hyades_base::draw;

use super::cover::Cover;
use super::identifiers::Word;
use super::machine::{InputId, Machine};

/// Tests drawn at random, without end and without a claim: a way to a state, then
/// inputs, then a word that identifies the state they lead to (the Wp-method with
/// its middle drawn instead of enumerated). The same seed gives the same tests
/// everywhere.
#[derive(Debug)]
pub struct RandomTests {
    cover: Cover,
    identifiers: Vec<Vec<Word>>,
    /// How many inputs there are in the middle, on average.
    middle: u32,
    seed: u64,
}

impl RandomTests {
    /// Tests with these identifiers of the states.
    pub fn new(machine: &Machine, identifiers: Vec<Vec<Word>>, middle: u32, seed: u64) -> Self {
        Self {
            cover: Cover::new(machine),
            identifiers,
            middle,
            seed,
        }
    }

    /// Tells so many tests. Some may be told twice.
    pub fn each_test<B>(
        &self,
        machine: &Machine,
        tests: u64,
        mut tell: impl FnMut(&[InputId]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let states = self.cover.states();
        for number in 0..tests {
            let mut drawn = 0;
            let mut below = |limit: usize| {
                drawn += 1;
                draw(self.seed, number, drawn - 1, limit as u64) as usize
            };
            let mut state = states[below(states.len())];
            let mut word = self.cover.word(state);
            // Geometric: the mean is `middle`.
            while machine.inputs() > 0 && below(self.middle as usize + 1) > 0 {
                let input = InputId::new(below(machine.inputs()) as u32);
                let Some((_, target)) = machine.step(state, input) else {
                    continue;
                };
                word.push(input);
                state = target;
            }
            let identifiers = &self.identifiers[state.index()];
            if !identifiers.is_empty() {
                word.extend(&identifiers[below(identifiers.len())]);
            }
            tell(&word)?;
        }
        ControlFlow::Continue(())
    }
}
