//! Exploring up to symmetry on behalf of a command.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use hyades_explore::{ExploreOptions, Limits, Outcome};
use hyades_formats::diagnostic::counted;
use hyades_formats::{Diagnostic, Position, Severity};
use hyades_network::Network;
use hyades_network::refinement::{SymmetricRefinement, find_types_beside};
use hyades_network::symmetry::{
    Counts, Strategy, SymmetricModel, Symmetry, SymmetryError, Types, TypesError, Unused,
    ValueType, find_types,
};

use super::any_model::Given;
use super::options::LimitOptions;
use super::progress::Unit;
use super::session::Session;
use super::status::Failure;
use super::texts::{read_text, utf8};

/// Whether states are explored up to symmetry.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Symmetry")]
pub struct StateSymmetryOptions {
    /// Explore one state, or few, for all states that a symmetry maps to one
    /// another. Of a network (.exp): WHICH is a file that says which values may be
    /// exchanged (a line `type NAME = VALUE …` for each type), the same in one line
    /// (`Node=N0,N1;Data=A,B`, unless there is a file of that name), `-` for standard
    /// input, or `auto`, which finds the largest types. It is checked that this is a
    /// symmetry. Of a model plugin: `model`, what it says itself
    #[arg(long, value_name = "WHICH")]
    symmetry: Option<Source>,

    /// How the states that are explored are chosen: exact (one of each orbit, from
    /// which reach tells the size of the whole state space), refine, paper, sorted or
    /// segmented [default: refine]
    #[arg(long, value_name = "HOW", requires = "symmetry")]
    representatives: Option<Strategy>,
}

/// Values of `--symmetry`.
#[derive(Clone, Debug)]
enum Source {
    /// What the model plugin itself says.
    Model,
    /// The largest types.
    Auto,
    /// Types in one line.
    Line(String),
    /// A file of types; `-` is standard input.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "" => return Err("expected a file of types, types in one line, `auto` or `model`"),
            "model" => Self::Model,
            "auto" => Self::Auto,
            line if line.contains('=') && !Path::new(line).exists() => Self::Line(line.to_owned()),
            file => Self::File(file.into()),
        })
    }
}

impl StateSymmetryOptions {
    /// Whether there is a symmetry that a model plugin says itself.
    pub fn is_of_plugin(&self) -> bool {
        matches!(self.symmetry, Some(Source::Model))
    }

    /// Whether there is a symmetry of a network.
    pub fn is_of_network(&self) -> bool {
        self.symmetry.is_some() && !self.is_of_plugin()
    }

    /// Refuses what does not go together.
    ///
    /// # Errors
    /// If the options are about a network, and `given` is none; or about
    /// representatives, which a plugin chooses itself.
    pub fn check(&self, given: &Given, name: &str) -> Result<(), Failure> {
        match given {
            Given::Network(_) => Ok(()),
            _ if self.is_of_network() => Err(Failure::error(format!(
                "--symmetry with types or auto is for networks (.exp), and {name} is none"
            ))),
            _ if self.representatives.is_some() => Err(Failure::error(
                "--representatives is for networks: a model plugin chooses its own",
            )),
            Given::System(..) | Given::Model(_) => Ok(()),
        }
    }

    /// Refuses to read types from standard input if an input is read from there.
    ///
    /// # Errors
    /// If both are.
    pub fn check_inputs(&self, inputs: &[&Path]) -> Result<(), Failure> {
        let stdin = Path::new("-");
        match &self.symmetry {
            Some(Source::File(path)) if path == stdin && inputs.contains(&stdin) => Err(
                Failure::error("only one of the input and --symmetry can be standard input"),
            ),
            _ => Ok(()),
        }
    }

    /// The file that types are read from, `-` for standard input, which no output may replace.
    pub fn file(&self) -> Option<&Path> {
        match &self.symmetry {
            Some(Source::File(path)) => Some(path),
            Some(Source::Model | Source::Auto | Source::Line(_)) | None => None,
        }
    }

