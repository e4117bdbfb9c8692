//! Transitions by target.

use hyades_formats::{LabelId, Lts, StateId};

/// The transitions of an [`Lts`] in compressed rows by target: row `t` is
/// `offsets[t] .. offsets[t + 1]` of the parallel columns `labels` and
/// `sources`. Within a row, sources ascend, and transitions of one source are
/// in the order of the LTS. 8 bytes a transition and 4 a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backward {
    /// Where each row starts; one more entry than there are states.
    pub offsets: Vec<u32>,
    /// The labels of the transitions.
    pub labels: Vec<LabelId>,
    /// The sources of the transitions.
    pub sources: Vec<StateId>,
}

impl Backward {
    /// The transitions of `lts` by target. O(states + transitions).
    pub fn new(lts: &Lts) -> Self {
        let n = lts.states();
        let m = lts.transitions();
        let mut offsets = vec![0u32; n + 1];
        for t in lts.targets() {
            offsets[t.index()] += 1;
        }
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        // Each offset is now the end of its row; filling the rows from behind
        // moves it to the start.
        let mut labels = vec![LabelId::HIDDEN; m];
        let mut sources = vec![StateId::default(); m];
        for s in (0..n).rev() {
            let s = StateId::from_index(s);
            for k in lts.row(s).rev() {
                let place = &mut offsets[lts.targets()[k].index()];
                *place -= 1;
                labels[*place as usize] = lts.labels()[k];
                sources[*place as usize] = s;
            }
        }
        Self {
            offsets,
            labels,
            sources,
        }
    }

    /// The incoming transitions of `state` as (label, source).
    #[inline]
    pub fn incoming(
        &self,
        state: StateId,
    ) -> impl ExactSizeIterator<Item = (LabelId, StateId)> + '_ {
        let row = self.offsets[state.index()] as usize..self.offsets[state.index() + 1] as usize;
        self.labels[row.clone()]
            .iter()
            .copied()
            .zip(self.sources[row].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_formats::LtsBuilder;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn rows_by_target_hold_the_same_transitions_in_order(
            n in 1u32..8,
            edges in prop::collection::vec((0u32..8, 0u32..3, 0u32..8), 0..30),
        ) {
            let mut builder = LtsBuilder::new(n.into());
            builder.table_mut().intern(b"a").unwrap();
            builder.table_mut().intern(b"b").unwrap();
            for (s, l, t) in edges {
                builder.add(StateId::new(s % n), LabelId::new(l), StateId::new(t % n));
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            let backward = Backward::new(&lts);
            for t in 0..n {
                let t = StateId::new(t);
                let expected: Vec<_> =
                    lts.iter().filter(|e| e.2 == t).map(|(s, l, _)| (l, s)).collect();
                prop_assert_eq!(backward.incoming(t).collect::<Vec<_>>(), expected);
            }
        }
    }
}
