//! The fast path for transition lines about which nothing is odd.
//!
//! [`line`] accepts the lines
//!
//! ```text
//! (SOURCE,[ ]LABEL,[ ]TARGET)
//! ```
//!
//! with LF or CR LF, where the label is either between the quotes nearest to
//! each other, or free of quotes and commas. As nothing but `, TARGET )` may
//! follow the label, such quotes are the leftmost and the rightmost of the line,
//! and such commas the first and the last: the grammar would find the same
//! label. Everything else, and whatever is odd about the label or the numbers,
//! is left to the grammar.

use crate::lines::scan::{
    HIGHS, LETTERS, Line, ONES, Window, head, line_end, mask, number, number_before, within, word,
};

/// Reads the line that begins at `start`, if it is of the usual kind and well
/// before the end of `bytes`. What is in the label is not looked at: for that
/// there is [`is_usual`].
///
/// The end of the line is looked for first. That is the only thing which the
/// next line waits for, so that a processor which executes out of order works
/// on several lines at the same time.
#[inline(always)]
pub(super) fn line(bytes: &[u8], start: usize) -> Option<Line> {
    if let Some(window) = Window::at(bytes, start)
        && let Some(line) = short_line(&window, start)
    {
        return Some(line);
    }
    any_line(bytes, start)
}

/// As [`line`], of a line that ends within a window, by LF alone, and whose numbers have eight
/// digits at most.
#[inline(always)]
fn short_line(window: &Window<'_>, start: usize) -> Option<Line> {
    // Read by themselves, before they are a part of something larger.
    let (open, first) = (window.byte(0), window.word(1));
    let end = window.line_end()?;
    let close = end.wrapping_sub(1);
    let last = window.word(close.wrapping_sub(8));
    let ([source, target], [after, before]) = Window::numbers(first, last);
    if end < 9 || after == 0 || before == 0 || open != b'(' || window.byte(close) != b')' {
        return None;
    }
    let at = close.wrapping_sub(before);
    let to = if window.pair(at.wrapping_sub(2)) == *b", " {
        at.wrapping_sub(2)
    } else if window.byte(at.wrapping_sub(1)) == b',' {
        at.wrapping_sub(1)
    } else {
        return None;
    };
    let at = 1 + after;
    let from = if window.pair(at) == *b", " {
        at + 2
    } else if window.byte(at) == b',' {
        at + 1
    } else {
        return None;
    };
    let quoted = window.byte(from) == b'"';
    let label = match quoted {
        true => (from + 1, to.wrapping_sub(1)),
        false => (from, to),
    };
    let as_usual =
        label.0 as isize <= label.1 as isize && (!quoted || window.byte(label.1) == b'"');
    as_usual.then_some(Line {
        source,
        label: (start + label.0, start + label.1),
        head: [window.word(label.0), window.word(label.0 + 8)],
        quoted,
        target,
        next: start + end + 1,
    })
}

/// As [`line`], of any length.
#[inline(never)]
fn any_line(bytes: &[u8], start: usize) -> Option<Line> {
    if *bytes.get(start)? != b'(' {
        return None;
    }
    let end = line_end(bytes, start)?;
    let close = end - 1 - usize::from(bytes[end - 1] == b'\r');
    let (target, at) = number_before(bytes, close)?;
    let to = match bytes.get(at.checked_sub(2)?..at)? {
        b", " => at - 2,
        [_, b','] => at - 1,
        _ => return None,
    };
    let (source, at) = number(bytes, start + 1)?;
    let from = comma(bytes, at)?;
    let quoted = *bytes.get(from)? == b'"';
    let (from, to) = if quoted {
        (from + 1, to.checked_sub(1)?)
    } else {
        (from, to)
    };
    let in_order = from <= to && (!quoted || bytes[to] == b'"') && bytes[close] == b')';
    in_order.then_some(Line {
        source,
        label: (from, to),
        head: head(bytes, from)?,
        quoted,
        target,
        next: end + 1,
    })
}

/// Whether the grammar has nothing to say about a label that [`line`] found.
/// Says no close to the end of `bytes`.
#[inline]
pub(super) fn is_usual(bytes: &[u8], label: (usize, usize), quoted: bool) -> bool {
    let (from, to) = label;
    if !quoted && !bytes[from].is_ascii_alphabetic() {
        return &bytes[from..to] == b"*";
    }
    (from..to).step_by(8).all(|at| {
        let Some(text) = word(bytes, at) else {
            return false;
        };
        // letters after the end
        let inside = mask((to - at).min(8));
        let text = text & inside | LETTERS & !inside;
        let marks = if quoted {
            within(text, b' ', b'~') & !within(text, b'"', b'"')
        } else {
            within(text | (ONES * 0x20), b'a', b'z')
                | within(text, b'0', b'9')
                | within(text, b'_', b'_')
        };
        marks & !text & HIGHS == HIGHS
    })
}

/// A comma, and a space if there is one.
#[inline(always)]
fn comma(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at..at + 2)? {
        b", " => Some(at + 2),
        [b',', _] => Some(at + 1),
        _ => None,
    }
}
