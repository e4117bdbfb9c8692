//! A script as text, which reads the same again.

use std::fmt::{self, Display, Formatter, Write};

use hyades_base::buffer::Discipline;

use crate::syntax::{
    Abstractions, Behaviour, Expectation, Interface, Item, ItemKind, Label, Labels, Markov, Mode,
    Operator, Order, Property, Question, Reduction, Relation, Renaming, Script, Text, Verification,
};

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_items(f, &self.items)
    }
}

fn print_items(f: &mut Formatter<'_>, items: &[Item]) -> fmt::Result {
    for item in items {
        match &item.kind {
            ItemKind::Shell(line) => writeln!(f, "% {line}")?,
            ItemKind::Property(property) => print_property(f, property)?,
            ItemKind::Assignment(..)
            | ItemKind::Verification(_)
            | ItemKind::Expectation(_)
            | ItemKind::Check(..) => writeln!(f, "{}", Statement(&item.kind))?,
        }
    }
    Ok(())
}

fn print_property(f: &mut Formatter<'_>, property: &Property) -> fmt::Result {
    write!(f, "property {}", property.name)?;
    if !property.parameters.is_empty() {
        write!(f, " ({})", property.parameters.join(", "))?;
    }
    f.write_char('\n')?;
    for comment in &property.comments {
        writeln!(f, "   {comment}")?;
    }
    f.write_str("is\n")?;
    print_items(f, &property.items)?;
    f.write_str("end property;\n")
}

/// A statement that is no property.
pub(crate) struct Statement<'a>(pub &'a ItemKind);

impl Display for Statement<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            ItemKind::Assignment(target, behaviour) => {
                write!(f, "{target} = {};", Whole(behaviour))
            }
            ItemKind::Verification(verification) => print_verification(f, verification),
            ItemKind::Expectation(expectation) => print_expectation(f, expectation),
            ItemKind::Check(name, arguments) => {
                write!(f, "check {name}")?;
                if !arguments.is_empty() {
                    write!(f, " ({})", Listed(arguments))?;
                }
                f.write_char(';')
            }
            ItemKind::Shell(_) | ItemKind::Property(_) => Ok(()),
        }
    }
}

fn print_verification(f: &mut Formatter<'_>, verification: &Verification) -> fmt::Result {
    let Verification {
        reason,
        question,
        method,
        tool,
    } = verification;
    if let Some(reason) = reason {
        write!(f, "{reason} = ")?;
    }
    let how = How(method, tool);
    match question {
        Question::Comparison {
            relation,
            left,
            order,
            right,
        } => {
            if let Some(relation) = relation {
                write!(f, "{relation} ")?;
            }
            let order = match order {
                Order::Equivalent => "==",
                Order::Below => "<=",
                Order::Above => ">=",
            };
            write!(
                f,
                "comparison{how} {} {order} {};",
                Operand(left),
                Operand(right)
            )
        }
        Question::Formula(file, subject) => {
            write!(f, "verify {file}{how} in {};", Whole(subject))
        }
        Question::Inline(subject, formula, _) => {
            write!(f, "{} |={how} {};", Operand(subject), Formula(formula))
        }
        Question::Deadlock(subject) => write!(f, "deadlock{how} of {};", Whole(subject)),
        Question::Livelock(subject) => write!(f, "livelock{how} of {};", Whole(subject)),
    }
}

fn print_expectation(f: &mut Formatter<'_>, expectation: &Expectation) -> fmt::Result {
    let mut words = Vec::new();
    if let Some(variable) = &expectation.result {
        words.push(format!("result {variable}"));
    }
    if let Some(expected) = &expectation.expected {
        words.push(match expected.as_literal() {
            Some(verdict @ ("TRUE" | "FALSE")) => format!("expected {verdict}"),
            _ => format!("expected {expected}"),
        });
    }
    write!(f, "   {};", words.join(" "))
}

/// `using METHOD with TOOL`.
struct How<'a>(&'a Option<String>, &'a Option<String>);

impl Display for How<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(method) = self.0 {
            write!(f, " using {method}")?;
        }
        if let Some(tool) = self.1 {
            write!(f, " with {tool}")?;
        }
        Ok(())
    }
}

/// A formula, at the end of which no comment takes the semicolon.
struct Formula<'a>(&'a Text);

impl Display for Formula<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let text = self.0.to_formula();
        let last = text.rsplit('\n').next().unwrap_or_default();
        let end = if last.contains("--") { "\n" } else { "" };
        write!(f, "{text}{end}")
    }
}

