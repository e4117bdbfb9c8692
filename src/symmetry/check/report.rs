//! What there is to say of a specification, a pattern and a kernel.

use std::fmt;

use hyades_formats::diagnostic::counted;
use hyades_formats::{LabelId, StateId, named};

/// What can be asked of a specification, a pattern and a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// No label leads from a state to different states (Definition 2.1).
    Deterministic,
    /// Some copy takes part in each label of each trace (Definition 6.2).
    Covered,
    /// A loop leads each copy back to the state that it was in (Definition 6.2).
    LoopPreserving,
    /// Of symmetric traces, what one can be extended by, the other can be
    /// extended by symmetrically, be it beyond the specification (section 6).
    Persistent,
    /// What is symmetric to a trace of the specification is a trace of the
    /// specification (Definition 3.1).
    Closed,
    /// Each trace of the specification is symmetric to one of the kernel
    /// (Definition 3.3).
    Adequate,
    /// The relation, with smallest traces as representatives, is a symmetry
    /// (Definition 3.1). It is one if all but [`Condition::Adequate`] hold
    /// (Theorem 6.13), and perhaps otherwise.
    Symmetric,
}

named! {
    Condition:
    Deterministic = "deterministic",
    Covered = "covered",
    LoopPreserving = "loop_preserving",
    Persistent = "persistent",
    Closed = "closed",
    Adequate = "adequate",
    Symmetric = "symmetric",
}

/// Whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionVerdict {
    /// It does.
    Holds,
    /// It does not, and this shows it.
    Violated(Violation),
    /// It is not known.
    Unknown(Reason),
}

/// What shows that a condition is violated. Traces are of the specification
/// unless it says otherwise, and as short as can be unless it says otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A trace with two ends.
    Deterministic {
        /// The trace; its last label is the one that leads to both.
        trace: Vec<LabelId>,
        /// The state before the last label.
        source: StateId,
        /// Where the last label leads.
        targets: [StateId; 2],
    },
    /// A trace that is not covered.
    Covered {
        /// The trace; no copy takes part in its last label.
        trace: Vec<LabelId>,
        /// The state before the last label.
        state: StateId,
    },
    /// A loop that leads a copy elsewhere.
    LoopPreserving {
        /// The way to the loop.
        before: Vec<LabelId>,
        /// The loop.
        around: Vec<LabelId>,
        /// The first copy that is elsewhere, from 0 on.
        copy: usize,
        /// The states of the template that it is in, before and behind.
        states: [u32; 2],
        /// Whether no way and loop together are known to be shorter than these;
        /// a limit may have ended the search.
        shortest: bool,
    },
    /// A trace that cannot be persisted in.
    Persistent {
        /// A trace, of one step more than the other.
        trace: Vec<LabelId>,
        /// One that is symmetric to this but for the last step; no action
        /// extends it to be symmetric to all of it.
        other: Vec<LabelId>,
    },
    /// Symmetric words of which one is no trace.
    Closed {
        /// A trace.
        trace: Vec<LabelId>,
        /// A word that is symmetric to it; without its last action it is a
        /// trace, with it, it is none.
        other: Vec<LabelId>,
    },
    /// A trace that is not represented.
    Adequate {
        /// A trace, of one step more than the other.
        trace: Vec<LabelId>,
        /// A trace of the kernel that is symmetric to this but for the last
        /// step. The kernel has none that is symmetric to all of it.
        longest: Vec<LabelId>,
    },
    /// See there.
    Symmetric(Asymmetry),
}

/// Why a relation of traces and its representatives are no symmetry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asymmetry {
    /// Definition 3.1, condition 1: as [`Violation::Closed`].
    NotClosed {
        /// A trace.
        trace: Vec<LabelId>,
        /// A word that is symmetric to it and no trace.
        other: Vec<LabelId>,
    },
    /// Definition 3.1, condition 3(c): the representative of a trace does not
    /// begin with the representative of what is before its last step.
    NotPrefixClosed {
        /// The trace.
        trace: Vec<LabelId>,
        /// The representative of what is before its last step; no action of the
        /// specification extends it to be symmetric to the trace.
        representative: Vec<LabelId>,
        /// Whether the specification is known to be closed. If not, it may be
        /// condition 1 that is violated, and not 3(c).
        is_closed: bool,
    },
    /// Definition 3.1, condition 3(d): these together are a representative, but
    /// without the loop they are none.
    NotLoopRespecting {
        /// The way to the loop.
        before: Vec<LabelId>,
        /// The loop.
        around: Vec<LabelId>,
        /// What follows.
        after: Vec<LabelId>,
    },
}

