//! What several workers read is what one reader reads, and says of it.

use std::cell::Cell;
use std::fs;
use std::path::Path;

use hyades_formats::options::Codec;
use hyades_formats::plts::{Announced, Directory, Limits, Writer};
use hyades_formats::{Diagnostic, LabelId, Lts, Mode, ReadError, ReadOptions, Source, read_lts};
use hyades_testing::{Random, aut, check, lts};

use crate::read::{Input, read};
use crate::{Error, threads};

/// What one reader makes of a file.
fn by_one(path: &Path, options: &ReadOptions) -> (Result<Lts, String>, Vec<Diagnostic>) {
    let mut told = Vec::new();
    let source = Source::open(path, None).unwrap();
    let read = read_lts(source, options, &mut |diagnostic| told.push(diagnostic));
    (read.map_err(|error| error.to_string()), told)
}

/// What several workers make of it; the diagnostics of all.
fn by_all(
    path: &Path,
    options: &ReadOptions,
    random: &mut Random,
) -> (Result<Vec<Input>, String>, Vec<Diagnostic>) {
    let peers = random.between(1, 5);
    let chunk = [1, 64, 1 << 20][random.between(0, 2)];
    let results = threads::run(peers, chunk, |worker| {
        let mut told = Vec::new();
        let mut sink = |diagnostic| told.push(diagnostic);
        let input = read(worker, path, None, options, &mut sink);
        Ok((input, told))
    });
    let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
    let mut told = Vec::new();
    let mut inputs = Vec::new();
    let mut failed = None;
    for (input, some) in results {
        told.extend(some);
        match input {
            Ok(input) => inputs.push(input),
            Err(Error::Lost { .. }) => {}
            Err(error) => failed = Some(error.to_string()),
        }
    }
    match failed {
        Some(error) => (Err(error), told),
        None => (Ok(inputs), told),
    }
}

/// Whether the workers have this LTS.
fn have(inputs: &[Input], lts: &Lts) -> Result<(), String> {
    let ranges = &inputs[0].ranges;
    for (index, input) in inputs.iter().enumerate() {
        let texts = |table: &hyades_formats::LabelTable| {
            let all = table.visible();
            all.map(|(_, text)| text.to_vec()).collect::<Vec<_>>()
        };
        if texts(&input.table) != texts(lts.table()) {
            return Err("other labels".into());
        }
        let initial = u64::from(lts.initial().get());
        if (&input.ranges, input.initial) != (ranges, initial) {
            return Err("workers differ".into());
        }
        let own = ranges.of(index);
        if input.rows.states() as u64 != own.end - own.start {
            return Err(format!("worker {index} has {} rows", input.rows.states()));
        }
        for (k, state) in own.enumerate() {
            let (labels, targets) = input.rows.row(k);
            let steps = labels.iter().copied().zip(targets.iter().copied());
            let found: Vec<(u32, u64)> = steps.collect();
            let state = hyades_formats::StateId::from_index(state as usize);
            let steps = lts.outgoing(state).map(|(l, t)| (l.get(), t.get().into()));
            let expected: Vec<(u32, u64)> = steps.collect();
            if found != expected {
                return Err(format!("state {state}: {found:?} instead of {expected:?}"));
            }
        }
    }
    match ranges.states() == lts.states() as u64 {
        true => Ok(()),
        false => Err("other states".into()),
    }
}

/// A line of a file, or what may be instead of one.
fn spoiled(line: &str, random: &mut Random) -> String {
    match random.between(0, 9) {
        0 => line.replace(',', ";"),
        1 => String::new(),
        2 => "\u{4}".into(),
        3 => "(0, tau, 0)".into(),
        4 => "(999999, \"far away\", 0)".into(),
        5 => format!("{line}\n{line}"),
        6 => format!("{line}\r"),
        7 => "(0, a b, 0)".into(),
        8 => "(0, \"i\u{1}\", 0)".into(),
        _ => "  \t".into(),
    }
}

