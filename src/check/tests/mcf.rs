//! Random formulas of mCRL2, as text and back.

use hyades_formats::{LabelId, Lts, LtsBuilder};
use hyades_testing::{Random, check};

use super::naive;
use crate::domains::{self, Given};
use crate::mcf;
use crate::syntax::{
    ActionFormula, ActionTerm, Domain, Expression, Fixpoint, FixpointId, Function, Language,
    Modality, Place, Property, Quantifier, Regular, Sign, Sort, StateFormula, Value, Variable,
    VariableId,
};
use crate::{CheckOptions, Verdict, check_lts};

/// What may be used where a formula stands.
#[derive(Clone, Default)]
struct Scope {
    /// Fixpoints, and whether the number of negations since is even.
    fixpoints: Vec<(FixpointId, bool)>,
    variables: Vec<VariableId>,
}

/// The trees that texts are read as, numbered as the parser numbers them.
struct Maker<'r> {
    random: &'r mut Random,
    property: Property,
}

fn apply(function: Function, operands: Vec<Expression>) -> Expression {
    Expression::Apply(function, operands, Place::default())
}

fn number(value: usize) -> Expression {
    Expression::Constant(Value::Int(value as i64))
}

pub fn property(random: &mut Random, depth: usize) -> Property {
    let property = Property {
        language: Language::Mcf,
        formula: StateFormula::Constant(true),
        variables: Vec::new(),
        fixpoints: Vec::new(),
    };
    let mut maker = Maker { random, property };
    maker.property.formula = maker.state(depth, &Scope::default());
    maker.property
}

