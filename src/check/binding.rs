//! Which values of a quantified variable can matter at a state: those that the labels of
//! its transitions have where the variable stands.
//!
//! `forall n: Nat. [send(n)] F` holds trivially for all numbers that no transition of
//! the state sends. With thousands of values, two such quantifiers would otherwise make
//! millions of positions at each state.
//!
//! In an action formula, `exists n: Nat. send(n)` matches a label with the numbers only that
//! the label has.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::data;
use crate::graph::{ActionId, Graph, Node, NodeId};
use crate::matching::{LabelText, matches};
use crate::parity::Player;
use crate::syntax::{
    ActionFormula, Domain, Expression, Function, GatePattern, Modality, OfferMatch, Quantifier,
    Sort, Value, VariableId,
};
use crate::walk::{Part, visit_action};
use hyades_formats::label::{multi_action, parse_leniently};

/// Domains with fewer values are gone through.
const WORTHWHILE: usize = if cfg!(test) { 1 } else { 8 };

/// How deep a formula is looked into.
const DEPTH: usize = 12;

/// The values of a variable that is quantified at a node, and where it is read.
#[derive(Debug)]
pub(crate) struct Binding {
    variable: VariableId,
    /// Where the node is trivial for a value that none of these actions matches.
    actions: Vec<ActionId>,
    /// The domain, in its order.
    pub values: Vec<Value>,
    /// The places of the values, by [`key`].
    places: HashMap<Value, Vec<u32>>,
}

/// Values that a label may have where a variable stands.
enum Candidates {
    /// All values may match.
    All,
    /// Only those with these keys.
    Keys(Vec<Value>),
}

/// Texts are compared in their normal form, all other values as they are.
fn key(value: &Value) -> Cow<'_, Value> {
    match value {
        Value::Text(text) => match data::normal(text) {
            Cow::Borrowed(normal) if normal.len() == text.len() => Cow::Borrowed(value),
            normal => Cow::Owned(Value::Text(normal.into())),
        },
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => Cow::Borrowed(value),
    }
}

impl Binding {
    /// How the variable of a quantified node is bound by labels, if it is.
    pub fn of(graph: &Graph<'_>, node: NodeId) -> Option<Self> {
        let Node::Quantified(quantifier, variable, domain, body) = graph.node(node) else {
            return None;
        };
        if matches!(domain, Domain::Booleans) || !is_constant(domain) {
            return None;
        }
        let player = match quantifier {
            Quantifier::Forall => Player::Refuter,
            Quantifier::Exists => Player::Prover,
        };
        let actions = decisive(graph, *body, player, *variable, DEPTH)?;
        if !actions
            .iter()
            .any(|action| reads(graph, *action, *variable))
        {
            return None;
        }
        let values = data::domain(domain, &Nowhere).ok()?;
        if values.len() < WORTHWHILE {
            return None;
        }
        let mut places: HashMap<Value, Vec<u32>> = HashMap::new();
        for (place, value) in (0..).zip(&values) {
            places
                .entry(key(value).into_owned())
                .or_default()
                .push(place);
        }
        Some(Self {
            variable: *variable,
            actions,
            values,
            places,
        })
    }

