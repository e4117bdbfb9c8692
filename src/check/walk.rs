//! Walks over formulas, for what is done with their data.

use crate::syntax::{
    ActionFormula, ActionTerm, Domain, Expression, FixpointId, Place, Regular, StateFormula,
    VariableId,
};

/// A part of a formula.
pub(crate) enum Part<'f> {
    /// One that is all of a step of a regular formula.
    Step(&'f ActionFormula),
    Quantifier(VariableId, &'f Domain),
    /// One that is no part of another one.
    Expression(&'f Expression),
    /// With its place; its arguments are expressions, too.
    Action(&'f ActionTerm, Place),
    /// A fixpoint with its body.
    Fixpoint(FixpointId, &'f StateFormula),
    /// What the parameters of a fixpoint are set to, which are expressions, too.
    Values(FixpointId, &'f [Expression]),
    /// A pattern of offers.
    Offers,
    /// A regular formula so many times.
    Repeat,
}

/// Shows the parts of a formula that have data, in the order of the text.
pub(crate) fn visit_state<'f>(formula: &'f StateFormula, visit: &mut dyn FnMut(Part<'f>)) {
    match formula {
        StateFormula::Constant(_) => {}
        StateFormula::Condition(condition) => visit(Part::Expression(condition)),
        StateFormula::Not(inner) => visit_state(inner, visit),
        StateFormula::And(inner) | StateFormula::Or(inner) => {
            inner.iter().for_each(|inner| visit_state(inner, visit));
        }
        StateFormula::Implies(both) | StateFormula::Equivalent(both) => {
            both.iter().for_each(|inner| visit_state(inner, visit));
        }
        StateFormula::Modal(_, regular, inner) => {
            visit_regular(regular, visit);
            visit_state(inner, visit);
        }
        StateFormula::Infinitely(regular) => visit_regular(regular, visit),
        StateFormula::Fixpoint(_, id, values, inner) => {
            visit(Part::Fixpoint(*id, inner));
            visit(Part::Values(*id, values));
            values
                .iter()
                .for_each(|value| visit(Part::Expression(value)));
            visit_state(inner, visit);
        }
        StateFormula::Variable(id, values) => {
            visit(Part::Values(*id, values));
            values
                .iter()
                .for_each(|value| visit(Part::Expression(value)));
        }
        StateFormula::Quantified(_, id, domain, inner) => {
            visit(Part::Quantifier(*id, domain));
            visit_state(inner, visit);
        }
        StateFormula::Let(_, value, inner) => {
            visit(Part::Expression(value));
            visit_state(inner, visit);
        }
        StateFormula::If(branches, other) => {
            for (condition, inner) in branches {
                visit(Part::Expression(condition));
                visit_state(inner, visit);
            }
            visit_state(other, visit);
        }
    }
}

fn visit_regular<'f>(regular: &'f Regular, visit: &mut dyn FnMut(Part<'f>)) {
    match regular {
        Regular::Empty => {}
        Regular::Action(action) => {
            visit(Part::Step(action));
            visit_action(action, visit);
        }
        Regular::Sequence(parts) | Regular::Choice(parts) => {
            parts.iter().for_each(|part| visit_regular(part, visit));
        }
        Regular::Star(inner) | Regular::Plus(inner) | Regular::Optional(inner) => {
            visit_regular(inner, visit)
        }
        Regular::Repeat(inner, ..) => {
            visit(Part::Repeat);
            visit_regular(inner, visit);
        }
        Regular::If(branches, other) => {
            for (condition, inner) in branches {
                visit(Part::Expression(condition));
                visit_regular(inner, visit);
            }
            visit_regular(other, visit);
        }
        Regular::For(_, range, inner) => {
            range
                .iter()
                .for_each(|value| visit(Part::Expression(value)));
            visit_regular(inner, visit);
        }
        Regular::Let(_, value, inner) => {
            visit(Part::Expression(value));
            visit_regular(inner, visit);
        }
    }
}

/// As [`visit_state`].
pub(crate) fn visit_action<'f>(action: &'f ActionFormula, visit: &mut dyn FnMut(Part<'f>)) {
    match action {
        // What MCL alone has: no domain of it is looked up.
        ActionFormula::Constant(_)
        | ActionFormula::Hidden
        | ActionFormula::Visible
        | ActionFormula::Label(..)
        | ActionFormula::Exactly(_)
        | ActionFormula::Pattern(..) => {}
        ActionFormula::Offers(_) => visit(Part::Offers),
        ActionFormula::MultiAction(terms, place) => {
            for term in terms {
                visit(Part::Action(term, *place));
                let arguments = term.arguments.iter();
                arguments.for_each(|argument| visit(Part::Expression(argument)));
            }
        }
        ActionFormula::Condition(condition) => visit(Part::Expression(condition)),
        ActionFormula::Not(inner) => visit_action(inner, visit),
        ActionFormula::And(inner) | ActionFormula::Or(inner) => {
            inner.iter().for_each(|inner| visit_action(inner, visit));
        }
        ActionFormula::Implies(both) | ActionFormula::Equivalent(both) => {
            both.iter().for_each(|inner| visit_action(inner, visit));
        }
        ActionFormula::Quantified(_, id, domain, inner) => {
            visit(Part::Quantifier(*id, domain));
            visit_action(inner, visit);
        }
    }
}

/// Shows the domains of quantifiers, to be replaced, in the order of the text.
pub(crate) fn replace_in_state(
    formula: &mut StateFormula,
    replace: &mut dyn FnMut(VariableId, &mut Domain),
) {
    match formula {
        StateFormula::Constant(_) | StateFormula::Condition(_) | StateFormula::Variable(..) => {}
        StateFormula::Not(inner)
        | StateFormula::Fixpoint(_, _, _, inner)
        | StateFormula::Let(_, _, inner) => replace_in_state(inner, replace),
        StateFormula::And(inner) | StateFormula::Or(inner) => {
            inner
                .iter_mut()
                .for_each(|inner| replace_in_state(inner, replace));
        }
        StateFormula::Implies(both) | StateFormula::Equivalent(both) => {
            both.iter_mut()
                .for_each(|inner| replace_in_state(inner, replace));
        }
        StateFormula::Modal(_, regular, inner) => {
            replace_in_regular(regular, replace);
            replace_in_state(inner, replace);
        }
        StateFormula::Infinitely(regular) => replace_in_regular(regular, replace),
        StateFormula::Quantified(_, id, domain, inner) => {
            replace(*id, domain);
            replace_in_state(inner, replace);
        }
        StateFormula::If(branches, other) => {
            branches
                .iter_mut()
                .for_each(|(_, inner)| replace_in_state(inner, replace));
            replace_in_state(other, replace);
        }
    }
}

fn replace_in_regular(regular: &mut Regular, replace: &mut dyn FnMut(VariableId, &mut Domain)) {
    match regular {
        Regular::Empty => {}
        Regular::Action(action) => replace_in_action(action, replace),
        Regular::Sequence(parts) | Regular::Choice(parts) => {
            parts
                .iter_mut()
                .for_each(|part| replace_in_regular(part, replace));
        }
        Regular::Star(inner)
        | Regular::Plus(inner)
        | Regular::Optional(inner)
        | Regular::Repeat(inner, ..)
        | Regular::For(_, _, inner)
        | Regular::Let(_, _, inner) => replace_in_regular(inner, replace),
        Regular::If(branches, other) => {
            branches
                .iter_mut()
                .for_each(|(_, inner)| replace_in_regular(inner, replace));
            replace_in_regular(other, replace);
        }
    }
}

fn replace_in_action(action: &mut ActionFormula, replace: &mut dyn FnMut(VariableId, &mut Domain)) {
    match action {
        ActionFormula::Constant(_)
        | ActionFormula::Hidden
        | ActionFormula::Visible
        | ActionFormula::Label(..)
        | ActionFormula::Exactly(_)
        | ActionFormula::Pattern(..)
        | ActionFormula::Offers(_)
        | ActionFormula::MultiAction(..)
        | ActionFormula::Condition(_) => {}
        ActionFormula::Not(inner) => replace_in_action(inner, replace),
        ActionFormula::And(inner) | ActionFormula::Or(inner) => {
            inner
                .iter_mut()
                .for_each(|inner| replace_in_action(inner, replace));
        }
        ActionFormula::Implies(both) | ActionFormula::Equivalent(both) => {
            both.iter_mut()
                .for_each(|inner| replace_in_action(inner, replace));
        }
        ActionFormula::Quantified(_, id, domain, inner) => {
            replace(*id, domain);
            replace_in_action(inner, replace);
        }
    }
}
