//! What has to happen together for a transition of a network.

use std::collections::{HashMap, HashSet};

use hyades_formats::LabelId;

/// Something that components can do together; see [`Event`]. An index into
/// [`Events`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EventId(u32);

impl EventId {
    /// The index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What components can do together, in a state that is a tuple of their states.
///
/// An event is *enabled* if it can happen. It happens in as many ways as there
/// are choices; each way is a set of components that move, each by one of its
/// transitions, while the others stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A component moves by a transition with this label of its own.
    Leaf {
        /// Which component.
        component: u32,
        /// The label in the component.
        label: LabelId,
    },
    /// All of these happen together. They are about different components, and
    /// at least two.
    All(Vec<EventId>),
    /// One of these happens. They are at least two.
    Any(Vec<EventId>),
    /// So many of these happen together: at least two, and fewer than all. They
    /// are about different components.
    Choose(u32, Vec<EventId>),
    /// This happens, which it cannot while the guard is enabled.
    Unless {
        /// What happens.
        event: EventId,
        /// What prevents it.
        guard: EventId,
    },
}

/// All events of a network, those that others consist of before these.
#[derive(Clone, Debug, Default)]
pub struct Events {
    all: Vec<Event>,
}

impl Events {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The event itself.
    ///
    /// # Panics
    /// If it is an event of another network.
    pub fn get(&self, event: EventId) -> &Event {
        &self.all[event.index()]
    }

    /// All events, those that others consist of before these.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Event> {
        self.all.iter()
    }

    fn add(&mut self, event: Event) -> EventId {
        let id = u32::try_from(self.all.len()).expect("fewer events than bytes of text and labels");
        self.all.push(event);
        EventId(id)
    }

    /// See [`Event::Leaf`].
    pub(super) fn leaf(&mut self, component: u32, label: LabelId) -> EventId {
        self.add(Event::Leaf { component, label })
    }

    /// All of these.
    ///
    /// # Panics
    /// If there are none.
    pub(super) fn all(&mut self, events: Vec<EventId>) -> EventId {
        match events[..] {
            [one] => one,
            _ => self.add(Event::All(events)),
        }
    }

    /// One of these.
    ///
    /// # Panics
    /// If there are none.
    pub(super) fn any(&mut self, mut events: Vec<EventId>) -> EventId {
        events.sort_unstable();
        events.dedup();
        match events[..] {
            [one] => one,
            _ => self.add(Event::Any(events)),
        }
    }

    /// So many of these, at least one; `None` if there are not so many.
    pub(super) fn choose(&mut self, count: u64, events: Vec<EventId>) -> Option<EventId> {
        let n = events.len() as u64;
        Some(match count {
            _ if count > n => return None,
            1 => self.any(events),
            _ if count == n => self.all(events),
            _ => self.add(Event::Choose(count as u32, events)),
        })
    }

    /// This, unless the guard is enabled.
    pub(super) fn unless(&mut self, event: EventId, guard: EventId) -> EventId {
        self.add(Event::Unless { event, guard })
    }

    /// A copy of these events and of all that they consist of, guards included,
    /// and no others; and which event has copies which.
    pub(super) fn only(&self, roots: &[EventId]) -> (Events, HashMap<EventId, EventId>) {
        let mut copy = Events::default();
        let mut copies: HashMap<EventId, EventId> = HashMap::new();
        for part in self.parts_of(roots, true) {
            let of = |event: &EventId| copies[event];
            let all = |events: &[EventId]| events.iter().map(of).collect();
            let event = match self.get(part) {
                &Event::Leaf { component, label } => Event::Leaf { component, label },
                Event::All(events) => Event::All(all(events)),
                Event::Any(events) => Event::Any(all(events)),
                Event::Choose(count, events) => Event::Choose(*count, all(events)),
                Event::Unless { event, guard } => Event::Unless {
                    event: of(event),
                    guard: of(guard),
                },
            };
            copies.insert(part, copy.add(event));
        }
        (copy, copies)
    }

    /// These events and all that they consist of, guards included if `guards`
    /// says so; what others consist of before these.
    pub(super) fn parts_of(&self, roots: &[EventId], guards: bool) -> Vec<EventId> {
        let mut found: HashSet<EventId> = roots.iter().copied().collect();
        let mut open: Vec<EventId> = found.iter().copied().collect();
        while let Some(event) = open.pop() {
            let mut visit = |event: EventId| {
                if found.insert(event) {
                    open.push(event);
                }
            };
            match self.get(event) {
                Event::Leaf { .. } => {}
                Event::All(events) | Event::Any(events) | Event::Choose(_, events) => {
                    events.iter().copied().for_each(visit);
                }
                Event::Unless { event, guard } => {
                    visit(*event);
                    if guards {
                        visit(*guard);
                    }
                }
            }
        }
        let mut parts: Vec<_> = found.into_iter().collect();
        parts.sort_unstable();
        parts
    }
}