    /// The places of the values that can matter at a state with these labels, ascending;
    /// `None` if all can.
    pub fn places<'l>(
        &self,
        graph: &Graph<'_>,
        labels: impl Iterator<Item = LabelText<'l>>,
    ) -> Option<Vec<u32>> {
        let mut found = Vec::new();
        for label in labels {
            for action in &self.actions {
                let formula = &graph.actions[action.index()].formula;
                match candidates(formula, label, self.variable) {
                    Candidates::All => return None,
                    Candidates::Keys(keys) => {
                        let places = keys.iter().filter_map(|key| self.places.get(key));
                        found.extend(places.flatten());
                    }
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }
}

/// The values of a domain with which an action formula can match a label, if the label tells
/// them and no other value could be an error; in no particular order.
pub(crate) fn told_values(
    domain: &Domain,
    variable: VariableId,
    formula: &ActionFormula,
    label: LabelText<'_>,
) -> Option<Vec<Value>> {
    if !is_constant(domain) || !has_values(formula) {
        return None;
    }
    let told = || match candidates(formula, label, variable) {
        Candidates::Keys(keys) => Some(keys),
        Candidates::All => None,
    };
    match domain {
        Domain::Values(values) if values.len() >= WORTHWHILE => {
            let keys = told()?;
            let values = values.iter().filter_map(literal);
            let is_told = |value: &&Value| keys.contains(&key(value));
            Some(values.filter(is_told).cloned().collect())
        }
        Domain::Range(bounds) => {
            let bounds = bounds.each_ref().map(literal);
            let [Some(Value::Int(first)), Some(Value::Int(last))] = bounds else {
                return None;
            };
            let mut keys = told()?;
            keys.retain(|key| matches!(key, Value::Int(n) if (first..=last).contains(&n)));
            Some(keys)
        }
        Domain::Booleans | Domain::Values(_) | Domain::Occurring => None,
    }
}

/// Whether the values of a domain are the same everywhere, and there are not too many.
fn is_constant(domain: &Domain) -> bool {
    match domain {
        Domain::Booleans => true,
        Domain::Occurring => false,
        // Fractions are spelt in many ways.
        Domain::Values(values) => values
            .iter()
            .all(|value| !matches!(literal(value), None | Some(Value::Real(_)))),
        Domain::Range(bounds) => match bounds.each_ref().map(literal) {
            [Some(Value::Int(first)), Some(Value::Int(last))] => {
                data::check_range(*first, *last).is_ok()
            }
            _ => false,
        },
    }
}

/// Whether nothing is computed in an action formula that may have no value.
fn has_values(formula: &ActionFormula) -> bool {
    fn has_value(expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) | Expression::Variable(_) => true,
            Expression::Apply(Function::Construct(_), operands, _) => {
                operands.iter().all(has_value)
            }
            Expression::Apply(..) => false,
        }
    }
    let mut all = true;
    visit_action(formula, &mut |part| {
        all &= match part {
            Part::Expression(expression) => has_value(expression),
            Part::Quantifier(_, domain) => is_constant(domain),
            // They read labels as values, which may be too large.
            Part::Offers => false,
            Part::Step(_)
            | Part::Action(..)
            | Part::Fixpoint(..)
            | Part::Values(..)
            | Part::Repeat => true,
        };
    });
    all
}

/// A scope without variables.
struct Nowhere;

impl data::Scope for Nowhere {
    fn value(&self, _: VariableId) -> &Value {
        unreachable!("the domain is made of constants")
    }
}

fn reads(graph: &Graph<'_>, action: ActionId, variable: VariableId) -> bool {
    let reads = &graph.actions[action.index()].reads;
    reads.binary_search(&variable).is_ok()
}

fn literal(expression: &Expression) -> Option<&Value> {
    match expression {
        Expression::Constant(value) => Some(value),
        Expression::Variable(_) | Expression::Apply(..) => None,
    }
}

/// Actions such that, where no transition matches one of them, `player` cannot win at
/// this node; `None` if there are none, or the node is not looked into so far.
fn decisive(
    graph: &Graph<'_>,
    node: NodeId,
    player: Player,
    variable: VariableId,
    depth: usize,
) -> Option<Vec<ActionId>> {
    let depth = depth.checked_sub(1)?;
    let below = |node: NodeId| decisive(graph, node, player, variable, depth);
    let all = |nodes: &[NodeId]| {
        let mut actions = Vec::new();
        for &node in nodes {
            actions.extend(below(node)?);
        }
        actions.sort_unstable();
        actions.dedup();
        Some(actions)
    };
    let one = |nodes: &[NodeId]| {
        let lost = nodes.iter().filter_map(|&node| below(node));
        lost.max_by_key(|actions| actions.iter().any(|action| reads(graph, *action, variable)))
    };
    match (graph.node(node), player) {
        (Node::Constant(value), _) => (*value != (player == Player::Prover)).then(Vec::new),
        (Node::Condition(..), _) => None,
        (Node::Modal(Modality::Box, action, _), Player::Refuter)
        | (Node::Modal(Modality::Diamond, action, _), Player::Prover) => Some(vec![*action]),
        (Node::Modal(..), _) => None,
        // Whose choice it is needs all of them to be lost, the other one needs one.
        (Node::And(nodes), Player::Refuter) | (Node::Or(nodes), Player::Prover) => all(nodes),
        (Node::And(nodes), Player::Prover) | (Node::Or(nodes), Player::Refuter) => one(nodes),
        (Node::Guard(_, nodes), _) => all(nodes),
        (Node::Assign(values, node), _) => {
            let is_other = values.iter().all(|(assigned, _)| *assigned != variable);
            is_other.then(|| below(*node)).flatten()
        }
        (Node::Quantified(Quantifier::Forall, other, _, node), Player::Refuter)
        | (Node::Quantified(Quantifier::Exists, other, _, node), Player::Prover) => {
            (*other != variable).then(|| below(*node)).flatten()
        }
        // The other one wins by a value, if the domain has one.
        (Node::Quantified(..), _) => None,
        (Node::Fixpoint(_, node), _) => below(*node),
    }
}

