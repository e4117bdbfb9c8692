//! Labels that no sample has.

use super::super::bits::BitWriter;
use super::super::layout::{LABELS, RECORDS, STATES, SYMBOLS, TYPES};
use super::super::tables::Kind;
use super::super::values::Field;
use super::*;
use crate::options::Dialect;

#[test]
fn many_labels() {
    for count in [127u32, 128, 129, 255, 256, 257, 300, 16_383, 16_384, 20_000] {
        let names: Vec<String> = (0..count).map(|k| format!("label {k}")).collect();
        let edges: Vec<_> = (0..count)
            .map(|k| (k, names[k as usize].as_str(), (k + 1) % count))
            .collect();
        let graph = lts(count.into(), 0, &edges);
        let bytes = written(&graph, &WriteOptions::default());
        let (again, inspection) = read(&bytes);
        assert_eq!(transitions(&again), transitions(&graph));
        assert_eq!(inspection.labels, u64::from(count) + 1);
        let labels = &sections_of(&bytes)[LABELS];
        // the number of the gate in label 0 takes a byte, or two
        let first = if count + 1 < 128 { 2 } else { 3 } + usize::from(count + 1 >= 16_384);
        let gate = if count < 256 { 1 } else { 2 };
        assert_eq!(labels[first..first + 4], [0xe0, 0, 0, 0]);
        assert_eq!(labels[first + 4 + gate..][..4], [0xe0, 0, 0, 1]);
    }
}

#[test]
fn long_labels() {
    for len in [254, 255, 256, 2_000, 300_000] {
        let label = "x".repeat(len);
        let graph = lts(2, 0, &[(0, &label, 1)]);
        let bytes = written(&graph, &WriteOptions::default());
        let (again, _) = read(&bytes);
        assert_eq!(transitions(&again), transitions(&graph));
        if len == 255 {
            let types = &sections_of(&bytes)[TYPES];
            let name = types
                .windows(12)
                .position(|w| w == b"bcg_type_raw")
                .unwrap();
            assert_eq!(types[name - 5..name], [7, 0xc0, 0x40, 0, 0xff]);
        }
    }
}

#[test]
fn odd_labels_come_back() {
    let odd = [
        "",
        " ",
        "a\nb",
        "é",
        "\u{1}",
        "A !1",
        "A !TRUE !-1",
        "A !\"b\"",
        "i !1",
        "0",
    ];
    let edges: Vec<_> = odd.iter().map(|label| (0, *label, 0)).collect();
    let graph = lts(1, 0, &edges);
    for parse_labels in [false, true] {
        let mut options = WriteOptions::default();
        options.bcg.parse_labels = parse_labels;
        let (again, inspection) = read(&written(&graph, &options));
        assert_eq!(transitions(&again), transitions(&graph));
        assert_eq!(inspection.gates.len(), if parse_labels { 2 } else { 1 });
    }
}

#[test]
fn all_types_of_fields() {
    // a gate, a value of each type, and a boolean that leaves odd bits
    let graph = lts(1, 0, &[(0, "x", 0)]);
    let mut sections = sections_of(&written(&graph, &WriteOptions::default()));
    sections[RECORDS] = vec![1, 3, 1, 0, 7, 0, 0, 9];
    for kind in [7, 0, 1, 2, 3, 4, 5, 6, 0] {
        sections[RECORDS].extend([0, kind, 0]);
    }
    sections[RECORDS].extend([0, 0, 0]);
    sections[STATES] = vec![1, 1, 0, 2];
    let mut out = BitWriter::after(vec![1, 2, 0xe0, 0, 0, 0, 0, 0xe0, 0, 0, 1]);
    out.push(0, 1);
    out.push(1, 1);
    out.push(u32::MAX.into(), 32);
    out.push(-7i32 as u32 as u64, 32);
    let real = (-2.5f64).to_bits();
    out.push(real >> 32, 32);
    out.push(real & 0xffff_ffff, 32);
    out.push(b'c'.into(), 8);
    out.text(b"a string");
    out.text(b"{raw}");
    out.push(0, 1);
    out.align();
    out.push(0b01, 2);
    sections[LABELS] = out.finish();
    let (graph, inspection) = read(&with_sections(&sections));
    assert_eq!(
        transitions(&graph)[0].1.unwrap(),
        b"i !TRUE !4294967295 !-7 !-2.5 !c !a string !{raw} !FALSE"
    );
    assert_eq!(
        inspection.shapes[1].fields.join(" "),
        "gate boolean natural integer real character string raw boolean"
    );
    // written again they are what they were
    let again = written_alike(&with_sections(&sections), false);
    assert_eq!(sections_of(&again)[LABELS], sections[LABELS]);
    assert_eq!(read(&again).1.shapes, inspection.shapes);
}

