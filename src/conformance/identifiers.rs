//! Words that tell states apart.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use hyades_formats::StateId;

use super::machine::{InputId, Machine, NONE};
use super::methods::Separators;
use super::partition::StatePartition;

/// A word over the inputs of a machine.
pub type Word = Vec<InputId>;

/// Of machines with at most so many states, words for all pairs of states are
/// considered for a characterisation set.
const ALL_PAIRS: usize = 600;

/// Numbers states by what they answer to a word: equal numbers for equal
/// answers, from 0 in the order of states. What is known of a word is gone on from for
/// longer ones that begin by it.
struct Answers<'m> {
    machine: &'m Machine,
    states: &'m [StateId],
    word: Word,
    of_state: Vec<u32>,
    /// Where the word leads to from each state.
    current: Vec<u32>,
}

impl<'m> Answers<'m> {
    fn new(machine: &'m Machine, states: &'m [StateId]) -> Self {
        Self {
            machine,
            states,
            word: Vec::new(),
            of_state: vec![0; states.len()],
            current: states.iter().map(|state| state.get()).collect(),
        }
    }

    /// The numbers for a word. O(states) for each input that the last word has not.
    fn to(&mut self, word: &[InputId]) -> &[u32] {
        if !word.starts_with(&self.word) {
            *self = Self::new(self.machine, self.states);
        }
        let mut numbers: HashMap<(u32, u32), u32, foldhash::fast::RandomState> = HashMap::default();
        for input in &word[self.word.len()..] {
            numbers.clear();
            for (class, state) in self.of_state.iter_mut().zip(&mut self.current) {
                let output = self.machine.answer(*state, input.get());
                let next = numbers.len() as u32;
                *class = *numbers.entry((*class, output)).or_insert(next);
                *state = self.machine.target(*state, input.get());
            }
        }
        self.word.clear();
        self.word.extend_from_slice(word);
        &self.of_state
    }

    /// Those for each of some words.
    fn for_all(machine: &'m Machine, states: &'m [StateId], words: &[Word]) -> Vec<Vec<u32>> {
        let mut answers = Self::new(machine, states);
        let numbers = |word: &Word| answers.to(word).to_vec();
        words.iter().map(numbers).collect()
    }
}

/// A characterisation set of a complete minimal machine: words that together
/// separate all pairs of states, of which some pair needs each. Without words
/// for a machine of one state.
///
/// Shortest separating words, of which Bernhard's heuristic h2 (A Reduced Test
/// Suite for Protocol Conformance Testing, section 5: greedy set cover over
/// pairs of states) takes the one that separates most pairs, again and again;
/// at last what has become superfluous goes. O(words · states) a round at the most, and
/// up to 128 MB for what states answer to the words.
pub fn characterization_set(machine: &Machine, partition: &StatePartition) -> Vec<Word> {
    let states: Vec<StateId> = machine.state_ids().collect();
    covering(machine, &states, candidates(machine, partition))
}

/// A characterisation set of as few words as there can be among shortest words
/// that separate pairs of states; `None` if finding it takes more than so many
/// `steps`. Words that cover the pairs of states
/// by depth-first search, for one more word at a time: each step takes the pair
/// that the fewest words separate. Exponential in the number of words.
pub fn smallest_characterization_set(
    machine: &Machine,
    partition: &StatePartition,
    steps: u64,
) -> Option<Vec<Word>> {
    let words = candidates(machine, partition);
    let states: Vec<StateId> = machine.state_ids().collect();
    let rows = Answers::for_all(machine, &states, &words);
    let most = characterization_set(machine, partition).len();
    let mut steps = steps;
    for size in 0..=most {
        let mut chosen = Vec::new();
        if cover_with(&rows, states.len(), size, &mut chosen, &mut steps)? {
            return Some(chosen.into_iter().map(|k| words[k].clone()).collect());
        }
    }
    // The greedy one is a cover of `most` words.
    None
}

