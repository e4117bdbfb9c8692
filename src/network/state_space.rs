//! Networks as LTSs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_explore::{ExploreError, ExploreOptions, Goal, Limit, Limits, Outcome, reach};
use hyades_formats::{self as formats, FileError, Format, Lts, ReadError, Source};
use hyades_lts::Numbering;

use super::{Disk, Network, NetworkModel, Options, read};

/// The state space of a network, with states numbered breadth-first. Time and memory
/// are those of [`explore`](hyades_explore::explore()).
///
/// # Errors
/// If there are more states, labels or transitions than an LTS can hold, or its events
/// cannot be evaluated.
pub fn state_space(network: Network) -> Result<Lts, ReadError> {
    state_space_within(network, Limits::default())
}

/// As [`state_space()`], within these limits.
///
/// # Errors
/// As of [`state_space()`], and if a limit is reached.
pub fn state_space_within(network: Network, limits: Limits) -> Result<Lts, ReadError> {
    let file = Arc::clone(network.name());
    let options = ExploreOptions {
        limits,
        ..ExploreOptions::default()
    };
    let goal = Goal::Lts(Numbering::BreadthFirst);
    let outcome = |found: &hyades_explore::Exploration<'_>| found.outcome;
    match reach(NetworkModel::new(network), options, goal, outcome) {
        Ok((_, Some(Outcome::LimitReached(limit)))) => Err(limit_error(file, limit, &limits)),
        Ok((lts, _)) => Ok(lts.expect("nothing else ends an exploration before its time")),
        Err(error) => Err(read_error(file, error)),
    }
}

/// That the states of a network cannot be explored, as an error of reading it.
pub fn read_error(file: Arc<str>, error: ExploreError) -> ReadError {
    match error {
        ExploreError::TooLarge(error) => ReadError::TooLarge { file, error },
        ExploreError::Model(error) => ReadError::Format {
            file,
            text: error.to_string(),
        },
    }
}

/// That a limit of exploring a network is reached, as an error of reading it.
pub fn limit_error(file: Arc<str>, limit: Limit, limits: &Limits) -> ReadError {
    ReadError::Limit {
        file,
        text: limit_text(limit, limits),
    }
}

/// That a limit of exploring a network is reached, in words.
pub(super) fn limit_text(limit: Limit, limits: &Limits) -> String {
    match limit {
        Limit::Memory => "the limit of memory is reached (--max-memory)".to_owned(),
        // There are no others here.
        Limit::States | Limit::Hidden | Limit::Channels | Limit::Model => {
            let most = limits.max_states.unwrap_or_default();
            format!("gave up after {most} states (--max-states)")
        }
    }
}

/// Reads an LTS from a file as [`Lts::read`] does, and from a network (`.exp`) its
/// [state space](state_space()). A network's components are looked for in its folder.
///
/// # Errors
/// As of [`Lts::read`], [`read`] and [`state_space()`].
pub fn read_lts(path: impl AsRef<Path>) -> Result<Lts, FileError> {
    let path = path.as_ref();
    FileError::reading(|sink| {
        let source = Source::open(path, None)?;
        if source.format() != Format::Exp {
            return formats::read_lts(source, &formats::ReadOptions::default(), sink);
        }
        let options = Options {
            base: path.parent().map(PathBuf::from).unwrap_or_default(),
            ..Options::default()
        };
        state_space(read(source, &options, &Disk, sink)?)
    })
}
