//! Which worker has a state: each has a range of consecutive ones.

/// Ranges of states, one a worker, without gaps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges {
    /// The first state of each worker, and the number of all states.
    starts: Vec<u64>,
}

impl Ranges {
    /// From the first state of each worker, ascending from 0 on, and the number of all states.
    ///
    /// # Panics
    /// If they do not ascend from 0 on, or there is only one number.
    pub fn new(starts: Vec<u64>) -> Self {
        assert!(starts.len() > 1 && starts[0] == 0 && starts.is_sorted());
        Self { starts }
    }

    /// Ranges of about the same size for so many workers.
    pub fn even(states: u64, peers: usize) -> Self {
        let start = |worker| (u128::from(states) * worker as u128 / peers as u128) as u64;
        Self::new((0..=peers).map(start).collect())
    }

    /// The number of all states.
    pub fn states(&self) -> u64 {
        self.starts[self.peers()]
    }

    /// How many workers there are.
    pub fn peers(&self) -> usize {
        self.starts.len() - 1
    }

    /// The states of a worker.
    pub fn of(&self, worker: usize) -> std::ops::Range<u64> {
        self.starts[worker]..self.starts[worker + 1]
    }

    /// Who has a state, which is less than their number. Takes logarithmic time in the number
    /// of workers.
    #[inline]
    pub fn owner(&self, state: u64) -> usize {
        debug_assert!(state < self.states());
        self.starts.partition_point(|&start| start <= state) - 1
    }
}

/// LTSs side by side, of each of which each worker has a range of states: those of the first
/// one, then those of the next one. The numbers of states in all of them depend on how many
/// workers there are; by this they get others, which do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    each: Vec<Ranges>,
}

impl Layout {
    /// Of LTSs with these ranges.
    pub fn new(each: Vec<Ranges>) -> Self {
        Self { each }
    }

    /// With each of these the number of states of those before it.
    fn shifted(&self) -> impl Iterator<Item = (u64, &Ranges)> {
        self.each.iter().scan(0, |before, ranges| {
            let own = *before;
            *before += ranges.states();
            Some((own, ranges))
        })
    }

    /// The pieces of all workers, in the order of their states.
    pub fn pieces(&self) -> impl Iterator<Item = std::ops::Range<u64>> {
        self.shifted().flat_map(|(before, ranges)| {
            (0..ranges.peers()).map(move |worker| {
                let states = ranges.of(worker);
                before + states.start..before + states.end
            })
        })
    }

    /// The pieces of a worker, which are its states in their order, and which ones of all they
    /// are.
    pub fn of(&self, worker: usize) -> impl Iterator<Item = (usize, std::ops::Range<u64>)> {
        let peers = self.each.first().map_or(1, Ranges::peers);
        let pieces = self.pieces().enumerate();
        pieces.filter(move |(piece, _)| piece % peers == worker)
    }

    /// The number of a state, which is the `place`-th one of a worker.
    pub fn number(&self, worker: usize, mut place: u64) -> u64 {
        for (before, ranges) in self.shifted() {
            let own = ranges.of(worker);
            match place.checked_sub(own.end - own.start) {
                None => return before + own.start + place,
                Some(rest) => place = rest,
            }
        }
        unreachable!("a worker has as many states as all of its pieces")
    }
}

#[cfg(test)]
mod tests {
    use super::{Layout, Ranges};

    #[test]
    fn states_side_by_side_have_numbers_of_their_own() {
        for peers in 1..5 {
            let layout = Layout::new(vec![
                Ranges::even(7, peers),
                Ranges::even(0, peers),
                Ranges::even(5, peers),
            ]);
            let pieces: Vec<_> = layout.pieces().collect();
            assert_eq!(pieces.len(), 3 * peers);
            assert!(pieces.iter().cloned().flatten().eq(0..12));
            let mut all: Vec<u64> = Vec::new();
            for worker in 0..peers {
                let own: Vec<u64> = layout.of(worker).flat_map(|(_, states)| states).collect();
                let by_place = (0..own.len() as u64).map(|place| layout.number(worker, place));
                assert!(own.iter().copied().eq(by_place));
                for (piece, states) in layout.of(worker) {
                    assert_eq!(pieces[piece], states);
                }
                all.extend(own);
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..12));
        }
    }

    #[test]
    fn each_state_has_its_owner() {
        let ranges = [
            Ranges::even(10, 4),
            Ranges::even(3, 5),
            Ranges::even(0, 2),
            Ranges::even(1 << 39, 64),
            Ranges::new(vec![0, 0, 7, 7, 9]),
        ];
        for ranges in ranges {
            for worker in 0..ranges.peers() {
                let own = ranges.of(worker);
                let sample = [
                    own.start,
                    (own.start + own.end) / 2,
                    own.end.saturating_sub(1),
                ];
                for state in sample.into_iter().filter(|state| own.contains(state)) {
                    assert_eq!(ranges.owner(state), worker);
                }
            }
            let sizes = (0..ranges.peers()).map(|worker| ranges.of(worker).count() as u64);
            if ranges.states() < 100 {
                assert_eq!(sizes.sum::<u64>(), ranges.states());
            }
        }
    }
}
