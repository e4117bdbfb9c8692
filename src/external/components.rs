//! Strongly connected components of transitions that do not fit memory: a few bytes a state
//! are in memory, and the transitions are read from front to back, or from back to front,
//! again and again.
//!
//! States without transitions to, or from, others that are left are components by themselves.
//! A large component is what a state in it reaches and is reached from. Of the rest, each state
//! is coloured by the greatest one that reaches it: the component of that one are those of the
//! colour that reach it (Orzan 2004). By turns it is the least one, so that components in a row
//! are found together whether their numbers ascend or descend. Transitions between different
//! colours are read no more; once all that are left fit memory, the rest is done there.

use std::fs::File;

use hyades_base::bits::{Bits, Ranked};
use hyades_formats::{Offsets, StateId};
use hyades_lts::hidden_components;

use crate::Error;
use crate::budget::Budget;
use crate::chunks::{Chunks, HEAD, write_chunk};
use crate::scratch::Disk;
use crate::store::Order;

/// Bytes of a transition: source and target.
const RECORD: usize = 8;

/// So many large components are looked for by what a state reaches.
const PIVOTS: usize = 2;
/// So many sweeps may something take at first that can be done in another way.
const PATIENCE: usize = 16;

/// Transitions without their labels in a temporary file, ascending by source.
pub(crate) struct Steps<'a> {
    disk: &'a Disk<'a>,
    name: String,
    /// Bytes of each chunk but the last one.
    chunk: usize,
    chunks: u64,
    count: u64,
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        self.disk.remove(&self.name);
    }
}

/// Writes transitions.
pub(crate) struct StepsWriter<'a> {
    steps: Steps<'a>,
    file: File,
    bytes: Vec<u8>,
    buffer: Vec<u8>,
}

impl<'a> StepsWriter<'a> {
    pub fn new(disk: &'a Disk<'a>, budget: Budget) -> Result<Self, Error> {
        let name = disk.new_name("steps");
        let file = disk.create(&name)?;
        let chunk = budget.chunk() / RECORD * RECORD;
        Ok(Self {
            steps: Steps {
                disk,
                name,
                chunk,
                chunks: 0,
                count: 0,
            },
            file,
            bytes: Vec::with_capacity(chunk),
            buffer: Vec::new(),
        })
    }

    pub fn push(&mut self, source: u32, target: u32) -> Result<(), Error> {
        self.bytes.extend_from_slice(&source.to_le_bytes());
        self.bytes.extend_from_slice(&target.to_le_bytes());
        self.steps.count += 1;
        match self.bytes.len() < self.steps.chunk {
            true => Ok(()),
            false => self.end_chunk(),
        }
    }

    fn end_chunk(&mut self) -> Result<(), Error> {
        let Steps { disk, name, .. } = &self.steps;
        let written = write_chunk(&mut self.file, &self.bytes, &mut self.buffer);
        written.map_err(|error| disk.failed(name, error))?;
        disk.count_written(self.buffer.len() as u64);
        self.bytes.clear();
        self.steps.chunks += 1;
        Ok(())
    }

    pub fn finish(mut self) -> Result<Steps<'a>, Error> {
        if !self.bytes.is_empty() {
            self.end_chunk()?;
        }
        Ok(self.steps)
    }
}

impl<'a> Steps<'a> {
    /// Tells source and target of each.
    fn sweep(
        &self,
        order: Order,
        mut tell: impl FnMut(u32, u32) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut chunks = Chunks::open(self.disk, &self.name, self.count, RECORD)?;
        let mut bytes = Vec::new();
        for k in 0..self.chunks {
            if let Order::Descending = order {
                let place = (self.chunks - 1 - k) * (HEAD + self.chunk) as u64;
                chunks.seek(place)?;
            }
            chunks.next_into(&mut bytes)?;
            let records = bytes.as_chunks().0.as_chunks::<2>().0;
            let mut each = |&[source, target]: &[[u8; 4]; 2]| {
                tell(u32::from_le_bytes(source), u32::from_le_bytes(target))
            };
            match order {
                Order::Ascending => records.iter().try_for_each(&mut each)?,
                Order::Descending => records.iter().rev().try_for_each(&mut each)?,
            }
        }
        Ok(())
    }