#[test]
fn integers_read_with_their_sign_and_come_back() {
    let integers = [0, 1, -1, i32::MAX, i32::MIN];
    let texts = integers.map(|integer| format!("{integer:+}"));
    assert_eq!(texts[..2], ["+0", "+1"]);
    let labels: Vec<_> = texts
        .iter()
        .map(|text| {
            [("A", Kind::Gate), (text, Kind::Integer)].map(|(text, kind)| Field {
                kind,
                text: text.as_bytes(),
            })
        })
        .map(|fields| fields.to_vec())
        .collect();
    let edges: Vec<_> = (0..5).map(|k| (0, k + 1, 0)).collect();
    let edges = naive_edges(Parameters::V1_2, 48, 1, &edges);
    let bytes = with_sections(&all_sections(edges, &labels, 1));
    let (graph, inspection) = read(&bytes);
    let names = texts.map(|text| format!("A !{text}"));
    for (label, name) in transitions(&graph).iter().zip(&names) {
        assert_eq!(label.1, Some(name.as_bytes()));
    }
    // from the texts alone
    let mut options = WriteOptions::default();
    options.bcg.parse_labels = true;
    let again = written(&graph, &options);
    assert_eq!(sections_of(&again), sections_of(&bytes));
    assert_eq!(inspection.shapes[1].fields.join(" "), "gate integer");
    // a number without sign is a natural one
    let graph = lts(1, 0, &[(0, "A !0", 0), (0, "A !+0", 0)]);
    let shapes = read(&written(&graph, &options)).1.shapes;
    let shapes: Vec<_> = shapes.iter().map(|shape| shape.fields.join(" ")).collect();
    assert_eq!(shapes, ["gate", "gate natural", "gate integer"]);
}

/// A file written anew, with the fields that its labels have.
fn written_alike(bytes: &[u8], parse_labels: bool) -> Vec<u8> {
    let source = Source::from_bytes("f", bytes.to_vec(), Some(Format::Bcg)).unwrap();
    let options = ReadOptions::default();
    let (graph, fields) =
        crate::bcg::read_with_fields(source, &options, &mut |d| panic!("{d}")).unwrap();
    let mut options = WriteOptions::default();
    options.bcg.fields = Some(fields.into());
    options.bcg.parse_labels = parse_labels;
    written(&graph, &options)
}

