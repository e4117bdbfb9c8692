//! The reductions as they are defined, for small systems: nothing is shared with
//! those that are fast.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};

/// Which states hidden transitions lead to: `reach[s][t]`; Warshall's algorithm.
fn hidden_reach(lts: &Lts) -> Vec<Vec<bool>> {
    let n = lts.states();
    let mut reach = vec![vec![false; n]; n];
    for (s, row) in reach.iter_mut().enumerate() {
        row[s] = true;
    }
    for (s, label, t) in lts.iter() {
        reach[s.index()][t.index()] |= label.is_hidden();
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

/// A system with these transitions, and with the labels of another.
fn system(like: &Lts, initial: usize, steps: BTreeSet<(usize, LabelId, usize)>) -> Lts {
    let mut builder = LtsBuilder::with_table(like.states() as u64, like.table().clone());
    for (s, label, t) in steps {
        builder.add(StateId::from_index(s), label, StateId::from_index(t));
    }
    builder.build(StateId::from_index(initial)).unwrap()
}

/// Each state is replaced by the least on its hidden cycles. With `divergence`,
/// hidden self-loops remain.
pub fn compressed(lts: &Lts, divergence: bool) -> Lts {
    let reach = hidden_reach(lts);
    let least = |s: StateId| {
        let s = s.index();
        (0..=s)
            .find(|&t| reach[s][t] && reach[t][s])
            .expect("itself")
    };
    let steps = lts
        .iter()
        .map(|(s, label, t)| (least(s), label, least(t)))
        .filter(|&(s, label, t)| divergence || !label.is_hidden() || s != t)
        .collect();
    system(lts, least(lts.initial()), steps)
}

/// Every visible transition from where hidden ones lead.
pub fn tau_star(lts: &Lts) -> Lts {
    let reach = hidden_reach(lts);
    let mut steps = BTreeSet::new();
    for (s, row) in reach.iter().enumerate() {
        for (between, label, t) in lts.iter() {
            if !label.is_hidden() && row[between.index()] {
                steps.insert((s, label, t.index()));
            }
        }
    }
    system(lts, lts.initial().index(), steps)
}

/// A transition by its source and target.
pub type Step = (usize, usize);

/// Whether a set of hidden transitions is strongly confluent, by the definition.
pub fn is_confluent(lts: &Lts, set: &BTreeSet<Step>) -> bool {
    set.iter().all(|&step| is_closed(lts, set, step))
}

/// Whether the definition holds of one transition of the set.
fn is_closed(lts: &Lts, set: &BTreeSet<Step>, (s, t): Step) -> bool {
    let outgoing = |s: usize| lts.outgoing(StateId::from_index(s));
    outgoing(s).all(|(a, u)| {
        let u = u.index();
        let stays = a.is_hidden().then_some(t);
        let moves = outgoing(t).filter(|(b, _)| *b == a).map(|(_, v)| v.index());
        let mut ends = moves.chain(stays);
        ends.any(|v| u == v || set.contains(&(u, v)))
    })
}

/// The largest strongly confluent set of hidden transitions: the union of all
/// strongly confluent sets if there are few transitions, and what remains of all of
/// them when those are struck out that are in the way, one at a time, if not.
pub fn confluent(lts: &Lts) -> BTreeSet<Step> {
    let hidden: BTreeSet<Step> = lts
        .iter()
        .filter(|(_, label, _)| label.is_hidden())
        .map(|(s, _, t)| (s.index(), t.index()))
        .collect();
    if hidden.len() <= 8 {
        let subset = |bits: u32| {
            let chosen = hidden.iter().enumerate();
            let chosen = chosen.filter(move |(k, _)| bits >> k & 1 == 1);
            chosen.map(|(_, step)| *step).collect::<BTreeSet<Step>>()
        };
        let all = (0..1 << hidden.len()).map(subset);
        return all.filter(|set| is_confluent(lts, set)).flatten().collect();
    }
    let mut set = hidden;
    while let Some(&wrong) = set.iter().find(|&&step| !is_closed(lts, &set, step)) {
        set.remove(&wrong);
    }
    set
}
