//! Isomorphism of the parts of an LTS that two states can reach.
//!
//! Colour refinement, by labels and both directions, and where it leaves a choice,
//! individualisation: a state of the first part is mapped to one after the other of the
//! same colour of the second, and colours are refined again (B. D. McKay, "Practical
//! graph isomorphism", 1981, without his pruning by automorphisms). Refinement costs what
//! the edges cost of blocks that are new, the largest part of each that splits left out
//! (A. Cardon & M. Crochemore, "Partitioning a graph in O(|A| log |V|)", 1982).

use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, Lts, StateId};

use super::refinable::Refinable;
use super::signature::{Mixer, element};
use super::strong_partition;

/// How much may be done for each state and transition …
const WORK_FACTOR: u64 = 1 << 12;
/// … and beyond.
const WORK_ANYHOW: u64 = 1 << 28;

/// Stands for edges. That two sets of them have one sum is taken to be an accident only at
/// the end, when a whole mapping is verified.
const MIXER: Mixer = Mixer::new(0);

/// Whether the parts of an LTS that two states can reach are isomorphic, with one state
/// mapped to the other. Transitions that occur several times count once. `None` if it was
/// not found out with some thousand steps for each state and transition.
///
/// Linear but for logarithms where no choice is to be taken back, as in trees, or in what
/// is the same but for the numbers of states that are reached in the same order; up to
/// exponential in the number of choices otherwise. 80 bytes a state and 80 a transition of
/// both parts.
pub(crate) fn isomorphic(lts: &Lts, p: StateId, q: StateId) -> Option<bool> {
    let parts = [p, q].map(|root| Part::new(lts, root));
    let [first, second] = &parts;
    if first.states.len() != second.states.len() || first.steps.len() != second.steps.len() {
        return Some(false);
    }
    if first.steps == second.steps {
        return Some(true);
    }
    let size = (first.states.len() + first.steps.len()) as u64;
    match Search::new(lts, parts) {
        Some(search) => search.run(size * WORK_FACTOR + WORK_ANYHOW),
        None => Some(false),
    }
}

/// How many states and transitions can be reached from the initial state; transitions that
/// occur several times count once. O(states + transitions).
pub fn reachable_size(lts: &Lts) -> [usize; 2] {
    let part = Part::new(lts, lts.initial());
    [part.states.len(), part.steps.len()]
}

/// What can be reached from a state.
struct Part {
    /// Breadth first, so that the state itself is the first.
    states: Vec<StateId>,
    /// Each transition once, by the positions of its states.
    steps: Vec<(u32, LabelId, u32)>,
}

impl Part {
    fn new(lts: &Lts, from: StateId) -> Self {
        let mut number = vec![u32::MAX; lts.states()];
        number[from.index()] = 0;
        let mut states = vec![from];
        let mut steps = Vec::new();
        let mut next = 0;
        while next < states.len() {
            let start = steps.len();
            for (label, target) in lts.outgoing(states[next]) {
                let number = &mut number[target.index()];
                if *number == u32::MAX {
                    *number = states.len() as u32;
                    states.push(target);
                }
                steps.push((next as u32, label, *number));
            }
            steps[start..].sort_unstable();
            next += 1;
        }
        steps.dedup();
        Self { states, steps }
    }
}

/// A transition beside a vertex: whether it leaves it, its label, and the other vertex.
type Edge = (bool, LabelId, u32);

/// Of one part, whose states are the vertices, in their order there.
struct Side {
    /// Below 2^32: two systems that are compared have not more transitions together.
    edges: Grouped<Edge>,
    /// The colours.
    partition: Refinable,
    /// The vertices that are looked at.
    seen: Vec<u32>,
    /// For these, the sum of what stands for their edges to a block; 0 for others.
    sums: Vec<u64>,
    /// Their blocks and sums, ascending.
    colors: Vec<(u32, u64)>,
    /// Scratch: the marked vertices of a block, and those that have moved.
    keyed: Vec<(u64, u32)>,
    moved: Vec<u32>,
}

