//! Permutation groups given by generators, and the stabilisers of points.

use hyades_automorphism::Order;

/// The images of the points `0 .. degree`.
pub(super) type Permutation = Box<[u32]>;

/// The most points that a group may move which is no product of symmetric groups:
/// the stabiliser of a point takes up to the fourth power of them.
pub const MOST_POINTS: usize = 64;

/// The composition: first `a`, then `b`.
pub(super) fn then(a: &[u32], b: &[u32]) -> Permutation {
    a.iter().map(|&x| b[x as usize]).collect()
}

pub(super) fn inverse(a: &[u32]) -> Permutation {
    let mut inverse = vec![0; a.len()].into_boxed_slice();
    for (x, &y) in (0..).zip(a) {
        inverse[y as usize] = x;
    }
    inverse
}

pub(super) fn identity(degree: usize) -> Permutation {
    (0..degree as u32).collect()
}

/// The first point that moves.
fn first_moved(a: &[u32]) -> Option<u32> {
    (0..).zip(a).find(|&(x, &y)| x != y).map(|(x, _)| x)
}

/// A group of permutations.
#[derive(Clone, Debug)]
pub(super) struct Group {
    degree: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// All permutations that map each of these sets to itself and fix all other
    /// points. The sets are disjoint, of two points at least.
    Symmetric(Vec<Vec<u32>>),
    /// What these generate.
    Generated(Vec<Permutation>),
}

impl Group {
    /// The group that permutations generate. If the transpositions among them
    /// generate it alone, it is known as a product of symmetric groups, which takes
    /// linear time; other groups are kept by fewer generators than they have points.
    ///
    /// # Errors
    /// How many points it moves, if it is no such product and these are more than
    /// [`MOST_POINTS`].
    pub(super) fn new(degree: usize, generators: Vec<Permutation>) -> Result<Self, usize> {
        let mut all = Sets::new(degree);
        let mut transposed = Sets::new(degree);
        for generator in &generators {
            let moved = || (0..).zip(generator).filter(|&(x, &y)| x != y);
            if moved().count() == 2 {
                moved().for_each(|(x, &y)| transposed.join(x, y));
            }
            moved().for_each(|(x, &y)| all.join(x, y));
        }
        let orbits = all.sets();
        if orbits == transposed.sets() {
            let kind = Kind::Symmetric(orbits);
            return Ok(Self { degree, kind });
        }
        let moved = orbits.iter().map(Vec::len).sum();
        if moved > MOST_POINTS {
            return Err(moved);
        }
        let mut filter = Filter::new(degree);
        generators.into_iter().for_each(|g| filter.insert(g));
        let kind = Kind::Generated(filter.into_generators());
        Ok(Self { degree, kind })
    }

    /// Permutations that generate it.
    pub(super) fn generators(&self) -> Vec<Permutation> {
        match &self.kind {
            Kind::Generated(generators) => generators.clone(),
            Kind::Symmetric(sets) => {
                let pairs = sets
                    .iter()
                    .flat_map(|set| set[1..].iter().map(|&other| (set[0], other)));
                let swapped = |(a, b): (u32, u32)| {
                    let mut swap = identity(self.degree);
                    swap.swap(a as usize, b as usize);
                    swap
                };
                pairs.map(swapped).collect()
            }
        }
    }

    /// Whether it has the identity only.
    pub(super) fn is_trivial(&self) -> bool {
        match &self.kind {
            Kind::Generated(generators) => generators.is_empty(),
            Kind::Symmetric(sets) => sets.is_empty(),
        }
    }

    /// Sets of points, of two at least, that are mapped to each other.
    pub(super) fn orbits(&self) -> Vec<Vec<u32>> {
        match &self.kind {
            Kind::Symmetric(sets) => sets.clone(),
            Kind::Generated(generators) => {
                let mut sets = Sets::new(self.degree);
                for generator in generators {
                    (0..).zip(generator).for_each(|(x, &y)| sets.join(x, y));
                }
                sets.sets()
            }
        }
    }

