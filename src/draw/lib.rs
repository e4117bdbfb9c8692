//! Pictures of labelled transition systems, machines and networks.
//!
//! What is drawn becomes a [`Scene`]: nodes and edges with places, texts and marks. Each
//! output is made from a scene alone, so that a picture looks the same in every format.

pub mod html;
pub mod scene;

pub use html::html;
pub use scene::Scene;
