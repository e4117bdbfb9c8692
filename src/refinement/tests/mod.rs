//! Tests against definitions.

mod antichains;
mod examples;

mod models;
mod naive;
mod random;
mod reduced;
mod search;
mod traps;

use hyades_formats::Lts;
use hyades_testing::{from_aut as aut, lts};

use super::*;

fn normal(specification: &Lts, semantics: Semantics) -> Specification {
    Specification::new(specification, semantics, None).unwrap()
}

/// What the search finds.
fn find(
    specification: &Lts,
    implementation: &Lts,
    semantics: Semantics,
    shortest: Shortest,
) -> Refinement {
    let search = RefineOptions {
        shortest,
        ..RefineOptions::default()
    };
    refine(&normal(specification, semantics), implementation, search).unwrap()
}

fn holds(specification: &Lts, implementation: &Lts, semantics: Semantics) -> bool {
    let verdict = find(specification, implementation, semantics, Shortest::Steps).verdict;
    match verdict {
        RefinementVerdict::Holds => true,
        RefinementVerdict::Fails(_) => false,
        RefinementVerdict::Unknown(_) => panic!("there was no limit"),
    }
}
