//! What is written can be read again, however long labels are.

use crate::common;

use common::*;
use hyades_formats::*;

/// The longest line that readers accept.
const MAX_LINE: usize = 64 << 20;

/// An LTS with one transition, with a label of so many bytes.
fn with_label(length: usize) -> Lts {
    lts(0, 1, &[(0, &vec![b'x'; length], 0)])
}

#[test]
fn labels_at_the_limit_of_each_format() {
    // what stands around a label in a line, or is counted like bytes of it
    let limits = [
        (Format::Aut, "(, , )\n".len() + 2 * 10, "aut-line-length"),
        (Format::Tsv, "\t\t\n ".len() + 2 * 10, "tsv-line-length"),
        (
            Format::Jsonl,
            "[,\"\",]\n".len() + 2 * 10,
            "jsonl-line-length",
        ),
        (Format::Lts, 1024, "lts-label-length"),
    ];
    for (format, around, code) in limits {
        let longest = with_label(MAX_LINE - around);
        let written = written_as(format, &longest, &WriteOptions::default());
        let (again, seen) = read_format(format, &written, &ReadOptions::default());
        assert_eq!(seen, [""; 0], "{format}");
        assert_same(&again.unwrap(), &longest);
        let longer = with_label(MAX_LINE - around + 1);
        let codes = refused(format, &longer, &WriteOptions::default());
        assert_eq!(codes, [code]);
    }
}

#[test]
fn formats_without_a_limit() {
    for format in [
        Format::Bcg,
        Format::Dot,
        Format::Fsm,
        Format::Seq,
        Format::Trc,
    ] {
        let chain = lts(0, 2, &[(0, &vec![b'x'; MAX_LINE + 1], 1)]);
        let written = written_as(format, &chain, &WriteOptions::default());
        for read in [read_format, read_stream] {
            let (again, seen) = read(format, &written, &ReadOptions::default());
            assert_eq!(seen, [""; 0], "{format}");
            assert_same(&again.unwrap(), &chain);
        }
    }
}

#[test]
fn the_length_that_counts_is_the_written_one() {
    // six bytes each in JSON, four in AUT with --lossy
    let system = lts(0, 1, &[(0, &vec![1; MAX_LINE / 5], 0)]);
    let codes = refused(Format::Jsonl, &system, &WriteOptions::default());
    assert_eq!(codes, ["jsonl-line-length"]);
    let lossy = WriteOptions {
        lossy: true,
        ..WriteOptions::default()
    };
    assert!(written_in(Format::Aut, &system, &lossy).is_ok());
    let system = lts(0, 1, &[(0, &vec![1; MAX_LINE / 4], 0)]);
    assert_eq!(
        written_in(Format::Aut, &system, &lossy),
        Err(vec!["aut-line-length"])
    );
}

#[test]
fn values_of_parameters_count_too() {
    let mut labels = StateLabels::new(vec![Parameter {
        name: b"n".to_vec(),
        sort: Vec::new(),
        values: vec![vec![b'x'; MAX_LINE]],
    }]);
    labels.push([&[0][..]]);
    let system = lts(0, 1, &[]).with_state_labels(labels);
    let codes = refused(Format::Lts, &system, &WriteOptions::default());
    assert_eq!(codes, ["lts-label-length"]);
}

#[test]
fn a_stream_of_transitions_has_the_same_limit() {
    let system = with_label(MAX_LINE);
    let mut spool = aut::Spool::new("no directory is needed");
    let options = WriteOptions::default();
    let mut writer = aut::StreamWriter::spooling(&mut spool, &options);
    let mut codes = Vec::new();
    let mut sink = |d: Diagnostic| codes.push(d.code);
    let outcome = writer.rows(&[Rows::of(&system)], system.table(), &mut sink);
    assert!(matches!(outcome, Err(WriteError::Refused { errors: 1 })));
    assert_eq!(codes, ["aut-line-length"]);
}
