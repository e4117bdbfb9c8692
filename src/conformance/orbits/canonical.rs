//! The first word of an orbit, and all words of one.

use std::collections::HashMap;
use std::rc::Rc;

use super::group::{Group, identity, inverse, then};
use super::invariance::Invariance;
use crate::machine::{InputId, NONE};

/// The most entries of the tables of all stabilisers, of 4 bytes each.
const MOST_ENTRIES: usize = 1 << 28;

/// What inputs become.
type Map = Rc<[u32]>;

/// Finds first words of orbits. Keeps what it finds of the groups that fix the
/// inputs of a word; there are as many as sets of values in the words found, one after
/// the other if a group permutes sets freely.
pub(super) struct Canonical<'a> {
    symmetry: &'a Invariance,
    stabilizers: Vec<Stabilizer>,
    /// By the values that are fixed, ascending.
    known: HashMap<Vec<u32>, u32>,
    entries: usize,
    identity: Map,
    /// The word that was asked for last, how it is mapped to the first of its orbit up
    /// to each input, and that.
    word: Vec<InputId>,
    frames: Vec<Frame>,
    first: Vec<InputId>,
}

struct Frame {
    map: Map,
    stabilizer: u32,
}

/// The permutations that fix some inputs.
struct Stabilizer {
    group: Group,
    fixed: Vec<u32>,
    /// What generators make of the inputs.
    generators: Vec<Map>,
    inverses: Vec<Map>,
    /// For each input the first of its orbit.
    least: Vec<u32>,
    /// The input that it was found from, and the generator that maps that to it.
    found_by: Vec<(u32, u32)>,
    /// The stabiliser of each input as well; [`NONE`] if that is not known yet.
    next: Vec<u32>,
}

/// That the tables would get too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyStabilizers(pub(super) usize);

impl<'a> Canonical<'a> {
    pub(super) fn new(symmetry: &'a Invariance, inputs: usize) -> Self {
        let identity: Map = Rc::from(&*identity(inputs));
        let mut canonical = Self {
            symmetry,
            stabilizers: Vec::new(),
            known: HashMap::new(),
            entries: 0,
            identity: Rc::clone(&identity),
            word: Vec::new(),
            frames: vec![Frame {
                map: identity,
                stabilizer: 0,
            }],
            first: Vec::new(),
        };
        canonical.add(symmetry.group.clone(), Vec::new());
        canonical
    }

    fn add(&mut self, group: Group, fixed: Vec<u32>) -> u32 {
        let symmetry = self.symmetry;
        let inputs = self.identity.len();
        let made = group.generators();
        let on_inputs = |points: &[u32]| Map::from(symmetry.inputs.images(points));
        let generators: Vec<Map> = made.iter().map(|g| on_inputs(g)).collect();
        let inverses = made.iter().map(|g| on_inputs(&inverse(g))).collect();
        let mut least = vec![NONE; inputs];
        let mut found_by = vec![(NONE, NONE); inputs];
        let mut orbit = Vec::new();
        for start in 0..inputs as u32 {
            if least[start as usize] != NONE {
                continue;
            }
            least[start as usize] = start;
            orbit.push(start);
            while let Some(x) = orbit.pop() {
                for (number, generator) in (0..).zip(&generators) {
                    let y = generator[x as usize];
                    if least[y as usize] == NONE {
                        least[y as usize] = start;
                        found_by[y as usize] = (x, number);
                        orbit.push(y);
                    }
                }
            }
        }
        let number = self.stabilizers.len() as u32;
        self.entries += inputs * (4 + 2 * generators.len());
        self.known.insert(fixed.clone(), number);
        self.stabilizers.push(Stabilizer {
            group,
            fixed,
            generators,
            inverses,
            least,
            found_by,
            next: vec![NONE; inputs],
        });
        number
    }

