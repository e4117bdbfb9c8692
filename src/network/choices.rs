//! In which ways events happen.

use std::ops::ControlFlow;

use hyades_formats::LabelId;

use super::event::{Event, EventId, Events};

/// Memory to go through the ways of an event in.
///
/// What is yet to happen is a list of items; where there are alternatives, lists
/// go on differently but share their ends, so that nothing is copied and nesting
/// costs nothing.
#[derive(Default)]
pub(super) struct Walk {
    cells: Vec<Cell>,
    /// Parts of choices that can happen.
    able: Vec<EventId>,
    turns: Vec<Turn>,
    parts: Vec<(u32, LabelId)>,
    guards: Vec<EventId>,
}

/// An item of a list, and the number of the cell behind it.
#[derive(Clone, Copy)]
struct Cell {
    item: Item,
    next: u32,
}

/// What is yet to happen.
#[derive(Clone, Copy)]
enum Item {
    Event(EventId),
    /// So many of a range of `able`: at least one, and no more than there are.
    Some {
        count: u32,
        from: u32,
        to: u32,
    },
}

/// The end of lists.
const END: u32 = u32::MAX;

/// Where it can go on otherwise: with another list, and as much of everything
/// else as there was.
struct Turn {
    list: u32,
    cells: usize,
    able: usize,
    parts: usize,
    guards: usize,
}

impl Walk {
    /// Calls `take` with each way in which an event that is possible can happen,
    /// until it breaks: leaves that happen together, and guards on the way, in the
    /// order in which events name them. `possible` must say of the parts of events
    /// whether they are possible, so that there are no dead ends.
    ///
    /// O(leaves and guards of all ways + parts of all choices on the way); for
    /// a choice of `count`, O(`count`) for each way.
    pub fn each(
        &mut self,
        events: &Events,
        root: EventId,
        possible: impl Fn(EventId) -> bool,
        mut take: impl FnMut(&[(u32, LabelId)], &[EventId]) -> ControlFlow<()>,
    ) {
        self.cells.clear();
        self.turns.clear();
        self.able.clear();
        self.parts.clear();
        self.guards.clear();
        let mut list = self.put(Item::Event(root), END);
        loop {
            while list != END {
                let Cell { item, next } = self.cells[list as usize];
                list = match item {
                    Item::Event(event) => self.begin(events, event, next, &possible),
                    Item::Some { count, from, to } => self.go_on(count, from, to, next),
                };
            }
            if take(&self.parts, &self.guards).is_break() {
                return;
            }
            let Some(turn) = self.turns.pop() else {
                return;
            };
            self.cells.truncate(turn.cells);
            self.able.truncate(turn.able);
            self.parts.truncate(turn.parts);
            self.guards.truncate(turn.guards);
            list = turn.list;
        }
    }

    fn put(&mut self, item: Item, next: u32) -> u32 {
        let number = u32::try_from(self.cells.len()).expect("fewer cells than parts of events");
        self.cells.push(Cell { item, next });
        number
    }

    /// An event happens; the list then.
    fn begin(
        &mut self,
        events: &Events,
        event: EventId,
        next: u32,
        possible: &impl Fn(EventId) -> bool,
    ) -> u32 {
        let (count, parts) = match events.get(event) {
            &Event::Leaf { component, label } => {
                self.parts.push((component, label));
                return next;
            }
            Event::All(parts) => {
                let parts = parts.iter().rev();
                return parts.fold(next, |list, &part| self.put(Item::Event(part), list));
            }
            Event::Any(parts) => (1, parts),
            Event::Choose(count, parts) => (*count, parts),
            Event::Unless { event, guard } => {
                self.guards.push(*guard);
                return self.put(Item::Event(*event), next);
            }
        };
        let from = self.able.len() as u32;
        self.able
            .extend(parts.iter().copied().filter(|&part| possible(part)));
        self.go_on(count, from, self.able.len() as u32, next)
    }

    /// So many of these happen, the first of them if there is a choice; without
    /// it, another time. The list then.
    fn go_on(&mut self, count: u32, from: u32, to: u32, next: u32) -> u32 {
        let first = Item::Event(self.able[from as usize]);
        let from = from + 1;
        if count <= to - from {
            let list = self.put(Item::Some { count, from, to }, next);
            self.turns.push(Turn {
                list,
                cells: self.cells.len(),
                able: self.able.len(),
                parts: self.parts.len(),
                guards: self.guards.len(),
            });
        }
        let rest = match count {
            1 => next,
            count => self.put(
                Item::Some {
                    count: count - 1,
                    from,
                    to,
                },
                next,
            ),
        };
        self.put(first, rest)
    }
}

