//! Buffers of messages: how many states they have, and which follow which.

/// In which order a buffer gives out the messages in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The oldest first.
    Fifo,
    /// Any of them.
    Bag,
}

/// What a buffer does with a message of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It is put in.
    Put(u32),
    /// It is taken out.
    Get(u32),
}

/// A buffer of so many places for messages of so many kinds.
///
/// Its states are numbered by how much is in them, 0 being the empty buffer; with the same
/// number of messages, those of a queue as the numbers to the base `kinds` that they are,
/// the oldest message first, and those of a bag as combinations with repetition in
/// colexicographic order (Knuth, TAOCP 4A, section 7.2.1.3).
#[derive(Clone, Debug)]
pub struct Buffer {
    discipline: Discipline,
    places: u64,
    kinds: u32,
    /// The first state with so many messages, for 0 to `places`, and the number of states.
    firsts: Vec<u64>,
    /// Of a bag: the numbers of combinations of `m` out of `kind + 1` with repetition, but
    /// for kind 0, where all are 1; `m` from 0 to `places`.
    combinations: Vec<u64>,
}

impl Buffer {
    /// `None` if it has more than `most` states, of which 2^62 is the largest that is allowed.
    ///
    /// O(states) at most.
    ///
    /// # Panics
    /// If `most` is more than that.
    pub fn new(discipline: Discipline, places: u64, kinds: u32, most: u64) -> Option<Self> {
        assert!(most <= 1 << 62, "sums of two fit in 64 bits");
        // Nothing can be put in.
        let places = if kinds == 0 { 0 } else { places };
        let mut firsts = vec![0, 1];
        if most == 0 {
            return None;
        }
        let mut level = 1u128;
        for filled in 1..=places {
            level = match discipline {
                Discipline::Fifo => level * u128::from(kinds),
                // C(kinds + filled - 1, filled)
                Discipline::Bag => {
                    level * (u128::from(kinds) + u128::from(filled) - 1) / u128::from(filled)
                }
            };
            let all = u128::from(firsts[firsts.len() - 1]) + level;
            if all > u128::from(most) {
                return None;
            }
            firsts.push(all as u64);
        }
        let mut combinations = Vec::new();
        if discipline == Discipline::Bag {
            let width = places as usize + 1;
            for kind in 1..kinds as usize {
                combinations.push(1);
                for m in 1..width {
                    let above = match kind {
                        1 => 1,
                        _ => combinations[(kind - 2) * width + m],
                    };
                    combinations.push(combinations[combinations.len() - 1] + above);
                }
            }
        }
        Some(Self {
            discipline,
            places,
            kinds,
            firsts,
            combinations,
        })
    }

    /// How many states it has.
    pub fn states(&self) -> u64 {
        self.firsts[self.firsts.len() - 1]
    }

    /// How many transitions it has: two for each kind and each state that is not full.
    pub fn transitions(&self) -> u128 {
        let full = self.firsts[self.places as usize];
        2 * u128::from(self.kinds) * u128::from(full)
    }

    /// What can happen in a state, and where that leads: all that can be put in by kinds, and
    /// then all that can be taken out. O(log places + kinds), of a bag O(places + kinds).
    pub fn successors(&self, state: u64, put: impl FnMut(Event, u64)) {
        let filled = self.firsts.partition_point(|&first| first <= state) - 1;
        let rank = state - self.firsts[filled];
        match self.discipline {
            Discipline::Fifo => self.of_queue(filled, rank, put),
            Discipline::Bag => self.of_bag(filled, rank, put),
        }
    }

    fn of_queue(&self, filled: usize, rank: u64, mut put: impl FnMut(Event, u64)) {
        let kinds = u64::from(self.kinds);
        if (filled as u64) < self.places {
            for kind in 0..self.kinds {
                let target = self.firsts[filled + 1] + rank * kinds + u64::from(kind);
                put(Event::Put(kind), target);
            }
        }
        if filled > 0 {
            let before = self.firsts[filled - 1];
            let weight = self.firsts[filled] - before;
            put(Event::Get((rank / weight) as u32), before + rank % weight);
        }
    }

    /// The number of a bag in its level is the sum, over the kinds, of the combinations of as
    /// many as are of this kind or lower ones, less those of as many as are of lower ones.
    fn of_bag(&self, filled: usize, rank: u64, mut put: impl FnMut(Event, u64)) {
        let kinds = self.kinds as usize;
        let up_to = self.messages(filled, rank);
        let below = |kind: usize| if kind == 0 { 0 } else { up_to[kind - 1] };
        // What a kind contributes to the number if there is one message more or less of a lower
        // one, and if it is of this kind itself.
        let changed = |kind, change, count: usize| {
            self.combinations(kind, count.saturating_add_signed(change))
        };
        let term = |kind: usize, change: isize| {
            changed(kind, change, up_to[kind]) - changed(kind, change, below(kind))
        };
        let own = |kind: usize, change: isize| {
            changed(kind, change, up_to[kind]) - changed(kind, 0, below(kind))
        };
        let is_in = |kind: usize| up_to[kind] > below(kind);
        let mut all = |change: isize, event: fn(u32) -> Event| {
            let first = self.firsts[filled.saturating_add_signed(change)];
            let mut before = 0;
            let mut behind: u64 = (0..kinds).map(|kind| term(kind, change)).sum();
            for kind in 0..kinds {
                behind -= term(kind, change);
                if change > 0 || is_in(kind) {
                    let target = first + before + own(kind, change) + behind;
                    put(event(kind as u32), target);
                }
                before += term(kind, 0);
            }
        };
        if (filled as u64) < self.places {
            all(1, Event::Put);
        }
        if filled > 0 {
            all(-1, Event::Get);
        }
    }

