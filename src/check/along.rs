//! A system along a part of it: which of its transitions the part has is told by their
//! labels, as states of the part have no names.
//!
//! A player who may use transitions of the part only goes through both at once, and says
//! of each transition, its own or the other player's, to which state of the part it leads.
//! Who wins like that wins in the system, whatever states of it those of the part are; and
//! who wins with the transitions of a real part only, wins like that.

use std::borrow::Cow;
use std::collections::HashMap;

use hyades_explore::{Emit, Erased, MAX_BITS, Model, ModelError, words};
use hyades_formats::{LabelId, LabelTable, Lts, StateId};

use crate::joined::Joined;

/// Where a state of the system is in the part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// Nowhere: a transition was taken that the part has not.
    Apart,
    /// At a state of the part.
    At(u32),
    /// Not said yet: a transition was taken that leads to one of several states.
    Open(u32),
}

/// A system along a part of it.
pub(crate) struct Along<'a> {
    model: Erased<'a>,
    part: &'a Lts,
    joined: Joined,
    /// The transitions of a state of the part with one label.
    groups: HashMap<(u32, LabelId), u32>,
    /// Where those of a group lead.
    targets: Vec<Vec<u32>>,
    /// The labels of the part, by the labels of the system that are known beforehand.
    known: Vec<Option<LabelId>>,
}

impl<'a> Along<'a> {
    /// Of states of both, from their initial ones on.
    ///
    /// # Errors
    /// If states have too many bits.
    pub fn new(model: Erased<'a>, part: &'a Lts) -> Result<Self, ModelError> {
        let mut groups = HashMap::new();
        let mut targets: Vec<Vec<u32>> = Vec::new();
        for state in (0..part.states()).map(StateId::from_index) {
            for (label, target) in part.outgoing(state) {
                let next = targets.len() as u32;
                let group = *groups.entry((state.get(), label)).or_insert(next);
                if group == next {
                    targets.push(Vec::new());
                }
                targets[group as usize].push(target.get());
            }
        }
        let places = part.states() as u64 + targets.len() as u64;
        let joined = u32::try_from(places).map(|most| Joined::new(model.bits(), most));
        let joined = joined.ok().filter(|joined| joined.bits() <= MAX_BITS);
        let joined = joined.ok_or_else(|| ModelError::new("the evidence is too large"))?;
        let table = model.labels();
        let known = (0..table.len()).map(|k| match LabelId::new(k as u32) {
            LabelId::HIDDEN => Some(LabelId::HIDDEN),
            label => part.table().find(table.text(label)),
        });
        Ok(Self {
            model,
            part,
            joined,
            groups,
            targets,
            known: known.collect(),
        })
    }

    /// Where a state of the system along the part is.
    pub fn place(&self, state: &[u64]) -> Place {
        let states = self.part.states() as u32;
        match self.joined.number(state) {
            0 => Place::Apart,
            number if number <= states => Place::At(number - 1),
            number => Place::Open(number - 1 - states),
        }
    }

    fn pack(&self, own: &[u64], place: Place, both: &mut [u64]) {
        let number = match place {
            Place::Apart => 0,
            Place::At(state) => 1 + state,
            Place::Open(group) => 1 + self.part.states() as u32 + group,
        };
        self.joined.join(own, number, both);
    }
}

/// Hands on transitions of the system with the places that they lead to.
struct Placing<'p, 'a, 'e> {
    along: &'p Along<'a>,
    /// The state of the part.
    at: Option<u32>,
    /// The labels of the part, by new labels.
    new: &'e mut Vec<(LabelId, Option<LabelId>)>,
    both: &'e mut Vec<u64>,
    emit: &'e mut dyn Emit,
}

impl Placing<'_, '_, '_> {
    fn hand_on(&mut self, label: LabelId, target: &[u64], place: Place) {
        self.along.pack(target, place, self.both);
        self.emit.transition(label, self.both);
    }
}

impl Emit for Placing<'_, '_, '_> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        let label = self.emit.label(text);
        self.new.push((label, self.along.part.table().find(text)));
        label
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let along = self.along;
        let known = along.known.get(label.index()).copied();
        let new = || self.new.iter().rev().find(|(l, _)| *l == label);
        let own = known.or_else(|| new().map(|(_, own)| *own)).flatten();
        let group = self
            .at
            .zip(own)
            .and_then(|key| along.groups.get(&key).copied());
        let Some(group) = group else {
            return self.hand_on(label, target, Place::Apart);
        };
        // For the player who says where it leads, and for the other one.
        for &state in &along.targets[group as usize] {
            self.hand_on(label, target, Place::At(state));
        }
        self.hand_on(label, target, Place::Open(group));
    }
}

impl<'a> Model for Along<'a> {
    type Scratch = (
        <Erased<'a> as Model>::Scratch,
        Vec<(LabelId, Option<LabelId>)>,
        Vec<u64>,
    );

    fn scratch(&self) -> Self::Scratch {
        let both = vec![0; words(self.bits())];
        (self.model.scratch(), Vec::new(), both)
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        self.joined.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        let mut own = vec![0; words(self.model.bits())];
        self.model.initial(&mut own)?;
        self.pack(&own, Place::At(Lts::initial(self.part).get()), state);
        Ok(())
    }

    /// From an open place, hidden steps lead to all that it may be.
    fn successors<E: Emit + ?Sized>(
        &self,
        (scratch, new, both): &mut Self::Scratch,
        state: &[u64],
        mut emit: &mut E,
    ) -> Result<(), ModelError> {
        let (own, _) = self.joined.split(state);
        let at = match self.place(state) {
            Place::Apart => None,
            Place::At(at) => Some(at),
            Place::Open(group) => {
                for &target in &self.targets[group as usize] {
                    self.pack(&own, Place::At(target), both);
                    emit.transition(LabelId::HIDDEN, both);
                }
                return Ok(());
            }
        };
        new.clear();
        let mut placing = Placing {
            along: self,
            at,
            new,
            both,
            emit: &mut emit,
        };
        self.model.successors(scratch, &own, &mut placing)
    }

    /// What an open place may be is known, whatever there is of the system behind it.
    fn is_truncated(&self, state: &[u64]) -> bool {
        let is_open = matches!(self.place(state), Place::Open(_));
        !is_open && self.model.is_truncated(&self.joined.split(state).0)
    }

    fn was_truncated(&self) -> bool {
        self.model.was_truncated()
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}
