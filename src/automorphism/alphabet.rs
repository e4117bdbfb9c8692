//! Labels as shapes filled with values.

use std::collections::{HashMap, HashSet, VecDeque};

use hyades_formats::{LabelTable, Lts, LtsParts, Offsets};
use hyades_lts::tokens::TokenSyntax;

/// The labels that occur in an LTS, taken apart: label 0 is the hidden one, the
/// others are numbered in the order of their bytes.
///
/// The *shape* of a label is what no permutation of values touches: its first
/// token and all that is not in tokens.
#[derive(Debug)]
pub(super) struct Alphabet {
    /// The tokens that occur behind the first one of a label, in their
    /// [`natural`] order.
    pub values: Vec<Box<[u8]>>,
    shape: Vec<u32>,
    /// Where each label's values start in `arguments`; an entry more at the end.
    starts: Vec<u32>,
    arguments: Vec<u32>,
    /// For each value the labels that it occurs in, each once.
    labels_of: Vec<Vec<u32>>,
    /// Labels by their shape and values.
    index: HashMap<Box<[u32]>, u32>,
}

impl Alphabet {
    /// Takes the texts of these labels apart; the hidden one comes before them.
    fn new(labels: &[&[u8]], syntax: &TokenSyntax) -> Self {
        let mut values: Vec<&[u8]> = labels
            .iter()
            .flat_map(|label| syntax.tokens(label).skip(1))
            .collect();
        values.sort_unstable_by(|a, b| natural(a).cmp(&natural(b)));
        values.dedup();
        let number: HashMap<&[u8], u32> = values.iter().copied().zip(0..).collect();

        let mut shapes: HashMap<Vec<u8>, u32> = HashMap::new();
        let mut shape = vec![0];
        let mut starts = vec![0, 0];
        let mut arguments = Vec::new();
        for label in labels {
            let mut first = true;
            // A shape cannot look like another: tokens cannot be in between.
            let text = syntax.replace(label, |token| match std::mem::replace(&mut first, false) {
                true => token,
                false => b"_",
            });
            let next = shapes.len() as u32 + 1;
            shape.push(*shapes.entry(text).or_insert(next));
            arguments.extend(syntax.tokens(label).skip(1).map(|token| number[token]));
            starts.push(arguments.len() as u32);
        }

        let mut alphabet = Self {
            labels_of: vec![Vec::new(); values.len()],
            values: values.into_iter().map(Box::from).collect(),
            index: HashMap::with_capacity(shape.len()),
            shape,
            starts,
            arguments,
        };
        for label in 0..alphabet.len() as u32 {
            let mut key = vec![alphabet.shape(label)];
            key.extend_from_slice(alphabet.arguments(label));
            for &value in &key[1..] {
                let labels = &mut alphabet.labels_of[value as usize];
                if labels.last() != Some(&label) {
                    labels.push(label);
                }
            }
            alphabet.index.insert(key.into(), label);
        }
        alphabet
    }

    /// How many labels there are, the hidden one included.
    pub fn len(&self) -> usize {
        self.shape.len()
    }

    pub fn shape(&self, label: u32) -> u32 {
        self.shape[label as usize]
    }

    /// The values of a label, from left to right.
    pub fn arguments(&self, label: u32) -> &[u32] {
        let label = label as usize;
        &self.arguments[self.starts[label] as usize..self.starts[label + 1] as usize]
    }

    /// The labels that a value occurs in.
    pub fn labels_of(&self, value: u32) -> &[u32] {
        &self.labels_of[value as usize]
    }

    /// For each label the one that a permutation of the values makes of it;
    /// `None` if it makes one that does not occur.
    pub fn permuted(&self, image: &[u32]) -> Option<Vec<u32>> {
        let mut key = Vec::new();
        let permuted = |label: u32| self.mapped(label, |v| image[v as usize], &mut key);
        (0..self.len() as u32).map(permuted).collect()
    }

    /// The label with the images of its values, if it occurs; `key` is memory.
    pub fn mapped(
        &self,
        label: u32,
        image: impl Fn(u32) -> u32,
        key: &mut Vec<u32>,
    ) -> Option<u32> {
        key.clear();
        key.push(self.shape(label));
        key.extend(self.arguments(label).iter().map(|&v| image(v)));
        self.index.get(key.as_slice()).copied()
    }
}

/// What orders values: numbers by size and before words, words by bytes.
pub(super) fn natural(value: &[u8]) -> (bool, usize, &[u8]) {
    let number = value.iter().all(u8::is_ascii_digit) && (value[0] != b'0' || value.len() == 1);
    (!number, if number { value.len() } else { 0 }, value)
}

/// An LTS that is reachable, minimal and without duplicates, over an
/// [`Alphabet`]. Each row is sorted by label and target.
#[derive(Debug)]
pub(super) struct System {
    pub alphabet: Alphabet,
    /// The texts of the labels, by their numbers in the alphabet.
    pub texts: Vec<Box<[u8]>>,
    pub initial: u32,
    pub offsets: Offsets,
    pub labels: Vec<u32>,
    pub targets: Vec<u32>,
}

