//! Simulations: preorders by which one system can do at least what another one does,
//! step by step.
//!
//! | kind | p is below q if | source |
//! |---|---|---|
//! | [`Kind::Sim`] | each step of p has a step of q with the same label, to a state above its target | Park 1981 |
//! | [`Kind::ReadySim`] | and both have the same labels of steps | Bloom, Istrail & Meyer 1988; Larsen & Skou 1989 |
//! | [`Kind::TwoNestedSim`] | as simulation, and q is below p by simulation | Groote & Vaandrager 1992 |
//! | [`Kind::Safety`] | as simulation, of visible steps after any number of hidden ones | Bouajjani, Fernandez, Graf, Rodriguez & Sifakis 1991 |
//! | [`Kind::BranchingSim`] | one direction of branching bisimilarity | van Glabbeek 1993 |
//! | [`Kind::CoupledSim`] | as safety, and q can go to a state below p by hidden steps | Parrow & Sjödin 1992 |
//! | [`Kind::Contrasim`] | each sequence of steps of p is one of q, to a state below where p came to | Voorhoeve & Mauw 2001 |
//!
//! Pairs of states are decided on the fly ([`game`]); where that gets large, the greatest
//! simulation is computed as a [`matrix`] of bits or, for many nodes, on [`blocks`] of
//! them. Everything works on the classes of a finer bisimilarity ([`graph`]).

mod bits;
mod blocks;
mod deterministic;
mod game;
mod graph;
mod least;
mod matrix;
mod moves;
mod preorder;
mod quotient;
mod reason;
#[cfg(test)]
mod tests;
mod weakly;

use hyades_base::parallel;
use hyades_formats::{LabelTable, Lts, LtsParts, StateId, TooLarge};

use super::formula::Formula;
use super::rounds::Rounds;
use super::weak::{self, Weak};
use bits::Row;
use game::Limits;
use graph::Graph;
use moves::Play;
use preorder::{ByMenu, Menus, Preorder};

/// A kind of simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Strong simulation: a hidden step is like any other.
    Sim,
    /// Ready simulation, strong.
    ReadySim,
    /// 2-nested simulation, strong.
    TwoNestedSim,
    /// The safety preorder, which is weak simulation.
    Safety,
    /// Branching simulation.
    BranchingSim,
    /// Coupled simulation.
    CoupledSim,
    /// Contrasimulation.
    Contrasim,
}

impl Kind {
    /// All kinds.
    #[cfg(test)]
    pub(crate) const ALL: [Kind; 7] = [
        Kind::Sim,
        Kind::ReadySim,
        Kind::TwoNestedSim,
        Kind::Safety,
        Kind::BranchingSim,
        Kind::CoupledSim,
        Kind::Contrasim,
    ];

    /// How many modalities say one step.
    pub(crate) const fn modalities(self) -> usize {
        match self {
            Kind::Safety => 2,
            Kind::Sim
            | Kind::ReadySim
            | Kind::TwoNestedSim
            | Kind::BranchingSim
            | Kind::CoupledSim
            | Kind::Contrasim => 1,
        }
    }

    /// Whether hidden steps count as all others do.
    pub(crate) const fn counts_hidden(self) -> bool {
        match self {
            Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim => true,
            Kind::Safety | Kind::BranchingSim | Kind::CoupledSim | Kind::Contrasim => false,
        }
    }
}

/// With more nodes than that, simulations are computed on blocks of nodes: here a matrix
/// takes 128 MiB.
const MATRIX_NODES: usize = 1 << 15;

/// With more blocks than that there is no simulation: here the relation between blocks
/// takes 512 MiB.
const BLOCKS: u64 = 1 << 16;

/// The steps after hidden ones are written down up to so many: 1 GiB.
const TAU_STAR_STEPS: u64 = 1 << 27;

/// What part of a limit the second direction gets where the first took all of it.
const SECOND_SHARE: usize = 16;

impl Limits {
    /// What is right for a kind: little where there is another engine, about 1 GiB where
    /// there is none.
    const fn of(kind: Kind) -> Self {
        let decide = match kind {
            Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim | Kind::Safety => 1 << 21,
            Kind::BranchingSim | Kind::CoupledSim | Kind::Contrasim => 1 << 24,
        };
        let reason = 1 << 23;
        Self { decide, reason }
    }
}

