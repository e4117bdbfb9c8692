//! Partitioned LTSs: what is written is read, by a reader made from the specification
//! alone too, and no damage goes unnoticed.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde_json::Value;

use super::block::{Raw, Widths};
use super::layout::{Limits, hex};
use super::manifest::{FileSum, Manifest, Order, PartEntry};
use super::write::write_limited;
use super::*;
use crate::error::ReadError;
use crate::format::Format;
use crate::lts::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use crate::options::{Codec, ReadOptions, WriteOptions};
use crate::source::Source;

/// A transition by texts: no text is the hidden action.
type Step = (u64, Option<Vec<u8>>, u64);

/// Reads a partitioned LTS as the specification has it: one byte after another, nothing
/// checked but lengths.
fn naive(folder: &Path) -> (u64, u64, Vec<Step>) {
    let file = |name: &str| fs::read(folder.join(name)).unwrap();
    let manifest: Value = serde_json::from_slice(&file("manifest.json")).unwrap();
    let count = |value: &Value| match value {
        Value::String(text) => text.parse().unwrap(),
        value => value.as_u64().unwrap(),
    };
    let leb128 = |bytes: &[u8], at: &mut usize| {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let byte = bytes[*at];
            *at += 1;
            number |= u64::from(byte % 128) << shift;
            shift += 7;
            if byte < 128 {
                return number;
            }
        }
    };
    let little = |bytes: &[u8], at: &mut usize, length: usize| {
        let mut number = 0u64;
        for k in (0..length).rev() {
            number = number << 8 | u64::from(bytes[*at + k]);
        }
        *at += length;
        number
    };
    let bytes = file(manifest["labels"]["file"].as_str().unwrap());
    let (mut texts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let length = leb128(&bytes, &mut at) as usize;
        texts.push(bytes[at..at + length].to_vec());
        at += length;
    }
    let label_bytes = count(&manifest["label_bytes"]) as usize;
    let state_bytes = count(&manifest["state_bytes"]) as usize;
    let (mut steps, mut state) = (Vec::new(), 0);
    for part in manifest["parts"].as_array().unwrap() {
        let bytes = file(part["file"].as_str().unwrap());
        let end = bytes.len() - 24;
        let index = little(&bytes, &mut { end }, 8) as usize;
        assert_eq!(state, count(&part["first"]));
        let mut at = 32;
        while at < index {
            let states = little(&bytes, &mut at, 4);
            let transitions = little(&bytes, &mut at, 8) as usize;
            let codec = little(&bytes, &mut at, 4);
            let length = little(&bytes, &mut at, 8) as usize;
            at += 4;
            let body = match codec {
                0 => bytes[at..at + length].to_vec(),
                1 => zstd::stream::decode_all(&bytes[at..at + length]).unwrap(),
                other => panic!("codec {other}"),
            };
            at += length;
            let mut read = 0;
            let degrees: Vec<u64> = (0..states).map(|_| leb128(&body, &mut read)).collect();
            let labels: Vec<u64> = (0..transitions)
                .map(|_| little(&body, &mut read, label_bytes))
                .collect();
            let mut labels = labels.into_iter();
            for degree in degrees {
                for _ in 0..degree {
                    let label = labels.next().unwrap() as usize;
                    let text = (label > 0).then(|| texts[label].clone());
                    steps.push((state, text, little(&body, &mut read, state_bytes)));
                }
                state += 1;
            }
            assert_eq!(read, body.len());
        }
    }
    assert_eq!(state, count(&manifest["states"]));
    (state, count(&manifest["initial"]), steps)
}

fn steps(lts: &Lts) -> Vec<Step> {
    let text = |label: LabelId| (!label.is_hidden()).then(|| lts.table().text(label).to_vec());
    lts.iter()
        .map(|(s, l, t)| (s.get().into(), text(l), t.get().into()))
        .collect()
}

