//! The H-method: separating words are chosen pair by pair.

use std::sync::OnceLock;

use hyades_base::grouped::Grouped;

use super::super::cover::Cover;
use super::super::machine::{Machine, NONE};
use super::super::tree::TestTree;
use super::ds::harmonized_words;
use super::growing::Growing;
use super::identify::{Identifiers, Planned, Search, Use, is_large};
use super::plain::Plain;
use super::separators::Separators;
use super::{Bound, MethodError, Variants, cover, plain, smaller};

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
/// given, and the one without is given up on the way if it is most likely the larger.
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
    let variants = match is_large(machine) {
        true => Variants::Given,
        // Words that are given make little difference where longer tests follow.
        false if extra > 0 && machine.states() <= SMALL => Variants::Chosen,
        false => Variants::Promising,
    };
    let identifiers = OnceLock::new();
    let new = || plain(&harmonized_words(machine, separators));
    smaller(
        machine,
        separators,
        variants,
        most,
        || identifiers.get_or_init(new),
        |search, words, bound| suite(search, separators, extra, words, bound),
    )
}

/// A suite that begins with these words behind the state cover.
pub(super) fn suite<'s, 'a>(
    search: &'s Search<'a>,
    separators: &'a Separators,
    extra: usize,
    words: &'s [Vec<Vec<u32>>],
    bound: Bound<'s>,
) -> Result<(TestTree, Planned), MethodError> {
    let mut method = Method::new(search, separators, extra, bound)?;
    method.identifiers.give(&mut method.suite, words);
    method.last_layer()?;
    method.rest()?;
    Ok((method.suite.into_tree(), method.identifiers.into_planned()))
}

/// Machines of so many states are small.
const SMALL: usize = 24;

/// How many nodes the words `K · I^(≤ extra + 1)` have, which are all in the suite.
/// O(extra · transitions).
fn least_nodes(machine: &Machine, cover: &Cover, extra: usize) -> u64 {
    let states = cover.states();
    let mut all = states.len() as u64;
    // How many words of the last length lead to each state, those of the cover
    // and their prefixes aside.
    let mut last = vec![0u64; machine.states()];
    let follow = |from: &[u64]| {
        let mut next = vec![0u64; from.len()];
        for (state, &words) in from.iter().enumerate() {
            let targets = machine.targets_of(state as u32).iter();
            for &target in targets.filter(|&&target| target != NONE) {
                next[target as usize] = next[target as usize].saturating_add(words);
            }
        }
        next
    };
    for layer in 0..=extra {
        last = match layer {
            0 => {
                let mut first = follow(&vec![1; machine.states()]);
                for &state in states.iter().filter(|&&state| state != machine.initial()) {
                    first[state.index()] -= 1;
                }
                first
            }
            _ => follow(&last),
        };
        let of_length = last.iter().copied().fold(0, u64::saturating_add);
        all = all.saturating_add(of_length);
        if all == u64::MAX {
            break;
        }
    }
    all
}

struct Method<'s, 'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    suite: Plain<'a>,
    identifiers: Identifiers<'s, 'a>,
    /// The nodes so far from the kernel, which is the first.
    layers: Vec<Vec<u32>>,
    bound: Bound<'s>,
}

impl<'s, 'a> Method<'s, 'a> {
    fn new(
        search: &'s Search<'a>,
        separators: &'a Separators,
        extra: usize,
        bound: Bound<'s>,
    ) -> Result<Self, MethodError> {
        let machine = search.machine();
        let cover = cover(machine, separators)?;
        // Rather than that memory runs out on the way.
        if least_nodes(machine, &cover, extra) > bound.nodes as u64 {
            return Err(MethodError::TooLarge(bound.nodes));
        }
        let mut suite = Plain::new(machine, separators);
        let kernel = suite.insert_cover(&cover);
        let mut layers: Vec<Vec<u32>> = vec![(0..suite.len() as u32).collect()];
        for _ in 0..=extra {
            let first = suite.len() as u32;
            for &node in layers.last().into_iter().flatten() {
                suite.complete(node);
                bound.check(suite.tree())?;
            }
            layers.push((first..suite.len() as u32).collect());
        }
        Ok(Self {
            machine,
            separators,
            suite,
            identifiers: Identifiers::new(kernel, search, extra + 1),
            layers,
            bound,
        })
    }

    /// Identifies the states of the last layer, state by state.
    fn last_layer(&mut self) -> Result<(), MethodError> {
        let last = self.layers.last().into_iter().flatten();
        let by_state = last.map(|&node| (self.suite.state(node), node));
        let by_state = Grouped::new(self.machine.states(), by_state);
        // Of fewer not much can be told.
        let enough = (self.machine.states() / 4).max(8);
        for state in 0..self.machine.states() as u32 {
            let nodes = by_state.of(state);
            let Some(&some) = nodes.get(nodes.len() / 2) else {
                continue;
            };
            let used = Use {
                times: nodes.len() as u64,
                anew: u64::from(self.suite.depth(some)) + 1,
            };
            let words = self.identifiers.plan(&mut self.suite, state, &used);
            let planned = self.identifiers.planned();
            if planned.len() == enough && self.bound.is_hopeless(planned) {
                return Err(MethodError::TooLarge(self.bound.nodes));
            }
            for &node in nodes {
                self.identifiers.follow(&mut self.suite, node, &words);
                self.bound.check(self.suite.tree())?;
            }
        }
        Ok(())
    }

    /// Separates what is not separated yet.
    fn rest(&mut self) -> Result<(), MethodError> {
        let layers = std::mem::take(&mut self.layers);
        let last = layers.len() - 1;
        let harmonized = self.identifiers.are_given();
        let mut others = Vec::new();
        // The places of the kernel that words have to separate from those of a state.
        let mut of_kernel: Vec<Option<Vec<u32>>> = Vec::new();
        for (layer, nodes) in layers.iter().enumerate() {
            // All words of this length follow the node and those before it.
            let complete = (last - layer) as u32;
            if layer == 0 && harmonized {
                continue;
            }
            let far = self.separators.longer_than(complete);
            of_kernel.clear();
            of_kernel.resize(self.machine.states(), None);
            for &node in nodes {
                let state = self.suite.state(node);
                others.clear();
                if layer < last {
                    others.extend_from_slice(of_kernel[state as usize].get_or_insert_with(|| {
                        // Of two nodes of the kernel it is enough to look at one.
                        let end = match layer {
                            0 => state,
                            _ => self.machine.states() as u32,
                        };
                        let kernel = (0..end).filter(|&other| far(state, other));
                        kernel
                            .map(|other| self.identifiers.kernel[other as usize])
                            .collect()
                    }));
                }
                let mut before = node;
                for _ in 1..layer {
                    before = self.suite.parent(before);
                    if far(state, self.suite.state(before)) {
                        others.push(before);
                    }
                }
                self.suite.separate_all(node, &mut others);
                self.bound.check(self.suite.tree())?;
            }
        }
        Ok(())
    }
}
