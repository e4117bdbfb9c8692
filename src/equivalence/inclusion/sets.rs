//! The sets of states that one side may be in.

use std::cell::Cell;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hyades_base::ascending::{is_subset, mask};
use hyades_base::interned::Interned;

use super::system::System;

/// The sets of states met so far, ascending and each once, with where labels lead from
/// them. In a weak system they are closed under hidden steps, but for states of which
/// [`System::is_passive`] says that they do not matter there.
///
/// 4 bytes a member, some 30 a set, 17 for each label that was followed from one, 8 for each
/// of some steps of large sets, and some 60 for each large one that few states become when
/// they are closed.
pub(super) struct Sets<'s> {
    system: &'s System,
    sets: Interned<u32>,
    masks: Vec<u64>,
    diverges: Vec<bool>,
    after: HashMap<(u32, u32), u32, RandomState>,
    followed: Followed,
    /// What few states become when they are closed and then are many.
    closed: HashMap<Box<[u32]>, u32, RandomState>,
    /// The different menus of a set's stable members.
    menus: Vec<Option<Box<[u32]>>>,
    /// The round in which a state was put into the set being made.
    seen: Vec<u32>,
    round: u32,
    scratch: Vec<u32>,
    /// How many members were compared.
    comparisons: Cell<usize>,
}

impl<'s> Sets<'s> {
    /// Only the empty set, which has number 0.
    pub(super) fn new(system: &'s System) -> Self {
        let mut this = Self {
            system,
            sets: Interned::default(),
            masks: Vec::new(),
            diverges: Vec::new(),
            after: HashMap::default(),
            followed: Followed::default(),
            closed: HashMap::default(),
            menus: Vec::new(),
            seen: vec![0; system.states()],
            round: 0,
            scratch: Vec::new(),
            comparisons: Cell::new(0),
        };
        this.start();
        this.finish();
        this
    }

