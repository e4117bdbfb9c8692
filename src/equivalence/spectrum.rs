//! Which of all relations hold between two systems.
//!
//! Relations are looked at from the finest to the coarsest, and what one implies is not
//! looked at again. Bisimulations and simulations are decided by their own engines, all of
//! polynomial time, soon as a rule; the others, if that is not soon, by two energy games,
//! which answer at once for all that they know ([`spectroscopy`](super::spectroscopy)).
//! What is open then waits until all coarser ones are known, which may refute it, and only
//! then is searched for to the end.

use super::coarser::refute;
use super::compare::{Claim, Options, Order, Pair, Side, Verdict, Witness};
use super::engine::Engine;
use super::inclusion::Limit;
use super::rounds::RoundCallback;
use super::simulation::Kind;
use super::spectroscopy::{Game, Spectroscopy, price};
use super::{Criterion, IsStrong, Relation};

/// Positions that an energy game may make for a relation and a direction.
const POSITIONS: usize = 1 << 18;

/// When the own engine of a relation is not followed any longer for the time being.
const SOON: Limit = Limit {
    pairs: 1 << 18,
    bytes: 1 << 28,
};

/// How many pairs the search for a relation may take in the end, with others waiting. The
/// second direction of contrasimulation gets a part of that.
const fn last_pairs(relation: Relation) -> usize {
    match Engine::of(relation) {
        Engine::Simulation(Kind::Contrasim) => 1 << 24,
        Engine::Simulation(Kind::CoupledSim | Kind::BranchingSim) => 1 << 22,
        Engine::Isomorphism
        | Engine::Refinement(_)
        | Engine::Rooted(_)
        | Engine::Simulation(Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim | Kind::Safety)
        | Engine::Inclusion(_) => usize::MAX,
    }
}

/// What is found for one relation.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The relation.
    pub relation: Relation,
    /// Whether each system is below the other one.
    pub order: Order,
}

/// Whether each of two systems is below the other one by each relation, in the order of
/// [`Relation::ALL`], with the reasons of what does not hold. Sharp relations are told of
/// if there are strong labels. After each relation `told` is called with all so far.
///
/// Takes what the relations take that have to be decided; those of linear time are
/// PSPACE-complete, and unknown if the limit of `options` is reached.
pub fn spectrum(
    pair: &Pair,
    strong: Option<&IsStrong<'_>>,
    options: &Options,
    observer: &mut RoundCallback<'_>,
    told: &mut dyn FnMut(&[Entry]),
) -> Vec<Entry> {
    let mut search = Search {
        pair,
        strong,
        options,
        games: [None, None],
        entries: Vec::new(),
    };
    let is_told = |r: &Relation| !r.has_strong_labels() || strong.is_some();
    for relation in Relation::ALL.into_iter().filter(is_told) {
        let order = search.soon(relation, observer);
        search.entries.push(Entry { relation, order });
        told(&search.entries);
    }
    for k in 0..search.entries.len() {
        search.follow(k);
        if search.entries[k].order.is_open() {
            search.finish(k, observer);
        }
        told(&search.entries);
    }
    // What is found to the end tells of finer ones that it is not of.
    for k in 0..search.entries.len() {
        search.follow(k);
    }
    search.entries
}

/// What is known so far, and what it is found out by.
struct Search<'a> {
    pair: &'a Pair,
    strong: Option<&'a IsStrong<'a>>,
    options: &'a Options,
    /// Both games, made when first asked.
    games: [Option<Spectroscopy>; 2],
    entries: Vec<Entry>,
}

