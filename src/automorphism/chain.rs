//! Permutation groups of known order as chains of stabilisers (Sims 1970).

use std::rc::Rc;

use super::order::Order;

/// The composition: first `a`, then `b`.
fn then(a: &[u32], b: &[u32]) -> Vec<u32> {
    a.iter().map(|&x| b[x as usize]).collect()
}

fn inverse(a: &[u32]) -> Vec<u32> {
    let mut inverse = vec![0; a.len()];
    for (x, &y) in a.iter().enumerate() {
        inverse[y as usize] = x as u32;
    }
    inverse
}

/// A chain of stabilisers for a base: level `k` is the group of all members that
/// fix the first `k` points of the base.
pub(super) struct Chain {
    levels: Vec<Level>,
}

struct Level {
    point: u32,
    /// Members of the level's group, each with its inverse.
    generators: Vec<Rc<[Vec<u32>; 2]>>,
    /// The images of the point, each with the generator by which it was found,
    /// and the point itself.
    orbit: Vec<u32>,
    found_by: Vec<u32>,
}

const UNSEEN: u32 = u32::MAX;
const ROOT: u32 = u32::MAX - 1;

impl Level {
    /// Finds the orbit again. O(orbit · generators).
    fn renew(&mut self) {
        self.found_by.fill(UNSEEN);
        self.found_by[self.point as usize] = ROOT;
        self.orbit.clear();
        self.orbit.push(self.point);
        let mut next = 0;
        while let Some(&x) = self.orbit.get(next) {
            next += 1;
            for (number, generator) in self.generators.iter().enumerate() {
                let y = generator[0][x as usize];
                if self.found_by[y as usize] == UNSEEN {
                    self.found_by[y as usize] = number as u32;
                    self.orbit.push(y);
                }
            }
        }
    }

    /// Composes with members of the level's group until the point is fixed;
    /// `false` if its image lies outside the orbit.
    fn sift(&self, a: &mut Vec<u32>) -> bool {
        loop {
            let y = a[self.point as usize];
            match self.found_by[y as usize] {
                ROOT => return true,
                UNSEEN => return false,
                number => *a = then(a, &self.generators[number as usize][1]),
            }
        }
    }
}

impl Chain {
    /// The chain of the group that the generators generate, of which the order
    /// is known, for a base that has every point that moves.
    ///
    /// Random members are sifted until the chain has the group's order, which
    /// proves it complete (Leon 1980). They are made by product replacement
    /// (Celler et al. 1995), from a fixed seed.
    pub fn new(base: &[u32], generators: &[Vec<u32>], order: &Order) -> Self {
        let degree = generators.first().map_or(0, Vec::len);
        let level = |&point: &u32| Level {
            point,
            generators: Vec::new(),
            orbit: vec![point],
            found_by: {
                let mut found_by = vec![UNSEEN; degree];
                found_by[point as usize] = ROOT;
                found_by
            },
        };
        let mut chain = Self {
            levels: match generators {
                [] => Vec::new(),
                _ => base.iter().map(level).collect(),
            },
        };
        let mut members = Members::new(generators);
        for generator in generators {
            chain.add(generator.clone());
        }
        while chain.order() != *order {
            chain.add(members.next());
        }
        chain
    }

    /// Makes a member known.
    fn add(&mut self, mut member: Vec<u32>) {
        for k in 0..self.levels.len() {
            if !self.levels[k].sift(&mut member) {
                // It is a member of this level's group and so of those above.
                let inverse = inverse(&member);
                let member = Rc::new([member, inverse]);
                for level in &mut self.levels[..=k] {
                    level.generators.push(Rc::clone(&member));
                    level.renew();
                }
                return;
            }
        }
    }

    /// The sizes of the orbits, by the points of the base.
    pub fn sizes(&self) -> impl Iterator<Item = u32> {
        self.levels.iter().map(|level| level.orbit.len() as u32)
    }

    fn order(&self) -> Order {
        Order::product(self.sizes())
    }
}

/// Random members of a group.
struct Members {
    pool: Vec<Vec<u32>>,
    random: u64,
}

impl Members {
    fn new(generators: &[Vec<u32>]) -> Self {
        let size = generators.len().max(10);
        let pool = generators.iter().cycle().take(size).cloned().collect();
        let mut members = Self { pool, random: 1 };
        if !generators.is_empty() {
            (0..50).for_each(|_| drop(members.next()));
        }
        members
    }

    /// A number below `limit` (SplitMix64, Steele, Lea & Flood 2014).
    fn below(&mut self, limit: usize) -> usize {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit as u64) as usize
    }

    fn next(&mut self) -> Vec<u32> {
        let size = self.pool.len();
        let a = self.below(size);
        let b = (a + 1 + self.below(size - 1)) % size;
        let member = match self.below(4) {
            0 => then(&self.pool[a], &self.pool[b]),
            1 => then(&self.pool[b], &self.pool[a]),
            2 => then(&self.pool[a], &inverse(&self.pool[b])),
            _ => then(&inverse(&self.pool[b]), &self.pool[a]),
        };
        self.pool[a].clone_from(&member);
        member
    }
}