    /// How representatives are found.
    pub fn strategy(&self) -> Strategy {
        self.representatives.unwrap_or_default()
    }

    /// The network up to symmetry: phase `symmetry`.
    ///
    /// # Errors
    /// If the types cannot be read, or are no symmetry of the network.
    pub fn model(
        &self,
        session: &mut Session,
        network: Network,
    ) -> Result<SymmetricModel<'static>, Failure> {
        let symmetry = self.derived(
            session,
            |declared| {
                let types = declared.map_or_else(|| find_types(&network, None), Ok)?;
                Symmetry::owning(network, &types, None)
            },
            |symmetry| symmetry,
        )?;
        Ok(SymmetricModel::new(&symmetry, self.strategy()))
    }

    /// A network up to symmetry beside a specification: phase `symmetry`.
    ///
    /// # Errors
    /// If the types cannot be read, or are no symmetry of both.
    pub fn beside<'a>(
        &self,
        session: &mut Session,
        specification: &'a hyades_refinement::Specification,
        network: &'a Network,
    ) -> Result<SymmetricRefinement<'a>, Failure> {
        self.derived(
            session,
            |declared| {
                let find = || find_types_beside(specification, network);
                let types = declared.map_or_else(find, Ok)?;
                SymmetricRefinement::new(specification, network, &types, self.strategy())
            },
            SymmetricRefinement::symmetry,
        )
    }

    /// What `make` derives from declared types, or from none, and tells which symmetry
    /// it has: phase `symmetry`.
    fn derived<'n, T>(
        &self,
        session: &mut Session,
        make: impl FnOnce(Option<Types>) -> Result<T, SymmetryError>,
        symmetry: impl Fn(&T) -> &Symmetry<'n>,
    ) -> Result<T, Failure> {
        let declared = self.declared(session)?;
        let made = session.phase("symmetry", |phase| {
            phase.progress("deriving symmetries", Unit::None, None);
            let made = make(declared);
            let made = made.map_err(|error| Failure::error(format!("--symmetry: {error}")))?;
            phase.summary(|| sizes(symmetry(&made)));
            Ok(made)
        })?;
        self.tell(session, symmetry(&made));
        Ok(made)
    }

    /// The declared types; none if they are to be found.
    fn declared(&self, session: &Session) -> Result<Option<Types>, Failure> {
        let (name, types) = match &self.symmetry {
            None | Some(Source::Model | Source::Auto) => return Ok(None),
            Some(Source::Line(line)) => {
                return Types::parse_line(line).map(Some).map_err(|error| {
                    let TypesError { column, text, .. } = error;
                    Failure::error(format!(
                        "--symmetry: in the declaration `{line}`, column {column}: {text}"
                    ))
                });
            }
            Some(Source::File(path)) => {
                let (name, bytes) = read_text(path)?;
                let text = utf8(&name, &bytes, "lines `type NAME = VALUE …`")?;
                (name, Types::parse(text))
            }
        };
        types.map(Some).map_err(|error| told(session, name, error))
    }

    /// Tells which symmetry states are explored up to, and which declarations are
    /// without effect.
    fn tell(&self, session: &mut Session, symmetry: &Symmetry<'_>) {
        let types = symmetry.types().types();
        let order = symmetry
            .order()
            .map_or_else(|| "2^128 or more".to_owned(), |order| order.to_string());
        match (types.is_empty(), &self.symmetry) {
            (true, Some(Source::Auto)) => {
                session.note("no symmetry: no two values can be exchanged");
            }
            (true, _) if symmetry.unused().types.is_empty() => {
                session.note("no symmetry: no values are declared");
            }
            (true, _) => session.note("no symmetry: no label has a value of a declared type"),
            (false, _) => {
                let all: Vec<String> = types.iter().map(shortened).collect();
                session.note(format_args!(
                    "symmetry: {}; {}",
                    all.join(", "),
                    counted(&order, "permutation")
                ));
            }
        }
        let Unused { types: idle, gates } = symmetry.unused();
        let idle: Vec<String> = idle.iter().map(shortened).collect();
        for (what, names, between, why) in [
            ("type", &idle, "; ", "has a value of it"),
            ("gate", gates, " ", "has it"),
        ] {
            if !names.is_empty() {
                let s = if names.len() == 1 { "" } else { "s" };
                let names = listed(names, between);
                let text = format!(
                    "declared without effect, as no label that can happen {why}: {what}{s} {names}"
                );
                session.report(&Diagnostic {
                    severity: Severity::Warning,
                    code: "symmetry",
                    file: None,
                    position: None,
                    text,
                });
            }
        }
        let all = types
            .iter()
            .map(|t| format!("{} = {}", t.name, t.values.join(" ")));
        session.add_figure("symmetry", all.collect::<Vec<_>>());
        session.add_figure("permutations", order);
    }
}