    /// How many messages of each kind or lower ones are in a bag.
    fn messages(&self, filled: usize, rank: u64) -> Vec<usize> {
        let mut up_to = vec![filled; self.kinds as usize];
        let mut rest = rank;
        let mut left = filled;
        for kind in (1..self.kinds as usize).rev() {
            // The last message is of this kind if as many combinations are before it as there
            // are of all messages out of the lower ones.
            while left > 0 && self.combinations(kind - 1, left) <= rest {
                rest -= self.combinations(kind - 1, left);
                left -= 1;
            }
            up_to[kind - 1] = left;
        }
        up_to
    }

    /// The number of combinations of `count` out of `kind + 1` with repetition.
    fn combinations(&self, kind: usize, count: usize) -> u64 {
        match kind.checked_sub(1) {
            None => 1,
            Some(row) => self.combinations[row * (self.places as usize + 1) + count],
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, VecDeque};

    use super::*;

    /// What is in a buffer when something has happened, by definition; the oldest message first.
    fn next(
        discipline: Discipline,
        places: usize,
        content: &[u32],
        event: Event,
    ) -> Option<Vec<u32>> {
        let mut content = content.to_vec();
        match (event, discipline) {
            (Event::Put(kind), _) => {
                if content.len() == places {
                    return None;
                }
                content.push(kind);
            }
            (Event::Get(kind), Discipline::Fifo) => {
                if content.first() != Some(&kind) {
                    return None;
                }
                content.remove(0);
            }
            (Event::Get(kind), Discipline::Bag) => {
                let at = content.iter().position(|&other| other == kind)?;
                content.remove(at);
            }
        }
        if discipline == Discipline::Bag {
            content.sort_unstable();
        }
        Some(content)
    }

    #[test]
    fn states_are_contents() {
        for (discipline, places, kinds) in [Discipline::Fifo, Discipline::Bag]
            .into_iter()
            .flat_map(|discipline| (0..5).map(move |places| (discipline, places)))
            .flat_map(|(discipline, places)| (0..5).map(move |kinds| (discipline, places, kinds)))
        {
            let buffer = Buffer::new(discipline, places, kinds, 10_000).expect("few states");
            let mut contents = BTreeMap::from([(0, Vec::new())]);
            let mut waiting = VecDeque::from([0]);
            let mut transitions = 0;
            while let Some(state) = waiting.pop_front() {
                let content = contents[&state].clone();
                let mut expected: BTreeMap<String, Vec<u32>> = (0..kinds)
                    .flat_map(|kind| [Event::Put(kind), Event::Get(kind)])
                    .filter_map(|event| {
                        let next = next(discipline, places as usize, &content, event)?;
                        Some((format!("{event:?}"), next))
                    })
                    .collect();
                buffer.successors(state, |event, target| {
                    transitions += 1;
                    let next = expected.remove(&format!("{event:?}"));
                    let next = next.expect("this can happen once");
                    let known = contents.entry(target).or_insert_with(|| {
                        waiting.push_back(target);
                        next.clone()
                    });
                    assert_eq!(*known, next, "one number, one content");
                });
                assert!(expected.is_empty(), "{expected:?} can happen, too");
            }
            assert_eq!(buffer.states(), contents.len() as u64);
            assert_eq!(buffer.transitions(), transitions);
            assert!(contents.keys().copied().eq(0..buffer.states()));
            let different: BTreeSet<_> = contents.values().collect();
            assert_eq!(different.len(), contents.len(), "one content, one number");
        }
    }

    #[test]
    fn large_buffers_are_counted() {
        let states = |discipline, places, kinds, most| {
            Buffer::new(discipline, places, kinds, most).map(|buffer| buffer.states())
        };
        assert_eq!(states(Discipline::Fifo, 20, 2, 2_097_151), Some(2_097_151));
        assert_eq!(states(Discipline::Fifo, 20, 2, 2_097_150), None);
        assert_eq!(states(Discipline::Bag, 10, 10, 1 << 62), Some(184_756));
        assert_eq!(states(Discipline::Bag, u64::MAX, 2, 1 << 20), None);
        assert_eq!(states(Discipline::Fifo, u64::MAX, u32::MAX, 1 << 62), None);
        assert_eq!(states(Discipline::Fifo, u64::MAX, 0, 1), Some(1));
        assert_eq!(
            states(Discipline::Bag, 1_000_000, 1, 1 << 20),
            Some(1_000_001)
        );
        assert_eq!(states(Discipline::Bag, 0, 5, 0), None);
    }
}
