//! Networks as LTSs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyades_explore::{ExploreError, ExploreOptions, Goal, reach};
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
    let file = Arc::clone(network.name());
    let goal = Goal::Lts(Numbering::BreadthFirst);
    match reach(
        NetworkModel::new(network),
        ExploreOptions::default(),
        goal,
        |_| (),
    ) {
        Ok((lts, _)) => Ok(lts.expect("an exploration without limits and questions is complete")),
        Err(ExploreError::TooLarge(error)) => Err(ReadError::TooLarge { file, error }),
        Err(ExploreError::Model(error)) => Err(ReadError::Format {
            file,
            text: error.to_string(),
        }),
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
