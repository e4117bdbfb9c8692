//! Options for FSM.

use crate::named;

/// What becomes of transitions with several labels, as LTSmin writes them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelColumns {
    /// Their labels are joined by blanks.
    Join,
    /// The first label counts.
    First,
    /// All transitions have two labels, an input and an output.
    Io,
}

named! {
    LabelColumns, "use of label columns":
    Join = "join",
    First = "first",
    Io = "io",
}

/// What a reader of FSM goes by, besides what holds for all formats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ReadFsm {
    /// What becomes of transitions with several labels; they are errors if nothing is said.
    pub label_columns: Option<LabelColumns>,
}

/// What a writer of FSM goes by, besides what holds for all formats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WriteFsm {
    /// Tell the initial state in a section of its own, instead of exchanging it
    /// with state 1. Not all tools read this section.
    pub initial_section: bool,
}
