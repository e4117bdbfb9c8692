//! Rules and what they make of a label.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use foldhash::fast::RandomState;
use hyades_formats::Position;
use hyades_formats::diagnostic::{Log, Severity, excerpt};
use hyades_formats::label::{self, MultiAction};
use hyades_formats::named;

use crate::pattern::{LabelPattern, PatternError, PatternSet, why_unmatched};

/// What rules do with the labels that they match.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// They become the hidden action.
    Hide,
    /// Their transitions are removed.
    Cut,
    /// They get another text.
    Rename,
}

named! {
    Action:
    Hide = "hide",
    Cut = "cut",
    Rename = "rename",
}

impl Action {
    /// How the action may match labels.
    pub const fn modes(self) -> &'static [Matching] {
        match self {
            Action::Hide | Action::Cut => &[Matching::Total, Matching::Gate, Matching::Partial],
            Action::Rename => &[
                Matching::Total,
                Matching::Gate,
                Matching::Single,
                Matching::Multiple,
            ],
        }
    }
}

/// What a pattern is held against.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Matching {
    /// The whole label, which is replaced by renaming.
    #[default]
    Total,
    /// The whole gate of a label, which is replaced by renaming; the offers
    /// stay as they are.
    Gate,
    /// Any part of a label; for hiding and cutting.
    Partial,
    /// The leftmost longest part that matches, which is replaced.
    Single,
    /// All parts that match, from left to right without overlapping, each of
    /// which is replaced. As in `sed`, nothing is found directly behind a part
    /// that was replaced.
    Multiple,
}

named! {
    Matching:
    Total = "total",
    Gate = "gate",
    Partial = "partial",
    Single = "single",
    Multiple = "multiple",
}

impl Matching {
    fn compile(self, pattern: &[u8]) -> Result<LabelPattern, PatternError> {
        match self {
            Matching::Total | Matching::Gate => LabelPattern::whole(pattern),
            Matching::Partial | Matching::Single | Matching::Multiple => {
                LabelPattern::within(pattern)
            }
        }
    }

    /// The part of a label that patterns look at.
    fn subject(self, label: &[u8]) -> &[u8] {
        match self {
            Matching::Gate => label::gate(label),
            Matching::Total | Matching::Partial | Matching::Single | Matching::Multiple => label,
        }
    }
}

/// What rules make of a visible label.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome<'a> {
    /// It stays, with this text: its own, or another one, which may be that of
    /// the hidden action.
    Label(Cow<'a, [u8]>),
    /// It becomes the hidden action.
    Hidden,
    /// Its transitions are removed.
    Cut,
}

/// Part of a right side.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(Vec<u8>),
    /// What this group holds.
    Group(usize),
}

/// One line: a pattern, and for renaming a right side.
#[derive(Debug)]
struct Rule {
    pattern: LabelPattern,
    right: Vec<Piece>,
    /// As the user wrote it, for messages.
    text: Vec<u8>,
    position: Option<Position>,
    /// Whether a label has matched.
    matched: AtomicBool,
}

/// Which labels rules that hide or cut are about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// Those that match one of them.
    #[default]
    Matching,
    /// Those that match none: `all but` in rule files.
    AllBut,
}

/// Rules that are applied to labels together: for each label, the first rule
/// that matches counts, and only that.
///
/// Patterns without special characters are looked up at once; some hundred others
/// at a time share an automaton (see [`PatternSet`]).
#[derive(Debug)]
pub struct Rules {
    action: Action,
    matching: Matching,
    scope: Scope,
    /// Each action of a multi-action counts by itself.
    by_action: bool,
    rules: Vec<Rule>,
    /// The first rule for each text without special characters.
    literals: HashMap<Vec<u8>, usize, RandomState>,
    /// The other rules.
    others: Vec<usize>,
    /// The patterns of the other rules, as soon as a label asks for them.
    set: OnceLock<PatternSet>,
}

/// Why a rule is not accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RuleError {
    /// Its pattern, or left side.
    Pattern(PatternError),
    /// Its right side: at which byte, from 1, and what is wrong there.
    Right(usize, String),
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleError::Pattern(error) => error.fmt(f),
            RuleError::Right(column, message) => {
                write!(f, "right side, column {column}: {message}")
            }
        }
    }
}

impl std::error::Error for RuleError {}

