//! From a way to a difference to a reason.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hyades_base::ascending::is_subset;

use super::LinearNotion;
use super::futures::Futures;
use super::reason::{End, Menu, Reason, Seen, Step};
use super::sets::Sets;
use super::system::System;
use super::walk::Path;

/// Why the state at the end of a path differs from those that the same trace leads to
/// from `other`.
pub(super) fn explain(
    system: &System,
    sets: &mut Sets<'_>,
    notion: LinearNotion,
    path: &Path,
    other: u32,
    futures: &mut Futures,
) -> Reason {
    match notion {
        LinearNotion::FailureTrace => return watched(system, sets, path, other, false),
        LinearNotion::ReadyTrace => return watched(system, sets, path, other, true),
        LinearNotion::Trace
        | LinearNotion::CompletedTrace
        | LinearNotion::Failures
        | LinearNotion::Revivals
        | LinearNotion::Readiness
        | LinearNotion::ImpossibleFuturesStrong
        | LinearNotion::PossibleFutures
        | LinearNotion::WeakTrace
        | LinearNotion::WeakFailures
        | LinearNotion::FailuresDivergence
        | LinearNotion::ImpossibleFutures => {}
    }
    let start = sets.of(other);
    let set = sets.after_all(start, &path.trace);
    // A path has a state.
    let state = path.states[path.states.len() - 1];
    let step = |&rank: &u32| Step {
        seen: Seen::Nothing,
        label: system.label(rank),
    };
    Reason {
        skips_hidden: system.is_weak,
        steps: path.trace.iter().map(step).collect(),
        end: match set {
            Sets::EMPTY => End::Trace,
            _ => end(system, sets, notion, state, set, futures),
        },
    }
}

/// What is seen of a state and of no member of a set that is not empty.
fn end(
    system: &System,
    sets: &mut Sets<'_>,
    notion: LinearNotion,
    state: u32,
    set: u32,
    futures: &mut Futures,
) -> End {
    let own = system.offered(system.menu(state));
    let menus: Vec<&[u32]> = match notion {
        LinearNotion::Revivals | LinearNotion::Readiness => sets.menus(set, false),
        LinearNotion::Trace
        | LinearNotion::CompletedTrace
        | LinearNotion::Failures
        | LinearNotion::FailureTrace
        | LinearNotion::ReadyTrace
        | LinearNotion::ImpossibleFuturesStrong
        | LinearNotion::PossibleFutures
        | LinearNotion::WeakTrace
        | LinearNotion::WeakFailures
        | LinearNotion::FailuresDivergence
        | LinearNotion::ImpossibleFutures => sets.menus(set, true),
    }
    .iter()
    .map(|&menu| system.offered(menu))
    .collect();
    let refusal = || system.labels(&hitting(own, menus.iter().copied()));
    match notion {
        LinearNotion::Trace
        | LinearNotion::WeakTrace
        | LinearNotion::FailureTrace
        | LinearNotion::ReadyTrace => End::Trace,
        LinearNotion::CompletedTrace => End::Deadlock(refusal()),
        LinearNotion::Failures | LinearNotion::WeakFailures => End::Refusal(refusal()),
        LinearNotion::FailuresDivergence => match system.diverges(state) {
            true => End::Divergence,
            false => End::Refusal(refusal()),
        },
        LinearNotion::Revivals => {
            if menus.iter().all(|menu| !is_subset(menu, own)) {
                return End::Refusal(refusal());
            }
            let mut of_label = own.iter().map(|rank| {
                let with = menus.iter().copied();
                (*rank, with.filter(|menu| menu.binary_search(rank).is_ok()))
            });
            let revived = of_label.find(|(_, with)| with.clone().all(|m| !is_subset(m, own)));
            // Some label is, or there is no difference.
            match revived {
                Some((rank, with)) => End::Revival {
                    refusal: system.labels(&hitting(own, with)),
                    label: system.label(rank),
                },
                None => End::Trace,
            }
        }
        LinearNotion::Readiness => {
            let others = menus.iter().copied().filter(|menu| is_subset(own, menu));
            End::Ready(Menu {
                offered: system.labels(own),
                refused: system.labels(&hitting(own, others)),
            })
        }
        LinearNotion::ImpossibleFuturesStrong
        | LinearNotion::PossibleFutures
        | LinearNotion::ImpossibleFutures => {
            let both = notion == LinearNotion::PossibleFutures;
            futures_of(system, sets, state, set, both, futures)
        }
    }
}

