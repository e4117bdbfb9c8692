//! Budgets of the attacker, and what moves do to them.

use std::fmt;

/// How many observations, conjunctions and so on an attack may use: up to eight entries,
/// each 0, 1 or 2, where 2 stands for more than one, and in a price for any number.
///
/// An entry takes two bits, 00, 01 or 11, so that the least upper bound of two budgets is
/// their union as sets of bits, and "at most" is inclusion.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Budget(u16);

impl Budget {
    /// Nothing may be used.
    pub const NOTHING: Budget = Budget(0);

    /// Everything may be used, as often as wanted.
    pub const EVERYTHING: Budget = Budget(u16::MAX);

    /// The budget with these entries, those that are missing being 0; entries above 2 count
    /// as 2.
    ///
    /// # Panics
    /// If there are more than 8.
    pub const fn new(entries: &[u8]) -> Self {
        assert!(entries.len() <= 8, "at most 8 entries");
        let mut bits = 0;
        let mut k = 0;
        while k < entries.len() {
            let entry = match entries[k] {
                0 => 0,
                1 => 0b01,
                2.. => 0b11,
            };
            bits |= entry << (2 * k);
            k += 1;
        }
        Self(bits)
    }

    /// An entry, counted from 0.
    ///
    /// # Panics
    /// If it is not below 8.
    pub const fn entry(self, k: usize) -> u8 {
        assert!(k < 8, "at most 8 entries");
        ((self.0 >> (2 * k)) & 0b11).count_ones() as u8
    }

    /// The first so many entries.
    pub fn entries(self, count: usize) -> Vec<u8> {
        (0..count).map(|k| self.entry(k)).collect()
    }

    /// Whether no entry is greater than that of the other budget.
    pub const fn is_at_most(self, other: Budget) -> bool {
        self.0 & !other.0 == 0
    }

    /// The least budget that is at least both.
    pub(super) const fn or(self, other: Budget) -> Budget {
        Budget(self.0 | other.0)
    }

    /// Whether nothing is left of an entry.
    pub(super) const fn lacks(self, k: usize) -> bool {
        self.0 >> (2 * k) & 1 == 0
    }

    /// Whether none of these entries has a bound.
    pub(super) fn is_unbounded(self, entries: &[usize]) -> bool {
        entries.iter().all(|&k| self.entry(k) == 2)
    }

    pub(super) const fn bits(self) -> u16 {
        self.0
    }

    pub(super) const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// One less in these entries, given by their lower bits; nothing if one of them is 0.
    const fn minus(self, ones: u16) -> Option<Budget> {
        if self.0 & ones != ones {
            return None;
        }
        let both = ones | ones << 1;
        Some(Budget(
            self.0 & !both | self.0 & (ones << 1) | (self.0 >> 1) & ones,
        ))
    }

    /// One more in these entries, given by their lower bits.
    const fn plus(self, ones: u16) -> Budget {
        let both = ones | ones << 1;
        Budget(self.0 & !both | (self.0 << 1 | ones) & both)
    }
}

/// The eight entries.
impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.entries(8))
    }
}

/// What a move does to the budget.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub(super) enum Update {
    /// Nothing.
    Free,
    /// A step is observed.
    Observe,
    /// Strong: on to a clause of a conjunction.
    Clause,
    /// Strong: on to the deepest positive branch of a conjunction.
    DeepBranch,
    /// Strong: the clause is a positive one.
    Positive,
    /// Strong: the clause is a negative one.
    Negative,
    /// Weak: a conjunction without hidden steps before it.
    Immediate,
    /// Weak: on to a clause of a conjunction.
    WeakClause,
    /// Weak: on to a clause of a stable conjunction.
    StableClause,
    /// Weak: on to a clause of a branching conjunction.
    BranchingClause,
    /// Weak: on along the branch of a branching conjunction.
    Branch,
    /// Weak: the clause is a positive one.
    WeakPositive,
    /// Weak: the clause is a negative one.
    WeakNegative,
}

/// An update in parts, one after the other.
struct Effect {
    /// Lower bits of the entries that are one less.
    spend: u16,
    /// The entry that becomes the lesser of itself and another one, and that one.
    bound: Option<(u8, u8)>,
    /// As `spend`, at the end.
    then: u16,
}

/// The lower bit of an entry, counted from 1 as in the literature.
const fn one(entry: u8) -> u16 {
    1 << (2 * (entry - 1))
}

impl Update {
    const fn effect(self) -> Effect {
        let (spend, bound) = match self {
            Update::Free => (0, None),
            Update::Observe => (one(1), None),
            Update::Clause => (one(2), Some((4, 3))),
            Update::DeepBranch => (one(2), Some((1, 3))),
            Update::Positive => (0, Some((1, 4))),
            Update::Negative => (one(6), Some((1, 5))),
            Update::Immediate => (one(5), None),
            Update::WeakClause => (one(3), None),
            Update::StableClause => (one(4), None),
            Update::BranchingClause => (one(2) | one(3), None),
            Update::Branch => (one(2) | one(3), Some((1, 6))),
            Update::WeakPositive => (0, Some((1, 6))),
            Update::WeakNegative => (one(8), Some((1, 7))),
        };
        // The branch ends in an observation.
        let then = match self {
            Update::Branch => one(1),
            _ => 0,
        };
        Effect { spend, bound, then }
    }

