//! Managers of copies of a database.

use super::automaton::Automaton;
use super::{Symmetric, numbered, others};

/// What a manager is about.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Phase {
    Idle,
    /// It has sent its update to all others.
    Sent,
    /// The update of another one is to be received, or acknowledged, or has been.
    Update(Step, String),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step {
    Receive,
    Acknowledge,
    Wait,
}

/// Managers M0, M1, … of a database, of which at most one updates it: `UPDATE !m` tells
/// all others, each of whom receives the update (`RECV !m !other`) and acknowledges it
/// (`ACK !m !other`); `DONE !m` is the end for all. `UPDATE` and `DONE` are visible, and
/// the specification says that they alternate. The values: how many managers, n. There
/// are 1 + n·3^(n−1) states.
pub(crate) fn database(values: &[u64]) -> Symmetric {
    let managers = numbered("M", values[0]);
    let components = managers.iter().map(|me| {
        let automaton = Automaton::new(Phase::Idle, |phase| steps(&managers, me, phase));
        (format!("man_{me}"), automaton)
    });
    Symmetric {
        title: format!("Database managers={}", managers.len()),
        visible: &["UPDATE", "DONE"],
        components: components.collect(),
        specification: Some(alternation(&managers, "UPDATE", "DONE")),
        types: vec![("Man", managers)],
        note: None,
    }
}

fn steps(managers: &[String], me: &str, phase: &Phase) -> Vec<(String, Phase)> {
    match phase {
        Phase::Idle => {
            let mut steps = vec![(format!("UPDATE !{me}"), Phase::Sent)];
            for m in others(managers, me) {
                let next = Phase::Update(Step::Receive, m.clone());
                steps.push((format!("UPDATE !{m}"), next));
            }
            steps
        }
        Phase::Sent => vec![(format!("DONE !{me}"), Phase::Idle)],
        Phase::Update(step, m) => vec![match step {
            Step::Receive => (
                format!("RECV !{m} !{me}"),
                Phase::Update(Step::Acknowledge, m.clone()),
            ),
            Step::Acknowledge => (
                format!("ACK !{m} !{me}"),
                Phase::Update(Step::Wait, m.clone()),
            ),
            Step::Wait => (format!("DONE !{m}"), Phase::Idle),
        }],
    }
}

/// One of these at a time begins, and ends before another one begins.
pub(super) fn alternation(values: &[String], begin: &str, end: &str) -> Automaton {
    Automaton::new(None, |active: &Option<String>| match active {
        None => {
            let begun = |v: &String| (format!("{begin} !{v}"), Some(v.clone()));
            values.iter().map(begun).collect()
        }
        Some(v) => vec![(format!("{end} !{v}"), None)],
    })
}
