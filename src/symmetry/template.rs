//! Templates: the part of a pattern that repeats.

use std::collections::{HashMap, HashSet};

use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::tokens::{TokenSyntax, Tokens};

use super::pattern::{BadEdge, PatternError, Transformation};

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

/// Whether the labels of a template's LTS tell the numbers of edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EdgeNumbers {
    /// They do: the first token is the number of the edge, and not part of its action.
    FirstTokens,
    /// They do not: edges are known by state and action.
    None,
}

impl Template {
    /// The template that an LTS describes.
    ///
    /// # Errors
    /// If two edges with the same action leave the same state or have the same
    /// number, or a number or an action is missing; with the edge.
    pub fn new(
        lts: &Lts,
        syntax: &TokenSyntax,
        edge_numbers: EdgeNumbers,
    ) -> Result<Self, PatternError> {
        let numbered = edge_numbers == EdgeNumbers::FirstTokens;
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
        let bad = |(source, label, target): (StateId, LabelId, StateId), text: String| {
            let edge = BadEdge {
                source: source.get(),
                label: label_text(lts, label).into(),
                target: target.get(),
            };
            PatternError {
                edge: Some(edge),
                ..PatternError::new(text)
            }
        };
        for edge @ (source, label, target) in lts.iter() {
            let text = || String::from_utf8_lossy(label_text(lts, label)).into_owned();
            let (number, tokens) = &labels[label.index()];
            let number = match number {
                None if numbered => {
                    let text = text();
                    return Err(bad(
                        edge,
                        format!(
                            "the template's label `{text}` has no tokens; expected the number of \
                             the edge"
                        ),
                    ));
                }
                None => edges.len() as u64 + 1,
                Some(token) => std::str::from_utf8(token)
                    .ok()
                    .and_then(|digits| digits.parse().ok())
                    .ok_or_else(|| {
                        let (text, token) = (text(), String::from_utf8_lossy(token));
                        bad(
                            edge,
                            format!(
                                "the template's label `{text}` begins with `{token}`; expected \
                                 the number of the edge (edges without numbers need \
                                 `edge-numbers = false`)"
                            ),
                        )
                    })?,
            };
            if !numbers.insert(number) {
                return Err(bad(
                    edge,
                    format!(
                        "two edges of the template have the number {number}; expected a number \
                         of its own for each"
                    ),
                ));
            }
            if tokens.0.is_empty() {
                let text = text();
                return Err(bad(
                    edge,
                    format!(
                        "the template's label `{text}` has no action; expected tokens besides a \
                         number"
                    ),
                ));
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
        for (edge, transition) in edges.iter().zip(lts.iter()) {
            if let Some(other) = left.insert((edge.source, edge.action), edge.number) {
                let action = &actions[edge.action as usize];
                return Err(bad(
                    transition,
                    format!(
                        "edges {other} and {} of the template both leave state {} with \
                         `{action}`; expected a deterministic template",
                        edge.number, edge.source
                    ),
                ));
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

    /// What a transformation makes of the actions.
    ///
    /// # Errors
    /// If two become the same, in words for the user.
    pub fn renamed(&self, transformation: &Transformation) -> Result<Vec<Tokens>, String> {
        let mut known = HashMap::new();
        let mut images = Vec::with_capacity(self.actions.len());
        for (action, tokens) in self.actions.iter().enumerate() {
            let mut image = tokens.clone();
            for token in &mut image.0 {
                let new = transformation.apply(token);
                if *new != **token {
                    *token = new.into();
                }
            }
            if let Some(other) = known.insert(image.clone(), action) {
                return Err(format!(
                    "the transformation {transformation} makes both `{}` and `{tokens}` of the \
                     template `{image}`; expected different labels to stay different",
                    self.actions[other]
                ));
            }
            images.push(image);
        }
        Ok(images)
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
