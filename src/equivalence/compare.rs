//! Comparison of two systems, with a witness of their difference.

use std::borrow::Cow;

use hyades_formats::{LabelId, LabelTable, Lts, StateId, TooLarge};
use hyades_lts::union::{Union, disjoint_union};
use hyades_lts::{Numbering, StateSet, reachable_by, restricted};

use super::distinguish;
use super::engine::{Engine, Refinement};
use super::formula::{Formula, FormulaBuilder};
use super::inclusion::{self, End, Equality, HiddenSteps, Limit, LinearNotion, Reason, Seen};
use super::isomorphism::isomorphic;
use super::kin::rooted::{Unrooted, rooted_related};
use super::rounds::{RoundCallback, Rounds, untold};
use super::simulation;
use super::traces::{self, Hidden};
use super::weak::Weak;
use super::witness::distinguish;
use super::{Criterion, Partition, Relation, minimize_from, strong_quotient_from};

/// What is found out about two systems and a relation.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// They are related.
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

    /// Lets what is unknown be what is found.
    pub(crate) fn learn(&mut self, found: impl FnOnce() -> Verdict) {
        if let Verdict::Unknown = self {
            *self = found();
        }
    }

    /// Lets what is unknown be the verdict on a coarser relation, if this fails.
    pub(crate) fn refute(&mut self, coarser: impl FnOnce() -> Verdict) {
        if let Verdict::Unknown = self
            && let fails @ Verdict::Fails(_) = coarser()
        {
            *self = fails;
        }
    }
}

/// Whether each of two systems is below the other one by a preorder; a symmetric
/// relation holds both ways or not at all.
#[derive(Clone, Debug)]
pub struct Order {
    /// Whether the first is below the second.
    pub below: Verdict,
    /// Whether the second is below the first.
    pub above: Verdict,
}

/// What is asked of two systems and a preorder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Whether each is below the other one.
    Both,
    /// Whether both are: if one is not, the other direction does not matter.
    Equivalence,
}

impl Order {
    /// Nothing is known.
    pub(crate) const OPEN: Order = Order {
        below: Verdict::Unknown,
        above: Verdict::Unknown,
    };

    /// Whether something that is wanted is unknown.
    pub(crate) fn lacks(&self, wanted: Wanted) -> bool {
        let fails = |verdict: &Verdict| matches!(verdict, Verdict::Fails(_));
        match wanted {
            Wanted::Both => self.is_open(),
            Wanted::Equivalence => self.is_open() && !fails(&self.below) && !fails(&self.above),
        }
    }

    /// Whether one of the directions is unknown.
    pub fn is_open(&self) -> bool {
        let is_unknown = |verdict: &Verdict| matches!(verdict, Verdict::Unknown);
        is_unknown(&self.below) || is_unknown(&self.above)
    }

