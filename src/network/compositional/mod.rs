//! Networks made smaller component by component before they are explored.
//!
//! [`reduce`] minimises the components, then composes a few of them, minimises
//! what comes of that and puts it back as one component, and so on. What only
//! concerns the components that are composed is forgotten on the way: labels
//! that the rest of the network cannot tell apart become one, labels that it
//! never lets happen go, and what is hidden anyway is hidden at once. The result
//! is a network again, of fewer and smaller components, and is equivalent to the
//! one at the beginning.
//!
//! Which components are composed is decided by how much becomes hidden and how
//! little is interleaved (Crouzen & Lang, "Smart Reduction", 2011). If the
//! product turns out to be large, others come first; before larger ones are
//! allowed, all that is left is tried as one product.
//!
//! # Congruence
//! All that happens to a component in a network, except priorities, is to do
//! something with a label, alone or with others, and to do hidden steps freely.
//! For operators of that kind strong and (divergence-preserving) branching
//! bisimilarity are congruences, so that a component may be exchanged for an
//! equivalent one. Priorities look at what a component *can* do, which only
//! strong bisimilarity preserves: components that guards of others look at are
//! minimised by that, until all that a guard is about has been composed. A
//! hidden step that gives way to others is not free, and counts as visible. Which
//! relations are congruences for what is said by [`Relation::is_congruence`] and
//! [`Relation::is_congruence_with_priorities`].

mod choose;
mod garbage;
mod guards;
mod merge;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use hyades_equivalence::{Criterion, MinimizeError, Relation, either, minimize};
use hyades_explore::{ExploreError, ExploreOptions, Limits, LtsSink, ModelError, Outcome, explore};
use hyades_formats::Lts;

use super::{Network, NetworkModel};
use merge::{Key, Plan, Product};

/// How a network is reduced.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// What the result is equivalent by.
    pub relation: Relation,
    /// The most states that a product of components may have; components whose
    /// product is larger are not composed.
    pub max_states: u64,
}

impl Options {
    /// These, with products of up to 2^24 states.
    pub fn new(relation: Relation) -> Self {
        Self {
            relation,
            max_states: 1 << 24,
        }
    }
}

/// States and transitions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// States.
    pub states: u64,
    /// Transitions.
    pub transitions: u64,
}

impl Size {
    fn of(lts: &Lts) -> Self {
        Self {
            states: lts.states() as u64,
            transitions: lts.transitions() as u64,
        }
    }
}

/// Something that [`reduce`] did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReductionStep {
    /// Components became one; or a single one became smaller.
    Reduced {
        /// Their names and sizes.
        components: Vec<(String, Size)>,
        /// Their product; what is given for a single one is its part that the
        /// network can use.
        product: Size,
        /// The relation that it was minimised by: one that implies that of the options if
        /// by this it would not become smaller.
        relation: Relation,
        /// The size then.
        result: Size,
    },
    /// The product of some components was too large for now.
    PutOff {
        /// Their names.
        components: Vec<String>,
        /// How many states it was allowed to have.
        limit: u64,
    },
}

/// A first product may have so many states, or as many times as many as the
/// largest component.
const FIRST_LIMIT: u64 = 1 << 16;
const FIRST_FACTOR: u64 = 4;
/// If none of so many products is within the limit …
const ATTEMPTS: usize = 16;
/// … it is raised by this factor.
const NEXT_FACTOR: u64 = 8;

/// An equivalent network of fewer and smaller components: one, if products do
/// not become too large and all components have something to do with each other.
///
/// `report` is called with each step. The result does not depend on the number
/// of threads.
///
/// # Errors
/// If the relation is not a [congruence](Relation::is_congruence), or a product cannot
/// be explored for other reasons than its size.
pub fn reduce(
    network: Network,
    options: Options,
    report: &mut dyn FnMut(&ReductionStep),
) -> Result<Network, ExploreError> {
    let relation = options.relation;
    if !relation.has_quotient() {
        let why = MinimizeError::NoQuotient(relation);
        return Err(ModelError::new(why.to_string()).into());
    }
    if !relation.is_congruence() {
        return Err(ModelError::new(format!(
            "components cannot be minimised by {relation}, which is no congruence for parallel \
             composition, or is not known to be one here: use {}, which implies it",
            either(relation.next_congruence())
        ))
        .into());
    }
    let mut work = Work {
        network: guards::with_loops(network)?,
        names: HashMap::new(),
        known: HashMap::new(),
        options,
        report,
    };
    for k in 0..work.network.components.len() as u32 {
        let within = work.compose(&[k], u64::MAX)?;
        debug_assert!(within, "there is no limit");
    }
    let largest = work.network.components.iter().map(|component| {
        let file = &work.network.files[component.file];
        file.lts.states() as u64
    });
    let first = largest.max().unwrap_or(0).saturating_mul(FIRST_FACTOR);
    let mut limit = first.max(FIRST_LIMIT).min(options.max_states);
    let mut refused: HashSet<Vec<String>> = HashSet::new();
    'next: loop {
        let candidates = choose::candidates(&work.network);
        let mut attempts = 0;
        for set in candidates {
            let names = work.names_of(&set);
            if refused.contains(&names) {
                continue;
            }
            if work.compose(&set, limit)? {
                continue 'next;
            }
            (work.report)(&ReductionStep::PutOff {
                components: names.clone(),
                limit,
            });
            refused.insert(names);
            attempts += 1;
            if attempts == ATTEMPTS {
                break;
            }
        }
        if attempts == 0 && refused.is_empty() {
            break;
        }
        // Products of a few may be large where that of all is not.
        let all: Vec<u32> = (0..work.network.components.len() as u32).collect();
        if all.len() > 1 && work.network.rules.rest.is_empty() && work.compose(&all, limit)? {
            break;
        }
        if limit >= options.max_states {
            break;
        }
        limit = limit.saturating_mul(NEXT_FACTOR).min(options.max_states);
        refused.clear();
    }
    Ok(garbage::collect_garbage(work.network))
}

