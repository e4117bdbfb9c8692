//! Which of all relations hold between two systems.
//!
//! Relations are looked at from the finest to the coarsest, and what one implies is not
//! looked at again. Bisimulations and simulations are decided by their own engines, all of
//! polynomial time; the others, if that is not soon, by two energy games, which answer at
//! once for all that they know ([`spectroscopy`](super::spectroscopy)), and each by its own
//! search to the end where the games need too many positions.

use super::compare::{Options, Order, Pair, Verdict};
use super::engine::Engine;
use super::inclusion::Limit;
use super::rounds::RoundCallback;
use super::simulation::Kind;
use super::spectroscopy::{Game, Spectroscopy, Verdicts};
use super::{Criterion, IsStrong, Relation};

/// Positions that an energy game may make.
const POSITIONS: usize = 1 << 20;

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
    let mut games = Games {
        pair,
        verdicts: None,
    };
    let mut entries: Vec<Entry> = Vec::new();
    for relation in Relation::ALL {
        if relation.has_strong_labels() && strong.is_none() {
            continue;
        }
        let mut criterion = Criterion::from(relation);
        if let Some(is_strong) = strong {
            criterion.is_strong = is_strong;
        }
        let implied = |holds: fn(&Order) -> &Verdict| {
            let mut finer = entries.iter().filter(|e| e.relation.implies(relation));
            finer.any(|e| holds(&e.order).holds())
        };
        let mut known = [implied(|o| &o.below), implied(|o| &o.above)];
        let mut soon = None;
        if known != [true, true] && games_know(relation) {
            // Most are decided soon by their own engine. Where that takes long, the game may
            // be shorter.
            let limit = Options {
                limit: SOON,
                ..*options
            };
            let order = pair.order(criterion, &limit, observer);
            if is_open(&order) {
                known = games.both(relation, known);
            }
            if !is_open(&order) || !has_limit(relation) {
                soon = Some(order);
            }
        }
        let mut order = match (soon, known) {
            (Some(order), _) => order,
            (None, [true, true]) => Order {
                below: Verdict::Holds,
                above: Verdict::Holds,
            },
            (None, _) => pair.order(criterion, options, observer),
        };
        // What is implied, or known by the games, holds also where the limit was reached.
        if known[0] {
            order.below = Verdict::Holds;
        }
        if known[1] {
            order.above = Verdict::Holds;
        }
        entries.push(Entry { relation, order });
        told(&entries);
    }
    entries
}

/// When the own engine of a relation is not followed any longer for the time being.
const SOON: Limit = Limit {
    pairs: 1 << 18,
    bytes: 1 << 28,
};

fn is_open(order: &Order) -> bool {
    let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown);
    is_unknown(&order.below) || is_unknown(&order.above)
}

/// Whether a relation takes exponential time and an energy game knows it.
fn games_know(relation: Relation) -> bool {
    let is_hard = match Engine::of(relation) {
        Engine::Inclusion(_) | Engine::Simulation(Kind::Contrasim) => true,
        Engine::Isomorphism | Engine::Refinement(_) | Engine::Rooted(_) | Engine::Simulation(_) => {
            false
        }
    };
    let games = [Game::Strong, Game::Weak];
    is_hard
        && games
            .iter()
            .any(|game| game.relations().contains(&relation))
}

/// Whether [`Options::limit`] bounds the relation's own engine.
fn has_limit(relation: Relation) -> bool {
    matches!(Engine::of(relation), Engine::Inclusion(_))
}

/// Both games, played when first asked.
struct Games<'a> {
    pair: &'a Pair,
    verdicts: Option<Verdicts>,
}

impl Games<'_> {
    /// Which directions of a relation hold, besides those that are known to.
    fn both(&mut self, relation: Relation, known: [bool; 2]) -> [bool; 2] {
        if known == [true, true] {
            return known;
        }
        let verdicts = self.verdicts.get_or_insert_with(|| {
            let [p, q] = self.pair.roots();
            let play = |game| Spectroscopy::new(self.pair.lts(), game).verdicts(p, q, POSITIONS);
            play(Game::Strong).and(play(Game::Weak))
        });
        let found = verdicts.get(relation);
        [0, 1].map(|k| known[k] || found[k] == Some(true))
    }
}
