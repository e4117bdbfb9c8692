//! Sizes of quotients: of a system whose states are all reachable, as states and
//! transitions.

use std::collections::BTreeSet;

use super::fixpoints;
use super::linear::smallest_automaton;
use super::system::{Relation, System, has, members, single};

/// Steps between classes, without duplicates: source, label, target.
type Steps = BTreeSet<(usize, usize, usize)>;

/// The size of the quotient by the relation of this name; `None` if it has none.
pub(super) fn size(name: &str, system: &System, root: usize) -> Option<(usize, usize)> {
    Some(match name {
        "strong" => Classes::of(&fixpoints::strong(system)).size(system, root),
        "branching" => without_inert(system, &fixpoints::branching(system), root),
        "sharp" => without_inert(system, &fixpoints::sharp(system), root),
        "divbranching" => with_loops(system, &fixpoints::divbranching(system), root),
        "divsharp" => with_loops(system, &fixpoints::divsharp(system), root),
        "observational" => generating(system, &fixpoints::observational(system), false, root),
        "dpweak" => generating(system, &fixpoints::dpweak(system), true, root),
        "tau*.a" => {
            let (system, root) = system.of_visible_steps(root);
            Classes::of(&fixpoints::strong(&system)).size(&system, root)
        }
        "sim" => without_little_brothers(system, &fixpoints::sim(system), root),
        "ready-sim" => without_little_brothers(system, &fixpoints::ready_sim(system), root),
        "safety" => {
            let (system, root) = system.of_visible_steps(root);
            without_little_brothers(&system, &fixpoints::sim(&system), root)
        }
        "trace" => smallest_automaton(system, root, false),
        "weaktrace" => smallest_automaton(system, root, true),
        "tau-compression" => without_inert(system, &hidden_cycles(system), root),
        "tau-divergence" => with_loops(system, &hidden_cycles(system), root),
        _ => return None,
    })
}

/// The number of classes of a relation both ways.
pub(super) fn count(relation: &Relation) -> usize {
    Classes::of(relation).count
}

/// The classes of what a relation makes equivalent.
struct Classes {
    class: Vec<usize>,
    count: usize,
}

impl Classes {
    /// # Panics
    /// If the relation both ways is no equivalence, which would be an error in its
    /// definition.
    fn of(relation: &Relation) -> Self {
        let n = relation.len();
        let same = |s: usize, t: usize| has(relation[s], t) && has(relation[t], s);
        let mut class = Vec::new();
        let mut count = 0;
        for s in 0..n {
            let known = (0..s).find(|&t| same(s, t)).map(|t| class[t]);
            class.push(known.unwrap_or(count));
            count += usize::from(known.is_none());
        }
        for s in 0..n {
            for t in 0..n {
                assert_eq!(same(s, t), class[s] == class[t], "an equivalence");
            }
        }
        Self { class, count }
    }

    /// All steps between classes by these steps of states.
    fn steps(&self, step: &[Relation]) -> Steps {
        let mut steps = Steps::new();
        for (a, step) in step.iter().enumerate() {
            for (s, &targets) in step.iter().enumerate() {
                steps.extend(members(targets).map(|t| (self.class[s], a, self.class[t])));
            }
        }
        steps
    }

    fn size(&self, system: &System, root: usize) -> (usize, usize) {
        self.size_of(&self.steps(&system.step), root)
    }

    /// How many classes, and steps of theirs, are reached from that of the root.
    fn size_of(&self, steps: &Steps, root: usize) -> (usize, usize) {
        let mut reached = single(self.class[root]);
        loop {
            let next = steps.iter().filter(|(s, ..)| has(reached, *s));
            let more = next.fold(reached, |set, (.., t)| set | single(*t));
            if more == reached {
                break;
            }
            reached = more;
        }
        let transitions = steps.iter().filter(|(s, ..)| has(reached, *s)).count();
        (members(reached).count(), transitions)
    }
}

/// Hidden steps within a class are left out.
fn without_inert(system: &System, related: &Relation, root: usize) -> (usize, usize) {
    let classes = Classes::of(related);
    let mut steps = classes.steps(&system.step);
    steps.retain(|&(s, a, t)| a != 0 || s != t);
    classes.size_of(&steps, root)
}

/// The same, and classes in which hidden steps can go on for ever have a hidden loop.
fn with_loops(system: &System, related: &Relation, root: usize) -> (usize, usize) {
    let classes = Classes::of(related);
    let mut steps = classes.steps(&system.step);
    steps.retain(|&(s, a, t)| a != 0 || s != t);
    add_loops(&mut steps, system, related, &classes);
    classes.size_of(&steps, root)
}

fn add_loops(steps: &mut Steps, system: &System, related: &Relation, classes: &Classes) {
    let divergent = members(system.divergent(related)).map(|s| classes.class[s]);
    steps.extend(divergent.map(|class| (class, 0, class)));
}

/// The least set of steps that has the same steps s ==> t and s ==> --a-> ==> t
/// between classes; with hidden loops where `loops` asks for them.
fn generating(system: &System, related: &Relation, loops: bool, root: usize) -> (usize, usize) {
    let classes = Classes::of(related);
    let weak = classes.steps(&system.weak);
    let others = |s: usize| (0..classes.count).filter(move |&between| between != s);
    let mut steps = weak.clone();
    steps.retain(|&(s, a, t)| {
        let to = |u| weak.contains(&(s, 0, u)) && weak.contains(&(u, a, t));
        let from = |u| weak.contains(&(s, a, u)) && weak.contains(&(u, 0, t));
        match a {
            0 => s != t && !others(s).any(|u| u != t && to(u)),
            _ => !others(s).any(to) && !others(t).any(from),
        }
    });
    if loops {
        add_loops(&mut steps, system, related, &classes);
    }
    classes.size_of(&steps, root)
}

/// Classes of a simulation both ways; of two steps with one source and label, that to
/// a strictly lower target is left out.
fn without_little_brothers(system: &System, below: &Relation, root: usize) -> (usize, usize) {
    let classes = Classes::of(below);
    let all = classes.steps(&system.step);
    let first = |class| classes.class.iter().position(|&c| c == class);
    let strictly = |t, u| match (first(t), first(u)) {
        (Some(p), Some(q)) => t != u && has(below[p], q),
        (None, _) | (_, None) => false,
    };
    let mut steps = all.clone();
    steps.retain(|&(s, a, t)| {
        !(0..classes.count).any(|u| all.contains(&(s, a, u)) && strictly(t, u))
    });
    classes.size_of(&steps, root)
}

/// The states on the same hidden cycle.
fn hidden_cycles(system: &System) -> Relation {
    let row = |s: usize| {
        let back = members(system.reach[s]).filter(|&t| has(system.reach[t], s));
        back.fold(0, |set, t| set | single(t))
    };
    (0..system.states()).map(row).collect()
}
