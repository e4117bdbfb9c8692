//! The least ones of sets.

/// For each place the sets of those added that are ⊆-minimal, an *antichain*, each with the
/// number of what was found with it (M. De Wulf, L. Doyen, T. A. Henzinger & J.-F. Raskin,
/// Antichains: a new algorithm for checking universality of finite automata, CAV 2006).
///
/// Sets are numbers here, and whoever adds them tells which one is part of which. 8 bytes a
/// set, and 24 a place up to the last one that has any.
#[derive(Debug, Default)]
pub struct Antichains {
    /// The sets, and the numbers that they came with.
    of: Vec<Vec<(u32, u32)>>,
}

impl Antichains {
    /// Whether some set of a place is such: part of another set, which then need not be added.
    /// O(sets of the place).
    pub fn any(&self, place: u32, mut is_such: impl FnMut(u32) -> bool) -> bool {
        let kept = self.of.get(place as usize).into_iter().flatten();
        kept.into_iter().any(|&(set, _)| is_such(set))
    }

    /// Adds a set of which no set of the place is part, with a number; gives up those of which
    /// it is part, and tells their numbers. O(sets of the place).
    pub fn insert(
        &mut self,
        place: u32,
        (set, number): (u32, u32),
        is_whole: impl FnMut(u32) -> bool,
        gone: impl FnMut(u32),
    ) {
        self.remove(place, is_whole, gone);
        let place = place as usize;
        if self.of.len() <= place {
            self.of.resize(place + 1, Vec::new());
        }
        self.of[place].push((set, number));
    }

    /// Gives up the sets of a place that are such, and tells their numbers. O(sets of the
    /// place).
    pub fn remove(
        &mut self,
        place: u32,
        mut is_such: impl FnMut(u32) -> bool,
        mut gone: impl FnMut(u32),
    ) {
        let Some(kept) = self.of.get_mut(place as usize) else {
            return;
        };
        kept.retain(|&(set, number)| {
            let leaves = is_such(set);
            if leaves {
                gone(number);
            }
            !leaves
        });
    }

    /// Forgets the sets of a place.
    pub fn clear(&mut self, place: u32) {
        if let Some(kept) = self.of.get_mut(place as usize) {
            kept.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of all sets of five elements, here bits of their numbers, those remain that have no
    /// part among them.
    #[test]
    fn minimal_sets_remain() {
        let mut antichains = Antichains::default();
        let mut added: Vec<u32> = Vec::new();
        let mut gone = Vec::new();
        for k in 0..32 {
            let set = k * 13 % 31 + 1;
            let covered = antichains.any(3, |part| part & !set == 0);
            assert_eq!(covered, added.iter().any(|part| part & !set == 0), "{set}");
            if !covered {
                let is_whole = |whole: u32| set & !whole == 0;
                antichains.insert(3, (set, k), is_whole, |number| gone.push(number));
            }
            added.push(set);
            for set in 1..32 {
                let is_part = |part: &&u32| **part & !set == 0;
                let is_least =
                    added.contains(&set) && added.iter().filter(is_part).all(|&p| p == set);
                assert_eq!(antichains.any(3, |kept| kept == set), is_least, "{set}");
            }
        }
        assert!(!gone.is_empty());
        antichains.clear(3);
        assert!(!antichains.any(3, |_| true) && !antichains.any(7, |_| true));
    }
}
