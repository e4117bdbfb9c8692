//! A network as one expression of synchronisation vectors, which every reader of
//! EXP can take back.

use hyades_formats::LabelId;

use super::Network;

impl Network {
    /// The network as `label par using … end par`: one vector a rule, in the
    /// order of labels, and the components by the names that they have in the
    /// text.
    ///
    /// Hidden transitions of components need no vector. Without any vector,
    /// `cut all but` is written around components that interleave.
    ///
    /// # Errors
    /// If vectors cannot say it: priorities, choices of too many components; or
    /// labels that cannot be written between quotes.
    pub fn flat(&self) -> Result<Vec<u8>, String> {
        let rules = self.rules();
        if !rules.rest.is_empty() {
            return Err("some choices of components are too many for vectors".into());
        }
        if rules.rules.iter().any(|rule| !rule.guards.is_empty()) {
            return Err("priorities cannot be said by vectors".into());
        }
        let parameters = self.parameters();
        if let Some((_, text)) = self
            .labels()
            .visible()
            .find(|(_, t)| parameters.is_hidden(t))
        {
            let text = hyades_formats::diagnostic::excerpt(text);
            return Err(format!(
                "the visible label {text} would read like the hidden action"
            ));
        }
        let mut text = self.header();
        let mut vectors: Vec<Vec<u8>> = Vec::new();
        for rule in &rules.rules {
            // Hidden transitions never take part in anything else.
            if let [(_, LabelId::HIDDEN)] = rule.parts[..] {
                continue;
            }
            let mut parts = vec![b"_".to_vec(); self.components().len()];
            for &(component, label) in &rule.parts {
                let own = self.file_of(component as usize).lts.table().text(label);
                parts[component as usize] = quoted(own)?;
            }
            let result = match rule.label.is_hidden() {
                true => quoted(&parameters.hidden[0])?,
                false => quoted(self.labels().text(rule.label))?,
            };
            vectors.push([&parts.join(&b" * "[..]), &b" -> "[..], &result].concat());
        }
        let files = (0..self.components().len()).map(|k| quoted(&self.file_of(k).written));
        let files = files.collect::<Result<Vec<_>, _>>()?;
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

    /// The header of a language in which hidden is called as here, and labels
    /// stay as they are; or how the text has to be read.
    fn header(&self) -> Vec<u8> {
        match &self.parameters().hidden[..] {
            [hidden] if hidden == b"i" => Vec::new(),
            [hidden] if hidden == b"tau" => b"mcrl behaviour\n".to_vec(),
            several => {
                let mut text = b"-- to be read with".to_vec();
                for hidden in several {
                    text.extend_from_slice(b" --hidden ");
                    text.extend_from_slice(hidden);
                }
                text.push(b'\n');
                text
            }
        }
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
                let text = hyades_formats::diagnostic::excerpt(text);
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
