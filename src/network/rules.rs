//! Rules: what a network does, without structure.

use std::collections::HashSet;
use std::ops::ControlFlow;

use hyades_formats::LabelId;

use super::choices::{Walk, count_choices};
use super::event::{Event, EventId, Events};

/// A transition of the whole: components that move together, each by one of its
/// own labels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// The label of the whole.
    pub label: LabelId,
    /// Components and their labels, sorted by component; at least one.
    pub parts: Vec<(u32, LabelId)>,
    /// Events that must not be enabled.
    pub guards: Vec<EventId>,
}

/// All that a network does.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// As rules, in the order of their labels.
    pub rules: Vec<Rule>,
    /// What would be too many rules: labels and events that remain to be
    /// evaluated in each state.
    pub rest: Vec<(LabelId, EventId)>,
}

/// How many rules events may become.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The most rules that one choice (`n` among `m`) becomes.
    pub of_event: u64,
    /// The most rules that one label becomes, its alternatives together.
    pub of_label: u64,
    /// The most parts and guards that all rules have together.
    pub parts: u64,
}

impl Limits {
    /// The limits for so many events. There may be some more rules than events,
    /// but not many more unless both are few.
    pub fn of(events: &Events) -> Self {
        let events = events.len() as u64;
        Self {
            of_event: 1 << 10,
            of_label: (1 << 18).max(4 * events),
            parts: (1 << 22).max(16 * events),
        }
    }
}

/// How much an event becomes.
#[derive(Clone, Copy)]
struct Extent {
    /// How many rules.
    ways: u64,
    /// The most parts and guards that one of them may have.
    width: u64,
}

impl RuleSet {
    /// The rules for these events, which are sorted by label.
    ///
    /// O(events + parts of rules).
    pub(super) fn new(events: &Events, roots: &[(LabelId, EventId)], limits: &Limits) -> Self {
        let extents = extents(events);
        let of = |event: EventId| extents[event.index()];
        let mut set = RuleSet::default();
        let mut walk = Walk::default();
        let mut size = 0u64;
        for group in roots.chunk_by(|a, b| a.0 == b.0) {
            let label = group[0].0;
            let ways = group.iter().map(|root| of(root.1).ways);
            let few = ways.fold(0, u64::saturating_add) <= limits.of_label;
            // The alternatives one by one, in their order.
            let mut open: Vec<EventId> = group.iter().rev().map(|root| root.1).collect();
            while let Some(event) = open.pop() {
                if let (true, Event::Any(events)) = (few, events.get(event)) {
                    open.extend(events.iter().rev());
                    continue;
                }
                let Extent { ways, width } = of(event);
                let after = size.saturating_add(ways.saturating_mul(width));
                let most = if few { limits.of_event } else { 1 };
                if ways > most || after > limits.parts {
                    set.rest.push((label, event));
                    continue;
                }
                size = after;
                walk.each(
                    events,
                    event,
                    |_| true,
                    |parts, guards| {
                        let (mut parts, mut guards) = (parts.to_vec(), guards.to_vec());
                        parts.sort_unstable();
                        guards.sort_unstable();
                        guards.dedup();
                        set.rules.push(Rule {
                            label,
                            parts,
                            guards,
                        });
                        ControlFlow::Continue(())
                    },
                );
            }
        }
        set.drop_duplicates();
        set
    }

    /// The same rule twice does no more than once.
    fn drop_duplicates(&mut self) {
        let mut seen = HashSet::with_capacity(self.rules.len());
        let new: Vec<bool> = self.rules.iter().map(|rule| seen.insert(rule)).collect();
        let mut new = new.into_iter();
        self.rules
            .retain(|_| new.next().expect("an entry for each rule"));
        let mut seen = HashSet::new();
        self.rest.retain(|&rest| seen.insert(rest));
    }
}

fn extents(events: &Events) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::with_capacity(events.len());
    for event in events.iter() {
        let width = |part: &EventId| extents[part.index()].width;
        let own = Extent {
            ways: count_choices(event, |part| extents[part.index()].ways, |_, _| 1),
            width: match event {
                Event::Leaf { .. } => 1,
                Event::All(parts) => parts.iter().map(width).fold(0, u64::saturating_add),
                Event::Any(parts) => parts.iter().map(width).max().unwrap_or(0),
                Event::Choose(count, parts) => {
                    let largest = parts.iter().map(width).max().unwrap_or(0);
                    largest.saturating_mul(u64::from(*count))
                }
                Event::Unless { event, .. } => width(event).saturating_add(1),
            },
        };
        extents.push(own);
    }
    extents
}
