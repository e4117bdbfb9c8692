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
/// before the end of `bytes`. What is in the label is not looked at: for that
/// there is [`is_usual`].
///
/// The end of the line is looked for first. That is the only thing which the
/// next line waits for, so that a processor which executes out of order works
/// on several lines at the same time.
#[inline(always)]
pub(super) fn line(bytes: &[u8], start: usize) -> Option<Line> {
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
        quoted,
        target,
        next: end + 1,
    })
}

/// Whether the grammar has nothing to say about a label that [`line`] found.
pub(super) fn is_usual(label: &[u8], quoted: bool) -> bool {
    if quoted {
        label.iter().all(|b| matches!(b, 0x20..=0x7e) && *b != b'"')
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

/// For eight digits or other bytes: the values of the digits, and marks in the
/// highest bits of all bytes that are no digits.
#[inline(always)]
fn digits(text: u64) -> (u64, u64) {
    let values = text ^ (ONES * 0x30);
    let others = (((values & !HIGHS) + ONES * 0x76) | values) & HIGHS;
    (values, others)
}

/// The number that eight values of digits are, the first of them lowest: pairs
/// are added up, then fours, then all eight.
#[inline(always)]
fn eight(values: u64) -> u32 {
    let pairs = values.wrapping_mul(10 * 256 + 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 * 65536 + 1) >> 16;
    let all = (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 * (1 << 32) + 1) >> 32;
    all as u32
}

/// A number of one to nine digits, and what comes after it.
#[inline(always)]
fn number(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (values, others) = digits(word(bytes, at)?);
    let len = others.trailing_zeros() / 8;
    if len == 0 {
        return None;
    }
    // digits moved up, zeros in front
    let n = eight(values << (64 - 8 * len));
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

/// A number of one to nine digits that ends before `end`, and where it begins.
#[inline(always)]
fn number_before(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
    let (values, others) = digits(word(bytes, end.checked_sub(8)?)?);
    let len = others.leading_zeros() / 8;
    if len == 0 {
        return None;
    }
    let n = eight(values & (u64::MAX << (64 - 8 * len)));
    let at = end - len as usize;
    if len < 8 {
        return Some((n, at));
    }
    let before = *bytes.get(at.checked_sub(1)?)?;
    if !before.is_ascii_digit() {
        return Some((n, at));
    }
    let further = *bytes.get(at.checked_sub(2)?)?;
    (!further.is_ascii_digit()).then(|| (n + u32::from(before - b'0') * 100_000_000, at - 1))
}

/// So many bytes are searched for a line's end at a time.
const BLOCK: usize = 32;

/// Where the first LF is after `at`, unless it is close to the end of `bytes`.
#[inline(always)]
fn line_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    // lines are short as a rule
    for _ in 0..4 {
        let found = newlines(bytes.get(at..at + BLOCK)?.first_chunk()?);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize);
        }
        at += BLOCK;
    }
    Some(at + memchr::memchr(b'\n', bytes.get(at..)?)?)
}

/// A bit for every LF in a block, the lowest for the first byte.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn newlines(block: &[u8; BLOCK]) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8,
    };
    let half = |from: usize| {
        let bytes: &[u8; 16] = block[from..].first_chunk().expect("half of a block");
        // SAFETY: every x86-64 processor has SSE2; the load needs no alignment
        // and reads the 16 bytes that are borrowed.
        unsafe {
            let bytes = _mm_loadu_si128(bytes.as_ptr().cast::<__m128i>());
            let equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\n' as i8));
            _mm_movemask_epi8(equal) as u32
        }
    };
    half(0) | half(16) << 16
}

/// A bit for every LF in a block, the lowest for the first byte.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn newlines(block: &[u8; BLOCK]) -> u32 {
    let bits = block.iter().enumerate();
    bits.fold(0, |bits, (k, &b)| bits | u32::from(b == b'\n') << k)
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