/// In how many ways an event happens, if that is known of what it consists of;
/// at most `u64::MAX`. Guards do not count.
pub(super) fn count_choices(
    event: &Event,
    of: impl Fn(EventId) -> u64,
    leaf: impl Fn(u32, LabelId) -> u64,
) -> u64 {
    let all = |parts: &[EventId]| -> Vec<u64> { parts.iter().map(|&part| of(part)).collect() };
    match event {
        Event::Leaf { component, label } => leaf(*component, *label),
        Event::All(parts) => all(parts).into_iter().fold(1, u64::saturating_mul),
        Event::Any(parts) => all(parts).into_iter().fold(0, u64::saturating_add),
        Event::Choose(count, parts) => ways_to_choose(*count as usize, &all(parts)),
        Event::Unless { event, .. } => of(*event),
    }
}

/// In how many ways `count` of some things can happen together that happen in
/// so many ways each; at most `u64::MAX`. O(things · count).
fn ways_to_choose(count: usize, ways: &[u64]) -> u64 {
    // Entry k: in how many ways k of those so far happen.
    let mut sums = vec![0u64; count + 1];
    sums[0] = 1;
    for &ways in ways {
        for k in (1..=count).rev() {
            sums[k] = sums[k].saturating_add(sums[k - 1].saturating_mul(ways));
        }
    }
    sums[count]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn each(events: &Events, root: EventId, impossible: &[EventId]) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let mut walk = Walk::default();
        let possible = |event| !impossible.contains(&event);
        walk.each(events, root, possible, |parts, guards| {
            let components = parts.iter().map(|part| part.0);
            let guards = guards.iter().map(|guard| 100 + guard.index() as u32);
            found.push(components.chain(guards).collect());
            ControlFlow::Continue(())
        });
        found
    }

    #[test]
    fn choices_within_choices() {
        let mut events = Events::default();
        let leaf: Vec<EventId> = (0..5).map(|k| events.leaf(k, LabelId::new(1))).collect();
        let two = events.choose(2, leaf[..4].to_vec()).unwrap();
        assert_eq!(
            each(&events, two, &[]),
            [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
        );
        assert_eq!(each(&events, two, &[leaf[1], leaf[3]]), [[0, 2]]);
        let one = events.any(vec![leaf[0], leaf[1]]);
        let other = events.any(vec![leaf[2], leaf[3]]);
        let guarded = events.unless(other, leaf[4]);
        let both = events.all(vec![one, guarded]);
        assert_eq!(
            each(&events, both, &[]),
            [[0, 2, 104], [0, 3, 104], [1, 2, 104], [1, 3, 104]]
        );
        assert_eq!(each(&events, both, &[leaf[2]]), [[0, 3, 104], [1, 3, 104]]);
        let either = events.any(vec![both, leaf[4]]);
        assert_eq!(each(&events, either, &[]).len(), 5);
        assert_eq!(each(&events, leaf[4], &[]), [[4]]);
    }

    #[test]
    fn ways_that_are_left_early_can_be_gone_through_again() {
        let mut events = Events::default();
        let leaves = (0..4).map(|k| events.leaf(k, LabelId::new(1))).collect();
        let root = events.choose(2, leaves).unwrap();
        let mut walk = Walk::default();
        for most in [1, 4, 6] {
            let mut found = 0;
            walk.each(
                &events,
                root,
                |_| true,
                |_, _| {
                    found += 1;
                    match found == most {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                },
            );
            assert_eq!(found, most);
        }
    }

    #[test]
    fn counted_as_they_are_gone_through() {
        let mut events = Events::default();
        let pairs: Vec<EventId> = (0..6)
            .map(|k| {
                let pair = (0..2).map(|j| events.leaf(2 * k + j, LabelId::new(1)));
                let pair = pair.collect();
                events.any(pair)
            })
            .collect();
        for count in 1..=6 {
            let root = events.choose(count, pairs.clone()).unwrap();
            let mut known: Vec<u64> = Vec::new();
            for event in events.iter() {
                known.push(count_choices(event, |part| known[part.index()], |_, _| 1));
            }
            let found = each(&events, root, &[]);
            assert_eq!(found.len() as u64, known[root.index()]);
            let distinct: std::collections::BTreeSet<_> = found.into_iter().collect();
            assert_eq!(distinct.len() as u64, known[root.index()]);
        }
    }
}
