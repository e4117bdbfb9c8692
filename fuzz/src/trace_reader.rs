//! The readers and writers of traces, SEQ and `.trc`: see the README.

use super::*;
use hyades_formats::seq::{ReadSeq, WriteSeq};
use hyades_formats::*;

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    let format = [Format::Seq, Format::Trc][usize::from(bits & 1)];
    // binary traces are the business of another target
    if is_compressed(text) || text.first() == Some(&0) {
        return;
    }
    let options = ReadOptions {
        seq: ReadSeq {
            seqno: u64::from(bits >> 1 & 3),
        },
        ..ReadOptions::default()
    };
    let (Some(lts), _) = read(format, text, false, &options) else {
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
        let Some(out) = written(&lts, format, &write) else {
            continue;
        };
        let again = read_again(format, &out);
        let renamed = [&b"i"[..], b"tau"]
            .iter()
            .any(|l| lts.table().find(l).is_some());
        if !renamed {
            assert_same(&again, &lts);
        }
    }
}
