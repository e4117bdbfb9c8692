//! What the tests of readers and writers share.
#![allow(dead_code, reason = "not every test file uses all of it")]

use hyades_formats::*;

/// The outcome of reading: the LTS if there is one, and the diagnostics as
/// `error code line:column` (notes left out).
pub fn read_as(text: &[u8], options: &ReadOptions) -> (Option<Lts>, Vec<String>) {
    let mut seen = Vec::new();
    let source = Source::from_bytes("f.aut", text.to_vec(), Some(Format::Aut)).unwrap();
    let lts = read_lts(source, options, &mut |d: Diagnostic| {
        if d.severity > Severity::Note {
            seen.push(match d.position {
                Some(at) => format!("{} {} {}:{}", d.severity, d.code, at.line, at.column),
                None => format!("{} {}: {}", d.severity, d.code, d.text),
            });
        }
    });
    match &lts {
        Ok(_) => assert!(!seen.iter().any(|s| s.starts_with("error"))),
        Err(ReadError::Refused { errors, .. }) => assert!(*errors > 0),
        Err(e) => panic!("{e}"),
    }
    (lts.ok(), seen)
}

/// Options with a mode.
pub fn mode(mode: Mode) -> ReadOptions {
    ReadOptions {
        mode,
        ..ReadOptions::default()
    }
}

/// What writing gives.
pub fn written(lts: &Lts, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_lts(lts, Format::Aut, &mut out, options, &mut |d| {
        assert!(d.severity < Severity::Error, "{d}")
    })
    .unwrap();
    out
}

/// The transitions, the hidden action shown as `<hidden>`.
pub fn transitions(lts: &Lts) -> Vec<(u32, Vec<u8>, u32)> {
    let text = |l: LabelId| {
        if l.is_hidden() {
            b"<hidden>".to_vec()
        } else {
            lts.table().text(l).to_vec()
        }
    };
    lts.iter()
        .map(|(s, l, t)| (s.get(), text(l), t.get()))
        .collect()
}
