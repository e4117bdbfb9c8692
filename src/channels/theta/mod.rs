//! The generic error-preserving local transformation Θ (Kapus-Kolar 2010, section 4):
//! whether a change of a component, whatever it is, preserves errors.
//!
//! [`check`] decides the constraints 1 to 5 of section 4.4 for a change and a region of
//! the component, and so which of the theorems 1 to 6 apply; [`prove`] looks for a
//! region with which they do. Nothing but the component is looked at, so that what
//! follows holds in every system it may be a part of.
//!
//! Only walks from states that can be reached are asked for: the proofs of the
//! theorems need no others.

mod check;
mod imitate;
mod region;
#[cfg(test)]
mod tests;
mod walks;

use std::fmt;

use hyades_formats::diagnostic::counted;
use hyades_formats::{StateId, named};

use super::contents::ContentsError;
use super::event::{ChannelId, ComponentId, Transition};
use super::system::System;

pub use self::check::{check, prove};
pub use self::region::{PartialRegion, Region};

/// How far searches go whose end is not known beforehand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// Walks of a region with so many transitions are looked at one by one.
    pub transitions: usize,
    /// Where there are longer ones, imitations of all are sought that are never behind
    /// by more than so many events.
    pub lag: usize,
    /// So many places of imitating walks are looked at for each constraint.
    pub effort: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            transitions: 8,
            lag: 6,
            effort: 100_000,
        }
    }
}

/// What is asked of a change and its region. The letter tells a constraint on the old
/// version (a), which the new one is to imitate, from its twin (b).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Constraint {
    /// The old version of the region is one (section 4.2).
    OldRegion,
    /// The new version of the region is one.
    NewRegion,
    /// 1(a): both components begin in the same state.
    Initial,
    /// 1(b): outside the region, they have the same states.
    OuterStates,
    /// 1(c): outside the region, they have the same transitions.
    OuterTransitions,
    /// 1(d): the region has the same entries.
    Entries,
    /// 1(e): the region has the same exits.
    Exits,
    /// 2(a): the new component simulates all walks from an entry to an exit within the
    /// old region.
    SimulatedByNew,
    /// 2(b): the old component simulates those of the new region.
    SimulatedByOld,
    /// 3(a): where the old region has a transition from an exit, the new component has
    /// one there that needs no more messages from others.
    ProgressOfNew,
    /// 3(b): the same of new region and old component.
    ProgressOfOld,
    /// 4(a): the new component implements all walks from an entry within the old
    /// region.
    ImplementedByNew,
    /// 4(b): the old component implements those of the new region.
    ImplementedByOld,
    /// 5(a): for each walk from an entry within the old region which overfills a
    /// private channel in its last transition, the new component has one that traces
    /// it and overfills the channel.
    OverfilledByNew,
    /// 5(b): the same of new region and old component.
    OverfilledByOld,
}

// what the paper calls them, but for the two that have no number there
named! {
    Constraint:
    OldRegion = "old region",
    NewRegion = "new region",
    Initial = "1(a)",
    OuterStates = "1(b)",
    OuterTransitions = "1(c)",
    Entries = "1(d)",
    Exits = "1(e)",
    SimulatedByNew = "2(a)",
    SimulatedByOld = "2(b)",
    ProgressOfNew = "3(a)",
    ProgressOfOld = "3(b)",
    ImplementedByNew = "4(a)",
    ImplementedByOld = "4(b)",
    OverfilledByNew = "5(a)",
    OverfilledByOld = "5(b)",
}

/// Whether a constraint is respected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It is.
    Holds,
    /// It is not.
    Fails(Witness),
    /// No walk with so many transitions that passes no state which is entry and exit
    /// violates it. Longer ones may.
    Unknown {
        /// How many.
        transitions: usize,
    },
}

/// Why a constraint is violated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Witness {
    /// The region has no state.
    NoState,
    /// This state: it is not in the region or must be an entry or exit; or only one of
    /// the two versions has it.
    State(StateId),
    /// This transition: it is not within the region, only one of the two versions has
    /// it, or there is none to progress instead.
    Transition(Transition),
    /// This walk, a shortest one, has no imitation.
    Walk(Vec<Transition>),
    /// This walk, a shortest one, overfills the channel and has no imitation which does
    /// so.
    Overfilling(Vec<Transition>, ChannelId),
}

/// What a change of a component preserves, in every system that the component may be a
/// part of: what the theorems of section 4.4 say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Theorem {
    /// 1: the system states that can be reached and are dead.
    DeadStates,
    /// 2: which channels can be overfilled, but for the private ones of the component.
    OtherChannels,
    /// 3: which private channels of the component can be overfilled.
    PrivateChannels,
    /// 4: which transitions of other components can be executed.
    OtherTransitions,
    /// 5: which transitions of the component outside the region can be executed.
    OuterTransitions,
    /// 6: if a walk within the region can be executed, all walks of the other version
    /// that trace it can. The walk must begin in a state that is entry and exit, or where
    /// the region has just been entered from the rest of the component.
    ///
    /// The paper says so of all entries. But those that are no exits may be reached
    /// within the old region only, and never in the new one: what leaves the state of Θ4
    /// is an example.
    TracingWalks,
}

