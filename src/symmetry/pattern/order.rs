//! The order of labels that chooses representatives.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use hyades_formats::{LabelId, Lts};
use hyades_lts::tokens::{TokenSyntax, Tokens};

use super::error::PatternError;
use crate::template::{label_text, tokens_of};

/// A total order of labels (report SEN-R9918, Definition 6.8). What it does not
/// tell apart is ordered by tokens, from left to right, numbers by their size
/// and before other tokens; then by bytes.
#[derive(Clone, Debug)]
pub enum Order {
    /// By the first entry that fits a label, then as the entry says; labels that
    /// no entry fits come last.
    Entries {
        /// Lists of values that entries refer to.
        lists: Vec<ValueList>,
        /// The entries.
        entries: Vec<OrderEntry>,
    },
    /// The smallest first; labels that are not listed come last.
    Listed(Vec<Tokens>),
}

/// Values, the smallest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueList {
    /// Its name in the pattern file; `None` for one that stands where it is used.
    pub name: Option<String>,
    /// The values, each once.
    pub values: Vec<Box<[u8]>>,
}

/// Which labels come at some place of the order, and how they are ordered
/// among themselves.
#[derive(Clone, Debug)]
pub struct OrderEntry {
    /// As it is written.
    label: String,
    tokens: Vec<Element>,
    /// Whether any tokens may follow.
    open: bool,
    by: Vec<Significant>,
}

/// What a token of a label has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Element {
    Token(Box<[u8]>),
    Any,
    /// The value of `by[_]`.
    Variable(usize),
}

/// A variable by which labels are ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Significant {
    /// Its name, without `$`.
    pub variable: String,
    /// The index of the list of its values.
    pub list: usize,
    /// Whether the last value of the list is the smallest.
    pub descending: bool,
}

impl OrderEntry {
    /// An entry for labels that have the tokens of `label`, where `$NAME` is a
    /// variable, `$_` any token, and `$*` in the end any tokens, ordered by the
    /// variables in this sequence.
    ///
    /// # Errors
    /// If a variable is in one of both only, or `$*` is not the last.
    pub fn new(
        label: &str,
        by: Vec<Significant>,
        syntax: &TokenSyntax,
    ) -> Result<Self, PatternError> {
        let syntax = syntax.clone().with(b"$*");
        let mut tokens = Vec::new();
        let mut open = false;
        for token in syntax.tokens(label.as_bytes()) {
            if open {
                return Err(PatternError::new(
                    "tokens after `$*`; expected it at the end",
                ));
            }
            match token {
                b"$_" => tokens.push(Element::Any),
                b"$*" => open = true,
                [b'$', name @ ..] => {
                    let variable = by.iter().position(|b| b.variable.as_bytes() == name);
                    tokens.push(Element::Variable(variable.ok_or_else(|| {
                        let name = String::from_utf8_lossy(name);
                        PatternError::new(format!(
                            "no variable `{name}` in `by`; expected one, or `$_` for any token"
                        ))
                    })?));
                }
                _ => tokens.push(Element::Token(token.into())),
            }
        }
        for (k, b) in by.iter().enumerate() {
            let name = &b.variable;
            if by[..k].iter().any(|other| other.variable == *name) {
                return Err(PatternError::new(format!(
                    "`{name}` twice in `by`; expected once"
                )));
            }
            if !tokens.contains(&Element::Variable(k)) {
                return Err(PatternError::new(format!(
                    "no `${name}` in the label; expected each variable of `by` there"
                )));
            }
        }
        Ok(Self {
            label: label.to_owned(),
            tokens,
            open,
            by,
        })
    }

    /// The variables, the most significant first.
    pub fn by(&self) -> &[Significant] {
        &self.by
    }

