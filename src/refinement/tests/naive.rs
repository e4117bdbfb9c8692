//! Refinement by the definition, on sets of states, without normal forms.

use std::collections::{BTreeSet, HashMap, VecDeque};

use hyades_explore::unpack_number;
use hyades_formats::{LabelId, Lts, StateId};

use super::super::*;

type States = BTreeSet<u32>;
type Text = Vec<u8>;

/// The labels of an LTS as texts, `None` for the hidden one.
fn text(lts: &Lts, label: LabelId) -> Option<Text> {
    (!label.is_hidden()).then(|| lts.table().text(label).to_vec())
}

fn steps(lts: &Lts, state: u32) -> impl Iterator<Item = (Option<Text>, u32)> + '_ {
    let outgoing = lts.outgoing(StateId::new(state));
    outgoing.map(|(label, target)| (text(lts, label), target.get()))
}

/// All that hidden steps lead to.
pub fn closure(lts: &Lts, mut states: States) -> States {
    loop {
        let hidden = |&s: &u32| steps(lts, s).filter(|step| step.0.is_none());
        let more: States = states.iter().flat_map(hidden).map(|step| step.1).collect();
        let before = states.len();
        states.extend(more);
        if states.len() == before {
            return states;
        }
    }
}

/// Where a visible label leads.
pub fn after(lts: &Lts, states: &States, label: &[u8]) -> States {
    let all = states.iter().flat_map(|&s| steps(lts, s));
    let by_label = all.filter(|step| step.0.as_deref() == Some(label));
    closure(lts, by_label.map(|step| step.1).collect())
}

pub fn initial(lts: &Lts) -> States {
    closure(lts, [lts.initial().get()].into())
}

/// What a state accepts; `None` if it is not stable.
pub fn accepts(lts: &Lts, state: u32) -> Option<BTreeSet<Text>> {
    steps(lts, state).map(|step| step.0).collect()
}

/// Whether hidden steps lead from a state back to it.
fn on_cycle(lts: &Lts, state: u32) -> bool {
    let hidden = steps(lts, state).filter(|step| step.0.is_none());
    closure(lts, hidden.map(|step| step.1).collect()).contains(&state)
}

pub fn diverges(lts: &Lts, states: &States) -> bool {
    closure(lts, states.clone())
        .iter()
        .any(|&s| on_cycle(lts, s))
}

/// Whether some stable state accepts no more than this.
fn may_accept_only(lts: &Lts, states: &States, accepted: &BTreeSet<Text>) -> bool {
    let own = |&s: &u32| accepts(lts, s).is_some_and(|own| own.is_subset(accepted));
    states.iter().any(own)
}

/// What is wrong after one trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Trace,
    Refusal,
    Divergence,
}

impl Kind {
    pub fn of(violation: &Violation) -> Self {
        match violation {
            Violation::Trace => Kind::Trace,
            Violation::Refusal { .. } => Kind::Refusal,
            Violation::Divergence { .. } => Kind::Divergence,
        }
    }
}

/// What is wrong with an implementation that may be in any of these states after a
/// trace that leads the specification to those.
fn wrong(spec: &Lts, s: &States, model: &Lts, q: &States, semantics: Semantics) -> BTreeSet<Kind> {
    let mut kinds = BTreeSet::new();
    if q.is_empty() {
        return kinds;
    }
    if s.is_empty() {
        kinds.insert(Kind::Trace);
        return kinds;
    }
    let divergences = semantics == Semantics::FailuresDivergences;
    if semantics != Semantics::Traces {
        let mut stable = q.iter().filter_map(|&q| accepts(model, q));
        if stable.any(|accepted| !may_accept_only(spec, s, &accepted)) {
            kinds.insert(Kind::Refusal);
        }
    }
    if divergences && diverges(model, q) {
        kinds.insert(Kind::Divergence);
    }
    kinds
}

/// Whether nothing after this trace of the specification counts.
fn is_over(spec: &Lts, states: &States, semantics: Semantics) -> bool {
    semantics == Semantics::FailuresDivergences && diverges(spec, states)
}

fn alphabet(model: &Lts) -> Vec<Text> {
    let all = model.table().visible().map(|(_, text)| text.to_vec());
    all.collect()
}

/// The length of the shortest traces after which something is wrong, and all that is
/// wrong after one of these. Both systems are made deterministic; the sets that a
/// trace leads to are looked at once.
pub fn fewest_events(
    spec: &Lts,
    model: &Lts,
    semantics: Semantics,
) -> Option<(usize, BTreeSet<Kind>)> {
    let start = (initial(spec), initial(model));
    let mut seen = std::collections::HashSet::from([start.clone()]);
    let mut level = vec![start];
    let mut length = 0;
    while !level.is_empty() {
        let mut kinds = BTreeSet::new();
        let mut next = Vec::new();
        for (s, q) in &level {
            if is_over(spec, s, semantics) {
                continue;
            }
            kinds.extend(wrong(spec, s, model, q, semantics));
            for label in alphabet(model) {
                let pair = (after(spec, s, &label), after(model, q, &label));
                if !pair.1.is_empty() && seen.insert(pair.clone()) {
                    next.push(pair);
                }
            }
        }
        if !kinds.is_empty() {
            return Some((length, kinds));
        }
        level = next;
        length += 1;
    }
    None
}

