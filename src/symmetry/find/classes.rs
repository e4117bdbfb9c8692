//! What a group of permutations does to the classes of values.

use super::Orbits;
use super::chain::Chain;
use super::order::Order;

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

/// The classes of more than one value, by their first members.
pub(super) fn classes(values: usize, generators: &[Vec<u32>], order: &Order) -> Vec<ValueClass> {
    let mut orbits = Orbits::new(values);
    for generator in generators {
        orbits.join(generator);
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
    let class = |class: Vec<u32>| {
        if all_permutations {
            return ValueClass {
                members: class,
                action: Action::Permutations,
                independent: true,
            };
        }
        let others = || moved.iter().copied().filter(|v| !class.contains(v));
        // The orbits of the first points of a base multiply to the number of
        // ways in which these are permuted.
        let first: Vec<u32> = class.iter().copied().chain(others()).collect();
        let last: Vec<u32> = others().chain(class.iter().copied()).collect();
        let chain = Chain::new(&first, generators, order);
        let ways = Order::product(chain.sizes().take(class.len()));
        let apart = Chain::new(&last, generators, order);
        let alone = Order::product(apart.sizes().skip(last.len() - class.len()));
        let independent = alone == ways;
        let size = class.len() as u32;
        if ways == Order::product(1..=size) {
            return ValueClass {
                members: class,
                action: Action::Permutations,
                independent,
            };
        }
        // A member for each image of the first value is then all there are.
        let circles = chain
            .first_members()
            .filter_map(|member| circle(&class, &member));
        match circles.min().filter(|_| ways == Order::product([size])) {
            Some(members) => ValueClass {
                members,
                action: Action::Rotations,
                independent,
            },
            None => ValueClass {
                members: class,
                action: Action::Other(ways),
                independent,
            },
        }
    };
    members.into_iter().map(class).collect()
}

/// The class in the order in which the permutation takes each value to the next,
/// if that is one cycle.
fn circle(class: &[u32], image: &[u32]) -> Option<Vec<u32>> {
    let mut members = vec![class[0]];
    loop {
        let next = image[members[members.len() - 1] as usize];
        if next == class[0] {
            return (members.len() == class.len()).then_some(members);
        }
        members.push(next);
    }
}
