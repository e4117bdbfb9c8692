//! The equivalences as their papers define them: greatest fixpoints over pairs
//! of states, computed by striking out the pairs that break the definition
//! until none does.
//!
//! This is the oracle for tests. Nothing here is clever, and nothing is shared
//! with the engines that are: no blocks, no signatures, no order of work. Only
//! for systems of up to a few hundred states.

pub mod formula;
pub mod spectrum;

use hyades_formats::{Lts, StateId};

/// A relation on the states: `related[s][t]`.
type Pairs = Vec<Vec<bool>>;

/// The class of each state by strong bisimilarity; classes are numbered in the order
/// of their first members.
///
/// With n states and m transitions: O(n²) memory, and at most n rounds of O(m²) time.
pub fn strong(lts: &Lts) -> Vec<u32> {
    let levels = strong_levels(lts);
    let same = |row: &Vec<Option<u32>>| row.iter().map(Option::is_none).collect();
    classes(&levels.iter().map(same).collect())
}

/// The same by branching bisimilarity, in at most n² rounds of O(n·m²) time.
pub fn branching(lts: &Lts) -> Vec<u32> {
    classes(&branching_within(lts, all_pairs(lts)))
}

/// The same by branching bisimilarity with explicit divergence: the greatest branching
/// bisimulation (an equivalence) whose related states agree on whether they start an
/// infinite hidden path that never leaves their class.
///
/// Which paths leave depends on the classes, so that the two are computed in
/// turn. Every class in between is a union of final classes. Related states
/// then agree on infinite hidden paths inside the larger class too: such a path
/// either stays in a final class, where the definition applies, or each step
/// from one final class to the next can be answered. So no final pair is ever
/// struck out.
pub fn divbranching(lts: &Lts) -> Vec<u32> {
    let n = lts.states();
    let mut related = all_pairs(lts);
    loop {
        let divergent = divergent(lts, &related);
        let mut within = related.clone();
        for s in 0..n {
            for t in 0..n {
                within[s][t] &= divergent[s] == divergent[t];
            }
        }
        let next = branching_within(lts, within);
        if next == related {
            return classes(&related);
        }
        related = next;
    }
}

/// The levels of strong bisimilarity: for each pair of states, `Some(k)` if
/// they are k−1-step but not k-step bisimilar (all states are 0-step
/// bisimilar), `None` if they are bisimilar.
///
/// Two states are k+1-step bisimilar if each step of one can be answered by the
/// other with the same label and so that the targets are k-step bisimilar
/// (Hennessy & Milner 1985). k is the least depth of a formula that tells the
/// states apart.
pub fn strong_levels(lts: &Lts) -> Vec<Vec<Option<u32>>> {
    let n = lts.states();
    let mut level = vec![vec![None; n]; n];
    let mut related = all_pairs(lts);
    for round in 1.. {
        // All pairs against the same previous round, or depths would be wrong.
        let previous = related.clone();
        let mut changed = false;
        for s in 0..n {
            for t in 0..n {
                if previous[s][t]
                    && !(simulated(lts, &previous, s, t) && simulated(lts, &previous, t, s))
                {
                    related[s][t] = false;
                    level[s][t] = Some(round);
                    changed = true;
                }
            }
        }
        if !changed {
            break;
        }
    }
    level
}

/// Which states start an infinite hidden path that stays in their class, of these.
pub fn divergent_states(lts: &Lts, classes: &[u32]) -> Vec<bool> {
    let same = |s: &u32| classes.iter().map(|t| s == t).collect();
    divergent(lts, &classes.iter().map(same).collect())
}

/// Whether `t` can answer each step of `s` into related states.
fn simulated(lts: &Lts, related: &Pairs, s: usize, t: usize) -> bool {
    lts.outgoing(StateId::from_index(s)).all(|(a, s1)| {
        lts.outgoing(StateId::from_index(t))
            .any(|(b, t1)| a == b && related[s1.index()][t1.index()])
    })
}

/// The greatest branching bisimulation within a symmetric relation: s R t
/// implies that for s --a-> s' either a is hidden and s' R t, or there are
/// t ==> t'' --a-> t' with s R t'' and s' R t'; and the other way round.
fn branching_within(lts: &Lts, within: Pairs) -> Pairs {
    let n = lts.states();
    let silent = silently_reachable(lts);
    let answered = |related: &Pairs, s: usize, t: usize| {
        lts.outgoing(StateId::from_index(s)).all(|(a, s1)| {
            let s1 = s1.index();
            (a.is_hidden() && related[s1][t])
                || silent[t].iter().any(|&t2| {
                    related[s][t2]
                        && lts
                            .outgoing(StateId::from_index(t2))
                            .any(|(b, t1)| a == b && related[s1][t1.index()])
                })
        })
    };
    let mut related = within;
    loop {
        let mut changed = false;
        for s in 0..n {
            for t in 0..n {
                if related[s][t] && !(answered(&related, s, t) && answered(&related, t, s)) {
                    related[s][t] = false;
                    related[t][s] = false;
                    changed = true;
                }
            }
        }
        if !changed {
            return related;
        }
    }
}

