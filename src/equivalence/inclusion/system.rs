//! What the searches look at: the part of an LTS that two states reach, with bisimilar
//! states merged.

use hyades_base::ascending::{is_subset, mask};
use hyades_base::interned::Interned;
use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::{Numbering, StateSet, restricted};

use super::determinize::HiddenSteps;
use crate::{Minimized, Relation, minimize_all};

/// An LTS whose labels are numbered in the order of their bytes: their *ranks*.
///
/// 8 bytes a step and some 20 a state.
pub(super) struct System {
    /// Whether hidden steps are not part of a trace.
    pub(super) is_weak: bool,
    /// Where the steps of each state are that are part of a trace, ascending by (rank,
    /// target).
    offsets: Vec<u32>,
    ranks: Vec<u32>,
    targets: Vec<u32>,
    /// Where the hidden steps of each state to others are, in a weak system.
    hidden_offsets: Vec<u32>,
    hidden_targets: Vec<u32>,
    /// The different sets of ranks of the steps of a state, ascending.
    menus: Interned<u32>,
    menu_masks: Vec<u64>,
    /// The number of the set of each state.
    menu: Vec<u32>,
    /// Which states have no hidden step; all, unless the system is weak.
    stable: Vec<bool>,
    /// Which states have a hidden loop, in a weak system that was merged so that these
    /// stand for the states on hidden cycles.
    diverges: Vec<bool>,
    /// The label of each rank.
    by_rank: Vec<LabelId>,
}

impl System {
    /// The part of an LTS that these states reach, with related states merged; and what
    /// has become of them.
    pub(super) fn new<const N: usize>(
        lts: &Lts,
        roots: [StateId; N],
        relation: Relation,
        is_weak: bool,
    ) -> (Self, [u32; N]) {
        let (part, roots) = reached_part(lts, roots);
        let Minimized { lts, class, .. } = minimize_all(part, relation);
        let roots = roots.map(|s| class[s as usize]);
        drop(class);
        (Self::of(&lts, is_weak), roots)
    }

    /// The same with all states merged whose traces are known to be the same.
    pub(super) fn of_traces<const N: usize>(
        lts: &Lts,
        roots: [StateId; N],
        hidden: HiddenSteps,
    ) -> (Self, [u32; N]) {
        let (finer, is_weak) = match hidden {
            HiddenSteps::Counted => (Relation::Strong, false),
            HiddenSteps::Skipped => (Relation::Branching, true),
        };
        Self::new(lts, roots, finer, is_weak)
    }

    /// Of an LTS without hidden cycles but loops, if it is weak.
    fn of(lts: &Lts, is_weak: bool) -> Self {
        let n = lts.states();
        let ranks = lts.table().ranks();
        let mut by_rank = vec![LabelId::HIDDEN; ranks.len()];
        for (label, &rank) in (0..).zip(&ranks) {
            by_rank[rank as usize] = LabelId::new(label);
        }
        let mut this = Self {
            is_weak,
            offsets: vec![0],
            ranks: Vec::new(),
            targets: Vec::new(),
            hidden_offsets: vec![0],
            hidden_targets: Vec::new(),
            menus: Interned::default(),
            menu_masks: Vec::new(),
            menu: Vec::with_capacity(n),
            stable: vec![true; n],
            diverges: vec![false; n],
            by_rank,
        };
        let (mut row, mut menu) = (Vec::new(), Vec::new());
        for s in 0..n {
            row.clear();
            for (label, target) in lts.outgoing(StateId::from_index(s)) {
                if !is_weak || !label.is_hidden() {
                    row.push((ranks[label.index()], target.get()));
                    continue;
                }
                this.stable[s] = false;
                match target.index() == s {
                    true => this.diverges[s] = true,
                    false => this.hidden_targets.push(target.get()),
                }
            }
            row.sort_unstable();
            row.dedup();
            this.ranks.extend(row.iter().map(|step| step.0));
            this.targets.extend(row.iter().map(|step| step.1));
            this.offsets.push(this.ranks.len() as u32);
            this.hidden_offsets.push(this.hidden_targets.len() as u32);
            menu.clear();
            menu.extend(row.iter().map(|step| step.0));
            menu.dedup();
            let (number, is_new) = this.menus.intern(&menu);
            if is_new {
                this.menu_masks.push(mask(&menu));
            }
            this.menu.push(number);
        }
        this
    }

