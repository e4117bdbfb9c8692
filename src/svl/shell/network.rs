//! Behaviours as networks: in EXP, where all texts stand between quotes.

use super::{Source, Writer};
use crate::syntax::{Behaviour, Element, Interface, Label, Labels, Mode, Operator, Renaming};
use crate::text::{Text, Word};

/// Whether labels are gates, by their names only, which is what `-|[GATES]|` takes.
pub(super) fn is_gates(labels: Option<&Labels>) -> bool {
    let is_name = |label: &Label| {
        let text = label.text.as_literal();
        text.is_some_and(|text| text.chars().all(|c| c.is_alphanumeric() || c == '_'))
    };
    match labels {
        None => true,
        Some(Labels::Using(_)) => false,
        Some(Labels::Listed { all_but, labels }) => !all_but && labels.iter().all(is_name),
    }
}

impl Writer<'_> {
    /// A behaviour as the text of a network. What is none goes to files first.
    pub(super) fn network(&mut self, behaviour: &Behaviour) -> Word {
        let mut text = Word::default();
        self.push(&mut text, behaviour);
        text
    }

    /// A behaviour beside an operator.
    fn operand(&mut self, text: &mut Word, behaviour: &Behaviour) {
        let is_open = matches!(
            behaviour,
            Behaviour::Infix(..) | Behaviour::Abstraction { .. }
        );
        text.push_str(if is_open { "(" } else { "" });
        self.push(text, behaviour);
        text.push_str(if is_open { ")" } else { "" });
    }

    fn push(&mut self, text: &mut Word, behaviour: &Behaviour) {
        let is_elsewhere = self.is_elsewhere;
        match behaviour {
            Behaviour::File { name, process, .. } => {
                let source = self.source(name, process.as_ref());
                push_source(text, &source, is_elsewhere);
            }
            Behaviour::Process {
                name,
                gates,
                arguments,
                ..
            } => {
                let source = self.process(name, gates, arguments.as_deref());
                push_source(text, &source, is_elsewhere);
            }
            Behaviour::Stop
            | Behaviour::Chaos(_)
            | Behaviour::Buffer { .. }
            | Behaviour::Abstractions(_)
            | Behaviour::Generation(_)
            | Behaviour::Reduction(_) => self.push_file(text, behaviour),
            Behaviour::Abstraction { sync, .. } if !is_gates(sync.as_ref()) => {
                self.push_file(text, behaviour);
            }
            Behaviour::Hide(mode, labels, of) => {
                let labels = |text: &mut Word| push_labels(text, labels, is_elsewhere);
                self.bracketed(text, *mode, "hide", &labels, of);
            }
            Behaviour::Cut(mode, labels, of) => {
                let labels = |text: &mut Word| push_labels(text, labels, is_elsewhere);
                self.bracketed(text, *mode, "cut", &labels, of);
            }
            Behaviour::Rename(mode, renaming, of) => {
                let rules = |text: &mut Word| push_renaming(text, renaming, is_elsewhere);
                self.bracketed(text, *mode, "rename", &rules, of);
            }
            Behaviour::Prio(mode, chains, of) => {
                let chains = |text: &mut Word| {
                    push_separated(text, chains, " ", |text, chain| {
                        push_separated(text, chain, " > ", |text, labels| {
                            push_labels(text, labels, is_elsewhere);
                        });
                    });
                };
                self.bracketed(text, *mode, "prio", &chains, of);
            }
            Behaviour::Par {
                mode,
                global,
                operands,
            } => self.push_par(text, *mode, global.as_ref(), operands),
            Behaviour::Vectors {
                mode,
                vectors,
                operands,
            } => {
                push_mode(text, *mode);
                push_vectors(text, vectors);
                self.push_operands(text, operands.iter().map(|operand| (None, operand)));
            }
            Behaviour::Infix(operands, operators) => self.push_infix(text, operands, operators),
            Behaviour::Abstraction {
                is_guess,
                interface,
                sync,
                of,
            } => {
                self.operand(text, of);
                let is_guess = *is_guess;
                match sync {
                    Some(Labels::Listed { labels, .. }) => {
                        let gates = Some(labels.clone());
                        push_operator(text, &Operator::Semi { gates, is_guess });
                        self.operand(text, interface);
                    }
                    Some(Labels::Using(_)) | None => {
                        self.push_interface(text, interface, is_guess);
                    }
                }
            }
        }
    }

    /// `par`, and what the operands take part in.
    fn push_par(
        &mut self,
        text: &mut Word,
        mode: Option<Mode>,
        global: Option<&Interface>,
        operands: &[(Option<Vec<Label>>, Behaviour)],
    ) {
        push_mode(text, mode);
        text.push_str("par");
        match global {
            None => {}
            Some(Interface::All) => text.push_str(" all in"),
            Some(Interface::Listed(labels)) => {
                text.push_str(" ");
                push_list(text, labels);
                text.push_str(" in");
            }
        }
        let operands = operands.iter();
        self.push_operands(text, operands.map(|(local, of)| (local.as_deref(), of)));
    }

    /// The operands of `par`, with the interfaces of their own, and its end.
    fn push_operands<'b>(
        &mut self,
        text: &mut Word,
        operands: impl Iterator<Item = (Option<&'b [Label]>, &'b Behaviour)>,
    ) {
        for (at, (local, operand)) in operands.enumerate() {
            text.push_str(if at > 0 { "\n|| " } else { "\n   " });
            if let Some(labels) = local {
                push_list(text, labels);
                text.push_str(" -> ");
            }
            self.operand(text, operand);
        }
        text.push_str("\nend par");
    }

    /// Operators between behaviours.
    fn push_infix(&mut self, text: &mut Word, operands: &[Behaviour], operators: &[Operator]) {
        self.operand(text, &operands[0]);
        for (at, (operator, operand)) in operators.iter().zip(&operands[1..]).enumerate() {
            if let Operator::Semi {
                gates: None,
                is_guess,
            } = operator
            {
                // All that follows restricts.
                let rest = match operators.len() - at {
                    1 => operand.clone(),
                    _ => {
                        Behaviour::Infix(operands[at + 1..].to_vec(), operators[at + 1..].to_vec())
                    }
                };
                return self.push_interface(text, &rest, *is_guess);
            }
            push_operator(text, operator);
            self.operand(text, operand);
        }
    }

    /// `-|[GATES]|` and an interface, GATES being those of its visible labels.
    fn push_interface(&mut self, text: &mut Word, interface: &Behaviour, is_guess: bool) {
        let file = self.input(interface);
        let gates = self.variable();
        self.step(format!("svl_gates {gates} {file}"));
        text.push_str("\n-|[");
        text.push_variable(&gates);
        text.push_str(if is_guess { "]|? (" } else { "]| (" });
        text.push_file(&file);
        text.push_str(")");
    }

    /// A behaviour that has to be in a file.
    fn push_file(&mut self, text: &mut Word, behaviour: &Behaviour) {
        let file = match behaviour {
            Behaviour::Stop | Behaviour::Chaos(_) | Behaviour::Buffer { .. } => {
                let file = self.temporary("aut");
                let states = super::buffers::automaton(behaviour);
                self.step(format!("svl_write {file} {states}"));
                file
            }
            Behaviour::File { .. }
            | Behaviour::Process { .. }
            | Behaviour::Generation(_)
            | Behaviour::Reduction(_)
            | Behaviour::Hide(..)
            | Behaviour::Cut(..)
            | Behaviour::Rename(..)
            | Behaviour::Prio(..)
            | Behaviour::Par { .. }
            | Behaviour::Vectors { .. }
            | Behaviour::Infix(..)
            | Behaviour::Abstraction { .. }
            | Behaviour::Abstractions(_) => {
                let file = self.temporary("bcg");
                self.explicit(behaviour, &file);
                file
            }
        };
        text.push_file(&file);
    }

    fn bracketed(
        &mut self,
        text: &mut Word,
        mode: Option<Mode>,
        word: &str,
        about: &dyn Fn(&mut Word),
        of: &Behaviour,
    ) {
        push_mode(text, mode);
        text.push_str(word);
        text.push_str(" ");
        about(text);
        text.push_str(" in\n   ");
        self.push(text, of);
        text.push_str("\nend ");
        text.push_str(word);
    }
}

