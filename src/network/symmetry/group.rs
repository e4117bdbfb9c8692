//! The symmetry of a network: the permutations of values, and what they do.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use hyades_equivalence::Minimized;
use hyades_explore::pack::{self, Field};
use hyades_formats::LabelId;

use super::action::{Action, neighbours};
use super::derive::derive;
use super::error::SymmetryError;
use super::fire::Rules;
use super::label_action::LabelAction;
use super::labels::Labels;
use super::parts::{Parts, Specification};
use super::types::{Types, ValueType};
use crate::Network;

/// A network that all permutations of the values of some types leave as it is,
/// and what these permutations do to the states of its components.
pub struct Symmetry<'n> {
    network: Cow<'n, Network>,
    types: Types,
    unused: Unused,
    pub(super) parts: Parts,
    pub(super) action: Action,
    pub(super) rules: Rules,
    pub(super) fields: Vec<Field>,
    /// For each state of the minimal specification the first state of the given
    /// one that it stands for.
    pub(super) nodes: Vec<u32>,
}

hyades_base::opaque!(Symmetry<'_>);

/// Declarations without effect, as they are about no label that can happen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unused {
    /// Types of whose values no label has any, in their order.
    pub types: Vec<ValueType>,
    /// Gates, sorted.
    pub gates: Vec<String>,
}

impl Unused {
    fn new(types: &Types, parts: &Parts, is_used: &[bool]) -> Self {
        let gates = parts.labels.gates_below(parts.own_labels);
        let silent = types.gates().filter(|g| !gates.contains(g.as_bytes()));
        let types = types.types().iter().zip(types.ranges());
        let without = types.filter(|(_, range)| !is_used[range.clone()].contains(&true));
        Self {
            types: without.map(|(own, _)| own.clone()).collect(),
            gates: silent.map(str::to_owned).collect(),
        }
    }
}

impl<'n> Symmetry<'n> {
    /// Derives what permutations of the values of these types do to a network, and
    /// checks that they are symmetries.
    ///
    /// Each component is restricted to labels that rules use and to the states that it
    /// reaches by them, and minimised by strong bisimilarity. With m transitions and n states of all components and T
    /// values: O(m · T · log n) time for the states, and the number of rules times T
    /// for the rules, if bisimilar components can be told apart by the rules that
    /// they are in. Types that no state of a component depends on take hardly more than
    /// the labels that their values are in.
    ///
    /// # Errors
    /// If a permutation is no symmetry, with what shows it; if the network has
    /// priorities; if tokens of labels may be values of two types.
    pub fn new(network: &'n Network, types: &Types) -> Result<Arc<Self>, SymmetryError> {
        Self::of(Cow::Borrowed(network), types, None)
    }

    /// The same beside a specification, which has to be symmetric as well.
    ///
    /// # Errors
    /// As for [`Symmetry::new`]; and if the specification is not symmetric.
    ///
    /// # Panics
    /// If acceptances or marks are given, but not for each state.
    pub fn with_specification(
        network: &'n Network,
        types: &Types,
        specification: &Specification<'_>,
    ) -> Result<Arc<Self>, SymmetryError> {
        Self::of(Cow::Borrowed(network), types, Some(specification))
    }

