//! Forces between all nodes: those of far ones are summed up.

use crate::graph::At;

/// A square with its nodes: how many, and their middle.
struct Square {
    corner: At,
    side: f64,
    weight: f64,
    middle: At,
    /// The first of its four quarters, or the node if there is one only.
    inside: Inside,
}

#[derive(Clone, Copy)]
enum Inside {
    Nothing,
    Nodes(At),
    Quarters(usize),
}

/// Squares so much farther than wide count as one node.
const FAR: f64 = 0.9;
/// Squares are divided so often; nodes that are nearer count as being in one place.
const MOST_DEPTH: usize = 40;

/// The force on each node, `strength` divided by the distance from each other one.
pub fn repulsion(at: &[At], strength: f64) -> Vec<At> {
    let squares = squares(at);
    let mut stack = Vec::new();
    let of = |&node: &At| {
        let mut force = At::default();
        stack.clear();
        stack.push(0);
        while let Some(number) = stack.pop() {
            let square: &Square = &squares[number];
            if square.weight == 0.0 {
                continue;
            }
            let (dx, dy) = (node.x - square.middle.x, node.y - square.middle.y);
            let far = dx * dx + dy * dy;
            let is_far = square.side * square.side < FAR * FAR * far;
            if let Inside::Quarters(first) = square.inside
                && !is_far
            {
                stack.extend(first..first + 4);
            } else if far > 1e-9 {
                let push = strength * square.weight / far;
                force.x += dx * push;
                force.y += dy * push;
            }
        }
        force
    };
    at.iter().map(of).collect()
}

fn squares(at: &[At]) -> Vec<Square> {
    let low = |get: fn(&At) -> f64| at.iter().map(get).fold(f64::INFINITY, f64::min);
    let high = |get: fn(&At) -> f64| at.iter().map(get).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (low(|a| a.x), low(|a| a.y));
    let side = (high(|a| a.x) - left).max(high(|a| a.y) - top).max(1.0);
    let mut squares = vec![Square::new(At::new(left, top), side)];
    for &node in at {
        insert(&mut squares, node);
    }
    for square in &mut squares {
        if square.weight > 0.0 {
            square.middle.x /= square.weight;
            square.middle.y /= square.weight;
        }
    }
    squares
}

impl Square {
    fn new(corner: At, side: f64) -> Self {
        Self {
            corner,
            side,
            weight: 0.0,
            middle: At::default(),
            inside: Inside::Nothing,
        }
    }

    fn add(&mut self, node: At, weight: f64) {
        self.weight += weight;
        self.middle.x += node.x * weight;
        self.middle.y += node.y * weight;
    }

    /// Which of four quarters a node is in.
    fn quarter(&self, node: At) -> usize {
        let half = self.side / 2.0;
        usize::from(node.x >= self.corner.x + half)
            + 2 * usize::from(node.y >= self.corner.y + half)
    }
}

fn insert(squares: &mut Vec<Square>, node: At) {
    let mut number = 0;
    for depth in 0.. {
        let weight = squares[number].weight;
        squares[number].add(node, 1.0);
        match squares[number].inside {
            Inside::Nothing => {
                squares[number].inside = Inside::Nodes(node);
                return;
            }
            Inside::Nodes(_) if depth >= MOST_DEPTH => return,
            Inside::Nodes(other) => {
                let first = squares.len();
                let Square { corner, side, .. } = squares[number];
                let half = side / 2.0;
                for quarter in 0..4 {
                    let x = corner.x + f64::from(quarter % 2) * half;
                    let y = corner.y + f64::from(quarter / 2) * half;
                    squares.push(Square::new(At::new(x, y), half));
                }
                squares[number].inside = Inside::Quarters(first);
                let quarter = first + squares[number].quarter(other);
                squares[quarter].add(other, weight);
                squares[quarter].inside = Inside::Nodes(other);
                number = first + squares[number].quarter(node);
            }
            Inside::Quarters(first) => number = first + squares[number].quarter(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Summed up or not, forces are nearly the same.
    #[test]
    fn far_nodes_count_as_one() {
        let at: Vec<At> = (0..200u32)
            .map(|k| At::new(f64::from(k * k % 97), f64::from(k * 31 % 89)))
            .collect();
        let forces = repulsion(&at, 1.0);
        for (a, force) in at.iter().zip(forces) {
            let mut exact = At::default();
            for b in at.iter().filter(|b| a.distance(**b) > 0.0) {
                let far = a.distance(*b).powi(2);
                exact.x += (a.x - b.x) / far;
                exact.y += (a.y - b.y) / far;
            }
            assert!(exact.distance(force) < 0.6, "{exact:?} {force:?}");
        }
    }
}
