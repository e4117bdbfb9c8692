//! The games behind simulations: an attacker wants to show that a state is not below
//! another one, a defender that it is.
//!
//! At a position the attacker chooses a challenge, and the defender one of its answers,
//! from which the game goes on; an answer may leave the choice between two positions to
//! the attacker. Who cannot move has lost, and the defender wins what never ends. A
//! position that the attacker wins is said to fail. Its level is the least number of
//! moves, counted by what they cost, after which the attacker has won, whatever the
//! defender does: the least depth of a formula.
//!
//! [`decide`] looks at as few answers as it can: a challenge is taken for answered until
//! its answer is known to fail (U. Celikkan, R. Cleaveland, "Generating diagnostic
//! information for behavioral preorders", Distributed Computing 9, 1995). [`strategy`]
//! looks at all, breadth-first from the root, and solves the game backwards with
//! counters.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use super::moves::{Move, Play, Position};

/// How much games are played at the most.
pub(super) struct Limits {
    /// How many answers and steps [`decide`] may hold, 30 bytes each.
    pub(super) decide: usize,
    /// How many answers and steps [`strategy`] may hold.
    pub(super) reason: usize,
}

/// So many answers that are left out count as one that is looked at.
const GLANCES: usize = 512;

/// No number.
const NONE: u32 = u32::MAX;

/// The challenges at a position.
#[derive(Default)]
pub(super) struct Challenges {
    moves: Vec<(Move, u32)>,
    /// Where the answers to each end.
    ends: Vec<usize>,
    answers: Vec<[Option<Position>; 2]>,
    is_answered: bool,
    /// How many answers there may be, and challenges.
    room: usize,
    is_full: bool,
    /// How many answers were left out since they fail at once.
    left_out: usize,
}

impl Challenges {
    /// Forgets all; there may be so many answers.
    fn clear(&mut self, room: usize) {
        self.moves.clear();
        self.ends.clear();
        self.answers.clear();
        self.is_answered = false;
        self.room = room;
        self.is_full = false;
        self.left_out = 0;
    }

    /// An answer fails at once, which took a glance.
    pub(super) fn leave_out(&mut self) {
        self.left_out += 1;
        self.is_full |= self.answers.len() + self.left_out / GLANCES > self.room;
    }

    /// Whether there were more answers, or challenges, than there may be, so that no more
    /// need be added: there may be as many as the square of a state's steps.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Adds an answer to the challenge that is being put together; one of its positions
    /// is enough for the attacker. Without a position the challenge need not be made.
    pub(super) fn answer(&mut self, positions: [Option<Position>; 2]) {
        match positions {
            [None, None] => self.is_answered = true,
            _ if self.is_answered => {}
            _ if self.answers.len() >= self.room => self.is_full = true,
            _ => self.answers.push(positions),
        }
    }

    /// The challenge is complete.
    pub(super) fn end(&mut self, by: Move, cost: u32) {
        let start = self.ends.last().copied().unwrap_or(0);
        if std::mem::take(&mut self.is_answered) {
            self.answers.truncate(start);
        } else if self.moves.len() >= self.room {
            self.is_full = true;
        } else {
            self.moves.push((by, cost));
            self.ends.push(self.answers.len());
        }
    }
}

/// A challenge at a position.
struct Challenge {
    owner: u32,
    by: Move,
    cost: u32,
    /// Where its answers are.
    start: u32,
    end: u32,
    /// For [`decide`] the answer that is relied on; for [`strategy`] how many do not fail.
    state: u32,
}

/// Where a position occurs in an answer.
struct Occurrence {
    challenge: u32,
    answer: u32,
    /// The next occurrence of the position.
    next: u32,
}

/// What is known of a position.
struct Known {
    position: Position,
    /// The challenges, once they are known.
    challenges: Option<(u32, u32)>,
    /// The first of its occurrences.
    occurrence: u32,
    /// If it fails: the challenge that the attacker wins by, how many positions failed
    /// before, and the level.
    failed: Option<(u32, u32, u32)>,
}

