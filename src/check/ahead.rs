//! Models whose state space is explored as a whole beside the game that decides a formula.
//!
//! A position of the game takes much more time and memory than a state that is only explored,
//! and an LTS is decided by sets of states. A formula whose verdict stands early ends with the
//! game; one that needs most of the states ends when the explorer has all of them.

use std::ops::ControlFlow;

use hyades_explore::{
    Erased, Exploration, ExploreOptions, Goal, Limit, Limits, Model, Outcome, Progress,
};
use hyades_formats::{Lts, StateId};
use hyades_lts::Numbering;

use crate::decide::{
    CheckOptions, Checked, DecideError, Evidence, decide_by_sets, instances, play_beside,
};
use crate::game::GoesOn;
use crate::graph::Graph;
use crate::instances::Instances;
use crate::states::{Expansion, States};

/// So many states are explored for each that the game knows, whenever it has trebled.
const STATES: u64 = 8;

/// The explorer may take so many times the memory of the game, and this at least.
const MEMORY: u64 = 4;
const LEAST_MEMORY: u64 = 64 << 20;

/// What exploring has come to.
enum Ahead {
    /// The state space is larger than it could be.
    Open,
    /// There is no more to be had from it.
    Closed,
    /// The state space, and the instances by which its sets decide the formula.
    Whole(Box<(Lts, Option<Instances>)>),
}

/// Decides a formula in the initial state of a model.
pub(crate) fn decide(
    graph: &Graph<'_>,
    model: Erased<'_>,
    mut options: CheckOptions<'_>,
) -> Result<Checked, DecideError> {
    let limits = options.limits;
    let states = States::of_model(model, limits)?;
    let mut ahead = Ahead::Open;
    let mut beside = |known: usize, bytes: u64, goes_on: &mut GoesOn<'_>| match ahead {
        Ahead::Open => explore(graph, model, limits, (known, bytes), &mut ahead, goes_on),
        Ahead::Closed | Ahead::Whole(..) => ControlFlow::Continue(()),
    };
    let played = play_beside(graph, states, options.reborrowed(), &mut beside)?;
    let Ahead::Whole(whole) = ahead else {
        return Ok(played);
    };
    let (lts, instances) = *whole;
    let rest = |most: u64| most.saturating_sub(lts.heap_bytes() as u64);
    options.limits.max_memory = limits.max_memory.map(rest);
    let mut checked = decide_by_sets(graph, &lts, instances, options)?;
    tell_way(&mut checked, &lts, model)?;
    Ok(checked)
}

/// Explores a model as far as the states that the game knows and the bytes that it holds allow;
/// `Break` if that was all of it, and it decides the formula, or if `goes_on` ends it.
fn explore(
    graph: &Graph<'_>,
    model: Erased<'_>,
    limits: Limits,
    (known, bytes): (usize, u64),
    ahead: &mut Ahead,
    goes_on: &mut GoesOn<'_>,
) -> ControlFlow<()> {
    let wanted = STATES * known as u64;
    let room = LEAST_MEMORY.max(MEMORY * bytes);
    let rest = limits.max_memory.map(|most| most.saturating_sub(bytes));
    let mut report = |now: &Progress| goes_on(now.states as usize, 0);
    let options = ExploreOptions {
        limits: Limits {
            max_states: Some(limits.max_states.map_or(wanted, |most| most.min(wanted))),
            max_memory: Some(rest.map_or(room, |rest| rest.min(room))),
        },
        progress: Some(&mut report),
        ..ExploreOptions::default()
    };
    let outcome = |found: &Exploration<'_>| found.outcome;
    let goal = Goal::Lts(Numbering::BreadthFirst);
    match hyades_explore::reach(model, options, goal, outcome) {
        Ok((Some(lts), _)) if !model.was_truncated() => match instances(graph, &lts) {
            Some(instances) => {
                *ahead = Ahead::Whole(Box::new((lts, instances)));
                ControlFlow::Break(())
            }
            None => {
                *ahead = Ahead::Closed;
                ControlFlow::Continue(())
            }
        },
        Ok((None, Some(Outcome::Stopped))) => ControlFlow::Break(()),
        Ok((None, Some(Outcome::LimitReached(Limit::States)))) => {
            if limits.max_states.is_some_and(|most| most <= wanted) {
                *ahead = Ahead::Closed;
            }
            ControlFlow::Continue(())
        }
        Ok((None, Some(Outcome::LimitReached(Limit::Memory)))) => ControlFlow::Continue(()),
        // Whether an error matters, the game knows.
        Ok(_) | Err(_) => {
            *ahead = Ahead::Closed;
            ControlFlow::Continue(())
        }
    }
}

/// What a model says on the steps of a way through its state space.
fn tell_way(checked: &mut Checked, lts: &Lts, model: Erased<'_>) -> Result<(), DecideError> {
    let Some(Evidence::Way(way)) = &checked.evidence else {
        return Ok(());
    };
    let mut states = States::of_model(model, Limits::default())?;
    let mut source = states.initial();
    let (mut packed, mut explanations) = (Vec::new(), Vec::new());
    if !way.steps.is_empty() {
        packed.extend(states.packed(source));
    }
    for step in &way.steps {
        // The transitions of a state are in the order in which the model tells them.
        let mut row = lts.row(StateId::new(step.source)).enumerate();
        let is_it = |k: usize| (Lts::labels(lts)[k], lts.targets()[k].get());
        let place = row.find(|&(_, k)| is_it(k) == (step.label, step.target));
        let (place, _) = place.expect("a step is a transition");
        let Expansion::Row(start, _) = states.expand(source)? else {
            unreachable!("the model has told all transitions")
        };
        let (label, target) = states.transition(start + place);
        explanations.push(states.explain(source, label, target));
        packed.extend(states.packed(target));
        source = target;
    }
    (checked.packed, checked.explanations) = (packed, explanations);
    Ok(())
}
