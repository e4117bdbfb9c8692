//! `describe`: sizes and properties of a labelled transition system.

use clap::Parser;
use hyades_formats::Lts;
use hyades_formats::bcg::{Inspection, SECTION_NAMES};
use hyades_formats::diagnostic::{printable, printable_string, printable_text};
use hyades_lts::{facts, label_counts};
use serde_json::{Map, Value, json};

use hyades_cli_core::answer::LABELS_HELP;
use hyades_cli_core::{
    Command, DialectOption, Epilogue, Failure, InputOption, JsonOption, ReadOptions, RunOptions,
    Session, Status, TextOption,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "reach big.aut.gz | describe --json | jq .deadlocks",
    asks: false,
    open: Epilogue::MEMORY,
};

/// Tell the sizes and properties of a labelled transition system
///
/// One `name: value` a line, or with --json one object with the same names.
/// Unreachable states count; `reach` removes them. Labels of transitions count
/// as often as they are different, the hidden one included. Of a file in BCG
/// version, comment, sections and shapes of labels are told too.
#[derive(Parser)]
#[command(name = "describe", version, after_help = EPILOGUE.text())]
pub struct Describe {
    #[command(flatten)]
    json: JsonOption,

    #[arg(long, help = LABELS_HELP)]
    labels: bool,

    #[command(flatten)]
    output: TextOption,
    #[command(flatten)]
    input: InputOption,
    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    run: RunOptions,
}

impl Command for Describe {
    const NAME: &'static str = "describe";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        session.tell_no_writing("describe writes no LTS");
        session.check_outputs(&[&self.input.input], &[&destination])?;
        let (lts, inspection) =
            session.read_inspected(&self.input.input, &self.read, &self.dialect)?;
        let (facts, counts) = session.phase("examine", |_| {
            Ok((facts(&lts), self.labels.then(|| label_counts(&lts))))
        })?;
        let Ok(Value::Object(mut facts)) = serde_json::to_value(&facts) else {
            unreachable!("facts are a struct of numbers and truth values");
        };
        if let Some(inspection) = &inspection {
            facts.extend(bcg_facts(inspection));
        }
        let text = if self.json.is_wanted() {
            if let Some(counts) = counts {
                facts.insert("label".into(), labels_json(&lts, &counts));
            }
            json_text(&facts)
        } else {
            let mut text = lines(&facts);
            for used in counts.iter().flat_map(|c| used_labels(&lts, c)) {
                let name = if used.hidden { "hidden_label" } else { "label" };
                text.extend_from_slice(format!("{name}: {} ", used.transitions).as_bytes());
                text.extend_from_slice(&printable_text(used.text));
                text.push(b'\n');
            }
            text
        };
        let format = if self.json.is_wanted() {
            "json"
        } else {
            "text"
        };
        session.write_text(&destination, format, &text)?;
        Ok(Status::Holds)
    }
}

/// What a BCG file is made of.
fn bcg_facts(inspection: &Inspection) -> Map<String, Value> {
    let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes));
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| facts.insert(format!("bcg_{name}"), value);
    add("version", inspection.version.to_string().into());
    add("comment", text(&inspection.comment));
    add("parameters", inspection.parameters.to_string().into());
    for (number, section) in inspection.sections.iter().enumerate() {
        let content = SECTION_NAMES[number];
        let bytes = section.end - section.start;
        add(
            &format!("section_{number}"),
            json!({ "content": content, "offset": section.start, "bytes": bytes }),
        );
    }
    add(
        "gates",
        inspection.gates.iter().map(|gate| text(gate)).collect(),
    );
    add("labels", inspection.labels.into());
    let shapes = inspection
        .shapes
        .iter()
        .map(|shape| json!({ "fields": shape.fields, "labels": shape.labels }));
    add("label_shapes", shapes.collect());
    facts
}

/// `name: value` a line, the values in JSON.
fn lines(facts: &Map<String, Value>) -> Vec<u8> {
    let mut text = Vec::new();
    for (name, value) in facts {
        text.extend_from_slice(format!("{name}: ").as_bytes());
        text.extend_from_slice(&printable(value.to_string().as_bytes()));
        text.push(b'\n');
    }
    text
}

fn json_text(facts: &Map<String, Value>) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(facts).expect("names are texts");
    text.push(b'\n');
    text
}

/// A label that occurs.
struct UsedLabel<'a> {
    /// A visible label may have the text that stands for the hidden one.
    hidden: bool,
    text: &'a [u8],
    transitions: u64,
}

/// The labels that occur, by their numbers.
fn used_labels<'a>(
    lts: &'a Lts,
    counts: &'a [u64],
) -> impl Iterator<Item = UsedLabel<'a>> + use<'a> {
    let hidden = std::iter::once((true, b"i".as_slice()));
    let visible = lts.table().visible().map(|(_, text)| (false, text));
    let used = hidden
        .chain(visible)
        .zip(counts)
        .map(|((hidden, text), &transitions)| UsedLabel {
            hidden,
            text,
            transitions,
        });
    used.filter(|label| label.transitions > 0)
}

fn labels_json(lts: &Lts, counts: &[u64]) -> Value {
    used_labels(lts, counts)
        .map(|label| {
            let mut object = json!({
                "text": String::from_utf8_lossy(label.text),
                "hidden": label.hidden,
                "transitions": label.transitions,
            });
            // JSON has texts only.
            if str::from_utf8(label.text).is_err() {
                object["text"] = printable_string(label.text).into();
                object["bytes"] = label.text.into();
            }
            object
        })
        .collect()
}