/// The positions that were met, and the moves between them.
struct Arena {
    index: HashMap<Position, u32, RandomState>,
    known: Vec<Known>,
    challenges: Vec<Challenge>,
    answers: Vec<[u32; 2]>,
    occurrences: Vec<Occurrence>,
    failures: u32,
    /// How many answers were left out.
    left_out: usize,
    made: Challenges,
}

impl Arena {
    fn new(root: Position) -> Self {
        let mut arena = Self {
            index: HashMap::default(),
            known: Vec::new(),
            challenges: Vec::new(),
            answers: Vec::new(),
            occurrences: Vec::new(),
            failures: 0,
            left_out: 0,
            made: Challenges::default(),
        };
        arena.number(root);
        arena
    }

    /// About how much there is.
    fn size(&self) -> usize {
        let held = self.answers.len() + self.known.len() + self.challenges.len();
        held + self.left_out / GLANCES
    }

    fn number(&mut self, position: Position) -> u32 {
        let new = self.known.len() as u32;
        *self.index.entry(position).or_insert_with(|| {
            self.known.push(Known {
                position,
                challenges: None,
                occurrence: NONE,
                failed: None,
            });
            new
        })
    }

    fn fails(&self, number: u32) -> bool {
        number != NONE && self.known[number as usize].failed.is_some()
    }

    /// Finds the challenges at a position. Of a challenge that cannot be answered no others
    /// are needed. False, and nothing is added, if there would be more than `limit`.
    fn expand(&mut self, play: &mut Play<'_>, number: u32, limit: usize) -> bool {
        let size = self.size() + play.size();
        if size > limit {
            return false;
        }
        let mut made = std::mem::take(&mut self.made);
        made.clear(limit - size);
        play.challenges(self.known[number as usize].position, &mut made);
        if made.is_full() {
            self.made = made;
            return false;
        }
        self.left_out += made.left_out;
        let first = self.challenges.len() as u32;
        let starts = std::iter::once(0).chain(made.ends.iter().copied());
        let spans = starts.zip(made.ends.iter().copied());
        let all = made.moves.iter().copied().zip(spans);
        let mut stuck = all.clone().filter(|(_, (start, end))| start == end);
        let least = stuck.by_ref().min_by_key(|((_, cost), _)| *cost);
        let chosen: Vec<_> = match least {
            Some(challenge) => vec![challenge],
            None => all.collect(),
        };
        for ((by, cost), (from, to)) in chosen {
            let start = self.answers.len() as u32;
            for positions in &made.answers[from..to] {
                let numbers = positions.map(|p| p.map_or(NONE, |p| self.number(p)));
                self.answers.push(numbers);
            }
            let end = self.answers.len() as u32;
            self.challenges.push(Challenge {
                owner: number,
                by,
                cost,
                start,
                end,
                state: start,
            });
        }
        let last = self.challenges.len() as u32;
        self.known[number as usize].challenges = Some((first, last));
        self.made = made;
        true
    }

    /// Notes that the positions of an answer matter to its challenge.
    fn link(&mut self, challenge: u32, answer: u32) {
        for number in self.answers[answer as usize] {
            if number != NONE {
                let first = &mut self.known[number as usize].occurrence;
                let next = std::mem::replace(first, self.occurrences.len() as u32);
                self.occurrences.push(Occurrence {
                    challenge,
                    answer,
                    next,
                });
            }
        }
    }

    /// Notes that a position fails, by this challenge.
    fn fail(&mut self, number: u32, challenge: u32, level: u32) {
        self.known[number as usize].failed = Some((challenge, self.failures, level));
        self.failures += 1;
    }

    /// How the attacker wins at the root, which fails.
    fn strategy(&self) -> Strategy {
        let mut used = vec![false; self.known.len()];
        used[0] = true;
        let mut open = vec![0];
        let mut turns = Vec::new();
        while let Some(number) = open.pop() {
            let Some((challenge, when, _)) = self.known[number as usize].failed else {
                continue;
            };
            let challenge = &self.challenges[challenge as usize];
            let answers = &self.answers[challenge.start as usize..challenge.end as usize];
            let against: Vec<(usize, u32)> = answers.iter().map(|a| self.earliest(a)).collect();
            for &(_, next) in &against {
                if !std::mem::replace(&mut used[next as usize], true) {
                    open.push(next);
                }
            }
            let position = self.known[number as usize].position;
            turns.push((when, number, position, challenge.by, against));
        }
        // What a position relies on failed before.
        turns.sort_unstable_by_key(|turn| turn.0);
        let mut place = vec![NONE; self.known.len()];
        for (k, turn) in (0..).zip(&turns) {
            place[turn.1 as usize] = k;
        }
        let turns = turns.into_iter().map(|(_, _, position, by, against)| Turn {
            position,
            by,
            against: against
                .into_iter()
                .map(|(part, number)| (part, place[number as usize]))
                .collect(),
        });
        Strategy(turns.collect())
    }

