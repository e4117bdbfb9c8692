//! Exact numbers of blocks: keys that stand for signatures are hashed to owners, each of
//! which gives numbers to those that it is sent (Blom & Orzan, Distributed branching
//! bisimulation reduction of state spaces, 2003).

use hyades_base::groups::Groups;
use hyades_base::parallel;

use crate::worker::{Worker, exchange};
use crate::{Error, wire};

/// What stands for a signature. All bits are to be well spread but for [`SPARE`], which is
/// not looked at.
pub type Key = u128;

/// The bit of a key that tells on the way whether a worker has several members. Neither the
/// bits above it, which choose buckets and owners, nor the lowest, which choose slots, are
/// near.
pub const SPARE: Key = 1 << 63;

/// Answers come in groups of so many, each group with a byte that tells which of them are
/// single.
const TOGETHER: usize = 8;

/// A number is less than this, as five bytes hold it.
const LIMIT: u64 = 1 << 40;

/// Gives numbers to blocks. Each worker has one, and gives out its own numbers only: those
/// that are its index modulo the number of workers.
#[derive(Clone, Debug)]
pub struct Numbers {
    index: u64,
    peers: u64,
    /// How many numbers this worker has given out.
    given: u64,
}

/// What an owner was asked for, in one call of [`Numbers::number`]. Added up over all
/// workers, these are the figures of all keys.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Owned {
    /// How many different keys.
    pub keys: u64,
    /// How many of them have one member in all.
    pub singles: u64,
}

impl Numbers {
    /// Nothing has been given out yet.
    pub fn new(worker: &dyn Worker) -> Self {
        Self::after(worker, 0)
    }

    /// All numbers below this one have been given out, or are not going to be.
    pub fn after(worker: &dyn Worker, numbers: u64) -> Self {
        let (index, peers) = (worker.index() as u64, worker.peers() as u64);
        Self {
            index,
            peers,
            given: numbers.saturating_sub(index).div_ceil(peers),
        }
    }

    /// The least number that this worker has not given out.
    pub const fn next(&self) -> u64 {
        self.given * self.peers + self.index
    }

    /// A fresh number.
    ///
    /// # Errors
    /// If there is none of five bytes.
    pub fn fresh(&mut self) -> Result<u64, Error> {
        let number = self.next();
        self.given += 1;
        self.check()?;
        Ok(number)
    }

    /// Who gives out a number.
    #[inline]
    pub const fn owner(number: u64, peers: usize) -> usize {
        (number % peers as u64) as usize
    }