struct Listed<'a, T>(&'a [T]);

impl<T: Display> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, item) in self.0.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            write!(f, "{comma}{item}")?;
        }
        Ok(())
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.markov {
            Some(Markov::Stochastic) => f.write_str("stochastic ")?,
            Some(Markov::Probabilistic) => f.write_str("probabilistic ")?,
            None => {}
        }
        match &self.name[..] {
            "weaktrace" => f.write_str("weak trace"),
            name => f.write_str(name),
        }
    }
}

impl Display for Label {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.text)?;
        match &self.degree {
            Some(degree) => write!(f, "#{degree}"),
            None => Ok(()),
        }
    }
}

impl Display for Labels {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Labels::Using(file) => write!(f, "using {file}"),
            Labels::Listed { all_but, labels } => {
                let all_but = if *all_but { "all but " } else { "" };
                write!(f, "{all_but}{}", Listed(labels))
            }
        }
    }
}

impl Display for Renaming {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Renaming::Using(file) => write!(f, "using {file}"),
            Renaming::Listed(rules) => {
                for (at, (from, to)) in rules.iter().enumerate() {
                    let comma = if at > 0 { ", " } else { "" };
                    write!(f, "{comma}{from} -> {to}")?;
                }
                Ok(())
            }
        }
    }
}

/// The mode in front of an operator.
struct Before<'a>(&'a Option<Mode>);

impl Display for Before<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(mode) => write!(f, "{} ", mode.name()),
            None => Ok(()),
        }
    }
}

/// What follows the interface of an abstraction.
struct Sync<'a>(&'a Option<Labels>);

impl Display for Sync<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(labels @ Labels::Using(_)) => write!(f, " {labels}"),
            Some(labels @ Labels::Listed { .. }) => write!(f, " sync {labels}"),
        }
    }
}

/// A behaviour where it may reach to the end.
pub(crate) struct Whole<'a>(pub &'a Behaviour);

/// A behaviour beside an operator: between parentheses, unless it ends by itself.
struct Operand<'a>(&'a Behaviour);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Behaviour::Generation(_)
            | Behaviour::Reduction(_)
            | Behaviour::Abstraction { .. }
            | Behaviour::Abstractions(_)
            | Behaviour::Infix(..) => write!(f, "({})", Whole(self.0)),
            Behaviour::File { .. }
            | Behaviour::Process { .. }
            | Behaviour::Stop
            | Behaviour::Chaos(_)
            | Behaviour::Buffer { .. }
            | Behaviour::Hide(..)
            | Behaviour::Cut(..)
            | Behaviour::Rename(..)
            | Behaviour::Prio(..)
            | Behaviour::Par { .. }
            | Behaviour::Vectors { .. } => write!(f, "{}", Whole(self.0)),
        }
    }
}

