//! The fuzz targets as plain functions, and what they share.
//!
//! `fuzz_targets/` hands them to the fuzzer; `tests/corpus.rs` of the main
//! package has this file as a module, and replays `corpus/` by it. So nothing
//! here needs the fuzzer, and names within this crate begin with `super`.

pub mod aut_reader;
pub mod bcg_reader;
#[cfg(feature = "columns")]
pub mod columns_reader;
pub mod dot_reader;
pub mod fsm_reader;
pub mod kiss2_reader;
pub mod labels;
pub mod lines_reader;
pub mod lts_reader;
pub mod mcf;
pub mod mcl;
pub mod network;
pub mod pattern;
pub mod plts_reader;
pub mod rules;
pub mod sequence;
pub mod suite_reader;
pub mod svl;
pub mod symmetry;
pub mod system;
pub mod trace_reader;

use std::io::Cursor;

use hyades_formats::{
    Compression, Format, Lts, Mode, ReadOptions, Severity, Source, WriteOptions, read_lts,
    write_lts,
};

/// What checks one input, and panics if something is wrong.
pub type Check = fn(&[u8]);

/// All targets by name.
pub const TARGETS: &[(&str, Check)] = &[
    ("aut_reader", aut_reader::check),
    ("bcg_reader", bcg_reader::check),
    #[cfg(feature = "columns")]
    ("columns_reader", columns_reader::check),
    ("dot_reader", dot_reader::check),
    ("fsm_reader", fsm_reader::check),
    ("kiss2_reader", kiss2_reader::check),
    ("labels", labels::check),
    ("lines_reader", lines_reader::check),
    ("lts_reader", lts_reader::check),
    ("mcf", mcf::check),
    ("mcl", mcl::check),
    ("network", network::check),
    ("pattern", pattern::check),
    ("plts_reader", plts_reader::check),
    ("rules", rules::check),
    ("sequence", sequence::check),
    ("suite_reader", suite_reader::check),
    ("svl", svl::check),
    ("symmetry", symmetry::check),
    ("system", system::check),
    ("trace_reader", trace_reader::check),
];

/// The input, whole or as a stream; `None` if it cannot even be opened, as it
/// looks compressed and is damaged.
pub fn source(format: Format, bytes: &[u8], stream: bool) -> Option<Source> {
    let bytes = bytes.to_vec();
    let source = if stream {
        Source::from_reader("f", Box::new(Cursor::new(bytes)), Some(format))
    } else {
        Source::from_bytes("f", bytes, Some(format))
    };
    source.ok()
}

/// The LTS, and all that is told. Of input that cannot be opened nothing is told:
/// it fails here or there, with different words. What takes gigabytes, as the user is
/// asked about, is not read leniently either.
pub fn read(
    format: Format,
    bytes: &[u8],
    stream: bool,
    options: &ReadOptions,
) -> (Option<Lts>, String) {
    if options.mode == Mode::Lenient {
        let usual = ReadOptions {
            mode: Mode::Default,
            ..options.clone()
        };
        let (lts, told) = read(format, bytes, stream, &usual);
        if lts.is_none() && told.contains("-sparse]") {
            return (None, told);
        }
    }
    let mut told = String::new();
    let Some(source) = source(format, bytes, stream) else {
        return (None, told);
    };
    match read_lts(source, options, &mut |d| told += &format!("{d}\n")) {
        Ok(lts) => (Some(lts), told),
        Err(e) => (None, told + &e.to_string()),
    }
}

/// The LTS, which is the same, as is what is told, however the text is cut and
/// whether it comes as a stream.
pub fn read_in_all_ways(format: Format, text: &[u8], options: &ReadOptions) -> Option<Lts> {
    let with_chunk = |chunk| ReadOptions {
        chunk,
        ..options.clone()
    };
    // a chunk for each line: too short for the scanner, so that the grammar
    // reads all of it
    let (lts, told) = read(format, text, false, &with_chunk(1));
    for (stream, chunk) in [(false, 1 << 20), (false, 30), (true, 5), (true, 1 << 20)] {
        let (other, told_other) = read(format, text, stream, &with_chunk(chunk));
        assert_eq!(told_other, told);
        assert_eq!(other.is_some(), lts.is_some());
        if let (Some(a), Some(b)) = (&lts, &other) {
            assert_eq!((a.initial(), a.offsets()), (b.initial(), b.offsets()));
            assert_eq!((a.labels(), a.targets()), (b.labels(), b.targets()));
            assert!(a.table().visible().eq(b.table().visible()));
        }
    }
    lts
}

/// What has been written, read.
#[track_caller]
pub fn read_again(format: Format, bytes: &[u8]) -> Lts {
    let (again, told) = read(format, bytes, false, &ReadOptions::default());
    again.unwrap_or_else(|| panic!("what is written cannot be read: {told}"))
}

/// The LTS of a text; there is none if and only if an error is told.
pub fn read_or_error(format: Format, text: &[u8], options: &ReadOptions) -> Option<Lts> {
    let mut errors = false;
    let lts = read_lts(source(format, text, false)?, options, &mut |d| {
        errors |= d.severity == Severity::Error;
        let _ = d.to_string();
    });
    assert_eq!(errors, lts.is_err());
    lts.ok()
}

/// What is written; `None` if the LTS cannot be written, and then nothing is.
pub fn written(lts: &Lts, format: Format, options: &WriteOptions) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let result = write_lts(lts, format, &mut out, options, &mut |_| ());
    assert!(result.is_ok() || out.is_empty());
    result.is_ok().then_some(out)
}

/// All transitions: source, whether it is hidden, label, target.
pub fn transitions(lts: &Lts) -> Vec<(u32, bool, &[u8], u32)> {
    lts.iter()
        .map(|(s, l, t)| (s.get(), l.is_hidden(), lts.table().text(l), t.get()))
        .collect()
}

/// Whether both have the same transitions and states, and begin in the same one.
#[track_caller]
pub fn assert_same(again: &Lts, lts: &Lts) {
    assert_eq!(
        (again.initial(), again.states()),
        (lts.initial(), lts.states())
    );
    assert_eq!(transitions(again), transitions(lts));
}

/// Numbers of states beyond this take more memory than time is worth.
pub fn is_huge(text: &[u8]) -> bool {
    text.split(|b| !b.is_ascii_digit())
        .any(|digits| digits.len() > 5)
}

/// Whether the input looks compressed: that is no business of a format.
pub fn is_compressed(bytes: &[u8]) -> bool {
    Compression::from_content(bytes) != Compression::None
}