impl Maker<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.between(0, bound - 1)
    }

    fn two<T>(&mut self, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.random.between(2, 3)).map(|_| one(self)).collect()
    }

    fn quantifier(&mut self) -> Quantifier {
        match self.below(2) {
            0 => Quantifier::Forall,
            _ => Quantifier::Exists,
        }
    }

    /// A new variable, and the scope with it.
    fn variable(&mut self, sort: Sort, scope: &Scope) -> (VariableId, Scope) {
        let id = VariableId(self.property.variables.len() as u32);
        // Names may be hidden by others.
        let name = format!("x{}", self.below(3)).into();
        self.property.variables.push(Variable { name, sort });
        (id, self.with(scope, id))
    }

    /// The scope with this variable, which hides others of its name.
    fn with(&self, scope: &Scope, id: VariableId) -> Scope {
        let mut inner = scope.clone();
        let name = |id: VariableId| &self.property.variables[id.0 as usize].name;
        inner.variables.retain(|other| name(*other) != name(id));
        inner.variables.push(id);
        inner
    }

    fn quantified(&mut self, scope: &Scope) -> (VariableId, Domain, Scope) {
        let sort = match self.below(4) {
            0 => Sort::Bool,
            1 => Sort::Named("D".into()),
            2 => Sort::Pos,
            _ => Sort::Nat,
        };
        let domain = match sort {
            Sort::Bool => Domain::Booleans,
            _ => Domain::Occurring,
        };
        let (id, inner) = self.variable(sort, scope);
        (id, domain, inner)
    }

    fn of_sort(&mut self, scope: &Scope, fits: fn(&Sort) -> bool) -> Option<Expression> {
        let sort = |id: &&VariableId| fits(&self.property.variables[id.0 as usize].sort);
        let usable: Vec<VariableId> = scope.variables.iter().filter(sort).copied().collect();
        if usable.is_empty() || self.random.chance(30) {
            return None;
        }
        Some(Expression::Variable(usable[self.below(usable.len())]))
    }

    /// A number of any sort.
    fn number(&mut self, depth: usize, scope: &Scope) -> Expression {
        if depth == 0 || self.random.chance(40) {
            let number = number(self.below(4));
            let is_number = |sort: &Sort| matches!(sort, Sort::Pos | Sort::Nat);
            return self.of_sort(scope, is_number).unwrap_or(number);
        }
        let operand = |own: &mut Self| own.number(depth - 1, scope);
        match self.below(9) {
            0 => apply(Function::Add, vec![operand(self), operand(self)]),
            1 => apply(Function::Subtract, vec![operand(self), operand(self)]),
            2 => apply(Function::Multiply, vec![operand(self), operand(self)]),
            3 => apply(Function::Modulo, vec![operand(self), number(2)]),
            4 => apply(Function::DivideFloor, vec![operand(self), number(2)]),
            5 => apply(Function::Maximum, vec![operand(self), operand(self)]),
            6 => apply(Function::Negate, vec![operand(self)]),
            7 => apply(Function::Predecessor, vec![operand(self)]),
            _ => {
                let condition = self.condition(depth - 1, scope);
                let branches = [self.number(depth - 1, scope), self.number(depth - 1, scope)];
                let [then, other] = branches;
                apply(Function::If, vec![condition, then, other])
            }
        }
    }

    fn text(&mut self, scope: &Scope) -> Expression {
        let constant = [&b"d1"[..], b"d2"][self.below(2)];
        let constant = Expression::Constant(Value::Text(constant.into()));
        self.of_sort(scope, |sort| matches!(sort, Sort::Named(_)))
            .unwrap_or(constant)
    }

    fn condition(&mut self, depth: usize, scope: &Scope) -> Expression {
        if depth == 0 || self.random.chance(20) {
            let constant = Expression::Constant(Value::Bool(self.below(2) == 0));
            return self
                .of_sort(scope, |sort| *sort == Sort::Bool)
                .unwrap_or(constant);
        }
        let operand = |own: &mut Self| own.condition(depth - 1, scope);
        let compared = |own: &mut Self, function: Function| {
            let operands = vec![own.number(depth - 1, scope), own.number(depth - 1, scope)];
            apply(function, operands)
        };
        match self.below(9) {
            0 => compared(self, Function::Equal),
            1 => compared(self, Function::Less),
            2 => compared(self, Function::GreaterOrEqual),
            3 => {
                let operands = vec![self.text(scope), self.text(scope)];
                apply(Function::NotEqual, operands)
            }
            4 => apply(Function::Not, vec![operand(self)]),
            5 => {
                let operands = self.two(operand);
                apply(Function::And, operands)
            }
            6 => {
                let operands = self.two(operand);
                apply(Function::Or, operands)
            }
            7 => apply(Function::Implies, vec![operand(self), operand(self)]),
            _ => apply(Function::Equal, vec![operand(self), operand(self)]),
        }
    }

    /// From 0 to 2, a Nat.
    fn bounded(&mut self, scope: &Scope) -> Expression {
        let sum = self.number(2, scope);
        apply(Function::Modulo, vec![sum, number(3)])
    }

    fn term(&mut self, scope: &Scope) -> ActionTerm {
        let (name, arguments) = match self.below(5) {
            0 => ("a", vec![self.number(1, scope)]),
            1 => ("b", vec![self.text(scope)]),
            2 => ("c", vec![self.condition(1, scope), self.text(scope)]),
            3 => {
                let pair = vec![self.text(scope), self.number(1, scope)];
                ("p", vec![apply(Function::Construct("pair".into()), pair)])
            }
            _ => ("e", vec![]),
        };
        ActionTerm {
            name: name.into(),
            arguments,
        }
    }

    fn action(&mut self, depth: usize, scope: &Scope) -> ActionFormula {
        if depth == 0 || self.random.chance(20) {
            return match self.below(8) {
                0 => ActionFormula::Constant(true),
                1 => ActionFormula::Hidden,
                2 => ActionFormula::Condition(self.condition(2, scope)),
                3 => {
                    let terms = vec![self.term(scope), self.term(scope)];
                    ActionFormula::MultiAction(terms, Place::default())
                }
                _ => ActionFormula::MultiAction(vec![self.term(scope)], Place::default()),
            };
        }
        let operand = |own: &mut Self| own.action(depth - 1, scope);
        match self.below(5) {
            0 => ActionFormula::Not(operand(self).into()),
            1 => ActionFormula::And(self.two(operand)),
            2 => ActionFormula::Or(self.two(operand)),
            3 => ActionFormula::Implies([operand(self), operand(self)].into()),
            _ => {
                let quantifier = self.quantifier();
                let (id, domain, inner) = self.quantified(scope);
                let body = self.action(depth - 1, &inner);
                ActionFormula::Quantified(quantifier, id, domain, body.into())
            }
        }
    }

    fn regular(&mut self, depth: usize, scope: &Scope) -> Regular {
        if depth == 0 || self.random.chance(30) {
            return match self.random.chance(5) {
                true => Regular::Empty,
                false => Regular::Action(self.action(2, scope)),
            };
        }
        let operand = |own: &mut Self| own.regular(depth - 1, scope);
        match self.below(4) {
            0 => Regular::Sequence(self.two(operand)),
            1 => Regular::Choice(self.two(operand)),
            2 => Regular::Star(operand(self).into()),
            _ => Regular::Plus(operand(self).into()),
        }
    }

    fn state(&mut self, depth: usize, scope: &Scope) -> StateFormula {
        let even = scope.fixpoints.iter().filter(|(_, even)| *even);
        let usable: Vec<FixpointId> = even.map(|(id, _)| *id).collect();
        if depth == 0 || self.random.chance(8) {
            if !usable.is_empty() && self.random.chance(70) {
                let id = usable[self.below(usable.len())];
                let count = self.property.fixpoints[id.0 as usize].parameters.len();
                let arguments = (0..count).map(|_| self.bounded(scope)).collect();
                return StateFormula::Variable(id, arguments);
            }
            return match self.below(3) {
                0 => StateFormula::Constant(self.below(2) == 0),
                _ => StateFormula::Condition(self.condition(2, scope)),
            };
        }
        let mut flipped = scope.clone();
        flipped
            .fixpoints
            .iter_mut()
            .for_each(|(_, even)| *even = !*even);
        let operand = |own: &mut Self| own.state(depth - 1, scope);
        match self.below(11) {
            0 => StateFormula::Not(self.state(depth - 1, &flipped).into()),
            1 => StateFormula::And(self.two(operand)),
            2 => StateFormula::Or(self.two(operand)),
            3 => {
                let left = self.state(depth - 1, &flipped);
                StateFormula::Implies([left, operand(self)].into())
            }
            4..7 => {
                let modality = match self.below(2) {
                    0 => Modality::Diamond,
                    _ => Modality::Box,
                };
                let regular = self.regular(depth.min(2), scope);
                StateFormula::Modal(modality, regular.into(), operand(self).into())
            }
            7..9 => {
                let sign = match self.below(2) {
                    0 => Sign::Mu,
                    _ => Sign::Nu,
                };
                let mut inner = scope.clone();
                let (mut parameters, mut arguments) = (Vec::new(), Vec::new());
                if self.below(2) == 0 {
                    arguments.push(self.bounded(scope));
                    let (id, with) = self.variable(Sort::Nat, &inner);
                    parameters.push(id);
                    inner = with;
                }
                let id = FixpointId(self.property.fixpoints.len() as u32);
                inner.fixpoints.push((id, true));
                let name = format!("X{}", id.0).into();
                self.property.fixpoints.push(Fixpoint { name, parameters });
                let body = self.state(depth - 1, &inner);
                StateFormula::Fixpoint(sign, id, arguments, body.into())
            }
            _ => {
                let quantifier = self.quantifier();
                let (id, domain, inner) = self.quantified(scope);
                let body = self.state(depth - 1, &inner);
                StateFormula::Quantified(quantifier, id, domain, body.into())
            }
        }
    }
}

