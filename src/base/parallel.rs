//! The one place for sharing a slice between threads that write disjoint parts
//! of it in an order known only at run time.

use std::cell::UnsafeCell;

/// A slice whose elements several threads may write, each its own.
///
/// Where the parts are contiguous, `chunks_mut` needs no such thing; this is
/// for scattering (counting sorts, columns by state).
pub struct Scatter<'a, T> {
    cells: &'a [UnsafeCell<T>],
}

// SAFETY: `Scatter` hands out no references, and its `write` and `read` demand
// of the caller that no two threads touch one element at the same time, so
// sharing it is sharing disjoint `&mut T`s, for which `T: Send` is enough.
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T: Copy> Scatter<'a, T> {
    /// A slice that several threads write to, each place by one of them.
    pub fn new(slice: &'a mut [T]) -> Self {
        let cells = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the exclusive
        // borrow lasts for `'a`, so nobody else sees the slice meanwhile.
        Self {
            cells: unsafe { &*cells },
        }
    }

    /// Writes element `index`.
    ///
    /// # Safety
    /// No other thread reads or writes this element at the same time.
    ///
    /// # Panics
    /// If `index` is out of range.
    #[inline]
    pub unsafe fn write(&self, index: usize, value: T) {
        // SAFETY: the caller rules out a simultaneous access.
        unsafe { *self.cells[index].get() = value }
    }

    /// Reads element `index`.
    ///
    /// # Safety
    /// No other thread writes this element at the same time.
    ///
    /// # Panics
    /// If `index` is out of range.
    #[inline]
    pub unsafe fn read(&self, index: usize) -> T {
        // SAFETY: the caller rules out a simultaneous write.
        unsafe { *self.cells[index].get() }
    }
}

/// Fetches what is at this address into the cache.
#[inline(always)]
pub fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: every x86-64 processor has SSE; a prefetch has no effect that a
        // program could see, and does nothing where there is no memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Cuts `0 .. offsets.len() − 1` (rows) into contiguous ranges of about `work`
/// row entries each, so that threads get even shares whatever the degrees are.
/// A row is never cut; every row counts as one entry more than it has.
pub fn even_ranges(offsets: &[u32], work: usize) -> Vec<std::ops::Range<usize>> {
    let rows = offsets.len() - 1;
    let load = |row: usize| offsets[row] as usize + row;
    let mut ranges = Vec::with_capacity(load(rows) / work.max(1) + 1);
    let mut start = 0;
    while start < rows {
        let goal = load(start) + work;
        let rest = &offsets[start + 1..=rows];
        let mut low = 0;
        let mut high = rest.len() - 1;
        // The first row end at or past the goal; `load` ascends strictly.
        while low < high {
            let middle = low.midpoint(high);
            if rest[middle] as usize + start + 1 + middle < goal {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let end = start + 1 + low;
        ranges.push(start..end);
        start = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_scatter_to_disjoint_places() {
        let mut slice = vec![0u32; 1000];
        let scatter = Scatter::new(&mut slice);
        rayon::scope(|scope| {
            for part in 0..4 {
                let scatter = &scatter;
                scope.spawn(move |_| {
                    for i in (part..1000).step_by(4) {
                        // SAFETY: the parts are disjoint modulo 4.
                        unsafe { scatter.write(i, i as u32) }
                    }
                });
            }
        });
        assert!(slice.iter().enumerate().all(|(i, &v)| v == i as u32));
    }

    #[test]
    fn ranges_cover_all_rows_once() {
        for offsets in [
            vec![0],
            vec![0, 0],
            vec![0, 5, 5, 5, 100, 101],
            (0..500).collect(),
        ] {
            for work in [0, 1, 7, 50, 10_000] {
                let ranges = even_ranges(&offsets, work);
                let all: Vec<usize> = ranges.into_iter().flatten().collect();
                assert_eq!(all, (0..offsets.len() - 1).collect::<Vec<_>>());
            }
        }
    }
}
