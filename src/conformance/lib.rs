//! Conformance testing of Mealy machines: test suites that are derived,
//! certified, refuted and run. Tests of systems with inputs and outputs by purposes
//! are in [`ioco`].
//!
//! A [`Machine`] is the specification: deterministic, and complete unless a
//! method says otherwise. A test is a word over its inputs, from the initial
//! state; a suite is a set of tests, where what is a prefix of another test says
//! nothing new ([`TestTree`]). A suite is *m-complete* if every complete
//! deterministic machine of at most `m` states that answers its tests as the
//! specification does is equivalent to the specification.
//!
//! Literature: P. Bernhard, A Reduced Test Suite for Protocol Conformance Testing
//! (TOSEM 3(3), 1994), whose suites are not what the paper claims; T. Chow,
//! Testing Software Design Modeled by Finite-State Machines (1978). Others are
//! named where they are used.
//!
//! ```
//! use std::ops::ControlFlow;
//!
//! use hyades_conformance::{DeriveOptions, Machine, Method, Pairing, derive};
//! use hyades_formats::{LtsBuilder, StateId};
//!
//! let mut light = LtsBuilder::new(2);
//! light.add_text(0, b"press/on", 1)?;
//! light.add_text(1, b"press/off", 0)?;
//! let light = Machine::from_lts(&light.build(StateId::new(0))?, &Pairing::default())?;
//! let derived = derive(&light, Method::W, &DeriveOptions::default())?;
//! let mut longest = 0;
//! let _ = derived.suite.each_test(&light, |test| {
//!     longest = longest.max(test.len());
//!     ControlFlow::<()>::Continue(())
//! });
//! // To the other state, onwards, and one input more to see where that was.
//! assert_eq!(longest, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
mod bernhard;
pub mod check;
mod cover;
mod derive;
mod guarantee;
mod identifiers;
pub mod ioco;
mod layered;
mod machine;
mod methods;
mod moore;
mod mutants;
mod orbits;
mod pairing;
mod partition;
mod random;
pub mod run;
mod shortest;
mod steps;
mod suite_file;
mod symmetric;
mod text;
mod tour;
mod tree;
mod words;

pub use adaptive::adaptive_identifiers;
pub use bernhard::{Bernhard, MOST_WORDS, bernhard};
pub use cover::Cover;
pub use derive::{Derivation, DeriveError, DeriveOptions, Method, Suite, derive};
pub use guarantee::Guarantee;
pub use identifiers::{
    Word, characterization_set, harmonized, partial_sets, smallest_characterization_set,
};
pub use layered::Layered;
pub use machine::{InputId, Machine, MachineError, MissingTarget, OutputId};
pub use methods::{
    MethodError, Separators, UioSuite, adaptive_sequence, h, hads, preset_sequence, spy, spyh,
    uio_suite, unique_sequence,
};
pub use moore::{derive_moore, moore_states};
pub use mutants::{FaultKind, Killer, Mutant, MutantVerdict, mutants};
pub use orbits::{
    Invariance, InvarianceError, MOST_POINTS, Naming, OrbitError, OrbitSuite, ValuePermutation,
    expanded, layered_per_orbit, one_per_orbit, up_to_symmetry,
};
pub use pairing::{Pairing, PairingError};
pub use partition::StatePartition;
pub use random::RandomTests;
pub use shortest::NoSequence;
pub use steps::{Steps, StepsError};
pub use suite_file::{
    SuiteError, SuiteForm, SuiteReader, SuiteTest, SuiteWriter, Symbols, Unwritable,
    WrittenSymbols, read_suite, spelled,
};
pub use symmetric::{Labelled, LabelledError, NoKernel, symmetric_suite};
pub use text::legible;
pub use tour::transition_tour;
pub use tree::{NodeId, SuiteSize, TestTree};
pub use words::{WordSet, WordSets};

#[cfg(test)]
mod tests;
