//! Answers with shortest traces. Each state knows the number of the one from which it was
//! discovered, so that a path is followed backwards, a superstep a step; which transition it
//! was is seen by computing the row once more.

use hyades_explore::{Answer, Emit, Model, Trace};
use hyades_formats::{LabelId, LabelTable, StateId};

use crate::Error;
use crate::wire::{Cursor, put_state, put_u32};
use crate::worker::gather;

use super::labels::Merged;
use super::{NO_ROW, Search};

/// Tells of a transition, by its label and target, whether it is sought.
type Wanted<'a> = dyn Fn(LabelId, &[u64]) -> bool + 'a;

/// A state on a path.
struct Visited {
    /// Its number, and that of the state from which it was discovered.
    number: u64,
    parent: u64,
    packed: Vec<u64>,
    /// The transition that was asked for, by its label and target.
    step: Option<(LabelId, Vec<u64>)>,
}

impl Search<'_, '_, '_> {
    /// The answers about deadlocks, if these were asked for, and to the other questions, by
    /// what the first `rows` rows have.
    pub(super) fn answers(
        &mut self,
        labels: &Merged,
        rows: u64,
        is_complete: bool,
    ) -> Result<(Option<Answer>, Vec<Answer>), Error> {
        let unseen = match is_complete {
            true => Answer::No,
            false => Answer::Unknown,
        };
        let table = &labels.table;
        let deadlock = match self.watch.asks_deadlock() {
            false => None,
            true => Some(match self.standing.found[0] {
                row if row < rows => Answer::Yes(self.path(row, table)?.0),
                _ => unseen.clone(),
            }),
        };
        let all = (0..table.len() as u32).map(LabelId::new);
        let predicates = std::mem::take(&mut self.watch.predicates);
        let mut find = Vec::with_capacity(predicates.len());
        for predicate in &predicates {
            let holds = |label: LabelId| predicate(label, table.text(label));
            let uses = all.clone().filter(|&label| holds(label));
            find.push(
                match uses.filter_map(|label| labels.first_use(label)).min() {
                    None => unseen.clone(),
                    Some((row, _)) => {
                        let (mut trace, last) = self.path(row, table)?;
                        let first = |label: LabelId, _: &[u64]| holds(label);
                        let visited = self.visit(row, table, Some(&first))?;
                        let (label, target) = visited.step.ok_or(Error::Packet)?;
                        debug_assert_eq!(visited.packed, last);
                        let number = self.number_of(&target)?;
                        trace.labels.push(label);
                        trace.states.push(short(number));
                        trace.packed.push(target.into());
                        Answer::Yes(trace)
                    }
                },
            );
        }
        Ok((deadlock, find))
    }

    /// A shortest path to the state of this number: that on which it was discovered. The words
    /// of the state.
    fn path(&mut self, to: u64, table: &LabelTable) -> Result<(Trace, Vec<u64>), Error> {
        let last = self.visit(to, table, None)?;
        let packed = last.packed.clone();
        let mut states = vec![last];
        let mut labels = Vec::new();
        while let Some(state) = states.last()
            && state.number != 0
        {
            let target = state.packed.clone();
            let leads = |_: LabelId, to: &[u64]| to == target;
            let before = self.visit(state.parent, table, Some(&leads))?;
            let step = before.step.as_ref().ok_or(Error::Packet)?;
            labels.push(step.0);
            states.push(before);
        }
        labels.reverse();
        states.reverse();
        let trace = Trace {
            labels,
            states: states.iter().map(|state| short(state.number)).collect(),
            packed: states.iter().map(|state| state.packed[..].into()).collect(),
            cycle: None,
        };
        Ok((trace, packed))
    }

    /// What is known of the state of this number, told by its owner to all; and the first
    /// transition with a property, if one is asked for.
    fn visit(
        &mut self,
        number: u64,
        table: &LabelTable,
        wanted: Option<&Wanted<'_>>,
    ) -> Result<Visited, Error> {
        let words = self.owned.known.words();
        let mut told = Vec::new();
        if let Some(own) = self.own_by_number(number) {
            let mut state = vec![0; words];
            self.owned.known.read(own, &mut state);
            let parents = self.parents.as_ref();
            put_state(
                &mut told,
                parents.map_or(0, |parents| parents.get(own as usize)),
            );
            self.routes.put_state(&mut told, &state);
            if let Some(wanted) = wanted {
                let mut first = First {
                    table,
                    wanted,
                    words,
                    found: None,
                };
                let mut scratch = self.model.scratch();
                let again = self.model.successors(&mut scratch, &state, &mut first);
                // It has been computed before, without an error.
                again.map_err(super::model_error)?;
                if let Some((label, target)) = first.found {
                    put_u32(&mut told, label.get());
                    self.routes.put_state(&mut told, &target);
                }
            }
        }
        let told = gather(self.worker, &told)?;
        let told = told.iter().find(|told| !told.is_empty());
        let mut records = Cursor::new(told.ok_or(Error::Packet)?);
        let parent = records.state()?;
        let mut packed = Vec::with_capacity(words);
        self.routes.take_state(&mut records, &mut packed)?;
        let step = match records.is_empty() {
            true => None,
            false => {
                let label = LabelId::new(records.u32()?);
                let mut target = Vec::with_capacity(words);
                self.routes.take_state(&mut records, &mut target)?;
                Some((label, target))
            }
        };
        Ok(Visited {
            number,
            parent,
            packed,
            step,
        })
    }

    /// What the state of this number is called at this worker, if it is its owner.
    fn own_by_number(&self, number: u64) -> Option<u32> {
        let after = self.marks.partition_point(|mark| mark.first <= number);
        let from = self.marks[after - 1].own;
        let to = match self.marks.get(after) {
            Some(mark) => mark.own,
            None => self.owned.known.len() as u32,
        };
        (from..to).find(|&own| self.numbers.get(own as usize) == number)
    }

    /// The number of a state that has been found.
    fn number_of(&mut self, state: &[u64]) -> Result<u64, Error> {
        let mut told = Vec::new();
        if self.routes.owner(state) == self.routes.me {
            let mut own = Vec::new();
            let entered = self.owned.known.enter(state, &mut own);
            entered.map_err(super::too_large)?;
            let number = own
                .first()
                .filter(|&&own| (own as usize) < self.numbers.len());
            put_state(
                &mut told,
                number.map_or(NO_ROW >> 24, |&own| self.numbers.get(own as usize)),
            );
        }
        let told = gather(self.worker, &told)?;
        let told = told.iter().find(|told| !told.is_empty());
        Cursor::new(told.ok_or(Error::Packet)?).state()
    }
}

/// The number of a state in a trace; see [`Explored`](super::Explored).
fn short(number: u64) -> StateId {
    StateId::new(u32::try_from(number).unwrap_or(u32::MAX))
}

/// Takes the first transition with a property.
struct First<'a> {
    table: &'a LabelTable,
    wanted: &'a Wanted<'a>,
    words: usize,
    found: Option<(LabelId, Vec<u64>)>,
}

impl Emit for First<'_> {
    fn label(&mut self, text: &[u8]) -> LabelId {
        // A label that is not in the table occurs in no row that counts.
        self.table.find(text).unwrap_or(LabelId::new(u32::MAX))
    }

    fn transition(&mut self, label: LabelId, target: &[u64]) {
        let is_known = label.index() < self.table.len() && target.len() == self.words;
        if self.found.is_none() && is_known && (self.wanted)(label, target) {
            self.found = Some((label, target.to_vec()));
        }
    }

    fn is_done(&self) -> bool {
        self.found.is_some()
    }
}
