//! The part of an LTS that can be reached.

use crate::Error;
use crate::meter::{Kind, Meter};
use crate::part::Part;
use crate::quotient::{Order, Parts, breadth_first, renumbered};

/// The part that can be reached, in parts of about the same number of states, numbered as
/// [`reachable`](hyades_lts::reachable) does it on one machine: breadth-first, along
/// transitions in the order of their rows, which stay as they are.
///
/// Five supersteps for each level of the search, in which 37 bytes are sent for a state at the
/// most; and 9 bytes a transition and 9 a state in the end. 14 bytes a state and ghost, and
/// twice the rows for a while.
///
/// # Errors
/// If another worker is lost, or there is no room.
pub fn reach(worker: &mut Meter<'_>, part: Part) -> Result<Parts, Error> {
    let found = breadth_first(worker.of(Kind::Search), &part, Order::Rows, None)?;
    let (number, states) = found.expect("without a limit it goes to the end");
    renumbered(
        worker.of(Kind::Quotient),
        part,
        &number,
        states,
        Order::Rows,
    )
}

#[cfg(test)]
mod tests {
    use hyades_lts::{Numbering, reachable};
    use hyades_testing::check;

    use super::reach;
    use crate::fixture;
    use crate::meter::Meter;

    #[test]
    fn what_is_reached_is_as_on_one_machine() {
        check(20, 40, |lts, random| {
            let expected = reachable(lts.clone(), Numbering::BreadthFirst);
            let all = fixture::on_parts(lts, random, |worker, part| {
                reach(&mut Meter::new(worker), part.clone())
            });
            let mut rows = all[0].rows.clone();
            all[1..].iter().for_each(|one| rows.append(&one.rows));
            let states = rows.states() as u64;
            if all[0].ranges.states() != states || states != expected.states() as u64 {
                return Err(format!("{states} states instead of {}", expected.states()));
            }
            for state in 0..rows.states() {
                let (labels, targets) = rows.row(state);
                let found = labels.iter().copied().zip(targets.iter().copied());
                let state = hyades_formats::StateId::from_index(state);
                let row = expected.outgoing(state);
                let row = row.map(|(label, target)| (label.get(), target.get().into()));
                if !found.eq(row) {
                    return Err(format!("another row of {state}"));
                }
            }
            Ok(())
        });
    }
}