    /// The position of an answer that failed first, and which of the two it is.
    fn earliest(&self, answer: &[u32; 2]) -> (usize, u32) {
        let when = |number: u32| match number {
            NONE => None,
            _ => self.known[number as usize].failed.map(|failed| failed.1),
        };
        match (when(answer[0]), when(answer[1])) {
            (Some(first), second) if second.is_none_or(|second| first < second) => (0, answer[0]),
            _ => (1, answer[1]),
        }
    }
}

/// How the attacker wins: turns, each of which relies on earlier ones only; the last one
/// is that of the root.
pub(super) struct Strategy(pub(super) Vec<Turn>);

/// What the attacker does at a position.
pub(super) struct Turn {
    pub(super) position: Position,
    /// The challenge.
    pub(super) by: Move,
    /// For each answer which of its two positions the attacker takes, and the turn there.
    pub(super) against: Vec<(usize, u32)>,
}

/// Whether the root holds, the defender wins there; `None` if more than `limit` had to be
/// looked at.
pub(super) fn decide(play: &mut Play<'_>, root: Position, limit: usize) -> Option<bool> {
    play.leave_out_failing();
    lazily(play, root, limit).0
}

/// As [`decide`], with what is known then.
fn lazily(play: &mut Play<'_>, root: Position, limit: usize) -> (Option<bool>, Arena) {
    let mut arena = Arena::new(root);
    let mut queue = VecDeque::from([0]);
    let mut failing = Vec::new();
    if play.is_safe(root) {
        return (Some(true), arena);
    }
    while let Some(number) = queue.pop_front() {
        let known = &arena.known[number as usize];
        if known.failed.is_some() || known.challenges.is_some() {
            continue;
        }
        if !arena.expand(play, number, limit) {
            return (None, arena);
        }
        let (first, last) = arena.known[number as usize].challenges.unwrap_or_default();
        for challenge in first..last {
            if arena.known[number as usize].failed.is_none() {
                arena.rely(challenge, &mut queue, &mut failing);
            }
        }
        while let Some(number) = failing.pop() {
            let mut occurrence = arena.known[number as usize].occurrence;
            while let Some(&Occurrence {
                challenge,
                answer,
                next,
            }) = arena.occurrences.get(occurrence as usize)
            {
                occurrence = next;
                let Challenge { owner, state, .. } = arena.challenges[challenge as usize];
                if state == answer && arena.known[owner as usize].failed.is_none() {
                    arena.rely(challenge, &mut queue, &mut failing);
                }
            }
        }
        if arena.fails(0) {
            return (Some(false), arena);
        }
    }
    (Some(true), arena)
}

impl Arena {
    /// Relies on the next answer to a challenge that is not known to fail; if there is
    /// none, the position fails.
    fn rely(&mut self, challenge: u32, queue: &mut VecDeque<u32>, failing: &mut Vec<u32>) {
        let Challenge {
            owner, state, end, ..
        } = self.challenges[challenge as usize];
        let holds = |&k: &u32| {
            let answer = self.answers[k as usize];
            answer.iter().all(|&number| !self.fails(number))
        };
        match (state..end).find(holds) {
            Some(answer) => {
                self.challenges[challenge as usize].state = answer;
                self.link(challenge, answer);
                for number in self.answers[answer as usize] {
                    if number != NONE && self.known[number as usize].challenges.is_none() {
                        queue.push_back(number);
                    }
                }
            }
            None => {
                // Not on this way has a level been found.
                self.fail(owner, challenge, 0);
                failing.push(owner);
            }
        }
    }

