//! Test purposes: automata that accept or refuse what a specification does.

use std::fmt;

use hyades_formats::diagnostic::excerpt;
use hyades_formats::{LabelId, LabelTable, Lts, StateId};
use hyades_lts::pattern::{LabelPattern, PatternError, PatternSet};

/// What a state of a purpose says of what has led to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Nothing yet.
    Open,
    /// The purpose is reached; a trap.
    Accepting,
    /// It is not to be reached like that; a trap.
    Refusing,
}

/// What a transition of a purpose is taken with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Guard {
    /// With the labels that a pattern matches.
    Pattern(usize),
    /// With the hidden action.
    Hidden,
    /// With each label that no other transition of the state is taken with.
    Otherwise,
}

/// A test purpose over the labels of a specification.
///
/// It is an LTS whose labels are regular expressions of POSIX (basic), each matching all
/// of a label; `*` is for each label that no other transition of the state is for, the
/// hidden action included, and `i` is the hidden action. A loop `ACCEPT` (`accept`)
/// makes a state accepting, a loop `REFUSE` (`refuse`) refusing; other transitions of
/// such states mean nothing. A state without `*` stays where it is with all other
/// labels. Where several transitions are possible, the purpose accepts what one of
/// the runs accepts.
#[derive(Clone, Debug)]
pub struct TestPurpose {
    initial: u32,
    kinds: Vec<Kind>,
    rows: Vec<Vec<(Guard, u32)>>,
    /// For each pattern, the labels of the specification that it matches, ascending.
    matches: Vec<Vec<LabelId>>,
    /// The patterns, as they were written.
    sources: Vec<Vec<u8>>,
}

/// Why an LTS is not a test purpose.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PurposeError {
    /// No state is accepting.
    NoAccepting,
    /// A state is both accepting and refusing.
    Both(StateId),
    /// A transition with a label of this kind is no loop.
    NoLoop(StateId, String),
    /// A label is no regular expression.
    Pattern(Vec<u8>, PatternError),
}

impl fmt::Display for PurposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PurposeError::NoAccepting => write!(
                f,
                "the test purpose has no accepting state: expected a loop ACCEPT in at least one"
            ),
            PurposeError::Both(state) => write!(
                f,
                "state {state} of the test purpose has a loop ACCEPT and a loop REFUSE: expected \
                 one of them"
            ),
            PurposeError::NoLoop(state, label) => write!(
                f,
                "a transition {label} leads from state {state} of the test purpose to another \
                 state: expected a loop, which makes the state accepting or refusing"
            ),
            PurposeError::Pattern(text, error) => {
                write!(f, "label {} of the test purpose: {error}", excerpt(text))
            }
        }
    }
}

impl std::error::Error for PurposeError {}

impl TestPurpose {
    /// The purpose that an LTS is, for a specification with these labels.
    ///
    /// Labels without operators are looked up; all others are matched with each label of the
    /// specification, several at once.
    ///
    /// # Errors
    /// If it is none.
    pub fn new(purpose: &Lts, labels: &LabelTable) -> Result<Self, PurposeError> {
        let mut kinds = vec![Kind::Open; purpose.states()];
        let mut rows = vec![Vec::new(); purpose.states()];
        let mut patterns: Vec<Option<usize>> = vec![None; purpose.table().len()];
        let mut compiled = Vec::new();
        for (source, label, target) in purpose.iter() {
            let text = purpose.table().text(label);
            let kind = match text {
                b"ACCEPT" | b"accept" => Kind::Accepting,
                b"REFUSE" | b"refuse" => Kind::Refusing,
                _ => Kind::Open,
            };
            if kind != Kind::Open {
                if source != target {
                    let label = String::from_utf8_lossy(text).into_owned();
                    return Err(PurposeError::NoLoop(source, label));
                }
                let old = std::mem::replace(&mut kinds[source.index()], kind);
                if old != Kind::Open && old != kind {
                    return Err(PurposeError::Both(source));
                }
                continue;
            }
            let guard = match text {
                _ if label.is_hidden() => Guard::Hidden,
                b"*" => Guard::Otherwise,
                _ => Guard::Pattern(match patterns[label.index()] {
                    Some(pattern) => pattern,
                    None => {
                        let pattern = LabelPattern::whole(text);
                        compiled
                            .push(pattern.map_err(|e| PurposeError::Pattern(text.to_vec(), e))?);
                        *patterns[label.index()].insert(compiled.len() - 1)
                    }
                }),
            };
            rows[source.index()].push((guard, target.get()));
        }
        if !kinds.contains(&Kind::Accepting) {
            return Err(PurposeError::NoAccepting);
        }
        let mut matches = vec![Vec::new(); compiled.len()];
        let mut others = Vec::new();
        for (number, pattern) in compiled.iter().enumerate() {
            match pattern.literal() {
                Some(text) => matches[number].extend(labels.find(text)),
                None => others.push(number),
            }
        }
        let set = PatternSet::new(others.iter().map(|&number| &compiled[number]));
        for (label, text) in labels.visible() {
            let pattern = |k: usize| &compiled[others[k]];
            for k in set.matches(text, others.len(), |_| true, pattern) {
                matches[others[k]].push(label);
            }
        }
        Ok(Self {
            initial: purpose.initial().get(),
            kinds,
            rows,
            matches,
            sources: compiled.iter().map(|p| p.source().to_vec()).collect(),
        })
    }

    /// The labels that match none of the specification's, as they are written.
    pub fn unmatched(&self) -> impl Iterator<Item = &[u8]> {
        let all = self.sources.iter().zip(&self.matches);
        all.filter(|(_, matches)| matches.is_empty())
            .map(|(source, _)| &source[..])
    }

    /// The state that it begins in.
    pub(super) fn initial(&self) -> u32 {
        self.initial
    }

    /// Whether a state is accepting.
    pub(super) fn accepts(&self, state: u32) -> bool {
        self.kinds[state as usize] == Kind::Accepting
    }

    /// Whether a state is refusing.
    pub(super) fn refuses(&self, state: u32) -> bool {
        self.kinds[state as usize] == Kind::Refusing
    }

    /// Hands over the states that a label of the specification leads to, some perhaps
    /// more than once. O(transitions of the state).
    pub(super) fn step(&self, state: u32, label: LabelId, mut to: impl FnMut(u32)) {
        if self.kinds[state as usize] != Kind::Open {
            return to(state);
        }
        let row = &self.rows[state as usize];
        let mut is_taken = false;
        for &(guard, target) in row {
            let is_for_it = match guard {
                Guard::Pattern(pattern) => self.matches[pattern].binary_search(&label).is_ok(),
                Guard::Hidden => label.is_hidden(),
                Guard::Otherwise => false,
            };
            if is_for_it {
                is_taken = true;
                to(target);
            }
        }
        if is_taken {
            return;
        }
        let mut others = row.iter().filter(|(guard, _)| *guard == Guard::Otherwise);
        match others.next() {
            None => to(state),
            Some(&(_, first)) => {
                to(first);
                others.for_each(|&(_, target)| to(target));
            }
        }
    }
}
