//! Partition refinement by signatures that gather what can be done along inert steps,
//! hidden steps within a block, where these may form cycles.
//!
//! The signature of a state is made of what its steps give *at once*, for this state alone,
//! and of what all states that it reaches by inert steps *hand on*. Sets are exact and kept
//! once each, so that nothing has to be verified afterwards. Only states whose signature
//! may have changed are signed anew: those with a step to a state whose block has another
//! number, and those before them by inert steps (Jacobs & Wissmann 2023 for strong
//! bisimilarity). They are signed block by block; inert steps lead from one state to another
//! of the same block, so that the strongly connected components (Tarjan 1972) of the states
//! to be signed come in the order in which sets are handed on. The largest part of a block
//! that splits keeps its number, so that each state is renumbered at most log2 n times.

use std::collections::VecDeque;

use hyades_formats::LabelId;

use super::sets::Sets;
use crate::rounds::Rounds;
use crate::rows::Sources;
use crate::{Partition, Refinable, Rows, element};

/// The element that a state hands on which can go on by inert steps for ever: no label has
/// this number.
const DIVERGES: u64 = element(u32::MAX, 0);

/// What the steps of a state give to its signature.
pub(crate) trait Steps {
    /// Whether anything counts for a state alone.
    const AT_ONCE: bool;

    /// Adds the elements that a state hands on, in any order; inert steps give none.
    fn handed_on(&mut self, state: u32, block: &[u32], elements: &mut Vec<u64>);

    /// Adds the elements that count for the state alone.
    fn at_once(&self, _state: u32, _block: &[u32], _elements: &mut Vec<u64>) {}

    /// Whether the signature of a state may change because its own block has another number.
    fn sees_own_block(&self, state: u32) -> bool;
}

/// What hidden steps within a block mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HiddenSteps {
    /// The same as all others: nothing is inert.
    Counted,
    /// They are inert.
    Inert,
    /// They are inert, but it is seen whether they can go on for ever.
    InertAndDivergence,
}

/// The coarsest refinement of the start in which all states of a block have one signature.
///
/// O(n log n) states are signed at most for each transition into a state; each takes the
/// size of the sets that are united. 12 bytes a transition, some 60 bytes a state, and the
/// different sets.
pub(crate) fn refine<S: Steps>(
    rows: Rows<'_>,
    hidden_steps: HiddenSteps,
    start: Partition,
    steps: S,
    rounds: &mut Rounds<'_>,
) -> Partition {
    let n = rows.states();
    let mut sizes = vec![0u32; start.count()];
    start.class.iter().for_each(|&c| sizes[c as usize] += 1);
    let is_inert = hidden_steps != HiddenSteps::Counted;
    let (mut sets, mut signatures) = (Sets::default(), Sets::default());
    // What stands for states that have not been signed.
    let nothing = sets.intern(&[]);
    signatures.intern(&[u64::from(nothing)]);
    let refinement = Refinement {
        rows,
        hidden_steps,
        steps,
        partition: Refinable::new(start.class, &sizes),
        sources: Sources::new(rows, |_| true),
        hidden: Sources::new(rows, |l: LabelId| is_inert && l.is_hidden()),
        sets,
        signatures,
        handed: vec![nothing; n],
        signature: vec![0; n],
        search: Search {
            index: vec![DONE; if is_inert { n } else { 0 }],
            ..Search::default()
        },
        scratch: Scratch::default(),
    };
    refinement.run(rounds)
}

/// The index of a state that the search need not visit.
const DONE: u32 = 0;
/// The index of a state that the search has to visit.
const PENDING: u32 = 1;

/// A depth-first search along inert steps among the states to be signed.
#[derive(Default)]
struct Search {
    /// [`DONE`], [`PENDING`] or, from 2 on, when the search has met the state.
    index: Vec<u32>,
    next: u32,
    path: Vec<Visit>,
    /// States that were met, but whose component is not done.
    waiting: Vec<u32>,
}

/// A state on the way of the search.
struct Visit {
    state: u32,
    /// The next transition of its row to follow.
    next: u32,
    /// The least index that it leads to.
    low: u32,
}

