//! The line of a text that an error is about, with a caret under the column, for people
//! at a terminal.
//!
//! Only texts that the user has named are shown. Of a file that another file names,
//! whoever wrote that one need not be allowed to see a line.

use std::fmt::Write;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use hyades_formats::diagnostic::{is_unprintable, printable_path};
use hyades_formats::{Format, Position, Source};
use unicode_width::UnicodeWidthChar;

use super::escape::printable_line;

/// A text that lines may be shown of.
struct Text {
    /// What messages call it.
    name: String,
    content: Content,
}

enum Content {
    /// It can be read again, if it is a regular file.
    File(PathBuf),
    Bytes(Vec<u8>),
}

/// Texts of this process, and how many bytes may still be read to find lines in them.
struct Known {
    texts: Vec<Text>,
    budget: u64,
}

static KNOWN: Mutex<Known> = Mutex::new(Known {
    texts: Vec::new(),
    budget: 256 << 20,
});

/// No text that is kept for its lines is longer.
const MOST_KEPT: usize = 1 << 20;

/// How wide an excerpt is.
const WIDTH: usize = 80;

/// So many bytes before and behind a place are more than there is room for.
const NEAR: u64 = 1 << 10;

/// The user has named a file: its lines may be shown.
pub(super) fn know_file(path: &Path) {
    if path != Path::new("-") {
        know(printable_path(path), || Content::File(path.to_owned()));
    }
}

/// The user has given a text that cannot be read again.
pub(super) fn know_text(name: &str, text: &[u8]) {
    if text.len() <= MOST_KEPT {
        know(name.to_owned(), || Content::Bytes(text.to_vec()));
    }
}

fn know(name: String, content: impl FnOnce() -> Content) {
    if io::stderr().is_terminal() {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let content = content();
        known.texts.push(Text { name, content });
    }
}

/// What to show below a message about a place in this text; nothing if standard error
/// is no terminal, or the text is not at hand.
pub(super) fn excerpt(name: &str, at: Position) -> Option<String> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Known { texts, budget } = &mut *known;
    let text = texts.iter().rev().find(|text| text.name == name)?;
    let line = match &text.content {
        Content::Bytes(bytes) => Line::find(&bytes[..], at, budget),
        Content::File(path) => {
            // As a text: what it is does not matter here.
            let source = Source::open_named(path, Some(Format::Aut)).ok()?;
            Line::find(source.into_reader(), at, budget)
        }
    };
    Some(line.ok()??.show(at))
}

/// The same of a message that begins with a place: `FILE:LINE:COLUMN: `.
pub(super) fn excerpt_of(message: &str) -> Option<String> {
    let is_place = |name: &String| {
        let (line, rest) = message
            .strip_prefix(&**name)?
            .strip_prefix(':')?
            .split_once(':')?;
        let (column, _) = rest.split_once(": ")?;
        Some(Position::new(line.parse().ok()?, column.parse().ok()?))
    };
    let names: Vec<String> = {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.texts.iter().map(|text| text.name.clone()).collect()
    };
    let found = names.iter().find_map(|name| Some((name, is_place(name)?)));
    found.and_then(|(name, at)| excerpt(name, at))
}

/// The bytes of a line around a place.
struct Line {
    bytes: Vec<u8>,
    /// How many bytes of the line there are before these.
    before: u64,
    /// Whether there are bytes of the line behind these.
    is_longer: bool,
}

impl Line {
    /// Reads a text up to a place; nothing if there is no such place, or the budget
    /// does not suffice.
    fn find(text: impl Read, at: Position, budget: &mut u64) -> io::Result<Option<Self>> {
        let mut reader = BufReader::with_capacity(1 << 16, text.take(*budget));
        for _ in 1..at.line {
            if reader.skip_until(b'\n')? == 0 {
                *budget = reader.get_ref().limit();
                return Ok(None);
            }
        }
        let before = at.column.saturating_sub(1 + NEAR);
        let skipped = (&mut reader).take(before).skip_until(b'\n')?;
        let mut bytes = Vec::new();
        (&mut reader).take(2 * NEAR).read_until(b'\n', &mut bytes)?;
        *budget = reader.get_ref().limit();
        let is_longer = bytes.len() as u64 == 2 * NEAR;
        let end = bytes.trim_ascii_end().len();
        match bytes[end..].iter().position(|b| b"\r\n".contains(b)) {
            Some(k) => bytes.truncate(end + k),
            None if *budget == 0 => return Ok(None),
            None => {}
        }
        Ok((skipped as u64 == before).then_some(Self {
            bytes,
            before,
            is_longer,
        }))
    }

