//! The subset construction of a normal form.

use hyades_base::ascending::is_subset;
use std::fmt;

use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId, TooLarge};
use hyades_lts::tau_components;

use super::Semantics;

/// A normal form before its nodes are merged.
///
/// Its nodes are the sets of states that a trace may lead to. Visible labels have
/// the numbers that they have in the specification; those behind them are on loops
/// and say what else is to be known of a node.
pub(super) struct Normal {
    /// The nodes.
    pub lts: Lts,
    /// The labels from this one on stand for minimal acceptances, in this order.
    pub first_acceptance: LabelId,
    /// The acceptances, each ascending.
    pub acceptances: Vec<Box<[LabelId]>>,
    /// The label that stands for divergence, the last one.
    pub divergence: LabelId,
}

/// The normal form of a specification.
///
/// # Errors
/// If there are more than `max_nodes` nodes, or too many of something.
pub(super) fn normal_form(
    lts: &Lts,
    semantics: Semantics,
    max_nodes: usize,
) -> Result<Normal, SpecificationError> {
    let acceptances = Acceptances::of(lts, semantics);
    let diverges = match semantics.counts_divergences() {
        true => divergent_states(lts),
        false => Vec::new(),
    };
    let mut sets = Sets::new(lts);
    sets.closed(vec![lts.initial()]);
    // Steps by source, target and label; and for each node its acceptances, or
    // `None` if it diverges.
    let mut steps: Vec<(u32, LabelId, u32)> = Vec::new();
    let mut facts: Vec<Option<Vec<u32>>> = Vec::new();
    while facts.len() < sets.sets.len() {
        if sets.sets.len() > max_nodes {
            return Err(SpecificationError::TooManyNodes(max_nodes));
        }
        let node = facts.len() as u32;
        let members = sets.sets.get(node).to_vec();
        if !diverges.is_empty() && members.iter().any(|s| diverges[s.index()]) {
            facts.push(None);
            continue;
        }
        facts.push(Some(acceptances.minimal(&members)));
        let mut moves: Vec<(LabelId, StateId)> = members
            .iter()
            .flat_map(|&s| lts.outgoing(s))
            .filter(|(label, _)| !label.is_hidden())
            .collect();
        moves.sort_unstable();
        moves.dedup();
        for of_label in moves.chunk_by(|a, b| a.0 == b.0) {
            let targets = of_label.iter().map(|&(_, target)| target).collect();
            steps.push((node, of_label[0].0, sets.closed(targets)));
        }
    }
    marked(lts, &steps, &facts, &acceptances.sets)
}

/// The nodes as an LTS, with loops for what is known of them.
fn marked(
    lts: &Lts,
    steps: &[(u32, LabelId, u32)],
    facts: &[Option<Vec<u32>>],
    acceptances: &Interned<LabelId>,
) -> Result<Normal, SpecificationError> {
    let mut table = lts.table().clone();
    // No label of the specification may be taken for one of these.
    let mut add = |mut text: Vec<u8>| -> Result<LabelId, TooLarge> {
        while table.find(&text).is_some() {
            text.push(b'\'');
        }
        table.intern(&text)
    };
    let first_acceptance = LabelId::new(lts.table().len() as u32);
    for acceptance in acceptances.iter() {
        let texts: Vec<&[u8]> = acceptance.iter().map(|&l| lts.table().text(l)).collect();
        add([b"acc{", &texts.join(&b", "[..])[..], b"}"].concat())?;
    }
    let divergence = add(b"div".to_vec())?;
    let mut builder = LtsBuilder::with_table(facts.len() as u64, table);
    for &(source, label, target) in steps {
        builder.add(StateId::new(source), label, StateId::new(target));
    }
    for (node, known) in (0..).map(StateId::new).zip(facts) {
        match known {
            None => builder.add(node, divergence, node),
            Some(known) => {
                for &k in known {
                    builder.add(node, LabelId::new(first_acceptance.get() + k), node);
                }
            }
        }
    }
    Ok(Normal {
        lts: builder.build(StateId::new(0))?,
        first_acceptance,
        acceptances: acceptances.iter().map(Box::from).collect(),
        divergence,
    })
}

/// For each state, whether hidden steps can go on from it for ever.
/// O(states + transitions), but for sorting.
fn divergent_states(lts: &Lts) -> Vec<bool> {
    let components = tau_components(lts);
    let sizes = components.sizes();
    let mut order: Vec<StateId> = (0..lts.states()).map(StateId::from_index).collect();
    order.sort_by_key(|s| components.of[s.index()]);
    // Steps lead to components with lower numbers, which are known.
    let mut diverges = vec![false; components.count as usize];
    for s in order {
        let own = components.of[s.index()] as usize;
        diverges[own] |= sizes[own] > 1
            || lts.outgoing(s).any(|(label, t)| {
                label.is_hidden() && (t == s || diverges[components.of[t.index()] as usize])
            });
    }
    let of = components.of.iter();
    of.map(|&component| diverges[component as usize]).collect()
}

/// The sets of visible labels that stable states accept.
pub(super) struct Acceptances {
    /// The different ones, each ascending, in the order of their elements.
    sets: Interned<LabelId>,
    /// Which one is that of each state; `None` for states that are not stable.
    of: Vec<Option<u32>>,
}

