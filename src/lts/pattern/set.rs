//! Many expressions held against a text at once.

use std::ops::Range;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::{Finder, LabelPattern};

/// Some expressions, of which those that match a text are found faster than one by one.
///
/// Some hundred expressions share an automaton, which takes a fraction of what each
/// would take alone, and its states are made as texts ask for them. As far as all
/// automata together would take more than [`PatternSet::MOST`] bytes, there are none
/// for the last expressions, which are tried one by one.
#[derive(Debug, Default)]
pub struct PatternSet {
    parts: Vec<Part>,
}

/// Expressions in a row.
#[derive(Debug)]
struct Part {
    /// The numbers of the first expression and of the first one behind the part.
    first: usize,
    end: usize,
    automaton: Automaton,
}

/// What tells which of some expressions match.
#[derive(Debug)]
enum Automaton {
    /// Nothing: they are tried one by one.
    None,
    /// One for the only expression.
    Own(Regex),
    Shared(RegexSet),
}

/// So few expressions have an automaton each, which is faster.
const FEW: usize = 32;

/// So many expressions share an automaton at most.
const SHARED: usize = 500;

/// An automaton for several expressions takes so many bytes at most.
const LARGEST: u64 = 1 << 20;

/// For states that are made as texts ask for them, all automata have so many bytes for
/// each thread, and each one has at least the least and at most the most.
const STATES: usize = 64 << 20;
const LEAST_STATES: usize = 128 << 10;
const MOST_STATES: usize = 2 << 20;

impl PatternSet {
    /// More bytes than all automata together take, without the states that are made as
    /// texts ask for them.
    pub const MOST: u64 = 512 << 20;

    /// The set of these expressions, which keep their numbers. O(length of all of them),
    /// repetitions written out.
    pub fn new<'p>(patterns: impl IntoIterator<Item = &'p LabelPattern>) -> Self {
        Self::with_room(patterns, Self::MOST)
    }

    /// The same, with so much room for all automata.
    pub(super) fn with_room<'p>(
        patterns: impl IntoIterator<Item = &'p LabelPattern>,
        mut left: u64,
    ) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        let mut members: Vec<Vec<&LabelPattern>> = Vec::new();
        let mut weight = 0;
        let patterns: Vec<&LabelPattern> = patterns.into_iter().collect();
        let most = match patterns.len() {
            0..=FEW => 1,
            _ => SHARED,
        };
        for (number, pattern) in patterns.into_iter().enumerate() {
            match (parts.last_mut(), members.last_mut()) {
                (Some(part), Some(own))
                    if own.len() < most && weight + pattern.weight <= LARGEST =>
                {
                    part.end = number + 1;
                    weight += pattern.weight;
                    own.push(pattern);
                }
                _ => {
                    parts.push(Part {
                        first: number,
                        end: number + 1,
                        automaton: Automaton::None,
                    });
                    weight = pattern.weight;
                    members.push(vec![pattern]);
                }
            }
        }
        let states = (STATES / parts.len().max(1)).clamp(LEAST_STATES, MOST_STATES);
        for (part, own) in parts.iter_mut().zip(members) {
            let weight = own.iter().map(|pattern| pattern.weight).sum();
            let Some(rest) = left.checked_sub(weight) else {
                continue;
            };
            left = rest;
            // What is not alone is far from the limit, so that none is refused.
            part.automaton = match own[..] {
                [one] => RegexBuilder::new(&one.expression())
                    .size_limit(LabelPattern::SIZE_LIMIT)
                    .build()
                    .map_or(Automaton::None, Automaton::Own),
                _ => RegexSetBuilder::new(own.iter().map(|own| own.expression()))
                    .size_limit(LabelPattern::SIZE_LIMIT)
                    .dfa_size_limit(states)
                    .build()
                    .map_or(Automaton::None, Automaton::Shared),
            };
        }
        Self { parts }
    }

    /// The numbers of the expressions below `end` that match a text, ascending; only
    /// where, among expressions in a row, one of them may be wanted. `pattern` tells
    /// the expressions by their numbers.
    ///
    /// O(length of the text) for each automaton; those behind are not asked before it
    /// is clear that they are needed.
    pub fn matches<'a>(
        &'a self,
        text: &'a [u8],
        end: usize,
        wanted: impl Fn(Range<usize>) -> bool + 'a,
        pattern: impl Fn(usize) -> &'a LabelPattern + Copy + 'a,
    ) -> impl Iterator<Item = usize> + 'a {
        let parts = self.parts.iter().take_while(move |part| part.first < end);
        let parts = parts.filter(move |part| wanted(part.first..part.end));
        let matches = parts.flat_map(move |part| {
            let (first, end) = (part.first, part.end);
            // By a shared automaton, by one of its own, and without.
            let (shared, own, tried) = match &part.automaton {
                Automaton::None => (None, first..first, first..end),
                Automaton::Own(automaton) => match automaton.is_match(text) {
                    true => (None, first..end, end..end),
                    false => (None, first..first, end..end),
                },
                Automaton::Shared(automaton) => {
                    (Some(automaton.matches(text)), first..first, end..end)
                }
            };
            let shared = shared.into_iter().flatten().map(move |k| first + k);
            let tried = tried.filter(move |&k| pattern(k).is_match(text));
            shared.chain(own).chain(tried)
        });
        matches.take_while(move |&number| number < end)
    }

    /// The matches of the expression with this number, which is `pattern`, in a text;
    /// as [`LabelPattern::finder`], but with the automaton if it has one of its own.
    pub fn finder<'p, 't>(
        &'p self,
        number: usize,
        pattern: &'p LabelPattern,
        text: &'t [u8],
    ) -> Finder<'p, 't> {
        // With one of its own, each is a part.
        match self.parts.get(number).map(|part| &part.automaton) {
            Some(Automaton::Own(automaton)) if self.parts[number].first == number => {
                pattern.finder_by(automaton, text)
            }
            _ => pattern.finder(text),
        }
    }
}