    /// What to show of the line, a place of which is to be seen, and the caret below.
    fn show(&self, at: Position) -> String {
        let number = format!("{:>5} | ", at.line);
        let room = WIDTH - number.len().min(WIDTH / 2);
        let offset = at.column.saturating_sub(1 + self.before) as usize;
        // What is shown of each character, how wide that is, and the bytes before it.
        let mut cells: Vec<(String, usize, usize)> = Vec::new();
        let mut at_byte = 0;
        for chunk in self.bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                let (shown, width) = match c {
                    '\t' => ("    ".to_owned(), 4),
                    c if is_unprintable(c) => {
                        let shown = printable_line(&c.to_string());
                        let width = shown.len();
                        (shown, width)
                    }
                    c => (c.to_string(), c.width().unwrap_or(0)),
                };
                cells.push((shown, width, at_byte));
                at_byte += c.len_utf8();
            }
            for byte in chunk.invalid() {
                let shown = format!("\\x{byte:02X}");
                cells.push((shown, 4, at_byte));
                at_byte += 1;
            }
        }
        // A place behind the end of the line is shown at its end.
        let place = cells.partition_point(|&(_, _, start)| start < offset);
        let place = match cells.get(place) {
            Some(&(_, _, start)) if start > offset => place - 1,
            _ => place,
        };
        let width = |cells: &[(String, usize, usize)]| cells.iter().map(|c| c.1).sum::<usize>();
        let (mut first, mut last) = (0, cells.len());
        let is_short = self.before == 0 && !self.is_longer && width(&cells) <= room;
        if !is_short {
            // Room for an ellipsis on either side, and a caret behind the end.
            let room = room - 3;
            while first < place && width(&cells[first..place]) > room / 2 {
                first += 1;
            }
            while last > place && width(&cells[first..last]) > room {
                last -= 1;
            }
        }
        let (is_cut, goes_on) = (
            first > 0 || self.before > 0,
            last < cells.len() || self.is_longer,
        );
        let mut shown = number.clone();
        shown.push_str(if is_cut { "…" } else { "" });
        shown.extend(cells[first..last].iter().map(|cell| cell.0.as_str()));
        shown.push_str(if goes_on { "…" } else { "" });
        let indent = width(&cells[first..place]) + usize::from(is_cut);
        let _ = write!(
            shown,
            "\n{:>gutter$}{:indent$}^",
            "| ",
            "",
            gutter = number.len()
        );
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is shown of a place in a text.
    fn shown(text: &[u8], line: u64, column: u64) -> Option<String> {
        let at = Position::new(line, column);
        let mut budget = 1 << 30;
        let found = Line::find(text, at, &mut budget).unwrap();
        found.map(|line| line.show(at))
    }

    #[test]
    fn carets_stand_below_their_columns() {
        let text = "one\r\n\ttwo é漢 x\u{1b}y\nlast".as_bytes();
        let expected = [
            (1, 1, "    1 | one\n      | ^"),
            (1, 4, "    1 | one\n      |    ^"),
            // Behind the end, too.
            (1, 40, "    1 | one\n      |    ^"),
            (2, 1, "    2 |     two é漢 x\\x1By\n      | ^"),
            (2, 2, "    2 |     two é漢 x\\x1By\n      |     ^"),
            (2, 6, "    2 |     two é漢 x\\x1By\n      |         ^"),
            (2, 8, "    2 |     two é漢 x\\x1By\n      |          ^"),
            // Within a character.
            (2, 9, "    2 |     two é漢 x\\x1By\n      |          ^"),
            (2, 12, "    2 |     two é漢 x\\x1By\n      |             ^"),
            (
                2,
                14,
                "    2 |     two é漢 x\\x1By\n      |                  ^",
            ),
            (3, 2, "    3 | last\n      |  ^"),
        ];
        for (line, column, expected) in expected {
            let found = shown(text, line, column);
            assert_eq!(found.as_deref(), Some(expected), "{line}:{column}");
        }
        assert_eq!(shown(text, 9, 1), None);
        assert_eq!(
            shown(b"a\xffb", 1, 3).unwrap(),
            "    1 | a\\xFFb\n      |      ^"
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let line: String = (0..100_000)
            .map(|k| char::from(b'a' + (k % 26) as u8))
            .collect();
        for column in [
            1, 2, 30, 60, 80, 1000, 1100, 50_000, 99_990, 100_000, 100_001,
        ] {
            let found = shown(format!("\n{line}\nnext\n").as_bytes(), 2, column).unwrap();
            let (text, caret) = found.split_once('\n').unwrap();
            assert!(text.chars().count() <= WIDTH, "{column}: {text}");
            assert!(!text.contains("next"));
            let below = text.chars().nth(caret.chars().count() - 1);
            let expected = line.chars().nth(column as usize - 1);
            assert_eq!(below, expected, "{column}: {found}");
            assert_eq!(text.ends_with('…'), column < 99_900, "{column}: {text}");
        }
    }

    #[test]
    fn no_more_is_read_than_the_budget_allows() {
        let text = "line\n".repeat(1000);
        let at = Position::new(900, 2);
        let mut budget = 1000;
        assert!(
            Line::find(text.as_bytes(), at, &mut budget)
                .unwrap()
                .is_none()
        );
        assert_eq!(budget, 0);
        assert!(
            Line::find(text.as_bytes(), Position::new(1, 1), &mut budget)
                .unwrap()
                .is_none()
        );
    }
}
