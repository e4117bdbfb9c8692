//! The structure of labels: see the README.

use hyades_formats::label::*;
use hyades_formats::mealy::MealySyntax;

/// Checks one input.
pub fn check(text: &[u8]) {
    let (gate, rest) = split_gate(text);
    assert_eq!([gate, rest].concat(), text);
    let _ = parse(text);
    for syntax in [Syntax::Plain, Syntax::Lotos, Syntax::Call, Syntax::Dotted] {
        if let Ok(label) = parse_as(text, syntax) {
            let normal = label.to_bytes();
            assert_eq!(parse_as(&normal, syntax).as_ref(), Ok(&label));
        }
    }
    for keep_blanks in [false, true] {
        let syntax = MealySyntax {
            keep_blanks,
            ..MealySyntax::default()
        };
        for (input, output) in syntax.split(text).unwrap_or_default() {
            if let Ok(label) = syntax.join(&input, &output) {
                assert_eq!(syntax.split(&label), Ok(vec![(input, output)]));
            }
        }
    }
}
