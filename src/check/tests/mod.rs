//! Verdicts against definitions.

mod naive;
mod random;

use hyades_explore::Model;
use hyades_formats::Lts;
use hyades_testing::check;

use crate::decide::verify_trace;
use crate::evidence::{End, Step, Way};
use crate::game::{Game, Target};
use crate::graph::Graph;
use crate::parity::Player;
use crate::sets::sets;
use crate::states::States;
use crate::syntax::Property;
use crate::{CheckOptions, Checked, Evidence, Verdict, check_lts, check_model};

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
                    let sets = sets(&graph, lts, false).expect("no values");
                    let set = sets[graph.root.index()].as_ref().expect("the root is kept");
                    if set.contains(Lts::initial(lts).get()) != expected {
                        return Err(format!("sets: not {expected}: {:?}", property.formula));
                    }
                }
                let options = CheckOptions {
                    evidence: true,
                    ..CheckOptions::default()
                };
                for checked in [
                    check_lts(&property, lts, options).expect("values"),
                    check_model(
                        &property,
                        lts.erased(),
                        CheckOptions {
                            evidence: true,
                            ..CheckOptions::default()
                        },
                    )
                    .expect("values"),
                ] {
                    if (checked.verdict == Verdict::True) != expected {
                        return Err(format!("not {expected}: {:?}", property.formula));
                    }
                    checks_again(&property, lts, &checked)?;
                }
                if found != expected {
                    return Err(format!(
                        "{found}, expected {expected}: {:?}",
                        property.formula
                    ));
                }
            }
            Ok(())
        });
    }
}

/// Traces are replayed; that parts suffice is asserted where they are made.
fn checks_again(property: &Property, lts: &Lts, checked: &Checked) -> Result<(), String> {
    let Some(Evidence::Way(Way { steps, end })) = &checked.evidence else {
        return Ok(());
    };
    let text = |step: &Step| match step.label.is_hidden() {
        true => None,
        false => Some(checked.labels.text(step.label)),
    };
    let labels: Vec<Option<&[u8]>> = steps.iter().map(text).collect();
    let is_circle = matches!(end, End::Circle(_));
    if !is_circle && !verify_trace(property, lts, &labels).expect("values") {
        return Err(format!("{steps:?} does not show {:?}", property.formula));
    }
    Ok(())
}
