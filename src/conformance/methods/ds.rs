//! Distinguishing sequences: preset, adaptive, and adaptive ones completed.

use hyades_formats::StateId;

use super::super::identifiers::Word;
use super::super::layered::Layered;
use super::super::machine::Machine;
use super::super::shortest::{After, NoSequence, shortest_word};
use super::MethodError;
use super::separators::Separators;
use super::splitting::SplittingTree;

/// An adaptive distinguishing sequence of a complete machine: for each state a
/// word that all other states answer differently, where two states have the same
/// inputs until they answer differently. Of O(states²) inputs.
///
/// The algorithm of Lee & Yannakakis (1994): O(states² · inputs).
///
/// # Errors
/// [`NoSequence::None`] if there is none.
pub fn adaptive_sequence(machine: &Machine) -> Result<Vec<Word>, NoSequence> {
    let tree = SplittingTree::new(machine, true);
    match tree.is_valid() {
        true => Ok(tree.experiment(machine, usize::MAX)),
        false => Err(NoSequence::None),
    }
}

/// A shortest preset distinguishing sequence of a complete machine: one word that
/// all states answer differently. Breadth first through the sets of sets of states
/// that words leave in doubt, at most `most` of them: there may be exponentially
/// many, and whether there is such a word is PSPACE-complete.
///
/// # Errors
/// If there is none, or none was found.
pub fn preset_sequence(machine: &Machine, most: usize) -> Result<Word, NoSequence> {
    // Sets of states that are one after the other, each ascending; only sets of
    // more than one state.
    let start: Vec<Vec<u32>> = vec![(0..machine.states() as u32).collect()];
    if machine.states() < 2 {
        return Ok(Word::new());
    }
    shortest_word(machine.inputs(), start, most, |doubt, input| {
        match after(machine, doubt, input) {
            None => After::Nothing,
            Some(doubt) if doubt.is_empty() => After::Goal,
            Some(doubt) => After::Place(doubt),
        }
    })
}

/// What is in doubt after an input; nothing if it leads two states in doubt to
/// one with the same output.
fn after(machine: &Machine, doubt: &[Vec<u32>], input: u32) -> Option<Vec<Vec<u32>>> {
    let mut next = Vec::new();
    let mut steps: Vec<(u32, u32)> = Vec::new();
    for set in doubt {
        steps.clear();
        let states = set.iter();
        steps.extend(states.map(|&s| (machine.answer(s, input), machine.target(s, input))));
        steps.sort_unstable();
        if steps.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let parts = steps
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|part| part.len() > 1);
        next.extend(parts.map(|part| part.iter().map(|step| step.1).collect()));
    }
    next.sort_unstable();
    next.dedup();
    Some(next)
}

/// The suite of hybrid adaptive distinguishing sequences, complete for so many
/// `extra` states (W. Smeenk, J. Moerman, F. Vaandrager, D. Jansen: Applying
/// Automata Learning to Embedded Control Software, ICFEM 2015): after
/// `C · I^(≤ extra + 1)` each state has its word of the adaptive experiment that a
/// splitting tree gives, which separates as many states as it can, and a shortest
/// separating word for each state that this does not separate from it.
///
/// # Errors
/// If the machine is partial, or states are not separated or not reachable.
pub fn hads(
    machine: &Machine,
    separators: &Separators,
    extra: usize,
) -> Result<Layered, MethodError> {
    if let Some((state, input, _)) = machine.missing() {
        return Err(MethodError::Partial(machine.name(state), input));
    }
    let cover = super::cover(machine, separators)?;
    let identifiers = harmonized_words(machine, separators);
    Ok(Layered::identifying(cover, &identifiers, extra + 1))
}

/// Harmonised identifiers of a complete minimal machine: words of the adaptive
/// experiment of a splitting tree, completed. Of two trees, in one of which valid
/// words come first, the one that gives the fewer inputs, walks to the states
/// included.
pub(super) fn harmonized_words(machine: &Machine, separators: &Separators) -> Vec<Vec<Word>> {
    let cost = |words: &Vec<Vec<Word>>| -> usize {
        let of_word = |word: &Word| word.len() + WALK;
        words.iter().flatten().map(of_word).sum()
    };
    let both = [true, false].map(|valid| completed(machine, separators, valid));
    let [one, other] = both;
    if cost(&other) < cost(&one) {
        other
    } else {
        one
    }
}

/// What a walk to a state is taken to cost.
const WALK: usize = 4;

fn completed(machine: &Machine, separators: &Separators, valid: bool) -> Vec<Vec<Word>> {
    let longest = 8 * machine.states().max(4);
    let experiment = SplittingTree::new(machine, valid).experiment(machine, longest);
    let mut words: Vec<Vec<Word>> = experiment.into_iter().map(|word| vec![word]).collect();
    // States that follow the same word to its end with the same answers.
    let mut alike: Vec<(Vec<u32>, u32)> = machine
        .state_ids()
        .map(|state| {
            let word = &words[state.index()][0];
            let (outputs, _) = machine.run(state, word).expect("the machine is complete");
            let inputs = word.iter().map(|input| input.get());
            let outputs = outputs.iter().map(|output| output.get());
            (
                inputs.zip(outputs).flat_map(|(i, o)| [i, o]).collect(),
                state.get(),
            )
        })
        .collect();
    alike.sort_unstable();
    for part in alike.chunk_by(|a, b| a.0 == b.0) {
        let states: Vec<StateId> = part.iter().map(|one| StateId::new(one.1)).collect();
        complete(machine, separators, &states, &mut words);
    }
    words
}

/// Adds for states words that separate them from one another, to both of a pair
/// the same.
fn complete(
    machine: &Machine,
    separators: &Separators,
    states: &[StateId],
    words: &mut [Vec<Word>],
) {
    // All of a set have the same words.
    let mut stack = vec![states.to_vec()];
    while let Some(states) = stack.pop() {
        let [one, ref others @ ..] = states[..] else {
            continue;
        };
        let separator = |other: &StateId| separators.separator(machine, one, *other);
        let words_of_pairs = others.iter().take(TRIED).filter_map(separator);
        let best = words_of_pairs
            .map(|word| (answered(machine, &states, &word), word))
            .min_by_key(|(answered, word)| {
                let parts = answered.chunk_by(|a, b| a.0 == b.0);
                let left: usize = parts.map(|part| part.len() * part.len()).sum();
                (left, word.len())
            });
        let Some((answered, word)) = best else {
            continue;
        };
        for state in &states {
            words[state.index()].push(word.clone());
        }
        let parts = answered.chunk_by(|a, b| a.0 == b.0);
        stack.extend(parts.map(|part| part.iter().map(|one| one.1).collect()));
    }
}

/// Of so many pairs of states the separating words are tried.
const TRIED: usize = 16;

/// States by what they answer to a word.
fn answered(machine: &Machine, states: &[StateId], word: &Word) -> Vec<(Vec<u32>, StateId)> {
    let mut answered: Vec<(Vec<u32>, StateId)> = states
        .iter()
        .map(|&state| {
            let (outputs, _) = machine.run(state, word).expect("the machine is complete");
            (outputs.iter().map(|output| output.get()).collect(), state)
        })
        .collect();
    answered.sort_unstable();
    answered
}
