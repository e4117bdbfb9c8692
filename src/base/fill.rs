//! Filling columns in parallel.

use std::mem::MaybeUninit;

use crate::parallel;

/// Places of a column that are filled one after the other.
#[derive(Debug)]
pub struct Slots<'a, T> {
    slots: &'a mut [MaybeUninit<T>],
    /// How many are filled, the first ones.
    filled: usize,
}

impl<T: Copy> Slots<'_, T> {
    /// Whether all are filled.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.filled == self.slots.len()
    }

    /// Fills as many as there are, or as there are items.
    #[inline]
    pub fn extend(&mut self, items: impl Iterator<Item = T>) {
        let mut written = 0;
        for (slot, item) in self.slots[self.filled..].iter_mut().zip(items) {
            slot.write(item);
            written += 1;
        }
        self.filled += written;
    }

    /// Fills the next one if the item `is_wanted`, and writes it there anyway, so that a
    /// processor need not guess.
    ///
    /// # Panics
    /// If all are filled.
    #[inline]
    pub fn offer(&mut self, item: T, is_wanted: bool) {
        self.slots[self.filled].write(item);
        self.filled += usize::from(is_wanted);
    }
}

/// Appends `lens[k]` items for each `k`, those that `fill(k, …)` fills its places with, in this
/// order but in parallel; so memory is touched by the threads that fill it.
///
/// # Panics
/// If some of the places are not filled.
pub fn append_with<T: Copy + Send>(
    column: &mut Vec<T>,
    lens: &[usize],
    fill: impl Fn(usize, &mut Slots<'_, T>) + Sync,
) {
    let total = lens.iter().sum();
    column.reserve(total);
    let mut spare = &mut column.spare_capacity_mut()[..total];
    let mut parts = Vec::with_capacity(lens.len());
    for &len in lens {
        let (slots, rest) = spare.split_at_mut(len);
        parts.push(Slots { slots, filled: 0 });
        spare = rest;
    }
    parallel::for_each_mut(&mut parts, 1, |k, slots| {
        fill(k, slots);
        assert!(slots.is_full(), "too few items");
    });
    let len = column.len() + total;
    // SAFETY: `reserve` made room for `total` more items, and every one of them has been
    // written, or this line would not be reached: `Slots` counts one only after that.
    unsafe { column.set_len(len) };
}

/// Appends the first `lens[k]` items of `items(k)` for each `k`, as [`append_with`] does.
///
/// # Panics
/// If `items(k)` gives fewer than `lens[k]` items.
pub fn append<T, I>(column: &mut Vec<T>, lens: &[usize], items: impl Fn(usize) -> I + Sync)
where
    T: Copy + Send,
    I: Iterator<Item = T>,
{
    append_with(column, lens, |k, slots| slots.extend(items(k)));
}

/// Makes room for `items` more items, if there is memory for them: what is to
/// be appended need then not be moved when the column grows.
pub fn reserve<T>(column: &mut Vec<T>, items: usize) {
    // If it is refused, appending will tell how much is really needed.
    let _ = column.try_reserve_exact(items);
}

#[cfg(test)]
mod tests {
    use super::{append, append_with, reserve};

    #[test]
    fn reserves_all_or_nothing() {
        let mut column = vec![1u32, 2];
        reserve(&mut column, 5_000);
        assert!(column.capacity() >= 5_002);
        let before = column.as_ptr();
        append(&mut column, &[5_000], |_| 0..5_000u32);
        assert_eq!(column.as_ptr(), before);
        assert_eq!((column[1], column[2], column[5_001]), (2, 0, 4_999));
        reserve(&mut column, usize::MAX);
        assert_eq!(column.len(), 5_002);
    }

    #[test]
    fn appends_in_order() {
        let mut column = vec![7];
        append(&mut column, &[3, 0, 2], |k| (0..9).map(move |i| 10 * k + i));
        assert_eq!(column, [7, 0, 1, 2, 20, 21]);
        append(&mut column, &[], |_| std::iter::empty());
        assert_eq!(column.len(), 6);
    }

    #[test]
    fn unwanted_items_are_replaced() {
        let mut column = vec![7];
        append_with(&mut column, &[2, 1], |k, slots| {
            for item in 0..9 {
                if !slots.is_full() {
                    slots.offer(10 * k + item, item % 3 == 2);
                }
            }
        });
        assert_eq!(column, [7, 2, 5, 12]);
    }

    #[test]
    #[should_panic(expected = "too few items")]
    fn refuses_to_leave_gaps() {
        append(&mut Vec::new(), &[2, 3], |_| [1, 2].into_iter());
    }
}