#[test]
fn a_file_is_read_as_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.aut");
    let (refused, odd) = (Cell::new(0), Cell::new(0));
    check(40, 30, |lts, random| {
        let text = aut(lts);
        let mut lines: Vec<String> = text.lines().map(Into::into).collect();
        if random.chance(40) {
            for k in (2..lines.len()).rev() {
                lines.swap(k, random.between(1, k));
            }
        }
        for _ in 0..random.between(0, 4).saturating_sub(1) {
            let k = random.between(0, lines.len() - 1);
            if k > 0 || random.chance(20) {
                lines[k] = spoiled(&lines[k], random);
            }
        }
        let mut text = lines.join("\n");
        if random.chance(80) {
            text.push('\n');
        }
        fs::write(&path, &text).unwrap();
        let mut options = ReadOptions {
            mode: [Mode::Default, Mode::Strict, Mode::Lenient][random.between(0, 2)],
            grow: random.chance(30),
            chunk: [1, 50, 1 << 20][random.between(0, 2)],
            ..ReadOptions::default()
        };
        if random.chance(20) {
            options.hidden = vec![b"a".to_vec()];
        }
        let (expected, said) = by_one(&path, &options);
        let (found, told) = by_all(&path, &options, random);
        let show = |all: &[Diagnostic]| {
            let all = all.iter().map(|diagnostic| format!("{diagnostic}\n"));
            all.collect::<String>()
        };
        if show(&said) != show(&told) {
            return Err(format!(
                "{text}\nsaid:\n{}told:\n{}",
                show(&said),
                show(&told)
            ));
        }
        odd.set(odd.get() + usize::from(!said.is_empty()));
        match (expected, found) {
            (Ok(lts), Ok(inputs)) => have(&inputs, &lts).map_err(|e| format!("{e}:\n{text}")),
            (Err(one), Err(all)) if one == all => {
                refused.set(refused.get() + 1);
                Ok(())
            }
            (one, all) => Err(format!("{text}\n{one:?}\n{all:?}")),
        }
    });
    assert!(refused.get() > 50 && odd.get() > 100, "{refused:?} {odd:?}");
}

#[test]
fn a_mapped_file_is_read_as_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.aut");
    let mut random = Random::new(7);
    for is_sorted in [true, false] {
        let (states, transitions) = (5_000, 40_000);
        let mut text = format!("des (1, {transitions}, {states})\n");
        for k in 0..transitions {
            let source = match is_sorted {
                true => k * states / transitions,
                false => k * 7919 % states,
            };
            let target = k * 31 % states;
            text += &format!("({source}, \"A !{}\", {target})\n", k * k % 977);
        }
        fs::write(&path, &text).unwrap();
        let options = ReadOptions::default();
        let (lts, said) = by_one(&path, &options);
        for _ in 0..4 {
            let (inputs, told) = by_all(&path, &options, &mut random);
            assert_eq!(said, told);
            have(&inputs.unwrap(), lts.as_ref().unwrap()).unwrap();
        }
    }
}

#[test]
fn a_partitioned_lts_is_read_as_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let number = Cell::new(0);
    check(10, 40, |lts, random| {
        number.set(number.get() + 1);
        let path = folder.path().join(format!("{}.plts", number.get()));
        fs::create_dir(&path).unwrap();
        let mut files = Directory(path.clone());
        let announced = Announced {
            states: lts.states() as u64,
            labels: lts.table().len() as u64,
        };
        let limits = Limits {
            states: random.between(1, 5) as u32,
            ..Limits::default()
        };
        let mut writer = Writer::new(&mut files, announced, Codec::None, limits);
        for state in 0..lts.states() {
            if random.chance(20) {
                writer.end_part().unwrap();
            }
            let row = lts.outgoing(hyades_formats::StateId::from_index(state));
            let row = row.map(|(label, target)| (label.get(), target.get().into()));
            writer.state(row).unwrap();
        }
        let texts = lts.table().visible().map(|(_, text)| text);
        writer.finish(texts, lts.initial().get().into()).unwrap();
        let options = ReadOptions {
            hidden: match random.between(0, 1) {
                0 => Vec::new(),
                _ => vec![b"a".to_vec()],
            },
            ..ReadOptions::default()
        };
        let (expected, _) = by_one(&path, &options);
        let (found, _) = by_all(&path, &options, random);
        have(&found?, &expected?)
    });
}

