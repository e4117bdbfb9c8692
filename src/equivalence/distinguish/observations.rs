//! What can be observed of a state, in terms of classes.

use std::ops::Range;

use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::{Components, hidden_components, tau_components};

use super::rounds::Rounds;
use super::{Kind, Root, Semantics, Work};

/// A kind of observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// A step.
    AtOnce(LabelId),
    /// A step behind hidden steps; none at all, for the hidden label.
    AnyWay(LabelId),
    /// A step behind hidden steps within the class; for the hidden label one
    /// that leaves it.
    Within(LabelId),
    /// A state without hidden steps, by hidden steps within the class.
    Stable,
    /// Hidden steps for ever.
    Divergence,
    /// The same within the class.
    DivergenceWithin,
}

/// The last three, as numbers; the others come before by label.
const OTHERS: [Form; 3] = [Form::Stable, Form::Divergence, Form::DivergenceWithin];

/// A form and a class, or 0 for forms that speak of no class, as one number:
/// sorted by form, then by class.
pub(super) type Observation = u64;

impl Form {
    pub(super) fn of(self, class: u32) -> Observation {
        let code = match self {
            Form::AtOnce(label) => 3 + 3 * label.get(),
            Form::AnyWay(label) => 3 + 3 * label.get() + 1,
            Form::Within(label) => 3 + 3 * label.get() + 2,
            Form::Stable => 0,
            Form::Divergence => 1,
            Form::DivergenceWithin => 2,
        };
        u64::from(code) << 32 | u64::from(class)
    }

    /// The form and the class of an observation.
    pub(super) fn decode(observation: Observation) -> (Form, u32) {
        let code = (observation >> 32) as u32;
        let form = match code.checked_sub(3) {
            None => OTHERS[code as usize],
            Some(rest) => {
                let label = LabelId::new(rest / 3);
                match rest % 3 {
                    0 => Form::AtOnce(label),
                    1 => Form::AnyWay(label),
                    _ => Form::Within(label),
                }
            }
        };
        (form, observation as u32)
    }

    /// Where the observations of this form are among sorted ones.
    pub(super) fn range(self, sorted: &[Observation]) -> Range<usize> {
        let start = sorted.partition_point(|&o| o < self.of(0));
        let end = sorted.partition_point(|&o| o <= self.of(u32::MAX));
        start..end
    }
}

/// A system and what of it is looked at in each round.
pub(super) struct System<'a> {
    pub(super) lts: &'a Lts,
    pub(super) kind: Kind<'a>,
    pub(super) semantics: Semantics<'a>,
    /// The rows of hidden transitions.
    pub(super) hidden_offsets: Vec<u32>,
    pub(super) hidden_targets: Vec<StateId>,
    /// The components of hidden transitions, and the states of each.
    pub(super) components: Components,
    pub(super) members: Grouped<u32>,
    /// Whether hidden steps can go on for ever, by component.
    pub(super) diverges: Vec<bool>,
}

impl<'a> System<'a> {
    /// O(states + transitions).
    pub(super) fn new(lts: &'a Lts, kind: Kind<'a>, work: &mut Work) -> Option<Self> {
        work.spend(lts.states() + lts.transitions())?;
        let mut hidden_offsets = Vec::with_capacity(lts.states() + 1);
        let mut hidden_targets = Vec::new();
        hidden_offsets.push(0);
        for s in (0..lts.states()).map(StateId::from_index) {
            let hidden = lts.outgoing(s).filter(|(l, _)| l.is_hidden());
            hidden_targets.extend(hidden.map(|(_, t)| t));
            hidden_offsets.push(hidden_targets.len() as u32);
        }
        let components = tau_components(lts);
        let members = grouped(&components);
        let mut system = Self {
            lts,
            kind,
            semantics: kind.semantics(),
            hidden_offsets,
            hidden_targets,
            diverges: Vec::new(),
            components,
            members,
        };
        system.diverges = system.divergent_components();
        Some(system)
    }

