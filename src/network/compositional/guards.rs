//! Events of a network whose components change: what guards look at, and copies
//! of events for other components.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use hyades_formats::{LabelId, Lts, LtsBuilder, TooLarge};

use super::super::Network;
use super::super::components::ComponentFile;
use super::super::event::{Event, EventId, Events};
use super::garbage::drop_unused;

/// Which guards are about the components of a set alone.
pub(super) struct Inside {
    events: HashSet<EventId>,
}

impl Inside {
    pub fn new(network: &Network, set: &[u32]) -> Self {
        let events = &network.events;
        let mut roots = guards(network);
        roots.sort_unstable();
        roots.dedup();
        let mut inside = HashSet::new();
        for event in events.parts_of(&roots, true) {
            let is_inside = match events.get(event) {
                Event::Leaf { component, .. } => set.binary_search(component).is_ok(),
                other @ (Event::All(_)
                | Event::Any(_)
                | Event::Choose(..)
                | Event::Unless { .. }) => children(other).all(|child| inside.contains(&child)),
            };
            if is_inside {
                inside.insert(event);
            }
        }
        Self { events: inside }
    }

    pub fn has(&self, event: EventId) -> bool {
        self.events.contains(&event)
    }

    /// The largest parts of these events that are inside, in their order.
    pub fn tops(&self, events: &Events, mut open: Vec<EventId>) -> Vec<EventId> {
        let mut found = BTreeSet::new();
        let mut seen: HashSet<EventId> = HashSet::new();
        while let Some(event) = open.pop() {
            if self.has(event) {
                found.insert(event);
            } else if seen.insert(event) {
                open.extend(children(events.get(event)));
            }
        }
        found.into_iter().collect()
    }
}

/// What an event consists of directly, guards included.
fn children(event: &Event) -> impl Iterator<Item = EventId> + '_ {
    let (many, pair): (&[EventId], [Option<EventId>; 2]) = match event {
        Event::Leaf { .. } => (&[], [None; 2]),
        Event::All(parts) | Event::Any(parts) | Event::Choose(_, parts) => (parts, [None; 2]),
        Event::Unless { event, guard } => (&[], [Some(*event), Some(*guard)]),
    };
    many.iter().copied().chain(pair.into_iter().flatten())
}

/// The parts of what did not become rules, without those of guards.
pub(super) fn parts_of_rest(network: &Network) -> Vec<EventId> {
    network.events.parts_of(&rest(network), false)
}

/// What did not become rules.
fn rest(network: &Network) -> Vec<EventId> {
    network.rules.rest.iter().map(|&(_, e)| e).collect()
}

/// The outermost guards of a network.
fn guards(network: &Network) -> Vec<EventId> {
    let mut guards = guards_of(&network.events, &rest(network));
    guards.extend(network.rules.rules.iter().flat_map(|rule| &rule.guards));
    guards
}

/// The outermost guards in these events.
pub(super) fn guards_of(events: &Events, roots: &[EventId]) -> Vec<EventId> {
    let parts = events.parts_of(roots, false).into_iter();
    let guards = parts.filter_map(|part| match *events.get(part) {
        Event::Unless { guard, .. } => Some(guard),
        Event::Leaf { .. } | Event::All(_) | Event::Any(_) | Event::Choose(..) => None,
    });
    guards.collect()
}

/// What [`rebuilt`] asks about an event, and for a leaf about its component and
/// label: `Some` for what it becomes, if anything can be.
pub(super) type Replace<'a> =
    dyn Fn(&mut Events, EventId, Option<(u32, LabelId)>) -> Option<Option<EventId>> + 'a;

