//! The least budgets with which the attacker wins, for every position of a game.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;
use hyades_base::interned::Interned;

use super::arena::{Arena, Explored, Position, Rules, Standing};
use super::budget::{Budget, Update, keep_minimal};

/// The attacker cannot win.
const NEVER: u32 = 0;
/// The attacker wins without a payment.
const ALWAYS: u32 = 1;

/// Pareto fronts, numbered, and operations on them, each computed once: there are few
/// different ones in a game.
struct Pool {
    fronts: Interned<u16>,
    merged: HashMap<(u32, u32), u32, RandomState>,
    joined: HashMap<(u32, u32), u32, RandomState>,
    before: HashMap<(u32, Update), u32, RandomState>,
    buffer: Vec<u16>,
}

impl Pool {
    fn new() -> Self {
        let mut fronts = Interned::default();
        let never = fronts.intern(&[]).0;
        let always = fronts.intern(&[Budget::NOTHING.bits()]).0;
        debug_assert_eq!((never, always), (NEVER, ALWAYS));
        Self {
            fronts,
            merged: HashMap::default(),
            joined: HashMap::default(),
            before: HashMap::default(),
            buffer: Vec::new(),
        }
    }

    fn budgets(&self, front: u32) -> Vec<Budget> {
        let bits = self.fronts.get(front).iter();
        bits.map(|&bits| Budget::from_bits(bits)).collect()
    }

    /// The number of the front of the budgets in the buffer.
    fn finish(&mut self) -> u32 {
        keep_minimal(&mut self.buffer);
        self.fronts.intern(&self.buffer).0
    }

    /// The budgets that suffice for one of two positions.
    fn merge(&mut self, one: u32, other: u32) -> u32 {
        let key = (one.min(other), one.max(other));
        match key {
            (NEVER, front) => return front,
            (ALWAYS, _) => return ALWAYS,
            _ if one == other => return one,
            _ => {}
        }
        if let Some(&known) = self.merged.get(&key) {
            return known;
        }
        self.buffer.clear();
        self.buffer.extend_from_slice(self.fronts.get(one));
        self.buffer.extend_from_slice(self.fronts.get(other));
        let merged = self.finish();
        self.merged.insert(key, merged);
        merged
    }

    /// The budgets that suffice for both of two positions.
    fn join(&mut self, one: u32, other: u32) -> u32 {
        let key = (one.min(other), one.max(other));
        match key {
            (NEVER, _) => return NEVER,
            (ALWAYS, front) => return front,
            _ => {}
        }
        if let Some(&known) = self.joined.get(&key) {
            return known;
        }
        self.buffer.clear();
        for &a in self.fronts.get(one) {
            let a = Budget::from_bits(a);
            let all = self.fronts.get(other).iter();
            self.buffer
                .extend(all.map(|&b| a.or(Budget::from_bits(b)).bits()));
        }
        let joined = self.finish();
        self.joined.insert(key, joined);
        joined
    }

    /// The budgets that suffice before an update.
    fn before(&mut self, front: u32, update: Update) -> u32 {
        if front == NEVER || update == Update::Free {
            return front;
        }
        if let Some(&known) = self.before.get(&(front, update)) {
            return known;
        }
        self.buffer.clear();
        let all = self.fronts.get(front).iter();
        let before = |&b: &u16| update.before(Budget::from_bits(b)).bits();
        self.buffer.extend(all.map(before));
        let result = self.finish();
        self.before.insert((front, update), result);
        result
    }
}

/// The least budgets at some positions, and whether they are all there are: if there was
/// no room for all positions, there may be lesser ones, and others.
pub(super) fn fronts(
    rules: &mut impl Rules,
    roots: &[Position],
    limit: usize,
) -> (Vec<Vec<Budget>>, bool) {
    let mut arena = Arena::new(limit);
    let roots: Vec<u32> = roots.iter().map(|&root| arena.intern(root)).collect();
    let mut solver = Solver {
        pool: Pool::new(),
        front: Vec::new(),
        is_queued: Vec::new(),
        queue: VecDeque::new(),
    };
    let mut next = 0;
    while next < arena.len() {
        let number = next as u32;
        next += 1;
        solver.front.push(NEVER);
        let wins = match rules.standing(arena.position(number)) {
            Standing::Won => true,
            Standing::Lost => false,
            Standing::Open => match arena.explore(number, rules) {
                Explored::Moves(0) => !arena.position(number).kind.is_attackers(),
                Explored::Moves(_) | Explored::Lost | Explored::OutOfRoom => false,
            },
        };
        if wins {
            solver.front[number as usize] = ALWAYS;
            solver.queue.push_back(number);
        }
    }
    solver.is_queued = vec![false; arena.len()];
    for &number in &solver.queue {
        solver.is_queued[number as usize] = true;
    }
    solver.run(&arena);
    let of = |&root: &u32| solver.pool.budgets(solver.front[root as usize]);
    (roots.iter().map(of).collect(), !arena.is_cut())
}

/// The least fixpoint, by a queue of positions whose fronts have changed.
struct Solver {
    pool: Pool,
    /// By position.
    front: Vec<u32>,
    is_queued: Vec<bool>,
    queue: VecDeque<u32>,
}

impl Solver {
    fn run(&mut self, arena: &Arena) {
        let mut parts = Vec::new();
        while let Some(changed) = self.queue.pop_front() {
            self.is_queued[changed as usize] = false;
            for edge in arena.incoming(changed) {
                let source = arena.edge(edge).source;
                let old = self.front[source as usize];
                if old == ALWAYS {
                    continue;
                }
                let new = if arena.position(source).kind.is_attackers() {
                    let front = self.front[changed as usize];
                    let through = self.pool.before(front, arena.update(edge));
                    self.pool.merge(old, through)
                } else {
                    self.defenders(arena, source, &mut parts)
                };
                if new != old {
                    self.front[source as usize] = new;
                    if !std::mem::replace(&mut self.is_queued[source as usize], true) {
                        self.queue.push_back(source);
                    }
                }
            }
        }
    }

    /// The front of a position of the defender by those of her moves' targets.
    fn defenders(&mut self, arena: &Arena, number: u32, parts: &mut Vec<u32>) -> u32 {
        parts.clear();
        for edge in arena.outgoing(number) {
            let front = self.front[arena.edge(edge).target as usize];
            if front == NEVER {
                return NEVER;
            }
            parts.push(self.pool.before(front, arena.update(edge)));
        }
        // In one order, so that more is found among what has been computed.
        parts.sort_unstable();
        parts.dedup();
        let mut all = ALWAYS;
        for &part in &*parts {
            all = self.pool.join(all, part);
        }
        all
    }
}
