//! Writing test suites.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use hyades_formats::diagnostic::excerpt;

use super::SuiteForm;
use crate::machine::{InputId, Machine};
use crate::text::legible;

/// A symbol that a form cannot express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwritable {
    /// The symbol.
    pub symbol: Box<[u8]>,
    /// The form.
    pub form: SuiteForm,
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let symbol = excerpt(&self.symbol);
        match self.form {
            SuiteForm::Text | SuiteForm::JsonLines => write!(
                f,
                "symbol {symbol} is no UTF-8, which JSON needs: write another form"
            ),
            SuiteForm::Pairs => write!(
                f,
                "symbol {symbol} cannot be told from others in `(input/output).(input/output)`: \
                 write another form"
            ),
        }
    }
}

impl std::error::Error for Unwritable {}

/// What is written of a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WrittenSymbols {
    /// Its inputs.
    Inputs,
    /// What the machine answers, too.
    InputsAndOutputs,
}

/// Writes tests of a machine, one at a time.
#[derive(Debug)]
pub struct SuiteWriter<'a> {
    machine: &'a Machine,
    form: SuiteForm,
    expected: bool,
    /// How inputs and outputs are written.
    inputs: Vec<Box<[u8]>>,
    outputs: Vec<Box<[u8]>>,
    line: Vec<u8>,
}

impl<'a> SuiteWriter<'a> {
    /// A writer of this in a form; [`SuiteForm::Pairs`] always has outputs.
    ///
    /// # Errors
    /// If the form cannot express a symbol of the machine.
    pub fn new(
        machine: &'a Machine,
        form: SuiteForm,
        symbols: WrittenSymbols,
    ) -> Result<Self, Unwritable> {
        let expected = symbols == WrittenSymbols::InputsAndOutputs || form == SuiteForm::Pairs;
        let inputs = machine.input_ids().map(|id| machine.input_text(id));
        let inputs = inputs
            .map(|text| spell(text, form, true))
            .collect::<Result<_, _>>()?;
        let outputs = match expected {
            true => machine.output_ids().map(|id| machine.output_text(id)),
            false => return Ok(Self::with(machine, form, expected, inputs, Vec::new())),
        };
        let outputs = outputs
            .map(|text| spell(text, form, false))
            .collect::<Result<_, _>>()?;
        Ok(Self::with(machine, form, expected, inputs, outputs))
    }

    fn with(
        machine: &'a Machine,
        form: SuiteForm,
        expected: bool,
        inputs: Vec<Box<[u8]>>,
        outputs: Vec<Box<[u8]>>,
    ) -> Self {
        Self {
            machine,
            form,
            expected,
            inputs,
            outputs,
            line: Vec::new(),
        }
    }

    /// Writes a test, which ends before the first transition that the machine
    /// does not have if outputs are written.
    ///
    /// # Errors
    /// If the output refuses.
    pub fn write(&mut self, output: &mut dyn Write, test: &[InputId]) -> io::Result<()> {
        let mut state = self.machine.initial();
        let mut answers = Vec::new();
        if self.expected {
            for &input in test {
                let Some((answer, target)) = self.machine.step(state, input) else {
                    break;
                };
                answers.push(answer);
                state = target;
            }
        }
        let length = if self.expected {
            answers.len()
        } else {
            test.len()
        };
        let inputs = test[..length]
            .iter()
            .map(|input| &self.inputs[input.index()][..]);
        let outputs = answers
            .iter()
            .map(|answer| &self.outputs[answer.index()][..]);
        let line = &mut self.line;
        line.clear();
        match self.form {
            SuiteForm::Text => {
                join(line, b" ", inputs);
                if self.expected {
                    line.extend_from_slice(if length == 0 { b"=>" } else { b" => " });
                    join(line, b" ", outputs);
                }
            }
            SuiteForm::JsonLines => {
                line.extend_from_slice(b"{\"in\":[");
                join(line, b",", inputs);
                if self.expected {
                    line.extend_from_slice(b"],\"out\":[");
                    join(line, b",", outputs);
                }
                line.extend_from_slice(b"]}");
            }
            SuiteForm::Pairs => {
                for (k, (input, output)) in inputs.zip(outputs).enumerate() {
                    line.extend_from_slice(if k > 0 { b".(" } else { b"(" });
                    line.extend_from_slice(input);
                    line.push(b'/');
                    line.extend_from_slice(output);
                    line.push(b')');
                }
            }
        }
        line.push(b'\n');
        output.write_all(line)
    }
}

fn join<'a>(line: &mut Vec<u8>, between: &[u8], symbols: impl Iterator<Item = &'a [u8]>) {
    for (k, symbol) in symbols.enumerate() {
        if k > 0 {
            line.extend_from_slice(between);
        }
        line.extend_from_slice(symbol);
    }
}

fn spell(symbol: &[u8], form: SuiteForm, is_input: bool) -> Result<Box<[u8]>, Unwritable> {
    let unwritable = || Unwritable {
        symbol: symbol.into(),
        form,
    };
    match form {
        SuiteForm::Text if is_bare(symbol) => Ok(symbol.into()),
        SuiteForm::Text => Ok(quoted(symbol).into_bytes().into()),
        SuiteForm::JsonLines => match std::str::from_utf8(symbol) {
            Ok(text) => Ok(json(text).into_bytes().into()),
            Err(_) => Err(unwritable()),
        },
        SuiteForm::Pairs => {
            let ends_early = symbol.windows(3).any(|part| part == b").(")
                || symbol.windows(2).any(|part| part == b")(");
            if ends_early || symbol.contains(&b'\n') || is_input && symbol.contains(&b'/') {
                return Err(unwritable());
            }
            Ok(symbol.into())
        }
    }
}

/// Whether a symbol may stand in a text as it is.
fn is_bare(symbol: &[u8]) -> bool {
    let odd = |&b: &u8| matches!(b, 0..=b' ' | 0x7f | b'"' | b'\\');
    // What a line begins with tells the form of a file.
    let begins_oddly = matches!(symbol.first(), None | Some(b'#' | b'{' | b'('))
        || symbol.starts_with(hyades_formats::BYTE_ORDER_MARK);
    !(begins_oddly || symbol == b"=>" || symbol.iter().any(odd))
}

fn json(text: &str) -> String {
    serde_json::to_string(text).expect("texts can be written to memory")
}

/// A JSON string, but for `\xNN` where a byte is no part of UTF-8.
fn quoted(symbol: &[u8]) -> String {
    let mut text = String::from("\"");
    for chunk in symbol.utf8_chunks() {
        let valid = json(chunk.valid());
        text.push_str(&valid[1..valid.len() - 1]);
        text.push_str(&legible(chunk.invalid()));
    }
    text.push('"');
    text
}

/// A symbol as [`SuiteForm::Text`] has it, in UTF-8.
pub fn spelled(symbol: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(symbol) {
        Ok(text) if is_bare(symbol) => text.into(),
        _ => quoted(symbol).into(),
    }
}
