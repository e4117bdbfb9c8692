//! Relations by greatest fixpoints: the greatest relation on the states all of whose
//! pairs meet a condition, by striking out those that do not.
//!
//! Each condition can only fail more often in a smaller relation, so that what is
//! left is the union of all relations that meet it, except for conditions on
//! divergence, see [`with_divergence`].

use super::linear;
use super::system::{Relation, Set, System, has, image, inverse, members, single};

/// The greatest relation within another whose pairs all meet a condition.
fn greatest(within: Relation, meets: impl Fn(&Relation, usize, usize) -> bool) -> Relation {
    let mut related = within;
    loop {
        let before = related.clone();
        for p in 0..before.len() {
            for q in members(before[p]) {
                if !meets(&related, p, q) {
                    related[p] &= !single(q);
                }
            }
        }
        if related == before {
            return related;
        }
    }
}

/// The same, symmetric: both pairs meet the condition. `within` must be symmetric.
fn symmetric(within: Relation, meets: impl Fn(&Relation, usize, usize) -> bool) -> Relation {
    let related = greatest(within, |related, p, q| {
        meets(related, p, q) && meets(related, q, p)
    });
    assert_eq!(related, inverse(&related), "symmetric");
    related
}

/// Whether each step of p, of one kind, is answered by a step of q, of another kind,
/// with the same label and so that the targets are related.
fn answers(
    challenge: &[Relation],
    answer: &[Relation],
    related: &Relation,
    p: usize,
    q: usize,
) -> bool {
    let mut labels = challenge.iter().zip(answer);
    labels.all(|(challenge, answer)| {
        members(challenge[p]).all(|target| answer[q] & related[target] != 0)
    })
}

/// How the answer q = q₀ --> … --> qₙ --a-> q' to a step of p may look.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// The last state before the step a is related to p.
    Branching,
    /// The same, and hidden steps may follow the step a.
    Eta,
    /// All qᵢ are related to p; strong labels are answered at once.
    Sharp,
}

/// Whether each step p --a-> p' is answered: a is hidden and p' R q, or in the way
/// given.
fn until(system: &System, kind: Until, related: &Relation, p: usize, q: usize) -> bool {
    let from = match kind {
        Until::Branching | Until::Eta => system.reach[q] & related[p],
        Until::Sharp => within(system, q, related[p]),
    };
    (0..system.labels()).all(|a| {
        let strong = kind == Until::Sharp && system.strong[a];
        let from = if strong { single(q) } else { from };
        let mut to = image(&system.step[a], from);
        if kind == Until::Eta {
            to = image(&system.reach, to);
        }
        members(system.step[a][p]).all(|target| {
            let stays = a == 0 && has(related[target], q);
            stays || to & related[target] != 0
        })
    })
}

/// What a state reaches by hidden steps within a set; itself, if it is in the set.
fn within(system: &System, state: usize, set: Set) -> Set {
    let mut found = single(state) & set;
    loop {
        let more = found | (image(&system.step[0], found) & set);
        if more == found {
            return found;
        }
        found = more;
    }
}

pub(super) fn strong(system: &System) -> Relation {
    symmetric(system.all_pairs(), |related, p, q| {
        answers(&system.step, &system.step, related, p, q)
    })
}

pub(super) fn observational(system: &System) -> Relation {
    observational_within(system, system.all_pairs())
}

fn observational_within(system: &System, within: Relation) -> Relation {
    symmetric(within, |related, p, q| {
        answers(&system.step, &system.weak, related, p, q)
    })
}

pub(super) fn delay(system: &System) -> Relation {
    symmetric(system.all_pairs(), |related, p, q| {
        answers(&system.step, &system.delayed, related, p, q)
    })
}

pub(super) fn tau_star_a(system: &System) -> Relation {
    let steps = &system.delayed[1..];
    symmetric(system.all_pairs(), |related, p, q| {
        answers(steps, steps, related, p, q)
    })
}

fn until_within(system: &System, kind: Until, within: Relation) -> Relation {
    symmetric(within, |related, p, q| until(system, kind, related, p, q))
}

pub(super) fn branching(system: &System) -> Relation {
    until_within(system, Until::Branching, system.all_pairs())
}

pub(super) fn eta(system: &System) -> Relation {
    until_within(system, Until::Eta, system.all_pairs())
}

pub(super) fn sharp(system: &System) -> Relation {
    until_within(system, Until::Sharp, system.all_pairs())
}

/// Branching, and a stable p is answered by q ==> q' with q' stable and p R q'.
pub(super) fn stability_respecting_branching(system: &System) -> Relation {
    let stable = |set| members(set).any(|q| system.is_stable(q));
    symmetric(system.all_pairs(), |related, p, q| {
        until(system, Until::Branching, related, p, q)
            && (!system.is_stable(p) || stable(system.reach[q] & related[p]))
    })
}

/// The greatest bisimulation, of a kind that `greatest_within` finds within an
/// equivalence, that is an equivalence, and whose related states agree on whether
/// they start an infinite hidden path inside their class.
///
/// A smaller relation has fewer such paths on both sides, so that striking out single
/// pairs could strike out too many. Instead, the classes are refined in turn by
/// divergence and by the bisimulation. In between they are unions of the final
/// classes, and states that are related in the end agree on infinite hidden paths in
/// such a union too: such a path stays in a final class from some point on, or it
/// changes the final class for ever; either can be answered step by step without
/// leaving the union. (The answer to a hidden step may be many; but what lies on
/// hidden steps between two states that are related by observational bisimilarity is
/// related to both, and diverges if the last one does, and only if the first does.)
fn with_divergence(
    system: &System,
    greatest_within: impl Fn(&System, Relation) -> Relation,
) -> Relation {
    let mut related = system.all_pairs();
    loop {
        let divergent = system.divergent(&related);
        let agree = |p: usize| match has(divergent, p) {
            true => related[p] & divergent,
            false => related[p] & !divergent,
        };
        let next = greatest_within(system, (0..system.states()).map(agree).collect());
        if next == related {
            return related;
        }
        related = next;
    }
}