/// The smallest LTS that is similar to an LTS both ways, by strong simulation or, if
/// `ready`, by ready simulation; with the state of the quotient for each state,
/// [`Minimized::NO_CLASS`](crate::Minimized::NO_CLASS) for one whose class is not reached
/// any more. Numbered and sorted as by [`minimize`](crate::minimize).
///
/// For n classes of strong bisimilarity with m steps, and besides the partition into
/// these: O(n m) time as a rule, and O(n m d) if up to d steps of a class have the same
/// label; n²/8 to n²/4 bytes and 16 a step. With n above 32,768, n is for the memory the
/// number of classes of similarity.
///
/// Where no two steps of a class have the same label, the classes of strong bisimilarity are
/// those of similarity, however many there are, and it takes O(n + m).
///
/// # Errors
/// If there are more than 65,536 classes of similarity, and more than 32,768 of strong
/// bisimilarity.
pub(crate) fn quotient(
    lts: Lts,
    ready: bool,
    rounds: &mut Rounds<'_>,
) -> Result<(Lts, Vec<u32>), TooLarge> {
    let graph = Graph::strong(&lts, None, rounds);
    let menus = if ready { Menus::Equal } else { Menus::Included };
    let initial = lts.initial();
    let LtsParts { table, .. } = lts.into_parts();
    of_graph(graph, menus, initial, table)
}

/// The smallest LTS without hidden steps that is equivalent to an LTS by the safety
/// preorder both ways; otherwise as [`quotient`]. States whose class by τ\*.a equivalence no
/// visible steps after hidden ones lead to have no state of it.
///
/// On the quotient by τ\*.a equivalence, which is finer: the time and memory of that
/// ([`weak::quotient_within`]), and with n classes and m steps of it those of [`quotient`].
///
/// # Errors
/// As [`quotient`], and if there are more than 2^27 steps of the quotient by τ\*.a.
pub(crate) fn safety_quotient(
    lts: Lts,
    rounds: &mut Rounds<'_>,
) -> Result<(Lts, Vec<u32>), TooLarge> {
    if lts.labels().iter().all(|label| !label.is_hidden()) {
        return quotient(lts, false, rounds);
    }
    let initial = lts.initial();
    let (small, class) = weak::quotient_within(lts, Weak::TauStarA, TAU_STAR_STEPS, rounds)?;
    let graph = Graph::of_quotient(&small, class);
    let LtsParts { table, .. } = small.into_parts();
    of_graph(graph, Menus::Included, initial, table)
}

fn of_graph(
    graph: Graph,
    menus: Menus,
    initial: StateId,
    table: LabelTable,
) -> Result<(Lts, Vec<u32>), TooLarge> {
    let rows = graph.rows();
    let preorder = match deterministic::count(rows) == rows.states() {
        true => None,
        false => Some(simulation(&graph, menus, MATRIX_NODES)?),
    };
    Ok(quotient::quotient(graph, preorder.as_ref(), initial, table))
}

/// The greatest simulation of a graph that respects the labels of steps in this way; by
/// a matrix for up to so many nodes.
fn simulation(graph: &Graph, menus: Menus, matrix_nodes: usize) -> Result<Preorder, TooLarge> {
    let rows = graph.rows();
    let groups = ByMenu::new(rows);
    if rows.states() > matrix_nodes {
        // So many classes there are at least.
        let is_too_many = |different: usize| different as u64 > BLOCKS;
        if is_too_many(deterministic::count(rows))
            || is_too_many(least::classes(rows, &groups, menus, BLOCKS as usize))
        {
            return Err(blocks::too_many(BLOCKS));
        }
    }
    let above = groups.above(menus);
    greatest(graph, groups.group, above, matrix_nodes)
}

/// The greatest simulation within the inverse of the greatest simulation.
///
/// It is contained in both, so in the equivalence by being similar both ways.
fn nested_simulation(graph: &Graph, matrix_nodes: usize) -> Result<Preorder, TooLarge> {
    let (class, count) = simulation(graph, Menus::Included, matrix_nodes)?.classes();
    let same = |c: usize| bits::collect(count as usize, std::iter::once(c));
    let above = (0..count as usize).map(same).collect();
    greatest(graph, class, above, matrix_nodes)
}

