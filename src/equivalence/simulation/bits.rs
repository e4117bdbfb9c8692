//! Sets of small numbers as rows of bits.

use hyades_base::bits::ones;

/// A row of bits, 64 a word.
pub(super) type Row = Box<[u64]>;

/// How many words hold so many bits.
pub(super) const fn words(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// The empty set of numbers below `bits`.
pub(super) fn empty(bits: usize) -> Row {
    vec![0; words(bits)].into_boxed_slice()
}

/// The set of these numbers below `bits`.
pub(super) fn collect(bits: usize, members: impl Iterator<Item = usize>) -> Row {
    let mut row = empty(bits);
    members.for_each(|k| insert(&mut row, k));
    row
}

#[inline]
pub(super) fn contains(row: &[u64], k: usize) -> bool {
    row[k / 64] >> (k % 64) & 1 != 0
}

#[inline]
pub(super) fn insert(row: &mut [u64], k: usize) {
    row[k / 64] |= 1 << (k % 64);
}

pub(super) fn count(row: &[u64]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

/// The members, ascending.
pub(super) fn members(row: &[u64]) -> impl Iterator<Item = usize> + '_ {
    ones(row.iter().copied()).map(|k| k as usize)
}

/// Calls `visit` for each member of the first that the second has not, ascending.
#[inline]
pub(super) fn for_each_without(row: &[u64], other: &[u64], mut visit: impl FnMut(usize)) {
    for (k, (&word, &out)) in row.iter().zip(other).enumerate() {
        let mut rest = word & !out;
        while rest != 0 {
            visit(64 * k + rest.trailing_zeros() as usize);
            rest &= rest - 1;
        }
    }
}

/// How many members of the first the second has not.
pub(super) fn count_without(row: &[u64], other: &[u64]) -> usize {
    let pairs = row.iter().zip(other);
    pairs.map(|(x, y)| (x & !y).count_ones() as usize).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_in_order() {
        let wanted = [0, 1, 63, 64, 127, 130];
        let row = collect(131, wanted.into_iter());
        assert_eq!(members(&row).collect::<Vec<_>>(), wanted);
        assert_eq!(count(&row), wanted.len());
        let other = collect(131, [1, 2, 130].into_iter());
        let mut left = Vec::new();
        for_each_without(&row, &other, |k| left.push(k));
        assert_eq!(left, [0, 63, 64, 127]);
        assert_eq!(count_without(&row, &other), left.len());
        assert!(contains(&row, 63) && !contains(&row, 62));
    }
}
