//! What a guessed interface (`?` of a semi-composition) has cut, in a network.
//!
//! A component that was cut by a guess has loops `fail: LABEL` where a transition is
//! missing. In a network they take part in whatever the label would: so a rule with one
//! of them tells that the whole would do something here, had the interface not cut it.
//! Where another component takes part, or the result is hidden, the guess was wrong,
//! and exploring ends with an error. Where nobody else takes part, the environment may
//! be yet to come: the whole has a loop `fail: LABEL` for it, too.

use std::collections::HashMap;

use hyades_explore::ModelError;
use hyades_formats::LabelId;
use hyades_formats::diagnostic::excerpt;

use super::event::{Event, EventId, Events};
use super::semi_composition::cut_label;
use super::{ComponentStep, Network};

/// The label of the whole that shows that a guess was wrong.
pub(super) const WRONG: &[u8] = b"(wrong interface)";

/// What an event is made of.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Split {
    /// What happens without any `fail:`.
    pub real: Option<EventId>,
    /// A loop of one component, nobody else takes part in which.
    pub alone: Option<EventId>,
    /// Several components, at least one of them by a `fail:`.
    pub together: Option<EventId>,
}

/// What events are made of.
pub(super) struct Splits(Option<HashMap<EventId, Split>>);

impl Splits {
    /// What this event is made of, which is one of those that were asked about.
    pub fn of(&self, event: EventId) -> Split {
        match &self.0 {
            None => Split {
                real: Some(event),
                ..Split::default()
            },
            Some(splits) => splits[&event],
        }
    }
}

/// What these events are made of. `fails` says which labels of components are loops
/// `fail: LABEL`.
///
/// O(parts of events), and for each that one of them fails as many again.
pub(super) fn split(
    events: &mut Events,
    roots: &[EventId],
    fails: impl Fn(u32, LabelId) -> bool,
) -> Splits {
    let is_fail = |event: &Event| match event {
        Event::Leaf { component, label } => fails(*component, *label),
        Event::All(_) | Event::Any(_) | Event::Choose(..) | Event::Unless { .. } => false,
    };
    if !events.iter().any(is_fail) {
        return Splits(None);
    }
    let mut done: HashMap<EventId, Split> = HashMap::new();
    for part in events.parts_of(roots, false) {
        let event = events.get(part).clone();
        let split = match &event {
            Event::Leaf { .. } if is_fail(&event) => Split {
                alone: Some(part),
                ..Split::default()
            },
            Event::Leaf { .. } => Split {
                real: Some(part),
                ..Split::default()
            },
            Event::Any(parts) => {
                let mut one = |which: fn(&Split) -> Option<EventId>| {
                    let found = parts.iter().filter_map(|p| which(&done[p]));
                    let found: Vec<EventId> = found.collect();
                    (!found.is_empty()).then(|| events.any(found))
                };
                Split {
                    real: one(|s| s.real),
                    alone: one(|s| s.alone),
                    together: one(|s| s.together),
                }
            }
            Event::All(parts) => several(events, &done, parts, parts.len() as u64),
            Event::Choose(count, parts) => several(events, &done, parts, u64::from(*count)),
            Event::Unless { event, guard } => {
                let split = done[event];
                let mut one = |event: Option<EventId>| event.map(|e| events.unless(e, *guard));
                Split {
                    real: one(split.real),
                    alone: one(split.alone),
                    together: one(split.together),
                }
            }
        };
        done.insert(part, split);
    }
    Splits(Some(done))
}

/// So many of these, at least two, together.
fn several(
    events: &mut Events,
    done: &HashMap<EventId, Split>,
    parts: &[EventId],
    count: u64,
) -> Split {
    let real: Vec<EventId> = parts.iter().filter_map(|p| done[p].real).collect();
    let mut together = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let Split {
            alone,
            together: more,
            ..
        } = done[part];
        let own: Vec<EventId> = alone.into_iter().chain(more).collect();
        if own.is_empty() {
            continue;
        }
        let own = events.any(own);
        let others = [&parts[..k], &parts[k + 1..]].concat();
        // One is left out, so that there are enough.
        let others = events.choose(count - 1, others);
        let others = others.expect("at least as many as are wanted, without one of each");
        together.push(events.all(vec![own, others]));
    }
    Split {
        real: events.choose(count, real),
        alone: None,
        together: (!together.is_empty()).then(|| events.any(together)),
    }
}

impl Network {
    /// The error of a state in which a guess shows to be wrong; `steps` are what
    /// components do there, as far as that is known.
    pub(super) fn wrong_interface(&self, steps: &[ComponentStep]) -> ModelError {
        let failing = steps.iter().find_map(|step| {
            let file = self.file_of(step.component as usize);
            let text = file.lts.table().text(step.label);
            let is_fail = file.fails.contains(&step.label);
            cut_label(text)
                .filter(|_| is_fail)
                .map(|label| (step, label))
        });
        let what = match failing {
            Some((step, label)) => format!(
                "the interface of {} is wrong: it forbids {} in a state where the \
                 environment allows it",
                self.components()[step.component as usize].name,
                excerpt(label)
            ),
            None => "an interface is wrong: it forbids what its environment allows".to_owned(),
        };
        ModelError::new(format!(
            "{what}; the interface, which `?` marks as a guess, has to allow more"
        ))
    }

    /// An error if one of these labels of the whole shows that a guess is wrong.
    pub(super) fn refuse_wrong(&self, labels: &[LabelId]) -> Result<(), ModelError> {
        match self.wrong {
            Some(wrong) if labels.contains(&wrong) => Err(self.wrong_interface(&[])),
            _ => Ok(()),
        }
    }
}