/// The greatest simulation within a preorder of groups of nodes.
fn greatest(
    graph: &Graph,
    group: Vec<u32>,
    above: Vec<Row>,
    matrix_nodes: usize,
) -> Result<Preorder, TooLarge> {
    let rows = graph.rows();
    if rows.states() > matrix_nodes {
        return blocks::greatest(rows, group, above, BLOCKS);
    }
    let nodes = rows.states();
    let row = |above: &Row| {
        let may = |&q: &usize| bits::contains(above, group[q] as usize);
        bits::collect(nodes, (0..nodes).filter(may))
    };
    // Nodes of one group start with the same row.
    let by_group: Vec<Row> = parallel::map(above.len(), 4, |g| row(&above[g]));
    let start = group
        .iter()
        .map(|&g| by_group[g as usize].clone())
        .collect();
    drop(by_group);
    Ok(matrix::greatest(rows, graph.labels, start))
}

/// Two states of an LTS, made ready to be compared by a kind of simulation.
pub(crate) struct Question {
    kind: Kind,
    graph: Graph,
    first: u32,
    second: u32,
}

impl Question {
    /// Reduces what can be reached from two states by a finer bisimilarity: strong, or for
    /// the kinds that do not see hidden steps branching. The time and memory of that
    /// partition, and 8 bytes a step between its classes.
    pub(crate) fn new(
        lts: &Lts,
        p: StateId,
        q: StateId,
        kind: Kind,
        rounds: &mut Rounds<'_>,
    ) -> Self {
        let roots = &[p, q];
        let graph = match kind.counts_hidden() {
            true => Graph::strong(lts, Some(roots), rounds),
            false => Graph::branching(lts, Some(roots), rounds),
        };
        Self {
            kind,
            first: graph.of(p),
            second: graph.of(q),
            graph,
        }
    }

    /// Whether the first state is below the second one, and the second below the first.
    ///
    /// On the fly, and if too many pairs of states have to be looked at for that, by the
    /// greatest simulation. `None` if that is too large too (with more than 131,072 classes
    /// it is not tried; branching and coupled simulation with more than 4,096 classes of
    /// branching bisimilarity), and for contrasimulation, which is exponential.
    ///
    /// With a limit of no more pairs than is usual about so many are looked at, and that is
    /// all that is done but for branching and coupled simulation; if one direction is given up, the other one, which is as large as a
    /// rule, gets a [part](SECOND_SHARE) of that only. So it does of contrasimulation, if the
    /// first fails: that refutes the equivalence, and the rest is exponential.
    pub(crate) fn compare(&self, pairs: usize) -> (Option<bool>, Option<bool>) {
        let usual = Limits::of(self.kind);
        if pairs > usual.decide {
            return self.compare_within(&usual);
        }
        let (p, q) = (self.first, self.second);
        let below = self.decide(p, q, pairs);
        let rest = match (below, self.kind) {
            (None, _) | (Some(false), Kind::Contrasim) => pairs / SECOND_SHARE,
            (Some(true), _) => pairs,
            (
                Some(false),
                Kind::Sim
                | Kind::ReadySim
                | Kind::TwoNestedSim
                | Kind::Safety
                | Kind::BranchingSim
                | Kind::CoupledSim,
            ) => pairs,
        };
        let known = (below, self.decide(q, p, rest));
        match self.kind {
            // All pairs of few nodes take no longer, and there is nothing else.
            Kind::BranchingSim | Kind::CoupledSim if matches!(known, (None, _) | (_, None)) => {
                let (first, second) = self.compare_by_all().unzip();
                (known.0.or(first), known.1.or(second))
            }
            Kind::Sim
            | Kind::ReadySim
            | Kind::TwoNestedSim
            | Kind::Safety
            | Kind::BranchingSim
            | Kind::CoupledSim
            | Kind::Contrasim => known,
        }
    }

    /// Whether one is below another one, on the fly, looking at about so many pairs.
    fn decide(&self, p: u32, q: u32, pairs: usize) -> Option<bool> {
        let mut play = Play::new(self.graph.rows(), self.kind);
        let root = play.start(p, q);
        game::decide(&mut play, root, pairs)
    }

