//! Partial order reduction: fewer of the interleavings of a network, on the fly.
//!
//! A [`ReducedModel`] has, in each state, some of the transitions of the
//! [`NetworkModel`] and in most states fewer. What is left has the property that
//! a [`Reduction`] names. Two ideas are at work, both of which look at nothing
//! but the state at hand, so that the result depends neither on the order of the
//! search nor on the number of threads:
//!
//! * **Stubborn sets** (Valmari 1989; Valmari & Hansen, "Stubborn Set Intuition
//!   Explained", 2017): rules such that whatever other rules do meanwhile, they
//!   neither get to fire nor to be disabled, nor does their firing make a
//!   difference to the others. Only these rules fire.
//! * **Confluence** (Groote & van de Pol, "State Space Reduction Using Partial
//!   τ-Confluence", 2000; Blom & van de Pol, "State Space Reduction by Proving
//!   Confluence", 2002): a hidden step after which everything is possible still
//!   that was before, with the same results. Only this step is taken. Such
//!   steps are found in the components beforehand (Lang & Mateescu, "Partial
//!   Order Reductions Using Compositional Confluence Detection", 2009), or are
//!   the only member of a stubborn set.
//!
//! Reductions other than [`Reduction::Deadlock`] must not put off a transition
//! for ever while hidden cycles are gone through. That takes a condition which
//! is usually put on the search's stack or queue. Here it is on single steps: a
//! step counts only if it goes up in an order of the states,
//! which no cycle can do all the way around.

mod confluence;
mod dependence;
mod order;
mod stubborn;

#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use hyades_explore::{Emit, Erased, Model, ModelError, ROOM, Row};
use hyades_formats::{LabelId, LabelTable, named};

use super::NetworkModel;
use confluence::SilentSteps;
use dependence::Dependence;
use order::Order;
use stubborn::{Finder, Wish};

/// What a reduced state space has in common with the full one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduction {
    /// The reachable deadlocks: the same states without transitions, and no
    /// others.
    Deadlock,
    /// The deadlocks and the weak traces: the sequences of visible labels.
    WeakTrace,
    /// It is branching bisimilar, divergence preserved.
    Branching,
}

named! {
    Reduction:
    Deadlock = "deadlock",
    WeakTrace = "weaktrace",
    Branching = "branching",
}

impl Reduction {
    /// Whether it preserves which visible labels occur.
    pub const fn preserves_labels(self) -> bool {
        match self {
            Reduction::WeakTrace | Reduction::Branching => true,
            Reduction::Deadlock => false,
        }
    }

    /// Whether it preserves that there are cycles of hidden transitions.
    pub const fn preserves_livelocks(self) -> bool {
        match self {
            Reduction::Branching => true,
            Reduction::Deadlock | Reduction::WeakTrace => false,
        }
    }
}

/// The name given is not that of a [`Reduction`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownReduction(pub String);

impl fmt::Display for UnknownReduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.0;
        let names = Reduction::ALL.map(Reduction::name).join(", ");
        write!(f, "unknown reduction `{name}`; there are {names}")
    }
}

impl std::error::Error for UnknownReduction {}

impl FromStr for Reduction {
    type Err = UnknownReduction;

    fn from_str(name: &str) -> Result<Self, UnknownReduction> {
        Self::from_name(name).ok_or_else(|| UnknownReduction(name.to_owned()))
    }
}

/// A network explored with a [`Reduction`].
///
/// States, labels and their packing are those of the [`NetworkModel`], and
/// every transition is one of its transitions: a trace is a trace of the
/// network, though there may be shorter ones.
///
/// Priorities are taken into account: a rule depends on whatever may enable or
/// disable its guards. What did not become [rules](super::RuleSet) is not
/// reduced; neither is a state in which the components that could be stubborn
/// take part in it.
///
/// ```
/// use hyades_explore::{ExploreOptions, explore};
/// use hyades_network::{Memory, NetworkModel, Options, from_text};
/// use hyades_network::por::{ReducedModel, Reduction};
///
/// let mut files = Memory::default();
/// files.add("line.aut", "des (0,3,4)\n(0,A,1)\n(1,B,2)\n(2,C,3)\n");
/// let text = "line.aut ||| line.aut ||| line.aut";
/// let network = from_text("lines", text, &Options::default(), &files, &mut |_| {})?;
/// let model = NetworkModel::new(network.clone());
/// assert_eq!(explore(&model, ExploreOptions::default(), &mut ())?.states, 64);
/// let reduced = ReducedModel::new(NetworkModel::new(network), Reduction::Deadlock);
/// assert_eq!(explore(&reduced, ExploreOptions::default(), &mut ())?.states, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ReducedModel {
    model: NetworkModel,
    reduction: Reduction,
    dependence: Dependence,
    order: Order,
    silent: SilentSteps,
}

hyades_base::opaque!(ReducedModel);

