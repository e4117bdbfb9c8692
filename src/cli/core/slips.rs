//! Answers to slips that everyone makes.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// Spellings that have gone: the command, the option, and what to write.
const GONE: [(&str, &str, &str); 2] = [
    (
        "reach",
        "-e",
        "a network on the command line: --expression EXPR",
    ),
    ("refine", "-m", "the semantics: --semantics T, F or FD"),
];

/// The same error of usage of a command, with what was probably meant.
pub(super) fn advised(command: &str, mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        // `minimize IN OUT`
        ErrorKind::UnknownArgument => {
            let Some(word) = text(ContextKind::InvalidArg) else {
                return error;
            };
            let mut gone = GONE.iter();
            let tip = match gone.find(|(of, option, _)| *of == command && *option == word) {
                Some((_, _, tip)) => (*tip).to_owned(),
                None if word.starts_with('-') => return error,
                None => format!("to write to {word}: -o {word}"),
            };
            error.insert(
                ContextKind::Suggested,
                ContextValue::StyledStrs(vec![tip.into()]),
            );
        }
        // `-m W`
        ErrorKind::InvalidValue => {
            let (Some(value), Some(ContextValue::Strings(known))) = (
                text(ContextKind::InvalidValue),
                error.get(ContextKind::ValidValue),
            ) else {
                return error;
            };
            let same = known
                .iter()
                .find(|known| known.eq_ignore_ascii_case(&value));
            if let Some(same) = same.cloned() {
                error.insert(ContextKind::SuggestedValue, ContextValue::String(same));
            }
        }
        _ => {}
    }
    error
}
