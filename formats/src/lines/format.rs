//! Formatting transition lines, fast.

use crate::diagnostic::{Log, Severity, excerpt};
use crate::options::MAX_LINE;
use crate::pipeline::Text;

/// What stands around source, label and target in a line.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Before the source; 6 bytes at most.
    pub open: &'static [u8],
    /// Between source and label.
    pub before_label: &'static [u8],
    /// Between label and target.
    pub after_label: &'static [u8],
    /// After the target, LF included. Two bytes, the second of them unused if
    /// the first is the LF.
    pub close: [u8; 2],
}

/// The pieces of transition lines from source to target, for all labels.
pub(crate) struct Pieces {
    style: Style,
    bytes: Vec<u8>,
    /// Where the piece of each label is; nowhere if there is none.
    ranges: Vec<(usize, usize)>,
    longest: usize,
}

/// Short pieces are copied as a block of this size, whatever their length.
const BLOCK: usize = 32;
/// What a line holds at most besides its piece, with slack for block copies.
const SLACK: usize = 2 * BLOCK + 32;

impl Pieces {
    pub fn new(style: Style) -> Self {
        Self {
            style,
            bytes: vec![0; BLOCK],
            ranges: Vec::new(),
            longest: 0,
        }
    }

    /// Adds the piece for the next label as it stands in a line.
    pub fn push(&mut self, label: &[u8]) {
        self.set(self.ranges.len(), label);
    }

    /// Sets the piece for the label with this number, which has none yet, as it
    /// stands in a line. Labels may come in any order.
    pub fn set(&mut self, number: usize, label: &[u8]) {
        let start = self.bytes.len() - BLOCK;
        self.bytes.truncate(start);
        self.bytes.extend_from_slice(self.style.before_label);
        self.bytes.extend_from_slice(label);
        self.bytes.extend_from_slice(self.style.after_label);
        self.longest = self.longest.max(self.bytes.len() - start);
        if self.ranges.len() <= number {
            self.ranges.resize(number + 1, (0, 0));
        }
        self.ranges[number] = (start, self.bytes.len());
        // so that a block can be read at every piece
        self.bytes.resize(self.bytes.len() + BLOCK, 0);
    }

    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// What the lines look like.
    pub fn style(&self) -> &Style {
        &self.style
    }

    /// The length of the longest piece.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Complains, by a code, about labels whose lines are longer than what
    /// readers accept, for some states at least.
    pub fn check_lines(&self, code: &'static str, log: &mut Log) {
        let numbers = 2 * u32::MAX.to_string().len();
        let room = MAX_LINE - numbers - self.style.open.len() - self.style.close.len();
        if self.longest <= room {
            return;
        }
        for label in 0..self.ranges.len() as u32 {
            let (start, end) = self.range(label);
            if end - start > room {
                log.add(Severity::Error, code, None, || {
                    let label = excerpt(self.label(label));
                    format!(
                        "label {label} makes a line of more than {MAX_LINE} bytes, \
                         which could not be read again"
                    )
                });
            }
        }
    }

    /// Where the piece of a label is.
    #[inline]
    fn range(&self, label: u32) -> (usize, usize) {
        self.ranges[label as usize]
    }

    /// About the length of a line with this label.
    #[inline]
    pub fn line_len(&self, label: u32) -> usize {
        let (start, end) = self.range(label);
        end - start + 24
    }

    /// The label of a piece as it stands in a line.
    pub fn label(&self, label: u32) -> &[u8] {
        let (start, end) = self.range(label);
        let (before, after) = (self.style.before_label, self.style.after_label);
        &self.bytes[start + before.len()..end - after.len()]
    }
}

/// Lines in the making. Holds on to its memory when cleared.
#[derive(Default)]
pub(crate) struct Lines {
    /// Always initialised to its length, so that it can be written in blocks.
    buffer: Vec<u8>,
    len: usize,
}

/// The beginning of the lines of one source.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    bytes: [u8; 32],
    len: usize,
}

impl Start {
    #[inline]
    pub fn new(source: u32, style: &Style) -> Self {
        let mut bytes = [0; 32];
        let open = style.open.len();
        match style.open {
            [only] => bytes[0] = *only,
            some => bytes[..open].copy_from_slice(some),
        }
        let len = open + decimal(source, &mut bytes[open..]);
        Self { bytes, len }
    }
}

impl Text for Lines {
    fn clear(&mut self) {
        self.len = 0;
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[..self.len]
    }
}

