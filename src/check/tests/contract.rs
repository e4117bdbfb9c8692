//! Models that break their contract.

use std::borrow::Cow;

use hyades_explore::{Emit, MAX_BITS, Model, ModelError};
use hyades_formats::{LabelId, LabelTable};

use super::*;
use crate::within::ends_in_deadlock;

/// One state, and a transition to this target with this label.
struct Bad {
    bits: usize,
    numbers: Option<u32>,
    label: u32,
    target: &'static [u64],
}

impl Model for Bad {
    type Scratch = ();

    fn scratch(&self) {}

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Owned(LabelTable::new())
    }

    fn bits(&self) -> usize {
        self.bits
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
        emit.transition(LabelId::new(self.label), self.target);
        Ok(())
    }

    fn numbers(&self) -> Option<u32> {
        self.numbers
    }
}

#[test]
fn a_model_that_breaks_its_contract_is_an_error() {
    let bad = |bits, numbers, label, target| Bad {
        bits,
        numbers,
        label,
        target,
    };
    let models = [
        (bad(20, None, 0, &[]), "a state has 0 words"),
        (bad(20, None, 0, &[0, 0]), "a state has 2 words"),
        (bad(20, None, 0, &[1 << 40]), "a state has bits beyond"),
        (bad(20, None, 9, &[0]), "a transition has label 9"),
        (bad(20, Some(3), 0, &[7]), "a state is number 7"),
        (bad(20, Some(0), 0, &[0]), "states are numbers below 0"),
        (
            bad(MAX_BITS + 1, None, 0, &[0]),
            "a state has 1073741825 bits",
        ),
        (
            bad(usize::MAX, None, 0, &[0]),
            "a state has 18446744073709551615 bits",
        ),
    ];
    // By the product and by the game.
    let formulas = [
        "[true*] <true> true",
        "<true*> [true] false",
        "nu X . <true> X",
        "mu X . (<true> true and [true] X)",
        "<\"a\"> true",
        "[true*] <{a ?x: nat}> true",
    ];
    for (model, text) in &models {
        let told = |error: DecideError| assert!(error.to_string().starts_with(text), "{error}");
        let options = || CheckOptions {
            evidence: true,
            parts: true,
            ..CheckOptions::default()
        };
        for formula in formulas {
            let property = mcl::parse(formula.as_bytes(), "f", &mut mcl::NoLibraries);
            let property = property.expect("a formula").property;
            for looks_ahead in [false, true] {
                let options = CheckOptions {
                    looks_ahead,
                    ..options()
                };
                told(check_model(&property, model.erased(), options).unwrap_err());
            }
            let shown = trace_shows(&property, Verdict::True, model.erased(), &[None], options());
            // The model may not be asked for it.
            shown.err().map(told);
            let part = hyades_testing::lts(&[(0, "i", 0)]);
            let shown = part_shows(&property, Verdict::True, model.erased(), &part, options());
            shown.err().map(told);
        }
        told(ends_in_deadlock(model.erased(), &[None], options()).unwrap_err());
    }
}
