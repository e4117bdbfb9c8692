//! Whether two LTSs are equivalent.

use hyades_equivalence::Relation;
use hyades_formats::{Lts, StateId};
use hyades_lts::{Numbering, reachable_states, restricted};

use crate::Error;
use crate::meter::{Kind, Meter};
use crate::minimize::classified;
use crate::options::{Observer, Options};
use crate::part::Part;
use crate::quotient::{ClassRows, needed};
use crate::ranges::Layout;
use crate::read::Input;
use crate::saved::Saved;
use crate::worker::sum;

/// What a comparison comes to, at one worker.
#[derive(Debug)]
pub struct Compared {
    /// Whether the initial states are equivalent.
    pub holds: bool,
    /// If they are not, at worker 0: the minimal LTSs of the first and of the second, which
    /// are not equivalent for the same reasons; nothing if they are larger than the options
    /// allow.
    pub minimal: Option<(Lts, Lts)>,
    /// How many rounds of refinement there were.
    pub rounds: u64,
}

/// Two LTSs side by side.
#[derive(Debug)]
pub struct Both {
    /// The part of this worker.
    pub part: Part,
    /// The initial states of the first and of the second.
    pub roots: [u64; 2],
    /// Where the states of each are.
    pub layout: Layout,
}

/// Puts two LTSs, read by the same workers, side by side.
///
/// # Errors
/// If another worker is lost, or an LTS cannot hold both.
pub fn side_by_side(worker: &mut Meter<'_>, first: Input, second: Input) -> Result<Both, Error> {
    let layout = Layout::new(vec![first.ranges.clone(), second.ranges.clone()]);
    let index = crate::worker::Worker::index(worker);
    let (input, second) = first.union(second, index)?;
    let part = input.into_part(worker.of(Kind::Input))?;
    let roots = [part.initial, second];
    Ok(Both {
        part,
        roots,
        layout,
    })
}

/// Decides whether the initial states of two LTSs are equivalent by a relation, which is strong,
/// branching or divergence-preserving branching bisimilarity: whether they are in one class.
///
/// Memory and time are those of [`minimize`](crate::minimize::minimize()) for both LTSs.
///
/// # Errors
/// If another worker is lost, or there is no room.
pub fn equivalent(
    worker: &mut Meter<'_>,
    both: Both,
    relation: Relation,
    options: &Options,
    saved: Option<Saved>,
    observer: &mut dyn Observer,
) -> Result<Compared, Error> {
    let Both { part, roots, .. } = both;
    let second = roots[1];
    let mut found = classified(worker, part, relation, &roots, options, saved, observer)?;
    let check = worker.of(Kind::Check);
    let class = found.classes.of(check, &found.part, roots[0])?;
    let other = found.classes.of(check, &found.part, second)?;
    let mut compared = Compared {
        holds: class == other,
        minimal: None,
        rounds: found.rounds,
    };
    if compared.holds {
        return Ok(compared);
    }
    let rows = found.rows();
    let ranges = found.classes.ranges;
    let table = std::mem::take(&mut found.part.table);
    drop((found.part, found.classes.class));
    let transitions = sum(worker.of(Kind::Check), rows.labels.len() as u64)?;
    if needed(ranges.states(), transitions) > options.whole {
        return Ok(compared);
    }
    let rows = ClassRows {
        ranges,
        initial: class,
        table,
        rows,
    };
    let whole = rows.whole(worker.of(Kind::Quotient))?;
    compared.minimal = whole.map(|(lts, number)| {
        let second = StateId::new(number[other as usize]);
        (
            reached_from(&lts, lts.initial()),
            reached_from(&lts, second),
        )
    });
    Ok(compared)
}

/// What can be reached from a state.
fn reached_from(lts: &Lts, initial: StateId) -> Lts {
    let mut parts = lts.clone().into_parts();
    parts.initial = initial;
    let lts = Lts::from_parts(parts);
    let seen = reachable_states(&lts);
    restricted(lts, &seen, Numbering::Ascending)
}
