//! The error-preserving local transformations Θ1…Θ6.
//!
//! Each changes one component only, looks at nothing but that component, and
//! preserves which system states are dead, which channels can be overfilled, and
//! which transitions that are not its target can be executed (Kapus-Kolar 2010,
//! sections 3.2 to 3.8).

mod states;
mod transitions;
mod walks;

use std::fmt;

use hyades_formats::{StateId, named};

use super::contents::Contents;
use super::event::Transition;
use super::machine::Machine;

/// The rules, by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// Deletes a state that only transmits (section 3.2).
    Theta1,
    /// Deletes a transition that a walk by-passes (section 3.3).
    Theta2,
    /// Deletes a state where the initiative does not pass to the rest of the system
    /// (section 3.4).
    Theta3,
    /// Unrolls transitions into such a state, which remains (section 3.5).
    Theta4,
    /// Deletes a transition that a walk by-passes as far as others can see (section
    /// 3.6).
    Theta5,
    /// Deletes a transmission and its reception from a label (section 3.7).
    Theta6,
}

named! {
    Rule:
    Theta1 = "theta1",
    Theta2 = "theta2",
    Theta3 = "theta3",
    Theta4 = "theta4",
    Theta5 = "theta5",
    Theta6 = "theta6",
}

impl Rule {
    /// Whether it is applied to transitions, not to states.
    pub(super) fn is_of_transitions(self) -> bool {
        match self {
            Rule::Theta2 | Rule::Theta5 | Rule::Theta6 => true,
            Rule::Theta1 | Rule::Theta3 | Rule::Theta4 => false,
        }
    }
}

impl std::str::FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| {
            let names = Rule::ALL.map(Rule::name).join(", ");
            format!("no rule {text}; expected one of {names}")
        })
    }
}

/// A rule and what it is to be applied to.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Application {
    /// Θ1 deletes this state.
    Theta1(StateId),
    /// Θ2 deletes this transition.
    Theta2(Transition),
    /// Θ3 deletes this state.
    Theta3(StateId),
    /// Θ4 replaces these transitions, which enter the state.
    Theta4(StateId, Vec<Transition>),
    /// Θ5 deletes this transition.
    Theta5(Transition),
    /// Θ6 deletes the events at these places, from 0, from the label of this
    /// transition: a transmission and then a reception.
    Theta6(Transition, usize, usize),
}

/// What an application does to a machine: transitions go, others come. States remain
/// as numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Change {
    /// What is removed.
    pub removed: Vec<Transition>,
    /// What is added afterwards. It may have been there, or among those removed.
    pub added: Vec<Transition>,
}

/// Why a rule cannot be applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The machine has no such state or no such transition.
    Missing,
    /// The state is the initial one.
    Initial,
    /// A transition leads from the state to itself, or the transition is one of
    /// these.
    Loop(Transition),
    /// Nothing leaves the state.
    Dead,
    /// All transitions that leave the state may be blocked by others.
    Stable,
    /// This transition that leaves the state does not only transmit.
    Receives(Transition),
    /// The first one transmits to others, the second one, which follows it, receives
    /// from them: here the initiative passes to the rest of the system.
    Initiative(Transition, Transition),
    /// No transitions to replace.
    Nothing,
    /// No walk by-passes the transition.
    NoByPass,
    /// The transition overfills this private channel, and no other walk does so
    /// whenever it can be executed.
    NoOtherOverfill(super::ChannelId),
    /// The two events are no transmission and later reception of the same message on
    /// a private channel, or the rest of the label is empty or does not fit the
    /// contents.
    NoPair,
    /// The state cannot be reached, so that it has no contents of private channels.
    Unreachable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |t: &Transition| (t.source.get(), t.target.get());
        match self {
            Refusal::Missing => f.write_str("there is no such state or transition"),
            Refusal::Initial => f.write_str("the state is the initial one"),
            Refusal::Loop(t) => write!(f, "a transition leads from {} to itself", t.source.get()),
            Refusal::Dead => f.write_str("no transition leaves the state"),
            Refusal::Stable => f.write_str(
                "all transitions that leave the state receive from other components, so that it \
                 may have to wait there",
            ),
            Refusal::Receives(t) => {
                let (source, target) = number(t);
                write!(
                    f,
                    "a transition from {source} to {target} does not only transmit"
                )
            }
            Refusal::Initiative(t, u) => {
                let ((from, at), (_, to)) = (number(t), number(u));
                write!(
                    f,
                    "a transition from {from} to {at} transmits to other components and one from \
                     {at} to {to} receives from them"
                )
            }
            Refusal::Nothing => f.write_str("no transitions are to be replaced"),
            Refusal::NoByPass => f.write_str("no walk by-passes the transition"),
            Refusal::NoOtherOverfill(_) => f.write_str(
                "the transition overfills a private channel, and no other walk does whenever it \
                 can be executed",
            ),
            Refusal::NoPair => f.write_str(
                "the events are no transmission and later reception of the same message on a \
                 private channel that can both be left out",
            ),
            Refusal::Unreachable => f.write_str("the transition cannot be reached"),
        }
    }
}

