//! Suites with one test of each orbit, and with all.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::ops::ControlFlow;
use std::rc::Rc;

use hyades_base::draw;
use hyades_formats::StateId;

use super::canonical::{Canonical, TooManyStabilizers};
use super::invariance::Invariance;
use crate::derive::Suite;
use crate::identifiers::Word;
use crate::layered::Layered;
use crate::machine::{InputId, Machine, NONE};
use crate::tree::{NodeId, TestTree};

/// Why there is no suite up to symmetry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrbitError {
    /// It would have more nodes than this.
    Nodes(usize),
    /// The groups that fix inputs of tests, so many of them, take too much memory.
    Groups(usize),
}

impl fmt::Display for OrbitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OrbitError::Nodes(most) => write!(f, "the suite has more than {most} nodes"),
            OrbitError::Groups(count) => write!(
                f,
                "the tests need the groups that fix their values, and {count} of these take \
                 1 GiB"
            ),
        }
    }
}

impl std::error::Error for OrbitError {}

impl From<TooManyStabilizers> for OrbitError {
    fn from(error: TooManyStabilizers) -> Self {
        Self::Groups(error.0)
    }
}

/// What `each_test` ends with.
type Told = ControlFlow<OrbitError>;

/// A suite with the first test of each orbit.
#[derive(Clone, Debug)]
pub struct OrbitSuite {
    /// The tests.
    pub tree: TestTree,
}

/// The most pairs of a state and a word that identifies it, with all images.
const MOST_PAIRS: usize = 1 << 20;