impl Side {
    fn new(part: Part, partition: Refinable) -> Self {
        let n = part.states.len();
        let edges = part.steps.iter();
        let edges = edges.flat_map(|&(s, a, t)| [(s, (true, a, t)), (t, (false, a, s))]);
        Self {
            edges: Grouped::new(n, edges),
            partition,
            seen: Vec::new(),
            sums: vec![0; n],
            colors: Vec::new(),
            keyed: Vec::new(),
            moved: Vec::new(),
        }
    }

    /// Looks at the vertices with edges to a block, and tells how many edges these are.
    fn look_at(&mut self, block: u32) -> usize {
        let mut seen = std::mem::take(&mut self.seen);
        for &member in self.partition.members(block) {
            for &(leaves, label, other) in self.edges.of(member) {
                let sum = &mut self.sums[other as usize];
                *sum = sum.wrapping_add(MIXER.value(element(label.get(), leaves.into())));
                seen.push(other);
            }
        }
        let edges = seen.len();
        seen.sort_unstable();
        seen.dedup();
        for &vertex in &seen {
            self.partition.mark(vertex);
        }
        let color = |&v: &u32| (self.partition.blocks()[v as usize], self.sums[v as usize]);
        self.colors.clear();
        self.colors.extend(seen.iter().map(color));
        self.colors.sort_unstable();
        self.seen = seen;
        edges
    }

    /// Looks at a single vertex.
    fn look_at_one(&mut self, vertex: u32) {
        self.seen.push(vertex);
        self.sums[vertex as usize] = 1;
        self.partition.mark(vertex);
    }

    /// Splits a block by the sums of the vertices that are looked at, or only takes the
    /// marks off.
    fn split(&mut self, block: u32, splits: bool) {
        let (partition, sums) = (&mut self.partition, &self.sums);
        let key = |&v: &u32| (if splits { sums[v as usize] } else { 0 }, v);
        self.keyed.clear();
        self.keyed.extend(partition.marked(block).iter().map(key));
        let rest = partition.unmarked(block).map(|_| 0);
        partition.split(block, &mut self.keyed, rest, &mut self.moved);
        self.moved.clear();
    }

    /// Looks at nothing any more.
    fn look_away(&mut self) {
        for vertex in self.seen.drain(..) {
            self.sums[vertex as usize] = 0;
        }
    }
}

/// The colours of the vertices of two parts: blocks that have the same numbers and sizes in
/// both.
struct Search {
    sides: [Side; 2],
    /// By block, that from which it was split off, if there is one.
    parents: Vec<u32>,
    /// Blocks whose edges are to be looked at.
    open: Vec<u32>,
    /// Scratch: blocks with a vertex that is looked at.
    touched: Vec<u32>,
    work: u64,
}

/// A vertex of the first part that is mapped to one of the second.
struct Choice {
    vertex: u32,
    image: u32,
    /// The others of its colour that have not been tried, once that is needed.
    others: Option<Vec<u32>>,
    /// How many blocks there were before.
    blocks: usize,
}

impl Search {
    /// Nothing if the colours tell the parts apart to begin with.
    fn new(lts: &Lts, parts: [Part; 2]) -> Option<Self> {
        // States on which strong bisimilarity differs cannot be mapped to each other, and
        // that is quickly known; nor can the roots be mapped to anything but each other.
        let classes = strong_partition(lts);
        let mut number = vec![u32::MAX; classes.count()];
        let mut sizes = vec![1];
        let blocks = parts.each_ref().map(|part| {
            let mut blocks = vec![0; part.states.len()];
            for (block, &state) in blocks.iter_mut().zip(&part.states).skip(1) {
                let number = &mut number[classes.class(state) as usize];
                if *number == u32::MAX {
                    *number = sizes.len() as u32;
                    sizes.push(0u32);
                }
                *block = *number;
            }
            blocks
        });
        let [first, second] = &blocks;
        first.iter().skip(1).for_each(|&b| sizes[b as usize] += 1);
        let mut left = sizes.clone();
        for &block in second {
            let left = &mut left[block as usize];
            *left = left.checked_sub(1)?;
        }
        let [first, second] = blocks.map(|blocks| Refinable::new(blocks, &sizes));
        let [of_first, of_second] = parts;
        Some(Self {
            sides: [Side::new(of_first, first), Side::new(of_second, second)],
            parents: vec![u32::MAX; sizes.len()],
            open: (0..sizes.len() as u32).rev().collect(),
            touched: Vec::new(),
            work: 0,
        })
    }

