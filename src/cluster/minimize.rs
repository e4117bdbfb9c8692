//! Minimization by several workers.

use hyades_equivalence::{Distributed, Relation};
use hyades_formats::{LabelTable, Lts};

use crate::Error;
use crate::branching;
use crate::classes::Classes;
use crate::column::Column;
use crate::meter::{Kind, Meter};
use crate::options::{Observer, Options};
use crate::part::{GlobalRows, Part};
use crate::quotient::{ClassRows, Parts, needed, scattered};
use crate::reachable::reachable;
use crate::saved::Saved;
use crate::strong::{REACHED, Refinement};
use crate::worker::{Worker, sums};

pub use crate::inductive::Effort;

/// A minimal LTS.
#[derive(Debug)]
pub enum Minimal {
    /// Worker 0 has it; the others have nothing.
    Whole(Option<Lts>),
    /// Each worker has some rows.
    Parts(Parts),
}

impl Minimal {
    /// The part of a worker, which knows the labels.
    ///
    /// # Errors
    /// If another worker is lost, or there is no room.
    pub fn into_part(self, worker: &mut dyn Worker, table: LabelTable) -> Result<Part, Error> {
        let parts = match self {
            Minimal::Whole(lts) => Parts::of_whole(worker, lts.as_ref(), table)?,
            Minimal::Parts(parts) => parts,
        };
        parts.into_part(worker)
    }
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
    /// How often sums have turned out to be equal though the signatures are not.
    pub attempts: u64,
    /// What it took to take signatures over along hidden transitions, by this worker.
    pub effort: Effort,
    /// For each own state that of the minimal LTS that stands for it; [`NO_CLASS`] for states
    /// that cannot be reached. Nothing unless the options ask for it.
    ///
    /// [`NO_CLASS`]: crate::classes::NO_CLASS
    pub class: Option<Column>,
}

/// The quotient of the part that can be reached by a relation, which is strong, branching or
/// divergence-preserving branching bisimilarity, with the states and the order of transitions that
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
    let roots = [part.initial];
    let found = classified(worker, part, relation, &roots, options, saved, observer)?;
    made(worker, found, options)
}

/// The classes of the states of a part.
pub(crate) struct Classified {
    /// The part, which may have other rows by now.
    pub part: Part,
    pub classes: Classes,
    /// The rows of the classes of this worker, if they are not those of first members.
    rows: Option<GlobalRows>,
    /// How many own states can be reached.
    pub reached: u64,
    pub rounds: u64,
    pub attempts: u64,
    pub effort: Effort,
}

impl Classified {
    /// The rows of the classes of this worker; to be asked for once.
    pub fn rows(&mut self) -> GlobalRows {
        let first = || {
            let select = |label, target, _| Some((label, target));
            self.classes.rows(&self.part, select)
        };
        self.rows.take().unwrap_or_else(first)
    }
}

/// The classes by a relation of what can be reached from some states.
pub(crate) fn classified(
    worker: &mut Meter<'_>,
    part: Part,
    relation: Relation,
    roots: &[u64],
    options: &Options,
    saved: Option<Saved>,
    observer: &mut dyn Observer,
) -> Result<Classified, Error> {
    let engine = relation.distributed().ok_or(Error::Relation(relation))?;
    let part = match engine {
        Distributed::Strong => part,
        Distributed::Branching { divergence } => {
            let saved = saved.as_ref();
            let found =
                branching::classified(worker, part, roots, divergence, options, saved, observer)?;
            match found {
                Ok(found) => {
                    return Ok(Classified {
                        part: found.part,
                        classes: found.classes,
                        rows: Some(found.rows),
                        reached: found.reached,
                        rounds: found.rounds,
                        attempts: found.attempts,
                        effort: found.effort,
                    });
                }
                // Without hidden transitions it is strong bisimilarity.
                Err(part) => part,
            }
        }
    };
    let mut refinement = match saved {
        Some(saved) => Refinement::resumed(worker, &part, saved, options)?,
        None => {
            let reached = reachable(worker.of(Kind::Search), &part, roots)?;
            Refinement::new(worker, &part, &reached, options)?
        }
    };
    let names = refinement.run(worker, observer)?;
    let Refinement {
        block,
        flags,
        rounds,
        attempt: attempts,
        ..
    } = refinement;
    let is_reached = |state: u32| flags[state as usize] & REACHED != 0;
    let classes = Classes::new(worker, &part, block, is_reached, &names)?;
    let reached = flags.iter().filter(|&&flags| flags & REACHED != 0).count() as u64;
    Ok(Classified {
        part,
        classes,
        rows: None,
        reached,
        rounds,
        attempts,
        effort: Effort::default(),
    })
}

/// The minimal LTS of classes.
fn made(
    worker: &mut Meter<'_>,
    mut found: Classified,
    options: &Options,
) -> Result<Minimized, Error> {
    let rows = found.rows();
    let Classified {
        mut part,
        classes,
        reached,
        rounds,
        attempts,
        effort,
        ..
    } = found;
    let initial = classes.of(worker.of(Kind::Check), &part, part.initial)?;
    let own_states = part.states();
    let table = std::mem::take(&mut part.table);
    drop(part);
    let own_sizes = [reached, rows.labels.len() as u64];
    let [reached, transitions] = sums(worker.of(Kind::Check), own_sizes)?;
    let states = classes.ranges.states();
    let rows = ClassRows {
        ranges: classes.ranges.clone(),
        initial,
        table,
        rows,
    };
    // What is not needed any more makes room.
    let classes = options.classes.then_some(classes);
    let bytes = needed(states, transitions);
    let patience = (bytes <= options.whole).then(|| options.patience.saturating_mul(8));
    // One worker has all of it anyway.
    let small = match worker.peers() {
        1 => options.whole,
        _ => options.small.min(options.whole),
    };
    let parts = match bytes <= small {
        true => Err(rows),
        false => rows.parts(worker, patience)?,
    };
    let (lts, number) = match parts {
        Ok((parts, number)) => (Minimal::Parts(parts), Some(number)),
        Err(rows) => {
            let worker = worker.of(Kind::Quotient);
            let (whole, number) = rows.whole(worker)?.unzip();
            let number = classes
                .as_ref()
                .map(|classes| scattered(worker, &classes.ranges, number.as_deref()))
                .transpose()?;
            (Minimal::Whole(whole), number)
        }
    };
    let class = match (classes, number) {
        (Some(classes), Some(number)) => {
            Some(classes.values(worker.of(Kind::Quotient), own_states, &number)?)
        }
        _ => None,
    };
    Ok(Minimized {
        lts,
        reached,
        states,
        transitions,
        rounds,
        attempts,
        effort,
        class,
    })
}
