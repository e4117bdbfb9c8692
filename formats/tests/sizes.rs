//! What is written has the size that writers tell.

use crate::common;

use common::{lts, read_format, systems};
use hyades_formats::dot::{MooreForm, StateOutputs, WriteOutputs};
use hyades_formats::*;
use proptest::prelude::*;

/// What a writer tells of an LTS, and what is read of it again; none if the format cannot
/// express it.
fn sizes(system: &Lts, format: Format, options: &WriteOptions) -> Option<[(u64, u64, u64); 2]> {
    sizes_by(system, format, options, &ReadOptions::default())
}

fn sizes_by(
    system: &Lts,
    format: Format,
    options: &WriteOptions,
    read: &ReadOptions,
) -> Option<[(u64, u64, u64); 2]> {
    let mut out = Vec::new();
    let written = write_lts(system, format, &mut out, options, &mut |_| ()).ok()?;
    let (again, seen) = read_format(format, &out, read);
    let again = again.unwrap_or_else(|| panic!("{format}: {seen:?}"));
    let read = (again.states() as u64, again.transitions() as u64);
    Some([
        (
            written.states,
            written.transitions,
            written.count_labels(system),
        ),
        (read.0, read.1, again.count_labels() as u64),
    ])
}

/// Formats that are read and written as one file.
fn formats() -> impl Iterator<Item = Format> {
    let is_file = |f: &Format| f.is_input() && f.is_writable() && !f.is_folder();
    Format::ALL.into_iter().filter(is_file)
}

proptest! {
    /// Also of pairs, as KISS2 has them.
    #[test]
    fn what_is_written_has_the_size_that_is_told(
        system in prop_oneof![
            systems("[abc]".prop_map(String::into_bytes)),
            systems("[ab]/[01]".prop_map(String::into_bytes)),
        ],
        canonical in any::<bool>(),
        keep_initial in any::<bool>(),
    ) {
        let options = WriteOptions { canonical, keep_initial, ..WriteOptions::default() };
        for format in formats() {
            if let Some([told, read]) = sizes(&system, format, &options) {
                prop_assert_eq!(told, read, "{}", format);
            }
        }
    }
}

#[test]
fn duplicates_that_are_dropped_are_not_told() {
    let system = lts(0, 2, &[(0, b"a", 1), (0, b"a", 1), (0, b"b", 0)]);
    let dropped = WriteOptions {
        canonical: true,
        ..WriteOptions::default()
    };
    let kept = WriteOptions::default();
    let mut seen = 0;
    for format in formats() {
        let of = |options| sizes(&system, format, options).map(|[told, _]| told);
        if let (Some(all), Some(once)) = (of(&kept), of(&dropped)) {
            assert_eq!((all, once), ((2, 3, 2), (2, 2, 2)), "{format}");
            seen += 1;
        }
    }
    assert!(seen >= 7);
}

/// Chains that share an end have it each, and states that no sequence reaches are lost.
#[test]
fn sequences_have_states_of_their_own() {
    let shared = lts(
        1,
        6,
        &[(1, b"a", 2), (1, b"b", 2), (2, b"c", 3), (4, b"d", 5)],
    );
    let options = WriteOptions::default();
    let [told, read] = sizes(&shared, Format::Seq, &options).unwrap();
    assert_eq!((told, read), ((5, 4, 3), (5, 4, 3)));
    let chain = lts(1, 4, &[(1, b"a", 0), (0, b"a", 3)]);
    for format in [Format::Seq, Format::Trc] {
        let [told, read] = sizes(&chain, format, &options).unwrap();
        assert_eq!((told, read), ((3, 2, 1), (3, 2, 1)), "{format}");
    }
}

/// The first step of a Moore machine and the self-loops of accepting states are no edges.
#[test]
fn machines_are_told_as_they_are_read() {
    let moore = lts(
        0,
        4,
        &[
            (0, b"/x", 1),
            (1, b"a/x", 1),
            (1, b"b/y", 2),
            (2, b"a/x", 2),
            (3, b"c/x", 1),
        ],
    );
    let accepting = lts(
        0,
        2,
        &[
            (0, b"a", 1),
            (1, b"yes", 1),
            (1, b"a", 0),
            (1, b"a", 0),
            (0, b"yes", 0),
        ],
    );
    for canonical in [false, true] {
        let mut write = WriteOptions {
            canonical,
            ..WriteOptions::default()
        };
        write.dot.outputs = WriteOutputs::Moore(MooreForm::default());
        let mut read = ReadOptions::default();
        read.dot.outputs = StateOutputs::Moore;
        let [told, again] = sizes_by(&moore, Format::Dot, &write, &read).unwrap();
        assert_eq!(told, again);
        write.dot.outputs = WriteOutputs::Accepting(b"yes".to_vec());
        read.dot.outputs = StateOutputs::Accepting(b"yes".to_vec());
        let [told, again] = sizes_by(&accepting, Format::Dot, &write, &read).unwrap();
        assert_eq!((told, told), (again, (2, 5 - u64::from(canonical), 2)));
    }
}
