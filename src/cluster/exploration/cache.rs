//! What other workers have answered of late, so that they are not asked again.

/// States of other workers, by their hashes: a later one takes the place of an earlier one.
/// The states themselves are compared, so that a hash decides nothing.
pub(super) struct Cache {
    words: usize,
    mask: usize,
    states: Vec<u64>,
    answers: Vec<u64>,
}

/// There is no answer at this place.
const NONE: u64 = u64::MAX;

impl Cache {
    /// For states of so many words, in about so many bytes; none at all if these are fewer
    /// than one state takes.
    pub fn new(words: usize, bytes: usize) -> Self {
        let most = bytes / (8 * (words + 1));
        let places = match most {
            0 => 0,
            _ => 1 << most.ilog2(),
        };
        Self {
            words,
            mask: usize::saturating_sub(places, 1),
            states: vec![0; places * words],
            answers: vec![NONE; places],
        }
    }

    fn place(&self, hash: u64) -> usize {
        hash as usize & self.mask
    }

    /// What has been answered for a state of this hash.
    #[inline]
    pub fn get(&self, hash: u64, state: &[u64]) -> Option<u64> {
        let place = self.place(hash);
        let answer = *self.answers.get(place)?;
        let is_there = answer != NONE && self.states[place * self.words..][..self.words] == *state;
        is_there.then_some(answer)
    }

    /// Keeps an answer, which is less than 2^64 - 1.
    #[inline]
    pub fn put(&mut self, hash: u64, state: &[u64], answer: u64) {
        let place = self.place(hash);
        if let Some(old) = self.answers.get_mut(place) {
            *old = answer;
            self.states[place * self.words..][..self.words].copy_from_slice(state);
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        8 * (self.states.len() + self.answers.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Cache;

    #[test]
    fn what_is_kept_is_what_was_put_last() {
        for (bytes, places) in [(0, 0), (23, 0), (24, 1), (24 * 5, 4)] {
            let mut cache = Cache::new(2, bytes);
            assert_eq!(cache.memory(), places * 24);
            for k in 0..20u64 {
                // All zeros are a state as others are.
                cache.put(k, &[k / 2, 0], k);
                assert_eq!(cache.get(k, &[k / 2, 0]), (places > 0).then_some(k));
                assert_eq!(cache.get(k, &[k / 2, 1]), None);
                assert_eq!(cache.get(k + 1, &[99, 0]), None);
            }
        }
    }
}
