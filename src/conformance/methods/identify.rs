//! Words that separate a state from all others and cost least.

use super::super::machine::Machine;
use super::candidates::{Candidate, StateSet, candidates, separates};
use super::growing::Growing;

/// How many words are made longer when candidates are searched.
const WIDTH: usize = 8;

/// With so many first words a plan is begun.
const FIRSTS: usize = 8;

/// So many candidates are kept for a state.
const KEPT: usize = 160;

/// So many words are walked at most to find what a plan costs.
const WALKS: usize = 4096;

/// Words for the states of a machine.
pub(super) struct Identifiers {
    /// The places of the state cover.
    pub(super) kernel: Vec<u32>,
    /// Candidates for each state, once they are needed.
    words: Vec<Option<Vec<Candidate>>>,
    /// Words for each state, which are among its candidates.
    given: Vec<Vec<Vec<u32>>>,
}

/// Where a plan is to be used.
pub(super) struct Use {
    /// How often.
    pub(super) times: u64,
    /// What a word costs beside its symbols, but for the first.
    pub(super) anew: u64,
}

impl Identifiers {
    pub(super) fn new(kernel: Vec<u32>) -> Self {
        Self {
            words: vec![None; kernel.len()],
            given: vec![Vec::new(); kernel.len()],
            kernel,
        }
    }

    /// Takes words for each state that separate it from others which have them as
    /// well, and adds them behind the kernel: for other nodes they cost less then.
    pub(super) fn give<'a, G: Growing<'a>>(&mut self, suite: &mut G, words: Vec<Vec<Vec<u32>>>) {
        for (&place, words) in self.kernel.iter().zip(&words) {
            for word in words {
                suite.insert(place, word);
            }
        }
        self.given = words;
    }

    fn words(&mut self, machine: &Machine, state: u32) -> &mut Vec<Candidate> {
        let given = self.given[state as usize].iter();
        self.words[state as usize].get_or_insert_with(|| {
            let mut words = candidates(machine, state, WIDTH);
            // Those that separate most for what they cost.
            words.sort_by_key(|word| {
                std::cmp::Reverse(word.separated.len() * 1000 / (word.word.len() + 4))
            });
            words.truncate(KEPT);
            words.extend(given.map(|word| candidate(machine, state, word.clone())));
            words
        })
    }

    /// Words that separate a state from all others, and cost least where they are
    /// used and behind the kernel; what is needed behind the kernel is added.
    pub(super) fn plan<'a, G: Growing<'a>>(
        &mut self,
        suite: &mut G,
        state: u32,
        used: &Use,
    ) -> Vec<Vec<u32>> {
        let machine = suite.machine();
        let states = machine.states();
        if states == 1 {
            return Vec::new();
        }
        self.words(machine, state);
        let (kernel, words) = (&self.kernel, self.words[state as usize].as_mut());
        let words = words.expect("just made");
        if words.is_empty() {
            words.push(shortest(suite, state, u32::from(state == 0)));
        }
        // For the same length those first that separate more.
        let worth = |word: &Candidate| {
            word.separated.len() as u64 * 1000 / (word.word.len() as u64 + used.anew)
        };
        let mut firsts: Vec<usize> = (0..words.len()).collect();
        firsts.sort_by_key(|&k| std::cmp::Reverse(worth(&words[k])));
        // About as much time for each state, however many there are.
        firsts.truncate((WALKS / states).clamp(1, FIRSTS));
        let mut best: Option<(u64, Vec<usize>)> = None;
        for first in firsts {
            let chosen = complete(suite, state, words, first, used.anew);
            let symbols: u64 = chosen.iter().map(|&k| words[k].word.len() as u64).sum();
            let mut cost = (symbols + (chosen.len() as u64 - 1) * used.anew) * used.times;
            for other in (0..states as u32).filter(|&other| other != state) {
                if best.as_ref().is_some_and(|best| best.0 <= cost) {
                    break;
                }
                let place = kernel[other as usize];
                cost += behind(suite, place, state, words, &chosen).0;
            }
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, chosen));
            }
        }
        let (_, chosen) = best.expect("some word separates two states");
        for other in (0..states as u32).filter(|&other| other != state) {
            let place = kernel[other as usize];
            let (cost, word, length) = behind(suite, place, state, words, &chosen);
            if cost > 0 {
                suite.insert(place, &words[word].word[..length]);
            }
        }
        chosen.iter().map(|&k| words[k].word.clone()).collect()
    }

    /// The words of a plan for the state of a place that still separate it from
    /// the kernel.
    pub(super) fn needed<'a, 'p, G: Growing<'a>>(
        &self,
        suite: &G,
        place: u32,
        plan: &'p [Vec<u32>],
    ) -> Vec<&'p [u32]> {
        let state = suite.state(place);
        if suite.is_end(place) {
            return plan.iter().map(Vec::as_slice).collect();
        }
        let mut others = self.others(state);
        suite.keep_unseparated(place, &mut others);
        let mut needed = Vec::new();
        for word in plan {
            let before = others.len();
            others.retain(|&other| {
                separates(suite.machine(), state, suite.state(other), word).is_none()
            });
            if others.len() < before {
                needed.push(word.as_slice());
            }
        }
        needed
    }

    /// The places of the kernel of all states but one.
    fn others(&self, state: u32) -> Vec<u32> {
        let all = self.kernel.iter().enumerate();
        let others = all.filter(|&(other, _)| other as u32 != state);
        others.map(|(_, &place)| place).collect()
    }

    /// Separates a place from the kernel, wherever their states differ.
    pub(super) fn identify<'a, G: Growing<'a>>(&mut self, suite: &mut G, place: u32) {
        let state = suite.state(place);
        loop {
            let mut others = self.others(state);
            suite.keep_unseparated(place, &mut others);
            if others.is_empty() {
                return;
            }
            let words = self.words(suite.machine(), state);
            let mut left = StateSet::empty(suite.machine().states());
            for &other in &others {
                left.insert(suite.state(other));
            }
            let mut best: Option<(u64, usize)> = None;
            for (k, word) in words.iter().enumerate() {
                let gain = word.separated.common(&left) as u64;
                if gain == 0 {
                    continue;
                }
                // What a separated state costs.
                let price = |cost: u64| cost * 1000 / gain;
                let worse = |cost| best.is_some_and(|best| price(cost) >= best.0);
                let mut cost = suite.cost(place, &word.word);
                for &other in &others {
                    if worse(cost) {
                        break;
                    }
                    let of_other = suite.state(other);
                    if word.separated.contains(of_other) {
                        let length = separates(suite.machine(), state, of_other, &word.word);
                        cost += suite.cost(other, &word.word[..length.expect("it does")]);
                    }
                }
                if !worse(cost) {
                    best = Some((price(cost), k));
                }
            }
            let Some((_, k)) = best else {
                suite.separate(place, others[0]);
                continue;
            };
            suite.insert(place, &words[k].word);
            for &other in &others {
                let of_other = suite.state(other);
                if let Some(length) = separates(suite.machine(), state, of_other, &words[k].word) {
                    suite.insert(other, &words[k].word[..length]);
                }
            }
        }
    }
}

