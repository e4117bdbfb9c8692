//! What all layers share: helpers for parallel loops, interning, places in texts, and
//! random draws that do not depend on threads.

pub mod interned;
pub mod parallel;
pub mod text;

mod draws;

pub use draws::draw;
