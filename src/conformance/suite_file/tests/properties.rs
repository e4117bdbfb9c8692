//! What is written is read back, and any bytes are a suite or a mistake.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// Symbols with all that means something in a form.
fn symbol() -> impl Strategy<Value = Vec<u8>> {
    const BYTES: [&[u8]; 2] = [b"\xff", b"\xe2\x82"];
    const PIECES: [&str; 22] = [
        "\"", "\\", " ", "\t", "\n", "\r", "#", "=>", "{", "}", "(", ")", ".", "/", "\u{feff}",
        "a", "0", "xFF", "ä", "\0", "\x7f", "\u{2028}",
    ];
    let piece = prop_oneof![
        20 => prop::sample::select(&PIECES).prop_map(|text| text.as_bytes()),
        1 => prop::sample::select(&BYTES),
    ];
    prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(
        inputs in prop::collection::btree_set(symbol(), 1..5),
        outputs in prop::collection::btree_set(symbol(), 1..4),
        tests in prop::collection::vec(prop::collection::vec(0u32..5, 0..5), 0..6),
        seed in any::<u64>(),
        expected in any::<bool>(),
    ) {
        let slices = |set: &BTreeSet<Vec<u8>>| -> Vec<Vec<u8>> {
            set.iter().cloned().collect()
        };
        let (inputs, outputs) = (slices(&inputs), slices(&outputs));
        let inputs: Vec<&[u8]> = inputs.iter().map(|s| &s[..]).collect();
        let outputs: Vec<&[u8]> = outputs.iter().map(|s| &s[..]).collect();
        let machine = machine(&inputs, &outputs, seed);
        let clip = |k: &u32| InputId::new(k % machine.inputs() as u32);
        let words: Vec<Vec<InputId>> =
            tests.iter().map(|test| test.iter().map(clip).collect()).collect();
        for form in FORMS {
            let symbols = match expected {
                true => WrittenSymbols::InputsAndOutputs,
                false => WrittenSymbols::Inputs,
            };
            let Ok(mut writer) = SuiteWriter::new(&machine, form, symbols) else {
                prop_assert!(form != SuiteForm::Text);
                continue;
            };
            let mut text = Vec::new();
            for word in &words {
                writer.write(&mut text, word).unwrap();
            }
            // Blank lines tell no form.
            let told = words.first().is_none_or(|word| !word.is_empty());
            let forms = if told { vec![None, Some(form)] } else { vec![Some(form)] };
            for form in forms {
                let read = tests_of(&text, form).unwrap();
                prop_assert_eq!(read.len(), words.len());
                for (test, word) in read.iter().zip(&words) {
                    let mut again = Vec::new();
                    test.word(&machine, &mut again).unwrap();
                    prop_assert_eq!(&again, word);
                    prop_assert_eq!(test.doubt(&machine, word), None);
                    let has_outputs = expected || text.starts_with(b"(") && !word.is_empty();
                    prop_assert!(!has_outputs || test.outputs().is_some());
                }
            }
        }
    }

    #[test]
    fn any_bytes_are_a_suite_or_a_mistake(
        pieces in prop::collection::vec(prop_oneof![
            symbol(),
            Just(b"{\"in\":[".to_vec()), Just(b"]".to_vec()), Just(b",\"out\":".to_vec()),
            prop::collection::vec(any::<u8>(), 0..4),
        ], 0..12),
    ) {
        let text = pieces.concat();
        for form in [None, Some(SuiteForm::Text), Some(SuiteForm::JsonLines), Some(SuiteForm::Pairs)] {
            let mut reader = SuiteReader::new(&text[..], form);
            let mut rounds = 0;
            loop {
                match reader.next_test() {
                    Ok(None) => break,
                    Ok(Some(test)) => {
                        let outputs = test.outputs().map(Symbols::len);
                        prop_assert!(outputs.is_none_or(|n| n == test.inputs().len()));
                    }
                    Err(SuiteError::Line(d)) => {
                        // The place is one of the text.
                        let at = d.position.unwrap();
                        let line = text.split(|&b| b == b'\n').nth(at.line as usize - 1).unwrap();
                        prop_assert!(at.column as usize <= line.len() + 1, "{}", d);
                    }
                    Err(error) => panic!("{error}"),
                }
                rounds += 1;
                prop_assert!(rounds <= text.len() + 1);
            }
        }
    }
}