/// Labels that are not among `own` such that each of these sets has one: few, and none of
/// them can be left out. Each set must have one that is not among `own`. O(k log k) for sets
/// of k labels together.
fn hitting<'m>(own: &[u32], sets: impl Iterator<Item = &'m [u32]>) -> Vec<u32> {
    // The sets that each label is in, and the labels of each set.
    let mut of_label: Vec<(u32, usize)> = Vec::new();
    let mut of_set: Vec<Vec<usize>> = Vec::new();
    for set in sets {
        let others = set.iter().filter(|rank| own.binary_search(rank).is_err());
        of_label.extend(others.map(|&rank| (rank, of_set.len())));
        of_set.push(Vec::new());
    }
    of_label.sort_unstable();
    let labels: Vec<&[(u32, usize)]> = of_label.chunk_by(|a, b| a.0 == b.0).collect();
    for (k, label) in labels.iter().enumerate() {
        label.iter().for_each(|&(_, set)| of_set[set].push(k));
    }
    // The label of most of the sets that have none yet, again and again. How many these are
    // only gets less.
    let mut hits = vec![0u32; of_set.len()];
    let mut is_found = vec![false; labels.len()];
    let mut open: Vec<usize> = labels.iter().map(|sets| sets.len()).collect();
    let mut heap: BinaryHeap<(usize, Reverse<usize>)> = open
        .iter()
        .enumerate()
        .map(|(k, &count)| (count, Reverse(k)))
        .collect();
    while let Some((count, Reverse(k))) = heap.pop() {
        if count > open[k] {
            heap.push((open[k], Reverse(k)));
            continue;
        }
        if count == 0 {
            break;
        }
        is_found[k] = true;
        for &(_, set) in labels[k] {
            if hits[set] == 0 {
                of_set[set].iter().for_each(|&other| open[other] -= 1);
            }
            hits[set] += 1;
        }
    }
    let sets_of = |k: usize| labels[k].iter().map(|&(_, set)| set);
    leave_out(&mut is_found, sets_of, &mut hits);
    let found = labels
        .iter()
        .zip(&is_found)
        .filter(|(_, is_found)| **is_found);
    found.map(|(sets, _)| sets[0].0).collect()
}

/// Leaves out each item, the last first, that hits only what others hit too.
fn leave_out<I: Iterator<Item = usize>>(
    is_kept: &mut [bool],
    hit_by: impl Fn(usize) -> I,
    hits: &mut [u32],
) {
    for (k, is_kept) in is_kept.iter_mut().enumerate().rev() {
        if *is_kept && hit_by(k).all(|set| hits[set] > 1) {
            *is_kept = false;
            hit_by(k).for_each(|set| hits[set] -= 1);
        }
    }
}

/// How many comparisons are made for a trace of the one and for one of the other at first.
const COMPARISONS: usize = 1 << 20;

/// Traces that tell a state from others, with whether it is the state that has them.
#[derive(Default)]
struct Told {
    found: Vec<(bool, Vec<u32>)>,
    /// Those that the state has not, by their first labels: they tell it from who has them.
    lacks: HashMap<u32, Vec<usize>, RandomState>,
    /// Those that it has.
    has: Vec<usize>,
}

impl Told {
    fn add(&mut self, (has, trace): (bool, Vec<u32>)) {
        let number = self.found.len();
        match trace.first() {
            Some(&first) if !has => self.lacks.entry(first).or_default().push(number),
            _ => self.has.push(number),
        }
        self.found.push((has, trace));
    }

    /// The numbers of those that tell the state from this one. O(their lengths) for those
    /// that the state has, or whose first label this one has.
    fn by<'t>(&'t self, sets: &'t mut Sets<'_>, q: u32) -> impl Iterator<Item = usize> + 't {
        let mut ranks = Vec::new();
        let own = sets.of(q);
        if !self.lacks.is_empty() {
            sets.ranks(own, &mut ranks);
        }
        let lacks = ranks.into_iter().filter_map(|rank| self.lacks.get(&rank));
        let candidates = self.has.iter().chain(lacks.flatten()).copied();
        candidates.filter(move |&k| {
            let (has, trace) = &self.found[k];
            (sets.after_all(own, trace) == Sets::EMPTY) == *has
        })
    }

    /// Without those, the last first, without which the state is told from all members all
    /// the same; or all, if there are many that the state has.
    fn needed(self, sets: &mut Sets<'_>, members: &[u32]) -> Vec<(bool, Vec<u32>)> {
        if self.has.len().saturating_mul(members.len()) > MOST_TOLD {
            return self.found;
        }
        let mut of_trace = vec![Vec::new(); self.found.len()];
        let mut hits = vec![0u32; members.len()];
        for (k, &q) in members.iter().enumerate() {
            for number in self.by(sets, q) {
                of_trace[number].push(k);
                hits[k] += 1;
            }
        }
        let mut is_needed = vec![true; self.found.len()];
        let told_by = |number: usize| of_trace[number].iter().copied();
        leave_out(&mut is_needed, told_by, &mut hits);
        let found = self.found.into_iter().zip(is_needed);
        found
            .filter_map(|(trace, needed)| needed.then_some(trace))
            .collect()
    }
}

