//! What owners tell of states to those who have them as ghosts.

use std::ops::Range;

use crate::Error;
use crate::column::Column;
use crate::part::Part;
use crate::wire::{self, Cursor};
use crate::worker::{Worker, exchange};

/// Something is told of some states, with their places.
const SOME: u8 = 0;
/// Something is told of all states, in their order.
const ALL: u8 = 1;

/// What a sender has told so far.
#[derive(Clone, Copy)]
enum Told {
    Nothing,
    Some,
    /// And of how many.
    All(usize),
}

/// Tells those who have some of these own states, which ascend, as ghosts; nothing stands
/// for all states. `put` writes
/// what there is to tell of an own state; `take` reads it, and is told which ghost it is
/// about, by its place in [`Part::ghosts`]. Numbers of each worker are added up on the way.
///
/// One superstep. A state is named by 4 bytes, its place among those that the receiver has,
/// unless more than half of these are told of: then of all in their order.
///
/// # Errors
/// If another worker is lost, and those of `take`.
pub fn tell<const N: usize>(
    worker: &mut dyn Worker,
    part: &Part,
    changed: Option<&[u32]>,
    own: [u64; N],
    put: impl Fn(&mut Vec<u8>, usize),
    mut take: impl FnMut(usize, &mut Cursor<'_>) -> Result<(), Error>,
) -> Result<[u64; N], Error> {
    let peers = part.ranges.peers();
    let ghosts: Vec<Range<usize>> = (0..peers).map(|of| ghosts_of(part, of)).collect();
    let mut told = vec![Told::Nothing; peers];
    let mut sums = [0; N];
    exchange(
        worker,
        |outbox| {
            for (to, subscribed) in part.subscribed.iter().enumerate() {
                let places = changed.map_or_else(Vec::new, |changed| places(subscribed, changed));
                let is_all = changed.is_none() || 2 * places.len() > subscribed.len();
                outbox.record(to, |packet| {
                    packet.push(if is_all { ALL } else { SOME });
                    own.iter().for_each(|&number| wire::put_u64(packet, number));
                })?;
                if is_all {
                    for &state in subscribed {
                        outbox.record(to, |packet| put(packet, state as usize))?;
                    }
                    continue;
                }
                for place in places {
                    let state = subscribed[place as usize] as usize;
                    outbox.record(to, |packet| {
                        wire::put_u32(packet, place);
                        put(packet, state);
                    })?;
                }
            }
            Ok(())
        },
        |from, records| {
            while !records.is_empty() {
                let place = match &mut told[from] {
                    now @ Told::Nothing => {
                        *now = match records.u8()? {
                            SOME => Told::Some,
                            ALL => Told::All(0),
                            _ => return Err(Error::Packet),
                        };
                        for sum in &mut sums {
                            *sum += records.u64()?;
                        }
                        continue;
                    }
                    Told::Some => records.u32()? as usize,
                    Told::All(next) => {
                        *next += 1;
                        *next - 1
                    }
                };
                let ghost = ghosts[from].start + place;
                match ghosts[from].contains(&ghost) {
                    true => take(ghost, records)?,
                    false => return Err(Error::Packet),
                }
            }
            Ok(())
        },
    )?;
    Ok(sums)
}

/// Brings the numbers of ghosts in a column up to date, in which they follow those of own
/// states. `changed` is told the place in the column of each ghost that has another number
/// than before. Otherwise as [`tell`], with 5 bytes a state.
///
/// # Errors
/// If another worker is lost.
pub fn refresh<const N: usize>(
    worker: &mut dyn Worker,
    part: &Part,
    column: &mut Column,
    states: Option<&[u32]>,
    own: [u64; N],
    mut changed: impl FnMut(u32),
) -> Result<[u64; N], Error> {
    let count = part.states();
    let (read, mut write) = column.split(count);
    tell(
        worker,
        part,
        states,
        own,
        |packet, state| wire::put_state(packet, read.get(state)),
        |ghost, records| {
            let number = records.state()?;
            if write.replace(ghost, number) != number {
                changed((count + ghost) as u32);
            }
            Ok(())
        },
    )
}

/// Where the ghosts are that a worker owns.
fn ghosts_of(part: &Part, owner: usize) -> Range<usize> {
    let states = part.ranges.of(owner);
    let place = |state: u64| part.ghosts.partition_point(|&ghost| ghost < state);
    place(states.start)..place(states.end)
}

/// The places in `subscribed` of those states that are in `changed`; both ascend.
fn places(subscribed: &[u32], changed: &[u32]) -> Vec<u32> {
    let mut places = Vec::new();
    let mut rest = subscribed;
    let mut start = 0;
    // Looking each one up pays if there are few.
    let is_few = changed.len().saturating_mul(16) < subscribed.len();
    for &state in changed {
        let skipped = match is_few {
            true => rest.partition_point(|&other| other < state),
            false => rest.iter().take_while(|&&other| other < state).count(),
        };
        start += skipped;
        rest = &rest[skipped..];
        match rest.first() {
            None => break,
            Some(&first) if first == state => places.push(start as u32),
            Some(_) => {}
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use hyades_testing::check;

    use super::{places, refresh};
    use crate::column::Column;
    use crate::fixture;
    use crate::worker::Worker;

    #[test]
    fn places_are_those_of_common_states() {
        let subscribed: Vec<u32> = (0..1000).filter(|k| k % 7 != 3).collect();
        for step in [1, 2, 5, 100, 999] {
            let changed: Vec<u32> = (1..1000).step_by(step).collect();
            let expected: Vec<u32> = (0..subscribed.len() as u32)
                .filter(|&place| changed.contains(&subscribed[place as usize]))
                .collect();
            assert_eq!(places(&subscribed, &changed), expected);
        }
        assert!(places(&[], &[1]).is_empty() && places(&[1], &[]).is_empty());
    }

    #[test]
    fn ghosts_have_the_numbers_of_their_owners() {
        check(10, 30, |lts, random| {
            let every = random.between(1, 9);
            fixture::on_parts(lts, random, |worker, part| {
                let own = part.states();
                let mut column = Column::new(own + part.ghosts.len());
                let mut expected = vec![0; part.ghosts.len()];
                for round in 1..4u64 {
                    let changes = |state: u64| (state + round).is_multiple_of(every as u64);
                    let first = part.ranges.of(part.index).start;
                    let changed: Vec<u32> = (0..own as u32)
                        .filter(|&state| changes(first + u64::from(state)))
                        .collect();
                    for &state in &changed {
                        column.set(state as usize, 1 + round * (first + u64::from(state)));
                    }
                    let mut told = Vec::new();
                    let sums = refresh(
                        worker,
                        part,
                        &mut column,
                        Some(&changed),
                        [1, changed.len() as u64],
                        |ghost| told.push(ghost as usize - own),
                    )?;
                    assert_eq!(sums[0], worker.peers() as u64);
                    let all = (0..part.ranges.states()).filter(|&s| changes(s));
                    assert_eq!(sums[1], all.count() as u64);
                    told.sort_unstable();
                    let mut is_new = Vec::new();
                    for (ghost, &state) in part.ghosts.iter().enumerate() {
                        if changes(state) {
                            if expected[ghost] != 1 + round * state {
                                is_new.push(ghost);
                            }
                            expected[ghost] = 1 + round * state;
                        }
                        assert_eq!(column.get(own + ghost), expected[ghost]);
                    }
                    assert_eq!(told, is_new);
                }
                Ok(())
            });
            Ok(())
        });
    }
}
