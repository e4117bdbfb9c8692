//! Verdicts against definitions.

mod naive;
mod random;

use hyades_formats::Lts;
use hyades_testing::{Random, check};

use crate::game::{Game, Target};
use crate::graph::Graph;
use crate::parity::Player;
use crate::sets::states_of;
use crate::states::States;
use crate::syntax::Property;

/// Whether the formula holds, by the game.
fn by_game(property: &Property, lts: &Lts) -> bool {
    let graph = Graph::new(property).expect("a small formula");
    let mut game = Game::new(&graph, States::of_lts(lts));
    let winner = match game.start().expect("values") {
        Target::Won(player) => player,
        Target::To(root) => {
            let stopped = game.run(root, &mut |_, _| std::ops::ControlFlow::Continue(()));
            assert_eq!(stopped.expect("values"), None);
            game.winner[root as usize].expect("a verdict")
        }
    };
    winner == Player::Prover
}

#[test]
fn random_formulas_as_defined() {
    let rounds = 100;
    for has_data in [false, true] {
        check(rounds, 6, |lts, random| {
            for depth in [2, 4, 6] {
                let property = random::property(random, depth, has_data);
                let expected = naive::holds(&property, lts);
                let found = by_game(&property, lts);
                let graph = Graph::new(&property).expect("a small formula");
                if graph.is_data_free() {
                    let set = states_of(&graph, lts).expect("no values");
                    if set.contains(Lts::initial(lts).get()) != expected {
                        return Err(format!("sets: not {expected}: {:?}", property.formula));
                    }
                }
                if found != expected {
                    return Err(format!("{found}, expected {expected}: {:?}", property.formula));
                }
            }
            Ok(())
        });
    }
}
