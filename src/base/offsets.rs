//! Where the rows of a column begin: 4 bytes a row, however many entries there are.
//!
//! Offsets ascend, so that their upper halves change only once in 2^32 entries. The lower
//! halves are a column of 32-bit numbers; a short list tells the rows at which the upper
//! half rises. Up to 2^32 − 1 entries that list is empty, and an offset is what the column
//! has, after one comparison with a number in a register.
//!
//! In builds with debug assertions the upper half rises once in 2^6 entries, so that every
//! test of more than a few transitions is one of long lists, too.

use std::ops::Range;

/// The number of bits of the lower half.
const BITS: u32 = if cfg!(debug_assertions) { 6 } else { 32 };

/// Lower halves have these bits.
const MASK: usize = (1 << BITS) - 1;

/// From so many entries on, their numbers do not fit the 32 bits of places and counts (in
/// builds with debug assertions so few that tests have more).
pub const WIDE: usize = if BITS == 32 { 1 << 32 } else { 1 << 7 };

/// Where rows begin and end, owned: one more offset than there are rows, the first one 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets {
    low: Vec<u32>,
    /// Each index from which on the upper half is another, and that one.
    carries: Vec<(u32, u32)>,
}

impl Default for Offsets {
    fn default() -> Self {
        Self::new()
    }
}

impl Offsets {
    /// Of no row.
    pub fn new() -> Self {
        Self::with_capacity(0)
    }

    /// Of no row, with room for so many.
    pub fn with_capacity(rows: usize) -> Self {
        let mut low = Vec::with_capacity(rows + 1);
        low.push(0);
        Self::plain(low)
    }

    /// Of offsets that all fit the lower half.
    const fn plain(low: Vec<u32>) -> Self {
        Self {
            low,
            carries: Vec::new(),
        }
    }

    /// Of rows of these lengths.
    pub fn from_lengths(lengths: impl IntoIterator<Item = usize>) -> Self {
        let lengths = lengths.into_iter();
        let mut offsets = Self::with_capacity(lengths.size_hint().0);
        offsets.extend(lengths);
        offsets
    }

    /// Of rows whose lengths are in parts.
    pub fn of_parts<'a>(parts: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let mut offsets = Self::with_capacity(parts.clone().map(<[u32]>::len).sum());
        for part in parts {
            offsets.extend(part.iter().map(|&length| length as usize));
        }
        offsets
    }

    /// Adds rows of these lengths.
    #[inline]
    pub fn extend(&mut self, lengths: impl IntoIterator<Item = usize>) {
        let mut lengths = lengths.into_iter();
        let mut end = self.end();
        if self.carries.is_empty() {
            // As long as offsets fit the lower half, nothing else is looked at.
            for length in lengths.by_ref() {
                end += length;
                if end > MASK {
                    self.push(end);
                    break;
                }
                self.low.push(end as u32);
            }
        }
        for length in lengths {
            end += length;
            self.push(end);
        }
    }

    /// Of the offsets modulo 2^32, which several threads can write each for itself, and
    /// where the last row ends. None if a row has 2^32 entries or more, or if these are no
    /// offsets: the first one is not 0, the last one not `end`, or one less than that before
    /// it. O(rows).
    pub fn from_wrapping(low: Vec<u32>, end: usize) -> Option<Self> {
        if low.first() != Some(&0) {
            return None;
        }
        if BITS == 32 && end <= MASK {
            let are_offsets = low.is_sorted() && low[low.len() - 1] as usize == end;
            return are_offsets.then(|| Self::plain(low));
        }
        let mut offsets = Self::with_capacity(low.len() - 1);
        let mut last = 0;
        for &low in &low[1..] {
            last += low.wrapping_sub(last as u32) as usize;
            offsets.push(last);
        }
        (last == end).then_some(offsets)
    }

    /// Adds a row, which ends here.
    ///
    /// # Panics
    /// In debug builds, if the row before ends later. If there are 2^32 rows.
    #[inline]
    pub fn push(&mut self, end: usize) {
        debug_assert!(end >= self.end(), "offsets ascend");
        if end >> BITS != self.upper() {
            self.carry(end >> BITS);
        }
        self.low.push((end & MASK) as u32);
    }

    #[cold]
    fn carry(&mut self, upper: usize) {
        let index = u32::try_from(self.low.len()).expect("fewer rows than 2^32");
        let upper = u32::try_from(upper).expect("fewer entries than 2^64");
        self.carries.push((index, upper));
    }

    /// The upper half of where the last row ends.
    #[inline]
    fn upper(&self) -> usize {
        self.carries.last().map_or(0, |&(_, upper)| upper as usize)
    }

    /// Drops rows until there are so many.
    pub fn truncate(&mut self, rows: usize) {
        self.low.truncate(rows + 1);
        let kept = self.carries.partition_point(|c| c.0 as usize <= rows);
        self.carries.truncate(kept);
    }

    /// The number of rows.
    #[inline]
    pub fn rows(&self) -> usize {
        self.low.len() - 1
    }

    /// Where the last row ends.
    #[inline]
    pub fn end(&self) -> usize {
        self.upper() << BITS | self.low[self.low.len() - 1] as usize
    }

    /// These offsets, borrowed.
    #[inline]
    pub fn view(&self) -> OffsetsRef<'_> {
        let plain = match self.carries.first() {
            Some(&(index, _)) => &self.low[..index as usize],
            None => &self.low,
        };
        OffsetsRef {
            low: &self.low,
            plain,
            carries: &self.carries,
            base: 0,
        }
    }

    /// Where a row is.
    #[inline(always)]
    pub fn row(&self, row: usize) -> Range<usize> {
        // One comparison for both.
        let next = row + 1;
        if self.carries.is_empty() && next < self.low.len() {
            return self.low[row] as usize..self.low[next] as usize;
        }
        self.view().row(row)
    }

    /// Whether no row ends before it begins.
    pub fn ascend(&self) -> bool {
        self.carries.is_empty() && self.low.is_sorted() || self.view().iter().is_sorted()
    }

    /// Bytes of memory that this holds on to.
    pub fn heap_bytes(&self) -> usize {
        4 * self.low.capacity() + 8 * self.carries.capacity()
    }
}

