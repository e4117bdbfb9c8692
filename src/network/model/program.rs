//! Events evaluated in a state: guards, and choices that would be too many
//! rules.

use std::collections::HashMap;
use std::ops::ControlFlow;

use hyades_explore::ModelError;
use hyades_formats::LabelId;

use super::super::choices::{Walk, count_choices};
use super::super::event::{Event, EventId, Events};
use super::table::Table;

/// The most transitions of one event in one state: more would take long, and be
/// more than anybody can want.
const MAX_MOVES: u64 = 1 << 26;

/// Some events and all that they consist of, with numbers of their own.
pub(super) struct Program {
    events: Events,
    /// The number here of each event of the network.
    numbers: HashMap<EventId, EventId>,
}

/// What is known of the events in one state.
#[derive(Default)]
pub(crate) struct Values {
    fresh: bool,
    enabled: Vec<bool>,
    /// In how many ways events can happen; empty as long as nobody asked.
    ways: Vec<u64>,
    walk: Walk,
}

impl Values {
    /// There is another state.
    pub fn forget(&mut self) {
        self.fresh = false;
    }
}

/// What events are evaluated in.
pub(super) struct Context<'a> {
    /// The states of the components.
    pub states: &'a [u32],
    /// Their transitions.
    pub tables: &'a [Table],
    /// The number of each component's table.
    pub table_of: &'a [u32],
}

impl Context<'_> {
    pub fn targets(&self, component: u32, label: LabelId) -> &[u32] {
        let k = component as usize;
        self.tables[self.table_of[k] as usize].targets(self.states[k], label)
    }
}

impl Program {
    pub fn new(events: &Events, roots: &[EventId]) -> Self {
        let (events, numbers) = events.only(roots);
        Self { events, numbers }
    }

    /// What an event of the network is called here.
    pub fn number(&self, event: EventId) -> EventId {
        self.numbers[&event]
    }

    /// Whether an event is enabled.
    #[inline]
    pub fn is_enabled(&self, event: EventId, values: &mut Values, context: &Context<'_>) -> bool {
        if !values.fresh {
            self.evaluate(values, context);
        }
        values.enabled[event.index()]
    }

    fn evaluate(&self, values: &mut Values, context: &Context<'_>) {
        values.fresh = true;
        values.ways.clear();
        let enabled = &mut values.enabled;
        enabled.clear();
        for event in self.events.iter() {
            let of = |event: &EventId| enabled[event.index()];
            let own = match event {
                Event::Leaf { component, label } => !context.targets(*component, *label).is_empty(),
                Event::All(parts) => parts.iter().all(of),
                Event::Any(parts) => parts.iter().any(of),
                Event::Choose(count, parts) => {
                    let count = *count as usize;
                    let able = parts.iter().filter(|part| of(part));
                    able.take(count).count() == count
                }
                Event::Unless { event, guard } => of(event) && !of(guard),
            };
            enabled.push(own);
        }
    }

    /// Calls `take` with each way in which an event can happen, until it breaks:
    /// components that move, and by which labels.
    ///
    /// # Errors
    /// If there are too many.
    pub fn each_way(
        &self,
        event: EventId,
        values: &mut Values,
        context: &Context<'_>,
        mut take: impl FnMut(&[(u32, LabelId)]) -> ControlFlow<()>,
    ) -> Result<(), ModelError> {
        if !self.is_enabled(event, values, context) {
            return Ok(());
        }
        if values.ways.is_empty() {
            self.count(values, context);
        }
        let Values {
            enabled,
            ways,
            walk,
            ..
        } = values;
        if ways[event.index()] > MAX_MOVES {
            let ways = match ways[event.index()] {
                u64::MAX => "more than 10^19".to_owned(),
                ways => ways.to_string(),
            };
            return Err(ModelError::new(format!(
                "a state has {ways} transitions by one choice of components that \
                 synchronise; at most {MAX_MOVES} are possible"
            )));
        }
        let possible = |part: EventId| enabled[part.index()];
        walk.each(&self.events, event, possible, |parts, _| take(parts));
        Ok(())
    }

    /// In how many ways each event can happen.
    fn count(&self, values: &mut Values, context: &Context<'_>) {
        for (event, enabled) in self.events.iter().zip(&values.enabled) {
            let own = match enabled {
                false => 0,
                true => count_choices(
                    event,
                    |part| values.ways[part.index()],
                    |component, label| context.targets(component, label).len() as u64,
                ),
            };
            values.ways.push(own);
        }
    }
}
