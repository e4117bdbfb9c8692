//! Reading DOT.

use std::cell::OnceCell;
use std::sync::Arc;

use super::build::build;
use super::initial::roles;
use super::outputs::{StateOutputs, kind};
use super::parse::{Stop, parse};
use crate::diagnostic::{Log, Position, Severity, Sink};
use crate::error::{Failure, ReadError};
use crate::lts::Lts;
use crate::options::ReadOptions;
use crate::source::Source;

/// What a reader of DOT goes by, besides what holds for all formats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadDot {
    /// The name of the node that is the initial state.
    pub init: Option<Vec<u8>>,
    /// The name of the subgraph to which states are to belong, for files with
    /// several automata.
    pub automaton: Option<Vec<u8>>,
    /// Whether several initial states become one from which hidden transitions
    /// lead to all of them, rather than being an error.
    pub multi_init: bool,
    /// Whether entities such as `&amp;` count in strings, as in HTML labels.
    pub entities: bool,
    /// Whether labels end in `:PROBABILITY`, which is then left out: an LTS
    /// tells what can happen. As a Mealy machine it may have a choice.
    pub stochastic: bool,
    /// What becomes of outputs and acceptance of states.
    pub outputs: StateOutputs,
}

/// Reads an LTS in DOT, or a Mealy machine if `options.mealy` says so, or a Moore
/// machine or a finite automaton if `options.dot.outputs` does. All
/// diagnostics go to `sink`, errors included.
///
/// The initial state has number 0; the others follow in the order of their
/// first appearance, all of a Moore machine after the one that tells the initial
/// output (see [`Start`](crate::mealy::Start)). Labels of nodes are kept as state
/// labels, unless they tell no more than the numbers of the nodes.
///
/// O(bytes + transitions) time; memory beyond the input: about 24 bytes a
/// transition, and names and labels.
///
/// # Errors
/// If the input cannot be read, or has errors under these options, or holds
/// more than an [`Lts`] can.
pub fn read(source: Source, options: &ReadOptions, sink: &mut Sink<'_>) -> Result<Lts, ReadError> {
    let name = Arc::clone(&source.name);
    let file = source.into_whole()?;
    let mut log = Log::new();
    let lts = read_file(&file, options, &mut log);
    let errors = log.errors();
    log.drain_into(Some(&name), sink);
    match lts {
        Ok(_) if errors > 0 => Err(Failure::Refused.about(name, errors)),
        lts => lts.map_err(|failure| failure.about(name, errors)),
    }
}

/// The LTS that a file holds; one that is of no use if there are errors in the
/// log.
fn read_file(file: &[u8], options: &ReadOptions, log: &mut Log) -> Result<Lts, Failure> {
    let places = Places::new(file);
    let graph = match parse(file, options) {
        Ok(graph) => graph,
        Err(Stop::TooLarge(error)) => return Err(error.into()),
        Err(Stop::Fault(fault)) => {
            let at = Some(places.position(fault.at));
            log.add(Severity::Error, "dot-syntax", at, || fault.text);
            return Err(Failure::Refused);
        }
    };
    let roles = roles(&graph, options, &places, log).ok_or(Failure::Refused)?;
    let kind = kind(&graph, &roles, options, &places, log)?;
    build(graph, &roles, &kind, options, &places, log)
}

/// Finds lines and columns.
pub(super) struct Places<'a> {
    file: &'a [u8],
    /// Where lines end; found when somebody asks.
    ends: OnceCell<Vec<usize>>,
}

impl<'a> Places<'a> {
    pub fn new(file: &'a [u8]) -> Self {
        Self {
            file,
            ends: OnceCell::new(),
        }
    }

    /// The line and column of a byte of the file.
    pub fn position(&self, at: usize) -> Position {
        let ends = self
            .ends
            .get_or_init(|| memchr::memchr_iter(b'\n', self.file).collect());
        let line = ends.partition_point(|&end| end < at);
        let start = match line {
            0 => 0,
            _ => ends[line - 1] + 1,
        };
        Position::new(line as u64 + 1, (at - start) as u64 + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let places = Places::new(b"ab\n\ncd");
        let all = [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2), (3, 3)];
        for (at, (line, column)) in all.into_iter().enumerate() {
            assert_eq!(places.position(at), Position::new(line, column));
        }
    }
}
