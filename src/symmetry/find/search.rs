//! The search for one symmetry with given images of some values.
//!
//! A symmetry is a permutation of the values together with a map of the states
//! that it induces: as the system is minimal there is at most one. The search
//! walks over pairs of a state and its image. Transitions of the two have keys,
//! which a symmetry keeps: of the label's shape, of its values, by what is known
//! of their images, and of the target's colour, or its image. A key that
//! occurs once in a row decides the images of the label's values and of the
//! target; rows with different keys refute all that was assumed. When nothing
//! is decided any more, the images of one transition are tried one after the
//! other.
//!
//! Whatever is found in this way is verified, transition by transition, so that
//! nothing depends on hashes being different.

use hyades_formats::{LabelId, LabelTable, Lts, LtsParts, StateId, TooLarge};
use rayon::prelude::*;

use super::alphabet::System;
use super::colours::{Colours, label_hash, mix};
use crate::equivalence::{Relation, partition};
use crate::lts::union::disjoint_union;

const NONE: u32 = u32::MAX;

/// How many pairs are looked at before the next choice, while images of values
/// are missing.
const AHEAD: usize = 1 << 10;

/// A symmetry.
pub(super) struct Found {
    /// The images of the values.
    pub values: Vec<u32>,
    /// The images of the states.
    pub states: Vec<u32>,
}

/// What has been assumed is refuted.
struct Refuted;

/// A transition in a row, with a key that symmetries keep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Keyed {
    key: u64,
    label: u32,
    target: u32,
}

/// A transition of which the images are tried one after the other.
struct Choice {
    /// How much was known before.
    values: usize,
    states: usize,
    next: usize,
    pending: Vec<u32>,
    from: Keyed,
    /// Possible images, the last one first.
    left: Vec<Keyed>,
}

/// The search, with what is assumed at a time.
pub(super) struct Search<'a> {
    system: &'a System,
    colours: &'a Colours,
    values: Partial,
    states: Partial,
    /// By label: the hash of a label, as one to be mapped and as an image.
    left_key: Vec<u64>,
    right_key: Vec<u64>,
    /// The first pair of `states` that was not looked at.
    next: usize,
    /// States with transitions whose images are not known.
    pending: Vec<u32>,
    left: Vec<Keyed>,
    right: Vec<Keyed>,
}

/// An injective map under construction.
struct Partial {
    image: Vec<u32>,
    preimage: Vec<u32>,
    /// What has an image, in the order in which it got one.
    trail: Vec<u32>,
}

impl Partial {
    fn new(size: usize) -> Self {
        Self {
            image: vec![NONE; size],
            preimage: vec![NONE; size],
            trail: Vec::new(),
        }
    }

    fn is_total(&self) -> bool {
        self.trail.len() == self.image.len()
    }

    /// Maps `a` to `b`; says whether this is new.
    fn set(&mut self, a: u32, b: u32) -> Result<bool, Refuted> {
        match (self.image[a as usize], self.preimage[b as usize]) {
            (NONE, NONE) => {
                self.image[a as usize] = b;
                self.preimage[b as usize] = a;
                self.trail.push(a);
                Ok(true)
            }
            (image, _) if image == b => Ok(false),
            _ => Err(Refuted),
        }
    }

    /// Takes back the last one; gives it and what its image was.
    fn unset(&mut self) -> Option<(u32, u32)> {
        let a = self.trail.pop()?;
        let b = std::mem::replace(&mut self.image[a as usize], NONE);
        self.preimage[b as usize] = NONE;
        Some((a, b))
    }
}

impl<'a> Search<'a> {
    /// A search in which nothing is assumed yet.
    pub fn new(system: &'a System, colours: &'a Colours) -> Self {
        let mut search = Self {
            values: Partial::new(system.alphabet.values.len()),
            states: Partial::new(system.states()),
            left_key: vec![0; system.alphabet.len()],
            right_key: vec![0; system.alphabet.len()],
            next: 0,
            pending: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            system,
            colours,
        };
        for label in 0..system.alphabet.len() as u32 {
            search.set_keys(label);
        }
        search
    }

    /// A symmetry that maps these values as given and the initial state to
    /// `initial`, or `None` if there is none.
    ///
    /// Takes time O(transitions · log(largest row)) if no choice has to be taken
    /// back, exponential in the number of values at worst.
    pub fn find(
        &mut self,
        values: impl IntoIterator<Item = (u32, u32)>,
        initial: u32,
    ) -> Result<Option<Found>, TooLarge> {
        let start = (self.system.initial, initial);
        let mut assumed = self.assume(values, start);
        let mut choices = Vec::new();
        let found = loop {
            assumed = assumed.and_then(|()| self.propagate());
            if assumed.is_ok() {
                if self.values.is_total() {
                    if let Some(found) = self.complete(initial)? {
                        break Some(found);
                    }
                } else {
                    choices.push(self.choice());
                }
            }
            match self.try_next(&mut choices) {
                Some(tried) => assumed = tried,
                None => break None,
            }
        };
        self.back_to(0, 0, 0);
        self.pending.clear();
        Ok(found)
    }

