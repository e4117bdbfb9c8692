//! Unique input/output sequences.

use hyades_formats::StateId;

use super::super::cover::Cover;
use super::super::identifiers::Word;
use super::super::layered::Layered;
use super::super::machine::{Machine, NONE};
use super::super::shortest::{After, NoSequence, shortest_word};
use super::super::words::{WordSet, WordSets};

/// A shortest unique input/output sequence of a state, which no other state answers
/// in the same way; states that lack an input of it do not count as different.
/// Breadth first through what words leave in doubt: where the state is, and where
/// others may be that have answered the same; at most `most` of these. There may be
/// exponentially many, and whether there is such a word is PSPACE-complete (Lee &
/// Yannakakis 1994).
///
/// # Errors
/// If there is none, or none was found.
pub fn unique_sequence(machine: &Machine, state: StateId, most: usize) -> Result<Word, NoSequence> {
    let others = machine.state_ids().filter(|&other| other != state);
    let start: (u32, Vec<u32>) = (state.get(), others.map(StateId::get).collect());
    if start.1.is_empty() {
        return Ok(Word::new());
    }
    shortest_word(
        machine.inputs(),
        start,
        most,
        |(at, others), input| match after(machine, *at, others, input) {
            None => After::Nothing,
            Some((_, others)) if others.is_empty() => After::Goal,
            Some(doubt) => After::Place(doubt),
        },
    )
}

/// Where a state and others are after an input that they answer in the same way;
/// nothing if one of the others is where the state is, or lacks the input.
fn after(machine: &Machine, at: u32, others: &[u32], input: u32) -> Option<(u32, Vec<u32>)> {
    let (answer, target) = (machine.answer(at, input), machine.target(at, input));
    if target == NONE {
        return None;
    }
    let mut next = Vec::new();
    for &other in others {
        match machine.target(other, input) {
            NONE => return None,
            _ if machine.answer(other, input) != answer => {}
            to if to == target => return None,
            to => next.push(to),
        }
    }
    next.sort_unstable();
    next.dedup();
    Some((target, next))
}

/// What a suite of unique sequences tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UioSuite {
    /// After each transition the sequence of its target (K. Sabnani, A. Dahbura: A
    /// Protocol Test Procedure, 1988). An implementation may pass that is not
    /// equivalent, though it has no more states: the sequence of a state need not
    /// be unique in it.
    Plain,
    /// And after the cover of each state the sequences of all states (W. Chan, S.
    /// Vuong, M. Ito: An Improved Protocol Test Generation Procedure Based on UIOs,
    /// 1989). Complete for so many extra states if all states have a sequence: it is
    /// the Wp-method then.
    Verified,
}

/// The suite of unique sequences, for states that have any, after
/// `C · I^(≤ extra + 1)`.
pub fn uio_suite(
    machine: &Machine,
    sequences: &[Option<Word>],
    kind: UioSuite,
    extra: usize,
) -> Layered {
    let mut sets = WordSets::default();
    let own: Vec<WordSet> = sequences.iter().map(|word| sets.of(word)).collect();
    let mut layers = match kind {
        UioSuite::Plain => vec![own.clone(); extra + 1],
        UioSuite::Verified => {
            vec![vec![sets.of(sequences.iter().flatten()); machine.states()]; extra + 1]
        }
    };
    layers.push(own);
    Layered::new(Cover::new(machine), sets, layers)
}