    fn run(mut self, limit: u64) -> Option<bool> {
        if !self.refine() {
            return Some(false);
        }
        let n = self.sides[0].sums.len();
        let mut choices: Vec<Choice> = Vec::new();
        // Vertices before this one have colours of their own.
        let mut vertex = 0;
        loop {
            while vertex < n && self.sides[0].partition.is_alone(vertex as u32) {
                vertex += 1;
            }
            let mut is_possible = false;
            if vertex < n {
                let choice = self.choice(vertex as u32);
                is_possible = self.follow(&choice);
                choices.push(choice);
            } else if self.is_isomorphism() {
                return Some(true);
            }
            while !is_possible {
                let Some(choice) = choices.last_mut() else {
                    return Some(false);
                };
                if self.work > limit {
                    return None;
                }
                self.undo(choice.blocks);
                if self.change(choice) {
                    vertex = choice.vertex as usize;
                    is_possible = self.follow(choice);
                } else {
                    choices.pop();
                }
            }
        }
    }

    /// A choice for a vertex of the first part: at first what was reached as it was, if that
    /// has its colour.
    fn choice(&self, vertex: u32) -> Choice {
        let [first, second] = self.sides.each_ref().map(|side| &side.partition);
        let block = first.blocks()[vertex as usize];
        let image = match second.blocks()[vertex as usize] == block {
            true => vertex,
            false => second.members(block)[0],
        };
        Choice {
            vertex,
            image,
            others: None,
            blocks: first.count(),
        }
    }

    /// Makes another choice if there is one.
    fn change(&mut self, choice: &mut Choice) -> bool {
        let Choice { image, others, .. } = choice;
        let others = others.get_or_insert_with(|| {
            let partition = &self.sides[1].partition;
            let members = partition.members(partition.blocks()[*image as usize]);
            self.work += members.len() as u64;
            let mut others: Vec<u32> = members.iter().copied().filter(|v| v != image).collect();
            others.sort_unstable_by_key(|&v| std::cmp::Reverse(v));
            others
        });
        others.pop().inspect(|&other| *image = other).is_some()
    }

    /// Maps a vertex, and refines the colours; tells whether that is possible.
    fn follow(&mut self, choice: &Choice) -> bool {
        let [first, second] = &mut self.sides;
        first.look_at_one(choice.vertex);
        second.look_at_one(choice.image);
        self.work += 1;
        self.split(true);
        self.refine()
    }

    /// Takes splits back, until there are so many blocks.
    fn undo(&mut self, blocks: usize) {
        for parent in self.parents.drain(blocks..).rev() {
            for side in &mut self.sides {
                self.work += side.partition.join_last(parent) as u64;
            }
        }
    }

    /// Refines the colours until vertices of one colour have as many edges with each label
    /// to each colour. False if the parts differ.
    fn refine(&mut self) -> bool {
        while let Some(block) = self.open.pop() {
            for side in &mut self.sides {
                self.work += side.look_at(block) as u64;
            }
            let [first, second] = &self.sides;
            let are_alike = first.colors == second.colors;
            self.split(are_alike);
            if !are_alike {
                self.open.clear();
                return false;
            }
        }
        true
    }

    /// Splits the blocks of the vertices that are looked at, on both sides alike, if they
    /// are to be split; then none is looked at any more.
    fn split(&mut self, splits: bool) {
        let before = self.parents.len();
        for side in &mut self.sides {
            side.partition.take_touched_into(&mut self.touched);
            self.touched.sort_unstable();
            for &block in &self.touched {
                side.split(block, splits);
                let new = side.partition.count().saturating_sub(self.parents.len());
                self.parents.extend(std::iter::repeat_n(block, new));
            }
            side.look_away();
        }
        // The largest part of a block has its number: if the edges of the whole were looked
        // at, those of the other parts are enough.
        self.open.extend(before as u32..self.parents.len() as u32);
    }

