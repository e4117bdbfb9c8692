//! Items in groups.

use std::ops::Range;

/// Items in groups, all in one column: group by group, and within each in the order in
/// which they came. 4 bytes a group besides the items.
#[derive(Clone, Debug)]
pub struct Grouped<T> {
    /// Where each group starts, and where the last one ends.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    /// Sorts items, below 2^32 of them, into so many groups, of which each comes with
    /// the number. O(groups + items), in two passes.
    ///
    /// # Panics
    /// If there is no such group.
    pub fn new(groups: usize, items: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = vec![0u32; groups + 1];
        for (group, _) in items.clone() {
            starts[group as usize] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += std::mem::replace(start, total);
        }
        // Any item will do to begin with.
        let any = items.clone().next().map(|(_, item)| item);
        let mut sorted = any.map_or_else(Vec::new, |any| vec![any; total as usize]);
        for (group, item) in items {
            let place = &mut starts[group as usize];
            sorted[*place as usize] = item;
            *place += 1;
        }
        // Each start has moved to the next one.
        starts.rotate_right(1);
        starts[0] = 0;
        Self {
            starts,
            items: sorted,
        }
    }

    /// How many groups there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a group.
    #[inline]
    pub fn of(&self, group: u32) -> &[T] {
        &self.items[self.places(group)]
    }

    /// Where the items of a group are among all.
    #[inline]
    pub fn places(&self, group: u32) -> Range<usize> {
        let group = group as usize;
        self.starts[group] as usize..self.starts[group + 1] as usize
    }

    /// All items, group by group.
    pub fn items(&self) -> &[T] {
        &self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_keep_the_order_of_their_items() {
        let items = [(2, 'a'), (0, 'b'), (2, 'c'), (4, 'd'), (2, 'e')];
        let grouped = Grouped::new(6, items.into_iter());
        let of: Vec<String> = (0..6).map(|g| grouped.of(g).iter().collect()).collect();
        assert_eq!(of, ["b", "", "ace", "", "d", ""]);
        assert_eq!(grouped.places(4), 4..5);
        assert_eq!((grouped.len(), grouped.items().len()), (6, 5));
        assert!(Grouped::<u32>::new(0, [].into_iter()).is_empty());
    }
}
