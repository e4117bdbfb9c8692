//! What may be hidden in one of two inputs and visible in the other, which can be all
//! that makes them different.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;

use hyades_formats::diagnostic::{printable_path, printable_string};
use hyades_formats::{Format, LabelId, LabelTable, Lts};
use hyades_lts::label_counts;
use hyades_lts::relabel::{Outcome, Rules};

use super::any_model::{AnyModel, Given};
use super::session::Session;

/// What hidden actions read like in some formats.
pub(super) const SPELLINGS: [&str; 2] = ["i", "tau"];

/// The labels that occur in an input.
pub struct Alphabet<'a> {
    name: String,
    /// Whether the file says itself what is hidden, whatever it reads.
    tells_hidden: bool,
    labels: &'a LabelTable,
    /// Which of them occur, by their numbers.
    occurs: Vec<bool>,
}

/// Tells of labels that are renamed to what the hidden action reads like in other formats than
/// that of the input, where it reads as one of `hidden`: they stay visible. `is_made` tells
/// whether a text becomes a label.
pub fn tell_visible(session: &Session, hidden: &[Vec<u8>], is_made: impl Fn(&str) -> bool) {
    for text in SPELLINGS {
        let is_visible = hidden.iter().all(|hidden| hidden != text.as_bytes());
        if is_visible && is_made(text) {
            let hidden: Vec<_> = hidden.iter().map(|text| printable_string(text)).collect();
            let hidden = hidden.join("` or `");
            session.note(format_args!(
                "labels that are renamed to `{text}` stay visible, as the hidden action of the \
                 input reads `{hidden}`: rename them to `{hidden}`, or give --hide-label, to hide \
                 them"
            ));
        }
    }
}

impl<'a> Alphabet<'a> {
    /// That of an LTS from a file in this format. O(transitions + labels).
    pub fn of_lts(path: &Path, lts: &'a Lts, format: Format) -> Self {
        let counts = label_counts(lts);
        let occurs = counts.into_iter().map(|count| count > 0).collect();
        Self::of_table(path, lts.table(), occurs, format)
    }

    /// That of a file in this format with these labels, of which it is known which occur.
    pub fn of_table(
        path: &Path,
        labels: &'a LabelTable,
        occurs: Vec<bool>,
        format: Format,
    ) -> Self {
        Self {
            name: printable_path(path),
            tells_hidden: format.tells_hidden(),
            labels,
            occurs,
        }
    }

    /// That of what is given, which was read in this format if it is an LTS; of a
    /// network, the labels that it may have. `None` if they come only as it is
    /// explored.
    pub fn of(path: &Path, given: &'a Given, format: Option<Format>) -> Option<Self> {
        match given {
            Given::Model(AnyModel::Lts(lts)) => Some(Self::of_lts(path, lts, format?)),
            Given::Network(network) => {
                let mut occurs = vec![true; network.labels().len()];
                occurs[LabelId::HIDDEN.index()] =
                    network.roots().iter().any(|(label, _)| label.is_hidden());
                Some(Self {
                    name: printable_path(path),
                    tells_hidden: Format::Exp.tells_hidden(),
                    labels: network.labels(),
                    occurs,
                })
            }
            Given::Model(_) | Given::System(..) => None,
        }
    }

    /// The visible labels that occur.
    fn texts(&self) -> BTreeSet<&[u8]> {
        let visible = self.labels.visible();
        let texts = visible.filter(|(label, _)| self.occurs[label.index()]);
        texts.map(|(_, text)| text).collect()
    }

    fn hides(&self) -> bool {
        self.occurs[LabelId::HIDDEN.index()]
    }

    /// Whether rules make this text a label of what had another one; those that become one of
    /// `hidden` on the way are hidden.
    pub fn gets(&self, text: &[u8], rules: &[Rules], hidden: &[Vec<u8>]) -> bool {
        let mut texts = self.texts().into_iter();
        !self.has(text)
            && texts.any(|label| {
                let mut label = Cow::Borrowed(label);
                for rules in rules {
                    match rules.apply(&label) {
                        Outcome::Label(next) if hidden.iter().all(|it| *it != *next) => {
                            label = Cow::Owned(next.into_owned());
                        }
                        Outcome::Label(_) | Outcome::Hidden | Outcome::Cut => return false,
                    }
                }
                label == text
            })
    }

