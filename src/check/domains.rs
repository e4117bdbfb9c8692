//! The values of quantified variables in formulas of mCRL2.
//!
//! Their quantifiers have a sort and no more, and labels are all that an LTS tells of
//! values. A variable of a sort with another name than those of numbers runs through
//! the texts that stand in labels where the formula has variables of this sort; one of
//! numbers runs up to the largest that stands there or in the formula, and as many
//! further as there are variables of its sort that may have such values at once: values
//! that occur nowhere cannot be told apart but from one another.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use hyades_formats::diagnostic::excerpt;
use hyades_formats::label::{multi_action, parse_leniently};
use hyades_formats::{LabelId, LabelTable};

use crate::data::{self, MAX_DOMAIN};
use crate::graph::expression_variables;
use crate::print::action_text;
use crate::syntax::{
    ActionFormula, ActionTerm, Domain, Expression, FixpointId, Function, Place, Property, Sort,
    Value, Variable, VariableId, Warning,
};
use crate::walk::{Part, replace_in_state, visit_state};

/// The values of sorts that the user gives, by their names.
pub type Given = BTreeMap<String, Vec<Value>>;

/// A sort whose values are not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DomainError {
    /// A variable of the sort.
    pub variable: VariableId,
    /// Why, and what to do.
    pub message: String,
}

impl std::fmt::Display for DomainError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for DomainError {}

/// What there is to say of domains that labels gave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// There is no value for this variable and others of its sort.
    Empty(VariableId),
    /// The value of this variable is computed with: values beyond those of the domain
    /// could make a difference.
    Approximate(VariableId),
}

