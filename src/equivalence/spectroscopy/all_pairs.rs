//! The preorders of the strong spectrum between all states of one LTS.

use hyades_base::parallel;
use hyades_formats::Lts;

use super::Game;
use super::graph::Graph;
use super::matrix::{
    Incoming, Matrix, greatest_simulation, ones, states_with_equal, states_with_more,
};
use super::set_games::{Linear, Reduced, play};
use crate::{Relation, strong_quotient};

/// How many states are below each other, by each relation of the strong game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PairCounts {
    /// The classes of strong bisimilarity among the states that can be reached.
    pub classes: usize,
    /// By relation, in the order of [`Game::relations`]; those that are missing would have
    /// taken more sets than allowed.
    pub notions: Vec<NotionCount>,
}

/// The figures of one relation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotionCount {
    /// The relation.
    pub relation: Relation,
    /// Pairs of classes of strong bisimilarity of which the first is below the second, both
    /// being the same among them.
    pub below: u64,
    /// How many classes the relation's equivalence has.
    pub classes: usize,
}

/// Counts for each relation of the strong game the pairs of states in its preorder, and the
/// classes of its equivalence, on the quotient by strong bisimilarity.
///
/// The simulation preorders are computed as such. The games of the others are played on
/// pairs of a state and a set of states, with the price's moves only, and only as far as it
/// is not known who wins where they were reached from: the sets are shared by all pairs, and
/// the positions of one set are bits of rows. States are taken together before if they are
/// below each other by a simulation preorder that implies the relation, and sets lose states
/// that are below others of them.
///
/// O(m · n · d) for the simulations (m steps, n classes, d steps of a label from a class),
/// O(s · m) positions with their steps for the others for s sets, which may be exponentially
/// many; of more than `limit` in one game nothing is told. n²/8 bytes for each of the
/// simulations, s · n/2 for each game; games are played in parallel.
pub fn all_pairs(lts: &Lts, limit: usize) -> PairCounts {
    let graph = Graph::new(&strong_quotient(lts.clone()).lts);
    let simulations = Simulations::new(&graph);
    let mut notions = vec![NotionCount {
        relation: Relation::Strong,
        below: graph.states() as u64,
        classes: graph.states(),
    }];
    let ones = vec![1; graph.states()];
    notions.push(count(Relation::TwoNestedSim, &simulations.nested, &ones));
    notions.push(count(Relation::ReadySim, &simulations.ready, &ones));
    notions.push(count(Relation::Sim, &simulations.plain, &ones));

    let by_sim = Reduced::new(&graph, &simulations.plain);
    let traces = play(&by_sim, Linear::Trace, None, limit);
    notions.extend(
        traces
            .iter()
            .map(|above| count(Relation::Trace, above, &by_sim.weight)),
    );
    let by_ready = Reduced::new(&graph, &simulations.ready);
    let by_nested = Reduced::new(&graph, &simulations.nested);
    let traces = traces.map(|above| {
        let place = |s: &u32| by_sim.place[*s as usize];
        let states: Vec<u32> = by_nested.states.iter().map(place).collect();
        above.selected(&states)
    });
    let games = [
        (&by_ready, Linear::FailureTrace),
        (&by_ready, Linear::ReadyTrace),
        (&by_ready, Linear::Failures),
        (&by_ready, Linear::Revivals),
        (&by_ready, Linear::Readiness),
        (&by_nested, Linear::ImpossibleFutures),
        (&by_nested, Linear::PossibleFutures),
    ];
    let counts = parallel::map_each(&games, |&(reduced, relation)| {
        let needs_traces = std::ptr::eq(reduced, &by_nested);
        if needs_traces && traces.is_none() {
            return None;
        }
        let above = play(reduced, relation, traces.as_ref(), limit)?;
        Some(count(relation.relation(), &above, &reduced.weight))
    });
    notions.extend(counts.into_iter().flatten());
    let order = Game::Strong.relations();
    notions.sort_by_key(|count| order.iter().position(|&r| r == count.relation));
    PairCounts {
        classes: graph.states(),
        notions,
    }
}

/// The figures of a preorder: row p has the states that p is below, and each state stands
/// for so many.
fn count(relation: Relation, above: &Matrix, weight: &[u64]) -> NotionCount {
    let states = weight.len() as u32;
    let below = (0..states).map(|p| {
        let above: u64 = ones(above.row(p)).map(|q| weight[q as usize]).sum();
        weight[p as usize] * above
    });
    let is_first = |&p: &u32| {
        let mut before = ones(above.row(p)).take_while(|&q| q < p);
        !before.any(|q| above.get(q, p))
    };
    NotionCount {
        relation,
        below: below.sum(),
        classes: (0..states).filter(is_first).count(),
    }
}

/// Simulation preorders: row p has the states that p is below.
struct Simulations {
    plain: Matrix,
    ready: Matrix,
    nested: Matrix,
}

impl Simulations {
    fn new(graph: &Graph) -> Self {
        let incoming = Incoming::new(graph);
        let more = states_with_more(graph);
        let menus = (0..graph.states() as u32).map(|s| graph.menu(s));
        let within = |rows: &Matrix| rows.rows(menus.clone());
        let plain = greatest_simulation(graph, &incoming, within(&more));
        let equal = states_with_equal(graph);
        let ready = greatest_simulation(graph, &incoming, within(&equal));
        // Those that they are above, which have no other labels either.
        let nested = greatest_simulation(graph, &incoming, plain.transposed().and(&ready));
        Self {
            plain,
            ready,
            nested,
        }
    }
}
