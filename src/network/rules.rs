//! Rules: what a network does, without structure.

use std::collections::HashMap;

use hyades_formats::LabelId;

use super::event::{Event, EventId, Events, ways_to_choose};

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
pub(super) struct Limits {
    /// The most rules that one choice (`n` among `m`) becomes.
    pub of_event: u64,
    /// The most rules that one label becomes, its alternatives together.
    pub of_label: u64,
    /// The most parts that all rules have together.
    pub parts: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            of_event: 1 << 10,
            of_label: 1 << 20,
            parts: 1 << 24,
        }
    }
}

/// The parts and guards of a rule that is being made.
type Partial = (Vec<(u32, LabelId)>, Vec<EventId>);

impl RuleSet {
    /// The rules for these events.
    ///
    /// O(events + rules).
    pub(super) fn new(events: &Events, roots: &[(LabelId, EventId)], limits: &Limits) -> Self {
        let ways = ways(events);
        let mut set = RuleSet::default();
        let mut parts = 0;
        for &(label, root) in roots {
            if ways[root.index()] > limits.of_label {
                set.rest.push((label, root));
                continue;
            }
            // The alternatives one by one, in their order.
            let mut open = vec![root];
            while let Some(event) = open.pop() {
                if let Event::Any(events) = events.get(event) {
                    open.extend(events.iter().rev());
                } else if ways[event.index()] > limits.of_event || parts > limits.parts {
                    set.rest.push((label, event));
                } else {
                    for (own, guards) in partials(events, event) {
                        parts += own.len() as u64;
                        set.rules.push(Rule {
                            label,
                            parts: own,
                            guards,
                        });
                    }
                }
            }
        }
        set.drop_duplicates();
        set
    }

    /// The same rule twice does no more than once.
    fn drop_duplicates(&mut self) {
        let mut seen = std::collections::HashSet::new();
        self.rules.retain(|rule| seen.insert(rule.clone()));
        self.rest.dedup();
    }
}

/// For each event, how many rules it would become; at most `u64::MAX`.
fn ways(events: &Events) -> Vec<u64> {
    let mut ways: Vec<u64> = Vec::with_capacity(events.len());
    for event in events.iter() {
        let of = |event: &EventId| ways[event.index()];
        let own = match event {
            Event::Leaf { .. } => 1,
            Event::All(events) => events.iter().map(of).fold(1, u64::saturating_mul),
            Event::Any(events) => events.iter().map(of).fold(0, u64::saturating_add),
            Event::Choose(count, events) => ways_to_choose(*count as usize, events.iter().map(of)),
            Event::Unless { event, .. } => of(event),
        };
        ways.push(own);
    }
    ways
}

/// All rules that an event becomes.
fn partials(events: &Events, root: EventId) -> Vec<Partial> {
    if let Event::Leaf { component, label } = *events.get(root) {
        return vec![(vec![(component, label)], Vec::new())];
    }
    let mut done: HashMap<EventId, Vec<Partial>> = HashMap::new();
    for event in events.parts_of(&[root], false) {
        let own = match events.get(event) {
            Event::Leaf { component, label } => vec![(vec![(*component, *label)], Vec::new())],
            Event::All(parts) => choices(parts.len(), parts, &done),
            Event::Any(parts) => parts.iter().flat_map(|part| done[part].clone()).collect(),
            Event::Choose(count, parts) => choices(*count as usize, parts, &done),
            Event::Unless { event, guard } => {
                let mut own = done[event].clone();
                for (_, guards) in &mut own {
                    guards.push(*guard);
                    guards.sort_unstable();
                    guards.dedup();
                }
                own
            }
        };
        done.insert(event, own);
    }
    let mut own = done.remove(&root).expect("an event is a part of itself");
    for (parts, _) in &mut own {
        parts.sort_unstable();
    }
    own
}

/// All ways in which `count` of these happen together.
fn choices(count: usize, parts: &[EventId], done: &HashMap<EventId, Vec<Partial>>) -> Vec<Partial> {
    // Entry k: the ways in which k of those so far happen.
    let mut some: Vec<Vec<Partial>> = vec![Vec::new(); count + 1];
    some[0].push(Partial::default());
    for (number, part) in parts.iter().enumerate() {
        let left = parts.len() - number - 1;
        for k in (1..=count.min(number + 1)).rev() {
            let with: Vec<Partial> = some[k - 1]
                .iter()
                .flat_map(|so_far| done[part].iter().map(|own| joined(so_far, own)))
                .collect();
            some[k].extend(with);
        }
        // What cannot become enough any more.
        for few in some.iter_mut().take(count.saturating_sub(left)) {
            few.clear();
        }
    }
    some.pop().expect("an entry for each number up to count")
}

fn joined(one: &Partial, other: &Partial) -> Partial {
    let mut guards = [&one.1[..], &other.1].concat();
    guards.sort_unstable();
    guards.dedup();
    ([&one.0[..], &other.0].concat(), guards)
}
