//! Options for SEQ.

/// What readers of SEQ go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadSeq {
    /// The sequence that is read, from 1; all of them if 0, the default.
    pub seqno: u64,
}

/// What writers of SEQ go by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WriteSeq {
    /// Whether the numbers of states are written, as comments.
    pub states: bool,
}
