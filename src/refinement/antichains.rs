//! Refinement between two LTSs without a normal form.

use hyades_equivalence::inclusion::{self, LinearNotion, Verdict, below};
use hyades_explore::Limits;
use hyades_formats::{LabelId, Lts, LtsBuilder, StateId};
use hyades_lts::union::disjoint_union;

use super::normal::{Acceptances, Sets};
use super::{Semantics, Specification, SpecificationError};

/// What [`refine_by_antichains`] finds.
#[derive(Clone, Debug)]
pub enum Inclusion {
    /// The implementation refines the specification.
    Holds,
    /// It does not, and neither does it refine this one, whose normal form is small: it is
    /// the given one along a trace that shows it, and allows anything beside it.
    Fails(Box<Specification>),
    /// A limit was reached.
    Unknown,
}

/// How many nodes a subset construction may have before it is worth a try to go without
/// it: 16 for each state of the specification, and 4096.
pub fn worthwhile_nodes(specification: &Lts) -> u64 {
    16 * specification.states() as u64 + (1 << 12)
}

/// Decides whether an LTS refines another one without the normal form of that one, which
/// may have exponentially many nodes.
///
/// Sets of the specification's states that traces of the implementation lead to are kept
/// in antichains ([`below`]), which may be exponentially fewer. What they show has the
/// fewest visible labels, and [`refine`](super::refine) beside the specification that is
/// returned finds it: for [`Shortest::Steps`](super::Shortest::Steps), too, as something that may
/// not be the shortest.
///
/// Limits of states are those of pairs of a state and a set.
///
/// # Errors
/// If there are too many labels or transitions to be numbered.
pub fn refine_by_antichains(
    specification: &Lts,
    implementation: &Lts,
    semantics: Semantics,
    limits: Limits,
) -> Result<Inclusion, SpecificationError> {
    let union = disjoint_union(implementation.clone(), specification.clone())?;
    let notion = match semantics {
        Semantics::Traces => LinearNotion::WeakTrace,
        Semantics::Failures => LinearNotion::WeakFailures,
        Semantics::FailuresDivergences => LinearNotion::FailuresDivergence,
    };
    let default = inclusion::Limit::default();
    let or = |limit: Option<u64>, default: usize| {
        limit.map_or(default, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        })
    };
    let limit = inclusion::Limit {
        pairs: or(limits.max_states, default.pairs),
        bytes: or(limits.max_memory, default.bytes),
        ..default
    };
    let reason = match below(&union.lts, union.lts.initial(), union.second, notion, limit) {
        Verdict::Below => return Ok(Inclusion::Holds),
        Verdict::Unknown => return Ok(Inclusion::Unknown),
        Verdict::Not(reason) => reason,
    };
    // Labels of the union have their numbers in the implementation, or new ones.
    let labels = reason.labels().map(|label| union.lts.table().text(label));
    let trace: Vec<Option<LabelId>> = labels.map(|t| specification.table().find(t)).collect();
    let part = along(specification, implementation, semantics, &trace)?;
    let normal = Specification::new(&part, semantics, None)?;
    Ok(Inclusion::Fails(Box::new(normal.into_part())))
}

/// A specification that is the given one along a trace, and allows anything beside it: a
/// refinement of it is one up to this trace. A label that the specification does not know
/// ends the trace.
///
/// It has a few states for each label of the trace, and as many transitions as its sets of
/// states have labels and minimal acceptances.
fn along(
    specification: &Lts,
    implementation: &Lts,
    semantics: Semantics,
    trace: &[Option<LabelId>],
) -> Result<Lts, SpecificationError> {
    let acceptances = Acceptances::of(specification, semantics);
    let mut sets = Sets::new(specification);
    let mut part = Part::new(specification, implementation, semantics)?;
    let mut set = sets.closed(vec![specification.initial()]);
    for at in 0..=trace.len() {
        let members = sets.get(set).to_vec();
        let moves = members.iter().flat_map(|&s| specification.outgoing(s));
        let mut moves: Vec<(LabelId, StateId)> = moves.filter(|m| !m.0.is_hidden()).collect();
        moves.sort_unstable();
        moves.dedup();
        let mut labels: Vec<LabelId> = moves.iter().map(|step| step.0).collect();
        labels.dedup();
        let next = trace.get(at).copied().flatten();
        let next = next.filter(|label| labels.binary_search(label).is_ok());
        let minimal = acceptances.minimal(&members);
        let minimal = minimal.into_iter().map(|k| acceptances.set(k));
        part.add(&labels, minimal, next, semantics);
        let Some(label) = next else {
            break;
        };
        let targets = moves.into_iter().filter(|step| step.0 == label);
        set = sets.closed(targets.map(|step| step.1).collect());
    }
    Ok(part.builder.build(part.first)?)
}

/// The LTS of [`along`] under construction.
struct Part {
    builder: LtsBuilder,
    /// Where anything is allowed.
    anything: StateId,
    first: StateId,
    /// The state of the set after the part of the trace that was dealt with.
    here: StateId,
    /// The next number of a state.
    next: u32,
}

impl Part {
    /// Without sets.
    fn new(
        specification: &Lts,
        implementation: &Lts,
        semantics: Semantics,
    ) -> Result<Self, SpecificationError> {
        let mut table = specification.table().clone();
        for (_, text) in implementation.table().visible() {
            table.intern(text)?;
        }
        let all: Vec<LabelId> = table.visible().map(|(label, _)| label).collect();
        let mut builder = LtsBuilder::with_table(3, table);
        let [anything, deadlock, first] = [0, 1, 2].map(StateId::new);
        for label in all {
            builder.add(anything, label, anything);
        }
        match semantics {
            Semantics::Traces => {}
            // All can be refused after any trace.
            Semantics::Failures => builder.add(anything, LabelId::HIDDEN, deadlock),
            Semantics::FailuresDivergences => builder.add(anything, LabelId::HIDDEN, anything),
        }
        Ok(Self {
            builder,
            anything,
            first,
            here: first,
            next: 3,
        })
    }

    /// A set after which these labels and minimal acceptances come; the trace goes on by
    /// the label `next`.
    fn add<'l>(
        &mut self,
        labels: &[LabelId],
        acceptances: impl Iterator<Item = &'l [LabelId]>,
        next: Option<LabelId>,
        semantics: Semantics,
    ) {
        let (here, beside) = (self.here, self.anything);
        let mut new = || {
            self.next += 1;
            StateId::new(self.next - 1)
        };
        let after = new();
        let target = |label: LabelId| match Some(label) == next {
            true => after,
            false => beside,
        };
        for &label in labels {
            self.builder.add(here, label, target(label));
        }
        let mut is_stable = true;
        for acceptance in acceptances {
            let state = new();
            is_stable = false;
            self.builder.add(here, LabelId::HIDDEN, state);
            for &label in acceptance {
                self.builder.add(state, label, target(label));
            }
        }
        // Without stable states nothing can be refused.
        if is_stable && semantics == Semantics::Failures {
            self.builder.add(here, LabelId::HIDDEN, here);
        }
        self.here = after;
    }
}
