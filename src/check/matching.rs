//! Which labels an action formula matches, and what it binds.

use hyades_formats::diagnostic::printable_string;
use hyades_formats::label::{multi_action, parse_leniently};
use hyades_formats::{LabelId, LabelTable};

use crate::binding::told_values;
use crate::data::{self, EvaluationError, Scope};
use crate::syntax::{
    ActionFormula, ActionTerm, GatePattern, OfferMatch, OfferPattern, Place, Quantifier, Value,
    VariableId,
};

/// A label that is matched.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LabelText<'a> {
    /// Its text without blanks around it; `i` if it is hidden.
    pub text: &'a [u8],
    /// Its text as it is.
    whole: &'a [u8],
    pub is_hidden: bool,
}

impl<'a> LabelText<'a> {
    /// Whether both are one label, but for blanks around it.
    pub fn is(self, other: LabelText<'_>) -> bool {
        self.text == other.text && self.is_hidden == other.is_hidden
    }

    pub fn new(text: &'a [u8], is_hidden: bool) -> Self {
        let (whole, text): (&[u8], &[u8]) = match is_hidden {
            true => (b"i", b"i"),
            false => (text, text.trim_ascii()),
        };
        Self {
            text,
            whole,
            is_hidden,
        }
    }

    /// A label of a table.
    pub fn of(table: &'a LabelTable, label: LabelId) -> Self {
        Self::new(table.text(label), label.is_hidden())
    }
}

/// What a match has bound, the latest last.
pub(crate) type Bound = Vec<(VariableId, Value)>;

/// A scope with more variables.
pub(crate) struct Extended<'a> {
    pub outer: &'a dyn Scope,
    pub bound: &'a [(VariableId, Value)],
}

impl Scope for Extended<'_> {
    fn value(&self, variable: VariableId) -> &Value {
        let own = self.bound.iter().rev().find(|(own, _)| *own == variable);
        own.map_or_else(|| self.outer.value(variable), |(_, value)| value)
    }
}

/// Whether a label is in the set; if so, what it binds is added to `bound`.
///
/// # Errors
/// If an expression has no value, or the label has a number that is too large; the message
/// names the label.
pub(crate) fn matches(
    formula: &ActionFormula,
    label: LabelText<'_>,
    scope: &dyn Scope,
    bound: &mut Bound,
) -> Result<bool, EvaluationError> {
    is_in(formula, label, scope, bound).map_err(|error| EvaluationError {
        message: format!(
            "{}, in the label `{}`",
            error.message,
            printable_string(label.text)
        ),
        ..error
    })
}

/// The work of [`matches`], whose errors do not name the label.
fn is_in(
    formula: &ActionFormula,
    label: LabelText<'_>,
    scope: &dyn Scope,
    bound: &mut Bound,
) -> Result<bool, EvaluationError> {
    let inner = |operand: &ActionFormula| is_in(operand, label, scope, &mut Bound::new());
    Ok(match formula {
        ActionFormula::Constant(value) => *value,
        ActionFormula::Hidden => label.is_hidden,
        ActionFormula::Visible => !label.is_hidden,
        ActionFormula::Label(text, _) => label.text == text.trim_ascii(),
        ActionFormula::Exactly(text) => !label.is_hidden && label.whole == &**text,
        ActionFormula::Pattern(pattern, _) => pattern.is_match(label.text),
        ActionFormula::Condition(condition) => data::condition(condition, scope, Place::default())?,
        ActionFormula::Not(operand) => !inner(operand)?,
        ActionFormula::And(operands) => {
            let before = bound.len();
            for operand in operands {
                if !is_in(operand, label, scope, bound)? {
                    bound.truncate(before);
                    return Ok(false);
                }
            }
            true
        }
        ActionFormula::Or(operands) => any(operands, true, inner)?,
        ActionFormula::Implies(operands) => !inner(&operands[0])? || inner(&operands[1])?,
        ActionFormula::Equivalent(operands) => inner(&operands[0])? == inner(&operands[1])?,
        ActionFormula::Quantified(quantifier, variable, domain, body) => {
            let wanted = *quantifier == Quantifier::Exists;
            let told = wanted
                .then(|| told_values(domain, *variable, body, label))
                .flatten();
            let values = match told {
                Some(values) => values,
                None => data::domain(domain, scope)?,
            };
            any(&values, wanted, |value| {
                let own = [(*variable, value.clone())];
                let scope = Extended {
                    outer: scope,
                    bound: &own,
                };
                is_in(body, label, &scope, &mut Bound::new())
            })? == wanted
        }
        ActionFormula::MultiAction(terms, _) => is_multi_action(terms, label, scope)?,
        ActionFormula::Offers(pattern) => {
            let before = bound.len();
            let is_match = matches_offers(pattern, label, scope, bound)?;
            if !is_match {
                bound.truncate(before);
            }
            is_match
        }
    })
}

