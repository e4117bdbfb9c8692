//! The definitions of the logic, one by one, on sets of states.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{Lts, StateId};

use crate::data::{self, Scope};
use crate::matching::{LabelText, matches};
use crate::syntax::{
    Domain, Expression, FixpointId, Modality, Property, Quantifier, Regular, Sign, StateFormula,
    Value, VariableId,
};

type States = BTreeSet<u32>;
type Env = BTreeMap<VariableId, Value>;
type Table = BTreeMap<Vec<Value>, States>;

struct Known<'a>(&'a Env);

impl Scope for Known<'_> {
    fn value(&self, variable: VariableId) -> &Value {
        &self.0[&variable]
    }
}

/// A fixpoint that is being computed: the sets so far, by arguments.
struct Open<'a> {
    fixpoint: FixpointId,
    sign: Sign,
    table: &'a RefCell<Table>,
    outer: Option<&'a Open<'a>>,
}

pub struct Naive<'a> {
    pub property: &'a Property,
    pub lts: &'a Lts,
}

/// Whether the formula holds initially.
pub fn holds(property: &Property, lts: &Lts) -> bool {
    let naive = Naive { property, lts };
    let set = naive.state(&property.formula, &Env::new(), None);
    set.contains(&lts.initial().get())
}

impl Naive<'_> {
    fn all(&self) -> States {
        (0..self.lts.states() as u32).collect()
    }

    fn value(&self, expression: &Expression, env: &Env) -> Value {
        data::evaluate(expression, &Known(env)).expect("a value")
    }

    fn is_true(&self, expression: &Expression, env: &Env) -> bool {
        self.value(expression, env) == Value::Bool(true)
    }

    fn state(&self, formula: &StateFormula, env: &Env, open: Option<&Open<'_>>) -> States {
        let constant = |value: bool| if value { self.all() } else { States::new() };
        match formula {
            StateFormula::Constant(value) => constant(*value),
            StateFormula::Condition(condition) => constant(self.is_true(condition, env)),
            StateFormula::Not(operand) => &self.all() - &self.state(operand, env, open),
            StateFormula::And(operands) => {
                let mut set = self.all();
                for operand in operands {
                    set = &set & &self.state(operand, env, open);
                }
                set
            }
            StateFormula::Or(operands) => {
                let mut set = States::new();
                for operand in operands {
                    set = &set | &self.state(operand, env, open);
                }
                set
            }
            StateFormula::Implies(operands) => {
                let [left, right] = &**operands;
                &(&self.all() - &self.state(left, env, open)) | &self.state(right, env, open)
            }
            StateFormula::Equivalent(operands) => {
                let [left, right] = &**operands;
                &self.all() - &(&self.state(left, env, open) ^ &self.state(right, env, open))
            }
            StateFormula::Modal(modality, regular, body) => {
                let mut bodies: BTreeMap<Env, States> = BTreeMap::new();
                let mut set = States::new();
                for state in self.all() {
                    let mut ends = self.words(regular, (state, env.clone(), false)).into_iter();
                    let mut holds = |(end, env, _): (u32, Env, bool)| {
                        if !bodies.contains_key(&env) {
                            let known = self.state(body, &env, open);
                            bodies.insert(env.clone(), known);
                        }
                        bodies[&env].contains(&end)
                    };
                    let is_in = match modality {
                        Modality::Diamond => ends.any(&mut holds),
                        Modality::Box => ends.all(&mut holds),
                    };
                    if is_in {
                        set.insert(state);
                    }
                }
                set
            }
            StateFormula::Infinitely(regular) => {
                let mut set = self.all();
                loop {
                    let goes_on = |&state: &u32| {
                        let ends = self.words(regular, (state, env.clone(), false));
                        ends.iter()
                            .any(|(end, _, moved)| *moved && set.contains(end))
                    };
                    let next: States = set.iter().copied().filter(goes_on).collect();
                    if next == set {
                        return set;
                    }
                    set = next;
                }
            }
            StateFormula::Fixpoint(sign, fixpoint, arguments, body) => {
                let arguments: Vec<Value> = arguments
                    .iter()
                    .map(|argument| self.value(argument, env))
                    .collect();
                let first = constant(*sign == Sign::Nu);
                let table = RefCell::new(Table::from([(arguments.clone(), first)]));
                let own = Open {
                    fixpoint: *fixpoint,
                    sign: *sign,
                    table: &table,
                    outer: open,
                };
                let parameters = &self.property.fixpoints[fixpoint.0 as usize].parameters;
                loop {
                    let before = table.borrow().clone();
                    for values in before.keys() {
                        let mut env = env.clone();
                        env.extend(parameters.iter().copied().zip(values.iter().cloned()));
                        let set = self.state(body, &env, Some(&own));
                        table.borrow_mut().insert(values.clone(), set);
                    }
                    if *table.borrow() == before {
                        return before[&arguments].clone();
                    }
                }
            }
            StateFormula::Variable(fixpoint, arguments) => {
                let arguments = arguments.iter().map(|argument| self.value(argument, env));
                let mut own = open.expect("a fixpoint around");
                while own.fixpoint != *fixpoint {
                    own = own.outer.expect("a fixpoint around");
                }
                let mut table = own.table.borrow_mut();
                let set = table.entry(arguments.collect());
                set.or_insert_with(|| constant(own.sign == Sign::Nu))
                    .clone()
            }
            StateFormula::Quantified(quantifier, variable, domain, body) => {
                let mut set = constant(*quantifier == Quantifier::Forall);
                for value in self.domain(domain, env) {
                    let mut env = env.clone();
                    env.insert(*variable, value);
                    let one = self.state(body, &env, open);
                    set = match quantifier {
                        Quantifier::Forall => &set & &one,
                        Quantifier::Exists => &set | &one,
                    };
                }
                set
            }
            StateFormula::Let(variable, value, body) => {
                let mut env = env.clone();
                let value = self.value(value, &env);
                env.insert(*variable, value);
                self.state(body, &env, open)
            }
            StateFormula::If(branches, otherwise) => {
                let taken = branches
                    .iter()
                    .find(|(condition, _)| self.is_true(condition, env));
                self.state(taken.map_or(otherwise, |(_, branch)| branch), env, open)
            }
        }
    }

    fn domain(&self, domain: &Domain, env: &Env) -> Vec<Value> {
        data::domain(domain, &Known(env)).expect("values")
    }

    /// Where the words of R lead, with what they bind, and whether they are not empty.
    fn words(&self, regular: &Regular, from: (u32, Env, bool)) -> BTreeSet<(u32, Env, bool)> {
        let (state, env, _) = &from;
        match regular {
            Regular::Empty => BTreeSet::from([from]),
            Regular::Action(action) => {
                let mut ends = BTreeSet::new();
                for (label, target) in self.lts.outgoing(StateId::new(*state)) {
                    let text: &[u8] = match label.is_hidden() {
                        true => b"",
                        false => self.lts.table().text(label),
                    };
                    let label = LabelText::new(text, label.is_hidden());
                    let mut bound = Vec::new();
                    if matches(action, label, &Known(env), &mut bound).expect("values") {
                        let mut env = env.clone();
                        env.extend(bound);
                        ends.insert((target.get(), env, true));
                    }
                }
                ends
            }
            Regular::Sequence(parts) => {
                let mut ends = BTreeSet::from([from]);
                for part in parts {
                    ends = self.words_of_all(part, &ends);
                }
                ends
            }
            Regular::Choice(parts) => parts
                .iter()
                .flat_map(|part| self.words(part, from.clone()))
                .collect(),
            Regular::Star(body) => self.repeated(body, 0, None, from),
            Regular::Plus(body) => self.repeated(body, 1, None, from),
            Regular::Optional(body) => self.repeated(body, 0, Some(1), from),
            Regular::Repeat(body, least, most) => self.repeated(body, *least, *most, from),
            Regular::If(branches, otherwise) => {
                let taken = branches
                    .iter()
                    .find(|(condition, _)| self.is_true(condition, env));
                self.words(taken.map_or(otherwise, |(_, branch)| branch), from)
            }
            Regular::For(variable, range, body) => {
                let ends = [0, 1, 2].map(|k| match self.value(&range[k], env) {
                    Value::Int(number) => number,
                    other => panic!("{other:?} is no integer"),
                });
                let mut reached = BTreeSet::from([from]);
                let mut at = ends[0];
                while if ends[2] > 0 {
                    at <= ends[1]
                } else {
                    at >= ends[1]
                } {
                    let set = |(state, mut env, moved): (u32, Env, bool)| {
                        env.insert(*variable, Value::Int(at));
                        (state, env, moved)
                    };
                    reached = self.words_of_all(body, &reached.into_iter().map(set).collect());
                    at += ends[2];
                }
                reached
            }
            Regular::Let(variable, value, body) => {
                let (state, mut env, moved) = from;
                let value = self.value(value, &env);
                env.insert(*variable, value);
                self.words(body, (state, env, moved))
            }
        }
    }

    fn words_of_all(
        &self,
        regular: &Regular,
        from: &BTreeSet<(u32, Env, bool)>,
    ) -> BTreeSet<(u32, Env, bool)> {
        from.iter()
            .flat_map(|one| self.words(regular, one.clone()))
            .collect()
    }

    fn repeated(
        &self,
        body: &Regular,
        least: u32,
        most: Option<u32>,
        from: (u32, Env, bool),
    ) -> BTreeSet<(u32, Env, bool)> {
        let mut reached = BTreeSet::from([from]);
        for _ in 0..least {
            reached = self.words_of_all(body, &reached);
        }
        for _ in least..most.unwrap_or(u32::MAX) {
            let next: BTreeSet<_> = &reached | &self.words_of_all(body, &reached);
            if next == reached {
                break;
            }
            reached = next;
        }
        reached
    }
}
