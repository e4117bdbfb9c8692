//! Tokens as text.

use super::lex::{Kind, Texts, Token};

/// The tokens, which are read again as they are.
pub(super) fn text(tokens: &[Token], texts: &Texts) -> String {
    let mut out = Vec::new();
    for (k, token) in tokens.iter().enumerate() {
        let next = tokens.get(k + 1);
        if k > 0 && blank(&tokens[k - 1], token, next) {
            out.push(b' ');
        }
        out.extend_from_slice(texts.of(token));
    }
    // Strings may have other bytes.
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether there is a blank before a token.
fn blank(before: &Token, token: &Token, next: Option<&Token>) -> bool {
    let end = || {
        next.is_none_or(|next| {
            matches!(
                next.kind,
                Kind::Symbol("." | "|" | "]" | ">" | ")") | Kind::End
            )
        })
    };
    match (before.kind, token.kind) {
        // Two symbols that would be one, or begin a comment.
        (Kind::Symbol("("), Kind::Symbol("*")) => true,
        (Kind::Symbol("(" | "[" | "!" | "?"), _) => false,
        (_, Kind::Symbol(")" | "]" | "," | ":") | Kind::End) => false,
        (Kind::Symbol(":"), Kind::Name) => false,
        (
            Kind::Symbol(")" | "}") | Kind::String | Kind::Pattern | Kind::Word(_),
            Kind::Symbol("*" | "+" | "?"),
        ) => !end(),
        _ => true,
    }
}