fn read(folder: &Path) -> Result<Lts, ReadError> {
    let source = Source::open(folder, None)?;
    assert_eq!(source.format(), Format::Plts);
    super::read(source, &ReadOptions::default(), &mut |_| ())
}

fn options(codec: Codec, parts: Option<u32>) -> WriteOptions {
    let mut options = WriteOptions {
        parts: parts.and_then(NonZeroU32::new),
        ..WriteOptions::default()
    };
    options.columns.codec = Some(codec);
    options
}

fn written(lts: &Lts, options: &WriteOptions, limits: Limits) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut files = Directory(folder.path().to_owned());
    let (_, bytes) = write_limited(lts, &mut files, options, limits, &mut |_| ()).unwrap();
    let sizes = fs::read_dir(folder.path()).unwrap();
    let sizes = sizes.map(|entry| entry.unwrap().metadata().unwrap().len());
    assert_eq!(sizes.sum::<u64>(), bytes);
    folder
}

fn lts(states: u64, initial: u32, transitions: &[(u32, u8, u32)]) -> Lts {
    let mut builder = LtsBuilder::new(states);
    builder.table_mut().intern(b"unused").unwrap();
    for &(source, label, target) in transitions {
        let label = match label {
            0 => LabelId::HIDDEN,
            1 => builder.table_mut().intern(b"").unwrap(),
            2 => builder.table_mut().intern(b"i").unwrap(),
            label => builder
                .table_mut()
                .intern(&[label; 200][..label.into()])
                .unwrap(),
        };
        builder.add(StateId::new(source), label, StateId::new(target));
    }
    builder.build(StateId::new(initial)).unwrap()
}

fn systems() -> impl Strategy<Value = Lts> {
    let states = prop_oneof![Just(1u32), 2u32..9, Just(300), Just(66_000)];
    states.prop_flat_map(|states| {
        let state = 0..states;
        let labels = prop_oneof![Just(1u8), Just(4), Just(150)];
        let one = labels.prop_flat_map(move |labels| (0..labels).boxed());
        let row = (state.clone(), one, state.clone());
        let hub = (state.clone(), 0usize..40);
        (prop::collection::vec(row, 0..60), state, hub).prop_map(
            move |(mut transitions, initial, (at, degree))| {
                transitions.extend((0..degree as u32).map(|k| (at, 3, k % states)));
                lts(states.into(), initial, &transitions)
            },
        )
    })
}

fn codecs() -> impl Strategy<Value = Codec> {
    prop_oneof![Just(Codec::None), Just(Codec::Zstd)]
}

