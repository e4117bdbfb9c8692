//! One pass of lumping: classes, and the transitions between them.

use hyades_base::grouped::Grouped;
use hyades_formats::{LabelId, LabelTable, Lts, StateId};

use super::decimal::Decimal;
use super::weights::{Functions, Labels, Sum, Weights};
use super::{LumpError, LumpingRelation, Pass};
use crate::kin::closure::{self, HiddenSteps, Steps};
use crate::kin::sharp::divergent_classes;
use crate::rounds::Rounds;
use crate::{Partition, Rows, TransitionColumns, element, finish_row};

/// An LTS whose weights are known.
pub(super) struct Exact<'a> {
    pub(super) lts: &'a Lts,
    pub(super) labels: &'a Labels,
    pub(super) places: u32,
    pub(super) epsilon: Option<&'a Decimal>,
    pub(super) keep_self: bool,
}

impl Exact<'_> {
    /// The quotient.
    pub(super) fn quotient<const N: usize>(
        &self,
        relation: LumpingRelation,
        rounds: &mut Rounds<'_>,
    ) -> Result<Pass, LumpError> {
        let lts = self.lts;
        let hidden_steps = relation.hidden_steps();
        let weights: Weights<'_, N> = Weights::new(
            lts,
            self.labels,
            self.places,
            self.epsilon,
            self.keep_self,
            hidden_steps != HiddenSteps::Counted,
        );
        weights.check_probabilities()?;
        let steps = Markov {
            rows: lts.into(),
            hidden_steps,
            weights: &weights,
            functions: Functions::new(&weights),
        };
        let start = Partition {
            class: vec![0; lts.states()],
            count: 1,
        };
        let refined = closure::refine(lts.into(), hidden_steps, start, steps, rounds);
        // Numbered by their least states.
        let partition = refined.normalized();
        let ClassGraph {
            columns,
            table,
            lost,
        } = ClassGraph::new(lts, &weights, &partition, relation)?;
        let initial = partition.class(lts.initial());
        let (quotient, state) = columns.into_lts(initial, table);
        let mut class = partition.class;
        class.iter_mut().for_each(|c| *c = state[*c as usize]);
        Ok(Pass {
            lts: quotient,
            class,
            preempted: weights.preempted(),
            self_loops: weights.self_loops() + lost,
            has_lost: lost > 0,
        })
    }
}

/// The element of what a state does by weighted transitions: no label has this number.
const WEIGHTS: u32 = u32::MAX - 1;

/// Ordinary steps are handed on, and so is what a state does by all its weighted transitions
/// together.
struct Markov<'a, const N: usize> {
    rows: Rows<'a>,
    hidden_steps: HiddenSteps,
    weights: &'a Weights<'a, N>,
    functions: Functions<'a, N>,
}

impl<const N: usize> Steps for Markov<'_, N> {
    const AT_ONCE: bool = false;

    fn handed_on(&mut self, state: u32, block: &[u32], elements: &mut Vec<u64>) {
        let is_inert = self.hidden_steps != HiddenSteps::Counted;
        let inert = element(LabelId::HIDDEN.get(), block[state as usize]);
        let (labels, targets) = self.rows.row(state);
        for (&l, t) in labels.iter().zip(targets) {
            let e = element(l.get(), block[t.index()]);
            let is_left_out = self.weights.is_weighted(l) || is_inert && e == inert;
            if !is_left_out {
                elements.push(e);
            }
        }
        if let Some(function) = self.functions.number(state, block) {
            elements.push(element(WEIGHTS, function));
        }
    }

    fn sees_own_block(&self, state: u32) -> bool {
        let (labels, _) = self.rows.row(state);
        self.hidden_steps != HiddenSteps::Counted && labels.iter().any(|l| l.is_hidden())
    }
}

/// The transitions between classes.
struct ClassGraph {
    columns: TransitionColumns,
    table: LabelTable,
    /// How many delays within a class were left out.
    lost: u64,
}

impl ClassGraph {
    fn new<const N: usize>(
        lts: &Lts,
        weights: &Weights<'_, N>,
        partition: &Partition,
        relation: LumpingRelation,
    ) -> Result<Self, LumpError> {
        let class = partition.classes();
        let mut functions = Functions::new(weights);
        let mut table = LabelTable::new();
        let mut label = vec![None; lts.table().len()];
        for (k, is_used) in lts.used_labels().into_iter().enumerate() {
            let id = LabelId::new(k as u32);
            if id.is_hidden() {
                label[k] = Some(id);
            } else if is_used && !weights.is_weighted(id) {
                label[k] = Some(table.intern(lts.table().text(id))?);
            }
        }
        let (is_inert, diverges) = match relation {
            LumpingRelation::Strong => (false, None),
            LumpingRelation::Branching => (true, None),
            LumpingRelation::DivBranching => {
                (true, Some(divergent_classes(lts, class, partition.count)))
            }
        };
        let members = Grouped::new(partition.count(), class.iter().copied().zip(0u32..));
        let (mut elements, mut lengths) = (Vec::new(), Vec::new());
        let mut lost = 0;
        for c in 0..partition.count {
            let start = elements.len();
            if diverges.as_ref().is_some_and(|d| d[c as usize]) {
                elements.push(element(LabelId::HIDDEN.get(), c));
            }
            for &s in members.of(c) {
                for (l, t) in lts.outgoing(StateId::new(s)) {
                    let target = class[t.index()];
                    if let Some(label) = label[l.index()]
                        && !(is_inert && l.is_hidden() && target == c)
                    {
                        elements.push(element(label.get(), target));
                    }
                }
            }
            for sum in sums_of(members.of(c), class, &mut functions)? {
                if sum.class == c && weights.is_lost_within(sum.key) {
                    lost += 1;
                    continue;
                }
                let label = table.intern(&weights.text(&sum))?;
                elements.push(element(label.get(), sum.class));
            }
            finish_row(&mut elements, start);
            lengths.push((elements.len() - start) as u32);
        }
        Ok(Self {
            columns: TransitionColumns::new(vec![(elements, lengths)]),
            table,
            lost,
        })
    }
}

/// The sums of a class with these members: those of its first state that has any.
fn sums_of<const N: usize>(
    members: &[u32],
    class: &[u32],
    functions: &mut Functions<'_, N>,
) -> Result<Vec<Sum<N>>, LumpError> {
    let mut first: Option<(u32, u32)> = None;
    for &s in members {
        let Some(function) = functions.number(s, class) else {
            continue;
        };
        let (state, expected) = *first.get_or_insert((s, function));
        if function != expected {
            return Err(LumpError::Ambiguous {
                states: [state, s].map(StateId::new),
            });
        }
    }
    Ok(first.map_or_else(Vec::new, |(s, _)| functions.sums(s, class)))
}