/// Reused from state to state.
#[derive(Default)]
struct Scratch {
    states: Vec<u32>,
    component: Vec<u32>,
    elements: Vec<u64>,
    successors: Vec<u32>,
    keyed: Vec<(u64, u32)>,
    marked: Vec<u32>,
}

struct Refinement<'a, S> {
    rows: Rows<'a>,
    hidden_steps: HiddenSteps,
    steps: S,
    partition: Refinable,
    sources: Sources,
    /// Of the hidden transitions, if they can be inert.
    hidden: Sources,
    sets: Sets,
    /// A set's number, and behind it what counts at once.
    signatures: Sets,
    /// The set that each state hands on.
    handed: Vec<u32>,
    signature: Vec<u32>,
    search: Search,
    scratch: Scratch,
}

impl<S: Steps> Refinement<'_, S> {
    fn run(mut self, rounds: &mut Rounds<'_>) -> Partition {
        for s in 0..self.rows.states() as u32 {
            self.partition.mark(s);
        }
        let mut touched = Vec::new();
        let mut moved = Vec::new();
        self.partition.take_touched_into(&mut touched);
        let mut queue: VecDeque<u32> = touched.iter().copied().collect();
        while !queue.is_empty() {
            let blocks = queue.len();
            for _ in 0..blocks {
                let b = queue.pop_front().expect("counted before");
                self.sign(b);
                self.split(b, &mut moved);
                self.spread(&moved);
                moved.clear();
                self.partition.take_touched_into(&mut touched);
                queue.extend(&touched);
            }
            rounds.end(self.partition.count());
            if self.sets.is_crowded(self.rows.states())
                || self.signatures.is_crowded(self.rows.states())
            {
                self.clear_sets();
            }
        }
        let (class, count) = self.partition.into_blocks();
        Partition { class, count }
    }

    /// Signs the marked states of a block.
    fn sign(&mut self, block: u32) {
        let mut states = std::mem::take(&mut self.scratch.states);
        states.clear();
        states.extend_from_slice(self.partition.marked(block));
        match self.hidden_steps {
            HiddenSteps::Counted => states.iter().for_each(|&s| self.sign_component(&[s])),
            HiddenSteps::Inert | HiddenSteps::InertAndDivergence => {
                let index = &mut self.search.index;
                states.iter().for_each(|&s| index[s as usize] = PENDING);
                self.search.next = PENDING + 1;
                for &s in &states {
                    if self.search.index[s as usize] == PENDING {
                        self.visit(s);
                    }
                }
            }
        }
        self.scratch.states = states;
    }

    /// Signs a state and those that must be signed before it.
    fn visit(&mut self, start: u32) {
        let rows = self.rows;
        self.enter(start);
        while let Some(top) = self.search.path.last_mut() {
            let block = self.partition.blocks();
            let own = block[top.state as usize];
            let mut descend = None;
            let row = rows.bounds(top.state);
            while (top.next as usize) < row.len() {
                let k = row.start + top.next as usize;
                top.next += 1;
                let target = rows.targets[k];
                if !rows.labels[k].is_hidden() || block[target.index()] != own {
                    continue;
                }
                match self.search.index[target.index()] {
                    DONE => {}
                    PENDING => {
                        descend = Some(target.get());
                        break;
                    }
                    index => top.low = top.low.min(index),
                }
            }
            match descend {
                Some(target) => self.enter(target),
                None => self.leave(),
            }
        }
    }

    fn enter(&mut self, state: u32) {
        let search = &mut self.search;
        let index = search.next;
        search.next += 1;
        search.index[state as usize] = index;
        search.waiting.push(state);
        search.path.push(Visit {
            state,
            next: 0,
            low: index,
        });
    }

    /// All steps of the last state on the path have been followed.
    fn leave(&mut self) {
        let search = &mut self.search;
        let Some(Visit { state, low, .. }) = search.path.pop() else {
            return;
        };
        if let Some(before) = search.path.last_mut() {
            before.low = before.low.min(low);
        }
        if low < search.index[state as usize] {
            return;
        }
        // All that was met later and still waits is of one component.
        let mut component = std::mem::take(&mut self.scratch.component);
        component.clear();
        while let Some(s) = search.waiting.pop() {
            component.push(s);
            if s == state {
                break;
            }
        }
        self.sign_component(&component);
        for &s in &component {
            self.search.index[s as usize] = DONE;
        }
        self.scratch.component = component;
    }

    /// Signs states that reach each other by inert steps, and all others that inert steps
    /// lead to are signed.
    fn sign_component(&mut self, component: &[u32]) {
        let Scratch {
            elements,
            successors,
            ..
        } = &mut self.scratch;
        let block = self.partition.blocks();
        elements.clear();
        successors.clear();
        let mut is_cycle = false;
        for &s in component {
            self.steps.handed_on(s, block, elements);
            if self.hidden_steps == HiddenSteps::Counted {
                continue;
            }
            let (labels, targets) = self.rows.row(s);
            for (l, t) in labels.iter().zip(targets) {
                if !l.is_hidden() || block[t.index()] != block[s as usize] {
                    continue;
                }
                // Whatever is not done is of this component.
                match self.search.index[t.index()] {
                    DONE => successors.push(self.handed[t.index()]),
                    _ => is_cycle = true,
                }
            }
        }
        if is_cycle && self.hidden_steps == HiddenSteps::InertAndDivergence {
            elements.push(DIVERGES);
        }
        elements.sort_unstable();
        elements.dedup();
        successors.sort_unstable();
        successors.dedup();
        let handed = self.sets.union(elements, successors);
        for &s in component {
            self.handed[s as usize] = handed;
            self.signature[s as usize] = match S::AT_ONCE {
                false => handed,
                true => {
                    elements.clear();
                    self.steps.at_once(s, block, elements);
                    elements.sort_unstable();
                    elements.dedup();
                    elements.insert(0, u64::from(handed));
                    self.signatures.intern(elements)
                }
            };
        }
    }

    /// Splits a block by the signatures.
    fn split(&mut self, block: u32, moved: &mut Vec<u32>) {
        let signature = |s: u32| u64::from(self.signature[s as usize]);
        let keyed = &mut self.scratch.keyed;
        keyed.clear();
        let marked = self.partition.marked(block);
        keyed.extend(marked.iter().map(|&s| (signature(s), s)));
        let rest = self.partition.unmarked(block).map(signature);
        self.partition.split(block, keyed, rest, moved);
    }

    /// Marks the states whose signature may change because others have moved.
    fn spread(&mut self, moved: &[u32]) {
        let marked = &mut self.scratch.marked;
        let partition = &mut self.partition;
        for &t in moved {
            for &s in self.sources.of(t) {
                if partition.mark(s) {
                    marked.push(s);
                }
            }
        }
        for &s in moved {
            if self.steps.sees_own_block(s) && partition.mark(s) {
                marked.push(s);
            }
        }
        while let Some(t) = marked.pop() {
            for &s in self.hidden.of(t) {
                let block = partition.blocks();
                if block[s as usize] == block[t as usize] && partition.mark(s) {
                    marked.push(s);
                }
            }
        }
    }

    /// Throws away the sets that no state has any more.
    fn clear_sets(&mut self) {
        let n = self.rows.states();
        // What a lone state has is not asked for any more.
        for s in 0..n {
            if self.partition.is_alone(s as u32) {
                (self.handed[s], self.signature[s]) = (self.handed[0], self.signature[0]);
            }
        }
        if !S::AT_ONCE {
            self.sets.retain(&mut self.handed);
            self.signature.copy_from_slice(&self.handed);
            return;
        }
        let set = |&k: &u32| self.signatures.get(k)[0] as u32;
        let mut used = self.handed.clone();
        used.extend(self.signature.iter().map(set));
        self.sets.retain(&mut used);
        self.handed.copy_from_slice(&used[..n]);
        let mut fresh = Sets::default();
        let mut whole = Vec::new();
        for (signature, &set) in self.signature.iter_mut().zip(&used[n..]) {
            whole.clear();
            whole.extend_from_slice(self.signatures.get(*signature));
            whole[0] = u64::from(set);
            *signature = fresh.intern(&whole);
        }
        let mut all = self.signature.clone();
        fresh.retain(&mut all);
        self.signature = all;
        self.signatures = fresh;
    }
}
