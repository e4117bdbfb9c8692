//! Formulas over steps: their text read and evaluated at once, from the inside out,
//! each as the set of states that satisfy it. Shares nothing with the engine for
//! formulas.
//!
//! A text is one formula, or definitions `NAME = formula` one a line, of which the
//! first is meant and each may use the names of later lines.
//!
//! ```text
//! formula   = conjunct { "||" conjunct }
//! conjunct  = prefixed { "&&" prefixed }
//! prefixed  = "true" | "false" | NAME | "(" formula ")" | "!" prefixed | "div" prefixed
//!           | "<" action ">" prefixed   | "[" action "]" prefixed
//!           | "<<" action ">>" prefixed | "[[" action "]]" prefixed
//!           | "<" formula "U" action ">" prefixed
//! action    = '"' label '"' | "i" | "tau"
//! ```
//!
//! In a label, `\"`, `\\`, `\n`, `\r`, `\t` and `\xHH` are escapes.

mod text;

use std::collections::BTreeMap;

use hyades_formats::{LabelId, Lts, StateId};

use text::{Error, Text};

/// A set of states.
type States = Vec<bool>;

/// Whether a state satisfies a formula.
///
/// O(length · states · transitions) time; as many sets of states in memory as there
/// are definitions, and operators open at once.
///
/// # Errors
/// If the text is no formula: where and why. If there is no such state.
pub fn holds(text: &str, lts: &Lts, state: StateId) -> Result<bool, String> {
    let states = satisfying(text, lts)?;
    let holds = states.get(state.index()).copied();
    holds.ok_or_else(|| format!("there is no state {state}"))
}

/// Which states satisfy a formula. Costs as of [`holds`].
///
/// # Errors
/// If the text is no formula: where and why.
pub fn satisfying(text: &str, lts: &Lts) -> Result<Vec<bool>, String> {
    let lines = text.lines().enumerate();
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.trim().is_empty()).collect();
    let Some(&(_, first)) = lines.first() else {
        return Err("no formula".to_owned());
    };
    let mut evaluation = Evaluation {
        lts,
        defined: BTreeMap::new(),
    };
    let at_line = |number: usize, error: Error| {
        let Error { at, message } = error;
        format!("line {}, byte {}: {message}", number + 1, at + 1)
    };
    if Text::new(first).definition().is_err() {
        if let Some((number, _)) = lines.get(1) {
            return Err(format!("line {}: a second formula", number + 1));
        }
        let (number, line) = lines[0];
        let value = evaluation.formula(&mut Text::new(line));
        return value.map_err(|error| at_line(number, error));
    }
    let mut value = States::new();
    for &(number, line) in lines.iter().rev() {
        let mut text = Text::new(line);
        let name = text.definition().map_err(|error| at_line(number, error))?;
        value = evaluation
            .formula(&mut text)
            .map_err(|error| at_line(number, error))?;
        if evaluation
            .defined
            .insert(name.clone(), value.clone())
            .is_some()
        {
            return Err(format!("line {}: `{name}` is defined twice", number + 1));
        }
    }
    Ok(value)
}

/// A label by its text, or the hidden one.
type Action = Option<Vec<u8>>;

/// An operator whose last operand is not complete.
enum Open {
    Parenthesis,
    /// The left side of an until formula.
    Left,
    And(States),
    Or(States),
    Not,
    Diamond(Action),
    Box(Action),
    WeakDiamond(Action),
    WeakBox(Action),
    Until(States, Action),
    Divergence,
}

struct Evaluation<'a> {
    lts: &'a Lts,
    defined: BTreeMap<String, States>,
}

