//! Events evaluated in a state: guards, and choices that would be too many
//! rules.

use std::collections::HashMap;

use super::super::event::{Event, EventId, Events, ways_to_choose};
use super::table::Table;
use crate::explore::ModelError;
use crate::explore::pack::{Field, flip_in};

/// The most transitions of one event in one state; they are held at the same
/// time.
const MAX_MOVES: u64 = 1 << 26;

/// Some events and all that they consist of.
pub(super) struct Program {
    nodes: Vec<Event>,
    /// The number of each event among the nodes.
    numbers: HashMap<EventId, u32>,
    /// Words in a packed state.
    words: usize,
}

/// What is known of the nodes in one state.
#[derive(Default)]
pub(in crate::network) struct Values {
    fresh: bool,
    enabled: Vec<bool>,
    ways: Vec<u64>,
    needed: Vec<bool>,
    /// Changes to the packed state, so many words each.
    moves: Vec<Vec<u64>>,
}

impl Values {
    /// There is another state.
    pub fn forget(&mut self) {
        self.fresh = false;
    }
}

/// What nodes are evaluated in.
pub(super) struct Context<'a> {
    /// The states of the components.
    pub states: &'a [u32],
    /// Their fields.
    pub fields: &'a [Field],
    /// Their transitions.
    pub tables: &'a [Table],
    /// The number of each component's table.
    pub table_of: &'a [u32],
}

impl Context<'_> {
    pub fn targets(&self, component: u32, label: hyades_formats::LabelId) -> &[u32] {
        let k = component as usize;
        self.tables[self.table_of[k] as usize].targets(self.states[k], label)
    }
}

impl Program {
    pub fn new(events: &Events, roots: &[EventId], words: usize) -> Self {
        let parts = events.parts_of(roots, true);
        let numbers: HashMap<EventId, u32> = parts.iter().copied().zip(0..).collect();
        Self {
            nodes: parts.iter().map(|&part| events.get(part).clone()).collect(),
            numbers,
            words,
        }
    }

    /// What an event is called here.
    pub fn number(&self, event: EventId) -> u32 {
        self.numbers[&event]
    }

    fn at(&self, event: EventId) -> usize {
        self.numbers[&event] as usize
    }

    /// Whether a node is enabled.
    #[inline]
    pub fn is_enabled(&self, node: u32, values: &mut Values, context: &Context<'_>) -> bool {
        if !values.fresh {
            self.evaluate(values, context);
        }
        values.enabled[node as usize]
    }

    fn evaluate(&self, values: &mut Values, context: &Context<'_>) {
        values.fresh = true;
        let mut enabled = std::mem::take(&mut values.enabled);
        enabled.clear();
        for node in &self.nodes {
            let of = |event: &EventId| enabled[self.at(*event)];
            enabled.push(match node {
                Event::Leaf { component, label } => !context.targets(*component, *label).is_empty(),
                Event::All(parts) => parts.iter().all(of),
                Event::Any(parts) => parts.iter().any(of),
                Event::Choose(count, parts) => {
                    parts
                        .iter()
                        .filter(|part| of(part))
                        .take(*count as usize)
                        .count()
                        == *count as usize
                }
                Event::Unless { event, guard } => of(event) && !of(guard),
            });
        }
        values.enabled = enabled;
    }

    /// Calls `take` with each way in which a node can happen, as changes to the
    /// packed state.
    ///
    /// # Errors
    /// If there are too many.
    pub fn moves(
        &self,
        node: u32,
        values: &mut Values,
        context: &Context<'_>,
        mut take: impl FnMut(&[u64]),
    ) -> Result<(), ModelError> {
        if !self.is_enabled(node, values, context) {
            return Ok(());
        }
        let node = node as usize;
        self.count(node, values, context);
        if values.ways[node] > MAX_MOVES {
            let ways = match values.ways[node] {
                u64::MAX => "more than 10^19".to_owned(),
                ways => ways.to_string(),
            };
            return Err(ModelError::new(format!(
                "a state has {ways} transitions by one choice of components that \
                 synchronise; at most {MAX_MOVES} are possible"
            )));
        }
        self.mark_needed(node, values);
        for number in 0..=node {
            if values.needed[number] {
                let moves = self.moves_of(number, values, context);
                values.moves[number] = moves;
            }
        }
        for change in values.moves[node].chunks(self.words) {
            take(change);
        }
        // What is large is not kept.
        values.moves.clear();
        Ok(())
    }

