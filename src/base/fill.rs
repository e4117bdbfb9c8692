//! Filling columns in parallel.

use crate::parallel;

/// Appends `lens[k]` items for each `k`, those of `items(k)`, in this order but
/// in parallel; so memory is touched by the threads that fill it.
///
/// # Panics
/// If `items(k)` gives fewer than `lens[k]` items.
pub fn append<T, I>(column: &mut Vec<T>, lens: &[usize], items: impl Fn(usize) -> I + Sync)
where
    T: Copy + Send,
    I: Iterator<Item = T>,
{
    let total = lens.iter().sum();
    column.reserve(total);
    let mut spare = &mut column.spare_capacity_mut()[..total];
    let mut slots = Vec::with_capacity(lens.len());
    for &len in lens {
        let (mine, rest) = spare.split_at_mut(len);
        slots.push(mine);
        spare = rest;
    }
    parallel::for_each_mut(&mut slots, 1, |k, slots| {
        let mut written = 0;
        for (slot, item) in slots.iter_mut().zip(items(k)) {
            slot.write(item);
            written += 1;
        }
        assert_eq!(written, slots.len(), "too few items");
    });
    let len = column.len() + total;
    // SAFETY: `reserve` made room for `total` more items, and the loop above
    // has written every one of them, or this line would not be reached.
    unsafe { column.set_len(len) };
}

/// Makes room for `items` more items, if there is memory for them: what is to
/// be appended need then not be moved when the column grows.
pub fn reserve<T>(column: &mut Vec<T>, items: usize) {
    // If it is refused, appending will tell how much is really needed.
    let _ = column.try_reserve_exact(items);
}

#[cfg(test)]
mod tests {
    use super::{append, reserve};

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
    #[should_panic(expected = "too few items")]
    fn refuses_to_leave_gaps() {
        append(&mut Vec::new(), &[2, 3], |_| [1, 2].into_iter());
    }
}
