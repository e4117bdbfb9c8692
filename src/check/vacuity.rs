//! Formulas that hold for a reason that their author may not have had in mind.

use std::ops::ControlFlow;

use hyades_formats::Lts;

use crate::graph::Graph;
use crate::print::regular_text;
use crate::sets::sets;
use crate::syntax::{ActionFormula, Modality, Place, Property, Regular, StateFormula, Warning};

/// A warning for each `[R] f` of which no state that can be reached has a word of R, so that f
/// does not matter, but for `[R] false`, which says just that. Formulas with data, and those
/// with an action that has no value for a label, are not looked at. O(|R| · (states +
/// transitions)) for each.
pub fn vacuous(property: &Property, lts: &Lts) -> Vec<Warning> {
    let mut boxes = Vec::new();
    collect(&property.formula, &mut boxes);
    let mut warnings: Vec<Warning> = Vec::new();
    for regular in boxes {
        let possible = Property {
            formula: StateFormula::Modal(
                Modality::Diamond,
                somewhere(regular).into(),
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
        let Ok(sets) = sets(&graph, lts, false, &mut || ControlFlow::Continue(())) else {
            continue;
        };
        let initial = Lts::initial(lts).index();
        let found = sets[graph.root.index()].as_ref();
        if found.is_none_or(|set| set.contains(initial)) {
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

/// Any labels, and then a regular formula, of which `true*` at the beginning says so already.
fn somewhere(regular: &Regular) -> Regular {
    let anything = Regular::Action(ActionFormula::Constant(true));
    let is_anything = |regular: &Regular| {
        matches!(regular, Regular::Star(body)
            if matches!(**body, Regular::Action(ActionFormula::Constant(true))))
    };
    match regular {
        Regular::Sequence(parts) if parts.first().is_some_and(is_anything) => regular.clone(),
        _ => Regular::Sequence(vec![Regular::Star(anything.into()), regular.clone()]),
    }
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

#[cfg(test)]
mod tests {
    use hyades_testing::lts;

    use super::*;
    use crate::mcl::{LibraryFiles, parse};

    #[test]
    fn any_state_that_can_be_reached_may_have_a_word() {
        let lts = lts(&[
            (0, "C", 1),
            (1, "B", 2),
            (1, "A", 1),
            (2, "D", 2),
            (0, "D", 0),
            // From here nothing comes back.
            (3, "E", 1),
        ]);
        for (regular, is_vacuous) in [
            (r#""A"* . "B""#, false),
            (r#""A" . "B""#, false),
            (r#""B""#, false),
            (r#"("A" | "B")+ . "D""#, false),
            (r#"true* . "B" . "D""#, false),
            (r#""D"+ . "B""#, true),
            (r#""A"+ . "C""#, true),
            (r#""E""#, true),
            (r#"true* . "B" . "C""#, true),
        ] {
            let text = format!("[{regular}] <\"D\"> true");
            let parsed = parse(text.as_bytes(), "-f", &mut LibraryFiles::default());
            let found = vacuous(&parsed.unwrap().property, &lts);
            assert_eq!(!found.is_empty(), is_vacuous, "{regular}: {found:?}");
        }
    }
}
