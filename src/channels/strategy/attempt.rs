//! Applications that may have to be taken back.

use std::collections::{BTreeSet, HashMap};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::super::action::Action;
use super::super::contents::Contents;
use super::super::event::Transition;
use super::super::machine::Machine;
use super::super::rules::{Application, Change, Rule};
use super::Limits;

/// How many events the walks had that transitions stand for.
///
/// That is the length of the label and what Θ6 has deleted from it and from the labels
/// that it was made of. A component has finitely many states and labels, but Θ4 and Θ6
/// could go round among them: Θ4 goes once round a cycle, and Θ6 deletes from the label
/// all that was added by that. So Θ4 is bounded by the lengths of walks, and ends.
///
/// Proof. Let the limit be L, and take, for a machine: the number of its states; the
/// multiset of max(0, L − n) for the lengths n of the walks of its transitions; and the
/// number of events in its labels. Each step makes that smaller, in lexicographic order,
/// where multisets are ordered as usual, by Dershowitz and Manna: Θ1 and Θ3 delete a
/// state, which never comes back, as transitions are only made between states that have
/// some. Θ4 replaces a transition with n < L by others with greater n. Θ2, Θ5 and what
/// cannot be reached any more take transitions away. Θ6 replaces a transition by one with
/// the same n and fewer events. A transition that is made and is there already keeps its
/// length, so that then nothing is added. All three orders are well-founded.
#[derive(Default, Debug)]
pub(super) struct WalkLengths(
    /// Where that is not the length of the label.
    HashMap<Transition, usize, RandomState>,
);

impl WalkLengths {
    fn get(&self, transition: &Transition) -> usize {
        let longer = self.0.get(transition).copied();
        longer.unwrap_or(transition.label.len())
    }

    /// Those of what an application adds to a machine that it has not changed yet, in
    /// its order.
    fn of_added(&self, machine: &Machine, application: &Application) -> Vec<usize> {
        let through = |state: StateId, entering: &[Transition]| {
            let leaving: Vec<usize> = machine.outgoing(state).map(|t| self.get(&t)).collect();
            let entering = entering.iter().map(|t| self.get(t));
            let pairs = entering.flat_map(|n| leaving.iter().map(move |more| n + more));
            pairs.collect()
        };
        match application {
            Application::Theta1(state) | Application::Theta3(state) => {
                through(*state, &machine.incoming(*state).collect::<Vec<_>>())
            }
            Application::Theta4(state, entering) => through(*state, entering),
            Application::Theta6(transition, ..) => vec![self.get(transition)],
            Application::Theta2(_) | Application::Theta5(_) => Vec::new(),
        }
    }
}

/// A transition that came or went.
#[derive(Debug)]
struct Moved {
    was_added: bool,
    transition: Transition,
    /// The length of its walk.
    length: usize,
}

/// What was really removed and added, in order.
#[derive(Default, Debug)]
pub(super) struct Changed(Vec<Moved>);

impl Changed {
    fn remove(&mut self, machine: &mut Machine, lengths: &mut WalkLengths, t: &Transition) {
        if machine.remove(t) {
            self.0.push(Moved {
                was_added: false,
                length: lengths.0.remove(t).unwrap_or(t.label.len()),
                transition: t.clone(),
            });
        }
    }

    fn insert(
        &mut self,
        machine: &mut Machine,
        lengths: &mut WalkLengths,
        transition: Transition,
        length: usize,
    ) {
        if machine.insert(transition.clone()) {
            if length != transition.label.len() {
                lengths.0.insert(transition.clone(), length);
            }
            self.0.push(Moved {
                was_added: true,
                transition,
                length,
            });
        }
    }

    pub(super) fn undo(self, machine: &mut Machine, lengths: &mut WalkLengths) {
        let mut back = Self::default();
        for moved in self.0.into_iter().rev() {
            match moved.was_added {
                true => back.remove(machine, lengths, &moved.transition),
                false => back.insert(machine, lengths, moved.transition, moved.length),
            }
        }
    }

    /// All transitions that came or went, some of which may have done both.
    pub(super) fn all(&self) -> impl Iterator<Item = &Transition> {
        self.0.iter().map(|moved| &moved.transition)
    }

    /// The states that these link.
    pub(super) fn ends(&self) -> BTreeSet<StateId> {
        self.all().flat_map(|t| [t.source, t.target]).collect()
    }

    /// The transitions that came, some of which may have gone again.
    pub(super) fn added(&self) -> impl Iterator<Item = &Transition> {
        let added = self.0.iter().filter(|moved| moved.was_added);
        added.map(|moved| &moved.transition)
    }
}

/// An application that may have to be taken back.
#[derive(Default)]
pub(super) struct Attempt {
    pub(super) changed: Changed,
    pub(super) done: Vec<Action>,
}

