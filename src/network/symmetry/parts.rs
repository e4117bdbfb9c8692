//! A network with small components, its labels by one numbering, and the rules
//! that can ever apply.

use std::collections::{HashMap, HashSet};

use hyades_equivalence::strong_quotient;
use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, StateId};

use super::error::SymmetryError;
use super::labels::Labels;
use super::live::{Live, cut};
use crate::Network;

/// A specification that pairs of its states and those of a network are made of.
/// It has to be symmetric as the network is.
#[derive(Clone, Copy, Debug)]
pub struct Specification<'a> {
    /// Its states and transitions.
    pub lts: &'a Lts,
    /// For each state, sets of labels that permutations have to respect, such as
    /// minimal acceptances; none at all if this is empty.
    pub acceptances: &'a [Vec<Vec<LabelId>>],
    /// For each state, whether it has a mark, such as that it diverges; none has
    /// if this is empty.
    pub marked: &'a [bool],
}

/// The behaviour of one or more components: reachable by what rules use, and minimal
/// by strong bisimilarity.
pub(super) struct Leaf {
    pub lts: Lts,
    /// For each state of the file that of `lts`; [`NO_CLASS`](hyades_equivalence::Minimized::NO_CLASS)
    /// if it cannot be reached by labels that rules use.
    pub class: Vec<u32>,
    /// The common number of each label of its table, if it occurs.
    pub number: Vec<Option<u32>>,
}

impl Leaf {
    /// The common number of a label that occurs.
    pub fn number_of(&self, label: LabelId) -> u32 {
        self.number[label.index()].expect("a label that occurs has a number")
    }
}

/// A rule by the common numbers of labels.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct PlainRule {
    /// The label of the whole.
    pub output: u32,
    /// Components and their labels, sorted by component.
    pub parts: Vec<(u32, u32)>,
}

/// The parts of a network, and of a specification beside it.
pub(super) struct Parts {
    pub labels: Labels,
    /// How many labels occur; those behind them are images of these only.
    pub own_labels: usize,
    pub leaves: Vec<Leaf>,
    /// The leaf of each component, and at the end of the specification.
    pub components: Vec<u32>,
    pub names: Vec<String>,
    /// The rules that may apply, each once.
    pub rules: Vec<PlainRule>,
    /// The label of the whole of each rule, in the network's table.
    pub outputs: Vec<LabelId>,
    pub has_specification: bool,
}

impl Parts {
    /// O(m log n) for each component file and what is used of it, as minimisation
    /// takes, and what [`Live::of`] takes.
    ///
    /// # Errors
    /// If the network is one of which no symmetries are derived, or labels are
    /// ambiguous.
    pub fn new(
        network: &Network,
        mut labels: Labels,
        specification: Option<&Specification<'_>>,
    ) -> Result<Self, SymmetryError> {
        let set = network.rules();
        if set.rules.iter().any(|rule| !rule.guards.is_empty()) {
            return Err(SymmetryError::Priorities);
        }
        if !set.rest.is_empty() {
            return Err(SymmetryError::TooManyRules);
        }
        let live = Live::of(network);
        let mut leaves = Vec::new();
        let mut known = HashMap::new();
        let mut own = Vec::with_capacity(live.uses.len());
        for usage in &live.uses {
            let number = match known.get(usage) {
                Some(&number) => number,
                None => {
                    let (file, used) = usage;
                    let lts = cut(&network.files()[*file].lts, used)?;
                    leaves.push(leaf(lts, &mut labels)?);
                    let number = leaves.len() as u32 - 1;
                    known.insert(usage, number);
                    number
                }
            };
            own.push(number);
        }
        let mut parts = Self {
            leaves,
            components: own,
            names: network
                .components()
                .iter()
                .map(|c| c.name.clone())
                .collect(),
            rules: Vec::new(),
            outputs: Vec::new(),
            has_specification: specification.is_some(),
            labels,
            own_labels: 0,
        };
        parts.add_rules(network, &live.rules)?;
        if let Some(specification) = specification {
            parts.components.push(parts.leaves.len() as u32);
            parts.names.push("specification".into());
            let leaf = specification_leaf(specification, &mut parts.labels)?;
            parts.leaves.push(leaf);
        }
        parts.own_labels = parts.labels.len();
        Ok(parts)
    }

