//! Which components to compose next.

use std::collections::BTreeSet;

use hyades_formats::LabelId;

use super::super::event::{Event, EventId};
use super::super::rules::Rule;
use super::super::{Events, Network};

/// Sets of more components than this are not considered …
const MAX_SET: usize = 4;
/// … and pairs of neighbours only of those that a rule with more is about.
const MAX_PAIRS: usize = 6;

/// Sets of components that it may pay to compose, the best first.
///
/// These are components that do something together, or that look at each other
/// by guards, unless they take part in what did not become rules.
///
/// O(rules · candidates a component is in).
pub(super) fn candidates(network: &Network) -> Vec<Vec<u32>> {
    let count = network.components.len();
    let mut fixed = vec![false; count];
    let rest = network.rules.rest.iter().map(|&(_, event)| event);
    for k in components_of(&network.events, &rest.collect::<Vec<_>>()) {
        fixed[k as usize] = true;
    }
    let mut rules_of: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut sets: BTreeSet<Vec<u32>> = BTreeSet::new();
    for (number, rule) in (0..).zip(&network.rules.rules) {
        let mut about = components_of(&network.events, &rule.guards);
        about.extend(rule.parts.iter().map(|part| part.0));
        for &(k, _) in &rule.parts {
            rules_of[k as usize].push(number);
        }
        about.retain(|&k| !fixed[k as usize]);
        let about: Vec<u32> = about.into_iter().collect();
        if (3..=MAX_SET).contains(&about.len()) {
            sets.insert(about.clone());
        }
        for (place, &one) in about.iter().enumerate() {
            let others = &about[place + 1..];
            let others = match about.len() > MAX_PAIRS {
                true => &others[..others.len().min(1)],
                false => others,
            };
            sets.extend(others.iter().map(|&other| vec![one, other]));
        }
    }
    let measures = Measures::new(network, &rules_of);
    let mut sets: Vec<(f64, Vec<u32>)> = sets
        .into_iter()
        .map(|set| (measures.score(&set), set))
        .collect();
    // The largest score first; where there is no difference, in their order.
    sets.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    sets.into_iter().map(|(_, set)| set).collect()
}

/// The components that events are about, what their guards look at included.
fn components_of(events: &Events, roots: &[EventId]) -> BTreeSet<u32> {
    if roots.is_empty() {
        return BTreeSet::new();
    }
    let parts = events.parts_of(roots, true).into_iter();
    let leaves = parts.filter_map(|part| match *events.get(part) {
        Event::Leaf { component, .. } => Some(component),
        Event::All(_) | Event::Any(_) | Event::Choose(..) | Event::Unless { .. } => None,
    });
    leaves.collect()
}

struct Measures<'n> {
    network: &'n Network,
    rules_of: &'n [Vec<u32>],
    /// For each component and label, transitions by states.
    degrees: Vec<Vec<f64>>,
}

impl<'n> Measures<'n> {
    fn new(network: &'n Network, rules_of: &'n [Vec<u32>]) -> Self {
        let degrees = (0..rules_of.len()).map(|k| {
            let lts = &network.file_of(k).lts;
            let mut own = vec![0.0; lts.table().len()];
            let share = 1.0 / lts.states() as f64;
            lts.labels().iter().for_each(|l| own[l.index()] += share);
            own
        });
        Self {
            network,
            rules_of,
            degrees: degrees.collect(),
        }
    }

    /// How good it is to compose these: the share of the product's transitions
    /// that become hidden, and the share of those that several of the components
    /// do together, by the logarithm of the number of their states.
    ///
    /// Shares are estimated as if in the product each component were in each of
    /// its states equally often (the metrics of Crouzen & Lang 2011).
    fn score(&self, set: &[u32]) -> f64 {
        let rules = &self.network.rules.rules;
        let mut numbers: Vec<u32> = set
            .iter()
            .flat_map(|&k| &self.rules_of[k as usize])
            .copied()
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        // What the set does by each rule, and whether it is hidden then.
        let mut own: Vec<(Vec<(u32, LabelId)>, bool)> = numbers
            .into_iter()
            .map(|number| self.part(&rules[number as usize], set))
            .collect();
        own.sort_unstable();
        own.dedup();
        let (mut all, mut hidden, mut together) = (0.0, 0.0, 0.0);
        for (parts, is_hidden) in own {
            let degrees = parts
                .iter()
                .map(|&(k, l)| self.degrees[k as usize][l.index()]);
            let degree: f64 = degrees.product();
            all += degree;
            if is_hidden {
                hidden += degree;
            }
            if parts.len() > 1 {
                together += degree;
            }
        }
        if all == 0.0 {
            return f64::INFINITY;
        }
        let states = set.iter().map(|&k| {
            let states = self.network.file_of(k as usize).lts.states();
            (1.0 + states as f64).log2()
        });
        (hidden + together) / all / states.sum::<f64>()
    }

    fn part(&self, rule: &Rule, set: &[u32]) -> (Vec<(u32, LabelId)>, bool) {
        // Not the other way round: rules may be about all components.
        let at = |k: &u32| rule.parts.binary_search_by_key(k, |part| part.0).ok();
        let parts: Vec<_> = set.iter().filter_map(at).map(|at| rule.parts[at]).collect();
        let hidden = rule.label.is_hidden()
            && parts.len() == rule.parts.len()
            && components_of(&self.network.events, &rule.guards)
                .iter()
                .all(|k| set.contains(k));
        (parts, hidden)
    }
}
