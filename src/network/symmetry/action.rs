//! What permutations do to located states.
//!
//! A *located state* is a component and one of its states, as one number. The
//! group of all permutations of values, type by type, acts on them. Orbits are
//! what is left of a state if values mean nothing: control states. Values that may
//! be exchanged without changing a located state are *interchangeable* in it; a
//! located state is determined by its orbit and what a permutation does to the
//! values outside one class of interchangeable values of each type, its
//! *support*. The *role* of a value in a located state is the orbit of the pair.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::generator::Generator;
use super::parts::Parts;
use super::types::Types;

/// A value that has a role of interest in a located state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The value.
    pub value: u32,
    /// The role, by numbers that mean something within the orbit only.
    pub role: u32,
    /// Random bits for the role.
    pub key: u64,
}

/// A value of the support of a located state, and by how much an index into the
/// orbit's table grows with its image.
#[derive(Clone, Copy, Debug)]
struct Entry {
    value: u16,
    factor: u32,
}

/// What there is to know of a located state.
#[derive(Clone, Copy, Debug)]
struct Located {
    component: u32,
    orbit: u32,
    /// Random bits for the orbit.
    key: u64,
    /// Its support in `entries`, or nothing if the orbit has no table.
    entries: (u32, u32),
    /// Where the orbit's table starts, less the least index.
    table: u32,
    edges: (u32, u32),
}

/// No table.
const NONE: u32 = u32::MAX;

/// The most entries that the table of an orbit may have, and all tables together.
const MOST_ENTRIES: [usize; 2] = [1 << 18, 1 << 24];

/// The action of the group on located states.
pub(super) struct Action {
    /// The values of each type.
    pub ranges: Vec<Range<usize>>,
    /// The first located state of each component, and one more.
    pub first: Vec<u32>,
    /// For each located state the values whose exchange with the next one moves it,
    /// ascending, and where to.
    moves: Vec<Vec<(u16, u32)>>,
    /// The numbers of the types with values whose exchanges move located states.
    moving: Vec<usize>,
    located: Vec<Located>,
    entries: Vec<Entry>,
    tables: Vec<u32>,
    pub edges: Vec<Edge>,
    /// How many orbits there are.
    pub orbits: u32,
    /// For each orbit, how many roles have only one value and are of interest.
    pub roles: Vec<u32>,
}

/// Random bits from a number (the finaliser of `SplitMix64`).
pub(super) const fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The exchanges of neighbouring values, which generate the group.
pub(super) fn neighbours(types: &Types) -> Vec<[u16; 2]> {
    let ranges = types.ranges().into_iter();
    let pairs = ranges.flat_map(|range| range.start..range.end.max(1) - 1);
    pairs.map(|v| [v as u16, v as u16 + 1]).collect()
}

impl Action {
    /// The action of generators that are the [`neighbours`].
    ///
    /// O(located states · generators that move any), and for each orbit O(its size · the
    /// square of the values of types that move it), besides tables.
    pub fn new(parts: &Parts, types: &Types, generators: &[Option<Generator>]) -> Self {
        let mut first = vec![0u32];
        for k in 0..parts.components.len() {
            first.push(first[k] + parts.leaf(k).lts.states() as u32);
        }
        let count = first[parts.components.len()] as usize;
        let located = |(component, state): (u32, u32)| first[component as usize] + state;
        let mut moves = vec![Vec::new(); count];
        for ([v, _], generator) in neighbours(types).into_iter().zip(generators) {
            let Some(generator) = generator else { continue };
            for &x in &generator.moved {
                moves[located(x) as usize].push((v, located(generator.image(x))));
            }
        }
        let none = Located {
            component: 0,
            orbit: NONE,
            key: 0,
            entries: (0, 0),
            table: NONE,
            edges: (0, 0),
        };
        let mut action = Self {
            ranges: types.ranges(),
            moving: Vec::new(),
            moves,
            located: vec![none; count],
            entries: Vec::new(),
            tables: Vec::new(),
            edges: Vec::new(),
            orbits: 0,
            roles: Vec::new(),
            first,
        };
        for component in 0..parts.components.len() {
            for x in action.first[component]..action.first[component + 1] {
                action.located[x as usize].component = component as u32;
            }
        }
        let all: Vec<u32> = (0..count as u32).collect();
        action.moving = action.types_that_move(&all);
        for x in all {
            if action.located[x as usize].orbit == NONE {
                action.add_orbit(x);
            }
        }
        action
    }

    /// The component of a located state.
    #[inline]
    pub fn component(&self, x: u32) -> u32 {
        self.located[x as usize].component
    }

    /// The orbit of a located state.
    #[inline]
    pub fn orbit(&self, x: u32) -> u32 {
        self.located[x as usize].orbit
    }

    /// The values of interest in a located state, by value.
    #[inline]
    pub fn edges(&self, x: u32) -> &[Edge] {
        let (from, to) = self.located[x as usize].edges;
        &self.edges[from as usize..to as usize]
    }

