//! Suites by the name of their method.

use std::fmt;
use std::ops::ControlFlow;

use hyades_formats::{StateId, TooLarge, named};

use super::adaptive::adaptive_identifiers;
use super::bernhard::{Bernhard, MOST_WORDS, bernhard};
use super::cover::Cover;
use super::guarantee::Guarantee;
use super::identifiers::{
    Word, characterization_set, harmonized, partial_sets, smallest_characterization_set,
};
use super::layered::Layered;
use super::machine::{InputId, Machine};
use super::methods::{
    MethodError, Separators, UioSuite, adaptive_sequence, cover, h, hads, preset_sequence, spy,
    spyh, uio_suite, unique_sequence,
};
use super::partition::StatePartition;
use super::random::RandomTests;
use super::shortest::NoSequence;
use super::tour::transition_tour;
use super::tree::TestTree;
use super::words::WordSets;
use hyades_formats::diagnostic::counted;

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
    /// The same, from a splitting tree: [`adaptive_identifiers`].
    HsiSt,
    /// Dorofeeva et al. 2005: [`h`].
    H,
    /// Simão et al. 2012: [`spy`], with the identifiers of [`Method::HsiSt`].
    Spy,
    /// Soucha & Bogdanov 2018: [`spyh`].
    Spyh,
    /// Smeenk et al. 2015: [`hads`].
    Hads,
    /// Gonenc 1970: a preset distinguishing sequence ([`preset_sequence`]) after
    /// `C · I^(≤ k+1)`.
    Ds,
    /// The same with an adaptive one ([`adaptive_sequence`]).
    Ads,
    /// Sabnani & Dahbura 1988, and Chan et al. 1989: [`uio_suite`].
    Uio(UioSuite),
    /// Naito & Tsunoyama 1981: [`transition_tour`].
    Tour,
    /// [`bernhard`].
    Bernhard(Bernhard),
    /// [`RandomTests`].
    Random,
}

named! {
    Method:
    W = "w",
    Wp = "wp",
    Hsi = "hsi",
    HsiSt = "hsi-st",
    H = "h",
    Spy = "spy",
    Spyh = "spyh",
    Hads = "hads",
    Ds = "ds",
    Ads = "ads",
    Uio(UioSuite::Plain) = "uio",
    Uio(UioSuite::Verified) = "uiov",
    Tour = "tour",
    Bernhard(Bernhard::One) = "bernhard1",
    Bernhard(Bernhard::Two) = "bernhard2",
    Bernhard(Bernhard::Three) = "bernhard3",
    Random = "random",
}

impl Method {
    /// Whether its suites for complete machines are layered, and words in them are
    /// identified by the states that they lead to and their distance from the state
    /// cover alone.
    pub fn identifies_by_state(self) -> bool {
        match self {
            Method::W
            | Method::Wp
            | Method::Hsi
            | Method::HsiSt
            | Method::Hads
            | Method::Ds
            | Method::Ads
            | Method::Uio(UioSuite::Verified) => true,
            Method::H
            | Method::Spy
            | Method::Spyh
            | Method::Uio(UioSuite::Plain)
            | Method::Tour
            | Method::Bernhard(_)
            | Method::Random => false,
        }
    }

    /// Whether it tests all states, which must be reachable then.
    fn covers_states(self) -> bool {
        match self {
            Method::Tour | Method::Random => false,
            Method::W
            | Method::Wp
            | Method::Hsi
            | Method::HsiSt
            | Method::H
            | Method::Spy
            | Method::Spyh
            | Method::Hads
            | Method::Ds
            | Method::Ads
            | Method::Uio(_)
            | Method::Bernhard(_) => true,
        }
    }

    /// Whether it needs transitions for all inputs in all states.
    pub fn needs_complete(self) -> bool {
        match self {
            Method::Tour | Method::Hsi | Method::H | Method::Random => false,
            Method::W
            | Method::Wp
            | Method::HsiSt
            | Method::Spy
            | Method::Spyh
            | Method::Hads
            | Method::Ds
            | Method::Ads
            | Method::Uio(_)
            | Method::Bernhard(_) => true,
        }
    }
}

/// How methods work.
#[derive(Clone, Copy, Debug)]
pub struct DeriveOptions {
    /// States that implementations may have more than the specification: k; at most
    /// [`DeriveOptions::MOST_EXTRA`].
    pub extra: usize,
    /// Search so many steps for a smallest characterisation set.
    pub exact_steps: Option<u64>,
    /// How many random tests.
    pub tests: u64,
    /// How many random inputs in the middle of a test, on average.
    pub middle: u32,
    /// What random tests are drawn from.
    pub seed: u64,
    /// Give up with so many nodes, where a suite is kept in memory: 24 bytes each
    /// at least.
    pub most_nodes: usize,
    /// Give up with so many sets of states, where sequences are searched for that
    /// need not be there.
    pub most_sets: usize,
}

