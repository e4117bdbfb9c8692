//! The KISS2 reader and writer: see the README.

use std::collections::BTreeSet;

use super::*;
use hyades_formats::mealy::ReadMealy;
use hyades_formats::*;

/// The transitions, by names of states and with labels as texts.
fn by_names(lts: &Lts) -> BTreeSet<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let name = |state: StateId| match lts.state_labels() {
        None => format!("s{state}").into_bytes(),
        Some(labels) => {
            let vector = labels.vectors(state.index()).next().expect("a name");
            labels.text(0, vector[0]).to_vec()
        }
    };
    lts.iter()
        .map(|(s, l, t)| (name(s), lts.table().text(l).to_vec(), name(t)))
        .collect()
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    let dashes = text.iter().filter(|&&b| b == b'-').count();
    if dashes > 40 || is_compressed(text) {
        return;
    }
    let modes = [Mode::Default, Mode::Strict, Mode::Lenient, Mode::Default];
    let options = ReadOptions {
        mode: modes[usize::from(bits & 3)],
        mealy: (bits & 4 != 0).then(ReadMealy::default),
        ..ReadOptions::default()
    };
    let Some(lts) = read_or_error(Format::Kiss2, text, &options) else {
        return;
    };
    let Some(out) = written(&lts, Format::Kiss2, &WriteOptions::default()) else {
        return;
    };
    let again = read_again(Format::Kiss2, &out);
    assert_eq!(by_names(&again), by_names(&lts));
    assert_eq!(again.transitions(), lts.transitions());
}
