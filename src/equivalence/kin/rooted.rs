//! The rooted kinds of branching and weak bisimilarity, which are congruences for choice
//! (Milner 1989, observation congruence; van Glabbeek & Weijland 1996): the first step of
//! either side is answered by a step, also if it is hidden; after that the relation
//! without a root decides.

use std::collections::BTreeSet;

use hyades_formats::{LabelId, Lts, LtsParts, StateId};

use crate::{Minimized, Partition, TransitionColumns, element};

/// The relation that holds from the second step on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unrooted {
    /// Branching bisimilarity: p –a→ p' is answered by q –a→ q'.
    Branching,
    /// Weak bisimilarity: by q ⇒a⇒ q', where at least one hidden step is made for a hidden
    /// one.
    Weak,
}

/// Whether two states are related by the rooted kind of a relation, given its partition of
/// the states of the LTS.
///
/// Weakly bisimilar states p and q answer each other's steps, but q may answer p –τ→ p' by
/// staying where it is, if p' is in their class. The rooted kind asks for a hidden step then,
/// to where others lead to the class of p' again: so it is in that class, too (Milner 1989:
/// states on a hidden path between weakly bisimilar ones are bisimilar to these). So p and q
/// are related if both have an inert step, or none.
///
/// O(d log d) for branching bisimilarity and states of d transitions, O(d) for weak
/// bisimilarity.
///
/// # Panics
/// If a state or a class is missing.
pub fn rooted_related(
    lts: &Lts,
    p: StateId,
    q: StateId,
    partition: &Partition,
    unrooted: Unrooted,
) -> bool {
    let root = |state| Root {
        lts,
        state,
        class: partition.classes(),
    };
    root(p).is_related(root(q), unrooted)
}

/// The rooted quotient of an LTS, given the quotient by the relation without a root and the
/// state of that for each state of the LTS, [`Minimized::NO_CLASS`] for those that cannot be
/// reached. With the state of the rooted quotient for each state, or
/// [`Minimized::NO_CLASS`].
///
/// If the initial state is not related to that of the quotient by the rooted kind, a new one
/// is put in front; it stands for the initial state of the LTS only. For branching
/// bisimilarity it has the steps of the initial state, inert ones included, which are the
/// same in all LTSs that are related. For weak bisimilarity it has one step, a hidden one to
/// its class: only a hidden step within the class makes it differ from that, and behind this
/// one is all that the class can do (Milner's second law: τ.p + p = τ.p).
///
/// States are numbered and transitions sorted as by [`crate::minimize`]. The quotient has at
/// most one state more than without a root. A hidden self-loop in the place of the new state
/// could save it, but would add a livelock.
///
/// O(m log d) for m transitions of the quotient and degrees up to d, and time of
/// [`rooted_related`].
///
/// # Panics
/// If the quotient does not have the labels of the LTS under the same numbers, or if a state
/// or class is missing.
pub fn rooted_quotient(
    lts: &Lts,
    quotient: Lts,
    class: Vec<u32>,
    unrooted: Unrooted,
) -> (Lts, Vec<u32>) {
    let labels = |lts: &Lts| lts.table().len();
    assert_eq!(labels(lts), labels(&quotient), "labels of the quotient");
    let own: Vec<u32> = (0..quotient.states() as u32).collect();
    let of_input = Root {
        lts,
        state: lts.initial(),
        class: &class,
    };
    let of_quotient = Root {
        lts: &quotient,
        state: quotient.initial(),
        class: &own,
    };
    if of_input.is_related(of_quotient, unrooted) {
        return (quotient, class);
    }
    let first: Vec<u64> = match unrooted {
        Unrooted::Branching => of_input
            .strong()
            .into_iter()
            .map(|(a, class)| element(a.get(), class))
            .collect(),
        Unrooted::Weak => vec![element(LabelId::HIDDEN.get(), quotient.initial().get())],
    };
    let initial = lts.initial();
    let (rooted, state) = with_root(quotient, first);
    let mut class = class;
    for class in class.iter_mut().filter(|c| **c != Minimized::NO_CLASS) {
        *class = state[*class as usize];
    }
    class[initial.index()] = rooted.initial().get();
    (rooted, class)
}

/// The LTS with a new initial state in front that has these steps, numbered and sorted as a
/// quotient, and the state for each state and the new one.
fn with_root(lts: Lts, mut first: Vec<u64>) -> (Lts, Vec<u32>) {
    let n = lts.states();
    let LtsParts {
        offsets,
        labels,
        targets,
        table,
        ..
    } = lts.into_parts();
    // No row is longer ([`Lts::MAX_DEGREE`]).
    let mut lengths: Vec<u32> = (0..n).map(|s| offsets.row(s).len() as u32).collect();
    let steps = labels.iter().zip(&targets);
    let mut elements: Vec<u64> = steps.map(|(l, t)| element(l.get(), t.get())).collect();
    lengths.push(first.len() as u32);
    elements.append(&mut first);
    TransitionColumns::new(vec![(elements, lengths)]).into_lts(n as u32, table)
}

/// A state and the classes of all.
#[derive(Clone, Copy)]
struct Root<'a> {
    lts: &'a Lts,
    state: StateId,
    class: &'a [u32],
}

/// Labels and the classes of targets.
type Steps = BTreeSet<(LabelId, u32)>;

impl Root<'_> {
    fn is_related(self, other: Root<'_>, unrooted: Unrooted) -> bool {
        match unrooted {
            Unrooted::Branching => self.strong() == other.strong(),
            Unrooted::Weak => {
                self.own() == other.own() && self.has_inert_step() == other.has_inert_step()
            }
        }
    }

    fn own(self) -> u32 {
        self.class[self.state.index()]
    }

    /// Whether a hidden step stays in the class.
    fn has_inert_step(self) -> bool {
        let mut steps = self.lts.outgoing(self.state);
        steps.any(|(a, t)| a.is_hidden() && self.class[t.index()] == self.own())
    }

    /// What one step leads to.
    fn strong(self) -> Steps {
        let steps = self.lts.outgoing(self.state);
        steps.map(|(a, t)| (a, self.class[t.index()])).collect()
    }
}
