//! The H-method: separating words are chosen pair by pair.

use super::super::machine::{Machine, NONE};
use super::super::tree::TestTree;
use super::growing::Growing;
use super::identify::{Identifiers, Use};
use super::plain::Plain;
use super::separators::Separators;
use super::{MethodError, cover, smaller};

/// A suite that is complete for so many `extra` states, by the H-method (R.
/// Dorofeeva, K. El-Fakih, N. Yevtushenko: An Improved Conformance Testing Method,
/// FORTE 2005): of a state cover `K` all words `K · I^(≤ extra + 1)`, behind which
/// words are added until these are separated by words that follow both: nodes of
/// `K`; a node of `K` and one of the others; a node and one between it and `K`.
/// Wherever their states differ.
///
/// For partial machines as well whose states are pairwise separated (A. Petrenko,
/// N. Yevtushenko: Testing from Partial Deterministic FSM Specifications, IEEE
/// Trans. Computers 54, 2005): what answers the suite so and has at most so many
/// states more answers so all words that the machine has.
///
/// Of the words that separate a state from all others those are taken that cost
/// least behind all nodes of the last layer with this state, what is new behind
/// `K` included: the last layer has most nodes. The suite is derived with and
/// without harmonised identifiers behind `K` from the outset; the smaller one is
/// given.
///
/// # Errors
/// If states are not separated or not reachable, or the tree has more than `most`
/// nodes.
pub fn h(
    machine: &Machine,
    separators: &Separators,
    extra: usize,
    most: usize,
) -> Result<TestTree, MethodError> {
    smaller(machine, separators, |words| {
        let mut method = Method::new(machine, separators, extra, most)?;
        method.identifiers.give(&mut method.suite, words);
        method.last_layer()?;
        method.rest()?;
        Ok(method.suite.into_tree())
    })
}

struct Method<'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    suite: Plain<'a>,
    identifiers: Identifiers,
    /// The nodes so far from the kernel, which is the first.
    layers: Vec<Vec<u32>>,
    most: usize,
}

impl<'a> Method<'a> {
    fn new(
        machine: &'a Machine,
        separators: &'a Separators,
        extra: usize,
        most: usize,
    ) -> Result<Self, MethodError> {
        let cover = cover(machine, separators)?;
        let mut suite = Plain::new(machine, separators);
        let mut kernel = vec![NONE; machine.states()];
        for &state in cover.states() {
            let word: Vec<u32> = cover.word(state).iter().map(|input| input.get()).collect();
            kernel[state.index()] = suite.reach(0, &word);
        }
        let mut layers: Vec<Vec<u32>> = vec![(0..suite.len() as u32).collect()];
        for _ in 0..=extra {
            let first = suite.len() as u32;
            for &node in layers.last().into_iter().flatten() {
                suite.complete(node);
                if suite.len() > most {
                    return Err(MethodError::TooLarge(most));
                }
            }
            layers.push((first..suite.len() as u32).collect());
        }
        Ok(Self {
            machine,
            separators,
            suite,
            identifiers: Identifiers::new(kernel),
            layers,
            most,
        })
    }

    /// Identifies the states of the last layer, state by state.
    fn last_layer(&mut self) -> Result<(), MethodError> {
        let mut of_state: Vec<Vec<u32>> = vec![Vec::new(); self.machine.states()];
        for &node in self.layers.last().into_iter().flatten() {
            of_state[self.suite.state(node) as usize].push(node);
        }
        for (state, nodes) in of_state.iter().enumerate() {
            let Some(&some) = nodes.get(nodes.len() / 2) else {
                continue;
            };
            let used = Use {
                times: nodes.len() as u64,
                anew: u64::from(self.suite.depth(some)) + 1,
            };
            let words = self.identifiers.plan(&mut self.suite, state as u32, &used);
            for &node in nodes {
                for word in self.identifiers.needed(&self.suite, node, &words) {
                    self.suite.insert(node, word);
                }
                self.check()?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), MethodError> {
        match self.suite.len() > self.most {
            true => Err(MethodError::TooLarge(self.most)),
            false => Ok(()),
        }
    }

    /// Separates what is not separated yet.
    fn rest(&mut self) -> Result<(), MethodError> {
        let layers = std::mem::take(&mut self.layers);
        let last = layers.len() - 1;
        let mut others = Vec::new();
        for (layer, nodes) in layers.iter().enumerate() {
            // All words of this length follow the node and those before it.
            let complete = (last - layer) as u32;
            for &node in nodes {
                let state = self.suite.state(node);
                let separators = self.separators;
                let far = |other| other != state && separators.length(state, other) > complete;
                others.clear();
                if layer < last {
                    // Of two nodes of the kernel it is enough to look at one.
                    let end = if layer > 0 {
                        self.machine.states() as u32
                    } else {
                        state
                    };
                    let kernel = (0..end).filter(|&other| far(other));
                    others.extend(kernel.map(|other| self.identifiers.kernel[other as usize]));
                }
                let mut before = node;
                for _ in 1..layer {
                    before = self.suite.parent(before);
                    if far(self.suite.state(before)) {
                        others.push(before);
                    }
                }
                self.suite.keep_unseparated(node, &mut others);
                for &other in &others {
                    if !self.suite.apart(node, other) {
                        self.suite.separate(node, other);
                    }
                }
                self.check()?;
            }
        }
        Ok(())
    }
}
