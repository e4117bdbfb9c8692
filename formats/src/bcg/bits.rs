//! Numbers and bits of BCG: big-endian, the most significant bit first.

/// The largest number that a `vint` can hold.
pub(super) const MAX_VINT: u64 = (1 << 44) - 1;

/// The shortest form of a number as a `vint`: its bits, and how many they are.
#[inline(always)]
pub(super) fn vint(value: u64) -> (u64, u32) {
    debug_assert!(value <= MAX_VINT);
    match u64::BITS - value.leading_zeros() {
        0..=7 => (value, 8),
        8..=14 => (0b10 << 14 | value, 16),
        15..=21 => (0b110 << 21 | value, 24),
        22..=28 => (0b1110 << 28 | value, 32),
        _ => long_vint(value),
    }
}

/// A number in the form of six bytes.
pub(super) fn long_vint(value: u64) -> (u64, u32) {
    (0b1111 << 44 | value, 48)
}

/// A number below 2^28 in the form of four bytes.
pub(super) fn record_vint(value: u64) -> (u64, u32) {
    debug_assert!(value < 1 << 28);
    (0b1110 << 28 | value, 32)
}

/// Appends a number to whole bytes.
pub(super) fn push_vint(bytes: &mut Vec<u8>, value: u64) {
    let (code, len) = vint(value);
    bytes.extend_from_slice(&code.to_be_bytes()[8 - len as usize / 8..]);
}

/// The bits of a part of a file ended before what was to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ended;

/// Reads bits, numbers and texts.
#[derive(Clone)]
pub(super) struct Bits<'a> {
    bytes: &'a [u8],
    /// The next bit.
    at: usize,
}

impl<'a> Bits<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// All bytes.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The number of the next bit.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Goes on with the bit of this number.
    pub fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// How many bits are left.
    pub fn left(&self) -> usize {
        (8 * self.bytes.len()).saturating_sub(self.at)
    }

    /// At least the next 57 bits, from the top of the result; beyond the end
    /// there are zeros.
    #[inline]
    pub fn window(&self) -> u64 {
        let from = self.at / 8;
        let word = match self.bytes.get(from..from + 8) {
            Some(word) => u64::from_be_bytes(word.try_into().expect("eight bytes")),
            None => {
                let mut word = [0; 8];
                let rest = self.bytes.get(from..).unwrap_or_default();
                word[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(word)
            }
        };
        word << (self.at % 8)
    }

    /// The next `count` bits, at most 57, as a number.
    #[inline]
    pub fn take(&mut self, count: u32) -> Result<u64, Ended> {
        debug_assert!(count <= 57);
        if count as usize > self.left() {
            return Err(Ended);
        }
        let value = match count {
            0 => 0,
            _ => self.window() >> (u64::BITS - count),
        };
        self.at += count as usize;
        Ok(value)
    }

    /// The next number in any of its forms.
    pub fn vint(&mut self) -> Result<u64, Ended> {
        let (prefix, value) = match (!self.window()).leading_zeros() {
            0 => (1, 7),
            1 => (2, 14),
            2 => (3, 21),
            3 => (4, 28),
            _ => (4, 44),
        };
        if (prefix + value) as usize > self.left() {
            return Err(Ended);
        }
        self.at += prefix as usize;
        self.take(value)
    }

    /// The bytes up to the next zero byte, at a whole byte.
    pub fn text(&mut self) -> Result<&'a [u8], Ended> {
        debug_assert!(self.at.is_multiple_of(8));
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let len = memchr::memchr(0, rest).ok_or(Ended)?;
        self.at += 8 * (len + 1);
        Ok(&rest[..len])
    }

    /// Appends the bytes up to the next zero byte, at any bit.
    pub fn text_into(&mut self, text: &mut Vec<u8>) -> Result<(), Ended> {
        if self.at.is_multiple_of(8) {
            text.extend_from_slice(self.text()?);
            return Ok(());
        }
        loop {
            match self.take(8)? {
                0 => return Ok(()),
                byte => text.push(byte as u8),
            }
        }
    }

    /// Goes on at the next whole byte; whether all bits left out were zero.
    pub fn align(&mut self) -> bool {
        let padding = (self.at.next_multiple_of(8) - self.at) as u32;
        // the byte is there, as a bit of it has been read
        self.take(padding) == Ok(0)
    }
}

/// So many bytes are gathered before they are appended to the others.
const SCRATCH: usize = 1 << 14;

/// Writes bits.
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    scratch: Box<[u8; SCRATCH]>,
    /// Bytes of `scratch` that are complete.
    at: usize,
    /// Bits of an incomplete byte, at the top.
    pending: u64,
    /// How many these are, below 8.
    len: u32,
}