    /// The number of the empty set.
    pub(super) const EMPTY: u32 = 0;

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.masks.len()
    }

    /// The members of a set.
    pub(super) fn get(&self, set: u32) -> &[u32] {
        self.sets.get(set)
    }

    /// About how many bytes are held.
    pub(super) fn bytes(&self) -> usize {
        let followed = self.followed.steps * size_of::<(u32, u32)>();
        let closed = self.closed.capacity() * 24 + self.closed.len() * 32;
        let sets = self.sets.bytes() + self.masks.capacity() * 25;
        sets + self.after.capacity() * 16 + followed + closed
    }

    /// The set of a state, closed.
    pub(super) fn of(&mut self, state: u32) -> u32 {
        self.start();
        self.put(state);
        self.finish()
    }

    /// The set that a label leads to from another one, closed.
    pub(super) fn after(&mut self, set: u32, rank: u32) -> u32 {
        if let Some(&known) = self.after.get(&(set, rank)) {
            return known;
        }
        let after = self.after_once(set, rank);
        self.after.insert((set, rank), after);
        after
    }

    /// The same, for sets and labels that are not asked for again.
    pub(super) fn after_once(&mut self, set: u32, rank: u32) -> u32 {
        self.start();
        let system = self.system;
        let (seen, round, scratch) = (&mut self.seen, self.round, &mut self.scratch);
        let members = self.sets.get(set);
        match self.followed.of(system, set, members) {
            Some(steps) => {
                let start = steps.partition_point(|step| step.0 < rank);
                let steps = steps[start..].iter().take_while(|step| step.0 == rank);
                steps.for_each(|&(_, t)| put(seen, round, scratch, t));
            }
            None => {
                let targets = members.iter().flat_map(|&s| system.successors(s, rank));
                targets.for_each(|&t| put(seen, round, scratch, t));
            }
        }
        self.finish()
    }

    /// The set that a trace leads to.
    pub(super) fn after_all(&mut self, set: u32, trace: &[u32]) -> u32 {
        trace.iter().fold(set, |set, &rank| self.after(set, rank))
    }

    /// The members of a set that satisfy a condition. In a weak system the result is not
    /// closed.
    pub(super) fn filtered(&mut self, set: u32, keep: impl Fn(u32) -> bool) -> u32 {
        self.start();
        for k in 0..self.get(set).len() {
            let s = self.get(set)[k];
            if keep(s) {
                self.put(s);
            }
        }
        self.intern()
    }

    /// The set of these states, as they are.
    pub(super) fn made_of(&mut self, states: impl Iterator<Item = u32>) -> u32 {
        self.start();
        states.for_each(|s| self.put(s));
        self.intern()
    }

    /// The ranks of all labels that some member has, ascending.
    pub(super) fn ranks(&self, set: u32, into: &mut Vec<u32>) {
        for &s in self.get(set) {
            into.extend_from_slice(self.system.offered(self.system.menu(s)));
        }
        into.sort_unstable();
        into.dedup();
    }

    /// Whether a state is a member.
    pub(super) fn contains(&self, set: u32, state: u32) -> bool {
        self.masks[set as usize] & mask(&[state]) != 0
            && self.get(set).binary_search(&state).is_ok()
    }

    /// How many members of sets were compared, about, with one more for each two sets.
    pub(super) fn comparisons(&self) -> usize {
        self.comparisons.get()
    }

    /// So many more were compared elsewhere.
    pub(super) fn spend(&self, comparisons: usize) {
        self.comparisons.set(self.comparisons.get() + comparisons);
    }

    /// Whether a set is part of another one.
    pub(super) fn is_within(&self, part: u32, whole: u32) -> bool {
        self.spend(1);
        part == whole
            || (self.masks[part as usize] & !self.masks[whole as usize] == 0 && {
                let part = self.get(part);
                self.spend(part.len());
                is_subset(part, self.get(whole))
            })
    }

    /// Whether a member is on a hidden cycle.
    pub(super) fn diverges(&self, set: u32) -> bool {
        self.diverges[set as usize]
    }

    /// The different menus of the stable members, ascending by number. With `minimal`,
    /// always the same for one collection of sets, some that have another one within them
    /// are left out.
    pub(super) fn menus(&mut self, set: u32, minimal: bool) -> &[u32] {
        let Self {
            system,
            sets,
            menus,
            ..
        } = self;
        let known = &mut menus[set as usize];
        known.get_or_insert_with(|| {
            let members = sets.get(set).iter().filter(|&&s| system.is_stable(s));
            let mut all: Vec<u32> = members.map(|&s| system.menu(s)).collect();
            all.sort_unstable();
            all.dedup();
            if minimal && all.len() <= MOST_COMPARED {
                let is_minimal = |k: &u32| !all.iter().any(|&m| m != *k && system.is_within(m, *k));
                all = all.iter().copied().filter(is_minimal).collect();
            }
            all.into()
        })
    }

    /// A new set begins.
    fn start(&mut self) {
        self.scratch.clear();
        if self.round == u32::MAX {
            self.seen.fill(0);
            self.round = 0;
        }
        self.round += 1;
    }

    /// The new set has this state.
    #[inline]
    fn put(&mut self, state: u32) {
        put(&mut self.seen, self.round, &mut self.scratch, state);
    }

    /// The number of the new set, when it is closed.
    fn finish(&mut self) -> u32 {
        if self.system.is_weak {
            let system = self.system;
            let (mut few, count) = ([0; FEW], self.scratch.len());
            if count <= FEW {
                self.scratch.sort_unstable();
                if let Some(&known) = self.closed.get(&*self.scratch) {
                    return known;
                }
                few[..count].copy_from_slice(&self.scratch);
            }
            let mut next = 0;
            while next < self.scratch.len() {
                for &t in system.hidden(self.scratch[next]) {
                    self.put(t);
                }
                next += 1;
            }
            self.scratch.retain(|&s| !system.is_passive(s));
            let is_large = self.scratch.len() >= LARGE;
            let closed = self.intern();
            if count <= FEW && is_large {
                self.closed.insert(few[..count].into(), closed);
            }
            return closed;
        }
        self.intern()
    }

    /// The number of the new set as it is.
    fn intern(&mut self) -> u32 {
        self.scratch.sort_unstable();
        let (number, is_new) = self.sets.intern(&self.scratch);
        if is_new {
            let set = &self.scratch;
            self.masks.push(mask(set));
            self.diverges
                .push(set.iter().any(|&s| self.system.diverges(s)));
            self.menus.push(None);
        }
        number
    }
}

/// Adds a state that was not seen in this round.
#[inline]
fn put(seen: &mut [u32], round: u32, scratch: &mut Vec<u32>, state: u32) {
    let seen = &mut seen[state as usize];
    if *seen != round {
        *seen = round;
        scratch.push(state);
    }
}

/// The steps of large sets that are followed by many labels: those of all members in the
/// order of the labels, so that not each member is looked at for each label.
#[derive(Default)]
struct Followed {
    of: HashMap<u32, Box<[(u32, u32)]>, RandomState>,
    /// How many steps these are.
    steps: usize,
    /// By how many labels other large sets were followed.
    times: HashMap<u32, usize, RandomState>,
}

impl Followed {
    /// The steps of a set, if it is worth it: if looking at its members once for each
    /// label has taken as long as to gather them all. O(members), and once O(s log s) for
    /// its s steps.
    fn of(&mut self, system: &System, set: u32, members: &[u32]) -> Option<&[(u32, u32)]> {
        if members.len() < LARGE {
            return None;
        }
        if !self.of.contains_key(&set) {
            let times = self.times.entry(set).or_default();
            *times += 1;
            let steps = members.iter().map(|&s| system.degree(s)).sum::<usize>();
            if *times * members.len() < steps {
                return None;
            }
            self.times.remove(&set);
            if self.steps + steps > MOST_FOLLOWED {
                *self = Self::default();
            }
            let mut gathered: Vec<(u32, u32)> = Vec::with_capacity(steps);
            for &s in members {
                let (ranks, targets) = system.steps(s);
                gathered.extend(ranks.iter().copied().zip(targets.iter().copied()));
            }
            gathered.sort_unstable();
            gathered.dedup();
            self.steps += gathered.len();
            self.of.insert(set, gathered.into());
        }
        self.of.get(&set).map(|steps| &**steps)
    }
}