    /// The same question the other way round.
    pub(crate) fn reversed(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            ..self
        }
    }

    /// Whether both states are one class of the finer bisimilarity.
    #[cfg(test)]
    fn is_reflexive(&self) -> bool {
        self.first == self.second
    }

    fn compare_within(&self, limits: &Limits) -> (Option<bool>, Option<bool>) {
        // Where all pairs cannot be looked at, those that are met have to do.
        let too_large = self.graph.rows().states() as u64 > 2 * BLOCKS;
        let decide = match too_large {
            true => limits.decide.max(1 << 24),
            false => limits.decide,
        };
        let (p, q) = (self.first, self.second);
        let known = (self.decide(p, q, decide), self.decide(q, p, decide));
        if let (Some(_), Some(_)) = known {
            return known;
        }
        let both = (!too_large).then(|| self.compare_by_all());
        let Some(both) = both.flatten() else {
            return known;
        };
        debug_assert!(known.0.is_none_or(|below| below == both.0));
        debug_assert!(known.1.is_none_or(|below| below == both.1));
        (Some(both.0), Some(both.1))
    }

    /// The same by the greatest simulation.
    fn compare_by_all(&self) -> Option<(bool, bool)> {
        let (p, q) = (self.first, self.second);
        let graph = &self.graph;
        let both = |preorder: Result<Preorder, TooLarge>| {
            let preorder = preorder.ok()?;
            Some((preorder.below(p, q), preorder.below(q, p)))
        };
        match self.kind {
            Kind::Sim => both(simulation(graph, Menus::Included, MATRIX_NODES)),
            Kind::ReadySim => both(simulation(graph, Menus::Equal, MATRIX_NODES)),
            Kind::TwoNestedSim => both(nested_simulation(graph, MATRIX_NODES)),
            Kind::Safety => {
                let mut untold = super::rounds::untold;
                let rounds = &mut Rounds::new(&mut untold);
                let saturated = graph.after_hidden(TAU_STAR_STEPS, rounds).ok()?;
                let (p, q) = (saturated.node[p as usize], saturated.node[q as usize]);
                let preorder = simulation(&saturated, Menus::Included, MATRIX_NODES).ok()?;
                Some((preorder.below(p, q), preorder.below(q, p)))
            }
            Kind::BranchingSim => weakly::compare(graph.rows(), weakly::Kind::Branching, p, q),
            Kind::CoupledSim => weakly::compare(graph.rows(), weakly::Kind::Coupled, p, q),
            Kind::Contrasim => None,
        }
    }

    /// A formula that holds in the first state and not in the second one, if the first is
    /// not below the second, and if it is found within bounds. It has least depth among
    /// those of its kind, but that the search for a less deep one is given up where it
    /// gets large:
    ///
    /// * [`Kind::Sim`]: `<a>f` and conjunctions;
    /// * [`Kind::ReadySim`]: the same and `[a]false`;
    /// * [`Kind::TwoNestedSim`]: the same and `!f` of formulas for simulation;
    /// * [`Kind::Safety`]: `<<i>><"a">f` and conjunctions;
    /// * [`Kind::BranchingSim`]: `<f U a>g`, where the depth is the number of the round
    ///   in which the states fall apart by single steps, and conjunctions;
    /// * [`Kind::CoupledSim`]: `<<"a">>f`, `<<i>>!f`, and conjunctions;
    /// * [`Kind::Contrasim`]: `<<"a">>…<<"z">>f` for conjunctions f of negations;
    ///   `<<i>>f` if there is no step before.
    pub(crate) fn reason(&self, lts: &Lts) -> Option<Formula> {
        let mut play = Play::new(self.graph.rows(), self.kind);
        let root = play.start(self.first, self.second);
        let strategy = game::strategy(&mut play, root, Limits::of(self.kind).reason)?;
        let formula = reason::formula(&strategy, self.kind, lts.table()).ok()?;
        Some(formula.without_needless(lts, SHORTENING))
    }
}

/// So many steps, about, are taken to leave needless operands out of a formula.
const SHORTENING: u64 = 1 << 24;

/// Whether a state is below another one, and the other one below it; see
/// [`Question::compare`].
#[cfg(test)]
pub(crate) fn compare(
    lts: &Lts,
    p: StateId,
    q: StateId,
    kind: Kind,
) -> (Option<bool>, Option<bool>) {
    let mut untold = super::rounds::untold;
    let rounds = &mut Rounds::new(&mut untold);
    Question::new(lts, p, q, kind, rounds).compare(usize::MAX)
}

/// A formula that tells a state from another one that it is not below; see
/// [`Question::reason`].
#[cfg(test)]
pub(crate) fn reason(lts: &Lts, p: StateId, q: StateId, kind: Kind) -> Option<Formula> {
    let mut untold = super::rounds::untold;
    let rounds = &mut Rounds::new(&mut untold);
    Question::new(lts, p, q, kind, rounds).reason(lts)
}
