//! The H-method: separating words are chosen pair by pair.

use super::super::machine::{Machine, NONE};
use super::super::tree::TestTree;
use super::candidates::{Candidate, StateSet, candidates, separates};
use super::growing::Growing;
use super::separators::Separators;
use super::{MethodError, cover};

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
/// least behind all nodes with this state, what is new behind `K` included: the
/// last layer has most nodes.
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
    let mut method = Method::new(machine, separators, extra, most)?;
    method.last_layer()?;
    method.rest()?;
    Ok(method.suite.into_tree())
}

struct Method<'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    suite: Growing<'a>,
    /// The node of the state cover for each state.
    kernel: Vec<u32>,
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
        let mut suite = Growing::new(machine, separators);
        let mut kernel = vec![NONE; machine.states()];
        for &state in cover.states() {
            let word: Vec<u32> = cover.word(state).iter().map(|input| input.get()).collect();
            kernel[state.index()] = suite.insert(0, &word);
        }
        let mut layers = vec![
            cover
                .states()
                .iter()
                .map(|s| kernel[s.index()])
                .collect::<Vec<_>>(),
        ];
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
            kernel,
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
        for state in 0..self.machine.states() as u32 {
            let nodes = std::mem::take(&mut of_state[state as usize]);
            if nodes.is_empty() {
                continue;
            }
            let words = candidates(self.machine, state, 8);
            let plan = self.plan(state, words.clone(), &nodes);
            for &node in &nodes {
                if self.suite.is_leaf(node) {
                    for word in &plan {
                        self.suite.insert(node, &word.word);
                    }
                } else {
                    self.identify(node, &words);
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

    /// Words that separate a state from all others and cost least behind these
    /// nodes and the kernel; what is needed behind the kernel is added.
    fn plan(&mut self, state: u32, mut words: Vec<Candidate>, nodes: &[u32]) -> Vec<Candidate> {
        let depth = u64::from(self.suite.depth(nodes[nodes.len() / 2])) + 1;
        let mut best: Option<(u64, Vec<usize>)> = None;
        let mut firsts: Vec<usize> = (0..words.len()).collect();
        firsts.sort_by_key(|&k| {
            std::cmp::Reverse(
                words[k].separated.len() * 1000 / (words[k].word.len() + depth as usize),
            )
        });
        firsts.truncate(12);
        if firsts.is_empty() && self.machine.states() == 1 {
            return Vec::new();
        }
        if firsts.is_empty() {
            firsts.push(usize::MAX);
        }
        for first in firsts {
            let mut chosen = Vec::new();
            let mut rest = StateSet::empty(self.machine.states());
            for other in (0..self.machine.states() as u32).filter(|&other| other != state) {
                rest.insert(other);
            }
            if first != usize::MAX {
                chosen.push(first);
                rest.remove_all(&words[first].separated);
            }
            while rest.len() > 0 {
                let gain = |word: &Candidate| {
                    let gain = word.separated.common(&rest);
                    // Gain by cost.
                    (gain as u64) * 10_000 / (depth + word.word.len() as u64)
                };
                let next =
                    (0..words.len()).max_by_key(|&k| (gain(&words[k]), std::cmp::Reverse(k)));
                let next = match next {
                    Some(next) if words[next].separated.common(&rest) > 0 => next,
                    _ => {
                        let other = rest.iter().next().expect("some state is left");
                        let mut word = Vec::new();
                        self.separators
                            .append(self.machine, state, other, &mut word);
                        let mut separated = StateSet::empty(self.machine.states());
                        for other in 0..self.machine.states() as u32 {
                            if separates(self.machine, state, other, &word).is_some() {
                                separated.insert(other);
                            }
                        }
                        words.push(Candidate { word, separated });
                        words.len() - 1
                    }
                };
                rest.remove_all(&words[next].separated);
                chosen.push(next);
            }
            let symbols: u64 = chosen.iter().map(|&k| words[k].word.len() as u64).sum();
            let mut cost = (symbols + (chosen.len() as u64 - 1) * depth) * nodes.len() as u64;
            for other in (0..self.machine.states() as u32).filter(|&other| other != state) {
                if best.as_ref().is_some_and(|best| best.0 <= cost) {
                    break;
                }
                cost += self.behind_kernel(state, other, &words, &chosen).0;
            }
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, chosen));
            }
        }
        let (_, chosen) = best.expect("there is a first");
        for other in (0..self.machine.states() as u32).filter(|&other| other != state) {
            let (cost, word, length) = self.behind_kernel(state, other, &words, &chosen);
            if cost > 0 {
                let word = words[word].word[..length].to_vec();
                self.suite.insert(self.kernel[other as usize], &word);
            }
        }
        chosen.iter().map(|&k| words[k].clone()).collect()
    }

    /// What it costs to add what separates another state behind its node of the
    /// kernel, and which part of which word that is.
    fn behind_kernel(
        &self,
        state: u32,
        other: u32,
        words: &[Candidate],
        chosen: &[usize],
    ) -> (u64, usize, usize) {
        let mut best = (u64::MAX, 0, 0);
        for &k in chosen {
            if !words[k].separated.contains(other) {
                continue;
            }
            let length = separates(self.machine, state, other, &words[k].word);
            let length = length.expect("it separates them");
            let cost = self
                .suite
                .cost(self.kernel[other as usize], &words[k].word[..length]);
            best = best.min((cost, k, length));
            if cost == 0 {
                break;
            }
        }
        best
    }

    /// Separates a node from the kernel by candidates.
    fn identify(&mut self, node: u32, words: &[Candidate]) {
        let state = self.suite.state(node);
        loop {
            let mut others: Vec<u32> = (0..self.machine.states() as u32)
                .filter(|&other| other != state)
                .map(|other| self.kernel[other as usize])
                .collect();
            self.suite.keep_unseparated(node, &mut others);
            if others.is_empty() {
                return;
            }
            let mut best: Option<(u64, usize)> = None;
            for (k, word) in words.iter().enumerate() {
                let gained = others
                    .iter()
                    .filter(|&&other| word.separated.contains(self.suite.state(other)));
                let gain = gained.clone().count() as u64;
                if gain == 0 {
                    continue;
                }
                let mut cost = self.suite.cost(node, &word.word);
                for &other in gained {
                    let length =
                        separates(self.machine, state, self.suite.state(other), &word.word);
                    cost += self
                        .suite
                        .cost(other, &word.word[..length.expect("it separates them")]);
                }
                let price = cost * 1000 / gain;
                if best.is_none_or(|best| price < best.0) {
                    best = Some((price, k));
                }
            }
            match best {
                Some((_, k)) => {
                    self.suite.insert(node, &words[k].word);
                    for &other in &others {
                        let of_other = self.suite.state(other);
                        if let Some(length) =
                            separates(self.machine, state, of_other, &words[k].word)
                        {
                            self.suite.insert(other, &words[k].word[..length]);
                        }
                    }
                }
                None => self.suite.separate(node, others[0]),
            }
        }
    }

    /// Separates what is not separated yet.
    fn rest(&mut self) -> Result<(), MethodError> {
        let extra = self.layers.len() as u32 - 2;
        let layers = std::mem::take(&mut self.layers);
        let mut others = Vec::new();
        for (layer, nodes) in layers.iter().enumerate() {
            // All words of this length follow the node, and a node of the kernel.
            let complete = extra + 1 - layer as u32;
            for &node in nodes {
                let state = self.suite.state(node);
                others.clear();
                let far =
                    |other: u32| other != state && self.separators.length(state, other) > complete;
                if layer as u32 <= extra {
                    let kernel = (0..self.machine.states() as u32)
                        .filter(|&other| far(other) && (layer > 0 || other < state));
                    others.extend(kernel.map(|other| self.kernel[other as usize]));
                }
                let mut before = self.suite.parent(node);
                for _ in 1..layer {
                    if far(self.suite.state(before)) {
                        others.push(before);
                    }
                    before = self.suite.parent(before);
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
