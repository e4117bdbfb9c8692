//! Words that separate a state from all others and cost least.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use hyades_base::parallel;

use super::super::machine::Machine;
use super::beam::Beam;
use super::candidates::{Candidate, Candidates, Extended, separates};
use super::gains::Gains;
use super::growing::Growing;
use super::state_set::{StateSet, contains};
use super::successor_tree::SuccessorTree;

/// How many words are made longer when candidates are searched.
const WIDTH: usize = 8;

/// With so many first words a plan is begun.
const FIRSTS: usize = 8;

/// So many candidates are kept for a state.
const KEPT: usize = 160;

/// So many words are walked at most to find what a plan costs.
const WALKS: usize = 4096;

/// So many steps for each length of words are too many for a search.
const LARGE: u64 = 1 << 22;

/// Words that separate states from others, searched once they are needed.
pub(super) struct Search<'a> {
    machine: &'a Machine,
    of_state: Vec<OnceLock<Candidates>>,
    /// Whether a thread has begun to search those of a state, and the first state of which that
    /// is not known.
    begun: Vec<AtomicBool>,
    first: AtomicUsize,
    /// What words separate that are short enough to be behind all states of a cover.
    short: OnceLock<SuccessorTree<'a>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(machine: &'a Machine) -> Self {
        Self {
            machine,
            short: OnceLock::new(),
            of_state: vec![OnceLock::new(); machine.states()],
            begun: (0..machine.states()).map(|_| false.into()).collect(),
            first: AtomicUsize::new(0),
        }
    }

    /// Searches those of all states, by several threads.
    pub(super) fn all(&self) {
        /// To search from a state is about as much work for each input and other state.
        const LEAST: usize = 1 << 11;
        let (states, inputs) = (self.machine.states(), self.machine.inputs());
        let least = LEAST.div_ceil((states * inputs).max(1));
        parallel::tasks(parallel::threads_for(states, least), 1, &|_| {
            let mut beam = None;
            while let Some(state) = self.begin_next() {
                self.search(state, &mut beam);
            }
        });
    }

    /// The machine.
    pub(super) fn machine(&self) -> &'a Machine {
        self.machine
    }

    /// What words of at most so many inputs separate, always the same number.
    fn short(&self, inputs: usize) -> &SuccessorTree<'a> {
        let new = || SuccessorTree::of_length(self.machine, inputs);
        self.short.get_or_init(new)
    }

    fn of(&self, state: u32, beam: &mut Option<Beam<'a>>) -> &Candidates {
        let words = &self.of_state[state as usize];
        loop {
            if let Some(words) = words.get() {
                return words;
            }
            if self.begin(state as usize) {
                return self.search(state as usize, beam);
            }
            // Another thread does; meanwhile, others will be needed.
            match self.begin_next() {
                Some(next) => self.search(next, beam),
                None => return words.wait(),
            };
        }
    }

    /// Whether it is to this thread to search the words of a state.
    fn begin(&self, state: usize) -> bool {
        !self.begun[state].swap(true, Relaxed)
    }

    /// A state whose words nobody has begun to search.
    fn begin_next(&self) -> Option<usize> {
        loop {
            let next = self.first.fetch_add(1, Relaxed);
            if next >= self.begun.len() {
                return None;
            }
            if self.begin(next) {
                return Some(next);
            }
        }
    }

    fn search(&self, state: usize, beam: &mut Option<Beam<'a>>) -> &Candidates {
        let words = &self.of_state[state];
        let _awaited = Awaited(words, self.machine.states());
        words.get_or_init(|| {
            let beam = beam.get_or_insert_with(|| Beam::new(self.machine, WIDTH));
            beam.search(state as u32);
            Candidates::best_of(beam, self.machine.states(), KEPT)
        })
    }
}

/// Words that other threads may wait for, and the number of states: if the search for them
/// panics there are none, for a thread that waits for ever would hold back the panic.
struct Awaited<'s>(&'s OnceLock<Candidates>, usize);

impl Drop for Awaited<'_> {
    fn drop(&mut self) {
        let Self(words, states) = *self;
        words.get_or_init(|| Candidates::new(states));
    }
}

/// The words that were searched, and others that one suite needs.
struct Words<'s, 'a> {
    search: &'s Search<'a>,
    beam: Option<Beam<'a>>,
    /// Words for each state by which states that have them are separated; perhaps none.
    given: &'s [Vec<Vec<u32>>],
    of_state: Vec<Option<Extended<'s>>>,
}

