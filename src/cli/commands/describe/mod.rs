//! `describe`: sizes and properties of a labelled transition system.

pub(crate) mod page;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clap::Parser;
use hyades_formats::Lts;
use hyades_formats::bcg::{Inspection, SECTION_NAMES};
use hyades_formats::diagnostic::{printable, printable_string, printable_text};
use hyades_formats::plts::Manifest;
use hyades_lts::{facts, label_counts};
use serde_json::{Map, Value, json};
use unicode_width::UnicodeWidthStr;

use hyades_cli_core::answer::{self, LABELS_HELP};
use hyades_cli_core::{
    Asks, Command, Destination, DialectOption, Epilogue, Failure, HtmlOption, JsonOption,
    ReadOptions, RunOptions, Session, Status, TextOption, input_name,
};

const EPILOGUE: Epilogue = Epilogue {
    example: "reach big.aut.gz | describe --json | jq .deadlocks",
    asks: Asks::Nothing,
    open: Epilogue::MEMORY,
};

/// Print sizes and properties of LTSs
///
/// One `name: value` a line, or with --json one object with the same names; of several
/// inputs a table, one column each, or with --json `{"files": […]}`.
/// Unreachable states count; `reach` removes them. Labels of transitions count
/// as often as they are different, the hidden one included. Of a file in BCG
/// version, comment, sections and shapes of labels are told too, but not in the table.
/// Of a partitioned LTS the manifest is told, which has sizes, and no part is read; with
/// --all, --labels, --html, --hidden or --tau all of it is read, and told like others.
/// The page of --html shows labels by frequency, degrees, levels, components and the
/// rounds in which strong bisimilarity tells states apart.
#[derive(Parser)]
#[command(name = "describe", after_help = EPILOGUE.text())]
pub struct Describe {
    #[command(flatten)]
    json: JsonOption,

    #[arg(long, help = LABELS_HELP)]
    labels: bool,

    /// Read all of a partitioned LTS, not its manifest alone
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    html: HtmlOption,

    #[command(flatten)]
    output: TextOption,

    /// The files to read; `-` is standard input, which is read if none is named
    #[arg(
        value_name = "INPUT",
        help_heading = "Input",
        default_value = "-",
        hide_default_value = true
    )]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    read: ReadOptions,
    #[command(flatten)]
    dialect: DialectOption,
    #[command(flatten)]
    run: RunOptions,
}

/// What there is to tell about one input.
struct Description {
    /// How the user calls the input.
    name: String,
    facts: Map<String, Value>,
    labels: Option<Vec<UsedLabel>>,
    page: Option<page::Plots>,
}

impl Command for Describe {
    const NAME: &'static str = "describe";
    const BRIEF: &'static str = include_str!("brief.txt");

    fn run_options(&self) -> &RunOptions {
        &self.run
    }

    fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.output.get()?;
        let html = self.html.get()?;
        session.tell_no_writing("describe writes no LTS");
        let inputs: Vec<&Path> = self.inputs.iter().map(PathBuf::as_path).collect();
        if inputs
            .iter()
            .filter(|input| **input == Path::new("-"))
            .count()
            > 1
        {
            return Err(Failure::error("only one input can be standard input"));
        }
        let is_alone = HtmlOption::replaces(html.as_ref(), &destination);
        let answer = (!is_alone).then_some(&destination);
        let outputs: Vec<&Destination> = answer.into_iter().chain(&html).collect();
        session.check_outputs(&inputs, &outputs)?;
        if inputs.len() > 1 {
            // A single one may be replaced by what is told of it.
            session.check_spares(&destination, inputs.iter().copied())?;
        }
        session.expect_inputs(inputs.len());
        let described: Result<Vec<Description>, Failure> = inputs
            .iter()
            .map(|input| self.describe(session, input, html.is_some()))
            .collect();
        let described = described?;
        if !is_alone {
            let (format, text) = match self.json.is_wanted() {
                true => ("json", json_text(&described)),
                false => ("text", text(&described)),
            };
            session.write_text(&destination, format, &text)?;
        }
        if let Some(html) = &html {
            let page = page::report(&described).html();
            session.write_text(html, "html", page.as_bytes())?;
        }
        Ok(Status::Holds)
    }
}

impl Describe {
    /// Reads an input, and finds out what there is to tell.
    fn describe(
        &self,
        session: &mut Session,
        input: &Path,
        has_page: bool,
    ) -> Result<Description, Failure> {
        if !(self.all || self.labels || has_page || self.read.hides())
            && let Some(manifest) = session.read_manifest(input, &self.read)?
        {
            session.note(format_args!(
                "{}: this is what the manifest tells; no part has been read, which --all does",
                input_name(input)
            ));
            return Ok(Description {
                name: input_name(input),
                facts: manifest_facts(&manifest),
                labels: None,
                page: None,
            });
        }
        if self.all && !input.is_dir() {
            let why = format!(
                "{} is no partitioned LTS, and read as a whole",
                input_name(input)
            );
            session.tell_no_effect("--all", &why);
        }
        let (lts, inspection) = session.read_inspected(input, &self.read, &self.dialect)?;
        let (facts, labels) = session.phase("examine", |_| {
            Ok((facts(&lts), self.labels.then(|| used_labels(&lts))))
        })?;
        let Ok(Value::Object(mut facts)) = serde_json::to_value(&facts) else {
            unreachable!("facts are a struct of numbers and truth values");
        };
        if let Some(inspection) = &inspection {
            facts.extend(bcg_facts(inspection));
        }
        let page = has_page
            .then(|| page::Plots::of(session, lts))
            .transpose()?;
        Ok(Description {
            name: input_name(input),
            facts,
            labels,
            page,
        })
    }
}

