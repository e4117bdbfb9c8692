//! A network up to symmetry as a [`Model`].

use std::borrow::Cow;
use std::sync::Arc;

use hyades_explore::pack::{self, flip_in, get_in};
use hyades_explore::{Emit, Erased, Model, ModelError, words};
use hyades_formats::{LabelId, LabelTable};

use super::fire::Walk;
use super::group::Symmetry;
use super::representative::{Finder, Strategy};

/// The states of a network up to symmetry: representatives of orbits, each with
/// its transitions, which lead to the representatives of their targets.
///
/// A state is reachable in the network if and only if one of its orbit is
/// reachable here; that goes for deadlocks too, by as few steps, and for cycles of
/// hidden steps. Labels are those of the representatives' transitions: permuted
/// along a trace, they are labels of the network, which a
/// [`Replay`](super::Replay) does. A transition that several rules give, or
/// several symmetric transitions with one label, come once.
///
/// States are tuples of states of minimal components as bit fields. O(rules that
/// may apply) for a state's successors, and what the [`Strategy`] takes for each.
#[derive(Clone, Debug)]
pub struct SymmetricModel<'s> {
    symmetry: Arc<Symmetry<'s>>,
    strategy: Strategy,
}

/// The same states without representatives: what there is to be reduced, with
/// minimal components.
#[derive(Debug)]
pub struct UnreducedModel<'s> {
    symmetry: Arc<Symmetry<'s>>,
}

/// Memory to compute successors and representatives in.
pub struct Scratch {
    successors: Successors,
    pub(super) finder: Finder,
    /// A state as located states, with the specification's at the end if it has
    /// one.
    located: Vec<u32>,
    next: Vec<u64>,
    /// Labels and representatives, as long as they are not sorted.
    reduced: Raw,
}

hyades_base::opaque!(Scratch);

/// Transitions: labels, and the words of targets one after the other.
#[derive(Default)]
struct Raw {
    labels: Vec<LabelId>,
    targets: Vec<u64>,
    order: Vec<u32>,
}

impl Raw {
    fn clear(&mut self) {
        self.labels.clear();
        self.targets.clear();
    }

    fn target(&self, k: u32, words: usize) -> &[u64] {
        &self.targets[k as usize * words..][..words]
    }

    /// Sorts by target and label, and drops what is there twice.
    fn sort(&mut self, words: usize) {
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.labels.len() as u32);
        let key = |&k: &u32| (self.target(k, words), self.labels[k as usize]);
        order.sort_unstable_by(|a, b| key(a).cmp(&key(b)));
        order.dedup_by(|a, b| key(a) == key(b));
        self.order = order;
    }
}

/// Memory for the successors of a state.
#[derive(Default)]
struct Successors {
    walk: Walk,
    states: Vec<u32>,
    raw: Raw,
}

impl Symmetry<'_> {
    fn words(&self) -> usize {
        words(pack::bits(&self.fields))
    }

    /// The states of the components in a packed state.
    pub(super) fn unpack(&self, packed: &[u64], states: &mut Vec<u32>) {
        states.clear();
        states.extend(self.fields.iter().map(|&field| get_in(packed, field)));
    }

    /// The same as located states.
    pub(super) fn locate(&self, packed: &[u64], located: &mut Vec<u32>) {
        located.clear();
        let fields = self.fields.iter().zip(&self.action.first);
        located.extend(fields.map(|(&field, first)| first + get_in(packed, field)));
    }

    /// Packs located states, beyond which there may be one of the specification.
    pub(super) fn pack(&self, located: &[u32], packed: &mut [u64]) {
        packed.fill(0);
        let parts = self.fields.iter().zip(&self.action.first).zip(located);
        for ((&field, first), x) in parts {
            flip_in(packed, field, x - first);
        }
    }

    fn initial(&self, packed: &mut [u64]) {
        for (c, &field) in self.fields.iter().enumerate() {
            flip_in(packed, field, self.parts.leaf(c).lts.initial().get());
        }
    }

    /// The transitions of a state, sorted by target and label, each once.
    fn successors(&self, packed: &[u64], scratch: &mut Successors) {
        let Successors { walk, states, raw } = scratch;
        self.unpack(packed, states);
        raw.clear();
        self.rules.each(states, walk, |rule, moves| {
            raw.labels.push(self.parts.outputs[rule as usize]);
            let from = raw.targets.len();
            raw.targets.extend_from_slice(packed);
            for &(c, target) in moves {
                let change = states[c as usize] ^ target;
                flip_in(&mut raw.targets[from..], self.fields[c as usize], change);
            }
        });
        raw.sort(packed.len());
    }

    /// How many transitions a state has, each once, and how many ways for rules to
    /// apply.
    pub(super) fn degree(&self, packed: &[u64], scratch: &mut Scratch) -> (usize, usize) {
        self.successors(packed, &mut scratch.successors);
        let raw = &scratch.successors.raw;
        (raw.order.len(), raw.labels.len())
    }
}