    fn add_rules(&mut self, network: &Network, live: &[usize]) -> Result<(), SymmetryError> {
        let mut seen = HashSet::new();
        for &rule in live {
            let rule = &network.rules().rules[rule];
            let number = |&(component, label): &(u32, LabelId)| {
                (component, self.leaf(component as usize).number_of(label))
            };
            let parts = rule.parts.iter().map(number).collect();
            let output = match rule.label.is_hidden() {
                true => 0,
                false => self.labels.add(network.labels().text(rule.label))?,
            };
            let plain = PlainRule { output, parts };
            if seen.insert(plain.clone()) {
                self.rules.push(plain);
                self.outputs.push(rule.label);
            }
        }
        Ok(())
    }

    /// The behaviour of a component.
    pub fn leaf(&self, component: usize) -> &Leaf {
        &self.leaves[self.components[component] as usize]
    }

    /// The number of components, without the specification.
    pub fn count(&self) -> usize {
        self.components.len() - usize::from(self.has_specification)
    }

    /// A rule in words.
    pub fn shown(&self, rule: &PlainRule) -> String {
        let part = |&(component, label): &(u32, u32)| {
            let name = &self.names[component as usize];
            format!("{name} `{}`", self.labels.shown(label))
        };
        let parts: Vec<String> = rule.parts.iter().map(part).collect();
        format!(
            "{} -> `{}`",
            parts.join(" * "),
            self.labels.shown(rule.output)
        )
    }
}

fn leaf(lts: Lts, labels: &mut Labels) -> Result<Leaf, SymmetryError> {
    let minimal = strong_quotient(lts);
    let table = minimal.lts.table();
    let mut occurs = vec![false; table.len()];
    minimal
        .lts
        .labels()
        .iter()
        .for_each(|l| occurs[l.index()] = true);
    let mut number = vec![None; occurs.len()];
    for label in (0..occurs.len() as u32).map(LabelId::new) {
        if occurs[label.index()] {
            number[label.index()] = Some(match label.is_hidden() {
                true => 0,
                false => labels.add(table.text(label))?,
            });
        }
    }
    Ok(Leaf {
        lts: minimal.lts,
        class: minimal.class,
        number,
    })
}

/// The behaviour of a specification, with loops for what is marked.
fn specification_leaf(
    specification: &Specification<'_>,
    labels: &mut Labels,
) -> Result<Leaf, SymmetryError> {
    let lts = specification.lts;
    let mut own = vec![None; lts.table().len()];
    own[0] = Some(0);
    let mut number = |label: LabelId, labels: &mut Labels| match own[label.index()] {
        Some(number) => Ok(number),
        None => {
            let number = labels.add(lts.table().text(label))?;
            own[label.index()] = Some(number);
            Ok::<u32, SymmetryError>(number)
        }
    };
    let mut transitions = Vec::new();
    for (source, label, target) in lts.iter() {
        transitions.push((source, number(label, labels)?, target));
    }
    for (state, sets) in specification.acceptances.iter().enumerate() {
        let state = StateId::from_index(state);
        for set in sets {
            let mut members = Vec::with_capacity(set.len());
            for &label in set {
                members.push(number(label, labels)?);
            }
            transitions.push((state, labels.add_set(members), state));
        }
    }
    for (state, _) in specification.marked.iter().enumerate().filter(|(_, m)| **m) {
        let state = StateId::from_index(state);
        transitions.push((state, labels.add_mark(), state));
    }
    // Labels by their common numbers, so that they need no texts of their own.
    let mut builder = LtsBuilder::with_table(lts.states() as u64, numbered_table(labels)?);
    for (source, label, target) in transitions {
        builder.add(source, LabelId::new(label), target);
    }
    let minimal = strong_quotient(builder.build(lts.initial())?);
    Ok(Leaf {
        number: (0..minimal.lts.table().len() as u32).map(Some).collect(),
        lts: minimal.lts,
        class: minimal.class,
    })
}

/// A table in which labels have their common numbers.
pub(super) fn numbered_table(labels: &Labels) -> Result<LabelTable, SymmetryError> {
    let mut table = LabelTable::new();
    for label in 1..labels.len() as u32 {
        let own = table.intern(labels.text(label))?;
        debug_assert_eq!(own.get(), label, "each text has its own number");
    }
    Ok(table)
}
