//! The relations by which states and systems are compared, and which of them implies
//! which.

use std::str::FromStr;

use hyades_formats::{StateId, named};

use super::minimize::Quotienting;
use super::unknown_relation::UnknownRelation;

/// A relation by which two states, or two systems by their initial states, are compared.
///
/// Most of them are *preorders*: `p` is below `q` if `p` shows no more than `q`, in that
/// the formulas, traces or failures of `p` are among those of `q`. Such a relation used
/// as an equivalence holds if both are below each other. Bisimulations are symmetric.
/// The linear time – branching time spectra of R. J. van Glabbeek ("The linear time –
/// branching time spectrum", 1990 and 1993) have most of them; those that are from
/// elsewhere say so.
///
/// Hidden steps are written τ; `s ⇒ t` is any number of them. Only what can be reached
/// counts. No relation observes termination: a tool that has it writes a label.
///
/// Parsed from the names of CADP (the canonical ones where CADP has one, which are also
/// printed) or of mCRL2, as [`Relation::from_name`] does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    /// Isomorphism of the parts that can be reached; transitions that occur several
    /// times count once.
    Isomorphism,
    /// Strong bisimilarity (Park 1981, Milner 1989): hidden steps count like
    /// all others.
    Strong,
    /// [`Relation::Sharp`] with explicit divergence.
    DivSharp,
    /// Sharp bisimilarity (Lang, Mateescu & Mazzanti 2020): some visible labels are
    /// *strong*; steps with these are answered at once, all others as by
    /// [`Relation::Branching`]. Without strong labels it is that, as it is for what is given
    /// the relation alone: a [`Criterion`] names them.
    Sharp,
    /// Branching bisimilarity with a root condition: the first steps are answered by
    /// single steps with the same label. A congruence for choice.
    RootedBranching,
    /// Branching bisimilarity with explicit divergence, also known as
    /// divergence-preserving (van Glabbeek, Luttik & Trčka 2009): the same, but
    /// it is seen whether a state can stay where it is by hidden steps for ever.
    DivBranching,
    /// Stability-respecting branching bisimilarity: a state without hidden steps has
    /// one such among those that hidden steps lead to from each related state.
    SrBranching,
    /// Branching bisimilarity (van Glabbeek & Weijland 1996): hidden steps
    /// that change nothing are not seen, nor whether they go on for ever.
    Branching,
    /// η-bisimilarity (Baeten & van Glabbeek 1987): as branching, but hidden steps after
    /// the visible one may lead through other classes.
    Eta,
    /// Delay bisimilarity (Milner 1981): as observational, but no hidden steps follow
    /// the visible one in an answer.
    Delay,
    /// Observational equivalence with a root condition (Milner's observation
    /// congruence): a first hidden step is answered by at least one.
    RootedWeak,
    /// Weak bisimilarity with explicit divergence.
    DpWeak,
    /// Weak bisimilarity (Milner 1989), in CADP observational equivalence: a visible
    /// step is answered with hidden steps before and after, a hidden one by any number.
    Observational,
    /// τ*.a equivalence (Fernandez & Mounier 1991): strong bisimilarity of the steps
    /// that consist of hidden steps and a visible one at their end.
    TauStarA,
    /// 2-nested simulation (Groote & Vaandrager 1992): a simulation within the inverse
    /// of the greatest one.
    TwoNestedSim,
    /// Ready simulation (Bloom, Istrail & Meyer 1995): a simulation of states that have
    /// steps with the same labels.
    ReadySim,
    /// Simulation (Park 1981): hidden steps count like all others.
    Sim,
    /// Possible futures (Rounds & Brookes 1981): traces, and the set of traces that are
    /// possible after each.
    PossibleFutures,
    /// Impossible futures (Vogler 1992), in which hidden steps count like all others:
    /// traces, and sets of traces of which none is possible after them.
    ImpossibleFuturesStrong,
    /// Ready traces (Pnueli 1985; Baeten, Bergstra & Klop 1987): traces with the labels
    /// that are possible before each step.
    ReadyTrace,
    /// Failure traces (Phillips 1987): traces with labels that are refused before each
    /// step.
    FailureTrace,
    /// Readiness (Olderog & Hoare 1986): traces, and the labels possible after each.
    Readiness,
    /// Revivals (Roscoe 2009): failures with one label that is accepted then.
    Revivals,
    /// Failures in which hidden steps count like all others (mCRL2's `failures`); see
    /// [`Relation::WeakFailures`] for those of CSP.
    Failures,
    /// Completed traces: traces, and which of them end in deadlocks.
    CompletedTrace,
    /// Traces, in which hidden steps count like all others.
    Trace,
    /// Coupled simulation (Parrow & Sjödin 1992): weak simulation both ways, coupled
    /// after hidden steps.
    CoupledSim,
    /// Contrasimulation (Voorhoeve & Mauw 2001): after each sequence of visible labels
    /// the roles are exchanged.
    Contrasim,
    /// One direction of branching bisimilarity, which is that of η-bisimilarity.
    BranchingSim,
    /// Safety (Bouajjani, Fernandez, Graf, Rodriguez & Sifakis 1991): simulation of the
    /// steps of [`Relation::TauStarA`], which is weak simulation.
    Safety,
    /// Impossible futures of visible labels (mCRL2's `impossible-futures`).
    ImpossibleFutures,
    /// Stable failures, the model F of CSP: visible traces, and the labels refused after
    /// them by states without hidden steps.
    WeakFailures,
    /// Failures and divergences, the model FD of CSP: what comes after a divergence is
    /// not looked at.
    FailuresDivergence,
    /// Traces of visible labels, the model T of CSP.
    WeakTrace,
}

