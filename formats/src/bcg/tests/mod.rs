//! What is read and written, against samples, against definitions, and against
//! each other.

mod damage;
mod edges;
mod hand_made;
mod labels;
mod properties;
mod samples;

use super::edges::Parameters;
use super::layout::{self, SECTIONS};
use super::write::all_sections;
use super::{Inspection, values};
use crate::diagnostic::{Diagnostic, Severity};
use crate::format::Format;
use crate::lts::{LabelId, Lts, LtsBuilder, StateId};
use crate::options::{Mode, ReadOptions, WriteOptions};
use crate::source::Source;
use crate::write_lts;

/// What reading came to: the LTS if there is one, and diagnostics but notes.
fn read_as(bytes: &[u8], options: &ReadOptions) -> (Option<(Lts, Inspection)>, Vec<Diagnostic>) {
    let source = Source::from_bytes("f", bytes.to_vec(), Some(Format::Bcg)).unwrap();
    let mut seen = Vec::new();
    let read = super::read_inspected(source, options, &mut |d| seen.push(d));
    seen.retain(|d| d.severity > Severity::Note);
    let errors = seen.iter().filter(|d| d.severity == Severity::Error);
    assert_eq!(errors.count() > 0, read.is_err());
    (read.ok(), seen)
}

/// An LTS that is read without a word.
#[track_caller]
fn read(bytes: &[u8]) -> (Lts, Inspection) {
    let (read, seen) = read_as(bytes, &ReadOptions::default());
    assert_eq!(seen, []);
    read.unwrap()
}

/// The code of the one error, which says `text`; the same is a warning with
/// `--lenient`, and the LTS is read.
#[track_caller]
fn doubted(bytes: &[u8], code: &str, text: &str) -> Lts {
    refused(bytes, code, text);
    let (read, seen) = read_as(
        bytes,
        &ReadOptions {
            mode: Mode::Lenient,
            ..ReadOptions::default()
        },
    );
    assert_eq!((seen[0].code, seen.len()), (code, 1), "{seen:?}");
    assert!(seen[0].text.contains(text), "{}", seen[0].text);
    read.unwrap().0
}

/// There is one error, of this code, and it says this.
#[track_caller]
fn refused(bytes: &[u8], code: &str, text: &str) {
    let (read, seen) = read_as(bytes, &ReadOptions::default());
    assert!(read.is_none(), "{text}");
    assert_eq!((seen[0].code, seen.len()), (code, 1), "{seen:?}");
    assert!(seen[0].text.contains(text), "{}", seen[0].text);
}

#[track_caller]
fn written(lts: &Lts, options: &WriteOptions) -> Vec<u8> {
    let mut out = Vec::new();
    write_lts(lts, Format::Bcg, &mut out, options, &mut |d| panic!("{d}")).unwrap();
    out
}

/// Transitions, the hidden action shown as nothing.
fn transitions(lts: &Lts) -> Vec<(u32, Option<&[u8]>, u32)> {
    lts.iter()
        .map(|(s, l, t)| {
            let text = (!l.is_hidden()).then(|| lts.table().text(l));
            (s.get(), text, t.get())
        })
        .collect()
}

/// An LTS from texts, where `i` is hidden.
fn lts(states: u64, initial: u32, transitions: &[(u32, &str, u32)]) -> Lts {
    let mut lts = LtsBuilder::new(states);
    for &(source, label, target) in transitions {
        let label = match label {
            "i" => LabelId::HIDDEN,
            _ => lts.table_mut().intern(label.as_bytes()).unwrap(),
        };
        lts.add(StateId::new(source), label, StateId::new(target));
    }
    lts.build(StateId::new(initial)).unwrap()
}

/// A file with these edges and labels.
fn file(edges: Vec<u8>, labels: &[&str], states: u64) -> Vec<u8> {
    let labels: Vec<_> = labels
        .iter()
        .map(|text| values::unparsed(text.as_bytes()))
        .collect();
    with_sections(&all_sections(edges, &labels, states))
}

/// A file with these sections.
fn with_sections(sections: &[Vec<u8>; SECTIONS]) -> Vec<u8> {
    let mut out = Vec::new();
    layout::write(&mut out, b"by hand", sections, layout::ORDER).unwrap();
    out
}

/// The sections of a file.
fn sections_of(bytes: &[u8]) -> [Vec<u8>; SECTIONS] {
    let sections = read(bytes).1.sections;
    sections.map(|section| bytes[section.start as usize..section.end as usize].to_vec())
}

/// An edge section by the letter, with the number of edges in so many bits: the
/// naive twin of the encoder.
fn naive_edges(
    parameters: Parameters,
    count_bits: u32,
    states: u32,
    edges: &[(u32, u32, u32)],
) -> Vec<u8> {
    use super::bits::{BitWriter, vint};
    let Parameters {
        register_bits: rb,
        short_bits: sb,
        medium_bits: mb,
    } = parameters;
    let mut out = BitWriter::after(vec![2]);
    match count_bits {
        48 => out.push(0b1111 << 44 | edges.len() as u64, 48),
        _ => out.push(0b1110 << 28 | edges.len() as u64, 32),
    }
    for parameter in [rb, sb, mb] {
        out.push(parameter.into(), 8);
    }
    let (m1, h) = ((1i64 << (sb - 1)) - 1, 1i64 << (mb - 1));
    let m2 = m1 + h - 1;
    let registers = 1usize << rb;
    let mut contents = vec![0u32; registers];
    let mut ages = vec![0; registers];
    let (mut current, mut explicit) = (-1, false);
    for (number, &(source, label, target)) in edges.iter().enumerate() {
        while current < i64::from(source) {
            current += 1;
            explicit = false;
            if current < i64::from(source) || label == 0 {
                out.push(0b10, 2);
            } else {
                explicit = true;
                out.push(0b110, 3);
            }
        }
        if label != 0 && !explicit {
            explicit = true;
            out.push(0b111, 3);
        }
        let distance = |r: usize| i64::from(target) - i64::from(contents[r]) - 1;
        let base = (0..registers).min_by_key(|&r| distance(r).abs()).unwrap();
        let d = distance(base);
        out.push(0, 1);
        out.push(base as u64, rb.into());
        let ones = |n: u8| (1u64 << n) - 1;
        let mut receiver = base;
        if d.abs() <= m1 {
            out.push((d + m1) as u64, sb.into());
        } else if d.abs() <= m2 {
            out.push(ones(sb), sb.into());
            let code = if d > 0 { d - m1 } else { -d - m1 + h - 1 };
            out.push(code as u64, mb.into());
        } else {
            out.push(ones(sb), sb.into());
            out.push(if d > 0 { 0 } else { ones(mb) }, mb.into());
            let (code, len) = vint((d.abs() - m2) as u64);
            out.push(code, len);
            let oldest = ages.iter().min().unwrap();
            receiver = ages.iter().position(|age| age == oldest).unwrap();
        }
        if explicit {
            let (code, len) = vint(label.into());
            out.push(code, len);
        }
        contents[receiver] = target;
        ages[receiver] = number;
    }
    for _ in current..i64::from(states) {
        out.push(0b10, 2);
    }
    out.finish()
}
