//! The BCG reader and writer: see the README.

use super::*;
use hyades_formats::*;

/// The sections of a file, each after its length in two bytes, put into a frame
/// that is in order: otherwise fuzzing would hardly get behind the header.
fn framed(mut data: &[u8], old: bool) -> Vec<u8> {
    let (minor, width) = if old { (0, 4) } else { (2, 8) };
    let mut file = vec![1, minor, 0];
    let mut at = 3 + 20 * width + 1;
    let mut sections: Vec<u8> = Vec::new();
    for _ in 0..10 {
        let len = match data {
            [high, low, rest @ ..] => {
                data = rest;
                usize::from(u16::from_be_bytes([*high, *low])).min(rest.len())
            }
            _ => 0,
        };
        let (section, rest) = data.split_at(len);
        data = rest;
        for offset in [at, at + len] {
            file.extend(&(offset as u64).to_be_bytes()[8 - width..]);
        }
        at += len;
        sections.extend(section);
    }
    file.push(0);
    file.extend(sections);
    file
}

fn read(bytes: &[u8], mode: Mode) -> (Option<Lts>, usize) {
    let options = ReadOptions {
        mode,
        ..ReadOptions::default()
    };
    let mut errors = 0;
    let Some(source) = source(Format::Bcg, bytes, false) else {
        return (None, errors);
    };
    let lts = read_lts(source, &options, &mut |d| {
        errors += usize::from(d.severity > Severity::Note);
    });
    (lts.ok(), errors)
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let (bits, file) = match data {
        [1, 0 | 2, 0, ..] => (data.len() as u8, data.to_vec()),
        [bits, sections @ ..] => (*bits, framed(sections, bits & 2 != 0)),
        [] => return,
    };
    let mode = [Mode::Default, Mode::Lenient][usize::from(bits & 1)];
    let (Some(lts), _) = read(&file, mode) else {
        return;
    };
    assert!(lts.offsets().iter().is_sorted());
    assert!(lts.targets().iter().all(|t| t.index() < lts.states()));
    assert!(lts.labels().iter().all(|l| l.index() < lts.table().len()));
    let mut options = WriteOptions::default();
    options.bcg.parse_labels = bits & 4 != 0;
    if let Some(once) = written(&lts, Format::Bcg, &options) {
        let (again, complaints) = read(&once, Mode::Default);
        let again = again.expect("what is written can be read");
        assert_eq!(complaints, 0);
        assert_eq!(again.states(), lts.states());
        assert_eq!(again.transitions(), lts.transitions());
        assert_eq!(written(&again, Format::Bcg, &options), Some(once));
    }
    options.bcg.keep_order = true;
    if let Some(kept) = written(&lts, Format::Bcg, &options).filter(|_| lts.initial().get() == 0) {
        let (again, complaints) = read(&kept, Mode::Default);
        let again = again.expect("what is written can be read");
        assert_eq!(complaints, 0);
        assert_eq!(transitions(&again), transitions(&lts));
    }
}