fn limits() -> impl Strategy<Value = Limits> {
    let small = (1u32..6, 0u64..9).prop_map(|(states, transitions)| Limits {
        states: states * 100,
        transitions,
    });
    prop_oneof![small, Just(Limits::default())]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_is_read(
        lts in systems(),
        codec in codecs(),
        parts in prop::option::of(1u32..7),
        limits in limits(),
    ) {
        let folder = written(&lts, &options(codec, parts), limits);
        let again = read(folder.path()).unwrap();
        prop_assert_eq!(again.offsets(), lts.offsets());
        prop_assert_eq!(again.initial(), lts.initial());
        prop_assert_eq!(steps(&again), steps(&lts));
        let (states, initial, found) = naive(folder.path());
        prop_assert_eq!(states, lts.states() as u64);
        prop_assert_eq!(initial, u64::from(lts.initial().get()));
        prop_assert_eq!(found, steps(&lts));

        let opened = Parts::open(folder.path()).unwrap();
        let count = parts.map_or(1, |parts| u64::from(parts).min(lts.states() as u64));
        prop_assert_eq!(opened.manifest().parts.len() as u64, count);
        prop_assert_eq!(opened.labels().unwrap().len(), again.table().len());
        let (mut block, mut streamed) = (Block::default(), Vec::new());
        let mut blocks = opened.blocks();
        while blocks.next_into(&mut block).unwrap() {
            prop_assert!(block.states() <= limits.states as usize);
            prop_assert!(block.states() == 1 || block.transitions() as u64 <= limits.transitions);
            streamed.extend(block.iter());
        }
        let plain = again.iter().map(|(s, l, t)| (s.get().into(), l.get(), t.get().into()));
        prop_assert!(plain.eq(streamed));
        for state in [0, states / 2, states - 1] {
            let number = opened.block_of(state).unwrap();
            prop_assert!(opened.states_of_block(number).contains(&state));
            opened.read_block(number, &mut block).unwrap();
            prop_assert_eq!(block.first(), opened.states_of_block(number).start);
        }
        prop_assert_eq!(opened.block_of(states), None);
    }

    /// As if one had written all of them.
    #[test]
    fn parts_of_several_writers_go_together(
        lts in systems(),
        codec in codecs(),
        parts in 1u32..7,
        limits in limits(),
    ) {
        let folder = written(&lts, &options(codec, Some(parts)), limits);
        let lts = read(folder.path()).unwrap();
        let manifest = Parts::open(folder.path()).unwrap().manifest().clone();
        let announced = Announced {
            states: lts.states() as u64,
            labels: lts.table().len() as u64,
        };
        let other = tempfile::tempdir().unwrap();
        let write = |(number, part): (usize, &PartEntry)| {
            let mut files = Directory(other.path().to_owned());
            let writer = Writer::new(&mut files, announced, codec, limits);
            let mut writer = writer.beginning_at(number, part.first);
            writer.begin_part(part.states).unwrap();
            for state in part.first..part.first + part.states {
                let row = lts.outgoing(StateId::new(state as u32));
                writer.state(row.map(|(label, target)| (label.get(), target.get().into()))).unwrap();
            }
            writer.finish_parts().unwrap().to_bytes()
        };
        // The last one is the first to write.
        let mut told: Vec<_> = manifest.parts.iter().enumerate().rev().map(write).collect();
        told.reverse();
        let all = || told.iter().map(|one| Written::from_bytes(one).unwrap());
        let texts = || lts.table().visible().map(|(_, text)| text);
        let initial = lts.initial().get().into();
        let mut files = Directory(other.path().to_owned());
        if told.len() > 1 {
            for wrong in [all().skip(1).collect::<Vec<_>>(), all().rev().collect()] {
                let refused = Writer::combine(&mut files, announced, wrong, texts(), initial);
                prop_assert_eq!(refused.unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
            }
        }
        Writer::combine(&mut files, announced, all(), texts(), initial).unwrap();
        prop_assert_eq!(contents(other.path()), contents(folder.path()));
    }

    #[test]
    fn canonical_is_one_for_equal_systems(lts in systems(), codec in codecs()) {
        let canonical = WriteOptions { canonical: true, ..options(codec, Some(2)) };
        let first = written(&lts, &canonical, Limits::default());
        let again = read(first.path()).unwrap();
        prop_assert_eq!(again.initial(), StateId::new(0));
        let mut expected = steps(&lts);
        let with = u64::from(lts.initial().get());
        for (source, _, target) in &mut expected {
            for state in [source, target] {
                *state = match *state { 0 => with, n if n == with => 0, n => n };
            }
        }
        expected.sort();
        expected.dedup();
        prop_assert_eq!(steps(&again), expected);
        let opened = Parts::open(first.path()).unwrap();
        prop_assert_eq!(opened.manifest().sorted, Order::SourceLabelTarget);
        let second = written(&again, &canonical, Limits::default());
        prop_assert_eq!(contents(first.path()), contents(second.path()));
    }

    #[test]
    fn the_bytes_are_the_same_for_every_number_of_threads(lts in systems(), codec in codecs()) {
        let limits = Limits { states: 7, transitions: 5 };
        let by = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| contents(written(&lts, &options(codec, Some(3)), limits).path()))
        };
        prop_assert_eq!(by(1), by(3));
    }
}

