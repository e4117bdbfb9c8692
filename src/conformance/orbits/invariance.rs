//! Permutations of values under which a machine is invariant.

use std::collections::{HashMap, HashSet};
use std::fmt;

use hyades_automorphism::{FindError, FindOptions, Order, find_symmetry};
use hyades_formats::StateId;
use hyades_formats::diagnostic::printable_string;
use hyades_lts::tokens::TokenSyntax;

use super::group::{Group, MOST_POINTS, Permutation};
use crate::identifiers::Word;
use crate::machine::{InputId, Machine, NONE};
use crate::shortest::{After, shortest_word};
use crate::symmetric::{Labelled, LabelledError};

/// A token.
type Value = Box<[u8]>;

/// Which tokens of inputs and outputs are values.
#[derive(Clone, Debug)]
pub struct Naming {
    /// What is a token.
    pub syntax: TokenSyntax,
    /// Whether the first token of an input is no value, whatever its text.
    pub gates: bool,
}

/// A permutation of values: the ones that move, each with its image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValuePermutation(Vec<(Value, Value)>);

impl ValuePermutation {
    /// The permutation that values are renamed by, where no two become the same. It
    /// may be told for some of the values only: those that would then be the image
    /// of nothing, and those that would have none, are put together so that the
    /// fewest values move. `0 → 1, 1 → 2` becomes the cycle `0 → 1 → 2 → 0`.
    ///
    /// `None` if two become the same.
    pub fn closing(pairs: impl IntoIterator<Item = (Value, Value)>) -> Option<Self> {
        let mut forward: HashMap<Value, Value> = HashMap::new();
        let mut backward: HashMap<Value, Value> = HashMap::new();
        for (old, new) in pairs {
            if let Some(before) = backward.insert(new.clone(), old.clone())
                && before != old
            {
                return None;
            }
            forward.insert(old, new);
        }
        let starts: Vec<Value> = forward
            .keys()
            .filter(|value| !backward.contains_key(*value))
            .cloned()
            .collect();
        for start in starts {
            let mut end = &start;
            while let Some(next) = forward.get(end) {
                end = next;
            }
            let end = end.clone();
            forward.insert(end, start);
        }
        let mut moved: Vec<(Value, Value)> = forward.into_iter().filter(|(a, b)| a != b).collect();
        moved.sort_unstable();
        Some(Self(moved))
    }

    /// Whether no value moves.
    pub fn is_identity(&self) -> bool {
        self.0.is_empty()
    }
}

/// In cycle notation.
impl fmt::Display for ValuePermutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut seen = HashSet::new();
        for (start, _) in &self.0 {
            let mut at = start;
            let mut cycle = Vec::new();
            while seen.insert(at) {
                cycle.push(printable_string(at));
                let found = self.0.binary_search_by(|(old, _)| old.cmp(at));
                at = &self.0[found.expect("a permutation maps what moves to what moves")].1;
            }
            if !cycle.is_empty() {
                write!(f, "({})", cycle.join(" "))?;
            }
        }
        if self.0.is_empty() {
            f.write_str("()")?;
        }
        Ok(())
    }
}

/// Why there is no group of symmetries of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvarianceError {
    /// The group moves so many values and is no product of symmetric groups.
    Values(usize),
    /// As the search for symmetries tells.
    Find(FindError),
    /// The machine has no labels.
    Labels(LabelledError),
}

