//! Searching for an order of labels that gives a small kernel.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use hyades_base::draw;
use hyades_base::interned::Interned;
use hyades_base::parallel;
use hyades_formats::Lts;
use rayon::prelude::*;

use super::graph::Graph;
use super::instances::Instances;
use super::kernel::{KernelError, Nodes, nodes};
use super::pattern::{Order, Pattern};
use super::product::Product;

/// How to search for an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderSearch {
    /// Try all orders if there are at most so many.
    pub exhaustive: u64,
    /// Otherwise improve the pattern's order and so many random ones.
    pub random: u32,
    /// What the random ones are drawn from.
    pub seed: u64,
}

impl Default for OrderSearch {
    fn default() -> Self {
        Self {
            exhaustive: 5040,
            random: 10,
            seed: 0,
        }
    }
}

/// What [`best_order`] has found.
#[derive(Clone, Debug)]
pub struct BestOrder {
    /// The pattern's order with the values in its lists in another sequence.
    pub order: Order,
    /// How many different orders were tried.
    pub tried: u64,
    /// Whether these are all.
    pub exhaustive: bool,
}

/// For each list of an order, the places in it of the values in their new
/// sequence.
type Places = Vec<Vec<u32>>;

/// States and transitions of a kernel: less is better.
type Size = (u64, u64);

const LARGEST: Size = (u64::MAX, u64::MAX);

/// Searches for an order that gives a smallest kernel (fewest states, then
/// fewest transitions) among those that differ from the pattern's in the
/// sequence of the values in its lists.
///
/// All are tried if they are few enough, and the first of the best, in
/// lexicographic order, is the result. Otherwise the pattern's order and random
/// ones are improved step by step: each step moves one value or exchanges two,
/// so that the kernel becomes as small as one step can make it, until none makes
/// it smaller. An order that comes again is not tried again, as long as what is known of
/// orders takes no more than 256 MiB; once as many have come as there are, all are tried.
/// The result does not depend on the number of threads.
///
/// An order takes O(nodes and transitions of its kernel) time, less if it turns
/// out worse than another. In memory are the nodes of the specification with the
/// copies, with 12 bytes a transition and, for each thread, 8 bytes a node.
///
/// `progress` is told every now and then how many orders have been tried;
/// `Break` ends the search with the best one so far.
///
/// # Errors
/// As [`kernel`](super::kernel()), for the specification as a whole.
pub fn best_order(
    specification: &Lts,
    copies: &Instances,
    pattern: &Pattern,
    search: OrderSearch,
    progress: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<BestOrder, KernelError> {
    let product = Product::new(specification, copies, None);
    let Nodes { packed, graph } =
        nodes(&product, specification, &mut |_| ControlFlow::Continue(()))?;
    let parts = graph.into_parts();
    let graph = &Graph::new(
        copies,
        &packed,
        parts,
        packed.len(),
        &mut Interned::default(),
    );
    let lists = pattern.order.lists();
    let lengths: Vec<usize> = lists.iter().map(|list| list.values.len()).collect();
    let count = lengths.iter().try_fold(1u64, |product, &length| {
        (1..=length as u64).try_fold(product, u64::checked_mul)
    });
    let few = count.is_some_and(|count| count <= search.exhaustive);
    let first: Places = lengths.iter().map(|&n| (0..n as u32).collect()).collect();
    let mut orders = Orders {
        specification,
        pattern,
        graph,
        walks: (0..parallel::threads())
            .map(|_| Walk::new(graph, specification))
            .collect(),
        known: Interned::default(),
        sizes: Vec::new(),
        remembers: !few,
        asked: 0,
        tried: 0,
        progress,
        stopped: false,
    };
    let improved = match few {
        true => None,
        false => orders.improve(&first, search, count),
    };
    let exhaustive = improved.is_none();
    let best = improved.unwrap_or_else(|| orders.try_all(first));
    Ok(BestOrder {
        order: pattern.order.permuted(&best),
        tried: orders.tried,
        exhaustive: !orders.stopped && (exhaustive || Some(orders.tried) == count),
    })
}

struct Orders<'a> {
    specification: &'a Lts,
    pattern: &'a Pattern,
    graph: &'a Graph<'a>,
    /// One for each thread.
    walks: Vec<Walk>,
    /// Orders that were tried, with the places of all lists one after the other.
    known: Interned<u32>,
    /// What is known of their kernels.
    sizes: Vec<Known>,
    /// Whether orders may come again.
    remembers: bool,
    /// How many orders came.
    asked: u64,
    /// How many different ones.
    tried: u64,
    progress: &'a mut dyn FnMut(u64) -> ControlFlow<()>,
    stopped: bool,
}