/// The files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let named = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(named).collect()
}

#[test]
fn what_another_program_wrote_is_read() {
    let testdata = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata");
    let aut = Lts::read(testdata.join("vending.aut")).unwrap();
    let parts = read(&testdata.join("vending.plts")).unwrap();
    assert_eq!(steps(&parts), steps(&aut));
    assert_eq!(naive(&testdata.join("vending.plts")).2, steps(&aut));
    assert_eq!(parts.states(), aut.states());
}

/// A small LTS in two parts, of several blocks each.
fn small(codec: Codec) -> tempfile::TempDir {
    let transitions = [
        (0, 3, 1),
        (0, 0, 2),
        (1, 4, 3),
        (2, 4, 3),
        (2, 4, 0),
        (2, 3, 1),
        (3, 5, 0),
    ];
    let limits = Limits {
        states: 3,
        transitions: 2,
    };
    written(&lts(5, 1, &transitions), &options(codec, Some(2)), limits)
}

/// Reads everything, also as a stream.
fn all_refuse(folder: &Path) -> Result<(), String> {
    let error = match read(folder) {
        Err(error) => error.to_string(),
        Ok(_) => return Err("read".into()),
    };
    let stream = || {
        let parts = Parts::open(folder)?;
        parts.labels()?;
        let mut blocks = parts.blocks();
        while blocks.next_into(&mut Block::default())? {}
        Ok::<_, ReadError>(())
    };
    match (stream(), error.contains(&*folder.to_string_lossy())) {
        (Err(_), true) => Ok(()),
        (Ok(()), _) => Err("streamed".into()),
        (_, false) => Err(error),
    }
}

#[test]
fn no_bit_is_changed_without_notice() {
    for (turn, codec) in [Codec::None, Codec::Zstd].into_iter().enumerate() {
        let folder = small(codec);
        assert!(read(folder.path()).is_ok());
        for (name, bytes) in contents(folder.path()) {
            let path = folder.path().join(&name);
            for at in 0..bytes.len() {
                // Each in one of the two.
                for bit in (turn..8).step_by(2) {
                    let mut damaged = bytes.clone();
                    damaged[at] ^= 1 << bit;
                    fs::write(&path, &damaged).unwrap();
                    let refused = all_refuse(folder.path());
                    assert_eq!(refused, Ok(()), "{name}, byte {at}, bit {bit}");
                }
            }
            fs::write(&path, &bytes).unwrap();
        }
    }
}

#[test]
fn nothing_is_cut_off_or_added_without_notice() {
    let folder = small(Codec::Zstd);
    for (name, bytes) in contents(folder.path()) {
        let path = folder.path().join(&name);
        let longer = [&bytes[..], b"\0"].concat();
        let cut = (0..bytes.len()).map(|end| &bytes[..end]);
        for content in cut.chain([&longer[..]]) {
            fs::write(&path, content).unwrap();
            let refused = all_refuse(folder.path());
            assert_eq!(refused, Ok(()), "{name}, {} bytes", content.len());
        }
        fs::remove_file(&path).unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(&name), "{error}");
        fs::create_dir(&path).unwrap();
        assert_eq!(all_refuse(folder.path()), Ok(()), "{name}");
        fs::remove_dir(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
    }
    assert!(read(folder.path()).is_ok());
}

/// Gives the manifest this change and a sum that agrees with it.
fn forge(folder: &Path, change: impl FnOnce(&mut Manifest)) {
    let path = folder.join(MANIFEST);
    let mut manifest = Manifest::parse(&fs::read(&path).unwrap(), "it").unwrap();
    change(&mut manifest);
    fs::write(&path, manifest.sealed()).unwrap();
}