impl DeriveOptions {
    /// The most extra states: no suite for more has ever been told to its end.
    pub const MOST_EXTRA: u16 = 10_000;
}

impl Default for DeriveOptions {
    fn default() -> Self {
        Self {
            extra: 0,
            exact_steps: None,
            tests: 1000,
            middle: 3,
            seed: 0,
            most_nodes: 1 << 28,
            most_sets: 1 << 16,
        }
    }
}

/// Why a method gives no suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeriveError {
    /// So many extra states are more than [`DeriveOptions::MOST_EXTRA`].
    TooManyExtra(usize),
    /// There are too many words of length n - 1.
    TooManyWords,
    /// No smallest characterisation set was found in so many steps.
    Steps(u64),
    /// There is no distinguishing sequence.
    Sequence(NoSequence),
    /// As the method tells.
    Method(MethodError),
    /// There is more than can be numbered.
    TooLarge(TooLarge),
}

impl DeriveError {
    /// Whether a limit was reached, beyond which there may be an answer.
    pub fn is_limit(&self) -> bool {
        match self {
            DeriveError::Steps(_)
            | DeriveError::Sequence(NoSequence::Unknown(_))
            | DeriveError::Method(MethodError::TooLarge(_)) => true,
            DeriveError::TooManyExtra(_)
            | DeriveError::TooManyWords
            | DeriveError::Sequence(NoSequence::None)
            | DeriveError::Method(
                MethodError::Alike(..) | MethodError::Unreachable(_) | MethodError::Partial(..),
            )
            | DeriveError::TooLarge(_) => false,
        }
    }
}

impl From<TooLarge> for DeriveError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl From<NoSequence> for DeriveError {
    fn from(error: NoSequence) -> Self {
        Self::Sequence(error)
    }
}

impl From<MethodError> for DeriveError {
    fn from(error: MethodError) -> Self {
        Self::Method(error)
    }
}

impl fmt::Display for DeriveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeriveError::TooManyExtra(extra) => write!(
                f,
                "{extra} extra states are too many: expected at most {}",
                DeriveOptions::MOST_EXTRA
            ),
            DeriveError::TooManyWords => write!(
                f,
                "bernhard3 chooses among all words of length n - 1, of which there are more than \
                 {MOST_WORDS}"
            ),
            DeriveError::Steps(steps) => write!(
                f,
                "no smallest characterization set was found in {}",
                counted(*steps, "step")
            ),
            DeriveError::Sequence(NoSequence::None) => {
                f.write_str("the machine has no distinguishing sequence")
            }
            DeriveError::Sequence(NoSequence::Unknown(sets)) => {
                write!(
                    f,
                    "no distinguishing sequence was found among {} of states",
                    counted(*sets as u64, "set")
                )
            }
            DeriveError::Method(error) => error.fmt(f),
            DeriveError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DeriveError {}

/// A suite that a method has made.
#[derive(Debug)]
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

/// A suite, and what is known of it.
#[derive(Debug)]
pub struct Derivation {
    /// The suite.
    pub suite: Suite,
    /// What it is good for.
    pub claim: Guarantee,
    /// States for which the method has no sequence: it does not identify them.
    pub without: Vec<StateId>,
}

