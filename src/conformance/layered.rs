//! Suites that are made of a state cover, words after it, and words that identify
//! states: told test by test, without the suite in memory.

use std::ops::ControlFlow;

use hyades_formats::StateId;

use super::cover::Cover;
use super::identifiers::Word;
use super::machine::{InputId, Machine, NONE};
use super::tree::{NodeId, SuiteSize, TestTree};
use super::words::{WordSet, WordSets};

/// The suite of all `v · w` with `v` in `C · I^(≤ layers)`, where `C` is a state
/// cover, and `w` in a set that depends on the state that `v` reaches and on how
/// far it is from the cover.
///
/// A partial machine has only words that it has transitions for.
#[derive(Debug)]
pub struct Layered {
    cover: Cover,
    sets: WordSets,
    /// For each distance from the cover and each state the words that follow.
    layers: Vec<Vec<WordSet>>,
    /// What follows every one of them besides.
    everywhere: WordSet,
    /// If not all inputs may follow the words of the cover, those that may, by
    /// state and input.
    first: Option<Vec<bool>>,
}

/// Where a word is.
#[derive(Clone, Copy)]
enum Place {
    /// In the state cover, or so far from it.
    Layer(u32),
    /// Behind all layers.
    Behind,
}

struct Frame {
    state: u32,
    place: Place,
    /// What may follow, by the sets that began here or before.
    active: Vec<WordSet>,
    /// The inputs that go on, the last first.
    inputs: Vec<u32>,
}

impl Layered {
    /// A suite; `layers[d][s]` are the words that follow one that leads to state
    /// `s` at distance `d` from the cover.
    pub fn new(cover: Cover, sets: WordSets, layers: Vec<Vec<WordSet>>) -> Self {
        Self {
            cover,
            sets,
            layers,
            everywhere: WordSets::EMPTY,
            first: None,
        }
    }

    /// The suite of words that identify the states, those of state `s` behind the
    /// cover and up to `layers` inputs more. It is complete for `layers - 1` extra
    /// states if two states are always separated by a common prefix of a word of
    /// each, as harmonised identifiers and distinguishing sequences do.
    pub fn identifying(cover: Cover, identifiers: &[Vec<Word>], layers: usize) -> Self {
        let mut sets = WordSets::default();
        let of_state = identifiers.iter().map(|words| sets.of(words)).collect();
        Self::new(cover, sets, vec![of_state; layers + 1])
    }

    /// With further words after each of the words `v`.
    pub fn followed_by(mut self, everywhere: WordSet) -> Self {
        self.everywhere = everywhere;
        self
    }

    /// Only these inputs, by state and input, follow the words of the cover; all
    /// follow words that have left it.
    pub(super) fn starting_with(mut self, first: Vec<bool>) -> Self {
        self.first = Some(first);
        self
    }

    /// How many inputs there are between the cover and the words that identify, at
    /// most.
    pub(super) fn distance(&self) -> usize {
        self.layers.len() - 1
    }

    /// The words that follow one which leads to a state at a distance from the cover.
    pub(super) fn words_behind(&self, distance: usize, state: StateId) -> Vec<Word> {
        let mut words = self.sets.words(self.layers[distance][state.index()]);
        words.extend(self.sets.words(self.everywhere));
        words
    }

    /// Tells all tests, in the order of their inputs. Tests that are prefixes of
    /// others are none. Memory for one test.
    pub fn each_test<B>(
        &self,
        machine: &Machine,
        mut tell: impl FnMut(&[InputId]) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let mut word = Vec::new();
        let root = machine.initial().get();
        let mut stack = vec![self.frame(machine, root, Place::Layer(0), Vec::new())];
        // Frames whose memory is free.
        let mut spare: Vec<Frame> = Vec::new();
        if stack[0].inputs.is_empty() {
            return tell(&word);
        }
        while let Some(frame) = stack.last_mut() {
            let Some(input) = frame.inputs.pop() else {
                spare.extend(stack.pop());
                word.pop();
                continue;
            };
            let target = machine.target(frame.state, input);
            let place = self.step(frame.place, frame.state, input, target);
            let mut next = spare.pop().unwrap_or_else(Frame::empty);
            next.active.clear();
            let symbol = InputId::new(input);
            let sets = frame.active.iter();
            next.active
                .extend(sets.filter_map(|&set| self.sets.after(set, symbol)));
            let active = std::mem::take(&mut next.active);
            self.fill(machine, &mut next, target, place, active);
            word.push(symbol);
            if next.inputs.is_empty() {
                tell(&word)?;
                word.pop();
                spare.push(next);
            } else {
                stack.push(next);
            }
        }
        ControlFlow::Continue(())
    }

    /// The size of the suite; takes as long as telling it.
    pub fn size(&self, machine: &Machine) -> SuiteSize {
        let mut size = SuiteSize::default();
        let _ = self.each_test(machine, |word| {
            size.tests += 1;
            size.symbols += word.len() as u64;
            ControlFlow::<()>::Continue(())
        });
        size
    }

    /// The suite in memory.
    pub fn tree(&self, machine: &Machine) -> TestTree {
        let mut tree = TestTree::new(machine);
        let _ = self.each_test(machine, |word| {
            tree.insert(machine, NodeId::ROOT, word);
            ControlFlow::<()>::Continue(())
        });
        tree
    }

    fn step(&self, place: Place, state: u32, input: u32, target: u32) -> Place {
        let last = self.layers.len() as u32 - 1;
        match place {
            Place::Layer(0) if self.cover.is_edge(state, input, target) => Place::Layer(0),
            Place::Layer(0) if last > 0 && self.may_begin(state, input) => Place::Layer(1),
            Place::Layer(layer) if 0 < layer && layer < last => Place::Layer(layer + 1),
            Place::Layer(_) | Place::Behind => Place::Behind,
        }
    }

    /// Whether an input may follow a word of the cover.
    fn may_begin(&self, state: u32, input: u32) -> bool {
        let Some(first) = &self.first else {
            return true;
        };
        let inputs = first.len() / self.layers[0].len();
        first[state as usize * inputs + input as usize]
    }

    fn frame(&self, machine: &Machine, state: u32, place: Place, active: Vec<WordSet>) -> Frame {
        let mut frame = Frame::empty();
        self.fill(machine, &mut frame, state, place, active);
        frame
    }

    /// Makes a frame for a word whose earlier sets are `active`.
    fn fill(
        &self,
        machine: &Machine,
        frame: &mut Frame,
        state: u32,
        place: Place,
        mut active: Vec<WordSet>,
    ) {
        if let Place::Layer(layer) = place {
            active.push(self.layers[layer as usize][state as usize]);
            active.push(self.everywhere);
        }
        active.sort_unstable();
        active.dedup();
        frame.inputs.clear();
        let targets = machine.targets_of(state);
        for input in 0..targets.len() as u32 {
            let target = targets[input as usize];
            if !matches!(self.step(place, state, input, target), Place::Behind) {
                frame.inputs.push(input);
            }
        }
        for &set in &active {
            let next = self.sets.next(set).iter();
            frame.inputs.extend(next.map(|&(input, _)| input.get()));
        }
        frame.inputs.sort_unstable();
        frame.inputs.dedup();
        frame
            .inputs
            .retain(|&input| targets[input as usize] != NONE);
        frame.inputs.reverse();
        frame.state = state;
        frame.place = place;
        frame.active = active;
    }
}

impl Frame {
    fn empty() -> Self {
        Self {
            state: 0,
            place: Place::Behind,
            active: Vec::new(),
            inputs: Vec::new(),
        }
    }
}