    /// What is left of a budget; nothing if it does not suffice. Entries of 2 have no
    /// bound.
    pub(super) const fn after(self, before: Budget) -> Option<Budget> {
        let Effect { spend, bound, then } = self.effect();
        let Some(mut budget) = before.minus(spend) else {
            return None;
        };
        if let Some((entry, other)) = bound {
            let place = 2 * (entry - 1);
            let other = budget.0 >> (2 * (other - 1)) & 0b11;
            budget = Budget(budget.0 & (!(0b11 << place) | other << place));
        }
        budget.minus(then)
    }

    /// The least budget of which at least this is left.
    pub(super) const fn before(self, after: Budget) -> Budget {
        let Effect { spend, bound, then } = self.effect();
        let mut budget = after.plus(then);
        if let Some((entry, other)) = bound {
            let entry = budget.0 >> (2 * (entry - 1)) & 0b11;
            budget = Budget(budget.0 | entry << (2 * (other - 1)));
        }
        budget.plus(spend)
    }

    /// Whether the formula gets deeper by it.
    pub(super) const fn is_deeper(self) -> bool {
        matches!(self, Update::Observe | Update::Branch)
    }
}

/// The budgets of which none is at most another one, ascending.
pub(super) fn keep_minimal(budgets: &mut Vec<u16>) {
    // What is included in another set of bits is a lesser number.
    budgets.sort_unstable();
    let mut kept = 0;
    for k in 0..budgets.len() {
        let next = budgets[k];
        if budgets[..kept].iter().all(|&least| least & !next != 0) {
            budgets[kept] = next;
            kept += 1;
        }
    }
    budgets.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPDATES: [Update; 13] = [
        Update::Free,
        Update::Observe,
        Update::Clause,
        Update::DeepBranch,
        Update::Positive,
        Update::Negative,
        Update::Immediate,
        Update::WeakClause,
        Update::StableClause,
        Update::BranchingClause,
        Update::Branch,
        Update::WeakPositive,
        Update::WeakNegative,
    ];

    /// Prices and budgets by lists of numbers: what an update leaves of a price, where 2 is
    /// infinite.
    fn left(update: Update, price: &[u8]) -> Option<Vec<u8>> {
        let spent: &[usize] = match update {
            Update::Observe => &[1],
            Update::Clause | Update::DeepBranch => &[2],
            Update::Negative => &[6],
            Update::Immediate => &[5],
            Update::WeakClause => &[3],
            Update::StableClause => &[4],
            Update::BranchingClause | Update::Branch => &[2, 3],
            Update::WeakNegative => &[8],
            Update::Free | Update::Positive | Update::WeakPositive => &[],
        };
        let mut left = price.to_vec();
        let spend = |left: &mut Vec<u8>, k: usize| -> Option<()> {
            let entry = &mut left[k - 1];
            if *entry < 2 {
                *entry = entry.checked_sub(1)?;
            }
            Some(())
        };
        for &k in spent {
            spend(&mut left, k)?;
        }
        let bound = match update {
            Update::Clause => Some((4, 3)),
            Update::DeepBranch => Some((1, 3)),
            Update::Positive => Some((1, 4)),
            Update::Negative => Some((1, 5)),
            Update::Branch | Update::WeakPositive => Some((1, 6)),
            Update::WeakNegative => Some((1, 7)),
            Update::Free
            | Update::Observe
            | Update::Immediate
            | Update::WeakClause
            | Update::StableClause
            | Update::BranchingClause => None,
        };
        if let Some((entry, other)) = bound {
            left[entry - 1] = left[entry - 1].min(left[other - 1]);
        }
        if update == Update::Branch {
            spend(&mut left, 1)?;
        }
        Some(left)
    }

    #[test]
    fn updates_do_what_they_say() {
        let mut entries = vec![0u8; 8];
        loop {
            let budget = Budget::new(&entries);
            assert_eq!(budget.entries(8), entries);
            for update in UPDATES {
                let after = update.after(budget).map(|b| b.entries(8));
                assert_eq!(after, left(update, &entries), "{update:?} {entries:?}");
                // The least budget before suffices, and what is left covers the budget.
                let before = update.before(budget);
                let after = update.after(before).expect("it suffices");
                assert!(budget.is_at_most(after), "{update:?} {entries:?}");
            }
            let Some(k) = entries.iter().position(|&e| e < 2) else {
                break;
            };
            entries[k] += 1;
            entries[..k].fill(0);
        }
    }

    #[test]
    fn the_budget_before_is_the_least_one() {
        // Of three entries each that an update speaks of, all budgets.
        for update in UPDATES {
            for price in (0..=u16::MAX).step_by(37).map(Budget::from_bits) {
                let is_proper = (0..8).all(|k| price.bits() >> (2 * k) & 0b11 != 0b10);
                let Some(left) = update.after(price).filter(|_| is_proper) else {
                    continue;
                };
                // A price suffices for all budgets that are at most what it leaves.
                assert!(
                    update.before(left).is_at_most(price),
                    "{update:?} {price:?}"
                );
            }
        }
    }

    #[test]
    fn minimal_budgets_are_kept() {
        let all = [[2, 1, 0], [1, 1, 0], [0, 2, 0], [1, 2, 2], [0, 2, 0]];
        let mut budgets: Vec<u16> = all.iter().map(|e| Budget::new(e).bits()).collect();
        keep_minimal(&mut budgets);
        let mut expected = [[1, 1, 0], [0, 2, 0]].map(|e| Budget::new(&e).bits());
        expected.sort_unstable();
        assert_eq!(budgets, expected);
    }
}