/// What is known of the kernel by an order.
#[derive(Clone, Copy)]
enum Known {
    /// Its size.
    Size(Size),
    /// It has at least so many states.
    States(u64),
}

/// So many bytes are known of orders.
const MOST_KNOWN: usize = 256 << 20;

/// So many orders are tried between two looks at the progress.
const BATCH: usize = 256;

impl Orders<'_> {
    fn try_all(&mut self, first: Places) -> Places {
        let mut best = first.clone();
        let mut least = LARGEST;
        let mut next = Some(first);
        while next.is_some() && !self.stopped {
            let mut batch = Vec::new();
            while let Some(places) = next.take_if(|_| batch.len() < BATCH) {
                next = following(&places);
                batch.push(places);
            }
            if let Some((size, k)) = self.best_below(least, &batch) {
                least = size;
                best = batch.swap_remove(k);
            }
        }
        best
    }

    /// The best that improving leads to; nothing if as many orders as there are have come,
    /// so that all can be tried as well.
    fn improve(
        &mut self,
        first: &Places,
        search: OrderSearch,
        count: Option<u64>,
    ) -> Option<Places> {
        let mut best = first.clone();
        let mut least = LARGEST;
        for start in 0..=u64::from(search.random) {
            let mut places = first.clone();
            if start > 0 {
                shuffle(&mut places, search.seed, start);
            }
            let mut size = LARGEST;
            let mut steps = vec![places.clone()];
            while let Some((smaller, k)) = self.best_below(size, &steps) {
                size = smaller;
                places = steps.swap_remove(k);
                steps = neighbours(&places);
                if count.is_some_and(|count| self.asked + steps.len() as u64 > count) {
                    return None;
                }
            }
            if size < least {
                least = size;
                best = places;
            }
        }
        Some(best)
    }

    /// The number of an order, if it is remembered; counts it if it is new.
    fn number(&mut self, places: &Places) -> Option<u32> {
        if !self.remembers {
            self.tried += 1;
            return None;
        }
        let flat = places.concat();
        let number = match self.known.bytes() < MOST_KNOWN {
            true => Some(self.known.intern(&flat)),
            false => self.known.find(&flat).map(|number| (number, false)),
        };
        let is_new = number.is_none_or(|(_, is_new)| is_new);
        self.tried += u64::from(is_new);
        if self.sizes.len() < self.known.len() {
            self.sizes.push(Known::States(0));
        }
        number.map(|(number, _)| number)
    }

    /// The first of the best of these orders that are better than `bound`, and
    /// the size of its kernel.
    fn best_below(&mut self, bound: Size, orders: &[Places]) -> Option<(Size, usize)> {
        if self.stopped {
            return None;
        }
        self.asked += orders.len() as u64;
        let numbers: Vec<Option<u32>> = orders.iter().map(|places| self.number(places)).collect();
        let known = |k: usize| Some(self.sizes[numbers[k]? as usize]);
        // Those that are to be tried, and the best of the others.
        let mut open = Vec::new();
        let mut best: Option<(Size, usize)> = None;
        for k in 0..orders.len() {
            match known(k) {
                Some(Known::Size(size)) => best = best.into_iter().chain([(size, k)]).min(),
                Some(Known::States(states)) if states > bound.0 => {}
                Some(Known::States(_)) | None => open.push(k),
            }
        }
        // What has more states than another is not the best.
        let least = best.map_or(bound.0, |(size, _)| size.0.min(bound.0));
        let most = AtomicU64::new(least);
        let next = AtomicUsize::new(0);
        let (specification, pattern, graph) = (self.specification, self.pattern, self.graph);
        let found: Vec<(usize, Known)> = self
            .walks
            .par_iter_mut()
            .flat_map_iter(|walk| {
                std::iter::from_fn(|| {
                    let k = *open.get(next.fetch_add(1, Ordering::Relaxed))?;
                    let order = pattern.order.permuted(&orders[k]);
                    let ranks = order.ranks(specification, &pattern.syntax);
                    let known = walk.kernel(graph, &ranks, &most);
                    if let Known::Size(size) = known {
                        most.fetch_min(size.0, Ordering::Relaxed);
                    }
                    Some((k, known))
                })
            })
            .collect();
        for (k, known) in found {
            if let Some(number) = numbers[k] {
                self.sizes[number as usize] = known;
            }
            if let Known::Size(size) = known {
                best = best.into_iter().chain([(size, k)]).min();
            }
        }
        self.stopped = (self.progress)(self.tried).is_break();
        best.filter(|(size, _)| *size < bound)
    }
}

