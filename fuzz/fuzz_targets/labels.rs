//! The structure of labels: see the README.
#![no_main]

use hyades_formats::label::*;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let (gate, rest) = split_gate(text);
    assert_eq!([gate, rest].concat(), text);
    let _ = parse(text);
    for syntax in [Syntax::Plain, Syntax::Lotos, Syntax::Call, Syntax::Dotted] {
        if let Ok(label) = parse_as(text, syntax) {
            let normal = label.to_bytes();
            assert_eq!(parse_as(&normal, syntax).as_ref(), Ok(&label));
        }
    }
    if let Ok(pairs) = split_mealy(text) {
        for (input, output) in pairs {
            if let Ok(label) = join_mealy(&input, &output) {
                assert_eq!(split_mealy(&label), Ok(vec![(input, output)]));
            }
        }
    }
});
