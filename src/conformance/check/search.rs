//! The exact decision: whether some fold of a suite's tree is not the
//! specification.
//!
//! After A. Bonifacio and A. Moura (Test Suite Completeness and Partial Models,
//! 2014), for whom completeness is that all machines which the suite cannot tell
//! from the specification are bisimilar to it, and after the search of the
//! identification of automata from samples: machines are built transition by
//! transition, where each transition that is decided folds more of the tree.

use std::cmp::Reverse;

use crate::machine::NONE;

use super::fold::{Fold, START};

/// Which machines are searched.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// Those with at most so many states.
    States(u32),
    /// Those all of whose states are at most so far from those of the seeds.
    Distance(u32),
}

/// How a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ended {
    /// All folds are the specification.
    Nothing,
    /// The fold as it is now is not, however it is completed.
    Found,
    /// The steps are used up.
    Exhausted,
}

/// A transition to decide.
struct Choice {
    transition: u32,
    /// The states that are left to try, the last first; [`NONE`] for a new one.
    left: Vec<u32>,
    mark: usize,
}

/// Searches for a fold that is not the specification. Only minimal machines are
/// looked for: where two states are found to be equivalent, the search goes back.
pub(super) fn search(fold: &mut Fold<'_, '_>, bound: Bound) -> Ended {
    let is_consistent = fold.start();
    continued(fold, bound, is_consistent)
}

/// Searches for machines that pass whose states are those of the seeds, which are
/// pairwise in different states without loss of generality. All transitions from
/// them are known to be answered, so that a machine is not the specification if
/// and only if a transition leads from where it is not decided yet to a seed of
/// another state: each of these is tried, and then any fold will do. The first
/// seeds are of the specification's states in their order.
///
/// Each is tried with few failures first, then with more. Those that are found to be
/// impossible leave less to the others ([`Fold::refine`]).
pub(super) fn search_mixed(fold: &mut Fold<'_, '_>) -> Ended {
    let bound = Bound::States(fold.seeds());
    if !fold.start() {
        // The machine that is the specification passes.
        return Ended::Exhausted;
    }
    let base = fold.mark();
    let mut left: Vec<(u32, u32)> = Vec::new();
    for transition in fold.transitions().filter(|&t| fold.is_open(t)) {
        let is_other = |seed: &u32| Some(fold.holds(*seed)) != fold.awaits(transition);
        let seeds = options(fold, bound, transition);
        let seeds = seeds.into_iter().filter(is_other);
        left.extend(seeds.map(|seed| (transition, seed)));
    }
    let mut failures = FAILURES;
    while !left.is_empty() {
        let mut undecided = Vec::new();
        for (transition, seed) in left {
            let ended = mixed(fold, transition, seed, failures);
            match ended {
                None => undecided.push((transition, seed)),
                Some(Ended::Nothing) => {}
                Some(ended) => return ended,
            }
            fold.go_back(base);
            if ended.is_some() {
                fold.exclude(transition, seed);
            }
        }
        fold.refine();
        undecided.retain(|&(transition, seed)| fold.is_possible(transition, seed));
        left = undecided;
        failures = failures.saturating_mul(4);
    }
    Ended::Nothing
}

/// After so many failures the search with a transition that does not lead to where it
/// is meant to lead is first given up, until others have been tried.
const FAILURES: u64 = 4;

/// Searches for a fold in which a transition leads to a seed, until it has failed
/// more often than allowed: `None` then.
///
/// Only transitions are chosen that have to lead elsewhere than they are meant to
/// lead: those for which nodes of different states wait, and those that fail when all
/// others lead to where they are meant to lead. What leaves the fewest of them is
/// tried first.
fn mixed(fold: &mut Fold<'_, '_>, transition: u32, seed: u32, failures: u64) -> Option<Ended> {
    let bound = Bound::States(fold.seeds());
    let mut choices: Vec<Choice> = Vec::new();
    let mut failed = 0;
    fold.restricted.clear();
    let mut is_consistent = fold.decide(transition, seed);
    loop {
        is_consistent = is_consistent && force(fold, bound);
        if is_consistent {
            let rank = |transition: u32| (possibilities(fold, bound, transition), transition);
            let contested = fold.contested().map(rank).min();
            let mark = fold.mark();
            let next = match contested {
                Some((_, transition)) => transition,
                None => match go_as_meant(fold) {
                    Ok(()) => return Some(Ended::Found),
                    Err(transition) => {
                        fold.go_back(mark);
                        transition
                    }
                },
            };
            let left = ranked_options(fold, bound, next);
            failed += u64::from(left.is_empty());
            choices.push(Choice {
                transition: next,
                left,
                mark,
            });
        }
        failed += u64::from(!is_consistent);
        loop {
            // What follows may have been found impossible for want of steps.
            if fold.quotient.is_exhausted() {
                return Some(Ended::Exhausted);
            }
            let Some(choice) = choices.last_mut() else {
                return Some(Ended::Nothing);
            };
            fold.go_back(choice.mark);
            let Some(state) = choice.left.pop() else {
                choices.pop();
                continue;
            };
            if failed > failures {
                return None;
            }
            fold.quotient.steps += 1;
            fold.restricted.clear();
            is_consistent = fold.decide(choice.transition, state);
            break;
        }
    }
}