/// So many members that a state is told from are looked at to leave out traces.
const MOST_TOLD: usize = 1 << 24;

/// Traces that tell a state from all members of a set. With `both`, also those that it
/// has and members have not.
fn futures_of(
    system: &System,
    sets: &mut Sets<'_>,
    state: u32,
    set: u32,
    both: bool,
    futures: &mut Futures,
) -> End {
    let members = sets.get(set).iter().copied();
    let members: Vec<u32> = members.filter(|&q| system.is_stable(q)).collect();
    let mut told = Told::default();
    for &q in &members {
        if told.by(sets, q).next().is_some() {
            continue;
        }
        // One of them has a trace that the other has not. That the other way round there is
        // none may take exponential time to see, and need not be.
        let mut comparisons = COMPARISONS;
        loop {
            let last = !both || comparisons == usize::MAX;
            let most = if last { usize::MAX } else { comparisons };
            let lacks = futures.shortest(system, sets, q, state, most);
            let has = match both {
                true => futures.shortest(system, sets, state, q, most),
                false => None,
            };
            let trace = match (lacks, has) {
                (Some(lacks), Some(has)) if has.len() < lacks.len() => Some((true, has)),
                (Some(lacks), _) => Some((false, lacks)),
                (None, has) => has.map(|has| (true, has)),
            };
            if trace.is_some() || last {
                trace.into_iter().for_each(|trace| told.add(trace));
                break;
            }
            comparisons = comparisons.saturating_mul(4);
        }
    }
    let mut found = told.needed(sets, &members);
    found.sort_unstable();
    let of = |wanted: bool| {
        let traces = found.iter().filter(|(has, _)| *has == wanted);
        traces.map(|(_, trace)| system.labels(trace)).collect()
    };
    End::Futures {
        lacks: of(false),
        has: of(true),
    }
}

/// The reason that a path is in failure traces or, with `menus`, ready traces: of no state
/// that the same trace leads to from `other` can all be seen that is seen of the states on
/// the path. What is not needed is left out, from the last state on.
///
/// O(size of the sets on the way), but for sorting.
fn watched(system: &System, sets: &mut Sets<'_>, path: &Path, other: u32, menus: bool) -> Reason {
    let Path { states, trace } = path;
    let menu = |s: u32| system.offered(system.menu(s));
    // Where the other side may be, if all is seen before, and if nothing is.
    let start = sets.of(other);
    let (mut strict, mut loose) = (vec![start], vec![start]);
    for (&state, &rank) in states.iter().zip(trace) {
        let same = |q: u32| match menus {
            true => system.menu(q) == system.menu(state),
            false => system.is_within(system.menu(q), system.menu(state)),
        };
        let cut = sets.filtered(strict[strict.len() - 1], same);
        strict.push(sets.after(cut, rank));
        loose.push(sets.after(loose[loose.len() - 1], rank));
    }
    let mut seen: Vec<Seen> = Vec::with_capacity(states.len());
    // The states that show what is seen from the next state on.
    let mut able = Sets::EMPTY;
    for at in (0..states.len()).rev() {
        let own = menu(states[at]);
        let goes_on = |sets: &Sets<'_>, q: u32| match trace.get(at) {
            Some(&rank) => {
                let mut targets = system.successors(q, rank).iter();
                targets.any(|&t| sets.contains(able, t))
            }
            None => true,
        };
        let all = |set: u32| -> Vec<u32> {
            let members = sets.get(set).iter().copied();
            members.filter(|&q| goes_on(sets, q)).collect()
        };
        let (near, far) = (all(strict[at]), all(loose[at]));
        let must_go = near.iter().map(|&q| menu(q));
        let offered = (menus && !near.is_empty()).then_some(own);
        let refused = match menus {
            true => hitting(own, must_go.filter(|menu| is_subset(own, menu))),
            false => hitting(own, must_go),
        };
        let shows = |&q: &u32| {
            offered.is_none_or(|offered| is_subset(offered, menu(q)))
                && !refused
                    .iter()
                    .any(|rank| menu(q).binary_search(rank).is_ok())
        };
        able = sets.made_of(far.into_iter().filter(shows));
        let refused = system.labels(&refused);
        seen.push(match offered {
            Some(offered) => Seen::Menu(Menu {
                offered: system.labels(offered),
                refused,
            }),
            None if refused.is_empty() => Seen::Nothing,
            None => Seen::Refusal(refused),
        });
    }
    seen.reverse();
    let end = match seen.pop() {
        Some(Seen::Refusal(refused)) => End::Refusal(refused),
        Some(Seen::Menu(menu)) => End::Ready(menu),
        Some(Seen::Nothing) | None => End::Trace,
    };
    let step = |(seen, &rank)| Step {
        seen,
        label: system.label(rank),
    };
    Reason {
        skips_hidden: system.is_weak,
        steps: seen.into_iter().zip(trace).map(step).collect(),
        end,
    }
}
