//! Suites by the name of their method.

use std::fmt;
use std::ops::ControlFlow;

use super::adaptive::adaptive_suite;
use super::bernhard::{Bernhard, MOST_WORDS, bernhard};
use super::claim::Claim;
use super::cover::Cover;
use super::identifiers::{
    Word, characterization_set, harmonized, partial_sets, smallest_characterization_set,
};
use super::layered::Layered;
use super::machine::{InputId, Machine};
use super::partition::Partition;
use super::random::RandomTests;
use super::tour::transition_tour;
use super::tree::TestTree;
use super::words::WordSets;

/// How a suite is derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Chow 1978: `C · I^(≤ k+1) · W`.
    W,
    /// Fujiwara et al. 1991: `C · I^(≤ k) · W`, and parts of `W` after the last
    /// input.
    Wp,
    /// Petrenko et al. 1993: harmonised identifiers, from shortest words.
    Hsi,
    /// The same, from a splitting tree: [`adaptive_suite`].
    HsiSt,
    /// Naito & Tsunoyama 1981: [`transition_tour`].
    Tour,
    /// [`bernhard`].
    Bernhard(Bernhard),
    /// [`RandomTests`].
    Random,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 9] = [
        Method::W,
        Method::Wp,
        Method::Hsi,
        Method::HsiSt,
        Method::Tour,
        Method::Bernhard(Bernhard::One),
        Method::Bernhard(Bernhard::Two),
        Method::Bernhard(Bernhard::Three),
        Method::Random,
    ];

    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Method::W => "w",
            Method::Wp => "wp",
            Method::Hsi => "hsi",
            Method::HsiSt => "hsi-st",
            Method::Tour => "tour",
            Method::Bernhard(Bernhard::One) => "bernhard1",
            Method::Bernhard(Bernhard::Two) => "bernhard2",
            Method::Bernhard(Bernhard::Three) => "bernhard3",
            Method::Random => "random",
        }
    }

    /// Whether it needs transitions for all inputs in all states.
    pub fn needs_complete(self) -> bool {
        !matches!(self, Method::Tour)
    }
}

/// How methods work.
#[derive(Clone, Copy, Debug)]
pub struct DeriveOptions {
    /// States that implementations may have more than the specification: k.
    pub extra: usize,
    /// Search so many steps for a smallest characterisation set.
    pub exact_steps: Option<u64>,
    /// How many random tests.
    pub tests: u64,
    /// How many random inputs in the middle of a test, on average.
    pub middle: u32,
    /// What random tests are drawn from.
    pub seed: u64,
}

impl Default for DeriveOptions {
    fn default() -> Self {
        Self {
            extra: 0,
            exact_steps: None,
            tests: 1000,
            middle: 3,
            seed: 0,
        }
    }
}

/// Why a method gives no suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeriveError {
    /// There are too many words of length n - 1.
    TooManyWords,
    /// No smallest characterisation set was found in so many steps.
    Steps(u64),
}

impl fmt::Display for DeriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeriveError::TooManyWords => write!(
                f,
                "bernhard3 chooses among all words of length n - 1, of which there are more than \
                 {MOST_WORDS}"
            ),
            DeriveError::Steps(steps) => write!(
                f,
                "no smallest characterization set was found in {steps} steps"
            ),
        }
    }
}

impl std::error::Error for DeriveError {}

/// A suite that a method has made.
pub enum Suite {
    /// Told test by test, without the suite in memory.
    Layered(Layered),
    /// In memory.
    Tree(TestTree),
    /// So many random tests, some of which may be prefixes of others.
    Random(RandomTests, u64),
}

impl Suite {
    /// Tells all tests.
    pub fn each_test<B>(
        &self,
        machine: &Machine,
        tell: impl FnMut(&[InputId]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        match self {
            Suite::Layered(layered) => layered.each_test(machine, tell),
            Suite::Tree(tree) => tree.each_test(tell),
            Suite::Random(random, tests) => random.each_test(machine, *tests, tell),
        }
    }
}

/// The suite of a method for a machine, which must be minimal, and complete if the
/// method needs that; and what is known of it.
///
/// # Errors
/// If the method's own limits are exceeded.
pub fn derive(
    machine: &Machine,
    method: Method,
    options: &DeriveOptions,
) -> Result<(Suite, Claim), DeriveError> {
    let layers = options.extra + 1;
    let complete = Claim::Complete((machine.states() + options.extra) as u64);
    if method == Method::Tour {
        return Ok((Suite::Tree(transition_tour(machine)), Claim::Transitions));
    }
    let partition = &Partition::new(machine);
    let mut sets = WordSets::default();
    let layered = |sets, layers| Suite::Layered(Layered::new(Cover::new(machine), sets, layers));
    match method {
        Method::W => {
            let words = sets.of(characterization(machine, partition, options)?);
            let all = vec![vec![words; machine.states()]; layers + 1];
            Ok((layered(sets, all), complete))
        }
        Method::Wp => {
            let words = characterization(machine, partition, options)?;
            let all = sets.of(&words);
            let mut all = vec![vec![all; machine.states()]; layers];
            let parts = partial_sets(machine, &words);
            all.push(parts.iter().map(|words| sets.of(words)).collect());
            Ok((layered(sets, all), complete))
        }
        Method::Hsi => {
            let of_state = harmonized(machine, partition, &mut sets);
            Ok((layered(sets, vec![of_state; layers + 1]), complete))
        }
        Method::HsiSt => {
            let suite = adaptive_suite(machine, partition, layers);
            Ok((Suite::Layered(suite), complete))
        }
        Method::Bernhard(which) => match bernhard(machine, partition, which, options.extra) {
            Some((suite, claim)) => Ok((Suite::Layered(suite), claim)),
            None => Err(DeriveError::TooManyWords),
        },
        Method::Random => {
            let of_state = harmonized(machine, partition, &mut sets);
            let identifiers = of_state.into_iter().map(|set| sets.words(set)).collect();
            let random = RandomTests::new(machine, identifiers, options.middle, options.seed);
            Ok((Suite::Random(random, options.tests), Claim::Nothing))
        }
        Method::Tour => unreachable!("it needs no partition"),
    }
}

fn characterization(
    machine: &Machine,
    partition: &Partition,
    options: &DeriveOptions,
) -> Result<Vec<Word>, DeriveError> {
    match options.exact_steps {
        None => Ok(characterization_set(machine, partition)),
        Some(steps) => smallest_characterization_set(machine, partition, steps)
            .ok_or(DeriveError::Steps(steps)),
    }
}
