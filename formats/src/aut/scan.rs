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

/// Eight bytes, the first of them lowest.
#[inline(always)]
fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;
const LETTERS: u64 = ONES * b'a' as u64;

/// Marks in the highest bits of all bytes from `first` to `last`, of bytes that
/// are ASCII; if some are not, marks mean nothing.
#[inline(always)]
fn within(text: u64, first: u8, last: u8) -> u64 {
    let from = text.wrapping_add(ONES * u64::from(0x80 - first));
    let after = text.wrapping_add(ONES * u64::from(0x7f - last));
    from & !after
}

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

/// So many pairs of labels are remembered, at least and at most.
const PAIRS: (usize, usize) = (1 << 10, 1 << 11);

/// Remembers the numbers of labels met in a chunk, so that the table is rarely
/// asked. Where a label may be, there is room for two; a third one takes the
/// place of the older one.
pub(super) struct Recent {
    /// A power of two, or one pair that stays empty.
    pairs: Vec<Pair>,
    /// Moves down as many bits as tell where a label is.
    shift: u32,
}

/// As large as a line of the cache, but not aligned: allocators would leave gaps.
#[derive(Clone, Copy)]
struct Pair([Entry; 2]);

#[derive(Clone, Copy)]
struct Entry {
    /// The first bytes, and the next ones or, of a long label, the last ones.
    key: (u64, u64),
    /// None (0xff…) in an empty entry.
    len: u32,
    /// Where in the chunk the label stands.
    at: u32,
    number: u32,
    /// Whether it is known that it may stand without quotes.
    bare: bool,
}

/// Where a label is, if it is remembered.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    key: (u64, u64),
    index: usize,
}

impl Recent {
    /// For a file of which so many labels are known already. Nothing is
    /// remembered if they are more than there is room for: a processor that has
    /// to guess every time whether a label is remembered is slower than the
    /// table.
    pub fn new(labels: usize) -> Self {
        let empty = Entry {
            key: (0, 0),
            len: u32::MAX,
            at: 0,
            number: 0,
            bare: false,
        };
        // not more than serve: they are cleared for every chunk
        let pairs = match labels {
            _ if labels > PAIRS.1 => 1,
            _ => (2 * labels).next_power_of_two().clamp(PAIRS.0, PAIRS.1),
        };
        Self {
            pairs: vec![Pair([empty; 2]); pairs],
            shift: u64::BITS - pairs.trailing_zeros().max(1),
        }
    }

    /// Where to look for a label; nowhere too close to the end of the chunk.
    #[inline(always)]
    pub fn slot(&self, bytes: &[u8], label: (usize, usize)) -> Option<Slot> {
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
            index: (spread >> self.shift) as usize & (self.pairs.len() - 1),
        })
    }

    /// The number of a label, if it is remembered and known to be usual as it
    /// stands.
    #[inline(always)]
    pub fn get(
        &self,
        bytes: &[u8],
        label: (usize, usize),
        quoted: bool,
        slot: Slot,
    ) -> Option<u32> {
        let len = label.1 - label.0;
        let pair = &self.pairs[slot.index].0;
        // a choice that a processor need not guess
        let differs = (pair[0].key.0 ^ slot.key.0) | (pair[0].key.1 ^ slot.key.1);
        let e = &pair[usize::from(differs != 0)];
        let same = e.len as usize == len
            && e.key == slot.key
            && (quoted | e.bare)
            && (len <= 16 || bytes[label.0..label.1] == bytes[e.at as usize..e.at as usize + len]);
        same.then_some(e.number)
    }

    /// Remembers a label that is usual as it stands.
    pub fn put(&mut self, label: (usize, usize), quoted: bool, slot: Slot, number: u32) {
        if self.pairs.len() == 1 {
            return;
        }
        let (Ok(at), Ok(len)) = (u32::try_from(label.0), u32::try_from(label.1 - label.0)) else {
            return;
        };
        let entry = Entry {
            key: slot.key,
            len,
            at,
            number,
            bare: !quoted,
        };
        let pair = &mut self.pairs[slot.index].0;
        // never two of one key: the first one would hide the second
        if pair[0].key != slot.key {
            pair[1] = pair[0];
        }
        pair[0] = entry;
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
