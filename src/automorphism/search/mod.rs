//! The search for one symmetry with given images of some values.
//!
//! A symmetry is a permutation of the values together with a map of the states
//! that it induces: as the system is minimal there is at most one. The search
//! walks over pairs of a state and its image. Transitions of the two have keys,
//! which a symmetry keeps: of the label's shape, of its values, by what is known
//! of their images, and of the target's colour, or its image. A key that
//! occurs once in a row decides the images of the label's values and of the
//! target; rows with different keys refute all that was assumed. When nothing
//! is decided any more, values are compared by all labels that they occur in.
//! If that does not help either, what is known is completed with as few moves as
//! can be; then the images of one transition are tried one after the other.
//!
//! Whatever is found in this way is verified, transition by transition, so that
//! nothing depends on hashes being different.

mod compare;
mod partial;
mod verify;

use hyades_formats::TooLarge;

use super::FindError;
use super::alphabet::System;
use super::colours::{Colours, label_hash, mix};
use super::moves::Moves;
use partial::Partial;
use verify::{is_symmetry, states_by_refinement};

pub(super) use partial::Refuted;

const NONE: u32 = u32::MAX;

/// How many pairs are looked at before the next choice, while images of values
/// are missing.
const AHEAD: usize = 1 << 10;

/// A symmetry.
pub(super) struct Found {
    /// What it does to the values.
    pub values: Moves,
    /// What it does to the states.
    pub states: Moves,
}

/// A transition in a row, with a key that symmetries keep.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Keyed {
    key: u64,
    label: u32,
    target: u32,
}

/// How much was known at some time.
struct Mark {
    values: usize,
    states: usize,
    next: usize,
    pending: Vec<u32>,
}

/// A transition of which the images are tried one after the other.
struct Choice {
    before: Mark,
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
    /// What was known before each of the values that are fixed.
    fixed: Vec<Mark>,
    /// How many images may be tried in all, and how many have been.
    limit: u64,
    tried: u64,
}

impl<'a> Search<'a> {
    /// A search in which nothing is assumed yet, and which may try `limit`
    /// images of transitions.
    pub fn new(system: &'a System, colours: &'a Colours, limit: u64) -> Self {
        let mut search = Self {
            values: Partial::new(system.alphabet.values.len()),
            states: Partial::new(system.states()),
            left_key: vec![0; system.alphabet.len()],
            right_key: vec![0; system.alphabet.len()],
            next: 0,
            pending: Vec::new(),
            left: Vec::new(),
            right: Vec::new(),
            fixed: Vec::new(),
            limit,
            tried: 0,
            system,
            colours,
        };
        for label in 0..system.alphabet.len() as u32 {
            search.set_keys(label);
        }
        search
    }

    /// What is searched.
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// From now on the initial state goes to `initial` and these values stay; what
    /// was assumed before is not any more.
    ///
    /// # Errors
    /// If that cannot be.
    pub fn begin(&mut self, initial: u32, stay: &[u32]) -> Result<(), Refuted> {
        self.fixed.clear();
        self.pending.clear();
        self.back_to(0, 0, 0);
        stay.iter().try_for_each(|&v| self.decide(v, v))?;
        self.pair(self.system.initial, initial)?;
        self.propagate(true)
    }

    /// From now on this value stays too; so do those for which that follows.
    ///
    /// # Panics
    /// If the initial state does not stay.
    pub fn fix(&mut self, value: u32) {
        let mark = self.mark();
        self.fixed.push(mark);
        let fixed = self
            .decide(value, value)
            .and_then(|()| self.propagate(true));
        fixed.expect("the identity is a symmetry");
    }

    /// From now on this value stays too, and perhaps another one. No conclusions are
    /// drawn before there is something else to draw them from.
    ///
    /// # Panics
    /// If one of them does not stay by what was assumed before.
    pub fn assume(&mut self, value: u32, other: Option<u32>) {
        let mark = self.mark();
        self.fixed.push(mark);
        for value in [Some(value), other].into_iter().flatten() {
            let assumed = self.decide(value, value);
            assumed.expect("the identity is a symmetry");
        }
    }

    /// The value that was fixed last need not stay any more.
    pub fn unfix(&mut self) {
        if let Some(mark) = self.fixed.pop() {
            self.reset(&mark);
        }
    }