    /// The place of a label among those of this entry; `None` if it does not
    /// fit.
    fn place(&self, tokens: &Tokens, lists: &[Places<'_>]) -> Option<Vec<u32>> {
        let long = tokens.0.len() > self.tokens.len();
        if tokens.0.len() < self.tokens.len() || long && !self.open {
            return None;
        }
        let mut values: Vec<Option<&[u8]>> = vec![None; self.by.len()];
        for (element, token) in self.tokens.iter().zip(&tokens.0) {
            let fits = match element {
                Element::Any => true,
                Element::Token(expected) => expected == token,
                Element::Variable(k) => *values[*k].get_or_insert(token) == &**token,
            };
            if !fits {
                return None;
            }
        }
        let places = self.by.iter().zip(values).map(|(by, value)| {
            let list = &lists[by.list];
            let place = *list.get(value?)?;
            Some(if by.descending {
                list.len() as u32 - 1 - place
            } else {
                place
            })
        });
        places.collect()
    }
}

/// The places of values in a list.
type Places<'a> = HashMap<&'a [u8], u32>;

impl Default for Order {
    fn default() -> Self {
        Order::Entries {
            lists: Vec::new(),
            entries: Vec::new(),
        }
    }
}

impl Order {
    /// The lists that entries refer to.
    pub fn lists(&self) -> &[ValueList] {
        match self {
            Order::Entries { lists, .. } => lists,
            Order::Listed(_) => &[],
        }
    }

    /// The same order with the values of its lists in another sequence:
    /// `places` has, for each list, the old places of the values.
    ///
    /// # Panics
    /// If these are no permutations of the lists.
    pub fn permuted(&self, places: &[Vec<u32>]) -> Self {
        let mut permuted = self.clone();
        if let Order::Entries { lists, .. } = &mut permuted {
            for ((list, old), places) in lists.iter_mut().zip(self.lists()).zip(places) {
                let values = places.iter().map(|&k| old.values[k as usize].clone());
                list.values = values.collect();
            }
        }
        permuted
    }

    /// The order as a text for [`Order::from_text`]: the labels of an LTS one a
    /// line. Of labels with the same tokens one is listed; those without tokens
    /// are left out.
    pub fn listing(&self, lts: &Lts, syntax: &TokenSyntax) -> Vec<u8> {
        let ranks = self.ranks(lts, syntax);
        let mut ids: Vec<LabelId> = (0..ranks.len() as u32).map(LabelId::new).collect();
        ids.sort_unstable_by_key(|id| ranks[id.index()]);
        let mut listed = HashSet::new();
        let mut text = Vec::new();
        let hidden = lts.labels().iter().any(|label| label.is_hidden());
        for id in ids {
            if id.is_hidden() && !hidden {
                continue;
            }
            let tokens = tokens_of(lts, id, syntax);
            if tokens.0.is_empty() || !listed.insert(tokens) {
                continue;
            }
            let label = label_text(lts, id);
            if label.starts_with(b"#") {
                // No comment.
                text.push(b' ');
            }
            text.extend_from_slice(label);
            text.push(b'\n');
        }
        text
    }

    /// The order that a text lists: one label a line, the smallest first. Lines
    /// that begin with `#`, and lines without tokens, do not count. O(text).
    ///
    /// # Errors
    /// If a label is listed twice; the place is that of the second.
    pub fn from_text(text: &[u8], syntax: &TokenSyntax) -> Result<Self, PatternError> {
        let mut known: HashMap<Tokens, usize, RandomState> = HashMap::default();
        let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
        for (k, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let tokens = Tokens::of(line, syntax);
            if line.starts_with(b"#") || tokens.0.is_empty() {
                continue;
            }
            match known.entry(tokens) {
                Entry::Vacant(entry) => {
                    entry.insert(k + 1);
                }
                Entry::Occupied(first) => {
                    return Err(PatternError {
                        place: Some((k + 1, 1)),
                        edge: None,
                        text: format!(
                            "`{}` is in line {} already; expected each label once",
                            first.key(),
                            first.get()
                        ),
                    });
                }
            }
        }
        let mut listed: Vec<(usize, Tokens)> = known.into_iter().map(|(t, k)| (k, t)).collect();
        listed.sort_unstable_by_key(|label| label.0);
        let listed = listed.into_iter().map(|label| label.1);
        Ok(Order::Listed(listed.collect()))
    }

