//! Is it a symmetry at all?

use std::collections::HashMap;

use hyades_formats::LabelId;
use hyades_lts::Components;

use super::loops::Around;
use super::pairs::{Budget, Pairs};
use super::{Asymmetry, ConditionVerdict, Reason, Violation};
use crate::graph::{Graph, Tree};

/// Whether the relation `≃` with the smallest trace of each class as its
/// representative is a symmetry on the specification (report SEN-R9918,
/// Definition 3.1), from the answers to other questions. The specification is
/// deterministic and covered.
///
/// - Condition 1 is that the specification is closed.
/// - Conditions 2, 3(a) and 3(b) hold by Definitions 6.4 and 6.8: only traces of
///   the same length are related, and each class has one smallest trace, of
///   those of its length.
/// - Condition 3(c) holds if and only if the graph of the kernel's nodes is
///   adequate, provided that the specification is closed. For then the words of
///   a class are all the traces of the specification with the same colours; let
///   `min(w)` be the smallest trace with colours `w`. If an action of colour `c`
///   is enabled after `min(w)`, the smallest such action extends it to
///   `min(wc)`, since what is before the last step of any trace with colours
///   `wc` is a trace with colours `w`. If none is, though `wc` are the colours of
///   a trace `σa`, then the representative of `σa` does not extend that of `σ`:
///   3(c) is violated. The graph has exactly these steps: by induction, `w`
///   leads to the node of `min(w)` as long as 3(c) holds, and has a transition
///   of colour `c` there if an action of this colour is enabled.
/// - Condition 3(d): given the others, the representatives are the traces of the
///   graph of the kernel's nodes, and [`loop_respecting`] decides.
///
/// If the graph is not adequate, condition 1 or 3(c) is violated, even if it is
/// not known which.
pub(super) fn check(
    closed: &ConditionVerdict,
    adequate_nodes: &ConditionVerdict,
    loop_preserving: &ConditionVerdict,
    loop_respecting: impl FnOnce() -> ConditionVerdict,
) -> ConditionVerdict {
    if let ConditionVerdict::Violated(Violation::Closed { trace, other }) = closed {
        return ConditionVerdict::Violated(Violation::Symmetric(Asymmetry::NotClosed {
            trace: trace.clone(),
            other: other.clone(),
        }));
    }
    if let ConditionVerdict::Violated(Violation::Adequate { trace, longest }) = adequate_nodes {
        return ConditionVerdict::Violated(Violation::Symmetric(Asymmetry::NotPrefixClosed {
            trace: trace.clone(),
            representative: longest.clone(),
            is_closed: matches!(closed, ConditionVerdict::Holds),
        }));
    }
    for verdict in [closed, adequate_nodes] {
        if let ConditionVerdict::Unknown(reason) = verdict {
            return ConditionVerdict::Unknown(reason.clone());
        }
    }
    match loop_preserving {
        // No loop changes a vector: it leads back to the same node.
        ConditionVerdict::Holds => ConditionVerdict::Holds,
        ConditionVerdict::Violated(_) | ConditionVerdict::Unknown(_) => loop_respecting(),
    }
}

/// Whether representatives remain such when loops are left out (report
/// SEN-R9918, Definition 3.1, condition 3(d)), where they are the traces of this
/// graph; with a shortest one if not.
///
/// If `σ₁` leads to a node `(s, v)` and `σ₂` in a loop of the specification from
/// there to `(s, v')`, each trace from `(s, v')` must be one from `(s, v)`. Both
/// have at most one transition with each label, and the same labels lead to the
/// same states. So it is enough to follow both nodes side by side, and to look
/// for a label that only the former has.
pub(super) fn loop_respecting(
    kernel: &Graph<'_>,
    tree: &Tree,
    components: &Components,
    budget: &mut Budget<'_, '_>,
) -> ConditionVerdict {
    match search(kernel, tree, components, budget) {
        Ok(None) => ConditionVerdict::Holds,
        Ok(Some(asymmetry)) => ConditionVerdict::Violated(Violation::Symmetric(asymmetry)),
        Err(reason) => ConditionVerdict::Unknown(reason),
    }
}

/// Breadth-first by the length of `σ₁σ₂` and what follows.
fn search(
    kernel: &Graph<'_>,
    tree: &Tree,
    components: &Components,
    budget: &mut Budget<'_, '_>,
) -> Result<Option<Asymmetry>, Reason> {
    let mut around = Around::new(kernel, tree, components);
    // A node after a loop, or further on, and what it must be like.
    let mut after = Pairs::default();
    // The pairs of `around` from which the first of these were found.
    let mut entries = HashMap::new();
    let mut done = 0;
    let mut loops_left = true;
    while loops_left || done < after.len() {
        if loops_left {
            let range = around.next_length(budget)?;
            loops_left = range.is_some();
            for at in range.unwrap_or_default() {
                let (before, behind) = *around.pairs.get(at);
                if before != behind
                    && kernel.state(before) == kernel.state(behind)
                    && after.add((behind, before), None, ())
                {
                    budget.find()?;
                    entries.insert(after.len() - 1, at);
                }
            }
        }
        let end = after.len();
        for at in done..end {
            let (long, short) = *after.get(at);
            for step in kernel.row(long) {
                let label = kernel.label(step);
                let Some(target) = follow(kernel, short, label) else {
                    let way = after.way(at);
                    let [before, around] = around.traces(entries[&way[0]]);
                    let mut rest = labels(kernel, &after, &way);
                    rest.push(label);
                    return Ok(Some(Asymmetry::NotLoopRespecting {
                        before,
                        around,
                        after: rest,
                    }));
                };
                let targets = (kernel.target(step), target);
                if targets.0 != targets.1 && after.add(targets, Some(at), ()) {
                    budget.find()?;
                }
            }
        }
        done = end;
    }
    Ok(None)
}

/// Where a label leads from a node, if anywhere.
fn follow(kernel: &Graph<'_>, node: u32, label: LabelId) -> Option<u32> {
    let at = kernel.row(node).find(|&at| kernel.label(at) == label)?;
    Some(kernel.target(at))
}

/// Labels that lead along these pairs.
fn labels(kernel: &Graph<'_>, pairs: &Pairs, way: &[usize]) -> Vec<LabelId> {
    let steps = way.windows(2).map(|two| {
        let [(long, short), targets] = [two[0], two[1]].map(|at| *pairs.get(at));
        let mut row = kernel.row(long);
        let step = row.find(|&at| {
            kernel.target(at) == targets.0
                && follow(kernel, short, kernel.label(at)) == Some(targets.1)
        });
        kernel.label(step.expect("a pair was found from the one before it"))
    });
    steps.collect()
}