    /// Random bits for the orbit of a located state, and where its values of interest
    /// are in `edges`.
    #[inline]
    pub fn joined(&self, x: u32) -> (u64, u32, u32) {
        let own = &self.located[x as usize];
        (own.key, own.edges.0, own.edges.1)
    }

    /// How many values there are.
    pub fn values(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    /// The numbers of the types that move located states, ascending.
    pub fn moving(&self) -> &[usize] {
        &self.moving
    }

    /// The number of the type of a value.
    fn type_of(&self, value: usize) -> usize {
        self.ranges.partition_point(|range| range.end <= value)
    }

    /// The numbers of the types that move any of these, ascending.
    fn types_that_move(&self, members: &[u32]) -> Vec<usize> {
        let moves = members.iter().flat_map(|&x| &self.moves[x as usize]);
        let values: BTreeSet<u16> = moves.map(|&(v, _)| v).collect();
        let mut types: Vec<usize> = values.into_iter().map(|v| self.type_of(v.into())).collect();
        types.dedup();
        types
    }

    /// How many located states there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.located.len()
    }

    /// What the exchange of a value and the next one of its type does.
    pub fn exchange(&self, value: usize, x: u32) -> u32 {
        let moves = &self.moves[x as usize];
        match moves.binary_search_by_key(&value, |&(v, _)| v.into()) {
            Ok(at) => moves[at].1,
            Err(_) => x,
        }
    }

    /// What the exchange of two values of one type does. O(distance).
    pub fn transposed(&self, v: usize, w: usize, x: u32) -> u32 {
        let (low, high) = (v.min(w), v.max(w));
        let there = low..high;
        let back = (low..high.max(1) - 1).rev();
        there
            .chain(back)
            .fold(x, |x, value| self.exchange(value, x))
    }

    /// What the permutation that maps each value to its image does. O(size of the
    /// support), or O(values²) without a table.
    #[inline]
    pub fn apply(&self, image: &[u16], x: u32) -> u32 {
        let own = &self.located[x as usize];
        if own.table == NONE {
            return self.apply_slowly(image, x);
        }
        let entries = &self.entries[own.entries.0 as usize..own.entries.1 as usize];
        let mut index = own.table;
        for entry in entries {
            let image = u32::from(image[usize::from(entry.value)]);
            index = index.wrapping_add(image * entry.factor);
        }
        self.tables[index as usize]
    }

    /// The same without a table.
    #[cold]
    pub fn apply_slowly(&self, image: &[u16], mut x: u32) -> u32 {
        // Sorting by exchanges of neighbours: the first one done is the first one
        // of which the permutation consists.
        let mut image = image.to_vec();
        for range in &self.ranges {
            for end in (range.start + 1..range.end).rev() {
                for at in range.start..end {
                    if image[at] > image[at + 1] {
                        image.swap(at, at + 1);
                        x = self.exchange(at, x);
                    }
                }
            }
        }
        x
    }

    /// Numbers the orbit of a located state, with all that depends on it.
    fn add_orbit(&mut self, start: u32) {
        let orbit = self.orbits;
        self.orbits += 1;
        let mut members = vec![start];
        self.located[start as usize].orbit = orbit;
        let mut at = 0;
        while at < members.len() {
            for &(_, image) in &self.moves[members[at] as usize] {
                if self.located[image as usize].orbit == NONE {
                    self.located[image as usize].orbit = orbit;
                    members.push(image);
                }
            }
            at += 1;
        }
        self.add_roles(&members);
        self.add_table(&members);
    }

    /// The roles of values in the states of an orbit, but for a most frequent one
    /// of each type, which follows from the others.
    fn add_roles(&mut self, members: &[u32]) {
        // To types that move no member, all their values are alike.
        let types = self.types_that_move(members);
        let values = types.iter().flat_map(|&t| self.ranges[t].clone());
        let values: Vec<usize> = values.collect();
        let count = values.len();
        let mut position = HashMap::new();
        for (k, &x) in members.iter().enumerate() {
            position.insert(x, k);
        }
        // Pairs of members and values, in sets that are joined.
        let mut parent: Vec<u32> = (0..(members.len() * count) as u32).collect();
        for (k, &x) in members.iter().enumerate() {
            for at in 0..count.max(1) - 1 {
                if self.type_of(values[at]) != self.type_of(values[at + 1]) {
                    continue;
                }
                let target = position[&self.exchange(values[at], x)] * count;
                for other in 0..count {
                    let image = exchanged(at, other);
                    join(&mut parent, k * count + other, target + image);
                }
            }
        }
        // Numbers of roles by their first value in the first member.
        let roots: Vec<usize> = (0..count).map(|v| find(&mut parent, v)).collect();
        let sizes: Vec<usize> = roots
            .iter()
            .map(|root| roots.iter().filter(|other| *other == root).count())
            .collect();
        let mut dropped: Vec<usize> = Vec::new();
        let mut end = 0;
        for &number in &types {
            let start = end;
            end += self.ranges[number].len();
            let most = (start..end).rev().max_by_key(|&v| sizes[v]);
            dropped.extend(most.map(|v| roots[v]));
        }
        let mut numbers: Vec<Option<u32>> = vec![None; members.len() * count];
        let mut next = 0;
        // Those with one value first.
        for single in [true, false] {
            for v in 0..count {
                let root = roots[v];
                let fits = (sizes[v] == 1) == single && !dropped.contains(&root);
                if fits && numbers[root].is_none() {
                    numbers[root] = Some(next);
                    next += 1;
                }
            }
            if single {
                self.roles.push(next);
            }
        }
        let orbit = u64::from(self.located[members[0] as usize].orbit);
        for (k, &x) in members.iter().enumerate() {
            let from = self.edges.len() as u32;
            for v in 0..count {
                if let Some(role) = numbers[find(&mut parent, k * count + v)] {
                    self.edges.push(Edge {
                        value: values[v] as u32,
                        role,
                        key: mixed(orbit << 32 | u64::from(role)),
                    });
                }
            }
            self.located[x as usize].edges = (from, self.edges.len() as u32);
            self.located[x as usize].key = mixed(orbit << 32 | u64::from(u32::MAX));
        }
    }