    /// The members that fix a point: Schreier's lemma, with as many generators as
    /// Jerrum's filter leaves.
    pub(super) fn stabilizer(&self, point: u32) -> Self {
        let kind = match &self.kind {
            Kind::Symmetric(sets) => {
                let mut sets = sets.clone();
                sets.iter_mut().for_each(|set| set.retain(|&p| p != point));
                sets.retain(|set| set.len() > 1);
                Kind::Symmetric(sets)
            }
            Kind::Generated(generators) => {
                let ways = self.ways(point);
                let mut filter = Filter::new(self.degree);
                for (x, way) in ways.iter().enumerate() {
                    let Some(way) = way else {
                        continue;
                    };
                    for generator in generators {
                        let y = generator[x];
                        let back = ways[y as usize].as_ref();
                        let back = inverse(back.expect("an orbit is closed"));
                        filter.insert(then(&then(way, generator), &back));
                    }
                }
                Kind::Generated(filter.into_generators())
            }
        };
        Self {
            degree: self.degree,
            kind,
        }
    }

    /// For each point of the orbit of `point` a member that maps `point` to it.
    fn ways(&self, point: u32) -> Vec<Option<Permutation>> {
        let generators = self.generators();
        let mut ways: Vec<Option<Permutation>> = vec![None; self.degree];
        ways[point as usize] = Some(identity(self.degree));
        let mut orbit = vec![point];
        let mut next = 0;
        while let Some(&x) = orbit.get(next) {
            next += 1;
            for generator in &generators {
                let y = generator[x as usize];
                if ways[y as usize].is_none() {
                    let way = ways[x as usize].as_ref().expect("it is in the orbit");
                    ways[y as usize] = Some(then(way, generator));
                    orbit.push(y);
                }
            }
        }
        ways
    }

    /// What decides whether a permutation is a member.
    pub(super) fn members(&self) -> Members {
        match &self.kind {
            Kind::Symmetric(sets) => {
                let mut of: Vec<u32> = (0..self.degree as u32).collect();
                for set in sets {
                    set.iter().for_each(|&point| of[point as usize] = set[0]);
                }
                let sizes = sets.iter().map(|set| set.len() as u32).collect();
                Members::Symmetric { of, sizes }
            }
            Kind::Generated(_) => {
                let mut levels = Vec::new();
                let mut group = self.clone();
                while let Some(&point) = group.orbits().first().and_then(|set| set.first()) {
                    levels.push((point, group.ways(point)));
                    group = group.stabilizer(point);
                }
                Members::Chain(levels)
            }
        }
    }
}

/// The members of a group.
pub(super) enum Members {
    /// Of a product of symmetric groups: a number for each point's set, the same for
    /// the points of one, and the sizes of the sets.
    Symmetric { of: Vec<u32>, sizes: Vec<u32> },
    /// For points in turn, each fixed by what comes behind it, members that map it to
    /// its images.
    Chain(Vec<(u32, Vec<Option<Permutation>>)>),
}

impl Members {
    /// Whether a permutation is in the group.
    pub(super) fn contains(&self, permutation: &[u32]) -> bool {
        match self {
            Members::Symmetric { of, .. } => {
                let mut moves = (0..).zip(permutation);
                moves.all(|(x, &y): (usize, _)| of[x] == of[y as usize])
            }
            Members::Chain(levels) => {
                let mut rest = Permutation::from(permutation);
                for (point, ways) in levels {
                    match &ways[rest[*point as usize] as usize] {
                        None => return false,
                        Some(way) => rest = then(&rest, &inverse(way)),
                    }
                }
                first_moved(&rest).is_none()
            }
        }
    }

    /// How many there are.
    pub(super) fn order(&self) -> Order {
        match self {
            Members::Symmetric { sizes, .. } => {
                Order::product(sizes.iter().flat_map(|&size| 1..=size))
            }
            Members::Chain(levels) => {
                let images = |ways: &Vec<Option<Permutation>>| ways.iter().flatten().count();
                Order::product(levels.iter().map(|(_, ways)| images(ways) as u32))
            }
        }
    }
}

