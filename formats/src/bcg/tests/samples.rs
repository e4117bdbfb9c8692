//! Files of other tools, with the text of what is in them.

use std::fs;
use std::path::{Path, PathBuf};

use super::super::edges::{Ordered, encode};
use super::super::layout::{self, EDGES};
use super::super::tables::Kind;
use super::super::values::{Field, parsed, unparsed};
use super::super::write::all_sections;
use super::*;

/// How sections lie in files that CADP's tools have rewritten.
const REWRITTEN: [usize; SECTIONS] = [6, 0, 1, 2, 3, 4, 5, 7, 8, 9];

/// The samples: names and contents of BCG files, and what is in them.
fn samples() -> Vec<(String, Vec<u8>, Lts)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/bcg");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "bcg"))
        .collect();
    paths.sort();
    assert_eq!(paths.len(), 21);
    let sample = |path: PathBuf| {
        let text = Source::open(&path.with_extension("aut"), None).unwrap();
        let lts = crate::read_lts(text, &ReadOptions::default(), &mut |d| panic!("{d}")).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, fs::read(path).unwrap(), lts)
    };
    paths.into_iter().map(sample).collect()
}

#[test]
fn samples_hold_what_their_texts_say() {
    for (name, bytes, expected) in samples() {
        let (lts, inspection) = read(&bytes);
        assert_eq!(lts.initial(), expected.initial(), "{name}");
        assert_eq!(lts.states(), expected.states(), "{name}");
        assert_eq!(transitions(&lts), transitions(&expected), "{name}");
        assert_eq!(inspection.version, super::super::Version::V1_2);
    }
}

#[test]
fn edges_are_written_as_in_the_samples() {
    for (name, bytes, expected) in samples() {
        let section = &sections_of(&bytes)[EDGES];
        let (edges, _) = encode(Ordered::kept(&expected));
        assert_eq!(edges, *section, "{name}");
        // and so does the definition
        let lts = read(&bytes).0;
        let labels = encode(Ordered::kept(&lts)).1;
        let number = |l: LabelId| labels.iter().position(|&known| known == l).unwrap() as u32;
        let edges: Vec<_> = lts
            .iter()
            .map(|(s, l, t)| (s.get(), number(l), t.get()))
            .collect();
        let edges = naive_edges(Parameters::V1_2, 48, lts.states() as u32, &edges);
        assert_eq!(edges, *section, "{name}");
    }
}

/// The whole file of an LTS with fields by `fields`, otherwise as a sample.
fn rewritten<'a>(
    lts: &'a Lts,
    inspection: &Inspection,
    fields: impl Fn(&'a [u8]) -> Vec<Field<'a>>,
) -> Vec<u8> {
    let (edges, labels) = encode(Ordered::kept(lts));
    let labels: Vec<_> = labels[1..]
        .iter()
        .map(|&label| fields(lts.table().text(label)))
        .collect();
    let sections = all_sections(edges, &labels, lts.states() as u64);
    let order = match inspection.comment.ends_with(b"modified by bcg_io") {
        true => REWRITTEN,
        false => layout::ORDER,
    };
    let mut out = Vec::new();
    layout::write(&mut out, &inspection.comment, &sections, order).unwrap();
    out
}

#[test]
fn whole_files_are_written_as_in_the_samples() {
    let mut by_text = 0;
    for (name, bytes, lts) in samples() {
        let inspection = read(&bytes).1;
        if inspection.gates.len() == 1 {
            assert!(rewritten(&lts, &inspection, unparsed) == bytes, "{name}");
            continue;
        }
        // Which of the texts in a label are strings is not to be seen; labels
        // of the samples have a type for each number of fields.
        let fields = |text| {
            let mut fields = parsed(text);
            let shape = inspection
                .shapes
                .iter()
                .find(|shape| shape.fields.len() == fields.len())
                .unwrap_or_else(|| panic!("{name}: {inspection:?}"));
            for (field, kind) in fields.iter_mut().zip(&shape.fields) {
                if kind == "string" {
                    assert_eq!(field.kind, Kind::Raw);
                    field.kind = Kind::String;
                }
                assert_eq!(field.kind.name(), kind);
            }
            fields
        };
        assert!(rewritten(&lts, &inspection, fields) == bytes, "{name}");
        by_text += usize::from(rewritten(&lts, &inspection, parsed) == bytes);
        // as texts they are other bytes for the same
        let texts = rewritten(&lts, &inspection, unparsed);
        assert!(texts != bytes);
        assert_eq!(transitions(&read(&texts).0), transitions(&lts));
    }
    // all but those with strings
    assert_eq!(by_text, 10);
}

#[test]
fn the_writer_gives_a_sample() {
    let all = samples();
    let (_, bytes, lts) = all.iter().find(|(name, ..)| name == "abp").unwrap();
    for keep_order in [false, true] {
        let mut options = WriteOptions::default();
        options.bcg.keep_order = keep_order;
        options.bcg.comment = Some(b"created by merc_lts".to_vec());
        assert!(written(lts, &options) == *bytes);
        options.bcg.comment = None;
        let ours = written(lts, &options);
        assert_eq!(ours.len() + 2, bytes.len());
        assert_eq!(read(&ours).1.comment, b"created by hyades");
    }
}

#[test]
fn samples_survive_every_way_of_writing() {
    for (name, _, lts) in samples() {
        for keep_order in [false, true] {
            for parse_labels in [false, true] {
                let mut options = WriteOptions::default();
                options.bcg.keep_order = keep_order;
                options.bcg.parse_labels = parse_labels;
                let (again, inspection) = read(&written(&lts, &options));
                assert_eq!(inspection.gates.len() > 1, parse_labels && name != "abp");
                if keep_order {
                    assert_eq!(transitions(&again), transitions(&lts), "{name}");
                }
                assert_eq!(again.states(), lts.states());
            }
        }
    }
}

#[test]
fn what_a_sample_is_made_of() {
    let all = samples();
    let (_, bytes, _) = all.iter().find(|(name, ..)| name == "abp").unwrap();
    let inspection = read(bytes).1;
    assert_eq!(inspection.version.to_string(), "1.2");
    assert_eq!(inspection.comment, b"created by merc_lts");
    assert_eq!(inspection.parameters.to_string(), "4 1 3");
    assert_eq!(inspection.sections[0], 0x69e..0x789);
    assert_eq!(inspection.sections[6], 0xb9..0x167);
    assert_eq!(inspection.sections[9], 0xafa..0xafc);
    assert_eq!(inspection.gates, [b"i"]);
    assert_eq!(inspection.labels, 19);
    let shapes: Vec<_> = inspection
        .shapes
        .iter()
        .map(|shape| (shape.fields.join(" "), shape.labels))
        .collect();
    assert_eq!(shapes, [("gate".into(), 1), ("raw".into(), 18)]);
}
