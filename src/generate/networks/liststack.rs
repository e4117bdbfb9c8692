//! A stack as a linked list.

use super::automaton::{Automaton, HIDDEN};
use super::{Symmetric, numbered};

/// A node that is free, or holds a datum and names the next node.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    Free,
    Used { datum: String, next: String },
}

/// What a thread does next; `x` and `y` are nodes, or none.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Thread {
    Idle,
    LockToPush { datum: String },
    LockToPop,
    PushAtTop { datum: String },
    PopAtTop,
    Init { datum: String, x: String },
    SetNew { datum: String, x: String },
    Push { datum: String },
    Next { x: String },
    SetNext { x: String, y: String },
    Datum { x: String },
    Pop { datum: String, x: String },
    Free { x: String },
    PopEmpty,
    Unlock,
}

/// What stands for no node.
const NULL: &str = "Null";

/// The names of everything.
struct Names {
    nodes: Vec<String>,
    /// The nodes, after what stands for none.
    links: Vec<String>,
    threads: Vec<String>,
    data: Vec<String>,
}

/// A stack as a linked list of nodes N0, N1, …, on which threads T0, T1, … put data A,
/// B, … and take them from; a lock is held meanwhile. A thread chooses by a hidden step
/// what to do. `PUSH !t !d`, `POP !t !d` and `POPEMPTY !t` are visible, and the
/// specification is the stack that holds as many data as there are nodes. To push onto
/// a full stack blocks for ever.
///
/// The values: how many nodes, n, threads, t, and data, d; and the largest number of
/// states that the specification may have, which has Σ_{l≤n} d^l. With F = Σ_{l≤n}
/// n!/(n−l)!·d^l there are (d+2)^(t−1)·((d+2)F + t((2d+9)F−6)) states.
pub(crate) fn liststack(values: &[u64]) -> Symmetric {
    let &[n, t, d, most] = values else {
        unreachable!("there are as many values as parameters");
    };
    let nodes = numbered("N", n);
    let links = std::iter::once(NULL.to_owned()).chain(nodes.iter().cloned());
    let names = Names {
        links: links.collect(),
        nodes,
        threads: numbered("T", t),
        data: ('A'..='Z').take(d as usize).map(String::from).collect(),
    };
    let mut components = Vec::new();
    for me in &names.nodes {
        let automaton = Automaton::new(Node::Free, |state| node(&names, me, state));
        components.push((format!("node_{me}"), automaton));
    }
    components.push(("top".to_owned(), top(&names)));
    components.push(("lock".to_owned(), lock(&names)));
    for me in &names.threads {
        let automaton = Automaton::new(Thread::Idle, |state| thread(&names, me, state));
        components.push((format!("thread_{me}"), automaton));
    }
    let states = contents(n, d);
    let written = states.is_some_and(|states| states <= most);
    let count = states.map_or("2^64 or more".to_owned(), |states| states.to_string());
    Symmetric {
        title: format!("ListStack nodes={n} threads={t} data={d}"),
        visible: &["PUSH", "POP", "POPEMPTY"],
        components,
        specification: written.then(|| bounded_stack(&names)),
        note: (!written).then(|| {
            format!(
                "no spec.aut: the specification has {count} states, more than --spec-states {most}"
            )
        }),
        types: vec![
            ("Node", names.nodes),
            ("Thread", names.threads),
            ("Data", names.data),
        ],
    }
}

/// How many contents a stack of at most `n` out of `d` data has; `None` if it does not
/// fit in 64 bits.
fn contents(n: u64, d: u64) -> Option<u64> {
    (0..n).try_fold(1u64, |sum, _| sum.checked_mul(d)?.checked_add(1))
}

fn node(names: &Names, me: &str, state: &Node) -> Vec<(String, Node)> {
    let mut steps = Vec::new();
    for t in &names.threads {
        let Node::Used { datum, next } = state else {
            for d in &names.data {
                for m in &names.links {
                    let used = Node::Used {
                        datum: d.clone(),
                        next: m.clone(),
                    };
                    steps.push((format!("INITNODE !{t} !{me} !{d} !{m}"), used));
                }
            }
            continue;
        };
        steps.push((format!("GETDATUM !{t} !{me} !{datum}"), state.clone()));
        steps.push((format!("GETNEXT !{t} !{me} !{next}"), state.clone()));
        steps.push((format!("FREENODE !{t} !{me}"), Node::Free));
    }
    steps
}