    /// Sweeps by turns until one changes nothing, beginning in this order; whether so many
    /// sweeps are enough for that.
    fn settle(
        &self,
        first: Order,
        most: usize,
        mut changes: impl FnMut(u32, u32) -> bool,
    ) -> Result<bool, Error> {
        for order in first.turns().take(most) {
            let mut changed = false;
            self.sweep(order, |source, target| {
                changed |= changes(source, target);
                Ok(())
            })?;
            if !changed {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Those that are wanted, in a file of their own.
    fn filtered(
        &self,
        budget: Budget,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Result<Steps<'a>, Error> {
        let mut writer = StepsWriter::new(self.disk, budget)?;
        self.sweep(Order::Ascending, |source, target| {
            match wanted(source, target) {
                true => writer.push(source, target),
                false => Ok(()),
            }
        })?;
        writer.finish()
    }

    /// Leaves only states that have transitions to and from others that are left, or not many
    /// more; how many transitions these have among each other.
    fn trim(&self, left: &mut Bits, states: usize) -> Result<u64, Error> {
        loop {
            let (mut sources, mut targets) = (Bits::new(states), Bits::new(states));
            let mut count = 0;
            self.sweep(Order::Ascending, |source, target| {
                if source != target && left.contains(source) && left.contains(target) {
                    sources.insert(source);
                    targets.insert(target);
                    count += 1;
                }
                Ok(())
            })?;
            let before = left.count();
            let mut both = Bits::new(states);
            for state in sources.iter().filter(|&state| targets.contains(state)) {
                both.insert(state);
            }
            *left = both;
            let gone = before - left.count();
            if count == 0 || 8 * gone < before {
                return Ok(count);
            }
        }
    }

    /// The states that are left and that a state reaches, or is reached from; nothing if that
    /// takes too many sweeps.
    fn reached(
        &self,
        left: &Bits,
        states: usize,
        from: u32,
        order: Order,
    ) -> Result<Option<Bits>, Error> {
        let mut reached = Bits::new(states);
        reached.insert(from);
        let is_settled = self.settle(order, PATIENCE, |source, target| {
            let (known, new) = match order {
                Order::Ascending => (source, target),
                Order::Descending => (target, source),
            };
            reached.contains(known) && left.contains(new) && reached.insert(new)
        })?;
        Ok(is_settled.then_some(reached))
    }

    /// The components of the states that are left: of each of these gets one of its states.
    /// They have `count` transitions among each other.
    fn in_memory(&self, left: Bits, count: u64, component: &mut [u32]) -> Result<(), Error> {
        let left = Ranked::new(left);
        let mut lengths = vec![0usize; left.bits().count() as usize];
        let mut targets = Vec::with_capacity(count as usize);
        self.sweep(Order::Ascending, |source, target| {
            let is_left = |state| left.bits().contains(state);
            if source != target && is_left(source) && is_left(target) {
                lengths[left.rank(source) as usize] += 1;
                targets.push(StateId::new(left.rank(target)));
            }
            Ok(())
        })?;
        let offsets = Offsets::from_lengths(lengths);
        let found = hidden_components(&offsets, &targets);
        let mut first = vec![u32::MAX; found.count as usize];
        for (state, of) in left.bits().iter().zip(found.of) {
            let first = &mut first[of as usize];
            if *first == u32::MAX {
                *first = state;
            }
            component[state as usize] = *first;
        }
        Ok(())
    }
}

/// Bytes of memory for the components of so many states that are left, which have so many
/// transitions.
fn in_memory(states: u64, steps: u64) -> u64 {
    40 * states + 4 * steps
}

/// Bytes of memory that [`nodes`] needs for so many states, beside chunks.
pub(crate) fn needed(states: u64) -> u64 {
    13 * states
}

/// A state of its component for each state. `touched` are those that have transitions.
fn components(
    steps: &Steps<'_>,
    touched: &Bits,
    states: usize,
    budget: Budget,
    streams_only: bool,
) -> Result<Vec<u32>, Error> {
    let mut component: Vec<u32> = (0..states as u32).collect();
    let mut left = touched.clone();
    let mut colours = Vec::new();
    let mut kept: Option<Steps<'_>> = None;
    let (mut pivots, mut patience) = (0, PATIENCE);
    for round in 0.. {
        let steps = kept.as_ref().unwrap_or(steps);
        let count = steps.trim(&mut left, states)?;
        if count == 0 {
            break;
        }
        let room = budget.less(needed(states as u64));
        if !streams_only && room.fits(in_memory(left.count(), count)) {
            steps.in_memory(left, count, &mut component)?;
            break;
        }
        let filtered = if pivots < PIVOTS {
            let middle = left.count() as usize / 2;
            let pivot = left.iter().nth(middle);
            let pivot = pivot.expect("the transitions that are left have sources");
            let after = steps.reached(&left, states, pivot, Order::Ascending)?;
            let before = match after {
                Some(_) => steps.reached(&left, states, pivot, Order::Descending)?,
                None => None,
            };
            let (Some(after), Some(before)) = (after, before) else {
                pivots = PIVOTS;
                continue;
            };
            pivots += 1;
            for state in after.iter().filter(|&state| before.contains(state)) {
                component[state as usize] = pivot;
                left.remove(state);
            }
            let side = |state| (after.contains(state), before.contains(state));
            let is_left = |state| left.contains(state);
            steps.filtered(budget, |source, target| {
                is_left(source) && is_left(target) && side(source) == side(target)
            })?
        } else {
            colours.resize(states, 0);
            let rank = |colour: u32| match round % 2 == 0 {
                true => colour,
                false => !colour,
            };
            for state in left.iter() {
                colours[state as usize] = state;
            }
            let is_settled = steps.settle(Order::Ascending, patience, |source, target| {
                let is_new = left.contains(source)
                    && left.contains(target)
                    && rank(colours[source as usize]) > rank(colours[target as usize]);
                if is_new {
                    colours[target as usize] = colours[source as usize];
                }
                is_new
            })?;
            if !is_settled {
                // Perhaps it is the other order in which colours do not go far.
                patience *= 2;
                continue;
            }
            let mut found = Bits::new(states);
            for state in left.iter() {
                if colours[state as usize] == state {
                    found.insert(state);
                }
            }
            steps.settle(Order::Descending, usize::MAX, |source, target| {
                found.contains(target)
                    && left.contains(source)
                    && colours[source as usize] == colours[target as usize]
                    && found.insert(source)
            })?;
            for state in found.iter() {
                component[state as usize] = colours[state as usize];
                left.remove(state);
            }
            let is_left = |state| left.contains(state);
            steps.filtered(budget, |source, target| {
                is_left(source)
                    && is_left(target)
                    && colours[source as usize] == colours[target as usize]
            })?
        };
        kept = Some(filtered);
    }
    Ok(component)
}

/// Contracts components to nodes, which are numbered so that transitions from one to another
/// lead to smaller numbers: the node of each of the states that are `touched`, those that have
/// transitions, and which nodes have transitions to themselves.
///
/// As many sweeps as the longest path without cycles has states, at the worst; few where
/// numbers of states ascend or descend along most paths.
pub(crate) fn nodes(
    steps: &Steps<'_>,
    touched: &Bits,
    states: usize,
    budget: Budget,
    streams_only: bool,
) -> Result<(Vec<u32>, Vec<bool>), Error> {
    let mut component = components(steps, touched, states, budget, streams_only)?;
    // The longest path from each component.
    let mut level = vec![0u32; states];
    let mut cyclic = Bits::new(states);
    steps.settle(Order::Descending, usize::MAX, |source, target| {
        let (from, to) = (component[source as usize], component[target as usize]);
        if from == to {
            cyclic.insert(from);
            return false;
        }
        let least = level[to as usize] + 1;
        let is_new = level[from as usize] < least;
        if is_new {
            level[from as usize] = least;
        }
        is_new
    })?;
    let is_first = |component: &[u32], state: u32| component[state as usize] == state;
    let mut starts = Vec::new();
    for state in touched.iter().filter(|&state| is_first(&component, state)) {
        let level = level[state as usize] as usize;
        if starts.len() <= level {
            starts.resize(level + 1, 0u32);
        }
        starts[level] += 1;
    }
    let mut count = 0;
    for start in &mut starts {
        count += std::mem::replace(start, count);
    }
    let mut diverges = vec![false; count as usize];
    for state in touched.iter().filter(|&state| is_first(&component, state)) {
        let start = &mut starts[level[state as usize] as usize];
        level[state as usize] = *start;
        diverges[*start as usize] = cyclic.contains(state);
        *start += 1;
    }
    // By now a level is a number.
    for state in touched.iter() {
        let node = &mut component[state as usize];
        *node = level[*node as usize];
    }
    Ok((component, diverges))
}

#[cfg(test)]
mod tests {
    use hyades_lts::tau_components;
    use hyades_testing::check;

    use super::*;
    use crate::scratch::{Scratch, TemporaryFolder};

    #[test]
    fn nodes_are_components_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = TemporaryFolder::new(folder.path()).unwrap();
        let disk = Disk::new(&scratch);
        check(30, 400, |lts, random| {
            let states = lts.states();
            let hidden = |state| lts.outgoing(state).filter(|(label, _)| label.is_hidden());
            let mut touched = Bits::new(states);
            let budget = Budget::new(random.between(0, 2) as u64 * 13 * states as u64);
            let mut writer = StepsWriter::new(&disk, budget).unwrap();
            for state in (0..states).map(StateId::from_index) {
                for (_, target) in hidden(state) {
                    writer.push(state.get(), target.get()).unwrap();
                    touched.insert(state.get());
                    touched.insert(target.get());
                }
            }
            let steps = writer.finish().unwrap();
            let streams_only = random.chance(70);
            let found = nodes(&steps, &touched, states, budget, streams_only);
            let (node, diverges) = found.map_err(|error| error.to_string())?;
            let known = tau_components(lts);
            let mut cyclic = vec![false; diverges.len()];
            let mut of = vec![None; diverges.len()];
            for state in touched.iter() {
                let own = node[state as usize];
                // As many nodes as components, and each within one.
                let component = known.of[state as usize];
                if *of[own as usize].get_or_insert(component) != component {
                    return Err(format!("node {own} has states of two components"));
                }
                for (_, target) in hidden(StateId::new(state)) {
                    let to = node[target.index()];
                    if (known.of[target.index()] == component) != (to == own) || to > own {
                        return Err(format!("{state} to {target} is {own} to {to}"));
                    }
                    cyclic[own as usize] |= to == own;
                }
            }
            if of.contains(&None) || cyclic != diverges {
                return Err(format!("{of:?}, {cyclic:?}, {diverges:?}"));
            }
            Ok(())
        });
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
