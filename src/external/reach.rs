//! The states that can be reached, by sweeps over rows on disk.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use hyades_base::bits::Bits;
use hyades_formats::plts::Block;

use crate::Error;
use crate::store::{Rows, Store};

/// A sweep that meets less than one in so many of the states is the last one of all rows.
const WORTH: u64 = 8;

/// The states that can be reached from the initial one, and which of the labels occur.
///
/// Rows are read from front to back as long as that meets many states; then only blocks
/// with states whose successors have not been looked at, until there are none. The first
/// sweep compares an input with its checksums. Two bits a state, and 4 bytes for each state
/// that waits within a block,
/// and one for each label.
pub(crate) fn reached(store: &Store<'_>, initial: u32, labels: usize) -> Result<Reached, Error> {
    let states = store.states();
    let mut search = Search {
        seen: Bits::new(states as usize),
        waiting: Bits::new(states as usize),
        stack: Vec::new(),
    };
    search.meet(initial);
    let occurs: Vec<AtomicBool> = (0..labels).map(|_| AtomicBool::new(false)).collect();
    let mut is_checked = false;
    loop {
        let before = search.seen.count();
        let expand = |rows: Rows| {
            search.expand(&rows);
            Ok(())
        };
        match is_checked {
            true => store.pass(|_| true, |rows| rows, expand)?,
            false => store.checked_pass(|rows| marked(rows, &occurs), expand)?,
        }
        is_checked = true;
        if search.waiting.count() == 0 {
            break;
        }
        if search.seen.count() - before < states / WORTH {
            break;
        }
    }
    let mut block = Block::default();
    while search.waiting.count() > 0 {
        for number in 0..store.blocks() {
            if search.waiting.meets(store.states_of_block(number)) {
                search.expand(&store.read(number, &mut block)?);
            }
        }
    }
    Ok(Reached {
        states: search.seen,
        labels: occurs.into_iter().map(AtomicBool::into_inner).collect(),
    })
}

/// The same rows, whose labels occur.
fn marked(rows: Rows, occurs: &[AtomicBool]) -> Rows {
    for &label in &rows.labels {
        let occurs = &occurs[label as usize];
        // Who only reads is in nobody's way.
        if !occurs.load(Relaxed) {
            occurs.store(true, Relaxed);
        }
    }
    rows
}

/// What a first look at rows tells.
pub(crate) struct Reached {
    /// The states that can be reached.
    pub states: Bits,
    /// Which labels occur in all rows, by their numbers; the hidden one has number 0.
    pub labels: Vec<bool>,
}

struct Search {
    seen: Bits,
    /// States that have been met, whose successors have not.
    waiting: Bits,
    stack: Vec<u32>,
}

impl Search {
    fn meet(&mut self, state: u32) {
        if self.seen.insert(state) {
            self.waiting.insert(state);
        }
    }

    /// Meets what can be reached from waiting states within these rows.
    fn expand(&mut self, rows: &Rows) {
        let states = rows.first..rows.first + rows.degrees.len() as u32;
        if !self.waiting.meets(states.start.into()..states.end.into()) {
            return;
        }
        let mut ends = Vec::with_capacity(rows.degrees.len());
        let mut end = 0;
        for &degree in &rows.degrees {
            end += degree as usize;
            ends.push(end);
        }
        for state in states.clone() {
            if !self.waiting.contains(state) {
                continue;
            }
            self.waiting.remove(state);
            self.stack.push(state);
            while let Some(source) = self.stack.pop() {
                let k = (source - states.start) as usize;
                let end = ends[k];
                for &target in &rows.targets[end - rows.degrees[k] as usize..end] {
                    if !self.seen.insert(target) {
                        continue;
                    }
                    // Those above are met on the way.
                    if target < state && states.contains(&target) {
                        self.stack.push(target);
                    } else {
                        self.waiting.insert(target);
                    }
                }
            }
        }
    }
}
