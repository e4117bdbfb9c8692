//! Relations of linear time: by the pairs (p, Q) of a state on one side and the set
//! of states on the other that the same traces lead to.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::system::{Relation, Set, System, has, image, members, single};

/// A relation of linear time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Linear {
    Trace,
    CompletedTrace,
    Failures,
    Revivals,
    Readiness,
    FailureTrace,
    ReadyTrace,
    StrongImpossibleFutures,
    PossibleFutures,
    WeakTrace,
    WeakFailures,
    FailuresDivergence,
    ImpossibleFutures,
}

impl Linear {
    /// The relation of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "trace" => Self::Trace,
            "completed-trace" => Self::CompletedTrace,
            "failures" => Self::Failures,
            "revivals" => Self::Revivals,
            "readiness" => Self::Readiness,
            "failure-trace" => Self::FailureTrace,
            "ready-trace" => Self::ReadyTrace,
            "impossible-futures-strong" => Self::StrongImpossibleFutures,
            "possible-futures" => Self::PossibleFutures,
            "weaktrace" => Self::WeakTrace,
            "weak-failures" => Self::WeakFailures,
            "failures-divergence" => Self::FailuresDivergence,
            "impossible-futures" => Self::ImpossibleFutures,
            _ => return None,
        })
    }

    /// Whether hidden steps are not seen.
    fn is_weak(self) -> bool {
        match self {
            Self::Trace
            | Self::CompletedTrace
            | Self::Failures
            | Self::Revivals
            | Self::Readiness
            | Self::FailureTrace
            | Self::ReadyTrace
            | Self::StrongImpossibleFutures
            | Self::PossibleFutures => false,
            Self::WeakTrace
            | Self::WeakFailures
            | Self::FailuresDivergence
            | Self::ImpossibleFutures => true,
        }
    }

    /// The inclusion of traces that the relation asks of states after a trace.
    fn futures(self) -> Option<Self> {
        match self {
            Self::StrongImpossibleFutures | Self::PossibleFutures => Some(Self::Trace),
            Self::ImpossibleFutures => Some(Self::WeakTrace),
            Self::Trace
            | Self::CompletedTrace
            | Self::Failures
            | Self::Revivals
            | Self::Readiness
            | Self::FailureTrace
            | Self::ReadyTrace
            | Self::WeakTrace
            | Self::WeakFailures
            | Self::FailuresDivergence => None,
        }
    }
}

/// What is said of a pair (p, Q).
enum Finding {
    /// It breaks the definition.
    Broken,
    /// It keeps it, and so must what follows.
    Kept,
    /// Nothing is asked of it, nor of what follows.
    Allowed,
}

/// One relation on one system.
pub(super) struct Search<'a> {
    system: &'a System,
    relation: Linear,
    /// For each p the states that have all traces of p, if the relation asks for it.
    languages: Relation,
}

impl<'a> Search<'a> {
    pub(super) fn new(system: &'a System, relation: Linear) -> Self {
        let languages = relation.futures().map(|futures| {
            let search = Search::new(system, futures);
            search.relation()
        });
        Self {
            system,
            relation,
            languages: languages.unwrap_or_default(),
        }
    }

    /// All pairs of states.
    pub(super) fn relation(&self) -> Relation {
        let n = self.system.states();
        let row = |p| {
            let below = (0..n).filter(|&q| self.difference(p, q).is_none());
            below.fold(0, |set, q| set | single(q))
        };
        (0..n).map(row).collect()
    }

    /// The length of a shortest trace to a pair (p, Q) that breaks the definition.
    pub(super) fn difference(&self, p: usize, q: usize) -> Option<usize> {
        let weak = self.relation.is_weak();
        let start = match weak {
            true => self.system.reach[q],
            false => single(q),
        };
        let mut seen = BTreeSet::new();
        // By length: what a step that is not seen leads to comes first.
        let mut open = VecDeque::from([(p, start, 0)]);
        while let Some((p, set, length)) = open.pop_front() {
            let set = self.cut(p, set);
            if !seen.insert((p, set)) {
                continue;
            }
            match self.finding(p, set) {
                Finding::Broken => return Some(length),
                Finding::Allowed => continue,
                Finding::Kept => {}
            }
            for a in 0..self.system.labels() {
                let unseen = weak && a == 0;
                let after = match (weak, unseen) {
                    (_, true) => set,
                    (true, false) => image(&self.system.weak[a], set),
                    (false, false) => image(&self.system.step[a], set),
                };
                for target in members(self.system.step[a][p]) {
                    match unseen {
                        true => open.push_front((target, after, length)),
                        false => open.push_back((target, after, length + 1)),
                    }
                }
            }
        }
        None
    }