impl Rules {
    /// No rules yet. Renaming is of what matches, whatever the scope.
    ///
    /// # Panics
    /// If the action cannot match labels this way; see [`Action::modes`].
    pub fn new(action: Action, matching: Matching, scope: Scope) -> Self {
        assert!(action.modes().contains(&matching), "{action} {matching}");
        Self {
            action,
            matching,
            scope: match action {
                Action::Rename => Scope::Matching,
                Action::Hide | Action::Cut => scope,
            },
            by_action: false,
            rules: Vec::new(),
            literals: HashMap::default(),
            others: Vec::new(),
            set: OnceLock::new(),
        }
    }

    /// Rules that hide the labels with these gates, whatever their offers. Out of a
    /// multi-action of mCRL2, `a(1)|b`, the actions with these names go (see
    /// [`label::multi_action`]): what is left of `a(1)|b` without `a` is `b`, and of
    /// `a(1)|b @ 3` it is `b @ 3`; a label without actions is the hidden one.
    ///
    /// # Errors
    /// If a name is too long for a [`LabelPattern`].
    pub fn of_gates<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, RuleError> {
        let mut rules = Self::new(Action::Hide, Matching::Gate, Scope::Matching);
        rules.by_action = true;
        for name in names {
            let special = |b: &u8| b".[*^$\\".contains(b);
            let mut pattern = Vec::with_capacity(name.len());
            for byte in name {
                pattern.extend(special(byte).then_some(b'\\'));
                pattern.push(*byte);
            }
            rules.push(&pattern, b"", None)?;
        }
        Ok(rules)
    }

    /// The texts of the rules without special characters that have matched no label
    /// so far, in their order, each once.
    pub fn unused_texts(&self) -> impl Iterator<Item = &[u8]> {
        let rules = self.rules.iter().enumerate();
        rules.filter_map(|(number, rule)| {
            let text = rule.pattern.literal()?;
            let is_first = self.literals.get(text) == Some(&number);
            (is_first && !rule.matched.load(Ordering::Relaxed)).then_some(text)
        })
    }

    /// What is done with labels that match.
    pub fn action(&self) -> Action {
        self.action
    }

