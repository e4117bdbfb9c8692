//! Maximal progress: two explorations in which one of two components waits for the
//! other.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use foldhash::fast::RandomState;
use hyades_explore::{
    Emit, ExploreError, ExploreOptions, Limits, Model, ModelError, Outcome, ProgressCallback,
    States, explore_states,
};
use hyades_formats::LabelTable;

use super::analysis::{Analysis, Labelled, analyse, analyse_as};
use super::event::{Channel, ComponentId};
use super::model::{Semantics, SystemModel};
use super::system::System;

/// A closed system of two components with one channel each way, to be explored with
/// maximal progress (Kapus-Kolar 2010, Algorithm 1, after Gouda and Yu 1984).
///
/// For each of the components there is an exploration in which it moves only where
/// it must; see [`Semantics::restrained`]. What both find together may be much less
/// than the whole system.
#[derive(Debug)]
pub struct MaximalProgress<'s> {
    /// Explores all.
    whole: SystemModel<'s>,
    /// With the one or the other component restrained.
    halves: [SystemModel<'s>; 2],
}

/// Why there is no maximal progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MaximalProgressError {
    /// The system is not of the kind that Algorithm 1 is for: what was found and what
    /// was expected.
    Unsuitable(String),
    /// There is no model of the system.
    Model(ModelError),
}

impl fmt::Display for MaximalProgressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MaximalProgressError::Unsuitable(text) => f.write_str(text),
            MaximalProgressError::Model(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MaximalProgressError {}

/// The two components, if a system has two and one channel each way.
fn pair(system: &System) -> Result<[ComponentId; 2], String> {
    let expected = "maximal progress expects a closed system of two components with one channel \
                    from each to the other and no other channel";
    let ids: Vec<ComponentId> = system.components().collect();
    let &[first, second] = &*ids else {
        let many = ids.len();
        let components = if many == 1 { "component" } else { "components" };
        return Err(format!("{many} {components}; {expected}"));
    };
    let name = |id| system.component_name(id);
    let mut found: [Option<&Channel>; 2] = [None; 2];
    for channel in system.channels().iter() {
        let text = match (channel.from, channel.to) {
            (Some(from), Some(to)) if from == to => {
                format!("is a private one of {}", name(from))
            }
            (Some(from), Some(to)) => match found[from.index()].replace(channel) {
                None => continue,
                Some(other) => format!(
                    "leads from {} to {} as {} does",
                    name(from),
                    name(to),
                    other.name
                ),
            },
            (_, Some(to)) => format!("leads from the environment to {}", name(to)),
            (Some(from), _) => format!("leads from {} to the environment", name(from)),
            (None, None) => "leads from the environment to it".into(),
        };
        return Err(format!("channel {} {text}; {expected}", channel.name));
    }
    for (from, to) in [(first, second), (second, first)] {
        if found[from.index()].is_none() {
            let (from, to) = (name(from), name(to));
            return Err(format!("no channel from {from} to {to}; {expected}"));
        }
    }
    Ok([first, second])
}

impl<'s> MaximalProgress<'s> {
    /// A system to be explored so. Of the semantics, whom they restrain does not
    /// matter.
    ///
    /// # Errors
    /// If the system is no closed one of two components with one channel each way and
    /// no other, or has no model.
    pub fn new(system: &'s System, semantics: Semantics) -> Result<Self, MaximalProgressError> {
        let [first, second] = pair(system).map_err(MaximalProgressError::Unsuitable)?;
        let model = |restrained| {
            let semantics = Semantics {
                restrained,
                ..semantics
            };
            SystemModel::new(system, semantics).map_err(MaximalProgressError::Model)
        };
        Ok(Self {
            whole: model(None)?,
            halves: [model(Some(first))?, model(Some(second))?],
        })
    }

    /// The model of the whole system, whose states and transitions those found are.
    pub fn model(&self) -> &SystemModel<'s> {
        &self.whole
    }

    /// Explores, and tells what there is: the union of the states and of the
    /// transitions of both explorations. States are numbered in order of discovery
    /// within the union.
    ///
    /// Where the search goes on beyond overfilled channels
    /// ([`Beyond::Expand`](super::Beyond::Expand)) and nothing is cut off, dead states
    /// and overfilled channels are exactly those of the system. Where it stops there,
    /// this holds for whether a channel is overfilled, and for all of it if none is.
    /// Components may execute transitions that are not among those found.
    ///
    /// If one of the explorations reaches a limit, what is found is what that one finds.
    ///
    /// Time: three explorations. Memory: the states of the first two as well, and 24
    /// bytes for each.
    ///
    /// # Errors
    /// If there are too many states.
    pub fn analyse<'a>(
        &self,
        limits: Limits,
        progress: Option<&'a mut ProgressCallback<'a>>,
        sink: Option<Labelled<'a>>,
    ) -> Result<Analysis, ExploreError> {
        let mut left = limits;
        let mut found = Vec::new();
        for half in &self.halves {
            let search = ExploreOptions {
                limits: left,
                ..ExploreOptions::default()
            };
            let (exploration, states) = explore_states(half, search, &mut ())?;
            if exploration.outcome != Outcome::Complete {
                return analyse(half, left, progress, sink);
            }
            let held = states.len() * (8 * hyades_explore::words(half.bits()) + 24);
            left.max_memory = left.max_memory.map(|most| most.saturating_sub(held as u64));
            found.push(states);
        }
        let union = Union {
            system: self,
            found: [index(&found[0]), index(&found[1])],
        };
        analyse_as(&self.whole, &union, left, progress, sink)
    }
}

fn index(states: &States) -> HashSet<&[u64], RandomState> {
    states.iter().collect()
}

/// What both explorations find.
struct Union<'a, 's> {
    system: &'a MaximalProgress<'s>,
    found: [HashSet<&'a [u64], RandomState>; 2],
}

impl<'s> Model for Union<'_, 's> {
    type Scratch = <SystemModel<'s> as Model>::Scratch;

    fn scratch(&self) -> Self::Scratch {
        self.system.whole.scratch()
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.system.whole.labels()
    }

    fn bits(&self) -> usize {
        self.system.whole.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.system.whole.initial(state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let MaximalProgress { whole, halves } = self.system;
        let model = match self.found.each_ref().map(|found| found.contains(state)) {
            // Each component moves freely in the exploration that restrains the other.
            [true, true] => whole,
            [true, false] => &halves[0],
            [false, true] => &halves[1],
            [false, false] => return Err(ModelError::new("a state that was not found before")),
        };
        model.successors(scratch, state, emit)
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        self.system.whole.is_truncated(state)
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        self.system.whole.explain(source, label, target)
    }
}
