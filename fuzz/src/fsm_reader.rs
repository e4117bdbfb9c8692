//! The FSM reader and writer: see the README.

use super::*;
use hyades_formats::fsm::{LabelColumns, ReadFsm, WriteFsm};
use hyades_formats::*;

fn read(text: &[u8], label_columns: Option<LabelColumns>) -> Option<Lts> {
    let options = ReadOptions {
        fsm: ReadFsm { label_columns },
        ..ReadOptions::default()
    };
    read_or_error(Format::Fsm, text, &options)
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((&bits, text)) = data.split_first() else {
        return;
    };
    if is_huge(text) || is_compressed(text) {
        return;
    }
    let columns = [
        None,
        Some(LabelColumns::Join),
        Some(LabelColumns::First),
        Some(LabelColumns::Io),
    ];
    let Some(lts) = read(text, columns[usize::from(bits & 3)]) else {
        return;
    };
    let options = WriteOptions {
        fsm: WriteFsm {
            initial_section: true,
        },
        ..WriteOptions::default()
    };
    let mut out = Vec::new();
    let mut lossy = false;
    let written = write_lts(&lts, Format::Fsm, &mut out, &options, &mut |d| {
        lossy |= matches!(d.code, "fsm-lost-states" | "fsm-state-labels");
    });
    if written.is_err() {
        // a quote cannot be read, nor can a newline
        let texts = lts.table().visible();
        assert!(texts.into_iter().any(|(_, text)| text == b"tau"));
        return;
    }
    let again = read(&out, None).expect("what is written can be read");
    assert_eq!(again.initial(), lts.initial());
    assert_eq!(transitions(&again), transitions(&lts));
    if !lossy {
        assert_eq!(again.states(), lts.states());
        assert_eq!(again.state_labels(), lts.state_labels());
    }
}
