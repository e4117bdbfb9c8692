//! Whether the attacker wins with a price, and how.

use std::collections::VecDeque;

use super::arena::{Arena, Explored, NO_EDGE, Position, Rules, Standing};

/// A search from one position with one price: level after level of depth, and what is won
/// is known as soon as it can be.
pub(super) struct Search<'r, R> {
    rules: &'r mut R,
    arena: Arena,
    is_won: Vec<bool>,
    is_explored: Vec<bool>,
    /// Moves of the defender to positions that are not won.
    left: Vec<u32>,
    won: Vec<u32>,
}

/// When a search ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Until {
    /// As soon as it is known who wins.
    Decided,
    /// When all positions have been explored up to the least depth at which the attacker
    /// wins.
    LevelDone,
}

impl<'r, R: Rules> Search<'r, R> {
    /// Nothing explored yet.
    pub(super) fn new(rules: &'r mut R, limit: usize) -> Self {
        Self {
            rules,
            arena: Arena::new(limit),
            is_won: Vec::new(),
            is_explored: Vec::new(),
            left: Vec::new(),
            won: Vec::new(),
        }
    }

    /// Whether the attacker wins from a position; nothing if there was no room to find
    /// out. O(moves explored).
    pub(super) fn wins(&mut self, root: Position, until: Until) -> Option<bool> {
        let standing = self.rules.standing(&root);
        let root = self.arena.intern(root);
        match standing {
            Standing::Won => {
                self.grow();
                return Some(true);
            }
            Standing::Lost => return Some(false),
            Standing::Open => {}
        }
        self.grow();
        let mut level = VecDeque::from([root]);
        let mut deeper = VecDeque::new();
        loop {
            while let Some(number) = level.pop_front() {
                if std::mem::replace(&mut self.is_explored[number as usize], true)
                    || self.is_won[number as usize]
                {
                    continue;
                }
                self.explore(number, &mut level, &mut deeper);
                if self.is_won[root as usize] && until == Until::Decided {
                    return Some(true);
                }
            }
            if self.is_won[root as usize] {
                return Some(true);
            }
            if deeper.is_empty() {
                return (!self.arena.is_cut()).then_some(false);
            }
            std::mem::swap(&mut level, &mut deeper);
        }
    }

    /// The positions explored and how the attacker wins from the first one, if she does and
    /// there was room to find out.
    pub(super) fn win(mut self, root: Position) -> Option<(Arena, Strategy)> {
        let is_won = self.wins(root, Until::LevelDone) == Some(true);
        is_won.then(|| {
            let strategy = self.strategy();
            (self.arena, strategy)
        })
    }

    /// Room for what is known of positions that are new; those that are won at sight are
    /// marked.
    fn grow(&mut self) {
        while self.is_won.len() < self.arena.len() {
            let position = *self.arena.position(self.is_won.len() as u32);
            let is_won = self.rules.standing(&position) == Standing::Won;
            self.is_won.push(is_won);
            self.is_explored.push(is_won);
            self.left.push(u32::MAX);
        }
    }

    fn explore(&mut self, number: u32, level: &mut VecDeque<u32>, deeper: &mut VecDeque<u32>) {
        let is_attackers = self.arena.position(number).kind.is_attackers();
        let moves = match self.arena.explore(number, self.rules) {
            Explored::Moves(moves) => moves,
            Explored::Lost | Explored::OutOfRoom => return,
        };
        self.grow();
        let mut left = 0;
        for edge in self.arena.outgoing(number) {
            let target = self.arena.edge(edge).target as usize;
            left += u32::from(!self.is_won[target]);
            if !self.is_explored[target] {
                match self.arena.update(edge).is_deeper() {
                    true => deeper.push_back(target as u32),
                    false => level.push_back(target as u32),
                }
            }
        }
        self.left[number as usize] = left;
        let is_won = match is_attackers {
            true => left < moves,
            false => left == 0,
        };
        if is_won {
            self.is_won[number as usize] = true;
            self.won.push(number);
            self.spread();
        }
    }

    /// What is won because of what has been won.
    fn spread(&mut self) {
        while let Some(number) = self.won.pop() {
            for edge in self.arena.incoming(number) {
                let source = self.arena.edge(edge).source;
                if self.is_won[source as usize] {
                    continue;
                }
                let left = &mut self.left[source as usize];
                *left -= 1;
                if self.arena.position(source).kind.is_attackers() || *left == 0 {
                    self.is_won[source as usize] = true;
                    self.won.push(source);
                }
            }
        }
    }

    /// How the attacker wins, least depth first: of the positions explored so far those
    /// that are won, each after those that its winning moves lead to, and the winning move
    /// of each of the attacker's. O(moves explored).
    ///
    /// As Dijkstra's algorithm, generalised to a game by Knuth (1977): the depth of a
    /// position of the defender is the greatest, that of one of the attacker the least of
    /// those that moves lead to.
    fn strategy(&self) -> Strategy {
        let len = self.arena.len();
        let mut strategy = Strategy {
            order: Vec::new(),
            winning: vec![NO_EDGE; len],
        };
        let mut left: Vec<u32> = (0..len as u32)
            .map(|k| self.arena.outgoing(k).len() as u32)
            .collect();
        let mut is_settled = vec![false; len];
        // Moves to settled positions, of this depth and of the next one.
        let (mut level, mut deeper) = (VecDeque::new(), Vec::new());
        let mut settle = |number: u32, level: &mut VecDeque<u32>, deeper: &mut Vec<u32>| {
            strategy.order.push(number);
            for edge in self.arena.incoming(number) {
                match self.arena.update(edge).is_deeper() {
                    true => deeper.push(edge),
                    false => level.push_back(edge),
                }
            }
        };
        for number in 0..len as u32 {
            if self.is_won[number as usize] && left[number as usize] == 0 {
                is_settled[number as usize] = true;
                settle(number, &mut level, &mut deeper);
            }
        }
        loop {
            while let Some(edge) = level.pop_front() {
                let source = self.arena.edge(edge).source;
                if is_settled[source as usize] {
                    continue;
                }
                left[source as usize] -= 1;
                let is_attackers = self.arena.position(source).kind.is_attackers();
                if is_attackers || left[source as usize] == 0 {
                    if is_attackers {
                        strategy.winning[source as usize] = edge;
                    }
                    is_settled[source as usize] = true;
                    settle(source, &mut level, &mut deeper);
                }
            }
            if deeper.is_empty() {
                return strategy;
            }
            level.extend(deeper.drain(..));
        }
    }
}

/// A winning strategy of the attacker; see [`Search::strategy`].
pub(super) struct Strategy {
    /// Positions that are won.
    pub(super) order: Vec<u32>,
    /// The winning move from each position of the attacker; [`NO_EDGE`] where none is
    /// needed.
    pub(super) winning: Vec<u32>,
}
