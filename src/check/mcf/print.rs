//! Formulas as text, in the language of mCRL2's modal formulas.

use super::data::{join, numeric, sort_of_number};
use super::state::{AND, IMPLIES, OPERAND, OR};
use crate::data;
use crate::syntax::{
    ActionFormula, Expression, Function, Modality, Property, Quantifier, Regular, Sign, Sort,
    StateFormula, Value, VariableId,
};

/// The text of a part of a property; it reads as the same formula in the scope where it
/// stands.
pub(crate) fn text(property: &Property, formula: &StateFormula) -> String {
    let mut printer = Printer::new(property);
    printer.state(formula, IMPLIES);
    printer.text
}

/// The text of a regular formula.
pub(crate) fn regular_text(property: &Property, regular: &Regular) -> String {
    let mut printer = Printer::new(property);
    printer.regular(regular, 0);
    printer.text
}

/// The text of an action formula.
pub(crate) fn action_text(property: &Property, action: &ActionFormula) -> String {
    let mut printer = Printer::new(property);
    printer.action(action, IMPLIES);
    printer.text
}

/// The text of a whole property, with sections for sorts that have values of their own.
/// O(|text|).
pub fn whole(property: &Property, sorts: &[(Box<str>, Vec<Value>)]) -> String {
    let mut made = String::new();
    for (name, values) in sorts {
        let texts: Vec<String> = values.iter().map(value_text).collect();
        made.push_str(&format!("sort {name} = struct {};\n", texts.join(" | ")));
    }
    let formula = text(property, &property.formula);
    match sorts.is_empty() {
        true => formula,
        false => format!("{made}form {formula};"),
    }
}

fn value_text(value: &Value) -> String {
    String::from_utf8_lossy(&data::text(value)).into_owned()
}

struct Printer<'p> {
    property: &'p Property,
    text: String,
}

impl<'p> Printer<'p> {
    fn new(property: &'p Property) -> Self {
        Printer {
            property,
            text: String::new(),
        }
    }

    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn name(&mut self, variable: VariableId) {
        // Nodes that repetitions make have variables beyond those of the property.
        let known = self.property.variables.get(variable.0 as usize);
        self.text.push_str(known.map_or("?", |known| &known.name));
    }

