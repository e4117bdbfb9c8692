//! A network as one expression of synchronisation vectors, which every reader of
//! EXP can take back.

use std::io::{self, Write};

use hyades_formats::LabelId;
use hyades_formats::diagnostic::{excerpt, printable_path};

use super::language::{Customs, Language, Parameters};
use super::{ComponentFile, Network};

/// The headers that make all the difference for an expression of vectors: what
/// hidden is called, and whether labels are put in upper case.
const HEADERS: [(Option<Language>, &str); 3] = [
    (None, ""),
    (Some(Language::Mcrl), "mcrl behaviour\n"),
    (Some(Language::Ccs), "ccs behaviour\n"),
];

impl Network {
    /// The network as `label par using … end par`: one vector a rule, in the
    /// order of labels, and the components by the names that they have in the
    /// text. Read without any options, it is the same network.
    ///
    /// Hidden transitions of components need no vector if the language of the
    /// result calls them as the components do. Where it does not, as no language
    /// does that leaves the labels as they are, vectors hide them. Without any
    /// vector, `cut all but` is written around components that interleave.
    ///
    /// O(parts of rules); what is returned is not the text yet, but can be written
    /// without more errors than those of the output.
    ///
    /// # Errors
    /// If vectors cannot say it: priorities, choices of too many components; if
    /// labels cannot be written between quotes; or if in every language a visible
    /// label would be hidden.
    pub fn flat(&self) -> Result<Flat<'_>, String> {
        let rules = self.rules();
        if !rules.rest.is_empty() {
            return Err("some choices of components are too many for vectors".into());
        }
        if rules.rules.iter().any(|rule| !rule.guards.is_empty()) {
            return Err("priorities cannot be said by vectors".into());
        }
        for k in 0..self.components().len() {
            let file = self.file_of(k);
            if file.is_computed {
                return Err(format!(
                    "{} is a semi-composition, which vectors cannot say",
                    file.shown()
                ));
            }
            check(&file.written)?;
        }
        if let Some(file) = self.files.iter().find(|file| file.hides_otherwise) {
            return Err(format!(
                "{} tells itself what is hidden, which --hidden overrules and a text cannot",
                printable_path(&file.path)
            ));
        }
        let none = Customs::default();
        let languages = HEADERS.map(|(language, text)| (Parameters::new(language, &none), text));
        let own = |other: &Parameters| self.parameters().is_hidden(&other.hidden[0]);
        // Those first by which less has to be said.
        let (first, others): (Vec<_>, Vec<_>) =
            languages.into_iter().partition(|(other, _)| own(other));
        let mut reasons = Vec::new();
        for (language, header) in first.into_iter().chain(others) {
            let flat = Flat {
                network: self,
                header,
                language,
            };
            match flat.changed_label() {
                None => {
                    flat.each_vector(&mut |vector| {
                        let parts = vector.parts.iter().map(|part| part.1);
                        parts.chain(vector.result).try_for_each(check)
                    })?;
                    return Ok(flat);
                }
                Some(label) => reasons.push(excerpt(&label)),
            }
        }
        Err(format!(
            "in each language the label {} would be hidden or put in upper case",
            reasons.join(" or ")
        ))
    }
}

/// A network that can be written as [vectors](Network::flat).
#[derive(Debug)]
pub struct Flat<'n> {
    network: &'n Network,
    /// The header that is right.
    header: &'static str,
    /// What it means.
    language: Parameters,
}

/// A synchronisation vector.
struct Vector<'a> {
    /// The components that take part, in ascending order, and by which labels.
    parts: &'a [(u32, &'a [u8])],
    /// The label of the whole; `None` if that is hidden.
    result: Option<&'a [u8]>,
}

