//! Formulas read off how the attacker wins.

use hyades_formats::{LabelId, LabelTable, TooLarge};

use super::Kind;
use super::game::{Strategy, Turn};
use super::moves::{Mode, Move};
use crate::formula::{Formula, FormulaBuilder, NodeId};

/// The formula that holds in the first state of the root and not in the second one. Each
/// turn becomes one subformula, so that it is no larger than the strategy.
///
/// # Errors
/// None in practice: there are no more labels than the system has.
pub(super) fn formula(
    strategy: &Strategy,
    kind: Kind,
    table: &LabelTable,
) -> Result<Formula, TooLarge> {
    let mut builder = FormulaBuilder::new();
    let mut nodes: Vec<NodeId> = Vec::with_capacity(strategy.0.len());
    for turn in &strategy.0 {
        // The formulas that all answers of which this part was taken fail.
        let part = |part: usize| -> Vec<NodeId> {
            let taken = turn.against.iter().filter(|against| against.0 == part);
            taken.map(|against| nodes[against.1 as usize]).collect()
        };
        let (until, then) = (part(0), part(1));
        let node = match turn.by {
            Move::Step(label) => {
                let label = named(&mut builder, label, table)?;
                step(&mut builder, kind, turn, label, [until, then])
            }
            Move::Lacks(label) => {
                let label = named(&mut builder, label, table)?;
                let never = builder.or([]);
                builder.boxed(label, never)
            }
            Move::Inner => negations(&mut builder, then),
            Move::Couple => {
                let none = negations(&mut builder, then);
                builder.weak_diamond(LabelId::HIDDEN, none)
            }
            Move::Swap => {
                let none = negations(&mut builder, then);
                match turn.position.mode {
                    // The modality of the last step leaves room for hidden ones.
                    Mode::Word => none,
                    Mode::Pair | Mode::Inner | Mode::Fresh => {
                        builder.weak_diamond(LabelId::HIDDEN, none)
                    }
                }
            }
        };
        nodes.push(node);
    }
    // The root has a turn, and it is the last one.
    let root = nodes.last().copied().unwrap_or_else(|| builder.or([]));
    Ok(builder.build(root))
}

/// A step with this label to where all these formulas hold; the first ones hold until then.
fn step(
    builder: &mut FormulaBuilder,
    kind: Kind,
    turn: &Turn,
    label: LabelId,
    [until, then]: [Vec<NodeId>; 2],
) -> NodeId {
    let then = builder.and(then);
    if turn.position.mode == Mode::Inner {
        return builder.diamond(label, then);
    }
    match kind {
        Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim => builder.diamond(label, then),
        Kind::Safety => {
            let step = builder.diamond(label, then);
            builder.weak_diamond(LabelId::HIDDEN, step)
        }
        Kind::BranchingSim => {
            let until = builder.and(until);
            builder.until(until, label, then)
        }
        Kind::CoupledSim | Kind::Contrasim => builder.weak_diamond(label, then),
    }
}

/// None of these holds.
fn negations(builder: &mut FormulaBuilder, of: Vec<NodeId>) -> NodeId {
    let negated: Vec<NodeId> = of.into_iter().map(|node| builder.not(node)).collect();
    builder.and(negated)
}

/// The label of a formula with the text of a label.
fn named(
    builder: &mut FormulaBuilder,
    label: LabelId,
    table: &LabelTable,
) -> Result<LabelId, TooLarge> {
    match label {
        LabelId::HIDDEN => Ok(label),
        _ => builder.label(table.text(label)),
    }
}
