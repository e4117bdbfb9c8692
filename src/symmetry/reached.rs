//! The nodes of a product that can be reached.

use hyades_explore::{
    Answer, ExploreError, ExploreOptions, Limits, LtsSink, Outcome, ProgressCallback, Questions,
    States, explore_states,
};
use hyades_formats::{LabelId, LtsParts, StateId, TooLarge};

use super::product::Product;

/// What exploring a product gives.
pub(super) struct Reached {
    /// Node `k`, packed.
    pub packed: States,
    /// The transitions of all nodes, with the labels of the specification. Those
    /// of nodes from `expanded` on are incomplete.
    pub parts: LtsParts,
    /// So many nodes have all their transitions.
    pub expanded: usize,
    /// A shortest trace to a label that no copy takes, that label included, and
    /// the state of the specification before it. Then the nodes are not
    /// complete.
    pub uncovered: Option<(Vec<LabelId>, StateId)>,
    /// How the exploration ended.
    pub outcome: Outcome,
}

/// Explores a product, until a label is found that no copy takes.
///
/// # Errors
/// If there are more nodes, transitions or labels than can be numbered.
pub(super) fn reach(
    model: &Product<'_>,
    limits: Limits,
    progress: &mut ProgressCallback<'_>,
) -> Result<Reached, TooLarge> {
    let uncovered = model.uncovered();
    let mut sink = LtsSink::new();
    let search = ExploreOptions {
        limits,
        questions: Questions {
            find: vec![Box::new(move |label, _| label == uncovered)],
            ..Questions::default()
        },
        stop_when_answered: true,
        progress: Some(&mut |now| progress(now)),
    };
    let (found, packed) =
        explore_states(model, search, &mut sink).map_err(|error| match error {
            ExploreError::TooLarge(error) => error,
            // The one way in which a product fails: its label `uncovered` is one
            // too many.
            ExploreError::Model(_) => TooLarge {
                what: "labels",
                limit: u64::from(uncovered.get()),
            },
        })?;
    sink.check()?;
    let uncovered = match &found.find[0] {
        Answer::Yes(trace) => {
            let node = trace.packed.last().expect("a trace has an initial state");
            let mut labels = trace.labels.clone();
            let last = labels.last_mut().expect("the trace ends with the label");
            *last = model.uncovered_at(node).expect("it was found there");
            Some((labels, StateId::new(model.state(node))))
        }
        Answer::No | Answer::Unknown => None,
    };
    Ok(Reached {
        expanded: found.explored as usize,
        uncovered,
        outcome: found.outcome,
        parts: sink.finish(found.labels.into_owned())?.into_parts(),
        packed,
    })
}