/// What the manifest of a partitioned LTS tells.
fn manifest_facts(manifest: &Manifest) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut add = |name: &str, value: Value| facts.insert(name.to_owned(), value);
    add("states", manifest.states.into());
    add("initial", manifest.initial.into());
    add("transitions", manifest.transitions.into());
    add("plts_labels", manifest.labels.count.into());
    add("plts_sorted", manifest.sorted.name().into());
    add("plts_state_bytes", manifest.state_bytes.into());
    add("plts_label_bytes", manifest.label_bytes.into());
    add("plts_parts", manifest.parts.len().into());
    add("plts_bytes", manifest.bytes().into());
    add("plts_made_by", manifest.made_by.clone().into());
    add("plts_run", manifest.run.clone().into());
    facts
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

/// `name: value` a line, the values in JSON; of several a table.
fn text(described: &[Description]) -> Vec<u8> {
    let [one] = described else {
        return table(described);
    };
    let mut text = Vec::new();
    for (name, value) in &one.facts {
        text.extend_from_slice(format!("{name}: ").as_bytes());
        text.extend_from_slice(&printable(value.to_string().as_bytes()));
        text.push(b'\n');
    }
    for used in one.labels.iter().flatten() {
        let name = if used.is_hidden {
            "hidden_label"
        } else {
            "label"
        };
        text.extend_from_slice(format!("{name}: {} ", used.transitions).as_bytes());
        text.extend_from_slice(&printable_text(&used.text));
        text.push(b'\n');
    }
    text
}

/// The names of the facts of inputs: first those of the one with most of them, as a manifest
/// tells less, and then what only others have. What BCG files are made of is not among them.
fn compared_facts(described: &[Description]) -> Vec<&String> {
    let most = described.iter().rev().max_by_key(|one| one.facts.len());
    let mut names = Vec::new();
    for name in most
        .into_iter()
        .chain(described)
        .flat_map(|one| one.facts.keys())
    {
        if !name.starts_with("bcg_") && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Labels of all inputs, in the order of their first appearance, each with the number of
/// its transitions in each of them.
fn common_labels(described: &[Description]) -> Vec<(&UsedLabel, Vec<u64>)> {
    let mut numbers = HashMap::new();
    let mut rows: Vec<(&UsedLabel, Vec<u64>)> = Vec::new();
    for (column, one) in described.iter().enumerate() {
        for label in one.labels.iter().flatten() {
            let row = *numbers
                .entry((label.is_hidden, &label.text))
                .or_insert_with(|| {
                    rows.push((label, vec![0; described.len()]));
                    rows.len() - 1
                });
            rows[row].1[column] = label.transitions;
        }
    }
    rows
}

/// A value as a cell has it: of fractions, at most three digits.
fn shown(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(fraction) => {
            let digits = format!("{fraction:.3}");
            digits
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned()
        }
        None => value.to_string(),
    }
}

/// A column of names, and one for each input.
fn table(described: &[Description]) -> Vec<u8> {
    let mut rows = vec![vec![String::new()]];
    rows[0].extend(described.iter().map(|one| one.name.clone()));
    for name in compared_facts(described) {
        let values = described.iter().map(|one| one.facts.get(name));
        let values = values.map(|value| value.map_or_else(String::new, shown));
        rows.push(std::iter::once(name.clone()).chain(values).collect());
    }
    for (label, counts) in common_labels(described) {
        let kind = if label.is_hidden {
            "hidden_label"
        } else {
            "label"
        };
        let name = format!("{kind} {}", printable_string(&label.text));
        let counts = counts.iter().map(u64::to_string);
        rows.push(std::iter::once(name).chain(counts).collect());
    }
    let columns = described.len() + 1;
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].width())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let room = " ".repeat(width - cell.width());
            match column {
                0 => text.extend([cell.as_str(), &room]),
                _ => text.extend(["  ", &room, cell.as_str()]),
            }
        }
        text.push('\n');
    }
    text.into_bytes()
}

/// An object, of several inputs one for all.
fn json_text(described: &[Description]) -> Vec<u8> {
    let object = |one: &Description| {
        let mut object = one.facts.clone();
        if let Some(labels) = &one.labels {
            object.insert("label".into(), labels.iter().map(UsedLabel::json).collect());
        }
        object
    };
    let all = match described {
        [one] => Value::Object(object(one)),
        several => {
            let files = several.iter().map(|one| {
                let mut file = Map::new();
                file.insert("file".into(), one.name.clone().into());
                file.extend(object(one));
                Value::Object(file)
            });
            json!({ "files": files.collect::<Vec<_>>() })
        }
    };
    answer::json_text(&all).into_bytes()
}

/// A label that occurs.
struct UsedLabel {
    /// A visible label may have the text that stands for the hidden one.
    is_hidden: bool,
    text: Vec<u8>,
    transitions: u64,
}

impl UsedLabel {
    fn json(&self) -> Value {
        let mut object = json!({
            "text": String::from_utf8_lossy(&self.text),
            "hidden": self.is_hidden,
            "transitions": self.transitions,
        });
        // JSON has texts only.
        if str::from_utf8(&self.text).is_err() {
            object["text"] = printable_string(&self.text).into();
            object["bytes"] = self.text.as_slice().into();
        }
        object
    }
}

/// The labels that occur, by their numbers.
fn used_labels(lts: &Lts) -> Vec<UsedLabel> {
    let hidden = std::iter::once((true, b"i".as_slice()));
    let visible = lts.table().visible().map(|(_, text)| (false, text));
    let used =
        hidden
            .chain(visible)
            .zip(label_counts(lts))
            .map(|((is_hidden, text), transitions)| UsedLabel {
                is_hidden,
                text: text.to_vec(),
                transitions,
            });
    used.filter(|label| label.transitions > 0).collect()
}