#[test]
fn what_manifests_may_not_say() {
    type Change = fn(&mut Manifest);
    let cases: [(Change, &str); 13] = [
        (|m| m.states += 1, "but the parts have 5 and 7"),
        (|m| m.transitions = 6, "5 states and 6 transitions are told"),
        (
            |m| m.initial = 5,
            "the initial state is 5, but there are 5 states",
        ),
        (
            |m| m.state_bytes = 3,
            "`state_bytes` is 3: for 5 states expected 1",
        ),
        (
            |m| m.label_bytes = 8,
            "`label_bytes` is 8: for 4 labels expected 1",
        ),
        (|m| m.labels.count = 1 << 32, "possible are 1 to 2^32 - 1"),
        (
            |m| m.labels.count += 1,
            "label 4 is cut off: expected 5 labels",
        ),
        (|m| m.labels.file = "../x".into(), "the file name \"../x\""),
        (|m| m.labels.file = "part-00000".into(), "is named twice"),
        (
            |m| m.parts.swap(0, 1),
            "expected 0, where the part before it ends",
        ),
        (|m| m.parts[1].states = u64::MAX, "more than 2^64 - 1"),
        (
            |m| {
                let names = m.parts.iter().map(|part| part.file.clone()).rev();
                let names: Vec<_> = names.collect();
                for (part, name) in m.parts.iter_mut().zip(names) {
                    part.file = name;
                }
            },
            "bytes: expected ",
        ),
        (
            |m| m.parts[0].xxh3_128 = m.parts[1].xxh3_128.clone(),
            "the XXH3 of the file is ",
        ),
    ];
    for (change, expected) in cases {
        let folder = small(Codec::None);
        forge(folder.path(), change);
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    // Parts of the same size, in the wrong order.
    let folder = tempfile::tempdir().unwrap();
    let mut files = Directory(folder.path().to_owned());
    let announced = Announced {
        states: 2,
        labels: 1,
    };
    let mut writer = Writer::new(&mut files, announced, Codec::None, Limits::default());
    for target in [1, 0] {
        writer.begin_part(1).unwrap();
        writer.state([(0, target)]).unwrap();
    }
    writer.finish([], 0).unwrap();
    forge(folder.path(), |m| {
        m.parts[0].file = "part-00001".into();
        m.parts[1].file = "part-00000".into();
    });
    let error = read(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("part-00001: byte 16: the first state is 1: expected 0"),
        "{error}"
    );
}

#[test]
fn keys_and_counts_are_as_they_should_be() {
    let folder = small(Codec::None);
    let path = folder.path().join(MANIFEST);
    let text = fs::read_to_string(&path).unwrap();
    for (old, new, expected) in [
        ("\"initial\"", "\"begin\"", "unknown field `begin`"),
        (
            "\"initial\": 1",
            "\"initial\": \"1\"",
            "as a decimal text if it is above 2^53",
        ),
        (
            "\"initial\": 1",
            "\"initial\": 9007199254740993",
            "as a decimal text",
        ),
        ("\"complete\": true", "\"complete\": false", "it is damaged"),
    ] {
        assert!(text.contains(old), "{text}");
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains(expected) && error.contains(MANIFEST),
            "{error}"
        );
    }
}

#[test]
fn what_blocks_may_not_hold() {
    type Case = (&'static [(u32, u64)], Order, &'static str);
    let cases: [Case; 3] = [
        (
            &[(2, 0)],
            Order::Source,
            "it has label 2, but there are 2 labels",
        ),
        (
            &[(1, 1)],
            Order::Source,
            "it has target 1, but there is 1 state",
        ),
        (&[(1, 0), (0, 0)], Order::SourceLabelTarget, "not sorted"),
    ];
    for (row, order, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let widths = Widths { state: 1, label: 1 };
        let mut raw = Raw::default();
        raw.push(row, widths);
        let block = raw.encode(Codec::None).unwrap();
        let labels = b"\x00\x01a";
        let parts = [(1, row.len() as u64, block)];
        assemble(folder.path(), widths, order, labels, 2, &parts);
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(
            error.contains("part-00000: byte 60: ") && error.contains(expected),
            "{error}"
        );
    }
}

