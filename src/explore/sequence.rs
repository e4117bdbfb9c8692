//! Patterns of sequences, searched for on the fly.
//!
//! A pattern becomes a nondeterministic automaton with one position for each place
//! between its groups, and the product with a model is explored breadth-first: what is
//! found is a shortest path.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use foldhash::fast::RandomState;
use hyades_formats::seq::{Group, LabelSet, LabelTerm, Pattern};
use hyades_formats::{LabelId, LabelTable, Position};
use hyades_lts::pattern::{LabelPattern, PatternError};

use super::checked::Checked;
use super::emit::Emit;
use super::error::ModelError;
use super::model::{Erased, Model};
use super::shape::words;

/// A pattern that is ready to be searched for.
pub struct SequencePattern {
    sets: Vec<CompiledSet>,
    /// The places between groups, the last of which ends the pattern.
    places: Vec<Place>,
    deadlock: bool,
}

hyades_base::opaque!(SequencePattern);

/// A set of labels with its regular expressions, in their order.
struct CompiledSet {
    set: LabelSet,
    expressions: Vec<LabelPattern>,
}

/// What may happen at a place of a pattern. Numbers are those of sets of labels.
#[derive(Clone, Copy, Default)]
struct Place {
    /// Transitions with these labels stay here …
    stays: Option<u32>,
    /// … unless they are among these.
    leaves: Option<u32>,
    /// Transitions with these labels lead to the next place.
    goes: Option<u32>,
    /// Whether the next place is here as well.
    skips: bool,
    /// Whether the pattern may end here.
    ends: bool,
}

/// Why a pattern cannot be searched for: a regular expression is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequenceError {
    /// Where the expression stands.
    pub place: Position,
    /// What is wrong with it.
    pub error: PatternError,
}

impl fmt::Display for SequenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl std::error::Error for SequenceError {}

impl SequencePattern {
    /// Compiles a pattern.
    ///
    /// O(terms), and what regular expressions take.
    ///
    /// # Errors
    /// If a regular expression is malformed or too large.
    pub fn new(pattern: &Pattern) -> Result<Self, SequenceError> {
        let mut sets = Vec::new();
        let mut add = |set: &LabelSet| -> Result<u32, SequenceError> {
            let mut expressions = Vec::new();
            for term in &set.terms {
                if let LabelTerm::Regex(text, place) = term {
                    let error = |error| SequenceError {
                        place: *place,
                        error,
                    };
                    expressions.push(LabelPattern::whole(text).map_err(error)?);
                }
            }
            sets.push(CompiledSet {
                set: set.clone(),
                expressions,
            });
            Ok(sets.len() as u32 - 1)
        };
        let mut places = Vec::new();
        for group in &pattern.groups {
            let (one, any) = (
                |goes| Place {
                    goes: Some(goes),
                    ..Place::default()
                },
                |stays| Place {
                    stays: Some(stays),
                    skips: true,
                    ..Place::default()
                },
            );
            match group {
                Group::One(set) => places.push(one(add(set)?)),
                Group::ZeroOrMore(set) => places.push(any(add(set)?)),
                Group::OneOrMore(set) => {
                    let set = add(set)?;
                    places.extend([one(set), any(set)]);
                }
                Group::Until(set) => {
                    let any = LabelSet {
                        terms: vec![LabelTerm::Any],
                    };
                    let (any, set) = (add(&any)?, add(set)?);
                    places.push(until(any, set));
                }
                Group::WhileUntil(first, second) => {
                    let (first, second) = (add(first)?, add(second)?);
                    places.push(until(first, second));
                }
            }
        }
        places.push(Place {
            ends: true,
            ..Place::default()
        });
        for k in (0..places.len() - 1).rev() {
            places[k].ends = places[k].skips && places[k + 1].ends;
        }
        Ok(Self {
            sets,
            places,
            deadlock: pattern.deadlock,
        })
    }

    /// Whether paths have to end in a state without successors.
    pub fn ends_in_deadlock(&self) -> bool {
        self.deadlock
    }

    /// Which sets have a label, the text of which is `i` if it is hidden.
    fn sets_of(&self, text: &[u8]) -> Vec<bool> {
        self.sets.iter().map(|set| set.contains(text)).collect()
    }
}