/// Whether so many more words separate what those chosen do not; `None` if there
/// are no steps left. As deep as a set has words.
fn cover_with(
    rows: &[Vec<u32>],
    states: usize,
    size: usize,
    chosen: &mut Vec<usize>,
    steps: &mut u64,
) -> Option<bool> {
    *steps = steps.checked_sub(1)?;
    let mut classes = vec![0; states];
    for &k in chosen.iter() {
        classes = refine(&classes, &rows[k]);
    }
    // The pair of one class that the fewest words separate.
    let mut rarest: Option<(usize, usize, usize)> = None;
    let mut first: HashMap<u32, usize, foldhash::fast::RandomState> = HashMap::default();
    for (b, &class) in classes.iter().enumerate() {
        let a = *first.entry(class).or_insert(b);
        if a != b {
            let count = rows.iter().filter(|row| row[a] != row[b]).count();
            rarest = rarest.into_iter().chain([(count, a, b)]).min();
        }
    }
    let Some((_, a, b)) = rarest else {
        return Some(true);
    };
    if size == 0 {
        return Some(false);
    }
    for k in (0..rows.len()).filter(|&k| rows[k][a] != rows[k][b]) {
        chosen.push(k);
        if cover_with(rows, states, size - 1, chosen, steps)? {
            return Some(true);
        }
        chosen.pop();
    }
    Some(false)
}

/// Of these words some that together separate as many pairs of these states:
/// greedily, and then without those that have become superfluous.
pub(super) fn covering(machine: &Machine, states: &[StateId], candidates: Vec<Word>) -> Vec<Word> {
    let mut room = ROOM;
    let mut answers = Answers::new(machine, states);
    let mut together = Together::new(states.len());
    // What a word separates newly only gets less, so that the first of the heap
    // that is up to date is the best.
    let mut heap: BinaryHeap<(u64, Reverse<(usize, usize)>)> = BinaryHeap::new();
    let mut rows: Vec<Option<Box<[u32]>>> = Vec::with_capacity(candidates.len());
    for (k, word) in candidates.iter().enumerate() {
        let row = answers.to(word);
        heap.push((together.separated(row), Reverse((word.len(), k))));
        let is_kept = room >= row.len();
        room -= if is_kept { row.len() } else { 0 };
        rows.push(is_kept.then(|| row.into()));
    }
    let mut chosen: Vec<Word> = Vec::new();
    while let Some((_, Reverse((length, k)))) = heap.pop() {
        let row = match &rows[k] {
            Some(row) => row,
            None => answers.to(&candidates[k]),
        };
        let gain = together.separated(row);
        if gain == 0 {
            continue;
        }
        let now = (gain, Reverse((length, k)));
        if heap.peek().is_some_and(|next| *next > now) {
            heap.push(now);
            continue;
        }
        together.separate(row);
        chosen.push(candidates[k].clone());
    }
    irredundant(machine, states, chosen)
}

/// So many answers to words are remembered, 4 bytes each.
const ROOM: usize = 1 << 25;

/// States that are not separated yet, in groups of two or more.
struct Together {
    states: Vec<u32>,
    /// Where the groups end.
    ends: Vec<usize>,
    /// How many states of a group have each number; all 0 between calls.
    counts: Vec<u32>,
}

impl Together {
    fn new(states: usize) -> Self {
        let mut this = Self {
            states: (0..states as u32).collect(),
            ends: vec![states],
            counts: vec![0; states],
        };
        if states < 2 {
            this.states.clear();
            this.ends.clear();
        }
        this
    }

    fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends);
        spans.map(|(start, &end)| &self.states[start..end])
    }

    /// How many pairs of states of one group have different numbers. O(states here).
    fn separated(&mut self, row: &[u32]) -> u64 {
        let mut counts = std::mem::take(&mut self.counts);
        let mut separated = 0;
        for group in self.groups() {
            // Those before with another number, for each.
            for (before, &state) in (0..).zip(group) {
                let count = &mut counts[row[state as usize] as usize];
                separated += before - u64::from(*count);
                *count += 1;
            }
            for &state in group {
                counts[row[state as usize] as usize] = 0;
            }
        }
        self.counts = counts;
        separated
    }

    /// Takes states of different numbers into different groups. O(s log s) for s states
    /// here.
    fn separate(&mut self, row: &[u32]) {
        let (mut states, mut ends) = (Vec::new(), Vec::new());
        for group in self.groups() {
            let mut group = group.to_vec();
            group.sort_unstable_by_key(|&state| (row[state as usize], state));
            for part in group.chunk_by(|&a, &b| row[a as usize] == row[b as usize]) {
                if part.len() > 1 {
                    states.extend_from_slice(part);
                    ends.push(states.len());
                }
            }
        }
        (self.states, self.ends) = (states, ends);
    }
}

/// Leaves out words, the last chosen first, without which the others separate as
/// many pairs. O(words · states) time and memory.
fn irredundant(machine: &Machine, states: &[StateId], words: Vec<Word>) -> Vec<Word> {
    let rows = Answers::for_all(machine, states, &words);
    // The classes by the words before each, and by all.
    let mut before = vec![vec![0; states.len()]];
    for row in &rows {
        before.push(refine(&before[before.len() - 1], row));
    }
    let count = |classes: &[u32]| classes.iter().max().map_or(0, |&last| last + 1);
    let all = before.pop().as_deref().map_or(0, count);
    let mut behind = vec![0; states.len()];
    let mut kept = Vec::new();
    for ((word, row), before) in words.into_iter().zip(&rows).zip(&before).rev() {
        if count(&refine(before, &behind)) < all {
            behind = refine(&behind, row);
            kept.push(word);
        }
    }
    kept.reverse();
    kept
}

/// Distinct shortest words that separate all pairs of states that are not
/// equivalent.
fn candidates(machine: &Machine, partition: &StatePartition) -> Vec<Word> {
    let states: Vec<StateId> = machine.state_ids().collect();
    let mut words = BTreeSet::new();
    if states.len() <= ALL_PAIRS {
        for (k, &a) in states.iter().enumerate() {
            for &b in &states[..k] {
                words.extend(partition.separator(machine, a, b));
            }
        }
        return words.into_iter().collect();
    }
    // One word after the other for two states that are not separated yet.
    let mut classes = vec![0; states.len()];
    let mut first: HashMap<u32, StateId, foldhash::fast::RandomState> = HashMap::default();
    let mut answers = Answers::new(machine, &states);
    loop {
        first.clear();
        let mut found = Vec::new();
        for &state in &states {
            let other = *first.entry(classes[state.index()]).or_insert(state);
            if let Some(word) = partition.separator(machine, other, state) {
                found.push(word);
                // The class is looked at again in the next round.
                first.insert(classes[state.index()], state);
            }
        }
        if found.is_empty() {
            return words.into_iter().collect();
        }
        // Each after those that it begins by.
        found.sort_unstable();
        for word in found {
            if !words.contains(&word) {
                classes = refine(&classes, answers.to(&word));
                words.insert(word);
            }
        }
    }
}

/// Classes of what is in one class of both.
fn refine(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut numbers: HashMap<(u32, u32), u32, foldhash::fast::RandomState> = HashMap::default();
    a.iter()
        .zip(b)
        .map(|(&a, &b)| {
            let next = numbers.len() as u32;
            *numbers.entry((a, b)).or_insert(next)
        })
        .collect()
}