impl Attempt {
    /// Applies a rule to a machine that has no states which cannot be reached, if it is
    /// applicable within the limits; otherwise nothing is changed. The states whose
    /// leaving transitions decided that go to `seen`.
    pub(super) fn new(
        machine: &mut Machine,
        lengths: &mut WalkLengths,
        contents: &Contents,
        application: Application,
        limits: &Limits,
        seen: &mut Vec<StateId>,
    ) -> Option<Self> {
        let change = application.change_seeing(machine, contents, seen).ok()?;
        let added_lengths = lengths.of_added(machine, &application);
        let longest_label = || change.added.iter().map(|t| t.label.len()).max();
        let longest_walk = || added_lengths.iter().copied().max();
        let (longest, may_grow, most_survivors) = match application.rule() {
            Rule::Theta1 => (longest_label(), true, None),
            Rule::Theta3 => (longest_label(), limits.theta3_may_grow, None),
            Rule::Theta4 => (longest_walk(), true, limits.theta4_survivors),
            Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => (None, true, None),
        };
        if longest.is_some_and(|longest| longest > limits.longest_label) {
            return None;
        }
        let unrolled = application.unrolled();
        if !may_grow || unrolled.is_some() {
            // What it makes, from there, may be there already.
            seen.extend(change.removed.iter().map(|t| t.source));
        }
        let before = machine.transition_count();
        let mut attempt = Self::default();
        attempt.make(machine, lengths, application, (change, added_lengths));
        let is_within = most_survivors
            .is_none_or(|most| attempt.thin_out(machine, lengths, contents, most, seen));
        if is_within && let Some(state) = unrolled {
            for transition in machine.truncated(state) {
                attempt.changed.remove(machine, lengths, &transition);
            }
        }
        if !is_within || !may_grow && machine.transition_count() > before {
            attempt.changed.undo(machine, lengths);
            return None;
        }
        Some(attempt)
    }

    /// Makes a change; the lengths are those of the walks of what it adds.
    fn make(
        &mut self,
        machine: &mut Machine,
        lengths: &mut WalkLengths,
        application: Application,
        (change, added_lengths): (Change, Vec<usize>),
    ) {
        for transition in &change.removed {
            self.changed.remove(machine, lengths, transition);
        }
        for (transition, length) in change.added.into_iter().zip(added_lengths) {
            self.changed.insert(machine, lengths, transition, length);
        }
        self.done.push(Action::Rule(machine.id(), application));
    }

    /// Applies Θ2 to what was added, the longest labels first, until more remain than
    /// `most`; whether that is not so at the end.
    fn thin_out(
        &mut self,
        machine: &mut Machine,
        lengths: &mut WalkLengths,
        contents: &Contents,
        most: usize,
        seen: &mut Vec<StateId>,
    ) -> bool {
        let mut added: Vec<Transition> = self.changed.added().cloned().collect();
        added.sort_by_key(|t| std::cmp::Reverse(t.label.len()));
        let mut survivors = 0;
        for application in added.into_iter().map(Application::Theta2) {
            match application.change_seeing(machine, contents, seen) {
                Ok(change) => self.make(machine, lengths, application, (change, Vec::new())),
                Err(_) => survivors += 1,
            }
            if survivors > most {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::x25::read_text;
    use super::super::super::{ComponentId, RuleLimits};
    use super::*;

    /// Where Θ4 would make many transitions that remain, no more of them are looked at
    /// than are needed to see that.
    #[test]
    fn survivors_are_counted_as_far_as_they_may_be() {
        let leaving: String = (2..52).map(|k| format!("(1, \"-b\", {k})\n")).collect();
        let text = format!(
            "format = \"csm-system-1\"\n[[component]]\nname = \"A\"\naut = '''\n\
             des (0, 51, 52)\n(0, \"-a\", 1)\n{leaving}'''\n\
             [[channel]]\nname = \"AB\"\nfrom = \"A\"\nmessages = [\"a\", \"b\"]\n"
        );
        let mut system = read_text(&text);
        let id = ComponentId::new(0);
        let contents = system.contents(id).unwrap();
        let machine = system.machine_mut(id);
        let (state, entering) = (StateId::new(1), machine.outgoing(StateId::new(0)));
        let application = Application::Theta4(state, entering.collect());
        let mut tried = |most| {
            let limits = RuleLimits {
                theta4_survivors: Some(most),
                ..RuleLimits::default()
            };
            let mut seen = Vec::new();
            let application = application.clone();
            let lengths = &mut WalkLengths::default();
            let attempt =
                Attempt::new(machine, lengths, &contents, application, &limits, &mut seen);
            assert_eq!(attempt.is_some(), most >= 50);
            if let Some(attempt) = attempt {
                attempt.changed.undo(machine, lengths);
            }
            seen.len()
        };
        assert!(tried(1) < 5);
        assert!(tried(50) > 50);
    }
}
