//! Finding the symmetries of a specification.
//!
//! A permutation of the *values*, the tokens of labels behind the first one, is
//! a symmetry of an LTS if renaming all labels by it gives an LTS that is
//! strongly bisimilar to the one before: from initial state to initial state, or,
//! if the initial state may move, from the initial state to any state. Where the
//! start is special, the part that is never left can be looked at alone.
//!
//! A value is a text. If two types of values have texts in common, such as
//! users `0 1 2` and channels `0 1`, these are one value each, and only such
//! permutations are found as serve both types.
//!
//! ```
//! use hyades_automorphism::{FindOptions, find_symmetry};
//! use hyades_formats::{LtsBuilder, StateId};
//!
//! let mut lock = LtsBuilder::new(4);
//! for user in 1..=3 {
//!     lock.add_text(0, format!("LOCK !{user}").as_bytes(), user)?;
//!     lock.add_text(user, format!("UNLOCK !{user}").as_bytes(), 0)?;
//! }
//! let found = find_symmetry(lock.build(StateId::new(0))?, &FindOptions::default())?;
//! // The users may be exchanged in any way.
//! assert_eq!(found.order().to_string(), "6");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alphabet;
mod chain;
mod classes;
mod colours;
mod moves;
mod order;
mod search;
mod swaps;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::fmt;

use hyades_equivalence::strong_quotient;
use hyades_formats::diagnostic::printable_string;
use hyades_formats::{LabelId, Lts, StateId, TooLarge};
use hyades_lts::tokens::TokenSyntax;
use hyades_lts::{Numbering, components, reachable, shortest_path};

use alphabet::System;
use moves::Moves;
use search::{Found, Search};
use swaps::Swaps;

pub use classes::{Action, ValueClass};
pub use order::Order;

/// The text of a label.
type Text = Box<[u8]>;

/// What symmetries are looked for.
#[derive(Clone, Debug)]
pub struct FindOptions {
    /// What is a token.
    pub syntax: TokenSyntax,
    /// Only symmetries that map the initial state to itself.
    pub fix_initial: bool,
    /// Only what there is after the start: the strongly connected part that
    /// every run can get to and no run leaves, with the state of it that is
    /// nearest to the initial one in place of that.
    pub recurrent: bool,
    /// Values that stay as they are.
    pub fixed: Vec<Box<[u8]>>,
    /// How many images of transitions may be tried in all where nothing tells
    /// which of several is the right one.
    pub choices: u64,
}

impl Default for FindOptions {
    fn default() -> Self {
        Self {
            syntax: TokenSyntax::default(),
            fix_initial: false,
            recurrent: false,
            fixed: Vec::new(),
            choices: 1_000_000,
        }
    }
}

/// Why symmetries cannot be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindError {
    /// Two LTSs of the size of the minimal one are too large for one.
    TooLarge(TooLarge),
    /// The recurrent part was asked for, and there is more than one part that is
    /// never left; how many there are.
    Parts(usize),
    /// That many choices were made, as many as are allowed, and there may be more
    /// symmetries than those found.
    Choices(u64),
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::TooLarge(error) => error.fmt(f),
            FindError::Parts(count) => write!(
                f,
                "{count} strongly connected parts are never left; expected one that every run \
                 can get to"
            ),
            FindError::Choices(count) => write!(
                f,
                "so many choices were tried: {count}; there may be other symmetries than those found \
                 up to then"
            ),
        }
    }
}

impl std::error::Error for FindError {}

impl From<TooLarge> for FindError {
    fn from(error: TooLarge) -> Self {
        FindError::TooLarge(error)
    }
}

/// The group of the symmetries of an LTS.
#[derive(Debug)]
pub struct Symmetries {
    values: Vec<Box<[u8]>>,
    generators: Vec<Generator>,
    order: Order,
    order_fixing_initial: Order,
    classes: Vec<ValueClass>,
    /// The images of the initial state, itself first.
    initial_images: Vec<u32>,
    system: System,
    syntax: TokenSyntax,
    /// The labels that lead from the initial state of the input to that of the
    /// system, if only the recurrent part of it was looked at.
    lead: Vec<Text>,
}

/// A symmetry that generates others.
#[derive(Debug)]
pub struct Generator {
    values: Moves,
    /// What it does to the states of the minimal system.
    states: Moves,
    fixes_initial: bool,
}

impl Generator {
    /// The image of a value, both as indices into [`Symmetries::values`].
    pub fn image(&self, value: u32) -> u32 {
        self.values.of(value)
    }

    /// The values that it moves, ascending, each with its image.
    pub fn moves(&self) -> impl Iterator<Item = (u32, u32)> {
        self.values.pairs()
    }

    /// Whether it maps the initial state to itself.
    pub fn fixes_initial(&self) -> bool {
        self.fixes_initial
    }

