//! Numbers of states of the whole system, five bytes each.

/// A column of numbers below 2^40.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    low: Vec<u32>,
    high: Vec<u8>,
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.low.len()
    }

    /// Appends zeros, until there are so many.
    pub fn extend_to(&mut self, len: usize) {
        self.low.resize(len, 0);
        self.high.resize(len, 0);
    }

    /// The number at this place.
    #[inline]
    pub fn get(&self, place: u32) -> u64 {
        let place = place as usize;
        u64::from(self.high[place]) << 32 | u64::from(self.low[place])
    }

    /// Sets the number at this place.
    #[inline]
    pub fn set(&mut self, place: u32, number: u64) {
        debug_assert!(number < 1 << 40, "states are numbered by 40 bits");
        let place = place as usize;
        (self.low[place], self.high[place]) = (number as u32, (number >> 32) as u8);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        4 * self.low.capacity() + self.high.capacity()
    }
}
