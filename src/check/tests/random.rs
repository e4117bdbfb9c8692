//! Random properties whose fixpoint variables stand under an even number of negations.

use hyades_testing::Random;

use crate::syntax::{
    ActionFormula, Domain, Expression, Fixpoint, FixpointId, Function, Language, Modality, Place,
    Property, Quantifier, Regular, Sign, Sort, StateFormula, Value, Variable, VariableId,
};

/// What may be used where a formula stands.
#[derive(Clone, Default)]
struct Scope {
    /// Fixpoints, and whether the number of negations since is even.
    fixpoints: Vec<(FixpointId, bool)>,
    /// Integer variables, from 0 to 2.
    variables: Vec<VariableId>,
}

pub struct Maker<'r> {
    pub random: &'r mut Random,
    pub property: Property,
    /// Whether there are values.
    pub has_data: bool,
}

/// A random property of at most this depth, on labels `a`, `b`, `c` and the hidden one.
pub fn property(random: &mut Random, depth: usize, has_data: bool) -> Property {
    let property = Property {
        language: Language::Mcl,
        formula: StateFormula::Constant(true),
        variables: Vec::new(),
        fixpoints: Vec::new(),
    };
    let mut maker = Maker {
        random,
        property,
        has_data,
    };
    maker.property.formula = maker.state(depth, &Scope::default());
    maker.property
}

/// A random property without data that is likely to depend on weak sequences of labels, or on
/// bisimilarity alone: what regular formulas read has hidden steps, or any, before it.
pub fn weak_property(random: &mut Random, depth: usize) -> Property {
    let property = property(random, 0, false);
    let mut maker = Maker {
        random,
        property,
        has_data: false,
    };
    maker.property.formula = maker.weak(depth, &Scope::default());
    maker.property
}

fn apply(function: Function, operands: Vec<Expression>) -> Expression {
    Expression::Apply(function, operands, Place::default())
}

fn number(value: usize) -> Expression {
    Expression::Constant(Value::Int(value as i64))
}

