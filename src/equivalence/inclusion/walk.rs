//! Breadth-first searches of pairs of a state and a set of states, with antichains.

use hyades_base::antichains::Antichains;

use super::sets::Sets;
use super::system::System;

/// A pair that was found.
#[derive(Clone, Copy)]
struct Entry {
    state: u32,
    set: u32,
    /// The pair before; its own number for the first one.
    before: u32,
    /// The rank of the step from there, or [`NO_RANK`].
    rank: u32,
}

/// Of a step that is no part of a trace.
const NO_RANK: u32 = u32::MAX;
/// The set of a pair that another one of the same distance makes superfluous.
const SUPERSEDED: u32 = u32::MAX;

/// About what an entry takes, with its place in an antichain.
pub(super) const BYTES_A_PAIR: usize = 16 + 16;

/// What a search is for.
pub(super) trait Look {
    /// The set that takes the place of that of a pair; nothing if no difference can be
    /// found behind the pair.
    fn arrive(&mut self, sets: &mut Sets<'_>, state: u32, set: u32) -> Option<u32>;

    /// Whether sets were compared more than they may be.
    fn is_spent(&self, sets: &Sets<'_>) -> bool;

    /// What a pair shows that no other one covers, after so many pairs.
    fn judge(&mut self, sets: &mut Sets<'_>, state: u32, set: u32, pairs: usize) -> Judgement;
}

/// What a pair shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Judgement {
    /// What is looked for.
    Difference,
    /// Nothing by itself.
    Nothing,
    /// The limit is reached.
    Limit,
}

/// The way to a pair.
pub(super) struct Path {
    /// The states of the pairs, from the first one on.
    pub(super) states: Vec<u32>,
    /// The ranks of the trace: one less than the states, if no step was hidden.
    pub(super) trace: Vec<u32>,
}

/// A search.
///
/// Pairs are looked at in the order of the lengths of their traces, and of one length in
/// the order of their labels, so that the first difference is one after the first of the
/// shortest traces. A pair that another one covers is not looked at: there is no
/// difference behind it that is not behind the other, after a trace that is no longer. For
/// this the other must not be farther away. Which pairs of one distance are covered does
/// not depend on their order.
pub(super) struct Walk {
    entries: Vec<Entry>,
    antichains: Antichains,
    /// The first entry of the distance for which entries are being made.
    layer: usize,
}

impl Walk {
    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            antichains: Antichains::default(),
            layer: 0,
        }
    }

    /// How many pairs were found.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets all. O(pairs).
    pub(super) fn clear(&mut self) {
        for entry in self.entries.drain(..) {
            self.antichains.clear(entry.state);
        }
        self.layer = 0;
    }

    /// Searches from a pair on. The last entry shows the difference, if there is one.
    pub(super) fn run(
        &mut self,
        system: &System,
        sets: &mut Sets<'_>,
        look: &mut impl Look,
        start: (u32, u32),
    ) -> Judgement {
        macro_rules! go_on {
            ($judgement:expr) => {
                match $judgement {
                    Judgement::Nothing => {}
                    end => return end,
                }
            };
        }
        // Where the entries of each trace end.
        let mut ends = Vec::new();
        go_on!(self.add(sets, look, start, None, NO_RANK));
        go_on!(self.close(system, sets, look, 0));
        ends.push(self.entries.len());
        let (mut from, mut group) = (0, 0);
        let mut moves: Vec<(u32, usize, u32)> = Vec::new();
        while from < self.entries.len() {
            // Traces of this length end here.
            let layer = ends.len();
            self.layer = self.entries.len();
            while group < layer {
                moves.clear();
                for at in from..ends[group] {
                    let Entry { state, set, .. } = self.entries[at];
                    if set != SUPERSEDED {
                        let (ranks, targets) = system.steps(state);
                        moves.extend(ranks.iter().zip(targets).map(|(&r, &t)| (r, at, t)));
                    }
                }
                moves.sort_unstable();
                (from, group) = (ends[group], group + 1);
                for of_label in moves.chunk_by(|a, b| a.0 == b.0) {
                    if look.is_spent(sets) {
                        return Judgement::Limit;
                    }
                    let first = self.entries.len();
                    for &(rank, at, t) in of_label {
                        let after = sets.after(self.entries[at].set, rank);
                        go_on!(self.add(sets, look, (t, after), Some(at), rank));
                    }
                    go_on!(self.close(system, sets, look, first));
                    ends.push(self.entries.len());
                }
            }
        }
        Judgement::Nothing
    }

    /// Goes on by hidden steps from the entries of one trace, from this one on.
    fn close(
        &mut self,
        system: &System,
        sets: &mut Sets<'_>,
        look: &mut impl Look,
        first: usize,
    ) -> Judgement {
        let mut next = first;
        while next < self.entries.len() {
            let Entry { state, set, .. } = self.entries[next];
            for &t in system.hidden(state) {
                if set == SUPERSEDED {
                    break;
                }
                match self.add(sets, look, (t, set), Some(next), NO_RANK) {
                    Judgement::Nothing => {}
                    end @ (Judgement::Difference | Judgement::Limit) => return end,
                }
            }
            next += 1;
        }
        Judgement::Nothing
    }

    /// Looks at a pair and makes an entry of it if it matters.
    fn add(
        &mut self,
        sets: &mut Sets<'_>,
        look: &mut impl Look,
        (state, set): (u32, u32),
        before: Option<usize>,
        rank: u32,
    ) -> Judgement {
        let Some(set) = look.arrive(sets, state, set) else {
            return Judgement::Nothing;
        };
        if self.antichains.any(state, |part| sets.is_within(part, set)) {
            return Judgement::Nothing;
        }
        let number = self.entries.len() as u32;
        let judgement = look.judge(sets, state, set, self.entries.len());
        let before = before.map_or(number, |before| before as u32);
        self.entries.push(Entry {
            state,
            set,
            before,
            rank,
        });
        if judgement == Judgement::Nothing {
            let (entries, layer) = (&mut self.entries, self.layer);
            let give_up = |other: u32| {
                // One that is nearer may lead to a shorter difference.
                if other as usize >= layer {
                    entries[other as usize].set = SUPERSEDED;
                }
            };
            let is_whole = |whole| sets.is_within(set, whole);
            self.antichains
                .insert(state, (set, number), is_whole, give_up);
        }
        judgement
    }

    /// The pairs that were found, but for superfluous ones.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = self.entries.iter().map(|entry| (entry.state, entry.set));
        all.filter(|pair| pair.1 != SUPERSEDED)
    }

    /// The entries on the way to the last one, and it, backwards.
    fn way(&self) -> impl Iterator<Item = &Entry> {
        let before = |&at: &u32| {
            let before = self.entries[at as usize].before;
            (before != at).then_some(before)
        };
        let last = self.entries.len().checked_sub(1).map(|last| last as u32);
        let way = std::iter::successors(last, before);
        way.map(|at| &self.entries[at as usize])
    }

    /// The pairs on the way to the last one, and it, backwards; but for superfluous ones.
    pub(super) fn pairs_on_way(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = self.way().map(|entry| (entry.state, entry.set));
        all.filter(|pair| pair.1 != SUPERSEDED)
    }

    /// The way to the last entry.
    pub(super) fn path(&self) -> Path {
        let mut states: Vec<u32> = self.way().map(|entry| entry.state).collect();
        states.reverse();
        let ranks = self.way().map(|entry| entry.rank);
        let mut trace: Vec<u32> = ranks.filter(|&rank| rank != NO_RANK).collect();
        trace.reverse();
        Path { states, trace }
    }
}