/// The first tests, in the order of inputs, of the orbits of a suite's tests. What is
/// the beginning of another one is left out.
///
/// # Errors
/// If there are more than `most` nodes, or the group is too rich in subgroups.
pub fn one_per_orbit(
    machine: &Machine,
    suite: &Suite,
    symmetry: &Invariance,
    most: usize,
) -> Result<OrbitSuite, OrbitError> {
    let mut firsts = Firsts::new(machine, symmetry, most);
    let told = suite.each_test(machine, |test| -> Told {
        match firsts.add(test) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    match told {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(OrbitSuite { tree: firsts.tree }),
    }
}

/// The tests that are made so far, each the first of its orbit.
struct Firsts<'a> {
    machine: &'a Machine,
    canonical: Canonical<'a>,
    tree: TestTree,
    most: usize,
}

impl<'a> Firsts<'a> {
    fn new(machine: &'a Machine, symmetry: &'a Invariance, most: usize) -> Self {
        Self {
            machine,
            canonical: Canonical::new(symmetry, machine.inputs()),
            tree: TestTree::new(machine),
            most,
        }
    }

    fn add(&mut self, test: &[InputId]) -> Result<(), OrbitError> {
        let first = self.canonical.first(test)?;
        self.tree.insert(self.machine, NodeId::ROOT, first);
        match self.tree.len() > self.most {
            true => Err(OrbitError::Nodes(self.most)),
            false => Ok(()),
        }
    }

    /// Whether a word is the first of its orbit.
    fn is_first(&mut self, word: &[InputId]) -> Result<bool, OrbitError> {
        Ok(self.canonical.first(word)? == word)
    }
}

/// A suite up to symmetry like a layered one for a minimal complete machine, where
/// words are identified by the state that they lead to and the distance from the cover.
///
/// The cover is another one. Of each orbit of states one has a word that is the first of
/// its orbit and a prefix-closed cover's; the others have images of these words, so that
/// states that become each other are reached by words that become each other. A word
/// `v` behind the cover, the first of its orbit, is followed by what identifies its
/// state, and hence its image `g · v` by images of that. So that these tell it from the
/// states of the cover, a word of the cover is followed by all images `g · w` where `w`
/// identifies the state `g⁻¹ · s`. With all images, the condition of the H-method holds
/// as it does for the layered suite.
///
/// `None` if there are too many such images.
///
/// # Errors
/// If there are more than `most` nodes, or the group is too rich in subgroups.
pub fn layered_per_orbit(
    machine: &Machine,
    layered: &Layered,
    symmetry: &Invariance,
    most: usize,
) -> Result<Option<OrbitSuite>, OrbitError> {
    let generators = symmetry.group.generators();
    let maps = generators.iter().map(|g| symmetry.inputs.images(g));
    let maps: Vec<(Box<[u32]>, Vec<u32>)> = maps
        .map(|inputs| {
            let states = state_images(machine, &inputs);
            (inputs, states)
        })
        .collect();
    let Some(identifying) = closed(machine, layered, &maps) else {
        return Ok(None);
    };
    let mut firsts = Firsts::new(machine, symmetry, most);

    // The states of the cover that are the first of their orbits, with their words.
    let mut seen = vec![false; machine.states()];
    let mut cover = vec![(machine.initial(), Word::new())];
    mark_orbit(machine.initial(), &maps, &mut seen);
    let mut is_edge = HashSet::new();
    let mut next = 0;
    while let Some((state, word)) = cover.get(next).cloned() {
        for input in machine.input_ids() {
            let longer = [&word[..], &[input]].concat();
            if !firsts.is_first(&longer)? {
                continue;
            }
            let (_, target) = machine.step(state, input).expect("it is complete");
            if !seen[target.index()] {
                mark_orbit(target, &maps, &mut seen);
                is_edge.insert((next, input));
                cover.push((target, longer));
            }
        }
        next += 1;
    }

    for (number, (state, word)) in cover.iter().enumerate() {
        firsts.add(word)?;
        for identifier in &identifying[state.index()] {
            firsts.add(&[&word[..], identifier].concat())?;
        }
        // Words behind the cover, each with its state and how far from it.
        let mut open = vec![(word.clone(), *state, 0)];
        while let Some((word, state, distance)) = open.pop() {
            for input in machine.input_ids() {
                if distance == 0 && is_edge.contains(&(number, input)) {
                    continue;
                }
                let longer = [&word[..], &[input]].concat();
                if !firsts.is_first(&longer)? {
                    continue;
                }
                let (_, target) = machine.step(state, input).expect("it is complete");
                let distance = distance + 1;
                firsts.add(&longer)?;
                for identifier in layered.words_behind(distance, target) {
                    firsts.add(&[&longer[..], &identifier].concat())?;
                }
                if distance < layered.distance() {
                    open.push((longer, target, distance));
                }
            }
        }
    }
    Ok(Some(OrbitSuite { tree: firsts.tree }))
}

/// Marks a state and what permutations make of it.
fn mark_orbit(state: StateId, maps: &[(Box<[u32]>, Vec<u32>)], seen: &mut [bool]) {
    seen[state.index()] = true;
    let mut open = vec![state.get()];
    while let Some(at) = open.pop() {
        for (_, states) in maps {
            let image = states[at as usize];
            if !std::mem::replace(&mut seen[image as usize], true) {
                open.push(image);
            }
        }
    }
}

/// For each state `s` the images `g · w` of the words `w` that identify `g⁻¹ · s` in the
/// cover, for all members `g` of the group; `None` if there are too many.
fn closed(
    machine: &Machine,
    layered: &Layered,
    maps: &[(Box<[u32]>, Vec<u32>)],
) -> Option<Vec<BTreeSet<Word>>> {
    let of_state = |state| layered.words_behind(0, state).into_iter().collect();
    let mut all: Vec<BTreeSet<Word>> = machine.state_ids().map(of_state).collect();
    let mut open: Vec<(u32, Word)> = Vec::new();
    for (state, words) in (0..).zip(&all) {
        open.extend(words.iter().map(|word| (state, word.clone())));
    }
    let mut pairs = open.len();
    while let Some((state, word)) = open.pop() {
        for (inputs, states) in maps {
            let renamed = word.iter().map(|x| InputId::new(inputs[x.index()]));
            let (image, renamed) = (states[state as usize], renamed.collect::<Word>());
            if all[image as usize].insert(renamed.clone()) {
                pairs += 1;
                if pairs > MOST_PAIRS {
                    return None;
                }
                open.push((image, renamed));
            }
        }
    }
    Some(all)
}

/// What a permutation under which a minimal complete machine is invariant makes of its
/// states.
fn state_images(machine: &Machine, inputs: &[u32]) -> Vec<u32> {
    let mut images = vec![NONE; machine.states()];
    images[machine.initial().index()] = machine.initial().get();
    let mut open = vec![machine.initial()];
    while let Some(state) = open.pop() {
        let image = StateId::new(images[state.index()]);
        for input in machine.input_ids() {
            let renamed = InputId::new(inputs[input.index()]);
            let steps = machine.step(state, input).zip(machine.step(image, renamed));
            let ((_, target), (_, image)) = steps.expect("the machine is complete");
            if images[target.index()] == NONE {
                images[target.index()] = image.get();
                open.push(target);
            }
        }
    }
    images
}

/// What members of a stabiliser make of an input, each with one such member's map.
type Ways = Rc<Vec<(InputId, Rc<[u32]>)>>;

/// The members of orbits, found once for each stabiliser and input.
struct Images<'a> {
    canonical: Canonical<'a>,
    ways: HashMap<(u32, InputId), Ways>,
}

