//! Whether all the traces of a state are traces of another one, for many pairs of states.

use hyades_base::antichains::Antichains;

use super::Limit;
use super::sets::Sets;
use super::system::System;
use super::walk::{Judgement, Look, Walk};

/// What is known of pairs (x, Y) of a state and a set of states: whether some state of Y
/// has each trace of x.
///
/// Such searches are those for traces. What they find is kept:
///
/// * if there is a difference, the pairs on the way to it differ as well, and with them
///   all (x, Y′) with Y′ ⊆ Y. Of the other pairs nothing is known, since not all that is
///   behind them was looked at;
/// * if there is none, none of the pairs looked at differs, nor does any (x, Y′) with
///   Y ⊆ Y′.
pub(super) struct Futures {
    known: Knowledge,
    walk: Walk,
    pairs: usize,
}

/// What is known of pairs.
struct Knowledge {
    /// Pairs that do not differ, ⊆-minimal.
    within: Antichains,
    /// For each state the sets of pairs that differ, ⊆-maximal.
    beyond: Vec<Vec<u32>>,
}

impl Futures {
    /// Nothing is known.
    pub(super) fn new(states: usize) -> Self {
        Self {
            known: Knowledge {
                within: Antichains::default(),
                beyond: vec![Vec::new(); states],
            },
            walk: Walk::new(),
            pairs: 0,
        }
    }

    /// How many pairs were looked at.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether all the traces of `x` are traces of `y`; `None` if the limit was reached.
    pub(super) fn within(
        &mut self,
        system: &System,
        sets: &mut Sets<'_>,
        x: u32,
        y: u32,
        limit: Limit,
    ) -> Option<bool> {
        let start = sets.of(y);
        let mut call = Call {
            known: &self.known,
            asks_beyond: true,
            limit: Limit {
                pairs: limit.pairs.saturating_sub(self.pairs),
                ..limit
            },
        };
        let end = self.walk.run(system, sets, &mut call, (x, start));
        self.pairs += self.walk.len();
        let within = match end {
            Judgement::Limit => None,
            Judgement::Difference => {
                for (state, set) in self.walk.pairs_on_way() {
                    self.known.differ(sets, state, set);
                }
                Some(false)
            }
            Judgement::Nothing => {
                let within = &mut self.known.within;
                for (state, set) in self.walk.pairs() {
                    if !within.any(state, |part| sets.is_within(part, set)) {
                        let is_whole = |whole| sets.is_within(set, whole);
                        within.insert(state, (set, 0), is_whole, |_| {});
                    }
                }
                Some(true)
            }
        };
        self.walk.clear();
        within
    }

    /// A shortest trace of `x` that `y` has not, as ranks; `None` if there is none, or if
    /// none is found after so many comparisons.
    pub(super) fn shortest(
        &mut self,
        system: &System,
        sets: &mut Sets<'_>,
        x: u32,
        y: u32,
        comparisons: usize,
    ) -> Option<Vec<u32>> {
        let start = sets.of(y);
        let mut call = Call {
            known: &self.known,
            asks_beyond: false,
            limit: Limit {
                pairs: usize::MAX,
                bytes: usize::MAX,
                comparisons: sets.comparisons().saturating_add(comparisons),
            },
        };
        let end = self.walk.run(system, sets, &mut call, (x, start));
        let found = (end == Judgement::Difference).then(|| self.walk.path().trace);
        self.walk.clear();
        found
    }
}

impl Knowledge {
    /// A pair differs.
    fn differ(&mut self, sets: &Sets<'_>, state: u32, set: u32) {
        let beyond = &mut self.beyond[state as usize];
        if !beyond.iter().any(|&whole| sets.is_within(set, whole)) {
            beyond.retain(|&part| !sets.is_within(part, set));
            beyond.push(set);
        }
    }

    /// Whether a pair is known to differ.
    fn differs(&self, sets: &Sets<'_>, state: u32, set: u32) -> bool {
        let mut beyond = self.beyond[state as usize].iter();
        beyond.any(|&whole| sets.is_within(set, whole))
    }
}

/// One search.
struct Call<'k> {
    known: &'k Knowledge,
    /// Whether to stop at pairs that are known to differ.
    asks_beyond: bool,
    limit: Limit,
}

impl Look for Call<'_> {
    fn arrive(&mut self, sets: &mut Sets<'_>, state: u32, set: u32) -> Option<u32> {
        let known = &self.known.within;
        let is_within =
            sets.contains(set, state) || known.any(state, |part| sets.is_within(part, set));
        (!is_within).then_some(set)
    }

    fn is_spent(&self, sets: &Sets<'_>) -> bool {
        self.limit.is_spent(sets)
    }

    fn judge(&mut self, sets: &mut Sets<'_>, state: u32, set: u32, pairs: usize) -> Judgement {
        if set == Sets::EMPTY || (self.asks_beyond && self.known.differs(sets, state, set)) {
            return Judgement::Difference;
        }
        match self.limit.is_reached(pairs, sets) {
            true => Judgement::Limit,
            false => Judgement::Nothing,
        }
    }
}
