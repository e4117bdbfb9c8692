//! Formulas as text, in MCL or in the language that they were written in.

use std::fmt::Write;

use crate::data;
use crate::mcf;
use crate::syntax::{
    ActionFormula, Domain, Expression, Function, GatePattern, Language, Modality, OfferMatch,
    OfferPattern, Property, Quantifier, Regular, Sign, Sort, StateFormula, Value, VariableId,
};

/// The text of a part of a property, in its language; it reads as the same formula in
/// the scope where it stands.
pub(crate) fn text(property: &Property, formula: &StateFormula) -> String {
    match property.language {
        Language::Mcl => mcl_text(property, formula),
        Language::Mcf => mcf::print::text(property, formula),
    }
}

/// The text of an action formula, in the language of its property.
pub(crate) fn action_text(property: &Property, action: &ActionFormula) -> String {
    match property.language {
        Language::Mcl => mcl_action_text(property, action),
        Language::Mcf => mcf::print::action_text(property, action),
    }
}

/// The text in MCL. What it has no words for, multi-actions and quantifiers of actions,
/// is written as in mCRL2.
pub(crate) fn mcl_text(property: &Property, formula: &StateFormula) -> String {
    let mut printer = Printer {
        property,
        text: String::new(),
    };
    printer.state(formula, 0);
    printer.text
}

/// The text of a regular formula in MCL; 2 as an operand of a postfix operator.
pub(crate) fn mcl_regular_text(property: &Property, regular: &Regular, least: u8) -> String {
    let mut printer = Printer {
        property,
        text: String::new(),
    };
    printer.regular(regular, least);
    printer.text
}

/// The text of an action formula in MCL.
pub(crate) fn mcl_action_text(property: &Property, action: &ActionFormula) -> String {
    let mut printer = Printer {
        property,
        text: String::new(),
    };
    printer.action(action, 0);
    printer.text
}

/// The text of a value, in the language of a property.
pub(crate) fn value_text(property: &Property, value: &Value) -> String {
    let mut printer = Printer {
        property,
        text: String::new(),
    };
    match (property.language, value) {
        // Texts of mCRL2 are names and terms.
        (Language::Mcf, Value::Text(text)) => String::from_utf8_lossy(text).into_owned(),
        (Language::Mcl | Language::Mcf, _) => {
            printer.value(value);
            printer.text
        }
    }
}

/// The text of a regular formula, in the language of its property.
pub(crate) fn regular_text(property: &Property, regular: &Regular) -> String {
    match property.language {
        Language::Mcl => mcl_regular_text(property, regular, 0),
        Language::Mcf => mcf::print::regular_text(property, regular),
    }
}

impl Property {
    /// The formula as text, without macros.
    pub fn text(&self) -> String {
        text(self, &self.formula)
    }
}

struct Printer<'p> {
    property: &'p Property,
    text: String,
}