    /// What patterns are held against.
    pub fn matching(&self) -> Matching {
        self.matching
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Adds a rule: a pattern, and a right side for renaming (which has no
    /// effect otherwise), without the quotes that files may have around them.
    /// `position` is where it stands, for warnings.
    ///
    /// # Errors
    /// If one of the sides is malformed.
    pub fn push(
        &mut self,
        pattern: &[u8],
        right: &[u8],
        position: Option<Position>,
    ) -> Result<(), RuleError> {
        let compiled = self.matching.compile(pattern).map_err(RuleError::Pattern)?;
        let mut text = pattern.to_vec();
        let mut pieces = Vec::new();
        if self.action == Action::Rename {
            pieces = right_side(right, compiled.group_count())?;
            text.extend_from_slice(b" -> ");
            text.extend_from_slice(right);
        }
        let number = self.rules.len();
        match compiled.literal() {
            Some(literal) => {
                self.literals.entry(literal.to_vec()).or_insert(number);
            }
            None => {
                self.others.push(number);
                self.set.take();
            }
        }
        self.rules.push(Rule {
            pattern: compiled,
            right: pieces,
            text,
            position,
            matched: AtomicBool::new(false),
        });
        Ok(())
    }

    /// The first rule that matches, by its number.
    fn first_match(&self, label: &[u8]) -> Option<usize> {
        let subject = self.matching.subject(label);
        let literal = match self.literals.is_empty() {
            true => None,
            false => self.literals.get(subject).copied(),
        };
        if let Some(rule) = literal {
            self.rules[rule].matched.store(true, Ordering::Relaxed);
        }
        let end = literal.map_or(self.others.len(), |literal| {
            self.others.partition_point(|&rule| rule < literal)
        });
        let other = self.others_that_match(subject, end, |_| true).next();
        if let Some(rule) = other {
            self.rules[rule].matched.store(true, Ordering::Relaxed);
        }
        other.or(literal)
    }

    /// Of the other rules, the numbers of those that match, ascending; of the first
    /// `end` of them, where one is wanted (see [`PatternSet::matches`]).
    fn others_that_match<'a>(
        &'a self,
        subject: &'a [u8],
        end: usize,
        wanted: impl Fn(&[usize]) -> bool + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let pattern = |k: usize| &self.rules[self.others[k]].pattern;
        let wanted = move |range: Range<usize>| wanted(&self.others[range]);
        let found = self.set().matches(subject, end, wanted, pattern);
        found.map(|k| self.others[k])
    }

    /// The patterns of the other rules.
    fn set(&self) -> &PatternSet {
        let patterns = self.others.iter().map(|&rule| &self.rules[rule].pattern);
        self.set.get_or_init(|| PatternSet::new(patterns))
    }

    /// Whether the rules are about a visible label: one of them matches it, or,
    /// for rules with `all but`, none does.
    pub fn concern(&self, label: &[u8]) -> bool {
        match self.scope {
            Scope::Matching => self.first_match(label).is_some(),
            Scope::AllBut => self.first_match(label).is_none(),
        }
    }

    /// What becomes of a visible label.
    ///
    /// O(length of the label) for each automaton that is asked; for a rule that
    /// replaces parts, or whose right side refers to groups, times the length of its
    /// pattern.
    pub fn apply<'a>(&self, label: &'a [u8]) -> Outcome<'a> {
        let same = Outcome::Label(Cow::Borrowed(label));
        match self.action {
            Action::Rename => match self.first_match(label) {
                Some(rule) => Outcome::Label(self.renamed(rule, label).into()),
                None => same,
            },
            Action::Hide if self.by_action => match label::multi_action(label) {
                Some(multi) => self.without(&multi, label),
                None if self.concern(label) => Outcome::Hidden,
                None => same,
            },
            Action::Hide if self.concern(label) => Outcome::Hidden,
            Action::Cut if self.concern(label) => Outcome::Cut,
            Action::Hide | Action::Cut => same,
        }
    }

    /// What is left of a multi-action without the actions that rules match.
    fn without<'a>(&self, multi: &MultiAction<'_>, label: &'a [u8]) -> Outcome<'a> {
        let actions = multi.actions.iter().copied();
        let left: Vec<&[u8]> = actions.filter(|action| !self.concern(action)).collect();
        match left.len() {
            0 => Outcome::Hidden,
            kept if kept == multi.actions.len() => Outcome::Label(Cow::Borrowed(label)),
            _ => Outcome::Label([&left.join(&b'|'), multi.time].concat().into()),
        }
    }

    /// The new text of a label that a rule matches.
    fn renamed(&self, number: usize, label: &[u8]) -> Vec<u8> {
        let rule = &self.rules[number];
        let subject = self.matching.subject(label);
        let mut text = Vec::new();
        match self.matching {
            Matching::Total | Matching::Gate => {
                rule.push_right(subject, 0..subject.len(), &mut text);
                text.extend_from_slice(&label[subject.len()..]);
                return text;
            }
            Matching::Partial | Matching::Single | Matching::Multiple => {}
        }
        // What is before `done` has been dealt with.
        let (mut done, mut from) = (0, 0);
        // Only where all of a subject has to match are there rules without special
        // characters; these are not among the others.
        let finder = match self.others.binary_search(&number) {
            Ok(other) => self.set().finder(other, &rule.pattern, label),
            Err(_) => rule.pattern.finder(label),
        };
        while let Some(found) = finder.find(from) {
            if found.is_empty() && from > 0 && found.start == done && from == done {
                // Nothing, directly behind what has been replaced.
                from += 1;
            } else {
                text.extend_from_slice(&label[done..found.start]);
                done = found.end;
                from = found.end + usize::from(found.is_empty());
                rule.push_right(label, found, &mut text);
            }
            if self.matching == Matching::Single || from > label.len() {
                break;
            }
        }
        text.extend_from_slice(&label[done..]);
        text
    }

    /// Reports the rules that match none of `labels`, to which they have all
    /// been applied before. Those that another rule was faster to match then are
    /// looked at again; those that [`Rules::report_offers`] is about are not reported
    /// again, nor those at the places of which more has been `told`. What is reported says what
    /// was probably meant (see [`why_unmatched`]).
    pub fn report_unused<'a>(
        &self,
        labels: impl Iterator<Item = &'a [u8]> + Clone,
        told: &[Position],
        log: &mut Log,
    ) {
        let is_known = |rule: &Rule| rule.matched.load(Ordering::Relaxed);
        let is_open = |others: &[usize]| others.iter().any(|&k| !is_known(&self.rules[k]));
        for label in labels.clone() {
            if !is_open(&self.others) {
                break;
            }
            let subject = self.matching.subject(label);
            let end = self.others.len();
            for rule in self.others_that_match(subject, end, is_open) {
                self.rules[rule].matched.store(true, Ordering::Relaxed);
            }
        }
        for rule in &self.rules {
            // Rules for the same text are one in the table.
            let same = rule.pattern.literal().and_then(|l| self.literals.get(l));
            if is_known(same.map_or(rule, |&first| &self.rules[first])) || self.has_offers(rule) {
                continue;
            }
            if rule.position.is_some_and(|at| told.contains(&at)) {
                continue;
            }
            log.add(Severity::Warning, "rule-unused", rule.position, || {
                let text = excerpt(&rule.text);
                let hint = self.hint(rule, labels.clone());
                format!("{} {text}: no label matches{hint}", self.action)
            });
        }
    }

    /// What was probably meant by a rule that matches none of these labels.
    fn hint<'a>(&self, rule: &Rule, labels: impl Iterator<Item = &'a [u8]> + Clone) -> String {
        let noun = match self.matching {
            Matching::Gate => "gate",
            Matching::Total | Matching::Partial | Matching::Single | Matching::Multiple => "label",
        };
        let subjects = labels.clone().map(|label| self.matching.subject(label));
        let Some(why) = why_unmatched(rule.pattern.source(), noun, subjects) else {
            return String::new();
        };
        let mut gates = labels.map(label::gate);
        let is_total = self.matching == Matching::Total;
        let by_gate = match is_total && gates.any(|gate| rule.pattern.is_match(gate)) {
            true => ", or match gates only",
            false => "",
        };
        format!(": {why}{by_gate}")
    }

    /// The rule that is for this text alone and has matched nothing so far: where it is, and
    /// what it was written as. Nothing if the rules are about all labels but those that match,
    /// or match parts of labels.
    pub fn unmatched(&self, text: &[u8]) -> Option<(Option<Position>, &[u8])> {
        match (self.scope, self.matching) {
            (Scope::Matching, Matching::Total | Matching::Gate) => {}
            (Scope::AllBut, _) | (_, Matching::Partial | Matching::Single | Matching::Multiple) => {
                return None;
            }
        }
        let rule = &self.rules[*self.literals.get(text)?];
        let is_matched = rule.matched.load(Ordering::Relaxed);
        (!is_matched).then_some((rule.position, &rule.text[..]))
    }

    /// Whether a pattern cannot match a gate, for it holds a character that ends one.
    fn has_offers(&self, rule: &Rule) -> bool {
        self.matching == Matching::Gate && rule.pattern.always_has(b"!?( \t")
    }

    /// Reports the patterns that cannot match a gate, for they hold a character
    /// that ends one.
    pub fn report_offers(&self, log: &mut Log) {
        for rule in &self.rules {
            if self.has_offers(rule) {
                log.add(Severity::Warning, "rule-offers", rule.position, || {
                    format!("{} {}: {NO_GATE}", self.action, excerpt(&rule.text))
                });
            }
        }
    }
}

