//! Networks with known figures.

use hyades_explore::{Answer, ExploreOptions, Questions, explore};

use super::super::*;
use super::*;

/// States, transitions, deadlocks, orbits.
const KNOWN: [(&str, u64, u64, u64, u64); 6] = [
    ("liststack_2_2_2", 1512, 2794, 96, 210),
    ("liststack_3_2_2", 9432, 17446, 576, 458),
    ("database_4", 109, 224, 0, 11),
    ("peterson_3", 716, 2085, 0, 141),
    ("phils_3", 79, 162, 0, 79),
    ("phils_free_3", 173, 344, 0, 31),
];

#[test]
fn models_have_their_known_sizes() {
    for (name, states, transitions, deadlocks, orbits) in KNOWN {
        let (network, types) = read(name);
        let symmetry = Symmetry::new(&network, &types).unwrap();
        let model = SymmetricModel::new(&symmetry, Strategy::Exact);
        let whole = explore(&model.unreduced(), ExploreOptions::default(), &mut ())
            .unwrap()
            .states;
        assert_eq!(whole, states, "{name}");
        let (found, counts) = model.count(ExploreOptions::default()).unwrap();
        let counts = counts.unwrap();
        assert_eq!(found.states, orbits, "{name}");
        assert_eq!(counts.states, states.into(), "{name}");
        assert_eq!(counts.transitions, transitions.into(), "{name}");
        assert_eq!(counts.applications, transitions.into(), "{name}");
        for strategy in Strategy::ALL {
            let search = ExploreOptions {
                questions: Questions {
                    deadlock: true,
                    ..Questions::default()
                },
                ..ExploreOptions::default()
            };
            let model = SymmetricModel::new(&symmetry, strategy);
            let found = explore(&model, search, &mut ()).unwrap();
            match strategy {
                Strategy::Exact | Strategy::Refine | Strategy::Paper => {
                    assert_eq!(found.states, orbits, "{name} {strategy}");
                }
                _ => assert!(
                    (orbits..=states).contains(&found.states),
                    "{name} {strategy}"
                ),
            }
            let stuck = matches!(found.deadlock, Some(Answer::Yes(_)));
            assert_eq!(stuck, deadlocks > 0, "{name} {strategy}");
        }
    }
}