impl Printer<'_> {
    fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn name(&mut self, variable: VariableId) {
        let known = self.property.variables.get(variable.0 as usize);
        let name = known.map_or("?", |variable| &variable.name).to_owned();
        self.add(&name);
    }

    fn typed(&mut self, variable: VariableId) {
        self.name(variable);
        self.add(":");
        let sort = self.property.variables[variable.0 as usize].sort.clone();
        self.sort(&sort);
    }

    fn sort(&mut self, sort: &Sort) {
        self.add(sort.name());
    }

    fn list<T>(&mut self, items: &[T], between: &str, mut one: impl FnMut(&mut Self, &T)) {
        for (k, item) in items.iter().enumerate() {
            if k > 0 {
                self.add(between);
            }
            one(self, item);
        }
    }

    /// In parentheses unless its operator binds at least as strongly as asked.
    fn within(&mut self, own: u8, least: u8, print: impl FnOnce(&mut Self)) {
        if own < least {
            self.add("(");
        }
        print(self);
        if own < least {
            self.add(")");
        }
    }

    /// A state formula: 0 anything, 1 implications, 2 disjunctions, 3 conjunctions, 4
    /// operands of prefix operators.
    fn state(&mut self, formula: &StateFormula, least: u8) {
        match formula {
            StateFormula::Constant(value) => self.add(if *value { "true" } else { "false" }),
            StateFormula::Condition(condition) => {
                self.within(3, least, |own| own.expression(condition, 3));
            }
            StateFormula::Not(operand) => self.within(4, least, |own| {
                own.add("not ");
                own.state(operand, 4);
            }),
            StateFormula::And(operands) => self.within(3, least, |own| {
                own.list(operands, " and ", |own, operand| own.state(operand, 4));
            }),
            StateFormula::Or(operands) => self.within(2, least, |own| {
                own.list(operands, " or ", |own, operand| own.state(operand, 3));
            }),
            StateFormula::Implies(operands) => self.within(1, least, |own| {
                own.state(&operands[0], 2);
                own.add(" implies ");
                own.state(&operands[1], 1);
            }),
            StateFormula::Equivalent(operands) => self.within(0, least, |own| {
                own.state(&operands[0], 1);
                own.add(" equ ");
                own.state(&operands[1], 1);
            }),
            StateFormula::Modal(modality, regular, body) => self.within(4, least, |own| {
                let [open, close] = match modality {
                    Modality::Diamond => ["< ", " > "],
                    Modality::Box => ["[ ", " ] "],
                };
                own.add(open);
                own.regular(regular, 0);
                own.add(close);
                own.state(body, 4);
            }),
            StateFormula::Infinitely(regular) => {
                self.add("< ");
                self.regular(regular, 0);
                self.add(" > @");
            }
            // These reach as far right as possible.
            StateFormula::Fixpoint(sign, fixpoint, arguments, body) => {
                self.add(match sign {
                    Sign::Mu => "(mu ",
                    Sign::Nu => "(nu ",
                });
                let fixpoint = self.property.fixpoints[fixpoint.0 as usize].clone();
                self.add(&fixpoint.name);
                if !arguments.is_empty() {
                    self.add(" (");
                    let pairs: Vec<_> = fixpoint.parameters.iter().zip(arguments).collect();
                    self.list(&pairs, ", ", |own, (parameter, argument)| {
                        own.typed(**parameter);
                        own.add(" := ");
                        own.expression(argument, 0);
                    });
                    self.add(")");
                }
                self.add(" . ");
                self.state(body, 0);
                self.add(")");
            }
            StateFormula::Variable(fixpoint, arguments) => {
                let name = self.property.fixpoints[fixpoint.0 as usize].name.clone();
                self.add(&name);
                if !arguments.is_empty() {
                    self.add(" (");
                    self.list(arguments, ", ", |own, argument| own.expression(argument, 0));
                    self.add(")");
                }
            }
            StateFormula::Quantified(quantifier, variable, domain, body) => {
                self.add("(");
                self.quantifier(*quantifier, *variable, domain);
                self.state(body, 0);
                self.add(")");
            }
            StateFormula::Let(variable, value, body) => {
                self.binding(*variable, value);
                self.state(body, 0);
                self.add(" end let");
            }
            StateFormula::If(branches, otherwise) => {
                self.branches(branches, |own, branch| own.state(branch, 0));
                self.add(" else ");
                self.state(otherwise, 0);
                self.add(" end if");
            }
        }
    }

    fn quantifier(&mut self, quantifier: Quantifier, variable: VariableId, domain: &Domain) {
        self.add(match quantifier {
            Quantifier::Forall => "forall ",
            Quantifier::Exists => "exists ",
        });
        self.typed(variable);
        match domain {
            Domain::Booleans | Domain::Occurring => {}
            Domain::Values(values) => {
                self.add(" among { ");
                self.list(values, ", ", |own, value| own.expression(value, 0));
                self.add(" }");
            }
            Domain::Range(ends) => {
                self.add(" among { ");
                self.expression(&ends[0], 0);
                self.add(" ... ");
                self.expression(&ends[1], 0);
                self.add(" }");
            }
        }
        self.add(" . ");
    }

    fn binding(&mut self, variable: VariableId, value: &Expression) {
        self.add("let ");
        self.typed(variable);
        self.add(" := ");
        self.expression(value, 0);
        self.add(" in ");
    }

    fn branches<T>(&mut self, branches: &[(Expression, T)], mut one: impl FnMut(&mut Self, &T)) {
        for (k, (condition, branch)) in branches.iter().enumerate() {
            self.add(if k == 0 { "if " } else { " elsif " });
            self.expression(condition, 0);
            self.add(" then ");
            one(self, branch);
        }
    }

    /// A regular formula: 0 anything, 1 sequences, 2 operands of postfix operators.
    fn regular(&mut self, regular: &Regular, least: u8) {
        let postfix = |own: &mut Self, body: &Regular, operator: &str| {
            own.regular(body, 2);
            own.add(operator);
        };
        match regular {
            Regular::Empty => self.add("nil"),
            // A postfix operator takes the whole action formula.
            Regular::Action(action) => self.action(action, u8::from(least == 2)),
            Regular::Sequence(parts) => self.within(1, least, |own| {
                own.list(parts, " . ", |own, part| own.regular(part, 2));
            }),
            Regular::Choice(parts) => self.within(0, least, |own| {
                own.list(parts, " | ", |own, part| own.regular(part, 1));
            }),
            Regular::Star(body) => postfix(self, body, "*"),
            Regular::Plus(body) => postfix(self, body, "+"),
            Regular::Optional(body) => postfix(self, body, "?"),
            Regular::Repeat(body, least, most) => {
                let bounds = match most {
                    Some(most) if most == least => format!(" {{{least}}}"),
                    Some(most) => format!(" {{{least}, {most}}}"),
                    None => format!(" {{{least},}}"),
                };
                postfix(self, body, &bounds);
            }
            Regular::If(branches, otherwise) => {
                self.branches(branches, |own, branch| own.regular(branch, 0));
                self.add(" else ");
                self.regular(otherwise, 0);
                self.add(" end if");
            }
            Regular::For(variable, range, body) => {
                self.add("for ");
                self.typed(*variable);
                for (word, end) in [" from ", " to ", " step "].iter().zip(&**range) {
                    self.add(word);
                    self.expression(end, 0);
                }
                self.add(" do ");
                self.regular(body, 0);
                self.add(" end for");
            }
            Regular::Let(variable, value, body) => {
                self.binding(*variable, value);
                self.regular(body, 0);
                self.add(" end let");
            }
        }
    }

    /// An action formula: 0 anything, 1 operands.
    fn action(&mut self, action: &ActionFormula, least: u8) {
        match action {
            ActionFormula::Constant(value) => self.add(if *value { "true" } else { "false" }),
            ActionFormula::Hidden => self.add("tau"),
            ActionFormula::Visible => self.add("visible"),
            ActionFormula::Label(label, _) | ActionFormula::Exactly(label) => self.string(label),
            ActionFormula::Pattern(pattern, _) => {
                let expression = String::from_utf8_lossy(pattern.source()).into_owned();
                write!(self.text, "'{expression}'").expect("writing to a string");
            }
            ActionFormula::Offers(pattern) => self.offers(pattern),
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
            ActionFormula::Condition(condition) => {
                self.add("val(");
                self.expression(condition, 0);
                self.add(")");
            }
            ActionFormula::Not(operand) => {
                self.add("not ");
                self.action(operand, 1);
            }
            ActionFormula::And(operands) => self.within(0, least, |own| {
                own.list(operands, " and ", |own, operand| own.action(operand, 1));
            }),
            ActionFormula::Or(operands) => self.within(0, least, |own| {
                own.list(operands, " or ", |own, operand| own.action(operand, 1));
            }),
            ActionFormula::Implies(operands) => self.within(0, least, |own| {
                own.list(&operands[..], " implies ", |own, operand| {
                    own.action(operand, 1)
                });
            }),
            ActionFormula::Equivalent(operands) => self.within(0, least, |own| {
                own.list(&operands[..], " equ ", |own, operand| {
                    own.action(operand, 1)
                });
            }),
            ActionFormula::Quantified(quantifier, variable, domain, body) => {
                self.within(0, least, |own| {
                    own.quantifier(*quantifier, *variable, domain);
                    own.action(body, 0);
                });
            }
        }
    }

    fn string(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text)
            .replace('\\', "\\\\")
            .replace('"', "\\\"");
        write!(self.text, "\"{text}\"").expect("writing to a string");
    }

    fn offers(&mut self, pattern: &OfferPattern) {
        self.add("{");
        match &pattern.gate {
            // Offers have a gate before them.
            GatePattern::Any
                if pattern.before.is_empty()
                    && pattern.after.as_ref().is_some_and(Vec::is_empty) => {}
            GatePattern::Any => self.add(" ?any"),
            GatePattern::Name(name) => {
                let name = String::from_utf8_lossy(name).into_owned();
                self.add(" ");
                self.add(&name);
            }
            GatePattern::Bind(variable) => {
                self.add(" ?");
                self.typed(*variable);
            }
        }
        for offer in &pattern.before {
            self.offer(offer);
        }
        if let Some(after) = &pattern.after {
            self.add(" ...");
            after.iter().for_each(|offer| self.offer(offer));
        }
        if let Some(condition) = &pattern.condition {
            self.add(" where ");
            self.expression(condition, 0);
        }
        self.add(" }");
    }

    fn offer(&mut self, offer: &OfferMatch) {
        match offer {
            OfferMatch::Value(value, _, _) => {
                self.add(" !");
                self.expression(value, 9);
            }
            OfferMatch::Bind(variable, _) => {
                self.add(" ?");
                self.typed(*variable);
            }
            OfferMatch::Any(sort) => {
                self.add(" ?any");
                if let Some(sort) = sort {
                    self.add(" of ");
                    self.sort(sort);
                }
            }
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Text(text) => self.string(text),
            Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::Char(_) => {
                let text = String::from_utf8_lossy(&data::text(value)).into_owned();
                self.add(&text);
            }
        }
    }

    /// An expression: 0 anything (`or`), 1 `and`, 2 `not`, 3 comparisons, 4 sums, 5
    /// products, 9 operands.
    fn expression(&mut self, expression: &Expression, least: u8) {
        let (function, operands) = match expression {
            Expression::Constant(value) => return self.value(value),
            Expression::Variable(variable) => return self.name(*variable),
            Expression::Apply(function, operands, _) => (function, operands),
        };
        let (level, operator) = match function {
            Function::Or => (0, " or "),
            Function::Implies => (0, " implies "),
            Function::And => (1, " and "),
            Function::Not => (2, "not "),
            Function::Equal => (3, " = "),
            Function::NotEqual => (3, " <> "),
            Function::Less => (3, " < "),
            Function::LessOrEqual => (3, " <= "),
            Function::Greater => (3, " > "),
            Function::GreaterOrEqual => (3, " >= "),
            Function::Add => (4, " + "),
            Function::Subtract | Function::SubtractNatural => (4, " - "),
            Function::Multiply => (5, " * "),
            Function::Divide => (5, " / "),
            Function::Remainder => (5, " % "),
            Function::Negate => (6, "-"),
            // What is made by checking types only.
            Function::CheckNat | Function::CheckPos => {
                return self.expression(&operands[0], least);
            }
            Function::If
            | Function::DivideFloor
            | Function::Modulo
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
                self.add(called(function));
                self.add("(");
                self.list(operands, ", ", |own, operand| own.expression(operand, 0));
                return self.add(")");
            }
        };
        self.within(level, least, |own| match &operands[..] {
            [operand] => {
                own.add(operator);
                own.expression(operand, 9);
            }
            _ => own.list(operands, operator, |own, operand| {
                own.expression(operand, level + 1)
            }),
        });
    }
}