    /// Whether mapping each vertex to that of its colour is an isomorphism; all have colours
    /// of their own.
    fn is_isomorphism(&self) -> bool {
        let [first, second] = &self.sides;
        let image = |v: u32| {
            second
                .partition
                .members(first.partition.blocks()[v as usize])[0]
        };
        (0..first.sums.len() as u32).all(|v| {
            let edges = first.edges.of(v).iter();
            let mut mapped: Vec<Edge> = edges.map(|&(out, a, t)| (out, a, image(t))).collect();
            let mut edges = second.edges.of(image(v)).to_vec();
            mapped.sort_unstable();
            edges.sort_unstable();
            mapped == edges
        })
    }
}

#[cfg(test)]
mod tests {
    use hyades_formats::LtsBuilder;
    use hyades_lts::union::disjoint_union;
    use hyades_testing::{Random, check};

    use super::*;

    fn between(a: &Lts, b: &Lts) -> Option<bool> {
        let union = disjoint_union(a.clone(), b.clone()).unwrap();
        isomorphic(&union.lts, union.lts.initial(), union.second)
    }

    /// The same with other numbers of states, transitions in another order, some twice.
    fn shuffled(lts: &Lts, random: &mut Random) -> Lts {
        let n = lts.states();
        let mut number: Vec<u32> = (0..n as u32).collect();
        for k in (1..n).rev() {
            number.swap(k, random.between(0, k));
        }
        let mut steps: Vec<_> = lts.iter().collect();
        for k in (1..steps.len()).rev() {
            steps.swap(k, random.between(0, k));
        }
        let again: Vec<_> = steps
            .iter()
            .copied()
            .filter(|_| random.chance(10))
            .collect();
        let mut builder = LtsBuilder::with_table(n as u64, lts.table().clone());
        let state = |s: StateId| StateId::new(number[s.index()]);
        for (s, a, t) in steps.into_iter().chain(again) {
            builder.add(state(s), a, state(t));
        }
        builder.build(state(lts.initial())).unwrap()
    }

    /// By trying all ways to map states.
    fn naive(a: &Part, b: &Part) -> bool {
        fn go(a: &Part, b: &Part, map: &mut Vec<u32>) -> bool {
            let k = map.len();
            if k == a.states.len() {
                let mut mapped: Vec<_> = a
                    .steps
                    .iter()
                    .map(|&(s, l, t)| (map[s as usize], l, map[t as usize]))
                    .collect();
                mapped.sort_unstable();
                let mut steps = b.steps.clone();
                steps.sort_unstable();
                return mapped == steps;
            }
            (0..b.states.len() as u32).any(|image| {
                if map.contains(&image) {
                    return false;
                }
                map.push(image);
                let found = go(a, b, map);
                map.pop();
                found
            })
        }
        a.states.len() == b.states.len() && go(a, b, &mut vec![0])
    }

    #[test]
    fn renumbered_systems_are_isomorphic() {
        check(100, 40, |lts, random| {
            let other = shuffled(lts, random);
            match between(lts, &other) {
                Some(true) => Ok(()),
                found => Err(format!("{found:?}")),
            }
        });
    }

