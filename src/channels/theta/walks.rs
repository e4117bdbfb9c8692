//! Whether all walks of a region have imitations: constraints 2, 4 and 5.
//!
//! A walk that passes an entry which is an exit too consists of a total traversal that
//! ends there and another walk that begins there, and a simulation of the first
//! followed by a simulation, implementation or tracing walk of the second is one of
//! the whole. So only walks that pass no such state are looked at, for constraints 4
//! and 5 if constraint 2 holds.
//!
//! There may be infinitely many of them. First they are taken one after the other, up
//! to some length, equal ones once: that is exact for each. If that does not come to an
//! end, walks are followed by all walks of the other machine that simulate them and
//! lag behind by a limited number of events: as these are finitely many sets, it does
//! come to an end, and if it finds an imitation everywhere there is one. If it does
//! not, nothing is known.

use std::collections::{BTreeSet, HashSet};

use foldhash::fast::RandomState;
use hyades_formats::StateId;

use super::super::event::{ChannelId, Transition};
use super::imitate::{Effort, Follower, Goal, OutOfEffort, Pending, Step, Steps};
use super::{Answer, Options, Region, Witness};

/// The walks of a region that begin in these of its entries.
pub(super) struct Walks<'a> {
    pub(super) steps: &'a Steps,
    pub(super) region: &'a Region,
    pub(super) starts: &'a BTreeSet<StateId>,
    /// Whether a walk that passes an entry which is an exit may be split there.
    pub(super) splits: bool,
    /// The transitions of the machine that is to have the imitations.
    pub(super) others: &'a Steps,
    pub(super) options: Options,
}

/// Before anything else, walks with so many transitions are looked at one by one: most
/// violations are seen then.
const FEW: usize = 3;

/// Which walks are to be imitated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Which {
    /// Those that end in an exit, by simulation.
    Total,
    /// All, by implementation.
    Partial,
    /// Those that overfill this private channel, but not before their last transition,
    /// by tracing walks that overfill it.
    Overfilling(ChannelId),
}

impl Which {
    /// What is to be found for a walk that ends with this transition, if it is one of
    /// these walks.
    fn goal(self, region: &Region, last: &Step) -> Option<Goal> {
        match self {
            Which::Total => {
                let end = last.transition.target;
                region.exits.contains(&end).then_some(Goal::Simulate(end))
            }
            Which::Partial => Some(Goal::Implement),
            Which::Overfilling(c) => last.overfills.contains(&c).then_some(Goal::Overfill(c)),
        }
    }

    fn channel(self) -> Option<ChannelId> {
        match self {
            Which::Overfilling(channel) => Some(channel),
            Which::Total | Which::Partial => None,
        }
    }
}

/// How taking walks one after the other ended.
enum Ended {
    AllImitated,
    /// There is no imitation of this one.
    NotImitated(Vec<Transition>),
    /// All with so many transitions have one; there are longer walks.
    After(usize),
}

/// A walk of the region.
struct Walk<'a> {
    start: StateId,
    end: StateId,
    pending: Pending,
    /// The walk that it extends by a transition.
    before: Option<(usize, &'a Transition)>,
    length: usize,
}

impl<'a> Walks<'a> {
    /// Whether there are imitations of all of them.
    pub(super) fn answer(&self, which: Which) -> Answer {
        let most = self.options.transitions;
        let mut ended = self.one_by_one(which, most.min(FEW));
        if let Ended::After(_) = ended {
            // The less they lag behind, the fewer sets of followers there are.
            let mut effort = Effort(self.options.effort);
            let mut lags = 0..=self.options.lag;
            if lags.any(|lag| self.by_followers(which, lag, &mut effort) == Ok(true)) {
                return Answer::Holds;
            }
            ended = self.one_by_one(which, most);
        }
        match ended {
            Ended::AllImitated => Answer::Holds,
            Ended::NotImitated(walk) => Answer::Fails(match which {
                Which::Overfilling(channel) => Witness::Overfilling(walk, channel),
                Which::Total | Which::Partial => Witness::Walk(walk),
            }),
            Ended::After(transitions) => Answer::Unknown { transitions },
        }
    }

