//! The relations between systems that are in use, each straight from its definition:
//! greatest fixpoints over pairs of states, boolean matrices of steps, subset
//! constructions.
//!
//! Only for small systems: up to about 20 states are fast, more than 128 states or
//! 127 visible labels panic. Of an LTS only what is reachable from the states in
//! question counts.
//!
//! "p below q" means that p shows no more than q: what distinguishes them is
//! something that p has and q has not. Two states are equivalent if each is below the
//! other; bisimulations are symmetric by themselves. The names are those of
//! [`NAMES`]; `strong` says which visible labels `sharp` and `divsharp` take as
//! strong.
//!
//! Definitions: van Glabbeek, *The linear time – branching time spectrum* (I, 2001,
//! and II, 1993); Bouajjani, Fernandez, Graf, Rodriguez & Sifakis, *Safety for
//! branching time semantics* (1991); Roscoe, *Understanding Concurrent Systems*
//! (2010), for failures and divergences; Bisping & Nestmann, *Computing coupled
//! similarity* (2019); Bisping & Montanari, *A game characterization for
//! contrasimilarity* (2021); Eloranta, *Minimizing the number of transitions with
//! respect to observation equivalence* (1991), for quotients.

mod fixpoints;
mod isomorphism;
mod linear;
mod quotients;
mod system;
#[cfg(test)]
mod tests;

use hyades_formats::{LabelId, Lts, StateId};

use linear::{Linear, Search};
use system::{Relation, System, has, single};

/// The relations, from the finest on: bisimulations, simulations, then those of
/// linear time.
pub const NAMES: [&str; 34] = [
    "isomorphism",
    "strong",
    "divsharp",
    "sharp",
    "rooted-branching",
    "divbranching",
    "sr-branching",
    "branching",
    "eta",
    "delay",
    "rooted-weak",
    "dpweak",
    "observational",
    "tau*.a",
    "2-nested-sim",
    "ready-sim",
    "sim",
    "coupled-sim",
    "contrasim",
    "branching-sim",
    "safety",
    "possible-futures",
    "impossible-futures-strong",
    "ready-trace",
    "failure-trace",
    "readiness",
    "revivals",
    "failures",
    "completed-trace",
    "trace",
    "impossible-futures",
    "weak-failures",
    "failures-divergence",
    "weaktrace",
];

/// Whether p is below q in the relation of this name; `None` if there is none.
///
/// With n states reached from p and q: fixpoints take at most n² rounds over n² pairs,
/// each in O(n²) time per label. `contrasim` and those of linear time look at pairs of
/// a state and a set of states, which can be n·2ⁿ (`contrasim`: for each of n² pairs).
///
/// # Panics
/// If p and q reach more than 128 states or steps with more than 127 visible labels.
pub fn below(
    name: &str,
    lts: &Lts,
    p: StateId,
    q: StateId,
    strong: &dyn Fn(LabelId) -> bool,
) -> Option<bool> {
    if !NAMES.contains(&name) {
        return None;
    }
    let (system, roots) = System::reached(lts, &[p, q], strong);
    let (p, q) = (roots[0], roots[1]);
    if name == "isomorphism" {
        return Some(isomorphism::isomorphic(&system, p, q));
    }
    if let Some(relation) = Linear::named(name) {
        return Some(Search::new(&system, relation).difference(p, q).is_none());
    }
    relation(name, &system).map(|related| has(related[p], q))
}

/// The same for all pairs of states: `matrix[p][q]` if p is below q.
///
/// # Panics
/// As [`below`], of all states.
pub fn pairs(name: &str, lts: &Lts, strong: &dyn Fn(LabelId) -> bool) -> Option<Vec<Vec<bool>>> {
    let states: Vec<StateId> = (0..lts.states()).map(StateId::from_index).collect();
    let (system, _) = System::reached(lts, &states, strong);
    let n = system.states();
    let related = relation(name, &system)?;
    let row = |&row| (0..n).map(|q| has(row, q)).collect();
    Some(related.iter().map(row).collect())
}

/// The number of classes of the reachable states, if each is below the other of two
/// equivalent states.
///
/// # Panics
/// As [`below`], of what the initial state reaches.
pub fn class_count(name: &str, lts: &Lts, strong: &dyn Fn(LabelId) -> bool) -> Option<usize> {
    let (system, _) = System::reached(lts, &[lts.initial()], strong);
    relation(name, &system).map(|related| quotients::count(&related))
}

