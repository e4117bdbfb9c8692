//! Eta-bisimilarity (Baeten & van Glabbeek, "Another look at abstraction in process
//! algebra", ICALP 1987): as branching bisimilarity, but hidden steps may also follow the
//! answer to a step. p –a→ p' is answered by q ⇒ q₁ –a→ ⇒ q' with p related to q₁ and p' to
//! q', or, if a is hidden, by p' related to q.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hyades_formats::Lts;

use super::closure::{self, HiddenSteps, Steps};
use super::pulled_back;
use super::sets::Sets;
use crate::rounds::{RoundCallback, Rounds, untold};
use crate::rows::Sources;
use crate::{Partition, Rows, TauContraction, branching, contracted_quotient, element};

/// The coarsest eta-bisimulation.
///
/// The quotient by branching bisimilarity, which has no hidden cycle, is refined by the sets
/// of blocks that hidden steps lead to from each state, each kept once: no transitions are
/// added. Takes what [`crate::minimize`] takes by branching bisimilarity, and then
/// O(n log n) signatures for each transition at most, for n classes of that. A signature
/// takes time in proportion to the sizes of the sets of blocks behind the state's steps: n at
/// the worst, as with the transitions that saturation adds.
pub fn partition(lts: &Lts, observer: &mut RoundCallback<'_>) -> Partition {
    partition_in_rounds(lts, &mut Rounds::new(observer))
}

/// As [`partition`].
pub(crate) fn partition_in_rounds(lts: &Lts, rounds: &mut Rounds<'_>) -> Partition {
    let (silent, by_node) = branching::partition(lts, false, &mut Rounds::new(&mut untold));
    let table = lts.table().clone();
    let (lts, class) = contracted_quotient(silent, by_node, &[lts.initial()], table, true);
    // Numbers its states so that hidden steps lead to smaller ones.
    let silent = TauContraction::new(&lts, false);
    drop(lts);
    let rows = silent.rows();
    let n = rows.states();
    let start = Partition {
        class: vec![0; n],
        count: 1,
    };
    let steps = Eta::new(rows, &start.class);
    let by_node = closure::refine(rows, HiddenSteps::Inert, start, steps, rounds);
    let by_class = pulled_back(&silent.node, &by_node);
    pulled_back(&class, &by_class)
}

struct Eta<'a> {
    rows: Rows<'a>,
    sets: Sets,
    /// The set of the blocks that hidden steps lead to, for each state.
    behind: Vec<u32>,
    /// States whose set has to be found again, the least one first, and whether each is one.
    open: BinaryHeap<Reverse<u32>>,
    is_open: Vec<bool>,
    /// Reused.
    blocks: Vec<u64>,
    successors: Vec<u32>,
}

impl<'a> Eta<'a> {
    fn new(rows: Rows<'a>, block: &[u32]) -> Self {
        let n = rows.states();
        let mut eta = Self {
            rows,
            sets: Sets::default(),
            behind: vec![0; n],
            open: BinaryHeap::new(),
            is_open: vec![false; n],
            blocks: Vec::new(),
            successors: Vec::new(),
        };
        // Hidden steps lead to smaller numbers.
        for s in 0..n as u32 {
            eta.behind[s as usize] = eta.find(s, block);
        }
        eta
    }

    /// The set of the blocks behind a state, given those behind the states that hidden steps
    /// lead to.
    fn find(&mut self, state: u32, block: &[u32]) -> u32 {
        self.blocks.clear();
        self.blocks.push(u64::from(block[state as usize]));
        let (labels, targets) = self.rows.row(state);
        let hidden = labels.iter().zip(targets).filter(|(l, _)| l.is_hidden());
        self.successors.clear();
        self.successors
            .extend(hidden.map(|(_, t)| self.behind[t.index()]));
        self.successors.sort_unstable();
        self.successors.dedup();
        self.sets.union(&mut self.blocks, &self.successors)
    }

    fn open(&mut self, state: u32) {
        if !std::mem::replace(&mut self.is_open[state as usize], true) {
            self.open.push(Reverse(state));
        }
    }
}

impl Steps for Eta<'_> {
    const AT_ONCE: bool = false;
    const BY_ROUND: bool = true;

    fn handed_on(&mut self, state: u32, block: &[u32], elements: &mut Vec<u64>) {
        let own = block[state as usize];
        let (labels, targets) = self.rows.row(state);
        for (l, t) in labels.iter().zip(targets) {
            // What is behind an inert step is handed on from there.
            if l.is_hidden() && block[t.index()] == own {
                continue;
            }
            let behind = self.sets.get(self.behind[t.index()]).iter();
            let behind = behind.filter(|&&b| !l.is_hidden() || b != u64::from(own));
            elements.extend(behind.map(|&b| element(l.get(), b as u32)));
        }
    }

    fn sees_own_block(&self, state: u32) -> bool {
        self.rows.row(state).0.iter().any(|l| l.is_hidden())
    }

    fn changed(&mut self, moved: &[u32], block: &[u32], hidden: &Sources, changed: &mut Vec<u32>) {
        if self.sets.is_crowded(self.rows.states()) {
            self.sets.retain(&mut self.behind);
        }
        moved.iter().for_each(|&s| self.open(s));
        while let Some(Reverse(state)) = self.open.pop() {
            self.is_open[state as usize] = false;
            let behind = self.find(state, block);
            if std::mem::replace(&mut self.behind[state as usize], behind) != behind {
                changed.push(state);
                hidden.of(state).iter().for_each(|&s| self.open(s));
            }
        }
    }
}