impl System {
    /// The system of an LTS minimised by strong bisimilarity.
    pub fn new(minimal: Lts, syntax: &TokenSyntax) -> Self {
        let LtsParts {
            initial,
            offsets,
            labels,
            targets,
            table,
        } = minimal.into_parts();
        let mut used = vec![false; table.len()];
        labels.iter().for_each(|label| used[label.index()] = true);
        let (texts, number) = numbered(&table, &used);
        let alphabet = Alphabet::new(&texts, syntax);
        let mut system = Self {
            alphabet,
            texts: std::iter::once(b"i".as_slice())
                .chain(texts)
                .map(Box::from)
                .collect(),
            initial: initial.get(),
            offsets,
            labels: labels.into_iter().map(|l| number[l.index()]).collect(),
            targets: targets.into_iter().map(|t| t.get()).collect(),
        };
        system.sort();
        system
    }

    pub fn states(&self) -> usize {
        self.offsets.rows()
    }

    pub fn row(&self, state: u32) -> std::ops::Range<usize> {
        self.offsets.row(state as usize)
    }

    pub fn has(&self, source: u32, label: u32, target: u32) -> bool {
        let row = self.row(source);
        let labels = &self.labels[row.clone()];
        let run = labels.partition_point(|&l| l < label)..labels.partition_point(|&l| l <= label);
        self.targets[row][run].binary_search(&target).is_ok()
    }

    /// For each value how many transitions come before the first one with it in a
    /// breadth-first search. O(transitions) time, less if all values come early.
    pub fn first_seen(&self) -> Vec<u64> {
        const NEVER: u64 = u64::MAX;
        let mut seen = vec![NEVER; self.alphabet.values.len()];
        let mut missing = seen.len();
        let mut found = vec![false; self.states()];
        found[self.initial as usize] = true;
        let mut queue = VecDeque::from([self.initial]);
        let mut before = 0;
        while missing > 0 {
            let source = queue.pop_front().expect("all values are on transitions");
            for k in self.row(source) {
                for &value in self.alphabet.arguments(self.labels[k]) {
                    if seen[value as usize] == NEVER {
                        seen[value as usize] = before;
                        missing -= 1;
                    }
                }
                before += 1;
                let target = self.targets[k];
                if !std::mem::replace(&mut found[target as usize], true) {
                    queue.push_back(target);
                }
            }
        }
        seen
    }

    /// The labels of a shortest path from the initial state to each of these
    /// states. O(transitions) time; 8 bytes a state.
    pub fn shortest_paths(&self, states: &[u32]) -> Vec<Vec<u32>> {
        const NONE: u32 = u32::MAX;
        // The step by which each state was found, and its source.
        let mut found = vec![(NONE, NONE); self.states()];
        let mut order = vec![self.initial];
        found[self.initial as usize].1 = self.initial;
        let mut next = 0;
        let mut missing: HashSet<u32> = states.iter().copied().collect();
        missing.remove(&self.initial);
        while !missing.is_empty() {
            // All states are reachable.
            let source = order[next];
            next += 1;
            for k in self.row(source) {
                let target = self.targets[k];
                let step = &mut found[target as usize];
                if step.1 == NONE {
                    *step = (k as u32, source);
                    order.push(target);
                    missing.remove(&target);
                }
            }
        }
        let path = |&state: &u32| {
            let mut labels = Vec::new();
            let mut at = state;
            while at != self.initial {
                let (k, source) = found[at as usize];
                labels.push(self.labels[k as usize]);
                at = source;
            }
            labels.reverse();
            labels
        };
        states.iter().map(path).collect()
    }

    /// Rows of a quotient are sorted by the bytes of labels, with the hidden one
    /// among them: it has to go to the front.
    fn sort(&mut self) {
        let mut row = Vec::new();
        for s in 0..self.states() as u32 {
            let range = self.row(s);
            let labels = &mut self.labels[range.clone()];
            if labels.is_sorted() {
                continue;
            }
            let targets = &mut self.targets[range];
            row.clear();
            row.extend(labels.iter().copied().zip(targets.iter().copied()));
            row.sort_unstable();
            for (k, &(l, t)) in row.iter().enumerate() {
                (labels[k], targets[k]) = (l, t);
            }
        }
    }
}

/// The texts of the used visible labels, sorted, and for each label of the table
/// its number among them, counted from 1.
fn numbered<'a>(table: &'a LabelTable, used: &[bool]) -> (Vec<&'a [u8]>, Vec<u32>) {
    let mut texts: Vec<_> = table.visible().filter(|(l, _)| used[l.index()]).collect();
    texts.sort_unstable_by_key(|&(_, text)| text);
    let mut number = vec![0; table.len()];
    for (k, (label, _)) in texts.iter().enumerate() {
        number[label.index()] = k as u32 + 1;
    }
    (texts.into_iter().map(|(_, text)| text).collect(), number)
}
