//! Confluent hidden transitions are taken before all others.

use std::ops::Range;

use hyades_base::grouped::Grouped;
use hyades_base::parallel;
use hyades_formats::{LabelId, Lts, LtsParts, StateId};
use hyades_lts::StateSet;

use crate::{Partition, Rows, TauContraction, contracted_quotient};

/// Of the hidden transitions of a state, so many may become confluent: what is
/// checked grows with the square of that. At most 255.
const CANDIDATES: u8 = 128;

/// States that are looked at again in parallel from this number on.
const MANY: usize = 1 << 10;

/// States that one task looks at again.
const BATCH: usize = 1 << 6;

/// It is worth while to begin again if one state of so many has gone, so that all
/// attempts together take no longer than so many first ones.
const WORTH: usize = 64;

/// Replaces each state by one where its confluent transitions end, and begins
/// again as long as that takes away many states.
pub(super) fn reduce(mut lts: Lts) -> Lts {
    loop {
        let states = lts.states();
        lts = prioritised(lts, CANDIDATES);
        if states - lts.states() <= states / WORTH {
            return lts;
        }
    }
}

/// The same once, with at most so many `candidates` a state.
pub(super) fn prioritised(lts: Lts, candidates: u8) -> Lts {
    // A hidden transition that is all there is to a state is confluent: those take
    // less to find.
    let silent = TauContraction::new(&lts, false);
    let initial = lts.initial();
    let LtsParts { table, .. } = lts.into_parts();
    let confluent = Confluent::new(silent.rows(), candidates);
    // Hidden transitions lead to smaller nodes, so that a class has got its number
    // when the first of its nodes comes that has a confluent transition.
    let count = silent.rows().states();
    let mut class = Vec::with_capacity(count);
    let mut classes = 0;
    for v in 0..count as u32 {
        class.push(match confluent.of(v).next() {
            Some(t) => class[t.index()],
            None => {
                classes += 1;
                classes - 1
            }
        });
    }
    drop(confluent);
    contracted_quotient(silent, Partition::new(class), &[initial], table, false).0
}

/// The largest strongly confluent set of hidden transitions; of those of one state,
/// only the first few can be in it.
///
/// The set is a greatest fixed point: all candidates are in it at first, and those
/// are refuted that break the definition, until none does. It does not matter in
/// which order. Whether `s -a→ u` is closed over a candidate `s → t` depends on the
/// candidates of `u` alone: when some of these are refuted, transitions to `u` are
/// looked at again, and nothing else.
pub(super) struct Confluent<'a> {
    rows: Rows<'a>,
    /// How many hidden transitions of each state are candidates; they come first in
    /// its row.
    candidates: Vec<u8>,
    /// Places of transitions that are not in the set, among the candidates.
    refuted: StateSet,
}

/// A candidate that is to be refuted: its source and its place.
type Refuted = (u32, u32);

impl<'a> Confluent<'a> {
    /// Of rows without hidden cycles, which are sorted by label and target and have
    /// no duplicates.
    ///
    /// For m transitions, of which each state has at most d, and at most h that are
    /// candidates: O(m h² log d) time to look at everything once, in parallel, and
    /// O(m h³ log d) in all. That is O(m h log d) where no more than one transition
    /// of a state has the same visible label and few are refuted later. 8 bytes a
    /// transition, and 5 a state.
    pub(super) fn new(rows: Rows<'a>, most: u8) -> Self {
        let hidden = |v: u32| {
            let (labels, _) = rows.row(v);
            let few = &labels[..labels.len().min(most.into())];
            few.partition_point(|label| label.is_hidden()) as u8
        };
        let mut set = Self {
            rows,
            candidates: parallel::map(rows.states(), 1 << 12, |v| hidden(v as u32)),
            refuted: StateSet::new(rows.targets.len()),
        };
        let broken = |task: &Range<usize>| {
            let mut broken = Vec::new();
            for s in task.start as u32..task.end as u32 {
                let places = set.places(s).map(|place| (s, place as u32));
                broken.extend(places.filter(|&(_, place)| !set.is_closed(s, place)));
            }
            broken
        };
        let first: Vec<Vec<Refuted>> = parallel::map_each(&rows.tasks(), broken);
        let mut changed = set.refute(first.into_iter().flatten());
        if changed.is_empty() {
            return set;
        }
        let incoming = incoming(&set);
        while !changed.is_empty() {
            let again = |states: &[u32]| -> Vec<Refuted> {
                let mut broken = Vec::new();
                for &u in states {
                    set.break_at(u, incoming.of(u), &mut broken);
                }
                broken
            };
            let broken = match changed.len() < MANY {
                true => again(&changed),
                false => {
                    let parts = parallel::map_chunks(&changed, BATCH, again);
                    parts.concat()
                }
            };
            changed = set.refute(broken);
        }
        set
    }

