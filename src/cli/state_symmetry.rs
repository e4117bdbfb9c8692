//! Exploring up to symmetry on behalf of a command.

use std::convert::Infallible;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use hyades_formats::{Diagnostic, Position, Severity};

use super::model::Given;
use super::options::LimitOptions;
use super::output::Destination;
use super::progress::Unit;
use super::run::Session;
use super::status::Failure;
use crate::explore::{Limits, Search};
use crate::network::Network;
use crate::refinement::{self, find_types_beside};
use crate::symmetry::network::{
    Counts, Strategy, SymmetricModel, Symmetry, SymmetryError, Types, TypesError, find_types,
};

/// Whether states are explored up to symmetry.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Symmetry")]
pub struct StateSymmetryOptions {
    /// Explore one state, or few, for all states that a symmetry maps to one
    /// another. Of a network (.exp): WHICH is a file that says which values may be
    /// exchanged (a line `type NAME = VALUE …` for each type), the same in one line
    /// (`Node=N0,N1;Data=A,B`), or `auto`, which finds the largest types. It is
    /// checked that this is a symmetry. Of a model plugin: `model`, what it says itself
    #[arg(long, value_name = "WHICH")]
    symmetry: Option<Source>,

    /// How the states that are explored are chosen: exact (one of each orbit; the
    /// size of the whole state space is told), refine, paper, sorted or segmented
    /// [default: refine]
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
    /// A file of types.
    File(PathBuf),
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text {
            "model" => Self::Model,
            "auto" => Self::Auto,
            line if line.contains('=') => Self::Line(line.to_owned()),
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
            _ => Ok(()),
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
        output: &Destination,
    ) -> Result<SymmetricModel<'static>, Failure> {
        let declared = self.declared(session, output)?;
        let symmetry = session.phase("symmetry", |phase| {
            phase.progress("deriving symmetries", Unit::None, None);
            let types = match declared {
                Some(types) => types,
                None => find_types(&network, None).map_err(|e| self.failure(&e))?,
            };
            let symmetry = Symmetry::owning(network, &types, None).map_err(|e| self.failure(&e))?;
            phase.summary(|| sizes(&symmetry));
            Ok(symmetry)
        })?;
        session.tell_types(&symmetry);
        Ok(SymmetricModel::new(&symmetry, self.strategy()))
    }

    /// The types by which a network is symmetric beside a specification.
    ///
    /// # Errors
    /// If they cannot be read or found.
    pub fn types_beside(
        &self,
        session: &mut Session,
        specification: &refinement::Specification,
        network: &Network,
        output: &Destination,
    ) -> Result<Types, Failure> {
        match self.declared(session, output)? {
            Some(types) => Ok(types),
            None => session.phase("symmetry", |phase| {
                phase.progress("deriving symmetries", Unit::None, None);
                let types = find_types_beside(specification, network);
                types.map_err(|error| self.failure(&error))
            }),
        }
    }

    /// The declared types; none if they are to be found.
    fn declared(&self, session: &Session, output: &Destination) -> Result<Option<Types>, Failure> {
        let (name, types) = match &self.symmetry {
            None | Some(Source::Model | Source::Auto) => return Ok(None),
            Some(Source::Line(line)) => ("--symmetry".to_owned(), Types::parse_line(line)),
            Some(Source::File(path)) => {
                let name = path.display().to_string();
                session.check_spares(output, [&**path])?;
                let bytes = fs::read(path).map_err(|error| Failure::reading(&name, &error))?;
                let text = str::from_utf8(&bytes).map_err(|error| {
                    let before = &bytes[..error.valid_up_to()];
                    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
                    Failure::error(format!(
                        "{name}:{line}: bytes that are no UTF-8; expected lines `type NAME = \
                         VALUE …`"
                    ))
                })?;
                (name, Types::parse(text))
            }
        };
        types.map(Some).map_err(|error| told(session, name, error))
    }

    /// Why there is no symmetry.
    pub fn failure(&self, error: &SymmetryError) -> Failure {
        Failure::error(format!("--symmetry: {error}"))
    }
}

/// Tells what is wrong with declared types.
fn told(session: &Session, file: String, error: TypesError) -> Failure {
    let TypesError { line, column, text } = error;
    session.report(&Diagnostic {
        severity: Severity::Error,
        code: "symmetry",
        file: Some(file.into()),
        position: Some(Position::new(line as u64, column as u64)),
        text,
    });
    Failure::Reported
}

fn sizes(symmetry: &Symmetry<'_>) -> String {
    format!(
        "{} states of components in {} orbits",
        symmetry.component_states(),
        symmetry.control_states()
    )
}

impl Session {
    /// Tells which symmetry states are explored up to.
    pub fn tell_types(&mut self, symmetry: &Symmetry<'_>) {
        let types = symmetry.types().types();
        let all = types
            .iter()
            .map(|t| format!("{} = {}", t.name, t.values.join(" ")));
        let all: Vec<String> = all.collect();
        let order = symmetry
            .order()
            .map_or_else(|| "2^128 or more".to_owned(), |order| order.to_string());
        match all.is_empty() {
            true => self.note("no symmetry: no two values can be exchanged"),
            false => self.note(format_args!(
                "symmetry: {}; {order} permutations",
                all.join(", ")
            )),
        }
        self.add_figure("symmetry", all);
        self.add_figure("permutations", order);
    }

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
            let search = Search {
                limits: Limits {
                    max_states: limits.max_states,
                    max_memory: super::memory::rest(),
                },
                progress: Some(&mut report),
                ..Search::default()
            };
            let counted = model.count(search);
            let (_, counts) = counted.map_err(|e| Failure::error(format!("{name}: {e}")))?;
            Ok(counts)
        })?;
        let Some(counts) = counts else {
            self.note("the states without symmetry are too many, or were too much, to be counted");
            return Ok(());
        };
        let Counts {
            orbits,
            states,
            transitions,
            ..
        } = counts;
        self.note(format_args!(
            "{orbits} orbits; without symmetry {states} states, {transitions} transitions"
        ));
        // Numbers that may be larger than JSON readers take.
        self.add_figure("orbits", orbits.to_string());
        self.add_figure("unreduced_states", states.to_string());
        self.add_figure("unreduced_transitions", transitions.to_string());
        Ok(())
    }
}
