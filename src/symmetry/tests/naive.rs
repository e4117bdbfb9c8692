//! What the report defines, by its definitions: coverings, symmetry of words,
//! kernels.

use std::collections::{BTreeMap, BTreeSet};

use hyades_formats::{LabelId, Lts, StateId};
use hyades_lts::tokens::Tokens;

use crate::pattern::{Pattern, TemplateCopy};
use crate::template::tokens_of;

pub type Word = Vec<LabelId>;

/// The multisets of a covering (Definition 6.4); `None` if there is none.
pub type Colours = Option<Vec<Vec<usize>>>;

/// A covering (Definition 6.2): for each step the edge that each copy takes.
pub type Covering = Vec<BTreeMap<usize, usize>>;

/// The edges of a copy: number (their place) and target by source and renamed
/// label.
pub fn moves(pattern: &Pattern, copy: &TemplateCopy) -> BTreeMap<(u32, Tokens), (usize, u32)> {
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
    let edges = template.edges().iter().enumerate();
    edges
        .map(|(number, e)| ((e.source, renamed(e.action)), (number, e.target)))
        .collect()
}

/// A specification and a pattern.
pub struct Naive<'a> {
    pub specification: &'a Lts,
    pub pattern: &'a Pattern,
    pub ranks: &'a [u32],
    pub alphabet: Vec<LabelId>,
    copies: Vec<BTreeMap<(u32, Tokens), (usize, u32)>>,
    tokens: Vec<Tokens>,
}

impl<'a> Naive<'a> {
    pub fn new(specification: &'a Lts, pattern: &'a Pattern, ranks: &'a [u32]) -> Self {
        let alphabet: BTreeSet<LabelId> = specification.labels().iter().copied().collect();
        let ids = (0..specification.table().len() as u32).map(LabelId::new);
        Self {
            copies: pattern
                .copies
                .iter()
                .map(|copy| moves(pattern, copy))
                .collect(),
            tokens: ids
                .map(|id| tokens_of(specification, id, &pattern.syntax))
                .collect(),
            specification,
            pattern,
            ranks,
            alphabet: alphabet.into_iter().collect(),
        }
    }

    /// The covering of a word, and the states of the copies after each of its
    /// prefixes; `None` if there is no covering.
    pub fn covering(&self, word: &[LabelId]) -> Option<(Covering, Vec<Vec<u32>>)> {
        let initial = self.pattern.copies.iter().map(|copy| copy.initial);
        let mut states = vec![initial.collect::<Vec<u32>>()];
        let mut covering = Vec::new();
        for label in word {
            let mut now = states[states.len() - 1].clone();
            let mut step = BTreeMap::new();
            for (copy, moves) in self.copies.iter().enumerate() {
                let tokens = self.tokens[label.index()].clone();
                if let Some(&(number, target)) = moves.get(&(now[copy], tokens)) {
                    step.insert(copy, number);
                    now[copy] = target;
                }
            }
            if step.is_empty() {
                return None;
            }
            covering.push(step);
            states.push(now);
        }
        Some((covering, states))
    }

    /// The multisets of a word's covering.
    pub fn colours(&self, word: &[LabelId]) -> Colours {
        let (covering, _) = self.covering(word)?;
        let multiset = |step: &BTreeMap<usize, usize>| {
            let mut edges: Vec<usize> = step.values().copied().collect();
            edges.sort_unstable();
            edges
        };
        Some(covering.iter().map(multiset).collect())
    }

    /// `≃` for words of the same length.
    pub fn symmetric(&self, a: &[LabelId], b: &[LabelId]) -> bool {
        a.len() == b.len() && self.colours(a) == self.colours(b)
    }

    /// All words of a length, over the actions.
    pub fn words(&self, length: usize) -> Vec<Word> {
        let mut words = vec![Vec::new()];
        for _ in 0..length {
            let extended = words.iter().flat_map(|word: &Word| {
                self.alphabet.iter().map(move |&label| {
                    let mut longer = word.clone();
                    longer.push(label);
                    longer
                })
            });
            words = extended.collect();
        }
        words
    }

    /// `σ` before `τ` in the order of Definition 6.8.
    pub fn key(&self, word: &[LabelId]) -> Vec<u32> {
        word.iter().map(|label| self.ranks[label.index()]).collect()
    }

    /// Figure 1 with classes and their smallest labels among those enabled:
    /// the edges of the kernel, or `None` for a label that is not covered.
    pub fn kernel(&self) -> Option<BTreeSet<(StateId, LabelId, StateId)>> {
        let mut edges = BTreeSet::new();
        let mut seen = Vec::new();
        let initial = self.specification.initial();
        self.build_it(initial, &mut Vec::new(), &mut seen, &mut edges)?;
        Some(edges)
    }

    fn build_it(
        &self,
        s: StateId,
        trace: &mut Vec<LabelId>,
        seen: &mut Vec<StateId>,
        edges: &mut BTreeSet<(StateId, LabelId, StateId)>,
    ) -> Option<()> {
        if seen.contains(&s) {
            return Some(());
        }
        let mut enabled: Vec<(LabelId, StateId)> = self.specification.outgoing(s).collect();
        while let Some(&(a, target)) = enabled.iter().min_by_key(|(a, _)| self.ranks[a.index()]) {
            let with = |b: LabelId| [&trace[..], &[b]].concat();
            let chosen = with(a);
            self.covering(&chosen)?;
            edges.insert((s, a, target));
            enabled.retain(|&(b, _)| !self.symmetric(&chosen, &with(b)));
            seen.push(s);
            trace.push(a);
            self.build_it(target, trace, seen, edges)?;
            trace.pop();
            seen.pop();
        }
        Some(())
    }
}
