//! What was probably meant by an expression that matches nothing.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use hyades_formats::diagnostic::{counted, excerpt, printable_string};

use super::LabelPattern;

/// What to say of an expression that matches none of these texts as a whole, each of which is
/// a `noun`, label or gate: that texts contain it, or that it has what means something in other
/// kinds of expressions only; and what to write instead. Nothing for the hidden action.
///
/// O(length of the texts · length of the expression).
pub fn why_unmatched<'a>(
    expression: &[u8],
    noun: &str,
    texts: impl Iterator<Item = &'a [u8]> + Clone,
) -> Option<String> {
    let whole = |expression: &[u8]| LabelPattern::whole(expression).ok();
    let own = whole(expression)?;
    if [&b"i"[..], b"tau"].contains(&expression) || texts.clone().any(|text| own.is_match(text)) {
        return None;
    }
    let write = |other: &[u8]| format!("write '{}'", printable_string(other));
    // `COIN !*`, as in a shell.
    if let Some(glob) = as_glob(expression)
        && let Some(pattern) = whole(&glob)
        && texts.clone().any(|text| pattern.is_match(text))
    {
        return Some(format!(
            "`*` repeats what is before it, `.*` is any text: {}",
            write(&glob)
        ));
    }
    let within = LabelPattern::within(expression).ok()?;
    // What matches nothing at all is everywhere.
    let is_somewhere = !within.is_match(b"");
    let longer = texts.filter(|text| is_somewhere && within.is_match(text));
    let longer: Vec<&[u8]> = longer.collect();
    let Some(first) = longer.first() else {
        return foreign_operator(expression);
    };
    let count = longer.iter().collect::<HashSet<_, RandomState>>().len();
    let contain = if count == 1 { "contains" } else { "contain" };
    let mut text = format!(
        "it has to match a whole {noun}, and {} {contain} it, as {}",
        counted(count, noun),
        excerpt(first)
    );
    let broader = [&b""[..], b".*"].map(|start| [start, expression, b".*"].concat());
    let fits = |other: &&Vec<u8>| {
        whole(other).is_some_and(|other| longer.iter().all(|text| other.is_match(text)))
    };
    if let Some(broader) = broader.iter().find(fits) {
        text.push_str(&format!(": {}", write(broader)));
    }
    Some(text)
}

/// The expression with `.*` for each star behind a character that stands for itself, if there is
/// one.
fn as_glob(expression: &[u8]) -> Option<Vec<u8>> {
    let mut glob = Vec::with_capacity(expression.len() + 1);
    for (at, &byte) in expression.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| expression[before]);
        let is_glob = byte == b'*' && before.is_some_and(|before| !b".]*^\\()}".contains(&before));
        glob.extend(is_glob.then_some(b'.'));
        glob.push(byte);
    }
    (glob.len() > expression.len()).then_some(glob)
}

/// What to say of the first character that is an operator in extended regular expressions only.
fn foreign_operator(expression: &[u8]) -> Option<String> {
    let mut bytes = expression.iter().copied();
    let operator = bytes.find(|byte| b"|+?".contains(byte))?;
    let instead = match operator {
        b'|' => "name each choice by itself",
        b'+' => r"what is there once or more is written `x\{1,\}`",
        _ => r"what may be missing is written `x\{0,1\}`",
    };
    Some(format!(
        "`{}` stands for itself in basic regular expressions, as do | + ? ( ) {{ }}: {instead}",
        char::from(operator)
    ))
}