    /// The values outside a largest class of interchangeable ones of each type.
    fn support(&self, x: u32) -> Vec<usize> {
        let mut support = Vec::new();
        for &number in &self.moving {
            let range = &self.ranges[number];
            let mut classes: Vec<Vec<usize>> = Vec::new();
            for v in range.clone() {
                let own = |class: &&mut Vec<usize>| self.transposed(class[0], v, x) == x;
                match classes.iter_mut().find(own) {
                    Some(class) => class.push(v),
                    None => classes.push(vec![v]),
                }
            }
            let largest = (0..classes.len()).rev().max_by_key(|&k| classes[k].len());
            for (k, class) in classes.iter().enumerate() {
                if Some(k) != largest {
                    support.extend(class);
                }
            }
        }
        support.sort_unstable();
        support
    }

    /// The table of an orbit: a located state for each image of the support of the
    /// first member. Nothing if it would be too large.
    fn add_table(&mut self, members: &[u32]) {
        let base = self.support(members[0]);
        let range = |v: usize| self.ranges[self.type_of(v)].clone();
        let mut size = 1usize;
        let mut least = 0u32;
        let mut factors = Vec::with_capacity(base.len());
        for &v in &base {
            factors.push(size as u32);
            least = least.wrapping_add((range(v).start * size) as u32);
            size = size.saturating_mul(range(v).len());
            if size > MOST_ENTRIES[0] || self.tables.len() + size > MOST_ENTRIES[1] {
                return;
            }
        }
        let first = self.tables.len();
        let table = (first as u32).wrapping_sub(least);
        self.tables.resize(first + size, NONE);
        let index = |values: &[usize]| {
            let products = values.iter().zip(&factors).map(|(&v, &f)| v as u32 * f);
            products.fold(table, u32::wrapping_add) as usize
        };
        self.tables[index(&base)] = members[0];
        let mut open = vec![(members[0], base)];
        while let Some((x, values)) = open.pop() {
            let own = &mut self.located[x as usize];
            if own.table == NONE {
                let from = self.entries.len() as u32;
                own.table = table;
                own.entries = (from, from + values.len() as u32);
                let entries = values.iter().zip(&factors).map(|(&v, &factor)| Entry {
                    value: v as u16,
                    factor,
                });
                self.entries.extend(entries);
            }
            // What keeps the support keeps the located state.
            let touching = values.iter().flat_map(|&v| [v.checked_sub(1), Some(v)]);
            let touching: BTreeSet<usize> = touching.flatten().collect();
            for value in touching {
                if self.type_of(value) != self.type_of(value + 1) {
                    continue;
                }
                let moved: Vec<usize> = values.iter().map(|&v| exchanged(value, v)).collect();
                let image = self.exchange(value, x);
                let entry = &mut self.tables[index(&moved)];
                if *entry == NONE {
                    *entry = image;
                    open.push((image, moved));
                }
            }
        }
    }
}

/// What the exchange of a place and the next one makes of another place.
fn exchanged(place: usize, other: usize) -> usize {
    match other {
        _ if other == place => place + 1,
        _ if other == place + 1 => place,
        _ => other,
    }
}

fn find(parent: &mut [u32], mut at: usize) -> usize {
    while parent[at] as usize != at {
        parent[at] = parent[parent[at] as usize];
        at = parent[at] as usize;
    }
    at
}

fn join(parent: &mut [u32], a: usize, b: usize) {
    let (a, b) = (find(parent, a), find(parent, b));
    // The lower number stays, so that numbers do not depend on the order.
    parent[a.max(b)] = a.min(b) as u32;
}
