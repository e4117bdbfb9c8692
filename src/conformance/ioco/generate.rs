//! Tests from a specification and a test purpose.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;

use foldhash::fast::RandomState;
use hyades_base::draw;
use hyades_base::interned::Interned;
use hyades_formats::Lts;

use super::graph::{TestGraph, TestStep, Verdict};
use super::interface::{Event, Interface, Locks};
use super::purpose::TestPurpose;
use super::suspension::{Pair, Suspension};

/// What a test case prefers of what leads to the purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// That the tester does something, instead of waiting: as few observations as may be.
    Stimuli,
    /// That the purpose goes on, instead of staying in its state: as few transitions as
    /// may be that it stays with.
    Purpose,
}

/// What is generated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestOptions {
    /// The complete test graph, instead of a test case.
    pub complete: bool,
    /// Quiescence is observed.
    pub quiescence: bool,
    /// No cycles: what leads no nearer to the purpose is left out, and inconclusive if
    /// it is observed.
    pub acyclic: bool,
    /// What more transitions than this are needed for is not looked at.
    pub depth: Option<u64>,
    /// The test goes on after the purpose is reached, until the specification is where
    /// it began.
    pub postamble: bool,
    /// What a test case prefers, the first one most, and then what is shorter.
    pub priorities: Vec<Priority>,
    /// Instead of what is shorter, a test case prefers what is drawn by this seed.
    pub seed: Option<u64>,
}

impl Default for TestOptions {
    /// A test case with cycles.
    fn default() -> Self {
        Self {
            complete: false,
            quiescence: true,
            acyclic: false,
            depth: None,
            postamble: false,
            priorities: Vec::new(),
            seed: None,
        }
    }
}

/// Why there is no test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoTest {
    /// Nothing that the specification does is accepted, within the depth.
    NothingAccepted,
    /// The purpose is reached before anything has happened.
    AcceptedAtOnce,
}

impl fmt::Display for NoTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoTest::NothingAccepted => {
                "the test purpose accepts nothing that the specification does, within the depth if \
                 there is one"
            }
            NoTest::AcceptedAtOnce => {
                "the test purpose accepts before anything visible has happened"
            }
        })
    }
}

impl std::error::Error for NoTest {}

/// The test case or complete test graph of a specification and a purpose over its labels.
///
/// The product of both is made deterministic after each suspension trace, up to where
/// the purpose accepts: a state of the result is a set of states of the product. Those
/// that lead to acceptance are kept. In the complete test graph they have all inputs of
/// the specification that lead to such a state, and all its outputs and quiescence, of
/// which those are inconclusive that lead elsewhere. In a test case each has one of these
/// inputs, or else all outputs and quiescence, whichever is on the best way to the
/// purpose, so that it can still be reached; of several, the first one by its text. The
/// same for the same system, however its states and labels are numbered, without a seed.
///
/// O(sets · states of the product), with up to 2^(states of the product) sets, in the
/// worst case; mostly there are not many more than states.
///
/// # Errors
/// If there is none.
pub fn generate(
    specification: &Lts,
    interface: &Interface,
    purpose: &TestPurpose,
    options: &TestOptions,
) -> Result<TestGraph, NoTest> {
    let product = Suspension::new(specification, interface, Some(purpose), options.quiescence);
    let initial = product.initial();
    let ends = |set: &[Pair]| match set {
        _ if set.iter().any(|&(_, state)| purpose.accepts(state)) => Ends::Goal,
        _ if set.iter().all(|&(_, state)| purpose.refuses(state)) => Ends::Astray,
        _ => Ends::Not,
    };
    let automaton = Automaton::explored(&product, vec![initial], ends, options.depth);
    if automaton.is_goal(0) {
        return Err(NoTest::AcceptedAtOnce);
    }
    let way = Way::new(automaton, options);
    if way.costs[0].is_none() {
        return Err(NoTest::NothingAccepted);
    }
    let plain = Suspension::new(specification, interface, None, options.quiescence);
    let home = plain.initial();
    let back = options.postamble.then(|| {
        let goals = (0..way.automaton.sets.len() as u32).filter(|&k| way.automaton.is_goal(k));
        let starts = goals.map(|k| states_of(way.automaton.sets.get(k)));
        let starts = starts.filter(|set| *set != home).collect();
        let ends = |set: &[Pair]| match set == home {
            true => Ends::Goal,
            false => Ends::Not,
        };
        Way::new(Automaton::explored(&plain, starts, ends, None), options)
    });
    let mut builder = Builder {
        options,
        home,
        way,
        back,
        numbers: HashMap::default(),
        places: Vec::new(),
    };
    builder.number(Place::Way(0));
    let mut rows = Vec::new();
    while let Some(&place) = builder.places.get(rows.len()) {
        rows.push(builder.row(place));
    }
    Ok(TestGraph {
        rows,
        actions: interface.actions().clone(),
    })
}