    /// The entries, or listed labels, that fit no label of the LTS: mistakes, in
    /// most cases.
    pub fn idle(&self, lts: &Lts, syntax: &TokenSyntax) -> Vec<String> {
        let ids = (0..lts.table().len() as u32).map(LabelId::new);
        let mut labels = ids.map(|id| tokens_of(lts, id, syntax));
        match self {
            Order::Entries { lists, entries } => {
                let lists: Vec<Places> = lists.iter().map(|list| places(&list.values)).collect();
                let labels: Vec<Tokens> = labels.collect();
                let fits = |entry: &&OrderEntry| {
                    labels
                        .iter()
                        .any(|label| entry.place(label, &lists).is_some())
                };
                let idle = entries.iter().filter(|entry| !fits(entry));
                idle.map(|entry| entry.label.clone()).collect()
            }
            Order::Listed(listed) => {
                let mut idle: HashSet<&Tokens, RandomState> = listed.iter().collect();
                labels.all(|label| {
                    idle.remove(&label);
                    !idle.is_empty()
                });
                let listed = listed.iter().filter(|tokens| idle.contains(tokens));
                listed.map(Tokens::to_string).collect()
            }
        }
    }

    /// For each label of the LTS its place in the order, from 0 on. O(labels
    /// log labels), times the number of entries.
    pub fn ranks(&self, lts: &Lts, syntax: &TokenSyntax) -> Vec<u32> {
        let tokens: Vec<Tokens> = (0..lts.table().len() as u32)
            .map(|id| tokens_of(lts, LabelId::new(id), syntax))
            .collect();
        // What comes first, and the place there.
        let mut keys = vec![(u32::MAX, Vec::new()); tokens.len()];
        match self {
            Order::Entries { lists, entries } => {
                let lists: Vec<Places> = lists.iter().map(|list| places(&list.values)).collect();
                for (key, tokens) in keys.iter_mut().zip(&tokens) {
                    let fitting = entries
                        .iter()
                        .enumerate()
                        .find_map(|(k, entry)| Some((k as u32, entry.place(tokens, &lists)?)));
                    *key = fitting.unwrap_or((u32::MAX, Vec::new()));
                }
            }
            Order::Listed(listed) => {
                let listed: HashMap<&Tokens, u32, RandomState> = listed.iter().zip(0..).collect();
                for (key, tokens) in keys.iter_mut().zip(&tokens) {
                    key.0 = listed.get(tokens).copied().unwrap_or(u32::MAX);
                }
            }
        }
        let text = |at: usize| label_text(lts, LabelId::new(at as u32));
        let mut sorted: Vec<usize> = (0..tokens.len()).collect();
        sorted.sort_unstable_by(|&a, &b| {
            keys[a]
                .cmp(&keys[b])
                .then_with(|| compare_tokens(&tokens[a], &tokens[b]))
                .then_with(|| text(a).cmp(text(b)))
                // The hidden label and a visible one that reads the same.
                .then(a.cmp(&b))
        });
        let mut ranks = vec![0; tokens.len()];
        for (rank, &label) in sorted.iter().enumerate() {
            ranks[label] = rank as u32;
        }
        ranks
    }
}

fn places(values: &[Box<[u8]>]) -> Places<'_> {
    values.iter().map(|value| &**value).zip(0..).collect()
}

fn compare_tokens(a: &Tokens, b: &Tokens) -> Ordering {
    let pairs = a.0.iter().zip(&b.0);
    let mut different = pairs.map(|(a, b)| compare_values(a, b));
    different
        .find(|order| order.is_ne())
        .unwrap_or_else(|| a.0.len().cmp(&b.0.len()))
}

/// Numbers by their size and before other tokens.
fn compare_values(a: &[u8], b: &[u8]) -> Ordering {
    let number = |token: &[u8]| token.iter().all(u8::is_ascii_digit);
    match (number(a), number(b)) {
        (true, true) => {
            let zeros = |token: &[u8]| token.iter().take_while(|&&digit| digit == b'0').count();
            let (short_a, short_b) = (&a[zeros(a)..], &b[zeros(b)..]);
            let by_size = short_a.len().cmp(&short_b.len()).then(short_a.cmp(short_b));
            by_size.then(a.len().cmp(&b.len()))
        }
        (a_number, b_number) => b_number.cmp(&a_number).then_with(|| a.cmp(b)),
    }
}
