//! Sets of words, shared: tries, and all words of a length.

use super::machine::InputId;

/// A set of words that is closed under prefixes, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WordSet(u32);

/// Sets of words over the inputs of a machine. What is a prefix of another word
/// of its set is not told apart from what is none: a set stands for its longest
/// words. Memory for the sum of the words' lengths; all words of length `k`
/// take `k` nodes.
#[derive(Clone, Debug)]
pub struct WordSets {
    /// For each node the inputs that go on, ascending, and the nodes after.
    nodes: Vec<Vec<(InputId, WordSet)>>,
}

impl Default for WordSets {
    fn default() -> Self {
        Self {
            nodes: vec![Vec::new()],
        }
    }
}

impl WordSets {
    /// The set of the empty word.
    pub const EMPTY: WordSet = WordSet(0);

    /// The set of these words.
    pub fn of<W: AsRef<[InputId]>>(&mut self, words: impl IntoIterator<Item = W>) -> WordSet {
        let mut root = Self::EMPTY;
        for word in words {
            let word = word.as_ref();
            if word.is_empty() {
                continue;
            }
            if root == Self::EMPTY {
                root = self.add(Vec::new());
            }
            let mut at = root;
            for (k, &input) in word.iter().enumerate() {
                at = match self.find(at, input) {
                    // The shared set is not changed: what goes on gets a node of
                    // its own.
                    Ok(place) if self.nodes[at.0 as usize][place].1 == Self::EMPTY => {
                        if k + 1 == word.len() {
                            Self::EMPTY
                        } else {
                            let new = self.add(Vec::new());
                            self.nodes[at.0 as usize][place].1 = new;
                            new
                        }
                    }
                    Ok(place) => self.nodes[at.0 as usize][place].1,
                    Err(place) => {
                        let new = match k + 1 == word.len() {
                            true => Self::EMPTY,
                            false => self.add(Vec::new()),
                        };
                        self.nodes[at.0 as usize].insert(place, (input, new));
                        new
                    }
                };
                if at == Self::EMPTY {
                    break;
                }
            }
        }
        root
    }

    /// All words of a length over so many inputs.
    pub fn all(&mut self, inputs: usize, length: usize) -> WordSet {
        (0..length).fold(Self::EMPTY, |set, _| {
            let next = (0..inputs as u32).map(|input| (InputId::new(input), set));
            self.add(next.collect())
        })
    }

    fn add(&mut self, node: Vec<(InputId, WordSet)>) -> WordSet {
        self.nodes.push(node);
        WordSet(self.nodes.len() as u32 - 1)
    }

    fn find(&self, set: WordSet, input: InputId) -> Result<usize, usize> {
        self.nodes[set.0 as usize].binary_search_by_key(&input, |next| next.0)
    }

    /// The inputs with which words begin, ascending, and what may follow them.
    pub fn next(&self, set: WordSet) -> &[(InputId, WordSet)] {
        &self.nodes[set.0 as usize]
    }

    /// What may follow an input; `None` if no word begins with it.
    pub fn after(&self, set: WordSet, input: InputId) -> Option<WordSet> {
        let place = self.find(set, input).ok()?;
        Some(self.nodes[set.0 as usize][place].1)
    }

    /// The longest words of a set, in the order of inputs.
    pub fn words(&self, set: WordSet) -> Vec<Vec<InputId>> {
        let mut words = Vec::new();
        let mut stack = vec![(Vec::new(), set)];
        while let Some((word, set)) = stack.pop() {
            let next = self.next(set);
            for &(input, after) in next.iter().rev() {
                let mut longer: Vec<InputId> = Vec::clone(&word);
                longer.push(input);
                stack.push((longer, after));
            }
            if next.is_empty() {
                words.push(word);
            }
        }
        words
    }
}