    fn divergent_components(&self) -> Vec<bool> {
        let mut diverges = vec![false; self.members.len()];
        for c in 0..diverges.len() {
            let members = self.members.of(c as u32);
            diverges[c] = members.len() > 1
                || members.iter().any(|&s| {
                    let mut targets = self.hidden(s).iter().map(|t| t.index());
                    targets.any(|t| t == s as usize || diverges[self.components.of[t] as usize])
                });
        }
        diverges
    }

    /// Where hidden steps lead.
    pub(super) fn hidden(&self, state: u32) -> &[StateId] {
        let row = self.hidden_offsets[state as usize]..self.hidden_offsets[state as usize + 1];
        &self.hidden_targets[row.start as usize..row.end as usize]
    }

    /// The visible steps, with whether they count only for the first step.
    pub(super) fn visible(&self, state: u32) -> impl Iterator<Item = (bool, LabelId, u32)> + '_ {
        let steps = self.lts.outgoing(StateId::new(state));
        let visible = steps.filter(|(label, _)| !label.is_hidden());
        let at_once = self.semantics.at_once;
        visible.map(move |(label, target)| {
            let first = at_once.get(label.index()).copied().unwrap_or(false);
            (first, label, target.get())
        })
    }

    /// Whether a formula can be made now.
    pub(super) fn parted(
        &self,
        rounds: &Rounds,
        p: StateId,
        q: StateId,
        work: &mut Work,
    ) -> Option<bool> {
        let class = |s: u32| rounds.class(s);
        let Some(root) = self.kind.root() else {
            return Some(class(p.get()) != class(q.get()));
        };
        for (mover, other) in [(p, q), (q, p)] {
            for (label, target) in self.lts.outgoing(mover) {
                let answers = self.root_answers(root, other, label, work)?;
                if answers.into_iter().all(|t| class(t) != class(target.get())) {
                    return Some(true);
                }
            }
        }
        Some(false)
    }

    /// Where a state gets when it answers a first step with this label.
    pub(super) fn root_answers(
        &self,
        root: Root,
        state: StateId,
        label: LabelId,
        work: &mut Work,
    ) -> Option<Vec<u32>> {
        let after = |states: Vec<u32>, work: &mut Work| {
            let mut targets = Vec::new();
            for s in states {
                let row = self.lts.outgoing(StateId::new(s));
                work.spend(1 + row.len())?;
                targets.extend(row.filter(|step| step.0 == label).map(|step| step.1.get()));
            }
            Some(targets)
        };
        match root {
            Root::Strong => after(vec![state.get()], work),
            Root::Weak => {
                let before = self.hidden_closure(vec![state.get()], |_| true, work)?;
                let after = after(before, work)?;
                self.hidden_closure(after, |_| true, work)
            }
        }
    }

    /// What hidden steps reach, through states that are admitted, from some
    /// such states; these included, each once.
    pub(super) fn hidden_closure(
        &self,
        from: Vec<u32>,
        admits: impl Fn(u32) -> bool,
        work: &mut Work,
    ) -> Option<Vec<u32>> {
        let mut seen =
            std::collections::HashSet::with_hasher(foldhash::fast::RandomState::default());
        let mut reached = from;
        reached.retain(|&s| seen.insert(s));
        let mut next = 0;
        while let Some(&s) = reached.get(next) {
            next += 1;
            let targets = self.hidden(s);
            work.spend(1 + targets.len())?;
            for t in targets.iter().map(|t| t.get()) {
                if admits(t) && seen.insert(t) {
                    reached.push(t);
                }
            }
        }
        Some(reached)
    }

    /// All observations of a state, sorted, each once, given the classes.
    pub(super) fn observations(
        &self,
        state: u32,
        class: impl Fn(u32) -> u32,
        work: &mut Work,
    ) -> Option<Vec<Observation>> {
        let own = class(state);
        let mut found = Vec::new();
        for (first, label, target) in self.visible(state) {
            if first {
                found.push(Form::AtOnce(label).of(class(target)));
            }
        }
        let anywhere = self.hidden_closure(vec![state], |_| true, work)?;
        if self.semantics.hidden {
            let hidden = Form::AnyWay(LabelId::HIDDEN);
            found.extend(anywhere.iter().map(|&s| hidden.of(class(s))));
        }
        self.steps_behind(&anywhere, Form::AnyWay, &class, &mut found, work)?;
        let component = self.components.of[state as usize] as usize;
        if self.semantics.divergence && self.diverges[component] {
            found.push(Form::Divergence.of(0));
        }
        if self.semantics.looks_within() {
            let within = self.hidden_closure(vec![state], |t| class(t) == own, work)?;
            self.observations_within(&within, &class, &mut found, work)?;
        }
        found.sort_unstable();
        found.dedup();
        work.spend(found.len())?;
        Some(found)
    }

    /// The observations by hidden steps within a class; these lead to the
    /// states `within`.
    fn observations_within(
        &self,
        within: &[u32],
        class: &impl Fn(u32) -> u32,
        found: &mut Vec<Observation>,
        work: &mut Work,
    ) -> Option<()> {
        let own = class(within[0]);
        if self.semantics.within {
            self.steps_behind(within, Form::Within, class, found, work)?;
            if !self.semantics.closed {
                let leaving = within.iter().flat_map(|&s| self.hidden(s));
                let classes = leaving.map(|t| class(t.get())).filter(|&c| c != own);
                found.extend(classes.map(|c| Form::Within(LabelId::HIDDEN).of(c)));
            }
        }
        if self.semantics.stability && within.iter().any(|&s| self.hidden(s).is_empty()) {
            found.push(Form::Stable.of(0));
        }
        if self.semantics.divergence && self.has_cycle(within) {
            found.push(Form::DivergenceWithin.of(0));
        }
        Some(())
    }

    /// The visible steps behind hidden steps to some states.
    fn steps_behind(
        &self,
        behind: &[u32],
        form: fn(LabelId) -> Form,
        class: &impl Fn(u32) -> u32,
        found: &mut Vec<Observation>,
        work: &mut Work,
    ) -> Option<()> {
        let mut steps: Vec<(LabelId, u32)> = Vec::new();
        for &s in behind {
            let visible = self.visible(s).filter(|&(first, ..)| !first);
            steps.extend(visible.map(|(_, label, target)| (label, target)));
        }
        work.spend(steps.len())?;
        if !self.semantics.closed {
            found.extend(steps.iter().map(|&(label, t)| form(label).of(class(t))));
            return Some(());
        }
        steps.sort_unstable();
        for of_label in steps.chunk_by(|a, b| a.0 == b.0) {
            let targets = of_label.iter().map(|step| step.1).collect();
            let reached = self.hidden_closure(targets, |_| true, work)?;
            let form = form(of_label[0].0);
            found.extend(reached.into_iter().map(|t| form.of(class(t))));
        }
        Some(())
    }

    /// Whether hidden steps between some states make a cycle.
    fn has_cycle(&self, states: &[u32]) -> bool {
        let mut number =
            std::collections::HashMap::with_hasher(foldhash::fast::RandomState::default());
        number.extend((0u32..).zip(states).map(|(k, &s)| (s, k)));
        let mut offsets = vec![0];
        let mut targets = Vec::new();
        for &s in states {
            let inside = self.hidden(s).iter().filter_map(|t| number.get(&t.get()));
            targets.extend(inside.map(|&k| StateId::new(k)));
            offsets.push(targets.len() as u32);
        }
        let components = hidden_components(&offsets, &targets);
        let looped = |k: usize| {
            let row = offsets[k] as usize..offsets[k + 1] as usize;
            targets[row].iter().any(|t| t.index() == k)
        };
        (components.count as usize) < states.len() || (0..states.len()).any(looped)
    }
}

impl Semantics<'_> {
    /// Whether there are observations by hidden steps within the class.
    pub(super) fn looks_within(&self) -> bool {
        self.within || self.stability || self.divergence
    }
}

/// The states of each component.
pub(super) fn grouped(components: &Components) -> Grouped<u32> {
    let of = components.of.iter().copied();
    Grouped::new(components.count as usize, of.zip(0..))
}
