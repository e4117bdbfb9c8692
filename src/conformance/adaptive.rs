//! State identifiers from adaptive experiments.

use std::collections::HashSet;

use hyades_formats::StateId;

use super::cover::Cover;
use super::identifiers::Word;
use super::layered::Layered;
use super::machine::{InputId, Machine};
use super::methods::Separators;

/// Harmonised identifiers of the states of a complete minimal machine, from an
/// adaptive experiment, for a suite with so many layers after the state cover.
///
/// An experiment is a splitting tree (Lee & Yannakakis: Testing Finite-State
/// Machines, 1994), walked from all states at once: an input word splits the
/// states that were not told apart so far by what they answer. States that it
/// brings to one state before they are told apart begin a further word. Two
/// states follow the same words until they answer differently, which makes the
/// identifiers harmonised.
///
/// Of the words that split a set, that one is taken which lets the least cost be
/// expected: its symbols, what the parts will need, and how often a word must
/// begin anew, which costs a walk to the state; each state counts as often as the
/// suite identifies it. Several weightings are tried and those of the smallest
/// suite are taken. O(states · inputs · sets looked at) for each set that is split.
pub fn adaptive_identifiers(
    machine: &Machine,
    separators: &Separators,
    layers: usize,
) -> Vec<Vec<Word>> {
    let cover = Cover::new(machine);
    let frequency = Frequency::new(machine, &cover, layers);
    let weightings = match machine.states() * machine.inputs() > ONE_WEIGHTING_ABOVE {
        true => &WEIGHTINGS[..1],
        false => &WEIGHTINGS,
    };
    let tried = weightings.iter().map(|&weighting| {
        let experiment = Experiment {
            machine,
            separators,
            frequency: &frequency,
            weighting,
        };
        let identifiers = experiment.identifiers();
        let cost = match frequency.cost(&identifiers) {
            // Prefixes of one another count once only if the suite is told.
            cost if cost < EXACTLY_BELOW => {
                let suite = Layered::identifying(Cover::new(machine), &identifiers, layers);
                suite.size(machine).cost() as f64
            }
            cost => cost,
        };
        (cost, identifiers)
    });
    let best = tried.reduce(|a, b| if b.0 < a.0 { b } else { a });
    best.expect("there are weightings").1
}

/// Suites of less cost are told in order to know their cost.
const EXACTLY_BELOW: f64 = 3e6;

/// How the cost of what is not known yet is guessed.
#[derive(Clone, Copy)]
struct Weighting {
    /// Of a word that begins anew, the part that counts.
    anew: f64,
    /// Inputs for each doubling of the number of states to be told apart.
    doubling: f64,
}

const WEIGHTINGS: [Weighting; 4] = [
    Weighting {
        anew: 1.0,
        doubling: 1.0,
    },
    Weighting {
        anew: 1.0,
        doubling: 2.0,
    },
    Weighting {
        anew: 0.5,
        doubling: 1.0,
    },
    Weighting {
        anew: 2.0,
        doubling: 1.0,
    },
];

/// Inputs for telling states apart, however few they are.
const AT_LEAST: f64 = 0.5;

/// So many transitions are looked at for all sets, of which there are about as
/// many as states.
const LOOKED_AT: usize = 1 << 26;

/// And so many at most for one of them.
const LOOKED_AT_FOR_ONE: usize = 1 << 19;

/// Of machines with more transitions only one weighting is tried.
const ONE_WEIGHTING_ABOVE: usize = 1 << 17;

/// How often a suite identifies states.
struct Frequency {
    of_state: Vec<f64>,
    /// The cost of a word beside its own symbols.
    prefix: f64,
}

impl Frequency {
    fn new(machine: &Machine, cover: &Cover, layers: usize) -> Self {
        let states = machine.states();
        let mut of_state = vec![1.0; states];
        let mut layer = vec![1.0; states];
        for _ in 0..layers {
            let mut next = vec![0.0; states];
            for (state, &often) in layer.iter().enumerate() {
                for &target in machine.targets_of(state as u32) {
                    next[target as usize] += often;
                }
            }
            for (sum, often) in of_state.iter_mut().zip(&next) {
                *sum += often;
            }
            layer = next;
        }
        let depths = cover.states().iter().map(|&s| f64::from(cover.depth(s)));
        Self {
            of_state,
            prefix: depths.sum::<f64>() / states as f64 + layers as f64 + 1.0,
        }
    }

    fn of(&self, states: impl Iterator<Item = u32>) -> f64 {
        states.map(|state| self.of_state[state as usize]).sum()
    }

    /// The cost of a suite in which no test is a prefix of another.
    fn cost(&self, identifiers: &[Vec<Word>]) -> f64 {
        let of_word = |word: &Word| self.prefix + word.len() as f64;
        let of_state = |words: &Vec<Word>| words.iter().map(of_word).sum::<f64>();
        let states = identifiers.iter().zip(&self.of_state);
        states.map(|(words, often)| often * of_state(words)).sum()
    }
}

/// A state from which an experiment began, and where it is now.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    current: u32,
    initial: u32,
}

struct Experiment<'a> {
    machine: &'a Machine,
    separators: &'a Separators,
    frequency: &'a Frequency,
    weighting: Weighting,
}

/// Where the states of a set are after a word that does not split it.
struct Moved {
    currents: Vec<u32>,
    /// The set before, and the input.
    before: (usize, u32),
    depth: usize,
}

