//! Finding numbers and line ends fast, for lines about which nothing is odd.
//!
//! All of it looks at blocks of bytes, and gives up near the end of the bytes.

/// A transition line, as far as the fast path understands it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub source: u32,
    /// Where the label begins and ends, without quotes.
    pub label: (usize, usize),
    /// Sixteen bytes from where the label begins, whatever they are: two words as [`word`]
    /// gives them.
    pub head: [u64; 2],
    pub quoted: bool,
    pub target: u32,
    /// Where the next line begins.
    pub next: usize,
}

/// Eight bytes, the first of them lowest.
#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..at + 8)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

/// Sixteen bytes, as [`Line::head`] has them.
#[inline(always)]
pub(crate) fn head(bytes: &[u8], at: usize) -> Option<[u64; 2]> {
    let sixteen = bytes.get(at..)?.first_chunk::<16>()?;
    Some([word(sixteen, 0)?, word(sixteen, 8)?])
}

pub(crate) const ONES: u64 = 0x0101_0101_0101_0101;
pub(crate) const HIGHS: u64 = 0x8080_8080_8080_8080;
pub(crate) const LETTERS: u64 = ONES * b'a' as u64;

/// Marks in the highest bits of all bytes from `first` to `last`, of bytes that
/// are ASCII; if some are not, marks mean nothing.
#[inline(always)]
pub(crate) fn within(text: u64, first: u8, last: u8) -> u64 {
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

/// The beginning of a line and what follows, as far as it is looked at: places are known to lie
/// within.
#[derive(Clone, Copy)]
pub(crate) struct Window<'a>(&'a [u8; Window::LEN + 8]);

impl<'a> Window<'a> {
    /// Where a byte may be, in bytes: a power of two.
    const LEN: usize = 64;

    /// The window at a place, unless it is close to the end.
    #[inline(always)]
    pub fn at(bytes: &'a [u8], start: usize) -> Option<Self> {
        Some(Self(bytes.get(start..)?.first_chunk()?))
    }

    /// The byte at a place modulo the length of a window.
    #[inline(always)]
    pub fn byte(&self, at: usize) -> u8 {
        self.0[at % Self::LEN]
    }

    /// The two bytes at a place modulo the length of a window.
    #[inline(always)]
    pub fn pair(&self, at: usize) -> [u8; 2] {
        let at = at % Self::LEN;
        *self.0[at..at + 2].first_chunk().expect("two bytes")
    }

    /// The eight bytes at a place modulo the length of a window, the first of them lowest.
    #[inline(always)]
    pub fn word(&self, at: usize) -> u64 {
        let at = at % Self::LEN;
        let eight = self.0[at..at + 8].first_chunk().expect("eight bytes");
        u64::from_le_bytes(*eight)
    }

    /// Where the first LF is, if there is one in the first 32 bytes, or the next ones.
    #[inline(always)]
    pub fn line_end(&self) -> Option<usize> {
        let half = |from: usize| newlines(self.0[from..].first_chunk().expect("half of a window"));
        let first = half(0);
        if first != 0 {
            return Some(first.trailing_zeros() as usize);
        }
        let second = half(BLOCK);
        (second != 0).then(|| BLOCK + second.trailing_zeros() as usize)
    }

    /// The number of up to eight digits that the first eight bytes begin with, and the one that
    /// the second eight bytes end with, and how many digits these have.
    #[inline(always)]
    pub fn numbers(first: u64, second: u64) -> ([u32; 2], [usize; 2]) {
        // Marks are those of `digits` up to the first byte that is no digit, which is all that
        // is looked at, and in the second eight bytes but for a byte beyond ASCII just before a
        // 9, which is then not taken for a digit.
        let marks = |values: u64| (values.wrapping_add(ONES * 0x76) | values) & HIGHS;
        let (first, second) = (first ^ (ONES * 0x30), second ^ (ONES * 0x30));
        let after = marks(first).trailing_zeros();
        let before = marks(second).leading_zeros();
        // Of the byte with the mark seven bits have been counted, too.
        let (up, down) = ((after & !7).wrapping_neg(), before.wrapping_neg());
        let first = first.wrapping_shl(up);
        let second = second.wrapping_shr(down).wrapping_shl(down);
        (
            both(first, second),
            [after as usize / 8, before as usize / 8],
        )
    }
}

/// As [`eight`] for both.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn both(first: u64, second: u64) -> [u32; 2] {
    use std::arch::x86_64::{
        _mm_cvtsi128_si64, _mm_madd_epi16, _mm_mullo_epi16, _mm_packs_epi32, _mm_set_epi64x,
        _mm_set1_epi16, _mm_set1_epi32, _mm_srli_epi16,
    };
    // SAFETY: every x86-64 processor has SSE2.
    let both = unsafe {
        let digits = _mm_set_epi64x(second as i64, first as i64);
        let pairs = _mm_srli_epi16::<8>(_mm_mullo_epi16(digits, _mm_set1_epi16(0x0a01)));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
        let fours = _mm_packs_epi32(fours, fours);
        let all = _mm_madd_epi16(fours, _mm_set1_epi32(1 << 16 | 10_000));
        _mm_cvtsi128_si64(all) as u64
    };
    [both as u32, (both >> 32) as u32]
}

/// As [`eight`] for both.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn both(first: u64, second: u64) -> [u32; 2] {
    [eight(first), eight(second)]
}

/// A number of one to nine digits, and what comes after it.
#[inline(always)]
pub(crate) fn number(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
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
pub(crate) fn number_before(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
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
pub(crate) fn line_end(bytes: &[u8], mut at: usize) -> Option<usize> {
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

/// Ones in the lowest `len` bytes, 0 to 8.
#[inline(always)]
pub(crate) fn mask(len: usize) -> u64 {
    if len == 0 {
        0
    } else {
        u64::MAX >> (64 - 8 * len)
    }
}
