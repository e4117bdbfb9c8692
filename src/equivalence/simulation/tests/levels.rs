//! Reasons, and that they are as little deep as can be.

use std::collections::BTreeMap;

use hyades_formats::{LabelId, Lts, StateId};
use hyades_testing::{Random, check, random_pair, union};

use super::super::{Kind, compare, reason};
use super::model_pairs;
use crate::formula::Formula;
use crate::rounds::untold;
use crate::{Kept, Relation, minimize_observed};

/// For each pair of states the round in which it falls out of a relation, if it does.
type Levels = Vec<Vec<Option<u32>>>;

/// Steps by source: label and target.
type Steps = Vec<Vec<(LabelId, usize)>>;

/// A small system with all its weak steps.
struct System {
    strong: Steps,
    /// What hidden steps lead to.
    closure: Vec<Vec<usize>>,
    /// Visible steps after hidden ones.
    after: Steps,
    /// Visible steps amid hidden ones.
    weak: Steps,
}

impl System {
    fn new(lts: &Lts) -> Self {
        let states = || (0..lts.states()).map(StateId::from_index);
        let row = |s| lts.outgoing(s).map(|(a, t)| (a, t.index())).collect();
        let strong: Steps = states().map(row).collect();
        let closure = |s: StateId| {
            let mut found = vec![s.index()];
            let mut next = 0;
            while next < found.len() {
                for &(a, t) in &strong[found[next]] {
                    if a.is_hidden() && !found.contains(&t) {
                        found.push(t);
                    }
                }
                next += 1;
            }
            found
        };
        let closure: Vec<Vec<usize>> = states().map(closure).collect();
        let after = |from: &Vec<usize>| {
            let steps = from.iter().flat_map(|&s| &strong[s]);
            steps.filter(|step| !step.0.is_hidden()).copied().collect()
        };
        let after: Steps = closure.iter().map(after).collect();
        let weak = |row: &Vec<(LabelId, usize)>| {
            let on = |&(a, t): &(LabelId, usize)| closure[t].iter().map(move |&u| (a, u));
            row.iter().flat_map(on).collect()
        };
        let weak = after.iter().map(weak).collect();
        Self {
            strong,
            closure,
            after,
            weak,
        }
    }

    fn states(&self) -> usize {
        self.strong.len()
    }

    /// The levels of the greatest relation whose pairs break a condition in no round.
    fn levels(
        &self,
        holds: impl Fn(&dyn Fn(usize, usize) -> bool, usize, usize) -> bool,
    ) -> Levels {
        let n = self.states();
        let mut levels: Levels = vec![vec![None; n]; n];
        for round in 1.. {
            // All pairs against the same previous round.
            let previous = levels.clone();
            let related = |p: usize, q: usize| previous[p][q].is_none();
            let mut changed = false;
            for (p, row) in levels.iter_mut().enumerate() {
                for (q, level) in row.iter_mut().enumerate() {
                    if related(p, q) && !holds(&related, p, q) {
                        *level = Some(round);
                        changed = true;
                    }
                }
            }
            if !changed {
                return levels;
            }
        }
        unreachable!()
    }

    fn of(&self, kind: Kind) -> Levels {
        let steps = |steps: &Steps, related: &dyn Fn(usize, usize) -> bool, p: usize, q: usize| {
            steps[p]
                .iter()
                .all(|&(a, p)| steps[q].iter().any(|&(b, q)| a == b && related(p, q)))
        };
        let has = |p: usize, a: LabelId| self.strong[p].iter().any(|step| step.0 == a);
        match kind {
            Kind::Sim => self.levels(|related, p, q| steps(&self.strong, related, p, q)),
            Kind::ReadySim => self.levels(|related, p, q| {
                steps(&self.strong, related, p, q) && self.strong[q].iter().all(|s| has(p, s.0))
            }),
            Kind::TwoNestedSim => {
                let sim = self.of(Kind::Sim);
                let n = self.states();
                let mut round = 0;
                let mut levels: Levels = vec![vec![None; n]; n];
                // Rounds in which both the steps and simulation the other way count.
                loop {
                    round += 1;
                    let previous = levels.clone();
                    let related = |p: usize, q: usize| previous[p][q].is_none();
                    for p in 0..n {
                        for q in 0..n {
                            let inner = sim[q][p].is_some_and(|level| level <= round);
                            if related(p, q) && (inner || !steps(&self.strong, &related, p, q)) {
                                levels[p][q] = Some(round);
                            }
                        }
                    }
                    if levels == previous && sim.iter().flatten().all(|&level| level < Some(round))
                    {
                        return levels;
                    }
                }
            }
            Kind::Safety => self.levels(|related, p, q| steps(&self.after, related, p, q)),
            Kind::BranchingSim => self.levels(|related, p, q| {
                self.strong[p].iter().all(|&(a, p1)| {
                    let at_once = a.is_hidden() && related(p1, q);
                    let later = |&q1: &usize| {
                        let to = |&(b, q2): &(LabelId, usize)| a == b && related(p1, q2);
                        related(p, q1) && self.strong[q1].iter().any(to)
                    };
                    at_once || self.closure[q].iter().any(later)
                })
            }),
            Kind::CoupledSim => self.levels(|related, p, q| {
                let coupled = |&p: &usize| self.closure[q].iter().any(|&q| related(q, p));
                let followed = |&p: &usize| self.closure[q].iter().any(|&q| related(p, q));
                steps(&self.weak, related, p, q)
                    && self.closure[p].iter().all(|p| coupled(p) && followed(p))
            }),
            Kind::Contrasim => unreachable!("has sets"),
        }
    }
}

