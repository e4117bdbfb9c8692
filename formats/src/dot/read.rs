//! Reading DOT.

use std::sync::Arc;

use super::build::build;
use super::initial::roles;
use super::outputs::kind;
use super::parse::parse;
use super::places::Places;
use crate::diagnostic::{Log, Severity, Sink};
use crate::error::{Failure, ReadError};
use crate::fault::Stop;
use crate::lts::Lts;
use crate::options::ReadOptions;
use crate::source::Source;

/// Reads an LTS in DOT, or a Mealy machine if `options.mealy` says so, or a Moore
/// machine or a finite automaton if `options.dot.outputs` does. All
/// diagnostics go to `sink`, errors included.
///
/// The initial state has number 0; the others follow in the order of their
/// first appearance, all of a Moore machine after the one that tells the initial
/// output (see [`Start`](crate::mealy::Start)). Labels of nodes are kept as state
/// labels, unless they tell no more than the numbers of the states.
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
    log.finish_reading(&name, lts, sink)
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
            log.add(Severity::Error, fault.code, at, || fault.text);
            return Err(Failure::Refused);
        }
    };
    let roles = roles(&graph, options, &places, log).ok_or(Failure::Refused)?;
    let kind = kind(&graph, &roles, options, &places, log)?;
    build(graph, &roles, &kind, options, &places, log)
}