impl Experiment<'_> {
    fn identifiers(&self) -> Vec<Vec<Word>> {
        let states = self.machine.states() as u32;
        let mut words: Vec<Vec<Word>> = vec![Vec::new(); states as usize];
        let anew = |initial: u32| Item {
            current: initial,
            initial,
        };
        let all: Vec<Item> = (0..states).map(anew).collect();
        // Sets that have given the same answers to the word so far.
        let mut stack: Vec<(Word, Vec<Item>)> = vec![(Vec::new(), all)];
        while let Some((word, items)) = stack.pop() {
            let merged = items.iter().all(|item| item.current == items[0].current);
            if merged {
                for item in items.iter().filter(|_| !word.is_empty()) {
                    words[item.initial as usize].push(word.clone());
                }
                if items.len() > 1 {
                    let again = items.iter().map(|item| anew(item.initial));
                    stack.push((Vec::new(), again.collect()));
                }
                continue;
            }
            let splitting = self.splitting_word(&items);
            let mut answered: Vec<(Vec<u32>, Item)> = items
                .iter()
                .map(|&item| {
                    let mut current = item.current;
                    let mut answers = Vec::with_capacity(splitting.len());
                    for &input in &splitting {
                        answers.push(self.machine.answer(current, input));
                        current = self.machine.target(current, input);
                    }
                    (answers, Item { current, ..item })
                })
                .collect();
            answered.sort_unstable();
            let mut longer = word;
            longer.extend(splitting.iter().map(|&input| InputId::new(input)));
            for part in answered.chunk_by(|a, b| a.0 == b.0) {
                let part = part.iter().map(|(_, item)| *item).collect();
                stack.push((longer.clone(), part));
            }
        }
        words
    }

    /// The word that splits a set for the least expected cost, among those that
    /// split it with their last input: breadth first, until words are longer than
    /// the best one costs, or enough has been looked at.
    fn splitting_word(&self, items: &[Item]) -> Vec<u32> {
        let often = self.frequency.of(items.iter().map(|item| item.initial));
        let start: Vec<u32> = items.iter().map(|item| item.current).collect();
        let mut seen: HashSet<_, foldhash::fast::RandomState> = HashSet::default();
        seen.insert(start.clone());
        let mut sets = vec![Moved {
            currents: start,
            before: (0, 0),
            depth: 0,
        }];
        let inputs = self.machine.inputs() as u32;
        let transitions = (LOOKED_AT / self.machine.states()).min(LOOKED_AT_FOR_ONE);
        let most = (transitions / (items.len() * inputs as usize)).max(4);
        let mut best: Option<(f64, usize, u32)> = None;
        let mut answered: Vec<(u32, Item)> = Vec::with_capacity(items.len());
        let mut next = 0;
        while next < sets.len() {
            let symbols = often * (sets[next].depth + 1) as f64;
            if best.is_some_and(|(cost, ..)| symbols >= cost) {
                break;
            }
            for input in 0..inputs {
                let set = &sets[next];
                answered.clear();
                answered.extend(items.iter().zip(&set.currents).map(|(item, &state)| {
                    let current = self.machine.target(state, input);
                    (self.machine.answer(state, input), Item { current, ..*item })
                }));
                if answered.iter().any(|one| one.0 != answered[0].0) {
                    answered.sort_unstable();
                    let parts = answered.chunk_by(|a, b| a.0 == b.0);
                    let cost = symbols + parts.map(|part| self.expected(part)).sum::<f64>();
                    if best.is_none_or(|(least, ..)| cost < least) {
                        best = Some((cost, next, input));
                    }
                } else if sets.len() < most {
                    let currents: Vec<u32> = answered.iter().map(|one| one.1.current).collect();
                    let merged = currents.iter().all(|&current| current == currents[0]);
                    if !merged && seen.insert(currents.clone()) {
                        sets.push(Moved {
                            currents,
                            before: (next, input),
                            depth: set.depth + 1,
                        });
                    }
                }
            }
            next += 1;
        }
        let Some((_, mut at, input)) = best else {
            return self.shortest(items);
        };
        let mut word = vec![input];
        while at != 0 {
            let (before, input) = sets[at].before;
            word.push(input);
            at = before;
        }
        word.reverse();
        word
    }

    /// A shortest word that separates two states of a set, those that need the
    /// fewest inputs.
    fn shortest(&self, items: &[Item]) -> Vec<u32> {
        let one = items[0].current;
        let others = items.iter().map(|item| item.current).filter(|&s| s != one);
        let other = others.min_by_key(|&other| self.separators.length(one, other));
        let word = other.and_then(|other| {
            let (one, other) = (StateId::new(one), StateId::new(other));
            self.separators.separator(self.machine, one, other)
        });
        let word = word.expect("the set is not merged, and the machine minimal");
        word.iter().map(|input| input.get()).collect()
    }

    /// What is still to be paid for states that have given the same answers,
    /// sorted by where they are.
    fn expected(&self, part: &[(u32, Item)]) -> f64 {
        let often = |items: &[(u32, Item)]| self.frequency.of(items.iter().map(|i| i.1.initial));
        let inputs = |states: usize| AT_LEAST + self.weighting.doubling * doublings(states);
        let mut distinct = 0;
        let mut cost = 0.0;
        for merged in part.chunk_by(|a, b| a.1.current == b.1.current) {
            distinct += 1;
            if merged.len() > 1 {
                let anew = self.frequency.prefix + inputs(merged.len());
                cost += self.weighting.anew * often(merged) * anew;
            }
        }
        if distinct > 1 {
            cost += often(part) * inputs(distinct);
        }
        cost
    }
}

/// About the binary logarithm, and the same on every machine.
fn doublings(states: usize) -> f64 {
    let whole = states.ilog2();
    f64::from(whole) + states as f64 / f64::from(whole).exp2() - 1.0
}
