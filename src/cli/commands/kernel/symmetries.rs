//! `kernel find-symmetry`: the symmetries of a specification.

use std::ffi::OsString;
use std::fmt::Display;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use hyades_automorphism::{FindError, FindOptions, Generator, Order, Symmetries, find_symmetry};
use hyades_base::nearest_first;
use hyades_formats as formats;
use hyades_formats::diagnostic::{excerpt, printable_path, printable_string};
use hyades_lts::tokens::TokenSyntax;
use hyades_symmetry::inferred::{Component, offer_pattern};
use serde_json::{Map, Value, json};

use crate::Question;
use hyades_cli_core::answer::{add_line, json_text};
use hyades_cli_core::output::Destination;
use hyades_cli_core::patterns::told_of_template;
use hyades_cli_core::progress::Unit;
use hyades_cli_core::session::Session;
use hyades_cli_core::status::{Failure, Status};

/// `kernel find-symmetry`: which symmetries are looked for, and what is written of them.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Finding symmetries")]
pub struct FindSymmetry {
    /// Write a pattern file instead: FILE is the template, and what symmetries
    /// make of its values are the copies
    #[arg(long = "template", value_name = "FILE", conflicts_with = "json")]
    component: Option<PathBuf>,

    /// Only symmetries that map the initial state to itself
    #[arg(long)]
    fix_initial: bool,

    /// Look only at what there is after the start: the part that every run can
    /// get to and no run leaves
    #[arg(long)]
    recurrent: bool,

    /// Only symmetries that leave the value TOKEN as it is (repeatable)
    #[arg(long, value_name = "TOKEN")]
    fix: Vec<OsString>,

    /// Let these characters belong to tokens, besides letters, digits, `_` and
    /// what is not ASCII
    #[arg(
        long,
        value_name = "CHARACTERS",
        allow_hyphen_values = true,
        default_value = "",
        hide_default_value = true
    )]
    token_characters: String,

    /// Give up, with status 3, after N choices among images that nothing tells
    /// apart
    #[arg(
        long,
        value_name = "N",
        default_value_t = FindOptions::default().choices
    )]
    max_choices: u64,

    #[command(flatten)]
    pub question: Question,
}

impl FindSymmetry {
    /// Finds the symmetries of the input, phase `find symmetry`, and writes them,
    /// as JSON or in lines, or a pattern.
    ///
    /// # Errors
    /// If an input cannot be read, the output not be written, or there is no
    /// pattern for the component.
    pub fn run(self, session: &mut Session) -> Result<Status, Failure> {
        let destination = self.question.destination(session)?;
        let stdin = Path::new("-");
        if self.component.as_deref() == Some(stdin) && self.question.input.input == stdin {
            return Err(Failure::error(
                "only one of INPUT and --template can be standard input",
            ));
        }
        let component = match &self.component {
            Some(path) => Some((self.read_component(session, path, &destination)?, path)),
            None => None,
        };
        let lts = self.question.read(session)?;
        let options = FindOptions {
            syntax: TokenSyntax::default().with(self.token_characters.as_bytes()),
            fix_initial: self.fix_initial,
            recurrent: self.recurrent,
            fixed: self.fix.iter().map(|t| t.as_bytes().into()).collect(),
            choices: self.max_choices,
        };
        let found = session.phase("find symmetry", |phase| {
            phase.progress("searching", Unit::None, None);
            let found = find_symmetry(lts, &options).map_err(|error| match error {
                FindError::TooLarge(error) => error.into(),
                FindError::Parts(_) => Failure::error(format!("--recurrent: {error}")),
                FindError::Choices(_) => Failure::Limit(format!("{error} (--max-choices)")),
            })?;
            phase.summary(|| format!("order {}", found.order()));
            Ok(found)
        })?;
        let is_value = |fixed: &&OsString| {
            let mut values = found.values().iter();
            values.any(|value| **value == *fixed.as_bytes())
        };
        if let Some(unknown) = self.fix.iter().find(|fixed| !is_value(fixed)) {
            return Err(no_value(unknown.as_bytes(), found.values()));
        }
        session.add_figure("order", order_json(found.order()));
        session.add_figure(
            "order_fixing_initial",
            order_json(found.order_fixing_initial()),
        );
        let status = match found.order().is_one() {
            true => Status::Fails,
            false => Status::Holds,
        };
        let (format, text) = match component {
            Some(_) if status == Status::Fails => {
                session.note("no symmetry but the identity, and so no pattern");
                return Ok(status);
            }
            Some(((lts, from), path)) => {
                let component = Component {
                    lts: &lts,
                    file: name_for(path, &destination)?,
                    token_characters: &self.token_characters,
                };
                let text =
                    offer_pattern(&found, &component).map_err(|error| match &error.edge {
                        Some(edge) => told_of_template(session, path, from, edge, &error.text),
                        None => Failure::error(format!("{}: {error}", printable_path(path))),
                    })?;
                ("toml", text)
            }
            None if self.question.json.is_wanted() => ("json", json(&found)),
            None => ("text", lines(&found)),
        };
        session.write_text(&destination, format, text.as_bytes())?;
        Ok(status)
    }