    /// Finds the levels of the positions that fail by what was expanded, up to that of the
    /// root, which is given back if it fails. O(size).
    fn levels(&mut self) -> Option<u32> {
        self.failures = 0;
        self.known.iter_mut().for_each(|known| known.failed = None);
        let mut done = vec![false; self.answers.len()];
        // For each level the positions that fail there, and by what.
        let mut open: VecDeque<Vec<(u32, u32)>> = VecDeque::new();
        let at = |cost: u32, entry, open: &mut VecDeque<Vec<(u32, u32)>>| {
            while open.len() <= cost as usize {
                open.push_back(Vec::new());
            }
            open[cost as usize].push(entry);
        };
        for (k, challenge) in (0..).zip(&mut self.challenges) {
            challenge.state = challenge.end - challenge.start;
            if challenge.state == 0 {
                at(challenge.cost, (challenge.owner, k), &mut open);
            }
        }
        let mut level = 0;
        while let Some(mut now) = open.pop_front() {
            open.push_front(Vec::new());
            let mut next = 0;
            while let Some(&(number, by)) = now.get(next) {
                next += 1;
                if self.fails(number) {
                    continue;
                }
                self.fail(number, by, level);
                if number == 0 {
                    return Some(level);
                }
                let mut occurrence = self.known[number as usize].occurrence;
                while let Some(found) = self.occurrences.get(occurrence as usize) {
                    occurrence = found.next;
                    let challenge = &mut self.challenges[found.challenge as usize];
                    if std::mem::replace(&mut done[found.answer as usize], true) {
                        continue;
                    }
                    challenge.state -= 1;
                    if challenge.state == 0 {
                        at(
                            challenge.cost,
                            (challenge.owner, found.challenge),
                            &mut open,
                        );
                        now.append(&mut open[0]);
                    }
                }
            }
            open.pop_front();
            level += 1;
        }
        None
    }
}

/// How the attacker wins in as few moves as can be, if the root fails; `None` if it holds,
/// or if more than `limit` had to be looked at. A strategy that was found before is given
/// where that strikes, though it may not be the shortest.
pub(super) fn strategy(play: &mut Play<'_>, root: Position, limit: usize) -> Option<Strategy> {
    if play.is_safe(root) {
        return None;
    }
    let mut arena = Arena::new(root);
    let mut layer = 0..1;
    let mut solved = 0;
    let mut depth = 0;
    // Up to which distance from the root there may be a shorter way.
    let mut enough: Option<u32> = None;
    loop {
        let mut is_cut = false;
        for number in layer.clone() {
            if !arena.expand(play, number, limit) {
                is_cut = true;
                break;
            }
            let (first, last) = arena.known[number as usize].challenges.unwrap_or_default();
            for challenge in first..last {
                let Challenge { start, end, .. } = arena.challenges[challenge as usize];
                (start..end).for_each(|answer| arena.link(challenge, answer));
            }
        }
        depth += 1;
        layer = layer.end..arena.known.len() as u32;
        let is_last = is_cut || layer.is_empty() || enough.is_some_and(|enough| depth >= enough);
        if is_last || arena.size() > solved + solved / 4 {
            solved = arena.size();
            let level = arena.levels();
            enough = level.map(|level| play.moves_within(level));
            if is_last || enough.is_some_and(|enough| depth >= enough) {
                return match level {
                    Some(_) => Some(arena.strategy()),
                    None if is_cut => hasty(play, root, limit),
                    None => None,
                };
            }
        }
    }
}

/// A strategy that need not be short.
fn hasty(play: &mut Play<'_>, root: Position, limit: usize) -> Option<Strategy> {
    let (verdict, arena) = lazily(play, root, play.size() + limit);
    (verdict == Some(false)).then(|| arena.strategy())
}

#[cfg(test)]
mod tests {
    use hyades_formats::{LtsBuilder, StateId};
    use hyades_testing::{Random, lts, union};

    use super::*;
    use crate::rounds::{Rounds, untold};
    use crate::simulation::Kind;
    use crate::simulation::graph::Graph;