// Bisimulations from the finest to the coarsest, then those that count hidden steps, then
// those that do not.
named! {
    Relation:
    Isomorphism = "isomorphism" | "iso",
    Strong = "strong" | "bisim" | "bisimulation" | "strong-bisim" | "bisim-gv" | "bisim-gj"
        | "bisim-gj-lazy-BLC" | "bisim-gjkw" | "bisim-jgkw" | "bisim-sig",
    DivSharp = "divsharp",
    Sharp = "sharp",
    RootedBranching = "rooted-branching",
    DivBranching = "divbranching" | "dpbranching-bisim" | "dpbranching-bisim-gv"
        | "dpbranching-bisim-gj" | "dpbranching-bisim-gj-lazy-BLC"
        | "dpbranching-bisim-gjkw" | "dpbranching-bisim-jgkw" | "dpbranching-bisim-sig",
    SrBranching = "sr-branching",
    Branching = "branching" | "branching-bisim" | "branching-bisim-gv"
        | "branching-bisim-gj" | "branching-bisim-gj-lazy-BLC" | "branching-bisim-gjkw"
        | "branching-bisim-jgkw" | "branching-bisim-sig",
    Eta = "eta",
    Delay = "delay",
    RootedWeak = "rooted-weak" | "observation-congruence",
    DpWeak = "dpweak" | "dpweak-bisim",
    Observational = "observational" | "weak" | "weak-bisim",
    TauStarA = "tau*.a" | "taustar" | "tau-star",
    TwoNestedSim = "2-nested-sim",
    ReadySim = "ready-sim" | "ready-simulation",
    Sim = "sim" | "simulation" | "strong-sim",
    PossibleFutures = "possible-futures",
    ImpossibleFuturesStrong = "impossible-futures-strong",
    ReadyTrace = "ready-trace",
    FailureTrace = "failure-trace",
    Readiness = "readiness",
    Revivals = "revivals",
    Failures = "failures",
    CompletedTrace = "completed-trace",
    Trace = "trace" | "trace-ac",
    CoupledSim = "coupled-sim" | "coupled-simulation",
    Contrasim = "contrasim" | "contrasimulation",
    BranchingSim = "branching-sim" | "eta-sim",
    Safety = "safety" | "weak-sim",
    ImpossibleFutures = "impossible-futures",
    WeakFailures = "weak-failures" | "F",
    FailuresDivergence = "failures-divergence" | "FD",
    WeakTrace = "weaktrace" | "weak-trace" | "weak-trace-ac" | "T",
}

