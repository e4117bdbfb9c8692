//! How an implementation violates its specification.

use hyades_explore::{ModelError, Trace};
use hyades_formats::LabelTable;

use super::product::{Pair, Product, Representatives, text_of};

/// A step of the implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterexampleStep {
    /// The label, as the implementation spells it; `None` for a hidden step.
    pub label: Option<Box<[u8]>>,
    /// Where it leads.
    pub target: Pair,
}

/// A run of the implementation that shows that it is no refinement.
///
/// With [`Representatives`] that are not the pairs themselves it is a run of the
/// reduced system: it starts in the representative of the initial pair, each step
/// leads from a pair to the representative of a target (a forbidden one to the target
/// itself), and labels are those that the representatives have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// Where the run starts.
    pub initial: Pair,
    /// Its steps.
    pub steps: Vec<CounterexampleStep>,
    /// What is wrong where it ends.
    pub violation: Violation,
    /// Whether it is known that none is shorter. If not, a limit kept from looking
    /// for a nearer divergence, or it is a divergence up to symmetry; see
    /// `SymmetricRefinement::refine`.
    pub is_shortest: bool,
}

/// What is wrong with a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The specification cannot take the last step, which is a visible one, after
    /// the steps before.
    Trace,
    /// The run ends in a stable state that accepts too little.
    Refusal {
        /// The visible labels that it accepts, in the order of their bytes. All
        /// others are refused; the specification always accepts something else as
        /// well, if it can be stable at all.
        accepted: Vec<Box<[u8]>>,
    },
    /// The run ends in a state from which the implementation can go on by hidden
    /// steps for ever, which the specification cannot.
    Divergence {
        /// Hidden steps, at least one, that lead back to where the run ends.
        cycle: Vec<CounterexampleStep>,
    },
}

impl Counterexample {
    /// What a trace of the product shows, whose last pair violates the
    /// specification or, if it has a cycle, diverges.
    ///
    /// # Errors
    /// If the implementation fails.
    pub(super) fn of<R: Representatives>(
        product: &Product<'_, R>,
        trace: &Trace,
        labels: &LabelTable,
        is_shortest: bool,
    ) -> Result<Self, ModelError> {
        let pair = |at: usize| -> Pair {
            let (node, state) = product.split(&trace.packed[at]);
            Pair { node, state }
        };
        let step = |at: usize| -> CounterexampleStep {
            let text = text_of(labels.text(trace.labels[at]));
            CounterexampleStep {
                label: text.map(Box::from),
                target: pair(at + 1),
            }
        };
        let end = trace.cycle.unwrap_or(trace.labels.len());
        let violation = if trace.cycle.is_some() {
            Violation::Divergence {
                cycle: (end..trace.labels.len()).map(step).collect(),
            }
        } else if pair(end).node == product.specification().forbidden() {
            Violation::Trace
        } else {
            Violation::Refusal {
                accepted: product.offered(&trace.packed[end])?,
            }
        };
        Ok(Self {
            initial: pair(0),
            steps: (0..end).map(step).collect(),
            violation,
            is_shortest,
        })
    }

    /// The visible labels of the run, the forbidden one included.
    pub fn visible_trace(&self) -> Vec<&[u8]> {
        let labels = self.steps.iter().filter_map(|step| step.label.as_deref());
        labels.collect()
    }

    /// The pair where the run ends.
    pub fn last(&self) -> &Pair {
        self.steps.last().map_or(&self.initial, |step| &step.target)
    }

    /// All pairs of the run and of the cycle, if there is one, with the labels
    /// between them: `pairs[k]`, `labels[k]`, `pairs[k + 1]`.
    pub fn walk(&self) -> (Vec<&Pair>, Vec<Option<&[u8]>>) {
        let cycle: &[CounterexampleStep] = match &self.violation {
            Violation::Divergence { cycle } => cycle,
            Violation::Trace | Violation::Refusal { .. } => &[],
        };
        let steps = || self.steps.iter().chain(cycle);
        let targets = steps().map(|step| &step.target);
        let pairs = std::iter::once(&self.initial).chain(targets);
        (
            pairs.collect(),
            steps().map(|step| step.label.as_deref()).collect(),
        )
    }
}