impl Theorem {
    /// All of them.
    pub const ALL: [Theorem; 6] = [
        Theorem::DeadStates,
        Theorem::OtherChannels,
        Theorem::PrivateChannels,
        Theorem::OtherTransitions,
        Theorem::OuterTransitions,
        Theorem::TracingWalks,
    ];

    /// The number it has in the paper.
    pub fn number(self) -> usize {
        self as usize + 1
    }

    /// What must hold for it.
    pub fn needs(self) -> impl Iterator<Item = Constraint> {
        use Constraint as C;
        let more: &[C] = match self {
            Theorem::DeadStates => &[C::ProgressOfNew, C::ProgressOfOld],
            Theorem::OtherChannels | Theorem::OtherTransitions => {
                &[C::ImplementedByNew, C::ImplementedByOld]
            }
            Theorem::PrivateChannels => &[C::OverfilledByNew, C::OverfilledByOld],
            Theorem::OuterTransitions | Theorem::TracingWalks => &[],
        };
        // The first nine are needed by all.
        C::ALL[..9].iter().chain(more).copied()
    }
}

/// What [`check`] finds out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applicability {
    /// The region in the old component and in the new one.
    pub regions: [Region; 2],
    answers: Vec<Answer>,
}

impl Applicability {
    /// The answer for a constraint.
    pub fn answer(&self, constraint: Constraint) -> &Answer {
        &self.answers[constraint as usize]
    }

    /// All constraints with their answers.
    pub fn answers(&self) -> impl Iterator<Item = (Constraint, &Answer)> {
        Constraint::ALL.into_iter().zip(&self.answers)
    }

    /// Whether a theorem applies.
    pub fn proves(&self, theorem: Theorem) -> bool {
        let holds = |constraint| *self.answer(constraint) == Answer::Holds;
        theorem.needs().all(holds)
    }

    /// Whether all constraints are respected, so that all theorems apply.
    pub fn is_proof(&self) -> bool {
        self.answers.iter().all(|answer| *answer == Answer::Holds)
    }

    fn theorems(&self) -> usize {
        Theorem::ALL.into_iter().filter(|&t| self.proves(t)).count()
    }

    /// An answer in words, for people: why not, or how far it is known.
    pub fn explain(&self, system: &System, id: ComponentId, constraint: Constraint) -> String {
        let walk = |transitions: &[Transition]| {
            let shown = transitions.iter().map(|t| system.show_transition(id, t));
            shown.collect::<Vec<_>>().join(" ")
        };
        match self.answer(constraint) {
            Answer::Holds => "holds".into(),
            Answer::Unknown { transitions } => {
                format!(
                    "unknown: holds for walks of at most {}",
                    counted(transitions, "transition")
                )
            }
            Answer::Fails(witness) => {
                let reason = match witness {
                    Witness::NoState => "it has no state".into(),
                    Witness::State(state) => system.show_state(id, *state),
                    Witness::Transition(transition) => system.show_transition(id, transition),
                    Witness::Walk(transitions) => walk(transitions),
                    Witness::Overfilling(transitions, channel) => format!(
                        "{} overfills {}",
                        walk(transitions),
                        system.channel(*channel).name
                    ),
                };
                format!("fails: {reason}")
            }
        }
    }
}

/// Why a change cannot be checked at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ThetaError {
    /// The two machines are not versions of the same component: they have other
    /// numbers or channels.
    OtherComponent,
    /// What private channels hold is no function of the state of the old machine.
    OldContents(ContentsError),
    /// What private channels hold is no function of the state of the new machine.
    NewContents(ContentsError),
    /// Private channels hold something else in this state of the two machines, so that
    /// it is not the same state.
    State(StateId),
}

impl fmt::Display for ThetaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fit = |f: &mut fmt::Formatter<'_>, which, error: &ContentsError| {
            write!(
                f,
                "the contents of private channels are no function of the state of the {which} \
                 machine: a transition from {} to {} does not fit",
                error.transition.source.get(),
                error.transition.target.get()
            )
        };
        match self {
            ThetaError::OtherComponent => {
                f.write_str("the two machines are no versions of the same component")
            }
            ThetaError::OldContents(error) => fit(f, "old", error),
            ThetaError::NewContents(error) => fit(f, "new", error),
            ThetaError::State(state) => write!(
                f,
                "private channels hold something else in state {} of the old and of the new \
                 machine; expected another number for what is another state",
                state.get()
            ),
        }
    }
}

impl std::error::Error for ThetaError {}
