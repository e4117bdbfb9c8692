//! Cycles of hidden transitions become states.

use hyades_formats::{LabelId, Lts, LtsParts};
use hyades_lts::{Components, tau_components};

use crate::{Partition, TauContraction, contracted_quotient};

/// Makes one state of each strongly connected component of hidden transitions,
/// without hidden self-loops; with `divergence`, with one where there was a cycle.
pub(super) fn reduce(lts: Lts, divergence: bool) -> Lts {
    let (silent, count) = contracted(&lts, divergence);
    let initial = lts.initial();
    let LtsParts { table, .. } = lts.into_parts();
    let each = Partition::new((0..count).collect());
    contracted_quotient(silent, each, &[initial], table, false).0
}

/// The LTS with its hidden components as nodes, and their number.
pub(super) fn contracted(lts: &Lts, divergence: bool) -> (TauContraction, u32) {
    let components = tau_components(lts);
    let diverges = match divergence {
        true => on_cycles(lts, &components),
        false => vec![false; components.count as usize],
    };
    let label = LabelId::new(lts.table().len() as u32);
    let Components { of, count } = components;
    (
        TauContraction::with_nodes(lts.into(), of, &diverges, label),
        count,
    )
}

/// Which components have a hidden transition within.
fn on_cycles(lts: &Lts, components: &Components) -> Vec<bool> {
    let mut cyclic = vec![false; components.count as usize];
    for (s, label, t) in lts.iter() {
        let own = components.of[s.index()];
        if label.is_hidden() && own == components.of[t.index()] {
            cyclic[own as usize] = true;
        }
    }
    cyclic
}
