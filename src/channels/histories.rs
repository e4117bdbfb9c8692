//! Contents of queues that share what they have in common.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::event::{Event, MessageId};

/// The messages in a channel, the head first.
pub type Queue = Vec<MessageId>;

/// How a transition does not fit the contents of private channels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misfit {
    /// It receives what is not at the head: this, or nothing, is there.
    Reception {
        /// What it receives.
        expected: MessageId,
        /// What is at the head.
        head: Option<MessageId>,
    },
    /// It leads to a state with other contents.
    Target {
        /// The contents after it.
        after: Queue,
        /// The contents in its target.
        target: Queue,
    },
}

/// What a channel holds: the last messages of a history.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Held {
    /// The last transmission; 0 if nothing is held.
    last: u32,
    pub(super) len: u32,
}

/// Sequences of transmissions. Those that begin alike share what is alike.
#[derive(Clone, Debug)]
pub(super) struct Histories {
    /// The first one is that nothing was transmitted.
    transmissions: Vec<Transmission>,
    /// The one that follows another one and transmits this.
    next: HashMap<(u32, MessageId), u32, RandomState>,
    /// Of pairs of histories, the lesser number first, how many of the last messages are
    /// known to be the same.
    same: HashMap<(u32, u32), u32, RandomState>,
    /// Powers of [`BASE`], as many as the longest history has messages and one more.
    powers: Vec<u64>,
}

/// A prime number, so that different queues of the same length rarely have the same
/// number modulo it.
const PRIME: u64 = (1 << 61) - 1;
const BASE: u64 = 0x0123_4567_89ab_cdef;

fn product(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The last of a sequence of transmissions.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    message: MessageId,
    /// How many there are.
    depth: u32,
    /// The messages as a number in base [`BASE`], modulo [`PRIME`].
    hash: u64,
    /// The one before.
    before: u32,
    /// One that is further back, so that few steps lead to any (E. W. Myers, "An
    /// applicative random-access stack", IPL 1983).
    far_before: u32,
}

impl Default for Histories {
    fn default() -> Self {
        let nothing = Transmission {
            message: MessageId::new(0),
            depth: 0,
            hash: 0,
            before: 0,
            far_before: 0,
        };
        Self {
            transmissions: vec![nothing],
            next: HashMap::default(),
            same: HashMap::default(),
            powers: vec![1],
        }
    }
}

