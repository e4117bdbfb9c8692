//! The states that can be reached.

use hyades_lts::StateSet;

use crate::part::Part;
use crate::worker::{Worker, exchange, sum};
use crate::{Error, wire};

/// The own states that can be reached from some states of the whole system.
///
/// Each worker goes as far as it can by itself before it tells others what it has met of
/// their states, 5 bytes each; a superstep for each time that a path has to cross from one
/// worker to another. One bit a state and ghost, and 4 bytes for each state that waits.
///
/// # Errors
/// If another worker is lost.
pub fn reachable(worker: &mut dyn Worker, part: &Part, roots: &[u64]) -> Result<StateSet, Error> {
    let states = part.states();
    let own = part.ranges.of(part.index);
    let mut seen = StateSet::new(states);
    let mut seen_ghosts = StateSet::new(part.ghosts.len());
    // Those that have been met, and not left.
    let mut waiting: Vec<u32> = Vec::new();
    for &root in roots.iter().filter(|root| own.contains(root)) {
        let root = (root - own.start) as usize;
        if seen.insert(root) {
            waiting.push(root as u32);
        }
    }
    loop {
        let mut met: Vec<u32> = Vec::new();
        while let Some(state) = waiting.pop() {
            for &target in part.row(state as usize).1 {
                match (target as usize).checked_sub(states) {
                    None if seen.insert(target as usize) => waiting.push(target),
                    Some(ghost) if seen_ghosts.insert(ghost) => met.push(ghost as u32),
                    _ => {}
                }
            }
        }
        if sum(worker, met.len() as u64)? == 0 {
            return Ok(seen);
        }
        exchange(
            worker,
            |outbox| {
                met.iter().try_for_each(|&ghost| {
                    let state = part.ghosts[ghost as usize];
                    outbox.record(part.ranges.owner(state), |packet| {
                        wire::put_state(packet, state);
                    })
                })
            },
            |_, records| {
                while !records.is_empty() {
                    let state = records.state()?;
                    if !own.contains(&state) {
                        return Err(Error::Packet);
                    }
                    let state = (state - own.start) as usize;
                    if seen.insert(state) {
                        waiting.push(state as u32);
                    }
                }
                Ok(())
            },
        )?;
    }
}

#[cfg(test)]
mod tests {
    use hyades_lts::reached;
    use hyades_testing::check;

    use super::reachable;
    use crate::fixture;

    #[test]
    fn what_is_reached_is_what_one_machine_reaches() {
        check(20, 30, |lts, random| {
            let all = fixture::on_parts(lts, random, |worker, part| {
                let seen = reachable(worker, part, &[part.initial])?;
                Ok((0..part.states())
                    .map(|s| seen.contains(s))
                    .collect::<Vec<_>>())
            });
            match all.concat() == reached(lts) {
                true => Ok(()),
                false => Err(format!("{} workers reach other states", all.len())),
            }
        });
    }
}