/// Why it is not known whether a condition holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It makes sense for deterministic specifications only.
    Nondeterministic,
    /// It makes sense only if all traces are covered.
    Uncovered,
    /// There is no kernel to look at.
    NoKernel,
    /// A limit ended the exploration with so many nodes.
    Nodes(u64),
    /// A limit ended the search with so many pairs.
    Pairs {
        /// How many.
        pairs: u64,
        /// All traces of up to so many steps have been looked at.
        length: u32,
    },
    /// The progress callback ended it.
    Stopped,
    /// It has not been decided yet: only in reports of a check that goes on.
    Unfinished,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Nondeterministic => f.write_str(
                "the specification is not deterministic; one that is, with the same traces, can \
                 be checked",
            ),
            Reason::Uncovered => f.write_str("not all traces are covered"),
            Reason::NoKernel => f.write_str("there is no kernel"),
            Reason::Nodes(nodes) => {
                write!(f, "a limit was reached at {}", counted(nodes, "node"))
            }
            Reason::Pairs { pairs, length } => write!(
                f,
                "the limit was reached at {} of nodes; nothing was found with traces of up to {}",
                counted(pairs, "pair"),
                counted(length, "step")
            ),
            Reason::Stopped => f.write_str("stopped"),
            Reason::Unfinished => f.write_str("the check did not come to its end"),
        }
    }
}

/// The verdicts on all conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    verdicts: [ConditionVerdict; 7],
    /// What it took.
    pub figures: Figures,
}

/// What a check took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Nodes: states of the specification with states of all copies.
    pub nodes: u64,
    /// Their transitions.
    pub transitions: u64,
    /// Different multisets of edges that the copies take.
    pub colours: u64,
    /// Pairs of nodes that were searched to see whether the kernel is adequate.
    pub adequacy_pairs: u64,
    /// Pairs of nodes that were searched for violations of persistence and
    /// closure.
    pub variant_pairs: u64,
}

impl Report {
    /// What there is to say before anything is decided.
    pub fn unfinished() -> Self {
        Self {
            verdicts: Condition::ALL.map(|_| ConditionVerdict::Unknown(Reason::Unfinished)),
            figures: Figures::default(),
        }
    }

    /// The verdict on a condition.
    pub fn verdict(&self, condition: Condition) -> &ConditionVerdict {
        &self.verdicts[condition as usize]
    }

    pub(super) fn set(&mut self, condition: Condition, verdict: ConditionVerdict) {
        self.verdicts[condition as usize] = verdict;
    }

    /// All verdicts.
    pub fn iter(&self) -> impl Iterator<Item = (Condition, &ConditionVerdict)> {
        Condition::ALL.into_iter().zip(&self.verdicts)
    }

    /// The first premise of Theorem 5.8 (Romijn & Springintveld, CWI report SEN-R9918)
    /// that a specification, the relation of a pattern and a kernel do not fulfil, or of
    /// which that is not known. The theorem supposes a deterministic specification, a
    /// symmetry on it in the sense of Definition 3.1, hence that it is closed under the
    /// relation, and a kernel with respect to it, hence one that is adequate. Traces of
    /// which no copy takes a label are in no relation. That the pattern is loop
    /// preserving and persistent is one way to make its relation a symmetry (Theorem
    /// 6.13).
    pub fn missing_premise(&self) -> Option<(Condition, &ConditionVerdict)> {
        const PREMISES: [Condition; 5] = [
            Condition::Deterministic,
            Condition::Covered,
            Condition::Closed,
            Condition::Symmetric,
            Condition::Adequate,
        ];
        let verdicts = PREMISES.map(|premise| (premise, self.verdict(premise)));
        verdicts
            .into_iter()
            .find(|(_, verdict)| !matches!(verdict, ConditionVerdict::Holds))
    }
}