    pub(super) fn states(&self) -> usize {
        self.menu.len()
    }

    /// The steps of a state that are part of a trace: ranks and targets.
    pub(super) fn steps(&self, state: u32) -> (&[u32], &[u32]) {
        let state = state as usize;
        let row = self.offsets[state] as usize..self.offsets[state + 1] as usize;
        (&self.ranks[row.clone()], &self.targets[row])
    }

    /// Where steps of this rank lead.
    pub(super) fn successors(&self, state: u32, rank: u32) -> &[u32] {
        let (ranks, targets) = self.steps(state);
        let start = ranks.partition_point(|&r| r < rank);
        let length = ranks[start..].iter().take_while(|&&r| r == rank).count();
        &targets[start..start + length]
    }

    /// Where hidden steps lead that are not part of a trace, but for the state itself.
    pub(super) fn hidden(&self, state: u32) -> &[u32] {
        let state = state as usize;
        let row = self.hidden_offsets[state] as usize..self.hidden_offsets[state + 1] as usize;
        &self.hidden_targets[row]
    }

    /// How many steps a state has that are part of a trace.
    pub(super) fn degree(&self, state: u32) -> usize {
        self.steps(state).0.len()
    }

    /// The number of the set of ranks of a state's steps that are part of a trace.
    pub(super) fn menu(&self, state: u32) -> u32 {
        self.menu[state as usize]
    }

    /// The ranks of a menu, ascending.
    pub(super) fn offered(&self, menu: u32) -> &[u32] {
        self.menus.get(menu)
    }

    /// Whether all of one menu is in another.
    pub(super) fn is_within(&self, part: u32, whole: u32) -> bool {
        part == whole
            || (self.menu_masks[part as usize] & !self.menu_masks[whole as usize] == 0
                && is_subset(self.offered(part), self.offered(whole)))
    }

    /// Whether a state has no hidden step that is not part of a trace.
    pub(super) fn is_stable(&self, state: u32) -> bool {
        self.stable[state as usize]
    }

    /// Whether a state is on a hidden cycle; never in a system merged by a relation that
    /// does not see this.
    pub(super) fn diverges(&self, state: u32) -> bool {
        self.diverges[state as usize]
    }

    /// Whether a state says nothing that those behind its hidden steps do not say, in a
    /// set with which they are. There are such states behind it.
    pub(super) fn is_passive(&self, state: u32) -> bool {
        !self.hidden(state).is_empty()
            && !self.diverges(state)
            && self.offered(self.menu(state)).is_empty()
    }

    /// The label of a rank.
    pub(super) fn label(&self, rank: u32) -> LabelId {
        self.by_rank[rank as usize]
    }

    /// The labels of some ranks.
    pub(super) fn labels(&self, ranks: &[u32]) -> Vec<LabelId> {
        ranks.iter().map(|&rank| self.label(rank)).collect()
    }
}

/// The part of an LTS that some states reach, and their numbers in it. States keep their
/// order.
fn reached_part<const N: usize>(lts: &Lts, roots: [StateId; N]) -> (Lts, [u32; N]) {
    let mut seen = StateSet::new(lts.states());
    let mut open: Vec<StateId> = Vec::new();
    for root in roots {
        if seen.insert(root.index()) {
            open.push(root);
        }
    }
    while let Some(s) = open.pop() {
        for (_, t) in lts.outgoing(s) {
            if seen.insert(t.index()) {
                open.push(t);
            }
        }
    }
    let mut parts = lts.clone().into_parts();
    if let Some(&root) = roots.first() {
        parts.initial = root;
    }
    let lts = Lts::from_parts(parts);
    if seen.count == lts.states() {
        return (lts, roots.map(StateId::get));
    }
    let number = roots.map(|root| {
        let lower = (0..root.index()).filter(|&s| seen.contains(s));
        lower.count() as u32
    });
    (restricted(lts, &seen, Numbering::Ascending), number)
}
