//! Templates: the part of a pattern that repeats.

use std::collections::{HashMap, HashSet};

use hyades_formats::{LabelId, Lts};

use super::pattern::PatternError;
use super::tokens::{TokenSyntax, Tokens};

/// A deterministic machine whose copies, with other values in its labels, are
/// found in a specification (report SEN-R9918, Definition 6.1).
#[derive(Clone, Debug)]
pub struct Template {
    states: u32,
    initial: u32,
    actions: Vec<Tokens>,
    edges: Vec<TemplateEdge>,
}

/// An edge of a [`Template`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateEdge {
    /// Its number in the template file, or its place in the file from 1 on.
    pub number: u64,
    /// The state that it leaves.
    pub source: u32,
    /// Its label, as an index of [`Template::actions`].
    pub action: u32,
    /// The state that it leads to.
    pub target: u32,
}

impl Template {
    /// The template that an LTS describes. With `numbered`, the first token of
    /// each label is the number of the edge and not part of its action.
    ///
    /// # Errors
    /// If two edges with the same action leave the same state or have the same
    /// number, or a number or an action is missing.
    pub fn new(lts: &Lts, syntax: &TokenSyntax, numbered: bool) -> Result<Self, PatternError> {
        let mut known = HashMap::new();
        let mut numbers = HashSet::new();
        let mut labels = Vec::new();
        for id in 0..lts.table().len() as u32 {
            let mut tokens = tokens_of(lts, LabelId::new(id), syntax);
            let number = numbered && !tokens.0.is_empty();
            let number = number.then(|| tokens.0.remove(0));
            labels.push((number, tokens));
        }
        let mut actions = Vec::new();
        let mut edges: Vec<TemplateEdge> = Vec::with_capacity(lts.transitions());
        for (source, label, target) in lts.iter() {
            let text = || String::from_utf8_lossy(label_text(lts, label)).into_owned();
            let (number, tokens) = &labels[label.index()];
            let number = match number {
                None if numbered => {
                    return Err(PatternError::new(format!(
                        "the template's label `{}` has no tokens; expected the number of the edge",
                        text()
                    )));
                }
                None => edges.len() as u64 + 1,
                Some(token) => std::str::from_utf8(token)
                    .ok()
                    .and_then(|digits| digits.parse().ok())
                    .ok_or_else(|| {
                        PatternError::new(format!(
                            "the template's label `{}` begins with `{}`; expected the number of \
                             the edge (edges without numbers need `edge-numbers = false`)",
                            text(),
                            String::from_utf8_lossy(token)
                        ))
                    })?,
            };
            if !numbers.insert(number) {
                return Err(PatternError::new(format!(
                    "two edges of the template have the number {number}; expected a number of \
                     its own for each"
                )));
            }
            if tokens.0.is_empty() {
                return Err(PatternError::new(format!(
                    "the template's label `{}` has no action; expected tokens besides a number",
                    text()
                )));
            }
            let action = *known.entry(tokens.clone()).or_insert_with(|| {
                actions.push(tokens.clone());
                actions.len() as u32 - 1
            });
            edges.push(TemplateEdge {
                number,
                source: source.get(),
                action,
                target: target.get(),
            });
        }
        let mut left = HashMap::new();
        for edge in &edges {
            if let Some(other) = left.insert((edge.source, edge.action), edge.number) {
                return Err(PatternError::new(format!(
                    "edges {other} and {} of the template both leave state {} with `{}`; expected \
                     a deterministic template",
                    edge.number, edge.source, actions[edge.action as usize]
                )));
            }
        }
        Ok(Self {
            states: lts.states() as u32,
            initial: lts.initial().get(),
            actions,
            edges,
        })
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// The state in which copies start that are not told otherwise.
    pub fn initial(&self) -> u32 {
        self.initial
    }

    /// The different labels, without numbers of edges.
    pub fn actions(&self) -> &[Tokens] {
        &self.actions
    }

    /// The edges, in the order of the LTS's rows.
    pub fn edges(&self) -> &[TemplateEdge] {
        &self.edges
    }
}

/// The text of a label; `i` for the hidden one.
pub(super) fn label_text(lts: &Lts, label: LabelId) -> &[u8] {
    if label.is_hidden() {
        b"i"
    } else {
        lts.table().text(label)
    }
}

/// The tokens of a label.
pub(super) fn tokens_of(lts: &Lts, label: LabelId, syntax: &TokenSyntax) -> Tokens {
    Tokens::of(label_text(lts, label), syntax)
}