impl Histories {
    /// How many there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.transmissions.len()
    }

    fn get(&self, number: u32) -> Transmission {
        self.transmissions[number as usize]
    }

    /// What an event leaves of what a channel holds.
    pub(super) fn step(&mut self, held: Held, event: Event) -> Result<Held, Misfit> {
        if event.is_transmission() {
            return Ok(Held {
                last: self.after(held.last, event.message),
                len: held.len + 1,
            });
        }
        let head = self.head(held);
        match head == Some(event.message) {
            true if held.len == 1 => Ok(Held::default()),
            true => Ok(Held {
                len: held.len - 1,
                ..held
            }),
            false => Err(Misfit::Reception {
                expected: event.message,
                head,
            }),
        }
    }

    /// One more transmission.
    fn after(&mut self, before: u32, message: MessageId) -> u32 {
        let number = self.transmissions.len() as u32;
        let known = *self.next.entry((before, message)).or_insert(number);
        if known == number {
            let last = self.get(before);
            let far = self.get(last.far_before);
            if self.powers.len() == last.depth as usize + 1 {
                self.powers
                    .push(product(self.powers[last.depth as usize], BASE));
            }
            let is_as_far = last.depth - far.depth == far.depth - self.get(far.far_before).depth;
            self.transmissions.push(Transmission {
                message,
                depth: last.depth + 1,
                hash: (product(last.hash, BASE) + message.index() as u64 + 1) % PRIME,
                before,
                far_before: if is_as_far { far.far_before } else { before },
            });
        }
        known
    }

    /// The first message of what is held. Time: the logarithm of the history.
    fn head(&self, held: Held) -> Option<MessageId> {
        let others = held.len.checked_sub(1)?;
        Some(self.back(held.last, others).message)
    }

    /// So many transmissions back.
    fn back(&self, last: u32, many: u32) -> Transmission {
        let mut at = self.get(last);
        let depth = at.depth - many;
        while at.depth > depth {
            let far = self.get(at.far_before);
            at = match far.depth >= depth {
                true => far,
                false => self.get(at.before),
            };
        }
        at
    }

    /// A number that is the same for queues with the same messages, and rarely for
    /// others of the same length. Time: the logarithm of the history.
    pub(super) fn fingerprint(&self, held: Held) -> u64 {
        let before = self.back(held.last, held.len).hash;
        let power = self.powers[held.len as usize];
        (self.get(held.last).hash + PRIME - product(before, power)) % PRIME
    }

    /// The messages that are held, the head first.
    pub(super) fn queue(&self, held: Held) -> Queue {
        let mut queue = Queue::with_capacity(held.len as usize);
        let mut at = self.get(held.last);
        for _ in 0..held.len {
            queue.push(at.message);
            at = self.get(at.before);
        }
        queue.reverse();
        queue
    }

    /// Whether two queues hold the same messages. Time: the length of the queue, or less
    /// if something is known of shorter ones.
    pub(super) fn is_same(&self, one: Held, other: Held) -> bool {
        if one.len != other.len {
            return false;
        }
        let (mut a, mut b) = (one.last, other.last);
        for rest in (1..=one.len).rev() {
            if a == b || self.is_known(a, b, rest) {
                return true;
            }
            let [last, other] = [a, b].map(|number| self.get(number));
            if last.message != other.message {
                return false;
            }
            (a, b) = (last.before, other.before);
        }
        true
    }

    /// As [`Histories::is_same`]; what was found is known from now on, so that queues
    /// which grow side by side are not compared as a whole each time.
    pub(super) fn learn_same(&mut self, one: Held, other: Held) -> bool {
        let is_same = self.is_same(one, other);
        if is_same && one.last != other.last {
            let known = self.same.entry(ordered(one.last, other.last)).or_default();
            *known = one.len.max(*known);
        }
        is_same
    }

    /// Whether the last so many messages of two histories are known to be the same.
    fn is_known(&self, a: u32, b: u32, many: u32) -> bool {
        let known = self.same.get(&ordered(a, b));
        known.is_some_and(|&known| known >= many)
    }
}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;
    use crate::{ChannelId, Direction};

    /// Histories against queues of their own.
    #[test]
    fn histories_hold_queues() {
        let mut random = Random::new(1);
        let mut histories = Histories::default();
        let mut all: Vec<(Held, Queue)> = vec![(Held::default(), Queue::new())];
        let mut equal = 0;
        for _ in 0..4000 {
            let (held, mut queue) = all[random.between(0, all.len() - 1)].clone();
            let event = |direction, message| Event {
                direction,
                channel: ChannelId::new(0),
                message,
            };
            let message = MessageId::new(random.between(0, 1));
            let held = match random.chance(55) {
                true => {
                    queue.push(message);
                    histories.step(held, event(Direction::Transmission, message))
                }
                false => {
                    let taken = histories.step(held, event(Direction::Reception, message));
                    if queue.first() == Some(&message) {
                        queue.remove(0);
                    } else {
                        let head = queue.first().copied();
                        let expected = message;
                        assert_eq!(taken, Err(Misfit::Reception { expected, head }));
                        continue;
                    }
                    taken
                }
            };
            let held = held.unwrap();
            assert_eq!(histories.queue(held), queue);
            assert_eq!(held.len as usize, queue.len());
            let (other, known) = &all[random.between(0, all.len() - 1)];
            assert_eq!(histories.is_same(held, *other), queue == *known);
            assert_eq!(histories.learn_same(held, *other), queue == *known);
            let same = histories.fingerprint(held) == histories.fingerprint(*other);
            assert_eq!(same, queue == *known);
            equal += usize::from(queue == *known);
            all.push((held, queue));
        }
        assert!(equal > 20, "{equal}");
    }
}