impl fmt::Display for InvarianceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvarianceError::Values(count) => write!(
                f,
                "the symmetries move {count} values and are not all permutations of sets of \
                 them; such groups may move at most {MOST_POINTS}"
            ),
            InvarianceError::Find(error) => error.fmt(f),
            InvarianceError::Labels(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for InvarianceError {}

/// A group of permutations of values under which a machine is invariant: if inputs
/// are renamed by one, so are the answers.
///
/// As the initial state is where all words begin, a permutation maps it to itself or
/// to an equivalent state.
#[derive(Debug)]
pub struct Invariance {
    values: Vec<Value>,
    pub(super) group: Group,
    /// What the machine's inputs are made of.
    pub(super) inputs: Forms,
    naming: Naming,
    order: Order,
    generators: Vec<ValuePermutation>,
}

impl Invariance {
    /// The group that those of some permutations generate under which a machine is
    /// invariant; and the others, each with a shortest word that shows it, empty if
    /// an input becomes none. Of the permutations that those before generate nothing
    /// is asked. O(states · inputs) for each other one of a minimal machine, the
    /// square of the states for others.
    ///
    /// # Errors
    /// If the group moves too many values.
    pub fn given(
        machine: &Machine,
        permutations: &[ValuePermutation],
        naming: &Naming,
    ) -> Result<(Self, Vec<(ValuePermutation, Word)>), InvarianceError> {
        let values = values_of(permutations);
        let tables = Tables::new(machine, &values, naming);
        let mut known: Vec<Permutation> = Vec::new();
        let mut kept = Vec::new();
        let none = Group::new(values.len(), Vec::new());
        let mut members = none.map_err(InvarianceError::Values)?.members();
        let mut dropped = Vec::new();
        // A product of symmetric groups is known by its transpositions: these first.
        let (swaps, others): (Vec<_>, Vec<_>) = permutations
            .iter()
            .partition(|permutation| permutation.0.len() == 2);
        for permutation in swaps.into_iter().chain(others) {
            let points = points_of(permutation, &values);
            if members.contains(&points) {
                continue;
            }
            match tables.violation(machine, &points) {
                Some(word) => dropped.push((permutation.clone(), word)),
                None => {
                    known.push(points);
                    kept.push(permutation.clone());
                    let group = Group::new(values.len(), known.clone());
                    members = group.map_err(InvarianceError::Values)?.members();
                }
            }
        }
        let group = Group::new(values.len(), known).map_err(InvarianceError::Values)?;
        let order = members.order();
        let invariance = Self {
            values,
            group,
            inputs: tables.inputs,
            naming: naming.clone(),
            order,
            generators: kept,
        };
        Ok((invariance, dropped))
    }

    /// The group of all permutations of values under which a machine is invariant,
    /// where a value is any token behind the first one of an input, or of an output:
    /// see [`find_symmetry`].
    ///
    /// # Errors
    /// If the search gives up, or the group moves too many values.
    pub fn found(machine: &Machine, options: &FindOptions) -> Result<Self, InvarianceError> {
        let labelled = Labelled::new(machine, &options.syntax);
        let lts = labelled.map_err(InvarianceError::Labels)?.lts;
        let options = FindOptions {
            fix_initial: true,
            ..options.clone()
        };
        let found = find_symmetry(lts, &options).map_err(InvarianceError::Find)?;
        let value = |v: u32| found.values()[v as usize].clone();
        let generators = found.generators().iter();
        let mut permutations: Vec<ValuePermutation> = generators
            .filter_map(|generator| {
                ValuePermutation::closing(generator.moves().map(|(v, w)| (value(v), value(w))))
            })
            .collect();
        let naming = Naming {
            syntax: options.syntax,
            gates: true,
        };
        // All symmetries are meant: a set of values is permuted freely if each can be
        // exchanged with the first.
        let values = values_of(&permutations);
        let tables = Tables::new(machine, &values, &naming);
        for orbit in orbits_of(&permutations, &values) {
            for &other in &orbit[1..] {
                let (a, b) = (&values[orbit[0] as usize], &values[other as usize]);
                let swap = [(a.clone(), b.clone()), (b.clone(), a.clone())];
                let swap = ValuePermutation::closing(swap).expect("two values");
                if tables
                    .violation(machine, &points_of(&swap, &values))
                    .is_none()
                {
                    permutations.push(swap);
                }
            }
        }
        Ok(Self::given(machine, &permutations, &naming)?.0)
    }

    /// How many permutations there are.
    pub fn order(&self) -> &Order {
        &self.order
    }

    /// Permutations of which all others are compositions.
    pub fn generators(&self) -> &[ValuePermutation] {
        &self.generators
    }

    /// Whether another machine, with the same inputs, is invariant under all of them.
    pub fn holds_for(&self, machine: &Machine) -> bool {
        let tables = Tables::new(machine, &self.values, &self.naming);
        let generators = self.group.generators();
        generators
            .iter()
            .all(|points| tables.violation(machine, points).is_none())
    }
}

/// The values that move, ascending.
fn values_of(permutations: &[ValuePermutation]) -> Vec<Value> {
    let moved = permutations
        .iter()
        .flat_map(|permutation| permutation.0.iter());
    let mut values: Vec<Value> = moved.map(|(old, _)| old.clone()).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The same, on the places of the values.
fn points_of(permutation: &ValuePermutation, values: &[Value]) -> Permutation {
    let place = |value: &Value| values.binary_search(value).expect("all values are known");
    let mut points = super::group::identity(values.len());
    for (old, new) in &permutation.0 {
        points[place(old)] = place(new) as u32;
    }
    points
}

/// Sets of values that go to each other, of two at least.
fn orbits_of(permutations: &[ValuePermutation], values: &[Value]) -> Vec<Vec<u32>> {
    let mut of: Vec<u32> = (0..values.len() as u32).collect();
    for permutation in permutations {
        for (x, y) in (0..).zip(points_of(permutation, values)) {
            let (x, y) = (of[x as usize], of[y as usize]);
            if x != y {
                of.iter_mut().filter(|z| **z == y).for_each(|z| *z = x);
            }
        }
    }
    let mut orbits = vec![Vec::new(); values.len()];
    for (value, &set) in (0..).zip(&of) {
        orbits[set as usize].push(value);
    }
    orbits.retain(|orbit| orbit.len() > 1);
    orbits
}

/// Texts as values and what is between them.
#[derive(Debug)]
pub(super) struct Forms {
    /// The text between values, by number, and the values.
    of: Vec<(u32, Box<[u32]>)>,
    find: HashMap<(u32, Box<[u32]>), u32>,
}

impl Forms {
    fn new<'a>(
        texts: impl Iterator<Item = &'a [u8]>,
        values: &[Value],
        naming: &Naming,
        gates: bool,
    ) -> Self {
        let mut frames: HashMap<Vec<Vec<u8>>, u32> = HashMap::new();
        let mut of = Vec::new();
        for text in texts {
            let mut found = Vec::new();
            let mut first = gates;
            let mut frame = vec![Vec::new()];
            let mut rest = text;
            // Runs of token bytes and of others.
            while !rest.is_empty() {
                let is_token = naming.syntax.is_token(&rest[..1]);
                let same = |&byte: &u8| naming.syntax.is_token(&[byte]) == is_token;
                let length = rest.iter().take_while(|byte| same(byte)).count();
                let (run, after) = rest.split_at(length);
                rest = after;
                let is_gate = is_token && std::mem::take(&mut first);
                let value = values.binary_search_by(|value| (**value).cmp(run));
                match value {
                    Ok(value) if is_token && !is_gate => {
                        found.push(value as u32);
                        frame.push(Vec::new());
                    }
                    _ => frame.last_mut().expect("never empty").extend(run),
                }
            }
            let next = frames.len() as u32;
            let frame = *frames.entry(frame).or_insert(next);
            of.push((frame, found.into_boxed_slice()));
        }
        let find = of.iter().cloned().zip(0..).collect();
        Self { of, find }
    }

    /// The values in a text.
    pub(super) fn values(&self, text: u32) -> &[u32] {
        &self.of[text as usize].1
    }

    /// The texts with values replaced; [`NONE`] for one that is not there.
    pub(super) fn images(&self, points: &[u32]) -> Box<[u32]> {
        let image = |(frame, values): &(u32, Box<[u32]>)| {
            let values = values.iter().map(|&value| points[value as usize]);
            let found = self.find.get(&(*frame, values.collect()));
            found.copied().unwrap_or(NONE)
        };
        self.of.iter().map(image).collect()
    }
}

/// The texts of a machine.
struct Tables {
    inputs: Forms,
    outputs: Forms,
}

impl Tables {
    fn new(machine: &Machine, values: &[Value], naming: &Naming) -> Self {
        let inputs = machine.input_ids().map(|input| machine.input_text(input));
        let outputs = machine
            .output_ids()
            .map(|output| machine.output_text(output));
        Self {
            inputs: Forms::new(inputs, values, naming, naming.gates),
            outputs: Forms::new(outputs, values, naming, false),
        }
    }

    /// A shortest word that shows that the machine is not invariant under a
    /// permutation; empty if an input becomes none.
    fn violation(&self, machine: &Machine, points: &[u32]) -> Option<Word> {
        let inputs = self.inputs.images(points);
        let outputs = self.outputs.images(points);
        if inputs.contains(&NONE) {
            return Some(Word::new());
        }
        let start = (machine.initial().get(), machine.initial().get());
        let after = |&(state, image): &(u32, u32), input: u32| {
            let renamed = InputId::new(inputs[input as usize]);
            let here = machine.step(StateId::new(state), InputId::new(input));
            match (here, machine.step(StateId::new(image), renamed)) {
                (None, None) => After::Nothing,
                (Some((output, target)), Some((other, end)))
                    if outputs[output.index()] == other.get() =>
                {
                    After::Place((target.get(), end.get()))
                }
                _ => After::Goal,
            }
        };
        shortest_word(machine.inputs(), start, usize::MAX, after).ok()
    }
}