    /// The same of a network that is given away, so that models of it can be too.
    ///
    /// # Errors
    /// As for [`Symmetry::with_specification`].
    ///
    /// # Panics
    /// As for [`Symmetry::with_specification`].
    pub fn owning(
        network: Network,
        types: &Types,
        specification: Option<&Specification<'_>>,
    ) -> Result<Arc<Symmetry<'static>>, SymmetryError> {
        Symmetry::of(Cow::Owned(network), types, specification)
    }

    fn of(
        network: Cow<'n, Network>,
        types: &Types,
        specification: Option<&Specification<'_>>,
    ) -> Result<Arc<Self>, SymmetryError> {
        if let Some(specification) = specification {
            let states = specification.lts.states();
            for given in [specification.acceptances.len(), specification.marked.len()] {
                assert!(given == 0 || given == states, "each state is described");
            }
        }
        let parts_by = |types: &Types| {
            let labels = Labels::new(LabelAction::new(types.clone()), types.values());
            Parts::new(&network, labels, specification)
        };
        let mut types = types.clone();
        let mut parts = parts_by(&types)?;
        let mut is_used = parts.labels.values_below(parts.own_labels);
        let unused = Unused::new(&types, &parts, &is_used);
        if !unused.types.is_empty() {
            types = types.without_unused(&is_used);
            parts = parts_by(&types)?;
            is_used = parts.labels.values_below(parts.own_labels);
        }
        let name = |v: u16| types.value(usize::from(v)).to_owned();
        let exchanges = neighbours(&types);
        // Some values of a type are in labels, others are not: no symmetry, which one
        // exchange shows.
        let mut broken = exchanges.iter();
        let broken = broken.find(|e| is_used[usize::from(e[0])] != is_used[usize::from(e[1])]);
        if let Some(&exchange) = broken {
            derive(&mut parts, &[exchange], &name)?;
        }
        let generators = derive(&mut parts, &exchanges, &name)?;
        let action = Action::new(&parts, &types, &generators);
        let sizes = (0..parts.count()).map(|c| parts.leaf(c).lts.states());
        Ok(Arc::new(Self {
            network,
            types,
            unused,
            action,
            rules: Rules::new(&parts),
            fields: pack::fields(sizes),
            nodes: nodes(&parts),
            parts,
        }))
    }

    /// The network.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The types, but those without effect.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// What was declared without effect.
    pub fn unused(&self) -> &Unused {
        &self.unused
    }

    /// How many permutations there are; `None` if 2^128 or more.
    pub fn order(&self) -> Option<u128> {
        self.types.order()
    }

    /// How many control states the components have together: orbits of states of
    /// components, each counted where it is.
    pub fn control_states(&self) -> usize {
        self.action.orbits as usize
    }

    /// How many states the components have together, when they are minimal.
    pub fn component_states(&self) -> usize {
        self.action.first[self.parts.count()] as usize
    }

    /// Two labels of the whole that a permutation exchanges, and of which the
    /// predicate holds for one only. Without such labels, whether a label for which
    /// it holds is reachable is the same in the reduced state space.
    ///
    /// O(length of labels · log).
    pub fn tells_apart(&self, predicate: impl Fn(&[u8]) -> bool) -> Option<[LabelId; 2]> {
        let labels = self.network.labels();
        let holds = |label: LabelId| predicate(labels.text(label));
        let exchanged = self.exchanged(|[one, other]| match holds(one) == holds(other) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break([one, other]),
        });
        exchanged.break_value()
    }

    /// Makes of a set of labels of the whole, a flag for each, the smallest one with all
    /// labels that permutations make of these: what is reachable, of what is reachable in
    /// the reduced state space.
    ///
    /// O(length of labels · log · number of values).
    ///
    /// # Panics
    /// If there are not as many flags as labels.
    pub fn close(&self, labels: &mut [bool]) {
        assert_eq!(labels.len(), self.network.labels().len(), "a flag a label");
        loop {
            let mut is_closed = true;
            let _ = self.exchanged(|pair| {
                let [one, other] = pair.map(LabelId::index);
                if labels[one] != labels[other] {
                    (labels[one], labels[other]) = (true, true);
                    is_closed = false;
                }
                ControlFlow::<()>::Continue(())
            });
            if is_closed {
                return;
            }
        }
    }

    /// Shows the pairs of different visible labels that exchanges of neighbouring values
    /// make of one another, each once at least; these permutations generate all.
    fn exchanged<B>(&self, mut show: impl FnMut([LabelId; 2]) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut image: Vec<u16> = (0..self.types.values() as u16).collect();
        let by_value = self.parts.labels.by_value(self.parts.own_labels);
        let mut rules_of: Vec<Vec<usize>> = vec![Vec::new(); self.parts.own_labels];
        for (k, rule) in self.parts.rules.iter().enumerate() {
            rules_of[rule.output as usize].push(k);
        }
        for [v, w] in neighbours(&self.types) {
            image.swap(usize::from(v), usize::from(w));
            // Other labels stay.
            let concerned = [v, w]
                .map(|v| &by_value[usize::from(v)])
                .into_iter()
                .flatten();
            let rules: BTreeSet<usize> = concerned
                .flat_map(|&label| &rules_of[label as usize])
                .copied()
                .collect();
            for rule in rules {
                let output = self.parts.outputs[rule];
                if output.is_hidden() {
                    continue;
                }
                // A symmetric network has the image of each of its labels.
                let other = self.output(self.parts.rules[rule].output, &image);
                if let Some(other) = other.filter(|&other| other != output) {
                    show([output, other])?;
                }
            }
            image.swap(usize::from(v), usize::from(w));
        }
        ControlFlow::Continue(())
    }

    /// What a label of the whole becomes.
    pub(super) fn output(&self, number: u32, image: &[u16]) -> Option<LabelId> {
        if number == 0 {
            return Some(LabelId::HIDDEN);
        }
        let labels = &self.parts.labels;
        let text = labels.found(labels.image(number, image)?)?;
        self.network.labels().find(text)
    }
}

/// For each state of the minimal specification, the first one that it stands for.
fn nodes(parts: &Parts) -> Vec<u32> {
    if !parts.has_specification {
        return Vec::new();
    }
    let leaf = parts.leaf(parts.count());
    let mut nodes = vec![0; leaf.lts.states()];
    for (node, &class) in leaf.class.iter().enumerate().rev() {
        if class != Minimized::NO_CLASS {
            nodes[class as usize] = node as u32;
        }
    }
    nodes
}
