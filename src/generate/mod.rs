//! Families of LTSs for tests and benchmarks.
//!
//! A [`Family`] has a name and parameters, all of them whole numbers. Its
//! members are fixed for ever by the parameters' values: what looks random is
//! drawn by [`draw`] from the seed. Structured families are
//! [`Model`]s that are explored, so their states are
//! numbered breadth first; random ones are built row by row.
//!
//! ```
//! use hyades::generate::family;
//! use hyades::explore::Limits;
//!
//! let grid = family("grid").expect("there is such a family");
//! let values = grid.values(&[3, 2], &[])?;
//! let lts = grid.generate(&values, Limits::default())?;
//! assert_eq!((lts.states(), lts.transitions()), (6, 7));
//! # Ok::<(), hyades::generate::GenerateError>(())
//! ```

mod dining;
mod draws;
mod random;
mod structured;

#[cfg(test)]
mod tests;

use std::fmt;

use hyades_formats::{LabelTable, Lts, StateId, TooLarge};

pub use dining::Dining;
pub use draws::draw;

use crate::explore::{ExploreError, Limit, Limits, LtsSink, Model, Outcome, Search, Sink, explore};
use structured::Structured;

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
    Model(fn(&[u64]) -> Result<Structured, GenerateError>),
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
            GenerateError::LimitReached(Limit::States) => {
                f.write_str("limit on the number of states reached")
            }
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
                "{} values given, but there are {} parameters",
                positional.len(),
                self.parameters.len()
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
                "{}: {} parameters, {} values",
                self.name,
                self.parameters.len(),
                values.len()
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
            Build::Model(build) => {
                let Structured { model, .. } = build(values)?;
                // The table of numbers exists whatever is reached in the end.
                let table = 4 * u64::from(model.states);
                if limits.max_memory.is_some_and(|most| table > most) {
                    return Err(GenerateError::LimitReached(Limit::Memory));
                }
                explored(&model, limits)
            }
        }
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
        let member = Member(build(values)?);
        if max_states.is_some_and(|most| member.states() > most) {
            return Err(GenerateError::LimitReached(Limit::States));
        }
        Ok(Some(member))
    }
}

/// A member of a family whose size is known before it is explored.
pub struct Member(Structured);