/// The name of a function that is written before its operands.
pub(crate) fn called(function: &Function) -> &str {
    match function {
        Function::If => "if",
        Function::DivideFloor => "div",
        Function::Modulo => "mod",
        Function::Successor => "succ",
        Function::Predecessor | Function::PredecessorNatural => "pred",
        Function::Absolute => "abs",
        Function::Minimum => "min",
        Function::Maximum => "max",
        Function::ToString => "string",
        Function::ToNat => "nat",
        Function::ToInt => "int",
        Function::ToReal => "real",
        Function::Concatenate => "concat",
        Function::Length => "length",
        Function::Index => "index",
        Function::LastIndex => "rindex",
        Function::Prefix => "prefix",
        Function::Suffix => "suffix",
        Function::Substring => "substr",
        Function::Nth => "nth",
        Function::Construct(name) => name,
        Function::Not
        | Function::And
        | Function::Or
        | Function::Implies
        | Function::Equal
        | Function::NotEqual
        | Function::Less
        | Function::LessOrEqual
        | Function::Greater
        | Function::GreaterOrEqual
        | Function::Add
        | Function::Subtract
        | Function::SubtractNatural
        | Function::Multiply
        | Function::Divide
        | Function::Remainder
        | Function::Negate
        | Function::CheckNat
        | Function::CheckPos => unreachable!("these are operators"),
    }
}
