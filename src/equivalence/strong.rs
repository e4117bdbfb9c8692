//! Strong bisimilarity: the signature of a state is the set of (label, block of
//! the target) over its outgoing transitions.

use std::ops::Range;

use hyades_base::parallel;
use hyades_formats::Lts;

use super::Partition;
use super::refinable::Refinable;
use super::refine::{Blocks, Signed, Signer, Start, refine_until};
use super::rounds::Rounds;
use super::rows::Rows;
use super::signature::{Deterministic, Mixer, Summer, element};
use super::{bounded, verify, well_founded};

/// The coarsest strong bisimulation. O(m log n) time for m transitions and n
/// states; 4 bytes a transition and 32 a state at the peak, besides the input.
pub(super) fn partition(lts: &Lts, rounds: &mut Rounds<'_>) -> Partition {
    with_mixers(lts.into(), Mixer::new, rounds)
}

/// As [`partition`], beginning with these blocks, of which the settled ones are taken for
/// what they are.
pub(super) fn partition_from(
    lts: &Lts,
    block: Vec<u32>,
    settled: u32,
    rounds: &mut Rounds<'_>,
) -> Partition {
    refined(lts.into(), Start { block, settled }, Mixer::new, rounds)
}

pub(super) fn with_mixers(
    rows: Rows<'_>,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let start = well_founded::classify(rows, mixer(0)).unwrap_or_else(|| Start::new(rows.states()));
    refined(rows, start, mixer, rounds)
}

fn refined(
    rows: Rows<'_>,
    start: Start,
    mixer: impl Fn(u64) -> Mixer,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let mut signer = Strong {
        rows,
        tasks: rows.tasks(),
        deterministic: Deterministic::new(rows),
    };
    let is_stable = |class: &[u32], count| verify::strong(rows, class, count);
    refine_until(&mut signer, start, mixer, is_stable, rounds)
}

/// States are signed by several threads from this number on.
const MANY: usize = 1 << 10;

struct Strong<'a> {
    rows: Rows<'a>,
    tasks: Vec<Range<usize>>,
    deterministic: Deterministic,
}

impl Strong<'_> {
    #[inline(always)] // See `Summer::sum`.
    fn sign(&self, summer: &mut Summer, block: &[u32], mixer: Mixer, s: u32) -> u64 {
        let elements = self.rows.elements(s, block);
        self.deterministic
            .sum(self.rows, summer, mixer, s, elements)
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
        sums: &mut Vec<u64>,
    ) -> bool {
        let this = &*self;
        let sign = |summer: &mut Summer, s: u32| {
            if count > 1 {
                return this.sign(summer, block, mixer, s);
            }
            // With a single block the targets need not be looked at.
            let (labels, _) = this.rows.row(s);
            let elements = labels.iter().map(|l| element(l.get(), 0));
            this.deterministic
                .sum(this.rows, summer, mixer, s, elements)
        };
        match active {
            None => {
                parallel::map_ranges_into(sums, &self.tasks, |summer, s| sign(summer, s as u32));
            }
            Some(active) => {
                parallel::map_with_into(sums, active.len(), 1 << 10, |summer, k| {
                    sign(summer, active[k])
                });
            }
        }
        true
    }

    fn spread(&mut self, _: &mut Refinable, _: &[u32], marked: &mut Vec<u32>) {
        marked.clear();
    }

    fn sign_marked(
        &mut self,
        p: &Refinable,
        touched: &[u32],
        mixer: Mixer,
        signed: &mut Signed,
    ) -> bool {
        let this = &*self;
        let sign = |summer: &mut Summer, s: u32| this.sign(summer, p.blocks(), mixer, s);
        let Signed { keyed, rests, work } = signed;
        keyed.clear();
        for &b in touched {
            keyed.extend(p.marked(b).iter().map(|&s| (0, s)));
        }
        if keyed.len() < MANY {
            let mut summer = Summer::default();
            *work = 0;
            let mut sign = |s: u32| {
                *work += self.rows.degree(s) as u64 + 1;
                sign(&mut summer, s)
            };
            for k in 0..keyed.len() {
                let ahead = |k: usize| keyed.get(k).map(|&(_, s)| s);
                self.rows.fetch(ahead, k, p.blocks());
                keyed[k].0 = sign(keyed[k].1);
            }
            rests.clear();
            let rest = |&b: &u32| p.unmarked(b).map(&mut sign);
            rests.extend(touched.iter().map(rest));
        } else {
            let states = std::mem::take(keyed);
            parallel::map_with_into(keyed, states.len(), 256, |summer, k| {
                let (_, s) = states[k];
                let ahead = |k: usize| states.get(k).map(|&(_, s)| s);
                self.rows.fetch(ahead, k, p.blocks());
                (sign(summer, s), s)
            });
            parallel::map_with_into(rests, touched.len(), 256, |summer, k| {
                p.unmarked(touched[k]).map(|s| sign(summer, s))
            });
            let rests = touched.iter().filter_map(|&b| p.unmarked(b));
            let signed = keyed.iter().map(|&(_, s)| s).chain(rests);
            *work = signed.map(|s| self.rows.degree(s) as u64 + 1).sum();
        }
        true
    }

    fn refine_bounded(&self, block: Vec<u32>, count: u32, rounds: &mut Rounds<'_>) -> Blocks {
        let refined = bounded::refine_strong(self.rows, block, count, rounds);
        (refined.block, refined.count)
    }
}