    /// The image of a state of the minimal system. O(log(states that move)).
    pub fn state_image(&self, state: u32) -> u32 {
        self.states.of(state)
    }
}

impl Symmetries {
    /// All values of the labels that occur, numbers by size and before words.
    pub fn values(&self) -> &[Box<[u8]>] {
        &self.values
    }

    /// Symmetries of which all others are compositions; none if only the
    /// identity is one.
    pub fn generators(&self) -> &[Generator] {
        &self.generators
    }

    /// How many symmetries there are, the identity included.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// How many of them map the initial state to itself. Symmetries map it to
    /// `order / order_fixing_initial` different states.
    pub fn order_fixing_initial(&self) -> &Order {
        &self.order_fixing_initial
    }

    /// The orbits of the values that move, each with what the group does to it.
    pub fn classes(&self) -> &[ValueClass] {
        &self.classes
    }

    /// What was a token.
    pub fn syntax(&self) -> &TokenSyntax {
        &self.syntax
    }

    /// How many states the minimal system has.
    pub fn states(&self) -> u32 {
        self.system.states() as u32
    }

    /// The labels of the minimal system, the hidden one first and as `i`.
    pub fn labels(&self) -> &[Box<[u8]>] {
        &self.system.texts
    }

    /// The images of the initial state of the minimal system, itself first.
    pub fn initial_images(&self) -> &[u32] {
        &self.initial_images
    }

    /// A shortest path to each of the [images of the initial
    /// state](Self::initial_images), as indices into [`labels`](Self::labels).
    /// O(transitions) time; 8 bytes a state.
    pub fn paths_to_initial_images(&self) -> Vec<Vec<u32>> {
        self.system.shortest_paths(&self.initial_images)
    }

    /// The labels that lead from the initial state of the input to that of the minimal
    /// system, if only the [recurrent](FindOptions::recurrent) part was looked at.
    pub fn lead(&self) -> &[Box<[u8]>] {
        &self.lead
    }

    /// A generator in cycle notation.
    pub fn cycles(&self, generator: &Generator) -> String {
        let mut seen = HashSet::new();
        let mut text = String::new();
        for (start, _) in generator.moves() {
            let mut cycle = Vec::new();
            let mut at = start;
            while seen.insert(at) {
                cycle.push(printable_string(&self.values[at as usize]));
                at = generator.image(at);
            }
            if !cycle.is_empty() {
                text += &format!("({})", cycle.join(" "));
            }
        }
        text
    }
}

/// Finds all symmetries of an LTS, as a group given by generators.
///
/// The reachable part is minimised; then takes O(transitions · log states) to tell apart
/// what no symmetry exchanges, and if values are left that may be permuted O(transitions)
/// for each generator and each image of a value, or of the initial state, that has to be
/// ruled out. Values that nothing tells apart and of which any two may be exchanged while
/// all states stay take no more than their transitions. If there are
/// many transitions from one state with one label, or values that their labels
/// do not tell apart, the search may have to take back choices, in the worst
/// case exponentially many in the number of values.
/// Holds, besides what [`strong_quotient`] needs, the minimal LTS, 50 bytes for each
/// of its states, 8 for each of its transitions if there is something to permute, and for each generator 8 for each value and state that it
/// moves.
///
/// # Errors
/// See [`FindError`].
///
/// ```
/// use hyades_formats::{LtsBuilder, StateId};
/// use hyades_automorphism::{FindOptions, find_symmetry};
///
/// let mut lts = LtsBuilder::new(3);
/// lts.add_text(0, b"TAKE !left", 1)?;
/// lts.add_text(0, b"TAKE !right", 2)?;
/// lts.add_text(1, b"PUT !left", 0)?;
/// lts.add_text(2, b"PUT !right", 0)?;
/// let lts = lts.build(StateId::new(0))?;
/// let found = find_symmetry(lts, &FindOptions::default())?;
/// assert_eq!(found.order().to_u64(), Some(2));
/// assert_eq!(found.cycles(&found.generators()[0]), "(left right)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find_symmetry(lts: Lts, options: &FindOptions) -> Result<Symmetries, FindError> {
    let (lts, lead) = match options.recurrent {
        true => recurrent_part(lts)?,
        false => (lts, Vec::new()),
    };
    let minimal = strong_quotient(lts).lts;
    let system = System::new(minimal, &options.syntax);
    let values = system.alphabet.values.clone();
    let movable: Vec<bool> = values.iter().map(|v| !options.fixed.contains(v)).collect();
    let colours = colours::colours(&system, &movable);

    let initial = system.initial;
    let mut cells = cells(&colours.value);
    // Without a value to permute, each state goes to itself, as no other is bisimilar.
    let initial_cell = match options.fix_initial || cells.len() == values.len() {
        true => vec![initial],
        false => {
            let colour = colours.state[initial as usize];
            let states = 0..system.states() as u32;
            states
                .filter(|&s| colours.state[s as usize] == colour)
                .collect()
        }
    };
    // What is met first decides most about what comes behind it.
    let seen = system.first_seen();
    cells.sort_by_key(|cell| cell.iter().map(|&v| seen[v as usize]).min());
    let alone = cells.iter().filter(|cell| cell.len() == 1);
    let mut levels = Levels {
        search: Search::new(&system, &colours, options.choices),
        initial_cell,
        stay: alone.map(|cell| cell[0]).collect(),
        orbits: Orbits::new(values.len()),
        found: Vec::new(),
    };
    let sizes = levels.value_levels(&cells, initial)?;
    let order_fixing_initial = Order::product(sizes.iter().copied());
    let initial_orbit = levels.initial_level(initial)?;
    let order = Order::product(sizes.into_iter().chain([initial_orbit.len() as u32]));

    let generators: Vec<Generator> = levels
        .found
        .into_iter()
        .map(|found| Generator {
            fixes_initial: found.states.of(initial) == initial,
            values: found.values,
            states: found.states,
        })
        .collect();
    Ok(Symmetries {
        classes: classes::classes(values.len(), &generators, &order),
        values,
        generators,
        order,
        order_fixing_initial,
        initial_images: initial_orbit,
        system,
        syntax: options.syntax.clone(),
        lead,
    })
}