    fn assume(
        &mut self,
        values: impl IntoIterator<Item = (u32, u32)>,
        start: (u32, u32),
    ) -> Result<(), Refuted> {
        for (v, w) in values {
            self.decide(v, w)?;
        }
        self.pair(start.0, start.1)
    }

    /// Takes back what the last choice led to and tries the next image, or one
    /// of an earlier choice; `None` if there are no more.
    fn try_next(&mut self, choices: &mut Vec<Choice>) -> Option<Result<(), Refuted>> {
        loop {
            let choice = choices.last_mut()?;
            self.back_to(choice.values, choice.states, choice.next);
            if let Some(image) = choice.left.pop() {
                self.pending.clone_from(&choice.pending);
                let from = choice.from;
                return Some(self.match_edges(from, image));
            }
            choices.pop();
        }
    }

    fn back_to(&mut self, values: usize, states: usize, next: usize) {
        while self.states.trail.len() > states {
            self.states.unset();
        }
        while self.values.trail.len() > values {
            let (v, w) = self.values.unset().expect("the trail is not empty");
            self.renew_keys(v, w);
        }
        self.next = next;
    }

    /// The value `v` goes to `w`.
    fn decide(&mut self, v: u32, w: u32) -> Result<(), Refuted> {
        if self.colours.value[v as usize] != self.colours.value[w as usize] {
            return Err(Refuted);
        }
        if self.values.set(v, w)? {
            self.renew_keys(v, w);
        }
        Ok(())
    }

    /// The state `p` goes to `q`.
    fn pair(&mut self, p: u32, q: u32) -> Result<(), Refuted> {
        if self.colours.state[p as usize] != self.colours.state[q as usize] {
            return Err(Refuted);
        }
        self.states.set(p, q).map(|_| ())
    }

    fn renew_keys(&mut self, v: u32, w: u32) {
        let system = self.system;
        for value in [v, w] {
            for &label in system.alphabet.labels_of(value) {
                self.set_keys(label);
            }
        }
    }

    /// A value is known by its image, or else by its colour.
    fn set_keys(&mut self, label: u32) {
        let known = |image: u32, value: u32| match image {
            NONE => mix(self.colours.value[value as usize], 2),
            image => mix(image.into(), 3),
        };
        let left = |v: u32| known(self.values.image[v as usize], v);
        let right = |w: u32| match self.values.preimage[w as usize] {
            NONE => known(NONE, w),
            _ => known(w, w),
        };
        let keys = [
            label_hash(self.system, label, left),
            label_hash(self.system, label, right),
        ];
        [
            self.left_key[label as usize],
            self.right_key[label as usize],
        ] = keys;
    }

    /// Fills `left` and `right` with the rows of `p` and of its image, sorted.
    fn fill_rows(&mut self, p: u32) {
        let system = self.system;
        let q = self.states.image[p as usize];
        let keyed = |row: &mut Vec<Keyed>, state: u32, key: &[u64], known: &dyn Fn(u32) -> u64| {
            let range = system.row(state);
            let edges = system.labels[range.clone()]
                .iter()
                .zip(&system.targets[range]);
            row.clear();
            row.extend(edges.map(|(&label, &target)| Keyed {
                key: mix(key[label as usize], known(target)),
                label,
                target,
            }));
            row.sort_unstable();
        };
        let colour = |state: u32| mix(self.colours.state[state as usize], 4);
        let left = |target: u32| match self.states.image[target as usize] {
            NONE => colour(target),
            image => mix(image.into(), 5),
        };
        let right = |target: u32| match self.states.preimage[target as usize] {
            NONE => colour(target),
            _ => mix(target.into(), 5),
        };
        keyed(&mut self.left, p, &self.left_key, &left);
        keyed(&mut self.right, q, &self.right_key, &right);
    }

    /// Draws all conclusions from `p` and its image; says whether nothing is
    /// left to be known about their transitions.
    fn conclude(&mut self, p: u32) -> Result<bool, Refuted> {
        self.fill_rows(p);
        let (left, right) = (
            std::mem::take(&mut self.left),
            std::mem::take(&mut self.right),
        );
        let result = self.conclude_rows(&left, &right);
        (self.left, self.right) = (left, right);
        result
    }

    fn conclude_rows(&mut self, left: &[Keyed], right: &[Keyed]) -> Result<bool, Refuted> {
        if left.len() != right.len() || left.iter().zip(right).any(|(a, b)| a.key != b.key) {
            return Err(Refuted);
        }
        let mut resolved = true;
        let mut from = 0;
        for run in left.chunk_by(|a, b| a.key == b.key) {
            match run {
                [one] => self.match_edges(*one, right[from])?,
                _ => resolved = false,
            }
            from += run.len();
        }
        Ok(resolved)
    }

    fn match_edges(&mut self, a: Keyed, b: Keyed) -> Result<(), Refuted> {
        let alphabet = &self.system.alphabet;
        if alphabet.shape(a.label) != alphabet.shape(b.label) {
            return Err(Refuted);
        }
        let values = alphabet.arguments(a.label).iter();
        for (&v, &w) in values.zip(alphabet.arguments(b.label)) {
            self.decide(v, w)?;
        }
        self.pair(a.target, b.target)
    }

