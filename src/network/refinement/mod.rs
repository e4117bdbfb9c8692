//! Refinement of networks up to symmetry (Gibson-Robinson & Lowe 2019, section 5).
//!
//! Pairs of a node and a state are replaced by representatives together, so that the
//! specification need not be symmetric at each node: it is enough that permutations
//! map nodes to nodes.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;

use hyades_explore::{ExploreError, Model, ModelError};
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use hyades_refinement::Specification;
use hyades_refinement::{Counterexample, CounterexampleStep, Pair, Violation};
use hyades_refinement::{Identity, Product, Representatives, Violations};
use hyades_refinement::{RefineOptions, Refinement, RefinementVerdict, refine_by};

use crate::symmetry::{
    self as symmetry, Replay, Scratch, Strategy, SymmetricModel, Symmetry, SymmetryError, Types,
    find_types,
};
use crate::{Network, NetworkModel};

impl Representatives for SymmetricModel<'_> {
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Model::scratch(self)
    }

    fn representative(
        &self,
        scratch: &mut Scratch,
        node: &mut u32,
        state: &mut [u64],
    ) -> Result<(), ModelError> {
        self.representative_pair(scratch, node, state)
    }
}

/// A network and a specification that permutations of values leave as they are.
pub struct SymmetricRefinement<'a> {
    specification: &'a Specification,
    model: SymmetricModel<'a>,
}

/// A counterexample up to symmetry, as a run of the network.
#[derive(Debug)]
pub struct ReplayedRefinement {
    /// The result. The states of a counterexample are those of `model`.
    pub found: Refinement,
    /// The network without symmetry, if there is a counterexample.
    pub model: Option<NetworkModel>,
}

impl AsRef<Refinement> for ReplayedRefinement {
    fn as_ref(&self) -> &Refinement {
        &self.found
    }
}

/// The symmetric types of a network beside a specification: as
/// [`find_types`] does for a network alone.
///
/// # Errors
/// If the network is one of which no symmetries are derived.
pub fn find_types_beside(
    specification: &Specification,
    network: &Network,
) -> Result<Types, SymmetryError> {
    let plain = Plain::of(specification)?;
    find_types(network, Some(&plain.borrowed()))
}

impl<'a> SymmetricRefinement<'a> {
    /// Derives what permutations of the values of these types do to the network and
    /// to the specification, and checks that they are symmetries of both; see
    /// [`Symmetry::with_specification`].
    ///
    /// # Errors
    /// If they are not.
    pub fn new(
        specification: &'a Specification,
        network: &'a Network,
        types: &Types,
        strategy: Strategy,
    ) -> Result<Self, SymmetryError> {
        let plain = Plain::of(specification)?;
        let symmetry = Symmetry::with_specification(network, types, &plain.borrowed())?;
        Ok(Self {
            specification,
            model: SymmetricModel::new(&symmetry, strategy),
        })
    }

    /// The symmetry.
    pub fn symmetry(&self) -> &Symmetry<'a> {
        self.model.symmetry()
    }

    /// Decides whether the network refines the specification, as
    /// [`refine`](hyades_refinement::refine) does, looking at representatives of pairs only. A
    /// counterexample is a run of the network itself, which has been replayed; it is
    /// as short as is promised for all counterexamples (Lemma 19). Only a divergence
    /// may be led to by more hidden steps, if components have states that are
    /// bisimilar, which are one in the search: then it is not said to be the shortest.
    ///
    /// # Errors
    /// As for [`refine`](hyades_refinement::refine), and if a strategy takes too long.
    pub fn refine(&self, search: RefineOptions<'_>) -> Result<ReplayedRefinement, ExploreError> {
        let unreduced = self.model.unreduced();
        let mut found = refine_by(self.specification, &unreduced, &self.model, search)?;
        let mut model = None;
        if let RefinementVerdict::Fails(shown) = &mut found.verdict {
            let network = NetworkModel::new(self.symmetry().network().clone());
            **shown = self.replayed(shown, &network)?;
            model = Some(network);
        }
        Ok(ReplayedRefinement { found, model })
    }

    /// The run of the network that a run of representatives stands for.
    ///
    /// # Errors
    /// If there is none, or it shows nothing.
    fn replayed(
        &self,
        shown: &Counterexample,
        network: &NetworkModel,
    ) -> Result<Counterexample, ModelError> {
        let mut run = Run {
            refinement: self,
            replay: Replay::with_specification(&self.model)?,
            node: self.specification.initial(),
        };
        let initial = run.pair();
        let mut steps = run.steps(&shown.steps)?;
        let mut is_shortest = shown.is_shortest;
        let violation = match &shown.violation {
            Violation::Trace => Violation::Trace,
            Violation::Refusal { .. } => {
                let product =
                    Product::new(self.specification, network, &Identity, Violations::Mark);
                let product = product.map_err(|error| ModelError::new(error.to_string()))?;
                let accepted = product.offered(&product.join(&run.pair()))?;
                Violation::Refusal { accepted }
            }
            Violation::Divergence { cycle } => {
                let (before, cycle) = run.rounds(cycle)?;
                is_shortest &= before.is_empty();
                steps.extend(before);
                Violation::Divergence { cycle }
            }
        };
        let replayed = Counterexample {
            initial,
            steps,
            violation,
            is_shortest,
        };
        match self.shows(&replayed) {
            true => Ok(replayed),
            false => Err(ModelError::new(
                "a counterexample up to symmetry is none of the network: this is an error of \
                 the program",
            )),
        }
    }

    /// Whether a run of the network violates the specification.
    fn shows(&self, run: &Counterexample) -> bool {
        let specification = self.specification;
        let node = run.last().node;
        let is_forbidden = node == specification.forbidden();
        match &run.violation {
            Violation::Trace => is_forbidden,
            Violation::Refusal { accepted } => {
                let labels = accepted.iter().filter_map(|text| specification.label(text));
                let mut labels: Vec<LabelId> = labels.collect();
                labels.sort_unstable();
                !is_forbidden && !specification.may_accept_only(node, &labels)
            }
            Violation::Divergence { .. } => !is_forbidden && !specification.diverges(node),
        }
    }
}

