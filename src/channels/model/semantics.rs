//! How a system is explored.

use super::super::event::{Channel, ComponentId};

/// What happens beyond an overfilled link channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Beyond {
    /// States with an overfilled channel are counted, but the search does not go on
    /// from them.
    #[default]
    Stop,
    /// The search goes on as from all others.
    Expand,
}

/// How a system is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Semantics {
    /// What happens beyond an overfilled link channel.
    pub beyond: Beyond,
    /// From states in which a link channel holds more messages the search does not go
    /// on, whatever the capacity; `None` is [the usual bound](Semantics::bound).
    pub channel_bound: Option<u32>,
    /// In maximal progress (Algorithm 1), the component that moves only where it must.
    pub restrained: Option<ComponentId>,
}

impl Default for Semantics {
    fn default() -> Self {
        Self {
            beyond: Beyond::Stop,
            channel_bound: None,
            restrained: None,
        }
    }
}

impl Semantics {
    /// So many messages each channel may hold at least if nothing else is said.
    pub const LEAST_BOUND: u32 = 16;

    /// Not more than so many if nothing else is said, as states have room for all.
    pub const MOST_BOUND: u32 = 256;

    /// How many messages a channel may hold where the search goes on. If nothing is
    /// said, one more than the capacity, but within [`Semantics::LEAST_BOUND`] and
    /// [`Semantics::MOST_BOUND`].
    pub fn bound(&self, channel: &Channel) -> u32 {
        let more = channel.capacity.map_or(0, |most| most.saturating_add(1));
        let usual = more.clamp(Self::LEAST_BOUND, Self::MOST_BOUND);
        self.channel_bound.unwrap_or(usual)
    }
}
