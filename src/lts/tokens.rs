//! Labels as lists of tokens.

use std::fmt;

/// Which bytes make up tokens: letters, digits, `_` and bytes beyond ASCII, and
/// those that are added. A token is a maximal run of them; everything else
/// separates tokens and means nothing: `push !N0 !T1`, `push(N0,T1)` and
/// `push.N0.T1` are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSyntax {
    in_token: [bool; 256],
}

impl Default for TokenSyntax {
    fn default() -> Self {
        let in_token = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || !b.is_ascii();
        Self {
            in_token: std::array::from_fn(|b| in_token(b as u8)),
        }
    }
}

impl TokenSyntax {
    /// With these bytes in tokens too, such as `-` or `'`.
    pub fn with(mut self, bytes: &[u8]) -> Self {
        for &byte in bytes {
            self.in_token[usize::from(byte)] = true;
        }
        self
    }

    /// The tokens of a label, from left to right.
    pub fn tokens<'a>(&self, label: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        label
            .split(|&byte| !self.in_token[usize::from(byte)])
            .filter(|token| !token.is_empty())
    }

    /// Whether this is one token and nothing else.
    pub fn is_token(&self, text: &[u8]) -> bool {
        !text.is_empty() && text.iter().all(|&byte| self.in_token[usize::from(byte)])
    }

    /// The label with its tokens replaced, all at the same time, and everything
    /// between them as it was.
    pub fn replace<'a>(
        &self,
        label: &'a [u8],
        mut replacement: impl FnMut(&'a [u8]) -> &'a [u8],
    ) -> Vec<u8> {
        let mut replaced = Vec::with_capacity(label.len());
        let runs =
            label.chunk_by(|&a, &b| self.in_token[usize::from(a)] == self.in_token[usize::from(b)]);
        for run in runs {
            let token = self.in_token[usize::from(run[0])];
            replaced.extend_from_slice(if token { replacement(run) } else { run });
        }
        replaced
    }
}

/// A list of tokens: what a label is for a symmetry.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tokens(pub Vec<Box<[u8]>>);

impl Tokens {
    /// The tokens of a label.
    pub fn of(label: &[u8], syntax: &TokenSyntax) -> Self {
        Self(syntax.tokens(label).map(Box::from).collect())
    }
}

/// Separated by blanks.
impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, token) in self.0.iter().enumerate() {
            let blank = if k == 0 { "" } else { " " };
            write!(f, "{blank}{}", String::from_utf8_lossy(token))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(label: &str, syntax: &TokenSyntax) -> String {
        Tokens::of(label.as_bytes(), syntax).to_string()
    }

    #[test]
    fn everything_else_separates() {
        let usual = TokenSyntax::default();
        for (label, tokens) in [
            ("1!REQUEST(CALL,1)", "1 REQUEST CALL 1"),
            ("1 !JOIN !0 !OK", "1 JOIN 0 OK"),
            ("WAIT(MOVELEFT(1))", "WAIT MOVELEFT 1"),
            ("push.N0.T_1", "push N0 T_1"),
            ("  ((", ""),
            ("", ""),
            ("größe !-1", "größe 1"),
        ] {
            assert_eq!(shown(label, &usual), tokens, "{label}");
        }
        let signed = TokenSyntax::default().with(b"-'");
        assert_eq!(shown("A !-1 !x'", &signed), "A -1 x'");
    }

    #[test]
    fn tokens_are_replaced_at_the_same_time() {
        let replaced = TokenSyntax::default().replace(b"A(1,2, 12)!1", |token| match token {
            b"1" => b"2",
            b"2" => b"1",
            other => other,
        });
        assert_eq!(replaced, b"A(2,1, 12)!2");
    }
}
