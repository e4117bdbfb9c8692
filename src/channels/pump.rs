//! Cycles that fill a channel for ever.
//!
//! From a way that leads from a state to another in which all components are where
//! they were, it follows that a channel holds any number of messages if the way can be
//! taken again and again, and each time adds to it. On a channel that holds `w`, a way
//! that receives `x` and transmits `y` can be, as it was once, exactly if it transmits
//! no less than it receives, and receives nothing or `xxx… = wyyy…` (Jéron & Jard,
//! *Testing for unboundedness of FIFO channels*, TCS 113, 1993). Not all growth is of
//! this kind: whether a channel grows for ever is undecidable.

use hyades_formats::StateId;

use super::analysis::Analysis;
use super::event::{ChannelId, Event, MessageId};
use super::model::{SystemModel, SystemState};

/// So many of the states beyond the bound are looked at, those that are nearest to the
/// initial one.
const STATES: usize = 256;

/// So many of the last states on the way to one of them are.
const STEPS: usize = 256;

/// A channel that grows for ever, if one is seen to on the shortest ways to states in
/// which a channel holds more than the bound; the model goes on from all others.
///
/// O([`STATES`] · [`STEPS`]³) time at worst; most ways are shorter.
pub(super) fn grows(model: &SystemModel<'_>, found: &Analysis) -> Option<ChannelId> {
    let states = (0..found.states as usize).map(StateId::from_index);
    let beyond = states.filter(|&state| found.is_truncated(model, state));
    beyond.take(STATES).find_map(|state| {
        let way = found.way_to(state);
        let mut states = model.states_of(&way);
        states.insert(0, found.state(model, StateId::new(0)));
        let (way, states) = match way.len().checked_sub(STEPS) {
            Some(first) => (&way[first..], &states[first..]),
            None => (&way[..], &states[..]),
        };
        // Short cycles first: they are cheap.
        let cycles = (1..=way.len()).flat_map(|length| {
            let starts = 0..=way.len() - length;
            starts.map(move |start| (start, start + length))
        });
        let mut same = cycles.filter(|&(a, b)| states[a].components == states[b].components);
        same.find_map(|(a, b)| filled_by(model, &states[a], &way[a..b]))
    })
}

/// A channel that grows each time if the way, which can be taken from this state and
/// leads back to the same states of components, is taken for ever; `None` if there is
/// none, or the way cannot be.
fn filled_by(model: &SystemModel<'_>, from: &SystemState, way: &[u32]) -> Option<ChannelId> {
    let mut filled = None;
    for (channel, held) in model.linked().zip(&from.channels) {
        let events = |wanted: fn(Event) -> bool| -> Vec<MessageId> {
            let labels = way
                .iter()
                .map(|&t| &model.transitions()[t as usize].1.label);
            let events = labels.flat_map(|label| label.iter().copied());
            let wanted = events.filter(|event| event.channel == channel && wanted(*event));
            wanted.map(|event| event.message).collect()
        };
        let received = events(Event::is_reception);
        let transmitted = events(Event::is_transmission);
        if !is_repeatable(held, &received, &transmitted) {
            return None;
        }
        if transmitted.len() > received.len() {
            filled.get_or_insert(channel);
        }
    }
    filled
}

/// Whether what was received and transmitted once, in some order, can be for ever.
fn is_repeatable(held: &[MessageId], received: &[MessageId], transmitted: &[MessageId]) -> bool {
    if received.is_empty() {
        return true;
    }
    if transmitted.len() < received.len() {
        return false;
    }
    // Two periodic sequences are the same if they agree for as long as both periods
    // together (Fine & Wilf 1965).
    let enough = held.len() + received.len() + transmitted.len();
    let all_received = received.iter().cycle();
    let all_held = held.iter().chain(transmitted.iter().cycle());
    all_received.zip(all_held).take(enough).all(|(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is received for ever, step by step.
    fn goes_on(held: &[MessageId], received: &[MessageId], transmitted: &[MessageId]) -> bool {
        let mut queue = held.to_vec();
        (0..100).all(|_| {
            queue.extend(transmitted);
            let goes_on = queue.starts_with(received);
            queue.drain(..received.len().min(queue.len()));
            goes_on
        })
    }

    #[test]
    fn repeatable_is_what_can_be_repeated() {
        let words = |most: u32| -> Vec<Vec<MessageId>> {
            let word = |len: u32, bits: u32| (0..len).map(move |k| bits >> k & 1);
            let words = (0..=most).flat_map(|len| (0..1 << len).map(move |bits| word(len, bits)));
            let message = |bit: u32| MessageId::new(bit as usize);
            words.map(|word| word.map(message).collect()).collect()
        };
        let mut repeatable = 0;
        for held in words(4) {
            for received in words(4) {
                for transmitted in words(4) {
                    let goes_on = goes_on(&held, &received, &transmitted);
                    assert_eq!(
                        is_repeatable(&held, &received, &transmitted),
                        goes_on,
                        "{held:?} {received:?} {transmitted:?}"
                    );
                    repeatable += usize::from(goes_on);
                }
            }
        }
        assert!(repeatable > 1000, "{repeatable}");
    }
}
