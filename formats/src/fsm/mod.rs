//! FSM, mCRL2's textual format for LTSs with state vectors: parameters, states,
//! transitions and, seldom, an initial state, in sections of lines.

mod line;
mod read;
mod transitions;
mod write;

pub use crate::options::{LabelColumns, ReadFsm, WriteFsm};
pub use read::read;
pub use write::write;
