//! Texts in pictures: how much room they take, and how they are written in XML.

use unicode_width::UnicodeWidthChar;

use crate::graph::Size;

/// The size of the letters, which are those of a typewriter: all of one width, so that a
/// text takes the room that it was given wherever the picture is shown.
pub const LETTERS: f64 = 11.0;
/// The height of a line.
pub const LINE: f64 = 13.0;
/// How wide a letter is.
const LETTER: f64 = LETTERS * 0.605;
/// How many letters of a text are shown at most.
pub const MOST_LETTERS: usize = 40;

/// How much room lines of text take.
pub fn size<'a>(lines: impl IntoIterator<Item = &'a str>) -> Size {
    let mut size = Size::default();
    for line in lines {
        let columns: usize = line.chars().map(|c| c.width().unwrap_or(1)).sum();
        size.width = size.width.max(columns as f64 * LETTER);
        size.height += LINE;
    }
    size
}

/// A text, or its beginning and `…` if it is long.
pub fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        None => text.to_owned(),
        Some(_) => text.chars().take(MOST_LETTERS - 1).chain(['…']).collect(),
    }
}

/// A text for XML, between tags or in an attribute: what means something there is
/// written as an entity, and what XML has no place for becomes U+FFFD.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
