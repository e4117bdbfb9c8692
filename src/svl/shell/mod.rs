//! A script as a program for a Bourne shell.
//!
//! `prelude.sh` has the functions that do things: each statement becomes a few calls of
//! them. What is between quotes in a script becomes a word between double quotes, in which
//! nothing but variables means anything to the shell.

pub(crate) mod buffers;
mod network;
pub(crate) mod sources;

use std::collections::HashSet;
use std::fmt::Write;

use crate::print::Statement;
use crate::survey::{each, refused_line, rules, subjects, unsupported};
use crate::syntax::{
    Behaviour, Expectation, Item, ItemKind, Label, Labels, Markov, Order, Place, Property,
    Question, Reduction, Relation, Script, Strategy, Text, Verification,
};
use crate::text::Word;
use sources::{Instances, ending, is_readable};

/// The functions that statements call.
const PRELUDE: &str = include_str!("prelude.sh");

/// What the program is told beside the script.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The program that has all commands of Hyades, by its full path.
    pub hyades: String,
    /// What it says its version is.
    pub version: String,
    /// The script, as messages call it.
    pub name: String,
    /// Where the log is written.
    pub log: String,
    /// Where is told what has been made from what.
    pub record: String,
    /// Go on after errors.
    pub ignore: bool,
    /// Say nothing but verdicts and errors.
    pub silent: bool,
    /// Keep temporary files.
    pub debug: bool,
    /// Do not make again what would become the same.
    pub incremental: bool,
    /// Files that take the place of those that have to be compiled: what they are called
    /// in the script, and the file.
    pub lts: Vec<(String, String)>,
    /// Variables, with names that a shell allows, and their values.
    pub variables: Vec<(String, String)>,
    /// Options of all commands.
    pub options: Vec<String>,
    /// Options of those that explore.
    pub limits: Vec<String>,
    /// The names of the relations that there are, for messages.
    pub relations: Vec<String>,
}

/// A program for a Bourne shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Translation {
    text: String,
    /// Of each line of the text the line of the script that it is from, or 0.
    lines: Vec<usize>,
}

impl Translation {
    /// Translates a script whose strategies are spelt out ([`expand`](crate::expand)).
    ///
    /// O(length).
    pub fn of(script: &Script, settings: &Settings) -> Self {
        let mut writer = Writer {
            settings,
            text: String::new(),
            lines: Vec::new(),
            line: 0,
            variables: 0,
            sources: Vec::new(),
            steps: Vec::new(),
            seen: HashSet::new(),
            is_elsewhere: false,
            is_kept: false,
            depth: 0,
            instances: Instances::of(script),
        };
        writer.head(has_here_document(&script.items));
        writer.properties(&script.items);
        writer.items(&script.items);
        writer.line = 0;
        writer.put("svl_end_of_script");
        Self {
            text: writer.text,
            lines: writer.lines,
        }
    }

    /// The program; [`encoded`](crate::encoded) has its bytes.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line of the script that a line of the program, from 1 on, is from.
    pub fn line_of_script(&self, line: usize) -> Option<usize> {
        let line = *self.lines.get(line.checked_sub(1)?)?;
        (line > 0).then_some(line)
    }
}

/// Whether a line for the shell may begin a here-document, which could swallow the rest.
fn has_here_document(items: &[Item]) -> bool {
    items.iter().any(|item| match &item.kind {
        ItemKind::Shell(line) => line.contains("<<"),
        ItemKind::Property(property) => has_here_document(&property.items),
        ItemKind::Assignment(..)
        | ItemKind::Verification(_)
        | ItemKind::Expectation(_)
        | ItemKind::Check(..) => false,
    })
}

struct Writer<'a> {
    settings: &'a Settings,
    text: String,
    lines: Vec<usize>,
    /// The line of the script.
    line: usize,
    /// How many variables the statement has.
    variables: u32,
    /// What finds its files.
    sources: Vec<String>,
    /// What does its work.
    steps: Vec<String>,
    /// Files of the statement that have been told.
    seen: HashSet<String>,
    /// Whether the network that is written may go to another directory.
    is_elsewhere: bool,
    /// Whether what a network consists of is kept.
    is_kept: bool,
    /// How many files are being made that take others.
    depth: u32,
    instances: Instances,
}