/// Points in sets that are joined.
struct Sets {
    parent: Vec<u32>,
}

impl Sets {
    fn new(points: usize) -> Self {
        Self {
            parent: (0..points as u32).collect(),
        }
    }

    fn root(&mut self, mut point: u32) -> u32 {
        while self.parent[point as usize] != point {
            let above = self.parent[self.parent[point as usize] as usize];
            self.parent[point as usize] = above;
            point = above;
        }
        point
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Those of two points at least, ascending.
    fn sets(&mut self) -> Vec<Vec<u32>> {
        let mut sets = vec![Vec::new(); self.parent.len()];
        for point in 0..self.parent.len() as u32 {
            sets[self.root(point) as usize].push(point);
        }
        sets.retain(|set| set.len() > 1);
        sets
    }
}

/// Jerrum's filter (1986): of permutations that are put in, fewer than there are
/// points, which generate the same group. Each stands for an edge from the first
/// point that it moves to the image of that; the edges form a forest.
struct Filter {
    degree: usize,
    kept: Vec<Permutation>,
    /// For each point the other ends of edges, and which permutation it is.
    edges: Vec<Vec<(u32, usize)>>,
}

impl Filter {
    fn new(degree: usize) -> Self {
        Self {
            degree,
            kept: Vec::new(),
            edges: vec![Vec::new(); degree],
        }
    }

    fn into_generators(self) -> Vec<Permutation> {
        self.kept
    }

    fn insert(&mut self, permutation: Permutation) {
        let mut new = permutation;
        while let Some(from) = first_moved(&new) {
            let to = new[from as usize];
            let Some(path) = self.path(to, from) else {
                let number = self.kept.len();
                self.kept.push(new);
                self.add(from, to, number);
                return;
            };
            // A cycle: by the new permutation, then along the path. What is composed
            // around it fixes its smallest point and all before that, and with the
            // others generates the one at that point which it replaces.
            let nodes = || std::iter::once(to).chain(path.iter().map(|&(node, _)| node));
            let smallest = nodes().min().expect("the path has an end");
            let mut around = identity(self.degree);
            let mut at = smallest;
            let mut replaced = None;
            let begin = if smallest == from {
                None
            } else {
                nodes().position(|node| node == smallest)
            };
            // The path from the smallest point on, the new one, the path up to it.
            let ahead = begin.map_or(&path[path.len()..], |k| &path[k..]);
            let behind = begin.map_or(&path[..], |k| &path[..k]);
            for &(node, number) in ahead {
                around = then(&around, &self.step(at, number));
                replaced.get_or_insert(number);
                at = node;
            }
            around = then(&around, &new);
            at = to;
            for &(node, number) in behind {
                around = then(&around, &self.step(at, number));
                at = node;
            }
            if let Some(number) = replaced {
                // The new one takes the place of the edge at the smallest point.
                self.remove(number);
                std::mem::swap(&mut self.kept[number], &mut new);
                self.add(from, to, number);
            }
            new = around;
        }
    }

    /// The permutation along an edge from one of its ends.
    fn step(&self, at: u32, number: usize) -> Permutation {
        let permutation = &self.kept[number];
        match first_moved(permutation) == Some(at) {
            true => permutation.clone(),
            false => inverse(permutation),
        }
    }

    fn add(&mut self, from: u32, to: u32, number: usize) {
        self.edges[from as usize].push((to, number));
        self.edges[to as usize].push((from, number));
    }

    fn remove(&mut self, number: usize) {
        let from = first_moved(&self.kept[number]).expect("an edge moves its first point");
        let to = self.kept[number][from as usize];
        for end in [from, to] {
            self.edges[end as usize].retain(|edge| edge.1 != number);
        }
    }