fn push_source(text: &mut Word, source: &Source, is_elsewhere: bool) {
    match source {
        Source::Plain {
            text: name,
            is_network: false,
        } => push_file_name(text, name, is_elsewhere),
        // A network takes the place of its name as it is.
        Source::Plain {
            text: name,
            is_network: true,
        } => {
            text.push_str("(");
            push_file_name(text, name, is_elsewhere);
            text.push_str(")");
        }
        Source::Found(variable) => {
            text.push_str("(");
            text.push_file(&Word::of_variable(variable));
            text.push_str(")");
        }
    }
}

/// The name of a file, spelt out where the network stays in this directory.
fn push_file_name(text: &mut Word, name: &Text, is_elsewhere: bool) {
    match is_elsewhere {
        true => text.push_file(&Word::of_text(name)),
        false => text.push_quoted(name),
    }
}

fn push_mode(text: &mut Word, mode: Option<Mode>) {
    if let Some(mode) = mode {
        text.push_str(mode.name());
        text.push_str(" ");
    }
}

/// What is between `rename` and `in`.
fn push_renaming(text: &mut Word, renaming: &Renaming, is_elsewhere: bool) {
    match renaming {
        Renaming::Using(file) => {
            text.push_str("using ");
            push_file_name(text, file, is_elsewhere);
        }
        Renaming::Listed(rules) => push_separated(text, rules, ", ", |text, (from, to)| {
            text.push_quoted(&from.text);
            text.push_str(" -> ");
            text.push_quoted(&to.text);
        }),
    }
}

