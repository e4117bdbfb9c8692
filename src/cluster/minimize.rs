//! Minimization by several workers.

use hyades_equivalence::Relation;
use hyades_formats::Lts;

use crate::Error;
use crate::classes::{Classes, NO_CLASS};
use crate::column::Column;
use crate::meter::{Kind, Meter};
use crate::options::{Observer, Options};
use crate::part::Part;
use crate::quotient::{ClassRows, Parts, needed};
use crate::reachable::reachable;
use crate::saved::Saved;
use crate::strong::{REACHED, Refinement};
use crate::worker::sums;

/// A minimal LTS.
#[derive(Debug)]
pub enum Minimal {
    /// Worker 0 has it; the others have nothing.
    Whole(Option<Lts>),
    /// Each worker has some rows.
    Parts(Parts),
}

/// What a minimization comes to, at one worker.
#[derive(Debug)]
pub struct Minimized {
    /// The minimal LTS.
    pub lts: Minimal,
    /// How many states of all workers can be reached.
    pub reached: u64,
    /// How many states the minimal LTS has.
    pub states: u64,
    /// How many transitions it has.
    pub transitions: u64,
    /// How many rounds of refinement there were, those before a run was resumed included.
    pub rounds: u64,
    /// The class of each own state, by its first member's place among all such;
    /// [`NO_CLASS`] for states that cannot be reached.
    class: Column,
    /// How many states this worker has.
    own: usize,
}

impl Minimized {
    /// The class of an own state: equal for equivalent states, in the order of the first
    /// members of classes; none for a state that cannot be reached.
    ///
    /// # Panics
    /// If there is no such state.
    pub fn class(&self, state: usize) -> Option<u64> {
        assert!(state < self.own);
        Some(self.class.get(state)).filter(|&class| class != NO_CLASS)
    }
}

/// The quotient of the part that can be reached by a relation, which is strong bisimilarity,
/// with the states and the order of transitions that
/// [`minimize`](hyades_equivalence::minimize()) gives it on one machine.
///
/// A worker holds its part, and 6 bytes a state and 5 a ghost; 40 to 100 bytes for each of
/// its states that may share its block, for a while; and what the options allow for.
///
/// # Errors
/// If another worker is lost, or there is no room.
pub fn minimize(
    worker: &mut Meter<'_>,
    part: Part,
    relation: Relation,
    options: &Options,
    saved: Option<Saved>,
    observer: &mut dyn Observer,
) -> Result<Minimized, Error> {
    match relation {
        Relation::Strong => strong(worker, part, options, saved, observer),
        relation => Err(Error::Relation(relation)),
    }
}

fn strong(
    worker: &mut Meter<'_>,
    part: Part,
    options: &Options,
    saved: Option<Saved>,
    observer: &mut dyn Observer,
) -> Result<Minimized, Error> {
    let mut refinement = match saved {
        Some(saved) => Refinement::resumed(worker, &part, saved, options)?,
        None => {
            let reached = reachable(worker.of(Kind::Search), &part, &[part.initial])?;
            Refinement::new(worker, &part, &reached, options)?
        }
    };
    let names = refinement.run(worker, observer)?;
    let Refinement {
        block,
        flags,
        rounds,
        ..
    } = refinement;
    let is_reached = |state: u32| flags[state as usize] & REACHED != 0;
    let classes = Classes::new(worker, &part, block, is_reached, &names)?;
    let reached = flags.iter().filter(|&&flags| flags & REACHED != 0).count();
    drop((names, flags));
    let initial = classes.of(worker.of(Kind::Check), &part, part.initial)?;
    let rows = classes.rows(&part, |label, target, _| Some((label, target)));
    let Classes { class, ranges, .. } = classes;
    let own = part.states();
    let Part { table, .. } = part;
    let [reached, transitions] = sums(
        worker.of(Kind::Check),
        [reached as u64, rows.labels.len() as u64],
    )?;
    let states = ranges.states();
    let rows = ClassRows {
        ranges,
        initial,
        table,
        rows,
    };
    let lts = match needed(states, transitions) <= options.whole {
        true => {
            let whole = rows.whole(worker.of(Kind::Quotient))?;
            Minimal::Whole(whole.map(|(lts, _)| lts))
        }
        false => Minimal::Parts(rows.parts(worker)?.0),
    };
    Ok(Minimized {
        lts,
        reached,
        states,
        transitions,
        rounds,
        class,
        own,
    })
}
