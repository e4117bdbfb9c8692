//! What is wrong with a text, for readers that know the file and the line themselves.

use crate::ids::TooLarge;

/// Something that does not belong where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    /// The diagnostic's code.
    pub code: &'static str,
    /// The byte that is at fault, from 0, of the line or of the file.
    pub at: usize,
    /// What was found, what was expected, what to do.
    pub text: String,
}

impl Fault {
    pub fn new(at: usize, code: &'static str, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { code, at, text }
    }
}

/// Why a text is not understood.
pub(crate) enum Stop {
    Fault(Fault),
    TooLarge(TooLarge),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

impl From<TooLarge> for Stop {
    fn from(error: TooLarge) -> Self {
        Stop::TooLarge(error)
    }
}