impl Evaluation<'_> {
    /// The formula up to the end of the text.
    fn formula(&self, text: &mut Text) -> Result<States, Error> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = self.operand(text, &mut open)?;
            loop {
                value = self.close_prefixes(value, &mut open);
                if text.symbol("&&") {
                    value = close_and(value, &mut open);
                    open.push(Open::And(value));
                    break;
                }
                value = close_or(close_and(value, &mut open), &mut open);
                if text.symbol("||") {
                    open.push(Open::Or(value));
                    break;
                }
                match open.pop() {
                    None if text.is_at_end() => return Ok(value),
                    Some(Open::Parenthesis) if text.symbol(")") => {}
                    Some(Open::Left) if text.word("U") => {
                        let action = text.action()?;
                        text.expect(">")?;
                        open.push(Open::Until(value, action));
                        break;
                    }
                    Some(Open::Parenthesis) => return text.error("expected `)`"),
                    Some(Open::Left) => return text.error("expected `U`"),
                    _ => return text.error("expected an operator or the end"),
                }
            }
        }
    }

    /// The operators in front of an operand, and the operand.
    fn operand(&self, text: &mut Text, open: &mut Vec<Open>) -> Result<States, Error> {
        loop {
            open.push(if text.symbol("(") {
                Open::Parenthesis
            } else if text.symbol("!") {
                Open::Not
            } else if let Some(action) = text.between("<<", ">>") {
                Open::WeakDiamond(action)
            } else if let Some(action) = text.between("[[", "]]") {
                Open::WeakBox(action)
            } else if let Some(action) = text.between("<", ">") {
                Open::Diamond(action)
            } else if let Some(action) = text.between("[", "]") {
                Open::Box(action)
            } else if text.symbol("<") {
                Open::Left
            } else if text.word("div") {
                Open::Divergence
            } else {
                break;
            });
        }
        let constant = |value| vec![value; self.lts.states()];
        if text.word("true") {
            return Ok(constant(true));
        }
        if text.word("false") {
            return Ok(constant(false));
        }
        let start = text.clone();
        let Some(name) = text.name() else {
            return text.error("expected a formula");
        };
        match self.defined.get(&name) {
            Some(value) => Ok(value.clone()),
            None => start.error(&format!("no later line defines `{name}`")),
        }
    }

    /// Applies the operators that stand directly in front of an operand.
    fn close_prefixes(&self, mut value: States, open: &mut Vec<Open>) -> States {
        while let Some(operator) = open.pop() {
            value = match operator {
                Open::Not => complement(value),
                Open::Diamond(action) => self.diamond(&action, &value),
                Open::Box(action) => complement(self.diamond(&action, &complement(value))),
                Open::WeakDiamond(action) => self.weak_diamond(&action, value),
                Open::WeakBox(action) => complement(self.weak_diamond(&action, complement(value))),
                Open::Until(left, action) => self.until(&left, &action, &value),
                Open::Divergence => self.divergence(value),
                Open::Parenthesis | Open::Left | Open::And(_) | Open::Or(_) => {
                    open.push(operator);
                    return value;
                }
            };
        }
        value
    }

    /// The states with some step to a state of the set.
    fn diamond(&self, action: &Action, set: &States) -> States {
        let label = match action {
            None => Some(LabelId::HIDDEN),
            Some(text) => self.lts.table().find(text),
        };
        let mut states = vec![false; self.lts.states()];
        for (source, l, target) in self.lts.iter() {
            states[source.index()] |= Some(l) == label && set[target.index()];
        }
        states
    }

    /// The states of the set, and those with hidden steps to it that start only in
    /// states of another one.
    fn back(&self, mut set: States, through: &States) -> States {
        loop {
            let more = self.diamond(&None, &set);
            let more = union(&set, &intersection(&more, through));
            if more == set {
                return set;
            }
            set = more;
        }
    }

    /// s ==> t, or s ==> --a-> ==> t, to a state t of the set.
    fn weak_diamond(&self, action: &Action, set: States) -> States {
        let all = vec![true; self.lts.states()];
        let after = self.back(set, &all);
        match action {
            None => after,
            Some(_) => self.back(self.diamond(action, &after), &all),
        }
    }

    /// Hidden steps that start in `left`, then a step, also from `left`, to `right`;
    /// if it is hidden, the state itself may be in `right`.
    fn until(&self, left: &States, action: &Action, right: &States) -> States {
        let last = intersection(&self.diamond(action, right), left);
        let states = self.back(last, left);
        match action {
            None => union(&states, right),
            Some(_) => states,
        }
    }

    /// The greatest part of the set whose states all have a hidden step into the
    /// part.
    fn divergence(&self, mut set: States) -> States {
        loop {
            let less = intersection(&set, &self.diamond(&None, &set));
            if less == set {
                return set;
            }
            set = less;
        }
    }
}

fn close_and(value: States, open: &mut Vec<Open>) -> States {
    match open.pop_if(|operator| matches!(operator, Open::And(_))) {
        Some(Open::And(left)) => intersection(&left, &value),
        _ => value,
    }
}

fn close_or(value: States, open: &mut Vec<Open>) -> States {
    match open.pop_if(|operator| matches!(operator, Open::Or(_))) {
        Some(Open::Or(left)) => union(&left, &value),
        _ => value,
    }
}

fn complement(set: States) -> States {
    set.iter().map(|member| !member).collect()
}

fn union(a: &States, b: &States) -> States {
    a.iter().zip(b).map(|(a, b)| a | b).collect()
}

fn intersection(a: &States, b: &States) -> States {
    a.iter().zip(b).map(|(a, b)| a & b).collect()
}

#[cfg(test)]
mod tests;
