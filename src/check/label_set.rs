//! Which labels of a table action formulas without data match.
//!
//! Labels that a formula names are looked up by their texts, and few labels are kept as a
//! list: there may be thousands of both labels and actions, each about one label.

use std::cell::OnceCell;

use foldhash::{HashMap, HashMapExt};
use hyades_formats::{LabelId, LabelTable};

use crate::data::EvaluationError;
use crate::matching::{Bound, LabelText, matches};
use crate::sets::Nothing;
use crate::syntax::ActionFormula;

/// A set of labels of a table. Equal sets are equal values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LabelSet {
    /// These, or all but these, a [`FEW`]th of the table at most.
    Few(Listed),
    /// Of each label, whether it is one.
    Many(Vec<bool>),
}

/// A list of labels is so many times as short as the table.
const FEW: usize = if cfg!(test) { 3 } else { 64 };

/// These labels, ascending, or all but these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Listed {
    labels: Vec<LabelId>,
    is_inside: bool,
}

impl LabelSet {
    #[inline]
    pub fn contains(&self, label: LabelId) -> bool {
        match self {
            LabelSet::Few(listed) => listed.contains(label),
            LabelSet::Many(labels) => labels[label.index()],
        }
    }

    /// The labels that are in it, if they are few; ascending.
    pub fn few(&self) -> Option<&[LabelId]> {
        match self {
            LabelSet::Few(listed) if listed.is_inside => Some(&listed.labels),
            LabelSet::Few(_) | LabelSet::Many(_) => None,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.few().is_some_and(<[LabelId]>::is_empty)
    }

    /// The labels of a table of so many that are in it, ascending.
    pub fn to_vec(&self, len: usize) -> Vec<LabelId> {
        match self.few() {
            Some(few) => few.to_vec(),
            None => all(len).filter(|&label| self.contains(label)).collect(),
        }
    }

    fn of_listed(listed: Listed, len: usize) -> Self {
        match listed.labels.len() * FEW <= len {
            true => LabelSet::Few(listed),
            false => Self::of_each(all(len).map(|label| listed.contains(label)).collect()),
        }
    }

    /// Of each label, whether it is one.
    pub fn of_each(labels: Vec<bool>) -> Self {
        let inside = labels.iter().filter(|&&is_inside| is_inside).count();
        let is_inside = inside * FEW <= labels.len();
        if !is_inside && (labels.len() - inside) * FEW > labels.len() {
            return LabelSet::Many(labels);
        }
        let is_listed = |label: &LabelId| labels[label.index()] == is_inside;
        LabelSet::Few(Listed {
            labels: all(labels.len()).filter(is_listed).collect(),
            is_inside,
        })
    }
}

/// The labels of a table of so many.
fn all(len: usize) -> impl Iterator<Item = LabelId> {
    (0..len as u32).map(LabelId::new)
}

impl Listed {
    fn new(is_inside: bool, labels: Vec<LabelId>) -> Self {
        Self { labels, is_inside }
    }

    fn contains(&self, label: LabelId) -> bool {
        self.labels.binary_search(&label).is_ok() == self.is_inside
    }

    fn complement(self) -> Self {
        Self::new(!self.is_inside, self.labels)
    }

    /// What is in one of these at least.
    fn union(sets: Vec<Listed>) -> Self {
        let (inside, outside): (Vec<Listed>, Vec<Listed>) =
            sets.into_iter().partition(|set| set.is_inside);
        let mut labels: Vec<LabelId> = inside.into_iter().flat_map(|set| set.labels).collect();
        labels.sort_unstable();
        labels.dedup();
        let inside = Self::new(true, labels);
        let left = outside.into_iter().map(|set| set.labels).reduce(|a, b| {
            let (mut short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
            short.retain(|label| long.binary_search(label).is_ok());
            short
        });
        match left {
            None => inside,
            Some(mut left) => {
                left.retain(|&label| !inside.contains(label));
                Self::new(false, left)
            }
        }
    }

    /// What is in all of these.
    fn intersection(sets: Vec<Listed>) -> Self {
        let others = sets.into_iter().map(Listed::complement).collect();
        Self::union(others).complement()
    }
}

/// The labels of a table, as action formulas see them.
pub(crate) struct Labels<'t> {
    table: &'t LabelTable,
    /// Those with blanks around them, by their texts without.
    padded: OnceCell<HashMap<&'t [u8], Vec<LabelId>>>,
}

impl<'t> Labels<'t> {
    pub fn new(table: &'t LabelTable) -> Self {
        Self {
            table,
            padded: OnceCell::new(),
        }
    }

