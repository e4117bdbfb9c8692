//! What verifying finds, against the definitions.

use std::collections::BTreeSet;

use hyades_explore::Limits;
use hyades_testing::Random;

use super::super::*;
use super::naive::{self, Known};
use super::random::Recipe;

/// What only one of two systems has, by the definitions.
#[derive(Debug, Default, PartialEq)]
struct Only {
    dead: BTreeSet<naive::State>,
    overflowing: BTreeSet<ChannelId>,
    executed: BTreeSet<(ComponentId, Transition)>,
}

impl Only {
    /// What the first one has only, `other` being the second one.
    fn of(one: &Known, known: &Known, other: &System) -> Self {
        let executed = one.executed.difference(&known.executed).cloned();
        let is_there = |(id, t): &(ComponentId, Transition)| other.machine(*id).contains(t);
        Self {
            dead: one.dead.difference(&known.dead).cloned().collect(),
            overflowing: one
                .overflowing
                .difference(&known.overflowing)
                .copied()
                .collect(),
            executed: executed.filter(is_there).collect(),
        }
    }

    /// What was found.
    fn found(model: &SystemModel<'_>, differences: &[Difference]) -> Self {
        let mut only = Self::default();
        for difference in differences {
            let is_new = match difference.clone() {
                Difference::Dead(state) => only.dead.insert(naive::state(model, &state)),
                Difference::Overfilled(channel) => only.overflowing.insert(channel),
                Difference::Executable(id, transition) => only.executed.insert((id, transition)),
                Difference::AnyOverfilled => unreachable!("it was looked for before"),
            };
            assert!(is_new, "{difference:?} twice");
        }
        only
    }
}

/// Compares two systems; whether there is a difference, and whether it is known.
fn check(before: &System, after: &System, semantics: Semantics, random: &mut Random) -> Seen {
    let reach = Reach {
        semantics,
        limits: Limits::default(),
    };
    let bound = semantics.channel_bound.expect("a bound is given") as usize;
    let known = [before, after].map(|system| naive::explore(system, semantics.beyond, bound, None));
    if (known.iter()).any(|known| known.states.len() > naive::MOST_STATES) {
        return Seen::default();
    }
    let leaving = before.components().flat_map(|id| {
        let states = before.machine(id).transitions().map(|t| t.source);
        states.map(move |state| (id, state)).collect::<Vec<_>>()
    });
    let unrolled: BTreeSet<_> = leaving.filter(|_| random.chance(10)).collect();
    let found = verify(before, after, Correspondence::Same, &unrolled, &reach).unwrap();
    let is_over = |known: &Known| {
        let mut over = known.overflowing.iter();
        semantics.beyond == Beyond::Stop && over.any(|c| before.channel(*c).is_link())
    };
    let [old, new] = &known;
    if is_over(old) || is_over(new) {
        assert!(found.is_verdict_only);
        let told = |known: &Known| match (is_over(known), known.is_cut) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        };
        let any = || vec![Difference::AnyOverfilled];
        let (only_before, only_after) = match (told(old), told(new)) {
            (Some(true), Some(false)) => (any(), vec![]),
            (Some(false), Some(true)) => (vec![], any()),
            _ => (vec![], vec![]),
        };
        assert_eq!(
            (&found.only_before, &found.only_after),
            (&only_before, &only_after)
        );
        let is_complete = told(old).is_some() && told(new).is_some();
        assert_eq!(found.is_complete, is_complete);
        return Seen {
            verdict: usize::from(!found.holds()),
            open: usize::from(!is_complete),
            ..Seen::default()
        };
    }
    assert!(!found.is_verdict_only);
    assert_eq!(found.is_complete, !old.is_cut && !new.is_cut);
    if !found.is_complete {
        assert!(found.holds());
        return Seen {
            open: 1,
            ..Seen::default()
        };
    }
    let model = SystemModel::new(after, semantics).unwrap();
    let mut only_before = Only::of(old, new, after);
    let is_kept = |(id, t): &(ComponentId, Transition)| !unrolled.contains(&(*id, t.source));
    only_before.executed.retain(is_kept);
    let only_after = Only::of(new, old, before);
    assert_eq!(Only::found(&model, &found.only_before), only_before);
    assert_eq!(Only::found(&model, &found.only_after), only_after);
    Seen {
        dead: usize::from(!only_before.dead.is_empty()),
        overflowing: usize::from(!only_before.overflowing.is_empty()),
        executed: usize::from(!only_before.executed.is_empty()),
        ..Seen::default()
    }
}

/// How often there was what.
#[derive(Debug, Default)]
struct Seen {
    dead: usize,
    overflowing: usize,
    executed: usize,
    verdict: usize,
    open: usize,
}

/// Systems that lack some transitions of others have other errors, all of which are
/// found.
#[test]
fn differences_are_found() {
    let mut random = Random::new(9);
    let mut all = Seen::default();
    for round in 0..700 {
        let mut recipe = Recipe::closed(2 + round % 2);
        recipe.open = 20 * (round % 2);
        let mut before = recipe.system(&mut random);
        let mut after = before.clone();
        for id in before.components() {
            let transitions: Vec<Transition> = before.machine(id).transitions().collect();
            let gone = transitions.iter().filter(|_| random.chance(12));
            for transition in gone.collect::<Vec<_>>() {
                after.machine_mut(id).remove(transition);
            }
        }
        if random.chance(50) {
            std::mem::swap(&mut before, &mut after);
        }
        for (beyond, bound) in [
            (Beyond::Stop, 16),
            (Beyond::Stop, 1),
            (Beyond::Expand, 4),
            (Beyond::Expand, 2),
        ] {
            let semantics = Semantics {
                beyond,
                channel_bound: Some(bound),
                restrained: None,
            };
            let seen = check(&before, &after, semantics, &mut random);
            all.dead += seen.dead;
            all.overflowing += seen.overflowing;
            all.executed += seen.executed;
            all.verdict += seen.verdict;
            all.open += seen.open;
        }
    }
    // Overfilled private channels and transitions that are still there are rare.
    assert!(
        all.dead > 10 && all.overflowing > 0 && all.executed > 2,
        "{all:?}"
    );
    assert!(all.verdict > 40 && all.open > 400, "{all:?}");
}
