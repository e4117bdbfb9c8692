//! What the action formulas of a property match.

use hyades_formats::{LabelId, LabelTable};
use hyades_lts::pattern::why_unmatched;

use crate::data::EvaluationError;
use crate::graph::{Graph, TooLargeFormula};
use crate::label_set::Labels;
use crate::matching::{Bound, LabelText, matches};
use crate::print::action_text;
use crate::sets::Nothing;
use crate::syntax::{ActionFormula, Property, VariableId, Warning};

/// An action formula, and what it matches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActionMatches {
    /// Its text.
    pub action: String,
    /// The variables that it reads; which labels it matches depends on their values, and none
    /// are told.
    pub reads: Vec<String>,
    /// The labels, in the order of the table.
    pub labels: Vec<LabelId>,
    /// What it fails with on labels for which it has no value; the errors name them.
    pub failures: Vec<EvaluationError>,
}

/// What each action formula matches of these labels, in the order of the text.
pub fn matched_labels(property: &Property, table: &LabelTable) -> Vec<ActionMatches> {
    let Ok(graph) = Graph::new(property) else {
        return Vec::new();
    };
    let labels = Labels::new(table);
    let matched = graph.actions.iter().map(|action| {
        let name = |variable: &VariableId| property.variables[variable.0 as usize].name.to_string();
        let mut own = ActionMatches {
            action: action_text(property, &action.formula),
            reads: action.reads.iter().map(name).collect(),
            labels: Vec::new(),
            failures: Vec::new(),
        };
        if !own.reads.is_empty() {
            return own;
        }
        if let Some(named) = labels.named(&action.formula) {
            own.labels = named.to_vec(table.len());
            return own;
        }
        for (label, text) in labels.texts() {
            match matches(&action.formula, text, &Nothing, &mut Bound::new()) {
                Ok(true) => own.labels.push(label),
                Ok(false) => {}
                Err(error) => own.failures.push(error),
            }
        }
        own
    });
    let mut matched: Vec<ActionMatches> = matched.collect();
    let whole = property.text();
    matched.sort_by_cached_key(|own| whole.find(own.action.as_str()));
    matched
}

/// The text of the first action formula that is about the texts of visible labels, if there is
/// one: the others match all of them or none.
///
/// # Errors
/// If the formula is too large.
pub fn first_about_labels(property: &Property) -> Result<Option<String>, TooLargeFormula> {
    fn is_about_labels(formula: &ActionFormula) -> bool {
        match formula {
            ActionFormula::Constant(_)
            | ActionFormula::Hidden
            | ActionFormula::Visible
            | ActionFormula::Condition(_) => false,
            ActionFormula::Label(..)
            | ActionFormula::Exactly(_)
            | ActionFormula::Pattern(..)
            | ActionFormula::Offers(_)
            | ActionFormula::MultiAction(..) => true,
            ActionFormula::Not(inner) | ActionFormula::Quantified(.., inner) => {
                is_about_labels(inner)
            }
            ActionFormula::And(all) | ActionFormula::Or(all) => all.iter().any(is_about_labels),
            ActionFormula::Implies(both) | ActionFormula::Equivalent(both) => {
                both.iter().any(is_about_labels)
            }
        }
    }
    let graph = Graph::new(property)?;
    let mut formulas = graph.actions.iter().map(|action| &action.formula);
    let found = formulas.find(|formula| is_about_labels(formula));
    Ok(found.map(|formula| action_text(property, formula)))
}

/// Asks about the set of visible labels of each action formula, as a predicate; the text
/// of the first one that is refused, and why. There is no reason if an action formula reads
/// or makes known values, of which more than such a set matters.
///
/// # Errors
/// If one is refused.
pub fn first_action<E>(
    property: &Property,
    mut is_one: impl FnMut(&dyn Fn(&[u8]) -> bool) -> Result<(), E>,
) -> Result<(), (String, Option<E>)> {
    let graph = Graph::new(property).map_err(|error| (error.to_string(), None))?;
    for action in &graph.actions {
        let text = || action_text(property, &action.formula);
        if !(action.reads.is_empty() && action.binds.is_empty()) {
            return Err((text(), None));
        }
        let is_match = |label: &[u8]| {
            let own = LabelText::new(label, false);
            matches(&action.formula, own, &Nothing, &mut Bound::new()).unwrap_or(false)
        };
        is_one(&is_match).map_err(|error| (text(), Some(error)))?;
    }
    Ok(())
}

/// A warning for each label, pattern of labels or pattern of offers that matches none of
/// these labels: the usual slip. Labels that a model makes on the way are not known.
///
/// O(actions · labels); `observer` is called before each action, and may unwind.
pub fn unused_actions(
    property: &Property,
    table: &LabelTable,
    observer: &mut dyn FnMut(),
) -> Vec<Warning> {
    let Ok(graph) = Graph::new(property) else {
        return Vec::new();
    };
    let labels = Labels::new(table);
    let mut warnings: Vec<Warning> = Vec::new();
    for action in &graph.actions {
        observer();
        let place = match &action.formula {
            ActionFormula::Label(_, place)
            | ActionFormula::Pattern(_, place)
            | ActionFormula::MultiAction(_, place) => *place,
            ActionFormula::Offers(pattern) => pattern.place,
            ActionFormula::Constant(_)
            | ActionFormula::Hidden
            | ActionFormula::Visible
            | ActionFormula::Exactly(_)
            | ActionFormula::Condition(_)
            | ActionFormula::Not(_)
            | ActionFormula::And(_)
            | ActionFormula::Or(_)
            | ActionFormula::Implies(_)
            | ActionFormula::Equivalent(_)
            | ActionFormula::Quantified(..) => continue,
        };
        if !action.reads.is_empty() {
            continue;
        }
        let is_match =
            |(_, text)| matches(&action.formula, text, &Nothing, &mut Bound::new()).unwrap_or(true);
        let is_unused = match labels.named(&action.formula) {
            Some(named) => named.is_empty(),
            None => !labels.texts().any(is_match),
        };
        if is_unused {
            let mut message = action_text(property, &action.formula) + " matches no label";
            if let ActionFormula::Pattern(pattern, _) = &action.formula {
                let texts = table.visible().map(|(_, text)| text);
                let why = why_unmatched(pattern.source(), "label", texts);
                message.extend(why.map(|why| format!(": {why}")));
            }
            let warning = Warning {
                code: "check-unused-action",
                place,
                message,
            };
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
    }
    warnings
}