/// A tree as text without places.
fn shape(property: &Property) -> String {
    let text = format!(
        "{:?} {:?} {:?}",
        property.formula, property.variables, property.fixpoints
    );
    let mut made = String::new();
    let mut rest = &text[..];
    while let Some(start) = rest.find("Place {") {
        let end = start + rest[start..].find('}').expect("it closes");
        made.push_str(&rest[..start]);
        rest = &rest[end + 1..];
    }
    made + rest
}

/// The same with labels that have values.
pub fn with_values(lts: &Lts) -> Lts {
    let mut builder = LtsBuilder::new(lts.states() as u64);
    for (source, label, target) in lts.iter() {
        let labels = [
            "",
            "a(1)",
            "b(d1)",
            "e|c(true,d2)",
            "p(pair(d1, 2))",
            "a(0)|a(2)",
        ];
        let text = match label == LabelId::HIDDEN {
            true => None,
            false => Some(labels[label.index().min(labels.len() - 1)]),
        };
        match text {
            None => builder.add(source, LabelId::HIDDEN, target),
            Some(text) => builder
                .add_text(source.get(), text.as_bytes(), target.get())
                .expect("few labels"),
        };
    }
    builder.build(Lts::initial(lts)).expect("few states")
}

#[test]
fn random_formulas_are_read_as_they_are_written() {
    check(60, 5, |lts, random| {
        let lts = with_values(lts);
        for depth in [1, 3, 4] {
            let made = property(random, depth);
            let text = made.text();
            let parsed = mcf::parse(text.as_bytes(), "f").map_err(|e| format!("{e}: {text}"))?;
            if shape(&parsed.property) != shape(&made) {
                return Err(format!("{text} is read as {}", parsed.property.text()));
            }
            if parsed.property.text() != text {
                return Err(format!("{text} is written as {}", parsed.property.text()));
            }
            let [mut made, mut read] = [made, parsed.property];
            for property in [&mut made, &mut read] {
                domains::replace(property, Some(lts.table()), &Given::new())
                    .map_err(|e| e.to_string())?;
            }
            let expected = naive::holds(&made, &lts);
            let checked = check_lts(&read, &lts, CheckOptions::default());
            let checked = checked.map_err(|e| format!("{e}: {text}"))?;
            if (checked.verdict == Verdict::True) != expected {
                return Err(format!("not {expected}: {text}"));
            }
        }
        Ok(())
    });
}