impl<'s, 'a> Words<'s, 'a> {
    fn new(search: &'s Search<'a>) -> Self {
        Self {
            search,
            beam: None,
            given: &[],
            of_state: vec![None; search.machine.states()],
        }
    }

    fn of(&mut self, state: u32) -> &mut Extended<'s> {
        self.of_state[state as usize].get_or_insert_with(|| {
            let searched = self.search.of(state, &mut self.beam);
            let mut words = Extended::new(searched, self.search.machine.states());
            if !is_large(self.search.machine) {
                for word in self.given.get(state as usize).into_iter().flatten() {
                    words.push(self.search.machine, state, word);
                }
            }
            words
        })
    }
}

/// Words for the states of a machine.
pub(super) struct Identifiers<'s, 'a> {
    /// The places of the state cover.
    pub(super) kernel: Vec<u32>,
    words: Words<'s, 'a>,
    planned: Planned,
    /// All words of so many inputs follow all places of the kernel.
    short: usize,
    /// Scratch: of the words for a state, and places of the kernel.
    gains: Gains,
    others: Vec<u32>,
}

/// Where a plan is to be used.
#[derive(Clone, Copy)]
pub(super) struct Use {
    /// How often.
    pub(super) times: u64,
    /// What a word costs beside its symbols, but for the first.
    pub(super) anew: u64,
}

impl Use {
    /// What so many words with so many symbols cost there.
    fn cost(&self, words: usize, symbols: u64) -> u64 {
        let all = symbols + words as u64 * self.anew;
        all.saturating_sub(self.anew).saturating_mul(self.times)
    }
}

/// How words for a state are chosen.
enum Plan {
    /// Those that are given.
    Given(Range<usize>),
    /// This one, and what it needs beside it.
    From(usize),
}

/// What plans cost by which states were identified.
#[derive(Default)]
pub(super) struct Planned {
    cost: u64,
    uses: Vec<(u32, Use)>,
}

impl Planned {
    /// Whether given words for all states cost so little that it may be better to
    /// begin with them: 1.4 times as much at most, for others will be found that
    /// cost less.
    pub(super) fn is_beaten_by(&self, words: &[Vec<Vec<u32>>]) -> bool {
        self.with(words, 0) <= self.cost.saturating_mul(7) / 5
    }

    /// Whether given words for all states cost so much less, even with what they cost behind
    /// the kernel, that it is not worth while to go on. Asked when there are plans for a
    /// quarter of the states: that was said of a third of some 660 random machines of 25 to
    /// 140 states, and for all of these the suite with the given words was the smaller one.
    pub(super) fn is_hopeless_beside(&self, words: &[Vec<Vec<u32>>]) -> bool {
        self.with(words, 1) <= self.cost.saturating_mul(19) / 20
    }

    /// What given words would cost in the place of the plans, and so often behind the kernel,
    /// which is taken to be half as deep.
    fn with(&self, words: &[Vec<Vec<u32>>], behind: u64) -> u64 {
        let cost = |(state, used): &(u32, Use)| {
            let words = &words[*state as usize];
            let symbols = words.iter().map(|word| word.len() as u64).sum();
            let once = symbols + words.len() as u64 * (used.anew / 2);
            let cost = used.cost(words.len(), symbols);
            cost.saturating_add(behind * once)
        };
        let costs = self.uses.iter().map(cost);
        costs.fold(0, u64::saturating_add)
    }

    /// For how many states there are plans.
    pub(super) fn len(&self) -> usize {
        self.uses.len()
    }
}

impl<'s, 'a> Identifiers<'s, 'a> {
    /// For the places of a state cover that all words of so many inputs follow.
    pub(super) fn new(kernel: Vec<u32>, search: &'s Search<'a>, inputs: usize) -> Self {
        Self {
            short: inputs,
            gains: Gains::default(),
            kernel,
            planned: Planned::default(),
            words: Words::new(search),
            others: Vec::new(),
        }
    }