impl From<Vec<u32>> for Offsets {
    /// Of offsets that fit 32 bits.
    ///
    /// # Panics
    /// If there is none, the first one is not 0, or one is less than that before it.
    fn from(offsets: Vec<u32>) -> Self {
        let end = *offsets.last().expect("one more offset than rows");
        Self::from_wrapping(offsets, end as usize).expect("offsets ascend from 0")
    }
}

impl<'a> From<&'a Offsets> for OffsetsRef<'a> {
    fn from(offsets: &'a Offsets) -> Self {
        offsets.view()
    }
}

/// Where rows begin and end, borrowed; or where each of some rows ends.
#[derive(Clone, Copy, Debug)]
pub struct OffsetsRef<'a> {
    low: &'a [u32],
    /// Those at the beginning that are the offsets.
    plain: &'a [u32],
    carries: &'a [(u32, u32)],
    /// The index of the first one among those that the carries count.
    base: usize,
}

impl<'a> From<&'a [u32]> for OffsetsRef<'a> {
    /// Of offsets that fit 32 bits.
    #[inline]
    fn from(offsets: &'a [u32]) -> Self {
        Self {
            low: offsets,
            plain: offsets,
            carries: &[],
            base: 0,
        }
    }
}

impl<'a> From<&'a Vec<u32>> for OffsetsRef<'a> {
    /// Of offsets that fit 32 bits.
    #[inline]
    fn from(offsets: &'a Vec<u32>) -> Self {
        Self::from(&offsets[..])
    }
}

impl<'a> OffsetsRef<'a> {
    /// The number of offsets, not of rows.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "there is one, as a rule")]
    pub fn len(self) -> usize {
        self.low.len()
    }

    /// The number of rows, where these are beginnings and ends.
    #[inline]
    pub fn rows(self) -> usize {
        self.low.len() - 1
    }

    /// The offset of this index: where row `index` begins, and the one before ends.
    ///
    /// # Panics
    /// If there is none.
    #[inline(always)]
    pub fn get(self, index: usize) -> usize {
        match self.plain.get(index) {
            Some(&offset) => offset as usize,
            None => wide(self.carries, self.base + index, self.low[index]),
        }
    }

    /// Where a row is.
    #[inline(always)]
    pub fn row(self, row: usize) -> Range<usize> {
        // One comparison for both.
        let next = row + 1;
        if next < self.plain.len() {
            return self.plain[row] as usize..self.plain[next] as usize;
        }
        self.get(row)..self.get(next)
    }

    /// The number of entries of a row.
    #[inline(always)]
    pub fn degree(self, row: usize) -> usize {
        let Range { start, end } = self.row(row);
        end - start
    }

