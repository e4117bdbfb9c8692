//! Texts in pictures: how much room they take, and how they are written in XML.

use std::borrow::Cow;

use unicode_width::UnicodeWidthChar;

use crate::graph::Size;

/// The size of the letters, which are those of a typewriter: all of one width, so that a
/// text takes the room that it was given wherever the picture is shown.
pub const LETTERS: f64 = 11.0;
/// The height of a line.
pub const LINE: f64 = 13.0;
/// How wide a letter is.
const LETTER: f64 = LETTERS * 0.605;
/// How wide a text is at most before it is broken into lines, in letters.
const MOST_COLUMNS: usize = 24;
/// In how many lines a text is shown at most.
const MOST_LINES: usize = 3;

/// How much room lines of text take.
pub fn size<'a>(lines: impl IntoIterator<Item = &'a str>) -> Size {
    let mut size = Size::default();
    for line in lines {
        size.width = size.width.max(columns(line) as f64 * LETTER);
        size.height += LINE;
    }
    size
}

/// A text in lines that are not too wide: broken at spaces where there are some. What has
/// no room in `MOST_LINES` lines is left out, and `…` tells so.
pub fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let indent = if lines.is_empty() { "" } else { INDENT };
        let room = MOST_COLUMNS - indent.chars().count();
        if columns(rest) <= room {
            lines.push(format!("{indent}{rest}"));
            return lines;
        }
        if lines.len() + 1 == MOST_LINES {
            lines.push(format!("{indent}{}…", &rest[..fitting(rest, room - 1)]));
            return lines;
        }
        let end = fitting(rest, room);
        // A line of a few letters says less than a word that is cut.
        let space = rest[..end].rfind(' ').filter(|&at| at * 3 > end);
        let (line, after) = match space {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => rest.split_at(end),
        };
        lines.push(format!("{indent}{line}"));
        rest = after;
    }
}

/// How a line of a text begins that is not its first one: no-break spaces, which SVG keeps.
const INDENT: &str = "\u{a0}\u{a0}";

/// A text of so many columns at most: of a longer one the middle is left out, and `…` tells
/// so.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if columns(text) <= most {
        return Cow::Borrowed(text);
    }
    let room = most.saturating_sub(1);
    let head = &text[..fitting(text, room / 2)];
    let mut tail = text.len();
    let mut taken = columns(head);
    for (at, c) in text.char_indices().rev() {
        taken += c.width().unwrap_or(1);
        if taken > room {
            break;
        }
        tail = at;
    }
    Cow::Owned(format!("{head}…{}", &text[tail..]))
}

/// How many bytes of a text fit into some columns; at least one letter.
fn fitting(text: &str, room: usize) -> usize {
    let mut taken = 0;
    let mut letters = text.char_indices();
    let beyond = letters.find(|&(at, c)| {
        taken += c.width().unwrap_or(1);
        at > 0 && taken > room
    });
    beyond.map_or(text.len(), |(at, _)| at)
}

fn columns(text: &str) -> usize {
    text.chars().map(|c| c.width().unwrap_or(1)).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_texts_are_broken_at_spaces() {
        assert_eq!(wrapped("GET !1"), ["GET !1"]);
        assert_eq!(wrapped(""), [""]);
        let label = "RECV !DATA !PACKET (7, TRUE) !ACK";
        assert_eq!(
            wrapped(label),
            ["RECV !DATA !PACKET (7,", "\u{a0}\u{a0}TRUE) !ACK"]
        );
        let lines = wrapped(&"x".repeat(100));
        assert_eq!(lines.len(), MOST_LINES);
        assert!(lines[2].ends_with('…'));
    }

    proptest! {
        #[test]
        fn of_long_texts_the_middle_is_left_out(text in "[a-c é日]{0,40}", most in 1..40usize) {
            let short = shortened(&text, most);
            if columns(&text) <= most {
                prop_assert_eq!(&*short, &*text);
            } else {
                prop_assert!(columns(&short) <= most.max(3), "{short}");
                let (head, tail) = short.split_once('…').unwrap();
                prop_assert!(text.starts_with(head) && text.ends_with(tail), "{short}");
                // No letter more had room, but for those of two columns.
                prop_assert!(columns(&short) + 2 >= most, "{short}");
            }
        }

        #[test]
        fn lines_are_narrow_and_say_the_text(text in "[a-c é日 ]{0,90}") {
            let lines = wrapped(&text);
            prop_assert!(!lines.is_empty() && lines.len() <= MOST_LINES);
            prop_assert!(lines.iter().all(|line| columns(line) <= MOST_COLUMNS));
            let letters = |text: &str| text.replace([' ', '\u{a0}'], "");
            let said = letters(&lines.concat());
            match said.strip_suffix('…') {
                Some(begin) => prop_assert!(letters(&text).starts_with(begin)),
                None => prop_assert_eq!(said, letters(&text)),
            }
        }
    }
}
