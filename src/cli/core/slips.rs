//! Answers to slips that everyone makes.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The same error of usage, with what was probably meant.
pub(super) fn advised(mut error: clap::Error) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    match error.kind() {
        // `minimize IN OUT`
        ErrorKind::UnknownArgument => {
            let Some(word) = text(ContextKind::InvalidArg).filter(|word| !word.starts_with('-'))
            else {
                return error;
            };
            let tip = format!("to write to {word}: -o {word}");
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