/// The states and transitions of the canonical quotient of what is reachable, for
/// `strong`, `branching`, `divbranching`, `sharp`, `divsharp`, `observational`,
/// `dpweak`, `tau*.a`, `sim`, `ready-sim`, `safety`, `trace` and `weaktrace`; also of
/// the results of `tau-compression` and `tau-divergence`, which contract hidden
/// cycles. `None` for other names.
///
/// Bisimulations have the steps between classes, of hidden ones within a class only a
/// loop on those that diverge inside, where divergence counts; `observational` and
/// `dpweak` have the least set of steps that generates the same weak ones;
/// simulations leave out little brothers; `tau*.a` and `safety` are those of the
/// steps s ==> --a-> t; `trace` and `weaktrace` have the smallest deterministic
/// automaton, without the state that refuses.
///
/// # Panics
/// As [`below`], of what the initial state reaches.
pub fn quotient_size(
    name: &str,
    lts: &Lts,
    strong: &dyn Fn(LabelId) -> bool,
) -> Option<(usize, usize)> {
    let (system, roots) = System::reached(lts, &[lts.initial()], strong);
    quotients::size(name, &system, roots[0])
}

/// For a relation of linear time, the length of a shortest trace to what p has and q
/// has not: of `trace` and `weaktrace` the trace itself, of the others the trace
/// after which something is refused, accepted or diverges. Hidden steps count 1, but
/// in weak relations nothing. `Some(None)` if p is below q, `None` if the name is
/// none of linear time.
///
/// # Panics
/// As [`below`].
pub fn least_length(name: &str, lts: &Lts, p: StateId, q: StateId) -> Option<Option<usize>> {
    let relation = Linear::named(name)?;
    let (system, roots) = System::reached(lts, &[p, q], &|_| false);
    Some(Search::new(&system, relation).difference(roots[0], roots[1]))
}

/// The levels of observational bisimilarity, as [`super::strong_levels`] but over the
/// steps s ==> t and s ==> --a-> ==> t: the least depth of a formula of `<<a>>` and
/// `<<i>>` that tells two states apart.
///
/// # Panics
/// As [`below`], of all states.
pub fn weak_levels(lts: &Lts) -> Vec<Vec<Option<u32>>> {
    let states: Vec<StateId> = (0..lts.states()).map(StateId::from_index).collect();
    let (system, _) = System::reached(lts, &states, &|_| false);
    fixpoints::weak_levels(&system)
}

/// All pairs of the relation of this name.
fn relation(name: &str, system: &System) -> Option<Relation> {
    if let Some(relation) = Linear::named(name) {
        return Some(Search::new(system, relation).relation());
    }
    Some(match name {
        "isomorphism" => {
            let n = system.states();
            let row = |p| {
                let same = (0..n).filter(|&q| isomorphism::isomorphic(system, p, q));
                same.fold(0, |set, q| set | single(q))
            };
            (0..n).map(row).collect()
        }
        "strong" => fixpoints::strong(system),
        "divsharp" => fixpoints::divsharp(system),
        "sharp" => fixpoints::sharp(system),
        "rooted-branching" => fixpoints::rooted_branching(system),
        "divbranching" => fixpoints::divbranching(system),
        "sr-branching" => fixpoints::stability_respecting_branching(system),
        "branching" => fixpoints::branching(system),
        "eta" => fixpoints::eta(system),
        "delay" => fixpoints::delay(system),
        "rooted-weak" => fixpoints::rooted_weak(system),
        "dpweak" => fixpoints::dpweak(system),
        "observational" => fixpoints::observational(system),
        "tau*.a" => fixpoints::tau_star_a(system),
        "2-nested-sim" => fixpoints::two_nested_sim(system),
        "ready-sim" => fixpoints::ready_sim(system),
        "sim" => fixpoints::sim(system),
        "coupled-sim" => fixpoints::coupled_sim(system),
        "contrasim" => fixpoints::contrasim(system),
        "branching-sim" => fixpoints::branching_sim(system),
        "safety" => fixpoints::safety(system),
        _ => return None,
    })
}