/// Memory to compute successors in.
pub struct Scratch {
    full: <NetworkModel as Model>::Scratch,
    finder: Finder,
    target: Vec<u64>,
    /// For each component of a rule, which of its targets is up.
    turns: Vec<usize>,
    /// What the rules lead to that have been chosen.
    row: Row,
}

hyades_base::opaque!(Scratch);

impl ReducedModel {
    /// The model with this reduction.
    ///
    /// O(rules), and for reductions other than deadlocks about O(transitions of
    /// the components).
    pub fn new(model: NetworkModel, reduction: Reduction) -> Self {
        let dependence = Dependence::new(&model);
        let (order, silent) = match reduction {
            Reduction::Deadlock => (Order::default(), SilentSteps::default()),
            Reduction::WeakTrace | Reduction::Branching => {
                let order = Order::new(&model, &dependence);
                let silent = SilentSteps::new(&model, &dependence, &order);
                (order, silent)
            }
        };
        Self {
            model,
            reduction,
            dependence,
            order,
            silent,
        }
    }

    /// The network without the reduction.
    pub fn full(&self) -> &NetworkModel {
        &self.model
    }

    /// The reduction.
    pub fn reduction(&self) -> Reduction {
        self.reduction
    }

    /// Whether one of these rules shows that a guessed interface is wrong.
    fn is_wrong(&self, rules: &[u32]) -> bool {
        let network = self.model.network();
        let label = |&rule: &u32| network.rules().rules[rule as usize].label;
        network.wrong.is_some() && rules.iter().any(|rule| Some(label(rule)) == network.wrong)
    }

    /// Emits all transitions by the rules that the finder has chosen, each once.
    ///
    /// # Errors
    /// If there are too many.
    fn fire<E: Emit + ?Sized>(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        emit: &mut E,
    ) -> Result<(), ModelError> {
        scratch.row.start(emit.most_targets());
        loop {
            self.fire_all(state, scratch);
            scratch.row.check()?;
            if !scratch.row.emit_distinct(emit) {
                return Ok(());
            }
        }
    }

    /// Puts all transitions by these rules in the row.
    fn fire_all(&self, state: &[u64], scratch: &mut Scratch) {
        let Scratch {
            finder,
            target,
            turns,
            row,
            ..
        } = scratch;
        let rules = &self.model.network().rules().rules;
        for &number in finder.chosen() {
            let rule = &rules[number as usize];
            let of = |(k, label)| {
                let own = finder.states()[k as usize];
                (own, self.model.transitions_of(k).targets(own, label))
            };
            turns.clear();
            turns.resize(rule.parts.len(), 0);
            // As an odometer turns: the last component first.
            'combinations: loop {
                target.clear();
                target.extend_from_slice(state);
                for (&part, &turn) in rule.parts.iter().zip(&*turns) {
                    let (own, to) = of(part);
                    self.model.move_one(target, part.0, own, to[turn]);
                }
                row.push(rule.label, target);
                if row.is_enough() {
                    return;
                }
                for (&part, turn) in rule.parts.iter().zip(&mut *turns).rev() {
                    *turn += 1;
                    if *turn < of(part).1.len() {
                        continue 'combinations;
                    }
                    *turn = 0;
                }
                break;
            }
        }
    }
}

impl Model for ReducedModel {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            full: self.model.scratch(),
            finder: Finder::new(&self.dependence),
            target: Vec::new(),
            turns: Vec::new(),
            row: Row::in_parts(ROOM),
        }
    }

    fn labels(&self) -> Cow<'_, LabelTable> {
        self.model.labels()
    }

    fn bits(&self) -> usize {
        self.model.bits()
    }

    fn initial(&self, state: &mut [u64]) -> Result<(), ModelError> {
        self.model.initial(state)
    }

    fn successors<E: Emit + ?Sized>(
        &self,
        scratch: &mut Scratch,
        state: &[u64],
        emit: &mut E,
    ) -> Result<(), ModelError> {
        scratch.finder.enter(&self.model, state);
        let wish = match self.reduction {
            Reduction::Deadlock => Wish::Any,
            Reduction::WeakTrace => Wish::Hidden,
            Reduction::Branching => Wish::Single,
        };
        if let Some((k, from, to)) = self.silent.first(scratch.finder.states()) {
            scratch.target.clear();
            scratch.target.extend_from_slice(state);
            self.model.move_one(&mut scratch.target, k, from, to);
            emit.transition(LabelId::HIDDEN, &scratch.target);
            return Ok(());
        }
        if scratch
            .finder
            .find(&self.model, &self.dependence, &self.order, wish)
            && !self.is_wrong(scratch.finder.chosen())
        {
            return self.fire(state, scratch, emit);
        }
        self.model.successors(&mut scratch.full, state, emit)
    }

    fn explain(&self, source: &[u64], label: Option<&[u8]>, target: &[u64]) -> Vec<String> {
        self.model.explain(source, label, target)
    }

    fn state_text(&self, state: &[u64]) -> Option<String> {
        self.model.state_text(state)
    }

    fn erased(&self) -> Erased<'_> {
        Erased::new(self)
    }
}
