//! The DOT reader and writer: see the README.
#![no_main]

use hyades_formats::dot::ReadDot;
use hyades_formats::mealy::{MealySyntax, ReadMealy};
use hyades_formats::*;
use libfuzzer_sys::fuzz_target;

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

fn read(text: &[u8], options: &ReadOptions) -> Option<Lts> {
    let source = Source::from_bytes("f", text.to_vec(), Some(Format::Dot)).ok()?;
    let mut errors = false;
    let lts = read_lts(source, options, &mut |d| {
        errors |= d.severity == Severity::Error;
        let _ = d.to_string();
    });
    assert_eq!(errors, lts.is_err());
    lts.ok()
}

fn transitions(lts: &Lts) -> Vec<(u32, bool, &[u8], u32)> {
    lts.iter()
        .map(|(s, l, t)| (s.get(), l.is_hidden(), lts.table().text(l), t.get()))
        .collect()
}

fuzz_target!(|data: &[u8]| {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    if Compression::from_content(text) != Compression::None {
        return;
    }
    let options = options(bits);
    let Some(lts) = read(text, &options) else {
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
            let mut out = Vec::new();
            if write_lts(&lts, Format::Dot, &mut out, &write, &mut |_| ()).is_err() {
                assert!(out.is_empty());
                continue;
            }
            let options = ReadOptions {
                mealy: mealy.clone(),
                ..ReadOptions::default()
            };
            let again = read(&out, &options).expect("what is written can be read");
            assert_eq!(again.states(), lts.states());
            if canonical {
                let mut twice = Vec::new();
                write_lts(&again, Format::Dot, &mut twice, &write, &mut |_| ()).expect("as before");
                if lts.state_labels().is_none() {
                    assert_eq!(out.escape_ascii().to_string(), twice.escape_ascii().to_string());
                }
            } else {
                assert_eq!(transitions(&again), transitions(&lts));
            }
        }
    }
});