/// No memory is asked for because of a number that the file has no room for.
#[test]
fn numbers_of_transitions_have_to_fit() {
    let widths = Widths { state: 1, label: 1 };
    for codec in [Codec::None, Codec::Zstd] {
        let mut raw = Raw::default();
        raw.push(&[(0, 0)], widths);
        let block = raw.encode(codec).unwrap();
        for transitions in [1 << 32, 1 << 47, 1 << 48, u64::MAX] {
            let folder = tempfile::tempdir().unwrap();
            let parts = [(1, transitions, block.clone())];
            assemble(folder.path(), widths, Order::Source, b"\0", 1, &parts);
            let error = Parts::open(folder.path()).unwrap_err().to_string();
            assert!(error.contains("part-00000: byte "), "{error}");
            assert!(error.contains("and room for them"), "{error}");
        }
    }
}

/// More than a process may have open: their files are opened when they are read.
#[test]
fn many_parts() {
    let step = |s: u32| (s, (s % 3) as u8, (s * 7) % 600);
    let transitions: Vec<_> = (0..600).map(step).collect();
    let lts = lts(600, 2, &transitions);
    let folder = written(&lts, &options(Codec::Zstd, Some(600)), Limits::default());
    assert_eq!(steps(&read(folder.path()).unwrap()), steps(&lts));
    let parts = Parts::open(folder.path()).unwrap();
    let mut block = Block::default();
    for number in (0..600).rev() {
        parts.read_block(number, &mut block).unwrap();
        assert_eq!((block.states(), block.transitions()), (1, 1));
    }
    // One that is gone by then is told.
    fs::remove_file(folder.path().join("part-00599")).unwrap();
    let error = parts.read_block(599, &mut block).unwrap_err().to_string();
    assert!(error.contains("part-00599"), "{error}");
}

/// A state of very many transitions leaves the others their shares.
#[test]
fn parts_have_about_the_same_size() {
    let hub: Vec<_> = (0..10_000).map(|k| (0, 0, k % 1000)).collect();
    for (transitions, count, expected) in [
        (hub, 4, vec![1, 333, 333, 333]),
        ((0..1000).map(|s| (s, 0, s)).collect(), 4, vec![250; 4]),
        (vec![], 3, vec![333, 334, 333]),
    ] {
        let lts = lts(1000, 0, &transitions);
        let folder = written(&lts, &options(Codec::None, Some(count)), Limits::default());
        let parts = Parts::open(folder.path()).unwrap();
        let states: Vec<u64> = parts.manifest().parts.iter().map(|p| p.states).collect();
        assert_eq!(states, expected);
    }
}

/// Writes a partitioned LTS of one part from blocks: states, transitions and bytes each.
fn assemble(
    folder: &Path,
    widths: Widths,
    order: Order,
    labels: &[u8],
    count: u64,
    blocks: &[(u64, u64, Vec<u8>)],
) {
    let (states, transitions) = blocks.iter().fold((0, 0), |(s, t), b| (s + b.0, t + b.1));
    let mut part = b"HYADPLTS\x01\0\0\0".to_vec();
    part.extend([widths.state as u8, widths.label as u8, 0, 0]);
    part.extend(0u64.to_le_bytes());
    part.extend(states.to_le_bytes());
    let (mut index, mut state, mut before) = (Vec::new(), 0, 0);
    for (states, transitions, block) in blocks {
        for number in [state, before, part.len() as u64] {
            index.extend(number.to_le_bytes());
        }
        (state, before) = (state + states, before + transitions);
        part.extend(block);
    }
    index.extend((part.len() as u64).to_le_bytes());
    index.extend((blocks.len() as u64).to_le_bytes());
    index.extend(crc32c::crc32c(&index).to_le_bytes());
    part.extend(index);
    part.extend(b"PEND");
    let sum = |bytes: &[u8]| hex(twox_hash::XxHash3_128::oneshot(bytes));
    let mut manifest = Manifest::new(
        0,
        (widths.state as u8, widths.label as u8),
        order,
        FileSum {
            file: "labels".into(),
            count,
            bytes: labels.len() as u64,
            xxh3_128: sum(labels),
        },
        vec![PartEntry {
            file: "part-00000".into(),
            first: 0,
            states,
            transitions,
            bytes: part.len() as u64,
            xxh3_128: sum(&part),
        }],
    );
    fs::write(folder.join("labels"), labels).unwrap();
    fs::write(folder.join("part-00000"), part).unwrap();
    fs::write(folder.join(MANIFEST), manifest.sealed()).unwrap();
}

