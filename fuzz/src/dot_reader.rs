//! The DOT reader and writer: see the README.

use super::*;
use hyades_formats::dot::ReadDot;
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;

fn options(bits: u8) -> ReadOptions {
    let is_set = |bit: u8| bits & 1 << bit != 0;
    let name = |bit: u8| is_set(bit).then(|| b"a".to_vec());
    ReadOptions {
        dot: ReadDot {
            init: name(0),
            automaton: name(1),
            multi_init: is_set(2),
            entities: is_set(3),
            stochastic: is_set(4),
        },
        mealy: is_set(5).then(|| ReadMealy {
            syntax: MealySyntax {
                alternatives: is_set(6).then(|| b"|".to_vec()),
                keep_blanks: is_set(7),
                ..MealySyntax::default()
            },
            io_steps: false,
        }),
        ..ReadOptions::default()
    }
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    if is_compressed(text) {
        return;
    }
    let options = options(bits);
    let Some(lts) = read_or_error(Format::Dot, text, &options) else {
        return;
    };
    assert_eq!(lts.initial().get(), 0);
    for mealy in [None, options.mealy.clone()] {
        for canonical in [false, true] {
            let write = WriteOptions {
                mealy: mealy.as_ref().map(|mealy| mealy.syntax.clone()),
                canonical,
                ..WriteOptions::default()
            };
            let Some(out) = written(&lts, Format::Dot, &write) else {
                continue;
            };
            let options = ReadOptions {
                mealy: mealy.clone(),
                ..ReadOptions::default()
            };
            let again = read_or_error(Format::Dot, &out, &options);
            let again = again.expect("what is written can be read");
            assert_eq!(again.states(), lts.states());
            if canonical {
                let twice = written(&again, Format::Dot, &write).expect("as before");
                if lts.state_labels().is_none() {
                    assert_eq!(
                        out.escape_ascii().to_string(),
                        twice.escape_ascii().to_string()
                    );
                }
            } else {
                assert_eq!(transitions(&again), transitions(&lts));
            }
        }
    }
}