/// The next in lexicographic order.
fn following(places: &Places) -> Option<Places> {
    let mut next = places.clone();
    for list in next.iter_mut().rev() {
        if let Some(k) = list.windows(2).rposition(|two| two[0] < two[1]) {
            let larger = list.iter().rposition(|&place| place > list[k]);
            // There is one: the next.
            list.swap(k, larger.unwrap_or(k + 1));
            list[k + 1..].reverse();
            return Some(next);
        }
        list.reverse();
    }
    None
}

/// What one step makes of an order: a value moved, or two exchanged.
fn neighbours(places: &Places) -> Vec<Places> {
    let mut all = Vec::new();
    for (k, list) in places.iter().enumerate() {
        let mut add = |changed: Vec<u32>| {
            let mut next = places.clone();
            next[k] = changed;
            all.push(next);
        };
        for a in 0..list.len() {
            for b in 0..list.len() {
                if a < b {
                    let mut exchanged = list.clone();
                    exchanged.swap(a, b);
                    add(exchanged);
                }
                // Neighbours are exchanged above.
                if a.abs_diff(b) > 1 {
                    let mut moved = list.clone();
                    let value = moved.remove(a);
                    moved.insert(b, value);
                    add(moved);
                }
            }
        }
    }
    all
}

fn shuffle(places: &mut Places, seed: u64, start: u64) {
    let mut drawn = 0;
    for list in places {
        for k in (1..list.len()).rev() {
            list.swap(k, draw(seed, start, drawn, k as u64 + 1) as usize);
            drawn += 1;
        }
    }
}

/// What walking through a kernel needs.
struct Walk {
    /// The number of the walk that has been at a node last.
    nodes: Vec<u32>,
    /// The same for states of the specification.
    states: Vec<u32>,
    number: u32,
    queue: Vec<u32>,
}

impl Walk {
    fn new(graph: &Graph<'_>, specification: &Lts) -> Self {
        Self {
            nodes: vec![0; graph.len()],
            states: vec![0; specification.states()],
            number: 0,
            queue: Vec::new(),
        }
    }

    /// The size of the kernel by an order; if it has more than `most` states, only that it
    /// has as many as were found up to then.
    fn kernel(&mut self, graph: &Graph<'_>, ranks: &[u32], most: &AtomicU64) -> Known {
        if self.number == u32::MAX {
            self.nodes.fill(0);
            self.states.fill(0);
            self.number = 0;
        }
        self.number += 1;
        self.queue.clear();
        let (mut states, mut transitions) = (0, 0);
        self.meet(graph, 0, &mut states);
        let mut next = 0;
        while let Some(&node) = self.queue.get(next) {
            next += 1;
            if states > most.load(Ordering::Relaxed) {
                return Known::States(states);
            }
            for (_, class) in graph.by_colour(node) {
                let labels = class.clone().map(|at| graph.label(at));
                let least = labels.min_by_key(|label| ranks[label.index()]);
                for at in class.filter(|&at| Some(graph.label(at)) == least) {
                    transitions += 1;
                    self.meet(graph, graph.target(at), &mut states);
                }
            }
        }
        Known::Size((states, transitions))
    }

    fn meet(&mut self, graph: &Graph<'_>, node: u32, states: &mut u64) {
        if self.nodes[node as usize] == self.number {
            return;
        }
        self.nodes[node as usize] = self.number;
        self.queue.push(node);
        let state = graph.state(node) as usize;
        if self.states[state] != self.number {
            self.states[state] = self.number;
            *states += 1;
        }
    }
}
