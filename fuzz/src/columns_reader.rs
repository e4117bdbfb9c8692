//! The readers and writers of Parquet and Arrow: see the README.

use super::*;
use hyades_formats::columns::{ArrowForm, Codec, WriteColumns};
use hyades_formats::*;

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, bytes)) = data.split_first() else {
        return;
    };
    if is_compressed(bytes) {
        return;
    }
    let format = match bits & 1 {
        0 => Format::Parquet,
        _ => Format::Arrow,
    };
    let [(lts, told), (other, told_other)] =
        [false, true].map(|stream| read(format, bytes, stream, &ReadOptions::default()));
    assert_eq!(told_other, told);
    assert_eq!(other.is_some(), lts.is_some());
    let Some(lts) = lts.filter(|lts| lts.states() < 1 << 20) else {
        return;
    };
    let columns = WriteColumns {
        codec: [None, Some(Codec::None), Some(Codec::Lz4), Some(Codec::Zstd)]
            [usize::from(bits >> 1 & 3)],
        form: match bits & 8 {
            0 => ArrowForm::File,
            _ => ArrowForm::Stream,
        },
    };
    let options = WriteOptions {
        columns,
        visible_i: Some(b"a visible i".to_vec()),
        ..WriteOptions::default()
    };
    if let Some(out) = written(&lts, format, &options) {
        let again = read_again(format, &out);
        assert_eq!(
            (again.initial(), again.states()),
            (lts.initial(), lts.states())
        );
        if lts.table().find(b"i").is_none() {
            assert_eq!(transitions(&again), transitions(&lts));
        }
    }
}