/// For each state a part of a characterisation set that separates it from all
/// others, as the Wp-method uses (Fujiwara, v. Bochmann, Khendek, Amalou,
/// Ghedamsi: Test Selection Based on Finite State Models, 1991): greedily the
/// word that separates it from most.
pub fn partial_sets(machine: &Machine, words: &[Word]) -> Vec<Vec<Word>> {
    let states: Vec<StateId> = machine.state_ids().collect();
    let rows = Answers::for_all(machine, &states, words);
    let mut rest: Vec<u32> = Vec::new();
    machine
        .state_ids()
        .map(|state| {
            let state = state.index();
            rest.clear();
            rest.extend((0..machine.states() as u32).filter(|&other| other as usize != state));
            let mut chosen = Vec::new();
            loop {
                let same = |row: &[u32], other: u32| row[other as usize] == row[state];
                let left = |row: &[u32]| rest.iter().filter(|&&other| same(row, other)).count();
                let lengths = words.iter().map(Vec::len);
                let best = rows.iter().zip(lengths).enumerate();
                let best = best.map(|(k, (row, length))| (left(row), length, k)).min();
                match best {
                    Some((left, _, k)) if left < rest.len() => {
                        rest.retain(|&other| same(&rows[k], other));
                        chosen.push(words[k].clone());
                    }
                    _ => return chosen,
                }
            }
        })
        .collect()
}

/// Harmonised state identifiers (Petrenko, Yevtushenko, Lebedev, Das:
/// Nondeterministic State Machines in Protocol Conformance Testing, 1993): for
/// each state a set of words such that two states that are not equivalent are
/// separated by a common prefix of a word of each. One shortest separating word
/// for each pair that the words before do not separate, the nearest pairs last,
/// whose words are often prefixes. O(states²) walks through the sets.
pub fn harmonized(machine: &Machine, separators: &Separators) -> Vec<Vec<Word>> {
    let mut own = vec![Trie::default(); machine.states()];
    separators.each_pair(machine, |a, b| {
        if separated(machine, &own[a as usize], a, &own[b as usize], b) {
            return;
        }
        let (a, b) = (StateId::new(a), StateId::new(b));
        if let Some(word) = separators.separator(machine, a, b) {
            own[a.index()].insert(&word);
            own[b.index()].insert(&word);
        }
    });
    own.iter().map(Trie::words).collect()
}

/// A set of words that grows.
#[derive(Clone)]
struct Trie {
    nodes: Vec<Vec<(u32, u32)>>,
}

impl Default for Trie {
    fn default() -> Self {
        Self {
            nodes: vec![Vec::new()],
        }
    }
}

impl Trie {
    fn insert(&mut self, word: &[InputId]) {
        let mut at = 0;
        for input in word {
            let next = self.nodes[at].iter().find(|next| next.0 == input.get());
            at = match next {
                Some(next) => next.1 as usize,
                None => {
                    let new = self.nodes.len();
                    self.nodes.push(Vec::new());
                    self.nodes[at].push((input.get(), new as u32));
                    new
                }
            };
        }
    }

    /// The longest words, in the order of inputs.
    fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        let mut stack = vec![(0, Vec::new())];
        while let Some((node, word)) = stack.pop() {
            let next = &self.nodes[node as usize];
            if next.is_empty() {
                words.push(word);
                continue;
            }
            for &(input, node) in next {
                let mut longer: Word = Vec::clone(&word);
                longer.push(InputId::new(input));
                stack.push((node, longer));
            }
        }
        words.sort_unstable();
        words
    }
}

/// Whether a common prefix of two sets separates two states.
fn separated(machine: &Machine, of_a: &Trie, a: u32, of_b: &Trie, b: u32) -> bool {
    let mut stack = vec![(0u32, a, 0u32, b)];
    while let Some((node_a, a, node_b, b)) = stack.pop() {
        for &(input, next_a) in &of_a.nodes[node_a as usize] {
            let next_b = of_b.nodes[node_b as usize]
                .iter()
                .find(|next| next.0 == input);
            let Some(&(_, next_b)) = next_b else { continue };
            let (next_state_a, next_state_b) = (machine.target(a, input), machine.target(b, input));
            if next_state_a == NONE || next_state_b == NONE {
                continue;
            }
            if machine.answer(a, input) != machine.answer(b, input) {
                return true;
            }
            let (a, b) = (next_state_a, next_state_b);
            if a != b {
                stack.push((next_a, a, next_b, b));
            }
        }
    }
    false
}
