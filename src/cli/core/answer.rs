//! What answers are made of: lines `name: value` and JSON objects.

use std::fmt::{Display, Write};

use hyades_formats::{LabelId, LabelTable, TraceForm};
use serde::Serialize;
use serde_json::{Value, json};

use super::escape::printable_line;
use super::options::TracesOption;
use super::output::Destination;
use super::session::Session;
use super::status::Failure;

/// What `--labels` does, in all commands that have it.
pub const LABELS_HELP: &str = "List the labels: those of an LTS beside its sizes, each with \
    the number of its transitions, in the order of their first appearance, where the hidden \
    one, `i`, comes first as `hidden_label`, or with --json has `\"hidden\": true`; those \
    that a network may have one a line, without exploring it. Control characters show as \
    `\\xHH`, but not with --json";

/// How an answer is given.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Output")]
pub struct AnswerOptions {
    #[command(flatten)]
    json: JsonOption,

    #[command(flatten)]
    traces: TracesOption,
}

impl AnswerOptions {
    /// Whether the answer is a JSON object.
    pub fn is_json(&self) -> bool {
        self.json.is_wanted()
    }

    /// The form of traces.
    pub fn form(&self) -> TraceForm {
        self.traces.get()
    }

    /// Writes the answer to standard output, in a format that the statistics call
    /// `plain` if it is not JSON.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, session: &mut Session, plain: &str, text: &[u8]) -> Result<(), Failure> {
        let format = if self.is_json() { "json" } else { plain };
        session.write_text(&Destination::stdout(), format, text)
    }

    /// As [`AnswerOptions::write`], for an answer that consists of traces.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write_traces(&self, session: &mut Session, text: &[u8]) -> Result<(), Failure> {
        self.write(session, &self.form().name().to_ascii_lowercase(), text)
    }

    /// Whether the user named a form of traces.
    pub fn names_form(&self) -> bool {
        self.traces.is_given()
    }

    /// Warns of a form of traces that no trace is shown in, and says why.
    pub fn tell_unused_form(&self, session: &Session, why: &str) {
        if self.names_form() {
            session.tell_no_effect("--traces", why);
        }
    }

    /// The same where the answer is a JSON object.
    pub fn tell_unused(&self, session: &Session) {
        if self.is_json() {
            self.tell_unused_form(session, "with --json, traces are arrays of labels");
        }
    }
}

/// In which form an answer is written.
#[derive(clap::Args, Clone, Copy, Debug)]
#[command(next_help_heading = "Output")]
pub struct JsonOption {
    /// Answer with one JSON object, whose keys `hyades help json` tells
    #[arg(long)]
    json: bool,
}

impl JsonOption {
    /// Whether it is a JSON object.
    pub fn is_wanted(self) -> bool {
        self.json
    }
}

/// Appends the line `name: value`.
pub fn add_line(text: &mut String, name: &str, value: impl Display) {
    let value = printable_line(&value.to_string());
    let gap = if value.is_empty() { "" } else { " " };
    writeln!(text, "{name}:{gap}{value}").expect("writing to a string");
}

/// The text of a JSON object.
pub fn json_text(object: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(object).expect("names are texts");
    text + "\n"
}

/// A label as JSON: `{"hidden": true}`, or its text.
pub fn label_json(label: LabelId, table: &LabelTable) -> Value {
    match label.is_hidden() {
        true => json!({ "hidden": true }),
        false => String::from_utf8_lossy(table.text(label)).into(),
    }
}