/// The seeds that a transition may lead to without contradiction at once, last those
/// after which fewest transitions are contested; then as [`options`].
fn ranked_options(fold: &mut Fold<'_, '_>, bound: Bound, transition: u32) -> Vec<u32> {
    let mark = fold.mark();
    let mut ranked = Vec::new();
    for (place, seed) in options(fold, bound, transition).into_iter().enumerate() {
        fold.quotient.steps += 1;
        fold.restricted.clear();
        if fold.decide(transition, seed) && force(fold, bound) {
            ranked.push((Reverse(fold.contested().count()), place, seed));
        }
        fold.go_back(mark);
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., seed)| seed).collect()
}

/// Folds so that transitions lead to the states they are meant to lead to. Seeds
/// are as for [`search_mixed`]. Gives whether the fold is not the specification,
/// as some transition is not answered.
pub(super) fn fold_as_meant(fold: &mut Fold<'_, '_>) -> bool {
    fold.start() && go_as_meant(fold).is_ok() && is_other(fold)
}

/// Lets all open transitions lead to seeds of the states they are meant to lead to:
/// the first that contradicts nothing. Gives a transition for which there is none.
fn go_as_meant(fold: &mut Fold<'_, '_>) -> Result<(), u32> {
    let mut is_whole = false;
    while !is_whole {
        is_whole = true;
        for transition in fold.transitions() {
            if !fold.is_open(transition) {
                continue;
            }
            is_whole = false;
            let meant = fold.awaits(transition).expect("open for a node that waits");
            let mark = fold.mark();
            let is_led = |fold: &mut Fold<'_, '_>, seed: u32| {
                let is_consistent = fold.decide(transition, seed);
                if !is_consistent {
                    fold.go_back(mark);
                }
                is_consistent
            };
            // The first seeds are of the specification's states in their order.
            let is_found = is_led(fold, meant)
                || (meant + 1..fold.seeds()).any(|seed| {
                    fold.holds(seed) == meant
                        && fold.is_possible(transition, seed)
                        && is_led(fold, seed)
                });
            if !is_found {
                return Err(transition);
            }
        }
    }
    Ok(())
}

/// Goes on from a fold that contradicts itself or does not.
fn continued(fold: &mut Fold<'_, '_>, bound: Bound, is_consistent: bool) -> Ended {
    let mut choices: Vec<Choice> = Vec::new();
    let mut is_consistent = is_consistent;
    loop {
        is_consistent = is_consistent && force(fold, bound) && !has_equivalent_states(fold);
        if fold.quotient.is_exhausted() {
            return Ended::Exhausted;
        }
        if is_consistent {
            // All transitions are looked at.
            fold.quotient.steps += u64::from(fold.transitions().end) / 16;
            match choose(fold, bound) {
                Some(choice) => choices.push(choice),
                None if is_other(fold) => return Ended::Found,
                None => {}
            }
        }
        loop {
            let Some(choice) = choices.last_mut() else {
                return Ended::Nothing;
            };
            fold.restricted.clear();
            fold.go_back(choice.mark);
            let Some(state) = choice.left.pop() else {
                choices.pop();
                continue;
            };
            fold.quotient.steps += 1;
            let transition = choice.transition;
            let state = match state {
                NONE => fold.add_state(fold.source(transition).map_or(0, |s| fold.level(s) + 1)),
                state => state,
            };
            is_consistent = fold.decide(transition, state);
            break;
        }
    }
}

/// Whether a transition may lead to a state that is not there yet.
fn may_be_new(fold: &Fold<'_, '_>, bound: Bound, transition: u32) -> bool {
    match bound {
        Bound::States(most) => fold.states() < most,
        Bound::Distance(most) => fold
            .source(transition)
            .is_some_and(|state| fold.level(state) < most),
    }
}

/// How many states a transition may lead to, new ones counted as one.
fn possibilities(fold: &Fold<'_, '_>, bound: Bound, transition: u32) -> u32 {
    let seeds: u32 = fold.domain(transition).iter().map(|w| w.count_ones()).sum();
    let others = fold.states() - fold.seeds();
    seeds + others + u32::from(may_be_new(fold, bound, transition))
}