    /// The members of Q that the observation of p's menu leaves.
    fn cut(&self, p: usize, set: Set) -> Set {
        let menu = &self.system.menu;
        let kept = |q: &usize| match self.relation {
            Linear::FailureTrace => menu[*q] & !menu[p] == 0,
            Linear::ReadyTrace => menu[*q] == menu[p],
            Linear::Trace
            | Linear::CompletedTrace
            | Linear::Failures
            | Linear::Revivals
            | Linear::Readiness
            | Linear::StrongImpossibleFutures
            | Linear::PossibleFutures
            | Linear::WeakTrace
            | Linear::WeakFailures
            | Linear::FailuresDivergence
            | Linear::ImpossibleFutures => true,
        };
        let kept = members(set).filter(kept);
        kept.fold(0, |set, q| set | single(q))
    }

    fn finding(&self, p: usize, set: Set) -> Finding {
        let system = self.system;
        let menu = &system.menu;
        let some = |meets: &dyn Fn(usize) -> bool| members(set).any(meets);
        let below = |q: usize| menu[q] & !menu[p] == 0;
        let fails = |q: usize| system.is_stable(q) && below(q);
        let kept = match self.relation {
            Linear::Trace | Linear::WeakTrace | Linear::FailureTrace | Linear::ReadyTrace => {
                set != 0
            }
            Linear::CompletedTrace => set != 0 && (menu[p] != 0 || some(&|q| menu[q] == 0)),
            Linear::Failures => some(&below),
            Linear::Revivals => {
                let revived = |a| some(&|q| below(q) && has(menu[q], a));
                some(&below) && members(menu[p]).all(revived)
            }
            Linear::Readiness => some(&|q| menu[q] == menu[p]),
            Linear::StrongImpossibleFutures | Linear::ImpossibleFutures => {
                some(&|q| has(self.languages[q], p))
            }
            Linear::PossibleFutures => {
                some(&|q| has(self.languages[q], p) && has(self.languages[p], q))
            }
            Linear::WeakFailures => set != 0 && (!system.is_stable(p) || some(&fails)),
            Linear::FailuresDivergence => {
                if set & system.on_cycle != 0 {
                    return Finding::Allowed;
                }
                set != 0 && !has(system.on_cycle, p) && (!system.is_stable(p) || some(&fails))
            }
        };
        match kept {
            true => Finding::Kept,
            false => Finding::Broken,
        }
    }
}

/// All (p', Q') such that some word σ of visible labels has p ==σ=> p', and Q' is the
/// set of all q' with q ==σ=> q'.
pub(super) fn after_words(system: &System, p: usize, q: usize) -> BTreeSet<(usize, Set)> {
    let mut found = BTreeSet::new();
    let mut open = vec![(p, system.reach[q])];
    while let Some((p, set)) = open.pop() {
        if found.insert((p, set)) {
            open.extend(members(system.step[0][p]).map(|target| (target, set)));
            for a in 1..system.labels() {
                let after = image(&system.weak[a], set);
                open.extend(members(system.step[a][p]).map(|target| (target, after)));
            }
        }
    }
    found
}

/// The states and transitions of the smallest deterministic automaton that has the
/// traces of a state, all its states accepting: subsets, then classes of subsets in
/// rounds (Moore 1956).
pub(super) fn smallest_automaton(system: &System, root: usize, weak: bool) -> (usize, usize) {
    let start = match weak {
        true => system.reach[root],
        false => single(root),
    };
    let step = match weak {
        true => &system.weak[1..],
        false => &system.step[..],
    };
    let mut subsets = vec![start];
    let mut number = BTreeMap::from([(start, 0)]);
    let mut rows: Vec<Vec<(usize, usize)>> = Vec::new();
    while rows.len() < subsets.len() {
        let from = subsets[rows.len()];
        let mut row = Vec::new();
        for (a, step) in step.iter().enumerate() {
            let to = image(step, from);
            if to != 0 {
                let next = subsets.len();
                row.push((a, *number.entry(to).or_insert(next)));
                if number.len() > next {
                    subsets.push(to);
                }
            }
        }
        rows.push(row);
    }
    let mut class = vec![0; rows.len()];
    let mut classes = 1;
    loop {
        let mut signatures = BTreeMap::new();
        let mut next = Vec::new();
        for (k, row) in rows.iter().enumerate() {
            let row: Vec<_> = row.iter().map(|&(a, t)| (a, class[t])).collect();
            let fresh = signatures.len();
            next.push(*signatures.entry((class[k], row)).or_insert(fresh));
        }
        class = next;
        if signatures.len() == classes {
            let transitions = signatures.keys().map(|(_, row)| row.len()).sum();
            return (classes, transitions);
        }
        classes = signatures.len();
    }
}
