//! Sets as sorted sequences, each kept once, of which those that are not needed any more
//! can be thrown away.

use hyades_base::ascending::is_subset;
use hyades_base::interned::Interned;

/// Sets of elements, numbered in the order in which they came.
#[derive(Default)]
pub(super) struct Sets {
    interned: Interned<u64>,
    /// How many elements all sets have.
    elements: usize,
    /// How many they had when sets were thrown away last.
    kept: usize,
}

impl Sets {
    /// The number of a set.
    pub(super) fn intern(&mut self, set: &[u64]) -> u32 {
        let (number, is_new) = self.interned.intern(set);
        if is_new {
            // An empty set has a price, too.
            self.elements += set.len() + 1;
        }
        number
    }

    /// The set with this number.
    #[inline]
    pub(super) fn get(&self, number: u32) -> &[u64] {
        self.interned.get(number)
    }

    /// Whether most sets might be of no use any more, where up to `states` are in use.
    pub(super) fn is_crowded(&self, states: usize) -> bool {
        self.elements > 4 * (self.kept + states)
    }

    /// Throws all sets away but those with these numbers, which become the new ones. Time
    /// and memory in proportion to the sets that stay, and 4 bytes for each of the old ones.
    pub(super) fn retain(&mut self, numbers: &mut [u32]) {
        const NONE: u32 = u32::MAX;
        let mut fresh = Sets::default();
        let mut new = vec![NONE; self.interned.len()];
        for number in numbers {
            let new = &mut new[*number as usize];
            if *new == NONE {
                *new = fresh.intern(self.interned.get(*number));
            }
            *number = *new;
        }
        fresh.kept = fresh.elements;
        *self = fresh;
    }

    /// The number of the union of a set that ascends and of sets with these numbers, which
    /// ascend and are all different. Nothing is written down if one of the sets has it all.
    pub(super) fn union(&mut self, own: &mut Vec<u64>, others: &[u32]) -> u32 {
        let longest = others.iter().copied().max_by_key(|&k| self.get(k).len());
        if let Some(longest) = longest {
            let whole = self.get(longest);
            let has_own = own.iter().all(|e| whole.binary_search(e).is_ok());
            let mut others_left = others.iter().filter(|&&k| k != longest);
            if has_own && others_left.all(|&k| is_subset(self.get(k), whole)) {
                return longest;
            }
        }
        for &k in others {
            own.extend_from_slice(self.interned.get(k));
        }
        own.sort_unstable();
        own.dedup();
        self.intern(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unions_are_sets() {
        let mut sets = Sets::default();
        let [a, b, c] = [&[1, 3][..], &[1, 2, 3], &[5]].map(|set| sets.intern(set));
        assert_eq!(sets.union(&mut vec![2, 3], &[a, b]), b);
        let all = sets.union(&mut vec![3, 4], &[a, b, c]);
        assert_eq!(sets.get(all), [1, 2, 3, 4, 5]);
        let none = sets.union(&mut Vec::new(), &[]);
        assert!(sets.get(none).is_empty());
        let mut used = [all, c, all];
        sets.retain(&mut used);
        assert_eq!(used[0], used[2]);
        assert_eq!(sets.get(used[0]), [1, 2, 3, 4, 5]);
        assert_eq!(sets.get(used[1]), [5]);
        assert!(!sets.is_crowded(2));
    }
}
