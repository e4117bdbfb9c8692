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

#[cfg(test)]
mod tests {
    use super::Ranges;

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