/// The suite of a method for a machine, which must be minimal, and complete if the
/// method [needs that](Method::needs_complete).
///
/// # Errors
/// If the method's own limits are exceeded, or the machine has not what it needs: with a
/// claim of completeness its states must be reachable and pairwise separated by words.
pub fn derive(
    machine: &Machine,
    method: Method,
    options: &DeriveOptions,
) -> Result<Derivation, DeriveError> {
    if options.extra > DeriveOptions::MOST_EXTRA.into() {
        return Err(DeriveError::TooManyExtra(options.extra));
    }
    if method.covers_states()
        && let Some(&state) = machine.unreachable().first()
    {
        return Err(MethodError::Unreachable(machine.name(state)).into());
    }
    if method.needs_complete()
        && let Some((state, input, _)) = machine.missing()
    {
        return Err(MethodError::Partial(machine.name(state), input).into());
    }
    let (extra, layers) = (options.extra, options.extra + 1);
    let most = (machine.states() + extra) as u64;
    let mut claim = match machine.is_complete() {
        true => Guarantee::Complete(most),
        false => Guarantee::AsFarAsDefined(most),
    };
    let mut without = Vec::new();
    let mut sets = WordSets::default();
    let layered = |sets, layers| Suite::Layered(Layered::new(Cover::new(machine), sets, layers));
    let identifying = |identifiers: &[Vec<Word>]| {
        Suite::Layered(Layered::identifying(
            Cover::new(machine),
            identifiers,
            layers,
        ))
    };
    let partition = || {
        let partition = StatePartition::new(machine);
        match partition.alike() {
            Some((a, b)) => Err(MethodError::Alike(machine.name(a), machine.name(b))),
            None => Ok(partition),
        }
    };
    let suite = match method {
        Method::W => {
            let words = sets.of(characterization(machine, &partition()?, options)?);
            let all = vec![vec![words; machine.states()]; layers + 1];
            layered(sets, all)
        }
        Method::Wp => {
            let words = characterization(machine, &partition()?, options)?;
            let all = sets.of(&words);
            let mut all = vec![vec![all; machine.states()]; layers];
            let parts = partial_sets(machine, &words);
            all.push(parts.iter().map(|words| sets.of(words)).collect());
            layered(sets, all)
        }
        Method::Hsi => {
            let separators = Separators::new(machine);
            let cover = cover(machine, &separators)?;
            let identifiers = harmonized(machine, &separators);
            Suite::Layered(Layered::identifying(cover, &identifiers, layers))
        }
        Method::HsiSt => {
            let separators = Separators::new(machine);
            let cover = cover(machine, &separators)?;
            let identifiers = adaptive_identifiers(machine, &separators, layers);
            Suite::Layered(Layered::identifying(cover, &identifiers, layers))
        }
        Method::H => {
            let separators = Separators::new(machine);
            Suite::Tree(h(machine, &separators, extra, options.most_nodes)?)
        }
        Method::Spy => {
            let separators = Separators::new(machine);
            cover(machine, &separators)?;
            let identifiers = adaptive_identifiers(machine, &separators, layers);
            let most = options.most_nodes;
            Suite::Tree(spy(machine, &separators, &identifiers, extra, most)?)
        }
        Method::Spyh => {
            let separators = Separators::new(machine);
            Suite::Tree(spyh(machine, &separators, extra, options.most_nodes)?)
        }
        Method::Hads => Suite::Layered(hads(machine, &Separators::new(machine), extra)?),
        Method::Ds => {
            let word = preset_sequence(machine, options.most_sets)?;
            identifying(&vec![vec![word]; machine.states()])
        }
        Method::Ads => {
            let words = adaptive_sequence(machine)?.into_iter();
            identifying(&words.map(|word| vec![word]).collect::<Vec<_>>())
        }
        Method::Uio(kind) => {
            let states = machine.state_ids();
            let found = states.map(|state| unique_sequence(machine, state, options.most_sets).ok());
            let found: Vec<Option<Word>> = found.collect();
            let missing = |state: &StateId| found[state.index()].is_none();
            without = machine.state_ids().filter(missing).collect();
            if kind == UioSuite::Plain || !without.is_empty() {
                claim = Guarantee::Nothing;
            }
            Suite::Layered(uio_suite(machine, &found, kind, extra))
        }
        Method::Tour => {
            claim = Guarantee::Transitions;
            Suite::Tree(transition_tour(machine))
        }
        Method::Bernhard(which) => {
            let suite = bernhard(machine, &partition()?, which, extra);
            let (suite, known) = suite.ok_or(DeriveError::TooManyWords)?;
            claim = known;
            Suite::Layered(suite)
        }
        Method::Random => {
            let separators = Separators::new(machine);
            let has_experiment = machine.is_complete() && separators.alike(machine).is_none();
            let identifiers = match has_experiment {
                true => adaptive_identifiers(machine, &separators, layers),
                // Only for pairs of states that words separate which both have.
                false => harmonized(machine, &separators),
            };
            let random = RandomTests::new(machine, identifiers, options.middle, options.seed);
            claim = Guarantee::Nothing;
            Suite::Random(random, options.tests)
        }
    };
    Ok(Derivation {
        suite,
        claim,
        without,
    })
}

fn characterization(
    machine: &Machine,
    partition: &StatePartition,
    options: &DeriveOptions,
) -> Result<Vec<Word>, DeriveError> {
    match options.exact_steps {
        None => Ok(characterization_set(machine, partition)),
        Some(steps) => smallest_characterization_set(machine, partition, steps)
            .ok_or(DeriveError::Steps(steps)),
    }
}
