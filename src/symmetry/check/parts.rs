//! Parts of a specification: kernels.

use std::collections::HashSet;

use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};

use super::CheckError;
use crate::instances::Instances;
use crate::kernel::Kernel;

/// A part of a specification from elsewhere, with the specification's numbers of
/// labels.
pub(super) fn translated(part: &Lts, specification: &Lts) -> Result<Lts, CheckError> {
    if part.states() > specification.states() {
        return Err(CheckError::NoPart(format!(
            "it has {}, the specification has {}",
            counted(part.states(), "state"),
            specification.states()
        )));
    }
    let table = specification.table();
    let mut numbers = vec![LabelId::HIDDEN; part.table().len()];
    let mut parts = part.clone().into_parts();
    for label in &mut parts.labels {
        let number = &mut numbers[label.index()];
        if number.is_hidden() && !label.is_hidden() {
            let text = part.table().text(*label);
            *number = table.find(text).ok_or_else(|| {
                let text = String::from_utf8_lossy(text);
                CheckError::NoPart(format!("the specification has no label `{text}`"))
            })?;
        }
        *label = *number;
    }
    parts.table = table.clone();
    Ok(Lts::from_parts(parts))
}

/// Whether some state of the specification is in several nodes of its kernel, so
/// that the kernel may have traces that the graph of its nodes has not.
pub(super) fn merges_nodes(kernel: &Kernel, copies: &Instances) -> bool {
    let mut states = HashSet::new();
    let mut nodes = kernel.nodes.packed.iter();
    !nodes.all(|node| states.insert(copies.state(node)))
}

/// The kernel as a part of the specification, with the specification's numbers
/// of states and labels.
pub(super) fn merged(
    kernel: &Kernel,
    specification: &Lts,
    copies: &Instances,
) -> Result<Lts, TooLarge> {
    let state = |node: StateId| StateId::new(copies.state(kernel.nodes.packed(node.index())));
    let table = specification.table().clone();
    let mut builder = LtsBuilder::with_table(specification.states() as u64, table);
    let mut known = HashSet::new();
    for (source, label, target) in kernel.nodes.graph.iter() {
        let transition = (state(source), label, state(target));
        if known.insert(transition) {
            builder.add(transition.0, transition.1, transition.2);
        }
    }
    builder.build(specification.initial())
}