    /// Draws conclusions until there are no more; while images of values are
    /// missing, from [`AHEAD`] pairs at most if something is pending.
    fn propagate(&mut self) -> Result<(), Refuted> {
        let mut ahead = AHEAD;
        loop {
            while let Some(&p) = self.states.trail.get(self.next) {
                if !self.values.is_total() && !self.pending.is_empty() {
                    if ahead == 0 {
                        break;
                    }
                    ahead -= 1;
                }
                self.next += 1;
                if !self.conclude(p)? {
                    self.pending.push(p);
                }
            }
            let known = (self.values.trail.len(), self.states.trail.len());
            let pending = std::mem::take(&mut self.pending);
            for &p in &pending {
                if !self.conclude(p)? {
                    self.pending.push(p);
                }
            }
            let more = self.states.trail.len() - known.1;
            let nothing = self.values.trail.len() == known.0 && more == 0;
            // With many pending there is a faster way to finish.
            let slow = self.values.is_total() && more < pending.len() / 16;
            if nothing || slow {
                return Ok(());
            }
        }
    }

    /// The transition with the fewest possible images, among the first states
    /// that are pending.
    fn choice(&mut self) -> Choice {
        let mut best: Option<(Keyed, Vec<Keyed>)> = None;
        for k in 0..self.pending.len().min(64) {
            self.fill_rows(self.pending[k]);
            let mut from = 0;
            for run in self.left.chunk_by(|a, b| a.key == b.key) {
                let fewer = |(_, images): &(Keyed, Vec<Keyed>)| run.len() < images.len();
                if run.len() > 1 && best.as_ref().is_none_or(fewer) {
                    let images = &self.right[from..from + run.len()];
                    best = Some((run[0], images.iter().rev().copied().collect()));
                }
                from += run.len();
            }
        }
        let (from, left) = best.expect("what is pending has transitions with equal keys");
        Choice {
            values: self.values.trail.len(),
            states: self.states.trail.len(),
            next: self.next,
            pending: self.pending.clone(),
            from,
            left,
        }
    }

    /// The symmetry that permutes the values as assumed, if it is one.
    fn complete(&self, initial: u32) -> Result<Option<Found>, TooLarge> {
        let Some(labels) = self.system.alphabet.permuted(&self.values.image) else {
            return Ok(None);
        };
        let states = if self.states.is_total() {
            self.states.image.clone()
        } else {
            match states_by_refinement(self.system, &labels, initial)? {
                Some(states) => states,
                None => return Ok(None),
            }
        };
        Ok(is_symmetry(self.system, &labels, &states).then(|| Found {
            values: self.values.image.clone(),
            states,
        }))
    }
}

/// Whether each transition is mapped to one. The maps are permutations, so that
/// as many transitions of each state are enough for all of them to be images.
fn is_symmetry(system: &System, labels: &[u32], states: &[u32]) -> bool {
    (0..system.states() as u32)
        .into_par_iter()
        .with_min_len(1 << 10)
        .all(|p| {
            let q = states[p as usize];
            let row = system.row(p);
            row.len() == system.row(q).len()
                && row.into_iter().all(|k| {
                    let label = labels[system.labels[k] as usize];
                    system.has(q, label, states[system.targets[k] as usize])
                })
        })
}

/// The images of the states, from a partition of the system beside the one with
/// other labels; `None` if the initial state does not go to `initial`.
fn states_by_refinement(
    system: &System,
    labels: &[u32],
    initial: u32,
) -> Result<Option<Vec<u32>>, TooLarge> {
    let union = disjoint_union(
        relabelled(system, labels)?,
        relabelled(system, &(0..labels.len() as u32).collect::<Vec<_>>())?,
    )?;
    let partition = partition(&union.lts, Relation::Strong);
    let (before, after) = partition.classes().split_at(system.states());
    // The system is minimal: no class has two of its states.
    let mut in_class = vec![NONE; partition.count()];
    for (q, &class) in after.iter().enumerate() {
        in_class[class as usize] = q as u32;
    }
    let states: Vec<u32> = before.iter().map(|&c| in_class[c as usize]).collect();
    let found = states[system.initial as usize] == initial && !states.contains(&NONE);
    Ok(found.then_some(states))
}

/// The system as an LTS with other labels, each known by its number.
fn relabelled(system: &System, labels: &[u32]) -> Result<Lts, TooLarge> {
    let mut table = LabelTable::new();
    let mut ids = vec![LabelId::HIDDEN];
    for label in 1..labels.len() {
        ids.push(table.intern(label.to_string().as_bytes())?);
    }
    let id = |label: &u32| ids[labels[*label as usize] as usize];
    Ok(Lts::from_parts(LtsParts {
        initial: StateId::new(system.initial),
        offsets: system.offsets.clone(),
        labels: system.labels.iter().map(id).collect(),
        targets: system.targets.iter().map(|&t| StateId::new(t)).collect(),
        table,
    }))
}