/// The values that a user gives a sort, from their texts between commas outside brackets.
///
/// # Errors
/// If the sort is that of Booleans, or a text is no value of the sort: why.
pub fn values_of(sort: &str, texts: &[u8]) -> Result<Vec<Value>, String> {
    let sort = match sort {
        "Bool" => return Err("Bool has the values true and false".to_owned()),
        "Pos" => Sort::Pos,
        "Nat" => Sort::Nat,
        "Int" => Sort::Int,
        "Real" => return Err("reals are not supported in formulas of mCRL2".to_owned()),
        other => Sort::Named(other.into()),
    };
    if texts.trim_ascii().is_empty() {
        return Ok(Vec::new());
    }
    // As the arguments of an action are split.
    let call = [b"f(", texts, b")"].concat();
    let (_, texts) = parse_leniently(&call);
    let mut values = Vec::new();
    for text in texts {
        let shown = hyades_formats::diagnostic::excerpt(text);
        match data::read(text, &sort) {
            _ if text.is_empty() => return Err("there is an empty value between commas".to_owned()),
            Ok(Some(value)) => values.push(value),
            Ok(None) => return Err(format!("{shown} is no value of the sort {}", sort.name())),
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(values)
}

/// The sorts of quantified variables whose values have to be looked up, each once, in
/// the order of their first variables.
pub fn sorts(property: &Property) -> Vec<String> {
    let mut sorts: Vec<String> = Vec::new();
    for variable in quantified(property) {
        let sort = property.variables[variable.0 as usize].sort.name();
        if !sorts.iter().any(|known| known == sort) {
            sorts.push(sort.to_owned());
        }
    }
    sorts
}

/// Quantified variables with domains to be looked up, in the order of the text.
fn quantified(property: &Property) -> Vec<VariableId> {
    let mut found = Vec::new();
    visit_state(&property.formula, &mut |part| {
        if let Part::Quantifier(variable, Domain::Occurring) = part {
            found.push(variable);
        }
    });
    found
}

/// Replaces each [`Domain::Occurring`] of a property by values: those that the user or
/// the text of the property gives its sort, and else those that occur in `labels`, the
/// labels of what is to be checked, if all are known.
///
/// O(|formula| · labels).
///
/// # Errors
/// If labels are needed and not known, or a range would have more than [`MAX_DOMAIN`]
/// values.
pub fn replace(
    property: &mut Property,
    labels: Option<&LabelTable>,
    given: &Given,
) -> Result<Vec<Remark>, DomainError> {
    let looked_up = looked_up(property, given);
    let mut domains: HashMap<Sort, Domain> = HashMap::new();
    let mut remarks = Vec::new();
    if let Some(&first) = looked_up.first() {
        let variable = &property.variables[first.0 as usize];
        let sort = variable.sort.name();
        let Some(labels) = labels else {
            let message = format!(
                "the values of {} of sort {sort} would be taken from the labels, and these are \
                 not known before all states are: generate the LTS first (reach INPUT -o FILE), \
                 or give the values by `check --values {sort}=…`",
                variable.name
            );
            return Err(DomainError {
                variable: first,
                message,
            });
        };
        let occurring = Occurring::new(property, labels);
        for &id in &looked_up {
            let sort = &property.variables[id.0 as usize].sort;
            if domains.contains_key(sort) {
                continue;
            }
            let of_sort = |id: &&VariableId| property.variables[id.0 as usize].sort == *sort;
            let count = looked_up.iter().filter(of_sort).count() + kept(property, sort);
            let domain = occurring.domain(property, id, count)?;
            if matches!(&domain, Domain::Values(values) if values.is_empty()) {
                remarks.push(Remark::Empty(id));
            }
            domains.insert(sort.clone(), domain);
        }
        let computed = computed_with(property);
        let approximate = looked_up.iter().find(|id| computed.contains(id));
        remarks.extend(approximate.map(|&id| Remark::Approximate(id)));
    }
    for (sort, values) in given {
        let values = values.iter().cloned().map(Expression::Constant).collect();
        let sort = match &**sort {
            "Pos" => Sort::Pos,
            "Nat" => Sort::Nat,
            "Int" => Sort::Int,
            other => Sort::Named(other.into()),
        };
        domains.insert(sort, Domain::Values(values));
    }
    let Property {
        formula, variables, ..
    } = property;
    replace_in_state(formula, &mut |id, domain| {
        if let (Domain::Occurring, Some(known)) =
            (&domain, domains.get(&variables[id.0 as usize].sort))
        {
            *domain = known.clone();
        }
    });
    Ok(remarks)
}

/// Quantified variables whose values are neither given nor known by themselves.
fn looked_up(property: &Property, given: &Given) -> Vec<VariableId> {
    let is_given =
        |id: VariableId| given.contains_key(property.variables[id.0 as usize].sort.name());
    let mut all = quantified(property);
    all.retain(|id| !is_given(*id));
    all
}

/// How many parameters of this sort may have values of earlier rounds of a fixpoint beside
/// those of the quantified variables in it.
fn kept(property: &Property, sort: &Sort) -> usize {
    let of_sort = |id: VariableId| property.variables[id.0 as usize].sort == *sort;
    let mut count = 0;
    visit_state(&property.formula, &mut |part| {
        let Part::Fixpoint(id, body) = part else {
            return;
        };
        let mut has_quantifier = false;
        visit_state(body, &mut |part| {
            has_quantifier |=
                matches!(part, Part::Quantifier(id, Domain::Occurring) if of_sort(id));
        });
        if has_quantifier {
            let parameters = &property.fixpoints[id.0 as usize].parameters;
            count += parameters.iter().filter(|&&id| of_sort(id)).count();
        }
    });
    count
}

/// A value that a label gives to quantified variables: its sort, and its text.
pub type Occurrence = (String, Vec<u8>);

/// The values that [`replace`] would take from each label of a table, of sorts where a
/// verdict may depend on which of them there are; labels without such are left out. It does
/// not for numbers that are compared with others by `==` and `!=` only, unless they need more
/// than 64 bits.
///
/// O(|formula| · labels).
pub fn occurrences(
    property: &Property,
    labels: &LabelTable,
    given: &Given,
) -> Vec<(LabelId, Vec<Occurrence>)> {
    let computed = computed_with(property);
    let mut sorts: Vec<&Sort> = Vec::new();
    let mut looked_up: Vec<&Sort> = Vec::new();
    for id in self::looked_up(property, given) {
        let sort = &property.variables[id.0 as usize].sort;
        looked_up.push(sort);
        let of_sort = |id: &VariableId| property.variables[id.0 as usize].sort == *sort;
        let is_open = match sort {
            Sort::Pos | Sort::Nat | Sort::Int => computed.iter().any(of_sort),
            Sort::Bool => false,
            Sort::Real | Sort::Char | Sort::String | Sort::Named(_) => true,
        };
        if is_open && !sorts.contains(&sort) {
            sorts.push(sort);
        }
    }
    let terms = Terms::of(property);
    let mut found = Vec::new();
    for (label, text) in labels.visible() {
        let mut own = Occurring::default();
        own.label(property, &terms, text);
        let mut values = Vec::new();
        for sort in &sorts {
            let numbers = own.ranges.get(sort).into_iter();
            let numbers = numbers.flat_map(|(least, most)| [least, most]);
            let numbers = numbers.map(|number| number.to_string().into_bytes());
            let texts = own.texts.get(sort).into_iter().flatten().cloned();
            values.extend(
                numbers
                    .chain(texts)
                    .map(|text| (sort.name().to_owned(), text)),
            );
        }
        let too_large = own.too_large.iter();
        let too_large = too_large.filter(|(sort, _)| looked_up.contains(sort));
        values.extend(too_large.map(|(sort, text)| (sort.name().to_owned(), text.clone())));
        values.sort();
        if !values.is_empty() {
            found.push((label, values));
        }
    }
    found
}

/// The actions of a formula by their names and numbers of arguments.
struct Terms<'f>(HashMap<(&'f [u8], usize), Vec<&'f ActionTerm>>);

impl<'f> Terms<'f> {
    fn of(property: &'f Property) -> Self {
        let mut terms = Terms(HashMap::new());
        visit_state(&property.formula, &mut |part| {
            if let Part::Action(term, _) = part {
                let key = (term.name.as_bytes(), term.arguments.len());
                terms.0.entry(key).or_default().push(term);
            }
        });
        terms
    }
}

/// What stands in labels where variables stand in the formula, and the numbers of the
/// formula.
#[derive(Default)]
struct Occurring {
    texts: HashMap<Sort, BTreeSet<Vec<u8>>>,
    /// The smallest and the largest number of a sort.
    ranges: HashMap<Sort, (i64, i64)>,
    /// A number of a sort that no value can be, as it needs more than 64 bits.
    too_large: HashMap<Sort, Vec<u8>>,
    /// The smallest and the largest number of the formula.
    literals: Option<(i64, i64)>,
}

/// The smallest and the largest of these and one more.
fn extended(range: Option<(i64, i64)>, number: i64) -> (i64, i64) {
    range.map_or((number, number), |(least, most)| {
        (least.min(number), most.max(number))
    })
}

impl Occurring {
    fn new(property: &Property, labels: &LabelTable) -> Self {
        let mut found = Occurring::default();
        visit_state(&property.formula, &mut |part| {
            if let Part::Expression(expression) = part {
                found.literal(expression);
            }
        });
        let terms = Terms::of(property);
        for (_, label) in labels.visible() {
            found.label(property, &terms, label);
        }
        found
    }

    /// A label, as far as the formula has its actions.
    fn label(&mut self, property: &Property, terms: &Terms<'_>, label: &[u8]) {
        let actions = multi_action(label).map(|split| split.actions);
        for action in actions.unwrap_or_else(|| vec![label]) {
            let (name, arguments) = parse_leniently(action);
            let terms = terms.0.get(&(name, arguments.len()));
            for term in terms.into_iter().flatten() {
                for (expression, text) in term.arguments.iter().zip(&arguments) {
                    self.argument(property, expression, text);
                }
            }
        }
    }

    fn literal(&mut self, expression: &Expression) {
        match expression {
            Expression::Constant(Value::Int(number)) => {
                self.literals = Some(extended(self.literals, *number));
            }
            Expression::Constant(_) | Expression::Variable(_) => {}
            Expression::Apply(_, operands, _) => operands.iter().for_each(|o| self.literal(o)),
        }
    }

    /// An argument of an action of the formula, and its text in a label.
    fn argument(&mut self, property: &Property, expression: &Expression, text: &[u8]) {
        match expression {
            Expression::Constant(_) => {}
            Expression::Variable(id) => {
                let sort = &property.variables[id.0 as usize].sort;
                match sort {
                    Sort::Pos | Sort::Nat | Sort::Int => {
                        if let Ok(Some(Value::Int(number))) = data::read(text, &Sort::Int) {
                            let range = extended(self.ranges.get(sort).copied(), number);
                            self.ranges.insert(sort.clone(), range);
                        } else if let Err(number) = data::read(text, sort) {
                            let own = self.too_large.entry(sort.clone());
                            own.or_insert_with(|| number.text.into());
                        }
                    }
                    Sort::Bool | Sort::Real | Sort::Char | Sort::String | Sort::Named(_) => {
                        let texts = self.texts.entry(sort.clone()).or_default();
                        texts.insert(data::normal(text).into_owned());
                    }
                }
            }
            Expression::Apply(Function::Construct(name), operands, _) => {
                let (own, arguments) = parse_leniently(text);
                if own == name.as_bytes() && arguments.len() == operands.len() {
                    for (operand, text) in operands.iter().zip(arguments) {
                        self.argument(property, operand, text);
                    }
                }
            }
            Expression::Apply(_, operands, _) => {
                for operand in operands {
                    self.argument(property, operand, text);
                }
            }
        }
    }

    /// The values of a sort of which this many variables are quantified, `first` first.
    fn domain(
        &self,
        property: &Property,
        first: VariableId,
        count: usize,
    ) -> Result<Domain, DomainError> {
        let Variable { name: shown, sort } = &property.variables[first.0 as usize];
        if let Some(number) = self.too_large.get(sort) {
            let (number, sort) = (excerpt(number), sort.name());
            return Err(DomainError {
                variable: first,
                message: format!(
                    "{number} stands in a label where the formula has a variable of sort {sort}, \
                     and numbers are less than 2^63: rename such labels, or give the values of \
                     {shown} that matter by `check --values {sort}=…`"
                ),
            });
        }
        let integer = |value: i64| Expression::Constant(Value::Int(value));
        let mut range = self.ranges.get(sort).copied();
        for bound in self.literals.iter().flat_map(|(least, most)| [least, most]) {
            range = Some(extended(range, *bound));
        }
        let (least, most) = range.unwrap_or((0, 0));
        let count = count as i64;
        let least = match sort {
            Sort::Pos => 1,
            Sort::Nat => 0,
            Sort::Int => least.saturating_sub(count),
            Sort::Bool => return Ok(Domain::Booleans),
            Sort::Real | Sort::Char | Sort::String | Sort::Named(_) => {
                let texts = self.texts.get(sort).into_iter().flatten();
                let values = texts.map(|text| Value::Text(text.clone().into()));
                return Ok(Domain::Values(values.map(Expression::Constant).collect()));
            }
        };
        let most = most.max(least).saturating_add(count);
        if i128::from(most) - i128::from(least) >= MAX_DOMAIN as i128 {
            let sort = sort.name();
            return Err(DomainError {
                variable: first,
                message: format!(
                    "the values of {shown} of sort {sort} would be those from {least} to {most}, \
                     as numbers of the labels or the formula are that large: give those that \
                     matter by `check --values {sort}=…`"
                ),
            });
        }
        Ok(Domain::Range(Box::new([integer(least), integer(most)])))
    }
}

/// A warning for each action of the formula that is in none of these labels, whatever
/// values its variables have, which is a slip. Those that are all of a step and have no
/// variables are those of [`unused_actions`](crate::unused_actions).
///
/// O(|formula| · labels).
///
/// # Errors
/// The first one with a function of variables that may be one of the specification, as no
/// label has it: nobody computes it, so that there would be a verdict on something else.
pub fn unused(property: &Property, labels: &LabelTable) -> Result<Vec<Warning>, Warning> {
    let mut terms: Vec<(&ActionTerm, Place, bool)> = Vec::new();
    let mut told: BTreeSet<Place> = BTreeSet::new();
    visit_state(&property.formula, &mut |part| match part {
        Part::Quantifier(..)
        | Part::Expression(_)
        | Part::Fixpoint(..)
        | Part::Values(..)
        | Part::Offers
        | Part::Repeat => {}
        Part::Step(ActionFormula::MultiAction(terms, place)) => {
            let arguments = || terms.iter().flat_map(|term| &term.arguments);
            if !arguments().any(is_open) {
                told.insert(*place);
            }
        }
        Part::Step(_) => {}
        Part::Action(term, place) => terms.push((term, place, false)),
    });
    terms.retain(|(_, place, _)| !told.contains(place));
    for (_, label) in labels.visible() {
        let actions = multi_action(label).map(|split| split.actions);
        for action in actions.unwrap_or_else(|| vec![label]) {
            let (name, arguments) = parse_leniently(action);
            for (term, _, is_used) in terms.iter_mut().filter(|(_, _, is_used)| !is_used) {
                *is_used = name == term.name.as_bytes()
                    && arguments.len() == term.arguments.len()
                    && (term.arguments.iter().zip(&arguments))
                        .all(|(expression, text)| may_be(property, expression, text));
            }
        }
    }
    let mut warnings = Vec::new();
    for (term, place, _) in terms.iter().filter(|(_, _, is_used)| !is_used) {
        let action = ActionFormula::MultiAction(vec![(*term).clone()], *place);
        // What is applied in some label is a constructor.
        let is_call = |e: &Expression| match e {
            Expression::Apply(Function::Construct(name), ..) if is_open(e) => {
                let call = format!("{name}(");
                let has = |text: &[u8]| text.windows(call.len()).any(|w| w == call.as_bytes());
                !labels.visible().any(|(_, text)| has(text))
            }
            Expression::Constant(_) | Expression::Variable(_) | Expression::Apply(..) => false,
        };
        let mut warning = Warning {
            code: "check-unused-action",
            place: *place,
            message: format!("{} is in no label", action_text(property, &action)),
        };
        if term.arguments.iter().any(is_call) {
            warning.message.push_str(
                ": functions of the specification are not known to an LTS; write their values out",
            );
            return Err(warning);
        }
        warnings.push(warning);
    }
    Ok(warnings)
}

/// Whether there is a variable in an expression.
fn is_open(expression: &Expression) -> bool {
    match expression {
        Expression::Constant(_) => false,
        Expression::Variable(_) => true,
        Expression::Apply(_, operands, _) => operands.iter().any(is_open),
    }
}

/// Whether the text of an argument may be a value of this expression.
fn may_be(property: &Property, expression: &Expression, text: &[u8]) -> bool {
    match expression {
        Expression::Constant(value) => data::is_argument(text, value),
        Expression::Variable(id) => {
            let sort = &property.variables[id.0 as usize].sort;
            !matches!(data::read(text, sort), Ok(None))
        }
        Expression::Apply(Function::Construct(name), operands, _) => {
            let (own, arguments) = parse_leniently(text);
            own == name.as_bytes()
                && arguments.len() == operands.len()
                && (operands.iter().zip(arguments))
                    .all(|(operand, text)| may_be(property, operand, text))
        }
        Expression::Apply(..) => true,
    }
}

/// Variables that arithmetic is done with, that are ordered with other variables, or equal
/// to others of another sort, which has other values; and those whose values such variables
/// get.
fn computed_with(property: &Property) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    let mut values: Vec<(FixpointId, &[Expression])> = Vec::new();
    visit_state(&property.formula, &mut |part| match part {
        Part::Expression(expression) => computed_in(property, expression, &mut found),
        Part::Values(id, expressions) => values.push((id, expressions)),
        Part::Step(_)
        | Part::Quantifier(..)
        | Part::Action(..)
        | Part::Fixpoint(..)
        | Part::Offers
        | Part::Repeat => {}
    });
    loop {
        let before = found.len();
        for (id, expressions) in &values {
            let parameters = &property.fixpoints[id.0 as usize].parameters;
            for (parameter, expression) in parameters.iter().zip(*expressions) {
                let sort = |id: VariableId| &property.variables[id.0 as usize].sort;
                let own = variables_of([expression]);
                let differs = own.iter().any(|&id| sort(id) != sort(*parameter));
                if differs || found.contains(parameter) {
                    found.insert(*parameter);
                    found.extend(own);
                }
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn variables_of<'e>(expressions: impl IntoIterator<Item = &'e Expression>) -> BTreeSet<VariableId> {
    let mut found = Vec::new();
    for expression in expressions {
        expression_variables(expression, &mut found);
    }
    found.into_iter().collect()
}

/// The variables of [`computed_with`], as far as one expression tells.
fn computed_in(property: &Property, expression: &Expression, found: &mut BTreeSet<VariableId>) {
    let Expression::Apply(function, operands, _) = expression else {
        return;
    };
    match function {
        Function::Add
        | Function::Subtract
        | Function::SubtractNatural
        | Function::Multiply
        | Function::Divide
        | Function::Remainder
        | Function::DivideFloor
        | Function::Modulo
        | Function::Negate
        | Function::Successor
        | Function::Predecessor
        | Function::PredecessorNatural
        | Function::Absolute => return found.extend(variables_of(operands)),
        Function::Less
        | Function::LessOrEqual
        | Function::Greater
        | Function::GreaterOrEqual
        | Function::Minimum
        | Function::Maximum => {
            let sides: Vec<_> = operands.iter().map(|one| variables_of([one])).collect();
            if sides.iter().filter(|side| !side.is_empty()).count() > 1 {
                found.extend(sides.into_iter().flatten());
            }
        }
        Function::Equal | Function::NotEqual | Function::If => {
            let sort = |id: &VariableId| &property.variables[id.0 as usize].sort;
            let is_number = |id: &VariableId| matches!(sort(id), Sort::Pos | Sort::Nat | Sort::Int);
            let own = variables_of(operands).into_iter().filter(is_number);
            let own: Vec<VariableId> = own.collect();
            if own.iter().any(|id| sort(id) != sort(&own[0])) {
                found.extend(own);
            }
        }
        // Of Booleans, or of texts.
        Function::Not
        | Function::And
        | Function::Or
        | Function::Implies
        | Function::ToString
        | Function::ToNat
        | Function::ToInt
        | Function::ToReal
        | Function::Concatenate
        | Function::Length
        | Function::Index
        | Function::LastIndex
        | Function::Prefix
        | Function::Suffix
        | Function::Substring
        | Function::Nth
        | Function::CheckNat
        | Function::CheckPos
        | Function::Construct(_) => {}
    }
    for operand in operands {
        computed_in(property, operand, found);
    }
}

#[cfg(test)]
mod tests;
