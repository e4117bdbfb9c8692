//! State labels: lists of vectors, which are balanced trees of data.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::decode::Decoder;
use super::print::{Allowance, Printer, Text, Unprintable};
use super::terms::{Kind, TermId};
use crate::diagnostic::{counted, there_are};
use crate::state_labels::{Parameter, StateLabels};

/// Vectors of parameters that no list declares may have so many entries.
const MOST_PARAMETERS: usize = 1 << 16;

/// A new value of a parameter counts like so many bytes, for the memory that it takes besides
/// its text.
const BYTES_OF_VALUE: usize = 64;

/// Collects the labels of states 0, 1, ….
#[derive(Default)]
pub(super) struct Vectors {
    /// What the file declares.
    declared: Vec<Parameter>,
    /// The labels, once there was a vector.
    labels: Option<StateLabels>,
    /// The number of states described.
    states: u64,
    /// The number of each value of a parameter, by its term.
    known: HashMap<(u32, TermId), u32, RandomState>,
    /// The number of each value, by its text, for each parameter.
    texts: Vec<HashMap<Vec<u8>, u32, RandomState>>,
}

/// What is wrong with a state label.
pub(super) enum Odd {
    /// A value cannot be written out.
    Value(Unprintable),
    /// It does not consist of vectors of the right length.
    Vector(String),
}

impl Vectors {
    /// The parameters that the file declares.
    pub fn declare(&mut self, parameters: Vec<Parameter>) {
        self.declared = parameters;
    }

    /// The number of states described so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Describes the next state by the list that was delivered last. Gives the
    /// text of a new value that is approximate, if there is one.
    ///
    /// # Errors
    /// If it is no list of vectors of the same length as all others.
    pub fn push(
        &mut self,
        decoder: &Decoder<'_>,
        allowance: &mut Allowance,
    ) -> Result<Option<Text>, Odd> {
        let terms = decoder.terms();
        let mut approximate = None;
        let mut row = Vec::new();
        let mut vectors = 0;
        let mut list = terms.list(decoder.output());
        for vector in list.by_ref() {
            let start = row.len();
            self.leaves(decoder, vector, allowance, &mut row)?;
            self.value_numbers(decoder, allowance, &mut row[start..], &mut approximate)?;
            vectors += 1;
        }
        if !list.is_proper() {
            return Err(Odd::Vector("a list of vectors without an end".into()));
        }
        self.states += 1;
        if let Some(labels) = &mut self.labels {
            let width = labels.parameters().len();
            labels.push((0..vectors).map(|k| &row[k * width..(k + 1) * width]));
        }
        Ok(approximate)
    }

    /// Appends the leaves of a tree, from left to right.
    fn leaves(
        &mut self,
        decoder: &Decoder<'_>,
        vector: TermId,
        allowance: &mut Allowance,
        row: &mut Vec<TermId>,
    ) -> Result<(), Odd> {
        let terms = decoder.terms();
        let start = row.len();
        let known = match &self.labels {
            Some(labels) => Some(labels.parameters().len()),
            None => Some(self.declared.len()).filter(|&n| n > 0),
        };
        let most = known.unwrap_or(MOST_PARAMETERS);
        let mut stack = vec![vector];
        while let Some(id) = stack.pop() {
            allowance.spend(1).map_err(Odd::Value)?;
            let term = terms.term(id);
            match (term.kind, term.arguments) {
                (Kind::Node, &[left, right]) => stack.extend([right, left]),
                (Kind::SingleNode, &[leaf]) if id == vector => row.push(leaf),
                (Kind::EmptyTree, _) if id == vector => {}
                _ => row.push(id),
            }
            if row.len() - start > most {
                return Err(Odd::Vector(format!(
                    "a state vector of more than {}",
                    counted(most, "value")
                )));
            }
        }
        let found = row.len() - start;
        if let Some(expected) = known
            && found != expected
        {
            return Err(Odd::Vector(format!(
                "a state vector of {} where {}",
                counted(found, "value"),
                there_are(expected, "parameter")
            )));
        }
        if self.labels.is_none() {
            self.begin(found);
        }
        Ok(())
    }

    /// The first vector tells how many parameters there are, if nothing else
    /// does.
    fn begin(&mut self, width: usize) {
        let mut parameters = std::mem::take(&mut self.declared);
        parameters.resize_with(width, Parameter::default);
        self.texts.resize_with(width, HashMap::default);
        let mut labels = StateLabels::new(parameters);
        for _ in 0..self.states {
            labels.push([]);
        }
        self.labels = Some(labels);
    }

    /// Replaces terms by the numbers of values.
    fn value_numbers(
        &mut self,
        decoder: &Decoder<'_>,
        allowance: &mut Allowance,
        row: &mut [u32],
        approximate: &mut Option<Text>,
    ) -> Result<(), Odd> {
        let labels = self.labels.as_mut().expect("there is a vector");
        for (k, entry) in row.iter_mut().enumerate() {
            let term = *entry;
            let key = (k as u32, term);
            if let Some(&number) = self.known.get(&key) {
                *entry = number;
                continue;
            }
            allowance.spend(BYTES_OF_VALUE).map_err(Odd::Value)?;
            let text = Printer::new(decoder.terms(), allowance)
                .data(term)
                .map_err(Odd::Value)?;
            let values = &mut labels.parameters_mut()[k].values;
            let number = *self.texts[k].entry(text.bytes.clone()).or_insert_with(|| {
                values.push(text.bytes.clone());
                values.len() as u32 - 1
            });
            if text.approximate {
                *approximate = Some(text);
            }
            self.known.insert(key, number);
            *entry = number;
        }
        Ok(())
    }

    /// The labels of all states, of which there are so many; none if nothing is
    /// known of any.
    pub fn finish(self, states: usize) -> Option<StateLabels> {
        let mut labels = self.labels?;
        while labels.states() < states {
            labels.push([]);
        }
        Some(labels)
    }
}
