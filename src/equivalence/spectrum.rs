//! Which of all relations hold between two systems.
//!
//! Relations are looked at from the finest to the coarsest, and what one implies is not
//! looked at again. Bisimulations and simulations are decided by their own engines, all of
//! polynomial time, soon as a rule; the others are searched for a while first. What is open
//! then may be refuted soon by coarser ones; if not, two energy games are asked, which answer
//! at once for all that they know ([`spectroscopy`](super::spectroscopy)). What is open still
//! is searched for longer and longer, all relations in turn, so that one that takes long does
//! not keep others from refuting it.

use super::compare::{Claim, Options, Order, Pair, Side, Verdict, Wanted, Witness};
use super::engine::Engine;
use super::inclusion::Limit;
use super::rounds::RoundCallback;
use super::simulation::Kind;
use super::spectroscopy::{Game, Spectroscopy, price};
use super::{Criterion, IsStrong, Relation};

/// Positions that an energy game may make for a relation and a direction.
const POSITIONS: usize = 1 << 18;

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

/// How long the searches may be for relations of linear time where all relations are asked
/// for: each takes some half a minute at the most, and is open then.
pub const LIMIT: Limit = Limit {
    pairs: 1 << 22,
    bytes: 1 << 32,
    comparisons: 1 << 32,
};

/// What is found for one relation.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The relation.
    pub relation: Relation,
    /// Whether each system is below the other one.
    pub order: Order,
}

/// The relations that [`spectrum`] tells of, with strong labels or without, of which nothing
/// is known.
pub fn open(has_strong_labels: bool) -> Vec<Entry> {
    let entry = |relation| Entry {
        relation,
        order: Order::OPEN,
    };
    told_of(has_strong_labels).map(entry).collect()
}

fn told_of(has_strong_labels: bool) -> impl Iterator<Item = Relation> {
    let is_told = move |r: &Relation| !r.has_strong_labels() || has_strong_labels;
    Relation::ALL.into_iter().filter(is_told)
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
    for relation in told_of(strong.is_some()) {
        let order = search.soon(relation, observer);
        search.entries.push(Entry { relation, order });
        told(&search.entries);
    }
    let mut before = Limit::SOON.at_most(options.limit);
    for limit in options.limit.stages().skip(1) {
        for k in 0..search.entries.len() {
            search.follow(k);
            if search.entries[k].order.is_open() {
                search.go_on(k, before, limit, observer);
            }
            told(&search.entries);
        }
        if !search.entries.iter().any(|entry| entry.order.is_open()) {
            break;
        }
        before = limit;
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
        let mut options = *self.options;
        if takes_long(relation) {
            options.limit = Limit::SOON.at_most(options.limit);
        }
        let criterion = self.criterion(relation);
        let (pair, order) = (self.pair, self.implied(relation));
        let order = pair.decide(criterion, order, &options, Wanted::Both, observer);
        if !Engine::of(relation).is_exponential() {
            return order;
        }
        let mut order = pair.refuted_by_coarser(relation, order, &options, Wanted::Both, observer);
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
        order.below.learn(|| implied.below);
        order.above.learn(|| implied.above);
        for coarser in self.entries[k..].iter().rev() {
            if relation.implies(coarser.relation) {
                order.below.refute(|| coarser.order.below.clone());
                order.above.refute(|| coarser.order.above.clone());
            }
        }
        self.entries[k].order = order;
    }

    /// Searches for what is open within this limit, if it was not within the one before.
    fn go_on(&mut self, k: usize, before: Limit, limit: Limit, observer: &mut RoundCallback<'_>) {
        let relation = self.entries[k].relation;
        if !takes_long(relation) {
            // It has been searched for to the end.
            return;
        }
        let order = self.entries[k].order.clone();
        if let Engine::Simulation(Kind::Contrasim) = Engine::of(relation)
            && let Verdict::Fails(_) = order.clone().equivalence()
        {
            // Exponential, and the equivalence is refuted.
            return;
        }
        let within = |limit: Limit| Limit {
            pairs: limit.pairs.min(last_pairs(relation)),
            ..limit
        };
        if let Engine::Simulation(_) = Engine::of(relation)
            && within(limit).pairs == within(before).pairs
        {
            return;
        }
        let options = Options {
            limit: within(limit),
            ..*self.options
        };
        let criterion = self.criterion(relation);
        let order = self
            .pair
            .decide(criterion, order, &options, Wanted::Both, observer);
        self.entries[k].order = order;
    }

    /// What an energy game tells of a direction, if that is open and a game knows the relation.
    fn play(&mut self, relation: Relation, side: Side, verdict: &mut Verdict) {
        let Some(game) = price(relation).map(|price| price.game) else {
            return;
        };
        if !matches!(verdict, Verdict::Unknown) {
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
                let claim = |formula| Witness::Formula(Claim::plain(holds_in, formula));
                Verdict::Fails(formula.map(claim))
            }
        };
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
