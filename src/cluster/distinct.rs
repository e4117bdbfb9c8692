//! Items of which most occur more than once.

use rayon::slice::ParallelSliceMut;

/// The different ones among items that come in any order.
#[derive(Debug)]
pub(crate) struct Distinct<T> {
    items: Vec<T>,
    /// They are sorted, and duplicates dropped, when they are so many.
    most: usize,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            most: 1 << 16,
        }
    }
}

impl<T: Ord + Send> Distinct<T> {
    /// Adds one. There are never more than twice as many as different ones, or 2^16.
    #[inline]
    pub fn push(&mut self, item: T) {
        if self.items.len() == self.most {
            self.sort();
            self.most = self.most.max(2 * self.items.len());
        }
        self.items.push(item);
    }

    /// All, ascending.
    pub fn into_sorted(mut self) -> Vec<T> {
        self.sort();
        self.items
    }

    fn sort(&mut self) {
        self.items.par_sort_unstable();
        self.items.dedup();
    }
}