impl Relation {
    /// The relations that this one implies and that no other one lies between, from
    /// which all others follow by transitivity, as equivalences and as preorders.
    ///
    /// R. J. van Glabbeek, "The linear time – branching time spectrum II", 1993, and for
    /// finite systems as all are here. Sharp relations with the same strong labels.
    pub const fn implied(self) -> &'static [Relation] {
        self.facts().implied
    }

    /// Whether related states are related by the other one too, for all systems;
    /// a relation implies itself. As equivalences and as preorders.
    pub fn implies(self, other: Relation) -> bool {
        let mut open = vec![self];
        let mut seen = [false; Self::ALL.len()];
        while let Some(relation) = open.pop() {
            if relation == other {
                return true;
            }
            if !std::mem::replace(&mut seen[relation as usize], true) {
                open.extend(relation.implied());
            }
        }
        false
    }

    /// Whether it is defined as a preorder, and is no symmetric relation by itself.
    pub const fn is_preorder(self) -> bool {
        self.facts().is_preorder
    }

    /// One direction of a symmetric relation: what CADP's BISIMULATOR decides of the relation
    /// by `-smaller`. Nothing for preorders, and for relations that tell divergence, roots or
    /// strong labels, for which no such preorder is known here.
    pub const fn one_direction(self) -> Option<Relation> {
        self.facts().one_direction
    }

    /// Whether there is an LTS that stands for all equivalent ones, which
    /// [`minimize`](crate::minimize) makes.
    pub const fn has_quotient(self) -> bool {
        Quotienting::of(self, true).is_some()
    }

    /// The coarsest relations that imply this one and for which there is a quotient;
    /// with sharp relations only for these, as they need strong labels.
    pub fn next_with_quotient(self) -> Vec<Relation> {
        let is_sharp = Relation::has_strong_labels;
        self.next(|r| r.has_quotient() && (!is_sharp(r) || is_sharp(self)))
    }

    /// The coarsest relations that imply this one, are
    /// [congruences](Relation::is_congruence), and have a quotient: by which components can
    /// be minimised so that what they are part of stays equivalent by this one.
    pub fn next_congruence(self) -> Vec<Relation> {
        self.next(|r| r.is_congruence() && r.has_quotient())
    }

    /// The coarsest relations that imply this one and have a [distributed](Relation::distributed)
    /// engine: by which an LTS that does not fit one memory is made smaller first.
    pub fn next_distributed(self) -> Vec<Relation> {
        self.next(|r| r.distributed().is_some())
    }

    /// The coarsest relations that imply this one and of which this holds.
    fn next(self, fits: impl Fn(Relation) -> bool) -> Vec<Relation> {
        let fits = |&r: &Relation| r.implies(self) && fits(r);
        let all: Vec<_> = Self::ALL.into_iter().filter(fits).collect();
        let coarsest = |&&r: &&Relation| !all.iter().any(|&s| s != r && r.implies(s));
        all.iter().filter(coarsest).copied().collect()
    }

    /// The finer relation by which states are merged before the quotient is made, because
    /// that is faster and changes nothing.
    pub const fn minimized_first(self) -> Option<Relation> {
        self.facts().minimized_first
    }

    /// Whether the quotient is a deterministic LTS, whose states stand for sets of states
    /// that may overlap.
    pub const fn quotient_is_deterministic(self) -> bool {
        matches!(self, Relation::Trace | Relation::WeakTrace)
    }

    /// Whether the relation depends on which visible labels are *strong*.
    pub const fn has_strong_labels(self) -> bool {
        matches!(self, Relation::Sharp | Relation::DivSharp)
    }

    /// Whether hidden steps count as all others do, and not only by what can be told
    /// apart before and after them.
    pub fn counts_hidden(self) -> bool {
        self.implies(Relation::Trace)
    }

    /// Whether states that can go on by hidden steps for ever are told apart from those
    /// that cannot.
    pub fn preserves_divergence(self) -> bool {
        // A state among finitely many that can go on for ever is one that has hidden
        // traces of all lengths.
        self.implies(Relation::Trace) || self.implies(Relation::FailuresDivergence)
    }

    /// Whether a state from which a deadlock can be reached, a state without
    /// transitions, is related to such states only.
    pub fn preserves_deadlocks(self) -> bool {
        self.implies(Relation::CompletedTrace) || self.implies(Relation::WeakFailures)
    }

    /// Whether a state from which a hidden step can be reached is related to such states
    /// only.
    pub fn preserves_hidden_steps(self) -> bool {
        self.implies(Relation::Trace)
    }

    /// Whether it is a congruence for parallel composition, hiding, renaming and
    /// cutting of labels: related components may be exchanged for each other. `false` also
    /// where nothing makes use of it.
    pub const fn is_congruence(self) -> bool {
        self.facts().is_congruence
    }

    /// Whether it is a congruence for priorities too, by which steps give way to others
    /// that are possible.
    pub const fn is_congruence_with_priorities(self) -> bool {
        matches!(self, Relation::Isomorphism | Relation::Strong)
    }

    /// The engine that decides it where an LTS does not fit one memory: by several processes,
    /// or with its transitions on disk. Nothing where there is none.
    pub const fn distributed(self) -> Option<Distributed> {
        self.facts().distributed
    }

    /// The relations that have a [distributed](Relation::distributed) engine.
    pub fn all_distributed() -> impl Iterator<Item = Relation> {
        let is_known = |relation: &Relation| relation.distributed().is_some();
        Self::ALL.into_iter().filter(is_known)
    }

    /// The relation that differs from this one in divergence only, if there is one.
    pub const fn without_divergence(self) -> Option<Relation> {
        self.facts().without_divergence
    }
}

