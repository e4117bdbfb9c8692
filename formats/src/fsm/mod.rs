//! FSM, mCRL2's textual format for LTSs with state vectors: parameters, states,
//! transitions and, seldom, an initial state, in sections of lines.

mod line;
mod read;
mod transitions;
mod write;

pub use read::{LabelColumns, ReadFsm, read};
pub use write::{WriteFsm, write};
