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

use super::grammar;

/// A transition line, as far as the fast path understands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub source: u32,
    /// Where the label begins and ends, without quotes.
    pub label: (usize, usize),
    pub quoted: bool,
    pub target: u32,
    /// Where the next line begins.
    pub next: usize,
}

/// Reads the line that begins at `start`, if it is of the usual kind and well
/// before the end of `bytes`. What is between the quotes is not looked at.
#[inline(always)]
pub(super) fn line(bytes: &[u8], start: usize) -> Option<Line> {
    if *bytes.get(start)? != b'(' {
        return None;
    }
    let (source, at) = number(bytes, start + 1)?;
    let at = comma(bytes, at)?;
    let quoted = *bytes.get(at)? == b'"';
    let from = at + usize::from(quoted);
    let to = find(bytes, from, if quoted { b'"' } else { b',' })?;
    let at = comma(bytes, to + usize::from(quoted))?;
    let (target, at) = number(bytes, at)?;
    let next = match bytes.get(at..at + 3)? {
        [b')', b'\n', _] => at + 2,
        b")\r\n" => at + 3,
        _ => return None,
    };
    Some(Line {
        source,
        label: (from, to),
        quoted,
        target,
        next,
    })
}

/// Whether the grammar has nothing to say about a label that [`line`] found.
pub(super) fn is_usual(label: &[u8], quoted: bool) -> bool {
    if quoted {
        label.iter().all(|b| matches!(b, 0x20..=0x7e))
    } else {
        grammar::is_unquoted(label)
    }
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

/// Eight bytes, the first of them lowest.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// A number of one to nine digits, and what comes after it.
#[inline(always)]
fn number(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let text = word(bytes, at)?;
    // digits become 0 .. 9; of what is no digit, the first is marked
    let values = text ^ (ONES * 0x30);
    let others = ((values.wrapping_add(ONES * 0x76)) | values) & HIGHS;
    let len = others.trailing_zeros() / 8;
    if len == 0 {
        return None;
    }
    // pad with zeros in front, then add up pairs, fours and eights of digits
    let padded = values << (64 - 8 * len);
    let pairs = (padded & (ONES * 0x0f)).wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65536 + 1) >> 16;
    let eight = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * (1 << 32) + 1) >> 32;
    let n = eight as u32;
    let at = at + len as usize;
    if len < 8 {
        return Some((n, at));
    }
    let next = *bytes.get(at)?;
    if !next.is_ascii_digit() {
        return Some((n, at));
    }
    let after = *bytes.get(at + 1)?;
    // more digits are left to the grammar
    (!after.is_ascii_digit()).then(|| (n * 10 + u32::from(next - b'0'), at + 1))
}

/// Where the next `wanted` is, at `at` or after.
#[inline(always)]
fn find(bytes: &[u8], mut at: usize, wanted: u8) -> Option<usize> {
    let pattern = ONES * u64::from(wanted);
    // labels are short as a rule
    for _ in 0..4 {
        let other = word(bytes, at)? ^ pattern;
        let hit = other.wrapping_sub(ONES) & !other & HIGHS;
        if hit != 0 {
            return Some(at + (hit.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    Some(at + memchr::memchr(wanted, &bytes[at..])?)
}

/// So many labels are remembered, about.
const ENTRIES: usize = 1 << 11;

/// Remembers the numbers of labels met in a chunk, so that the table is rarely
/// asked. A label that would take an entry's place does take it: looking one up
/// is never more than one comparison.
pub(super) struct Recent {
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The first bytes, and the next ones or, of a long label, the last ones.
    key: (u64, u64),
    /// None (0xff…) in an empty entry.
    len: usize,
    /// Where in the chunk the label stands.
    at: usize,
    number: u32,
    /// Whether it may stand without quotes.
    bare: bool,
}

/// Where a label's entry is, if it has one.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    key: (u64, u64),
    index: usize,
}

impl Recent {
    pub fn new() -> Self {
        let empty = Entry {
            key: (0, 0),
            len: usize::MAX,
            at: 0,
            number: 0,
            bare: false,
        };
        Self {
            entries: vec![empty; ENTRIES],
        }
    }

    /// The entry for a label; none too close to the end of the chunk.
    #[inline(always)]
    pub fn slot(bytes: &[u8], label: (usize, usize)) -> Option<Slot> {
        let (from, to) = label;
        let len = to - from;
        let first = word(bytes, from)?;
        let key = if len <= 8 {
            (first & mask(len), 0)
        } else if len <= 16 {
            (first, word(bytes, from + 8)? & mask(len - 8))
        } else {
            (first, word(bytes, to - 8)?)
        };
        // any spread will do: a clash costs time only
        let spread =
            (key.0 ^ key.1.rotate_left(29) ^ len as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Some(Slot {
            key,
            index: (spread >> (64 - ENTRIES.trailing_zeros())) as usize,
        })
    }

    /// The number of a label, if it is remembered and may stand as it does.
    #[inline(always)]
    pub fn get(
        &self,
        bytes: &[u8],
        label: (usize, usize),
        quoted: bool,
        slot: Slot,
    ) -> Option<u32> {
        let len = label.1 - label.0;
        let e = &self.entries[slot.index];
        let same = e.len == len
            && e.key == slot.key
            && (quoted || e.bare)
            && (len <= 16 || bytes[label.0..label.1] == bytes[e.at..e.at + len]);
        same.then_some(e.number)
    }

    /// Remembers a label that is usual.
    pub fn put(&mut self, bytes: &[u8], label: (usize, usize), slot: Slot, number: u32) {
        self.entries[slot.index] = Entry {
            key: slot.key,
            len: label.1 - label.0,
            at: label.0,
            number,
            bare: grammar::is_unquoted(&bytes[label.0..label.1]),
        };
    }
}

/// Ones in the lowest `len` bytes, 0 to 8.
#[inline(always)]
fn mask(len: usize) -> u64 {
    if len == 0 {
        0
    } else {
        u64::MAX >> (64 - 8 * len)
    }
}
