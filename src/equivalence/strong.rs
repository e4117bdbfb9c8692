//! Strong bisimilarity: the signature of a state is the set of (label, block of
//! the target) over its outgoing transitions.

use std::ops::Range;

use hyades_formats::Lts;
use rayon::prelude::*;

use super::Partition;
use super::refinable::Refinable;
use super::refine::{Blocks, Signed, Signer, Start, fill_by_task, refine_until};
use super::rows::{Rows, TASK};
use super::signature::{Mixer, Summer, element};
use super::{founded, slices, verify};

/// The coarsest strong bisimulation. O(m log n) time for m transitions and n
/// states; 4 bytes a transition and 32 a state at the peak, besides the input.
pub(super) fn partition(lts: &Lts) -> Partition {
    with_mixers(lts.into(), Mixer::new)
}

pub(super) fn with_mixers(rows: Rows<'_>, mixer: impl Fn(u64) -> Mixer) -> Partition {
    let mut signer = Strong {
        rows,
        tasks: rows.tasks(),
    };
    let start = founded::classify(rows, mixer(0)).unwrap_or_else(|| Start::new(rows.states()));
    refine_until(&mut signer, start, mixer, |class, count| {
        verify::strong(rows, class, count)
    })
}

struct Strong<'a> {
    rows: Rows<'a>,
    tasks: Vec<Range<usize>>,
}

impl Strong<'_> {
    fn sign(&self, summer: &mut Summer, block: &[u32], mixer: Mixer, s: u32) -> u64 {
        summer.sum(mixer, self.rows.degree(s), self.rows.elements(s, block))
    }
}

impl Signer for Strong<'_> {
    fn rows(&self) -> Rows<'_> {
        self.rows
    }

    fn sign_all(
        &mut self,
        block: &[u32],
        count: usize,
        active: Option<&[u32]>,
        mixer: Mixer,
    ) -> Option<Vec<u64>> {
        let this = &*self;
        let sign = |summer: &mut Summer, s: u32| {
            if count > 1 {
                return this.sign(summer, block, mixer, s);
            }
            // With a single block the targets need not be looked at.
            let (labels, _) = this.rows.row(s);
            summer.sum(
                mixer,
                labels.len(),
                labels.iter().map(|l| element(l.get(), 0)),
            )
        };
        let Some(active) = active else {
            let mut sums = vec![0; block.len()];
            fill_by_task(&mut sums, &self.tasks, sign);
            return Some(sums);
        };
        Some(
            active
                .par_iter()
                .with_min_len(1 << 10)
                .map_init(Summer::default, |summer, &s| sign(summer, s))
                .collect(),
        )
    }

    fn spread(&mut self, _: &mut Refinable, _: &[u32], _: Vec<u32>) {}

    fn sign_marked(&mut self, p: &Refinable, touched: &[u32], mixer: Mixer) -> Option<Signed> {
        let work: usize = touched
            .iter()
            .flat_map(|&b| p.marked(b))
            .map(|&s| self.rows.degree(s) + 1)
            .sum();
        let rest = |b: u32| p.members(b).get(p.marked(b).len()).copied();
        let this = &*self;
        let sign = |summer: &mut Summer, s: u32| this.sign(summer, p.blocks(), mixer, s);
        let (keyed, rests) = if work < TASK {
            let mut summer = Summer::default();
            (
                touched
                    .iter()
                    .flat_map(|&b| p.marked(b))
                    .map(|&s| (sign(&mut summer, s), s))
                    .collect(),
                touched
                    .iter()
                    .map(|&b| rest(b).map(|s| sign(&mut summer, s)))
                    .collect(),
            )
        } else {
            let states: Vec<u32> = touched.iter().flat_map(|&b| p.marked(b)).copied().collect();
            (
                states
                    .par_iter()
                    .with_min_len(256)
                    .map_init(Summer::default, |summer, &s| (sign(summer, s), s))
                    .collect(),
                touched
                    .par_iter()
                    .with_min_len(256)
                    .map_init(Summer::default, |summer, &b| {
                        rest(b).map(|s| sign(summer, s))
                    })
                    .collect(),
            )
        };
        let work = work as u64;
        Some(Signed { keyed, rests, work })
    }

    fn refine_bounded(&self, block: Vec<u32>, count: u32) -> Blocks {
        slices::refine_strong(self.rows, block, count)
    }
}