#[test]
fn labels_keep_the_fields_that_they_had() {
    // what no parser would make of these texts, and raw ones that one would parse
    let field = |kind, text| Field { kind, text };
    let gate = |name| field(Kind::Gate, name);
    let labels = [
        values::unparsed(b"A !1"),
        vec![gate(b"A"), field(Kind::Natural, b"2")],
        vec![
            gate(b"A"),
            field(Kind::String, b"3 !4"),
            field(Kind::Raw, b"TRUE"),
        ],
        vec![
            gate(b"B C"),
            field(Kind::Integer, b"+5"),
            field(Kind::Real, b"NaN"),
        ],
        vec![gate(b""), field(Kind::Character, b" ")],
        values::unparsed(b"\"x\""),
        // one label of two shapes: the one with a gate counts
        values::unparsed(b"D"),
        vec![gate(b"D")],
    ];
    let graph = lts(
        1,
        0,
        &[
            (0, "A !1", 0),
            (0, "A !2", 0),
            (0, "A !3 !4 !TRUE", 0),
            (0, "B C !+5 !NaN", 0),
            (0, " ! ", 0),
            (0, "\"x\"", 0),
            (0, "D", 0),
        ],
    );
    let edges = naive_edges(
        Parameters::V1_2,
        48,
        1,
        &[1, 2, 3, 4, 5, 6, 8].map(|label| (0, label, 0)),
    );
    let bytes = with_sections(&all_sections(edges, &labels, 1));
    assert_eq!(transitions(&read(&bytes).0), transitions(&graph));
    let kinds = |bytes: &[u8]| {
        let shapes = read(bytes).1.shapes;
        let kinds = shapes.iter().map(|s| (s.fields.join(" "), s.labels));
        kinds.collect::<Vec<_>>()
    };
    let kept = written_alike(&bytes, false);
    assert_eq!(transitions(&read(&kept).0), transitions(&graph));
    let typed = |raw, parsed| {
        [
            ("gate", 2),
            ("raw", raw),
            ("gate natural", parsed),
            ("gate string raw", 1),
            ("gate integer real", 1),
            ("gate character", 1),
        ]
        .map(|(kinds, labels)| (kinds.to_owned(), labels))
    };
    assert_eq!(kinds(&kept), typed(2, 1));
    // raw ones may still be taken apart
    let parsed = kinds(&written_alike(&bytes, true));
    let mut expected = typed(1, 2);
    // `A !1` comes before all raw ones
    expected.swap(1, 2);
    expected[2..].rotate_left(1);
    assert_eq!(parsed, expected);
    // a file without anything to know is written as ever
    let raw = written(&graph, &WriteOptions::default());
    assert_eq!(written_alike(&raw, false), raw);
    // a long name is none for a gate
    let long = b"x".repeat(257);
    let edges = naive_edges(Parameters::V1_2, 48, 1, &[(0, 1, 0)]);
    let bytes = with_sections(&all_sections(edges, &[vec![gate(&long)]], 1));
    assert_eq!(
        kinds(&written_alike(&bytes, false)),
        [("gate".to_owned(), 1), ("raw".to_owned(), 1)]
    );
}

#[test]
fn short_labels_do_not_become_gigabytes() {
    // one gate with a long name, and many labels that tell it by a bit
    let mut sections = sections_of(&written(&lts(1, 0, &[]), &WriteOptions::default()));
    let name = vec![b'x'; 1 << 20];
    sections[SYMBOLS] = [
        b"\x01\0\x03\0\0\0\0\0\x01GATE\0\0\0\0\0\0\x01\x07\x01",
        &name[..],
        b"\0\0\0\0\0\0\x02\x5b",
    ]
    .concat();
    sections[RECORDS] = vec![1, 2, 2, 0, 7, 0, 0, 1, 0, 0, 0, 0];
    let mut out = BitWriter::after(vec![1]);
    out.vint(10_000);
    for k in 0..10_000 {
        out.push(0, 8);
        out.push(0, 1);
        out.push(k, 32);
        out.align();
    }
    out.push(0, 8);
    (0..1_249).for_each(|_| out.push(0xff, 8));
    sections[LABELS] = out.finish();
    refused(
        &with_sections(&sections),
        "bcg-label",
        "much more than their part of the file",
    );
}

#[test]
fn gates_with_long_names_that_many_labels_have() {
    let mut options = WriteOptions::default();
    options.bcg.parse_labels = true;
    for (len, fields) in [(1, "gate"), (256, "gate"), (257, "raw"), (3_000, "raw")] {
        let gate = "G".repeat(len);
        let flags = " !FALSE".repeat(64);
        let names: Vec<String> = (0..1_000)
            .flat_map(|k| [format!("{gate} !{k}"), format!("{gate}{k}{flags}")])
            .chain([gate.clone()])
            .collect();
        let edges: Vec<_> = names.iter().map(|name| (0, name.as_str(), 0)).collect();
        let graph = lts(1, 0, &edges);
        let (again, inspection) = read(&written(&graph, &options));
        assert_eq!(transitions(&again), transitions(&graph));
        // that of the last label, which is the gate alone
        let kinds: Vec<_> = inspection.shapes.iter().map(|s| &s.fields[0][..]).collect();
        assert!(kinds.contains(&fields), "{kinds:?}");
    }
}