    /// Whether both are below each other; if not, with a reason if there is one for either
    /// direction.
    pub fn equivalence(self) -> Verdict {
        match (self.below, self.above) {
            (Verdict::Holds, Verdict::Holds) => Verdict::Holds,
            (fails @ Verdict::Fails(Some(_)), _) | (_, fails @ Verdict::Fails(Some(_))) => fails,
            (fails @ Verdict::Fails(None), _) | (_, fails @ Verdict::Fails(None)) => fails,
            (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
        }
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

impl Side {
    /// The other one.
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// Why two systems are not related.
#[derive(Clone, Debug)]
pub enum Witness {
    /// A shortest sequence of steps that one system has and the other has not.
    Trace(Trace),
    /// A formula of least depth that holds in one system and not in the other.
    Formula(Claim),
    /// What can be seen along a shortest trace of one system, and not of the other.
    Observation(Observation),
}

impl Witness {
    /// The system that has or satisfies what the other one has not.
    pub fn holds_in(&self) -> Side {
        match self {
            Witness::Trace(trace) => trace.present_in,
            Witness::Formula(claim) => claim.holds_in,
            Witness::Observation(observation) => observation.present_in,
        }
    }

    /// The steps that the witness speaks of, as an LTS: a path for a trace, those of
    /// [`Formula::to_lts`] for a formula, and of [`Reason::to_lts`] for what is observed.
    ///
    /// # Errors
    /// If there are more of them than an LTS can hold.
    pub fn to_lts(&self) -> Result<Lts, TooLarge> {
        match self {
            Witness::Formula(claim) => claim.formula.to_lts(),
            Witness::Observation(seen) => seen.reason.to_lts(&seen.table),
            Witness::Trace(trace) => inclusion::path(trace.labels.iter().copied(), &trace.table),
        }
    }

    /// The steps of a trace, or of one that something is seen along; of a formula
    /// [`Claim::depth`].
    pub fn depth(&self) -> usize {
        match self {
            Witness::Trace(trace) => trace.labels.len(),
            Witness::Observation(observation) => observation.reason.steps.len(),
            Witness::Formula(claim) => claim.depth,
        }
    }

    /// A formula, and in which of the systems it holds; in the other one it does not.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn formula(&self) -> Result<(Side, Formula), TooLarge> {
        Ok(match self {
            Witness::Trace(trace) => (trace.present_in, trace.formula()?),
            Witness::Formula(claim) => (claim.holds_in, claim.formula.clone()),
            Witness::Observation(observation) => (
                observation.present_in,
                observation.reason.formula(&observation.table)?,
            ),
        })
    }
}

/// A formula that tells two systems apart.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The system whose initial state satisfies it.
    pub holds_in: Side,
    /// The formula.
    pub formula: Formula,
    /// What is within each other in it: modalities, where a step and the hidden ones that
    /// its relation allows before and behind it are one, however many say so. For
    /// bisimulations that is the round of refinement in which the systems part.
    pub depth: usize,
}

impl Claim {
    /// One whose modalities are one move each.
    pub(crate) fn plain(holds_in: Side, formula: Formula) -> Self {
        let depth = formula.depth();
        Self {
            holds_in,
            formula,
            depth,
        }
    }
}

/// What can be seen of one of two systems only.
#[derive(Clone, Debug)]
pub struct Observation {
    /// Which system shows it.
    pub present_in: Side,
    /// What is seen; labels are those of [`Observation::table`].
    pub reason: Reason,
    /// The texts of the labels.
    pub table: LabelTable,
}

/// A trace that one of two systems has and the other has not.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Which system has it.
    pub present_in: Side,
    /// The labels of the steps, of [`Trace::table`].
    pub labels: Vec<LabelId>,
    /// Whether hidden steps may be taken anywhere and are left out. If not, they are steps
    /// as all others.
    pub skips_hidden: bool,
    /// The texts of the labels.
    pub table: LabelTable,
}

impl Trace {
    /// The trace as a formula that holds in the initial state of the system that has it, and
    /// not in that of the other one.
    ///
    /// # Errors
    /// None in practice: only for more labels than a table can hold.
    pub fn formula(&self) -> Result<Formula, TooLarge> {
        let mut builder = FormulaBuilder::new();
        let mut formula = builder.and([]);
        for &label in self.labels.iter().rev() {
            let label = match label {
                LabelId::HIDDEN => label,
                _ => builder.label(self.table.text(label))?,
            };
            formula = match self.skips_hidden {
                false => builder.diamond(label, formula),
                true => builder.weak_diamond(label, formula),
            };
        }
        Ok(builder.build(formula))
    }
}

/// Which kind of witness is wanted where there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Preferred {
    /// Whichever has less depth; of equal depth, a trace.
    #[default]
    Least,
    /// A trace, if only one system has it, and else a formula.
    Trace,
    /// A formula of least depth, for all relations that have formulas.
    Formula,
}