    /// The stabiliser of an input in another.
    fn next(&mut self, at: u32, input: u32) -> Result<u32, TooManyStabilizers> {
        let stabilizer = &self.stabilizers[at as usize];
        let known = stabilizer.next[input as usize];
        if known != NONE {
            return Ok(known);
        }
        let mut group = stabilizer.group.clone();
        let mut fixed = stabilizer.fixed.clone();
        for &value in self.symmetry.inputs.values(input) {
            let moves = |orbit: &Vec<u32>| orbit.contains(&value);
            if group.orbits().iter().any(moves) {
                group = group.stabilizer(value);
                fixed.push(value);
            }
        }
        let found = if fixed.len() == stabilizer.fixed.len() {
            at
        } else {
            // One for all sets that leave nothing to move.
            if group.is_trivial() {
                fixed = vec![NONE];
            }
            fixed.sort_unstable();
            match self.known.get(&fixed) {
                Some(&found) => found,
                None if self.entries > MOST_ENTRIES => {
                    return Err(TooManyStabilizers(self.stabilizers.len()));
                }
                None => self.add(group, fixed),
            }
        };
        self.stabilizers[at as usize].next[input as usize] = found;
        Ok(found)
    }

    /// The first word of the orbit of a word, in the order of inputs. O(1) for each
    /// input that the word before did not begin with, and O(inputs · generators) where
    /// it has values that those before have not.
    pub(super) fn first(&mut self, word: &[InputId]) -> Result<&[InputId], TooManyStabilizers> {
        let same = self.word.iter().zip(word).take_while(|(a, b)| a == b);
        let same = same.count();
        self.word.truncate(same);
        self.first.truncate(same);
        self.frames.truncate(same + 1);
        for &input in &word[same..] {
            let frame = self.frames.last().expect("that of the empty word remains");
            let stabilizer = &self.stabilizers[frame.stabilizer as usize];
            let mut map = Rc::clone(&frame.map);
            let mut at = map[input.index()];
            let least = stabilizer.least[at as usize];
            while at != least {
                let (before, generator) = stabilizer.found_by[at as usize];
                let back = &stabilizer.inverses[generator as usize];
                map = Map::from(then(&map, back));
                at = before;
            }
            let stabilizer = self.next(self.frames[self.word.len()].stabilizer, least)?;
            self.word.push(input);
            self.first.push(InputId::new(least));
            self.frames.push(Frame { map, stabilizer });
        }
        Ok(&self.first)
    }

    /// The whole group, as stabiliser of no input.
    pub(super) fn whole(&self) -> u32 {
        0
    }

    /// The map that changes nothing.
    pub(super) fn unchanged(&self) -> Map {
        Rc::clone(&self.identity)
    }

    /// Whether only the identity fixes as much.
    pub(super) fn is_trivial(&self, stabilizer: u32) -> bool {
        self.stabilizers[stabilizer as usize].group.is_trivial()
    }

    /// For each input of the orbit of one under a stabiliser what a member that maps
    /// the one to it makes of all inputs; the one itself first.
    pub(super) fn ways(&self, stabilizer: u32, input: InputId) -> Vec<(InputId, Map)> {
        let stabilizer = &self.stabilizers[stabilizer as usize];
        let mut ways = vec![(input, Rc::clone(&self.identity))];
        let mut seen = vec![false; self.identity.len()];
        seen[input.index()] = true;
        let mut next = 0;
        while let Some((x, way)) = ways.get(next).cloned() {
            next += 1;
            for generator in &stabilizer.generators {
                let y = generator[x.index()];
                if !std::mem::replace(&mut seen[y as usize], true) {
                    ways.push((InputId::new(y), Map::from(then(&way, generator))));
                }
            }
        }
        ways
    }

    /// The stabiliser of an input, which is the first of its orbit, in another.
    pub(super) fn after(&mut self, at: u32, input: InputId) -> Result<u32, TooManyStabilizers> {
        self.next(at, input.get())
    }
}
