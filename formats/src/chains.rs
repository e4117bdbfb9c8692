//! LTSs that are nothing but chains, for formats that know no other.

use crate::diagnostic::{Log, Severity};
use crate::lts::{Lts, StateId};
use crate::written::WrittenSize;

/// Complains unless what can be reached has no cycles and no state but the
/// initial one has several transitions, the initial one at most `first`. Tells
/// whether states that cannot be reached will be missing.
///
/// `name` is what messages call the format. O(states + transitions) time.
pub(crate) fn check(lts: &Lts, name: &str, first: usize, log: &mut Log) {
    let initial = lts.initial();
    if lts.row(initial).len() > first {
        return branching(lts, initial, name, log);
    }
    // the chain, by its number from 1, on which each state was met first
    let mut met = vec![0u32; lts.states()];
    let mut reached = 1;
    for (chain, (_, target)) in (1..).zip(lts.outgoing(initial)) {
        let mut state = target;
        loop {
            if state == initial || met[state.index()] == chain {
                let code = "chain-cycle";
                return log.add(Severity::Error, code, None, || {
                    format!("state {state} lies on a cycle: {name} has finite sequences only")
                });
            }
            if met[state.index()] != 0 {
                break;
            }
            met[state.index()] = chain;
            reached += 1;
            let mut outgoing = lts.outgoing(state);
            match (outgoing.next(), outgoing.next()) {
                (None, _) => break,
                (Some((_, target)), None) => state = target,
                _ => return branching(lts, state, name, log),
            }
        }
    }
    let missing = lts.states() - reached;
    if missing > 0 {
        log.add(
            Severity::Warning,
            "chain-unreachable",
            None,
            || match missing {
                1 => format!("a state that cannot be reached is left out: {name} has none"),
                _ => {
                    format!("{missing} states that cannot be reached are left out: {name} has none")
                }
            },
        );
    }
}

/// The size of the chains that are written of an LTS that [`check`] accepts: each has states of
/// its own but for the first. O(steps + labels) time.
pub(crate) fn size(lts: &Lts) -> WrittenSize {
    let mut used = vec![false; lts.table().len()];
    let mut steps = 0;
    for first in lts.outgoing(lts.initial()) {
        let mut step = Some(first);
        while let Some((label, target)) = step {
            used[label.index()] = true;
            steps += 1;
            step = lts.outgoing(target).next();
        }
    }
    WrittenSize {
        states: steps + 1,
        transitions: steps,
        labels: Some(used.iter().filter(|&&used| used).count() as u64),
    }
}

fn branching(lts: &Lts, state: StateId, name: &str, log: &mut Log) {
    let transitions = lts.row(state).len();
    log.add(Severity::Error, "chain-branching", None, || {
        let which = match state == lts.initial() {
            true => "the initial state",
            false => "state",
        };
        format!(
            "{which} {state} has {transitions} transitions, of which {name} cannot have several"
        )
    });
}