impl Writer<'_> {
    /// A line, or several, of the program.
    fn put(&mut self, line: &str) {
        for line in line.split('\n') {
            self.text.push_str(line);
            self.text.push('\n');
            self.lines.push(self.line);
        }
    }

    fn head(&mut self, has_here_document: bool) {
        let settings = self.settings;
        self.put("#!/bin/sh");
        self.put("# Made from a script by svl: see `hyades svl --help`.");
        let flag = |on: bool| if on { "yes" } else { "" };
        let lts: Vec<String> = settings
            .lts
            .iter()
            .map(|(name, file)| format!("{name}={file}\n"))
            .collect();
        for (name, value) in [
            ("svl_hyades", &settings.hyades[..]),
            ("svl_version", &settings.version),
            ("svl_script", &settings.name),
            ("svl_log", &settings.log),
            ("svl_record", &settings.record),
            ("svl_ignore", flag(settings.ignore)),
            ("svl_silent", flag(settings.silent)),
            ("svl_debug", flag(settings.debug)),
            ("svl_incremental", flag(settings.incremental)),
            ("svl_has_here_document", flag(has_here_document)),
            ("svl_options", &settings.options.join(" ")),
            ("svl_limits", &settings.limits.join(" ")),
            ("svl_relations", &settings.relations.join(", ")),
            ("svl_lts", &lts.concat()),
        ] {
            let word = Word::of(value);
            self.put(&format!("{name}={word}"));
        }
        self.put(PRELUDE.trim_end());
        for (name, value) in &settings.variables {
            let word = Word::of(value);
            self.put(&format!("{name}={word}"));
        }
    }

    /// The functions that check properties: there from the beginning, wherever they
    /// stand.
    fn properties(&mut self, items: &[Item]) {
        for item in items {
            let ItemKind::Property(property) = &item.kind else {
                continue;
            };
            self.properties(&property.items);
            self.line = item.place.line;
            self.property(property);
        }
    }

    fn property(&mut self, property: &Property) {
        let Property {
            name,
            parameters,
            comments,
            items,
        } = property;
        let line = self.line;
        // A `return` in a line for the shell ends what is checked, not the property.
        self.put(&format!("svl_body_{name} () {{"));
        self.items(items);
        // What a condition of the last line says is no failure.
        self.put(":");
        self.put("}");
        self.put(&format!("svl_property_{name} () {{"));
        for (at, parameter) in parameters.iter().enumerate() {
            self.put(&format!("svl_push {parameter} \"$svl_argument_{at}\""));
        }
        let mut arguments = Word::default();
        for (at, parameter) in parameters.iter().enumerate() {
            arguments.push_str(if at == 0 { " (" } else { ", " });
            arguments.push_variable(parameter);
        }
        arguments.push_str(if parameters.is_empty() { "" } else { ")" });
        let mut comment = Word::default();
        for (at, text) in comments.iter().enumerate() {
            comment.push_str(if at == 0 { ": " } else { " " });
            comment.push_text(text);
        }
        self.put(&format!(
            "svl_property {line} {name} {arguments} {comment} || :"
        ));
        self.put(&format!("svl_body_{name} \"$@\""));
        self.put("svl_end_property || :");
        for parameter in parameters.iter().rev() {
            self.put(&format!("svl_pop {parameter}"));
        }
        self.put("}");
    }

    fn items(&mut self, items: &[Item]) {
        for (at, item) in items.iter().enumerate() {
            self.line = item.place.line;
            match &item.kind {
                ItemKind::Shell(line) => match refused_line(line) {
                    Some(text) => {
                        let (line, text) = (self.line, Word::of(&text));
                        self.put(&format!("svl_line={line}; svl_error 2 {text} || :"));
                    }
                    None => self.put(line),
                },
                ItemKind::Property(property) if property.parameters.is_empty() => {
                    self.put(&format!("svl_property_{} \"$@\"", property.name));
                }
                ItemKind::Property(_) => {}
                ItemKind::Check(name, arguments) => {
                    for (at, argument) in arguments.iter().enumerate() {
                        let word = Word::of_text(argument);
                        self.put(&format!("svl_argument_{at}={word}"));
                    }
                    self.put(&format!("svl_property_{name} \"$@\""));
                }
                ItemKind::Assignment(target, behaviour) => {
                    self.assignment(&item.kind, target, behaviour);
                }
                ItemKind::Verification(verification) => {
                    let next = items.get(at + 1).map(|item| &item.kind);
                    let expectation = match next {
                        Some(ItemKind::Expectation(expectation)) => Some(expectation),
                        _ => None,
                    };
                    self.verification(&item.kind, verification, expectation);
                }
                // With the verification before it.
                ItemKind::Expectation(_) => {}
            }
        }
    }

    /// Begins a statement.
    fn begin(&mut self, kind: &ItemKind) {
        self.variables = 0;
        self.sources.clear();
        self.steps.clear();
        self.seen.clear();
        let statement = Statement(kind).to_string();
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let statement = statement.trim_end_matches(';');
        const COLUMNS: usize = 95;
        let shown = match statement.char_indices().nth(COLUMNS) {
            Some((end, _)) => format!("{}…", &statement[..end]),
            None => statement.to_owned(),
        };
        let shown = Word::of_text(&Text::of_formula(&shown));
        self.put(&format!("svl_begin {} {shown} &&", self.line));
        if self.settings.incremental {
            let all = Word::of_text(&Text::of_formula(statement));
            self.sources.push(format!("svl_what {all}"));
        }
    }

    /// Ends a statement: what it does unless it has been done, and what is said then.
    fn end(&mut self, said: &str) {
        let mut lines = String::new();
        // What is looked for may not be there; what else is read is known before.
        let (looked_for, told): (Vec<&String>, Vec<&String>) = self
            .sources
            .iter()
            .partition(|line| line.starts_with("svl_source"));
        for line in told {
            let _ = writeln!(lines, "{line} &&");
        }
        if looked_for.len() > 1 {
            let _ = writeln!(lines, "svl_expect_sources {} &&", looked_for.len());
        }
        for line in looked_for {
            let _ = writeln!(lines, "{line} &&");
        }
        let steps = self.steps.join(" &&\n   ");
        // Where the status of a command is looked at, `set -e` does not end the script.
        let _ = write!(
            lines,
            "if svl_fresh; then :; else\n   {steps}\nfi &&\n{said} && :\nsvl_end $? || :"
        );
        self.put(&lines);
    }

    /// What the statement does depends on this variable.
    fn default(&mut self, variable: &str) {
        if self.settings.incremental {
            self.sources.push(format!("svl_default {variable}"));
        }
    }

    fn variable(&mut self) -> String {
        self.variables += 1;
        format!("svl_{}", self.variables)
    }

    fn step(&mut self, step: String) {
        self.steps.push(step);
    }

    /// A new temporary file; the variable that has its name.
    fn temporary(&mut self, ending: &str) -> Word {
        let variable = self.variable();
        let command = match self.is_kept && self.depth > 0 {
            true => "svl_scratch",
            false => "svl_temporary",
        };
        self.step(format!("{command} {variable} {ending}"));
        Word::of_variable(&variable)
    }

    /// A new temporary file with a text.
    fn file_of(&mut self, ending: &str, text: &Word) -> Word {
        let file = self.temporary(ending);
        self.step(format!("svl_write {file} {text}"));
        file
    }

    fn assignment(&mut self, kind: &ItemKind, target: &Text, behaviour: &Behaviour) {
        self.begin(kind);
        let word = Word::of_text(target);
        self.sources.insert(0, format!("svl_target {word}"));
        self.inputs(behaviour);
        let file = Word::of_variable("svl_file");
        let last = target.ending();
        let is_network = match ending(last) {
            Some(ending) => Some(ending == "exp"),
            // A name without an ending gets one.
            None if target.as_literal().is_some() => Some(false),
            None => None,
        };
        let is_here = target.as_literal().is_some_and(|name| !name.contains('/'));
        self.is_elsewhere = is_network != Some(false) && !is_here;
        match is_network {
            Some(true) => self.network_to_file(behaviour),
            Some(false) => self.explicit(behaviour, &file),
            None => {
                let steps = std::mem::take(&mut self.steps);
                self.network_to_file(behaviour);
                let of_network = std::mem::take(&mut self.steps).join(" &&\n   ");
                self.explicit(behaviour, &file);
                let of_states = std::mem::replace(&mut self.steps, steps).join(" &&\n   ");
                self.step(format!(
                    "if svl_is_network; then\n   {of_network}\nelse\n   {of_states}\nfi"
                ));
            }
        }
        self.end("svl_made");
    }

    /// Writes a behaviour as a network. What is no network goes to files that stay.
    fn network_to_file(&mut self, behaviour: &Behaviour) {
        self.step("svl_keep yes".into());
        self.is_kept = true;
        let text = self.network(behaviour);
        self.is_kept = false;
        self.is_elsewhere = false;
        self.step(format!("svl_write_network {text}"));
        self.step("svl_keep".into());
    }

    fn verification(
        &mut self,
        kind: &ItemKind,
        verification: &Verification,
        expectation: Option<&Expectation>,
    ) {
        self.begin(kind);
        if let Some(reason) = &verification.reason {
            let word = Word::of_text(reason);
            self.sources.insert(0, format!("svl_reason {word}"));
        }
        for of in subjects(&verification.question) {
            self.inputs(of);
        }
        if let Some(tool) = &verification.tool {
            let word = Word::of(tool);
            self.sources.push(format!("svl_tool {word}"));
        }
        match &verification.question {
            Question::Comparison {
                relation,
                left,
                order,
                right,
            } => {
                let left = self.input(left);
                let right = self.input(right);
                let order = match order {
                    Order::Equivalent => "equal",
                    Order::Below => "below",
                    Order::Above => "above",
                };
                if relation.is_none() {
                    self.default("DEFAULT_COMPARISON_RELATION");
                }
                let (relation, markov) = names(relation.as_ref());
                self.step(format!(
                    "svl_compare {relation} {markov} {order} {left} {right}"
                ));
            }
            Question::Formula(file, of) => {
                let file = Word::of_text(file);
                self.sources.push(format!("svl_formula {file}"));
                let of = self.input(of);
                self.step(format!("svl_check_file {file} {of}"));
            }
            Question::Inline(of, formula, Place { line, column }) => {
                let formula = Word::of_text(formula);
                let place = format!("{line} {column}");
                self.sources.push(format!("svl_inline {formula} {place}"));
                let of = self.input(of);
                self.step(format!("svl_check_inline {of}"));
            }
            Question::Deadlock(of) => {
                let of = self.input(of);
                self.step(format!("svl_ask deadlock {of}"));
            }
            Question::Livelock(of) => {
                let of = self.input(of);
                self.step(format!("svl_ask livelock {of}"));
            }
        }
        let said = match expectation {
            None => "svl_tell".to_owned(),
            Some(Expectation { result, expected }) => {
                let mut said = Vec::new();
                if let Some(variable) = result {
                    said.push(format!("{variable}=$svl_verdict"));
                }
                said.push(match expected {
                    Some(expected) => format!("svl_expect {}", Word::of_text(expected)),
                    None => "svl_tell".into(),
                });
                said.join(" &&\n")
            }
        };
        self.end(&said);
    }

    /// Tells which files a behaviour is made from that have no step of their own, those
    /// with rules, and what of it is refused.
    fn inputs(&mut self, behaviour: &Behaviour) {
        let mut lines: Vec<String> = Vec::new();
        each(behaviour, &mut |of| {
            let refused = unsupported(of).map(|(_, text)| Word::of(&text));
            lines.extend(refused.map(|text| format!("svl_error 2 {text}")));
            let file = rules(of).map(Word::of_text);
            lines.extend(file.map(|file| format!("svl_input {file}")));
        });
        for line in lines {
            if self.seen.insert(line.clone()) {
                self.sources.push(line);
            }
        }
    }

    /// A file, or a process in one, as the name of a file that can be read.
    fn source(&mut self, name: &Text, process: Option<&Text>) -> Source {
        let literal = name.as_literal().filter(|_| process.is_none());
        let plain = literal.and_then(|literal| {
            let ending = ending(literal)?;
            let is_plain = is_readable(ending) && !literal.starts_with('-');
            is_plain.then_some((literal, ending))
        });
        if let Some((literal, ending)) = plain {
            let word = Word::of(literal);
            let line = format!("svl_input {word}");
            if self.seen.insert(line.clone()) {
                self.sources.push(line);
            }
            return Source::Plain {
                text: name.clone(),
                is_network: ending == "exp",
            };
        }
        let variable = self.variable();
        let word = Word::of_text(name);
        let (file, literal) = (name.as_literal(), process.map(Text::as_literal));
        let names = match (file, literal) {
            (Some(file), None) if file.contains('[') => self.instances.names(None, file),
            (Some(file), Some(Some(process))) => {
                self.instances.names(Some(sources::stem(file)), process)
            }
            // With the values of variables.
            _ => Vec::new(),
        };
        let process = process.map_or("\"\"".into(), |text| Word::of_text(text).to_string());
        let names = words(&names);
        self.sources
            .push(format!("svl_source {variable} {word} {process}{names}"));
        Source::Found(variable)
    }

    /// A process of the file that `DEFAULT_PROCESS_FILE` names.
    fn process(&mut self, name: &Text, gates: &[Label], arguments: Option<&str>) -> Source {
        let variable = self.variable();
        let mut word = Word::of_text(name);
        word.push_str("[");
        for (at, gate) in gates.iter().enumerate() {
            word.push_str(if at > 0 { "," } else { "" });
            word.push_text(&gate.text);
        }
        word.push_str("]");
        if let Some(arguments) = arguments {
            word.push_str(&format!("({arguments})"));
        }
        let written = sources::written(name, gates, arguments);
        let names = written.map(|written| self.instances.names(None, &written));
        let names = words(&names.unwrap_or_default());
        self.sources
            .push(format!("svl_source_process {variable} {word}{names}"));
        Source::Found(variable)
    }

    /// A behaviour as an input of a command.
    fn input(&mut self, behaviour: &Behaviour) -> Word {
        match behaviour {
            Behaviour::File { name, process, .. } => self.source(name, process.as_ref()).word(),
            Behaviour::Process {
                name,
                gates,
                arguments,
                ..
            } => self.process(name, gates, arguments.as_deref()).word(),
            Behaviour::Stop
            | Behaviour::Chaos(_)
            | Behaviour::Buffer { .. }
            | Behaviour::Abstractions(_) => self.generated(behaviour),
            Behaviour::Generation(_) | Behaviour::Reduction(_) => {
                let file = self.temporary("bcg");
                self.explicit(behaviour, &file);
                file
            }
            Behaviour::Abstraction { sync, .. } if !network::is_gates(sync.as_ref()) => {
                let file = self.temporary("bcg");
                self.explicit(behaviour, &file);
                file
            }
            Behaviour::Hide(..)
            | Behaviour::Cut(..)
            | Behaviour::Rename(..)
            | Behaviour::Prio(..)
            | Behaviour::Par { .. }
            | Behaviour::Vectors { .. }
            | Behaviour::Infix(..)
            | Behaviour::Abstraction { .. } => {
                let text = self.network(behaviour);
                let file = self.temporary("exp");
                self.step(format!("svl_write_part {file} {text}"));
                file
            }
        }
    }

    /// A behaviour that is an LTS by itself, in a file.
    fn generated(&mut self, behaviour: &Behaviour) -> Word {
        let text = buffers::automaton(behaviour);
        self.file_of("aut", &text)
    }

    /// Writes the states of a behaviour to a file. Other files that this takes are not
    /// needed afterwards.
    fn explicit(&mut self, behaviour: &Behaviour, file: &Word) {
        self.depth += 1;
        self.states_of(behaviour, file);
        self.depth -= 1;
    }

    fn states_of(&mut self, behaviour: &Behaviour, file: &Word) {
        match behaviour {
            Behaviour::File { .. } => {
                let input = self.input(behaviour);
                self.step(format!("svl_convert {input} {file}"));
            }
            Behaviour::Generation(of)
                if matches!(**of, Behaviour::Reduction(_) | Behaviour::Generation(_)) =>
            {
                self.explicit(of, file);
            }
            Behaviour::Generation(of) => {
                let input = self.input(of);
                self.step(format!("svl_reach {input} {file}"));
            }
            Behaviour::Reduction(reduction) => self.reduce(reduction, file),
            Behaviour::Abstraction {
                is_guess,
                interface,
                sync: Some(sync),
                of,
            } if !network::is_gates(Some(sync)) => {
                let of = self.input(of);
                let interface = self.input(interface);
                let sync = self.rules("sync", sync);
                let guess = if *is_guess { "-userinterface" } else { "" };
                self.step(format!(
                    "svl_project {of} {interface} {sync} \"{guess}\" {file}"
                ));
            }
            Behaviour::Process { .. }
            | Behaviour::Stop
            | Behaviour::Chaos(_)
            | Behaviour::Buffer { .. }
            | Behaviour::Hide(..)
            | Behaviour::Cut(..)
            | Behaviour::Rename(..)
            | Behaviour::Prio(..)
            | Behaviour::Par { .. }
            | Behaviour::Vectors { .. }
            | Behaviour::Infix(..)
            | Behaviour::Abstraction { .. }
            | Behaviour::Abstractions(_) => {
                let input = self.input(behaviour);
                self.step(format!("svl_reach {input} {file}"));
            }
        }
    }

    fn reduce(&mut self, reduction: &Reduction, file: &Word) {
        let Reduction {
            strategy,
            is_total,
            relation,
            hold,
            parts,
            of,
            ..
        } = reduction;
        if relation.is_none() {
            self.default("DEFAULT_REDUCTION_RELATION");
        }
        if let (None, Some(has_priorities)) = (relation, parts) {
            let prio = if *has_priorities { "prio" } else { "\"\"" };
            self.step(format!("svl_check_congruence {prio}"));
        }
        let input = self.input(of);
        let hold = match hold {
            Some(labels) => self.rules("hide", labels),
            None => Word::default(),
        };
        let (relation, markov) = names(relation.as_ref());
        let how = match is_total {
            Some(false) => "partial",
            Some(true) | None => "total",
        };
        let command = match strategy {
            Some(Strategy::Smart) => "svl_smart",
            Some(Strategy::Leaf | Strategy::RootLeaf | Strategy::Node) | None => "svl_reduce",
        };
        self.step(format!(
            "{command} {relation} {markov} {how} {hold} {input} {file}"
        ));
    }

    /// Labels as a file of rules, the first line of which begins with a word.
    fn rules(&mut self, first: &str, labels: &Labels) -> Word {
        match labels {
            Labels::Using(file) => Word::of_text(file),
            Labels::Listed { all_but, labels } => {
                let mut text = Word::of(first);
                text.push_str(if *all_but { " all but" } else { "" });
                for label in labels {
                    text.push_str("\n\"");
                    text.push_text(&label.text);
                    text.push_str("\"");
                }
                self.file_of("hid", &text)
            }
        }
    }
}

/// The relation as the shell has it: none for the default.
fn names(relation: Option<&Relation>) -> (Word, &'static str) {
    let markov = match relation.and_then(|relation| relation.markov) {
        Some(Markov::Stochastic) => "--rate",
        Some(Markov::Probabilistic) => "--prob",
        None => "\"\"",
    };
    let name = relation.map_or("", |relation| &relation.name);
    (Word::of(name), markov)
}

/// Words, each after a blank.
fn words(names: &[String]) -> String {
    let words = names.iter().map(|name| format!(" {}", Word::of(name)));
    words.collect()
}

/// A file that can be read.
enum Source {
    /// Its name.
    Plain { text: Text, is_network: bool },
    /// The variable of the shell that has its name.
    Found(String),
}

impl Source {
    fn word(&self) -> Word {
        match self {
            Source::Plain { text, .. } => Word::of_text(text),
            Source::Found(variable) => Word::of_variable(variable),
        }
    }
}
