//! A network as one expression of synchronisation vectors, which every reader of
//! EXP can take back.

use hyades_formats::LabelId;
use hyades_formats::diagnostic::excerpt;

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
    /// O(rules · components).
    ///
    /// # Errors
    /// If vectors cannot say it: priorities, choices of too many components; if
    /// labels cannot be written between quotes; or if in every language a visible
    /// label would be hidden.
    pub fn flat(&self) -> Result<Vec<u8>, String> {
        let rules = self.rules();
        if !rules.rest.is_empty() {
            return Err("some choices of components are too many for vectors".into());
        }
        if rules.rules.iter().any(|rule| !rule.guards.is_empty()) {
            return Err("priorities cannot be said by vectors".into());
        }
        let files = (0..self.components().len()).map(|k| quoted(&self.file_of(k).written));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        let (header, vectors) = self.header_and_vectors()?;
        let mut text = header.as_bytes().to_vec();
        if vectors.is_empty() {
            text.extend_from_slice(b"total cut all but in\n  ");
            text.extend(files.join(&b"\n  ||| "[..]));
            text.extend_from_slice(b"\nend cut\n");
            return Ok(text);
        }
        text.extend_from_slice(b"label par using\n  ");
        text.extend(vectors.join(&b",\n  "[..]));
        text.extend_from_slice(b"\nin\n  ");
        text.extend(files.join(&b"\n  || "[..]));
        text.extend_from_slice(b"\nend par\n");
        Ok(text)
    }

    /// The first header that is right, those first by which less has to be said.
    fn header_and_vectors(&self) -> Result<(&'static str, Vec<Vec<u8>>), String> {
        if let Some(file) = self.files.iter().find(|file| file.hides_otherwise) {
            return Err(format!(
                "{} tells itself what is hidden, which --hidden overrules and a text cannot",
                file.path.display()
            ));
        }
        let none = Customs::default();
        let languages = HEADERS.map(|(language, text)| (Parameters::new(language, &none), text));
        let own = |other: &Parameters| self.parameters().is_hidden(&other.hidden[0]);
        let (first, others): (Vec<_>, Vec<_>) =
            languages.into_iter().partition(|(other, _)| own(other));
        let mut reasons = Vec::new();
        for (language, header) in first.into_iter().chain(others) {
            match self.vectors(&language)? {
                Ok(vectors) => return Ok((header, vectors)),
                Err(label) => reasons.push(excerpt(&label)),
            }
        }
        Err(format!(
            "in each language the label {} would be hidden or put in upper case",
            reasons.join(" or ")
        ))
    }

    /// The vectors, for a language; or else the label that means something else
    /// in it.
    ///
    /// # Errors
    /// If a label cannot be written.
    fn vectors(&self, language: &Parameters) -> Result<Result<Vec<Vec<u8>>, Vec<u8>>, String> {
        let changes = |text: &[u8]| language.is_hidden(text) || language.meant(text).is_some();
        let count = self.components().len();
        let vector = |parts: &[(u32, &[u8])], result: &[u8]| -> Result<Vec<u8>, String> {
            let mut all = vec![b"_".to_vec(); count];
            for &(component, label) in parts {
                all[component as usize] = quoted(label)?;
            }
            Ok([&all.join(&b" * "[..]), &b" -> "[..], &quoted(result)?].concat())
        };
        let hidden = &language.hidden[0];
        // What is visible in a component must not be hidden when it is read.
        for file in &self.files {
            let texts = file.alphabet().iter().map(|&l| file.lts.table().text(l));
            if let Some(text) = texts.into_iter().find(|text| language.is_hidden(text))
                && !file.tells_hidden
            {
                return Ok(Err(text.to_vec()));
            }
        }
        let mut vectors: Vec<Vec<u8>> = Vec::new();
        for k in 0..count {
            let file = self.file_of(k);
            if !file.has_hidden || file.tells_hidden {
                continue;
            }
            for text in self
                .parameters()
                .hidden
                .iter()
                .filter(|&text| text != hidden)
            {
                if changes(text) {
                    return Ok(Err(text.clone()));
                }
                vectors.push(vector(&[(k as u32, text)], hidden)?);
            }
        }
        for rule in &self.rules().rules {
            // Hidden transitions never take part in anything else.
            if let [(_, LabelId::HIDDEN)] = rule.parts[..] {
                continue;
            }
            let own = |&(k, label): &(u32, LabelId)| {
                let file: &ComponentFile = self.file_of(k as usize);
                (k, file.lts.table().text(label))
            };
            let parts: Vec<_> = rule.parts.iter().map(own).collect();
            let result = match rule.label.is_hidden() {
                true => None,
                false => Some(self.labels().text(rule.label)),
            };
            let mut texts = parts.iter().map(|part| part.1).chain(result);
            if let Some(text) = texts.find(|text| changes(text)) {
                return Ok(Err(text.to_vec()));
            }
            vectors.push(vector(&parts, result.unwrap_or(hidden))?);
        }
        Ok(Ok(vectors))
    }
}

/// A text between quotes.
fn quoted(text: &[u8]) -> Result<Vec<u8>, String> {
    let mut quoted = b"\"".to_vec();
    for &byte in text {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', byte]),
            b'\r' => quoted.extend(b"\\r"),
            b'\n' => {
                let text = excerpt(text);
                return Err(format!(
                    "{text}: labels with ends of lines cannot be written"
                ));
            }
            _ => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    Ok(quoted)
}