/// Tells what is wrong with declared types.
fn told(session: &Session, file: Arc<str>, error: TypesError) -> Failure {
    let TypesError { line, column, text } = error;
    session.report(&Diagnostic {
        severity: Severity::Error,
        code: "symmetry",
        file: Some(file),
        position: Some(Position::new(line as u64, column as u64)),
        text,
    });
    Failure::Reported
}

/// The most values of a type that are listed.
const MOST_LISTED: usize = 20;

/// Names one after the other; of many the first two and the last, and how many.
fn listed(names: &[String], between: &str) -> String {
    match names {
        [first, second, .., last] if names.len() > MOST_LISTED => {
            format!("{first}{between}{second} … {last} ({})", names.len())
        }
        _ => names.join(between),
    }
}

fn shortened(own: &ValueType) -> String {
    format!("{} = {}", own.name, listed(&own.values, " "))
}

fn sizes(symmetry: &Symmetry<'_>) -> String {
    format!(
        "{} of components in {}",
        counted(symmetry.component_states(), "state"),
        counted(symmetry.control_states(), "orbit")
    )
}

impl Session {
    /// Counts the states that there are without symmetry, if the strategy can: phase
    /// `count`.
    ///
    /// # Errors
    /// If the model fails.
    pub fn count_unreduced(
        &mut self,
        model: &SymmetricModel<'_>,
        limits: &LimitOptions,
        name: &str,
    ) -> Result<(), Failure> {
        let counts = self.phase("count", |phase| {
            let bar = phase.progress("counting", Unit::States, None);
            let mut report = bar.explored();
            let search = ExploreOptions {
                limits: Limits {
                    max_states: limits.max_states,
                    max_memory: super::memory::rest(),
                },
                progress: Some(&mut report),
                ..ExploreOptions::default()
            };
            let counted = model.count(search);
            let (found, counts) = counted.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            Ok((counts, found.outcome == Outcome::Complete, found.states))
        })?;
        let (counts, is_complete, orbits) = counts;
        self.tell_unreduced(counts, is_complete, orbits);
        Ok(())
    }

    /// Tells how many states there are without symmetry, of so many orbits.
    pub fn tell_unreduced(&mut self, counts: Option<Counts>, is_complete: bool, orbits: u64) {
        let Some(counts) = counts else {
            match is_complete {
                true => self.note(format_args!(
                    "{}; without symmetry 2^128 or more states or transitions",
                    counted(orbits, "orbit")
                )),
                false => {
                    self.note("a limit was reached: the states without symmetry are not counted")
                }
            }
            return;
        };
        let Counts {
            orbits,
            states,
            transitions,
            ..
        } = counts;
        let [orbit, state, transition] = [
            (&orbits, "orbit"),
            (&states, "state"),
            (&transitions, "transition"),
        ]
        .map(|(count, noun)| counted(count, noun));
        self.note(format_args!(
            "{orbit}; without symmetry {state}, {transition}"
        ));
        // Numbers that may be larger than JSON readers take.
        self.add_figure("orbits", orbits.to_string());
        self.add_figure("unreduced_states", states.to_string());
        self.add_figure("unreduced_transitions", transitions.to_string());
    }
}