/// Transitions of the first set and not the second, then one of the second.
fn until(stays: u32, goes: u32) -> Place {
    Place {
        stays: Some(stays),
        leaves: Some(goes),
        goes: Some(goes),
        ..Place::default()
    }
}

impl CompiledSet {
    fn contains(&self, text: &[u8]) -> bool {
        let mut expressions = self.expressions.iter();
        self.set.contains(|term| match term {
            LabelTerm::Text(own) => own == text,
            LabelTerm::Regex(..) => expressions.next().is_some_and(|e| e.is_match(text)),
            LabelTerm::Any | LabelTerm::Not | LabelTerm::And | LabelTerm::Or | LabelTerm::Xor => {
                unreachable!("these have no label to be compared with")
            }
        })
    }
}

/// A model on the watch for a pattern: its states are those of the model with a place
/// of the pattern.
///
/// A state in which a path has ended that the pattern describes ([`Searched::is_end`]) has
/// no transitions and is the only kind of deadlock there is. So the pattern is found if and
/// only if the question for deadlocks
/// ([`Questions::deadlock`](crate::Questions::deadlock)) is answered by yes, and the trace is
/// such a path, without more steps than any other.
///
/// With [`Searched::all`] such a state has the transitions by which longer paths go on that
/// the pattern describes as well.
#[derive(Debug)]
pub struct Searched<'p, M> {
    model: Checked<M>,
    pattern: &'p SequencePattern,
    /// Whether paths go on where they may end.
    goes_on: bool,
    /// For each label of the model's table the sets that have it.
    known: Vec<Vec<bool>>,
    /// How many words a state of the model has, and its bits.
    words: usize,
    bits: usize,
    /// The first bit of the place, and how many it has.
    offset: usize,
    place_bits: usize,
}

/// Memory of [`Searched`].
#[derive(Debug)]
pub struct SearchedScratch<S> {
    inner: S,
    state: Vec<u64>,
    target: Vec<u64>,
    /// The sets that labels are in which are in no table.
    texts: HashMap<Vec<u8>, usize, RandomState>,
    sets: Vec<Vec<bool>>,
}

impl<'p, M: Model> Searched<'p, M> {
    /// The model and what to look for in it: a path.
    ///
    /// O(labels · terms of the pattern).
    pub fn new(model: M, pattern: &'p SequencePattern) -> Self {
        Self::of(model, pattern, false)
    }

    /// The model and what to look for in it: all paths, which are those to states that
    /// are ends.
    ///
    /// O(labels · terms of the pattern).
    pub fn all(model: M, pattern: &'p SequencePattern) -> Self {
        Self::of(model, pattern, true)
    }

    fn of(model: M, pattern: &'p SequencePattern, goes_on: bool) -> Self {
        let labels = model.labels();
        let mut known = vec![pattern.sets_of(b"i")];
        known.extend(labels.visible().map(|(_, text)| pattern.sets_of(text)));
        drop(labels);
        let (bits, words) = (model.bits(), words(model.bits()));
        let count = pattern.places.len() as u64;
        let place_bits = count.next_power_of_two().trailing_zeros() as usize;
        // Within the last word, if there is room.
        let whole = words.saturating_mul(64);
        let offset = match bits.saturating_add(place_bits) <= whole {
            true => bits,
            false => whole,
        };
        Self {
            model: Checked::new(model),
            pattern,
            goes_on,
            known,
            words,
            bits,
            offset,
            place_bits,
        }
    }

    /// The state of the model and the place.
    fn split(&self, state: &[u64], own: &mut Vec<u64>) -> usize {
        own.clear();
        own.extend_from_slice(&state[..self.words]);
        let used = self.bits - 64 * (self.words - 1);
        if used < 64 {
            own[self.words - 1] &= (1 << used) - 1;
        }
        if self.place_bits == 0 {
            return 0;
        }
        let place = state[self.offset / 64] >> (self.offset % 64);
        (place & ((1 << self.place_bits) - 1)) as usize
    }

    /// The state of the model that is part of this one. O(words of a state).
    pub fn state_of(&self, state: &[u64]) -> Box<[u64]> {
        let mut own = Vec::new();
        self.split(state, &mut own);
        own.into()
    }

    /// Whether a path of the model that ends in this state is one to be found; as far
    /// as the pattern says.
    fn ends(&self, place: usize) -> bool {
        self.pattern.places[place].ends
    }