    fn has(&self, text: &[u8]) -> bool {
        let label = self.labels.find(text);
        label.is_some_and(|label| self.occurs[label.index()])
    }

    /// The one visible label, of several, that does not occur in the other, which has hidden
    /// actions and is in a format in which files say themselves what is hidden.
    fn only_visible(&self, other: &Self) -> Option<String> {
        if !other.tells_hidden || !other.hides() {
            return None;
        }
        let visible = self.labels.visible();
        let mut only =
            visible.filter(|(label, text)| self.occurs[label.index()] && !other.has(text));
        let (_, text) = only.next()?;
        let is_one_of_several = only.next().is_none() && self.texts().len() > 1;
        is_one_of_several.then(|| printable_string(text))
    }
}

/// What to try, if one label may be all that two inputs differ by: one that reads like
/// a hidden action and is visible in one of them only, where the other has hidden
/// actions; or the one label that the other lacks, in a format that tells what is hidden.
pub fn hint(first: &Alphabet<'_>, second: &Alphabet<'_>) -> Option<String> {
    differently_hidden(first, second).or_else(|| {
        let pairs = [(first, second), (second, first)];
        pairs.into_iter().find_map(|(visible, hidden)| {
            let label = visible.only_visible(hidden)?;
            Some(hidden_hint(&label, visible, hidden, ""))
        })
    })
}

/// What to try, if the labels of two inputs are the same but for spaces around `/`, as some
/// tools write machines and others do not.
pub fn separator_hint(first: &Alphabet<'_>, second: &Alphabet<'_>) -> Option<String> {
    let [a, b] = [first, second].map(Alphabet::texts);
    let tight = |texts: &BTreeSet<&[u8]>| -> BTreeSet<Vec<u8>> {
        texts.iter().map(|text| without_spaces(text)).collect()
    };
    (a != b && tight(&a) == tight(&b)).then(|| {
        "labels are the same but for spaces around `/`: --mealy compares inputs and outputs"
            .to_owned()
    })
}

/// A label without the spaces around each `/`.
fn without_spaces(text: &[u8]) -> Vec<u8> {
    let parts = text.split(|&byte| byte == b'/');
    let last = text.iter().filter(|&&byte| byte == b'/').count();
    let parts = parts.enumerate().map(|(k, part)| {
        let part = if k > 0 { part.trim_ascii_start() } else { part };
        if k < last {
            part.trim_ascii_end()
        } else {
            part
        }
    });
    parts.collect::<Vec<_>>().join(&b'/')
}

fn differently_hidden(first: &Alphabet<'_>, second: &Alphabet<'_>) -> Option<String> {
    let mut found = SPELLINGS.into_iter().filter_map(|text| {
        match [first, second].map(|of| of.has(text.as_bytes())) {
            [true, false] if second.hides() => Some((text, first, second)),
            [false, true] if first.hides() => Some((text, second, first)),
            _ => None,
        }
    });
    let (label, visible, hidden) = found.next()?;
    let and = match found.next() {
        None => String::new(),
        Some((other, visible, hidden)) => {
            format!("; `{other}` is in {}, not in {}", visible.name, hidden.name)
        }
    };
    Some(format!(
        "{}, and --dialect mcrl2 (cadp) says that hidden actions read `tau` (`i`) in files that do \
         not tell",
        hidden_hint(label, visible, hidden, &and)
    ))
}

/// The hint on a label that may be hidden in the other input; `and` is said of others.
fn hidden_hint(label: &str, visible: &Alphabet<'_>, hidden: &Alphabet<'_>, and: &str) -> String {
    let (visible, hidden) = (&visible.name, &hidden.name);
    format!(
        "label `{label}` is visible in {visible}; {hidden} has hidden actions, and no such \
         label{and}: --tau {label} hides it in both"
    )
}