    fn sort_of_variable(&self, variable: VariableId) -> Option<&'p Sort> {
        let known = self.property.variables.get(variable.0 as usize);
        known.map(|known| &known.sort)
    }

    fn typed(&mut self, variable: VariableId) {
        self.name(variable);
        let sort = self.sort_of_variable(variable).map_or("?", Sort::name);
        self.add(": ");
        self.add(sort);
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut one: impl FnMut(&mut Self, &T)) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.add(between);
            }
            one(self, item);
        }
    }

    /// In parentheses unless its operator binds at least as tightly as asked.
    fn within(&mut self, own: u8, least: u8, print: impl FnOnce(&mut Self)) {
        if own < least {
            self.add("(");
        }
        print(self);
        if own < least {
            self.add(")");
        }
    }

    fn state(&mut self, formula: &StateFormula, least: u8) {
        match formula {
            StateFormula::Constant(value) => self.add(if *value { "true" } else { "false" }),
            StateFormula::Condition(condition) => self.val(condition),
            StateFormula::Not(operand) => {
                self.add("!");
                self.state(operand, OPERAND);
            }
            StateFormula::And(operands) => self.within(AND, least, |own| {
                own.list(operands, " && ", |own, operand| own.state(operand, AND + 1));
            }),
            StateFormula::Or(operands) => self.within(OR, least, |own| {
                own.list(operands, " || ", |own, operand| own.state(operand, OR + 1));
            }),
            StateFormula::Implies(operands) => self.within(IMPLIES, least, |own| {
                own.state(&operands[0], IMPLIES + 1);
                own.add(" => ");
                own.state(&operands[1], IMPLIES);
            }),
            StateFormula::Modal(modality, regular, body) => {
                let [open, close] = match modality {
                    Modality::Diamond => ["<", ">"],
                    Modality::Box => ["[", "]"],
                };
                self.add(open);
                self.regular(regular, 0);
                self.add(close);
                self.state(body, OPERAND);
            }
            // In parentheses, they reach as far right as possible.
            StateFormula::Fixpoint(sign, fixpoint, arguments, body) => {
                self.add(match sign {
                    Sign::Mu => "(mu ",
                    Sign::Nu => "(nu ",
                });
                let fixpoint = &self.property.fixpoints[fixpoint.0 as usize];
                self.add(&fixpoint.name);
                if !arguments.is_empty() {
                    self.add("(");
                    let pairs: Vec<_> = fixpoint.parameters.iter().zip(arguments).collect();
                    self.list(&pairs, ", ", |own, (parameter, argument)| {
                        own.typed(**parameter);
                        own.add(" = ");
                        own.argument(**parameter, argument);
                    });
                    self.add(")");
                }
                self.add(". ");
                self.state(body, IMPLIES);
                self.add(")");
            }
            StateFormula::Variable(fixpoint, arguments) => {
                let fixpoint = &self.property.fixpoints[fixpoint.0 as usize];
                self.add(&fixpoint.name);
                if !arguments.is_empty() {
                    self.add("(");
                    let pairs: Vec<_> = fixpoint.parameters.iter().zip(arguments).collect();
                    self.list(&pairs, ", ", |own, (parameter, argument)| {
                        own.argument(**parameter, argument);
                    });
                    self.add(")");
                }
            }
            StateFormula::Quantified(quantifier, variable, _, body) => {
                self.add("(");
                self.quantifier(*quantifier, *variable);
                self.state(body, IMPLIES);
                self.add(")");
            }
            // No text of this language has these: in the words of the other one.
            StateFormula::Equivalent(_)
            | StateFormula::Infinitely(_)
            | StateFormula::Let(..)
            | StateFormula::If(..) => {
                let text = crate::print::mcl_text(self.property, formula);
                self.add(&text);
            }
        }
    }

    fn quantifier(&mut self, quantifier: Quantifier, variable: VariableId) {
        self.add(match quantifier {
            Quantifier::Forall => "forall ",
            Quantifier::Exists => "exists ",
        });
        self.typed(variable);
        self.add(". ");
    }

    fn val(&mut self, condition: &Expression) {
        self.add("val(");
        self.expression(condition, 0);
        self.add(")");
    }

    /// A regular formula: 0 anything, 1 sequences, 2 operands of postfix operators.
    fn regular(&mut self, regular: &Regular, least: u8) {
        match regular {
            Regular::Empty => self.add("nil"),
            // A postfix operator takes the whole action formula; this is not known to all.
            Regular::Action(action) => {
                let least = if least == 2 { OPERAND + 1 } else { IMPLIES };
                self.action(action, least);
            }
            Regular::Sequence(parts) => self.within(1, least, |own| {
                own.list(parts, " . ", |own, part| own.regular(part, 2));
            }),
            Regular::Choice(parts) => self.within(0, least, |own| {
                own.list(parts, " + ", |own, part| own.regular(part, 1));
            }),
            Regular::Star(body) => {
                self.regular(body, 2);
                self.add("*");
            }
            Regular::Plus(body) => {
                self.regular(body, 2);
                self.add("+");
            }
            // No text of this language has these: in the words of the other one.
            Regular::Optional(_)
            | Regular::Repeat(..)
            | Regular::If(..)
            | Regular::For(..)
            | Regular::Let(..) => {
                let text = crate::print::mcl_regular_text(self.property, regular, 2);
                self.add(&text);
            }
        }
    }

    fn action(&mut self, action: &ActionFormula, least: u8) {
        match action {
            ActionFormula::Constant(value) => self.add(if *value { "true" } else { "false" }),
            ActionFormula::Hidden => self.add("tau"),
            ActionFormula::MultiAction(terms, _) => {
                self.list(terms, "|", |own, term| {
                    own.add(&term.name);
                    if !term.arguments.is_empty() {
                        own.add("(");
                        own.list(&term.arguments, ", ", |own, one| own.expression(one, 0));
                        own.add(")");
                    }
                });
            }
            ActionFormula::Condition(condition) => self.val(condition),
            ActionFormula::Not(operand) => self.within(OPERAND, least, |own| {
                own.add("!");
                own.action(operand, OPERAND);
            }),
            ActionFormula::And(operands) => self.within(AND, least, |own| {
                own.list(operands, " && ", |own, operand| {
                    own.action(operand, AND + 1)
                });
            }),
            ActionFormula::Or(operands) => self.within(OR, least, |own| {
                own.list(operands, " || ", |own, operand| own.action(operand, OR + 1));
            }),
            ActionFormula::Implies(operands) => self.within(IMPLIES, least, |own| {
                own.action(&operands[0], IMPLIES + 1);
                own.add(" => ");
                own.action(&operands[1], IMPLIES);
            }),
            ActionFormula::Quantified(quantifier, variable, _, body) => {
                self.add("(");
                self.quantifier(*quantifier, *variable);
                self.action(body, IMPLIES);
                self.add(")");
            }
            // No text of this language has these: in the words of the other one.
            ActionFormula::Visible
            | ActionFormula::Label(..)
            | ActionFormula::Exactly(_)
            | ActionFormula::Pattern(..)
            | ActionFormula::Offers(_)
            | ActionFormula::Equivalent(_) => {
                let text = crate::print::mcl_action_text(self.property, action);
                self.add(&text);
            }
        }
    }

    /// A value given to a parameter, converted if its sort is another one.
    fn argument(&mut self, parameter: VariableId, argument: &Expression) {
        let wanted = self.sort_of_variable(parameter);
        let conversion = match (self.sort(argument), wanted) {
            (Some(Sort::Int), Some(Sort::Nat)) => "Int2Nat(",
            (Some(Sort::Int), Some(Sort::Pos)) => "Int2Pos(",
            (Some(Sort::Nat), Some(Sort::Pos)) => "Nat2Pos(",
            _ => return self.expression(argument, 0),
        };
        self.add(conversion);
        self.expression(argument, 0);
        self.add(")");
    }

    /// The sort of an expression without its conversions, if it is a number.
    fn sort(&self, expression: &Expression) -> Option<Sort> {
        match expression {
            Expression::Constant(Value::Int(value)) => Some(sort_of_number(*value)),
            Expression::Constant(_) => None,
            Expression::Variable(variable) => self.sort_of_variable(*variable).cloned(),
            Expression::Apply(Function::If, operands, _) => match &operands[..] {
                [_, then, other] => Some(join(&self.sort(then)?, &self.sort(other)?)),
                _ => None,
            },
            Expression::Apply(function, operands, _) => match function {
                Function::Add
                | Function::Subtract
                | Function::Multiply
                | Function::DivideFloor
                | Function::Modulo
                | Function::Negate
                | Function::Successor
                | Function::Predecessor
                | Function::Absolute
                | Function::Minimum
                | Function::Maximum => {
                    let sorts: Option<Vec<Sort>> = operands.iter().map(|o| self.sort(o)).collect();
                    Some(numeric(function, &sorts?))
                }
                _ => None,
            },
        }
    }

    /// An expression: 0 anything, then as the parser counts levels plus one, 9 operands.
    fn expression(&mut self, expression: &Expression, least: u8) {
        let (function, operands) = match expression {
            Expression::Constant(value) => return self.add(&value_text(value)),
            Expression::Variable(variable) => return self.name(*variable),
            Expression::Apply(function, operands, _) => (function, operands),
        };
        // The level, and that of the left operand and of the others.
        let (level, left, operator) = match function {
            Function::Implies => (1, 2, " => "),
            Function::Or => (2, 3, " || "),
            Function::And => (3, 4, " && "),
            Function::Equal => (4, 4, " == "),
            Function::NotEqual => (4, 4, " != "),
            Function::Less => (5, 5, " < "),
            Function::LessOrEqual => (5, 5, " <= "),
            Function::Greater => (5, 5, " > "),
            Function::GreaterOrEqual => (5, 5, " >= "),
            Function::Add => (6, 6, " + "),
            Function::Subtract | Function::SubtractNatural => (6, 6, " - "),
            Function::DivideFloor => (7, 7, " div "),
            Function::Modulo => (7, 7, " mod "),
            Function::Multiply => (8, 8, " * "),
            Function::Not | Function::Negate => {
                self.add(if *function == Function::Not { "!" } else { "-" });
                // A minus before digits is part of the number.
                let is_number = matches!(operands[0], Expression::Constant(Value::Int(_)));
                return self.within(0, u8::from(is_number), |own| {
                    own.expression(&operands[0], 9);
                });
            }
            Function::CheckNat | Function::CheckPos => {
                return self.expression(&operands[0], least);
            }
            Function::If
            | Function::Divide
            | Function::Remainder
            | Function::Successor
            | Function::Predecessor
            | Function::PredecessorNatural
            | Function::Absolute
            | Function::Minimum
            | Function::Maximum
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
            | Function::Construct(_) => {
                self.add(match function {
                    Function::Divide => "/",
                    Function::Remainder => "%",
                    other => crate::print::called(other),
                });
                self.add("(");
                self.list(operands, ", ", |own, operand| own.expression(operand, 0));
                return self.add(")");
            }
        };
        let others = if level == 1 { 1 } else { level + 1 };
        self.within(level, least, |own| {
            for (k, operand) in operands.iter().enumerate() {
                if k > 0 {
                    own.add(operator);
                }
                own.expression(operand, if k == 0 { left } else { others });
            }
        });
    }
}