/// The LTS with the nearest state of the part that is never left as initial
/// state, and the labels that lead there.
fn recurrent_part(lts: Lts) -> Result<(Lts, Vec<Text>), FindError> {
    let lts = reachable(lts, Numbering::BreadthFirst);
    let parts = components(&lts);
    let part = |s: StateId| parts.of[s.index()] as usize;
    let mut is_left = vec![false; parts.count as usize];
    for (s, _, t) in lts.iter() {
        is_left[part(s)] |= part(s) != part(t);
    }
    let last = is_left.iter().filter(|left| !**left).count();
    if last != 1 {
        return Err(FindError::Parts(last));
    }
    // Numbers ascend with the distance from the initial state.
    let nearest = (0..lts.states())
        .map(StateId::from_index)
        .find(|&s| !is_left[part(s)])
        .expect("the part has states");
    let path = shortest_path(&lts, nearest).expect("all states can be reached");
    let text = |label: &LabelId| match label.is_hidden() {
        true => Box::from(&b"i"[..]),
        false => Box::from(lts.table().text(*label)),
    };
    let lead = path.iter().map(text).collect();
    let mut columns = lts.into_parts();
    columns.initial = nearest;
    Ok((Lts::from_parts(columns), lead))
}

/// The values by colour, in the order of their first ones.
fn cells(colours: &[u64]) -> Vec<Vec<u32>> {
    let mut cells: Vec<Vec<u32>> = Vec::new();
    let mut number = HashMap::new();
    for (value, colour) in colours.iter().enumerate() {
        let cell = *number.entry(colour).or_insert(cells.len());
        if cell == cells.len() {
            cells.push(Vec::new());
        }
        cells[cell].push(value as u32);
    }
    cells
}

/// The search for generators, by levels: at level `k` those symmetries that fix
/// the first `k` values of a base and the initial state. Levels are done from
/// the last one to the first, so that generators found before are symmetries of
/// the level, and what is in an orbit under them need not be searched for.
struct Levels<'a> {
    search: Search<'a>,
    /// All states that the initial one could go to, ascending.
    initial_cell: Vec<u32>,
    /// Values that cannot move.
    stay: Vec<u32>,
    /// The orbits of the values under what was found.
    orbits: Orbits,
    found: Vec<Found>,
}

