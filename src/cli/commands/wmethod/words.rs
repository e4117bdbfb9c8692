//! Words of machines in answers.

use hyades_conformance::{InputId, Machine, legible, spelled};
use serde_json::Value;

/// The texts of a word.
pub fn inputs<'a>(machine: &'a Machine, word: &[InputId]) -> Vec<&'a [u8]> {
    word.iter().map(|&id| machine.input_text(id)).collect()
}

/// The texts of what a machine answers to a word; of nothing if it lacks a
/// transition.
pub fn outputs<'a>(machine: &'a Machine, word: &[InputId]) -> Vec<&'a [u8]> {
    let run = machine.run(machine.initial(), word);
    let outputs = run.map(|run| run.0).unwrap_or_default();
    let text = |id| machine.output_text(id);
    outputs.into_iter().map(text).collect()
}

/// Symbols as a suite file has them.
pub fn symbols(texts: &[&[u8]]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| spelled(text)).collect();
    texts.join(" ")
}

/// Symbols as a JSON array.
pub fn symbols_json(texts: &[&[u8]]) -> Value {
    let texts = texts.iter().map(|text| legible(text));
    texts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_cli_core::answer::add_line;

    #[test]
    fn words_are_shown_as_suite_files_have_them() {
        let texts: [&[u8]; 4] = [b"a", b"", b"a cup", b"{x}"];
        let mut text = String::new();
        add_line(&mut text, "word", symbols(&texts));
        add_line(&mut text, "word", symbols(&[]));
        assert_eq!(text, "word: a \"\" \"a cup\" \"{x}\"\nword:\n");
        assert_eq!(
            symbols_json(&texts),
            serde_json::json!(["a", "", "a cup", "{x}"])
        );
    }
}