pub(super) fn divbranching(system: &System) -> Relation {
    with_divergence(system, |system, within| {
        until_within(system, Until::Branching, within)
    })
}

pub(super) fn divsharp(system: &System) -> Relation {
    with_divergence(system, |system, within| {
        until_within(system, Until::Sharp, within)
    })
}

pub(super) fn dpweak(system: &System) -> Relation {
    with_divergence(system, observational_within)
}

/// First steps with the same label to related states; a relation that is not asked of
/// what follows.
pub(super) fn rooted_branching(system: &System) -> Relation {
    let below = branching(system);
    once(system, |p, q| {
        answers(&system.step, &system.step, &below, p, q)
    })
}

/// The same where the answer to a step is any number of hidden steps around one with
/// the same label (for a hidden one: at least one).
pub(super) fn rooted_weak(system: &System) -> Relation {
    let below = observational(system);
    let mut answer = system.weak.clone();
    let first = |s: usize| image(&system.reach, image(&system.step[0], system.reach[s]));
    answer[0] = (0..system.states()).map(first).collect();
    once(system, |p, q| answers(&system.step, &answer, &below, p, q))
}

fn once(system: &System, meets: impl Fn(usize, usize) -> bool) -> Relation {
    let row = |p: usize| {
        let related = members(system.all_pairs()[p]).filter(|&q| meets(p, q) && meets(q, p));
        related.fold(0, |set, q| set | single(q))
    };
    (0..system.states()).map(row).collect()
}

pub(super) fn sim(system: &System) -> Relation {
    sim_within(system, system.all_pairs())
}

fn sim_within(system: &System, within: Relation) -> Relation {
    greatest(within, |related, p, q| {
        answers(&system.step, &system.step, related, p, q)
    })
}

pub(super) fn ready_sim(system: &System) -> Relation {
    let alike = |p: usize| {
        let same = (0..system.states()).filter(|&q| system.menu[p] == system.menu[q]);
        same.fold(0, |set, q| set | single(q))
    };
    sim_within(system, (0..system.states()).map(alike).collect())
}

pub(super) fn two_nested_sim(system: &System) -> Relation {
    sim_within(system, inverse(&sim(system)))
}

pub(super) fn branching_sim(system: &System) -> Relation {
    greatest(system.all_pairs(), |related, p, q| {
        until(system, Until::Branching, related, p, q)
    })
}

pub(super) fn safety(system: &System) -> Relation {
    let steps = &system.delayed[1..];
    greatest(system.all_pairs(), |related, p, q| {
        answers(steps, steps, related, p, q)
    })
}

pub(super) fn coupled_sim(system: &System) -> Relation {
    greatest(system.all_pairs(), |related, p, q| {
        let coupled = members(system.reach[q]).any(|q1| has(related[q1], p));
        coupled && answers(&system.step, &system.weak, related, p, q)
    })
}

/// p ==σ=> p' for a word σ of visible labels is answered by q ==σ=> q' with q' R p'.
pub(super) fn contrasim(system: &System) -> Relation {
    let n = system.states();
    let words = |p, q| linear::after_words(system, p, q);
    let reached: Vec<Vec<_>> = (0..n)
        .map(|p| (0..n).map(|q| words(p, q)).collect())
        .collect();
    greatest(system.all_pairs(), |related, p, q| {
        let mut ends = reached[p][q].iter();
        ends.all(|&(p1, after)| members(after).any(|q1| has(related[q1], p1)))
    })
}

/// Levels of observational bisimilarity: for each pair of states `Some(k)` if they
/// are (k−1)- but not k-step bisimilar over the steps s ==> t and s ==> --a-> ==> t.
pub(super) fn weak_levels(system: &System) -> Vec<Vec<Option<u32>>> {
    let n = system.states();
    let mut level = vec![vec![None; n]; n];
    let mut related = system.all_pairs();
    for round in 1.. {
        let before = related.clone();
        let meets = |p, q| answers(&system.weak, &system.weak, &before, p, q);
        for p in 0..n {
            for q in members(before[p]) {
                if !(meets(p, q) && meets(q, p)) {
                    related[p] &= !single(q);
                    level[p][q] = Some(round);
                }
            }
        }
        if related == before {
            break;
        }
    }
    level
}
#[cfg(test)]
pub(super) mod other_definitions {
    //! Definitions that are said to be equal to those above.

    use super::*;

    /// Simulation by the answers of observational bisimulation: safety.
    pub(in super::super) fn weak_sim(system: &System) -> Relation {
        greatest(system.all_pairs(), |related, p, q| {
            answers(&system.step, &system.weak, related, p, q)
        })
    }

    /// One direction of eta bisimulation: branching simulation.
    pub(in super::super) fn eta_sim(system: &System) -> Relation {
        greatest(system.all_pairs(), |related, p, q| {
            until(system, Until::Eta, related, p, q)
        })
    }

    /// Observational bisimulation with one more visible label, for a loop on each
    /// state of a hidden cycle: dpweak.
    pub(in super::super) fn marked_observational(system: &System) -> Relation {
        let mut step = system.step.clone();
        let mark = |s| single(s) & system.on_cycle;
        step.push((0..system.states()).map(mark).collect());
        observational(&System::of(step, vec![]))
    }
}