impl Display for Whole<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Behaviour::File { name, process, .. } => {
                write!(f, "{name}")?;
                match process {
                    Some(process) => write!(f, ":{process}"),
                    None => Ok(()),
                }
            }
            Behaviour::Process {
                name,
                gates,
                arguments,
                ..
            } => {
                write!(f, "{name} [{}]", Listed(gates))?;
                match arguments {
                    Some(arguments) => write!(f, " ({arguments})"),
                    None => Ok(()),
                }
            }
            Behaviour::Stop => f.write_str("stop"),
            Behaviour::Chaos(labels) => write!(f, "chaos [{}]", Listed(labels)),
            Behaviour::Buffer {
                discipline,
                places,
                labels,
                ..
            } => {
                let kind = match discipline {
                    Discipline::Fifo => "fifo",
                    Discipline::Bag => "bag",
                };
                write!(f, "{kind} {places} [{}]", Listed(labels))
            }
            Behaviour::Generation(of) => write!(f, "generation of {}", Whole(of)),
            Behaviour::Reduction(reduction) => print_reduction(f, reduction),
            Behaviour::Hide(mode, labels, of) => {
                let mode = Before(mode);
                write!(f, "{mode}hide {labels} in {} end hide", Whole(of))
            }
            Behaviour::Cut(mode, labels, of) => {
                let mode = Before(mode);
                write!(f, "{mode}cut {labels} in {} end cut", Whole(of))
            }
            Behaviour::Rename(mode, renaming, of) => {
                let mode = Before(mode);
                write!(f, "{mode}rename {renaming} in {} end rename", Whole(of))
            }
            Behaviour::Prio(mode, chains, of) => {
                write!(f, "{}prio", Before(mode))?;
                for chain in chains {
                    for (at, labels) in chain.iter().enumerate() {
                        write!(f, "{}{labels}", if at > 0 { " > " } else { " " })?;
                    }
                }
                write!(f, " in {} end prio", Whole(of))
            }
            Behaviour::Par {
                mode,
                global,
                operands,
            } => {
                write!(f, "{}par ", Before(mode))?;
                match global {
                    None => {}
                    Some(Interface::All) => f.write_str("all in ")?,
                    Some(Interface::Listed(labels)) if labels.is_empty() => {
                        f.write_str("in ")?;
                    }
                    Some(Interface::Listed(labels)) => write!(f, "{} in ", Listed(labels))?,
                }
                for (at, (local, operand)) in operands.iter().enumerate() {
                    if at > 0 {
                        f.write_str(" || ")?;
                    }
                    match local {
                        None => {}
                        Some(labels) if labels.is_empty() => f.write_str("-> ")?,
                        Some(labels) => write!(f, "{} -> ", Listed(labels))?,
                    }
                    write!(f, "{}", Operand(operand))?;
                }
                f.write_str(" end par")
            }
            Behaviour::Vectors {
                mode,
                vectors,
                operands,
            } => {
                write!(f, "{}par using ", Before(mode))?;
                for (at, (vector, result)) in vectors.iter().enumerate() {
                    f.write_str(if at > 0 { ", " } else { "" })?;
                    for (at, element) in vector.iter().enumerate() {
                        f.write_str(if at > 0 { " * " } else { "" })?;
                        match element {
                            Some(label) => write!(f, "{label}")?,
                            None => f.write_char('_')?,
                        }
                    }
                    write!(f, " -> {result}")?;
                }
                f.write_str(" in ")?;
                for (at, operand) in operands.iter().enumerate() {
                    f.write_str(if at > 0 { " || " } else { "" })?;
                    write!(f, "{}", Operand(operand))?;
                }
                f.write_str(" end par")
            }
            Behaviour::Infix(operands, operators) => {
                write!(f, "{}", Operand(&operands[0]))?;
                for (operator, operand) in operators.iter().zip(&operands[1..]) {
                    write!(f, " {operator} {}", Operand(operand))?;
                }
                Ok(())
            }
            Behaviour::Abstraction {
                is_guess,
                interface,
                sync,
                of,
            } => {
                let user = if *is_guess { "user " } else { "" };
                let sync = Sync(sync);
                write!(
                    f,
                    "{user}abstraction {}{sync} of {}",
                    Operand(interface),
                    Whole(of)
                )
            }
            Behaviour::Abstractions(abstractions) => {
                let Abstractions {
                    is_refined,
                    is_guess,
                    interfaces,
                    sync,
                    of,
                    ..
                } = &**abstractions;
                f.write_str(if *is_guess { "user " } else { "" })?;
                f.write_str(if *is_refined { "refined " } else { "" })?;
                let interfaces: Vec<Operand<'_>> = interfaces.iter().map(Operand).collect();
                let (interfaces, sync) = (Listed(&interfaces), Sync(sync));
                write!(f, "abstraction {interfaces}{sync} of {}", Whole(of))
            }
        }
    }
}

fn print_reduction(f: &mut Formatter<'_>, reduction: &Reduction) -> fmt::Result {
    if let Some(strategy) = reduction.strategy {
        write!(f, "{} ", strategy.name())?;
    }
    match reduction.is_total {
        Some(true) => f.write_str("total ")?,
        Some(false) => f.write_str("partial ")?,
        None => {}
    }
    if let Some(relation) = &reduction.relation {
        write!(f, "{relation} ")?;
    }
    let how = How(&reduction.method, &reduction.tool);
    write!(f, "reduction{how}")?;
    if let Some(labels) = &reduction.hold {
        write!(f, " hold {labels}")?;
    }
    write!(f, " of {}", Whole(&reduction.of))
}

impl Display for Operator {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operator::Interleaving => f.write_str("|||"),
            Operator::Full => f.write_str("||"),
            Operator::Gates(gates) => write!(f, "|[{}]|", Listed(gates)),
            Operator::Semi { gates, is_guess } => {
                match gates {
                    Some(gates) => write!(f, "-|[{}]|", Listed(gates))?,
                    None => f.write_str("-||")?,
                }
                f.write_str(if *is_guess { " ?" } else { "" })
            }
        }
    }
}