/// A first word and others, such that together they separate a state from all
/// others. Shortest words for single pairs are added where there is none.
fn complete<'a, G: Growing<'a>>(
    suite: &G,
    state: u32,
    words: &mut Vec<Candidate>,
    first: usize,
    anew: u64,
) -> Vec<usize> {
    let machine = suite.machine();
    let mut rest = StateSet::empty(machine.states());
    for other in (0..machine.states() as u32).filter(|&other| other != state) {
        rest.insert(other);
    }
    rest.remove_all(&words[first].separated);
    let mut chosen = vec![first];
    while let Some(other) = rest.first() {
        let worth = |word: &Candidate| {
            let gain = word.separated.common(&rest) as u64;
            gain * 10_000 / (anew + word.word.len() as u64)
        };
        let worths = words
            .iter()
            .enumerate()
            .map(|(k, word)| (worth(word), std::cmp::Reverse(k)));
        let next = match worths.max() {
            Some((1.., std::cmp::Reverse(next))) => next,
            _ => {
                words.push(shortest(suite, state, other));
                words.len() - 1
            }
        };
        rest.remove_all(&words[next].separated);
        chosen.push(next);
    }
    chosen
}

/// A shortest word that separates a state from another.
fn shortest<'a, G: Growing<'a>>(suite: &G, state: u32, other: u32) -> Candidate {
    let machine = suite.machine();
    let mut word = Vec::new();
    suite.separators().append(machine, state, other, &mut word);
    candidate(machine, state, word)
}

fn candidate(machine: &Machine, state: u32, word: Vec<u32>) -> Candidate {
    let mut separated = StateSet::empty(machine.states());
    for other in 0..machine.states() as u32 {
        if separates(machine, state, other, &word).is_some() {
            separated.insert(other);
        }
    }
    Candidate { word, separated }
}

/// What it costs to add what separates a state from that of a place behind the
/// place, and which part of which word that is.
fn behind<'a, G: Growing<'a>>(
    suite: &mut G,
    place: u32,
    state: u32,
    words: &[Candidate],
    chosen: &[usize],
) -> (u64, usize, usize) {
    let other = suite.state(place);
    let mut best = (u64::MAX, 0, 0);
    for &k in chosen {
        if !words[k].separated.contains(other) {
            continue;
        }
        let length = separates(suite.machine(), state, other, &words[k].word);
        let length = length.expect("it separates them");
        best = best.min((suite.cost(place, &words[k].word[..length]), k, length));
        if best.0 == 0 {
            break;
        }
    }
    best
}
