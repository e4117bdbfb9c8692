//! The SPY-method and the SPYH-method: words are added behind convergent nodes.

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use hyades_formats::StateId;

use super::super::adaptive::adaptive_identifiers;
use super::super::identifiers::Word;
use super::super::machine::{Machine, NONE};
use super::super::tree::TestTree;
use super::convergent::Convergent;
use super::growing::Growing;
use super::identify::{Identifiers, Planned, Search, Use, is_large};
use super::separators::Separators;
use super::{Bound, MethodError, Variants, cover, plain, smaller};

/// A suite that is complete for so many `extra` states, by the SPY-method (A.
/// Simão, A. Petrenko, N. Yevtushenko: On Reducing Test Length for FSMs with Extra
/// States, STVR 22, 2012), with identifiers that are harmonised: two states that
/// have a common prefix of a word of each that separates them.
///
/// For each transition that the state cover does not have, all words of `extra`
/// inputs are to follow its own node and that of its target, and all nodes on the
/// way are to be identified. Then the two are convergent: what follows one follows
/// the other, and words may be added where a test ends, if its end is known to be
/// convergent with the node that they are for.
///
/// # Errors
/// If the machine is partial, states are not separated or not reachable, or the
/// tree has more than `most` nodes.
pub fn spy(
    machine: &Machine,
    separators: &Separators,
    identifiers: &[Vec<Word>],
    extra: usize,
    most: usize,
) -> Result<TestTree, MethodError> {
    let search = Search::new(machine);
    let bound = Bound::of_nodes(most);
    let fixed = plain(identifiers);
    let identifying = Identifying::Fixed(&fixed);
    suite(separators, &search, identifying, extra, bound).map(|(tree, _)| tree)
}

/// A suite that is complete for so many `extra` states, by the SPYH-method (M.
/// Soucha, K. Bogdanov: SPYH-Method: An Improvement in Testing of Finite-State
/// Machines, ICSTW 2018): [`spy`] with separating words that are chosen as the
/// H-method does.
///
/// What is to be separated is what the proof of convergence needs: the nodes of
/// the state cover, all nodes on words of `extra` inputs after a transition and
/// after its target from those, and any two of these on one word, wherever their
/// states differ. The suite is derived with and without the harmonised identifiers of
/// [`adaptive_identifiers`] behind the cover from the outset, and once more with these alone,
/// which is what [`spy`] does: the smallest is given. On large machines, where a choice among
/// words would take time quadratic in the states, it is the last.
///
/// # Errors
/// If the machine is partial, states are not separated or not reachable, or the
/// tree has more than `most` nodes.
pub fn spyh(
    machine: &Machine,
    separators: &Separators,
    extra: usize,
    most: usize,
) -> Result<TestTree, MethodError> {
    if let Some((state, input, _)) = machine.missing() {
        return Err(MethodError::Partial(machine.name(state), input));
    }
    cover(machine, separators)?;
    let identifiers = OnceLock::new();
    let new = || plain(&adaptive_identifiers(machine, separators, extra + 1));
    let given = || identifiers.get_or_init(new);
    let fixed = |bound: Bound<'_>| {
        let (search, fixed) = (Search::new(machine), Identifying::Fixed(given()));
        suite(separators, &search, fixed, extra, bound).map(|(tree, _)| tree)
    };
    if is_large(machine) {
        return fixed(Bound::of_nodes(most));
    }
    let chosen = smaller(
        machine,
        separators,
        Variants::Both,
        most,
        given,
        |search, words, bound| suite(separators, search, Identifying::Chosen(words), extra, bound),
    );
    let cost = match &chosen {
        Ok(tree) => tree.size().cost(),
        Err(_) => u64::MAX,
    };
    let bound = Bound {
        cost: &AtomicU64::new(cost),
        ..Bound::of_nodes(most)
    };
    fixed(bound).or(chosen)
}

fn suite<'s, 'a>(
    separators: &'a Separators,
    search: &'s Search<'a>,
    identifying: Identifying<'s>,
    extra: usize,
    bound: Bound<'s>,
) -> Result<(TestTree, Planned), MethodError> {
    let machine = search.machine();
    if let Some((state, input, _)) = machine.missing() {
        return Err(MethodError::Partial(machine.name(state), input));
    }
    let cover = cover(machine, separators)?;
    let mut suite = Convergent::new(machine, separators);
    let kernel = suite.insert_cover(&cover);
    let mut identifiers = Identifiers::new(kernel, search, 0);
    let words = match identifying {
        Identifying::Fixed(words) => Words::Fixed(words),
        Identifying::Chosen(words) => {
            identifiers.give(&mut suite, words);
            Words::Chosen(vec![None; machine.states()])
        }
    };
    let mut method = Method {
        machine,
        suite,
        identifiers,
        words,
        extra,
        after: vec![Vec::new()],
        bound,
    };
    method.separate_kernel(cover.states())?;
    method.all_words()?;
    for &state in cover.states() {
        for input in 0..machine.inputs() as u32 {
            method.verify(state.get(), input)?;
        }
    }
    Ok((method.suite.into_tree(), method.identifiers.into_planned()))
}