#[test]
fn what_counts_as_hidden() {
    let graph = lts(2, 0, &[(0, "i", 1), (0, "tau", 1), (0, "a", 1)]);
    let bytes = written(&graph, &WriteOptions::default());
    let hidden = |tau: &[&str], dialect| {
        let options = ReadOptions {
            hidden: tau.iter().map(|name| name.as_bytes().to_vec()).collect(),
            dialect,
            ..ReadOptions::default()
        };
        let (read, seen) = read_as(&bytes, &options);
        assert_eq!(seen, []);
        let graph = read.unwrap().0;
        let hidden = graph.labels().iter().map(|label| label.is_hidden());
        hidden.collect::<Vec<_>>()
    };
    assert_eq!(hidden(&[], None), [true, false, false]);
    assert_eq!(hidden(&[], Some(Dialect::Cadp)), [true, false, false]);
    assert_eq!(hidden(&[], Some(Dialect::Mcrl2)), [true, true, false]);
    assert_eq!(hidden(&["a"], None), [false, false, true]);
    assert_eq!(
        hidden(&["a", "i"], Some(Dialect::Mcrl2)),
        [true, false, true]
    );
}

#[test]
fn what_cannot_be_written() {
    let errors = |graph: &Lts, options: &WriteOptions| {
        let mut out = Vec::new();
        let mut codes = Vec::new();
        let result = write_lts(graph, Format::Bcg, &mut out, options, &mut |d| {
            codes.push(d.code);
        });
        assert_eq!((result.is_err(), out.is_empty()), (true, true));
        codes
    };
    let plain = WriteOptions::default();
    assert_eq!(errors(&lts(1, 0, &[(0, "a\0b", 0)]), &plain), ["bcg-label"]);
    let visible = |texts: &[&str]| {
        let mut builder = LtsBuilder::new(1);
        for text in texts {
            builder.add_text(0, text.as_bytes(), 0).unwrap();
        }
        builder.build(StateId::new(0)).unwrap()
    };
    let eye = visible(&["i"]);
    assert_eq!(errors(&eye, &plain), ["label-like-hidden"]);
    let mut options = plain.clone();
    options.visible_i = Some(b"eye".to_vec());
    assert_eq!(
        transitions(&read(&written(&eye, &options)).0),
        [(0, Some(&b"eye"[..]), 0)]
    );
    // What the reader hides in mCRL2's dialect, too; one name does not stand for two labels.
    let tau = visible(&["tau"]);
    written(&tau, &plain);
    let mut mcrl2 = plain.clone();
    mcrl2.dialect = Some(Dialect::Mcrl2);
    assert_eq!(errors(&tau, &mcrl2), ["label-like-hidden"]);
    mcrl2.visible_i = Some(b"eye".to_vec());
    assert_eq!(
        transitions(&read(&written(&tau, &mcrl2)).0),
        [(0, Some(&b"eye"[..]), 0)]
    );
    assert_eq!(
        errors(&visible(&["i", "tau"]), &mcrl2),
        ["label-like-hidden"]
    );
    mcrl2.visible_i = Some(b"tau".to_vec());
    assert_eq!(errors(&eye, &mcrl2), ["label-like-hidden"]);
    options.bcg.comment = Some(b"a\0".to_vec());
    assert_eq!(errors(&eye, &options), ["bcg-comment"]);
    let later = lts(3, 2, &[(2, "a", 0), (0, "b", 1)]);
    let mut options = plain.clone();
    (options.canonical, options.keep_initial) = (true, true);
    assert_eq!(errors(&later, &options), ["bcg-initial"]);
}
