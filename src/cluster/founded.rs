//! States from which no path goes on for ever, classified from the ends of the paths up,
//! without any refinement: the well-founded part of Dovier, Piazza & Policriti 2004 ("An
//! efficient algorithm for computing bisimulation equivalence"). Each worker follows paths
//! as far as it can by itself, so that supersteps are as many as boundaries are crossed, and
//! not as paths are long.

use hyades_base::grouped::Grouped;
use hyades_equivalence::{Mixer, Summer};
use hyades_lts::StateSet;

use crate::part::Part;
use crate::worker::{Worker, sums};
use crate::{Error, ghosts, wire};

/// What a pass downwards must classify to be followed by another one: one in so many.
const WORTH: usize = 8;
/// After so many supersteps, too few classified states end the search.
const PATIENCE: u64 = 16;
/// There are too few if less than one in so many is classified in a superstep, and less than
/// half in all.
const SLOW: u64 = 256;
/// Not classified.
const UNKNOWN: u64 = 0;
/// Makes a hash another number than [`UNKNOWN`].
const KNOWN: u64 = 1 << 63;

/// A hash for each own state from which every path ends, equal for states that are
/// bisimilar; 0 for all others. Nothing if there are few such states, or it takes too long
/// to find them. Only some of the states are looked at, of which no transition leads to
/// others.
///
/// Sends 12 bytes for each such state that is a ghost of another worker. O(m) expected time;
/// 8 bytes a state and ghost, and for some inputs 4 bytes a transition, state and ghost.
///
/// # Errors
/// If another worker is lost.
pub fn hashes(
    worker: &mut dyn Worker,
    part: &Part,
    states: &StateSet,
    mixer: Mixer,
) -> Result<Option<Vec<u64>>, Error> {
    let mut pass = Pass {
        part,
        states,
        mixer,
        hash: vec![UNKNOWN; part.states() + part.ghosts.len()],
        summer: Summer::default(),
        settled: Vec::new(),
    };
    pass.sweep();
    let peers = worker.peers() as u64;
    let own = [states.count as u64, pass.settled.len() as u64];
    let [all, mut settled] = sums(worker, own)?;
    // The end of a path may be at one worker only.
    if settled * WORTH as u64 * peers < all {
        return Ok(None);
    }
    let mut waits: Option<Waits> = None;
    for step in 1.. {
        let mut told: Vec<u32> = Vec::new();
        let mut changed = std::mem::take(&mut pass.settled);
        changed.sort_unstable();
        let (own, ghosts) = pass.hash.split_at_mut(part.states());
        let [now] = ghosts::tell(
            worker,
            part,
            Some(&changed),
            [changed.len() as u64],
            |packet, state| wire::put_u64(packet, own[state]),
            |ghost, records| {
                let hash = records.u64()?;
                if std::mem::replace(&mut ghosts[ghost], hash) != hash {
                    told.push((own.len() + ghost) as u32);
                }
                Ok(())
            },
        )?;
        if step > 1 {
            settled += now;
        }
        if now == 0 {
            break;
        }
        if step > PATIENCE && 2 * settled < all && SLOW * now < all {
            return Ok(None);
        }
        // In their order, whoever was faster.
        told.sort_unstable();
        match &mut waits {
            Some(waits) => pass.follow(waits, told),
            None => {
                let (mut new, ready) = Waits::new(&pass);
                pass.settle_all(ready, &mut new);
                waits = Some(new);
            }
        }
    }
    pass.hash.truncate(part.states());
    Ok(Some(pass.hash))
}

struct Pass<'a> {
    part: &'a Part,
    states: &'a StateSet,
    mixer: Mixer,
    hash: Vec<u64>,
    summer: Summer,
    /// Those that have been classified since others were told.
    settled: Vec<u32>,
}

/// What states wait for that have not been classified.
struct Waits {
    /// How many transitions of each state lead to such states.
    count: Vec<u32>,
    /// Which of these states have a transition to each state or ghost.
    sources: Grouped<u32>,
}

impl Waits {
    /// Together with the states that need not wait.
    fn new(pass: &Pass<'_>) -> (Self, Vec<u32>) {
        let (part, hash) = (pass.part, &pass.hash);
        let waiting = |state: &u32| pass.states.contains(*state as usize) && !pass.knows(*state);
        let unknown = |state: u32| {
            let targets = part.row(state as usize).1.iter();
            targets.filter(|&&target| hash[target as usize] == UNKNOWN)
        };
        let own = 0..part.states() as u32;
        let mut count = vec![0; part.states()];
        let mut ready = Vec::new();
        for state in own.clone().filter(waiting) {
            count[state as usize] = unknown(state).count() as u32;
            if count[state as usize] == 0 {
                ready.push(state);
            }
        }
        let steps = own
            .filter(waiting)
            .flat_map(|state| unknown(state).map(move |&target| (target, state)));
        let sources = Grouped::new(hash.len(), steps);
        (Self { count, sources }, ready)
    }