    /// A part of these offsets.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub fn slice(self, range: Range<usize>) -> Self {
        Self {
            low: &self.low[range.clone()],
            plain: &self.low[range.start..range.end.min(range.start.max(self.plain.len()))],
            carries: self.carries,
            base: self.base + range.start,
        }
    }

    /// The offsets, ascending.
    pub fn iter(self) -> impl ExactSizeIterator<Item = usize> + use<'a> {
        (0..self.low.len()).map(move |k| self.get(k))
    }

    /// The number of offsets, from the first one on, that `below` holds of, which holds of
    /// none after one of which it does not.
    pub fn partition_point(self, below: impl Fn(usize) -> bool) -> usize {
        let (mut low, mut high) = (0, self.low.len());
        while low < high {
            let middle = low.midpoint(high);
            if below(self.get(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The offsets as a slice, if all fit 32 bits (in builds with debug assertions, 6).
    pub fn as_narrow(self) -> Option<&'a [u32]> {
        (self.plain.len() == self.low.len()).then_some(self.low)
    }

    /// Lets the processor fetch the offset of this index.
    #[inline(always)]
    pub fn prefetch(self, index: usize) {
        crate::fetch::prefetch(&self.low[index..]);
    }
}

/// The offset of this index, by its lower half. What it takes fits registers, so that nobody
/// has to keep offsets in memory for the case that it is called.
#[cold]
#[inline(never)]
fn wide(carries: &[(u32, u32)], index: usize, low: u32) -> usize {
    let after = carries.partition_point(|c| c.0 as usize <= index);
    (carries[after - 1].1 as usize) << BITS | low as usize
}

impl PartialEq for OffsetsRef<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(offsets: &Offsets) -> Option<usize> {
        let view = offsets.view();
        (0..offsets.rows()).map(|row| view.degree(row)).max()
    }

    #[test]
    fn offsets_modulo_two_to_the_32() {
        let most = u32::MAX as usize;
        let plain = [0, most - 1, most + 5, 2 * most, 2 * most, 3 * most];
        let wrapping = |plain: &[usize]| plain.iter().map(|&o| o as u32).collect::<Vec<_>>();
        let offsets = Offsets::from_wrapping(wrapping(&plain), 3 * most).unwrap();
        assert!(offsets.view().iter().eq(plain));
        assert_eq!(longest(&offsets), Some(most));
        let long = [0, 7, most + 9];
        assert!(Offsets::from_wrapping(wrapping(&long), most + 9).is_none());
    }

    #[test]
    fn what_are_no_offsets_is_refused() {
        let wrong: [(&[u32], usize); 6] = [
            (&[], 0),
            (&[1], 1),
            (&[1, 2], 2),
            (&[0, 1], 5),
            (&[0, 5], 1),
            (&[0, 5, 2], 2),
        ];
        for (low, end) in wrong {
            let found = Offsets::from_wrapping(low.to_vec(), end);
            assert_eq!(found, None, "{low:?} {end}");
        }
    }

    #[test]
    #[should_panic = "offsets ascend from 0"]
    fn a_first_offset_that_is_not_0_is_refused() {
        let _ = Offsets::from(vec![1, 2]);
    }

    #[test]
    fn offsets_are_what_was_pushed() {
        for case in 0..500 {
            let mut plain = vec![0];
            let mut offsets = Offsets::new();
            for row in 0..case % 40 {
                // Now and then a row beyond one upper half, and beyond several.
                let length =
                    [0, 1, 7, MASK, MASK + 1, 5 * MASK][crate::draw(1, case, row, 6) as usize];
                let end = plain[plain.len() - 1] + length;
                plain.push(end);
                offsets.push(end);
            }
            assert!(offsets.view().iter().eq(plain.iter().copied()));
            assert_eq!(offsets.end(), plain[plain.len() - 1]);
            let rows = plain.len() - 1;
            let expected = plain.windows(2).map(|w| w[1] - w[0]).max();
            assert_eq!(longest(&offsets), expected);
            for row in 0..rows {
                assert_eq!(offsets.row(row), plain[row]..plain[row + 1]);
                let rest = offsets.view().slice(row..rows + 1);
                assert!(rest.iter().eq(plain[row..].iter().copied()));
                assert_eq!(rest.slice(1..rest.len()).get(0), plain[row + 1]);
                let moved: Vec<usize> = plain[row..].iter().map(|o| o - plain[row]).collect();
                let again = Offsets::from_lengths((0..rest.rows()).map(|row| rest.degree(row)));
                assert!(again.view().iter().eq(moved));
                let mut cut = offsets.clone();
                cut.truncate(row);
                assert!(cut.view().iter().eq(plain[..=row].iter().copied()));
                assert_eq!(cut.end(), plain[row]);
                cut.push(plain[row + 1]);
                assert_eq!(cut.row(row), plain[row]..plain[row + 1]);
            }
            let wrapping = plain.iter().map(|&o| o as u32).collect();
            let again = Offsets::from_wrapping(wrapping, offsets.end());
            let is_known = expected.is_none_or(|longest| longest <= u32::MAX as usize);
            assert_eq!(again.as_ref(), is_known.then_some(&offsets));
            let length = |w: &[usize]| u32::try_from(w[1] - w[0]).ok();
            if let Some(lengths) = plain.windows(2).map(length).collect::<Option<Vec<_>>>() {
                let parts = lengths.chunks(1 + rows / 3);
                assert_eq!(Offsets::of_parts(parts), offsets);
            }
            let mut longer = offsets.clone();
            (0..3).for_each(|_| longer.push(offsets.end()));
            assert_eq!((longer.rows(), longer.end()), (rows + 3, offsets.end()));
            assert_eq!(longer.row(rows + 1), offsets.end()..offsets.end());
            for bound in [0, 1, MASK, MASK + 2, 7 * MASK] {
                let expected = plain.partition_point(|&o| o < bound);
                assert_eq!(offsets.view().partition_point(|o| o < bound), expected);
            }
        }
    }
}
