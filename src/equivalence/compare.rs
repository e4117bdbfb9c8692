//! Verdict of two systems, with a witness of their difference.

use hyades_formats::{LabelId, LabelTable, Lts, LtsBuilder, LtsParts, StateId, TooLarge};
use hyades_lts::union::{Union, disjoint_union};

use super::formula::{Formula, FormulaBuilder};
use super::rounds::{RoundCallback, untold};
use super::traces::{self, Hidden};
use super::witness::distinguish;
use super::{Partition, Relation, partition_observed};

/// What [`compare`] finds.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The initial states are related.
    Holds,
    /// They are not; with something to see it by, if it is not too large and
    /// there is a form for it.
    Fails(Option<Witness>),
    /// It could not be found out within the limits.
    Unknown,
}

impl Verdict {
    /// Whether they are related.
    pub fn holds(&self) -> bool {
        matches!(self, Verdict::Holds)
    }
}

/// One of the two systems compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    First,
    /// The second.
    Second,
}

/// Why two systems are not equivalent; checked before it is returned.
#[derive(Clone, Debug)]
pub enum Witness {
    /// A shortest sequence of steps that one system has and the other has not.
    Trace(Trace),
    /// A formula of least depth that holds in the initial state of the first
    /// system and not in that of the second. Given for strong bisimilarity.
    Formula(Formula),
    /// The systems are branching bisimilar, but differ in divergence: some
    /// state that they meet can stay where it is by hidden steps for ever, and
    /// its counterpart cannot.
    Divergence,
}

impl Witness {
    /// The steps that the witness speaks of, as an LTS without cycles: a path,
    /// or for a formula those of [`Formula::to_lts`]. `None` for a difference
    /// in divergence, which no steps show.
    ///
    /// # Errors
    /// If there are more of them than an LTS can hold.
    pub fn to_lts(&self) -> Result<Option<Lts>, TooLarge> {
        let trace = match self {
            Witness::Trace(trace) => trace,
            Witness::Formula(formula) => return formula.to_lts().map(Some),
            Witness::Divergence => return Ok(None),
        };
        let mut builder = LtsBuilder::with_table(1, trace.table.clone());
        for (source, &label) in (0..).zip(&trace.labels) {
            builder.add(StateId::new(source), label, StateId::new(source + 1));
        }
        builder.build(StateId::new(0)).map(Some)
    }
}

/// A trace that one of two systems has and the other has not.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Which system has it.
    pub present_in: Side,
    /// The labels of the steps, of [`Trace::table`]. For strong bisimilarity
    /// these are all steps; for the other relations the hidden ones are left
    /// out.
    pub labels: Vec<LabelId>,
    /// The texts of the labels.
    pub table: LabelTable,
}

impl Trace {
    /// The trace as a formula that holds in the initial state of the first
    /// system and not in that of the second, provided that its labels are all
    /// the steps there are, hidden ones included.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn formula(&self) -> Result<Formula, TooLarge> {
        let mut builder = FormulaBuilder::new();
        let mut formula = match self.present_in {
            Side::First => builder.and([]),
            Side::Second => builder.or([]),
        };
        for &label in self.labels.iter().rev() {
            let label = match label {
                LabelId::HIDDEN => label,
                _ => builder.label(self.table.text(label))?,
            };
            formula = match self.present_in {
                Side::First => builder.diamond(label, formula),
                Side::Second => builder.boxed(label, formula),
            };
        }
        Ok(builder.build(formula))
    }
}

/// Whether the initial states of two systems are related, and if not, why.
///
/// Labels are matched by their texts. The witness is, in this order:
///
/// 1. for [`Relation::DivBranching`], if the systems are branching bisimilar,
///    [`Witness::Divergence`];
/// 2. a shortest trace that only one system has (for the branching relations,
///    of visible steps), if there is one and it is found in reasonable time:
///    deciding that is PSPACE-hard in general, and the search stops after
///    work in proportion to the quotient;
/// 3. for [`Relation::Strong`], a formula, unless it would be very large.
///
/// Traces and formulas are looked for on the quotient. Time and memory of the
/// comparison itself are those of the partition of both systems side by side.
///
/// # Errors
/// If an LTS cannot hold both systems.
pub fn compare(first: Lts, second: Lts, relation: Relation) -> Result<Verdict, TooLarge> {
    compare_observed(first, second, relation, &mut untold)
}

