//! The part of an LTS that can be reached.

use crate::Error;
use crate::column::Column;
use crate::ghosts;
use crate::meter::{Kind, Meter};
use crate::options::Options;
use crate::part::Part;
use crate::quotient::{NONE, Order, Parts, WHO, breadth_first, renumbered, scattered};
use crate::wire;
use crate::worker::{Worker, exchange, sum};

/// The part that can be reached, in parts of about the same number of states, numbered as
/// [`reachable`](hyades_lts::reachable) does it on one machine: breadth-first, along
/// transitions in the order of their rows, which stay as they are.
///
/// Five supersteps for each level of the search, in which 37 bytes are sent for a state at the
/// most; and 9 bytes a transition and 9 a state in the end. 14 bytes a state and ghost, and
/// twice the rows for a while. If there are many levels of few states, one worker numbers the
/// states, as far as the options allow for that.
///
/// # Errors
/// If another worker is lost, or there is no room.
pub fn reach(worker: &mut Meter<'_>, part: Part, options: &Options) -> Result<Parts, Error> {
    let search = worker.of(Kind::Search);
    let states = part.ranges.states();
    let transitions = sum(search, part.labels.len() as u64)?;
    let is_small = states < u64::from(NOT_REACHED) && needed(states, transitions) <= options.whole;
    let patience = (is_small && search.peers() > 1).then_some(8 * options.patience);
    let (number, states) = match breadth_first(search, &part, Order::Rows, patience)? {
        Some(found) => found,
        None => numbered_by_one(search, &part)?,
    };
    renumbered(
        worker.of(Kind::Quotient),
        part,
        &number,
        states,
        Order::Rows,
    )
}

/// In the place of a number that has room in 32 bits.
const NOT_REACHED: u32 = u32::MAX;

/// Bytes of memory for a search by one worker.
const fn needed(states: u64, transitions: u64) -> u64 {
    20 * states + 4 * transitions
}

/// As [`breadth_first`] along the rows, by one worker, to whom the others send where transitions
/// lead, 4 bytes each and 4 a state, one worker after another.
fn numbered_by_one(worker: &mut dyn Worker, part: &Part) -> Result<(Column, u64), Error> {
    let me = worker.index();
    let states = part.ranges.states();
    let (mut ends, mut targets) = (vec![0usize], Vec::new());
    for turn in 0..worker.peers() {
        let mut left = 0;
        exchange(
            worker,
            |outbox| {
                let own = if me == turn { part.states() } else { 0 };
                for state in 0..own {
                    let (_, row) = part.row(state);
                    outbox.record(WHO, |packet| wire::put_u32(packet, row.len() as u32))?;
                    for &target in row {
                        let target = part.global(target) as u32;
                        outbox.record(WHO, |packet| wire::put_u32(packet, target))?;
                    }
                }
                Ok(())
            },
            |_, records| {
                while !records.is_empty() {
                    let told = records.u32()?;
                    if left == 0 {
                        left = told;
                        ends.push(targets.len() + left as usize);
                    } else if u64::from(told) < states {
                        left -= 1;
                        targets.push(told);
                    } else {
                        return Err(Error::Packet);
                    }
                }
                Ok(())
            },
        )?;
    }
    let is_whole = ends.len() as u64 == states + 1 && ends.last() == Some(&targets.len());
    if me == WHO && !is_whole {
        return Err(Error::Packet);
    }
    let mut found = Vec::new();
    let number = (me == WHO).then(|| {
        let mut number = vec![NOT_REACHED; ends.len() - 1];
        let mut meet = |state: u32, found: &mut Vec<u32>| {
            if number[state as usize] == NOT_REACHED {
                number[state as usize] = found.len() as u32;
                found.push(state);
            }
        };
        meet(part.initial as u32, &mut found);
        let mut next = 0;
        while let Some(&state) = found.get(next) {
            let row = ends[state as usize]..ends[state as usize + 1];
            targets[row]
                .iter()
                .for_each(|&target| meet(target, &mut found));
            next += 1;
        }
        number
    });
    drop((ends, targets));
    let count = sum(worker, found.len() as u64)?;
    drop(found);
    let own = scattered(worker, &part.ranges, number.as_deref())?;
    drop(number);
    let mut number = Column::filled(part.states() + part.ghosts.len(), NONE);
    for state in 0..own.len() {
        let told = own.get(state);
        if told != u64::from(NOT_REACHED) {
            number.set(state, told);
        }
    }
    ghosts::refresh(worker, part, &mut number, None, [], |_| ())?;
    Ok((number, count))
}

#[cfg(test)]
mod tests {
    use hyades_lts::{Numbering, reachable};
    use hyades_testing::check;

    use super::reach;
    use crate::fixture;
    use crate::meter::Meter;
    use crate::options::Options;

    #[test]
    fn what_is_reached_is_as_on_one_machine() {
        check(20, 40, |lts, random| {
            let expected = reachable(lts.clone(), Numbering::BreadthFirst);
            let mut options = Options::new(if random.chance(50) { u64::MAX } else { 0 });
            // After a level one worker does it.
            options.patience = 0;
            let all = fixture::on_parts(lts, random, |worker, part| {
                reach(&mut Meter::new(worker), part.clone(), &options)
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