impl Application {
    /// Which rule.
    pub fn rule(&self) -> Rule {
        match self {
            Application::Theta1(_) => Rule::Theta1,
            Application::Theta2(_) => Rule::Theta2,
            Application::Theta3(_) => Rule::Theta3,
            Application::Theta4(..) => Rule::Theta4,
            Application::Theta5(_) => Rule::Theta5,
            Application::Theta6(..) => Rule::Theta6,
        }
    }

    /// What it does to a machine. `contents` are those of the machine, or of one that
    /// it has come from by such changes.
    ///
    /// # Errors
    /// If the rule is not applicable.
    pub fn change(&self, machine: &Machine, contents: &Contents) -> Result<Change, Refusal> {
        self.change_seeing(machine, contents, &mut Vec::new())
    }

    /// As [`Application::change`]. The states that walks were sought from, beside the
    /// one that a rule is applied to, go to `seen`: if it is refused, it remains so as
    /// long as what leaves these, and what enters that one, does not change.
    pub(super) fn change_seeing(
        &self,
        machine: &Machine,
        contents: &Contents,
        seen: &mut Vec<StateId>,
    ) -> Result<Change, Refusal> {
        let has = |state: StateId| match state.index() < machine.states() {
            true => Ok(()),
            false => Err(Refusal::Missing),
        };
        match self {
            Application::Theta1(state) => {
                has(*state)?;
                states::theta1(machine, *state)
            }
            Application::Theta3(state) => {
                has(*state)?;
                states::theta3(machine, *state)
            }
            Application::Theta4(state, entering) => {
                has(*state)?;
                states::theta4(machine, *state, entering)
            }
            Application::Theta2(transition) => transitions::theta2(machine, transition, seen),
            Application::Theta5(transition) => {
                transitions::theta5(machine, contents, transition, seen)
            }
            Application::Theta6(transition, first, second) => {
                transitions::theta6(machine, contents, transition, [*first, *second], seen)
            }
        }
    }

    /// The state of Θ4, which may not be reached any more. All other states that could
    /// be reached before a rule is applied can be afterwards, but for one that it deletes.
    pub(super) fn unrolled(&self) -> Option<StateId> {
        match self {
            Application::Theta4(state, _) => Some(*state),
            Application::Theta1(_)
            | Application::Theta2(_)
            | Application::Theta3(_)
            | Application::Theta5(_)
            | Application::Theta6(..) => None,
        }
    }

    /// All that Θ4 may replace at a state at once: every transition that enters it,
    /// and does not leave it too, after which the initiative does not pass.
    pub fn theta4_of_all(machine: &Machine, state: StateId) -> Self {
        Application::Theta4(state, states::eligible(machine, state))
    }

    /// The applications of Θ6 to a transition: every pair of events that can be left
    /// out.
    pub fn theta6_of<'a>(
        machine: &'a Machine,
        transition: &'a Transition,
    ) -> impl Iterator<Item = Self> + 'a {
        transitions::pairs(machine, transition)
            .map(|(first, second)| Application::Theta6(transition.clone(), first, second))
    }
}

impl Machine {
    /// Removes and adds transitions.
    pub fn apply(&mut self, change: &Change) {
        for transition in &change.removed {
            self.remove(transition);
        }
        for transition in &change.added {
            self.insert(transition.clone());
        }
    }

    /// What leaves a state that no other one leads to, if it is not the initial one.
    pub(super) fn truncated(&self, state: StateId) -> Vec<Transition> {
        let is_entered = self.incoming(state).any(|t| !t.is_loop());
        match is_entered || state == self.initial() {
            true => Vec::new(),
            false => self.outgoing(state).collect(),
        }
    }

    /// Removes what cannot be reached (Θrch, section 2.7); what that was.
    pub fn trim(&mut self) -> Vec<Transition> {
        let unreachable = self.unreachable();
        for transition in &unreachable {
            self.remove(transition);
        }
        unreachable
    }
}
