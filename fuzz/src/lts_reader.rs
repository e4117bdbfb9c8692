//! The `.lts` reader and writer: see the README.

use super::*;
use hyades_formats::*;

/// States beyond this take more memory than time is worth. They are found by
/// what reading tells, so that only the amount of memory is at stake.
const MOST_STATES: usize = 1 << 20;

/// The texts of all vectors, if there are any.
fn described(lts: &Lts) -> Vec<Vec<Vec<&[u8]>>> {
    let Some(known) = lts.state_labels() else {
        return Vec::new();
    };
    let text = |(k, &v): (usize, &u32)| known.text(k, v);
    (0..known.states())
        .map(|s| {
            known
                .vectors(s)
                .map(|vector| vector.iter().enumerate().map(text).collect())
                .collect()
        })
        .collect()
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, body)) = data.split_first() else {
        return;
    };
    let options = ReadOptions {
        mode: [Mode::Default, Mode::Lenient][usize::from(bits & 1)],
        hidden: match bits & 2 {
            0 => Vec::new(),
            _ => vec![b"a".to_vec()],
        },
        max_line: 1 << 12,
        ..ReadOptions::default()
    };
    // a header, so that not every mutation of it has to be tried
    let version: &[u8] = if bits & 4 == 0 {
        b"\x83\x08"
    } else {
        b"\x83\x07"
    };
    let bytes = [b"\x00\x8b\xaf", version, body].concat();
    let (Some(lts), _) = read(Format::Lts, &bytes, false, &options) else {
        return;
    };
    if lts.states() > MOST_STATES {
        return;
    }
    let write = WriteOptions {
        visible_i: Some(b"visible tau".to_vec()),
        canonical: bits & 8 != 0,
        ..WriteOptions::default()
    };
    let Some(out) = written(&lts, Format::Lts, &write) else {
        return;
    };
    let again = read_again(Format::Lts, &out);
    if write.canonical {
        let twice = written(&again, Format::Lts, &write).expect("as before");
        assert_eq!(out, twice);
    } else if !lts.iter().any(|(s, _, t)| [s, t].contains(&lts.initial())) {
        // it has changed places with state 0
        let sizes = |lts: &Lts| (lts.states(), lts.transitions());
        assert_eq!((sizes(&again), again.initial().get()), (sizes(&lts), 0));
        let twice = written(&again, Format::Lts, &write).expect("as before");
        assert_same(&read_again(Format::Lts, &twice), &again);
    } else if lts.table().find(b"tau").is_none() {
        assert_same(&again, &lts);
        let described = (described(&lts), described(&again));
        let any = |d: &Vec<Vec<Vec<&[u8]>>>| d.iter().any(|vectors| !vectors.is_empty());
        assert!(described.0 == described.1 || !any(&described.0) && !any(&described.1));
    }
}
