//! The lowest layer: fields of bits, the most significant bit first, at any
//! offset.

/// Why a field cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BitError {
    /// The file ends before the field does.
    End,
    /// A number of more than 64 bits.
    Overflow,
}

/// Reads fields of bits from bytes at hand.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// The next bit; never beyond `end`.
    at: u64,
    end: u64,
}

impl<'a> BitReader<'a> {
    /// A reader of all bits of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            end: 8 * bytes.len() as u64,
        }
    }

    /// The number of bits read so far.
    #[inline]
    pub fn position(&self) -> u64 {
        self.at
    }

    /// The number of bits that are left.
    #[inline]
    pub fn left(&self) -> u64 {
        self.end - self.at
    }

    /// The bits that come next, 57 of them at least, at the top of a word;
    /// zeros after the end.
    #[inline]
    fn window(&self) -> u64 {
        let rest = &self.bytes[(self.at >> 3) as usize..];
        let word = match rest.first_chunk() {
            Some(word) => u64::from_be_bytes(*word),
            None => {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                u64::from_be_bytes(word)
            }
        };
        word << (self.at & 7)
    }

    #[inline]
    fn advance(&mut self, bits: u32) -> Result<(), BitError> {
        if u64::from(bits) > self.left() {
            return Err(BitError::End);
        }
        self.at += u64::from(bits);
        Ok(())
    }

    /// A field of `width` bits, 1 to 57.
    #[inline]
    pub fn bits(&mut self, width: u32) -> Result<u64, BitError> {
        debug_assert!((1..=57).contains(&width));
        let window = self.window();
        self.advance(width)?;
        Ok(window >> (64 - width))
    }

    /// A number in groups of seven bits, the least significant one first, each
    /// after a bit that tells whether more follow.
    #[inline]
    pub fn varint(&mut self) -> Result<u64, BitError> {
        let window = self.window();
        let mut value = 0;
        for group in 0..7 {
            let byte = window << (8 * group) >> 56;
            value |= (byte & 0x7f) << (7 * group);
            if byte < 0x80 {
                self.advance(8 * (group + 1))?;
                return Ok(value);
            }
        }
        self.advance(56)?;
        self.varint_tail(value)
    }

    /// The groups of a number after the first seven.
    #[cold]
    fn varint_tail(&mut self, mut value: u64) -> Result<u64, BitError> {
        for group in 7..10 {
            let byte = self.bits(8)?;
            let bits = byte & 0x7f;
            if group == 9 && bits > 1 {
                return Err(BitError::Overflow);
            }
            value |= bits << (7 * group);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(BitError::Overflow)
    }

    /// Appends a text, its length before its bytes.
    pub fn string(&mut self, text: &mut Vec<u8>) -> Result<(), BitError> {
        let len = self.varint()?;
        if len > self.left() / 8 {
            return Err(BitError::End);
        }
        for _ in 0..len {
            text.push(self.bits(8)? as u8);
        }
        Ok(())
    }
}

/// Collects fields of bits.
#[derive(Default)]
pub(super) struct BitWriter {
    /// All bits but the last `pending`, whole bytes.
    bytes: Vec<u8>,
    /// Its lowest `pending` bits are the last ones.
    word: u64,
    /// Below 32.
    pending: u32,
    /// The number of bytes that were taken away.
    taken: u64,
}

impl BitWriter {
    /// Appends a field of `width` bits, at most 32; `value` fits in.
    #[inline]
    pub fn bits(&mut self, value: u64, width: u32) {
        debug_assert!(width <= 32 && value >> width == 0);
        self.word = self.word << width | value;
        self.pending += width;
        if self.pending >= 32 {
            self.pending -= 32;
            let full = (self.word >> self.pending) as u32;
            self.bytes.extend_from_slice(&full.to_be_bytes());
        }
    }

    /// Appends a number as [`BitReader::varint`] reads it.
    #[inline]
    pub fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bits(value & 0x7f | 0x80, 8);
            value >>= 7;
        }
        self.bits(value, 8);
    }

    /// Appends a text as [`BitReader::string`] reads it.
    pub fn string(&mut self, text: &[u8]) {
        self.varint(text.len() as u64);
        for &byte in text {
            self.bits(u64::from(byte), 8);
        }
    }

    /// The bytes that are complete and have not been taken away.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes the complete bytes away.
    pub fn clear(&mut self) {
        self.taken += self.bytes.len() as u64;
        self.bytes.clear();
    }

    /// Fills up with zeros to a multiple of 64 bits, with 64 zeros if that is
    /// what there is.
    pub fn pad(&mut self) {
        let len = 8 * (self.taken + self.bytes.len() as u64) + u64::from(self.pending);
        for _ in 0..(64 - len % 64) {
            self.bits(0, 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Field {
        Bits(u64, u32),
        Number(u64),
        Text(Vec<u8>),
    }

    fn field() -> impl Strategy<Value = Field> {
        prop_oneof![
            (any::<u64>(), 1u32..=32).prop_map(|(v, w)| Field::Bits(v >> (64 - w), w)),
            (any::<u64>(), 0u32..64).prop_map(|(v, s)| Field::Number(v >> s)),
            prop::collection::vec(any::<u8>(), 0..20).prop_map(Field::Text),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec(field(), 0..40)) {
            let mut writer = BitWriter::default();
            let mut out = Vec::new();
            for f in &fields {
                match f {
                    Field::Bits(v, w) => writer.bits(*v, *w),
                    Field::Number(v) => writer.varint(*v),
                    Field::Text(text) => {
                        writer.string(text);
                        out.extend_from_slice(writer.bytes());
                        writer.clear();
                    }
                }
            }
            writer.pad();
            out.extend_from_slice(writer.bytes());
            prop_assert_eq!(out.len() % 8, 0);
            let mut reader = BitReader::new(&out);
            for f in &fields {
                match f {
                    Field::Bits(v, w) => prop_assert_eq!(reader.bits(*w), Ok(*v)),
                    Field::Number(v) => prop_assert_eq!(reader.varint(), Ok(*v)),
                    Field::Text(text) => {
                        let mut read = Vec::new();
                        prop_assert_eq!(reader.string(&mut read), Ok(()));
                        prop_assert_eq!(&read, text);
                    }
                }
            }
            prop_assert!((1..=64).contains(&reader.left()));
        }
    }

    #[test]
    fn numbers_of_too_many_bits() {
        let read = |bytes: &[u8]| BitReader::new(bytes).varint();
        let mut most = [0xff; 10];
        most[9] = 1;
        assert_eq!(read(&most), Ok(u64::MAX));
        most[9] = 2;
        assert_eq!(read(&most), Err(BitError::Overflow));
        most[9] = 0x81;
        assert_eq!(read(&most), Err(BitError::Overflow));
        for len in 0..10 {
            assert_eq!(read(&most[..len]), Err(BitError::End));
        }
    }

    #[test]
    fn lengths_that_lie_are_noticed_before_memory_is_taken() {
        let mut writer = BitWriter::default();
        writer.varint(u64::MAX / 8);
        writer.pad();
        let mut text = Vec::new();
        let mut reader = BitReader::new(writer.bytes());
        assert_eq!(reader.string(&mut text), Err(BitError::End));
        assert_eq!(text.capacity(), 0);
        assert_eq!(BitReader::new(&[]).bits(1), Err(BitError::End));
        assert_eq!(BitReader::new(&[0x80]).bits(1), Ok(1));
    }
}