/// A formula that computes nothing, with these variables and fixpoints of one parameter.
fn plain(
    random: &mut Random,
    depth: usize,
    scope: &[(String, &'static str)],
    fixpoints: usize,
) -> String {
    let below = |random: &mut Random, bound: usize| random.between(0, bound - 1);
    let one_of = |random: &mut Random, sort: &str| {
        let own: Vec<_> = scope.iter().filter(|(_, own)| *own == sort).collect();
        match (own.is_empty() || random.chance(20), sort) {
            (true, "D") => ["d1", "d2"][below(random, 2)].to_owned(),
            (true, _) => below(random, 4).to_string(),
            (false, _) => own[below(random, own.len())].0.clone(),
        }
    };
    if depth == 0 {
        let n = one_of(random, "Nat");
        return match below(random, 5) {
            0 if fixpoints > 0 => format!("X{}({n})", below(random, fixpoints)),
            0 | 1 => format!("val({n} == {})", one_of(random, "Nat")),
            2 => format!("val({n} != {})", one_of(random, "Nat")),
            3 => format!("val({n} < {})", below(random, 4)),
            _ => format!("val({} == {})", one_of(random, "D"), one_of(random, "D")),
        };
    }
    let inner = |random: &mut Random| plain(random, depth - 1, scope, fixpoints);
    match below(random, 9) {
        0 => format!("({} && {})", inner(random), inner(random)),
        1 => format!("({} || {})", inner(random), inner(random)),
        2..5 => {
            let action = match below(random, 5) {
                0 => format!(
                    "p(pair({}, {}))",
                    one_of(random, "D"),
                    one_of(random, "Nat")
                ),
                1 => format!("b({})", one_of(random, "D")),
                2 => "true".into(),
                _ => format!("a({})", one_of(random, "Nat")),
            };
            match below(random, 2) {
                0 => format!("<true* . {action}>{}", inner(random)),
                _ => format!("[{action}]{}", inner(random)),
            }
        }
        5..8 => {
            let sort = ["Nat", "Nat", "D"][below(random, 3)];
            let name = format!("v{}", scope.len());
            let word = ["forall", "exists"][below(random, 2)];
            let within = [scope, &[(name.clone(), sort)]].concat();
            format!(
                "({word} {name}: {sort}. {})",
                plain(random, depth - 1, &within, fixpoints)
            )
        }
        _ => {
            let name = format!("v{}", scope.len());
            let word = ["mu", "nu"][below(random, 2)];
            let first = one_of(random, "Nat");
            let within = [scope, &[(name.clone(), "Nat")]].concat();
            let body = plain(random, depth - 1, &within, fixpoints + 1);
            format!("({word} X{fixpoints}({name}: Nat = {first}). {body})")
        }
    }
}

/// What nothing is computed with has values enough: more of them make no difference.
#[test]
fn numbers_beyond_are_all_alike() {
    let counts = std::cell::Cell::new([0usize; 2]);
    check(60, 4, |lts, random| {
        let lts = with_values(lts);
        for depth in [3, 4, 5] {
            let text = plain(random, depth, &[], 0);
            let verdict = |given: &Given| {
                let parsed =
                    mcf::parse(text.as_bytes(), "f").map_err(|e| format!("{e}: {text}"))?;
                let mut property = parsed.property;
                let remarks = domains::replace(&mut property, Some(lts.table()), given);
                let remarks = remarks.map_err(|e| e.to_string())?;
                let is_approximate = |remark| matches!(remark, &domains::Remark::Approximate(_));
                if remarks.iter().any(is_approximate) {
                    return Err(format!("nothing is computed in {text}"));
                }
                let checked = check_lts(&property, &lts, CheckOptions::default());
                Ok(checked.map_err(|e| format!("{e}: {text}"))?.verdict == Verdict::True)
            };
            let more = (0..16).map(Value::Int).collect();
            let expected = verdict(&Given::from([("Nat".to_owned(), more)]))?;
            if verdict(&Given::new())? != expected {
                return Err(format!("{expected} with more values: {text}"));
            }
            let mut seen = counts.get();
            seen[usize::from(expected)] += 1;
            counts.set(seen);
        }
        Ok(())
    });
    assert!(counts.get().iter().all(|&n| n > 200), "{:?}", counts.get());
}