/// So many states are few.
const FEW: usize = 4;

/// Sets of so many members are large.
const LARGE: usize = 64;

/// So many steps of large sets are remembered, or those of one set.
const MOST_FOLLOWED: usize = 1 << 22;

/// Up to so many menus are compared with each other.
const MOST_COMPARED: usize = 32;

#[cfg(test)]
mod tests {
    use hyades_formats::{LabelId, LtsBuilder, StateId};
    use hyades_testing::Random;

    use super::super::HiddenSteps;
    use super::*;

    /// Labels lead from large sets, whose steps are gathered, to where they lead from their
    /// members, also where more is gathered than is remembered.
    #[test]
    fn large_sets_are_followed_as_their_members() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let (states, labels) = (random.between(150, 300), random.between(1, 80));
            let mut builder = LtsBuilder::new(0);
            for s in 0..states as u32 {
                for _ in 0..random.between(1, 4) {
                    let label = format!("l{}", random.between(1, labels));
                    let target = random.between(0, states - 1) as u32;
                    builder.add_text(s, label.as_bytes(), target).unwrap();
                }
                // All different, and all reached.
                let own = format!("own {s}");
                builder
                    .add_text(s, own.as_bytes(), (s + 1) % states as u32)
                    .unwrap();
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            let (system, _) = System::of_traces(&lts, [lts.initial()], HiddenSteps::Counted);
            let mut sets = Sets::new(&system);
            let all: Vec<u32> = (0..system.states() as u32).collect();
            let half: Vec<u32> = all.iter().copied().filter(|s| s % 2 == 0).collect();
            for members in [&all, &half, &all] {
                let set = sets.made_of(members.iter().copied());
                let mut ranks = Vec::new();
                sets.ranks(set, &mut ranks);
                for &rank in &ranks {
                    let targets = members.iter().flat_map(|&s| system.successors(s, rank));
                    let expected = targets.copied().collect::<Vec<u32>>();
                    let expected = sets.made_of(expected.into_iter());
                    assert_eq!(sets.after_once(set, rank), expected, "seed {seed}");
                }
                assert!(sets.followed.of.contains_key(&set), "seed {seed}");
                assert!(sets.followed.steps > 0);
                if seed % 2 == 0 {
                    // So that the next one takes the place of what is there.
                    sets.followed.steps = MOST_FOLLOWED;
                }
            }
            let is_one = sets.followed.of.len() == 1;
            assert_eq!(is_one, seed % 2 == 0, "seed {seed}");
        }
    }

    /// What few states become when they are closed is the same when it is remembered.
    #[test]
    fn few_states_become_the_same_large_sets() {
        let (mut large, mut remembered) = (0, 0);
        for seed in 0..10 {
            let mut random = Random::new(seed);
            let states = 200;
            let mut builder = LtsBuilder::new(0);
            for s in 0..states as u32 {
                let own = format!("own {s}");
                let target = (s + 1) % states as u32;
                builder.add_text(s, own.as_bytes(), target).unwrap();
                for _ in 0..random.between(1, 3) {
                    let most = (s as usize + 20).min(states - 1);
                    let next = random.between(s as usize, most) as u32;
                    if next != s {
                        let [s, next] = [s, next].map(StateId::new);
                        builder.add(s, LabelId::HIDDEN, next);
                    }
                }
                if random.chance(20) {
                    let target = random.between(0, states - 1) as u32;
                    builder.add_text(s, b"a", target).unwrap();
                }
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            let (system, _) = System::of_traces(&lts, [lts.initial()], HiddenSteps::Skipped);
            let mut sets = Sets::new(&system);
            let closure = |from: &[u32]| {
                let mut reached = from.to_vec();
                let mut next = 0;
                while next < reached.len() {
                    for &t in system.hidden(reached[next]) {
                        if !reached.contains(&t) {
                            reached.push(t);
                        }
                    }
                    next += 1;
                }
                reached.retain(|&s| !system.is_passive(s));
                reached
            };
            for _ in 0..2 {
                for s in 0..system.states() as u32 {
                    let expected = sets.made_of(closure(&[s]).into_iter());
                    assert_eq!(sets.of(s), expected, "seed {seed}");
                    large += usize::from(sets.get(expected).len() >= LARGE);
                    for &rank in system.offered(system.menu(s)) {
                        let targets = system.successors(s, rank).to_vec();
                        let expected = sets.made_of(closure(&targets).into_iter());
                        let own = sets.made_of([s].into_iter());
                        assert_eq!(sets.after_once(own, rank), expected, "seed {seed}");
                    }
                }
            }
            remembered += sets.closed.len();
        }
        assert!(large > 100 && remembered > 50, "{large} {remembered}");
    }
}
