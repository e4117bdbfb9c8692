//! Kernels and coverings as the report defines them, trace by trace.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, StateId};

use crate::symmetry::pattern::{Pattern, TemplateCopy};
use crate::symmetry::template::tokens_of;
use crate::symmetry::tokens::Tokens;

/// The edges of a copy: number and target by source and renamed label.
pub(in crate::symmetry) fn moves(
    pattern: &Pattern,
    copy: &TemplateCopy,
) -> BTreeMap<(u32, Tokens), (u64, u32)> {
    let template = &pattern.template;
    let renamed = |action: u32| {
        let tokens = &template.actions()[action as usize].0;
        Tokens(
            tokens
                .iter()
                .map(|t| copy.transformation.apply(t).into())
                .collect(),
        )
    };
    let edges = template.edges().iter();
    edges
        .map(|e| ((e.source, renamed(e.action)), (e.number, e.target)))
        .collect()
}

/// A specification and copies, by the definitions.
pub(in crate::symmetry) struct Naive<'a> {
    pub specification: &'a Lts,
    copies: Vec<BTreeMap<(u32, Tokens), (u64, u32)>>,
    initial: Vec<u32>,
    tokens: Vec<Tokens>,
}

/// The covering of a trace (Definition 6.2): for each label, the copies that
/// take part and the numbers of their edges.
pub(in crate::symmetry) type Covering = Vec<BTreeMap<usize, u64>>;

impl<'a> Naive<'a> {
    pub fn new(specification: &'a Lts, pattern: &Pattern) -> Self {
        let ids = (0..specification.table().len() as u32).map(LabelId::new);
        Self {
            specification,
            copies: pattern
                .copies
                .iter()
                .map(|copy| moves(pattern, copy))
                .collect(),
            initial: pattern.copies.iter().map(|copy| copy.initial).collect(),
            tokens: ids
                .map(|id| tokens_of(specification, id, &pattern.syntax))
                .collect(),
        }
    }

    /// The covering of a sequence of labels, and where the copies are then;
    /// `None` if there is none.
    pub fn covering(&self, trace: &[LabelId]) -> Option<(Covering, Vec<u32>)> {
        let mut states = self.initial.clone();
        let mut covering = Vec::new();
        for label in trace {
            let mut taken = BTreeMap::new();
            for (k, moves) in self.copies.iter().enumerate() {
                let tokens = self.tokens[label.index()].clone();
                if let Some(&(number, target)) = moves.get(&(states[k], tokens)) {
                    taken.insert(k, number);
                    states[k] = target;
                }
            }
            if taken.is_empty() {
                return None;
            }
            covering.push(taken);
        }
        Some((covering, states))
    }

    /// Whether two sequences are symmetric (Definition 6.4).
    pub fn symmetric(&self, a: &[LabelId], b: &[LabelId]) -> bool {
        if a.len() != b.len() {
            return false;
        }
        let bag = |taken: &BTreeMap<usize, u64>| {
            let mut numbers: Vec<u64> = taken.values().copied().collect();
            numbers.sort_unstable();
            numbers
        };
        match (self.covering(a), self.covering(b)) {
            (None, None) => true,
            (Some((a, _)), Some((b, _))) => a.iter().zip(&b).all(|(a, b)| bag(a) == bag(b)),
            _ => false,
        }
    }

    /// Figure 1 with classes and their smallest labels among those enabled:
    /// the edges of the kernel, or `None` for a label that is not covered.
    pub fn kernel(&self, ranks: &[u32]) -> Option<BTreeSet<(StateId, LabelId, StateId)>> {
        let mut edges = BTreeSet::new();
        let mut seen = Vec::new();
        let initial = self.specification.initial();
        self.build_it(initial, &mut Vec::new(), &mut seen, ranks, &mut edges)?;
        Some(edges)
    }

    fn build_it(
        &self,
        s: StateId,
        trace: &mut Vec<LabelId>,
        seen: &mut Vec<StateId>,
        ranks: &[u32],
        edges: &mut BTreeSet<(StateId, LabelId, StateId)>,
    ) -> Option<()> {
        if seen.contains(&s) {
            return Some(());
        }
        let mut enabled: Vec<(LabelId, StateId)> = self.specification.outgoing(s).collect();
        while let Some(&(a, target)) = enabled.iter().min_by_key(|(a, _)| ranks[a.index()]) {
            let with = |b: LabelId| [&trace[..], &[b]].concat();
            let chosen = with(a);
            self.covering(&chosen)?;
            edges.insert((s, a, target));
            enabled.retain(|&(b, _)| !self.symmetric(&chosen, &with(b)));
            seen.push(s);
            trace.push(a);
            self.build_it(target, trace, seen, ranks, edges)?;
            trace.pop();
            seen.pop();
        }
        Some(())
    }
}
