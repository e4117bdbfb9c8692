//! Splitting trees, and the adaptive experiments that they give.

use super::super::identifiers::Word;
use super::super::machine::{InputId, Machine, NONE};

/// A splitting tree (D. Lee, M. Yannakakis: Testing Finite-State Machines: State
/// Identification and Verification, IEEE Trans. Computers 43, 1994): sets of
/// states, each with a word to which its parts give different answers.
///
/// A word is *valid* for a set if no two of its states that give the same answers
/// are led to one state. Words that are not are taken where there are no others.
pub(super) struct SplittingTree {
    blocks: Vec<Block>,
    /// For each state the least set that contains it.
    leaf: Vec<u32>,
}

struct Block {
    states: Vec<u32>,
    parent: u32,
    depth: u32,
    split: Option<Split>,
}

/// A word: an input, and then the word of another set.
#[derive(Clone, Copy)]
struct Split {
    input: u32,
    then: u32,
    valid: bool,
    length: u32,
}

/// A way to split a set; better ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    invalid: bool,
    length: u32,
    /// How many pairs of states would have to be told apart later.
    left: u64,
    input: u32,
    then: u32,
}

impl SplittingTree {
    /// The splitting tree of a complete machine: with valid words as far as there
    /// are any, then with others, until all states are told apart that are not
    /// equivalent. O(states · inputs) for each round, of which there are at most
    /// as many as states.
    ///
    /// If validity does not `matter`, words are chosen that leave few pairs of
    /// states to be told apart, of which those count more that never will be.
    pub(super) fn new(machine: &Machine, matter: bool) -> Self {
        let mut tree = Self {
            blocks: vec![Block {
                states: (0..machine.states() as u32).collect(),
                parent: NONE,
                depth: 0,
                split: None,
            }],
            leaf: vec![0; machine.states()],
        };
        let mut open: Vec<u32> = vec![0];
        let mut images = Images::default();
        while !open.is_empty() {
            let ways: Vec<Option<Way>> = open
                .iter()
                .map(|&block| tree.best_way(machine, block, &mut images, matter))
                .collect();
            let valid = |way: &Option<Way>| way.is_some_and(|way| !way.invalid);
            let some_valid = ways.iter().any(valid);
            if ways.iter().all(Option::is_none) {
                // What is left is equivalent.
                break;
            }
            let mut next = Vec::new();
            for (&block, way) in open.iter().zip(&ways) {
                match way {
                    Some(way) if !way.invalid || !some_valid => {
                        let parts = tree.split(machine, block, way);
                        let large = |part: &u32| tree.blocks[*part as usize].states.len() > 1;
                        next.extend(parts.into_iter().filter(large));
                    }
                    _ => next.push(block),
                }
            }
            open = next;
        }
        tree
    }

    /// Whether all states are told apart by valid words, which gives an adaptive
    /// distinguishing sequence; there is none else.
    pub(super) fn is_valid(&self) -> bool {
        self.blocks.iter().all(|block| match block.split {
            Some(split) => split.valid,
            None => block.states.len() == 1,
        })
    }

    fn best_way(
        &self,
        machine: &Machine,
        block: u32,
        images: &mut Images,
        matter: bool,
    ) -> Option<Way> {
        let states = &self.blocks[block as usize].states;
        (0..machine.inputs() as u32)
            .filter_map(|input| {
                let (outputs, merged, left) = images.of(machine, states, input);
                if outputs > 1 {
                    return Some(Way {
                        invalid: matter && merged > 0,
                        length: 1,
                        left: left + 3 * merged,
                        input,
                        then: NONE,
                    });
                }
                let targets = states.iter().map(|&state| machine.target(state, input));
                let then = self.least(targets);
                let split = self.blocks[then as usize].split?;
                Some(Way {
                    invalid: matter && (merged > 0 || !split.valid),
                    length: split.length + 1,
                    left: merged,
                    input,
                    then,
                })
            })
            .min()
    }

    /// The least set that contains some states.
    fn least(&self, mut states: impl Iterator<Item = u32>) -> u32 {
        let first = states.next().map_or(0, |state| self.leaf[state as usize]);
        states.fold(first, |mut a, state| {
            let mut b = self.leaf[state as usize];
            while a != b {
                let (of_a, of_b) = (&self.blocks[a as usize], &self.blocks[b as usize]);
                if of_a.depth >= of_b.depth {
                    a = of_a.parent;
                } else {
                    b = of_b.parent;
                }
            }
            a
        })
    }

