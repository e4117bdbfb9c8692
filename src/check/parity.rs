//! Parity games: components one by one, and Zielonka's recursion (1998) where a
//! component has fixpoints of both signs.
//!
//! On games of formulas without alternation this is linear: a component has one sign,
//! and who likes it wins what is left after attraction. With `d` alternations the
//! recursion is exponential in `d` at worst, and rarely is (van Dijk 2018).

use hyades_base::grouped::Grouped;

/// Who wins a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Player {
    /// Who wants to show that the formula holds; wins where the greatest priority that
    /// comes again and again is even.
    Prover,
    /// Who wants to show that it does not.
    Refuter,
}

impl Player {
    pub fn other(self) -> Self {
        match self {
            Player::Prover => Player::Refuter,
            Player::Refuter => Player::Prover,
        }
    }

    fn of_priority(priority: u32) -> Self {
        match priority % 2 {
            0 => Player::Prover,
            _ => Player::Refuter,
        }
    }
}

/// The moves of a game.
pub(crate) trait Moves {
    /// How many positions there are.
    fn len(&self) -> usize;
    /// Where one may go to from here; at least one position where nobody has won yet.
    fn successors(&self, position: u32) -> &[u32];
    fn owner(&self, position: u32) -> Player;
    /// At least 2 for fixpoints, and 0 for what is none; each cycle has a fixpoint.
    fn priority(&self, position: u32) -> u32;
}

/// No choice.
pub(crate) const NONE: u32 = u32::MAX;

/// Decides all positions of `wanted` where `winner` is not known: all their successors
/// are among them, or won already, which stays. Who wins a position of its own has a
/// `choice` there that wins.
pub(crate) fn solve(
    moves: &impl Moves,
    wanted: &[u32],
    winner: &mut [Option<Player>],
    choice: &mut [u32],
) {
    let set = undecided(wanted, winner);
    let edges = set.iter().flat_map(|&source| {
        moves
            .successors(source)
            .iter()
            .map(move |&target| (target, source))
    });
    let before = Grouped::new(moves.len(), edges);
    let mut solver = Solver {
        moves,
        before,
        winner,
        choice,
        sets: vec![0; moves.len()],
        last_set: 0,
        open: vec![0; moves.len()],
        index: vec![0; moves.len()],
    };
    // What follows from positions that are won already: all are of the set 0.
    for &position in &set {
        solver.open[position as usize] = moves.successors(position).len() as u32;
    }
    let is_won = |p: &u32| solver.winner[*p as usize].is_some();
    let won = (0..moves.len() as u32).filter(|p| is_won(p) && !solver.before.of(*p).is_empty());
    let won = won.collect();
    solver.attract(won, 0);
    let set = undecided(&set, solver.winner);
    solver.solve_set(&set);
}

fn undecided(set: &[u32], winner: &[Option<Player>]) -> Vec<u32> {
    let is_open = |&p: &u32| winner[p as usize].is_none();
    set.iter().copied().filter(is_open).collect()
}

struct Solver<'a, M> {
    moves: &'a M,
    /// The predecessors of each position.
    before: Grouped<u32>,
    winner: &'a mut [Option<Player>],
    choice: &'a mut [u32],
    /// The innermost set that each position is in.
    sets: Vec<u32>,
    last_set: u32,
    /// How many successors of a position are in its set, and not attracted.
    open: Vec<u32>,
    /// For the search of components.
    index: Vec<u32>,
}

