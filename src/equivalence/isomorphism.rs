//! Isomorphism of the parts of an LTS that two states can reach.
//!
//! Colour refinement, by labels and both directions, and where it leaves a choice,
//! individualisation: a state of the first part is mapped to one after the other of the
//! same colour of the second, and colours are refined again (B. D. McKay, "Practical
//! graph isomorphism", 1981, without his pruning by automorphisms).

use std::collections::HashMap;

use foldhash::fast::FixedState;
use hyades_formats::{LabelId, Lts, StateId};

use super::strong_partition;

/// How much may be done for each state and transition …
const WORK_FACTOR: u64 = 1 << 12;
/// … and beyond.
const WORK_ANYHOW: u64 = 1 << 28;

/// Whether the parts of an LTS that two states can reach are isomorphic, with one state
/// mapped to the other. Transitions that occur several times count once. `None` if it was
/// not found out with some thousand steps for each state and transition.
///
/// Linear but for logarithms where no two states of a part are alike; up to exponential in
/// the number of choices otherwise. 40 bytes a state and 24 a transition.
pub(crate) fn isomorphic(lts: &Lts, p: StateId, q: StateId) -> Option<bool> {
    let (first, second) = (Part::new(lts, p), Part::new(lts, q));
    if first.states.len() != second.states.len() || first.steps.len() != second.steps.len() {
        return Some(false);
    }
    let size = (first.states.len() + first.steps.len()) as u64;
    Search::new(lts, &first, &second).run(size * WORK_FACTOR + WORK_ANYHOW)
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

/// The colour of a vertex, and its edges with the colours at their other ends, ascending.
type Signature = (u32, Vec<Edge>);

/// Vertices are the states of the first part, and behind them those of the second.
struct Search {
    offsets: Vec<usize>,
    edges: Vec<Edge>,
    /// How many vertices the first part has.
    half: usize,
    color: Vec<u32>,
    /// For each colour how many vertices of the two parts have it.
    counts: Vec<[u32; 2]>,
    /// Vertices whose colours have changed, with the old ones.
    trail: Vec<(u32, u32)>,
    work: u64,
}

/// A vertex of the first part that is mapped to one of the second.
struct Choice {
    vertex: u32,
    /// Those of its colour that have not been tried, the next one last.
    open: Vec<u32>,
    /// How long the trail was before.
    trail: usize,
    /// How many colours there were before.
    colors: usize,
}

impl Search {
    fn new(lts: &Lts, first: &Part, second: &Part) -> Self {
        let half = first.states.len();
        let of_second = second.steps.iter();
        let shifted = of_second.map(|&(s, a, t)| (s + half as u32, a, t + half as u32));
        let steps: Vec<_> = first.steps.iter().copied().chain(shifted).collect();
        let mut offsets = vec![0; 2 * half + 1];
        for &(s, _, t) in &steps {
            offsets[s as usize + 1] += 1;
            offsets[t as usize + 1] += 1;
        }
        for v in 1..offsets.len() {
            offsets[v] += offsets[v - 1];
        }
        let mut next = offsets.clone();
        let mut edges = vec![(false, LabelId::HIDDEN, 0); 2 * steps.len()];
        for (s, a, t) in steps {
            for (vertex, edge) in [(s, (true, a, t)), (t, (false, a, s))] {
                let place = &mut next[vertex as usize];
                edges[*place] = edge;
                *place += 1;
            }
        }
        // States on which strong bisimilarity differs cannot be mapped to each other, and
        // that is quickly known; nor can the roots be mapped to anything but each other.
        let classes = strong_partition(lts);
        let states = first.states.iter().chain(&second.states);
        let mut color: Vec<u32> = states.map(|&s| classes.class(s)).collect();
        let roots = classes.count() as u32;
        color[0] = roots;
        color[half] = roots;
        let mut counts = vec![[0; 2]; classes.count() + 1];
        for (v, &c) in color.iter().enumerate() {
            counts[c as usize][usize::from(v >= half)] += 1;
        }
        Self {
            offsets,
            edges,
            half,
            color,
            counts,
            trail: Vec::new(),
            work: 0,
        }
    }

    fn run(&mut self, limit: u64) -> Option<bool> {
        let all: Vec<u32> = (0..self.color.len() as u32).collect();
        if self.counts.iter().any(|[a, b]| a != b) || !self.refine(all) {
            return Some(false);
        }
        let mut choices: Vec<Choice> = Vec::new();
        // Vertices before this one have colours of their own.
        let mut vertex = 0;
        loop {
            if self.work > limit {
                return None;
            }
            while vertex < self.half && self.counts[self.color[vertex] as usize] == [1, 1] {
                vertex += 1;
            }
            if vertex == self.half {
                // Each vertex has one of its colour to be mapped to, and the colours of its
                // edges are the same.
                return Some(true);
            }
            let of_second = self.half as u32..self.color.len() as u32;
            let same = |&v: &u32| self.color[v as usize] == self.color[vertex];
            choices.push(Choice {
                vertex: vertex as u32,
                open: of_second.rev().filter(same).collect(),
                trail: self.trail.len(),
                colors: self.counts.len(),
            });
            self.work += self.half as u64;
            loop {
                let Some(choice) = choices.last_mut() else {
                    return Some(false);
                };
                let Some(image) = choice.open.pop() else {
                    choices.pop();
                    continue;
                };
                let (own, trail, colors) = (choice.vertex, choice.trail, choice.colors);
                self.undo(trail, colors);
                vertex = own as usize;
                let new = self.counts.len() as u32;
                self.counts.push([0; 2]);
                self.recolor(own, new);
                self.recolor(image, new);
                if self.refine(vec![own, image]) {
                    break;
                }
                if self.work > limit {
                    return None;
                }
            }
        }
    }

    fn recolor(&mut self, vertex: u32, color: u32) {
        let part = usize::from(vertex as usize >= self.half);
        let old = std::mem::replace(&mut self.color[vertex as usize], color);
        self.counts[old as usize][part] -= 1;
        self.counts[color as usize][part] += 1;
        self.trail.push((vertex, old));
    }

    fn undo(&mut self, trail: usize, colors: usize) {
        while self.trail.len() > trail {
            // The length says that there is one.
            let Some((vertex, old)) = self.trail.pop() else {
                break;
            };
            let part = usize::from(vertex as usize >= self.half);
            let new = std::mem::replace(&mut self.color[vertex as usize], old);
            self.counts[new as usize][part] -= 1;
            self.counts[old as usize][part] += 1;
        }
        self.counts.truncate(colors);
    }

    /// Refines the colours until vertices of one colour have as many edges with each label
    /// to each colour. Begins with the edges of these vertices. False if the two parts
    /// do not have as many vertices of each colour.
    fn refine(&mut self, mut changed: Vec<u32>) -> bool {
        let mut is_open = vec![false; self.color.len()];
        while !changed.is_empty() {
            let mut open: Vec<u32> = Vec::new();
            for &v in &changed {
                let range = self.offsets[v as usize]..self.offsets[v as usize + 1];
                self.work += range.len() as u64 + 1;
                for v in std::iter::once(v).chain(self.edges[range].iter().map(|e| e.2)) {
                    if !std::mem::replace(&mut is_open[v as usize], true) {
                        open.push(v);
                    }
                }
            }
            open.sort_unstable();
            open.iter().for_each(|&v| is_open[v as usize] = false);
            changed.clear();
            let Some(moves) = self.split(&open) else {
                return false;
            };
            for (vertex, color) in moves {
                self.recolor(vertex, color);
                changed.push(vertex);
            }
        }
        true
    }

    /// The new colours of these vertices, of which each colour's first signature keeps it if
    /// all vertices of the colour are among them. `None` if the parts differ.
    fn split(&mut self, open: &[u32]) -> Option<Vec<(u32, u32)>> {
        let mut groups: HashMap<Signature, u32, FixedState> = HashMap::default();
        let mut sizes: Vec<[u32; 2]> = Vec::new();
        let mut group_of = Vec::with_capacity(open.len());
        for &v in open {
            let range = self.offsets[v as usize]..self.offsets[v as usize + 1];
            self.work += range.len() as u64 + 1;
            let edges = self.edges[range].iter();
            let mut signature: Vec<_> = edges
                .map(|&(out, a, t)| (out, a, self.color[t as usize]))
                .collect();
            signature.sort_unstable();
            let next = sizes.len() as u32;
            let group = *groups
                .entry((self.color[v as usize], signature))
                .or_insert(next);
            if group == next {
                sizes.push([0; 2]);
            }
            sizes[group as usize][usize::from(v as usize >= self.half)] += 1;
            group_of.push(group);
        }
        if sizes.iter().any(|[a, b]| a != b) {
            return None;
        }
        // Vertices that are not open have edges as before, so they are apart from those of
        // their colour that have others now: the first group keeps the colour only if all
        // are open.
        let mut open_of_color: HashMap<u32, u32, FixedState> = HashMap::default();
        for &v in open {
            *open_of_color.entry(self.color[v as usize]).or_default() += 1;
        }
        let mut new_color: Vec<Option<u32>> = vec![None; sizes.len()];
        let mut moves = Vec::new();
        for (&v, &group) in open.iter().zip(&group_of) {
            let old = self.color[v as usize];
            let color = *new_color[group as usize].get_or_insert_with(|| {
                let all = self.counts[old as usize].iter().sum::<u32>();
                if open_of_color.insert(old, u32::MAX) == Some(all) {
                    return old;
                }
                self.counts.push([0; 2]);
                self.counts.len() as u32 - 1
            });
            if color != old {
                moves.push((v, color));
            }
        }
        Some(moves)
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
}
