//! The reader and the writer of partitioned LTSs: see the README.

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use super::*;
use hyades_formats::options::Codec;
use hyades_formats::plts::{self, Block, Directory, MANIFEST, Parts};
use hyades_formats::*;
use serde_json::Value;
use twox_hash::XxHash3_128;

/// The sections of an input, each after its length in two bytes: the manifest, the labels,
/// the parts.
fn sections(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut sections = Vec::new();
    while let [high, low, rest @ ..] = data {
        let len = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
        sections.push(rest[..len].to_vec());
        data = &rest[len..];
    }
    sections
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(8)?)?;
    usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
}

/// Gives a part the sums that its blocks and its index have, as far as they are found:
/// otherwise fuzzing would hardly get behind them.
fn seal_part(part: &mut [u8]) -> Option<()> {
    let foot = part.len().checked_sub(24)?;
    let (index, entries) = (number(part, foot)?, number(part, foot + 8)?);
    for entry in 0..entries.min(100) {
        let Some(block) = number(part, index.checked_add(24 * entry + 16)?) else {
            break;
        };
        let Some(length) = block.checked_add(16).and_then(|at| number(part, at)) else {
            continue;
        };
        let end = (block + 28).checked_add(length);
        if let Some(body) = end.and_then(|end| part.get(block + 28..end)) {
            let sum = crc32c::crc32c(body);
            part[block + 24..block + 28].copy_from_slice(&sum.to_le_bytes());
        }
    }
    let sum = crc32c::crc32c(part.get(index..foot + 16)?);
    part[foot + 16..foot + 20].copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn hex(bytes: &[u8]) -> String {
    format!("{:032x}", XxHash3_128::oneshot(bytes))
}

/// Gives a manifest the sizes and sums of the files, and its own.
fn seal_manifest(text: &[u8], files: &[Vec<u8>]) -> Option<Vec<u8>> {
    let mut manifest: Value = serde_json::from_slice(text).ok()?;
    let (labels, parts) = files.split_first()?;
    let seal = |told: &mut Value, bytes: &[u8]| {
        if let Some(told) = told.as_object_mut() {
            told.insert("bytes".into(), bytes.len().into());
            told.insert("xxh3_128".into(), hex(bytes).into());
        }
    };
    seal(manifest.get_mut("labels")?, labels);
    let told = manifest.get_mut("parts")?.as_array_mut()?;
    for (told, part) in told.iter_mut().zip(parts) {
        seal(told, part);
    }
    let object = manifest.as_object_mut()?;
    object.shift_remove("run");
    object.insert("run".into(), "0".repeat(16).into());
    let text = serde_json::to_string_pretty(&manifest).ok()?;
    let run = &hex(text.as_bytes())[..16];
    let (before, after) = text.rsplit_once(&"0".repeat(16))?;
    Some(format!("{before}{run}{after}").into_bytes())
}

/// All transitions as the blocks have them, one after the other.
fn streamed(folder: &Path) -> Result<Vec<(u64, Vec<u8>, u64)>, ReadError> {
    let parts = Parts::open(folder)?;
    let table = parts.labels()?;
    let (mut blocks, mut block) = (parts.blocks(), Block::default());
    let mut all = Vec::new();
    while blocks.next_into(&mut block)? {
        all.extend(block.iter().map(|(source, label, target)| {
            let text = table.text(LabelId::new(label)).to_vec();
            (source, text, target)
        }));
    }
    Ok(all)
}

fn read(folder: &Path) -> (Option<Lts>, String) {
    let mut told = String::new();
    let source = Source::open(folder, None);
    let lts = source.and_then(|source| {
        read_lts(source, &ReadOptions::default(), &mut |d| {
            told += &format!("{d}\n");
        })
    });
    match lts {
        Ok(lts) => (Some(lts), told),
        Err(error) => (None, told + &error.to_string()),
    }
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, data)) = data.split_first() else {
        return;
    };
    let mut files = sections(data);
    if files.is_empty() {
        return;
    }
    let manifest = files.remove(0);
    for part in files.iter_mut().skip(1) {
        seal_part(part);
    }
    let manifest = match bits & 1 {
        0 => seal_manifest(&manifest, &files).unwrap_or(manifest),
        _ => manifest,
    };
    let folder = tempfile::tempdir().expect("a directory for the input");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(folder.path().join(name), bytes).expect("room for the input");
    };
    write(MANIFEST, &manifest);
    for (number, bytes) in files.iter().enumerate() {
        match number {
            0 => write("labels", bytes),
            _ => write(&plts::part_name(number - 1), bytes),
        }
    }
    let (lts, told) = read(folder.path());
    let streamed = streamed(folder.path());
    assert_eq!(lts.is_some(), streamed.is_ok(), "{told}");
    let Some(lts) = lts else {
        assert!(!told.is_empty());
        return;
    };
    let whole = transitions(&lts)
        .into_iter()
        .map(|(source, _, text, target)| (u64::from(source), text.to_vec(), u64::from(target)));
    assert!(streamed.is_ok_and(|all| whole.eq(all)));
    let mut options = WriteOptions {
        parts: NonZeroU32::new(if bits & 2 != 0 { 3 } else { 0 }),
        ..WriteOptions::default()
    };
    options.columns.codec = Some([Codec::None, Codec::Zstd][usize::from(bits >> 2 & 1)]);
    let again = tempfile::tempdir().expect("a directory for what is written");
    let mut directory = Directory(again.path().to_owned());
    plts::write(&lts, &mut directory, &options, &mut |_| ()).expect("what is read can be written");
    let (again, told) = read(again.path());
    assert_same(&again.unwrap_or_else(|| panic!("{told}")), &lts);
}