    #[test]
    fn verdicts_are_those_of_trying_all_maps() {
        let mut counts = [0, 0];
        for seed in 0..4000 {
            let mut random = Random::new(seed);
            let n = random.between(1, 5);
            let system = |random: &mut Random| {
                let mut builder = LtsBuilder::new(n as u64);
                for _ in 0..random.between(0, 6) {
                    let (s, t) = (
                        random.between(0, n - 1) as u32,
                        random.between(0, n - 1) as u32,
                    );
                    let label: &[u8] = if random.chance(80) { b"a" } else { b"b" };
                    builder.add_text(s, label, t).unwrap();
                }
                builder.build(StateId::new(0)).unwrap()
            };
            let (a, b) = (system(&mut random), system(&mut random));
            let b = if random.chance(30) {
                shuffled(&a, &mut random)
            } else {
                b
            };
            let union = disjoint_union(a, b).unwrap();
            let (p, q) = (union.lts.initial(), union.second);
            let expected = naive(&Part::new(&union.lts, p), &Part::new(&union.lts, q));
            assert_eq!(isomorphic(&union.lts, p, q), Some(expected), "{seed}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts[0] > 500 && counts[1] > 500, "{counts:?}");
    }

    /// Regular graphs that colours alone do not tell apart: one hexagon, and two triangles
    /// that a root leads to.
    #[test]
    fn regular_graphs_are_told_apart() {
        let ring = |lengths: &[u32]| {
            let mut builder = LtsBuilder::new(7);
            let mut first = 1;
            for &length in lengths {
                for k in 0..length {
                    builder.add_text(0, b"in", first + k).unwrap();
                    for other in [1, length - 1] {
                        builder
                            .add_text(first + k, b"step", first + (k + other) % length)
                            .unwrap();
                    }
                }
                first += length;
            }
            builder.build(StateId::new(0)).unwrap()
        };
        assert_eq!(between(&ring(&[6]), &ring(&[3, 3])), Some(false));
        assert_eq!(between(&ring(&[3, 3]), &ring(&[3, 3])), Some(true));
    }

    /// Permutations of states that a root leads to: often colours tell nothing apart, and
    /// choices are taken back.
    #[test]
    fn permutations_are_told_apart() {
        let mut counts = [0, 0];
        for seed in 0..600 {
            let mut random = Random::new(seed);
            let system = |random: &mut Random| {
                let mut builder = LtsBuilder::new(7);
                for s in 1..7 {
                    builder.add_text(0, b"in", s).unwrap();
                }
                for _ in 0..2 {
                    let mut targets: Vec<u32> = (1..7).collect();
                    for k in (1..6).rev() {
                        targets.swap(k, random.between(0, k));
                    }
                    for (s, &t) in (1..7).zip(&targets) {
                        builder.add_text(s, b"a", t).unwrap();
                    }
                }
                builder.build(StateId::new(0)).unwrap()
            };
            let a = system(&mut random);
            let b = match random.chance(30) {
                true => shuffled(&a, &mut random),
                false => system(&mut random),
            };
            let union = disjoint_union(a, b).unwrap();
            let (p, q) = (union.lts.initial(), union.second);
            let expected = naive(&Part::new(&union.lts, p), &Part::new(&union.lts, q));
            assert_eq!(isomorphic(&union.lts, p, q), Some(expected), "{seed}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
    }

    #[test]
    fn long_chains_and_many_twins() {
        let chain = |n: u32| {
            let mut builder = LtsBuilder::new(u64::from(n));
            for s in 1..n {
                builder.add_text(s - 1, b"a", s).unwrap();
            }
            builder.build(StateId::new(0)).unwrap()
        };
        assert_eq!(between(&chain(50_000), &chain(50_000)), Some(true));
        assert_eq!(between(&chain(50_000), &chain(49_999)), Some(false));
        let star = |n: u32| {
            let mut builder = LtsBuilder::new(u64::from(n));
            for s in 1..n {
                builder.add_text(0, b"a", s).unwrap();
            }
            builder.build(StateId::new(0)).unwrap()
        };
        assert_eq!(between(&star(1000), &star(1000)), Some(true));
    }

    /// Shapes in which many states are alike, numbered in another way: what takes time or
    /// memory for each pair of states is not found out within the bound.
    #[test]
    fn states_that_are_alike_are_mapped_one_by_one() {
        const N: u32 = 20_000;
        type Edges = fn(u32) -> Vec<(u32, u32)>;
        let shapes: [(&str, Edges); 5] = [
            ("hub", |v| vec![(0, v), (v, 0)]),
            ("path with loops", |v| vec![(v - 1, v), (v, v)]),
            ("binary tree", |v| vec![((v - 1) / 2, v)]),
            ("two cycles", |v| match v {
                1 | 2 => vec![(0, v), (N - 3 + v, v), (v, v + 2)],
                _ if v < N - 2 => vec![(v, v + 2)],
                _ => Vec::new(),
            }),
            ("two hubs", |v| match v {
                1 => vec![(0, 1), (1, 0)],
                _ => vec![(v % 2, v), (v, (v + 1) % 2)],
            }),
        ];
        let mut random = Random::new(5);
        for (name, edges) in shapes {
            let mut builder = LtsBuilder::new(N.into());
            for (s, t) in (1..N).flat_map(edges) {
                builder.add_text(s, b"a", t).unwrap();
            }
            let lts = builder.build(StateId::new(0)).unwrap();
            let other = shuffled(&lts, &mut random);
            assert_eq!(between(&lts, &other), Some(true), "{name}");
        }
    }
}
