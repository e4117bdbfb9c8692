//! Cycles of hidden steps.

use hyades_explore::{Answer, ExploreError, ExploreOptions, Questions, explore, unpack_number};
use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};

/// The hidden steps between some pairs, which are numbered from 0 on.
pub(super) struct Hidden {
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Hidden {
    pub(super) fn new() -> Self {
        Self {
            offsets: vec![0],
            targets: Vec::new(),
        }
    }

    /// A step of the next pair.
    ///
    /// # Errors
    /// If there are too many.
    pub(super) fn push(&mut self, target: u32) -> Result<(), TooLarge> {
        self.targets.push(target);
        // Some room is needed by `first_cycle`.
        let limit = u64::from(u32::MAX / 2);
        match self.targets.len() as u64 > limit {
            true => Err(TooLarge {
                what: "hidden transitions",
                limit,
            }),
            false => Ok(()),
        }
    }

    /// All steps of the next pair are there.
    pub(super) fn end_of_row(&mut self) {
        self.offsets.push(self.targets.len() as u32);
    }

    /// Bytes held; as many again, and 12 a pair, in [`Hidden::first_cycle`].
    pub(super) fn bytes(&self) -> usize {
        4 * (self.offsets.capacity() + self.targets.capacity())
    }

    /// A shortest cycle through the first pair that is on one, if that is one of
    /// the first `count`. O(pairs + steps).
    ///
    /// # Errors
    /// If there are too many pairs.
    pub(super) fn first_cycle(self, count: usize) -> Result<Option<Vec<u32>>, ExploreError> {
        if self.targets.is_empty() {
            return Ok(None);
        }
        // One state more, from which a visible step leads to each of the first.
        let mut table = LabelTable::new();
        let start = table.intern(b"start")?;
        let mut labels = vec![start; count];
        labels.resize(count + self.targets.len(), LabelId::HIDDEN);
        let firsts = 0..count as u32;
        let targets = firsts.chain(self.targets).map(|k| StateId::new(k + 1));
        let offsets = self.offsets.iter().map(|offset| offset + count as u32);
        let lts = Lts::from_parts(LtsParts {
            initial: StateId::new(0),
            offsets: std::iter::once(0)
                .chain(offsets)
                .collect::<Vec<u32>>()
                .into(),
            labels,
            targets: targets.collect(),
            table,
        });
        let search = ExploreOptions {
            questions: Questions {
                livelock: true,
                ..Questions::default()
            },
            ..ExploreOptions::default()
        };
        let Some(Answer::Yes(trace)) = explore(&lts, search, &mut ())?.livelock else {
            return Ok(None);
        };
        // The first are found first; others are more than a step away.
        if trace.cycle != Some(1) {
            return Ok(None);
        }
        let cycle = trace.packed[1..trace.packed.len() - 1].iter();
        Ok(Some(cycle.map(|state| unpack_number(state) - 1).collect()))
    }
}