/// Which states start an infinite hidden path of states that are all related
/// to the first: the greatest set of states with a hidden step to a related
/// state of the set. `related` must be an equivalence.
fn divergent(lts: &Lts, related: &Pairs) -> Vec<bool> {
    let n = lts.states();
    let mut divergent = vec![true; n];
    loop {
        let mut changed = false;
        for s in 0..n {
            let goes_on = lts
                .outgoing(StateId::from_index(s))
                .any(|(a, t)| a.is_hidden() && related[s][t.index()] && divergent[t.index()]);
            if divergent[s] && !goes_on {
                divergent[s] = false;
                changed = true;
            }
        }
        if !changed {
            return divergent;
        }
    }
}

/// For each state, the states that it reaches by hidden steps (itself too).
fn silently_reachable(lts: &Lts) -> Vec<Vec<usize>> {
    (0..lts.states())
        .map(|s| {
            let mut found = vec![s];
            let mut next = 0;
            while next < found.len() {
                for (a, t) in lts.outgoing(StateId::from_index(found[next])) {
                    if a.is_hidden() && !found.contains(&t.index()) {
                        found.push(t.index());
                    }
                }
                next += 1;
            }
            found
        })
        .collect()
}

fn all_pairs(lts: &Lts) -> Pairs {
    vec![vec![true; lts.states()]; lts.states()]
}

/// The classes of an equivalence.
///
/// # Panics
/// If the relation is none, which would be an error in the definitions above.
fn classes(related: &Pairs) -> Vec<u32> {
    let n = related.len();
    let mut class = vec![0u32; n];
    let mut next = 0;
    for s in 0..n {
        class[s] = match (0..s).find(|&t| related[s][t]) {
            Some(t) => class[t],
            None => {
                next += 1;
                next - 1
            }
        };
    }
    for s in 0..n {
        for t in 0..n {
            assert_eq!(related[s][t], class[s] == class[t], "an equivalence");
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use hyades_formats::{LabelId, LtsBuilder};

    use super::*;

    /// An LTS from transitions; `i` is hidden.
    fn lts(transitions: &[(u32, &str, u32)]) -> Lts {
        let mut b = LtsBuilder::new(1);
        for &(s, l, t) in transitions {
            match l {
                "i" => b.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t)),
                _ => b.add_text(s, l.as_bytes(), t).unwrap(),
            }
        }
        b.build(StateId::new(0)).unwrap()
    }

    type Classes = fn(&Lts) -> Vec<u32>;

    fn same(lts: &Lts, classes: Classes, s: usize, t: usize) -> bool {
        let classes = classes(lts);
        classes[s] == classes[t]
    }

    #[test]
    fn choice_before_or_after_an_action() {
        // 0 = a.(b + c), 4 = a.b + a.c
        let l = lts(&[
            (0, "a", 1),
            (1, "b", 2),
            (1, "c", 2),
            (4, "a", 5),
            (4, "a", 6),
            (5, "b", 2),
            (6, "c", 2),
        ]);
        for classes in [strong, branching, divbranching] {
            assert!(!same(&l, classes, 0, 4));
        }
        let levels = strong_levels(&l);
        assert_eq!((levels[0][4], levels[1][5]), (Some(2), Some(1)));
        assert_eq!(levels[2][3], None);
    }

    #[test]
    fn an_inert_step_is_seen_by_strong_bisimilarity_only() {
        // 0 = i.a, 1 = a
        let l = lts(&[(0, "i", 1), (1, "a", 2)]);
        assert!(!same(&l, strong, 0, 1));
        assert!(same(&l, branching, 0, 1));
        assert!(same(&l, divbranching, 0, 1));
    }

    #[test]
    fn the_third_tau_law_does_not_hold_for_branching_bisimilarity() {
        // 0 = a.(i.b + c), 5 = a.(i.b + c) + a.b: weakly bisimilar only.
        let l = lts(&[
            (0, "a", 1),
            (1, "i", 2),
            (1, "c", 3),
            (2, "b", 3),
            (5, "a", 1),
            (5, "a", 2),
        ]);
        assert!(!same(&l, branching, 0, 5));
        // The second: 0 = a.(i.(b + c) + b), 5 = a.(b + c).
        let l = lts(&[
            (0, "a", 1),
            (1, "i", 2),
            (1, "b", 3),
            (2, "b", 3),
            (2, "c", 3),
            (5, "a", 2),
        ]);
        assert!(same(&l, branching, 0, 5));
        assert!(!same(&l, strong, 0, 5));
    }

    #[test]
    fn divergence_is_seen_by_divbranching_only() {
        // 0 = a with a hidden loop, 1 = a; 2 = stop, 3 = hidden cycle with 4.
        let l = lts(&[
            (0, "i", 0),
            (0, "a", 2),
            (1, "a", 2),
            (3, "i", 4),
            (4, "i", 3),
        ]);
        assert!(same(&l, branching, 0, 1));
        assert!(!same(&l, divbranching, 0, 1));
        assert!(same(&l, branching, 2, 3));
        assert!(!same(&l, divbranching, 2, 3));
        assert!(same(&l, divbranching, 3, 4));
    }

    #[test]
    fn a_hidden_step_away_to_a_divergence_is_no_divergence() {
        // 0 and 1 do `a` or go silently to the livelock 2; neither stays.
        let l = lts(&[
            (0, "a", 3),
            (0, "i", 2),
            (1, "a", 3),
            (1, "i", 2),
            (2, "i", 2),
            (4, "i", 0),
        ]);
        assert!(same(&l, divbranching, 0, 1));
        assert!(same(&l, divbranching, 0, 4));
        assert!(!same(&l, divbranching, 0, 2));
    }
}
