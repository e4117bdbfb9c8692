//! Verdicts against definitions.

mod naive;
mod random;

use hyades_equivalence::compare::{Side, Verdict as Comparison, Witness};
use hyades_equivalence::formula::FormulaBuilder;
use hyades_equivalence::{Relation, compare};
use hyades_explore::Model;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::{Random, check, mutated};

use crate::decide::verify_trace;
use crate::evidence::{End, Step, Way};
use crate::game::{Game, Target};
use crate::graph::Graph;
use crate::parity::Player;
use crate::sets::sets;
use crate::states::States;
use crate::syntax::Property;
use crate::{CheckOptions, Checked, Evidence, Verdict, check_lts, check_model, hml};

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
    let rounds = 200;
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
                    parts: true,
                    ..CheckOptions::default()
                };
                for checked in [
                    check_lts(&property, lts, options).expect("values"),
                    check_model(
                        &property,
                        lts.erased(),
                        CheckOptions {
                            evidence: true,
                            parts: true,
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

/// Formulas that comparisons show, and what they are made of: as their own evaluator says.
#[test]
fn hennessy_milner_formulas_as_their_definition() {
    check(60, 8, |lts, random| {
        for _ in 0..5 {
            let mut builder = FormulaBuilder::new();
            let label = |builder: &mut FormulaBuilder, k: usize| match k {
                0 => LabelId::HIDDEN,
                k => builder.label(&[b'`' + k as u8]).expect("few labels"),
            };
            let mut nodes = vec![builder.and([]), builder.or([])];
            for _ in 0..random.between(1, 9) {
                let any = |random: &mut Random| random.between(0, nodes.len() - 1);
                let (x, y) = (nodes[any(random)], nodes[any(random)]);
                let label = label(&mut builder, random.between(0, 3));
                nodes.push(match random.between(0, 8) {
                    0 => builder.and([x, y]),
                    1 => builder.or([x, y]),
                    2 => builder.not(x),
                    3 => builder.diamond(label, x),
                    4 => builder.boxed(label, x),
                    5 => builder.weak_diamond(label, x),
                    6 => builder.weak_box(label, x),
                    7 => builder.until(x, label, y),
                    _ => builder.divergence(x),
                });
            }
            let formula = builder.build(nodes[nodes.len() - 1]);
            for state in (0..lts.states()).map(StateId::from_index) {
                let expected = formula.holds(lts, state);
                let found = hml::holds(&formula, lts, state, usize::MAX);
                if found != Some(expected) {
                    return Err(format!("{found:?} in {state}, not {expected}: {formula}"));
                }
            }
        }
        Ok(())
    });
}

/// What comparisons show holds on the one side only.
#[test]
fn reasons_hold_on_one_side() {
    let seen = std::cell::Cell::new(0);
    check(40, 6, |lts, random| {
        let other = mutated(lts, random);
        let sides = [lts, &other];
        for relation in Relation::ALL {
            let verdict = compare(lts.clone(), other.clone(), relation).expect("small systems");
            let Comparison::Fails(Some(Witness::Formula(claim))) = verdict else {
                continue;
            };
            let holds =
                sides.map(|lts| hml::holds(&claim.formula, lts, Lts::initial(lts), usize::MAX));
            let expected = [Side::First, Side::Second].map(|side| Some(side == claim.holds_in));
            if holds != expected {
                return Err(format!("{relation}: {holds:?}: {}", claim.formula));
            }
            seen.set(seen.get() + 1);
        }
        Ok(())
    });
    assert!(seen.get() > 1000);
}
