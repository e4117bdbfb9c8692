//! What all layers share: helpers for parallel loops, interning, places in texts, and
//! random draws that do not depend on threads.
//!
//! ```
//! use hyades_base::discovered::Discovered;
//!
//! // From 1 to 10 by doubling and adding one: as fast as can be.
//! let mut found = Discovered::default();
//! found.add(1, None, "begin");
//! let mut next = 0;
//! while *found.get(next) != 10 {
//!     let number = *found.get(next);
//!     found.add(2 * number, Some(next), "double");
//!     found.add(number + 1, Some(next), "add one");
//!     next += 1;
//! }
//! assert!(found.steps(next).eq(&["double", "double", "add one", "double"]));
//! ```

pub mod antichains;
pub mod ascending;
pub mod bits;
pub mod buffer;
pub mod discovered;
pub mod fetch;
pub mod fill;
pub mod grouped;
pub mod groups;
pub mod interned;
pub mod offsets;
pub mod parallel;
pub mod signature;
pub mod text;

mod draws;
mod nearest;
mod opaque;

pub use draws::draw;
pub use nearest::{nearest, nearest_first};
