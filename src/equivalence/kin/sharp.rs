//! Sharp bisimilarity, and its divergence-preserving kind (Lang, Mateescu & Mazzanti,
//! "Sharp congruences adequate with temporal logics combining weak and strong modalities",
//! TACAS 2020): between strong and branching bisimilarity.
//!
//! Visible labels are *strong* or *weak*. Related states p and q answer each other's steps:
//!
//! * p –a→ p' with a strong: q –a→ q' at once, p' and q' related;
//! * p –a→ p' with a weak or hidden: a is hidden and p' is related to q, or
//!   q = q₀ –τ→ … –τ→ qₙ –a→ q' where p is related to **all** of q₀ … qₙ, and p' to q'.
//!
//! The divergence-preserving kind also asks that p can go on by hidden steps for ever inside
//! its class if and only if q can. Without strong labels this is (divergence-preserving)
//! branching bisimilarity; with more strong labels the relation is finer.
//!
//! States on a hidden cycle need not be related, since they may differ in what they can do
//! at once: hidden cycles are not contracted before the classes are known.

use hyades_formats::{LabelId, Lts, LtsParts};

use super::closure::{self, HiddenSteps, Steps};
use super::pulled_back;
use crate::rounds::{RoundCallback, Rounds, untold};
use crate::{Partition, Rows, TauContraction, element};
use crate::{branching, by_strong, contracted_quotient, strong as strong_engine};

/// The coarsest (with `divergence`: divergence-preserving) sharp bisimulation, where the
/// labels that `strong` says so of are strong, by [`LabelId`].
///
/// The quotient by strong bisimilarity is refined, from the classes of (divergence-preserving)
/// branching bisimilarity on: what [`crate::partition`] takes for these two, and then
/// O(n log n) signatures for each transition into a state at most, of n classes of strong
/// bisimilarity, where a signature takes time in proportion to the sets that it unites. The
/// quotient and, for that, about 16 bytes a transition and 60 a state besides the different
/// sets. What is found is the same for each number of threads.
///
/// # Panics
/// If `strong` does not say of each label whether it is strong, or if it says so of the
/// hidden one.
pub fn partition(
    lts: &Lts,
    strong: &[bool],
    divergence: bool,
    observer: &mut RoundCallback<'_>,
) -> Partition {
    partition_in_rounds(lts, strong, divergence, &mut Rounds::new(observer))
}

/// As [`partition`].
pub(crate) fn partition_in_rounds(
    lts: &Lts,
    strong: &[bool],
    divergence: bool,
    rounds: &mut Rounds<'_>,
) -> Partition {
    assert_eq!(strong.len(), lts.table().len(), "each label is told of");
    assert!(!strong[LabelId::HIDDEN.index()], "the hidden label is weak");
    let used = lts.used_labels();
    if !used[LabelId::HIDDEN.index()] {
        return strong_engine::partition(lts, rounds);
    }
    if !used
        .iter()
        .zip(strong)
        .any(|(&used, &strong)| used && strong)
    {
        let (silent, by_node) = branching::partition(lts, divergence, rounds);
        return pulled_back(&silent.node, &by_node);
    }
    let (lts, class) = by_strong(lts.clone(), &mut Rounds::new(&mut untold));
    let (silent, by_node) = branching::partition(&lts, divergence, rounds);
    let start = pulled_back(&silent.node, &by_node);
    drop((silent, by_node));
    let rows = Rows::from(&lts);
    let hidden_steps = match divergence {
        true => HiddenSteps::InertAndDivergence,
        false => HiddenSteps::Inert,
    };
    let refined = closure::refine(rows, hidden_steps, start, Sharp { rows, strong }, rounds);
    pulled_back(&class, &refined)
}

/// The quotient by [`partition`] and the state of the quotient for each state of the LTS,
/// numbered and sorted as by [`crate::minimize`]: classes of states that cannot be
/// reached come last. It has no hidden step within a class, but, with `divergence`, a hidden
/// self-loop where a class can go on by hidden steps for ever.
///
/// Time and memory of [`partition`], and 16 bytes a transition and a state.
///
/// # Panics
/// As [`partition`].
pub fn quotient(
    lts: Lts,
    strong: &[bool],
    divergence: bool,
    observer: &mut RoundCallback<'_>,
) -> (Lts, Vec<u32>) {
    quotient_in_rounds(lts, strong, divergence, &mut Rounds::new(observer))
}

/// As [`quotient`].
pub(crate) fn quotient_in_rounds(
    lts: Lts,
    strong: &[bool],
    divergence: bool,
    rounds: &mut Rounds<'_>,
) -> (Lts, Vec<u32>) {
    let Partition { class, count } = partition_in_rounds(&lts, strong, divergence, rounds);
    let diverges = match divergence {
        true => divergent_classes(&lts, &class, count),
        false => vec![false; count as usize],
    };
    let label = LabelId::new(lts.table().len() as u32);
    let silent = TauContraction::with_nodes((&lts).into(), class, &diverges, label);
    let initial = lts.initial();
    let LtsParts { table, .. } = lts.into_parts();
    let each = Partition {
        class: (0..count).collect(),
        count,
    };
    contracted_quotient(silent, each, &[initial], table, true)
}

/// Which classes can go on by hidden steps for ever inside, where either all states of a
/// class can or none: those all of whose states have a hidden step to one of their class.
pub(crate) fn divergent_classes(lts: &Lts, class: &[u32], count: u32) -> Vec<bool> {
    let mut diverges = vec![true; count as usize];
    for (s, &own) in class.iter().enumerate() {
        let (labels, targets) = Rows::from(lts).row(s as u32);
        let mut steps = labels.iter().zip(targets);
        let goes_on = steps.any(|(l, t)| l.is_hidden() && class[t.index()] == own);
        diverges[own as usize] &= goes_on;
    }
    diverges
}

/// Strong steps count at once, others are handed on.
struct Sharp<'a> {
    rows: Rows<'a>,
    /// By label.
    strong: &'a [bool],
}

impl Sharp<'_> {
    /// Adds the steps of a state that are strong, or not, as elements.
    fn add(&self, state: u32, block: &[u32], strong: bool, elements: &mut Vec<u64>) {
        let inert = element(LabelId::HIDDEN.get(), block[state as usize]);
        let (labels, targets) = self.rows.row(state);
        for (l, t) in labels.iter().zip(targets) {
            let e = element(l.get(), block[t.index()]);
            if self.strong[l.index()] == strong && e != inert {
                elements.push(e);
            }
        }
    }
}

impl Steps for Sharp<'_> {
    const AT_ONCE: bool = true;

    fn handed_on(&mut self, state: u32, block: &[u32], elements: &mut Vec<u64>) {
        self.add(state, block, false, elements);
    }

    fn at_once(&self, state: u32, block: &[u32], elements: &mut Vec<u64>) {
        self.add(state, block, true, elements);
    }

    fn sees_own_block(&self, state: u32) -> bool {
        self.rows.row(state).0.iter().any(|l| l.is_hidden())
    }
}
