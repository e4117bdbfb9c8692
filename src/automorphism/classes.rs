//! What a group of permutations does to the classes of values.

use std::cell::LazyCell;
use std::collections::HashMap;

use super::chain::Chain;
use super::order::Order;
use super::{Generator, Orbits};

/// Values that go to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueClass {
    /// Indices of the values: ascending, but for [`Action::Rotations`] in an
    /// order in which each goes to the next.
    pub members: Vec<u32>,
    /// How the group permutes the class.
    pub action: Action,
    /// Whether it does so while all values outside stay as they are. Otherwise
    /// the class is tied to others: some values elsewhere have to move with it.
    pub independent: bool,
}

impl ValueClass {
    /// In how many ways the group permutes the class.
    pub fn order(&self) -> Order {
        let size = self.members.len() as u32;
        match &self.action {
            Action::Permutations => Order::product(1..=size),
            Action::Rotations => Order::product([size]),
            Action::Other(order) => order.clone(),
        }
    }
}

/// How a group permutes a class of values, whatever it does to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// In all ways.
    Permutations,
    /// As rotations of a circle, for three values or more.
    Rotations,
    /// In so many other ways.
    Other(Order),
}

impl Action {
    /// The name in output: `permutations`, `rotations` or `other`.
    pub fn name(&self) -> &'static str {
        match self {
            Action::Permutations => "permutations",
            Action::Rotations => "rotations",
            Action::Other(_) => "other",
        }
    }
}

/// The classes of more than one value, by their first members. The generators
/// are those of a group of this order.
pub(super) fn classes(values: usize, generators: &[Generator], order: &Order) -> Vec<ValueClass> {
    let mut orbits = Orbits::new(values);
    for generator in generators {
        orbits.join(generator.moves());
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); values];
    for value in 0..values as u32 {
        members[orbits.root(value) as usize].push(value);
    }
    members.retain(|class| class.len() > 1);
    members.sort_unstable();

    // If the order says that all permutations of all classes are there, there
    // is nothing to find out.
    let all = members.iter().flat_map(|class| 1..=class.len() as u32);
    let all_permutations = Order::product(all) == *order;
    let moved: Vec<u32> = members.concat();
    let images = LazyCell::new(|| generators.iter().map(|g| g.values.images(values)).collect());
    // The orbits of the points of a base, each under what fixes those before.
    let sizes = |base: &[u32]| -> Vec<u32> {
        strong_sizes(base, generators, order).unwrap_or_else(|| {
            let images: &Vec<Vec<u32>> = &images;
            Chain::new(base, images, order).sizes().collect()
        })
    };
    let class = |class: Vec<u32>| {
        if all_permutations {
            return ValueClass {
                members: class,
                action: Action::Permutations,
                independent: true,
            };
        }
        let inside = {
            let mut inside = vec![false; values];
            class.iter().for_each(|&v| inside[v as usize] = true);
            inside
        };
        let others = || moved.iter().copied().filter(|&v| !inside[v as usize]);
        // The orbits of the first points of a base multiply to the number of
        // ways in which these are permuted.
        let first: Vec<u32> = class.iter().copied().chain(others()).collect();
        let last: Vec<u32> = others().chain(class.iter().copied()).collect();
        let ways = Order::product(sizes(&first).into_iter().take(class.len()));
        let alone = Order::product(sizes(&last).into_iter().skip(last.len() - class.len()));
        let independent = alone == ways;
        let size = class.len() as u32;
        let (members, action) = if ways == Order::product(1..=size) {
            (class, Action::Permutations)
        } else if ways != Order::product([size]) {
            (class, Action::Other(ways))
        } else {
            match circle(&class, generators) {
                Some(members) => (members, Action::Rotations),
                None => (class, Action::Other(ways)),
            }
        };
        ValueClass {
            members,
            action,
            independent,
        }
    };
    members.into_iter().map(class).collect()
}

/// The sizes of the orbits of a base's points, each under those generators that
/// fix the points before, if they multiply to the group's order: then there is
/// no more to the orbits. The base has all points that move.
///
/// O(points that each generator moves).
fn strong_sizes(base: &[u32], generators: &[Generator], order: &Order) -> Option<Vec<u32>> {
    let place: HashMap<u32, usize> = base.iter().copied().zip(0..).collect();
    let mut by_first: Vec<Vec<&Generator>> = vec![Vec::new(); base.len()];
    for generator in generators {
        let first = generator.moves().map(|(v, _)| place[&v]).min();
        by_first[first.expect("generators move values")].push(generator);
    }
    let mut orbits = Orbits::new(base.len());
    let mut sizes = vec![1; base.len()];
    for k in (0..base.len()).rev() {
        for generator in &by_first[k] {
            let pairs = generator.moves();
            orbits.join(pairs.map(|(v, w)| (place[&v] as u32, place[&w] as u32)));
        }
        sizes[k] = orbits.size(k as u32);
    }
    (Order::product(sizes.iter().copied()) == *order).then_some(sizes)
}

/// The class in an order in which a member of the group takes each value to the
/// next, the smallest of these; `None` if none does so. There are as many ways in
/// which the group permutes the class as there are values in it.
///
/// A group of this order is cyclic if and only if it is abelian and the least
/// common multiple of its members' orders is its own.
fn circle(class: &[u32], generators: &[Generator]) -> Option<Vec<u32>> {
    let n = class.len();
    let place: HashMap<u32, usize> = class.iter().copied().zip(0..).collect();
    let on_class =
        |g: &Generator| -> Vec<usize> { class.iter().map(|&v| place[&g.image(v)]).collect() };
    let mut images: Vec<Vec<usize>> = generators.iter().map(on_class).collect();
    images.retain(|image| !image.is_sorted());
    images.sort_unstable();
    images.dedup();
    let commute = |a: &Vec<usize>, b: &Vec<usize>| (0..n).all(|x| a[b[x]] == b[a[x]]);
    // All values but those that no member moves are moved alike, as the group
    // is regular: its members' cycles have one length each.
    let length = |image: &Vec<usize>| {
        let mut at = image[0];
        let mut length = 1;
        while at != 0 {
            at = image[at];
            length += 1;
        }
        length
    };
    let abelian = || images.iter().all(|a| images.iter().all(|b| commute(a, b)));
    if images.iter().map(length).fold(1, lcm) != n || !abelian() {
        return None;
    }
    // For each image of the first value, how to get there.
    let mut found_by = vec![None; n];
    let mut reached = vec![0];
    let mut next = 0;
    while next < reached.len() {
        let x = reached[next];
        next += 1;
        for (g, image) in images.iter().enumerate() {
            let y = image[x];
            if y != 0 && found_by[y].is_none() {
                found_by[y] = Some((x, g));
                reached.push(y);
            }
        }
    }
    (1..n).find_map(|y| {
        let mut member: Vec<usize> = (0..n).collect();
        let mut at = y;
        while let Some((before, g)) = found_by[at] {
            member.iter_mut().for_each(|x| *x = images[g][*x]);
            at = before;
        }
        let mut circle = vec![class[0]];
        let mut at = member[0];
        while at != 0 {
            circle.push(class[at]);
            at = member[at];
        }
        (circle.len() == n).then_some(circle)
    })
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
