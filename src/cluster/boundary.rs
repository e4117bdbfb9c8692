//! What workers tell each other of the nodes that one has and others know as ghosts.

use crate::worker::{Outbox, Worker, exchange};
use crate::{Error, wire};

/// Who knows which nodes of whom, by places: the k-th of the own nodes that another worker
/// knows is the k-th of the ghosts there that are nodes of this one.
#[derive(Clone, Debug)]
pub(crate) struct Boundary {
    /// For each worker the own nodes, ascending, that are ghosts there.
    subscribed: Vec<Vec<u32>>,
    /// Where the ghosts that are nodes of each worker begin among all ghosts, and their
    /// number.
    bases: Vec<u32>,
}

impl Boundary {
    /// From the own nodes that are ghosts at each worker, and how many ghosts there are of
    /// each.
    pub fn new(subscribed: Vec<Vec<u32>>, ghosts: impl Iterator<Item = usize>) -> Self {
        let mut bases = vec![0];
        let mut total = 0;
        for count in ghosts {
            total += count as u32;
            bases.push(total);
        }
        debug_assert_eq!(bases.len(), subscribed.len() + 1);
        Self { subscribed, bases }
    }

    /// The own nodes that another worker knows, in the order of their places there.
    pub fn subscribed(&self, peer: usize) -> &[u32] {
        &self.subscribed[peer]
    }

    /// The ghosts that are nodes of another worker.
    pub fn ghosts_of(&self, peer: usize) -> std::ops::Range<u32> {
        self.bases[peer]..self.bases[peer + 1]
    }

    /// The worker whose node a ghost is, and its place there. Takes logarithmic time in the
    /// number of workers.
    #[inline]
    pub fn owner(&self, ghost: u32) -> (usize, u32) {
        let peer = self.bases.partition_point(|&base| base <= ghost) - 1;
        (peer, ghost - self.bases[peer])
    }

    /// The ghost that is meant by a place that its owner tells.
    ///
    /// # Errors
    /// If there is no such place.
    #[inline]
    pub fn ghost(&self, from: usize, place: u32) -> Result<u32, Error> {
        let ghosts = self.ghosts_of(from);
        let ghost = ghosts.start.checked_add(place).ok_or(Error::Packet)?;
        ghosts
            .contains(&ghost)
            .then_some(ghost)
            .ok_or(Error::Packet)
    }

    /// The own node that is meant by a place that another worker tells.
    ///
    /// # Errors
    /// If there is no such place.
    #[inline]
    pub fn node(&self, from: usize, place: u32) -> Result<u32, Error> {
        let node = self.subscribed[from].get(place as usize);
        node.copied().ok_or(Error::Packet)
    }

    /// For each worker that knows some of these nodes, which ascend: that worker, the place
    /// there, and which of them it is.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn told<E>(
        &self,
        nodes: &[u32],
        mut each: impl FnMut(usize, u32, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        for (peer, known) in self.subscribed.iter().enumerate() {
            let mut place = 0;
            for (k, &node) in nodes.iter().enumerate() {
                place += below(&known[place..], node);
                match known.get(place) {
                    None => break,
                    Some(&next) if next == node => each(peer, place as u32, k)?,
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// How many records [`told`](Self::told) makes of these nodes.
    pub fn count(&self, nodes: &[u32]) -> u64 {
        let mut count = 0;
        let counted: Result<(), std::convert::Infallible> = self.told(nodes, |_, _, _| {
            count += 1;
            Ok(())
        });
        match counted {
            Ok(()) => count,
        }
    }
}

/// How many of these, which ascend, are less. Takes logarithmic time in that.
#[inline]
fn below(ascending: &[u32], than: u32) -> usize {
    let mut end = 1;
    while end <= ascending.len() && ascending[end - 1] < than {
        end *= 2;
    }
    let start = end / 2;
    let end = end.min(ascending.len());
    start + ascending[start..end].partition_point(|&one| one < than)
}

/// A superstep as [`exchange`], in which each worker tells also how many records it sends:
/// the sum over all of them, which all learn.
///
/// # Errors
/// As [`exchange`].
pub(crate) fn pulse(
    worker: &mut dyn Worker,
    records: u64,
    mut send: impl FnMut(&mut Outbox<'_, '_>) -> Result<(), Error>,
    mut receive: impl FnMut(usize, &mut wire::Cursor<'_>) -> Result<(), Error>,
) -> Result<u64, Error> {
    let peers = worker.peers();
    let mut has_told = vec![false; peers];
    let mut total = 0;
    exchange(
        worker,
        |outbox| {
            (0..peers)
                .try_for_each(|to| outbox.record(to, |packet| wire::put_u64(packet, records)))?;
            send(outbox)
        },
        |from, records| {
            if !std::mem::replace(&mut has_told[from], true) {
                total += records.u64()?;
            }
            receive(from, records)
        },
    )?;
    Ok(total)
}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;
    use crate::threads;

    #[test]
    fn nodes_are_told_where_they_are_known() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let percent = random.between(0, 100);
            let known: Vec<u32> = (0..100).filter(|_| random.chance(percent)).collect();
            let nodes: Vec<u32> = (0..100).filter(|_| random.chance(100 - percent)).collect();
            let boundary = Boundary::new(vec![Vec::new(), known.clone()], [3, 4].into_iter());
            let mut met = Vec::new();
            let told: Result<(), Error> = boundary.told(&nodes, |peer, place, k| {
                assert_eq!((peer, known[place as usize]), (1, nodes[k]));
                met.push(nodes[k]);
                Ok(())
            });
            told.unwrap();
            let both = nodes.iter().copied().filter(|node| known.contains(node));
            assert!(both.eq(met.iter().copied()));
            assert_eq!(boundary.count(&nodes), met.len() as u64);
            for (ghost, owner) in [(0, (0, 0)), (2, (0, 2)), (3, (1, 0)), (6, (1, 3))] {
                assert_eq!(boundary.owner(ghost), owner);
                assert_eq!(boundary.ghost(owner.0, owner.1).ok(), Some(ghost));
            }
            assert!(boundary.ghost(0, 3).is_err() && boundary.ghost(1, u32::MAX).is_err());
            assert!(boundary.node(0, 0).is_err());
        }
    }

    #[test]
    fn all_learn_how_much_was_sent() {
        for chunk in [1, 64] {
            let totals = threads::run(3, chunk, |worker| {
                let own = worker.index() as u64;
                let mut met = 0;
                let total = pulse(
                    worker,
                    own,
                    |outbox| (0..own).try_for_each(|_| outbox.record(0, |packet| packet.push(7))),
                    |_, records| {
                        while !records.is_empty() {
                            assert_eq!(records.u8()?, 7);
                            met += 1;
                        }
                        Ok(())
                    },
                )?;
                Ok((total, met))
            });
            let totals: Vec<_> = totals.into_iter().map(Result::unwrap).collect();
            assert_eq!(totals, [(3, 3), (3, 0), (3, 0)]);
        }
    }
}