/// The states of the system in a set, as a set without a purpose.
fn states_of(set: &[Pair]) -> Vec<Pair> {
    let mut states: Vec<Pair> = set.iter().map(|&(state, _)| (state, 0)).collect();
    states.dedup();
    states
}

/// Whether anything is looked for behind a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ends {
    /// It is.
    Not,
    /// The set is what was looked for.
    Goal,
    /// What is looked for is not behind it.
    Astray,
}

/// A transition between sets.
#[derive(Clone, Copy, Debug)]
struct Edge {
    event: Event,
    locks: Locks,
    target: u32,
}

/// The sets that are reached, numbered breadth-first.
struct Automaton {
    sets: Interned<Pair>,
    ends: Vec<Ends>,
    rows: Vec<Vec<Edge>>,
}

impl Automaton {
    /// Explores from all these sets, up to where it ends or is so deep.
    fn explored(
        suspension: &Suspension<'_>,
        starts: Vec<Vec<Pair>>,
        ends: impl Fn(&[Pair]) -> Ends,
        depth: Option<u64>,
    ) -> Self {
        let mut found = Self {
            sets: Interned::default(),
            ends: Vec::new(),
            rows: Vec::new(),
        };
        for set in &starts {
            found.sets.intern(set);
        }
        // How many sets are at most so deep.
        let (mut level, mut last) = (0, found.sets.len());
        while found.rows.len() < found.sets.len() {
            if found.rows.len() == last {
                (level, last) = (level + 1, found.sets.len());
            }
            let set = found.sets.get(found.rows.len() as u32);
            let end = ends(set);
            let steps = match end {
                Ends::Not if depth.is_none_or(|most| level < most) => suspension.steps(set),
                Ends::Not | Ends::Goal | Ends::Astray => Vec::new(),
            };
            let edges = steps.into_iter().map(|step| Edge {
                event: step.event,
                locks: step.locks,
                target: found.sets.intern(&step.set).0,
            });
            let edges = edges.collect();
            found.ends.push(end);
            found.rows.push(edges);
        }
        found
    }

    fn is_goal(&self, set: u32) -> bool {
        self.ends[set as usize] == Ends::Goal
    }
}

/// How far it is to a goal: what is preferred least is counted first.
type Cost = [u64; 3];

fn sum(one: Cost, other: Cost) -> Cost {
    std::array::from_fn(|k| one[k].saturating_add(other[k]))
}

/// An automaton, and the best way to a goal from each of its sets.
struct Way {
    automaton: Automaton,
    weights: Weights,
    /// None for sets from which no goal can be reached.
    costs: Vec<Option<Cost>>,
}

/// What transitions cost.
struct Weights {
    priorities: Vec<Priority>,
    seed: Option<u64>,
    /// For each set, which states of the purpose are in it, as a number.
    purposes: Vec<u32>,
}

impl Weights {
    fn new(sets: &Interned<Pair>, options: &TestOptions) -> Self {
        let mut known = Interned::default();
        let states = |set: &[Pair]| {
            let mut states: Vec<u32> = set.iter().map(|&(_, state)| state).collect();
            states.sort_unstable();
            states.dedup();
            known.intern(&states).0
        };
        Self {
            priorities: options.priorities.iter().copied().take(2).collect(),
            seed: options.seed,
            purposes: sets.iter().map(states).collect(),
        }
    }

    /// The cost of the transition with this number of a set. Its last part is not 0, so
    /// that there is less to go behind each transition of a best way.
    fn of(&self, set: usize, number: usize, edge: &Edge) -> Cost {
        let mut cost = [0; 3];
        for (part, priority) in cost.iter_mut().zip(&self.priorities) {
            *part = u64::from(match priority {
                Priority::Stimuli => edge.event.is_observed(),
                Priority::Purpose => self.purposes[set] == self.purposes[edge.target as usize],
            });
        }
        cost[2] = match self.seed {
            None => 1,
            Some(seed) => 1 + draw(seed, set as u64, number as u64, 1 << 20),
        };
        cost
    }
}

impl Way {
    /// Dijkstra's algorithm, backwards from all goals. O(transitions · log(transitions)).
    fn new(automaton: Automaton, options: &TestOptions) -> Self {
        let weights = Weights::new(&automaton.sets, options);
        let mut before: Vec<Vec<(u32, Cost)>> = vec![Vec::new(); automaton.rows.len()];
        for (set, row) in automaton.rows.iter().enumerate() {
            for (number, edge) in row.iter().enumerate() {
                let weight = weights.of(set, number, edge);
                before[edge.target as usize].push((set as u32, weight));
            }
        }
        let mut costs: Vec<Option<Cost>> = vec![None; automaton.rows.len()];
        let goals = (0..costs.len() as u32).filter(|&set| automaton.is_goal(set));
        let mut open: BinaryHeap<_> = goals.map(|set| Reverse(([0; 3], set))).collect();
        while let Some(Reverse((cost, set))) = open.pop() {
            if costs[set as usize].is_some() {
                continue;
            }
            costs[set as usize] = Some(cost);
            for &(source, weight) in &before[set as usize] {
                if costs[source as usize].is_none() {
                    open.push(Reverse((sum(cost, weight), source)));
                }
            }
        }
        Self {
            automaton,
            weights,
            costs,
        }
    }