/// Whether the attacker wins against contrasimulation with a formula of this depth.
fn wins(
    system: &System,
    p: usize,
    set: &[usize],
    after_step: bool,
    depth: u32,
    known: &mut BTreeMap<(usize, Vec<usize>, bool, u32), bool>,
) -> bool {
    if set.is_empty() {
        return true;
    }
    let key = (p, set.to_vec(), after_step, depth);
    if let Some(&wins) = known.get(&key) {
        return wins;
    }
    let step = depth > 0
        && system.weak[p].iter().any(|&(a, p)| {
            let steps = set.iter().flat_map(|&q| &system.weak[q]);
            let mut next: Vec<usize> = steps.filter(|s| s.0 == a).map(|s| s.1).collect();
            next.sort_unstable();
            next.dedup();
            wins(system, p, &next, true, depth - 1, known)
        });
    let rest = depth.checked_sub(u32::from(!after_step));
    let swap = |rest: u32, known: &mut _| {
        system.closure[p].iter().any(|&p| {
            let mut answers = set.iter().flat_map(|&q| &system.closure[q]);
            answers.all(|&q| wins(system, q, &[p], false, rest, known))
        })
    };
    let found = step || rest.is_some_and(|rest| swap(rest, known));
    known.insert(key, found);
    found
}

/// The least depth of a formula for contrasimulation, up to a bound.
fn contrasim_depth(system: &System, p: usize, q: usize, most: u32) -> Option<u32> {
    let mut known = BTreeMap::new();
    (0..=most).find(|&depth| wins(system, p, &[q], false, depth, &mut known))
}

/// The formula of a kind is of its language, as far as the text shows.
fn is_of_kind(formula: &Formula, kind: Kind) -> bool {
    let text = formula.to_string();
    let boxes = text.matches('[').count();
    let negated = text.contains('!');
    let weak = text.contains("<<") || text.contains(" U ");
    match kind {
        Kind::Sim => boxes == 0 && !negated && !weak,
        Kind::ReadySim => boxes == text.matches("]false").count() && !negated && !weak,
        Kind::TwoNestedSim => boxes == 0 && !weak,
        Kind::Safety => boxes == 0 && !negated && !text.contains(" U "),
        Kind::BranchingSim => boxes == 0 && !negated,
        Kind::CoupledSim => boxes == 0 && !text.contains(" U ") && !text.starts_with('!'),
        Kind::Contrasim => boxes == 0 && !text.contains(" U ") && !text.starts_with('!'),
    }
}

/// There is a reason just where there is a difference: a formula that tells the states
/// apart, of the least depth.
fn has_reasons(lts: &Lts, p: StateId, q: StateId, depths: bool) -> Result<(), String> {
    let system = System::new(lts);
    // Inert steps count as none in branching simulation.
    let small =
        minimize_observed(lts.clone(), Relation::Branching, Kept::All, &mut untold).unwrap();
    let class = |s: StateId| StateId::new(small.class[s.index()]);
    let small_system = System::new(&small.lts);
    for kind in Kind::ALL {
        let levels = match kind {
            Kind::Contrasim => Vec::new(),
            Kind::BranchingSim => small_system.of(kind),
            Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim | Kind::Safety | Kind::CoupledSim => {
                system.of(kind)
            }
        };
        for (p, q, below) in [
            (p, q, compare(lts, p, q, kind).0),
            (q, p, compare(lts, p, q, kind).1),
        ] {
            let Some(formula) = reason(lts, p, q, kind) else {
                if below != Some(true) {
                    return Err(format!("{kind:?}: no reason for {p:?}, {q:?}"));
                }
                continue;
            };
            let wrong = |what: &str| Err(format!("{kind:?}, {p:?} and {q:?}: {what}: {formula}"));
            if below != Some(false) {
                return wrong("a reason though it is below");
            }
            if !formula.holds(lts, p) || formula.holds(lts, q) {
                return wrong("does not tell them apart");
            }
            let again = formula
                .to_string()
                .parse::<Formula>()
                .map_err(|e| e.to_string())?;
            if !again.holds(lts, p) || again.holds(lts, q) {
                return wrong("not what it says");
            }
            if !is_of_kind(&formula, kind) {
                return wrong("another language");
            }
            if !depths {
                continue;
            }
            let least = match kind {
                Kind::Contrasim => contrasim_depth(&system, p.index(), q.index(), 4),
                Kind::BranchingSim => levels[class(p).index()][class(q).index()],
                Kind::Sim
                | Kind::ReadySim
                | Kind::TwoNestedSim
                | Kind::Safety
                | Kind::CoupledSim => levels[p.index()][q.index()],
            };
            let depth = formula.depth() / kind.modalities();
            match least {
                Some(least) if depth as u32 != least => {
                    return wrong(&format!("depth {depth}, least {least}"));
                }
                None if kind != Kind::Contrasim || formula.depth() <= 4 => {
                    return wrong("by the definition it is below");
                }
                Some(_) | None => {}
            }
        }
    }
    Ok(())
}

#[test]
fn reasons_of_all_models() {
    for (name, lts, p, q) in model_pairs() {
        has_reasons(&lts, p, q, true).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn reasons_of_random_pairs() {
    let mut random = Random::new(99);
    for k in 0..300 {
        let (first, second) = random_pair(&mut random);
        let (lts, p, q) = union(&first, &second);
        has_reasons(&lts, p, q, true).unwrap_or_else(|error| panic!("pair {k}: {error}"));
    }
}

#[test]
fn reasons_in_systems_of_awkward_shapes() {
    check(3, 20, |lts, random| {
        let [p, q] = [(); 2].map(|()| StateId::from_index(random.between(0, lts.states() - 1)));
        has_reasons(lts, p, q, false)
    });
}
