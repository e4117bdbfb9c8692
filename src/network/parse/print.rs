//! The text of a network from its tokens.

use hyades_formats::label::quoted;

use super::super::lex::Kind;

/// About so many columns go to a line.
const COLUMNS: usize = 90;

/// A text that reads as these tokens do.
pub(super) fn tokens(tokens: &[Kind]) -> Vec<u8> {
    let (mut text, mut begin) = (Vec::new(), 0);
    for (at, kind) in tokens.iter().enumerate() {
        let word = token(kind);
        match text.len() - begin + word.len() {
            _ if at == 0 => {}
            ..COLUMNS => text.push(b' '),
            _ => {
                text.push(b'\n');
                begin = text.len();
            }
        }
        text.extend(word);
    }
    text.push(b'\n');
    text
}

fn token(kind: &Kind) -> Vec<u8> {
    match kind {
        Kind::Name(text) | Kind::File(text) | Kind::Number(text) => text.clone(),
        Kind::Quoted(text) => quoted(text),
        Kind::Word(text) | Kind::Symbol(text) => text.as_bytes().to_vec(),
        Kind::Blanks(count) => vec!["_"; *count].join(" * ").into_bytes(),
        Kind::End => Vec::new(),
    }
}
