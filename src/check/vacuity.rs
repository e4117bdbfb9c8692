//! Formulas that hold for a reason that their author may not have had in mind.

use hyades_formats::Lts;

use crate::graph::Graph;
use crate::print::regular_text;
use crate::sets::sets;
use crate::syntax::{ActionFormula, Modality, Place, Property, Regular, StateFormula, Warning};

/// A warning for each `[R] f` of which no state of the LTS has a word of R, so that f does
/// not matter, but for `[R] false`, which says just that. Formulas with data, and those with
/// an action that has no value for a label, are not looked at. O(|R| · (states +
/// transitions)) for each.
pub fn vacuous(property: &Property, lts: &Lts) -> Vec<Warning> {
    let mut boxes = Vec::new();
    collect(&property.formula, &mut boxes);
    let mut warnings: Vec<Warning> = Vec::new();
    for regular in boxes {
        let possible = Property {
            formula: StateFormula::Modal(
                Modality::Diamond,
                regular.clone().into(),
                StateFormula::Constant(true).into(),
            ),
            ..property.clone()
        };
        let Ok(graph) = Graph::new(&possible) else {
            continue;
        };
        if !graph.is_data_free() {
            continue;
        }
        let Some(sets) = sets(&graph, lts, false) else {
            continue;
        };
        let somewhere = sets[graph.root.index()].as_ref();
        if somewhere.is_none_or(|set| !set.is_empty()) {
            continue;
        }
        let warning = Warning {
            code: "check-vacuous",
            place: place(regular).unwrap_or(Place { line: 1, column: 1 }),
            message: format!(
                "no state has a sequence of labels in `{}`, so that what is behind it does not \
                 matter",
                regular_text(property, regular)
            ),
        };
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    warnings
}

/// The regular formulas of `[R] f`, f not being `false`.
fn collect<'p>(formula: &'p StateFormula, found: &mut Vec<&'p Regular>) {
    match formula {
        StateFormula::Constant(_)
        | StateFormula::Condition(_)
        | StateFormula::Infinitely(_)
        | StateFormula::Variable(..) => {}
        StateFormula::Modal(modality, regular, body) => {
            let is_false = matches!(**body, StateFormula::Constant(false));
            if *modality == Modality::Box && !is_false {
                found.push(regular);
            }
            collect(body, found);
        }
        StateFormula::Not(body)
        | StateFormula::Fixpoint(_, _, _, body)
        | StateFormula::Quantified(_, _, _, body)
        | StateFormula::Let(_, _, body) => collect(body, found),
        StateFormula::And(operands) | StateFormula::Or(operands) => {
            operands.iter().for_each(|operand| collect(operand, found));
        }
        StateFormula::Implies(operands) | StateFormula::Equivalent(operands) => {
            operands.iter().for_each(|operand| collect(operand, found));
        }
        StateFormula::If(branches, otherwise) => {
            branches
                .iter()
                .for_each(|(_, branch)| collect(branch, found));
            collect(otherwise, found);
        }
    }
}

/// The first place that a regular formula tells.
fn place(regular: &Regular) -> Option<Place> {
    match regular {
        Regular::Empty => None,
        Regular::Action(action) => place_of_action(action),
        Regular::Sequence(parts) | Regular::Choice(parts) => parts.iter().find_map(place),
        Regular::Star(body)
        | Regular::Plus(body)
        | Regular::Optional(body)
        | Regular::Repeat(body, ..)
        | Regular::For(_, _, body)
        | Regular::Let(_, _, body) => place(body),
        Regular::If(branches, otherwise) => branches
            .iter()
            .find_map(|(_, branch)| place(branch))
            .or_else(|| place(otherwise)),
    }
}

fn place_of_action(action: &ActionFormula) -> Option<Place> {
    match action {
        ActionFormula::Label(_, place)
        | ActionFormula::Pattern(_, place)
        | ActionFormula::MultiAction(_, place) => Some(*place),
        ActionFormula::Offers(pattern) => Some(pattern.place),
        ActionFormula::Not(operand) | ActionFormula::Quantified(_, _, _, operand) => {
            place_of_action(operand)
        }
        ActionFormula::And(operands) | ActionFormula::Or(operands) => {
            operands.iter().find_map(place_of_action)
        }
        ActionFormula::Implies(operands) | ActionFormula::Equivalent(operands) => {
            operands.iter().find_map(place_of_action)
        }
        ActionFormula::Constant(_)
        | ActionFormula::Hidden
        | ActionFormula::Visible
        | ActionFormula::Exactly(_)
        | ActionFormula::Condition(_) => None,
    }
}
