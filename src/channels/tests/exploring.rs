//! The model against the definitions.

use std::collections::BTreeSet;

use hyades_explore::{ExploreOptions, Limits, LtsSink, Model, Outcome, explore};
use hyades_testing::Random;

use super::super::*;
use super::naive;
use super::random::Recipe;

/// Everything that is found of a system is what the definitions say.
fn check(system: &System, beyond: Beyond, bound: u32) {
    let known = naive::explore(system, beyond, bound as usize, None);
    let semantics = Semantics {
        beyond,
        channel_bound: Some(bound),
        restrained: None,
    };
    let model = SystemModel::new(system, semantics).unwrap();
    let limits = Limits {
        max_states: Some(10_000),
        ..Limits::default()
    };
    let found = analyse(&model, limits, None, None).unwrap();
    if known.states.len() > naive::MOST_STATES {
        return;
    }
    assert_eq!(found.outcome, Outcome::Complete);
    assert_eq!(found.states as usize, known.states.len());
    assert_eq!(found.transitions as usize, known.transitions);
    assert_eq!(!found.truncated.is_empty(), known.is_cut);
    let all = (0..found.states as usize).map(hyades_formats::StateId::from_index);
    let all: BTreeSet<_> = all
        .map(|s| naive::state(&model, &found.state(&model, s)))
        .collect();
    assert_eq!(all, known.states);
    let dead = found
        .dead
        .iter()
        .map(|&s| naive::state(&model, &found.state(&model, s)));
    assert_eq!(dead.collect::<BTreeSet<_>>(), known.dead);
    let overflowing: BTreeSet<_> = found
        .overflowing
        .iter()
        .map(|(channel, _)| *channel)
        .collect();
    assert_eq!(overflowing, known.overflowing);
    let executed = model.transitions().iter().zip(&found.executed);
    let executed = executed
        .filter(|(_, executed)| **executed)
        .map(|(t, _)| t.clone());
    assert_eq!(executed.collect::<BTreeSet<_>>(), known.executed);
    check_ways(&model, &found);
    check_as_lts(system, semantics, &found);
}

/// Ways lead where they are to lead, and are as short as can be.
fn check_ways(model: &SystemModel<'_>, found: &Analysis) {
    for &dead in &found.dead {
        let way = found.way_to(dead);
        let last = model.states_of(&way).pop();
        if let Some(last) = last {
            assert_eq!(last, found.state(model, dead));
        }
        assert!(way.len() <= found.depth as usize);
    }
    for (channel, sight) in &found.overflowing {
        let way = found.way_to_sight(*sight);
        let states = model.states_of(&way);
        if model.system().channel(*channel).is_link() {
            let place = model.linked().position(|other| other == *channel).unwrap();
            let most = model.system().channel(*channel).capacity.unwrap() as usize;
            let (last, before) = states.split_last().unwrap();
            assert!(last.channels[place].len() > most);
            assert!(
                before
                    .iter()
                    .all(|state| state.channels[place].len() <= most)
            );
        }
    }
}

/// The same system by the labels of its events.
fn check_as_lts(system: &System, semantics: Semantics, found: &Analysis) {
    let model = SystemModel::owning(system.clone(), semantics)
        .unwrap()
        .by_events()
        .unwrap();
    let mut sink = LtsSink::new();
    let explored = explore(&model, ExploreOptions::default(), &mut sink).unwrap();
    if found.is_complete() {
        assert_eq!(explored.states, found.states);
        assert_eq!(explored.transitions, found.transitions);
        let links = found.overflowing.iter().map(|(c, _)| system.channel(*c));
        let links: Vec<&str> = links
            .filter(|c| c.is_link())
            .map(|c| c.name.as_str())
            .collect();
        let seen: Vec<&str> = model.seen_overfilled().map(|c| c.name.as_str()).collect();
        match semantics.beyond {
            Beyond::Stop => assert_eq!(seen, links),
            Beyond::Expand => assert!(seen.is_empty()),
        }
    } else if !found.truncated.is_empty() {
        assert!(matches!(explored.outcome, Outcome::LimitReached(_)));
    }
    assert_eq!(
        model.bits(),
        SystemModel::new(system, semantics).unwrap().bits()
    );
}

#[test]
fn random_systems() {
    let mut random = Random::new(1);
    for round in 0..300 {
        let mut recipe = Recipe::closed(2 + round % 2);
        recipe.open = 20 * (round % 2);
        let system = recipe.system(&mut random);
        check(&system, Beyond::Stop, 16);
        check(&system, Beyond::Expand, 3);
        // Below the capacities of some channels.
        check(&system, Beyond::Stop, 1);
    }
}

/// If nothing is said, channels may hold what they are to hold, and a message more.
#[test]
fn usual_bounds_follow_capacities() {
    let bound = |capacity, channel_bound| {
        let channel = Channel {
            name: "c".into(),
            from: None,
            to: None,
            capacity,
            messages: Vec::new(),
        };
        let semantics = Semantics {
            channel_bound,
            ..Semantics::default()
        };
        semantics.bound(&channel)
    };
    assert_eq!(bound(None, None), 16);
    assert_eq!(bound(Some(3), None), 16);
    assert_eq!(bound(Some(40), None), 41);
    assert_eq!(bound(Some(u32::MAX), None), 256);
    assert_eq!(bound(Some(40), Some(5)), 5);
    assert_eq!(bound(None, Some(1000)), 1000);
}

/// Channels of more than a word, which lie across words.
#[test]
fn wide_channels() {
    let mut random = Random::new(2);
    for _ in 0..50 {
        let mut recipe = Recipe::closed(2);
        recipe.messages = 9;
        let system = recipe.system(&mut random);
        for bound in [14, 15, 20, 31, 40] {
            check(&system, Beyond::Expand, bound);
        }
    }
}

/// What is written is read back as it was.
#[test]
fn files_are_read_back() {
    let mut random = Random::new(3);
    for round in 0..200 {
        let mut recipe = Recipe::closed(1 + round % 3);
        recipe.open = 30;
        let system = recipe.system(&mut random);
        let text = system.to_text();
        let again = super::x25::read_text(&text);
        assert_eq!(again.names(), system.names());
        assert_eq!(again.channels(), system.channels());
        assert_eq!(again.machines(), system.machines());
        assert_eq!(again.to_text(), text);
    }
}