/// Which values the variable may have if the label is in the set.
fn candidates(formula: &ActionFormula, label: LabelText<'_>, variable: VariableId) -> Candidates {
    let none = || Candidates::Keys(Vec::new());
    match formula {
        ActionFormula::Constant(true) => Candidates::All,
        ActionFormula::Constant(false) => none(),
        ActionFormula::Hidden
        | ActionFormula::Visible
        | ActionFormula::Label(..)
        | ActionFormula::Exactly(_)
        | ActionFormula::Pattern(..) => match matches(formula, label, &Nowhere, &mut Vec::new()) {
            Ok(false) => none(),
            Ok(true) | Err(_) => Candidates::All,
        },
        ActionFormula::And(operands) => {
            let each = operands
                .iter()
                .map(|operand| candidates(operand, label, variable));
            each.reduce(|best, next| match (best, next) {
                (Candidates::Keys(best), Candidates::Keys(next)) if next.len() < best.len() => {
                    Candidates::Keys(next)
                }
                (best @ Candidates::Keys(_), _) => best,
                (Candidates::All, next) => next,
            })
            .unwrap_or(Candidates::All)
        }
        ActionFormula::Or(operands) => {
            let mut all = Vec::new();
            for operand in operands {
                match candidates(operand, label, variable) {
                    Candidates::All => return Candidates::All,
                    Candidates::Keys(keys) => all.extend(keys),
                }
            }
            Candidates::Keys(all)
        }
        ActionFormula::Quantified(Quantifier::Exists, other, _, body) if *other != variable => {
            candidates(body, label, variable)
        }
        ActionFormula::Quantified(..)
        | ActionFormula::Condition(_)
        | ActionFormula::Not(_)
        | ActionFormula::Implies(_)
        | ActionFormula::Equivalent(_) => Candidates::All,
        ActionFormula::MultiAction(terms, _) => {
            if label.is_hidden {
                return none();
            }
            let actions = match multi_action(label.text) {
                Some(split) => split.actions,
                None => vec![label.text],
            };
            if actions.len() != terms.len() {
                return none();
            }
            let actions: Vec<_> = actions.into_iter().map(parse_leniently).collect();
            let mut best = Candidates::All;
            for term in terms {
                let same: Vec<_> = actions
                    .iter()
                    .filter(|(name, arguments)| {
                        *name == term.name.as_bytes() && arguments.len() == term.arguments.len()
                    })
                    .collect();
                if same.is_empty() {
                    return none();
                }
                let is_read = |argument: &Expression| matches!(argument, Expression::Variable(read) if *read == variable);
                if let Some(place) = term.arguments.iter().position(is_read) {
                    let texts = same.iter().map(|(_, arguments)| arguments[place]);
                    best = keys(texts, None);
                }
            }
            best
        }
        ActionFormula::Offers(pattern) => {
            let (gate, offers) = parse_leniently(label.text);
            let fits = match (&pattern.gate, &pattern.after) {
                (GatePattern::Name(name), _) if **name != *gate => false,
                (_, None) => offers.len() == pattern.before.len(),
                (_, Some(after)) => offers.len() >= pattern.before.len() + after.len(),
            };
            if !fits {
                return none();
            }
            let read =
                pattern
                    .before
                    .iter()
                    .zip(&offers)
                    .find_map(|(wanted, offer)| match wanted {
                        OfferMatch::Value(Expression::Variable(read), sort, _)
                            if *read == variable =>
                        {
                            Some((*offer, sort))
                        }
                        OfferMatch::Value(..) | OfferMatch::Bind(..) | OfferMatch::Any(_) => None,
                    });
            match read {
                Some((offer, sort)) => keys(std::iter::once(offer), Some(sort)),
                None => Candidates::All,
            }
        }
    }
}

/// The keys of the values that these texts are, as ones of a sort if it matters.
fn keys<'t>(texts: impl Iterator<Item = &'t [u8]>, sort: Option<&Sort>) -> Candidates {
    let mut keys = Vec::new();
    for text in texts {
        let number = || data::read(text, &Sort::Int).ok().flatten();
        match sort {
            None => {
                for sort in [Sort::Bool, Sort::Char] {
                    keys.extend(data::read(text, &sort).ok().flatten());
                }
                keys.push(Value::Text(data::normal(text).into()));
            }
            Some(Sort::Pos | Sort::Nat | Sort::Int | Sort::Real) => {}
            Some(sort) => {
                let value = data::read(text, sort).ok().flatten();
                keys.extend(value.map(|value| key(&value).into_owned()));
            }
        }
        let has_numbers = matches!(
            sort,
            None | Some(Sort::Pos | Sort::Nat | Sort::Int | Sort::Real)
        );
        if has_numbers {
            match number() {
                Some(number) => keys.push(number),
                // What is a number spelt otherwise, `3.0`, may be each of them.
                None if data::read(text, &Sort::Real).is_ok_and(|real| real.is_none()) => {}
                None => return Candidates::All,
            }
        }
    }
    Candidates::Keys(keys)
}