impl Acceptances {
    /// Those of all states; none in a semantics that does not ask for them.
    pub(super) fn of(lts: &Lts, semantics: Semantics) -> Self {
        let mut this = Self {
            sets: Interned::default(),
            of: vec![None; lts.states()],
        };
        if !semantics.counts_failures() {
            return this;
        }
        for (k, of) in this.of.iter_mut().enumerate() {
            let outgoing = lts.outgoing(StateId::from_index(k));
            let mut labels: Vec<LabelId> = outgoing.map(|(label, _)| label).collect();
            labels.sort_unstable();
            labels.dedup();
            if labels.first().is_some_and(|label| label.is_hidden()) {
                continue;
            }
            *of = Some(this.sets.intern(&labels).0);
        }
        this.sort();
        this
    }

    /// Brings the sets into the order of their elements.
    fn sort(&mut self) {
        let mut order: Vec<u32> = (0..self.sets.len() as u32).collect();
        order.sort_unstable_by_key(|&k| self.sets.get(k));
        let mut sorted = Interned::default();
        let mut number = vec![0; order.len()];
        for k in order {
            number[k as usize] = sorted.intern(self.sets.get(k)).0;
        }
        self.sets = sorted;
        self.of
            .iter_mut()
            .flatten()
            .for_each(|of| *of = number[*of as usize]);
    }

    /// The labels of an acceptance, ascending.
    pub(super) fn set(&self, number: u32) -> &[LabelId] {
        self.sets.get(number)
    }

    /// The acceptances of these states that have no other one within them,
    /// ascending.
    pub(super) fn minimal(&self, states: &[StateId]) -> Vec<u32> {
        let mut all: Vec<u32> = states.iter().filter_map(|s| self.of[s.index()]).collect();
        all.sort_unstable();
        all.dedup();
        let set = |k: &u32| self.sets.get(*k);
        let is_minimal = |k: &u32| within(&all, set, set(k)).all(|other| other == k);
        all.iter().filter(|k| is_minimal(k)).copied().collect()
    }
}

/// Which of some sets, that are in the order of their elements, are within a set; each
/// ascends. Only those are looked at that begin by one of its elements.
pub(super) fn within<'a, K>(
    sets: &'a [K],
    elements: impl Fn(&K) -> &'a [LabelId] + Copy,
    whole: &'a [LabelId],
) -> impl Iterator<Item = &'a K> {
    let first = move |set: &K| elements(set).first();
    let begin_by = move |label: Option<&'a LabelId>| {
        let start = sets.partition_point(|set| first(set) < label);
        let rest = sets[start..].iter();
        rest.take_while(move |&set| first(set) == label)
    };
    let begins = std::iter::once(None).chain(whole.iter().map(Some));
    let candidates = begins.flat_map(begin_by);
    candidates.filter(move |&set| is_subset(elements(set), whole))
}

/// The sets of states met so far.
pub(super) struct Sets<'a> {
    lts: &'a Lts,
    sets: Interned<StateId>,
    /// All false between calls of [`Sets::closed`].
    seen: Vec<bool>,
}

impl<'a> Sets<'a> {
    pub(super) fn new(lts: &'a Lts) -> Self {
        Self {
            lts,
            sets: Interned::default(),
            seen: vec![false; lts.states()],
        }
    }

    /// The members of a set, ascending.
    pub(super) fn get(&self, set: u32) -> &[StateId] {
        self.sets.get(set)
    }

    /// The number of the set of these states and all that hidden steps lead to.
    pub(super) fn closed(&mut self, mut set: Vec<StateId>) -> u32 {
        set.iter().for_each(|s| self.seen[s.index()] = true);
        let mut next = 0;
        while next < set.len() {
            for (label, target) in self.lts.outgoing(set[next]) {
                if label.is_hidden() && !self.seen[target.index()] {
                    self.seen[target.index()] = true;
                    set.push(target);
                }
            }
            next += 1;
        }
        set.iter().for_each(|s| self.seen[s.index()] = false);
        set.sort_unstable();
        self.sets.intern(&set).0
    }
}

/// Why there is no normal form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecificationError {
    /// There are more nodes than this, which is the limit.
    TooManyNodes(usize),
    /// More labels or transitions than can be numbered.
    TooLarge(TooLarge),
}

impl From<TooLarge> for SpecificationError {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

impl fmt::Display for SpecificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManyNodes(limit) => write!(
                f,
                "the normal form of the specification has more than {limit} nodes; \
                 reduce the specification first, or allow more"
            ),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SpecificationError {}

#[cfg(test)]
mod tests {
    use hyades_testing::Random;

    use super::*;

    #[test]
    fn sets_within_a_set_are_found_by_their_least_elements() {
        let mut random = Random::new(5);
        let mut found_some = 0;
        for _ in 0..500 {
            let labels = random.between(1, 8) as u32;
            let mut set = |most: usize| -> Vec<LabelId> {
                let mut set: Vec<u32> = (0..random.between(0, most))
                    .map(|_| random.between(1, labels as usize) as u32)
                    .collect();
                set.sort_unstable();
                set.dedup();
                set.into_iter().map(LabelId::new).collect()
            };
            let mut sets: Vec<Vec<LabelId>> = (0..20).map(|_| set(4)).collect();
            sets.sort_unstable();
            sets.dedup();
            // Some of them, as those of a node are.
            let numbers: Vec<u32> = (0..sets.len() as u32).filter(|k| k % 3 != 0).collect();
            let whole = set(6);
            let elements = |k: &u32| &sets[*k as usize][..];
            let mut found: Vec<u32> = within(&numbers, elements, &whole).copied().collect();
            found.sort_unstable();
            let is_in = |k: &u32| elements(k).iter().all(|label| whole.contains(label));
            let expected: Vec<u32> = numbers.iter().copied().filter(is_in).collect();
            assert_eq!(found, expected);
            found_some += usize::from(found.len() > 1);
        }
        assert!(found_some > 100);
    }
}
