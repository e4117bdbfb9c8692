//! Which components take part in a transition.

use std::fmt;

use hyades_equivalence::formula::Action;
use hyades_formats::{LabelId, LabelTable, StateId};

use super::Network;
use super::event::{Event, EventId};

/// What one component does in a transition of the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ComponentStep {
    /// The component.
    pub component: u32,
    /// The label in the component.
    pub label: LabelId,
    /// Its state before.
    pub source: u32,
    /// Its state after.
    pub target: u32,
}

/// What is known of an event between two states.
#[derive(Clone, Copy)]
struct Value {
    /// Whether it can happen in the first state.
    enabled: bool,
    /// Of how many components that change it makes the steps at most, if it
    /// happens by steps from the one state to the other; `None` if it cannot.
    steps: Option<u64>,
}

impl Network {
    /// The steps of components by which the whole goes from one tuple of states
    /// to another, with this label; one way if there are several, and none if
    /// there is no such transition.
    ///
    /// O(events of the label).
    pub fn explain(&self, source: &[u32], label: LabelId, target: &[u32]) -> Vec<ComponentStep> {
        let pairs = source.iter().zip(target);
        let changed = pairs.filter(|(from, to)| from != to).count() as u64;
        let roots = self.roots();
        let first = roots.partition_point(|&(l, _)| l < label);
        let own = roots[first..].iter().take_while(|&&(l, _)| l == label);
        let own: Vec<EventId> = own.map(|&(_, event)| event).collect();
        let parts = self.events().parts_of(&own, true);
        let at = |event: EventId| parts.binary_search(&event).expect("a part of the roots");
        let mut values: Vec<Value> = Vec::with_capacity(parts.len());
        for &part in &parts {
            let event = self.events().get(part);
            values.push(self.value(event, source, target, |part| values[at(part)]));
        }
        // A way makes steps of different components. So one that makes as many of
        // those that change as there are makes all of these.
        let steps = |event: EventId| values[at(event)].steps;
        match own.into_iter().find(|&root| steps(root) == Some(changed)) {
            Some(root) => self.way(root, source, target, steps),
            None => Vec::new(),
        }
    }

    fn value(
        &self,
        event: &Event,
        source: &[u32],
        target: &[u32],
        of: impl Fn(EventId) -> Value,
    ) -> Value {
        match event {
            Event::Leaf { component, label } => {
                let k = *component as usize;
                let row = self.file_of(k).lts.outgoing(StateId::new(source[k]));
                let mut own = row.filter(|&(l, _)| l == *label).peekable();
                Value {
                    enabled: own.peek().is_some(),
                    steps: own
                        .any(|(_, to)| to.get() == target[k])
                        .then_some(u64::from(source[k] != target[k])),
                }
            }
            Event::All(events) => Value {
                enabled: events.iter().all(|&e| of(e).enabled),
                steps: events.iter().map(|&e| of(e).steps).sum(),
            },
            Event::Any(events) => Value {
                enabled: events.iter().any(|&e| of(e).enabled),
                steps: events.iter().filter_map(|&e| of(e).steps).max(),
            },
            Event::Choose(count, events) => {
                let count = *count as usize;
                let best = best(count, events, |event| of(event).steps);
                Value {
                    enabled: events.iter().filter(|&&e| of(e).enabled).count() >= count,
                    steps: best.iter().map(|&event| of(event).steps).sum(),
                }
                .only_if(best.len() == count)
            }
            Event::Unless { event, guard } => {
                let (event, free) = (of(*event), !of(*guard).enabled);
                Value {
                    enabled: event.enabled && free,
                    ..event
                }
                .only_if(free)
            }
        }
    }

    /// The steps of a way that makes as many as is known to be possible.
    fn way(
        &self,
        root: EventId,
        source: &[u32],
        target: &[u32],
        steps: impl Fn(EventId) -> Option<u64>,
    ) -> Vec<ComponentStep> {
        let mut way = Vec::new();
        let mut open = vec![root];
        while let Some(event) = open.pop() {
            match self.events().get(event) {
                &Event::Leaf { component, label } => way.push(ComponentStep {
                    component,
                    label,
                    source: source[component as usize],
                    target: target[component as usize],
                }),
                Event::All(events) => open.extend(events.iter().rev()),
                Event::Any(events) => {
                    let able = events.iter().filter(|&&e| steps(e) == steps(event));
                    open.extend(able.take(1));
                }
                Event::Choose(count, events) => {
                    let best = best(*count as usize, events, &steps);
                    open.extend(best.into_iter().rev());
                }
                Event::Unless { event, .. } => open.push(*event),
            }
        }
        way
    }

    /// A step as traces show it.
    pub fn show_step(&self, step: &ComponentStep) -> String {
        let component = step.component as usize;
        format!(
            "{} {}, {} to {}",
            self.components()[component].name,
            Shown(self.file_of(component).lts.table(), step.label),
            step.source,
            step.target
        )
    }
}

impl Value {
    /// It happens by no steps unless this holds.
    fn only_if(self, holds: bool) -> Self {
        Self {
            steps: self.steps.filter(|_| holds),
            ..self
        }
    }
}

/// So many of these as make the most steps together, in their order; fewer if
/// there are not so many that make steps.
fn best(count: usize, events: &[EventId], steps: impl Fn(EventId) -> Option<u64>) -> Vec<EventId> {
    let able = events.iter().copied().enumerate();
    let mut able: Vec<(usize, EventId)> = able.filter(|&(_, e)| steps(e).is_some()).collect();
    able.sort_by_key(|&(_, event)| std::cmp::Reverse(steps(event)));
    able.truncate(count);
    able.sort_unstable();
    able.into_iter().map(|(_, event)| event).collect()
}

/// A label as SEQ has it, which is as it is between quotes; `i` if it is hidden.
/// One that SEQ or this comment cannot express is written as in formulas.
struct Shown<'a>(&'a LabelTable, LabelId);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self(table, label) = self;
        let odd = |c: char| c == '"' || (c.is_control() && c != '\t');
        match std::str::from_utf8(table.text(label)) {
            Ok(text) if !label.is_hidden() && !text.contains(odd) => write!(f, "\"{text}\""),
            _ => Action { table, label }.fmt(f),
        }
    }
}