/// What is between `par` and the operands, where vectors say what takes part in what.
fn push_vectors(text: &mut Word, vectors: &[(Vec<Element>, Label)]) {
    text.push_str("par using\n   ");
    push_separated(text, vectors, ",\n   ", |text, (vector, result)| {
        push_separated(text, vector, " * ", |text, element| match element {
            Some(label) => text.push_quoted(&label.text),
            None => text.push_str("_"),
        });
        text.push_str(" -> ");
        text.push_quoted(&result.text);
    });
    text.push_str("\nin");
}

fn push_list(text: &mut Word, labels: &[Label]) {
    push_separated(text, labels, ", ", |text, label| {
        text.push_quoted(&label.text);
        if let Some(degree) = &label.degree {
            text.push_str(&format!("#{degree}"));
        }
    });
}

fn push_separated<T>(
    text: &mut Word,
    items: &[T],
    separator: &str,
    mut push: impl FnMut(&mut Word, &T),
) {
    for (at, item) in items.iter().enumerate() {
        text.push_str(if at > 0 { separator } else { "" });
        push(text, item);
    }
}

fn push_labels(text: &mut Word, labels: &Labels, is_elsewhere: bool) {
    match labels {
        Labels::Using(file) => {
            text.push_str("using ");
            push_file_name(text, file, is_elsewhere);
        }
        Labels::Listed { all_but, labels } => {
            text.push_str(if *all_but { "all but " } else { "" });
            push_list(text, labels);
        }
    }
}

fn push_operator(text: &mut Word, operator: &Operator) {
    text.push_str("\n");
    match operator {
        Operator::Interleaving => text.push_str("|||"),
        Operator::Full => text.push_str("||"),
        Operator::Gates(gates) => {
            text.push_str("|[");
            push_list(text, gates);
            text.push_str("]|");
        }
        Operator::Semi { gates, is_guess } => {
            match gates {
                Some(gates) => {
                    text.push_str("-|[");
                    push_list(text, gates);
                    text.push_str("]|");
                }
                None => text.push_str("-||"),
            }
            text.push_str(if *is_guess { "?" } else { "" });
        }
    }
    text.push_str(" ");
}
