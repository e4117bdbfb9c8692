//! What there is to say about the texts of a network.

use std::sync::Arc;

use hyades_formats::diagnostic::Log;
use hyades_formats::{Severity, Sink};

use super::lex::{Place, SyntaxError};
use super::syntax::Text;

/// Findings, by text.
pub(super) struct Messages {
    names: Vec<Arc<str>>,
    logs: Vec<Log>,
}

impl Messages {
    pub fn new(texts: &[Text]) -> Self {
        Self {
            names: texts.iter().map(|text| Arc::clone(&text.name)).collect(),
            logs: vec![Log::new(); texts.len()],
        }
    }

    /// A finding at a place.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        place: Place,
        text: impl FnOnce() -> String,
    ) {
        self.log(place)
            .add(severity, code, Some(place.position), text);
    }

    /// A finding that ends the reading.
    pub fn error(&mut self, error: SyntaxError) {
        let SyntaxError { place, code, text } = error;
        self.add(Severity::Error, code, place, || text);
    }

    /// The findings in the text of this place.
    pub fn log(&mut self, place: Place) -> &mut Log {
        &mut self.logs[place.text as usize]
    }

    /// How many errors there were.
    pub fn errors(&self) -> u64 {
        self.logs.iter().map(Log::errors).sum()
    }

    /// Hands over everything; how many errors there are. Of texts that are
    /// included nothing is quoted.
    pub fn hand_over(mut self, sink: &mut Sink<'_>) -> u64 {
        let errors = self.errors();
        for (k, (log, name)) in self.logs.iter_mut().zip(&self.names).enumerate() {
            match k {
                0 => log.drain_into(Some(name), sink),
                _ => log.drain_into(Some(name), &mut |d| sink(d.discreet("a network in EXP"))),
            }
        }
        errors
    }
}