/// Copies events into others, with some replaced; `None` for those that can
/// never be enabled. Without `guards`, these are guards, of which it only matters
/// whether they are enabled; otherwise the guards that they have are there.
pub(super) fn rebuilt(
    old: &Events,
    new: &mut Events,
    roots: &[EventId],
    guards: Option<&HashMap<EventId, Option<EventId>>>,
    replace: &Replace<'_>,
) -> HashMap<EventId, Option<EventId>> {
    let mut done: HashMap<EventId, Option<EventId>> = HashMap::new();
    let mut roots = roots.to_vec();
    roots.sort_unstable();
    roots.dedup();
    for event in old.parts_of(&roots, guards.is_none()) {
        let leaf = match *old.get(event) {
            Event::Leaf { component, label } => Some((component, label)),
            Event::All(_) | Event::Any(_) | Event::Choose(..) | Event::Unless { .. } => None,
        };
        let own = replace(new, event, leaf).unwrap_or_else(|| match old.get(event) {
            Event::Leaf { component, label } => Some(new.leaf(*component, *label)),
            Event::All(parts) => {
                let parts: Option<Vec<_>> = parts.iter().map(|part| done[part]).collect();
                parts.map(|parts| new.all(parts))
            }
            Event::Any(parts) => {
                let parts: Vec<_> = parts.iter().filter_map(|part| done[part]).collect();
                (!parts.is_empty()).then(|| new.any(parts))
            }
            Event::Choose(count, parts) => {
                let parts = parts.iter().filter_map(|part| done[part]).collect();
                new.choose(u64::from(*count), parts)
            }
            Event::Unless { event, guard } => {
                let guard = guards.unwrap_or(&done)[guard];
                done[event].map(|event| match guard {
                    Some(guard) => new.unless(event, guard),
                    None => event,
                })
            }
        });
        done.insert(event, own);
    }
    done
}

/// The same network, in which guards look at loops that are there for them
/// alone: so what they look at is not changed by what else becomes of labels.
///
/// # Errors
/// If there are too many labels or transitions then.
pub(super) fn with_loops(mut network: Network) -> Result<Network, TooLarge> {
    let roots = guards(&network);
    if roots.is_empty() {
        return Ok(network);
    }
    let mut looked_at: BTreeMap<u32, BTreeMap<LabelId, LabelId>> = BTreeMap::new();
    for part in network.events.parts_of(&roots, true) {
        if let Event::Leaf { component, label } = *network.events.get(part) {
            let own = looked_at.entry(component).or_default();
            own.insert(label, LabelId::HIDDEN);
        }
    }
    // Components that look the same still do.
    type Loops = (usize, BTreeMap<LabelId, LabelId>);
    let mut known: HashMap<(usize, Vec<LabelId>), Loops> = HashMap::new();
    for (&k, labels) in &mut looked_at {
        let old = network.components[k as usize].file;
        let key = (old, labels.keys().copied().collect());
        if let Some((file, own)) = known.get(&key) {
            network.components[k as usize].file = *file;
            labels.clone_from(own);
            continue;
        }
        let file = &network.files[old];
        let lts = loops(&file.lts, labels)?;
        let file = ComponentFile::new(&file.written.clone(), file.path.clone(), lts);
        network.files.push(Arc::new(file));
        let new = network.files.len() - 1;
        network.components[k as usize].file = new;
        known.insert(key, (new, labels.clone()));
    }
    let rest = rest(&network);
    let old = std::mem::take(&mut network.events);
    let mut new = Events::default();
    let guards = rebuilt(&old, &mut new, &roots, None, &|new, _, leaf| {
        let (k, label) = leaf?;
        Some(Some(new.leaf(k, looked_at[&k][&label])))
    });
    let moves = rebuilt(&old, &mut new, &rest, Some(&guards), &|_, _, _| None);
    for guard in network.rules.rules.iter_mut().flat_map(|r| &mut r.guards) {
        *guard = guards[guard].expect("guards that components can enable");
    }
    for (_, event) in &mut network.rules.rest {
        *event = moves[event].expect("no part was taken away");
    }
    network.events = new;
    drop_unused(&mut network);
    Ok(network)
}

/// The LTS with loops in the states that have these labels; which labels the
/// loops have is filled in.
fn loops(lts: &Lts, labels: &mut BTreeMap<LabelId, LabelId>) -> Result<Lts, TooLarge> {
    let mut table = lts.table().clone();
    for (&label, own) in labels.iter_mut() {
        let mut text = match label.is_hidden() {
            true => b"? i".to_vec(),
            false => [b"? ", table.text(label)].concat(),
        };
        while table.find(&text).is_some() {
            text.push(b'\'');
        }
        *own = table.intern(&text)?;
    }
    let mut builder = LtsBuilder::with_table(lts.states() as u64, table);
    for (s, label, t) in lts.iter() {
        builder.add(s, label, t);
        if let Some(&own) = labels.get(&label) {
            builder.add(s, own, s);
        }
    }
    builder.build(lts.initial())
}
