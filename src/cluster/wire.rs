//! Numbers in packets: little-endian, of fixed widths.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash};

use crate::Error;

/// A hash that is the same in all processes of one program.
pub fn hash(of: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(of)
}

/// Appends the number of a state of the whole system: 5 bytes.
///
/// # Panics
/// In debug builds, if it is 2^40 or more.
#[inline]
pub fn put_state(packet: &mut Vec<u8>, state: u64) {
    debug_assert!(state < 1 << 40, "states are numbered by 40 bits");
    packet.extend_from_slice(&state.to_le_bytes()[..5]);
}

/// Appends a number of 4 bytes.
#[inline]
pub fn put_u32(packet: &mut Vec<u8>, number: u32) {
    packet.extend_from_slice(&number.to_le_bytes());
}

/// Appends a number of 8 bytes.
#[inline]
pub fn put_u64(packet: &mut Vec<u8>, number: u64) {
    packet.extend_from_slice(&number.to_le_bytes());
}

/// Appends a number of 16 bytes.
#[inline]
pub fn put_u128(packet: &mut Vec<u8>, number: u128) {
    packet.extend_from_slice(&number.to_le_bytes());
}

/// Appends a number in as few bytes as it needs, of 7 bits each (LEB128): at most 10.
#[inline]
pub fn put_varint(packet: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        packet.push(number as u8 | 0x80);
        number >>= 7;
    }
    packet.push(number as u8);
}

/// Appends bytes with their number.
#[inline]
pub fn put_bytes(packet: &mut Vec<u8>, bytes: &[u8]) {
    put_u64(packet, bytes.len() as u64);
    packet.extend_from_slice(bytes);
}

/// Reads the records of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// From the beginning on.
    pub const fn new(packet: &'a [u8]) -> Self {
        Self { rest: packet }
    }

    /// Whether all has been read.
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// How many bytes have not been read.
    #[inline]
    pub const fn len(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        // Without an error that would have to be dropped if there is none.
        let Some((bytes, rest)) = self.rest.split_first_chunk() else {
            return Err(Error::Packet);
        };
        self.rest = rest;
        Ok(*bytes)
    }

    /// A number of one byte.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn u8(&mut self) -> Result<u8, Error> {
        Ok(self.array::<1>()?[0])
    }

    /// A number of 4 bytes.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn u32(&mut self) -> Result<u32, Error> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// A number of 8 bytes.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn u64(&mut self) -> Result<u64, Error> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// A number of 16 bytes.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn u128(&mut self) -> Result<u128, Error> {
        Ok(u128::from_le_bytes(self.array()?))
    }

    /// The number of a state of the whole system.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn state(&mut self) -> Result<u64, Error> {
        let [a, b, c, d, e] = self.array()?;
        Ok(u64::from_le_bytes([a, b, c, d, e, 0, 0, 0]))
    }

    /// A number of up to 10 bytes of 7 bits each.
    ///
    /// # Errors
    /// If the packet ends before, or it has more bits than 64.
    #[inline]
    pub fn varint(&mut self) -> Result<u64, Error> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.u8()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(Error::Packet);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::Packet)
    }

    /// So many bytes.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let Some((bytes, rest)) = self.rest.split_at_checked(count) else {
            return Err(Error::Packet);
        };
        self.rest = rest;
        Ok(bytes)
    }

    /// Bytes with their number.
    ///
    /// # Errors
    /// If the packet ends before.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let count = self.u64()?;
        self.take(usize::try_from(count).map_err(|_| Error::Packet)?)
    }
}

#[cfg(test)]
mod tests {
    use super::{Cursor, put_varint};
    use crate::Error;

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        let mut packet = Vec::new();
        let powers = (0..64).map(|bit| 1u64 << bit);
        let numbers: Vec<u64> = powers.flat_map(|p| [p - 1, p, p | 1]).collect();
        let numbers = [&numbers[..], &[u64::MAX]].concat();
        for &number in &numbers {
            let before = packet.len();
            put_varint(&mut packet, number);
            let bits = 64 - number.leading_zeros();
            assert_eq!(packet.len() - before, bits.max(1).div_ceil(7) as usize);
        }
        let mut cursor = Cursor::new(&packet);
        for &number in &numbers {
            assert_eq!(cursor.varint().unwrap(), number);
        }
        assert!(cursor.is_empty());
    }

    #[test]
    fn numbers_of_too_many_bits_and_cut_ones_are_refused() {
        let refused = [
            &[0x80; 10][..],
            &[0xff; 9],
            &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2],
            &[],
        ];
        for bytes in refused {
            let read = Cursor::new(bytes).varint();
            assert!(matches!(read, Err(Error::Packet)), "{bytes:?}");
        }
    }
}