impl Flat<'_> {
    /// Writes the text, in many small pieces.
    ///
    /// O(length); memory for one vector at a time.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        let count = self.network.components().len();
        let mut is_first = true;
        output.write_all(self.header.as_bytes())?;
        self.each_vector(&mut |vector| {
            output.write_all(match is_first {
                true => b"label par using\n  ",
                false => b",\n  ",
            })?;
            is_first = false;
            let mut parts = vector.parts.iter().peekable();
            for k in 0..count {
                if k > 0 {
                    output.write_all(b" * ")?;
                }
                match parts.next_if(|part| part.0 as usize == k) {
                    Some((_, label)) => write_quoted(output, label)?,
                    None => output.write_all(b"_")?,
                }
            }
            output.write_all(b" -> ")?;
            write_quoted(output, vector.result.unwrap_or(&self.language.hidden[0]))
        })?;
        let (begin, between, end): (&[u8], &[u8], &[u8]) = match is_first {
            true => (b"total cut all but in\n  ", b"\n  ||| ", b"\nend cut\n"),
            false => (b"\nin\n  ", b"\n  || ", b"\nend par\n"),
        };
        output.write_all(begin)?;
        for k in 0..count {
            if k > 0 {
                output.write_all(between)?;
            }
            write_quoted(output, &self.network.file_of(k).written)?;
        }
        output.write_all(end)
    }

    /// Whether a label means something else in the language.
    fn changes(&self, text: &[u8]) -> bool {
        self.language.is_hidden(text) || self.language.meant(text).is_some()
    }

    /// A label that means something else in the language, if there is one.
    fn changed_label(&self) -> Option<Vec<u8>> {
        // What is visible in a component must not be hidden when it is read.
        for file in &self.network.files {
            let texts = file.alphabet().iter().map(|&l| file.lts.table().text(l));
            if let Some(text) = texts.into_iter().find(|text| self.language.is_hidden(text))
                && !file.tells_hidden
            {
                return Some(text.to_vec());
            }
        }
        let found = self.each_vector(&mut |vector| {
            let mut texts = vector.parts.iter().map(|part| part.1).chain(vector.result);
            match texts.find(|text| self.changes(text)) {
                Some(text) => Err(text.to_vec()),
                None => Ok(()),
            }
        });
        found.err()
    }

    /// Calls `take` with each vector, up to an error of it.
    fn each_vector<E>(&self, take: &mut dyn FnMut(Vector<'_>) -> Result<(), E>) -> Result<(), E> {
        let network = self.network;
        let hidden = &self.language.hidden[0];
        for k in 0..network.components().len() {
            let file = network.file_of(k);
            if !file.has_hidden || file.tells_hidden {
                continue;
            }
            let texts = network.parameters().hidden.iter();
            for text in texts.filter(|&text| text != hidden) {
                let parts = &[(k as u32, &text[..])];
                let result = None;
                take(Vector { parts, result })?;
            }
        }
        let mut parts = Vec::new();
        for rule in &network.rules().rules {
            // Hidden transitions never take part in anything else.
            if let [(_, LabelId::HIDDEN)] = rule.parts[..] {
                continue;
            }
            parts.clear();
            parts.extend(rule.parts.iter().map(|&(k, label)| {
                let file: &ComponentFile = network.file_of(k as usize);
                (k, file.lts.table().text(label))
            }));
            let visible = !rule.label.is_hidden();
            let result = visible.then(|| network.labels().text(rule.label));
            let parts = &parts[..];
            take(Vector { parts, result })?;
        }
        Ok(())
    }
}

/// # Errors
/// If a text cannot be written between quotes.
fn check(text: &[u8]) -> Result<(), String> {
    match text.contains(&b'\n') {
        true => Err(format!(
            "{}: labels with ends of lines cannot be written",
            excerpt(text)
        )),
        false => Ok(()),
    }
}

/// Writes a text between quotes.
fn write_quoted(output: &mut dyn Write, text: &[u8]) -> io::Result<()> {
    output.write_all(b"\"")?;
    let special = |&byte: &u8| matches!(byte, b'"' | b'\\' | b'\r');
    let mut rest = text;
    while let Some(at) = rest.iter().position(special) {
        output.write_all(&rest[..at])?;
        match rest[at] {
            b'\r' => output.write_all(b"\\r")?,
            byte => output.write_all(&[b'\\', byte])?,
        }
        rest = &rest[at + 1..];
    }
    output.write_all(rest)?;
    output.write_all(b"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        let mut text = Vec::new();
        write_quoted(&mut text, b"\"a\\\\ b\rc\"").expect("memory takes everything");
        assert_eq!(text, br#""\"a\\\\ b\rc\"""#);
        assert!(check(b"a\rb").is_ok());
        assert!(check(b"a\nb").is_err_and(|why| why.contains("ends of lines")));
    }
}
