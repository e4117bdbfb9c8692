//! The readers and writers of Parquet and Arrow: see the README.
#![no_main]

use std::panic;
use std::sync::Once;

use hyades_formats::columns::{ArrowForm, Codec, WriteColumns, is_guarded};
use hyades_formats::*;
use hyades_fuzz::*;
use libfuzzer_sys::fuzz_target;

/// Panics that the reader makes errors of are none to the fuzzer, whose hook
/// would abort.
fn tolerate_guarded_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !is_guarded() {
                hook(info);
            }
        }));
    });
}

fuzz_target!(|data: &[u8]| {
    tolerate_guarded_panics();
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
        codec: [
            None,
            Some(Codec::None),
            Some(Codec::Lz4),
            Some(Codec::Zstd),
        ][usize::from(bits >> 1 & 3)],
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
});
