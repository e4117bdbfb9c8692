//! How labels are taken for pairs of input and output.

use std::borrow::Cow;
use std::fmt;

use hyades_formats::label;
use hyades_formats::mealy::{MealyError, MealySyntax, Pair};

/// What of a label is its input, and what its output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// `input/output`.
    Slash(MealySyntax),
    /// The last so many offers (values, arguments) are the output, the gate and
    /// the other offers the input: `JOIN !0 !OK` with 1.
    Offers(usize),
}

impl Default for Pairing {
    fn default() -> Self {
        Self::Slash(MealySyntax::default())
    }
}

/// Why a label is no pair, or a pair no label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairingError {
    /// The hidden action has no parts.
    Hidden,
    /// As [`MealySyntax`] tells.
    Slash(MealyError),
    /// It has too few offers.
    Offers(usize),
}

impl fmt::Display for PairingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PairingError::Hidden => f.write_str("hidden; expected a pair of input and output"),
            PairingError::Slash(error) => error.fmt(f),
            PairingError::Offers(count) => write!(
                f,
                "expected a gate with {count} or more offers, the last of which are the output"
            ),
        }
    }
}

impl std::error::Error for PairingError {}

impl Pairing {
    /// The pairs that a label stands for.
    ///
    /// # Errors
    /// If it is none.
    pub fn split<'a>(&self, text: &'a [u8]) -> Result<Vec<Pair<'a>>, PairingError> {
        match self {
            Pairing::Slash(syntax) => syntax.split(text).map_err(PairingError::Slash),
            Pairing::Offers(count) => offers(text, *count).ok_or(PairingError::Offers(*count)),
        }
    }

    /// The label for a pair: always of the form `input/output`.
    ///
    /// # Errors
    /// If it would not be split back.
    pub fn join(&self, input: &[u8], output: &[u8]) -> Result<Vec<u8>, PairingError> {
        let joined = self.syntax().join(input, output);
        joined.map_err(PairingError::Slash)
    }

    /// The label for an output before the first input: `/output`.
    ///
    /// # Errors
    /// If it would not give the output back.
    pub fn join_initial(&self, output: &[u8]) -> Result<Vec<u8>, PairingError> {
        let joined = self.syntax().join_initial(output);
        joined.map_err(PairingError::Slash)
    }

    fn syntax(&self) -> MealySyntax {
        match self {
            Pairing::Slash(syntax) => syntax.clone(),
            Pairing::Offers(_) => MealySyntax::default(),
        }
    }
}

/// Splits before the last so many offers. Input and output keep the label's own
/// syntax: `JOIN !0` and `OK`, `REQUEST(CALL,0)` and `OPENDOOR(0)`.
fn offers(text: &[u8], count: usize) -> Option<Vec<Pair<'_>>> {
    let parsed = label::parse(text).ok()?;
    let inputs = parsed.offers.len().checked_sub(count)?;
    let values: Vec<&[u8]> = parsed.offers.iter().map(|offer| offer.value).collect();
    let (offers, output) = values.split_at(inputs);
    let output = output.join(&b' ');
    let input = match parsed.syntax {
        _ if offers.is_empty() => parsed.gate.to_vec(),
        label::Syntax::Plain => parsed.gate.to_vec(),
        label::Syntax::Lotos => [parsed.gate, b" !", &offers.join(&b" !"[..])].concat(),
        label::Syntax::Call => [parsed.gate, b"(", &offers.join(&b','), b")"].concat(),
        label::Syntax::Dotted => [parsed.gate, b".", &offers.join(&b'.')].concat(),
    };
    Some(vec![(Cow::Owned(input), Cow::Owned(output))])
}
