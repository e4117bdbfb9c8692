//! Small LTSs in parts, for tests.

use hyades_formats::Lts;
use hyades_testing::Random;

use crate::part::{GlobalRows, Part};
use crate::ranges::Ranges;
use crate::threads::{self, Thread};
use crate::worker::{Worker, exchange};
use crate::{Error, wire};

/// Ranges for so many workers: even ones, or some that are empty, or any.
pub(crate) fn ranges(states: u64, peers: usize, random: &mut Random) -> Ranges {
    let mut starts = match random.between(0, 3) {
        0 | 1 => return Ranges::even(states, peers),
        2 => vec![0, states],
        _ => vec![0],
    };
    while starts.len() < peers {
        starts.push(random.between(0, states as usize) as u64);
    }
    starts.truncate(peers);
    starts.push(states);
    starts[0] = 0;
    starts.sort_unstable();
    Ranges::new(starts)
}

/// The rows of the states of a worker.
pub(crate) fn rows(lts: &Lts, ranges: &Ranges, worker: usize) -> GlobalRows {
    let own = ranges.of(worker);
    let (start, end) = (own.start as usize, own.end as usize);
    let first = lts.offsets().get(start);
    let offsets = (start..=end).map(|state| (lts.offsets().get(state) - first) as u64);
    let row = first..lts.offsets().get(end);
    GlobalRows {
        offsets: offsets.collect(),
        labels: lts.labels()[row.clone()].iter().map(|l| l.get()).collect(),
        targets: lts.targets()[row].iter().map(|t| t.get().into()).collect(),
    }
}

/// Sends numbers to all workers in 50 supersteps, as many as `count_of` tells of each sender and
/// superstep, and compares what arrives with that.
///
/// # Panics
/// If a number does not arrive in its superstep and in the order of its sender.
pub(crate) fn send_numbers(
    worker: &mut dyn Worker,
    count_of: impl Fn(u32, u32) -> u32,
) -> Result<(), Error> {
    let (me, peers) = (worker.index() as u32, worker.peers());
    for step in 0..50u32 {
        let mut met = vec![Vec::new(); peers];
        exchange(
            worker,
            |outbox| {
                for number in 0..count_of(me, step) {
                    for to in 0..peers {
                        outbox.record(to, |packet| {
                            wire::put_u32(packet, step);
                            wire::put_u32(packet, number);
                        })?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    assert_eq!(records.u32()?, step);
                    met[from].push(records.u32()?);
                }
                Ok(())
            },
        )?;
        for (from, met) in met.iter().enumerate() {
            let sent: Vec<u32> = (0..count_of(from as u32, step)).collect();
            assert_eq!(*met, sent, "of {from} to {me} in {step}");
        }
    }
    Ok(())
}

/// What some workers find, each with its part of an LTS: one to four of them, with packets
/// of few bytes or many.
///
/// # Panics
/// If one of them fails.
pub(crate) fn on_parts<T: Send>(
    lts: &Lts,
    random: &mut Random,
    work: impl Fn(&mut Thread, &Part) -> Result<T, Error> + Sync,
) -> Vec<T> {
    let peers = random.between(1, 4);
    let chunk = [1, 64, 1 << 20][random.between(0, 2)];
    let ranges = ranges(lts.states() as u64, peers, random);
    let results = threads::run(peers, chunk, |worker| {
        let rows = rows(lts, &ranges, worker.index());
        let initial = u64::from(lts.initial().get());
        let part = Part::new(worker, ranges.clone(), initial, lts.table().clone(), rows)?;
        work(worker, &part)
    });
    let results = results.into_iter().map(|result| match result {
        Ok(result) => result,
        Err(error) => panic!("{error}"),
    });
    results.collect()
}
