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
use super::signature::{Deterministic, DeterministicStates, Mixer, Summer, element};
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

/// What signing states looks up, with which loops over states are the faster: all of it is at
/// hand, and none of it has to be looked for again for each state.
#[derive(Clone, Copy)]
struct Signing<'a> {
    rows: Rows<'a>,
    deterministic: DeterministicStates<'a>,
    block: &'a [u32],
    mixer: Mixer,
}

impl Signing<'_> {
    #[inline(always)] // See `Summer::sum`.
    fn sign(self, summer: &mut Summer, s: u32) -> u64 {
        let elements = self.rows.elements(s, self.block);
        self.sum(summer, s, elements)
    }

    /// As [`Signing::sign`] with a single block: the targets need not be looked at.
    #[inline(always)]
    fn sign_labels(self, summer: &mut Summer, s: u32) -> u64 {
        let (labels, _) = self.rows.row(s);
        let elements = labels.iter().map(|l| element(l.get(), 0));
        self.sum(summer, s, elements)
    }

    #[inline(always)]
    fn sum(self, summer: &mut Summer, s: u32, elements: impl Iterator<Item = u64>) -> u64 {
        self.deterministic
            .sum(self.rows, summer, self.mixer, s, elements)
    }
}

impl Strong<'_> {
    fn signing<'s>(&'s self, block: &'s [u32], mixer: Mixer) -> Signing<'s> {
        Signing {
            rows: self.rows,
            deterministic: self.deterministic.states(),
            block,
            mixer,
        }
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
        let signing = self.signing(block, mixer);
        let sign = move |summer: &mut Summer, s: u32| match count {
            ..=1 => signing.sign_labels(summer, s),
            _ => signing.sign(summer, s),
        };
        match active {
            None => {
                let sign = move |summer: &mut Summer, s: usize| sign(summer, s as u32);
                parallel::map_ranges_into(sums, &self.tasks, sign);
            }
            Some(active) => {
                let sign = move |summer: &mut Summer, k: usize| sign(summer, active[k]);
                parallel::map_with_into(sums, active.len(), 1 << 10, sign);
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
        let signing = self.signing(p.blocks(), mixer);
        let Signed { keyed, rests, work } = signed;
        keyed.clear();
        for &b in touched {
            keyed.extend(p.marked(b).iter().map(|&s| (0, s)));
        }
        if keyed.len() < MANY {
            let mut summer = Summer::default();
            *work = 0;
            let mut sign = |s: u32| {
                *work += signing.rows.degree(s) as u64 + 1;
                signing.sign(&mut summer, s)
            };
            for k in 0..keyed.len() {
                let ahead = |k: usize| keyed.get(k).map(|&(_, s)| s);
                signing.rows.fetch(ahead, k, signing.block);
                keyed[k].0 = sign(keyed[k].1);
            }
            rests.clear();
            let rest = |&b: &u32| p.unmarked(b).map(&mut sign);
            rests.extend(touched.iter().map(rest));
        } else {
            let states = std::mem::take(keyed);
            let marked = &states[..];
            let sign = move |summer: &mut Summer, k: usize| {
                let (_, s) = marked[k];
                let ahead = |k: usize| marked.get(k).map(|&(_, s)| s);
                signing.rows.fetch(ahead, k, signing.block);
                (signing.sign(summer, s), s)
            };
            parallel::map_with_into(keyed, marked.len(), 256, sign);
            parallel::map_with_into(rests, touched.len(), 256, |summer, k| {
                p.unmarked(touched[k]).map(|s| signing.sign(summer, s))
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