/// Decides the transitions that may only lead to one state, as far as domains
/// that became smaller tell; gives whether nothing contradicts that.
fn force(fold: &mut Fold<'_, '_>, bound: Bound) -> bool {
    if let Bound::Distance(1..) = bound {
        // What is new later may be where a transition leads.
        fold.restricted.clear();
        return true;
    }
    while let Some(transition) = fold.restricted.pop() {
        if fold.target(transition) != NONE {
            continue;
        }
        match possibilities(fold, bound, transition) {
            0 => return false,
            1 => {
                let state = options(fold, bound, transition)[0];
                if state != NONE && !fold.decide(transition, state) {
                    return false;
                }
            }
            _ => {}
        }
    }
    true
}

/// The transition to decide next: one with fewest possibilities. `None` if the
/// fold is whole: no node waits.
///
/// Where the distance from the seeds is bounded, all transitions from states at
/// a smaller distance are decided first, awaited or not, nearest first: then the
/// distance of each state is what it was made with.
fn choose(fold: &Fold<'_, '_>, bound: Bound) -> Option<Choice> {
    let rank = |transition: u32| {
        let source = fold.source(transition);
        let distance = match bound {
            Bound::States(_) => 0,
            Bound::Distance(most) => source.map_or(0, |s| fold.level(s).min(most)),
        };
        let is_due = match bound {
            Bound::States(_) => false,
            Bound::Distance(most) => distance < most && source.is_some(),
        };
        if fold.target(transition) != NONE || !(is_due || fold.awaits(transition).is_some()) {
            return None;
        }
        // Of states that are not seeds, to find soon that they are superfluous.
        let is_seed = source.is_none_or(|state| state < fold.seeds());
        Some((
            distance,
            possibilities(fold, bound, transition),
            is_seed,
            transition,
        ))
    };
    let (.., transition) = fold.transitions().filter_map(rank).min()?;
    Some(Choice {
        transition,
        left: options(fold, bound, transition),
        mark: fold.mark(),
    })
}

/// The states that a transition may lead to; last those that it is meant to lead
/// to, seeds before others and those of lower numbers at the end.
fn options(fold: &Fold<'_, '_>, bound: Bound, transition: u32) -> Vec<u32> {
    let mut options = Vec::new();
    if may_be_new(fold, bound, transition) {
        options.push(NONE);
    }
    options.extend((fold.seeds()..fold.states()).rev());
    for (word, &seeds) in fold.domain(transition).iter().enumerate().rev() {
        let mut left = seeds;
        while left != 0 {
            let seed = left.ilog2();
            left &= !(1 << seed);
            options.push(64 * word as u32 + seed);
        }
    }
    let meant = fold.awaits(transition);
    options.sort_by_key(|&state| state != NONE && Some(fold.holds(state)) == meant);
    options
}

/// Whether a whole fold is not the specification: a state has nodes of different
/// states, or a transition is not answered by any test.
fn is_other(fold: &Fold<'_, '_>) -> bool {
    let mut transitions = fold.transitions().skip(START as usize + 1);
    fold.is_mixed() || transitions.any(|transition| fold.output(transition) == NONE)
}

/// Whether two states are known to be equivalent, all of what follows them being
/// decided.
fn has_equivalent_states(fold: &Fold<'_, '_>) -> bool {
    let is_decided = |state: u32| {
        let inputs = fold.quotient.machine.inputs() as u32;
        (0..inputs).all(|input| {
            let transition = fold.transition(state, input);
            fold.target(transition) != NONE && fold.output(transition) != NONE
        })
    };
    let others = (fold.seeds()..fold.states()).filter(|&state| is_decided(state));
    let mut pairs = Vec::new();
    for state in others {
        let equivalent = (0..fold.states()).any(|other| {
            other != state && {
                pairs.clear();
                pairs.push((other, state));
                are_equivalent(fold, &mut pairs)
            }
        });
        if equivalent {
            return true;
        }
    }
    false
}

/// Whether the first of the pairs, and all that follow it, are of equivalent
/// states. Seeds are not.
fn are_equivalent(fold: &Fold<'_, '_>, pairs: &mut Vec<(u32, u32)>) -> bool {
    let inputs = fold.quotient.machine.inputs() as u32;
    let mut at = 0;
    while let Some(&(one, other)) = pairs.get(at) {
        at += 1;
        if one < fold.seeds() && other < fold.seeds() {
            return false;
        }
        for input in 0..inputs {
            let (left, right) = (fold.transition(one, input), fold.transition(other, input));
            let (output, targets) = (fold.output(left), (fold.target(left), fold.target(right)));
            if output == NONE || output != fold.output(right) {
                return false;
            }
            if targets.0 == NONE || targets.1 == NONE {
                return false;
            }
            let next = (targets.0.min(targets.1), targets.0.max(targets.1));
            if next.0 != next.1 && !pairs.contains(&next) {
                pairs.push(next);
            }
        }
    }
    true
}