/// The same for all traces of up to so many labels, one after the other, without
/// looking whether they lead to the same sets.
pub fn by_enumeration(
    spec: &Lts,
    model: &Lts,
    semantics: Semantics,
    most: usize,
) -> Option<(usize, BTreeSet<Kind>)> {
    let labels = alphabet(model);
    let mut traces: Vec<Vec<&Text>> = vec![Vec::new()];
    for length in 0..=most {
        let mut kinds = BTreeSet::new();
        let mut longer = Vec::new();
        for trace in &traces {
            let (mut s, mut q) = (initial(spec), initial(model));
            let mut over = is_over(spec, &s, semantics);
            for label in trace {
                (s, q) = (after(spec, &s, label), after(model, &q, label));
                over |= is_over(spec, &s, semantics);
            }
            if over || q.is_empty() {
                continue;
            }
            kinds.extend(wrong(spec, &s, model, &q, semantics));
            for label in &labels {
                longer.push([&trace[..], &[label]].concat());
            }
        }
        if !kinds.is_empty() {
            return Some((length, kinds));
        }
        traces = longer;
    }
    None
}

/// The fewest steps to something wrong: to and with a forbidden label, to a state
/// that refuses too much, or to one on a cycle of hidden steps.
pub fn fewest_steps(spec: &Lts, model: &Lts, semantics: Semantics) -> Option<usize> {
    let start = (initial(spec), model.initial().get());
    let mut distance = HashMap::from([(start.clone(), 0)]);
    let mut queue = VecDeque::from([start]);
    while let Some(pair) = queue.pop_front() {
        let (s, q) = &pair;
        let steps_so_far = distance[&pair];
        if s.is_empty() {
            return Some(steps_so_far);
        }
        if is_over(spec, s, semantics) {
            continue;
        }
        let refuses = accepts(model, *q).is_some_and(|own| !may_accept_only(spec, s, &own));
        if semantics != Semantics::Traces && refuses {
            return Some(steps_so_far);
        }
        if semantics == Semantics::FailuresDivergences && on_cycle(model, *q) {
            return Some(steps_so_far);
        }
        for (label, target) in steps(model, *q) {
            let next = match label {
                None => s.clone(),
                Some(label) => after(spec, s, &label),
            };
            let pair = (next, target);
            if !distance.contains_key(&pair) {
                distance.insert(pair.clone(), steps_so_far + 1);
                queue.push_back(pair);
            }
        }
    }
    None
}

/// Panics unless this shows that `model` does not refine `spec`.
pub fn check(spec: &Lts, model: &Lts, semantics: Semantics, shown: &Counterexample) {
    let normal = Specification::new(spec, semantics, None).unwrap();
    check_beside(&normal, spec, model, shown);
}

/// The same for a counterexample that was found beside this normal form.
pub fn check_beside(normal: &Specification, spec: &Lts, model: &Lts, shown: &Counterexample) {
    let semantics = normal.semantics();
    let (mut s, mut node) = (initial(spec), normal.initial());
    let mut q = model.initial().get();
    let state = |pair: &Pair| unpack_number(&pair.state);
    assert_eq!((shown.initial.node, state(&shown.initial)), (node, q));
    let follow = |q: u32, step: &CounterexampleStep| -> u32 {
        let label = step.label.as_deref().map(<[u8]>::to_vec);
        let target = state(&step.target);
        assert!(steps(model, q).any(|other| other == (label.clone(), target)));
        target
    };
    for (k, step) in shown.steps.iter().enumerate() {
        assert!(!is_over(spec, &s, semantics), "nothing counts any more");
        q = follow(q, step);
        if let Some(label) = &step.label {
            s = after(spec, &s, label);
            let known = normal.label(label);
            let next = known.and_then(|label| normal.successor(node, label));
            node = next.unwrap_or(normal.forbidden());
            let is_last = k + 1 == shown.steps.len();
            assert_eq!(s.is_empty(), is_last && shown.violation == Violation::Trace);
        }
        assert_eq!(step.target.node, node);
    }
    assert_eq!(shown.last().node, node);
    assert!(!is_over(spec, &s, semantics), "nothing counts any more");
    match &shown.violation {
        Violation::Trace => assert!(s.is_empty() && node == normal.forbidden()),
        Violation::Refusal { accepted } => {
            assert_ne!(semantics, Semantics::Traces);
            let own = accepts(model, q).expect("a stable state");
            assert!(accepted.iter().map(|text| &text[..]).eq(&own));
            assert!(!may_accept_only(spec, &s, &own));
        }
        Violation::Divergence { cycle } => {
            assert_eq!(semantics, Semantics::FailuresDivergences);
            assert!(!cycle.is_empty() && cycle.iter().all(|step| step.label.is_none()));
            assert!(cycle.iter().all(|step| step.target.node == node));
            assert_eq!(cycle.iter().fold(q, follow), q);
        }
    }
}