impl Preferred {
    /// What is wanted where formulas speak of the states of this LTS. If these have no two
    /// steps with the same label, and none that is not seen, no formula has less depth than
    /// a shortest trace, so that none has to be looked for. O(m) at the worst.
    pub(super) fn among(self, lts: &Lts, hidden: Hidden) -> Preferred {
        match self {
            Preferred::Least if traces::is_deterministic(lts, hidden) => Preferred::Trace,
            Preferred::Least | Preferred::Trace | Preferred::Formula => self,
        }
    }

    /// The witness, of those that are found: a trace, and a formula of less depth than so much.
    fn of(
        self,
        trace: impl FnOnce() -> Option<Witness>,
        formula: impl FnOnce(usize) -> Option<Witness>,
    ) -> Option<Witness> {
        match self {
            Preferred::Trace => trace().or_else(|| formula(usize::MAX)),
            Preferred::Formula => formula(usize::MAX).or_else(trace),
            Preferred::Least => match trace() {
                None => formula(usize::MAX),
                // A formula of depth 1 may tell of a divergence, or of a first hidden step,
                // where the shortest trace has two steps.
                Some(trace) if trace.depth() <= 1 => Some(trace),
                Some(trace) => formula(trace.depth()).or(Some(trace)),
            },
        }
    }
}

/// How two systems are compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Which kind of witness is wanted.
    pub preferred: Preferred,
    /// When a search is given up: of pairs of a state and a set of states, and, for
    /// simulations, of pairs of states, if their own bounds are not lower.
    pub limit: Limit,
}

/// Whether the initial states of two systems are related both ways, and if not, why.
///
/// Labels are matched by their texts. The witness is
///
/// * for bisimulations, a shortest trace that only one system has (of visible steps, if
///   hidden ones are not counted), if there is one, no formula has less depth, and it is
///   found in reasonable time: deciding that is PSPACE-hard in general, and the search stops
///   after work in proportion to the quotient;
/// * for these and the simulations (for simulations only if a trace is not preferred, or not
///   found) a formula of least depth, unless it would be very large;
/// * for the others what is seen along a shortest trace, or, if that is not found soon, what
///   a coarser relation sees along the shortest one for it.
///
/// Traces and formulas are looked for on the quotient by a finer relation. Time and memory
/// of the comparison itself are those of the partition of both systems side by side for
/// bisimulations; see [`inclusion::below`] for the relations of linear time, which are
/// PSPACE-complete.
///
/// # Errors
/// If an LTS cannot hold both systems.
pub fn compare<'a>(
    first: Lts,
    second: Lts,
    criterion: impl Into<Criterion<'a>>,
) -> Result<Verdict, TooLarge> {
    let pair = Pair::new(first, second)?;
    Ok(pair.compare(criterion, &Options::default(), &mut untold))
}

/// As [`compare`], each way.
///
/// # Errors
/// If an LTS cannot hold both systems.
pub fn order<'a>(
    first: Lts,
    second: Lts,
    criterion: impl Into<Criterion<'a>>,
) -> Result<Order, TooLarge> {
    let pair = Pair::new(first, second)?;
    Ok(pair.order(criterion, &Options::default(), &mut untold))
}

/// Two systems side by side, to be compared.
#[derive(Debug)]
pub struct Pair {
    union: Union,
}

impl Pair {
    /// Puts them side by side.
    ///
    /// # Errors
    /// If an LTS cannot hold both, or if they have 2^32 transitions or more together.
    pub fn new(first: Lts, second: Lts) -> Result<Self, TooLarge> {
        super::minimize::narrow(first.transitions() + second.transitions())?;
        let union = disjoint_union(first, second)?;
        Ok(Self { union })
    }

    /// Both in one LTS.
    pub(crate) fn lts(&self) -> &Lts {
        &self.union.lts
    }

    /// The initial states of the first and of the second.
    pub(crate) fn roots(&self) -> [StateId; 2] {
        [self.union.lts.initial(), self.union.second]
    }

