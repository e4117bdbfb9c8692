//! Parts of systems against the definition of simulation.

use std::cell::Cell;

use hyades_explore::Model;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::{check, mutated};

use crate::decide::Shown;
use crate::within::{Excess, ends_in_deadlock, is_part};
use crate::{CheckOptions, Verdict};

/// The label with the same text.
fn same(label: LabelId, from: &Lts, to: &Lts) -> Option<LabelId> {
    match label.is_hidden() {
        true => Some(LabelId::HIDDEN),
        false => to.table().find(from.table().text(label)),
    }
}

/// Which states of a system simulate which of a part: the greatest relation.
fn simulated(part: &Lts, system: &Lts) -> Vec<Vec<bool>> {
    let mut related = vec![vec![true; system.states()]; part.states()];
    loop {
        let mut is_stable = true;
        for p in 0..part.states() {
            for s in 0..system.states() {
                let does = |(label, after): (LabelId, StateId)| {
                    let own = same(label, part, system);
                    let mut row = system.outgoing(StateId::from_index(s));
                    row.any(|(l, t)| Some(l) == own && related[after.index()][t.index()])
                };
                if related[p][s] && !part.outgoing(StateId::from_index(p)).all(does) {
                    related[p][s] = false;
                    is_stable = false;
                }
            }
        }
        if is_stable {
            return related;
        }
    }
}

/// A part is one if it is simulated; what is told of another one is a transition of it that
/// some state of the system which may be meant has not.
#[test]
fn parts_are_simulated() {
    let seen = Cell::new([0usize; 2]);
    check(60, 6, |system, random| {
        let mut part = system.clone();
        for _ in 0..random.between(0, 3) {
            part = mutated(&part, random);
        }
        let related = simulated(&part, system);
        let expected = related[Lts::initial(&part).index()][Lts::initial(system).index()];
        let found = is_part(system.erased(), &part, &mut CheckOptions::default());
        let found = found.expect("a small LTS");
        let mut counts = seen.get();
        counts[usize::from(expected)] += 1;
        seen.set(counts);
        match (expected, found) {
            (true, Shown::Yes) => Ok(()),
            (false, Shown::No(Some(excess))) => {
                let Excess {
                    source,
                    label,
                    target,
                } = excess;
                let own = same(label, &part, system);
                let lacks = |s: usize| {
                    let mut row = system.outgoing(StateId::from_index(s));
                    !row.any(|(l, _)| Some(l) == own)
                };
                let is_own = part.outgoing(source).any(|step| step == (label, target));
                match is_own && (0..system.states()).any(lacks) {
                    true => Ok(()),
                    false => Err(format!("{excess:?} of {part:?}")),
                }
            }
            _ => Err(format!("{found:?}, not {expected}: {part:?}")),
        }
    });
    assert!(seen.get().iter().all(|&n| n > 50), "{:?}", seen.get());
}

/// A sequence ends in a deadlock if one of its paths does.
#[test]
fn sequences_end_in_deadlocks() {
    let seen = Cell::new([0usize; 2]);
    check(40, 6, |system, random| {
        let mut now = vec![Lts::initial(system)];
        let mut labels = Vec::new();
        for _ in 0..random.between(0, 4) {
            let steps: Vec<_> = now.iter().flat_map(|s| system.outgoing(*s)).collect();
            if steps.is_empty() {
                break;
            }
            let label = steps[random.between(0, steps.len() - 1)].0;
            labels.push((!label.is_hidden()).then(|| system.table().text(label)));
            now = steps
                .into_iter()
                .filter(|s| s.0 == label)
                .map(|s| s.1)
                .collect();
        }
        let expected = now.iter().any(|s| system.row(*s).is_empty());
        let found = ends_in_deadlock(system.erased(), &labels, CheckOptions::default());
        let mut counts = seen.get();
        counts[usize::from(expected)] += 1;
        seen.set(counts);
        let wanted = if expected {
            Shown::Yes
        } else {
            Shown::No(None)
        };
        match found.expect("a small LTS") == wanted {
            true => Ok(()),
            false => Err(format!("not {expected}: {labels:?}")),
        }
    });
    assert!(seen.get().iter().all(|&n| n > 30), "{:?}", seen.get());
}

/// What is not known of a system is not refused.
#[test]
fn limits_of_parts() {
    check(10, 6, |system, _| {
        let mut options = CheckOptions::default();
        options.limits.max_states = Some(1);
        let found = is_part(system.erased(), system, &mut options).expect("a small LTS");
        match found {
            Shown::Yes | Shown::Open(Verdict::Limit(_)) => Ok(()),
            _ => Err(format!("{found:?}")),
        }
    });
}