impl Lines {
    /// Appends a transition line.
    #[inline(always)]
    pub fn push(&mut self, start: &Start, label: u32, target: u32, pieces: &Pieces) {
        let (from, to) = pieces.range(label);
        let piece = to - from;
        if self.buffer.len() < self.len + piece + SLACK {
            self.grow(piece);
        }
        let out = &mut self.buffer[self.len..];
        // Two copies of a size that is known are all there is to most lines.
        if let (true, Some(out)) = (piece <= BLOCK, out.first_chunk_mut::<SLACK>()) {
            let at = start.len % BLOCK;
            out[..16].copy_from_slice(&start.bytes[..16]);
            out[at..at + BLOCK].copy_from_slice(&pieces.bytes[from..from + BLOCK]);
            let at = (at + piece) % (2 * BLOCK);
            let digits = decimal(target, &mut out[at..at + 16]) % 16;
            let end = at + digits;
            out[end..end + 2].copy_from_slice(&pieces.style.close);
            self.len += end;
        } else {
            out[..16].copy_from_slice(&start.bytes[..16]);
            let out = &mut out[start.len..];
            out[..piece].copy_from_slice(&pieces.bytes[from..to]);
            let out = &mut out[piece..];
            let digits = decimal(target, out);
            out[digits..digits + 2].copy_from_slice(&pieces.style.close);
            self.len += start.len + piece + digits;
        }
        self.len += 1 + usize::from(pieces.style.close[0] != b'\n');
    }

    #[cold]
    fn grow(&mut self, piece: usize) {
        let wanted = (self.len + piece + SLACK).max(2 * self.buffer.len());
        self.buffer.resize(wanted.max(1 << 12), 0);
    }
}

/// Writes a number in decimal digits, and says how many. Needs room for 16.
#[inline(always)]
fn decimal(n: u32, out: &mut [u8]) -> usize {
    const LIMIT: u32 = 100_000_000;
    if n < LIMIT {
        return short_decimal(n, out);
    }
    let first = short_decimal(n / LIMIT, out);
    let rest = eight_digits(n % LIMIT) | ASCII;
    out[first..first + 8].copy_from_slice(&rest.to_le_bytes());
    first + 8
}

/// Writes a number below 10^8.
#[inline(always)]
fn short_decimal(n: u32, out: &mut [u8]) -> usize {
    let digits = eight_digits(n);
    // the last digit is written even if it is 0
    let zeros = (digits.trailing_zeros() / 8).min(7);
    let text = (digits | ASCII) >> (8 * zeros);
    out[..8].copy_from_slice(&text.to_le_bytes());
    8 - zeros as usize
}

const ASCII: u64 = 0x3030_3030_3030_3030;

/// The eight digits of a number below 10^8, the first one lowest, a byte each.
///
/// All at once: the number is split into two halves of four digits, both into
/// pairs, and all four of those into digits. Division by 100 and by 10 is
/// multiplication and a shift, exact for so small numbers.
#[inline(always)]
fn eight_digits(n: u32) -> u64 {
    let halves = u64::from(n / 10_000) | u64::from(n % 10_000) << 32;
    let hundreds = ((halves * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (halves - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: Style = Style {
        open: b"(",
        before_label: b", ",
        after_label: b", ",
        close: *b")\n",
    };

    #[test]
    fn numbers() {
        let mut cases: Vec<u32> = (0..30_000).collect();
        cases.extend([u32::MAX, u32::MAX - 2]);
        cases.extend((0..20_000).map(|k| k * 5003));
        cases.extend((0..20_000).map(|k| k * 214_013));
        for k in 0..10 {
            let p = 10u32.pow(k);
            cases.extend([p - 1, p, p + 1, 2 * p.min(2_000_000_000), 9 * (p / 10)]);
        }
        for shift in 0..32 {
            cases.extend([1 << shift, (1 << shift) - 1]);
        }
        for n in cases {
            let mut out = [0; 32];
            let len = decimal(n, &mut out);
            assert_eq!(&out[..len], n.to_string().as_bytes());
        }
    }

    #[test]
    fn lines_of_all_lengths() {
        let mut pieces = Pieces::new(STYLE);
        let labels: Vec<Vec<u8>> = [0, 1, 26, 27, 28, 29, 30, 31, 32, 33, 100_000]
            .map(|n| vec![b'x'; n])
            .to_vec();
        for label in &labels {
            pieces.push(label);
        }
        let mut lines = Lines::default();
        let mut expected = Vec::new();
        for round in 0..50u32 {
            for (k, label) in labels.iter().enumerate() {
                let (s, t) = (round.wrapping_mul(123_456_789), 7u32.pow(round % 11));
                lines.push(&Start::new(s, &STYLE), k as u32, t, &pieces);
                expected.extend_from_slice(format!("({s}, ").as_bytes());
                expected.extend_from_slice(label);
                expected.extend_from_slice(format!(", {t})\n").as_bytes());
            }
        }
        assert_eq!(pieces.longest(), 100_004);
        assert!(lines.bytes() == expected);
        lines.clear();
        assert!(lines.bytes().is_empty());
    }
}