    /// Takes harmonised words for each state, and adds them behind the kernel: for
    /// other nodes they cost less then. On machines with many states and inputs no
    /// others are searched.
    pub(super) fn give<G: Growing<'a>>(&mut self, suite: &mut G, words: &'s [Vec<Vec<u32>>]) {
        self.words.given = words;
        for (&place, words) in self.kernel.iter().zip(words) {
            words.iter().for_each(|word| suite.insert(place, word));
        }
    }

    /// What has been planned.
    pub(super) fn planned(&self) -> &Planned {
        &self.planned
    }

    /// What was planned.
    pub(super) fn into_planned(self) -> Planned {
        self.planned
    }

    /// Whether harmonised words are behind the kernel.
    pub(super) fn are_given(&self) -> bool {
        !self.words.given.is_empty()
    }

    /// Words that separate a state from all others, and cost least where they are
    /// used and behind the kernel; what is needed behind the kernel is added.
    pub(super) fn plan<G: Growing<'a>>(
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
        // What is given costs nothing behind the kernel.
        if is_large(machine)
            && let Some(words) = self.words.given.get(state as usize)
        {
            return words.clone();
        }
        let given = self.words.given.get(state as usize).map(Vec::len);
        let short = self.words.search.short(self.short);
        let (kernel, words, gains) = (&self.kernel, self.words.of(state), &mut self.gains);
        // Those that are given follow those that were searched.
        let first = words.searched();
        let given = given.map(|given| Plan::Given(first..first + given));
        if words.len() == 0 {
            add_shortest(suite, state, u32::from(state == 0), words);
        }
        // For the same length those first that separate more.
        let worth = |k: usize| {
            let candidate = words.get(k);
            u64::from(candidate.count) * 1000 / (candidate.length() + used.anew)
        };
        let mut firsts: Vec<(Reverse<u64>, usize)> =
            (0..words.len()).map(|k| (Reverse(worth(k)), k)).collect();
        // About as much time for each state, however many there are.
        let tried = (WALKS / states).clamp(1, FIRSTS).min(firsts.len());
        firsts.select_nth_unstable(tried - 1);
        firsts.truncate(tried);
        firsts.sort_unstable();
        let plans = firsts.iter().map(|&(_, first)| Plan::From(first));
        gains.take(words, states);
        // What nothing has to be added for is not looked at.
        let to_add = |words: &Extended<'_>, chosen: &[usize]| {
            let mut others = StateSet::others(states, state);
            for &k in chosen {
                others.remove_all(short.separated_by(state, words.get(k).word));
            }
            others
        };
        let mut best = (u64::MAX, Vec::new());
        for plan in given.into_iter().chain(plans) {
            let chosen = match plan {
                Plan::Given(words) => Some(words.collect()),
                Plan::From(first) => complete(suite, state, words, gains, first, used, best.0),
            };
            let Some(chosen) = chosen else {
                continue;
            };
            let lengths = chosen.iter().map(|&k| words.get(k).length());
            let mut cost = used.cost(chosen.len(), lengths.sum());
            for other in to_add(words, &chosen).iter() {
                if best.0 <= cost {
                    break;
                }
                let place = kernel[other as usize];
                cost += behind(suite, place, state, words, &chosen).0;
            }
            if cost < best.0 {
                best = (cost, chosen);
            }
        }
        let (cost, chosen) = best;
        self.planned.cost += cost;
        self.planned.uses.push((state, *used));
        for other in to_add(words, &chosen).iter() {
            let place = kernel[other as usize];
            let (cost, word, length) = behind(suite, place, state, words, &chosen);
            if cost > 0 {
                suite.insert(place, &words.get(word).word[..length]);
            }
        }
        chosen.iter().map(|&k| words.get(k).word.to_vec()).collect()
    }

    /// Adds the words of a plan for the state of a place that still separate it from
    /// the kernel, as far as they are there.
    pub(super) fn follow<G: Growing<'a>>(&mut self, suite: &mut G, place: u32, plan: &[Vec<u32>]) {
        if suite.is_end(place) {
            plan.iter().for_each(|word| suite.insert(place, word));
            return;
        }
        let state = suite.state(place);
        self.others(state);
        let others = &mut self.others;
        suite.keep_unseparated(place, others);
        for word in plan {
            let before = others.len();
            others.retain(|&other| {
                let length = separates(suite.machine(), state, suite.state(other), word);
                length.is_none_or(|length| suite.cost(other, &word[..length]) > 0)
            });
            if others.len() < before {
                suite.insert(place, word);
            }
        }
        debug_assert!(
            others.is_empty(),
            "a plan separates a state from all others"
        );
    }

    /// Lists the places of the kernel of all states but one.
    fn others(&mut self, state: u32) {
        self.others.clear();
        self.others.extend_from_slice(&self.kernel);
        self.others.remove(state as usize);
    }

    /// Separates a place from the kernel, wherever their states differ.
    pub(super) fn identify<G: Growing<'a>>(&mut self, suite: &mut G, place: u32) {
        let state = suite.state(place);
        loop {
            self.others(state);
            suite.keep_unseparated(place, &mut self.others);
            let others = &self.others;
            if others.is_empty() {
                return;
            }
            let words = self.words.of(state);
            let states = others.iter().map(|&other| suite.state(other));
            let left = StateSet::of(suite.machine().states(), states);
            let mut best: Option<(u64, usize)> = None;
            for k in 0..words.len() {
                let gain = u64::from(left.common(words.get(k).separated));
                if gain == 0 {
                    continue;
                }
                // What a separated state costs.
                let price = |cost: u64| cost * 1000 / gain;
                let worse = |cost| best.is_some_and(|best| price(cost) >= best.0);
                let Candidate {
                    word, separated, ..
                } = words.get(k);
                let mut cost = suite.cost(place, word);
                for &other in others {
                    if worse(cost) {
                        break;
                    }
                    let of_other = suite.state(other);
                    if contains(separated, of_other) {
                        let length = separates(suite.machine(), state, of_other, word);
                        cost += suite.cost(other, &word[..length.expect("it does")]);
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
            let word = words.get(k).word;
            suite.insert(place, word);
            for &other in others {
                let of_other = suite.state(other);
                if let Some(length) = separates(suite.machine(), state, of_other, word) {
                    suite.insert(other, &word[..length]);
                }
            }
        }
    }
}

/// A first word and others, such that together they separate a state from all
/// others. Shortest words for single pairs are added where there is none. `None` if the words
/// do not cost less than `most` where they are used.
fn complete<'a, G: Growing<'a>>(
    suite: &G,
    state: u32,
    words: &mut Extended<'_>,
    gains: &mut Gains,
    first: usize,
    used: &Use,
    most: u64,
) -> Option<Vec<usize>> {
    let mut rest = StateSet::others(suite.machine().states(), state);
    rest.remove_all(words.get(first).separated);
    let mut chosen = vec![first];
    let mut symbols = words.get(first).length();
    while let Some(other) = rest.first() {
        // There will be one more, of an input at least.
        if used.cost(chosen.len() + 1, symbols + 1) >= most {
            return None;
        }
        let next = gains.best(&rest, used.anew).unwrap_or_else(|| {
            add_shortest(suite, state, other, words);
            gains.take(words, suite.machine().states());
            words.len() - 1
        });
        rest.remove_all(words.get(next).separated);
        symbols += words.get(next).length();
        chosen.push(next);
    }
    Some(chosen)
}

/// Adds a shortest word that separates a state from another.
fn add_shortest<'a, G: Growing<'a>>(suite: &G, state: u32, other: u32, words: &mut Extended<'_>) {
    let machine = suite.machine();
    let mut word = Vec::new();
    suite.separators().append(machine, state, other, &mut word);
    words.push(machine, state, &word);
}

/// Whether a search of words for all states would take too long: it takes about
/// inputs · states² steps for each length.
pub(super) fn is_large(machine: &Machine) -> bool {
    let states = machine.states() as u64;
    states
        .saturating_mul(states)
        .saturating_mul(machine.inputs() as u64)
        > LARGE
}

/// What it costs to add what separates a state from that of a place behind the
/// place, and which part of which word that is.
fn behind<'a, G: Growing<'a>>(
    suite: &mut G,
    place: u32,
    state: u32,
    words: &Extended<'_>,
    chosen: &[usize],
) -> (u64, usize, usize) {
    let other = suite.state(place);
    let mut best = (u64::MAX, 0, 0);
    for &k in chosen {
        let Candidate {
            word, separated, ..
        } = words.get(k);
        if !contains(separated, other) {
            continue;
        }
        let length = separates(suite.machine(), state, other, word);
        let length = length.expect("it separates them");
        best = best.min((suite.cost(place, &word[..length]), k, length));
        if best.0 == 0 {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn nobody_waits_for_a_search_that_panicked() {
        let words = OnceLock::new();
        let search = || {
            let _awaited = Awaited(&words, 3);
            words.get_or_init(|| panic!("as a search with a fault"));
        };
        assert!(catch_unwind(AssertUnwindSafe(search)).is_err());
        assert_eq!(words.get().map(Candidates::len), Some(0));
    }
}