    fn inner(&self, state: StateId) -> impl Iterator<Item = &'a Step> + use<'a> {
        let transitions = &self.region.transitions;
        let steps = self.steps.of(state).iter();
        steps.filter(|step| transitions.contains(&step.transition))
    }

    /// Whether a walk that comes here from a transition of the region ends here.
    fn ends_at(&self, state: StateId) -> bool {
        self.splits && self.region.entries.contains(&state) && self.region.exits.contains(&state)
    }

    fn one_by_one(&self, which: Which, most: usize) -> Ended {
        let mut effort = Effort(self.options.effort);
        let mut known: HashSet<(StateId, StateId, Pending), RandomState> = HashSet::default();
        let mut walks: Vec<Walk<'a>> = Vec::new();
        for &start in self.starts {
            walks.push(Walk {
                start,
                end: start,
                pending: Pending::default(),
                before: None,
                length: 0,
            });
        }
        let mut next = 0;
        while let Some(walk) = walks.get(next) {
            let (start, end, length) = (walk.start, walk.end, walk.length);
            if length == most {
                return Ended::After(length);
            }
            for step in self.inner(end) {
                let target = step.transition.target;
                let mut pending = walks[next].pending.clone();
                pending.extend(step);
                let goal = which.goal(self.region, step);
                // A walk that has overfilled the channel is not extended.
                let is_last = matches!(goal, Some(Goal::Overfill(_)));
                if !is_last && !known.insert((start, target, pending.clone())) {
                    continue;
                }
                if let Some(goal) = goal {
                    let follower = Follower {
                        state: start,
                        pending: pending.clone(),
                        has_overfilled: false,
                    };
                    match self.others.imitation([follower], goal, &mut effort) {
                        Ok(Some(_)) => {}
                        Ok(None) => {
                            let mut walk = vec![step.transition.clone()];
                            let mut at = next;
                            while let Some((before, transition)) = walks[at].before {
                                walk.push(transition.clone());
                                at = before;
                            }
                            walk.reverse();
                            return Ended::NotImitated(walk);
                        }
                        Err(OutOfEffort) => return Ended::After(length),
                    }
                }
                if !is_last && !self.ends_at(target) {
                    walks.push(Walk {
                        start,
                        end: target,
                        pending,
                        before: Some((next, &step.transition)),
                        length: length + 1,
                    });
                }
            }
            next += 1;
        }
        Ended::AllImitated
    }

    /// Whether followers that lag behind by no more than so many events find imitations
    /// of all walks.
    fn by_followers(
        &self,
        which: Which,
        lag: usize,
        effort: &mut Effort,
    ) -> Result<bool, OutOfEffort> {
        let channel = which.channel();
        let mut known: HashSet<(StateId, Vec<Follower>), RandomState> = HashSet::default();
        let mut open = Vec::new();
        for &start in self.starts {
            let followers = [Follower::at(start)];
            let followers = self.others.simulating(followers, channel, lag, effort)?;
            if known.insert((start, followers.clone())) {
                open.push((start, followers));
            }
        }
        while let Some((at, followers)) = open.pop() {
            for step in self.inner(at) {
                let target = step.transition.target;
                let mut behind = followers.clone();
                for follower in &mut behind {
                    follower.pending.extend(step);
                }
                let goal = which.goal(self.region, step);
                if let Some(goal) = goal
                    && let None = self.others.imitation(behind.clone(), goal, effort)?
                {
                    return Ok(false);
                }
                if matches!(goal, Some(Goal::Overfill(_))) || self.ends_at(target) {
                    continue;
                }
                let followers = self.others.simulating(behind, channel, lag, effort)?;
                if known.insert((target, followers.clone())) {
                    open.push((target, followers));
                }
            }
        }
        Ok(true)
    }
}