    /// What need not wait any longer, as this place has been classified.
    fn without(&mut self, place: u32, ready: &mut Vec<u32>) {
        for &source in self.sources.of(place) {
            let count = &mut self.count[source as usize];
            *count -= 1;
            if *count == 0 {
                ready.push(source);
            }
        }
    }
}

impl Pass<'_> {
    fn knows(&self, state: u32) -> bool {
        self.hash[state as usize] != UNKNOWN
    }

    fn is_ready(&self, state: u32) -> bool {
        let mut targets = self.part.row(state as usize).1.iter();
        targets.all(|&target| self.hash[target as usize] != UNKNOWN)
    }

    /// Classifies a state of which all successors have been.
    fn settle(&mut self, state: u32) {
        let (labels, targets) = self.part.row(state as usize);
        let hash = &self.hash;
        let elements = labels.iter().zip(targets).map(|(&label, &target)| {
            // Equal elements are equal for all states. One is no element.
            let label = u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (hash[target as usize].rotate_left(23) ^ label) >> 1
        });
        let sum = self.summer.sum(self.mixer, labels.len(), elements);
        self.hash[state as usize] = self.mixer.value(sum) | KNOWN;
        self.settled.push(state);
    }

    /// Transitions mostly lead to higher numbers, so that passes downwards classify most of
    /// what there is.
    fn sweep(&mut self) {
        let states = self.part.states();
        loop {
            let before = self.settled.len();
            for state in (0..states as u32).rev() {
                let is_one = self.states.contains(state as usize) && !self.knows(state);
                if is_one && self.is_ready(state) {
                    self.settle(state);
                }
            }
            if self.settled.len() - before <= states / WORTH {
                return;
            }
        }
    }

    /// Goes on from places that have been classified by others.
    fn follow(&mut self, waits: &mut Waits, places: Vec<u32>) {
        let mut ready = Vec::new();
        places
            .iter()
            .for_each(|&place| waits.without(place, &mut ready));
        self.settle_all(ready, waits);
    }

    fn settle_all(&mut self, mut ready: Vec<u32>, waits: &mut Waits) {
        while let Some(state) = ready.pop() {
            self.settle(state);
            waits.without(state, &mut ready);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeMap;

    use hyades_equivalence::{Mixer, strong_partition};
    use hyades_testing::{check, shuffled};

    use super::hashes;
    use crate::fixture;
    use crate::reachable::reachable;

    #[test]
    fn equal_hashes_are_the_classes_of_states_without_infinite_paths() {
        let some = Cell::new(0);
        check(40, 24, |lts, random| {
            let lts = match random.chance(50) {
                true => shuffled(lts, random),
                false => lts.clone(),
            };
            let all = fixture::on_parts(&lts, random, |worker, part| {
                let reached = reachable(worker, part, &[part.initial])?;
                let hashes = hashes(worker, part, &reached, Mixer::new(0))?;
                let reached = (0..part.states()).map(|s| reached.contains(s));
                Ok((reached.collect::<Vec<_>>(), hashes))
            });
            let reached = all.iter().flat_map(|one| one.0.clone()).collect::<Vec<_>>();
            let hashes: Option<Vec<Vec<u64>>> = all.into_iter().map(|one| one.1).collect();
            let Some(hashes) = hashes else {
                return Ok(());
            };
            some.set(some.get() + 1);
            let hashes = hashes.concat();
            let mut founded = vec![false; lts.states()];
            for _ in 0..lts.states() {
                for (s, _) in reached.iter().enumerate() {
                    let state = hyades_formats::StateId::from_index(s);
                    founded[s] = lts.outgoing(state).all(|(_, t)| founded[t.index()]);
                }
            }
            let classes = strong_partition(&lts);
            let (mut class_of, mut hash_of) = (BTreeMap::new(), BTreeMap::new());
            for (s, &hash) in hashes.iter().enumerate() {
                if (hash != 0) != (founded[s] && reached[s]) {
                    return Err(format!("state {s} has hash {hash:x}"));
                }
                if hash != 0 {
                    let class = classes.classes()[s];
                    if *class_of.entry(hash).or_insert(class) != class
                        || *hash_of.entry(class).or_insert(hash) != hash
                    {
                        return Err(format!("state {s} of class {class} has hash {hash:x}"));
                    }
                }
            }
            Ok(())
        });
        assert!(
            some.get() > 100,
            "few systems had such states: {}",
            some.get()
        );
    }
}