    /// One position may have as many answers as the square of its steps: what is beyond the
    /// limit is not even put together.
    #[test]
    fn answers_of_one_position_keep_to_the_limit() {
        let many = 100;
        let names: Vec<&'static str> = (0..=2 * many)
            .map(|k| &*Box::leak(format!("l{k}").into_boxed_str()))
            .collect();
        // Behind `a`, or hidden steps, states that differ in a label, or in two.
        let hub = |first: &'static str, more: &[&'static str]| {
            let mut steps = vec![(0, first, 1)];
            for k in 0..many {
                steps.push((1, "a", 2 + k));
                steps.push((2 + k, names[k as usize], 0));
                steps.extend(more.iter().map(|&label| (2 + k, label, 0)));
            }
            lts(&steps)
        };
        for kind in Kind::ALL {
            for (less, is_below) in [(hub("x", &[]), true), (hub("x", &["y", "z"]), false)] {
                let (both, p, q) = union(&less, &hub("x", &["y"]));
                let mut untold = untold;
                let rounds = &mut Rounds::new(&mut untold);
                let graph = Graph::strong(&both, None, rounds);
                assert_ne!(graph.of(p), graph.of(q));
                let mut decided = Vec::new();
                for limit in [500, 1 << 20] {
                    let mut play = Play::new(graph.rows(), kind);
                    let root = play.start(graph.of(p), graph.of(q));
                    let (verdict, arena) = lazily(&mut play, root, limit);
                    let held = arena.size() + play.size();
                    assert!(arena.made.answers.len() <= limit, "{kind:?}");
                    assert!(held <= 3 * limit, "{kind:?}: {held}");
                    decided.push(verdict);
                }
                assert_eq!(decided[0], None, "{kind:?}");
                let expected = match kind {
                    Kind::Sim | Kind::Safety | Kind::BranchingSim => is_below,
                    Kind::ReadySim | Kind::TwoNestedSim | Kind::CoupledSim | Kind::Contrasim => {
                        false
                    }
                };
                assert_eq!(decided[1], Some(expected), "{kind:?}");
                // What fails at a glance takes little of the limit.
                let is_strong = kind.counts_hidden();
                for (limit, is_enough) in [(1500, is_strong), (1 << 20, true), (100, false)] {
                    let mut play = Play::new(graph.rows(), kind);
                    let root = play.start(graph.of(p), graph.of(q));
                    let verdict = decide(&mut play, root, limit);
                    assert!(verdict == Some(expected) || !is_enough && verdict.is_none());
                }
            }
        }
    }

    /// With or without answers that fail at a glance, the verdict is the same.
    #[test]
    fn answers_that_are_left_out_change_no_verdict() {
        let mut verdicts = [0; 2];
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let states = random.between(20, 60);
            let mut builder = LtsBuilder::new(0);
            for s in 0..states as u32 {
                // Many steps with the same label from few states.
                let (steps, labels) = match s % 10 {
                    0 => (30, 1),
                    _ => (random.between(1, 3), 20),
                };
                for _ in 0..steps {
                    let label = format!("l{}", random.between(1, labels));
                    let target = random.between(0, states - 1) as u32;
                    builder.add_text(s, label.as_bytes(), target).unwrap();
                }
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            let mut untold = untold;
            let graph = Graph::strong(&lts, None, &mut Rounds::new(&mut untold));
            for kind in [Kind::Sim, Kind::ReadySim, Kind::TwoNestedSim] {
                for (p, q) in (0..states as u32)
                    .step_by(10)
                    .flat_map(|p| [(p, 0), (0, p)])
                {
                    let [p, q] = [p, q].map(|s| graph.of(StateId::new(s)));
                    let mut plain = Play::new(graph.rows(), kind);
                    let root = plain.start(p, q);
                    let expected = lazily(&mut plain, root, usize::MAX / 2).0;
                    let found = decide(&mut Play::new(graph.rows(), kind), root, usize::MAX / 2);
                    assert_eq!(found, expected, "seed {seed}, {kind:?}");
                    verdicts[usize::from(expected == Some(true))] += 1;
                }
            }
        }
        assert!(verdicts.iter().all(|&count| count > 50), "{verdicts:?}");
    }
}
