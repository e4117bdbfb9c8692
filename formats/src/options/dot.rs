//! Options for DOT.

use crate::named;

/// What a reader of DOT goes by, besides what holds for all formats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadDot {
    /// The name of the node that is the initial state.
    pub init: Option<Vec<u8>>,
    /// The name of the subgraph to which states are to belong, for files with
    /// several automata.
    pub automaton: Option<Vec<u8>>,
    /// Whether several initial states become one from which hidden transitions
    /// lead to all of them, rather than being an error.
    pub multi_init: bool,
    /// Whether entities such as `&amp;` count in strings, as in HTML labels.
    pub entities: bool,
    /// Whether labels end in `:PROBABILITY`, which is then left out: an LTS
    /// tells what can happen. As a Mealy machine it may have a choice.
    pub stochastic: bool,
    /// What becomes of outputs and acceptance of states.
    pub outputs: StateOutputs,
}

/// What becomes of the outputs of Moore machines, in the labels of nodes, and of
/// acceptance, which double circles tell.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StateOutputs {
    /// That a file tells either is an error, as states that differ would be taken
    /// for equal. For Mealy machines, whose outputs are others, as
    /// [`Ignored`](Self::Ignored).
    #[default]
    Refused,
    /// They are notes: labels of nodes are state labels, and accepting states are
    /// states like others.
    Ignored,
    /// The file holds a Moore machine: see [`Start`](crate::mealy::Start).
    Moore,
    /// The file holds a finite automaton: accepting states get a self-loop with
    /// this label, which occurs nowhere else. Nothing is hidden unless the user
    /// names it.
    Accepting(Vec<u8>),
    /// For who needs a machine: a Mealy machine if all labels are pairs, else a
    /// Moore machine if the file tells outputs, or one with
    /// [verdicts](crate::mealy::VERDICTS) for outputs if it tells acceptance.
    Shown,
}

/// What a writer of DOT goes by.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WriteDot {
    /// What nodes tell of states besides their names.
    pub outputs: WriteOutputs,
}

/// What nodes tell of states besides their names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum WriteOutputs {
    /// Nothing.
    #[default]
    None,
    /// Outputs: what is written is a Moore machine, an LTS as [`Start`](crate::mealy::Start) tells it.
    Moore(MooreForm),
    /// Acceptance: states that have a self-loop with this label get a double circle
    /// instead.
    Accepting(Vec<u8>),
}

/// How the output of a state is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum MooreForm {
    /// `0 / out`, as automatalib and LearnLib have it.
    #[default]
    Slash,
    /// A record `0|out`, as AALpy has it.
    Record,
    /// In a second line.
    Lines,
}

named! {
    MooreForm, "form of outputs":
    Slash = "slash",
    Record = "record",
    Lines = "lines",
}
