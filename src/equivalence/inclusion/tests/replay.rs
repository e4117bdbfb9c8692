//! Whether a state shows what a reason says, by the states that it may be in: nothing is
//! merged, and nothing is shared with the search.

use hyades_formats::{LabelId, Lts, StateId};

use crate::inclusion::{End, Menu, Reason, Seen};

/// A reason and where it is looked for.
pub(super) struct Replay<'a> {
    lts: &'a Lts,
    reason: &'a Reason,
}

impl<'a> Replay<'a> {
    pub(super) fn new(lts: &'a Lts, reason: &'a Reason) -> Self {
        Self { lts, reason }
    }

    /// Whether a state shows it.
    pub(super) fn shows(&self, state: StateId) -> bool {
        let mut states = self.closed(vec![state]);
        for step in &self.reason.steps {
            states.retain(|&s| match &step.seen {
                Seen::Nothing => true,
                Seen::Refusal(refused) => self.refuses(s, refused),
                Seen::Menu(menu) => self.has_menu(s, menu),
            });
            states = self.after(&states, step.label);
        }
        states.iter().any(|&s| self.shows_end(s))
    }

    fn shows_end(&self, s: StateId) -> bool {
        let is_stable = !self.has(s, LabelId::HIDDEN);
        let has_trace = |trace: &Vec<LabelId>| {
            let start = self.closed(vec![s]);
            !trace
                .iter()
                .fold(start, |set, &label| self.after(&set, label))
                .is_empty()
        };
        match &self.reason.end {
            End::Trace => true,
            End::Deadlock(_) => self.lts.row(s).is_empty(),
            End::Refusal(refused) => {
                self.refuses(s, refused) && (!self.reason.skips_hidden || is_stable)
            }
            End::Revival { refusal, label } => self.refuses(s, refusal) && self.has(s, *label),
            End::Ready(menu) => self.has_menu(s, menu),
            End::Divergence => self.diverges(s),
            End::Futures { lacks, has } => {
                !lacks.iter().any(has_trace) && has.iter().all(has_trace)
            }
        }
    }

    fn has(&self, s: StateId, label: LabelId) -> bool {
        self.lts.outgoing(s).any(|step| step.0 == label)
    }

    fn refuses(&self, s: StateId, labels: &[LabelId]) -> bool {
        labels.iter().all(|&label| !self.has(s, label))
    }

    fn has_menu(&self, s: StateId, menu: &Menu) -> bool {
        menu.offered.iter().all(|&label| self.has(s, label)) && self.refuses(s, &menu.refused)
    }

    /// Whether hidden steps can go on for ever: as many as there are states.
    fn diverges(&self, s: StateId) -> bool {
        let mut states = vec![s];
        for _ in 0..self.lts.states() {
            states = self.step(&states, LabelId::HIDDEN);
        }
        !states.is_empty()
    }

    fn step(&self, states: &[StateId], label: LabelId) -> Vec<StateId> {
        let steps = states.iter().flat_map(|&s| self.lts.outgoing(s));
        let mut targets: Vec<StateId> = steps.filter(|t| t.0 == label).map(|t| t.1).collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    fn after(&self, states: &[StateId], label: LabelId) -> Vec<StateId> {
        self.closed(self.step(states, label))
    }

    fn closed(&self, mut states: Vec<StateId>) -> Vec<StateId> {
        if self.reason.skips_hidden {
            let mut next = 0;
            while next < states.len() {
                for t in self.step(&[states[next]], LabelId::HIDDEN) {
                    if !states.contains(&t) {
                        states.push(t);
                    }
                }
                next += 1;
            }
        }
        states
    }
}

/// Whether a state can diverge after a part with which the trace of a reason begins, the
/// whole trace included.
pub(super) fn diverges_on_the_way(lts: &Lts, state: StateId, reason: &Reason) -> bool {
    (0..=reason.steps.len()).any(|length| {
        let mut part = reason.clone();
        part.steps.truncate(length);
        part.end = End::Divergence;
        Replay::new(lts, &part).shows(state)
    })
}

/// The reason with one thing less, in every way there is: none of them may be one.
pub(super) fn weaker(reason: &Reason) -> Vec<Reason> {
    fn without<T: Clone>(all: &[T]) -> Vec<Vec<T>> {
        let without = |k| [&all[..k], &all[k + 1..]].concat();
        (0..all.len()).map(without).collect()
    }
    let mut found = Vec::new();
    let mut end = |end| {
        found.push(Reason {
            end,
            ..reason.clone()
        });
    };
    match &reason.end {
        End::Trace | End::Divergence => {}
        End::Deadlock(labels) | End::Refusal(labels) => {
            if let Some(all) = labels.is_empty().then_some(End::Trace) {
                end(all);
            }
            without(labels)
                .into_iter()
                .for_each(|l| end(End::Refusal(l)));
        }
        End::Revival { refusal, label } => {
            end(End::Refusal(refusal.clone()));
            for refusal in without(refusal) {
                let label = *label;
                end(End::Revival { refusal, label });
            }
        }
        End::Ready(menu) => {
            for refused in without(&menu.refused) {
                let offered = menu.offered.clone();
                end(End::Ready(Menu { offered, refused }));
            }
        }
        End::Futures { lacks, has } => {
            for lacks in without(lacks) {
                let has = has.clone();
                end(End::Futures { lacks, has });
            }
            for has in without(has) {
                let lacks = lacks.clone();
                end(End::Futures { lacks, has });
            }
        }
    }
    for k in 0..reason.steps.len() {
        let mut step = |seen| {
            let mut less = reason.clone();
            less.steps[k].seen = seen;
            found.push(less);
        };
        match &reason.steps[k].seen {
            Seen::Nothing => {}
            Seen::Refusal(labels) => {
                without(labels)
                    .into_iter()
                    .for_each(|l| step(Seen::Refusal(l)));
            }
            Seen::Menu(menu) => {
                step(Seen::Nothing);
                for refused in without(&menu.refused) {
                    let offered = menu.offered.clone();
                    step(Seen::Menu(Menu { offered, refused }));
                }
            }
        }
    }
    found
}