impl Levels<'_> {
    /// Looks for symmetries that keep the initial state, with a base of values
    /// that do not stay because those before do; gives the sizes of the orbits of
    /// the base's values, the last one first.
    fn value_levels(&mut self, cells: &[Vec<u32>], initial: u32) -> Result<Vec<u32>, FindError> {
        let begun = self.search.begin(initial, &self.stay);
        begun.expect("the identity is a symmetry");
        let is_permuted = cells.iter().any(|cell| cell.len() > 1);
        let swaps = is_permuted.then(|| Swaps::new(self.search.system()));
        let mut base = Vec::new();
        for cell in cells {
            let are_open = !cell.iter().any(|&v| self.search.is_known(v));
            if let ([_, .., last], true, Some(swaps)) = (&cell[..], are_open, &swaps)
                && swaps.keep_all(cell)
            {
                // What stays of these tells nothing of others, and all but the last one
                // tell the last.
                for pair in cell.windows(2) {
                    let also = (pair[1] == *last).then_some(pair[1]);
                    self.search.assume(pair[0], also);
                    base.push((pair[0], Some(pair[1]), cell));
                }
                continue;
            }
            for &value in cell {
                if !self.search.is_known(value) {
                    self.search.fix(value);
                    base.push((value, None, cell));
                }
            }
        }
        let levels = base.into_iter().rev();
        levels
            .map(|(value, next, cell)| match next {
                Some(next) => Ok(self.swap_level(value, next)),
                None => self.value_level(value, cell),
            })
            .collect()
    }

    /// Does the level of the last value that is fixed, which may be exchanged with the
    /// next one while all states stay; gives the size of its orbit.
    fn swap_level(&mut self, value: u32, next: u32) -> u32 {
        self.search.unfix();
        let found = Found {
            values: Moves::exchange(value, next),
            states: Moves::default(),
        };
        self.orbits.join(found.values.pairs());
        self.found.push(found);
        self.orbits.size(value)
    }

    /// Does the level of the last value that is fixed, with `cell` what it could
    /// go to; gives the size of its orbit.
    fn value_level(&mut self, value: u32, cell: &[u32]) -> Result<u32, FindError> {
        self.search.unfix();
        self.orbits.refuted.fill(false);
        for &other in cell {
            let known = self.search.is_known(other) || self.orbits.same(value, other);
            if known || self.orbits.is_refuted(other) {
                continue;
            }
            match self.search.find(Some((value, other)))? {
                Some(found) => {
                    self.orbits.join(found.values.pairs());
                    self.found.push(found);
                }
                None => self.orbits.refute(other),
            }
        }
        Ok(self.orbits.size(value))
    }

    /// Looks for symmetries that move the initial state; gives its orbit, itself
    /// first.
    fn initial_level(&mut self, initial: u32) -> Result<Vec<u32>, FindError> {
        // Cells are kept by all symmetries.
        let cell = &self.initial_cell;
        let index = |s: u32| cell.binary_search(&s).expect("it is in the cell") as u32;
        let on_cell = |found: &Found| -> Vec<(u32, u32)> {
            let pairs = (0..).zip(cell);
            pairs
                .map(|(k, &s)| (k, index(found.states.of(s))))
                .collect()
        };
        let mut orbits = Orbits::new(cell.len());
        if cell.len() > 1 {
            for found in &self.found {
                orbits.join(on_cell(found));
            }
        }
        let start = index(initial);
        for (k, &state) in cell.iter().enumerate() {
            if orbits.same(start, k as u32) || orbits.is_refuted(k as u32) {
                continue;
            }
            let found = match self.search.begin(state, &self.stay) {
                Ok(()) => self.search.find(None)?,
                Err(_) => None,
            };
            match found {
                Some(found) => {
                    orbits.join(on_cell(&found));
                    self.found.push(found);
                }
                None => orbits.refute(k as u32),
            }
        }
        let mut orbit = vec![initial];
        let others = (0..cell.len() as u32).filter(|&k| k != start);
        orbit.extend(
            others
                .filter(|&k| orbits.same(start, k))
                .map(|k| cell[k as usize]),
        );
        Ok(orbit)
    }
}

/// Orbits of points under permutations, as sets in a forest. Orbits that a
/// point was refuted to move to are known.
struct Orbits {
    parent: Vec<u32>,
    size: Vec<u32>,
    refuted: Vec<bool>,
}

impl Orbits {
    fn new(points: usize) -> Self {
        Self {
            parent: (0..points as u32).collect(),
            size: vec![1; points],
            refuted: vec![false; points],
        }
    }

    fn root(&mut self, mut point: u32) -> u32 {
        while self.parent[point as usize] != point {
            let above = self.parent[self.parent[point as usize] as usize];
            self.parent[point as usize] = above;
            point = above;
        }
        point
    }

    /// Adds a permutation: points with their images, at least those that move.
    fn join(&mut self, pairs: impl IntoIterator<Item = (u32, u32)>) {
        for (point, image) in pairs {
            let (a, b) = (self.root(point), self.root(image));
            if a != b {
                let (a, b) = if self.size[a as usize] < self.size[b as usize] {
                    (b, a)
                } else {
                    (a, b)
                };
                self.parent[b as usize] = a;
                self.size[a as usize] += self.size[b as usize];
                self.refuted[a as usize] |= self.refuted[b as usize];
            }
        }
    }

    fn same(&mut self, a: u32, b: u32) -> bool {
        self.root(a) == self.root(b)
    }

    fn size(&mut self, point: u32) -> u32 {
        let root = self.root(point);
        self.size[root as usize]
    }

    fn refute(&mut self, point: u32) {
        let root = self.root(point);
        self.refuted[root as usize] = true;
    }

    fn is_refuted(&mut self, point: u32) -> bool {
        let root = self.root(point);
        self.refuted[root as usize]
    }
}