#[test]
fn numbers_of_all_widths() {
    for state in [1, 2, 4, 5, 8] {
        for label in [1, 2, 4] {
            let folder = tempfile::tempdir().unwrap();
            let widths = Widths { state, label };
            let mut raw = Raw::default();
            raw.push(&[(1, 1), (0, 0)], widths);
            raw.push(&[(1, 0)], widths);
            let block = raw.encode(Codec::Zstd).unwrap();
            assemble(
                folder.path(),
                widths,
                Order::Source,
                b"\0\x01a",
                2,
                &[(2, 3, block)],
            );
            let a = || Some(b"a".to_vec());
            let expected = [(0, a(), 1), (0, None, 0), (1, a(), 0)];
            assert_eq!(steps(&read(folder.path()).unwrap()), expected);
            assert_eq!(naive(folder.path()).2, expected);
        }
    }
}

#[test]
fn more_states_than_memory_has_numbers_for() {
    let folder = tempfile::tempdir().unwrap();
    let widths = Widths { state: 5, label: 1 };
    let mut empty = Raw::default();
    for _ in 0..1 << 16 {
        empty.push(&[], widths);
    }
    let empty = empty.encode(Codec::Zstd).unwrap();
    let mut blocks = vec![(1 << 16, 0, empty); 1 << 16];
    let first = 1u64 << 32;
    let mut last = Raw::default();
    last.push(&[(0, first), (0, first + 1)], widths);
    last.push(&[(1, 7)], widths);
    blocks.push((2, 3, last.encode(Codec::None).unwrap()));
    assemble(
        folder.path(),
        widths,
        Order::SourceLabelTarget,
        b"\0\x01a",
        2,
        &blocks,
    );
    let parts = Parts::open(folder.path()).unwrap();
    assert_eq!((parts.states(), parts.transitions()), (first + 2, 3));
    assert_eq!(parts.block_count(), (1 << 16) + 1);
    assert_eq!(parts.block_of(first - 1), Some((1 << 16) - 1));
    let mut block = Block::default();
    parts
        .read_block(parts.block_of(first + 1).unwrap(), &mut block)
        .unwrap();
    let all: Vec<_> = block.iter().collect();
    assert_eq!(
        all,
        [(first, 0, first), (first, 0, first + 1), (first + 1, 1, 7)]
    );
    let error = read(folder.path()).unwrap_err();
    let limit = StateId::MAX_COUNT;
    assert!(matches!(
        error,
        ReadError::TooLarge { error: TooLarge { what: "states", limit: l }, .. } if l == limit
    ));
}

#[test]
fn counts_beyond_what_floating_numbers_hold_are_texts() {
    let labels = FileSum {
        file: "labels".into(),
        count: 1,
        bytes: 1,
        xxh3_128: String::new(),
    };
    let part = PartEntry {
        file: "part-00000".into(),
        first: 0,
        states: (1 << 53) + 1,
        transitions: 1 << 53,
        bytes: 80,
        xxh3_128: String::new(),
    };
    let mut manifest = Manifest::new(0, (8, 1), Order::Source, labels, vec![part]);
    let text = String::from_utf8(manifest.sealed()).unwrap();
    assert!(
        text.contains("\"states\": \"9007199254740993\",\n  \"transitions\": 9007199254740992")
    );
    assert_eq!(Manifest::parse(text.as_bytes(), "it").unwrap(), manifest);
}

