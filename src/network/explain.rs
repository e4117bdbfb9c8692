//! Which components take part in a transition.

use std::fmt;

use hyades_formats::{LabelId, LabelTable};

use super::Network;
use super::event::{Event, EventId};

/// What one component does in a transition of the whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Step {
    /// The component.
    pub component: u32,
    /// The label in the component.
    pub label: LabelId,
    /// Its state before.
    pub source: u32,
    /// Its state after.
    pub target: u32,
}

/// What is known of an event between two states: the steps that are a way in
/// which it happens and leads from one to the other, as far as its components are
/// concerned; and whether it is enabled at all.
struct Value {
    way: Option<Vec<Step>>,
    enabled: bool,
    /// The components that it is about, and that change, sorted.
    changed: Vec<u32>,
}

impl Network {
    /// The steps of components by which the whole goes from one tuple of states
    /// to another, with this label; one way if there are several, and none if
    /// there is no such transition.
    ///
    /// O(events of the label · components).
    pub fn explain(&self, source: &[u32], label: LabelId, target: &[u32]) -> Vec<Step> {
        let moved = |k: &u32| source[*k as usize] != target[*k as usize];
        let all: Vec<u32> = (0..source.len() as u32).filter(moved).collect();
        let roots = self.roots();
        let first = roots.partition_point(|&(l, _)| l < label);
        let own = roots[first..].iter().take_while(|&&(l, _)| l == label);
        for &(_, root) in own {
            let value = self.value(root, source, target);
            if value.changed == all
                && let Some(way) = value.way
            {
                return way;
            }
        }
        Vec::new()
    }

    fn value(&self, root: EventId, source: &[u32], target: &[u32]) -> Value {
        let parts = self.events().parts_of(&[root], true);
        let at = |event: &EventId| parts.binary_search(event).expect("a part of the root");
        let mut values: Vec<Value> = Vec::with_capacity(parts.len());
        for &part in &parts {
            let of = |event: &EventId| &values[at(event)];
            let union = |events: &[EventId]| {
                let mut all: Vec<u32> = events.iter().flat_map(|e| of(e).changed.clone()).collect();
                all.sort_unstable();
                all.dedup();
                all
            };
            let value = match self.events().get(part) {
                Event::Leaf { component, label } => leaf(self, *component, *label, source, target),
                Event::All(events) => Value {
                    way: events
                        .iter()
                        .map(|e| of(e).way.clone())
                        .collect::<Option<Vec<_>>>()
                        .map(|ways| ways.concat()),
                    enabled: events.iter().all(|e| of(e).enabled),
                    changed: union(events),
                },
                Event::Any(events) => {
                    let changed = union(events);
                    // What the others are about must not change.
                    let able = events.iter().map(of).filter(|v| v.changed == changed);
                    Value {
                        way: able.flat_map(|v| v.way.clone()).next(),
                        enabled: events.iter().any(|e| of(e).enabled),
                        changed,
                    }
                }
                Event::Choose(count, events) => {
                    let count = *count as usize;
                    // Those that change take part; others may.
                    let (must, may): (Vec<&Value>, Vec<&Value>) =
                        events.iter().map(of).partition(|v| !v.changed.is_empty());
                    let loops = may.iter().filter_map(|v| v.way.clone());
                    let ways: Option<Vec<_>> = must.iter().map(|v| v.way.clone()).collect();
                    let way = ways
                        .filter(|ways| ways.len() <= count)
                        .and_then(|mut ways| {
                            let missing = count - ways.len();
                            ways.extend(loops.take(missing));
                            (ways.len() == count).then(|| ways.concat())
                        });
                    Value {
                        way,
                        enabled: events.iter().filter(|e| of(e).enabled).count() >= count,
                        changed: union(events),
                    }
                }
                Event::Unless { event, guard } => {
                    let (event, free) = (of(event), !of(guard).enabled);
                    Value {
                        way: event.way.clone().filter(|_| free),
                        enabled: event.enabled && free,
                        changed: event.changed.clone(),
                    }
                }
            };
            values.push(value);
        }
        values.pop().expect("the root is a part of itself")
    }

    /// A step as traces show it.
    pub fn show_step(&self, step: &Step) -> String {
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

fn leaf(
    network: &Network,
    component: u32,
    label: LabelId,
    source: &[u32],
    target: &[u32],
) -> Value {
    let k = component as usize;
    let step = Step {
        component,
        label,
        source: source[k],
        target: target[k],
    };
    let lts = &network.file_of(k).lts;
    let row = lts.outgoing(hyades_formats::StateId::new(step.source));
    let mut enabled = false;
    let mut way = None;
    for (_, to) in row.filter(|&(l, _)| l == label) {
        enabled = true;
        if to.get() == step.target {
            way = Some(vec![step]);
        }
    }
    Value {
        way,
        enabled,
        changed: match step.source == step.target {
            true => Vec::new(),
            false => vec![component],
        },
    }
}

/// A label between quotes, in one line, or `i`.
struct Shown<'a>(&'a LabelTable, LabelId);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1.is_hidden() {
            return f.write_str("i");
        }
        write!(f, "\"{}\"", self.0.text(self.1).escape_ascii())
    }
}