/// Whether a visible label is strong, by its text.
pub type IsStrong<'a> = dyn Fn(&[u8]) -> bool + Sync + 'a;

/// A relation, with what it depends on. Made [from](From) a relation, there are no strong
/// labels, and the limit is that of an LTS.
///
/// So [`Relation::Sharp`] by itself is [`Relation::Branching`], and [`Relation::DivSharp`] is
/// [`Relation::DivBranching`]; where a relation [has strong labels](Relation::has_strong_labels),
/// say which:
///
/// ```
/// use hyades_equivalence::{Criterion, Relation, minimize};
/// use hyades_formats::{LabelId, LtsBuilder, StateId};
///
/// let mut lts = LtsBuilder::new(3);
/// lts.add(StateId::new(0), LabelId::HIDDEN, StateId::new(1));
/// lts.add_text(1, b"STOP", 2)?;
/// let lts = lts.build(StateId::new(0))?;
/// let sharp = Criterion {
///     is_strong: &|label| label == b"STOP",
///     ..Relation::Sharp.into()
/// };
/// assert_eq!(minimize(lts.clone(), sharp)?.lts.states(), 3);
/// assert_eq!(minimize(lts, Relation::Sharp)?.lts.states(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Criterion<'a> {
    /// The relation.
    pub relation: Relation,
    /// Which visible labels are strong, by their texts. Asked for relations that
    /// [depend on it](Relation::has_strong_labels).
    pub is_strong: &'a IsStrong<'a>,
    /// How many states a deterministic LTS may have that a quotient by traces is made of.
    pub max_states: u64,
}

hyades_base::opaque!(Criterion<'_>: relation, max_states);

impl From<Relation> for Criterion<'_> {
    fn from(relation: Relation) -> Self {
        Self {
            relation,
            is_strong: &|_| false,
            max_states: StateId::MAX_COUNT,
        }
    }
}

impl FromStr for Relation {
    type Err = UnknownRelation;

    fn from_str(name: &str) -> Result<Self, UnknownRelation> {
        Self::from_name(name).ok_or_else(|| UnknownRelation {
            name: name.to_owned(),
        })
    }
}

/// An engine for LTSs that do not fit one memory ([`Relation::distributed`]): rounds of
/// signatures over parts of the states (Blom & Orzan 2003).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distributed {
    /// Strong bisimilarity.
    Strong,
    /// Branching bisimilarity.
    Branching {
        /// Whether states with infinite hidden paths are told from others.
        divergence: bool,
    },
}