impl Maker<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.random.between(0, bound - 1)
    }

    fn variable(&mut self) -> VariableId {
        let id = self.property.variables.len() as u32;
        let name = format!("x{id}").into();
        self.property.variables.push(Variable {
            name,
            sort: Sort::Nat,
        });
        VariableId(id)
    }

    /// From 0 to 2.
    fn value(&mut self, scope: &Scope) -> Expression {
        let constant = number(self.below(3));
        if scope.variables.is_empty() || self.random.chance(30) {
            return constant;
        }
        let variable = Expression::Variable(scope.variables[self.below(scope.variables.len())]);
        match self.below(3) {
            0 => variable,
            _ => {
                let sum = apply(Function::Add, vec![variable, constant]);
                apply(Function::Remainder, vec![sum, number(3)])
            }
        }
    }

    fn condition(&mut self, scope: &Scope) -> Expression {
        let operands = vec![self.value(scope), self.value(scope)];
        let function = match self.below(3) {
            0 => Function::Equal,
            1 => Function::Less,
            _ => Function::GreaterOrEqual,
        };
        apply(function, operands)
    }

    fn state(&mut self, depth: usize, scope: &Scope) -> StateFormula {
        let usable: Vec<FixpointId> = scope
            .fixpoints
            .iter()
            .filter(|(_, even)| *even)
            .map(|(id, _)| *id)
            .collect();
        if depth == 0 || self.random.chance(8) {
            if !usable.is_empty() && self.random.chance(70) {
                let id = usable[self.below(usable.len())];
                let count = self.property.fixpoints[id.0 as usize].parameters.len();
                let arguments = (0..count).map(|_| self.value(scope)).collect();
                return StateFormula::Variable(id, arguments);
            }
            return match self.below(4) {
                0 => StateFormula::Constant(true),
                1 => StateFormula::Constant(false),
                2 if self.has_data => StateFormula::Condition(self.condition(scope)),
                _ => StateFormula::Modal(
                    Modality::Diamond,
                    Regular::Action(self.action(0)).into(),
                    StateFormula::Constant(true).into(),
                ),
            };
        }
        let mut flipped = scope.clone();
        flipped
            .fixpoints
            .iter_mut()
            .for_each(|(_, even)| *even = !*even);
        let bound = if self.has_data { 14 } else { 11 };
        match self.below(bound) {
            0 => StateFormula::Not(self.state(depth - 1, &flipped).into()),
            1 => StateFormula::And((0..2).map(|_| self.state(depth - 1, scope)).collect()),
            2 => StateFormula::Or((0..3).map(|_| self.state(depth - 1, scope)).collect()),
            3 => StateFormula::Implies(
                [
                    self.state(depth - 1, &flipped),
                    self.state(depth - 1, scope),
                ]
                .into(),
            ),
            4 => {
                let mut closed = scope.clone();
                closed.fixpoints.clear();
                let depth = depth.min(3) - 1;
                StateFormula::Equivalent(
                    [self.state(depth, &closed), self.state(depth, &closed)].into(),
                )
            }
            5..8 => {
                let modality = match self.below(2) {
                    0 => Modality::Diamond,
                    _ => Modality::Box,
                };
                let regular = self.regular(depth.min(3), scope);
                StateFormula::Modal(
                    modality,
                    regular.into(),
                    self.state(depth - 1, scope).into(),
                )
            }
            8 if self.random.chance(40) => {
                StateFormula::Infinitely(self.regular(depth.min(3), scope).into())
            }
            8..11 => {
                let sign = match self.below(2) {
                    0 => Sign::Mu,
                    _ => Sign::Nu,
                };
                let count = if self.has_data {
                    self.below(3).min(1)
                } else {
                    0
                };
                let arguments = (0..count).map(|_| self.value(scope)).collect();
                let parameters: Vec<VariableId> = (0..count).map(|_| self.variable()).collect();
                let id = FixpointId(self.property.fixpoints.len() as u32);
                let mut inner = scope.clone();
                inner.fixpoints.push((id, true));
                inner.variables.extend(&parameters);
                let name = format!("X{}", id.0).into();
                self.property.fixpoints.push(Fixpoint { name, parameters });
                StateFormula::Fixpoint(sign, id, arguments, self.state(depth - 1, &inner).into())
            }
            11 => {
                let quantifier = match self.below(2) {
                    0 => Quantifier::Forall,
                    _ => Quantifier::Exists,
                };
                let domain = match self.below(2) {
                    0 => Domain::Values(vec![self.value(scope), self.value(scope)]),
                    _ => Domain::Range([self.value(scope), self.value(scope)].into()),
                };
                let variable = self.variable();
                let mut inner = scope.clone();
                inner.variables.push(variable);
                let body = self.state(depth - 1, &inner);
                StateFormula::Quantified(quantifier, variable, domain, body.into())
            }
            12 => {
                let value = self.value(scope);
                let variable = self.variable();
                let mut inner = scope.clone();
                inner.variables.push(variable);
                StateFormula::Let(variable, value.into(), self.state(depth - 1, &inner).into())
            }
            _ => StateFormula::If(
                vec![(self.condition(scope), self.state(depth - 1, scope))],
                self.state(depth - 1, scope).into(),
            ),
        }
    }

    fn weak(&mut self, depth: usize, scope: &Scope) -> StateFormula {
        let constant = StateFormula::Constant;
        let all = || ActionFormula::Constant(true);
        if depth == 0 {
            if let (false, true) = (scope.fixpoints.is_empty(), self.random.chance(50)) {
                let id = scope.fixpoints[self.below(scope.fixpoints.len())].0;
                return StateFormula::Variable(id, Vec::new());
            }
            return match self.below(5) {
                0 => constant(true),
                1 => constant(false),
                2 => StateFormula::Modal(
                    Modality::Diamond,
                    Regular::Action(all()).into(),
                    constant(true).into(),
                ),
                3 => StateFormula::Modal(
                    Modality::Box,
                    Regular::Action(all()).into(),
                    constant(false).into(),
                ),
                _ => StateFormula::Infinitely(Regular::Action(self.action(1)).into()),
            };
        }
        match self.below(10) {
            0 => {
                let mut flipped = scope.clone();
                flipped.fixpoints.clear();
                StateFormula::Not(self.weak(depth - 1, &flipped).into())
            }
            1 => StateFormula::And((0..2).map(|_| self.weak(depth - 1, scope)).collect()),
            2 => StateFormula::Or((0..2).map(|_| self.weak(depth - 1, scope)).collect()),
            3..8 => {
                let modality = match self.below(2) {
                    0 => Modality::Diamond,
                    _ => Modality::Box,
                };
                let mut parts = Vec::new();
                for _ in 0..=self.below(2) {
                    let waiting = match self.below(5) {
                        0 => all(),
                        1 => ActionFormula::Hidden,
                        2 => self.action(1),
                        _ => ActionFormula::Not(self.action(0).into()),
                    };
                    parts.push(Regular::Star(Regular::Action(waiting).into()));
                    if self.random.chance(80) {
                        parts.push(Regular::Action(self.action(0)));
                    }
                }
                let regular = match parts.len() {
                    1 => parts.remove(0),
                    _ => Regular::Sequence(parts),
                };
                let body = self.weak(depth - 1, scope);
                StateFormula::Modal(modality, regular.into(), body.into())
            }
            _ => {
                let sign = match self.below(2) {
                    0 => Sign::Mu,
                    _ => Sign::Nu,
                };
                let id = FixpointId(self.property.fixpoints.len() as u32);
                let name = format!("X{}", id.0).into();
                let parameters = Vec::new();
                self.property.fixpoints.push(Fixpoint { name, parameters });
                let mut inner = scope.clone();
                inner.fixpoints.push((id, true));
                let body = match self.random.chance(50) {
                    true => self.weak(depth - 1, &inner),
                    // On all or some paths that end or go on for ever.
                    false => {
                        let again = StateFormula::Variable(id, Vec::new());
                        let (test, modality) = match sign {
                            Sign::Mu => (Modality::Diamond, Modality::Box),
                            Sign::Nu => (Modality::Box, Modality::Diamond),
                        };
                        let goes_on = Regular::Action(ActionFormula::Not(self.action(0).into()));
                        let operands = vec![
                            StateFormula::Modal(
                                test,
                                Regular::Action(all()).into(),
                                constant(sign == Sign::Mu).into(),
                            ),
                            StateFormula::Modal(modality, goes_on.into(), again.into()),
                        ];
                        let path = match sign {
                            Sign::Mu => StateFormula::And(operands),
                            Sign::Nu => StateFormula::Or(operands),
                        };
                        let other = self.weak(depth - 1, &inner);
                        match (sign, self.below(3)) {
                            (_, 0) => path,
                            (Sign::Mu, _) => StateFormula::And(vec![path, other]),
                            (Sign::Nu, _) => StateFormula::Or(vec![path, other]),
                        }
                    }
                };
                StateFormula::Fixpoint(sign, id, Vec::new(), body.into())
            }
        }
    }

    fn regular(&mut self, depth: usize, scope: &Scope) -> Regular {
        if depth == 0 || self.random.chance(25) {
            return match self.random.chance(5) {
                true => Regular::Empty,
                false => Regular::Action(self.action(1)),
            };
        }
        let bound = if self.has_data { 10 } else { 7 };
        match self.below(bound) {
            0 | 1 => Regular::Sequence((0..2).map(|_| self.regular(depth - 1, scope)).collect()),
            2 => Regular::Choice((0..2).map(|_| self.regular(depth - 1, scope)).collect()),
            3 => Regular::Star(self.regular(depth - 1, scope).into()),
            4 => Regular::Plus(self.regular(depth - 1, scope).into()),
            5 => Regular::Optional(self.regular(depth - 1, scope).into()),
            6 => {
                let least = self.below(3) as u32;
                let most = match self.below(2) {
                    0 => None,
                    _ => Some(least + self.below(2) as u32),
                };
                Regular::Repeat(self.regular(depth - 1, scope).into(), least, most)
            }
            7 => {
                let condition = self.condition(scope);
                let branch = self.regular(depth - 1, scope);
                Regular::If(
                    vec![(condition, branch)],
                    self.regular(depth - 1, scope).into(),
                )
            }
            8 => {
                let step = match self.below(2) {
                    0 => number(1),
                    _ => Expression::Constant(Value::Int(-1)),
                };
                let range = [self.value(scope), self.value(scope), step];
                let variable = self.variable();
                let mut inner = scope.clone();
                inner.variables.push(variable);
                let body = self.regular(depth.min(2) - 1, &inner);
                Regular::For(variable, range.into(), body.into())
            }
            _ => {
                let value = self.value(scope);
                let variable = self.variable();
                let mut inner = scope.clone();
                inner.variables.push(variable);
                Regular::Let(
                    variable,
                    value.into(),
                    self.regular(depth - 1, &inner).into(),
                )
            }
        }
    }

    fn action(&mut self, depth: usize) -> ActionFormula {
        let text = |text: &[u8]| ActionFormula::Label(text.into(), Place::default());
        match self.below(if depth > 0 { 9 } else { 6 }) {
            0 => ActionFormula::Constant(true),
            1 => ActionFormula::Hidden,
            2 => ActionFormula::Visible,
            3 | 4 => text(b"a"),
            5 => text(b"b"),
            6 => ActionFormula::Not(self.action(0).into()),
            7 => ActionFormula::And(vec![self.action(0), self.action(0)]),
            _ => ActionFormula::Or(vec![self.action(0), self.action(0)]),
        }
    }
}
