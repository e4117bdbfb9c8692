//! Pictures of labelled transition systems, machines and networks.
//!
//! What is drawn becomes a [`Scene`]: nodes and edges with places, texts and marks. Each
//! output is made from a scene alone, so that a picture looks the same in every format.

mod clusters;
mod dot;
mod force;
mod graph;
pub mod html;
mod layered;
mod lts;
mod network;
mod part;
pub mod scene;
mod svg;
pub mod text;

pub use dot::dot;
pub use html::html;
pub use lts::{DrawError, Drawing, scene as draw};
pub use network::{Diagram, Joint};
pub use part::Part;
pub use scene::Scene;
pub use svg::svg;
