//! Families of LTSs for tests and benchmarks.
//!
//! A [`Family`] has a name and parameters, all of them whole numbers. Its
//! members are fixed for ever by the parameters' values: what looks random is
//! drawn by [`draw`](hyades_base::draw) from the seed. Structured families are
//! [`Model`](hyades_explore::Model)s that are explored, so their states are
//! numbered breadth first; random ones are built row by row. Members of some
//! families are systems of machines or networks of automata, of which they are
//! the state spaces.
//!
//! ```
//! use hyades_generate::family;
//! use hyades_explore::Limits;
//!
//! let grid = family("grid").expect("there is such a family");
//! let values = grid.values(&[3, 2], &[])?;
//! let lts = grid.generate(&values, Limits::default())?;
//! assert_eq!((lts.states(), lts.transitions()), (6, 7));
//! # Ok::<(), hyades_generate::GenerateError>(())
//! ```

mod buffers;
mod chatbox;
mod dining;
mod families;
mod member;
mod networks;
mod random;
mod ring;
mod structured;
mod systems;
mod train;

#[cfg(test)]
mod tests;

use std::fmt;

use hyades_channels::{Semantics, System, SystemModel};
use hyades_explore::{Limit, Limits, ModelError};
use hyades_formats::diagnostic::{counted, there_are};
use hyades_formats::{Lts, StateId, TooLarge};

use families::FAMILIES;
use member::explored;
use networks::Symmetric;

pub use buffers::{buffer_of, chaos_of};
pub use chatbox::Chatbox;
pub use dining::Dining;
pub use member::Member;
pub use networks::NetworkFiles;
pub use ring::Ring;
pub use train::{MealyTrain, Train};

/// A parameter of a [`Family`].
#[derive(Debug)]
pub struct Parameter {
    /// Its name: lower case, dashes between words.
    pub name: &'static str,
    /// What it is, in a few words.
    pub help: &'static str,
    /// Its value if none is given; `None` if one must be.
    pub default: Option<u64>,
    /// The least value allowed.
    pub least: u64,
    /// The largest value allowed.
    pub most: u64,
}

/// A family of LTSs.
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// What its members are, in a sentence without a full stop.
    pub help: &'static str,
    /// Its parameters; those without a default come first.
    pub parameters: &'static [Parameter],
    build: Build,
}

/// How members are made.
enum Build {
    /// As a whole.
    Whole(fn(&[u64], Limits) -> Result<Lts, GenerateError>),
    /// By exploring a model.
    Model(fn(&[u64], Limits) -> Result<Member, GenerateError>),
    /// As a system of communicating machines.
    System(fn(&[u64]) -> System),
    /// As a network of automata.
    Network(fn(&[u64]) -> Symmetric),
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Family").field("name", &self.name).finish()
    }
}

/// Why there is no such LTS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GenerateError {
    /// The values do not fit the family's parameters; the text says why.
    Values(String),
    /// It has more states, labels or transitions than fit in memory.
    TooLarge(TooLarge),
    /// It passes a limit that was set.
    LimitReached(Limit),
}

impl fmt::Display for GenerateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GenerateError::Values(text) => f.write_str(text),
            GenerateError::TooLarge(error) => error.fmt(f),
            GenerateError::LimitReached(
                Limit::States | Limit::Hidden | Limit::Channels | Limit::Model,
            ) => f.write_str("limit on the number of states reached"),
            GenerateError::LimitReached(Limit::Memory) => f.write_str("limit on memory reached"),
        }
    }
}

impl std::error::Error for GenerateError {}

impl From<TooLarge> for GenerateError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

/// All families, in the order in which they are shown.
pub fn families() -> &'static [Family] {
    FAMILIES
}

/// The family of this name.
pub fn family(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.name == name)
}

impl Family {
    /// The values of all parameters, in their order: first those given by
    /// position, then those given by name, then defaults.
    ///
    /// # Errors
    /// If there are too many, one is given twice, missing or out of range, or a
    /// name is unknown.
    pub fn values(
        &self,
        positional: &[u64],
        named: &[(&str, u64)],
    ) -> Result<Vec<u64>, GenerateError> {
        let error = |text: String| GenerateError::Values(format!("{}: {text}", self.name));
        if positional.len() > self.parameters.len() {
            return Err(error(format!(
                "{} given, but {}",
                counted(positional.len(), "value"),
                there_are(self.parameters.len(), "parameter")
            )));
        }
        let mut values = vec![None; self.parameters.len()];
        for (place, &value) in values.iter_mut().zip(positional) {
            *place = Some(value);
        }
        for &(name, value) in named {
            let Some(k) = self.parameters.iter().position(|p| p.name == name) else {
                return Err(error(format!("no parameter '{name}'")));
            };
            if values[k].replace(value).is_some() {
                return Err(error(format!("'{name}' is given twice")));
            }
        }
        let all = values
            .into_iter()
            .zip(self.parameters)
            .map(|(value, parameter)| {
                value
                    .or(parameter.default)
                    .ok_or_else(|| error(format!("'{}' is missing", parameter.name)))
            })
            .collect::<Result<Vec<u64>, _>>()?;
        self.check(&all)?;
        Ok(all)
    }