    /// Whether they are related both ways; see [`compare`]. Tells how far it has come after
    /// each round of refinement.
    pub fn compare<'a>(
        &self,
        criterion: impl Into<Criterion<'a>>,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Verdict {
        let criterion = criterion.into();
        if let Engine::Inclusion(notion) = Engine::of(criterion.relation)
            && let Some(hidden) = notion.of_traces()
        {
            return self.same_traces(notion, hidden, options);
        }
        let order = self.in_stages(criterion, options, Wanted::Equivalence, observer);
        let has_trace =
            |verdict: &Verdict| matches!(verdict, Verdict::Fails(Some(Witness::Trace(_))));
        // Either direction refutes it.
        if options.preferred == Preferred::Trace
            && !has_trace(&order.below)
            && has_trace(&order.above)
        {
            return order.above;
        }
        order.equivalence()
    }

    /// Whether each is below the other one. Tells how far it has come after each round of
    /// refinement. Where a search is given up, or takes long, a coarser relation may still
    /// tell that it is not, and why.
    pub fn order<'a>(
        &self,
        criterion: impl Into<Criterion<'a>>,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        self.in_stages(criterion.into(), options, Wanted::Both, observer)
    }

    /// Finds out what is open by the relation's own engine alone, as far as it is wanted.
    pub(crate) fn decide(
        &self,
        criterion: Criterion<'_>,
        mut order: Order,
        options: &Options,
        wanted: Wanted,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        if !order.lacks(wanted) {
            return order;
        }
        let symmetric = match Engine::of(criterion.relation) {
            Engine::Isomorphism => self.isomorphism(options, observer),
            Engine::Refinement(refinement) => {
                self.refinement(refinement, criterion, options, observer)
            }
            Engine::Rooted(unrooted) => self.rooted(unrooted, options, observer),
            Engine::Simulation(kind) => {
                let found = self.simulation(kind, options, observer);
                order.below.learn(|| found.below);
                order.above.learn(|| found.above);
                return order;
            }
            Engine::Inclusion(notion) => {
                let [p, q] = self.roots();
                let limit = options.limit;
                if let Some(hidden) = notion.of_traces()
                    && let Verdict::Unknown = order.below
                    && let Verdict::Unknown = order.above
                {
                    // Both directions at once, or the one that fails sooner.
                    match inclusion::equivalent(self.lts(), p, q, hidden, limit) {
                        Equality::Equal => {
                            let (below, above) = (Verdict::Holds, Verdict::Holds);
                            return Order { below, above };
                        }
                        Equality::Different(side, reason) => {
                            let fails = self.seen(side, *reason);
                            match side {
                                Side::First => order.below = fails,
                                Side::Second => order.above = fails,
                            }
                        }
                        Equality::Unknown => {}
                    }
                }
                if !order.lacks(wanted) {
                    return order;
                }
                order
                    .below
                    .learn(|| self.inclusion(Side::First, p, q, notion, limit));
                if order.lacks(wanted) {
                    order
                        .above
                        .learn(|| self.inclusion(Side::Second, q, p, notion, limit));
                }
                return order;
            }
        };
        order.below.learn(|| symmetric.clone());
        order.above.learn(|| symmetric);
        order
    }

    fn isomorphism(&self, options: &Options, observer: &mut RoundCallback<'_>) -> Verdict {
        let [p, q] = self.roots();
        match isomorphic(self.lts(), p, q) {
            Some(true) => Verdict::Holds,
            known @ (Some(false) | None) => {
                match (known, self.compare(Relation::Strong, options, observer)) {
                    (_, Verdict::Fails(witness)) => Verdict::Fails(witness),
                    (None, Verdict::Holds | Verdict::Unknown) => Verdict::Unknown,
                    // What tells them apart is no behaviour.
                    (Some(_), Verdict::Holds | Verdict::Unknown) => Verdict::Fails(None),
                }
            }
        }
    }

    fn refinement(
        &self,
        refinement: Refinement,
        criterion: Criterion<'_>,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Verdict {
        let [p, q] = self.roots();
        let rounds = &mut Rounds::new(observer);
        let classes = refinement.partition(self.lts(), criterion, rounds);
        if classes.class(p) == classes.class(q) {
            return Verdict::Holds;
        }
        let marked = criterion.marked(self.lts().table());
        Verdict::Fails(match refinement.distinguished_by(&marked) {
            None => self.strong_witness(&classes, options),
            Some(kind) => self.weak_witness(kind, refinement.finer(), options),
        })
    }

    fn rooted(
        &self,
        unrooted: Unrooted,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Verdict {
        let [p, q] = self.roots();
        let (refinement, kind) = match unrooted {
            Unrooted::Branching => (
                Refinement::Branching { divergence: false },
                distinguish::Kind::RootedBranching,
            ),
            Unrooted::Weak => (
                Refinement::Weak(Weak::Observational),
                distinguish::Kind::RootedWeak,
            ),
        };
        let criterion = Criterion::from(Relation::Strong);
        let rounds = &mut Rounds::new(observer);
        let classes = refinement.partition(self.lts(), criterion, rounds);
        match rooted_related(self.lts(), p, q, &classes, unrooted) {
            true => Verdict::Holds,
            false => Verdict::Fails(self.weak_witness(kind, Relation::Strong, options)),
        }
    }

    fn simulation(
        &self,
        kind: simulation::Kind,
        options: &Options,
        observer: &mut RoundCallback<'_>,
    ) -> Order {
        let [p, q] = self.roots();
        let rounds = &mut Rounds::new(observer);
        let question = simulation::Question::new(self.lts(), p, q, kind, rounds);
        let (below, above) = question.compare(options.limit.pairs);
        let formula = |holds_in, question: &simulation::Question| {
            let mut claim = Claim::plain(holds_in, question.reason(self.lts())?);
            claim.depth /= kind.modalities();
            Some(Witness::Formula(claim))
        };
        let trace = |holds_in, [p, q]: [StateId; 2]| {
            // What a simulation implies: one of these traces refutes it.
            let notion = match kind.counts_hidden() {
                true => LinearNotion::Trace,
                false => LinearNotion::WeakTrace,
            };
            let limit = Limit::SOON.at_most(options.limit);
            match self.inclusion(holds_in, p, q, notion, limit) {
                Verdict::Fails(trace) => trace,
                Verdict::Holds | Verdict::Unknown => None,
            }
        };
        let verdict = |holds: Option<bool>, holds_in, question: &simulation::Question| match holds {
            None => Verdict::Unknown,
            Some(true) => Verdict::Holds,
            Some(false) => {
                let roots = match holds_in {
                    Side::First => [p, q],
                    Side::Second => [q, p],
                };
                let (trace, formula) = (|| trace(holds_in, roots), || formula(holds_in, question));
                Verdict::Fails(match options.preferred {
                    Preferred::Trace => trace().or_else(formula),
                    // No formula of a simulation is deeper than a trace that refutes it, but
                    // it may be much larger.
                    Preferred::Least | Preferred::Formula => formula().or_else(trace),
                })
            }
        };
        let below = verdict(below, Side::First, &question);
        let above = verdict(above, Side::Second, &question.reversed());
        Order { below, above }
    }

    /// Whether state `p`, of this side, is below state `q` of the other.
    pub(crate) fn inclusion(
        &self,
        side: Side,
        p: StateId,
        q: StateId,
        notion: LinearNotion,
        limit: Limit,
    ) -> Verdict {
        let by_antichains = inclusion::below(self.lts(), p, q, notion, limit);
        let found = match (by_antichains, notion.of_traces()) {
            // Either way may take exponentially longer than the other.
            (inclusion::Verdict::Unknown, Some(hidden)) => {
                inclusion::included(self.lts(), p, q, hidden, limit)
            }
            (found, _) => found,
        };
        match found {
            inclusion::Verdict::Below => Verdict::Holds,
            inclusion::Verdict::Unknown => Verdict::Unknown,
            inclusion::Verdict::Not(reason) => self.seen(side, *reason),
        }
    }

    /// Whether the roots have the same traces: up to congruence and by antichains, in turns
    /// that are longer each time, as each may take exponentially longer than the other.
    fn same_traces(&self, notion: LinearNotion, hidden: HiddenSteps, options: &Options) -> Verdict {
        let [p, q] = self.roots();
        let [mut below, mut above] = [inclusion::Verdict::Unknown, inclusion::Verdict::Unknown];
        for limit in options.limit.turns() {
            match inclusion::equivalent(self.lts(), p, q, hidden, limit) {
                Equality::Equal => return Verdict::Holds,
                Equality::Unknown => {}
                Equality::Different(side, reason) => return self.seen(side, *reason),
            }
            for (known, a, b) in [(&mut below, p, q), (&mut above, q, p)] {
                if let inclusion::Verdict::Unknown = known {
                    *known = inclusion::below(self.lts(), a, b, notion, limit);
                }
            }
            // A longer turn finds the shortest trace of both.
            let is_open = |known: &inclusion::Verdict| matches!(known, inclusion::Verdict::Unknown);
            if !is_open(&below) && !is_open(&above) {
                break;
            }
        }
        match (below, above) {
            (inclusion::Verdict::Below, inclusion::Verdict::Below) => Verdict::Holds,
            (inclusion::Verdict::Not(left), inclusion::Verdict::Not(right))
                if right.steps.len() < left.steps.len() =>
            {
                self.seen(Side::Second, *right)
            }
            (inclusion::Verdict::Not(reason), _) => self.seen(Side::First, *reason),
            (_, inclusion::Verdict::Not(reason)) => self.seen(Side::Second, *reason),
            (inclusion::Verdict::Unknown, _) | (_, inclusion::Verdict::Unknown) => Verdict::Unknown,
        }
    }

    fn seen(&self, present_in: Side, reason: Reason) -> Verdict {
        let table = self.lts().table().clone();
        let sees_steps_only = matches!(reason.end, End::Trace)
            && reason.steps.iter().all(|step| step.seen == Seen::Nothing);
        Verdict::Fails(Some(match sees_steps_only {
            true => Witness::Trace(Trace {
                present_in,
                labels: reason.labels().collect(),
                skips_hidden: reason.skips_hidden,
                table,
            }),
            false => Witness::Observation(Observation {
                present_in,
                reason,
                table,
            }),
        }))
    }

    /// What the roots reach. What is told of a difference depends on that alone and on the order
    /// of labels, so that it is the same for minimal systems in the place of the two, if these
    /// have their labels in the same order.
    fn reached(&self) -> Reached<'_> {
        let [p, q] = self.roots();
        let mut seen = reachable_by(self.lts(), p, |_| true);
        for state in reachable_by(self.lts(), q, |_| true).iter() {
            seen.insert(state);
        }
        if seen.count == self.lts().states() {
            return Reached {
                lts: Cow::Borrowed(self.lts()),
                roots: [p, q],
                seen,
            };
        }
        let lts = restricted(self.lts().clone(), &seen, Numbering::Ascending);
        let second = (0..q.index()).filter(|&state| seen.contains(state)).count();
        Reached {
            roots: [lts.initial(), StateId::from_index(second)],
            lts: Cow::Owned(lts),
            seen,
        }
    }

    /// Why the roots are not strongly bisimilar.
    fn strong_witness(&self, classes: &Partition, options: &Options) -> Option<Witness> {
        let Reached { lts, roots, seen } = self.reached();
        let classes = classes.among(seen.iter());
        let (quotient, [p, q]) = strong_quotient_from(&lts, classes, roots);
        let limit = search_limit(&quotient);
        let formula = |depths| {
            let formula = distinguish(&quotient, p, q, limit, depths)?;
            let claim = Claim::plain(Side::First, formula);
            Some(checked(&quotient, p, q, claim))
        };
        let trace = || one_sided(&quotient, p, q, Hidden::Counted, limit);
        let preferred = options.preferred.among(&quotient, Hidden::Counted);
        preferred.of(trace, formula)
    }

    /// Why the roots are not related by what formulas of a kind characterise, which a finer
    /// relation preserves.
    fn weak_witness(
        &self,
        kind: distinguish::Kind<'_>,
        finer: Relation,
        options: &Options,
    ) -> Option<Witness> {
        let Reached { lts, roots, .. } = self.reached();
        let (quotient, [p, q]) = minimize_from(lts.into_owned(), finer, roots);
        let quotient = &quotient;
        let formula = |depths| {
            let found = distinguish::reason(quotient, p, q, kind, depths)?;
            let claim = Claim {
                holds_in: Side::First,
                formula: found.formula,
                depth: found.depth,
            };
            Some(checked(quotient, p, q, claim))
        };
        let trace = || one_sided(quotient, p, q, Hidden::Skipped, search_limit(quotient));
        let preferred = options.preferred.among(quotient, Hidden::Skipped);
        preferred.of(trace, formula)
    }
}

