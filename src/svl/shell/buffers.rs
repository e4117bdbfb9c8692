//! Behaviours that a script describes in a word: `stop`, `chaos`, `bag`, `fifo`.

use hyades_base::buffer::{Buffer, Discipline, Event};

use crate::syntax::{Behaviour, Label};
use crate::text::Word;

/// The most states of a buffer.
const MOST_STATES: u64 = 10_000;

/// The text, in AUT, of a behaviour that is one of these.
///
/// O(states · labels).
pub(super) fn automaton(behaviour: &Behaviour) -> Word {
    let mut transitions: Vec<(u64, &Label, u64)> = Vec::new();
    let mut states = 1;
    match behaviour {
        Behaviour::Chaos(labels) => transitions.extend(labels.iter().map(|label| (0, label, 0))),
        Behaviour::Buffer {
            discipline,
            places,
            labels,
            ..
        } => {
            if let Some(buffer) = buffer(*discipline, *places, labels) {
                states = buffer.states();
                for state in 0..states {
                    buffer.successors(state, |event, target| {
                        let label = match event {
                            Event::Put(kind) => &labels[2 * kind as usize],
                            Event::Get(kind) => &labels[2 * kind as usize + 1],
                        };
                        transitions.push((state, label, target));
                    });
                }
            }
        }
        _ => {}
    }
    text(states, &transitions)
}

/// Why a buffer is refused, if it is.
pub(crate) fn refusal(discipline: Discipline, places: u64, labels: &[Label]) -> Option<String> {
    buffer(discipline, places, labels).is_none().then(|| {
        format!("this buffer has more than {MOST_STATES} states: use fewer places or labels, or a file that \
                 generate or bcg_graph makes")
    })
}

/// A buffer whose labels come in pairs, if it is not too large.
fn buffer(discipline: Discipline, places: u64, labels: &[Label]) -> Option<Buffer> {
    let kinds = u32::try_from(labels.len() / 2).ok()?;
    Buffer::new(discipline, places, kinds, MOST_STATES)
}

fn text(states: u64, transitions: &[(u64, &Label, u64)]) -> Word {
    let mut text = Word::of(&format!("des (0, {}, {states})", transitions.len()));
    for (from, label, to) in transitions {
        text.push_str(&format!("\n({from}, \""));
        text.push_text(&label.text);
        text.push_str(&format!("\", {to})"));
    }
    text
}