    /// Whether a path to this state is one that the pattern describes. What it takes to
    /// compute the transitions of the state, if it has to be one without any.
    pub fn is_end(&self, state: &[u64]) -> bool {
        let mut own = Vec::new();
        let place = self.split(state, &mut own);
        if !self.ends(place) {
            return false;
        }
        if !self.pattern.deadlock {
            return true;
        }
        let mut any = Any(false);
        let result = self
            .model
            .successors(&mut self.model.scratch(), &own, &mut any);
        // What cannot be computed has been told before.
        result.is_ok() && !any.0 && !self.model.is_truncated(&own)
    }
}

impl<M: Model> Model for Searched<'_, M> {
    type Scratch = SearchedScratch<M::Scratch>;

    fn scratch(&self) -> Self::Scratch {
        SearchedScratch {
            inner: self.model.scratch(),
            state: Vec::new(),
            target: Vec::new(),
            texts: HashMap::default(),
            sets: Vec::new(),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        // If they cannot be counted, more than can be stored.
        self.offset.saturating_add(self.place_bits)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.model.initial(&mut state[..self.words])
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Self::Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let SearchedScratch {
            inner,
            state: own,
            target,
            texts,
            sets,
        } = scratch;
        let place = self.split(state, own);
        if self.ends(place) && !self.pattern.deadlock && !self.goes_on {
            return Ok(());
        }
        let mut through = Through {
            searched: self,
            place,
            target,
            texts,
            sets,
            new: Vec::new(),
            emit,
        };
        self.model.successors(inner, own, &mut through)
    }

    fn is_truncated(&self, state: &[u64]) -> bool {
        !self.is_end(state)
    }

    fn was_truncated(&self) -> bool {
        self.model.was_truncated()
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        let [mut from, mut to] = [Vec::new(), Vec::new()];
        self.split(source, &mut from);
        self.split(target, &mut to);
        self.model.explain(&from, label, &to)
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}

/// Takes the transitions of the model, and gives those of the product.
struct Through<'a, 'e, 'p, M, E: ?Sized> {
    searched: &'a Searched<'p, M>,
    place: usize,
    target: &'a mut Vec<u64>,
    texts: &'a mut HashMap<Vec<u8>, usize, RandomState>,
    sets: &'a mut Vec<Vec<bool>>,
    /// The labels that the model has introduced in this state, and their sets.
    new: Vec<(LabelId, usize)>,
    emit: &'e mut E,
}

impl<M: Model, E: Emit + ?Sized> Emit for Through<'_, '_, '_, M, E> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let number = match self.texts.get(text) {
            Some(&number) => number,
            None => {
                self.sets.push(self.searched.pattern.sets_of(text));
                self.texts.insert(text.to_owned(), self.sets.len() - 1);
                self.sets.len() - 1
            }
        };
        let label = self.emit.label(text);
        self.new.push((label, number));
        label
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let Searched {
            pattern,
            known,
            offset,
            ..
        } = self.searched;
        // Labels of this state first: their numbers may be any.
        let new = self.new.iter().rev().find(|(new, _)| *new == label);
        let sets = match (new, known.get(label.index())) {
            (Some(&(_, number)), _) => &self.sets[number],
            (None, Some(sets)) => sets,
            // The explorer tells that there is no such label, or no such state.
            (None, None) => return self.emit.transition(LabelId::new(u32::MAX), target),
        };
        let has = |set: Option<u32>| set.is_some_and(|set| sets[set as usize]);
        let mut place = self.place;
        loop {
            let here = &pattern.places[place];
            let stays = has(here.stays) && !has(here.leaves);
            for (goes, to) in [(stays, place), (has(here.goes), place + 1)] {
                if goes {
                    self.target.clear();
                    self.target.extend_from_slice(target);
                    self.target.resize(super::words(self.searched.bits()), 0);
                    if self.searched.place_bits > 0 {
                        self.target[offset / 64] |= (to as u64) << (offset % 64);
                    }
                    self.emit.transition(label, self.target);
                }
            }
            if !here.skips {
                return;
            }
            place += 1;
        }
    }

    fn is_done(&self) -> bool {
        self.emit.is_done()
    }
}

/// Whether there is a transition.
struct Any(bool);

impl Emit for Any {
    fn label(&mut self, _: &[u8]) -> LabelId {
        LabelId::HIDDEN
    }

