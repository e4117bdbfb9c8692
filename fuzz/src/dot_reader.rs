//! The DOT reader and writer: see the README.

use super::*;
use hyades_formats::dot::{MooreForm, ReadDot, StateOutputs, WriteDot, WriteOutputs};
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;

/// What becomes of outputs and acceptance: with a Mealy machine nothing, as the bits
/// of its options are taken then.
fn outputs(bits: u8) -> StateOutputs {
    match bits >> 5 {
        0 => StateOutputs::Refused,
        2 => StateOutputs::Ignored,
        4 => StateOutputs::Accepting(b"a".to_vec()),
        6 => StateOutputs::Moore,
        _ => StateOutputs::Shown,
    }
}

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
            outputs: outputs(bits),
        },
        mealy: is_set(5).then(|| ReadMealy {
            syntax: MealySyntax {
                alternatives: is_set(6).then(|| b"|".to_vec()),
                keep_blanks: is_set(7),
                ..MealySyntax::default()
            },
            ..ReadMealy::default()
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
    with_outputs(&lts, &options);
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
                // state labels may look like outputs
                dot: ReadDot {
                    outputs: StateOutputs::Ignored,
                    ..ReadDot::default()
                },
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

/// Writes Moore machines and finite automata in their own shapes, and reads them
/// again.
fn with_outputs(lts: &Lts, options: &ReadOptions) {
    let (writes, outputs) = match &options.dot.outputs {
        StateOutputs::Moore => (
            vec![
                WriteOutputs::Moore(MooreForm::Slash),
                WriteOutputs::Moore(MooreForm::Record),
                WriteOutputs::Moore(MooreForm::Lines),
            ],
            StateOutputs::Moore,
        ),
        StateOutputs::Accepting(label) => (
            vec![WriteOutputs::Accepting(label.clone())],
            StateOutputs::Accepting(label.clone()),
        ),
        StateOutputs::Refused | StateOutputs::Ignored | StateOutputs::Shown => return,
    };
    let read = ReadOptions {
        dot: ReadDot {
            outputs,
            stochastic: false,
            ..ReadDot::default()
        },
        ..ReadOptions::default()
    };
    for outputs in writes {
        let write = WriteOptions {
            dot: WriteDot { outputs },
            ..WriteOptions::default()
        };
        let Some(out) = written(lts, Format::Dot, &write) else {
            continue;
        };
        // a machine with a choice (of probabilities) is refused
        let Some(again) = read_or_error(Format::Dot, &out, &read) else {
            assert!(options.dot.stochastic, "what is written can be read");
            continue;
        };
        let twice = written(&again, Format::Dot, &write).expect("as before");
        let last = read_or_error(Format::Dot, &twice, &read).expect("as before");
        assert_eq!(transitions(&last), transitions(&again));
        // what the names of nodes, now `s0`, `s1`, …, tell already is said but once
        let thrice = written(&last, Format::Dot, &write).expect("as before");
        assert_eq!(
            thrice.escape_ascii().to_string(),
            twice.escape_ascii().to_string()
        );
    }
}
