//! Hidden steps of single components that are confluent.
//!
//! A set of hidden steps is *strongly confluent* if for a step `s → t` of it and
//! any transition `s -a→ u`, also `t -a→ v` and `u → v` for some `v`, where the
//! latter is a step of the set or none at all. Then `s` and `t` are branching
//! bisimilar, and of the transitions of `s` only the step needs to be taken,
//! provided that taking such steps comes to an end (Groote & van de Pol 2000).
//! The definition lets `t` do nothing in case that `a` is hidden; here that is
//! allowed only where `t = u`. Thus it is preserved as well that hidden steps
//! can go on for ever.
//!
//! A set of steps of one component, alone, that is strongly confluent in it is
//! so in the network too: what others do commutes with it, and in what the
//! component itself does with others, the others do the same before and after
//! (Lang & Mateescu 2009). Guards that look at the component must not see a
//! difference.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, Lts, StateId};

use super::super::NetworkModel;
use super::dependence::Dependence;
use super::order::Order;

/// What a component's label is for the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Use {
    /// The component moves alone and hidden by it, whatever others do.
    hidden: bool,
    /// And there is no other use of it.
    only: bool,
    /// Guards look at it.
    guarding: bool,
}

/// For each component and state of it, a confluent step that goes up.
#[derive(Default)]
pub(super) struct SilentSteps {
    /// Those of the components that have any; [`NONE`] where there is none.
    steps: Vec<(u32, Arc<[u32]>)>,
}

const NONE: u32 = u32::MAX;

impl SilentSteps {
    /// Looks for them in the components.
    pub fn new(model: &NetworkModel, dependence: &Dependence, order: &Order) -> Self {
        let network = model.network();
        let rules = &network.rules().rules;
        type Key = (usize, Rc<[Use]>, usize);
        let mut known: HashMap<Key, Option<Arc<[u32]>>> = HashMap::new();
        let mut steps = Vec::new();
        for k in 0..network.components().len() {
            let lts = &network.file_of(k).lts;
            let uses: Rc<[Use]> = (0..lts.table().len() as u32)
                .map(|label| {
                    let own = dependence.of(k);
                    let numbers = own.rules(LabelId::new(label));
                    let hidden = numbers.iter().any(|&number| {
                        let rule = &rules[number as usize];
                        rule.label.is_hidden() && rule.parts.len() == 1 && rule.guards.is_empty()
                    });
                    Use {
                        hidden,
                        only: hidden && numbers.len() == 1 && !own.elsewhere[label as usize],
                        guarding: own.guarding[label as usize],
                    }
                })
                .collect();
            if !uses.iter().any(|own| own.hidden) {
                continue;
            }
            let key = (
                network.components()[k].file,
                Rc::clone(&uses),
                order.identity(k),
            );
            let own = known.entry(key).or_insert_with(|| {
                let confluent = confluent(lts, &uses);
                let chosen = (0..lts.states()).map(|s| {
                    let steps = lts.row(StateId::from_index(s)).filter(|&at| confluent[at]);
                    let targets = steps.map(|at| lts.targets()[at].get());
                    let up = targets.filter(|&t| order.is_up(k, s as u32, t));
                    up.min().unwrap_or(NONE)
                });
                let chosen: Arc<[u32]> = chosen.collect();
                chosen.iter().any(|&t| t != NONE).then_some(chosen)
            });
            if let Some(own) = own {
                steps.push((k as u32, Arc::clone(own)));
            }
        }
        Self { steps }
    }

    /// The first component that has such a step in these states, its state, and
    /// where it goes.
    #[inline]
    pub fn first(&self, states: &[u32]) -> Option<(u32, u32, u32)> {
        self.steps.iter().find_map(|(k, steps)| {
            let from = states[*k as usize];
            let to = steps[from as usize];
            (to != NONE).then_some((*k, from, to))
        })
    }
}

/// Steps between states with more transitions than this are not looked at.
const MAX_DEGREE: usize = 1 << 7;

/// For each transition of an LTS with sorted rows whether it is in the largest
/// strongly confluent set of hidden steps.
///
/// All hidden steps are put into the set, and those that have no diamond taken
/// out until none is left, each time looking again at what led to the source of
/// the step that went. O(transitions · degree²) a time.
fn confluent(lts: &Lts, uses: &[Use]) -> Vec<bool> {
    let row = |s: StateId| lts.row(s);
    let guarding = |s: StateId| {
        let labels = row(s).map(|at| lts.labels()[at]);
        let mut own: Vec<LabelId> = labels.filter(|l| uses[l.index()].guarding).collect();
        own.dedup();
        own
    };
    let mut member: Vec<bool> = lts
        .iter()
        .map(|(s, label, t)| {
            uses[label.index()].hidden
                && row(s).len().max(row(t).len()) <= MAX_DEGREE
                && guarding(s) == guarding(t)
        })
        .collect();
    let steps = |s| {
        let targets = &lts.targets()[row(StateId::new(s))];
        targets.iter().map(move |t| (t.get(), s))
    };
    let before = Grouped::new(lts.states(), (0..lts.states() as u32).flat_map(steps));
    let mut waits = vec![true; lts.states()];
    let mut open: Vec<u32> = (0..lts.states() as u32).rev().collect();
    while let Some(s) = open.pop() {
        waits[s as usize] = false;
        let mut gone = false;
        for at in row(StateId::new(s)) {
            if member[at] && !has_diamonds(lts, uses, &member, s, at) {
                member[at] = false;
                gone = true;
            }
        }
        if gone {
            for &source in before.of(s) {
                if !std::mem::replace(&mut waits[source as usize], true) {
                    open.push(source);
                }
            }
        }
    }
    member
}

/// Whether a step commutes with all transitions of its source.
fn has_diamonds(lts: &Lts, uses: &[Use], member: &[bool], s: u32, step: usize) -> bool {
    let to = lts.targets()[step];
    let reaches = |label: LabelId, v: StateId| {
        let same = |own: LabelId| match uses[label.index()].only {
            true => uses[own.index()].only,
            false => own == label,
        };
        lts.outgoing(to).any(|(own, t)| t == v && same(own))
    };
    lts.outgoing(StateId::new(s)).all(|(label, u)| {
        (uses[label.index()].only && u == to)
            || reaches(label, u)
            || lts
                .row(u)
                .any(|at| member[at] && reaches(label, lts.targets()[at]))
    })
}
