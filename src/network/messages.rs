//! What there is to say about the texts of a network.
//!
//! Of texts and rules that another text names nothing is quoted, as whoever wrote that one
//! need not be allowed to see them: messages about them tell the place and what is wrong,
//! and have `…` where something would stand that they say.

use std::fmt;
use std::sync::Arc;

use hyades_formats::diagnostic::{Log, excerpt};
use hyades_formats::{Diagnostic, ReadError, Severity, Sink};
use hyades_lts::relabel::NO_GATE;

use super::Options;
use super::lex::{Place, SyntaxError};
use super::syntax::Text;

/// Shows what a text says, or that something is not shown.
pub(super) type Quote<'a> = dyn Fn(&[u8]) -> String + 'a;

/// A message of something in a text, as it is for who may see the text, and for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Told {
    text: String,
    /// None if nothing is quoted.
    discreet: Option<String>,
}

impl Told {
    /// A message that quotes what a text says through what it is given, and not otherwise.
    pub(super) fn quoting(text: impl Fn(&Quote<'_>) -> String) -> Self {
        let told = text(&excerpt);
        let discreet = text(&|_| ELIDED.into());
        match discreet == told {
            true => told.into(),
            false => Self::hiding(told, &discreet),
        }
    }

    /// A message of which some may see nothing but `discreet`.
    pub(super) fn hiding(text: String, discreet: &str) -> Self {
        Self {
            text,
            discreet: Some(format!(
                "{discreet}; what is there is not shown, as another file names this one"
            )),
        }
    }

    /// What is told of a file that cannot be read, the name of which is what a text says.
    pub(super) fn of_file(mut error: ReadError, text: impl Fn(&ReadError) -> String) -> Self {
        let told = text(&error);
        match &mut error {
            ReadError::Io { file, .. }
            | ReadError::Format { file, .. }
            | ReadError::Refused { file, .. }
            | ReadError::TooLarge { file, .. }
            | ReadError::Limit { file, .. } => *file = ELIDED.into(),
        }
        Self::hiding(told, &text(&error))
    }
}

/// What stands in place of what a text says.
const ELIDED: &str = "`…`";

impl<T: Into<String>> From<T> for Told {
    fn from(text: T) -> Self {
        Self {
            text: text.into(),
            discreet: None,
        }
    }
}

/// As it is for who may see the text.
impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Findings, by text.
pub(super) struct Messages {
    texts: Vec<About>,
}

/// Findings about a text.
struct About {
    name: Arc<str>,
    /// Whether it may be quoted.
    is_shown: bool,
    log: Log,
}

impl Messages {
    pub fn new(texts: &[Text], options: &Options) -> Self {
        let texts = texts.iter().enumerate().map(|(k, text)| About {
            name: Arc::clone(&text.name),
            is_shown: k == 0 || options.is_given && text.is_named_by_whole,
            log: Log::new(),
        });
        Self {
            texts: texts.collect(),
        }
    }

    /// A finding at a place.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        place: Place,
        told: impl FnOnce() -> Told,
    ) {
        let About { is_shown, log, .. } = &mut self.texts[place.text as usize];
        log.add(severity, code, Some(place.position), || {
            let Told { text, discreet } = told();
            match *is_shown {
                true => text,
                false => discreet.unwrap_or(text),
            }
        });
    }

    /// A finding that ends the reading.
    pub fn error(&mut self, error: SyntaxError) {
        let SyntaxError { place, code, told } = error;
        self.add(Severity::Error, code, place, || told);
    }

    /// Where findings about rules go that stand in the text of this place; they quote
    /// rules.
    pub fn rules(&mut self, place: Place) -> &mut Log {
        &mut self.texts[place.text as usize].log
    }

    /// How many errors there were.
    pub fn errors(&self) -> u64 {
        self.texts.iter().map(|about| about.log.errors()).sum()
    }

    /// Hands over everything; how many errors there are.
    pub fn hand_over(mut self, sink: &mut Sink<'_>) -> u64 {
        let errors = self.errors();
        for about in &mut self.texts {
            let is_shown = about.is_shown;
            about
                .log
                .drain_into(Some(&about.name), &mut |d| match is_shown {
                    true => sink(d),
                    false => sink(discreet_rule(d)),
                });
        }
        errors
    }
}

/// A finding about rules, without the rule, which the place tells; any other as it is.
pub(super) fn discreet_rule(diagnostic: Diagnostic) -> Diagnostic {
    let text = match (diagnostic.code, diagnostic.position) {
        ("rule-offers", Some(_)) => NO_GATE,
        ("rule-unused", Some(_)) => "no label matches",
        _ => return diagnostic,
    };
    Diagnostic {
        text: text.into(),
        ..diagnostic
    }
}