impl<M: Moves> Solver<'_, M> {
    /// Makes these positions a set of their own, and counts the moves within it.
    fn enter(&mut self, set: &[u32]) -> u32 {
        self.last_set += 1;
        for &position in set {
            self.sets[position as usize] = self.last_set;
        }
        for &position in set {
            let successors = self.moves.successors(position).iter();
            let inside = successors.filter(|&&after| self.sets[after as usize] == self.last_set);
            self.open[position as usize] = inside.count() as u32;
        }
        self.last_set
    }

    /// What leads to these positions, which are won, within a set: who owns a position
    /// goes there, or has to.
    fn attract(&mut self, mut queue: Vec<u32>, set: u32) {
        while let Some(after) = queue.pop() {
            let player = self.winner[after as usize];
            for k in self.before.places(after) {
                let position = self.before.items()[k];
                let p = position as usize;
                if self.sets[p] != set || self.winner[p].is_some() {
                    continue;
                }
                if Some(self.moves.owner(position)) == player {
                    self.choice[p] = after;
                } else {
                    self.open[p] -= 1;
                    if self.open[p] > 0 {
                        continue;
                    }
                }
                self.winner[p] = player;
                queue.push(position);
            }
        }
    }

    /// Decides a set, component by component, those that lead nowhere else first.
    fn solve_set(&mut self, positions: &[u32]) {
        let set = self.enter(positions);
        let (members, ends) = self.components(positions, set);
        let mut start = 0;
        for end in ends {
            let component = undecided(&members[start..end], self.winner);
            start = end;
            if component.is_empty() {
                continue;
            }
            if !self.solve_one_sign(&component, set) {
                self.zielonka(component.clone());
            }
            self.attract(component, set);
        }
    }

    /// If all fixpoints among these positions, of which each has a successor among them,
    /// have one sign, who likes it wins by staying.
    fn solve_one_sign(&mut self, positions: &[u32], set: u32) -> bool {
        let mut priorities = positions
            .iter()
            .map(|&p| self.moves.priority(p))
            .filter(|&p| p > 0);
        let Some(first) = priorities.next() else {
            // Each cycle has a fixpoint, and from each position one can go on for ever.
            debug_assert!(positions.is_empty());
            return true;
        };
        if priorities.any(|p| p % 2 != first % 2) {
            return false;
        }
        let player = Player::of_priority(first);
        self.stay(positions.iter().copied(), player, set);
        for &position in positions {
            self.winner[position as usize] = Some(player);
        }
        true
    }

    /// Chooses at the positions of a player any move to an undecided position of a set.
    fn stay(&mut self, positions: impl Iterator<Item = u32>, player: Player, set: u32) {
        for position in positions.filter(|&p| self.moves.owner(p) == player) {
            let mut successors = self.moves.successors(position).iter();
            let inside = successors.find(|&&after| {
                self.sets[after as usize] == set && self.winner[after as usize].is_none()
            });
            self.choice[position as usize] = *inside.expect("a game without dead ends");
        }
    }

    fn zielonka(&mut self, mut positions: Vec<u32>) {
        while !positions.is_empty() {
            let set = self.enter(&positions);
            if self.solve_one_sign(&positions, set) {
                return;
            }
            let greatest = positions
                .iter()
                .map(|&p| self.moves.priority(p))
                .max()
                .unwrap_or(0);
            let player = Player::of_priority(greatest);
            let top = positions
                .iter()
                .copied()
                .filter(|&p| self.moves.priority(p) == greatest);
            let top: Vec<u32> = top.collect();
            self.stay(top.iter().copied(), player, set);
            for &position in &top {
                self.winner[position as usize] = Some(player);
            }
            self.attract(top, set);
            let rest = undecided(&positions, self.winner);
            self.solve_set(&rest);
            let is_lost =
                |winner: &[Option<Player>], p: u32| winner[p as usize] == Some(player.other());
            let lost = rest
                .into_iter()
                .filter(|&p| is_lost(self.winner, p))
                .collect::<Vec<u32>>();
            if lost.is_empty() {
                return;
            }
            for &position in &positions {
                if !is_lost(self.winner, position) {
                    self.winner[position as usize] = None;
                }
            }
            let set = self.enter(&positions);
            self.attract(lost, set);
            positions = undecided(&positions, self.winner);
        }
    }

    /// The components of the undecided part of a set, those that lead nowhere else
    /// first, in a row, and where each ends (Tarjan 1972), without recursion.
    fn components(&mut self, positions: &[u32], set: u32) -> (Vec<u32>, Vec<usize>) {
        const DONE: u32 = u32::MAX;
        for &position in positions {
            self.index[position as usize] = 0;
        }
        let (mut members, mut ends) = (Vec::with_capacity(positions.len()), Vec::new());
        let (mut stack, mut path, mut next) = (Vec::new(), Vec::<(u32, usize, u32)>::new(), 0);
        for &start in positions {
            if self.index[start as usize] != 0 {
                continue;
            }
            next += 1;
            self.index[start as usize] = next;
            stack.push(start);
            path.push((start, 0, next));
            while let Some((position, edge, low)) = path.last_mut() {
                let Some(&after) = self.moves.successors(*position).get(*edge) else {
                    let (position, low) = (*position, *low);
                    path.pop();
                    if let Some((_, _, outer)) = path.last_mut() {
                        *outer = low.min(*outer);
                    }
                    if low == self.index[position as usize] {
                        let first = stack.iter().rposition(|&p| p == position);
                        for member in stack.drain(first.expect("it is on the stack")..) {
                            self.index[member as usize] = DONE;
                            members.push(member);
                        }
                        ends.push(members.len());
                    }
                    continue;
                };
                *edge += 1;
                let a = after as usize;
                if self.sets[a] != set || self.winner[a].is_some() {
                    continue;
                }
                if self.index[a] == 0 {
                    next += 1;
                    self.index[a] = next;
                    stack.push(after);
                    path.push((after, 0, next));
                } else {
                    // Of a component that is done it is greater than all.
                    *low = self.index[a].min(*low);
                }
            }
        }
        (members, ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyades_testing::Random;

    struct Game {
        successors: Vec<Vec<u32>>,
        owners: Vec<Player>,
        priorities: Vec<u32>,
    }

    impl Moves for Game {
        fn len(&self) -> usize {
            self.successors.len()
        }
        fn successors(&self, position: u32) -> &[u32] {
            &self.successors[position as usize]
        }
        fn owner(&self, position: u32) -> Player {
            self.owners[position as usize]
        }
        fn priority(&self, position: u32) -> u32 {
            self.priorities[position as usize]
        }
    }

    /// Small progress measures (Jurdziński 2000), for the prover and greatest
    /// priorities: who has a measure that never grows beyond all bounds wins.
    fn by_measures(game: &Game) -> Vec<Player> {
        let n = game.len();
        let most = game.priorities.iter().copied().max().unwrap_or(0) as usize;
        let mut bounds = vec![0usize; most + 1];
        for &p in &game.priorities {
            bounds[p as usize] += usize::from(p % 2 == 1);
        }
        // Compared from the greatest priority down; `None` is beyond all.
        type Measure = Option<Vec<usize>>;
        let prog = |target: &Measure, priority: usize| -> Measure {
            let mut m = target.clone()?;
            for low in m.iter_mut().take(priority) {
                *low = 0;
            }
            if priority % 2 == 1 {
                let mut at = priority;
                loop {
                    if at > most {
                        return None;
                    }
                    if at % 2 == 1 && m[at] < bounds[at] {
                        m[at] += 1;
                        break;
                    }
                    m[at] = 0;
                    at += 1;
                }
            }
            Some(m)
        };
        let key = |m: &Measure| match m {
            None => (1, Vec::new()),
            Some(m) => (0, m.iter().rev().copied().collect::<Vec<_>>()),
        };
        let mut measures: Vec<Measure> = vec![Some(vec![0; most + 1]); n];
        loop {
            let mut changes = false;
            for v in 0..n {
                let all = game.successors[v].iter();
                let all = all.map(|&w| prog(&measures[w as usize], game.priorities[v] as usize));
                let best = match game.owners[v] {
                    Player::Prover => all.min_by_key(key),
                    Player::Refuter => all.max_by_key(key),
                };
                let best = best.expect("a successor");
                if key(&best) > key(&measures[v]) {
                    measures[v] = best;
                    changes = true;
                }
            }
            if !changes {
                let winner = |m: &Measure| match m {
                    Some(_) => Player::Prover,
                    None => Player::Refuter,
                };
                return measures.iter().map(winner).collect();
            }
        }
    }

    #[test]
    fn as_by_small_progress_measures_and_choices_win() {
        let mut random = Random::new(7);
        for _ in 0..3000 {
            let n = 1 + random.between(0, 9 - 1) as u32;
            let mut game = Game {
                successors: Vec::new(),
                owners: Vec::new(),
                priorities: Vec::new(),
            };
            for _ in 0..n {
                let degree = 1 + random.between(0, 2);
                let targets = (0..degree).map(|_| random.between(0, n as usize - 1) as u32);
                game.successors.push(targets.collect());
                game.owners.push(match random.between(0, 1) {
                    0 => Player::Prover,
                    _ => Player::Refuter,
                });
                game.priorities.push(2 + random.between(0, 5 - 1) as u32);
            }
            let all: Vec<u32> = (0..n).collect();
            let (mut winner, mut choice) = (vec![None; n as usize], vec![NONE; n as usize]);
            solve(&game, &all, &mut winner, &mut choice);
            let expected = by_measures(&game);
            let found: Vec<Player> = winner
                .into_iter()
                .map(|w| w.expect("all are decided"))
                .collect();
            assert_eq!(
                found, expected,
                "{:?} {:?} {:?}",
                game.successors, game.owners, game.priorities
            );
            // Who keeps to the choices wins.
            let kept = Game {
                successors: (0..n as usize)
                    .map(|v| match found[v] == game.owners[v] {
                        true => vec![choice[v]],
                        false => game.successors[v].clone(),
                    })
                    .collect(),
                ..game
            };
            assert_eq!(by_measures(&kept), expected);
        }
    }
}