impl<'s> SymmetricModel<'s> {
    /// The states of a network up to this symmetry.
    pub fn new(symmetry: &Arc<Symmetry<'s>>, strategy: Strategy) -> Self {
        Self {
            symmetry: Arc::clone(symmetry),
            strategy,
        }
    }

    /// The symmetry.
    pub fn symmetry(&self) -> &Symmetry<'s> {
        &self.symmetry
    }

    /// How representatives are found.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// The states without representatives, packed in the same way.
    pub fn unreduced(&self) -> UnreducedModel<'s> {
        UnreducedModel {
            symmetry: Arc::clone(&self.symmetry),
        }
    }

    /// Replaces a state by its representative.
    ///
    /// # Errors
    /// If the strategy would take too long.
    ///
    /// # Panics
    /// If it is no packed state of this model.
    pub fn representative(
        &self,
        scratch: &mut Scratch,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        let symmetry = &*self.symmetry;
        symmetry.locate(state, &mut scratch.located);
        let found = scratch
            .finder
            .replace(&symmetry.action, &mut scratch.located);
        found.map_err(ModelError::new)?;
        symmetry.pack(&scratch.located, state);
        Ok(())
    }

    /// Replaces a pair of a state of the specification and a state by the pair's
    /// representative. States of the specification that are bisimilar, with what
    /// they accept and are marked with, are the same: the least one stands for
    /// them.
    ///
    /// # Errors
    /// If the strategy would take too long.
    ///
    /// # Panics
    /// If there is no specification, if this is no reachable state of it, or if
    /// `state` is no packed state of this model.
    pub fn representative_pair(
        &self,
        scratch: &mut Scratch,
        node: &mut u32,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        let symmetry = &*self.symmetry;
        symmetry.locate(state, &mut scratch.located);
        scratch.located.push(symmetry.locate_node(*node));
        let found = scratch
            .finder
            .replace(&symmetry.action, &mut scratch.located);
        found.map_err(ModelError::new)?;
        symmetry.pack(&scratch.located, state);
        *node = symmetry.node(&scratch.located);
        Ok(())
    }

    /// The permutation by which the last state was replaced: the image of each
    /// value, by the order of the types.
    pub fn permutation<'a>(&self, scratch: &'a Scratch) -> &'a [u16] {
        &scratch.finder.image
    }
}

impl Symmetry<'_> {
    /// A state of the specification as a located state.
    pub(super) fn locate_node(&self, node: u32) -> u32 {
        assert!(self.parts.has_specification, "there is a specification");
        let specification = self.parts.count();
        let class = self.parts.leaf(specification).class[node as usize];
        self.action.first[specification] + class
    }

    /// The state of the specification in a state with one.
    pub(super) fn node(&self, located: &[u32]) -> u32 {
        let specification = self.parts.count();
        let class = located[specification] - self.action.first[specification];
        self.nodes[class as usize]
    }

    fn scratch(&self, strategy: Strategy) -> Scratch {
        let components = self.parts.components.len();
        Scratch {
            successors: Successors::default(),
            finder: Finder::new(&self.action, components, strategy),
            located: Vec::with_capacity(components),
            next: vec![0; self.words()],
            reduced: Raw::default(),
        }
    }
}

impl Model for SymmetricModel<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.symmetry.scratch(self.strategy)
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.symmetry.network().labels())
    }

    fn bits(&self) -> usize {
        pack::bits(&self.symmetry.fields)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.symmetry.initial(state);
        self.representative(&mut self.scratch(), state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        let width = state.len();
        let mut successors = std::mem::take(&mut scratch.successors);
        let mut reduced = std::mem::take(&mut scratch.reduced);
        let mut next = std::mem::take(&mut scratch.next);
        self.symmetry.successors(state, &mut successors);
        reduced.clear();
        let raw = &successors.raw;
        self.symmetry.network().refuse_wrong(&raw.labels)?;
        let mut last = None;
        for &k in &raw.order {
            let target = raw.target(k, width);
            if last != Some(target) {
                next.copy_from_slice(target);
                self.representative(scratch, &mut next)?;
                last = Some(target);
            }
            reduced.labels.push(raw.labels[k as usize]);
            reduced.targets.extend_from_slice(&next);
        }
        reduced.sort(width);
        for &k in &reduced.order {
            emit.transition(reduced.labels[k as usize], reduced.target(k, width));
        }
        scratch.successors = successors;
        scratch.reduced = reduced;
        scratch.next = next;
        Ok(())
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}

impl Model for UnreducedModel<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        self.symmetry.scratch(Strategy::default())
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        Cow::Borrowed(self.symmetry.network().labels())
    }

    fn bits(&self) -> usize {
        pack::bits(&self.symmetry.fields)
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.symmetry.initial(state);
        Ok(())
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        self.symmetry.successors(state, &mut scratch.successors);
        let raw = &scratch.successors.raw;
        self.symmetry.network().refuse_wrong(&raw.labels)?;
        for &k in &raw.order {
            emit.transition(raw.labels[k as usize], raw.target(k, state.len()));
        }
        Ok(())
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}