/// Whether this is `wanted` of one of these; they are looked at until it is known.
fn any<T>(
    items: &[T],
    wanted: bool,
    mut test: impl FnMut(&T) -> Result<bool, EvaluationError>,
) -> Result<bool, EvaluationError> {
    for item in items {
        if test(item)? == wanted {
            return Ok(true);
        }
    }
    Ok(false)
}

fn matches_offers(
    pattern: &OfferPattern,
    label: LabelText<'_>,
    scope: &dyn Scope,
    bound: &mut Bound,
) -> Result<bool, EvaluationError> {
    let OfferPattern {
        place,
        gate,
        before,
        after,
        condition,
    } = pattern;
    let first = bound.len();
    let (label_gate, offers) = parse_leniently(label.text);
    match gate {
        GatePattern::Any => {}
        GatePattern::Name(name) if **name == *label_gate => {}
        GatePattern::Name(_) => return Ok(false),
        GatePattern::Bind(variable) => bound.push((*variable, Value::Text(label_gate.into()))),
    }
    let last = after.as_deref().unwrap_or(&[]);
    let fits = match after {
        None => offers.len() == before.len(),
        Some(_) => offers.len() >= before.len() + last.len(),
    };
    if !fits {
        return Ok(false);
    }
    let ending = offers.len() - last.len();
    let pairs = before
        .iter()
        .zip(&offers)
        .chain(last.iter().zip(&offers[ending..]));
    for (wanted, offer) in pairs {
        let is_match = match wanted {
            OfferMatch::Any(None) => true,
            OfferMatch::Any(Some(sort)) => read(offer, sort, *place)?.is_some(),
            OfferMatch::Bind(variable, sort) => match read(offer, sort, *place)? {
                Some(value) => {
                    bound.push((*variable, value));
                    true
                }
                None => false,
            },
            OfferMatch::Value(expression, sort, _) => {
                let scope = Extended {
                    outer: scope,
                    bound: &bound[first..],
                };
                data::equals(offer, &data::evaluate(expression, &scope)?, sort)
            }
        };
        if !is_match {
            return Ok(false);
        }
    }
    match condition {
        None => Ok(true),
        Some(condition) => {
            let scope = Extended {
                outer: scope,
                bound: &bound[first..],
            };
            data::condition(condition, &scope, *place)
        }
    }
}

/// The value of an offer as one of this sort, if it is one.
fn read(
    offer: &[u8],
    sort: &crate::syntax::Sort,
    place: Place,
) -> Result<Option<Value>, EvaluationError> {
    data::read(offer, sort).map_err(|error| EvaluationError {
        place,
        message: error.to_string(),
    })
}

/// Whether a label is a multi-action of these actions, in any order.
fn is_multi_action(
    terms: &[ActionTerm],
    label: LabelText<'_>,
    scope: &dyn Scope,
) -> Result<bool, EvaluationError> {
    if label.is_hidden {
        return Ok(false);
    }
    let actions = match multi_action(label.text) {
        Some(split) if !split.time.is_empty() => return Ok(false),
        Some(split) => split.actions,
        None => vec![label.text],
    };
    if actions.len() != terms.len() {
        return Ok(false);
    }
    let mut open: Vec<(&[u8], Vec<&[u8]>)> = actions.into_iter().map(parse_leniently).collect();
    // Whether an argument is a value does not depend on the other arguments, and equal
    // values have equal arguments: any action that fits is as good as another.
    for term in terms {
        let values = term
            .arguments
            .iter()
            .map(|argument| data::evaluate(argument, scope));
        let values = values.collect::<Result<Vec<Value>, _>>()?;
        let fits = |(name, arguments): &(&[u8], Vec<&[u8]>)| {
            *name == term.name.as_bytes()
                && arguments.len() == values.len()
                && arguments
                    .iter()
                    .zip(&values)
                    .all(|(text, value)| data::is_argument(text, value))
        };
        match open.iter().position(fits) {
            Some(place) => open.swap_remove(place),
            None => return Ok(false),
        };
    }
    Ok(true)
}
