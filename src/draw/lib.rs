//! Pictures of labelled transition systems, machines and networks, and reports with tables
//! and plots.
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
mod names;
mod network;
mod part;
mod pieces;
pub mod report;
pub mod scene;
mod svg;
#[cfg(test)]
mod tests;
pub mod text;

pub use dot::dot;
pub use html::html;
pub use lts::{DrawError, Drawing, scene as draw};
pub use names::names;
pub use network::{Diagram, Joint};
pub use part::{Part, Shown};
pub use scene::Scene;
pub use svg::svg;