    /// The targets of the transitions of a state that are in the set.
    pub(super) fn of(&self, v: u32) -> impl Iterator<Item = StateId> {
        self.places(v).map(|place| self.rows.targets[place])
    }

    /// The places of the candidates of a state that have not been refuted.
    #[inline]
    fn places(&self, v: u32) -> impl Iterator<Item = usize> {
        let start = self.rows.bounds(v).start;
        let all = start..start + usize::from(self.candidates[v as usize]);
        all.filter(|&place| !self.refuted.contains(place))
    }

    /// Takes these out of the set; the states that have lost one, each once if the
    /// same do not come several times.
    fn refute(&mut self, broken: impl IntoIterator<Item = Refuted>) -> Vec<u32> {
        let mut states = Vec::new();
        for (s, place) in broken {
            if self.refuted.insert(place as usize) && states.last() != Some(&s) {
                states.push(s);
            }
        }
        states.sort_unstable();
        states.dedup();
        states
    }

    /// Whether all transitions of `s` are closed over a candidate of it.
    fn is_closed(&self, s: u32, place: u32) -> bool {
        let t = self.rows.targets[place as usize];
        let (labels, targets) = self.rows.row(s);
        let mut rest = 0;
        // One label after the other, so that its transitions of `t` are looked up
        // once.
        while let Some(&label) = labels.get(rest) {
            let end = rest + labels[rest..].partition_point(|&other| other == label);
            let answers = self.targets(t, label);
            let closed = |&u: &StateId| self.meet(label, t, answers, u);
            if !targets[rest..end].iter().all(closed) {
                return false;
            }
            rest = end;
        }
        true
    }

    /// Finds the candidates that transitions to `u` are no longer closed over.
    fn break_at(&self, u: u32, incoming: &[(u32, LabelId)], broken: &mut Vec<Refuted>) {
        for &(s, label) in incoming {
            for place in self.places(s) {
                let t = self.rows.targets[place];
                let answers = self.targets(t, label);
                if !self.meet(label, t, answers, StateId::new(u)) {
                    broken.push((s, place as u32));
                }
            }
        }
    }

    /// Whether `u`, where a transition with this label leads, and `t`, which answers
    /// it with transitions to `answers`, come together by at most one step of the
    /// set from `u`.
    fn meet(&self, label: LabelId, t: StateId, answers: &[StateId], u: StateId) -> bool {
        if label.is_hidden() && (u == t || self.has(u, t)) || answers.binary_search(&u).is_ok() {
            return true;
        }
        if answers.len() < usize::from(self.candidates[u.index()]) {
            return answers.iter().any(|&v| self.has(u, v));
        }
        self.of(u.get()).any(|v| answers.binary_search(&v).is_ok())
    }

    /// Whether the set has a transition between these.
    fn has(&self, from: StateId, to: StateId) -> bool {
        let start = self.rows.bounds(from.get()).start;
        let end = start + usize::from(self.candidates[from.index()]);
        self.rows.targets[start..end]
            .binary_search(&to)
            .is_ok_and(|k| !self.refuted.contains(start + k))
    }

    /// The targets of the transitions of a state with this label, ascending.
    #[inline]
    fn targets(&self, v: StateId, label: LabelId) -> &'a [StateId] {
        let (labels, targets) = self.rows.row(v.get());
        let start = labels.partition_point(|&other| other < label);
        let length = labels[start..].partition_point(|&other| other == label);
        &targets[start..start + length]
    }
}

/// The transitions that may have to be looked at again, by target: between states with
/// candidates. O(n + m); 8 bytes a transition and 4 a state.
fn incoming(set: &Confluent<'_>) -> Grouped<(u32, LabelId)> {
    let n = set.rows.states();
    let sources = (0..n as u32).filter(|&s| set.places(s).next().is_some());
    let steps = sources.flat_map(|s| {
        let (labels, targets) = set.rows.row(s);
        let steps = labels.iter().zip(targets);
        steps.filter_map(move |(&label, &u)| {
            (set.candidates[u.index()] > 0).then_some((u.get(), (s, label)))
        })
    });
    Grouped::new(n, steps)
}
