//! `bcg_graph`: buffers, and the system that allows everything.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use hyades_base::buffer::Discipline;
use hyades_explore::Limits;
use hyades_formats::LabelId;
use hyades_formats::diagnostic::{counted, printable_path};
use hyades_generate::{buffer_of, chaos_of};
use hyades_lts::relabel::Scramble;

use super::{Arguments, Kind, Tool, bcg_output};
use hyades_cli_core::{Failure, Session, Unit, read_text, show_lts};

pub const TOOL: Tool = Tool {
    name: "bcg_graph",
    usage: "[OPTIONS] -chaos [LABELFILE|-labels N PATTERN] OUTPUT[.bcg]\n\
            \x20      bcg_graph [OPTIONS] {-bag|-fifo} PLACES [LABELFILE|-labels N PUT GET] \
            OUTPUT[.bcg]",
    kind: Kind::Files(run),
};

/// What is made.
enum Graph {
    Chaos,
    Buffer(Discipline, u64),
}

impl Graph {
    /// How many labels stand for a message.
    fn labels_of_message(&self) -> usize {
        match self {
            Graph::Chaos => 1,
            Graph::Buffer(..) => 2,
        }
    }
}

fn run(mut arguments: Arguments, session: &mut Session) -> Result<(), Failure> {
    let mut graph = None;
    let mut labels = None;
    let mut files = Vec::new();
    loop {
        let Some(option) = arguments.option() else {
            match arguments.words.pop_front() {
                Some(file) => files.push(file),
                None => break,
            }
            continue;
        };
        let discipline = match &option[..] {
            "-chaos" => None,
            "-bag" => Some(Discipline::Bag),
            "-fifo" => Some(Discipline::Fifo),
            "-labels" => {
                let Some(graph) = &graph else {
                    return Err(arguments.wrong("-labels stands behind -chaos, -bag N or -fifo N"));
                };
                labels = Some(by_patterns(&mut arguments, graph)?);
                continue;
            }
            "-monitor" | "-verbose" => {
                session.detail(format_args!("{option} has no effect"));
                continue;
            }
            _ if arguments.common(session, &option, true)? => continue,
            _ => return Err(arguments.unknown(&option)),
        };
        if graph.is_some() {
            return Err(arguments.wrong(format!("{option} is too much: one kind of graph is made")));
        }
        graph = Some(match discipline {
            None => Graph::Chaos,
            Some(discipline) => Graph::Buffer(discipline, number(&mut arguments, &option)?),
        });
    }
    let Some(graph) = graph else {
        return Err(arguments.wrong("-chaos, -bag or -fifo is missing"));
    };
    arguments.words.extend(files);
    let most = if labels.is_some() { 1 } else { 2 };
    let mut operands = arguments.operands(1, most)?;
    let mut output = bcg_output(&operands.pop().expect("there is one at least"))?;
    output.options.bcg.parse_labels = true;
    let labels = match labels {
        Some(labels) => {
            session.check_outputs(&[], &[&output.destination])?;
            labels
        }
        None => {
            // As other filters, from standard input without a name.
            let file = operands.pop();
            let file = file.as_deref().map_or(Path::new("-"), Path::new);
            session.check_outputs(&[file], &[&output.destination])?;
            read_labels(file, &graph)?
        }
    };
    let lts = session.phase("generate", |phase| {
        phase.progress("generating", Unit::None, None);
        let limits = Limits::default();
        let member = match graph {
            Graph::Chaos => chaos_of(&labels),
            Graph::Buffer(discipline, places) => buffer_of(discipline, places, &labels, limits),
        };
        let lts = member.and_then(|member| member.into_lts(limits));
        let lts = lts.map_err(|error| Failure::error(error.to_string()))?;
        phase.summary(|| show_lts(&lts));
        Ok(lts)
    })?;
    session.write(&output, &lts)
}

/// The number behind an option.
fn number(arguments: &mut Arguments, option: &str) -> Result<u64, Failure> {
    let value = arguments.value(option, "a number")?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        arguments.wrong(format!(
            "found {} behind {option}, expected a number",
            printable_path(value)
        ))
    })
}

/// The labels that patterns stand for, with the numbers from 0 on; those of a message one after
/// the other.
fn by_patterns(arguments: &mut Arguments, graph: &Graph) -> Result<Vec<Vec<u8>>, Failure> {
    let count = number(arguments, "-labels")?;
    if count >= LabelId::MAX_COUNT {
        return Err(arguments.wrong(format!(
            "found {count} labels, expected less than {}",
            LabelId::MAX_COUNT
        )));
    }
    let count = count as usize;
    let mut patterns = Vec::new();
    for _ in 0..graph.labels_of_message() {
        let pattern = arguments.value("-labels", "a pattern")?;
        let scramble = Scramble::new(pattern.as_bytes()).map_err(|why| {
            arguments.wrong(format!("-labels {}: {why}", printable_path(&pattern)))
        })?;
        patterns.push(scramble);
    }
    let numbers = 0..count;
    Ok(numbers
        .flat_map(|k| patterns.iter().map(move |pattern| pattern.text(k)))
        .collect())
}

/// The labels in a file, one in a line.
fn read_labels(file: &Path, graph: &Graph) -> Result<Vec<Vec<u8>>, Failure> {
    let (name, text) = read_text(file)?;
    let lines = text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let labels: Vec<Vec<u8>> = lines
        .filter(|line| !line.is_empty())
        .map(<[u8]>::to_vec)
        .collect();
    if !labels.len().is_multiple_of(graph.labels_of_message()) {
        return Err(Failure::error(format!(
            "{name}: found {}, expected two for each message: the one by which it is put into the \
             buffer, and in the next line the one by which it is taken out",
            counted(labels.len(), "label")
        )));
    }
    Ok(labels)
}
