//! Behaviours that a script describes in a word: `stop`, `chaos`, `bag`, `fifo`.

use std::collections::HashMap;

use crate::syntax::{Behaviour, Label};
use crate::text::Word;

/// The most places of a buffer.
const MOST_PLACES: u32 = 1000;

/// The most states of a buffer.
const MOST_STATES: usize = 10_000;

/// The text, in AUT, of a behaviour that is one of these.
///
/// O(states · labels).
pub(super) fn automaton(behaviour: &Behaviour) -> Word {
    match behaviour {
        Behaviour::Chaos(labels) => {
            let loops: Vec<(usize, &Label, usize)> =
                labels.iter().map(|label| (0, label, 0)).collect();
            text(1, &loops)
        }
        Behaviour::Buffer {
            is_fifo,
            places,
            labels,
            ..
        } if refusal(*is_fifo, *places, labels).is_none() => {
            let (states, transitions) = buffer(*is_fifo, *places as usize, labels);
            text(states, &transitions)
        }
        _ => text(1, &[]),
    }
}

/// Why a buffer is refused, if it is.
pub(crate) fn refusal(is_fifo: bool, places: u32, labels: &[Label]) -> Option<String> {
    if places > MOST_PLACES {
        return Some(format!(
            "found a buffer of {places} places, expected {MOST_PLACES} at most"
        ));
    }
    let states = states(is_fifo, places, labels.len() / 2, MOST_STATES);
    states.is_none().then(|| {
        format!("this buffer has more than {MOST_STATES} states: use fewer places or labels")
    })
}

/// The number of states of a buffer, if it is at most `most`.
fn states(is_fifo: bool, places: u32, kinds: usize, most: usize) -> Option<usize> {
    let kinds = kinds as u128;
    let most = most as u128;
    let (mut level, mut sum) = (1u128, 1u128);
    for filled in 1..=u128::from(places) {
        level = match is_fifo {
            true => level.checked_mul(kinds)?,
            // Multisets of so many out of `kinds`.
            false => level.checked_mul(kinds + filled - 1)? / filled,
        };
        sum += level;
        if sum > most {
            return None;
        }
    }
    usize::try_from(sum).ok()
}

/// The states and transitions of a buffer; a state is what is in it.
fn buffer(is_fifo: bool, places: usize, labels: &[Label]) -> (usize, Vec<(usize, &Label, usize)>) {
    let mut numbers: HashMap<Vec<u16>, usize> = HashMap::from([(Vec::new(), 0)]);
    let mut states: Vec<Vec<u16>> = vec![Vec::new()];
    let mut transitions = Vec::new();
    let mut at = 0;
    while at < states.len() {
        let content = states[at].clone();
        for (kind, pair) in labels.chunks(2).enumerate() {
            let kind = kind as u16;
            let mut step = |label, next: Vec<u16>| {
                let new = states.len();
                let target = *numbers.entry(next.clone()).or_insert(new);
                if target == new {
                    states.push(next);
                }
                transitions.push((at, label, target));
            };
            if content.len() < places {
                let mut next = content.clone();
                next.push(kind);
                if !is_fifo {
                    next.sort_unstable();
                }
                step(&pair[0], next);
            }
            let taken = match is_fifo {
                true => (content.first() == Some(&kind)).then_some(0),
                false => content.iter().position(|k| *k == kind),
            };
            if let Some(taken) = taken {
                let mut next = content.clone();
                next.remove(taken);
                step(&pair[1], next);
            }
        }
        at += 1;
    }
    (states.len(), transitions)
}

fn text(states: usize, transitions: &[(usize, &Label, usize)]) -> Word {
    let mut text = Word::of(&format!("des (0, {}, {states})", transitions.len()));
    for (from, label, to) in transitions {
        text.push_str(&format!("\n({from}, \""));
        text.push_text(&label.text);
        text.push_str(&format!("\", {to})"));
    }
    text
}
