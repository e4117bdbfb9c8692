//! Small LTSs in parts, for tests.

use hyades_formats::Lts;
use hyades_testing::Random;

use crate::Error;
use crate::part::{GlobalRows, Part};
use crate::ranges::Ranges;
use crate::threads::{self, Thread};
use crate::worker::Worker;

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