    /// Whether the image of a value is known.
    pub fn is_known(&self, value: u32) -> bool {
        self.values.image[value as usize] != NONE
    }

    /// A symmetry for which all that is assumed holds, and which maps a value as
    /// given; `None` if there is none.
    ///
    /// Takes time O(transitions · log(largest row)) if no choice has to be taken
    /// back, exponential in the number of values at worst.
    ///
    /// # Errors
    /// If all images that may be tried have been, or two LTSs of the size of the
    /// system are too large for one.
    pub fn find(&mut self, value: Option<(u32, u32)>) -> Result<Option<Found>, FindError> {
        let before = self.mark();
        let mut assumed = value.map_or(Ok(()), |(v, w)| self.decide(v, w));
        let mut choices = Vec::new();
        let found = loop {
            assumed = assumed.and_then(|()| self.propagate(false));
            if assumed.is_ok() {
                if self.values.is_total() {
                    if let Some(found) = self.complete()? {
                        break Some(found);
                    }
                } else {
                    let here = self.mark();
                    if self.close().and_then(|()| self.propagate(false)).is_ok()
                        && let Some(found) = self.complete()?
                    {
                        break Some(found);
                    }
                    self.reset(&here);
                    choices.push(self.choice(here));
                }
            }
            match self.try_next(&mut choices)? {
                Some(tried) => assumed = tried,
                None => break None,
            }
        };
        self.reset(&before);
        Ok(found)
    }

    /// Takes back what the last choice led to and tries the next image, or one
    /// of an earlier choice; `None` if there are no more.
    fn try_next(
        &mut self,
        choices: &mut Vec<Choice>,
    ) -> Result<Option<Result<(), Refuted>>, FindError> {
        while let Some(choice) = choices.last_mut() {
            self.reset(&choice.before);
            if let Some(image) = choice.left.pop() {
                if self.tried == self.limit {
                    return Err(FindError::Choices(self.limit));
                }
                self.tried += 1;
                let from = choice.from;
                return Ok(Some(self.match_edges(from, image)));
            }
            choices.pop();
        }
        Ok(None)
    }

    /// What is not known gets the images that move as little as can be: values
    /// that go to each other in a row go round in a circle, others stay.
    fn close(&mut self) -> Result<(), Refuted> {
        let Partial {
            image, preimage, ..
        } = &self.values;
        let firsts = (0..image.len()).filter(|&v| preimage[v] == NONE);
        let ends: Vec<(u32, u32)> = firsts
            .map(|first| {
                let mut last = first as u32;
                while image[last as usize] != NONE {
                    last = image[last as usize];
                }
                (last, first as u32)
            })
            .collect();
        ends.into_iter()
            .try_for_each(|(last, first)| self.decide(last, first))
    }

    fn mark(&self) -> Mark {
        Mark {
            values: self.values.trail.len(),
            states: self.states.trail.len(),
            next: self.next,
            pending: self.pending.clone(),
        }
    }

    fn reset(&mut self, mark: &Mark) {
        self.back_to(mark.values, mark.states, mark.next);
        self.pending.clone_from(&mark.pending);
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
    /// missing, from [`AHEAD`] pairs at most if something is pending. If only
    /// values matter, this ends when all images are known.
    fn propagate(&mut self, values_only: bool) -> Result<(), Refuted> {
        let mut ahead = AHEAD;
        loop {
            if values_only && self.values.is_total() {
                return Ok(());
            }
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
            if slow || nothing && !self.compare_values()? {
                return Ok(());
            }
        }
    }

    /// The transition with the fewest possible images, among the first states
    /// that are pending.
    fn choice(&mut self, before: Mark) -> Choice {
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
        Choice { before, from, left }
    }

    /// The symmetry that permutes the values as assumed, if it is one.
    fn complete(&self) -> Result<Option<Found>, TooLarge> {
        let Some(labels) = self.system.alphabet.permuted(&self.values.image) else {
            return Ok(None);
        };
        let refined;
        let states = if self.states.is_total() {
            &self.states.image
        } else {
            let initial = self.states.image[self.system.initial as usize];
            match states_by_refinement(self.system, &labels, initial)? {
                Some(states) => {
                    refined = states;
                    &refined
                }
                None => return Ok(None),
            }
        };
        Ok(is_symmetry(self.system, &labels, states).then(|| Found {
            values: Moves::new(&self.values.image),
            states: Moves::new(states),
        }))
    }
}
