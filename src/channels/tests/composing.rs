//! Components taken as one, with bounds that grow, against one large bound.

use hyades_explore::Limits;
use hyades_testing::Random;

use super::super::*;
use super::random::Recipe;

fn found(system: &System, members: &[ComponentId], bound: u32) -> Analysis {
    let semantics = Semantics {
        beyond: Beyond::Expand,
        channel_bound: Some(bound),
        restrained: None,
    };
    let limits = Limits {
        max_states: Some(5_000),
        ..Limits::default()
    };
    let model = SystemModel::of_members(system, members, semantics).unwrap();
    analyse(&model, limits, None, None).unwrap()
}

#[test]
fn growing_bounds_change_nothing() {
    const MOST: u64 = 20_000;
    let mut random = Random::new(21);
    let (mut finite, mut infinite, mut unknown) = (0, 0, 0);
    for round in 0..1200 {
        let system = Recipe::closed(2 + round % 2).system(&mut random);
        let members: Vec<ComponentId> = system.components().take(2).collect();
        let limits = Limits {
            max_states: Some(MOST),
            ..Limits::default()
        };
        match Composed::new(&system, &members, "AB", None, limits) {
            Ok(composed) => {
                let semantics = Semantics {
                    beyond: Beyond::Expand,
                    channel_bound: None,
                    restrained: None,
                };
                let model = SystemModel::of_members(&system, &members, semantics).unwrap();
                let all = analyse(&model, limits, None, None).unwrap();
                assert!(all.is_complete());
                let states = (0..all.states as usize).map(hyades_formats::StateId::from_index);
                let states: Vec<_> = states.map(|s| all.state(&model, s)).collect();
                assert_eq!(composed.states, states, "{}", system.to_text());
                finite += usize::from(states.len() > 5);
            }
            // Whatever the bound, there is something beyond.
            Err(ComposeError::Unbounded(name)) => {
                assert!(system.channels().iter().any(|channel| channel.name == name));
                for bound in [1, 3, 8, 20] {
                    let all = found(&system, &members, bound);
                    assert!(!all.is_complete(), "{bound}: {}", system.to_text());
                }
                infinite += 1;
            }
            Err(ComposeError::Bound(_) | ComposeError::Limit) => unknown += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(
        finite > 50 && infinite > 50,
        "{finite} {infinite} {unknown}"
    );
    assert!(unknown * 10 < infinite, "{finite} {infinite} {unknown}");
}