impl BitWriter {
    /// A writer that goes on after these bytes.
    pub fn after(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            scratch: Box::new([0; SCRATCH]),
            at: 0,
            pending: 0,
            len: 0,
        }
    }

    /// Appends the lowest `len` bits of `value`, at most 56; the others must be
    /// zero.
    #[inline(always)]
    pub fn push(&mut self, value: u64, len: u32) {
        debug_assert!(len <= 56 && value >> len == 0);
        // two shifts, as there may be no bit at all
        self.pending |= value << (56 - len) << (8 - self.len);
        self.len += len;
        if self.at > SCRATCH - 8 {
            self.spill();
        }
        let word = self.pending.to_be_bytes();
        self.scratch[self.at..self.at + 8].copy_from_slice(&word);
        let complete = self.len / 8;
        self.at += complete as usize;
        self.pending <<= 8 * complete;
        self.len %= 8;
    }

    #[cold]
    fn spill(&mut self) {
        self.bytes.extend_from_slice(&self.scratch[..self.at]);
        self.at = 0;
    }

    /// Appends a number in its shortest form.
    #[inline(always)]
    pub fn vint(&mut self, value: u64) {
        let (code, len) = vint(value);
        self.push(code, len);
    }

    /// Appends a text and a zero byte.
    pub fn text(&mut self, text: &[u8]) {
        for &byte in text {
            self.push(byte.into(), 8);
        }
        self.push(0, 8);
    }

    /// Appends zeros up to a whole byte.
    pub fn align(&mut self) {
        if self.len > 0 {
            self.push(0, 8 - self.len);
        }
    }

    /// All bytes, the last one filled with zeros.
    pub fn finish(mut self) -> Vec<u8> {
        self.align();
        self.spill();
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_as_the_samples_have_them() {
        let coded = |value| {
            let mut bytes = Vec::new();
            push_vint(&mut bytes, value);
            assert_eq!(Bits::new(&bytes).vint(), Ok(value));
            for cut in 0..bytes.len() {
                assert_eq!(Bits::new(&bytes[..cut]).vint(), Err(Ended));
            }
            bytes
        };
        assert_eq!(coded(0), [0]);
        assert_eq!(coded(127), [127]);
        assert_eq!(coded(128), [0x80, 0x80]);
        assert_eq!(coded(989), [0x83, 0xdd]);
        assert_eq!(coded(896), [0x83, 0x80]);
        assert_eq!(coded(16383), [0xbf, 0xff]);
        assert_eq!(coded(16384), [0xc0, 0x40, 0]);
        assert_eq!(coded((1 << 21) - 1), [0xdf, 0xff, 0xff]);
        assert_eq!(coded(1 << 21), [0xe0, 0x20, 0, 0]);
        assert_eq!(coded((1 << 28) - 1), [0xef, 0xff, 0xff, 0xff]);
        assert_eq!(coded(1 << 28), [0xf0, 0, 0x10, 0, 0, 0]);
        assert_eq!(coded(MAX_VINT), [0xff; 6]);
        assert_eq!(Bits::new(&[0xe0, 0, 0, 1]).vint(), Ok(1));
        assert_eq!(Bits::new(&[0xf0, 0, 0, 0, 0, 0x5c]).vint(), Ok(92));
        assert_eq!(long_vint(92), (0xf000_0000_005c, 48));
        assert_eq!(record_vint(1), (0xe000_0001, 32));
    }

    #[test]
    fn texts_at_any_bit() {
        for shift in 0..8 {
            let mut writer = BitWriter::after(vec![0xaa]);
            writer.push(0, shift);
            writer.text(b"a text");
            writer.text(b"");
            writer.push(1, 1);
            let bytes = writer.finish();
            let mut bits = Bits::new(&bytes[1..]);
            assert_eq!(bits.take(shift), Ok(0));
            let mut text = Vec::new();
            bits.text_into(&mut text).unwrap();
            bits.text_into(&mut text).unwrap();
            assert_eq!(text, b"a text");
            assert_eq!(bits.take(1), Ok(1));
            assert!(bits.align());
            assert_eq!((bits.left(), bits.take(1)), (0, Err(Ended)));
            assert_eq!(bits.clone().text_into(&mut text), Err(Ended));
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            items in prop::collection::vec((any::<u64>(), 0u32..=56, any::<bool>()), 0..8_000),
        ) {
            let mut writer = BitWriter::after(Vec::new());
            let short = |value: u64, len| if len == 0 { 0 } else { value >> (64 - len) };
            let number = |value: u64, len: u32| value >> (20 + len % 44);
            for &(value, len, plain) in &items {
                match plain {
                    true => writer.push(short(value, len), len),
                    false => writer.vint(number(value, len)),
                }
            }
            let bytes = writer.finish();
            let mut bits = Bits::new(&bytes);
            for &(value, len, plain) in &items {
                match plain {
                    true => prop_assert_eq!(bits.take(len), Ok(short(value, len))),
                    false => prop_assert_eq!(bits.vint(), Ok(number(value, len))),
                }
            }
            prop_assert!(bits.left() < 8 && bits.align());
        }
    }
}