impl Member {
    /// How many states there are; the initial one is 0.
    pub fn states(&self) -> u64 {
        self.0.model.states.into()
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> u64 {
        self.0.transitions
    }

    /// All labels.
    pub fn labels(&self) -> &LabelTable {
        &self.0.model.labels
    }

    /// Gives all transitions to `sink`, in the order and with the numbers of
    /// the LTS that [`Family::generate`] makes. O(states + transitions), 8 bytes
    /// a state. Whether the sink took them all.
    pub fn explore(&self, sink: &mut impl Sink) -> bool {
        let found = explore(&self.0.model, Search::default(), sink)
            .expect("these models do not fail, and their states have been counted");
        found.outcome == Outcome::Complete
    }
}

/// The LTS of a model.
fn explored(model: &impl Model, limits: Limits) -> Result<Lts, GenerateError> {
    let mut sink = LtsSink::new();
    let search = Search {
        limits,
        ..Search::default()
    };
    let found = explore(model, search, &mut sink).map_err(|error| match error {
        ExploreError::TooLarge(error) => GenerateError::TooLarge(error),
        ExploreError::Model(error) => GenerateError::Values(error.to_string()),
    })?;
    match found.outcome {
        Outcome::LimitReached(limit) => Err(GenerateError::LimitReached(limit)),
        // The sink stops when it is full, and says so when it is finished.
        _ => Ok(sink.finish(found.labels.into_owned())?),
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

/// The largest value of a parameter without a limit of its own; sums and
/// products of a few fit in 64 bits.
const ANY: u64 = 1 << 32;

/// A parameter that has to be given.
const fn required(name: &'static str, help: &'static str, least: u64, most: u64) -> Parameter {
    Parameter {
        name,
        help,
        default: None,
        least,
        most,
    }
}

/// A parameter with a default.
const fn optional(
    name: &'static str,
    help: &'static str,
    default: u64,
    least: u64,
    most: u64,
) -> Parameter {
    Parameter {
        name,
        help,
        default: Some(default),
        least,
        most,
    }
}

const SEED: Parameter = optional("seed", "what to draw from", 1, 0, u64::MAX);
const LABELS: Parameter = optional("labels", "visible labels a0, a1, …", 20, 1, ANY);
const TAU: Parameter = optional("tau", "percentage of hidden transitions", 30, 0, 100);
/// The parameter n, which is a number of these.
const fn count(of: &'static str) -> Parameter {
    required("n", of, 1, ANY)
}
const DEPTH: Parameter = required("depth", "distance from the root to the leaves", 0, 30);
const WIDTH: Parameter = required("width", "states in a row", 1, ANY);
const HEIGHT: Parameter = required("height", "states in a column", 1, ANY);

const FAMILIES: &[Family] = &[
    Family {
        name: "random",
        help: "uniformly random transitions; all states reachable if there are enough of them",
        parameters: &[
            required("states", "number of states", 1, ANY),
            required("transitions", "number of transitions", 0, ANY),
            LABELS,
            TAU,
            SEED,
        ],
        build: Build::Whole(random::random),
    },
    Family {
        name: "regular",
        help: "random transitions, as many from every state; all states reachable",
        parameters: &[
            required("states", "number of states", 1, ANY),
            required("degree", "transitions of every state", 1, ANY),
            LABELS,
            TAU,
            SEED,
        ],
        build: Build::Whole(random::regular),
    },
    Family {
        name: "many-labels",
        help: "random transitions with many labels: 2 states and 10 transitions a label",
        parameters: &[
            required("labels", "visible labels l0, l1, …, each used", 1, ANY),
            SEED,
        ],
        build: Build::Whole(random::many_labels),
    },
    Family {
        name: "lift",
        help: "a random LTS without hidden transitions, lifted to branching bisimilar copies of \
               each state",
        parameters: &[
            required("states", "states to lift", 1, ANY),
            required("copies", "copies of each", 1, ANY),
            optional("degree", "transitions of every state", 5, 1, ANY),
            LABELS,
            optional(
                "stutter",
                "percentage of copies that start with a hidden step",
                100,
                0,
                100,
            ),
            SEED,
        ],
        build: Build::Whole(random::lift),
    },
    Family {
        name: "chain",
        help: "a path of n states, one label",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::chain),
    },
    Family {
        name: "tau-chain",
        help: "a path of n states, all steps hidden but the last",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::tau_chain),
    },
    Family {
        name: "tau-chain-visible",
        help: "a path of n states with hidden steps, and from each a visible step to the end",
        parameters: &[
            count("states of the path"),
            optional(
                "labels",
                "visible labels a0, a1, …, taken in turn",
                2,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::tau_chain_visible),
    },
    Family {
        name: "grid",
        help: "steps to the right and down in a rectangle",
        parameters: &[WIDTH, HEIGHT],
        build: Build::Model(structured::grid),
    },
    Family {
        name: "torus",
        help: "steps to the right and down in a rectangle whose edges are joined",
        parameters: &[
            WIDTH,
            HEIGHT,
            optional(
                "marked",
                "1 to give one transition a label of its own",
                0,
                0,
                1,
            ),
        ],
        build: Build::Model(structured::torus),
    },
    Family {
        name: "tree",
        help: "a complete binary tree; random steps a or b from the leaves to the root",
        parameters: &[DEPTH, SEED],
        build: Build::Model(structured::tree),
    },
    Family {
        name: "tau-tree",
        help: "a complete binary tree of hidden steps; random steps a or b from the leaves to the \
               root",
        parameters: &[DEPTH, SEED],
        build: Build::Model(structured::tau_tree),
    },
    Family {
        name: "tau-scc",
        help: "a chain of hidden strongly connected components, with a random visible step from \
               each state",
        parameters: &[
            required("components", "number of components", 1, ANY),
            required("states", "states of each", 1, ANY),
            optional("labels", "visible labels a0, a1, …", 5, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::tau_scc),
    },
    Family {
        name: "tau-cycle",
        help: "a hidden cycle of n states with a random hidden chord from each, and a few visible \
               exits",
        parameters: &[
            count("states of the cycle"),
            optional("every", "states to an exit", 1000, 1, ANY),
            optional(
                "labels",
                "visible labels a0, a1, …, taken in turn",
                7,
                1,
                ANY,
            ),
            SEED,
        ],
        build: Build::Model(structured::tau_cycle),
    },
    Family {
        name: "tau-nested",
        help: "n hidden loops, each inside the one before, with one visible exit",
        parameters: &[count("loops")],
        build: Build::Model(structured::tau_nested),
    },
    Family {
        name: "tau-star",
        help: "n hidden steps from a hub to leaves, and a visible step back from each",
        parameters: &[
            count("leaves"),
            optional(
                "labels",
                "visible labels a0, a1, …, taken in turn",
                2,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::tau_star),
    },
    Family {
        name: "star",
        help: "a chain of hubs, random steps from each hub to each leaf and from each leaf to a hub",
        parameters: &[
            required("hubs", "number of hubs", 1, ANY),
            required("leaves", "number of leaves", 0, ANY),
            optional("labels", "visible labels a0, a1, …", 50, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::star),
    },
    Family {
        name: "hub",
        help: "one state with n transitions, to as many deadlocks",
        parameters: &[count("transitions of the one state")],
        build: Build::Model(structured::hub),
    },
    Family {
        name: "funnel",
        help: "one state with a step to each of n others, which have a random step back and one to \
               anywhere",
        parameters: &[
            count("states around the one"),
            optional("labels", "visible labels a0, a1, …", 40, 1, ANY),
            SEED,
        ],
        build: Build::Model(structured::funnel),
    },
    Family {
        name: "ladder",
        help: "two rails of n states and the rungs between them; naive refinement takes n rounds",
        parameters: &[count("states of a rail")],
        build: Build::Model(structured::ladder),
    },
    Family {
        name: "tau-ladder",
        help: "two hidden rails of n states and visible rungs between them",
        parameters: &[count("states of a rail")],
        build: Build::Model(structured::tau_ladder),
    },
    Family {
        name: "comb",
        help: "a path of n states with a tooth at each",
        parameters: &[count("states of the path")],
        build: Build::Model(structured::comb),
    },
    Family {
        name: "complete",
        help: "a step from each of n states to each other",
        parameters: &[
            count("states"),
            optional(
                "labels",
                "visible labels a0, a1, …, taken in turn",
                1,
                1,
                ANY,
            ),
        ],
        build: Build::Model(structured::complete),
    },
    Family {
        name: "debruijn",
        help: "the doubling automaton of 2^k states, with one marked state; naive splitting is slow",
        parameters: &[required("k", "logarithm of the number of states", 0, 31)],
        build: Build::Model(structured::debruijn),
    },
    Family {
        name: "dining",
        help: "n dining philosophers, who take the left fork first; has one deadlock",
        parameters: &[required("n", "number of philosophers", 2, 1000)],
        build: Build::Whole(dining::dining),
    },
];
