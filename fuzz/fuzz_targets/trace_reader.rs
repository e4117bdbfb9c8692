//! The readers and writers of traces, SEQ and `.trc`: see the README.
#![no_main]

use hyades_formats::seq::{ReadSeq, WriteSeq};
use hyades_formats::*;
use libfuzzer_sys::fuzz_target;

fn read(format: Format, bytes: &[u8], options: &ReadOptions) -> Option<Lts> {
    let source = Source::from_bytes("f", bytes.to_vec(), Some(format)).ok()?;
    read_lts(source, options, &mut |d| drop(d.to_string())).ok()
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
    let format = [Format::Seq, Format::Trc][usize::from(bits & 1)];
    // binary traces are the business of another target
    if Compression::from_content(text) != Compression::None || text.first() == Some(&0) {
        return;
    }
    let options = ReadOptions {
        seq: ReadSeq {
            seqno: u64::from(bits >> 1 & 3),
        },
        ..ReadOptions::default()
    };
    let Some(lts) = read(format, text, &options) else {
        return;
    };
    let write = WriteOptions {
        visible_i: Some(b"visible".to_vec()),
        seq: WriteSeq {
            states: bits & 8 != 0,
        },
        ..WriteOptions::default()
    };
    for format in [Format::Seq, Format::Trc] {
        let mut out = Vec::new();
        if write_lts(&lts, format, &mut out, &write, &mut |_| ()).is_err() {
            assert!(out.is_empty());
            continue;
        }
        let again = read(format, &out, &ReadOptions::default()).expect("what was written");
        let renamed = [&b"i"[..], b"tau"].iter().any(|l| lts.table().find(l).is_some());
        if !renamed {
            assert_eq!((again.initial(), again.states()), (lts.initial(), lts.states()));
            assert_eq!(transitions(&again), transitions(&lts));
        }
    }
});
