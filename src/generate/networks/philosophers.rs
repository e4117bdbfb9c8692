//! Dining philosophers with a butler.

use super::automaton::Automaton;
use super::{Symmetric, numbered, others};

/// What a philosopher with two forks does next.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Next {
    Sit,
    PickLeft,
    PickRight,
    PutLeft,
    PutRight,
    Stand,
}

/// A philosopher who has no seat yet, has one and waits, or dines; the value is the
/// fork on the right.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Philosopher {
    Unseated,
    Seated(String),
    Dining(Next, String),
}

/// A fork without a second user, with one, on the table, or held by somebody.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Fork {
    Unseated,
    Seated(String),
    Free(String),
    Held { by: String, second: String },
}

/// How far the ring of seats is made: how many links, whose fork was the first, and
/// whose was the last.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Ring {
    Empty,
    Links(usize, String, String),
    Closed,
    Done,
}

/// Philosophers P0, P1, … at a round table, each with a fork of the same name on the
/// left and that of a neighbour on the right. Each sits down (`SIT !p`), if the butler
/// sees that not all others sit, takes the left fork and then the right one (`PICK !p
/// !f`), puts them back in the same order (`PUT !p !f`) and stands up (`STAND !p`).
/// `SIT` and `STAND` are visible.
///
/// The values: how many there are, n; and 1 for fixed seats, where fork `k + 1` is on
/// the right of philosopher `k`, which only turning the table leaves as they are, so
/// that no names are declared to be permutable. Otherwise all names are: a builder
/// makes a ring by n links first, `LINK !p !f` for philosopher p with fork f on the
/// right, of which each begins where the one before ended, and then all `START`. With
/// f(n) states for fixed seats there are (n−1)!·f(n) + 1 + Σ_{j=2..n} n!/(n−j)! + (n−1)!
/// states.
pub(crate) fn philosophers(values: &[u64]) -> Symmetric {
    let fixed = values[1] == 1;
    let all = numbered("P", values[0]);
    let n = all.len();
    let mut components = Vec::new();
    for (k, me) in all.iter().enumerate() {
        let initial = match fixed {
            true => Philosopher::Dining(Next::Sit, all[(k + 1) % n].clone()),
            false => Philosopher::Unseated,
        };
        let automaton = Automaton::new(initial, |state| philosopher(&all, me, state));
        components.push((format!("phil_{me}"), automaton));
    }
    for (k, me) in all.iter().enumerate() {
        let initial = match fixed {
            true => Fork::Free(all[(k + n - 1) % n].clone()),
            false => Fork::Unseated,
        };
        let automaton = Automaton::new(initial, |state| fork(&all, me, state));
        components.push((format!("fork_{me}"), automaton));
    }
    components.push(("butler".to_owned(), butler(&all)));
    if !fixed {
        let automaton = Automaton::new(Ring::Empty, |state| builder(&all, state));
        components.push(("builder".to_owned(), automaton));
    }
    Symmetric {
        title: format!(
            "DiningPhilosophers n={n} seats={}",
            if fixed { "fixed" } else { "free" }
        ),
        visible: &["SIT", "STAND"],
        components,
        specification: None,
        types: match fixed {
            true => Vec::new(),
            false => vec![("Phil", all)],
        },
        note: None,
    }
}

const START: &str = "START";

fn philosopher(all: &[String], me: &str, state: &Philosopher) -> Vec<(String, Philosopher)> {
    let (next, right) = match state {
        Philosopher::Unseated => {
            let link = |f: &String| (format!("LINK !{me} !{f}"), Philosopher::Seated(f.clone()));
            return others(all, me).map(link).collect();
        }
        Philosopher::Seated(right) => {
            let dining = Philosopher::Dining(Next::Sit, right.clone());
            return vec![(START.to_owned(), dining)];
        }
        Philosopher::Dining(next, right) => (next, right),
    };
    let (label, then) = match next {
        Next::Sit => (format!("SIT !{me}"), Next::PickLeft),
        Next::PickLeft => (format!("PICK !{me} !{me}"), Next::PickRight),
        Next::PickRight => (format!("PICK !{me} !{right}"), Next::PutLeft),
        Next::PutLeft => (format!("PUT !{me} !{me}"), Next::PutRight),
        Next::PutRight => (format!("PUT !{me} !{right}"), Next::Stand),
        Next::Stand => (format!("STAND !{me}"), Next::Sit),
    };
    vec![(label, Philosopher::Dining(then, right.clone()))]
}

fn fork(all: &[String], me: &str, state: &Fork) -> Vec<(String, Fork)> {
    match state {
        Fork::Unseated => {
            let link = |p: &String| (format!("LINK !{p} !{me}"), Fork::Seated(p.clone()));
            others(all, me).map(link).collect()
        }
        Fork::Seated(second) => vec![(START.to_owned(), Fork::Free(second.clone()))],
        Fork::Free(second) => {
            let picked = |by: &str| {
                let held = Fork::Held {
                    by: by.to_owned(),
                    second: second.clone(),
                };
                (format!("PICK !{by} !{me}"), held)
            };
            vec![picked(me), picked(second)]
        }
        Fork::Held { by, second } => {
            vec![(format!("PUT !{by} !{me}"), Fork::Free(second.clone()))]
        }
    }
}

/// Counts those who sit; one stays away.
fn butler(all: &[String]) -> Automaton {
    Automaton::new(0, |&seated| {
        let mut steps = Vec::new();
        if seated + 1 < all.len() {
            steps.extend(all.iter().map(|p| (format!("SIT !{p}"), seated + 1)));
        }
        if seated > 0 {
            steps.extend(all.iter().map(|p| (format!("STAND !{p}"), seated - 1)));
        }
        steps
    })
}

/// That nobody gets two forks, or a fork two users, the others see to.
fn builder(all: &[String], state: &Ring) -> Vec<(String, Ring)> {
    match state {
        Ring::Empty => {
            let mut steps = Vec::new();
            for p in all {
                for f in others(all, p) {
                    let first = Ring::Links(1, p.clone(), f.clone());
                    steps.push((format!("LINK !{p} !{f}"), first));
                }
            }
            steps
        }
        Ring::Links(links, first, last) if links + 1 == all.len() => {
            vec![(format!("LINK !{last} !{first}"), Ring::Closed)]
        }
        Ring::Links(links, first, last) => {
            let forks = others(all, last).filter(|f| *f != first);
            let link = |f: &String| {
                let ring = Ring::Links(links + 1, first.clone(), f.clone());
                (format!("LINK !{last} !{f}"), ring)
            };
            forks.map(link).collect()
        }
        Ring::Closed => vec![(START.to_owned(), Ring::Done)],
        Ring::Done => Vec::new(),
    }
}