    /// All labels with their texts, in the order of the table.
    pub fn texts(&self) -> impl Iterator<Item = (LabelId, LabelText<'t>)> {
        let table = self.table;
        all(table.len()).map(|label| (label, LabelText::of(table, label)))
    }

    /// The formula of one label.
    pub fn exactly(&self, label: LabelId) -> ActionFormula {
        match label.is_hidden() {
            true => ActionFormula::Hidden,
            false => ActionFormula::Exactly(self.table.text(label).into()),
        }
    }

    /// The labels that an action formula without data matches.
    ///
    /// # Errors
    /// If it has no value for a label.
    pub fn matched(&self, formula: &ActionFormula) -> Result<LabelSet, EvaluationError> {
        if let Some(named) = self.named(formula) {
            return Ok(named);
        }
        let is_match = |(_, text)| matches(formula, text, &Nothing, &mut Bound::new());
        let each = self.texts().map(is_match).collect::<Result<_, _>>()?;
        Ok(LabelSet::of_each(each))
    }

    /// The same if the formula names each label that it is about, which takes
    /// O(|formula| log |formula|) and, once for all formulas, O(labels).
    pub fn named(&self, formula: &ActionFormula) -> Option<LabelSet> {
        let listed = self.listed(formula)?;
        Some(LabelSet::of_listed(listed, self.table.len()))
    }

    fn listed(&self, formula: &ActionFormula) -> Option<Listed> {
        let each = |operands: &[ActionFormula]| {
            let listed = operands.iter().map(|operand| self.listed(operand));
            listed.collect::<Option<Vec<Listed>>>()
        };
        Some(match formula {
            ActionFormula::Constant(value) => Listed::new(!value, Vec::new()),
            ActionFormula::Hidden => Listed::new(true, vec![LabelId::HIDDEN]),
            ActionFormula::Visible => Listed::new(false, vec![LabelId::HIDDEN]),
            ActionFormula::Label(text, _) => Listed::new(true, self.of_text(text.trim_ascii())),
            ActionFormula::Exactly(text) => {
                Listed::new(true, self.table.find(text).into_iter().collect())
            }
            ActionFormula::Not(operand) => self.listed(operand)?.complement(),
            ActionFormula::And(operands) => Listed::intersection(each(operands)?),
            ActionFormula::Or(operands) => Listed::union(each(operands)?),
            ActionFormula::Implies(operands) => {
                let [first, second] = &**operands;
                Listed::union(vec![self.listed(first)?.complement(), self.listed(second)?])
            }
            ActionFormula::Equivalent(operands) => {
                let [first, second] = &**operands;
                let (first, second) = (self.listed(first)?, self.listed(second)?);
                let none = [first.clone().complement(), second.clone().complement()];
                Listed::union(vec![
                    Listed::intersection(vec![first, second]),
                    Listed::intersection(none.into()),
                ])
            }
            ActionFormula::Pattern(..)
            | ActionFormula::Offers(_)
            | ActionFormula::MultiAction(..)
            | ActionFormula::Condition(_)
            | ActionFormula::Quantified(..) => return None,
        })
    }

    /// The labels with this text, but for blanks around it; ascending.
    fn of_text(&self, text: &[u8]) -> Vec<LabelId> {
        let padded = self.padded.get_or_init(|| {
            let mut padded: HashMap<&[u8], Vec<LabelId>> = HashMap::new();
            for (label, own) in self.table.visible() {
                let text = own.trim_ascii();
                if text.len() < own.len() {
                    padded.entry(text).or_default().push(label);
                }
            }
            padded
        });
        let hidden = (text == b"i").then_some(LabelId::HIDDEN);
        let mut labels: Vec<LabelId> = hidden.into_iter().chain(self.table.find(text)).collect();
        labels.extend(padded.get(text).into_iter().flatten());
        labels.sort_unstable();
        labels
    }
}
