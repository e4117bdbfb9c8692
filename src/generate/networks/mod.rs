//! Networks of like components, which are symmetric in the names of what they handle:
//! the systems of Gibson-Robinson and Lowe, *Symmetry reduction in CSP model checking*,
//! STTT 21, 2019, section 8, as far as they are described there.
//!
//! A label stands for one event of the whole. All components that have it take part in
//! it, so the rules follow from the components.

mod automaton;
mod database;
mod liststack;
mod peterson;
mod philosophers;

use std::collections::HashMap;

use hyades_explore::Limits;
use hyades_formats::{Lts, ReadError};
use hyades_network::{Memory, NetworkModel, from_text};

use super::{GenerateError, explored};
use automaton::Automaton;

pub(super) use database::database;
pub(super) use liststack::liststack;
pub(super) use peterson::peterson;
pub(super) use philosophers::philosophers;

/// The name of the file with the expression.
const EXPRESSION: &str = "net.exp";

/// The files of a network, to be put into one folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFiles {
    /// Names and texts: the network in EXP, `net.exp`; the names that may be permuted,
    /// `net.sym`, a line `type NAME = VALUE …` for each type; the specification in
    /// AUT, `spec.aut`, if there is one; and the components in AUT.
    pub files: Vec<(String, String)>,
    /// What is not among the files, and why.
    pub note: Option<String>,
}

/// A network of automata that take part in all labels they have.
pub(super) struct Symmetric {
    /// What the network is, for a comment.
    title: String,
    /// The gates that are not hidden.
    visible: &'static [&'static str],
    /// Types and their values, which may be permuted.
    types: Vec<(&'static str, Vec<String>)>,
    /// Components and the names of their files, without the ending.
    components: Vec<(String, Automaton)>,
    specification: Option<Automaton>,
    note: Option<String>,
}

impl Symmetric {
    /// The state space. As an LTS of a family is.
    pub(super) fn into_lts(self, limits: Limits) -> Result<Lts, GenerateError> {
        let mut memory = Memory::default();
        for (name, automaton) in &self.components {
            memory.add(file_name(name), automaton.to_text());
        }
        let options = hyades_network::Options::default();
        let text = self.expression();
        let network = from_text(EXPRESSION, text, &options, &memory, &mut |_| ());
        let network = network.map_err(|error| match error {
            ReadError::TooLarge { error, .. } => GenerateError::TooLarge(error),
            error => GenerateError::Values(error.to_string()),
        })?;
        explored(&NetworkModel::new(network), limits)
    }

    /// All files. O(length of the texts).
    pub(super) fn into_files(self) -> NetworkFiles {
        let mut files = vec![
            (EXPRESSION.to_owned(), self.expression()),
            ("net.sym".to_owned(), self.declaration()),
        ];
        if let Some(specification) = &self.specification {
            files.push(("spec.aut".to_owned(), specification.to_text()));
        }
        for (name, automaton) in &self.components {
            files.push((file_name(name), automaton.to_text()));
        }
        NetworkFiles {
            files,
            note: self.note,
        }
    }

    /// The network in EXP. Vectors stand in the order in which labels occur first.
    fn expression(&self) -> String {
        let mut labels = Vec::new();
        let mut participants: HashMap<&str, Vec<usize>> = HashMap::new();
        for (component, (_, automaton)) in self.components.iter().enumerate() {
            for label in automaton.labels() {
                let known = participants.entry(label).or_default();
                if known.is_empty() {
                    labels.push(label);
                }
                known.push(component);
            }
        }
        let mut text = format!(
            "(* {} *)\nhide all but {} in\nlabel par using\n",
            self.title,
            self.visible.join(", ")
        );
        for (k, label) in labels.iter().enumerate() {
            text.push_str(if k == 0 { "  " } else { ",\n  " });
            self.push_vector(&mut text, label, &participants[label]);
        }
        text.push_str("\nin\n");
        for (k, (name, _)) in self.components.iter().enumerate() {
            let between = if k == 0 { "  " } else { "  || " };
            text.push_str(&format!("{between}\"{}\"\n", file_name(name)));
        }
        text.push_str("end par\nend hide\n");
        text
    }

    fn push_vector(&self, text: &mut String, label: &str, participants: &[usize]) {
        let mut participants = participants.iter().peekable();
        for component in 0..self.components.len() {
            if component > 0 {
                text.push_str(" * ");
            }
            match participants.next_if(|&&p| p == component) {
                Some(_) => push_quoted(text, label),
                None => text.push('_'),
            }
        }
        text.push_str(" -> ");
        push_quoted(text, label);
    }

    fn declaration(&self) -> String {
        let types = self.types.iter();
        types
            .map(|(name, values)| format!("type {name} = {}\n", values.join(" ")))
            .collect()
    }
}

fn push_quoted(text: &mut String, label: &str) {
    text.push('"');
    text.push_str(label);
    text.push('"');
}

fn file_name(component: &str) -> String {
    format!("{component}.aut")
}

/// The names `P0`, `P1`, … of `count` things.
fn numbered(prefix: &str, count: u64) -> Vec<String> {
    (0..count).map(|k| format!("{prefix}{k}")).collect()
}

/// All values of a list but this one.
fn others<'a>(values: &'a [String], this: &'a str) -> impl Iterator<Item = &'a String> {
    values.iter().filter(move |value| *value != this)
}