    /// In how many ways each node up to this one can happen.
    fn count(&self, last: usize, values: &mut Values, context: &Context<'_>) {
        let mut ways = std::mem::take(&mut values.ways);
        ways.clear();
        for (number, node) in self.nodes[..=last].iter().enumerate() {
            let of = |event: &EventId| ways[self.at(*event)];
            let own = match node {
                _ if !values.enabled[number] => 0,
                Event::Leaf { component, label } => {
                    context.targets(*component, *label).len() as u64
                }
                Event::All(parts) => parts.iter().map(of).fold(1, u64::saturating_mul),
                Event::Any(parts) => parts.iter().map(of).fold(0, u64::saturating_add),
                Event::Choose(count, parts) => {
                    ways_to_choose(*count as usize, parts.iter().map(of))
                }
                Event::Unless { event, .. } => of(event),
            };
            ways.push(own);
        }
        values.ways = ways;
    }

    /// Marks the nodes whose ways are part of those of this one, so that no
    /// others are listed, of which there might be far more.
    fn mark_needed(&self, node: usize, values: &mut Values) {
        let Values {
            needed,
            enabled,
            moves,
            ..
        } = values;
        needed.clear();
        needed.resize(node + 1, false);
        needed[node] = true;
        moves.resize(node + 1, Vec::new());
        for number in (0..=node).rev() {
            if !needed[number] {
                continue;
            }
            match &self.nodes[number] {
                Event::Leaf { .. } => {}
                Event::All(parts) | Event::Any(parts) | Event::Choose(_, parts) => {
                    for part in parts.iter().map(|&part| self.at(part)) {
                        needed[part] |= enabled[part];
                    }
                }
                Event::Unless { event, .. } => needed[self.at(*event)] = true,
            }
        }
    }

    /// The ways in which a node can happen, those of its parts being known.
    fn moves_of(&self, number: usize, values: &Values, context: &Context<'_>) -> Vec<u64> {
        let of = |event: EventId| &values.moves[self.at(event)];
        match &self.nodes[number] {
            Event::Leaf { component, label } => {
                let k = *component as usize;
                let targets = context.targets(*component, *label);
                let mut moves = vec![0; targets.len() * self.words];
                for (change, target) in moves.chunks_mut(self.words).zip(targets) {
                    flip_in(change, context.fields[k], context.states[k] ^ target);
                }
                moves
            }
            Event::Any(parts) => {
                let able = parts.iter().filter(|part| values.needed[self.at(**part)]);
                able.flat_map(|&part| of(part)).copied().collect()
            }
            Event::All(parts) => {
                let none = vec![0; self.words];
                parts
                    .iter()
                    .fold(none, |so_far, &part| self.together(&so_far, of(part)))
            }
            Event::Choose(count, parts) => {
                let able: Vec<_> = parts
                    .iter()
                    .filter(|part| values.needed[self.at(**part)])
                    .map(|&part| of(part))
                    .collect();
                self.choices(*count as usize, &able)
            }
            Event::Unless { event, .. } => of(*event).clone(),
        }
    }

    /// Each of these with each of those, which are about other components.
    fn together(&self, these: &[u64], those: &[u64]) -> Vec<u64> {
        let mut both = Vec::with_capacity(these.len() * those.len() / self.words);
        for this in these.chunks(self.words) {
            for that in those.chunks(self.words) {
                both.extend(this.iter().zip(that).map(|(a, b)| a ^ b));
            }
        }
        both
    }

    /// All ways in which `count` of these happen together.
    fn choices(&self, count: usize, parts: &[&Vec<u64>]) -> Vec<u64> {
        // Entry k: the ways in which k of those so far happen.
        let mut some: Vec<Vec<u64>> = vec![Vec::new(); count + 1];
        some[0] = vec![0; self.words];
        for (number, part) in parts.iter().enumerate() {
            let left = parts.len() - number - 1;
            for k in (1..=count.min(number + 1)).rev() {
                let with = self.together(&some[k - 1], part);
                some[k].extend(with);
            }
            // What cannot become enough any more.
            for few in some.iter_mut().take(count.saturating_sub(left)) {
                *few = Vec::new();
            }
        }
        some.pop().expect("an entry for each number up to count")
    }
}
