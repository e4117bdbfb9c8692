//! Implementations that are not plain LTSs.

use std::borrow::Cow;

use hyades_explore::{Emit, ExploreOptions, Limit, Model, ModelError, explore, words};
use hyades_formats::{LabelTable, Lts};
use hyades_testing::{Random, Shape, random_lts};

use super::super::*;
use super::{lts, normal};

/// An LTS whose states have so many bits, the number in the last ones, and which
/// introduces its labels on the fly.
struct Wide<'a> {
    lts: &'a Lts,
    bits: usize,
}

impl Wide<'_> {
    const NUMBER: usize = 8;

    fn pack(&self, number: u32) -> Vec<u64> {
        let mut state = vec![0; words(self.bits)];
        for bit in 0..Self::NUMBER {
            let at = self.bits - Self::NUMBER + bit;
            state[at / 64] |= u64::from(number >> bit & 1) << (at % 64);
        }
        state
    }

    fn unpack(&self, state: &[u64]) -> u32 {
        let bit = |bit: usize| {
            let at = self.bits - Self::NUMBER + bit;
            ((state[at / 64] >> (at % 64) & 1) as u32) << bit
        };
        (0..Self::NUMBER).map(bit).sum()
    }
}

impl Model for Wide<'_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        state.copy_from_slice(&self.pack(self.lts.initial().get()));
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let source = hyades_formats::StateId::new(self.unpack(state));
        for (label, target) in self.lts.outgoing(source) {
            let label = match label.is_hidden() {
                true => label,
                false => emit.label(self.lts.table().text(label)),
            };
            emit.transition(label, &self.pack(target.get()));
        }
        Ok(())
    }
}

#[test]
fn wide_states_and_labels_on_the_fly_change_nothing() {
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let size = random.between(1, 20);
        let spec = random_lts(Shape::Uniform, size, &mut random);
        let shapes = [Shape::Uniform, Shape::Duplicates, Shape::DivergentStutter];
        let model = random_lts(shapes[random.between(0, 2)], size, &mut random);
        for semantics in Semantics::ALL {
            let spec = normal(&spec, semantics);
            for shortest in [Shortest::Steps, Shortest::Events] {
                let search = || RefineOptions {
                    shortest,
                    ..RefineOptions::default()
                };
                let plain = refine(&spec, &model, search()).unwrap();
                for bits in [8, 30, 60, 63, 64, 65, 120, 128, 200] {
                    let wide = Wide { lts: &model, bits };
                    let found = refine(&spec, &wide, search()).unwrap();
                    assert_eq!(found.pairs, plain.pairs);
                    assert_eq!(found.transitions, plain.transitions);
                    match (&found.verdict, &plain.verdict) {
                        (RefinementVerdict::Holds, RefinementVerdict::Holds) => {}
                        (RefinementVerdict::Fails(a), RefinementVerdict::Fails(b)) => {
                            assert_eq!(a.visible_trace(), b.visible_trace());
                            assert_eq!(a.last().node, b.last().node);
                            let state = wide.unpack(&a.last().state);
                            assert_eq!(u64::from(state), b.last().state[0]);
                        }
                        other => panic!("seed {seed}: {other:?}"),
                    }
                }
            }
        }
    }
}

/// A model that ends early, and says so.
struct Cut<'a>(&'a Lts);

impl Model for Cut<'_> {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.0.labels_of()
    }

    fn bits(&self) -> usize {
        self.0.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        Model::initial(self.0, state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        self.0.successors(&mut (), state, emit)
    }

    fn is_truncated(&self, _: &[u64]) -> bool {
        true
    }

    fn was_truncated(&self) -> bool {
        true
    }
}

trait LabelsOf {
    fn labels_of(&self) -> Cow<'_, LabelTable>;
}

impl LabelsOf for Lts {
    fn labels_of(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.table())
    }
}

#[test]
fn what_is_cut_off_refuses_nothing_and_proves_nothing() {
    let spec = normal(&lts(&[(0, "a", 0)]), Semantics::Failures);
    let ends = lts(&[(0, "a", 1)]);
    let forbidden = lts(&[(0, "a", 1), (0, "a", 2), (2, "b", 0)]);
    for shortest in [Shortest::Steps, Shortest::Events] {
        let search = || RefineOptions {
            shortest,
            ..RefineOptions::default()
        };
        let found = refine(&spec, &Cut(&ends), search()).unwrap();
        assert_eq!(found.verdict, RefinementVerdict::Unknown(Reason::Truncated));
        let found = refine(&spec, &Cut(&forbidden), search()).unwrap();
        assert!(matches!(found.verdict, RefinementVerdict::Fails(_)));
    }
}

/// A model with a transition to this state, with this label, and so many numbers.
struct Bad(Vec<u64>, u32, Option<u32>);

impl Model for Bad {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        10
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        _: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        emit.transition(hyades_formats::LabelId::new(self.1), &self.0);
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        self.2
    }
}

#[test]
fn a_model_that_breaks_its_contract_is_an_error() {
    let spec = normal(&lts(&[]), Semantics::FailuresDivergences);
    for bad in [
        Bad(vec![], 0, None),
        Bad(vec![0, 0], 0, None),
        Bad(vec![1 << 10], 0, None),
        Bad(vec![5], 0, Some(5)),
        Bad(vec![8], 0, Some(5)),
        Bad(vec![0], 1, None),
        Bad(vec![0], u32::MAX, None),
    ] {
        for shortest in [Shortest::Steps, Shortest::Events] {
            let search = RefineOptions {
                shortest,
                ..RefineOptions::default()
            };
            assert!(refine(&spec, &bad, search).is_err());
        }
        let product = Product::new(&spec, &bad, &Identity, Violations::Ignore).unwrap();
        assert!(explore(&product, ExploreOptions::default(), &mut ()).is_err());
    }
}

/// A model whose states have too many bits.
struct Vast;

impl Model for Vast {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        usize::MAX
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        unreachable!("states cannot be stored")
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        _: &[u64],
        _: &mut E,
    ) -> Result<(), ModelError> {
        unreachable!("there is no state")
    }
}

#[test]
fn states_that_cannot_be_stored_are_an_error() {
    let spec = normal(&lts(&[]), Semantics::FailuresDivergences);
    for shortest in [Shortest::Steps, Shortest::Events] {
        let search = RefineOptions {
            shortest,
            ..RefineOptions::default()
        };
        let error = refine(&spec, &Vast, search).unwrap_err().to_string();
        assert!(error.contains("bits, but at most"), "{error}");
    }
}

/// A model with a limit of its own, which its second state reaches.
struct Limited;

impl Model for Limited {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        1
    }

    fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        (): &mut (),
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        if state[0] == 1 {
            return Err(ModelError::limit(Limit::Channels, "too far"));
        }
        emit.transition(hyades_formats::LabelId::HIDDEN, &[1]);
        Ok(())
    }
}

#[test]
fn a_limit_of_the_model_leaves_the_answer_open() {
    let spec = lts(&[(0, "a", 0)]);
    for semantics in Semantics::ALL {
        for shortest in [Shortest::Steps, Shortest::Events] {
            let search = RefineOptions {
                shortest,
                ..RefineOptions::default()
            };
            let found = refine(&normal(&spec, semantics), &Limited, search).unwrap();
            let unknown = RefinementVerdict::Unknown(Reason::Limit(Limit::Channels));
            assert_eq!(found.verdict, unknown);
        }
    }
}
