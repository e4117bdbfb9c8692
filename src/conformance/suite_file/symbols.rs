//! Tests as files have them.

use hyades_formats::diagnostic::excerpt;
use hyades_formats::{Diagnostic, Position, Severity};

use crate::machine::{InputId, Machine};

/// A sequence of texts, in one piece of memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    text: Vec<u8>,
    ends: Vec<usize>,
}

impl Symbols {
    /// Appends one.
    pub fn push(&mut self, symbol: &[u8]) {
        self.text.extend_from_slice(symbol);
        self.ends.push(self.text.len());
    }

    /// Leaves none.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The one at this index.
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..end])
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> + '_ {
        (0..self.len()).map(|k| self.get(k).expect("an index below the length"))
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Symbols {
    fn from_iter<I: IntoIterator<Item = T>>(symbols: I) -> Self {
        let mut all = Self::default();
        for symbol in symbols {
            all.push(symbol.as_ref());
        }
        all
    }
}

/// A test of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuiteTest {
    pub(super) inputs: Symbols,
    pub(super) outputs: Symbols,
    pub(super) has_outputs: bool,
    /// Where the file has its inputs.
    pub(super) columns: Vec<u64>,
    pub(super) line: u64,
}

impl SuiteTest {
    /// Its inputs.
    pub fn inputs(&self) -> &Symbols {
        &self.inputs
    }

    /// The outputs that are expected, one for each input, if the file has any.
    pub fn outputs(&self) -> Option<&Symbols> {
        self.has_outputs.then_some(&self.outputs)
    }

    /// The line of the file, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The place of an input in the file.
    pub fn position(&self, index: usize) -> Position {
        Position::new(self.line, self.columns.get(index).copied().unwrap_or(1))
    }

    pub(super) fn clear(&mut self) {
        self.inputs.clear();
        self.outputs.clear();
        self.has_outputs = false;
        self.columns.clear();
    }

    /// The inputs as those of a machine, into `word`.
    ///
    /// # Errors
    /// If one is not among the machine's; the diagnostic has no file.
    pub fn word(&self, machine: &Machine, word: &mut Vec<InputId>) -> Result<(), Diagnostic> {
        word.clear();
        for (k, input) in self.inputs.iter().enumerate() {
            let Some(id) = machine.find_input(input) else {
                return Err(Diagnostic {
                    severity: Severity::Error,
                    code: "suite-unknown-input",
                    file: None,
                    position: Some(self.position(k)),
                    text: format!(
                        "found input {}, expected one of the machine's: {}{}",
                        excerpt(input),
                        listed(machine),
                        if is_joined(input, machine) {
                            "; inputs are separated by blanks, and nothing else"
                        } else {
                            ""
                        }
                    ),
                });
            };
            word.push(id);
        }
        Ok(())
    }

    /// What is doubtful about the test, whose inputs are `word`, for this
    /// machine: that it expects something else than the machine answers, or goes
    /// on where the machine has no transition. The diagnostic is a warning and
    /// has no file.
    pub fn doubt(&self, machine: &Machine, word: &[InputId]) -> Option<Diagnostic> {
        let mut state = machine.initial();
        for (k, &input) in word.iter().enumerate() {
            let (code, text) = match (machine.step(state, input), self.outputs()) {
                (None, _) => {
                    let text = format!(
                        "input {} of the test, {}, has no transition in state {} of the machine: \
                         the test is cut before it",
                        k + 1,
                        excerpt(machine.input_text(input)),
                        machine.name(state)
                    );
                    ("suite-no-transition", text)
                }
                (Some((output, _)), Some(expected))
                    if expected.get(k) != Some(machine.output_text(output)) =>
                {
                    let text = format!(
                        "input {} of the test, {}, expects output {}, but the machine answers {}",
                        k + 1,
                        excerpt(machine.input_text(input)),
                        excerpt(expected.get(k).unwrap_or_default()),
                        excerpt(machine.output_text(output))
                    );
                    ("suite-output", text)
                }
                (Some((_, target)), _) => {
                    state = target;
                    continue;
                }
            };
            return Some(Diagnostic {
                severity: Severity::Warning,
                code,
                file: None,
                position: Some(self.position(k)),
                text,
            });
        }
        None
    }
}

/// Whether a text is inputs of the machine with commas between them, or in brackets.
fn is_joined(text: &[u8], machine: &Machine) -> bool {
    let mut inputs = text.split(|byte| b",[]".contains(byte));
    let is_input = |input: &[u8]| input.is_empty() || machine.find_input(input).is_some();
    inputs.all(is_input)
}

/// The inputs of a machine, as a message shows them.
fn listed(machine: &Machine) -> String {
    const SHOWN: usize = 12;
    let texts = machine.input_ids().take(SHOWN);
    let texts: Vec<String> = texts.map(|id| excerpt(machine.input_text(id))).collect();
    let mut list = texts.join(", ");
    if machine.inputs() > SHOWN {
        list.push_str(&format!(" and {} more", machine.inputs() - SHOWN));
    } else if list.is_empty() {
        list.push_str("it has none");
    }
    list
}