/// As [`compare`], and tells how far it has come after each round of refinement.
///
/// # Errors
/// If an LTS cannot hold both systems.
pub fn compare_observed(
    first: Lts,
    second: Lts,
    relation: Relation,
    observer: &mut RoundCallback<'_>,
) -> Result<Verdict, TooLarge> {
    let union = disjoint_union(first, second)?;
    match partition_observed(&union.lts, relation, observer) {
        Some(classes) => Ok(judge(union, &classes, relation, observer)),
        None => Ok(Verdict::Unknown),
    }
}

/// The verdict, given the coarsest partition.
fn judge(
    union: Union,
    classes: &Partition,
    relation: Relation,
    observer: &mut RoundCallback<'_>,
) -> Verdict {
    let first = classes.class(union.lts.initial());
    let second = classes.class(union.second);
    if first == second {
        return Verdict::Holds;
    }
    if let Some(coarser) = relation.without_divergence() {
        let coarser = partition_observed(&union.lts, coarser, observer).expect("a bisimilarity");
        if coarser.class(union.lts.initial()) == coarser.class(union.second) {
            return Verdict::Fails(Some(Witness::Divergence));
        }
    }
    let quotient = class_graph(union.lts, classes, relation);
    let (first, second) = (StateId::new(first), StateId::new(second));
    Verdict::Fails(witness(&quotient, first, second, relation))
}

/// A witness for two states of a quotient that differ (by more than
/// divergence).
fn witness(quotient: &Lts, first: StateId, second: StateId, relation: Relation) -> Option<Witness> {
    let size = quotient.states() + quotient.transitions();
    let hidden = match relation.counts_hidden() {
        true => Hidden::Counted,
        false => Hidden::Skipped,
    };
    let limit = SEARCH_FACTOR * size + SEARCH_ANYHOW;
    if let Some(found) = traces::one_sided(quotient, first, second, hidden, limit) {
        let has = |state| traces::has_trace(quotient, state, &found.labels, hidden);
        assert_eq!((has(first), has(second)), (found.first, !found.first));
        return Some(Witness::Trace(Trace {
            present_in: if found.first {
                Side::First
            } else {
                Side::Second
            },
            labels: found.labels,
            table: quotient.table().clone(),
        }));
    }
    if !relation.is_characterised_by_hml() {
        return None;
    }
    let formula = distinguish(
        quotient,
        first,
        second,
        SEARCH_FACTOR * size + SEARCH_ANYHOW,
    )?;
    // Checking takes about as long as the formula is large, but there is no
    // guarantee.
    for (state, expected) in [(first, true), (second, false)] {
        if let Some(holds) = formula.holds_within(quotient, state, CHECK_STEPS) {
            assert_eq!(holds, expected, "the formula {formula}");
        }
    }
    Some(Witness::Formula(formula))
}

/// A witness is searched for with at most this many steps for each state and
/// transition of the quotient …
const SEARCH_FACTOR: usize = 8;
/// … and this many beyond.
const SEARCH_ANYHOW: usize = 1 << 20;
/// After how many steps checking a formula is given up.
const CHECK_STEPS: u64 = 1 << 30;

/// The transitions between the classes, each row sorted and without
/// duplicates; without inert steps, if the relation does not see them. Classes keep
/// their numbers.
fn class_graph(lts: Lts, partition: &Partition, relation: Relation) -> Lts {
    let (one_has_all, sees_inert) = match relation {
        // Strongly bisimilar states have the same steps to classes.
        Relation::Strong => (true, true),
        _ => (false, false),
    };
    let mut members = vec![Vec::new(); partition.count()];
    for s in 0..lts.states() {
        let s = StateId::from_index(s);
        let row = &mut members[partition.class(s) as usize];
        if !one_has_all || row.is_empty() {
            row.push(s);
        }
    }
    let mut offsets = vec![0];
    let mut steps: Vec<(LabelId, StateId)> = Vec::new();
    let mut labels = Vec::new();
    let mut targets = Vec::new();
    for (class, members) in members.iter().enumerate() {
        steps.clear();
        for &s in members {
            let to_classes = lts
                .outgoing(s)
                .map(|(a, t)| (a, StateId::new(partition.class(t))));
            steps.extend(
                to_classes.filter(|&(a, t)| sees_inert || !a.is_hidden() || t.index() != class),
            );
        }
        steps.sort_unstable();
        steps.dedup();
        labels.extend(steps.iter().map(|step| step.0));
        targets.extend(steps.iter().map(|step| step.1));
        offsets.push(labels.len() as u32);
    }
    let initial = StateId::new(partition.class(lts.initial()));
    Lts::from_parts(LtsParts {
        initial,
        offsets,
        labels,
        targets,
        table: lts.into_parts().table,
    })
}