/// The part of two systems that their initial states reach.
struct Reached<'a> {
    lts: Cow<'a, Lts>,
    /// The initial states of the first and of the second, in it.
    roots: [StateId; 2],
    /// Its states, by their numbers in both.
    seen: StateSet,
}

impl Refinement {
    /// A relation that is not coarser, by which states may be merged before formulas are
    /// looked for.
    pub(crate) const fn finer(self) -> Relation {
        match self {
            Refinement::Strong | Refinement::Sharp { .. } => Relation::Strong,
            Refinement::Branching { divergence: true }
            | Refinement::Stability
            | Refinement::Weak(Weak::DivObservational) => Relation::DivBranching,
            Refinement::Branching { divergence: false }
            | Refinement::Eta
            | Refinement::Weak(Weak::Observational | Weak::Delay | Weak::TauStarA) => {
                Relation::Branching
            }
        }
    }
}

/// How many steps the search for a trace, or for a formula of strong bisimilarity, may take.
fn search_limit(quotient: &Lts) -> usize {
    let size = quotient.states() + quotient.transitions();
    SEARCH_FACTOR * size + SEARCH_ANYHOW
}

/// A shortest trace that only one of two states has.
fn one_sided(
    quotient: &Lts,
    first: StateId,
    second: StateId,
    hidden: Hidden,
    limit: usize,
) -> Option<Witness> {
    let found = traces::one_sided(quotient, first, second, hidden, limit)?;
    let has = |state| traces::has_trace(quotient, state, &found.labels, hidden);
    assert_eq!((has(first), has(second)), (found.first, !found.first));
    Some(Witness::Trace(Trace {
        present_in: match found.first {
            true => Side::First,
            false => Side::Second,
        },
        labels: found.labels,
        skips_hidden: hidden == Hidden::Skipped,
        table: quotient.table().clone(),
    }))
}

/// A claim whose formula holds in the first and not in the second.
fn checked(quotient: &Lts, first: StateId, second: StateId, claim: Claim) -> Witness {
    let formula = &claim.formula;
    // Checking takes about as long as the formula is large, but there is no
    // guarantee.
    for (state, expected) in [(first, true), (second, false)] {
        if let Some(holds) = formula.holds_within(quotient, state, CHECK_STEPS) {
            assert_eq!(holds, expected, "the formula {formula}");
        }
    }
    Witness::Formula(claim)
}

/// A witness is searched for with at most this many steps for each state and
/// transition of the quotient …
const SEARCH_FACTOR: usize = 8;
/// … and this many beyond.
const SEARCH_ANYHOW: usize = 1 << 20;
/// After how many steps checking a formula is given up.
const CHECK_STEPS: u64 = 1 << 30;