impl<'a> Images<'a> {
    fn new(canonical: Canonical<'a>) -> Self {
        Self {
            canonical,
            ways: HashMap::new(),
        }
    }

    fn of(&mut self, stabilizer: u32, input: InputId) -> Ways {
        let canonical = &self.canonical;
        let ways = self.ways.entry((stabilizer, input));
        Rc::clone(ways.or_insert_with(|| Rc::new(canonical.ways(stabilizer, input))))
    }
}

/// All tests of the orbits of a suite's tests.
///
/// # Errors
/// If the suite would have more than `most` nodes, or the group is too rich in
/// subgroups.
pub fn expanded(
    machine: &Machine,
    suite: &TestTree,
    symmetry: &Invariance,
    most: usize,
) -> Result<TestTree, OrbitError> {
    let mut canonical = Canonical::new(symmetry, machine.inputs());
    let mut firsts = TestTree::new(machine);
    let told = suite.each_test(|test| -> Told {
        match canonical.first(test) {
            Ok(first) => {
                firsts.insert(machine, NodeId::ROOT, first);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error.into()),
        }
    });
    if let ControlFlow::Break(error) = told {
        return Err(error);
    }
    let mut all = TestTree::new(machine);
    let mut open = vec![(
        NodeId::ROOT,
        NodeId::ROOT,
        canonical.whole(),
        canonical.unchanged(),
    )];
    let mut images = Images::new(canonical);
    while let Some((node, image, stabilizer, map)) = open.pop() {
        for (input, child) in firsts.children(node) {
            let next = images.canonical.after(stabilizer, input)?;
            for (place, way) in &*images.of(stabilizer, input) {
                let renamed = InputId::new(map[place.index()]);
                // The specification has no transition where a word is cut off.
                let Some(image) = all.extend(machine, image, renamed) else {
                    continue;
                };
                if all.len() > most {
                    return Err(OrbitError::Nodes(most));
                }
                let map = match *place == input {
                    true => Rc::clone(&map),
                    false => Rc::from(super::group::then(way, &map)),
                };
                open.push((child, image, next, map));
            }
        }
    }
    Ok(all)
}

impl OrbitSuite {
    /// Adds so many tests that are images of others, drawn at random: they test
    /// whether an implementation is invariant. The same seed draws the same ones.
    /// Gives how many were added; they may be fewer if hardly any test has so many
    /// images.
    ///
    /// # Errors
    /// If the group is too rich in subgroups.
    pub fn challenge(
        &mut self,
        machine: &Machine,
        symmetry: &Invariance,
        count: u64,
        seed: u64,
    ) -> Result<u64, OrbitError> {
        let nodes = self.tree.nodes();
        let tests: Vec<NodeId> = nodes.filter(|&node| self.tree.is_leaf(node)).collect();
        let mut images = Images::new(Canonical::new(symmetry, machine.inputs()));
        let mut added = 0;
        for attempt in 0..count.saturating_mul(16).saturating_add(64) {
            if added == count {
                break;
            }
            let mut drawn = 0;
            let mut below = |limit: usize| {
                drawn += 1;
                draw(seed, attempt, drawn - 1, limit as u64) as usize
            };
            let test = self.tree.word(tests[below(tests.len())]);
            let mut stabilizer = images.canonical.whole();
            let mut map = images.canonical.unchanged();
            let mut image = Word::with_capacity(test.len());
            for &input in &test {
                if !images.canonical.is_trivial(stabilizer) {
                    let ways = images.of(stabilizer, input);
                    let (_, way) = &ways[below(ways.len())];
                    map = Rc::from(super::group::then(way, &map));
                    stabilizer = images.canonical.after(stabilizer, input)?;
                }
                image.push(InputId::new(map[input.index()]));
            }
            if self.tree.walk(NodeId::ROOT, &image).is_none() {
                self.tree.insert(machine, NodeId::ROOT, &image);
                added += 1;
            }
        }
        Ok(added)
    }
}