    fn cost(&self, set: u32) -> Option<Cost> {
        self.costs[set as usize]
    }

    /// The first transition of the best way, of several the first one.
    fn best(&self, set: u32) -> Option<&Edge> {
        let row = self.automaton.rows[set as usize].iter().enumerate();
        let ways = row.filter_map(|(number, edge)| {
            let rest = self.cost(edge.target)?;
            let weight = self.weights.of(set as usize, number, edge);
            Some((sum(weight, rest), edge))
        });
        ways.min_by_key(|&(cost, _)| cost).map(|(_, edge)| edge)
    }

    /// The transitions of a set that a test has, and whether the goal can still be
    /// reached behind them.
    fn kept(&self, set: u32, options: &TestOptions) -> Vec<(Edge, bool)> {
        let only = match options.complete {
            true => None,
            false => self.best(set).filter(|edge| !edge.event.is_observed()),
        };
        if let Some(only) = only {
            return vec![(*only, true)];
        }
        let leads = |edge: &Edge| {
            let rest = self.cost(edge.target);
            rest.is_some() && (!options.acyclic || rest < self.cost(set))
        };
        let row = self.automaton.rows[set as usize].iter();
        let row = row.map(|edge| (*edge, leads(edge)));
        row.filter(|(edge, leads)| match edge.event {
            Event::Input(_) => options.complete && *leads,
            Event::Output(_) | Event::Quiescence => true,
        })
        .collect()
    }
}

/// What a state of a test is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    /// This set, on the way to the purpose.
    Way(u32),
    /// This set, on the way back.
    Back(u32),
    /// The end after success.
    Passed,
    /// The end where nothing is known.
    Inconclusive,
}

struct Builder<'a> {
    options: &'a TestOptions,
    /// The states that the specification begins in.
    home: Vec<Pair>,
    way: Way,
    back: Option<Way>,
    numbers: HashMap<Place, u32, RandomState>,
    places: Vec<Place>,
}

impl Builder<'_> {
    /// The state of the test that is this.
    fn number(&mut self, place: Place) -> u32 {
        let new = self.places.len() as u32;
        let number = *self.numbers.entry(place).or_insert(new);
        if number == new {
            self.places.push(place);
        }
        number
    }

    /// The transitions of a state of the test.
    fn row(&mut self, place: Place) -> Vec<TestStep> {
        let kept = match (place, &self.back) {
            (Place::Way(set), _) => self.way.kept(set, self.options),
            (Place::Back(set), Some(back)) => back.kept(set, self.options),
            (Place::Back(_) | Place::Passed | Place::Inconclusive, _) => Vec::new(),
        };
        let step = |(edge, leads): (Edge, bool)| {
            let (next, verdict) = match (leads, place) {
                (false, _) => (Place::Inconclusive, Some(Verdict::Inconclusive)),
                (true, Place::Back(_)) => self.after_going_back(edge.target),
                (true, Place::Way(_) | Place::Passed | Place::Inconclusive) => {
                    self.after(edge.target)
                }
            };
            TestStep {
                event: edge.event,
                locks: edge.locks,
                target: self.number(next),
                verdict,
            }
        };
        kept.into_iter().map(step).collect()
    }

    /// What a set on the way to the purpose is, and what is known there.
    fn after(&self, set: u32) -> (Place, Option<Verdict>) {
        if !self.way.automaton.is_goal(set) {
            return (Place::Way(set), None);
        }
        let states = states_of(self.way.automaton.sets.get(set));
        if states == self.home {
            return (Place::Passed, Some(Verdict::Pass));
        }
        let back = self.back.as_ref().and_then(|back| {
            let start = back.automaton.sets.find(&states)?;
            back.cost(start).map(|_| Place::Back(start))
        });
        (back.unwrap_or(Place::Passed), Some(Verdict::Reached))
    }

    /// The same on the way back.
    fn after_going_back(&self, set: u32) -> (Place, Option<Verdict>) {
        let back = self.back.as_ref();
        match back.is_some_and(|back| back.automaton.is_goal(set)) {
            true => (Place::Passed, Some(Verdict::Pass)),
            false => (Place::Back(set), None),
        }
    }
}