    /// Gives each of these keys a fresh number, the same at all workers; all of them call
    /// it. `each` is told the place of a key, its number, and whether that is the only one
    /// of its members at all workers.
    ///
    /// The numbers depend on the keys of the workers and on their order alone, not on the
    /// order of packets or on threads. Two supersteps: 16 bytes for each different key of a
    /// worker, and at most 4.2 bytes for the answer. In memory 30 to 60 bytes a key, and as
    /// much for each key that this worker owns.
    ///
    /// # Errors
    /// If another worker is lost, or there is no room for more.
    pub fn number(
        &mut self,
        worker: &mut dyn Worker,
        mut keys: Vec<Key>,
        mut each: impl FnMut(usize, u64, bool),
    ) -> Result<Owned, Error> {
        let peers = worker.peers();
        room(keys.len())?;
        parallel::for_each_mut(&mut keys, 1 << 14, |_, key| *key &= !SPARE);
        let mut groups = Groups::default();
        groups.find(&keys);
        if peers == 1 {
            return self.number_alone(groups, each);
        }
        // The groups whose keys an owner has, in the order in which it is asked.
        let mut asked: Vec<Vec<u32>> = vec![Vec::new(); peers];
        for (group, &first) in groups.first.iter().enumerate() {
            asked[owner(keys[first as usize], peers)].push(group as u32);
        }
        let key = |group: u32| {
            let key = keys[groups.first[group as usize] as usize];
            match groups.sizes[group as usize] {
                1 => key,
                _ => key | SPARE,
            }
        };
        let mut received: Vec<Vec<Key>> = vec![Vec::new(); peers];
        exchange(
            worker,
            |outbox| {
                for (to, groups) in asked.iter().enumerate() {
                    for &group in groups {
                        outbox.record(to, |packet| wire::put_u128(packet, key(group)))?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    received[from].push(records.u128()?);
                }
                Ok(())
            },
        )?;
        drop(keys);
        let [group_of, sizes, _] = groups.into_columns();
        let counts: Vec<usize> = received.iter().map(Vec::len).collect();
        let answers = Answers::new(received)?;
        let base = self.given;
        let owned = answers.owned();
        self.given += owned.keys;
        self.check()?;
        // A number and, in its lowest bit, whether it is single.
        let mut numbers = vec![0u64; sizes.len()];
        let mut bases: Vec<Option<u64>> = vec![None; peers];
        let mut answered = vec![0; peers];
        exchange(
            worker,
            |outbox| {
                let mut start = 0;
                for (to, &count) in counts.iter().enumerate() {
                    let places = start..start + count;
                    start = places.end;
                    if places.is_empty() {
                        continue;
                    }
                    outbox.record(to, |packet| wire::put_u64(packet, base))?;
                    for first in places.clone().step_by(TOGETHER) {
                        let together = first..places.end.min(first + TOGETHER);
                        outbox.record(to, |packet| answers.put(together, packet))?;
                    }
                }
                Ok(())
            },
            |from, records| {
                while !records.is_empty() {
                    let Some(base) = bases[from] else {
                        bases[from] = Some(records.u64()?);
                        continue;
                    };
                    let left = &asked[from][answered[from]..];
                    let together = &left[..left.len().min(TOGETHER)];
                    let singles = records.u8()?;
                    for (k, &group) in together.iter().enumerate() {
                        let given = base + u64::from(records.u32()?);
                        let number = given * peers as u64 + from as u64;
                        numbers[group as usize] = number << 1 | u64::from(singles >> k & 1);
                    }
                    if together.is_empty() {
                        return Err(Error::Packet);
                    }
                    answered[from] += together.len();
                }
                Ok(())
            },
        )?;
        if (0..peers).any(|from| answered[from] != asked[from].len()) {
            return Err(Error::Packet);
        }
        for (place, &group) in group_of.iter().enumerate() {
            let number = numbers[group as usize];
            each(place, number >> 1, number & 1 != 0);
        }
        Ok(owned)
    }
}

impl Numbers {
    /// The same where there is nobody to ask.
    fn number_alone(
        &mut self,
        groups: Groups<Key>,
        mut each: impl FnMut(usize, u64, bool),
    ) -> Result<Owned, Error> {
        let [of, sizes, _] = groups.into_columns();
        let base = self.given;
        self.given += sizes.len() as u64;
        self.check()?;
        for (place, &group) in of.iter().enumerate() {
            each(place, base + u64::from(group), sizes[group as usize] == 1);
        }
        Ok(Owned {
            keys: sizes.len() as u64,
            singles: sizes.iter().filter(|&&size| size == 1).count() as u64,
        })
    }

    /// Refuses to have given out numbers of more than five bytes.
    fn check(&self) -> Result<(), Error> {
        match self.next() >= LIMIT + self.peers {
            true => Err(Error::Room {
                what: "numbers of blocks",
                limit: LIMIT,
            }),
            false => Ok(()),
        }
    }
}

/// Who owns a key.
#[inline]
fn owner(key: Key, peers: usize) -> usize {
    // The highest bits sort keys into buckets.
    let middle = (key >> 32) as u64;
    ((u128::from(middle) * peers as u128) >> 64) as usize
}

/// Refuses more signatures than 32 bits count.
pub(crate) fn room(keys: usize) -> Result<(), Error> {
    let limit = u64::from(u32::MAX);
    match keys as u64 >= limit {
        true => Err(Error::Room {
            what: "signatures at one worker",
            limit,
        }),
        false => Ok(()),
    }
}

/// What an owner answers, for each key that it was sent, sender by sender.
struct Answers {
    group_of: Vec<u32>,
    /// For each group whether it has one member.
    is_single: Vec<bool>,
}

impl Answers {
    fn new(received: Vec<Vec<Key>>) -> Result<Self, Error> {
        let count = received.iter().map(Vec::len).sum();
        room(count)?;
        let mut keys = Vec::with_capacity(count);
        let mut is_shared = Vec::with_capacity(count);
        for part in received {
            keys.extend(part.iter().map(|key| key & !SPARE));
            is_shared.extend(part.iter().map(|key| key & SPARE != 0));
        }
        let mut groups = Groups::default();
        groups.find(&keys);
        let [group_of, sizes, first] = groups.into_columns();
        let single = |(&size, &first): (&u32, &u32)| size == 1 && !is_shared[first as usize];
        Ok(Self {
            group_of,
            is_single: sizes.iter().zip(&first).map(single).collect(),
        })
    }