/// Why a pattern matches no gate that has a character which ends one.
pub const NO_GATE: &str = "a gate ends before the first blank, `!`, `?` or `(`, so that none can \
                           match";

impl Rule {
    /// Appends the right side for a match.
    fn push_right(&self, text: &[u8], found: std::ops::Range<usize>, out: &mut Vec<u8>) {
        let refers = self.right.iter().any(|p| matches!(p, Piece::Group(_)));
        let groups = match refers {
            true => self.pattern.groups(text, found),
            false => Vec::new(),
        };
        for piece in &self.right {
            match piece {
                Piece::Text(piece) => out.extend_from_slice(piece),
                Piece::Group(number) => {
                    if let Some(group) = &groups[*number] {
                        out.extend_from_slice(&text[group.clone()]);
                    }
                }
            }
        }
    }
}

/// Reads a right side: `\1` to `\9` are groups, a backslash takes the meaning
/// from other punctuation, everything else stands for itself.
fn right_side(text: &[u8], groups: usize) -> Result<Vec<Piece>, RuleError> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut bytes = text.iter().enumerate();
    while let Some((at, &byte)) = bytes.next() {
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let error = |message: String| Err(RuleError::Right(at + 1, message));
        match bytes.next() {
            None => return error("'\\' at the end".into()),
            Some((_, &digit @ b'1'..=b'9')) => {
                let number = usize::from(digit - b'0');
                if number > groups {
                    return error(format!(
                        "'\\{number}', but the left side has {groups} groups '\\(…\\)'"
                    ));
                }
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(Piece::Group(number));
            }
            Some((_, byte)) if byte.is_ascii_punctuation() => plain.push(*byte),
            Some(_) => {
                return error("only '1' to '9' and punctuation may follow '\\'".into());
            }
        }
    }
    pieces.push(Piece::Text(plain));
    Ok(pieces)
}