/// Names of relations in a sentence: `branching or sim`.
pub fn either(relations: impl IntoIterator<Item = Relation>) -> String {
    let names: Vec<_> = relations.into_iter().map(Relation::name).collect();
    match &names[..] {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_quotient_has_a_finer_relation_that_is_distributed() {
        for relation in Relation::ALL.into_iter().filter(|r| r.has_quotient()) {
            let finer = relation.next_distributed();
            assert!(!finer.is_empty(), "{relation}");
            assert_eq!(
                relation.distributed().is_some(),
                finer == [relation],
                "{relation}"
            );
        }
        assert_eq!(
            Relation::Observational.next_distributed(),
            [Relation::Branching]
        );
        assert_eq!(
            Relation::DpWeak.next_distributed(),
            [Relation::DivBranching]
        );
        assert_eq!(Relation::Trace.next_distributed(), [Relation::Strong]);
    }

    #[test]
    fn relations_have_names_and_aliases() {
        for (k, relation) in Relation::ALL.into_iter().enumerate() {
            assert_eq!(relation as usize, k, "{relation}");
            assert_eq!(relation.name().parse(), Ok(relation));
            assert_eq!(relation.to_string(), relation.name());
        }
        assert_eq!("bisim".parse(), Ok(Relation::Strong));
        assert_eq!("branching-bisim".parse(), Ok(Relation::Branching));
        assert_eq!("dpbranching-bisim".parse(), Ok(Relation::DivBranching));
        assert_eq!("weak-trace".parse(), Ok(Relation::WeakTrace));
        let error = "stong".parse::<Relation>().unwrap_err();
        assert!(error.to_string().contains("unknown relation"), "{error}");
        let error = "tau-confluence".parse::<Relation>().unwrap_err();
        assert!(error.to_string().contains("reduce -r"), "{error}");
    }

    #[test]
    fn one_direction_is_implied() {
        for relation in Relation::ALL {
            if let Some(preorder) = relation.one_direction() {
                assert!(!relation.is_preorder() && preorder.is_preorder());
                assert!(relation.implies(preorder), "{relation}, {preorder}");
            }
        }
    }

    #[test]
    fn implication_is_a_partial_order() {
        use Relation::*;
        for a in Relation::ALL {
            assert!(Isomorphism.implies(a));
            for b in Relation::ALL {
                assert!(!(a.implies(b) && b.implies(a)) || a == b, "{a}, {b}");
                // No edge follows from others.
                let between = |&c: &Relation| c != b && c.implies(b);
                if a.implied().contains(&b) {
                    assert!(!a.implied().iter().any(between), "{a}, {b}");
                }
            }
        }
        assert!(!Branching.implies(WeakFailures) && SrBranching.implies(WeakFailures));
        assert!(!Observational.implies(TauStarA) && !TauStarA.implies(Observational));
    }

    #[test]
    fn what_is_preserved_follows_the_implications() {
        for a in Relation::ALL {
            for &b in a.implied() {
                for holds in [
                    Relation::counts_hidden,
                    Relation::preserves_divergence,
                    Relation::preserves_deadlocks,
                    Relation::preserves_hidden_steps,
                ] {
                    assert!(!holds(b) || holds(a), "{a}, {b}");
                }
                if let Some(c) = a.without_divergence() {
                    assert!(a.implies(c) && !c.implies(a));
                }
            }
        }
    }

    #[test]
    fn the_next_relation_with_a_quotient() {
        use Relation::*;
        for (relation, expected) in [
            (Isomorphism, &[][..]),
            (SrBranching, &[DivBranching]),
            (Eta, &[Branching]),
            (TwoNestedSim, &[Strong]),
            (BranchingSim, &[Branching, Sim]),
            (CoupledSim, &[Observational]),
            (Failures, &[ReadySim]),
            (WeakFailures, &[DpWeak, ReadySim]),
            (ImpossibleFutures, &[Observational]),
        ] {
            assert_eq!(relation.next_with_quotient(), expected, "{relation}");
        }
    }
}