    fn owned(&self) -> Owned {
        Owned {
            keys: self.is_single.len() as u64,
            singles: self.is_single.iter().filter(|&&single| single).count() as u64,
        }
    }

    /// Writes what is answered at these places.
    fn put(&self, places: std::ops::Range<usize>, packet: &mut Vec<u8>) {
        let groups = &self.group_of[places];
        let bit = |(k, &group): (usize, &u32)| u8::from(self.is_single[group as usize]) << k;
        packet.push(groups.iter().enumerate().map(bit).fold(0, |a, b| a | b));
        groups
            .iter()
            .for_each(|&group| wire::put_u32(packet, group));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Key, Numbers, Owned, SPARE};
    use crate::threads;
    use crate::worker::Worker;

    /// A key of a small number.
    fn key(number: u64) -> Key {
        let mut key = Key::from(number) + 1;
        for _ in 0..3 {
            key = key.wrapping_mul(0x9e37_79b9_7f4a_7c15_d6e8_feb8_6659_fd93);
            key ^= key >> 67;
        }
        key
    }

    #[test]
    fn each_key_has_one_number_and_single_is_who_is_alone() {
        for (peers, chunk) in [(1, 64), (2, 1), (3, 64), (4, 1 << 20)] {
            for modulus in [1, 7, 40, 1000, 100_000] {
                // Worker 0 has none at all.
                let column = |index: usize, round: u64| -> Vec<Key> {
                    let keys = (0..200 * index as u64).map(|k| (k * k + 37 * index as u64) ^ round);
                    keys.map(|k| key(k % modulus) & !SPARE | Key::from(k % 2) << 63)
                        .collect()
                };
                let work = |worker: &mut threads::Thread| {
                    let mut numbers = Numbers::new(worker);
                    (0..3)
                        .map(|round| {
                            let mut told = Vec::new();
                            let keys = column(worker.index(), round);
                            let each = |place, number, single| told.push((place, number, single));
                            let owned = numbers.number(worker, keys, each)?;
                            Ok((told, owned, numbers.next()))
                        })
                        .collect::<Result<Vec<_>, _>>()
                };
                let all: Vec<_> = threads::run(peers, chunk, work)
                    .into_iter()
                    .map(|result| result.unwrap())
                    .collect();
                let again = threads::run(peers, chunk, work);
                let mut met = BTreeSet::new();
                for round in 0..3 {
                    let mut members = BTreeMap::<Key, u32>::new();
                    for index in 0..peers {
                        for key in column(index, round) {
                            *members.entry(key & !SPARE).or_default() += 1;
                        }
                    }
                    let mut number_of = BTreeMap::new();
                    let mut sum = Owned::default();
                    for (index, rounds) in all.iter().enumerate() {
                        let (told, owned, next) = &rounds[round as usize];
                        sum.keys += owned.keys;
                        sum.singles += owned.singles;
                        let keys = column(index, round);
                        assert_eq!(told.len(), keys.len());
                        for (k, &(place, number, single)) in told.iter().enumerate() {
                            assert_eq!(place, k);
                            let key = keys[k] & !SPARE;
                            assert_eq!(*number_of.entry(key).or_insert(number), number);
                            assert_eq!(single, members[&key] == 1);
                            assert!(number < all[Numbers::owner(number, peers)][round as usize].2);
                        }
                        assert_eq!(*next as usize % peers, index);
                    }
                    let fresh: BTreeSet<u64> = number_of.values().copied().collect();
                    assert_eq!(fresh.len(), members.len());
                    assert!(fresh.iter().all(|&number| met.insert(number)));
                    let singles = members.values().filter(|&&count| count == 1).count();
                    let expected = Owned {
                        keys: members.len() as u64,
                        singles: singles as u64,
                    };
                    assert_eq!(sum, expected);
                }
                for (one, other) in all.iter().zip(again) {
                    assert_eq!(*one, other.unwrap(), "{peers} workers");
                }
            }
        }
    }

    #[test]
    fn numbers_go_on_after_others() {
        let results = threads::run(3, 64, |worker| {
            let mut numbers = Numbers::after(worker, 7);
            Ok((numbers.next(), numbers.fresh()?, numbers.fresh()?))
        });
        let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(results, [(9, 9, 12), (7, 7, 10), (8, 8, 11)]);
    }
}
