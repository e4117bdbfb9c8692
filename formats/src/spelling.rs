//! What a label reads like in a file: the same rules for every format.

use crate::diagnostic::{Log, Severity, excerpt};
use crate::lts::{LabelId, LabelTable, Lts};
use crate::options::{Dialect, WriteOptions};

/// The text of a visible label where the hidden action reads `hidden`: its own,
/// or the one of `--visible-i` if it would read like the hidden action.
/// Complains if it cannot be told from the hidden action, or from another
/// label: `known` tells whether another label has a text, and `by_dialect` whether the
/// hidden action reads otherwise in another dialect of the format.
pub(crate) fn visible<'a>(
    text: &'a [u8],
    hidden: &[u8],
    by_dialect: bool,
    options: &'a WriteOptions,
    known: impl Fn(&[u8]) -> bool,
    log: &mut Log,
) -> &'a [u8] {
    match text == hidden {
        true => told_from_hidden(text, by_dialect, options, &known, log),
        false => text,
    }
}

/// The same of a text like that of the hidden action.
fn told_from_hidden<'a>(
    text: &'a [u8],
    by_dialect: bool,
    options: &'a WriteOptions,
    known: &dyn Fn(&[u8]) -> bool,
    log: &mut Log,
) -> &'a [u8] {
    let name = excerpt(text);
    match &options.visible_i {
        None => {
            let dialects = [Dialect::Mcrl2, Dialect::Cadp].into_iter();
            let mut others = dialects.filter(|d| by_dialect && d.hidden().as_bytes() != text);
            let other = others.next().filter(|d| !known(d.hidden().as_bytes()));
            log.add(Severity::Error, "label-like-hidden", None, || {
                let advice = match other {
                    None => String::new(),
                    Some(other) => format!(
                        ", or let the hidden action read `{}` with --dialect {}",
                        other.hidden(),
                        other.name()
                    ),
                };
                format!(
                    "the visible label {name} would read like the hidden action: \
                     name another text with --visible-i{advice}"
                )
            });
        }
        Some(new) if new == text || known(new) => {
            refuse_taken(text, new, log);
        }
        Some(new) => return new,
    }
    text
}

/// The text of a label of a trace where the hidden action reads `hidden`; see
/// [`visible()`].
pub(crate) fn of_step<'a>(
    label: LabelId,
    table: &'a LabelTable,
    hidden: &'a [u8],
    options: &'a WriteOptions,
    log: &mut Log,
) -> &'a [u8] {
    if label.is_hidden() {
        return hidden;
    }
    let known = |text: &[u8]| table.find(text).is_some();
    visible(table.text(label), hidden, false, options, known, log)
}

/// Complains that `new` cannot stand for a visible label, as it is the text of
/// another one.
pub(crate) fn refuse_taken(text: &[u8], new: &[u8], log: &mut Log) {
    log.add(Severity::Error, "label-like-hidden", None, || {
        format!(
            "the visible label {} cannot be renamed to {}, which is the text of another label",
            excerpt(text),
            excerpt(new)
        )
    });
}

/// The text of every label that occurs in an LTS, by label number, where the
/// hidden action reads `hidden` (see [`visible()`] for `by_dialect`); empty for labels that do not occur. `check`
/// sees each text of a visible label and may complain.
pub(crate) fn spell<'a>(
    lts: &'a Lts,
    hidden: &'a [u8],
    by_dialect: bool,
    options: &'a WriteOptions,
    log: &mut Log,
    check: impl FnMut(&[u8], &mut Log),
) -> Vec<&'a [u8]> {
    spell_besides(lts, &[hidden], by_dialect, options, log, check)
}

/// The same where labels with any of these texts are read as hidden, the first of which is
/// written.
pub(crate) fn spell_besides<'a>(
    lts: &'a Lts,
    hidden: &[&'a [u8]],
    by_dialect: bool,
    options: &'a WriteOptions,
    log: &mut Log,
    mut check: impl FnMut(&[u8], &mut Log),
) -> Vec<&'a [u8]> {
    let table = lts.table();
    let used = lts.used_labels();
    let uses = |text: &[u8]| table.find(text).is_some_and(|l| used[l.index()]);
    // Whether a label has got the name of `--visible-i`, which is for one.
    let mut is_taken = false;
    let mut texts: Vec<&[u8]> = vec![hidden[0]];
    for (label, text) in table.visible() {
        if !used[label.index()] {
            texts.push(b"");
            continue;
        }
        let text = match hidden.contains(&text) {
            true => {
                let known = |text: &[u8]| is_taken || uses(text) || hidden.contains(&text);
                let text = told_from_hidden(text, by_dialect, options, &known, log);
                is_taken = true;
                text
            }
            false => text,
        };
        check(text, log);
        texts.push(text);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::{LtsBuilder, StateId};

    fn written(labels: &[&str], visible_i: Option<&str>) -> Result<Vec<String>, u64> {
        let mut lts = LtsBuilder::new(1);
        let at = StateId::new(0);
        lts.table_mut().intern(b"unused i").unwrap();
        for label in labels {
            let label = lts.table_mut().intern(label.as_bytes()).unwrap();
            lts.add(at, label, at);
        }
        lts.add(at, LabelId::HIDDEN, at);
        let lts = lts.build(at).unwrap();
        let options = WriteOptions {
            visible_i: visible_i.map(|name| name.into()),
            ..WriteOptions::default()
        };
        let mut log = Log::new();
        let texts = spell(&lts, b"i", true, &options, &mut log, |text, log| {
            if text.contains(&b'"') {
                log.add(Severity::Error, "x-label", None, String::new);
            }
        });
        match log.errors() {
            0 => Ok(texts
                .iter()
                .map(|t| String::from_utf8(t.to_vec()).unwrap())
                .collect()),
            errors => Err(errors),
        }
    }

    #[test]
    fn visible_labels_are_told_from_the_hidden_action() {
        assert_eq!(written(&["a", "tau"], None).unwrap(), ["i", "", "a", "tau"]);
        assert_eq!(written(&["a", "i"], None), Err(1));
        assert_eq!(written(&["a", "i"], Some("i")), Err(1));
        assert_eq!(written(&["a", "i"], Some("a")), Err(1));
        assert_eq!(written(&["a", "i"], Some("b\"")), Err(1));
        // a label that does not occur is in nobody's way
        let texts = written(&["a", "i"], Some("unused i")).unwrap();
        assert_eq!(texts, ["i", "", "a", "unused i"]);
    }
}
