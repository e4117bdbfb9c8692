//! State spaces that are written while they are explored.

use hyades_explore::{AutSink, Exploration, Limit, Outcome};
use hyades_formats::StateId;
use hyades_formats::diagnostic::counted;

use super::options::LtsOutput;
use super::stats::Size;
use super::status::{Failure, write_failure};

/// How far an exploration came, if it ended at a limit.
pub fn how_far(found: &Exploration<'_>) -> Option<String> {
    let of_model;
    let option = match found.outcome {
        Outcome::LimitReached(Limit::States) => "--max-states",
        Outcome::LimitReached(Limit::Hidden) => "--max-states: hidden transitions lead to more",
        Outcome::LimitReached(Limit::Channels) => "--channel-bound: a channel holds more messages",
        Outcome::LimitReached(Limit::Memory) => "--max-memory",
        Outcome::LimitReached(Limit::Model) => match &found.told {
            None => "a limit of the model",
            Some(told) => {
                of_model = format!("a limit of the model: {told}");
                &of_model
            }
        },
        Outcome::Complete | Outcome::Answered | Outcome::Stopped => return None,
    };
    let Exploration {
        states,
        explored,
        transitions,
        depth,
        ..
    } = found;
    Some(format!(
        "gave up after {} ({option}): {explored} of them explored, {}, depth {depth}",
        counted(states, "state"),
        counted(transitions, "transition")
    ))
}

/// Ends what was written on the fly to an output, if these are all `states`;
/// its size.
///
/// # Errors
/// If something could not be written.
pub fn end_stream(
    sink: AutSink<'_, '_, '_>,
    states: Option<u64>,
    output: &LtsOutput,
) -> Result<Option<Size>, Failure> {
    let failure = |error| write_failure(&output.destination.name(), error);
    let writer = sink.into_writer().map_err(failure)?;
    let Some(states) = states else {
        return Ok(None);
    };
    let size = Size {
        states,
        transitions: writer.transitions(),
        labels: writer.labels(),
    };
    writer.finish(StateId::new(0), states).map_err(failure)?;
    Ok(Some(size))
}
