//! What a formula costs, by its text: a reader of the fragments that the games speak of.

use std::collections::HashMap;

use crate::formula::Formula;
use crate::spectroscopy::{Budget, Game};

#[derive(Clone, Debug)]
enum Term {
    And(Vec<Term>),
    Or(Vec<Term>),
    Not(Box<Term>),
    Diamond(String, Box<Term>),
    Box(String, Box<Term>),
    Delay(Box<Term>),
}

struct Reader<'t> {
    rest: &'t str,
    definitions: &'t HashMap<&'t str, &'t str>,
}

impl Reader<'_> {
    fn takes(&mut self, text: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn until(&mut self, end: &str) -> String {
        let (text, rest) = self.rest.split_once(end).unwrap();
        self.rest = rest;
        text.to_owned()
    }

    fn disjunction(&mut self) -> Term {
        let mut all = vec![self.conjunction()];
        while self.takes("||") {
            all.push(self.conjunction());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Term::Or(all),
        }
    }

    fn conjunction(&mut self) -> Term {
        let mut all = vec![self.prefixed()];
        while self.takes("&&") {
            all.push(self.prefixed());
        }
        match all.len() {
            1 => all.remove(0),
            _ => Term::And(all),
        }
    }

    fn prefixed(&mut self) -> Term {
        if self.takes("true") {
            Term::And(vec![])
        } else if self.takes("false") {
            Term::Or(vec![])
        } else if self.takes("(") {
            let inner = self.disjunction();
            assert!(self.takes(")"));
            inner
        } else if self.takes("!") {
            Term::Not(self.prefixed().into())
        } else if self.takes("<<i>>") {
            Term::Delay(self.prefixed().into())
        } else if self.takes("<") {
            let label = self.until(">");
            Term::Diamond(label, self.prefixed().into())
        } else if self.takes("[") {
            let label = self.until("]");
            Term::Box(label, self.prefixed().into())
        } else {
            let len = self.rest[1..].find(|c: char| !c.is_ascii_digit());
            let (name, rest) = self
                .rest
                .split_at(len.map_or(self.rest.len(), |len| len + 1));
            self.rest = rest;
            term(self.definitions[name], self.definitions)
        }
    }
}

fn term(text: &str, definitions: &HashMap<&str, &str>) -> Term {
    let mut reader = Reader {
        rest: text,
        definitions,
    };
    let term = reader.disjunction();
    assert_eq!(reader.rest.trim(), "");
    term
}

/// The least price by the definitions of the fragments' expressiveness, of formulas as
/// [`Spectroscopy::formula`](super::super::Spectroscopy::formula) writes them.
pub(super) fn cost(formula: &Formula, game: Game) -> Budget {
    let text = formula.to_string();
    let definitions: HashMap<&str, &str> =
        text.lines().filter_map(|l| l.split_once(" = ")).collect();
    let first = text.lines().next().unwrap();
    let first = first.split_once(" = ").map_or(first, |(_, text)| text);
    let term = term(first, &definitions);
    let price = match game {
        Game::Strong => strong(&term),
        Game::Weak => immediate(&term),
    };
    Budget::new(&price.map(|entry| entry.min(2)))
}

type Price = [u8; 8];

fn max(a: Price, b: Price) -> Price {
    std::array::from_fn(|k| a[k].max(b[k]))
}

fn plus(mut price: Price, entry: usize) -> Price {
    price[entry - 1] = price[entry - 1].saturating_add(1);
    price
}

fn at_least(mut price: Price, entry: usize, least: u8) -> Price {
    price[entry - 1] = price[entry - 1].max(least);
    price
}

fn strong(term: &Term) -> Price {
    let clauses = match term {
        Term::And(clauses) => clauses.as_slice(),
        Term::Not(_) => std::slice::from_ref(term),
        Term::Diamond(_, inner) => return plus(strong(inner), 1),
        _ => panic!("not of the fragment: {term:?}"),
    };
    if clauses.is_empty() {
        return [0; 8];
    }
    let mut price = [0; 8];
    let mut heights = Vec::new();
    for clause in clauses {
        let one = match clause {
            Term::Not(inner) => {
                let inner = strong(inner);
                plus(at_least(inner, 5, inner[0]), 6)
            }
            positive => {
                let positive = strong(positive);
                heights.push(positive[0]);
                positive
            }
        };
        price = max(price, one);
    }
    heights.sort_unstable();
    let deepest = heights.pop().unwrap_or(0);
    let other = heights.pop().unwrap_or(0);
    plus(at_least(at_least(price, 3, deepest), 4, other), 2)
}

fn immediate(term: &Term) -> Price {
    match term {
        Term::Delay(inner) => delayed(inner),
        Term::And(clauses) if clauses.is_empty() => [0; 8],
        Term::And(clauses) => plus(conjunction(clauses, false), 5),
        Term::Not(_) => plus(conjunction(std::slice::from_ref(term), false), 5),
        _ => panic!("not of the fragment: {term:?}"),
    }
}

fn delayed(term: &Term) -> Price {
    match term {
        Term::Diamond(label, inner) if label != "i" => plus(immediate(inner), 1),
        Term::And(clauses) if clauses.is_empty() => [0; 8],
        Term::And(clauses) => conjunction(clauses, true),
        _ => conjunction(std::slice::from_ref(term), true),
    }
}

fn conjunction(clauses: &[Term], may_have_more: bool) -> Price {
    let is_stability = |t: &&Term| matches!(t, Term::Box(l, f) if l == "i" && matches!(&**f, Term::Or(none) if none.is_empty()));
    let is_branch = |t: &&Term| matches!(t, Term::Diamond(..) | Term::Or(_));
    let stable = clauses.iter().filter(is_stability).count();
    let branches: Vec<&Term> = clauses.iter().filter(is_branch).collect();
    assert!(stable + branches.len() <= usize::from(may_have_more));
    let mut price = [0; 8];
    for clause in clauses.iter().filter(|t| !is_stability(t) && !is_branch(t)) {
        let one = match clause {
            Term::Delay(inner) => {
                let inner = delayed(inner);
                at_least(inner, 6, inner[0])
            }
            Term::Not(inner) => match &**inner {
                Term::Delay(inner) => {
                    let inner = delayed(inner);
                    plus(at_least(inner, 7, inner[0]), 8)
                }
                _ => panic!("not of the fragment: {clause:?}"),
            },
            _ => panic!("not of the fragment: {clause:?}"),
        };
        price = max(price, one);
    }
    for branch in &branches {
        let said = match branch {
            Term::Diamond(label, said) if label != "i" => said,
            Term::Or(two) => match &two[..] {
                [_, Term::Diamond(label, said)] if label == "i" => said,
                _ => panic!("not of the fragment: {branch:?}"),
            },
            _ => panic!("not of the fragment: {branch:?}"),
        };
        let said = plus(immediate(said), 1);
        price = max(price, at_least(said, 6, said[0]));
    }
    match (stable, branches.len()) {
        (0, 0) => plus(price, 3),
        (0, _) => plus(plus(price, 2), 3),
        _ => plus(price, 4),
    }
}