    fn check(&self, values: &[u64]) -> Result<(), GenerateError> {
        if values.len() != self.parameters.len() {
            return Err(GenerateError::Values(format!(
                "{}: {}, {}",
                self.name,
                counted(self.parameters.len(), "parameter"),
                counted(values.len(), "value")
            )));
        }
        for (value, parameter) in values.iter().zip(self.parameters) {
            if !(parameter.least..=parameter.most).contains(value) {
                return Err(GenerateError::Values(format!(
                    "{}: '{}' is {value}, but must be {} to {}",
                    self.name, parameter.name, parameter.least, parameter.most
                )));
            }
        }
        Ok(())
    }

    /// The member with these values, one for each parameter.
    ///
    /// O(states + transitions).
    ///
    /// # Errors
    /// If a value is out of range, or the LTS is too large, or larger than the
    /// limits allow.
    pub fn generate(&self, values: &[u64], limits: Limits) -> Result<Lts, GenerateError> {
        self.check(values)?;
        match self.build {
            Build::Whole(build) => build(values, limits),
            Build::Model(build) => build(values, limits)?.into_lts(limits),
            Build::System(build) => explored_system(build(values), limits),
            Build::Network(build) => build(values).into_lts(limits),
        }
    }

    /// The member with these values if it is a system of communicating machines, whose
    /// state space [`Family::generate`] gives; `None` for other families.
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn system(&self, values: &[u64]) -> Result<Option<System>, GenerateError> {
        self.check(values)?;
        Ok(match self.build {
            Build::System(build) => Some(build(values)),
            Build::Whole(_) | Build::Model(_) | Build::Network(_) => None,
        })
    }

    /// Whether members are systems of communicating machines.
    pub fn is_system(&self) -> bool {
        matches!(self.build, Build::System(_))
    }

    /// Whether members are networks of automata.
    pub fn is_network(&self) -> bool {
        matches!(self.build, Build::Network(_))
    }

    /// The files of the member with these values if it is a network of automata, whose
    /// state space [`Family::generate`] gives; `None` for other families.
    ///
    /// O(length of the texts).
    ///
    /// # Errors
    /// If a value is out of range.
    pub fn network(&self, values: &[u64]) -> Result<Option<NetworkFiles>, GenerateError> {
        self.check(values)?;
        Ok(match self.build {
            Build::Network(build) => Some(build(values).into_files()),
            Build::Whole(_) | Build::Model(_) | Build::System(_) => None,
        })
    }

    /// The member with these values, to be given transition by transition
    /// without being held in memory; `None` for families that have to be.
    ///
    /// # Errors
    /// As for [`Family::generate`], but there may be any number of transitions.
    pub fn stream(
        &self,
        values: &[u64],
        max_states: Option<u64>,
    ) -> Result<Option<Member>, GenerateError> {
        self.check(values)?;
        let Build::Model(build) = self.build else {
            return Ok(None);
        };
        let limits = Limits {
            max_states,
            ..Limits::default()
        };
        build(values, limits).map(Some)
    }
}

/// The state space of a system, as far as no channel is overfilled.
fn explored_system(system: System, limits: Limits) -> Result<Lts, GenerateError> {
    let failed = |error: ModelError| GenerateError::Values(error.to_string());
    let model = SystemModel::owning(system, Semantics::default()).map_err(failed)?;
    let model = model.by_events()?;
    explored(&model, limits)
}

/// # Errors
/// If the limits do not allow so many states.
fn check_states(states: u64, limits: Limits) -> Result<(), GenerateError> {
    match limits.max_states.is_some_and(|most| states > most) {
        true => Err(GenerateError::LimitReached(Limit::States)),
        false => Ok(()),
    }
}

/// A number of states, if an LTS can have so many.
fn state_count(count: u64) -> Result<u32, GenerateError> {
    if count > StateId::MAX_COUNT {
        return Err(GenerateError::TooLarge(TooLarge {
            what: "states",
            limit: StateId::MAX_COUNT,
        }));
    }
    Ok(count as u32)
}
