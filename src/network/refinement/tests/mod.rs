//! Refinement up to symmetry against refinement without it.

mod symmetric;
mod symmetric_random;

use hyades_formats::Lts;
use hyades_refinement::*;

use super::*;

/// What is wrong after one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    Trace,
    Refusal,
    Divergence,
}

impl Kind {
    fn of(violation: &Violation) -> Self {
        match violation {
            Violation::Trace => Kind::Trace,
            Violation::Refusal { .. } => Kind::Refusal,
            Violation::Divergence { .. } => Kind::Divergence,
        }
    }
}

fn normal(specification: &Lts, semantics: Semantics) -> Specification {
    Specification::new(specification, semantics, None).unwrap()
}