    fn read_component(
        &self,
        session: &mut Session,
        path: &Path,
        destination: &Destination,
    ) -> Result<(formats::Lts, formats::Format), Failure> {
        destination.check_spares([path])?;
        session.read_as(path, None, &formats::ReadOptions::default())
    }
}

/// That `--fix` names no value, with those that may have been meant.
fn no_value(wanted: &[u8], values: &[Box<[u8]>]) -> Failure {
    const SHOWN: usize = 10;
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let mut known: Vec<String> = values.iter().map(|value| text(value)).collect();
    let (more, wanted) = (known.len() > SHOWN, text(wanted));
    if more {
        nearest_first(&wanted, &mut known);
        known.truncate(SHOWN);
    }
    let known: Vec<String> = known.iter().map(|v| excerpt(v.as_bytes())).collect();
    Failure::error(format!(
        "--fix {}: no label has such a value; expected one of {}{}",
        excerpt(wanted.as_bytes()),
        known.join(", "),
        if more { " or others" } else { "" }
    ))
}

/// The component's name in the pattern file, which counts from the folder that
/// the pattern file is in.
fn name_for<'a>(path: &'a Path, destination: &Destination) -> Result<&'a str, Failure> {
    let folder = |path: &'a Path| path.parent().filter(|folder| *folder != Path::new(""));
    let pattern = destination.path().and_then(Path::parent);
    let name = match (pattern.filter(|p| *p != Path::new("")), folder(path)) {
        (None, _) => path,
        (Some(there), Some(here)) if there == here => {
            Path::new(path.file_name().unwrap_or_default())
        }
        _ if path.is_absolute() => path,
        _ => {
            return Err(Failure::error(format!(
                "the pattern would have to name {} from another folder; expected both in one \
                 folder, or an absolute path of the component",
                printable_path(path)
            )));
        }
    };
    name.to_str().ok_or_else(|| {
        Failure::error(format!(
            "{}: the name is no UTF-8; expected one that a pattern file can hold",
            printable_path(path)
        ))
    })
}

fn lines(found: &Symmetries) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn Display| add_line(&mut text, name, value);
    let symmetric = if found.order().is_one() {
        "FALSE"
    } else {
        "TRUE"
    };
    line("symmetric", &symmetric);
    line("order", found.order());
    line("order_fixing_initial", found.order_fixing_initial());
    for class in found.classes() {
        let name = if class.independent {
            "class"
        } else {
            "tied_class"
        };
        let values: Vec<String> = class.members.iter().map(|&v| value(found, v)).collect();
        line(
            name,
            &format!("{} {}", class.action.name(), values.join(" ")),
        );
    }
    for generator in found.generators() {
        let name = match generator.fixes_initial() {
            true => "generator",
            false => "moving_generator",
        };
        line(name, &found.cycles(generator));
    }
    text
}

fn json(found: &Symmetries) -> String {
    let values = |of: &[u32]| of.iter().map(|&v| value(found, v)).collect::<Vec<_>>();
    let all: Vec<u32> = (0..found.values().len() as u32).collect();
    let classes = found.classes().iter().map(|class| {
        json!({
            "action": class.action.name(),
            "order": order_json(&class.order()),
            "independent": class.independent,
            "values": values(&class.members),
        })
    });
    let map = |generator: &Generator| -> Map<String, Value> {
        let moves = generator.moves();
        moves
            .map(|(v, w)| (value(found, v), value(found, w).into()))
            .collect()
    };
    let generators = found.generators().iter().map(|generator| {
        json!({
            "cycles": found.cycles(generator),
            "map": map(generator),
            "fixes_initial": generator.fixes_initial(),
        })
    });
    json_text(&json!({
        "symmetric": !found.order().is_one(),
        "order": order_json(found.order()),
        "order_fixing_initial": order_json(found.order_fixing_initial()),
        "values": values(&all),
        "classes": classes.collect::<Vec<_>>(),
        "generators": generators.collect::<Vec<_>>(),
    }))
}

fn value(found: &Symmetries, value: u32) -> String {
    printable_string(&found.values()[value as usize])
}

/// A number, or its digits if programs could not read so large a one.
fn order_json(order: &Order) -> Value {
    match order.to_u64() {
        Some(number) => number.into(),
        None => order.to_string().into(),
    }
}