#[test]
fn writers_do_not_write_what_they_would_not_read() {
    let announced = Announced {
        states: 2,
        labels: 3,
    };
    let texts: [&[u8]; 3] = [b"a", b"b", b"c"];
    type Row = &'static [(u32, u64)];
    type Case<'a> = (&'a [Row], &'a [&'a [u8]], u64, &'a str);
    let cases: [Case<'_>; 6] = [
        (
            &[&[], &[], &[]],
            &texts[..1],
            0,
            "more states than announced",
        ),
        (&[&[]], &texts, 0, "more labels than announced"),
        (&[&[]], &[b"a", b"a"], 0, "two labels are equal"),
        (&[&[]], &[], 1, "the initial state has no row"),
        (&[&[(0, 1)]], &[], 0, "a target has no row"),
        (&[&[(1, 0)]], &[], 0, "a label has no text"),
    ];
    for (rows, labels, initial, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let mut files = Directory(folder.path().to_owned());
        let mut writer = Writer::new(&mut files, announced, Codec::None, Limits::default());
        for row in rows {
            writer.state(row.iter().copied()).unwrap();
        }
        let error = writer.finish(labels.iter().copied(), initial).unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(!folder.path().join(MANIFEST).exists());
    }
}

#[test]
fn directories_and_files_are_told_apart() {
    let scratch = tempfile::tempdir().unwrap();
    let empty = scratch.path().join("empty.plts");
    fs::create_dir(&empty).unwrap();
    let whole = small(Codec::None);
    let refused = |path: PathBuf, format| Source::open(&path, format).err().unwrap().to_string();
    for (path, format, expected) in [
        (empty.clone(), None, "a directory without manifest.json"),
        (
            whole.path().into(),
            Some(Format::Aut),
            "and not in format aut",
        ),
        (
            whole.path().join(MANIFEST),
            None,
            "name the directory that it is in",
        ),
        (
            whole.path().join("part-00001"),
            None,
            "name the directory that it is in",
        ),
        (
            whole.path().join("labels"),
            Some(Format::Plts),
            "by its name only",
        ),
    ] {
        let error = refused(path, format);
        assert!(error.contains(expected), "{error}");
    }
    assert!(Source::open_named(whole.path(), None).is_ok());
    let file = fs::File::open(whole.path()).unwrap();
    let error = Source::from_file("<stdin>", file, None).err().unwrap();
    assert!(error.to_string().contains("read by its name only"));
}

#[test]
fn what_is_saved_replaces_partitioned_lts_only() {
    let scratch = tempfile::tempdir().unwrap();
    let place = scratch.path().join("x.plts");
    let (one, two) = (lts(1, 0, &[]), lts(2, 1, &[(0, 3, 1)]));
    one.save(&place).unwrap();
    two.save(&place).unwrap();
    assert_eq!(steps(&Lts::read(&place).unwrap()), steps(&two));
    fs::write(place.join("notes"), "mine").unwrap();
    let error = one.save(&place).unwrap_err().to_string();
    assert!(
        error.contains("\"notes\" besides a partitioned LTS"),
        "{error}"
    );
    fs::remove_file(place.join("notes")).unwrap();
    fs::remove_file(place.join(MANIFEST)).unwrap();
    let error = one.save(&place).unwrap_err().to_string();
    assert!(error.contains("no partitioned LTS"), "{error}");
    let error = one
        .save(scratch.path().join("y.plts.gz"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("gzip does not compress"), "{error}");
    fs::write(scratch.path().join("z.plts"), "mine").unwrap();
    let error = one
        .save(scratch.path().join("z.plts"))
        .unwrap_err()
        .to_string();
    assert!(error.contains("a file of this name is there"), "{error}");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 2);
}
