//! Peterson's algorithm for mutual exclusion.

use super::automaton::{Automaton, HIDDEN};
use super::database::alternation;
use super::{Symmetric, numbered, others};

/// Peterson's algorithm for processes P0, P1, …, who pass the levels 1 to n−1 one after
/// the other: `SETFLAG !p !lk`, `SETTURN !p !lk`, and then either all other flags are
/// below k (`PASSF !p !lk`), found by one look at them all, or the turn at level k is
/// another one's (`PASST !p !lk !other`). `ENTER !p` and `LEAVE !p` are visible, and the
/// specification says that they alternate; at last the flag is set to 0. A turn begins
/// as that of anybody, chosen by a hidden step before it can be read or set. The
/// values: how many processes, n.
pub(crate) fn peterson(values: &[u64]) -> Symmetric {
    let levels = values[0] as usize - 1;
    let all = numbered("P", values[0]);
    let mut components = Vec::new();
    for me in &all {
        components.push((format!("proc_{me}"), process(&all, me, levels)));
    }
    for me in &all {
        components.push((format!("flag_{me}"), flag(&all, me, levels)));
    }
    for level in 1..=levels {
        components.push((format!("turn_{level}"), turn(&all, level)));
    }
    Symmetric {
        title: format!("Peterson n={}", all.len()),
        visible: &["ENTER", "LEAVE"],
        components,
        specification: Some(alternation(&all, "ENTER", "LEAVE")),
        types: vec![("Proc", all)],
        note: None,
    }
}

/// Three states at each level, and three about the critical section.
fn process(all: &[String], me: &str, levels: usize) -> Automaton {
    let last = 3 * levels;
    Automaton::new(0, |&state: &usize| {
        let level = state / 3 + 1;
        match (state.checked_sub(last), state % 3) {
            (Some(0), _) => vec![(format!("ENTER !{me}"), state + 1)],
            (Some(1), _) => vec![(format!("LEAVE !{me}"), state + 1)],
            (Some(_), _) => vec![(format!("SETFLAG !{me} !l0"), 0)],
            (None, 0) => vec![(format!("SETFLAG !{me} !l{level}"), state + 1)],
            (None, 1) => vec![(format!("SETTURN !{me} !l{level}"), state + 1)],
            (None, _) => {
                let mut steps = vec![(format!("PASSF !{me} !l{level}"), state + 1)];
                for other in others(all, me) {
                    steps.push((format!("PASST !{me} !l{level} !{other}"), state + 1));
                }
                steps
            }
        }
    })
}

/// The level that a process has reached; it lets others pass higher ones.
fn flag(all: &[String], me: &str, levels: usize) -> Automaton {
    Automaton::new(0, |&reached| {
        let set = |level| (format!("SETFLAG !{me} !l{level}"), level);
        let mut steps: Vec<_> = (0..=levels).map(set).collect();
        for other in others(all, me) {
            for level in reached + 1..=levels {
                steps.push((format!("PASSF !{other} !l{level}"), reached));
            }
        }
        steps
    })
}

/// Whose turn it is at a level; it lets all others pass.
fn turn(all: &[String], level: usize) -> Automaton {
    Automaton::new(None, |turn: &Option<String>| {
        let Some(whose) = turn else {
            let chosen = |p: &String| (HIDDEN.to_owned(), Some(p.clone()));
            return all.iter().map(chosen).collect();
        };
        let set = |p: &String| (format!("SETTURN !{p} !l{level}"), Some(p.clone()));
        let mut steps: Vec<_> = all.iter().map(set).collect();
        for other in others(all, whose) {
            let label = format!("PASST !{other} !l{level} !{whose}");
            steps.push((label, turn.clone()));
        }
        steps
    })
}