impl Search<'_> {
    fn criterion(&self, relation: Relation) -> Criterion<'_> {
        let mut criterion = Criterion::from(relation);
        if let Some(is_strong) = self.strong {
            criterion.is_strong = is_strong;
        }
        criterion
    }

    /// What finer relations that hold imply of a relation.
    fn implied(&self, relation: Relation) -> Order {
        let implied = |holds: fn(&Order) -> &Verdict| {
            let mut finer = self.entries.iter().filter(|e| e.relation.implies(relation));
            match finer.any(|e| holds(&e.order).holds()) {
                true => Verdict::Holds,
                false => Verdict::Unknown,
            }
        };
        Order {
            below: implied(|o| &o.below),
            above: implied(|o| &o.above),
        }
    }

    /// An order, which may be open if it takes long.
    fn soon(&mut self, relation: Relation, observer: &mut RoundCallback<'_>) -> Order {
        let mut order = self.implied(relation);
        if !order.is_open() {
            return order;
        }
        let options = match takes_long(relation) {
            true => Options {
                limit: SOON,
                ..*self.options
            },
            false => *self.options,
        };
        let found = self
            .pair
            .own_order(self.criterion(relation), &options, observer);
        learn(&mut order.below, found.below);
        learn(&mut order.above, found.above);
        self.play(relation, Side::First, &mut order.below);
        self.play(relation, Side::Second, &mut order.above);
        order
    }

    /// What other relations tell of one of which something is open.
    fn follow(&mut self, k: usize) {
        let relation = self.entries[k].relation;
        let mut order = self.entries[k].order.clone();
        if !order.is_open() {
            return;
        }
        let implied = self.implied(relation);
        learn(&mut order.below, implied.below);
        learn(&mut order.above, implied.above);
        for coarser in self.entries[k..].iter().rev() {
            if relation.implies(coarser.relation) {
                refute(&mut order.below, || coarser.order.below.clone());
                refute(&mut order.above, || coarser.order.above.clone());
            }
        }
        self.entries[k].order = order;
    }

    /// Searches for what is open as far as that goes.
    fn finish(&mut self, k: usize, observer: &mut RoundCallback<'_>) {
        let relation = self.entries[k].relation;
        if !takes_long(relation) {
            // It has been searched for to the end.
            return;
        }
        if let Engine::Simulation(Kind::Contrasim) = Engine::of(relation)
            && let Verdict::Fails(_) = self.entries[k].order.clone().equivalence()
        {
            // Exponential, and the equivalence is refuted.
            return;
        }
        let mut options = *self.options;
        options.limit.pairs = options.limit.pairs.min(last_pairs(relation));
        let found = self
            .pair
            .own_order(self.criterion(relation), &options, observer);
        let order = &mut self.entries[k].order;
        learn(&mut order.below, found.below);
        learn(&mut order.above, found.above);
    }

    /// What an energy game tells of a direction that is open, if one knows the relation and
    /// that takes exponential time.
    fn play(&mut self, relation: Relation, side: Side, verdict: &mut Verdict) {
        let Some(game) = price(relation).map(|price| price.game) else {
            return;
        };
        if !matches!(verdict, Verdict::Unknown) || !is_exponential(relation) {
            return;
        }
        let played = match game {
            Game::Strong => &mut self.games[0],
            Game::Weak => &mut self.games[1],
        };
        let played = played.get_or_insert_with(|| Spectroscopy::new(self.pair.lts(), game));
        let [p, q] = match (side, self.pair.roots()) {
            (Side::First, roots) => roots,
            (Side::Second, [p, q]) => [q, p],
        };
        *verdict = match played.is_below(p, q, relation, POSITIONS) {
            None => return,
            Some(true) => Verdict::Holds,
            Some(false) => {
                let formula = played.formula(p, q, relation, POSITIONS).ok().flatten();
                let holds_in = side;
                let claim = |formula| Witness::Formula(Claim { holds_in, formula });
                Verdict::Fails(formula.map(claim))
            }
        };
    }
}

/// Lets what was unknown be what is found.
fn learn(verdict: &mut Verdict, found: Verdict) {
    if let Verdict::Unknown = verdict {
        *verdict = found;
    }
}

/// Whether the search for a relation may take long enough to be put off.
fn takes_long(relation: Relation) -> bool {
    match Engine::of(relation) {
        Engine::Inclusion(_)
        | Engine::Simulation(Kind::Contrasim | Kind::CoupledSim | Kind::BranchingSim) => true,
        Engine::Isomorphism
        | Engine::Refinement(_)
        | Engine::Rooted(_)
        | Engine::Simulation(Kind::Sim | Kind::ReadySim | Kind::TwoNestedSim | Kind::Safety) => {
            false
        }
    }
}

/// Whether a relation takes exponential time.
fn is_exponential(relation: Relation) -> bool {
    match Engine::of(relation) {
        Engine::Inclusion(_) | Engine::Simulation(Kind::Contrasim) => true,
        Engine::Isomorphism | Engine::Refinement(_) | Engine::Rooted(_) | Engine::Simulation(_) => {
            false
        }
    }
}