/// A run of the network beside its specification.
struct Run<'r, 'a> {
    refinement: &'r SymmetricRefinement<'a>,
    replay: Replay<'r>,
    node: u32,
}

impl Run<'_, '_> {
    fn pair(&self) -> Pair {
        Pair {
            node: self.node,
            state: self.replay.packed(),
        }
    }

    /// # Errors
    /// If the network has no such steps.
    fn steps(
        &mut self,
        steps: &[CounterexampleStep],
    ) -> Result<Vec<CounterexampleStep>, ModelError> {
        steps.iter().map(|step| self.step(step)).collect()
    }

    /// Goes round a cycle until the network is where it was at the start of a round:
    /// the steps before that round, and those from there on.
    ///
    /// A round permutes the state, and the group is finite. So some rounds lead back
    /// to where they started, or, if components have bisimilar states, to a state that
    /// is bisimilar to it, of which there are finitely many too.
    ///
    /// # Errors
    /// If the network has no such steps.
    fn rounds(
        &mut self,
        cycle: &[CounterexampleStep],
    ) -> Result<(Vec<CounterexampleStep>, Vec<CounterexampleStep>), ModelError> {
        let mut starts = HashMap::new();
        let mut steps = Vec::new();
        loop {
            if let Some(start) = starts.insert(self.replay.packed(), steps.len()) {
                let around = steps.split_off(start);
                return Ok((steps, around));
            }
            steps.extend(self.steps(cycle)?);
        }
    }

    fn step(&mut self, step: &CounterexampleStep) -> Result<CounterexampleStep, ModelError> {
        let specification = self.refinement.specification;
        let labels = self.refinement.symmetry().network().labels();
        let label = match &step.label {
            None => Some(LabelId::HIDDEN),
            Some(text) => labels.find(text),
        };
        let label = label.ok_or_else(|| ModelError::new("a label that the network has not"))?;
        let Pair { node, state } = &step.target;
        let real = match *node == specification.forbidden() {
            true => self.replay.step_by(label)?,
            false => self.replay.step_pair(Some(label), *node, state)?,
        };
        let text = (!real.is_hidden()).then(|| labels.text(real));
        if let Some(text) = text {
            let own = specification.label(text);
            let next = own.and_then(|label| specification.successor(self.node, label));
            self.node = next.unwrap_or(specification.forbidden());
        }
        Ok(CounterexampleStep {
            label: text.map(Box::from),
            target: self.pair(),
        })
    }
}

/// A specification with its acceptances and divergences beside it.
struct Plain {
    lts: Lts,
    acceptances: Vec<Vec<Vec<LabelId>>>,
    diverging: Vec<bool>,
}

impl Plain {
    /// O(size of the specification).
    fn of(specification: &Specification) -> Result<Self, TooLarge> {
        let nodes = 0..specification.nodes() as u32;
        let table = specification.table().clone();
        let mut builder = LtsBuilder::with_table(specification.nodes() as u64, table);
        for node in nodes.clone() {
            for (label, target) in specification.successors(node) {
                builder.add(StateId::new(node), label, StateId::new(target));
            }
        }
        let sets = |node| specification.minimal_acceptances(node).map(<[_]>::to_vec);
        Ok(Self {
            lts: builder.build(StateId::new(specification.initial()))?,
            acceptances: nodes.clone().map(|node| sets(node).collect()).collect(),
            diverging: nodes.map(|node| specification.diverges(node)).collect(),
        })
    }

    fn borrowed(&self) -> symmetry::Specification<'_> {
        symmetry::Specification {
            lts: &self.lts,
            acceptances: &self.acceptances,
            marked: &self.diverging,
        }
    }
}

impl fmt::Debug for SymmetricRefinement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymmetricRefinement")
            .field("types", self.symmetry().types())
            .finish_non_exhaustive()
    }
}