/// How states are identified.
enum Identifying<'w> {
    /// By all words that are given for a state, which are harmonised.
    Fixed(&'w [Vec<Vec<u32>>]),
    /// By words that are chosen, from those that are given for a state and others.
    Chosen(&'w [Vec<Vec<u32>>]),
}

enum Words<'w> {
    /// Harmonised identifiers for all states.
    Fixed(&'w [Vec<Vec<u32>>]),
    /// Words that separate a state from all others, once they are chosen.
    Chosen(Vec<Option<Vec<Vec<u32>>>>),
}

struct Method<'s, 'a> {
    machine: &'a Machine,
    suite: Convergent<'a>,
    identifiers: Identifiers<'s, 'a>,
    words: Words<'s>,
    extra: usize,
    /// All words of at most so many inputs, the shorter ones first.
    after: Vec<Vec<u32>>,
    bound: Bound<'s>,
}

impl Method<'_, '_> {
    /// Separates the nodes of the kernel from one another, before any nodes are
    /// taken for convergent on the strength of that.
    fn separate_kernel(&mut self, states: &[StateId]) -> Result<(), MethodError> {
        for state in states {
            let place = self.identifiers.kernel[state.index()];
            self.identify(place, &[])?;
        }
        for &place in &self.identifiers.kernel {
            self.suite.found_kernel(place);
        }
        Ok(())
    }

    fn all_words(&mut self) -> Result<(), MethodError> {
        // All of them are words of the suite, which is to fit into memory.
        let (mut words, mut all) = (1u64, 1u64);
        for _ in 0..self.extra {
            words = words.saturating_mul(self.machine.inputs() as u64);
            all = all.saturating_add(words);
            if all > self.bound.nodes as u64 {
                return Err(MethodError::TooLarge(self.bound.nodes));
            }
        }
        let mut start = 0;
        for _ in 0..self.extra {
            let end = self.after.len();
            for k in start..end {
                for input in 0..self.machine.inputs() as u32 {
                    self.after.push([&self.after[k][..], &[input]].concat());
                }
            }
            start = end;
        }
        Ok(())
    }

    /// Adds what shows that a transition leads to the state that it should, and
    /// takes its node for convergent with that of the state.
    fn verify(&mut self, state: u32, input: u32) -> Result<(), MethodError> {
        let from = self.identifiers.kernel[state as usize];
        let to = self.identifiers.kernel[self.machine.target(state, input) as usize];
        if self.suite.next(from, input) == to {
            return Ok(());
        }
        // The longest first: what follows the others is there then.
        for k in (0..self.after.len()).rev() {
            let word = self.after[k].clone();
            self.identify(from, &[&[input], &word[..]].concat())?;
            self.identify(to, &word)?;
        }
        let one = self.suite.next(from, input);
        if let Words::Chosen(_) = self.words {
            for k in 1..self.after.len() {
                let word = std::mem::take(&mut self.after[k]);
                self.separate_on_way(one, to, &word);
                self.after[k] = word;
            }
        }
        self.suite.merge(one, to);
        Ok(())
    }

    /// Separates what a word leads to, after one of two places, from what shorter
    /// parts of it lead to after any of them.
    fn separate_on_way(&mut self, one: u32, other: u32, word: &[u32]) {
        let mut at = (one, other);
        let mut before = Vec::new();
        for &input in word {
            before.extend([at.0, at.1]);
            at = (self.suite.next(at.0, input), self.suite.next(at.1, input));
            if at.0 == at.1 {
                // No longer word can tell the two apart on this way.
                return;
            }
        }
        for place in [at.0, at.1] {
            let suite = &self.suite;
            let state = suite.state(place);
            // The kernel is separated from all.
            let open = |&other: &u32| suite.state(other) != state && !suite.in_kernel(other);
            let mut others: Vec<u32> = match suite.in_kernel(place) {
                true => Vec::new(),
                false => before.iter().copied().filter(open).collect(),
            };
            self.suite.separate_all(place, &mut others);
        }
    }

    /// Separates what a word leads to from the kernel, wherever states differ.
    fn identify(&mut self, from: u32, word: &[u32]) -> Result<(), MethodError> {
        let place = self.suite.walk(from, word);
        if place != NONE && self.suite.in_kernel(place) {
            return Ok(());
        }
        let state = word.iter().fold(self.suite.state(from), |state, &input| {
            self.machine.target(state, input)
        });
        let (identifiers, suite) = (&mut self.identifiers, &mut self.suite);
        suite.insert(from, word);
        let words = match &mut self.words {
            Words::Fixed(words) => Some(&words[state as usize]),
            // What follows already may do.
            Words::Chosen(_) if !suite.is_end(suite.walk(from, word)) => None,
            Words::Chosen(plans) => {
                // Few words are worth much: each walks to the place anew. What is
                // needed behind the kernel will be needed again.
                let used = Use {
                    times: (self.machine.inputs() as u64).saturating_pow(self.extra as u32 + 2),
                    anew: self.extra as u64 + 8,
                };
                let plan = &mut plans[state as usize];
                Some(&*plan.get_or_insert_with(|| identifiers.plan(suite, state, &used)))
            }
        };
        for identifier in words.into_iter().flatten() {
            suite.insert(from, &[word, &identifier[..]].concat());
        }
        if let Words::Chosen(_) = self.words {
            identifiers.identify(suite, suite.walk(from, word));
        }
        self.bound.check(self.suite.tree())
    }
}