#[test]
fn what_cannot_be_shared_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(3);
    let options = ReadOptions::default();
    let refused = |name: &str, bytes: &[u8], random: &mut Random| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let (read, _) = by_all(&path, &options, random);
        let error = read.map(|_| ()).unwrap_err();
        assert!(error.contains("transcode INPUT -o NAME.plts"), "{error}");
        error
    };
    let dot = refused("a.dot", b"digraph { 0 -> 1 [label=\"a\"]; }\n", &mut random);
    assert!(dot.contains("format dot"), "{dot}");
    let gzip = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x49, 0x2d, 0x56, 0xd0, 0x30, 0xd0,
    ];
    let path = folder.path().join("a.aut.gz");
    fs::write(&path, gzip).unwrap();
    assert!(by_all(&path, &options, &mut random).0.is_err());
    let device = Path::new("/dev/zero");
    if device.exists() {
        let (read, _) = by_all(device, &options, &mut random);
        assert!(read.map(|_| ()).unwrap_err().contains("cannot share"));
    }
    let missing = by_all(&folder.path().join("none.aut"), &options, &mut random);
    assert!(missing.0.is_err());
}

#[test]
fn labels_change_as_on_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.aut");
    fs::write(&path, aut(&lts(&[(0, "a", 1), (1, "b", 2), (2, "c", 0)]))).unwrap();
    let results = threads::run(3, 64, |worker| {
        let relabel = |table: hyades_formats::LabelTable| {
            let mut new = hyades_formats::LabelTable::new();
            let d = new.intern(b"d").map_err(|error| ReadError::TooLarge {
                file: "some.aut".into(),
                error,
            })?;
            // All but one become one, which is hidden.
            let map = (0..table.len() as u32).map(|label| match table.text(LabelId::new(label)) {
                b"b" => d.get(),
                _ => 0,
            });
            Ok((new, map.collect()))
        };
        let options = ReadOptions::default();
        let mut input = read(worker, &path, None, &options, &mut |_| ())?;
        input.relabel(&relabel)?;
        Ok::<_, Error>(input)
    });
    let inputs: Vec<Input> = results.into_iter().map(Result::unwrap).collect();
    let labels: Vec<u32> = inputs
        .iter()
        .flat_map(|one| one.rows.labels.clone())
        .collect();
    assert_eq!(labels, [0, 1, 0]);
    assert_eq!(inputs[2].table.len(), 2);
}

#[cfg(feature = "columns")]
mod tables {
    use hyades_formats::{Format, LtsBuilder, StateId, WriteOptions, write_lts};

    use super::*;

    fn write(lts: &Lts, path: &Path) {
        let mut bytes = Vec::new();
        let options = WriteOptions::default();
        write_lts(lts, Format::Parquet, &mut bytes, &options, &mut |_| ()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    #[test]
    fn a_table_is_read_as_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("some.parquet");
        check(6, 30, |lts, random| {
            write(lts, &path);
            let options = ReadOptions {
                hidden: match random.between(0, 1) {
                    0 => Vec::new(),
                    _ => vec![b"a".to_vec()],
                },
                ..ReadOptions::default()
            };
            let (expected, said) = by_one(&path, &options);
            let (found, told) = by_all(&path, &options, random);
            assert_eq!(said, told);
            have(&found?, &expected?)
        });
    }

    #[test]
    fn row_groups_go_to_several_workers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large.parquet");
        let mut random = Random::new(5);
        let states = 500_000;
        let mut builder = LtsBuilder::new(states);
        let labels: Vec<LabelId> = (0..50)
            .map(|k| {
                builder
                    .table_mut()
                    .intern(format!("A !{k}").as_bytes())
                    .unwrap()
            })
            .collect();
        for k in 0..2_300_000u64 {
            let (source, target) = (k * states / 2_300_000, k * 7919 % states);
            let label = labels[(k * k % 47) as usize];
            builder.add(
                StateId::new(source as u32),
                label,
                StateId::new(target as u32),
            );
        }
        let lts = builder.build(StateId::new(3)).unwrap();
        write(&lts, &path);
        let options = ReadOptions::default();
        let (expected, _) = by_one(&path, &options);
        for peers in [2, 3, 5] {
            let results = threads::run(peers, 1 << 16, |worker| {
                read(worker, &path, None, &options, &mut |_| ())
            });
            let inputs: Vec<Input> = results.into_iter().map(Result::unwrap).collect();
            have(&inputs, expected.as_ref().unwrap()).unwrap();
            let busy = inputs.iter().filter(|one| one.transitions() > 0).count();
            assert!(busy > 1, "{busy} of {peers} have transitions");
        }
        // A file that is cut off is refused by all.
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let (expected, said) = by_one(&path, &options);
        let (found, told) = by_all(&path, &options, &mut random);
        assert_eq!(said, told);
        assert_eq!(
            expected.map(|_| ()).unwrap_err(),
            found.map(|_| ()).unwrap_err()
        );
    }
}