/// An LTS with few sets of states is made deterministic, in the hope of a quotient with fewer
/// states than it has: at most so many, and as many times as many as it has states.
const SETS: u64 = 1 << 10;
const SETS_FACTOR: u64 = 4;

/// The smallest LTS that is equivalent to one by a relation; and that relation. By traces and
/// simulations it is the smallest by a bisimilarity that implies the relation if that has fewer
/// states, or the other one is too large: what is equivalent by traces may have exponentially
/// more states if it is deterministic.
fn minimized(lts: Lts, relation: Relation) -> Result<(Lts, Relation), ModelError> {
    let failed = |e: MinimizeError| ModelError::new(e.to_string());
    if !relation.is_preorder() {
        return Ok((minimize(lts, relation).map_err(failed)?.lts, relation));
    }
    let finer = match Relation::Branching.implies(relation) {
        true => Relation::Branching,
        false => Relation::Strong,
    };
    let small = minimize(lts, finer).map_err(failed)?.lts;
    let states = small.states() as u64;
    let criterion = Criterion {
        max_states: states.saturating_mul(SETS_FACTOR).saturating_add(SETS),
        ..relation.into()
    };
    Ok(match minimize(small.clone(), criterion) {
        Ok(found) if found.lts.states() as u64 <= states => (found.lts, relation),
        Ok(_) | Err(_) => (small, finer),
    })
}

/// A network on its way.
struct Work<'r> {
    network: Network,
    /// How many components of the original network some have been made of, by
    /// their names.
    names: HashMap<String, Made>,
    /// What has been composed and minimised before: the file, and the size of the
    /// product.
    known: HashMap<Key, (usize, Size)>,
    options: Options,
    report: &'r mut dyn FnMut(&ReductionStep),
}

/// What a component has been made of.
struct Made {
    first: String,
    last: String,
    count: usize,
}

impl Work<'_> {
    fn names_of(&self, set: &[u32]) -> Vec<String> {
        let components = &self.network.components;
        let names = set.iter().map(|&k| components[k as usize].name.clone());
        names.collect()
    }

    /// The name of what these components become.
    fn name_for(&mut self, set: &[u32]) -> String {
        let names = self.names_of(set);
        if let [name] = &names[..] {
            return name.clone();
        }
        let mut made = Made {
            first: String::new(),
            last: String::new(),
            count: 0,
        };
        for (number, name) in names.iter().enumerate() {
            let (first, last, count) = match self.names.remove(name) {
                Some(own) => (own.first, own.last, own.count),
                None => (name.clone(), name.clone(), 1),
            };
            if number == 0 {
                made.first = first;
            }
            made.last = last;
            made.count += count;
        }
        let name = match made.count {
            2 => format!("{}+{}", made.first, made.last),
            count => format!("{}+..+{}({count})", made.first, made.last),
        };
        self.names.insert(name.clone(), made);
        name
    }

    /// Composes these components and minimises the result, unless the product
    /// has more states than the limit.
    fn compose(&mut self, set: &[u32], limit: u64) -> Result<bool, ExploreError> {
        let plan = Plan::new(&self.network, set)?;
        let mut relation = self.options.relation;
        if plan.is_looked_at() && !relation.is_congruence_with_priorities() {
            relation = Relation::Strong;
        }
        let file_of = |k: &u32| self.network.file_of(*k as usize);
        let before = set.iter().map(|k| Size::of(&file_of(k).lts));
        let components: Vec<_> = self.names_of(set).into_iter().zip(before).collect();
        let known = plan.key().and_then(|key| self.known.get(key)).copied();
        let known = known.filter(|&(file, _)| !garbage::is_dropped(&self.network.files[file]));
        if let Some((file, product)) = known {
            (self.report)(&ReductionStep::Reduced {
                components,
                product,
                relation,
                result: Size::of(&self.network.files[file].lts),
            });
            let name = self.name_for(set);
            plan.finish(&mut self.network, name, Product::Known(file));
            return Ok(true);
        }
        let model = NetworkModel::new(plan.part().clone());
        let search = ExploreOptions {
            limits: Limits {
                max_states: (limit < u64::MAX).then_some(limit),
                ..Limits::default()
            },
            ..ExploreOptions::default()
        };
        let mut sink = LtsSink::new();
        let found = explore(&model, search, &mut sink)?;
        if found.outcome != Outcome::Complete {
            return Ok(false);
        }
        let lts = sink.finish(found.labels.into_owned())?;
        let product = Size::of(&lts);
        let (lts, relation) = minimized(lts, relation)?;
        (self.report)(&ReductionStep::Reduced {
            components,
            product,
            relation,
            result: Size::of(&lts),
        });
        let name = self.name_for(set);
        let key = plan.key().cloned();
        let file = plan.finish(&mut self.network, name, Product::New(lts));
        if let Some(key) = key {
            self.known.insert(key, (file, product));
        }
        Ok(true)
    }
}
