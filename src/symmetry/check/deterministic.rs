//! Is the specification a finite state machine?

use hyades_formats::{Lts, StateId};
use hyades_lts::shortest_path;

use super::{ConditionVerdict, Violation};

/// Whether no label leads from a state that can be reached to different states
/// (report SEN-R9918, Definition 2.1). Equal transitions count once. O(states +
/// transitions).
pub(super) fn check(lts: &Lts) -> ConditionVerdict {
    // The target of each label from the state that is being looked at.
    let mut targets = vec![(u32::MAX, StateId::default()); lts.table().len()];
    let mut seen = vec![false; lts.states()];
    seen[lts.initial().index()] = true;
    let mut queue = vec![lts.initial()];
    let mut next = 0;
    while next < queue.len() {
        let source = queue[next];
        next += 1;
        for (label, target) in lts.outgoing(source) {
            let known = &mut targets[label.index()];
            if known.0 != source.get() {
                *known = (source.get(), target);
            } else if known.1 != target {
                let mut trace = shortest_path(lts, source).expect("it was reached");
                trace.push(label);
                return ConditionVerdict::Violated(Violation::Deterministic {
                    trace,
                    source,
                    targets: [known.1, target],
                });
            }
            if !std::mem::replace(&mut seen[target.index()], true) {
                queue.push(target);
            }
        }
    }
    ConditionVerdict::Holds
}