fn top(names: &Names) -> Automaton {
    Automaton::new(NULL.to_owned(), |top| {
        let mut steps = Vec::new();
        for t in &names.threads {
            steps.push((format!("GETTOP !{t} !{top}"), top.clone()));
            for x in &names.links {
                steps.push((format!("SETTOP !{t} !{x}"), x.clone()));
            }
        }
        steps
    })
}

fn lock(names: &Names) -> Automaton {
    Automaton::new(None, |holder: &Option<String>| match holder {
        None => {
            let lock = |t: &String| (format!("LOCK !{t}"), Some(t.clone()));
            names.threads.iter().map(lock).collect()
        }
        Some(t) => vec![(format!("UNLOCK !{t}"), None)],
    })
}

/// A step for each of these values.
fn each<'a>(
    values: &'a [String],
    label: impl Fn(&str) -> String,
    then: impl Fn(String) -> Thread,
) -> Vec<(String, Thread)> {
    let step = |value: &'a String| (label(value), then(value.clone()));
    values.iter().map(step).collect()
}

fn thread(names: &Names, me: &str, state: &Thread) -> Vec<(String, Thread)> {
    use Thread::*;
    let one = |label: String, then: Thread| vec![(label, then)];
    match state.clone() {
        Idle => {
            let push = |datum| LockToPush { datum };
            let mut steps = each(&names.data, |_| HIDDEN.to_owned(), push);
            steps.push((HIDDEN.to_owned(), LockToPop));
            steps
        }
        LockToPush { datum } => one(format!("LOCK !{me}"), PushAtTop { datum }),
        LockToPop => one(format!("LOCK !{me}"), PopAtTop),
        PushAtTop { datum } => each(
            &names.links,
            |x| format!("GETTOP !{me} !{x}"),
            |x| Init {
                datum: datum.clone(),
                x,
            },
        ),
        Init { datum, x } => each(
            &names.nodes,
            |new| format!("INITNODE !{me} !{new} !{datum} !{x}"),
            |x| SetNew {
                datum: datum.clone(),
                x,
            },
        ),
        SetNew { datum, x } => one(format!("SETTOP !{me} !{x}"), Push { datum }),
        Push { datum } => one(format!("PUSH !{me} !{datum}"), Unlock),
        PopAtTop => each(
            &names.links,
            |x| format!("GETTOP !{me} !{x}"),
            |x| if x == NULL { PopEmpty } else { Next { x } },
        ),
        Next { x } => each(
            &names.links,
            |y| format!("GETNEXT !{me} !{x} !{y}"),
            |y| SetNext { x: x.clone(), y },
        ),
        SetNext { x, y } => one(format!("SETTOP !{me} !{y}"), Datum { x }),
        Datum { x } => each(
            &names.data,
            |d| format!("GETDATUM !{me} !{x} !{d}"),
            |datum| Pop {
                datum,
                x: x.clone(),
            },
        ),
        Pop { datum, x } => one(format!("POP !{me} !{datum}"), Free { x }),
        Free { x } => one(format!("FREENODE !{me} !{x}"), Unlock),
        PopEmpty => one(format!("POPEMPTY !{me}"), Unlock),
        Unlock => one(format!("UNLOCK !{me}"), Idle),
    }
}

/// The stack itself; a state is its content, bottom first.
fn bounded_stack(names: &Names) -> Automaton {
    Automaton::new(Vec::new(), |content: &Vec<usize>| {
        let mut steps = Vec::new();
        for t in &names.threads {
            match content.split_last() {
                None => steps.push((format!("POPEMPTY !{t}"), content.clone())),
                Some((&top, rest)) => {
                    let label = format!("POP !{t} !{}", names.data[top]);
                    steps.push((label, rest.to_vec()));
                }
            }
            if content.len() == names.nodes.len() {
                continue;
            }
            for (k, d) in names.data.iter().enumerate() {
                let higher = [content.as_slice(), &[k]].concat();
                steps.push((format!("PUSH !{t} !{d}"), higher));
            }
        }
        steps
    })
}