    fn transition(&mut self, _: LabelId, _: &[u64]) {
        self.0 = true;
    }

    fn is_done(&self) -> bool {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hyades_formats::{Format, Lts, Source, StateId, seq};
    use hyades_testing::Random;

    use super::super::{Answer, ExploreOptions, Questions, explore};
    use super::*;

    fn compiled(text: &str) -> SequencePattern {
        let source = Source::from_bytes("p", text.into(), Some(Format::Seq)).unwrap();
        let pattern = seq::read_pattern(source, 1, &mut |d| panic!("{d}")).unwrap();
        SequencePattern::new(&pattern).unwrap()
    }

    /// The labels of a path that is found, if one is.
    fn found(model: &impl Model, pattern: &SequencePattern) -> Option<Vec<Vec<u8>>> {
        let model = Searched::new(model, pattern);
        let options = ExploreOptions {
            questions: Questions {
                deadlock: true,
                ..Questions::default()
            },
            stop_when_answered: true,
            ..ExploreOptions::default()
        };
        let found = explore(&model, options, &mut ()).unwrap();
        match found.deadlock {
            Some(Answer::Yes(trace)) => {
                let labels = trace.labels.iter();
                let text = |l: LabelId| match l.is_hidden() {
                    true => b"i".to_vec(),
                    false => found.labels.text(l).to_vec(),
                };
                Some(labels.map(|&l| text(l)).collect())
            }
            Some(Answer::No) => None,
            other => panic!("{other:?}"),
        }
    }

    /// A part of a pattern, as the definition has it.
    enum Part {
        One(BTreeSet<usize>),
        Many(BTreeSet<usize>),
    }

    const LABELS: [&str; 4] = ["i", "A", "B !1", "B !2"];

    /// A random set of labels: its text, and the numbers of those that are in it.
    fn set(random: &mut Random, depth: usize) -> (String, BTreeSet<usize>) {
        let all = || (0..LABELS.len()).collect::<BTreeSet<usize>>();
        match random.between(0, if depth == 0 { 3 } else { 7 }) {
            0 => ("<any>".into(), all()),
            1 => ("[B.*]".into(), [2, 3].into()),
            2 | 3 => {
                let label = random.between(0, LABELS.len() - 1);
                (format!("\"{}\"", LABELS[label]), [label].into())
            }
            4 => {
                let (text, own) = set(random, depth - 1);
                (format!("~({text})"), &all() - &own)
            }
            operator => {
                let (one, left) = set(random, depth - 1);
                let (two, right) = set(random, depth - 1);
                let (sign, both) = match operator {
                    5 => ("&", &left & &right),
                    6 => ("|", &left | &right),
                    _ => ("^", &left ^ &right),
                };
                (format!("(({one}) {sign} {two})"), both)
            }
        }
    }

    /// A random pattern, and what it is put together of.
    fn pattern(random: &mut Random) -> (String, Vec<Part>, bool) {
        let (mut text, mut parts) = (String::new(), Vec::new());
        for _ in 0..random.between(0, 4) {
            let (one, own) = set(random, 2);
            let all: BTreeSet<usize> = (0..LABELS.len()).collect();
            match random.between(0, 6) {
                0 | 1 => {
                    text += &format!("{one}\n");
                    parts.push(Part::One(own));
                }
                2 => {
                    text += &format!("{one} *\n");
                    parts.push(Part::Many(own));
                }
                3 => {
                    text += &format!("<while> {one}\n");
                    parts.push(Part::Many(own));
                }
                4 => {
                    text += &format!("{one}+\n");
                    parts.extend([Part::One(own.clone()), Part::Many(own)]);
                }
                5 => {
                    text += &format!("<until> {one}\n");
                    parts.extend([Part::Many(&all - &own), Part::One(own)]);
                }
                _ => {
                    let (two, other) = set(random, 1);
                    text += &format!("<while> {one} <until> {two}\n");
                    parts.extend([Part::Many(&own - &other), Part::One(other)]);
                }
            }
        }
        let deadlock = text.is_empty() || random.chance(25);
        if deadlock {
            text += "<deadlock>\n";
        }
        (text, parts, deadlock)
    }

    fn number(lts: &Lts, label: LabelId) -> usize {
        let text = match label.is_hidden() {
            true => b"i",
            false => lts.table().text(label),
        };
        let found = LABELS.iter().position(|own| own.as_bytes() == text);
        found.expect("one of them")
    }

    /// The length of a shortest path, by the states that paths of each length lead to.
    fn naive(lts: &Lts, parts: &[Part], deadlock: bool) -> Option<usize> {
        let closed = |mut at: BTreeSet<(StateId, usize)>| loop {
            let more: Vec<_> = at
                .iter()
                .filter(|&&(_, k)| matches!(parts.get(k), Some(Part::Many(_))))
                .map(|&(s, k)| (s, k + 1))
                .collect();
            let before = at.len();
            at.extend(more);
            if at.len() == before {
                return at;
            }
        };
        let mut at = closed([(lts.initial(), 0)].into());
        for length in 0..=lts.states() * (parts.len() + 1) {
            let ends = |s: StateId| !deadlock || lts.outgoing(s).next().is_none();
            if at.iter().any(|&(s, k)| k == parts.len() && ends(s)) {
                return Some(length);
            }
            let mut next = BTreeSet::new();
            for &(state, k) in &at {
                for (label, target) in lts.outgoing(state) {
                    let label = number(lts, label);
                    match parts.get(k) {
                        Some(Part::One(set)) if set.contains(&label) => {
                            next.insert((target, k + 1));
                        }
                        Some(Part::Many(set)) if set.contains(&label) => {
                            next.insert((target, k));
                        }
                        _ => {}
                    }
                }
            }
            at = closed(next);
        }
        None
    }

    /// Whether a path is one of the LTS that the pattern describes.
    fn is_path(lts: &Lts, path: &[Vec<u8>], parts: &[Part], deadlock: bool) -> bool {
        let mut chain = hyades_formats::LtsBuilder::new(path.len() as u64 + 1);
        let mut states = BTreeSet::from([lts.initial()]);
        for (k, text) in path.iter().enumerate() {
            let all = states.iter().flat_map(|&s| lts.outgoing(s));
            let own = all.filter(|&(l, _)| LABELS[number(lts, l)].as_bytes() == text);
            states = own.map(|(_, target)| target).collect();
            let (k, text) = (k as u32, &text[..]);
            match text {
                b"i" => chain.add(StateId::new(k), LabelId::HIDDEN, StateId::new(k + 1)),
                text => chain.add_text(k, text, k + 1).unwrap(),
            }
        }
        let chain = chain.build(StateId::new(0)).unwrap();
        let ends = !deadlock || states.iter().any(|&s| lts.outgoing(s).next().is_none());
        !states.is_empty() && ends && naive(&chain, parts, true) == Some(path.len())
    }

    /// A random system with these labels.
    fn system(random: &mut Random) -> Lts {
        let states = random.between(1, 5);
        let mut builder = hyades_formats::LtsBuilder::new(states as u64);
        for _ in 0..random.between(0, 8) {
            let [s, t] = [(); 2].map(|()| random.between(0, states - 1) as u32);
            match random.between(0, LABELS.len() - 1) {
                0 => builder.add(StateId::new(s), LabelId::HIDDEN, StateId::new(t)),
                label => builder.add_text(s, LABELS[label].as_bytes(), t).unwrap(),
            }
        }
        builder.build(StateId::new(0)).unwrap()
    }

    #[test]
    fn random_patterns_have_shortest_paths() {
        let mut count = [0; 2];
        for seed in 0..3000 {
            let random = &mut Random::new(seed);
            let lts = system(random);
            let (text, parts, deadlock) = pattern(random);
            let path = found(&lts, &compiled(&text));
            let expected = naive(&lts, &parts, deadlock);
            assert_eq!(path.as_ref().map(Vec::len), expected, "{seed}: {text}");
            if let Some(path) = &path {
                assert!(
                    is_path(&lts, path, &parts, deadlock),
                    "{seed}: {text} {path:?}"
                );
            }
            count[usize::from(path.is_some())] += 1;
        }
        assert!(count.iter().all(|&n| n > 500), "{count:?}");
    }

    /// The paths of at most so many steps that lead to ends, by their labels.
    fn all_found(model: &impl Model, pattern: &SequencePattern, most: usize) -> BTreeSet<Vec<u8>> {
        struct Steps(Vec<(LabelId, Box<[u64]>)>);
        impl Emit for Steps {
            fn label(&mut self, _: &[u8]) -> LabelId {
                unreachable!("all labels are known")
            }
            fn transition(&mut self, label: LabelId, target: &[u64]) {
                self.0.push((label, target.into()));
            }
        }
        let searched = Searched::all(model.erased(), pattern);
        let mut initial = vec![0; words(searched.bits())];
        searched.initial(&mut initial).unwrap();
        let mut scratch = searched.scratch();
        let mut open: Vec<(Box<[u64]>, Vec<u8>)> = vec![(initial.into(), Vec::new())];
        let mut found = BTreeSet::new();
        while let Some((state, path)) = open.pop() {
            if path.len() < most {
                let mut steps = Steps(Vec::new());
                searched
                    .successors(&mut scratch, &state, &mut steps)
                    .unwrap();
                for (label, target) in steps.0 {
                    let label = label.index() as u8;
                    open.push((target, [&path[..], &[label]].concat()));
                }
            }
            if searched.is_end(&state) {
                found.insert(path);
            }
        }
        found
    }

    #[test]
    fn all_paths_of_random_patterns() {
        let mut count = [0; 3];
        for seed in 0..1000 {
            let random = &mut Random::new(seed);
            let lts = system(random);
            let (text, parts, deadlock) = pattern(random);
            let found = all_found(&lts, &compiled(&text), 4);
            let mut expected = BTreeSet::new();
            let mut level: Vec<(Vec<u8>, StateId)> = vec![(Vec::new(), lts.initial())];
            for _ in 0..=4 {
                let mut next = Vec::new();
                for (path, state) in level {
                    let texts = path.iter().map(|&l| match l {
                        0 => b"i".to_vec(),
                        l => lts.table().text(LabelId::new(l.into())).to_vec(),
                    });
                    if is_path(&lts, &texts.collect::<Vec<_>>(), &parts, deadlock) {
                        expected.insert(path.clone());
                    }
                    next.extend(lts.outgoing(state).map(|(label, target)| {
                        ([&path[..], &[label.index() as u8]].concat(), target)
                    }));
                }
                next.sort();
                next.dedup();
                level = next;
            }
            assert_eq!(found, expected, "{seed}: {text}");
            count[found.len().min(2)] += 1;
        }
        assert!(count.iter().all(|&n| n > 50), "{count:?}");
    }

    /// Labels that a model brings up as it goes, and states of other widths.
    #[test]
    fn labels_and_states_of_all_kinds() {
        struct Counter(usize);
        impl Model for Counter {
            type Scratch = ();
            fn scratch(&self) {}
            fn labels(&self) -> Cow<'_, LabelTable> {
                Cow::Owned(LabelTable::new())
            }
            fn bits(&self) -> usize {
                self.0
            }
            fn initial(&self, _: &mut [u64]) -> Result<(), ModelError> {
                Ok(())
            }
            fn successors<E: Emit + ?Sized>(
                &self,
                (): &mut (),
                state: &[u64],
                emit: &mut E,
            ) -> Result<(), ModelError> {
                let mut next = state.to_vec();
                let last = state.len() - 1;
                next[last] += 1;
                if next[last] < 8 {
                    let label = emit.label(format!("N !{}", next[last]).as_bytes());
                    emit.transition(label, &next);
                }
                Ok(())
            }
        }
        for bits in [3, 61, 62, 63, 64, 67, 128] {
            let model = Counter(bits);
            let path = found(&model, &compiled("<until> \"N !3\"\n<any>\n\"N !5\"\n"));
            assert_eq!(path.map(|p| p.len()), Some(5), "{bits}");
            let path = found(&model, &compiled("<any>*\n<deadlock>\n"));
            assert_eq!(path.map(|p| p.len()), Some(7), "{bits}");
            assert_eq!(found(&model, &compiled("<any>*\n\"N !9\"\n")), None);
        }
    }

    #[test]
    fn malformed_expressions_are_told_with_their_place() {
        let source =
            Source::from_bytes("p", b"<any>\n \"A\" | [\\(]\n".to_vec(), Some(Format::Seq));
        let pattern = seq::read_pattern(source.unwrap(), 1, &mut |d| panic!("{d}")).unwrap();
        let error = SequencePattern::new(&pattern).expect_err("an error");
        assert_eq!(error.place, Position::new(2, 8));
        assert!(
            error
                .to_string()
                .starts_with("regular expression, column 1"),
            "{error}"
        );
    }
}