    /// The edges that lead from one point to another, each with the point behind it.
    fn path(&self, start: u32, end: u32) -> Option<Vec<(u32, usize)>> {
        const UNSEEN: u32 = u32::MAX;
        let mut before = vec![(UNSEEN, 0); self.degree];
        before[start as usize] = (start, 0);
        let mut found = vec![start];
        while let Some(at) = found.pop() {
            if at == end {
                let mut path = Vec::new();
                let mut at = end;
                while at != start {
                    let (node, number) = before[at as usize];
                    path.push((at, number));
                    at = node;
                }
                path.reverse();
                return Some(path);
            }
            for &(next, number) in &self.edges[at as usize] {
                if before[next as usize].0 == UNSEEN {
                    before[next as usize] = (at, number);
                    found.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hyades_testing::Random;

    use super::*;

    /// All members, by multiplying until nothing is new.
    fn members(degree: usize, generators: &[Permutation]) -> BTreeSet<Permutation> {
        let mut all = BTreeSet::from([identity(degree)]);
        let mut open = vec![identity(degree)];
        while let Some(member) = open.pop() {
            for generator in generators {
                let product = then(&member, generator);
                if all.insert(product.clone()) {
                    open.push(product);
                }
            }
        }
        all
    }

    fn random_permutation(random: &mut Random, degree: usize) -> Permutation {
        let mut permutation = identity(degree);
        // Often few points, so that small groups come up.
        for _ in 0..random.between(0, 3) {
            let (a, b) = (random.between(0, degree - 1), random.between(0, degree - 1));
            permutation.swap(a, b);
        }
        permutation
    }

    #[test]
    fn groups_and_stabilizers_are_those_by_enumeration() {
        let mut generated = 0;
        for seed in 0..300 {
            let mut random = Random::new(seed);
            let degree = random.between(1, 6);
            let count = random.between(0, 3);
            let generators: Vec<Permutation> = (0..count)
                .map(|_| random_permutation(&mut random, degree))
                .collect();
            let all = members(degree, &generators);
            let group = Group::new(degree, generators).unwrap();
            generated += usize::from(matches!(group.kind, Kind::Generated(_)));
            assert_eq!(members(degree, &group.generators()), all, "seed {seed}");
            assert!(group.generators().len() < degree.max(1) + 1);
            let found = group.members();
            assert_eq!(
                found.order().to_u64(),
                Some(all.len() as u64),
                "seed {seed}"
            );
            for permutation in members(degree, &Group::symmetric(degree).generators()) {
                let is_in = all.contains(&permutation);
                assert_eq!(found.contains(&permutation), is_in, "seed {seed}");
            }
            for point in 0..degree as u32 {
                let fixing: BTreeSet<Permutation> = all
                    .iter()
                    .filter(|member| member[point as usize] == point)
                    .cloned()
                    .collect();
                let stabilizer = group.stabilizer(point);
                let found = members(degree, &stabilizer.generators());
                assert_eq!(found, fixing, "seed {seed}, point {point}");
            }
        }
        assert!(generated > 50, "{generated}");
    }

    impl Group {
        fn symmetric(degree: usize) -> Self {
            let sets = vec![(0..degree as u32).collect()];
            let kind = Kind::Symmetric(if degree > 1 { sets } else { Vec::new() });
            Self { degree, kind }
        }
    }

    #[test]
    fn large_groups_are_not_enumerated() {
        // All permutations of 40 points, and the same given by a cycle and a swap.
        assert_eq!(Group::symmetric(1000).stabilizer(3).orbits()[0].len(), 999);
        let cycle: Permutation = (0..40).map(|x| (x + 1) % 40).collect();
        let mut swap = identity(40);
        swap.swap(0, 1);
        let group = Group::new(40, vec![cycle.clone(), swap]).unwrap();
        let fixed = group.stabilizer(7);
        assert_eq!(fixed.orbits()[0].len(), 39);
        let rotations = Group::new(40, vec![cycle]).unwrap();
        assert_eq!(rotations.members().order().to_u64(), Some(40));
        let cycle: Permutation = (0..65).map(|x| (x + 1) % 65).collect();
        assert_eq!(Group::new(65, vec![cycle]).unwrap_err(), 65);
    }
}
