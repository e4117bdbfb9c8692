//! Columns of numbers of five bytes.

use std::ops::Range;

/// Numbers below 2^40, each of five bytes.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Column {
    numbers: Vec<[u8; 5]>,
}

impl Column {
    /// So many zeros.
    pub fn new(len: usize) -> Self {
        Self::filled(len, 0)
    }

    /// So many times the same number.
    ///
    /// # Panics
    /// In debug builds, if the number is 2^40 or more.
    pub fn filled(len: usize, number: u64) -> Self {
        Self {
            numbers: vec![bytes(number); len],
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The number at a place.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn get(&self, place: usize) -> u64 {
        number(self.numbers[place])
    }

    /// Changes the number at a place.
    ///
    /// # Panics
    /// If there is no such place; in debug builds, if the number is 2^40 or more.
    #[inline]
    pub fn set(&mut self, place: usize, number: u64) {
        self.numbers[place] = bytes(number);
    }

    /// Appends zeros until there are so many numbers.
    pub fn extend_to(&mut self, len: usize) {
        self.numbers.resize(len.max(self.len()), [0; 5]);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.numbers.capacity() * size_of::<[u8; 5]>()
    }

    /// Leaves so many numbers, the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.numbers.truncate(len);
    }

    /// The numbers at some places, of which those before `at` are only read, and the others
    /// written.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn split(&mut self, at: usize) -> (Read<'_>, Write<'_>) {
        let (read, write) = self.numbers.split_at_mut(at);
        (Read { numbers: read }, Write { numbers: write })
    }

    /// The bytes of some numbers, five each.
    ///
    /// # Panics
    /// If there are no such places.
    pub fn bytes(&self, places: Range<usize>) -> &[u8] {
        self.numbers[places].as_flattened()
    }
}

/// The first numbers of a column.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    numbers: &'a [[u8; 5]],
}

impl Read<'_> {
    /// The number at a place.
    ///
    /// # Panics
    /// If there is no such place.
    #[inline]
    pub fn get(&self, place: usize) -> u64 {
        number(self.numbers[place])
    }
}

/// The last numbers of a column.
#[derive(Debug)]
pub struct Write<'a> {
    numbers: &'a mut [[u8; 5]],
}

impl Write<'_> {
    /// Changes a number; what it was before.
    ///
    /// # Panics
    /// If there is no such place; in debug builds, if the number is 2^40 or more.
    #[inline]
    pub fn replace(&mut self, place: usize, by: u64) -> u64 {
        number(std::mem::replace(&mut self.numbers[place], bytes(by)))
    }
}

#[inline]
const fn number([a, b, c, d, e]: [u8; 5]) -> u64 {
    u64::from_le_bytes([a, b, c, d, e, 0, 0, 0])
}

#[inline]
fn bytes(number: u64) -> [u8; 5] {
    debug_assert!(number < 1 << 40, "numbers have 40 bits");
    let [a, b, c, d, e, ..] = number.to_le_bytes();
    [a, b, c, d, e]
}

#[cfg(test)]
mod tests {
    use super::Column;

    #[test]
    fn numbers_are_what_was_put() {
        let mut column = Column::new(7);
        let numbers = [0, 1, 255, 256, 1 << 32, (1 << 40) - 1, 12_345_678_901];
        for (place, &number) in numbers.iter().enumerate() {
            column.set(place, number);
        }
        assert!(numbers.iter().enumerate().all(|(k, &n)| column.get(k) == n));
        let (read, mut write) = column.split(3);
        assert_eq!(read.get(2), 255);
        assert_eq!(write.replace(1, 9), 1 << 32);
        assert_eq!(column.get(4), 9);
        assert_eq!(column.bytes(1..3), [1, 0, 0, 0, 0, 255, 0, 0, 0, 0]);
        assert_eq!((column.len(), column.is_empty()), (7, false));
        column.extend_to(9);
        assert_eq!((column.len(), column.get(4), column.get(8)), (9, 9, 0));
        assert!(column.memory() >= 45);
    }
}
