//! Tests against definitions.

mod examples;
mod models;
mod naive;
mod random;
mod reduced;
mod search;
mod symmetric;
mod symmetric_random;
mod traps;

use hyades_formats::{Lts, ReadOptions, Source};

use super::*;

/// The system that this AUT text describes.
fn aut(text: &str) -> Lts {
    let source = Source::from_bytes("test.aut", text.into(), None).unwrap();
    let options = ReadOptions::default();
    hyades_formats::read_lts(source, &options, &mut |d| panic!("{d}")).unwrap()
}

/// The system with these transitions, hidden ones with the label `i`; the states are
/// those that occur, at least state 0.
fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
    let last = transitions.iter().map(|t| t.0.max(t.2)).max();
    let mut text = format!(
        "des (0, {}, {})\n",
        transitions.len(),
        last.unwrap_or(0) + 1
    );
    for (source, label, target) in transitions {
        let label = match *label {
            "i" => label.to_string(),
            _ => format!("{label:?}"),
        };
        text += &format!("({source}, {label}, {target})\n");
    }
    aut(&text)
}

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
    let search = Search {
        shortest,
        ..Search::default()
    };
    refine(&normal(specification, semantics), implementation, search).unwrap()
}

fn holds(specification: &Lts, implementation: &Lts, semantics: Semantics) -> bool {
    let verdict = find(specification, implementation, semantics, Shortest::Steps).verdict;
    match verdict {
        Verdict::Holds => true,
        Verdict::Fails(_) => false,
        Verdict::Unknown(_) => panic!("there was no limit"),
    }
}