    /// The child of a set in which a state is.
    fn part(&self, block: u32, state: u32) -> u32 {
        let mut at = self.leaf[state as usize];
        while self.blocks[at as usize].parent != block {
            at = self.blocks[at as usize].parent;
        }
        at
    }

    fn split(&mut self, machine: &Machine, block: u32, way: &Way) -> Vec<u32> {
        let states = std::mem::take(&mut self.blocks[block as usize].states);
        let mut keyed: Vec<(u32, u32)> = states
            .iter()
            .map(|&state| {
                let key = match way.then {
                    NONE => machine.answer(state, way.input),
                    then => self.part(then, machine.target(state, way.input)),
                };
                (key, state)
            })
            .collect();
        keyed.sort_unstable();
        let depth = self.blocks[block as usize].depth + 1;
        let mut parts = Vec::new();
        for part in keyed.chunk_by(|a, b| a.0 == b.0) {
            parts.push(self.blocks.len() as u32);
            self.blocks.push(Block {
                states: part.iter().map(|&(_, state)| state).collect(),
                parent: block,
                depth,
                split: None,
            });
        }
        for &part in &parts {
            for &state in &self.blocks[part as usize].states {
                self.leaf[state as usize] = part;
            }
        }
        self.blocks[block as usize].split = Some(Split {
            input: way.input,
            then: way.then,
            valid: !way.invalid,
            length: way.length,
        });
        parts
    }

    /// The words that states are given by the adaptive experiment that begins in
    /// any of them: each answer decides how it goes on, with the word of the least
    /// set that contains where it may be. It ends where this is one state. Words
    /// longer in all than `most` inputs are cut off.
    ///
    /// Two states follow the same words as long as they give the same answers.
    pub(super) fn experiment(&self, machine: &Machine, most: usize) -> Vec<Word> {
        let mut words: Vec<Word> = vec![Vec::new(); machine.states()];
        let all = (0..machine.states() as u32)
            .map(|state| (state, state))
            .collect();
        // Pairs of where it is and where it began, with the inputs so far.
        let mut stack: Vec<(Vec<(u32, u32)>, Word)> = vec![(all, Vec::new())];
        while let Some((items, mut word)) = stack.pop() {
            let block = self.least(items.iter().map(|item| item.0));
            let merged = items.iter().all(|item| item.0 == items[0].0);
            let Some(mut split) = self.blocks[block as usize].split.filter(|_| !merged) else {
                for (_, state) in items {
                    words[state as usize].clone_from(&word);
                }
                continue;
            };
            let mut answered: Vec<(Vec<u32>, (u32, u32))> =
                items.into_iter().map(|item| (Vec::new(), item)).collect();
            loop {
                for (answers, (at, _)) in &mut answered {
                    answers.push(machine.answer(*at, split.input));
                    *at = machine.target(*at, split.input);
                }
                word.push(InputId::new(split.input));
                match split.then {
                    NONE => break,
                    then => match self.blocks[then as usize].split {
                        Some(next) => split = next,
                        None => break,
                    },
                }
            }
            answered.sort_unstable();
            for part in answered.chunk_by(|a, b| a.0 == b.0) {
                let items: Vec<_> = part.iter().map(|one| one.1).collect();
                if items.len() == 1 || word.len() >= most {
                    for (_, state) in items {
                        words[state as usize].clone_from(&word);
                    }
                } else {
                    stack.push((items, word.clone()));
                }
            }
        }
        words
    }
}

/// What an input does with a set of states.
#[derive(Default)]
struct Images {
    pairs: Vec<(u32, u32)>,
}

impl Images {
    /// How many outputs there are, how many states are led to where others with
    /// the same output are, and how many pairs have the same output.
    fn of(&mut self, machine: &Machine, states: &[u32], input: u32) -> (usize, u64, u64) {
        self.pairs.clear();
        let steps = states.iter();
        self.pairs
            .extend(steps.map(|&s| (machine.answer(s, input), machine.target(s, input))));
        self.pairs.sort_unstable();
        let same = self.pairs.windows(2).filter(|pair| pair[0] == pair[1]);
        let merged = same.count() as u64;
        let (mut outputs, mut left) = (0, 0);
        for part in self.pairs.chunk_by(|a, b| a.0 == b.0) {
            outputs += 1;
            let size = part.len() as u64;
            left += size * (size - 1) / 2;
        }
        (outputs, merged, left)
    }
}
